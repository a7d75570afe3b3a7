//! `because what-if`

use engine::selection::{Month, Selection};
use kernel::kind::Capability;
use serde_json::json;

use super::{CliSession, changes};
use crate::failure::{Failure, RequestError};
use crate::output::{self, Form, printable};
use crate::service::corrections::{self, Hypothesis};
use crate::service::forgetting::Plan;
use crate::service::opening::SpaceUse;

/// Arguments of `what-if`.
#[derive(clap::Args)]
#[command(
    after_help = "Applies the changes, derives again, prints the result, and rolls everything back, so nothing is written. The options may be repeated and combined.\n\nExamples:\n  because what-if --retract 9f2c41d0 --retract 03ab77e1\n  because what-if --refute 'routine.weekly|gym|tue,thu|morning'\n  because what-if --correct 'place.frequent|office=label=Karl Johansgatan 41'\n  because what-if --without-source ical\n  because what-if --without-author Ana --without-month 2025-03\n  because what-if --forget --without-author Ana"
)]
#[group(required = true, multiple = true)]
pub(crate) struct Args {
    /// Without this record
    #[arg(long, value_name = "ID", num_args = 1..)]
    retract: Vec<String>,
    /// If this record, or what you typed in this correction or refutation, were forgotten. Without
    /// an id, the records that the --without options describe are forgotten instead of retracted
    #[arg(long, value_name = "ID", num_args = 0..)]
    forget: Option<Vec<String>>,
    /// If this belief were false
    #[arg(long, value_name = "ID|KEY")]
    refute: Vec<String>,
    /// If this were true instead: the key, `=`, then JSON for the whole payload, or FIELD=VALUE
    #[arg(long, value_name = "KEY=JSON")]
    correct: Vec<String>,
    /// Without all records of this source, e.g. `ical`. Of several --without options, a record has
    /// to match all
    #[arg(long, value_name = "SOURCE")]
    without_source: Option<String>,
    /// Without all records of this file, by its path in the folder that was imported
    #[arg(long, value_name = "PATH")]
    without_file: Option<String>,
    /// Without all records that this import added
    #[arg(long, value_name = "ID")]
    without_import: Option<String>,
    /// Without all records of this session
    #[arg(long, value_name = "SESSION")]
    without_session: Option<String>,
    /// Without all that this person said or wrote
    #[arg(long, value_name = "NAME")]
    without_author: Option<String>,
    /// Without all that happened in this month
    #[arg(long, value_name = "YYYY-MM")]
    without_month: Option<Month>,
    /// Without what you said about this belief
    #[arg(long, value_name = "ID|KEY")]
    withdraw: Vec<String>,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let described = Selection {
        ids: Vec::new(),
        source: args.without_source.clone(),
        file: args.without_file.clone(),
        import: args.without_import.clone(),
        session: args.without_session.clone(),
        actor: args.without_author.clone(),
        month: args.without_month,
    };
    let (without, forget) = match &args.forget {
        Some(ids) if ids.is_empty() => (Selection::default(), described),
        Some(ids) => (described, Selection { ids: ids.clone(), ..Selection::default() }),
        None => (described, Selection::default()),
    };
    if args.forget.is_some() && forget.is_empty() {
        return Err(RequestError::NothingSelected.into());
    }
    let hypothesis = Hypothesis {
        retract: args.retract.clone(),
        without,
        forget,
        withdraw: args.withdraw.clone(),
        correct: args.correct.clone(),
        refute: args.refute.clone(),
    };
    let mut space = session.open(SpaceUse::Write(Capability::Correct))?;
    let found = corrections::what_if(&mut space, session.now, &hypothesis)?;
    match session.form {
        Form::Json => {
            let mut value = changes::to_json(&found.outcome)?;
            if let Some(plan) = &found.forget {
                value["forget"] = json!(plan.report(None));
            }
            output::json(&value)?;
        }
        Form::Text => {
            let words = found.forget.iter().flat_map(Plan::words_in_lines);
            words.map(|line| printable(&line)).try_for_each(output::line)?;
            changes::print(session, &found.outcome)?;
        }
    }
    Ok(0)
}
