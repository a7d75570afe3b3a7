//! What a token does in the person's name, and what would follow from it.

use engine::belief::user::Replacement;
use engine::private::Disclosure;
use engine::selection::RecordState;
use engine::write::import::Intent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::{NOT_BLANK, given};
use super::super::work::{Call, Need};
use super::selecting::{Description, check, selection, some_records};
use crate::failure::RequestError;
use crate::service::changes::{ChangeReport, Outcome};
use crate::service::corrections::{self, Consequences, Hypothesis};
use crate::service::forgetting::ForgetReport;
use crate::service::tokens::Right;

/// What a token needs to speak for the person, or only to try it.
pub(super) fn need(dry_run: bool) -> Need {
    if dry_run { Need::Try } else { Need::Write(Right::Correct) }
}

/// Whether the change is written.
pub(super) fn intent(dry_run: bool) -> Intent {
    if dry_run { Intent::DryRun } else { Intent::Write }
}

/// A correction.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    given("fields", &json!({ "type": "object", "minProperties": 1 })),
    given("text", &json!({ "type": "string", "pattern": NOT_BLANK })),
]))]
pub(super) struct Correct {
    /// The belief or record: a key, an id or the beginning of one.
    name: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// The fields that change, with their new values.
    #[serde(default)]
    fields: serde_json::Map<String, Value>,
    /// What it says instead, in words.
    text: Option<String>,
    /// Why it is corrected.
    #[serde(default)]
    note: String,
    /// Write nothing.
    #[serde(default)]
    dry_run: bool,
}

needs!(Correct, |request| need(request.dry_run), |request, _| {
    let has_text = request.text.as_ref().is_some_and(|text| !text.trim().is_empty());
    match request.fields.is_empty() && !has_text {
        true => Err(RequestError::EmptyCorrection.into()),
        false => Ok(()),
    }
});

pub(super) fn correct(call: &mut Call<'_>, request: Correct) -> Result<ChangeReport, ApiError> {
    let text = request.text.filter(|text| !text.trim().is_empty());
    let name = call.belief(&request.name)?;
    let set = request.fields.iter().map(|(field, value)| format!("{field}={value}"));
    let by = Replacement { set: set.collect(), text, note: request.note, at: None };
    let intent = intent(request.dry_run);
    let outcome = corrections::correct(call.opened, call.session.now, &name, &by, intent)?;
    report(call, outcome)
}

/// A belief, and why.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    /// The belief: a key, an id or the beginning of one.
    name: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// The reason, as it is kept with the change.
    #[serde(default)]
    note: String,
    /// Write nothing.
    #[serde(default)]
    dry_run: bool,
}

needs!(Named, |request| need(request.dry_run));

pub(super) fn refute(call: &mut Call<'_>, request: Named) -> Result<ChangeReport, ApiError> {
    let (name, now) = (call.belief(&request.name)?, call.session.now);
    let intent = intent(request.dry_run);
    let outcome = corrections::refute(call.opened, now, &name, &request.note, intent)?;
    report(call, outcome)
}

pub(super) fn withdraw(call: &mut Call<'_>, request: Named) -> Result<ChangeReport, ApiError> {
    let (name, now) = (call.belief(&request.name)?, call.session.now);
    let intent = intent(request.dry_run);
    let outcome = corrections::withdraw(call.opened, now, &name, &request.note, intent)?;
    report(call, outcome)
}

/// Records, and why.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = some_records()))]
pub(super) struct Records {
    /// Their ids, or the beginnings of ids.
    #[serde(default)]
    ids: Vec<String>,
    /// What they have in common.
    which: Option<Description>,
    /// The space; the token's own by default.
    space: Option<String>,
    /// The reason, as it is kept with the change.
    #[serde(default)]
    note: String,
    /// Write nothing.
    #[serde(default)]
    dry_run: bool,
}

needs!(Records, |records| need(records.dry_run), |records, _| check(
    &records.ids,
    records.which.as_ref()
));

