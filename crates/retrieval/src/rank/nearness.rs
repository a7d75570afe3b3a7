//! How near a thought is to a prompt, by words and by meaning.
//!
//! A thought stands by itself: it has no session, no speaker and no turn before it, so two parts of
//! the score of a record remain. Either may find it alone.

use serde::Serialize;

/// The cosine of unrelated texts by the built-in table.
const COSINE_OF_UNRELATED: f64 = 0.40;
/// The cosine of paraphrases.
const COSINE_OF_PARAPHRASE: f64 = 0.90;
/// How much of the smaller part is added to the greater.
const SMALLER_SHARE: f64 = 0.1;
/// Least share of the way between both cosines that counts without a word in common: the table
/// finds some similarity in any two texts.
const MEANING_ALONE_MIN: f64 = 0.5;
/// Two deviations of unrelated texts above their mean, on the scale of other models.
const MODEL_OF_UNRELATED: f64 = 0.32;
/// Seven and a half, as paraphrases have.
const MODEL_OF_PARAPHRASE: f64 = 0.98;
/// Least share that counts without a word in common: nearly four deviations, which one unrelated
/// text of twenty thousand reaches.
const MODEL_ALONE_MIN: f64 = 0.35;

/// Least similarity of a thought that is found.
pub const SIMILARITY_TO_FIND_MIN: f64 = 0.3;

/// How near a thought is to a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Nearness {
    /// The share of the prompt's words that it contains, by their weight, 0 … 1.
    pub words: f64,
    /// How near it is in meaning, 0 … 1.
    pub meaning: f64,
    /// Both together, 0 … 1: the greater and a tenth of the smaller, at most 1.
    pub similarity: f64,
    /// The same without that limit: of two that would have 1, the one that has more of both parts
    /// is nearer. Thoughts are ordered by it.
    #[serde(skip)]
    pub order: f64,
}

impl Nearness {
    /// From the share of words and the cosine of the texts (0 without vectors).
    ///
    /// ```
    /// use retrieval::rank::nearness::Nearness;
    ///
    /// assert_eq!(Nearness::of(0.5, 0.2).similarity, 0.5);
    /// assert_eq!(Nearness::of(1.0, 1.0).similarity, 1.0);
    /// assert_eq!(Nearness::of(0.0, 0.45).similarity, 0.0);
    /// ```
    pub fn of(words: f64, cosine: f64) -> Self {
        let share = (cosine - COSINE_OF_UNRELATED) / (COSINE_OF_PARAPHRASE - COSINE_OF_UNRELATED);
        Self::from_parts(words, share, MEANING_ALONE_MIN)
    }

    /// The same with the cosine by another model, on the scale of
    /// [`Scale::of_unrelated`](super::meaning::Scale::of_unrelated).
    ///
    /// ```
    /// use retrieval::rank::nearness::Nearness;
    ///
    /// assert_eq!(Nearness::by_model(0.0, 0.98).similarity, 1.0);
    /// assert_eq!(Nearness::by_model(0.0, 0.4).similarity, 0.0);
    /// ```
    pub fn by_model(words: f64, cosine: f64) -> Self {
        let share = (cosine - MODEL_OF_UNRELATED) / (MODEL_OF_PARAPHRASE - MODEL_OF_UNRELATED);
        Self::from_parts(words, share, MODEL_ALONE_MIN)
    }

    fn from_parts(words: f64, share: f64, alone_min: f64) -> Self {
        let meaning = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let words = if words.is_finite() { words.clamp(0.0, 1.0) } else { 0.0 };
        let alone = words > 0.0 || meaning >= alone_min;
        let counted = if alone { meaning } else { 0.0 };
        let order = words.max(counted) + SMALLER_SHARE * words.min(counted);
        Self { words, meaning, similarity: order.min(1.0), order }
    }
}

/// How much too low an estimated cosine may be for its text to remain a candidate.
const ESTIMATE_ERROR: f32 = 0.12;

