//! Receipts of a server: beside the space, written while nobody waits.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::host::Host;
use crate::machine::Machine;

/// Longer than an idle server needs to write what waits.
const WRITTEN_WITHIN: Duration = Duration::from_secs(20);

fn remember(host: &mut Host) {
    host.gets("remember", json!({ "text": "The kiln's controller reads twenty degrees low." }));
}

/// The space's file and its log.
fn bytes_of(space: &Path) -> Vec<Vec<u8>> {
    let log = PathBuf::from(format!("{}-wal", space.display()));
    [space.to_owned(), log].iter().map(|file| std::fs::read(file).unwrap_or_default()).collect()
}

fn count(machine: &Machine) -> usize {
    let listed = machine.because(["receipts", "--json"]).run().succeeds().json();
    listed["receipts"].as_array().unwrap().len()
}

#[test]
fn recalls_change_nothing_in_the_space_and_their_receipts_are_written_when_nobody_waits() {
    let machine = Machine::with_space();
    let mut host = Host::of(&machine);
    remember(&mut host);
    host.gets("recall", json!({ "query": "what does the kiln read" }));
    let before = bytes_of(&machine.space());
    for _ in 0..5 {
        let recalled = host.gets("recall", json!({ "query": "the kiln's controller" }));
        assert_eq!(recalled["episodes"].as_array().unwrap().len(), 1, "{recalled}");
    }
    assert!(bytes_of(&machine.space()) == before, "a recall wrote to the space");
    // The server goes on; its receipts appear all the same.
    let begun = Instant::now();
    while count(&machine) < 6 {
        assert!(begun.elapsed() < WRITTEN_WITHIN, "only {} receipts", count(&machine));
    }
    host.leaves();
    assert!(machine.space().with_file_name("space.journal.db").is_file());
    assert_eq!(count(&machine), 6);
    machine.is_sound();
}

#[test]
fn what_a_server_showed_is_recognised_when_it_is_told_again_at_once() {
    let machine = Machine::with_space();
    let mut host = Host::of(&machine);
    let text =
        "The kiln's controller reads twenty degrees low, so Idris adds twenty to each target";
    host.gets("remember", json!({ "text": text, "actor": "Idris" }));
    host.gets("recall", json!({ "query": "what does the kiln's controller read" }));
    let again = format!("As I recall: {text}");
    let told = host.gets("remember", json!({ "text": again }));
    assert_eq!(told["repeats"].as_array().unwrap().len(), 1, "{told}");
    host.leaves();
}

#[test]
fn a_server_that_is_killed_loses_receipts_at_most() {
    let machine = Machine::with_space();
    let mut host = Host::of(&machine);
    remember(&mut host);
    host.gets("recall", json!({ "query": "the kiln's controller" }));
    host.child.kill().unwrap();
    host.ends();
    assert_eq!(machine.records().len(), 1);
    assert!(count(&machine) <= 1);
    machine.is_sound();
    let mut host = Host::of(&machine);
    assert_eq!(host.texts("the kiln's controller").len(), 1);
    host.leaves();
    assert!(count(&machine) >= 1);
}

#[test]
fn a_server_answers_without_a_journal_and_after_it_was_deleted() {
    let machine = Machine::with_space();
    let journal = machine.space().with_file_name("space.journal.db");
    std::fs::create_dir(&journal).unwrap();
    let mut host = Host::of(&machine);
    remember(&mut host);
    let recalled = host.gets("recall", json!({ "query": "the kiln's controller" }));
    assert_eq!(recalled["episodes"].as_array().unwrap().len(), 1, "{recalled}");
    assert_eq!(recalled["receipt"], json!(null), "{recalled}");
    std::fs::remove_dir(&journal).unwrap();
    let recalled = host.gets("recall", json!({ "query": "the kiln's controller" }));
    assert!(recalled["receipt"].is_string(), "{recalled}");
    host.leaves();
    assert_eq!(count(&machine), 1);
}
