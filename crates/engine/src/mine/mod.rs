//! Mining: claims, nodes and edges that a language model or rules find in evidence, and
//! checkpoints.
//!
//! Whoever mines says what it found in one form, [`Mined`]. [`filter()`] decides what of it is
//! kept, and gives a reason for each part that is not; nothing else decides that. [`changes_of`]
//! makes of what is kept a list of changes of the graph.
//!
//! | module | answers |
//! |---|---|
//! | [`filter`](mod@filter) | which of the candidates are kept? |
//! | [`owned`] | which of them say what a deriver concludes? |
//! | [`changes`] | what is written for them, and did the person take it back before? |
//! | [`evidence`] | which records are mined, and which arrived since the last checkpoint? |
//! | [`segment`] | where do conversations and tasks end? |
//! | [`rules`] | what do records state outright? |
//! | [`nodes`] | which decisions, actions and summaries does a segment have? |

use std::collections::BTreeMap;

use kernel::evidence::Visibility;
use kernel::id::OpId;
use serde::{Deserialize, Serialize};

pub mod changes;
pub mod evidence;
pub mod filter;
#[cfg(test)]
mod fixture;
pub mod nodes;
pub mod owned;
pub mod rules;
pub mod segment;

pub use changes::changes_of;
pub use filter::filter;

/// The tag of everything that is mined.
pub const MINED: &str = "mi:mined";
/// The tag of everything that a checkpoint makes.
pub const CHECKPOINT: &str = "mi:checkpoint";

/// What was found in evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mined {
    /// Claims.
    pub claims: Vec<MinedRecord>,
    /// Nodes.
    #[serde(default)]
    pub nodes: Vec<MinedRecord>,
    /// Edges among them and to what is known.
    #[serde(default)]
    pub edges: Vec<MinedEdge>,
}

/// A claim or a node as it was found. Every field is text until it is checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MinedRecord {
    /// Its name within the answer.
    pub local_id: String,
    /// The type of claim or node.
    #[serde(rename = "type")]
    pub record_type: String,
    /// It in words.
    pub text: String,
    /// `project` or `global`; that of the space if it is empty.
    #[serde(default)]
    pub scope: String,
    /// `private`, `project` or `global`; that of its sources if it is empty.
    #[serde(default)]
    pub visibility: String,
    /// From when it is true.
    #[serde(default)]
    pub valid_from: Option<String>,
    /// Until when (exclusive) it is true.
    #[serde(default)]
    pub valid_to: Option<String>,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// The evidence that says so, by the names that were given.
    pub source_event_ids: Vec<String>,
    /// Labels.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Why, in words.
    #[serde(default)]
    pub notes: String,
}

/// An edge as it was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MinedEdge {
    /// The type of edge.
    #[serde(rename = "type")]
    pub edge_type: String,
    /// Where it begins: the name of something found or known.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// How sure it is.
    pub confidence: f64,
    /// The evidence that says so.
    pub source_event_ids: Vec<String>,
    /// Why, in words.
    #[serde(default)]
    pub notes: String,
}

/// What a record holds for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The project.
    #[default]
    Project,
    /// All projects of the person.
    Global,
}

/// Evidence that may be cited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiningSource {
    /// Its operation.
    pub id: OpId,
    /// Who may see it.
    pub visibility: Visibility,
}

/// A record that edges may join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownRecord {
    /// Its operation.
    pub id: OpId,
    /// What it holds for.
    pub scope: Scope,
}

/// What candidates may name.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Evidence, by the name that whoever mines was given for it.
    pub sources: BTreeMap<String, MiningSource>,
    /// Records that are there already, likewise.
    pub records: BTreeMap<String, KnownRecord>,
    /// The scope of everything if the space is the home space, where there are no projects.
    pub only_scope: Option<Scope>,
}

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MiningLimits {
    /// The least confidence.
    pub confidence_min: f64,
    /// Most claims, and most nodes: the surest.
    pub claims_max: usize,
}

/// A confidence of 0.9, and six claims.
impl Default for MiningLimits {
    fn default() -> Self {
        Self { confidence_min: 0.9, claims_max: 6 }
    }
}

/// A candidate that was not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// Its name within the answer; of an edge, its ends.
    pub local_id: String,
    /// It in words; of an edge, its type.
    pub text: String,
    /// Why: a stable code.
    pub reason: &'static str,
}
