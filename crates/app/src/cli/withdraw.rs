//! `because withdraw`

use kernel::kind::Capability;

use super::CliSession;
use super::changes::{self, DryRun};
use crate::failure::Failure;
use crate::service::corrections;
use crate::service::opening::SpaceUse;

/// Arguments of `withdraw`.
#[derive(clap::Args)]
#[command(
    after_help = "Takes back your refutation of a belief, or your corrections if there is no refutation. Beliefs that were invalidated because of it are believed again. If you name one correction by its id, only that one is taken back, and the one before it applies again. A record whose words you corrected says again what it said before; it keeps no note of that.\n\nExamples:\n  because withdraw 'routine.weekly|gym|tue,thu|morning' --note \"it was mine after all\"\n  because withdraw 9f2c41d0"
)]
pub(crate) struct Args {
    /// The belief by its key; a correction, a refutation or a corrected record by its id (the
    /// beginning is enough)
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
    let outcome = corrections::withdraw(&mut space, session.now, name, note, intent)?;
    changes::print(session, &outcome)?;
    Ok(0)
}
