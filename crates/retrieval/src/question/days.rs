//! Questions for whatever is of a day: "What did we talk about on 11 December?", "events on
//! 2026-11-26", "What happened last week?".
//!
//! Beside a time, words for the conversation itself carry no weight, because people hardly say
//! that they talk. A question with no other words of content asks for everything of its times.

use jiff::civil::{Date, Weekday};

use super::calendar::{Unit, shift};
use super::date_parser::TimeExpression;
use super::dates::{DateMention, Precision};
use crate::text::Language;
use crate::text::time_words;

/// Days of a question whose other wordings are looked up.
const DAYS_MAX: usize = 4;
const DAYS_OF_WEEK: i32 = 7;
/// English words beside which "tomorrow" is a later day, or its word in another language, as
/// "morgen", is the morning of today.
const NOT_TOMORROW: &[&str] = &["after", "on", "this", "today"];
/// English words beside which the name of a weekday is not the next day of that name.
const NOT_COMING: &[&str] = &["after", "before", "every", "last", "next", "past", "previous"];

/// Words for the conversation itself, in lower case. Sorted, for binary search.
#[rustfmt::skip]
static CONVERSATION: &[&str] = &[
    "chat", "chats", "chatted", "chatting", "conversation", "conversations", "discuss", "discussed", "discusses",
    "discussing", "discussion", "discussions", "talk", "talked", "talking", "talks", "topic", "topics",
];

/// Words that stand for anything that may be of a day, in lower case. Sorted, for binary search.
#[rustfmt::skip]
static GENERAL: &[&str] = &[
    "agenda", "anything", "appointments", "busy", "calendar", "came", "come", "day", "event", "events", "everything",
    "free", "go", "going", "happen", "happened", "happening", "happens", "mention", "mentioned", "occur", "occurred",
    "plan", "planned", "plans", "said", "say", "saying", "schedule", "scheduled", "session", "sessions", "something", "tell", "thing", "things", "told", "went",
];

/// Whether `word` (lower case) is for the conversation itself.
pub(super) fn is_conversation(word: &str) -> bool {
    CONVERSATION.binary_search(&word).is_ok()
}

/// Whether `word` (lower case) stands for anything that may be of a day.
pub(super) fn is_general(word: &str) -> bool {
    GENERAL.binary_search(&word).is_ok()
}

/// Whether a question asks for a place or a person, and not for whatever happened.
pub(super) fn ask_for_a_part(words: &[String]) -> bool {
    #[rustfmt::skip]
    const ASKING: [&str; 12] = [
        "where", "who", "whom", "whose", "wo", "wohin", "wer", "où", "qui", "dónde", "quién", "где",
    ];
    words.first().is_some_and(|first| ASKING.contains(&first.as_str()))
}

/// Whether every time has two ends and is relative to the asker's day, at most a month long, or
/// some months of one year. Of a whole year, the records that say so are a better answer than
/// everything that is of it.
pub(super) fn are_specific(times: &[TimeExpression]) -> bool {
    let is_short = |mention: &DateMention| match mention {
        DateMention::Window { precision, .. } => *precision <= Precision::Season,
        DateMention::EveryYear { precision, .. } => *precision <= Precision::Month,
    };
    let is_specific = |time: &TimeExpression| {
        !time.is_open && (time.is_relative || time.mentions.iter().all(is_short))
    };
    !times.is_empty() && times.iter().all(is_specific)
}

/// The times that are one day of one year.
fn single_days(times: &[TimeExpression]) -> impl Iterator<Item = (&TimeExpression, Date)> {
    let day = |time: &TimeExpression| match *time.mentions {
        [DateMention::Window { first, last, precision: Precision::Day }] if first == last => {
            Some(first)
        }
        _ => None,
    };
    times.iter().filter_map(move |time| Some((time, day(time)?))).take(DAYS_MAX)
}

/// How records of earlier days name a day that is to come: "tomorrow", "on Friday", "every Friday".
pub(super) struct Coming {
    /// Its words, in lower case.
    pub(super) words: Vec<String>,
    /// Words beside which it is another day.
    pub(super) not_beside: Vec<String>,
    /// The first and the last day on which it names the asked one, if not on every day.
    pub(super) said_on: Option<(Date, Date)>,
}

/// How records name the single days among the times of a question for days, before these days.
pub(super) fn coming(times: &[TimeExpression], language: Language) -> Vec<Coming> {
    let mut coming = Vec::new();
    for (_, day) in single_days(times) {
        let mut add = |words: Vec<String>, not_beside: &[&str], days: (i32, i32)| {
            let before = |days: i32| shift(day, Unit::Day, -days);
            let Some(said_on) = before(days.0).zip(before(days.1)) else { return };
            let not_beside = not_beside.iter().flat_map(|word| named(word, language));
            let not_beside = not_beside.collect();
            coming.push(Coming { words, not_beside, said_on: Some(said_on) });
        };
        for word in named("tomorrow", language) {
            add(vec![word], NOT_TOMORROW, (1, 1));
        }
        add(["day", "after", "tomorrow"].map(str::to_owned).into(), &[], (2, 2));
        for word in named(weekday(day.weekday()), language) {
            add(vec![word], NOT_COMING, (DAYS_OF_WEEK - 1, 1));
        }
        add(vec!["next".to_owned(), weekday(day.weekday()).to_owned()], &[], (DAYS_OF_WEEK, 1));
        coming.push(Coming {
            words: ["every", weekday(day.weekday())].map(str::to_owned).into(),
            not_beside: Vec::new(),
            said_on: None,
        });
    }
    coming
}

/// The words that mean `english`: that one, and those of `language`.
fn named(english: &str, language: Language) -> Vec<String> {
    let own = time_words::of(language).map(|words| words.meaning(english)).unwrap_or_default();
    std::iter::once(english).chain(own).map(str::to_owned).collect()
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "monday",
        Weekday::Tuesday => "tuesday",
        Weekday::Wednesday => "wednesday",
        Weekday::Thursday => "thursday",
        Weekday::Friday => "friday",
        Weekday::Saturday => "saturday",
        Weekday::Sunday => "sunday",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_apart() {
        assert!(CONVERSATION.is_sorted() && GENERAL.is_sorted());
        assert!(CONVERSATION.iter().all(|word| !is_general(word)));
    }
}
