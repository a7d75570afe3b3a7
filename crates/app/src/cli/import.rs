//! `because import`

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use engine::write::exchange::{Intake, read_genesis};
use engine::write::import::{Intent, ProblemReport, Progress, Report};
use engine::write::import_graph::GraphTally;
use engine::write::record::ForgottenPolicy;
use engine::write::record_again::RecordedAgain;
use engine::{EngineError, Space};
use importers::{Context, DayOrder, ImportError, Importer};
use kernel::body::Body;
use kernel::kind::Capability;
use kernel::operation::Operation;
use kernel::rules::judge_time;
use serde_json::json;
use store::RecordError;

use super::interrupt::{self, Work};
use super::{CliSession, embedding, incomplete_if, mirror};
use crate::failure::{Failure, RequestError, hint};
use crate::output::{self, BAD, BOLD, DIM, Form, count, printable};
use crate::place;
use crate::service::handles;
use crate::service::opening::SpaceUse;
use crate::service::record_embedding::After;

/// Problems printed; `--json` has more.
const PROBLEMS_SHOWN_MAX: usize = 10;
/// The export format of a ledger, which no importer handles.
const LEDGER: &str = "ledger";

/// Formats whose folders may hold other files.
const MIXED: [&str; 3] = ["git", "markdown", "photo"];

/// Arguments of `import`.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    /// Files and folders
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Read as this format instead of detecting it
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Retract what the source no longer has, and recognise renamed notes; for notes and calendars
    #[arg(long)]
    mirror: bool,
    /// Do not ask before a mirror retracts more than half of a source
    #[arg(long, requires = "mirror")]
    yes: bool,
    /// Of dates such as 2/6/2025, the first number is the day, where the file does not show it
    #[arg(long, conflicts_with = "month_first")]
    day_first: bool,
    /// Of dates such as 2/6/2025, the first number is the month, where the file does not show it
    #[arg(long)]
    month_first: bool,
    /// Only print what would be recorded
    #[arg(long)]
    dry_run: bool,
    /// Also record what was forgotten before
    #[arg(long)]
    again: bool,
    /// Do not derive beliefs now; `because derive` does so later
    #[arg(long)]
    no_derive: bool,
    /// Record again, with today's time, what this device's own key signed and this copy refuses:
    /// after a clock that was ahead, or a fork
    #[arg(long, conflicts_with = "dry_run")]
    record_again: bool,
}

impl Args {
    /// One bad source among several is reported, and the others are imported.
    fn or_unreadable(&self, found: Result<Source, Failure>) -> Result<Source, Failure> {
        match found {
            Err(failure) if self.paths.len() > 1 && is_of_source(&failure) => {
                Ok(Source::Unreadable(failure))
            }
            found => found,
        }
    }

    fn context(&self, session: &CliSession) -> Context {
        let day_order = match (self.day_first, self.month_first) {
            (true, _) => Some(DayOrder::DayFirst),
            (false, true) => Some(DayOrder::MonthFirst),
            (false, false) => None,
        };
        Context { day_order, ..Context::new(session.now, session.zone.clone()) }
    }
}

fn after_help() -> String {
    let mut text = "Formats:\n".to_owned();
    for importer in importers::registry() {
        text.push_str(&format!("  {:<14} {}\n", importer.name(), importer.describe()));
    }
    text.push_str(&format!(
        "  {LEDGER:<14} what `because export` writes: another copy of the same space\n"
    ));
    text.push_str(
        "\nImporting the same file twice adds nothing; a changed item supersedes its earlier version. What was forgotten stays forgotten unless you give --again. That holds for the same record of the same name; a file that was renamed or edited since and still holds the forgotten text brings it back.\nSecrets (keys, tokens, passwords) are masked before anything is written.\n\nExamples:\n  because import notes/ calendar.ics chat.jsonl\n  because import --dry-run ~/Downloads/conversations.json\n  because import --format text transcript.log",
    );
    text
}

