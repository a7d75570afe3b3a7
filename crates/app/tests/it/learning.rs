//! Learned changes: a claim at once, or a proposal that the person decides about.

use serde_json::{Value, json};

use crate::machine::Machine;

const TEXT: &str = "Run the tests before each commit";

/// A machine with a record to learn from.
fn machine() -> (Machine, String) {
    let machine = Machine::with_space();
    let note = machine.because(["--json", "remember", "You broke the build again!"]);
    let id = note.run().succeeds().json()["id"].as_str().unwrap().to_owned();
    (machine, id)
}

fn json(machine: &Machine, arguments: &[&str]) -> Value {
    machine.because(["--json"]).arguments(arguments).run().succeeds().json()
}

fn lines(machine: &Machine, arguments: &[&str]) -> Vec<Value> {
    machine.because(["--json"]).arguments(arguments).run().succeeds().json_lines()
}

#[test]
fn case_31_given_auto_learn_off_then_a_suggestion_waits_and_there_is_no_claim() {
    let (machine, source) = machine();
    json(&machine, &["settings", "set", "auto_learn", "off"]);
    let learn = ["learn", TEXT, "--source", &source];
    let proposed = json(&machine, &learn);
    assert_eq!((&proposed["result"], &proposed["id"]), (&json!("proposed"), &Value::Null));
    let count = || lines(&machine, &["log", "-n", "0"]).len();
    let before = count();
    let again = json(&machine, &learn);
    assert_eq!((&again["result"], &again["proposal"]), (&json!("pending"), &proposed["proposal"]));
    assert_eq!(count(), before, "applying twice writes once");
    let tagged = || lines(&machine, &["claims", "--tag", "mi:learned"]);
    assert!(tagged().is_empty());
    let [review] = lines(&machine, &["review", "list"]).try_into().unwrap();
    assert_eq!(review["text"], format!("Learned: {TEXT}"));
    assert_eq!(review["operations"][0]["kind"], "claim");
    let id = proposed["proposal"].as_str().unwrap();
    let listed = machine.because(["review", "list"]).run().succeeds();
    listed.prints("states the preference Run the tests before each commit");
    json(&machine, &["review", "accept", id]);
    let [claim] = tagged().try_into().unwrap();
    assert_eq!((&claim["text"], &claim["claim_type"]), (&json!(TEXT), &json!("preference")));
    assert_eq!(claim["confidence_basis"]["proposal"], *id);
    let shown = json(&machine, &["claim", "show", claim["op_id"].as_str().unwrap()]);
    assert_eq!(shown["inputs"], json!([{ "id": source, "role": "input" }]));
    assert_eq!(json(&machine, &learn)["result"], "known");
    assert!(lines(&machine, &["review", "list"]).is_empty());
    machine.is_sound();
}

#[test]
fn with_auto_learn_on_it_is_a_preference_that_a_retraction_takes_back() {
    let (machine, source) = machine();
    let would = json(&machine, &["learn", TEXT, "--source", &source, "--dry-run"]);
    assert_eq!((&would["result"], &would["id"]), (&json!("stated"), &Value::Null));
    assert!(!machine.home().join("space.db").exists());
    let learned = json(&machine, &["learn", TEXT, "--source", &source]);
    assert_eq!(learned["result"], "stated");
    let id = learned["id"].as_str().unwrap();
    let [claim] = lines(&machine, &["claims", "--tag", "mi:learned"]).try_into().unwrap();
    assert_eq!((&claim["op_id"], &claim["deriver"]["name"]), (&json!(id), &json!("learned")));
    let again = json(&machine, &["learn", "run the TESTS before each commit", "--source", &source]);
    assert_eq!((&again["result"], &again["id"]), (&json!("known"), &json!(id)));
    json(&machine, &["claim", "retract", id]);
    assert!(lines(&machine, &["claims", "--tag", "mi:learned"]).is_empty());
    machine.is_sound();
}

#[test]
fn what_was_dismissed_is_not_proposed_again_and_what_cannot_be_cited_is_refused() {
    let (machine, source) = machine();
    json(&machine, &["settings", "set", "auto_learn", "off", "--global"]);
    let learn = ["learn", TEXT, "--source", &source];
    let id = json(&machine, &learn)["proposal"].as_str().unwrap().to_owned();
    json(&machine, &["review", "dismiss", &id]);
    assert_eq!(json(&machine, &learn)["result"], "dismissed");
    json(&machine, &["settings", "set", "auto_learn", "on", "--global"]);
    assert_eq!(json(&machine, &learn)["result"], "dismissed", "the setting changes nothing of it");
    json(&machine, &["settings", "set", "auto_learn", "off", "--global"]);
    let refused = |arguments: &[&str], code: i32| {
        machine.because(["--json"]).arguments(arguments).run().ends(code).error_code()
    };
    assert_eq!(refused(&["learn", TEXT, "--source", "ffffffff"], 1), "unknown_id");
    assert_eq!(refused(&["learn", " ", "--source", &source], 2), "empty_text");
    // What no longer counts is not learned from, and a proposal that stands on it is moot.
    let other = json(&machine, &["learn", "Small commits", "--source", &source]);
    json(&machine, &["retract", &source, "--yes"]);
    assert_eq!(refused(&["learn", "Be kind", "--source", &source], 1), "stale_input");
    assert!(lines(&machine, &["review", "list"]).is_empty());
    let id = other["proposal"].as_str().unwrap();
    assert_eq!(refused(&["review", "accept", id], 1), "review_settled");
    machine.is_sound();
}
