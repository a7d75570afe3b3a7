//! Models behind an HTTP service.
//!
//! A [`Remote`] speaks one protocol ([`Service`]) with one server. It sends the key and texts whose
//! secrets were masked ([`Mask`]), follows no redirects, and limits the time and the size of each
//! response; everything else that the server does becomes an [`EmbedError`]. There are no automatic
//! retries: the caller knows whether somebody is waiting.
//!
//! Texts are truncated to a length that every model accepts, because a service rejects the whole
//! batch of a text that is too long. A blank text is not sent, because services reject it; its
//! vector is zero.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::embedder::{EmbedError, Embedder, Model, Purpose};
use crate::http::{Base, Client, ServiceAddress};
use crate::outgoing::OutgoingText;
use crate::refusal::{ServiceError, refusal, sanitize};
use crate::roots::Roots;
use crate::secret::Secret;

mod prompt_prefix;
mod service;
mod vector;

pub use crate::outgoing::Mask;
pub use service::Service;
pub use vector::DIMENSIONS_MAX;

use prompt_prefix::PromptPrefix;
use service::EmbedRequest;

/// Longest text that is sent, in bytes: a token is at least a byte long, and the common limit is
/// 8191 tokens.
const TEXT_BYTES_MAX: usize = 8000;
/// Most bytes of text in one request: OpenAI accepts 300 000 tokens.
const REQUEST_BYTES_MAX: usize = 300_000;
/// Longest response that is read.
const RESPONSE_BYTES_MAX: u64 = 64 << 20;
/// Longest list of Ollama's models that is read.
const TAGS_BYTES_MAX: u64 = 4 << 20;
/// Most texts in one request, for any service.
const BATCH_MAX: usize = 2048;
/// Longest name of a model.
const MODEL_CHARS_MAX: usize = 256;
/// Digits of a digest that identify a version of a model.
const DIGEST_CHARS: usize = 12;
/// The text that is embedded to learn the length of vectors.
const PROBE: &str = "How long is a vector?";

/// Checks a [`ServiceConfig::base_url`]. The error does not repeat the address, because it may hold
/// a password.
pub fn check_base_url(text: &str) -> Result<(), &'static str> {
    Base::parse(text).map(|_| ())
}

/// How to reach a service.
#[derive(Clone, Debug, Default)]
pub struct ServiceConfig {
    /// Its address; [`Service::default_base_url`] if `None`.
    pub base_url: Option<String>,
    /// The key.
    pub key: Option<Secret>,
    /// Certificate authorities that replace the compiled-in list.
    pub roots: Option<Roots>,
    /// Length of vectors to request from models that support several.
    pub dimensions: Option<usize>,
    /// Length of the model's vectors if it is known, without requesting it: saves a request when
    /// the model is opened.
    pub dimensions_known: Option<usize>,
    /// Most texts in one request; [`Service::default_batch_max`] if `None`.
    pub batch_max: Option<usize>,
    /// Timeout of a request; [`Service::default_timeout`] if `None`.
    pub timeout: Option<Duration>,
    /// The deadline for all requests together.
    pub deadline: Option<Instant>,
}

/// A model that a service runs.
pub struct Remote {
    client: Client,
    base: Base,
    service: Service,
    key: Option<Secret>,
    /// The model's name at the service.
    name: String,
    prompt_prefix: PromptPrefix,
    mask: Mask,
    dimensions: Option<usize>,
    batch_max: usize,
    model: Model,
}

