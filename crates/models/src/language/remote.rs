//! Language models behind an HTTP service.
//!
//! One call may make several requests, all within one deadline: a service that limits the rate or
//! fails is asked again after a delay, at most [`TRANSIENT_RETRIES_MAX`] times; a server that
//! refuses the form of a request gets a simpler one; a model whose answer is invalid is told what
//! is wrong with it, at most [`INVALID_RETRIES_MAX`] times. What a server accepts is remembered as
//! long as the [`RemoteLanguageModel`] lives, so a process opens a model once.
//!
//! As with embedding services, the key goes to one host, redirects are not followed, and every
//! response has a size limit.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::answer_text::read_answer;
use super::chat_completions::{self, Dialect};
use super::protocol::{Prompt, Reply, Stop};
use super::provider::{ModelName, Protocol, Provider};
use super::schema::Mismatch;
use super::{
    Answer, Exchange, Generation, GenerationRequest, INVALID_RETRIES_MAX, LanguageError,
    LanguageModel, Message, REQUEST_BYTES_MAX, Usage, messages_api,
};
use crate::http::{Base, Client, Response, ServiceAddress};
use crate::outgoing::{Mask, OutgoingText};
use crate::refusal::{ServiceError, refusal, sanitize};
use crate::roots::Roots;
use crate::secret::Secret;

/// Most tokens of an answer that can be configured.
pub const OUTPUT_TOKENS_MAX: u32 = 1_000_000;
/// Most tokens of an answer, unless configured.
const OUTPUT_TOKENS: u32 = 4096;
/// How often a request is repeated after a rate limit or a failure of the service.
const TRANSIENT_RETRIES_MAX: u32 = 3;
/// The first delay before such a retry, unless the service names one; it doubles.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Longest time for a call.
const TIMEOUT_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest response that is read.
const RESPONSE_BYTES_MAX: u64 = 8 << 20;
/// Bytes of an invalid answer that the model gets back to correct.
const INVALID_ANSWER_BYTES_MAX: usize = 64 << 10;
/// Most mismatches that an error repeats.
const MISMATCHES_SHOWN_MAX: usize = 3;

/// How to reach a language model.
#[derive(Clone, Debug, Default)]
pub struct LanguageModelConfig {
    /// The address; [`Provider::default_base_url`] if `None`.
    pub base_url: Option<String>,
    /// The key.
    pub key: Option<Secret>,
    /// Certificate authorities that replace the compiled-in list.
    pub roots: Option<Roots>,
    /// Time for a call with all retries; [`Provider::default_timeout`] if `None`.
    pub timeout: Option<Duration>,
    /// Most tokens of an answer; 4096 if `None`.
    pub output_tokens_max: Option<u32>,
    /// The first delay before a retry if the service names none; 1 s if `None`.
    pub retry_delay: Option<Duration>,
}

/// A language model that a service runs.
pub struct RemoteLanguageModel {
    client: Client,
    base: Base,
    name: ModelName,
    /// The name, as it is shown.
    shown: String,
    key: Option<Secret>,
    mask: Mask,
    timeout: Duration,
    output_tokens_max: u32,
    retry_delay: Duration,
    dialect: Dialect,
}

/// A call in progress: its deadline, and what it has used so far.
struct Call<'a> {
    request: &'a GenerationRequest,
    timeout: Duration,
    deadline: Instant,
    output_tokens_max: u32,
    usage: Usage,
    exchanges: Vec<Exchange>,
}

impl RemoteLanguageModel {
    /// Opens a model, without a request. `mask` masks what the model gets back of its own invalid
    /// answers.
    pub fn open(
        name: &ModelName,
        mask: Mask,
        config: &LanguageModelConfig,
    ) -> Result<Self, LanguageError> {
        let provider = name.provider;
        let address = ServiceAddress {
            base_url: config.base_url.as_deref(),
            default_base_url: provider.default_base_url(),
            key_variable: provider.key_variable(),
        };
        let refused = |detail| LanguageError::Refused { model: name.to_string(), detail };
        let base = address.base(config.key.as_ref()).map_err(refused)?;
        let timeout = config.timeout.unwrap_or(provider.default_timeout()).min(TIMEOUT_MAX);
        let is_openai =
            provider == Provider::OpenAi && Some(base.as_str()) == provider.default_base_url();
        Ok(Self {
            client: Client::for_requests(&base, config.roots.as_ref(), timeout, None),
            base,
            name: name.clone(),
            shown: name.to_string(),
            key: config.key.clone(),
            mask,
            timeout,
            output_tokens_max: config
                .output_tokens_max
                .unwrap_or(OUTPUT_TOKENS)
                .clamp(1, OUTPUT_TOKENS_MAX),
            retry_delay: config.retry_delay.unwrap_or(RETRY_DELAY),
            dialect: Dialect::new(is_openai),
        })
    }

