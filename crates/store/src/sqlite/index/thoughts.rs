//! Searching thoughts: which are nearest to a prompt, by words and by meaning.
//!
//! A retrieval must cost less than a millisecond over a hundred thousand thoughts, so every score
//! is estimated and only those of the best candidates are computed ([`super::thought_scores`]).
//! Filters apply before candidates are chosen, so a filter that few thoughts pass finds those.
//! Whether a thought counts is asked from the best down, and remembered for the next search until
//! something is recorded that may change it ([`ThoughtMemo`]).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::id::OpId;
use retrieval::question::Question;
use retrieval::rank::nearness::Nearness;
use rusqlite::OptionalExtension;

use super::super::graph::{id_at, sql};
use super::Reach;
use super::attributes::Attribute;
use super::fold::{CORRECTED, DOMAIN, REFINED, tags_of};
use super::search::Search;
use super::thought_places::PlacesCache;
use super::thought_scores::Scores;
use crate::{Position, StoreError};

/// Candidates that are scored for each thought that is wanted.
const CANDIDATES_FACTOR: usize = 18;
/// The growth of the number of candidates when too few of them counted.
const CANDIDATES_GROWTH: usize = 8;
/// Sets of tags that are remembered.
const TAG_SETS_MAX: usize = 1 << 16;

/// Who asks, as far as the answer whether a thought counts depends on it: a number from 0 to
/// 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThoughtReader(pub u8);

/// Kinds of readers whose answers are remembered apart.
const READERS_MAX: u8 = 3;

/// What the searches of a file's thoughts share in memory.
#[derive(Debug, Default)]
pub(in super::super) struct ThoughtShared {
    memo: Mutex<ThoughtMemo>,
    pub(super) places: PlacesCache,
}

impl ThoughtShared {
    /// Forgets everything, because the views are rebuilt.
    pub(in super::super) fn clear(&self) {
        *self.memo.lock().unwrap_or_else(PoisonError::into_inner) = ThoughtMemo::default();
        self.places.clear();
    }
}

/// What searches found out that holds until something is recorded that changes it.
#[derive(Debug, Default)]
struct ThoughtMemo {
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
    shared: &'a ThoughtShared,
    reach: Reach,
}

impl<'a> ThoughtSearch<'a> {
    pub(in super::super) fn new(
        search: Search<'a>,
        shared: &'a ThoughtShared,
        reach: Reach,
    ) -> Self {
        Self { search, shared, reach }
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
        let mut memo = self.shared.memo.lock().unwrap_or_else(PoisonError::into_inner);
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
        let places = &self.shared.places;
        let scores = Scores::of(&self.search, places, &self.reach, question, admitted.as_ref())?;
        let mut wanted = sought.limit.saturating_mul(CANDIDATES_FACTOR);
        loop {
            let candidates = scores.best(wanted);
            let mut found = Vec::new();
            for (document, nearness) in candidates.scored {
                let Some(attribute) = self.search.attributes.get(document) else { continue };
                if self.does_count(document, attribute, sought.reader, &mut counts)? {
                    found.push((document, *attribute, nearness));
                }
                if found.len() == sought.limit {
                    break;
                }
            }
            if found.len() == sought.limit || candidates.are_all {
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
            tags: self.tags(self.search.attributes.session_of(document))?,
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
                && admitted
                    .as_ref()
                    .is_none_or(|sets| sets.contains(&attributes.session_of(document)));
            is_wanted.then(|| self.id(document, attribute))
        }))
    }
}
