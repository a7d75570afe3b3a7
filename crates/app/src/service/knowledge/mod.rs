//! The knowledge graph: entities and other records with the edges among them, found by words, by id
//! or by the name of an entity.
//!
//! Requests read layers: one space, or a project's space over the home space, of which the project
//! hides what it has in its own words ([`super::effective`]). No edge joins two spaces, so whatever
//! follows edges stays in one layer. What is found of entities is what recall finds of nodes.

use engine::graph::{
    EdgeView, GraphPath, PathLimits, RecordKey, RecordView, Subgraph, SubgraphLimits,
};
use engine::inspect::summary;
use engine::private::{Disclosure, Viewpoint};
use engine::recall::facts::FACTS_MAX;
use engine::{EngineError, Space};
use kernel::body::{EdgeType, NodeType};
use kernel::id::OpId;
use serde::Serialize;

use super::Session;
use super::effective::{EffectiveView, Scope, Scoped, drop_hidden};
use super::query_embedding::EmbedderPool;
use super::recall::{RecallRequest, SearchScope, SearchedSpace, recall};
use crate::failure::{Failure, RequestError};
use crate::service::graph::not_in_graph;

pub(crate) mod export;

/// Most edges between what was asked for and what is furthest from it.
pub(crate) const DEPTH_MAX: u32 = 6;
/// Most records around another one.
pub(crate) const AROUND_MAX: u32 = 500;
/// What a whole id begins with.
const ID_BEGINS: &str = "b3:";
/// Longest beginning of a name that an error repeats, characters.
const NAME_CHARS_MAX: usize = 80;

/// A space that is read, and what is shown of it.
#[derive(Clone, Copy)]
pub(crate) struct Layer<'a> {
    pub(crate) space: &'a Space,
    pub(crate) scope: Scope,
    pub(crate) disclosure: Disclosure,
}

/// What is read: a space, and what lies under it.
#[derive(Clone, Copy)]
pub(crate) struct Layers<'a> {
    pub(crate) own: Layer<'a>,
    pub(crate) under: Option<Layer<'a>>,
}

/// What is around a record, and where it is.
#[derive(Serialize)]
pub(crate) struct Surroundings {
    /// The record that was asked about.
    pub(crate) root: OpId,
    /// Where it is.
    pub(crate) scope: Scope,
    /// What is around it.
    #[serde(flatten)]
    pub(crate) graph: Subgraph,
}

/// A record with all that is known of it.
#[derive(Serialize)]
pub(crate) struct RecordDetails {
    /// Where it is.
    pub(crate) scope: Scope,
    /// The record.
    #[serde(flatten)]
    pub(crate) record: RecordView,
    /// Its other names: the records that redirect to it.
    pub(crate) aliases: Vec<RecordView>,
    /// The edges in force that join it to other records.
    pub(crate) edges: Vec<EdgeView>,
    /// The records at the other ends of these.
    pub(crate) neighbours: Vec<RecordView>,
    /// What it was made from.
    pub(crate) sources: Vec<Source>,
    /// Whether a limit left something out.
    pub(crate) more: bool,
}

/// An operation that a record was made from, in one line.
#[derive(Serialize)]
pub(crate) struct Source {
    pub(crate) id: OpId,
    pub(crate) kind: String,
    pub(crate) text: String,
}

/// A path, and where it is.
#[derive(Serialize)]
pub(crate) struct Path {
    /// Whether there is one within the limits.
    pub(crate) found: bool,
    /// Where it is.
    pub(crate) scope: Scope,
    /// The path.
    #[serde(flatten)]
    pub(crate) path: GraphPath,
}

/// A node that words find.
pub(crate) struct FoundRecord {
    pub(crate) record: RecordView,
    /// How near to the words, 0 … 1; 1 for the name itself.
    pub(crate) similarity: f64,
}

/// What to look for.
pub(crate) struct Search<'a> {
    pub(crate) words: &'a str,
    /// Only of these types; of any if empty.
    pub(crate) types: Vec<NodeType>,
    pub(crate) limit: usize,
    pub(crate) viewpoint: Viewpoint,
}

impl EffectiveView {
    /// The layers of the view.
    pub(crate) fn layers(&self) -> Layers<'_> {
        let layer =
            |scope| Layer { space: self.space(scope), scope, disclosure: self.disclosure(scope) };
        let under = self.home.as_ref().map(|_| layer(Scope::Global));
        Layers { own: layer(self.scope), under }
    }
}

impl<'a> Layers<'a> {
    /// A space alone.
    pub(crate) fn alone(space: &'a Space, scope: Scope, disclosure: Disclosure) -> Self {
        Self { own: Layer { space, scope, disclosure }, under: None }
    }

