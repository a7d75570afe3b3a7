//! Ablation: the pipeline with each part switched off in turn. A part's value is the loss without
//! it.
//!
//! The remaining weights are not refitted, so a loss measures the part's current contribution, not
//! the best possible pipeline without it.

use std::collections::BTreeMap;

use retrieval::rank::Weights;
use serde_json::{Value, json};

use super::{Spaces, averages, by_name, cells, cells_json, columns, with};
use crate::EvalError;
use crate::measures::{Averages, Ranks};

/// Groups of parts that are switched off together, by name; unknown names are ignored.
const GROUPS: [(&str, &[&str]); 15] = [
    ("words", &["words", "own_words", "asker_words"]),
    ("session", &["session"]),
    ("meaning", &["window_meaning", "own_meaning", "word_meaning", "next_meaning"]),
    ("window", &["window_meaning"]),
    ("record alone", &["own_meaning"]),
    ("near words", &["word_meaning"]),
    ("what follows", &["next_meaning"]),
    ("speaker", &["speaker", "subject"]),
    ("elsewhere", &["elsewhere"]),
    ("asker", &["asker"]),
    ("standing", &["standing"]),
    ("date", &["date"]),
    ("turn kind", &["is_question", "is_output", "time_expression", "when"]),
    ("lists", &["classes"]),
    ("profiles", &["profile"]),
];

/// One pipeline.
pub struct Variant {
    /// The name of the part that is switched off.
    pub name: &'static str,
    pub weights: Weights,
}

/// All pipelines, the full one first, without groups whose weights are zero already.
pub fn variants(full: Weights) -> Vec<Variant> {
    let named = by_name(&full);
    let mut variants = vec![Variant { name: "nothing", weights: full }];
    for (name, parts) in GROUPS {
        let off: BTreeMap<String, f64> =
            parts.iter().map(|part| ((*part).to_owned(), 0.0)).collect();
        if off.keys().any(|part| named.get(part).is_some_and(|weight| *weight != 0.0)) {
            variants.push(Variant { name, weights: with(&full, &off) });
        }
    }
    // The record's own words get the weight of the words with context.
    let alone = Weights { words: 0.0, own_words: full.words + full.own_words, ..full };
    variants.insert(variants.len().min(2), Variant { name: "context", weights: alone });
    let both = Weights { session: 0.0, ..alone };
    variants.insert(variants.len().min(3), Variant { name: "context, session", weights: both });
    variants
}

/// The results of each pipeline.
pub struct Ablation {
    rows: Vec<(&'static str, Averages)>,
}

/// Asks all questions with every pipeline. It calls `step` after each.
pub fn run(
    spaces: &mut Spaces<'_>,
    full: Weights,
    step: &mut dyn FnMut(),
) -> Result<Ablation, EvalError> {
    let mut rows = Vec::new();
    for variant in variants(full) {
        let ranks: Vec<Ranks> = spaces.all_ranks(&variant.weights)?;
        rows.push((variant.name, averages(&ranks)));
        step();
    }
    Ok(Ablation { rows })
}

impl Ablation {
    /// The lines of the table, with the loss of recall at 10.
    pub fn lines(&self) -> Vec<String> {
        let full = self.rows.first().and_then(|(_, averages)| at_10(averages));
        let mut lines = vec![format!("{:<22}{}{:>10}", "without", columns(), "of R@10")];
        for (name, averages) in &self.rows {
            let lost =
                full.zip(at_10(averages)).map_or(0.0, |(full, recall)| (recall - full) * 100.0);
            let lost = if *name == "nothing" { String::new() } else { format!("{lost:>+10.1}") };
            lines.push(format!("{name:<22}{}{lost}", cells(averages)));
        }
        lines
    }

    /// The results as JSON, with shares as 0 … 1.
    pub fn json(&self) -> Value {
        let row = |(name, averages): &(&'static str, Averages)| {
            let mut row = cells_json(averages);
            row["without"] = json!(name);
            row
        };
        Value::Array(self.rows.iter().map(row).collect())
    }
}

fn at_10(averages: &Averages) -> Option<f64> {
    averages.at.iter().find(|at| at.k == 10).map(|at| at.recall)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variant_lacks_its_part_and_groups_without_weight_are_skipped() {
        let variants = variants(Weights::LEXICAL);
        let of = |name: &str| {
            variants.iter().find(|variant| variant.name == name).map(|variant| variant.weights)
        };
        assert_eq!(of("nothing"), Some(Weights::LEXICAL));
        assert_eq!(of("date"), Some(Weights { date: 0.0, ..Weights::LEXICAL }));
        let speaker = of("speaker").unwrap();
        assert_eq!((speaker.speaker, speaker.subject, speaker.words), (0.0, 0.0, 1.0));
        assert_eq!(
            of("context").map(|weights| (weights.words, weights.own_words)),
            Some((0.0, 1.5))
        );
        assert_eq!(of("meaning"), None, "there are no vectors in it");
        assert!(
            super::variants(Weights::WITH_VECTORS).iter().any(|variant| variant.name == "meaning")
        );
    }
}
