//! What ends a relation without saying so: "my dentist Dr. Wu retired", "I fired my lawyer Ms.
//! Dunn", "my roommate Theo moved out".
//!
//! The words around the name are read, of kinds that end so: a brother who retires is a brother.

use super::kinds;
use super::successors::DOUBTS;
use crate::statements::{Break, Sentence};

/// Kinds of people who work with the owner or for them.
#[rustfmt::skip]
const AT_WORK: [&str; 14] = [
    "accountant", "boss", "coach", "colleague", "dentist", "doctor", "hairdresser", "landlord", "lawyer", "mentor",
    "student", "teacher", "therapist", "vet",
];
/// Kinds of people who live where the owner lives.
const AT_HOME: [&str; 2] = ["neighbour", "roommate"];
/// Words between a name and the verb.
#[rustfmt::skip]
const BETWEEN: [&str; 11] = [
    "actually", "already", "finally", "had", "has", "have", "just", "now", "recently", "sadly", "who",
];
/// What somebody leaves who works with the owner no more.
#[rustfmt::skip]
const LEFT: [&str; 13] = [
    "agency", "bank", "business", "clinic", "club", "company", "firm", "gym", "organisation", "organization", "practice",
    "school", "team",
];
/// What a landlord sells.
const LET: [&str; 5] = ["apartment", "building", "flat", "house", "place"];

/// Whether the words after a name, the first at `end`, say that the relation is over.
pub(super) fn is_over_after(sentence: &Sentence<'_>, kind: &str, end: usize) -> bool {
    if sentence.is_question || sentence.has_any(&DOUBTS) {
        return false;
    }
    let between = (end..).take_while(|at| BETWEEN.contains(&sentence.lower(*at))).count();
    let verb = end + between;
    let next = |after: usize| sentence.lower(verb + after);
    let noun = || match next(1) {
        "her" | "his" | "my" | "our" | "the" | "their" => next(2),
        _ => "",
    };
    let is_last = sentence.after(verb) != Break::None;
    let (is_at_work, is_at_home) = (AT_WORK.contains(&kind), AT_HOME.contains(&kind));
    match sentence.lower(verb) {
        "retired" | "resigned" => is_at_work && next(1) != "from",
        "quit" => is_at_work && (is_last || matches!(noun(), "job" | "company" | "firm")),
        "left" if kinds::COUPLES.contains(&kind) => next(1) == "me",
        "left" => {
            is_at_work && (is_last || next(1) == "us" || LEFT.contains(&noun()))
                || kind == "colleague" && next(1) == "for"
        }
        "moved" => {
            let is_away = matches!(next(1), "away" | "abroad")
                || next(1) == "to" && next(2) == "another" && next(3) != "room";
            is_at_home && (next(1) == "out" || is_away) || is_at_work && is_away
        }
        "closed" => is_at_work && matches!(noun(), "practice" | "salon" | "shop" | "studio"),
        "sold" => kind == "landlord" && LET.contains(&noun()),
        "no" => is_at_work && next(1) == "longer" && matches!(next(2), "practises" | "works"),
        _ => false,
    }
}

/// Whether the words before the "my" at `my` say so: "I fired", "we no longer work with".
pub(super) fn is_over_before(sentence: &Sentence<'_>, kind: &str, my: usize) -> bool {
    let before = |back: usize| my.checked_sub(back).map_or("", |at| sentence.lower(at));
    let is_owner = |at: usize| matches!(sentence.lower(at), "i" | "i've" | "we" | "we've");
    let denies = |at: usize| {
        let word = sentence.lower(at);
        word.ends_with("n't") || matches!(word, "not" | "nearly" | "almost")
    };
    if sentence.is_question
        || sentence.has_any(&DOUBTS)
        || !(0..my).any(is_owner)
        || (0..my).any(denies)
    {
        return false;
    }
    let is_at_work = AT_WORK.contains(&kind);
    let has_stopped = |back: usize| matches!(before(back), "longer" | "stopped" | "quit");
    match before(1) {
        "fired" | "dismissed" | "replaced" => is_at_work,
        "dumped" | "divorced" => kinds::COUPLES.contains(&kind),
        "seeing" | "see" | "using" => is_at_work && has_stopped(2),
        "with" => match before(2) {
            "ways" => before(3) == "parted",
            "work" | "working" | "train" | "training" => is_at_work && has_stopped(3),
            "live" | "living" => AT_HOME.contains(&kind) && has_stopped(3),
            _ => false,
        },
        _ => false,
    }
}
