//! Secrets: whichever way something comes in, its secrets are not in the space's files.

use std::path::Path;

use engine::Space;
use engine::belief::user::Replacement;
use engine::recall::context::Request;
use engine::recall::receipts::{Recalled, Recipient};
use engine::write::import::Intent;
use engine::write::record::Prepared;
use kernel::body::{Body, Claim, Grant, Reason};
use kernel::evidence::{Evidence, Location, Payload};
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::operation::{Ref, Role};
use kernel::proposal::Decision;
use kernel::seal::Draft;
use serde_json::{Map, Value, json};
use store::sqlite::ReceiptFilter;

use crate::support::{Home, at, exported, id_of, key, note};
use crate::toys::{HABIT, TASTE, gym};

/// What must not be written, put together so that no scanner takes this file for a leak.
fn secret() -> String {
    ["gh", "p_", "a8F3kd92LmQ0xY7bN4vR1sT6uW5zC3eJ9hG2"].concat()
}

fn sentence() -> String {
    format!("see {} there", secret())
}

/// Every byte that the space keeps.
fn files(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        bytes.extend(if path.is_dir() { files(&path) } else { std::fs::read(&path).unwrap() });
    }
    bytes
}

fn count(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
}

/// The number of operations that hold a mask, of which none holds the secret.
fn masked_operations(home: &Home) -> usize {
    assert_eq!(count(&files(home.folder.path()), &secret()), 0, "the secret is in a file");
    let lines = exported(&home.space);
    assert_eq!(count(&lines, &secret()), 0);
    lines
        .split(|byte| *byte == b'\n')
        .filter(|line| count(line, "[masked:github-token]") > 0)
        .count()
}

fn evidence_of_secrets() -> Evidence {
    let sentence = sentence();
    let mut evidence = note(&sentence, &sentence);
    evidence.actor = Some(sentence.clone());
    evidence.payload = Payload {
        text: sentence.clone(),
        captions: vec![sentence.clone()],
        title: Some(sentence.clone()),
        session: Some(sentence.clone()),
        session_title: Some(sentence.clone()),
        role: Some(sentence.clone()),
        participants: vec![sentence.clone()],
        tags: vec![sentence.clone()],
        links: vec![sentence.clone()],
        location: Some(Location { label: Some(sentence.clone()), lat: None, lon: None }),
        ..Payload::default()
    };
    evidence.payload.more.insert(secret(), json!([sentence]));
    evidence
}

#[test]
fn evidence_is_masked_whichever_function_records_it() {
    let mut home = Home::new();
    home.space.remember(evidence_of_secrets(), at(1)).unwrap();
    assert_eq!(masked_operations(&home), 1);
    let other = Evidence { source_uid: "2".to_owned(), ..evidence_of_secrets() };
    home.space.record(vec![Prepared::new(other.into()).unwrap()], at(2)).unwrap();
    assert_eq!(masked_operations(&home), 2);
    let other = Evidence { source_uid: "3".to_owned(), ..evidence_of_secrets() };
    home.space.append(Draft::new(Body::Evidence(other)), at(3)).unwrap();
    assert_eq!(masked_operations(&home), 3);
}

#[test]
fn an_import_is_masked_and_reports_it() {
    let mut home = Home::new();
    let sources = tempfile::tempdir().unwrap();
    let path = sources.path().join("note.txt");
    std::fs::write(&path, sentence()).unwrap();
    let context = importers::Context::new(at(1), jiff::tz::TimeZone::UTC);
    let text = importers::by_name("text").unwrap();
    let report = home.space.import(text, &path, &context, Intent::Write, |_| {}).unwrap();
    assert_eq!(report.masked.into_iter().collect::<Vec<_>>(), [("github-token".to_owned(), 1)]);
    assert_eq!(masked_operations(&home), 1);
}

#[test]
fn corrections_and_notes_are_masked_and_the_changes_report_it() {
    let mut home = gym();
    let act = |home: &mut Home, drafts: Result<Vec<Draft>, engine::EngineError>, secrets: usize| {
        let before = masked_operations(home);
        let changes = home.space.act(drafts.unwrap(), Intent::Write, at(10)).unwrap();
        assert_eq!(changes.masked.len(), secrets, "{:?}", changes.masked);
        assert!(masked_operations(home) > before, "the draft, and perhaps what is derived from it");
    };
    let by = Replacement {
        set: vec![format!("name={}", secret())],
        text: Some(sentence()),
        note: sentence(),
        at: None,
    };
    let drafts = home.space.to_correct(HABIT, &by);
    act(&mut home, drafts, 3);
    let drafts = home.space.to_withdraw(HABIT, &sentence());
    act(&mut home, drafts, 1);
    let drafts = home.space.to_refute(TASTE, &sentence());
    act(&mut home, drafts, 1);
    let record = id_of(home.remember("other", "another note")).to_string();
    let drafts = home.space.to_retract(&record, &sentence());
    act(&mut home, drafts, 1);
}

