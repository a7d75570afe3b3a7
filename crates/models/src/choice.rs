//! Selecting and opening the embedding model.
//!
//! A [`Selection`] is what the user's configuration names; a [`Choice`] has everything needed to
//! open it. The caller reads the configuration and keys; this crate does not know where they come
//! from.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::bert::Bert;
use crate::embedder::{EmbedError, Embedder};
use crate::hub::{HubName, ModelDir};
use crate::remote::{Mask, Remote, Service, ServiceConfig};

/// The name of the built-in model.
pub const BUILT_IN: &str = "built-in";
/// The provider name before a folder.
const LOCAL: &str = "local";

/// A model as named in the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// `built-in`: the built-in table.
    BuiltIn,
    /// `local:FOLDER`: a model in a folder.
    Folder(PathBuf),
    /// `OWNER/NAME`, or `local:OWNER/NAME` if no such folder exists: a model that was downloaded
    /// from the hub.
    Downloaded(HubName),
    /// `openai:MODEL`, `ollama:MODEL`, `gemini:MODEL`.
    Served {
        /// The service that runs it.
        service: Service,
        /// Its name at the service.
        model: String,
    },
}

/// The text does not name a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} names no model: use built-in, OWNER/NAME (downloaded from the hub), local:FOLDER, openai:MODEL, ollama:MODEL or gemini:MODEL"
)]
pub struct SelectionError {
    /// The text.
    pub text: String,
}

impl std::str::FromStr for Selection {
    type Err = SelectionError;

    /// ```
    /// use models::choice::Selection;
    /// let selection: Selection = "ollama:nomic-embed-text".parse().unwrap();
    /// assert_eq!(selection.to_string(), "ollama:nomic-embed-text");
    /// ```
    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let text = text.trim();
        let error = || SelectionError {
            text: text.chars().filter(|c| !c.is_control()).take(100).collect(),
        };
        if text == BUILT_IN {
            return Ok(Self::BuiltIn);
        }
        let Some((provider, model)) = text.split_once(':') else {
            return HubName::parse(text).map(Self::Downloaded).ok_or_else(error);
        };
        if model.is_empty() || model.contains('\0') {
            return Err(error());
        }
        if provider == LOCAL {
            return Ok(Self::Folder(PathBuf::from(model)));
        }
        let service = Service::ALL
            .into_iter()
            .find(|service| service.as_str() == provider)
            .ok_or_else(error)?;
        Ok(Self::Served { service, model: model.to_owned() })
    }
}

impl std::fmt::Display for Selection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BuiltIn => formatter.write_str(BUILT_IN),
            Self::Folder(folder) => write!(formatter, "{LOCAL}:{}", folder.display()),
            Self::Downloaded(name) => write!(formatter, "{name}"),
            Self::Served { service, model } => write!(formatter, "{service}:{model}"),
        }
    }
}

impl Selection {
    /// The provider's name in the configuration.
    pub fn provider(&self) -> &'static str {
        match self {
            Self::BuiltIn => BUILT_IN,
            Self::Folder(_) | Self::Downloaded(_) => LOCAL,
            Self::Served { service, .. } => service.as_str(),
        }
    }
}

/// A model and how to reach it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The model.
    pub selection: Selection,
    /// How to reach a service; unused for other models.
    pub service_config: ServiceConfig,
    /// What masks the secrets in texts that a service gets; unused for other models.
    pub mask: Mask,
    /// Where downloaded models are stored.
    pub model_dir: ModelDir,
    /// Threads of a model that runs in this process.
    pub threads: NonZeroUsize,
}

/// Opens the chosen model; `None` for the built-in one, which the index uses directly.
pub fn open(choice: &Choice) -> Result<Option<Box<dyn Embedder>>, EmbedError> {
    match &choice.selection {
        Selection::BuiltIn => Ok(None),
        Selection::Folder(folder) => {
            // Users also write `local:OWNER/NAME` for a downloaded `OWNER/NAME`.
            let model = folder
                .to_str()
                .and_then(HubName::parse)
                .and_then(|name| choice.model_dir.find(&name));
            match model {
                Some(model) if !folder.is_dir() => open_local(&model.folder, choice.threads),
                _ => open_local(folder, choice.threads),
            }
        }
        Selection::Downloaded(name) => match choice.model_dir.find(name) {
            Some(model) => open_local(&model.folder, choice.threads),
            None => Err(EmbedError::Unusable {
                place: choice.model_dir.place(name).display().to_string(),
                detail: "it is not downloaded".to_owned(),
            }),
        },
        Selection::Served { service, model } => {
            Ok(Some(Box::new(Remote::open(*service, model, choice.mask, &choice.service_config)?)))
        }
    }
}

fn open_local(
    folder: &Path,
    threads: NonZeroUsize,
) -> Result<Option<Box<dyn Embedder>>, EmbedError> {
    Ok(Some(Box::new(Bert::open(folder, threads)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_prints_as_it_was_parsed() {
        for (text, provider) in [
            ("built-in", "built-in"),
            ("openai:text-embedding-3-small", "openai"),
            ("ollama:nomic-embed-text:v1.5", "ollama"),
            ("gemini:gemini-embedding-001", "gemini"),
            ("local:/models/a", "local"),
            ("sentence-transformers/all-MiniLM-L6-v2", "local"),
        ] {
            let selection: Selection = text.parse().unwrap();
            assert_eq!((selection.to_string().as_str(), selection.provider()), (text, provider));
        }
    }

    #[test]
    fn an_invalid_selection_error_lists_the_valid_forms() {
        for text in
            ["", "openai", "openai:", "opneai:x", "a/b/c", "../x", "https://example.com", "local:"]
        {
            let error = text.parse::<Selection>().unwrap_err();
            assert!(error.to_string().contains("ollama:MODEL"), "{error}");
        }
    }

    #[test]
    fn the_error_for_a_missing_model_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let choice = Choice {
            selection: "owner/name".parse().unwrap(),
            service_config: ServiceConfig::default(),
            mask: |text| text.into(),
            model_dir: ModelDir::at(folder.path().to_owned()),
            threads: NonZeroUsize::MIN,
        };
        let error = open(&choice).err().unwrap();
        let error = error.to_string();
        assert!(error.contains("owner--name") && error.contains("not downloaded"), "{error}");
        assert!(open(&Choice { selection: Selection::BuiltIn, ..choice }).unwrap().is_none());
    }
}
