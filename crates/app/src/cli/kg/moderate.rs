//! `because kg review`, `accept`, `reject` and `alias`: candidates for the graph.

use engine::Space;
use engine::private::Disclosure;
use engine::staging::SENTENCE;
use kernel::kind::Capability;
use serde_json::{Value, json};

use crate::cli::changes::DryRun;
use crate::cli::{CliSession, incomplete_if, print_owner};
use crate::failure::{Failure, RequestError};
use crate::output::{self, BAD, BOLD, DIM, Form, GOOD, ID, count, printable};
use crate::service::candidates;
use crate::service::moderation::{
    CandidateFilter, Decision, Item, ItemReport, KindName, ListedCandidate, ModerationReport,
    ModerationRequest, Status, StatusName, list, moderate,
};
use crate::service::opening::SpaceUse;
use crate::service::wording::{hundredths, shortened};

/// Which candidates.
#[derive(clap::Args)]
struct Filters {
    /// Only of this kind
    #[arg(long, value_enum)]
    kind: Option<KindName>,
    /// Only those that are at least as sure, 0 to 1
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.0)]
    min_confidence: f64,
    /// How many, the surest first; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    limit: usize,
}

impl Filters {
    fn resolved(&self, status: Option<Status>) -> Result<CandidateFilter, RequestError> {
        if !(0.0..=1.0).contains(&self.min_confidence) {
            return Err(RequestError::NotAProbability { given: self.min_confidence });
        }
        Ok(CandidateFilter {
            kind: self.kind.map(Into::into),
            status,
            confidence_min: self.min_confidence,
            as_of_us: None,
            limit: crate::cli::graph::limit(self.limit),
        })
    }
}

/// Arguments of `kg review`.
#[derive(clap::Args)]
#[command(
    after_help = "A candidate is an entity or a relation that rules or a language model found in records. Entities of similar names are suggested, of which it may be another name.\n\nExamples:\n  because kg review\n  because kg review --kind entity --min-confidence 0.8\n  because kg review --status dismissed"
)]
pub(super) struct ReviewArgs {
    #[command(flatten)]
    filters: Filters,
    /// Only with this status
    #[arg(long, value_enum, default_value_t = StatusName::Pending)]
    status: StatusName,
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
}

/// The end of the help of `kg accept`.
pub(super) const ACCEPT_HELP: &str = "Each candidate is decided by itself: one that cannot be is reported, and the others are decided. Accepting uses an entity of the same name and type again; the ends of a relation are found, or made, by their names.\n\nExamples:\n  because kg accept 9f2c41d0 03ab77e1\n  because kg accept --all --min-confidence 0.8 --dry-run";
/// The end of the help of `kg reject`.
pub(super) const REJECT_HELP: &str = "Each candidate is decided by itself: one that cannot be is reported, and the others are decided. A candidate that was rejected is not staged again.\n\nExamples:\n  because kg reject 9f2c41d0\n  because kg reject --all --kind relation --feedback \"too vague\"";

/// Arguments of `kg accept` and `kg reject`.
#[derive(clap::Args)]
pub(super) struct DecideArgs {
    /// The ids of candidates, or their beginnings
    #[arg(required_unless_present = "all")]
    ids: Vec<String>,
    /// All that wait and pass the filters
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    how: DecisionArgs,
}

/// Arguments of `kg alias`.
#[derive(clap::Args)]
#[command(
    after_help = "The name of the candidate becomes another name of an entity: it redirects there, and later candidates of that name stand for the entity.\n\nExample:\n  because kg alias 9f2c41d0 --canonical \"Orin Studio\""
)]
pub(super) struct AliasArgs {
    /// The ids of candidates, or their beginnings
    #[arg(required = true)]
    ids: Vec<String>,
    /// The entity, by its id or its name
    #[arg(long, value_name = "ID")]
    canonical: String,
    #[command(flatten)]
    how: DecisionArgs,
}

