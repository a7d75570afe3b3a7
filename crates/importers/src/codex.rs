//! Codex CLI: its sessions (`rollout-*.jsonl` below `~/.codex/sessions`), one JSON object a line.
//!
//! A line is `{timestamp, type, payload}`. `response_item` holds messages, tool calls, their
//! outputs and what the model thought. `event_msg` repeats them for the terminal and is left out,
//! as are the instructions and surroundings that the host writes in the user's name. In older
//! sessions the items stand on the lines themselves; the oldest are one JSON object with `items`.
//!
//! Messages have no ids: the session, their content and the number of earlier repetitions identify
//! them. A tool's use is `<session>/<call id>`, its output `<session>/<call id>/output`. In a
//! session that another agent started, the lines of type `user` are that agent's.

use std::ops::ControlFlow;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::blocks::{self, Blocks, TOOL_RESULT_BYTES_MAX, TOOL_USE_BYTES_MAX, flatten};
use crate::input::{Input, file_stem, format_error, without_bom};
use crate::json_stream::{for_each_element, for_each_json_line, parse};
use crate::shape::Shape;
use crate::transcripts::Transcripts;
use crate::turn::{Repetitions, Turn, bounded_uid, content_hash, deliver, excerpt};
use crate::{Context, ImportError, Importer, Match, Probe, Sink, time};

/// The importer of Codex CLI sessions.
pub(crate) struct Codex;

const NAME: &str = "codex";

/// Most lines that are looked at to recognise a file.
const PROBE_LINES_MAX: usize = 20;
/// Types of the items that a line or a payload may hold.
const ITEMS: [&str; 9] = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "web_search_call",
];
/// Elements that the host writes as messages of the user.
const HOST_ELEMENTS: [&str; 8] = [
    "user_instructions",
    "environment_context",
    "INSTRUCTIONS",
    "turn_aborted",
    "user_shell_command",
    "subagent_notification",
    "skill",
    "permissions instructions",
];
/// Before what the user typed, editors put which files are open.
const REQUEST_HEADINGS: [&str; 2] = ["## My request for Codex:", "## My request:"];

const TRANSCRIPTS: Transcripts = Transcripts {
    format: NAME,
    home: (".codex", "sessions"),
    wanted: |path| {
        path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json")
    },
    recognise,
};

impl Importer for Codex {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "Codex CLI sessions (rollout-*.jsonl, or a folder of them)"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if probe.is_dir { TRANSCRIPTS.recognise_folder(probe.path) } else { recognise(probe.head) }
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        if path.is_dir() {
            return TRANSCRIPTS.import_folder(path, sink, import_file);
        }
        import_file(path, sink).map(|_| ())
    }
}

fn recognise(head: &[u8]) -> Match {
    let head = without_bom(head);
    let whole = Shape::of(head);
    if whole.has("session.id") && whole.has("items") {
        return Match::Certain;
    }
    let mut best = Match::No;
    for line in head.split(|byte| *byte == b'\n').take(PROBE_LINES_MAX) {
        let shape = Shape::of(line);
        if !shape.is_object() {
            continue;
        }
        let is_meta = shape.has_any(&["payload.cli_version", "payload.originator"]);
        let is_item = shape.has("payload.type") && shape.has("timestamp");
        let is_old_meta = ["id", "timestamp", "instructions"].iter().all(|name| shape.has(name));
        if shape.has("type") && (is_meta || is_item) || is_old_meta {
            return Match::Certain;
        }
        if shape.has("type") && shape.has("call_id") {
            best = Match::Likely;
        }
    }
    best
}

fn import_file(path: &Path, sink: &mut dyn Sink) -> Result<ControlFlow<()>, ImportError> {
    let input = Input::open(path, NAME)?;
    if recognise(input.head()) == Match::No {
        let reason = "its first lines are not those of a session (`session_meta`, `response_item`)";
        return Err(format_error(path, NAME, reason));
    }
    let mut reader =
        Reader { session: Session::new(file_stem(path)), repetitions: Repetitions::default() };
    if Shape::of(input.head()).has("items") {
        return for_each_element(input, NAME, sink, |whole: Value, _, sink| {
            reader.whole(whole, sink)
        });
    }
    for_each_json_line(input, NAME, sink, |line: Value, _, sink| reader.line(line, sink))
}

/// What is known of the session so far.
struct Session {
    id: String,
    is_known: bool,
    cwd: Option<String>,
    branch: Option<String>,
    model: Option<String>,
    /// Another agent speaks in the user's place.
    is_of_agent: bool,
}

