//! Explains what is not a belief: evidence, nodes, edges, thoughts and any other operation.
//!
//! The answer is the operation as it stands, what it was made from, what edges in force say of it,
//! and what cites it. Beliefs have a record of their own ([`super::explain`]).

use kernel::body::Body;
use kernel::id::OpId;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::Role;
use kernel::provenance::made_from;
use kernel::records::{Edge, Records};
use serde::Serialize;
use serde_json::{Value, json};
use store::StoreError;

use super::explain::{Source, source, time};
use super::{Bodies, body_of};
use crate::graph::{EdgeView, Subject, edge_view};
use crate::inspect::summary_of;
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
        let keys = self.key_ring()?;
        self.check_as_signed([*id])?;
        let found = self.store.on_snapshot(|index| {
            let Some(entry) = index.entry(id)? else { return Ok(None) };
            let seen: &dyn Bodies = index;
            let mut lineage = lineage_of(seen, &entry)?;
            for hop in made_from(seen, &entry)? {
                let Some(entry) = index.entry(&hop.id)? else { continue };
                let mut source = source(index, &keys, &entry, hop)?;
                if source.redacted {
                    source.leave = leave_of(index, &source.op_id)?;
                }
                lineage.built_from.push(source);
            }
            Ok::<_, EngineError>(Some(lineage))
        })?;
        let lineage = found.ok_or_else(|| EngineError::UnknownId { prefix: id.to_string() })?;
        self.check_as_signed(lineage.built_from.iter().map(|source| source.op_id))?;
        self.check_as_signed(lineage.edges.iter().map(|edge| edge.id))?;
        let cited = lineage.cited_by.iter().chain(&lineage.transcripts);
        self.check_as_signed(cited.map(|cited| cited.op_id))?;
        Ok(lineage)
    }
}

/// The lineage without what it was built from.
fn lineage_of(index: &dyn Bodies, entry: &Entry) -> Result<Lineage, StoreError> {
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
    add_citations(index, &mut records, entry, &mut lineage)?;
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
            if records.is_in_force(&by)? {
                lineage.edges.extend(edge_view(records, index, &by)?);
            }
            continue;
        }
        lineage.cited_by.push(cited(index, by, role)?);
    }
    lineage.edges.dedup_by_key(|edge| edge.id);
    Ok(())
}
