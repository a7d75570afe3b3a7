//! Signal: what `signal-export` writes (`data.json`, a JSON object a line) and the plaintext
//! export of Signal itself (`main.jsonl`, the backup format as JSON lines).
//!
//! A message of `signal-export` has no id: its chat, its content and the number of earlier
//! repetitions identify it. The chat is known by its first message and titled by its folder. In the
//! plaintext export, people and groups come before the messages that name them; a message is
//! `<chat>/<time sent>-<author>`, where chat and author are known by their accounts, since their
//! numbers change from export to export. Notices and calls are left out.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::{Map, Value};

use crate::blocks;
use crate::input::{Input, format_error, read_head, without_bom};
use crate::json_stream::for_each_json_line;
use crate::shape::Shape;
use crate::turn::{Repetitions, Turn, bounded_name, content_hash, deliver};
use crate::{Context, ImportError, Importer, Match, Probe, Sink, time};

/// The importer of Signal exports.
pub(crate) struct Signal;

const NAME: &str = "signal";
/// Most people, groups and chats that are kept.
const NAMES_MAX: usize = 500_000;
/// What `signal-export` writes for each chat.
const DATA: &str = "data.json";

impl Importer for Signal {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "Signal: data.json of signal-export, main.jsonl of Signal's plaintext export"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        match probe.is_dir {
            true if self.claims_folder(probe.path) => Match::Certain,
            true => Match::No,
            false if form(probe.head).is_some() => Match::Certain,
            false => Match::No,
        }
    }

    fn is_between_people(&self) -> bool {
        true
    }

    /// `signal-export` writes every chat three times over, in a folder of its own.
    fn claims_folder(&self, folder: &Path) -> bool {
        read_head(&folder.join(DATA)).is_ok_and(|head| form(&head) == Some(Form::Export))
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let file = if path.is_dir() { path.join(DATA) } else { path.to_owned() };
        let input = Input::open(&file, NAME)?;
        let Some(form) = form(input.head()) else {
            let reason = "its first line is neither a message of signal-export nor the beginning of a plaintext export";
            return Err(format_error(&file, NAME, reason));
        };
        let title =
            file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let mut chat =
            Chat { id: None, title: bounded_name(title), repetitions: Repetitions::default() };
        let mut book = Book::default();
        let read = for_each_json_line(input, NAME, sink, |line: Value, _, sink| match form {
            Form::Export => chat.message(&line, sink),
            Form::Plaintext => book.frame(&line, sink),
        });
        read.map(|_| ())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Of `signal-export`.
    Export,
    /// Of Signal itself.
    Plaintext,
}

fn form(head: &[u8]) -> Option<Form> {
    let mut lines = without_bom(head).split(|byte| *byte == b'\n').map(Shape::of);
    let first = lines.next()?;
    let has_all = |names: &[&str]| names.iter().all(|name| first.has(name));
    if has_all(&["date", "sender", "body", "quote", "reactions"]) {
        return Some(Form::Export);
    }
    let is_info = has_all(&["version", "backupTimeMs"]);
    let is_frame = |shape: Shape| shape.has_any(&["account", "recipient", "chat", "chatItem"]);
    (is_info && lines.next().is_none_or(is_frame)).then_some(Form::Plaintext)
}

/// A chat of `signal-export`.
struct Chat {
    id: Option<String>,
    title: Option<String>,
    repetitions: Repetitions,
}

impl Chat {
    fn message(&mut self, line: &Value, sink: &mut dyn Sink) -> ControlFlow<()> {
        let field = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_set = |name: &str| line.get(name) == Some(&Value::Bool(true));
        let (sender, date, body) = (field("sender"), field("date"), field("body").trim());
        let hash = content_hash(&[sender, date, body]);
        let session = self.id.get_or_insert_with(|| format!("{hash:016x}")).clone();
        if is_set("call") || is_set("deleted") {
            return ControlFlow::Continue(());
        }
        let sticker = line
            .get("sticker")
            .and_then(|sticker| sticker.as_str().or_else(|| sticker.get("emoji")?.as_str()));
        let text = if body.is_empty() { sticker.unwrap_or_default() } else { body };
        let attached = line.get("attachments").and_then(Value::as_array).into_iter().flatten();
        let links =
            attached.filter_map(|file| file.get("name")?.as_str().map(str::to_owned)).collect();
        let turn = Turn {
            uid: self.repetitions.uid(&session, hash),
            actor: bounded_name(Some(sender.to_owned()).filter(|sender| sender != "No-Sender")),
            at: time::from_text(date),
            text: text.to_owned(),
            session: Some(session),
            session_title: self.title.clone(),
            links,
            more: quoted(line.get("quote").and_then(Value::as_str)),
            ..Turn::default()
        };
        deliver(NAME, turn, sink)
    }
}

/// What a message answers, as a field of its own.
fn quoted(quote: Option<&str>) -> Map<String, Value> {
    let quote: Vec<&str> =
        quote.unwrap_or_default().lines().map(|line| line.trim_start_matches(['>', ' '])).collect();
    let quote = quote.join(" ").trim().to_owned();
    let kept = (!quote.is_empty()).then(|| ("quote".to_owned(), Value::String(quote)));
    kept.into_iter().collect()
}

/// Somebody, or a group.
#[derive(Clone, Default)]
struct Recipient {
    /// The hash of the account, the same in every export.
    key: String,
    name: Option<String>,
}

