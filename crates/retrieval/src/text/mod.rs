//! Text analysis: the terms of a text.
//!
//! A document and a question must yield the same terms, so both go through [`Analyzer`]: NFKC,
//! Unicode word segmentation, recognition of the language, lower case, truncation at the
//! apostrophe, stop word removal, base forms of irregular English words (went → go), Snowball
//! stemmer. Scripts without spaces yield overlapping pairs of characters. Identifiers
//! (`parse_config`) yield themselves and their parts, and what is written in parts ("LH 1834") the
//! whole as well ([`codes`]). The analyser also detects whether a text
//! contains a time expression and whether it ends as a question.
//!
//! Each text has a language of its own ([`recognition`]). A question is short, and may ask for a
//! name in records of several languages, so its words have a [`QueryTerm`]: the term in the
//! question's language, and the terms of the same word in the other languages that the space holds.
//!
//! An analyser caches the terms of each word, so that a stream of records costs one look-up per
//! word. The design of recall ("Text") has the source and the effect of each step.

pub(crate) mod codes;
pub mod compounds;
mod cut;
mod irregular;
mod language;
pub mod negation;
mod numbers;
pub mod passages;
mod recognition;
pub mod sentences;
pub mod standing;
mod stop_words;
mod term;
pub(crate) mod time_expressions;
pub(crate) mod time_words;
pub mod visible;
pub(crate) mod words;

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use codes::{Codes, WrittenIn};
use compounds::Related;
pub use cut::{cut, shorten};
pub use language::{Language, Languages, is_latin};
use language::{WordLanguage, word_language};
use recognition::{Evidence, Tally, WORDS_EXAMINED_MAX};

use serde::Serialize;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

pub use numbers::is_english_number;
pub use stop_words::is_english_stop_word;
use term::terms_of;
use time_expressions::{TimeRole, TimeScan, time_role};
pub use words::is_han;
use words::{Word, is_single_han, last_character, visit_words};

pub(crate) use term::{lower_case, without_marks};

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

/// A word of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueryTerm {
    /// Its term in the question's language.
    pub term: Term,
    /// Other terms of the same word, in other languages that the space holds.
    pub variants: Vec<Term>,
    /// Where else it may be found, as a word of the question's language.
    #[serde(skip)]
    pub related: Related,
}

impl QueryTerm {
    /// All its terms, that in the question's language first.
    pub fn all(&self) -> impl Iterator<Item = &Term> {
        std::iter::once(&self.term).chain(&self.variants)
    }
}

/// The languages of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct QueryLanguages {
    /// Its own.
    pub own: Language,
    /// The others that the space holds.
    pub others: Languages,
}

/// The result of analysing a document's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Analysis {
    /// Each term and how often it occurs, sorted by term.
    pub terms: Vec<(Term, u32)>,
    /// The document's length: the sum of the counts, except of single Han characters, which are
    /// parts of the pairs.
    pub length: u32,
    /// True if the text contains a time expression.
    pub timex: bool,
    /// True if the text ends with a question mark.
    pub is_question: bool,
    /// The language of its words in Latin letters, or that of others that share a script.
    pub language: Language,
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
    /// The language of texts whose language is not recognised.
    usual: Language,
    /// Indexes in `entries` by word.
    cache: Cache<Arc<str>>,
    entries: Vec<WordEntry>,
    /// Slots by term.
    slots: Cache<Term>,
    terms: Vec<Term>,
    /// How often the cache was cleared.
    generation: u64,
    /// The text being read, kept for its allocations.
    reading: Reading,
}

type Cache<Name> = HashMap<Name, u32, foldhash::fast::RandomState>;

/// The number of a term in one analyser, from 0, valid until its [`Analyzer::generation`] changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// The cached analysis of a word.
struct WordEntry {
    word: Arc<str>,
    language: WordLanguage,
    evidence: Evidence,
    /// Its terms in each language in which it occurred.
    terms: Vec<(Language, Box<[Slot]>)>,
    time_role: TimeRole,
    /// The same in the last of the other languages in which it was looked up.
    role_elsewhere: Option<(Language, TimeRole)>,
}

/// What was read of a text.
#[derive(Default)]
struct Reading {
    /// The language, once it is decided.
    language: Option<Language>,
    /// Entries of the words before that.
    undecided: Vec<u32>,
    evidence: Tally,
    /// The terms.
    found: Vec<Slot>,
}

/// An [`Analysis`] with slots in place of terms, for callers with tables of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotAnalysis {
    /// Each term and how often it occurs, sorted by slot.
    pub slots: Vec<(Slot, u32)>,
    /// As [`Analysis::length`].
    pub length: u32,
    /// True if the text contains a time expression.
    pub timex: bool,
    /// True if the text ends with a question mark.
    pub is_question: bool,
    /// The language of its words in Latin letters, or that of others that share a script.
    pub language: Language,
}

