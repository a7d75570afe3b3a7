//! Records the consequences of operations in the same transaction as the operations.
//!
//! Code that appends what claims may depend on calls
//! [`record_consequences`](super::submission::record_consequences) in the same [`Writing`] before
//! the commit. It records the invalidations that are due ([`record_invalidations`]) and proposes to
//! look again at corrections whose ground changed, so that the cause and its consequences become
//! durable together. The function may be called again after more operations; each call covers the
//! operations since the last one. A device that may not derive records nothing; the invalidations
//! stay due for a device that may.

use kernel::access::Place;
use kernel::body::Body;
use kernel::cascade::Consequences;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::operation::{Operation, Ref, Role};
use kernel::redaction::forgotten_behind;
use kernel::seal::{Draft, next_timestamp};
use kernel::validity::inputs;
use serde_json::Map;
use store::Writing;

use crate::EngineError;
use crate::seal::{Sealable, Sealer};

/// Records the invalidations that are due, and returns the other consequences of all operations
/// appended to `writing` since the last call.
pub(crate) fn record_invalidations(
    sealer: &Sealer,
    writing: &mut dyn Writing,
    now_us: u64,
) -> Result<(Consequences, Vec<(Operation, Body)>), EngineError> {
    let mut follows = writing.follow()?;
    let mut latest = writing.latest()?;
    let at = Place::next(next_timestamp(now_us, latest));
    if !writing.access()?.holds(&sealer.author(), Capability::Derive, at) {
        follows.invalidated.clear();
    }
    let mut judged = Vec::with_capacity(follows.invalidated.len());
    for claim in follows.invalidated {
        if !stands_on_missing(writing, &claim.target)? {
            judged.push(claim);
        }
    }
    follows.invalidated = judged;
    let mut records = Vec::with_capacity(follows.invalidated.len());
    for claim in &follows.invalidated {
        let refs = vec![
            Ref { id: claim.target, role: Role::parse(Role::TARGET)? },
            Ref { id: claim.cause, role: Role::parse(Role::CAUSE)? },
        ];
        let draft = Draft { body: Body::ClaimInvalidation(Map::new()), refs };
        let ts = next_timestamp(now_us, latest);
        latest = Some(ts);
        let sealed = sealer.seal_next(Sealable::concluded(draft), &*writing, ts)?;
        writing.record(&sealed.0, Some(&sealed.1))?;
        records.push(sealed);
    }
    Ok((follows, records))
}

