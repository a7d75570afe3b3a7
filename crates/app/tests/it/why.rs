//! `because why`, and `because explain` of anything that has an id.

use serde_json::Value;

use crate::graph::{add, id_of, json};
use crate::machine::{Machine, Ran};

/// A decision that needs a claim, which needs another, and a claim that is never used.
struct Pottery {
    machine: Machine,
    decision: String,
    dry: String,
    bursts: String,
}

impl Pottery {
    fn new() -> Self {
        Self::with_confidence("0.9")
    }

    fn with_confidence(confidence: &str) -> Self {
        let machine = Machine::with_space();
        let add = |words: &[&str]| {
            let added = machine.because(words).arguments(["--json"]).run().succeeds().json();
            added["id"].as_str().unwrap().to_owned()
        };
        let claim = |text| add(&["claim", "add", text, "--confidence", confidence]);
        let dry = claim("The kiln must be dry");
        let bursts = claim("Wet clay bursts");
        let decision = add(&["node", "add", "--type", "decision", "We open on Friday"]);
        let needs = |from: &str, to: &str| {
            add(&["edge", "add", "--type", "depends_on", "--from", from, "--to", to])
        };
        needs(&decision, &dry);
        needs(&dry, &bursts);
        Self { machine, decision, dry, bursts }
    }

    fn why(&self, arguments: &[&str]) -> Ran {
        self.machine.because(["why"]).arguments(arguments).run()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.why(arguments).succeeds().json()
    }

    fn count(&self, list: &[&str]) -> usize {
        let listed = self.machine.because(list).arguments(["--json"]).run().succeeds();
        listed.json_lines().len()
    }

    fn traces(&self) -> usize {
        self.count(&["node", "list", "--type", "why_trace"])
    }
}

#[test]
fn the_newest_decision_is_explained_and_the_answer_stored_once() {
    let here = Pottery::new();
    here.why(&["last", "--dry-run"])
        .succeeds()
        .prints("decision We open on Friday")
        .prints("It rests on 2 claims, and no fewer would do. Confidence 0.90.")
        .prints("depends_on: * fact The kiln must be dry")
        .prints("    depends_on: * fact Wet clay bursts")
        .prints("this is a dry run");
    assert_eq!((here.traces(), here.count(&["edge", "list"])), (0, 2));
    let first = here.json(&["last", "--json"]);
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    let expected = [
        "candidates",
        "clusters",
        "cut",
        "evidence",
        "excluded",
        "links",
        "model",
        "model_error",
        "model_not_asked",
        "not_stored",
        "owner",
        "scope",
        "status",
        "stored",
        "support",
        "target",
    ];
    assert_eq!(keys, expected);
    assert_eq!(
        (&first["status"], &first["target"]["id"]),
        (&"supported".into(), &here.decision.as_str().into())
    );
    assert_eq!(first["support"]["claims"], serde_json::json!([here.dry, here.bursts]));
    assert_eq!(
        (&first["support"]["is_minimal"], &first["stored"]["new"]),
        (&true.into(), &true.into())
    );
    assert_eq!((here.traces(), here.count(&["edge", "list"])), (1, 3));
    let operations = here.count(&["log", "-n", "0"]);
    let second = here.json(&[&here.decision, "--json"]);
    assert_eq!(
        (&second["stored"]["new"], &second["stored"]["id"]),
        (&false.into(), &first["stored"]["id"])
    );
    assert_eq!(here.count(&["log", "-n", "0"]), operations, "the same answer writes nothing");
    here.why(&["last"]).succeeds().prints("stored before as");
    here.machine.is_sound();
}

#[test]
fn an_unsure_answer_is_stored_without_edges_and_the_past_is_not_stored() {
    let here = Pottery::with_confidence("0.69");
    let answer = here.json(&["last", "--json"]);
    assert_eq!(answer["stored"]["edges"], serde_json::json!([]));
    assert_eq!((here.traces(), here.count(&["edge", "list"])), (1, 2));
    let past = here.json(&["last", "--as-of", "2001-01-01", "--json"]);
    assert_eq!((&past["status"], &past["target"]), (&"insufficient".into(), &Value::Null));
    here.why(&[&here.decision, "--as-of", "2001-01-01"]).ends(1);
    // A time to come is the present.
    assert!(here.json(&["last", "--as-of", "2999-01-01", "--json"])["stored"].is_object());
}

#[test]
fn an_answer_about_a_retracted_record_is_not_stored() {
    let here = Pottery::with_confidence("0.9");
    here.machine.because(["node", "retract", &here.decision]).run().succeeds();
    let answer = here.json(&[&here.decision, "--json"]);
    assert_eq!(answer["target"]["status"], "retracted");
    assert_eq!((&answer["stored"], &answer["not_stored"]), (&Value::Null, &"target_dead".into()));
    assert_eq!(here.traces(), 0);
}

