//! What a copy cannot accept of its own key is recorded again: after a clock that was ahead, and
//! after a chain that was continued from an older export.

use engine::Space;
use engine::belief::proposed::{Consent, propose};
use engine::belief::review::Status;
use engine::derive::Extent;
use engine::recall::episodes::Query;
use engine::write::exchange::read_genesis;
use engine::write::import::Intent;
use engine::write::record_again::RecordedAgain;
use kernel::body::{Body, Correction, Reason, Refutation, Withdrawal};
use kernel::evidence::Evidence;
use kernel::kind::Kind;
use kernel::operation::{Operation, Ref, Role};
use kernel::seal::{Draft, Signer};
use kernel::when::When;
use serde_json::json;

use crate::derive::{Home, at, note, toys};

const YEAR_S: i64 = 365 * 24 * 3_600;

fn exported(space: &Space) -> Vec<u8> {
    let mut lines = Vec::new();
    space.export(&mut lines, |_| {}).unwrap();
    lines
}

/// A copy of what an export holds, with the same key. How many operations were refused.
fn copy(lines: &[u8], path: &std::path::Path, clock: i64) -> (Home, Vec<String>) {
    let (genesis, body) = read_genesis(&mut &lines[..]).unwrap();
    let mut space = Space::copy_of(path, &genesis, &body, Signer::from_seed([7; 32])).unwrap();
    space.set_derivers(toys());
    let intake = space.take_in(&mut &lines[..], at(clock), |_| {}).unwrap();
    let codes = intake.refusals.iter().map(|refusal| refusal.code.clone()).collect();
    (Home { space, clock }, codes)
}

fn record_again(home: &mut Home, lines: &[u8]) -> RecordedAgain {
    let now = home.now();
    home.space.record_again(&mut &lines[..], now).unwrap()
}

/// Records and the user's word of every sort, whose outcome is known.
fn live(home: &mut Home) {
    for (uid, text) in [("1", "tea today"), ("2", "tea again"), ("3", "rain once")] {
        home.remember(uid, text);
    }
    home.remember("4", "rain twice");
    let taken_back = home.remember("5", "rain thrice");
    home.derive(Extent::Changed, Intent::Write);
    home.act(Body::EvidenceRetraction(Reason { reason: "no".into() }), taken_back).unwrap();
    let served = |home: &mut Home, key: &str| home.space.believed(key).unwrap().served.unwrap();
    let correction = |payload| {
        Body::ClaimCorrection(Correction {
            identity_key: "org.example.count|tea".into(),
            corrected_payload: payload,
            text: None,
            note: String::new(),
        })
    };
    for payload in [json!({"parity": 5}), json!({"parity": 7})] {
        let target = served(home, "org.example.count|tea");
        home.act(correction(payload), target).unwrap();
    }
    let last = served(home, "org.example.count|tea");
    let withdrawal = Body::CorrectionWithdrawal(Withdrawal { note: String::new() });
    home.act(withdrawal, last).unwrap();
    let target = served(home, "org.example.count|rain");
    let refutation =
        Refutation { identity_key: "org.example.count|rain".into(), note: String::new() };
    home.act(Body::ClaimRefutation(refutation), target).unwrap();
    home.remember("1", "tea tomorrow");
    home.remember("1", "tea today");
    home.derive(Extent::Changed, Intent::Write);
}

fn latest_ts(lines: &[u8]) -> u64 {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| Operation::from_line(line).unwrap().header().ts.0).max().unwrap()
}

/// The texts of everything that is recalled.
fn recalled(home: &Home, as_of_us: u64) -> Vec<String> {
    let mut query = Query::new("tea rain", 50);
    query.filter.as_of_us = Some(as_of_us);
    let results = home.space.recall(&query).unwrap().results.into_iter();
    let mut texts: Vec<String> = results.map(|result| result.evidence.payload.text).collect();
    texts.sort();
    texts
}

