//! `POST /api/v1/remember`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::{MOMENT, NOT_BLANK};
use super::super::work::{Call, Need};
use crate::failure::RequestError;
use crate::service::agents::{UNNAMED, is_name_of_user};
use crate::service::derivation::derive_new;
use crate::service::disclosure::is_private_change;
use crate::service::notes::{Note, speaker};
use crate::service::tokens::Right;

/// Changed beliefs named in an answer.
const CHANGED_MAX: usize = 20;

/// Something to write down.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// What to remember.
    #[schemars(regex(pattern = NOT_BLANK))]
    text: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Who said it: a name, or `user` for the person whose memory it is [default: the token's
    /// name].
    actor: Option<String>,
    /// When it happened [default: now].
    #[schemars(regex(pattern = MOMENT))]
    at: Option<String>,
    /// Labels.
    #[serde(default)]
    tags: Vec<String>,
}

needs!(Request, |_| Need::Write(Right::Append), |request, session| {
    let Request { text, actor, at, tags, .. } = request;
    speaker(actor.as_deref().unwrap_or_default().trim(), None)?;
    let (text, actor, at, tags) = (text.clone(), actor.clone(), at.clone(), tags.clone());
    Note { text, actor, role: None, agent: None, at, tags }.check_limits(session)?;
    Ok(())
});

/// What was written down.
#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    /// The id of the record.
    id: String,
    /// False if it was there already.
    new: bool,
    /// Kinds of the secrets that were masked before anything was written.
    masked: Vec<String>,
    /// Keys of the beliefs that changed, the first of them.
    changed: Vec<String>,
}

pub(super) fn run(call: &mut Call<'_>, request: Request) -> Result<Answer, ApiError> {
    let Request { text, actor, at, tags, space: _ } = request;
    let name = actor.as_deref().unwrap_or_default().trim();
    let (mut actor, role) = speaker(name, Some(&call.token.name))?;
    let keys = call.opened.key_ring()?;
    if let Some(named) = actor.as_deref().filter(|named| is_name_of_user(named, &keys)) {
        match role {
            None => return Err(RequestError::AmbiguousActor { actor: named.to_owned() }.into()),
            // A token that speaks for the person has such a name itself.
            Some(_) if call.grant.has(Right::Correct) => {}
            Some(_) => actor = Some(UNNAMED.to_owned()),
        }
    }
    let note = Note { text, actor, role, agent: Some(call.token.key), at, tags };
    let note = note.check(&call.session)?;
    let disclosure = call.disclosure();
    let (now, space) = (call.session.now, &mut call.opened.space);
    let recorded = note.record(space.writer(), now)?;
    let derived = derive_new(space, now, |_| {})?;
    let mut changed = Vec::new();
    for (key, change) in derived.iter().flat_map(|(_, changes)| &changes.beliefs) {
        if changed.len() == CHANGED_MAX {
            break;
        }
        if disclosure == engine::private::Disclosure::Full || !is_private_change(space, change)? {
            changed.push(key.clone());
        }
    }
    Ok(Answer {
        id: recorded.id.to_string(),
        new: recorded.is_new,
        masked: recorded.masked.iter().map(ToString::to_string).collect(),
        changed,
    })
}
