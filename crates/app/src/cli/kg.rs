//! `because kg`: the knowledge graph.

use engine::graph::{EdgeView, PathLimits, RecordView};
use engine::private::Viewpoint;
use kernel::body::{EdgeType, NodeType};
use kernel::id::OpId;
use serde_json::{Value, json};

use super::graph::{ScopeName, limit, print_edge, print_record};
use super::{CliSession, print_owner};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, printable};
use crate::service::effective::{EffectiveView, Scope};
use crate::service::knowledge::{self, RecordDetails, Search};
use crate::service::query_embedding::EmbedderPool;
use crate::service::wording::hundredths;

mod export;
mod moderate;

/// Arguments of `kg`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Find entities by words
    Search(SearchArgs),
    /// Show an entity with its other names, its edges and its sources
    Show(ShowArgs),
    /// Show the shortest path between two records
    Path(PathArgs),
    /// Show what is around a record
    Neighbours(NeighboursArgs),
    /// Write the graph as JSON-LD, GraphML, DOT or CSV
    Export(export::Args),
    /// List candidates: what may be added to the graph
    Review(moderate::ReviewArgs),
    /// Add candidates to the graph
    #[command(after_help = moderate::ACCEPT_HELP)]
    Accept(moderate::DecideArgs),
    /// Leave candidates out of the graph, for good
    #[command(after_help = moderate::REJECT_HELP)]
    Reject(moderate::DecideArgs),
    /// Make the name of a candidate another name of an entity
    Alias(moderate::AliasArgs),
}

/// Which times and spaces are read.
#[derive(clap::Args)]
struct View {
    /// Only what is true at this time; a record without times of its own always is
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// What is read
    #[arg(long, value_enum, default_value_t = ScopeName::Effective)]
    scope: ScopeName,
}

impl View {
    fn open(&self, session: &CliSession) -> Result<(EffectiveView, Viewpoint), Failure> {
        let times = session.times();
        let at = times.viewpoint(self.as_of.as_deref(), self.valid_at.as_deref())?;
        Ok((session.open_effective(self.scope.into())?, at))
    }
}

/// The same to look around something: without `--valid-at`, at what is true at the time of
/// `--as-of`.
#[derive(clap::Args)]
#[command(mut_arg("valid_at", |arg| arg.help(VALID_AROUND_HELP)))]
struct ViewAround {
    #[command(flatten)]
    view: View,
}

const VALID_AROUND_HELP: &str = "Only what is true at this time; a record without times of its own \
                                 always is [default: now, or the time of --as-of]";

impl ViewAround {
    fn open(&self, session: &CliSession) -> Result<(EffectiveView, Viewpoint), Failure> {
        let View { valid_at, as_of, scope } = &self.view;
        let at = session.times().viewpoint_around(as_of.as_deref(), valid_at.as_deref())?;
        Ok((session.open_effective((*scope).into())?, at))
    }
}

/// Arguments of `kg search`.
#[derive(clap::Args)]
#[command(
    after_help = "Entities are found by their names, by other names that redirect to them, and by meaning.\n\nExamples:\n  because kg search kiln\n  because kg search \"who decided on the glaze\" --type decision --type entity\n  because kg search kiln --all"
)]
struct SearchArgs {
    /// A name, or other words
    words: String,
    /// Only of this type: entity, decision, action, summary or why_trace; may be repeated
    #[arg(long = "type", value_name = "TYPE", default_value = "entity")]
    types: Vec<NodeType>,
    /// Of any type
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    view: View,
    /// How many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,
}

/// Arguments of `kg show`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because kg show \"Orin Studio\"\n  because kg show 9f2c41d0 --as-of 2025-03-01"
)]
struct ShowArgs {
    /// The name of an entity, or the beginning of an id
    name: String,
    #[command(flatten)]
    view: ViewAround,
    /// Most edges, and most sources
    #[arg(long, short = 'n', value_name = "N", default_value_t = 40)]
    limit: usize,
}

