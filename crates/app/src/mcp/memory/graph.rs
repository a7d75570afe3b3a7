//! `graph`, `why` and `review`: what is in the graph of claims and nodes, what accounts for
//! something, and what waits for the user's decision.

use std::collections::BTreeSet;

use engine::EngineError;
use engine::belief::claims::{ClaimFilter, States};
use engine::belief::review::Status;
use engine::graph::{EdgeFilter, NodeFilter, RecordKey, Subgraph, SubgraphLimits, VALUES_RAW};
use engine::inspect::summary;
use engine::recall::facts::{ACTIVE_CONFIDENCE_MIN, FactQuery};
use engine::why::{Candidate, Why as Answer, WhyLimits};
use engine::write::graph::{GraphChange, Reference};
use kernel::body::{Body, EdgeType, NodeType};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use kernel::records::RecordStatus;
use kernel::validity::State;

use super::{Answered, Memory, within};
use crate::failure::{Failure, RequestError};
use crate::mcp::graph_answers::{
    GraphEdge, GraphFound, GraphRecord, Queue, Waiting, WhyAnswered, WhyGround, WhyTarget,
};
use crate::mcp::graph_arguments::{Graph, ListedStatus, Listing, Review, Why};
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::service::Session;
use crate::service::disclosure::for_agent;
use crate::service::effective::{EffectiveView, Scope, Scoped};
use crate::service::why as service;
use crate::service::wording::shortened;

/// Items by default, and at most.
const LIMIT: u32 = 20;
const LIMIT_MAX: u32 = 100;
/// Edges between what was looked for and what is furthest from it, at most.
const DEPTH_MAX: u32 = 3;
/// Most ids that a subgraph is asked around.
const ROOTS_MAX: usize = 50;
/// Records that `why` lists of each sort.
const GROUNDS_MAX: usize = 40;
/// Entries of the queue in an answer, and changes named for each.
const QUEUE_MAX: usize = 40;
const CHANGES_MAX: usize = 20;
/// Candidates of `why`, at most.
const CANDIDATES_MAX: u32 = engine::why::CANDIDATES_MAX as u32;

/// The times of a request.
#[derive(Clone, Copy)]
struct Times {
    as_of_us: Option<u64>,
    valid_at_us: Option<i64>,
}

impl Times {
    fn of(
        session: &Session,
        as_of: Option<&str>,
        valid_at: Option<&str>,
    ) -> Result<Self, RequestError> {
        Ok(Self {
            as_of_us: session.times().recorded_us(as_of)?,
            valid_at_us: session.times().start_if_given_us(valid_at)?,
        })
    }
}

/// What was found, before it is put in words.
#[derive(Default)]
struct Found {
    records: Vec<GraphRecord>,
    edges: Vec<GraphEdge>,
    more: bool,
}

impl Memory {
    pub(super) fn graph(
        &mut self,
        session: &Session,
        arguments: Graph,
        program: Option<&str>,
    ) -> Result<Answered, Failure> {
        let times = Times::of(session, arguments.as_of.as_deref(), arguments.valid_at.as_deref())?;
        let limit = within("limit", arguments.limit.unwrap_or(LIMIT), 1, LIMIT_MAX)? as usize;
        let depth = within("depth", arguments.depth.unwrap_or(1), 1, DEPTH_MAX)? as usize;
        let around = arguments.around.as_deref().unwrap_or_default();
        let number = u32::try_from(around.len()).unwrap_or(u32::MAX);
        within("around", number, 0, ROOTS_MAX as u32)?;
        if arguments.query.as_ref().is_some_and(|query| query.trim().is_empty()) {
            return Err(RequestError::EmptyQuestion.into());
        }
        let reader = self.reader_id(program);
        let open = self.opened.readable(session)?;
        let whose = open.whose();
        open.spaces.shown = for_agent(session, &open.spaces.own, &reader);
        let spaces = &open.spaces;
        let found = if arguments.query.is_none() && around.is_empty() {
            list(session, spaces, &arguments, times, limit)?
        } else {
            let looked_for = LookedFor { query: arguments.query.as_deref(), ids: around };
            subgraphs(session, spaces, &looked_for, times, (depth, limit))?
        };
        let Found { mut records, edges, more } = found;
        // Values as they were given are for audits by the user.
        records.retain(|record| !record.tags.iter().any(|tag| tag == VALUES_RAW));
        let ids: Vec<OpId> = records.iter().filter_map(|record| record.id.parse().ok()).collect();
        let answer = GraphFound { reading: READING_STRUCTURED, records, edges, more, whose };
        self.conversations.note_shown(ids);
        Answered::new(graph_in_words(&answer), &answer)
    }

