//! Single words of a time: numbers, articles, parts of the day, and what may follow.

use super::super::days::{is_conversation, is_general};
use super::Parser;
use crate::text::is_english_stop_word;
use crate::text::time_expressions::cardinal_or_ordinal;
use crate::text::words::{Word, is_unspaced};

/// Articles of other languages, which have no English word here.
#[rustfmt::skip]
const ARTICLES: [&str; 29] = [
    "a", "as", "das", "de", "dem", "den", "der", "des", "det", "die", "el", "gli", "het", "i", "il", "l", "la", "las",
    "le", "les", "li", "lo", "los", "o", "os", "sa", "the", "un", "une",
];
/// Endings of ordinals in other languages: 1er, 1º, 3-го.
const ORDINAL_ENDINGS: [&str; 11] = ["a", "an", "e", "er", "o", "re", "te", "ª", "º", "го", "е"];
/// Most characters of such an ending.
const ENDING_BYTES_MAX: usize = 4;
/// Ordinals of the days that are said in words.
const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

impl Parser<'_> {
    pub(super) fn word(&self, position: usize) -> &str {
        self.lower.get(position).map_or("", String::as_str)
    }

    /// The word before that at `position`.
    pub(super) fn before(&self, position: usize) -> &str {
        position.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub(super) fn has_word(&self, wanted: &str) -> bool {
        self.lower.iter().any(|word| word == wanted)
    }

    pub(super) fn is_capital(&self, position: usize) -> bool {
        self.words.get(position).is_some_and(|word| word.text.starts_with(char::is_uppercase))
    }

    /// Whether the question itself has another word than the English one at `position`.
    pub(super) fn is_foreign(&self, position: usize) -> bool {
        let own = self.words.get(position).map(|word| word.text.to_lowercase());
        own.is_some_and(|own| own != self.word(position))
    }

    /// Whether the question's own word at `position` is `word`.
    pub(super) fn is_own(&self, position: usize, word: &str) -> bool {
        self.words.get(position).is_some_and(|own| own.text.to_lowercase() == word)
    }

    /// The text between the word at `position` and the next.
    pub(super) fn gap(&self, position: usize) -> &str {
        let next = position.checked_add(1).and_then(|next| self.words.get(next));
        let (Some(word), Some(next)) = (self.words.get(position), next) else { return "" };
        self.text.get(word.end()..next.start).unwrap_or("")
    }

    /// The text after the word at `position`.
    pub(super) fn text_after(&self, position: usize) -> &str {
        let end = self.words.get(position).map_or(self.text.len(), Word::end);
        self.text.get(end..).unwrap_or("")
    }

    /// Whether the word at `position` is an article, in English or left out of another language.
    pub(super) fn is_article(&self, position: usize) -> bool {
        let is_own = |own: &str| ARTICLES.contains(&own.to_lowercase().as_str());
        self.word(position) == "the"
            || self.word(position).is_empty()
                && self.words.get(position).is_some_and(|word| is_own(word.text))
    }

    /// The first word from `position` that is not an article.
    pub(super) fn past_articles(&self, position: usize) -> usize {
        const ARTICLES_MAX: usize = 2;
        (position..position + ARTICLES_MAX)
            .find(|at| !self.is_article(*at))
            .unwrap_or(position + ARTICLES_MAX)
    }

    /// The end of the ending of an ordinal that is a word of its own: "3-го".
    pub(super) fn past_ordinal_ending(&self, end: usize) -> usize {
        let is_ending = end.checked_sub(1).is_some_and(|number| self.gap(number) == "-")
            && self
                .words
                .get(end)
                .is_some_and(|word| ORDINAL_ENDINGS.contains(&word.text.to_lowercase().as_str()));
        end + usize::from(is_ending)
    }

    /// The end of a word for "year" after one, as in Russian: "2026 года".
    pub(super) fn past_year_word(&self, end: usize) -> usize {
        end + usize::from(self.word(end) == "year" && self.is_foreign(end))
    }

    /// Whether no word follows that the time may describe, as "meeting" in "after the 3 May
    /// meeting". `end` is that of the time.
    pub(super) fn is_followed_by_nothing(&self, end: usize) -> bool {
        let word = self.word(end);
        self.is_at_end(end)
            || self.is_foreign(end)
            || word.starts_with(is_unspaced)
            || is_english_stop_word(word)
            || is_general(word)
            || is_conversation(word)
            || super::opens_a_range(word)
            || matches!(word, "last" | "this" | "next" | "morning" | "evening" | "afternoon")
    }

    /// Whether the text or a part of it ends before the word at `end`.
    pub(super) fn is_at_end(&self, end: usize) -> bool {
        end >= self.lower.len()
            || end
                .checked_sub(1)
                .is_some_and(|last| self.gap(last).contains(['.', ',', '?', '!', ';', ':', ')']))
    }

    /// Whether the word before `end` is in the possessive: "yesterday's".
    pub(super) fn ends_in_possessive(&self, end: usize) -> bool {
        self.before(end).ends_with("'s") || self.before(end).ends_with("’s")
    }

    /// The end of a part of the day, or of a time of the clock, that follows a time: "Monday
    /// afternoon at 2 pm", "hier dans la soirée".
    pub(super) fn end_of_clock(&self, mut end: usize) -> usize {
        let is_part =
            |at: usize| matches!(self.word(at), "morning" | "afternoon" | "evening" | "night");
        let introduced = self.past_articles(end + 1);
        if is_part(end) {
            end += 1;
        } else if (matches!(self.word(end), "in" | "on" | "at") || self.is_own(end, "por"))
            && is_part(introduced)
        {
            end = introduced + 1;
        }
        if self.word(end) == "at" && (self.day_number(end + 1).is_some() || self.is_noon(end + 1)) {
            end += 2;
            end += usize::from(matches!(self.word(end), "am" | "pm" | "o'clock"));
        }
        end
    }

    fn is_noon(&self, position: usize) -> bool {
        matches!(self.word(position), "noon" | "midnight")
            || self.word(position).ends_with(['m', 'M'])
                && self.word(position).starts_with(|digit: char| digit.is_ascii_digit())
    }

    /// A day of a month in digits: 7, 7th, 1er.
    pub(super) fn day_number(&self, position: usize) -> Option<i8> {
        let word = self.word(position);
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let number = match word.split_at_checked(digits) {
            Some((number, ending))
                if ending.len() <= ENDING_BYTES_MAX && ORDINAL_ENDINGS.contains(&ending) =>
            {
                number.parse().ok()
            }
            _ => cardinal_or_ordinal(word),
        };
        let day = number.filter(|day: &u32| (1..=31).contains(day))?;
        i8::try_from(day).ok()
    }

    /// The same, also in words before the name of a month: "the first of May", "ersten Mai".
    pub(super) fn day_of_a_month(&self, position: usize) -> Option<i8> {
        let in_words = || {
            let is_ordinal_of = self.word(position + 1) == "of" || self.is_foreign(position);
            let number = ORDINALS.iter().zip(1i8..).find(|(word, _)| **word == self.word(position));
            number.filter(|_| is_ordinal_of).map(|(_, number)| number)
        };
        self.day_number(position).or_else(in_words)
    }

    /// Whether a number in digits is an ordinal: 3rd.
    pub(super) fn is_ordinal(&self, position: usize) -> bool {
        self.word(position).ends_with(|last: char| last.is_alphabetic())
            && self.day_number(position).is_some()
    }

    /// Whether a number stands after a word of another language, which would have the ordinal as it
    /// is: "am 3.", "le 3".
    pub(super) fn is_foreign_number(&self, position: usize) -> bool {
        self.day_number(position).is_some()
            && position.checked_sub(1).is_some_and(|before| self.is_foreign(before))
    }

    pub(super) fn bare_number(&self, position: usize) -> Option<i32> {
        self.word(position).parse().ok().filter(|number| (1..=1000).contains(number))
    }

    pub(super) fn year(&self, position: usize) -> Option<i16> {
        let word = self.word(position);
        word.parse().ok().filter(|year| word.len() == 4 && (1000..=2999).contains(year))
    }

    /// The numbers of "5/1/2026" where both may be the month.
    pub(super) fn slashed(&self, position: usize) -> Option<(i16, i16, i16)> {
        let is_slashed = self.gap(position) == "/" && self.gap(position + 1) == "/";
        let number = |at: usize| {
            let word = self.word(at);
            word.parse::<i16>().ok().filter(|number| word.len() <= 2 && (1..=12).contains(number))
        };
        let year = self.year(position + 2).filter(|_| is_slashed && !self.is_day_first)?;
        let (first, second) = (number(position)?, number(position + 1)?);
        (first != second).then_some((first, second, year))
    }
}
