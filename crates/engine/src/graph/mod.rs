//! The graph of records: claims and nodes with the edges between them, as they are listed and
//! shown.
//!
//! The kernel says what the status of a record is
//! ([`kernel::records`]); changes are made by [`crate::write::graph`]. A list reads the newest
//! records first and asks for the status of each that it passes, so it costs what it shows.

use kernel::body::{Body, Deriver, EdgeType, NodeType};
use kernel::evidence::Visibility;
use kernel::id::{Author, OpId};
use kernel::identity::text_key_prefix;
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::operation::{HlcTimestamp, Role};
use kernel::records::{Edge, RecordStatus, Records, is_record};
use kernel::snapshot::Snapshot;
use kernel::validity::input_refs;
use kernel::when::When;
use serde::Serialize;
use serde_json::Value;
use store::StoreError;
use store::sqlite::{SqliteLedgerIndex, first_after};

use crate::belief::explain::time;
use crate::belief::{Bodies, body_of};
use crate::private::{Disclosure, Privacy, Viewpoint};
use crate::{EngineError, Reader};

mod effective;
mod entity;
mod latest;
mod neighbours;
mod path;
mod subject;
mod whole;

pub use effective::{EdgeKey, RecordKey};
pub use entity::entity_key;
pub(crate) use latest::follow_to_latest;
pub use neighbours::{JoiningEdge, Subgraph, SubgraphLimits, is_valid};
pub use path::{GraphPath, PathLimits};
pub(crate) use subject::Subject;
pub use whole::{GraphSink, WholeGraph};

pub use store::sqlite::VALUES_RAW;

/// An operation that a record was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Input {
    /// The operation.
    pub id: OpId,
    /// As what it is cited.
    pub role: String,
}

/// The tag of answers that are kept.
pub const ANSWER_TAG: &str = "inner_voice";

/// Whether a node repeats what others say: an answer that was kept, or the trace of a *why*. It is
/// shown to who asks for nodes, and nothing else is made from it.
pub fn repeats_others(record_type: &str, tags: &[String]) -> bool {
    record_type == NodeType::WhyTrace.as_str()
        || record_type == NodeType::Summary.as_str() && tags.iter().any(|tag| tag == ANSWER_TAG)
}

/// A claim or a node with its status.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordView {
    /// The operation.
    pub id: OpId,
    /// `claim` or `node`.
    pub kind: String,
    /// Its type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// It in words.
    pub text: String,
    /// Its status; none if it has no effect.
    pub status: Option<&'static str>,
    /// The record to which it redirects, if it does.
    pub canonical: Option<OpId>,
    /// The identity of a claim.
    pub key: Option<String>,
    /// The user's correction of that identity. Text, data and confidence are those of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected_by: Option<OpId>,
    /// Labels.
    pub tags: Vec<String>,
    /// Who may see it: nobody else where it stands on something private, whatever it states.
    pub visibility: Visibility,
    /// Who may see it by what it states, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_visibility: Option<Visibility>,
    /// From when it is true in the world.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true in the world.
    pub valid_to: Option<When>,
    /// Probability that it is true, of a claim.
    pub confidence: Option<f64>,
    /// Which logic made it; none if a person stated it.
    pub deriver: Option<Deriver>,
    /// It as data.
    pub payload: Value,
    /// When it was recorded, RFC 3339.
    pub recorded_at: String,
    /// The key that signed it.
    pub author: Author,
    /// What it was made from.
    pub inputs: Vec<Input>,
}

/// An edge with its status.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeView {
    /// The operation.
    pub id: OpId,
    /// What it says of its ends.
    #[serde(rename = "type")]
    pub edge_type: &'static str,
    /// Where it begins.
    pub from: OpId,
    /// Where it ends.
    pub to: OpId,
    /// `active`, `retracted`, `invalidated`; none if it has no effect.
    pub status: Option<&'static str>,
    /// The name of a relation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Probability that it holds, if whoever made it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why, in words.
    pub notes: String,
    /// Who may see it: whoever may see both ends.
    pub visibility: Visibility,
    /// Who may see it by what it states, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_visibility: Option<Visibility>,
    /// When it was recorded, RFC 3339.
    pub recorded_at: String,
    /// The key that signed it.
    pub author: Author,
    /// What it was made from.
    pub inputs: Vec<Input>,
}

