//! `because thought`: what is done with one thought, and lists of them.

use engine::thought::lineage::DEPTH;
use engine::thought::recall::FoundThought;
use engine::thought::view::{ThoughtFilter, ThoughtView, preview};
use kernel::kind::Capability;
use serde_json::{Value, json};

use super::{CliSession, think};
use crate::failure::Failure;
use crate::output::{self, DIM, Form, ID, printable};
use crate::service::agents::AgentId;
use crate::service::disclosure::for_agent;
use crate::service::opening::{OpenedSpace, SpaceUse};
use crate::service::thoughts::answer::{ThoughtAnswer, ThoughtSource, view_to_json};
use crate::service::thoughts::request::{FeedbackRequest, LabelRequest, parse_depth, parse_share};
use crate::service::thoughts::{Caller, CallerSpace, Rights, manage};

/// The id of the person at the command line, where no agent is named.
const PERSON: &str = "owner";
/// The name of the space that is found.
const HERE: &str = "here";

/// Arguments of `thought`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List thoughts, the newest first
    List(ListArgs),
    /// Show one thought, what replaced it and how it is used
    Show(ShowArgs),
    /// Improve a thought: a new one that refines it
    Refine(RefineArgs),
    /// Merge several thoughts into a new one
    Combine(CombineArgs),
    /// Show what a thought was made from, and what was made from it
    History(HistoryArgs),
    /// List the thoughts that several agents come to
    Highways(HighwaysArgs),
    /// List the topics that thoughts of the category `domain_summary` sum up
    Domains,
    /// Say that a thought helped, or that it is wrong
    Feedback(FeedbackArgs),
    /// Change the tags, the category, the topic or the mark of a thought
    Label(LabelArgs),
    /// Copy a thought into another space
    Share(ShareArgs),
}

/// Who contributes.
#[derive(clap::Args, Default)]
pub(super) struct Contributor {
    /// The agent who asks [default: owner, the person]
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// The agent's name, for people [default: its id]
    #[arg(long, value_name = "NAME", requires = "agent")]
    agent_name: Option<String>,
}

impl Contributor {
    /// Names who contributes in a request.
    pub(super) fn sign(&self, request: &mut Value) {
        let agent = self.agent.as_deref().unwrap_or(PERSON);
        request["agent_id"] = json!(agent);
        request["agent_name"] = json!(self.agent_name.as_deref().unwrap_or(agent));
    }
}

/// Who contributes a thought, and its labels.
#[derive(clap::Args)]
pub(super) struct Contribution {
    #[command(flatten)]
    pub(super) contributor: Contributor,
    /// A label; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(super) tags: Vec<String>,
}

/// Arguments of `thought list`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because thought list --tag kiln\n  because thought list --category domain_summary --json\n  because thought list --as-of 2026-03-01"
)]
struct ListArgs {
    /// Only with this tag; may be repeated, then with all of them
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only of this category
    #[arg(long, value_name = "TEXT")]
    category: Option<String>,
    /// Only by this contributor
    #[arg(long, value_name = "ID")]
    by: Option<String>,
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// How many; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    limit: usize,
}

/// Arguments of `thought show`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  because thought show 9f2c41d0-1b2c-8a3d-9e4f-5a6b7c8d9e0f")]
struct ShowArgs {
    /// Its UUID, its id, or the beginning of its id
    id: String,
}

/// Arguments of `thought refine`.
#[derive(clap::Args)]
#[command(
    after_help = "The new thought inherits half of the weight of the one that it refines.\n\nExample:\n  because thought refine 9f2c41d0 \"Eight hours, if the lid was warm.\""
)]
struct RefineArgs {
    /// The thought to refine
    id: String,
    /// The better text
    text: String,
    #[command(flatten)]
    contribution: Contribution,
}

/// Arguments of `thought combine`.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  because thought combine 9f2c41d0,77aa0c12 \"Both kilns take nine hours.\""
)]
struct CombineArgs {
    /// At least two thoughts, separated by commas
    #[arg(value_name = "ID,ID…")]
    ids: String,
    /// What they say together
    text: String,
    #[command(flatten)]
    contribution: Contribution,
}

