//! Models that others run, asked over HTTP.
//!
//! A [`Remote`] speaks one protocol ([`Service`]) with one server. It sends texts and the key,
//! follows no redirect, waits no longer than it was told and reads no more than a limit; whatever
//! else the server does becomes an [`EmbedError`]. It never tries again by itself: whoever asks
//! knows better whether somebody waits.
//!
//! Texts are cut to what every model takes, since one that is too long would have its whole batch
//! refused. A blank text is not sent and gets a vector of zeros, because services refuse it.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::embedder::{EmbedError, Embedder, Model, Purpose};
use crate::http::{Base, Client};
use crate::roots::Roots;
use crate::secret::Secret;

mod prompt_prefix;
mod refusal;
mod service;
mod vector;

pub use service::Service;
pub use vector::DIMENSIONS_MAX;

use prompt_prefix::PromptPrefix;
use refusal::{harmless, no_answer, refusal};
use service::Question;

/// Longest text that is sent, in bytes: a token is at least a byte long, and the common limit is
/// 8191 tokens.
const TEXT_BYTES_MAX: usize = 8000;
/// Texts of one request, in bytes: OpenAI takes 300 000 tokens.
const REQUEST_BYTES_MAX: usize = 300_000;
/// Longest answer that is read.
const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// Longest list of Ollama's models that is read.
const TAGS_BYTES_MAX: u64 = 4 << 20;
/// Most texts of one request, whatever the service.
const BATCH_MAX: usize = 2048;
/// Longest name of a model.
const MODEL_CHARS_MAX: usize = 256;
/// Digits of a digest that tell versions of a model apart.
const DIGEST_CHARS: usize = 12;
/// What is embedded to learn how long vectors are.
const PROBE: &str = "How long is a vector?";

/// Why a text cannot be the [`ServiceConfig::base_url`] of a service, without repeating it, since
/// it may hold a password.
pub fn check_base_url(text: &str) -> Result<(), &'static str> {
    Base::parse(text).map(|_| ())
}

/// How to reach a service. All but the key may be left out.
#[derive(Clone, Debug, Default)]
pub struct ServiceConfig {
    /// Where it is; else [`Service::default_base_url`].
    pub base_url: Option<String>,
    /// The key.
    pub key: Option<Secret>,
    /// Who vouches for the server, in place of the list that is compiled in.
    pub roots: Option<Roots>,
    /// Length of vectors to ask for, of models that can make them shorter.
    pub dimensions: Option<usize>,
    /// Length of vectors that came before, without asking for it: spares a request when it is
    /// opened.
    pub dimensions_known: Option<usize>,
    /// Texts of one request; else [`Service::default_batch_max`].
    pub batch_max: Option<usize>,
    /// Longest wait for an answer; else [`Service::default_timeout`].
    pub timeout: Option<Duration>,
    /// When the last answer must be there, however much is asked.
    pub until: Option<Instant>,
}

/// A model that a service runs.
pub struct Remote {
    client: Client,
    base: Base,
    service: Service,
    key: Option<Secret>,
    /// The model's name there.
    name: String,
    prompt_prefix: PromptPrefix,
    dimensions: Option<usize>,
    batch_max: usize,
    model: Model,
}

impl Remote {
    /// Gets ready to ask. How long its vectors are is asked for at once, unless it was told; Ollama
    /// is asked for the model's digest, too, since a name there can come to mean another model.
    pub fn open(
        service: Service,
        name: &str,
        service_config: &ServiceConfig,
    ) -> Result<Self, EmbedError> {
        let provider = || service.to_string();
        let refused =
            |detail: &str| EmbedError::Refused { provider: provider(), detail: detail.to_owned() };
        if !is_model_name(name) {
            return Err(refused("this is no name of a model"));
        }
        let base = service_config.base_url.as_deref().unwrap_or(service.default_base_url());
        let base = Base::parse(base).map_err(refused)?;
        if service_config.key.is_some() && base.is_open() {
            return Err(refused(
                "a key is sent over https only, or to this machine; what goes over http can be read by all on the way",
            ));
        }
        if let (None, Some(variable), true) = (
            &service_config.key,
            service.key_variable(),
            base.as_str() == service.default_base_url(),
        ) {
            return Err(refused(&format!("it wants a key and there is none: set {variable}")));
        }
        let timeout = service_config.timeout.unwrap_or(service.default_timeout());
        let mut remote = Self {
            client: Client::for_questions(
                &base,
                service_config.roots.as_ref(),
                timeout,
                service_config.until,
            ),
            base,
            service,
            key: service_config.key.clone(),
            name: name.to_owned(),
            prompt_prefix: PromptPrefix::of(name),
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
            Some(told @ 1..=DIMENSIONS_MAX) => told,
            Some(_) => return Err(refused(&format!("vectors have 1 to {DIMENSIONS_MAX} numbers"))),
            None => remote.probe()?,
        };
        Ok(remote)
    }

