//! What operations say: one type a kind.
//!
//! A body is read leniently where the format allows growth (fields that this version does not know
//! stay in the stored bytes) and strictly where a rule depends on it. Fields that may be absent
//! have a default; a missing field that a rule needs makes the body invalid.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::canonical;
use crate::evidence::{Evidence, Visibility};
use crate::id::{Author, BodyHash};
use crate::kind::{Capability, Kind};
use crate::operation::{BODY_BYTES_MAX, DEPTH_IN_LINE, MalformedError};
use crate::proposal::{Decision, Proposal};
use crate::when::When;

/// Body of a genesis operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// The space's name, for people.
    pub name: String,
    /// The key that owns it; the author of the operation.
    pub owner: Author,
    /// When it was made, RFC 3339.
    pub created: String,
    /// Settings that follow the space, e.g. `language`.
    #[serde(default)]
    pub settings: Map<String, Value>,
}

/// Body of a `grant` or `revoke`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    /// The key concerned.
    pub key: Author,
    /// Its name, for people.
    #[serde(default)]
    pub name: String,
    /// What it gains or loses.
    pub capabilities: Vec<Capability>,
}

/// Body of an `evidence_retraction` or `retraction`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Why, in the author's words.
    #[serde(default)]
    pub reason: String,
}

/// Which logic made a claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Deriver {
    /// The deriver's or model's name.
    pub name: String,
    /// Its semantic version.
    pub version: String,
    /// False for a model, whose answer cannot be computed again.
    #[serde(default = "yes")]
    pub deterministic: bool,
}

fn yes() -> bool {
    true
}

/// Body of a `claim`: one version of a belief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Dotted type, e.g. `routine.weekly`; reverse-DNS for third parties.
    pub claim_type: String,
    /// What it is a version of.
    pub identity_key: String,
    /// Whom it is about.
    #[serde(default = "self_subject")]
    pub subject: String,
    /// The belief in words.
    #[serde(default)]
    pub text: String,
    /// The belief as data.
    #[serde(default)]
    pub payload: Value,
    /// Which logic made it; none when a person said it.
    #[serde(default)]
    pub deriver: Option<Deriver>,
    /// Probability that it is true, 0 … 1.
    #[serde(default)]
    pub confidence: f64,
    /// Everything needed to compute the confidence again.
    #[serde(default)]
    pub confidence_basis: Value,
    /// Why, in words.
    #[serde(default)]
    pub rationale: String,
    /// High-water mark of what the deriver had seen.
    #[serde(default)]
    pub valid_at: Option<When>,
    /// From when it is true in the world.
    #[serde(default)]
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true in the world.
    #[serde(default)]
    pub valid_to: Option<When>,
    /// Who may see it.
    #[serde(default)]
    pub visibility: Visibility,
    /// Labels.
    #[serde(default)]
    pub tags: Vec<String>,
}

fn self_subject() -> String {
    "self".to_owned()
}

/// Body of a `claim_correction`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// The identity that is pinned.
    pub identity_key: String,
    /// What is true instead.
    pub corrected_payload: Value,
    /// The same in words.
    #[serde(default)]
    pub text: Option<String>,
    /// Why.
    #[serde(default)]
    pub note: String,
}

/// Body of a `claim_refutation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refutation {
    /// The identity that is false.
    pub identity_key: String,
    /// Why.
    #[serde(default)]
    pub note: String,
}

/// Body of a withdrawal of a correction or refutation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Withdrawal {
    /// Why.
    #[serde(default)]
    pub note: String,
}

/// What a body says, by kind.
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
    /// Withdraws a node, edge, thought or the user's own claim.
    Retraction(Reason),
    /// Operations that await a decision.
    Proposal(Proposal),
    /// The answer to a proposal.
    Decision(Decision),
    /// A kind whose fields no rule depends on yet (thoughts, nodes, edges …) or that is unknown.
    Opaque(Kind, Map<String, Value>),
}

impl Body {
    /// Reads the body of an operation of `kind` from canonical bytes.
    pub fn parse(kind: &Kind, bytes: &[u8]) -> Result<Self, MalformedError> {
        fn typed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MalformedError> {
            serde_json::from_slice(bytes)
                .map_err(|error| MalformedError::new("body", error.to_string()))
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
            Kind::Proposal => Self::Proposal(typed(bytes)?),
            Kind::Decision => Self::Decision(typed(bytes)?),
            other => Self::Opaque(other.clone(), typed(bytes)?),
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
            Self::Opaque(kind, _) => kind.clone(),
        }
    }

    /// Canonical bytes, within [`BODY_BYTES_MAX`] and such that they read back from a line: a
    /// deeper body or a larger number is refused here, before it is signed.
    pub fn canonical(&self) -> Result<Vec<u8>, MalformedError> {
        let bytes = match self {
            Self::Space(body) => canonical::to_bytes(body),
            Self::Grant(body) | Self::Revoke(body) => canonical::to_bytes(body),
            Self::Evidence(body) => canonical::to_bytes(body),
            Self::EvidenceRetraction(body) | Self::Retraction(body) => canonical::to_bytes(body),
            Self::Claim(body) => canonical::to_bytes(body),
            Self::ClaimCorrection(body) => canonical::to_bytes(body),
            Self::ClaimRefutation(body) => canonical::to_bytes(body),
            Self::CorrectionWithdrawal(body) | Self::RefutationWithdrawal(body) => {
                canonical::to_bytes(body)
            }
            Self::Proposal(body) => canonical::to_bytes(body),
            Self::Decision(body) => canonical::to_bytes(body),
            Self::Opaque(_, body) => canonical::to_bytes(body),
        };
        let bytes = bytes.map_err(|error| MalformedError::new("body", error.0))?;
        if bytes.len() > BODY_BYTES_MAX {
            return Err(MalformedError::new("body", "is larger than 1 MiB"));
        }
        canonical::parse_inside(&bytes, DEPTH_IN_LINE)
            .map_err(|error| MalformedError::new("body", error.0))?;
        Ok(bytes)
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
