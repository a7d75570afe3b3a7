//! What is not true at the time of a question: when it is found, and how it is worded.
//!
//! A belief is over from its end on ([`kernel::body::end_us`]): the end that a record holds, or the
//! grace after the last record. It is still true of its time, so a question about the past may find
//! it, worded as past. What is derived and begins in the future is not over: it is a plan, and is
//! found with a mark. What somebody stated, as a claim in words or a node, is found while it is
//! true, like in lists ([`StatedTimes`]).

use jiff::civil::Date;
use kernel::when::When;
use retrieval::question::Question;
use retrieval::question::dates::DateMention;
use retrieval::text::Language;

use crate::belief::Belief;
use crate::belief::claims::{DAY_US, FIRST_ZONE_US, begins_us, is_over};
use crate::graph::RecordView;

/// How far the last zone is behind UTC, microseconds.
const LAST_ZONE_US: i64 = 12 * 3_600 * 1_000_000;

/// What a search does with beliefs whose time is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// It finds them, and what somebody stated of any time.
    #[default]
    Include,
    /// It finds those that are derived: a person sees that they are over.
    IncludeDerived,
    /// It finds them only for a question about the past.
    OnlyIfPast,
}

/// When a statement must be true in the world to be found: at a time, or in a time that the
/// question names. A question about the past also finds what is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatedTimes {
    at_us: i64,
    with_over: bool,
    /// From the first (inclusive) to the second (exclusive), microseconds since the Unix epoch.
    windows: Vec<(i64, i64)>,
}

impl StatedTimes {
    /// True at a time, microseconds since the Unix epoch.
    pub(crate) fn at(at_us: i64) -> Self {
        Self { at_us, with_over: false, windows: Vec::new() }
    }

    /// What a question asks for at a time, microseconds since the Unix epoch.
    pub(crate) fn asked(question: &Question, text: &str, today: Option<Date>, at_us: i64) -> Self {
        let with_over = asks_of_past(question, text, today);
        // "Today" asks what is true now, and not what is true until tonight.
        let named = question.dates.iter().filter(|mention| !is_today(mention, today));
        let windows = named.flat_map(|mention| windows(mention, today)).collect();
        Self { at_us, with_over, windows }
    }

    /// Whether a statement that is true from `begins_us` (inclusive) to `ends_us` (exclusive) is
    /// found.
    pub(crate) fn admit(&self, begins_us: Option<i64>, ends_us: Option<i64>) -> bool {
        let is_over = ends_us.is_some_and(|ends| ends <= self.at_us);
        let has_begun = begins_us.is_none_or(|begins| begins <= self.at_us);
        has_begun && !is_over || is_over && self.with_over || self.is_in_named(begins_us, ends_us)
    }

    /// Whether something begins or ends and holds in a time that the question names.
    pub(crate) fn is_bounded_in_named(&self, begins_us: Option<i64>, ends_us: Option<i64>) -> bool {
        (begins_us.is_some() || ends_us.is_some()) && self.is_in_named(begins_us, ends_us)
    }

    /// Whether an interval overlaps a time that the question names.
    fn is_in_named(&self, begins_us: Option<i64>, ends_us: Option<i64>) -> bool {
        self.windows.iter().any(|(first, end)| {
            begins_us.is_none_or(|begins| begins < *end) && ends_us.is_none_or(|ends| ends > *first)
        })
    }

    /// The same of a record as it is shown.
    pub(crate) fn admit_record(&self, record: &RecordView) -> bool {
        let instant = |when: &Option<When>| when.as_ref().map(When::instant_us);
        self.admit(instant(&record.valid_from), instant(&record.valid_to))
    }
}

/// Whether a date is this very day.
pub(super) fn is_today(mention: &DateMention, today: Option<Date>) -> bool {
    match mention {
        DateMention::Window { first, last, .. } => first == last && Some(*first) == today,
        DateMention::EveryYear { .. } => false,
    }
}

