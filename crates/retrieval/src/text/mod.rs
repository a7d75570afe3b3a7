//! Text analysis: the terms of a text.
//!
//! A document and a question must yield the same terms, so both go through [`Analyzer`]: NFKC,
//! Unicode word segmentation, lower case, truncation at the apostrophe, stop word removal, base
//! forms of irregular words (went → go), Snowball stemmer. Scripts without spaces yield overlapping
//! pairs of characters. Identifiers (`parse_config`) yield themselves and their parts. The analyser
//! also detects whether a text contains a time expression and whether it ends as a question.
//!
//! An analyser caches the terms of each word, so that a stream of records costs one look-up per
//! word. The design of recall ("Text") has the source and the effect of each step.

mod irregular;
pub mod passages;
pub mod standing;
mod stop_words;
pub(crate) mod time_expressions;
pub mod visible;
pub(crate) mod words;

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

pub(crate) use stop_words::is_english_stop_word;
use stop_words::is_negation;
use time_expressions::{TimeRole, TimeScan, time_role};
use words::{Word, cut_at_apostrophe, parts, visit_words};

/// Longest word that becomes a term, in bytes. Long enough for a hash in hexadecimal; longer words
/// are data.
pub const TERM_BYTES_MAX: usize = 128;

/// Most occurrences of terms in one document; the rest of the text is not indexed.
pub const TERM_OCCURRENCES_MAX: usize = 65_536;

/// Most words in an analyser's cache.
const CACHED_WORDS_MAX: usize = 131_072;

/// The normalised form of a word in the index: the unit of matching between a question and a
/// document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(Arc<str>);

impl Term {
    /// The term's text, as stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Term {
    /// Restores a term from the index, without stemming.
    fn from(stored: &str) -> Self {
        Self(Arc::from(stored))
    }
}

impl Borrow<str> for Term {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Term {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Term {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// The language of a space: its stemmer, stop words and irregular forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// No stemming and no stop words.
    Other,
}

impl Language {
    fn stemmer(self) -> Option<Stemmer> {
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
            Self::Other => return None,
        };
        Some(Stemmer::create(algorithm))
    }
}

/// The result of analysing a document's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Analysis {
    /// Each term and how often it occurs, sorted by term.
    pub terms: Vec<(Term, u32)>,
    /// Sum of the counts: the document's length.
    pub length: u32,
    /// True if the text contains a time expression.
    pub timex: bool,
    /// True if the text ends with a question mark.
    pub is_question: bool,
}

/// Turns texts into terms. Keep one per thread and language, because it caches words.
///
/// ```
/// use retrieval::text::{Analyzer, Language};
///
/// let mut analyzer = Analyzer::new(Language::English);
/// let turn = analyzer.analyze("We went camping last week!", &[]);
/// let terms: Vec<&str> = turn.terms.iter().map(|(term, _)| term.as_str()).collect();
/// assert_eq!(terms, ["camp", "go", "last", "week"]);
/// assert!(turn.timex && !turn.is_question);
/// ```
pub struct Analyzer {
    language: Language,
    stemmer: Option<Stemmer>,
    /// Indexes in `entries` by word.
    cache: Cache<Box<str>>,
    entries: Vec<WordEntry>,
    /// Slots by term.
    slots: Cache<Term>,
    terms: Vec<Term>,
    /// How often the cache was cleared.
    generation: u64,
    /// The terms of the text being read, kept for its allocation.
    found: Vec<Slot>,
}

type Cache<Name> = HashMap<Name, u32, foldhash::fast::RandomState>;

/// The number of a term in one analyser, from 0, valid until its [`Analyzer::generation`] changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// The cached analysis of a word.
struct WordEntry {
    terms: Box<[Slot]>,
    time_role: TimeRole,
}

/// An [`Analysis`] with slots in place of terms, for callers with tables of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotAnalysis {
    /// Each term and how often it occurs, sorted by slot.
    pub slots: Vec<(Slot, u32)>,
    /// Sum of the counts.
    pub length: u32,
    /// True if the text contains a time expression.
    pub timex: bool,
    /// True if the text ends with a question mark.
    pub is_question: bool,
}

