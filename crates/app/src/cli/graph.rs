//! What `claim`, `node` and `edge` have in common: arguments, and how records and edges are
//! printed.

use engine::Space;
use engine::graph::{EdgeView, RecordView, Subgraph, SubgraphLimits};
use engine::private::Viewpoint;
use engine::write::graph::{GraphChange, RecordType, Statement};
use engine::write::import::Intent;
use engine::write::patch::StatusChange;
use jiff::Timestamp;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::when::When;
use retrieval::text::visible::visible;
use serde_json::json;

use super::changes::DryRun;
use super::{CliSession, changes, print_owner};
use crate::failure::{Failure, OtherRecord, RequestError};
use crate::output::{self, DIM, Form, GOOD, ID, printable};
use crate::service::changes::Verb;
use crate::service::effective::{EffectiveView, ReadScope, Scoped, ScopedList};
use crate::service::graph::{self, GraphView};
use crate::service::opening::{OpenedSpace, SpaceUse};
use crate::service::wording::shortened;

/// Columns of a type, and of a status.
const TYPE_COLUMNS: usize = 14;

/// Who may see a record.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum VisibilityName {
    /// Only its owner, and from no other project
    Private,
    /// Whoever reads the project
    Project,
    /// Every project of the owner
    Global,
}

impl From<VisibilityName> for Visibility {
    fn from(name: VisibilityName) -> Self {
        match name {
            VisibilityName::Private => Self::Private,
            VisibilityName::Project => Self::Project,
            VisibilityName::Global => Self::Global,
        }
    }
}

/// What is read.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum ScopeName {
    /// The project's space, and what the home space has for every project
    Effective,
    /// The project's space alone
    Project,
    /// The home space alone
    Global,
}

impl From<ScopeName> for ReadScope {
    fn from(name: ScopeName) -> Self {
        match name {
            ScopeName::Effective => Self::Effective,
            ScopeName::Project => Self::Project,
            ScopeName::Global => Self::Global,
        }
    }
}

/// Where something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum WriteScope {
    /// The project's space
    Project,
    /// The home space
    Global,
}

/// Opens the space to state something in, and says who may see it there if nothing else is asked
/// for: what is stated in the home space is for every project.
pub(super) fn open_to_state(
    session: &CliSession,
    scope: Option<WriteScope>,
    visibility: Option<VisibilityName>,
) -> Result<(OpenedSpace, Visibility), Failure> {
    let purpose = SpaceUse::Write(Capability::Append);
    let space = match scope {
        None => session.open_or_make(purpose)?,
        Some(WriteScope::Project) => session.of_project(session.open(purpose)?)?,
        Some(WriteScope::Global) => session.locator_of_home().open_or_make(purpose, session.now)?,
    };
    let default = session.scope_of(&space).visibility();
    Ok((space, visibility.map_or(default, Into::into)))
}

/// Opens the space in which something is replaced.
pub(super) fn open_to_replace(
    session: &CliSession,
    scope: Option<WriteScope>,
) -> Result<OpenedSpace, Failure> {
    let purpose = SpaceUse::Write(Capability::Append);
    match scope {
        None => session.open(purpose),
        Some(WriteScope::Project) => session.of_project(session.open(purpose)?),
        Some(WriteScope::Global) => session.locator_of_home().open(purpose),
    }
}

/// Arguments of what takes a record or an edge back.
#[derive(clap::Args)]
pub(super) struct RetractArgs {
    /// Its id, or the beginning of it
    id: String,
    /// Why
    #[arg(long, default_value = "", alias = "reason")]
    note: String,
    #[command(flatten)]
    dry_run: DryRun,
}

/// Arguments of what shows a record or an edge.
#[derive(clap::Args)]
pub(super) struct ShowArgs {
    /// Its id, or the beginning of it
    id: String,
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Also what is around it: records and the edges between them
    #[arg(long)]
    graph: bool,
    /// With --graph: how many edges away
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: usize,
    /// Whether it is true at this time; with --graph, around it only what is [default of --graph:
    /// now, or the time of --as-of]
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
}

