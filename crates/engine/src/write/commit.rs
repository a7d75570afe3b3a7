//! Acting: operations and everything that follows from them, as one append.
//!
//! Whoever corrects, refutes, withdraws or retracts goes through [`Writer::act`]: it records the
//! operations, the falls that follow, and what the derivers say now, and answers with what is
//! believed differently. A dry run does the very same and rolls it back, so that what it says is
//! what would happen.

use kernel::id::OpId;
use kernel::operation::Role;
use kernel::seal::{Draft, next_timestamp};
use store::Writing;

use crate::belief::Belief;
use crate::derive::{Derivation, Extent};
use crate::outcome::Intent;
use crate::seal::Sealable;
use crate::{EngineError, Writer, now_us};

pub use crate::outcome::{Change, Changes};

impl Writer<'_> {
    /// Records `drafts` with what follows from them, or says what would follow. What was not
    /// derived yet is derived before, so that the changes are those of the drafts alone. A long
    /// backlog is derived in steps of its own, which stay whatever becomes of the drafts: so the
    /// write lock is held for the drafts and what follows from them, not for all that was left
    /// over. A dry run over a long backlog works on a private copy.
    pub fn act(
        &mut self,
        drafts: Vec<Draft>,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Changes, EngineError> {
        let may_derive = self.may_derive(now)?;
        let (sealer, derivers) = (self.sealer, self.derivers);
        let store = &mut *self.store;
        let mut backlog = Derivation::new(derivers, sealer, now);
        let mut copy;
        let store = if !may_derive || !backlog.is_long(store)? {
            store
        } else if intent == Intent::Write {
            backlog.run_to_end(store, Extent::Changed, |_| {})?;
            store
        } else {
            copy = store.private_copy()?;
            backlog.run_to_end(&mut copy, Extent::Changed, |_| {})?;
            &mut copy
        };
        let mut writing = store.write()?;
        let mut before = Derivation::new(derivers, sealer, now);
        if may_derive {
            before.begin(&mut writing, Extent::Changed)?;
            before.finish(&mut writing)?;
        } else {
            before.propagate_only(&mut writing)?;
        }
        let mut recorded = Vec::with_capacity(drafts.len());
        let mut masked = Vec::new();
        for draft in drafts {
            let ts = next_timestamp(now_us(now), writing.latest()?);
            let sealable = Sealable::masked(draft, &writing)?;
            masked.extend(sealable.secrets().iter().map(|secret| secret.kind));
            let (operation, body) = sealer.seal_next(sealable, &writing, ts)?;
            writing.record(&operation, Some(&body))?;
            recorded.push(operation.id());
        }
        let mut after = Derivation::new(derivers, sealer, now);
        if may_derive {
            after.begin(&mut writing, Extent::Changed)?;
            after.finish(&mut writing)?;
        } else {
            after.record_consequences(&mut writing)?;
            after.propagate_only(&mut writing)?;
        }
        let Derivation { report: derived, changes, .. } = after;
        let mut beliefs = changes.differing();
        for change in beliefs.values_mut() {
            change.cause = cause_of(&writing, &change.after)?;
        }
        if intent == Intent::Write {
            Box::new(writing).commit()?;
        }
        Ok(Changes { recorded, masked, beliefs, derived })
    }
}

/// What the latest record of a fall names as its cause.
fn cause_of(writing: &dyn Writing, believed: &Belief) -> Result<Option<OpId>, EngineError> {
    let (None, Some(current)) = (believed.served, believed.current) else { return Ok(None) };
    let mut latest = None;
    for id in writing.acting(&current, &kernel::kind::Kind::ClaimInvalidation, Role::TARGET)? {
        latest = latest
            .max(writing.entry(&id)?.map(|entry| (entry.order(), entry.sole_ref(Role::CAUSE))));
    }
    Ok(latest.and_then(|(_, cause)| cause))
}
