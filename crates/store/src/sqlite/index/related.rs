//! Words that stand in for a word of a question: the parts of a compound, and longer words that
//! contain it ([`retrieval::text::compounds`]).
//!
//! The table of terms is read from a word on for those that begin with it. For those that end with
//! it, the long words of texts in languages that join words stand in the table backwards, too,
//! behind a mark, with no record.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use retrieval::question::Question;
use retrieval::rank::lexical::{self, TermCounts};
use retrieval::text::compounds::{Part, SHARE_OF_LONGER};
use retrieval::text::{QueryTerm, Term};
use rusqlite::params;

use super::pass::Pass;
use super::search::{Search, StandsFor, TermRows};
use super::variants::Rows;
use crate::StoreError;

/// What stands before a term backwards.
const BACKWARDS: char = '\u{4}';
/// Least letters of a term that is listed backwards: one that can be found by its end is shorter.
const LISTED_CHARS_MIN: usize = 7;
/// Longer words of one word of a question, the shortest first, for each of its two sides.
const LONGER_MAX: u32 = 16;
/// Words that stand in for those of one question.
const RELATED_MAX: usize = 128;
/// Words of a question that have others stand in for them, the first.
const WORDS_MAX: usize = 32;

/// A term as it is listed by its end; none if it is not.
pub(super) fn backwards(term: &Term) -> Option<String> {
    let term = term.as_str();
    let is_listed =
        term.chars().all(char::is_alphabetic) && term.chars().nth(LISTED_CHARS_MIN - 1).is_some();
    is_listed.then(|| reversed(term))
}

fn reversed(text: &str) -> String {
    std::iter::once(BACKWARDS).chain(text.chars().rev()).collect()
}

/// What stands in for the words of a question.
#[derive(Default)]
pub(super) struct RelatedRows {
    pub(super) rows: Vec<TermRows>,
    /// How many words of the question have stand-ins and are not in the index themselves.
    pub(super) unknown: u32,
    /// The weights of these by rarity: of each the greatest of what stands in for it.
    pub(super) idf_of_unknown: f64,
    /// The same by sessions.
    pub(super) session_idf_of_unknown: f64,
}