/// States a claim or a node and prints what became of it.
pub(super) fn state(
    session: &CliSession,
    space: &mut OpenedSpace,
    statement: Statement,
    intent: Intent,
) -> Result<u8, Failure> {
    let (text, visibility) = (statement.text.clone(), statement.visibility);
    let change = GraphChange::State(Box::new(statement));
    write(session, space, Verb::Stated, change, (&text, visibility), intent)
}

/// Writes one change and prints what became of it.
pub(super) fn write(
    session: &CliSession,
    space: &mut OpenedSpace,
    verb: Verb,
    change: GraphChange,
    words: (&str, Visibility),
    intent: Intent,
) -> Result<u8, Failure> {
    let asked = match &change {
        GraphChange::State(statement) => Some(Statement::clone(statement)),
        // Only what was given: the rest is the old record's.
        GraphChange::Supersede { text, otherwise, .. } => Some(Statement {
            tags: otherwise.tags.clone().unwrap_or_default(),
            visibility: otherwise.visibility.unwrap_or_default(),
            valid_from: otherwise.valid_from.clone(),
            valid_to: otherwise.valid_to.clone(),
            ..Statement::new(RecordType::Claim(String::new()), text.clone())
        }),
        _ => None,
    };
    let changed = graph::change(space, session, verb, change, words, intent)?;
    let warning = changed.warning.clone();
    let kept = match (&asked, &changed.view) {
        (Some(asked), Some(GraphView::Record(there))) if changed.was_there => kept(asked, there),
        _ => Vec::new(),
    };
    match session.form {
        Form::Json => {
            let mut value = changes::to_json(&changed.outcome)?;
            value["id"] = json!(changed.id);
            value["new"] = json!(changed.is_new);
            value["record"] = json!(changed.view);
            value["statuses"] = json!(changed.statuses);
            value["kept"] = json!(kept);
            if let Some(warning) = &warning {
                value["warning"] = json!(warning);
            }
            output::json(&value)?;
        }
        Form::Text if !changed.is_new => {
            let id = changed.id.map(|id| id.short()).unwrap_or_default();
            let is = if verb == Verb::Retracted { "was taken back" } else { "is there" };
            output::line(format_args!("It {is} already: {ID}{id}{ID:#}"))?;
            if let Some(GraphView::Record(there)) = &changed.view
                && let Some(note) = differs_now(there, session.now)
            {
                output::note(note);
            }
            if !kept.is_empty() {
                let kept = kept.join(", ");
                output::note(format_args!(
                    "it keeps what it has of: {kept}; retract it first to state it otherwise"
                ));
            }
        }
        Form::Text => {
            // What is new was named already.
            let mut outcome = changed.outcome;
            outcome.changes.displaced = changed.statuses;
            outcome
                .changes
                .displaced
                .retain(|status| status.before.is_some() && status.is_told_beside_beliefs());
            changes::print(session, &outcome)?;
            if !kept.is_empty() {
                output::note(format_args!(
                    "the new text was there already, and keeps what it has of: {}; retract it \
                     first to state it otherwise",
                    kept.join(", ")
                ));
            }
        }
    }
    print_warning(session, warning.as_deref());
    Ok(0)
}

/// Prints what whoever changed the graph should know about who sees it, beside the result.
pub(super) fn print_warning(session: &CliSession, warning: Option<&str>) {
    if let Some(warning) = warning.filter(|_| session.form == Form::Text) {
        output::note(warning);
    }
}

/// Why what is there is not what was stated, though its words were the same.
fn differs_now(there: &RecordView, now: Timestamp) -> Option<String> {
    if there.corrected_by.is_some() {
        return Some(format!("it was corrected, and says now: {}", shortened(&there.text)));
    }
    let end = there.valid_to.as_ref()?;
    (end.instant_us() <= now.as_microsecond()).then(|| {
        format!("its time was over on {}; retract it first to state it otherwise", end.date())
    })
}