    /// The address that it asks.
    pub fn address(&self) -> &str {
        self.base.as_str()
    }

    /// Asks until an answer is valid, or the retries are used up.
    fn answer(&mut self, call: &mut Call<'_>) -> Result<Answer, LanguageError> {
        let (bytes, bytes_max) = (call.request.bytes(), REQUEST_BYTES_MAX);
        if bytes > bytes_max {
            return Err(LanguageError::RequestTooLarge { bytes, bytes_max });
        }
        let mut messages = call.request.messages.clone();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let reply = self.ask(call, &messages)?;
            let model = self.shown.clone();
            match reply.stop {
                Stop::Declined(detail) => return Err(LanguageError::Declined { model, detail }),
                Stop::Length => {
                    let output_tokens_max = call.output_tokens_max;
                    return Err(LanguageError::Truncated { model, output_tokens_max });
                }
                Stop::Complete => {}
            }
            let mismatches = match read_answer(&reply.text, &call.request.schema) {
                Ok(value) => return Ok(Answer { value, model, version: reply.version }),
                Err(mismatches) => mismatches,
            };
            if attempts > INVALID_RETRIES_MAX {
                let detail = sanitize(&joined(&mismatches, MISMATCHES_SHOWN_MAX));
                return Err(LanguageError::InvalidAnswer { model, detail, attempts });
            }
            messages.extend(self.correction(call.request, &reply.text, &mismatches));
        }
    }

    /// The model's invalid answer, and what is wrong with it.
    fn correction(
        &self,
        request: &GenerationRequest,
        answer: &str,
        mismatches: &[Mismatch],
    ) -> impl Iterator<Item = Message> {
        let outgoing = |text: &str| OutgoingText::new(self.mask, "", text, REQUEST_BYTES_MAX);
        let words = format!(
            "Your answer does not fit: {}. Answer again, completely, with one JSON object that \
             fits this JSON Schema, and with nothing else:\n{}",
            joined(mismatches, mismatches.len()),
            request.schema.text()
        );
        let answer = answer.trim();
        let end = answer.floor_char_boundary(INVALID_ANSWER_BYTES_MAX);
        // An empty message is refused by services.
        let again = (!answer.is_empty()).then(|| {
            Message::assistant(outgoing(answer.get(..end).unwrap_or_default().trim_end()))
        });
        again.into_iter().chain([Message::user(outgoing(&words))])
    }

    /// One request, repeated in a simpler form or after a delay where that may help.
    fn ask(&mut self, call: &mut Call<'_>, messages: &[Message]) -> Result<Reply, LanguageError> {
        let mut delay = self.retry_delay;
        let mut retries = 0;
        loop {
            let error = match self.send(call, messages)? {
                Sent::Reply(reply) => return Ok(reply),
                Sent::Adapted => continue,
                Sent::Failed(error) => error,
            };
            let wait = match &error {
                ServiceError::RateLimited { after } | ServiceError::Failed { after, .. } => {
                    after.unwrap_or(delay)
                }
                _ => return Err(self.error(error, call.timeout)),
            };
            let left = call.deadline.saturating_duration_since(Instant::now());
            if retries == TRANSIENT_RETRIES_MAX || wait >= left {
                return Err(self.error(error, call.timeout));
            }
            retries += 1;
            delay = delay.saturating_mul(2);
            std::thread::sleep(wait);
        }
    }

    fn send(&mut self, call: &mut Call<'_>, messages: &[Message]) -> Result<Sent, LanguageError> {
        if Instant::now() >= call.deadline {
            let error = ServiceError::TimedOut { waited: call.timeout };
            return Err(self.error(error, call.timeout));
        }
        let prompt = Prompt {
            model: &self.name.model,
            system: &call.request.system,
            messages,
            schema: &call.request.schema,
            output_tokens_max: call.output_tokens_max,
        };
        let protocol = self.name.provider.protocol();
        let (path, body) = match protocol {
            Protocol::ChatCompletions => (chat_completions::PATH, self.dialect.body(&prompt)),
            Protocol::Messages => (messages_api::PATH, messages_api::body(&prompt)),
        };
        let body = body.to_string();
        let response = match self.post(call.deadline, path, body.as_bytes()) {
            Ok(response) => response,
            Err(error) => return Ok(Sent::Failed(error)),
        };
        if response.status != 200 {
            if protocol == Protocol::ChatCompletions && self.dialect.adapt(&response) {
                return Ok(Sent::Adapted);
            }
            return Ok(Sent::Failed(refusal(&response, self.key.as_ref())));
        }
        let mut reply = match read_reply(protocol, &response.body) {
            Ok(reply) => reply,
            Err(error) => return Ok(Sent::Failed(error)),
        };
        call.usage.add(reply.usage);
        // A service that repeats the key must not get it into what is made from its answer.
        let answer = self.key.as_ref().map(|key| (key, key.hide_in(&reply.text)));
        if let Some((_, hidden)) = answer.as_ref().filter(|(key, _)| key.is_long()) {
            reply.text.clone_from(hidden);
        }
        let answer = answer.map_or_else(|| reply.text.clone(), |(_, hidden)| hidden);
        call.exchanges.push(Exchange { prompt: body, answer });
        Ok(Sent::Reply(reply))
    }

    fn post(&self, deadline: Instant, path: &str, body: &[u8]) -> Result<Response, ServiceError> {
        let protocol = self.name.provider.protocol();
        let key = self.key.as_ref().map(|key| match protocol {
            Protocol::ChatCompletions => ("authorization", format!("Bearer {}", key.reveal())),
            Protocol::Messages => ("x-api-key", key.reveal().to_owned()),
        });
        let version = (protocol == Protocol::Messages).then_some(messages_api::VERSION_HEADER);
        let headers: Vec<(&str, &str)> =
            key.iter().map(|(name, value)| (*name, value.as_str())).chain(version).collect();
        let address = self.base.at(path);
        Ok(self.client.post_by(deadline, &address, &headers, body, RESPONSE_BYTES_MAX)?)
    }

    fn error(&self, error: ServiceError, timeout: Duration) -> LanguageError {
        let model = self.shown.clone();
        let hidden = |detail: String| {
            self.key.as_ref().map_or_else(|| detail.clone(), |key| key.hide_in(&detail))
        };
        match error {
            ServiceError::Unreachable { detail } => LanguageError::Unreachable { model, detail },
            ServiceError::TimedOut { .. } => LanguageError::TimedOut { model, waited: timeout },
            ServiceError::RateLimited { after } => LanguageError::RateLimited { model, after },
            ServiceError::Failed { detail, .. } => {
                LanguageError::Failed { model, detail: hidden(detail) }
            }
            ServiceError::Refused { detail } => {
                LanguageError::Refused { model, detail: hidden(detail) }
            }
            ServiceError::Unreadable { detail } => {
                LanguageError::Unreadable { model, detail: hidden(sanitize(&detail)) }
            }
        }
    }
}

