//! Patches of the graph: `/api/v1/patches`

use axum::http::StatusCode;
use engine::belief::explain::time;
use engine::belief::review::Status;
use engine::private::Viewpoint;
use engine::write::import::Intent;
use engine::write::patch::{Patch, Patched};
use kernel::id::OpId;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::endpoint::{Input, needs};
use super::super::error::ApiError;
use super::super::json::typed;
use super::super::schema::{TIME, any_of, exclusive};
use super::super::work::{Call, Need, Target};
use super::changes::{intent, need};
use super::recall::embedder_json;
use super::reviews::{List, first_of};
use crate::failure::{RequestError, within};
use crate::service::Session;
use crate::service::agent_changes::{check_operations, same_patch};
use crate::service::patch::{self as service, PatchFile, ReadPatch, Reason, statuses_json};
use crate::service::proposed_patch::{self, ContextLimits};
use crate::service::tokens::Right;
use crate::service::wording::private_by_grounds;

/// The origin of a patch that came over the network.
const ORIGIN: &str = "http";
/// Reasons in the message of an error.
const REASONS_MAX: usize = 5;

/// The fields of a patch. An operation that cannot be read is a reason to refuse the patch.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the service reads these fields")]
struct PatchFields {
    /// What it is for, in words.
    #[serde(default)]
    text: String,
    /// Its operations, applied in order.
    #[schemars(length(min = 1, max = 20_000))]
    operations: Vec<Value>,
}

/// Refuses what is not a patch at all.
fn check_form(patch: &Map<String, Value>) -> Result<PatchFile, ApiError> {
    let read = PatchFile::deserialize(Value::Object(patch.clone()));
    let malformed = |error: serde_json::Error| {
        RequestError::PatchMalformed { detail: error.to_string() }.into()
    };
    read.map_err(malformed)
}

/// Refuses also what only the person may set.
fn check_proposed(patch: &Map<String, Value>) -> Result<(), ApiError> {
    let file = check_form(patch)?;
    Ok(check_operations(file.operations.iter().filter_map(Value::as_object))?)
}

/// A patch, as docs/cli.md describes it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PatchBody {
    /// `text`, and `operations`.
    #[schemars(with = "PatchFields")]
    patch: Map<String, Value>,
    /// The space; the token's own by default.
    space: Option<String>,
}

/// A patch to be checked.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Check(PatchBody);

impl Input for Check {
    fn read(value: Value) -> Result<Self, ApiError> {
        typed(value)
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        PatchBody::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::Space(self.0.space.clone())
    }

    fn need(&self) -> Need {
        Need::Try
    }

    fn check(&self, _: &Session) -> Result<(), ApiError> {
        check_form(&self.0.patch).map(drop)
    }
}

needs!(PatchBody, |_| Need::Write(Right::Derive), |given, _| check_proposed(&given.patch));

/// Reads a patch. What a token is not shown cannot be cited.
fn read(call: &Call<'_>, patch: &Map<String, Value>) -> Result<ReadPatch, ApiError> {
    let (session, disclosure) = (&call.session, call.disclosure());
    let text = serde_json::to_string(patch)?;
    Ok(service::read_disclosed(session, call.opened, &text, ORIGIN, disclosure)?)
}

pub(super) fn check(call: &mut Call<'_>, Check(given): Check) -> Result<Value, ApiError> {
    let read = read(call, &given.patch)?;
    match read.check(call.opened, call.session.now)? {
        Ok(patched) => patched_json(call, &patched, Intent::DryRun),
        Err(reasons) => Ok(json!({ "ok": false, "reasons": reasons })),
    }
}

pub(super) fn propose(call: &mut Call<'_>, given: PatchBody) -> Result<Value, ApiError> {
    let read = read(call, &given.patch)?;
    if let Err(reasons) = read.check(call.opened, call.session.now)? {
        return Err(refused(&reasons));
    }
    // What was decided before is not asked again.
    if let Some(before) = same_patch(call.opened, call.opened.author(), &read.patch)? {
        return Ok(json!({ "id": before.id, "status": before.status.as_str() }));
    }
    let id = call.opened.propose_patch(&read.patch, call.session.now)?;
    Ok(json!({ "id": id, "status": Status::Pending.as_str() }))
}

