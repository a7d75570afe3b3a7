//! What a sentence states, by the cue that begins one of its clauses.

use std::ops::Range;

use super::lexicon::{
    ALWAYS, DATE_WORDS, DECISION_ADVERBS, DECISION_LABELS, DECISIONS, DOUBTFUL_CLAUSES, DOUBTS,
    EMPTY, FOREIGN_DECISIONS, FOREIGN_DOUBTS, FOREIGN_OWN_DECISIONS, GOALS, GROUPS, IMPERATIVES,
    IMPERSONAL_DECISIONS, LIMIT_WORDS_MAX, LIMITS, NOT_INSTRUCTED, NOT_REQUIRED, OPENINGS,
    OWN_GOALS, OWN_PREFERENCES, PHRASE_DOUBTS, PHRASE_OPENINGS, PHRASE_WORDS_MAX, POINTING,
    PREFERENCES, REPORTS, REQUESTS, RULE_OPENINGS, RULE_SUBJECTS, SUBORDINATE, TAIL_DOUBTS, TRIES,
    VAGUE_RULES,
};
use super::{StatementKind, Voice};
use crate::statements::{Break, Sentence};

/// Fewest words of a statement.
const WORDS_MIN: usize = 4;
/// The same after a label such as "Decision:", which counts.
const LABELLED_WORDS_MIN: usize = 3;
/// Fewest words after a cue that say something.
const CONTENT_MIN: usize = 2;
/// The same if one of them points at something that the sentence does not name.
const CONTENT_WITH_POINTER_MIN: usize = 5;
/// So many words before "it" name what it is.
const CONTENT_BEFORE_IT_MIN: usize = 3;
/// Most openings before a cue.
const OPENINGS_MAX: usize = 4;
/// Most adverbs between a subject and its verb.
const ADVERBS_MAX: usize = 3;
/// Most words of the subject of a requirement or a deadline.
const SUBJECT_WORDS_MAX: usize = 10;
/// How far from "due" on a date is looked for, words: "due on the first of the month".
const DATE_WORDS_MAX: usize = 7;

/// A statement in a sentence: what it is, and which words say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) kind: StatementKind,
    /// The first word.
    pub(super) from: usize,
    /// The word after the last one.
    pub(super) to: usize,
}

/// What a sentence states; none if it states nothing outright. `text` is the sentence as written.
pub(super) fn stated(sentence: &Sentence<'_>, text: &str, voice: Voice) -> Option<Stated> {
    let is_labelled = sentence.after(0) == Break::Colon;
    let words_min = if is_labelled { LABELLED_WORDS_MIN } else { WORDS_MIN };
    if sentence.is_question || sentence.words.len() < words_min || sentence.has_any(&DOUBTS) {
        return None;
    }
    let lower = text.to_lowercase().replace('’', "'");
    let end = lower.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    // What ends with a colon states what follows it.
    if text.trim_end().ends_with(':')
        || TAIL_DOUBTS.iter().any(|tail| end.ends_with(tail))
        || REQUESTS.iter().any(|request| lower.contains(request))
    {
        return None;
    }
    let reader = Reader { sentence, text, voice };
    let start = reader.after_openings(0)?;
    let whole = |kind| (kind, reader.after_words(0));
    let (kind, from) = reader
        .labelled()
        .map(whole)
        .or_else(|| reader.stated_at(start).map(whole))
        .or_else(|| reader.later_decision(start))?;
    Some(Stated { kind, from, to: reader.end_after(from) })
}

struct Reader<'s, 't> {
    sentence: &'s Sentence<'t>,
    text: &'s str,
    voice: Voice,
}

impl Reader<'_, '_> {
    fn lower(&self, at: usize) -> &str {
        self.sentence.lower(at)
    }

    fn len(&self) -> usize {
        self.sentence.words.len()
    }

    fn is_owner(&self) -> bool {
        self.voice == Voice::Owner
    }

    /// The place after `words`, if they stand at `at` without a separator between them.
    fn after(&self, at: usize, words: &[&str]) -> Option<usize> {
        let matches = words.iter().enumerate().all(|(offset, word)| {
            self.lower(at + offset) == *word
                && (offset == 0
                    || self
                        .sentence
                        .words
                        .get(at + offset)
                        .is_some_and(|word| word.before == Break::None))
        });
        matches.then_some(at + words.len())
    }

