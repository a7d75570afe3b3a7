//! ChatGPT's data export: `conversations.json` (or its numbered parts), unpacked or in the zip
//! archive.
//!
//! A conversation is a tree, since every edited question and regenerated answer starts a branch.
//! The importer reads the path that the person saw last, from `current_node` up to the root, and
//! leaves out the other branches. Where `current_node` is missing, it reads the path of the latest
//! message. A cycle ends the walk and is reported.
//!
//! A message is `<conversation id>/<message id>`. Hidden messages, thoughts and the service's
//! context messages are left out; code for a tool and the tool's output become excerpts with the
//! role `tool`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::archive::{import_json_or_zip, recognise_part};
use crate::blocks::{self, Blocks, TOOL_RESULT_BYTES_MAX, flatten};
use crate::input::{Input, format_error, without_bom};
use crate::json_stream::{Position, for_each_element};
use crate::shape::Shape;
use crate::turn::{Turn, bounded_name, bounded_uid, content_hash, deliver, excerpt};
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink, is_mixed, time};

/// The importer of ChatGPT exports.
pub(crate) struct ChatGpt;

const NAME: &str = "chatgpt";
/// Longest mark of a citation, in characters.
const MARK_CHARS_MAX: usize = 200;

#[derive(Deserialize)]
struct Conversation {
    id: Option<String>,
    conversation_id: Option<String>,
    title: Option<String>,
    create_time: Option<Value>,
    current_node: Option<String>,
    mapping: BTreeMap<String, Node>,
}

#[derive(Deserialize)]
struct Node {
    parent: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    author: Option<Author>,
    content: Option<Map<String, Value>>,
    create_time: Option<Value>,
    recipient: Option<String>,
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Author {
    role: Option<String>,
    name: Option<String>,
}

impl Importer for ChatGpt {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "ChatGPT data export (conversations.json, the .zip or its folder)"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        let found = recognise_part(probe, is_conversations, recognise);
        if found != Match::No && is_mixed(probe, self) { Match::No } else { found }
    }

    fn claims_folder(&self, folder: &Path) -> bool {
        self.detect(&Probe { path: folder, is_dir: true, head: &[] }) == Match::Certain
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        import_json_or_zip(path, NAME, is_conversations, sink, import_json)
    }
}

/// True for `conversations.json` and its parts, `conversations-000.json` and so on.
pub(crate) fn is_conversations(name: &str) -> bool {
    let middle = name.strip_prefix("conversations").and_then(|rest| rest.strip_suffix(".json"));
    middle.is_some_and(|middle| {
        middle.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'_')
    })
}

fn recognise(head: &[u8]) -> Match {
    let shape = Shape::of(without_bom(head));
    if shape.has("mapping")
        && shape.has_any(&["current_node", "create_time", "title", "conversation_id"])
    {
        return Match::Certain;
    }
    if shape.has("mapping") { Match::Likely } else { Match::No }
}

fn import_json(input: Input<'_>, sink: &mut dyn Sink) -> Result<ControlFlow<()>, ImportError> {
    if recognise(input.head()) == Match::No && !Shape::of(input.head()).is_bare_array() {
        return Err(format_error(
            input.file(),
            NAME,
            "it has no conversation with a `mapping` of messages",
        ));
    }
    let file = input.file().to_owned();
    for_each_element(input, NAME, sink, |conversation: Conversation, position, sink| {
        read(conversation, &file, position, sink)
    })
}

fn read(
    mut conversation: Conversation,
    file: &Path,
    position: Position,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    let title = bounded_name(conversation.title.take());
    let id = match conversation.conversation_id.take().or(conversation.id.take()) {
        Some(id) => bounded_uid(id),
        None => {
            let created =
                conversation.create_time.as_ref().map(Value::to_string).unwrap_or_default();
            format!("{:016x}", content_hash(&[title.as_deref().unwrap_or_default(), &created]))
        }
    };
    let (path, end) = path_to_current(&conversation);
    let problem = match end {
        PathEnd::Root => None,
        PathEnd::Cycle => {
            Some("its messages form a circle; they were read from the last one up to it")
        }
        PathEnd::Missing => {
            Some("a message that others answer to is missing; those after it were read")
        }
    };
    if let Some(what) = problem {
        let message = format!("conversation {} ({id}): {what}", position.element);
        sink.problem(Problem { file: file.to_owned(), line: Some(position.line), message })?;
    }
    for node_id in path {
        let Some(message) = conversation.mapping.remove(&node_id).and_then(|node| node.message)
        else {
            continue;
        };
        let Some(turn) = turn(message, &node_id) else { continue };
        let turn = Turn {
            uid: format!("{id}/{}", turn.uid),
            session: Some(id.clone()),
            session_title: title.clone(),
            ..turn
        };
        deliver(NAME, turn, sink)?;
    }
    ControlFlow::Continue(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathEnd {
    Root,
    Cycle,
    Missing,
}

/// The nodes from the root to the current one.
fn path_to_current(conversation: &Conversation) -> (Vec<String>, PathEnd) {
    let mapping = &conversation.mapping;
    let current = conversation.current_node.as_ref().filter(|id| mapping.contains_key(*id));
    let mut next = current.or_else(|| latest(mapping));
    let mut path = Vec::new();
    let mut seen = BTreeSet::new();
    let mut end = PathEnd::Root;
    while let Some(id) = next {
        let Some(node) = mapping.get(id) else {
            end = PathEnd::Missing;
            break;
        };
        if !seen.insert(id) {
            end = PathEnd::Cycle;
            break;
        }
        path.push(id.clone());
        next = node.parent.as_ref();
    }
    path.reverse();
    (path, end)
}

/// The node with the latest message. Of several with the same time, the one with the greatest id.
fn latest(mapping: &BTreeMap<String, Node>) -> Option<&String> {
    let time = |node: &Node| node.message.as_ref()?.create_time.as_ref()?.as_f64();
    let timed = mapping.iter().map(|(id, node)| (time(node).unwrap_or(f64::NEG_INFINITY), id));
    timed
        .max_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(right.1)))
        .map(|(_, id)| id)
}

