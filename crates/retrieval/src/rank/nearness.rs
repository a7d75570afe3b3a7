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
        let meaning = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let words = if words.is_finite() { words.clamp(0.0, 1.0) } else { 0.0 };
        let alone = words > 0.0 || meaning >= MEANING_ALONE_MIN;
        let counted = if alone { meaning } else { 0.0 };
        let similarity = words.max(counted) + SMALLER_SHARE * words.min(counted);
        Self { words, meaning, similarity: similarity.min(1.0) }
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
        // A faint similarity in meaning counts beside a word and not without one.
        assert!(Nearness::of(0.1, 0.6).similarity > 0.39);
        assert_eq!(Nearness::of(0.0, 0.6).similarity, 0.0);
    }

    #[test]
    fn words_that_nothing_contains_count_as_the_mean_of_the_others() {
        assert_eq!(weight_of_unknown(&[]), 1.0);
        assert_eq!(weight_of_unknown(&[1.0, 3.0]), 2.0);
        assert_eq!(word_weight(0.0), 1.0);
    }
}
