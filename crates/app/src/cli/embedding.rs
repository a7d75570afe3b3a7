//! What the commands print about models: which one embedded a question, what is left to embed, and
//! the state of each model.

use engine::Space;
use engine::embed::{Embedded, Unopened};
use serde_json::{Value, json};

use super::CliSession;
use crate::configuration::Configuration;
use crate::failure::Failure;
use crate::failure::hint::of_model;
use crate::output::{self, BAD, DIM, Form, count, printable};
use crate::service::query_embedding::{QueryEmbedding, serving};
use crate::service::record_embedding::{After, embed_recorded};

/// The model that embedded a question, for `--json`.
pub(super) fn to_json(embedding: &QueryEmbedding) -> Value {
    let error = embedding.error.as_ref();
    let error = error.map(|error| json!({ "code": error.code(), "message": error.to_string() }));
    json!({ "model": embedding.model, "error": error })
}

/// Notes for people that the built-in model was used in place of another.
pub(super) fn note_fallback(embedding: &QueryEmbedding) {
    if let Some(error) = &embedding.error {
        let error = printable(&error.to_string());
        output::note(format_args!("{BAD}warning{BAD:#}: {error}; used the built-in model instead"));
    }
}

/// Embeds the new records with the chosen model, and reports what is left. None if the built-in
/// model is chosen.
pub(super) fn after_a_write(
    session: &CliSession,
    after: After,
) -> Result<Option<Embedded>, Failure> {
    let bar = output::progress(None, "{spinner} embedding {msg}");
    let embedded = embed_recorded(session, after, &mut |done| {
        bar.set_message(count(done.embedded, "text"));
    });
    bar.finish_and_clear();
    let embedded = embedded?;
    if let (Form::Text, Some(embedded)) = (session.form, &embedded) {
        note_what_is_left(embedded);
    }
    Ok(embedded)
}

/// Notes for people what is left to embed, and why.
fn note_what_is_left(embedded: &Embedded) {
    if embedded.is_done() {
        return;
    }
    let why =
        embedded.error.as_ref().map(|error| format!("{}; ", printable(error))).unwrap_or_default();
    let left = match embedded.pending {
        0 => String::new(),
        pending => format!("{} left to embed: ", count(pending, "text")),
    };
    output::note(format_args!(
        "{DIM}{why}{left}texts are found by their words and the built-in model; `because embed` continues later{DIM:#}"
    ));
}

/// Why the chosen model could not be opened last time, as `because status` shows it.
pub(super) fn unopened(
    configuration: &Configuration,
    space: &mut Space,
) -> Result<Option<Unopened>, Failure> {
    Ok(space.unopened_embedder(&configuration.chosen().selection.to_string())?)
}

/// The models of a space as `because status` shows them.
pub(super) fn status(
    configuration: &Configuration,
    space: &mut Space,
) -> Result<Vec<Value>, Failure> {
    let serves = serving(configuration, space)?.into_iter().next().map(|ready| ready.number);
    let mut shown = Vec::new();
    for model in space.embedding_status()? {
        let mut value = serde_json::to_value(&model).map_err(std::io::Error::from)?;
        value["serves"] = (serves == Some(model.number)).into();
        shown.push(value);
    }
    Ok(shown)
}

/// Prints both for people.
pub(super) fn print_status(
    session: &CliSession,
    configuration: &Configuration,
    space: &mut Space,
) -> Result<(), Failure> {
    let serves = serving(configuration, space)?.into_iter().next().map(|ready| ready.number);
    let again = |next: Option<jiff::Timestamp>| {
        next.map(|next| format!("; again at {}", session.clock(next)))
    };
    if let Some(Unopened { code, message, next_try, .. }) = unopened(configuration, space)? {
        let again = again(next_try).unwrap_or_default();
        output::line(format_args!(
            "              could not be opened the last time: {}{again}",
            printable(&message)
        ))?;
        output::line(format_args!(
            "              {}",
            of_model(&code, &configuration.chosen().selection)
        ))?;
    }
    for (number, model) in space.embedding_status()?.into_iter().enumerate() {
        let head = if number == 0 { "vectors" } else { "" };
        let role = if serves == Some(model.number) { "; embeds questions" } else { "" };
        let refused =
            if model.failed > 0 { format!(", {} refused", model.failed) } else { String::new() };
        output::line(format_args!(
            "  {head:<10}  {}: {} embedded, {} to go{refused}{role}",
            printable(&model.choice),
            model.embedded,
            model.pending
        ))?;
        if let Some(error) = &model.last_error {
            let again = again(model.next_try).unwrap_or_default();
            output::line(format_args!("              {}{again}", printable(error)))?;
        }
    }
    Ok(())
}