/// Which nodes to list.
#[derive(Clone, Debug, Default)]
pub struct NodeFilter {
    /// Of one of these types; of any if empty.
    pub types: Vec<NodeType>,
    /// With one of these statuses; active ones if empty.
    pub statuses: Vec<RecordStatus>,
    /// Whatever their status.
    pub all: bool,
    /// With all of these tags.
    pub tags: Vec<String>,
    /// With this text, in any letter case.
    pub contains: Option<String>,
    /// True in the world at this time, microseconds since the Unix epoch. A node without times of
    /// its own always is.
    pub valid_at_us: Option<i64>,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
    /// Who reads it.
    pub disclosure: Disclosure,
}

/// Which edges to list.
#[derive(Clone, Debug, Default)]
pub struct EdgeFilter {
    /// Of one of these types; of any if empty.
    pub types: Vec<EdgeType>,
    /// That begin here.
    pub from: Option<OpId>,
    /// That end here.
    pub to: Option<OpId>,
    /// With one of these statuses; those in force if empty.
    pub statuses: Vec<RecordStatus>,
    /// Whatever their status.
    pub all: bool,
    /// With this text in their notes, in any letter case.
    pub contains: Option<String>,
    /// Both ends of which are true in the world at this time, microseconds since the Unix epoch.
    pub valid_at_us: Option<i64>,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
    /// Who reads it.
    pub disclosure: Disclosure,
}

/// The beginning of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed<T> {
    /// The newest first.
    pub items: Vec<T>,
    /// Whether there are more.
    pub more: bool,
}

/// Which records to look at.
#[derive(Clone, Copy)]
struct RecordRange<'a> {
    kind: &'a Kind,
    /// Those whose key begins with this.
    prefix: Option<&'a str>,
    /// Those that may have all of these tags.
    tags: &'a [String],
}

