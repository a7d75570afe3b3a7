//! The shortest path between two records over edges in force.

use std::collections::{BTreeMap, VecDeque};

use kernel::body::EdgeType;
use kernel::id::OpId;
use kernel::records::{Edge, RecordStatus, Records, is_record};
use serde::Serialize;
use store::StoreError;

use super::neighbours::{edges_of, latest_of_end};
use super::{EdgeView, RecordView, VALUES_RAW, edge_view, is_valid, record_view};
use crate::belief::Bodies;
use crate::private::{Privacy, Viewpoint};
use crate::{EngineError, Reader};

/// How far a path is looked for.
#[derive(Clone, Debug)]
pub struct PathLimits {
    /// Most edges of the path.
    pub depth: usize,
    /// Most records that are looked at.
    pub records: usize,
    /// Only over edges of these types; over all if empty.
    pub edge_types: Vec<EdgeType>,
    /// Who reads, and of which times.
    pub viewpoint: Viewpoint,
}

impl Default for PathLimits {
    fn default() -> Self {
        Self { depth: 6, records: 10_000, edge_types: Vec::new(), viewpoint: Viewpoint::default() }
    }
}

/// A path, if one was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GraphPath {
    /// The records in the order of the path; empty if there is none.
    pub records: Vec<RecordView>,
    /// The edges between them: one less, each in its own direction.
    pub edges: Vec<EdgeView>,
    /// Whether a limit ended the search, so that there may be a path that was not found.
    pub cut: bool,
}

impl Reader<'_> {
    /// The path of the fewest edges between two records, whichever way the edges point. If
    /// more than one is that short, the one whose edges say most about why.
    pub fn path_between(
        &self,
        from: &OpId,
        to: &OpId,
        limits: &PathLimits,
    ) -> Result<GraphPath, EngineError> {
        let mut path = self.at(limits.viewpoint.as_of_us, |index| find(index, from, to, limits))?;
        let altered = self.take_altered(&mut path.records, |record| Some(record.id))?;
        match altered.is_empty() {
            true => Ok(path),
            false => Ok(GraphPath { cut: true, ..GraphPath::default() }),
        }
    }
}

/// The search so far.
struct Search<'a> {
    index: &'a dyn Bodies,
    records: Records<'a, dyn Bodies + 'a>,
    privacy: Privacy<'a, dyn Bodies + 'a>,
    limits: &'a PathLimits,
    /// How each record was reached: from which, over which edge, after how many.
    reached: BTreeMap<OpId, Option<(OpId, Edge, usize)>>,
    is_cut: bool,
}

fn find(
    index: &dyn Bodies,
    from: &OpId,
    to: &OpId,
    limits: &PathLimits,
) -> Result<GraphPath, StoreError> {
    let mut records = Records::new(index);
    let from = latest_of_end(&mut records, index, *from)?;
    let to = latest_of_end(&mut records, index, *to)?;
    let (Some(from), Some(to)) = (from, to) else { return Ok(GraphPath::default()) };
    let mut privacy = Privacy::of(index);
    // What stands for something that is shown need not be shown itself.
    for end in [&from, &to] {
        if privacy.is_withheld(end, limits.viewpoint.disclosure)? {
            return Ok(GraphPath::default());
        }
    }
    let reached = BTreeMap::from([(from, None)]);
    let mut search = Search { index, records, privacy, limits, reached, is_cut: false };
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            return search.path_to(to);
        }
        search.spread(at, &mut queue)?;
    }
    Ok(GraphPath { cut: search.is_cut, ..GraphPath::default() })
}

impl Search<'_> {
    /// Reaches the records at the other ends of a record's edges.
    fn spread(&mut self, at: OpId, queue: &mut VecDeque<OpId>) -> Result<(), StoreError> {
        let (edges, is_cut) = edges_of(&mut self.records, self.index, &at)?;
        self.is_cut |= is_cut;
        let steps = match self.reached.get(&at) {
            Some(Some((_, _, steps))) => *steps,
            _ => 0,
        };
        for edge in edges {
            let asked = &self.limits.edge_types;
            if !asked.is_empty() && !asked.contains(&edge.edge_type) {
                continue;
            }
            for end in [edge.from, edge.to] {
                let end = latest_of_end(&mut self.records, self.index, end)?;
                let Some(end) = end.filter(|end| !self.reached.contains_key(end)) else {
                    continue;
                };
                if !self.is_open(&end, &edge)? {
                    continue;
                }
                if steps >= self.limits.depth || self.reached.len() >= self.limits.records {
                    self.is_cut = true;
                    continue;
                }
                self.reached.insert(end, Some((at, edge.clone(), steps.saturating_add(1))));
                queue.push_back(end);
            }
        }
        Ok(())
    }

    /// Whether a path may go over an edge to a record.
    fn is_open(&mut self, id: &OpId, edge: &Edge) -> Result<bool, StoreError> {
        let viewpoint = self.limits.viewpoint;
        let Some(entry) = self.index.entry(id)?.filter(is_record) else { return Ok(false) };
        if self.records.status_of(&entry)? != Some(RecordStatus::Active)
            || self.privacy.is_withheld(id, viewpoint.disclosure)?
            || self.privacy.is_withheld(&edge.entry.id, viewpoint.disclosure)?
        {
            return Ok(false);
        }
        let view = record_view(&mut self.records, self.index, &entry)?;
        Ok(view.is_some_and(|view| {
            is_valid(&view, viewpoint.valid_at_us) && !view.tags.iter().any(|tag| tag == VALUES_RAW)
        }))
    }

    fn path_to(mut self, to: OpId) -> Result<GraphPath, StoreError> {
        let mut path = GraphPath { cut: self.is_cut, ..GraphPath::default() };
        let mut at = Some(to);
        while let Some(id) = at {
            let disclosure = self.limits.viewpoint.disclosure;
            let entry = self.index.entry(&id)?;
            let view = match entry {
                Some(entry) => record_view(&mut self.records, self.index, &entry)?,
                None => None,
            };
            if let Some(mut view) = view {
                view.withhold(&mut self.privacy, disclosure)?;
                path.records.push(view);
            }
            at = match self.reached.remove(&id).flatten() {
                Some((before, edge, _)) => {
                    let view = edge_view(&mut self.records, self.index, &edge.entry)?;
                    if let Some(mut view) = view {
                        view.withhold(&mut self.privacy, disclosure)?;
                        path.edges.push(view);
                    }
                    Some(before)
                }
                None => None,
            };
        }
        path.records.reverse();
        path.edges.reverse();
        Ok(path)
    }
}
