//! Claude Code: the transcripts of its sessions, one JSON object per line.
//!
//! The importer keeps the words of the person and of the assistant, and tool calls with an excerpt
//! of their results as turns with the role `tool`. The assistant's thinking becomes private records
//! of the kind `thought_action`. It leaves out the host's own notes (`isMeta`, reminders between
//! the words, notices of interruption) and all lines of other types. What became of a background
//! task comes as a message of the user; it is a turn with the role `tool`, too. The identity of a
//! line is `<sessionId>/<uuid>`; that of its tool part, `<sessionId>/<uuid>/tool`, and of its
//! thinking, `<sessionId>/<uuid>/thinking`. What the person typed when they refused a tool is
//! within its result, and becomes their turn `<sessionId>/<uuid>/refusal`.
//!
//! Some lines of type `user` were written by the assistant: those in a sub-agent's transcript
//! (`isSidechain`) and the summary that replaces a compacted history (`isCompactSummary`). They
//! become the assistant's words.
//!
//! The title of a session is the summary that precedes it in the file, or else its working
//! directory. A later summary does not rename earlier records, so appending to a transcript changes
//! none of them.
//!
//! A directory is searched for `*.jsonl` files, without following links.

use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::blocks::{Blocks, TOOL_RESULT_BYTES_MAX, flatten, push};
use crate::files::has_extension;
use crate::input::{Input, file_stem, format_error, without_bom};
use crate::json_stream::for_each_json_line;
use crate::secrets::cut;
use crate::shape::Shape;
use crate::transcripts::Transcripts;
use crate::turn::{Repetitions, Turn, bounded_name, content_hash, deliver, excerpt};
use crate::{Context, ImportError, Importer, Match, Probe, Sink, time};

/// The importer of Claude Code transcripts.
pub(crate) struct ClaudeCode;

const NAME: &str = "claude-code";

/// The agent's own folder (`.claude`) has them in `projects`, beside other files.
const TRANSCRIPTS: Transcripts = Transcripts {
    format: NAME,
    home: (".claude", "projects"),
    wanted: |file| has_extension(file, &["jsonl"]),
    recognise,
};
/// Most lines that are looked at to recognise a file.
const PROBE_LINES_MAX: usize = 50;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    r#type: Option<String>,
    uuid: Option<String>,
    session_id: Option<String>,
    timestamp: Option<Value>,
    cwd: Option<String>,
    git_branch: Option<String>,
    message: Option<Value>,
    summary: Option<Value>,
    #[serde(default)]
    is_meta: Option<bool>,
    is_sidechain: Option<bool>,
    is_compact_summary: Option<bool>,
    is_api_error_message: Option<bool>,
    origin: Option<Value>,
}

impl Line {
    /// Newer versions say where a message of the user comes from.
    fn is_of_task(&self) -> bool {
        let kind = self.origin.as_ref().and_then(|origin| origin.get("kind")?.as_str());
        kind == Some("task-notification")
    }
}

impl Importer for ClaudeCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "Claude Code session transcripts (.jsonl, or a directory of them)"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if probe.is_dir { recognise_directory(probe.path) } else { recognise(probe.head) }
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let metadata =
            path.metadata().map_err(|source| ImportError::Io { path: path.to_owned(), source })?;
        if !metadata.is_dir() {
            return import_file(path, sink).map(|_| ());
        }
        TRANSCRIPTS.import_folder(path, sink, import_file)
    }
}

fn recognise(head: &[u8]) -> Match {
    let mut best = Match::No;
    for line in without_bom(head).split(|byte| *byte == b'\n').take(PROBE_LINES_MAX) {
        let shape = Shape::of(line);
        let typed = shape.is_object() && shape.has("type");
        if typed && shape.has("sessionId") && shape.has_any(&["uuid", "parentUuid"])
            || typed && shape.has("leafUuid") && shape.has("summary")
        {
            return Match::Certain;
        }
        if typed
            && shape.has_any(&["sessionId", "messageId"])
            && shape.has_any(&["snapshot", "timestamp", "operation"])
        {
            best = Match::Likely;
        }
    }
    best
}

