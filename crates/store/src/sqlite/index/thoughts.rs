//! Searching thoughts: which are nearest to a prompt, by words and by meaning.
//!
//! A retrieval must cost less than a millisecond over a hundred thousand thoughts, so not every
//! thought is scored. Candidates are the thoughts with the most of the prompt's words, and those
//! whose directions have the most signs in common with the prompt's; all candidates are scored
//! exactly. Filters apply before candidates are chosen, so a filter that few thoughts pass finds
//! those. Whether a thought counts is asked from the best down, and remembered for the next search
//! until something is recorded that may change it ([`ThoughtMemo`]).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::id::OpId;
use models::table::{DIMENSIONS, Table};
use retrieval::question::Question;
use retrieval::rank::meaning::{Direction, compress};
use retrieval::rank::nearness::{Nearness, SIMILARITY_TO_FIND_MIN, weight_of_unknown, word_weight};
use retrieval::rank::signs;
use rusqlite::OptionalExtension;

use super::super::graph::{id_at, sql};
use super::Reach;
use super::attributes::Attribute;
use super::fold::{CORRECTED, DOMAIN, REFINED, tags_of};
use super::postings::{self, BLOCK};
use super::search::{Search, TermRows};
use crate::{Position, StoreError};

/// Candidates by words, and by meaning, that are scored for each thought that is wanted.
const CANDIDATES_FACTOR: usize = 6;
/// The growth of the number of candidates when too few of them counted.
const CANDIDATES_GROWTH: usize = 8;
/// Most words of a prompt that are searched.
const TERMS_MAX: usize = 64;
/// Sets of tags that are remembered.
const TAG_SETS_MAX: usize = 1 << 16;

/// Who asks, as far as the answer whether a thought counts depends on it: a number from 0 to
/// 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThoughtReader(pub u8);

/// Kinds of readers whose answers are remembered apart.
const READERS_MAX: u8 = 3;

/// What searches found out that holds until something is recorded that changes it.
#[derive(Debug, Default)]
pub(in super::super) struct ThoughtMemo {
    /// The view's last operation that may change an answer, and how often it was emptied.
    at: (u64, u64),
    /// Two bits for each kind of reader: whether it is known, and whether the thought counts.
    counts: Vec<u8>,
    /// The tags of sets, by number.
    tags: Vec<Option<Arc<[String]>>>,
    /// The ids of thoughts.
    ids: Vec<Option<OpId>>,
}

/// Remembers a value at its place.
fn put<T: Clone>(values: &mut Vec<Option<T>>, place: usize, value: T) {
    if values.len() <= place {
        values.resize(place + 1, None);
    }
    if let Some(slot) = values.get_mut(place) {
        *slot = Some(value);
    }
}

impl ThoughtMemo {
    fn hold(&mut self, reach: &Reach) {
        let at = (reach.latest_us, reach.erased);
        if self.at != at {
            *self = Self { at, ..Self::default() };
        }
    }

    fn counts(&self, document: u32, reader: ThoughtReader) -> Option<bool> {
        let bits = self.counts.get(document as usize)? >> (2 * reader.0);
        (bits & 1 != 0).then_some(bits & 2 != 0)
    }

    fn remember(&mut self, document: u32, reader: ThoughtReader, counts: bool) {
        let place = document as usize;
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        if let Some(bits) = self.counts.get_mut(place) {
            *bits |= (1 | u8::from(counts) << 1) << (2 * reader.0);
        }
    }
}

/// What to look for.
#[derive(Clone, Debug)]
pub struct ThoughtsSought<'a> {
    /// How many at most.
    pub limit: usize,
    /// Only thoughts with all of these tags.
    pub tags: &'a [String],
    /// Who asks; none if the answers hold for this search only, as those as of a time.
    pub reader: Option<ThoughtReader>,
}

/// A thought that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct ThoughtFound {
    /// Its operation.
    pub id: OpId,
    /// Where that is.
    pub position: Position,
    /// Its number in the index.
    pub document: u32,
    /// How near it is.
    pub nearness: Nearness,
    /// Whether another thought may refine or consolidate it.
    pub may_be_refined: bool,
    /// Whether another thought may correct it.
    pub may_be_corrected: bool,
    /// Its tags, sorted.
    pub tags: Arc<[String]>,
}

/// A snapshot of the index of thoughts.
pub struct ThoughtSearch<'a> {
    search: Search<'a>,
    memo: &'a Mutex<ThoughtMemo>,
    reach: Reach,
}

