//! `GET /api/v1/graph/…`: the knowledge graph.

use engine::graph::PathLimits;
use engine::private::Viewpoint;
use engine::staging::MODERATED_MAX;
use engine::write::import::Intent;
use kernel::body::{EdgeType, NodeType};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::{NOT_BLANK, TIME, pattern_of};
use super::super::work::{Call, Need};
use super::changes::need;
use crate::failure::{RequestError, within};
use crate::service::Session;
use crate::service::candidates::to_json;
use crate::service::effective::Scope;
use crate::service::graph::typed;
use crate::service::knowledge::export::{Format, Selected, Table, export_text};
use crate::service::knowledge::{self, AROUND_MAX, DEPTH_MAX, Layers, Search};
use crate::service::moderation::{
    self, CandidateFilter, Item, KindName, ModerationReport, ModerationRequest, StatusName,
};
use crate::service::types;

/// Records by default, and at most.
const LIMIT: u32 = 20;
const LIMIT_MAX: u32 = 100;
/// Records that a path may be looked for among, by default and at most.
const PATH_RECORDS: u32 = 10_000;

/// Candidates by default, and at most.
const CANDIDATES: u32 = 50;
const CANDIDATES_MAX: u32 = 1_000;

/// Types of nodes and of edges.
const NODE_TYPES: &str = "^(decision|action|summary|why_trace|entity)$";
const EDGE_TYPES: &str =
    "^(depends_on|supports|contradicts|derived_from|mentions|supersedes|same_as|relation)$";

fn viewpoint(
    session: &Session,
    as_of: Option<&str>,
    valid_at: Option<&str>,
) -> Result<Viewpoint, RequestError> {
    session.times().viewpoint(as_of, valid_at)
}

/// The same to look around something.
fn around(
    session: &Session,
    as_of: Option<&str>,
    valid_at: Option<&str>,
) -> Result<Viewpoint, RequestError> {
    session.times().viewpoint_around(as_of, valid_at)
}

fn scope(call: &Call<'_>) -> Scope {
    call.session.scope_of(call.opened)
}

fn layers<'a>(call: &'a Call<'_>) -> Layers<'a> {
    Layers::alone(call.opened, scope(call), call.disclosure())
}

/// Words to look for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Find {
    /// A name, or other words.
    #[schemars(regex(pattern = NOT_BLANK))]
    query: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Only of these types [default: entity].
    #[serde(rename = "type", default)]
    #[schemars(inner(regex(pattern = NODE_TYPES)))]
    types: Vec<String>,
    /// Memory as of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only what is true at this time.
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
    /// How many, 1 to 100 [default: 20].
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: Option<u32>,
}

needs!(Find, |_| Need::Read, |request, session| {
    if request.query.trim().is_empty() {
        return Err(RequestError::EmptyQuestion.into());
    }
    typed::<NodeType>(request.types.iter().map(String::as_str))?;
    viewpoint(session, request.as_of.as_deref(), request.valid_at.as_deref())?;
    within("limit", request.limit.unwrap_or(LIMIT), 1, LIMIT_MAX)?;
    Ok(())
});

pub(super) fn search(call: &mut Call<'_>, asked: Find) -> Result<Value, ApiError> {
    let viewpoint = viewpoint(&call.session, asked.as_of.as_deref(), asked.valid_at.as_deref())?;
    let mut types = typed::<NodeType>(asked.types.iter().map(String::as_str))?;
    if types.is_empty() {
        types.push(NodeType::Entity);
    }
    let limit = asked.limit.unwrap_or(LIMIT) as usize;
    let search = Search { words: &asked.query, types, limit, viewpoint };
    let (scope, disclosure) = (scope(call), call.disclosure());
    let found = call.with_embedders(|session, opened, pool| {
        knowledge::search_alone(session, pool, (&mut opened.space, scope), disclosure, &search)
    })?;
    let records = found.iter().map(|found| {
        let mut value = json!(found.item.record);
        value["similarity"] = json!(found.item.similarity);
        value
    });
    Ok(json!({ "records": records.collect::<Vec<_>>() }))
}

/// A record to show.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Show {
    /// The name of an entity, or the beginning of an id.
    #[schemars(regex(pattern = NOT_BLANK))]
    name: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Memory as of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only what is true at this time [default: now, or the time of `as_of`].
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
    /// Most edges, and most sources, 1 to 100 [default: 20].
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: Option<u32>,
}

