//! Generic chat logs: one JSON object per line, with whatever field names the program chose.
//!
//! [`TEXT`], [`ACTOR`], [`TIME`], [`SESSION`] and [`ID`] list the supported field names; the first
//! one that is present counts, so if a line has `name` and `role`, the name is the speaker and the
//! role stays the role. A line may also hold a whole conversation as `messages`, as files for
//! fine-tuning do, and a file may be one JSON array instead of lines.
//!
//! The identity of a message is `<session>/<id>`. Without an id, its content (who, when, what) and
//! the number of earlier repetitions identify it. Without a session, the file's name takes its
//! place. A conversation in one line without an id is identified by its beginning up to the
//! person's first words, so it keeps its identity when it grows. Other plain values of a line are
//! kept under their own names.
//!
//! This is the importer for bulk data: memory does not grow with the file, apart from eight bytes
//! and a count for each message without an id.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kernel::when::When;
use serde_json::{Map, Value};

use crate::blocks::{self, Blocks, flatten};
use crate::files::has_extension;
use crate::input::{Input, file_stem, format_error, without_bom};
use crate::json_stream::{for_each_element, for_each_json_line};
use crate::shape::Shape;
use crate::turn::{Repetitions, Turn, bounded_name, bounded_uid, content_hash, deliver};
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink, markdown, time};

/// The importer of generic chats.
pub(crate) struct ChatJsonl;

const NAME: &str = "chat-jsonl";

/// Fields with the words: text or a list of content blocks.
const TEXT: [&str; 5] = ["text", "content", "message", "body", "value"];
/// Fields with the speaker: a text, or an object with a name.
const ACTOR: [&str; 8] = ["speaker", "author", "name", "from", "sender", "user", "actor", "role"];
/// Fields with the time.
const TIME: [&str; 8] =
    ["timestamp", "time", "ts", "created_at", "createdAt", "date", "created", "at"];
/// Fields that name the conversation.
const SESSION: [&str; 7] =
    ["session", "session_id", "conversation_id", "conversation", "thread", "thread_id", "channel"];
/// Fields with the message's id.
const ID: [&str; 4] = ["message_id", "uuid", "id", "msg_id"];
/// Fields with captions of images.
const CAPTIONS: [&str; 5] = ["captions", "caption", "image_caption", "blip_caption", "alt_text"];
/// Fields with a list of messages.
const MESSAGES: [&str; 2] = ["messages", "conversations"];

/// Most lines that are looked at to recognise a file.
const PROBE_LINES_MAX: usize = 50;
/// Most messages of one line or element.
const MESSAGES_MAX: usize = 100_000;

impl Importer for ChatJsonl {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "any chat as JSON lines: text, speaker, time, session, id under their usual names"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        // A note may quote lines of JSON.
        match has_extension(probe.path, &markdown::EXTENSIONS) {
            true => Match::No,
            false => recognise(probe.head),
        }
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let input = Input::open(path, NAME)?;
        let shape = Shape::of(input.head());
        if recognise(input.head()) == Match::No && !shape.is_bare_array() {
            let names = TEXT.map(|name| format!("`{name}`")).join(", ");
            let reason =
                format!("none of its first lines is a JSON object with {names} or `messages`");
            return Err(format_error(path, NAME, reason));
        }
        let mut reader = Reader {
            file: path.to_owned(),
            stem: file_stem(path),
            repetitions: Repetitions::default(),
        };
        if shape.is_array() {
            let read = for_each_element(input, NAME, sink, |item: Value, position, sink| {
                reader.item(item, position.line, sink)
            });
            return read.map(|_| ());
        }
        let read = for_each_json_line(input, NAME, sink, |item: Value, number, sink| {
            reader.item(item, number, sink)
        });
        read.map(|_| ())
    }
}

fn recognise(head: &[u8]) -> Match {
    let head = without_bom(head);
    let whole = Shape::of(head);
    if whole.is_array() {
        return of_shape(&whole);
    }
    let lines = head.split(|byte| *byte == b'\n').take(PROBE_LINES_MAX);
    lines
        .map(Shape::of)
        .filter(Shape::is_object)
        .map(|shape| of_shape(&shape))
        .max()
        .unwrap_or(Match::No)
}

fn of_shape(shape: &Shape) -> Match {
    let said = shape.has_any(&TEXT);
    let many =
        MESSAGES.iter().any(|list| TEXT.iter().any(|text| shape.has(&format!("{list}.{text}"))));
    match said && (shape.has_any(&ACTOR) || shape.has_any(&TIME)) || many {
        true => Match::Likely,
        false if said => Match::Fallback,
        false => Match::No,
    }
}

/// What a message has from its conversation.
#[derive(Default)]
struct Conversation {
    session: Option<String>,
    title: Option<String>,
    at: Option<When>,
}

/// Reads one file.
struct Reader {
    file: PathBuf,
    stem: String,
    repetitions: Repetitions,
}

impl Reader {
    fn problem(&self, line: u64, message: &str) -> Problem {
        Problem { file: self.file.clone(), line: Some(line), message: message.to_owned() }
    }

