//! The sample of `because demo`: notes, a calendar and a chat of a fictional person, with
//! questions.
//!
//! A question identifies its gold by quotes, each of which occurs in exactly one record. Its
//! category is the kinds of its gold, so that notes and calendars can be distinguished from turns.
//! The few questions were written for this project: they give a first impression and guard against
//! regressions, but they are not a benchmark.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Collection, EvalError, EvalQuestion, LabelledQuestion, RecordKey, Source, records};

/// The unit of records.
pub const UNIT: &str = "records";
/// The questions, one JSON line each.
const QUESTIONS: &str = include_str!("../../../fixtures/samples/questions.jsonl");
/// A date after everything in the sample.
const TODAY: jiff::civil::Date = jiff::civil::date(2025, 3, 31);

macro_rules! sample {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../../fixtures/samples/", $name)).as_slice())),+]
    };
}

/// Ten weeks of a fictional person.
const FILES: &[(&str, &[u8])] = sample![
    "calendar.ics",
    "chat.jsonl",
    "notes/Daily/2025-01-14.md",
    "notes/Daily/2025-01-29.md",
    "notes/Daily/2025-02-18.md",
    "notes/Daily/2025-03-01.md",
    "notes/Daily/2025-03-12.md",
    "notes/Home.md",
    "notes/People/Idris Haddad.md",
    "notes/People/Jonas Lindqvist.md",
    "notes/Studio/Glazes.md",
    "notes/Studio/Kiln.md",
    "notes/Studio/Moving the studio.md",
    "notes/Studio/Spring market.md",
];
/// The sources to import.
pub const SOURCES: [&str; 3] = ["calendar.ics", "notes", "chat.jsonl"];
#[derive(Deserialize)]
struct Line {
    question: String,
    gold: Vec<String>,
}

struct Record {
    key: RecordKey,
    kind: String,
    text: String,
}

/// Writes the sample's files into a folder.
///
/// # Errors
/// If a file cannot be written.
pub fn unpack(folder: &Path) -> Result<(), EvalError> {
    for (name, bytes) in FILES {
        let path = folder.join(name);
        let file_error = |source| EvalError::File { path: path.clone(), source };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(file_error)?;
        }
        std::fs::write(&path, bytes).map_err(file_error)?;
    }
    Ok(())
}

/// The sample, whose files are at `paths`.
///
/// # Errors
/// If a source cannot be read, or no importer recognises it.
pub fn collect(paths: &[PathBuf]) -> Result<Collection, EvalError> {
    let sources = paths.iter().map(|path| source(path)).collect::<Result<Vec<_>, _>>()?;
    let mut found: Vec<Record> = Vec::new();
    for source in &sources {
        records::visit(source, &mut |evidence| {
            let (key, kind, text) =
                (records::key(evidence), evidence.kind.0.clone(), folded(&records::line(evidence)));
            found.push(Record { key, kind, text });
        })?;
    }
    let mut questions = Vec::new();
    for line in QUESTIONS.lines() {
        questions.push(labelled(line, &found)?);
    }
    Ok(Collection { name: "sample".to_owned(), sources, questions, unanswerable: Vec::new() })
}

fn source(path: &Path) -> Result<Source, EvalError> {
    let importer = importers::detect(path).map_err(engine::EngineError::from)?;
    let importer = importer.ok_or_else(|| EvalError::form(path, "no importer recognises it"))?;
    Ok(Source { importer, path: path.to_owned() })
}

fn labelled(line: &str, found: &[Record]) -> Result<LabelledQuestion, EvalError> {
    let wrong = |reason: String| EvalError::form(Path::new("questions.jsonl"), reason);
    let line: Line = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
    let mut gold = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    for quote in &line.gold {
        let quote = folded(quote);
        let mut holders = found.iter().filter(|record| record.text.contains(&quote));
        let (Some(holder), None) = (holders.next(), holders.next()) else {
            return Err(wrong(format!("{quote:?} is not in exactly one record")));
        };
        gold.insert(holder.key.clone());
        kinds.insert(holder.kind.as_str());
    }
    let category = kinds.into_iter().collect::<Vec<_>>().join("+");
    Ok(LabelledQuestion {
        question: EvalQuestion { text: line.question, today: Some(TODAY) },
        category,
        gold,
    })
}

/// Normalises white space, which importers may change.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
