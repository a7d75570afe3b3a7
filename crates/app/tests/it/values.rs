//! Values: the text as it was given, and the preferences and goals that follow from it.

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::server::{Reply, Server};

const VALUES: &str = "I run a studio.\n- Honesty before speed\nMy goal is to ship 1.0.\n";
const HOME: [&str; 2] = ["--space", "global"];

fn set(machine: &Machine, text: &str, more: &[&str]) -> Value {
    let call = machine.because(["--json", "values", "set", text]).arguments(more);
    call.run().succeeds().json()
}

fn claims(machine: &Machine) -> Vec<String> {
    let shown = machine.because(["--json", "values", "show"]).run().succeeds().json();
    let claims = shown["claims"].as_array().unwrap().clone();
    let mut texts: Vec<String> =
        claims.iter().map(|claim| claim["text"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

fn operations(machine: &Machine) -> usize {
    let log = machine.because(["--json", "log", "-n", "0"]).arguments(HOME);
    log.run().succeeds().out().lines().count()
}

#[test]
fn each_line_that_states_a_preference_or_a_goal_becomes_a_claim() {
    let machine = Machine::with_space();
    let change = set(&machine, VALUES, &[]);
    assert_eq!((&change["new"], &change["read_by"]), (&json!(true), &json!("rules")));
    assert_eq!(
        change["claims"],
        json!([
            { "type": "preference", "text": "Honesty before speed" },
            { "type": "goal", "text": "My goal is to ship 1.0." },
        ])
    );
    // They are in the home space, cite the event, and are found everywhere that it is asked.
    let event = change["event"].as_str().unwrap();
    let tag = format!("values_set:{event}");
    let tagged = machine.because(["--json", "claims", "--tag", "values:base", "--tag", &tag]);
    let tagged = tagged.arguments(HOME).run().succeeds().json_lines();
    assert_eq!(tagged.len(), 2);
    for claim in &tagged {
        let id = claim["op_id"].as_str().unwrap();
        let shown = machine.because(["--json", "claim", "show", id]).arguments(HOME);
        let shown = shown.run().succeeds().json();
        assert_eq!(shown["inputs"], json!([{ "id": event, "role": "input" }]));
        assert_eq!(shown["visibility"], "global");
    }
    let facts = machine.because(["--json", "recall", "honesty or speed", "--search", "facts"]);
    assert!(facts.arguments(HOME).run().succeeds().out().contains("Honesty before speed"));
    machine.because(["values", "show"]).run().succeeds().prints("I run a studio.");
    machine.because(["verify"]).arguments(HOME).run().succeeds();
    let again = set(&machine, VALUES, &[]);
    assert_eq!((&again["new"], &again["event"]), (&json!(false), &change["event"]));
}

#[test]
fn case_21_given_a_raw_values_claim_then_it_is_never_in_context_or_recall() {
    let machine = Machine::with_space();
    let change = set(&machine, VALUES, &[]);
    let raw = change["raw"].as_str().unwrap();
    let words = "I run a studio";
    let home = |arguments: &[&str]| {
        let call = machine.because(["--json"]).arguments(arguments).arguments(HOME);
        call.run().succeeds().out()
    };
    for arguments in [
        &["recall", words][..],
        &["recall", words, "--search", "facts"],
        &["context", "--question", words],
        &["claims"],
        &["claims", "--all"],
        &["claims", "--state", "any"],
        &["claims", "--contains", "studio"],
        &["claims", "--type", "preference", "-n", "1"],
    ] {
        // Facts of the values are served; the text that only the raw claim has is not.
        let out = home(arguments);
        let out = out.replace(&format!("\"{words}\""), "");
        assert!(!out.contains("run a studio."), "{arguments:?}: {out}");
        assert!(!out.contains(raw), "{arguments:?}: {out}");
    }
    assert_eq!(home(&["claims", "-n", "1"]).lines().count(), 1, "the limit is filled");
    assert!(home(&["claims", "--tag", "values:raw"]).contains("I run a studio."));
    // Nor does it stand beside what an edge joins to it.
    let claim = home(&["claims", "--tag", "values:base", "-n", "1"]);
    let claim: Value = serde_json::from_str(claim.lines().next().unwrap()).unwrap();
    let claim = claim["op_id"].as_str().unwrap();
    home(&["edge", "add", "--type", "derived_from", "--from", claim, "--to", raw]);
    let around: Value = serde_json::from_str(&home(&["claim", "show", claim, "--graph"])).unwrap();
    assert_eq!(around["graph"]["records"].as_array().unwrap().len(), 1);
}

#[test]
fn values_of_one_statement_are_served_and_kept_as_given() {
    let machine = Machine::new();
    let raw = |change: &Value| {
        let list = machine.because(["--json", "claims", "--tag", "values:raw"]).arguments(HOME);
        let [raw] = list.run().succeeds().json_lines().try_into().unwrap();
        assert_eq!(raw["op_id"], change["raw"]);
        raw["text"].as_str().unwrap().to_owned()
    };
    let (one, two) = ("I prefer short answers.", "I prefer short answers.\nNever guess.");
    let change = set(&machine, one, &[]);
    assert_eq!((claims(&machine), raw(&change)), (vec![one.to_owned()], one.to_owned()));
    let base = machine.because(["--json", "claims", "--tag", "values:base"]).arguments(HOME);
    let [base] = base.run().succeeds().json_lines().try_into().unwrap();
    assert_eq!((&base["claim_type"], &base["state"]), (&json!("preference"), &json!("active")));
    assert_ne!(base["op_id"], change["raw"]);
    let context = machine.because(["--json", "context", "--task", "write an answer"]);
    assert!(context.arguments(HOME).run().succeeds().out().contains(one));

    let change = set(&machine, two, &[]);
    assert_eq!((claims(&machine).len(), raw(&change)), (2, two.to_owned()));
    let change = set(&machine, one, &[]);
    assert_eq!((claims(&machine), raw(&change)), (vec![one.to_owned()], one.to_owned()));
    let shown = machine.because(["--json", "values", "show"]).run().succeeds().json();
    assert_eq!((&shown["raw"]["text"], &shown["raw"]["id"]), (&json!(one), &change["raw"]));
    assert_eq!(set(&machine, one, &[])["new"], false);
    machine.because(["verify"]).arguments(HOME).run().succeeds();
}

#[test]
fn a_claim_that_values_keep_has_the_tag_of_each_record() {
    let machine = Machine::new();
    let first = set(&machine, "- A\n- X", &[]);
    let second = set(&machine, "- B\n- X", &[]);
    let of = |change: &Value| {
        let tag = format!("values_set:{}", change["event"].as_str().unwrap());
        let list = machine.because(["--json", "claims", "--tag", &tag]).arguments(HOME);
        let lines = list.run().succeeds().json_lines().into_iter();
        let mut texts: Vec<String> =
            lines.map(|claim| claim["text"].as_str().unwrap().to_owned()).collect();
        texts.sort();
        texts
    };
    assert_eq!(of(&first), ["X"], "A is retracted");
    assert_eq!(of(&second), ["B", "X"]);
    let again = operations(&machine);
    assert_eq!(set(&machine, "- B\n- X", &[])["new"], false);
    assert_eq!(operations(&machine), again);
    machine.because(["verify"]).arguments(HOME).run().succeeds();
}

#[test]
fn what_was_stated_apart_from_the_values_outlives_them() {
    let machine = Machine::new();
    let text = "I prefer tea.";
    let add = ["--json", "claim", "add", text, "--type", "preference", "--tag", "drinks"];
    let own = machine.because(add).arguments(["--scope", "global"]).run().succeeds().json();
    let shown = |tag: &str| {
        let list = machine.because(["--json", "claims", "--tag", tag]).arguments(HOME);
        let lines = list.run().succeeds().json_lines();
        lines.iter().map(|claim| claim["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    set(&machine, text, &[]);
    assert_eq!((claims(&machine), shown("drinks")), (vec![text.to_owned()], vec![text.to_owned()]));
    set(&machine, "I prefer tea.\nNever guess.", &[]);
    assert_eq!((shown("values:base").len(), shown("drinks").len()), (2, 1));
    let would = set(&machine, "Never guess.", &["--dry-run"]);
    assert_eq!(would["retracted"], json!([]));
    let change = set(&machine, "Never guess.", &[]);
    assert_eq!(change["retracted"], json!([]));
    assert_eq!(claims(&machine), ["Never guess."]);
    assert_eq!(shown("drinks"), [text], "it holds again as it was stated");
    let [again] = {
        let list = machine.because(["--json", "claims", "--tag", "drinks"]).arguments(HOME);
        <[Value; 1]>::try_from(list.run().succeeds().json_lines()).unwrap()
    };
    assert_eq!(again["tags"], json!(["drinks"]));
    let id = again["op_id"].as_str().unwrap();
    let inputs = |id: &str| {
        let show = machine.because(["--json", "claim", "show", id]).arguments(HOME);
        show.run().succeeds().json()["inputs"].clone()
    };
    assert_eq!(inputs(id), inputs(own["id"].as_str().unwrap()));
    // Once it is taken back, it is gone for good.
    set(&machine, text, &[]);
    set(&machine, "Never guess.", &[]);
    assert_eq!(shown("drinks"), [text]);
    machine.because(["verify"]).arguments(HOME).run().succeeds();
}

#[test]
fn values_that_an_earlier_version_kept_as_a_preference_are_found_and_replaced() {
    let machine = Machine::new();
    let one = "I prefer short answers.";
    let before =
        ["claim", "add", one, "--type", "preference", "--tag", "values:raw", "--scope", "global"];
    machine.because(before).run().succeeds();
    let shown = machine.because(["--json", "values", "show"]).run().succeeds().json();
    assert_eq!((&shown["raw"]["text"], &shown["claims"]), (&json!(one), &json!([])));
    assert_eq!(set(&machine, one, &[])["new"], true);
    assert_eq!(claims(&machine), [one]);
    let raw = machine.because(["--json", "claims", "--tag", "values:raw"]).arguments(HOME);
    let [raw] = raw.run().succeeds().json_lines().try_into().unwrap();
    assert_eq!((&raw["claim_type"], &raw["text"]), (&json!("values.raw"), &json!(one)));
    assert_eq!(set(&machine, one, &[])["new"], false);
}

#[test]
fn case_25_given_dry_run_then_no_file_changes() {
    let machine = Machine::new();
    let would = set(&machine, VALUES, &["--dry-run"]);
    assert_eq!((&would["new"], &would["event"]), (&json!(true), &Value::Null));
    assert_eq!(would["claims"].as_array().unwrap().len(), 2);
    assert!(!machine.home().exists());
    set(&machine, VALUES, &[]);
    let (before, count) = (claims(&machine), operations(&machine));
    let file = || std::fs::read(machine.home().join("space.db")).unwrap();
    let bytes = file();
    let would = set(&machine, "- Honesty before speed\n- Small steps", &["--dry-run"]);
    assert_eq!(would["retracted"].as_array().unwrap().len(), 1);
    assert!(file() == bytes);
    assert_eq!((claims(&machine), operations(&machine)), (before, count));
}

#[test]
fn case_35_given_a_then_b_then_a_on_values_then_a_is_active() {
    let machine = Machine::new();
    let (a, b) = ("- Honesty before speed\n- Small steps", "- Small steps\n- Play");
    for (text, expected) in [
        (a, ["Honesty before speed", "Small steps"]),
        (b, ["Play", "Small steps"]),
        (a, ["Honesty before speed", "Small steps"]),
        (b, ["Play", "Small steps"]),
    ] {
        assert_eq!(set(&machine, text, &[])["new"], true);
        assert_eq!(claims(&machine), expected);
        let raw = machine.because(["--json", "claims", "--tag", "values:raw"]).arguments(HOME);
        let [raw] = raw.run().succeeds().json_lines().try_into().unwrap();
        assert_eq!(raw["text"], text);
    }
    // The same words in other lines are other values.
    assert_eq!(set(&machine, "- Small steps - Play", &[])["new"], true);
    assert_eq!(claims(&machine), ["Small steps - Play"]);
    machine.because(["verify"]).arguments(HOME).run().succeeds();
}

#[test]
fn init_sets_the_values_of_a_file() {
    let machine = Machine::new();
    machine.write("values.md", VALUES);
    let missing = machine.because(["--json", "init", "--values", "absent.md"]).run().ends(1);
    assert_eq!(missing.error_code(), "file");
    assert!(!machine.space().exists(), "what cannot be read is refused first");
    let made = machine.because(["--json", "init", "--values", "values.md"]).run().succeeds().json();
    assert_eq!(made["values"]["claims"].as_array().unwrap().len(), 2);
    assert!(machine.space().exists());
    assert_eq!(claims(&machine).len(), 2);
    let other = Machine::new();
    other.write("values.md", VALUES);
    let made = other.because(["init", "--global", "--values", "values.md"]).run().succeeds();
    made.prints("Honesty before speed");
    let empty = machine.because(["--json", "values", "set", " "]).run().ends(2);
    assert_eq!(empty.error_code(), "empty_text");
}

#[test]
fn a_language_model_reads_the_values_and_its_failure_is_reported() {
    let (machine, server) = (
        Machine::new(),
        Server::start(|request| {
            let prompt = request.json()["messages"].to_string();
            if prompt.contains("Break") {
                return Reply::json(401, &json!({ "error": { "message": "no" } }));
            }
            let value = json!({ "summary": "Honest.", "retract": [],
            "claims": [{ "type": "preference", "text": "Honesty comes first" }] });
            Reply::json(
                200,
                &json!({ "choices": [{ "message": { "content": value.to_string() } }],
                "usage": { "prompt_tokens": 100, "completion_tokens": 10 } }),
            )
        }),
    );
    machine.write_own_configuration(&format!(
        "[language_model]\nmodel = \"openai-compatible:small\"\nbase_url = \"{}\"\n",
        server.base()
    ));
    let change = set(&machine, "Honesty!", &[]);
    assert_eq!(change["read_by"], "model");
    let shown = machine.because(["--json", "values", "show"]).run().succeeds().json();
    assert_eq!(shown["summary"]["text"], "Honest.");
    let status = machine.because(["--json", "status"]).arguments(HOME).run().succeeds().json();
    assert_eq!(status["model_use"][0]["requests"], 1);
    let ran = machine.because(["values", "set", "Break"]).run().succeeds();
    assert!(ran.err().contains("the language model made nothing of it"), "{}", ran.err());
    let failed = set(&machine, "Break", &[]);
    assert_eq!(failed["error"]["code"], "language_model_refused");
    let shown = machine.because(["--json", "values", "show"]).run().succeeds().json();
    assert_eq!((&shown["raw"]["text"], &shown["raw"]["id"]), (&json!("Break"), &failed["raw"]));
}