fn refused(reasons: &[Reason]) -> ApiError {
    let reasons = reasons.iter().take(REASONS_MAX);
    let words: Vec<String> = reasons
        .map(|reason| format!("operation {}: {}", reason.operation, reason.message))
        .collect();
    ApiError::new(StatusCode::CONFLICT, "PATCH_REFUSED", words.join("; "))
}

/// A patch to be applied: one that was proposed, or a new one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = any_of(&["id", "patch"]), "allOf" = exclusive(&["id", "patch"])))]
pub(super) struct Apply {
    /// The id of a proposed patch.
    id: Option<String>,
    /// A new patch.
    #[schemars(with = "Option<PatchFields>")]
    patch: Option<Map<String, Value>>,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Write nothing.
    #[serde(default)]
    dry_run: bool,
}

needs!(Apply, |request| need(request.dry_run), |request, _| {
    match request.id.is_some() == request.patch.is_some() {
        true => Err(neither_or_both()),
        false => request.patch.as_ref().map(check_form).transpose().map(drop),
    }
});

fn neither_or_both() -> ApiError {
    ApiError::validation("give `id` or `patch`, and not both")
}

pub(super) fn apply(call: &mut Call<'_>, request: Apply) -> Result<Value, ApiError> {
    let (intent, now) = (intent(request.dry_run), call.session.now);
    let patched = match (&request.id, &request.patch) {
        (Some(id), None) => {
            let patch = named(call, id)?;
            if patch.status != Status::Pending {
                let (id, status) = (patch.id, patch.status.as_str());
                return Err(RequestError::PatchSettled { id, status }.into());
            }
            call.opened.apply_patch(&patch, intent, now)?
        }
        (None, Some(patch)) => {
            let read = read(call, patch)?;
            match read.check(call.opened, now)? {
                Err(reasons) => return Err(refused(&reasons)),
                Ok(patched) if request.dry_run => patched,
                Ok(_) => call.opened.apply_new_patch(&read.patch, intent, now)?,
            }
        }
        _ => return Err(neither_or_both()),
    };
    patched_json(call, &patched, intent)
}

/// A patch to be taken back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Revert {
    /// The patch's id, or the beginning of it.
    id: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Write nothing.
    #[serde(default)]
    dry_run: bool,
}

needs!(Revert, |request| need(request.dry_run));

pub(super) fn revert(call: &mut Call<'_>, request: Revert) -> Result<Value, ApiError> {
    let patch = named(call, &request.id)?;
    let mut built_on = call.opened.built_on(&patch)?;
    let withheld = call.opened.withheld_among(&built_on, call.disclosure())?;
    built_on.retain(|id| !withheld.contains(id));
    let intent = intent(request.dry_run);
    let patched = service::revert(call.opened, &patch, intent, call.session.now)?;
    let mut answer = patched_json(call, &patched, intent)?;
    answer["built_on"] = json!(built_on);
    Ok(answer)
}

fn named(call: &Call<'_>, name: &str) -> Result<Patch, ApiError> {
    let id = call.record(name)?;
    let patch = call.opened.patch(&id.to_string())?;
    // What is not a patch is as little there as what nothing has the id of.
    patch.ok_or_else(|| {
        let message = RequestError::NotAPatch { id }.to_string();
        ApiError::new(StatusCode::NOT_FOUND, "NOT_A_PATCH", message)
    })
}

