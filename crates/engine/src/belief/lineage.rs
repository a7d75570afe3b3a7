//! Explains what is not a belief: evidence, nodes, edges, thoughts and any other operation.
//!
//! The answer is the operation as it stands, what it was made from, what edges in force say of it,
//! and what cites it. Beliefs have a record of their own ([`super::explain`]).

use std::collections::HashSet;

use kernel::body::Body;
use kernel::id::OpId;
use kernel::ledger_index::Entry;
use kernel::operation::Role;
use kernel::provenance::made_from;
use kernel::records::{Edge, Records};
use kernel::snapshot::Snapshot;
use serde::Serialize;
use serde_json::{Value, json};
use store::StoreError;
use store::sqlite::{SqliteLedgerIndex, first_after};

use super::explain::{Source, source, time};
use super::{Bodies, body_of};
use crate::graph::{EdgeView, Subject, are_ends_valid, edge_view};
use crate::inspect::summary_of;
use crate::keys::KeyRing;
use crate::private::{Disclosure, Privacy, Viewpoint};
use crate::verify::bodies::leave_of;
use crate::write::transcript::{TRANSCRIPTS, transcripts_of};
use crate::{EngineError, Reader};

/// Most edges, and most citations, that are listed.
pub const LISTED_MAX: usize = 1_000;

/// The lineage of an operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lineage {
    /// The operation.
    pub record: LineageSubject,
    /// What it was made from, depth first down to the evidence.
    pub built_from: Vec<Source>,
    /// The edges in force at either end of which it is.
    pub edges: Vec<EdgeView>,
    /// What cites it otherwise.
    pub cited_by: Vec<CitedBy>,
    /// What a language model was asked and answered before it was made, if that was kept.
    pub transcripts: Vec<CitedBy>,
    /// Whether edges or citations are left out.
    pub cut: bool,
}

/// The operation whose lineage it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineageSubject {
    /// The operation.
    pub op_id: OpId,
    /// Its kind.
    pub kind: String,
    /// Its type, of a node or an edge; the kind of a record, of evidence.
    #[serde(rename = "type")]
    pub record_type: String,
    /// It in words.
    pub text: String,
    /// It as data.
    pub payload: Value,
    /// `active`, `retracted`, `superseded`, `invalidated`, `alias`; none where it has no effect.
    pub status: Option<&'static str>,
    /// The record to which it redirects, if it does.
    pub canonical: Option<OpId>,
    /// When it was recorded, RFC 3339.
    pub recorded_at: String,
}

/// An operation that cites another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CitedBy {
    /// The citing operation.
    pub op_id: OpId,
    /// Its kind.
    pub kind: String,
    /// As what it cites.
    pub role: String,
    /// It in one line.
    pub summary: String,
}

impl Reader<'_> {
    /// The lineage of any operation.
    pub fn lineage(&self, id: &OpId) -> Result<Lineage, EngineError> {
        self.lineage_from(id, &Viewpoint::default())
    }

    /// The same as somebody may see it, and as of a time.
    pub fn lineage_from(&self, id: &OpId, viewpoint: &Viewpoint) -> Result<Lineage, EngineError> {
        let keys = self.key_ring()?;
        self.check_as_signed([*id])?;
        let found = self.store.on_snapshot(|index| match viewpoint.as_of_us {
            None => lineage_in(index, index, &keys, id, viewpoint),
            Some(until) => {
                let then = Snapshot::before(index, first_after(until));
                lineage_in(index, &then, &keys, id, viewpoint)
            }
        })?;
        let Some(lineage) = found else {
            return Err(self.unknown_then(id, viewpoint)?);
        };
        self.check_as_signed(lineage.built_from.iter().map(|source| source.op_id))?;
        self.check_as_signed(lineage.edges.iter().map(|edge| edge.id))?;
        let cited = lineage.cited_by.iter().chain(&lineage.transcripts);
        self.check_as_signed(cited.map(|cited| cited.op_id))?;
        Ok(lineage)
    }
}

/// The lineage of an operation in `seen`, the ledger as it is `now` or was then; none if the
/// operation is not there or withheld.
fn lineage_in<B: Bodies>(
    now: &SqliteLedgerIndex<'_>,
    seen: &B,
    keys: &KeyRing,
    id: &OpId,
    viewpoint: &Viewpoint,
) -> Result<Option<Lineage>, EngineError> {
    let mut privacy = Privacy::of(now);
    let Some(entry) = seen.entry(id)? else { return Ok(None) };
    if privacy.is_withheld(id, viewpoint.disclosure)? {
        return Ok(None);
    }
    let mut lineage = lineage_of(seen, &entry, viewpoint.valid_at_us)?;
    for hop in made_from(seen, &entry)? {
        let Some(entry) = seen.entry(&hop.id)? else { continue };
        let mut source = source(seen, keys, &entry, hop)?;
        if source.redacted {
            source.leave = leave_of(now, &source.op_id)?;
        }
        lineage.built_from.push(source);
    }
    withhold(&mut lineage, &mut privacy, viewpoint.disclosure)?;
    Ok(Some(lineage))
}