needs!(Show, |_| Need::Read, |request, session| {
    viewpoint(session, request.as_of.as_deref(), request.valid_at.as_deref())?;
    within("limit", request.limit.unwrap_or(LIMIT), 1, LIMIT_MAX)?;
    Ok(())
});

pub(super) fn show(call: &mut Call<'_>, asked: Show) -> Result<Value, ApiError> {
    let at = around(&call.session, asked.as_of.as_deref(), asked.valid_at.as_deref())?;
    let limit = asked.limit.unwrap_or(LIMIT) as usize;
    Ok(json!(layers(call).known(&asked.name, &at, limit)?))
}

/// A record to look around.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Near {
    /// The name of an entity, or the beginning of an id.
    #[schemars(regex(pattern = NOT_BLANK))]
    name: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Only over edges of these types.
    #[serde(rename = "type", default)]
    #[schemars(inner(regex(pattern = EDGE_TYPES)))]
    types: Vec<String>,
    /// How many edges away, 1 to 6 [default: 1].
    #[schemars(range(min = 1, max = DEPTH_MAX))]
    depth: Option<u32>,
    /// Most records, 1 to 500 [default: 20].
    #[schemars(range(min = 1, max = AROUND_MAX))]
    limit: Option<u32>,
    /// Memory as of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only what is true at this time [default: now, or the time of `as_of`].
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
}

needs!(Near, |_| Need::Read, |request, session| {
    typed::<EdgeType>(request.types.iter().map(String::as_str))?;
    viewpoint(session, request.as_of.as_deref(), request.valid_at.as_deref())?;
    within("depth", request.depth.unwrap_or(1), 1, DEPTH_MAX)?;
    within("limit", request.limit.unwrap_or(LIMIT), 1, AROUND_MAX)?;
    Ok(())
});

pub(super) fn neighbours(call: &mut Call<'_>, asked: Near) -> Result<Value, ApiError> {
    let at = around(&call.session, asked.as_of.as_deref(), asked.valid_at.as_deref())?;
    let types = typed::<EdgeType>(asked.types.iter().map(String::as_str))?;
    let bounds = (asked.depth.unwrap_or(1) as usize, asked.limit.unwrap_or(LIMIT) as usize);
    Ok(json!(layers(call).neighbours(&asked.name, &at, bounds, &types)?))
}

/// Two records to join.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Between {
    /// Where the path begins: the name of an entity, or the beginning of an id.
    #[schemars(regex(pattern = NOT_BLANK))]
    from: String,
    /// Where it ends.
    #[schemars(regex(pattern = NOT_BLANK))]
    to: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Only over edges of these types.
    #[serde(rename = "type", default)]
    #[schemars(inner(regex(pattern = EDGE_TYPES)))]
    types: Vec<String>,
    /// Most edges, 1 to 6 [default: 6].
    #[schemars(range(min = 1, max = DEPTH_MAX))]
    depth: Option<u32>,
    /// Most records that are looked at, 1 to 10000 [default: 10000].
    #[schemars(range(min = 1, max = PATH_RECORDS))]
    limit: Option<u32>,
    /// Memory as of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only what is true at this time [default: now, or the time of `as_of`].
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
}

needs!(Between, |_| Need::Read, |request, session| {
    typed::<EdgeType>(request.types.iter().map(String::as_str))?;
    viewpoint(session, request.as_of.as_deref(), request.valid_at.as_deref())?;
    within("depth", request.depth.unwrap_or(DEPTH_MAX), 1, DEPTH_MAX)?;
    within("limit", request.limit.unwrap_or(PATH_RECORDS), 1, PATH_RECORDS)?;
    Ok(())
});

pub(super) fn path(call: &mut Call<'_>, asked: Between) -> Result<Value, ApiError> {
    let limits = PathLimits {
        depth: asked.depth.unwrap_or(DEPTH_MAX) as usize,
        records: asked.limit.unwrap_or(PATH_RECORDS) as usize,
        edge_types: typed::<EdgeType>(asked.types.iter().map(String::as_str))?,
        viewpoint: around(&call.session, asked.as_of.as_deref(), asked.valid_at.as_deref())?,
    };
    Ok(json!(layers(call).path((&asked.from, &asked.to), &limits)?))
}

