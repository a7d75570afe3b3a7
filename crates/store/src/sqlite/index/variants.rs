//! The rows of a word of a question, as one term.
//!
//! The same word has different terms in records of different languages: "restaurants" is `restaur`
//! in English and `restaurant` in German. Their rows are merged before anything is scored, so that
//! a word counts once however many languages the space holds, with one frequency.

use std::collections::BTreeMap;

use super::postings::{self, Block};

/// The rows of a term, or of several.
#[derive(Default)]
pub(super) struct Rows {
    /// Postings by block, ascending.
    pub(super) postings: Vec<(u32, Vec<u8>)>,
    /// Sessions that contain it, and how often; ascending.
    pub(super) sessions: Vec<(u32, u32)>,
}

impl Rows {
    /// Those of both terms.
    pub(super) fn merged(self, other: Self) -> Self {
        let mut postings: BTreeMap<u32, Vec<u8>> = self.postings.into_iter().collect();
        for (block, row) in other.postings {
            let row = match postings.remove(&block) {
                Some(known) => union(&known, &row),
                None => row,
            };
            postings.insert(block, row);
        }
        let mut sessions: BTreeMap<u32, u32> = self.sessions.into_iter().collect();
        for (session, count) in other.sessions {
            let sum = sessions.entry(session).or_default();
            *sum = sum.saturating_add(count);
        }
        Self { postings: postings.into_iter().collect(), sessions: sessions.into_iter().collect() }
    }
}

/// The documents of two rows of the same block.
fn union(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut block = Block::begin(None);
    let (mut left, mut right) = (postings::decode(left), postings::decode(right));
    let (mut one, mut other) = (left.next(), right.next());
    loop {
        let (place, counts) = match (one, other) {
            (None, None) => return block.finish(),
            (Some(first), Some(second)) if first.0 == second.0 => {
                (one, other) = (left.next(), right.next());
                (first.0, postings::sum(first.1, second.1))
            }
            (Some(first), second) if second.is_none_or(|second| first.0 < second.0) => {
                one = left.next();
                first
            }
            (_, Some(second)) => {
                other = right.next();
                second
            }
            (Some(first), None) => {
                one = left.next();
                first
            }
        };
        block.push(place, counts);
    }
}

#[cfg(test)]
mod tests {
    use retrieval::rank::lexical::TermCounts;

    use super::*;

    fn row(places: &[(u32, u32)]) -> Vec<u8> {
        let mut block = Block::begin(None);
        for (place, own) in places {
            block.push(*place, postings::pack(TermCounts { own: *own, ..TermCounts::default() }));
        }
        block.finish()
    }

    #[test]
    fn merged_rows_have_the_documents_and_sessions_of_both_terms() {
        let one = Rows {
            postings: vec![(0, row(&[(1, 1), (5, 2)])), (2, row(&[(0, 1)]))],
            sessions: vec![(0, 3), (4, 1)],
        };
        let other = Rows {
            postings: vec![(0, row(&[(0, 1), (5, 14), (9, 1)])), (1, row(&[(7, 1)]))],
            sessions: vec![(2, 1), (4, 2)],
        };
        let merged = one.merged(other);
        let expected = [
            (0, row(&[(0, 1), (1, 1), (5, 15), (9, 1)])),
            (1, row(&[(7, 1)])),
            (2, row(&[(0, 1)])),
        ];
        assert_eq!(merged.postings, expected);
        assert_eq!(merged.sessions, [(0, 3), (2, 1), (4, 3)]);
        assert_eq!(postings::own_count(&merged.postings[0].1), 4);
    }

    #[test]
    fn nothing_changes_by_merging_with_an_unknown_term() {
        let known = || Rows { postings: vec![(3, row(&[(8, 1)]))], sessions: vec![(1, 1)] };
        for merged in [known().merged(Rows::default()), Rows::default().merged(known())] {
            assert_eq!(merged.postings, known().postings);
            assert_eq!(merged.sessions, known().sessions);
        }
    }
}
