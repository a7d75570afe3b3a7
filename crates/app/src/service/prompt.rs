//! Asking a language model about text from memory.
//!
//! Text from memory may hold instructions, so it is never a part of the system prompt: it goes into
//! a message as JSON, where quotation marks and line breaks are escaped, and the system prompt says
//! that it is data. The answer is a proposal, which the caller checks.

use importers::secrets::without_secrets;
use models::OutgoingText;
use models::language::{AnswerSchema, GenerationRequest, LanguageError, LanguageModel, Message};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A request with `data` from memory in its only message. The caller keeps `data` below
/// `bytes_max`: what lies beyond would be cut off.
pub(crate) fn request(
    system: &str,
    data: &Value,
    schema: AnswerSchema,
    bytes_max: usize,
) -> GenerationRequest {
    let outgoing = |text: &str| OutgoingText::new(without_secrets, "", text, bytes_max);
    GenerationRequest {
        system: outgoing(system),
        messages: vec![Message::user(outgoing(&data.to_string()))],
        schema,
        output_tokens_max: None,
        timeout: None,
    }
}

/// An answer, and the model that gave it with its version, as far as the service says.
pub(crate) struct Answered<T> {
    pub(crate) value: T,
    pub(crate) model: String,
}

/// Asks, and reads the answer.
pub(crate) fn ask<T: DeserializeOwned>(
    model: &mut dyn LanguageModel,
    request: &GenerationRequest,
) -> Result<Answered<T>, LanguageError> {
    let name = model.name().to_owned();
    let answer = model.generate(request).outcome?;
    match serde_json::from_value(answer.value) {
        Ok(value) => {
            let model = match answer.version {
                Some(version) => format!("{name} ({version})"),
                None => name,
            };
            Ok(Answered { value, model })
        }
        Err(error) => Err(LanguageError::InvalidAnswer {
            model: name,
            detail: error.to_string(),
            attempts: 1,
        }),
    }
}
