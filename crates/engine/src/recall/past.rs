//! Beliefs whose time is over: when a question asks for them, and how they are worded.
//!
//! A belief is over from its end on ([`kernel::body::end_us`]): the end that a record holds, or the
//! grace after the last record. It is still true of its time, so a question about the past may find
//! it, worded as past. Only the end counts: what begins in the future is not over.

use jiff::civil::Date;
use retrieval::question::Question;
use retrieval::question::dates::DateMention;

use crate::belief::Belief;
use crate::belief::claims::{begins_us, is_over};

/// What a search does with beliefs whose time is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// It finds them: a person sees that they are over.
    #[default]
    Include,
    /// It finds them only for a question about the past.
    OnlyIfPast,
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

/// Whether a question is about the past: it is in the past tense, or all times that it names are
/// over.
pub(crate) fn asks_of_past(question: &Question, text: &str, today: Option<Date>) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    if words.any(|word| PAST_WORDS.contains(&word.to_lowercase().as_str())) {
        return true;
    }
    let is_over = |mention: &DateMention| match mention {
        DateMention::Window { last, .. } => today.is_some_and(|today| *last < today),
        DateMention::EveryYear { .. } => false,
    };
    !question.dates.is_empty() && question.dates.iter().all(is_over)
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
