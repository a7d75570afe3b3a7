//! Reading a model's words as JSON.
//!
//! Models that are not constrained by their service put JSON between fences of Markdown, or think
//! aloud first. Both are accepted; other words around the JSON are not.

use serde_json::Value;

use super::schema::{AnswerSchema, Mismatch};

/// What models put around their reasoning.
const THINKING: (&str, &str) = ("<think>", "</think>");
/// What Markdown puts around code.
const FENCE: &str = "```";

/// The value in a model's words, if it fits the schema; otherwise what is wrong, for the model to
/// correct.
///
/// ```
/// use models::language::{AnswerSchema, read_answer};
/// use serde_json::json;
/// let schema = AnswerSchema::new("yes", json!({
///     "type": "object", "properties": { "yes": { "type": "boolean" } }, "required": ["yes"],
/// })).unwrap();
/// assert_eq!(read_answer("```json\n{\"yes\": true}\n```", &schema).unwrap(), json!({"yes": true}));
/// assert_eq!(read_answer("{}", &schema).unwrap_err()[0].to_string(), "the property \"yes\" is missing");
/// ```
pub fn read_answer(text: &str, schema: &AnswerSchema) -> Result<Value, Vec<Mismatch>> {
    let text = json_in(text);
    if text.is_empty() {
        return Err(vec![Mismatch::of_whole("the answer is empty".to_owned())]);
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| vec![Mismatch::of_whole(format!("the answer is not JSON: {error}"))])?;
    schema.check(&value)?;
    Ok(value)
}

/// The part of a text that is to be read as JSON.
fn json_in(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim();
    let text = match text.strip_prefix(THINKING.0).and_then(|rest| rest.split_once(THINKING.1)) {
        Some((_, answer)) => answer.trim(),
        None => text,
    };
    if text.starts_with(['{', '[', '"']) {
        return text;
    }
    let Some((_, fenced)) = text.split_once(FENCE) else { return text };
    // The language after the fence, up to the end of its line.
    let fenced = match fenced.split_once('\n') {
        Some((language, rest)) if !language.contains(['{', '[']) => rest,
        _ => fenced.trim_start_matches("json"),
    };
    fenced.rsplit_once(FENCE).map_or(fenced, |(inside, _)| inside).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_between_fences_and_after_reasoning() {
        for text in [
            r#"{"a":1}"#,
            "\u{feff} {\"a\":1}\n",
            "```json\n{\"a\":1}\n```",
            "```\n{\"a\":1}\n```\n",
            "```json {\"a\":1}```",
            "Here you are:\n```JSON\n{\"a\":1}\n```\nAnything else?",
            "<think>A fence ``` and {braces}</think>\n\n{\"a\":1}",
            "<think></think>```json\n{\"a\":1}\n```",
            // The answer was cut off after the JSON.
            "```json\n{\"a\":1}\n",
        ] {
            assert_eq!(json_in(text), r#"{"a":1}"#, "{text}");
        }
        assert_eq!(json_in("{\"a\":\"```\"}"), "{\"a\":\"```\"}");
        assert_eq!(json_in("```json\n{\"a\":\"```x```\"}\n```"), "{\"a\":\"```x```\"}");
        assert_eq!(json_in("no JSON at all"), "no JSON at all");
    }
}
