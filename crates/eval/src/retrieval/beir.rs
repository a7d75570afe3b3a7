//! The layout of the BEIR benchmarks (Thakur et al. 2021, <https://github.com/beir-cellar/beir>):
//! `corpus.jsonl`, `queries.jsonl`, and `qrels/test.tsv` with query, document and grade.
//!
//! A grade above 0 makes a document gold. Queries of other splits, which have no line in
//! `qrels/test.tsv`, are skipped and counted. Other fields (`metadata`) are ignored.

use std::path::Path;

use serde::Deserialize;

use super::documents::Document;
use super::{CollectionReader, Id, Query, lines, parse, take};
use crate::EvalError;

#[derive(Deserialize)]
struct Passage {
    _id: Id,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct QueryLine {
    _id: Id,
    text: String,
}

/// Reads the three files of a folder.
pub(super) fn read(folder: &Path, reader: &mut CollectionReader) -> Result<(), EvalError> {
    lines::for_each(&folder.join("corpus.jsonl"), |number, line| {
        let Passage { _id: id, title, text } = take(parse(line)?)?;
        let title = Some(title).filter(|title| !title.is_empty());
        let (actor, at, session, kind, location) = (None, None, None, None, None);
        let (captions, participants, tags) = (Vec::new(), Vec::new(), Vec::new());
        reader.document(
            number,
            Document {
                id,
                text,
                title,
                actor,
                at,
                session,
                kind,
                location,
                captions,
                participants,
                tags,
            },
        )
    })?;
    lines::for_each(&folder.join("queries.jsonl"), |number, line| {
        let QueryLine { _id: id, text } = take(parse(line)?)?;
        reader.query(
            number,
            Query { id, text, today: None, category: None, gold: Vec::new(), answerable: None },
        )
    })?;
    let qrels = folder.join("qrels").join("test.tsv");
    lines::for_each(&qrels, |number, line| {
        let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [query, document, grade] = columns.as_slice() else {
            return Err("not three columns (query, document, grade) with tabs between".to_owned());
        };
        let Ok(grade) = grade.parse::<f64>() else {
            // The first line has the names of the columns.
            return if number == 1 { Ok(()) } else { Err(format!("{grade:?} is not a grade")) };
        };
        let id = |text: &str| Id::try_from(serde_json::Value::from(text));
        let (query, document) = (id(query)?, id(document)?);
        if grade > 0.0 { reader.name_gold(number, &query, vec![document]) } else { Ok(()) }
    })?;
    // Line numbers of join errors refer to this file.
    reader.join().map_err(|(line, reason)| EvalError::Line { path: qrels, line, reason })
}
