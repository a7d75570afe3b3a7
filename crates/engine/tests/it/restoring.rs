//! Taking retractions back: recall, derivation, selections and the index agree, whatever the order.

use engine::belief::user::Replacement;
use engine::derive::Extent;
use engine::recall::episodes::Query;
use engine::selection::{RecordState, Selection};
use engine::write::import::Intent;
use engine::write::record::Outcome;
use engine::{EngineError, Space};
use jiff::Timestamp;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::seal::Signer;
use serde_json::json;

use crate::derive::Counting;

const NOW: Timestamp = Timestamp::constant(1_700_000_000, 0);

fn note(uid: &str, text: &str) -> Evidence {
    serde_json::from_value(json!({
        "source": "t", "source_uid": uid, "kind": "note", "summary": text, "visibility": "project",
        "payload": { "text": text },
    }))
    .unwrap()
}

fn space() -> (tempfile::TempDir, Space, Vec<OpId>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let mut space = Space::create(&path, Signer::from_seed([1; 32]), "t", NOW).unwrap();
    space.set_derivers(vec![Box::new(Counting)]);
    let texts = ["kiln is too hot today", "kiln was repaired by Idris yesterday evening"];
    let ids = texts.iter().enumerate().map(|(place, text)| {
        match space.remember(note(&place.to_string(), text), NOW).unwrap() {
            Outcome::Added(id) => id,
            other => panic!("{other:?}"),
        }
    });
    let ids = ids.collect();
    space.derive(Extent::Changed, Intent::Write, NOW, |_| {}).unwrap();
    (folder, space, ids)
}

fn recalled(space: &Space) -> usize {
    space.recall(&Query::new("kiln", 5)).unwrap().results.len()
}

fn believed(space: &Space) -> Vec<(String, &'static str)> {
    let beliefs = space.beliefs().unwrap().into_iter();
    beliefs.map(|belief| (belief.key, belief.state.as_str())).collect()
}

fn retract(space: &mut Space, id: &OpId) {
    let drafts = space.to_retract(&id.to_string(), "").unwrap();
    space.act(drafts, Intent::Write, NOW).unwrap();
}

fn restore(space: &mut Space, id: &OpId) {
    let drafts = space.to_restore(&id.to_string(), "").unwrap();
    space.act(drafts, Intent::Write, NOW).unwrap();
}

fn is_sound(space: &mut Space) {
    let verification = space.verify(|_| {}).unwrap();
    assert!(verification.is_sound(), "{:?}", verification.findings);
}

#[test]
fn a_restored_record_is_recalled_and_derived_from_again() {
    let (_folder, mut space, ids) = space();
    let before = believed(&space);
    assert_eq!((recalled(&space), before.len()), (2, 1));
    retract(&mut space, &ids[0]);
    assert_eq!(recalled(&space), 1);
    assert_ne!(believed(&space), before);
    restore(&mut space, &ids[0]);
    assert_eq!(recalled(&space), 2);
    assert_eq!(believed(&space), before);
    is_sound(&mut space);
    // Deriving from scratch changes nothing.
    let (derived, _) = space.derive(Extent::Full, Intent::Write, NOW, |_| {}).unwrap();
    assert!(derived.changed_nothing(), "{derived:?}");
    retract(&mut space, &ids[0]);
    assert_eq!(recalled(&space), 1);
    is_sound(&mut space);
}

#[test]
fn what_is_forgotten_is_not_restored_and_not_retracted_and_the_refusal_says_why() {
    let (_folder, mut space, ids) = space();
    retract(&mut space, &ids[0]);
    let drafts = space.to_retract(&ids[1].to_string(), "").unwrap();
    let retraction = space.act(drafts, Intent::Write, NOW).unwrap().recorded[0];
    let plan = space.plan_to_forget(&ids, NOW).unwrap();
    space.forget(&plan, "", NOW).unwrap();
    for name in [&ids[0], &ids[1], &retraction] {
        let Err(refused) = space.to_restore(&name.to_string(), "") else { panic!("{name}") };
        assert_eq!(refused.code(), "forgotten", "{refused}");
        assert!(refused.to_string().contains("cannot be restored"), "{refused}");
    }
    let again = space.to_retract(&ids[0].to_string(), "").map(drop);
    assert_eq!(again.unwrap_err().code(), "forgotten");
    let by = Replacement { text: Some("x".to_owned()), ..Replacement::default() };
    let corrected = space.to_correct(&ids[0].to_string(), &by).map(drop);
    assert_eq!(corrected.unwrap_err().code(), "forgotten");
    is_sound(&mut space);
}

#[test]
fn only_what_is_retracted_can_be_restored_by_record_or_by_retraction() {
    let (_folder, mut space, ids) = space();
    let refused = space.to_restore(&ids[0].to_string(), "");
    assert!(matches!(&refused, Err(error) if error.code() == "not_retracted"), "{refused:?}");
    retract(&mut space, &ids[0]);
    let again = space.to_retract(&ids[0].to_string(), "");
    let Err(EngineError::User(engine::belief::user::UserError::AlreadyRetracted { by, .. })) =
        again
    else {
        panic!("{again:?}")
    };
    restore(&mut space, &by);
    let refused = space.to_restore(&by.to_string(), "");
    assert!(matches!(&refused, Err(error) if error.code() == "not_retracted"), "{refused:?}");
    retract(&mut space, &ids[0]);
    retract(&mut space, &ids[1]);
    let all = Selection { source: Some("t".to_owned()), ..Default::default() };
    let retracted = space.select(&all, RecordState::Retracted).unwrap();
    assert_eq!(retracted, ids);
    let drafts = space.to_restore_all(&retracted, "").unwrap();
    space.act(drafts, Intent::Write, NOW).unwrap();
    assert_eq!(recalled(&space), 2);
}

#[test]
fn importing_a_retracted_record_again_leaves_it_retracted_and_a_changed_one_counts() {
    let (_folder, mut space, ids) = space();
    retract(&mut space, &ids[0]);
    let same = space.remember(note("0", "kiln is too hot today"), NOW).unwrap();
    assert_eq!(same, Outcome::Present(ids[0]));
    assert_eq!(recalled(&space), 1);
    let changed = space.remember(note("0", "kiln is far too cold today"), NOW).unwrap();
    assert!(matches!(changed, Outcome::Replaced { old, .. } if old == ids[0]), "{changed:?}");
    assert_eq!(recalled(&space), 2);
    // The earlier version is superseded, so restoring it changes nothing that is recalled.
    restore(&mut space, &ids[0]);
    assert_eq!(recalled(&space), 2);
    is_sound(&mut space);
}
