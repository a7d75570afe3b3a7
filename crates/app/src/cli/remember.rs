//! `because remember`

use std::io::Read;

use kernel::kind::Capability;
use kernel::operation::BODY_BYTES_MAX;
use serde_json::json;

use super::{CliSession, embedding};
use crate::failure::{Failure, RequestError};
use crate::output::{self, Form, ID};
use crate::service::notes::{Note, RecordedNote};
use crate::service::opening::SpaceUse;
use crate::service::record_embedding::After;

/// The same limit in mebibytes, for messages.
const BODY_MIB_MAX: u64 = (BODY_BYTES_MAX >> 20) as u64;

/// Arguments of `remember`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because remember \"The kiln's controller reads twenty degrees low\"\n  because remember --actor Idris --tag glaze \"Nine percent red iron oxide\"\n  echo \"from a pipe\" | because remember -"
)]
pub(crate) struct Args {
    /// What to remember; `-` reads it from the standard input
    text: String,
    /// Who said it
    #[arg(long)]
    actor: Option<String>,
    /// When it happened (2025-02-01, with a time, or yesterday) [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// A label; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

/// Reads the standard input, which may hold anything.
fn read_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(BODY_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|source| Failure::File { path: "the standard input".into(), source })?;
    if bytes.len() > BODY_BYTES_MAX {
        return Err(RequestError::TextTooLarge { mib: BODY_MIB_MAX }.into());
    }
    let not_utf8 = |_| RequestError::InputNotUtf8 { input: "the standard input".to_owned() };
    Ok(String::from_utf8(bytes).map_err(not_utf8)?)
}

pub(crate) fn run(session: &CliSession, args: Args) -> Result<u8, Failure> {
    let text = if args.text == "-" { read_input()? } else { args.text };
    let note =
        Note { text, actor: args.actor, role: None, agent: None, at: args.at, tags: args.tags }
            .check(session)?;
    let mut space = session.open_or_make(SpaceUse::Write(Capability::Append))?;
    let RecordedNote { id, is_new, masked } = note.record(space.writer(), session.now)?;
    match session.form {
        Form::Json => output::json(&json!({ "id": id, "new": is_new, "masked": masked }))?,
        Form::Text => {
            output::line(format_args!("Remembered as {ID}{}{ID:#}", id.short()))?;
            output::masked(&masked)?;
        }
    }
    // The same handle derives: closing it would copy the log into the file, and opening another
    // would begin a new log, each with waits for the disk.
    super::derive::after_writing_to(&mut space, session)?;
    drop(space);
    embedding::after_a_write(session, After::Remembering)?;
    Ok(0)
}
