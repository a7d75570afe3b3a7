//! The whole graph, one record and one edge at a time: what an export writes.
//!
//! Active nodes come first, then the active claims that edges join, then the edges in force between
//! two records that came. What is remembered is the ids of the records, not their texts.

use std::collections::HashSet;

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::operation::HlcTimestamp;
use kernel::records::{Edge, RecordStatus, Records, is_record};
use kernel::snapshot::Snapshot;
use store::StoreError;
use store::sqlite::{SqliteLedgerIndex, first_after};

use super::entity::aliases_of;
use super::neighbours::latest_of_end;
use super::{JoiningEdge, RecordView, VALUES_RAW, edge_view, is_valid, record_view};
use crate::belief::claims::is_of_family;
use crate::belief::{Bodies, body_of};
use crate::private::{Privacy, Viewpoint};
use crate::{EngineError, Reader};

/// What of the graph is wanted.
#[derive(Clone, Debug, Default)]
pub struct WholeGraph {
    /// Only records of these types or families of types, by name; of all if empty.
    pub types: Vec<String>,
    /// Who reads, and of which times.
    pub viewpoint: Viewpoint,
}

/// Takes a graph. An error ends it.
pub trait GraphSink {
    /// Whether a record is left out although the space has it.
    fn hides(&mut self, record: &RecordView) -> Result<bool, EngineError>;
    /// A record with its other names.
    fn record(&mut self, record: &RecordView, aliases: &[String]) -> Result<(), EngineError>;
    /// An edge between two records that came before.
    fn edge(&mut self, joining: &JoiningEdge) -> Result<(), EngineError>;
}

impl Reader<'_> {
    /// Passes the whole graph to `sink`, the newest first.
    pub fn whole_graph(
        &self,
        wanted: &WholeGraph,
        sink: &mut dyn GraphSink,
    ) -> Result<(), EngineError> {
        let mut failure = None;
        let mut shown = HashSet::new();
        for pass in [Pass::Nodes, Pass::Claims, Pass::Edges] {
            if failure.is_some() {
                break;
            }
            self.store.on_snapshot(|index: &SqliteLedgerIndex<'_>| {
                let then = wanted.viewpoint.as_of_us;
                let snapshot = then.map(|until| Snapshot::before(index, first_after(until)));
                let seen: &dyn Bodies = match &snapshot {
                    Some(snapshot) => snapshot,
                    None => index,
                };
                let mut walk = Walk {
                    index: seen,
                    records: Records::new(seen),
                    privacy: Privacy::of(seen),
                    wanted,
                    shown: &mut shown,
                    sink,
                };
                let kind = if pass == Pass::Nodes { Kind::Node } else { Kind::Edge };
                let until = HlcTimestamp(then.unwrap_or(u64::MAX));
                index.latest_records(&kind, None, None, until, |id| {
                    let Some(entry) = seen.entry(&id)? else { return Ok(true) };
                    match walk.take(pass, entry) {
                        Ok(()) => Ok(true),
                        Err(EngineError::Store(error)) => Err(error),
                        Err(error) => {
                            failure = Some(error);
                            Ok(false)
                        }
                    }
                })
            })?;
        }
        failure.map_or(Ok(()), Err)
    }
}

/// What a reading of the ledger passes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Nodes,
    /// The claims at the ends of edges.
    Claims,
    Edges,
}

struct Walk<'a> {
    index: &'a dyn Bodies,
    records: Records<'a, dyn Bodies + 'a>,
    privacy: Privacy<'a, dyn Bodies + 'a>,
    wanted: &'a WholeGraph,
    shown: &'a mut HashSet<OpId>,
    sink: &'a mut dyn GraphSink,
}

impl Walk<'_> {
    fn take(&mut self, pass: Pass, entry: Entry) -> Result<(), EngineError> {
        if pass == Pass::Nodes {
            return self.record(entry);
        }
        if !self.records.is_in_force(&entry)? {
            return Ok(());
        }
        let Some(edge) = Edge::of(entry) else { return Ok(()) };
        let from = latest_of_end(&mut self.records, self.index, edge.from)?;
        let to = latest_of_end(&mut self.records, self.index, edge.to)?;
        let (Some(from), Some(to)) = (from, to) else { return Ok(()) };
        // Between versions or names of one record.
        if from == to {
            return Ok(());
        }
        match pass {
            Pass::Edges => self.edge(&edge, from, to),
            _ => {
                for end in [from, to] {
                    if let Some(entry) = self.index.entry(&end)?
                        && entry.kind == Kind::Claim
                    {
                        self.record(entry)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn record(&mut self, entry: Entry) -> Result<(), EngineError> {
        let disclosure = self.wanted.viewpoint.disclosure;
        if self.shown.contains(&entry.id)
            || !is_record(&entry)
            || self.records.status_of(&entry)? != Some(RecordStatus::Active)
            || self.privacy.is_withheld(&entry.id, disclosure)?
        {
            return Ok(());
        }
        let Some(mut view) = record_view(&mut self.records, self.index, &entry)? else {
            return Ok(());
        };
        let types = &self.wanted.types;
        let is_wanted =
            types.is_empty() || types.iter().any(|of| is_of_family(&view.record_type, of));
        if !is_wanted
            || view.tags.iter().any(|tag| tag == VALUES_RAW)
            || !is_valid(&view, self.wanted.viewpoint.valid_at_us)
            || self.sink.hides(&view)?
        {
            return Ok(());
        }
        view.withhold(&mut self.privacy, disclosure)?;
        let aliases = self.names_of(&entry.id)?;
        self.shown.insert(entry.id);
        self.sink.record(&view, &aliases)
    }

    fn edge(&mut self, edge: &Edge, from: OpId, to: OpId) -> Result<(), EngineError> {
        let disclosure = self.wanted.viewpoint.disclosure;
        if !self.shown.contains(&from)
            || !self.shown.contains(&to)
            || self.privacy.is_withheld(&edge.entry.id, disclosure)?
        {
            return Ok(());
        }
        let Some(mut view) = edge_view(&mut self.records, self.index, &edge.entry)? else {
            return Ok(());
        };
        view.withhold(&mut self.privacy, disclosure)?;
        self.sink.edge(&JoiningEdge { edge: view, from, to })
    }

    /// The other names of a record.
    fn names_of(&mut self, id: &OpId) -> Result<Vec<String>, StoreError> {
        let mut names = Vec::new();
        for alias in aliases_of(&mut self.records, self.index, id)? {
            if self.privacy.is_withheld(&alias, self.wanted.viewpoint.disclosure)? {
                continue;
            }
            let Some(entry) = self.index.entry(&alias)? else { continue };
            let body = body_of(self.index, &alias, &entry.kind)?;
            names.extend(body.as_ref().map(crate::inspect::content_of));
        }
        Ok(names)
    }
}
