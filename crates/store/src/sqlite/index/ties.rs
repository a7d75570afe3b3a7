//! Equal scores, ordered by the space's order and not by arrival.
//!
//! Two copies of a space hold the same operations and number them as they arrived. Where scores are
//! equal, the later in the space's order comes first, so the same question gets the same answer on
//! every copy. The order of an operation is not in the attributes, because hardly any scores are
//! equal: it is read for those that are. A question about repetitive records is searched again with
//! a higher limit, and meets the same equal records each time, so a search reads each order once.

use std::cell::{Ref, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};

use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use rusqlite::OptionalExtension;

use super::super::graph::{id_at, sql, stamp_at};
use super::search::{Found, Search};
use crate::{Position, StoreError};

/// Documents that score the same as the worst selected one and are kept beyond the limit. Of more,
/// those that arrived last are missed.
const TIED_MAX: usize = 4_096;
/// Orders that a search keeps.
const ORDERS_MAX: usize = 4 * TIED_MAX;

/// The places of operations in the space's order, as far as a search has read them.
pub(in super::super) type Orders = RefCell<OrderByPosition>;
type OrderByPosition = HashMap<Position, (HlcTimestamp, OpId)>;

/// Which of two records that are equal in everything else comes first.
#[derive(Clone, Copy, Debug)]
pub(super) enum SpaceOrder {
    LatestFirst,
    EarliestFirst,
}

impl SpaceOrder {
    fn compare<T: Ord>(self, one: &T, other: &T) -> Ordering {
        match self {
            Self::LatestFirst => other.cmp(one),
            Self::EarliestFirst => one.cmp(other),
        }
    }
}

/// The best passage of a record, its approximate score, and the closeness to the query's day that
/// breaks ties. The better one is greater.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) score: f32,
    pub(super) tie: i64,
    pub(super) document: u32,
    /// The next best passages of the record, with their approximate scores.
    pub(super) next_best: [Option<(f32, u32)>; NEXT_BEST],
}

/// How many passages of a record are scored exactly beside the best one: the approximate score
/// lacks parts of the exact one, such as single words' meaning.
const NEXT_BEST: usize = 2;

impl Candidate {
    pub(super) fn new(score: f32, tie: i64, document: u32) -> Self {
        Self { score, tie, document, next_best: [None; NEXT_BEST] }
    }

    /// Takes in a passage of the same record.
    pub(super) fn add(&mut self, mut passage: Self) {
        if passage > *self {
            passage.next_best = self.next_best;
            std::mem::swap(self, &mut passage);
        }
        let mut worse = Some((passage.score, passage.document));
        for place in &mut self.next_best {
            if worse > *place {
                std::mem::swap(place, &mut worse);
            }
        }
    }

    /// All its passages.
    pub(super) fn documents(&self) -> impl Iterator<Item = u32> {
        let next_best = self.next_best.into_iter().flatten().map(|(_, document)| document);
        std::iter::once(self.document).chain(next_best)
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.tie.cmp(&other.tie))
    }
}

/// The best documents: a number of them, and those that are equal to the worst of these.
pub(super) struct Best {
    limit: usize,
    heap: BinaryHeap<Reverse<Candidate>>,
    /// Equal to the worst of the heap, which is full then.
    tied: Vec<Candidate>,
}

impl Best {
    pub(super) fn new(limit: usize, capacity: usize) -> Self {
        Self { limit, heap: BinaryHeap::with_capacity(capacity), tied: Vec::new() }
    }

    /// The score below which nothing is selected any more; none while there is room.
    pub(super) fn threshold(&self) -> Option<f32> {
        let worst = self.heap.peek().filter(|_| self.heap.len() >= self.limit);
        worst.map(|Reverse(worst)| worst.score)
    }

    pub(super) fn offer(&mut self, candidate: Candidate) {
        if self.heap.len() < self.limit {
            self.heap.push(Reverse(candidate));
            return;
        }
        let Some(mut worst) = self.heap.peek_mut() else { return };
        match candidate.cmp(&worst.0) {
            Ordering::Less => {}
            Ordering::Equal if self.tied.len() < TIED_MAX => self.tied.push(candidate),
            Ordering::Equal => {}
            Ordering::Greater => {
                let Reverse(dropped) = std::mem::replace(&mut *worst, Reverse(candidate));
                drop(worst);
                if self.heap.peek().is_some_and(|Reverse(worst)| *worst == dropped) {
                    self.tied.push(dropped);
                } else {
                    self.tied.clear();
                }
            }
        }
    }

    /// All of them, best first; of equal ones, whichever. If there were more, those next best
    /// passages are left out that are worse than the middle one of them: scoring them costs more
    /// than it finds, and whether a passage worse than the last one was looked at depends on what
    /// arrived before it.
    pub(super) fn into_candidates(self) -> Vec<Candidate> {
        let is_full = self.threshold().is_some();
        let best = self.heap.into_iter().map(|Reverse(candidate)| candidate);
        let mut candidates: Vec<Candidate> = best.chain(self.tied).collect();
        candidates.sort_unstable_by(|left, right| right.cmp(left));
        let middle = candidates.get(candidates.len() / 2).filter(|_| is_full);
        let least = middle.map_or(f32::NEG_INFINITY, |middle| middle.score);
        for next_best in candidates.iter_mut().flat_map(|candidate| &mut candidate.next_best) {
            *next_best = next_best.filter(|(score, _)| *score >= least);
        }
        candidates
    }
}