impl LanguageModel for RemoteLanguageModel {
    fn name(&self) -> &str {
        &self.shown
    }

    fn generate(&mut self, request: &GenerationRequest) -> Generation {
        let timeout = request.timeout.map_or(self.timeout, |timeout| timeout.min(self.timeout));
        let limit = self.output_tokens_max;
        let mut call = Call {
            request,
            timeout,
            deadline: Instant::now() + timeout,
            output_tokens_max: request.output_tokens_max.map_or(limit, |max| max.clamp(1, limit)),
            usage: Usage::default(),
            exchanges: Vec::new(),
        };
        let outcome = self.answer(&mut call);
        Generation { outcome, usage: call.usage, exchanges: call.exchanges }
    }
}

/// What became of one request.
enum Sent {
    Reply(Reply),
    /// The server does not accept its form; another is tried.
    Adapted,
    Failed(ServiceError),
}

fn read_reply(protocol: Protocol, body: &[u8]) -> Result<Reply, ServiceError> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| ServiceError::Unreadable { detail: error.to_string() })?;
    match protocol {
        Protocol::ChatCompletions => chat_completions::reply(&body),
        Protocol::Messages => messages_api::reply(&body),
    }
}

fn joined(mismatches: &[Mismatch], shown_max: usize) -> String {
    let shown: Vec<String> = mismatches.iter().take(shown_max).map(Mismatch::to_string).collect();
    shown.join("; ")
}
