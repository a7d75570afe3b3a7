//! Why a change of the graph is refused, or fails.

use kernel::body::{Claim, TextClaimType};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::records::RecordStatus;
use kernel::rules::{JudgeError, RuleViolation};

use crate::EngineError;

/// Why a change is refused.
#[derive(Debug, thiserror::Error)]
pub enum GraphRefusal {
    /// It breaks a rule of the ledger.
    #[error(transparent)]
    Rule(#[from] RuleViolation),
    /// What it cites has no such name.
    #[error("no earlier change of the list has the name {name:?}")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// Only an active record is replaced.
    #[error(
        "{id} is {}: only an active claim or node is replaced",
        match status {
            None => "neither a claim nor a node",
            Some(RecordStatus::Alias) => "an alias",
            Some(status) => status.as_str(),
        }
    )]
    NotActive {
        /// The record.
        id: OpId,
        /// Its status.
        status: Option<RecordStatus>,
    },
    /// A replacement says something else.
    #[error("{id} says this already")]
    SameText {
        /// The record.
        id: OpId,
    },
    /// Nothing is joined to what was forgotten.
    #[error("{id} was forgotten")]
    Forgotten {
        /// The operation.
        id: OpId,
    },
    /// A change of the graph does not touch other operations.
    #[error("{id} is of kind {kind}: only claims, nodes and edges are changed here")]
    NotInGraph {
        /// The operation.
        id: OpId,
        /// Its kind.
        kind: Kind,
    },
    /// What a model said supports nothing.
    #[error("{id} is what a language model was asked and answered, and not a source")]
    Transcript {
        /// The transcript.
        id: OpId,
    },
    /// The user's correction would stand beside what takes its place.
    #[error("{id} was corrected by the user, and the correction would stay beside this")]
    Corrected {
        /// The claim.
        id: OpId,
    },
    /// Both ends of a replacement or a redirect would be gone.
    #[error(
        "{stays} already gives way to {goes}, as its alias or because that replaced it, so neither \
        would be left: retract the edge that says so first, or name the canonical record"
    )]
    MixedRing {
        /// The end that should stay.
        stays: OpId,
        /// The end that should go.
        goes: OpId,
    },
    /// Derivation would say it again.
    #[error("{id} was derived, so it would be derived again: refute or correct it")]
    Derived {
        /// The claim.
        id: OpId,
    },
}

impl GraphRefusal {
    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Rule(violation) => violation.code(),
            Self::UnknownName { .. } | Self::Forgotten { .. } => "unknown_ref",
            Self::NotActive { .. } => "not_active",
            Self::SameText { .. } => "same_text",
            Self::NotInGraph { .. } => "not_in_graph",
            Self::MixedRing { .. } => "cycle",
            Self::Derived { .. } => "not_permitted",
            Self::Corrected { .. } => "users_word",
            Self::Transcript { .. } => "transcript_input",
        }
    }
}

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GraphError {
    /// It cannot be made.
    #[error(transparent)]
    Refused(#[from] GraphRefusal),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<store::StoreError> for GraphError {
    fn from(error: store::StoreError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<RuleViolation> for GraphError {
    fn from(violation: RuleViolation) -> Self {
        Self::Refused(violation.into())
    }
}

impl From<kernel::operation::MalformedError> for GraphError {
    fn from(error: kernel::operation::MalformedError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<JudgeError<store::StoreError>> for GraphError {
    fn from(error: JudgeError<store::StoreError>) -> Self {
        match error {
            JudgeError::RuleViolation(violation) => violation.into(),
            JudgeError::LedgerIndex(error) => error.into(),
        }
    }
}

/// Whether derivation would say a claim again. What rules mine in words is not derived again.
pub(crate) fn is_derived(claim: &Claim) -> bool {
    claim.deriver.as_ref().is_some_and(|deriver| deriver.deterministic)
        && claim.claim_type.parse::<TextClaimType>().is_err()
}