/// The format that was detected for a path.
enum Source {
    Ledger,
    Format(&'static dyn Importer),
    /// A path that is missing or cannot be read, among others that can.
    Unreadable(Failure),
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let forced = args.format.as_deref().map(by_name).transpose()?;
    let source_of = |path: &PathBuf| {
        check_source(path)?;
        match &forced {
            Some(Source::Ledger) => Ok(Source::Ledger),
            Some(Source::Format(importer)) => Ok(Source::Format(*importer)),
            _ => detect(path, args.mirror),
        }
    };
    let sources: Vec<(&PathBuf, Source)> = args
        .paths
        .iter()
        .map(|path| Ok((path, args.or_unreadable(source_of(path))?)))
        .collect::<Result<_, Failure>>()?;
    let mut reports = Vec::new();
    let mut summary = Imported::default();
    if args.mirror {
        for (_, source) in &sources {
            match source {
                Source::Format(importer) => mirror::check(*importer)?,
                Source::Ledger => return Err(RequestError::NotMirrorable { format: LEDGER }.into()),
                Source::Unreadable(_) => {}
            }
        }
    }
    let work = interrupt::watched(session.form, "reading");
    let imported = import_each(session, args, sources, &work, &mut reports, &mut summary);
    let concludes =
        summary.is_new && !summary.restores && imported.is_ok() && !args.dry_run && !args.no_derive;
    let reads = summary.is_new && !args.dry_run;
    // What is derived is embedded, too.
    work.goes_on("deriving; the import is done");
    let derived = if concludes { super::derive::after_a_write(session)? } else { None };
    let embedded = if reads { embedding::after_a_write(session, After::Importing)? } else { None };
    if summary.asks_who && imported.is_ok() && !args.dry_run {
        session.warn(ASKS_WHO, "nothing says which of these people you are", HOW_TO_SAY);
    }
    // What was recorded before a failure is reported, too.
    if session.form == Form::Json && (imported.is_ok() || !reports.is_empty()) {
        output::json(
            &json!({ "dry_run": args.dry_run, "sources": reports, "derived": derived, "embedded": embedded }),
        )?;
    }
    imported
}

/// The code of the warning that names of people were imported and the person's own is unknown.
const ASKS_WHO: &str = "unknown_owner";
const HOW_TO_SAY: &str = "`because me --name \"…\" --email …` says so once, for all your spaces; contacts and what you \
     said yourself depend on it";

/// The outcome of an import, as far as it decides whether to derive.
#[derive(Default)]
struct Imported {
    /// Something may have been recorded.
    is_new: bool,
    /// See [`Intake::restores`].
    restores: bool,
    /// New records are between people, and the person has not said who they are.
    asks_who: bool,
}

fn import_each(
    session: &CliSession,
    args: &Args,
    sources: Vec<(&PathBuf, Source)>,
    work: &Work,
    reports: &mut Vec<serde_json::Value>,
    summary: &mut Imported,
) -> Result<u8, Failure> {
    let mut left_out = false;
    for (path, source) in sources {
        work.goes_on(format!("importing {}", output::path(path)));
        match source {
            Source::Ledger => {
                let (intake, again) = take_in(session, path, args)?;
                let recorded_again =
                    again.as_ref().map_or(0, |again| again.total() - again.left_out);
                left_out |= intake.refused > recorded_again;
                summary.is_new |= intake.added + intake.completed > 0 || recorded_again > 0;
                summary.restores |= intake.restores && again.is_none();
                match session.form {
                    Form::Json => {
                        reports.push(json!({ "path": path.to_string_lossy(), "format": LEDGER, "intake": intake, "recorded_again": again }))
                    }
                    Form::Text => {
                        print_intake(path, &intake)?;
                        super::intake::print_advice(&intake, again.as_ref())?;
                    }
                }
            }
            Source::Unreadable(failure) => {
                left_out = true;
                report_unreadable(session, path, "unknown", &failure, args, reports)?;
            }
            Source::Format(importer) => {
                let report = match import(session, importer, path, args, work) {
                    Ok(Some(report)) => report,
                    Ok(None) => continue,
                    Err(failure) if args.paths.len() > 1 && is_of_source(&failure) => {
                        // What came before the damage was recorded.
                        summary.is_new = true;
                        left_out = true;
                        report_unreadable(session, path, importer.name(), &failure, args, reports)?;
                        continue;
                    }
                    Err(failure) => return Err(failure),
                };
                left_out |= report.problem_count > 0;
                summary.is_new = true;
                summary.asks_who |=
                    report.tally.added > 0 && handles::is_needed_for(session, importer)?;
                match session.form {
                    Form::Json => {
                        reports.push(serde_json::to_value(&report).map_err(std::io::Error::from)?)
                    }
                    Form::Text => print(&report, args.dry_run)?,
                }
                if args.mirror && report.problem_count > 0 {
                    output::note("  nothing was retracted, because not everything could be read");
                }
                tell_of_others(path, importer)?;
            }
        }
    }
    Ok(incomplete_if(left_out))
}

/// Whether it is the source that cannot be read, not the space that cannot be written.
fn is_of_source(failure: &Failure) -> bool {
    matches!(failure, Failure::UnknownFormat { .. } | Failure::Engine(EngineError::Import(_)))
}

fn report_unreadable(
    session: &CliSession,
    path: &Path,
    format: &str,
    failure: &Failure,
    args: &Args,
    reports: &mut Vec<serde_json::Value>,
) -> Result<(), Failure> {
    let message = match failure {
        Failure::UnknownFormat { .. } => "of no format that is understood".to_owned(),
        // The path stands before the message.
        Failure::Engine(EngineError::Import(error)) if error.path() == path => {
            error.to_string().replacen(&path.display().to_string(), "it", 1)
        }
        failure => failure.to_string(),
    };
    let problem = ProblemReport { file: path.to_owned(), line: None, message };
    let report = Report {
        path: path.to_owned(),
        format: format.to_owned(),
        problem_count: 1,
        problems: vec![problem],
        ..Report::default()
    };
    match session.form {
        Form::Json => reports.push(serde_json::to_value(&report).map_err(std::io::Error::from)?),
        Form::Text => print(&report, args.dry_run)?,
    }
    Ok(())
}

/// A folder of notes or photos, or a repository, is imported as such; its other files are reported.
fn tell_of_others(path: &Path, importer: &dyn Importer) -> Result<(), Failure> {
    if !MIXED.contains(&importer.name()) {
        return Ok(());
    }
    let others = importers::others_in(path, importer).map_err(EngineError::from)?;
    if !others.is_empty() {
        let counts: Vec<String> =
            others.iter().map(|(format, count)| format!("{count} {format}")).collect();
        let total: usize = others.values().sum();
        output::note(format_args!(
            "  {} of other formats in it skipped ({}): name them to import them",
            count(total as u64, "file"),
            counts.join(", ")
        ));
    }
    Ok(())
}

/// Pipes and devices cannot be inspected before they are read, and may never end.
fn check_source(path: &Path) -> Result<(), Failure> {
    let io = |source| EngineError::Import(ImportError::Io { path: path.to_owned(), source });
    let metadata = path.metadata().map_err(io)?;
    if metadata.is_file() || metadata.is_dir() {
        return Ok(());
    }
    let reason = "it is neither a file nor a folder; save its content as a file and import that";
    Err(io(std::io::Error::other(reason)).into())
}

fn by_name(name: &str) -> Result<Source, Failure> {
    if name == LEDGER {
        return Ok(Source::Ledger);
    }
    let unknown = || RequestError::NoSuchFormat { name: name.to_owned(), known: format_names() };
    Ok(importers::by_name(name).map(Source::Format).ok_or_else(unknown)?)
}

fn format_names() -> Vec<&'static str> {
    importers::registry().iter().map(|importer| importer.name()).chain([LEDGER]).collect()
}

