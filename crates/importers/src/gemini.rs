//! Gemini CLI: its sessions (`session-*.json` or `.jsonl` below `~/.gemini/tmp/<project>/chats`),
//! its checkpoints and its log of prompts (`logs.json`).
//!
//! A session is one object with `messages`, or lines: first one about the session, then messages.
//! A line repeats a message when more of it is known, and `$rewindTo` takes back a message and all
//! after it. So lines are read twice: once to find what counts, once to import that. Notices of the
//! program (`info`, `error`, `warning`) are left out.
//!
//! A message is `<session>/<id>`, its tools `…/tool`, its thoughts `…/thinking`. Checkpoints have
//! neither ids nor times; their content identifies their messages. Of the log of prompts, only
//! those count whose session has no file beside it.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::blocks::{self, flatten};
use crate::input::{Input, file_stem, format_error, without_bom};
use crate::json_stream::for_each_json_line;
use crate::json_walk::{Place, Visit, Visited, walk};
use crate::secrets::cut;
use crate::shape::Shape;
use crate::transcripts::Transcripts;
use crate::turn::{Repetitions, Turn, bounded_name, bounded_uid, content_hash, deliver};
use crate::{Context, Discard, ImportError, Importer, Match, Probe, Sink, time};

/// The importer of Gemini CLI sessions.
pub(crate) struct Gemini;

const NAME: &str = "gemini";

/// Most messages of one session that are kept in order.
const MESSAGES_MAX: usize = 1_000_000;
/// How many characters of its session's id the name of a file ends with.
const ID_IN_NAME_CHARS: usize = 8;
/// Where the content of files that a prompt names begins.
const REFERENCED_FILES: &str = "--- Content from referenced files ---";
/// What the program says first in every conversation, and what the model answers.
const OPENING: [&str; 3] = [
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Got it. Thanks for the context!",
    "<session_context>",
];

const TRANSCRIPTS: Transcripts =
    Transcripts { format: NAME, home: (".gemini", "tmp"), wanted: is_transcript, recognise };

/// The forms of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Session,
    Lines,
    Checkpoint,
    Log,
}

