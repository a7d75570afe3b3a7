//! Embedding new records with the chosen model.

use std::time::{Duration, Instant};

use engine::Space;
use engine::embed::{Embedded, EmbeddingStatus, Portion, may_wait};
use jiff::Timestamp;
use models::choice::{Choice, Selection};
use models::{EmbedError, Embedder};

use super::Session;
use crate::configuration::{Configuration, ConfigurationError};
use crate::failure::Failure;

/// Longest total time for embedding after a note was remembered, over all calls of the model.
const TIMEOUT_AFTER_REMEMBERING: Duration = Duration::from_secs(3);
/// Most texts embedded after a note; the rest is left to `because embed`.
const TEXTS_AFTER_REMEMBERING: u64 = 512;

/// How long to wait for a model.
#[derive(Clone, Copy)]
pub(crate) struct Wait {
    /// Longest wait for each answer.
    each: Duration,
    /// When to stop waiting altogether.
    until: Option<Instant>,
}

impl Wait {
    pub(super) fn each(each: Duration) -> Self {
        Self { each, until: None }
    }

    fn in_all(all: Duration) -> Self {
        Self { each: all, until: Some(Instant::now() + all) }
    }
}

/// A missing key file prevents a model from being opened, but must not prevent anything else.
pub(super) fn choice_to_open(
    configuration: &Configuration,
    selection: &Selection,
) -> Result<Choice, EmbedError> {
    let unusable = |error: ConfigurationError| EmbedError::Unusable {
        place: selection.to_string(),
        detail: error.to_string(),
    };
    configuration.choice_of(selection).map_err(unusable)
}

/// Opens the model that the configuration chooses for a space; none if it is the built-in one.
pub(crate) fn open_chosen(
    configuration: &Configuration,
    space: &mut Space,
    wait: Option<Wait>,
) -> Result<Result<Option<Box<dyn Embedder>>, EmbedError>, Failure> {
    let selection = &configuration.chosen().selection;
    if *selection == Selection::BuiltIn {
        return Ok(Ok(None));
    }
    let mut choice = match choice_to_open(configuration, selection) {
        Ok(choice) => choice,
        Err(error) => return Ok(Err(error)),
    };
    let name = selection.to_string();
    if let Some(wait) = wait {
        choice.service_config.timeout =
            Some(choice.service_config.timeout.map_or(wait.each, |set| set.min(wait.each)));
        choice.service_config.deadline = wait.until;
    }
    // The dimensions of a model that has embedded before are known without calling it.
    let known = space.embedding_status()?.into_iter().find(|known| known.choice == name);
    choice.service_config.dimensions_known = known.map(|known| known.dimensions);
    Ok(models::choice::open(&choice))
}

/// Drops the vectors of earlier models, which nothing reads.
pub(crate) fn drop_others(
    space: &mut Space,
    embedder: &dyn Embedder,
) -> Result<Vec<String>, Failure> {
    let model = embedder.model();
    let is_this = |known: &EmbeddingStatus| {
        known.provider == model.provider
            && known.name == model.name
            && known.dimensions == model.dimensions
    };
    let mut dropped = Vec::new();
    for known in space.embedding_status()? {
        if !is_this(&known) {
            space.forget_embeddings(known.number)?;
            dropped.push(known.choice);
        }
    }
    Ok(dropped)
}

/// When records are embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// After one record was remembered, when nobody waits long.
    Remembering,
    /// After an import.
    Importing,
}

/// Embeds new records with the chosen model, and gives up if it does not answer. None if the
/// built-in model is chosen.
pub(crate) fn embed_recorded(
    session: &Session,
    after: After,
    progress: &mut dyn FnMut(&Embedded),
) -> Result<Option<Embedded>, Failure> {
    let configuration = session.configuration(Some(&session.locator()?.locate()?.path))?;
    if configuration.chosen().selection == Selection::BuiltIn {
        return Ok(None);
    }
    let Some(mut space) = session.open_if_permitted()?.filter(|space| !space.is_read_only()) else {
        return Ok(None);
    };
    let name = configuration.chosen().selection.to_string();
    if let Some(embedded) = space.waiting_embeddings(&name, session.now)? {
        return Ok(Some(embedded));
    }
    let (wait, portion) = match after {
        After::Remembering => {
            let until = Some(Timestamp::now() + TIMEOUT_AFTER_REMEMBERING);
            let portion = Portion { texts_max: TEXTS_AFTER_REMEMBERING, until };
            (Some(Wait::in_all(TIMEOUT_AFTER_REMEMBERING)), portion)
        }
        After::Importing => (None, Portion::ALL),
    };
    let embedded = match open_chosen(&configuration, &mut space, wait)? {
        Ok(None) => return Ok(None),
        Err(error) => space.note_unopened(&name, &error, Timestamp::now()),
        Ok(Some(mut embedder)) => {
            space.embed(embedder.as_mut(), &name, portion, &Timestamp::now, progress)
        }
    };
    Ok(Some(match embedded {
        Err(error) if may_wait(&error) => {
            Embedded { error: Some(error.to_string()), ..Embedded::default() }
        }
        other => other?,
    }))
}
