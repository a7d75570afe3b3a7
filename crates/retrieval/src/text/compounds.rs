//! Words that have something to do with a word of a question, though they are other words.
//!
//! Germanic and Finno-Ugric languages write compounds in one word: who asks for the "Schlüssel"
//! also means the "Kellerschlüssel", and who asks for the "Kellerschlüssel" is answered by "der
//! Schlüssel zum Keller". No list of words says where a compound is cut. It is cut into words that
//! the memory knows, and a word is looked for at the beginnings and ends of longer ones. Endings
//! that the Russian stemmer leaves on, as of surnames, are found in the same way.
//!
//! The design note of languages ("Compounds") has the measurements.

use super::language::Language;
use super::term::terms_of;
use super::{Term, lower_case};

/// How much a longer word counts that contains the word of the question.
pub const SHARE_OF_LONGER: f64 = 0.5;
/// How much a part of the word of the question counts.
const SHARE_OF_PART: f64 = 0.6;
/// How much a part counts, if the memory does not know the rest.
const SHARE_WITHOUT_REST: f64 = 0.4;

/// Least letters of a part, and of a word that is looked for in longer ones.
const PART_CHARS_MIN: usize = 4;
/// Longest word that is cut, in letters.
const WORD_CHARS_MAX: usize = 40;
/// What stands between the parts of a compound.
const LINKS: [&str; 8] = ["", "s", "n", "en", "es", "e", "er", "ns"];

impl Language {
    /// Whether it writes compounds in one word.
    pub fn joins_words(self) -> bool {
        matches!(
            self,
            Self::Danish
                | Self::Dutch
                | Self::Estonian
                | Self::Finnish
                | Self::German
                | Self::Hungarian
                | Self::Icelandic
                | Self::Norwegian
                | Self::Swedish
        )
    }

    /// How many letters longer than a word another may be that begins with it; none if no such
    /// words are looked for. French, Spanish and others lost by it.
    fn longer_by(self) -> Option<usize> {
        match self {
            // Endings that the stemmer leaves on.
            Self::Russian => Some(3),
            _ => self.joins_words().then_some(WORD_CHARS_MAX),
        }
    }
}

/// A word of which a compound may be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its term.
    pub term: Term,
    /// How much it counts, of the compound.
    pub share: f64,
    /// Whether the memory knows the rest of the compound, too.
    pub rest_is_known: bool,
}

/// Where else a word of a question may be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Related {
    /// Longer words may begin with it, which are at most this many letters longer.
    pub longer_by: Option<usize>,
    /// Longer words may end with it.
    pub ends_words: bool,
    /// What it may be made of.
    letters: Vec<char>,
    /// Its beginnings, as terms, by where they end; ascending.
    beginnings: Vec<(usize, Term)>,
    /// Its ends, as terms, by where they begin; ascending.
    ends: Vec<(usize, Term)>,
}

impl Related {
    /// Of a word and its term in a language.
    pub(super) fn of(word: &str, term: &Term, language: Language) -> Self {
        if language.longer_by().is_none() || !word.chars().all(char::is_alphabetic) {
            return Self::default();
        }
        let is_long = term.as_str().chars().nth(PART_CHARS_MIN - 1).is_some();
        let joins = language.joins_words();
        let mut related = Self {
            longer_by: language.longer_by().filter(|_| is_long),
            ends_words: is_long && joins,
            ..Self::default()
        };
        let letters: Vec<char> = lower_case(word, language).chars().collect();
        if !joins || !(2 * PART_CHARS_MIN..=WORD_CHARS_MAX).contains(&letters.len()) {
            return related;
        }
        let part = |letters: &[char]| {
            let text: String = letters.iter().collect();
            terms_of(&text, language).into_iter().next().filter(|part| part != term)
        };
        for place in PART_CHARS_MIN..=letters.len() - PART_CHARS_MIN {
            let (before, after) = letters.split_at(place);
            related.beginnings.extend(part(before).map(|term| (place, term)));
            related.ends.extend(part(after).map(|term| (place, term)));
        }
        related.letters = letters;
        related
    }

