//! `because refute`

use engine::write::import::Intent;

use super::Session;
use super::changes::{self, Said};
use crate::failure::Failure;

/// Arguments of `refute`.
#[derive(clap::Args)]
#[command(
    after_help = "What you refute is not believed again, whatever else is recorded, until `because withdraw` takes the refutation back. It is about this one belief: that you do not go on Tuesdays says nothing of Saturdays. Records stay as they are; `because retract` takes one back.\n\nExamples:\n  because refute 'routine.weekly|gym|tue,thu|morning' --note \"that is my brother's calendar\"\n  because what-if --refute 'routine.weekly|gym|tue,thu|morning'    see first what would follow"
)]
pub(crate) struct Args {
    /// The belief: its key as `because claims` prints it, or an id of it (the beginning is enough)
    #[arg(value_name = "ID|KEY")]
    name: String,
    /// Why
    #[arg(long, default_value = "", alias = "reason")]
    note: String,
}

pub(crate) fn run(session: &Session, args: &Args) -> Result<u8, Failure> {
    let mut space = session.finder()?.open()?;
    let drafts = space.to_refute(&args.name, &args.note)?;
    let said = [Said::of_belief("refuted", &space.belief_named(&args.name)?)];
    let changes = space.act(drafts, Intent::Write, session.now)?;
    changes::print(session, &said, &changes, Intent::Write)?;
    Ok(0)
}
