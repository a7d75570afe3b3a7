//! Why a request about thoughts is not answered, with the codes of the contract.

use engine::EngineError;

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
