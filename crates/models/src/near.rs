//! Similarity between records and a question, word by word.

use retrieval::rank::meaning;

use crate::table::{DIMENSIONS, Table};

/// The tokens of a question, with a cache of the similarity of other tokens to them.
pub struct NearWords {
    table: &'static Table,
    /// The unit vectors of the question's tokens, transposed in groups of [`LANES`].
    directions: Vec<[[f32; LANES]; DIMENSIONS]>,
    /// The weight of each: the length of its vector, which is larger for rare words.
    weights: Vec<f32>,
    /// The row in `cosines` of each token; [`UNKNOWN`] for tokens that were not requested yet.
    rows: Vec<u16>,
    /// One row per token: its cosines with the question's tokens, zero-padded to a multiple of
    /// [`LANES`].
    cosines: Vec<[f32; LANES]>,
}

/// How many cosines are computed in parallel.
const LANES: usize = 16;
/// The row of a token that was not requested yet.
const UNKNOWN: u16 = u16::MAX;

impl NearWords {
    /// From the first [`TOKENS_MAX`] tokens of a question.
    pub fn new(table: &'static Table, question: &str) -> Self {
        let mut tokens = Vec::new();
        table.tokens(question, &mut tokens);
        tokens.truncate(TOKENS_MAX);
        tokens.sort_unstable();
        tokens.dedup();
        let (mut directions, mut weights) = (Vec::new(), Vec::new());
        for token in tokens {
            let Some((direction, length)) = table.direction(token) else { continue };
            let lane = weights.len() % LANES;
            if lane == 0 {
                directions.push([[0.0; LANES]; DIMENSIONS]);
            }
            if let Some(lanes) = directions.last_mut() {
                lanes.iter_mut().zip(direction).for_each(|(lanes, value)| lanes[lane] = value);
            }
            weights.push(length);
        }
        Self { table, directions, weights, rows: vec![UNKNOWN; table.len()], cosines: Vec::new() }
    }

    /// For each token of the question, the largest cosine with one of `tokens`, at least 0.
    pub fn best(&mut self, tokens: impl IntoIterator<Item = u16>) -> Vec<f32> {
        let width = self.directions.len();
        let mut best = vec![[0.0f32; LANES]; width];
        for token in tokens {
            let Some(start) = self.row(token, width) else { continue };
            let row = self.cosines.get(start..start + width).unwrap_or_default();
            for (best, cosines) in best.iter_mut().zip(row) {
                for (best, cosine) in best.iter_mut().zip(cosines) {
                    *best = if *cosine > *best { *cosine } else { *best };
                }
            }
        }
        best.into_flattened()
    }

    /// The start of a token's row, which is computed if missing; `None` for a token that is not in
    /// the table.
    fn row(&mut self, token: u16, width: usize) -> Option<usize> {
        let start = self.rows.get_mut(usize::from(token))?;
        if *start == UNKNOWN {
            // A table has fewer than 65 535 tokens, so there are fewer rows.
            *start = (self.cosines.len() / width.max(1)) as u16;
            let direction =
                self.table.direction(token).map_or([0.0; DIMENSIONS], |(direction, _)| direction);
            self.cosines
                .extend(self.directions.iter().map(|directions| cosines(directions, &direction)));
        }
        Some(usize::from(*start) * width)
    }

    /// [`meaning::near`] of a record, from the results of [`Self::best`] for it and for the two
    /// records before it.
    pub fn near(&self, own: &[f32], previous: &[f32], before_previous: &[f32]) -> f64 {
        meaning::near(&self.weights, own, previous, before_previous)
    }
}

/// Most tokens of a question that are compared with those of records.
pub const TOKENS_MAX: usize = 64;

/// The cosines of one group of directions with a token. No fused operations: the same numbers on
/// every processor.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl",
    "x86_64+avx2",
    "aarch64+neon"
))]
fn cosines(directions: &[[f32; LANES]; DIMENSIONS], with: &[f32; DIMENSIONS]) -> [f32; LANES] {
    let mut sums = [0.0; LANES];
    for (directions, value) in directions.iter().zip(with) {
        for (sum, direction) in sums.iter_mut().zip(directions) {
            *sum += direction * value;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(question: &str, text: &str) -> f64 {
        let table = Table::built_in();
        let mut words = NearWords::new(table, question);
        let mut tokens = Vec::new();
        table.tokens(text, &mut tokens);
        let best = words.best(tokens);
        words.near(&best, &[], &[])
    }

    #[test]
    fn a_record_with_all_words_has_the_maximum_similarity() {
        assert!((near("which glaze", "the glaze which ran") - 1.0).abs() < 1e-5);
    }

    #[test]
    fn words_with_similar_meaning_are_more_similar_than_others() {
        assert!(near("which pet", "she has a dog") > near("which pet", "she has a carburetor"));
    }

    #[test]
    fn an_empty_text_is_similar_to_nothing() {
        assert_eq!(near("", "a dog"), 0.0);
        assert_eq!(near("dog", ""), 0.0);
        assert!(near(&"dog cat ".repeat(100_000), "dog").is_finite());
    }
}
