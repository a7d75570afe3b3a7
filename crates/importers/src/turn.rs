//! One turn of a conversation, bounded to the limits of a record.
//!
//! Every chat importer describes a message as a [`Turn`] and passes it to [`deliver`], which makes
//! the evidence. The text is kept as it is. An operation's body has at most 1 MiB, so a text whose
//! JSON form is longer than [`TEXT_JSON_BYTES_MAX`] is split, preferably at a line's end, into
//! several records of one session, `…/part-2` and so on: nothing is lost, and the joined parts are
//! the whole text. Names, captions and links are cut.
//!
//! A message without an id is identified by its content ([`content_hash`]) and the number of
//! earlier repetitions ([`Repetitions`]), not by its line number: an inserted line does not change
//! the identity of other records.

use std::collections::HashMap;
use std::ops::ControlFlow;

use kernel::evidence::{Evidence, EvidenceKind, Payload, SUMMARY_CHARS_MAX, Visibility};
use kernel::when::When;
use serde_json::{Map, Value};

use crate::Sink;
use crate::secrets::{cut, split_at, summarize, without_secrets};

/// Longest text of one record, in bytes of its JSON form.
///
/// With the limits below, the worst case of all of them (a byte may be six of JSON) stays within a
/// body of 1 MiB.
pub(crate) const TEXT_JSON_BYTES_MAX: usize = 256 * 1024;
/// Longest text of a record that has other long fields too, in bytes of its JSON form: half of a
/// body.
pub(crate) const LONG_TEXT_JSON_BYTES_MAX: usize = 512 * 1024;
/// Longest name of a person, session title or label, in bytes.
pub(crate) const NAME_BYTES_MAX: usize = 256;
/// Longest `source_uid` or session, in bytes; a longer one is replaced by its hash.
pub(crate) const UID_BYTES_MAX: usize = 1024;
/// Longest caption, in bytes.
pub(crate) const CAPTION_BYTES_MAX: usize = 4 * 1024;
/// Longest link, in bytes.
pub(crate) const LINK_BYTES_MAX: usize = 1024;
/// Most captions, links, participants or tags of one record.
pub(crate) const LIST_ITEMS_MAX: usize = 16;
/// Most fields of the source's own.
pub(crate) const MORE_FIELDS_MAX: usize = 16;
/// Longest text of a field of the source's own, in bytes; a longer one is left out.
pub(crate) const MORE_BYTES_MAX: usize = 512;
/// Most contents that [`Repetitions`] remembers: about 100 MiB.
pub(crate) const REPETITIONS_MAX: usize = 4 * 1024 * 1024;

/// The names that [`Payload`] itself uses; a field of the source's own must not collide with them.
const PAYLOAD_NAMES: [&str; 12] = [
    "text",
    "captions",
    "title",
    "session",
    "session_title",
    "role",
    "participants",
    "tags",
    "links",
    "end",
    "location",
    "more",
];

/// A message as an importer understood it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    pub(crate) uid: String,
    /// The kind of the record; a turn unless it is set.
    pub(crate) kind: Option<EvidenceKind>,
    pub(crate) visibility: Visibility,
    pub(crate) actor: Option<String>,
    pub(crate) at: Option<When>,
    pub(crate) role: Option<String>,
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    pub(crate) captions: Vec<String>,
    pub(crate) session: Option<String>,
    pub(crate) session_title: Option<String>,
    pub(crate) participants: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) links: Vec<String>,
    pub(crate) more: Map<String, Value>,
}

impl Turn {
    /// What an agent thought in the message with this id: private, and of a kind of its own.
    pub(crate) fn thought(uid: &str, text: String, frame: Self) -> Self {
        let assistant = Some("assistant".to_owned());
        Self {
            uid: format!("{uid}/thinking"),
            kind: Some(EvidenceKind::from(EvidenceKind::THOUGHT_ACTION)),
            visibility: Visibility::Private,
            actor: assistant.clone(),
            role: assistant,
            text,
            ..frame
        }
    }
}