    pub(super) fn why(
        &mut self,
        session: &Session,
        arguments: &Why,
        program: Option<&str>,
    ) -> Result<Answered, Failure> {
        let Why { name, as_of, valid_at, limit } = arguments;
        let times = Times::of(session, as_of.as_deref(), valid_at.as_deref())?;
        let top_k = match limit {
            Some(limit) => within("limit", *limit, 1, CANDIDATES_MAX)? as usize,
            None => engine::why::CANDIDATES,
        };
        let reader = self.reader_id(program);
        let open = self.opened.readable(session)?;
        let whose = open.whose();
        open.spaces.shown = for_agent(session, &open.spaces.own, &reader);
        let scope = open.spaces.scope_of(name)?;
        let as_of_us = times.as_of_us.and_then(|at| i64::try_from(at).ok());
        let limits = WhyLimits {
            top_k,
            as_of_us: service::past(session, as_of_us),
            valid_at_us: times.valid_at_us,
            disclosure: open.spaces.disclosure(scope),
            ..WhyLimits::new(session.now)
        };
        let space = open.spaces.space(scope);
        let mut why = match service::target(space, name, &limits)? {
            Some(target) => Some(space.why(&target, &limits)?),
            None => None,
        };
        if let (Some(why), Some(owner)) = (&mut why, &space.owner) {
            service::attribute(why, owner);
        }
        let answer = why_answered(why.as_ref(), scope, whose);
        Answered::new(why_in_words(&answer), &answer)
    }

    pub(super) fn review(
        &mut self,
        session: &Session,
        arguments: &Review,
        program: Option<&str>,
    ) -> Result<Answered, Failure> {
        let all = arguments.all.unwrap_or(false);
        let reader = self.reader_id(program);
        let open = self.opened.readable(session)?;
        let whose = open.whose();
        let space = &open.spaces.own;
        let disclosure = for_agent(session, space, &reader);
        let is_listed = |status: Status| all || status == Status::Pending;
        let mut queue: Vec<(HlcTimestamp, OpId, Waiting)> = Vec::new();
        for patch in space.patches()?.into_iter().filter(|patch| is_listed(patch.status)) {
            let changes = patch.changes.iter().map(|change| words_of(&change.change));
            let waiting = Waiting {
                id: patch.id.to_string(),
                kind: "patch",
                text: patch.text,
                by: Some(patch.origin),
                at: session.time(patch.at),
                status: patch.status.as_str(),
                changes: changes.take(CHANGES_MAX).collect(),
            };
            queue.push((patch.at, patch.id, waiting));
        }
        for change in space.proposed_changes()?.into_iter().filter(|it| is_listed(it.status)) {
            let mut changes = Vec::new();
            for draft in change.operations.iter().take(CHANGES_MAX) {
                changes.push(match &draft.body {
                    Body::Claim(claim) => format!("states: {}", shortened(&claim.text)),
                    body => {
                        let target = draft.refs.first().map(|cited| space.show(&cited.id));
                        let target = target.transpose()?;
                        let said = target.map(|shown| shortened(&summary(&shown.operation)));
                        format!("{} of: {}", body.kind(), said.unwrap_or_default())
                    }
                });
            }
            let waiting = Waiting {
                id: change.id.to_string(),
                kind: "proposal",
                text: change.text,
                by: Some(change.origin),
                at: session.time(change.at),
                status: change.status.as_str(),
                changes,
            };
            queue.push((change.at, change.id, waiting));
        }
        for review in space.reviews()?.into_iter().filter(|review| is_listed(review.status)) {
            let waiting = Waiting {
                id: review.id.to_string(),
                kind: "correction",
                text: review.question.identity_key.clone(),
                by: None,
                at: session.time(review.at),
                status: review.status.as_str(),
                changes: Some(review.text).filter(|text| !text.is_empty()).into_iter().collect(),
            };
            queue.push((review.at, review.id, waiting));
        }
        let ids: Vec<OpId> = queue.iter().map(|(_, id, _)| *id).collect();
        let withheld = space.withheld_among(&ids, disclosure)?;
        queue.retain(|(_, id, _)| !withheld.contains(id));
        queue.sort_by_key(|(at, id, _)| std::cmp::Reverse((*at, *id)));
        let more = queue.len().saturating_sub(QUEUE_MAX) as u64;
        let waiting = queue.into_iter().take(QUEUE_MAX).map(|(_, _, waiting)| waiting).collect();
        let answer = Queue { reading: READING_STRUCTURED, waiting, more, whose };
        Answered::new(queue_in_words(&answer), &answer)
    }
}