/// Arguments of `kg path`.
#[derive(clap::Args)]
#[command(
    after_help = "Edges are followed in both directions and shown as they point. A path lies in one space.\n\nExamples:\n  because kg path \"Orin Studio\" \"the kiln\"\n  because kg path 9f2c41d0 03ab77e1 --type depends_on --depth 3"
)]
struct PathArgs {
    /// Where it begins: the name of an entity, or the beginning of an id
    from: String,
    /// Where it ends
    to: String,
    /// Only over edges of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<EdgeType>,
    /// Most edges of the path
    #[arg(long, value_name = "N", default_value_t = PathLimits::default().depth)]
    depth: usize,
    /// Most records that are looked at
    #[arg(long, short = 'n', value_name = "N", default_value_t = PathLimits::default().records)]
    limit: usize,
    #[command(flatten)]
    view: ViewAround,
}

/// Arguments of `kg neighbours`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because kg neighbours \"Orin Studio\"\n  because kg neighbours kiln --depth 2 --type depends_on"
)]
struct NeighboursArgs {
    /// The name of an entity, or the beginning of an id
    name: String,
    /// Only over edges of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<EdgeType>,
    /// How many edges away
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: usize,
    /// Most records
    #[arg(long, short = 'n', value_name = "N", default_value_t = 40)]
    limit: usize,
    #[command(flatten)]
    view: ViewAround,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Search(args) => search(session, args),
        Action::Show(args) => show(session, args),
        Action::Path(args) => path(session, args),
        Action::Neighbours(args) => neighbours(session, args),
        Action::Export(args) => export::run(session, args),
        Action::Review(args) => moderate::review(session, args),
        Action::Accept(args) => moderate::accept(session, args),
        Action::Reject(args) => moderate::reject(session, args),
        Action::Alias(args) => moderate::alias(session, args),
    }
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        matches!(self.action, Action::Accept(_) | Action::Reject(_) | Action::Alias(_))
    }
}

fn search(session: &CliSession, args: &SearchArgs) -> Result<u8, Failure> {
    let (mut view, viewpoint) = args.view.open(session)?;
    let types = if args.all { Vec::new() } else { args.types.clone() };
    let limit = limit(args.limit);
    let search = Search { words: &args.words, types, limit, viewpoint };
    let found = knowledge::search(session, &mut EmbedderPool::default(), &mut view, &search)?;
    if session.form == Form::Json {
        for found in &found {
            let mut value = json!(found.item.record);
            value["similarity"] = json!(found.item.similarity);
            value["scope"] = json!(found.scope);
            value["owner"] = json!(view.owner(found.scope));
            output::json(&value)?;
        }
        return Ok(0);
    }
    print_owner(view.own.owner.as_ref())?;
    if found.is_empty() {
        output::line("Nothing is found by these words.")?;
    }
    for found in &found {
        let near = hundredths(found.item.similarity);
        let mark = format!("{}  {near}", view.mark(found.scope));
        print_record(&found.item.record, &mark)?;
    }
    Ok(0)
}

fn show(session: &CliSession, args: &ShowArgs) -> Result<u8, Failure> {
    let (view, at) = args.view.open(session)?;
    let known = view.layers().known(&args.name, &at, limit(args.limit))?;
    if session.form == Form::Json {
        return print_json(json!(known), &view, known.scope);
    }
    print_owner(view.owner(known.scope))?;
    print_known(&known, view.mark(known.scope))?;
    Ok(0)
}

fn print_known(known: &RecordDetails, mark: &str) -> Result<(), Failure> {
    let RecordDetails { record, aliases, edges, neighbours, sources, more, .. } = known;
    print_record(record, mark)?;
    let entity_type = record.payload.get("entity_type").and_then(Value::as_str);
    field("what it is", entity_type.unwrap_or_default())?;
    let names: Vec<&str> = aliases.iter().map(|alias| alias.text.as_str()).collect();
    field("also called", &names.join("; "))?;
    field("redirects to", &record.canonical.map(|id| id.short()).unwrap_or_default())?;
    field("recorded", &record.recorded_at)?;
    field("tags", &record.tags.join(", "))?;
    for edge in edges {
        print_joining(record, edge, neighbours)?;
    }
    for source in sources {
        output::line(format_args!(
            "  {DIM}from {}{DIM:#} {}  {ID}{}{ID:#}",
            printable(&source.kind),
            printable(&source.text),
            source.id.short()
        ))?;
    }
    if *more {
        output::line(format_args!("{DIM}… and more; -n shows more{DIM:#}"))?;
    }
    Ok(())
}

