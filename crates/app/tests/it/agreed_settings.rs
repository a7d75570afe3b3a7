//! Settings: what a person has agreed with agents, in the project and everywhere.

use serde_json::{Value, json};

use crate::machine::Machine;

fn set(machine: &Machine, arguments: &[&str]) -> Value {
    let call = machine.because(["--json", "settings", "set"]).arguments(arguments);
    call.run().succeeds().json()
}

fn show(machine: &Machine, key: &str) -> (Value, Value) {
    let shown = machine.because(["--json", "settings", "show", key]).run().succeeds().json();
    (shown["value"].clone(), shown["source"].clone())
}

fn held(value: &str, source: &str) -> (Value, Value) {
    (json!(value), json!(source))
}

/// How many operations there are in a space.
fn operations(machine: &Machine, space: &[&str]) -> usize {
    let log = machine.because(["--json", "log", "-n", "0"]).arguments(space);
    log.run().succeeds().out().lines().count()
}

const HOME: [&str; 2] = ["--space", "global"];

#[test]
fn case_26_given_project_and_global_settings_the_project_wins_and_its_source_is_reported() {
    let machine = Machine::with_space();
    assert_eq!(show(&machine, "auto_learn"), held("on", "built_in"));
    set(&machine, &["auto_learn", "off", "--global"]);
    assert_eq!(show(&machine, "auto_learn"), held("off", "global"));
    let project = set(&machine, &["auto_learn", "on"]);
    assert_eq!((&project["source"], &project["new"]), (&json!("project"), &json!(true)));
    assert_eq!(show(&machine, "auto_learn"), held("on", "project"));
    // Taken back, the project's value uncovers the global one.
    let id = project["id"].as_str().unwrap();
    machine.because(["claim", "retract", id]).run().succeeds();
    assert_eq!(show(&machine, "auto_learn"), held("off", "global"));
    machine.is_sound();
}

#[test]
fn case_27_given_settings_already_as_desired_when_set_again_then_no_write() {
    let machine = Machine::with_space();
    let first = set(&machine, &["ask_when_uncertain", "off"]);
    let before = [operations(&machine, &[]), operations(&machine, &HOME)];
    let again = set(&machine, &["ask_when_uncertain", "FALSE"]);
    assert_eq!((&again["new"], &again["id"]), (&json!(false), &first["id"]));
    assert_eq!([operations(&machine, &[]), operations(&machine, &HOME)], before);
}

#[test]
fn case_35_given_a_then_b_then_a_on_a_setting_then_a_is_active() {
    let machine = Machine::with_space();
    for value in ["small steps", "rewrite freely", "small steps", "rewrite freely", "small steps"] {
        assert_eq!(set(&machine, &["refactor_intent", value])["new"], true);
        assert_eq!(show(&machine, "refactor_intent"), held(value, "project"));
        let claims = machine.because(["--json", "claims", "--tag", "mi:setting:refactor_intent"]);
        let claims = claims.run().succeeds();
        let [claim] = claims.json_lines().try_into().unwrap();
        assert_eq!(claim["text"], format!("Setting refactor_intent: {value}"));
    }
    machine.is_sound();
}

#[test]
fn built_in_settings_are_recorded_once_at_the_first_use_and_retracted_ones_stay_so() {
    let machine = Machine::with_space();
    assert_eq!(show(&machine, "refactor_intent").1, "built_in");
    assert!(!machine.home().join("space.db").exists(), "showing makes no home space");
    let first = set(&machine, &["auto_learn", "off"]);
    assert_eq!(
        first["seeded"],
        json!([
            "ask_when_uncertain",
            "auto_learn",
            "mining_max_claims",
            "mining_min_confidence",
            "refactor_intent",
        ])
    );
    let seeds = machine.because(["--json", "log", "--kind", "mi_defaults_set"]).arguments(HOME);
    assert_eq!(seeds.run().succeeds().out().lines().count(), 1);
    assert_eq!(show(&machine, "refactor_intent"), held("behavior_preserving", "global"));
    let shown = machine.because(["--json", "settings", "show", "ask_when_uncertain"]).run();
    let id = shown.succeeds().json()["id"].as_str().unwrap().to_owned();
    machine.because(["claim", "retract", &id]).arguments(HOME).run().succeeds();
    assert_eq!(set(&machine, &["auto_learn", "on"])["seeded"], json!([]));
    assert_eq!(show(&machine, "ask_when_uncertain"), held("on", "built_in"));
    let recalled = machine.because(["--json", "recall", "built-in settings"]).arguments(HOME);
    let recalled = recalled.run().succeeds().out();
    assert!(!recalled.contains("mi_defaults_set"), "{recalled}");
}

#[test]
fn a_dry_run_of_a_setting_writes_nothing_and_makes_no_space() {
    let machine = Machine::new();
    let would = set(&machine, &["auto_learn", "off", "--dry-run"]);
    assert_eq!((&would["new"], &would["id"]), (&json!(true), &Value::Null));
    assert!(!machine.home().exists(), "not even a key is made");
    assert_eq!(show(&machine, "auto_learn"), held("on", "built_in"));
    let machine = Machine::with_space();
    let before = operations(&machine, &[]);
    assert_eq!(set(&machine, &["auto_learn", "off", "--dry-run"])["new"], true);
    assert_eq!(operations(&machine, &[]), before);
}

