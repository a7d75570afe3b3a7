//! Every endpoint that answers JSON with JSON.

use super::endpoint::Endpoint;

mod beliefs;
mod changes;
mod context;
mod forgetting;
mod graph;
mod inner_voice;
mod maintenance;
mod patches;
mod recall;
mod remember;
mod reviews;
mod selecting;
mod status;
mod thoughts;
mod why;

pub(super) use thoughts::THOUGHTS;

/// Largest body of a patch, bytes.
const PATCH_BYTES_MAX: u64 = 16 << 20;
/// Largest body of a context, bytes: turns, tool results and instructions.
const CONTEXT_BYTES_MAX: u64 = 16 << 20;

/// The endpoints.
pub(super) fn all() -> Vec<Endpoint> {
    let mut endpoints = vec![
        Endpoint::post("/api/v1/recall", "Answer a question with facts and records", recall::run),
        Endpoint::post("/api/v1/inner-voice", "Answer in cited sentences", inner_voice::run),
        Endpoint::post("/api/v1/context", "Assemble what a model reads next", context::run)
            .up_to(CONTEXT_BYTES_MAX),
        Endpoint::post("/api/v1/explain", "Explain a belief or a record", beliefs::explain),
        Endpoint::post("/api/v1/why", "Find the fewest claims that hold something up", why::run),
        Endpoint::post("/api/v1/what-if", "See what would follow", changes::what_if),
        Endpoint::get("/api/v1/claims", "List beliefs", beliefs::list),
        Endpoint::post("/api/v1/remember", "Write one thing down", remember::run),
        Endpoint::post("/api/v1/correct", "Replace a belief or a record", changes::correct),
        Endpoint::post("/api/v1/refute", "Mark a belief as false", changes::refute),
        Endpoint::post("/api/v1/withdraw", "Take back a correction", changes::withdraw),
        Endpoint::post("/api/v1/retract", "Take records back", changes::retract),
        Endpoint::post("/api/v1/restore", "Take a retraction back", changes::restore),
        Endpoint::get("/api/v1/graph/search", "Find entities by words", graph::search),
        Endpoint::get("/api/v1/graph/show", "Show a record with its edges", graph::show),
        Endpoint::get("/api/v1/graph/neighbours", "What is around a record", graph::neighbours),
        Endpoint::get("/api/v1/graph/path", "The shortest path between records", graph::path),
        Endpoint::get("/api/v1/graph/export", "Write the graph in a format", graph::export),
        Endpoint::get("/api/v1/graph/candidates", "List candidates", graph::candidates),
        Endpoint::post("/api/v1/graph/moderate", "Decide candidates", graph::moderate),
        Endpoint::get("/api/v1/reviews", "List what awaits a decision", reviews::list),
        Endpoint::post("/api/v1/reviews/{id}", "Accept or dismiss a review", reviews::decide),
        Endpoint::get("/api/v1/patches", "List patches", patches::list),
        Endpoint::post("/api/v1/patches", "Propose a patch", patches::propose)
            .up_to(PATCH_BYTES_MAX),
        Endpoint::post("/api/v1/patches/context", "What a patch may start from", patches::context),
        Endpoint::post("/api/v1/patches/check", "Check a patch", patches::check)
            .up_to(PATCH_BYTES_MAX),
        Endpoint::post("/api/v1/patches/apply", "Apply a patch", patches::apply)
            .up_to(PATCH_BYTES_MAX),
        Endpoint::post("/api/v1/patches/revert", "Take a patch back", patches::revert),
        Endpoint::post("/api/v1/forget", "Erase records", forgetting::run),
        Endpoint::post("/api/v1/maintenance", "Look after a space", maintenance::run),
        Endpoint::get("/api/v1/status", "Describe a space", status::run),
    ];
    endpoints.extend(thoughts::all());
    endpoints
}
