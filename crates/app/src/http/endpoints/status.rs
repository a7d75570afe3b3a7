//! `GET /api/v1/status`

use engine::private::Disclosure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::work::{Call, Need};

/// Which space.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The space; the token's own by default.
    space: Option<String>,
}

needs!(Request, |_| Need::Read);

/// What a space holds, by kind, only a token that may see private records learns: the counts
/// include them.
pub(super) fn run(call: &mut Call<'_>, _: Request) -> Result<Value, ApiError> {
    let status = call.opened.status()?;
    let mut answer = json!({
        "space": status.space,
        "name": status.name,
        "read_only": status.read_only,
        "position": status.ledger_position,
        "behind": status.ledger_position.0.saturating_sub(status.text_position.0),
        "ahead_s": call.opened.ahead_s(call.session.now)?,
        "token": {
            "id": call.token.id,
            "name": call.token.name,
            "key": call.token.key,
            "rights": call.grant.rights,
            "expires": call.token.expires.map(|end| end.to_string()),
        },
    });
    if call.disclosure() == Disclosure::Full {
        answer["operations"] = json!(status.operations);
        answer["evidence"] = json!(status.evidence);
        answer["bodies"] = json!(status.bodies);
        answer["size"] = json!(status.size);
    }
    Ok(answer)
}