/// Makes evidence of `turn` and passes it to `sink`. A turn without text, captions and links is
/// left out.
pub(crate) fn deliver(source: &str, turn: Turn, sink: &mut dyn Sink) -> ControlFlow<()> {
    if turn.text.trim().is_empty() && turn.captions.is_empty() && turn.links.is_empty() {
        return ControlFlow::Continue(());
    }
    let uid = bounded_uid(turn.uid);
    let (first, mut rest) = split(&turn.text, TEXT_JSON_BYTES_MAX);
    let first = if rest.is_empty() { None } else { Some(first.to_owned()) };
    let payload = Payload {
        text: String::new(),
        captions: bounded_list(turn.captions, CAPTION_BYTES_MAX),
        title: bounded_name(turn.title),
        session: turn.session.map(bounded_uid),
        session_title: bounded_name(turn.session_title),
        role: bounded_name(turn.role),
        participants: bounded_list(turn.participants, NAME_BYTES_MAX),
        tags: bounded_list(turn.tags, NAME_BYTES_MAX),
        links: bounded_list(turn.links, LINK_BYTES_MAX),
        more: bounded_more(turn.more),
        ..Payload::default()
    };
    let mut record = Evidence {
        source: source.to_owned(),
        source_uid: uid.clone(),
        kind: turn.kind.unwrap_or_else(|| EvidenceKind::from(EvidenceKind::TURN)),
        actor: bounded_name(turn.actor),
        at: turn.at,
        summary: String::new(),
        visibility: turn.visibility,
        payload,
    };
    let Some(first) = first else {
        record.payload.text = turn.text;
        record.summary = summary(&record.payload);
        return sink.evidence(record);
    };
    record.payload.text = first;
    record.summary = summary(&record.payload);
    // The later parts are the same message: captions and links belong to the first.
    let mut later = record.clone();
    later.payload.captions.clear();
    later.payload.links.clear();
    sink.evidence(record)?;
    let mut number = 2_u64;
    while !rest.is_empty() {
        let (part, after) = split(rest, TEXT_JSON_BYTES_MAX);
        let mut record = later.clone();
        record.source_uid = format!("{uid}/part-{number}");
        record.payload.text = part.to_owned();
        record.summary = summary(&record.payload);
        sink.evidence(record)?;
        rest = after;
        number += 1;
    }
    ControlFlow::Continue(())
}

fn summary(payload: &Payload) -> String {
    // Summarising reads on to the end of a word: a text without spaces must not be read whole.
    let text = payload
        .text
        .get(..payload.text.floor_char_boundary(SUMMARY_CHARS_MAX * 8))
        .unwrap_or_default();
    match (text.trim().is_empty(), payload.captions.first(), payload.links.first()) {
        (true, Some(caption), _) => summarize(&format!("[image] {caption}")),
        (true, None, Some(link)) => summarize(&format!("[link] {link}")),
        _ => summarize(text),
    }
}

/// `text` cut to `bytes_max` bytes, saying how much was left out.
pub(crate) fn excerpt(text: &str, bytes_max: usize) -> String {
    let kept = cut(text, bytes_max);
    match text.len() - kept.len() {
        0 => text.to_owned(),
        left_out => format!("{kept}… ({left_out} more bytes left out)"),
    }
}

/// Cuts a text to [`LONG_TEXT_JSON_BYTES_MAX`]; true if something was cut.
pub(crate) fn shorten(text: &mut String) -> bool {
    let kept = split(text, LONG_TEXT_JSON_BYTES_MAX).0.len();
    let is_cut = kept < text.len();
    text.truncate(kept);
    is_cut
}

/// Splits off the part whose JSON form has at most `json_bytes_max` bytes, at a line's end or space
/// near the limit if there is one.
fn split(text: &str, json_bytes_max: usize) -> (&str, &str) {
    // One byte of text is at most six of JSON (`\u0001`).
    if text.len() <= json_bytes_max / 6 {
        return (text, "");
    }
    let mut json_bytes = 0;
    let mut end = text.len();
    for (at, char) in text.char_indices() {
        json_bytes += match char {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '\0'..'\u{20}' => 6,
            _ => char.len_utf8(),
        };
        if json_bytes > json_bytes_max {
            end = at;
            break;
        }
    }
    if end == text.len() {
        return (text, "");
    }
    let head = text.get(..end).unwrap_or(text);
    let near = head.len() - head.len() / 8;
    let break_at = |found: Option<usize>| found.map(|at| at + 1).filter(|at| *at > near);
    let end = break_at(head.rfind('\n')).or_else(|| break_at(head.rfind(' '))).unwrap_or(end);
    let end = split_at(text, end);
    text.split_at_checked(end.max(1)).unwrap_or((text, ""))
}

/// The identity of an item or session within [`UID_BYTES_MAX`]. Values that many turns share are
/// bounded before they are copied: copying megabytes for every turn would take hours.
pub(crate) fn bounded_uid(uid: String) -> String {
    if uid.len() <= UID_BYTES_MAX {
        return uid;
    }
    let hash = blake3::hash(without_secrets(&uid).as_bytes()).to_hex();
    format!("{}…{hash}", cut(&uid, 64))
}

/// A name within [`NAME_BYTES_MAX`]; none if it is blank.
pub(crate) fn bounded_name(name: Option<String>) -> Option<String> {
    name.filter(|name| !name.trim().is_empty()).map(|name| bounded(name, NAME_BYTES_MAX))
}

fn bounded_list(items: Vec<String>, bytes_max: usize) -> Vec<String> {
    let items = items.into_iter().filter(|item| !item.trim().is_empty()).take(LIST_ITEMS_MAX);
    items.map(|item| bounded(item, bytes_max)).collect()
}

