//! Importing: a format's reader on one thread, sealing and appending on this one.
//!
//! The reader masks secrets and makes canonical bytes; full batches pass through a short queue, so
//! memory stays flat however large the source is. Each batch is durable when it is counted; the
//! index follows by whole blocks.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use importers::graph::GraphItem;
use importers::{Context, Importer, Problem, Sink};
use kernel::body::{Body, Import, Reason};
use kernel::evidence::Evidence;
use kernel::id::{BodyHash, OpId};
use kernel::ledger_index::LedgerIndex;
use kernel::seal::{Draft, next_timestamp};
use store::Writing;

use crate::belief::review::acting_on;
use crate::inspect::summary_of_evidence;
use crate::recall::echo::PendingKeys;
use crate::seal::Sealable;
use crate::write::former_names;
use crate::write::import_graph::{GRAPH_BATCH_MAX, GraphTally, PreparedItem, SourceIds};
use crate::write::mirror::{MirrorPlan, NO_LONGER_THERE, Renames, Sighting, name_of, place_of};
use crate::write::record::{BATCH_MAX, Known, Prepared, Tally, look_up};
use crate::write::set_aside::{SetAside, was_said_before};
use crate::write::sources::{AppendedRanges, appended_since};
use crate::write::submission::record_consequences;
use crate::{EngineError, Reader, Writer, now_us};

pub use crate::outcome::Intent;

/// Batches between reader and writer.
const QUEUE_BATCHES: usize = 3;
/// Problems kept in full; more are only counted.
pub const PROBLEMS_KEPT_MAX: usize = 100;
/// Records of a dry run that are shown, of those that are new or changed.
pub const PREVIEW_MAX: usize = 5;

/// The result of an import.
#[derive(Debug, Default, serde::Serialize)]
pub struct Report {
    /// The source.
    #[serde(serialize_with = "crate::path_as_text")]
    pub path: PathBuf,
    /// Its format.
    pub format: String,
    /// Records by outcome.
    #[serde(flatten)]
    pub tally: Tally,
    /// Claims, nodes, edges and retractions by outcome, if the format may hold any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphTally>,
    /// How many of the new ones repeat what is known already; none in a dry run.
    pub repeated: u64,
    /// Records that were retracted, because the source no longer has them.
    pub retracted: u64,
    /// In a dry run: the first of them, in one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// The operation that says what was imported; none if nothing was appended.
    pub import: Option<OpId>,
    /// Secrets that were masked, by kind.
    pub masked: std::collections::BTreeMap<String, u64>,
    /// Items that could not be read.
    pub problem_count: u64,
    /// The first [`PROBLEMS_KEPT_MAX`] of them.
    pub problems: Vec<ProblemReport>,
    /// In a dry run: the first records that are new or changed, in one line each; of a format that
    /// may hold a graph, the first records.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preview: Vec<String>,
}

impl Report {
    fn problem(&mut self, problem: Problem) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_KEPT_MAX {
            let Problem { file, line, message } = problem;
            self.problems.push(ProblemReport { file, line, message });
        }
    }
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
    Graph(Vec<PreparedItem>),
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

/// What an import does besides reading.
struct Task<'p> {
    intent: Intent,
    /// Whether the first records are reported in words.
    previews: bool,
    plan: Option<&'p MirrorPlan>,
    /// What the ids of claims, nodes and edges stand for.
    ids: SourceIds,
    /// What may be an earlier version of something further down.
    aside: SetAside,
    /// Renamed notes that were not met yet.
    renames: Renames,
    /// What was read, in a dry run or for a mirror.
    found: Sighting,
    /// Over the body hashes of everything that was read.
    digest: blake3::Hasher,
    appended: AppendedRanges,
}

