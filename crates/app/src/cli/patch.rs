//! `because patch`: changes of the graph that are checked, applied and taken back together.

use std::path::{Path, PathBuf};

use engine::belief::explain::time;
use engine::belief::review::Status;
use engine::write::graph::{GraphChange, NamedChange, Reference};
use engine::write::import::Intent;
use engine::write::patch::{Patch, Patched};
use engine::{EngineError, Space};
use kernel::id::OpId;
use kernel::kind::Capability;
use serde_json::{Value, json};

use super::changes::DryRun;
use super::selecting::confirm;
use super::{CliSession, embedding, graph, print_owner};
use crate::failure::{Failure, RequestError, exit};
use crate::output::{self, BAD, DIM, Form, ID, count, printable};
use crate::service::agent_changes::same_patch;
use crate::service::graph::{self as service_graph, GraphView};
use crate::service::language_model;
use crate::service::model_request::ModelOrigin;
use crate::service::opening::{OpenedSpace, SpaceUse};
use crate::service::patch::{self as service, Reason, statuses_json};
use crate::service::proposed_patch::{self, ContextLimits, Proposing, context as context_of};
use crate::service::query_embedding::EmbedderPool;
use crate::service::wording::{private_by_grounds, shortened};

/// Largest patch file, bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// The origin of a patch from a file.
const FROM_FILE: &str = "file";

/// Arguments of `patch`.
#[derive(clap::Args)]
#[command(
    after_help = "A patch is JSON: {\"text\":\"why\",\"operations\":[…]}. Operations: create_claim, create_node, create_summary, create_edge, supersede, same_as, retract. `local` names an operation for later ones; `sources` cites what each stands on. docs/cli.md has every field.\n\nExample:\n  because patch check tidy-up.json\n  because patch apply tidy-up.json\n  because patch revert 9f2c41d0"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// What a patch about a subject may start from: claims, nodes and edges around it
    Context(ContextArgs),
    /// Check a patch and keep it for a decision
    Propose(ProposeArgs),
    /// List every reason to refuse a patch, and what it would change
    Check(FileArgs),
    /// Apply a patch: all of it, or nothing
    Apply(ApplyArgs),
    /// Take back what applying a patch changed
    Revert(RevertArgs),
    /// List patches that await a decision
    List(ListArgs),
}

/// Arguments of `patch context`.
#[derive(clap::Args)]
struct ContextArgs {
    /// What it is about
    query: String,
    /// How many claims, and how many nodes, to begin from
    #[arg(long, value_name = "N", default_value_t = 8)]
    hits: usize,
    /// How many edges away from them
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: usize,
    /// How many records at most
    #[arg(long, value_name = "N", default_value_t = 40)]
    max_nodes: usize,
    #[command(flatten)]
    times: graph::TimeArgs,
}

/// Arguments of `patch propose`.
#[derive(clap::Args)]
#[command(
    after_help = "With --model, the language model sees what `because patch context QUERY` prints, and the first line of what it was made from. Its patch is checked as one from a file; if it is refused, the model gets the reasons and one further attempt.\n\nExamples:\n  because patch propose tidy-up.json\n  because patch propose --model \"what we know of the kiln\""
)]
struct ProposeArgs {
    /// A file, or - for the standard input
    #[arg(required_unless_present_any = ["from", "model"], conflicts_with_all = ["from", "model"])]
    file: Option<PathBuf>,
    /// The same
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    from: Option<PathBuf>,
    /// Ask the language model for a patch about this
    #[arg(long, value_name = "QUERY")]
    model: Option<String>,
    /// With --model: how many claims, and how many nodes, to begin from
    #[arg(long, value_name = "N", default_value_t = 8, requires = "model")]
    hits: usize,
    /// With --model: how many edges away from them
    #[arg(long, value_name = "N", default_value_t = 1, requires = "model")]
    depth: usize,
    /// With --model: how many records at most
    #[arg(long, value_name = "N", default_value_t = 40, requires = "model")]
    max_nodes: usize,
    #[command(flatten)]
    dry_run: DryRun,
}

/// Arguments of what reads a patch.
#[derive(clap::Args)]
struct FileArgs {
    /// A file, or - for the standard input
    file: PathBuf,
}

/// Arguments of `patch apply`.
#[derive(clap::Args)]
struct ApplyArgs {
    /// A file, - for the standard input, or the id of a proposed patch
    patch: String,
    #[command(flatten)]
    dry_run: DryRun,
}