impl Session {
    fn new(id: String) -> Self {
        Self { id, is_known: false, cwd: None, branch: None, model: None, is_of_agent: false }
    }

    /// Reads the first description of the session. A fork repeats that of the session it came from.
    fn describe(&mut self, meta: &Value) {
        if self.is_known {
            return;
        }
        let text = |name: &str| meta.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(id) = text("id").filter(|id| !id.is_empty()) else { return };
        self.is_known = true;
        self.id = bounded_uid(id);
        self.cwd = text("cwd").or(self.cwd.take());
        self.branch =
            meta.get("git").and_then(|git| git.get("branch")?.as_str()).map(str::to_owned);
        self.is_of_agent =
            meta.get("source").is_some_and(|source| source.get("subagent").is_some());
    }
}

struct Reader {
    session: Session,
    repetitions: Repetitions,
}

impl Reader {
    /// A session of the oldest form.
    fn whole(&mut self, mut whole: Value, sink: &mut dyn Sink) -> ControlFlow<()> {
        if let Some(meta) = whole.get("session") {
            self.session.describe(meta);
        }
        let items = whole.get_mut("items").map(Value::take);
        let Some(Value::Array(items)) = items else { return ControlFlow::Continue(()) };
        for item in items {
            self.item(&item, None, sink)?;
        }
        ControlFlow::Continue(())
    }

