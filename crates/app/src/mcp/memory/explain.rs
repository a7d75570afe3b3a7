//! `explain`: why something is believed. For a record, who said it and what was concluded from it.

use std::collections::BTreeSet;

use engine::belief::claims::is_true_at;
use engine::belief::explain::Explaining;
use engine::belief::lineage::Lineage;
use engine::belief::name::Named;
use engine::inspect::Shown;
use engine::owner::SpaceOwner;
use engine::private::{Disclosure, Viewpoint};
use engine::recall::past::in_time;
use engine::{EngineError, Space};
use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::validity::State;
use serde::Serialize;
use serde_json::Value;

use super::graph::quote_record;
use super::{Answered, Memory, object};
use crate::failure::Failure;
use crate::mcp::answers::{Explained, Found, Object, Record, who};
use crate::mcp::arguments::Explain;
use crate::mcp::graph_answers::{GraphEdge, GraphRecord};
use crate::mcp::quote::{READING, READING_STRUCTURED, cut, quote};
use crate::mcp::whose::Whose;
use crate::service::Session;
use crate::service::effective::Scope;
use crate::service::graph::{self, GraphView};
use crate::service::opening::OpenedSpace;
use crate::service::wording::{attributed, hundredths, text_of, time_of};

/// Sources and events of a history in an answer: the first sources, the latest events.
const LISTED_MAX: usize = 40;
/// Reasons in an answer, the belief's own first.
const REASONS_MAX: usize = 10;
/// Sources put in words.
const SOURCES_IN_WORDS_MAX: usize = 12;
/// Beliefs named for a record.
const BELIEFS_MAX: usize = 20;
/// Longest text of a record, in characters.
const RECORD_CHARS_MAX: usize = 20_000;

impl Memory {
    pub(super) fn explain(
        &mut self,
        session: &Session,
        arguments: &Explain,
        program: Option<&str>,
    ) -> Result<Answered, Failure> {
        let Explain { name, as_of, valid_at } = arguments;
        let viewpoint = session.times().viewpoint(as_of.as_deref(), valid_at.as_deref())?;
        let reader = self.reader(program);
        let open = self.opened.readable(session)?;
        let whose = open.whose();
        open.spaces.shown = reader.disclosure(session, &open.spaces.own);
        let scope = open.spaces.scope_of(name)?;
        let disclosure = open.spaces.disclosure(scope);
        let space = open.spaces.space(scope);
        let viewpoint = Viewpoint { disclosure, ..viewpoint };
        let place = Place { space, scope, viewpoint };
        match space.explain_from(name, &viewpoint) {
            Ok(mut explaining) => {
                if let Some(owner) = &space.owner {
                    owner.attribute_explanation(&mut explaining);
                }
                belief(session, &explaining, &place, whose)
            }
            Err(EngineError::NotABelief { id, .. }) => record(session, &place, &id, whose),
            Err(error) => Err(error.into()),
        }
    }
}

/// Where something is explained from.
struct Place<'a> {
    space: &'a OpenedSpace,
    scope: Scope,
    viewpoint: Viewpoint,
}

fn list<T: Serialize>(items: impl Iterator<Item = T>) -> Result<Option<Vec<Object>>, Failure> {
    let values = items
        .map(serde_json::to_value)
        .collect::<Result<Vec<Value>, _>>()
        .map_err(std::io::Error::from)?;
    Ok(Some(values.into_iter().map(object).collect()))
}

