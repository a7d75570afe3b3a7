//! `because imports`

use engine::write::sources::ImportRecord;
use kernel::body::Body;
use serde_json::json;

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, DIM, Form, ID, printable};
use crate::service::opening::SpaceUse;

/// Arguments of `imports`.
#[derive(clap::Args)]
#[command(
    after_help = "An import that appended nothing is not listed.\n\nExamples:\n  because imports\n  because retract --import 9f2c41d0 --dry-run    what undoing an import would change"
)]
pub(crate) struct Args {
    /// How many of the latest; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    count: usize,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let limit = if args.count == 0 { usize::MAX } else { args.count };
    let imports = session.open(SpaceUse::Read)?.imports(limit)?;
    if imports.is_empty() && session.form == Form::Text {
        output::note("Nothing was imported yet, or by an earlier version only.");
    }
    for import in imports {
        match session.form {
            Form::Json => output::json(&to_json(&import))?,
            Form::Text => print(session, import)?,
        }
    }
    Ok(0)
}

fn to_json(import: &ImportRecord) -> serde_json::Value {
    let body = &import.body;
    json!({
        "id": import.id,
        "recorded_at": engine::belief::explain::time(import.ts),
        "author": import.author,
        "source": body.source,
        "path": body.path,
        "digest": body.digest,
        "added": body.added,
        "replaced": body.replaced,
        "repeated": body.repeated,
        "present": body.present,
        "retracted": body.retracted,
        "problems": body.problems,
        "complete": body.complete,
        "importer": body.importer,
        "operations": body.operations,
    })
}

fn print(session: &CliSession, import: ImportRecord) -> Result<(), Failure> {
    let time = jiff::Timestamp::from_microsecond(import.ts.0.cast_signed()).unwrap_or_default();
    let local = time.to_zoned(session.zone.clone()).strftime("%Y-%m-%d %H:%M:%S");
    let id = import.id.short();
    let incomplete = if import.body.complete == Some(false) { ", not read to the end" } else { "" };
    let words = engine::inspect::summary_of(&Body::Import(import.body));
    output::line(format_args!(
        "{ID}{id}{ID:#}  {DIM}{local}{DIM:#}  {}{incomplete}",
        printable(&words),
    ))
}