    /// Reads one line's value: a message, or a conversation.
    fn item(&mut self, item: Value, line: u64, sink: &mut dyn Sink) -> ControlFlow<()> {
        let Value::Object(mut item) = item else {
            return sink.problem(self.problem(line, "not a JSON object"));
        };
        let many = MESSAGES.iter().find_map(|name| match item.get(*name) {
            Some(Value::Array(_)) => item.remove(*name),
            _ => None,
        });
        let Some(Value::Array(messages)) = many else {
            let session = take_label(&mut item, &SESSION);
            let conversation = Conversation { session, ..Conversation::default() };
            return self.message(item, &conversation, line, sink);
        };
        if messages.len() > MESSAGES_MAX {
            let message =
                format!("more than {MESSAGES_MAX} messages in one conversation; it was left out");
            return sink.problem(self.problem(line, &message));
        }
        let title = bounded_name(take_text(&mut item, &["title", "name"]));
        let session = match take_label(&mut item, &SESSION).or_else(|| take_label(&mut item, &ID)) {
            Some(session) => bounded_uid(session),
            None => {
                let hash = beginning_hash(&messages);
                self.repetitions.uid(&self.stem, hash)
            }
        };
        let at = take(&mut item, &TIME).as_ref().and_then(time::from_value);
        let conversation = Conversation { session: Some(session), title, at };
        for message in messages {
            let Value::Object(message) = message else {
                sink.problem(self.problem(line, "a message that is not a JSON object"))?;
                continue;
            };
            self.message(message, &conversation, line, sink)?;
        }
        ControlFlow::Continue(())
    }

    fn message(
        &mut self,
        mut item: Map<String, Value>,
        conversation: &Conversation,
        line: u64,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let mut content = take(&mut item, &TEXT);
        // Some logs wrap the message: `{"message": {"role": …, "content": …}}`.
        if let Some(Value::Object(inner)) = &mut content
            && TEXT.iter().any(|name| inner.contains_key(*name))
        {
            let mut inner = std::mem::take(inner);
            content = take(&mut inner, &TEXT);
            for (name, value) in inner {
                item.entry(name).or_insert(value);
            }
        }
        let calls = item.remove("tool_calls");
        let captions = take(&mut item, &CAPTIONS);
        if content.is_none() && calls.is_none() && captions.is_none() {
            return sink.problem(self.problem(
                line,
                "no text: none of `text`, `content`, `message` or `body` is there",
            ));
        }
        let Blocks { mut text, tools, thinking, captions: mut shown, links } = match content {
            Some(Value::String(text)) => Blocks { text, ..Blocks::default() },
            Some(content) => flatten(&content),
            None => Blocks::default(),
        };
        let called = calls.as_ref().map(flatten).unwrap_or_default();
        for tool_text in [tools, called.tools].iter().filter(|tool_text| !tool_text.is_empty()) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(tool_text);
        }
        match captions {
            Some(Value::String(caption)) => shown.push(caption),
            Some(Value::Array(captions)) => shown.extend(captions.into_iter().filter_map(as_label)),
            _ => {}
        }
        let time = take(&mut item, &TIME);
        let at = time.as_ref().and_then(time::from_value);
        if let (Some(time), None) = (&time, &at)
            && !time.is_null()
        {
            let time: String = time.to_string().chars().take(64).collect();
            sink.problem(self.problem(
                line,
                &format!("{time} is not a time; the message was taken without one"),
            ))?;
        }
        let role = item.get("role").and_then(Value::as_str).map(str::to_owned);
        let actor = take_label(&mut item, &ACTOR);
        item.remove("role");
        let role = role.as_deref().or(actor.as_deref()).and_then(blocks::role).map(str::to_owned);
        let id = take_label(&mut item, &ID);
        let session = conversation.session.clone().unwrap_or_else(|| self.stem.clone());
        let uid = match id {
            Some(id) => format!("{session}/{id}"),
            None => {
                let time = at.as_ref().map_or("", |at| at.as_str());
                let mut parts = vec![actor.as_deref().unwrap_or_default(), time, &text];
                parts.extend(shown.iter().map(String::as_str));
                self.repetitions.uid(&session, content_hash(&parts))
            }
        };
        let tags = match item.remove("tags") {
            Some(Value::Array(tags)) => tags.into_iter().filter_map(as_label).collect(),
            _ => Vec::new(),
        };
        // A message without a time is of the time of its conversation, by which it is not known.
        let at = at.or_else(|| conversation.at.clone());
        let session_title = conversation.title.clone();
        let frame = Turn {
            at: at.clone(),
            session: Some(session.clone()),
            session_title: session_title.clone(),
            ..Turn::default()
        };
        deliver(NAME, Turn::thought(&uid, thinking, frame), sink)?;
        let turn = Turn {
            uid,
            actor,
            at,
            role,
            text,
            captions: shown,
            session: Some(session),
            session_title,
            tags,
            links,
            more: item,
            ..Turn::default()
        };
        deliver(NAME, turn, sink)
    }
}

/// Takes the first of `names` that is present and not null.
fn take(item: &mut Map<String, Value>, names: &[&str]) -> Option<Value> {
    let name = names.iter().find(|name| item.get(**name).is_some_and(|value| !value.is_null()))?;
    item.remove(*name)
}

/// Takes the first of `names` that can be shown as one line.
fn take_label(item: &mut Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| item.remove(*name).and_then(as_label))
}

fn take_text(item: &mut Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| item.get(*name)?.as_str()).map(str::to_owned)
}

/// A name from a text, a number, or an object that has one.
fn as_label(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(object) => {
            let names = ["display_name", "name", "username", "role", "id"];
            names.iter().find_map(|name| match object.get(*name)? {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            })
        }
        _ => None,
    }
}

/// What identifies a conversation without an id: its messages up to the person's first.
fn beginning_hash(messages: &[Value]) -> u64 {
    let mut parts = Vec::new();
    for message in messages {
        let Value::Object(message) = message else { continue };
        let who = ACTOR.iter().find_map(|name| message.get(*name)?.as_str()).unwrap_or_default();
        let said = TEXT.iter().find_map(|name| message.get(*name)).map(flatten).unwrap_or_default();
        parts.push(who.to_owned());
        parts.push(said.text);
        if blocks::role(who) == Some("user") {
            break;
        }
    }
    content_hash(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}
