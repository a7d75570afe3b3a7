//! The bodies of operations: one type for each kind.
//!
//! A body is read strictly where a rule depends on it: a field that is missing or does not fit
//! makes the operation malformed. Fields that may be absent have a default, and fields that this
//! version does not know stay in the stored bytes. Where no rule depends on a field, any object is
//! a body (`fields.rs`).

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::canonical;
use crate::evidence::Evidence;
use crate::id::BodyHash;
use crate::kind::{Kind, OtherKind};
use crate::operation::{DEPTH_IN_LINE, Malformation, MalformedError, check_length};
use crate::proposal::{Decision, Proposal};

mod annotation;
mod claim;
mod edge;
pub(crate) mod fields;
mod import;
mod node;
mod redaction;
mod space;
mod thought;
mod user;

pub use annotation::{Annotation, Mark};
pub use claim::{Claim, Deriver, LastSeen, TextClaimType, end_us};
pub use edge::{Edge, EdgeType};
pub use import::{Import, Importer, SeqRange};
pub use node::{Node, NodeType};
pub use redaction::Redaction;
pub use space::{Grant, Space};
pub use thought::{Thought, ThoughtType};
pub use user::{Correction, Reason, Refutation, Withdrawal};

/// A word that is not one of a closed set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not a {what}: write one of {}", known.join(", "))]
pub struct UnknownWord {
    /// The word, cut to 64 characters.
    pub word: String,
    /// What it should have been.
    pub what: &'static str,
    /// The words that there are.
    pub known: &'static [&'static str],
}

/// A body, by kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Begins a space.
    Space(Space),
    /// Gives capabilities.
    Grant(Grant),
    /// Takes capabilities.
    Revoke(Grant),
    /// An imported or stated record.
    Evidence(Evidence),
    /// Withdraws evidence.
    EvidenceRetraction(Reason),
    /// A believed statement.
    Claim(Claim),
    /// Replaces a claim's payload.
    ClaimCorrection(Correction),
    /// Says that a claim is false.
    ClaimRefutation(Refutation),
    /// Takes back a correction.
    CorrectionWithdrawal(Withdrawal),
    /// Takes back a refutation.
    RefutationWithdrawal(Withdrawal),
    /// Withdraws a node, edge, thought or claim.
    Retraction(Reason),
    /// Takes back a retraction.
    RetractionWithdrawal(Withdrawal),
    /// Records that a source was read.
    Import(Import),
    /// Records that a claim lost its ground. Its citations say everything.
    ClaimInvalidation(Map<String, Value>),
    /// An agent's contribution.
    Thought(Thought),
    /// A decision, action, summary, why-trace or entity.
    Node(Node),
    /// A link between two operations.
    Edge(Edge),
    /// Labels on an operation.
    Annotation(Annotation),
    /// Records that a body was forgotten.
    Redaction(Redaction),
    /// Operations that await a decision.
    Proposal(Proposal),
    /// The answer to a proposal.
    Decision(Decision),
    /// Of a kind that this version does not know.
    Other(OtherKind, Map<String, Value>),
}

impl Body {
    /// Reads the body of an operation of `kind` from canonical bytes.
    pub fn parse(kind: &Kind, bytes: &[u8]) -> Result<Self, MalformedError> {
        fn typed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MalformedError> {
            serde_json::from_slice(bytes)
                .map_err(|error| MalformedError::new("body", Malformation::Body(error.to_string())))
        }
        Ok(match kind {
            Kind::Space => Self::Space(typed(bytes)?),
            Kind::Grant => Self::Grant(typed(bytes)?),
            Kind::Revoke => Self::Revoke(typed(bytes)?),
            Kind::Evidence => Self::Evidence(typed(bytes)?),
            Kind::EvidenceRetraction => Self::EvidenceRetraction(typed(bytes)?),
            Kind::Claim => Self::Claim(typed(bytes)?),
            Kind::ClaimCorrection => Self::ClaimCorrection(typed(bytes)?),
            Kind::ClaimRefutation => Self::ClaimRefutation(typed(bytes)?),
            Kind::CorrectionWithdrawal => Self::CorrectionWithdrawal(typed(bytes)?),
            Kind::RefutationWithdrawal => Self::RefutationWithdrawal(typed(bytes)?),
            Kind::Retraction => Self::Retraction(typed(bytes)?),
            Kind::RetractionWithdrawal => Self::RetractionWithdrawal(typed(bytes)?),
            Kind::Import => Self::Import(typed(bytes)?),
            Kind::Proposal => Self::Proposal(typed(bytes)?),
            Kind::Decision => Self::Decision(typed(bytes)?),
            Kind::ClaimInvalidation => Self::ClaimInvalidation(typed(bytes)?),
            Kind::Thought => Self::Thought(typed(bytes)?),
            Kind::Node => Self::Node(typed(bytes)?),
            Kind::Edge => Self::Edge(typed(bytes)?),
            Kind::Annotation => Self::Annotation(typed(bytes)?),
            Kind::Redaction => Self::Redaction(typed(bytes)?),
            Kind::Other(other) => Self::Other(other.clone(), typed(bytes)?),
        })
    }

