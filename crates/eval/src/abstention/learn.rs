//! Logistic regression (with a small ridge) of whether a question is answerable on the signs of its
//! ranking.

use retrieval::rank::relevance::{Signs, chance};

use super::{Example, Models, Sort};
use crate::tuning::newton::{Slope, minimise, product};

/// Keeps coefficients finite where classes are apart: on the sum over examples.
const RIDGE: f64 = 1.0;

/// Learns both models: the topic's from what is answerable and what is foreign, the person's from
/// what is answerable and what is not, where somebody known is asked about.
pub fn learn(examples: &[Example]) -> Models {
    let values = |against: Sort,
                  of: &dyn Fn(&Signs) -> Option<Vec<f64>>|
     -> Vec<(Vec<f64>, bool)> {
        let wanted = examples
            .iter()
            .filter(|example| example.sort == Sort::Answerable || example.sort == against);
        wanted
            .filter_map(|example| Some((of(&example.signs?)?, example.sort == Sort::Answerable)))
            .collect()
    };
    Models {
        topic: logistic(&values(Sort::Foreign, &|signs| Some(signs.topic().to_vec()))),
        theirs: logistic(&values(Sort::Unanswerable, &|signs| {
            signs.theirs().map(|values| values.to_vec())
        })),
    }
}

/// Coefficients under which what was seen is most likely, rounded to two decimals.
fn logistic(seen: &[(Vec<f64>, bool)]) -> Vec<f64> {
    let variables = seen.first().map_or(0, |(values, _)| values.len());
    let found = minimise(variables, |at| {
        let mut sum = Slope::flat(variables);
        for (values, is_true) in seen {
            let score = product(values, at);
            let margin = if *is_true { score } else { -score };
            let chance = chance(at, values);
            // −log σ(margin), without overflow.
            sum.value += (-margin).max(0.0) + (-margin.abs()).exp().ln_1p();
            let excess = chance - f64::from(u8::from(*is_true));
            let rows = sum.gradient.iter_mut().zip(&mut sum.curvature);
            for ((gradient, row), value) in rows.zip(values) {
                *gradient += excess * value;
                row.iter_mut()
                    .zip(values)
                    .for_each(|(cell, other)| *cell += chance * (1.0 - chance) * value * other);
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
    fn the_chances_by_which_things_happened_are_found_again() {
        // Of x = 0 happen 20 in 100, of x = 1 happen 80 in 100: −ln 4 and + 2 ln 4.
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
    fn classes_that_are_apart_give_finite_coefficients() {
        let found = logistic(&[(vec![1.0, 0.0], false), (vec![1.0, 9.0], true)]);
        assert!(
            found.iter().all(|coefficient| coefficient.is_finite()) && found[1] > 0.0,
            "{found:?}"
        );
    }
}
