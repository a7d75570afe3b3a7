//! Words for times in other languages, as the English words that [`super::date_parser`] reads.
//!
//! `data/time-words.txt` has a line per language: words and their English ones. Two differences in
//! the order of words are undone: "la semaine dernière" is "last week", "vor drei Tagen" is "three
//! days ago". Words that are not in the line are left out, so that none is taken for an English
//! one.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::calendar::{Unit, season_start, unit_of};
use crate::text::Language;
use crate::text::time_expressions::{month_number, small_number};

static LISTS: &str = include_str!("../../data/time-words.txt");

type Words = HashMap<&'static str, &'static str, foldhash::fast::RandomState>;

/// The words of a question in `language`, in lower case, with those for times in English: as many
/// words, empty ones for those that are left out. Most words in Cyrillic letters make a question
/// Russian, because no function word is looked for in these.
pub(super) fn in_english(lower: &[String], language: Language) -> Cow<'_, [String]> {
    static READ: OnceLock<Vec<(Language, Words)>> = OnceLock::new();
    let read = READ.get_or_init(|| LISTS.lines().filter_map(read_line).collect());
    let cyrillic = lower.iter().filter(|word| word.starts_with(is_cyrillic)).count();
    let language = if 2 * cyrillic > lower.len() { Language::Russian } else { language };
    let Some((_, known)) = read.iter().find(|(of, _)| *of == language) else {
        return lower.into();
    };
    let mut words: Vec<String> = lower.iter().map(|word| translated(word, known)).collect();
    for position in 0..words.len() {
        reorder(words.get_mut(position..).unwrap_or_default());
    }
    words.into()
}

fn is_cyrillic(letter: char) -> bool {
    matches!(letter, '\u{400}'..='\u{52f}')
}

fn read_line(line: &'static str) -> Option<(Language, Words)> {
    let mut entries = line.split(' ');
    let language = Language::named(entries.next()?)?;
    Some((language, entries.filter_map(|entry| entry.split_once(':')).collect()))
}

fn translated(word: &str, known: &Words) -> String {
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return word.to_owned();
    }
    // "l'année": what is before an apostrophe is another word.
    let whole = known.get(word);
    let after = || known.get(word.rsplit_once(['\'', '\u{2019}'])?.1);
    whole.or_else(after).copied().unwrap_or_default().to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_a_word_and_an_english_one_in_a_known_language() {
        for line in LISTS.lines() {
            let (language, words) = read_line(line).unwrap();
            assert_eq!(line.split(' ').count() - 1, words.len(), "{language:?}");
            for (word, english) in words {
                assert_eq!(word.to_lowercase(), word, "{language:?}");
                assert!(english.bytes().all(|byte| byte.is_ascii_lowercase()), "{english}");
            }
        }
    }
}