/// Arguments of `thought history`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because thought history 9f2c41d0\n  because thought history 9f2c41d0 --depth 2 --as-of yesterday"
)]
struct HistoryArgs {
    /// The thought
    id: String,
    /// How many steps each way, at most 100
    #[arg(long, value_name = "N", default_value_t = DEPTH)]
    depth: u32,
    /// As of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
}

/// Arguments of `thought highways`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  because thought highways -n 20")]
struct HighwaysArgs {
    /// How many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
}

/// Arguments of `thought feedback`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  because thought feedback 9f2c41d0 useful")]
struct FeedbackArgs {
    /// The thought
    id: String,
    /// useful or wrong
    signal: String,
}

/// Arguments of `thought label`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  because thought label 9f2c41d0 --tag kiln --topic firing")]
struct LabelArgs {
    /// The thought
    id: String,
    /// A tag, in place of those that it has; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// A coarse label
    #[arg(long, value_name = "TEXT")]
    category: Option<String>,
    /// A finer label
    #[arg(long, value_name = "TEXT")]
    topic: Option<String>,
    /// none or removal
    #[arg(long, value_name = "WORD")]
    mark: Option<String>,
}

/// Arguments of `thought share`.
#[derive(clap::Args)]
#[command(
    after_help = "Only the key that wrote a thought shares it, and only once with each space. What it was made from stays behind.\n\nExample:\n  because thought share 9f2c41d0 --to ../team"
)]
struct ShareArgs {
    /// The thought
    id: String,
    /// The space to copy it into: a file, a folder with a .because in it, or `global`
    #[arg(long, value_name = "SPACE")]
    to: String,
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        matches!(
            self.action,
            Action::Refine(_) | Action::Combine(_) | Action::Label(_) | Action::Share(_)
        )
    }
}

/// Opens the space to think in.
pub(super) fn open(session: &CliSession, is_read: bool) -> Result<OpenedSpace, Failure> {
    match is_read {
        true => session.open(SpaceUse::Read),
        false => session.open_or_make(SpaceUse::Write(Capability::Append)),
    }
}

/// The person at the command line, or an agent for whom they ask, in one space.
pub(super) fn caller<'a>(
    session: &CliSession,
    space: &'a mut OpenedSpace,
    contributor: &Contributor,
) -> Result<Caller<'a>, Failure> {
    let agent = contributor.agent.as_deref().map(AgentId::of);
    let disclosure = agent.map(|agent| for_agent(session, space, &agent)).unwrap_or_default();
    let rights = Rights {
        may_append: space.may_append(session.now)?,
        may_correct: space.reader()?.may(&space.author(), Capability::Correct, session.now)?,
    };
    let (name, space) = (HERE.to_owned(), &mut space.space);
    let spaces =
        vec![CallerSpace { name, space, disclosure, rights, takes_short_ids: true, sealer: None }];
    Ok(Caller { spaces, now: session.now })
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::List(args) => list(session, args),
        Action::Show(args) => {
            let mut space = session.open(SpaceUse::Read)?;
            let mut caller = caller(session, &mut space, &Contributor::default())?;
            print_thought(session, &manage::show(&mut caller, &args.id)?)
        }
        Action::Refine(args) => {
            let request =
                json!({ "prompt": args.text, "refines": args.id, "tags": args.contribution.tags });
            think::post(session, &args.contribution.contributor, request)
        }
        Action::Combine(args) => {
            let ids = args.ids.split(',').map(str::trim).filter(|id| !id.is_empty());
            let ids: Vec<&str> = ids.collect();
            let request =
                json!({ "prompt": args.text, "consolidates": ids, "tags": args.contribution.tags });
            think::post(session, &args.contribution.contributor, request)
        }
        Action::History(args) => history(session, args),
        Action::Highways(args) => highways(session, args),
        Action::Domains => domains(session),
        Action::Feedback(args) => feedback(session, args),
        Action::Label(args) => label(session, args),
        Action::Share(args) => share(session, args),
    }
}