#[test]
fn a_setting_that_the_program_does_not_know_is_kept_with_a_warning() {
    let machine = Machine::with_space();
    let ran = machine.because(["--json", "settings", "set", "review.style", "be brief"]).run();
    let ran = ran.succeeds();
    assert!(ran.err().contains("unknown_setting"), "{}", ran.err());
    assert_eq!(show(&machine, "review.style"), held("be brief", "project"));
    let all = machine.because(["--json", "settings", "show"]).run().succeeds().json_lines();
    let keys: Vec<&str> = all.iter().map(|setting| setting["key"].as_str().unwrap()).collect();
    assert_eq!(
        keys,
        [
            "ask_when_uncertain",
            "auto_learn",
            "mining_max_claims",
            "mining_min_confidence",
            "refactor_intent",
            "review.style",
        ]
    );
    let text = machine.because(["settings", "set", "auto_learn", "off"]).run().succeeds();
    text.prints("auto_learn is now off for this project");
    machine.because(["settings", "show"]).run().succeeds().prints("for this project");
}

#[test]
fn a_setting_in_other_words_gives_way_to_the_new_one() {
    let machine = Machine::with_space();
    let add = |text: &str, tag: &[&str]| {
        let add = machine.because(["claim", "add", "--type", "preference", text]);
        add.arguments(tag.iter().copied()).run().succeeds();
    };
    add("Refactor boldly", &["--tag", "mi:setting:refactor_intent"]);
    assert_eq!(show(&machine, "refactor_intent"), held("Refactor boldly", "project"));
    // The same words without the tag are not a setting, and do not stand for one.
    add("Setting refactor_intent: with care", &[]);
    set(&machine, &["refactor_intent", "with care"]);
    assert_eq!(show(&machine, "refactor_intent"), held("with care", "project"));
    let claims = machine.because(["--json", "claims", "--scope", "project"]).run().succeeds();
    let claims = claims.json_lines();
    assert_eq!(claims.len(), 1, "{claims:?}");
}

#[test]
fn a_claim_by_a_key_that_does_not_speak_for_the_person_is_not_a_setting() {
    let machine = Machine::with_space();
    let agent = machine.work().join("agent-home");
    let key = machine.because(["key"]).at_home(&agent).run().succeeds().out().trim().to_owned();
    let grant = ["grant", &key, "--can", "append", "--can", "derive"];
    machine.because(grant).run().succeeds();
    machine.because(["trust"]).at_home(&agent).run().succeeds();
    let text = "Setting ask_when_uncertain: off";
    let claim = ["claim", "add", "--type", "preference", text, "--tag"];
    let claim = machine.because(claim).arguments(["mi:setting:ask_when_uncertain"]);
    claim.at_home(&agent).run().succeeds();
    assert_eq!(show(&machine, "ask_when_uncertain"), held("on", "built_in"));
    // Nor does somebody else's setting count for whoever reads the space.
    set(&machine, &["auto_learn", "off"]);
    let shown = machine.because(["--json", "settings", "show", "auto_learn"]).at_home(&agent);
    assert_eq!(shown.run().succeeds().json()["value"], "off", "the agent signed in it: its own");
    let reader = machine.work().join("reader-home");
    machine.because(["trust"]).at_home(&reader).run().succeeds();
    let shown = machine.because(["--json", "settings", "show", "auto_learn"]).at_home(&reader);
    assert_eq!(shown.run().succeeds().json()["source"], "built_in");
}

#[test]
fn a_claim_of_a_value_that_cannot_be_set_sets_nothing() {
    let machine = Machine::with_space();
    let claim = |text: &str, key: &str| {
        let tag = format!("mi:setting:{key}");
        let add = ["claim", "add", text, "--type", "preference", "--tag", &tag];
        machine.because(add).run().succeeds();
    };
    claim("Setting auto_learn: perhaps", "auto_learn");
    claim("Setting mining_max_claims: 100000", "mining_max_claims");
    claim("I like tea.", "mining_min_confidence");
    assert_eq!(show(&machine, "auto_learn"), held("on", "built_in"));
    assert_eq!(show(&machine, "mining_max_claims"), held("6", "built_in"));
    assert_eq!(show(&machine, "mining_min_confidence"), held("0.9", "built_in"));
    claim("Setting auto_learn: no", "auto_learn");
    assert_eq!(show(&machine, "auto_learn"), held("off", "project"));
    assert_eq!(set(&machine, &["auto_learn", "on"])["new"], true);
    assert_eq!(show(&machine, "auto_learn"), held("on", "project"));
}

#[test]
fn settings_come_last_in_the_list_of_beliefs_for_people() {
    let machine = Machine::with_space();
    set(&machine, &["auto_learn", "off"]);
    machine.because(["claim", "add", "The kiln is gas."]).run().succeeds();
    let out = machine.because(["claims"]).run().succeeds().out();
    let place = |words: &str| out.find(words).unwrap_or_else(|| panic!("{words}: {out}"));
    assert!(place("The kiln is gas.") < place("auto_learn"), "{out}");
    let lines = machine.because(["--json", "claims"]).run().succeeds().json_lines();
    let keys: Vec<&str> = lines.iter().map(|line| line["key"].as_str().unwrap()).collect();
    assert!(keys.is_sorted(), "as sure as each other, by key: {keys:?}");
}
