//! Why a language model gives no valid answer.

use std::time::Duration;

/// Why no answer is valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LanguageError {
    /// No server answers at the address.
    #[error("{model} does not answer: {detail}")]
    Unreachable {
        /// The model.
        model: String,
        /// The reason.
        detail: String,
    },
    /// There was no valid answer in time.
    #[error("{model} did not answer within {waited:?}")]
    TimedOut {
        /// The model.
        model: String,
        /// The timeout of the call, with all retries.
        waited: Duration,
    },
    /// The rate limit is exceeded, and the time that is left is too short to wait.
    #[error("{model} asks for fewer requests")]
    RateLimited {
        /// The model.
        model: String,
        /// When to retry, if the provider says so.
        after: Option<Duration>,
    },
    /// The provider failed (HTTP 5xx), and failed again.
    #[error("{model} failed: {detail}")]
    Failed {
        /// The model.
        model: String,
        /// The provider's message.
        detail: String,
    },
    /// The provider rejects the request: the key, the model's name, or its length.
    #[error("{model} refuses: {detail}")]
    Refused {
        /// The model.
        model: String,
        /// The provider's message.
        detail: String,
    },
    /// The model declines to answer because of the content.
    #[error("{model} declines to answer: {detail}")]
    Declined {
        /// The model.
        model: String,
        /// Its reason.
        detail: String,
    },
    /// The answer was cut off at the limit of its tokens.
    #[error("the answer of {model} was cut off after {output_tokens_max} tokens")]
    Truncated {
        /// The model.
        model: String,
        /// The limit.
        output_tokens_max: u32,
    },
    /// The answer does not fit the schema, even after the model was told what is wrong.
    #[error("{model} answered {attempts} times, but not in the form that was asked for: {detail}")]
    InvalidAnswer {
        /// The model.
        model: String,
        /// What is wrong with the last answer.
        detail: String,
        /// How many answers there were.
        attempts: u32,
    },
    /// The response violates the protocol.
    #[error("{model} sent an invalid response: {detail}")]
    Unreadable {
        /// The model.
        model: String,
        /// The problem.
        detail: String,
    },
    /// The request is longer than any is sent.
    #[error("the request has {bytes} bytes; at most {bytes_max} are sent")]
    RequestTooLarge {
        /// Its length.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
}

impl LanguageError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "language_model_unreachable",
            Self::TimedOut { .. } => "language_model_timed_out",
            Self::RateLimited { .. } => "language_model_rate_limited",
            Self::Failed { .. } => "language_model_failed",
            Self::Refused { .. } => "language_model_refused",
            Self::Declined { .. } => "language_model_declined",
            Self::Truncated { .. } => "language_model_truncated",
            Self::InvalidAnswer { .. } => "language_model_invalid_answer",
            Self::Unreadable { .. } => "language_model_unreadable",
            Self::RequestTooLarge { .. } => "language_model_request_too_large",
        }
    }

    /// Whether it is about this request alone, so that others may be answered.
    pub fn is_of_request(&self) -> bool {
        matches!(
            self,
            Self::Declined { .. }
                | Self::Truncated { .. }
                | Self::InvalidAnswer { .. }
                | Self::RequestTooLarge { .. }
        )
    }

    /// Whether a later retry may succeed.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::TimedOut { .. }
                | Self::RateLimited { .. }
                | Self::Failed { .. }
        )
    }
}
