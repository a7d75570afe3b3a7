//! A wording of a time that a record may contain: "last week", "26 November", "2026-11-26",
//! "tomorrow".

use jiff::civil::Date;
use serde::{Serialize, Serializer};

use super::wordings::{Wording, is_between, is_number, is_unspaced_wording, is_year, plain};
use crate::text::words::{Word, visit_words};
use crate::text::{QueryTerm, normalize};

/// A wording of a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// The year of the asked time, if the wording does not say it: beside another one it is another
    /// time.
    #[serde(skip)]
    pub(super) year: Option<i16>,
    /// It is not one of the question's own wordings.
    #[serde(skip)]
    pub(super) is_another: bool,
}

/// The question's own wordings: the others are many.
pub(super) fn own<S: Serializer>(quotes: &[Quote], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(quotes.iter().filter(|quote| !quote.is_another))
}

impl Quote {
    /// Whether a text with all its terms may still lack it, so that [`Self::is_in`] must be asked.
    pub fn must_be_together(&self) -> bool {
        self.together.len() > 1 || !self.not_beside.is_empty()
    }

    /// Whether a text with all its terms probably has it: it is one word, or a day in numbers.
    pub fn is_told_by_terms(&self) -> bool {
        self.together.len() <= 1 || self.is_in_numbers() && self.together.len() > 2
    }

    fn is_in_numbers(&self) -> bool {
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
            return is_in_unspaced(&self.together.concat().concat(), self.year, &text);
        }
        let mut tokens = Vec::new();
        visit_words(&text, |word| {
            tokens.push(Token { plain: plain(word.text), word });
            true
        });
        let text = Tokens { text: &text, tokens: &tokens };
        (0..tokens.len()).any(|start| {
            let end = self.end_of_match(&text, start);
            end.is_some_and(|end| !self.is_another_time(&text, start, end))
        })
    }

    /// The end of the wording that begins at a token.
    fn end_of_match(&self, text: &Tokens<'_>, start: usize) -> Option<usize> {
        let in_numbers = self.is_in_numbers();
        let names_year = self.together.iter().flatten().any(|word| is_year(word));
        let is_month = names_year && self.together.len() == 2 && !in_numbers;
        let mut places: Vec<Option<&Vec<String>>> = self.together.iter().map(Some).collect();
        let mut order = Vec::with_capacity(places.len());
        let mut at = start;
        while order.len() < places.len() {
            let word = text.plain(at)?;
            if at > start && !text.is_joined(at, names_year, is_month) {
                return None;
            }
            let is_place = |place: &Option<&Vec<String>>| {
                place.is_some_and(|words| words.iter().any(|known| known == word))
            };
            match places.iter().position(is_place) {
                Some(place) => {
                    if let Some(taken) = places.get_mut(place) {
                        *taken = None;
                    }
                    order.push(place);
                }
                // "May 1st, 2026" is a day of "May 2026".
                None if at > start && (is_between(word) || is_month && is_day_number(word)) => {}
                None => return None,
            }
            at += 1;
        }
        // What begins with the year goes on with the month: 2026-05-01.
        let begins_with_year = in_numbers && text.plain(start).is_some_and(is_year);
        (!begins_with_year || order.is_sorted()).then_some(at)
    }

    /// Whether what stands beside a wording makes it another time: "last Friday", "5 May 2025" for
    /// a day of 2026, "option 5 may be removed".
    fn is_another_time(&self, text: &Tokens<'_>, start: usize, end: usize) -> bool {
        let before = start.checked_sub(1).filter(|_| text.is_joined(start, false, false));
        let before = before.and_then(|before| text.plain(before));
        let after = text.plain(end).filter(|_| text.is_joined(end, false, false));
        let is_not_beside = |word: &str| self.not_beside.iter().any(|known| known == word);
        if before.is_some_and(is_not_beside) || after.is_some_and(is_not_beside) {
            return true;
        }
        let is_other_year = |word: &str| {
            let year = self.year.filter(|_| is_year(word));
            year.is_some_and(|year| word.parse() != Ok(year))
        };
        let mut next = end;
        while text.plain(next).is_some_and(is_between) {
            next += 1;
        }
        let year_after = text.plain(next).filter(|_| text.is_joined(next, true, true));
        before.is_some_and(is_other_year)
            || year_after.is_some_and(is_other_year)
            || text.is_verb(end)
    }
}

/// A word of a text, and the same as wordings have it.
struct Token<'text> {
    plain: String,
    word: Word<'text>,
}

struct Tokens<'text> {
    text: &'text str,
    tokens: &'text [Token<'text>],
}

