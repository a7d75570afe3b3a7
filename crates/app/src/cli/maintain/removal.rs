//! `because maintain export`, `finalize` and `restore`.

use std::path::PathBuf;

use engine::private::Disclosure;
use kernel::kind::Capability;

use super::super::selecting::confirm;
use super::super::{CliSession, incomplete_if};
use super::{days, limit};
use crate::failure::{Failure, exit};
use crate::output::{self, BOLD, Form, count, path, printable};
use crate::service::maintenance::defaults::{ArchiveFormat, Defaults};
use crate::service::maintenance::removal::{
    self, ExportReport, FinalizeReport, RemovalRequest, RestoreReport, Wanted,
};
use crate::service::opening::SpaceUse;

/// Arguments of `maintain export`.
#[derive(clap::Args)]
#[command(
    after_help = "The archive has the records that may be removed, and everything that would be erased with them: other versions, echoes, what quotes them. Every operation is in it in whole form. The archive's digest is recorded in the space.\n\nExamples:\n  because maintain export --dry-run\n  because maintain export --limit 100000 --format jsonl"
)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    which: ArchiveSelection,
    /// The format [default: BECAUSE_ARCHIVE_FORMAT, else parquet]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<ArchiveFormat>,
    /// Only print what would be written
    #[arg(long)]
    dry_run: bool,
}

/// Arguments of `maintain finalize`.
#[derive(clap::Args)]
#[command(
    after_help = "Every archive is read and verified first. Only what an intact archive has is erased, as `because forget` erases: from the file, its free pages and write-ahead log, from indexes, caches and receipts. Ids, signatures and citations stay. If the command is stopped, call it again.\n\nExamples:\n  because maintain finalize --dry-run\n  because maintain finalize --limit 10000 --yes"
)]
pub(super) struct FinalizeArgs {
    #[command(flatten)]
    which: ArchiveSelection,
    /// Only print what would be erased
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// Arguments of `maintain restore`.
#[derive(clap::Args)]
#[command(
    after_help = "What was erased is recorded again under new ids, by your key, with a note of the archive and of the operation that it was. Marks for removal are not restored.\n\nExamples:\n  because maintain restore archive/9f2c41d003ab-20260301T120000Z.parquet\n  because maintain restore archive/9f2c41d003ab-20260301T120000Z.parquet 9f2c41d0"
)]
pub(super) struct RestoreArgs {
    /// The archive
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
    /// Only these records, by their ids or the beginnings of ids; everything if none is named
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only read and verify the archive
    #[arg(long)]
    dry_run: bool,
}

/// Which records, and where archives are.
#[derive(clap::Args)]
struct ArchiveSelection {
    /// Days between a mark and the removal: 30d [default: BECAUSE_RETENTION_DAYS, else 30d]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    older_than: Option<u64>,
    /// How many records at most [default: BECAUSE_DB_LIMIT, else 500]
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<usize>,
    /// The folder of archives [default: BECAUSE_ARCHIVE_DIR, else archive in the because home]
    #[arg(long, value_name = "FOLDER")]
    archive_dir: Option<PathBuf>,
}

impl ExportArgs {
    pub(super) fn writes(&self) -> bool {
        !self.dry_run
    }
}

impl FinalizeArgs {
    pub(super) fn writes(&self) -> bool {
        !self.dry_run
    }
}

impl RestoreArgs {
    pub(super) fn writes(&self) -> bool {
        !self.dry_run
    }
}

impl ArchiveSelection {
    fn request(&self, format: Option<ArchiveFormat>, dry_run: bool) -> RemovalRequest {
        RemovalRequest {
            older_than_days: self.older_than,
            limit: self.limit,
            format,
            folder: self.archive_dir.clone(),
            dry_run,
            disclosure: Disclosure::Full,
        }
    }
}

pub(super) fn export(session: &CliSession, args: &ExportArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Correct))?;
    let defaults = Defaults::read(session)?;
    let request = args.which.request(args.format, args.dry_run);
    let bar = output::progress(None, "{spinner} archived {pos} {per_sec}");
    let exported = removal::export(&mut space, session.now, &defaults, &request, &mut |written| {
        bar.set_position(written);
    });
    bar.finish_and_clear();
    let report = exported?;
    match session.form {
        Form::Json => output::json(&report)?,
        Form::Text => print_export(&report)?,
    }
    Ok(0)
}