/// Arguments of `patch revert`.
#[derive(clap::Args)]
struct RevertArgs {
    /// The patch's id, or the beginning of it
    id: String,
    #[command(flatten)]
    dry_run: DryRun,
    /// Do not ask, even if later work was built on it
    #[arg(long)]
    yes: bool,
}

/// Arguments of `patch list`.
#[derive(clap::Args)]
struct ListArgs {
    /// Also those that were decided
    #[arg(long)]
    all: bool,
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Only with this text, in any letter case
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
    /// How many; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Context(args) => context(session, args),
        Action::Propose(args) => propose(session, args),
        Action::Check(args) => check(session, args),
        Action::Apply(args) => apply(session, args),
        Action::Revert(args) => revert(session, args),
        Action::List(args) => list(session, args),
    }
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        matches!(self.action, Action::Propose(_) | Action::Apply(_) | Action::Revert(_))
    }
}

fn context(session: &CliSession, args: &ContextArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Read)?;
    let limits = ContextLimits { hits: args.hits, depth: args.depth, nodes: args.max_nodes };
    let viewpoint = args.times.viewpoint(session)?;
    let (found, embedded) = context_of(
        &mut space,
        session,
        &mut EmbedderPool::default(),
        &args.query,
        limits,
        &viewpoint,
    )?;
    if session.form == Form::Json {
        let mut value = json!(found);
        value["query"] = json!(args.query);
        value["embedder"] = embedding::to_json(&embedded);
        value["owner"] = json!(space.owner);
        output::json(&value)?;
        return Ok(0);
    }
    print_owner(space.owner.as_ref())?;
    if found.records.is_empty() {
        output::line("Nothing is known about it.")?;
    }
    graph::print_around(&found)?;
    embedding::note_fallback(&embedded);
    Ok(0)
}

fn text_of(file: &std::path::Path) -> Result<String, Failure> {
    super::input::utf8(file, FILE_BYTES_MAX)
}

fn propose(session: &CliSession, args: &ProposeArgs) -> Result<u8, Failure> {
    if let Some(query) = &args.model {
        return propose_by_model(session, args, query);
    }
    let file = args.file.as_ref().or(args.from.as_ref());
    let text = text_of(file.map_or_else(|| Path::new("-"), PathBuf::as_path))?;
    let mut space = session.open(SpaceUse::Write(Capability::Derive))?;
    let read = service::read(session, &space, &text, FROM_FILE)?;
    match read.check(&mut space, session.now)? {
        Err(reasons) => return refused(session, &reasons, None),
        Ok(patched) if args.dry_run.is_dry() => {
            return preview(session, &space, &read.patch.changes, &patched);
        }
        Ok(_) => {}
    }
    // What waits for a decision is not asked again.
    let waiting = same_patch(&space, space.author(), &read.patch)?
        .filter(|before| before.status == Status::Pending);
    let id = match waiting {
        Some(before) => before.id,
        None => space.propose_patch(&read.patch, session.now)?,
    };
    match session.form {
        Form::Json => output::json(&json!({ "id": id, "status": "pending" }))?,
        Form::Text => output::line(format_args!(
            "Proposed {ID}{}{ID:#}: `because patch apply {}` applies it",
            id.short(),
            id.short()
        ))?,
    }
    Ok(0)
}

/// Asks the language model for a patch.
fn propose_by_model(session: &CliSession, args: &ProposeArgs, query: &str) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Write(Capability::Derive))?;
    let configuration = session.configuration(Some(space.path()))?;
    let mut opened = language_model::open(&configuration)?.ok_or(RequestError::NoLanguageModel)?;
    let limits = ContextLimits { hits: args.hits, depth: args.depth, nodes: args.max_nodes };
    let (mut access, intent) = (opened.access(), args.dry_run.intent());
    access.keeps_transcripts &= intent == Intent::Write;
    let proposing =
        proposed_patch::propose(&mut space, session, &mut access, query, limits, intent)?;
    let patch = match &proposing {
        Proposing::Proposed(patch) => patch,
        Proposing::Refused(origin, reasons) => return refused(session, reasons, Some(origin)),
        Proposing::NothingKnown | Proposing::NothingToChange(_) => {
            return print_no_patch(session, &proposing);
        }
    };
    if session.form == Form::Json {
        let mut value = json!(patch);
        value["status"] = json!(patch.id.map(|_| "pending"));
        value["dry_run"] = json!(args.dry_run.is_dry());
        value["statuses"] = json!(statuses_json(&patch.statuses, Intent::DryRun));
        output::json(&value)?;
        return Ok(0);
    }
    let changes = count(patch.changes as u64, "change");
    let ModelOrigin { model, prompt_version, .. } = &patch.origin;
    output::line(format_args!("{}", printable(&patch.text)))?;
    print_changes(&space, &patch.listed)?;
    patch.statuses.iter().try_for_each(|status| graph::print_status(status, Intent::DryRun))?;
    output::line(format_args!("{DIM}by {} ({prompt_version}){DIM:#}", printable(model)))?;
    match patch.id.map(|id| id.short()) {
        Some(id) => output::line(format_args!(
            "Proposed {ID}{id}{ID:#}, {changes}: `because patch apply {id}` applies it"
        ))?,
        None => output::line(format_args!("{DIM}Nothing was written.{DIM:#}"))?,
    }
    Ok(0)
}