/// A time that a question names, in every zone. Of one without a year, that of this year, of the
/// one before and the one after.
fn windows(mention: &DateMention, today: Option<Date>) -> Vec<(i64, i64)> {
    let year = |years: i16| Date::new(today?.year().checked_add(years)?, 1, 1).ok();
    let near: Vec<Date> = match mention {
        DateMention::Window { first, .. } => vec![*first],
        DateMention::EveryYear { .. } => [-1, 0, 1].into_iter().filter_map(year).collect(),
    };
    let days = near.into_iter().filter_map(|near| mention.window(near));
    days.map(|(first, last)| {
        let begins = When::from_date(first).instant_us().saturating_sub(FIRST_ZONE_US);
        let ends = When::from_date(last).instant_us().saturating_add(DAY_US + LAST_ZONE_US);
        (begins, ends)
    })
    .collect()
}

/// Words by which a question asks for the past. "last" and the like are read as dates.
const PAST_WORDS: [&str; 46] = [
    // English
    "ago",
    "did",
    "didn't",
    "earlier",
    "former",
    "formerly",
    "had",
    "once",
    "past",
    "previous",
    "previously",
    "used",
    "was",
    "wasn't",
    "went",
    "were",
    "weren't",
    "yesterday",
    // German
    "damals",
    "früher",
    "gestern",
    "hatte",
    "hatten",
    "hattest",
    "vorher",
    "war",
    "waren",
    "warst",
    "wurde",
    "ging",
    // French, Spanish, Portuguese, Italian, Dutch
    "était",
    "étais",
    "avant",
    "hier",
    "fue",
    "era",
    "estaba",
    "antes",
    "ayer",
    "foi",
    "ontem",
    "fui",
    "ieri",
    "prima",
    "vroeger",
    "gisteren",
];

/// Those of the words that mean something else in another language: "was" is "what" and "hier" is
/// "here" in German, "war" and "era" are nouns in English.
const ELSEWHERE: [(Language, &[&str]); 2] = [
    (Language::English, &["war", "era", "hier", "prima"]),
    (Language::German, &["was", "hier", "prima", "era"]),
];

/// Whether a question is about the past: it is in the past tense, or all times that it names are
/// over. In a question whose language nobody can tell, every word counts.
pub(crate) fn asks_of_past(question: &Question, text: &str, today: Option<Date>) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    let is_elsewhere = |word: &str| {
        let own = |(language, words): &(Language, &[&str])| {
            *language == question.languages.own && words.contains(&word)
        };
        !question.is_perhaps_foreign && ELSEWHERE.iter().any(own)
    };
    let is_past = |word: &str| PAST_WORDS.contains(&word) && !is_elsewhere(word);
    if words.any(|word| is_past(&word.to_lowercase())) {
        return true;
    }
    let is_over = |mention: &DateMention| match mention {
        DateMention::Window { last, .. } => today.is_some_and(|today| *last < today),
        DateMention::EveryYear { .. } => false,
    };
    !question.dates.is_empty() && question.dates.iter().all(is_over)
}

/// Words by which a question asks for what was so before it changed.
#[rustfmt::skip]
const FORMER_WORDS: [&str; 14] = [
    "former", "formerly", "initial", "initially", "original", "originally", "previous", "previously",
    "damals", "früher", "ursprünglich", "vorher", "originalmente", "原来",
];
/// The same, of two words.
const FORMER_PHRASES: [&str; 4] = ["used to", "at first", "first planned", "à l'origine"];

/// Whether a question is for what was so before it changed: "When was the launch originally
/// planned?"
pub fn asks_for_former(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // "How old is Emil?" asks for no former one, nor does "seven years old".
    let is_old = |pair: &[&str]| {
        pair[1] == "old" && matches!(pair[0], "her" | "his" | "my" | "our" | "s" | "the" | "their")
    };
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    // "What did I use to clean the grill?" asks for a tool.
    let is_use_to = |words: &[&str]| {
        words[..2] == ["use", "to"]
            && matches!(words[2], "be" | "go" | "have" | "live" | "own" | "play" | "work")
    };
    words.iter().any(|word| FORMER_WORDS.contains(word))
        || words.windows(2).any(is_old)
        || words.last() == Some(&"before") && !has(&["have", "has", "ever"])
        || has(&["did", "didn't"]) && words.windows(3).any(is_use_to)
        || FORMER_PHRASES.iter().any(|phrase| lower.contains(phrase))
        || lower.contains("原来")
}

