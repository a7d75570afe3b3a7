//! `because values`: what you want of everything that works for you.

use std::path::{Path, PathBuf};

use engine::write::import::Intent;
use serde_json::{Value, json};

use super::CliSession;
use super::graph::TimeArgs;
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, DIM, Form, ID, count, printable};
use crate::service::language_model::ChosenModel;
use crate::service::values::{self, VALUES_MIB_MAX, ValuesChange};

/// Arguments of `values`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Set your values, in place of those before
    Set(SetArgs),
    /// Show your values, and the preferences and goals that follow from them
    Show(ShowArgs),
}

/// Arguments of `values set`.
#[derive(clap::Args)]
#[command(
    after_help = "Values are kept in your home space and hold everywhere. Each line that states a preference or a goal becomes a claim; with a language model, the model makes a summary and at most 12 claims.\n\nExamples:\n  because values set --file values.md\n  because values set \"I prefer short answers.\"\n  because values set --file values.md --dry-run"
)]
struct SetArgs {
    /// The values in words
    #[arg(required_unless_present = "file", conflicts_with = "file", allow_hyphen_values = true)]
    text: Option<String>,
    /// Read them from this file; `-` reads the standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Read them by rules, even if a language model is chosen
    #[arg(long)]
    rules: bool,
    /// Show what would be set, and write nothing; no language model is asked
    #[arg(long)]
    dry_run: bool,
}

/// Arguments of `values show`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because values show\n  because values show --as-of 2025-02-01      those that held then"
)]
struct ShowArgs {
    #[command(flatten)]
    times: TimeArgs,
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        matches!(self.action, Action::Set(_))
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Set(args) => {
            let text = match (&args.text, &args.file) {
                (_, Some(file)) => read(file)?,
                (text, None) => text.clone().unwrap_or_default(),
            };
            let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
            let change = set(session, &text, args.rules, intent)?;
            match session.form {
                Form::Json => output::json(&to_json(&change, intent))?,
                Form::Text => print(&change, intent)?,
            }
        }
        Action::Show(args) => show(session, args)?,
    }
    Ok(0)
}

/// Reads values from a file.
pub(super) fn read(file: &Path) -> Result<String, Failure> {
    let text = super::input::utf8(file, VALUES_MIB_MAX << 20)?;
    values::check(&text)?;
    Ok(text)
}

/// Sets the values, with the language model if one is chosen.
pub(super) fn set(
    session: &CliSession,
    text: &str,
    rules: bool,
    intent: Intent,
) -> Result<ValuesChange, Failure> {
    let space = session.home.global_space();
    let mut chosen = ChosenModel::choose(session, &space, rules)?;
    values::set(session, text, chosen.answerer(), intent)
}

/// What became of setting values, as JSON.
pub(super) fn to_json(change: &ValuesChange, intent: Intent) -> Value {
    let claims = change.claims.iter().map(|(claim_type, text)| {
        let text = importers::secrets::mask_string(text).into_inner();
        json!({ "type": claim_type, "text": text })
    });
    let error = change.failure.as_ref().map(output::error_json);
    json!({
        "new": change.is_new,
        "event": change.event,
        "raw": change.raw,
        "read_by": change.read_by,
        "claims": claims.collect::<Vec<_>>(),
        "retracted": change.retracted,
        "dropped": change.dropped,
        "left_out": change.left_out,
        "error": error,
        "dry_run": intent == Intent::DryRun,
    })
}

/// The same for people.
pub(super) fn print(change: &ValuesChange, intent: Intent) -> Result<(), Failure> {
    let id = change.event.map(|id| id.short()).unwrap_or_default();
    match (intent, change.is_new) {
        (_, false) => output::line(format_args!("These are your values already  {ID}{id}{ID:#}"))?,
        (Intent::DryRun, true) => output::line("These would be your values")?,
        (Intent::Write, true) => output::line(format_args!("Your values are set  {ID}{id}{ID:#}"))?,
    }
    for (claim_type, text) in &change.claims {
        output::line(format_args!("  {claim_type:<12} {}", printable(text)))?;
    }
    if !change.retracted.is_empty() {
        let number = count(change.retracted.len() as u64, "earlier claim");
        let is = if intent == Intent::DryRun { "would be retracted" } else { "retracted" };
        output::line(format_args!("  {number} {is}"))?;
    }
    if change.is_new && change.claims.is_empty() && change.failure.is_none() {
        output::line("  no line of it states a preference or a goal, so no value is served")?;
    }
    for dropped in &change.dropped {
        output::line(format_args!(
            "  {DIM}not taken ({}): {}{DIM:#}",
            dropped.reason,
            printable(&dropped.text)
        ))?;
    }
    if change.left_out > 0 {
        let number = count(change.left_out as u64, "line");
        output::line(format_args!("  {DIM}{number} left out: too long or too many{DIM:#}"))?;
    }
    if let Some(failure) = &change.failure {
        output::note(format_args!(
            "{BAD}warning{BAD:#}: the text is recorded, but the language model made nothing of it: {}",
            printable(&failure.to_string())
        ));
        output::note("  setting the same values again tries again");
    }
    Ok(())
}

fn show(session: &CliSession, args: &ShowArgs) -> Result<(), Failure> {
    let values = values::show_from(session, &args.times.viewpoint(session)?)?;
    if session.form == Form::Json {
        return output::json(&values);
    }
    let Some(raw) = &values.raw else {
        return output::line("No values are set.");
    };
    if let Some(summary) = &values.summary {
        output::line(format_args!("{BOLD}{}{BOLD:#}", printable(&summary.text)))?;
    }
    for claim in &values.claims {
        output::line(format_args!(
            "{:<12} {}  {ID}{}{ID:#}",
            claim.claim_type,
            printable(&claim.text),
            claim.id.short()
        ))?;
    }
    output::line(format_args!("{DIM}As you gave them at {}:{DIM:#}", raw.recorded_at))?;
    for line in raw.text.lines() {
        output::line(format_args!("  {}", printable(line)))?;
    }
    Ok(())
}
