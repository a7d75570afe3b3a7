//! Edges: links between two operations, cited as `from` and `to`.

use super::fields::{lenient_body, words};
use crate::evidence::Visibility;

words! {
    /// What an edge says of its ends.
    EdgeType, "type of edge" {
        /// `from` needs `to`.
        DependsOn = "depends_on",
        /// `from` is a reason to believe `to`.
        Supports = "supports",
        /// `from` is a reason to doubt `to`.
        Contradicts = "contradicts",
        /// `from` was made out of `to`.
        DerivedFrom = "derived_from",
        /// `from` names `to`.
        Mentions = "mentions",
        /// `from` is the newer record that replaces `to`.
        Supersedes = "supersedes",
        /// `from` is a duplicate of `to`, the canonical record.
        SameAs = "same_as",
        /// What the label says.
        Relation = "relation",
    }
}

lenient_body! {
    /// Body of an `edge`.
    Edge {
        /// What it says of its ends.
        edge_type: EdgeType,
        /// A name for the relation.
        label: String,
        /// Probability that it holds, 0 … 1.
        confidence: f64,
        /// Why, in words.
        notes: String,
        /// Who may see it.
        visibility: Visibility,
    }
}
