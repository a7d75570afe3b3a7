//! Remote and downloaded models, tested against a local server that speaks their protocols.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "this crate is tests, its helpers too"
)]

mod https;
mod hub;
mod hub_server;
mod language;
mod remote;
mod server;