impl Reader<'_> {
    /// The nodes that pass a filter, the newest first, at most `limit`.
    pub fn nodes(
        &self,
        filter: &NodeFilter,
        limit: usize,
    ) -> Result<Listed<RecordView>, EngineError> {
        let contains = filter.contains.as_deref().map(str::to_lowercase);
        // Those of one type are found without reading the others.
        let prefix = match filter.types.as_slice() {
            [of] => Some(text_key_prefix(of.as_str())),
            _ => None,
        };
        let which =
            RecordRange { kind: &Kind::Node, prefix: prefix.as_deref(), tags: &filter.tags };
        self.list(which, filter.as_of_us, limit, |records, privacy, index, entry| {
            let Some(mut node) = record_view(records, index, entry)? else { return Ok(None) };
            let is_of_status = filter.all || has_status(node.status, &filter.statuses);
            let is_of_type = filter.types.is_empty()
                || filter.types.iter().any(|of| of.as_str() == node.record_type);
            let admitted = is_of_status
                && is_of_type
                && filter.tags.iter().all(|tag| node.tags.contains(tag))
                && contains.as_ref().is_none_or(|text| node.text.to_lowercase().contains(text));
            let is_shown = admitted
                && is_valid(&node, filter.valid_at_us)
                && !privacy.is_withheld(&node.id, filter.disclosure)?;
            if is_shown {
                node.withhold(privacy, filter.disclosure)?;
            }
            Ok(is_shown.then_some(node))
        })
    }

    /// The edges that pass a filter, the newest first, at most `limit`.
    pub fn edges(
        &self,
        filter: &EdgeFilter,
        limit: usize,
    ) -> Result<Listed<EdgeView>, EngineError> {
        let contains = filter.contains.as_deref().map(str::to_lowercase);
        let admitted = |records: &mut Records<'_, dyn Bodies + '_>,
                        privacy: &mut Privacy<'_, dyn Bodies + '_>,
                        index: &dyn Bodies,
                        entry: &Entry| {
            let Some(mut edge) = edge_view(records, index, entry)? else { return Ok(None) };
            let is_admitted = (filter.all || has_status(edge.status, &filter.statuses))
                && (filter.types.is_empty()
                    || filter.types.iter().any(|of| of.as_str() == edge.edge_type))
                && filter.from.is_none_or(|from| from == edge.from)
                && filter.to.is_none_or(|to| to == edge.to)
                && contains.as_ref().is_none_or(|text| edge.notes.to_lowercase().contains(text))
                && are_ends_valid(records, index, &edge, filter.valid_at_us)?
                && !privacy.is_withheld(&edge.id, filter.disclosure)?;
            if is_admitted {
                edge.withhold(privacy, filter.disclosure)?;
            }
            Ok::<_, StoreError>(is_admitted.then_some(edge))
        };
        let Some((end, role)) =
            filter.from.map(|from| (from, Role::FROM)).or(filter.to.map(|to| (to, Role::TO)))
        else {
            let which = RecordRange { kind: &Kind::Edge, prefix: None, tags: &[] };
            return self.list(which, filter.as_of_us, limit, admitted);
        };
        // Those of one end are found without reading the others.
        self.at(filter.as_of_us, |index| {
            let mut entries = Vec::new();
            for id in index.acting(&end, &Kind::Edge, role)? {
                entries.extend(index.entry(&id)?);
            }
            entries.sort_unstable_by_key(Entry::order);
            let mut records = Records::new(index);
            let mut privacy = Privacy::of(index);
            let mut listed = Listed { items: Vec::new(), more: false };
            for entry in entries.iter().rev() {
                let edge = admitted(&mut records, &mut privacy, index, entry)?;
                if edge.is_some() && listed.items.len() >= limit {
                    listed.more = true;
                    break;
                }
                listed.items.extend(edge);
            }
            Ok(listed)
        })
    }

    /// A claim or a node with its status, now or as of a time; none if the operation is neither, or
    /// was not there then.
    pub fn record_view(
        &self,
        id: &OpId,
        as_of_us: Option<u64>,
    ) -> Result<Option<RecordView>, EngineError> {
        self.record_from(id, &Viewpoint { as_of_us, ..Viewpoint::default() })
    }

    /// The same for a reader to whom not everything is disclosed: none if it is withheld from them,
    /// and without the ids of what is.
    pub fn record_from(
        &self,
        id: &OpId,
        viewpoint: &Viewpoint,
    ) -> Result<Option<RecordView>, EngineError> {
        self.disclosed(id, viewpoint, |index, entry, privacy| {
            let mut found = record_view(&mut Records::new(index), index, entry)?;
            if let Some(view) = &mut found {
                view.withhold(privacy, viewpoint.disclosure)?;
            }
            Ok(found)
        })
    }

    /// An edge with its status, likewise.
    pub fn edge_view(
        &self,
        id: &OpId,
        as_of_us: Option<u64>,
    ) -> Result<Option<EdgeView>, EngineError> {
        self.edge_from(id, &Viewpoint { as_of_us, ..Viewpoint::default() })
    }

    /// The same for a reader to whom not everything is disclosed.
    pub fn edge_from(
        &self,
        id: &OpId,
        viewpoint: &Viewpoint,
    ) -> Result<Option<EdgeView>, EngineError> {
        self.disclosed(id, viewpoint, |index, entry, privacy| {
            let mut found = edge_view(&mut Records::new(index), index, entry)?;
            if let Some(view) = &mut found {
                view.withhold(privacy, viewpoint.disclosure)?;
            }
            Ok(found)
        })
    }

    /// What `view` makes of an operation, after a check that it reads as it was signed. None if
    /// there is no such operation, or if it is withheld from the reader.
    fn disclosed<T>(
        &self,
        id: &OpId,
        viewpoint: &Viewpoint,
        view: impl FnOnce(
            &dyn Bodies,
            &Entry,
            &mut Privacy<'_, dyn Bodies + '_>,
        ) -> Result<Option<T>, StoreError>,
    ) -> Result<Option<T>, EngineError> {
        let found = self.at(viewpoint.as_of_us, |index| {
            let mut privacy = Privacy::of(index);
            let Some(entry) = index.entry(id)? else { return Ok(None) };
            match privacy.is_withheld(id, viewpoint.disclosure)? {
                true => Ok(None),
                false => view(index, &entry, &mut privacy),
            }
        })?;
        self.check_as_signed(found.as_ref().map(|_| *id))?;
        Ok(found)
    }

    /// Asks the ledger as it is, or as it was at a time.
    pub(crate) fn at<T>(
        &self,
        as_of_us: Option<u64>,
        ask: impl FnOnce(&dyn Bodies) -> Result<T, StoreError>,
    ) -> Result<T, EngineError> {
        Ok(self.store.on_snapshot(|index| match as_of_us {
            Some(until) => ask(&Snapshot::before(index, first_after(until))),
            None => ask(index),
        })?)
    }

    /// Every proposal that `read` can read, in the space's order, now or as of a time.
    pub(crate) fn proposals_at<T>(
        &self,
        as_of_us: Option<u64>,
        read: impl Fn(&dyn Bodies, &Entry) -> Result<Option<T>, StoreError>,
    ) -> Result<Vec<T>, EngineError> {
        let ids = self.store.on_snapshot(|index| index.proposals())?;
        self.at(as_of_us, |index| {
            let mut found = Vec::new();
            for id in ids {
                if let Some(entry) = index.entry(&id)? {
                    found.extend(read(index, &entry)?);
                }
            }
            Ok(found)
        })
    }

    fn list<T>(
        &self,
        RecordRange { kind, prefix, tags }: RecordRange<'_>,
        as_of_us: Option<u64>,
        limit: usize,
        mut view: impl FnMut(
            &mut Records<'_, dyn Bodies + '_>,
            &mut Privacy<'_, dyn Bodies + '_>,
            &dyn Bodies,
            &Entry,
        ) -> Result<Option<T>, StoreError>,
    ) -> Result<Listed<T>, EngineError> {
        let mut listed = Listed { items: Vec::new(), more: false };
        self.store.on_snapshot(|index: &SqliteLedgerIndex<'_>| {
            let then = as_of_us.map(|until| Snapshot::before(index, first_after(until)));
            let seen: &dyn Bodies = match &then {
                Some(then) => then,
                None => index,
            };
            let mut records = Records::new(seen);
            let mut privacy = Privacy::of(seen);
            let until = HlcTimestamp(as_of_us.unwrap_or(u64::MAX));
            let tagged = index.selective_tag(tags, None)?;
            index.latest_records(kind, prefix, tagged.as_ref(), until, |id| {
                let Some(entry) = seen.entry(&id)? else { return Ok(true) };
                let item = view(&mut records, &mut privacy, seen, &entry)?;
                if item.is_some() && listed.items.len() >= limit {
                    listed.more = true;
                    return Ok(false);
                }
                listed.items.extend(item);
                Ok(true)
            })
        })?;
        Ok(listed)
    }
}