/// How a decision is made.
#[derive(clap::Args)]
struct DecisionArgs {
    /// Why
    #[arg(long, value_name = "TEXT")]
    feedback: Option<String>,
    /// Mark the sources of what is accepted for removal
    #[arg(long, alias = "auto-mark-removal")]
    mark_removal: bool,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn review(session: &CliSession, args: &ReviewArgs) -> Result<u8, Failure> {
    let as_of_us = session.times().recorded_us(args.as_of.as_deref())?;
    let filter = args.filters.resolved(args.status.status())?;
    let filter = CandidateFilter { as_of_us, ..filter };
    let space = session.open(SpaceUse::Read)?;
    let (listed, more) = list(&space, &filter, Disclosure::Full)?;
    if session.form == Form::Json {
        for ListedCandidate { staged, suggestions } in &listed {
            let mut value = candidates::to_json(staged);
            value["suggestions"] = json!(suggestions);
            value["owner"] = json!(space.owner);
            output::json(&value)?;
        }
        if more {
            output::json_note(&json!({ "more": true }));
        }
        return Ok(0);
    }
    print_owner(space.owner.as_ref())?;
    if listed.is_empty() {
        output::line("No candidate matches.")?;
    }
    listed.iter().try_for_each(print_candidate)?;
    if more {
        output::line(format_args!("{DIM}… and more; -n 0 shows all{DIM:#}"))?;
    }
    if !listed.is_empty() && space.owner.is_none() {
        output::line(format_args!(
            "{DIM}because kg accept ID, because kg reject ID, or because kg alias ID --canonical NAME{DIM:#}"
        ))?;
    }
    Ok(0)
}

fn print_candidate(listed: &ListedCandidate) -> Result<(), Failure> {
    let staged = &listed.staged;
    let status = match staged.status {
        Status::Pending => String::new(),
        settled => format!("  {DIM}{}{DIM:#}", settled.as_str()),
    };
    output::line(format_args!(
        "{ID}{}{ID:#}  {:<8}  {}  {BOLD}{}{BOLD:#}{status}",
        staged.id.short(),
        staged.candidate.content.kind().as_str(),
        hundredths(staged.candidate.confidence),
        printable(&staged.candidate.content.in_words()),
    ))?;
    let found = staged.candidate.data.get(SENTENCE).and_then(Value::as_str).unwrap_or_default();
    if !found.is_empty() {
        output::line(format_args!("  found in     {}", shortened(found)))?;
    }
    for like in &listed.suggestions {
        let is = if like.similarity >= 1.0 { "is there" } else { "like" };
        let of = like.entity_type.as_deref().map(|of| format!(" ({})", printable(of)));
        output::line(format_args!(
            "  {is:<12} {}{}  {}  {ID}{}{ID:#}",
            printable(&like.name),
            of.unwrap_or_default(),
            hundredths(like.similarity),
            like.id.short()
        ))?;
    }
    Ok(())
}

pub(super) fn accept(session: &CliSession, args: &DecideArgs) -> Result<u8, Failure> {
    decide(session, args, Decision::Accept)
}

pub(super) fn reject(session: &CliSession, args: &DecideArgs) -> Result<u8, Failure> {
    decide(session, args, Decision::Reject)
}

fn decide(session: &CliSession, args: &DecideArgs, decision: Decision) -> Result<u8, Failure> {
    let filter = args.filters.resolved(Some(Status::Pending))?;
    run(session, &args.how, |space| {
        if !args.all {
            return Ok(items(&args.ids, decision, None, &args.how));
        }
        let (listed, _) = list(space, &filter, Disclosure::Full)?;
        let ids: Vec<String> = listed.iter().map(|found| found.staged.id.to_string()).collect();
        Ok(items(&ids, decision, None, &args.how))
    })
}

pub(super) fn alias(session: &CliSession, args: &AliasArgs) -> Result<u8, Failure> {
    run(session, &args.how, |_| {
        Ok(items(&args.ids, Decision::Alias, Some(&args.canonical), &args.how))
    })
}

fn items(
    ids: &[String],
    decision: Decision,
    canonical: Option<&str>,
    how: &DecisionArgs,
) -> Vec<Item> {
    let item = |id: &String| Item {
        id: id.clone(),
        decision,
        canonical_id: canonical.map(str::to_owned),
        feedback: how.feedback.clone(),
    };
    ids.iter().map(item).collect()
}

fn run(
    session: &CliSession,
    how: &DecisionArgs,
    items: impl FnOnce(&Space) -> Result<Vec<Item>, Failure>,
) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Write(Capability::Correct))?;
    let items = items(&space)?;
    let request = ModerationRequest {
        items: &items,
        visibility: session.scope_of(&space).visibility(),
        mark_removal: how.mark_removal,
        intent: how.dry_run.intent(),
        disclosure: Disclosure::Full,
    };
    let (report, _) = moderate(&mut space, session.now, &request)?;
    match session.form {
        Form::Json => output::json(&json!(report))?,
        Form::Text => print_report(&report)?,
    }
    Ok(incomplete_if(report.failed > 0))
}

fn print_report(report: &ModerationReport) -> Result<(), Failure> {
    if report.items.is_empty() {
        return output::line("No candidate matches.");
    }
    report.items.iter().try_for_each(print_item)?;
    if report.marked_for_removal > 0 {
        let count = count(report.marked_for_removal as u64, "record");
        output::line(format_args!("  {count} marked for removal"))?;
    }
    if report.dry_run {
        output::line(format_args!("{DIM}A dry run: nothing was written{DIM:#}"))?;
    }
    Ok(())
}

fn print_item(item: &ItemReport) -> Result<(), Failure> {
    if let Some(error) = &item.error {
        let id: String = item.id.chars().take(15).collect();
        return output::line(format_args!(
            "{BAD}not decided{BAD:#}  {ID}{}{ID:#}  {}",
            printable(&id),
            printable(&error.message)
        ));
    }
    let done = match item.decision {
        Decision::Accept => "accepted",
        Decision::Reject => "rejected",
        Decision::Alias => "another name",
    };
    let text = item.text.as_deref().map(printable).unwrap_or_default();
    let id = item.promoted_id.as_deref().map(|id| id.chars().take(15).collect::<String>());
    let is = if item.new || item.decision != Decision::Accept { "" } else { "  (was there)" };
    output::line(format_args!(
        "{GOOD}{done:<12}{GOOD:#} {text}{is}  {ID}{}{ID:#}",
        id.unwrap_or_default()
    ))?;
    for name in item.entities.iter().filter(|name| Some(name.as_str()) != item.text.as_deref()) {
        output::line(format_args!("  {DIM}entity{DIM:#}     {}", printable(name)))?;
    }
    Ok(())
}
