//! Logistic regression (with a small ridge penalty) of whether a question is answerable on the
//! features of its ranking.
//!
//! One threshold serves all sets, and it may cost few of the answerable questions of any. So only
//! the answerable questions that look least answerable matter for it, and most of all those of the
//! set in which they look worst. Plain maximum likelihood fits the others, which are easy. The
//! topic model is therefore fitted in rounds: in each, most of the weight of a set's answerable
//! questions is on those that the last model found least likely, more so in the sets in which they
//! were least likely of all. In the end the score is scaled so that it is a probability again, by
//! maximum likelihood with the ordinary weights.

use std::collections::{BTreeMap, BTreeSet};

use retrieval::rank::relevance::{RankingFeatures, probability, relevance};

use super::{Example, Models, QuestionKind};
use crate::tuning::newton::{Slope, minimise, product};

/// The ridge on the sum over examples, which keeps coefficients finite if the classes are
/// separable.
const RIDGE: f64 = 1.0;
/// Rounds of the topic model.
const ROUNDS: usize = 10;
/// How far a round's model moves towards what it fitted.
const STEP: f64 = 0.5;
/// The share of a set's answerable questions that bear most of their weight, and the least number.
const TAIL: f64 = 0.08;
const TAIL_MIN: usize = 3;
/// The share of the weight that all of them keep.
const KEPT: f64 = 0.2;
/// The answerable questions of a set below which the threshold may be.
const LOST: f64 = 0.03;
/// The bounds of what a set's tail counts beside that of the typical set.
const EMPHASIS: (f64, f64) = (0.2, 6.0);

/// An example of a model: its features (of each sentence that was judged), whether it is
/// answerable, and how much it counts.
struct Weighted {
    set: usize,
    values: Vec<Vec<f64>>,
    is_true: bool,
    weight: f64,
}

impl Weighted {
    /// The features by which it is judged, and their score.
    fn best(&self, at: &[f64]) -> (&[f64], f64) {
        let scored = self.values.iter().map(|values| (&values[..], product(values, at)));
        scored.max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or((&[], 0.0))
    }
}

/// Trains both models: the topic model on answerable and foreign questions, the person model on
/// answerable and unanswerable questions about known people. Each set counts equally. In it, all
/// answerable questions count as much as all foreign ones, but no more than each unanswerable one,
/// because people seldom ask about the wrong person. Of a question with several sentences, the
/// best counts for the topic and the first for the person. Questions that are refused by rule are
/// left out.
pub fn learn<'a>(examples: impl IntoIterator<Item = &'a Example>) -> Models {
    let examples: Vec<&Example> = examples.into_iter().collect();
    let is_judged = |features: &&RankingFeatures| relevance(Some(features)) > 0.0;
    Models {
        topic: topic(&of_model(&examples, QuestionKind::Foreign, |features| {
            features.iter().filter(is_judged).map(|one| one.topic().to_vec()).collect()
        })),
        theirs: logistic(&of_model(&examples, QuestionKind::Unanswerable, |features| {
            let person = features.first().and_then(RankingFeatures::person);
            person.map(|values| values.to_vec()).into_iter().collect()
        })),
    }
}

/// The examples of a model that separates the answerable questions from those of another kind. Sets
/// without either are left out.
fn of_model(
    examples: &[&Example],
    against: QuestionKind,
    of: impl Fn(&[RankingFeatures]) -> Vec<Vec<f64>>,
) -> Vec<Weighted> {
    let mut found: BTreeMap<(usize, bool), Vec<Vec<Vec<f64>>>> = BTreeMap::new();
    for example in examples {
        let is_true = example.kind == QuestionKind::Answerable;
        let values = of(&example.features);
        if !values.is_empty() && (is_true || example.kind == against) {
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
            all.into_iter().map(move |values| Weighted { set, values, is_true, weight })
        })
        .collect()
}

/// The coefficients of the topic model, rounded to two decimals.
fn topic(seen: &[Weighted]) -> Vec<f64> {
    let ordinary: Vec<f64> = seen.iter().map(|one| one.weight).collect();
    let mut at = fit(&rows(seen, &[], &ordinary));
    for _ in 0..ROUNDS {
        let weights = emphasised(seen, &at);
        let next = fit(&rows(seen, &at, &weights));
        at.iter_mut().zip(next).for_each(|(old, new)| *old += STEP * (new - *old));
    }
    let scores: Vec<Vec<f64>> = seen.iter().map(|one| vec![1.0, one.best(&at).1]).collect();
    let scaled: Vec<Row<'_>> = (scores.iter().zip(seen))
        .map(|(values, one)| Row { values, is_true: one.is_true, weight: one.weight })
        .collect();
    if let [offset, scale] = fit(&scaled)[..] {
        at.iter_mut().for_each(|coefficient| *coefficient *= scale);
        at.iter_mut().take(1).for_each(|constant| *constant += offset);
    }
    rounded(at)
}