fn field(name: &str, value: &str) -> Result<(), Failure> {
    match value.is_empty() {
        true => Ok(()),
        false => output::line(format_args!("  {name:<12} {}", printable(value))),
    }
}

/// An edge as it is seen from one of its ends.
fn print_joining(
    record: &RecordView,
    edge: &EdgeView,
    neighbours: &[RecordView],
) -> Result<(), Failure> {
    let is_outward = edge.from == record.id;
    let other = if is_outward { edge.to } else { edge.from };
    let arrow = if is_outward { "→" } else { "←" };
    let text = neighbours.iter().find(|near| near.id == other).map(|near| near.text.as_str());
    let text = text.map_or_else(|| other.short(), printable);
    let word = printable(edge.word());
    output::line(format_args!("  {word} {DIM}{arrow}{DIM:#} {text}  {ID}{}{ID:#}", other.short()))
}

fn path(session: &CliSession, args: &PathArgs) -> Result<u8, Failure> {
    let (view, viewpoint) = args.view.open(session)?;
    let limits = PathLimits {
        depth: args.depth,
        records: limit(args.limit),
        edge_types: args.types.clone(),
        viewpoint,
    };
    let found = view.layers().path((&args.from, &args.to), &limits)?;
    if session.form == Form::Json {
        return print_json(json!(found), &view, found.scope);
    }
    print_owner(view.owner(found.scope))?;
    if !found.found {
        let depth = limits.depth;
        output::line(format_args!("No path of at most {depth} edges joins them."))?;
        if found.path.cut {
            output::line(format_args!(
                "{DIM}The search ended at a limit: --depth and -n look further{DIM:#}"
            ))?;
        }
        return Ok(0);
    }
    let mark = view.mark(found.scope);
    for (place, record) in found.path.records.iter().enumerate() {
        if let Some(edge) = place.checked_sub(1).and_then(|before| found.path.edges.get(before)) {
            let before = found.path.records.get(place - 1).map(|record| record.id);
            print_step(edge, before)?;
        }
        print_record(record, mark)?;
    }
    Ok(0)
}

/// An edge of a path, with an arrow up or down.
fn print_step(edge: &EdgeView, before: Option<OpId>) -> Result<(), Failure> {
    let arrow = if before == Some(edge.from) { "↓" } else { "↑" };
    let notes =
        if edge.notes.is_empty() { String::new() } else { format!("  {}", printable(&edge.notes)) };
    output::line(format_args!(
        "  {DIM}{arrow}{DIM:#} {BOLD}{}{BOLD:#}{notes}  {ID}{}{ID:#}",
        printable(edge.word()),
        edge.id.short()
    ))
}

fn neighbours(session: &CliSession, args: &NeighboursArgs) -> Result<u8, Failure> {
    let (view, at) = args.view.open(session)?;
    let bounds = (args.depth, limit(args.limit));
    let around = view.layers().neighbours(&args.name, &at, bounds, &args.types)?;
    if session.form == Form::Json {
        return print_json(json!(around), &view, around.scope);
    }
    print_owner(view.owner(around.scope))?;
    let mark = view.mark(around.scope);
    around.graph.records.iter().try_for_each(|record| print_record(record, mark))?;
    around.graph.edges.iter().try_for_each(|edge| print_edge(edge, mark))?;
    if around.graph.cut {
        output::line(format_args!("{DIM}… there is more around it; -n shows more{DIM:#}"))?;
    }
    Ok(0)
}

fn print_json(mut value: Value, view: &EffectiveView, scope: Scope) -> Result<u8, Failure> {
    value["owner"] = json!(view.owner(scope));
    output::json(&value)?;
    Ok(0)
}