/// Says why the language model proposes nothing.
fn print_no_patch(session: &CliSession, proposing: &Proposing) -> Result<u8, Failure> {
    let (status, origin, words) = match proposing {
        Proposing::NothingToChange(origin) => {
            ("nothing_to_change", Some(origin), "The language model sees nothing to change.")
        }
        _ => {
            ("nothing_known", None, "Nothing is known about it; the language model was not asked.")
        }
    };
    match session.form {
        Form::Json => {
            let mut value = json!(origin);
            if value.is_null() {
                value = json!({});
            }
            (value["id"], value["status"]) = (Value::Null, json!(status));
            output::json(&value)?;
        }
        Form::Text => output::line(words)?,
    }
    Ok(0)
}

fn check(session: &CliSession, args: &FileArgs) -> Result<u8, Failure> {
    let text = text_of(&args.file)?;
    let mut space = session.open(SpaceUse::Write(Capability::Append))?;
    let read = service::read(session, &space, &text, FROM_FILE)?;
    match read.check(&mut space, session.now)? {
        Ok(patched) => preview(session, &space, &read.patch.changes, &patched),
        Err(reasons) => refused(session, &reasons, None),
    }
}

/// Prints what a patch would do.
fn preview(
    session: &CliSession,
    space: &Space,
    changes: &[NamedChange],
    patched: &Patched,
) -> Result<u8, Failure> {
    if session.form == Form::Text {
        print_changes(space, changes)?;
    }
    print(session, patched, Intent::DryRun)
}

/// Prints why a patch is refused.
fn refused(
    session: &CliSession,
    reasons: &[Reason],
    origin: Option<&ModelOrigin>,
) -> Result<u8, Failure> {
    match session.form {
        Form::Json => {
            let mut value = json!(origin);
            if value.is_null() {
                value = json!({});
            }
            (value["ok"], value["reasons"]) = (json!(false), json!(reasons));
            output::json(&value)?;
        }
        Form::Text => {
            output::line(format_args!(
                "{BAD}Refused{BAD:#}, for {}:",
                count(reasons.len() as u64, "reason")
            ))?;
            for reason in reasons {
                let local = reason.local.as_ref().map(|local| format!(" ({local})"));
                output::line(format_args!(
                    "  operation {}{}: {}",
                    reason.operation,
                    printable(&local.unwrap_or_default()),
                    printable(&reason.message)
                ))?;
            }
        }
    }
    Ok(exit::UNSOUND)
}

fn apply(session: &CliSession, args: &ApplyArgs) -> Result<u8, Failure> {
    let intent = args.dry_run.intent();
    let mut space = session.open(SpaceUse::Write(Capability::Correct))?;
    let file = std::path::Path::new(&args.patch);
    if args.patch != "-" && !file.exists() {
        let patch = pending(&space, &args.patch).map_err(|failure| match failure {
            Failure::Engine(EngineError::UnknownId { prefix: name }) => {
                RequestError::NoSuchPatch { name }.into()
            }
            other => other,
        })?;
        let patched = match space.apply_patch(&patch, intent, session.now) {
            Ok(patched) => patched,
            Err(error) => {
                return match service::reasons_of(&error) {
                    Some(reasons) => refused(session, &reasons, None),
                    None => Err(error.into()),
                };
            }
        };
        return match intent {
            Intent::DryRun => preview(session, &space, &patch.changes, &patched),
            Intent::Write => print(session, &patched, intent),
        };
    }
    let text = text_of(file)?;
    let read = service::read(session, &space, &text, FROM_FILE)?;
    match read.check(&mut space, session.now)? {
        Err(reasons) => refused(session, &reasons, None),
        Ok(patched) if args.dry_run.is_dry() => {
            preview(session, &space, &read.patch.changes, &patched)
        }
        Ok(_) => {
            let patched = space.apply_new_patch(&read.patch, intent, session.now)?;
            print(session, &patched, intent)
        }
    }
}

