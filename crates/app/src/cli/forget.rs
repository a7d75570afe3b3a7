//! `because forget`

use kernel::kind::Capability;
use serde_json::json;

use super::CliSession;
use super::selecting::{SelectionArgs, confirm};
use crate::failure::{Failure, exit};
use crate::output::{self, Form, count, printable};
use crate::service::forgetting::{self, Plan};
use crate::service::opening::SpaceUse;

/// Arguments of `forget`.
#[derive(clap::Args)]
#[command(
    after_help = "The content of the records is erased: from the file, its free pages and write-ahead log, from indexes, caches and receipts, and from everything that was concluded from it. Their ids, signatures and hashes stay, so the ledger still verifies. Copies on other devices erase the same at the next exchange. Importing the same records again brings them back only with --again. A file that holds the text under another name, in another format or with a change is another record to an import: it brings the text back. Delete or change it before you import again.\n\nWhat would go is shown first, and you are asked. This cannot be undone. A record has to match all options that are given.\n\nBackups, exports that you made before, and what agents keep elsewhere are not erased.\n\nExamples:\n  because forget 9f2c41d0 --reason \"Petra asked me to\"\n  because forget --source chatgpt --month 2025-03 --dry-run\n  because forget --file 'Studio/Old plans.md' --yes"
)]
pub(crate) struct Args {
    /// Records, or what you typed in corrections and refutations, by ids or the beginnings of ids
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Why; it stays readable
    #[arg(long, default_value = "", alias = "note")]
    reason: String,
    /// Only print what would go
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Clean the file after an erasure that another process delayed
    #[arg(long, exclusive = true)]
    finish: bool,
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Correct))?;
    if args.finish {
        return finish(session, space.finish_erasure()?);
    }
    let bar = output::spinner("working out what goes");
    let planned = forgetting::plan(&mut space, session.now, &args.selection.among(&args.ids));
    bar.finish_and_clear();
    let plan = planned?;
    if args.dry_run {
        return print_plan(session, &plan);
    }
    if session.form == Form::Text {
        print_lines(&plan)?;
    }
    let question = format!("Forget {}? This cannot be undone.", count(plan.selected(), "record"));
    if !args.yes && !confirm(session, &question)? {
        return Ok(0);
    }
    let bar = output::spinner("forgetting");
    let forgotten = forgetting::forget(&mut space, session.now, &plan, &args.reason);
    bar.finish_and_clear();
    let forgotten = forgotten?;
    match session.form {
        Form::Json => output::json(&plan.report(Some(&forgotten)))?,
        Form::Text => {
            output::line(format_args!("Forgot {}.", count(plan.selected(), "record")))?;
            if !forgotten.is_erased {
                tell_unfinished()?;
            }
        }
    }
    Ok(finished(forgotten.is_erased))
}

fn print_plan(session: &CliSession, plan: &Plan) -> Result<u8, Failure> {
    match session.form {
        Form::Json => output::json(&plan.report(None))?,
        Form::Text => {
            print_lines(plan)?;
            output::line("Nothing was written.")?;
        }
    }
    Ok(0)
}

fn print_lines(plan: &Plan) -> Result<(), Failure> {
    plan.lines().iter().try_for_each(|line| output::line(printable(line)))
}

fn finish(session: &CliSession, is_erased: bool) -> Result<u8, Failure> {
    match session.form {
        Form::Json => output::json(&json!({ "is_erased": is_erased }))?,
        Form::Text if is_erased => {
            output::line("Nothing that was forgotten is left in the file.")?;
        }
        Form::Text => tell_unfinished()?,
    }
    Ok(finished(is_erased))
}

fn tell_unfinished() -> Result<(), Failure> {
    output::line(
        "Another process still reads an older state of the file, so free pages or the write-ahead log may hold forgotten content. The next process that writes cleans them, or `because forget --finish`.",
    )
}

fn finished(is_erased: bool) -> u8 {
    if is_erased { 0 } else { exit::INCOMPLETE }
}