/// A list of claims, nodes or edges.
fn list(
    session: &Session,
    spaces: &EffectiveView,
    asked: &Graph,
    times: Times,
    limit: usize,
) -> Result<Found, Failure> {
    let Times { as_of_us, valid_at_us } = times;
    let status = asked.status.unwrap_or_default();
    let (tags, contains) = (asked.tags.clone().unwrap_or_default(), asked.contains.clone());
    let all = status == ListedStatus::Any;
    let mut found = Found::default();
    match asked.list.unwrap_or_default() {
        Listing::Claims => {
            let now_us = session.now.as_microsecond();
            let then_us = as_of_us.and_then(|at| i64::try_from(at).ok()).unwrap_or(now_us);
            let filter = ClaimFilter {
                states: states(status),
                displaced: status.status().into_iter().filter(|it| it.is_displaced()).collect(),
                tags,
                claim_type: asked.record_type.clone(),
                valid_at_us,
                contains,
                as_of_us,
                not_over_at_us: valid_at_us.is_none().then_some(then_us.min(now_us)),
                confidence_min: Some(ACTIVE_CONFIDENCE_MIN),
                ..ClaimFilter::default()
            };
            let listed = spaces.claims(session, &filter, limit)?;
            found.more = listed.counts.total > listed.beliefs.len() + listed.counts.altered.len();
            let records = listed.beliefs.iter().filter_map(|Scoped { scope, item }| {
                GraphRecord::of_belief(item, *scope, spaces.owner(*scope))
            });
            found.records = records.collect();
        }
        Listing::Nodes => {
            let filter = NodeFilter {
                types: typed::<NodeType>(asked.record_type.as_deref())?,
                statuses: status.status().into_iter().collect(),
                all,
                tags,
                contains,
                valid_at_us,
                as_of_us,
                ..NodeFilter::default()
            };
            let listed = spaces.nodes(&filter, limit)?;
            found.more = listed.more;
            let records = listed
                .items
                .iter()
                .map(|Scoped { scope, item }| GraphRecord::of(item, *scope, spaces.owner(*scope)));
            found.records = records.collect();
        }
        Listing::Edges => {
            let filter = EdgeFilter {
                types: typed::<EdgeType>(asked.record_type.as_deref())?,
                statuses: status.status().into_iter().collect(),
                all,
                contains,
                valid_at_us,
                as_of_us,
                ..EdgeFilter::default()
            };
            let of_space = |_: &engine::Space, disclosure| {
                Ok(Some(EdgeFilter { disclosure, ..filter.clone() }))
            };
            let listed = spaces.edges(of_space, limit)?;
            found.more = listed.more;
            let edges =
                listed.items.iter().map(|Scoped { scope, item }| GraphEdge::of(item, *scope));
            found.edges = edges.collect();
        }
    }
    Ok(found)
}

impl ListedStatus {
    /// The status of a record; none for any.
    fn status(self) -> Option<RecordStatus> {
        Some(match self {
            Self::Active => RecordStatus::Active,
            Self::Superseded => RecordStatus::Superseded,
            Self::Alias => RecordStatus::Alias,
            Self::Retracted => RecordStatus::Retracted,
            Self::Invalidated => RecordStatus::Invalidated,
            Self::Refuted => RecordStatus::Refuted,
            Self::Any => return None,
        })
    }
}

/// The states of beliefs; what edges displace has none.
fn states(status: ListedStatus) -> States {
    match status {
        ListedStatus::Active => States::Believed,
        ListedStatus::Superseded | ListedStatus::Alias => States::These(Vec::new()),
        ListedStatus::Retracted => States::These(vec![State::Retracted]),
        ListedStatus::Invalidated => States::These(vec![State::Invalidated]),
        ListedStatus::Refuted => States::These(vec![State::Refuted]),
        ListedStatus::Any => States::Any,
    }
}

fn typed<T: std::str::FromStr<Err: std::fmt::Display>>(
    name: Option<&str>,
) -> Result<Vec<T>, RequestError> {
    let parse = |name: &str| {
        name.parse()
            .map_err(|error: T::Err| RequestError::UnknownType { detail: error.to_string() })
    };
    name.map(parse).transpose().map(|parsed| parsed.into_iter().collect())
}

/// What a subgraph is looked for by.
struct LookedFor<'a> {
    query: Option<&'a str>,
    ids: &'a [String],
}

