//! `because retract`

use serde_json::json;

use super::{CliSession, changes};
use crate::failure::Failure;
use crate::output::{self, Form};
use crate::service::corrections::{self, Retraction};

/// Arguments of `retract`.
#[derive(clap::Args)]
#[command(
    after_help = "A retracted record stays in the ledger with its signature; recall no longer finds it, and nothing is derived from it. Beliefs derived from it are derived again from the remaining records.\n\nExamples:\n  because retract 9f2c41d0 --note \"that was another Petra\"\n  because what-if --retract 9f2c41d0    show first what would follow"
)]
pub(crate) struct Args {
    /// The record's id, or its beginning; or the key of a belief that a person stated
    #[arg(value_name = "ID|KEY")]
    id: String,
    /// Why
    #[arg(long, default_value = "", alias = "reason")]
    note: String,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut space = session.open()?;
    let Retraction { target, outcome } =
        corrections::retract(&mut space, session.now, &args.id, &args.note)?;
    match session.form {
        Form::Json => {
            let mut value = changes::to_json(&outcome)?;
            value["id"] = json!(outcome.changes.recorded.first());
            value["target"] = json!(target);
            output::json(&value)?;
        }
        Form::Text => changes::print(session, &outcome)?,
    }
    Ok(0)
}