fn recognise_directory(path: &Path) -> Match {
    // A repository may hold transcripts as test data; it is still a repository.
    if path.join(".git").exists() { Match::No } else { TRANSCRIPTS.recognise_folder(path) }
}

fn import_file(path: &Path, sink: &mut dyn Sink) -> Result<ControlFlow<()>, ImportError> {
    let input = Input::open(path, NAME)?;
    if recognise(input.head()) == Match::No {
        let reason = "its first lines are not entries of a session (`type`, `sessionId`, `uuid`)";
        return Err(format_error(path, NAME, reason));
    }
    let mut reader =
        Reader { stem: file_stem(path), title: None, repetitions: Repetitions::default() };
    for_each_json_line(input, NAME, sink, |line, _, sink| reader.line(line, sink))
}

/// Reads one transcript.
struct Reader {
    stem: String,
    title: Option<String>,
    repetitions: Repetitions,
}

impl Reader {
    fn line(&mut self, line: Line, sink: &mut dyn Sink) -> ControlFlow<()> {
        match line.r#type.as_deref() {
            Some("summary") => {
                if let Some(Value::String(summary)) = line.summary {
                    self.title = bounded_name(Some(summary));
                }
                ControlFlow::Continue(())
            }
            Some("user" | "assistant")
                if line.is_meta != Some(true) && line.is_api_error_message != Some(true) =>
            {
                self.message(line, sink)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn message(&mut self, mut line: Line, sink: &mut dyn Sink) -> ControlFlow<()> {
        let content = line.message.as_mut().and_then(|message| message.get_mut("content"));
        let Some(content) = content else { return ControlFlow::Continue(()) };
        let refusal = take_refusals(content);
        let Blocks { text, tools, thinking, captions, links } = flatten(content);
        let is_of_host = is_of_host(&text) || line.is_of_task();
        let text = without_host_markup(&text);
        let session = line.session_id.unwrap_or_else(|| self.stem.clone());
        let at = line.timestamp.as_ref().and_then(time::from_value);
        let is_assistant = line.r#type.as_deref() == Some("assistant")
            || line.is_sidechain == Some(true)
            || line.is_compact_summary == Some(true);
        let said_by = if is_assistant { "assistant" } else { "user" };
        let role = if is_of_host { "tool" } else { said_by };
        let uid = match line.uuid {
            Some(uuid) => format!("{session}/{uuid}"),
            None => {
                let time = at.as_ref().map_or("", |at| at.as_str());
                self.repetitions.uid(&session, content_hash(&[role, time, &text, &tools]))
            }
        };
        let mut more = Map::new();
        let mut keep = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                more.insert(name.to_owned(), Value::String(value));
            }
        };
        keep("gitBranch", line.git_branch);
        let model = line.message.as_ref().and_then(|message| message.get("model")?.as_str());
        keep("model", model.map(str::to_owned));
        keep("cwd", line.cwd.clone());
        if line.is_sidechain == Some(true) {
            more.insert("isSidechain".to_owned(), Value::Bool(true));
        }
        let frame = Turn {
            at,
            session: Some(session),
            session_title: self.title.clone().or(line.cwd),
            more,
            ..Turn::default()
        };
        deliver(NAME, Turn::thought(&uid, thinking, frame.clone()), sink)?;
        let said = Turn {
            uid: uid.clone(),
            actor: Some(role.to_owned()),
            role: Some(role.to_owned()),
            text,
            captions,
            ..frame.clone()
        };
        deliver(NAME, said, sink)?;
        let user = "user".to_owned();
        let refused = Turn {
            uid: format!("{uid}/refusal"),
            actor: Some(user.clone()),
            role: Some(user),
            text: refusal,
            ..frame.clone()
        };
        deliver(NAME, refused, sink)?;
        if tools.is_empty() {
            return ControlFlow::Continue(());
        }
        let tool = "tool".to_owned();
        let used = Turn {
            uid: format!("{uid}/tool"),
            actor: Some(tool.clone()),
            role: Some(tool),
            text: tools,
            links,
            ..frame
        };
        deliver(NAME, used, sink)
    }
}

