//! A project's space over the home space: which records and edges of the home space the project has
//! itself.
//!
//! Ids differ between spaces, so records are compared by type and text, and edges by the texts of
//! their ends. A copy in the project hides the one in the home space whatever became of it: what
//! the project refuted or replaced does not come back from there. Only where the project took its
//! copy back, or the copy fell with its sources, does the other one show again. What a key wrote
//! that may not correct, an agent's, hides only what it repeats: it takes nothing of the user's out
//! of sight, until the user replaces or corrects it.

use kernel::access::Place;
use kernel::body::EdgeType;
use kernel::identity::text_key;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::Entry;
use kernel::operation::Role;
use kernel::records::{Edge, RecordStatus, Records};
use store::StoreError;

use crate::belief::{Belief, Bodies};
use crate::graph::{EdgeView, RecordView, record_view};
use crate::{EngineError, Reader};

/// Versions of one text that are looked at for an edge.
const VERSIONS_MAX: usize = 64;

/// A claim or a node by its type and text, which is the same in every space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordKey {
    kind: Kind,
    key: String,
}

impl RecordKey {
    /// Of an identity.
    pub fn of_identity(key: &str) -> Self {
        Self { kind: Kind::Claim, key: key.to_owned() }
    }

    /// Of a belief.
    pub fn of_belief(belief: &Belief) -> Self {
        Self::of_identity(&belief.key)
    }

    /// Of a claim or a node.
    pub fn of_record(record: &RecordView) -> Self {
        match &record.key {
            Some(key) => Self { kind: Kind::Claim, key: key.clone() },
            None => Self { kind: Kind::Node, key: text_key(&record.record_type, &record.text) },
        }
    }
}

/// An edge by its type and the texts of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeKey {
    edge_type: &'static str,
    from: RecordKey,
    to: RecordKey,
}

impl Reader<'_> {
    /// Which of some records of the home space this space hides, now or as of a time.
    pub fn hides_records(
        &self,
        keys: &[RecordKey],
        as_of_us: Option<u64>,
    ) -> Result<Vec<bool>, EngineError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.at(as_of_us, |index| {
            let mut records = Records::new(index);
            let hides = |RecordKey { kind, key }: &RecordKey| {
                let Some(latest) = records.latest_version(kind, key)? else { return Ok(false) };
                let status = records.status_of(&latest)?;
                let displacing = match status {
                    None | Some(RecordStatus::Retracted | RecordStatus::Invalidated) => {
                        return Ok(false);
                    }
                    Some(RecordStatus::Refuted) => return Ok(true),
                    Some(RecordStatus::Superseded) => Some((EdgeType::Supersedes, Role::TO)),
                    Some(RecordStatus::Alias) => Some((EdgeType::SameAs, Role::FROM)),
                    Some(RecordStatus::Active) => None,
                };
                let access = index.access()?;
                let is_users = |entry: &Entry| {
                    let place = Place { order: entry.order(), seq: entry.seq };
                    access.holds(&entry.author, Capability::Correct, place)
                };
                if is_users(&latest) {
                    return Ok(true);
                }
                if let Some((edge_type, role)) = displacing {
                    let edges = records.edges(edge_type, role, &latest.id)?;
                    return Ok(edges.iter().any(|edge| is_users(&edge.entry)));
                }
                let view = record_view(&mut records, index, &latest)?;
                Ok(view.is_some_and(|it| {
                    it.corrected_by.is_some() || it.valid_from.is_none() && it.valid_to.is_none()
                }))
            };
            keys.iter().map(hides).collect()
        })
    }

    /// The keys of edges, by which another space finds the same ones; none for one that does not
    /// join two records.
    pub fn edge_keys(
        &self,
        edges: &[EdgeView],
        as_of_us: Option<u64>,
    ) -> Result<Vec<Option<EdgeKey>>, EngineError> {
        self.at(as_of_us, |index| {
            let mut records = Records::new(index);
            let mut key = |id| {
                let Some(entry) = index.entry(id)? else { return Ok(None) };
                let view = record_view(&mut records, index, &entry)?;
                Ok::<_, StoreError>(view.as_ref().map(RecordKey::of_record))
            };
            let mut keys = Vec::with_capacity(edges.len());
            for edge in edges {
                let ends = (key(&edge.from)?, key(&edge.to)?);
                keys.push(match ends {
                    (Some(from), Some(to)) => Some(EdgeKey { edge_type: edge.edge_type, from, to }),
                    _ => None,
                });
            }
            Ok(keys)
        })
    }

    /// Which of some edges of the home space this space hides, now or as of a time: it has the same
    /// edge in force between records that say the same.
    pub fn hides_edges(
        &self,
        keys: &[Option<EdgeKey>],
        as_of_us: Option<u64>,
    ) -> Result<Vec<bool>, EngineError> {
        self.at(as_of_us, |index| {
            let mut records = Records::new(index);
            keys.iter()
                .map(|key| match key {
                    Some(key) => has_edge(&mut records, index, key),
                    None => Ok(false),
                })
                .collect()
        })
    }
}

fn has_edge(
    records: &mut Records<'_, dyn Bodies + '_>,
    index: &dyn Bodies,
    key: &EdgeKey,
) -> Result<bool, StoreError> {
    let mut before = None;
    let EdgeKey { edge_type, from, to } = key;
    for _ in 0..VERSIONS_MAX {
        let Some(version) = index.latest_of(&from.key, &from.kind, before)? else { break };
        before = Some(version.order());
        for edge in index.acting(&version.id, &Kind::Edge, Role::FROM)? {
            let Some(entry) = index.entry(&edge)? else { continue };
            let Some(edge) = Edge::of(entry) else { continue };
            if edge.edge_type.as_str() != *edge_type {
                continue;
            }
            let Some(end) = index.entry(&edge.to)? else { continue };
            let view = record_view(records, index, &end)?;
            if view.is_some_and(|view| RecordKey::of_record(&view) == *to)
                && records.is_in_force(&edge.entry)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
