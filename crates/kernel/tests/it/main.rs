//! The kernel from outside: its vectors, its rules, what is believed, and what holds for any input.

#![allow(clippy::unwrap_used, reason = "the lint knows test functions only, not their helpers")]

mod access;
mod beliefs;
mod cascade;
#[path = "../../examples/vectors/generate/mod.rs"]
mod generate;
mod graph_sizes;
mod properties;
mod rules;
mod vectors;