    fn after_any(&self, at: usize, choices: &[&[&str]]) -> Option<usize> {
        choices.iter().filter_map(|words| self.after(at, words)).max()
    }

    /// Whether enough is said from `at` on: more if something is only pointed at.
    fn has_content(&self, at: usize) -> bool {
        let is_pointer = |place: usize| match self.lower(place) {
            "it" => self.content(at..place) < CONTENT_BEFORE_IT_MIN,
            "them" | "these" | "those" | "both" => true,
            "that" | "this" => self.sentence.after(place) != Break::None,
            _ => false,
        };
        let min = match (at..self.len()).any(is_pointer) {
            true => CONTENT_WITH_POINTER_MIN,
            false => CONTENT_MIN,
        };
        self.content(at..self.len()) >= min
    }

    /// How many words of a part say something.
    fn content(&self, part: Range<usize>) -> usize {
        part.filter(|place| !EMPTY.contains(&self.lower(*place))).count()
    }

    /// The place after the openings that may stand at `at`; none if one of them is a condition.
    fn after_openings(&self, mut at: usize) -> Option<usize> {
        for _ in 0..OPENINGS_MAX {
            if let Some(next) = self.after_phrase(at)? {
                at = next;
            } else if OPENINGS.contains(&self.lower(at)) {
                at += 1;
            } else {
                break;
            }
        }
        Some(at)
    }

    /// The place after single words such as "so" and "okay".
    fn after_words(&self, at: usize) -> usize {
        let openings = (at..self.len()).take(OPENINGS_MAX);
        at + openings.take_while(|place| OPENINGS.contains(&self.lower(*place))).count()
    }

    /// Where a later clause asks or doubts, or the end.
    fn end_after(&self, from: usize) -> usize {
        let asks = |place: &usize| {
            let joined = matches!(self.lower(*place), "and" | "but" | "so");
            let is_clause = self.sentence.words.get(*place).is_some_and(|word| {
                matches!(word.before, Break::Comma | Break::Dash | Break::Open)
            });
            is_clause && self.after_any(*place + usize::from(joined), &DOUBTFUL_CLAUSES).is_some()
        };
        (from + 1..self.len()).find(asks).unwrap_or(self.len())
    }

    /// The place after a phrase such as "at the meeting,"; none if it is a condition.
    fn after_phrase(&self, at: usize) -> Option<Option<usize>> {
        if PHRASE_DOUBTS.contains(&self.lower(at)) {
            return None;
        }
        if !PHRASE_OPENINGS.contains(&self.lower(at)) {
            return Some(None);
        }
        let words = self.sentence.words.iter().enumerate();
        let comma = words
            .skip(at + 1)
            .take(PHRASE_WORDS_MAX)
            .find(|(_, word)| word.before == Break::Comma)
            .map(|(place, _)| place);
        let Some(comma) = comma else { return Some(None) };
        match (at..comma).any(|place| PHRASE_DOUBTS.contains(&self.lower(place))) {
            true => None,
            false => Some(Some(comma)),
        }
    }

    /// "Decision: …", "Rule: …", "Goal: …".
    fn labelled(&self) -> Option<StatementKind> {
        if self.sentence.after(0) != Break::Colon || !self.has_content(1) {
            return None;
        }
        match self.lower(0) {
            "rule" => Some(StatementKind::Rule),
            "goal" => Some(StatementKind::Goal),
            "deadline" => self.has_date(1).then_some(StatementKind::Deadline),
            label => DECISION_LABELS.contains(&label).then_some(StatementKind::Decision),
        }
    }

    fn stated_at(&self, at: usize) -> Option<StatementKind> {
        if self.is_decision(at) {
            return Some(StatementKind::Decision);
        }
        if self.voice == Voice::Change || self.names_issue() {
            return None;
        }
        let says = |choices: &[&[&str]]| {
            self.after_any(at, choices).is_some_and(|next| self.has_content(next))
        };
        if says(&GOALS) || (self.is_owner() && says(&OWN_GOALS)) {
            return Some(StatementKind::Goal);
        }
        if says(&PREFERENCES) || (self.is_owner() && says(&OWN_PREFERENCES)) {
            return Some(StatementKind::Preference);
        }
        if self.is_rule(at) {
            return Some(StatementKind::Rule);
        }
        if self.is_habit(at) {
            return Some(StatementKind::Habit);
        }
        if self.is_deadline(at) {
            return Some(StatementKind::Deadline);
        }
        self.is_requirement(at).then_some(StatementKind::Requirement)
    }