/// The patch that a name stands for, if it awaits a decision.
fn pending(space: &OpenedSpace, name: &str) -> Result<Patch, Failure> {
    let patch = named(space, name)?;
    if patch.status != Status::Pending {
        let (id, status) = (patch.id, patch.status.as_str());
        return Err(RequestError::PatchSettled { id, status }.into());
    }
    Ok(patch)
}

fn named(space: &OpenedSpace, name: &str) -> Result<Patch, Failure> {
    match space.patch(name)? {
        Some(patch) => Ok(patch),
        None => Err(RequestError::NotAPatch { id: space.resolve(name)? }.into()),
    }
}

fn revert(session: &CliSession, args: &RevertArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Write(Capability::Correct))?;
    let patch = named(&space, &args.id)?;
    let built_on = space.built_on(&patch)?;
    if !built_on.is_empty() && session.form == Form::Text {
        output::line(format_args!(
            "Built on it since: {}",
            built_on.iter().map(OpId::short).collect::<Vec<_>>().join(", ")
        ))?;
    }
    if !built_on.is_empty() && !args.yes && !args.dry_run.is_dry() {
        if session.form == Form::Json {
            return Err(RequestError::Unconfirmed { built_on }.into());
        }
        let records = count(built_on.len() as u64, "record");
        if !confirm(session, &format!("{records} built on it may fall. Take the patch back?"))? {
            return Ok(0);
        }
    }
    let intent = args.dry_run.intent();
    let patched = service::revert(&mut space, &patch, intent, session.now)?;
    if session.form == Form::Json {
        let mut value = to_answer(&patched, intent);
        value["built_on"] = json!(built_on);
        output::json(&value)?;
        return Ok(0);
    }
    if patch.applied.is_empty() {
        return output::line("It changed nothing, so there is nothing to take back.").map(|()| 0);
    }
    if patch.status == Status::Reverted && patched.appended.is_empty() {
        return output::line("It was taken back before, and nothing of it stands.").map(|()| 0);
    }
    print(session, &patched, intent)
}

fn list(session: &CliSession, args: &ListArgs) -> Result<u8, Failure> {
    let space = session.open(SpaceUse::Read)?;
    let as_of_us = session.times().recorded_us(args.as_of.as_deref())?;
    let mut patches = space.patches(as_of_us)?;
    patches.retain(|patch| args.all || patch.status == Status::Pending);
    if let Some(text) = args.contains.as_ref().map(|text| text.to_lowercase()) {
        patches.retain(|patch| patch.text.to_lowercase().contains(&text));
    }
    let limit = graph::limit(args.limit);
    let more = patches.len().saturating_sub(limit);
    patches.truncate(limit);
    if session.form == Form::Json {
        for patch in &patches {
            let mut value = to_json(&space, patch)?;
            value["owner"] = json!(space.owner);
            output::json(&value)?;
        }
        if more > 0 {
            output::json_note(&json!({ "more": true }));
        }
        return Ok(0);
    }
    print_owner(space.owner.as_ref())?;
    if patches.is_empty() {
        output::line(match (&args.contains, args.all) {
            (Some(_), true) => "No patch has this text.",
            (Some(_), false) => "No waiting patch has this text; --all looks at the others too.",
            (None, true) => "There are no patches.",
            (None, false) => "No patches are waiting.",
        })?;
    }
    patches.iter().try_for_each(|patch| print_line(session, &space, patch))?;
    if more > 0 {
        output::line(format_args!("{DIM}… and {more} more; -n 0 lists all{DIM:#}"))?;
    }
    Ok(0)
}