impl Analyzer {
    /// An analyser with an empty cache. `usual` is the language of texts whose language is not
    /// recognised.
    pub fn new(usual: Language) -> Self {
        Self {
            usual,
            cache: Cache::default(),
            entries: Vec::new(),
            slots: Cache::default(),
            terms: Vec::new(),
            generation: 0,
            reading: Reading::default(),
        }
    }

    /// The language of texts whose language is not recognised.
    pub fn usual_language(&self) -> Language {
        self.usual
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
        let SlotAnalysis { slots, length, timex, is_question, language } =
            self.analyze_slots(text, more);
        let named = slots
            .into_iter()
            .filter_map(|(slot, count)| Some((self.term_at(slot)?.clone(), count)));
        let mut terms: Vec<(Term, u32)> = named.collect();
        terms.sort_unstable();
        Analysis { terms, length, timex, is_question, language }
    }

    /// [`Self::analyze`] with slots in place of terms, several times faster.
    pub fn analyze_slots(&mut self, text: &str, more: &[&str]) -> SlotAnalysis {
        let mut times = TimeScan::new();
        let (language, mut found) =
            self.read(std::iter::once(&text).chain(more).copied(), &mut times);
        let is_single =
            |slot: &&Slot| self.term_at(**slot).is_some_and(|term| is_single_han(term.as_str()));
        let singles = match text.is_ascii() && more.iter().all(|part| part.is_ascii()) {
            true => 0,
            false => found.iter().filter(is_single).count(),
        };
        let length = u32::try_from(found.len() - singles).unwrap_or(u32::MAX);
        found.sort_unstable();
        let mut slots: Vec<(Slot, u32)> = Vec::with_capacity(found.len());
        for slot in found.drain(..) {
            match slots.last_mut() {
                Some((last, count)) if *last == slot => *count = count.saturating_add(1),
                _ => slots.push((slot, 1)),
            }
        }
        self.reading.found = found;
        let (timex, is_question) = (times.found(), ends_as_question(text));
        SlotAnalysis { slots, length, timex, is_question, language }
    }

    /// All terms of a text in order, repeated as they occur.
    pub fn terms(&mut self, text: &str) -> Vec<Term> {
        let (_, found) = self.read(std::iter::once(text), &mut TimeScan::new());
        let terms = self.named(&found);
        self.reading.found = found;
        terms
    }

