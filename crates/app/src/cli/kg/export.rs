//! `because kg export`

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::View;
use crate::cli::CliSession;
use crate::failure::Failure;
use crate::output::{self, Form, count};
use crate::service::knowledge::export::{Format, Selected, Table, Written, export, tables, writer};
use crate::service::types::record_type;

/// Arguments of `kg export`.
#[derive(clap::Args)]
#[command(
    after_help = "The active records and the edges in force among them. CSV is two tables: with --out both are written into a folder, without it --table says which one is printed. A cell that a spreadsheet would take for a formula (it begins with =, +, - or @) has an apostrophe before it.\n\nExamples:\n  because kg export --format graphml --out memory.graphml\n  because kg export --format json-ld | rdfpipe -i json-ld -\n  because kg export --format dot --type entity | dot -Tsvg > memory.svg\n  because kg export --format csv --out tables/"
)]
pub(super) struct Args {
    /// The format
    #[arg(long, value_enum)]
    format: Format,
    /// The file to write, or the folder for CSV [default: the standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Which table of CSV is printed
    #[arg(long, value_enum)]
    table: Option<Table>,
    /// Only records of this type or family: entity, decision, routine; may be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = record_type)]
    types: Vec<String>,
    /// Also what is private
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    view: View,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let (view, viewpoint) = args.view.open(session)?;
    let selected = Selected { types: args.types.clone(), with_private: args.private, viewpoint };
    match (&args.out, args.format) {
        (Some(folder), Format::Csv) => {
            fs::create_dir_all(folder)
                .map_err(|source| Failure::OutputFile { path: folder.clone(), source })?;
            let written = write_file(&folder.join("nodes.csv"), |nodes| {
                write_file(&folder.join("edges.csv"), |edges| {
                    export(view.layers(), &selected, &mut *tables(nodes, edges))
                })
            })?;
            say(session, &written, folder)
        }
        (Some(path), format) => {
            let written = write_file(path, |output| {
                export(view.layers(), &selected, &mut *writer(format, None, output)?)
            })?;
            say(session, &written, path)
        }
        (None, format) => {
            let mut lines = match format {
                Format::JsonLd => output::json_lines(),
                _ => output::text_lines(),
            };
            let mut writer = writer(format, args.table, &mut *lines)?;
            export(view.layers(), &selected, &mut *writer)?;
            drop(writer);
            lines.flush()?;
            Ok(0)
        }
    }
}

/// Writes a file that gets its name when it is complete, so that a part is never taken for a whole.
fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<Written, Failure>,
) -> Result<Written, Failure> {
    let file = |source| Failure::OutputFile { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let draft = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(file)?;
    let mut writer = BufWriter::new(draft);
    let written = fill(&mut writer)?;
    let draft = writer.into_inner().map_err(|error| file(error.into_error()))?;
    draft.as_file().sync_all().map_err(file)?;
    draft.persist(path).map_err(|error| file(error.error))?;
    Ok(written)
}

fn say(session: &CliSession, written: &Written, path: &Path) -> Result<u8, Failure> {
    let Written { nodes, edges } = *written;
    match session.form {
        Form::Json => output::json(&json!({
            "path": path.to_string_lossy(), "nodes": nodes, "edges": edges,
        }))?,
        Form::Text => output::line(format_args!(
            "Wrote {} and {} to {}",
            count(nodes, "node"),
            count(edges, "edge"),
            output::path(path)
        ))?,
    }
    Ok(0)
}
