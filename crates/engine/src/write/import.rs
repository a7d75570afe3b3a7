//! Importing: a format's reader on one thread, sealing and appending on this one.
//!
//! The reader masks secrets and makes canonical bytes; full batches pass through a short queue, so
//! memory stays flat however large the source is. Each batch is durable when it is counted; the
//! index follows by whole blocks.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use importers::{Context, Importer, Problem, Sink};
use kernel::evidence::Evidence;

use crate::write::record::{BATCH_MAX, Prepared, Tally};
use crate::{EngineError, Writer};

pub use crate::outcome::Intent;

/// Batches between reader and writer.
const QUEUE_BATCHES: usize = 3;
/// Problems kept in full; more are only counted.
pub const PROBLEMS_KEPT_MAX: usize = 100;
/// Records of a dry run that are shown.
pub const PREVIEW_MAX: usize = 5;

/// The result of an import.
#[derive(Debug, Default, serde::Serialize)]
pub struct Report {
    /// The source.
    #[serde(serialize_with = "crate::path_as_text")]
    pub path: PathBuf,
    /// Its format.
    pub format: String,
    /// Records by outcome. In a dry run all count as added.
    #[serde(flatten)]
    pub tally: Tally,
    /// Secrets that were masked, by kind.
    pub masked: std::collections::BTreeMap<String, u64>,
    /// Items that could not be read.
    pub problem_count: u64,
    /// The first [`PROBLEMS_KEPT_MAX`] of them.
    pub problems: Vec<ProblemReport>,
    /// In a dry run: the first records, in one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preview: Vec<String>,
}

/// One item that could not be read.
#[derive(Debug, serde::Serialize)]
pub struct ProblemReport {
    /// The file.
    #[serde(serialize_with = "crate::path_as_text")]
    pub file: PathBuf,
    /// The line, where there are lines.
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// What the reader sends.
enum Message {
    Batch(Vec<Prepared>),
    Problem(Problem),
    Bytes(u64),
    Masked(String),
    Preview(String),
}

/// How far an import is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Bytes of the source read so far.
    pub bytes: u64,
    /// Records that are durable.
    pub records: u64,
}

impl Writer<'_> {
    /// Imports one source with `importer`. A source that cannot be read at all is an error; items
    /// that cannot are reported.
    pub fn import(
        &mut self,
        importer: &'static dyn Importer,
        path: &Path,
        context: &Context,
        intent: Intent,
        mut progress: impl FnMut(Progress),
    ) -> Result<Report, EngineError> {
        let mut report = Report {
            path: path.to_owned(),
            format: importer.name().to_owned(),
            ..Report::default()
        };
        let mut at = Progress::default();
        let (sender, receiver) = sync_channel(QUEUE_BATCHES);
        let read = std::thread::scope(|scope| -> Result<(), EngineError> {
            let reader = scope.spawn(move || {
                let mut sink = Reading { path, sender, batch: Vec::new(), previewed: 0, intent };
                let read = importer.import(path, context, &mut sink);
                let _ = sink.send_batch();
                read
            });
            // Dropping the receiver is what tells the reader to stop after a failure here.
            let written =
                self.receive(receiver, &mut report, &mut at, context, intent, &mut progress);
            let read = reader.join().unwrap_or_else(|_| {
                Err(importers::ImportError::Format {
                    path: path.to_owned(),
                    format: importer.name(),
                    reason:
                        "the reader stopped on an internal error; please report this file's shape"
                            .to_owned(),
                })
            });
            written?;
            Ok(read?)
        });
        let read = read.and(self.end_bulk());
        let folded = if intent == Intent::Write { self.advance(|_| progress(at)) } else { Ok(()) };
        read?;
        folded?;
        Ok(report)
    }

    fn receive(
        &mut self,
        receiver: Receiver<Message>,
        report: &mut Report,
        at: &mut Progress,
        context: &Context,
        intent: Intent,
        progress: &mut impl FnMut(Progress),
    ) -> Result<(), EngineError> {
        for message in receiver {
            match message {
                Message::Batch(batch) if intent == Intent::DryRun => {
                    report.tally.added += batch.len() as u64
                }
                Message::Batch(batch) => {
                    report.tally.count(&self.record(batch, context.now)?);
                    at.records = report.tally.total();
                    self.store.advance_blocks()?;
                }
                Message::Problem(problem) => {
                    report.problem_count += 1;
                    if report.problems.len() < PROBLEMS_KEPT_MAX {
                        let Problem { file, line, message } = problem;
                        report.problems.push(ProblemReport { file, line, message });
                    }
                }
                Message::Bytes(bytes) => at.bytes += bytes,
                Message::Masked(kind) => *report.masked.entry(kind).or_default() += 1,
                Message::Preview(line) => report.preview.push(line),
            }
            progress(*at);
        }
        Ok(())
    }
}

/// The reader's end: masks, prepares, batches.
struct Reading<'a> {
    path: &'a Path,
    sender: SyncSender<Message>,
    batch: Vec<Prepared>,
    previewed: usize,
    intent: Intent,
}

impl Reading<'_> {
    fn send(&self, message: Message) -> ControlFlow<()> {
        match self.sender.send(message) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn send_batch(&mut self) -> ControlFlow<()> {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH_MAX));
        if batch.is_empty() { ControlFlow::Continue(()) } else { self.send(Message::Batch(batch)) }
    }
}

impl Sink for Reading<'_> {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        let masked = importers::secrets::mask(evidence);
        for kind in masked.kinds() {
            self.send(Message::Masked(kind.to_string()))?;
        }
        let evidence = masked.get();
        if self.intent == Intent::DryRun && self.previewed < crate::write::import::PREVIEW_MAX {
            self.previewed += 1;
            let at = evidence.at.as_ref().map_or("undated", |at| at.as_str());
            let actor =
                evidence.actor.as_deref().map(|actor| format!("{actor}: ")).unwrap_or_default();
            self.send(Message::Preview(format!(
                "{} {at} {actor}{}",
                evidence.kind.0, evidence.summary
            )))?;
        }
        let name = evidence.source_uid.clone();
        match Prepared::new(masked) {
            Ok(prepared) => self.batch.push(prepared),
            Err(error) => self.send(Message::Problem(Problem {
                file: self.path.to_owned(),
                line: None,
                message: format!("the record {name:?} was left out: {error}"),
            }))?,
        }
        if self.batch.len() >= BATCH_MAX { self.send_batch() } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.send(Message::Problem(problem))
    }

    fn progress(&mut self, bytes: u64) {
        let _ = self.send(Message::Bytes(bytes));
    }
}