impl Search<'_> {
    /// The first `limit` of candidates, which are in descending order. Those equal to the last of
    /// them are chosen by the space's order.
    pub(super) fn first_of(
        &self,
        mut candidates: Vec<Candidate>,
        limit: usize,
        order: SpaceOrder,
    ) -> Result<Vec<Candidate>, StoreError> {
        let Some(last) = limit.checked_sub(1).and_then(|last| candidates.get(last)).copied() else {
            candidates.truncate(limit);
            return Ok(candidates);
        };
        if candidates.get(limit).is_some_and(|next| *next == last) {
            let start = candidates.partition_point(|candidate| *candidate > last);
            let end = candidates.partition_point(|candidate| *candidate >= last);
            let mut tied = candidates.drain(start..end).collect::<Vec<_>>();
            candidates.truncate(start);
            let position = |candidate: &Candidate| {
                self.attributes.get(candidate.document).map(|attribute| attribute.position)
            };
            let orders = self.orders(tied.iter().filter_map(position))?;
            let place = |candidate: &Candidate| orders.get(&position(candidate)?).copied();
            tied.sort_by(|one, other| order.compare(&place(one), &place(other)));
            candidates.extend(tied);
        }
        candidates.truncate(limit);
        Ok(candidates)
    }

    /// Sorts what was found: best first, and of equal scores the record nearest to the query's day,
    /// then by the space's order.
    pub(super) fn sort_found(
        &self,
        found: &mut [Found],
        order: SpaceOrder,
    ) -> Result<(), StoreError> {
        let is_better = |left: &Found, right: &Found| {
            right.score.total.total_cmp(&left.score.total).then(right.tie.cmp(&left.tie))
        };
        found.sort_by(is_better);
        for equal in found.chunk_by_mut(|left, right| is_better(left, right).is_eq()) {
            if equal.len() > 1 {
                let orders = self.orders(equal.iter().map(|one| one.position))?;
                let place = |one: &Found| orders.get(&one.position).copied();
                equal.sort_by(|one, other| order.compare(&place(one), &place(other)));
            }
        }
        Ok(())
    }

    /// The places of operations in the space's order. Those that were not read before are read.
    fn orders(
        &self,
        positions: impl Iterator<Item = Position>,
    ) -> Result<Ref<'_, OrderByPosition>, StoreError> {
        let mut known = self.orders.borrow_mut();
        if known.len() > ORDERS_MAX {
            known.clear();
        }
        let mut statement =
            self.connection.prepare_cached("SELECT ts, id FROM op WHERE pos = ?1")?;
        for position in positions {
            if let Entry::Vacant(unknown) = known.entry(position) {
                let order = statement
                    .query_row([sql(position)], |row| Ok((stamp_at(row, 0)?, id_at(row, 1)?)))
                    .optional()?;
                order.map(|order| unknown.insert(order));
            }
        }
        drop(known);
        Ok(self.orders.borrow())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_equal_to_the_worst_is_kept() {
        let candidate = |score, document| Candidate::new(score, 0, document);
        let mut best = Best::new(3, 3);
        for (document, score) in (0..).zip([1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 0.5]) {
            best.offer(candidate(score, document));
        }
        let scores = |best: Best| -> Vec<(f32, u32)> {
            best.into_candidates().iter().map(|one| (one.score, one.document)).collect()
        };
        let kept = scores(best);
        assert_eq!(kept[..2], [(3.0, 4), (2.0, 1)]);
        let mut tied: Vec<u32> = kept[2..].iter().map(|(_, document)| *document).collect();
        tied.sort_unstable();
        assert_eq!(tied, [0, 2, 3, 5]);
        let mut best = Best::new(1, 1);
        [1.0, 1.0, 2.0].into_iter().for_each(|score| best.offer(candidate(score, 0)));
        assert_eq!(scores(best), [(2.0, 0)], "what was tied before is worse now");
    }

    #[test]
    fn the_best_passage_of_a_record_names_the_next_best() {
        let passage =
            |document| Candidate::new([1.0, 3.0, 2.0, 0.5, 2.5][document as usize], 0, document);
        let documents = |numbers: &[u32]| -> Vec<u32> {
            let mut record = passage(numbers[0]);
            numbers[1..].iter().for_each(|number| record.add(passage(*number)));
            record.documents().collect()
        };
        assert_eq!(documents(&[3]), [3]);
        assert_eq!(documents(&[0, 1]), [1, 0]);
        for numbers in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 4, 0, 2, 3]] {
            assert_eq!(documents(&numbers), [1, 4, 2]);
        }
    }

    #[test]
    fn of_many_records_only_good_next_best_passages_are_scored() {
        let record = |score: f32, next: f32| {
            let mut record = Candidate::new(score, 0, score as u32);
            record.add(Candidate::new(next, 0, 10 + score as u32));
            record
        };
        let documents = |limit: usize| -> Vec<u32> {
            let mut best = Best::new(limit, limit);
            for record in [record(9.0, 8.5), record(8.0, 6.0), record(5.0, 1.0)] {
                best.offer(record);
            }
            best.into_candidates().iter().flat_map(Candidate::documents).collect()
        };
        assert_eq!(documents(3), [9, 19, 8, 5]);
        assert_eq!(documents(4), [9, 19, 8, 18, 5, 15], "there is room for all");
    }
}