/// What is around hits and ids, in the project's space and in the home space under it.
fn subgraphs(
    session: &Session,
    spaces: &EffectiveView,
    looked_for: &LookedFor<'_>,
    times: Times,
    (depth, limit): (usize, usize),
) -> Result<Found, Failure> {
    let mut roots: Vec<(Scope, OpId)> = Vec::new();
    for name in looked_for.ids {
        let Scoped { scope, item } = spaces.resolve(name)?.1;
        roots.push((scope, item));
    }
    let home = spaces.home.as_ref().map(|_| Scope::Global);
    let mut found = Found::default();
    for scope in std::iter::once(spaces.scope).chain(home) {
        let (space, disclosure) = (spaces.space(scope), spaces.disclosure(scope));
        let is_under = scope != spaces.scope;
        let mut ids: Vec<OpId> =
            roots.iter().filter(|(of, _)| *of == scope).map(|(_, id)| *id).collect();
        if let Some(query) = looked_for.query {
            let query = FactQuery {
                limit,
                today: Some(session.today()),
                as_of_us: times.as_of_us,
                valid_at_us: times.valid_at_us,
                visibilities: disclosure.visibilities(),
                ..FactQuery::new(query, session.now)
            };
            ids.extend(space.recall_facts(&query)?.facts.iter().map(|fact| fact.id));
            ids.extend(space.recall_nodes(&query)?.iter().map(|node| node.record.id));
        }
        let limits = SubgraphLimits {
            depth,
            nodes: limit,
            edges: limit.saturating_mul(2),
            as_of_us: times.as_of_us,
            valid_at_us: times.valid_at_us,
            disclosure,
        };
        let around = space.subgraph(&ids, &limits)?;
        let around = if is_under { unhidden(spaces, around, times.as_of_us)? } else { around };
        found.more |= around.cut;
        let owner = spaces.owner(scope);
        found.records.extend(around.records.iter().map(|it| GraphRecord::of(it, scope, owner)));
        found.edges.extend(around.edges.iter().map(|edge| GraphEdge::of(edge, scope)));
    }
    found.more |= found.records.len() > limit;
    found.records.truncate(limit);
    // An edge is only shown with its ends, if these are records.
    let left: BTreeSet<&str> = found.records.iter().map(|record| record.id.as_str()).collect();
    found.edges.retain(|edge| left.contains(edge.from.as_str()) || left.contains(edge.to.as_str()));
    Ok(found)
}

/// What of the home space's graph the project does not have in its own words.
fn unhidden(
    spaces: &EffectiveView,
    mut around: Subgraph,
    as_of_us: Option<u64>,
) -> Result<Subgraph, EngineError> {
    let keys: Vec<RecordKey> = around.records.iter().map(RecordKey::of_record).collect();
    let mut hides = spaces.own.hides_records(&keys, as_of_us)?.into_iter();
    let mut hidden = BTreeSet::new();
    around.records.retain(|record| {
        let is_hidden = hides.next().unwrap_or(false);
        if is_hidden {
            hidden.insert(record.id);
        }
        !is_hidden
    });
    around.edges.retain(|edge| !hidden.contains(&edge.from) && !hidden.contains(&edge.to));
    Ok(around)
}

fn why_answered(
    why: Option<&Answer>,
    scope: Scope,
    whose: crate::mcp::whose::Whose,
) -> WhyAnswered {
    let records = |is_chosen: bool| {
        let found = why.into_iter().flat_map(|why| &why.candidates);
        let walked = why.into_iter().flat_map(|why| &why.walked);
        let all: Vec<&Candidate> = match is_chosen {
            true => walked.filter(|found| found.chosen).collect(),
            false => found.filter(|found| !found.chosen).collect(),
        };
        let shown = all.into_iter().take(GROUNDS_MAX);
        shown.map(|found| GraphRecord::of_candidate(found, scope)).collect()
    };
    let support = why.and_then(|why| why.support.as_ref());
    let evidence = why.into_iter().flat_map(|why| &why.evidence).take(GROUNDS_MAX);
    let status = why.map(|why| serde_json::to_value(why.status).unwrap_or_default());
    let status = status.and_then(|status| status.as_str().map(str::to_owned));
    WhyAnswered {
        reading: READING_STRUCTURED,
        status: status.unwrap_or_else(|| "insufficient".to_owned()),
        target: why.map(|why| WhyTarget {
            id: why.target.id.to_string(),
            kind: why.target.kind.clone(),
            record_type: why.target.record_type.clone(),
            text: why.target.text.clone(),
            status: why.target.status.map(str::to_owned),
        }),
        claims: records(true),
        is_minimal: support.is_some_and(|support| support.is_minimal),
        confidence: support.map(|support| support.confidence),
        candidates: records(false),
        evidence: evidence
            .map(|ground| WhyGround {
                id: ground.id.to_string(),
                kind: ground.kind.clone(),
                text: ground.text.clone(),
            })
            .collect(),
        scope: scope.as_str(),
        whose,
    }
}