/// A mirror is of the notes or calendars of a source, whatever else is in it.
fn detect(path: &Path, mirrors: bool) -> Result<Source, Failure> {
    if path.is_file() && is_ledger(path) {
        return Ok(Source::Ledger);
    }
    let found = match mirrors {
        true => importers::detect_among(path, |importer| importer.is_mirrorable()),
        false => Ok(None),
    };
    let found = match found.map_err(EngineError::from)? {
        Some(importer) => Some(importer),
        None => importers::detect(path).map_err(EngineError::from)?,
    };
    found
        .map(Source::Format)
        .ok_or_else(|| Failure::UnknownFormat { path: path.to_owned(), formats: format_names() })
}

/// An exported ledger begins with its genesis operation, whose canonical header identifies it.
fn is_ledger(path: &Path) -> bool {
    use std::io::Read;
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4_096).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    read.is_ok()
        && text.starts_with('{')
        && text.contains("\"header\":{")
        && text.contains("\"kind\":\"space\"")
}

/// None if the user was asked and declined.
fn import(
    session: &CliSession,
    importer: &'static dyn Importer,
    path: &Path,
    args: &Args,
    work: &Work,
) -> Result<Option<Report>, Failure> {
    let policy = match args.again {
        true => ForgottenPolicy::RecordAgain,
        false => ForgottenPolicy::StaysForgotten,
    };
    let scratch = place::scratch_folder()?;
    work.unpacks_to(scratch.path());
    let unpacked = Some(scratch.path().to_owned());
    let context = Context { scratch: unpacked, ..args.context(session) };
    let total =
        path.metadata().ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len());
    let template = match total {
        Some(_) => "{msg} {bar:30} {bytes}/{total_bytes} {eta}",
        None => "{spinner} {msg} {bytes}",
    };
    let bar = output::progress(total, template);
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    let locator = session.locator()?;
    let mut space = match intent {
        Intent::Write => {
            Opened::Real(session.open_or_make(SpaceUse::Manage(Capability::Append))?.space)
        }
        Intent::DryRun if locator.locate()?.path.exists() => {
            Opened::Real(session.open(SpaceUse::Manage(Capability::Append))?.space)
        }
        Intent::DryRun => scratch_space(session)?,
    };
    let progress = |progress: Progress| {
        work.has(progress.records);
        bar.set_position(progress.bytes);
        bar.set_message(count(progress.records, "record"));
    };
    if !args.mirror {
        let mut writer = space.get().writer().with_policy(policy);
        let report = writer.import(importer, path, &context, intent, progress);
        bar.finish_and_clear();
        return Ok(Some(report?));
    }
    let planned = mirror::plan(space.get(), importer, path, &context, progress);
    bar.finish_and_clear();
    let (report, plan) = planned?;
    if intent == Intent::DryRun {
        return Ok(Some(report));
    }
    if !mirror::may_go_on(session, &report, &plan, args.yes)? {
        return Ok(None);
    }
    bar.reset();
    let mut writer = space.get().writer().with_policy(policy);
    let mirrored = writer.mirror(importer, path, &context, &plan, progress);
    bar.finish_and_clear();
    Ok(Some(mirrored?))
}

