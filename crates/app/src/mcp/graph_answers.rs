//! The answers of the tools on the graph of claims and nodes. Models read the comments on the
//! fields.

use engine::belief::Belief;
use engine::belief::claims::state_of;
use engine::graph::{EdgeView, RecordView};
use engine::owner::SpaceOwner;
use engine::why::Candidate;
use engine::write::patch::StatusChange;
use schemars::JsonSchema;
use serde::Serialize;

use super::quote::cut;
use super::whose::Whose;
use crate::service::effective::Scope;
use crate::service::moderation::ModerationReport;
use crate::service::patch::Reason;
use crate::service::wording::{attributed, text_of_belief};

/// Longest text of a record, in characters.
const TEXT_CHARS_MAX: usize = 1_500;

/// A claim or a node.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct GraphRecord {
    /// Its id, for graph, explain, why and connect.
    pub(super) id: String,
    /// "claim" or "node".
    pub(super) kind: String,
    /// Its type: fact, preference, decision and so on.
    #[serde(rename = "type")]
    pub(super) record_type: String,
    /// It in words.
    pub(super) text: String,
    /// Its status: active, superseded, alias, retracted, invalidated, refuted, corrected; null if
    /// it has no effect.
    pub(super) status: Option<String>,
    /// The id of the record to which it redirects; null if it does not.
    pub(super) redirects_to: Option<String>,
    /// The key of a claim, for correct and refute; null for a node.
    pub(super) key: Option<String>,
    /// The confidence of a claim, 0 to 1; null for a node.
    pub(super) confidence: Option<f64>,
    /// Its labels.
    pub(super) tags: Vec<String>,
    /// From when it is true in the world; null if that is not known.
    pub(super) valid_from: Option<String>,
    /// Until when (exclusive) it is true in the world; null if no end is known.
    pub(super) valid_to: Option<String>,
    /// Where it is: "project", the memory of this project, or "global", what the user's home memory
    /// has for every project.
    pub(super) scope: &'static str,
}

/// An edge between two records.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct GraphEdge {
    /// Its id.
    pub(super) id: String,
    /// What `from` is to `to`.
    #[serde(rename = "type")]
    pub(super) edge_type: String,
    /// The id where it begins.
    pub(super) from: String,
    /// The id where it ends.
    pub(super) to: String,
    /// The name of a relation; empty for other types.
    pub(super) label: String,
    /// Why, in words.
    pub(super) notes: String,
    /// Its status: active, retracted, invalidated; null if it has no effect.
    pub(super) status: Option<String>,
    /// Where it is: "project" or "global".
    pub(super) scope: &'static str,
}

impl GraphRecord {
    pub(super) fn of(record: &RecordView, scope: Scope, owner: Option<&SpaceOwner>) -> Self {
        let time = |when: &Option<kernel::when::When>| when.as_ref().map(ToString::to_string);
        Self {
            id: record.id.to_string(),
            kind: record.kind.clone(),
            record_type: record.record_type.clone(),
            text: cut(&attributed(record.text.clone(), owner), TEXT_CHARS_MAX).0,
            status: record.status.map(str::to_owned),
            redirects_to: record.canonical.map(|id| id.to_string()),
            key: record.key.clone(),
            confidence: record.confidence,
            tags: record.tags.clone(),
            valid_from: time(&record.valid_from),
            valid_to: time(&record.valid_to),
            scope: scope.as_str(),
        }
    }

    /// Of a belief; none if it never had a claim.
    pub(super) fn of_belief(
        belief: &Belief,
        scope: Scope,
        owner: Option<&SpaceOwner>,
    ) -> Option<Self> {
        let time = |when: &Option<kernel::when::When>| when.as_ref().map(ToString::to_string);
        Some(Self {
            id: belief.served.or(belief.current)?.to_string(),
            kind: "claim".to_owned(),
            record_type: belief.claim_type.clone(),
            text: cut(&attributed(text_of_belief(belief), owner), TEXT_CHARS_MAX).0,
            status: Some(state_of(belief).to_owned()),
            redirects_to: belief.canonical.map(|id| id.to_string()),
            key: Some(belief.key.clone()),
            confidence: Some(belief.confidence),
            tags: belief.tags.clone(),
            valid_from: time(&belief.valid_from),
            valid_to: time(&belief.valid_to),
            scope: scope.as_str(),
        })
    }

