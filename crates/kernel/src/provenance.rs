//! What a claim was built from, down to what was told.
//!
//! Source: the derivation model, "Provenance queries". The walk goes depth first along the inputs
//! in the order in which their authors named them, and names each operation once, where it first
//! comes to it. It goes through claims only: evidence is the ground, and so is a correction, which
//! is the user's own word whatever it was said about.

use std::collections::HashSet;

use crate::id::OpId;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::validity::input_refs;

/// One operation that a claim was built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// How many citations lie between; the claim's own inputs are at 1.
    pub depth: usize,
    /// The operation.
    pub id: OpId,
    /// As what it was cited.
    pub role: String,
}

/// Everything below an operation, without itself.
pub fn provenance<W: LedgerIndex + ?Sized>(world: &W, id: &OpId) -> Result<Vec<Hop>, W::Error> {
    let mut hops = Vec::new();
    let mut seen = HashSet::from([*id]);
    let mut stack = Vec::new();
    if let Some(entry) = world.entry(id)? {
        push_inputs(&entry, 1, &mut stack);
    }
    while let Some(hop) = stack.pop() {
        if !seen.insert(hop.id) {
            continue;
        }
        if let Some(entry) = world.entry(&hop.id)? {
            push_inputs(&entry, hop.depth.saturating_add(1), &mut stack);
        }
        hops.push(hop);
    }
    Ok(hops)
}

fn push_inputs(entry: &Entry, depth: usize, stack: &mut Vec<Hop>) {
    stack.extend(input_refs(entry).rev().map(|reference| Hop {
        depth,
        id: reference.id,
        role: reference.role.as_str().to_owned(),
    }));
}
