//! Proposals and decisions: operations that a program suggests, and the user's answer.
//!
//! A proposal changes nothing by itself. It holds the operations that accepting it appends, cites
//! the sources that they follow from, and names who or what proposes them. A decision of the user
//! answers it. *Reviews* are proposals about the user's own corrections: what a corrected claim was
//! built from changed, or a deriver has another result. As operations they are durable, reach every
//! device, and are answered once.
//!
//! Any object is such a body: a field that does not fit is kept among the
//! [others](Proposal::others) and has no meaning, like one that this version does not know.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::body::fields::{put, take};
use crate::id::OpId;
use crate::kind::Kind;
use crate::local_names;
use crate::refs::only;

/// Body of a `proposal`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Proposal {
    /// Who or what proposes, e.g. [`Proposal::DERIVATION`].
    pub origin: String,
    /// How sure it is, 0 … 1.
    pub confidence: Option<f64>,
    /// In words, for the user.
    pub text: String,
    /// What the user should look at, where the proposal is about the user's own correction.
    pub review: Option<Question>,
    /// What accepting appends.
    pub operations: Vec<Proposed>,
    /// Every other field.
    pub others: Map<String, Value>,
}

/// What a review asks about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The corrected identity.
    pub identity_key: String,
    /// Why it is asked.
    pub reason: Reason,
    /// The operation that changed what the corrected claim was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<OpId>,
    /// What would be believed without the correction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
}

/// Why a review is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// What the corrected claim was built from changed.
    GroundChanged,
    /// A deriver has a result that differs from the correction.
    Disagreement,
}

impl Reason {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GroundChanged => "ground_changed",
            Self::Disagreement => "disagreement",
        }
    }
}

/// An operation that is proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposed {
    /// The name by which later operations of the proposal cite it
    /// ([`local_names`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<String>,
    /// Its kind.
    pub kind: String,
    /// Its body.
    pub body: Map<String, Value>,
    /// Its citations.
    #[serde(default)]
    pub refs: Vec<ProposedRef>,
}

/// A citation of a proposed operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ProposedRefFields", into = "ProposedRefFields")]
pub struct ProposedRef {
    /// What it cites.
    pub target: ProposedTarget,
    /// As what.
    pub role: String,
}

/// What a proposed operation cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposedTarget {
    /// A recorded operation.
    Id(OpId),
    /// An earlier operation of the same proposal, by its local name.
    Local(String),
}

/// A citation as it is written: exactly one of `id` and `local`.
#[derive(Serialize, Deserialize)]
struct ProposedRefFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<OpId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    local: Option<String>,
    role: String,
}

impl TryFrom<ProposedRefFields> for ProposedRef {
    type Error = &'static str;

    fn try_from(fields: ProposedRefFields) -> Result<Self, Self::Error> {
        let ProposedRefFields { id, local, role } = fields;
        let target = match (id, local) {
            (Some(id), None) => ProposedTarget::Id(id),
            (None, Some(name)) => ProposedTarget::Local(name),
            _ => return Err("a citation has either `id` or `local`"),
        };
        Ok(Self { target, role })
    }
}

impl From<ProposedRef> for ProposedRefFields {
    fn from(reference: ProposedRef) -> Self {
        let ProposedRef { target, role } = reference;
        match target {
            ProposedTarget::Id(id) => Self { id: Some(id), local: None, role },
            ProposedTarget::Local(name) => Self { id: None, local: Some(name), role },
        }
    }
}

/// Body of a `decision`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Decision {
    /// [`Decision::ACCEPT`], [`Decision::REJECT`], or another word.
    pub verdict: String,
    /// The reason for the decision; empty if none was given.
    pub feedback: String,
    /// Every other field.
    pub others: Map<String, Value>,
}

impl Proposal {
    /// The origin of what derivation and cascade propose.
    pub const DERIVATION: &'static str = "derivation";
    /// The role in which a proposal cites its sources.
    pub const SOURCE: &'static str = "source";
}

