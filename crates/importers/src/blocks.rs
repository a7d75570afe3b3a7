//! The content of an agent's message, which is text or a list of blocks.
//!
//! OpenAI, Anthropic and their transcripts name blocks differently but mean the same; [`flatten`]
//! reads them all. Text is joined, images give their captions where there are any, tool calls
//! become a short line (`Bash: cargo test`), tool results an excerpt. Thinking is kept apart: it is
//! not part of the conversation. What is encrypted or redacted of it has no words, and is left out.

use serde_json::{Map, Value};

use crate::json_stream::parse;
use crate::secrets::cut;
use crate::turn::excerpt;

/// Longest excerpt of a tool's result, in bytes. Results are mostly files and listings that are
/// elsewhere already.
pub(crate) const TOOL_RESULT_BYTES_MAX: usize = 2000;
/// Longest line about a tool's use, in bytes.
pub(crate) const TOOL_USE_BYTES_MAX: usize = 500;
/// Deepest nesting of blocks within blocks.
const DEPTH_MAX: u32 = 4;

/// Inputs that describe best what a tool was used for, best first.
const TOOL_INPUTS: [&str; 9] = [
    "command",
    "file_path",
    "notebook_path",
    "path",
    "pattern",
    "url",
    "query",
    "prompt",
    "description",
];
/// The inputs that name what a tool worked on.
const TOOL_LINKS: [&str; 4] = ["file_path", "notebook_path", "path", "url"];

/// The parts of a message's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// The words of the message.
    pub(crate) text: String,
    /// Tool calls and tool results.
    pub(crate) tools: String,
    /// What the agent thought.
    pub(crate) thinking: String,
    /// What images show, in words.
    pub(crate) captions: Vec<String>,
    /// Files and addresses that tools worked on, images by address.
    pub(crate) links: Vec<String>,
}

/// Splits a content into its parts, in any of the known formats.
pub(crate) fn flatten(content: &Value) -> Blocks {
    let mut blocks = Blocks::default();
    add(content, &mut blocks, 0);
    blocks
}

fn add(content: &Value, blocks: &mut Blocks, depth: u32) {
    match content {
        Value::String(text) => push(&mut blocks.text, text),
        Value::Array(items) if depth < DEPTH_MAX => {
            items.iter().for_each(|item| add(item, blocks, depth + 1))
        }
        Value::Object(block) => add_block(block, blocks, depth),
        _ => {}
    }
}

fn add_block(block: &Map<String, Value>, blocks: &mut Blocks, depth: u32) {
    let field = |name: &str| block.get(name).and_then(Value::as_str);
    match field("type").or_else(|| field("content_type")).unwrap_or("text") {
        "text" | "input_text" | "output_text" | "audio_transcription" | "refusal" => {
            if let Some(text) = field("text").or_else(|| field("refusal")) {
                if !is_reminder(text) {
                    push(&mut blocks.text, text);
                }
            } else if let Some(content) = block.get("content")
                && depth < DEPTH_MAX
            {
                add(content, blocks, depth + 1);
            }
        }
        "tool_use" | "server_tool_use" | "function_call" | "function" => {
            add_tool_use(block, blocks)
        }
        "thinking" => push(&mut blocks.thinking, field("thinking").unwrap_or_default().trim()),
        // OpenAI gives summaries of what it encrypts.
        "reasoning" if depth < DEPTH_MAX => {
            for part in block.get("summary").and_then(Value::as_array).into_iter().flatten() {
                let words = part.get("text").and_then(Value::as_str).unwrap_or_default();
                push(&mut blocks.thinking, words.trim());
            }
        }
        "tool_result" | "function_call_output" => {
            let mut result = Blocks::default();
            if let Some(content) = block.get("content").or_else(|| block.get("output"))
                && depth < DEPTH_MAX
            {
                add(content, &mut result, depth + 1);
            }
            push(&mut blocks.tools, &excerpt(&result.text, TOOL_RESULT_BYTES_MAX));
        }
        "image_url" => {
            let image = block.get("image_url");
            let url = image.and_then(|image| image.as_str().or_else(|| image.get("url")?.as_str()));
            // A data address is the image itself.
            blocks.links.extend(url.filter(|url| !url.starts_with("data:")).map(str::to_owned));
        }
        "image" | "image_asset_pointer" => {
            let prompt = || block.get("metadata")?.get("dalle")?.get("prompt")?.as_str();
            let caption =
                ["caption", "alt", "alt_text"].into_iter().find_map(field).or_else(prompt);
            blocks.captions.extend(caption.map(str::to_owned));
        }
        _ => {}
    }
}

