//! The passages of a record, which are the documents of the index.

use std::ops::Range;

use calendar::series::Series;
use derivers::pasted::before_text_of_others;
use kernel::evidence::{Evidence, EvidenceKind};
use retrieval::question::OPEN_BOX;
use retrieval::text::passages::passages;
use retrieval::text::standing::{InstructionKind, standing};
use retrieval::text::{Analyzer, Language, SlotAnalysis};

use super::super::attributes;
use super::super::meaning::DocumentVector;

/// Most words of a note that may be an instruction.
const SHORT_WORDS_MAX: usize = 40;

/// A record in passages.
pub(super) struct Passages<'a> {
    evidence: &'a Evidence,
    ranges: Vec<Range<usize>>,
    /// The person's own words are so many bytes at the beginning; the rest is pasted.
    own_bytes: usize,
}

/// The searched text of a passage.
pub(super) struct Passage<'a> {
    text: &'a str,
    /// What else is searched of the record: only in its first passage.
    more: Vec<&'a str>,
    /// Its record is short.
    is_short: bool,
    /// Most of it is a text of somebody else, or one to work on, that the person pasted.
    is_pasted: bool,
    /// It is a task that is not done, or has one.
    has_open_task: bool,
    /// What is before it in its file, if anything, is part of the same text.
    pub(super) continues_text: bool,
}

impl<'a> Passages<'a> {
    /// Of a record; there is at least one.
    pub(super) fn of(evidence: &'a Evidence) -> Self {
        let text = &evidence.payload.text;
        let own_bytes =
            if is_by_user(evidence) { before_text_of_others(text).len() } else { text.len() };
        Self { evidence, ranges: passages(text), own_bytes }
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Passage<'a>> + use<'_, 'a> {
        let evidence = self.evidence;
        let is_note = evidence.kind.0 == EvidenceKind::NOTE;
        let has_open_tasks = has_open_tasks(evidence);
        let is_short = evidence.payload.text.split_whitespace().nth(SHORT_WORDS_MAX).is_none();
        let own_bytes = self.own_bytes;
        self.ranges.iter().map(move |range| {
            let text = evidence.payload.text.get(range.clone()).unwrap_or_default();
            let is_first = range.start == 0;
            Passage {
                text,
                more: if is_first {
                    searched_parts(evidence).skip(1).collect()
                } else {
                    Vec::new()
                },
                is_short,
                is_pasted: range.end.saturating_sub(range.start.max(own_bytes)) > range.len() / 2,
                has_open_task: has_open_tasks && (!is_note || text.contains(OPEN_BOX)),
                continues_text: is_note || range.start > 0,
            }
        })
    }
}

impl Passage<'_> {
    /// Its words.
    pub(super) fn analyze(&self, analyzer: &mut Analyzer) -> SlotAnalysis {
        analyzer.analyze_slots(self.text, &self.more)
    }

    /// What it adds to the marks of its record.
    pub(super) fn marks(&self, of_record: u8, evidence: &Evidence) -> u8 {
        if self.is_pasted {
            return of_record & !attributes::BY_USER;
        }
        let of_record =
            if self.has_open_task { of_record | attributes::OPEN_TASK } else { of_record };
        // Only the person's own words say how to answer, and short notes that name no author:
        // "always" in a longer one is about what the note is about.
        let is_note = evidence.kind.0 == EvidenceKind::NOTE && evidence.actor.is_none();
        let is_told = is_note && self.is_short;
        if of_record & attributes::BY_USER == 0 && !is_told {
            return of_record;
        }
        match standing(self.text) {
            InstructionKind::None => of_record,
            InstructionKind::Preference => of_record | attributes::PREFERENCE,
            InstructionKind::Instruction => of_record | attributes::INSTRUCTION,
        }
    }

    /// Its vector, as a text in a language.
    pub(super) fn vector(&self, language: Language) -> DocumentVector {
        DocumentVector::of(language, std::iter::once(self.text).chain(self.more.iter().copied()))
    }
}

/// The searched text of a record: its text, and title, captions, tags, place and camera if they add
/// anything.
pub fn searched_parts(evidence: &Evidence) -> impl Iterator<Item = &str> {
    let payload = &evidence.payload;
    let label = payload.location.as_ref().and_then(|location| location.label.as_deref());
    let is_photo = evidence.kind.0 == EvidenceKind::PHOTO;
    let camera = payload.more.get("camera").filter(|_| is_photo).and_then(|name| name.as_str());
    let more = payload
        .title
        .as_deref()
        .into_iter()
        .chain(label)
        .chain(camera)
        .filter(|part| !payload.text.contains(*part));
    let own = std::iter::once(&payload.text).chain(&payload.captions).chain(&payload.tags);
    own.map(String::as_str).chain(more)
}

/// What recall asks of a record besides its words, as [`attributes::Attribute::marks`].
pub(super) fn marks(evidence: &Evidence) -> u8 {
    // A thread of mails is a conversation, in which a reply does not repeat what it answers.
    let is_mail = evidence.kind.0 == EvidenceKind::MAIL;
    let is_turn = evidence.kind.0 == EvidenceKind::TURN;
    let role = role(evidence);
    let mark = |applies: bool, mark: u8| if applies { mark } else { 0 };
    mark(is_turn || is_mail, attributes::TURN)
        | mark(is_by_user(evidence), attributes::BY_USER)
        | mark(evidence.is_said_by_program(), attributes::BY_PROGRAM)
        | mark(role.as_deref() == Some("tool"), attributes::BY_TOOL)
        | mark(Series::is_in(evidence), attributes::SERIES)
}

/// Whether a record is a task that is not done, or a note has some.
fn has_open_tasks(evidence: &Evidence) -> bool {
    let more = &evidence.payload.more;
    let field = |name: &str| more.get(name).and_then(serde_json::Value::as_str);
    match evidence.kind.0.as_str() {
        EvidenceKind::TASK => {
            let is_over = matches!(field("status"), Some("completed" | "cancelled"));
            !is_over && !more.contains_key("completed")
        }
        EvidenceKind::NOTE => {
            let open = more.get("open_tasks").and_then(serde_json::Value::as_array);
            open.is_some_and(|open| !open.is_empty())
        }
        _ => false,
    }
}

/// Whether the person said it to a program.
fn is_by_user(evidence: &Evidence) -> bool {
    matches!(role(evidence).as_deref(), Some("user" | "human" | "me"))
}

/// The part in a conversation, in lower case.
fn role(evidence: &Evidence) -> Option<String> {
    let is_turn = evidence.kind.0 == EvidenceKind::TURN;
    let role = evidence.payload.role.as_deref().or(evidence.actor.as_deref().filter(|_| is_turn));
    role.map(str::to_lowercase)
}