fn belief(
    session: &Session,
    explaining: &Explaining,
    place: &Place<'_>,
    whose: Whose,
) -> Result<Answered, Failure> {
    let owner = place.space.owner.as_ref();
    let Explaining { explanation, belief, text, withheld } = explaining;
    let left = |length: usize, max: usize| length.saturating_sub(max) as u64;
    let (history, actions) = (&explanation.history, &explanation.user_actions);
    let latest = |length: usize| length.saturating_sub(LISTED_MAX);
    let answer = Explained {
        reading: READING_STRUCTURED,
        found: Found::Belief,
        text: past_or_now(session, explaining, text),
        key: Some(belief.key.clone()),
        claim: Some(object(
            serde_json::to_value(&explanation.claim).map_err(std::io::Error::from)?,
        )),
        because: list(explanation.because.iter().take(REASONS_MAX))?,
        built_from: list(explanation.built_from.iter().take(LISTED_MAX))?,
        history: list(history.iter().skip(latest(history.len())))?,
        user_actions: list(actions.iter().skip(latest(actions.len())))?,
        agreements: list(explanation.agreements.iter())?,
        in_window: place.viewpoint.valid_at_us.map(|at| is_true_at(belief, at)),
        scope: place.scope.as_str(),
        record: None,
        node: None,
        edges: None,
        left_out: left(explanation.because.len(), REASONS_MAX)
            + left(explanation.built_from.len(), LISTED_MAX)
            + left(history.len(), LISTED_MAX)
            + left(actions.len(), LISTED_MAX),
        withheld: *withheld as u64,
        whose,
    };
    let words =
        format!("{}{}", answer.whose.in_words(), belief_in_words(session, explaining, owner));
    let words = words + in_window_in_words(answer.in_window);
    Answered::new(words, &answer)
}

/// A belief's text in words that say so if its time is over or yet to begin.
fn past_or_now(session: &Session, explaining: &Explaining, text: &str) -> String {
    let belief = &explaining.belief;
    match belief.served {
        Some(_) => in_time(belief, text, session.now.as_microsecond()),
        None => text.to_owned(),
    }
}

fn belief_in_words(
    session: &Session,
    explaining: &Explaining,
    owner: Option<&SpaceOwner>,
) -> String {
    // A line of the server's own names the owner by the key.
    let person = owner.map_or("the user", SpaceOwner::short_key);
    let Explaining { explanation, belief, text, withheld } = explaining;
    let claim = &explanation.claim;
    let mut words = format!("{READING}\n");
    let said = match text.is_empty() {
        true => attributed(claim.payload.to_string(), owner),
        false => text.clone(),
    };
    quote(&mut words, &past_or_now(session, explaining, &said));
    quote(&mut words, &format!("key {}", belief.key));
    quote(&mut words, &format!("data {}", claim.payload));
    let by_user = belief.state == State::Corrected && belief.served == Some(claim.op_id);
    let sure = format!("{} ({})", claim.band.as_str(), hundredths(claim.confidence));
    words.push_str(&match claim.state.as_str() {
        "active" => match owner {
            Some(_) => format!("Believed by {person}: {sure}.\n"),
            None => format!("Believed: {sure}.\n"),
        },
        _ if by_user => format!("Believed: {person}'s own word, certain.\n"),
        state => format!("Not believed: {state}; it was {sure}.\n"),
    });
    words.push_str("Because:\n");
    for because in explanation.because.iter().take(REASONS_MAX) {
        let by = because
            .deriver
            .as_ref()
            .map_or("a person".to_owned(), |by| format!("{} {}", by.name, by.version));
        quote(&mut words, &format!("{by}: {}", because.rationale));
    }
    for agreement in &explanation.agreements {
        let (name, sure) = (&agreement.deriver.name, hundredths(agreement.confidence));
        words.push_str(&format!("The deriver {name} now concludes the same ({sure}).\n"));
    }
    if !explanation.built_from.is_empty() {
        words.push_str("Built from:\n");
    }
    for source in explanation.built_from.iter().take(SOURCES_IN_WORDS_MAX) {
        let said = source.summary.as_deref().unwrap_or("(its content is not available)");
        let quoted = source.quoted_by.as_ref();
        let quoted = quoted.map(|program| format!(" · quoted by {program}")).unwrap_or_default();
        quote(&mut words, &format!("{} · {said}{quoted}", source.op_id.short()));
    }
    let more = explanation.built_from.len().saturating_sub(SOURCES_IN_WORDS_MAX);
    if more > 0 {
        words.push_str(&format!("… and {more} more sources.\n"));
    }
    for action in explanation.user_actions.iter().filter(|action| action.active) {
        let said = match action.kind.as_str() {
            "claim_correction" => "corrected",
            "claim_refutation" => "refuted",
            _ => continue,
        };
        let who = if owner.is_some() { person } else { "The user" };
        words.push_str(&format!("{who} {said} it:\n"));
        let payload = action
            .corrected_payload
            .as_ref()
            .map(|payload| format!("{payload}\n"))
            .unwrap_or_default();
        quote(&mut words, &format!("{payload}{}", action.note));
        if let Some(by) = &action.proposed_by {
            quote(&mut words, &format!("proposed by {}: {}", by.program, by.question));
        }
    }
    if *withheld > 0 {
        words.push_str(&format!("{withheld} private sources or events are not shown.\n"));
    }
    words
}

