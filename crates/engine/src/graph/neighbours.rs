//! The subgraph around some operations: what edges in force and inputs join them to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::Role;
use kernel::records::{RecordStatus, Records, is_record};
use kernel::when::When;
use serde::Serialize;
use store::StoreError;

use super::{EdgeView, RecordView, VALUES_RAW, edge_view, record_view};
use crate::belief::Bodies;
use crate::private::{Disclosure, Privacy};
use crate::{EngineError, Reader};

/// How far a subgraph goes.
#[derive(Clone, Debug)]
pub struct SubgraphLimits {
    /// Edges between a root and what is furthest from it.
    pub depth: usize,
    /// Most records.
    pub nodes: usize,
    /// Most edges.
    pub edges: usize,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
    /// Only records that are true in the world at this time, microseconds since the Unix epoch.
    pub valid_at_us: Option<i64>,
    /// Who reads it.
    pub disclosure: Disclosure,
}

impl Default for SubgraphLimits {
    fn default() -> Self {
        Self {
            depth: 1,
            nodes: 40,
            edges: 80,
            as_of_us: None,
            valid_at_us: None,
            disclosure: Disclosure::Full,
        }
    }
}

/// Records and the edges among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Subgraph {
    /// The roots first, then by distance.
    pub records: Vec<RecordView>,
    /// The edges in force between two of them, or between one of them and an operation that is not
    /// a record.
    pub edges: Vec<EdgeView>,
    /// Whether a limit left something out.
    pub cut: bool,
}

impl Reader<'_> {
    /// What is around some operations. Only active records are added to the roots, and no values as
    /// they were given.
    pub fn subgraph(
        &self,
        roots: &[OpId],
        limits: &SubgraphLimits,
    ) -> Result<Subgraph, EngineError> {
        let mut graph = self.at(limits.as_of_us, |index| walk(index, roots, limits))?;
        let shown = self.take_altered(&mut graph.records, |record| Some(record.id))?;
        graph.cut |= !shown.is_empty();
        Ok(graph)
    }
}

fn walk(
    index: &dyn Bodies,
    roots: &[OpId],
    limits: &SubgraphLimits,
) -> Result<Subgraph, StoreError> {
    let mut records = Records::new(index);
    let mut privacy = Privacy::of(index);
    let mut graph = Subgraph::default();
    let mut distances: BTreeMap<OpId, usize> = BTreeMap::new();
    let mut edges: BTreeSet<OpId> = BTreeSet::new();
    let mut queue: VecDeque<OpId> = VecDeque::new();
    for root in roots {
        if distances.insert(*root, 0).is_none() {
            queue.push_back(*root);
        }
    }
    while let Some(id) = queue.pop_front() {
        let Some(entry) = index.entry(&id)? else { continue };
        let distance = distances.get(&id).copied().unwrap_or(0);
        if privacy.is_withheld(&id, limits.disclosure)? {
            continue;
        }
        if let Some(mut view) = record_view(&mut records, index, &entry)? {
            let is_active = view.status == Some(RecordStatus::Active.as_str());
            let is_raw = view.tags.iter().any(|tag| tag == VALUES_RAW);
            let is_served = is_active && !is_raw && is_valid(&view, limits.valid_at_us);
            if distance > 0 && !is_served {
                continue;
            }
            if graph.records.len() >= limits.nodes {
                graph.cut = true;
                break;
            }
            view.withhold(&mut privacy, limits.disclosure)?;
            graph.records.push(view);
        }
        if distance >= limits.depth {
            continue;
        }
        for role in [Role::FROM, Role::TO] {
            for edge in index.acting(&id, &Kind::Edge, role)? {
                if edges.len() >= limits.edges {
                    graph.cut = true;
                    break;
                }
                let Some(edge) = index.entry(&edge)? else { continue };
                if !records.is_in_force(&edge)? {
                    continue;
                }
                edges.insert(edge.id);
                for end in edge.cited(Role::FROM).chain(edge.cited(Role::TO)) {
                    if !distances.contains_key(&end)
                        && index.entry(&end)?.is_some_and(|end| is_record(&end))
                    {
                        distances.insert(end, distance.saturating_add(1));
                        queue.push_back(end);
                    }
                }
            }
        }
    }
    let shown: BTreeSet<OpId> = graph.records.iter().map(|record| record.id).collect();
    for id in edges {
        let Some(entry) = index.entry(&id)? else { continue };
        let Some(mut edge) = edge_view(&mut records, index, &entry)? else { continue };
        let mut is_shown = true;
        for end in [edge.from, edge.to] {
            let is_left_out =
                !shown.contains(&end) && index.entry(&end)?.is_some_and(|end| is_record(&end));
            is_shown &= !is_left_out;
        }
        // Its notes may repeat what it was made from, and what its ends say.
        if is_shown && !privacy.is_withheld(&edge.id, limits.disclosure)? {
            edge.withhold(&mut privacy, limits.disclosure)?;
            graph.edges.push(edge);
        }
    }
    Ok(graph)
}

/// Whether a record is true in the world at a time; at any time if none is asked for.
pub fn is_valid(record: &RecordView, at_us: Option<i64>) -> bool {
    let instant = |when: &Option<When>| when.as_ref().map(When::instant_us);
    at_us.is_none_or(|at| {
        instant(&record.valid_from).is_none_or(|from| from <= at)
            && instant(&record.valid_to).is_none_or(|to| at < to)
    })
}
