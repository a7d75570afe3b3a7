//! `because edge`: links between records.

use engine::belief::name::Named;
use engine::graph::EdgeFilter;
use engine::write::graph::{GraphChange, Reference};
use engine::{EngineError, Space};
use kernel::body::EdgeType;
use kernel::kind::{Capability, Kind};
use kernel::records::RecordStatus;

use super::CliSession;
use super::changes::DryRun;
use super::graph::{self, RetractArgs, ScopeName, ShowArgs};
use crate::failure::Failure;
use crate::service::changes::Verb;
use crate::service::graph as service;
use crate::service::opening::SpaceUse;

/// Arguments of `edge`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Join two records
    #[command(visible_alias = "create")]
    Add(AddArgs),
    /// List edges, the newest first
    List(ListArgs),
    /// Show one edge
    Show(ShowArgs),
    /// Take an edge back
    Retract(RetractArgs),
}

/// Arguments of `edge add`.
#[derive(clap::Args)]
#[command(
    after_help = "Types: depends_on (from needs to), supports, contradicts, derived_from, mentions, supersedes (from is the newer), same_as (to is the canonical one), relation.\n\nExample:\n  because edge add --type depends_on --from 9f2c41d0 --to 03ab77e1 --notes \"the kiln must be dry\""
)]
struct AddArgs {
    /// depends_on, supports, contradicts, derived_from, mentions, supersedes, same_as or relation
    #[arg(long = "type", value_name = "TYPE")]
    edge_type: EdgeType,
    /// Where it begins: an id, or the beginning of one
    #[arg(long, value_name = "ID")]
    from: String,
    /// Where it ends
    #[arg(long, value_name = "ID")]
    to: String,
    /// A record that it was made from, by its id; may be repeated
    #[arg(long, value_name = "ID")]
    source: Vec<String>,
    /// Why, in words
    #[arg(long, default_value = "")]
    notes: String,
    #[command(flatten)]
    dry_run: DryRun,
}

/// The status of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum StatusName {
    /// In force
    Active,
    /// Taken back
    Retracted,
    /// What it was made from no longer holds
    Invalidated,
    /// Whatever its status
    Any,
}

impl StatusName {
    fn status(self) -> Option<RecordStatus> {
        match self {
            Self::Active => Some(RecordStatus::Active),
            Self::Retracted => Some(RecordStatus::Retracted),
            Self::Invalidated => Some(RecordStatus::Invalidated),
            Self::Any => None,
        }
    }
}

/// Arguments of `edge list`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because edge list --from 9f2c41d0\n  because edge list --type supports --type contradicts\n  because edge list --all                  also those that were retracted"
)]
struct ListArgs {
    /// Only of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<EdgeType>,
    /// Only those that begin here
    #[arg(long, value_name = "ID")]
    from: Option<String>,
    /// Only those that end here
    #[arg(long, value_name = "ID")]
    to: Option<String>,
    /// Only with this status; may be repeated [default: active]
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Vec<StatusName>,
    /// Also those that are not in force
    #[arg(long)]
    all: bool,
    /// Only with this text in their notes, in any letter case
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
    /// Only those whose ends are both true at this time
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
        Action::Retract(args) => graph::retract(session, args, &Kind::Edge),
    }
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        !matches!(self.action, Action::List(_) | Action::Show(_))
    }
}

fn add(session: &CliSession, args: &AddArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Write(Capability::Append))?;
    let (from, to) = (graph::resolve(&space, &args.from)?, graph::resolve(&space, &args.to)?);
    let change = GraphChange::Connect {
        edge_type: args.edge_type,
        from: Reference::Id(from),
        to: Reference::Id(to),
        inputs: service::inputs(&space, &args.source)?,
        notes: args.notes.clone(),
    };
    let words = match args.notes.trim() {
        "" => format!("{from} {} {to}", args.edge_type.as_str()),
        notes => notes.to_owned(),
    };
    let words = (words.as_str(), Default::default());
    graph::write(session, &mut space, Verb::Connected, change, words, args.dry_run.intent())
}

fn list(session: &CliSession, args: &ListArgs) -> Result<u8, Failure> {
    let as_of_us = session.times().recorded_us(args.as_of.as_deref())?;
    let spaces = session.open_effective(args.scope.into())?;
    let asked = EdgeFilter {
        types: args.types.clone(),
        statuses: args.status.iter().filter_map(|name| name.status()).collect(),
        all: args.all || args.status.contains(&StatusName::Any),
        contains: args.contains.clone(),
        valid_at_us: session.times().start_if_given_us(args.valid_at.as_deref())?,
        ..EdgeFilter::default()
    };
    for name in [&args.from, &args.to].into_iter().flatten() {
        spaces.resolve(name)?;
    }
    let filter = |space: &Space, disclosure| {
        let end = |name: &Option<String>| {
            let Some(name) = name else { return Ok(Some(None)) };
            Ok(match space.name_disclosed(name, disclosure) {
                Ok(Named::Version { id, .. } | Named::Operation { id, .. }) => Some(Some(id)),
                // The other space has it.
                Ok(Named::Belief { .. })
                | Err(EngineError::UnknownBelief { .. } | EngineError::UnknownId { .. }) => None,
                Err(error) => return Err(error),
            })
        };
        let (Some(from), Some(to)) = (end(&args.from)?, end(&args.to)?) else { return Ok(None) };
        Ok(Some(EdgeFilter { from, to, as_of_us, disclosure, ..asked.clone() }))
    };
    let listed = spaces.edges(filter, graph::limit(args.limit))?;
    graph::print_list(session, &spaces, &listed, "No edge matches.", graph::print_edge)
}
