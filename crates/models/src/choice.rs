//! Which model makes the vectors, and opening it.
//!
//! A [`Selection`] is what a user writes; a [`Choice`] has all that is needed to open it. Where the
//! parts of a choice come from is no matter of this crate, nor are the variables in which keys lie.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::bert::Bert;
use crate::embedder::{EmbedError, Embedder};
use crate::hub::{HubName, ModelDir};
use crate::remote::{Remote, Service, ServiceConfig};

/// What the built-in model is called.
pub const BUILT_IN: &str = "built-in";
/// What stands before a folder.
const LOCAL: &str = "local";

/// A model, as it is named in settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// `built-in`: the table that needs nothing.
    BuiltIn,
    /// `local:FOLDER`: a model in a folder.
    Folder(PathBuf),
    /// `OWNER/NAME`, or `local:OWNER/NAME` where there is no such folder: a model that was fetched
    /// from the hub.
    Shelved(HubName),
    /// `openai:MODEL`, `ollama:MODEL`, `gemini:MODEL`.
    Served {
        /// Who runs it.
        service: Service,
        /// Its name there.
        model: String,
    },
}

/// Not the name of a model in settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} names no model: it is one of built-in, OWNER/NAME (fetched from the hub), local:FOLDER, openai:MODEL, ollama:MODEL, gemini:MODEL"
)]
pub struct SelectionError {
    /// What was given.
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
            return HubName::parse(text).map(Self::Shelved).ok_or_else(error);
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
            Self::Shelved(name) => write!(formatter, "{name}"),
            Self::Served { service, model } => write!(formatter, "{service}:{model}"),
        }
    }
}

impl Selection {
    /// What settings call whoever runs it.
    pub fn provider(&self) -> &'static str {
        match self {
            Self::BuiltIn => BUILT_IN,
            Self::Folder(_) | Self::Shelved(_) => LOCAL,
            Self::Served { service, .. } => service.as_str(),
        }
    }
}

/// A model and how to reach it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Which.
    pub selection: Selection,
    /// How a service is reached; of no matter for others.
    pub service_config: ServiceConfig,
    /// Where fetched models are.
    pub model_dir: ModelDir,
    /// Threads of a model that runs here.
    pub threads: NonZeroUsize,
}

/// Opens what was chosen. There is nothing to open for the built-in model, which the index uses by
/// itself.
pub fn open(choice: &Choice) -> Result<Option<Box<dyn Embedder>>, EmbedError> {
    match &choice.selection {
        Selection::BuiltIn => Ok(None),
        Selection::Folder(folder) => {
            // `local:OWNER/NAME` is what one tries after `OWNER/NAME` was fetched.
            let shelved = folder
                .to_str()
                .and_then(HubName::parse)
                .and_then(|name| choice.model_dir.find(&name));
            match shelved {
                Some(shelved) if !folder.is_dir() => open_local(&shelved.folder, choice.threads),
                _ => open_local(folder, choice.threads),
            }
        }
        Selection::Shelved(name) => match choice.model_dir.find(name) {
            Some(shelved) => open_local(&shelved.folder, choice.threads),
            None => Err(EmbedError::Unusable {
                place: choice.model_dir.place(name).display().to_string(),
                detail: "it is not there".to_owned(),
            }),
        },
        Selection::Served { service, model } => {
            Ok(Some(Box::new(Remote::open(*service, model, &choice.service_config)?)))
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
    fn a_selection_is_printed_as_it_is_read() {
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
    fn what_names_no_model_is_told_what_does() {
        for text in
            ["", "openai", "openai:", "opneai:x", "a/b/c", "../x", "https://example.com", "local:"]
        {
            let error = text.parse::<Selection>().unwrap_err();
            assert!(error.to_string().contains("ollama:MODEL"), "{error}");
        }
    }

    #[test]
    fn a_model_that_was_not_fetched_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let choice = Choice {
            selection: "owner/name".parse().unwrap(),
            service_config: ServiceConfig::default(),
            model_dir: ModelDir::at(folder.path().to_owned()),
            threads: NonZeroUsize::MIN,
        };
        let error = open(&choice).err().unwrap();
        let error = error.to_string();
        assert!(error.contains("owner--name") && error.contains("not there"), "{error}");
        assert!(open(&Choice { selection: Selection::BuiltIn, ..choice }).unwrap().is_none());
    }
}
