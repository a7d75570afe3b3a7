//! `GET /api/v1/reviews` and `POST /api/v1/reviews/{id}`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::TIME;
use super::super::work::{Call, Need};
use super::changes::{intent, need, report};
use super::patches;
use crate::failure::{RequestError, within};
use crate::service::candidates;
use crate::service::changes::ChangeReport;
use crate::service::corrections::{self, Decision, ReviewDecision};
use crate::service::reviews::{ReviewQueue, change_to_json, review_to_json};

/// What waits for a decision: which reviews or patches to list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// The space; the token's own by default.
    space: Option<String>,
    /// Include what is settled.
    #[serde(default)]
    pub(super) all: bool,
    /// As of this time of recording.
    #[schemars(regex(pattern = TIME))]
    pub(super) as_of: Option<String>,
    /// Only with this text, in any letter case.
    pub(super) contains: Option<String>,
    /// At most so many [default: 1000].
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<u32>,
}

impl List {
    pub(super) fn limit(&self) -> Result<usize, RequestError> {
        Ok(within("limit", self.limit.unwrap_or(1_000), 1, 10_000)? as usize)
    }
}

needs!(List, |_| Need::Read, |asked, session| {
    asked.limit()?;
    session.times().recorded_us(asked.as_of.as_deref())?;
    Ok(())
});

pub(super) fn list(call: &mut Call<'_>, asked: List) -> Result<Value, ApiError> {
    let as_of_us = call.session.times().recorded_us(asked.as_of.as_deref())?;
    let mut queue = ReviewQueue::of(call.opened, as_of_us, asked.all, call.disclosure())?;
    if let Some(text) = &asked.contains {
        queue.retain_containing(text);
    }
    let reviews = queue.reviews.iter().map(review_to_json);
    let listed = reviews
        .chain(queue.changes.iter().map(change_to_json))
        .chain(queue.patches.iter().map(patches::to_json))
        .chain(queue.candidates.iter().map(candidates::to_json));
    Ok(first_of("reviews", listed, asked.limit()?))
}

/// The first of a list, and whether there are more.
pub(super) fn first_of(name: &str, listed: impl Iterator<Item = Value>, limit: usize) -> Value {
    let mut listed: Vec<Value> = listed.take(limit.saturating_add(1)).collect();
    let more = listed.len() > limit;
    listed.truncate(limit);
    json!({ name: listed, "more": more })
}

/// A decision.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Decide {
    /// The review's id, or its beginning.
    id: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// What to do about it.
    decision: Verdict,
    /// The reason for the decision.
    #[serde(default)]
    note: String,
    /// Write nothing.
    #[serde(default)]
    dry_run: bool,
}

/// What to do about a review.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Accept,
    Dismiss,
}

needs!(Decide, |request| need(request.dry_run));

pub(super) fn decide(call: &mut Call<'_>, asked: Decide) -> Result<ChangeReport, ApiError> {
    let id = call.record(&asked.id)?.to_string();
    let decision = match asked.decision {
        Verdict::Accept => Decision::Accept,
        Verdict::Dismiss => Decision::Dismiss,
    };
    let asked = ReviewDecision { decision, note: &asked.note, intent: intent(asked.dry_run) };
    let outcome = corrections::decide_review(&call.session, call.opened, &id, asked)?;
    report(call, outcome)
}