/// A belief in words that tell whether its time is over or yet to come, so nobody takes it as
/// current at `at_us`.
pub fn in_time(belief: &Belief, text: &str, at_us: i64) -> String {
    if !is_over(belief, at_us) {
        let is_to_come = begins_us(belief).is_some_and(|begins| begins > at_us);
        let begins = belief.valid_from.as_ref().filter(|_| is_to_come);
        return match begins {
            Some(from) => format!("Only from {} on: {text}", from.date()),
            None => text.to_owned(),
        };
    }
    match (&belief.valid_to, &belief.last_seen) {
        (Some(to), _) => format!("In the past, until {}: {text}", to.date()),
        (None, Some(last)) => format!("In the past, last seen {}: {text}", last.at.date()),
        (None, None) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrieval::question::names::Names;
    use retrieval::text::{Analyzer, Language, Languages};

    #[test]
    fn a_statement_is_found_while_it_is_true_or_if_the_question_names_a_time_of_it() {
        let today = Date::constant(2026, 3, 1);
        let us = |text: &str| When::parse(text).unwrap().instant_us();
        let asked = |text: &str| {
            let question = Question::parse(
                text,
                &mut Analyzer::new(Language::English),
                &Names::default(),
                Languages::NONE,
                Some(today),
            );
            StatedTimes::asked(&question, text, Some(today), us("2026-03-01T12:00Z"))
        };
        let check = |text: &str, found: [bool; 3]| {
            let times = asked(text);
            let (before, after) = (us("2025-02-10"), us("2026-06-01"));
            assert_eq!(
                [
                    times.admit(None, Some(before)),
                    times.admit(Some(before), Some(after)),
                    times.admit(Some(after), None)
                ],
                found,
                "{text}"
            );
        };
        check("Where is the office?", [false, true, false]);
        check("Where was the office?", [true, true, false]);
        check("Where is the office in 2027?", [false, true, true]);
        check("Where is the office in July?", [false, true, true]);
        check("Where is the office today?", [false, true, false]);
        check("Where is the office in January?", [true, true, true]);
        check("Where is the office in April 2026?", [false, true, false]);
        assert!(!asked("Where is the office today?").admit(Some(us("2026-03-02")), None));
        assert!(!StatedTimes::at(us("2024-01-01")).admit(Some(us("2025-01-01")), None));
    }

    #[test]
    fn what_was_before_a_change_is_asked_for_in_words() {
        for text in
            ["Where did I live before?", "Where did Ana use to work?", "What was my old number?"]
        {
            assert!(asks_for_former(text), "{text}");
        }
        for text in [
            "What did I do before Christmas?",
            "What do I use to clean the grill?",
            "What did I use to clean the grill?",
            "Have I met Nora before?",
            "How old is Emil?",
        ] {
            assert!(!asks_for_former(text), "{text}");
        }
    }

    #[test]
    fn a_question_asks_of_the_past_by_its_tense_or_its_dates() {
        let today = Date::constant(2026, 3, 1);
        let check = |text: &str, asks: bool| {
            let question = Question::parse(
                text,
                &mut Analyzer::new(Language::English),
                &Names::default(),
                Languages::NONE,
                Some(today),
            );
            assert_eq!(asks_of_past(&question, text, Some(today)), asks, "{text}");
        };
        check("Which class did I take on Tuesdays?", true);
        check("Which class do I take on Tuesdays?", false);
        check("Welchen Kurs hatte ich dienstags?", true);
        check("classes in February 2025", true);
        check("classes in May 2026", false);
        check("classes in February 2025 and in May 2026", false);
        check("pottery class", false);
    }
}
