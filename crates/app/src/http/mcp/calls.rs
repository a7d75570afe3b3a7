//! The calls of tools by a token: their rights, and the thread and space that they are answered
//! with.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use axum::http::request::Parts;
use models::choice::Selection;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::json;

use crate::failure::Failure;
use crate::http::App;
use crate::http::error::ApiError;
use crate::http::work::{Need, Site, sign_for, signer_of};
use crate::mcp::{
    Action, Backend, Call, Channel, Failed, Response, TokenCaller, ToolMemory, in_words, worded,
};
use crate::service::agents::Agent;
use crate::service::query_embedding::EmbedderPool;
use crate::service::tokens::{Grant, Right, Token};

/// Who sent a request, and where it is answered.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) token: Arc<Token>,
    pub(super) site: Site,
    /// The session that it belongs to, if it has one.
    pub(super) session: Option<String>,
    /// The id of the request, for the log.
    pub(super) request_id: String,
}

impl Origin {
    fn of(context: &RequestContext<RoleServer>) -> Option<&Self> {
        context.extensions.get::<Parts>()?.extensions.get()
    }
}

/// Answers the calls of tokens.
pub(in crate::http) struct TokenCalls(Arc<App>);

impl TokenCalls {
    pub(super) fn new(app: Arc<App>) -> Self {
        Self(app)
    }
}

impl Backend for TokenCalls {
    /// The name of the token: a program cannot call itself something else.
    fn program(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        Origin::of(context).map(|origin| origin.token.name.clone())
    }

    /// Nobody is asked. The right to speak for the person is the token's or it is not; that a
    /// client says that the person agreed cannot be checked from here.
    fn channel(&self, _: &RequestContext<RoleServer>) -> Channel {
        Channel::None
    }

    async fn answer(
        &self,
        call: Call,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<Response, String>> {
        let origin = Origin::of(context)?.clone();
        let tool = call.tool().as_str();
        let answered = self.0.answer_call(origin.clone(), call).await;
        Some(answered.map_err(|refused| match refused {
            Refused::Failed(failed) => in_words(&failed),
            Refused::Error(error) => {
                if let Some(detail) = error.detail() {
                    let line = json!({
                        "request_id": origin.request_id, "token": origin.token.id,
                        "tool": tool, "code": error.code, "detail": detail,
                    });
                    self.0.log.event("error", "tool", line);
                }
                worded(&error.code.to_ascii_lowercase(), &error.message, Some(advice(&error)))
            }
        }))
    }
}

/// Why a call was not answered.
enum Refused {
    /// The memory has a reason that the agent can do something about.
    Failed(Failed),
    /// The server has one.
    Error(ApiError),
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl From<Failed> for Refused {
    /// What concerns the server alone is withheld, as from every client.
    fn from(failed: Failed) -> Self {
        match ApiError::is_withheld(&failed.failure) {
            true => Self::Error((*failed.failure).into()),
            false => Self::Failed(failed),
        }
    }
}

/// What an agent does about an error of the server.
fn advice(error: &ApiError) -> &'static str {
    match error.code.as_str() {
        "BUSY" | "TIMEOUT" => "Call again in a moment.",
        "FORBIDDEN" => {
            "Tell the user, who can make a token with that right, with the command `because token create`."
        }
        _ => "Tell the user, who can look at the server's log.",
    }
}

/// What a call needs of the space.
fn need(call: &Call, grant: &Grant) -> Result<Need, ApiError> {
    let rights: &[Right] = match call {
        Call::Recall(..)
        | Call::GetContext(..)
        | Call::Observe(..)
        | Call::Explain(..)
        | Call::Graph(..)
        | Call::Why(..)
        | Call::Review(..) => return Ok(Need::Read),
        Call::InnerVoice(asked, _) if asked.stages() => &[Right::Append, Right::Derive],
        Call::Maintain(asked, _) if asked.only_reads() => return Ok(Need::Read),
        // Only tried, unless the token speaks for the person.
        Call::Maintain(asked, _) if asked.only_tries() || !grant.has(Right::Correct) => {
            return Ok(Need::Try);
        }
        Call::Maintain(..) => &[Right::Correct],
        Call::Moderate(asked, _) if asked.only_tries() => return Ok(Need::Try),
        // An answer is kept where that is permitted.
        Call::InnerVoice(asked, _) => match asked.save() {
            Some(false) => return Ok(Need::Read),
            None if !grant.has(Right::Append) => return Ok(Need::Read),
            None | Some(true) => &[Right::Append],
        },
        // What the token noted itself is taken back by whoever may add notes.
        Call::Remember(..) | Call::Propose(Action::Retract(_), _) => &[Right::Append],
        // They cite a statement of the token, which is added to the records.
        Call::State(..) | Call::Connect(..) | Call::ProposePatch(..) => {
            &[Right::Append, Right::Derive]
        }
        // A token that does not speak for the person makes a proposal.
        Call::Propose(..) if is_proposed(call, grant) => &[Right::Append, Right::Derive],
        Call::Propose(..) | Call::Moderate(..) => &[Right::Correct],
    };
    match rights.iter().all(|right| grant.has(*right)) {
        true => Ok(Need::Write(rights.first().copied().unwrap_or(Right::Append))),
        false => Err(ApiError::no_right()),
    }
}

/// Whether a call makes a proposal, which changes nothing before the person decides.
fn is_proposed(call: &Call, grant: &Grant) -> bool {
    matches!(call, Call::Propose(..)) && !grant.has(Right::Correct)
}

impl App {
    async fn answer_call(
        self: &Arc<Self>,
        origin: Origin,
        call: Call,
    ) -> Result<Response, Refused> {
        let need = need(&call, &origin.site.grant)?;
        let held = self.turns_and_place(&origin.site, None, need).await?;
        let (app, space) = (Arc::clone(self), Arc::clone(&origin.site.space));
        let working = tokio::task::spawn_blocking(move || {
            let _held = held;
            app.answer_call_now(&origin, need, call)
        });
        let answered = self.finished(need, working).await?;
        if matches!(need, Need::Write(_)) {
            self.start_follow_up(&space);
        }
        answered
    }