impl<'p> Task<'p> {
    fn new(intent: Intent, plan: Option<&'p MirrorPlan>) -> Self {
        Self {
            intent,
            previews: intent == Intent::DryRun,
            plan,
            ids: SourceIds::default(),
            aside: SetAside::default(),
            renames: plan.map(|plan| plan.renames.clone()).unwrap_or_default(),
            found: Sighting::default(),
            digest: blake3::Hasher::new(),
            appended: AppendedRanges::default(),
        }
    }
}

impl Writer<'_> {
    /// Imports one source with `importer`. Items that cannot be read are reported. What was
    /// appended is put on record as an import, also if reading ends early.
    ///
    /// # Errors
    /// If the source cannot be read at all, or the key may not append. What was recorded before
    /// that stays.
    pub fn import(
        &mut self,
        importer: &'static dyn Importer,
        path: &Path,
        context: &Context,
        intent: Intent,
        progress: impl FnMut(Progress),
    ) -> Result<Report, EngineError> {
        if intent == Intent::DryRun && importer.has_graph() {
            return self.rehearse(importer, path, context, progress);
        }
        self.run(importer, path, context, &mut Task::new(intent, None), progress)
    }

    /// Imports into a private copy, which is thrown away: what becomes of claims, nodes and edges
    /// depends on those before them.
    fn rehearse(
        &mut self,
        importer: &'static dyn Importer,
        path: &Path,
        context: &Context,
        progress: impl FnMut(Progress),
    ) -> Result<Report, EngineError> {
        let mut task = Task { previews: true, ..Task::new(Intent::Write, None) };
        let report =
            self.on_copy(|writer| writer.run(importer, path, context, &mut task, progress))?;
        Ok(Report { import: None, ..report })
    }

    /// Writes into a private copy, which is thrown away.
    pub(crate) fn on_copy<T>(
        &mut self,
        write: impl FnOnce(&mut Writer<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut copy = self.store.private_copy()?;
        let mut echoes = PendingKeys::default();
        write(&mut Writer {
            store: &mut copy,
            sealer: self.sealer,
            derivers: self.derivers,
            echoes: &mut echoes,
            policy: self.policy,
        })
    }

    /// Reads a source without writing anything, and answers what a mirroring import would do
    /// besides importing; see [`crate::write::mirror`].
    ///
    /// # Errors
    /// If the source cannot be read at all.
    pub fn plan_mirror(
        &mut self,
        importer: &'static dyn Importer,
        path: &Path,
        context: &Context,
        progress: impl FnMut(Progress),
    ) -> Result<(Report, MirrorPlan), EngineError> {
        let mut task = Task::new(Intent::DryRun, None);
        let mut report = self.run(importer, path, context, &mut task, progress)?;
        let place = self.sealer.keyed_hash(&place_of(path));
        let reader = Reader::new(self.store, self.derivers)?;
        let plan = match report.problem_count {
            0 => reader.mirror_plan(importer.name(), place, &task.found)?,
            _ => MirrorPlan::default(),
        };
        // A renamed note is not new: it replaces the one of the earlier name.
        report.tally.added = report.tally.added.saturating_sub(plan.renamed);
        report.tally.replaced += plan.renamed;
        report.retracted = plan.gone.len() as u64;
        report.gone = plan.preview.clone();
        Ok((report, plan))
    }

    /// Imports a source and retracts what it no longer has, as planned. If not everything could be
    /// read, nothing is retracted.
    ///
    /// # Errors
    /// Those of [`Self::import`]; if the key may not retract what is gone.
    pub fn mirror(
        &mut self,
        importer: &'static dyn Importer,
        path: &Path,
        context: &Context,
        plan: &MirrorPlan,
        progress: impl FnMut(Progress),
    ) -> Result<Report, EngineError> {
        self.run(importer, path, context, &mut Task::new(Intent::Write, Some(plan)), progress)
    }

    fn run(
        &mut self,
        importer: &'static dyn Importer,
        path: &Path,
        context: &Context,
        task: &mut Task<'_>,
        mut progress: impl FnMut(Progress),
    ) -> Result<Report, EngineError> {
        let mut report = Report {
            path: path.to_owned(),
            format: importer.name().to_owned(),
            graph: importer.has_graph().then(GraphTally::default),
            ..Report::default()
        };
        let mut at = Progress::default();
        let (intent, previews) = (task.intent, task.previews);
        let (sender, receiver) = sync_channel(QUEUE_BATCHES);
        let read = std::thread::scope(|scope| -> Result<(), EngineError> {
            let reader = scope.spawn(move || {
                let mut sink = Reading {
                    path,
                    source: importer.name(),
                    sender,
                    batch: Vec::new(),
                    items: Vec::new(),
                    // A dry run shows what is new; a rehearsal does not know it yet.
                    previews_left: if previews && intent == Intent::Write {
                        PREVIEW_MAX
                    } else {
                        0
                    },
                };
                let read = importer.import(path, context, &mut sink);
                if sink.send_batch().is_continue() {
                    let _ = sink.send_items();
                }
                read
            });
            // Dropping the receiver is what tells the reader to stop after a failure here.
            let written =
                self.receive(receiver, &mut report, &mut at, context, task, &mut progress);
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
        let read = read.and_then(|()| self.record_set_aside(&mut report, task, context.now));
        let went_back = std::mem::take(&mut task.found.went_back).len() as u64;
        report.tally.present = report.tally.present.saturating_sub(went_back);
        report.tally.replaced += went_back;
        let noted = match intent {
            Intent::Write => self.put_on_record(&mut report, task, context, read.is_ok()),
            Intent::DryRun => Ok(()),
        };
        let read = read.and(noted).and(self.end_bulk());
        // Nobody reads a rehearsal.
        let is_read = intent == Intent::Write && !previews;
        let folded = if is_read { self.advance(|_| progress(at)) } else { Ok(()) };
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
        task: &mut Task<'_>,
        progress: &mut impl FnMut(Progress),
    ) -> Result<(), EngineError> {
        for message in receiver {
            match message {
                Message::Batch(batch) if task.intent == Intent::DryRun => {
                    self.compare(&batch, report, &mut task.found, context.now)?;
                }
                Message::Batch(batch) => {
                    for prepared in &batch {
                        let hash = self.sealer.body_hash(prepared);
                        task.digest.update(&hash.0);
                        if let (Some(_), Some(evidence)) = (task.plan, prepared.evidence()) {
                            task.found.see(&evidence.source, &evidence.source_uid, hash);
                            for name in former_names::names(evidence, context.now) {
                                task.found.see(&evidence.source, &name, hash);
                            }
                        }
                    }
                    let uids = batch.iter().filter_map(Prepared::evidence);
                    let uids: Vec<String> = match report.graph {
                        Some(_) => uids.map(|evidence| evidence.source_uid.clone()).collect(),
                        None => Vec::new(),
                    };
                    let recorded = self.record_batch(
                        batch,
                        &mut task.renames,
                        Some(&mut task.aside),
                        context.now,
                    )?;
                    task.ids.note_events(uids, &recorded.outcomes);
                    report.tally.count(&recorded.outcomes);
                    report.repeated += recorded.repeated;
                    task.appended.push(recorded.seqs);
                    at.records += recorded.outcomes.len() as u64;
                    if !task.previews {
                        self.store.advance_blocks()?;
                    }
                }
                Message::Graph(items) => {
                    let Some(mut tally) = report.graph.take() else { continue };
                    let before = tally.added() + tally.present();
                    let recorded = self.record_graph(
                        &report.format,
                        items,
                        &mut task.ids,
                        &mut tally,
                        context.now,
                    )?;
                    at.records += tally.added() + tally.present() - before;
                    report.graph = Some(tally);
                    recorded.problems.into_iter().for_each(|problem| report.problem(problem));
                    for kind in recorded.masked {
                        *report.masked.entry(kind.to_string()).or_default() += 1;
                    }
                    task.appended.push(recorded.seqs);
                }
                Message::Problem(problem) => report.problem(problem),
                Message::Bytes(bytes) => at.bytes += bytes,
                Message::Masked(kind) => *report.masked.entry(kind).or_default() += 1,
                Message::Preview(line) => report.preview.push(line),
            }
            progress(*at);
        }
        Ok(())
    }

    /// Records what the source went back to: an earlier version after which nothing else came.
    fn record_set_aside(
        &mut self,
        report: &mut Report,
        task: &mut Task<'_>,
        now: jiff::Timestamp,
    ) -> Result<(), EngineError> {
        let mut records = std::mem::take(&mut task.aside).into_records();
        // They were counted as present.
        report.tally.present = report.tally.present.saturating_sub(records.len() as u64);
        while !records.is_empty() {
            let rest = records.split_off(records.len().min(BATCH_MAX));
            let recorded = self.record_batch(records, &mut task.renames, None, now)?;
            report.tally.count(&recorded.outcomes);
            report.repeated += recorded.repeated;
            task.appended.push(recorded.seqs);
            records = rest;
        }
        Ok(())
    }

    /// Counts what recording a batch would do.
    fn compare(
        &self,
        batch: &[Prepared],
        report: &mut Report,
        found: &mut Sighting,
        now: jiff::Timestamp,
    ) -> Result<(), EngineError> {
        self.store.on_snapshot(|index| {
            for prepared in batch {
                let Some(evidence) = prepared.evidence() else { continue };
                let hash = self.sealer.body_hash(prepared);
                let earlier = found.see(&evidence.source, &evidence.source_uid, hash);
                for name in former_names::names(evidence, now) {
                    found.see(&evidence.source, &name, hash);
                }
                let name = name_of(&evidence.source, &evidence.source_uid);
                let went_back = found.went_back.remove(&name);
                let tally = &mut report.tally;
                let before = tally.added + tally.replaced;
                let mut known = look_up(index, self.sealer, self.policy, prepared)?;
                if known == Known::No {
                    known = former_names::known(index, self.sealer, self.policy, prepared, now)?;
                }
                match (earlier, known) {
                    (Some(earlier), _) if earlier == hash => {
                        tally.present += 1;
                        found.went_back.extend(went_back.then_some(name));
                    }
                    (Some(_), Known::Present(_)) if went_back => tally.present += 1,
                    (None, Known::Earlier(id)) if was_said_before(index, id, prepared)? => {
                        tally.present += 1;
                        found.went_back.insert(name);
                    }
                    (Some(_), _) | (None, Known::Earlier(_)) => tally.replaced += 1,
                    (None, Known::Present(_)) => tally.present += 1,
                    (None, Known::Forgotten(_)) => tally.forgotten += 1,
                    (None, Known::No) => {
                        tally.added += 1;
                        found.see_new(evidence);
                    }
                }
                if tally.added + tally.replaced > before && report.preview.len() < PREVIEW_MAX {
                    report.preview.push(preview_of(evidence));
                }
            }
            Ok(())
        })
    }

    /// Retracts what the source no longer has, and puts the import on record, in one transaction.
    fn put_on_record(
        &mut self,
        report: &mut Report,
        task: &mut Task<'_>,
        context: &Context,
        read_all: bool,
    ) -> Result<(), EngineError> {
        let now = context.now;
        let gone = match task.plan {
            Some(plan) if read_all && report.problem_count == 0 => {
                Reader::new(self.store, self.derivers)?.still_gone(plan, &task.found)?
            }
            _ => Vec::new(),
        };
        if task.appended.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let sealer = self.sealer;
        let author = sealer.author();
        let mut writing = self.store.write()?;
        let before = writing.head(&author)?.map_or(0, |head| head.seq);
        for id in &gone {
            let reason = Reason { reason: NO_LONGER_THERE.to_owned() };
            let draft = acting_on(*id, Body::EvidenceRetraction(reason))?;
            let ts = next_timestamp(now_us(now), writing.latest()?);
            let (operation, body) = sealer.seal_next(Sealable::concluded(draft), &writing, ts)?;
            writing.record(&operation, Some(&body))?;
        }
        if !gone.is_empty() {
            record_consequences(sealer, &mut writing, now_us(now))?;
        }
        task.appended.push(appended_since(&writing, &author, before)?);
        report.retracted = gone.len() as u64;
        let (operations, is_all) = std::mem::take(&mut task.appended).into_parts();
        let body = Import {
            source: Some(report.format.clone()),
            path: Some(
                context.name.clone().unwrap_or_else(|| report.path.to_string_lossy().into_owned()),
            ),
            place: Some(sealer.keyed_hash(&place_of(&report.path))),
            digest: Some(BodyHash(*task.digest.finalize().as_bytes())),
            added: Some(report.tally.added + report.graph.map_or(0, |graph| graph.added())),
            replaced: Some(report.tally.replaced),
            repeated: Some(report.repeated),
            present: Some(report.tally.present + report.graph.map_or(0, |graph| graph.present())),
            retracted: Some(report.retracted),
            problems: Some(report.problem_count),
            complete: Some(read_all && is_all),
            importer: Some(kernel::body::Importer {
                name: "because".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            }),
            operations: Some(operations),
            ..Import::default()
        };
        let ts = next_timestamp(now_us(now), writing.latest()?);
        let sealable = Sealable::masked(Draft::new(Body::Import(body)), &writing)?;
        let (operation, body) = sealer.seal_next(sealable, &writing, ts)?;
        writing.record(&operation, Some(&body))?;
        Box::new(writing).commit()?;
        report.import = Some(operation.id());
        Ok(())
    }
}

/// A record in one line.
fn preview_of(evidence: &Evidence) -> String {
    let at = evidence.at.as_ref().map_or("undated", |at| at.as_str());
    format!("{} {at} {}", evidence.kind.0, summary_of_evidence(evidence))
}

/// The reader's end: masks, prepares, batches.
struct Reading<'a> {
    path: &'a Path,
    /// The name of the format.
    source: &'static str,
    sender: SyncSender<Message>,
    batch: Vec<Prepared>,
    items: Vec<PreparedItem>,
    previews_left: usize,
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

    fn send_items(&mut self) -> ControlFlow<()> {
        let items = std::mem::take(&mut self.items);
        if items.is_empty() { ControlFlow::Continue(()) } else { self.send(Message::Graph(items)) }
    }

    fn preview(&mut self, line: impl FnOnce() -> String) -> ControlFlow<()> {
        if self.previews_left == 0 {
            return ControlFlow::Continue(());
        }
        self.previews_left -= 1;
        self.send(Message::Preview(line()))
    }
}

impl Sink for Reading<'_> {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        let masked = importers::secrets::mask(evidence);
        for kind in masked.kinds() {
            self.send(Message::Masked(kind.to_string()))?;
        }
        let evidence = masked.get();
        self.preview(|| preview_of(evidence))?;
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

    fn graph(&mut self, item: GraphItem) -> ControlFlow<()> {
        self.send_batch()?;
        let item = PreparedItem::new(self.source, item);
        for kind in item.masked() {
            self.send(Message::Masked(kind.to_string()))?;
        }
        if let Some(summary) = item.summary() {
            self.preview(|| summary)?;
        }
        self.items.push(item);
        match self.items.len() >= GRAPH_BATCH_MAX {
            true => self.send_items(),
            false => ControlFlow::Continue(()),
        }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.send(Message::Problem(problem))
    }

    fn progress(&mut self, bytes: u64) {
        let _ = self.send(Message::Bytes(bytes));
    }
}