fn turn(message: Message, node_id: &str) -> Option<Turn> {
    let metadata = message.metadata.unwrap_or_default();
    if metadata.get("is_visually_hidden_from_conversation") == Some(&Value::Bool(true)) {
        return None;
    }
    let author = message.author.unwrap_or(Author { role: None, name: None });
    let content = message.content?;
    let Blocks { text, captions, links, .. } =
        match content.get("content_type").and_then(Value::as_str) {
            None | Some("text" | "multimodal_text") => flatten(content.get("parts")?),
            Some("code" | "execution_output") => flatten(content.get("text")?),
            Some("thoughts") => return thought(&content, message.id, message.create_time, node_id),
            Some("tether_quote") => flatten(content.get("text")?),
            Some("tether_browsing_display") => flatten(content.get("result")?),
            Some(_) => return None,
        };
    let for_tool = message.recipient.as_deref().is_some_and(|recipient| recipient != "all");
    let role = match author.role.as_deref().and_then(blocks::role) {
        Some("assistant") if for_tool => "tool",
        Some("system") | None => return None,
        Some(role) => role,
    };
    let text = match (role, message.recipient) {
        ("tool", Some(recipient)) if for_tool => {
            excerpt(&format!("{recipient}: {text}"), TOOL_RESULT_BYTES_MAX)
        }
        ("tool", _) => excerpt(&text, TOOL_RESULT_BYTES_MAX),
        _ => without_citation_marks(&text),
    };
    let attachments = metadata.get("attachments").and_then(Value::as_array);
    let names = attachments
        .into_iter()
        .flatten()
        .filter_map(|file| Some(file.get("name")?.as_str()?.to_owned()));
    let model = metadata.get("model_slug").cloned().map(|model| ("model_slug".to_owned(), model));
    Some(Turn {
        uid: message.id.unwrap_or_else(|| node_id.to_owned()),
        actor: Some(author.name.filter(|_| role == "tool").unwrap_or_else(|| role.to_owned())),
        at: message.create_time.as_ref().and_then(time::from_value),
        role: Some(role.to_owned()),
        text,
        captions,
        links: links.into_iter().chain(names).collect(),
        more: model.into_iter().collect(),
        ..Turn::default()
    })
}

/// What the model thought, in its steps.
fn thought(
    content: &Map<String, Value>,
    id: Option<String>,
    said_at: Option<Value>,
    node_id: &str,
) -> Option<Turn> {
    let mut text = String::new();
    for step in content.get("thoughts")?.as_array()? {
        for words in ["summary", "content"].iter().filter_map(|name| step.get(*name)?.as_str()) {
            blocks::push(&mut text, words.trim());
        }
    }
    let at = said_at.as_ref().and_then(time::from_value);
    let uid = id.unwrap_or_else(|| node_id.to_owned());
    Some(Turn::thought(&uid, text, Turn { at, ..Turn::default() }))
}

/// Removes the service's citation marks (`【11†source】`, and names between characters of the private
/// use area), which mean nothing elsewhere.
fn without_citation_marks(text: &str) -> String {
    const MARKS: [(char, char, &str); 2] = [('\u{e200}', '\u{e201}', ""), ('【', '】', "†")];
    let mut kept = text.to_owned();
    for (open, close, sign) in MARKS {
        let mut result = String::with_capacity(kept.len());
        let mut rest = kept.as_str();
        while let Some((before, after)) = rest.split_once(open) {
            result.push_str(before);
            match after.split_once(close) {
                Some((inner, after))
                    if inner.contains(sign) && inner.chars().count() <= MARK_CHARS_MAX =>
                {
                    rest = after
                }
                _ => {
                    result.push(open);
                    rest = after;
                }
            }
        }
        result.push_str(rest);
        kept = result;
    }
    kept
}