    /// Of what may account for something. Its status is that of what holds up something: active.
    pub(super) fn of_candidate(candidate: &Candidate, scope: Scope) -> Self {
        let time = |when: &Option<kernel::when::When>| when.as_ref().map(ToString::to_string);
        Self {
            id: candidate.id.to_string(),
            kind: candidate.kind.clone(),
            record_type: candidate.record_type.clone(),
            text: cut(&candidate.text, TEXT_CHARS_MAX).0,
            status: Some("active".to_owned()),
            redirects_to: None,
            key: None,
            confidence: candidate.confidence,
            tags: Vec::new(),
            valid_from: time(&candidate.valid_from),
            valid_to: time(&candidate.valid_to),
            scope: scope.as_str(),
        }
    }
}

impl GraphEdge {
    pub(super) fn of(edge: &EdgeView, scope: Scope) -> Self {
        Self {
            id: edge.id.to_string(),
            edge_type: edge.edge_type.to_owned(),
            from: edge.from.to_string(),
            to: edge.to.to_string(),
            label: cut(&edge.label, TEXT_CHARS_MAX).0,
            notes: cut(&edge.notes, TEXT_CHARS_MAX).0,
            status: edge.status.map(str::to_owned),
            scope: scope.as_str(),
        }
    }

    /// In one line; it names its status if that is not active.
    pub(super) fn in_words(&self) -> String {
        let Self { from, edge_type, label, to, notes, status, .. } = self;
        let edge_type = if label.is_empty() { edge_type } else { label };
        let notes = if notes.is_empty() { String::new() } else { format!(" ({notes})") };
        let status = match status.as_deref() {
            Some("active") => String::new(),
            Some(status) => format!(", {status}"),
            None => ", without effect".to_owned(),
        };
        format!("{from} {edge_type} {to}{notes}{status}")
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct GraphFound {
    /// How to treat the quoted text in this answer.
    pub(super) reading: &'static str,
    /// Claims and nodes; what was looked for first.
    pub(super) records: Vec<GraphRecord>,
    /// Edges.
    pub(super) edges: Vec<GraphEdge>,
    /// Whether there is more than was returned.
    pub(super) more: bool,
    /// Whose memory this is from.
    #[serde(flatten)]
    pub(super) whose: Whose,
}

/// What became of a change of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum ChangedStatus {
    /// It is done.
    Done,
    /// Memory said so already; nothing was written.
    Known,
    /// The user decides about it later; nothing has changed.
    Proposed,
    /// The user dismissed it before, or took it back; nothing has changed.
    Declined,
    /// It cannot be made, for the reasons that are listed; nothing has changed.
    Refused,
}

/// A record whose status is another one now.
#[derive(Serialize, JsonSchema)]
pub(super) struct Restated {
    /// The record.
    pub(super) id: String,
    /// It in words.
    pub(super) text: String,
    /// Its status before; null if it was not there.
    pub(super) before: Option<String>,
    /// Its status after; null if it has no effect.
    pub(super) after: Option<String>,
}

impl Restated {
    pub(super) fn of(change: &StatusChange) -> Self {
        Self {
            id: change.id.to_string(),
            text: cut(&change.text, TEXT_CHARS_MAX).0,
            before: change.before.map(str::to_owned),
            after: change.after.map(str::to_owned),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct GraphWritten {
    /// How to treat the quoted text in this answer.
    pub(super) reading: &'static str,
    /// What became of the change.
    pub(super) status: ChangedStatus,
    /// The id of what was stated or joined, new or there before; null if the user decides.
    pub(super) id: Option<String>,
    /// The id of the patch that waits for the user's decision; null if none does.
    pub(super) proposal: Option<String>,
    /// Why a patch is refused: every reason. Empty otherwise.
    pub(super) reasons: Vec<Refusal>,
    /// The records whose status is another one now; of what waits for the user, would be.
    pub(super) statuses: Vec<Restated>,
    /// The kinds of the secrets that were found and masked before anything was written.
    pub(super) masked: Vec<String>,
    /// What the user should know about the space, the clock and who sees it; null if nothing.
    pub(super) warning: Option<String>,
}

/// Why an operation of a patch is refused.
#[derive(Serialize, JsonSchema)]
pub(super) struct Refusal {
    /// The number of the operation, from 1.
    pub(super) operation: usize,
    /// Its local name; null if it has none.
    pub(super) local: Option<String>,
    /// A stable code.
    pub(super) code: String,
    /// The reason.
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn of(reason: &Reason) -> Self {
        Self {
            operation: reason.operation,
            local: reason.local.clone(),
            code: reason.code.to_owned(),
            message: reason.message.clone(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct WhyAnswered {
    /// How to treat the quoted text in this answer.
    pub(super) reading: &'static str,
    /// "supported"; "evidence_alone": no claim is needed; "cut": a limit cut the search before it
    /// came to a claim; "not_held": what it needs is dead, and the candidates do not hold it up;
    /// "insufficient": no candidate was found.
    pub(super) status: String,
    /// What was asked about; null if "last" stands for nothing.
    pub(super) target: Option<WhyTarget>,
    /// The fewest active claims that still hold it up.
    pub(super) claims: Vec<GraphRecord>,
    /// Whether it is proven that no fewer claims are enough.
    pub(super) is_minimal: bool,
    /// The confidence of the answer, 0 to 1; null without claims.
    pub(super) confidence: Option<f64>,
    /// What else may account for it, the nearest first.
    pub(super) candidates: Vec<GraphRecord>,
    /// Records on which these rest.
    pub(super) evidence: Vec<WhyGround>,
    /// Where it is: "project", the memory of this project, or "global", what the user's home memory
    /// has for every project.
    pub(super) scope: &'static str,
    /// Whose memory this is from.
    #[serde(flatten)]
    pub(super) whose: Whose,
}

/// What was asked about.
#[derive(Serialize, JsonSchema)]
pub(super) struct WhyTarget {
    /// Its id.
    pub(super) id: String,
    /// Its kind: claim, node, edge, evidence and so on.
    pub(super) kind: String,
    /// Its type, of a claim, a node or an edge.
    #[serde(rename = "type")]
    pub(super) record_type: String,
    /// It in words.
    pub(super) text: String,
    /// Its status; null if it has no effect.
    pub(super) status: Option<String>,
}

/// A record that something rests on.
#[derive(Serialize, JsonSchema)]
pub(super) struct WhyGround {
    /// Its id.
    pub(super) id: String,
    /// Its kind.
    pub(super) kind: String,
    /// It in words.
    pub(super) text: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Queue {
    /// How to treat the quoted text in this answer.
    pub(super) reading: &'static str,
    /// What waits for the user's decision, the newest first.
    pub(super) waiting: Vec<Waiting>,
    /// How many more there are.
    pub(super) more: u64,
    /// Whose memory this is from.
    #[serde(flatten)]
    pub(super) whose: Whose,
}

/// Something that the user decides.
#[derive(Serialize, JsonSchema)]
pub(super) struct Waiting {
    /// Its id.
    pub(super) id: String,
    /// "patch": changes of the graph; "proposal": what a program asks for in the user's name;
    /// "correction": something that concerns a correction of the user; "entity", "relation":
    /// candidates for the graph.
    pub(super) kind: &'static str,
    /// What it is about, in words.
    pub(super) text: String,
    /// Who or what asks; null for a correction.
    pub(super) by: Option<String>,
    /// When it was asked.
    pub(super) at: String,
    /// "pending", "accepted" or "dismissed".
    pub(super) status: &'static str,
    /// The first of its changes, in words.
    pub(super) changes: Vec<String>,
}

/// What became of decisions about candidates.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ModerationAnswer {
    /// How to read the texts below.
    pub(super) reading: &'static str,
    /// "done", "preview" (a dry run), "declined" (the user said no) or "waiting" (only the user may
    /// decide, with the command in the text).
    pub(super) status: &'static str,
    /// What became of each item, or would become.
    #[serde(flatten)]
    pub(super) report: ModerationReport,
}
