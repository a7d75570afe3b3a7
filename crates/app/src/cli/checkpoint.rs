//! `because checkpoint`

use engine::write::import::Intent;
use kernel::kind::Capability;
use serde_json::json;

use super::CliSession;
use super::mine::print_found;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, GOOD, ID, count, printable};
use crate::service::language_model::{self, OpenedModel};
use crate::service::mining::checkpoint::{CheckpointReport, NodeView, checkpoint};
use crate::service::opening::SpaceUse;

/// Longest name of a session that is printed.
const SESSION_CHARS_MAX: usize = 40;
/// How much of a time is printed: `2026-03-01 10:00`.
const MINUTE_CHARS: usize = 16;

/// Arguments of `checkpoint`.
#[derive(clap::Args)]
#[command(
    after_help = "What arrived since the last checkpoint is cut into segments: at the end of a session, after an hour of silence, where another subject or task begins, and, of notes and commits, where the date changes. Each segment gets nodes for what was decided, what was done, and a summary, and its claims are mined as `because claim mine` does it. The project has a summary of its segments. A second checkpoint writes nothing.\n\nA language model reads the 20 newest segments, if one is chosen; a dry run asks none.\n\nExamples:\n  because checkpoint\n  because checkpoint --dry-run"
)]
pub(crate) struct Args {
    /// Use rules, even if a language model is chosen
    #[arg(long)]
    rules: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    let mut space = session.open(SpaceUse::Write(Capability::Derive))?;
    let mut opened = language_model::open_unless(args.rules, session, space.path())?;
    let mut access = opened.as_mut().map(OpenedModel::access);
    let report = checkpoint(session, &mut space, access.as_mut(), intent)?;
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

fn print(report: &CheckpointReport, is_dry: bool) -> Result<(), Failure> {
    if !report.new {
        return output::line("Nothing new since the last checkpoint");
    }
    let segments = count(report.segments.len() as u64, "segment");
    let records = count(report.records as u64, "record");
    output::line(format_args!("{segments} with {records}"))?;
    for segment in &report.segments {
        let records = count(segment.records as u64, "record");
        // The session of commits is the name of a repository, which nobody recognises.
        let of = segment.session.as_deref().filter(|of| of.len() < SESSION_CHARS_MAX);
        let of = of.map(|of| format!("  {}", printable(of)));
        let from: String = segment.from.chars().take(MINUTE_CHARS).collect();
        output::line(format_args!(
            "{BOLD}{}{BOLD:#}  {DIM}{records}{}{DIM:#}",
            printable(&from.replace('T', " ")),
            of.unwrap_or_default()
        ))?;
        segment.nodes.iter().try_for_each(|node| print_node(node, is_dry))?;
        if let Some(mined) = &segment.mined {
            print_found(mined, is_dry)?;
        }
    }
    for summary in &report.summaries {
        output::line(format_args!("{BOLD}The project{BOLD:#}"))?;
        print_node(summary, is_dry)?;
    }
    Ok(())
}

fn print_node(node: &NodeView, is_dry: bool) -> Result<(), Failure> {
    let id = node.id.map(|id| id.short()).unwrap_or_default();
    let is = match (node.new, is_dry) {
        (false, _) => "there",
        (true, true) => "would be",
        (true, false) => "new",
    };
    output::line(format_args!(
        "  {GOOD}{is:<9}{GOOD:#} {:<12} {}  {ID}{id}{ID:#}",
        node.node_type,
        printable(&node.text)
    ))
}