    fn probe(&self) -> Result<usize, EmbedError> {
        let vectors = self.ask(&[PROBE.to_owned()], Purpose::Memory)?;
        match vectors.first().map(Vec::len) {
            Some(dimensions @ 1..) => Ok(dimensions),
            _ => Err(EmbedError::Unreadable {
                provider: self.service.to_string(),
                detail: "an empty vector".to_owned(),
            }),
        }
    }

    /// One request.
    fn ask(&self, texts: &[String], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let provider = || self.service.to_string();
        let question = Question { model: &self.name, texts, purpose, dimensions: self.dimensions };
        let (path, body) = self.service.question(&question);
        let key = self.key.as_ref().map(|key| self.service.key_header(key.reveal()));
        let headers: Vec<(&str, &str)> =
            key.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = body.to_string();
        let answer =
            self.client.post(&self.base.at(&path), &headers, body.as_bytes(), ANSWER_BYTES_MAX);
        let answer = answer.map_err(|error| no_answer(provider(), error))?;
        if answer.status != 200 {
            return Err(refusal(provider(), &answer, self.key.as_ref()));
        }
        let unreadable = |detail: String| EmbedError::Unreadable {
            provider: provider(),
            detail: harmless(&detail),
        };
        self.service.vectors(&answer.body, texts.len()).map_err(unreadable)
    }

    /// The digest of the model, from the list of those that Ollama has; none where nobody lists it.
    fn ollama_digest(&self) -> Result<Option<String>, EmbedError> {
        let answer = self.client.get(&self.base.at("api/tags"), &[], TAGS_BYTES_MAX);
        let answer = answer.map_err(|error| no_answer(self.service.to_string(), error))?;
        match answer.status {
            200 => {}
            429 | 500..=599 => return Err(refusal(self.service.to_string(), &answer, None)),
            // What only speaks like Ollama may not have this list.
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

    fn prepared(&self, text: &str, purpose: Purpose) -> String {
        let mut prepared = self.prompt_prefix.before(purpose).to_owned();
        let room = TEXT_BYTES_MAX.saturating_sub(prepared.len());
        prepared.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or(text));
        prepared
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
        let prepared: Vec<String> = sent
            .iter()
            .filter_map(|at| texts.get(*at))
            .map(|text| self.prepared(text, purpose))
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

/// Runs of texts that go into one request: not too many, and not too long together.
fn batches(texts: &[String], batch_max: usize) -> Vec<&[String]> {
    let mut batches = Vec::new();
    let mut rest = texts;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |text: &&String| {
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

/// Names go into addresses and into the space's file.
fn is_model_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-:/@+".contains(c);
    !name.is_empty()
        && name.len() <= MODEL_CHARS_MAX
        && name.chars().all(fits)
        && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_bounded_in_texts_and_in_bytes() {
        let sizes = |texts: &[String], batch_max| {
            batches(texts, batch_max).iter().map(|batch| batch.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&vec!["a".to_owned(); 7], 3), [3, 3, 1]);
        assert_eq!(sizes(&vec!["a".repeat(TEXT_BYTES_MAX); 80], 100), [37, 37, 6]);
        assert_eq!(sizes(&[], 3), [0; 0]);
    }

    #[test]
    fn names_that_lead_elsewhere_are_no_names() {
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
    fn a_key_does_not_go_over_open_http_to_another_machine() {
        let service_config = ServiceConfig {
            base_url: Some("http://192.0.2.1/v1".to_owned()),
            key: Secret::parse("sk-secret"),
            dimensions: Some(4),
            ..ServiceConfig::default()
        };
        let error = Remote::open(Service::OpenAi, "m", &service_config).err().unwrap();
        assert_eq!(error.code(), "embedder_refused");
        assert!(!format!("{error} {service_config:?}").contains("sk-secret"));
    }

    #[test]
    fn the_service_itself_is_not_asked_without_a_key() {
        let error =
            Remote::open(Service::Gemini, "gemini-embedding-001", &ServiceConfig::default())
                .err()
                .unwrap();
        assert!(error.to_string().contains("GEMINI_API_KEY"), "{error}");
    }
}