fn add_tool_use(block: &Map<String, Value>, blocks: &mut Blocks) {
    // OpenAI nests name and arguments in `function`, and writes the arguments as text.
    let function = block.get("function").and_then(Value::as_object).unwrap_or(block);
    let name = function.get("name").and_then(Value::as_str).unwrap_or("tool");
    let arguments = function.get("arguments").and_then(Value::as_str);
    let parsed = arguments.and_then(|text| Some(parse::<Value>(text).ok()?.0));
    let input = parsed.as_ref().or_else(|| function.get("input"));
    let named = |field: &&str| input?.get(field)?.as_str();
    let what = match (TOOL_INPUTS.iter().find_map(&named), input) {
        (Some(what), _) => what.to_owned(),
        (None, Some(Value::Object(input))) if input.is_empty() => String::new(),
        (None, Some(input)) => input.to_string(),
        (None, None) => arguments.unwrap_or_default().to_owned(),
    };
    let line = if what.is_empty() { name.to_owned() } else { format!("{name}: {what}") };
    push(&mut blocks.tools, &excerpt(&line, TOOL_USE_BYTES_MAX));
    blocks.links.extend(TOOL_LINKS.iter().filter_map(named).map(str::to_owned));
}

/// Hosts insert reminders to the model among the person's words; they belong to no speaker.
fn is_reminder(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("<system-reminder>") && text.ends_with("</system-reminder>")
}

/// Adds a text in a line of its own.
pub(crate) fn push(text: &mut String, more: &str) {
    if more.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

/// Maps `role` to one of the four names that records use.
pub(crate) fn role(name: &str) -> Option<&'static str> {
    match cut(name, 32).to_ascii_lowercase().as_str() {
        "user" | "human" => Some("user"),
        "assistant" | "ai" | "bot" | "model" | "gpt" | "chatgpt" | "claude" => Some("assistant"),
        "tool" | "function" | "ipython" => Some("tool"),
        "system" | "developer" => Some("system"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn blocks_of_every_dialect_are_taken_apart() {
        let blocks = flatten(&json!([
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "thinking", "thinking": "", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "so"}], "encrypted_content": "x"},
            {"type": "text", "text": "Let me look."},
            {"type": "text", "text": "<system-reminder>be nice</system-reminder>"},
            {"type": "tool_use", "name": "Read", "input": {"file_path": "src/main.rs"}},
            {"type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Basel\"}"}},
            {"type": "tool_result", "content": [{"type": "text", "text": "fn main() {}"}]},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "image", "caption": "a red boat"},
            "and more",
            7
        ]));
        assert_eq!(blocks.text, "Let me look.\nand more");
        assert_eq!(blocks.thinking, "hm\nso");
        assert_eq!(blocks.tools, "Read: src/main.rs\nweather: {\"city\":\"Basel\"}\nfn main() {}");
        assert_eq!(blocks.captions, ["a red boat"]);
        assert_eq!(blocks.links, ["src/main.rs"]);
    }

    #[test]
    fn a_long_result_is_an_excerpt_that_says_so() {
        let blocks = flatten(&json!([{"type": "tool_result", "content": "ü".repeat(5000)}]));
        assert!(blocks.tools.len() < TOOL_RESULT_BYTES_MAX + 64);
        assert!(blocks.tools.ends_with("(8000 more bytes left out)"), "{}", blocks.tools);
    }
}
