//! The network: a vector for each token.
//!
//! The sequences of a batch are concatenated as rows of one matrix: operations on single tokens
//! (the products with weights, nine tenths of the time) run on all rows at once, attention runs per
//! sequence. So nothing is padded or masked, and a text's vector does not depend on the other texts
//! in its batch. Source: Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional
//! Transformers", as implemented by `BertModel` in Hugging Face's transformers.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

/// The activation function of the feed-forward network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activation {
    /// x · Φ(x), Φ the normal distribution.
    Gelu,
    /// The tanh approximation of [`Self::Gelu`].
    GeluTanh,
    /// max(x, 0).
    Relu,
}

/// The learned weights.
#[derive(Debug)]
pub(super) struct Network {
    pub(super) embeddings: Embeddings,
    pub(super) layers: Vec<Layer>,
    pub(super) heads: usize,
    pub(super) activation: Activation,
}

/// The input embeddings.
#[derive(Debug)]
pub(super) struct Embeddings {
    /// A row for each piece of the vocabulary.
    pub(super) words: Array2<f32>,
    /// A row for each position; it includes the token type of a first sentence.
    pub(super) positions: Array2<f32>,
    pub(super) norm: Norm,
}

/// One encoder layer: attention, then a feed-forward network.
#[derive(Debug)]
pub(super) struct Layer {
    /// Query, key and value, side by side.
    pub(super) query_key_value: Dense,
    pub(super) attention_output: Dense,
    pub(super) attention_norm: Norm,
    pub(super) inner: Dense,
    pub(super) outer: Dense,
    pub(super) outer_norm: Norm,
}

/// x · weights + bias.
#[derive(Debug)]
pub(super) struct Dense {
    /// A column for each output: with this layout a product with few rows is three times as fast.
    pub(super) weights: Array2<f32>,
    pub(super) bias: Array1<f32>,
}

/// Layer normalisation.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) scale: Array1<f32>,
    pub(super) bias: Array1<f32>,
    pub(super) epsilon: f32,
}

impl Network {
    /// Length of the vectors.
    pub(super) fn width(&self) -> usize {
        self.embeddings.words.ncols()
    }

    /// The last layer's vectors of all tokens, with the sequences concatenated. Unknown tokens and
    /// tokens beyond the last position start as zero.
    pub(super) fn run(&self, sequences: &[&[u16]]) -> Array2<f32> {
        let mut hidden = self.embed(sequences);
        let mut ranges = Vec::with_capacity(sequences.len());
        let mut start = 0;
        for sequence in sequences {
            ranges.push(start..start + sequence.len());
            start += sequence.len();
        }
        for layer in &self.layers {
            let parts = layer.query_key_value.apply(&hidden);
            let context = self.attend(&parts, &ranges);
            add(&mut hidden, &layer.attention_output.apply(&context));
            layer.attention_norm.apply(&mut hidden);
            let mut inner = layer.inner.apply(&hidden);
            self.activation.apply(&mut inner);
            add(&mut hidden, &layer.outer.apply(&inner));
            layer.outer_norm.apply(&mut hidden);
        }
        hidden
    }

    fn embed(&self, sequences: &[&[u16]]) -> Array2<f32> {
        let Embeddings { words, positions, norm } = &self.embeddings;
        let total = sequences.iter().map(|sequence| sequence.len()).sum();
        let mut hidden = Array2::zeros((total, self.width()));
        let places = sequences.iter().flat_map(|sequence| sequence.iter().enumerate());
        for (mut row, (place, token)) in hidden.rows_mut().into_iter().zip(places) {
            let token = usize::from(*token);
            if token < words.nrows() && place < positions.nrows() {
                row += &words.row(token);
                row += &positions.row(place);
            }
        }
        norm.apply(&mut hidden);
        hidden
    }

    /// Softmax(query · keyᵀ / √width) · value, for each sequence and head.
    fn attend(&self, parts: &Array2<f32>, ranges: &[Range<usize>]) -> Array2<f32> {
        let width = self.width();
        let head_width = width / self.heads;
        let scale = 1.0 / (head_width as f32).sqrt();
        let longest = ranges.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        let mut context = Array2::zeros((parts.nrows(), width));
        let mut scores_of_longest = Array2::zeros((longest, longest));
        for range in ranges {
            let mut scores = scores_of_longest.slice_mut(s![..range.len(), ..range.len()]);
            for start in (0..self.heads).map(|head| head * head_width) {
                let part = |offset: usize| -> ArrayView2<'_, f32> {
                    parts.slice(s![range.clone(), offset + start..offset + start + head_width])
                };
                let (query, key, value) = (part(0), part(width), part(2 * width));
                general_mat_mul(scale, &query, &key.t(), 0.0, &mut scores);
                for mut row in scores.rows_mut() {
                    if let Some(row) = row.as_slice_mut() {
                        softmax(row);
                    }
                }
                let mut into = context.slice_mut(s![range.clone(), start..start + head_width]);
                general_mat_mul(1.0, &scores, &value, 0.0, &mut into);
            }
        }
        context
    }
}

