//! Which thoughts contain a word: its postings, unpacked and kept in memory.
//!
//! A prompt's words are the same as those of earlier prompts more often than not, and unpacking the
//! postings of a word that most thoughts contain takes longer than everything else. The postings
//! of a full block never change, so they are kept for as long as the index grows at its end. The
//! last block's are kept for the number of documents that they were read with.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retrieval::rank::nearness::{self, BITS};
use retrieval::text::{QueryTerm, Term};

use super::Reach;
use super::postings::{self, BLOCK};
use super::search::Search;
use crate::{Position, StoreError};

/// Bytes of postings that are kept; beyond them, all are forgotten.
const BYTES_MAX: usize = 32 << 20;
/// Bytes that a word and a block of it take beside the postings.
const OVERHEAD_BYTES: usize = 64;
/// A block in which more documents than this contain a word is a bit for each.
const FEW_MAX: usize = BLOCK as usize / 32;

/// Words of a block's bits.
const WORDS: usize = BLOCK as usize / BITS;

/// The documents of a block that contain a word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Places {
    /// Their places, ascending.
    Few(Vec<u16>),
    /// A bit for each place.
    Many(Vec<u64>),
}

impl Places {
    fn of(row: &[u8]) -> Self {
        let places: Vec<u16> = postings::decode(row).map(|(place, _)| place as u16).collect();
        if places.len() <= FEW_MAX { Self::Few(places) } else { Self::Many(bits_of(&places)) }
    }

    fn len(&self) -> usize {
        match self {
            Self::Few(places) => places.len(),
            Self::Many(bits) => bits.iter().map(|word| word.count_ones() as usize).sum(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Few(places) => 2 * places.len(),
            Self::Many(bits) => 8 * bits.len(),
        }
    }

    /// Adds a share to the sums of the documents of the block, of which there are [`BLOCK`].
    pub(super) fn add(&self, share: f32, sums: &mut [f32]) {
        match self {
            Self::Few(places) => {
                for place in places {
                    if let Some(sum) = sums.get_mut(usize::from(*place)) {
                        *sum += share;
                    }
                }
            }
            Self::Many(bits) => nearness::add_where(bits, share, sums),
        }
    }

    fn union(&self, other: &Self) -> Self {
        let bits = |of: &Self| match of {
            Self::Few(places) => bits_of(places),
            Self::Many(bits) => bits.clone(),
        };
        let (one, other) = (bits(self), bits(other));
        Self::Many(one.iter().zip(&other).map(|(one, other)| one | other).collect())
    }
}

fn bits_of(places: &[u16]) -> Vec<u64> {
    let mut bits = vec![0; WORDS];
    for place in places {
        let place = usize::from(*place);
        if let Some(word) = bits.get_mut(place / BITS) {
            *word |= 1 << (place % BITS);
        }
    }
    bits
}

/// A word's documents by block; none of a block without it.
type Blocks = Vec<Option<Arc<Places>>>;

/// What is kept of a term.
#[derive(Debug, Default)]
struct KnownTerm {
    number: u32,
    /// Full blocks from the first on.
    full: Blocks,
    /// The block after them, as it was with so many documents.
    last: Option<(u32, Option<Arc<Places>>)>,
}

#[derive(Debug, Default)]
struct Kept {
    /// The index that this is of: its change of access, and how often it was emptied.
    of: (Position, u64),
    terms: BTreeMap<Term, KnownTerm>,
    bytes: usize,
}

/// The postings of words that were asked for.
#[derive(Debug, Default)]
pub(super) struct PlacesCache(Mutex<Kept>);

impl PlacesCache {
    pub(super) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
    }

