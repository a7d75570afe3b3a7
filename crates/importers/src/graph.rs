//! What a format may hold beside evidence: claims and nodes in words, edges, and retractions.
//!
//! An importer sends these after the evidence that they cite, in the order in which they are to be
//! made. It names everything by the ids of its source; whoever records them looks the ids up.

use std::path::PathBuf;
use std::sync::Arc;

use kernel::body::{EdgeType, NodeType, TextClaimType};
use kernel::evidence::Visibility;
use kernel::when::When;
use serde_json::{Map, Value};

/// A change of the graph of records, with the line of the source that asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphItem {
    /// The file.
    pub file: Arc<PathBuf>,
    /// The line, counted from 1.
    pub line: u64,
    /// The change.
    pub draft: GraphDraft,
}

/// A change of the graph of records.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphDraft {
    /// A claim or a node.
    Statement(Box<StatementDraft>),
    /// An edge.
    Edge(Box<EdgeDraft>),
    /// A retraction.
    Retraction(RetractionDraft),
}

/// What a statement is recorded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementType {
    /// A claim.
    Claim(TextClaimType),
    /// A node.
    Node(NodeType),
}

impl StatementType {
    /// The name of the type.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claim(claim_type) => claim_type.as_str(),
            Self::Node(node_type) => node_type.as_str(),
        }
    }
}

/// A text that its source states.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementDraft {
    /// Its id at its source, by which edges and retractions name it. A later version of the same
    /// record has another.
    pub uid: String,
    /// Other records of the source that say the same, for which it stands, too: their ids, and the
    /// ids of the evidence that they were made from. The evidence of the first counts that cites
    /// nothing missing.
    pub also: Vec<(String, Vec<String>)>,
    /// What it is recorded as.
    pub statement_type: StatementType,
    /// It in words.
    pub text: String,
    /// The ids of the evidence that it was made from.
    pub sources: Vec<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// From when it is true in the world.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true in the world.
    pub valid_to: Option<When>,
    /// When its source recorded it.
    pub asserted_at: Option<When>,
    /// How sure its source is, 0 … 1.
    pub confidence: f64,
    /// Why, in words.
    pub rationale: String,
    /// What else its source says of it.
    pub more: Map<String, Value>,
}

/// A link between two records, or a record and evidence, by their ids at the source.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeDraft {
    /// Its id at its source.
    pub uid: String,
    /// What it says of its ends.
    pub edge_type: EdgeType,
    /// Where it begins. Of `supersedes`, the newer record.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// The ids of the evidence that it was made from.
    pub sources: Vec<String>,
    /// Who may see it, as its source says.
    pub visibility: Visibility,
    /// When its source recorded it.
    pub asserted_at: Option<When>,
    /// Why, in words.
    pub notes: String,
    /// The project that it is from; none of those that all projects share.
    pub project: Option<String>,
}

/// What a source has taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct RetractionDraft {
    /// The id of the record or edge.
    pub target: String,
    /// Why, in words.
    pub reason: String,
    /// The ids of the evidence that says so.
    pub sources: Vec<String>,
}
