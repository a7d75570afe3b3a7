//! `because node`: decisions, actions, summaries and entities.

use engine::graph::NodeFilter;
use engine::write::graph::{RecordType, Statement};
use kernel::body::NodeType;
use kernel::kind::Kind;
use kernel::records::RecordStatus;

use super::CliSession;
use super::changes::DryRun;
use super::graph::{self, RetractArgs, ScopeName, ShowArgs, VisibilityName, WriteScope};
use crate::failure::Failure;
use crate::service::graph as service;

/// Arguments of `node`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Record a decision, an action, a summary or an entity
    #[command(visible_alias = "create")]
    Add(AddArgs),
    /// List nodes, the newest first
    List(ListArgs),
    /// Show one node with its status and, with --graph, what is around it
    Show(ShowArgs),
    /// Take a node back
    Retract(RetractArgs),
}

/// Arguments of `node add`.
#[derive(clap::Args)]
#[command(
    after_help = "A node cites what it was made from. Without --source, what you write is recorded as your statement and cited.\n\nExamples:\n  because node add --type decision \"We ship on Fridays\"\n  because node add --type action \"Rebuilt the kiln\" --source 9f2c41d0"
)]
struct AddArgs {
    /// The node in words
    text: String,
    /// decision, action, summary, why_trace or entity
    #[arg(long = "type", value_name = "TYPE")]
    node_type: NodeType,
    /// A record that it was made from, by its id; may be repeated
    #[arg(long, value_name = "ID")]
    source: Vec<String>,
    /// A label; may be repeated
    #[arg(long)]
    tag: Vec<String>,
    /// Who may see it [default: global in the home space, else project]
    #[arg(long, value_enum)]
    visibility: Option<VisibilityName>,
    /// Where it is written [default: the space that the command finds]
    #[arg(long, value_enum)]
    scope: Option<WriteScope>,
    #[command(flatten)]
    dry_run: DryRun,
}

/// The status of a node.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StatusName {
    Active,
    Superseded,
    Alias,
    Retracted,
    Invalidated,
    Refuted,
    /// Whatever its status
    Any,
}

impl StatusName {
    fn status(self) -> Option<RecordStatus> {
        match self {
            Self::Active => Some(RecordStatus::Active),
            Self::Superseded => Some(RecordStatus::Superseded),
            Self::Alias => Some(RecordStatus::Alias),
            Self::Retracted => Some(RecordStatus::Retracted),
            Self::Invalidated => Some(RecordStatus::Invalidated),
            Self::Refuted => Some(RecordStatus::Refuted),
            Self::Any => None,
        }
    }
}

/// Arguments of `node list`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because node list --type decision\n  because node list --tag build --tag release      with both tags\n  because node list --status superseded\n  because node list --as-of 2025-03-01"
)]
struct ListArgs {
    /// Only of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<NodeType>,
    /// Only with this status; may be repeated [default: active]
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Vec<StatusName>,
    /// Whatever their status
    #[arg(long)]
    all: bool,
    /// Only with this tag; may be repeated, then with all of them
    #[arg(long)]
    tag: Vec<String>,
    /// Only with this text, in any letter case
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
    /// Only what is true at this time; a node without times of its own always is
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// What is read
    #[arg(long, value_enum, default_value_t = ScopeName::Effective)]
    scope: ScopeName,
    /// How many; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Add(args) => add(session, args),
        Action::List(args) => list(session, args),
        Action::Show(args) => graph::show(session, args),
        Action::Retract(args) => graph::retract(session, args, &Kind::Node),
    }
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        !matches!(self.action, Action::List(_) | Action::Show(_))
    }
}

fn add(session: &CliSession, args: &AddArgs) -> Result<u8, Failure> {
    let text = graph::words(&args.text)?;
    let (mut space, visibility) = graph::open_to_state(session, args.scope, args.visibility)?;
    let statement = Statement {
        inputs: service::inputs(&space, &args.source)?,
        tags: args.tag.clone(),
        visibility,
        ..Statement::new(RecordType::Node(args.node_type), text)
    };
    graph::state(session, &mut space, statement, args.dry_run.intent())
}

fn list(session: &CliSession, args: &ListArgs) -> Result<u8, Failure> {
    let filter = NodeFilter {
        types: args.types.clone(),
        statuses: args.status.iter().filter_map(|name| name.status()).collect(),
        all: args.all || args.status.contains(&StatusName::Any),
        tags: args.tag.clone(),
        contains: args.contains.clone(),
        valid_at_us: session.times().start_if_given_us(args.valid_at.as_deref())?,
        as_of_us: session.times().recorded_us(args.as_of.as_deref())?,
        ..NodeFilter::default()
    };
    let spaces = session.open_effective(args.scope.into())?;
    let listed = spaces.nodes(&filter, graph::limit(args.limit))?;
    graph::print_list(session, &spaces, &listed, "No node matches.", graph::print_record)
}
