//! Fits weights to labelled questions.
//!
//! For each question, the ordinary recall gathers the parts of the best few hundred candidates. The
//! weights minimise the softmax loss of each gold record against all records that are not gold,
//! with the same weight for every question. That loss is convex ([`super::newton`]). Only ratios
//! matter for a ranking, so the result is scaled to a weight of 1 for `words`. Candidates depend on
//! the weights with which they are gathered, so both steps are repeated. A part with the same value
//! in all candidates of every question cannot be fitted and keeps its previous weight.

use std::collections::BTreeMap;

use retrieval::rank::Weights;

use super::newton::{Slope, minimise, product};
use super::{Spaces, by_name, with};
use crate::{EvalError, records};

/// Candidates gathered for each question.
const CANDIDATES: usize = 400;
/// How often candidates are gathered and weights fitted.
const ROUNDS: usize = 2;
/// The ridge on the mean loss of a question, which limits the weights of rare parts.
const RIDGE: f64 = 2e-3;
/// Bounds of a weight, relative to that of `words`.
const WEIGHT_MIN: f64 = -2.0;
const WEIGHT_MAX: f64 = 6.0;
/// The part whose weight is 1.
const UNIT_PART: &str = "words";

/// The candidates of one question, by the values of their parts.
pub struct Candidates {
    answering: Vec<Vec<f64>>,
    others: Vec<Vec<f64>>,
}

/// Gathers the candidates of one collection's questions.
pub fn gather(
    spaces: &mut Spaces<'_>,
    place: usize,
    weights: &Weights,
) -> Result<Vec<Candidates>, EvalError> {
    let Some((collection, space)) = spaces.at(place) else { return Ok(Vec::new()) };
    let mut gathered = Vec::with_capacity(collection.questions.len());
    for question in &collection.questions {
        let recall = space.recall(&question.question, CANDIDATES, *weights)?;
        let mut candidates = Candidates { answering: Vec::new(), others: Vec::new() };
        for result in &recall.results {
            let values = result.score.parts.iter().map(|part| part.value).collect();
            match question.gold.contains(&records::key(&result.evidence)) {
                true => candidates.answering.push(values),
                false => candidates.others.push(values),
            }
        }
        gathered.push(candidates);
    }
    Ok(gathered)
}

/// Fits weights to some of the collections. It calls `step` after gathering each of them.
pub fn learn(
    spaces: &mut Spaces<'_>,
    places: &[usize],
    start: &Weights,
    step: &mut dyn FnMut(),
) -> Result<Weights, EvalError> {
    let mut weights = *start;
    for _ in 0..ROUNDS {
        let mut candidates = Vec::new();
        for place in places {
            candidates.extend(gather(spaces, *place, &weights)?);
            step();
        }
        weights = fit(&candidates, &weights);
    }
    Ok(weights)
}

/// How often [`learn`] calls `step`.
pub fn steps(places: usize) -> u64 {
    (places * ROUNDS) as u64
}

/// The weights with the smallest loss. Those that cannot be fitted stay as in `before`.
pub fn fit(candidates: &[Candidates], before: &Weights) -> Weights {
    let parts = part_names();
    let varying: Vec<usize> = (0..parts.len()).filter(|part| varies(candidates, *part)).collect();
    let unit =
        varying.iter().position(|part| parts.get(*part).is_some_and(|name| *name == UNIT_PART));
    let Some(unit) = unit else { return *before };
    let narrowed: Vec<Candidates> = candidates
        .iter()
        .filter(|question| !question.answering.is_empty() && !question.others.is_empty())
        .map(|question| narrow(question, &varying))
        .collect();
    let found = minimise(varying.len(), |at| loss(&narrowed, at));
    let scale = found.get(unit).copied().unwrap_or(0.0);
    if scale <= 0.0 {
        return *before;
    }
    let mut learnt = BTreeMap::new();
    for (part, weight) in varying.iter().zip(&found) {
        let weight = (weight / scale).clamp(WEIGHT_MIN, WEIGHT_MAX);
        // Two decimals: more is noise, and people read these.
        learnt.extend(
            parts.get(*part).map(|name| ((*name).to_owned(), (weight * 100.0).round() / 100.0)),
        );
    }
    with(before, &learnt)
}

/// The weights as source code.
pub fn as_source(weights: &Weights) -> Vec<String> {
    let named = by_name(weights);
    let line =
        |name: &&str| format!("        {name}: {:.2},", named.get(*name).copied().unwrap_or(0.0));
    part_names().iter().map(line).collect()
}

/// The names of the parts in the order of a score.
fn part_names() -> Vec<&'static str> {
    let score = retrieval::rank::fuse(&Weights::default(), &retrieval::rank::Signals::default());
    score.parts.iter().map(|part| part.name).collect()
}

/// Whether a part has different values within any question.
fn varies(candidates: &[Candidates], part: usize) -> bool {
    candidates.iter().any(|question| {
        let mut values =
            question.answering.iter().chain(&question.others).map(|values| values.get(part));
        let first = values.next();
        values.any(|value| Some(value) != first)
    })
}

fn narrow(question: &Candidates, parts: &[usize]) -> Candidates {
    let narrow = |values: &Vec<f64>| {
        parts.iter().map(|part| values.get(*part).copied().unwrap_or(0.0)).collect()
    };
    Candidates {
        answering: question.answering.iter().map(narrow).collect(),
        others: question.others.iter().map(narrow).collect(),
    }
}

