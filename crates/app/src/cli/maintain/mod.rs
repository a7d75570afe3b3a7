//! `because maintain`

use clap::Subcommand;

use super::CliSession;
use crate::failure::Failure;

mod care;
mod marks;
mod removal;

/// Arguments of `maintain`.
#[derive(clap::Args)]
#[command(
    after_help = "A record that is marked for removal can be archived and erased after the retention period: BECAUSE_RETENTION_DAYS, 30 days by default, counted from the mark. Only what an archive has is erased.\n\nExamples:\n  because maintain mark 9f2c41d0\n  because maintain list\n  because maintain export\n  because maintain finalize"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Mark records for removal
    #[command(after_help = marks::MARK_HELP)]
    Mark(marks::MarkArgs),
    /// Take marks for removal back
    #[command(after_help = marks::UNMARK_HELP)]
    Unmark(marks::MarkArgs),
    /// List what is marked for removal, the earliest mark first
    #[command(alias = "list-removals")]
    List(marks::ListArgs),
    /// Write what may be removed to an archive
    #[command(alias = "export-removals")]
    Export(removal::ExportArgs),
    /// Erase what may be removed and is archived
    #[command(alias = "finalize-removal")]
    Finalize(removal::FinalizeArgs),
    /// Bring records back from an archive
    Restore(removal::RestoreArgs),
    /// Mark records of a kind or a source that are older than some days
    Retention(care::RetentionArgs),
    /// Check whether the space needs care
    Health(care::HealthArgs),
    /// Embed what the chosen model has not embedded
    Reembed(care::ReembedArgs),
    /// Find nodes that say the same, and propose to join them
    Dedupe(care::DedupeArgs),
}

impl Args {
    /// Whether it appends to a ledger.
    pub(super) fn writes(&self) -> bool {
        match &self.action {
            Action::Mark(args) | Action::Unmark(args) => args.writes(),
            Action::List(_) | Action::Health(_) | Action::Reembed(_) => false,
            Action::Retention(args) => args.writes(),
            Action::Dedupe(args) => args.writes(),
            Action::Export(args) => args.writes(),
            Action::Finalize(args) => args.writes(),
            Action::Restore(args) => args.writes(),
        }
    }
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Mark(args) => marks::mark(session, args),
        Action::Unmark(args) => marks::unmark(session, args),
        Action::List(args) => marks::list(session, args),
        Action::Export(args) => removal::export(session, args),
        Action::Finalize(args) => removal::finalize(session, args),
        Action::Restore(args) => removal::restore(session, args),
        Action::Retention(args) => care::retention(session, args),
        Action::Health(args) => care::health(session, args),
        Action::Reembed(args) => care::reembed(session, args),
        Action::Dedupe(args) => care::dedupe(session, args),
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
