//! `because refute`

use kernel::kind::Capability;

use super::CliSession;
use super::changes::{self, DryRun};
use crate::failure::Failure;
use crate::service::corrections;
use crate::service::opening::SpaceUse;

/// Arguments of `refute`.
#[derive(clap::Args)]
#[command(
    after_help = "A refuted belief stays refuted, whatever else is recorded, until `because withdraw` takes the refutation back. A refutation covers one belief: refuting a routine on Tuesdays does not affect Saturdays. Records stay as they are; `because retract` takes one back.\n\nExamples:\n  because refute 'routine.weekly|gym|tue,thu|morning' --note \"that is my brother's calendar\"\n  because refute 'routine.weekly|gym|tue,thu|morning' --dry-run    show first what would follow"
)]
pub(crate) struct Args {
    /// The belief: its key as `because claims` prints it, or an id of it (the beginning is enough)
    #[arg(value_name = "ID|KEY")]
    name: String,
    /// Why
    #[arg(long, default_value = "", alias = "reason")]
    note: String,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Write(Capability::Correct))?;
    let (name, note, intent) = (&args.name, &args.note, args.dry_run.intent());
    let outcome = corrections::refute(&mut space, session.now, name, note, intent)?;
    changes::print(session, &outcome)?;
    Ok(0)
}
