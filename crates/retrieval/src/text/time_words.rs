//! Words for times, and for questions about them, in other languages: `data/time-words.txt` has a
//! line per language, with words and their English ones.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::language::Language;
use super::time_expressions::{TimeRole, month_number, time_role};
use super::words::APOSTROPHES;

static LISTS: &str = include_str!("../../data/time-words.txt");

/// The words of a language.
pub(crate) struct Words {
    language: Language,
    english: HashMap<&'static str, &'static str, foldhash::fast::RandomState>,
}

/// The words of `language`; `None` for English, and for a language without a list.
pub(crate) fn of(language: Language) -> Option<&'static Words> {
    all().find(|words| words.language == language)
}

/// The words of each language with a list.
pub(crate) fn all() -> impl Iterator<Item = &'static Words> {
    static READ: OnceLock<Vec<Words>> = OnceLock::new();
    READ.get_or_init(|| LISTS.lines().filter_map(read_line).collect()).iter()
}

fn read_line(line: &'static str) -> Option<Words> {
    let mut entries = line.split(' ');
    let language = Language::named(entries.next()?)?;
    let english = entries.filter_map(|entry| entry.split_once(':')).collect();
    Some(Words { language, english })
}

impl Words {
    /// The English word for `word` (lower case).
    pub(crate) fn english(&self, word: &str) -> Option<&'static str> {
        // "l'année": what is before an apostrophe is another word.
        let whole = self.english.get(word);
        let after = || self.english.get(word.rsplit_once(APOSTROPHES)?.1);
        whole.or_else(after).copied()
    }

    /// The words that mean `english`.
    pub(crate) fn meaning(&self, english: &str) -> Vec<&'static str> {
        let pairs = self.english.iter().filter(|(_, known)| **known == english);
        let mut words: Vec<&'static str> = pairs.map(|(word, _)| *word).collect();
        words.sort_unstable();
        words
    }

    /// The role of `word` (lower case) in a record's time expression.
    pub(crate) fn time_role(&self, word: &str) -> TimeRole {
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return time_role(word);
        }
        match self.english(word) {
            // In Portuguese "segunda" is "Monday" and "second".
            _ if matches!(word, "segunda" | "terça" | "quarta" | "quinta" | "sexta") => {
                TimeRole::None
            }
            None => TimeRole::None,
            // "fa" and "a" are "makes" and "has" as well, and a number and a unit are before them.
            Some("ago") => TimeRole::None,
            // It does not follow its unit, as "dernière" does.
            Some("this") => TimeRole::Other,
            Some(english) if month_number(english).is_some() => TimeRole::Whole,
            Some(english) => time_role(english),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_a_word_and_an_english_one_in_a_known_language() {
        for line in LISTS.lines() {
            let Words { language, english } = read_line(line).unwrap();
            assert_eq!(line.split(' ').count() - 1, english.len(), "{language:?}");
            for (word, english) in english {
                assert_eq!(word.to_lowercase(), word, "{language:?}");
                assert!(english.bytes().all(|byte| byte.is_ascii_lowercase()), "{english}");
            }
        }
    }
}