    /// What is kept, as far as it is of this index. No lock is held while the file is read.
    fn kept(&self, reach: &Reach) -> MutexGuard<'_, Kept> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = (reach.access, reach.erased);
        if kept.of != of || kept.bytes > BYTES_MAX {
            *kept = Kept { of, ..Kept::default() };
        }
        kept
    }

    /// The documents that contain a word, and their number; none if the index does not know it.
    pub(super) fn of(
        &self,
        search: &Search<'_>,
        reach: &Reach,
        word: &QueryTerm,
    ) -> Result<Option<(Blocks, u64)>, StoreError> {
        let mut found: Option<Blocks> = None;
        for term in word.all() {
            let Some(blocks) = self.of_term(search, reach, term)? else { continue };
            found = Some(match found {
                None => blocks,
                Some(found) => found.into_iter().zip(blocks).map(union).collect(),
            });
        }
        Ok(found.map(|blocks| {
            let count = blocks.iter().flatten().map(|places| places.len() as u64).sum();
            (blocks, count)
        }))
    }

    fn of_term(
        &self,
        search: &Search<'_>,
        reach: &Reach,
        term: &Term,
    ) -> Result<Option<Blocks>, StoreError> {
        let documents = search.attributes.len();
        let (full, blocks) = ((documents / BLOCK) as usize, documents.div_ceil(BLOCK) as usize);
        let (number, mut places, mut last) = match self.kept(reach).terms.get(term) {
            Some(known) => {
                let last = known.last.as_ref().filter(|(read_with, _)| *read_with == documents);
                let known_full = known.full.iter().take(full).cloned().collect();
                (Some(known.number), known_full, last.map(|(_, places)| places.clone()))
            }
            None => (None, Blocks::new(), None),
        };
        let number = match number {
            Some(number) => number,
            None => match search.term_number(term)? {
                Some(number) => number,
                None => return Ok(None),
            },
        };
        let known = places.len();
        for block in known..full {
            places.push(search.places_in(block as u32, number)?);
        }
        let is_last_known = last.is_some();
        if blocks > full {
            let read = match last.take() {
                Some(read) => read,
                None => search.places_in(full as u32, number)?,
            };
            places.push(read);
        }
        if known < full || (blocks > full && !is_last_known) {
            self.keep(reach, term, number, documents, &places);
        }
        Ok(Some(places))
    }

    fn keep(&self, reach: &Reach, term: &Term, number: u32, documents: u32, places: &Blocks) {
        let full = (documents / BLOCK) as usize;
        let mut kept = self.kept(reach);
        let mut bytes = 0;
        let known = kept.terms.entry(term.clone()).or_default();
        known.number = number;
        for read in places.iter().take(full).skip(known.full.len()) {
            bytes += bytes_of(read);
            known.full.push(read.clone());
        }
        // A reader of an older snapshot has fewer full blocks; its last one is not kept.
        if let Some(read) = places.get(full).filter(|_| known.full.len() == full) {
            bytes += bytes_of(read);
            let before = known.last.replace((documents, read.clone()));
            kept.bytes = kept.bytes.saturating_sub(before.map_or(0, |(_, it)| bytes_of(&it)));
        }
        kept.bytes += bytes;
    }
}

fn bytes_of(places: &Option<Arc<Places>>) -> usize {
    OVERHEAD_BYTES + places.as_ref().map_or(0, |places| places.bytes())
}

fn union((one, other): (Option<Arc<Places>>, Option<Arc<Places>>)) -> Option<Arc<Places>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Arc::new(one.union(&other))),
        (one, other) => one.or(other),
    }
}

impl Search<'_> {
    fn places_in(&self, block: u32, term: u32) -> Result<Option<Arc<Places>>, StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.posting)?;
        let mut rows = statement.query([postings::key(block, term)])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        Ok(Some(Arc::new(Places::of(data))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(places: impl Iterator<Item = u32>) -> Vec<u8> {
        let mut block = postings::Block::begin(None);
        places.for_each(|place| block.push(place, 0x10));
        block.finish()
    }

    fn summed(places: &Places) -> Vec<usize> {
        let mut sums = vec![0.0; BLOCK as usize];
        places.add(0.5, &mut sums);
        let held = sums.iter().enumerate().filter(|(_, sum)| **sum == 0.5);
        held.map(|(place, _)| place).collect()
    }

    #[test]
    fn few_and_many_places_add_to_the_same_documents() {
        for step in [1, 3, 31, 33, 5_000] {
            let all: Vec<usize> = (0..BLOCK as usize).step_by(step).collect();
            let places = Places::of(&row(all.iter().map(|place| *place as u32)));
            assert_eq!(summed(&places), all);
            assert_eq!(places.len(), all.len());
            assert_eq!(matches!(places, Places::Few(_)), all.len() <= FEW_MAX);
        }
    }

    #[test]
    fn a_document_with_two_forms_of_a_word_counts_once() {
        let (one, other) = (Places::Few(vec![1, 5, 70]), Places::Few(vec![5, 9]));
        assert_eq!(summed(&one.union(&other)), [1, 5, 9, 70]);
        let many = Places::of(&row(0..BLOCK / 2));
        assert_eq!(one.union(&many).len(), BLOCK as usize / 2);
    }
}
