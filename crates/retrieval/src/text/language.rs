//! Languages: what a language does to words, and which language a word has.
//!
//! A script that one of the stemmers serves decides alone. Words in Latin letters have the language
//! of their text, which [`super::recognition`] finds. It also finds texts in Persian and Urdu,
//! whose words the Arabic stemmer would cut wrongly, and in Ukrainian and Serbian (as Croatian:
//! its stemmer writes both in Latin letters). Any other Cyrillic word is stemmed as Russian,
//! because related languages share most endings and both sides of a search are treated alike.
//! Words in other scripts are not stemmed.

use serde::{Deserialize, Serialize};
use snowball_stemmers_rs::{Algorithm, Stemmer};

/// A language: its stemmer, stop words and irregular forms. As the setting of a space, it is the
/// language of the texts whose language is not recognised.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The names are self-explanatory.
pub enum Language {
    Arabic,
    Danish,
    Dutch,
    #[default]
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
    Catalan,
    Croatian,
    Czech,
    Hindi,
    Indonesian,
    Polish,
    Ukrainian,
    Armenian,
    Basque,
    Estonian,
    Lithuanian,
    // Those below have no stemmer.
    Icelandic,
    Latvian,
    Persian,
    Vietnamese,
    /// No stemming and no stop words.
    Other,
}

impl Language {
    /// All of them, in order.
    pub const ALL: [Self; 34] = [
        Self::Arabic,
        Self::Danish,
        Self::Dutch,
        Self::English,
        Self::Finnish,
        Self::French,
        Self::German,
        Self::Greek,
        Self::Hungarian,
        Self::Italian,
        Self::Norwegian,
        Self::Portuguese,
        Self::Romanian,
        Self::Russian,
        Self::Spanish,
        Self::Swedish,
        Self::Tamil,
        Self::Turkish,
        Self::Catalan,
        Self::Croatian,
        Self::Czech,
        Self::Hindi,
        Self::Indonesian,
        Self::Polish,
        Self::Ukrainian,
        Self::Armenian,
        Self::Basque,
        Self::Estonian,
        Self::Lithuanian,
        Self::Icelandic,
        Self::Latvian,
        Self::Persian,
        Self::Vietnamese,
        Self::Other,
    ];

    /// Its name in settings, lists and the index.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arabic => "arabic",
            Self::Danish => "danish",
            Self::Dutch => "dutch",
            Self::English => "english",
            Self::Finnish => "finnish",
            Self::French => "french",
            Self::German => "german",
            Self::Greek => "greek",
            Self::Hungarian => "hungarian",
            Self::Italian => "italian",
            Self::Norwegian => "norwegian",
            Self::Portuguese => "portuguese",
            Self::Romanian => "romanian",
            Self::Russian => "russian",
            Self::Spanish => "spanish",
            Self::Swedish => "swedish",
            Self::Tamil => "tamil",
            Self::Turkish => "turkish",
            Self::Catalan => "catalan",
            Self::Croatian => "croatian",
            Self::Czech => "czech",
            Self::Hindi => "hindi",
            Self::Indonesian => "indonesian",
            Self::Persian => "persian",
            Self::Polish => "polish",
            Self::Ukrainian => "ukrainian",
            Self::Armenian => "armenian",
            Self::Basque => "basque",
            Self::Estonian => "estonian",
            Self::Lithuanian => "lithuanian",
            Self::Icelandic => "icelandic",
            Self::Latvian => "latvian",
            Self::Vietnamese => "vietnamese",
            Self::Other => "other",
        }
    }

    /// The language with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    pub(super) fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Self::Arabic => Algorithm::Arabic,
            Self::Danish => Algorithm::Danish,
            Self::Dutch => Algorithm::Dutch,
            Self::English => Algorithm::English,
            Self::Finnish => Algorithm::Finnish,
            Self::French => Algorithm::French,
            Self::German => Algorithm::German,
            Self::Greek => Algorithm::Greek,
            Self::Hungarian => Algorithm::Hungarian,
            Self::Italian => Algorithm::Italian,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Romanian => Algorithm::Romanian,
            Self::Russian => Algorithm::Russian,
            Self::Spanish => Algorithm::Spanish,
            Self::Swedish => Algorithm::Swedish,
            Self::Tamil => Algorithm::Tamil,
            Self::Turkish => Algorithm::Turkish,
            Self::Catalan => Algorithm::Catalan,
            Self::Czech => Algorithm::Czech,
            Self::Hindi => Algorithm::Hindi,
            Self::Indonesian => Algorithm::Indonesian,
            Self::Polish => Algorithm::Polish,
            Self::Ukrainian => Algorithm::Ukrainian,
            // Made from one for Croatian.
            Self::Croatian => Algorithm::Serbian,
            Self::Armenian => Algorithm::Armenian,
            Self::Basque => Algorithm::Basque,
            Self::Estonian => Algorithm::Estonian,
            Self::Lithuanian => Algorithm::Lithuanian,
            // Persian has a Snowball stemmer, which finds less than the words as they are (0032).
            Self::Icelandic | Self::Latvian | Self::Persian | Self::Vietnamese | Self::Other => {
                return None;
            }
        };
        Some(Stemmer::create(algorithm))
    }

    /// Whether its articles and prepositions are joined to the next word by an apostrophe
    /// ("l'école", "dell'arte").
    pub(super) fn elides(self) -> bool {
        matches!(self, Self::Catalan | Self::French | Self::Italian)
    }
}