impl RecordView {
    /// Leaves out the ids of what is withheld from a reader of the record, and says whether it is
    /// private by what it stands on.
    pub(crate) fn withhold(
        &mut self,
        privacy: &mut Privacy<'_, dyn Bodies + '_>,
        disclosure: Disclosure,
    ) -> Result<(), StoreError> {
        privacy.mark(&self.id, &mut self.visibility, &mut self.stated_visibility)?;
        withhold_inputs(&mut self.inputs, privacy, disclosure)?;
        if let Some(canonical) = self.canonical
            && privacy.is_withheld(&canonical, disclosure)?
        {
            self.canonical = None;
        }
        Ok(())
    }
}

impl EdgeView {
    /// What it says of its ends: its type, or the name of a relation.
    pub fn word(&self) -> &str {
        if self.label.is_empty() { self.edge_type } else { &self.label }
    }

    /// Leaves out the ids of what is withheld from a reader of the edge, and says whether it is
    /// private by what it joins or stands on.
    pub(crate) fn withhold(
        &mut self,
        privacy: &mut Privacy<'_, dyn Bodies + '_>,
        disclosure: Disclosure,
    ) -> Result<(), StoreError> {
        privacy.mark(&self.id, &mut self.visibility, &mut self.stated_visibility)?;
        withhold_inputs(&mut self.inputs, privacy, disclosure)
    }
}

fn withhold_inputs(
    inputs: &mut Vec<Input>,
    privacy: &mut Privacy<'_, dyn Bodies + '_>,
    disclosure: Disclosure,
) -> Result<(), StoreError> {
    let mut shown = Vec::with_capacity(inputs.len());
    for input in inputs.drain(..) {
        if !privacy.is_withheld(&input.id, disclosure)? {
            shown.push(input);
        }
    }
    *inputs = shown;
    Ok(())
}

/// Whether a status is one of those that are asked for; active if none is.
fn has_status(status: Option<&str>, asked: &[RecordStatus]) -> bool {
    let is = |of: &RecordStatus| status == Some(of.as_str());
    if asked.is_empty() { is(&RecordStatus::Active) } else { asked.iter().any(is) }
}

