//! What is wrong in a space without being damage: edges of which an end is gone, and an erasure
//! that is not finished.

use kernel::id::OpId;
use kernel::ledger_index::LedgerIndex;
use kernel::validity::Validity;

use crate::graph::EdgeFilter;
use crate::private::Disclosure;
use crate::{EngineError, Reader};

/// What is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Edges in force of which an end was retracted or has no content here.
    pub orphans: Vec<OpId>,
    /// Edges that were looked at.
    pub edges: u64,
    /// Whether there are more edges.
    pub has_more: bool,
    /// Whether free pages or the write-ahead log may hold what was erased.
    pub is_erasure_due: bool,
}

impl Reader<'_> {
    /// What is wrong, among at most `limit` edges that a reader may see, the newest first.
    pub fn health(&self, limit: usize, disclosure: Disclosure) -> Result<Health, EngineError> {
        let filter = EdgeFilter { disclosure, ..EdgeFilter::default() };
        let listed = self.edges(&filter, limit)?;
        let is_erasure_due = self.store.is_erasure_due()?;
        self.store.on_snapshot(|index| {
            let validity = Validity::new(index);
            let mut health = Health {
                edges: listed.items.len() as u64,
                has_more: listed.more,
                is_erasure_due,
                ..Health::default()
            };
            for edge in &listed.items {
                for end in [edge.from, edge.to] {
                    let is_gone = match index.entry(&end)? {
                        Some(entry) => index.lacks_body(&end)? || validity.is_retracted(&entry)?,
                        None => true,
                    };
                    if is_gone {
                        health.orphans.push(edge.id);
                        break;
                    }
                }
            }
            Ok(health)
        })
    }
}
