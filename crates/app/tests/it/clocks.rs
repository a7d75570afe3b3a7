//! Clocks that were ahead, and chains that were restored from an export: what the program says, and
//! the way out.

use engine::Space;
use jiff::{SignedDuration, Timestamp};
use kernel::seal::Signer;
use serde_json::json;

use crate::machine::{Machine, Ran};

/// Days that the clock was ahead.
const AHEAD_DAYS: i64 = 5 * 365;

/// The key of a machine that has one.
fn signer(machine: &Machine) -> Signer {
    machine.because(["key"]).run().succeeds();
    let digits = std::fs::read_to_string(machine.home().join("key")).unwrap();
    let digits: Vec<u8> = digits.trim().bytes().map(hex).collect();
    let seed: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    Signer::from_seed(seed.try_into().unwrap())
}

fn hex(digit: u8) -> u8 {
    char::from(digit).to_digit(16).unwrap() as u8
}

fn in_days(days: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(24 * days)
}

/// Remembers a note in a machine's space as of another day.
pub(crate) fn remember(machine: &Machine, days: i64, text: &str) {
    let mut space = Space::open(&machine.space(), signer(machine)).unwrap();
    let evidence = json!({
        "source": "test", "source_uid": text, "kind": "note", "at": null, "summary": text,
        "visibility": "project", "payload": { "text": text }
    });
    let evidence: kernel::evidence::Evidence = serde_json::from_value(evidence).unwrap();
    space.remember(evidence, in_days(days)).unwrap();
}

fn does_not_warn(ran: &Ran) {
    assert!(ran.code() == 0 && !ran.err().contains("warning"), "{ran}");
}

#[test]
fn a_space_that_is_ahead_of_the_clock_is_named_by_every_write_and_can_be_copied_with_todays_time() {
    let machine = Machine::with_space();
    remember(&machine, 0, "The kiln is lit");
    does_not_warn(&machine.because(["remember", "all is well"]).run());
    remember(&machine, AHEAD_DAYS, "The kiln is cold");
    let warned = machine.because(["remember", "The clay is dry"]).run().succeeds();
    warned.says("days ahead of this machine's clock").says("import --record-again");
    let warned = machine.because(["derive", "--json"]).run().succeeds().err();
    let warning: serde_json::Value = serde_json::from_str(warned.lines().next().unwrap()).unwrap();
    assert_eq!(warning["warning"]["code"], "space_ahead");
    machine.because(["status"]).run().succeeds().prints("days ahead");
    let status = machine.because(["status", "--json"]).run().succeeds().json();
    assert!(status["ahead_s"].as_u64().unwrap() > 86_400 * 1_000);
    machine.because(["doctor"]).run().ends(3).prints("import --record-again");

    machine.because(["export", "--out", "ahead.jsonl"]).run().succeeds();
    let copy = |arguments: &[&str]| machine.because(arguments).variable("BECAUSE_SPACE", "new.db");
    copy(&["import", "ahead.jsonl"]).run().ends(4).prints("--record-again");
    let taken = copy(&["import", "--record-again", "ahead.jsonl", "--json"]).run().succeeds();
    let source = &taken.json()["sources"][0];
    assert_eq!(source["recorded_again"]["added"], 2, "{source}");
    let soon = (Timestamp::now() + SignedDuration::from_mins(1)).to_string();
    let found = copy(&["recall", "--as-of", &soon, "kiln clay"]).run().succeeds();
    found.prints("The kiln is lit").prints("The kiln is cold").prints("The clay is dry");
    copy(&["verify"]).run().succeeds();
    does_not_warn(&copy(&["remember", "The kiln is warm"]).run());
    copy(&["export", "--out", "well.jsonl"]).run().succeeds();
    let third = machine.because(["--space", "third.db", "import", "well.jsonl"]).run();
    third.succeeds();
    let twice = copy(&["import", "--record-again", "ahead.jsonl", "--json"]).run().succeeds();
    assert_eq!(twice.json()["sources"][0]["recorded_again"]["added"], 0);
}

