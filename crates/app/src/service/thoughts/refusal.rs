//! Why a request about thoughts is not answered, with the codes and statuses of the contract.

use engine::EngineError;
use store::StoreError;

use crate::failure::Failure;
pub(crate) use crate::failure::ThoughtRefusal;

/// Why a request about thoughts is not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ThoughtError {
    /// It is refused.
    #[error(transparent)]
    Refused(#[from] ThoughtRefusal),
    /// It failed.
    #[error(transparent)]
    Failed(#[from] Failure),
}

impl From<EngineError> for ThoughtError {
    fn from(error: EngineError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<ThoughtError> for Failure {
    fn from(error: ThoughtError) -> Self {
        match error {
            ThoughtError::Refused(refusal) => Self::Thought(refusal),
            ThoughtError::Failed(failure) => failure,
        }
    }
}

impl ThoughtError {
    /// The code of the contract.
    #[cfg_attr(not(test), allow(dead_code, reason = "what answers over HTTP calls it"))]
    pub(crate) fn contract_code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.contract_code(),
            Self::Failed(Failure::Engine(EngineError::Record(_))) => "FORBIDDEN",
            Self::Failed(Failure::Engine(EngineError::Store(
                StoreError::Sqlite(_)
                | StoreError::Io { .. }
                | StoreError::DiskFull
                | StoreError::WriteFailed
                | StoreError::Busy { .. }
                | StoreError::ReadOnly,
            ))) => "STORE_ERROR",
            Self::Failed(_) => "INTERNAL_ERROR",
        }
    }

    /// The status of the answer over HTTP.
    #[cfg_attr(not(test), allow(dead_code, reason = "what answers over HTTP calls it"))]
    pub(crate) fn status(&self) -> u16 {
        match self.contract_code() {
            "VALIDATION_ERROR" | "MUTUAL_EXCLUSION" | "MIN_CONSOLIDATION" => 400,
            "FORBIDDEN" => 403,
            "THOUGHT_NOT_FOUND" => 404,
            "ALREADY_SHARED" => 409,
            _ => 500,
        }
    }
}
