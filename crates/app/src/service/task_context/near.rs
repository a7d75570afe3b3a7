//! What is near the task, what edges join to it, and the edges among all that is shown.
//!
//! Recall finds the nearest. What is joined to the nearest of these may take up to half of each
//! budget: a decision is of little use without what it depends on, even if that shares no word with
//! the task. What it leaves goes to the next nearest.

use std::collections::{BTreeMap, BTreeSet};

use engine::graph::{EdgeView, RecordKey, RecordView, VALUES_RAW, repeats_others};
use engine::private::Disclosure;
use engine::recall::facts::Fact;
use engine::recall::nodes::FoundNode;
use engine::{EngineError, Space};
use kernel::id::OpId;
use kernel::kind::Kind;
use store::sqlite::Filter;

use super::{Reading, Selection, TaskContext, TaskEdge, TaskRecord, TaskRequest};
use crate::failure::Failure;
use crate::service::Session;
use crate::service::agreed_settings::TAG;
use crate::service::effective::Scope;
use crate::service::query_embedding::{EmbedderPool, QueryEmbedding};
use crate::service::recall::{Found, RecallRequest, SearchScope, SearchedSpace, recall};

/// Share of the best similarity that the others need.
const NEARLY_AS_NEAR: f64 = 0.3;
/// Most records and edges that are read around one record.
const AROUND_MAX: usize = 32;
/// Kept answers and traces beyond the budget that are read: they repeat what the context says.
const REPEATED_EXPECTED: usize = 16;
/// Edges of the home space beyond the budget that are read, for those that the project hides.
const HIDDEN_EXPECTED: usize = 16;

/// What recall finds near the task, the nearest first.
#[derive(Default)]
pub(super) struct Near {
    claims: Vec<Found<Fact>>,
    nodes: Vec<Found<FoundNode>>,
    behind: u64,
    embedding: Option<QueryEmbedding>,
    /// The scope of the first space.
    own: Option<Scope>,
}

impl Near {
    fn scope(&self, place: usize) -> Scope {
        match place {
            0 => self.own.unwrap_or(Scope::Project),
            _ => Scope::Global,
        }
    }

    /// The place of a claim among those that are near, the nearest first.
    pub(super) fn place(&self, record: &TaskRecord) -> Option<usize> {
        self.claims
            .iter()
            .position(|found| (self.scope(found.space), found.item.id) == (record.scope, record.id))
    }

    /// The least similarity that counts.
    fn similarity_min(&self) -> f64 {
        let claims = self.claims.iter().map(|found| found.item.relevance.similarity);
        let nodes = self.nodes.iter().map(|found| found.item.similarity);
        claims.chain(nodes).fold(0.0, f64::max) * NEARLY_AS_NEAR
    }
}

/// Searches claims and nodes, by recall.
pub(super) fn search(
    session: &Session,
    pool: &mut EmbedderPool,
    (own, own_scope): (&mut Space, Scope),
    home: Option<&mut Space>,
    request: &TaskRequest<'_>,
) -> Result<Near, Failure> {
    let budget = &request.budget;
    let mut spaces = vec![SearchedSpace::new(own, Disclosure::WithoutPrivate)];
    if let Some(home) = home {
        spaces.push(SearchedSpace::under_first(session, home)?);
    }
    let search = |scope, limit| -> Result<RecallRequest<'_>, Failure> {
        Ok(RecallRequest {
            scope,
            filter: Filter { as_of_us: request.as_of_us, ..Filter::default() },
            valid_at_us: Some(request.at_us(session)),
            ..RecallRequest::new(&request.task, limit)?
        })
    };
    let mut near = Near { own: Some(own_scope), ..Near::default() };
    // Some of what is near is pinned already.
    let pinned = budget.values.saturating_add(budget.preferences);
    if budget.query > 0 || pinned > 0 {
        let limit = budget.query.saturating_add(pinned);
        let found = recall(session, pool, &mut spaces, &search(SearchScope::Facts, limit)?)?;
        (near.claims, near.behind) = (found.facts, found.behind);
        near.embedding = found.embedding;
    }
    if budget.nodes > 0 {
        let limit = budget.nodes.saturating_add(REPEATED_EXPECTED);
        let found = recall(session, pool, &mut spaces, &search(SearchScope::Nodes, limit)?)?;
        near.nodes = found.nodes;
        near.nodes
            .retain(|node| !repeats_others(&node.item.record.record_type, &node.item.record.tags));
        near.nodes.truncate(budget.nodes);
        near.embedding = near.embedding.or(found.embedding);
    }
    Ok(near)
}

