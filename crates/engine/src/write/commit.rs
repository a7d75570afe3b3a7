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
use crate::derive::{Derivation, Extent, differing};
use crate::outcome::Intent;
use crate::seal::Sealable;
use crate::{EngineError, Writer, now_us};

pub use crate::outcome::{Change, Changes};

impl Writer<'_> {
    /// Records `drafts` with what follows from them, or says what would follow. What was not
    /// derived yet is derived before, so that the changes are those of the drafts alone.
    pub fn act(
        &mut self,
        drafts: Vec<Draft>,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Changes, EngineError> {
        let may_derive = self.may_derive(now)?;
        let (sealer, derivers) = (self.sealer, self.derivers);
        let mut writing = self.store.write()?;
        let mut before = Derivation::new(derivers, sealer, now, may_derive);
        if may_derive {
            before.begin(&mut writing, Extent::Changed)?;
            before.finish(&mut writing)?;
        } else {
            before.look_only(&mut writing)?;
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
        let mut after = Derivation::new(derivers, sealer, now, may_derive);
        if may_derive {
            after.begin(&mut writing, Extent::Changed)?;
        }
        after.follow(&mut writing)?;
        if may_derive {
            after.finish(&mut writing)?;
        } else {
            after.look_only(&mut writing)?;
        }
        let Derivation { derived, changes, .. } = after;
        let mut beliefs = differing(changes);
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
