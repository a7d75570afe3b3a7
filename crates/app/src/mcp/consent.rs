//! Asking the user in place, by the host.
//!
//! Hosts that declare the capability `elicitation` show the user a question of the server. Until
//! version 2025-11-25 of the protocol the server sends a request of its own and waits; since
//! 2026-07-28 it answers the call with the question, and the host repeats the call with the user's
//! answer. Either way the answer goes back to the memory with the question's token, and counts only
//! if what the memory would ask is still the same.
//!
//! A question that waits occupies one of the requests in flight. So few may wait at once, and none
//! for longer than a limit: what is not answered becomes a proposal.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationSchema, InputRequest, InputRequests,
    InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use rmcp::{RoleServer, service::RequestContext};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::service::proposals::{Reply, Verdict};

/// Questions that wait for an answer at once.
const WAITING_MAX: usize = 4;
/// How long a question waits for an answer. Hosts give up on a call after one or a few minutes.
const WAIT_MAX: Duration = Duration::from_secs(55);
/// The key of the question among the inputs that a call requires.
const INPUT: &str = "consent";

/// The questions that wait.
#[derive(Clone)]
pub(super) struct Questions(Arc<Semaphore>);

impl Questions {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(WAITING_MAX)))
    }

    /// A place for a question; none if too many wait already.
    pub(super) fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_owned().ok()
    }
}

/// How a host asks the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// It cannot.
    None,
    /// The server sends the host a request.
    Request,
    /// The server answers the call with the question, and the host repeats the call.
    Repeat,
}

impl Channel {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        if !can_show_forms(context.client_capabilities().as_ref()) {
            return Self::None;
        }
        match context.protocol_version() {
            Some(version) if version >= ProtocolVersion::V_2026_07_28 => Self::Repeat,
            _ => Self::Request,
        }
    }
}

/// Whether a host can show the user a question. A host that names neither form nor URL shows forms.
fn can_show_forms(capabilities: Option<&ClientCapabilities>) -> bool {
    capabilities
        .and_then(|capabilities| capabilities.elicitation.as_ref())
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// A question without fields: the user accepts or declines.
fn form(message: String) -> ElicitRequest {
    let requested_schema = ElicitationSchema::new(Default::default());
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    })
}

/// Asks and waits for the answer.
pub(super) async fn ask(peer: &Peer<RoleServer>, message: String) -> Verdict {
    let request = ServerRequest::ElicitRequest(form(message));
    let options = PeerRequestOptions::with_timeout(WAIT_MAX);
    let answer = match peer.send_request_with_option(request, options).await {
        Ok(handle) => handle.await_response().await,
        Err(error) => Err(error),
    };
    verdict(answer)
}

/// What an answer means. Whatever is not a clear answer is none.
fn verdict(answer: Result<ClientResult, ServiceError>) -> Verdict {
    match answer {
        Ok(ClientResult::ElicitResult(result)) => verdict_of(&result),
        Ok(_) | Err(_) => Verdict::Unanswered,
    }
}

fn verdict_of(result: &ElicitResult) -> Verdict {
    match result.action {
        ElicitationAction::Accept => Verdict::Accepted,
        ElicitationAction::Decline => Verdict::Declined,
        _ => Verdict::Unanswered,
    }
}

/// The answer to a call that needs the user's consent first.
pub(super) fn required(message: String, token: String) -> InputRequiredResult {
    let input = InputRequest::Elicitation(form(message));
    let inputs = InputRequests::from([(INPUT.to_owned(), input)]);
    InputRequiredResult::new(Some(inputs), Some(token))
}

/// The user's answer in a repeated call.
pub(super) fn reply_in(request: &CallToolRequestParams) -> Option<Reply> {
    let token = request.request_state.clone()?;
    let answer = request.input_responses.as_ref()?.get(INPUT)?;
    let result: Option<ElicitResult> = serde_json::from_value(answer.clone()).ok();
    let verdict = result.map_or(Verdict::Unanswered, |result| verdict_of(&result));
    Some(Reply { token, verdict })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_a_clear_answer_is_none() {
        let answered = |action| Ok(ClientResult::ElicitResult(ElicitResult::new(action)));
        assert_eq!(verdict(answered(ElicitationAction::Accept)), Verdict::Accepted);
        assert_eq!(verdict(answered(ElicitationAction::Decline)), Verdict::Declined);
        assert_eq!(verdict(answered(ElicitationAction::Cancel)), Verdict::Unanswered);
        let timeout = Err(ServiceError::Timeout { timeout: WAIT_MAX });
        assert_eq!(verdict(timeout), Verdict::Unanswered);
        assert_eq!(verdict(Err(ServiceError::UnexpectedResponse)), Verdict::Unanswered);
    }

    #[test]
    fn a_host_can_ask_if_it_declares_forms_or_nothing_else() {
        for (declared, can) in [
            (json!({}), false),
            (json!({ "elicitation": {} }), true),
            (json!({ "elicitation": { "form": {} } }), true),
            (json!({ "elicitation": { "form": {}, "url": {} } }), true),
            (json!({ "elicitation": { "url": {} } }), false),
        ] {
            let capabilities: ClientCapabilities = serde_json::from_value(declared).unwrap();
            assert_eq!(can_show_forms(Some(&capabilities)), can, "{capabilities:?}");
        }
        assert!(!can_show_forms(None));
    }

    #[test]
    fn few_questions_wait_at_once() {
        let questions = Questions::new();
        let mut places: Vec<_> = (0..WAITING_MAX).map(|_| questions.place().unwrap()).collect();
        assert!(questions.place().is_none());
        drop(places.pop());
        assert!(questions.place().is_some());
    }
}