/// A record that is near the task, and how near.
struct Root {
    record: TaskRecord,
    similarity: f64,
}

/// Adds what is near, what is joined to it, and the edges among everything.
pub(super) fn add(
    reading: &Reading<'_>,
    mut near: Near,
    context: &mut TaskContext,
) -> Result<(), Failure> {
    context.behind = near.behind;
    context.embedding = near.embedding.take();
    let similarity_min = near.similarity_min();
    let mut claims = Vec::new();
    let mut roots = Vec::new();
    let pinned = Named::of(context);
    for found in &near.claims {
        let similarity = found.item.relevance.similarity;
        let reason = Selection::Nearest { similarity };
        let record = TaskRecord::of_belief(&found.item.belief, near.scope(found.space), reason);
        let Some(record) = record.filter(|_| similarity >= similarity_min) else { continue };
        match pinned.has(&record) {
            true => roots.push(Root { record, similarity }),
            false => claims.extend(Some(record).filter(|record| !is_setting(record))),
        }
    }
    let mut nodes = Vec::new();
    for found in near.nodes.iter().filter(|found| found.item.similarity >= similarity_min) {
        let reason = Selection::Nearest { similarity: found.item.similarity };
        let record = TaskRecord::of_node(&found.item.record, near.scope(found.space), reason);
        nodes.extend(record.filter(|record| !pinned.has(record)));
    }
    reading.drop_withheld(&mut claims)?;
    reading.drop_withheld(&mut nodes)?;
    let (claims_max, nodes_max) = (context.budget.query, context.budget.nodes);
    let more_claims = claims.split_off(claims.len().min(claims_max.div_ceil(2)));
    let more_nodes = nodes.split_off(nodes.len().min(nodes_max.div_ceil(2)));
    roots.extend(claims.iter().chain(&nodes).filter_map(|record| {
        Some(Root { similarity: record.similarity()?, record: record.clone() })
    }));
    roots.sort_by(|one, other| {
        let by_similarity = other.similarity.total_cmp(&one.similarity);
        by_similarity.then_with(|| one.record.id.cmp(&other.record.id))
    });
    (context.claims, context.nodes) = (claims, nodes);
    for record in joined(reading, &roots, context)? {
        let (part, max) = match record.key {
            Some(_) => (&mut context.claims, claims_max),
            None => (&mut context.nodes, nodes_max),
        };
        if part.len() < max {
            part.push(record);
        }
    }
    fill_up(&mut context.claims, more_claims, claims_max);
    fill_up(&mut context.nodes, more_nodes, nodes_max);
    context.edges = edges(reading, context)?;
    Ok(())
}

fn is_setting(record: &TaskRecord) -> bool {
    record.tags.iter().any(|tag| tag.starts_with(TAG) || tag == VALUES_RAW)
}

/// Adds the next nearest that are not there yet: those that are near stay together.
fn fill_up(part: &mut Vec<TaskRecord>, more: Vec<TaskRecord>, max: usize) {
    let is_near = |record: &TaskRecord| record.similarity().is_some();
    let near = part.iter().position(|record| !is_near(record)).unwrap_or(part.len());
    let room = max.saturating_sub(part.len());
    let is_new = |record: &TaskRecord| {
        part.iter().all(|there| (there.scope, there.id) != (record.scope, record.id))
    };
    let more: Vec<TaskRecord> = more.into_iter().filter(is_new).take(room).collect();
    part.splice(near..near, more);
}

/// The operations that are in a context already, by all their ids.
struct Named(BTreeSet<(Scope, OpId)>);

impl Named {
    fn of(context: &TaskContext) -> Self {
        let records = context.records();
        let records = records.flat_map(|it| [(it.scope, it.id), (it.scope, it.record)]);
        let settings = context.settings.iter().filter_map(|setting| setting.id);
        let settings = settings.flat_map(|id| [(Scope::Project, id), (Scope::Global, id)]);
        Self(records.chain(settings).collect())
    }

    fn has(&self, record: &TaskRecord) -> bool {
        self.0.contains(&(record.scope, record.id))
            || self.0.contains(&(record.scope, record.record))
    }
}

