//! Values and rules of `because`: what an operation is, when it may be appended, and what follows
//! from a set of operations.
//!
//! Nothing here reads a clock, draws a random number, does I/O or waits. Everything is a function
//! of its arguments, so that two machines given the same operations come to the same beliefs, and
//! so that this crate alone can verify an exported ledger.

pub mod access;
pub mod body;
pub mod canonical;
pub mod cascade;
pub mod confidence;
pub mod declaration;
mod edge_walk;
pub mod evidence;
pub mod id;
pub mod identity;
pub mod invalidation;
pub mod kind;
pub mod kind_spec;
pub mod ledger_index;
pub mod local_names;
pub mod malformed;
pub mod membership;
pub mod missing_body;
pub mod operation;
pub mod proposal;
pub mod provenance;
pub mod records;
pub mod redaction;
pub mod refs;
pub mod rule_violation;
pub mod rules;
pub mod seal;
pub mod snapshot;
pub mod soundness;
pub mod validity;
mod weak_key;
pub mod when;
