//! A wording of a time that a record may contain: "last week", "26 November", "2026-11-26",
//! "tomorrow".

use jiff::civil::Date;
use serde::Serialize;

use super::wordings::{Wording, is_between, is_number, is_unspaced_wording, is_year, plain};
use crate::text::words::visit_words;
use crate::text::{QueryTerm, normalize};

/// A wording of a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quote {
    /// Its terms. A record that contains the wording contains all of them.
    pub terms: Vec<QueryTerm>,
    /// The words in each of its places, if they count only beside each other: a record of 20
    /// November that says "26 euros" has all terms of "26 November".
    #[serde(skip)]
    pub(super) together: Wording,
    /// Words beside which they mean another time, in lower case: "last Friday".
    #[serde(skip)]
    pub(super) not_beside: Vec<String>,
    /// The first and the last day of the records in which it is the asked time, if that depends on
    /// the record's own day: "tomorrow".
    #[serde(skip)]
    pub(super) said_on: Option<(Date, Date)>,
}

impl Quote {
    /// Whether a text with all its terms may still lack it, so that [`Self::is_in`] must be asked.
    pub fn must_be_together(&self) -> bool {
        self.together.len() > 1 || !self.not_beside.is_empty()
    }

    /// Whether all its words are numbers: 2026-05-01.
    pub fn is_in_numbers(&self) -> bool {
        self.together.iter().flatten().all(|word| is_number(word))
    }

    /// Whether it is the asked time in a record of a day.
    pub fn is_of(&self, day: Option<Date>) -> bool {
        self.said_on.is_none_or(|(first, last)| day.is_some_and(|day| first <= day && day <= last))
    }

    /// Whether `text` has its words beside each other, in any order: "November 26" is "26
    /// November". True if they need not be together.
    pub fn is_in(&self, text: &str) -> bool {
        if !self.must_be_together() {
            return true;
        }
        let text = normalize(text);
        if is_unspaced_wording(&self.together) {
            return is_in_unspaced(&self.together.concat().concat(), &text);
        }
        // The first word of each place stands for the others.
        let firsts: Vec<&str> =
            self.together.iter().filter_map(|words| words.first()).map(String::as_str).collect();
        let standing_for = |word: &String| {
            let mut places = self.together.iter().zip(&firsts);
            places.find(|(words, _)| words.contains(word)).map(|(_, first)| *first)
        };
        let mut wanted = firsts.clone();
        wanted.sort_unstable();
        let in_numbers = self.is_in_numbers();
        let names_year = wanted.iter().any(|word| is_year(word));
        let is_month = names_year && wanted.len() == 2 && !in_numbers;
        // The last words that are wanted, and the word before them.
        let mut last: Vec<&str> = Vec::with_capacity(wanted.len());
        let mut before = String::new();
        let mut previous = String::new();
        let (mut found, mut end) = (false, 0);
        visit_words(&text, |word| {
            // Pairs of characters overlap, so there is nothing between them.
            let gap = text.get(end..word.start).unwrap_or_default();
            end = word.end();
            let word = plain(word.text);
            let is_joined = joins(&previous, gap, names_year);
            previous.clone_from(&word);
            // The word after them counts too.
            if found && !(is_joined && self.not_beside.contains(&word)) {
                return false;
            }
            // "May 1st, 2026" is a day of "May 2026".
            let is_passed_over = is_between(&word) || is_month && is_day_number(&word);
            if is_joined && is_passed_over && !found && !last.is_empty() {
                return true;
            }
            if found || !is_joined {
                (found, before) = (false, String::new());
                last.clear();
            }
            let Some(place) = standing_for(&word) else {
                last.clear();
                before = word;
                return true;
            };
            if last.len() == wanted.len() {
                last.remove(0).clone_into(&mut before);
            }
            last.push(place);
            if last.len() == wanted.len() {
                let mut sorted = last.clone();
                sorted.sort_unstable();
                // What begins with the year goes on with the month: 2026-05-01.
                let is_in_order = !in_numbers
                    || !last.first().is_some_and(|first| is_year(first))
                    || last == firsts;
                found = sorted == wanted && is_in_order && !self.not_beside.contains(&before);
            }
            true
        });
        found
    }
}

fn is_day_number(word: &str) -> bool {
    word.parse().is_ok_and(|day: u8| (1..=31).contains(&day))
}

/// Whether `text` has a wording without spaces, whatever spaces it writes: "5月1日" is not in
/// "15月1日".
fn is_in_unspaced(wording: &str, text: &str) -> bool {
    let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    text.match_indices(wording).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|before| before.is_ascii_digit())
    })
}

/// Whether what stands between two words of a day joins them. A full stop does after a number
/// alone: "26. November", but not "In November. 26 people came". So does a comma before a year.
fn joins(before: &str, gap: &str, names_year: bool) -> bool {
    let is_number = before.ends_with(|last: char| last.is_ascii_digit());
    gap.chars().all(|character| match character {
        ' ' | '\u{A0}' | '-' | '/' | '\u{2013}' => true,
        '.' => is_number,
        ',' => is_number && names_year,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote(words: &[&str]) -> Quote {
        let together = words.iter().map(|word| vec![(*word).to_owned()]).collect();
        Quote { terms: Vec::new(), together, not_beside: Vec::new(), said_on: None }
    }

    #[test]
    fn a_day_is_quoted_by_its_words_beside_each_other() {
        for (words, text, expected) in [
            (&["2026", "11", "26"][..], "Deadline: 2026-11-26, noon", true),
            (&["2026", "11", "26"], "2026-11-20\nTrain ticket, 26 euros", false),
            (&["2026", "11", "26"], "On 2026-11-20 26 people came", false),
            (&["2026", "11", "26"], "2026 11 2026-11-26", true),
            (&["26", "november"], "We meet on November 26.", true),
            (&["26", "november"], "20 November: 26 euros", false),
            (&["26", "november"], "20 November, 26 euros", false),
            (&["26", "november"], "In November. 26 people came", false),
            (&["26", "november"], "Am 26. November", true),
            (&["26", "november"], "", false),
            (&["26.11.2026"], "anything", true),
            (&[], "anything", true),
        ] {
            assert_eq!(quote(words).is_in(text), expected, "{words:?} in {text}");
        }
    }

    #[test]
    fn a_word_beside_it_may_make_it_another_time() {
        let not_beside = vec!["last".to_owned(), "dernier".to_owned()];
        let friday = Quote { not_beside, ..quote(&["friday"]) };
        for (text, expected) in [
            ("Lunch on Friday", true),
            ("Friday: lunch", true),
            ("Lunch last Friday", false),
            ("Lunch Friday dernier", false),
            ("It was the last. Friday we go", true),
            ("See you Friday. Last call", true),
            ("last Friday and this Friday", true),
            ("last Friday and last Friday", false),
            ("Fridays", false),
        ] {
            assert_eq!(friday.is_in(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_for_a_day_may_count_in_records_of_some_days_alone() {
        let day = |day| jiff::civil::date(2026, 11, day);
        let tomorrow = Quote { said_on: Some((day(4), day(5))), ..quote(&["tomorrow"]) };
        assert_eq!(
            [3, 4, 5, 6].map(|of| tomorrow.is_of(Some(day(of)))),
            [false, true, true, false]
        );
        assert!(!tomorrow.is_of(None) && quote(&["x"]).is_of(None));
    }
}
