//! `because context --task`: what to know before a decision.

use engine::recall::receipts::Recipient;
use serde_json::json;

use super::{CliSession, context, embedding};
use crate::failure::Failure;
use crate::output::{self, DIM, Form, ID, printable};
use crate::service::opening::SpaceUse;
use crate::service::query_embedding::EmbedderPool;
use crate::service::task_context::{BUDGET_MAX, TaskBudget, TaskContext, TaskRequest, assemble};

pub(super) fn run(session: &CliSession, args: &context::Args, task: &str) -> Result<u8, Failure> {
    let times = session.times();
    let (agent, conversation) = (args.agent.as_str(), args.session.as_deref());
    let request = TaskRequest {
        budget: args.task_budget.unwrap_or_default(),
        tokens_max: args.budget.map(|budget| budget.total),
        as_of_us: times.recorded_us(args.as_of.as_deref())?,
        valid_at_us: times.start_if_given_us(args.valid_at.as_deref())?,
        reader: (!args.no_receipt).then_some(Recipient { agent, session: conversation }),
        turn: args.number,
        ..TaskRequest::new(task)?
    };
    let mut space = session.open(SpaceUse::Read)?;
    let context = assemble(session, &mut EmbedderPool::default(), &mut space, &request)?;
    drop(space.space);
    match session.form {
        Form::Json => output::json(&json!(context))?,
        Form::Text => {
            print(&context)?;
            context.embedding.iter().for_each(embedding::note_fallback);
        }
    }
    Ok(0)
}

fn print(context: &TaskContext) -> Result<(), Failure> {
    for line in context.text.lines() {
        output::line(printable(line))?;
    }
    let left_out = context.left_out;
    let more = left_out.values + left_out.preferences + left_out.tokens;
    let more = if more > 0 { format!(", {more} left out") } else { String::new() };
    output::note(format_args!("{DIM}{} tokens{more}{DIM:#}", context.tokens));
    for receipt in &context.receipts {
        let short: String = receipt.to_string().chars().take(context::SHORT_CHARS).collect();
        output::note(format_args!("{ID}{short}{ID:#}"));
    }
    for _ in 0..context.receipts_missing {
        output::note(
            "The journal cannot be written now, or the space is read-only; no receipt was kept",
        );
    }
    if context.behind > 0 {
        output::note(format_args!("{DIM}{} operations are not indexed yet{DIM:#}", context.behind));
    }
    Ok(())
}

/// Parses `nodes=6,values=8`; a part that is not named keeps its number.
pub(super) fn parse_budget(text: &str) -> Result<TaskBudget, String> {
    let mut budget = TaskBudget::default();
    for part in text.split(',') {
        let parts = "nodes, values, preferences, query, edges";
        let Some((name, number)) = part.split_once('=') else {
            return Err(format!(
                "{:?} is not NAME=NUMBER; the names are: {parts}",
                printable(part)
            ));
        };
        let number = number.trim().parse::<usize>().ok().filter(|number| *number <= BUDGET_MAX);
        let Some(number) = number else {
            return Err(format!("{:?} is not a number up to {BUDGET_MAX}", printable(part)));
        };
        *match name.trim() {
            "nodes" => &mut budget.nodes,
            "values" => &mut budget.values,
            "preferences" => &mut budget.preferences,
            "query" => &mut budget.query,
            "edges" => &mut budget.edges,
            _ => {
                return Err(format!("{:?} is not a part; the parts are: {parts}", printable(name)));
            }
        } = number;
    }
    Ok(budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_a_task_is_numbers_by_part() {
        let usual = TaskBudget::default();
        assert_eq!(
            parse_budget("nodes=2, edges=0"),
            Ok(TaskBudget { nodes: 2, edges: 0, ..usual })
        );
        for wrong in ["", "6", "nodes", "nodes=", "nodes=x", "words=3", "nodes=-1", "query=501"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }
}