impl Tokens<'_> {
    fn plain(&self, at: usize) -> Option<&str> {
        self.tokens.get(at).map(|token| token.plain.as_str())
    }

    /// What stands between a word and the one before it.
    fn gap(&self, at: usize) -> Option<(&Token<'_>, &str)> {
        let before = self.tokens.get(at.checked_sub(1)?)?;
        let gap = self.text.get(before.word.end()..self.tokens.get(at)?.word.start)?;
        Some((before, gap))
    }

    /// Whether a word is joined to the one before it. A full stop joins after a number alone: "26.
    /// November", but not "In November. 26 people came". So does a comma before a year, which joins
    /// after the name of a month too.
    fn is_joined(&self, at: usize, names_year: bool, after_month: bool) -> bool {
        let Some((before, gap)) = self.gap(at) else { return false };
        let is_number = before.plain.ends_with(|last: char| last.is_ascii_digit());
        gap.chars().all(|character| match character {
            ' ' | '\u{A0}' | '-' | '/' | '\u{2013}' => true,
            '.' => is_number,
            ',' => names_year && (is_number || after_month),
            _ => false,
        })
    }

    /// Whether the word before `end` is a verb as well as a month, and a word in lower case follows
    /// it: "may be removed", "march on".
    fn is_verb(&self, end: usize) -> bool {
        const VERBS: [&str; 2] = ["may", "march"];
        let is_lower = |token: &Token<'_>| token.word.text.starts_with(char::is_lowercase);
        self.gap(end).is_some_and(|(before, gap)| {
            VERBS.contains(&before.word.text)
                && gap == " "
                && self.tokens.get(end).is_some_and(is_lower)
        })
    }
}

fn is_day_number(word: &str) -> bool {
    word.parse().is_ok_and(|day: u8| (1..=31).contains(&day))
}

/// Whether `text` has a wording without spaces, whatever spaces and zeros it writes: "5月1日" is in
/// "05月 01日", but not in "15月1日", and for a day of 2026 not in "2025年5月1日".
fn is_in_unspaced(wording: &str, year: Option<i16>, text: &str) -> bool {
    let mut written = String::with_capacity(text.len());
    let mut letters = text.chars().filter(|character| !character.is_whitespace()).peekable();
    while let Some(letter) = letters.next() {
        let is_led = !written.ends_with(|before: char| before.is_ascii_digit())
            && letters.peek().is_some_and(char::is_ascii_digit);
        if letter != '0' || !is_led {
            written.push(letter);
        }
    }
    written.match_indices(wording).any(|(at, _)| {
        let before = written.get(..at).unwrap_or_default();
        let said = before.strip_suffix(['年', '년']).unwrap_or_default();
        let said: String = said.chars().rev().take_while(char::is_ascii_digit).collect();
        let said: String = said.chars().rev().collect();
        !before.ends_with(|last: char| last.is_ascii_digit())
            && (said.is_empty() || year.is_none_or(|year| said.parse() == Ok(year)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote(words: &[&str]) -> Quote {
        let together = words.iter().map(|word| vec![(*word).to_owned()]).collect();
        Quote { together, ..Quote::default() }
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
            (&["5", "may"], "Option 5 may be removed", false),
            (&["5", "may"], "on 5 may, in Bern", true),
            (&["may", "2026"], "They said that in 2026, 3 may leave", false),
            (&["may", "2026"], "We met in May, 2026", true),
            (&["2026", "5", "5"], "2026-05-05", true),
            (&["2026", "5", "5"], "2026-05-06", false),
            (&["26.11.2026"], "anything", true),
            (&[], "anything", true),
        ] {
            assert_eq!(quote(words).is_in(text), expected, "{words:?} in {text}");
        }
    }

    #[test]
    fn another_year_beside_it_makes_it_another_time() {
        let of_year = |words: &[&str]| Quote { year: Some(2026), ..quote(words) };
        for (text, expected) in [
            ("on 5 May we painted", true),
            ("on 5 May 2026", true),
            ("on 5 May 2025", false),
            ("on May 5, 2025", false),
            ("el 5 de may de 2025", false),
            ("5 May. 2025 was cold", true),
            ("in 2025: 5 May", true),
        ] {
            assert_eq!(of_year(&["5", "may"]).is_in(text), expected, "{text}");
        }
        for (text, expected) in [
            ("2026年05月01日", true),
            ("2025年5月1日", false),
            ("5月1日", true),
            ("15月1日", false),
        ] {
            assert_eq!(of_year(&["5", "月", "1", "日"]).is_in(text), expected, "{text}");
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