impl<'a> ThoughtSearch<'a> {
    pub(in super::super) fn new(
        search: Search<'a>,
        memo: &'a Mutex<ThoughtMemo>,
        reach: Reach,
    ) -> Self {
        Self { search, memo, reach }
    }

    /// The search of the index by its general means.
    pub fn search(&self) -> &Search<'a> {
        &self.search
    }

    /// The number of thoughts in the index, whether or not they count.
    pub fn len(&self) -> u32 {
        self.search.attributes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memo, as far as it holds in this snapshot. No lock is held while the ledger is asked.
    fn memo(&self) -> MutexGuard<'_, ThoughtMemo> {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        memo.hold(&self.reach);
        memo
    }

    /// The thoughts nearest to a question, the nearest first; of equally near ones the latest
    /// first. `counts` says whether a thought counts.
    pub fn find(
        &self,
        question: &Question,
        sought: &ThoughtsSought<'_>,
        mut counts: impl FnMut(&OpId) -> Result<bool, StoreError>,
    ) -> Result<Vec<ThoughtFound>, StoreError> {
        let admitted = self.sets_with(sought.tags)?;
        let scores = Scores::of(&self.search, question, admitted.as_ref())?;
        let documents = self.len() as usize;
        let mut wanted = sought.limit.saturating_mul(CANDIDATES_FACTOR);
        loop {
            let candidates = scores.best(wanted)?;
            let is_all = wanted >= documents;
            let mut found = Vec::new();
            for (document, nearness) in candidates {
                let Some(attribute) = self.search.attributes.get(document) else { continue };
                if self.does_count(document, attribute, sought.reader, &mut counts)? {
                    found.push((document, *attribute, nearness));
                }
                if found.len() == sought.limit {
                    break;
                }
            }
            if found.len() == sought.limit || is_all || scores.are_exhausted(wanted) {
                return found.into_iter().map(|found| self.found(found)).collect();
            }
            wanted = wanted.saturating_mul(CANDIDATES_GROWTH);
        }
    }

    fn found(
        &self,
        (document, attribute, nearness): (u32, Attribute, Nearness),
    ) -> Result<ThoughtFound, StoreError> {
        Ok(ThoughtFound {
            id: self.id(document, &attribute)?,
            position: attribute.position,
            document,
            nearness,
            may_be_refined: attribute.flags & REFINED != 0,
            may_be_corrected: attribute.flags & CORRECTED != 0,
            tags: self.tags(attribute.session)?,
        })
    }

    fn id(&self, document: u32, attribute: &Attribute) -> Result<OpId, StoreError> {
        let known = self.memo().ids.get(document as usize).copied().flatten();
        if let Some(known) = known {
            return Ok(known);
        }
        let mut statement =
            self.search.connection.prepare_cached("SELECT id FROM op WHERE pos = ?1")?;
        let id = statement.query_row([sql(attribute.position)], |row| id_at(row, 0))?;
        put(&mut self.memo().ids, document as usize, id);
        Ok(id)
    }

    fn does_count(
        &self,
        document: u32,
        attribute: &Attribute,
        reader: Option<ThoughtReader>,
        counts: &mut impl FnMut(&OpId) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        let Some(reader) = reader.filter(|reader| reader.0 < READERS_MAX) else {
            return counts(&self.id(document, attribute)?);
        };
        let known = self.memo().counts(document, reader);
        if let Some(known) = known {
            return Ok(known);
        }
        let found = counts(&self.id(document, attribute)?)?;
        self.memo().remember(document, reader, found);
        Ok(found)
    }

    /// A set of tags by its number.
    fn tags(&self, number: u32) -> Result<Arc<[String]>, StoreError> {
        let known = self.memo().tags.get(number as usize).cloned().flatten();
        if let Some(known) = known {
            return Ok(known);
        }
        let mut statement =
            self.search.connection.prepare_cached(self.search.tables.session_name)?;
        let name: Option<String> =
            statement.query_row([number], |row| row.get(0)).optional()?.flatten();
        let tags: Arc<[String]> =
            tags_of(name.as_deref().unwrap_or_default()).map(str::to_owned).collect();
        if (number as usize) < TAG_SETS_MAX {
            put(&mut self.memo().tags, number as usize, Arc::clone(&tags));
        }
        Ok(tags)
    }

    /// The number of sets of tags. Labels add some, so there may be more than documents.
    fn count_sets(&self) -> Result<u32, StoreError> {
        let mut statement =
            self.search.connection.prepare_cached(self.search.tables.session_count)?;
        let last: Option<u32> = statement.query_row([], |row| row.get(0))?;
        Ok(last.map_or(0, |last| last.saturating_add(1)))
    }

    /// The sets that hold all of these tags; none means all sets.
    fn sets_with(&self, tags: &[String]) -> Result<Option<BTreeSet<u32>>, StoreError> {
        if tags.is_empty() {
            return Ok(None);
        }
        let count = self.count_sets()?;
        let mut sets = BTreeSet::new();
        for number in 0..count {
            let held = self.tags(number)?;
            if tags.iter().all(|tag| held.binary_search(tag).is_ok()) {
                sets.insert(number);
            }
        }
        Ok(Some(sets))
    }

    /// Every tag of the space's thoughts, whether or not they count.
    pub fn all_tags(&self) -> Result<BTreeSet<String>, StoreError> {
        let count = self.count_sets()?;
        let mut all = BTreeSet::new();
        for number in 0..count {
            for tag in self.tags(number)?.iter() {
                if !all.contains(tag) {
                    all.insert(tag.clone());
                }
            }
        }
        Ok(all)
    }

    /// The thoughts with all of these tags, the last to arrive first, whether or not they count.
    /// Only those that may sum up a domain, if that is wanted.
    pub fn latest(
        &self,
        only_domains: bool,
        tags: &[String],
    ) -> Result<impl Iterator<Item = Result<OpId, StoreError>>, StoreError> {
        let admitted = self.sets_with(tags)?;
        let attributes = self.search.attributes;
        Ok((0..attributes.len()).rev().filter_map(move |document| {
            let attribute = attributes.get(document)?;
            let is_wanted = (!only_domains || attribute.flags & DOMAIN != 0)
                && admitted.as_ref().is_none_or(|sets| sets.contains(&attribute.session));
            is_wanted.then(|| self.id(document, attribute))
        }))
    }
}