/// The fields of a statement that differ from those of the record that is there already, and were
/// given.
fn kept(asked: &Statement, there: &RecordView) -> Vec<&'static str> {
    let is_time = |asked: &Option<When>, there: &Option<When>| {
        asked.is_none()
            || asked.as_ref().map(When::instant_us) == there.as_ref().map(When::instant_us)
    };
    let fields = [
        (
            "visibility",
            matches!(asked.visibility, Visibility::Project) || asked.visibility == there.visibility,
        ),
        ("valid_from", is_time(&asked.valid_from, &there.valid_from)),
        ("valid_to", is_time(&asked.valid_to, &there.valid_to)),
        ("tags", asked.tags.iter().all(|tag| there.tags.contains(tag))),
    ];
    fields.into_iter().filter(|(_, is_same)| !is_same).map(|(name, _)| name).collect()
}

/// A line about a record whose status is another one now, or would be. What would be new has no id
/// yet.
pub(super) fn print_status(change: &StatusChange, intent: Intent) -> Result<(), Failure> {
    let StatusChange { id, text, before, after, .. } = change;
    let id = if intent == Intent::DryRun && before.is_none() { String::new() } else { id.short() };
    let (before, after) = (before.unwrap_or("new"), after.unwrap_or("gone"));
    output::line(format_args!(
        "  {before} {DIM}→{DIM:#} {GOOD}{after}{GOOD:#}  {}  {ID}{id}{ID:#}",
        printable(text),
    ))
}

/// Takes a claim, a node or an edge back.
pub(super) fn retract(
    session: &CliSession,
    args: &RetractArgs,
    kind: &Kind,
) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Write(Capability::Append))?;
    let id = space.resolve(&args.id)?;
    let words = match graph::view(&space, &id, None)? {
        Some(GraphView::Record(record)) if record.kind == kind.as_str() => record.text.clone(),
        Some(GraphView::Edge(edge)) if *kind == Kind::Edge => words_of_edge(&edge),
        _ => {
            let wanted = match kind {
                Kind::Claim => "a claim",
                Kind::Node => "a node",
                _ => "an edge",
            };
            let retract =
                |name: &str| format!("`because {name} retract {}` takes it back", id.short());
            return Err(RequestError::NotInGraph {
                id,
                wanted,
                found: other(&space, &id, retract)?,
            }
            .into());
        }
    };
    let target = engine::write::graph::Reference::Id(id);
    let change = GraphChange::Retract { target, reason: args.note.clone(), sources: Vec::new() };
    let words = (words.as_str(), Visibility::default());
    write(session, &mut space, Verb::Retracted, change, words, args.dry_run.intent())
}

/// What an operation is that a command is not for, and the command of the same purpose, made from
/// the name of the command for it.
fn other(
    space: &Space,
    id: &OpId,
    command: impl Fn(&str) -> String,
) -> Result<Option<OtherRecord>, Failure> {
    let (is, name) = match graph::view(space, id, None)? {
        Some(GraphView::Record(record)) if record.kind == Kind::Claim.as_str() => {
            ("a claim", "claim")
        }
        Some(GraphView::Record(_)) => ("a node", "node"),
        Some(GraphView::Edge(_)) => ("an edge", "edge"),
        None => return Ok(None),
    };
    Ok(Some(OtherRecord { is, instead: command(name) }))
}

/// Whether a name stands for a node.
pub(super) fn is_node(space: &Space, id: &OpId) -> Result<bool, Failure> {
    Ok(space.record_view(id, None)?.is_some_and(|record| record.kind == Kind::Node.as_str()))
}

/// The error of a node where a claim is named, with what to type instead.
pub(super) fn not_a_claim(id: OpId, instead: String) -> Failure {
    let found = Some(OtherRecord { is: "a node", instead });
    RequestError::NotInGraph { id, wanted: "a claim", found }.into()
}