/// Whether both ends of an edge are true in the world at a time. What has no times always is.
pub(crate) fn are_ends_valid(
    records: &mut Records<'_, dyn Bodies + '_>,
    index: &dyn Bodies,
    edge: &EdgeView,
    at_us: Option<i64>,
) -> Result<bool, StoreError> {
    if at_us.is_none() {
        return Ok(true);
    }
    for end in [edge.from, edge.to] {
        let Some(entry) = index.entry(&end)? else { continue };
        let view = record_view(records, index, &entry)?;
        if view.is_some_and(|view| !is_valid(&view, at_us)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A record with its status.
pub(crate) fn record_view(
    records: &mut Records<'_, dyn Bodies + '_>,
    index: &dyn Bodies,
    entry: &Entry,
) -> Result<Option<RecordView>, StoreError> {
    if !is_record(entry) {
        return Ok(None);
    }
    let canonical = records.canonical(&entry.id)?;
    let mut view = RecordView {
        id: entry.id,
        kind: entry.kind.as_str().to_owned(),
        record_type: String::new(),
        text: String::new(),
        status: records.status_of(entry)?.map(RecordStatus::as_str),
        canonical: Some(canonical).filter(|canonical| *canonical != entry.id),
        key: entry.identity.clone(),
        corrected_by: None,
        tags: Vec::new(),
        visibility: Visibility::default(),
        stated_visibility: None,
        valid_from: None,
        valid_to: None,
        confidence: None,
        deriver: None,
        payload: Value::Null,
        recorded_at: time(entry.ts),
        author: entry.author,
        inputs: inputs_of(entry),
    };
    match body_of(index, &entry.id, &entry.kind)? {
        Some(Body::Claim(claim)) => {
            view.record_type = claim.claim_type;
            view.text = claim.text;
            view.tags = claim.tags;
            view.visibility = claim.visibility;
            (view.valid_from, view.valid_to) = (claim.valid_from, claim.valid_to);
            view.confidence = Some(claim.confidence);
            view.deriver = claim.deriver;
            view.payload = claim.payload;
            // The user's word counts though the claim's sources do not.
            let may_be_corrected = [RecordStatus::Active, RecordStatus::Invalidated];
            if may_be_corrected.iter().any(|status| view.status == Some(status.as_str())) {
                say_correction(records, index, &mut view)?;
            }
        }
        Some(Body::Node(node)) => {
            view.record_type = node.node_type.map_or("", NodeType::as_str).to_owned();
            view.text = node.text.unwrap_or_default();
            view.tags = node.tags.unwrap_or_default();
            view.visibility = node.visibility.unwrap_or_default();
            view.payload = node.payload.unwrap_or_default();
            // A node states its times, if it has any, as data.
            let time = |field: &str| When::parse(view.payload.get(field)?.as_str()?).ok();
            (view.valid_from, view.valid_to) = (time("valid_from"), time("valid_to"));
        }
        _ => {}
    }
    Ok(Some(view))
}

/// Lets a claim that the user corrected say what the user says.
fn say_correction(
    records: &mut Records<'_, dyn Bodies + '_>,
    index: &dyn Bodies,
    view: &mut RecordView,
) -> Result<(), StoreError> {
    let Some(key) = &view.key else { return Ok(()) };
    let Some(correction) = records.validity().standing(key)?.correction else { return Ok(()) };
    let body = body_of(index, &correction.id, &correction.kind)?;
    let Some(Body::ClaimCorrection(said)) = body else { return Ok(()) };
    view.text = said.text.unwrap_or_else(|| said.corrected_payload.to_string());
    view.payload = said.corrected_payload;
    view.confidence = Some(1.0);
    view.corrected_by = Some(correction.id);
    Ok(())
}

/// An edge with its status.
pub(crate) fn edge_view(
    records: &mut Records<'_, dyn Bodies + '_>,
    index: &dyn Bodies,
    entry: &Entry,
) -> Result<Option<EdgeView>, StoreError> {
    let Some(Edge { edge_type, from, to, .. }) = Edge::of(entry.clone()) else { return Ok(None) };
    let status = if records.is_in_force(entry)? {
        Some(RecordStatus::Active)
    } else if !records.validity().has_effect(entry)? {
        None
    } else if records.validity().is_retracted(entry)? {
        Some(RecordStatus::Retracted)
    } else {
        Some(RecordStatus::Invalidated)
    };
    let body = match body_of(index, &entry.id, &entry.kind)? {
        Some(Body::Edge(edge)) => edge,
        _ => kernel::body::Edge::default(),
    };
    Ok(Some(EdgeView {
        id: entry.id,
        edge_type: edge_type.as_str(),
        from,
        to,
        status: status.map(RecordStatus::as_str),
        label: body.label.unwrap_or_default(),
        confidence: body.confidence,
        notes: body.notes.unwrap_or_default(),
        visibility: body.visibility.unwrap_or_default(),
        stated_visibility: None,
        recorded_at: time(entry.ts),
        author: entry.author,
        inputs: inputs_of(entry),
    }))
}

fn inputs_of(entry: &Entry) -> Vec<Input> {
    input_refs(entry)
        .map(|cited| Input { id: cited.id, role: cited.role.as_str().to_owned() })
        .collect()
}
