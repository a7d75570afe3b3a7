//! `because status`

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::inspect::Status;
use engine::owner::SpaceOwner;
use engine::verify::bodies::MissingBodies;
use importers::project::{KnownBy, Project};
use serde_json::{Value, json};

use super::{CliSession, embedding, model_use};
use crate::configuration::Configuration;
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, Form, bytes};
use crate::place::project_folder;
use crate::service::clock::ClockWarning;
use crate::service::opening::{OpenedSpace, SpaceUse};
use crate::service::standing::made_elsewhere;

/// Arguments of `status`.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// What is known of a space beside its counts.
struct Surroundings {
    configuration: Arc<Configuration>,
    /// Its owner, if a key of this device has signed in it and another device made it.
    elsewhere: Option<SpaceOwner>,
    project: Option<Project>,
}

pub(crate) fn run(session: &CliSession, _: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Read)?;
    let status = space.status()?;
    let configuration = session.configuration(Some(space.path()))?;
    let elsewhere = match &space.owner {
        Some(_) => None,
        None => made_elsewhere(&session.home, &space)?,
    };
    let project = project_folder(space.path()).map(Project::of);
    let around = Surroundings { configuration, elsewhere, project };
    match session.form {
        Form::Json => output::json(&to_json(session, &mut space, &status, &around)?)?,
        _ => print(session, &mut space, &status, &around)?,
    }
    Ok(0)
}

fn to_json(
    session: &CliSession,
    space: &mut OpenedSpace,
    status: &Status,
    around: &Surroundings,
) -> Result<Value, Failure> {
    let Surroundings { configuration, elsewhere, project } = around;
    let mut value = serde_json::to_value(status).map_err(std::io::Error::from)?;
    value["owner"] = json!(space.owner);
    value["project"] = json!(project);
    value["made_elsewhere"] = json!(elsewhere);
    value["embedder"] = configuration.to_json();
    value["ahead_s"] = space.ahead_s(session.now)?.into();
    let unopened = embedding::unopened(configuration, space)?;
    value["embedder"]["error"] = serde_json::to_value(unopened).map_err(std::io::Error::from)?;
    value["vectors"] = embedding::status(configuration, space)?.into();
    value["language_model"] = model_use::chosen_json(configuration);
    value["model_use"] = model_use::json(space);
    value["private_use"] = model_use::private_json(space);
    Ok(value)
}

fn print(
    session: &CliSession,
    space: &mut OpenedSpace,
    status: &Status,
    around: &Surroundings,
) -> Result<(), Failure> {
    print_identity(session, space, status, around)?;
    print_contents(status)?;
    let configuration = &around.configuration;
    let chosen = configuration.chosen();
    output::line(format_args!(
        "  embedder    {} ({})",
        output::printable(&chosen.selection.to_string()),
        output::printable(&chosen.source.to_string())
    ))?;
    if let Some(advice) = configuration.advice() {
        output::line(format_args!("              {}", output::printable(&advice)))?;
    }
    embedding::print_status(session, configuration, space)?;
    model_use::print(session, configuration, space)?;
    let size = &status.size;
    output::line(format_args!(
        "  size        {} (ledger {}, views {})",
        bytes(size.file_bytes),
        bytes(size.ledger_bytes),
        bytes(size.view_bytes)
    ))?;
    Ok(())
}

/// Prints which space it is: its file, project, owner and key.
fn print_identity(
    session: &CliSession,
    space: &OpenedSpace,
    status: &Status,
    around: &Surroundings,
) -> Result<(), Failure> {
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
    let project = around.project.as_ref();
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
    if let Some(owner) = &around.elsewhere {
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
    if let Some(warning @ ClockWarning::SpaceAhead { .. }) = ClockWarning::of(space, session.now)? {
        output::line(format_args!("  clock       {BAD}{warning}{BAD:#}"))?;
        output::line(format_args!("              {}", warning.hint()))?;
    }
    Ok(())
}

/// Prints what is in the space, by kind, and how far its text index has come.
fn print_contents(status: &Status) -> Result<(), Failure> {
    let list = |counts: &BTreeMap<String, u64>| {
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
    Ok(())
}
