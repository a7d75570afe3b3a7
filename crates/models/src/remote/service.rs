//! The protocols of the embedding services.
//!
//! | service | request | response |
//! |---|---|---|
//! | `openai` and compatible servers | `POST {base}/embeddings`, `{model, input[], dimensions?}` | `{data: [{index?, embedding}]}`, in any order |
//! | `ollama` | `POST {base}/api/embed`, `{model, input[], dimensions?}` | `{embeddings[]}` |
//! | `gemini` | `POST {base}/v1beta/models/{model}:batchEmbedContents`, `{requests: [{model, content, taskType?, outputDimensionality?}]}` | `{embeddings: [{values}]}` |

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::BATCH_MAX;
use super::vector::{List, Vector};
use crate::embedder::Purpose;
use crate::outgoing::OutgoingText;

/// A protocol, named after its originator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// OpenAI and compatible servers: vLLM, llama.cpp, LM Studio, LiteLLM.
    OpenAi,
    /// Ollama.
    Ollama,
    /// Google's Gemini.
    Gemini,
}

/// A request for the vectors of some texts.
pub(super) struct EmbedRequest<'a> {
    pub(super) model: &'a str,
    pub(super) texts: &'a [OutgoingText],
    pub(super) purpose: Purpose,
    pub(super) dimensions: Option<usize>,
}

impl Service {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Ollama, Self::Gemini];

    /// Its name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Gemini => "gemini",
        }
    }

    /// Its default address.
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::Gemini => "https://generativelanguage.googleapis.com",
        }
    }

    /// The usual environment variable of its key; `None` if it needs no key.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Ollama => None,
            Self::Gemini => Some("GEMINI_API_KEY"),
        }
    }

    /// Largest configurable number of texts in one request. Gemini accepts 100, OpenAI 2048.
    pub const fn batch_max(self) -> usize {
        match self {
            Self::OpenAi | Self::Ollama => BATCH_MAX,
            Self::Gemini => 100,
        }
    }

    /// Default number of texts in one request: fewer for Ollama, because a CPU at home is slow.
    pub fn default_batch_max(self) -> usize {
        match self {
            Self::OpenAi => 128,
            Self::Ollama => 32,
            Self::Gemini => 100,
        }
    }

    /// Default timeout of a request. Ollama loads the model on the first request.
    pub fn default_timeout(self) -> Duration {
        match self {
            Self::OpenAi | Self::Gemini => Duration::from_secs(30),
            Self::Ollama => Duration::from_secs(120),
        }
    }

    /// The name and the value of the header with the key.
    pub(super) fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::OpenAi | Self::Ollama => ("authorization", format!("Bearer {key}")),
            Self::Gemini => ("x-goog-api-key", key.to_owned()),
        }
    }

    /// The path below the base address, and the body.
    pub(super) fn request(self, request: &EmbedRequest<'_>) -> (String, Value) {
        let EmbedRequest { model, texts, purpose, dimensions } = *request;
        let with = |mut body: Value, name: &str| {
            if let Some(dimensions) = dimensions {
                body[name] = dimensions.into();
            }
            body
        };
        match self {
            Self::OpenAi => (
                "embeddings".to_owned(),
                with(json!({ "model": model, "input": texts }), "dimensions"),
            ),
            Self::Ollama => (
                "api/embed".to_owned(),
                with(json!({ "model": model, "input": texts }), "dimensions"),
            ),
            Self::Gemini => {
                let model = model.strip_prefix("models/").unwrap_or(model);
                let item = |text: &OutgoingText| {
                    let mut item = json!({ "model": format!("models/{model}"), "content": { "parts": [{ "text": text }] } });
                    if let Some(task) = gemini_task(model, purpose) {
                        item["taskType"] = task.into();
                    }
                    with(item, "outputDimensionality")
                };
                let requests: Vec<Value> = texts.iter().map(item).collect();
                (
                    format!("v1beta/models/{model}:batchEmbedContents"),
                    json!({ "requests": requests }),
                )
            }
        }
    }

    /// The vectors in a response, in the order of the texts.
    pub(super) fn vectors(self, body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
        let unreadable = |error: serde_json::Error| error.to_string();
        let vectors = match self {
            Self::OpenAi => {
                ordered(serde_json::from_slice::<OpenAiResponse>(body).map_err(unreadable)?.data.0)?
            }
            Self::Ollama => {
                let answer: OllamaResponse = serde_json::from_slice(body).map_err(unreadable)?;
                answer.embeddings.0.into_iter().map(|vector| vector.0).collect()
            }
            Self::Gemini => {
                let answer: GeminiResponse = serde_json::from_slice(body).map_err(unreadable)?;
                answer.embeddings.0.into_iter().map(|vector| vector.values.0).collect()
            }
        };
        if vectors.len() != texts {
            return Err(format!("{} vectors for {texts} texts", vectors.len()));
        }
        Ok(vectors)
    }
}

impl std::fmt::Display for Service {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The task type for the first Gemini models. Later models take the purpose from a prefix instead
/// and do not accept this field.
fn gemini_task(model: &str, purpose: Purpose) -> Option<&'static str> {
    let has_task_field = model == "gemini-embedding-001" || model.starts_with("text-embedding-");
    has_task_field.then_some(match purpose {
        Purpose::Question => "RETRIEVAL_QUERY",
        Purpose::Memory => "RETRIEVAL_DOCUMENT",
    })
}

