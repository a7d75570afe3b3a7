//! `because recall`

use engine::owner::SpaceOwner;
use engine::recall::past::Over;
use engine::recall::receipts::Recipient;
use kernel::evidence::Visibility;
use retrieval::rank::relevance::RELEVANCE_MIN;
use serde_json::{Value, json};
use store::sqlite::Filter;

use super::episodes::{Detail, SpaceShown};
use super::{CliSession, claims, embedding, episodes, facts, graph, print_owner, thoughts};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, printable};
use crate::service::agents::AgentId;
use crate::service::disclosure::{Audience, of_spaces};
use crate::service::effective::{EffectiveView, ReadScope};
use crate::service::query_embedding::EmbedderPool;
use crate::service::recall::{
    RecallAnswer, RecallRequest, ReceiptPolicy, SearchScope, SearchedSpace, limit_journal, recall,
};
use crate::service::thoughts::answer::found_to_json;

/// Most facts shown above records.
const FACTS_BESIDE_MAX: usize = 3;

/// Arguments of `recall`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because recall \"Which glaze did Idris recommend?\"\n  because recall --kind event --since 2025-02-01 \"pottery class\"\n  because recall --since \"last week\" \"glaze\"\n  because recall 9d905d543\n  because recall --path crates/core \"memory map\"\n  because recall --explain \"Who is allergic to walnuts?\"\n  because recall --search facts \"which evenings are taken?\"\n  because recall --space global --space . --json \"kiln temperature\""
)]
pub(crate) struct Args {
    /// The question, or words to look for
    question: String,
    /// How many records; above them at most three facts, or as many with --search facts
    #[arg(long, short, visible_alias = "limit", visible_short_alias = 'n', default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    k: u16,
    /// Only this kind (turn, event, task, cancellation, note, photo, mail, commit; thought_action
    /// for what agents thought); may be repeated
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Only what happened at this time or later (2025-02-01, 2025, yesterday, 3 days ago …)
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what happened before this time; a year, month or week is included (2025-02, last week
    /// …)
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only commits that changed this file or folder; may be repeated
    #[arg(long, value_name = "PATH")]
    path: Vec<String>,
    /// What is read, if no space is named
    #[arg(long, value_enum, default_value_t = graph::ScopeName::Effective)]
    scope: graph::ScopeName,
    /// Only records with this visibility: private, project (its space) or global; may be repeated
    #[arg(long, value_name = "WHO", value_parser = visibility)]
    visibility: Vec<Visibility>,
    /// What to search: beliefs (facts), records (episodes), both, or nodes and
    /// thoughts (nodes) [default: both; records
    /// only with --kind, --path, --since or --until]
    #[arg(long, value_name = "WHAT", value_enum)]
    search: Option<ScopeName>,
    /// Memory as of this time: records and beliefs from what was recorded until then (2025-02-01,
    /// 2025, yesterday, 3 days ago …)
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Only facts that are true at this time
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
    /// Records to show before and after each, from the same session
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10))]
    around: u32,
    /// Relevance, 0 to 1, below which the results are marked as only the nearest
    #[arg(long, value_name = "CHANCE", default_value_t = RELEVANCE_MIN, value_parser = chance)]
    min_relevance: f64,
    /// Also what is around the facts and nodes found: records and the edges between them
    #[arg(long)]
    graph: bool,
    /// Print every component of each score
    #[arg(long)]
    explain: bool,
    /// The agent who asks; a receipt is kept of what it is shown
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The agent's conversation
    #[arg(long, value_name = "NAME", requires = "agent")]
    session: Option<String>,
}

fn visibility(text: &str) -> Result<Visibility, String> {
    match text {
        "private" => Ok(Visibility::Private),
        "project" => Ok(Visibility::Project),
        "global" => Ok(Visibility::Global),
        _ => Err("not private, project or global".to_owned()),
    }
}

fn chance(text: &str) -> Result<f64, String> {
    let chance: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&chance) { Ok(chance) } else { Err("not between 0 and 1".to_owned()) }
}

/// What is searched.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ScopeName {
    /// What is believed
    Facts,
    /// Records: turns, notes, events
    Episodes,
    /// Both
    Both,
    /// Decisions, actions, summaries, entities, and thoughts
    Nodes,
}

