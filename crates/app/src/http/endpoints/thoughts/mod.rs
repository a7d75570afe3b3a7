//! The thought space: `/api/v1/memory` and its kin.
//!
//! The service reads and judges the requests ([`crate::service::thoughts`]); this module says where
//! each works and what it needs there, and [`fields`] describes them.

use axum::http::StatusCode;
use engine::private::Disclosure;
use serde_json::Value;

use super::super::endpoint::Endpoint;
use super::super::error::ApiError;
use super::super::work::{Call, disclosure_of};
use crate::service::opening::OpenedSpace;
use crate::service::thoughts::answer::{
    DomainsAnswer, FeedbackAnswer, IngestAnswer, LineageAnswer, MemoryAnswer, ShareAnswer,
    ThoughtAnswer,
};
use crate::service::thoughts::embedding::embed_prompt;
use crate::service::thoughts::request::MemoryRequest;
use crate::service::thoughts::{
    Caller, CallerSpace, Rights, ThoughtError, ThoughtRefusal, manage, memory,
};
use crate::service::tokens::{Grant, Right};

mod examples;
mod fields;
mod requests;

use requests::{Contribution, Domains, Feedback, Labels, LineageOf, Prompt, Query, Share, Shown};

/// The group of these endpoints in the description.
pub(in super::super) const THOUGHTS: &str = "thoughts";

/// The endpoints.
pub(super) fn all() -> Vec<Endpoint> {
    let endpoints = vec![
        Endpoint::post("/api/v1/memory", "Think: retrieve, and contribute if that is due", think)
            .example(examples::prompt(), examples::memory()),
        Endpoint::post("/api/v1/query", "Retrieve thoughts, and keep nothing", query)
            .example(examples::query(), examples::queried()),
        Endpoint::post("/api/v1/ingest", "Keep a thought, whatever it is", ingest)
            .example(examples::content(), examples::ingested()),
        Endpoint::post(
            "/api/v1/memory/feedback",
            "Say that a thought helped or is wrong",
            feedback,
        )
        .example(examples::signal(), examples::weighed()),
        Endpoint::get("/api/v1/thoughts/{id}", "Show a thought and its use", show)
            .example(examples::id(), examples::thought()),
        Endpoint::patch("/api/v1/thoughts/{id}", "Change the labels of a thought", label)
            .example(examples::labels(), examples::thought()),
        Endpoint::get(
            "/api/v1/thoughts/{id}/lineage",
            "Show what a thought was made from, and what was made from it",
            lineage,
        )
        .example(examples::id_and_depth(), examples::lineage()),
        Endpoint::post("/api/v1/thoughts/{id}/share", "Copy a thought into another space", share)
            .answering(StatusCode::CREATED)
            .example(examples::share(), examples::shared()),
        Endpoint::get("/api/v1/domains", "List the topics that thoughts sum up", domains)
            .example(Value::Object(serde_json::Map::new()), examples::domains()),
    ];
    endpoints.into_iter().map(|endpoint| endpoint.tagged(THOUGHTS)).collect()
}

/// A space as its caller may use it.
fn caller_space<'c>(
    opened: &'c mut OpenedSpace,
    grant: &Grant,
    disclosure: Disclosure,
    name: &str,
) -> CallerSpace<'c> {
    CallerSpace {
        name: name.to_owned(),
        space: &mut opened.space,
        disclosure,
        rights: Rights {
            may_append: grant.has(Right::Append),
            may_correct: grant.has(Right::Correct),
        },
        takes_short_ids: false,
        // The space signs with the token's key already.
        sealer: None,
    }
}

/// The caller in the one space of a request, which is found already and needs no name.
fn caller<'c>(call: &'c mut Call<'_>) -> Caller<'c> {
    let (now, disclosure) = (call.session.now, call.disclosure());
    Caller { spaces: vec![caller_space(call.opened, call.grant, disclosure, "")], now }
}

