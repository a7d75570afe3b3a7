//! How near records come to a question word by word.

use retrieval::rank::meaning;

use crate::table::{DIMENSIONS, Table};

/// The tokens of a question, and which tokens are how near to them as far as they were asked for.
pub struct NearWords {
    table: &'static Table,
    /// The directions of the question's tokens, of length 1, as many side by side as there are
    /// lanes.
    directions: Vec<[[f32; LANES]; DIMENSIONS]>,
    /// How much each counts: the length of its vector, which is great for rare words.
    weights: Vec<f32>,
    /// Which of the rows of `cosines` is that of a token; [`UNKNOWN`] for one that was not asked
    /// for yet.
    places: Vec<u16>,
    /// A row a token: its cosines with the tokens of the question, and nothing up to a multiple of
    /// [`LANES`].
    cosines: Vec<[f32; LANES]>,
}

/// How many cosines are compared side by side.
const LANES: usize = 16;
/// No row.
const UNKNOWN: u16 = u16::MAX;

impl NearWords {
    /// Of a question, as far as [`TOKENS_MAX`] tokens.
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
        Self { table, directions, weights, places: vec![UNKNOWN; table.len()], cosines: Vec::new() }
    }

    /// For each token of the question, the greatest cosine with one of `tokens`; 0 where none is
    /// near.
    pub fn best(&mut self, tokens: impl IntoIterator<Item = u16>) -> Vec<f32> {
        let width = self.directions.len();
        let mut best = vec![[0.0f32; LANES]; width];
        for token in tokens {
            let Some(place) = self.place(token, width) else { continue };
            let row = self.cosines.get(place..place + width).unwrap_or_default();
            for (best, cosines) in best.iter_mut().zip(row) {
                for (best, cosine) in best.iter_mut().zip(cosines) {
                    *best = if *cosine > *best { *cosine } else { *best };
                }
            }
        }
        best.into_flattened()
    }

    /// Where the row of a token begins, made if it is not there; none for a token that the table
    /// does not have.
    fn place(&mut self, token: u16, width: usize) -> Option<usize> {
        let place = self.places.get_mut(usize::from(token))?;
        if *place == UNKNOWN {
            // A table has fewer than 65 535 tokens, so there are fewer rows.
            *place = (self.cosines.len() / width.max(1)) as u16;
            let direction =
                self.table.direction(token).map_or([0.0; DIMENSIONS], |(direction, _)| direction);
            self.cosines
                .extend(self.directions.iter().map(|directions| cosines(directions, &direction)));
        }
        Some(usize::from(*place) * width)
    }

    /// [`meaning::near`] of a record, by what [`Self::best`] gave for it and the two before it.
    pub fn near(&self, own: &[f32], previous: &[f32], before_previous: &[f32]) -> f64 {
        meaning::near(&self.weights, own, previous, before_previous)
    }
}

/// Most tokens of a question that are compared with those of records.
pub const TOKENS_MAX: usize = 64;

/// With as many directions as there are lanes. Nothing is fused: the same numbers on every
/// processor.
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
    fn a_record_with_all_words_is_as_near_as_can_be() {
        assert!((near("which glaze", "the glaze which ran") - 1.0).abs() < 1e-5);
    }

    #[test]
    fn words_that_mean_alike_are_nearer_than_others() {
        assert!(near("which pet", "she has a dog") > near("which pet", "she has a carburetor"));
    }

    #[test]
    fn what_has_no_words_is_near_to_nothing() {
        assert_eq!(near("", "a dog"), 0.0);
        assert_eq!(near("dog", ""), 0.0);
        assert!(near(&"dog cat ".repeat(100_000), "dog").is_finite());
    }
}