impl Analyzer {
    /// An analyser with an empty cache.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            stemmer: language.stemmer(),
            cache: Cache::default(),
            entries: Vec::new(),
            slots: Cache::default(),
            terms: Vec::new(),
            generation: 0,
            found: Vec::new(),
        }
    }

    /// Its language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The generation of the slots that [`Self::analyze_slots`] returned last. Slots of different
    /// generations are not comparable.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The term of a slot of the current generation.
    pub fn term_at(&self, slot: Slot) -> Option<&Term> {
        self.terms.get(slot.0 as usize)
    }

    /// Analyses a document: its own `text`, and additional searchable text (title, captions, tags).
    /// Only the text decides whether the document is a question. At most [`TERM_OCCURRENCES_MAX`]
    /// occurrences are counted.
    pub fn analyze(&mut self, text: &str, more: &[&str]) -> Analysis {
        let SlotAnalysis { slots, length, timex, is_question } = self.analyze_slots(text, more);
        let named = slots
            .into_iter()
            .filter_map(|(slot, count)| Some((self.term_at(slot)?.clone(), count)));
        let mut terms: Vec<(Term, u32)> = named.collect();
        terms.sort_unstable();
        Analysis { terms, length, timex, is_question }
    }

    /// [`Self::analyze`] with slots in place of terms, several times faster.
    pub fn analyze_slots(&mut self, text: &str, more: &[&str]) -> SlotAnalysis {
        self.limit_cache();
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let mut times = TimeScan::new();
        for part in std::iter::once(&text).chain(more) {
            self.read(part, &mut found, &mut times);
            times.separate();
        }
        let length = u32::try_from(found.len()).unwrap_or(u32::MAX);
        found.sort_unstable();
        let mut slots: Vec<(Slot, u32)> = Vec::with_capacity(found.len());
        for slot in found.drain(..) {
            match slots.last_mut() {
                Some((last, count)) if *last == slot => *count = count.saturating_add(1),
                _ => slots.push((slot, 1)),
            }
        }
        self.found = found;
        SlotAnalysis { slots, length, timex: times.found(), is_question: ends_as_question(text) }
    }

    /// The terms of one word, in order: none for a stop word, several for a compound identifier.
    pub(crate) fn terms_of_word(&mut self, word: Word<'_>) -> Vec<Term> {
        self.limit_cache();
        let entry = self.entry(word);
        self.named(&self.entries[entry].terms)
    }

    /// All terms of a text in order, repeated as they occur.
    pub fn terms(&mut self, text: &str) -> Vec<Term> {
        self.limit_cache();
        let mut found = Vec::new();
        self.read(text, &mut found, &mut TimeScan::new());
        self.named(&found)
    }

    fn named(&self, slots: &[Slot]) -> Vec<Term> {
        slots.iter().filter_map(|slot| self.term_at(*slot).cloned()).collect()
    }

    /// Clears the cache when it is full. Called only between texts, because the slots of one text
    /// must stay valid.
    fn limit_cache(&mut self) {
        if self.cache.len() >= CACHED_WORDS_MAX {
            self.cache.clear();
            self.entries.clear();
            self.slots.clear();
            self.terms.clear();
            self.generation += 1;
        }
    }

    fn read(&mut self, text: &str, found: &mut Vec<Slot>, times: &mut TimeScan) {
        let normal = normalize(text);
        let text: &str = &normal;
        visit_words(text, |word| {
            let entry = self.entry(word);
            let entry = &self.entries[entry];
            found.extend_from_slice(&entry.terms);
            if !times.found() {
                times.take(entry.time_role, text.as_bytes().get(word.end()..).unwrap_or_default());
            }
            found.len() < TERM_OCCURRENCES_MAX
        });
        found.truncate(TERM_OCCURRENCES_MAX);
    }

    /// The index of a word's entry, which is added if missing.
    fn entry(&mut self, word: Word<'_>) -> usize {
        // Words too long for a term all share the entry of the empty word, which has no terms.
        let key = if word.text.len() > TERM_BYTES_MAX { "" } else { word.text };
        if let Some(place) = self.cache.get(key) {
            return *place as usize;
        }
        let (terms, time_role) = self.make_entry(Word { text: key, ..word });
        let terms = terms.into_iter().map(|term| self.slot(term)).collect();
        let place = self.entries.len();
        self.entries.push(WordEntry { terms, time_role });
        // There are at most CACHED_WORDS_MAX entries plus those of one text.
        self.cache.insert(key.into(), place as u32);
        place
    }

    fn slot(&mut self, term: Term) -> Slot {
        let next = self.terms.len() as u32;
        let slot = *self.slots.entry(term.clone()).or_insert(next);
        if slot == next {
            self.terms.push(term);
        }
        Slot(slot)
    }

    fn make_entry(&self, word: Word<'_>) -> (Vec<Term>, TimeRole) {
        if word.unspaced {
            return (vec![Term::from(word.text)], TimeRole::None);
        }
        let mut terms = Vec::new();
        let is_stop_word = self.language == Language::English && is_negation(word.text);
        let stem = if is_stop_word { "" } else { cut_at_apostrophe(word.text) };
        for part in std::iter::once(stem).chain(parts(stem)) {
            if let Some(term) = self.term(&part.to_lowercase())
                && !terms.contains(&term)
            {
                terms.push(term);
            }
        }
        (terms, time_role(&word.text.to_lowercase()))
    }

    /// The term of a single word in lower case.
    fn term(&self, word: &str) -> Option<Term> {
        if word.is_empty() || word.len() > TERM_BYTES_MAX {
            return None;
        }
        if word.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            return Some(Term(number_term(word)));
        }
        let english = self.language == Language::English;
        if english && (is_english_stop_word(word) || word.len() == 1) {
            return None;
        }
        let base = if english { irregular::base_form(word).unwrap_or(word) } else { word };
        if english && is_english_stop_word(base) {
            return None;
        }
        Some(match &self.stemmer {
            Some(stemmer) => Term(Arc::from(without_marks(&stemmer.stem(base)).as_ref())),
            None => Term::from(without_marks(base).as_ref()),
        })
    }
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Analyzer").field("language", &self.language).finish_non_exhaustive()
    }
}

