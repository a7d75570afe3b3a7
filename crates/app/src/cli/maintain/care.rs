//! `because maintain health`, `reembed`, `dedupe` and `retention`.

use engine::private::Disclosure;
use kernel::kind::Capability;

use super::super::{CliSession, incomplete_if, log};
use super::{days, limit};
use crate::failure::{Failure, exit};
use crate::output::{self, BAD, BOLD, Form, GOOD, count, printable};
use crate::service::maintenance::dedupe::{self, DedupeReport};
use crate::service::maintenance::defaults::Defaults;
use crate::service::maintenance::health::{self, HealthReport};
use crate::service::maintenance::reembed;
use crate::service::maintenance::retention::{self, RetentionRule};
use crate::service::opening::SpaceUse;

/// Arguments of `maintain health`.
#[derive(clap::Args)]
#[command(
    after_help = "`because verify` checks every hash and signature, `because doctor` this installation.\n\nExample:\n  because maintain health --json"
)]
pub(super) struct HealthArgs {
    /// How many edges and marks are looked at [default: BECAUSE_DB_LIMIT, else 500]
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<usize>,
}

/// Arguments of `maintain reembed`.
#[derive(clap::Args)]
#[command(
    after_help = "Runs one round of `because embed`, and does not wait for a model that does not answer.\n\nExample:\n  because maintain reembed --limit 10000"
)]
pub(super) struct ReembedArgs {
    /// How many texts at most [default: BECAUSE_DB_LIMIT, else 500]
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<usize>,
    /// Only print how many texts are left
    #[arg(long)]
    dry_run: bool,
}

/// Arguments of `maintain dedupe`.
#[derive(clap::Args)]
#[command(
    after_help = "Nodes of one type that say the same in nearly the same words are proposed to be joined, for `because review`. Accepted, the later ones become aliases of the earliest. Nothing is deleted.\n\nExamples:\n  because maintain dedupe --dry-run\n  because maintain dedupe && because patch list"
)]
pub(super) struct DedupeArgs {
    /// How many nodes are compared, the newest [default: BECAUSE_DB_LIMIT, else 500]
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<usize>,
    /// Only print what would be proposed
    #[arg(long)]
    dry_run: bool,
}

/// Arguments of `maintain retention`.
#[derive(clap::Args)]
#[command(
    group = clap::ArgGroup::new("which").args(["kinds", "source"]).multiple(true).required(true),
    after_help = "Marks records for removal by a rule. A record's age is that of what it tells of, or that of its recording if it has no time.\n\nExamples:\n  because maintain retention --kind turn --older-than 365d --dry-run\n  because maintain retention --source claude-code --older-than 90d"
)]
pub(super) struct RetentionArgs {
    /// Records of this kind, as turn, note or thought; may be repeated
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// Records of this source, e.g. `chat-jsonl`
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Records that are older than so many days: 365d
    #[arg(long, value_name = "DAYS", value_parser = days)]
    older_than: u64,
    /// How many at most [default: BECAUSE_DB_LIMIT, else 500]
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<usize>,
    /// Only print what would be marked
    #[arg(long)]
    dry_run: bool,
}

impl DedupeArgs {
    pub(super) fn writes(&self) -> bool {
        !self.dry_run
    }
}

impl RetentionArgs {
    pub(super) fn writes(&self) -> bool {
        !self.dry_run
    }
}

pub(super) fn health(session: &CliSession, args: &HealthArgs) -> Result<u8, Failure> {
    let space = session.open(SpaceUse::Read)?;
    let defaults = Defaults::read(session)?;
    let report =
        health::health(session, &space, session.now, &defaults, args.limit, Disclosure::Full)?;
    match session.form {
        Form::Json => output::json(&report)?,
        Form::Text => print_health(&report)?,
    }
    Ok(if report.sound { 0 } else { exit::UNSOUND })
}

fn print_health(report: &HealthReport) -> Result<(), Failure> {
    for check in &report.checks {
        let mark = match check.ok {
            true => format!("{GOOD}ok{GOOD:#}   "),
            false => format!("{BAD}look{BAD:#} "),
        };
        output::line(format_args!("{mark} {:<13} {}", check.name, printable(&check.found)))?;
        if let Some(advice) = check.advice.filter(|_| !check.ok) {
            output::line(format_args!("                    {advice}"))?;
        }
    }
    Ok(())
}

pub(super) fn reembed(session: &CliSession, args: &ReembedArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Append))?;
    let defaults = Defaults::read(session)?;
    let bar = output::progress(Some(0), "{spinner} embedding {bar:30} {pos}/{len} {eta}");
    let done =
        reembed::reembed(session, &mut space, &defaults, args.limit, args.dry_run, &mut |done| {
            bar.set_length(done.embedded + done.failed + done.pending);
            bar.set_position(done.embedded + done.failed);
        });
    bar.finish_and_clear();
    let report = done?;
    match session.form {
        Form::Json => output::json(&report)?,
        Form::Text => {
            output::line(format_args!(
                "{BOLD}Embedded{BOLD:#} {} by {}, {} left",
                count(report.embedded, "text"),
                printable(&report.model),
                report.pending
            ))?;
            if let Some(error) = &report.error {
                output::line(format_args!("  {}", printable(error)))?;
            }
        }
    }
    Ok(incomplete_if(!args.dry_run && (report.pending > 0 || report.failed > 0)))
}

pub(super) fn dedupe(session: &CliSession, args: &DedupeArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Derive))?;
    let defaults = Defaults::read(session)?;
    let bar = output::spinner("comparing");
    let (now, limit) = (session.now, args.limit);
    let found = dedupe::dedupe(&mut space, now, &defaults, limit, args.dry_run, Disclosure::Full);
    bar.finish_and_clear();
    let report = found?;
    match session.form {
        Form::Json => output::json(&report)?,
        Form::Text => print_dedupe(&report)?,
    }
    Ok(0)
}

fn print_dedupe(report: &DedupeReport) -> Result<(), Failure> {
    for pair in &report.pairs {
        output::line(format_args!("{}", printable(&pair.text)))?;
        output::line(format_args!(
            "  repeats {} ({:.2})",
            printable(&pair.canonical_text),
            pair.likeness
        ))?;
    }
    let compared = count(report.considered, "node");
    let pairs = count(report.pairs.len() as u64, "duplicate");
    output::line(format_args!("{BOLD}{pairs}{BOLD:#} among {compared}"))?;
    for proposal in &report.proposals {
        let id: String = proposal.chars().take(15).collect();
        output::line(format_args!("  proposed: because patch apply {id}"))?;
    }
    Ok(())
}

pub(super) fn retention(session: &CliSession, args: &RetentionArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Correct))?;
    let defaults = Defaults::read(session)?;
    let rule = RetentionRule {
        kinds: args.kinds.clone(),
        source: args.source.clone(),
        older_than_days: args.older_than,
        limit: args.limit,
        dry_run: args.dry_run,
    };
    let bar = output::spinner("reading");
    let applied = retention::apply(&mut space, session.now, &defaults, &rule, Disclosure::Full);
    bar.finish_and_clear();
    let report = applied?;
    if report.count == 0 {
        log::note_nothing(&space, &args.kinds)?;
    }
    match session.form {
        Form::Json => output::json(&report)?,
        Form::Text => {
            let records = count(report.count, "record");
            match report.dry_run {
                true => output::line(format_args!("{records} would be marked for removal."))?,
                false => output::line(format_args!("Marked {records} for removal."))?,
            }
            if report.has_more {
                output::note("The rule concerns more: --limit takes more at once.");
            }
        }
    }
    Ok(0)
}