fn list(session: &CliSession, args: &ListArgs) -> Result<u8, Failure> {
    let filter = ThoughtFilter {
        tags: args.tag.clone(),
        category: args.category.clone(),
        contributor_id: args.by.clone(),
        as_of_us: session.times().recorded_us(args.as_of.as_deref())?,
        limit: if args.limit == 0 { usize::MAX } else { args.limit },
    };
    let mut space = session.open(SpaceUse::Read)?;
    let mut caller = caller(session, &mut space, &Contributor::default())?;
    let listed = manage::list(&mut caller, None, &filter)?;
    match session.form {
        Form::Json => listed.iter().try_for_each(|view| output::json(&view_to_json(view)))?,
        Form::Text if listed.is_empty() => output::line("No thought matches.")?,
        Form::Text => listed.iter().try_for_each(print_view)?,
    }
    Ok(0)
}

fn history(session: &CliSession, args: &HistoryArgs) -> Result<u8, Failure> {
    let as_of_us = session.times().recorded_us(args.as_of.as_deref())?;
    let depth = parse_depth(Some(&args.depth.to_string()))?;
    let mut space = session.open(SpaceUse::Read)?;
    let mut caller = caller(session, &mut space, &Contributor::default())?;
    let lineage = manage::lineage(&mut caller, &args.id, depth, as_of_us)?;
    if session.form == Form::Json {
        output::json(&lineage)?;
        return Ok(0);
    }
    for node in &lineage.chain {
        output::line(format_args!(
            "{:>4}  {}  {DIM}{} by {}{DIM:#}  {ID}{}{ID:#}",
            node.depth,
            printable(&node.content_preview),
            node.thought_type,
            printable(&node.contributor),
            node.thought_id
        ))?;
    }
    if lineage.truncated {
        output::line(format_args!("{DIM}There is more beyond this depth.{DIM:#}"))?;
    }
    Ok(0)
}

fn highways(session: &CliSession, args: &HighwaysArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Read)?;
    let mut caller = caller(session, &mut space, &Contributor::default())?;
    let highways = manage::highways(&mut caller, None, args.limit)?;
    if session.form == Form::Json {
        highways.iter().try_for_each(output::json)?;
        return Ok(0);
    }
    if highways.is_empty() {
        output::line("No thought was shown three times to two agents yet.")?;
    }
    for highway in &highways {
        output::line(format_args!(
            "{}  {DIM}{} accesses, {} agents{DIM:#}  {ID}{}{ID:#}",
            printable(&highway.content_preview),
            highway.accesses,
            highway.agents,
            highway.thought_id
        ))?;
    }
    Ok(0)
}

fn domains(session: &CliSession) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Read)?;
    let mut caller = caller(session, &mut space, &Contributor::default())?;
    let listed = manage::domains(&mut caller, None)?;
    if session.form == Form::Json {
        output::json(&listed)?;
        return Ok(0);
    }
    if listed.domains.is_empty() {
        output::line("No thought sums up a topic yet.")?;
    }
    for domain in &listed.domains {
        output::line(format_args!(
            "{}  {DIM}{}{DIM:#}  {ID}{}{ID:#}",
            printable(&domain.topic),
            printable(&domain.content_preview),
            domain.thought_id
        ))?;
    }
    Ok(0)
}

fn feedback(session: &CliSession, args: &FeedbackArgs) -> Result<u8, Failure> {
    let request = FeedbackRequest::parse(json!({
        "session_id": PERSON, "thought_id": args.id, "signal": args.signal,
    }))?;
    let mut space = session.open(SpaceUse::Read)?;
    let mut caller = caller(session, &mut space, &Contributor::default())?;
    let answer = manage::feedback(&mut caller, &request)?;
    match session.form {
        Form::Json => output::json(&answer)?,
        Form::Text => {
            output::line(format_args!("Its weight is {:.2} now", answer.pheromone_weight))?;
        }
    }
    Ok(0)
}

