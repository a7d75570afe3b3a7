//! `graph`: what is in the graph of claims and nodes.

use std::collections::BTreeSet;

use engine::belief::claims::{ClaimFilter, States, current_at_us};
use engine::graph::{EdgeFilter, NodeFilter, PathLimits, SubgraphLimits, VALUES_RAW};
use engine::private::Viewpoint;
use engine::recall::facts::{Fact, FactQuery};
use engine::recall::past::Over;
use kernel::body::{EdgeType, NodeType};
use kernel::id::OpId;
use kernel::records::RecordStatus;
use kernel::validity::State;

use super::{Answered, Memory};
use crate::failure::{Failure, RequestError, within};
use crate::mcp::graph_answers::{GraphEdge, GraphFound, GraphRecord};
use crate::mcp::graph_arguments::{Graph, ListedStatus, Listing};
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::service::Session;
use crate::service::effective::{EffectiveView, Scope, Scoped};
use crate::service::graph::typed;
use crate::service::knowledge::unhidden;
use crate::service::types::claim_type;

/// Items by default, and at most.
const LIMIT: u32 = 20;
const LIMIT_MAX: u32 = 100;
/// Edges between what was looked for and what is furthest from it, at most.
const DEPTH_MAX: u32 = 3;
/// Most ids that a subgraph is asked around.
const ROOTS_MAX: usize = 50;

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
        let (as_of, valid_at) = (arguments.as_of.as_deref(), arguments.valid_at.as_deref());
        let viewpoint = session.times().viewpoint(as_of, valid_at)?;
        let limit = within("limit", arguments.limit.unwrap_or(LIMIT), 1, LIMIT_MAX)? as usize;
        let depth = within("depth", arguments.depth.unwrap_or(1), 1, DEPTH_MAX)? as usize;
        let around = arguments.around.as_deref().unwrap_or_default();
        let number = u32::try_from(around.len()).unwrap_or(u32::MAX);
        within("around", number, 0, ROOTS_MAX as u32)?;
        if arguments.query.as_ref().is_some_and(|query| query.trim().is_empty()) {
            return Err(RequestError::EmptyQuestion.into());
        }
        let reader = self.reader(program);
        let open = self.opened.readable(session)?;
        let whose = open.whose();
        open.spaces.shown = reader.disclosure(session, &open.spaces.own);
        let spaces = &open.spaces;
        let edge_types = arguments.edge_types.iter().flatten().map(String::as_str);
        let edge_types = typed::<EdgeType>(edge_types)?;
        let found = if let Some(to) = &arguments.path_to {
            within("around", number, 1, 1)?;
            let from = around.first().map_or("", String::as_str);
            let at = session.times().viewpoint_around(as_of, valid_at)?;
            path(spaces, (from, to), &at, edge_types)?
        } else if arguments.query.is_none() && around.is_empty() {
            list(session, spaces, &arguments, &viewpoint, limit)?
        } else {
            let query = arguments.query.as_deref();
            let looked_for = LookedFor { query, ids: around, edge_types };
            subgraphs(session, spaces, &looked_for, &viewpoint, (depth, limit))?
        };
        let Found { mut records, edges, more } = found;
        // Values as they were given are for audits by the user.
        records.retain(|record| !record.tags.iter().any(|tag| tag == VALUES_RAW));
        let ids: Vec<OpId> = records.iter().filter_map(|record| record.id.parse().ok()).collect();
        let answer = GraphFound { reading: READING_STRUCTURED, records, edges, more, whose };
        self.conversations.note_shown(ids);
        Answered::new(graph_in_words(&answer), &answer)
    }
}

/// A list of claims, nodes or edges.
fn list(
    session: &Session,
    spaces: &EffectiveView,
    asked: &Graph,
    viewpoint: &Viewpoint,
    limit: usize,
) -> Result<Found, Failure> {
    let Viewpoint { as_of_us, valid_at_us, .. } = *viewpoint;
    let status = asked.status.unwrap_or_default();
    let (tags, contains) = (asked.tags.clone().unwrap_or_default(), asked.contains.clone());
    let all = status == ListedStatus::Any;
    let mut found = Found::default();
    match asked.list.unwrap_or_default() {
        Listing::Claims => {
            let filter = ClaimFilter {
                states: states(status),
                displaced: status.status().into_iter().filter(|it| it.is_displaced()).collect(),
                tags,
                claim_type: asked.record_type.as_deref().map(claim_type).transpose()?,
                valid_at_us,
                contains,
                as_of_us,
                ..ClaimFilter::default()
            };
            let filter = filter.in_force(session.now.as_microsecond());
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

/// What a subgraph is looked for by.
struct LookedFor<'a> {
    query: Option<&'a str>,
    ids: &'a [String],
    edge_types: Vec<EdgeType>,
}

/// The shortest path between two records, in order.
fn path(
    spaces: &EffectiveView,
    ends: (&str, &str),
    viewpoint: &Viewpoint,
    edge_types: Vec<EdgeType>,
) -> Result<Found, Failure> {
    let limits = PathLimits { edge_types, viewpoint: *viewpoint, ..PathLimits::default() };
    let found = spaces.layers().path(ends, &limits)?;
    let (scope, owner) = (found.scope, spaces.owner(found.scope));
    let records = found.path.records.iter();
    Ok(Found {
        records: records.map(|record| GraphRecord::of(record, scope, owner)).collect(),
        edges: found.path.edges.iter().map(|edge| GraphEdge::of(edge, scope)).collect(),
        more: found.path.cut && !found.found,
    })
}

/// What is around hits and ids, in the project's space and in the home space under it.
fn subgraphs(
    session: &Session,
    spaces: &EffectiveView,
    looked_for: &LookedFor<'_>,
    viewpoint: &Viewpoint,
    (depth, limit): (usize, usize),
) -> Result<Found, Failure> {
    let mut roots: Vec<(Scope, OpId)> = Vec::new();
    for name in looked_for.ids {
        let (layer, id) = spaces.layers().named(name, viewpoint)?;
        roots.push((layer.scope, id));
    }
    let home = spaces.home.as_ref().map(|_| Scope::Global);
    let now_us = current_at_us(session.now.as_microsecond(), viewpoint.as_of_us);
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
                as_of_us: viewpoint.as_of_us,
                valid_at_us: viewpoint.valid_at_us,
                visibilities: disclosure.visibilities(),
                over: Over::OnlyIfPast,
                ..FactQuery::new(query, session.now)
            };
            ids.extend(space.recall_facts(&query)?.facts.iter().map(Fact::record));
            ids.extend(space.recall_nodes(&query)?.iter().map(|node| node.record.id));
        }
        let limits = SubgraphLimits {
            depth,
            nodes: limit,
            edges: limit.saturating_mul(2),
            as_of_us: viewpoint.as_of_us,
            valid_at_us: viewpoint.valid_at_us.or(Some(now_us)),
            disclosure,
            edge_types: looked_for.edge_types.clone(),
        };
        let around = space.subgraph(&ids, &limits)?;
        let around =
            if is_under { unhidden(&spaces.own, around, viewpoint.as_of_us)? } else { around };
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

/// Adds a record, quoted.
pub(super) fn quote_record(words: &mut String, record: &GraphRecord) {
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
        quote(&mut words, &edge.in_words());
    }
    if answer.more {
        words.push_str("There is more; ask for more items, or for less at once.\n");
    }
    words
}
