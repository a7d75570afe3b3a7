//! The parts of a context for a task.

use engine::belief::Belief;
use engine::graph::RecordView;
use engine::owner::SpaceOwner;
use kernel::evidence::Visibility;
use kernel::id::{OpId, ReceiptId};
use kernel::kind::Kind;
use kernel::when::When;
use serde::Serialize;

use super::TaskBudget;
use super::text::Shown;
use crate::service::agreed_settings::Setting;
use crate::service::effective::Scope;
use crate::service::query_embedding::QueryEmbedding;

/// Longest text of a record, bytes; the rest is cut off.
const TEXT_BYTES_MAX: usize = 4 * 1024;

/// Why a record is in a context.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub(crate) enum Selection {
    /// It is the summary of the values.
    Summary,
    /// It is one of the values.
    Value,
    /// It is a preference.
    Preference,
    /// It is near the task.
    Nearest {
        /// How near, 0 … 1.
        similarity: f64,
    },
    /// An edge in force joins it to a record that is near the task.
    Joined {
        /// That record.
        to: OpId,
    },
}

/// A claim or a node of a context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TaskRecord {
    /// What states it: a claim, a correction or a node.
    pub(crate) id: OpId,
    /// `claim` or `node`.
    pub(crate) kind: String,
    /// Its type.
    #[serde(rename = "type")]
    pub(crate) record_type: String,
    /// The identity of a claim.
    pub(crate) key: Option<String>,
    /// It in words.
    pub(crate) text: String,
    /// Whether that is only the beginning.
    pub(crate) is_cut: bool,
    /// Labels.
    pub(crate) tags: Vec<String>,
    /// Who may see it.
    pub(crate) visibility: Visibility,
    /// How sure, of a claim.
    pub(crate) confidence: Option<f64>,
    /// From when it is true in the world.
    pub(crate) valid_from: Option<When>,
    /// Until when (exclusive) it is true in the world.
    pub(crate) valid_to: Option<When>,
    /// Where it is.
    pub(crate) scope: Scope,
    /// Why it is here.
    pub(crate) reason: Selection,
    /// The claim or node whose edges are its edges: a correction has none.
    #[serde(skip)]
    pub(super) record: OpId,
}

impl TaskRecord {
    /// What is believed of an identity; none if nothing is.
    pub(super) fn of_belief(belief: &Belief, scope: Scope, reason: Selection) -> Option<Self> {
        let id = belief.served.filter(|_| belief.displaced.is_none())?;
        let (text, is_cut) = cut(&belief.text)?;
        Some(Self {
            id,
            kind: Kind::Claim.as_str().to_owned(),
            record_type: belief.claim_type.clone(),
            key: Some(belief.key.clone()),
            text,
            is_cut,
            tags: belief.tags.clone(),
            visibility: belief.visibility,
            confidence: Some(belief.confidence),
            valid_from: belief.valid_from.clone(),
            valid_to: belief.valid_to.clone(),
            scope,
            reason,
            record: belief.current.unwrap_or(id),
        })
    }

    pub(super) fn of_node(node: &RecordView, scope: Scope, reason: Selection) -> Option<Self> {
        let (text, is_cut) = cut(&node.text)?;
        Some(Self {
            id: node.id,
            kind: Kind::Node.as_str().to_owned(),
            record_type: node.record_type.clone(),
            key: None,
            text,
            is_cut,
            tags: node.tags.clone(),
            visibility: node.visibility,
            confidence: None,
            valid_from: None,
            valid_to: None,
            scope,
            reason,
            record: node.id,
        })
    }

    /// How near the task it is, if it was found so.
    pub(super) fn similarity(&self) -> Option<f64> {
        match self.reason {
            Selection::Nearest { similarity } => Some(similarity),
            _ => None,
        }
    }
}

/// A text that is not empty, without what is too long, and whether anything was.
pub(super) fn cut(text: &str) -> Option<(String, bool)> {
    let text = text.trim();
    let kept = retrieval::text::cut(text, TEXT_BYTES_MAX);
    (!text.is_empty()).then(|| (kept.to_owned(), kept.len() < text.len()))
}

/// An edge between two records of a context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TaskEdge {
    /// The edge.
    pub(crate) id: OpId,
    /// What it says of its ends.
    #[serde(rename = "type")]
    pub(crate) edge_type: &'static str,
    /// The record at its beginning.
    pub(crate) from: OpId,
    /// The record at its end.
    pub(crate) to: OpId,
    /// Why, in words.
    pub(crate) notes: String,
    /// Where it is.
    pub(crate) scope: Scope,
}

/// How many were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    /// Values beyond their budget.
    pub(crate) values: usize,
    /// Preferences beyond theirs.
    pub(crate) preferences: usize,
    /// Records and edges that do not fit into the tokens.
    pub(crate) tokens: usize,
}

/// The context for a task.
#[derive(Debug, Default, Serialize)]
pub(crate) struct TaskContext {
    /// It as a model reads it.
    pub(crate) text: String,
    /// The tokens of that.
    pub(crate) tokens: usize,
    /// The limits of its parts.
    pub(crate) budget: TaskBudget,
    /// The summary of the values.
    pub(crate) summary: Option<TaskRecord>,
    /// The values.
    pub(crate) values: Vec<TaskRecord>,
    /// What was agreed with agents.
    pub(crate) settings: Vec<Setting>,
    /// Other preferences.
    pub(crate) preferences: Vec<TaskRecord>,
    /// Claims, those near the task first.
    pub(crate) claims: Vec<TaskRecord>,
    /// Nodes, likewise.
    pub(crate) nodes: Vec<TaskRecord>,
    /// Edges between these.
    pub(crate) edges: Vec<TaskEdge>,
    /// What the text shows of memory, in its order.
    #[serde(skip)]
    pub(crate) shown: Vec<Shown>,
    /// How many were left out.
    pub(crate) left_out: LeftOut,
    /// Operations that are not indexed yet.
    pub(crate) behind: u64,
    /// The model that embedded the task; none if nothing near it was searched.
    #[serde(skip)]
    pub(crate) embedding: Option<QueryEmbedding>,
    /// The receipts, each in the space that the records are from.
    pub(crate) receipts: Vec<ReceiptId>,
    /// How many receipts could not be written.
    pub(crate) receipts_missing: usize,
    /// Whose memory the project's is, if it is somebody else's.
    pub(crate) owner: Option<SpaceOwner>,
}

impl TaskContext {
    /// All records, in the order of the text.
    pub(crate) fn records(&self) -> impl Iterator<Item = &TaskRecord> {
        let pins = self.summary.iter().chain(&self.values).chain(&self.preferences);
        pins.chain(&self.claims).chain(&self.nodes)
    }
}
