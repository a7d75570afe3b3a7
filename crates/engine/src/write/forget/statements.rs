//! What a person said when they stated what is forgotten.
//!
//! A claim, node or edge that is stated without a source cites evidence that was recorded with it
//! and says the same. Nobody asked for that record, so nobody would think of it: it goes with the
//! last of what was made from it.

use std::collections::BTreeSet;

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::validity::inputs;
use store::StoreError;
use store::sqlite::SqliteLedgerIndex;

use super::ForgetPlan;
use crate::belief::body_of;
use crate::write::graph::is_statement;

/// Adds the statements from which nothing else was made than what a plan forgets.
pub(super) fn add(index: &SqliteLedgerIndex<'_>, plan: &mut ForgetPlan) -> Result<(), StoreError> {
    let again: BTreeSet<OpId> = plan.again.iter().map(|again| again.id).collect();
    let gone: BTreeSet<OpId> = plan.follow(index)?.difference(&again).copied().collect();
    let mut added = Vec::new();
    for id in &gone {
        let Some(found) = index.outline(id)? else { continue };
        if !found.kind.spec().graph.is_in_graph() {
            continue;
        }
        let Some(entry) = index.entry(id)? else { continue };
        for input in inputs(&entry) {
            let is_cited_beside = || {
                Ok::<_, StoreError>(index.citing(&input)?.iter().any(|it| !gone.contains(&it.id)))
            };
            if is_statement_at(index, &input)? && !is_cited_beside()? {
                added.push(input);
            }
        }
    }
    plan.targets.extend(added);
    Ok(())
}

fn is_statement_at(index: &SqliteLedgerIndex<'_>, id: &OpId) -> Result<bool, StoreError> {
    Ok(match body_of(index, id, &Kind::Evidence)? {
        Some(Body::Evidence(evidence)) => {
            is_statement(&evidence)
                && index.entry(id)?.is_some_and(|entry| entry.kind == Kind::Evidence)
        }
        _ => false,
    })
}
