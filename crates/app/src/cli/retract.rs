//! `because retract`

use engine::write::import::Intent;
use kernel::kind::Capability;
use serde_json::json;

use super::selecting::{BulkArgs, confirm};
use super::{CliSession, changes};
use crate::failure::Failure;
use crate::output::{self, Form, count};
use crate::service::corrections::{self, Retraction};
use crate::service::opening::SpaceUse;

/// Arguments of `retract`.
#[derive(clap::Args)]
#[command(
    after_help = "A retracted record stays in the ledger with its signature; recall no longer finds it, and nothing is derived from it. Beliefs derived from it are derived again from the remaining records. `because restore` takes a retraction back.\n\nIf you select records by an option, what would change is shown first, and you are asked. A record has to match all options that are given.\n\nExamples:\n  because retract 9f2c41d0 --note \"that was another Petra\"\n  because retract --source ical --month 2025-03 --dry-run\n  because retract --file 'Studio/Old plans.md' --yes\n  because what-if --retract 9f2c41d0    show first what would follow"
)]
pub(crate) struct Args {
    /// Records by their ids, or the beginnings of ids; or the key of a belief that a person stated
    #[arg(value_name = "ID|KEY")]
    ids: Vec<String>,
    #[command(flatten)]
    bulk: BulkArgs,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Correct))?;
    let BulkArgs { selection, note, dry_run, yes } = &args.bulk;
    let selection = selection.among(&args.ids);
    let mut retract = |intent| {
        let bar = output::spinner("working out what changes");
        let outcome = corrections::retract(&mut space, session.now, &selection, note, intent);
        bar.finish_and_clear();
        outcome
    };
    if *dry_run {
        return print(session, &retract(Intent::DryRun)?);
    }
    if !selection.is_by_id() && !yes {
        let preview = retract(Intent::DryRun)?;
        if session.form == Form::Text {
            changes::print(session, &preview.outcome)?;
        }
        let records = count(preview.targets.len() as u64, "record");
        if !confirm(session, &format!("Retract {records}?"))? {
            return Ok(0);
        }
    }
    print(session, &retract(Intent::Write)?)
}

fn print(session: &CliSession, retraction: &Retraction) -> Result<u8, Failure> {
    let Retraction { targets, outcome } = retraction;
    match session.form {
        Form::Json => {
            let mut value = changes::to_json(outcome)?;
            let one = match targets.as_slice() {
                [target] => Some(target),
                _ => None,
            };
            let id = outcome
                .changes
                .recorded
                .first()
                .filter(|_| one.is_some() && outcome.intent == Intent::Write);
            value["id"] = json!(id);
            value["target"] = json!(one);
            output::json(&value)?;
        }
        Form::Text => changes::print(session, outcome)?,
    }
    Ok(0)
}
