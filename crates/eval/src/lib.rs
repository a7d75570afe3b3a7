//! Evaluation of recall: how many of the records that answer a question are among the first k
//! results.
//!
//! A [`Collection`] has files for the ordinary importers, and questions with the records that
//! answer them, their *gold*. A [`System`] imports the files and answers [`EvalQuestion`]s: the
//! text and the asker's date, nothing else; it never sees gold, category or the origin of a
//! question ([`run`]). [`measures`] compares the results with the gold. Simple [`controls`]
//! serve as baselines for the engine. They use the same importers, so a difference between systems
//! is a difference in ranking.
//!
//! A new format of labelled questions is a function that returns collections, like [`locomo`],
//! [`retrieval`] and [`sample`]. [`tuning`] and [`abstention`] study recall itself, [`context`]
//! what is made of its results, and [`trails`] whether the use of thoughts should rank them.
//!
//! # Errors
//! Whatever asks a system fails with [`EvalError::Engine`], [`EvalError::Control`] or
//! [`EvalError::Embedding`] if the system or its model does. The sections on errors say what else a
//! function fails for.

#![allow(missing_docs, reason = "the fields of result rows are named after their measures")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use importers::Importer;
use jiff::civil::Date;

use engine::EngineError;
use store::StoreError;

pub mod abstention;
pub mod answers;
pub mod because;
pub mod bm25;
pub mod calibration;
pub mod context;
pub mod controls;
pub mod embedding;
pub mod fts5;
pub mod locomo;
pub mod measures;
pub mod records;
pub mod report;
pub mod retrieval;
pub mod run;
pub mod sample;
pub mod trails;
pub mod tuning;

/// Largest file of labelled questions, which is read into memory.
pub const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Sources that are searched together, and the questions about them.
pub struct Collection {
    /// Its name for people.
    pub name: String,
    /// The sources, in the order of their import.
    pub sources: Vec<Source>,
    /// The questions that have an answer in it.
    pub questions: Vec<LabelledQuestion>,
    /// Questions without an answer in it, for [`abstention`] only.
    pub unanswerable: Vec<EvalQuestion>,
}

/// A file or folder and its format.
pub struct Source {
    pub importer: &'static dyn Importer,
    pub path: PathBuf,
}

/// A question and the records that answer it.
pub struct LabelledQuestion {
    pub question: EvalQuestion,
    /// The collection's category of the question.
    pub category: String,
    /// Never empty.
    pub gold: BTreeSet<RecordKey>,
}

/// A question, as a system sees it.
pub struct EvalQuestion {
    pub text: String,
    /// The asker's date.
    pub today: Option<Date>,
}

/// A record by its identity at its source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct RecordKey(String);

impl RecordKey {
    /// The record with the id `uid` in `source`.
    pub fn new(source: &str, uid: &str) -> Self {
        Self(format!("{source} {uid}"))
    }
}

/// A system under test.
pub trait System {
    /// Imports a source and returns the number of its records.
    fn import(&mut self, source: &Source) -> Result<u64, EvalError>;
    /// Answers a question with at most `limit` records, best first.
    fn answer(
        &mut self,
        question: &EvalQuestion,
        limit: usize,
    ) -> Result<Vec<RecordKey>, EvalError>;
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// SQLite failed in the FTS5 control.
    #[error("the FTS5 control failed: {0}")]
    Control(#[source] StoreError),
    /// The embedding model failed.
    #[error("the embedding model failed: {0}")]
    Embedding(String),
    /// A file could not be read or written.
    #[error("cannot read or write {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// A line of a file has an invalid format.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: u64,
        /// The problem.
        reason: String,
    },
    /// A file has an invalid format.
    #[error("{}: {reason}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// The problem.
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
