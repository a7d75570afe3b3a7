//! Claims, nodes and edges on the command line.

use serde_json::Value;

use crate::machine::Machine;

fn json(machine: &Machine, arguments: &[&str]) -> Value {
    machine.because(arguments.iter().copied()).arguments(["--json"]).run().succeeds().json()
}

fn id_of(value: &Value) -> String {
    value["id"].as_str().unwrap().to_owned()
}

fn add(machine: &Machine, arguments: &[&str]) -> String {
    id_of(&json(machine, &[&["claim", "add"], arguments].concat()))
}

fn texts(machine: &Machine, arguments: &[&str]) -> Vec<String> {
    let ran = machine.because(arguments.iter().copied()).arguments(["--json"]).run().succeeds();
    let out = ran.out();
    let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_claim_is_stated_once_replaced_brought_back_and_taken_back() {
    let machine = Machine::with_space();
    let old = add(&machine, &["The glaze is tenmoku.", "--tag", "studio"]);
    let again = json(&machine, &["claim", "add", "the  glaze is TENMOKU."]);
    assert_eq!((id_of(&again), &again["new"]), (old.clone(), &false.into()));
    let new = json(&machine, &["claim", "supersede", &old, "The glaze is celadon."]);
    assert_eq!(new["record"]["tags"], serde_json::json!(["studio"]), "labels are kept");
    assert_eq!(texts(&machine, &["claims"]), ["The glaze is celadon."]);
    assert_eq!(
        texts(&machine, &["claim", "list", "--status", "superseded"]),
        ["The glaze is tenmoku."]
    );
    let shown = json(&machine, &["claim", "show", &old, "--graph"]);
    assert_eq!(shown["status"], "superseded");
    assert_eq!(shown["graph"]["edges"][0]["type"], "supersedes");
    let facts = json(&machine, &["recall", "which glaze", "--search", "facts"]);
    assert!(!facts.to_string().contains("tenmoku"), "{facts}");
    json(&machine, &["claim", "retract", &id_of(&new), "--note", "it was not"]);
    assert_eq!(texts(&machine, &["claims"]), ["The glaze is tenmoku."]);
    let twice = json(&machine, &["claim", "retract", &id_of(&new)]);
    assert_eq!(twice["new"], false, "what is taken back already stays so");
    machine.is_sound();
}

#[test]
fn a_duplicate_redirects_to_the_canonical_claim() {
    let machine = Machine::with_space();
    let duplicate = add(&machine, &["Tests run before commits", "--type", "preference"]);
    let canonical = add(&machine, &["Run the tests before each commit", "--type", "preference"]);
    json(&machine, &["claim", "same-as", &duplicate, &canonical]);
    assert_eq!(texts(&machine, &["claims"]), ["Run the tests before each commit"]);
    let shown = json(&machine, &["claim", "show", &duplicate]);
    assert_eq!(
        (&shown["status"], &shown["canonical"]),
        (&"alias".into(), &canonical.clone().into())
    );
    let refused = |arguments: &[&str]| {
        machine.because(arguments.iter().copied()).arguments(["--json"]).run().ends(1).error_code()
    };
    assert_eq!(refused(&["claim", "same-as", &canonical, &duplicate]), "cycle");
    assert_eq!(refused(&["claim", "same-as", &canonical, &canonical]), "self_edge");
    assert_eq!(refused(&["claim", "supersede", &duplicate, "Other"]), "not_active");
    let note = id_of(&json(&machine, &["remember", "A note"]));
    assert_eq!(
        machine.because(["claim", "show", &note, "--json"]).run().ends(2).error_code(),
        "not_in_graph"
    );
    let same = ["claim", "supersede", &canonical, "run the tests  before each COMMIT"];
    assert_eq!(refused(&same), "same_text");
    let node = id_of(&json(&machine, &["node", "add", "--type", "decision", "We test"]));
    assert_eq!(refused(&["claim", "same-as", &canonical, &node]), "different_kinds");
    machine.is_sound();
}

#[test]
fn lists_filter_by_tag_type_status_text_and_time() {
    let machine = Machine::with_space();
    let both = id_of(&json(
        &machine,
        &[
            "node",
            "add",
            "--type",
            "decision",
            "We fire on Fridays",
            "--tag",
            "kiln",
            "--tag",
            "week",
        ],
    ));
    json(&machine, &["node", "add", "--type", "action", "Fired the kiln", "--tag", "kiln"]);
    let list = |arguments: &[&str]| texts(&machine, &[&["node", "list"], arguments].concat());
    assert_eq!(list(&[]), ["Fired the kiln", "We fire on Fridays"], "the newest first");
    assert_eq!(list(&["--tag", "kiln", "--tag", "week"]), ["We fire on Fridays"]);
    assert_eq!(list(&["--type", "action"]), ["Fired the kiln"]);
    assert_eq!(list(&["--contains", "FRIDAY"]), ["We fire on Fridays"]);
    assert_eq!(list(&["--as-of", "2020-01-01"]), Vec::<String>::new());
    assert_eq!(list(&["-n", "1"]).len(), 1);
    json(&machine, &["node", "retract", &both]);
    assert_eq!(list(&["--status", "retracted"]), ["We fire on Fridays"]);
    assert_eq!(list(&[]), ["Fired the kiln"]);
    assert_eq!(list(&["--all"]).len(), 2);
    let told = texts(&machine, &["claims", "--tag", "kiln"]);
    assert_eq!(told, Vec::<String>::new(), "nodes are not beliefs");
    add(&machine, &["The kiln is hot", "--tag", "kiln", "--tag", "now"]);
    add(&machine, &["The kiln is old", "--tag", "kiln"]);
    assert_eq!(texts(&machine, &["claims", "--tag", "now", "--tag", "kiln"]), ["The kiln is hot"]);
}

#[test]
fn case_17_given_status_retracted_then_it_is_shown_without_all() {
    let machine = Machine::with_space();
    let id = add(&machine, &["The kiln is cold"]);
    json(&machine, &["claim", "retract", &id]);
    assert_eq!(texts(&machine, &["claims"]), Vec::<String>::new());
    let retracted = ["claim", "list", "--status", "retracted"];
    assert_eq!(texts(&machine, &retracted), ["The kiln is cold"]);
}

#[test]
fn a_claim_is_true_from_its_beginning_to_before_its_end() {
    let machine = Machine::with_space();
    let window = ["--valid-from", "2025-03-01", "--valid-to", "2025-04-01"];
    add(&machine, &[&["The studio is closed"], &window[..]].concat());
    let at = |time: &str| texts(&machine, &["claims", "--valid-at", time]).len();
    assert_eq!(
        [at("2025-02-28"), at("2025-03-01"), at("2025-03-31"), at("2025-04-01")],
        [0, 1, 1, 0]
    );
    let inverted = ["claim", "add", "x", "--valid-from", "2025-04-01", "--valid-to", "2025-03-01"];
    let refused = machine.because(inverted).arguments(["--json"]).run().ends(2);
    assert_eq!(refused.error_code(), "empty_window");
}

#[test]
fn edges_are_listed_by_their_ends_and_taken_back() {
    let machine = Machine::with_space();
    let goal = add(&machine, &["Ship 1.0", "--type", "goal"]);
    let node = id_of(&json(&machine, &["node", "add", "--type", "decision", "No new features"]));
    let add = ["edge", "add", "--type", "depends_on", "--from", &node, "--to", &goal];
    let edge = json(&machine, &add);
    assert_eq!(edge["record"]["status"], "active");
    assert_eq!(json(&machine, &add)["new"], false);
    let count = |arguments: &[&str]| {
        let list = machine.because([&["edge", "list"], arguments].concat()).arguments(["--json"]);
        list.run().succeeds().out().lines().count()
    };
    let by_end = [
        count(&["--from", &node]),
        count(&["--to", &goal]),
        count(&["--to", &node]),
        count(&["--type", "supports"]),
    ];
    assert_eq!(by_end, [1, 1, 0, 0]);
    json(&machine, &["edge", "retract", &id_of(&edge)]);
    assert_eq!([count(&[]), count(&["--all"])], [0, 1]);
    let ghost =
        ["edge", "add", "--type", "supports", "--from", &node, "--to", "ffffffff", "--json"];
    assert_eq!(machine.because(ghost).run().ends(1).error_code(), "unknown_id");
    machine.is_sound();
}

#[test]
fn a_dry_run_shows_what_would_follow_and_writes_nothing() {
    let machine = Machine::with_space();
    let would = json(&machine, &["claim", "add", "The glaze is tenmoku.", "--dry-run"]);
    assert_eq!((&would["dry_run"], &would["id"]), (&true.into(), &Value::Null));
    assert_eq!(would["changes"][0]["change"], "now_believed");
    assert_eq!(texts(&machine, &["claims"]), Vec::<String>::new());
}

#[test]
fn a_secret_in_a_claim_is_masked_before_its_identity_is_made() {
    let machine = Machine::with_space();
    let told = json(&machine, &["claim", "add", "The password: tulip77bridge is old"]);
    assert!(!told.to_string().contains("tulip77bridge"), "{told}");
    let again = json(&machine, &["claim", "add", "The password: walnut88bridge is old"]);
    assert_eq!(again["new"], false, "no key tells the two apart");
}