pub(super) fn retract(call: &mut Call<'_>, records: Records) -> Result<ChangeReport, ApiError> {
    let intent = intent(records.dry_run);
    let selected = selection(call, &records.ids, records.which, RecordState::Valid)?;
    let now = call.session.now;
    let retraction = corrections::retract(call.opened, now, &selected, &records.note, intent)?;
    report(call, retraction.outcome)
}

pub(super) fn restore(call: &mut Call<'_>, records: Records) -> Result<ChangeReport, ApiError> {
    let intent = intent(records.dry_run);
    let selected = selection(call, &records.ids, records.which, RecordState::Retracted)?;
    let now = call.session.now;
    let outcome = corrections::restore(call.opened, now, &selected, &records.note, intent)?;
    report(call, outcome)
}

/// Changes to try out together. Nothing is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhatIf {
    /// The space; the token's own by default.
    space: Option<String>,
    /// Records to retract, by their ids.
    #[serde(default)]
    retract: Vec<String>,
    /// Records to retract, by what they have in common.
    without: Option<Description>,
    /// Records to forget, by their ids.
    #[serde(default)]
    forget: Vec<String>,
    /// Beliefs to refute.
    #[serde(default)]
    refute: Vec<String>,
    /// Beliefs of which the corrections and refutations are withdrawn.
    #[serde(default)]
    withdraw: Vec<String>,
    /// Beliefs to correct.
    #[serde(default)]
    correct: Vec<Assignment>,
}

/// A belief and the data that is true instead.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Assignment {
    /// The belief.
    name: String,
    /// All its fields.
    payload: serde_json::Map<String, Value>,
}

needs!(WhatIf, |_| Need::Try, |asked, _| {
    asked.without.as_ref().map(Description::check).transpose().map(drop)
});

/// What would follow.
#[derive(Serialize, JsonSchema)]
pub(super) struct Followed {
    #[serde(flatten)]
    outcome: ChangeReport,
    /// What would be erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    forget: Option<ForgetReport>,
}

pub(super) fn what_if(call: &mut Call<'_>, asked: WhatIf) -> Result<Followed, ApiError> {
    let beliefs = |names: &[String]| -> Result<Vec<String>, ApiError> {
        names.iter().map(|name| call.belief(name)).collect()
    };
    let without = match asked.without {
        Some(description) => selection(call, &[], Some(description), RecordState::Valid)?,
        None => engine::selection::Selection::default(),
    };
    // A description that is private apart from some records is by now a list of ids.
    let mut retract: Vec<String> = without.ids.clone();
    let without = match without.is_by_id() {
        true => engine::selection::Selection::default(),
        false => without,
    };
    for id in &asked.retract {
        retract.push(call.record(id)?.to_string());
    }
    let correct = asked.correct.into_iter().map(|Assignment { name, payload }| {
        Ok(format!("{}={}", call.belief(&name)?, Value::Object(payload)))
    });
    let hypothesis = Hypothesis {
        retract,
        without,
        forget: selection(call, &asked.forget, None, RecordState::Any)?,
        withdraw: beliefs(&asked.withdraw)?,
        correct: correct.collect::<Result<_, ApiError>>()?,
        refute: beliefs(&asked.refute)?,
    };
    let now = call.session.now;
    let Consequences { outcome, mut forget } = corrections::what_if(call.opened, now, &hypothesis)?;
    if call.disclosure() != Disclosure::Full
        && let Some(plan) = &mut forget
    {
        plan.withhold_private(call.opened)?;
    }
    let forget = forget.map(|plan| plan.report(None));
    Ok(Followed { outcome: report(call, outcome)?, forget })
}

/// An outcome as data, without what the token is not shown.
pub(super) fn report(call: &Call<'_>, mut outcome: Outcome) -> Result<ChangeReport, ApiError> {
    if call.disclosure() != Disclosure::Full {
        outcome.withhold_private(call.opened)?;
    }
    Ok(outcome.report())
}
