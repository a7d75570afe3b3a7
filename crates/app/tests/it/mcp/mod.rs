//! The MCP server, driven line by line by well-behaved and faulty hosts.

mod agents;
mod clock;
mod embedding_models;
mod graph;
pub(crate) mod host;
mod inner_voice;
mod maintenance;
mod observe;
mod protocol;
mod receipts;
mod replaced;
mod spaces_of_others;
mod stale_logs;
mod tools;
