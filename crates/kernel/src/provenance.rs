//! What an operation was built from, down to the evidence.
//!
//! Source: the derivation model, "Provenance queries". The walk is depth first along the inputs in
//! the order in which their authors cited them, and lists each operation once, where it first
//! reaches it. It ends at evidence and at corrections: a correction is the user's own statement,
//! whatever it was made about.

use std::collections::HashSet;

use crate::id::OpId;
use crate::kind::Kind;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{Ref, Role};
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
    match index.entry(id)? {
        Some(entry) => walk(index, &entry, Below::Inputs),
        None => Ok(Vec::new()),
    }
}

/// What an operation of any kind was made from, down to the evidence: its provenance, and for what
/// has no inputs, what it cites. Of a correction this is the claim that it replaced, with what that
/// was made from; of a thought, the thoughts and records that it came from; of a decision about
/// something, that.
pub fn made_from<W: LedgerIndex + ?Sized>(index: &W, entry: &Entry) -> Result<Vec<Hop>, W::Error> {
    walk(index, entry, Below::Citations)
}

/// What an operation without inputs cites, but what it supersedes; empty of one with inputs.
pub fn cited_without_inputs(entry: &Entry) -> impl DoubleEndedIterator<Item = &Ref> {
    let has_inputs = input_refs(entry).next().is_some();
    let cited = entry.refs.iter().filter(|cited| cited.role.as_str() != Role::SUPERSEDES);
    cited.filter(move |_| !has_inputs)
}

/// What a walk follows below an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    /// Its inputs.
    Inputs,
    /// Its inputs, or what it cites if it has none. Below what is cited so, the same holds of
    /// thoughts, and of corrections, which may correct corrections.
    Citations,
}

fn walk<W: LedgerIndex + ?Sized>(
    index: &W,
    top: &Entry,
    below: Below,
) -> Result<Vec<Hop>, W::Error> {
    let mut hops = Vec::new();
    let mut seen = HashSet::from([top.id]);
    let mut stack = Vec::new();
    push(top, 1, below, &mut stack);
    while let Some((hop, below)) = stack.pop() {
        if !seen.insert(hop.id) {
            continue;
        }
        if let Some(entry) = index.entry(&hop.id)? {
            let is_like_top = entry.kind == top.kind
                && matches!(entry.kind, Kind::Thought | Kind::ClaimCorrection);
            let below = if is_like_top { below } else { Below::Inputs };
            push(&entry, hop.depth.saturating_add(1), below, &mut stack);
        }
        hops.push(hop);
    }
    Ok(hops)
}

fn push(entry: &Entry, depth: usize, below: Below, stack: &mut Vec<(Hop, Below)>) {
    let hop = |cited: &Ref| Hop { depth, id: cited.id, role: cited.role.as_str().to_owned() };
    stack.extend(input_refs(entry).rev().map(|cited| (hop(cited), Below::Inputs)));
    if below == Below::Citations {
        stack.extend(cited_without_inputs(entry).rev().map(|cited| (hop(cited), below)));
    }
}
