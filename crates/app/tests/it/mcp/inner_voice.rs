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
    host.fails("empty_question", "inner_voice", json!({ "content": " " }));
    host.fails("not_a_probability", "inner_voice", json!({ "content": "x", "sim_thresh": 2 }));
    host.leaves();
    machine.is_sound();
}
