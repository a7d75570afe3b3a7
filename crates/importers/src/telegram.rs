//! Telegram Desktop's export in JSON (`result.json`): one chat, or all chats of an account.
//!
//! An export may have gigabytes, so messages are read one by one. A message is
//! `<chat id>/<message id>`. Service messages (who joined, what was pinned) are left out: nobody
//! wrote them. Times come as the clock showed them and as seconds since 1970; both together give
//! the offset. The export of an account says whose it is, which each message then names.

use std::ops::ControlFlow;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use kernel::evidence::Evidence;
use kernel::when::When;
use serde_json::{Map, Value};

use crate::blocks;
use crate::input::{Input, format_error, without_bom};
use crate::json_walk::{Visit, Visited, walk};
use crate::shape::Shape;
use crate::turn::{Turn, bounded_name, content_hash, deliver};
use crate::{Context, ImportError, Importer, Match, Probe, Sink, time};

/// The importer of Telegram exports.
pub(crate) struct Telegram;

const NAME: &str = "telegram";
/// Most parts of one message's text.
const PARTS_MAX: usize = 10_000;

impl Importer for Telegram {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "Telegram Desktop export in JSON (result.json): a chat or a whole account"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        recognise(probe.head)
    }

    fn is_between_people(&self) -> bool {
        true
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let input = Input::open(path, NAME)?;
        if recognise(input.head()) == Match::No {
            let reason = "it has neither `messages` of a chat nor `chats` of an account";
            return Err(format_error(path, NAME, reason));
        }
        let mut chat = Chat::default();
        let mut account: Option<Account> = None;
        walk(input, NAME, sink, visit, |place, visited, sink| {
            let names = place.names();
            let (of_chat, rest) = match names[..] {
                ["chats" | "left_chats", "list", "[]", ref rest @ ..] => (true, rest),
                ref rest => (false, rest),
            };
            match (rest, visited) {
                ([], Visited::End) if of_chat => chat = Chat::default(),
                (["messages", "[]"], Visited::Value(message)) => {
                    return chat.message(&message, account.as_ref(), sink);
                }
                (["personal_information"], Visited::Value(value)) if !of_chat => {
                    account = Account::of(&value);
                }
                ([name], Visited::Value(value)) => chat.describe(name, &value),
                _ => {}
            }
            ControlFlow::Continue(())
        })
        .map(|_| ())
    }
}

fn recognise(head: &[u8]) -> Match {
    let shape = Shape::of(without_bom(head));
    let of_message = [
        "messages.date_unixtime",
        "messages.from_id",
        "messages.text_entities",
        "messages.actor_id",
    ];
    let of_account =
        ["chats.list", "left_chats.list", "contacts.list", "personal_information.user_id"];
    let is_chat = shape.has("type") && shape.has("id") && shape.has_any(&of_message);
    if is_chat || shape.has("about") && shape.has_any(&of_account) {
        return Match::Certain;
    }
    Match::No
}

fn visit(place: &[&str]) -> Visit {
    match place {
        [] | ["messages"] | ["chats" | "left_chats"] | ["chats" | "left_chats", "list"] => {
            Visit::Enter
        }
        ["chats" | "left_chats", "list", "[]"] => Visit::Enter,
        ["chats" | "left_chats", "list", "[]", "messages"] => Visit::Enter,
        ["name" | "type" | "id" | "personal_information"] | ["messages", "[]"] => Visit::Take,
        ["chats" | "left_chats", "list", "[]", "name" | "type" | "id"] => Visit::Take,
        ["chats" | "left_chats", "list", "[]", "messages", "[]"] => Visit::Take,
        _ => Visit::Skip,
    }
}

/// The account that was exported.
struct Account {
    /// As the field `from_id` of its messages has it.
    id: String,
    name: Option<String>,
}

impl Account {
    fn of(information: &Value) -> Option<Self> {
        let id = information.get("user_id").and_then(Value::as_i64)?;
        let name = |field: &str| information.get(field).and_then(Value::as_str);
        let names: Vec<&str> = ["first_name", "last_name"].into_iter().filter_map(name).collect();
        let name = bounded_name(Some(names.join(" ").trim().to_owned()));
        Some(Self { id: format!("user{id}"), name: name.filter(|name| !name.is_empty()) })
    }
}

/// The chat whose messages are read.
#[derive(Default)]
struct Chat {
    id: Option<String>,
    name: Option<String>,
    kind: Option<String>,
}

