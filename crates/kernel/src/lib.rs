//! Values and rules of `because`: what an operation is, when it may be written, what follows from a set of them.
//!
//! Nothing here reads a clock, draws a random number, does I/O or waits. Everything is a function of its
//! arguments, so that two machines given the same operations come to the same beliefs, and so that this crate
//! alone can verify an exported ledger.

pub mod evidence;
pub mod question;
pub mod rank;
pub mod text;
pub mod when;
