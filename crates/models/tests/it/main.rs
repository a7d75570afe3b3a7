//! Models that others run and models that are fetched, against a server on this machine that speaks
//! their protocols.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "this crate is tests, its helpers too"
)]

mod https;
mod hub;
mod hub_server;
mod remote;
mod server;