impl Search<'_> {
    /// What stands in for the words of a question and is not among them.
    pub(super) fn related(
        &self,
        question: &Question,
        documents: u64,
        sessions: u64,
    ) -> Result<RelatedRows, StoreError> {
        let mut taken: BTreeSet<Term> =
            question.terms.iter().flat_map(QueryTerm::all).cloned().collect();
        let mut found = RelatedRows::default();
        for word in question.terms.iter().take(WORDS_MAX) {
            let mut own = Vec::new();
            for term in word.all() {
                own.extend(self.rows(term)?);
            }
            let mut best = [0.0_f64; 2];
            let mut add = |term: Term, rows: Rows, rarity: [f64; 2], stands_for: StandsFor| {
                best = [best[0].max(rarity[0]), best[1].max(rarity[1])];
                let [idf, session_idf] = rarity.map(|idf| idf * stands_for.share);
                let (rows, sessions) = (rows.postings, rows.sessions);
                let stands_for = Some(stands_for);
                found.rows.push(TermRows { term, stands_for, idf, session_idf, rows, sessions });
            };
            let is_known = |part: &Term| Ok::<_, StoreError>(self.term_number(part)?.is_some());
            for Part { term, share, rest_is_known } in word.related.parts(is_known)? {
                if taken.len() < RELATED_MAX
                    && taken.insert(term.clone())
                    && let Some(rows) = self.rows(&term)?
                {
                    let rarity = self.rarity([&rows], documents, sessions);
                    let (word, is_whole) = (word.term.clone(), rest_is_known);
                    let stands_for = StandsFor { word, is_whole, is_longer: false, share };
                    add(term, rows, rarity, stands_for);
                }
            }
            let mut longer = Vec::new();
            for term in self.longer(word)? {
                if taken.len() < RELATED_MAX && taken.insert(term.clone()) {
                    longer.extend(self.rows(&term)?.map(|rows| (term, rows)));
                }
            }
            // They are one word to whoever asks, so they have one rarity.
            let all = longer.iter().map(|(_, rows)| rows).chain(&own);
            let rarity = self.rarity(all, documents, sessions);
            let stands_for = StandsFor {
                word: word.term.clone(),
                is_whole: true,
                is_longer: true,
                share: SHARE_OF_LONGER,
            };
            longer.into_iter().for_each(|(term, rows)| add(term, rows, rarity, stands_for.clone()));
            if own.is_empty() && best[0] > 0.0 {
                found.unknown += 1;
                found.idf_of_unknown += best[0];
                found.session_idf_of_unknown += best[1];
            }
        }
        Ok(found)
    }

    /// The weights by rarity, by documents and by sessions, of several terms as one word.
    fn rarity<'r>(
        &self,
        terms: impl IntoIterator<Item = &'r Rows>,
        documents: u64,
        sessions: u64,
    ) -> [f64; 2] {
        let (mut records, mut in_sessions) = (0_u64, 0_u64);
        for rows in terms {
            records = records.saturating_add(self.frequency(&rows.postings));
            in_sessions = in_sessions.saturating_add(rows.sessions.len() as u64);
        }
        [
            lexical::idf(documents, records.min(documents)),
            lexical::idf(sessions, in_sessions.min(sessions)),
        ]
    }

    /// Words that begin or end with a word of a question.
    fn longer(&self, word: &QueryTerm) -> Result<Vec<Term>, StoreError> {
        let text = word.term.as_str();
        let Some(longer_by) = word.related.longer_by else { return Ok(Vec::new()) };
        let letters = text.chars().count().saturating_add(longer_by);
        let is_near = |longer: &String| longer.chars().count() <= letters;
        let mut found: Vec<Term> = Vec::new();
        let beginning = self.beginning_with(text)?;
        found
            .extend(beginning.iter().filter(|word| is_near(word)).map(|word| word.as_str().into()));
        if word.related.ends_words {
            let listed = self.beginning_with(&reversed(text))?;
            let forwards = |listed: &String| listed.chars().rev().collect::<String>();
            let ending = listed.iter().map(forwards);
            found.extend(ending.map(|word| Term::from(word.trim_end_matches(BACKWARDS))));
        }
        Ok(found)
    }

    /// Entries of the table of terms that begin with a text and are longer, the shortest first.
    fn beginning_with(&self, text: &str) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.shortest_words)?;
        let rows = statement
            .query_map(params![text, format!("{text}{}", char::MAX), LONGER_MAX], |row| {
                row.get(0)
            })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Pass<'_> {
    /// Which terms count for a document with these counts: of a word and of longer ones that stand
    /// in for it, the best alone, so that a list of such words is not better than the word.
    pub(super) fn counted(&self, counts: &[TermCounts]) -> Vec<bool> {
        let strength = |place: usize| {
            let counts = counts.get(place).copied().unwrap_or_default();
            self.terms.get(place).map_or(0.0, |term| term.idf * lexical::term_strength(counts))
        };
        let mut counted = vec![true; self.terms.len()];
        // The best of each word so far, by the word's term.
        let mut best: HashMap<&Term, usize> = HashMap::new();
        for (place, term) in self.terms.iter().enumerate() {
            let word = match &term.stands_for {
                None => &term.term,
                Some(other) if other.is_longer => &other.word,
                Some(_) => continue,
            };
            match best.entry(word) {
                Entry::Vacant(first) => {
                    first.insert(place);
                }
                Entry::Occupied(mut known) => {
                    let is_better = strength(place) > strength(*known.get());
                    let worse = if is_better { known.insert(place) } else { place };
                    if let Some(counted) = counted.get_mut(worse) {
                        *counted = false;
                    }
                }
            }
        }
        counted
    }
}
