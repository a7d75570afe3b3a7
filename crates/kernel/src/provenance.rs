//! What an operation was built from, down to the evidence.
//!
//! Source: the derivation model, "Provenance queries". The walk is depth first along the inputs in
//! the order in which their authors cited them, and lists each operation once, where it first
//! reaches it. It ends at evidence and at corrections: a correction is the user's own statement,
//! whatever it was made about.

use std::collections::HashSet;

use crate::id::OpId;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::validity::input_refs;

/// One operation that another was built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The number of citations in between; direct inputs are at 1.
    pub depth: usize,
    /// The operation.
    pub id: OpId,
    /// As what it was cited.
    pub role: String,
}

/// Everything below an operation, without the operation itself.
pub fn provenance<W: LedgerIndex + ?Sized>(index: &W, id: &OpId) -> Result<Vec<Hop>, W::Error> {
    let mut hops = Vec::new();
    let mut seen = HashSet::from([*id]);
    let mut stack = Vec::new();
    if let Some(entry) = index.entry(id)? {
        push_inputs(&entry, 1, &mut stack);
    }
    while let Some(hop) = stack.pop() {
        if !seen.insert(hop.id) {
            continue;
        }
        if let Some(entry) = index.entry(&hop.id)? {
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