/// A dry run does not need a space; without one it uses a temporary one.
enum Opened {
    Real(Space),
    Scratch(
        Space,
        #[allow(dead_code, reason = "held until the space is closed")] tempfile::TempDir,
    ),
}

impl Opened {
    fn get(&mut self) -> &mut Space {
        match self {
            Self::Real(space) | Self::Scratch(space, _) => space,
        }
    }
}

fn scratch_space(session: &CliSession) -> Result<Opened, Failure> {
    let folder = place::scratch_folder()?;
    let signer = kernel::seal::Signer::from_seed([0; kernel::seal::SEED_BYTES]);
    let space = Space::create(&folder.path().join("space.db"), signer, "dry run", session.now)?;
    Ok(Opened::Scratch(space, folder))
}

fn print(report: &Report, dry_run: bool) -> Result<(), Failure> {
    let tally = &report.tally;
    let path = output::path(&report.path);
    let format = &report.format;
    if dry_run {
        let mut parts = vec![format!("would read {}", count(tally.total(), "record"))];
        if tally.added < tally.total() {
            parts.push(format!("{} new", tally.added));
            parts.extend((tally.replaced > 0).then(|| format!("{} changed", tally.replaced)));
            parts.extend((tally.present > 0).then(|| format!("{} already there", tally.present)));
        }
        output::line(format_args!("{BOLD}{path}{BOLD:#} ({format}): {}", parts.join(", ")))?;
        for line in &report.preview {
            output::line(format_args!("  {}", printable(line)))?;
        }
        let shown_of = match &report.graph {
            Some(_) => tally.total(),
            None => tally.added + tally.replaced,
        };
        let more = shown_of.saturating_sub(report.preview.len() as u64);
        if more > 0 && !report.preview.is_empty() {
            output::line(format_args!("  {DIM}… and {more} more{DIM:#}"))?;
        }
        if report.retracted > 0 {
            let gone = count(report.retracted, "record");
            output::line(format_args!("  no longer there, would be retracted: {gone}"))?;
            mirror::print_gone(report)?;
        }
    } else {
        let mut parts = vec![format!("{} new", tally.added)];
        parts.extend((tally.replaced > 0).then(|| format!("{} changed", tally.replaced)));
        parts.extend((report.retracted > 0).then(|| format!("{} retracted", report.retracted)));
        parts.extend((tally.present > 0).then(|| format!("{} already there", tally.present)));
        parts.extend(
            (tally.forgotten > 0).then(|| {
                format!("{} forgotten and left out (--again records them)", tally.forgotten)
            }),
        );
        output::line(format_args!("{BOLD}{path}{BOLD:#} ({format}): {}", parts.join(", ")))?;
    }
    if let Some(graph) = &report.graph {
        print_graph(graph)?;
    }
    if !report.masked.is_empty() {
        let kinds: Vec<String> =
            report.masked.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
        output::line(format_args!("  secrets masked before writing: {}", kinds.join(", ")))?;
    }
    if report.problem_count > 0 {
        output::line(format_args!(
            "  {BAD}{} left out or read only partly:{BAD:#}",
            count(report.problem_count, "item")
        ))?;
        for problem in report.problems.iter().take(PROBLEMS_SHOWN_MAX) {
            let place = match problem.line {
                Some(line) => format!("{}:{line}", output::path(&problem.file)),
                None => output::path(&problem.file),
            };
            let advice = hint::of_problem(&problem.message);
            let advice = advice.map(|advice| format!(" ({advice})")).unwrap_or_default();
            output::line(format_args!("  {place}: {}{advice}", printable(&problem.message)))?;
        }
        let more = report.problem_count.saturating_sub(PROBLEMS_SHOWN_MAX as u64);
        if more > 0 {
            output::line(format_args!("  {DIM}… and {more} more; --json lists up to 100{DIM:#}"))?;
        }
    }
    Ok(())
}