fn print_export(report: &ExportReport) -> Result<(), Failure> {
    let records = count(report.records, "record");
    let records = match report.operations > report.records {
        true => format!("{records}, in all {}", count(report.operations, "operation")),
        false => records,
    };
    match (&report.file, report.records) {
        (_, 0) => output::line("Nothing may be removed yet; nothing was written.")?,
        (None, _) => {
            output::line(format_args!("Would be archived: {records}."))?;
        }
        (Some(file), _) => {
            output::line(format_args!("{BOLD}Archived{BOLD:#} {records}"))?;
            output::line(format_args!("  {}", printable(file)))?;
            output::line(format_args!("  {}", report.digest.as_deref().unwrap_or_default()))?;
        }
    }
    tell_more(report.has_more)
}

fn tell_more(has_more: bool) -> Result<(), Failure> {
    if has_more {
        output::note("More may be removed: --limit takes more at once.");
    }
    Ok(())
}

pub(super) fn finalize(session: &CliSession, args: &FinalizeArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Correct))?;
    let defaults = Defaults::read(session)?;
    let mut run = |dry_run| {
        let request = args.which.request(None, dry_run);
        let bar = output::progress(None, "{spinner} erased {pos}");
        bar.enable_steady_tick(std::time::Duration::from_millis(125));
        let report =
            removal::finalize(&mut space, session.now, &defaults, &request, &mut |removed| {
                bar.set_position(removed);
            });
        bar.finish_and_clear();
        report
    };
    if !args.dry_run && !args.yes {
        let plan = run(true)?;
        if session.form == Form::Text {
            print_finalize(&plan)?;
        }
        let records = count(plan.records, "record");
        let question = format!("Erase {records}? Only the archive has them then.");
        if plan.records == 0 || !confirm(session, &question)? {
            return Ok(incomplete_if(is_partial(&plan)));
        }
    }
    let report = run(args.dry_run)?;
    match session.form {
        Form::Json => output::json(&report)?,
        Form::Text => print_finalize(&report)?,
    }
    Ok(match report.is_erased {
        Some(false) => exit::INCOMPLETE,
        _ => incomplete_if(is_partial(&report)),
    })
}

fn is_partial(report: &FinalizeReport) -> bool {
    report.not_archived > 0 || report.changed > 0
}

fn print_finalize(report: &FinalizeReport) -> Result<(), Failure> {
    let records = count(report.records, "record");
    match (report.dry_run, report.eligible) {
        (_, 0) => output::line("Nothing may be removed yet.")?,
        (true, _) => output::line(format_args!("{records} would be erased."))?,
        (false, _) => output::line(format_args!("{BOLD}Erased{BOLD:#} {records}."))?,
    }
    let left = [
        (report.not_archived, "in no intact archive"),
        (report.changed, "changed since the archive was made"),
    ];
    for (number, why) in left {
        if number > 0 {
            let records = count(number, "record");
            output::line(format_args!("  {records} {why}: `because maintain export` first"))?;
        }
    }
    for archive in report.archives.iter().filter(|archive| archive.state != "intact") {
        output::line(format_args!(
            "  the archive {} is {}",
            printable(&archive.file),
            archive.state
        ))?;
    }
    if report.is_erased == Some(false) {
        output::line(
            "Another process still reads an older state of the file: `because forget --finish` cleans it later.",
        )?;
    }
    tell_more(report.has_more)
}

pub(super) fn restore(session: &CliSession, args: &RestoreArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Correct))?;
    let bar = output::progress(None, "{spinner} read {pos}");
    bar.enable_steady_tick(std::time::Duration::from_millis(125));
    let wanted = Wanted { names: &args.ids, disclosure: Disclosure::Full };
    let archive = &args.archive;
    let restored =
        removal::restore(&mut space, session.now, archive, &wanted, args.dry_run, &mut |read| {
            bar.set_position(read);
        });
    bar.finish_and_clear();
    let report = restored?;
    match session.form {
        Form::Json => output::json(&report)?,
        Form::Text => print_restore(&report)?,
    }
    Ok(incomplete_if(report.left_out > 0))
}

fn print_restore(report: &RestoreReport) -> Result<(), Failure> {
    let file = path(report.file.as_ref());
    let operations = count(report.operations, "operation");
    if report.dry_run {
        return output::line(format_args!("{file} is intact and has {operations}."));
    }
    let restored = count(report.restored, "operation");
    output::line(format_args!("{BOLD}Restored{BOLD:#} {restored} of {file}"))?;
    if report.present > 0 {
        output::line(format_args!("  {} here already", count(report.present, "operation")))?;
    }
    if report.left_out > 0 {
        let operations = count(report.left_out, "operation");
        output::line(format_args!("  {operations} could not be recorded again:"))?;
    }
    for left in &report.left_out_first {
        output::line(format_args!("  {} {}: {}", left.id, left.kind, printable(&left.reason)))?;
    }
    Ok(())
}
