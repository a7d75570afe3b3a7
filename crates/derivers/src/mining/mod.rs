//! Mining by rules: sentences that state a decision, a standing rule, a preference, a goal or a
//! deadline outright ("we decided to …", "always …", "X is due on …").
//!
//! A sentence is taken whole, in the words of whoever wrote it. Precision comes before yield: the
//! cue has to begin a clause, and everything before it has to be an opening such as "so" or "at the
//! meeting,". So "if we decided", "she said that we decided" and "have we decided?" never match.
//! Quotations, code, tables, lines of a script ("Tom: …") and whatever programs wrote are left out.
//!
//! Every sentence has one owner: what [`owner`] gives to a deriver is not mined.
//!
//! | module | answers |
//! |---|---|
//! | `lexicon` | which words are cues, openings and doubts, in which language? |
//! | `clause` | does a clause state something, and what? |
//! | `text` | what are the sentences of a record? |

use kernel::evidence::EvidenceKind;

use crate::owner::Owner;
use crate::pasted::before_pasted;
use crate::statements::{OwnWords, Sentence, Word, is_retraction, own_words, sentence};
use crate::{Record, names, preferences, relationships};

mod clause;
mod lexicon;
mod text;

use clause::{Stated, stated};
pub use text::sentences_of;
pub(crate) use text::whole_sentences_of;

/// The name under which these rules sign, and their version.
pub const PROGRAM: (&str, &str) = ("mining", "1.1.0");
/// Most statements of one record.
pub const STATEMENTS_MAX: usize = 16;
/// Longest sentence that is taken, bytes.
pub const SENTENCE_BYTES_MAX: usize = 400;

/// What a sentence states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementKind {
    /// Somebody decided something.
    Decision,
    /// Something holds always, never, or from now on.
    Rule,
    /// Somebody does something always, or never.
    Habit,
    /// Something must or must not be.
    Requirement,
    /// Somebody prefers something.
    Preference,
    /// What somebody wants to reach.
    Goal,
    /// When something has to be done.
    Deadline,
}

impl StatementKind {
    /// The type of the claim that the sentence becomes.
    pub fn claim_type(self) -> &'static str {
        match self {
            Self::Decision | Self::Habit | Self::Requirement | Self::Deadline => "fact",
            Self::Rule | Self::Preference => "preference",
            Self::Goal => "goal",
        }
    }

    /// How sure the rules are that such a sentence states what it seems to: their precision on real
    /// sources (`docs/design/0039-mining.md`).
    pub fn confidence(self) -> f64 {
        match self {
            Self::Decision => 0.95,
            Self::Rule | Self::Deadline => 0.93,
            Self::Preference | Self::Goal => 0.92,
            Self::Requirement | Self::Habit => 0.91,
        }
    }

    /// The name in tags and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Rule => "rule",
            Self::Habit => "habit",
            Self::Requirement => "requirement",
            Self::Preference => "preference",
            Self::Goal => "goal",
            Self::Deadline => "deadline",
        }
    }
}

/// A sentence that states something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinedStatement {
    /// What it states.
    pub kind: StatementKind,
    /// The sentence.
    pub text: String,
}

/// Whose words a record holds, which decides what may be mined from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    /// The owner's: "I" is the owner, and instructions are the owner's.
    Owner,
    /// Those of a person, or of people: what they say of themselves as a group counts.
    People,
    /// A message about a change, where "always" and "must" describe the change.
    Change,
}

/// The statements of a record, in order, each text once: "So we decided to fire the kiln on Friday"
/// is one, and "If we decided to fire the kiln, would you come?" has none.
pub fn mine(record: &Record) -> Vec<MinedStatement> {
    let Some(evidence) = record.evidence() else { return Vec::new() };
    let nobody = Owner::default();
    let own = own_words(record, &nobody);
    let Some(voice) = voice(record, own) else { return Vec::new() };
    if own.is_some_and(|own| own.is_request()) {
        return Vec::new();
    }
    // Only a message to an assistant has a text of somebody else below its own words.
    let text = evidence.payload.text.as_str();
    let is_to_agent = own.is_some_and(|own| own.is_to_agent);
    let mut mined = mined_from(if is_to_agent { before_pasted(text) } else { text }, voice);
    mined.retain(|statement| owner(record, &statement.text).is_none());
    mined
}

