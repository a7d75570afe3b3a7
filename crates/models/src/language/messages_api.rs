//! Anthropic's messages API. The answer is the input of a tool that the model must call, whose
//! schema is the schema of the answer.

use serde_json::{Value, json};

use super::protocol::{Prompt, Reply, Stop, no_reply, usage, version};
use crate::refusal::ServiceError;

/// The path below the base address.
pub(super) const PATH: &str = "messages";
/// The header with the version of the protocol, and the version.
pub(super) const VERSION_HEADER: (&str, &str) = ("anthropic-version", "2023-06-01");
/// What the tool is for.
const TOOL_DESCRIPTION: &str = "Give the answer.";

/// The body of a request.
pub(super) fn body(prompt: &Prompt<'_>) -> Value {
    let messages: Vec<Value> = prompt
        .messages
        .iter()
        .map(|message| json!({ "role": message.role.as_str(), "content": message.text }))
        .collect();
    let tool = prompt.schema.name();
    json!({
        "model": prompt.model,
        "max_tokens": prompt.output_tokens_max,
        "system": prompt.system,
        "messages": messages,
        "tools": [{
            "name": tool,
            "description": TOOL_DESCRIPTION,
            "input_schema": prompt.schema.document(),
        }],
        "tool_choice": { "type": "tool", "name": tool },
    })
}

/// The reply in a response with status 200.
pub(super) fn reply(body: &Value) -> Result<Reply, ServiceError> {
    let Some(blocks) = body["content"].as_array() else { return Err(no_reply(body)) };
    let words: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    let called = blocks.iter().find(|block| block["type"] == "tool_use");
    let stop = match body["stop_reason"].as_str() {
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some("refusal") => Stop::declined(&words, "it gives no reason"),
        _ => Stop::Complete,
    };
    let counts = &body["usage"];
    // What is read from or written to a cache is part of the prompt.
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let cached = cached.iter().filter_map(|name| counts[*name].as_u64());
    let input = counts["input_tokens"].as_u64();
    let input = input.map(|input| cached.fold(input, u64::saturating_add));
    Ok(Reply {
        text: called.map_or(words, |called| called["input"].to_string()),
        stop,
        usage: usage(input, counts["output_tokens"].as_u64()),
        version: version(body),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutgoingText;
    use crate::language::{AnswerSchema, Message};

    #[test]
    fn the_request_forces_a_tool_with_the_schema() {
        let text = |text: &str| OutgoingText::new(|text| text.into(), "", text, 100);
        let document = json!({"type": "object", "properties": {}});
        let schema = AnswerSchema::new("nothing", document.clone()).unwrap();
        let system = text("s");
        let prompt = Prompt {
            model: "m",
            system: &system,
            messages: &[Message::user(text("u"))],
            schema: &schema,
            output_tokens_max: 9,
        };
        assert_eq!(
            body(&prompt),
            json!({"model": "m", "max_tokens": 9, "system": "s",
                "messages": [{"role": "user", "content": "u"}],
                "tools": [{"name": "nothing", "description": "Give the answer.", "input_schema": document}],
                "tool_choice": {"type": "tool", "name": "nothing"}})
        );
    }

    #[test]
    fn replies_are_read_with_their_end_and_their_use() {
        let read = |content: Value, stop: &str| {
            let counts =
                json!({"input_tokens": 7, "cache_read_input_tokens": 5, "output_tokens": 3});
            reply(
                &json!({"model": "m-1", "content": content, "stop_reason": stop, "usage": counts}),
            )
            .unwrap()
        };
        let call = json!({"type": "tool_use", "id": "t", "name": "nothing", "input": {"a": 1}});
        let called = read(json!([{"type": "text", "text": "So:"}, call]), "tool_use");
        assert_eq!((called.text.as_str(), &called.stop), (r#"{"a":1}"#, &Stop::Complete));
        assert_eq!((called.usage.input_tokens, called.usage.output_tokens), (12, 3));
        let words = read(json!([{"type": "text", "text": "{}"}]), "end_turn");
        assert_eq!(words.text, "{}");
        assert_eq!(read(json!([]), "max_tokens").stop, Stop::Length);
        let declined = read(json!([{"type": "text", "text": "No."}]), "refusal");
        assert_eq!(declined.stop, Stop::Declined("No.".to_owned()));
        assert!(matches!(reply(&json!({})), Err(ServiceError::Unreadable { .. })));
        let error =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "later"}});
        assert!(matches!(reply(&error), Err(ServiceError::Failed { .. })));
    }
}