/// What to export.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Export {
    /// The format.
    format: Format,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Which table of `csv` [default: nodes].
    table: Option<Table>,
    /// Only records of these types or families.
    #[serde(rename = "type", default)]
    #[schemars(inner(regex(pattern = pattern_of(&types::record_types()))))]
    types: Vec<String>,
    /// Also what is private, if the token may see it.
    #[serde(default)]
    private: bool,
    /// Memory as of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only what is true at this time.
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
}

needs!(Export, |_| Need::Read, |request, session| {
    request.types.iter().try_for_each(|name| types::record_type(name).map(drop))?;
    viewpoint(session, request.as_of.as_deref(), request.valid_at.as_deref())?;
    Ok(())
});

pub(super) fn export(call: &mut Call<'_>, asked: Export) -> Result<Value, ApiError> {
    let selected = Selected {
        types: asked.types,
        with_private: asked.private,
        viewpoint: viewpoint(&call.session, asked.as_of.as_deref(), asked.valid_at.as_deref())?,
    };
    let format = asked.format;
    let table = asked.table.unwrap_or(Table::Nodes);
    let (text, written) = export_text(layers(call), &selected, format, table)?;
    let document = match format {
        Format::JsonLd => serde_json::from_str(&text)?,
        _ => Value::String(text),
    };
    Ok(json!({ "nodes": written.nodes, "edges": written.edges, "document": document }))
}

/// Which candidates to list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Candidates {
    /// The space; the token's own by default.
    space: Option<String>,
    /// Only of this kind.
    kind: Option<KindName>,
    /// Only with this status [default: pending].
    status: Option<StatusName>,
    /// Only those that are as sure, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    min_confidence: Option<f64>,
    /// As of this time, from what was recorded until then [default: now].
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// How many, the surest first, 1 to 1000 [default: 50].
    #[schemars(range(min = 1, max = CANDIDATES_MAX))]
    limit: Option<u32>,
}

needs!(Candidates, |_| Need::Read, |request, session| {
    let given = request.min_confidence.unwrap_or_default();
    if !(0.0..=1.0).contains(&given) {
        return Err(RequestError::NotAProbability { given }.into());
    }
    within("limit", request.limit.unwrap_or(CANDIDATES), 1, CANDIDATES_MAX)?;
    session.times().recorded_us(request.as_of.as_deref())?;
    Ok(())
});

pub(super) fn candidates(call: &mut Call<'_>, asked: Candidates) -> Result<Value, ApiError> {
    let filter = CandidateFilter {
        as_of_us: call.session.times().recorded_us(asked.as_of.as_deref())?,
        kind: asked.kind.map(Into::into),
        status: asked.status.unwrap_or(StatusName::Pending).status(),
        confidence_min: asked.min_confidence.unwrap_or_default(),
        limit: asked.limit.unwrap_or(CANDIDATES) as usize,
    };
    let (listed, more) = moderation::list(call.opened, &filter, call.disclosure())?;
    let candidates = listed.iter().map(|found| {
        let mut value = to_json(&found.staged);
        value["suggestions"] = json!(found.suggestions);
        value
    });
    Ok(json!({ "candidates": candidates.collect::<Vec<_>>(), "more": more }))
}

/// Decisions about candidates.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Moderate {
    /// The space; the token's own by default.
    space: Option<String>,
    /// The decisions.
    #[schemars(length(min = 1, max = MODERATED_MAX))]
    items: Vec<Item>,
    /// Mark the sources of what is accepted for removal.
    #[serde(default)]
    mark_removal: bool,
    /// Show what would follow, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

needs!(Moderate, |request| need(request.dry_run), |request, _| {
    let number = u32::try_from(request.items.len()).unwrap_or(u32::MAX);
    within("items", number, 1, MODERATED_MAX as u32)?;
    Ok(())
});

pub(super) fn moderate(call: &mut Call<'_>, asked: Moderate) -> Result<ModerationReport, ApiError> {
    let request = ModerationRequest {
        items: &asked.items,
        visibility: scope(call).visibility(),
        mark_removal: asked.mark_removal,
        intent: if asked.dry_run { Intent::DryRun } else { Intent::Write },
        disclosure: call.disclosure(),
    };
    Ok(moderation::moderate(call.opened, call.session.now, &request)?.0)
}
