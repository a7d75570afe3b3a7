//! The patches and proposals that hold what is forgotten: what they made repeats them.
//!
//! The decision to apply a patch lists what that appended. A claim that was learned from a proposal
//! names it in its confidence basis. Neither cites the proposal, so the kernel's rule does not
//! reach it. It goes whole, with the words of what else it proposed; what else it made stays.

use std::collections::{BTreeMap, BTreeSet};

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::Role;
use store::sqlite::{SqliteLedgerIndex, SqliteSpace};

use super::ForgetPlan;
use crate::EngineError;
use crate::belief::learned::proposal_of;
use crate::belief::{Bodies, body_of};
use crate::write::patch::{APPLIED, applied_by};

/// Adds the proposals of what a plan forgets.
pub(super) fn add(
    index: &SqliteLedgerIndex<'_>,
    store: &SqliteSpace,
    plan: &mut ForgetPlan,
) -> Result<(), EngineError> {
    let patches = patches(index, store)?;
    // What quotes a proposal goes with it. Each round adds at least one, so this ends.
    loop {
        let mut added = BTreeSet::new();
        for id in plan.follow(index)? {
            added.extend(patches.get(id).into_iter().flatten());
            if let Some(Body::Claim(claim)) = body_of(index, id, &Kind::Claim)? {
                added.extend(proposal_of(&claim));
            }
        }
        added.retain(|id| !plan.gone.contains(id));
        let mut known = BTreeSet::new();
        for id in added {
            // Anybody can state an id.
            let is_proposal = index.entry(&id)?.is_some_and(|it| it.kind == Kind::Proposal);
            if is_proposal && index.canonical_body(&id)?.is_some() {
                known.insert(id);
            }
        }
        if known.is_empty() {
            return Ok(());
        }
        plan.targets.extend(known);
    }
}

/// The patches that made each operation, as the decisions about them say.
fn patches(
    index: &SqliteLedgerIndex<'_>,
    store: &SqliteSpace,
) -> Result<BTreeMap<OpId, BTreeSet<OpId>>, EngineError> {
    let mut decisions = Vec::new();
    store.each_with(&Kind::Decision, APPLIED, |id, body| {
        if let Ok(Body::Decision(decision)) = Body::parse(&Kind::Decision, body) {
            decisions.push((id, applied_by(&decision)));
        }
    })?;
    let mut patches: BTreeMap<OpId, BTreeSet<OpId>> = BTreeMap::new();
    for (id, applied) in decisions {
        let Some(entry) = index.entry(&id)? else { continue };
        if !index.access()?.holds(&entry.author, Capability::Correct, entry.place()) {
            continue;
        }
        let Some(patch) = entry.sole_ref(Role::TARGET) else { continue };
        for made in applied {
            patches.entry(made).or_default().insert(patch);
        }
    }
    Ok(patches)
}
