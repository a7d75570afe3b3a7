//! Claude's data export: `conversations.json`, unpacked or in the zip archive.
//!
//! The identity of a message is `<conversation uuid>/<message uuid>`. Its tool calls become a turn
//! of their own, `…/tool`, and so does the text of every attached file, `…/attachment-<n>`, since
//! conversations are often about it. Where a message has content blocks, the importer reads these
//! instead of the flat text, which has placeholders for blocks that are not text.

use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::archive::{import_json_or_zip, recognise_part};
use crate::blocks::{self, Blocks, flatten};
use crate::chatgpt::is_conversations;
use crate::input::{Input, format_error, without_bom};
use crate::json_stream::for_each_element;
use crate::shape::Shape;
use crate::turn::{Repetitions, Turn, bounded_name, bounded_uid, content_hash, deliver};
use crate::{Context, ImportError, Importer, Match, Probe, Sink, is_mixed, time};

/// The importer of Claude exports.
pub(crate) struct ClaudeExport;

const NAME: &str = "claude-export";

#[derive(Deserialize)]
struct Conversation {
    uuid: Option<String>,
    name: Option<String>,
    created_at: Option<String>,
    chat_messages: Option<Vec<Message>>,
}

#[derive(Deserialize)]
struct Message {
    uuid: Option<String>,
    sender: Option<String>,
    text: Option<String>,
    content: Option<Value>,
    created_at: Option<Value>,
    attachments: Option<Vec<File>>,
    files: Option<Vec<File>>,
}

#[derive(Deserialize)]
struct File {
    file_name: Option<String>,
    extracted_content: Option<String>,
}

impl Importer for ClaudeExport {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "Claude data export (conversations.json, the .zip or its folder)"
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

fn recognise(head: &[u8]) -> Match {
    let shape = Shape::of(without_bom(head));
    if shape.has("chat_messages") { Match::Certain } else { Match::No }
}

fn import_json(input: Input<'_>, sink: &mut dyn Sink) -> Result<ControlFlow<()>, ImportError> {
    if recognise(input.head()) == Match::No && !Shape::of(input.head()).is_bare_array() {
        return Err(format_error(
            input.file(),
            NAME,
            "it has no conversation with `chat_messages`",
        ));
    }
    for_each_element(input, NAME, sink, |conversation: Conversation, _, sink| {
        read(conversation, sink)
    })
}

fn read(conversation: Conversation, sink: &mut dyn Sink) -> ControlFlow<()> {
    let title = bounded_name(conversation.name);
    let id = conversation.uuid.map(bounded_uid).unwrap_or_else(|| {
        let created = conversation.created_at.unwrap_or_default();
        format!("{:016x}", content_hash(&[title.as_deref().unwrap_or_default(), &created]))
    });
    let mut repetitions = Repetitions::default();
    for message in conversation.chat_messages.unwrap_or_default() {
        let frame = Turn {
            uid: id.clone(),
            at: message.created_at.as_ref().and_then(time::from_value),
            session: Some(id.clone()),
            session_title: title.clone(),
            ..Turn::default()
        };
        read_message(message, frame, &mut repetitions, sink)?;
    }
    ControlFlow::Continue(())
}

fn read_message(
    message: Message,
    frame: Turn,
    repetitions: &mut Repetitions,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    let Blocks { mut text, tools, thinking, captions, mut links } =
        message.content.as_ref().map(flatten).unwrap_or_default();
    if text.trim().is_empty() && tools.is_empty() {
        text = message.text.unwrap_or_default();
    }
    let sender = message.sender.unwrap_or_default();
    let role = blocks::role(&sender).map(str::to_owned);
    let actor = role.clone().or(bounded_name(Some(sender)));
    let uid = match message.uuid {
        Some(uuid) => bounded_uid(format!("{}/{uuid}", frame.uid)),
        None => {
            let time = frame.at.as_ref().map_or("", |at| at.as_str());
            let hash = content_hash(&[actor.as_deref().unwrap_or_default(), time, &text, &tools]);
            repetitions.uid(&frame.uid, hash)
        }
    };
    let attachments = message.attachments.unwrap_or_default();
    let files = message.files.unwrap_or_default();
    let tool_links = std::mem::take(&mut links);
    links.extend(attachments.iter().chain(&files).filter_map(|file| file.file_name.clone()));
    deliver(NAME, Turn::thought(&uid, thinking, frame.clone()), sink)?;
    let said = Turn {
        uid: uid.clone(),
        actor: actor.clone(),
        role: role.clone(),
        text,
        captions,
        links,
        ..frame.clone()
    };
    deliver(NAME, said, sink)?;
    if !tools.is_empty() {
        let tool = Some("tool".to_owned());
        let uid = format!("{uid}/tool");
        deliver(
            NAME,
            Turn {
                uid,
                actor: tool.clone(),
                role: tool,
                text: tools,
                links: tool_links,
                ..frame.clone()
            },
            sink,
        )?;
    }
    for (number, file) in (1_u64..).zip(attachments) {
        let attached = Turn {
            uid: format!("{uid}/attachment-{number}"),
            actor: actor.clone(),
            role: role.clone(),
            text: file.extracted_content.unwrap_or_default(),
            title: file.file_name,
            ..frame.clone()
        };
        deliver(NAME, attached, sink)?;
    }
    ControlFlow::Continue(())
}
