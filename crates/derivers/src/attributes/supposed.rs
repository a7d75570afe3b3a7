//! Sentences that do not tell what is so: conditions, what others believe, plans that are not made
//! yet, and what was made up.
//!
//! "If the audit fails, the launch is moved to July", "Petra claims that the launch was moved",
//! "Option B: the launch is moved" and "I moved to Linz in my novel" say of nothing that it
//! changed.

use crate::statements::{Break, Sentence};

/// Words by which a sentence tells what somebody supposes, wherever they stand.
#[rustfmt::skip]
const SUPPOSING: [&str; 24] = [
    "allegedly", "assumes", "assuming", "believes", "claims", "claimed", "doubt", "doubts", "dream",
    "dreamed", "dreamt", "hypothetically", "maybe", "nobody", "perhaps", "possibly", "rumor",
    "rumors", "rumour", "rumours", "supposedly", "suspect", "suspects", "unless",
];
/// The same at the beginning: "Imagine …", "I guess …". At the end, "I guess" is a way to speak.
const SUPPOSING_AT_FIRST: [&str; 6] =
    ["assume", "believe", "guess", "imagine", "pretend", "suppose"];
/// Words of a beginning in which these count.
const FIRST_WORDS: usize = 2;
/// The same, of two or three words.
#[rustfmt::skip]
const SUPPOSING_PHRASES: [&[&str]; 21] = [
    &["in", "case"], &["as", "long", "as"], &["i", "think"], &["she", "thinks"], &["he", "thinks"],
    &["in", "my", "novel"], &["in", "the", "novel"], &["in", "my", "story"],
    &["in", "the", "story"], &["in", "the", "game"], &["in", "the", "film"],
    &["in", "the", "draft"], &["draft", "plan"], &["not", "true"], &["a", "lie"], &["no", "one"],
    &["provided", "that"], &["april", "fool"], &["april", "fools"], &["april", "fool's"],
    &["april", "fools'"],
];
/// What stands before the colon of something that is not decided.
#[rustfmt::skip]
const UNDECIDED: [&str; 12] = [
    "alternative", "draft", "example", "hypothesis", "idea", "joke", "option", "proposal",
    "proposed", "scenario", "suggestion", "worst",
];
/// Beginnings of conditions.
const CONDITIONS: [&str; 3] = ["once", "when", "whenever"];
/// Verbs of the past by which such a beginning tells what happened.
const HAPPENED: [&str; 7] = ["came", "did", "got", "had", "was", "went", "were"];

/// Whether a sentence does not tell what is so.
pub(super) fn is_supposed(sentence: &Sentence<'_>) -> bool {
    (0..FIRST_WORDS).any(|at| SUPPOSING_AT_FIRST.contains(&sentence.lower(at)))
        || sentence.has_any(&SUPPOSING)
        || SUPPOSING_PHRASES.iter().any(|words| super::has_words(sentence, words))
        || is_conditional(sentence)
        || is_undecided(sentence)
        || is_opinion(sentence)
}

/// `If the audit fails, …`, `Should the audit fail, …`, `When the audit fails, …`, `… if it rains`.
fn is_conditional(sentence: &Sentence<'_>) -> bool {
    // "I moved to Oslo, if you wonder" asks for nothing.
    let is_if = |at: usize| sentence.lower(at) == "if" && sentence.lower(at + 1) != "you";
    if (0..sentence.words.len()).any(is_if) {
        return true;
    }
    let first = sentence.lower(0);
    if first == "should" {
        return true;
    }
    let until = 1
        + (0..sentence.words.len())
            .position(|at| sentence.after(at) == Break::Comma)
            .unwrap_or(sentence.words.len());
    let happened = |at: usize| {
        let word = sentence.lower(at);
        word.ends_with("ed") || HAPPENED.contains(&word)
    };
    CONDITIONS.contains(&first) && !(1..until).any(happened)
}

/// `Proposal: …`, `Option B: …`.
fn is_undecided(sentence: &Sentence<'_>) -> bool {
    let colon = (0..2).find(|at| sentence.after(*at) == Break::Colon);
    colon.is_some() && UNDECIDED.contains(&sentence.lower(0))
}

/// `Petra thinks …`: somebody else's opinion.
fn is_opinion(sentence: &Sentence<'_>) -> bool {
    (1..3).any(|at| sentence.lower(at) == "thinks")
}
