//! Nodes: decisions, actions, summaries and the like, built from what they cite.

use serde_json::Value;

use super::fields::{lenient_body, words};
use crate::evidence::Visibility;

words! {
    /// What a node is.
    NodeType, "type of node" {
        /// Somebody decided something.
        Decision = "decision",
        /// Somebody did something.
        Action = "action",
        /// A summary of a segment or of a project.
        Summary = "summary",
        /// A stored answer to "why".
        WhyTrace = "why_trace",
        /// A person, place or thing.
        Entity = "entity",
    }
}

lenient_body! {
    /// Body of a `node`.
    Node {
        /// What it is.
        node_type: NodeType,
        /// It in words.
        text: String,
        /// It as data.
        payload: Value,
        /// Who may see it.
        visibility: Visibility,
        /// Labels.
        tags: Vec<String>,
    }
}
