//! The program as a new user meets it and as an attacker would treat it.
//!
//! Every test runs the built binary in its own folders, or opens the files it wrote. [`machine`]
//! provides such an environment and holds every run to the same rules: it ends by itself and in
//! time, with a documented exit code and without a panic.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "this crate is tests, its helpers too"
)]

mod agreed_settings;
mod beliefs;
mod bodies;
mod cli_docs;
mod clocks;
mod commands;
mod configuration;
mod conformance;
mod context;
mod crash_recovery;
mod device_keys;
mod disk_limits;
mod effective;
mod embeddings;
mod facts;
mod flipped_bits;
mod forgetting;
mod goldens;
mod graph;
mod hostile_files;
mod hostile_queries;
mod hosts;
mod http;
#[path = "../../../models/tests/it/hub_server.rs"]
mod hub_server;
mod id_prefixes;
mod import_mi;
mod invalid_requests;
mod knowledge;
mod language_models;
mod learning;
mod ledger_exchange;
mod machine;
mod maintenance;
mod mcp;
mod me;
mod mining;
mod model_requests;
mod models;
mod moderation;
mod outdated;
mod patches;
mod private;
mod processes;
#[cfg(unix)] // It shows a shell.
mod questions;
mod readme;
mod retraction;
mod samples;
mod secrets;
#[path = "../../../models/tests/it/server.rs"]
mod server;
mod space_lookup;
mod terminal;
#[cfg(unix)] // It runs a shell.
mod times;
mod transcripts;
mod trust;
mod values;
mod verify_beliefs;
mod why;
