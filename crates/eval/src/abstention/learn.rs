//! Logistic regression (with a small ridge penalty) of whether a question is answerable on the
//! features of its ranking.

use std::collections::{BTreeMap, BTreeSet};

use retrieval::rank::relevance::{RankingFeatures, probability};

use super::{Example, Models, QuestionKind};
use crate::tuning::newton::{Slope, minimise, product};

/// The ridge on the sum over examples, which keeps coefficients finite if the classes are
/// separable.
const RIDGE: f64 = 1.0;

/// An example of a model: its features, whether it is answerable, and how much it counts.
struct Weighted {
    values: Vec<f64>,
    is_true: bool,
    weight: f64,
}

/// Trains both models: the topic model on answerable and foreign questions, the person model on
/// answerable and unanswerable questions about known people. Each set counts equally. In it, all
/// answerable questions count as much as all foreign ones, but no more than each unanswerable one,
/// because people seldom ask about the wrong person. Of a question with several sentences, the
/// first features count.
pub fn learn<'a>(examples: impl IntoIterator<Item = &'a Example>) -> Models {
    let examples: Vec<&Example> = examples.into_iter().collect();
    Models {
        topic: logistic(&of_model(&examples, QuestionKind::Foreign, |features| {
            Some(features.topic().to_vec())
        })),
        theirs: logistic(&of_model(&examples, QuestionKind::Unanswerable, |features| {
            features.person().map(|values| values.to_vec())
        })),
    }
}

/// The examples of a model that separates the answerable questions from those of another kind. Sets
/// without either are left out.
fn of_model(
    examples: &[&Example],
    against: QuestionKind,
    of: impl Fn(&RankingFeatures) -> Option<Vec<f64>>,
) -> Vec<Weighted> {
    let mut found: BTreeMap<(usize, bool), Vec<Vec<f64>>> = BTreeMap::new();
    for example in examples {
        let is_true = example.kind == QuestionKind::Answerable;
        let values = example.features.first().and_then(&of);
        if let Some(values) = values.filter(|_| is_true || example.kind == against) {
            found.entry((example.set, is_true)).or_default().push(values);
        }
    }
    let whole: BTreeSet<usize> = found.keys().map(|(set, _)| *set).collect();
    let whole: BTreeSet<usize> = whole
        .into_iter()
        .filter(|set| [true, false].iter().all(|is_true| found.contains_key(&(*set, *is_true))))
        .collect();
    let mut of_set: BTreeMap<usize, usize> = BTreeMap::new();
    found.iter().for_each(|((set, _), all)| *of_set.entry(*set).or_default() += all.len());
    let total: usize = found.values().map(Vec::len).sum();
    let share = total as f64 / (2 * whole.len().max(1)) as f64;
    let whole = found.into_iter().filter(|((set, _), _)| whole.contains(set));
    whole
        .flat_map(|((set, is_true), all)| {
            let count = match against {
                QuestionKind::Unanswerable => of_set.get(&set).copied().unwrap_or_default() / 2,
                _ => all.len(),
            };
            let weight = share / count.max(1) as f64;
            all.into_iter().map(move |values| Weighted { values, is_true, weight })
        })
        .collect()
}

/// The maximum-likelihood coefficients, rounded to two decimals.
fn logistic(seen: &[Weighted]) -> Vec<f64> {
    let variables = seen.first().map_or(0, |one| one.values.len());
    let found = minimise(variables, |at| {
        let mut sum = Slope::flat(variables);
        for Weighted { values, is_true, weight } in seen {
            let score = product(values, at);
            let margin = if *is_true { score } else { -score };
            let predicted = probability(at, values);
            // −log σ(margin), without overflow.
            sum.value += weight * ((-margin).max(0.0) + (-margin.abs()).exp().ln_1p());
            let excess = weight * (predicted - f64::from(u8::from(*is_true)));
            let rows = sum.gradient.iter_mut().zip(&mut sum.curvature);
            for ((gradient, row), value) in rows.zip(values) {
                *gradient += excess * value;
                row.iter_mut().zip(values).for_each(|(cell, other)| {
                    *cell += weight * predicted * (1.0 - predicted) * value * other
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

    fn example(values: Vec<f64>, is_true: bool) -> Weighted {
        Weighted { values, is_true, weight: 1.0 }
    }

    #[test]
    fn known_probabilities_are_recovered() {
        // P(x = 0) is 20 %, P(x = 1) is 80 %: the coefficients are −ln 4 and 2 ln 4.
        let mut seen = Vec::new();
        for number in 0..10_000 {
            seen.push(example(vec![1.0, 0.0], number % 5 == 0));
            seen.push(example(vec![1.0, 1.0], number % 5 != 0));
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
        let found = logistic(&[example(vec![1.0, 0.0], false), example(vec![1.0, 9.0], true)]);
        assert!(
            found.iter().all(|coefficient| coefficient.is_finite()) && found[1] > 0.0,
            "{found:?}"
        );
    }
}
