//! `because status`

use engine::verify::bodies::MissingBodies;

use importers::project::{KnownBy, Project};

use super::{CliSession, embedding, model_use};
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, Form, bytes};
use crate::place::project_folder;
use crate::service::clock::ClockWarning;
use crate::service::opening::SpaceUse;
use crate::service::standing::made_elsewhere;

/// Arguments of `status`.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(session: &CliSession, _: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Read)?;
    let status = space.status()?;
    let settings = session.settings(Some(space.path()))?;
    let elsewhere = match &space.owner {
        Some(_) => None,
        None => made_elsewhere(&session.home, &space)?,
    };
    let project = project_folder(space.path()).map(Project::of);
    if session.form == Form::Json {
        let mut value = serde_json::to_value(&status).map_err(std::io::Error::from)?;
        value["owner"] = serde_json::json!(space.owner);
        value["project"] = serde_json::json!(project);
        value["made_elsewhere"] = serde_json::json!(elsewhere);
        value["embedder"] = settings.to_json();
        value["ahead_s"] = space.ahead_s(session.now)?.into();
        let unopened = embedding::unopened(&settings, &mut space)?;
        value["embedder"]["error"] =
            serde_json::to_value(unopened).map_err(std::io::Error::from)?;
        value["vectors"] = embedding::status(&settings, &mut space)?.into();
        value["language_model"] = model_use::chosen_json(&settings);
        value["model_use"] = model_use::json(&space);
        value["private_use"] = model_use::private_json(&space);
        output::json(&value)?;
        return Ok(0);
    }
    output::line(format_args!(
        "{BOLD}{}{BOLD:#}  {}",
        output::printable(&status.name),
        status.space
    ))?;
    output::line(format_args!(
        "  file        {}{}",
        output::path(&status.path),
        if status.read_only { " (read-only)" } else { "" }
    ))?;
    if let Some(project) = project.filter(|project| project.known_by != KnownBy::Path) {
        let known_by = match project.known_by {
            KnownBy::Origin => "origin",
            _ => "first commit",
        };
        output::line(format_args!(
            "  project     {} (git, by its {known_by})",
            output::printable(&project.name)
        ))?;
    }
    if let Some(owner) = &space.owner {
        output::line(format_args!(
            "  owner       {} {BAD}(somebody else's space){BAD:#}",
            owner.label()
        ))?;
    }
    if let Some(owner) = &elsewhere {
        output::line(format_args!(
            "  owner       {}, not a key of this device; a key of this device has signed here, \
            so the space counts as yours, and \"you\" in it means you",
            output::printable(&owner.label())
        ))?;
    }
    output::line(format_args!("  this key    {}", status.author))?;
    if let Some(seq) = status.restored_up_to {
        output::line(format_args!(
            "  restored    this key's operations up to number {seq} came from an export; what it wrote elsewhere after that would be a fork"
        ))?;
    }
    if let Some(warning @ ClockWarning::SpaceAhead { .. }) = ClockWarning::of(&space, session.now)?
    {
        output::line(format_args!("  clock       {BAD}{warning}{BAD:#}"))?;
        output::line(format_args!("              {}", warning.hint()))?;
    }
    let list = |counts: &std::collections::BTreeMap<String, u64>| {
        let counts: Vec<String> = counts
            .iter()
            .map(|(kind, count)| format!("{count} {}", output::printable(kind)))
            .collect();
        if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
    };
    output::line(format_args!(
        "  operations  {} ({})",
        status.ledger_position.0,
        list(&status.operations)
    ))?;
    output::line(format_args!("  records     {}", list(&status.evidence)))?;
    let MissingBodies { forgotten, withheld, missing } = status.bodies;
    let absent = [(withheld, "withheld"), (forgotten, "forgotten"), (missing, "missing")];
    let absent: Vec<String> = absent
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if !absent.is_empty() {
        let which = if missing > 0 { "; `because verify` lists what is missing" } else { "" };
        output::line(format_args!("  bodies      {}{which}", absent.join(", ")))?;
    }
    let behind = status.ledger_position.0.saturating_sub(status.text_position.0);
    let reading = if behind == 0 {
        "up to date".to_owned()
    } else {
        format!("{behind} behind; the next recall indexes them")
    };
    output::line(format_args!("  text index  at {} ({reading})", status.text_position.0))?;
    let chosen = settings.chosen();
    output::line(format_args!(
        "  embedder    {} ({})",
        output::printable(&chosen.selection.to_string()),
        output::printable(&chosen.source.to_string())
    ))?;
    if let Some(advice) = settings.advice() {
        output::line(format_args!("              {}", output::printable(&advice)))?;
    }
    embedding::print_status(session, &settings, &mut space)?;
    model_use::print(session, &settings, &space)?;
    let size = &status.size;
    output::line(format_args!(
        "  size        {} (ledger {}, views {})",
        bytes(size.file_bytes),
        bytes(size.ledger_bytes),
        bytes(size.view_bytes)
    ))?;
    Ok(0)
}
