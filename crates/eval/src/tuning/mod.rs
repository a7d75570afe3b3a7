//! The value of each part of a score, and fitting of the weights.
//!
//! A collection is imported once and queried many times with different weights: the weights are
//! part of the query, so nothing stored depends on them. [`ablation`] switches parts off. [`fit`]
//! fits weights to labelled questions, and [`held_out`] evaluates each collection or set of
//! collections with weights fitted without it, which is the unbiased figure.
//!
//! Weights are accessed by the names of the parts ([`by_name`]), so a new part is included
//! automatically.

use std::collections::BTreeMap;

use models::choice::Choice;
use retrieval::rank::Weights;

use super::because::{Because, ranking};
use super::measures::{AtCutoff, Averages, Ranks, average};
use super::{Collection, EvalError};

pub mod ablation;
pub mod fit;
pub mod held_out;
pub mod newton;

/// Cut-offs of every table here.
pub const CUTOFFS: [usize; 3] = [5, 10, 25];
/// The number of requested records, which the largest cut-off needs.
const RESULTS_MAX: usize = 50;

/// The weights by the names of their parts.
pub fn by_name(weights: &Weights) -> BTreeMap<String, f64> {
    let value = serde_json::to_value(weights).ok();
    let object = value.as_ref().and_then(serde_json::Value::as_object).into_iter().flatten();
    object.filter_map(|(name, weight)| Some((name.clone(), weight.as_f64()?))).collect()
}

/// The weights with those of some parts replaced. Unknown names are ignored.
pub fn with(weights: &Weights, replaced: &BTreeMap<String, f64>) -> Weights {
    let mut named = by_name(weights);
    for (name, weight) in &mut named {
        if let Some(other) = replaced.get(name) {
            *weight = *other;
        }
    }
    serde_json::to_value(named).and_then(serde_json::from_value).unwrap_or(*weights)
}

/// Collections, each in an open space of its own.
pub struct Spaces<'a> {
    pub collections: &'a [Collection],
    spaces: Vec<Because>,
}

impl<'a> Spaces<'a> {
    /// Imports everything, and embeds it with the chosen model, if any.
    pub fn open(collections: &'a [Collection], choice: Option<&Choice>) -> Result<Self, EvalError> {
        let hold = |collection| Because::holding(collection, choice);
        let spaces = collections.iter().map(hold).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { collections, spaces })
    }

    /// Recall's default weights.
    pub fn weights(&self) -> Weights {
        self.spaces.first().map_or_else(Weights::default, Because::weights)
    }

    /// A collection by its index, and its space.
    pub fn at(&mut self, place: usize) -> Option<(&'a Collection, &mut Because)> {
        Some((self.collections.get(place)?, self.spaces.get_mut(place)?))
    }

    /// The ranks of every question of one collection.
    pub fn ranks(&mut self, place: usize, weights: &Weights) -> Result<Vec<Ranks>, EvalError> {
        let Some((collection, space)) = self.at(place) else { return Ok(Vec::new()) };
        let ask = |question: &super::LabelledQuestion| -> Result<Ranks, EvalError> {
            let recall = space.recall(&question.question, RESULTS_MAX, *weights)?;
            Ok(Ranks::find(&ranking(&recall), &question.gold))
        };
        collection.questions.iter().map(ask).collect()
    }

    /// The ranks of every question of every collection.
    pub fn all_ranks(&mut self, weights: &Weights) -> Result<Vec<Ranks>, EvalError> {
        let mut all = Vec::new();
        for place in 0..self.collections.len() {
            all.extend(self.ranks(place, weights)?);
        }
        Ok(all)
    }
}

/// The common columns of the tables.
pub fn columns() -> String {
    let mut head = String::new();
    CUTOFFS.iter().for_each(|k| head.push_str(&format!("{:>8}", format!("R@{k}"))));
    head + &format!("{:>8}{:>8}", "nDCG@10", "MRR")
}

/// One row of [`columns`], in %.
pub fn cells(averages: &Averages) -> String {
    let values = averages.at.iter().map(|at| at.recall).chain([averages.ndcg, averages.mrr]);
    values.map(|value| format!("{:>8.1}", value * 100.0)).collect()
}

/// The same as JSON, 0 … 1.
pub fn cells_json(averages: &Averages) -> serde_json::Value {
    let recall: serde_json::Map<String, serde_json::Value> =
        averages.at.iter().map(|at| (at.k.to_string(), at.recall.into())).collect();
    serde_json::json!({ "questions": averages.questions, "recall": recall, "ndcg_10": averages.ndcg, "mrr": averages.mrr })
}

/// Averages at [`CUTOFFS`].
pub fn averages(ranks: &[Ranks]) -> Averages {
    average(ranks, &CUTOFFS)
}

/// The mean of averages, each counting equally.
pub fn mean<'a>(rows: impl Iterator<Item = &'a Averages> + Clone) -> Averages {
    let mean = |of: &dyn Fn(&Averages) -> f64| {
        rows.clone().map(of).sum::<f64>() / rows.clone().count().max(1) as f64
    };
    let at = |place: usize, of: &dyn Fn(&AtCutoff) -> f64| {
        mean(&|row: &Averages| row.at.get(place).map_or(0.0, of))
    };
    let cutoff = |(place, k): (usize, usize)| AtCutoff {
        k,
        recall: at(place, &|at| at.recall),
        hit: at(place, &|at| at.hit),
        all: at(place, &|at| at.all),
    };
    Averages {
        questions: rows.clone().map(|row| row.questions).sum(),
        at: CUTOFFS.into_iter().enumerate().map(cutoff).collect(),
        hit_1: mean(&|row| row.hit_1),
        ndcg: mean(&|row| row.ndcg),
        mrr: mean(&|row| row.mrr),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_round_trip_by_name_and_unknown_names_are_ignored() {
        let full = Weights::WITH_VECTORS;
        assert_eq!(with(&full, &by_name(&full)), full);
        let replaced = BTreeMap::from([("date".to_owned(), 0.0), ("no such part".to_owned(), 7.0)]);
        assert_eq!(with(&full, &replaced), Weights { date: 0.0, ..full });
    }

    #[test]
    fn every_part_of_a_score_has_a_weight_of_the_same_name() {
        let named = by_name(&Weights::WITH_VECTORS);
        let score =
            retrieval::rank::fuse(&Weights::WITH_VECTORS, &retrieval::rank::Signals::default());
        let parts: std::collections::BTreeSet<&str> =
            score.parts.iter().map(|part| part.name).collect();
        assert_eq!(parts, named.keys().map(String::as_str).collect());
        assert!(score.parts.iter().all(|part| named.get(part.name) == Some(&part.weight)));
    }
}