#[test]
fn a_dry_run_reports_the_masked_secrets_and_writes_nothing() {
    let mut home = gym();
    let drafts = home.space.to_refute(TASTE, &sentence()).unwrap();
    let changes = home.space.act(drafts, Intent::DryRun, at(10)).unwrap();
    assert_eq!(changes.masked.len(), 1);
    assert_eq!(masked_operations(&home), 0);
}

#[test]
fn names_of_spaces_and_devices_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let space =
        Space::create(&folder.path().join("test.space"), key(1), &sentence(), at(0)).unwrap();
    let mut home = Home { folder, space };
    assert_eq!(masked_operations(&home), 1);
    home.space
        .change_access(key(2).author(), &sentence(), vec![Capability::Append], true, at(1))
        .unwrap();
    assert_eq!(masked_operations(&home), 2);
    home.space
        .change_access(key(2).author(), &sentence(), vec![Capability::Append], false, at(2))
        .unwrap();
    assert_eq!(masked_operations(&home), 3);
}

#[test]
fn every_operation_that_a_program_appends_is_masked() {
    let mut home = Home::new();
    let ground = id_of(home.remember("a", "tomato soup"));
    let cite = |id: OpId, role: &str| vec![Ref { id, role: Role::parse(role).unwrap() }];
    let claim: Claim = serde_json::from_value(json!({
        "claim_type": "t", "identity_key": sentence(), "text": sentence(), "payload": { "a": sentence() },
        "rationale": sentence(), "confidence": 0.5, "confidence_basis": { "prior": 0.5 }, "tags": [sentence()],
    }))
    .unwrap();
    let claim = home
        .space
        .append(Draft { body: Body::Claim(claim), refs: cite(ground, "supporting") }, at(2))
        .unwrap();
    assert_eq!(masked_operations(&home), 1);
    let mut fields = Map::new();
    fields.insert("text".to_owned(), Value::from(sentence()));
    home.space.append(Draft::new(Body::Thought(fields.into())), at(3)).unwrap();
    assert_eq!(masked_operations(&home), 2);
    let correction: kernel::body::Correction =
        serde_json::from_value(json!({ "identity_key": sentence(), "corrected_payload": 1 }))
            .unwrap();
    let draft = Draft { body: Body::ClaimCorrection(correction), refs: cite(claim, "target") };
    let appended = home.space.append(draft, at(4));
    assert_eq!(
        masked_operations(&home),
        2 + usize::from(appended.is_ok()),
        "a key that names nothing is a text"
    );
    let grant = Grant {
        key: key(2).author(),
        name: sentence(),
        capabilities: vec![Capability::Append],
        last_seq: None,
    };
    home.space.append(Draft::new(Body::Grant(grant)), at(5)).unwrap();
    let reason = Reason { reason: sentence() };
    home.space
        .append(
            Draft { body: Body::EvidenceRetraction(reason), refs: cite(ground, "target") },
            at(6),
        )
        .unwrap();
    let before = masked_operations(&home);
    let decision =
        Decision { verdict: "reject".to_owned(), feedback: sentence(), ..Decision::default() };
    let decided = home
        .space
        .append(Draft { body: Body::Decision(decision), refs: cite(claim, "target") }, at(7));
    assert_eq!(masked_operations(&home), before + usize::from(decided.is_ok()));
}

#[test]
fn agents_and_conversations_are_masked_in_receipts_and_found_by_their_names() {
    let mut home = Home::new();
    home.remember("a", "tomato soup");
    let (agent, session) = (sentence(), format!("session {}", secret()));
    let reader = Recipient { agent: &agent, session: Some(&session) };
    let recalled = Recalled { query: "soup", facts: &[], records: &[] };
    home.space.receipt_of_recall(&reader, &recalled, at(2)).unwrap().unwrap();
    let request = Request { session: Some(session.clone()), ..Request::new(&agent, at(3)) };
    home.space.context(&request).unwrap();
    assert_eq!(masked_operations(&home), 0);
    assert!(count(&files(home.folder.path()), "session [masked:github-token]") > 0);
    let filter =
        ReceiptFilter { agent: Some(agent), session: Some(session), ..ReceiptFilter::default() };
    let found = home.space.receipts(&filter, 9).unwrap();
    assert!(
        !found.is_empty()
            && found.iter().all(|receipt| receipt.agent == "see [masked:github-token] there")
    );
}