fn mined_from(text: &str, voice: Voice) -> Vec<MinedStatement> {
    let mut mined: Vec<MinedStatement> = Vec::new();
    let parts = sentences_of(text);
    let is_taken_back = |at: usize| parts.get(at + 1).is_some_and(|next| is_retraction(next));
    for (at, part) in parts.iter().enumerate() {
        if is_taken_back(at) || is_retraction(part) {
            continue;
        }
        if mined.len() >= STATEMENTS_MAX {
            break;
        }
        if part.len() > SENTENCE_BYTES_MAX {
            continue;
        }
        let Some(sentence) = sentence(part) else { continue };
        let Some(found) = stated(&sentence, part, voice) else { continue };
        let text = words_of(part, &sentence, found);
        if !mined.iter().any(|known| known.text == text) {
            mined.push(MinedStatement { kind: found.kind, text });
        }
    }
    mined
}

/// The words of a statement as they were written, with a capital.
fn words_of(part: &str, sentence: &Sentence<'_>, found: Stated) -> String {
    // The words are slices of the part.
    let place = |word: &Word<'_>| (word.text.as_ptr() as usize).checked_sub(part.as_ptr() as usize);
    let from = sentence.words.get(found.from).and_then(place).unwrap_or(0);
    let to = sentence.words.get(found.to).and_then(place).unwrap_or(part.len());
    let is_cut = to < part.len();
    let mut text = part.get(from..to).unwrap_or(part).trim();
    if is_cut {
        text = text.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    }
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| std::iter::once(capital(first)).chain(letters).collect())
        .unwrap_or_default()
}

/// The capital of a letter, or the letter where its capital is written with several (ß) or is that
/// of another one (ſ): the words could not be found in the record again.
fn capital(letter: char) -> char {
    let mut upper = letter.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(capital), None) if capital.to_lowercase().eq([letter]) => capital,
        _ => letter,
    }
}

/// The built-in deriver that concludes something from one sentence of a record, if one does. The
/// other derivers read titles, times and places, and no sentences.
pub fn owner(record: &Record, sentence: &str) -> Option<&'static str> {
    let nobody = Owner::default();
    let words = own_words(record, &nobody)?;
    let words = OwnWords { text: sentence, ..words };
    if preferences::concludes_from(words) {
        return Some("preferences");
    }
    relationships::concludes_from(words).then_some("relationships")
}

/// The sentences of a record from which a deriver concludes something.
pub fn owned_sentences(record: &Record) -> Vec<String> {
    let Some(evidence) = record.evidence() else { return Vec::new() };
    let mut sentences = sentences_of(&evidence.payload.text);
    sentences.retain(|sentence| owner(record, sentence).is_some());
    sentences
}

/// Whose words a record holds; none if a program wrote them, or if its text is not prose.
fn voice(record: &Record, own: Option<OwnWords<'_>>) -> Option<Voice> {
    let evidence = record.evidence()?;
    match evidence.payload.role.as_deref() {
        Some("user") | None => {}
        Some(_) => return None,
    }
    let is_program = |actor: &str| names::person(actor).is_none() && lexicon::is_program(actor);
    if evidence.actor.as_deref().is_some_and(is_program) {
        return None;
    }
    match evidence.kind.0.as_str() {
        EvidenceKind::COMMIT => Some(Voice::Change),
        EvidenceKind::TURN | EvidenceKind::NOTE | EvidenceKind::MAIL | "user_input" => {
            Some(own.map_or(Voice::People, |_| Voice::Owner))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