fn patched_json(call: &Call<'_>, patched: &Patched, intent: Intent) -> Result<Value, ApiError> {
    let is_written = intent == Intent::Write;
    let written = |ids: &[OpId]| if is_written { json!(ids) } else { json!([]) };
    let ids: Vec<OpId> = patched.statuses.iter().map(|status| status.id).collect();
    let ids: Vec<OpId> = ids.into_iter().chain(patched.stand_for.iter().copied()).collect();
    let withheld = call.opened.withheld_among(&ids, call.disclosure())?;
    // What something private says already has no id for others.
    let stand_for = patched.stand_for.iter().map(|id| (!withheld.contains(id)).then_some(id));
    let stand_for: Vec<Option<&OpId>> = stand_for.filter(|_| is_written).collect();
    let statuses = patched.statuses.iter().filter(|status| !withheld.contains(&status.id));
    let mut answer = json!({
        "ok": true,
        "dry_run": !is_written,
        "patch": patched.patch.filter(|_| is_written),
        "stand_for": stand_for,
        "appended": written(&patched.appended),
        "statuses": statuses_json(statuses, intent),
    });
    if let Some(warning) = private_by_grounds(patched.private_by_grounds.len()) {
        answer["warning"] = json!(warning);
    }
    Ok(answer)
}

pub(super) fn list(call: &mut Call<'_>, asked: List) -> Result<Value, ApiError> {
    let as_of_us = call.session.times().recorded_us(asked.as_of.as_deref())?;
    let mut patches = call.opened.patches(as_of_us)?;
    patches.retain(|patch| asked.all || patch.status == Status::Pending);
    if let Some(text) = asked.contains.as_ref().map(|text| text.to_lowercase()) {
        patches.retain(|patch| patch.text.to_lowercase().contains(&text));
    }
    let ids: Vec<OpId> = patches.iter().map(|patch| patch.id).collect();
    let withheld = call.opened.withheld_among(&ids, call.disclosure())?;
    let shown = patches.iter().filter(|patch| !withheld.contains(&patch.id));
    Ok(first_of("patches", shown.map(to_json), asked.limit()?))
}

/// A patch in a list.
pub(super) fn to_json(patch: &Patch) -> Value {
    json!({
        "id": patch.id, "at": time(patch.at), "reason": "patch", "by": patch.by,
        "origin": patch.origin, "text": patch.text, "status": patch.status.as_str(),
        "changes": patch.changes.len(), "applied": patch.applied,
    })
}

/// What a patch is to be about.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Context {
    /// What it is about.
    query: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// How many claims, and how many nodes, to begin from [default: 8].
    #[schemars(range(min = 1, max = 100))]
    hits: Option<u32>,
    /// How many edges away from them [default: 1].
    #[schemars(range(max = 10))]
    depth: Option<u32>,
    /// How many records at most [default: 40].
    #[schemars(range(min = 1, max = 1_000))]
    max_nodes: Option<u32>,
    /// As of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only records that are true in the world at this time [default: now, around what is found].
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
}

needs!(Context, |_| Need::Read, |request, session| {
    request.limits()?;
    session.times().viewpoint(request.as_of.as_deref(), request.valid_at.as_deref())?;
    Ok(())
});

impl Context {
    /// How many records to begin from, how far to go, and how many records at most.
    fn limits(&self) -> Result<[usize; 3], RequestError> {
        let hits = within("hits", self.hits.unwrap_or(8), 1, 100)?;
        let depth = within("depth", self.depth.unwrap_or(1), 0, 10)?;
        let nodes = within("max_nodes", self.max_nodes.unwrap_or(40), 1, 1_000)?;
        Ok([hits, depth, nodes].map(|number| number as usize))
    }
}

pub(super) fn context(call: &mut Call<'_>, asked: Context) -> Result<Value, ApiError> {
    let [hits, depth, nodes] = asked.limits()?;
    let times = call.session.times();
    let viewpoint = times.viewpoint(asked.as_of.as_deref(), asked.valid_at.as_deref())?;
    let viewpoint = Viewpoint { disclosure: call.disclosure(), ..viewpoint };
    let limits = ContextLimits { hits, depth, nodes };
    let (found, embedded) = call.with_embedders(|session, opened, pool| {
        proposed_patch::context(opened, session, pool, &asked.query, limits, &viewpoint)
    })?;
    let mut answer = serde_json::to_value(found)?;
    answer["embedder"] = embedder_json(&embedded);
    answer["query"] = json!(asked.query);
    Ok(answer)
}
