//! `because maintain mark`, `unmark` and `list`.

use engine::outcome::Intent;
use engine::private::Disclosure;
use kernel::kind::Capability;

use super::super::selecting::SelectionArgs;
use super::super::{CliSession, incomplete_if};
use super::{days, limit};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, count, printable};
use crate::service::maintenance::defaults::Defaults;
use crate::service::maintenance::marks::{self, ListRequest, MarkChange, MarkReport, RemovalList};
use crate::service::opening::SpaceUse;

/// Characters of an id that people can type.
const SHORT_ID_CHARS: usize = 15;

/// The end of the help of `maintain mark`.
pub(super) const MARK_HELP: &str = "A mark changes nothing of what is recalled. A record that is marked already keeps the time of its mark. Names that fit no record are reported, and the others are marked.\n\nExamples:\n  because maintain mark 9f2c41d0 03ab77e1\n  because maintain mark --source chatgpt --month 2024-03 --dry-run";
/// The end of the help of `maintain unmark`.
pub(super) const UNMARK_HELP: &str = "Without its mark, a record is neither archived nor erased. Names that fit no record are reported, and the marks of the others are taken back. What was erased already comes back with `because maintain restore`.\n\nExamples:\n  because maintain unmark 9f2c41d0\n  because maintain unmark --source chatgpt --month 2024-03 --dry-run";

/// Arguments of `maintain mark` and `maintain unmark`.
#[derive(clap::Args)]
pub(super) struct MarkArgs {
    /// Records, thoughts, nodes, edges or stated claims, by ids or the beginnings of ids
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Only print what would change
    #[arg(long)]
    dry_run: bool,
}

/// Arguments of `maintain list`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because maintain list\n  because maintain list --eligible --older-than 7d --json"
)]
pub(super) struct ListArgs {
    /// Only those that may be removed now
    #[arg(long)]
    eligible: bool,
    /// Days between a mark and the removal: 30d [default: BECAUSE_RETENTION_DAYS, else 30d]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    older_than: Option<u64>,
    /// How many at most [default: BECAUSE_DB_LIMIT, else 500]
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<usize>,
}

impl MarkArgs {
    pub(super) fn writes(&self) -> bool {
        !self.dry_run
    }
}

pub(super) fn mark(session: &CliSession, args: &MarkArgs) -> Result<u8, Failure> {
    change(session, args, MarkChange::Mark)
}

pub(super) fn unmark(session: &CliSession, args: &MarkArgs) -> Result<u8, Failure> {
    change(session, args, MarkChange::Unmark)
}

fn change(session: &CliSession, args: &MarkArgs, change: MarkChange) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Correct))?;
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    let described = args.selection.among(&[]);
    let report = marks::change(
        &mut space,
        session.now,
        &args.ids,
        &described,
        change,
        intent,
        Disclosure::Full,
    )?;
    match session.form {
        Form::Json => output::json(&report)?,
        Form::Text => print_marks(&report, change)?,
    }
    Ok(incomplete_if(!report.skipped.is_empty()))
}

fn print_marks(report: &MarkReport, change: MarkChange) -> Result<(), Failure> {
    let records = count(report.count, "record");
    match (change, report.dry_run) {
        (MarkChange::Mark, false) => output::line(format_args!("Marked {records} for removal.")),
        (MarkChange::Mark, true) => {
            output::line(format_args!("{records} would be marked for removal."))
        }
        (MarkChange::Unmark, false) => output::line(format_args!("Took {records} off the list.")),
        (MarkChange::Unmark, true) => {
            output::line(format_args!("{records} would be taken off the list."))
        }
    }?;
    if report.unchanged > 0 {
        let already = match change {
            MarkChange::Mark => "marked already",
            MarkChange::Unmark => "not marked",
        };
        let records = count(report.unchanged, "record");
        output::line(format_args!("  {records} {already}"))?;
    }
    for skipped in &report.skipped {
        let why = match skipped.why {
            "unknown" => "no such record",
            "ambiguous" => "several records have an id that begins with this",
            "removed" => "its content is gone already",
            _ => "not a record that can be marked",
        };
        output::line(format_args!("  {}: {why}", printable(&skipped.id)))?;
    }
    Ok(())
}

pub(super) fn list(session: &CliSession, args: &ListArgs) -> Result<u8, Failure> {
    let space = session.open(SpaceUse::Read)?;
    let request = ListRequest {
        eligible_only: args.eligible,
        older_than_days: args.older_than,
        limit: args.limit,
    };
    let defaults = Defaults::read(session)?;
    let list = marks::list(&space, session.now, &defaults, &request, Disclosure::Full)?;
    match session.form {
        Form::Json => output::json(&list)?,
        Form::Text => print_list(&list)?,
    }
    Ok(0)
}

fn print_list(list: &RemovalList) -> Result<(), Failure> {
    if list.removals.is_empty() {
        output::line("Nothing is marked for removal.")?;
        return Ok(());
    }
    for line in &list.removals {
        let id: String = line.id.chars().take(SHORT_ID_CHARS).collect();
        let when = match line.eligible {
            true => "may be removed".to_owned(),
            false => format!("from {}", day(&line.eligible_at)),
        };
        output::line(format_args!(
            "{ID}{id}{ID:#}  {DIM}{} {}{DIM:#}  {}  {DIM}{when}{DIM:#}",
            line.kind,
            day(&line.marked_at),
            printable(&line.summary)
        ))?;
    }
    output::line(format_args!(
        "{BOLD}{}{BOLD:#} marked, {} may be removed ({} days after the mark)",
        count(list.removals.len() as u64, "record"),
        list.eligible,
        list.retention_days
    ))?;
    if list.has_more {
        output::note("More are marked: --limit lists more at once.");
    }
    Ok(())
}

/// The date of a time.
fn day(time: &str) -> &str {
    time.get(..10).unwrap_or(time)
}
