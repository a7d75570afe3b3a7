//! Newer statements before older ones, for agents and on the command line.

use serde_json::{Value, json};

use super::host::Host;
use crate::machine::Machine;

#[test]
fn what_an_agent_notes_later_replaces_what_it_noted_before() {
    let machine = Machine::with_space();
    let mut host = Host::of(&machine);
    let mut id_of = |text: &str, actor: Option<&str>, at: &str| -> String {
        let note = json!({ "text": text, "actor": actor, "at": at });
        host.gets("remember", note)["id"].as_str().unwrap().to_owned()
    };
    let old = id_of("lives in Porto", None, "2025-01-01");
    id_of("I live in Bergen", Some("Ana"), "2025-01-02");
    id_of("I moved the meeting to Oslo", None, "2025-01-03");
    let new = id_of("lives in Lisbon now", None, "2025-02-01");
    let recalled = host.gets("recall", json!({ "query": "Who lives in Porto?", "limit": 4 }));
    let episodes = recalled["episodes"].as_array().unwrap();
    let place = |id: &str| episodes.iter().position(|episode| episode["id"] == id).unwrap();
    assert_eq!(place(&new) + 1, place(&old), "{recalled}");
    assert_eq!(episodes[place(&new)]["replaces"], json!([old]));
    let replacing = episodes.iter().filter(|episode| episode["replaces"] != Value::Null);
    assert_eq!(replacing.count(), 1, "{recalled}");
    let turns = [json!({ "speaker": "Mara", "text": "Who lives in Porto?" })];
    let context = host.gets("get_context", json!({ "turns": turns }));
    let text = context["context"].as_str().unwrap_or_default().to_owned();
    // There are so many of the same words in the older that it is left out as a repetition.
    assert!(text.contains("| lives in Lisbon now") && text.contains("replaces [b3:"), "{text}");
    assert!(!text.contains("| lives in Porto"), "{text}");
    host.leaves();
    for text in ["My phone number is 4711 22 33", "my new number is 4711 22 44"] {
        machine.because(["remember", text]).run().succeeds();
    }
    machine
        .because(["recall", "-k", "1", "What is my phone number?"])
        .run()
        .succeeds()
        .prints("my new number is 4711 22 44")
        .prints("replaces what was said before");
}
