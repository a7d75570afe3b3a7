//! What follows is recorded with what it follows from.
//!
//! Whoever appends a trigger calls [`record_what_follows`] in the same [`Writing`], before it commits: the records of what fell are then
//! durable with the trigger or not at all. It may be called again after more was appended; it answers each time for what came since. A
//! device that may not derive records nothing: what is due stays due, for a device that may.

use kernel::body::Body;
use kernel::cascade::Consequences;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::operation::{Operation, Ref, Role, Stamp};
use kernel::seal::{Draft, Place, Signer, next_stamp};
use serde_json::Map;
use store::Writing;

use crate::EngineError;

/// Seals a draft at its author's next place in what is being written.
pub(crate) fn seal(
    signer: &Signer,
    writing: &dyn Writing,
    draft: Draft,
    ts: Stamp,
) -> Result<(Operation, Body), EngineError> {
    let place = Place { space: writing.space()?, head: writing.head(&signer.author())?, ts };
    let body = draft.body.clone();
    Ok((signer.seal(draft, place)?, body))
}

/// Records the falls that are due, and says what else follows from all that was taken into `writing` since it was last asked.
pub(crate) fn record_what_follows(
    signer: &Signer,
    writing: &mut dyn Writing,
    now_us: u64,
) -> Result<(Consequences, Vec<(Operation, Body)>), EngineError> {
    let mut follows = writing.follow()?;
    let mut latest = writing.latest()?;
    let at = (next_stamp(now_us, latest), OpId([0; 32]));
    if !writing.access()?.holds(&signer.author(), Capability::Derive, at) {
        follows.invalidated.clear();
    }
    let mut records = Vec::with_capacity(follows.invalidated.len());
    for fallen in &follows.invalidated {
        let refs = vec![
            Ref { id: fallen.target, role: Role::parse(Role::TARGET)? },
            Ref { id: fallen.cause, role: Role::parse(Role::CAUSE)? },
        ];
        let draft = Draft { body: Body::Opaque(Kind::ClaimInvalidation, Map::new()), refs };
        let ts = next_stamp(now_us, latest);
        latest = Some(ts);
        let said = seal(signer, &*writing, draft, ts)?;
        writing.record(&said.0, Some(&said.1))?;
        records.push(said);
    }
    Ok((follows, records))
}