/// What edges in force join to the roots, one of each root in turn, so that none takes the whole
/// budget.
fn joined(
    reading: &Reading<'_>,
    roots: &[Root],
    context: &TaskContext,
) -> Result<Vec<TaskRecord>, EngineError> {
    let mut around = Vec::with_capacity(roots.len());
    for Root { record: root, .. } in roots {
        around.push(beside(reading, root)?.into_iter());
    }
    let mut named = Named::of(context);
    let mut joined = Vec::new();
    loop {
        let turn: Vec<TaskRecord> = around.iter_mut().filter_map(Iterator::next).collect();
        if turn.is_empty() {
            break;
        }
        for record in turn {
            if !named.has(&record) {
                named.0.extend([(record.scope, record.id), (record.scope, record.record)]);
                joined.push(record);
            }
        }
    }
    reading.drop_withheld(&mut joined)?;
    Ok(joined)
}

/// The records that edges in force join to one.
fn beside(reading: &Reading<'_>, root: &TaskRecord) -> Result<Vec<TaskRecord>, EngineError> {
    let layer = reading.layer(root.scope);
    let limits = reading.limits(layer, AROUND_MAX, AROUND_MAX);
    let records = layer.space.subgraph(&[root.record], &limits)?.records;
    let is_beside =
        |it: &RecordView| it.id != root.record && !repeats_others(&it.record_type, &it.tags);
    let records: Vec<_> = records.into_iter().filter(is_beside).collect();
    let keys: Vec<RecordKey> = records.iter().map(RecordKey::of_record).collect();
    let hidden = reading.hides(layer, &keys)?;
    let reason = Selection::Joined { to: root.id };
    let mut beside = Vec::new();
    for (view, is_hidden) in records.iter().zip(hidden) {
        let is_given = layer.scope == reading.own.scope
            || [Kind::Claim, Kind::Node]
                .iter()
                .any(|kind| kind.as_str() == view.kind && reading.home_gives(kind));
        if is_hidden || !is_given {
            continue;
        }
        let record = match &view.key {
            // What is served of a claim may be a correction.
            Some(key) => {
                let belief = reading.belief(layer, key)?;
                belief.and_then(|belief| TaskRecord::of_belief(&belief, layer.scope, reason))
            }
            None => TaskRecord::of_node(view, layer.scope, reason),
        };
        beside.extend(record.filter(|record| !is_setting(record)));
    }
    Ok(beside)
}

/// The edges among all records of a context, those of the space of the request first.
fn edges(reading: &Reading<'_>, context: &TaskContext) -> Result<Vec<TaskEdge>, EngineError> {
    let max = context.budget.edges;
    let mut edges = Vec::new();
    for layer in reading.layers().filter(|_| max > 0) {
        // Those of what is near come first.
        let near = context.claims.iter().chain(&context.nodes).chain(context.records());
        let of_layer: Vec<_> = near.filter(|record| record.scope == layer.scope).collect();
        let ids: Vec<OpId> = of_layer.iter().map(|record| record.record).collect();
        let shown: BTreeMap<OpId, OpId> =
            of_layer.iter().map(|record| (record.record, record.id)).collect();
        let limits = reading.limits(layer, ids.len(), max.saturating_add(HIDDEN_EXPECTED));
        let among = layer.space.edges_among(&ids, &limits)?;
        let views: Vec<EdgeView> = among.iter().map(|joining| joining.edge.clone()).collect();
        let hidden = match layer.scope == reading.own.scope {
            true => vec![false; views.len()],
            false => {
                let keys = layer.space.edge_keys(&views, reading.as_of_us)?;
                reading.own.space.hides_edges(&keys, reading.as_of_us)?
            }
        };
        let ids: Vec<OpId> = views.iter().map(|view| view.id).collect();
        let withheld = layer.space.withheld_among(&ids, layer.disclosure)?;
        for (joining, is_hidden) in among.into_iter().zip(hidden) {
            let ends = (shown.get(&joining.from), shown.get(&joining.to));
            let (Some(from), Some(to)) = ends else { continue };
            let edge = joining.edge;
            if is_hidden || withheld.contains(&edge.id) {
                continue;
            }
            edges.push(TaskEdge {
                id: edge.id,
                edge_type: edge.edge_type,
                from: *from,
                to: *to,
                notes: super::cut(&edge.notes).map(|(notes, _)| notes).unwrap_or_default(),
                scope: layer.scope,
            });
        }
    }
    edges.truncate(max);
    Ok(edges)
}
