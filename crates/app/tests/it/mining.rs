//! Mining and checkpoints by the program. What is kept is tested below it.

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::server::{Reply, Server};

fn ran(machine: &Machine, words: &[&str]) -> Value {
    machine.because(["--json"]).arguments(words).run().succeeds().json()
}

#[test]
fn what_a_note_states_is_mined_and_a_checkpoint_makes_nodes_of_it_once() {
    let machine = Machine::with_space();
    let text = "We decided to fire the kiln on Friday. I prefer tea to coffee. Is it hot?";
    let note = ran(&machine, &["remember", text])["id"].clone();
    let mined = ran(&machine, &["claim", "mine"]);
    let [claim] = mined["records"].as_array().unwrap().as_slice() else { panic!("{mined}") };
    assert_eq!(claim["text"], "We decided to fire the kiln on Friday.");
    assert_eq!((&claim["sources"], &claim["new"]), (&json!([note]), &json!(true)));
    // The sentence about tea is the deriver's.
    machine.because(["derive"]).run().succeeds();
    let beliefs = machine.because(["--json", "claims"]).run().succeeds().json_lines();
    assert_eq!(beliefs.len(), 2);
    let first = ran(&machine, &["checkpoint"]);
    let node = &first["segments"][0]["nodes"][0];
    assert_eq!((&first["new"], &node["type"]), (&json!(true), &json!("decision")));
    assert_eq!(ran(&machine, &["checkpoint"])["new"], false);
    let edges = machine.because(["--json", "edge", "list", "--from", node["id"].as_str().unwrap()]);
    let edges = edges.run().succeeds().json_lines();
    assert_eq!((&edges[0]["type"], &edges[0]["to"]), (&json!("derived_from"), &note));
    // It is taken back like a stated claim, and does not return.
    let id = claim["id"].as_str().unwrap();
    machine.because(["claim", "retract", id]).run().succeeds();
    assert_eq!(ran(&machine, &["claim", "mine"])["refused"][0]["reason"], "retracted");
    machine.because(["claim", "mine"]).run().succeeds().prints("refused");
    machine.is_sound();
}

#[test]
fn what_was_refuted_as_a_claim_does_not_come_back_as_a_decision() {
    let machine = Machine::with_space();
    let text = "We decided to paint the shed red.";
    ran(&machine, &["remember", text]);
    let mined = ran(&machine, &["claim", "mine"]);
    machine.because(["refute", mined["records"][0]["id"].as_str().unwrap()]).run().succeeds();
    ran(&machine, &["remember", &format!("It rained. {text}")]);
    ran(&machine, &["checkpoint"]);
    let nodes = machine.because(["--json", "node", "list", "--type", "decision"]).run().succeeds();
    assert_eq!(nodes.json_lines(), Vec::<Value>::new());
    machine.is_sound();
}

#[test]
fn rules_mine_what_is_new_beside_what_they_found_before() {
    let machine = Machine::with_space();
    for bought in ["gas kiln", "blue wheel", "tall shelf", "old van", "small press", "long table"] {
        ran(&machine, &["remember", &format!("We decided to buy the {bought}.")]);
    }
    let mined = || ran(&machine, &["claim", "mine"])["records"].as_array().unwrap().clone();
    let news = |mined: &[Value]| mined.iter().filter(|it| it["new"] == true).count();
    let first = mined();
    assert_eq!(news(&first), 6);
    machine.because(["claim", "retract", first[0]["id"].as_str().unwrap()]).run().succeeds();
    ran(&machine, &["remember", "We decided to sell the old press."]);
    let second = mined();
    assert_eq!(news(&second), 1, "{second:?}");
    assert!(second.iter().any(|it| it["text"] == "We decided to sell the old press."));
}

#[test]
fn the_language_model_that_is_chosen_mines_and_its_use_is_counted() {
    let machine = Machine::with_space();
    let note = ran(&machine, &["remember", "The kiln is hot."])["id"].clone();
    let found = json!({
        "claims": [{
            "local_id": "a", "type": "fact", "text": "The kiln is hot.", "scope": "project",
            "visibility": "project", "valid_from": null, "valid_to": null, "confidence": 0.95,
            "source_event_ids": ["e1", "e2"], "tags": [], "notes": "",
        }],
        "nodes": [], "edges": [],
    });
    let server = Server::start(move |_| {
        Reply::json(
            200,
            &json!({"model": "small-2026", "choices": [{"message": {"content": found.to_string()}}],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}),
        )
    });
    let with_model = |words: &[&str]| {
        let model = ["--json", "--language-model", "openai-compatible:small"];
        let call = machine.because(model).arguments(words);
        call.variable("BECAUSE_LANGUAGE_MODEL_BASE_URL", server.base()).run().succeeds().json()
    };
    let mined = with_model(&["claim", "mine"]);
    assert_eq!(mined["model"], "openai-compatible:small (small-2026)");
    assert_eq!(mined["records"][0]["sources"], json!([note]));
    assert_eq!(server.requests().len(), 1);
    // Rules are asked for, so nobody else is.
    assert_eq!(with_model(&["claim", "mine", "--rules"])["read_by"], "rules");
    assert_eq!(with_model(&["checkpoint", "--dry-run"])["segments"][0]["mined"], Value::Null);
    assert_eq!(server.requests().len(), 1);
    let status = ran(&machine, &["status"]);
    assert!(status.to_string().contains("openai-compatible:small"), "{status}");
}
