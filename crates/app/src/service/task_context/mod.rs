//! The context for a task: what to know before a decision about it.
//!
//! First come the pins, which hold whatever the task is: the summary of the values, the values, the
//! settings and the preferences. Then come the claims and nodes that recall finds nearest to the
//! task, what edges in force join to them, and the edges among all of these. Each part has a budget
//! in records, so that the cost follows the budgets and not the graph
//! (`docs/design/0042-the-context-for-a-task.md`).
//!
//! Everything is read over the effective view, as of one time of recording and true at one time in
//! the world. Nothing private is in it, and neither are values as they were given.

use std::collections::BTreeMap;

use engine::private::Disclosure;
use engine::recall::receipts::{Recipient, ShownRecord, ShownRecords};
use engine::{EngineError, Space};
use jiff::Timestamp;
use kernel::id::{OpId, ReceiptId};
use serde::Serialize;

use super::Session;
use super::effective::{Scope, kinds_of_home};
use super::opening::OpenedSpace;
use super::query_embedding::EmbedderPool;
use super::recall::limit_journal;
use crate::failure::{Failure, RequestError};

mod answer;
mod near;
mod pins;
mod reading;
#[cfg(test)]
mod tests;
mod text;

use answer::cut;
pub(crate) use answer::{Selection, TaskContext, TaskEdge, TaskRecord};
use reading::{Layer, Reading};
pub(crate) use text::Shown;

/// Most records or edges of one part.
pub(crate) const BUDGET_MAX: usize = 500;

/// How many records and edges a context for a task has at most; 0 switches a part off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TaskBudget {
    /// Nodes, near the task or joined to what is.
    pub(crate) nodes: usize,
    /// Claims of the values.
    pub(crate) values: usize,
    /// Other preferences.
    pub(crate) preferences: usize,
    /// Claims, near the task or joined to what is.
    pub(crate) query: usize,
    /// Edges.
    pub(crate) edges: usize,
}

impl Default for TaskBudget {
    /// Source: the specification of claims, nodes and edges, "Decide context".
    fn default() -> Self {
        Self { nodes: 6, values: 8, preferences: 8, query: 10, edges: 20 }
    }
}

/// A task, and the options of its context.
pub(crate) struct TaskRequest<'a> {
    /// The task in words.
    pub(crate) task: String,
    /// How much of each part.
    pub(crate) budget: TaskBudget,
    /// Most tokens of the text; records that do not fit are left out.
    pub(crate) tokens_max: Option<usize>,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub(crate) as_of_us: Option<u64>,
    /// True in the world at this time, microseconds since the Unix epoch; otherwise at the time
    /// that it is as of.
    pub(crate) valid_at_us: Option<i64>,
    /// Who reads it, for a receipt.
    pub(crate) reader: Option<Recipient<'a>>,
    /// For which turn of the conversation.
    pub(crate) turn: Option<u64>,
    /// Without the home space, of which whoever reads may see nothing.
    pub(crate) is_alone: bool,
}

impl TaskRequest<'_> {
    /// A task with the usual budgets, now, without a receipt.
    pub(crate) fn new(task: &str) -> Result<Self, RequestError> {
        if task.trim().is_empty() {
            return Err(RequestError::EmptyQuestion);
        }
        Ok(Self {
            task: task.trim().to_owned(),
            budget: TaskBudget::default(),
            tokens_max: None,
            as_of_us: None,
            valid_at_us: None,
            reader: None,
            turn: None,
            is_alone: false,
        })
    }

    /// The time in the world for which it is true.
    fn at_us(&self, session: &Session) -> i64 {
        let now = session.now.as_microsecond();
        let as_of = self.as_of_us.map(|at| i64::try_from(at).unwrap_or(i64::MAX).min(now));
        self.valid_at_us.or(as_of).unwrap_or(now)
    }
}

/// Assembles the context for a task in a space, with the home space under it, and writes receipts
/// if somebody reads it.
pub(crate) fn assemble(
    session: &Session,
    pool: &mut EmbedderPool,
    own: &mut OpenedSpace,
    request: &TaskRequest<'_>,
) -> Result<TaskContext, Failure> {
    let own_is_home = session.is_home(own);
    let mut home = if own_is_home || request.is_alone { None } else { session.home_space()? };
    let is_effective = session.spaces.is_empty();
    let own_scope = session.scope_of(own);
    let found = near::search(
        session,
        pool,
        (&mut own.space, own_scope),
        home.as_mut().filter(|_| is_effective).map(|home| &mut home.space),
        request,
    )?;
    let mut context = {
        let from_home = match &home {
            Some(home) if is_effective => kinds_of_home(session, home)?,
            _ => Vec::new(),
        };
        let layer = |space, scope, disclosure| Layer { space, scope, disclosure };
        let reading = Reading {
            own: layer(&own.space, own_scope, Disclosure::WithoutPrivate),
            is_of_other: own.owner.is_some(),
            home: home
                .as_ref()
                .map(|home| layer(&home.space, Scope::Global, Disclosure::GlobalOnly)),
            from_home,
            as_of_us: request.as_of_us,
            at_us: request.at_us(session),
        };
        let mut context = pins::pins(&reading, &found, &request.budget)?;
        near::add(&reading, found, &mut context)?;
        context
    };
    context.owner.clone_from(&own.owner);
    text::write(session, request.tokens_max, &mut context);
    let mut spaces = vec![(own_scope, &mut own.space)];
    spaces.extend(home.as_mut().map(|home| (Scope::Global, &mut home.space)));
    for (place, (scope, space)) in spaces.into_iter().enumerate() {
        let Some(reader) = &request.reader else { break };
        let is_shown = context.shown.iter().any(|shown| shown.scope == scope);
        // The space of the request keeps one in any case.
        if place > 0 && !is_shown {
            continue;
        }
        limit_journal(session, space);
        match write_receipt(space, scope, reader, request, &context, session.now)? {
            Some(receipt) => context.receipts.push(receipt),
            None => context.receipts_missing += 1,
        }
    }
    Ok(context)
}

/// Writes the receipt of what is from one space.
fn write_receipt(
    space: &mut Space,
    scope: Scope,
    reader: &Recipient<'_>,
    request: &TaskRequest<'_>,
    context: &TaskContext,
    now: Timestamp,
) -> Result<Option<ReceiptId>, EngineError> {
    let scores: BTreeMap<OpId, f64> =
        context.records().filter_map(|it| Some((it.id, it.similarity()?))).collect();
    let of_space = context.shown.iter().filter(|shown| shown.scope == scope);
    let records = of_space.map(|shown| ShownRecord {
        id: shown.id,
        text: &shown.text,
        tokens: shown.tokens as u64,
        score: scores.get(&shown.id).copied(),
    });
    let records: Vec<ShownRecord<'_>> = records.collect();
    let shown = ShownRecords {
        query: &request.task,
        turn: request.turn,
        text: (&context.text, context.tokens as u64),
        records: &records,
    };
    space.receipt_of_records(reader, &shown, now)
}