impl Remote {
    /// Opens a model. Unless the length of its vectors is configured or known, one request
    /// determines it. Ollama is also asked for the model's digest, because a name can later refer
    /// to another model.
    pub fn open(
        service: Service,
        name: &str,
        mask: Mask,
        service_config: &ServiceConfig,
    ) -> Result<Self, EmbedError> {
        let provider = || service.to_string();
        let refused =
            |detail: &str| EmbedError::Refused { provider: provider(), detail: detail.to_owned() };
        if !is_model_name(name) {
            return Err(refused("this is not a valid model name"));
        }
        let address = ServiceAddress {
            base_url: service_config.base_url.as_deref(),
            default_base_url: Some(service.default_base_url()),
            key_variable: service.key_variable(),
        };
        let base = address.base(service_config.key.as_ref()).map_err(|detail| refused(&detail))?;
        let timeout = service_config.timeout.unwrap_or(service.default_timeout());
        let mut remote = Self {
            client: Client::for_requests(
                &base,
                service_config.roots.as_ref(),
                timeout,
                service_config.deadline,
            ),
            base,
            service,
            key: service_config.key.clone(),
            name: name.to_owned(),
            prompt_prefix: PromptPrefix::of(name),
            mask,
            dimensions: service_config.dimensions,
            batch_max: service_config
                .batch_max
                .unwrap_or(service.default_batch_max())
                .clamp(1, service.batch_max()),
            model: Model { provider: provider(), name: name.to_owned(), dimensions: 0 },
        };
        if service == Service::Ollama
            && let Some(digest) = remote.ollama_digest()?
        {
            remote.model.name = format!("{name}@{digest}");
        }
        remote.model.dimensions = match service_config
            .dimensions
            .or(service_config.dimensions_known)
        {
            Some(length @ 1..=DIMENSIONS_MAX) => length,
            Some(_) => return Err(refused(&format!("vectors have 1 to {DIMENSIONS_MAX} numbers"))),
            None => remote.probe()?,
        };
        Ok(remote)
    }

    fn probe(&self) -> Result<usize, EmbedError> {
        let vectors =
            self.ask(&[OutgoingText::new(self.mask, "", PROBE, TEXT_BYTES_MAX)], Purpose::Memory)?;
        match vectors.first().map(Vec::len) {
            Some(dimensions @ 1..) => Ok(dimensions),
            _ => Err(EmbedError::Unreadable {
                provider: self.service.to_string(),
                detail: "an empty vector".to_owned(),
            }),
        }
    }

    /// One request.
    fn ask(&self, texts: &[OutgoingText], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let provider = || self.service.to_string();
        let request =
            EmbedRequest { model: &self.name, texts, purpose, dimensions: self.dimensions };
        let (path, body) = self.service.request(&request);
        let key = self.key.as_ref().map(|key| self.service.key_header(key.reveal()));
        let headers: Vec<(&str, &str)> =
            key.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = body.to_string();
        let answer =
            self.client.post(&self.base.at(&path), &headers, body.as_bytes(), RESPONSE_BYTES_MAX);
        let answer = answer.map_err(|error| ServiceError::from(error).of_embedder(provider()))?;
        if answer.status != 200 {
            return Err(refusal(&answer, self.key.as_ref()).of_embedder(provider()));
        }
        let unreadable = |detail: String| EmbedError::Unreadable {
            provider: provider(),
            detail: sanitize(&detail),
        };
        self.service.vectors(&answer.body, texts.len()).map_err(unreadable)
    }

    /// The digest of the model in Ollama's list of models; `None` if the list does not have it.
    fn ollama_digest(&self) -> Result<Option<String>, EmbedError> {
        let answer = self.client.get(&self.base.at("api/tags"), &[], TAGS_BYTES_MAX);
        let provider = || self.service.to_string();
        let answer = answer.map_err(|error| ServiceError::from(error).of_embedder(provider()))?;
        match answer.status {
            200 => {}
            429 | 500..=599 => return Err(refusal(&answer, None).of_embedder(provider())),
            // Compatible servers may not have this list.
            _ => return Ok(None),
        }
        let tags: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let with_tag = format!("{}:latest", self.name);
        let models = tags["models"].as_array().map(Vec::as_slice).unwrap_or_default();
        let model =
            models.iter().find(|model| model["name"] == self.name || model["name"] == with_tag);
        let digest = model.and_then(|model| model["digest"].as_str()).unwrap_or_default();
        let digest: String =
            digest.trim_start_matches("sha256:").chars().take(DIGEST_CHARS).collect();
        let is_digest =
            digest.len() == DIGEST_CHARS && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(is_digest.then_some(digest))
    }

    fn outgoing(&self, text: &str, purpose: Purpose) -> OutgoingText {
        OutgoingText::new(self.mask, self.prompt_prefix.before(purpose), text, TEXT_BYTES_MAX)
    }
}

