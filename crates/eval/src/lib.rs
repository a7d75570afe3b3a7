//! Measuring recall: how much of what answers a question is among the first k records.
//!
//! A [`Collection`] is files for the ordinary importers, and questions with the records that answer
//! them, its *gold*. A [`System`] takes the files in and is [`Asked`]: the words and the asker's
//! date, nothing else; gold, category and the origin of a question stay on this side ([`run`]).
//! What comes back is compared by [`measures`]. Beside the engine itself stand three [`controls`]
//! that anybody could build in an afternoon. They read through the same importers, so a difference
//! between systems is one of ranking.
//!
//! A new form of labelled questions is a function that makes collections, as [`locomo`],
//! [`retrieval`] and [`sample`] are. What is learnt about recall itself is in [`tuning`] and
//! [`abstention`].

#![allow(missing_docs, reason = "fields of measured rows say by their names what they hold")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use importers::Importer;
use jiff::civil::Date;

use engine::EngineError;
use store::StoreError;

pub mod abstention;
pub mod because;
pub mod bm25;
pub mod calibration;
pub mod controls;
pub mod fts5;
pub mod locomo;
pub mod measures;
pub mod records;
pub mod report;
pub mod retrieval;
pub mod run;
pub mod sample;
pub mod tuning;

/// Largest file of labelled questions, which is read as a whole.
pub const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What is searched together, and what is asked of it.
pub struct Collection {
    /// What people call it.
    pub name: String,
    /// What is imported, in this order.
    pub sources: Vec<Source>,
    /// What is asked.
    pub questions: Vec<Labelled>,
    /// What nothing in it answers: only [`abstention`] asks it.
    pub unanswerable: Vec<Asked>,
}

/// A file or folder and its format.
pub struct Source {
    pub importer: &'static dyn Importer,
    pub path: PathBuf,
}

/// A question and what answers it.
pub struct Labelled {
    pub asked: Asked,
    /// The collection's name for its sort of question.
    pub category: String,
    /// Never empty.
    pub gold: BTreeSet<RecordKey>,
}

/// All that a system is told of a question.
pub struct Asked {
    pub text: String,
    /// The asker's date.
    pub today: Option<Date>,
}

/// A record by its identity at its source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct RecordKey(String);

impl RecordKey {
    /// The record that `source` calls `uid`.
    pub fn new(source: &str, uid: &str) -> Self {
        Self(format!("{source} {uid}"))
    }
}

/// What can be asked.
pub trait System {
    /// Takes a source in and returns how many records it held.
    fn take_in(&mut self, source: &Source) -> Result<u64, EvalError>;
    /// At most `limit` records, the best first.
    fn ask(&mut self, asked: &Asked, limit: usize) -> Result<Vec<RecordKey>, EvalError>;
}

/// Why a measurement could not be made.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// SQLite failed in the control that is built on it.
    #[error("the FTS5 control failed: {0}")]
    Control(#[source] StoreError),
    /// The model to measure with makes no vectors.
    #[error("the model makes no vectors: {0}")]
    Embedding(String),
    /// A file could not be read or written.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A line of a file is not of the form that is measured.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, counted from 1.
        line: u64,
        /// What does not fit.
        reason: String,
    },
    /// The file is not of the form that is measured.
    #[error("{}: {reason}", path.display())]
    Form {
        /// Which file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
}

impl EvalError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Engine(error) => error.code(),
            Self::Control(error) => error.code(),
            Self::Embedding(_) => "embedder_failed",
            Self::File { .. } => "file",
            Self::Form { .. } | Self::Line { .. } => "evaluation_format",
        }
    }

    fn form(path: &Path, reason: impl Into<String>) -> Self {
        Self::Form { path: path.to_owned(), reason: reason.into() }
    }
}

impl From<models::EmbedError> for EvalError {
    fn from(error: models::EmbedError) -> Self {
        Self::Embedding(error.to_string())
    }
}

impl From<rusqlite::Error> for EvalError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Control(error.into())
    }
}