    /// The same on this thread.
    fn answer_call_now(
        &self,
        origin: &Origin,
        need: Need,
        call: Call,
    ) -> Result<Response, Refused> {
        let session = self.session_now();
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let Origin { token, site: Site { space, grant }, session: id, .. } = origin;
            let mut lease = space.lease(&session).map_err(ApiError::from)?;
            let Some(opened) = lease.opened() else { return Err(ApiError::busy().into()) };
            let agent = match need {
                Need::Write(_) => {
                    // What a proposal would lead to is tried as the person's own, and rolled back.
                    // The proposal itself is signed by the token's key.
                    let signs = if is_proposed(&call, grant) { Need::Try } else { need };
                    sign_for(opened, &session, token, signs)?;
                    Some(Agent::of_token(token, signer_of(&session, token)?))
                }
                need => {
                    sign_for(opened, &session, token, need)?;
                    None
                }
            };
            let configuration =
                session.configuration(Some(opened.path())).map_err(ApiError::from)?;
            let has_models = configuration.chosen().selection != Selection::BuiltIn;
            let pools = &self.workers.embedders;
            let mut pool = has_models.then(|| pools.lock().unwrap_or_else(PoisonError::into_inner));
            let place = (id.clone().unwrap_or_else(|| token.id.clone()), space.id);
            let kept = self.sessions.conversations(place, Instant::now());
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let taken = (
                pool.as_mut()
                    .map_or_else(EmbedderPool::default, |pool| std::mem::take(&mut **pool)),
                std::mem::take(&mut *kept),
            );
            let caller = TokenCaller::new(agent, grant);
            let answered = lease.lend(|opened| {
                let (opened, (models, conversations), answered) =
                    ToolMemory::answer_token(session.clone(), (opened, caller), taken, call);
                if let Some(pool) = pool.as_mut() {
                    **pool = models;
                }
                *kept = conversations;
                (opened, answered)
            });
            let answered = answered.unwrap_or_else(|| Err(Failed::of(Failure::NoSpace)))?;
            if matches!(need, Need::Write(_)) {
                self.metrics.writes.fetch_add(1, Ordering::Relaxed);
                if let Some(opened) = lease.opened() {
                    space.note_head(opened.head().map_err(ApiError::from)?.0);
                }
            }
            Ok(answered)
        }));
        let panicked = || Err(ApiError::internal("a thread panicked; see above").into());
        answered.unwrap_or_else(|_| panicked())
    }
}