/// The two times of what is shown.
#[derive(clap::Args)]
pub(super) struct TimeArgs {
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// What is true at this time
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
}

impl TimeArgs {
    /// What they say, for the person.
    pub(super) fn viewpoint(&self, session: &CliSession) -> Result<Viewpoint, RequestError> {
        session.times().viewpoint(self.as_of.as_deref(), self.valid_at.as_deref())
    }
}

/// Shows a record or an edge.
pub(super) fn show(session: &CliSession, args: &ShowArgs) -> Result<u8, Failure> {
    let as_of_us = session.times().recorded_us(args.as_of.as_deref())?;
    let valid_at_us = session.times().start_if_given_us(args.valid_at.as_deref())?;
    let spaces = session.open_effective(ReadScope::Effective)?;
    let (space, Scoped { scope, item: id }) = spaces.resolve(&args.id)?;
    let viewpoint = Viewpoint { disclosure: spaces.disclosure(scope), as_of_us, valid_at_us };
    let Some(view) = graph::view_from(space, &id, &viewpoint)? else {
        return Err(graph::not_in_graph(space, id, as_of_us));
    };
    let in_window = valid_at_us.map(|_| graph::is_valid(space, &view, &viewpoint)).transpose()?;
    let around = if args.graph {
        let roots = match &view {
            GraphView::Record(record) => vec![record.id],
            GraphView::Edge(edge) => vec![edge.from, edge.to],
        };
        let times = session.times();
        let at = times.viewpoint_around(args.as_of.as_deref(), args.valid_at.as_deref())?;
        let limits = SubgraphLimits {
            depth: args.depth,
            as_of_us,
            valid_at_us: at.valid_at_us,
            disclosure: spaces.disclosure(scope),
            ..SubgraphLimits::default()
        };
        Some(space.subgraph(&roots, &limits)?)
    } else {
        None
    };
    if session.form == Form::Json {
        let mut value = json!(view);
        value["graph"] = json!(around);
        value["scope"] = json!(scope);
        if let Some(in_window) = in_window {
            value["in_window"] = json!(in_window);
        }
        value["owner"] = json!(space.owner);
        output::json(&value)?;
        return Ok(0);
    }
    print_owner(space.owner.as_ref())?;
    match &view {
        GraphView::Record(record) => print_record_in_full(record, spaces.mark(scope))?,
        GraphView::Edge(edge) => print_edge(edge, spaces.mark(scope))?,
    }
    if in_window == Some(false) {
        output::line("  not true at that time")?;
    }
    if let Some(around) = around {
        print_subgraph(&around)?;
    }
    Ok(0)
}

/// A line about a record, with a mark of where it is.
pub(super) fn print_record(record: &RecordView, mark: &str) -> Result<(), Failure> {
    let status = record.status.unwrap_or("no effect");
    let status =
        if status == "active" { String::new() } else { format!("  {DIM}({status}){DIM:#}") };
    output::line(format_args!(
        "{:<TYPE_COLUMNS$} {}{status}{DIM}{mark}{DIM:#}  {ID}{}{ID:#}",
        record.record_type,
        printable(&record.text),
        record.id.short()
    ))
}