/// Estimates similarities, to choose candidates: `cosines` has estimated cosines, of which it makes
/// the similarities of [`Nearness::of`], as if each cosine were greater by what the estimate may be
/// too low. Those of the best texts may be more than 1.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl",
    "x86_64+avx2",
    "aarch64+neon"
))]
pub fn estimate_all(words: &[f32], cosines: &mut [f32]) {
    let unrelated = COSINE_OF_UNRELATED as f32 - ESTIMATE_ERROR;
    let range = (COSINE_OF_PARAPHRASE - COSINE_OF_UNRELATED) as f32;
    let (alone_min, smaller) = (MEANING_ALONE_MIN as f32, SMALLER_SHARE as f32);
    for (cosine, words) in cosines.iter_mut().zip(words) {
        let meaning = (*cosine - unrelated) / range;
        let counts = (meaning > 0.0) & ((*words > 0.0) | (meaning >= alone_min));
        let meaning = if counts { meaning } else { 0.0 };
        let (greater, less) = if *words > meaning { (*words, meaning) } else { (meaning, *words) };
        *cosine = greater + smaller * less;
    }
}

/// Bits of a word of a set of texts.
pub const BITS: usize = 64;

/// Adds a share to the sums of the texts whose bit is set. There is a word of bits for each
/// [`BITS`] sums.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512dq",
    "x86_64+avx2",
    "aarch64+neon"
))]
pub fn add_where(bits: &[u64], share: f32, sums: &mut [f32]) {
    for (word, sums) in bits.iter().zip(sums.as_chunks_mut::<BITS>().0) {
        for (bit, sum) in sums.iter_mut().enumerate() {
            let is_set = word >> bit & 1 != 0;
            *sum += if is_set { share } else { 0.0 };
        }
    }
}

/// The weight of a word of a prompt, from its rarity: no word of the prompt is without weight, so
/// that a space of a few thoughts about one thing finds them by it.
pub fn word_weight(idf: f64) -> f64 {
    1.0 + idf
}

/// The weight of the words that no thought contains: each counts as the mean of the others.
pub fn weight_of_unknown(known: &[f64]) -> f64 {
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    if mean.is_finite() { mean } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_part_finds_a_thought_and_both_are_at_most_one() {
        assert!(Nearness::of(0.0, 0.9).similarity >= 1.0);
        assert!(Nearness::of(1.0, -1.0).similarity >= 1.0);
        assert_eq!(Nearness::of(f64::NAN, f64::INFINITY).similarity, 0.0);
        assert_eq!(Nearness::of(7.0, 9.0).similarity, 1.0);
        assert!(Nearness::of(1.0, 1.0).order > Nearness::of(0.95, 1.0).order);
        // A faint similarity in meaning counts beside a word and not without one.
        assert!(Nearness::of(0.1, 0.6).similarity > 0.39);
        assert_eq!(Nearness::of(0.0, 0.6).similarity, 0.0);
    }

    #[test]
    fn an_estimate_is_not_less_than_the_similarity() {
        for words in [0.0f32, 0.1, 0.5, 1.0] {
            for hundredths in -100..=100 {
                let cosine = hundredths as f32 / 100.0;
                let mut estimate = [cosine];
                estimate_all(&[words], &mut estimate);
                let exact = Nearness::of(f64::from(words), f64::from(cosine));
                assert!(f64::from(estimate[0]) >= exact.order - 1e-6, "{words} {cosine}");
            }
        }
    }

    #[test]
    fn a_share_is_added_where_a_bit_is_set() {
        let mut sums = [1.0; 2 * BITS];
        add_where(&[1 | 1 << 63, 2], 0.5, &mut sums);
        let raised: Vec<usize> = (0..sums.len()).filter(|place| sums[*place] == 1.5).collect();
        assert_eq!(raised, [0, 63, BITS + 1]);
    }

    #[test]
    fn words_that_nothing_contains_count_as_the_mean_of_the_others() {
        assert_eq!(weight_of_unknown(&[]), 1.0);
        assert_eq!(weight_of_unknown(&[1.0, 3.0]), 2.0);
        assert_eq!(word_weight(0.0), 1.0);
    }
}