/// What changes of the graph do, in words.
fn changes_in_words(space: &Space, changes: &[NamedChange]) -> Result<Vec<String>, Failure> {
    let named = |reference: &Reference| -> Result<String, Failure> {
        let id = match reference {
            Reference::Local(name) => return Ok(format!("({name})")),
            Reference::Id(id) => id,
        };
        let text = match service_graph::view(space, id, None)? {
            Some(GraphView::Record(record)) => record.text.clone(),
            Some(GraphView::Edge(edge)) => graph::words_of_edge(&edge),
            None => String::new(),
        };
        Ok(format!("{} {}", id.short(), shortened(&text)).trim_end().to_owned())
    };
    let mut lines = Vec::with_capacity(changes.len());
    for NamedChange { name, change } in changes {
        let local = name.as_ref().map(|name| format!("({name}) ")).unwrap_or_default();
        lines.push(match change {
            GraphChange::State(statement) => {
                format!("{local}states: {}", shortened(&statement.text))
            }
            GraphChange::Connect { edge_type, from, to, .. } => {
                format!("joins: {} {} {}", named(from)?, edge_type.as_str(), named(to)?)
            }
            GraphChange::Supersede { target, text, .. } => {
                format!("{local}replaces: {} by {}", named(target)?, shortened(text))
            }
            GraphChange::Retract { target, .. } => format!("takes back: {}", named(target)?),
        });
    }
    Ok(lines)
}

/// Prints what changes of the graph do, the first of them.
fn print_changes(space: &Space, changes: &[NamedChange]) -> Result<(), Failure> {
    /// Most that are printed.
    const PRINTED_MAX: usize = 12;
    let few = changes.get(..PRINTED_MAX.min(changes.len())).unwrap_or_default();
    for line in changes_in_words(space, few)? {
        output::line(format_args!("  {}", printable(&line)))?;
    }
    match changes.len() - few.len() {
        0 => Ok(()),
        more => output::line(format_args!("  {DIM}… and {more} more{DIM:#}")),
    }
}

/// A patch, and what it does.
pub(super) fn print_line(
    session: &CliSession,
    space: &Space,
    patch: &Patch,
) -> Result<(), Failure> {
    let time = session.time(patch.at);
    let changes = count(patch.changes.len() as u64, "change");
    let status = patch.status.as_str();
    let model = patch.details.get("model").and_then(Value::as_str);
    let model = model.map(|model| format!("  {DIM}by {}{DIM:#}", printable(model)));
    output::line(format_args!(
        "{ID}{}{ID:#}  {time}  patch of {changes}, {status}  {}{}",
        patch.id.short(),
        printable(&patch.text),
        model.unwrap_or_default()
    ))?;
    print_changes(space, &patch.changes)
}

/// A patch as JSON.
pub(super) fn to_json(space: &Space, patch: &Patch) -> Result<Value, Failure> {
    Ok(json!({
        "id": patch.id, "at": time(patch.at), "reason": "patch", "by": patch.by,
        "origin": patch.origin, "text": patch.text, "status": patch.status.as_str(),
        "changes": patch.changes.len(), "applied": patch.applied,
        "model": patch.details.get("model"),
        "prompt_version": patch.details.get("prompt_version"),
        "in_words": changes_in_words(space, &patch.changes)?,
    }))
}

/// What a patch did or would do, as JSON.
fn to_answer(patched: &Patched, intent: Intent) -> Value {
    let dry_run = intent == Intent::DryRun;
    let written = |ids: &[kernel::id::OpId]| if dry_run { json!([]) } else { json!(ids) };
    let mut answer = json!({
        "ok": true,
        "dry_run": dry_run,
        "patch": patched.patch.filter(|_| !dry_run),
        "stand_for": written(&patched.stand_for),
        "appended": written(&patched.appended),
        "statuses": statuses_json(&patched.statuses, intent),
    });
    if let Some(warning) = private_by_grounds(patched.private_by_grounds.len()) {
        answer["warning"] = json!(warning);
    }
    answer
}

/// Prints what a patch did or would do.
fn print(session: &CliSession, patched: &Patched, intent: Intent) -> Result<u8, Failure> {
    let dry_run = intent == Intent::DryRun;
    if session.form == Form::Json {
        output::json(&to_answer(patched, intent))?;
        return Ok(0);
    }
    if let Some(id) = patched.patch.filter(|_| !dry_run) {
        output::line(format_args!("Patch {ID}{}{ID:#}", id.short()))?;
    }
    if patched.statuses.is_empty() {
        output::line("No status changes.")?;
    }
    patched.statuses.iter().try_for_each(|status| graph::print_status(status, intent))?;
    if dry_run {
        output::line(format_args!("{DIM}Nothing was written.{DIM:#}"))?;
    }
    let warning = private_by_grounds(patched.private_by_grounds.len());
    graph::print_warning(session, warning.as_deref());
    Ok(0)
}