#[derive(Deserialize)]
struct OpenAiResponse {
    data: List<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    index: Option<usize>,
    embedding: Vector,
}

#[derive(Deserialize)]
struct OllamaResponse {
    embeddings: List<Vector>,
}

#[derive(Deserialize)]
struct GeminiResponse {
    embeddings: List<GeminiVector>,
}

#[derive(Deserialize)]
struct GeminiVector {
    values: Vector,
}

/// The vectors by index; those without one keep their position.
fn ordered(data: Vec<OpenAiVector>) -> Result<Vec<Vec<f32>>, String> {
    let mut places: Vec<Option<Vec<f32>>> = data.iter().map(|_| None).collect();
    for (position, OpenAiVector { index, embedding }) in data.into_iter().enumerate() {
        let index = index.unwrap_or(position);
        let place = places
            .get_mut(index)
            .ok_or_else(|| format!("a vector has the index {index}, which is too high"))?;
        if place.replace(embedding.0).is_some() {
            return Err(format!("two vectors have the index {index}"));
        }
    }
    // There are as many places as vectors and no place is taken twice, so all are taken.
    Ok(places.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request<'a>(
        model: &'a str,
        texts: &'a [OutgoingText],
        dimensions: Option<usize>,
    ) -> EmbedRequest<'a> {
        EmbedRequest { model, texts, purpose: Purpose::Question, dimensions }
    }

    #[test]
    fn requests_follow_each_services_protocol() {
        let texts = [OutgoingText::new(|text| text.into(), "", "a", 9)];
        let check = |service: Service, model: &str, dimensions, path: &str, body: Value| {
            assert_eq!(
                service.request(&request(model, &texts, dimensions)),
                (path.to_owned(), body)
            );
        };
        check(Service::OpenAi, "m", None, "embeddings", json!({"model": "m", "input": ["a"]}));
        check(
            Service::OpenAi,
            "m",
            Some(8),
            "embeddings",
            json!({"model": "m", "input": ["a"], "dimensions": 8}),
        );
        check(Service::Ollama, "m", None, "api/embed", json!({"model": "m", "input": ["a"]}));
        check(
            Service::Gemini,
            "models/gemini-embedding-001",
            Some(768),
            "v1beta/models/gemini-embedding-001:batchEmbedContents",
            json!({"requests": [{"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "a"}]},
                "taskType": "RETRIEVAL_QUERY", "outputDimensionality": 768}]}),
        );
        check(
            Service::Gemini,
            "gemini-embedding-2",
            None,
            "v1beta/models/gemini-embedding-2:batchEmbedContents",
            json!({"requests": [{"model": "models/gemini-embedding-2", "content": {"parts": [{"text": "a"}]}}]}),
        );
    }

    #[test]
    fn corrupted_responses_never_yield_invalid_vectors() {
        let answers = [
            (
                Service::OpenAi,
                r#"{"data":[{"index":1,"embedding":[1.5,-2e3]},{"index":0,"embedding":"AAAAPwAAgD4="}]}"#,
            ),
            (Service::Ollama, r#"{"embeddings":[[1.5,-2e3],[0.25,7]],"total_duration":9}"#),
            (Service::Gemini, r#"{"embeddings":[{"values":[1.5,-2e3]},{"values":[0.25,7]}]}"#),
        ];
        let letters = b"\"[]{},:.-0123456789eEnuaNlAx= \xff";
        let mut state = 7_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut read = 0;
        for _ in 0..20_000 {
            let (service, answer) = answers[random(answers.len())];
            let mut bytes = answer.as_bytes().to_vec();
            for _ in 0..=random(3) {
                let (at, letter) = (random(bytes.len()), letters[random(letters.len())]);
                match random(3) {
                    0 => bytes[at] = letter,
                    1 => bytes.insert(at, letter),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            if let Ok(vectors) = service.vectors(&bytes, 2) {
                read += 1;
                assert_eq!(vectors.len(), 2);
                assert!(vectors.iter().flatten().all(|number| number.is_finite()));
            }
        }
        assert!(read > 100, "{read}");
    }

    #[test]
    fn duplicate_and_out_of_range_indexes_are_refused() {
        let read = |data: Value| {
            Service::OpenAi.vectors(json!({ "data": data }).to_string().as_bytes(), 2)
        };
        let vector = |index: i64, number: f32| json!({"index": index, "embedding": [number]});
        assert_eq!(read(json!([vector(1, 0.5), vector(0, 0.25)])).unwrap(), [[0.25], [0.5]]);
        assert_eq!(read(json!([{"embedding": [1]}, {"embedding": [2]}])).unwrap(), [[1.0], [2.0]]);
        for bad in
            [json!([vector(1, 0.5), vector(1, 0.5)]), json!([vector(0, 0.5), vector(2, 0.5)])]
        {
            assert!(read(bad).unwrap_err().contains("index"));
        }
        assert!(read(json!([vector(-1, 0.5), vector(0, 0.5)])).is_err());
        assert_eq!(read(json!([vector(0, 0.5)])).unwrap_err(), "1 vectors for 2 texts");
    }
}
