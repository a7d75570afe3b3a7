//! `because maintain`

use engine::outcome::Intent;
use engine::private::Disclosure;
use kernel::kind::Capability;

use super::selecting::SelectionArgs;
use super::{CliSession, incomplete_if};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, count, printable};
use crate::service::maintenance::defaults::Defaults;
use crate::service::maintenance::marks::{self, ListRequest, MarkChange, MarkReport, RemovalList};
use crate::service::opening::SpaceUse;

/// Characters of an id that people can type.
const SHORT_ID_CHARS: usize = 15;

/// Arguments of `maintain`.
#[derive(clap::Args)]
#[command(
    after_help = "A record that is marked for removal can be archived and erased after the retention period: BECAUSE_RETENTION_DAYS, 30 days by default, counted from the mark.\n\nExamples:\n  because maintain mark 9f2c41d0\n  because maintain list"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Mark records for removal
    Mark(MarkArgs),
    /// Take marks for removal back
    Unmark(MarkArgs),
    /// List what is marked for removal, the earliest mark first
    #[command(alias = "list-removals")]
    List(ListArgs),
}

/// Arguments of `maintain mark` and `maintain unmark`.
#[derive(clap::Args)]
#[command(
    after_help = "A mark changes nothing of what is recalled. A record that is marked already keeps the time of its mark. Names that fit no record are reported, and the others are marked.\n\nExamples:\n  because maintain mark 9f2c41d0 03ab77e1\n  because maintain mark --source chatgpt --month 2024-03 --dry-run\n  because maintain unmark 9f2c41d0"
)]
struct MarkArgs {
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
struct ListArgs {
    /// Only those that may be removed now
    #[arg(long)]
    eligible: bool,
    /// Days between a mark and the removal: 30d [default: BECAUSE_RETENTION_DAYS]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    older_than: Option<u64>,
    /// How many at most [default: BECAUSE_DB_LIMIT]
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<usize>,
}

impl Args {
    /// Whether it appends to a ledger.
    pub(super) fn writes(&self) -> bool {
        match &self.action {
            Action::Mark(args) | Action::Unmark(args) => !args.dry_run,
            Action::List(_) => false,
        }
    }
}

/// A number of days: `30` or `30d`.
fn days(text: &str) -> Result<u64, String> {
    let days = text.strip_suffix('d').unwrap_or(text).parse().ok();
    days.filter(|days| *days <= 36_525).ok_or_else(|| "write days, as 30d, at most 36525d".into())
}

/// How many at most.
fn limit(text: &str) -> Result<usize, String> {
    let limit = text.parse().ok().filter(|limit| (1..=1_000_000).contains(limit));
    limit.ok_or_else(|| "write a number from 1 to 1000000".into())
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Mark(args) => mark(session, args, MarkChange::Mark),
        Action::Unmark(args) => mark(session, args, MarkChange::Unmark),
        Action::List(args) => list(session, args),
    }
}

fn mark(session: &CliSession, args: &MarkArgs, change: MarkChange) -> Result<u8, Failure> {
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
            "ambiguous" => "several records have ids that begin so",
            "removed" => "its content is gone already",
            _ => "not a record that can be marked",
        };
        output::line(format_args!("  {}: {why}", printable(&skipped.id)))?;
    }
    Ok(())
}

fn list(session: &CliSession, args: &ListArgs) -> Result<u8, Failure> {
    let space = session.open(SpaceUse::Read)?;
    let request = ListRequest {
        eligible_only: args.eligible,
        older_than_days: args.older_than,
        limit: args.limit,
    };
    let defaults = Defaults::read()?;
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