impl ScopeName {
    fn scope(self) -> SearchScope {
        match self {
            Self::Facts => SearchScope::Facts,
            Self::Episodes => SearchScope::Episodes,
            Self::Both => SearchScope::Both,
            Self::Nodes => SearchScope::Nodes,
        }
    }
}

impl Args {
    /// Whether options leave only some of what memory has.
    fn filters(&self) -> bool {
        let lists = [self.kind.is_empty(), self.path.is_empty(), self.visibility.is_empty()];
        let times = [&self.since, &self.until, &self.as_of, &self.valid_at];
        lists.contains(&false) || times.iter().any(|time| time.is_some())
    }

    fn request(&self, session: &CliSession) -> Result<RecallRequest<'_>, Failure> {
        let times = session.times();
        let time = |text: &Option<String>| times.start_if_given_us(text.as_deref());
        let (since_us, until_us) = times.window_us(self.since.as_deref(), self.until.as_deref())?;
        let filter = Filter {
            kinds: self.kind.clone(),
            since_us,
            until_us,
            paths: self.path.clone(),
            as_of_us: times.recorded_us(self.as_of.as_deref())?,
            visibilities: self.visibility.clone(),
        };
        let named = self.search.map(ScopeName::scope);
        let reader = self.agent.as_deref().map(|agent| {
            (Recipient { agent, session: self.session.as_deref() }, ReceiptPolicy::Always)
        });
        Ok(RecallRequest {
            scope: named.unwrap_or_else(|| SearchScope::implied_by(&filter)),
            facts_beside_max: FACTS_BESIDE_MAX,
            filter,
            valid_at_us: time(&self.valid_at)?,
            neighbours: self.around,
            // An agent could take a past belief as current; a person sees that it is over.
            over: if self.agent.is_some() { Over::OnlyIfPast } else { Over::IncludeDerived },
            with_graph: self.graph,
            reader,
            ..RecallRequest::new(&self.question, usize::from(self.k))?
        })
    }

    fn detail(&self) -> Detail {
        if self.explain { Detail::Explained } else { Detail::Brief }
    }
}

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let request = args.request(session)?;
    let scope = ReadScope::from(args.scope);
    let (mut spaces, mut home) = if session.spaces.is_empty() || scope == ReadScope::Global {
        let EffectiveView { own, home, .. } = session.open_effective(scope)?;
        (vec![own], home)
    } else {
        (session.open_all()?, None)
    };
    let described: Vec<SpaceDescribed> = spaces
        .iter()
        .chain(&home)
        .map(|space| Ok(SpaceDescribed { name: space.name()?, owner: space.owner.clone() }))
        .collect::<Result<_, Failure>>()?;
    if args.agent.is_some() {
        spaces.iter().for_each(|space| limit_journal(session, space));
    }
    let agent = args.agent.as_deref().map(AgentId::of);
    let names_private = args.visibility.contains(&Visibility::Private);
    let audience = Audience { agent: agent.as_ref(), names_private };
    let disclosures = of_spaces(session, spaces.iter().map(|opened| &opened.space), &audience)?;
    let mut spaces: Vec<SearchedSpace<'_>> = spaces
        .iter_mut()
        .zip(disclosures)
        .map(|(opened, disclosure)| SearchedSpace::new(&mut opened.space, disclosure))
        .collect();
    if let Some(home) = &mut home {
        spaces.push(SearchedSpace::under_first(session, &mut home.space)?);
    }
    let answer = recall(session, &mut EmbedderPool::default(), &mut spaces, &request)?;
    for _ in 0..answer.receipts_missing {
        output::note(
            "The journal cannot be written now, or the space is read-only; no receipt was written",
        );
    }
    if !answer.unknown_kinds.is_empty() {
        output::note(format_args!(
            "No record has the kind {}; the kinds are: {}",
            list(&answer.unknown_kinds),
            list(&answer.known_kinds)
        ));
    }
    match session.form {
        Form::Json => output::json(&to_json(args, &described, &answer))?,
        Form::Text => {
            print(session, args, &described, &answer)?;
            answer.embedding.iter().for_each(embedding::note_fallback);
        }
    }
    Ok(0)
}

fn list<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let words: Vec<&str> = words.into_iter().map(String::as_str).collect();
    printable(&words.join(", "))
}

/// A space that was searched, as it is named beside its results.
struct SpaceDescribed {
    name: String,
    /// Its owner, if it is somebody else's.
    owner: Option<SpaceOwner>,
}