fn print_record_in_full(record: &RecordView, mark: &str) -> Result<(), Failure> {
    print_record(record, mark)?;
    let field = |name: &str, value: String| {
        if value.is_empty() {
            return Ok(());
        }
        output::line(format_args!("  {name:<12} {}", printable(&value)))
    };
    field("recorded", record.recorded_at.clone())?;
    field("corrected by", record.corrected_by.map(|id| id.short()).unwrap_or_default())?;
    field("redirects to", record.canonical.map(|id| id.short()).unwrap_or_default())?;
    let time = |when: &Option<kernel::when::When>| {
        when.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    field("true from", time(&record.valid_from))?;
    field("true until", time(&record.valid_to))?;
    let confidence = record.confidence.filter(|confidence| *confidence < 1.0);
    field("confidence", confidence.map(|it| format!("{it:.2}")).unwrap_or_default())?;
    field("tags", record.tags.join(", "))?;
    let word = |visibility: Visibility| format!("{visibility:?}").to_lowercase();
    let stated = record
        .stated_visibility
        .map(|stated| format!(", because of what it stands on; it states {}", word(stated)));
    field("visibility", word(record.visibility) + &stated.unwrap_or_default())?;
    for input in &record.inputs {
        field("made from", format!("{} ({})", input.id.short(), input.role))?;
    }
    Ok(())
}

/// A line about an edge, with a mark of where it is.
pub(super) fn print_edge(edge: &EdgeView, mark: &str) -> Result<(), Failure> {
    let status = edge.status.unwrap_or("no effect");
    let status =
        if status == "active" { String::new() } else { format!("  {DIM}({status}){DIM:#}") };
    let notes =
        if edge.notes.is_empty() { String::new() } else { format!("  {}", printable(&edge.notes)) };
    output::line(format_args!(
        "{ID}{}{ID:#} {} {ID}{}{ID:#}{notes}{status}{DIM}{mark}{DIM:#}  {ID}{}{ID:#}",
        edge.from.short(),
        printable(edge.word()),
        edge.to.short(),
        edge.id.short()
    ))
}

/// Records without the first one, which was printed before, then the edges among them.
fn print_subgraph(graph: &Subgraph) -> Result<(), Failure> {
    let records = graph.records.get(1..).unwrap_or_default().to_vec();
    print_around(&Subgraph { records, ..graph.clone() })
}

/// Records, then the edges among them.
pub(super) fn print_around(graph: &Subgraph) -> Result<(), Failure> {
    graph.records.iter().try_for_each(|record| print_record(record, ""))?;
    graph.edges.iter().try_for_each(|edge| print_edge(edge, ""))?;
    if graph.cut {
        output::line(format_args!("{DIM}… there is more around it{DIM:#}"))?;
    }
    Ok(())
}

pub(super) fn words_of_edge(edge: &EdgeView) -> String {
    format!("{} {} {}", edge.from.short(), edge.edge_type, edge.to.short())
}

/// Prints a list, and that there is more.
pub(super) fn print_list<T: serde::Serialize>(
    session: &CliSession,
    spaces: &EffectiveView,
    listed: &ScopedList<T>,
    nothing: &str,
    print: impl Fn(&T, &str) -> Result<(), Failure>,
) -> Result<u8, Failure> {
    if session.form == Form::Json {
        for Scoped { scope, item } in &listed.items {
            let mut value = json!(item);
            value["scope"] = json!(scope);
            value["owner"] = json!(spaces.owner(*scope));
            output::json(&value)?;
        }
        if listed.more {
            output::json_note(&json!({ "more": true }));
        }
        return Ok(0);
    }
    print_owner(spaces.own.owner.as_ref())?;
    if listed.items.is_empty() {
        output::line(nothing)?;
    }
    for Scoped { scope, item } in &listed.items {
        print(item, spaces.mark(*scope))?;
    }
    if listed.more {
        output::line(format_args!("{DIM}… and more; -n 0 shows all{DIM:#}"))?;
    }
    Ok(0)
}

/// A text without the white space around it; one in which nobody sees anything is refused.
pub(super) fn words(text: &str) -> Result<&str, RequestError> {
    match visible(text).trim() {
        "" => Err(RequestError::EmptyText),
        _ => Ok(text.trim()),
    }
}

/// A limit of a list, of which 0 is none.
pub(super) fn limit(number: usize) -> usize {
    if number == 0 { usize::MAX } else { number }
}

/// The ids that names stand for.
pub(super) fn resolve(space: &OpenedSpace, name: &str) -> Result<OpId, Failure> {
    Ok(space.resolve(name)?)
}
