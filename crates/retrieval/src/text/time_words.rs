//! Words for times, and for questions about them, in other languages: `data/time-words.txt` has a
//! line per language, with words and their English ones.
//!
//! Those of `data/time-words-of-questions.txt` are read in questions alone: what a record says is
//! indexed, so that a word more for records would mean a new index. "Ereyesterday", "overmorrow",
//! "penultimate" and "hogmanay" stand for what English says in several words.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::language::Language;
use super::time_expressions::{TimeRole, month_number, time_role};
use super::words::APOSTROPHES;

static LISTS: &str = include_str!("../../data/time-words.txt");
static LISTS_OF_QUESTIONS: &str = include_str!("../../data/time-words-of-questions.txt");

type EnglishWords = HashMap<&'static str, &'static str, foldhash::fast::RandomState>;

/// The words of a language.
pub(crate) struct Words {
    language: Language,
    english: EnglishWords,
    /// Further words, in questions.
    in_questions: EnglishWords,
}

/// The words of `language`; `None` for English, and for a language without a list.
pub(crate) fn of(language: Language) -> Option<&'static Words> {
    all().find(|words| words.language == language)
}

/// The words of each language with a list.
pub(crate) fn all() -> impl Iterator<Item = &'static Words> {
    static READ: OnceLock<Vec<Words>> = OnceLock::new();
    let words = |line| {
        let (language, english) = read_line(line)?;
        let mut of_questions = LISTS_OF_QUESTIONS.lines().filter_map(read_line);
        let in_questions = of_questions.find(|(other, _)| *other == language);
        let in_questions = in_questions.map(|(_, words)| words).unwrap_or_default();
        Some(Words { language, english, in_questions })
    };
    READ.get_or_init(|| LISTS.lines().filter_map(words).collect()).iter()
}

fn read_line(line: &'static str) -> Option<(Language, EnglishWords)> {
    let mut entries = line.split(' ');
    let language = Language::named(entries.next()?)?;
    Some((language, entries.filter_map(|entry| entry.split_once(':')).collect()))
}

impl Words {
    /// The English word for `word` (lower case).
    pub(crate) fn english(&self, word: &str) -> Option<&'static str> {
        english(&self.english, word)
    }

    /// The same, in a question.
    pub(crate) fn english_in_question(&self, word: &str) -> Option<&'static str> {
        self.english(word).or_else(|| english(&self.in_questions, word))
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

fn english(words: &EnglishWords, word: &str) -> Option<&'static str> {
    // "l'année": what is before an apostrophe is another word.
    let whole = words.get(word);
    let after = || words.get(word.rsplit_once(APOSTROPHES)?.1);
    whole.or_else(after).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_questions_are_of_a_language_with_a_list_and_not_in_it() {
        for line in LISTS_OF_QUESTIONS.lines() {
            let (language, words) = read_line(line).unwrap();
            let known = of(language).unwrap();
            assert!(known.in_questions == words, "{language:?}");
            for word in words.keys() {
                assert!(!known.english.contains_key(word), "{word}");
            }
        }
    }

    #[test]
    fn every_entry_is_a_word_and_an_english_one_in_a_known_language() {
        for line in LISTS.lines().chain(LISTS_OF_QUESTIONS.lines()) {
            let (language, english) = read_line(line).unwrap();
            assert_eq!(line.split(' ').count() - 1, english.len(), "{language:?}");
            for (word, english) in english {
                assert_eq!(word.to_lowercase(), word, "{language:?}");
                assert!(english.bytes().all(|byte| byte.is_ascii_lowercase()), "{english}");
            }
        }
    }
}
