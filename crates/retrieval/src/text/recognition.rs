//! Which language a text in Latin letters is in.
//!
//! Function words (articles, prepositions, pronouns, question words) decide, and in languages that
//! have few of them also endings. Both are looked up once per word and cached with it, so that
//! recognition costs next to nothing. A short text without such words has the language of its
//! space. That is also the answer if there is as much evidence for it as for any other language:
//! a wrong language is worse than none. `docs/design/0032-languages.md` compares this with models
//! of letter sequences.
//!
//! The lists are in `data/function-words.txt`: a line per language, endings after a hyphen. They
//! are also the stop words.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::language::{Language, Languages, is_persian, is_serbian, is_ukrainian};
use super::stop_words::{is_english_stop_word, is_negation};

static LISTS: &str = include_str!("../../data/function-words.txt");

/// Words of a text that are examined.
pub(super) const WORDS_EXAMINED_MAX: usize = 128;
/// Points of a word that belongs to a language.
const POINTS: u32 = 4;
/// Further points of a word that belongs to one language only: they decide between related ones.
const ONLY_POINTS: u32 = 1;
/// Of how many different words of a text one is a function word, at least.
const WORDS_OF_FUNCTION_WORD: usize = 12;
/// Least evidence in a question, which is short, and is compared only with the languages that the
/// space holds.
pub(super) const QUESTION_POINTS_MIN: u32 = POINTS;
/// By how much the evidence for a language exceeds that for the space's.
pub(super) const LEAD: u32 = 1;
/// The same in a text without other letters than those of English: more than one word that no other
/// language has, as "van" in "Tom drives a green van", "War" in "War museum visit in May" and "Oma"
/// in "Oma visits on Sunday".
pub(super) const ASCII_LEAD: u32 = POINTS + 2 * ONLY_POINTS;
/// Points of a function word with a letter that English does not have.
const DISTINCT_POINTS: u32 = 2 * POINTS;
/// A word that is judged by its ending has at least this many characters.
const INFLECTED_CHARS_MIN: usize = 6;

/// Least evidence for a language other than the space's in a text of so many different words: two
/// function words, or one with a letter that English does not have, and more in a long text.
pub(super) fn points_min(words: usize) -> u32 {
    // At most WORDS_EXAMINED_MAX words are examined.
    POINTS * (words / WORDS_OF_FUNCTION_WORD).max(2) as u32
}

/// What a word says about the language of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    languages: Languages,
    points: u32,
}

impl Evidence {
    /// Whether it says nothing.
    pub(super) fn is_empty(self) -> bool {
        self.languages.is_empty()
    }

    /// Of a word in lower case.
    pub(super) fn of(word: &str) -> Self {
        let lists = Lists::get();
        let mut languages = Languages::NONE;
        let word = match word.split_once(['\'', '\u{2019}']) {
            // "l'école": an apostrophe joins function words to others in few languages.
            Some((before, _)) => {
                let eliding = lists.with_word(before).iter().filter(|language| language.elides());
                languages = eliding.map(Languages::of).fold(languages, Languages::with);
                if is_negation(word) {
                    languages = Languages::of(Language::English);
                }
                before
            }
            None => {
                languages = lists.with_word(word);
                word
            }
        };
        if is_english_stop_word(word) {
            languages = languages.with(Languages::of(Language::English));
        }
        let mut points = if word.is_ascii() { POINTS } else { DISTINCT_POINTS };
        if languages.is_empty() {
            (languages, points) = (lists.with_ending_of(word), POINTS);
        }
        if languages.is_single() {
            points += ONLY_POINTS;
        }
        Self { languages, points }
    }
}

impl Evidence {
    /// Of a word in Arabic letters.
    pub(super) fn of_arabic(word: &str) -> Self {
        match word.contains(is_persian) {
            true => Self { languages: Languages::of(Language::Persian), points: POINTS },
            false => Self::default(),
        }
    }

    /// Of a word in Cyrillic letters, in lower case.
    pub(super) fn of_cyrillic(word: &str) -> Self {
        let language = if word.contains(is_ukrainian) {
            Language::Ukrainian
        } else if word.contains(is_serbian) {
            Language::Croatian
        } else {
            return Self::default();
        };
        Self { languages: Languages::of(language), points: POINTS }
    }
}

