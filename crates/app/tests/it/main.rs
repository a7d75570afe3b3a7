//! The program as a stranger meets it and as an enemy would treat it.
//!
//! Every test runs the built binary in folders of its own, or opens the files it wrote. [`machine`]
//! makes such a machine and holds every run to the same rules: it ends by itself and in time, with
//! a known exit code and without a panic.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "this crate is tests, its helpers too"
)]

mod accesses;
mod cli_docs;
mod commands;
mod conformance;
mod contexts;
mod embeddings;
mod exchanges;
mod facts;
mod flipped_bits;
mod goldens;
mod hostile_files;
mod hosts;
#[path = "../../../models/tests/it/hub_server.rs"]
mod hub_server;
mod killed;
mod machine;
mod mcp;
mod models;
mod names;
mod places;
mod processes;
mod proofs;
mod questions;
#[cfg(unix)] // It shows a shell.
mod readme;
mod refusals;
mod samples;
mod scarcity;
mod secrets;
#[path = "../../../models/tests/it/server.rs"]
mod server;
mod settings;
mod terminal;
#[cfg(unix)] // It runs a shell.
mod transcripts;
mod words;
