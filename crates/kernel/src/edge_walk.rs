//! Whether edges in force of one type lead from one operation to another.
//!
//! Every replacement and every redirect is asked this before it is recorded, and a text that is
//! replaced again and again has a long chain behind it. So the walk starts at both ends and takes
//! one edge of each in turn. It ends when one side has no edges left, which a new record has at
//! once: the cost is that of the smaller side.

use std::collections::HashSet;

use crate::body::EdgeType;
use crate::id::OpId;
use crate::kind::Kind;
use crate::ledger_index::LedgerIndex;
use crate::operation::Role;
use crate::records::{Edge, Records};

/// What was reached from one end so far.
struct Side {
    /// The role in which edges cite the operation that they are followed from.
    role: &'static str,
    reached: HashSet<OpId>,
    /// Reached, and not followed yet.
    pending: Vec<OpId>,
    /// The edges of the operation that is being followed.
    edges: std::vec::IntoIter<OpId>,
}

/// What one step of a side came to.
enum Step {
    Reached(OpId),
    Nothing,
    Exhausted,
}

impl Side {
    fn new(start: OpId, role: &'static str) -> Self {
        let (reached, pending) = (HashSet::from([start]), vec![start]);
        Self { role, reached, pending, edges: Vec::new().into_iter() }
    }

    /// Follows one edge.
    fn step<W: LedgerIndex + ?Sized>(
        &mut self,
        edge_type: EdgeType,
        records: &mut Records<'_, W>,
        index: &W,
    ) -> Result<Step, W::Error> {
        let edge = loop {
            if let Some(edge) = self.edges.next() {
                break edge;
            }
            let Some(next) = self.pending.pop() else { return Ok(Step::Exhausted) };
            self.edges = index.acting(&next, &Kind::Edge, self.role)?.into_iter();
        };
        let Some(edge) = index.entry(&edge)?.and_then(Edge::of) else { return Ok(Step::Nothing) };
        if edge.edge_type != edge_type || !records.is_in_force(&edge.entry)? {
            return Ok(Step::Nothing);
        }
        let next = if self.role == Role::FROM { edge.to } else { edge.from };
        if !self.reached.insert(next) {
            return Ok(Step::Nothing);
        }
        self.pending.push(next);
        Ok(Step::Reached(next))
    }
}

/// Whether edges in force of a type lead from one operation to another.
pub(crate) fn leads<W: LedgerIndex + ?Sized>(
    edge_type: EdgeType,
    from: &OpId,
    to: &OpId,
    records: &mut Records<'_, W>,
    index: &W,
) -> Result<bool, W::Error> {
    if from == to {
        return Ok(true);
    }
    let (mut near, mut far) = (Side::new(*from, Role::FROM), Side::new(*to, Role::TO));
    loop {
        match near.step(edge_type, records, index)? {
            Step::Reached(id) if far.reached.contains(&id) => return Ok(true),
            Step::Exhausted => return Ok(false),
            Step::Reached(_) | Step::Nothing => std::mem::swap(&mut near, &mut far),
        }
    }
}
