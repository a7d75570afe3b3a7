//! Logistic regression (with a small ridge penalty) of whether a question is answerable on the
//! features of its ranking.

use retrieval::rank::relevance::{RankingFeatures, probability};

use super::{Example, Models, QuestionKind};
use crate::tuning::newton::{Slope, minimise, product};

/// The ridge on the sum over examples, which keeps coefficients finite if the classes are
/// separable.
const RIDGE: f64 = 1.0;

/// Trains both models: the topic model on answerable and foreign questions, the person model on
/// answerable and unanswerable questions about known people.
pub fn learn(examples: &[Example]) -> Models {
    let values = |against: QuestionKind,
                  of: &dyn Fn(&RankingFeatures) -> Option<Vec<f64>>|
     -> Vec<(Vec<f64>, bool)> {
        let wanted = examples
            .iter()
            .filter(|example| example.kind == QuestionKind::Answerable || example.kind == against);
        wanted
            .filter_map(|example| {
                Some((of(&example.features?)?, example.kind == QuestionKind::Answerable))
            })
            .collect()
    };
    Models {
        topic: logistic(&values(QuestionKind::Foreign, &|features| {
            Some(features.topic().to_vec())
        })),
        theirs: logistic(&values(QuestionKind::Unanswerable, &|features| {
            features.person().map(|values| values.to_vec())
        })),
    }
}

/// The maximum-likelihood coefficients, rounded to two decimals.
fn logistic(seen: &[(Vec<f64>, bool)]) -> Vec<f64> {
    let variables = seen.first().map_or(0, |(values, _)| values.len());
    let found = minimise(variables, |at| {
        let mut sum = Slope::flat(variables);
        for (values, is_true) in seen {
            let score = product(values, at);
            let margin = if *is_true { score } else { -score };
            let predicted = probability(at, values);
            // −log σ(margin), without overflow.
            sum.value += (-margin).max(0.0) + (-margin.abs()).exp().ln_1p();
            let excess = predicted - f64::from(u8::from(*is_true));
            let rows = sum.gradient.iter_mut().zip(&mut sum.curvature);
            for ((gradient, row), value) in rows.zip(values) {
                *gradient += excess * value;
                row.iter_mut().zip(values).for_each(|(cell, other)| {
                    *cell += predicted * (1.0 - predicted) * value * other
                });
            }
        }
        sum.with_ridge(RIDGE, at)
    });
    found.into_iter().map(|coefficient| (coefficient * 100.0).round() / 100.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_probabilities_are_recovered() {
        // P(x = 0) is 20 %, P(x = 1) is 80 %: the coefficients are −ln 4 and 2 ln 4.
        let mut seen = Vec::new();
        for number in 0..10_000 {
            seen.push((vec![1.0, 0.0], number % 5 == 0));
            seen.push((vec![1.0, 1.0], number % 5 != 0));
        }
        let found = logistic(&seen);
        assert!(
            (found[0] + 4f64.ln()).abs() < 0.02 && (found[1] - 2.0 * 4f64.ln()).abs() < 0.02,
            "{found:?}"
        );
        assert!(logistic(&[]).is_empty());
    }

    #[test]
    fn separable_classes_give_finite_coefficients() {
        let found = logistic(&[(vec![1.0, 0.0], false), (vec![1.0, 9.0], true)]);
        assert!(
            found.iter().all(|coefficient| coefficient.is_finite()) && found[1] > 0.0,
            "{found:?}"
        );
    }
}
