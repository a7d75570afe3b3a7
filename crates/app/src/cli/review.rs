//! `because review`

use engine::Space;
use engine::belief::proposed::ProposedChange;
use engine::belief::review::{Review, Status};
use engine::inspect::summary;
use engine::private::Disclosure;
use engine::staging::{SENTENCE, StagedCandidate};
use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::proposal::Reason;
use serde_json::{Value, json};

use super::changes::{self, DryRun};
use super::graph::limit;
use super::{CliSession, patch, print_owner};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, printable};
use crate::service::candidates;
use crate::service::corrections::{self, Decision, ReviewDecision};
use crate::service::opening::{OpenedSpace, SpaceUse};
use crate::service::reviews::{self, ReviewQueue};
use crate::service::wording::{hundredths, person, shortened};

/// What waits for a decision, of which so many are listed unless another number is asked for.
const LISTED: usize = 50;

/// Arguments of `review`.
#[derive(clap::Args)]
#[command(
    after_help = "Nothing overrides your corrections automatically. When the sources of a corrected belief change, or the records contradict the correction, a review is listed here for you. What an agent asks for in your name (a correction, refutation, retraction, or forgetting a record), and what was learned while `auto_learn` is off, is listed as a proposal, with the program that asks.\n\nExamples:\n  because review                      list what awaits your decision\n  because review accept 9f2c41d0 --dry-run    show first what would follow\n  because review accept 9f2c41d0      apply the proposal: take the correction back, or correct to what the records say\n  because review dismiss 9f2c41d0     keep what you said; you are not asked this again"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List what awaits your decision
    List(ListArgs),
    /// Apply the proposal
    Accept(DecideArgs),
    /// Keep everything as it is
    Dismiss(DecideArgs),
}

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because review list --all\n  because review list --contains kiln -n 10\n  because review list --as-of yesterday      what waited then"
)]
struct ListArgs {
    /// Include reviews that are settled
    #[arg(long)]
    all: bool,
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Only with this text, in any letter case
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
    /// How many; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = LISTED)]
    limit: usize,
}

impl Args {
    /// Whether it decides about a review, which appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        matches!(self.action, Some(Action::Accept(_) | Action::Dismiss(_)))
    }
}

impl Default for ListArgs {
    fn default() -> Self {
        Self { all: false, as_of: None, contains: None, limit: LISTED }
    }
}

#[derive(clap::Args)]
struct DecideArgs {
    /// The review's id, or its beginning
    id: String,
    /// Why
    #[arg(long, default_value = "", alias = "reason")]
    note: String,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let (args, decision) = match &args.action {
        None => return list(session, &ListArgs::default()),
        Some(Action::List(args)) => return list(session, args),
        Some(Action::Accept(args)) => (args, Decision::Accept),
        Some(Action::Dismiss(args)) => (args, Decision::Dismiss),
    };
    let mut space = session.open(SpaceUse::Write(Capability::Correct))?;
    let asked = ReviewDecision { decision, note: &args.note, intent: args.dry_run.intent() };
    let outcome = corrections::decide_review(session, &mut space, &args.id, asked)?;
    changes::print(session, &outcome)?;
    Ok(0)
}

fn list(session: &CliSession, args: &ListArgs) -> Result<u8, Failure> {
    let space = session.open(SpaceUse::Read)?;
    print_list(session, &space, args)?;
    Ok(0)
}

fn print_list(session: &CliSession, space: &OpenedSpace, args: &ListArgs) -> Result<(), Failure> {
    let as_of_us = session.times().recorded_us(args.as_of.as_deref())?;
    let mut queue = ReviewQueue::of(space, as_of_us, args.all, Disclosure::Full)?;
    if let Some(text) = &args.contains {
        queue.retain_containing(text);
    }
    let more = queue.truncate(limit(args.limit));
    let is_empty = queue.is_empty();
    let ReviewQueue { reviews, changes, patches, candidates: staged } = queue;
    if session.form == Form::Json {
        let patches = patches.iter().map(|patch| patch::to_json(space, patch));
        let patches = patches.collect::<Result<Vec<_>, _>>()?;
        let mut listed = reviews
            .iter()
            .map(reviews::review_to_json)
            .chain(changes.iter().map(change_to_json))
            .chain(patches)
            .chain(staged.iter().map(candidates::to_json));
        listed.try_for_each(|mut value| {
            value["owner"] = json!(space.owner);
            output::json(&value)
        })?;
        if more > 0 {
            output::json_note(&json!({ "more": true }));
        }
        return Ok(());
    }
    let owner = space.owner.as_ref();
    print_owner(owner)?;
    if is_empty {
        let nothing = match (&args.contains, args.all) {
            (Some(_), _) => "Nothing in the queue has this text.",
            (None, true) => "Nothing was ever in the queue.",
            (None, false) => "No reviews are waiting.",
        };
        return output::line(nothing);
    }
    for change in &changes {
        print_change(session, space, change)?;
    }
    for proposed in &patches {
        patch::print_line(session, space, proposed)?;
    }
    print_candidates(session, &staged)?;
    for review in &reviews {
        print_review(session, space, review)?;
    }
    if more > 0 {
        output::line(format_args!("{DIM}… and {more} more; -n 0 lists all{DIM:#}"))?;
    }
    if owner.is_some() {
        return Ok(());
    }
    output::line(format_args!("{DIM}because review accept ID, or because review dismiss ID{DIM:#}"))
}