#[test]
fn what_was_written_under_a_clock_that_was_ahead_is_recorded_again_with_todays_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut ahead = Home::new(toys());
    ahead.remember("0", "gym once");
    ahead.clock += 5 * YEAR_S;
    let now = ahead.now();
    let own_time = |at: jiff::Timestamp| When::parse(&at.to_string()).ok();
    let dated = Evidence { at: own_time(now), ..note("dated", "yoga with a date") };
    ahead.space.remember(dated, now).unwrap();
    live(&mut ahead);
    let lines = exported(&ahead.space);
    let (mut home, refused) = copy(&lines, &folder.path().join("copy.db"), 100);
    assert!(refused.iter().all(|code| code == "from_future"), "{refused:?}");
    assert!(refused.len() > 10);
    let again = record_again(&mut home, &lines);
    assert_eq!(again.left_out, 0, "{again:?}");
    assert_eq!(again.total(), refused.len() as u64);
    home.derive(Extent::Changed, Intent::Write);
    assert_eq!(home.believed(), ahead.believed());
    assert_eq!(home.space.believed("org.example.count|rain").unwrap().state.as_str(), "refuted");
    assert_eq!(
        recalled(&home, engine::now_us(at(200))),
        ["gym once", "rain once", "rain twice", "tea again", "tea today", "yoga with a date"]
    );
    let after = exported(&home.space);
    assert!(latest_ts(&after) < engine::now_us(at(200)), "it has sensible times");
    let dated = &home.space.recall(&Query::new("yoga", 1)).unwrap().results[0].evidence;
    assert!(dated.at.as_ref().unwrap().instant_us() < at(200).as_microsecond());
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
    // Another copy accepts it, and doing it again adds nothing.
    let (_, refused) = copy(&after, &folder.path().join("third.db"), 200);
    assert!(refused.is_empty(), "{refused:?}");
    let twice = record_again(&mut home, &lines);
    assert_eq!((twice.added, twice.left_out), (0, 0), "{twice:?}");
    assert_eq!(exported(&home.space), after);
}

#[test]
fn a_fork_of_the_own_chain_is_joined_by_recording_one_branch_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut newer = Home::new(toys());
    newer.remember("0", "gym once");
    let older = exported(&newer.space);
    live(&mut newer);
    let newer_lines = exported(&newer.space);
    let (mut restored, _) = copy(&older, &folder.path().join("restored.db"), 1_000);
    restored.remember("9", "gym twice");
    restored.derive(Extent::Changed, Intent::Write);
    let restored_lines = exported(&restored.space);
    // The newer export goes into a new copy, and what was written after the restoration on top.
    let (mut joined, refused) = copy(&newer_lines, &folder.path().join("joined.db"), 2_000);
    assert!(refused.is_empty());
    let intake = joined.space.take_in(&mut restored_lines.as_slice(), at(2_001), |_| {}).unwrap();
    assert_eq!(intake.refusals[0].code, "fork");
    let again = record_again(&mut joined, &restored_lines);
    assert_eq!((again.added, again.left_out), (1, 0), "{again:?}");
    joined.derive(Extent::Changed, Intent::Write);
    let keys: Vec<String> = joined.believed().into_keys().collect();
    assert_eq!(
        keys,
        [
            "org.example.count|gym",
            "org.example.count|tea",
            "org.example.layer|all",
            "org.example.layer|top"
        ]
    );
    // Devices that have the newer export accept what follows.
    let (mut other, _) = copy(&newer_lines, &folder.path().join("other.db"), 3_000);
    let intake =
        other.space.take_in(&mut exported(&joined.space).as_slice(), at(3_001), |_| {}).unwrap();
    assert_eq!(intake.refused, 0, "{:?}", intake.refusals);
    // The other way round works as well, where nobody else has the newer export.
    let again = record_again(&mut restored, &newer_lines);
    assert_eq!(again.left_out, 0, "{again:?}");
    restored.derive(Extent::Changed, Intent::Write);
    assert_eq!(restored.believed(), joined.believed());
}

/// Every proposal, in its words, with what became of it.
fn proposals(home: &Home) -> Vec<(String, &'static str)> {
    let changes = home.space.proposed_changes(None).unwrap().into_iter();
    let changes = changes.map(|change| (change.text, change.status.as_str()));
    let reviews = home.space.reviews(None).unwrap().into_iter();
    let mut proposals: Vec<_> =
        changes.chain(reviews.map(|review| (review.text, review.status.as_str()))).collect();
    proposals.sort();
    proposals
}