/// NFKC, which unifies full-width, ligature and composed spellings. Most text is already
/// normalised.
pub(crate) fn normalize(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        text.into()
    } else {
        text.nfkc().collect::<String>().into()
    }
}

/// Removes the diacritics of Latin letters, so that Goran finds Göran. It runs after stemming,
/// which needs them. Other scripts keep their marks, which are letters there.
pub(crate) fn without_marks(word: &str) -> std::borrow::Cow<'_, str> {
    if word.is_ascii() {
        return word.into();
    }
    let mut plain = String::with_capacity(word.len());
    let mut after_latin = false;
    for character in word.nfd() {
        match character {
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' => plain.push('d'),
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            '\u{300}'..='\u{36f}' if after_latin => continue,
            other => plain.push(other),
        }
        after_latin = character.is_ascii_alphabetic();
    }
    plain.nfc().collect::<String>().into()
}

/// `1,000` is 1000 and `7th` is 7.
fn number_term(word: &str) -> Arc<str> {
    if let Some(number) = time_expressions::cardinal_or_ordinal(word) {
        return Arc::from(number.to_string());
    }
    if word.contains(',') { Arc::from(word.replace(',', "")) } else { Arc::from(word) }
}

/// True if the text ends with a question mark, ignoring closing punctuation, emoji and space after
/// it.
fn ends_as_question(text: &str) -> bool {
    let last = text
        .chars()
        .rev()
        .find(|character| is_sentence_end(*character) || character.is_alphanumeric());
    last.is_some_and(is_question_mark)
}

/// Question marks: Latin, full-width, Arabic, Greek, doubled.
fn is_question_mark(character: char) -> bool {
    matches!(character, '?' | '\u{FF1F}' | '\u{061F}' | '\u{037E}' | '\u{2047}' | '\u{2048}')
}

fn is_sentence_end(character: char) -> bool {
    is_question_mark(character)
        || matches!(character, '.' | '!' | '\u{3002}' | '\u{FF01}' | '\u{2026}')
}

#[cfg(test)]
mod tests;
