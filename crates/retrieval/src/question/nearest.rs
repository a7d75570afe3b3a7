//! Questions for the nearest occurrence: "the next dentist appointment", "the last meeting"; and
//! for the first one: "When did I first go climbing?"
//!
//! They name a direction in time instead of a time. Of records that match the words equally, the
//! one nearest to the asker's day in that direction should stand first, so the fit falls with the
//! distance in days; for the first occurrence it grows with it. Everything in the other direction
//! does not fit. Of "first", only the forms that ask for the first occurrence count: "her first
//! kiln" is found by its words.

use jiff::civil::Date;
use serde::Serialize;

use super::dates::{as_text, days_between};
use crate::text::words::cut_at_apostrophe;

/// The direction in time in which a question looks from the asker's day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Nearest {
    /// "next", "upcoming": the asker's day or later.
    From(#[serde(serialize_with = "as_text")] Date),
    /// "last", "latest", "most recent": the asker's day or earlier.
    Until(#[serde(serialize_with = "as_text")] Date),
    /// "for the first time": as long before the asker's day as there is anything.
    Earliest(#[serde(serialize_with = "as_text")] Date),
}

/// Fit of a record in the direction, however far.
const IN_DIRECTION: f64 = 0.5;
/// What a record on the asker's day gets above that.
const AT_ONCE: f64 = 0.75;
/// The distance that halves [`AT_ONCE`].
const HALVED_AFTER_DAYS: f64 = 7.0;
/// The distance at which an early record gets half of [`AT_ONCE`].
const HALF_AT_DAYS: f64 = 365.0;

impl Nearest {
    /// How well a record with `date` fits, 0 … 1.25; strictly less with every day of distance, or
    /// more if the earliest is asked for. On the asker's day, only an event fits "next": a
    /// statement about the next occurrence does not.
    pub fn fit(&self, date: Date, is_event: bool) -> f64 {
        let days = match *self {
            Self::From(today) if date == today && !is_event => return 0.0,
            Self::From(today) => days_between(today, date),
            Self::Until(today) | Self::Earliest(today) => days_between(date, today),
        };
        if days < 0 {
            return 0.0;
        }
        if matches!(self, Self::Earliest(_)) {
            let days = f64::from(days);
            return IN_DIRECTION + AT_ONCE * days / (days + HALF_AT_DAYS);
        }
        let halvings = libm::log2(1.0 + f64::from(days) / HALVED_AFTER_DAYS);
        IN_DIRECTION + AT_ONCE / (1.0 + halvings)
    }
}

/// The direction that a question names, if it names one. `words` are in lower case.
pub(super) fn find(words: &[String], today: Option<Date>) -> Option<Nearest> {
    let today = today?;
    (0..words.len()).find_map(|position| {
        if is_next(words, position) {
            Some(Nearest::From(today))
        } else if is_last(words, position) {
            Some(Nearest::Until(today))
        } else if is_first(words, position) {
            Some(Nearest::Earliest(today))
        } else {
            None
        }
    })
}

/// The same for words of another language in English, of which others are empty: "das letzte Mal",
/// "zuletzt", "la première fois".
pub(super) fn find_in_translation(words: &[String], today: Option<Date>) -> Option<Nearest> {
    let today = today?;
    (0..words.len()).find_map(|position| {
        let after = word(words, position.checked_add(1));
        match word(words, Some(position)) {
            "latest" => Some(Nearest::Until(today)),
            "last" if after == "time" => Some(Nearest::Until(today)),
            "first" if after == "time" => Some(Nearest::Earliest(today)),
            _ => None,
        }
    })
}

fn word(words: &[String], position: Option<usize>) -> &str {
    position.and_then(|position| words.get(position)).map_or("", String::as_str)
}

/// "the next class", "my next one", "next on my calendar", "the coming match", "upcoming trips".
fn is_next(words: &[String], position: usize) -> bool {
    let before = word(words, position.checked_sub(1));
    let after = word(words, position.checked_add(1));
    match word(words, Some(position)) {
        // "What did she do next?" asks for what followed, "next to the station" for a place.
        "next" => {
            !matches!(after, "to" | "door" | "of") && (!after.is_empty() || introduces_next(before))
        }
        "upcoming" => true,
        "coming" => {
            (before.is_empty() || is_determiner(before))
                && !matches!(after, "" | "back" | "from" | "home" | "in" | "of" | "out" | "to")
        }
        _ => false,
    }
}

/// "What is next?", "what's next", "What comes next?"
fn introduces_next(before: &str) -> bool {
    matches!(before, "is" | "are" | "comes" | "what's" | "what’s" | "whats" | "up")
}

/// "my last visit", "the latest version", "the most recent one", "When did we last meet?"
fn is_last(words: &[String], position: usize) -> bool {
    let before = word(words, position.checked_sub(1));
    let after = word(words, position.checked_add(1));
    match word(words, Some(position)) {
        "last" => {
            let asks_when = word(words, Some(0)) == "when";
            (asks_when || before.is_empty() || is_determiner(before))
                && !matches!(after, "" | "name" | "names" | "resort" | "straw")
        }
        "latest" => before != "at",
        "recent" | "recently" => before == "most",
        "previous" => (before.is_empty() || is_determiner(before)) && is_one_thing(after),
        // "How long ago did she call?"
        "ago" => before == "long",
        // "How long has it been since she called?"
        "since" => {
            let asks_how_long = word(words, Some(0)) == "how" && word(words, Some(1)) == "long";
            asks_how_long && matches!(before, "been" | "it")
        }
        _ => false,
    }
}

/// "my previous visit", but not "our previous conversation" or "the previous owners".
fn is_one_thing(noun: &str) -> bool {
    const CONVERSATION: [&str; 8] =
        ["chat", "conversation", "discussion", "message", "question", "session", "talk", "thread"];
    !noun.is_empty() && !noun.ends_with('s') && !CONVERSATION.contains(&noun)
}

/// "for the first time", "the first time I saw her", "When did we first meet?"
fn is_first(words: &[String], position: usize) -> bool {
    let before = word(words, position.checked_sub(1));
    let after = word(words, position.checked_add(1));
    let asks_when = word(words, Some(0)) == "when"
        && matches!(word(words, Some(1)), "did" | "have" | "has" | "had" | "was" | "were");
    word(words, Some(position)) == "first"
        && match after {
            "time" => {
                let noun = word(words, position.checked_add(2));
                is_determiner(before) && !matches!(noun, "zone" | "slot" | "signature" | "limit")
            }
            "" | "of" | "and" | "or" | "aid" | "class" | "name" | "place" | "prize" => false,
            _ => {
                asks_when
                    && position > 2
                    && !is_determiner(before)
                    && !matches!(before, "a" | "at" | "in" | "on" | "one" | "that" | "this")
            }
        }
}

fn is_determiner(word: &str) -> bool {
    let is_possessive = cut_at_apostrophe(word).len() < word.len();
    is_possessive
        || matches!(
            word,
            "the" | "my" | "our" | "your" | "his" | "her" | "its" | "their" | "any" | "whose"
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const TODAY: Date = date(2024, 3, 13);

    #[test]
    fn words_of_direction_are_recognised_and_other_uses_are_not() {
        for (text, expected) in [
            ("next dentist appointment", "next"),
            ("when is the next pottery class", "next"),
            ("what is next", "next"),
            ("any upcoming trips", "next"),
            ("the coming match", "next"),
            ("my last dentist appointment", "last"),
            ("ben's last mail", "last"),
            ("when did i last see the dentist", "last"),
            ("when was the last time we met", "last"),
            ("the latest release", "last"),
            ("her most recent painting", "last"),
            ("what did she do next", ""),
            ("the house next to the station", ""),
            ("who is coming to dinner", ""),
            ("when is the plumber coming", ""),
            ("the newbie was coming to his work", ""),
            ("what is ada's last name", ""),
            ("how long did the battery last", ""),
            ("did the snow last long", ""),
            ("when did she call most recently", "last"),
            ("how long ago did she call", "last"),
            ("how long has it been since she called", "last"),
            ("my previous dentist appointment", "last"),
            ("when did i first go climbing", "first"),
            ("when did we go climbing for the first time", "first"),
            ("the first time she saw the sea", "first"),
            ("when was ada first ill", "first"),
            ("when was her first exhibition", ""),
            ("what's the first time zone east of here", ""),
            ("what was the first time signature", ""),
            ("when did ada win first prize", ""),
            ("who came first", ""),
            ("when did ada come first", ""),
            ("the first of may", ""),
            ("in our previous conversation", ""),
            ("the previous owners", ""),
            ("how long did it take since", ""),
            ("a long time ago", ""),
            ("has she been ill recently", ""),
            ("recent books", ""),
            ("", ""),
        ] {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            let found = match find(&words, Some(TODAY)) {
                Some(Nearest::From(_)) => "next",
                Some(Nearest::Until(_)) => "last",
                Some(Nearest::Earliest(_)) => "first",
                None => "",
            };
            assert_eq!(found, expected, "{text}");
            assert_eq!(find(&words, None), None, "{text}");
        }
    }

    #[test]
    fn the_fit_falls_with_every_day_in_the_direction_and_is_nothing_in_the_other() {
        let day = |days: i64| TODAY.checked_add(jiff::Span::new().days(days)).unwrap();
        let (next, last) = (Nearest::From(TODAY), Nearest::Until(TODAY));
        for days in 0..2000 {
            assert!(next.fit(day(days), true) > next.fit(day(days + 1), true), "{days}");
            assert!(last.fit(day(-days), false) > last.fit(day(-days - 1), false), "{days}");
        }
        assert_eq!((next.fit(day(-1), true), last.fit(day(1), true)), (0.0, 0.0));
        assert_eq!((next.fit(TODAY, true), last.fit(TODAY, true)), (1.25, 1.25));
        for extreme in [Date::MIN, Date::MAX] {
            for nearest in [Nearest::From(extreme), Nearest::Until(extreme), next, last] {
                for date in [Date::MIN, TODAY, Date::MAX] {
                    assert!((0.0..=1.25).contains(&nearest.fit(date, true)));
                }
            }
        }
    }

    #[test]
    fn the_first_occurrence_fits_more_with_every_day_before_the_asker() {
        let day = |days: i64| TODAY.checked_sub(jiff::Span::new().days(days)).unwrap();
        let first = Nearest::Earliest(TODAY);
        for days in 0..2000 {
            assert!(first.fit(day(days), false) < first.fit(day(days + 1), false), "{days}");
        }
        assert_eq!((first.fit(day(-1), false), first.fit(TODAY, false)), (0.0, 0.5));
        assert!(first.fit(Date::MIN, false) <= 1.25);
    }

    #[test]
    fn a_turn_of_today_is_not_the_next_occurrence() {
        let next = Nearest::From(TODAY);
        assert_eq!(next.fit(TODAY, false), 0.0);
        assert!(next.fit(TODAY.tomorrow().unwrap(), false) > 0.5);
    }
}
