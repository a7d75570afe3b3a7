//! Questions in other languages, as the English words for times that [`super::date_parser`] reads.
//!
//! Two differences in the order of words are undone: "la semaine dernière" is "last week", "vor
//! drei Tagen" is "three days ago". Words that [`crate::text::time_words`] does not have are left
//! out, so that none is taken for an English one.

use std::borrow::Cow;

use super::calendar::{Unit, season_start, unit_of};
use crate::text::Language;
use crate::text::time_expressions::{month_number, small_number};
use crate::text::time_words::{self, Words};

/// The words of a question in `language`, in lower case, with those for times in English: as many
/// words, empty ones for those that are left out. Most words in Cyrillic letters make a question
/// Russian if it is not Ukrainian, because no function word is looked for in these.
pub(super) fn in_english(lower: &[String], language: Language) -> Cow<'_, [String]> {
    let cyrillic = lower.iter().filter(|word| word.starts_with(is_cyrillic)).count();
    let is_russian = 2 * cyrillic > lower.len() && language != Language::Ukrainian;
    let language = if is_russian { Language::Russian } else { language };
    let Some(known) = time_words::of(language) else { return lower.into() };
    let mut words: Vec<String> = lower.iter().map(|word| translated(word, known)).collect();
    for position in 0..words.len() {
        reorder(words.get_mut(position..).unwrap_or_default());
    }
    words.into()
}

fn is_cyrillic(letter: char) -> bool {
    matches!(letter, '\u{400}'..='\u{52f}')
}

fn translated(word: &str, known: &Words) -> String {
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return word.to_owned();
    }
    known.english(word).unwrap_or_default().to_owned()
}

/// Gives words that begin like a time the order of English.
fn reorder(words: &mut [String]) {
    let is_count = |word: &str| small_number(word).is_some() || word.parse::<u16>().is_ok();
    match words {
        [ago, count, unit, ..]
            if matches!(ago.as_str(), "ago" | "before")
                && is_count(count)
                && unit_of(unit).is_some() =>
        {
            "ago".clone_into(ago);
            if let Some(time) = words.get_mut(..3) {
                time.rotate_left(1);
            }
        }
        [time, which, ..]
            if matches!(which.as_str(), "last" | "next")
                && (unit_of(time).is_some()
                    || month_number(time).is_some()
                    || season_start(time).is_some()) =>
        {
            std::mem::swap(time, which);
        }
        [on, day, ..] if on == "in" && matches!(unit_of(day), Some(Unit::Weekday(_))) => {
            "on".clone_into(on);
        }
        _ => {}
    }
}
