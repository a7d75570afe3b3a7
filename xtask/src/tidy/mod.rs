//! `cargo xtask tidy`: rules of style and structure that the compiler does not check.
//!
//! Every check is a function from the tracked files to [`Finding`]s; it reads nothing else and
//! needs no build, so all of them together take less than a second. A finding names file and line
//! and says what to do. A rule that is too strict is changed here; there are no exceptions in
//! comments.

mod app_layers;
mod commands;
mod dependencies;
mod fixtures;
mod layers;
mod manifest;
mod map;
mod purity;
mod rust_source;
mod style;
mod tree;
mod words;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use tree::Tree;

/// How much to print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Only what must be fixed.
    Failures,
    /// Also notes.
    FailuresAndNotes,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// The line number, from 1.
    line: usize,
    /// The problem and what to do.
    advice: String,
}

impl Finding {
    fn new(path: &str, line: usize, advice: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, advice: advice.into() }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.advice)
    }
}

/// Every check that fails the build.
const CHECKS: [fn(&Tree) -> Vec<Finding>; 9] = [
    style::check,
    purity::check,
    map::check,
    dependencies::check,
    layers::check,
    app_layers::check,
    commands::check,
    fixtures::check,
    words::check,
];

/// Runs all checks over the tracked files.
pub(crate) fn run(root: &Path, detail: Detail) -> Result<ExitCode> {
    let tree = Tree::read(root)?;
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    findings.sort();
    for finding in &findings {
        eprintln!("{finding}");
    }
    if detail == Detail::FailuresAndNotes {
        for note in style::notes(&tree) {
            println!("note: {note}");
        }
    }
    if findings.is_empty() {
        println!("tidy: {} files, no problems", tree.files().len());
        Ok(ExitCode::SUCCESS)
    } else {
        eprintln!("tidy: {} problems", findings.len());
        Ok(ExitCode::FAILURE)
    }
}