/// The people and chats of a plaintext export, by the numbers that its messages use.
#[derive(Default)]
struct Book {
    recipients: HashMap<String, Recipient>,
    chats: HashMap<String, String>,
    repetitions: Repetitions,
}

impl Book {
    fn frame(&mut self, line: &Value, sink: &mut dyn Sink) -> ControlFlow<()> {
        if let Some(recipient) = line.get("recipient") {
            if let (Some(id), true) =
                (number(recipient.get("id")), self.recipients.len() < NAMES_MAX)
            {
                self.recipients.insert(id, Recipient::of(recipient));
            }
        } else if let Some(chat) = line.get("chat") {
            let ids = number(chat.get("id")).zip(number(chat.get("recipientId")));
            if let (Some((id, recipient)), true) = (ids, self.chats.len() < NAMES_MAX) {
                self.chats.insert(id, recipient);
            }
        } else if let Some(item) = line.get("chatItem") {
            return self.message(item, sink);
        }
        ControlFlow::Continue(())
    }

    fn recipient(&self, id: Option<String>) -> Recipient {
        let id = id.unwrap_or_default();
        let unknown = || Recipient { key: format!("{:016x}", content_hash(&[&id])), name: None };
        self.recipients.get(&id).cloned().unwrap_or_else(unknown)
    }

    fn message(&mut self, item: &Value, sink: &mut dyn Sink) -> ControlFlow<()> {
        let chat = number(item.get("chatId")).and_then(|id| self.chats.get(&id).cloned());
        let (chat, author) = (self.recipient(chat), self.recipient(number(item.get("authorId"))));
        let message = item.get("standardMessage").or_else(|| item.get("directStoryReplyMessage"));
        let (mut text, mut links, mut quote) = (String::new(), Vec::new(), None);
        if let Some(message) = message {
            let body = |value: &Value| Some(value.get("text")?.get("body")?.as_str()?.to_owned());
            text = body(message).or_else(|| body(message.get("textReply")?)).unwrap_or_default();
            quote = message.get("quote").and_then(body);
            for attached in
                message.get("attachments").and_then(Value::as_array).into_iter().flatten()
            {
                let name =
                    attached.get("pointer").and_then(|pointer| pointer.get("fileName")?.as_str());
                links.extend(name.map(str::to_owned));
            }
            for preview in
                message.get("linkPreview").and_then(Value::as_array).into_iter().flatten()
            {
                links.extend(preview.get("url").and_then(Value::as_str).map(str::to_owned));
            }
        } else if let Some(poll) = item.get("poll") {
            blocks::push(
                &mut text,
                poll.get("question").and_then(Value::as_str).unwrap_or_default(),
            );
            for option in poll.get("options").and_then(Value::as_array).into_iter().flatten() {
                let option = option.get("option").and_then(Value::as_str).unwrap_or_default();
                blocks::push(&mut text, &format!("- {option}"));
            }
        }
        if text.trim().is_empty() && links.is_empty() {
            return ControlFlow::Continue(());
        }
        let sent = number(item.get("dateSent")).unwrap_or_default();
        let uid = match sent.as_str() {
            "" | "0" => self.repetitions.uid(&chat.key, content_hash(&[&author.key, &text])),
            sent => format!("{}/{sent}-{}", chat.key, author.key),
        };
        let turn = Turn {
            uid,
            actor: author.name,
            at: time::from_text(&sent),
            text,
            session: Some(chat.key),
            session_title: chat.name,
            links,
            more: quoted(quote.as_deref()),
            ..Turn::default()
        };
        deliver(NAME, turn, sink)
    }
}

impl Recipient {
    fn of(recipient: &Value) -> Self {
        let contact = recipient.get("contact").unwrap_or(&Value::Null);
        let group = recipient.get("group").unwrap_or(&Value::Null);
        let is_self = recipient.get("self").is_some();
        let text = |value: &Value, name: &str| {
            value
                .get(name)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        };
        let both = |value: &Value, given: &str, family: &str| {
            let names: Vec<String> =
                [text(value, given), text(value, family)].into_iter().flatten().collect();
            Some(names.join(" ")).filter(|name| !name.is_empty())
        };
        let nickname = contact.get("nickname").unwrap_or(&Value::Null);
        let title =
            group.get("snapshot").and_then(|group| group.get("title")?.get("title")?.as_str());
        let phone = number(contact.get("e164"));
        let name = title
            .map(str::to_owned)
            .or_else(|| both(nickname, "given", "family"))
            .or_else(|| both(contact, "systemGivenName", "systemFamilyName"))
            .or_else(|| both(contact, "profileGivenName", "profileFamilyName"))
            .or_else(|| text(contact, "username"))
            .or_else(|| phone.clone().map(|phone| format!("+{phone}")))
            // As `signal-export` calls the owner.
            .or_else(|| is_self.then(|| "Me".to_owned()));
        let account = text(contact, "aci")
            .or_else(|| text(group, "masterKey"))
            .or(phone)
            .or_else(|| is_self.then(|| "self".to_owned()))
            .or_else(|| number(recipient.get("id")));
        let key = format!("{:016x}", content_hash(&[&account.unwrap_or_default()]));
        Self { key, name: bounded_name(name) }
    }
}

/// A number, which JSON of the backup format may write as text.
fn number(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
