//! A language model that answers from a list, for tests of whatever asks one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use models::language::{
    Answer, Exchange, Generation, GenerationRequest, INVALID_RETRIES_MAX, LanguageError,
    LanguageModel, Usage, read_answer,
};
use serde_json::Value;

/// The name of every scripted model.
pub const SCRIPTED: &str = "scripted:model";
/// Tokens of every prompt.
pub const INPUT_TOKENS: u64 = 10;
/// Tokens of every answer.
pub const OUTPUT_TOKENS: u64 = 5;

/// Answers with texts from a list, in order. As a real model does, it answers again if a text does
/// not fit the schema of the request. When the list is used up, it does not answer at all.
///
/// ```
/// use models::OutgoingText;
/// use models::language::{AnswerSchema, GenerationRequest, LanguageModel, Message};
/// use serde_json::json;
/// use testkit::scripted_model::ScriptedModel;
///
/// let outgoing = |text: &str| OutgoingText::new(|text| text.into(), "", text, 100);
/// let request = GenerationRequest {
///     system: outgoing("Answer."),
///     messages: vec![Message::user(outgoing("Is it hot?"))],
///     schema: AnswerSchema::new("hot", json!({
///         "type": "object", "properties": { "hot": { "type": "boolean" } }, "required": ["hot"],
///     })).unwrap(),
///     output_tokens_max: None,
///     timeout: None,
/// };
/// let mut model = ScriptedModel::with_texts(["not JSON", r#"{"hot": true}"#]);
/// let generation = model.generate(&request);
/// assert_eq!(generation.outcome.unwrap().value, json!({"hot": true}));
/// assert_eq!((generation.usage.requests, model.requests().len()), (2, 1));
/// assert_eq!(model.generate(&request).outcome.unwrap_err().code(), "language_model_unreachable");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ScriptedModel {
    answers: VecDeque<Result<String, LanguageError>>,
    requests: Arc<Mutex<Vec<GenerationRequest>>>,
}

impl ScriptedModel {
    /// Answers or fails in this order.
    pub fn new(answers: impl IntoIterator<Item = Result<String, LanguageError>>) -> Self {
        Self { answers: answers.into_iter().collect(), requests: Arc::default() }
    }

    /// Answers with these texts.
    pub fn with_texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::new(texts.into_iter().map(|text| Ok(text.into())))
    }

    /// Answers with these values.
    pub fn with_values(values: impl IntoIterator<Item = Value>) -> Self {
        Self::with_texts(values.into_iter().map(|value| value.to_string()))
    }

    /// What was asked so far. A clone that is kept while the model is in use sees it too.
    pub fn requests(&self) -> Vec<GenerationRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn next(&mut self) -> Result<String, LanguageError> {
        let used_up = LanguageError::Unreachable {
            model: SCRIPTED.to_owned(),
            detail: "the script is used up".to_owned(),
        };
        self.answers.pop_front().unwrap_or(Err(used_up))
    }
}

impl LanguageModel for ScriptedModel {
    fn name(&self) -> &str {
        SCRIPTED
    }

    fn generate(&mut self, request: &GenerationRequest) -> Generation {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let (mut usage, mut exchanges) = (Usage::default(), Vec::new());
        let messages: Vec<&str> =
            request.messages.iter().map(|message| message.text.as_str()).collect();
        let model = || SCRIPTED.to_owned();
        let mut attempts = 0;
        let outcome = loop {
            attempts += 1;
            let text = match self.next() {
                Ok(text) => text,
                Err(error) => break Err(error),
            };
            usage.add(Usage {
                requests: 1,
                unreported: 0,
                input_tokens: INPUT_TOKENS,
                output_tokens: OUTPUT_TOKENS,
            });
            exchanges.push(Exchange { prompt: messages.join("\n"), answer: text.clone() });
            match read_answer(&text, &request.schema) {
                Ok(value) => break Ok(Answer { value, model: model(), version: None }),
                Err(mismatches) if attempts > INVALID_RETRIES_MAX => {
                    let detail = mismatches.first().map(ToString::to_string).unwrap_or_default();
                    break Err(LanguageError::InvalidAnswer { model: model(), detail, attempts });
                }
                Err(_) => {}
            }
        };
        Generation { outcome, usage, exchanges }
    }
}
