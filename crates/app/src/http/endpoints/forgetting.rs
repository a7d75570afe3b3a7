//! `POST /api/v1/forget`

use engine::private::Disclosure;
use engine::selection::RecordState;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::work::Call;
use super::changes::need;
use super::selecting::{Description, check, selection, some_records};
use crate::service::forgetting::{self, ForgetReport};

/// What to erase. It cannot be undone.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = some_records()))]
pub(super) struct Request {
    /// Records, or corrections and refutations, by their ids.
    #[serde(default)]
    ids: Vec<String>,
    /// What the records have in common.
    which: Option<Description>,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Why; it stays readable.
    #[serde(default)]
    reason: String,
    /// Only say what would go.
    #[serde(default)]
    dry_run: bool,
}

needs!(Request, |request| need(request.dry_run), |request, _| check(
    &request.ids,
    request.which.as_ref()
));

pub(super) fn run(call: &mut Call<'_>, request: Request) -> Result<ForgetReport, ApiError> {
    let selected = selection(call, &request.ids, request.which, RecordState::Any)?;
    let now = call.session.now;
    let mut plan = forgetting::plan(call.opened, now, &selected)?;
    let mut forgotten = match request.dry_run {
        true => None,
        false => Some(forgetting::forget(call.opened, now, &plan, &request.reason)?),
    };
    if call.disclosure() != Disclosure::Full {
        plan.withhold_private(call.opened)?;
        if let Some(forgotten) = &mut forgotten {
            let private = call.opened.private_among(&forgotten.redactions)?;
            forgotten.redactions.retain(|id| !private.contains(id));
        }
    }
    Ok(plan.report(forgotten.as_ref()))
}
