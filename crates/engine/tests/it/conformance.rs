//! Scenarios: those that are stored, large ones that are made here, and how the runner tells what
//! differs.

use std::path::Path;

use engine::conformance::{read, run};
use serde_json::{Value, json};

/// The stored files: `fixtures/conformance/corrections.json`, `edges.json`, `graphs.json`,
/// `merges.json`, `orders.json`, `patches.json`, `provenance.json`, `records.json`,
/// `redirects.json`, `refusals.json`, `refutations.json`, `replacements.json`,
/// `restorations.json` and `versions.json`.
const STORED: &str = "../../fixtures/conformance";
const STORED_MIN: usize = 350;

fn check(scenario: &Value) {
    let scenarios = read(&scenario.to_string()).unwrap();
    for scenario in scenarios {
        assert_eq!(run(&scenario).unwrap(), [], "{}", scenario.name);
    }
}

/// What differs in a scenario, in short.
fn differences(steps: Value) -> Vec<String> {
    let scenarios = read(&json!({"name": "s", "steps": steps}).to_string()).unwrap();
    let differences = run(&scenarios[0]).unwrap().into_iter();
    differences
        .map(|it| format!("{} {}: {} but {}", it.step, it.what, it.expected, it.got))
        .collect()
}

fn refusal(text: &str) -> String {
    match read(text).map(|scenarios| scenarios.iter().map(run).collect::<Result<Vec<_>, _>>()) {
        Err(error) | Ok(Err(error)) => error.to_string(),
        Ok(Ok(_)) => panic!("{text} runs"),
    }
}

#[test]
fn every_stored_scenario_is_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(STORED);
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for scenario in read(&text).unwrap() {
            assert_eq!(run(&scenario).unwrap(), [], "{}", scenario.name);
            count += 1;
        }
    }
    assert!(count >= STORED_MIN, "{count}");
}

fn claim(name: &str, input: &str) -> Value {
    json!({"do": "claim", "as": name, "key": name, "payload": 1, "inputs": [input], "confidence": 0.5})
}

#[test]
fn a_chain_of_five_hundred_falls_and_rises() {
    let names: Vec<String> = (0..500).map(|number| format!("c{number}")).collect();
    let mut steps = vec![json!({"do": "evidence", "as": "e"}), claim(&names[0], "e")];
    steps.extend(names.windows(2).map(|pair| claim(&pair[1], &pair[0])));
    steps.push(json!({"do": "refute", "as": "r", "target": "c0"}));
    steps.push(json!({"expect": {"states": {"c1": "invalidated", "c499": "invalidated"}, "invalidated": names[1..]}}));
    steps.push(json!({"do": "withdraw", "target": "r"}));
    steps.push(json!({"expect": {"states": {"c0": "active", "c499": "active"}, "invalidated_by_last": []}}));
    check(&json!({"name": "deep", "steps": steps}));
}

#[test]
fn two_hundred_claims_on_one_piece_of_evidence_fall_together() {
    let names: Vec<String> = (0..200).map(|number| format!("c{number}")).collect();
    let mut steps = vec![json!({"do": "evidence", "as": "e"})];
    steps.extend(names.iter().map(|name| claim(name, "e")));
    let top = json!({"do": "claim", "as": "top", "key": "top", "payload": 1, "inputs": names, "confidence": 0.5});
    steps.push(top);
    steps.push(json!({"do": "retract_evidence", "target": "e"}));
    let mut invalidated = names.clone();
    invalidated.push("top".to_owned());
    steps.push(json!({"expect": {"states": {"top": "invalidated"}, "invalidated": invalidated}}));
    check(&json!({"name": "wide", "steps": steps}));
}

#[test]
fn a_difference_is_reported_with_its_step() {
    let steps = json!([
        {"do": "evidence", "as": "e"},
        {"do": "claim", "as": "c", "key": "k", "payload": {"v": 1}, "inputs": ["e"], "confidence": 0.5, "error": "stale_input"},
        {"expect": {"states": {"k": "refuted"}, "served": {"k": {"v": 2}}, "confidence": {"k": 0.4}, "invalidated": ["c"],
            "invalidated_by_last": ["c"], "reviews": ["k"], "refresh": ["k"], "provenance": {"of": "c", "walk": []}}},
        {"do": "claim", "as": "d", "key": "k", "payload": 1, "inputs": []}
    ]);
    assert_eq!(
        differences(steps),
        [
            "2 error: \"stale_input\" but null",
            "3 states.k: \"refuted\" but \"active\"",
            "3 served.k: {\"v\":2} but {\"v\":1}",
            "3 confidence.k: 0.4 but 0.5",
            "3 invalidated: [\"c\"] but []",
            "3 invalidated_by_last: [\"c\"] but []",
            "3 reviews: [\"k\"] but []",
            "3 refresh: [\"k\"] but []",
            "3 provenance.c: [] but [[1,\"e\",\"input\"]]",
            "4 error: null but \"empty_inputs\"",
        ]
    );
    let within = json!([{"do": "mark", "as": "m"}, {"do": "merge", "from": "m", "steps": [{"expect": {"states": {"k": "active"}}}]}]);
    assert_eq!(differences(within), ["2.1 states.k: \"active\" but \"none\""]);
}

#[test]
fn scenarios_come_as_an_object_an_array_or_lines() {
    let one = r#"{"name":"a","steps":[]}"#;
    for (text, count) in [
        (one.to_owned(), 1),
        (format!("[{one},{one}]"), 2),
        (format!("{one}\n{one}\n\n{one}\n"), 3),
        (String::new(), 0),
    ] {
        assert_eq!(read(&text).unwrap().len(), count, "{text}");
    }
}

#[test]
fn an_invalid_step_is_refused_with_its_reason() {
    let of = |step: &str| {
        refusal(&format!(r#"{{"name":"s","steps":[{{"do":"evidence","as":"e","t":4}},{step}]}}"#))
    };
    for (step, says) in [
        (r#"{"do":"dream"}"#, "unknown variant `dream`"),
        (r#"{"expect":{"moods":{}}}"#, "unknown field `moods`"),
        (r#"{"do":"evidence","colour":1}"#, "unknown field `colour`"),
        (r#"{"do":"evidence","as":"e"}"#, "name of an earlier step"),
        (r#"{"do":"evidence","t":4}"#, "has the time 4"),
        (r#"{"do":"evidence","t":-1}"#, "whole number"),
        (r#"{"do":"merge","from":"m","steps":[]}"#, "is not an earlier mark"),
        ("7", "a step is an object"),
    ] {
        let message = of(step);
        assert!(
            message.starts_with("scenario \"s\", step 2: ") && message.contains(says),
            "{message}"
        );
    }
    assert!(refusal("{\"name\":").contains("not JSON"));
    assert!(refusal("[{\"steps\":[]}]").contains("scenario 1 is not an object with"));
}
