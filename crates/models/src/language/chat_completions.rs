//! OpenAI's chat completions, which most servers speak.
//!
//! Servers differ in how they can be held to a schema. The best form comes first; when a server
//! refuses it, the next is used from then on ([`Dialect::adapt`]):
//!
//! | form | in the request |
//! |---|---|
//! | by the schema | `response_format: {type: json_schema, json_schema: {name, schema, strict}}` |
//! | JSON | `response_format: {type: json_object}`, the schema in the system prompt |
//! | text | the schema in the system prompt |

use serde_json::{Value, json};

use super::protocol::{Prompt, Reply, Stop, no_reply, usage, version};
use crate::http::Response;
use crate::refusal::ServiceError;

/// The path below the base address.
pub(super) const PATH: &str = "chat/completions";
/// Bytes of a refusal that are searched for what the server does not accept.
const REFUSAL_BYTES_MAX: usize = 4096;
/// Words by which a refusal of the form is recognised.
const FORM_WORDS: [&str; 5] =
    ["response_format", "json_schema", "json_object", "grammar", "structured output"];
/// Another, which in a failure of the server can mean anything.
const FORM_WORD_OF_REQUESTS: &str = "schema";

/// How the answer is held to the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Schema,
    Json,
    Text,
}

/// The field with the limit of tokens. OpenAI's newer models refuse the older name, and some
/// servers know only that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LimitField {
    MaxTokens,
    MaxCompletionTokens,
}

impl LimitField {
    fn as_str(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }
}

/// What a server accepts, as far as is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    form: Form,
    limit_field: LimitField,
    is_limit_field_known: bool,
}

impl Dialect {
    /// The best form. `is_openai` is true for OpenAI's own server.
    pub(super) fn new(is_openai: bool) -> Self {
        let limit_field =
            if is_openai { LimitField::MaxCompletionTokens } else { LimitField::MaxTokens };
        Self { form: Form::Schema, limit_field, is_limit_field_known: is_openai }
    }

    /// Learns from a refusal what the server does not accept. True if the request can be sent again
    /// in another form.
    pub(super) fn adapt(&mut self, response: &Response) -> bool {
        if !matches!(response.status, 400 | 415 | 422 | 500 | 501) {
            return false;
        }
        let said = response.body.get(..REFUSAL_BYTES_MAX).unwrap_or(&response.body);
        let said = String::from_utf8_lossy(said).to_lowercase();
        if !self.is_limit_field_known && said.contains(self.limit_field.as_str()) {
            self.limit_field = self.limit_field.other();
            self.is_limit_field_known = true;
            return true;
        }
        let is_of_form = FORM_WORDS.iter().any(|word| said.contains(word))
            || (response.status < 500 && said.contains(FORM_WORD_OF_REQUESTS));
        if !is_of_form {
            return false;
        }
        self.form = match self.form {
            Form::Schema => Form::Json,
            Form::Json => Form::Text,
            Form::Text => return false,
        };
        true
    }

    /// The body of a request.
    pub(super) fn body(&self, prompt: &Prompt<'_>) -> Value {
        let schema = prompt.schema;
        let system = match self.form {
            Form::Schema => prompt.system.as_str().to_owned(),
            Form::Json | Form::Text => format!(
                "{}\n\nAnswer with one JSON object that fits this JSON Schema, and with nothing \
                 else:\n{}",
                prompt.system.as_str(),
                schema.text()
            ),
        };
        let messages = prompt
            .messages
            .iter()
            .map(|message| json!({ "role": message.role.as_str(), "content": message.text }));
        let messages: Vec<Value> = std::iter::once(json!({ "role": "system", "content": system }))
            .chain(messages)
            .collect();
        let mut body = json!({ "model": prompt.model, "messages": messages });
        body[self.limit_field.as_str()] = prompt.output_tokens_max.into();
        match self.form {
            Form::Schema => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": {
                        "name": schema.name(),
                        "schema": schema.document(),
                        "strict": schema.is_strict(),
                    },
                });
            }
            Form::Json => body["response_format"] = json!({ "type": "json_object" }),
            Form::Text => {}
        }
        body
    }
}

