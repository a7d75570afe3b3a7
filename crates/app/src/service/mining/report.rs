//! The report of mining: what was written, what waits, and what was refused.

use engine::mine::Refused;
use engine::mine::filter::{Filtered, KeptEdge, KeptRecord};
use engine::write::graph::GraphChanged;
use kernel::id::OpId;
use serde::Serialize;

/// A claim or node that was mined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MinedView {
    /// Its operation; none in a dry run.
    pub(crate) id: Option<OpId>,
    /// The type of claim or node.
    #[serde(rename = "type")]
    pub(crate) record_type: String,
    /// It in words.
    pub(crate) text: String,
    /// How sure it is.
    pub(crate) confidence: f64,
    /// The evidence that it cites.
    pub(crate) sources: Vec<OpId>,
    /// Whether it was not there before.
    pub(crate) new: bool,
}

/// An edge that was mined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MinedEdgeView {
    /// Its operation; none in a dry run.
    pub(crate) id: Option<OpId>,
    /// What it says of its ends.
    #[serde(rename = "type")]
    pub(crate) edge_type: &'static str,
    /// Where it begins: a name within the answer, or an operation.
    pub(crate) from: String,
    /// Where it ends.
    pub(crate) to: String,
    /// Whether it was not there before.
    pub(crate) new: bool,
}

/// A preference that awaits a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ProposedView {
    /// The proposal; none in a dry run.
    pub(crate) id: Option<OpId>,
    /// It in words.
    pub(crate) text: String,
}

/// Why a model answered nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ModelFailure {
    /// The stable code.
    pub(crate) code: &'static str,
    /// In words.
    pub(crate) message: String,
}

/// What came of mining.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct MiningReport {
    /// `rules` or `model`.
    pub(crate) read_by: &'static str,
    /// The model, with its version.
    pub(crate) model: Option<String>,
    /// Why rules read what a model could not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<ModelFailure>,
    /// How many records were read.
    pub(crate) read: usize,
    /// How many were not: they are too many, or do not fit into a prompt.
    pub(crate) left_out: usize,
    /// How many were read only at their beginning.
    pub(crate) cut: usize,
    /// How many a model is not shown because they are private.
    pub(crate) private: usize,
    /// Claims, then nodes.
    pub(crate) records: Vec<MinedView>,
    /// Edges.
    pub(crate) edges: Vec<MinedEdgeView>,
    /// Preferences that await a decision.
    pub(crate) proposed: Vec<ProposedView>,
    /// What was not kept, with the reason.
    pub(crate) refused: Vec<Refused>,
}

/// What was written, in the order of the changes.
pub(super) fn describe(
    filtered: &Filtered,
    changed: &GraphChanged,
    is_dry: bool,
    report: &mut MiningReport,
) {
    let mut stand_for = changed.stand_for.iter().copied();
    let mut next = || {
        let id = stand_for.next();
        let new = id.is_some_and(|id| changed.appended.contains(&id));
        // What a dry run appended is gone again.
        (id.filter(|_| !is_dry || !new), new)
    };
    for record in &filtered.records {
        let (id, new) = next();
        report.records.push(view_of_record(record, id, new));
    }
    for edge in &filtered.edges {
        let (id, new) = next();
        report.edges.push(view_of_edge(edge, id, new));
    }
}

pub(super) fn view_of_record(record: &KeptRecord, id: Option<OpId>, new: bool) -> MinedView {
    MinedView {
        id,
        record_type: record.record_type.as_str().to_owned(),
        text: importers::secrets::mask_string(&record.text).into_inner(),
        confidence: record.confidence,
        sources: record.sources.clone(),
        new,
    }
}

pub(super) fn view_of_edge(edge: &KeptEdge, id: Option<OpId>, new: bool) -> MinedEdgeView {
    MinedEdgeView {
        id,
        edge_type: edge.edge_type.as_str(),
        from: edge.from.name(),
        to: edge.to.name(),
        new,
    }
}