#[test]
fn without_candidates_the_answer_is_insufficient_and_nothing_is_written() {
    let machine = Machine::with_space();
    machine.because(["why", "last"]).run().succeeds().prints("stands for nothing");
    machine.because(["node", "add", "--type", "action", "Swept the floor"]).run().succeeds();
    let answer = machine.because(["why", "last", "--json"]).run().succeeds().json();
    assert_eq!(answer["status"], "insufficient");
    assert_eq!(
        (&answer["stored"], &answer["not_stored"]),
        (&Value::Null, &"nothing_to_store".into())
    );
    machine.because(["why", "last"]).run().succeeds().prints("Insufficient");
    machine.because(["why", "ffffffff"]).run().ends(1);
    machine.because(["why", "last", "--top-k", "0"]).run().ends(2);
    machine.because(["why", "last", "--top-k", "41"]).run().ends(2);
}

#[test]
fn every_format_draws_the_same_answer() {
    let here = Pottery::new();
    let draw = |format: &str| here.why(&["last", "--dry-run", "--format", format]).succeeds();
    let dot = draw("dot").says("dry run").out();
    assert!(
        dot.starts_with("digraph why {") && dot.contains("n0 -> n1 [label=\"depends_on\"]"),
        "{dot}"
    );
    let mermaid = draw("mermaid").out();
    assert!(
        mermaid.starts_with("flowchart LR\n") && mermaid.contains("-->|depends_on|"),
        "{mermaid}"
    );
    let svg = draw("svg").out();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for text in ["The kiln must be dry", "Wet clay bursts", "We open on Friday"] {
        assert!([&dot, &mermaid, &svg].iter().all(|drawing| drawing.contains(text)), "{text}");
    }
    assert_eq!(draw("json").json(), here.json(&["last", "--dry-run", "--json"]));
    assert_eq!(draw("tree").out(), here.why(&["last", "--dry-run"]).succeeds().out());
}

#[test]
fn budgets_are_options_and_what_they_leave_out_is_named() {
    let here = Pottery::new();
    let near = here.json(&["last", "--dry-run", "--depth", "1", "--json"]);
    assert_eq!((&near["cut"]["depth"], &near["support"]["is_minimal"]), (&1.into(), &false.into()));
    here.why(&["last", "--dry-run", "--depth", "1"])
        .succeeds()
        .prints("fewer may do")
        .prints("left out: 1 further away than --depth");
    let few = here.json(&["last", "--dry-run", "--max-nodes", "1", "--json"]);
    assert_eq!(few["cut"]["nodes"], 1);
    let late = here.json(&["last", "--dry-run", "--since", "2999-01-01", "--json"]);
    assert_eq!((&late["cut"]["since"], &late["status"]), (&1.into(), &"insufficient".into()));
    let one = here.json(&["last", "--dry-run", "--top-k", "1", "--json"]);
    assert_eq!(
        (one["candidates"].as_array().unwrap().len(), &one["cut"]["candidates"]),
        (1, &1.into())
    );
}

#[test]
fn a_dead_claim_is_named_and_holds_up_nothing() {
    let here = Pottery::new();
    here.machine.because(["claim", "retract", &here.bursts]).run().succeeds();
    here.why(&["last"])
        .succeeds()
        .prints("Nothing holds it up any more")
        .prints("Wet clay bursts  (retracted)")
        .prints("no claim accounts for it");
    assert_eq!(here.traces(), 0);
}

#[test]
fn somebody_elses_space_is_answered_from_and_not_written_to() {
    let here = Pottery::new();
    let reader = here.machine.work().join("../reader");
    let space = here.machine.space();
    let ask = |arguments: &[&str]| {
        let call = here.machine.because(["why", "last"]).arguments(arguments);
        call.at_home(&reader).variable("BECAUSE_SPACE", &space).run().succeeds()
    };
    ask(&[])
        .prints("The kiln must be dry")
        .prints("nothing was stored: the space is somebody else's");
    let answer = ask(&["--json"]).json();
    assert_eq!(
        (&answer["stored"], &answer["not_stored"]),
        (&Value::Null, &"not_your_space".into())
    );
    assert!(answer["owner"].is_object());
    assert_eq!(here.traces(), 0);
}

