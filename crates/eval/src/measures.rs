//! The measures of a ranking, computed from the ranks of its gold records.
//!
//! Relevance is binary. Every question has the same weight in an average, regardless of the number
//! of its gold records. nDCG: Järvelin and Kekäläinen 2002 with log₂(rank + 1); percentiles by
//! nearest rank.

use std::collections::BTreeSet;

use super::RecordKey;

/// The cut-off of nDCG.
pub const NDCG_CUTOFF: usize = 10;

/// Rank of each gold record, from 1; `None` if it was not returned.
///
/// ```
/// use eval::RecordKey;
/// use eval::measures::Ranks;
///
/// let key = |uid: &str| RecordKey::new("notes", uid);
/// let ranks = Ranks::find(&[key("a"), key("b"), key("c")], &[key("b"), key("d")].into());
/// assert_eq!(ranks.as_slice(), [Some(2), None]);
/// assert_eq!((ranks.recall_at(2), ranks.reciprocal_rank()), (0.5, 0.5));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks(Vec<Option<usize>>);

impl Ranks {
    /// Finds the gold records in a ranking. A record that is returned twice counts at its first
    /// position.
    pub fn find(ranking: &[RecordKey], gold: &BTreeSet<RecordKey>) -> Self {
        let rank = |wanted| {
            ranking.iter().position(|returned| returned == wanted).map(|position| position + 1)
        };
        Self(gold.iter().map(rank).collect())
    }

    /// In the order of the gold.
    pub fn as_slice(&self) -> &[Option<usize>] {
        &self.0
    }

    fn within(&self, k: usize) -> usize {
        self.0.iter().flatten().filter(|rank| **rank <= k).count()
    }

    /// Share of the gold among the first `k`.
    pub fn recall_at(&self, k: usize) -> f64 {
        self.within(k) as f64 / self.0.len().max(1) as f64
    }

    /// Whether any gold is among the first `k`.
    pub fn any_at(&self, k: usize) -> bool {
        self.within(k) > 0
    }

    /// Whether all gold is among the first `k`.
    pub fn all_at(&self, k: usize) -> bool {
        self.within(k) == self.0.len()
    }

    /// Discounted gain of the first `k`, relative to the best possible.
    pub fn ndcg_at(&self, k: usize) -> f64 {
        let discount = |rank: usize| 1.0 / (rank as f64 + 1.0).log2();
        let found = self.0.iter().flatten().filter(|rank| **rank <= k);
        let gained = found.fold(0.0, |sum, rank| sum + discount(*rank));
        let ideal: f64 = (1..=self.0.len().min(k)).map(discount).sum();
        if ideal > 0.0 { gained / ideal } else { 0.0 }
    }

    /// One over the rank of the first gold; 0 if none was returned.
    pub fn reciprocal_rank(&self) -> f64 {
        self.0.iter().flatten().min().map_or(0.0, |rank| 1.0 / *rank as f64)
    }
}

/// Averages over questions, 0 … 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Averages {
    /// How many questions.
    pub questions: usize,
    /// At each requested cut-off.
    pub at: Vec<AtCutoff>,
    /// Share of questions whose first record is gold.
    pub hit_1: f64,
    /// nDCG at [`NDCG_CUTOFF`].
    pub ndcg: f64,
    /// Mean reciprocal rank, within what was returned.
    pub mrr: f64,
}

/// Averages at one cut-off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtCutoff {
    pub k: usize,
    /// Share of gold records found.
    pub recall: f64,
    /// Share of questions with any gold found.
    pub hit: f64,
    /// Share of questions with all gold found.
    pub all: f64,
}

/// Averages over `ranks` at the `cutoffs`.
pub fn average<'a>(ranks: impl IntoIterator<Item = &'a Ranks>, cutoffs: &[usize]) -> Averages {
    let ranks: Vec<&Ranks> = ranks.into_iter().collect();
    let mean = |of: &dyn Fn(&Ranks) -> f64| {
        let sum: f64 = ranks.iter().map(|ranks| of(ranks)).sum();
        sum / ranks.len().max(1) as f64
    };
    let share = |of: &dyn Fn(&Ranks) -> bool| mean(&|ranks| f64::from(u8::from(of(ranks))));
    let at = |k: &usize| AtCutoff {
        k: *k,
        recall: mean(&|ranks| ranks.recall_at(*k)),
        hit: share(&|ranks| ranks.any_at(*k)),
        all: share(&|ranks| ranks.all_at(*k)),
    };
    Averages {
        questions: ranks.len(),
        at: cutoffs.iter().map(at).collect(),
        hit_1: share(&|ranks| ranks.any_at(1)),
        ndcg: mean(&|ranks| ranks.ndcg_at(NDCG_CUTOFF)),
        mrr: mean(&Ranks::reciprocal_rank),
    }
}

/// The smallest of `values` that at least `percent` of them do not exceed; none of none.
pub fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent.min(100)).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &str) -> Vec<RecordKey> {
        names.chars().map(|name| RecordKey::new("test", &name.to_string())).collect()
    }

    fn ranks(ranking: &str, gold: &str) -> Ranks {
        Ranks::find(&keys(ranking), &keys(gold).into_iter().collect())
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    #[test]
    fn measures_equal_those_counted_by_hand() {
        let ranks = ranks("abcdef", "bdz");
        assert_eq!(ranks, Ranks(vec![Some(2), Some(4), None]));
        assert_eq!(
            [1, 2, 3, 4].map(|k| ranks.recall_at(k)),
            [0.0, 1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0]
        );
        assert!(!ranks.any_at(1) && ranks.any_at(2) && !ranks.all_at(10));
        assert_eq!(ranks.reciprocal_rank(), 0.5);
        // 1/log2(3) + 1/log2(5), of 1/log2(2) + 1/log2(3) + 1/log2(4).
        assert!(close(
            ranks.ndcg_at(10),
            (0.630_929_753_571_457_4 + 0.430_676_558_073_393_05) / 2.130_929_753_571_457_4
        ));
    }

    #[test]
    fn a_ranking_with_all_gold_first_is_perfect_even_with_more_gold_than_places() {
        assert!(close(ranks("abcd", "ab").ndcg_at(10), 1.0));
        assert!(close(ranks("abcd", "abcd").ndcg_at(2), 1.0));
        assert!(ranks("abcd", "ab").all_at(2));
    }

    #[test]
    fn an_empty_result_scores_zero() {
        let ranks = ranks("", "a");
        assert_eq!(
            (ranks.recall_at(5), ranks.ndcg_at(10), ranks.reciprocal_rank()),
            (0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn a_record_that_is_returned_twice_counts_once() {
        assert_eq!(ranks("aab", "a").recall_at(2), 1.0);
    }

    #[test]
    fn every_question_has_the_same_weight() {
        let averages = average(&[ranks("ab", "a"), ranks("ab", "bxyz")], &[1, 2]);
        assert_eq!(averages.questions, 2);
        let (first, second) = (averages.at[0], averages.at[1]);
        assert_eq!((first.k, first.recall, first.hit, first.all), (1, 0.5, 0.5, 0.5));
        assert_eq!((second.k, second.recall, second.hit, second.all), (2, 0.625, 1.0, 0.5));
        assert_eq!((averages.hit_1, averages.mrr), (0.5, 0.75));
        assert_eq!(average([], &[5]).at[0].recall, 0.0);
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(
            [50, 99, 100, 0].map(|percent| percentile(&values, percent)),
            [100.0, 198.0, 200.0, 1.0].map(Some)
        );
        assert_eq!(percentile(&[7.0], 99), Some(7.0));
        assert_eq!(percentile(&[], 50), None);
    }
}
