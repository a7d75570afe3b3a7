//! Slack's workspace export: the zip archive or its folder, a file for each channel and day.
//!
//! Users and channels are read first, since messages name them by id. A message is `<channel
//! id>/<ts>`; its session is the channel, or the thread in it. What nobody wrote (who joined, what
//! was renamed) is left out. Slack's markup becomes text: `<@U1>` the name, `<url|text>` the text
//! with the address among the links.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::{Map, Value};

use crate::archive::{self, is_zip, peek, peek_folder};
use crate::input::{Input, format_error, without_bom};
use crate::json_stream::for_each_element;
use crate::shape::Shape;
use crate::turn::{Turn, bounded_name, bounded_uid, deliver};
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink, blocks, files, time};

/// The importer of Slack exports.
pub(crate) struct Slack;

const NAME: &str = "slack";
/// Most users and channels whose names are kept.
const NAMES_MAX: usize = 500_000;
/// Most members whose names make the title of a group without a name.
const TITLE_MEMBERS_MAX: usize = 8;
/// Subtypes of messages that somebody wrote. Messages mostly have none.
const WRITTEN: [&str; 8] = [
    "bot_message",
    "me_message",
    "thread_broadcast",
    "reply_broadcast",
    "file_share",
    "file_comment",
    "file_mention",
    "slackbot_response",
];

impl Importer for Slack {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "Slack workspace export (the .zip or its folder)"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        let head = match probe {
            Probe { is_dir: true, .. } => peek_folder(probe.path, is_users),
            _ if is_zip(probe.head) => peek(probe.path, is_users),
            _ => None,
        };
        head.map_or(Match::No, |head| recognise(&head))
    }

    fn is_between_people(&self) -> bool {
        true
    }

    fn claims_folder(&self, folder: &Path) -> bool {
        peek_folder(folder, is_users).is_some_and(|head| recognise(&head) == Match::Certain)
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let mut names = Names::default();
        each_file(path, is_directory, sink, |input, sink| names.read(input, sink))?;
        if names.users.is_empty() && names.channels.is_empty() {
            return Err(format_error(path, NAME, "it has neither users.json nor channels.json"));
        }
        each_file(path, is_day, sink, |input, sink| {
            let channel = names.channel(input.file());
            for_each_element(input, NAME, sink, |message: Value, _, sink| {
                give(&message, &channel, &names, sink)
            })
        })
    }
}

fn is_users(name: &str) -> bool {
    matches!(name, "users.json" | "org_users.json")
}

fn is_directory(name: &str) -> bool {
    is_users(name) || matches!(name, "channels.json" | "groups.json" | "dms.json" | "mpims.json")
}