    /// The words of which it may be made, of those that `is_known` accepts, each with its share.
    /// Without a cut that leaves known words on both sides, the longest of either side.
    pub fn parts<E>(
        &self,
        mut is_known: impl FnMut(&Term) -> Result<bool, E>,
    ) -> Result<Vec<Part>, E> {
        let mut known = |places: &[(usize, Term)]| -> Result<Vec<(usize, Term)>, E> {
            let mut known = Vec::new();
            for (place, term) in places {
                if is_known(term)? {
                    known.push((*place, term.clone()));
                }
            }
            Ok(known)
        };
        let (beginnings, ends) = (known(&self.beginnings)?, known(&self.ends)?);
        let mut parts: Vec<Part> = Vec::new();
        for (end, beginning) in &beginnings {
            for (start, rest) in &ends {
                let Some(between) = self.letters.get(*end..*start) else { continue };
                if LINKS.iter().any(|link| link.chars().eq(between.iter().copied())) {
                    for term in [beginning, rest] {
                        if parts.iter().all(|known| known.term != *term) {
                            let term = term.clone();
                            parts.push(Part { term, share: SHARE_OF_PART, rest_is_known: true });
                        }
                    }
                }
            }
        }
        if parts.is_empty() {
            let longest = ends.first().into_iter().chain(beginnings.last());
            parts.extend(longest.map(|(_, term)| Part {
                term: term.clone(),
                share: SHARE_WITHOUT_REST,
                rest_is_known: false,
            }));
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn related(word: &str, language: Language) -> Related {
        let term = terms_of(word, language).remove(0);
        Related::of(word, &term, language)
    }

    fn parts(word: &str, language: Language, known: &[&str]) -> Vec<(String, f64)> {
        let is_known = |term: &Term| Ok::<_, Infallible>(known.contains(&term.as_str()));
        let Ok(parts) = related(word, language).parts(is_known);
        parts.into_iter().map(|part| (part.term.as_str().to_owned(), part.share)).collect()
    }

    #[test]
    fn a_compound_is_cut_into_known_words() {
        let (part, half) = (SHARE_OF_PART, SHARE_WITHOUT_REST);
        for (word, language, known, expected) in [
            (
                "Kellerschlüssel",
                Language::German,
                &["kell", "schlussel"][..],
                &[("kell", part), ("schlussel", part)][..],
            ),
            (
                "Geburtstagsfeier",
                Language::German,
                &["geburtstag", "feier"],
                &[("geburtstag", part), ("feier", part)],
            ),
            (
                "Geburtstagsfeier",
                Language::German,
                &["tagsfei", "geburtstag"],
                &[("tagsfei", half), ("geburtstag", half)],
            ),
            ("Kellerschlüssel", Language::German, &["schlussel"], &[("schlussel", half)]),
            ("Kellerschlüssel", Language::German, &[], &[]),
            (
                "fietssleutel",
                Language::Dutch,
                &["fiet", "sleutel"],
                &[("fiet", part), ("sleutel", part)],
            ),
            ("workshop", Language::English, &["work", "shop"], &[]),
            ("мастерская", Language::Russian, &["мастер"], &[]),
        ] {
            let expected: Vec<_> =
                expected.iter().map(|(term, share)| ((*term).to_owned(), *share)).collect();
            assert_eq!(parts(word, language, known), expected, "{word} {known:?}");
        }
    }

    #[test]
    fn only_words_of_some_languages_are_looked_for_in_longer_ones() {
        for (word, language, longer_by, ends) in [
            ("Schlüssel", Language::German, Some(WORD_CHARS_MAX), true),
            ("Tür", Language::German, None, false),
            ("иванов", Language::Russian, Some(3), false),
            ("cantina", Language::Italian, None, false),
            ("cellar", Language::English, None, false),
            ("4711", Language::German, None, false),
        ] {
            let related = related(word, language);
            assert_eq!((related.longer_by, related.ends_words), (longer_by, ends), "{word}");
        }
    }

    #[test]
    fn any_word_is_cut_without_a_panic() {
        for word in ["", "a", "ß", "İİİİİİİİİİ", "ａｂｃｄｅｆｇｈ", "ﬃﬃﬃﬃﬃﬃﬃﬃﬃﬃ"]
        {
            for language in Language::ALL {
                let related = Related::of(word, &Term::from(word), language);
                let parts = related.parts(|_| Ok::<_, Infallible>(true));
                assert!(parts.is_ok_and(|parts| parts.len() <= 2 * word.len()));
            }
        }
        let long = "donaudampfschifffahrts".repeat(100);
        assert!(Related::of(&long, &Term::from("d"), Language::German).letters.is_empty());
    }
}