impl Embedder for Remote {
    fn model(&self) -> &Model {
        &self.model
    }

    fn batch_max(&self) -> usize {
        self.batch_max
    }

    fn embed(&mut self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = vec![vec![0.0; self.model.dimensions]; texts.len()];
        let sent: Vec<usize> = (0..texts.len())
            .filter(|at| texts.get(*at).is_some_and(|text| !text.trim().is_empty()))
            .collect();
        let prepared: Vec<OutgoingText> = sent
            .iter()
            .filter_map(|at| texts.get(*at))
            .map(|text| self.outgoing(text, purpose))
            .collect();
        let mut places = sent.into_iter();
        for batch in batches(&prepared, self.batch_max) {
            for vector in self.ask(batch, purpose)? {
                if vector.len() != self.model.dimensions {
                    return Err(EmbedError::WrongDimensions {
                        provider: self.service.to_string(),
                        expected: self.model.dimensions,
                        found: vector.len(),
                    });
                }
                if let Some(place) = places.next().and_then(|at| vectors.get_mut(at)) {
                    *place = vector;
                }
            }
        }
        Ok(vectors)
    }
}

/// Splits texts into requests, limited in number and in bytes.
fn batches(texts: &[OutgoingText], batch_max: usize) -> Vec<&[OutgoingText]> {
    let mut batches = Vec::new();
    let mut rest = texts;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |text: &&OutgoingText| {
            bytes += text.len();
            bytes <= REQUEST_BYTES_MAX
        };
        let count = rest.iter().take(batch_max).take_while(fits).count().max(1);
        let Some((batch, after)) = rest.split_at_checked(count) else { break };
        batches.push(batch);
        rest = after;
    }
    batches
}

/// Whether a name is safe in addresses and in the space's file.
pub(crate) fn is_model_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-:/@+".contains(c);
    !name.is_empty()
        && name.len() <= MODEL_CHARS_MAX
        && name.chars().all(fits)
        && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unmasked(text: &str) -> std::borrow::Cow<'_, str> {
        text.into()
    }

    #[test]
    fn a_batch_is_bounded_in_texts_and_in_bytes() {
        let sizes = |texts: &[String], batch_max| {
            let text = |text: &String| OutgoingText::new(unmasked, "", text, TEXT_BYTES_MAX);
            let texts: Vec<OutgoingText> = texts.iter().map(text).collect();
            batches(&texts, batch_max).iter().map(|batch| batch.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&vec!["a".to_owned(); 7], 3), [3, 3, 1]);
        assert_eq!(sizes(&vec!["a".repeat(TEXT_BYTES_MAX); 80], 100), [37, 37, 6]);
        assert_eq!(sizes(&[], 3), [0; 0]);
    }

    #[test]
    fn names_that_are_unsafe_in_addresses_are_refused() {
        for name in [
            "text-embedding-3-small",
            "nomic-embed-text:v1.5",
            "hf.co/owner/model:Q8_0",
            "BAAI/bge-m3",
        ] {
            assert!(is_model_name(name), "{name}");
        }
        for name in ["", "a b", "a/../b", "/a", "a?key=1", "a#b", "a\nb", "é", &"a".repeat(257)] {
            assert!(!is_model_name(name), "{name}");
        }
    }

    #[test]
    fn a_key_is_not_sent_over_http_to_another_machine() {
        let service_config = ServiceConfig {
            base_url: Some("http://192.0.2.1/v1".to_owned()),
            key: Secret::parse("sk-secret"),
            dimensions: Some(4),
            ..ServiceConfig::default()
        };
        let error = Remote::open(Service::OpenAi, "m", unmasked, &service_config).err().unwrap();
        assert_eq!(error.code(), "embedder_refused");
        assert!(!format!("{error} {service_config:?}").contains("sk-secret"));
    }

    #[test]
    fn a_service_that_requires_a_key_is_refused_without_one() {
        let error = Remote::open(
            Service::Gemini,
            "gemini-embedding-001",
            unmasked,
            &ServiceConfig::default(),
        )
        .err()
        .unwrap();
        assert!(error.to_string().contains("GEMINI_API_KEY"), "{error}");
    }
}