/// The reply in a response with status 200.
pub(super) fn reply(body: &Value) -> Result<Reply, ServiceError> {
    let choice = &body["choices"][0];
    let message = &choice["message"];
    if !message.is_object() {
        return Err(no_reply(body));
    }
    let text = match &message["content"] {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        content => content.as_str().unwrap_or_default().to_owned(),
    };
    let refusal = message["refusal"].as_str().unwrap_or_default();
    let stop = match choice["finish_reason"].as_str() {
        _ if !refusal.is_empty() => Stop::declined(refusal, "it gives no reason"),
        Some("length") => Stop::Length,
        Some("content_filter") => Stop::declined("", "the content filter stopped the answer"),
        _ => Stop::Complete,
    };
    let counts = &body["usage"];
    Ok(Reply {
        text,
        stop,
        usage: usage(counts["prompt_tokens"].as_u64(), counts["completion_tokens"].as_u64()),
        version: version(body),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutgoingText;
    use crate::language::{AnswerSchema, Message};

    fn body(dialect: &Dialect) -> Value {
        let text = |text: &str| OutgoingText::new(|text| text.into(), "", text, 100);
        let document = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let schema = AnswerSchema::new("nothing", document).unwrap();
        let messages = [Message::user(text("u")), Message::assistant(text("a"))];
        let system = text("s");
        let prompt = Prompt {
            model: "m",
            system: &system,
            messages: &messages,
            schema: &schema,
            output_tokens_max: 9,
        };
        dialect.body(&prompt)
    }

    fn refusal(status: u16, body: &str) -> Response {
        Response { status, headers: ureq::http::HeaderMap::new(), body: body.into() }
    }

    #[test]
    fn the_request_holds_the_schema_in_the_best_form_that_is_left() {
        let schema = r#"{"additionalProperties":false,"properties":{},"type":"object"}"#;
        let mut dialect = Dialect::new(true);
        let messages = |system: &str| {
            json!([{"role": "system", "content": system}, {"role": "user", "content": "u"},
                {"role": "assistant", "content": "a"}])
        };
        assert_eq!(
            body(&dialect),
            json!({"model": "m", "messages": messages("s"), "max_completion_tokens": 9,
                "response_format": {"type": "json_schema", "json_schema": {"name": "nothing",
                    "schema": {"type": "object", "properties": {}, "additionalProperties": false},
                    "strict": true}}})
        );
        assert!(dialect.adapt(&refusal(400, "'response_format.json_schema' is not supported")));
        let with_schema = format!(
            "s\n\nAnswer with one JSON object that fits this JSON Schema, and with nothing else:\n{schema}"
        );
        assert_eq!(
            body(&dialect),
            json!({"model": "m", "messages": messages(&with_schema), "max_completion_tokens": 9,
                "response_format": {"type": "json_object"}})
        );
        assert!(dialect.adapt(&refusal(422, r#"{"detail":[{"loc":["body","response_format"]}]}"#)));
        let text =
            json!({"model": "m", "messages": messages(&with_schema), "max_completion_tokens": 9});
        assert_eq!(body(&dialect), text);
        assert!(!dialect.adapt(&refusal(400, "response_format")));
    }

    #[test]
    fn only_a_refusal_of_the_form_changes_the_form() {
        let mut dialect = Dialect::new(false);
        let before = dialect.clone();
        for (status, body) in [
            (401, "response_format"),
            (400, "context too long"),
            (429, "schema"),
            (404, "schema"),
            (500, "the database has another schema"),
        ] {
            assert!(!dialect.adapt(&refusal(status, body)), "{body}");
        }
        assert_eq!(dialect, before);
        let unsupported =
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        assert!(dialect.adapt(&refusal(400, unsupported)));
        assert_eq!(body(&dialect)["max_completion_tokens"], 9);
        assert!(!dialect.adapt(&refusal(400, unsupported)), "only once");
    }

    #[test]
    fn replies_are_read_with_their_end_and_their_use() {
        let read = |choice: Value| {
            reply(&json!({"model": "m-1", "choices": [choice],
                "usage": {"prompt_tokens": 7, "completion_tokens": 3}}))
            .unwrap()
        };
        let whole = read(json!({"message": {"content": "{}"}, "finish_reason": "stop"}));
        assert_eq!((whole.text.as_str(), &whole.stop), ("{}", &Stop::Complete));
        assert_eq!((whole.usage.input_tokens, whole.usage.output_tokens), (7, 3));
        assert_eq!(whole.version.as_deref(), Some("m-1"));
        let parts = json!([{"type": "text", "text": "{"}, {"type": "text", "text": "}"}]);
        assert_eq!(read(json!({"message": {"content": parts}})).text, "{}");
        let length = read(json!({"message": {"content": "{"}, "finish_reason": "length"}));
        assert_eq!(length.stop, Stop::Length);
        let refusal = read(json!({"message": {"content": null, "refusal": "I\ncannot"}}));
        assert_eq!(refusal.stop, Stop::Declined("I cannot".to_owned()));
        let filter = read(json!({"message": {}, "finish_reason": "content_filter"}));
        assert!(matches!(filter.stop, Stop::Declined(_)));
        for counts in [
            json!(null),
            json!({"prompt_tokens": -1, "completion_tokens": 3}),
            json!({"prompt_tokens": 7, "completion_tokens": 1e12 as u64}),
        ] {
            let body = json!({"choices": [{"message": {"content": "{}"}}], "usage": counts});
            let usage = reply(&body).unwrap().usage;
            assert_eq!((usage.unreported, usage.input_tokens, usage.output_tokens), (1, 0, 0));
        }
        let error = reply(&json!({"error": {"message": "overloaded"}})).unwrap_err();
        assert!(matches!(error, ServiceError::Failed { .. }));
        for body in
            [json!({}), json!([]), json!({"choices": []}), json!({"choices": [{}]}), json!(7)]
        {
            let error = reply(&body).unwrap_err();
            assert!(matches!(error, ServiceError::Unreadable { .. }), "{body}");
        }
    }
}
