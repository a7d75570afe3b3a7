//! Evidence: records as their sources gave them, before anything is concluded from them.
//!
//! An importer turns bytes into [`Evidence`] values; sealing one makes it an `evidence` operation.
//! The fields that every source shares are typed here; what only some sources know lives in
//! [`Payload`], whose field names are shared by all importers so that recall and the derivers need
//! not know where a record came from.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::OpId;
use crate::when::When;

/// Body of an `evidence` operation: one imported record.
///
/// `(source, source_uid)` is the record's identity at its source: the same identity with the same
/// content is written once, with other content it supersedes the earlier one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Where it came from, e.g. `locomo`, `claude-code`, `ical`. Lower case, digits and `-`.
    pub source: String,
    /// The record's identity at its source, stable over repeated imports.
    pub source_uid: String,
    /// What sort of record it is.
    pub kind: EvidenceKind,
    /// Who said, wrote or made it, by the name that people use for them.
    pub actor: Option<String>,
    /// When it happened or was said.
    pub at: Option<When>,
    /// One line for people, made from this record alone; at most 200 characters.
    pub summary: String,
    /// Who may see it.
    pub visibility: Visibility,
    /// What else is known.
    pub payload: Payload,
}

/// The sort of an evidence record. Open: a kind that this version does not know is kept and shown
/// as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EvidenceKind(pub String);

impl EvidenceKind {
    /// One turn of a conversation.
    pub const TURN: &'static str = "turn";
    /// A calendar event (one occurrence of it).
    pub const EVENT: &'static str = "event";
    /// A calendar event that does not take place.
    pub const CANCELLATION: &'static str = "cancellation";
    /// Something to be done.
    pub const TASK: &'static str = "task";
    /// A note, or a section of one.
    pub const NOTE: &'static str = "note";
    /// A photograph, known by its metadata.
    pub const PHOTO: &'static str = "photo";
    /// An e-mail message.
    pub const MAIL: &'static str = "mail";
    /// A commit of a version-control system.
    pub const COMMIT: &'static str = "commit";
    /// What an agent thought before it answered or acted. No index of texts has it, no deriver
    /// reads it, and recall finds it only where this kind is asked for.
    pub const THOUGHT_ACTION: &'static str = "thought_action";

    /// Whether it is an agent's thinking.
    pub fn is_thinking(&self) -> bool {
        self.0 == Self::THOUGHT_ACTION
    }
}

impl From<&str> for EvidenceKind {
    fn from(kind: &str) -> Self {
        Self(kind.to_owned())
    }
}

/// Who may see a record.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Only within its space, and never shown to others.
    Private,
    /// Within its space.
    #[default]
    Project,
    /// From every space of the person.
    Global,
}

/// What a source knows beyond the common fields. Absent fields are not written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    /// The whole text: what is searched.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What the record's images show, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captions: Vec<String>,
    /// A title apart from the text (event title, note heading, mail subject).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The conversation, thread, file or calendar series that it is part of. Records of one session
    /// that are imported one after the other are each other's context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The name of that session, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// `user`, `assistant`, `tool` or `system` in a chat with an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Everyone known to take part: speakers of the conversation, attendees, recipients.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub participants: Vec<String>,
    /// Labels, without `#`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What it links to: note names, URLs, paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// When an event ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<When>,
    /// Where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Anything else the source gives, by its own names.
    #[serde(flatten)]
    pub more: serde_json::Map<String, Value>,
}

/// A mark that a record repeats what is known already, and so does not count as evidence. It is in
/// the record's signed body, under [`Echo::FIELD`] of its payload, so that every program that
/// derives from the ledger leaves out the same records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Echo {
    /// What it repeats: the earlier records, or what memory had shown.
    pub of: Vec<OpId>,
    /// How it is known.
    pub kind: EchoKind,
    /// Which share of its text comes from there, 0 … 1, to two decimals.
    pub share: f64,
}

/// How an echo is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EchoKind {
    /// It says the same as an earlier record, apart from case, spaces and punctuation.
    Exact,
    /// It says nearly the same as an earlier record.
    Near,
    /// It says what memory had shown to an agent.
    Injected,
}

impl Echo {
    /// The field of the payload.
    pub const FIELD: &'static str = "echo";
}

impl Evidence {
    /// Its text, or its summary where it has none.
    pub fn said(&self) -> &str {
        if self.payload.text.is_empty() { &self.summary } else { &self.payload.text }
    }

    /// Whether a program said it to the person.
    pub fn is_said_by_program(&self) -> bool {
        let is_turn = self.kind.0 == EvidenceKind::TURN;
        let role = self.payload.role.as_deref().or(self.actor.as_deref().filter(|_| is_turn));
        let role = role.map(str::to_lowercase);
        matches!(role.as_deref(), Some("assistant" | "ai" | "bot" | "model"))
    }