    fn line(&mut self, line: Value, sink: &mut dyn Sink) -> ControlFlow<()> {
        let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
        let at = line.get("timestamp");
        let Some(payload) = line.get("payload") else {
            if kind.is_empty() {
                self.session.describe(&line);
                return ControlFlow::Continue(());
            }
            return self.item(&line, at, sink);
        };
        match kind {
            "session_meta" => self.session.describe(payload),
            "turn_context" => {
                let text =
                    |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
                self.session.model = text("model").or(self.session.model.take());
                self.session.cwd = self.session.cwd.take().or(text("cwd"));
            }
            "response_item" => return self.item(payload, at, sink),
            "compacted" => {
                let summary = payload.get("message").and_then(Value::as_str).unwrap_or_default();
                return self.say(
                    "assistant",
                    Blocks { text: summary.to_owned(), ..Blocks::default() },
                    at,
                    sink,
                );
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn item(&mut self, item: &Value, at: Option<&Value>, sink: &mut dyn Sink) -> ControlFlow<()> {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = text("type");
        if !ITEMS.contains(&kind) {
            return ControlFlow::Continue(());
        }
        match kind {
            "message" => {
                let role = blocks::role(text("role"));
                let content = item.get("content").map(flatten).unwrap_or_default();
                match role {
                    Some("user") if self.session.is_of_agent => {
                        self.say("assistant", content, at, sink)
                    }
                    Some("user") => self.say("user", typed(content), at, sink),
                    Some("assistant") => self.say("assistant", content, at, sink),
                    _ => ControlFlow::Continue(()),
                }
            }
            "reasoning" => self.think(item, at, sink),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                let output = item.get("output").map(output).unwrap_or_default();
                let used =
                    Turn { text: excerpt(&output, TOOL_RESULT_BYTES_MAX), ..Turn::default() };
                self.tool(text("call_id"), "/output", used, at, sink)
            }
            _ => self.tool(text("call_id"), "", call(kind, item), at, sink),
        }
    }

    fn frame(&self, at: Option<&Value>) -> Turn {
        let named = |name: &str, value: &Option<String>| {
            value.as_ref().map(|value| (name.to_owned(), Value::String(value.clone())))
        };
        let session = &self.session;
        let more: Map<String, Value> =
            [named("cwd", &session.cwd), named("gitBranch", &session.branch)]
                .into_iter()
                .flatten()
                .collect();
        Turn {
            at: at.and_then(time::from_value),
            session: Some(session.id.clone()),
            session_title: session.cwd.clone(),
            more,
            ..Turn::default()
        }
    }

    fn uid(&mut self, role: &str, frame: &Turn, text: &str) -> String {
        let time = frame.at.as_ref().map_or("", |at| at.as_str());
        self.repetitions.uid(&self.session.id, content_hash(&[role, time, text]))
    }

    fn say(
        &mut self,
        role: &str,
        said: Blocks,
        at: Option<&Value>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let Blocks { text, captions, links, .. } = said;
        if text.trim().is_empty() && captions.is_empty() && links.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut frame = self.frame(at);
        if let (Some(model), "assistant") = (&self.session.model, role) {
            frame.more.insert("model".to_owned(), Value::String(model.clone()));
        }
        let uid = self.uid(role, &frame, &text);
        let role = Some(role.to_owned());
        deliver(NAME, Turn { uid, actor: role.clone(), role, text, captions, links, ..frame }, sink)
    }

    fn think(&mut self, item: &Value, at: Option<&Value>, sink: &mut dyn Sink) -> ControlFlow<()> {
        let mut text = String::new();
        for list in ["summary", "content"] {
            for part in item.get(list).and_then(Value::as_array).into_iter().flatten() {
                let words = part.get("text").and_then(Value::as_str).unwrap_or_default();
                blocks::push(&mut text, words.trim());
            }
        }
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        let frame = self.frame(at);
        let uid = self.uid("thinking", &frame, &text);
        deliver(NAME, Turn::thought(&uid, text, frame), sink)
    }

    fn tool(
        &mut self,
        call_id: &str,
        part: &str,
        used: Turn,
        at: Option<&Value>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        if used.text.trim().is_empty() {
            return ControlFlow::Continue(());
        }
        let frame = self.frame(at);
        let uid = match call_id {
            "" => self.uid("tool", &frame, &used.text),
            id => format!("{}/{}{part}", self.session.id, bounded_uid(id.to_owned())),
        };
        let role = Some("tool".to_owned());
        let Turn { text, links, .. } = used;
        deliver(NAME, Turn { uid, actor: role.clone(), role, text, links, ..frame }, sink)
    }
}

/// What the person typed of a message of the user: without what the host wrote in their name.
fn typed(content: Blocks) -> Blocks {
    let text = content.text.trim();
    let is_element = |name: &&str| {
        let after = text.strip_prefix('<').and_then(|text| text.strip_prefix(*name));
        after.is_some_and(|after| after.starts_with(['>', ' ', '\n', '/']))
    };
    let is_of_host =
        HOST_ELEMENTS.iter().any(is_element) || text.starts_with("# AGENTS.md instructions");
    if is_of_host {
        return Blocks::default();
    }
    let request = REQUEST_HEADINGS
        .iter()
        .filter(|_| text.starts_with("# Context from my IDE setup"))
        .find_map(|heading| text.split_once(*heading));
    let text = request.map_or(text, |(_, typed)| typed.trim()).to_owned();
    Blocks { text, ..content }
}

/// What a tool was used for.
fn call(kind: &str, item: &Value) -> Turn {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let name = text("name").unwrap_or(match kind {
        "local_shell_call" => "shell",
        "web_search_call" => "web_search",
        _ => "tool",
    });
    let arguments = text("arguments").and_then(|text| Some(parse::<Value>(text).ok()?.0));
    let input = arguments.or_else(|| item.get("action").cloned());
    if let Some(patch) = text("input").or(text("arguments").filter(|_| input.is_none())) {
        let links = patch.lines().filter_map(patched_file).map(str::to_owned).collect();
        let text = excerpt(&format!("{name}: {patch}"), TOOL_USE_BYTES_MAX);
        return Turn { text, links, ..Turn::default() };
    }
    let mut input = input.unwrap_or_default();
    // Commands are lists of words, or stand under `cmd`.
    let command = ["command", "cmd"].iter().find_map(|name| command(input.get(*name)?));
    if let (Some(command), Value::Object(members)) = (command, &mut input) {
        members.insert("command".to_owned(), Value::String(command));
    }
    let used = flatten(&json!([{ "type": "tool_use", "name": name, "input": input }]));
    Turn { text: used.tools, links: used.links, ..Turn::default() }
}

/// A command as one would type it: what a shell is asked to run, or the words in a row.
fn command(value: &Value) -> Option<String> {
    let words = match value {
        Value::String(command) => return Some(command.clone()),
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>(),
        _ => return None,
    };
    match words[..] {
        [_, "-lc" | "-c" | "-Command", script] => Some(script.to_owned()),
        _ => Some(words.join(" ")),
    }
}

fn patched_file(line: &str) -> Option<&str> {
    ["*** Update File: ", "*** Add File: ", "*** Delete File: "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
}

/// The words of an output: text, an object with `output` or `content`, or either written as JSON.
fn output(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let inner = Some(text).filter(|text| text.starts_with("{\"output\""));
            let inner = inner.and_then(|text| Some(parse::<Value>(text).ok()?.0));
            inner
                .as_ref()
                .and_then(|inner| inner.get("output")?.as_str())
                .unwrap_or(text)
                .to_owned()
        }
        Value::Object(object) => {
            let inner = object.get("output").or_else(|| object.get("content"));
            inner.map(|inner| flatten(inner).text).unwrap_or_default()
        }
        _ => flatten(value).text,
    }
}
