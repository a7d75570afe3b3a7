//! The MCP server, driven line by line by well-behaved and faulty hosts.

mod agents;
mod embedding_models;
mod host;
mod protocol;
mod tools;
