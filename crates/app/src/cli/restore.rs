//! `because restore`

use engine::write::import::Intent;
use kernel::kind::Capability;

use super::selecting::{BulkArgs, confirm};
use super::{CliSession, changes};
use crate::failure::Failure;
use crate::output::{self, Form, count};
use crate::service::corrections;
use crate::service::opening::SpaceUse;

/// Arguments of `restore`.
#[derive(clap::Args)]
#[command(
    after_help = "A restored record is recalled again, and what stood on it is believed again. A record that was superseded in the meantime stays superseded.\n\nIf you select records by an option, what would change is shown first, and you are asked. A record has to match all options that are given.\n\nExamples:\n  because restore 9f2c41d0 --note \"it was right after all\"\n  because restore --source ical --month 2025-03 --dry-run"
)]
pub(crate) struct Args {
    /// Retracted records, or retractions, by their ids or the beginnings of ids
    #[arg(value_name = "ID|KEY")]
    ids: Vec<String>,
    #[command(flatten)]
    bulk: BulkArgs,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Correct))?;
    let BulkArgs { selection, note, dry_run, yes } = &args.bulk;
    let selection = selection.among(&args.ids);
    let mut restore = |intent| {
        let bar = output::spinner("working out what changes");
        let outcome = corrections::restore(&mut space, session.now, &selection, note, intent);
        bar.finish_and_clear();
        outcome
    };
    if !dry_run && !selection.is_by_id() && !yes {
        let preview = restore(Intent::DryRun)?;
        if session.form == Form::Text {
            changes::print(session, &preview)?;
        }
        let retractions = count(preview.changes.recorded.len() as u64, "retraction");
        if !confirm(session, &format!("Take back {retractions}?"))? {
            return Ok(0);
        }
    }
    let intent = if *dry_run { Intent::DryRun } else { Intent::Write };
    changes::print(session, &restore(intent)?)?;
    Ok(0)
}