/// `2025-06-02.json`.
fn is_day(name: &str) -> bool {
    let day = name.strip_suffix(".json").unwrap_or_default();
    day.len() == 10 && day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

fn recognise(head: &[u8]) -> Match {
    let shape = Shape::of(without_bom(head));
    let is_user =
        shape.has("profile.real_name") || shape.has("team_id") || shape.has("profile.team");
    if shape.is_array() && shape.has("id") && is_user { Match::Certain } else { Match::No }
}

/// Hands every file whose name is wanted to `each`: of the archive, or below the folder.
fn each_file(
    path: &Path,
    wanted: fn(&str) -> bool,
    sink: &mut dyn Sink,
    mut each: impl FnMut(Input<'_>, &mut dyn Sink) -> Result<ControlFlow<()>, ImportError>,
) -> Result<(), ImportError> {
    if !path.is_dir() {
        return archive::for_each_entry(path, NAME, archive::LIMITS, wanted, sink, each);
    }
    let found = files::walk(path, |file| {
        file.file_name().and_then(|name| name.to_str()).is_some_and(wanted)
    })?;
    for trouble in found.problems {
        if sink.problem(trouble).is_break() {
            return Ok(());
        }
    }
    for file in found.files {
        let flow = match Input::open(&file, NAME).and_then(|input| each(input, sink)) {
            Ok(flow) => flow,
            Err(error) => sink.problem(Problem { file, line: None, message: error.to_string() }),
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

/// What users and channels are called.
#[derive(Default)]
struct Names {
    users: HashMap<String, String>,
    /// By the name of their folder.
    channels: HashMap<String, Channel>,
    /// By their id.
    channel_names: HashMap<String, String>,
}

/// A channel, group or direct conversation.
#[derive(Clone, Default)]
struct Channel {
    id: String,
    name: Option<String>,
    members: Vec<String>,
}

impl Names {
    fn read(
        &mut self,
        input: Input<'_>,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<()>, ImportError> {
        let of_users =
            input.file().to_string_lossy().rsplit(['/', '\\', '#']).next().is_some_and(is_users);
        for_each_element(input, NAME, sink, |item: Value, _, _| {
            let text = |value: &Value, name: &str| {
                value
                    .get(name)
                    .and_then(Value::as_str)
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned)
            };
            let Some(id) = text(&item, "id") else { return ControlFlow::Continue(()) };
            if of_users {
                let profile = item.get("profile").unwrap_or(&Value::Null);
                let name = text(profile, "real_name")
                    .or(text(&item, "real_name"))
                    .or(text(profile, "display_name"))
                    .or(text(&item, "name"));
                if let (Some(name), true) = (bounded_name(name), self.users.len() < NAMES_MAX) {
                    self.users.insert(id, name);
                }
                return ControlFlow::Continue(());
            }
            let members = item.get("members").and_then(Value::as_array).into_iter().flatten();
            let members = members
                .filter_map(Value::as_str)
                .take(TITLE_MEMBERS_MAX)
                .map(str::to_owned)
                .collect();
            let name = bounded_name(text(&item, "name"));
            let folder = name.clone().unwrap_or_else(|| id.clone());
            // Several people talk in a channel that is named after all of them.
            let name = name.filter(|name| !name.starts_with("mpdm-"));
            if self.channels.len() < NAMES_MAX {
                self.channel_names.extend(name.clone().map(|name| (id.clone(), name)));
                self.channels.insert(folder, Channel { id, name, members });
            }
            ControlFlow::Continue(())
        })
    }

    /// The channel whose folder a file is in.
    fn channel(&self, file: &Path) -> Channel {
        let file = file.to_string_lossy();
        let folder = file.rsplit(['/', '\\', '#']).nth(1).unwrap_or_default();
        let mut channel = self.channels.get(folder).cloned().unwrap_or_else(|| Channel {
            id: bounded_uid(folder.to_owned()),
            name: bounded_name(Some(folder.to_owned())),
            members: Vec::new(),
        });
        channel.members = channel.members.iter().map(|id| self.user(id)).collect();
        if channel.name.is_none() {
            channel.name = bounded_name(Some(channel.members.join(", ")));
        }
        channel
    }

    fn user(&self, id: &str) -> String {
        self.users.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }
}

fn give(message: &Value, channel: &Channel, names: &Names, sink: &mut dyn Sink) -> ControlFlow<()> {
    let field =
        |name: &str| message.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let is_written = field("subtype").is_none_or(|subtype| WRITTEN.contains(&subtype));
    let (Some("message"), true, Some(ts)) = (field("type"), is_written, field("ts")) else {
        return ControlFlow::Continue(());
    };
    let mut links = Vec::new();
    let mut text = without_markup(field("text").unwrap_or_default(), names, &mut links);
    for attached in message.get("attachments").and_then(Value::as_array).into_iter().flatten() {
        if text.is_empty() {
            let words = ["text", "fallback"].iter().find_map(|name| attached.get(*name)?.as_str());
            blocks::push(&mut text, &without_markup(words.unwrap_or_default(), names, &mut links));
        }
    }
    for file in message.get("files").and_then(Value::as_array).into_iter().flatten() {
        links.extend(file.get("name").and_then(Value::as_str).map(str::to_owned));
    }
    let of_profile =
        |name: &str| message.get("user_profile")?.get(name)?.as_str().map(str::to_owned);
    let known = field("user").and_then(|id| names.users.get(id).cloned());
    let actor = known
        .or_else(|| of_profile("real_name"))
        .or_else(|| field("username").map(str::to_owned))
        .or_else(|| message.get("bot_profile")?.get("name")?.as_str().map(str::to_owned))
        .or_else(|| field("user").or(field("bot_id")).map(str::to_owned));
    let session = match field("thread_ts") {
        Some(thread) => format!("{}/{thread}", channel.id),
        None => channel.id.clone(),
    };
    let mut more = Map::new();
    if let Some(edited) = message.get("edited").and_then(|edited| edited.get("ts")) {
        more.insert("edited".to_owned(), edited.clone());
    }
    let turn = Turn {
        uid: format!("{}/{ts}", channel.id),
        actor,
        at: time::from_text(ts),
        text,
        session: Some(session),
        session_title: channel.name.clone(),
        participants: channel.members.clone(),
        links,
        more,
        ..Turn::default()
    };
    deliver(NAME, turn, sink)
}

/// The text as it was shown.
fn without_markup(text: &str, names: &Names, links: &mut Vec<String>) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        shown.push_str(before);
        let Some((inner, after)) = after.split_once('>').filter(|(inner, _)| !inner.contains('<'))
        else {
            shown.push('<');
            rest = after;
            continue;
        };
        let (target, label) = match inner.split_once('|') {
            Some((target, label)) => (target, Some(label).filter(|label| !label.is_empty())),
            None => (inner, None),
        };
        match target.chars().next() {
            Some('@') => {
                let name = names.user(target.trim_start_matches('@'));
                shown.push('@');
                shown.push_str(
                    label
                        .filter(|_| !names.users.contains_key(target.trim_start_matches('@')))
                        .unwrap_or(&name),
                );
            }
            Some('#') => {
                let id = target.trim_start_matches('#');
                let of_id = || names.channel_names.get(id).map(String::as_str);
                shown.push('#');
                shown.push_str(label.or_else(of_id).unwrap_or(id));
            }
            Some('!') => {
                let word = target.trim_start_matches('!').split('^').next().unwrap_or_default();
                shown.push_str(label.unwrap_or(&format!("@{word}")));
            }
            _ => {
                links.push(target.to_owned());
                shown.push_str(label.unwrap_or(target));
            }
        }
        rest = after;
    }
    shown.push_str(rest);
    shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
