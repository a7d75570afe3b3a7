//! Leave-one-out cross-validation: each collection is evaluated with weights fitted to all others.
//!
//! An evaluation on the data of the fit is too optimistic. Weights fitted to other people's
//! conversations show what a new user gets.

use retrieval::rank::Weights;
use serde_json::{Value, json};

use super::{Spaces, averages, by_name, cells, cells_json, columns, fit};
use crate::EvalError;
use crate::measures::{Averages, Ranks};

/// One collection.
struct Row {
    name: String,
    learnt: Weights,
    /// With the weights fitted to the others.
    held_out: Averages,
    /// With recall's default weights.
    default: Averages,
}

/// The results of all collections.
pub struct HeldOut {
    rows: Vec<Row>,
    held_out: Averages,
    default: Averages,
}

/// Fits and evaluates, collection by collection. It calls `step` [`steps`] times.
pub fn run(
    spaces: &mut Spaces<'_>,
    start: &Weights,
    step: &mut dyn FnMut(),
) -> Result<HeldOut, EvalError> {
    let mut rows = Vec::new();
    let (mut all_held_out, mut all_default): (Vec<Ranks>, Vec<Ranks>) = (Vec::new(), Vec::new());
    let places = spaces.collections.len();
    for (left_out, collection) in spaces.collections.iter().enumerate() {
        let others: Vec<usize> = (0..places).filter(|place| *place != left_out).collect();
        let learnt = fit::learn(spaces, &others, start, step)?;
        let (held_out, default) =
            (spaces.ranks(left_out, &learnt)?, spaces.ranks(left_out, start)?);
        step();
        rows.push(Row {
            name: collection.name.clone(),
            learnt,
            held_out: averages(&held_out),
            default: averages(&default),
        });
        all_held_out.extend(held_out);
        all_default.extend(default);
    }
    Ok(HeldOut { rows, held_out: averages(&all_held_out), default: averages(&all_default) })
}

/// How often [`run`] calls `step` for this number of collections.
pub fn steps(collections: usize) -> u64 {
    collections as u64 * (fit::steps(collections.saturating_sub(1)) + 1)
}

impl HeldOut {
    /// The lines of the tables.
    pub fn lines(&self) -> Vec<String> {
        let head = |title: &str| format!("{title:<24}{:>5}{}", "n", columns());
        let row = |name: &str, averages: &Averages| {
            format!("{name:<24}{:>5}{}", averages.questions, cells(averages))
        };
        let mut lines = vec![head("learnt from the others")];
        lines.extend(self.rows.iter().map(|each| row(&each.name, &each.held_out)));
        lines.push(row("all", &self.held_out));
        lines.push(String::new());
        lines.push(head("the weights as they are"));
        lines.extend(self.rows.iter().map(|each| row(&each.name, &each.default)));
        lines.push(row("all", &self.default));
        lines
    }

    /// The results as JSON, with shares as 0 … 1.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "collection": row.name,
                "weights": by_name(&row.learnt),
                "held_out": cells_json(&row.held_out),
                "default": cells_json(&row.default),
            })
        };
        json!({
            "collections": self.rows.iter().map(row).collect::<Vec<_>>(),
            "held_out": cells_json(&self.held_out),
            "default": cells_json(&self.default),
        })
    }
}