#[test]
fn a_space_that_begins_in_the_future_is_recorded_again_in_a_space_that_begins_today() {
    let machine = Machine::new();
    let folder = machine.space().parent().unwrap().to_owned();
    std::fs::create_dir_all(folder).unwrap();
    Space::create(&machine.space(), signer(&machine), "pottery", in_days(AHEAD_DAYS)).unwrap();
    remember(&machine, AHEAD_DAYS, "The kiln is cold");
    machine.because(["export", "--out", "ahead.jsonl"]).run().succeeds();
    let copy = |arguments: &[&str]| machine.because(arguments).variable("BECAUSE_SPACE", "new.db");
    assert_eq!(
        copy(&["import", "ahead.jsonl", "--json"]).run().ends(1).error_code(),
        "from_future"
    );
    copy(&["import", "--record-again", "ahead.jsonl"]).run().succeeds().prints("1 operation new");
    copy(&["status"]).run().succeeds().prints("pottery");
    copy(&["recall", "kiln"]).run().succeeds().prints("The kiln is cold");
    copy(&["import", "--record-again", "ahead.jsonl"]).run().succeeds().prints("1 already there");
}

#[test]
fn a_clock_that_is_years_ahead_of_the_space_is_mentioned_before_the_write() {
    let machine = Machine::new();
    let folder = machine.space().parent().unwrap().to_owned();
    std::fs::create_dir_all(folder).unwrap();
    Space::create(&machine.space(), signer(&machine), "old", in_days(-AHEAD_DAYS)).unwrap();
    machine.because(["doctor"]).run().ends(3).prints("days ahead of the latest time in the space");
    let first = machine.because(["remember", "It is late"]).run().succeeds();
    first.says("days ahead of the latest time in the space");
    does_not_warn(&machine.because(["remember", "It is later"]).run());
}

#[test]
fn continuing_from_an_older_export_is_named_as_a_fork_and_both_branches_can_be_kept() {
    let machine = Machine::with_space();
    machine.because(["remember", "The kiln is lit"]).run().succeeds();
    machine.because(["export", "--out", "older.jsonl"]).run().succeeds();
    machine.because(["remember", "The kiln is cold"]).run().succeeds();
    machine.because(["export", "--out", "newer.jsonl"]).run().succeeds();
    assert_eq!(
        machine.because(["status", "--json"]).run().succeeds().json()["restored_up_to"],
        json!(null)
    );
    let copy = |arguments: &[&str]| machine.because(arguments).variable("BECAUSE_SPACE", "new.db");
    copy(&["import", "older.jsonl"]).run().succeeds().prints("import the newest export");
    copy(&["status"]).run().succeeds().prints("would be a fork");
    let status = copy(&["status", "--json"]).run().succeeds().json();
    assert_eq!(status["restored_up_to"], status["own_seq"]);
    copy(&["doctor"]).run().succeeds().prints("import the newest export");
    copy(&["remember", "The clay is dry"]).run().succeeds();
    let fork = copy(&["import", "newer.jsonl"]).run().ends(4);
    fork.prints("Fork: This device's key").prints("--record-again OTHER.jsonl");
    let fork = copy(&["import", "newer.jsonl", "--json"]).run().ends(4).json();
    let fork = &fork["sources"][0]["intake"]["forks"][0];
    assert_eq!((&fork["is_own"], &fork["seq"]), (&true.into(), &3.into()), "{fork}");
    copy(&["export", "--out", "branch.jsonl"]).run().succeeds();

    let joined =
        |arguments: &[&str]| machine.because(arguments).variable("BECAUSE_SPACE", "joined.db");
    joined(&["import", "newer.jsonl"]).run().succeeds();
    joined(&["import", "--record-again", "branch.jsonl"])
        .run()
        .succeeds()
        .prints("1 operation new");
    let found = joined(&["recall", "kiln clay"]).run().succeeds();
    found.prints("The kiln is lit").prints("The kiln is cold").prints("The clay is dry");
    joined(&["verify"]).run().succeeds();
    // The first space has the newer branch, and accepts what was joined to it.
    joined(&["export", "--out", "joined.jsonl"]).run().succeeds();
    machine.because(["import", "joined.jsonl"]).run().succeeds().prints("1 operation new");
}
