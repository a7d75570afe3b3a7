//! `because embed`

use std::time::Duration;

use engine::Space;
use engine::embed::{Embedded, EmbeddingStatus, Portion};
use jiff::Timestamp;
use kernel::kind::Capability;
use models::Embedder;
use models::choice::Selection;
use serde_json::json;

use super::{CliSession, incomplete_if, interrupt};
use crate::configuration::Configuration;
use crate::failure::{Failure, RequestError};
use crate::output::{self, BOLD, DIM, Form, count, printable};
use crate::service::opening::SpaceUse;
use crate::service::record_embedding::{drop_others, open_chosen};

/// How often a wait checks the clock, so that a machine that slept continues when it wakes.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Arguments of `embed`.
#[derive(clap::Args)]
#[command(
    after_help = "New records can be found at once by their words and the built-in model; this command adds the vectors of another model. It may be interrupted at any time and resumes where it stopped. When a new model has embedded every record, the vectors of earlier models are dropped.\n\nExamples:\n  because --embedder ollama:nomic-embed-text embed\n  because embed --once\n  because embed --forget ollama:nomic-embed-text"
)]
pub(crate) struct Args {
    /// Stop when the model does not answer, instead of waiting
    #[arg(long)]
    once: bool,
    /// Drop the vectors of this model, named as in `because status`
    #[arg(long, value_name = "MODEL", conflicts_with = "once")]
    forget: Option<String>,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Append))?;
    if let Some(name) = &args.forget {
        return forget(session, &mut space, name);
    }
    let configuration = session.configuration(Some(space.path()))?;
    let name = configuration.chosen().selection.to_string();
    if configuration.chosen().selection == Selection::BuiltIn {
        match session.form {
            Form::Json => output::json(&json!({ "model": name, "embedded": 0, "pending": 0 }))?,
            Form::Text => output::line(
                "Nothing to do: the built-in model embeds records at once; --embedder chooses another",
            )?,
        }
        return Ok(0);
    }
    interrupt::watched(session.form, "embedding");
    let bar = output::progress(Some(0), "{spinner} embedding {bar:30} {pos}/{len} {eta} {msg}");
    let read = read(session, args, &configuration, &mut space, &bar);
    bar.finish_and_clear();
    let (done, dropped) = read?;
    match session.form {
        Form::Json => {
            let mut value = serde_json::to_value(&done).map_err(std::io::Error::from)?;
            value["model"] = name.into();
            value["dropped"] = json!(dropped);
            output::json(&value)?;
        }
        Form::Text => print(session, &name, &done, &dropped)?,
    }
    Ok(incomplete_if(done.pending > 0 || done.failed > 0))
}

/// Embeds every record with the model; returns the models whose vectors were dropped.
fn read(
    session: &CliSession,
    args: &Args,
    configuration: &Configuration,
    space: &mut Space,
    bar: &indicatif::ProgressBar,
) -> Result<(Embedded, Vec<String>), Failure> {
    let name = configuration.chosen().selection.to_string();
    let mut sum = Embedded::default();
    let mut embedder: Option<Box<dyn Embedder>> = None;
    loop {
        let open = match embedder.take() {
            Some(open) => Ok(Some(open)),
            None => open_chosen(configuration, space, None)?,
        };
        let mut open = match open {
            Ok(Some(open)) => open,
            Ok(None) => return Ok((sum, Vec::new())),
            Err(error) => match space.note_unopened(&name, &error, Timestamp::now())?.waiting_until
            {
                Some(until) if !args.once => {
                    wait(session, bar, until, &error.to_string());
                    continue;
                }
                _ => return Err(Failure::embedding(&error, &configuration.chosen().selection)),
            },
        };
        if sum == Embedded::default() {
            space.mend_embeddings(open.model())?;
        }
        let before = sum.clone();
        let done =
            space.embed(open.as_mut(), &name, Portion::ALL, &Timestamp::now, &mut |done| {
                let read = before.embedded + before.failed + done.embedded + done.failed;
                bar.set_length(read + done.pending);
                bar.set_position(read);
                bar.set_message("");
            })?;
        sum = Embedded {
            embedded: before.embedded + done.embedded,
            failed: before.failed + done.failed,
            ..done
        };
        match (sum.waiting_until, &sum.error) {
            (Some(until), error) if !args.once => {
                wait(session, bar, until, error.as_deref().unwrap_or_default());
                embedder = Some(open);
            }
            (None, Some(error)) => {
                return Err(Failure::Embedding {
                    message: error.clone(),
                    code: sum.code.unwrap_or("embedder_failed"),
                    model: configuration.chosen().selection.clone(),
                });
            }
            _ => {
                let dropped =
                    if sum.is_done() { drop_others(space, open.as_ref())? } else { Vec::new() };
                return Ok((sum, dropped));
            }
        }
    }
}

fn wait(session: &CliSession, bar: &indicatif::ProgressBar, until: Timestamp, why: &str) {
    if bar.is_hidden() && session.form == Form::Text {
        output::note(format_args!(
            "{DIM}{}; again at {}{DIM:#}",
            printable(why),
            session.clock(until)
        ));
    }
    bar.set_message(format!("{}; again at {}", printable(why), session.clock(until)));
    while let Ok(left) = Duration::try_from(until.duration_since(Timestamp::now())) {
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(LOOK_EVERY));
    }
}

fn print(
    session: &CliSession,
    name: &str,
    done: &Embedded,
    dropped: &[String],
) -> Result<(), Failure> {
    let refused =
        if done.failed > 0 { format!(", {} refused", done.failed) } else { String::new() };
    let left = if done.pending > 0 { format!(", {} to go", done.pending) } else { String::new() };
    output::line(format_args!(
        "{BOLD}Embedded{BOLD:#} {} by {}{refused}{left}",
        count(done.embedded, "text"),
        printable(name)
    ))?;
    if let Some(until) = done.waiting_until {
        let why = done.error.as_deref().unwrap_or("it asks to be called later");
        output::line(format_args!(
            "  {}; it may be called again at {}",
            printable(why),
            session.clock(until)
        ))?;
    }
    for name in dropped {
        output::line(format_args!("  the vectors of {} were dropped", printable(name)))?;
    }
    Ok(())
}

fn forget(session: &CliSession, space: &mut Space, name: &str) -> Result<u8, Failure> {
    let known = space.embedding_status()?;
    let is_meant = |known: &&EmbeddingStatus| {
        known.choice == name
            || known.name == name
            || format!("{}/{}", known.provider, known.name) == name
    };
    let meant: Vec<&EmbeddingStatus> = known.iter().filter(is_meant).collect();
    if meant.is_empty() {
        let all = known.iter().map(|known| known.choice.clone()).collect();
        return Err(RequestError::NoSuchModel { name: name.to_owned(), known: all }.into());
    }
    let mut embedded = 0;
    for known in &meant {
        space.forget_embeddings(known.number)?;
        embedded += known.embedded;
    }
    match session.form {
        Form::Json => output::json(&json!({ "forgotten": name, "vectors": embedded }))?,
        Form::Text => output::line(format_args!(
            "Dropped {} of {}",
            count(embedded, "vector"),
            printable(name)
        ))?,
    }
    Ok(0)
}