/// What became of claims, nodes, edges and retractions, as far as there are any.
fn print_graph(graph: &GraphTally) -> Result<(), Failure> {
    let GraphTally { claims, nodes, edges, retractions } = graph;
    for (what, of) in
        [("claims", claims), ("nodes", nodes), ("edges", edges), ("retractions", retractions)]
    {
        if of.added + of.present + of.forgotten == 0 {
            continue;
        }
        let mut parts = vec![format!("{} new", of.added)];
        parts.extend((of.present > 0).then(|| format!("{} already there", of.present)));
        parts
            .extend((of.forgotten > 0).then(|| format!("{} forgotten and left out", of.forgotten)));
        output::line(format_args!("  {what}: {}", parts.join(", ")))?;
    }
    Ok(())
}

/// Imports an exported ledger: into the space it belongs to, or as a new copy if there is no space
/// yet.
fn take_in(
    session: &CliSession,
    path: &Path,
    args: &Args,
) -> Result<(Intake, Option<RecordedAgain>), Failure> {
    let io = |source| EngineError::Import(ImportError::Io { path: path.to_owned(), source });
    let open = || File::open(path).map(BufReader::new).map_err(io);
    let is_own_and_ahead = |genesis: &Operation| {
        let is_ahead = judge_time(genesis.header().ts, engine::now_us(session.now)).is_err();
        Ok::<_, Failure>(is_ahead && genesis.header().author == session.home.signer()?.author())
    };
    // A space must not begin in the future: every later operation would have to be later still.
    let begin = || {
        let (genesis, body) = read_genesis(&mut open()?)?;
        if args.record_again && is_own_and_ahead(&genesis)? {
            return Ok((genesis, body));
        }
        let refuse = |violation| RecordError::Refused { id: genesis.id(), violation };
        judge_time(genesis.header().ts, engine::now_us(session.now))
            .map_err(refuse)
            .map_err(EngineError::from)?;
        Ok::<_, Failure>((genesis, body))
    };
    let locator = session.locator()?;
    let target = locator.locate()?.path;
    let exists = target.exists();
    let mut space = if args.dry_run && !exists {
        let folder = place::scratch_folder()?;
        let (genesis, body) = begin()?;
        let space = Space::copy_of(
            &folder.path().join("space.db"),
            &genesis,
            &body,
            session.home.signer()?,
        )?;
        Opened::Scratch(space, folder)
    } else if exists {
        Opened::Real(session.open(SpaceUse::TakeIn)?.space)
    } else if session.spaces.is_empty() {
        return Err(RequestError::LedgerWithoutSpace.into());
    } else {
        let (genesis, body) = begin()?;
        if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            place::make_folder(folder)?;
        }
        let signer = session.home.signer()?;
        Opened::Real(match body {
            // No copy can be made of it, so what it says goes into a space that begins today.
            Body::Space(body) if is_own_and_ahead(&genesis)? => {
                Space::create(&target, signer, &body.name, session.now)?
            }
            body => Space::copy_of(&target, &genesis, &body, signer)?,
        })
    };
    let space = space.get();
    let bar = output::progress(None, "{spinner} {pos} operations");
    let (genesis, _) = read_genesis(&mut open()?)?;
    let is_another = genesis.space() != space.id()? && args.record_again;
    let intake = if is_another && is_own_and_ahead(&genesis)? {
        Ok(Intake::default())
    } else if args.dry_run && exists {
        space.rehearse_take_in(&mut open()?, session.now, |lines| bar.set_position(lines))
    } else {
        space.take_in(&mut open()?, session.now, |lines| bar.set_position(lines))
    };
    let again = match (&intake, args.record_again) {
        (Ok(_), true) => Some(space.record_again(&mut open()?, session.now)),
        _ => None,
    };
    bar.finish_and_clear();
    Ok((intake?, again.transpose()?))
}

fn print_intake(path: &Path, intake: &Intake) -> Result<(), Failure> {
    let Intake { added, present, completed, without_body, refused, .. } = intake;
    output::line(format_args!(
        "{BOLD}{}{BOLD:#} ({LEDGER}): {} new, {present} already there",
        output::path(path),
        count(*added, "operation")
    ))?;
    if *completed > 0 {
        output::line(format_args!("  {completed} of them had no body here and are complete now"))?;
    }
    if *without_body > 0 {
        output::line(format_args!(
            "  {without_body} of the new ones came without their bodies; because verify says why"
        ))?;
    }
    if *refused > 0 {
        output::line(format_args!("  {BAD}{} refused:{BAD:#}", count(*refused, "operation")))?;
        super::intake::print_refusals(path, intake)?;
    }
    Ok(())
}