/// Takes out of a lineage what the reader may not see.
fn withhold(
    lineage: &mut Lineage,
    privacy: &mut Privacy<'_, SqliteLedgerIndex<'_>>,
    disclosure: Disclosure,
) -> Result<(), StoreError> {
    let mut withheld = HashSet::new();
    let ids = lineage.built_from.iter().map(|source| source.op_id);
    let ids = ids.chain(lineage.edges.iter().flat_map(|edge| [edge.id, edge.from, edge.to]));
    let ids = ids.chain(lineage.edges.iter().flat_map(|edge| &edge.inputs).map(|input| input.id));
    let cited = lineage.cited_by.iter().chain(&lineage.transcripts);
    let ids = ids.chain(cited.map(|cited| cited.op_id));
    let ids = ids.chain(lineage.record.canonical);
    for id in ids {
        if privacy.is_withheld(&id, disclosure)? {
            withheld.insert(id);
        }
    }
    let Lineage { record, built_from, edges, cited_by, transcripts, .. } = lineage;
    record.canonical = record.canonical.filter(|id| !withheld.contains(id));
    built_from.retain(|source| !withheld.contains(&source.op_id));
    edges.retain(|edge| ![edge.id, edge.from, edge.to].iter().any(|id| withheld.contains(id)));
    for edge in edges {
        edge.inputs.retain(|input| !withheld.contains(&input.id));
    }
    cited_by.retain(|citing| !withheld.contains(&citing.op_id));
    transcripts.retain(|kept| !withheld.contains(&kept.op_id));
    Ok(())
}

/// The lineage without what it was built from.
fn lineage_of(
    index: &dyn Bodies,
    entry: &Entry,
    valid_at_us: Option<i64>,
) -> Result<Lineage, StoreError> {
    let mut records = Records::new(index);
    let Subject { kind, record_type, text, payload, status, canonical, body, .. } =
        Subject::of(index, &mut records, entry)?;
    let recorded_at = time(entry.ts);
    let op_id = entry.id;
    let record =
        LineageSubject { op_id, kind, record_type, text, payload, status, canonical, recorded_at };
    let mut lineage = Lineage {
        record,
        built_from: Vec::new(),
        edges: Vec::new(),
        cited_by: Vec::new(),
        transcripts: Vec::new(),
        cut: false,
    };
    add_citations(index, &mut records, entry, valid_at_us, &mut lineage)?;
    let named = match &body {
        Some(Body::Node(node)) => node.payload.as_ref().map(transcripts_of),
        Some(Body::Proposal(proposal)) => Some(transcripts_of(&json!(proposal.others))),
        _ => None,
    };
    for id in named.unwrap_or_default().into_iter().take(LISTED_MAX) {
        let Some(kept) = index.entry(&id)? else { continue };
        lineage.transcripts.push(cited(index, kept, TRANSCRIPTS.to_owned())?);
    }
    Ok(lineage)
}

/// An operation that cites another, or is named by it, in one line.
fn cited(index: &dyn Bodies, entry: Entry, role: String) -> Result<CitedBy, StoreError> {
    let body = body_of(index, &entry.id, &entry.kind)?;
    Ok(CitedBy {
        op_id: entry.id,
        kind: entry.kind.as_str().to_owned(),
        role,
        summary: body.as_ref().map(summary_of).unwrap_or_default(),
    })
}

/// The edges in force at an operation, and what else cites it.
fn add_citations(
    index: &dyn Bodies,
    records: &mut Records<'_, dyn Bodies + '_>,
    entry: &Entry,
    valid_at_us: Option<i64>,
    lineage: &mut Lineage,
) -> Result<(), StoreError> {
    let mut citing = Vec::new();
    for found in index.citing(&entry.id)? {
        if citing.len() >= LISTED_MAX {
            lineage.cut = true;
            break;
        }
        let Some(by) = index.entry(&found.id)? else { continue };
        citing.push((by.order(), found.role, by));
    }
    citing.sort_unstable_by(|(one, role, _), (other, other_role, _)| {
        one.cmp(other).then_with(|| role.cmp(other_role))
    });
    for (_, role, by) in citing {
        let is_end = matches!(role.as_str(), Role::FROM | Role::TO);
        if is_end && Edge::of(by.clone()).is_some() {
            if !records.is_in_force(&by)? {
                continue;
            }
            let Some(edge) = edge_view(records, index, &by)? else { continue };
            if are_ends_valid(records, index, &edge, valid_at_us)? {
                lineage.edges.push(edge);
            }
            continue;
        }
        lineage.cited_by.push(cited(index, by, role)?);
    }
    lineage.edges.dedup_by_key(|edge| edge.id);
    Ok(())
}