impl Dense {
    fn apply(&self, input: &Array2<f32>) -> Array2<f32> {
        let mut output = Array2::zeros((input.nrows(), self.weights.ncols()));
        output += &self.bias;
        general_mat_mul(1.0, input, &self.weights, 1.0, &mut output);
        output
    }
}

impl Norm {
    fn apply(&self, rows: &mut Array2<f32>) {
        let (Some(scale), Some(bias)) = (self.scale.as_slice(), self.bias.as_slice()) else {
            return;
        };
        for mut row in rows.rows_mut() {
            let Some(row) = row.as_slice_mut() else { return };
            let count = row.len() as f32;
            let mean = row.iter().sum::<f32>() / count;
            let variance =
                row.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / count;
            let inverse = 1.0 / (variance + self.epsilon).sqrt();
            for ((value, scale), bias) in row.iter_mut().zip(scale).zip(bias) {
                *value = (*value - mean) * inverse * scale + bias;
            }
        }
    }
}

impl Activation {
    fn apply(self, rows: &mut Array2<f32>) {
        let Some(values) = rows.as_slice_mut() else { return };
        match self {
            Self::Gelu => values.iter_mut().for_each(|value| *value = gelu(*value)),
            Self::GeluTanh => values.iter_mut().for_each(|value| *value = gelu_tanh(*value)),
            Self::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
        }
    }
}

/// The mean of one sequence's vectors.
pub(super) fn mean(rows: ArrayView2<'_, f32>) -> Vec<f32> {
    rows.mean_axis(Axis(0)).map(|mean| mean.to_vec()).unwrap_or_default()
}

/// Scales a vector to length one; a zero vector stays zero.
pub(super) fn normalise(vector: &mut [f32]) {
    let vector_view = ArrayView1::from(&*vector);
    let length = vector_view.dot(&vector_view).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

fn add(hidden: &mut Array2<f32>, more: &Array2<f32>) {
    *hidden += more;
}

/// Softmax, shifted so that no exponential overflows.
fn softmax(row: &mut [f32]) {
    let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for value in row.iter_mut() {
        *value = (*value - highest).exp();
        total += *value;
    }
    row.iter_mut().for_each(|value| *value /= total);
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

fn gelu_tanh(x: f32) -> f32 {
    let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
    0.5 * x * (1.0 + inner.tanh())
}

/// The error function, accurate to a few units in the last place, and without branches so that the
/// compiler vectorises it: the rational approximation of Eigen and XLA.
fn erf(x: f32) -> f32 {
    let x = x.clamp(-3.832_507, 3.832_507);
    let square = x * x;
    let mut above = -2.726_142_3e-10;
    for coefficient in [
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906_3e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ] {
        above = above * square + coefficient;
    }
    let mut below = -1.456_607_2e-5;
    for coefficient in [-2.133_740_6e-4, -1.682_827e-3, -7.373_329_2e-3, -1.426_473_9e-2] {
        below = below * square + coefficient;
    }
    x * above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error function from its series, in double precision.
    fn erf_by_series(x: f64) -> f64 {
        let mut term = x;
        let mut sum = x;
        for n in 1..200 {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn the_error_function_is_accurate_to_single_precision() {
        for step in -500..=500_i16 {
            let x = f32::from(step) / 100.0;
            let expect = erf_by_series(f64::from(x));
            assert!(
                (f64::from(erf(x)) - expect).abs() < 5e-7,
                "erf({x}) = {} instead of {expect}",
                erf(x)
            );
        }
        assert!(gelu(f32::NAN).is_nan());
        assert!((gelu(1e9) - 1e9).abs() < 1e3);
    }

    #[test]
    fn softmax_does_not_overflow() {
        let mut row = [1e30, 1e30, -1e30];
        softmax(&mut row);
        assert_eq!(row, [0.5, 0.5, 0.0]);
    }
}