impl Proposal {
    /// The first field that must not be appended so: the names in `operations` do not resolve.
    pub fn unfit_field(&self) -> Option<&'static str> {
        local_names::check(&self.operations).is_err().then_some("operations")
    }
}

impl Decision {
    /// The proposed operations are appended.
    pub const ACCEPT: &'static str = "accept";
    /// They are not.
    pub const REJECT: &'static str = "reject";
    /// What was appended is taken back.
    pub const REVERT: &'static str = "revert";
    /// What is proposed is another name of something that is there.
    pub const ALIAS: &'static str = "alias";
}

impl Proposed {
    /// The kind, if it is a word.
    pub fn kind(&self) -> Option<Kind> {
        Kind::parse(&self.kind).ok()
    }

    /// The recorded operation that it cites in `role`, if it cites exactly one operation so.
    pub fn sole_ref(&self, role: &str) -> Option<OpId> {
        match only(self.refs.iter().filter(|reference| reference.role == role))?.target {
            ProposedTarget::Id(id) => Some(id),
            ProposedTarget::Local(_) => None,
        }
    }
}

impl From<Map<String, Value>> for Proposal {
    fn from(mut fields: Map<String, Value>) -> Self {
        Self {
            origin: take(&mut fields, "origin").unwrap_or_default(),
            confidence: take(&mut fields, "confidence"),
            text: take(&mut fields, "text").unwrap_or_default(),
            review: take(&mut fields, "review"),
            operations: take(&mut fields, "operations").unwrap_or_default(),
            others: fields,
        }
    }
}

impl From<Proposal> for Map<String, Value> {
    fn from(proposal: Proposal) -> Self {
        let Proposal { origin, confidence, text, review, operations, others: mut fields } =
            proposal;
        for (name, text) in [("origin", origin), ("text", text)] {
            if !text.is_empty() {
                put(&mut fields, name, &text);
            }
        }
        put(&mut fields, "confidence", &confidence);
        put(&mut fields, "review", &review);
        if !operations.is_empty() {
            put(&mut fields, "operations", &operations);
        }
        fields
    }
}

impl From<Map<String, Value>> for Decision {
    fn from(mut fields: Map<String, Value>) -> Self {
        Self {
            verdict: take(&mut fields, "verdict").unwrap_or_default(),
            feedback: take(&mut fields, "feedback").unwrap_or_default(),
            others: fields,
        }
    }
}

impl From<Decision> for Map<String, Value> {
    fn from(decision: Decision) -> Self {
        let Decision { verdict, feedback, others: mut fields } = decision;
        for (name, text) in [("verdict", verdict), ("feedback", feedback)] {
            if !text.is_empty() {
                put(&mut fields, name, &text);
            }
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::body::Body;

    #[test]
    fn any_object_is_a_proposal_and_keeps_every_field() {
        let id = OpId([7; 32]);
        for value in [
            json!({}),
            json!({ "origin": "model", "confidence": 0.5, "more": [1] }),
            json!({ "origin": 3, "confidence": "high", "review": { "identity_key": "k" }, "operations": [{}] }),
            json!({ "origin": "derivation", "text": "look", "review": { "identity_key": "k", "reason": "ground_changed", "trigger": id },
                "operations": [{ "kind": "correction_withdrawal", "body": { "note": "n" }, "refs": [{ "id": id, "role": "target" }] }] }),
        ] {
            let bytes = crate::canonical::to_bytes(&value).unwrap();
            let body = Body::parse(&Kind::Proposal, &bytes).unwrap();
            assert_eq!(body.canonical().unwrap(), bytes, "{value}");
            assert_eq!(body.kind(), Kind::Proposal);
        }
    }

    #[test]
    fn any_object_is_a_decision() {
        for value in
            [json!({}), json!({ "verdict": "accept", "canonical": "x" }), json!({ "verdict": 1 })]
        {
            let bytes = crate::canonical::to_bytes(&value).unwrap();
            let body = Body::parse(&Kind::Decision, &bytes).unwrap();
            assert_eq!(body.canonical().unwrap(), bytes, "{value}");
        }
    }
}
