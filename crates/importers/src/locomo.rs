//! LoCoMo: conversations of two people over many sessions, the benchmark's own JSON.
//!
//! A file is an array of samples or one sample. Of a sample only its conversation is read; questions, answers and the
//! benchmark's own summaries never become evidence. A turn is `<sample_id>/<dia_id>`, the name by which the questions
//! cite it. Session times have no zone and stay civil. Sessions come in the order of their numbers, not of their keys.
//!
//! <https://github.com/snap-research/locomo>, `data/locomo10.json`.

use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::input::{Input, file_stem, format_error, without_bom};
use crate::json_stream::{Position, for_each_element};
use crate::shape::Shape;
use crate::turn::{Repetitions, Turn, bounded_name, bounded_uid, content_hash, deliver};
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink, time};

/// The importer of LoCoMo files.
pub(crate) struct Locomo;

const NAME: &str = "locomo";

#[derive(Deserialize)]
struct Sample {
    sample_id: Option<Value>,
    conversation: Map<String, Value>,
}

impl Importer for Locomo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "LoCoMo benchmark conversations (JSON)"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        let shape = Shape::of(without_bom(probe.head));
        if shape.has_any(&["conversation.speaker_a", "conversation.session_1"]) {
            return Match::Certain;
        }
        // The questions come before the conversation and may fill the whole head.
        if shape.has("qa.question") && shape.has("qa.evidence") { Match::Likely } else { Match::No }
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let input = Input::open(path, NAME)?;
        let shape = Shape::of(input.head());
        if !shape.has_any(&["conversation", "qa.question", "sample_id"]) && !shape.is_bare_array() {
            let reason = "it has no sample with a `conversation` of sessions";
            return Err(format_error(path, NAME, reason));
        }
        let stem = file_stem(path);
        let alone = shape.is_object();
        let read = for_each_element(input, NAME, sink, |sample: Sample, position, sink| {
            let id = match &sample.sample_id {
                Some(Value::String(id)) if !id.is_empty() => id.clone(),
                Some(Value::Number(id)) => id.to_string(),
                _ if alone => stem.clone(),
                _ => format!("{stem}-{}", position.element),
            };
            let id = bounded_uid(id);
            let mut reader = Reader { id, path, position, repetitions: Repetitions::default() };
            reader.read(&sample.conversation, sink)
        });
        read.map(|_| ())
    }
}

/// Reads one conversation.
struct Reader<'a> {
    id: String,
    path: &'a Path,
    position: Position,
    repetitions: Repetitions,
}

impl Reader<'_> {
    fn read(&mut self, conversation: &Map<String, Value>, sink: &mut dyn Sink) -> ControlFlow<()> {
        let speaker = |name: &str| bounded_name(Some(conversation.get(name)?.as_str()?.to_owned()));
        let participants: Vec<String> =
            ["speaker_a", "speaker_b"].into_iter().filter_map(speaker).collect();
        let mut sessions: Vec<(u64, &Value)> = conversation
            .iter()
            .filter_map(|(name, turns)| Some((name.strip_prefix("session_")?.parse().ok()?, turns)))
            .collect();
        sessions.sort_by_key(|(number, _)| *number);
        for (number, turns) in sessions {
            let session = format!("{}/session_{number}", self.id);
            let Some(turns) = turns.as_array() else {
                self.problem(&format!("{session} is not a list of turns"), sink)?;
                continue;
            };
            let spoken =
                conversation.get(&format!("session_{number}_date_time")).and_then(Value::as_str);
            let at = spoken.and_then(time::from_spoken);
            if at.is_none() && !turns.is_empty() {
                let message = match spoken {
                    Some(spoken) => {
                        format!(
                            "{session}: {:?} is no time; its turns have none",
                            crate::turn::cut(spoken, 64)
                        )
                    }
                    None => format!("{session} has no date_time; its turns have none"),
                };
                self.problem(&message, sink)?;
            }
            for turn in turns {
                let frame = Turn {
                    at: at.clone(),
                    session: Some(session.clone()),
                    participants: participants.clone(),
                    ..Turn::default()
                };
                self.turn(turn, frame, sink)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn turn(&mut self, turn: &Value, frame: Turn, sink: &mut dyn Sink) -> ControlFlow<()> {
        let field = |name: &str| turn.get(name).and_then(Value::as_str);
        let session = frame.session.clone().unwrap_or_default();
        let Some(text) = field("text") else {
            return self.problem(&format!("{session} has a turn without text"), sink);
        };
        let actor = field("speaker");
        let uid = match field("dia_id") {
            Some(id) => format!("{}/{id}", self.id),
            None => {
                self.repetitions.uid(&session, content_hash(&[actor.unwrap_or_default(), text]))
            }
        };
        let links = match turn.get("img_url") {
            Some(Value::String(url)) => vec![url.clone()],
            Some(Value::Array(urls)) => {
                urls.iter().filter_map(|url| Some(url.as_str()?.to_owned())).collect()
            }
            _ => Vec::new(),
        };
        let query = field("query").map(|query| ("query".to_owned(), Value::from(query)));
        let turn = Turn {
            uid,
            actor: actor.map(str::to_owned),
            text: text.to_owned(),
            captions: field("blip_caption").map(str::to_owned).into_iter().collect(),
            links,
            more: query.into_iter().collect(),
            ..frame
        };
        deliver(NAME, turn, sink)
    }

    fn problem(&self, message: &str, sink: &mut dyn Sink) -> ControlFlow<()> {
        let line = Some(self.position.line);
        sink.problem(Problem { file: self.path.to_owned(), line, message: message.to_owned() })
    }
}