/// Whether a claim was built on a belief whose body is missing here and was not forgotten. Whether
/// that belief still holds cannot be told here, so nothing is put on record.
fn stands_on_missing(writing: &dyn Writing, claim: &OpId) -> Result<bool, EngineError> {
    let Some(entry) = writing.entry(claim)? else { return Ok(false) };
    for input in inputs(&entry) {
        let Some(cited) = writing.entry(&input)? else { continue };
        let is_belief = matches!(cited.kind, Kind::Claim | Kind::ClaimCorrection);
        if is_belief && cited.identity.is_none() && forgotten_behind(writing, &cited.id)?.is_none()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use kernel::canonical;
    use kernel::id::OpId;
    use kernel::kind::Kind;
    use kernel::operation::HlcTimestamp;
    use kernel::rules::Verdict;
    use kernel::seal::{ChainPosition, Signer};
    use serde_json::{Value, json};
    use store::Ledger;
    use store::sqlite::SqliteSpace;

    use super::*;

    fn key(number: u8) -> Sealer {
        Sealer::new(Signer::from_seed([number; 32]))
    }

    fn body_of(kind: &str, body: &Value) -> Body {
        Body::parse(&Kind::parse(kind).unwrap(), &canonical::to_bytes(body).unwrap()).unwrap()
    }

    fn say(
        sealer: &Sealer,
        writing: &mut dyn Writing,
        kind: &str,
        body: &Value,
        refs: &[(&str, OpId)],
    ) -> OpId {
        let refs = refs
            .iter()
            .map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() })
            .collect();
        let ts = next_timestamp(0, writing.latest().unwrap());
        let draft = Draft { body: body_of(kind, body), refs };
        let (operation, body) = sealer.seal_next(Sealable::concluded(draft), writing, ts).unwrap();
        assert_eq!(writing.record(&operation, Some(&body)).unwrap(), Verdict::Append);
        operation.id()
    }

    /// A space of key 1 in which key 2 may append; evidence and a claim on it.
    fn space() -> (SqliteSpace, OpId, OpId) {
        let body =
            json!({"name": "t", "owner": key(1).author(), "created": "2026-01-01T00:00:00Z"});
        let body = body_of("space", &body);
        let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
        let (genesis, body) = key(1).seal(Sealable::concluded(Draft::new(body)), place).unwrap();
        let mut space = SqliteSpace::create_in_memory(&genesis, &body).unwrap();
        let mut writing = space.begin().unwrap();
        let grant = json!({"key": key(2).author(), "capabilities": ["append"]});
        say(&key(1), &mut *writing, "grant", &grant, &[]);
        let note = json!({
            "source": "t", "source_uid": "1", "kind": "note", "summary": "", "visibility": "project", "payload": {}
        });
        let seen = say(&key(1), &mut *writing, "evidence", &note, &[]);
        let claim = json!({"claim_type": "t", "identity_key": "k", "payload": 1});
        let claim = say(&key(1), &mut *writing, "claim", &claim, &[("input", seen)]);
        assert_eq!(writing.follow().unwrap().changed, ["k"]);
        writing.commit().unwrap();
        (space, seen, claim)
    }

    fn invalidations(sealer: &Sealer, writing: &mut dyn Writing) -> Vec<(OpId, OpId)> {
        let (follows, records) = record_invalidations(sealer, writing, 0).unwrap();
        assert_eq!(records.len(), follows.invalidated.len());
        follows.invalidated.iter().map(|claim| (claim.target, claim.cause)).collect()
    }

    #[test]
    fn an_invalidation_is_recorded_with_its_trigger_and_only_once() {
        let (mut space, seen, claim) = space();
        let mut writing = space.begin().unwrap();
        let gone =
            say(&key(1), &mut *writing, "evidence_retraction", &json!({}), &[("target", seen)]);
        assert_eq!(invalidations(&key(1), &mut *writing), [(claim, gone)]);
        let (again, records) = record_invalidations(&key(1), &mut *writing, 0).unwrap();
        assert_eq!((again, records.len()), (Consequences::default(), 0));
    }

    #[test]
    fn an_invalidation_that_is_due_is_recorded_by_the_next_writer() {
        let (mut space, seen, claim) = space();
        let mut writing = space.begin().unwrap();
        let gone =
            say(&key(1), &mut *writing, "evidence_retraction", &json!({}), &[("target", seen)]);
        writing.commit().unwrap();
        let mut writing = space.begin().unwrap();
        assert_eq!(invalidations(&key(1), &mut *writing), [(claim, gone)]);
    }

    #[test]
    fn a_key_that_may_not_derive_leaves_invalidations_to_one_that_may() {
        let (mut space, seen, claim) = space();
        let mut writing = space.begin().unwrap();
        let gone =
            say(&key(2), &mut *writing, "evidence_retraction", &json!({}), &[("target", seen)]);
        assert_eq!(invalidations(&key(2), &mut *writing), []);
        assert_eq!(invalidations(&key(1), &mut *writing), [(claim, gone)]);
    }

    #[test]
    fn a_transaction_that_is_dropped_has_no_consequences() {
        let (mut space, seen, _) = space();
        let mut writing = space.begin().unwrap();
        say(&key(1), &mut *writing, "evidence_retraction", &json!({}), &[("target", seen)]);
        drop(writing);
        let mut writing = space.begin().unwrap();
        assert_eq!(invalidations(&key(1), &mut *writing), []);
    }
}
