//! The importers on files and folders, through the registry and the port, as the engine drives them.

#![allow(clippy::unwrap_used, reason = "this crate is tests, its helpers too")]

mod calendar;
mod chats;
mod collect;
mod git;
mod mail;
mod mutation;
mod notes;
mod photos;
mod support;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use importers::{Context, ImportError, Importer, Match, Probe, Problem, Sink, registry};
use kernel::evidence::Evidence;

/// Everything an import gave.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) bytes: u64,
    pub(crate) stop_after: Option<usize>,
}

impl Sink for Collected {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        self.evidence.push(evidence);
        if self.stop_after.is_some_and(|limit| self.evidence.len() >= limit) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems.push(problem);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, bytes: u64) {
        self.bytes += bytes;
    }
}

impl Collected {
    pub(crate) fn messages(&self) -> String {
        self.problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Identities must be distinct, or a later record would supersede an earlier one of the same import.
    pub(crate) fn uids(&self) -> Vec<&str> {
        let uids: Vec<_> = self.evidence.iter().map(|evidence| evidence.source_uid.as_str()).collect();
        let distinct: std::collections::BTreeSet<_> = uids.iter().collect();
        assert_eq!(distinct.len(), uids.len(), "{uids:?}");
        uids
    }
}

pub(crate) fn context() -> Context {
    Context { now: "2025-07-01T12:00:00Z".parse().unwrap(), zone: jiff::tz::TimeZone::UTC }
}

pub(crate) fn named(format: &str) -> &'static dyn Importer {
    *registry().iter().find(|importer| importer.name() == format).unwrap()
}

pub(crate) fn try_import(format: &str, path: &Path) -> Result<Collected, ImportError> {
    let mut collected = Collected::default();
    named(format).import(path, &context(), &mut collected)?;
    collected.uids();
    Ok(collected)
}

pub(crate) fn import(format: &str, path: &Path) -> Collected {
    try_import(format, path).unwrap()
}

/// The format that the registry would choose.
pub(crate) fn detected(path: &Path) -> Option<&'static str> {
    let bytes = if path.is_dir() { Vec::new() } else { std::fs::read(path).unwrap() };
    let head = &bytes[..bytes.len().min(importers::PROBE_BYTES)];
    let probe = Probe { path, is_dir: path.is_dir(), head };
    let mut best: Option<(Match, &'static str)> = None;
    for importer in registry() {
        let found = importer.detect(&probe);
        if found > Match::No && best.is_none_or(|(known, _)| found > known) {
            best = Some((found, importer.name()));
        }
    }
    best.map(|(_, name)| name)
}

/// Writes a file below a folder, with the folders between.
pub(crate) fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, content).unwrap();
    path
}
