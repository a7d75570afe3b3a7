//! What both protocols share: a prompt, and a reply.

use serde_json::Value;

use super::schema::AnswerSchema;
use super::{Message, Usage};
use crate::outgoing::OutgoingText;
use crate::refusal::{ServiceError, message, sanitize};
use crate::remote::is_model_name;

/// Most tokens that a service can report for one request; more is not believed.
const TOKENS_MAX: u64 = 100_000_000;

/// One request.
pub(super) struct Prompt<'a> {
    pub(super) model: &'a str,
    pub(super) system: &'a OutgoingText,
    pub(super) messages: &'a [Message],
    pub(super) schema: &'a AnswerSchema,
    pub(super) output_tokens_max: u32,
}

/// The model's reply to one request.
#[derive(Debug, PartialEq)]
pub(super) struct Reply {
    /// The model's words; JSON if it keeps to the request.
    pub(super) text: String,
    /// Why it stopped.
    pub(super) stop: Stop,
    /// The use of this request.
    pub(super) usage: Usage,
    /// The version that answered.
    pub(super) version: Option<String>,
}

/// Why a model stopped.
#[derive(Debug, PartialEq)]
pub(super) enum Stop {
    /// The answer is complete.
    Complete,
    /// It reached the limit of its tokens.
    Length,
    /// It declines to answer.
    Declined(String),
}

impl Stop {
    /// It declines, with its words or those of the service.
    pub(super) fn declined(words: &str, otherwise: &str) -> Self {
        let words = sanitize(words);
        Self::Declined(if words.is_empty() { otherwise.to_owned() } else { words })
    }
}

/// The use of one request, if the service reports plausible numbers.
pub(super) fn usage(input: Option<u64>, output: Option<u64>) -> Usage {
    let plausible = |tokens: Option<u64>| tokens.filter(|tokens| *tokens <= TOKENS_MAX);
    match (plausible(input), plausible(output)) {
        (Some(input_tokens), Some(output_tokens)) => {
            Usage { requests: 1, unreported: 0, input_tokens, output_tokens }
        }
        _ => Usage { requests: 1, unreported: 1, ..Usage::default() },
    }
}

/// The version in a response, if it is a name.
pub(super) fn version(body: &Value) -> Option<String> {
    body["model"].as_str().filter(|name| is_model_name(name)).map(str::to_owned)
}

/// The error for a response with status 200 that holds no reply. Some gateways report failures of
/// a model so.
pub(super) fn no_reply(body: &Value) -> ServiceError {
    match message(body) {
        Some(message) => ServiceError::Failed { detail: sanitize(message), after: None },
        None => ServiceError::Unreadable { detail: "the response holds no answer".to_owned() },
    }
}
