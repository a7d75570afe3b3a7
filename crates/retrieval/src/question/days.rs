//! Questions for whatever is of a day: "What did we talk about on 11 December?", "events on
//! 2026-11-26", "What happened last week?".
//!
//! Beside a time, words for the conversation itself carry no weight, because people hardly say
//! that they talk. A question with no other words of content asks for everything of its times.

use super::date_parser::TimeExpression;
use super::dates::{DateMention, Precision};
use crate::text::words::Word;

/// Days of a question whose other wordings are looked up.
const DAYS_MAX: usize = 4;

/// Most wordings of one day.
const WORDINGS_OF_A_DAY: usize = 5;
/// A day in numbers, and as an English text says it that leaves out the year.
const FORMATS: [&str; 4] = ["%Y-%m-%d", "%d.%m.%Y", "%-d.%-m.%Y", "%-d %B"];

/// Words for the conversation itself, in lower case. Sorted, for binary search.
#[rustfmt::skip]
static CONVERSATION: &[&str] = &[
    "chat", "chats", "chatted", "chatting", "conversation", "conversations", "discuss", "discussed", "discusses",
    "discussing", "discussion", "discussions", "talk", "talked", "talking", "talks", "topic", "topics",
];

/// Words that stand for anything that may be of a day, in lower case. Sorted, for binary search.
#[rustfmt::skip]
static GENERAL: &[&str] = &[
    "agenda", "anything", "calendar", "came", "come", "day", "event", "events", "everything", "go", "going",
    "happen", "happened", "happening", "happens", "mention", "mentioned", "occur", "occurred", "planned", "said",
    "say", "saying", "scheduled", "session", "sessions", "something", "tell", "thing", "things", "told", "went",
];

/// Whether `word` (lower case) is for the conversation itself.
pub(super) fn is_conversation(word: &str) -> bool {
    CONVERSATION.binary_search(&word).is_ok()
}

/// Whether `word` (lower case) stands for anything that may be of a day.
pub(super) fn is_general(word: &str) -> bool {
    GENERAL.binary_search(&word).is_ok()
}

/// Whether every time has two ends and is relative to the asker's day or at most a week long. Of a
/// whole month or year, the records that say so are a better answer than everything that is of it.
pub(super) fn are_specific(times: &[TimeExpression]) -> bool {
    let is_short = |mention: &DateMention| match mention {
        DateMention::Window { precision, .. } | DateMention::EveryYear { precision, .. } => {
            *precision <= Precision::Week
        }
    };
    let is_specific = |time: &TimeExpression| {
        !time.is_open && (time.is_relative || time.mentions.iter().all(is_short))
    };
    !times.is_empty() && times.iter().all(is_specific)
}

/// Other wordings of the single days among the times of a question for days: without the year, as
/// a text says it that was written close to the day, and in numbers.
pub(super) fn wordings(times: &[TimeExpression], words: &[Word<'_>]) -> Vec<String> {
    let mut wordings = Vec::new();
    for time in times {
        let [DateMention::Window { first, last, precision: Precision::Day }] = *time.mentions
        else {
            continue;
        };
        if first != last || wordings.len() >= DAYS_MAX * WORDINGS_OF_A_DAY {
            continue;
        }
        if !time.is_relative {
            let said = words.get(time.words.clone()).unwrap_or_default().iter();
            let said: Vec<&str> =
                said.map(|word| word.text).filter(|word| !is_year(word)).collect();
            wordings.extend((said.len() > 1).then(|| said.join(" ")));
        }
        wordings.extend(FORMATS.map(|format| first.strftime(format).to_string()));
    }
    wordings
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
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