/// Whether `word` (lower case) is a function word of `language`.
pub(super) fn is_function_word(word: &str, language: Language) -> bool {
    match language {
        Language::English => is_english_stop_word(word),
        _ => Lists::get().with_word(word).contains(language),
    }
}

/// Whether `word` (lower case) is a function word of another language than English.
pub(super) fn is_function_word_elsewhere(word: &str) -> bool {
    !Lists::get().with_word(word).without(Language::English).is_empty()
}

/// The evidence of the words of a text.
#[derive(Clone, Debug)]
pub(super) struct Tally([u32; Language::ALL.len()]);

impl Default for Tally {
    fn default() -> Self {
        Self([0; Language::ALL.len()])
    }
}

impl Tally {
    pub(super) fn add(&mut self, evidence: Evidence) {
        if evidence.languages.is_empty() {
            return;
        }
        for language in evidence.languages.iter() {
            self.0[language as usize] += evidence.points;
        }
    }

    /// Whether there is more evidence for a language than for each of `others`.
    pub(super) fn is_clear(&self, language: Language, others: Languages) -> bool {
        let points = |language: Language| self.0[language as usize];
        points(language) > others.iter().map(points).max().unwrap_or(0)
    }

    /// The language with the most evidence among `candidates`, if that is at least `points_min` and
    /// by `lead` more than for `usual`; otherwise `usual`.
    pub(super) fn decide(
        &self,
        usual: Language,
        candidates: Option<Languages>,
        points_min: u32,
        lead: u32,
    ) -> Language {
        let points = |language: Language| self.0[language as usize];
        Language::ALL
            .into_iter()
            .filter(|language| candidates.is_none_or(|candidates| candidates.contains(*language)))
            .filter(|language| points(*language) >= points_min)
            // Of equal ones, the first.
            .rev()
            .max_by_key(|language| points(*language))
            .filter(|language| points(*language) >= points(usual) + lead)
            .unwrap_or(usual)
    }
}

struct Lists {
    words: HashMap<&'static str, Languages, foldhash::fast::RandomState>,
    endings: HashMap<&'static str, Languages, foldhash::fast::RandomState>,
    ending_bytes_max: usize,
}

impl Lists {
    fn get() -> &'static Self {
        static READ: OnceLock<Lists> = OnceLock::new();
        READ.get_or_init(|| Self::read(LISTS))
    }

    fn read(lists: &'static str) -> Self {
        let mut read =
            Self { words: HashMap::default(), endings: HashMap::default(), ending_bytes_max: 0 };
        for line in lists.lines() {
            let mut entries = line.split(' ');
            let name = entries.next().unwrap_or_default();
            let Some(language) = Language::named(name) else { continue };
            for entry in entries {
                let (list, entry) = match entry.strip_prefix('-') {
                    Some(ending) => {
                        read.ending_bytes_max = read.ending_bytes_max.max(ending.len());
                        (&mut read.endings, ending)
                    }
                    None => (&mut read.words, entry),
                };
                let languages = list.entry(entry).or_default();
                *languages = languages.with(Languages::of(language));
            }
        }
        read
    }

    fn with_word(&self, word: &str) -> Languages {
        self.words.get(word).copied().unwrap_or_default()
    }

    fn with_ending_of(&self, word: &str) -> Languages {
        if word.len() < INFLECTED_CHARS_MIN || word.chars().count() < INFLECTED_CHARS_MIN {
            return Languages::NONE;
        }
        let endings = (1..=self.ending_bytes_max.min(word.len() - 1))
            .filter_map(|length| word.get(word.len() - length..))
            .filter_map(|ending| self.endings.get(ending));
        endings.fold(Languages::NONE, |all, languages| all.with(*languages))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_a_language_and_is_sorted() {
        let mut names = Vec::new();
        for line in LISTS.lines() {
            let (name, entries) = line.split_once(' ').unwrap();
            assert!(Language::named(name).is_some(), "{name}");
            names.push(name);
            let (endings, words): (Vec<&str>, Vec<&str>) =
                entries.split(' ').partition(|entry| entry.starts_with('-'));
            for list in [endings, words] {
                assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{name}: {list:?}");
            }
        }
        assert!(names.is_sorted(), "{names:?}");
    }
}
