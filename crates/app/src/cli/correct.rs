//! `because correct`

use engine::belief::user::Replacement;

use kernel::kind::Capability;

use super::CliSession;
use super::changes::{self, DryRun};
use crate::failure::Failure;
use crate::service::corrections;
use crate::service::opening::SpaceUse;

/// Arguments of `correct`.
#[derive(clap::Args)]
#[command(
    group = clap::ArgGroup::new("replacement").args(["set", "text"]).multiple(true).required(true),
    after_help = "A correction of a belief is certain from then on: nothing overrides it automatically, and beliefs built on the old value are derived again. `because withdraw` takes it back, `--dry-run` shows what would follow. A corrected record keeps its source and its time; recall shows only what it says now, and importing its source again does not undo it.\n\nExamples:\n  because correct 'place.frequent|office' --set label='Karl Johansgatan 41' --note \"we moved\"\n  because correct 9f2c41d0 --set '{\"name\":\"Ana\",\"kind\":\"sister\"}' --text \"Ana is my sister\"\n  because correct 03ab77e1 --text \"The van is booked for Saturday\"    a record"
)]
pub(crate) struct Args {
    /// The belief: its key as `because claims` prints it, or an id of it (the beginning is enough);
    /// or a record, by its id
    #[arg(value_name = "ID|KEY")]
    name: String,
    /// What is true: JSON for the whole payload, or FIELD=VALUE for one field (may be repeated)
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    set: Vec<String>,
    /// The same in words; for a record, what it should say. Alone, it is enough for a belief if a
    /// deriver can read the new value in it
    #[arg(long)]
    text: Option<String>,
    /// For a record: when it happened [default: unchanged]
    #[arg(long, value_name = "WHEN", requires = "text")]
    at: Option<String>,
    /// Why
    #[arg(long, default_value = "", alias = "reason")]
    note: String,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let at = args.at.as_deref().map(|at| session.times().when(at)).transpose()?;
    let by =
        Replacement { set: args.set.clone(), text: args.text.clone(), note: args.note.clone(), at };
    let mut space = session.open(SpaceUse::Write(Capability::Correct))?;
    let outcome =
        corrections::correct(&mut space, session.now, &args.name, &by, args.dry_run.intent())?;
    changes::print(session, &outcome)?;
    Ok(0)
}
