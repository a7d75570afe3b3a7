//! `because export`

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use engine::write::share::{ExportSelection, Exported, Selector};
use engine::{EngineError, Space};
use kernel::id::Author;
use serde_json::json;

use super::CliSession;
use crate::failure::{Failure, RequestError, exit};
use crate::output::{self, Form, count};
use crate::service::opening::SpaceUse;

/// The code of the warning about a selector that selects nothing.
const IDLE: &str = "selects_nothing";

/// Arguments of `export`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because export --out memory.jsonl\n  because --space copy.db import memory.jsonl    another copy, verified as it is read\n  because export --for ed25519:… --claims-only --out shared.jsonl"
)]
pub(crate) struct Args {
    /// The file to write [default: the standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Share with somebody else's key: leave out what is private
    #[arg(long = "for", value_name = "KEY")]
    recipient: Option<String>,
    /// Leave out everything but beliefs and what you said about them
    #[arg(long)]
    claims_only: bool,
    /// Leave out source=NAME, kind=KIND or type=TYPE; may be repeated
    #[arg(long, value_name = "SELECTOR")]
    without: Vec<Selector>,
}

impl Args {
    fn selection(&self) -> Result<ExportSelection, Failure> {
        let parsed = self.recipient.as_deref().map(str::parse::<Author>).transpose();
        Ok(ExportSelection {
            recipient: parsed.map_err(RequestError::Key)?,
            claims_only: self.claims_only,
            without: self.without.clone(),
        })
    }
}

/// Writes the ledger, without what `selection` withholds.
fn write(
    space: &Space,
    selection: &ExportSelection,
    output: &mut dyn Write,
    progress: impl FnMut(u64),
) -> Result<Exported, EngineError> {
    if selection.is_empty() {
        return space.export(output, progress);
    }
    space.share(selection, output, progress)
}

/// What was withheld, by kind, in words.
fn withheld_in_words(shared: &Exported) -> Option<String> {
    let kinds: Vec<String> = shared
        .withheld
        .iter()
        .map(|(kind, count)| format!("{count} {}", output::printable(kind)))
        .collect();
    let total: u64 = shared.withheld.values().sum();
    let bodies = if total == 1 { "body" } else { "bodies" };
    (total > 0).then(|| format!("{total} {bodies} withheld ({})", kinds.join(", ")))
}

/// Notes what the file no longer holds as it was signed.
fn note_altered(shared: &Exported) {
    if let Some(first) = shared.altered.first() {
        output::note(format_args!(
            "{} exported without text: the file no longer holds what was signed ({}{}). `because verify` names everything that is wrong; another copy of the space can restore it",
            count(shared.altered.len() as u64, "operation"),
            first.short(),
            if shared.altered.len() > 1 { ", …" } else { "" }
        ));
    }
}

/// What is not as it was signed was left out.
fn exit_code(shared: &Exported) -> u8 {
    if shared.altered.is_empty() { 0 } else { exit::INCOMPLETE }
}

pub(crate) fn export(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let selection = args.selection()?;
    let space = session.open(SpaceUse::HandOut)?;
    for selector in selection.idle(&space)? {
        let message =
            format!("nothing in the space is {}", output::printable(&selector.to_string()));
        session.warn(IDLE, &message, "check its spelling: it leaves nothing out");
    }
    let Some(path) = &args.out else {
        let mut writer = output::json_lines();
        let shared = write(&space, &selection, &mut writer, |_| {})?;
        writer.flush()?;
        drop(writer);
        if let Some(withheld) = withheld_in_words(&shared) {
            output::note(withheld);
        }
        if session.form == Form::Text {
            note_altered(&shared);
        } else if !shared.altered.is_empty() {
            output::json_note(&json!({ "altered": shared.altered }));
        }
        return Ok(exit_code(&shared));
    };
    let file = |source| Failure::OutputFile { path: path.clone(), source };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(std::path::Path::new("."));
    // The file is complete before it gets its name, so a partial export is never taken for a whole
    // one.
    let draft = tempfile::NamedTempFile::new_in(folder).map_err(file)?;
    let bar = output::progress(Some(space.head()?.0), "writing {bar:30} {pos}/{len} operations");
    let mut writer = BufWriter::new(draft);
    let shared = write(&space, &selection, &mut writer, |written| bar.set_position(written))
        .map_err(|error| match error {
            EngineError::Io(source) => file(source),
            other => other.into(),
        })?;
    bar.finish_and_clear();
    writer.flush().map_err(file)?;
    let draft = writer.into_inner().map_err(|error| file(error.into_error()))?;
    draft.as_file().sync_all().map_err(file)?;
    draft.persist(path).map_err(|error| file(error.error))?;
    let code = exit_code(&shared);
    match session.form {
        Form::Json => {
            let Exported { operations, withheld, altered, .. } = shared;
            let path = path.to_string_lossy();
            output::json(&json!({
                "path": path, "operations": operations, "withheld": withheld, "altered": altered,
            }))?
        }
        Form::Text => {
            output::line(format_args!(
                "Wrote {} to {}",
                count(shared.operations, "operation"),
                output::path(path)
            ))?;
            if let Some(withheld) = withheld_in_words(&shared) {
                output::line(format_args!("  {withheld}"))?;
            }
            note_altered(&shared);
        }
    }
    Ok(code)
}
