//! A Mind-Incarnation home through the program.

use serde_json::{Value, json};

use crate::machine::Machine;

fn lines(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_home_is_recognised_and_its_ids_work_wherever_an_id_does() {
    let machine = Machine::with_space();
    let source = json!([{ "kind": "evidence_event", "event_id": "ev_run_1_000001" }]);
    let project = "mi/projects/4f2a";
    let event = json!({ "kind": "user_input", "event_id": "ev_run_1_000001", "ts": "2026-02-17T10:00:00Z",
        "run_id": "run_1", "question": "Which glaze?", "answer": "Celadon, always." });
    let thinking = json!({ "kind": "thought_action", "event_id": "ev_run_1_000002", "ts": "2026-02-17T10:00:01Z",
        "text": "They may regret celadon." });
    machine.write(&format!("{project}/evidence.jsonl"), lines(&[event, thinking]));
    let claim = |id: &str, text: &str, more: Value| {
        let mut line = json!({ "kind": "claim", "claim_id": id, "claim_type": "preference", "text": text,
            "visibility": "project", "scope": "project", "asserted_ts": "2026-02-17T10:00:02Z",
            "source_refs": source, "confidence": 0.9, "tags": [] });
        for (name, value) in more.as_object().unwrap() {
            line[name] = value.clone();
        }
        line
    };
    let claims = [
        claim("cl_1760000000000000001_a1b2c3d4", "Glaze with celadon.", json!({})),
        claim("cl_2", "Glaze with tenmoku.", json!({ "source_refs": [{ "event_id": "ev_none" }] })),
        claim(
            "cl_3",
            "MI setting: ask_when_uncertain = proceed",
            json!({ "tags": ["mi:setting:ask_when_uncertain"], "visibility": "global" }),
        ),
    ];
    machine.write(&format!("{project}/thoughtdb/claims.jsonl"), lines(&claims));
    let edge = json!({ "kind": "edge", "edge_id": "ed_1", "edge_type": "depends_on", "from_id": "ev_run_1_000001",
        "to_id": "cl_1760000000000000001_a1b2c3d4", "asserted_ts": "2026-02-17T10:00:03Z", "source_refs": source });
    machine.write(&format!("{project}/thoughtdb/edges.jsonl"), lines(&[edge]));

    let dry = machine.because(["import", "mi", "--dry-run"]).run().ends(4);
    let imported = machine.because(["import", "mi"]).run().ends(4);
    for ran in [dry, imported] {
        for line in
            ["claims: 2 new", "edges: 1 new", "claims.jsonl:2", "\"ev_none\"", "unknown_ref"]
        {
            assert!(ran.out().contains(line), "{line}\n{ran}");
        }
    }
    let again = machine.because(["import", "mi", "--format", "mi", "--json"]).run().ends(4).json();
    let counts = &again["sources"][0]["graph"];
    assert_eq!(counts["claims"], json!({ "added": 0, "present": 2, "forgotten": 0 }), "{again}");
    assert_eq!(counts["edges"]["present"], 1);

    let id = "cl_1760000000000000001_a1b2c3d4";
    let shown = machine.because(["claim", "show", id, "--json"]).run().succeeds().json();
    assert_eq!(shown["text"], "Glaze with celadon.");
    assert_eq!(shown["tags"], json!([format!("mi:id:{id}"), "mi:project:4f2a"]));
    machine.because(["show", "ev_run_1_000001"]).run().succeeds().prints("Celadon, always.");
    machine.because(["explain", id]).run().succeeds();
    let listed =
        machine.because(["claim", "list", "--tag", "mi:project:4f2a", "--json"]).run().succeeds();
    assert_eq!(listed.out().lines().count(), 2, "{listed}");
    let setting = machine.because(["settings", "show", "--json"]).run().succeeds();
    let lines: Vec<Value> =
        setting.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ask = lines.iter().find(|line| line["key"] == "ask_when_uncertain");
    assert_eq!(ask.unwrap()["value"], "off", "{setting}");

    let recall = |arguments: &[&str]| {
        let ran = machine.because(["recall", "--json", "--search", "episodes", "regret celadon"]);
        ran.arguments(arguments.iter().copied()).run().out()
    };
    assert!(!recall(&[]).contains("They may regret"));
    assert!(recall(&["--kind", "thought_action"]).contains("They may regret"));
    machine.is_sound();
}