#[test]
fn proposals_and_the_decisions_about_them_are_recorded_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut newer = Home::new(toys());
    newer.remember("0", "gym once");
    let older = exported(&newer.space);
    live(&mut newer);
    // The records of a corrected belief change.
    let review = newer.space.reviews(None).unwrap().pop().unwrap();
    let now = newer.now();
    newer.space.act(review.dismiss("I know").unwrap(), Intent::Write, now).unwrap();
    for (uid, decision) in [("6", Some(true)), ("7", Some(false)), ("8", None)] {
        let wrong = newer.remember(uid, "swim");
        let refs = vec![Ref { id: wrong, role: Role::parse(Role::TARGET).unwrap() }];
        let body = Body::EvidenceRetraction(Reason { reason: "no".into() });
        let draft = propose(&[Draft { body, refs }], "me", &format!("is {uid} wrong?")).unwrap();
        let now = newer.now();
        let id = newer.space.append(draft, now).unwrap().to_string();
        let change = newer.space.change_to_decide(&id).unwrap().unwrap();
        let drafts = match decision {
            Some(true) => change.accept(Consent::Review, "").unwrap(),
            Some(false) => change.dismiss("").unwrap(),
            None => continue,
        };
        newer.space.act(drafts, Intent::Write, now).unwrap();
    }
    let lines = exported(&newer.space);
    let (mut restored, _) = copy(&older, &folder.path().join("restored.db"), 1_000);
    restored.remember("9", "gym twice");
    let again = record_again(&mut restored, &lines);
    assert_eq!(again.left_out, 0, "{again:?}");
    restored.derive(Extent::Changed, Intent::Write);
    assert_eq!(proposals(&restored), proposals(&newer));
    // The one that waits is about the record that stands in.
    let waits = restored.space.proposed_changes(None).unwrap();
    let waits = waits.into_iter().find(|change| change.status == Status::Pending).unwrap();
    let target = waits.operations[0].refs[0].id;
    assert!(restored.space.show(&target).unwrap().operation.body_value().is_some());
    let twice = record_again(&mut restored, &lines);
    assert_eq!((twice.added, twice.left_out), (0, 0), "{twice:?}");
    assert!(restored.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn a_space_that_begins_in_the_future_is_recorded_again_as_a_new_one() {
    let key = || Signer::from_seed([7; 32]);
    let mut future = Space::create_in_memory(key(), "ahead", at(5 * YEAR_S)).unwrap();
    future.set_derivers(toys());
    let mut future = Home { space: future, clock: 5 * YEAR_S };
    live(&mut future);
    let lines = exported(&future.space);
    let mut home = Home::new(toys());
    let again = record_again(&mut home, &lines);
    assert_eq!(again.left_out, 0, "{again:?}");
    home.derive(Extent::Changed, Intent::Write);
    assert_eq!(home.believed(), future.believed());
    assert_eq!(record_again(&mut home, &lines).added, 0);
    // Another space is not copied so.
    let other = exported(&Space::create_in_memory(key(), "other", at(0)).unwrap());
    let refused = home.space.record_again(&mut other.as_slice(), at(300)).unwrap_err();
    assert_eq!(refused.code(), "exchange");
}

#[test]
fn operations_of_other_keys_are_not_recorded_again() {
    let mut home = Home::new(toys());
    let folder = tempfile::tempdir().unwrap();
    let now = home.now();
    let other = Signer::from_seed([9; 32]);
    let append = vec![kernel::kind::Capability::Append];
    home.space.change_access(other.author(), "other", append, true, now).unwrap();
    let mut theirs = crate::derive::copy_of(&home, &folder.path().join("other.db"), other);
    theirs.space.remember(note("1", "tea today"), at(5 * YEAR_S)).unwrap();
    let lines = exported(&theirs.space);
    assert_eq!(record_again(&mut home, &lines), RecordedAgain::default());
    let kinds = Kind::parse("evidence").unwrap();
    assert!(!String::from_utf8(exported(&home.space)).unwrap().contains(kinds.as_str()));
}
