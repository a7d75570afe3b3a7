//! Runs an importer by its name and collects what it sends.

use std::ops::ControlFlow;
use std::path::Path;

use calendar::series::{Occurrence, Series};
use importers::{Context, ImportError, Problem, Sink};
use jiff::civil::Date;
use kernel::evidence::Evidence;

/// Everything that one import gave.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) bytes: u64,
    /// Stop after so many records.
    pub(crate) stop_after: Option<usize>,
}

impl Sink for Collected {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        self.evidence.push(evidence);
        match self.stop_after {
            Some(most) if self.evidence.len() >= most => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
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
    /// Identities must be distinct, or a later record would supersede an earlier one of the same
    /// import.
    pub(crate) fn uids(&self) -> Vec<&str> {
        let uids: Vec<_> =
            self.evidence.iter().map(|evidence| evidence.source_uid.as_str()).collect();
        let distinct: std::collections::BTreeSet<_> = uids.iter().collect();
        assert_eq!(distinct.len(), uids.len(), "{uids:?}");
        uids
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.evidence.iter().map(|evidence| evidence.payload.text.as_str()).collect()
    }

    pub(crate) fn roles(&self) -> Vec<&str> {
        self.evidence
            .iter()
            .map(|evidence| evidence.payload.role.as_deref().unwrap_or("-"))
            .collect()
    }

    /// `source_uid at` of every record, a line each; of a series, of every occurrence until a year
    /// after the import. Without the key of a calendar that has no name.
    pub(crate) fn times(&self) -> String {
        let mut lines = String::new();
        for (evidence, name) in self.evidence.iter().zip(self.names()) {
            let at = evidence.at.as_ref().map(ToString::to_string).unwrap_or_default();
            match Series::of(evidence) {
                Some(series) => {
                    for one in occurrences(&series) {
                        lines.push_str(&format!("{name}/{} {}\n", one.id, one.at));
                    }
                }
                None => lines.push_str(&format!("{name} {at}\n")),
            }
        }
        lines
    }

    /// The identities without the key of a calendar that has no name.
    pub(crate) fn names(&self) -> Vec<&str> {
        let uids = self.evidence.iter().map(|evidence| evidence.source_uid.as_str());
        uids.map(|uid| uid.strip_prefix(UNNAMED).unwrap_or(uid)).collect()
    }

    /// `line: message` of every problem, a line each.
    pub(crate) fn complaints(&self) -> String {
        let line =
            |problem: &Problem| problem.line.map(|line| line.to_string()).unwrap_or_default();
        self.problems
            .iter()
            .map(|problem| format!("{}: {}\n", line(problem), problem.message))
            .collect()
    }
}

/// The world as the tests know it: noon of 1 June 2025, in Berlin.
pub(crate) fn context() -> Context {
    Context::new(
        "2025-06-01T10:00:00Z".parse().unwrap(),
        jiff::tz::TimeZone::get("Europe/Berlin").unwrap(),
    )
}

/// Imports a path with the importer of that name, whatever it is.
pub(crate) fn import(importer: &str, path: &Path, into: &mut Collected) -> Result<(), ImportError> {
    importers::by_name(importer).unwrap().import(path, &context(), into)
}

/// Imports bytes as a file with the importer of that name.
pub(crate) fn import_bytes(importer: &str, bytes: &[u8]) -> Result<Collected, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unnamed");
    std::fs::write(&file, bytes).unwrap();
    let mut collected = Collected::default();
    import(importer, &file, &mut collected)?;
    Ok(collected)
}

/// What keys the UIDs of a calendar without a name in the file of [`import_bytes`].
const UNNAMED: &str = "unnamed/";

/// The occurrences of a series until a year after the import.
pub(crate) fn occurrences(series: &Series) -> Vec<Occurrence> {
    series.between(Date::MIN, jiff::civil::date(2026, 6, 2), 20_000)
}