fn label(session: &CliSession, args: &LabelArgs) -> Result<u8, Failure> {
    let labels = LabelRequest::parse(json!({
        "category": args.category,
        "topic": args.topic,
        "tags": Some(&args.tags).filter(|tags| !tags.is_empty()),
        "mark": args.mark,
    }))?;
    let mut space = session.open(SpaceUse::Write(Capability::Append))?;
    let mut caller = caller(session, &mut space, &Contributor::default())?;
    print_thought(session, &manage::label(&mut caller, &args.id, labels)?)
}

fn share(session: &CliSession, args: &ShareArgs) -> Result<u8, Failure> {
    let to = parse_share(json!({ "space": args.to }))?;
    let other = crate::service::Session { spaces: vec![to], ..(**session).clone() };
    let mut space = session.open(SpaceUse::Write(Capability::Append))?;
    let mut target = other.open(SpaceUse::Write(Capability::Append))?;
    let mut sharing = caller(session, &mut space, &Contributor::default())?;
    let mut into = caller(session, &mut target, &Contributor::default())?;
    /// The name of the space that it is copied into.
    const THERE: &str = "there";
    if let Some(mut into) = into.spaces.pop() {
        into.name = THERE.to_owned();
        sharing.spaces.push(into);
    }
    let copy = manage::share(&mut sharing, &args.id, THERE)?;
    match session.form {
        Form::Json => output::json(&copy)?,
        Form::Text => output::line(format_args!("Copied as {ID}{}{ID:#}", copy.thought_id))?,
    }
    Ok(0)
}

/// A thought as `thought list` prints it.
fn print_view(view: &ThoughtView) -> Result<(), Failure> {
    output::line(format_args!(
        "{}  {DIM}{}{DIM:#}  {ID}{}{ID:#}",
        printable(&preview(&view.content)),
        printable(&view.contributor),
        view.uuid()
    ))
}

/// A line about a thought that recall found.
pub(super) fn print_found(found: &FoundThought) -> Result<(), Failure> {
    print_view(&found.thought)
}

/// A line about a thought that answers.
pub(super) fn print_source(source: &ThoughtSource, is_full: bool) -> Result<(), Failure> {
    let text = match &source.content {
        Some(content) if is_full => content,
        _ => &source.content_preview,
    };
    let mark = match (source.corrected_by, source.superseded) {
        (Some(_), _) => " (corrected)",
        (None, true) => " (refined)",
        (None, false) => "",
    };
    output::line(format_args!(
        "{:.2}  {}{mark}  {DIM}{}{DIM:#}  {ID}{}{ID:#}",
        source.score,
        printable(text),
        printable(&source.contributor),
        source.thought_id
    ))
}

fn print_thought(session: &CliSession, answer: &ThoughtAnswer) -> Result<u8, Failure> {
    if session.form == Form::Json {
        output::json(answer)?;
        return Ok(0);
    }
    output::line(format_args!("{}  {ID}{}{ID:#}", printable(&answer.content), answer.thought_id))?;
    let uuids = |ids: &[engine::thought::uuid::ThoughtUuid]| {
        ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let one = |id: Option<engine::thought::uuid::ThoughtUuid>| {
        id.map(|id| id.to_string()).unwrap_or_default()
    };
    for (name, value) in [
        ("type", answer.thought_type.to_owned()),
        ("by", answer.contributor_name.clone()),
        ("at", answer.created_at.clone()),
        ("context", answer.context.clone().unwrap_or_default()),
        ("tags", answer.tags.join(", ")),
        ("category", answer.category.clone().unwrap_or_default()),
        ("topic", answer.topic.clone().unwrap_or_default()),
        ("made from", uuids(&answer.source_ids)),
        ("refined by", one(answer.refined_by)),
        ("corrected by", one(answer.corrected_by)),
        ("weight", format!("{:.2}", answer.pheromone_weight)),
        ("accesses", format!("{} by {} agents", answer.access_count, answer.accessed_by)),
    ] {
        if !value.is_empty() {
            output::line(format_args!("  {name:<12} {}", printable(&value)))?;
        }
    }
    Ok(0)
}
