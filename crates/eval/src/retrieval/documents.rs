//! The documents of a labelled collection as evidence.
//!
//! The documents are written to a file of their own, without queries and gold, and imported from
//! there by an ordinary importer, so that queries and gold cannot leak into the searched text and
//! every system reads the same records.

use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;

use importers::{Context, ImportError, Importer, Match, Probe, Problem, Sink};
use kernel::evidence::{Evidence, EvidenceKind, Location, Payload, Visibility, summarize};
use kernel::when::When;
use serde::{Deserialize, Serialize};

use super::Id;

/// The source's name in the records.
pub(super) const SOURCE: &str = "collection";
/// Longest text from which a summary is made, bytes; the summary itself has at most 200 characters.
const SUMMARY_FROM_BYTES_MAX: usize = 2_000;

/// A line with a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) id: Id,
    #[serde(default)]
    pub(super) text: String,
    pub(super) title: Option<String>,
    pub(super) actor: Option<String>,
    pub(super) at: Option<String>,
    pub(super) session: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) location: Option<String>,
    #[serde(default)]
    pub(super) captions: Vec<String>,
    #[serde(default)]
    pub(super) participants: Vec<String>,
    #[serde(default)]
    pub(super) tags: Vec<String>,
}

impl Document {
    /// The record, or an error message.
    pub(super) fn evidence(self) -> Result<Evidence, String> {
        let at = self
            .at
            .map(|at| When::parse(&at).map_err(|error| format!("`at`: {error}")))
            .transpose()?;
        let shown = [
            Some(self.text.as_str()),
            self.title.as_deref(),
            self.captions.first().map(String::as_str),
        ];
        let shown = shown
            .into_iter()
            .flatten()
            .find(|text| !text.trim().is_empty())
            .unwrap_or(self.id.as_str());
        let end = shown.floor_char_boundary(SUMMARY_FROM_BYTES_MAX);
        let summary = summarize(shown.get(..end).unwrap_or_default());
        Ok(Evidence {
            source: SOURCE.to_owned(),
            source_uid: self.id.as_str().to_owned(),
            kind: EvidenceKind(self.kind.unwrap_or_else(|| EvidenceKind::NOTE.to_owned())),
            actor: self.actor,
            at,
            summary,
            visibility: Visibility::default(),
            payload: Payload {
                text: self.text,
                captions: self.captions,
                title: self.title,
                session: self.session,
                participants: self.participants,
                tags: self.tags,
                location: self
                    .location
                    .map(|label| Location { label: Some(label), ..Location::default() }),
                ..Payload::default()
            },
        })
    }
}

/// Writes a document for [`Documents`] to read.
pub(super) fn write(file: &mut impl Write, document: &Document) -> std::io::Result<()> {
    serde_json::to_writer(&mut *file, document)?;
    file.write_all(b"\n")
}

/// The importer of [`write()`]'s format. It is not registered, because only evaluations use it.
pub(super) struct Documents;

impl Importer for Documents {
    fn name(&self) -> &'static str {
        SOURCE
    }

    fn describe(&self) -> &'static str {
        "the documents of a labelled collection"
    }

    fn detect(&self, _: &Probe<'_>) -> Match {
        Match::No
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let io = |source| ImportError::Io { path: path.to_owned(), source };
        let lines = BufReader::new(std::fs::File::open(path).map_err(io)?).lines();
        for (line, number) in lines.zip(1..) {
            let line = line.map_err(io)?;
            let document =
                serde_json::from_str::<Document>(&line).map_err(|error| error.to_string());
            let delivered = match document.and_then(Document::evidence) {
                Ok(evidence) => sink.evidence(evidence),
                Err(message) => {
                    sink.problem(Problem { file: path.to_owned(), line: Some(number), message })
                }
            };
            sink.progress(line.len() as u64 + 1);
            if let ControlFlow::Break(()) = delivered {
                break;
            }
        }
        Ok(())
    }
}