    /// The field of the payload that marks a person's correction of the record that this one
    /// supersedes, with the reason.
    pub const CORRECTION: &'static str = "correction";

    /// The field of the payload with the account whose export the record is from, by the name that
    /// the record's other fields have for it.
    pub const ACCOUNT: &'static str = "account";
    /// The field of the payload with the people of a mail as `Name <address>`.
    pub const ADDRESSES: &'static str = "addresses";
    /// The field of the payload with the mailing list by which a mail came.
    pub const MAILING_LIST: &'static str = "mailing_list";

    /// Why a person corrected the record that this one supersedes; none if it is not a correction.
    pub fn correction(&self) -> Option<&str> {
        self.payload.more.get(Self::CORRECTION)?.as_str()
    }

    /// Marks it as a person's correction.
    pub fn mark_correction(&mut self, note: String) {
        self.payload.more.insert(Self::CORRECTION.to_owned(), Value::String(note));
    }

    /// The field of the payload that marks a record that says again what it said before a person
    /// corrected it, with the reason.
    pub const WITHDRAWAL: &'static str = "correction_withdrawn";

    /// Keeps why a person took their correction back.
    pub fn mark_withdrawal(&mut self, note: String) {
        self.payload.more.insert(Self::WITHDRAWAL.to_owned(), Value::String(note));
    }

    /// Removes that. Answers whether there was anything.
    pub fn unmark_withdrawal(&mut self) -> bool {
        self.payload.more.remove(Self::WITHDRAWAL).is_some()
    }

    /// The mark of an echo, if it has a readable one.
    pub fn echo(&self) -> Option<Echo> {
        let mark = self.payload.more.get(Echo::FIELD)?;
        serde_json::from_value(mark.clone()).ok()
    }

    /// Marks it as an echo.
    pub fn mark_echo(&mut self, echo: &Echo) {
        if let Ok(mark) = serde_json::to_value(echo) {
            self.payload.more.insert(Echo::FIELD.to_owned(), mark);
        }
    }

    /// Removes the mark. Answers whether there was one.
    pub fn unmark_echo(&mut self) -> bool {
        self.payload.more.remove(Echo::FIELD).is_some()
    }
}

/// A place by name, position or both. Degrees, WGS 84.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// The place's name or address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Latitude, −90 … 90.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lat: Option<f64>,
    /// Longitude, −180 … 180.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lon: Option<f64>,
}

/// Longest summary, in characters.
pub const SUMMARY_CHARS_MAX: usize = 200;

/// The first line's worth of `text` as a summary: white space folded, cut at a word before
/// [`SUMMARY_CHARS_MAX`] characters, with `…` where something was left out.
///
/// ```
/// assert_eq!(kernel::evidence::summarize("  two\n words "), "two words");
/// ```
pub fn summarize(text: &str) -> String {
    let mut summary = String::new();
    let mut chars = 0;
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let space_chars = usize::from(!summary.is_empty());
        let ellipsis_chars = usize::from(words.peek().is_some());
        let word_chars = word.chars().count();
        if chars + space_chars + word_chars + ellipsis_chars > SUMMARY_CHARS_MAX {
            if summary.is_empty() {
                summary.extend(word.chars().take(SUMMARY_CHARS_MAX - 1));
            }
            summary.push('…');
            break;
        }
        if space_chars == 1 {
            summary.push(' ');
        }
        summary.push_str(word);
        chars += space_chars + word_chars;
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_word_and_says_so() {
        let summary = summarize(&"word ".repeat(100));
        assert!(summary.ends_with("word…"), "{summary}");
        assert!(summary.chars().count() <= SUMMARY_CHARS_MAX);
    }

    #[test]
    fn one_endless_word_is_cut() {
        assert_eq!(summarize(&"x".repeat(1000)).chars().count(), SUMMARY_CHARS_MAX);
    }

    #[test]
    fn a_text_of_any_length_keeps_to_the_limit_and_is_cut_only_beyond_it() {
        for first_chars in 1..=SUMMARY_CHARS_MAX + 1 {
            let text = format!("{} b c", "a".repeat(first_chars));
            let summary = summarize(&text);
            assert!(summary.chars().count() <= SUMMARY_CHARS_MAX, "{first_chars}");
            assert_eq!(summary == text, text.len() <= SUMMARY_CHARS_MAX, "{first_chars}");
        }
    }

    #[test]
    fn the_documented_examples_are_read_and_written_unchanged() {
        let document = include_str!("../../../docs/evidence.md");
        let examples: Vec<&str> = document
            .split("```json\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
            .collect();
        assert_eq!(examples.len(), 6, "one of each kind");
        for example in examples {
            let evidence: Evidence = serde_json::from_str(example).unwrap();
            let written = serde_json::to_value(&evidence).unwrap();
            assert_eq!(written, serde_json::from_str::<Value>(example).unwrap());
            assert!(evidence.summary.chars().count() <= SUMMARY_CHARS_MAX);
        }
    }
}
