//! `because claim mine`

use engine::mine::Refused;
use engine::selection::Selection;
use engine::write::import::Intent;
use kernel::kind::Capability;
use serde_json::json;

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, BAD, DIM, Form, GOOD, ID, count, printable};
use crate::service::language_model::{self, OpenedModel};
use crate::service::mining::{self, MinedView, MiningReport, MiningSelection};
use crate::service::opening::SpaceUse;

/// Arguments of `claim mine`.
#[derive(clap::Args)]
#[command(
    after_help = "Without a choice of records, the newest segment is read: a conversation or a task up to an hour of silence or a change of subject. The language model reads it if one is chosen, also in a dry run; private records are not shown to it. Otherwise rules find what is stated outright, such as \"we decided …\". Claims below the setting mining_min_confidence are dropped; at most mining_max_claims of the rest are kept, the surest first. What you refuted or took back is not written again. With the setting auto_learn off, preferences wait in `because review`.\n\nExamples:\n  because claim mine\n  because claim mine --session mara-idris-2025-01-08 --dry-run\n  because claim mine --since yesterday --rules"
)]
pub(crate) struct Args {
    /// Records to read, by their ids
    ids: Vec<String>,
    /// All records of this session: a conversation, thread or note
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// What happened since this time (2025-06-02, yesterday …)
    #[arg(long, value_name = "TIME", conflicts_with_all = ["ids", "session"])]
    since: Option<String>,
    /// Use rules, even if a language model is chosen
    #[arg(long)]
    rules: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    let mining = match session.times().start_if_given_us(args.since.as_deref())? {
        Some(since_us) => MiningSelection::Since(since_us),
        None if args.ids.is_empty() && args.session.is_none() => MiningSelection::NewestSegment,
        None => MiningSelection::Selected(Selection {
            ids: args.ids.clone(),
            session: args.session.clone(),
            ..Selection::default()
        }),
    };
    let mut space = session.open(SpaceUse::Write(Capability::Derive))?;
    let mut opened = language_model::open_unless(args.rules, session, space.path())?;
    let mut access = opened.as_mut().map(OpenedModel::access);
    if let Some(access) = &mut access {
        access.keeps_transcripts &= !args.dry_run;
    }
    let report = mining::mine(session, &mut space, &mining, access.as_mut(), intent)?;
    if let MiningSelection::Selected(selection) = &mining
        && report.read == 0
    {
        output::note(format_args!("No record {} can be read.", printable(&selection.in_words())));
    }
    match session.form {
        Form::Json => {
            let mut value = json!(report);
            value["dry_run"] = json!(args.dry_run);
            output::json(&value)?;
        }
        Form::Text => print(&report, args.dry_run)?,
    }
    Ok(0)
}

fn print(report: &MiningReport, is_dry: bool) -> Result<(), Failure> {
    let read = count(report.read as u64, "record");
    let by = report.model.as_deref().unwrap_or("rules");
    output::line(format_args!("{read} read by {}", printable(by)))?;
    print_found(report, is_dry)?;
    let notes = [
        (report.left_out, "left out: they are too many"),
        (report.cut, "read only at the beginning"),
        (report.private, "not shown to the model: private"),
    ];
    for (number, what) in notes.into_iter().filter(|(number, _)| *number > 0) {
        let number = count(number as u64, "record");
        output::line(format_args!("  {DIM}{number} {what}{DIM:#}"))?;
    }
    if report.records.is_empty() && report.edges.is_empty() && report.proposed.is_empty() {
        output::line("Nothing to write")?;
    }
    Ok(())
}

/// Prints what was mined, and what was not kept.
pub(super) fn print_found(report: &MiningReport, is_dry: bool) -> Result<(), Failure> {
    if let Some(failure) = &report.failure {
        let message = printable(&failure.message);
        output::line(format_args!("  {DIM}read by rules: {message}{DIM:#}"))?;
    }
    for MinedView { id, record_type, text, new, .. } in &report.records {
        let id = id.map(|id| id.short()).unwrap_or_default();
        let is = match (*new, is_dry) {
            (false, _) => "there",
            (true, true) => "would be",
            (true, false) => "new",
        };
        output::line(format_args!(
            "  {GOOD}{is:<9}{GOOD:#} {record_type:<12} {}  {ID}{id}{ID:#}",
            printable(text)
        ))?;
    }
    let new_edges = report.edges.iter().filter(|edge| edge.new).count();
    if new_edges > 0 {
        output::line(format_args!("  {}", count(new_edges as u64, "edge")))?;
    }
    for proposed in &report.proposed {
        let id = proposed.id.map(|id| id.short()).unwrap_or_default();
        output::line(format_args!(
            "  {GOOD}{:<9}{GOOD:#} {:<12} {}  {ID}{id}{ID:#}",
            "review",
            "preference",
            printable(&proposed.text)
        ))?;
    }
    for Refused { text, reason, .. } in &report.refused {
        output::line(format_args!(
            "  {BAD}{:<9}{BAD:#} {DIM}{reason:<12} {}{DIM:#}",
            "refused",
            printable(text)
        ))?;
    }
    Ok(())
}