impl Chat {
    fn describe(&mut self, name: &str, value: &Value) {
        let text = match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        match name {
            "id" => self.id = text,
            "name" => self.name = bounded_name(text),
            "type" => self.kind = bounded_name(text),
            _ => {}
        }
    }

    fn message(
        &self,
        message: &Value,
        account: Option<&Account>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let field = |name: &str| message.get(name).and_then(Value::as_str);
        let id = message.get("id").and_then(Value::as_i64);
        let (Some("message"), Some(id)) = (field("type"), id) else {
            return ControlFlow::Continue(());
        };
        let title = self.name.clone().or(self.kind.clone());
        let session = self.id.clone().unwrap_or_else(|| {
            format!("{:016x}", content_hash(&[title.as_deref().unwrap_or_default()]))
        });
        let (mut text, mut links) = words(message.get("text").unwrap_or(&Value::Null));
        if let Some(poll) = message.get("poll") {
            blocks::push(
                &mut text,
                poll.get("question").and_then(Value::as_str).unwrap_or_default(),
            );
            for answer in poll.get("answers").and_then(Value::as_array).into_iter().flatten() {
                let answer = answer.get("text").and_then(Value::as_str).unwrap_or_default();
                blocks::push(&mut text, &format!("- {answer}"));
            }
        }
        // In brackets stands why a file was not exported.
        let files = ["photo", "file"].into_iter().filter_map(field);
        links.extend(files.filter(|file| !file.starts_with('(')).map(str::to_owned));
        let keep = |from: &str, to: &str| {
            let value = message.get(from).filter(|value| !value.is_null())?;
            Some((to.to_owned(), value.clone()))
        };
        let actor = field("from").or(field("from_id")).map(str::to_owned);
        let account = account.and_then(|account| match field("from_id") {
            Some(from) if from == account.id => actor.clone(),
            _ => account.name.clone(),
        });
        let mut more: Map<String, Value> = [
            keep("reply_to_message_id", "reply_to"),
            keep("forwarded_from", "forwarded_from"),
            keep("edited", "edited"),
        ]
        .into_iter()
        .flatten()
        .collect();
        more.extend(account.map(|name| (Evidence::ACCOUNT.to_owned(), Value::from(name))));
        let turn = Turn {
            uid: format!("{session}/{id}"),
            actor,
            at: when(field("date"), message.get("date_unixtime")),
            text,
            session: Some(session),
            session_title: title,
            links,
            more,
            ..Turn::default()
        };
        deliver(NAME, turn, sink)
    }
}

/// The words of a text, which is a string or a list of strings and marked parts, and its links.
fn words(text: &Value) -> (String, Vec<String>) {
    let parts = match text {
        Value::String(text) => return (text.clone(), Vec::new()),
        Value::Array(parts) => parts,
        _ => return Default::default(),
    };
    let (mut words, mut links) = (String::new(), Vec::new());
    for part in parts.iter().take(PARTS_MAX) {
        let field = |name: &str| part.get(name).and_then(Value::as_str);
        let shown = part.as_str().or(field("text")).unwrap_or_default();
        words.push_str(shown);
        match field("type") {
            Some("link") => links.push(shown.to_owned()),
            Some("text_link") => links.extend(field("href").map(str::to_owned)),
            _ => {}
        }
    }
    (words, links)
}

/// The instant, with the offset that the clock shows where it is known.
fn when(clock: Option<&str>, seconds: Option<&Value>) -> Option<When> {
    let civil: Option<DateTime> = clock.and_then(|clock| clock.parse().ok());
    let instant = seconds.and_then(|seconds| match seconds {
        Value::String(text) => text.parse().ok(),
        value => value.as_i64(),
    });
    let instant = instant.and_then(|seconds: i64| Timestamp::from_second(seconds).ok());
    let (Some(civil), Some(instant)) = (civil, instant) else {
        return instant.map(When::from_timestamp).or_else(|| clock.and_then(time::from_text));
    };
    let shown = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second();
    let offset = i32::try_from(shown.saturating_sub(instant.as_second())).ok();
    // Offsets are quarters of an hour; anything else is another clock.
    let offset = offset.filter(|offset| offset % 900 == 0 && offset.abs() <= 14 * 3600);
    let Some(offset) = offset.filter(|offset| *offset != 0) else {
        return Some(When::from_timestamp(instant));
    };
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60);
    When::parse_given(&format!("{civil}{sign}{:02}:{:02}", minutes / 60, minutes % 60)).ok()
}
