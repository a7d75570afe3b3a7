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

#[test]
fn records_of_invalidations_are_found_and_are_not_dependents() {
    let signer = Signer::from_seed([1; 32]);
    let (first, body) = genesis(&signer);
    let mut space = SqliteSpace::create_in_memory(&first, &body).unwrap();
    let mut writing = space.write().unwrap();
    let ground = noted(&signer, &mut writing);
    let mut ts = 2;
    let mut admit = |writing: &mut SqliteWriting<'_>, kind, body, refs: &[(&str, OpId)]| {
        ts += 1;
        let sealed = sealed((&signer, ts), writing, (kind, body), refs);
        writing.admit(&sealed.0, Some(&sealed.1)).unwrap();
        sealed.0
    };
    let claim =
        |key: &str| serde_json::json!({ "claim_type": "t", "identity_key": key, "payload": 1 });
    let below = admit(&mut writing, Kind::Claim, claim("t|below"), &[("input", ground)]);
    let above = admit(&mut writing, Kind::Claim, claim("t|above"), &[("input", below.id())]);
    let acting = |writing: &SqliteWriting<'_>, kind: &Kind| {
        writing.acting(&below.id(), kind, Role::TARGET).unwrap()
    };
    assert_eq!(acting(&writing, &Kind::ClaimInvalidation), []);
    assert_eq!(acting(&writing, &Kind::Retraction), []);
    let refs = [(Role::TARGET, below.id()), (Role::CAUSE, ground)];
    let mut records: Vec<OpId> = (0..2)
        .map(|_| admit(&mut writing, Kind::ClaimInvalidation, serde_json::json!({}), &refs).id())
        .collect();
    records.sort_unstable();
    assert_eq!(acting(&writing, &Kind::ClaimInvalidation), records);
    assert_eq!(acting(&writing, &Kind::Retraction), []);
    let body = serde_json::json!({});
    let refs = [(Role::TARGET, below.id())];
    let retraction = admit(&mut writing, Kind::Retraction, body, &refs);
    assert_eq!(acting(&writing, &Kind::Retraction), [retraction.id()]);
    assert_eq!(acting(&writing, &Kind::ClaimInvalidation), records);
    assert_eq!(writing.dependents(&below.id()).unwrap(), [above.order()]);
}

#[test]
fn a_persons_word_is_found_although_it_arrives_after_the_question() {
    let signer = Signer::from_seed([1; 32]);
    let (first, body) = genesis(&signer);
    let mut space = SqliteSpace::create_in_memory(&first, &body).unwrap();
    let mut writing = space.write().unwrap();
    let ground = noted(&signer, &mut writing);
    let claim = serde_json::json!({ "claim_type": "t", "identity_key": "t|k", "payload": 1 });
    let claim = sealed((&signer, 3), &writing, (Kind::Claim, claim), &[("input", ground)]);
    writing.admit(&claim.0, Some(&claim.1)).unwrap();
    let latest = |writing: &SqliteWriting<'_>, kind: &Kind| {
        writing.latest_of("t|k", kind, None).unwrap().map(|entry| entry.id)
    };
    let words = [Kind::ClaimCorrection, Kind::ClaimRefutation];
    assert_eq!(words.each_ref().map(|kind| latest(&writing, kind)), [None, None]);
    let correction = serde_json::json!({ "identity_key": "t|k", "corrected_payload": 2 });
    let correction = (Kind::ClaimCorrection, correction);
    let target = [(Role::TARGET, claim.0.id())];
    let correction = sealed((&signer, 4), &writing, correction, &target);
    writing.admit(&correction.0, Some(&correction.1)).unwrap();
    let corrected = Some(correction.0.id());
    assert_eq!(words.each_ref().map(|kind| latest(&writing, kind)), [corrected, None]);
    let refutation = (Kind::ClaimRefutation, serde_json::json!({ "identity_key": "t|k" }));
    let refutation = sealed((&signer, 5), &writing, refutation, &target);
    writing.admit(&refutation.0, Some(&refutation.1)).unwrap();
    let refuted = Some(refutation.0.id());
    assert_eq!(words.each_ref().map(|kind| latest(&writing, kind)), [corrected, refuted]);
    assert_eq!(latest(&writing, &Kind::Claim), Some(claim.0.id()));
}

#[test]
fn a_long_transaction_has_a_larger_cache_until_what_it_appended_is_folded() {
    let signer = Signer::from_seed([1; 32]);
    let (first, body) = genesis(&signer);
    let mut space = SqliteSpace::create_in_memory(&first, &body).unwrap();
    let cache_kib = |connection: &Connection| -> i64 {
        connection.query_row("PRAGMA cache_size", [], |row| row.get(0)).unwrap()
    };
    let usual_kib = cache_kib(&space.connection);
    // SQLite writes a size in KiB as a negative number.
    let mut sizes = Vec::new();
    for touched in [20, 200, 300, 3_000, 300] {
        let mut writing = space.write().unwrap();
        noted(&signer, &mut writing);
        writing.touch(touched).unwrap();
        drop(writing);
        sizes.push(cache_kib(&space.connection));
    }
    assert!(sizes[..4].is_sorted_by(|smaller, larger| larger < smaller), "{sizes:?}");
    assert_eq!((sizes[0], sizes[4]), (usual_kib, sizes[3]));
    space.catch_up().unwrap();
    assert_eq!(cache_kib(&space.connection), usual_kib);
}