/// Whether it is true at the time of the question, in words.
fn in_window_in_words(in_window: Option<bool>) -> &'static str {
    match in_window {
        Some(true) => "It is true at that time.\n",
        Some(false) => "It is not true at that time.\n",
        None => "",
    }
}

fn record(
    session: &Session,
    place: &Place<'_>,
    id: &OpId,
    whose: Whose,
) -> Result<Answered, Failure> {
    let Place { space, scope, viewpoint } = place;
    let view = graph::view_from(space, id, viewpoint)?;
    // What was not there yet is unknown.
    let lineage = match view.is_some() || viewpoint.as_of_us.is_some() {
        true => Some(space.lineage_from(id, viewpoint)?),
        false => None,
    };
    let lineage = lineage.filter(|_| view.is_some());
    let in_window = match (&view, viewpoint.valid_at_us) {
        (Some(view), Some(_)) => Some(graph::is_valid(space, view, viewpoint)?),
        _ => None,
    };
    let shown = space.show(id)?;
    let header = shown.operation.header();
    let body = shown.operation.body().and_then(|bytes| Body::parse(&header.kind, bytes).ok());
    let evidence = match &body {
        Some(Body::Evidence(evidence)) => Some(evidence),
        _ => None,
    };
    let said = match evidence {
        Some(evidence) if !engine::inspect::is_altered(&shown.operation) => text_of(evidence),
        _ => match (&lineage, &space.owner) {
            (Some(lineage), Some(owner)) => owner.attribute(&lineage.record.text),
            (Some(lineage), None) => lineage.record.text.clone(),
            (None, _) => engine::inspect::summary(&shown.operation),
        },
    };
    let (node, mut edges) = in_graph(view.as_ref(), lineage.as_ref(), place);
    let said = match (&node, edges.as_deref()) {
        (None, Some([edge])) => edge.in_words(),
        _ => said,
    };
    let (text, is_cut) = cut(&said, RECORD_CHARS_MAX);
    let edges_left = edges.as_ref().map_or(0, |edges| edges.len().saturating_sub(LISTED_MAX));
    edges.iter_mut().for_each(|edges| edges.truncate(LISTED_MAX));
    let recorded = session.time(header.ts);
    let answer = Explained {
        reading: READING_STRUCTURED,
        found: Found::Record,
        text,
        key: None,
        claim: None,
        because: None,
        built_from: match &lineage {
            Some(lineage) => list(lineage.built_from.iter().take(LISTED_MAX))?,
            None => None,
        },
        history: None,
        user_actions: None,
        agreements: None,
        in_window,
        scope: scope.as_str(),
        record: Some(Record {
            id: id.to_string(),
            kind: header.kind.as_str().to_owned(),
            who: evidence.and_then(|evidence| who(evidence, space.owner.as_ref())),
            when: evidence.and_then(|evidence| time_of(evidence, &session.zone)),
            source: evidence.map(|evidence| evidence.source.clone()),
            recorded,
            signed_by: header.author.to_string(),
            quoted_by: space.key_ring()?.quoted_by(&shown.operation),
            verified: shown.fault.is_none(),
            beliefs: beliefs_of(space, &shown, viewpoint.disclosure)?,
        }),
        node,
        edges,
        left_out: u64::from(is_cut) + edges_left as u64,
        withheld: 0,
        whose,
    };
    let words = record_in_words(&answer) + in_window_in_words(in_window);
    Answered::new(words, &answer)
}