    /// The languages of a question with these words, in a space that holds records in the languages
    /// `held`, and whether its words say that it is in its own rather than in another of these.
    pub(crate) fn query_languages(
        &mut self,
        words: &[Word<'_>],
        held: Languages,
    ) -> (QueryLanguages, bool) {
        self.limit_cache();
        let held = held.with(Languages::of(self.usual));
        let mut tally = Tally::default();
        for word in words {
            let entry = self.entry(*word);
            tally.add(self.entries[entry].evidence);
        }
        let own = tally.decide(
            self.usual,
            Some(held),
            recognition::QUESTION_POINTS_MIN,
            recognition::LEAD,
        );
        let others = held.without(own);
        (QueryLanguages { own, others }, tally.is_clear(own, others))
    }

    /// The language in which the times of a question are read: its own, by its function words,
    /// whatever the space holds, or `looked_up`, in which its words are looked up.
    pub(crate) fn language_of_times(
        &mut self,
        words: &[Word<'_>],
        looked_up: Language,
    ) -> Language {
        let mut tally = Tally::default();
        for word in words {
            let entry = self.entry(*word);
            tally.add(self.entries[entry].evidence);
        }
        let is_ascii = words.iter().all(|word| word.text.is_ascii());
        let lead = if is_ascii { recognition::ASCII_LEAD } else { recognition::LEAD };
        tally.decide(looked_up, None, recognition::points_min(words.len()), lead)
    }

    /// Whether a text is in another language than English, as far as its most common words or its
    /// letters tell.
    pub fn is_in_another_language(text: &str) -> bool {
        let words: Vec<String> = text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(recognition::WORDS_EXAMINED_MAX)
            .map(str::to_lowercase)
            .collect();
        let is_elsewhere = |word: &String| recognition::is_function_word_elsewhere(word);
        let foreign = words.iter().filter(|word| !word.is_ascii()).count();
        !words.iter().any(|word| is_english_stop_word(word))
            && (words.iter().any(is_elsewhere) || foreign > words.len() / 2)
    }

    /// Whether `word` (lower case) consists of function words of `language`: "qu'ai".
    pub(crate) fn is_of_function_words(word: &str, language: Language) -> bool {
        let is_one = |part: &str| recognition::is_function_word(part, language);
        let elided = |part: &str| part.len() == 1;
        is_one(word)
            || word.contains(words::APOSTROPHES)
                && word.split(words::APOSTROPHES).all(|part| elided(part) || is_one(part))
    }

    /// The terms of one word of a question, in order: none for a stop word of the question's
    /// language, several for a compound identifier.
    pub(crate) fn query_terms_of_word(
        &mut self,
        word: Word<'_>,
        languages: QueryLanguages,
    ) -> Vec<QueryTerm> {
        self.limit_cache();
        let entry = self.entry(word);
        let mut own = match word.first_of_run() {
            Some(first) => {
                let entry = self.entry(first);
                self.terms_in(entry, languages.own)
            }
            None => Vec::new(),
        };
        own.extend(self.terms_in(entry, languages.own));
        let mut terms: Vec<QueryTerm> = own
            .into_iter()
            .map(|term| QueryTerm { term, variants: Vec::new(), related: Related::default() })
            .collect();
        if let [only] = terms.as_mut_slice() {
            let of_word = self.entries.get(entry).map(|entry| entry.language);
            let language = of_word.map(|word| word.in_text_of(languages.own, self.usual));
            only.related = Related::of(word.text, &only.term, language.unwrap_or_default());
        }
        for language in languages.others.iter() {
            let others = self.terms_in(entry, language);
            if others.len() != terms.len() {
                // A stop word there, or an identifier with a part that is one.
                continue;
            }
            for (known, other) in terms.iter_mut().zip(others) {
                if known.all().all(|term| *term != other) {
                    known.variants.push(other);
                }
            }
        }
        terms
    }

    /// The terms of all words of a part of a question, such as a name.
    pub fn query_terms(&mut self, text: &str, languages: QueryLanguages) -> Vec<QueryTerm> {
        let normal = normalize(text);
        let mut terms = Vec::new();
        visit_words(&normal, |word| {
            terms.extend(self.query_terms_of_word(word, languages));
            terms.len() < TERM_OCCURRENCES_MAX
        });
        terms
    }

    fn terms_in(&mut self, entry: usize, language: Language) -> Vec<Term> {
        let mut found = Vec::new();
        self.find(entry, language, &mut found);
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

    /// Reads a text in parts: its language, and its terms in order.
    fn read<'text>(
        &mut self,
        parts: impl Iterator<Item = &'text str>,
        times: &mut TimeScan,
    ) -> (Language, Vec<Slot>) {
        self.limit_cache();
        let mut reading = std::mem::take(&mut self.reading);
        reading.begin();
        let mut codes = Codes::new(WrittenIn::Record);
        for part in parts {
            let normal = normalize(part);
            visit_words(&normal, |word| {
                for code in codes.take(&normal, &word) {
                    reading.found.extend(self.code(&normal, code));
                }
                if let Some(first) = word.first_of_run() {
                    let entry = self.entry(first);
                    match reading.language {
                        Some(language) => self.find(entry, language, &mut reading.found),
                        None => reading.undecided.push(entry as u32),
                    }
                }
                let entry = self.entry(word);
                if !times.found() {
                    let after = normal.as_bytes().get(word.end()..).unwrap_or_default();
                    let role = match reading.language {
                        Some(language) => self.time_role(entry, language),
                        None => self.entries[entry].time_role,
                    };
                    times.take(role, after);
                }
                match reading.language {
                    Some(language) => self.find(entry, language, &mut reading.found),
                    None => {
                        // Far fewer than 2³² entries: see `entry`.
                        let (evidence, number) = (self.entries[entry].evidence, entry as u32);
                        // A word that is repeated says no more than once: data repeats words.
                        if !evidence.is_empty() && !reading.undecided.contains(&number) {
                            reading.evidence.add(evidence);
                        }
                        reading.undecided.push(number);
                        if reading.undecided.len() >= WORDS_EXAMINED_MAX {
                            self.decide(&mut reading, times);
                        }
                    }
                }
                reading.found.len() < TERM_OCCURRENCES_MAX
            });
            for code in codes.end(&normal) {
                reading.found.extend(self.code(&normal, code));
            }
            reading.found.truncate(TERM_OCCURRENCES_MAX);
            times.separate();
        }
        let language = match reading.language {
            Some(language) => language,
            None => self.decide(&mut reading, times),
        };
        let found = std::mem::take(&mut reading.found);
        self.reading = reading;
        (language, found)
    }

    /// The term of a code that is written in parts, as if they were together.
    fn code(&mut self, text: &str, at: std::ops::Range<usize>) -> Option<Slot> {
        let whole = codes::joined(text.get(at)?);
        Some(self.slot(Term(Arc::from(whole))))
    }

    /// Decides the language of a text, and finds the terms and times of what was read of it.
    fn decide(&mut self, reading: &mut Reading, times: &mut TimeScan) -> Language {
        let is_ascii = |entry: &u32| {
            self.entries.get(*entry as usize).is_none_or(|known| known.word.is_ascii())
        };
        let lead = match reading.undecided.iter().all(is_ascii) {
            true => recognition::ASCII_LEAD,
            false => recognition::LEAD,
        };
        let mut language =
            reading.evidence.decide(self.usual, None, recognition::points_min(0), lead);
        if language != self.usual {
            let different: BTreeSet<u32> = reading.undecided.iter().copied().collect();
            let points_min = recognition::points_min(different.len());
            language = reading.evidence.decide(self.usual, None, points_min, lead);
        }
        reading.language = Some(language);
        if !times.found()
            && reading.undecided.iter().any(|entry| self.is_elsewhere(*entry, language))
        {
            times.change_language();
            for entry in &reading.undecided {
                times.take(self.time_role(*entry as usize, language), &[]);
            }
        }
        for entry in reading.undecided.drain(..) {
            self.find(entry as usize, language, &mut reading.found);
        }
        language
    }

    /// Appends the terms of an entry in a text of `language`, which are made if missing.
    fn find(&mut self, entry: usize, language: Language, found: &mut Vec<Slot>) {
        let Some(WordEntry { word, language: of_word, terms, .. }) = self.entries.get(entry) else {
            return;
        };
        let language = of_word.in_text_of(language, self.usual);
        if let Some((_, slots)) = terms.iter().find(|(known, _)| *known == language) {
            found.extend_from_slice(slots);
            return;
        }
        let terms = terms_of(&Arc::clone(word), language);
        let slots: Box<[Slot]> = terms.into_iter().map(|term| self.slot(term)).collect();
        found.extend_from_slice(&slots);
        if let Some(entry) = self.entries.get_mut(entry) {
            entry.terms.push((language, slots));
        }
    }

    /// Whether the time words of a language other than English are those of an entry in a text of
    /// `language`.
    fn is_elsewhere(&self, entry: u32, language: Language) -> bool {
        let entry = self.entries.get(entry as usize);
        let language = entry.map(|entry| entry.language.in_text_of(language, self.usual));
        language.is_some_and(|language| time_words::of(language).is_some())
    }

    /// The role of an entry in a text of `language`.
    fn time_role(&mut self, entry: usize, language: Language) -> TimeRole {
        let usual = self.usual;
        let Some(entry) = self.entries.get_mut(entry) else { return TimeRole::None };
        let language = entry.language.in_text_of(language, usual);
        if language == Language::English {
            return entry.time_role;
        }
        match entry.role_elsewhere {
            Some((known, role)) if known == language => role,
            _ => {
                let role = match time_words::of(language) {
                    Some(words) => words.time_role(&lower_case(&entry.word, language)),
                    None => entry.time_role,
                };
                entry.role_elsewhere = Some((language, role));
                role
            }
        }
    }

    /// The index of a word's entry, which is added if missing.
    fn entry(&mut self, word: Word<'_>) -> usize {
        // Words too long for a term all share the entry of the empty word, which has no terms.
        let key = if word.text.len() > TERM_BYTES_MAX { "" } else { word.text };
        if let Some(place) = self.cache.get(key) {
            return *place as usize;
        }
        let key: Arc<str> = Arc::from(key);
        let entry = if word.unspaced {
            let language = Language::Other;
            let pair = (!key.is_empty()).then(|| Arc::clone(&key));
            let terms = pair.into_iter().chain(last_character(&key).map(Arc::from));
            let slots = terms.map(|term| self.slot(Term(term))).collect();
            WordEntry {
                word: Arc::clone(&key),
                language: WordLanguage::Fixed(language),
                evidence: Evidence::default(),
                terms: vec![(language, slots)],
                time_role: TimeRole::None,
                role_elsewhere: None,
            }
        } else {
            let lower = lower_case(&key, Language::Other);
            let language = word_language(&key);
            WordEntry {
                word: Arc::clone(&key),
                language,
                evidence: match language {
                    WordLanguage::OfText => Evidence::of(&lower),
                    WordLanguage::ArabicUnlessPersian => Evidence::of_arabic(&key),
                    WordLanguage::Cyrillic => Evidence::of_cyrillic(&lower),
                    WordLanguage::Fixed(_) => Evidence::default(),
                },
                terms: Vec::new(),
                time_role: time_role(&lower),
                role_elsewhere: None,
            }
        };
        let place = self.entries.len();
        self.entries.push(entry);
        // There are at most CACHED_WORDS_MAX entries plus those of one text.
        self.cache.insert(key, place as u32);
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
}

impl Reading {
    fn begin(&mut self) {
        self.language = None;
        self.undecided.clear();
        self.evidence = Tally::default();
        self.found.clear();
    }
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Analyzer").field("usual", &self.usual).finish_non_exhaustive()
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
mod language_tests;
#[cfg(test)]
mod tests;
