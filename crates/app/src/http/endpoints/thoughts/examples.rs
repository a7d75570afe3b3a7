//! Requests and answers of these endpoints, as the description shows them.

use serde_json::{Value, json};

const SIX: &str = "9f2c41d0-1b2c-8a3d-9e4f-5a6b7c8d9e0f";
const SEVEN: &str = "77aa0c12-5d6e-8f70-8192-a3b4c5d6e7f8";
const SESSION: &str = "f0e1d2c3-b4a5-4697-8877-665544332211";

pub(super) fn prompt() -> Value {
    json!({
        "prompt": "The kiln reaches cone six in eight hours when the lid is warm.",
        "agent_id": "kiln-watcher", "agent_name": "Kiln watcher", "refines": SIX,
    })
}

fn source() -> Value {
    json!({
        "thought_id": SIX, "contributor": "Mara", "score": 0.61,
        "content_preview": "The kiln reaches cone six in nine hours when the lid stays closed.",
        "refined_by": null, "superseded": false, "corrected_by": null,
        "tags": ["kiln"], "category": null, "topic": "firing",
    })
}

pub(super) fn memory() -> Value {
    let mut answer = queried();
    answer["trace"]["operations"] = json!(["retrieve", "contribute", "reinforce"]);
    answer["trace"]["thoughts_contributed"] = json!(1);
    answer["trace"]["contributed_thought_id"] = json!(SEVEN);
    answer["trace"]["contribution_threshold_met"] = json!(true);
    answer["trace"]["lineage_summary"] = json!({
        "has_lineage": true, "chain_length": 2, "deepest_ancestor": SIX, "latest_refinement": SEVEN,
    });
    answer
}

pub(super) fn query() -> Value {
    json!({
        "query": "How long does cone six take?", "agent_id": "kiln-watcher",
        "agent_name": "Kiln watcher",
    })
}

pub(super) fn queried() -> Value {
    let response = "[1] Mara: The kiln reaches cone six in nine hours when the lid stays closed. (score: 0.61)";
    json!({
        "result": {
            "response": response, "sources": [source()], "highways_nearby": [],
            "disambiguation": null, "guidance": null,
        },
        "trace": {
            "session_id": SESSION, "operations": ["retrieve", "reinforce"],
            "thoughts_retrieved": 1, "thoughts_contributed": 0, "contributed_thought_id": null,
            "contribution_threshold_met": false, "context_used": false,
            "retrieval_method": "words_and_meaning",
        },
    })
}

pub(super) fn content() -> Value {
    json!({
        "content": "Cone six, nine hours.", "agent_id": "kiln-watcher",
        "agent_name": "Kiln watcher", "tags": ["kiln"],
    })
}

pub(super) fn ingested() -> Value {
    json!({ "thought_id": SIX, "pheromone_weight": 1.0 })
}

pub(super) fn signal() -> Value {
    json!({ "session_id": SESSION, "thought_id": SIX, "signal": "useful" })
}

pub(super) fn weighed() -> Value {
    json!({ "thought_id": SIX, "pheromone_weight": 1.07 })
}

pub(super) fn id() -> Value {
    json!({ "id": SIX })
}

pub(super) fn thought() -> Value {
    json!({
        "thought_id": SIX,
        "id": "b3:9f2c41d01b2c5a3d1e4f5a6b7c8d9e0f9f2c41d01b2c5a3d1e4f5a6b7c8d9e0f",
        "thought_type": "original",
        "content": "The kiln reaches cone six in nine hours when the lid stays closed.",
        "context": null, "contributor_id": "mara", "contributor_name": "Mara",
        "created_at": "2026-03-01T12:00:00Z", "tags": ["kiln"], "category": null,
        "topic": "firing", "mark": "none", "source_ids": [], "refined_by": SEVEN,
        "corrected_by": null, "superseded": true, "pheromone_weight": 1.05,
        "access_count": 1, "accessed_by": 1, "co_retrieved": [],
    })
}

pub(super) fn labels() -> Value {
    json!({ "id": SIX, "tags": ["kiln"], "topic": "firing" })
}

pub(super) fn id_and_depth() -> Value {
    json!({ "id": SIX, "max_depth": 10 })
}

pub(super) fn lineage() -> Value {
    let node = |id: &str, of: &str, text: &str, sources: &[&str], depth: i64| {
        json!({
            "thought_id": id, "thought_type": of, "content_preview": text, "contributor": "Mara",
            "created_at": "2026-03-01T12:00:00Z", "source_ids": sources, "depth": depth,
        })
    };
    let chain = [
        node(SIX, "original", "The kiln reaches cone six in nine hours.", &[], 0),
        node(SEVEN, "refinement", "Eight hours when the lid is warm.", &[SIX], 1),
    ];
    json!({ "thought_id": SIX, "chain": chain, "truncated": false })
}

pub(super) fn share() -> Value {
    json!({ "id": SIX, "space": "team" })
}

pub(super) fn shared() -> Value {
    json!({ "thought_id": SEVEN })
}

pub(super) fn domains() -> Value {
    json!({ "domains": [
        { "topic": "firing", "thought_id": SEVEN, "content_preview": "How we fire, in short." },
    ]})
}
