//! `because retract`

use engine::write::import::Intent;
use kernel::operation::Role;
use serde_json::json;

use super::Session;
use super::changes::{self, Said};
use crate::failure::Failure;
use crate::output::{self, Form};

/// Arguments of `retract`.
#[derive(clap::Args)]
#[command(
    after_help = "A retracted record stays in the ledger with its signature; recall does not find it any more, and nothing is derived from it. What was derived from it is derived again from what is left.\n\nExamples:\n  because retract 9f2c41d0 --note \"that was another Petra\"\n  because what-if --retract 9f2c41d0    see first what would follow"
)]
pub(crate) struct Args {
    /// The record's id, or its beginning; or the key of a belief that a person stated
    #[arg(value_name = "ID|KEY")]
    id: String,
    /// Why
    #[arg(long, default_value = "", alias = "reason")]
    note: String,
}

pub(crate) fn run(session: &Session, args: &Args) -> Result<u8, Failure> {
    let mut space = session.finder()?.open()?;
    let drafts = space.to_retract(&args.id, &args.note)?;
    let target = drafts
        .iter()
        .flat_map(|draft| &draft.refs)
        .find(|cited| cited.role.as_str() == Role::TARGET);
    let target = target.map(|cited| cited.id);
    let said = Said::of_targets("retracted", &space, &drafts)?;
    let changes = space.act(drafts, Intent::Write, session.now)?;
    match session.form {
        Form::Json => {
            let mut value = changes::to_json(&said, &changes, Intent::Write);
            value["id"] = json!(changes.recorded.first());
            value["target"] = json!(target);
            output::json(&value)?;
        }
        Form::Text => changes::print(session, &said, &changes, Intent::Write)?,
    }
    Ok(0)
}