/// What a prompt says of every document.
struct Scores<'a> {
    search: &'a Search<'a>,
    /// The share of words of each document; empty if no document has any.
    words: Vec<f32>,
    /// The documents with words.
    with_words: Vec<u32>,
    direction: Option<Direction>,
    /// By signs, of each document; a document that the filter leaves out is as far as can be.
    distances: Option<Vec<u8>>,
    /// Cosines of all documents, where no signs are kept.
    cosines: Option<Vec<f32>>,
    admitted: Option<&'a BTreeSet<u32>>,
}

impl<'a> Scores<'a> {
    fn of(
        search: &'a Search<'a>,
        question: &Question,
        admitted: Option<&'a BTreeSet<u32>>,
    ) -> Result<Self, StoreError> {
        let documents = search.attributes.len();
        let mut scores = Self {
            search,
            words: Vec::new(),
            with_words: Vec::new(),
            direction: None,
            distances: None,
            cosines: None,
            admitted,
        };
        let mut terms = Vec::new();
        let mut unknown = 0u32;
        for term in question.terms.iter().take(TERMS_MAX) {
            match search.term_rows(term, u64::from(documents), 0)? {
                Some(rows) => terms.push(rows),
                None => unknown += 1,
            }
        }
        scores.add_words(&terms, unknown);
        scores.add_meaning(question.nameless_english())?;
        Ok(scores)
    }

    fn is_admitted(&self, document: u32) -> bool {
        let Some(admitted) = self.admitted else { return true };
        let session = self.search.attributes.session.get(document);
        session.is_some_and(|session| admitted.contains(session))
    }

    fn add_words(&mut self, terms: &[TermRows], unknown: u32) {
        if terms.is_empty() {
            return;
        }
        let weights: Vec<f64> = terms.iter().map(|term| word_weight(term.idf)).collect();
        let whole = weights.iter().sum::<f64>() + f64::from(unknown) * weight_of_unknown(&weights);
        self.words = vec![0.0; self.search.attributes.len() as usize];
        for (term, weight) in terms.iter().zip(weights) {
            let share = (weight / whole) as f32;
            for (block, row) in &term.rows {
                let first = block.saturating_mul(BLOCK);
                for (place, _) in postings::decode(row) {
                    let document = first.saturating_add(place);
                    let Some(sum) = self.words.get_mut(document as usize) else { continue };
                    if *sum == 0.0 {
                        self.with_words.push(document);
                    }
                    *sum += share;
                }
            }
        }
        if self.admitted.is_some() {
            let mut with_words = std::mem::take(&mut self.with_words);
            with_words.retain(|document| self.is_admitted(*document));
            self.with_words = with_words;
        }
    }