#[test]
fn explain_takes_decisions_edges_notes_and_stored_answers() {
    let here = Pottery::new();
    let stored = here.json(&["last", "--json"])["stored"].clone();
    let explain = |id: &str| {
        let explained = here.machine.because(["explain", id, "--json"]).run().succeeds().json();
        let keys: Vec<&String> = explained.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["built_from", "cited_by", "cut", "edges", "owner", "record", "scope", "transcripts"]
        );
        explained
    };
    let decision = explain(&here.decision);
    assert_eq!(
        (&decision["record"]["type"], &decision["record"]["status"]),
        (&"decision".into(), &"active".into())
    );
    assert_eq!(decision["built_from"][0]["kind"], "evidence");
    assert_eq!(decision["edges"].as_array().unwrap().len(), 2);
    assert_eq!(decision["cited_by"][0]["op_id"], stored["id"]);
    let trace = explain(stored["id"].as_str().unwrap());
    let built: Vec<&Value> =
        trace["built_from"].as_array().unwrap().iter().map(|source| &source["op_id"]).collect();
    for id in [&here.decision, &here.dry, &here.bursts] {
        assert!(built.contains(&&Value::from(id.as_str())), "{trace}");
    }
    let edge = explain(stored["edges"][1].as_str().unwrap());
    assert_eq!(edge["record"]["type"], "depends_on");
    here.machine
        .because(["explain", &here.decision])
        .run()
        .succeeds()
        .prints("node (decision)")
        .prints("made from")
        .prints("depends_on")
        .prints("cited by");
    // Beliefs keep their own record.
    let claim = here.machine.because(["explain", &here.dry, "--json"]).run().succeeds().json();
    assert!(claim["claim"].is_object() && claim["record"].is_null(), "{claim}");
}

#[test]
fn hostile_texts_command_neither_a_terminal_nor_a_drawing() {
    let machine = Machine::with_space();
    let text = "x\u{1b}[31m\"]; </text><script>y</script>";
    let add = |words: &[&str]| {
        let added = machine.because(words).arguments(["--json"]).run().succeeds().json();
        added["id"].as_str().unwrap().to_owned()
    };
    let claim = add(&["claim", "add", text]);
    let decision = add(&["node", "add", "--type", "decision", text]);
    add(&["edge", "add", "--type", "depends_on", "--from", &decision, "--to", &claim]);
    for format in ["tree", "dot", "mermaid", "svg", "json"] {
        let out = machine.because(["why", "last", "--format", format]).run().succeeds().out();
        assert!(!out.contains('\u{1b}'), "{format}");
        assert!(format != "svg" || !out.contains("<script"), "{out}");
    }
}

#[test]
fn what_a_project_refuted_holds_up_nothing_that_the_home_space_has() {
    let machine = Machine::with_space();
    let ran = |arguments: &[&str]| -> Value {
        machine.because(arguments.iter().chain(&["--json"])).run().succeeds().json()
    };
    let add = |arguments: &[&str]| -> String {
        let home = [&["--space", "global"], arguments, &["--visibility", "global"]].concat();
        ran(&home)["id"].as_str().unwrap().to_owned()
    };
    let tabs = add(&["claim", "add", "Tabs are best."]);
    let decision = add(&["node", "add", "--type", "decision", "Indent by tabs."]);
    let edge = ["--space", "global", "edge", "add", "--type", "depends_on"];
    ran(&[&edge[..], &["--from", &decision, "--to", &tabs]].concat());
    let why = || ran(&["why", &decision, "--dry-run"]);
    let chosen = |why: &Value| {
        let candidates = why["candidates"].as_array().unwrap().iter();
        candidates.filter(|it| it["chosen"] == true).count()
    };
    assert_eq!(chosen(&why()), 1);
    let own = ran(&["claim", "add", "Tabs are best."])["id"].as_str().unwrap().to_owned();
    machine.because(["refute", &own]).run().succeeds();
    let now = why();
    assert_eq!((chosen(&now), &now["excluded"][0]["status"]), (0, &"hidden".into()), "{now}");
}

#[test]
fn what_the_user_corrected_holds_up_in_their_words() {
    let machine = Machine::with_space();
    let claim = add(&machine, &["The kiln is gas."]);
    let node = id_of(&json(&machine, &["node", "add", "--type", "decision", "Buy gas"]));
    json(&machine, &["edge", "add", "--type", "depends_on", "--from", &node, "--to", &claim]);
    let verdict = || json(&machine, &["why", &node, "--dry-run"])["status"].clone();
    let supported = verdict();
    json(&machine, &["correct", &claim, "--text", "The kiln is a gas kiln."]);
    assert_eq!(verdict(), supported);
    let why = json(&machine, &["why", &node]);
    let stored = why["stored"]["id"].clone();
    assert!(stored.is_string(), "the trace cites what is believed: {why}");
    assert_eq!(json(&machine, &["why", &node])["stored"]["id"], stored, "the same answer");
    let served = json(&machine, &["claims"])["op_id"].as_str().unwrap().to_owned();
    assert_ne!(served, claim, "what is served is the correction");
    let cites = ["node", "add", "--type", "decision", "Buy a hose", "--source", &served];
    let citing = id_of(&json(&machine, &cites));
    let why = json(&machine, &["why", &citing, "--dry-run"]);
    assert_eq!(
        (&why["status"], &why["support"]["claims"]),
        (&supported, &serde_json::json!([claim])),
        "{why}"
    );
    json(&machine, &["refute", &claim]);
    assert_eq!(json(&machine, &["node", "show", &citing])["status"], "invalidated");
}
