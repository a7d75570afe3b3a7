//! What says the same as a record that is to be forgotten.

use std::collections::BTreeSet;

use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::Role;
use kernel::redaction::quoting;
use store::sqlite::{SqliteLedgerIndex, SqliteSpace};

use super::ForgetPlan;
use crate::EngineError;
use crate::belief::Bodies;

/// Adds the other versions of the targets, and the records that are marked as echoes of anything
/// that goes with them.
pub(super) fn add(
    index: &SqliteLedgerIndex<'_>,
    store: &SqliteSpace,
    plan: &mut ForgetPlan,
) -> Result<(), EngineError> {
    plan.versions = add_versions(index, &mut plan.targets)?;
    let marked = marked(store)?;
    // An echo may be of a belief that goes, and versions of an echo go with it. Each round adds at
    // least one, so this ends.
    loop {
        let gone = quoting(index, plan.targets.iter().copied())?;
        let mut added = BTreeSet::new();
        for (id, of) in &marked {
            if !plan.targets.contains(id) && of.iter().any(|of| gone.contains(of)) {
                added.insert(*id);
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        plan.echoes += added.len() as u64;
        plan.targets.extend(added);
        plan.versions += add_versions(index, &mut plan.targets)?;
    }
}

/// Adds every version that supersedes a target or is superseded by one. Returns how many.
fn add_versions(
    index: &SqliteLedgerIndex<'_>,
    targets: &mut BTreeSet<OpId>,
) -> Result<u64, EngineError> {
    let mut added = 0;
    let mut stack: Vec<OpId> = targets.iter().copied().collect();
    while let Some(id) = stack.pop() {
        let Some(entry) = index.entry(&id)?.filter(|entry| entry.kind == Kind::Evidence) else {
            continue;
        };
        let mut versions: Vec<OpId> = entry.cited(Role::SUPERSEDES).collect();
        versions.extend(index.acting(&id, &Kind::Evidence, Role::SUPERSEDES)?);
        for version in versions {
            if index.canonical_body(&version)?.is_some() && targets.insert(version) {
                added += 1;
                stack.push(version);
            }
        }
    }
    Ok(added)
}

/// Every record with the mark of an echo, and what it repeats.
fn marked(store: &SqliteSpace) -> Result<Vec<(OpId, Vec<OpId>)>, EngineError> {
    let mut marked = Vec::new();
    store.each_evidence_with(kernel::evidence::Echo::FIELD, |id, body| {
        let echo = serde_json::from_slice::<Evidence>(body).ok();
        if let Some(echo) = echo.and_then(|evidence| evidence.echo()) {
            marked.push((id, echo.of));
        }
    })?;
    Ok(marked)
}