    fn add_meaning(&mut self, text: &str) -> Result<(), StoreError> {
        let sum = Table::built_in().embed(text);
        let Some(direction) = Direction::of(&sum) else { return Ok(()) };
        let mut steps = [0; DIMENSIONS];
        compress(&sum, &mut steps);
        let Search { connection, tables, windows, attributes, .. } = self.search;
        self.distances = windows.distances(signs::signs_of(&steps));
        if self.distances.is_none() {
            let mut cosines = vec![0.0; attributes.len() as usize];
            for (block, cosines) in (0..).zip(cosines.chunks_mut(BLOCK as usize)) {
                windows.cosines(connection, tables, &direction, block, cosines)?;
            }
            self.cosines = Some(cosines);
        }
        self.direction = Some(direction);
        Ok(())
    }

    fn nearness(&self, document: u32) -> Result<Nearness, StoreError> {
        let words = self.words.get(document as usize).copied().unwrap_or(0.0);
        let cosine = match (&self.direction, &self.cosines) {
            (None, _) => 0.0,
            (_, Some(cosines)) => cosines.get(document as usize).copied().unwrap_or(0.0),
            (Some(direction), None) => {
                let Search { connection, tables, windows, .. } = self.search;
                windows.cosine(connection, tables, direction, document)?
            }
        };
        Ok(Nearness::of(f64::from(words), f64::from(cosine)))
    }

    /// Whether `wanted` candidates by each part are all that there are.
    fn are_exhausted(&self, wanted: usize) -> bool {
        self.with_words.len() <= wanted && self.direction.is_none()
    }

    /// The best of about `wanted` candidates by words and as many by meaning, scored exactly, the
    /// nearest first.
    fn best(&self, wanted: usize) -> Result<Vec<(u32, Nearness)>, StoreError> {
        let mut candidates = self.with_words.clone();
        if candidates.len() > wanted {
            let share = |document: &u32| self.words.get(*document as usize).copied().unwrap_or(0.0);
            candidates.select_nth_unstable_by(wanted, |one, other| {
                share(other).total_cmp(&share(one)).then(other.cmp(one))
            });
            candidates.truncate(wanted);
        }
        candidates.extend(self.near_in_meaning(wanted));
        candidates.sort_unstable();
        candidates.dedup();
        let mut best = Vec::with_capacity(candidates.len());
        for document in candidates {
            let nearness = self.nearness(document)?;
            if nearness.similarity >= SIMILARITY_TO_FIND_MIN {
                best.push((document, nearness));
            }
        }
        best.sort_unstable_by(|(one, nearer), (other, further)| {
            further.similarity.total_cmp(&nearer.similarity).then(other.cmp(one))
        });
        Ok(best)
    }

    /// About `wanted` documents that are nearest in meaning.
    fn near_in_meaning(&self, wanted: usize) -> Vec<u32> {
        let documents = 0..self.search.attributes.len();
        let admitted = documents.filter(|document| self.is_admitted(*document));
        if let Some(cosines) = &self.cosines {
            let cosine = |document: &u32| cosines.get(*document as usize).copied().unwrap_or(0.0);
            let mut nearest: Vec<u32> = admitted.collect();
            if nearest.len() > wanted {
                nearest.select_nth_unstable_by(wanted, |one, other| {
                    cosine(other).total_cmp(&cosine(one)).then(other.cmp(one))
                });
                nearest.truncate(wanted);
            }
            return nearest;
        }
        let Some(distances) = &self.distances else { return Vec::new() };
        if self.admitted.is_none() {
            let within = signs::threshold(distances.iter().copied(), wanted);
            let near = (0..).zip(distances).filter(|(_, distance)| **distance <= within);
            // Of many at the same distance the latest are taken.
            let mut near: Vec<u32> = near.map(|(document, _)| document).collect();
            near.drain(..near.len().saturating_sub(2 * wanted));
            return near;
        }
        let admitted: Vec<u32> = admitted.collect();
        let distance =
            |document: &u32| distances.get(*document as usize).copied().unwrap_or(u8::MAX);
        let within = signs::threshold(admitted.iter().map(distance), wanted);
        let mut near: Vec<u32> =
            admitted.into_iter().filter(|document| distance(document) <= within).collect();
        near.drain(..near.len().saturating_sub(2 * wanted));
        near
    }
}
