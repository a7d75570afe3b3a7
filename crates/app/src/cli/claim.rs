//! `because claim`: claims in words, added and replaced by hand; and the list of all beliefs.

use engine::write::graph::{GraphChange, RecordType, Reference, ReplacementFields, Statement};
use kernel::body::{EdgeType, TextClaimType};
use kernel::kind::{Capability, Kind};

use super::changes::DryRun;
use super::graph::{self, RetractArgs, ShowArgs, VisibilityName, WriteScope};
use super::{CliSession, claims, mine};
use crate::failure::{Failure, RequestError};
use crate::service::changes::Verb;
use crate::service::graph as service;
use crate::service::opening::SpaceUse;

/// Arguments of `claim`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// State a claim in words: a fact, a preference, an assumption or a goal
    Add(AddArgs),
    /// List beliefs, as `because claims` does
    List(claims::Args),
    /// Show one claim with its status and, with --graph, what is around it
    Show(ShowArgs),
    /// Find what records state, and write it down as claims, nodes and edges
    Mine(mine::Args),
    /// Replace a claim by a new text; the old one stays readable
    Supersede(SupersedeArgs),
    /// Redirect a duplicate to the canonical claim
    SameAs(SameAsArgs),
    /// Take a claim back
    Retract(RetractArgs),
}

/// Arguments of `claim add`.
#[derive(clap::Args)]
#[command(
    after_help = "A claim cites what it was made from. Without --source, what you write is recorded as your statement and cited. Stating the same text again writes nothing.\n\nExamples:\n  because claim add \"The glaze is tenmoku.\"\n  because claim add --type preference \"Tests run before every commit\" --tag build\n  because claim add --type goal \"Ship 1.0\" --valid-to 2026-06-01 --source 9f2c41d0"
)]
struct AddArgs {
    /// The claim in words
    text: String,
    /// fact, preference, assumption or goal
    #[arg(long = "type", value_name = "TYPE", default_value = "fact")]
    claim_type: TextClaimType,
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
    /// From when it is true (2025-06-02, yesterday …)
    #[arg(long, value_name = "TIME")]
    valid_from: Option<String>,
    /// Until when it is true; that time is not included
    #[arg(long, value_name = "TIME")]
    valid_to: Option<String>,
    /// How sure it is, 0 to 1
    #[arg(long, value_name = "P", default_value_t = 1.0)]
    confidence: f64,
    #[command(flatten)]
    dry_run: DryRun,
}

/// Arguments of `claim supersede`.
#[derive(clap::Args)]
#[command(
    after_help = "The new claim keeps type, tags and visibility of the old one, and is in the same space; it has no times unless they are given. Retracting the new claim brings the old one back.\n\nExample:\n  because claim supersede 9f2c41d0 \"The glaze is celadon.\""
)]
struct SupersedeArgs {
    /// The claim that is replaced, by its id or the beginning of it
    old: String,
    /// The new text
    text: String,
    /// fact, preference, assumption or goal, if not the same
    #[arg(long = "type", value_name = "TYPE")]
    claim_type: Option<TextClaimType>,
    /// A record that it was made from, by its id; may be repeated
    #[arg(long, value_name = "ID")]
    source: Vec<String>,
    /// A label, in place of those of the old claim; may be repeated
    #[arg(long)]
    tag: Vec<String>,
    /// Who may see it, if not the same
    #[arg(long, value_enum)]
    visibility: Option<VisibilityName>,
    /// Where the old claim is, and the new one with it [default: the space that the command finds]
    #[arg(long, value_enum)]
    scope: Option<WriteScope>,
    /// From when the new text is true (2025-06-02, yesterday …)
    #[arg(long, value_name = "TIME")]
    valid_from: Option<String>,
    /// Until when it is true; that time is not included
    #[arg(long, value_name = "TIME")]
    valid_to: Option<String>,
    #[command(flatten)]
    dry_run: DryRun,
}

