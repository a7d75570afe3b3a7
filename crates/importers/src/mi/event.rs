//! Events, each of which becomes a record of evidence.
//!
//! Every kind of event has fields of its own. Their texts are joined, best known ones first; names,
//! hashes and paths of the program's own files are left out.

use kernel::evidence::{EvidenceKind, Visibility};
use serde_json::{Map, Value};

use super::fields::Fields;
use super::layout::Scope;
use crate::blocks::push;
use crate::turn::{Repetitions, Turn, content_hash};

/// Fields that are read first, in this order.
const FIRST: [&str; 14] = [
    "text",
    "title",
    "question",
    "answer",
    "input",
    "values_text",
    "values",
    "mi_input",
    "facts",
    "actions",
    "results",
    "unknowns",
    "risk_signals",
    "notes",
];
/// Fields that hold no words of anybody.
const NOT_WORDS: [&str; 16] = [
    "actor",
    "batch_id",
    "event_id",
    "event_ids",
    "kind",
    "project_id",
    "run_id",
    "schema_filename",
    "scope",
    "seq",
    "source_refs",
    "tag",
    "thread_id",
    "ts",
    "version",
    "visibility",
];
/// Endings of names of fields that hold no words of anybody.
const NOT_WORDS_ENDINGS: [&str; 8] =
    ["_id", "_ids", "_path", "_ref", "_refs", "_root", "_sha256", "_ts"];
/// Deepest nesting that is read for words.
const DEPTH_MAX: u32 = 6;
/// Longest name of a kind, bytes.
const KIND_BYTES_MAX: usize = 64;
/// The kind of values as they were given, whose words no search is to find: a claim holds them.
const VALUES_SET: &str = "values_set";

/// The kind of what an agent decided to do next, and its fields that name what it used.
const DECIDE_NEXT: &str = "decide_next";
const USED: [&str; 2] = ["hints", "thought_db"];

/// Reads an event.
pub(super) fn turn(
    scope: &Scope,
    mut line: Map<String, Value>,
    repetitions: &mut Repetitions,
) -> Result<Turn, String> {
    let kind = Fields(&line).text("kind").ok_or("it has no kind")?;
    // What a decision used is named by ids, which are not its words.
    let used: Vec<(String, Value)> = match &*kind {
        DECIDE_NEXT => USED.iter().filter_map(|name| line.remove_entry(*name)).collect(),
        _ => Vec::new(),
    };
    let fields = Fields(&line);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if kind.len() > KIND_BYTES_MAX || !kind.bytes().all(is_name) {
        return Err("its kind is not a name of letters, digits, _, - and .".to_owned());
    }
    let usual =
        if kind == EvidenceKind::THOUGHT_ACTION { Visibility::Private } else { scope.visibility() };
    let visibility = fields.visibility(usual)?;
    let at = fields.time("ts")?;
    let mut text = String::new();
    if kind != VALUES_SET {
        words_of(&line, &mut text, 0);
    }
    let run = fields.first(&["run_id", "thread_id"]);
    let place = scope.project.as_deref().unwrap_or("global");
    let uid = match fields.text("event_id") {
        Some(_) => fields.id("event_id")?,
        None => {
            let time = at.as_ref().map_or("", |at| at.as_str());
            repetitions.uid(place, content_hash(&[&kind, time, &text]))
        }
    };
    let actor = fields.text("actor").or_else(|| actor_of(&kind).map(str::to_owned));
    let role = match actor.as_deref() {
        Some("user") => Some("user"),
        Some(_) => Some("assistant"),
        None => None,
    };
    let mut more = Map::new();
    let mut keep = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            more.insert(name.to_owned(), Value::String(value));
        }
    };
    keep("project", scope.project.clone());
    keep("batch_id", fields.text("batch_id"));
    keep("thread_id", fields.text("thread_id"));
    more.extend(used);
    Ok(Turn {
        uid,
        visibility,
        role: role.map(str::to_owned),
        actor,
        at,
        session: run.map(|run| format!("{place}/{run}")),
        text: if text.trim().is_empty() { kind.clone() } else { text },
        kind: Some(EvidenceKind(kind)),
        more,
        ..Turn::default()
    })
}

/// Whose words a kind of event holds, if all of the kind hold the same person's.
fn actor_of(kind: &str) -> Option<&'static str> {
    match kind {
        "user_input" | "values_set" | "settings_set" => Some("user"),
        "hands_output" => Some("hands"),
        "hands_input" | DECIDE_NEXT | "auto_answer" | "checkpoint" | "snapshot" => Some("mi"),
        _ => None,
    }
}

/// Adds the words of an object, a text a line.
fn words_of(fields: &Map<String, Value>, text: &mut String, depth: u32) {
    let first = FIRST.iter().filter_map(|name| fields.get(*name));
    let others = fields.iter().filter(|(name, _)| {
        !FIRST.contains(&name.as_str())
            && !NOT_WORDS.contains(&name.as_str())
            && !NOT_WORDS_ENDINGS.iter().any(|ending| name.ends_with(ending))
    });
    for value in first.chain(others.map(|(_, value)| value)) {
        words_in(value, text, depth);
    }
}

fn words_in(value: &Value, text: &mut String, depth: u32) {
    match value {
        Value::String(words) => push(text, words.trim()),
        Value::Array(items) if depth < DEPTH_MAX => {
            items.iter().for_each(|item| words_in(item, text, depth + 1));
        }
        Value::Object(fields) if depth < DEPTH_MAX => words_of(fields, text, depth + 1),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: Value) -> Turn {
        let Value::Object(line) = line else { panic!("not an object") };
        let scope = Scope { project: Some("p1".to_owned()), events: None, graph: None };
        turn(&scope, line, &mut Repetitions::default()).unwrap()
    }

    #[test]
    fn the_words_of_an_event_are_its_text_and_the_rest_is_left_out() {
        let turn = read(serde_json::json!({
            "kind": "user_input", "event_id": "ev_run_1_000002", "run_id": "run_1", "seq": 2,
            "ts": "2026-02-17T10:00:00Z", "batch_id": "b0", "thread_id": "t",
            "answer": "Celadon.", "question": "Which glaze?", "mind_transcript_ref": "/x/y.jsonl"
        }));
        assert_eq!(turn.text, "Which glaze?\nCeladon.");
        assert_eq!(turn.uid, "ev_run_1_000002");
        assert_eq!(turn.kind.unwrap().0, "user_input");
        assert_eq!(
            (turn.role.as_deref(), turn.session.as_deref()),
            (Some("user"), Some("p1/run_1"))
        );
    }

    #[test]
    fn an_event_without_words_is_kept_because_records_may_cite_it() {
        let turn =
            read(serde_json::json!({ "kind": "checkpoint", "event_id": "e", "payload": {} }));
        assert_eq!(turn.text, "checkpoint");
    }

    #[test]
    fn thinking_is_private_unless_it_says_otherwise() {
        let line = |visibility: Option<&str>| serde_json::json!({ "kind": "thought_action", "event_id": "e", "visibility": visibility, "text": "hm" });
        assert_eq!(read(line(None)).visibility, Visibility::Private);
        assert_eq!(read(line(Some("project"))).visibility, Visibility::Project);
    }
}