/// A change of a patch in words.
fn words_of(change: &GraphChange) -> String {
    let name = |reference: &Reference| match reference {
        Reference::Id(id) => id.to_string(),
        Reference::Local(name) => name.clone(),
    };
    match change {
        GraphChange::State(stated) => {
            format!("states the {}: {}", stated.record_type.as_str(), shortened(&stated.text))
        }
        GraphChange::Connect { edge_type, from, to, .. } => {
            format!("joins {} {} {}", name(from), edge_type.as_str(), name(to))
        }
        GraphChange::Supersede { target, text, .. } => {
            format!("replaces {}: {}", name(target), shortened(text))
        }
        GraphChange::Retract { target, .. } => format!("takes back {}", name(target)),
    }
}

fn quote_record(words: &mut String, record: &GraphRecord) {
    let GraphRecord { id, record_type, text, status, scope, .. } = record;
    let status = status.as_deref().filter(|status| *status != "active");
    let status = status.map(|status| format!(", {status}")).unwrap_or_default();
    let scope = super::scope_in_words(scope);
    quote(words, &format!("{record_type}{status}{scope}: {text}\nid {id}"));
}

fn graph_in_words(answer: &GraphFound) -> String {
    let mut words = answer.whose.in_words().to_owned();
    if answer.records.is_empty() && answer.edges.is_empty() {
        words.push_str("Nothing in the graph fits.\n");
        return words;
    }
    words.push_str(&format!("{READING}\n"));
    answer.records.iter().for_each(|record| quote_record(&mut words, record));
    if !answer.edges.is_empty() {
        words.push_str("Edges:\n");
    }
    for edge in &answer.edges {
        let GraphEdge { from, edge_type, to, notes, .. } = edge;
        let notes = if notes.is_empty() { String::new() } else { format!(" ({notes})") };
        quote(&mut words, &format!("{from} {edge_type} {to}{notes}"));
    }
    if answer.more {
        words.push_str("There is more; ask for more items, or for less at once.\n");
    }
    words
}

fn why_in_words(answer: &WhyAnswered) -> String {
    let mut words = answer.whose.in_words().to_owned();
    let Some(target) = &answer.target else {
        words.push_str("There is neither a decision nor an action nor a claim yet.\n");
        return words;
    };
    words.push_str(&format!("{READING}\n"));
    quote(&mut words, &format!("{}: {}\nid {}", target.kind, target.text, target.id));
    words.push_str(match (answer.status.as_str(), answer.is_minimal) {
        ("supported", true) => "It rests on these claims, and no fewer would do:\n",
        ("supported", false) => "It rests on these claims; fewer may do:\n",
        ("evidence_alone", _) => "It rests on records alone; no claim is needed.\n",
        ("not_held", _) => "Nothing holds it up any more.\n",
        _ => "Nothing was found that accounts for it. Say so instead of guessing.\n",
    });
    answer.claims.iter().for_each(|record| quote_record(&mut words, record));
    if !answer.evidence.is_empty() {
        words.push_str("These rest on the records:\n");
    }
    for WhyGround { id, text, .. } in &answer.evidence {
        quote(&mut words, &format!("{text}\nid {id}"));
    }
    if !answer.candidates.is_empty() {
        words.push_str("Also looked at:\n");
    }
    answer.candidates.iter().for_each(|record| quote_record(&mut words, record));
    words
}

fn queue_in_words(answer: &Queue) -> String {
    let mut words = answer.whose.in_words().to_owned();
    if answer.waiting.is_empty() {
        words.push_str("Nothing waits for the user's decision.\n");
        return words;
    }
    words.push_str(&format!(
        "The user decides about these, with `because review accept ID` or `because review dismiss ID`. {READING}\n"
    ));
    for Waiting { id, text, by, at, status, changes, .. } in &answer.waiting {
        words.push_str(&format!("{id}, {at}, {status}\n"));
        let by = by.as_ref().map(|by| format!("{by}: ")).unwrap_or_default();
        quote(&mut words, &format!("{by}{text}"));
        changes.iter().for_each(|change| quote(&mut words, &format!("- {change}")));
    }
    if answer.more > 0 {
        words.push_str(&format!("… and {} more.\n", answer.more));
    }
    words
}
