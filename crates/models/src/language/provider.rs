//! Who runs a language model, and how a model is named in the configuration.

use std::time::Duration;

use crate::remote::is_model_name;

/// A provider of language models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    /// OpenAI.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Google's Gemini, at its endpoint that is compatible with OpenAI's.
    Gemini,
    /// Ollama.
    Ollama,
    /// OpenRouter.
    OpenRouter,
    /// Any other server with OpenAI's protocol: llama.cpp, vLLM, LM Studio, LiteLLM.
    OpenAiCompatible,
}

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// `POST {base}/chat/completions`.
    ChatCompletions,
    /// `POST {base}/messages`.
    Messages,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::OpenRouter,
        Self::OpenAiCompatible,
    ];

    /// Its name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::OpenRouter => "openrouter",
            Self::OpenAiCompatible => "openai-compatible",
        }
    }

    /// Its own address; none for a server that has to be named.
    pub fn default_base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta/openai"),
            Self::Ollama => Some("http://127.0.0.1:11434/v1"),
            Self::OpenRouter => Some("https://openrouter.ai/api/v1"),
            Self::OpenAiCompatible => None,
        }
    }

    /// The usual environment variable of its key; `None` if it needs no key.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::OpenRouter => Some("OPENROUTER_API_KEY"),
            Self::Ollama | Self::OpenAiCompatible => None,
        }
    }

    /// Default time for an answer, with all retries. A model at home is slow, and Ollama loads it
    /// on the first request.
    pub fn default_timeout(self) -> Duration {
        match self {
            Self::Ollama | Self::OpenAiCompatible => Duration::from_secs(600),
            _ => Duration::from_secs(120),
        }
    }

    pub(super) fn protocol(self) -> Protocol {
        match self {
            Self::Anthropic => Protocol::Messages,
            _ => Protocol::ChatCompletions,
        }
    }
}

impl std::fmt::Display for Provider {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A language model as named in the configuration: `openai:gpt-4o-mini`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// Who runs it.
    pub provider: Provider,
    /// Its name there.
    pub model: String,
}

/// The text does not name a language model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} names no language model: use openai:MODEL, anthropic:MODEL, gemini:MODEL, ollama:MODEL, openrouter:MODEL or openai-compatible:MODEL"
)]
pub struct ModelNameError {
    /// The text.
    pub text: String,
}

impl std::str::FromStr for ModelName {
    type Err = ModelNameError;

    /// ```
    /// use models::language::ModelName;
    /// let name: ModelName = "ollama:qwen3:4b".parse().unwrap();
    /// assert_eq!((name.provider.as_str(), name.model.as_str()), ("ollama", "qwen3:4b"));
    /// ```
    fn from_str(text: &str) -> Result<Self, ModelNameError> {
        let text = text.trim();
        let named = text.split_once(':').and_then(|(provider, model)| {
            let provider = Provider::ALL.into_iter().find(|one| one.as_str() == provider)?;
            is_model_name(model).then(|| Self { provider, model: model.to_owned() })
        });
        named.ok_or_else(|| ModelNameError {
            text: text.chars().filter(|c| !c.is_control()).take(100).collect(),
        })
    }
}

impl std::fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.provider, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_prints_as_it_was_parsed() {
        for text in [
            "openai:gpt-4o-mini",
            "anthropic:claude-sonnet-4-5",
            "gemini:gemini-2.5-flash",
            "ollama:qwen3:4b",
            "openrouter:meta-llama/llama-3.3-70b-instruct:free",
            "openai-compatible:Qwen/Qwen3-8B",
        ] {
            assert_eq!(text.parse::<ModelName>().unwrap().to_string(), text);
        }
        for text in
            ["", "gpt-4o", "openai:", "opneai:x", "openai:a b", "https://example.com", "local:x"]
        {
            let error = text.parse::<ModelName>().unwrap_err();
            assert!(error.to_string().contains("anthropic:MODEL"), "{error}");
        }
    }
}