    fn all(&self) -> impl Iterator<Item = Layer<'a>> {
        std::iter::once(self.own).chain(self.under)
    }

    /// Whether the first layer hides a record of the one below it.
    fn hides(
        &self,
        layer: Layer<'_>,
        record: &RecordView,
        at: &Viewpoint,
    ) -> Result<bool, EngineError> {
        if layer.scope == self.own.scope {
            return Ok(false);
        }
        let hides = self.own.space.hides_records(&[RecordKey::of_record(record)], at.as_of_us)?;
        Ok(hides == [true])
    }

    /// The record that a name stands for in a layer: the entity of that name, else an id or the
    /// beginning of one. None if the layer has neither.
    fn named_in(
        &self,
        layer: Layer<'_>,
        name: &str,
        at: &Viewpoint,
    ) -> Result<Option<OpId>, EngineError> {
        let at = Viewpoint { disclosure: layer.disclosure, ..*at };
        if let Some(id) = layer.space.entity_named(name, &at)?
            && let Some(record) = layer.space.record_from(&id, &at)?
            && !self.hides(layer, &record, &at)?
        {
            return Ok(Some(id));
        }
        match layer.space.resolve_disclosed(name, layer.disclosure) {
            Ok(id) => Ok(Some(id)),
            Err(EngineError::UnknownId { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The record that a name stands for, in the first layer that has it.
    pub(crate) fn named(&self, name: &str, at: &Viewpoint) -> Result<(Layer<'a>, OpId), Failure> {
        for layer in self.all() {
            if let Some(id) = self.named_in(layer, name, at)? {
                return Ok((layer, id));
            }
        }
        Err(self.unknown(name))
    }

    /// The failure for a name that no layer has.
    fn unknown(&self, name: &str) -> Failure {
        match self.own.space.resolve_disclosed(name, self.own.disclosure) {
            Err(error @ EngineError::UnknownId { .. }) if name.starts_with(ID_BEGINS) => {
                error.into()
            }
            _ => {
                let name = name.chars().take(NAME_CHARS_MAX).collect();
                RequestError::UnknownEntity { name }.into()
            }
        }
    }

    /// A record with its other names, its edges and its sources. At most `limit` of each.
    pub(crate) fn known(
        &self,
        name: &str,
        at: &Viewpoint,
        limit: usize,
    ) -> Result<RecordDetails, Failure> {
        let (layer, id) = self.named(name, at)?;
        let at = &Viewpoint { disclosure: layer.disclosure, ..*at };
        let space = layer.space;
        let Some(record) = space.record_from(&id, at)? else {
            return Err(not_in_graph(space, id, at.as_of_us));
        };
        let limits = limits(layer, at, (1, limit), &[]);
        let around = self.unhidden(layer, space.subgraph(&[id], &limits)?, at)?;
        let mut sources = Vec::new();
        for input in record.inputs.iter().take(limit) {
            let shown = space.show(&input.id)?;
            let kind = shown.operation.header().kind.as_str().to_owned();
            sources.push(Source { id: input.id, kind, text: summary(&shown.operation) });
        }
        let aliases = space.aliases(&id, at)?;
        let more = around.cut || record.inputs.len() > limit;
        let mut neighbours = around.records;
        neighbours.retain(|near| near.id != id);
        let edges = around.edges;
        Ok(RecordDetails { scope: layer.scope, record, aliases, edges, neighbours, sources, more })
    }

    /// What is around a record, over edges of some types.
    pub(crate) fn neighbours(
        &self,
        name: &str,
        at: &Viewpoint,
        (depth, limit): (usize, usize),
        edge_types: &[EdgeType],
    ) -> Result<Surroundings, Failure> {
        let (layer, root) = self.named(name, at)?;
        if layer
            .space
            .record_from(&root, &Viewpoint { disclosure: layer.disclosure, ..*at })?
            .is_none()
        {
            return Err(not_in_graph(layer.space, root, at.as_of_us));
        }
        let limits = limits(layer, at, (depth, limit), edge_types);
        let graph = self.unhidden(layer, layer.space.subgraph(&[root], &limits)?, at)?;
        Ok(Surroundings { root, scope: layer.scope, graph })
    }

    /// The shortest path between two records, in the first layer that has both.
    pub(crate) fn path(
        &self,
        (from, to): (&str, &str),
        limits: &PathLimits,
    ) -> Result<Path, Failure> {
        let at = &limits.viewpoint;
        let mut nothing = Path { found: false, scope: self.own.scope, path: GraphPath::default() };
        let mut has_both = false;
        for layer in self.all() {
            let ends = (self.named_in(layer, from, at)?, self.named_in(layer, to, at)?);
            let (Some(start), Some(end)) = ends else { continue };
            for id in [start, end] {
                let viewpoint = Viewpoint { disclosure: layer.disclosure, ..*at };
                if layer.space.record_from(&id, &viewpoint)?.is_none() {
                    return Err(not_in_graph(layer.space, id, at.as_of_us));
                }
            }
            has_both = true;
            let viewpoint = Viewpoint { disclosure: layer.disclosure, ..*at };
            let limits = PathLimits { viewpoint, ..limits.clone() };
            let path = layer.space.path_between(&start, &end, &limits)?;
            let mut is_hidden = false;
            for record in &path.records {
                is_hidden |= self.hides(layer, record, at)?;
            }
            if !path.records.is_empty() && !is_hidden {
                return Ok(Path { found: true, scope: layer.scope, path });
            }
            nothing.path.cut |= path.cut;
        }
        if !has_both {
            // The ends may lie in two spaces, which no edge joins; an unknown name is an error.
            self.named(from, at)?;
            self.named(to, at)?;
        }
        Ok(nothing)
    }

    /// What of a layer's graph the first layer does not have in its own words.
    fn unhidden(
        &self,
        layer: Layer<'_>,
        around: Subgraph,
        at: &Viewpoint,
    ) -> Result<Subgraph, EngineError> {
        match layer.scope == self.own.scope {
            true => Ok(around),
            false => unhidden(self.own.space, around, at.as_of_us),
        }
    }
}

/// What of the home space's graph the space over it does not have in its own words.
pub(crate) fn unhidden(
    over: &Space,
    mut around: Subgraph,
    as_of_us: Option<u64>,
) -> Result<Subgraph, EngineError> {
    let hidden = drop_hidden(over, &mut around.records, RecordKey::of_record, as_of_us)?;
    let is_hidden = |id: &OpId| hidden.iter().any(|record| record.id == *id);
    around.edges.retain(|edge| !is_hidden(&edge.from) && !is_hidden(&edge.to));
    Ok(around)
}

/// Nodes by words, the nearest first, as recall finds them. The entity of that very name comes
/// first, also by another name of it.
pub(crate) fn search(
    session: &Session,
    pool: &mut EmbedderPool,
    view: &mut EffectiveView,
    search: &Search<'_>,
) -> Result<Vec<Scoped<FoundRecord>>, Failure> {
    let mut found = exact(view.layers(), search)?;
    let (own_scope, shown) = (view.scope, view.shown);
    let mut spaces = vec![SearchedSpace::new(&mut view.own.space, shown)];
    if let Some(home) = &mut view.home {
        spaces.push(SearchedSpace::under_first(session, &mut home.space)?);
    }
    by_words(session, pool, &mut spaces, search, own_scope, &mut found)?;
    Ok(found)
}

/// The same in one space.
pub(crate) fn search_alone(
    session: &Session,
    pool: &mut EmbedderPool,
    (space, scope): (&mut Space, Scope),
    disclosure: Disclosure,
    search: &Search<'_>,
) -> Result<Vec<Scoped<FoundRecord>>, Failure> {
    let mut found = exact(Layers::alone(space, scope, disclosure), search)?;
    let mut spaces = [SearchedSpace::new(space, disclosure)];
    by_words(session, pool, &mut spaces, search, scope, &mut found)?;
    Ok(found)
}

fn exact(layers: Layers<'_>, search: &Search<'_>) -> Result<Vec<Scoped<FoundRecord>>, Failure> {
    let is_wanted = search.types.is_empty() || search.types.contains(&NodeType::Entity);
    for layer in layers.all().filter(|_| is_wanted) {
        let at = Viewpoint { disclosure: layer.disclosure, ..search.viewpoint };
        if let Some(id) = layer.space.entity_named(search.words, &at)?
            && let Some(record) = layer.space.record_from(&id, &at)?
            && !layers.hides(layer, &record, &at)?
            && engine::graph::is_valid(&record, at.valid_at_us)
        {
            let item = FoundRecord { record, similarity: 1.0 };
            return Ok(vec![Scoped { scope: layer.scope, item }]);
        }
    }
    Ok(Vec::new())
}

fn by_words(
    session: &Session,
    pool: &mut EmbedderPool,
    spaces: &mut [SearchedSpace<'_>],
    search: &Search<'_>,
    own: Scope,
    found: &mut Vec<Scoped<FoundRecord>>,
) -> Result<(), Failure> {
    // Types are looked at after the search.
    let limit = if search.types.is_empty() { search.limit } else { FACTS_MAX };
    let mut request = RecallRequest {
        scope: SearchScope::Nodes,
        valid_at_us: search.viewpoint.valid_at_us,
        ..RecallRequest::new(search.words, limit)?
    };
    request.filter.as_of_us = search.viewpoint.as_of_us;
    let answer = recall(session, pool, spaces, &request)?;
    let is_wanted = |of: &str| {
        search.types.is_empty() || search.types.iter().any(|wanted| wanted.as_str() == of)
    };
    for node in answer.nodes {
        let record = node.item.record;
        let is_new = found.iter().all(|before| before.item.record.id != record.id);
        if is_new
            && is_wanted(&record.record_type)
            && engine::graph::is_valid(&record, search.viewpoint.valid_at_us)
        {
            let scope = if node.space == 0 { own } else { Scope::Global };
            let item = FoundRecord { record, similarity: node.item.similarity };
            found.push(Scoped { scope, item });
        }
    }
    found.truncate(search.limit);
    Ok(())
}

fn limits(
    layer: Layer<'_>,
    at: &Viewpoint,
    (depth, nodes): (usize, usize),
    edge_types: &[EdgeType],
) -> SubgraphLimits {
    SubgraphLimits {
        depth,
        nodes: nodes.saturating_add(1),
        edges: nodes.saturating_mul(2),
        edge_types: edge_types.to_vec(),
        as_of_us: at.as_of_us,
        valid_at_us: at.valid_at_us,
        disclosure: layer.disclosure,
    }
}
