//! `because learn`

use engine::belief::review::Status;
use engine::write::import::Intent;
use kernel::kind::Capability;
use serde_json::json;

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, Form, ID};
use crate::service::learning::{Learned, LearnedFrom, learn};
use crate::service::opening::SpaceUse;

/// Arguments of `learn`.
#[derive(clap::Args)]
#[command(
    after_help = "With the setting auto_learn on, it becomes a preference at once, which `because claim retract` takes back. With auto_learn off, it waits in `because review`.\n\nExample:\n  because learn \"Run the tests before each commit\" --source 9f2c41d0"
)]
pub(crate) struct Args {
    /// The preference in words
    text: String,
    /// A record that it was learned from, by its id; may be repeated
    #[arg(long, value_name = "ID", required = true)]
    source: Vec<String>,
    /// Show what would become of it, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    let mut space = session.open(SpaceUse::Write(Capability::Derive))?;
    let mut sources = Vec::new();
    for name in &args.source {
        sources.push(space.resolve(name)?);
    }
    let learned =
        learn(session, &mut space, &args.text, &sources, &LearnedFrom::default(), intent)?;
    let (claim, proposal, result) = match learned {
        Learned::Known(id) => (Some(id), None, "known"),
        Learned::Stated(id) => (id, None, "stated"),
        Learned::Proposed(id) => (None, id, "proposed"),
        Learned::ProposedBefore(id, Status::Dismissed) => (None, Some(id), "dismissed"),
        Learned::ProposedBefore(id, _) => (None, Some(id), "pending"),
    };
    if session.form == Form::Json {
        output::json(&json!({
            "result": result,
            "id": claim,
            "proposal": proposal,
            "dry_run": args.dry_run,
        }))?;
        return Ok(0);
    }
    let words = match result {
        "known" => "It is a preference already",
        "stated" if args.dry_run => "It would be a preference",
        "stated" => "It is a preference now",
        "proposed" if args.dry_run => "It would wait for your review",
        "dismissed" => "You dismissed it before",
        _ => "It waits for your review",
    };
    let id = claim.or(proposal).map(|id| id.short()).unwrap_or_default();
    output::line(format_args!("{words}  {ID}{id}{ID:#}"))?;
    Ok(0)
}
