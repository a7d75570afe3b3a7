use jiff::Timestamp;
use kernel::body::{Claim, Reason as Why, Refutation};
use kernel::seal::Signer;
use serde_json::json;
use store::Ledger;

use super::*;
use crate::Space;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_760_000_000 + second).unwrap()
}

/// A space with a claim of identity `k` that the user corrected.
struct Corrected {
    _folder: tempfile::TempDir,
    space: Space,
    ground: OpId,
    correction: OpId,
}

fn corrected() -> Corrected {
    let folder = tempfile::tempdir().unwrap();
    let mut space =
        Space::create(&folder.path().join("s"), Signer::from_seed([1; 32]), "test", at(0)).unwrap();
    let thought = Body::Thought(Default::default());
    let ground = space.append(Draft::new(thought), at(1)).unwrap();
    let claim: Claim = serde_json::from_value(json!({
        "claim_type": "place.frequent", "identity_key": "k", "text": "An office at Ringon", "payload": { "v": 1 },
        "deriver": { "name": "places", "version": "1.0.0" }, "confidence": 0.8, "confidence_basis": { "prior": 0.8 },
    }))
    .unwrap();
    let refs = vec![Ref { id: ground, role: Role::parse("supporting").unwrap() }];
    let claim = space.append(Draft { body: Body::Claim(claim), refs }, at(2)).unwrap();
    let correction = recorrection(claim, "k", "At Majorna", &json!({ "v": 2 }), "").unwrap();
    let correction = space.append(correction, at(3)).unwrap();
    Corrected { _folder: folder, space, ground, correction }
}

fn ground_changed(made: &mut Corrected) -> Option<Draft> {
    let review = cascade::Review { trigger: made.ground, key: "k".to_owned() };
    propose_ground_changed(&*made.space.writer().store.begin().unwrap(), &review).unwrap()
}

fn disagreement(made: &mut Corrected, payload: &Value) -> Option<Draft> {
    let inputs = [made.ground];
    let said =
        Disagreement { key: "k", text: "At Haga", payload, confidence: 0.9, inputs: &inputs };
    propose_disagreement(&*made.space.writer().store.begin().unwrap(), &said).unwrap()
}

fn append_all(space: &mut Space, drafts: Vec<Draft>) {
    for draft in drafts {
        space.append(draft, at(9)).unwrap();
    }
}

#[test]
fn a_review_is_proposed_once_for_each_trigger_and_for_each_other_payload() {
    let mut made = corrected();
    let draft = ground_changed(&mut made).unwrap();
    made.space.append(draft, at(4)).unwrap();
    assert_eq!(ground_changed(&mut made), None);
    let draft = disagreement(&mut made, &json!({ "v": 3.0 })).unwrap();
    made.space.append(draft, at(5)).unwrap();
    assert_eq!(
        disagreement(&mut made, &json!({ "v": 3 })),
        None,
        "the same payload, written otherwise"
    );
    assert_eq!(disagreement(&mut made, &json!({ "v": 2 })), None, "the user says so");
    assert!(disagreement(&mut made, &json!({ "v": 4 })).is_some());
    let reviews = made.space.reviews(None).unwrap();
    assert_eq!(reviews.len(), 2);
    assert!(
        reviews.iter().all(|review| review.status == Status::Pending
            && review.corrected_payload == json!({ "v": 2 }))
    );
    append_all(&mut made.space, reviews[1].dismiss("no").unwrap());
    assert_eq!(disagreement(&mut made, &json!({ "v": 3 })), None, "dismissed is not asked again");
}

#[test]
fn accepting_does_what_was_proposed_and_the_other_questions_are_moot() {
    let mut made = corrected();
    for draft in [ground_changed(&mut made), disagreement(&mut made, &json!({ "v": 3 }))] {
        made.space.append(draft.unwrap(), at(4)).unwrap();
    }
    let reviews = made.space.reviews(None).unwrap();
    append_all(&mut made.space, reviews[1].accept("it moved").unwrap());
    let statuses = |space: &Space| {
        space.reviews(None).unwrap().iter().map(|review| review.status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&made.space), [Status::Moot, Status::Accepted]);
    let pinned = made
        .space
        .reader()
        .unwrap()
        .store
        .on_snapshot(|index| crate::belief::belief(index, "k"))
        .unwrap();
    assert_eq!(
        (pinned.payload, pinned.text.as_str(), pinned.confidence),
        (json!({ "v": 3 }), "At Haga", 1.0)
    );
}

#[test]
fn accepting_that_the_ground_changed_withdraws_the_correction() {
    let mut made = corrected();
    let draft = ground_changed(&mut made).unwrap();
    made.space.append(draft, at(4)).unwrap();
    let reviews = made.space.reviews(None).unwrap();
    append_all(&mut made.space, reviews[0].accept("").unwrap());
    let belief = made
        .space
        .reader()
        .unwrap()
        .store
        .on_snapshot(|index| crate::belief::belief(index, "k"))
        .unwrap();
    assert_eq!(belief.payload, json!({ "v": 1 }));
    assert_eq!(ground_changed(&mut made), None, "nothing is corrected any more");
}

#[test]
fn a_proposal_that_would_append_anything_else_is_not_a_review() {
    let mut made = corrected();
    let Draft { body: Body::Proposal(good), refs } =
        disagreement(&mut made, &json!({ "v": 3 })).unwrap()
    else {
        panic!("a proposal")
    };
    let changed = |change: fn(&mut Proposal)| {
        let mut proposal = good.clone();
        change(&mut proposal);
        Draft { body: Body::Proposal(proposal), refs: refs.clone() }
    };
    let bad = [
        changed(|proposal| proposal.operations[0].kind = "grant".to_owned()),
        changed(|proposal| proposal.operations.push(proposal.operations[0].clone())),
        changed(|proposal| proposal.operations.clear()),
        changed(|proposal| proposal.review.as_mut().unwrap().payload = Some(json!("harmless"))),
        changed(|proposal| proposal.review.as_mut().unwrap().identity_key = "another".to_owned()),
        changed(|proposal| proposal.review.as_mut().unwrap().reason = Reason::GroundChanged),
        changed(|proposal| {
            proposal.operations[0].refs[0].target = ProposedTarget::Id(OpId([9; 32]))
        }),
        changed(|proposal| proposal.review = None),
        changed(|proposal| {
            proposal.review = Some(Question {
                reason: Reason::GroundChanged,
                trigger: Some(OpId([9; 32])),
                ..proposal.review.clone().unwrap()
            });
            proposal.operations[0].kind = "correction_withdrawal".to_owned();
        }),
        Draft { body: Body::Proposal(good.clone()), refs: Vec::new() },
    ];
    append_all(&mut made.space, bad.into());
    assert_eq!(made.space.reviews(None).unwrap(), []);
    append_all(&mut made.space, vec![Draft { body: Body::Proposal(good), refs }]);
    assert_eq!(made.space.reviews(None).unwrap().len(), 1);
}

#[test]
fn a_review_is_moot_once_its_identity_is_refuted() {
    let mut made = corrected();
    let draft = ground_changed(&mut made).unwrap();
    made.space.append(draft, at(4)).unwrap();
    let refutation = Refutation { identity_key: "k".to_owned(), note: String::new() };
    made.space
        .append(acting_on(made.correction, Body::ClaimRefutation(refutation)).unwrap(), at(5))
        .unwrap();
    made.space
        .append(
            acting_on(made.ground, Body::Retraction(Why { reason: String::new() })).unwrap(),
            at(6),
        )
        .unwrap();
    assert_eq!(made.space.reviews(None).unwrap()[0].status, Status::Moot);
}
