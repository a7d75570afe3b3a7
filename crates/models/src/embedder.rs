//! The port to embedding models.

use std::time::Duration;

/// The identity of a model: only vectors of the same model are comparable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Model {
    /// The provider: `local`, `openai`, `ollama` or `gemini`.
    pub provider: String,
    /// Its name at the provider, with a revision or digest if there is one.
    pub name: String,
    /// Length of its vectors.
    pub dimensions: usize,
}

impl std::fmt::Display for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{} ({})", self.provider, self.name, self.dimensions)
    }
}

/// The purpose of a text: some models embed questions differently from the texts that answer them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is a question.
    Question,
    /// It is searched for answers.
    Memory,
}

/// An embedding model. Calls block; an implementation may keep resources that only one thread at a
/// time can use.
pub trait Embedder: Send {
    /// The model's identity.
    fn model(&self) -> &Model;

    /// Most texts in one call of [`Self::embed`].
    fn batch_max(&self) -> usize;

    /// The vectors of `texts`, in the same order: [`Model::dimensions`] finite numbers each, not
    /// necessarily of unit length.
    fn embed(&mut self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why embedding failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// No server answers at the address.
    #[error("{provider} does not answer: {detail}")]
    Unreachable {
        /// The provider.
        provider: String,
        /// The reason.
        detail: String,
    },
    /// The response did not arrive in time.
    #[error("{provider} did not answer within {} s", waited.as_secs())]
    TimedOut {
        /// The provider.
        provider: String,
        /// The timeout.
        waited: Duration,
    },
    /// The rate limit is exceeded; a later retry may succeed.
    #[error("{provider} asks for fewer requests")]
    RateLimited {
        /// The provider.
        provider: String,
        /// When to retry, if the provider says so.
        after: Option<Duration>,
    },
    /// The provider failed (HTTP 5xx); a retry may succeed.
    #[error("{provider} failed: {detail}")]
    Failed {
        /// The provider.
        provider: String,
        /// The provider's message.
        detail: String,
        /// When to retry, if the provider says so.
        after: Option<Duration>,
    },
    /// The provider rejects the request: it does not accept a key, a name or a text. A retry does
    /// not help.
    #[error("{provider} refuses: {detail}")]
    Refused {
        /// The provider.
        provider: String,
        /// The provider's message.
        detail: String,
    },
    /// The vectors have another length than the model's.
    #[error("{provider} answered with vectors of {found} numbers instead of {expected}")]
    WrongDimensions {
        /// The provider.
        provider: String,
        /// Length of the model's vectors.
        expected: usize,
        /// Length of the vectors in the response.
        found: usize,
    },
    /// The response violates the protocol.
    #[error("{provider} sent an invalid response: {detail}")]
    Unreadable {
        /// The provider.
        provider: String,
        /// The problem.
        detail: String,
    },
    /// The model's files are missing or invalid.
    #[error("the model in {place} cannot be used: {detail}")]
    Unusable {
        /// The folder.
        place: String,
        /// The problem.
        detail: String,
    },
}

impl EmbedError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "embedder_unreachable",
            Self::TimedOut { .. } => "embedder_timed_out",
            Self::RateLimited { .. } => "embedder_rate_limited",
            Self::Failed { .. } => "embedder_failed",
            Self::Refused { .. } => "embedder_refused",
            Self::WrongDimensions { .. } => "embedder_wrong_dimensions",
            Self::Unreadable { .. } => "embedder_unreadable",
            Self::Unusable { .. } => "model_unusable",
        }
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