/// The mean over questions of the mean softmax loss over their gold records.
fn loss(questions: &[Candidates], weights: &[f64]) -> Slope {
    let mut sum = Slope::flat(weights.len());
    for question in questions {
        let share = 1.0 / (question.answering.len() * questions.len()) as f64;
        for answering in &question.answering {
            add_drawing(&mut sum, share, answering, &question.others, weights);
        }
    }
    sum.with_ridge(RIDGE, weights)
}

/// Adds the softmax loss of `answering` against the others: its gradient is the expected value
/// minus that of `answering`, its curvature is the covariance.
fn add_drawing(
    sum: &mut Slope,
    share: f64,
    answering: &[f64],
    others: &[Vec<f64>],
    weights: &[f64],
) {
    let own = product(answering, weights);
    let scores: Vec<f64> = others.iter().map(|values| product(values, weights)).collect();
    let greatest = scores.iter().copied().fold(own, f64::max);
    let mut mass = 0.0;
    let mut mean = vec![0.0; weights.len()];
    let mut square = vec![vec![0.0; weights.len()]; weights.len()];
    let all = std::iter::once((own, answering))
        .chain(scores.into_iter().zip(others.iter().map(Vec::as_slice)));
    for (score, values) in all {
        let drawn = (score - greatest).exp();
        mass += drawn;
        for ((mean, row), value) in mean.iter_mut().zip(&mut square).zip(values) {
            let drawn = drawn * value;
            *mean += drawn;
            row.iter_mut().zip(values).for_each(|(cell, other)| *cell += drawn * other);
        }
    }
    mean.iter_mut().for_each(|mean| *mean /= mass);
    sum.value += share * (mass.ln() + greatest - own);
    for (((gradient, curvature), mean_here), (row, value)) in
        sum.gradient.iter_mut().zip(&mut sum.curvature).zip(&mean).zip(square.iter().zip(answering))
    {
        *gradient += share * (mean_here - value);
        for ((second, cell), mean) in curvature.iter_mut().zip(row).zip(&mean) {
            *second += share * (cell / mass - mean_here * mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values by part: 0 unless named.
    fn values(named: &[(&str, f64)]) -> Vec<f64> {
        let value = |part: &&str| {
            named.iter().find(|(name, _)| name == part).map_or(0.0, |(_, value)| *value)
        };
        part_names().iter().map(value).collect()
    }

    /// Questions whose answers are drawn by the softmax of known weights: words 1, speaker 0.5,
    /// time expression −0.25, ten times as sharp.
    fn drawn(questions: u64) -> Vec<Candidates> {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut all = Vec::new();
        for _ in 0..questions {
            let mut others: Vec<Vec<f64>> = Vec::new();
            let mut chances = Vec::new();
            for _ in 0..20 {
                let (lex, speaker, timex) =
                    (next(), (next() * 2.0).floor(), (next() * 2.0).floor());
                others.push(values(&[
                    ("words", lex),
                    ("speaker", speaker),
                    ("time_expression", timex),
                ]));
                chances.push((10.0 * (lex + 0.5 * speaker - 0.25 * timex)).exp());
            }
            let mut draw = next() * chances.iter().sum::<f64>();
            let chosen = chances.iter().position(|chance| {
                draw -= chance;
                draw <= 0.0
            });
            let answering = vec![others.remove(chosen.unwrap_or(0))];
            all.push(Candidates { answering, others });
        }
        all
    }

    #[test]
    fn known_weights_are_recovered() {
        let weights = fit(&drawn(3_000), &Weights::LEXICAL);
        assert_eq!(weights.words, 1.0);
        assert!((weights.speaker - 0.5).abs() < 0.05, "{weights:?}");
        assert!((weights.time_expression + 0.25).abs() < 0.05, "{weights:?}");
        assert_eq!(weights.date, Weights::LEXICAL.date, "nothing was to be learnt of it");
    }

    #[test]
    fn data_without_information_leaves_the_weights_unchanged() {
        assert_eq!(fit(&[], &Weights::LEXICAL), Weights::LEXICAL);
        let alone = Candidates { answering: vec![values(&[("words", 1.0)])], others: Vec::new() };
        assert_eq!(fit(&[alone], &Weights::LEXICAL), Weights::LEXICAL);
        let misled = Candidates {
            answering: vec![values(&[("words", 0.0)])],
            others: vec![values(&[("words", 1.0)]); 3],
        };
        assert_eq!(
            fit(&[misled], &Weights::LEXICAL),
            Weights::LEXICAL,
            "words that speak against an answer"
        );
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let questions: Vec<Candidates> =
            drawn(5).iter().map(|question| narrow(question, &[0, 5, 6, 9])).collect();
        let at = [0.7, -0.3, 0.2, 0.4];
        let here = loss(&questions, &at);
        let moved = |place: usize, by: f64| {
            let mut at = at;
            at[place] += by;
            loss(&questions, &at)
        };
        for place in 0..at.len() {
            let (above, below) = (moved(place, 1e-5), moved(place, -1e-5));
            assert!(((above.value - below.value) / 2e-5 - here.gradient[place]).abs() < 1e-6);
            let second = (above.gradient[place] - below.gradient[place]) / 2e-5;
            assert!((second - here.curvature[place][place]).abs() < 1e-6);
        }
    }
}
