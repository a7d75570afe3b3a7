//! The context study: of the answers that recall finds, how many a model gets to read.
//!
//! Recall is asked each question. Then the context for a turn with that question is composed, as
//! `because context` does. A gold record that is among the first [`RECALLED`] results of recall
//! should be in it, whole or as a passage. The report gives that share for each budget, and why
//! the other records were left out.

use std::collections::{BTreeMap, BTreeSet};

use engine::recall::context::{Budget, Context};
use jiff::Timestamp;
use kernel::id::OpId;
use serde_json::{Value, json};

use super::tuning::Spaces;
use super::{Collection, EvalError, records};

/// The results of recall that a context should serve.
pub const RECALLED: usize = 5;
/// The budgets, in tokens: the default, and a small one.
pub const BUDGETS: [usize; 2] = [1_500, 300];
/// The reason for records that were not considered for the context.
const NOT_GATHERED: &str = "not_gathered";

/// The results at one budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub budget: usize,
    /// All questions.
    pub questions: usize,
    /// Questions with an answer among the first results of recall.
    pub recalled: usize,
    /// Of these, the questions with such an answer in the context.
    pub served: usize,
    /// Answers among the first results of recall, over all questions.
    pub records_recalled: usize,
    /// Of these, the answers in the context.
    pub records_served: usize,
    /// Of these, the answers that are cut.
    pub records_cut: usize,
    /// Tokens of all contexts.
    pub tokens: usize,
    /// Why the other answers were left out.
    pub left_out: BTreeMap<String, usize>,
}

impl Row {
    /// Counts one question, with those of its answers that recall found.
    fn add(&mut self, found: &BTreeSet<OpId>, context: &Context) {
        self.questions += 1;
        self.tokens += context.tokens.total;
        if found.is_empty() {
            return;
        }
        self.recalled += 1;
        self.records_recalled += found.len();
        let mut served = 0;
        for id in found {
            if let Some(item) = context.items.iter().find(|item| item.id == Some(*id)) {
                served += 1;
                self.records_cut += usize::from(item.is_cut);
                continue;
            }
            let left_out = context.left_out.iter().find(|left| left.id == Some(*id));
            let reason = left_out.and_then(|left| serde_json::to_value(left.reason).ok());
            let reason = reason.as_ref().and_then(Value::as_str).unwrap_or(NOT_GATHERED);
            *self.left_out.entry(reason.to_owned()).or_default() += 1;
        }
        self.served += usize::from(served > 0);
        self.records_served += served;
    }

    /// Share of the questions with a recalled answer whose context has one, 0 to 1.
    pub fn share(&self) -> f64 {
        ratio(self.served, self.recalled)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Asks every question at every budget. It calls `step` after each collection.
pub fn run(spaces: &mut Spaces<'_>, step: &mut dyn FnMut()) -> Result<Vec<Row>, EvalError> {
    let mut rows = BUDGETS.map(|budget| Row { budget, ..Row::default() });
    for place in 0..spaces.collections.len() {
        let Some((collection, space)) = spaces.at(place) else { continue };
        let latest = latest(collection)?;
        for question in &collection.questions {
            let recall = space.recall(&question.question, RECALLED, space.weights())?;
            let found = recall
                .results
                .iter()
                .filter(|result| question.gold.contains(&records::key(&result.evidence)));
            let found: BTreeSet<OpId> = found.map(|result| result.id).collect();
            for row in &mut rows {
                let budget = Budget::of(row.budget);
                row.add(&found, &space.context(&question.question, budget, latest)?);
            }
        }
        step();
    }
    Ok(rows.into())
}

/// The time of the latest record, for questions without a date.
fn latest(collection: &Collection) -> Result<Timestamp, EvalError> {
    let mut latest = records::context().now;
    for source in &collection.sources {
        records::visit(source, &mut |evidence| {
            let at = evidence.at.as_ref().map(kernel::when::When::instant_us);
            let at = at.and_then(|at| Timestamp::from_microsecond(at).ok());
            latest = at.map_or(latest, |at| latest.max(at));
        })?;
    }
    Ok(latest)
}

/// The table.
pub fn lines(rows: &[Row]) -> Vec<String> {
    let mut lines = vec![format!(
        "{:>7}{:>11}{:>11}{:>9}{:>12}{:>8}{:>9}  {}",
        "budget", "questions", "recalled", "served", "records", "cut", "tokens", "left out"
    )];
    for row in rows {
        let left_out: Vec<String> =
            row.left_out.iter().map(|(reason, times)| format!("{reason} {times}")).collect();
        lines.push(format!(
            "{:>7}{:>11}{:>11}{:>9.1}{:>12.1}{:>8.1}{:>9.0}  {}",
            row.budget,
            row.questions,
            row.recalled,
            row.share() * 100.0,
            ratio(row.records_served, row.records_recalled) * 100.0,
            ratio(row.records_cut, row.records_served) * 100.0,
            ratio(row.tokens, row.questions),
            left_out.join(", ")
        ));
    }
    lines
}

/// The results as JSON, with shares as 0 … 1.
pub fn as_json(rows: &[Row]) -> Value {
    let row = |row: &Row| {
        json!({
            "budget": row.budget,
            "questions": row.questions,
            "recalled": row.recalled,
            "served": row.share(),
            "records_served": ratio(row.records_served, row.records_recalled),
            "records_cut": ratio(row.records_cut, row.records_served),
            "tokens": ratio(row.tokens, row.questions),
            "left_out": row.left_out,
        })
    };
    Value::Array(rows.iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieval::tests::collection_of;

    #[test]
    fn the_study_counts_recalled_answers_that_the_context_has_or_lacks() {
        let (collection, _folder) = collection_of(&[
            r#"{"type":"document","id":"d1","text":"We rented a boat in Oslo."}"#,
            r#"{"type":"document","id":"d2","text":"The harbour was closed."}"#,
            r#"{"type":"query","id":1,"text":"What was rented in Oslo?","gold":["d1"]}"#,
            r#"{"type":"query","id":2,"text":"We rented a boat in Oslo.","gold":["d1"]}"#,
        ]);
        let collections = [collection];
        let mut spaces = Spaces::open(&collections, None).unwrap();
        let rows = run(&mut spaces, &mut || {}).unwrap();
        assert_eq!(rows.iter().map(|row| row.budget).collect::<Vec<_>>(), BUDGETS);
        for row in &rows {
            // The second turn says what its answer says.
            assert_eq!((row.questions, row.recalled, row.served), (2, 2, 1), "{row:?}");
            assert_eq!(row.left_out, [("in_recent_turns".to_owned(), 1)].into());
            assert!(row.tokens > 40 && row.records_cut == 0);
        }
        assert_eq!(as_json(&rows)[0]["served"], 0.5);
        assert!(super::lines(&rows)[1].contains("in_recent_turns 1"));
    }
}