    /// Whether the sentence ends with the number of an issue, as lines about changes do.
    fn names_issue(&self) -> bool {
        self.text
            .trim_end_matches(|letter: char| !letter.is_ascii_digit())
            .rsplit_once('#')
            .is_some_and(|(_, number)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            })
    }

    /// A decision in a later clause: "I talked to Ana and we decided to …".
    fn later_decision(&self, start: usize) -> Option<(StatementKind, usize)> {
        if self.voice == Voice::Change {
            return None;
        }
        for at in start + 1..self.len() {
            if REPORTS.contains(&self.lower(at - 1)) || PHRASE_DOUBTS.contains(&self.lower(at - 1))
            {
                return None;
            }
            let word = self.sentence.words.get(at)?;
            let joins = matches!(self.lower(at - 1), "and" | "so" | "but")
                || matches!(word.before, Break::Dash | Break::Comma);
            // What "it" is stands in the clause that would be cut off.
            if joins && self.lower(at) != "it" && self.is_decision(at) {
                return Some((StatementKind::Decision, at));
            }
        }
        None
    }

    fn is_decision(&self, at: usize) -> bool {
        let own: &[&[&str]] = if self.is_owner() { &[&["i"], &["i've"]] } else { &[] };
        if let Some(verb) = self.after_any(at, &GROUPS).or_else(|| self.after_any(at, own)) {
            let adverbs = (verb..self.len())
                .take(ADVERBS_MAX)
                .take_while(|place| DECISION_ADVERBS.contains(&self.lower(*place)))
                .count();
            let verb = verb + adverbs;
            return DECISIONS.iter().any(|(word, follow)| {
                self.lower(verb) == *word
                    && (follow.is_empty() || follow.contains(&self.lower(verb + 1)))
                    && !(self.lower(verb + 1) == "to" && TRIES.contains(&self.lower(verb + 2)))
                    && self.has_content(verb + 1)
            });
        }
        if self.after_any(at, &IMPERSONAL_DECISIONS).is_some_and(|next| self.has_content(next)) {
            return true;
        }
        let is_foreign = |(opening, follow): &(&[&str], &[&str])| {
            self.after(at, opening).is_some_and(|next| {
                (follow.is_empty() || self.sentence.has_any(follow)) && self.has_content(next)
            })
        };
        let foreign = FOREIGN_DECISIONS.iter().any(is_foreign)
            || (self.is_owner() && FOREIGN_OWN_DECISIONS.iter().any(is_foreign));
        foreign && !self.sentence.has_any(&FOREIGN_DOUBTS)
    }

    fn is_rule(&self, at: usize) -> bool {
        if let Some(next) = self.after_any(at, &RULE_OPENINGS) {
            let is_vague = VAGUE_RULES.iter().any(|words| self.after(at, words) == Some(next));
            let is_ours =
                (self.is_owner() && !is_vague) || RULE_SUBJECTS.contains(&self.lower(next));
            return is_ours && self.has_content(next);
        }
        if !self.is_owner() {
            return false;
        }
        let told: [&[&str]; 2] = [&["you", "should"], &["you", "must"]];
        let told = self.after_any(at, &told);
        let words: &[&str] = if told.is_some() { &ALWAYS } else { &IMPERATIVES };
        self.is_conduct(told.unwrap_or(at), words)
    }

    /// "We always wedge the clay twice".
    fn is_habit(&self, at: usize) -> bool {
        let subjects: [&[&str]; 2] = [&["we"], &["i"]];
        // "But I always …" complains.
        let is_contrast = at.checked_sub(1).is_some_and(|before| self.lower(before) == "but");
        self.is_owner()
            && !is_contrast
            && self.after_any(at, &subjects).is_some_and(|next| self.is_conduct(next, &ALWAYS))
    }

    /// One of `words` and a verb after it.
    fn is_conduct(&self, at: usize, words: &[&str]) -> bool {
        let next = self.lower(at + 1);
        words.contains(&self.lower(at))
            && !NOT_INSTRUCTED.contains(&next)
            && !next.ends_with("ed")
            && !next.ends_with("ing")
            && (!next.ends_with('s') || next.ends_with("ss"))
            && self.sentence.words.get(at + 1).is_some_and(|word| word.before == Break::None)
            && self.has_content(at + 1)
    }

    /// "Every plank must be sanded".
    fn is_requirement(&self, at: usize) -> bool {
        if !self.is_owner() {
            return false;
        }
        let ends = at.saturating_add(SUBJECT_WORDS_MAX).min(self.len());
        let Some(must) = (at + 1..ends).find(|place| self.lower(*place) == "must") else {
            return false;
        };
        let is_pointing = POINTING.contains(&self.lower(must - 1))
            || (at..must).any(|place| SUBORDINATE.contains(&self.lower(place)))
            || PHRASE_DOUBTS.contains(&self.lower(at))
            || POINTING.contains(&self.lower(at)) && !matches!(self.lower(at), "the" | "a");
        let verb = if self.lower(must + 1) == "not" { must + 2 } else { must + 1 };
        let is_plain = self
            .sentence
            .words
            .get(at + 1..=must)
            .is_some_and(|words| words.iter().all(|word| matches!(word.before, Break::None)));
        let demands = match self.lower(verb) {
            "be" => is_participle(self.lower(verb + 1)) || self.is_limit(verb + 1),
            word => !NOT_REQUIRED.contains(&word) && !word.is_empty(),
        };
        // "All tests must pass" has its content on both sides.
        let last = self.len() - 1;
        let says = self.has_content(verb)
            || self.content(at..must) > 0
                && self.content(verb..last) == 0
                && self.content(last..self.len()) == 1;
        is_plain && !is_pointing && demands && says
    }

    /// "Below 200 degrees", "at most three".
    fn is_limit(&self, at: usize) -> bool {
        self.after_any(at, &LIMITS).is_some_and(|next| {
            (next..self.len())
                .take(LIMIT_WORDS_MAX)
                .any(|place| self.lower(place).starts_with(|c: char| c.is_ascii_digit()))
        })
    }

    /// "The report is due on Friday", "the deadline is 3 May".
    fn is_deadline(&self, at: usize) -> bool {
        let ends = at.saturating_add(SUBJECT_WORDS_MAX).min(self.len());
        if POINTING.contains(&self.lower(at)) && !matches!(self.lower(at), "the" | "a") {
            return false;
        }
        (at + 1..ends).any(|place| {
            let is = matches!(self.lower(place), "is" | "are");
            let due = is && self.lower(place + 1) == "due" && self.lower(place + 2) != "to";
            let deadline = is
                && (at..place).any(|place| self.lower(place) == "deadline")
                && self.has_date(place + 1);
            let foreign = self.lower(place) == "ist" && self.sentence.has_any(&["fällig"]);
            (due || foreign) && self.has_date(place + 1) || deadline
        })
    }

    /// Whether a date is named in the few words from `at` on.
    fn has_date(&self, at: usize) -> bool {
        (at..self.len()).take(DATE_WORDS_MAX).any(|place| {
            let word = self.lower(place);
            DATE_WORDS.contains(&word) || word.starts_with(|letter: char| letter.is_ascii_digit())
        })
    }
}

/// Whether a word after "be" is what has to be done, and not how something seems.
fn is_participle(word: &str) -> bool {
    #[rustfmt::skip]
    const IRREGULAR: [&str; 22] = [
        "kept", "sent", "made", "done", "held", "built", "set", "run", "read", "paid", "left", "put", "shut", "cut", "met",
        "taught", "brought", "bought", "told", "found", "sold", "stored",
    ];
    #[rustfmt::skip]
    const STATES: [&str; 10] = [
        "tired", "excited", "worried", "concerned", "pleased", "thrilled", "annoyed", "confused", "mistaken", "bored",
    ];
    IRREGULAR.contains(&word)
        || ((word.ends_with("ed") || word.ends_with("en")) && !STATES.contains(&word))
}
