//! Who makes vectors over a network, and in which words each is asked.
//!
//! | service | question | answer |
//! |---|---|---|
//! | `openai` and what speaks like it | `POST {base}/embeddings`, `{model, input[], dimensions?}` | `{data: [{index?, embedding}]}`, in any order |
//! | `ollama` | `POST {base}/api/embed`, `{model, input[], dimensions?}` | `{embeddings[]}` |
//! | `gemini` | `POST {base}/v1beta/models/{model}:batchEmbedContents`, `{requests: [{model, content, taskType?, outputDimensionality?}]}` | `{embeddings: [{values}]}` |

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::BATCH_MAX;
use super::vector::{List, Vector};
use crate::embedder::Purpose;

/// A protocol, known by who began it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// OpenAI and the many that speak like it: vLLM, llama.cpp, LM Studio, LiteLLM.
    OpenAi,
    /// Ollama.
    Ollama,
    /// Google's Gemini.
    Gemini,
}

/// Texts to be asked for.
pub(super) struct Question<'a> {
    pub(super) model: &'a str,
    pub(super) texts: &'a [String],
    pub(super) purpose: Purpose,
    pub(super) dimensions: Option<usize>,
}

impl Service {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Ollama, Self::Gemini];

    /// Its name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Gemini => "gemini",
        }
    }

    /// Where it is unless something else is said.
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::Gemini => "https://generativelanguage.googleapis.com",
        }
    }

    /// The variable in which its key usually is; none if it asks for none.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Ollama => None,
            Self::Gemini => Some("GEMINI_API_KEY"),
        }
    }

    /// Most texts of one request that settings may ask for. Gemini takes 100, OpenAI 2048.
    pub const fn batch_max(self) -> usize {
        match self {
            Self::OpenAi | Self::Ollama => BATCH_MAX,
            Self::Gemini => 100,
        }
    }

    /// Texts of one request, where nothing else is set. A processor at home is done sooner with
    /// few.
    pub fn default_batch_max(self) -> usize {
        match self {
            Self::OpenAi => 128,
            Self::Ollama => 32,
            Self::Gemini => 100,
        }
    }

    /// How long an answer may take. Ollama loads the model when it is first asked.
    pub fn default_timeout(self) -> Duration {
        match self {
            Self::OpenAi | Self::Gemini => Duration::from_secs(30),
            Self::Ollama => Duration::from_secs(120),
        }
    }

    /// The header of the key, and the key in it.
    pub(super) fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::OpenAi | Self::Ollama => ("authorization", format!("Bearer {key}")),
            Self::Gemini => ("x-goog-api-key", key.to_owned()),
        }
    }

    /// The path below the base, and the body.
    pub(super) fn question(self, question: &Question<'_>) -> (String, Value) {
        let Question { model, texts, purpose, dimensions } = *question;
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
                let request = |text: &String| {
                    let mut request = json!({ "model": format!("models/{model}"), "content": { "parts": [{ "text": text }] } });
                    if let Some(task) = gemini_task(model, purpose) {
                        request["taskType"] = task.into();
                    }
                    with(request, "outputDimensionality")
                };
                let requests: Vec<Value> = texts.iter().map(request).collect();
                (
                    format!("v1beta/models/{model}:batchEmbedContents"),
                    json!({ "requests": requests }),
                )
            }
        }
    }

    /// The vectors of an answer, in the order of the texts.
    pub(super) fn vectors(self, body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
        let unreadable = |error: serde_json::Error| error.to_string();
        let vectors = match self {
            Self::OpenAi => {
                ordered(serde_json::from_slice::<OpenAiAnswer>(body).map_err(unreadable)?.data.0)?
            }
            Self::Ollama => {
                let answer: OllamaAnswer = serde_json::from_slice(body).map_err(unreadable)?;
                answer.embeddings.0.into_iter().map(|vector| vector.0).collect()
            }
            Self::Gemini => {
                let answer: GeminiAnswer = serde_json::from_slice(body).map_err(unreadable)?;
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

/// Models after the first are told in the text what it is for and do not take this field.
fn gemini_task(model: &str, purpose: Purpose) -> Option<&'static str> {
    let is_told_by_field = model == "gemini-embedding-001" || model.starts_with("text-embedding-");
    is_told_by_field.then_some(match purpose {
        Purpose::Question => "RETRIEVAL_QUERY",
        Purpose::Memory => "RETRIEVAL_DOCUMENT",
    })
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: List<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    index: Option<usize>,
    embedding: Vector,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: List<Vector>,
}

#[derive(Deserialize)]
struct GeminiAnswer {
    embeddings: List<GeminiVector>,
}

#[derive(Deserialize)]
struct GeminiVector {
    values: Vector,
}

/// By their index where they have one, else as they came.
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
    // As many places as vectors and no place taken twice: each is taken.
    Ok(places.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question<'a>(
        model: &'a str,
        texts: &'a [String],
        dimensions: Option<usize>,
    ) -> Question<'a> {
        Question { model, texts, purpose: Purpose::Question, dimensions }
    }

    #[test]
    fn each_service_is_asked_in_its_own_words() {
        let texts = ["a".to_owned()];
        let check = |service: Service, model: &str, dimensions, path: &str, body: Value| {
            assert_eq!(
                service.question(&question(model, &texts, dimensions)),
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
    fn no_answer_however_broken_gives_what_is_no_vector() {
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
    fn an_index_that_is_missing_twice_or_too_high_is_told() {
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