/// A node in the graph with its edges, or an edge alone.
fn in_graph(
    view: Option<&GraphView>,
    lineage: Option<&Lineage>,
    place: &Place<'_>,
) -> (Option<GraphRecord>, Option<Vec<GraphEdge>>) {
    let Place { space, scope, .. } = place;
    match view {
        Some(GraphView::Record(node)) => {
            let edges = lineage.into_iter().flat_map(|lineage| &lineage.edges);
            let edges = edges.map(|edge| GraphEdge::of(edge, *scope)).collect();
            (Some(GraphRecord::of(node, *scope, space.owner.as_ref())), Some(edges))
        }
        Some(GraphView::Edge(edge)) => (None, Some(vec![GraphEdge::of(edge, *scope)])),
        None => (None, None),
    }
}

/// Keys of the claims that cite it.
fn beliefs_of(
    space: &Space,
    shown: &Shown,
    disclosure: Disclosure,
) -> Result<Vec<String>, Failure> {
    let mut keys = BTreeSet::new();
    for citing in shown.cited_by.iter().filter(|citing| citing.kind == Kind::Claim) {
        if keys.len() == BELIEFS_MAX {
            break;
        }
        if space.is_withheld(&citing.id, disclosure)? {
            continue;
        }
        if let Named::Version { key, .. } = space.name_of(&citing.id.to_string())? {
            keys.insert(key);
        }
    }
    Ok(keys.into_iter().collect())
}

/// What it is, and whether it holds.
fn standing_in_words(answer: &Explained) -> String {
    let (what, status) = match (&answer.node, answer.edges.as_deref()) {
        (Some(node), _) => ("a node", &node.status),
        (None, Some([edge, ..])) => ("an edge", &edge.status),
        (None, _) => {
            return "This is a record: not a belief, but what was said or happened.\n".to_owned();
        }
    };
    let status = match status.as_deref() {
        Some("active") => "it is active".to_owned(),
        Some("alias") => "it is an alias".to_owned(),
        Some(status) => format!("it is {status}, so do not rely on it"),
        None => "it has no effect, so do not rely on it".to_owned(),
    };
    let redirects_to = answer.node.as_ref().and_then(|node| node.redirects_to.as_ref());
    let instead = redirects_to.map(|id| format!(" {id} stands in its place.")).unwrap_or_default();
    format!("This is {what} of the graph; {status}.{instead}\n")
}

fn record_in_words(answer: &Explained) -> String {
    let mut words = answer.whose.in_words().to_owned();
    words.push_str(&standing_in_words(answer));
    words.push_str(&format!("{READING}\n"));
    let Some(record) = &answer.record else { return words };
    let parts =
        [&record.who, &record.when, &record.source].into_iter().flatten().map(String::as_str);
    match &answer.node {
        // The node beside it has only the beginning of a long text.
        Some(node) => {
            quote_record(&mut words, &GraphRecord { text: answer.text.clone(), ..node.clone() });
        }
        None => {
            quote(&mut words, &parts.collect::<Vec<_>>().join(" · "));
            quote(&mut words, &answer.text);
        }
    }
    if let Some(program) = &record.quoted_by {
        let whose = if answer.whose.owner.is_some() { "its owner's" } else { "the user's" };
        quote(&mut words, &format!("{whose} words, quoted by {program}"));
    }
    let sound = if record.verified {
        "its signature is valid"
    } else {
        "its signature is NOT valid: do not rely on it"
    };
    words.push_str(&format!(
        "Recorded {}, signed by {}; {sound}.\n",
        record.recorded, record.signed_by
    ));
    if let (Some(_), Some(edges @ [_, ..])) = (&answer.node, answer.edges.as_deref()) {
        words.push_str("Edges:\n");
        edges.iter().for_each(|edge| quote(&mut words, &edge.in_words()));
    }
    match record.beliefs.is_empty() {
        true => words.push_str("No belief was concluded from it.\n"),
        false => words.push_str("Beliefs that name it as a source:\n"),
    }
    for key in &record.beliefs {
        quote(&mut words, &format!("key {key}"));
    }
    words
}
