//! The subgraph around some operations: what edges in force and inputs join them to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use kernel::body::EdgeType;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::Role;
use kernel::records::{Edge, RecordStatus, Records, is_record};
use kernel::when::When;
use serde::Serialize;
use store::StoreError;

use super::{EdgeView, RecordView, VALUES_RAW, edge_view, follow_to_latest, record_view};
use crate::belief::Bodies;
use crate::private::{Disclosure, Privacy};
use crate::{EngineError, Reader};

/// Most edges that are read at one end of one record.
const EDGES_READ_MAX: usize = 512;

/// How far a subgraph goes.
#[derive(Clone, Debug)]
pub struct SubgraphLimits {
    /// Edges between a root and what is furthest from it.
    pub depth: usize,
    /// Most records.
    pub nodes: usize,
    /// Most edges.
    pub edges: usize,
    /// Only over edges of these types; over all if empty.
    pub edge_types: Vec<EdgeType>,
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
            edge_types: Vec::new(),
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
    /// The records that say the same now as ends of edges that were displaced.
    #[serde(skip)]
    pub latest: BTreeMap<OpId, OpId>,
}

/// An edge in force between two records.
#[derive(Clone, Debug, PartialEq)]
pub struct JoiningEdge {
    /// The edge.
    pub edge: EdgeView,
    /// The record at its beginning: what says the same now, if that was displaced.
    pub from: OpId,
    /// The record at its end, likewise.
    pub to: OpId,
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

    /// The edges in force among some records, in the order of the records, at most `limits.edges`.
    pub fn edges_among(
        &self,
        ids: &[OpId],
        limits: &SubgraphLimits,
    ) -> Result<Vec<JoiningEdge>, EngineError> {
        let mut edges = self.at(limits.as_of_us, |index| edges_among(index, ids, limits))?;
        self.take_altered(&mut edges, |joining| Some(joining.edge.id))?;
        Ok(edges)
    }
}

/// The edges in force at a record, those that say most of why first: by their types, and of one
/// type the newest first. Also whether there are more.
pub(super) fn edges_of(
    records: &mut Records<'_, dyn Bodies + '_>,
    index: &dyn Bodies,
    id: &OpId,
) -> Result<(Vec<Edge>, bool), StoreError> {
    let mut found = Vec::new();
    let mut is_cut = false;
    for role in [Role::FROM, Role::TO] {
        let edges = index.acting(id, &Kind::Edge, role)?;
        is_cut |= edges.len() > EDGES_READ_MAX;
        for edge in edges.into_iter().take(EDGES_READ_MAX) {
            let Some(entry) = index.entry(&edge)? else { continue };
            if records.is_in_force(&entry)? {
                found.extend(Edge::of(entry));
            }
        }
    }
    let place = |edge: &Edge| EdgeType::ALL.iter().position(|of| *of == edge.edge_type);
    found.sort_by_key(|edge| (place(edge), std::cmp::Reverse(edge.entry.order())));
    Ok((found, is_cut))
}

/// What says the same now as an end of an edge; the end itself if it is not a record.
pub(super) fn latest_of_end(
    records: &mut Records<'_, dyn Bodies + '_>,
    index: &dyn Bodies,
    end: OpId,
) -> Result<Option<OpId>, StoreError> {
    let Some(mut entry) = index.entry(&end)? else { return Ok(None) };
    if is_record(&entry) {
        follow_to_latest(records, index, &mut entry)?;
    }
    Ok(Some(entry.id))
}

fn edges_among(
    index: &dyn Bodies,
    ids: &[OpId],
    limits: &SubgraphLimits,
) -> Result<Vec<JoiningEdge>, StoreError> {
    let mut records = Records::new(index);
    let mut privacy = Privacy::of(index);
    let shown: BTreeSet<OpId> = ids.iter().copied().collect();
    let mut seen: BTreeSet<OpId> = BTreeSet::new();
    let mut among = Vec::new();
    for id in ids {
        for joining in edges_of(&mut records, index, id)?.0 {
            if among.len() >= limits.edges {
                return Ok(among);
            }
            if !seen.insert(joining.entry.id) {
                continue;
            }
            let from = latest_of_end(&mut records, index, joining.from)?;
            let to = latest_of_end(&mut records, index, joining.to)?;
            let (Some(from), Some(to)) = (from, to) else { continue };
            let joins = from != to && shown.contains(&from) && shown.contains(&to);
            // Its notes may repeat what it was made from, and what its ends say.
            if !joins || privacy.is_withheld(&joining.entry.id, limits.disclosure)? {
                continue;
            }
            if let Some(mut edge) = edge_view(&mut records, index, &joining.entry)? {
                edge.withhold(&mut privacy, limits.disclosure)?;
                among.push(JoiningEdge { edge, from, to });
            }
        }
    }
    Ok(among)
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
        let (mut joining, is_cut) = edges_of(&mut records, index, &id)?;
        graph.cut |= is_cut;
        let is_asked = |of| limits.edge_types.is_empty() || limits.edge_types.contains(&of);
        joining.retain(|edge| is_asked(edge.edge_type));
        for edge in joining {
            if edges.len() >= limits.edges {
                graph.cut = true;
                break;
            }
            // What only a private source joins is not joined for others.
            if privacy.is_withheld(&edge.entry.id, limits.disclosure)? {
                continue;
            }
            edges.insert(edge.entry.id);
            for end in [edge.from, edge.to] {
                let Some(latest) = latest_of_end(&mut records, index, end)? else { continue };
                if latest != end {
                    graph.latest.insert(end, latest);
                }
                for end in [end, latest] {
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
        let mut joined = Vec::with_capacity(2);
        for end in [edge.from, edge.to] {
            let latest = graph.latest.get(&end).copied().filter(|_| !shown.contains(&end));
            let end = latest.unwrap_or(end);
            let is_left_out =
                !shown.contains(&end) && index.entry(&end)?.is_some_and(|end| is_record(&end));
            is_shown &= !is_left_out && !joined.contains(&end);
            joined.push(end);
        }
        if is_shown {
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
