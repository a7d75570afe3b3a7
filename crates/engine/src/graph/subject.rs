//! An operation of any kind as what a question is about: what explanations and answers to "why" say
//! of it.

use kernel::body::Body;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::records::{RecordStatus, Records};
use serde_json::Value;
use store::StoreError;

use super::{EdgeView, edge_view, record_view};
use crate::belief::{Bodies, body_of};
use crate::inspect::{content_of, summary_of};
use crate::private::visibility_of;

/// An operation with its status.
pub(crate) struct Subject {
    /// Its kind.
    pub(crate) kind: String,
    /// Its type, of a claim, a node or an edge; the kind of a record, of evidence.
    pub(crate) record_type: String,
    /// It in words, in one line where it is not a claim or a node.
    pub(crate) text: String,
    /// All that it says.
    pub(crate) content: String,
    /// It as data.
    pub(crate) payload: Value,
    /// Its status; none where it has no effect.
    pub(crate) status: Option<&'static str>,
    /// The record to which it redirects, if it does.
    pub(crate) canonical: Option<OpId>,
    /// Who may see it.
    pub(crate) visibility: Visibility,
    /// Its body, unless that is missing.
    pub(crate) body: Option<Body>,
}

impl Subject {
    /// An operation as the ledger has it.
    pub(crate) fn of(
        index: &dyn Bodies,
        records: &mut Records<'_, dyn Bodies + '_>,
        entry: &Entry,
    ) -> Result<Self, StoreError> {
        let body = body_of(index, &entry.id, &entry.kind)?;
        let mut subject = Self {
            kind: entry.kind.as_str().to_owned(),
            record_type: String::new(),
            text: body.as_ref().map(summary_of).unwrap_or_default(),
            content: body.as_ref().map(content_of).unwrap_or_default(),
            payload: Value::Null,
            status: None,
            canonical: None,
            visibility: body.as_ref().and_then(visibility_of).unwrap_or_default(),
            body,
        };
        if let Some(view) = record_view(records, index, entry)? {
            (subject.record_type, subject.text) = (view.record_type, view.text);
            (subject.payload, subject.status) = (view.payload, view.status);
            subject.canonical = view.canonical;
        } else if let Some(edge) = edge_view(records, index, entry)? {
            subject.record_type = edge.edge_type.to_owned();
            subject.content = words_of(index, &edge)?;
            subject.status = edge.status;
        } else {
            subject.status = status_of(records, entry)?;
            if let Some(Body::Evidence(evidence)) = &subject.body {
                subject.record_type = evidence.kind.0.clone();
            }
        }
        Ok(subject)
    }
}

/// What an edge says with its ends.
fn words_of(index: &dyn Bodies, edge: &EdgeView) -> Result<String, StoreError> {
    let words = |id: &OpId| -> Result<String, StoreError> {
        let Some(entry) = index.entry(id)? else { return Ok(String::new()) };
        let body = body_of(index, id, &entry.kind)?;
        Ok(body.as_ref().map(content_of).unwrap_or_default())
    };
    let (from, to) = (words(&edge.from)?, words(&edge.to)?);
    Ok(format!("{from}\n{}\n{to}\n{}", edge.edge_type, edge.notes))
}

/// The status of what is neither a record nor an edge.
fn status_of(
    records: &mut Records<'_, dyn Bodies + '_>,
    entry: &Entry,
) -> Result<Option<&'static str>, StoreError> {
    let validity = records.validity();
    if !validity.has_effect(entry)? {
        return Ok(None);
    }
    let is_replaced = entry.kind == Kind::Evidence && !validity.is_valid_input(&entry.id)?;
    let status = if validity.is_retracted(entry)? {
        RecordStatus::Retracted
    } else if is_replaced {
        RecordStatus::Superseded
    } else {
        RecordStatus::Active
    };
    Ok(Some(status.as_str()))
}
