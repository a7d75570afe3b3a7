//! How near records come to a question word by word.

use kernel::rank::meaning;

use crate::table::{DIMENSIONS, Table};

/// The tokens of a question, and which tokens are how near to them as far as they were asked for.
pub struct NearWords {
    table: &'static Table,
    /// The direction of each token of the question, of length 1.
    directions: Vec<[f32; DIMENSIONS]>,
    /// How much each counts: the length of its vector, which is great for rare words.
    weights: Vec<f32>,
    /// Which of the rows of `cosines` is that of a token; [`UNKNOWN`] for one that was not asked for yet.
    places: Vec<u16>,
    /// A row a token: its cosines with the tokens of the question, and nothing up to a multiple of [`LANES`].
    cosines: Vec<[f32; LANES]>,
}

/// How many cosines are compared side by side.
const LANES: usize = 8;
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
            if let Some((direction, length)) = unit(table, token) {
                directions.push(direction);
                weights.push(length);
            }
        }
        Self { table, directions, weights, places: vec![UNKNOWN; table.len()], cosines: Vec::new() }
    }

    /// For each token of the question, the greatest cosine with one of `tokens`; 0 where none is near.
    pub fn best(&mut self, tokens: impl IntoIterator<Item = u16>) -> Vec<f32> {
        let width = self.directions.len().div_ceil(LANES);
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

    /// Where the row of a token begins, made if it is not there; none for a token that the table does not have.
    fn place(&mut self, token: u16, width: usize) -> Option<usize> {
        let place = self.places.get_mut(usize::from(token))?;
        if *place == UNKNOWN {
            // A table has fewer than 65 535 tokens, so there are fewer rows.
            *place = (self.cosines.len() / width.max(1)) as u16;
            let mut row = vec![[0.0; LANES]; width];
            if let Some((unit, _)) = unit(self.table, token) {
                for (cosine, direction) in row.as_flattened_mut().iter_mut().zip(&self.directions) {
                    *cosine = dot(direction, &unit);
                }
            }
            self.cosines.extend(row);
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

/// A token's direction and length; none if it has no direction.
fn unit(table: &Table, token: u16) -> Option<([f32; DIMENSIONS], f32)> {
    let mut vector = [0.0; DIMENSIONS];
    table.add([token], &mut vector);
    let length = dot(&vector, &vector).sqrt();
    if length < f32::MIN_POSITIVE {
        return None;
    }
    vector.iter_mut().for_each(|value| *value /= length);
    Some((vector, length))
}

/// In eight sums, which the processor adds side by side, in the same order everywhere.
#[multiversion::multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn dot(left: &[f32; DIMENSIONS], right: &[f32; DIMENSIONS]) -> f32 {
    let mut sums = [0.0f32; 8];
    for (left, right) in left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    sums.iter().sum()
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