/// The request as the one space of the call answers it: embedded by the space's model.
fn embed(call: &mut Call<'_>, request: &mut MemoryRequest) -> Result<(), ApiError> {
    request.space = None;
    call.with_embedders(|session, opened, pool| {
        embed_prompt(pool, session, &mut opened.space, request).map(drop)
    })
}

/// Says of a reference that is unknown in the space of the request if it is known in another one of
/// the token: nothing crosses a space.
fn in_its_space(call: &Call<'_>, error: ThoughtError) -> ApiError {
    let ThoughtError::Refused(ThoughtRefusal::NotFound { id }) = &error else {
        return error.into();
    };
    match call.other_space_of(id) {
        Ok(Some(space)) => ApiError::validation(format!(
            "the thought {id} is in another space, and nothing crosses a space: pass \"space\": {space:?}"
        )),
        Ok(None) => error.into(),
        Err(failed) => failed,
    }
}

fn think(call: &mut Call<'_>, Prompt(mut request): Prompt) -> Result<MemoryAnswer, ApiError> {
    embed(call, &mut request)?;
    let retrieved = memory::retrieve_for_prompt(&mut caller(call), &request);
    let mut retrieved = retrieved.map_err(|error| in_its_space(call, error))?;
    if retrieved.is_kept {
        call.wait_for_turn()?;
        let _folds = call.opened.will_fold();
        memory::keep(&mut caller(call), &request, &mut retrieved)?;
        // Those who wait for their turn append first. One fold then does for all of them.
        call.let_others_write();
        memory::make_found(&mut caller(call), &request)?;
    }
    Ok(memory::note_and_answer(&mut caller(call), &request, retrieved)?)
}

fn query(call: &mut Call<'_>, Query(mut request): Query) -> Result<MemoryAnswer, ApiError> {
    embed(call, &mut request)?;
    Ok(memory::query(&mut caller(call), &request)?)
}

fn ingest(
    call: &mut Call<'_>,
    Contribution(mut request): Contribution,
) -> Result<IngestAnswer, ApiError> {
    request.space = None;
    let kept = memory::ingest(&mut caller(call), &request);
    kept.map_err(|error| in_its_space(call, error))
}

fn feedback(call: &mut Call<'_>, Feedback(request): Feedback) -> Result<FeedbackAnswer, ApiError> {
    Ok(manage::feedback(&mut caller(call), &request)?)
}

fn show(call: &mut Call<'_>, Shown(id): Shown) -> Result<ThoughtAnswer, ApiError> {
    Ok(manage::show(&mut caller(call), &id)?)
}

fn label(call: &mut Call<'_>, Labels { id, labels }: Labels) -> Result<ThoughtAnswer, ApiError> {
    Ok(manage::label(&mut caller(call), &id, labels)?)
}

fn lineage(call: &mut Call<'_>, asked: LineageOf) -> Result<LineageAnswer, ApiError> {
    Ok(manage::lineage(&mut caller(call), &asked.id, asked.depth, None)?)
}

fn share(call: &mut Call<'_>, Share { id, space }: Share) -> Result<ShareAnswer, ApiError> {
    let (now, disclosure) = (call.session.now, call.disclosure());
    let spaces = match &mut call.second {
        // It is shared with the space that it is in, which the service refuses.
        None => vec![caller_space(call.opened, call.grant, disclosure, &space)],
        Some((grant, opened)) => {
            let disclosed = disclosure_of(grant);
            vec![
                caller_space(call.opened, call.grant, disclosure, ""),
                caller_space(opened, grant, disclosed, &space),
            ]
        }
    };
    Ok(manage::share(&mut Caller { spaces, now }, &id, &space)?)
}

fn domains(call: &mut Call<'_>, _: Domains) -> Result<DomainsAnswer, ApiError> {
    Ok(manage::domains(&mut caller(call), None)?)
}
