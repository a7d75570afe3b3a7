//! `GET /api/v1/reviews` and `POST /api/v1/reviews/{id}`

use engine::belief::review::Status;
use kernel::id::OpId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::TIME;
use super::super::work::{Call, Need};
use super::changes::{intent, need, report};
use super::patches;
use crate::service::candidates;
use crate::service::changes::ChangeReport;
use crate::service::corrections::{self, Decision, ReviewDecision};
use crate::service::reviews::{change_to_json, review_to_json};

/// Which reviews to list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// The space; the token's own by default.
    space: Option<String>,
    /// Include what is settled.
    #[serde(default)]
    all: bool,
    /// As of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
}

needs!(List, |_| Need::Read, |asked, session| {
    session.times().recorded_us(asked.as_of.as_deref())?;
    Ok(())
});

pub(super) fn list(call: &mut Call<'_>, asked: List) -> Result<Value, ApiError> {
    let as_of_us = call.session.times().recorded_us(asked.as_of.as_deref())?;
    let is_listed = |status: Status| asked.all || status == Status::Pending;
    let mut listed: Vec<(OpId, Value)> = Vec::new();
    for review in call.opened.reviews(as_of_us)?.iter().filter(|it| is_listed(it.status)) {
        listed.push((review.id, review_to_json(review)));
    }
    for change in call.opened.proposed_changes(as_of_us)?.iter().filter(|it| is_listed(it.status)) {
        listed.push((change.id, change_to_json(change)));
    }
    for patch in call.opened.patches(as_of_us)?.iter().filter(|it| is_listed(it.status)) {
        listed.push((patch.id, patches::to_json(patch)));
    }
    for staged in call.opened.candidates(as_of_us)?.iter().filter(|it| is_listed(it.status)) {
        listed.push((staged.id, candidates::to_json(staged)));
    }
    let ids: Vec<OpId> = listed.iter().map(|(id, _)| *id).collect();
    let withheld = call.opened.withheld_among(&ids, call.disclosure())?;
    listed.retain(|(id, _)| !withheld.contains(id));
    let reviews: Vec<Value> = listed.into_iter().map(|(_, review)| review).collect();
    Ok(json!({ "reviews": reviews }))
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
    /// Why.
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
