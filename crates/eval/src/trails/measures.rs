//! Means over questions, and intervals of what a ranking gains.

use crate::measures::{NDCG_CUTOFF, Ranks};

/// The cut-off of recall: as many thoughts as are shown.
pub const RECALL_CUTOFF: usize = 5;
/// Resamples of the questions for an interval.
const RESAMPLES: usize = 2_000;
/// Which of the resampled means, of 1 000, are the ends of an interval of 95 %.
const ENDS: [usize; 2] = [25, 975];

/// What a ranking made of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Recall at [`RECALL_CUTOFF`].
    pub recall: f64,
    /// nDCG at [`NDCG_CUTOFF`].
    pub ndcg: f64,
}

impl Outcome {
    pub fn of(ranks: &Ranks) -> Self {
        Self { recall: ranks.recall_at(RECALL_CUTOFF), ndcg: ranks.ndcg_at(NDCG_CUTOFF) }
    }
}

/// A mean, what it gains over that of another ranking, and the 95 % interval of the gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    pub mean: f64,
    pub gain: f64,
    pub low: f64,
    pub high: f64,
}

impl Gain {
    /// Of the same questions: values of one ranking, and of the one that it is compared with. The
    /// interval is a paired bootstrap over questions (Efron 1979).
    pub fn of(values: &[f64], base: &[f64]) -> Self {
        let gains: Vec<f64> = values.iter().zip(base).map(|(one, other)| one - other).collect();
        let count = gains.len().max(1);
        let mut random = Random::new(7);
        let mut means: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                let drawn = (0..gains.len()).map(|_| random.below(count as u64) as usize);
                drawn.filter_map(|place| gains.get(place)).sum::<f64>() / count as f64
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let [low, high] = ENDS.map(|end| means.get(end * RESAMPLES / 1_000).copied());
        Self {
            mean: mean(values),
            gain: mean(&gains),
            low: low.unwrap_or(0.0),
            high: high.unwrap_or(0.0),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Pseudo-random numbers that are the same everywhere (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_sure_gain_excludes_zero_and_that_of_noise_holds_it() {
        let base: Vec<f64> = (0..200).map(|number| f64::from(number % 2)).collect();
        let better: Vec<f64> = (0..200).map(|number| f64::from(number % 2).max(0.3)).collect();
        let sure = Gain::of(&better, &base);
        assert!((sure.gain - 0.15).abs() < 1e-9 && sure.low > 0.1 && sure.high < 0.2, "{sure:?}");
        let shifted: Vec<f64> = (1..201).map(|number| f64::from(number % 2)).collect();
        let noise = Gain::of(&shifted, &base);
        assert!(noise.low < 0.0 && noise.high > 0.0, "{noise:?}");
        assert_eq!(Gain::of(&base, &base), Gain { mean: 0.5, gain: 0.0, low: 0.0, high: 0.0 });
        assert_eq!(Gain::of(&[], &[]).mean, 0.0);
    }
}
