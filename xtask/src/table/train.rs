//! Trains a row per token, so that the sum of a text's rows approximates the teacher's direction.
//!
//! The loss of a text is 1 − cosine of its sum and its target. Steps are Adam's (Kingma and Ba
//! 2015), applied only to the rows in a batch: most tokens are rare, and would otherwise drift by
//! old moments.

use crate::samples::random::Random;

/// Texts per step.
const BATCH: usize = 1_024;
/// Number of epochs.
const EPOCHS: usize = 10;
/// Maximum learning rate; it decreases to zero over the training.
const RATE: f32 = 1e-2;
/// Warm-up steps.
const WARM_UP: usize = 50;
/// Adam's decay rates of the gradient and of its square.
const SLOPE_KEPT: f32 = 0.9;
const SQUARE_KEPT: f32 = 0.999;
/// Adam's epsilon, which avoids division by zero.
const TINY: f32 = 1e-8;

/// A text and its target direction.
#[derive(Clone, Debug)]
pub(super) struct Lesson {
    pub(super) tokens: Vec<u16>,
    /// A unit vector.
    pub(super) target: Vec<f32>,
}

/// A row for each token.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) width: usize,
    pub(super) numbers: Vec<f32>,
}

/// Adam's state and the gradients of the current batch.
struct Steps {
    slopes: Vec<f32>,
    squares: Vec<f32>,
    taken: i32,
    gradient: Vec<f32>,
    /// The rows in the batch, in order of occurrence.
    touched: Vec<usize>,
    is_touched: Vec<bool>,
}

impl Rows {
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        row * self.width..(row + 1) * self.width
    }

    /// The sum of the rows of `tokens`.
    pub(super) fn sum(&self, tokens: &[u16]) -> Vec<f32> {
        let mut sum = vec![0.0; self.width];
        for token in tokens {
            let row = &self.numbers[self.range(usize::from(*token))];
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        sum
    }

    /// Trains on all lessons, in an order drawn from `seed`; `each_epoch` receives the mean loss.
    pub(super) fn train(
        &mut self,
        lessons: &[Lesson],
        seed: u64,
        mut each_epoch: impl FnMut(usize, f32, &Self),
    ) {
        let mut random = Random::new(seed, 1);
        let mut order: Vec<usize> = (0..lessons.len()).collect();
        let steps_all = EPOCHS * order.len().div_ceil(BATCH);
        let mut steps = Steps::new(self);
        for epoch in 1..=EPOCHS {
            random.shuffle(&mut order);
            let mut loss = 0.0;
            for batch in order.chunks(BATCH) {
                loss +=
                    batch.iter().map(|number| steps.learn(self, &lessons[*number])).sum::<f32>();
                let taken = steps.taken as usize + 1;
                let rising = (taken as f32 / WARM_UP as f32).min(1.0);
                steps.take(self, RATE * rising * (1.0 - taken as f32 / (steps_all + 1) as f32));
            }
            each_epoch(epoch, loss / lessons.len() as f32, self);
        }
    }
}

impl Steps {
    fn new(rows: &Rows) -> Self {
        let zeros = vec![0.0; rows.numbers.len()];
        Self {
            slopes: zeros.clone(),
            squares: zeros.clone(),
            taken: 0,
            gradient: zeros,
            touched: Vec::new(),
            is_touched: vec![false; rows.numbers.len() / rows.width],
        }
    }

    /// Adds the gradient of a lesson and returns its loss.
    fn learn(&mut self, rows: &Rows, lesson: &Lesson) -> f32 {
        let sum = rows.sum(&lesson.tokens);
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length == 0.0 {
            return 1.0;
        }
        let cosine =
            sum.iter().zip(&lesson.target).map(|(sum, target)| sum * target).sum::<f32>() / length;
        let slope: Vec<f32> = sum
            .iter()
            .zip(&lesson.target)
            .map(|(sum, target)| (sum / length * cosine - target) / (length * BATCH as f32))
            .collect();
        for token in &lesson.tokens {
            let row = usize::from(*token);
            if !std::mem::replace(&mut self.is_touched[row], true) {
                self.touched.push(row);
            }
            let gradient = &mut self.gradient[rows.range(row)];
            gradient.iter_mut().zip(&slope).for_each(|(gradient, slope)| *gradient += slope);
        }
        1.0 - cosine
    }

    /// Updates the rows in the batch and clears their gradients.
    fn take(&mut self, rows: &mut Rows, rate: f32) {
        self.taken += 1;
        let slope_known = 1.0 - SLOPE_KEPT.powi(self.taken);
        let square_known = 1.0 - SQUARE_KEPT.powi(self.taken);
        for row in std::mem::take(&mut self.touched) {
            self.is_touched[row] = false;
            for place in rows.range(row) {
                let gradient = std::mem::take(&mut self.gradient[place]);
                let (slope, square) = (&mut self.slopes[place], &mut self.squares[place]);
                *slope = SLOPE_KEPT * *slope + (1.0 - SLOPE_KEPT) * gradient;
                *square = SQUARE_KEPT * *square + (1.0 - SQUARE_KEPT) * gradient * gradient;
                rows.numbers[place] -=
                    rate * (*slope / slope_known) / ((*square / square_known).sqrt() + TINY);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_converge_to_their_targets() {
        let lesson = |tokens: &[u16], target: [f32; 2]| Lesson {
            tokens: tokens.to_vec(),
            target: target.to_vec(),
        };
        let lessons: Vec<Lesson> = (0..40_000)
            .flat_map(|_| {
                [
                    lesson(&[0], [1.0, 0.0]),
                    lesson(&[1], [0.0, 1.0]),
                    lesson(&[0, 1, 2], [-1.0, 0.0]),
                ]
            })
            .collect();
        let mut rows = Rows { width: 2, numbers: vec![0.1, 0.1, 0.1, 0.05, 0.1, -0.1] };
        let mut last = 0.0;
        rows.train(&lessons, 1, |_, loss, _| last = loss);
        assert!(last < 0.1, "{last}");
        let mut again = Rows { width: 2, numbers: vec![0.1, 0.1, 0.1, 0.05, 0.1, -0.1] };
        again.train(&lessons, 1, |_, _, _| {});
        assert_eq!(rows.numbers, again.numbers, "the same seed makes the same rows");
    }
}