fn bounded(text: String, bytes_max: usize) -> String {
    if text.len() <= bytes_max { text } else { format!("{}…", cut(&text, bytes_max)) }
}

fn bounded_more(more: Map<String, Value>) -> Map<String, Value> {
    let kept = more.into_iter().filter(|(name, value)| {
        let short = match value {
            Value::String(text) => text.len() <= MORE_BYTES_MAX && !text.is_empty(),
            Value::Number(_) | Value::Bool(_) => true,
            Value::Null | Value::Array(_) | Value::Object(_) => false,
        };
        short && name.len() <= 64 && !PAYLOAD_NAMES.contains(&name.as_str())
    });
    kept.take(MORE_FIELDS_MAX).collect()
}

/// The first 64 bits of the BLAKE3 hash of the parts, separated by their lengths. It goes into
/// identities, so it is made from masked text: from the hash of a known sentence with a password,
/// the password could be guessed.
pub(crate) fn content_hash(parts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts.iter().map(|part| without_secrets(part)) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hash = hasher.finalize();
    u64::from_be_bytes(hash.as_bytes().first_chunk().copied().unwrap_or_default())
}

/// Counts how often a content has come up in one import.
#[derive(Debug, Default)]
pub(crate) struct Repetitions {
    counts: HashMap<u64, u32>,
    /// The latest session and its hash, since messages of one session mostly follow each other.
    session: (String, u64),
}

impl Repetitions {
    /// The identity of a message without an id: `<session>/<hash>/<n-th repetition>`. Beyond
    /// [`REPETITIONS_MAX`] different contents, new ones count as unrepeated, so exact repetitions
    /// of those become one record.
    pub(crate) fn uid(&mut self, session: &str, hash: u64) -> String {
        if self.session.0 != session {
            self.session = (session.to_owned(), content_hash(&[session]));
        }
        let key = hash ^ self.session.1;
        let nth = match self.counts.get_mut(&key) {
            Some(count) => {
                *count = count.saturating_add(1);
                *count
            }
            None => {
                if self.counts.len() < REPETITIONS_MAX {
                    self.counts.insert(key, 1);
                }
                1
            }
        };
        format!("{session}/{hash:016x}/{nth}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_split_without_loss_and_within_the_limit() {
        for text in ["word and\nword ".repeat(100), "\u{1}".repeat(500), "é😀".repeat(200)] {
            let mut joined = String::new();
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let (part, after) = split(rest, 300);
                assert!(serde_json::to_string(part).unwrap().len() <= 302);
                joined.push_str(part);
                rest = after;
            }
            assert_eq!(joined, text);
        }
    }

    #[test]
    fn the_same_content_again_is_another_repetition_and_parts_do_not_run_together() {
        let mut repetitions = Repetitions::default();
        let hash = content_hash(&["ab", "c"]);
        assert_ne!(hash, content_hash(&["a", "bc"]));
        assert_eq!(repetitions.uid("s", hash), format!("s/{hash:016x}/1"));
        assert_eq!(repetitions.uid("s", hash), format!("s/{hash:016x}/2"));
        assert_eq!(repetitions.uid("t", hash), format!("t/{hash:016x}/1"));
    }

    #[test]
    fn own_fields_never_shadow_the_payloads() {
        let more = serde_json::json!({"text": "x", "city": "Basel", "deep": {}, "long": "x".repeat(MORE_BYTES_MAX + 1)});
        let Value::Object(more) = more else { unreachable!() };
        assert_eq!(bounded_more(more).keys().collect::<Vec<_>>(), ["city"]);
    }

    #[test]
    fn the_worst_turn_still_fits_a_body() {
        struct Fits(usize);
        impl Sink for Fits {
            fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
                assert!(serde_json::to_string(&evidence).unwrap().len() < 1024 * 1024);
                self.0 += 1;
                ControlFlow::Continue(())
            }
            fn problem(&mut self, problem: crate::Problem) -> ControlFlow<()> {
                panic!("{problem:?}")
            }
            fn progress(&mut self, _: u64) {}
        }
        let bad = "\u{1}".repeat(100_000);
        let list = vec![bad.clone(); 100];
        let field = |number: i32| {
            (format!("{number}{}", "\u{1}".repeat(60)), Value::from(&bad[..MORE_BYTES_MAX]))
        };
        let turn = Turn {
            uid: bad.clone(),
            kind: None,
            visibility: Visibility::default(),
            actor: Some(bad.clone()),
            role: Some(bad.clone()),
            text: bad.clone(),
            title: Some(bad.clone()),
            captions: list.clone(),
            session: Some(bad.clone()),
            session_title: Some(bad.clone()),
            participants: list.clone(),
            tags: list.clone(),
            links: list,
            more: (0..100).map(field).collect(),
            at: None,
        };
        let mut fits = Fits(0);
        assert!(deliver("x", turn, &mut fits).is_continue());
        assert_eq!(fits.0, 3);
    }
}
