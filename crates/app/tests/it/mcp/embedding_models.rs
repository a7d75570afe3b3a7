//! MCP tools with an embedding model other than the built-in one, which may be available, gone or
//! silent.

use serde_json::{Value, json};

use super::host::Host;
use crate::embeddings::{server, with_records};
use crate::machine::Machine;
use crate::server::{Reply, Server};

const MODEL: &str = "openai/small (5)";

/// An MCP server whose settings choose a model at `base`.
fn host_of(machine: &Machine, base: &str) -> Host {
    let call = machine.because(["mcp"]).variable("BECAUSE_EMBEDDER", "openai:small");
    // One second is long for a local service, and the shortest timeout that can be set.
    let call =
        call.variable("BECAUSE_OPENAI_BASE_URL", base).variable("BECAUSE_OPENAI_TIMEOUT_S", "1");
    let mut host = Host::calling(call);
    host.greet();
    host
}

fn turns(text: &str) -> Value {
    json!({ "turns": [{ "speaker": "user", "text": text }] })
}

#[test]
fn recall_and_context_use_the_model_that_the_settings_choose() {
    let (machine, server) = (with_records(0), server());
    machine.with(&server, &["embed"]).run().succeeds();
    let asked = server.requests().len();
    let mut host = host_of(&machine, server.base());
    let recalled = host.gets("recall", json!({ "query": "hound" }));
    assert_eq!(recalled["episodes"][0]["text"], "The dog sleeps", "{recalled}");
    assert_eq!(recalled["embedder"], json!({ "model": MODEL, "error": null }));
    let context = host.gets("get_context", turns("Good morning. Where has the hound gone?"));
    assert!(context["context"].as_str().unwrap().contains("| The dog sleeps"), "{context}");
    assert_eq!(context["embedder"], json!({ "model": MODEL, "error": null }));
    assert_eq!(server.requests().len(), asked + 2);
    let facts = host.gets("recall", json!({ "query": "hound", "search_type": "facts" }));
    // No belief has a vector.
    assert_eq!(facts["embedder"], json!({ "model": "built-in", "error": null }), "{facts}");
    assert_eq!(server.requests().len(), asked + 3);
    // A note that an agent remembers is embedded too, with the model that is already open.
    host.gets("remember", json!({ "text": "A second vessel" }));
    assert!(host.texts("boat").contains(&"A second vessel".to_owned()));
    assert_eq!(server.requests().len(), asked + 5);
    let status = machine.with(&server, &["status", "--json"]).run().succeeds().json();
    assert_eq!(
        (&status["vectors"][0]["embedded"], &status["vectors"][0]["pending"]),
        (&json!(5), &json!(0))
    );
    host.leaves();
    // A user who sets no model gets the built-in one, and no server is called.
    let mut host = Host::of(&machine);
    let recalled = host.gets("recall", json!({ "query": "dog" }));
    assert_eq!(recalled["embedder"], json!({ "model": "built-in", "error": null }));
    let context = host.gets("get_context", turns("Where is the dog?"));
    assert_eq!(context["embedder"], json!({ "model": "built-in", "error": null }));
    assert_eq!(server.requests().len(), asked + 5);
    host.leaves();
}

#[test]
fn an_unreachable_model_is_reported_and_fails_no_tool() {
    let (machine, server) = (with_records(0), server());
    machine.with(&server, &["embed"]).run().succeeds();
    let base = server.base().to_owned();
    drop(server);
    let mut host = host_of(&machine, &base);
    let recalled = host.calls("recall", json!({ "query": "Where is the dog?" }));
    let structured = &recalled["structuredContent"];
    assert_eq!(structured["episodes"][0]["text"], "The dog sleeps", "{recalled}");
    assert_eq!(structured["embedder"]["model"], "built-in");
    assert_eq!(structured["embedder"]["error"]["code"], "embedder_unreachable");
    let words = recalled["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("did not answer (embedder_unreachable); built-in did"), "{words}");
    let context = host.gets("get_context", turns("Where is the dog?"));
    assert!(context["context"].as_str().unwrap().contains("| The dog sleeps"), "{context}");
    assert_eq!(context["embedder"]["error"]["code"], "embedder_unreachable");
    assert_eq!(host.gets("remember", json!({ "text": "The cat sleeps" }))["is_new"], true);
    assert_eq!(host.texts("cat")[0], "The cat sleeps");
    host.leaves();
}

#[test]
fn a_silent_model_is_waited_for_once_and_retried_by_the_next_server() {
    let (machine, answering) = (with_records(0), server());
    machine.with(&answering, &["embed"]).run().succeeds();
    let silent = Server::script([Reply::Silence]);
    let mut host = host_of(&machine, silent.base());
    for _ in 0..3 {
        let recalled = host.gets("recall", json!({ "query": "Where is the dog?" }));
        assert_eq!(recalled["episodes"][0]["text"], "The dog sleeps", "{recalled}");
        assert_eq!(recalled["embedder"]["error"]["code"], "embedder_timed_out", "{recalled}");
        assert_eq!(silent.requests().len(), 1, "it is waited for again");
    }
    host.leaves();
    let mut host = host_of(&machine, answering.base());
    assert_eq!(host.gets("recall", json!({ "query": "hound" }))["embedder"]["model"], MODEL);
    host.leaves();
}
