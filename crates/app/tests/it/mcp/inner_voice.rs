//! The inner voice as a tool.

use serde_json::{Value, json};

use super::host::Host;
use crate::machine::Machine;

#[test]
fn an_agent_gets_sentences_with_sources_and_its_key_keeps_the_answer() {
    let machine = Machine::new();
    let mut host = Host::named(&machine, "claude-code", &json!({}));
    let question = "Which glaze did Idris recommend for the tall bowls?";
    let nothing = host.gets("inner_voice", json!({ "content": question }));
    assert_eq!((&nothing["abstains"], &nothing["saved_thought_id"]), (&json!(true), &Value::Null));
    let text = "Idris recommended the ash glaze for the tall bowls.";
    let note = host.gets("remember", json!({ "text": text }));
    let answer = host.gets("inner_voice", json!({ "content": question }));
    assert_eq!(answer["sources"][0]["thought_id"], note["id"]);
    assert_eq!(answer["sentences"][0]["sources"], json!([note["id"]]));
    let id = answer["saved_thought_id"].as_str().unwrap();
    let shown = machine.because(["--json", "node", "show", id]).run().succeeds().json();
    assert_eq!(shown["payload"]["summary_of"], json!([note["id"]]));
    let own = machine.because(["--json", "show", note["id"].as_str().unwrap()]).run().succeeds();
    assert_eq!(shown["author"], own.json()["header"]["author"], "the agent's key signed both");
    let staging = json!({ "content": question, "stage_kg": true, "confidence_min": 2 });
    host.fails("not_a_probability", "inner_voice", staging);
    host.fails("empty_question", "inner_voice", json!({ "content": " " }));
    host.fails("not_a_probability", "inner_voice", json!({ "content": "x", "sim_thresh": 2 }));
    host.leaves();
    machine.is_sound();
}

// Case 7 of the inner voice: each candidate is pending with exactly its own sources.
#[test]
fn an_agent_stages_what_the_sources_name_for_the_user() {
    let machine = Machine::new();
    let mut host = Host::named(&machine, "claude-code", &json!({}));
    host.gets("remember", json!({ "text": "KilnTimer depends on SQLite, says the kiln manual." }));
    let asked = json!({
        "content": "What does the kiln manual say about KilnTimer?", "stage_kg": true, "save": false,
    });
    let answer = host.gets("inner_voice", asked.clone());
    assert_eq!(answer["staged"]["pending_entities"], 2, "{answer}");
    assert_eq!(answer["staged"]["pending_relationships"], 1);
    assert_eq!(answer["marked_for_removal"], 0);
    let again = host.gets("inner_voice", asked);
    assert_eq!(again["staged"]["left_out"]["pending"], 3);
    let queue = host.gets("review", json!({}));
    let waiting = queue["waiting"].as_array().unwrap();
    assert!(waiting.iter().any(|it| it["text"] == "KilnTimer depends on SQLite"), "{queue}");
    host.leaves();
    machine.is_sound();
}
