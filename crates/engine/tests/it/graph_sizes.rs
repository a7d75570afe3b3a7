//! Changes of the graph of unusual sizes, as scenarios.

use engine::conformance::{read, run};
use serde_json::{Value, json};

const MANY: usize = 10_000;

fn check(name: &str, steps: &[Value]) {
    for scenario in read(&json!({"name": name, "steps": steps}).to_string()).unwrap() {
        assert_eq!(run(&scenario).unwrap(), []);
    }
}

fn statement(name: &str, input: &str) -> Value {
    json!({"do": "state", "as": name, "type": "fact", "text": format!("Shelf {name} is full."), "inputs": [input]})
}

#[test]
fn a_patch_of_ten_thousand_operations_with_a_bad_one_writes_nothing() {
    let mut operations: Vec<Value> = (0..MANY).map(|n| statement(&format!("s{n}"), "e")).collect();
    let evidence = json!({"do": "evidence", "as": "e"});
    let mut steps = vec![evidence, statement("s", "e")];
    operations[MANY - 1] = statement("bad", "ghost");
    steps.push(
        json!({"do": "patch", "as": "p", "operations": operations, "error": "patch_refused"}),
    );
    steps.push(
        json!({"expect": {"status": {"s": "active", "s0": null, "bad": null}, "active": ["s"]}}),
    );
    steps.push(json!({"do": "revert", "target": "p", "error": "unknown_ref"}));
    operations.truncate(MANY - 1);
    steps.push(json!({"do": "patch", "as": "p", "operations": operations}));
    let last = format!("s{}", MANY - 2);
    steps.push(json!({"expect": {"status": {"s0": "active", &last: "active"}}}));
    steps.push(json!({"do": "revert", "target": "p"}));
    steps.push(
        json!({"expect": {"status": {"s0": "retracted", &last: "retracted"}, "active": ["s"]}}),
    );
    check("a patch", &steps);
}

#[test]
fn a_claim_that_is_replaced_ten_thousand_times_costs_in_proportion() {
    let evidence = json!({"do": "evidence", "as": "e"});
    let mut operations = vec![statement("s0", "e")];
    operations.extend((1..MANY).map(|n| {
        json!({"do": "supersede", "as": format!("s{n}"), "target": format!("s{}", n - 1), "text": format!("Shelf {n} is full."), "inputs": ["e"]})
    }));
    let last = format!("s{}", MANY - 1);
    let steps = [
        evidence,
        json!({"do": "patch", "as": "p", "operations": operations}),
        json!({"expect": {"status": {"s0": "superseded", "s5000": "superseded", &last: "active"}, "active": [&last]}}),
        json!({"expect": {"status": {"s0": null}, "active": [], "as_of": 1}}),
        json!({"do": "retract", "target": &last}),
        json!({"expect": {"status": {"s0": "superseded", &last: "active"}, "active": [&last], "as_of": 2}}),
        json!({"expect": {"status": {"s0": "superseded", &last: "retracted"}, "active": [format!("s{}", MANY - 2)]}}),
    ];
    check("replaced again and again", &steps);
}
