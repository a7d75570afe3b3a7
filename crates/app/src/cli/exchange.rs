//! `because export`

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use engine::EngineError;
use serde_json::json;

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, Form, count};

/// Arguments of `export`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because export --out memory.jsonl\n  because --space copy.db import memory.jsonl    another copy, verified as it is read"
)]
pub(crate) struct Args {
    /// The file to write [default: the standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn export(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let space = session.open()?;
    let Some(path) = &args.out else {
        space.export(&mut BufWriter::new(std::io::stdout().lock()), |_| {})?;
        return Ok(0);
    };
    let file = |source| Failure::File { path: path.clone(), source };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(std::path::Path::new("."));
    // The file is complete before it gets its name, so a partial export is never taken for a whole
    // one.
    let draft = tempfile::NamedTempFile::new_in(folder).map_err(file)?;
    let bar = output::progress(Some(space.head()?.0), "writing {bar:30} {pos}/{len} operations");
    let mut writer = BufWriter::new(draft);
    let written = space.export(&mut writer, |written| bar.set_position(written)).map_err(
        |error| match error {
            EngineError::Io(source) => file(source),
            other => other.into(),
        },
    )?;
    bar.finish_and_clear();
    writer.flush().map_err(file)?;
    let draft = writer.into_inner().map_err(|error| file(error.into_error()))?;
    draft.as_file().sync_all().map_err(file)?;
    draft.persist(path).map_err(|error| file(error.error))?;
    match session.form {
        Form::Json => {
            output::json(&json!({ "path": path.to_string_lossy(), "operations": written }))?
        }
        Form::Text => output::line(format_args!(
            "Wrote {} to {}",
            count(written, "operation"),
            output::path(path)
        ))?,
    }
    Ok(0)
}