/// A set of languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Languages(u64);

impl Languages {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of one language.
    pub fn of(language: Language) -> Self {
        Self(1 << language as u32)
    }

    /// The union of two sets.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set without one language.
    #[must_use]
    pub fn without(self, language: Language) -> Self {
        Self(self.0 & !Self::of(language).0)
    }

    /// Whether it contains `language`.
    pub fn contains(self, language: Language) -> bool {
        self.0 & Self::of(language).0 != 0
    }

    /// Whether it contains no language.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it contains exactly one language.
    pub fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Its languages, in order.
    pub fn iter(self) -> impl Iterator<Item = Language> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let language = Language::ALL.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(*language)
        })
    }
}

/// What decides the language of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordLanguage {
    /// Its script.
    Fixed(Language),
    /// Its text: the word is in Latin letters.
    OfText,
    /// Whether its text is Persian or Urdu: the word is in Arabic letters.
    ArabicUnlessPersian,
    /// Whether its text is Ukrainian or Serbian: the word is in Cyrillic letters.
    Cyrillic,
}

impl WordLanguage {
    /// The language of the word in a text of `language`, where texts that are not recognised have
    /// the language `usual`.
    pub(super) fn in_text_of(self, language: Language, usual: Language) -> Language {
        match (self, language) {
            (Self::Fixed(language), _) => language,
            (Self::OfText, Language::Persian | Language::Ukrainian) if usual == language => {
                Language::Other
            }
            (Self::OfText, Language::Persian | Language::Ukrainian) => usual,
            (Self::OfText, language) => language,
            (Self::ArabicUnlessPersian, Language::Persian) => Language::Other,
            (Self::ArabicUnlessPersian, _) => Language::Arabic,
            (Self::Cyrillic, Language::Ukrainian | Language::Croatian) => language,
            (Self::Cyrillic, _) => Language::Russian,
        }
    }
}

/// Decides by the first letter. A word without letters, such as a number, has no language.
pub(super) fn word_language(word: &str) -> WordLanguage {
    let letter = match word.as_bytes().first() {
        Some(first) if first.is_ascii_alphabetic() => return WordLanguage::OfText,
        _ => word.chars().find(|character| character.is_alphabetic()),
    };
    let Some(letter) = letter else { return WordLanguage::Fixed(Language::Other) };
    WordLanguage::Fixed(match letter {
        letter if is_latin(letter) => return WordLanguage::OfText,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Language::Greek,
        '\u{400}'..='\u{52f}' => return WordLanguage::Cyrillic,
        '\u{530}'..='\u{58f}' => Language::Armenian,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => return WordLanguage::ArabicUnlessPersian,
        '\u{900}'..='\u{97f}' => Language::Hindi,
        '\u{b80}'..='\u{bff}' => Language::Tamil,
        _ => Language::Other,
    })
}

/// Whether a letter is Latin, with or without marks.
pub fn is_latin(letter: char) -> bool {
    matches!(letter,
        'a'..='z' | 'A'..='Z' | 'ª' | 'º' | 'À'..='ʯ' | '\u{1e00}'..='\u{1eff}'
        | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}'
        | '\u{fb00}'..='\u{fb06}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}')
}

/// Letters of Persian and Urdu that Arabic does not have.
pub(super) fn is_persian(letter: char) -> bool {
    matches!(letter, 'پ' | 'چ' | 'ژ' | 'گ' | 'ک' | 'ی' | 'ٹ' | 'ڈ' | 'ڑ' | 'ں' | 'ے' | 'ہ' | 'ھ')
}

/// Letters of Ukrainian that Russian does not have.
pub(super) fn is_ukrainian(letter: char) -> bool {
    matches!(letter, 'і' | 'ї' | 'є' | 'ґ')
}

/// Letters of Serbian that Russian does not have.
pub(super) fn is_serbian(letter: char) -> bool {
    matches!(letter, 'ј' | 'љ' | 'њ' | 'ћ' | 'ђ' | 'џ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_languages_are_listed_in_order() {
        for (number, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!(language as usize, number, "{language:?}");
            assert_eq!(format!("{language:?}").to_lowercase(), language.name());
        }
        let all =
            Language::ALL.into_iter().map(Languages::of).fold(Languages::NONE, Languages::with);
        assert!(all.iter().eq(Language::ALL) && Languages::NONE.is_empty());
    }

    #[test]
    fn the_script_of_a_word_decides_if_a_single_stemmer_serves_it() {
        let fixed = WordLanguage::Fixed;
        for (word, expected) in [
            ("house", WordLanguage::OfText),
            ("Änderung", WordLanguage::OfText),
            ("việc", WordLanguage::OfText),
            ("школа", WordLanguage::Cyrillic),
            ("школы2", WordLanguage::Cyrillic),
            ("σχολείο", fixed(Language::Greek)),
            ("ἀρχή", fixed(Language::Greek)),
            ("المدرسة", WordLanguage::ArabicUnlessPersian),
            ("विद्यालय", fixed(Language::Hindi)),
            ("பள்ளி", fixed(Language::Tamil)),
            ("שלום", fixed(Language::Other)),
            ("2019", fixed(Language::Other)),
            ("", fixed(Language::Other)),
        ] {
            assert_eq!(word_language(word), expected, "{word}");
        }
    }
}