/// How the result of a tool begins that the person refused.
const REFUSED: &str = "The user doesn't want to ";
/// What precedes the person's words in it.
const SAID: &str = "To tell you how to proceed, the user said:";
/// What the host adds after them.
const NOTE: &str = "\n\nNote: The user's next message may contain";

/// Takes what the person said out of the results of tools that they refused.
fn take_refusals(content: &mut Value) -> String {
    let mut words = String::new();
    for block in content.as_array_mut().into_iter().flatten() {
        if block.get("type").and_then(Value::as_str) != Some("tool_result") {
            continue;
        }
        let is_error = block.get("is_error").and_then(Value::as_bool) == Some(true);
        let parts = match block.get_mut("content") {
            Some(Value::Array(parts)) => {
                parts.iter_mut().filter_map(|part| part.get_mut("text")).collect()
            }
            Some(result) => vec![result],
            None => Vec::new(),
        };
        for part in parts {
            // A tool that only shows such a text was not refused.
            let refusal = part
                .as_str()
                .filter(|text| is_error || text.starts_with(REFUSED))
                .and_then(|text| text.split_once(SAID));
            let Some((result, said)) = refusal else { continue };
            let said = said.split_once(NOTE).map_or(said, |(said, _)| said);
            push(&mut words, &without_host_markup(said));
            *part = Value::from(result.trim_end());
        }
    }
    words
}

/// Elements that the host records as the person's message, though the person did not write them:
/// the output of a command, and what became of a task or of another agent.
const OF_HOST: [&str; 7] = [
    "local-command-stdout",
    "local-command-stderr",
    "bash-stdout",
    "task-notification",
    "bash-notification",
    "agent-notification",
    "teammate-message",
];
/// Elements that the host adds to what the person typed.
const ADDED: [&str; 5] = [
    "system-reminder",
    "local-command-caveat",
    "user-prompt-submit-hook",
    "ide_opened_file",
    "ide_selection",
];

fn is_of_host(text: &str) -> bool {
    let text = text.trim_start().strip_prefix('<').unwrap_or_default();
    let name = cut(text, 32).split(['>', ' ']).next().unwrap_or_default();
    OF_HOST.contains(&name)
}

/// Removes what the host wrote around and between the person's words. Reminders to the model are
/// dropped. A host command becomes what the person typed (`/review the parser`); one without
/// arguments is dropped.
fn without_host_markup(text: &str) -> String {
    let text = ADDED.iter().fold(text.to_owned(), |text, tag| without_elements(&text, tag));
    let text = text.trim();
    if text.starts_with("[Request interrupted by user") {
        return String::new();
    }
    if text.starts_with("<command-name>") || text.starts_with("<command-message>") {
        let name = element(text, "command-name").unwrap_or_default().trim();
        let arguments = element(text, "command-args").unwrap_or_default().trim();
        return if arguments.is_empty() { String::new() } else { format!("{name} {arguments}") };
    }
    for tag in ["local-command-stdout", "local-command-stderr", "bash-input"] {
        if text.starts_with(&format!("<{tag}>")) {
            return element(text, tag).unwrap_or_default().trim().to_owned();
        }
    }
    let parts: &[&str] = match text {
        _ if text.starts_with("<bash-stdout>") => &["bash-stdout", "bash-stderr"],
        _ if text.starts_with("<task-notification>") => &["summary", "result"],
        _ => return text.to_owned(),
    };
    let parts = parts.iter().filter_map(|tag| element(text, tag)).map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    excerpt(&parts.join("\n"), TOOL_RESULT_BYTES_MAX)
}

/// The content of the first element named `tag`.
fn element<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("<{tag}>"))?;
    Some(after.split_once(&format!("</{tag}>")).map_or(after, |(content, _)| content))
}

/// The text without its elements named `tag`; an unclosed one is kept.
fn without_elements(text: &str, tag: &str) -> String {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(&open) {
        let Some((_, after)) = after.split_once(&close) else { break };
        kept.push_str(before);
        rest = after;
    }
    kept + rest
}
