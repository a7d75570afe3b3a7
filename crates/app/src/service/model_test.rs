//! Trying the models that the configuration chooses: whether they answer, how fast, at what cost.

use std::time::{Duration, Instant};

use models::language::{AnswerSchema, Cost, GenerationRequest, LanguageModel, Message, Usage};
use models::{EmbedError, Model, OutgoingText, Purpose};
use serde_json::{Value, json};

use super::language_model::OpenedModel;
use crate::configuration::Configuration;
use crate::failure::Failure;

/// A text to embed.
const TEXT: &str = "Is anybody there?";
/// What the language model has to do.
const SYSTEM: &str = "You list the ingredients that a person names, in the order of naming.";
/// What it has to do it with.
const MESSAGE: &str = "I put flour, salt and water into the bowl.";
/// Most tokens of the answer: more than it has, since some models think before they answer.
const OUTPUT_TOKENS_MAX: u32 = 2_000;
/// Longest text, in bytes.
const TEXT_BYTES_MAX: usize = 1_000;

/// How the embedding model did.
pub(crate) struct EmbedderTest {
    /// The model that embedded; none if the built-in one is chosen, which needs no test.
    pub(crate) outcome: Result<Option<Model>, Failure>,
    /// How long it took, with opening the model.
    pub(crate) took: Duration,
}

/// How the language model did.
pub(crate) struct LanguageModelTest {
    /// The version that answered, as far as the service says.
    pub(crate) outcome: Result<Option<String>, Failure>,
    /// How long it took, with all retries.
    pub(crate) took: Duration,
    /// What it used.
    pub(crate) usage: Usage,
    /// What that cost, if the user set prices.
    pub(crate) cost: Option<Cost>,
}

impl LanguageModelTest {
    /// Of a model that could not be opened.
    pub(crate) fn unopened(failure: Failure) -> Self {
        let (took, usage) = (Duration::ZERO, Usage::default());
        Self { outcome: Err(failure), took, usage, cost: None }
    }
}

/// Embeds one text with the chosen model.
pub(crate) fn test_embedder(configuration: &Configuration) -> EmbedderTest {
    let begun = Instant::now();
    let outcome = embed_one(configuration);
    EmbedderTest { outcome, took: begun.elapsed() }
}

fn embed_one(configuration: &Configuration) -> Result<Option<Model>, Failure> {
    let choice = configuration.choice()?;
    let failed = |error: EmbedError| Failure::embedding(&error, &choice.selection);
    let Some(mut embedder) = models::choice::open(&choice).map_err(failed)? else {
        return Ok(None);
    };
    embedder.embed(&[TEXT], Purpose::Question).map_err(failed)?;
    Ok(Some(embedder.model().clone()))
}

/// Asks the language model for one small answer by a schema. A model that answers in the form that
/// is asked for works, whatever the answer says.
pub(crate) fn test_language_model(opened: &mut OpenedModel) -> LanguageModelTest {
    let begun = Instant::now();
    let schema = AnswerSchema::new("ingredients", schema()).expect("the schema is valid");
    let generation = opened.model.generate(&request(schema));
    LanguageModelTest {
        outcome: generation.outcome.map(|answer| answer.version).map_err(Failure::from),
        took: begun.elapsed(),
        usage: generation.usage,
        cost: opened.cost(&generation.usage),
    }
}

fn request(schema: AnswerSchema) -> GenerationRequest {
    let outgoing = |text: &str| {
        OutgoingText::new(importers::secrets::without_secrets, "", text, TEXT_BYTES_MAX)
    };
    GenerationRequest {
        system: outgoing(SYSTEM),
        messages: vec![Message::user(outgoing(MESSAGE))],
        schema,
        output_tokens_max: Some(OUTPUT_TOKENS_MAX),
        timeout: None,
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "ingredients": { "type": "array", "items": { "type": "string" } } },
        "required": ["ingredients"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_valid_and_strict() {
        assert!(AnswerSchema::new("ingredients", schema()).unwrap().is_strict());
    }
}
