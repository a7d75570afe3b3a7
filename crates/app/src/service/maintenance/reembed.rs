//! Embedding what the chosen model has not embedded.

use engine::Space;
use engine::embed::{Embedded, Portion};
use jiff::Timestamp;
use models::choice::Selection;
use schemars::JsonSchema;
use serde::Serialize;

use super::defaults::Defaults;
use crate::failure::Failure;
use crate::service::Session;
use crate::service::record_embedding::{drop_others, open_chosen};

/// What was embedded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReembedReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// The model.
    pub(crate) model: String,
    /// Texts that it has read now.
    pub(crate) embedded: u64,
    /// Texts that are left.
    pub(crate) pending: u64,
    /// Texts that it refused.
    pub(crate) failed: u64,
    /// Models whose vectors were dropped, because this one has embedded everything.
    pub(crate) dropped: Vec<String>,
    /// Why it stopped early, if it did.
    pub(crate) error: Option<String>,
}

/// Embeds at most `limit` texts with the chosen model, without waiting for it if it does not
/// answer.
pub(crate) fn reembed(
    session: &Session,
    space: &mut Space,
    defaults: &Defaults,
    limit: Option<usize>,
    dry_run: bool,
    progress: &mut dyn FnMut(&Embedded),
) -> Result<ReembedReport, Failure> {
    let configuration = session.configuration(Some(space.path()))?;
    let model = configuration.chosen().selection.to_string();
    let mut report = ReembedReport {
        dry_run,
        model: model.clone(),
        embedded: 0,
        pending: 0,
        failed: 0,
        dropped: Vec::new(),
        error: None,
    };
    if configuration.chosen().selection == Selection::BuiltIn {
        return Ok(report);
    }
    if dry_run {
        let known = space.embedding_status()?.into_iter().find(|known| known.choice == model);
        report.pending = known.map_or(space.head()?.0, |known| known.pending);
        return Ok(report);
    }
    let opened = open_chosen(&configuration, space, None)?;
    let mut embedder = match opened {
        Ok(Some(embedder)) => embedder,
        Ok(None) => return Ok(report),
        Err(error) => {
            space.note_unopened(&model, &error, Timestamp::now())?;
            return Err(Failure::embedding(&error, &configuration.chosen().selection));
        }
    };
    space.mend_embeddings(embedder.model())?;
    let texts_max = limit.unwrap_or(defaults.limit) as u64;
    let portion = Portion { texts_max, until: None };
    let done = space.embed(embedder.as_mut(), &model, portion, &Timestamp::now, progress)?;
    report.embedded = done.embedded;
    report.pending = done.pending;
    report.failed = done.failed;
    report.error = done.error.clone();
    if done.is_done() {
        report.dropped = drop_others(space, embedder.as_ref())?;
    }
    Ok(report)
}
