//! Why a request about thoughts is refused, with the codes of the contract.

use super::Fault;

/// A request that is refused, whoever asks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ThoughtRefusal {
    /// A field breaks its rule.
    #[error("{message}")]
    Validation {
        /// Which, and how.
        message: String,
    },
    /// Ways to build on thoughts that exclude each other.
    #[error("give only one of refines, consolidates and corrects")]
    MutualExclusion,
    /// Too few thoughts to consolidate.
    #[error("consolidates needs at least two different thoughts")]
    MinConsolidation,
    /// No thought has this id.
    #[error("no thought has the id {id}")]
    NotFound {
        /// The id, as it was given.
        id: String,
    },
    /// The caller has no right on the space, or the space does not exist.
    #[error("this key may not {what}")]
    Forbidden {
        /// What it may not do.
        what: String,
    },
    /// It was copied there before.
    #[error("the thought was shared with that space before")]
    AlreadyShared,
}

impl ThoughtRefusal {
    /// A field that breaks its rule.
    pub(crate) fn field(message: impl Into<String>) -> Self {
        Self::Validation { message: message.into() }
    }

    /// The code of the contract.
    pub(crate) fn contract_code(&self) -> &'static str {
        match self {
            Self::Validation { .. } => "VALIDATION_ERROR",
            Self::MutualExclusion => "MUTUAL_EXCLUSION",
            Self::MinConsolidation => "MIN_CONSOLIDATION",
            Self::NotFound { .. } => "THOUGHT_NOT_FOUND",
            Self::Forbidden { .. } => "FORBIDDEN",
            Self::AlreadyShared => "ALREADY_SHARED",
        }
    }

    /// The code as the program prints it.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Validation { .. } => "thought_request",
            Self::MutualExclusion => "mutual_exclusion",
            Self::MinConsolidation => "min_consolidation",
            Self::NotFound { .. } => "thought_not_found",
            Self::Forbidden { .. } => "thought_forbidden",
            Self::AlreadyShared => "already_shared",
        }
    }

    /// Who can fix it.
    pub(crate) fn fault(&self) -> Fault {
        match self {
            Self::Validation { .. } | Self::MutualExclusion | Self::MinConsolidation => {
                Fault::Caller
            }
            Self::NotFound { .. } => Fault::NotFound,
            Self::Forbidden { .. } => Fault::Forbidden,
            Self::AlreadyShared => Fault::Conflict,
        }
    }
}