/// Prints a correction that is to be looked at again, and what accepting the review does.
fn print_review(session: &CliSession, space: &OpenedSpace, review: &Review) -> Result<(), Failure> {
    let owner = space.owner.as_ref();
    let time = session.time(review.at);
    output::line(format_args!(
        "{ID}{}{ID:#}  {time}  {BOLD}{}{BOLD:#}{}",
        review.id.short(),
        printable(&review.question.identity_key),
        match review.status {
            Status::Pending => String::new(),
            settled => format!("  {DIM}{}{DIM:#}", settled.as_str()),
        }
    ))?;
    output::line(format_args!(
        "  {:<14} {}",
        format!("{} said", person(owner)),
        shortened(&review.corrected_payload.to_string())
    ))?;
    match review.question.reason {
        Reason::GroundChanged => {
            let trigger = review.question.trigger.map(|id| space.show(&id)).transpose()?;
            let what = trigger.map(|shown| {
                let said = summary(&shown.operation);
                format!("{} {} {said}", shown.operation.header().kind, shown.operation.id().short())
            });
            output::line(format_args!(
                "  its ground     {}",
                shortened(&what.unwrap_or_default())
            ))?;
        }
        Reason::Disagreement => {
            let payload =
                review.question.payload.as_ref().map(Value::to_string).unwrap_or_default();
            let sure = review
                .confidence
                .map(|confidence| format!(" ({})", hundredths(confidence)))
                .unwrap_or_default();
            output::line(format_args!(
                "  the records    {}{sure}",
                shortened(&format!("{} {payload}", review.text))
            ))?;
        }
    }
    if review.status == Status::Pending && owner.is_none() {
        output::line(format_args!(
            "  to accept      {}",
            match review.question.reason {
                Reason::GroundChanged => "takes your correction back",
                Reason::Disagreement => "corrects it to that",
            }
        ))?;
    }
    Ok(())
}

/// Prints candidates for the graph, and in what each was found.
fn print_candidates(session: &CliSession, staged: &[StagedCandidate]) -> Result<(), Failure> {
    for StagedCandidate { id, at, candidate, status, .. } in staged {
        output::line(format_args!(
            "{ID}{}{ID:#}  {}  {}  {BOLD}{}{BOLD:#}{}",
            id.short(),
            session.time(*at),
            candidate.content.kind().as_str(),
            printable(&candidate.content.in_words()),
            match status {
                Status::Pending => String::new(),
                settled => format!("  {DIM}{}{DIM:#}", settled.as_str()),
            }
        ))?;
        let found = candidate.data.get(SENTENCE).and_then(Value::as_str).unwrap_or_default();
        let sources: Vec<String> = candidate.sources.iter().map(OpId::short).collect();
        output::line(format_args!(
            "  found in       {}  {}",
            sources.join(", "),
            shortened(found)
        ))?;
        output::line(format_args!(
            "  by             {} ({})",
            printable(&candidate.origin),
            hundredths(candidate.confidence)
        ))?;
    }
    Ok(())
}

/// Prints what a program proposes.
fn print_change(
    session: &CliSession,
    space: &Space,
    change: &ProposedChange,
) -> Result<(), Failure> {
    let ProposedChange { id, at, text, operations, status, .. } = change;
    output::line(format_args!(
        "{ID}{}{ID:#}  {}  {BOLD}{}{BOLD:#}{}",
        id.short(),
        session.time(*at),
        printable(text),
        match status {
            Status::Pending => String::new(),
            settled => format!("  {DIM}{}{DIM:#}", settled.as_str()),
        }
    ))?;
    for draft in operations {
        if let Body::Claim(claim) = &draft.body {
            let text = shortened(&claim.text);
            output::line(format_args!("  to accept      states the {} {text}", claim.claim_type))?;
            continue;
        }
        let target = draft.refs.first().map(|cited| space.show(&cited.id)).transpose()?;
        let target = target.map(|shown| {
            format!("{} {}", shown.operation.id().short(), shortened(&summary(&shown.operation)))
        });
        output::line(format_args!(
            "  to accept      appends {} of {}",
            draft.body.kind(),
            target.unwrap_or_default()
        ))?;
    }
    Ok(())
}

/// A proposal with the operations that it would append in full.
fn change_to_json(change: &ProposedChange) -> Value {
    let mut value = reviews::change_to_json(change);
    let operations = value["operations"].as_array_mut().into_iter().flatten();
    for (operation, draft) in operations.zip(&change.operations) {
        let body = draft.body.canonical().ok();
        let body = body.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        operation["body"] = json!(body);
    }
    value
}
