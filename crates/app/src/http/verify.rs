//! `POST /api/v1/verify`

use std::sync::Arc;

use axum::extract::{Request as HttpRequest, State};
use axum::response::Response;
use engine::private::Disclosure;
use kernel::id::OpId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::App;
use super::endpoint::{BODY_BYTES_MAX, needs};
use super::error::ApiError;
use super::long::{self, Progress, Task};
use super::work::{Call, Need};
use super::{body, json as strict};
use crate::service::tokens::Right;

/// Which space.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The space; the token's own by default.
    space: Option<String>,
}

needs!(Request, |_| Need::Try);

pub(super) async fn answer(
    State(app): State<Arc<App>>,
    request: HttpRequest,
) -> Result<Response, ApiError> {
    let token = app.admit(request.headers())?;
    let headers = request.headers().clone();
    let asked: Request =
        strict::typed(body::json(request, app.body_limits(BODY_BYTES_MAX)).await?)?;
    let site = app.site_for(&token, asked.space.as_deref(), Right::Read)?;
    let task = Task { token, site, need: Need::Try };
    long::run(app, task, &headers, verify).await
}

/// Verifies a space. What is found of private operations is counted, and not shown to a token that
/// may not see them.
fn verify(call: &mut Call<'_>, progress: &mut Progress) -> Result<Value, ApiError> {
    let total = call.opened.head()?.0;
    let mut verification = call.opened.verify(|checked| {
        progress.report(|| json!({ "step": "operations", "checked": checked, "total": total }));
    })?;
    let now = call.session.now;
    call.opened.verify_beliefs(&mut verification, now, |derived| {
        progress.report(|| json!({ "step": "beliefs", "records": derived.read }));
    })?;
    let mut withheld = 0;
    if call.disclosure() != Disclosure::Full {
        let ids: Vec<OpId> = verification.findings.iter().filter_map(|one| one.id).collect();
        let private = call.opened.withheld_among(&ids, call.disclosure())?;
        let before = verification.findings.len();
        // What names no operation may quote any.
        verification.findings.retain(|one| one.id.is_some_and(|id| !private.contains(&id)));
        withheld = before - verification.findings.len();
    }
    let mut answer = serde_json::to_value(&verification)?;
    answer["sound"] = json!(verification.is_sound());
    answer["withheld"] = json!(withheld);
    Ok(answer)
}
