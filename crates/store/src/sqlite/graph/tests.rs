use kernel::operation::Verified;
use kernel::seal::{ChainPosition, Draft, Signer};

use super::super::{SqliteSpace, SqliteWriting};
use super::*;
use crate::Writing;

fn genesis(signer: &Signer) -> (Operation<Verified>, Body) {
    let body = Body::Space(kernel::body::Space {
        name: "test".into(),
        owner: signer.author(),
        created: "2026-01-01T00:00:00Z".into(),
        settings: Default::default(),
    });
    let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
    (signer.seal(Draft::new(body.clone()), place).unwrap(), body)
}

fn sealed(
    (signer, ts): (&Signer, u64),
    writing: &SqliteWriting<'_>,
    (kind, body): (Kind, serde_json::Value),
    refs: &[(&str, OpId)],
) -> (Operation<Verified>, Body) {
    let body = Body::parse(&kind, &kernel::canonical::to_bytes(&body).unwrap()).unwrap();
    let refs = refs.iter().map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() });
    let place = ChainPosition {
        space: writing.space().unwrap(),
        head: writing.head(&signer.author()).unwrap(),
        ts: HlcTimestamp(ts),
    };
    let draft = Draft { body: body.clone(), refs: refs.collect() };
    (signer.seal(draft, place).unwrap(), body)
}

/// Records a note at the time 2.
fn noted(signer: &Signer, writing: &mut SqliteWriting<'_>) -> OpId {
    let note = serde_json::json!({
        "source": "t", "source_uid": "1", "kind": "note", "summary": "", "visibility": "project",
        "payload": {}
    });
    let note = sealed((signer, 2), writing, (Kind::Evidence, note), &[]);
    writing.admit(&note.0, Some(&note.1)).unwrap();
    note.0.id()
}

#[test]
fn the_latest_statement_is_found_by_time_and_then_by_id_whenever_it_arrives() {
    let signers = [1, 2, 3, 4].map(|seed| Signer::from_seed([seed; 32]));
    let (first, body) = genesis(&signers[0]);
    let mut space = SqliteSpace::create_in_memory(&first, &body).unwrap();
    let mut writing = space.write().unwrap();
    let latest = |writing: &SqliteWriting<'_>, before| {
        writing.latest_of("t|k", &Kind::Claim, before).unwrap().map(|entry| entry.order())
    };
    assert_eq!(latest(&writing, None), None);
    let mut orders = std::collections::BTreeSet::new();
    for (signer, ts) in signers.iter().zip([7, 9, 9, 9]) {
        let claim = serde_json::json!({
            "claim_type": "t", "identity_key": "t|k", "payload": ts
        });
        let claim = sealed((signer, ts), &writing, (Kind::Claim, claim), &[]);
        writing.admit(&claim.0, Some(&claim.1)).unwrap();
        orders.insert(claim.0.order());
        assert_eq!(latest(&writing, None), orders.last().copied());
    }
    assert_eq!(orders.len(), 4);
    let mut before = None;
    for order in orders.iter().rev() {
        assert_eq!(latest(&writing, before), Some(*order));
        before = Some(*order);
    }
    assert_eq!(latest(&writing, before), None);
}

#[test]
fn what_acts_on_an_operation_is_found_although_it_arrives_after_the_question() {
    let signer = Signer::from_seed([1; 32]);
    let (first, body) = genesis(&signer);
    let mut space = SqliteSpace::create_in_memory(&first, &body).unwrap();
    let mut writing = space.write().unwrap();
    let target = noted(&signer, &mut writing);
    let acting = |writing: &SqliteWriting<'_>, kind: &Kind| {
        writing.acting(&target, kind, Role::TARGET).unwrap()
    };
    assert_eq!(acting(&writing, &Kind::EvidenceRetraction), []);
    let retraction = (Kind::EvidenceRetraction, serde_json::json!({}));
    let retraction = sealed((&signer, 3), &writing, retraction, &[(Role::TARGET, target)]);
    writing.admit(&retraction.0, Some(&retraction.1)).unwrap();
    assert_eq!(acting(&writing, &Kind::EvidenceRetraction), [retraction.0.id()]);
    assert_eq!(acting(&writing, &Kind::Redaction), []);
}

#[test]
fn only_what_has_soundness_depends_on_its_inputs() {
    let signer = Signer::from_seed([1; 32]);
    let (first, body) = genesis(&signer);
    let mut space = SqliteSpace::create_in_memory(&first, &body).unwrap();
    let mut writing = space.write().unwrap();
    let target = noted(&signer, &mut writing);
    let claim = serde_json::json!({ "claim_type": "t", "identity_key": "t|k", "payload": 1 });
    let claim = sealed((&signer, 3), &writing, (Kind::Claim, claim), &[("input", target)]);
    writing.admit(&claim.0, Some(&claim.1)).unwrap();
    let retraction = (Kind::EvidenceRetraction, serde_json::json!({}));
    let retraction = sealed((&signer, 4), &writing, retraction, &[(Role::TARGET, target)]);
    writing.admit(&retraction.0, Some(&retraction.1)).unwrap();
    assert_eq!(writing.dependents(&target).unwrap(), [claim.0.order()]);
    assert_eq!(writing.citing(&target).unwrap().len(), 2);
}