/// The weights of a round. Their sum is that of the ordinary ones.
fn emphasised(seen: &[Weighted], at: &[f64]) -> Vec<f64> {
    let mut of_set: BTreeMap<usize, Vec<(f64, usize)>> = BTreeMap::new();
    for (place, one) in seen.iter().enumerate().filter(|(_, one)| one.is_true) {
        of_set.entry(one.set).or_default().push((one.best(at).1, place));
    }
    for scores in of_set.values_mut() {
        scores.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    }
    let limit = |scores: &[(f64, usize)]| {
        scores.get((scores.len() as f64 * LOST) as usize).map_or(0.0, |(score, _)| *score)
    };
    let mut limits: Vec<f64> = of_set.values().map(|scores| limit(scores)).collect();
    limits.sort_by(f64::total_cmp);
    let typical = limits.get(limits.len() / 2).copied().unwrap_or_default();
    let kept = |one: &Weighted| if one.is_true { KEPT * one.weight } else { one.weight };
    let mut weights: Vec<f64> = seen.iter().map(kept).collect();
    for scores in of_set.values() {
        let whole: f64 =
            scores.iter().filter_map(|(_, place)| Some(seen.get(*place)?.weight)).sum();
        let count = ((scores.len() as f64 * TAIL) as usize).max(TAIL_MIN);
        let (least, most) = EMPHASIS;
        let emphasis = (typical - limit(scores)).exp().clamp(least, most);
        for (_, place) in scores.iter().take(count) {
            if let Some(weight) = weights.get_mut(*place) {
                *weight += (1.0 - KEPT) * whole / count as f64 * emphasis;
            }
        }
    }
    let ordinary: f64 = seen.iter().map(|one| one.weight).sum();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight * ordinary / sum.max(f64::MIN_POSITIVE)).collect()
}

/// What is fitted: the features by which each example is judged at a model.
struct Row<'a> {
    values: &'a [f64],
    is_true: bool,
    weight: f64,
}

fn rows<'a>(seen: &'a [Weighted], at: &[f64], weights: &[f64]) -> Vec<Row<'a>> {
    let judged = |(one, weight): (&'a Weighted, &f64)| {
        let first = one.values.first().map_or(&[][..], Vec::as_slice);
        let values = if at.is_empty() { first } else { one.best(at).0 };
        Row { values, is_true: one.is_true, weight: *weight }
    };
    seen.iter().zip(weights).map(judged).collect()
}

/// The same of examples with their features, whether they are true, and how much they count.
pub(crate) fn coefficients(examples: impl IntoIterator<Item = (Vec<f64>, bool, f64)>) -> Vec<f64> {
    let seen = examples.into_iter().map(|(values, is_true, weight)| {
        let values = vec![values];
        Weighted { set: 0, values, is_true, weight }
    });
    logistic(&seen.collect::<Vec<_>>())
}

/// The maximum-likelihood coefficients, rounded to two decimals.
fn logistic(seen: &[Weighted]) -> Vec<f64> {
    let ordinary: Vec<f64> = seen.iter().map(|one| one.weight).collect();
    rounded(fit(&rows(seen, &[], &ordinary)))
}

fn rounded(coefficients: Vec<f64>) -> Vec<f64> {
    coefficients.into_iter().map(|coefficient| (coefficient * 100.0).round() / 100.0).collect()
}

/// The maximum-likelihood coefficients.
fn fit(seen: &[Row<'_>]) -> Vec<f64> {
    let variables = seen.first().map_or(0, |one| one.values.len());
    minimise(variables, |at| {
        let mut sum = Slope::flat(variables);
        for Row { values, is_true, weight } in seen {
            let score = product(values, at);
            let margin = if *is_true { score } else { -score };
            let predicted = probability(at, values);
            // −log σ(margin), without overflow.
            sum.value += weight * ((-margin).max(0.0) + (-margin.abs()).exp().ln_1p());
            let excess = weight * (predicted - f64::from(u8::from(*is_true)));
            let rows = sum.gradient.iter_mut().zip(&mut sum.curvature);
            for ((gradient, row), value) in rows.zip(*values) {
                *gradient += excess * value;
                row.iter_mut().zip(*values).for_each(|(cell, other)| {
                    *cell += weight * predicted * (1.0 - predicted) * value * other
                });
            }
        }
        sum.with_ridge(RIDGE, at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(values: Vec<f64>, is_true: bool) -> Weighted {
        Weighted { set: 0, values: vec![values], is_true, weight: 1.0 }
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

    #[test]
    fn the_topic_model_keeps_the_least_likely_answerable_questions() {
        // Most answerable questions have the first feature, a few have only the second, which some
        // foreign ones have too.
        let mut seen = Vec::new();
        for number in 0..200 {
            let (common, rare) = if number % 20 == 0 { (0.0, 1.0) } else { (1.0, 0.0) };
            seen.push(example(vec![1.0, common, rare], true));
            let second = if number % 10 == 0 { 1.0 } else { 0.0 };
            seen.push(example(vec![1.0, 0.0, second], false));
        }
        let least = |model: &[f64]| {
            let chances = seen.iter().filter(|one| one.is_true);
            chances.map(|one| probability(model, &one.values[0])).fold(1.0, f64::min)
        };
        let (plain, kept) = (logistic(&seen), topic(&seen));
        assert!(kept.iter().all(|coefficient| coefficient.is_finite()), "{kept:?}");
        assert!(kept[2] / kept[1] > plain[2] / plain[1], "{kept:?} {plain:?}");
        assert!(least(&kept) > 0.0 && topic(&[]).is_empty());
    }

    #[test]
    fn a_question_is_judged_by_its_best_sentence() {
        let mut seen = vec![example(vec![1.0, 5.0], true), example(vec![1.0, 0.0], false)];
        seen[0].values.insert(0, vec![1.0, 0.0]);
        assert_eq!(seen[0].best(&[0.0, 1.0]), (&[1.0, 5.0][..], 5.0));
        assert!(topic(&seen)[1] > 0.0);
    }
}