/// Arguments of `claim same-as`.
#[derive(clap::Args)]
#[command(
    after_help = "The duplicate leaves lists, recall and context; its id stands for the canonical claim from then on.\n\nExample:\n  because claim same-as 9f2c41d0 03ab77e1"
)]
struct SameAsArgs {
    /// The duplicate
    duplicate: String,
    /// The claim that stays
    canonical: String,
    /// A record that it was made from, by its id; may be repeated
    #[arg(long, value_name = "ID")]
    source: Vec<String>,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Add(args) => add(session, args),
        Action::List(args) => claims::run(session, args),
        Action::Show(args) => graph::show(session, args),
        Action::Mine(args) => mine::run(session, args),
        Action::Supersede(args) => supersede(session, args),
        Action::SameAs(args) => same_as(session, args),
        Action::Retract(args) => graph::retract(session, args, &Kind::Claim),
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
    if !(0.0..=1.0).contains(&args.confidence) {
        return Err(RequestError::NotAProbability { given: args.confidence }.into());
    }
    let (from, to) = (args.valid_from.as_deref(), args.valid_to.as_deref());
    let (valid_from, valid_to) = service::validity(session, from, to)?;
    let (mut space, visibility) = graph::open_to_state(session, args.scope, args.visibility)?;
    let statement = Statement {
        inputs: service::inputs(&space, &args.source)?,
        tags: args.tag.clone(),
        visibility,
        valid_from,
        valid_to,
        confidence: args.confidence,
        ..Statement::new(RecordType::Claim(args.claim_type.as_str().to_owned()), text)
    };
    graph::state(session, &mut space, statement, args.dry_run.intent())
}

fn supersede(session: &CliSession, args: &SupersedeArgs) -> Result<u8, Failure> {
    let text = graph::words(&args.text)?;
    let (from, to) = (args.valid_from.as_deref(), args.valid_to.as_deref());
    let (valid_from, valid_to) = service::validity(session, from, to)?;
    let mut space = graph::open_to_replace(session, args.scope)?;
    let visibility = args.visibility.map(Into::into);
    let old = graph::resolve(&space, &args.old)?;
    if graph::is_node(&space, &old)? {
        let instead = format!(
            "`because node add` states the new text; `because edge add --type supersedes --from \
             NEW --to {}` then replaces it",
            old.short()
        );
        return Err(graph::not_a_claim(old, instead));
    }
    let change = GraphChange::Supersede {
        target: Reference::Id(old),
        text: text.to_owned(),
        inputs: service::inputs(&space, &args.source)?,
        otherwise: ReplacementFields {
            claim_type: args.claim_type,
            tags: Some(args.tag.clone()).filter(|tags| !tags.is_empty()),
            visibility,
            valid_from,
            valid_to,
        },
    };
    let words = (text, visibility.unwrap_or_default());
    graph::write(session, &mut space, Verb::Stated, change, words, args.dry_run.intent())
}

fn same_as(session: &CliSession, args: &SameAsArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Write(Capability::Append))?;
    let (from, to) =
        (graph::resolve(&space, &args.duplicate)?, graph::resolve(&space, &args.canonical)?);
    // A node and a claim are refused by the rule that both ends are of one kind.
    if graph::is_node(&space, &from)? && graph::is_node(&space, &to)? {
        let (one, other) = (from.short(), to.short());
        let instead = format!(
            "`because edge add --type same_as --from {one} --to {other}` makes it an alias"
        );
        return Err(graph::not_a_claim(from, instead));
    }
    let change = GraphChange::Connect {
        edge_type: EdgeType::SameAs,
        from: Reference::Id(from),
        to: Reference::Id(to),
        inputs: service::inputs(&space, &args.source)?,
        notes: String::new(),
    };
    let words = format!("{from} says the same as {to}");
    let words = (words.as_str(), Default::default());
    graph::write(session, &mut space, Verb::Connected, change, words, args.dry_run.intent())
}