impl Importer for Gemini {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "Gemini CLI sessions, checkpoints and logs.json, or a folder of them"
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

fn is_transcript(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = ["session-", "checkpoint", "logs"].iter().any(|start| name.starts_with(start));
    named && (name.ends_with(".json") || name.ends_with(".jsonl"))
}

fn recognise(head: &[u8]) -> Match {
    if form(head).is_some() { Match::Certain } else { Match::No }
}

fn form(head: &[u8]) -> Option<Form> {
    let head = without_bom(head);
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let (whole, first) = (Shape::of(head), Shape::of(line));
    let has_all = |shape: &Shape, names: &[&str]| names.iter().all(|name| shape.has(name));
    if whole.is_object() && has_all(&whole, &["sessionId", "projectHash"]) {
        let is_line = has_all(&first, &["sessionId", "projectHash"]) && !first.has("messages");
        return Some(if is_line { Form::Lines } else { Form::Session });
    }
    if whole.is_array() && has_all(&whole, &["sessionId", "messageId", "message"]) {
        return Some(Form::Log);
    }
    let is_checkpoint = whole.is_array() && has_all(&whole, &["role", "parts"])
        || has_all(&whole, &["history.role", "history.parts"]);
    is_checkpoint.then_some(Form::Checkpoint)
}

fn import_file(path: &Path, sink: &mut dyn Sink) -> Result<ControlFlow<()>, ImportError> {
    let input = Input::open(path, NAME)?;
    let Some(form) = form(input.head()) else {
        let reason = "it has neither `sessionId` and `projectHash` nor the form of a checkpoint or log of prompts";
        return Err(format_error(path, NAME, reason));
    };
    let mut reader =
        Reader { session: Session::new(file_stem(path)), repetitions: Repetitions::default() };
    match form {
        Form::Session => walk(input, NAME, sink, visit, |place, visited, sink| {
            reader.member(place, visited, sink)
        }),
        Form::Checkpoint => walk(input, NAME, sink, visit, |_, visited, sink| match visited {
            Visited::Value(content) => reader.content(&content, sink),
            Visited::End => ControlFlow::Continue(()),
        }),
        Form::Log => walk(input, NAME, sink, visit, |_, visited, sink| match visited {
            Visited::Value(prompt) => reader.prompt(&prompt, path, sink),
            Visited::End => ControlFlow::Continue(()),
        }),
        Form::Lines => {
            let counting = last_lines(input)?;
            let input = Input::open(path, NAME)?;
            for_each_json_line(input, NAME, sink, |line: Value, number, sink| {
                reader.line(&line, number, &counting, sink)
            })
        }
    }
}

fn visit(place: &[&str]) -> Visit {
    match place {
        [] | ["messages"] | ["history"] => Visit::Enter,
        _ => Visit::Take,
    }
}

/// The line that counts of every message, by the hash of its id.
type LastLines = HashMap<u64, u64>;

/// Reads the lines once, to find what later lines repeat or take back.
fn last_lines(input: Input<'_>) -> Result<LastLines, ImportError> {
    let mut order: Vec<u64> = Vec::new();
    let mut last = LastLines::new();
    let _ = for_each_json_line(input, NAME, &mut Discard, |line: Value, number, _| {
        let hash = |name: &str| Some(content_hash(&[line.get(name)?.as_str()?]));
        if let Some(to) = hash("$rewindTo") {
            let from = order.iter().position(|id| *id == to).unwrap_or(0);
            for id in order.drain(from..) {
                last.remove(&id);
            }
        } else if let Some(id) = hash("id")
            && last.insert(id, number).is_none()
        {
            order.push(id);
        }
        if order.len() >= MESSAGES_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(last)
}

/// What is known of the session so far.
struct Session {
    id: String,
    title: Option<String>,
    /// Another agent speaks in the user's place.
    is_of_agent: bool,
    /// Of a session that the log of prompts names: it has a file of its own.
    has_file: bool,
}

impl Session {
    fn new(id: String) -> Self {
        Self { id, title: None, is_of_agent: false, has_file: false }
    }

    fn describe(&mut self, name: &str, value: &Value) {
        match (name, value.as_str()) {
            ("sessionId", Some(id)) if !id.is_empty() => self.id = bounded_uid(id.to_owned()),
            ("summary", Some(summary)) => self.title = bounded_name(Some(summary.to_owned())),
            ("kind", Some(kind)) => self.is_of_agent = kind == "subagent",
            _ => {}
        }
    }
}

struct Reader {
    session: Session,
    repetitions: Repetitions,
}

impl Reader {
    /// One member of a session that is one object.
    fn member(&mut self, place: &Place, visited: Visited, sink: &mut dyn Sink) -> ControlFlow<()> {
        let Visited::Value(value) = visited else { return ControlFlow::Continue(()) };
        match place.names()[..] {
            ["messages", "[]"] => self.message(&value, sink),
            [name] => {
                self.session.describe(name, &value);
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn line(
        &mut self,
        line: &Value,
        number: u64,
        last: &LastLines,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        if let Some(id) = line.get("id").and_then(Value::as_str) {
            let counts = last.get(&content_hash(&[id])) == Some(&number);
            return if counts { self.message(line, sink) } else { ControlFlow::Continue(()) };
        }
        let about = line.get("$set").unwrap_or(line);
        for name in ["sessionId", "summary", "kind"] {
            if let Some(value) = about.get(name) {
                self.session.describe(name, value);
            }
        }
        ControlFlow::Continue(())
    }

    fn message(&mut self, message: &Value, sink: &mut dyn Sink) -> ControlFlow<()> {
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        let role = match text("type") {
            "user" if self.session.is_of_agent => "assistant",
            "user" => "user",
            "gemini" => "assistant",
            _ => return ControlFlow::Continue(()),
        };
        let shown = message.get("displayContent").filter(|content| !content.is_null());
        let content = shown.or_else(|| message.get("content")).unwrap_or(&Value::Null);
        let parts = Parts::of(content);
        let said = if role == "user" { typed(&parts.text) } else { parts.text.as_str() };
        let frame = self.frame(message.get("timestamp"));
        let uid = match text("id") {
            "" => self.uid(role, said),
            id => format!("{}/{id}", self.session.id),
        };
        let mut thinking = parts.thinking;
        for thought in message.get("thoughts").and_then(Value::as_array).into_iter().flatten() {
            for words in
                ["subject", "description"].iter().filter_map(|name| thought.get(*name)?.as_str())
            {
                blocks::push(&mut thinking, words.trim());
            }
        }
        let mut uses = parts.uses;
        for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
            uses.push(
                json!({ "type": "tool_use", "name": call.get("name"), "input": call.get("args") }),
            );
            let mut results = Parts::of(call.get("result").unwrap_or(&Value::Null)).uses;
            uses.append(&mut results);
        }
        let model = message.get("model").filter(|model| model.is_string()).cloned();
        let more: Map<String, Value> =
            model.map(|model| ("model".to_owned(), model)).into_iter().collect();
        give(Message { uid, role, said, thinking, uses, frame: Turn { more, ..frame } }, sink)
    }

    /// One content of a checkpoint.
    fn content(&mut self, content: &Value, sink: &mut dyn Sink) -> ControlFlow<()> {
        let role = content.get("role").and_then(Value::as_str).and_then(blocks::role);
        let Some(role) = role else { return ControlFlow::Continue(()) };
        let parts = Parts::of(content.get("parts").unwrap_or(&Value::Null));
        let said = if role == "user" { typed(&parts.text) } else { parts.text.as_str() };
        let said = if OPENING.iter().any(|opening| said.starts_with(opening)) { "" } else { said };
        let uses = Value::Array(parts.uses.clone()).to_string();
        if said.trim().is_empty() && parts.thinking.is_empty() && parts.uses.is_empty() {
            return ControlFlow::Continue(());
        }
        let uid = self.uid(role, &format!("{said}{uses}"));
        let frame = self.frame(None);
        give(Message { uid, role, said, thinking: parts.thinking, uses: parts.uses, frame }, sink)
    }

    /// One prompt of the log.
    fn prompt(&mut self, prompt: &Value, path: &Path, sink: &mut dyn Sink) -> ControlFlow<()> {
        let text = |name: &str| prompt.get(name).and_then(Value::as_str).unwrap_or_default();
        let id = text("sessionId");
        // A slash begins a command to the program itself.
        if text("type") != "user" || id.is_empty() || text("message").starts_with('/') {
            return ControlFlow::Continue(());
        }
        if self.session.id != id {
            self.session.id = bounded_uid(id.to_owned());
            self.session.has_file = has_session_file(path, id);
        }
        if self.session.has_file {
            return ControlFlow::Continue(());
        }
        let number = prompt.get("messageId").map(Value::to_string).unwrap_or_default();
        let frame = self.frame(prompt.get("timestamp"));
        let uid = format!("{}/log-{}", self.session.id, bounded_uid(number));
        let said = text("message");
        give(
            Message { uid, role: "user", said, thinking: String::new(), uses: Vec::new(), frame },
            sink,
        )
    }

    fn frame(&self, at: Option<&Value>) -> Turn {
        Turn {
            at: at.and_then(time::from_value),
            session: Some(self.session.id.clone()),
            session_title: self.session.title.clone(),
            ..Turn::default()
        }
    }

    fn uid(&mut self, role: &str, text: &str) -> String {
        self.repetitions.uid(&self.session.id, content_hash(&[role, text]))
    }
}

/// One message, taken apart.
struct Message<'a> {
    uid: String,
    role: &'a str,
    said: &'a str,
    thinking: String,
    /// Tool calls and results, as the blocks that [`flatten`] reads.
    uses: Vec<Value>,
    frame: Turn,
}

fn give(message: Message<'_>, sink: &mut dyn Sink) -> ControlFlow<()> {
    let Message { uid, role, said, thinking, uses, frame } = message;
    deliver(NAME, Turn::thought(&uid, thinking, frame.clone()), sink)?;
    let named = |role: &str| Some(role.to_owned());
    let turn = Turn {
        uid: uid.clone(),
        actor: named(role),
        role: named(role),
        text: said.to_owned(),
        ..frame.clone()
    };
    deliver(NAME, turn, sink)?;
    let used = flatten(&Value::Array(uses));
    if used.tools.is_empty() {
        return ControlFlow::Continue(());
    }
    let turn = Turn {
        uid: format!("{uid}/tool"),
        actor: named("tool"),
        role: named("tool"),
        text: used.tools,
        links: used.links,
        ..frame
    };
    deliver(NAME, turn, sink)
}

/// Whether a session that the log names has a file of its own, which says more.
fn has_session_file(log: &Path, session: &str) -> bool {
    let Some(chats) = log.parent().map(|folder| folder.join("chats")) else { return false };
    let short = cut(session, ID_IN_NAME_CHARS);
    let entries = chats.read_dir().into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.any(|name| {
        let stem = name.trim_end_matches(".jsonl").trim_end_matches(".json");
        stem.ends_with(short) || stem == session
    })
}

/// The parts of a content, which is a text, a part or a list of parts.
#[derive(Default)]
struct Parts {
    text: String,
    thinking: String,
    /// Tool calls and results, as the blocks that [`flatten`] reads.
    uses: Vec<Value>,
}

impl Parts {
    fn of(content: &Value) -> Self {
        let mut parts = Self::default();
        match content {
            Value::String(text) => parts.text.clone_from(text),
            Value::Array(list) => list.iter().for_each(|part| parts.add(part)),
            part => parts.add(part),
        }
        parts
    }

    fn add(&mut self, part: &Value) {
        let text = part.as_str().or_else(|| part.get("text")?.as_str());
        let is_thought = part.get("thought") == Some(&Value::Bool(true));
        match text {
            Some(text) if is_thought => blocks::push(&mut self.thinking, text.trim()),
            Some(text) => blocks::push(&mut self.text, text),
            None => {}
        }
        if let Some(call) = part.get("functionCall") {
            self.uses.push(
                json!({ "type": "tool_use", "name": call.get("name"), "input": call.get("args") }),
            );
        }
        if let Some(response) =
            part.get("functionResponse").and_then(|answer| answer.get("response"))
        {
            let words = ["output", "result", "error", "content"]
                .iter()
                .find_map(|name| response.get(*name)?.as_str());
            let words = words.map_or_else(|| response.to_string(), str::to_owned);
            self.uses.push(json!({ "type": "tool_result", "content": words }));
        }
    }
}

/// What the person typed: without the files that the program added to it.
fn typed(text: &str) -> &str {
    text.split_once(REFERENCED_FILES).map_or(text, |(typed, _)| typed).trim()
}
