//! The MCP server, driven line by line by well-behaved and faulty hosts.

mod embedding_models;
mod host;
mod protocol;
mod receipts;
mod tools;
