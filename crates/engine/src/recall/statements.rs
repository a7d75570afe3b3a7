//! Leaves out the statements of claims, nodes and edges that no longer stand.
//!
//! A claim, node or edge that is stated without a source cites a record of its own that says the
//! same. Nobody asked for that record, so recall finds it only while something made from it stands
//! and is true at the time of the question. Otherwise a claim that was refuted,
//! retracted, corrected or replaced would still be found, by the words of its statement. A question
//! as of an earlier time sees what stood at that time.

use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::records::{RecordStatus, Records};
use store::StoreError;

use crate::belief::{Bodies, body_of};
use crate::graph::{record_view, repeats_others};
use crate::recall::past::StatedTimes;
use crate::write::graph::is_statement;

/// Tells which records are statements of what no longer stands, in one state of the ledger. It
/// remembers what it found of claims, nodes and edges.
pub(super) struct Statements<'w> {
    index: &'w dyn Bodies,
    records: Records<'w, dyn Bodies + 'w>,
    times: Option<StatedTimes>,
}

impl<'w> Statements<'w> {
    /// Of the ledger as it was at the time of the question. What was stated must be true in the
    /// world at these times; at any time if none.
    pub(super) fn of(index: &'w dyn Bodies, times: Option<StatedTimes>) -> Self {
        Self { index, records: Records::new(index), times }
    }

    /// Whether a record is the statement of claims, nodes or edges none of which stood.
    pub(super) fn is_obsolete(
        &mut self,
        id: &OpId,
        evidence: &Evidence,
    ) -> Result<bool, StoreError> {
        if !is_statement(evidence) {
            return Ok(false);
        }
        let mut is_obsolete = false;
        for citing in self.index.citing(id)? {
            if !citing.kind.spec().is_input(&citing.role) {
                continue;
            }
            let Some(entry) = self.index.entry(&citing.id)? else { continue };
            let stands = match entry.kind {
                Kind::Edge => is_told_by(self.index, &mut self.records, &entry)?,
                _ => self.stands(&entry)?,
            };
            match stands {
                Some(true) => return Ok(false),
                Some(false) => is_obsolete = true,
                None => {}
            }
        }
        Ok(is_obsolete)
    }

    /// Whether a claim or node stands, if it is made from its statement.
    fn stands(&mut self, entry: &Entry) -> Result<Option<bool>, StoreError> {
        let (index, records) = (self.index, &mut self.records);
        let Some(status) = records.status_of(entry)? else { return Ok(None) };
        if entry.kind == Kind::Node
            && let Some(Body::Node(node)) = body_of(index, &entry.id, &Kind::Node)?
            && node.node_type.is_some_and(|of| {
                repeats_others(of.as_str(), node.tags.as_deref().unwrap_or_default())
            })
        {
            return Ok(None);
        }
        if !matches!(status, RecordStatus::Active | RecordStatus::Alias) {
            return Ok(Some(false));
        }
        if let Some(key) = &entry.identity
            && records.validity().standing(key)?.correction.is_some()
        {
            return Ok(Some(false));
        }
        let Some(times) = &self.times else { return Ok(Some(true)) };
        let view = record_view(records, index, entry)?;
        Ok(Some(view.is_none_or(|view| times.admit_record(&view))))
    }
}

/// Whether the statement of an edge says something that somebody looks for: the edge is in force
/// and has notes. Without them, it names two ids.
fn is_told_by(
    index: &dyn Bodies,
    records: &mut Records<'_, dyn Bodies + '_>,
    edge: &Entry,
) -> Result<Option<bool>, StoreError> {
    if !records.is_in_force(edge)? {
        return Ok(Some(false));
    }
    Ok(Some(match body_of(index, &edge.id, &Kind::Edge)? {
        Some(Body::Edge(edge)) => edge.notes.is_some_and(|notes| !notes.trim().is_empty()),
        _ => false,
    }))
}
