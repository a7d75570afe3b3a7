//! The kernel from outside: its vectors, its rules, what is believed, and what holds for any input.

mod beliefs;
#[path = "../../examples/vectors/generate/mod.rs"]
mod generate;
mod properties;
mod rules;
mod vectors;
