//! The port through which text becomes vectors.

use std::time::Duration;

/// What makes vectors comparable: only those of the same model are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Model {
    /// Who runs it: `local`, `openai`, `ollama`, `gemini`.
    pub provider: String,
    /// Its name there, with a revision or digest where there is one.
    pub name: String,
    /// Length of its vectors.
    pub dimensions: usize,
}

impl std::fmt::Display for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{} ({})", self.provider, self.name, self.dimensions)
    }
}

/// What a text is for: some models read questions otherwise than what answers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is asked.
    Question,
    /// It is searched.
    Memory,
}

/// A model that makes vectors. Calls block; what an implementation keeps open, it may use from one
/// thread at a time.
pub trait Embedder: Send {
    /// Which model.
    fn model(&self) -> &Model;

    /// Most texts of one call of [`Self::embed`].
    fn batch_max(&self) -> usize;

    /// The vectors of `texts`, in their order, each of [`Model::dimensions`] finite numbers, of any
    /// length.
    fn embed(&mut self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why there are no vectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// Nobody answers there.
    #[error("{provider} does not answer: {detail}")]
    Unreachable {
        /// Who was asked.
        provider: String,
        /// What went wrong.
        detail: String,
    },
    /// The answer did not come in time.
    #[error("{provider} did not answer within {} s", waited.as_secs())]
    TimedOut {
        /// Who was asked.
        provider: String,
        /// How long was waited.
        waited: Duration,
    },
    /// Too much was asked for; it may be asked again.
    #[error("{provider} asks to be called less often")]
    RateLimited {
        /// Who was asked.
        provider: String,
        /// When to ask again, if it was said.
        after: Option<Duration>,
    },
    /// It failed on its side (HTTP 5xx); it may be asked again.
    #[error("{provider} failed: {detail}")]
    Failed {
        /// Who was asked.
        provider: String,
        /// What it said.
        detail: String,
        /// When to ask again, if it was said.
        after: Option<Duration>,
    },
    /// It refuses: a key, a name or a text that it does not accept. Asking again does not help.
    #[error("{provider} refuses: {detail}")]
    Refused {
        /// Who was asked.
        provider: String,
        /// What it said.
        detail: String,
    },
    /// The vectors have another length than the model's.
    #[error("{provider} answered with vectors of {found} numbers instead of {expected}")]
    WrongDimensions {
        /// Who was asked.
        provider: String,
        /// Length of the model's vectors.
        expected: usize,
        /// Length of those that came.
        found: usize,
    },
    /// The answer is not what the protocol says.
    #[error("{provider} gave an answer that cannot be read: {detail}")]
    Unreadable {
        /// Who was asked.
        provider: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The model's files are not there or not as they must be.
    #[error("the model in {place} cannot be used: {detail}")]
    Unusable {
        /// The folder.
        place: String,
        /// What is wrong with it.
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

    /// Whether asking again later may help.
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