fn to_json(args: &Args, spaces: &[SpaceDescribed], answer: &RecallAnswer) -> Value {
    let describe = |value: &mut Value, place: usize| {
        let space = spaces.get(place);
        value["space"] = json!(space.map(|space| &space.name));
        value["owner"] = json!(space.and_then(|space| space.owner.as_ref()));
    };
    let facts = answer.facts.iter().map(|found| {
        let mut value = engine::recall::facts::to_json(&found.item);
        describe(&mut value, found.space);
        let owner = spaces.get(found.space).and_then(|space| space.owner.as_ref());
        claims::describe_owner(&mut value, owner);
        value
    });
    let results = answer.episodes.iter().map(|found| {
        let mut value = serde_json::to_value(&found.item).unwrap_or_default();
        describe(&mut value, found.space);
        value
    });
    let nodes = answer.nodes.iter().map(|found| {
        let mut value = json!(found.item.record);
        value["similarity"] = json!(found.item.similarity);
        value["score"] = json!(found.item.score);
        describe(&mut value, found.space);
        value
    });
    let thoughts = answer.thoughts.iter().map(|found| {
        let mut value = found_to_json(&found.item);
        describe(&mut value, found.space);
        value
    });
    let graphs = answer.graphs.iter().map(|found| {
        let mut value = json!(found.item);
        describe(&mut value, found.space);
        value
    });
    let mut value = json!({
        "question": answer.question,
        "facts": facts.collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
        "thoughts": thoughts.collect::<Vec<_>>(),
        "graphs": graphs.collect::<Vec<_>>(),
        "results": results.collect::<Vec<_>>(),
        "relevance": answer.relevance,
        "abstains": answer.abstains(args.min_relevance),
        "behind": answer.behind,
        "altered": answer.altered,
        "embedder": answer.embedding.as_ref().map(embedding::to_json),
    });
    if args.agent.is_some() {
        value["receipts"] = json!(answer.receipts);
    }
    value
}

fn print(
    session: &CliSession,
    args: &Args,
    spaces: &[SpaceDescribed],
    answer: &RecallAnswer,
) -> Result<(), Failure> {
    let RecallAnswer { facts, nodes, thoughts, graphs, episodes, behind, altered, .. } = answer;
    spaces.iter().try_for_each(|space| print_owner(space.owner.as_ref()))?;
    if episodes.is_empty() && facts.is_empty() && nodes.is_empty() && thoughts.is_empty() {
        output::line(match answer.scope {
            _ if args.filters() => {
                "Nothing that these filters leave shares a word or a date with this question."
            }
            SearchScope::Nodes => "No node or thought shares a word with this question.",
            SearchScope::Facts => "No belief shares a word or a date with this question.",
            _ => "Nothing in memory shares a word or a date with this question.",
        })?;
    }
    let shown = |place: usize| {
        let space = spaces.get(place);
        SpaceShown {
            // The name of the space that one is in is not needed.
            name: space
                .filter(|_| spaces.len() > 1 && (place > 0 || !session.spaces.is_empty()))
                .map(|space| space.name.as_str()),
            owner: space.and_then(|space| space.owner.as_ref()),
        }
    };
    if !facts.is_empty() {
        output::line(format_args!("{BOLD}Facts{BOLD:#}"))?;
    }
    for found in facts {
        facts::print(session, shown(found.space), &found.item, args.detail())?;
    }
    if !episodes.is_empty() && !facts.is_empty() {
        output::line(format_args!("{BOLD}Records{BOLD:#}"))?;
    }
    if answer.abstains(args.min_relevance) && !episodes.is_empty() && facts.is_empty() {
        output::line(format_args!(
            "{DIM}Nothing in memory seems to answer this; the nearest:{DIM:#}"
        ))?;
    }
    for (number, found) in (1..).zip(episodes) {
        episodes::print(session, number, shown(found.space), &found.item, args.detail())?;
    }
    nodes.iter().try_for_each(|found| graph::print_record(&found.item.record, ""))?;
    thoughts.iter().try_for_each(|found| thoughts::print_found(&found.item))?;
    for found in graphs {
        output::line(format_args!("{BOLD}Around it{BOLD:#}"))?;
        graph::print_around(&found.item)?;
    }
    output::note_altered(altered);
    if *behind > 0 {
        output::note(format_args!(
            "{DIM}{behind} operations are not indexed yet, because the space cannot be written{DIM:#}"
        ));
    }
    Ok(())
}
