//! Leave-one-out cross-validation: each group of collections is evaluated with weights fitted to
//! the others.
//!
//! An evaluation on the data of the fit is too optimistic. Weights fitted to other people's
//! conversations show what a new user gets, and weights fitted to other sorts of data what a user
//! with a new sort gets. So if the collections are of several sets, a whole set is left out at a
//! time ([`Sets`]); if there is one set, each of its collections is.

use retrieval::rank::Weights;
use serde_json::{Value, json};

use super::{Spaces, averages, by_name, cells, cells_json, columns, fit, mean};
use crate::EvalError;
use crate::abstention::sets::Sets;
use crate::measures::{Averages, Ranks};

/// A group of collections.
struct Row {
    name: String,
    learnt: Weights,
    /// With the weights fitted to the others.
    held_out: Averages,
    /// With recall's default weights.
    default: Averages,
}

/// The results of all groups.
pub struct HeldOut {
    rows: Vec<Row>,
    /// Over all questions.
    held_out: Averages,
    default: Averages,
}

/// Fits and evaluates, group by group. It calls `step` [`steps`] times.
pub fn run(
    spaces: &mut Spaces<'_>,
    sets: &Sets,
    start: &Weights,
    step: &mut dyn FnMut(),
) -> Result<HeldOut, EvalError> {
    let mut rows = Vec::new();
    let (mut all_held_out, mut all_default): (Vec<Ranks>, Vec<Ranks>) = (Vec::new(), Vec::new());
    let places = 0..spaces.collections.len();
    for left_out in 0..sets.group_count() {
        let (group, others): (Vec<usize>, Vec<usize>) =
            places.clone().partition(|place| sets.group(*place) == left_out);
        let learnt = fit::learn(spaces, &others, sets, start, step)?;
        let (mut held_out, mut default): (Vec<Ranks>, Vec<Ranks>) = (Vec::new(), Vec::new());
        for place in &group {
            held_out.extend(spaces.ranks(*place, &learnt)?);
            default.extend(spaces.ranks(*place, start)?);
        }
        step();
        rows.push(Row {
            name: name(spaces, sets, &group),
            learnt,
            held_out: averages(&held_out),
            default: averages(&default),
        });
        all_held_out.extend(held_out);
        all_default.extend(default);
    }
    Ok(HeldOut { rows, held_out: averages(&all_held_out), default: averages(&all_default) })
}

/// How often [`run`] calls `step` for this number of collections in this number of groups.
pub fn steps(collections: usize, groups: usize) -> u64 {
    // Each collection is fitted to in all groups but its own.
    fit::steps(collections * groups.saturating_sub(1)) + groups as u64
}

/// The name of the set, or of the only collection.
fn name(spaces: &Spaces<'_>, sets: &Sets, group: &[usize]) -> String {
    let first = group.first().copied().unwrap_or_default();
    let set = sets.names().get(sets.set(first)).filter(|_| group.len() > 1);
    let alone = || spaces.collections.get(first).map(|collection| collection.name.clone());
    set.cloned().or_else(alone).unwrap_or_default()
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
        lines.push(row("mean of the rows", &mean(self.rows.iter().map(|row| &row.held_out))));
        lines.push(String::new());
        lines.push(head("the weights as they are"));
        lines.extend(self.rows.iter().map(|each| row(&each.name, &each.default)));
        lines.push(row("all", &self.default));
        lines.push(row("mean of the rows", &mean(self.rows.iter().map(|row| &row.default))));
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
            "mean": {
                "held_out": cells_json(&mean(self.rows.iter().map(|row| &row.held_out))),
                "default": cells_json(&mean(self.rows.iter().map(|row| &row.default))),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_set_is_left_out_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        sample::unpack(folder.path()).unwrap();
        let paths: Vec<_> =
            sample::SOURCES.iter().map(|source| folder.path().join(source)).collect();
        let collections = [0; 3].map(|_| {
            let mut collection = sample::collect(&paths).unwrap();
            collection.questions.truncate(4);
            collection
        });
        let mut spaces = Spaces::open(&collections, None).unwrap();
        let sets = Sets::of_files(["a/1", "a/2", "b/3"].map(std::path::Path::new));
        let mut done = 0;
        let weights = spaces.weights();
        let found = run(&mut spaces, &sets, &weights, &mut || done += 1).unwrap();
        assert_eq!(done, steps(3, 2), "the progress bar ends full");
        let rows: Vec<(&str, usize)> =
            found.rows.iter().map(|row| (row.name.as_str(), row.held_out.questions)).collect();
        assert_eq!(rows, [("a", 8), (collections[2].name.as_str(), 4)]);
        // The sets have the same questions, so the mean of the rows is the mean of all.
        let mean = mean(found.rows.iter().map(|row| &row.default));
        assert_eq!(cells(&mean), cells(&found.default));
    }
}
