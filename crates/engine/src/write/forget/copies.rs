//! What says the same as a record that is to be forgotten.

use std::collections::BTreeSet;

use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::Role;
use store::sqlite::{SqliteLedgerIndex, SqliteSpace};

use super::{ForgetPlan, is_only_archived};
use crate::belief::Bodies;
use crate::{EngineError, Reader};

/// Imports that are examined, the latest first.
const IMPORTS_MAX: usize = 100_000;

/// Adds the other versions of the targets, and the records that are marked as echoes of anything
/// that goes with them.
pub(super) fn add(
    index: &SqliteLedgerIndex<'_>,
    store: &SqliteSpace,
    plan: &mut ForgetPlan,
) -> Result<(), EngineError> {
    plan.versions.extend(add_versions(index, &mut plan.targets, plan.is_archival)?);
    let marked = marked(store)?;
    // An echo may be of a belief that goes, and versions of an echo go with it. Each round adds at
    // least one, so this ends.
    loop {
        plan.follow(index)?;
        let mut added = BTreeSet::new();
        for (id, of) in &marked {
            if !plan.targets.contains(id) && of.iter().any(|of| plan.gone.contains(of)) {
                added.insert(*id);
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        plan.echoes.extend(&added);
        plan.targets.extend(added);
        plan.versions.extend(add_versions(index, &mut plan.targets, plan.is_archival)?);
    }
}

/// Adds the records of imports all of whose records are forgotten: the path that was read may say
/// what they said.
pub(crate) fn add_imports(
    reader: &Reader<'_>,
    targets: &mut BTreeSet<OpId>,
) -> Result<(), EngineError> {
    for import in reader.imports(IMPORTS_MAX)? {
        let appended = reader.evidence_in(&import.author, &import.body)?;
        let mut is_forgotten = !appended.is_empty();
        for (_, id) in appended {
            is_forgotten &= targets.contains(&id) || reader.show(&id)?.operation.body().is_none();
            if !is_forgotten {
                break;
            }
        }
        if is_forgotten {
            targets.insert(import.id);
        }
    }
    Ok(())
}

/// Adds the records of imports that brought any of the targets.
pub(crate) fn add_imports_of(
    reader: &Reader<'_>,
    targets: &BTreeSet<OpId>,
    imports: &mut BTreeSet<OpId>,
) -> Result<(), EngineError> {
    for import in reader.imports(IMPORTS_MAX)? {
        let appended = reader.evidence_in(&import.author, &import.body)?;
        if appended.iter().any(|(_, id)| targets.contains(id)) {
            imports.insert(import.id);
        }
    }
    Ok(())
}

/// Adds every version that supersedes a target or is superseded by one. Returns these.
/// An archival leaves out those that were archived before.
pub(crate) fn add_versions(
    index: &SqliteLedgerIndex<'_>,
    targets: &mut BTreeSet<OpId>,
    is_archival: bool,
) -> Result<BTreeSet<OpId>, EngineError> {
    let mut added = BTreeSet::new();
    let mut stack: Vec<OpId> = targets.iter().copied().collect();
    while let Some(id) = stack.pop() {
        let Some(entry) = index.entry(&id)?.filter(|entry| entry.kind == Kind::Evidence) else {
            continue;
        };
        let mut versions: Vec<OpId> = entry.cited(Role::SUPERSEDES).collect();
        versions.extend(index.acting(&id, &Kind::Evidence, Role::SUPERSEDES)?);
        for version in versions {
            let is_there = index.canonical_body(&version)?.is_some()
                || !is_archival && is_only_archived(index, &version)?;
            if is_there && targets.insert(version) {
                added.insert(version);
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