    /// The kind of operation that carries it.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Space(_) => Kind::Space,
            Self::Grant(_) => Kind::Grant,
            Self::Revoke(_) => Kind::Revoke,
            Self::Evidence(_) => Kind::Evidence,
            Self::EvidenceRetraction(_) => Kind::EvidenceRetraction,
            Self::Claim(_) => Kind::Claim,
            Self::ClaimCorrection(_) => Kind::ClaimCorrection,
            Self::ClaimRefutation(_) => Kind::ClaimRefutation,
            Self::CorrectionWithdrawal(_) => Kind::CorrectionWithdrawal,
            Self::RefutationWithdrawal(_) => Kind::RefutationWithdrawal,
            Self::Retraction(_) => Kind::Retraction,
            Self::Proposal(_) => Kind::Proposal,
            Self::Decision(_) => Kind::Decision,
            Self::RetractionWithdrawal(_) => Kind::RetractionWithdrawal,
            Self::Import(_) => Kind::Import,
            Self::ClaimInvalidation(_) => Kind::ClaimInvalidation,
            Self::Thought(_) => Kind::Thought,
            Self::Node(_) => Kind::Node,
            Self::Edge(_) => Kind::Edge,
            Self::Annotation(_) => Kind::Annotation,
            Self::Redaction(_) => Kind::Redaction,
            Self::Other(kind, _) => Kind::Other(kind.clone()),
        }
    }

    /// Canonical bytes, within [`BODY_BYTES_MAX`](crate::operation::BODY_BYTES_MAX) and such that
    /// they read back from a line: a deeper body or a larger number is refused here, before it is
    /// signed.
    pub fn canonical(&self) -> Result<Vec<u8>, MalformedError> {
        let bytes = match self {
            Self::Space(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::Grant(body) | Self::Revoke(body) => {
                canonical::to_bytes_inside(body, DEPTH_IN_LINE)
            }
            Self::Evidence(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::EvidenceRetraction(body) | Self::Retraction(body) => {
                canonical::to_bytes_inside(body, DEPTH_IN_LINE)
            }
            Self::Claim(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::ClaimCorrection(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::ClaimRefutation(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::CorrectionWithdrawal(body)
            | Self::RefutationWithdrawal(body)
            | Self::RetractionWithdrawal(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::Import(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::Proposal(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::Decision(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::ClaimInvalidation(body) | Self::Other(_, body) => {
                canonical::to_bytes_inside(body, DEPTH_IN_LINE)
            }
            Self::Thought(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::Node(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::Edge(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::Annotation(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
            Self::Redaction(body) => canonical::to_bytes_inside(body, DEPTH_IN_LINE),
        };
        let bytes = bytes.map_err(|error| MalformedError::new("body", error))?;
        check_length(&bytes)?;
        Ok(bytes)
    }

    /// The first field whose value does not fit, beyond what reading the body has checked.
    pub fn unfit_field(&self) -> Option<&'static str> {
        match self {
            Self::Thought(body) => body.unfit_field(),
            Self::Node(body) => body.unfit_field(),
            Self::Edge(body) => body.unfit_field(),
            Self::Annotation(body) => body.unfit_field(),
            Self::Redaction(body) => body.unfit_field(),
            Self::Import(body) => body.unfit_field(),
            Self::Proposal(body) => body.unfit_field(),
            Self::Space(body) => body.unfit_field(),
            // Nobody has the key that this would empower.
            Self::Grant(body) if body.key.is_weak() => Some("key"),
            // Their fields are read strictly, or have no meaning where they do not fit.
            Self::Grant(_)
            | Self::Revoke(_)
            | Self::Evidence(_)
            | Self::EvidenceRetraction(_)
            | Self::Claim(_)
            | Self::ClaimCorrection(_)
            | Self::ClaimRefutation(_)
            | Self::CorrectionWithdrawal(_)
            | Self::RefutationWithdrawal(_)
            | Self::Retraction(_)
            | Self::RetractionWithdrawal(_)
            | Self::ClaimInvalidation(_)
            | Self::Decision(_)
            | Self::Other(..) => None,
        }
    }

    /// The identity that a claim, correction or refutation is about, and the digest of the payload
    /// it states.
    pub fn identity(&self) -> Option<(&str, Option<BodyHash>)> {
        match self {
            Self::Claim(claim) => Some((&claim.identity_key, Some(payload_digest(&claim.payload)))),
            Self::ClaimCorrection(correction) => Some((
                &correction.identity_key,
                Some(payload_digest(&correction.corrected_payload)),
            )),
            Self::ClaimRefutation(refutation) => Some((&refutation.identity_key, None)),
            _ => None,
        }
    }
}

/// Two payloads are equal when their canonical bytes are, which is when their digests are.
pub fn payload_digest(payload: &Value) -> BodyHash {
    let bytes = canonical::to_bytes(payload).unwrap_or_default();
    BodyHash(*blake3::hash(&bytes).as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(kind: &Kind, body: &Value) -> Body {
        Body::parse(kind, &canonical::to_bytes(body).unwrap()).unwrap()
    }

    #[test]
    fn any_object_is_a_thought_node_edge_annotation_or_redaction_and_keeps_its_bytes() {
        let kinds = [Kind::Thought, Kind::Node, Kind::Edge, Kind::Annotation, Kind::Redaction];
        for body in [
            json!({}),
            json!({ "content": "hm", "text": "hm", "reason": "hm", "notes": "", "tags": [] }),
            json!({ "thought_type": "original", "node_type": "entity", "edge_type": "same_as", "mark": "none" }),
            json!({ "thought_type": "wild", "node_type": 1, "edge_type": null, "mark": ["x"], "tags": "x" }),
            json!({ "confidence": 1, "payload": null, "visibility": "secret", "com.example": { "deep": [1.5] } }),
            json!({ "payload": 1e-7, "pipeline": [null], "confidence": "high", "visibility": "private" }),
        ] {
            for kind in &kinds {
                let parsed = read(kind, &body);
                assert_eq!(parsed.canonical().unwrap(), canonical::to_bytes(&body).unwrap());
                assert_eq!(parsed.kind(), *kind);
            }
        }
    }

    #[test]
    fn a_value_that_does_not_fit_is_kept_and_named() {
        let table = [
            (Kind::Node, json!({ "node_type": "entity", "text": "a", "payload": null }), None),
            (Kind::Node, json!({ "node_type": "event" }), Some("node_type")),
            (Kind::Thought, json!({ "content": "a", "tags": ["b", 1] }), Some("tags")),
            (Kind::Thought, json!({ "thought_type": null }), None),
            (Kind::Edge, json!({ "edge_type": "same_as", "confidence": 0.5 }), None),
            (Kind::Edge, json!({ "edge_type": "likes" }), Some("edge_type")),
            (Kind::Annotation, json!({ "mark": "removed" }), Some("mark")),
            (Kind::Redaction, json!({ "reason": 1 }), Some("reason")),
            (Kind::Decision, json!({ "verdict": 1 }), None),
        ];
        for (kind, body, unfit) in table {
            assert_eq!(read(&kind, &body).unfit_field(), unfit, "{kind} {body}");
        }
    }

    #[test]
    fn fields_are_read_by_their_types() {
        let body = json!({ "edge_type": "depends_on", "confidence": 1, "label": "needs" });
        let Body::Edge(edge) = read(&Kind::Edge, &body) else { panic!() };
        assert_eq!(edge.edge_type, Some(EdgeType::DependsOn));
        assert_eq!((edge.confidence, edge.label.as_deref()), (Some(1.0), Some("needs")));
        assert_eq!((edge.notes, edge.others.len()), (None, 0));
        let error = "likes".parse::<EdgeType>().unwrap_err().to_string();
        assert!(error.starts_with("\"likes\" is not a type of edge: write one of depends_on, "));
    }
}
