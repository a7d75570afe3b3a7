//! Mind Incarnation: the home of a program that keeps events, claims, nodes and edges as JSON
//! lines, each file only ever appended to.
//!
//! ```text
//! <home>/global/evidence.jsonl              events that all projects share
//! <home>/thoughtdb/global/claims.jsonl      claims, and retractions of claims
//!                         nodes.jsonl       nodes, and retractions of nodes
//!                         edges.jsonl       edges
//! <home>/projects/<id>/evidence.jsonl       events of a project
//! <home>/projects/<id>/thoughtdb/…          the same three files of a project
//! ```
//!
//! A source is such a home, the folder of one project, or the global folder. Events become evidence
//! and keep their ids as `source_uid`. They are streamed. Claims, nodes and edges are read whole
//! ([`GRAPH_BYTES_MAX`]) meanwhile, because what becomes of a text depends on later lines: see
//! [`arrange`]. They keep their ids and projects as tags, `mi:id:<id>` and
//! `mi:project:<id>`.
//!
//! Of several claims or nodes with one id the last line counts, as in the program itself. What does
//! not belong to the format (an unknown type, a window that ends before it begins) is reported with
//! its line and left out. `learned.jsonl`, indexes and transcripts are not read. Symbolic links
//! are not followed.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use kernel::evidence::Evidence;
use serde_json::{Map, Value};

use crate::files::problem;
use crate::graph::GraphItem;
use crate::input::{Input, format_error, read_head, without_bom};
use crate::json_stream::for_each_json_line;
use crate::secrets::without_secrets;
use crate::shape::Shape;
use crate::turn::{Repetitions, deliver};
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink};

mod arrange;
mod event;
mod fields;
mod layout;
mod record;

use layout::{Scope, scopes_of};
use record::{Graph, Place};

/// The importer of Mind Incarnation's homes.
pub(crate) struct MindIncarnation;

const NAME: &str = "mi";

/// The files of a graph, in the order in which they are read.
const GRAPH_FILES: [&str; 3] = ["claims.jsonl", "nodes.jsonl", "edges.jsonl"];
/// The file of events.
const EVENTS: &str = "evidence.jsonl";
/// Most bytes of claims, nodes and edges that one import holds in memory.
const GRAPH_BYTES_MAX: u64 = 1 << 30;
/// Problems of the graph that wait while events are sent.
const PROBLEMS_WAITING_MAX: usize = 256;
/// How often it is told how far the graph is read, once all events are sent.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// Most lines that are looked at to recognise a file.
const PROBE_LINES_MAX: usize = 10;

impl Importer for MindIncarnation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "a Mind Incarnation home: claims, nodes, edges and events (the home, a project or global)"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if !probe.is_dir {
            return Match::No;
        }
        let scopes = scopes_of(probe.path).unwrap_or_default();
        let files = scopes.iter().flat_map(Scope::files).filter(|file| file.is_file());
        let heads = files.take(8).filter_map(|file| read_head(&file).ok());
        heads.map(|head| recognise(&head)).max().unwrap_or(Match::No)
    }

    fn has_graph(&self) -> bool {
        true
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let io = |source| ImportError::Io { path: path.to_owned(), source };
        if !path.metadata().map_err(io)?.is_dir() {
            return Err(format_error(path, NAME, "it is a file: name the folder that it is in"));
        }
        let scopes = scopes_of(path).map_err(io)?;
        if !scopes.iter().flat_map(Scope::files).any(|file| file.symlink_metadata().is_ok()) {
            let reason = "it holds neither evidence.jsonl nor claims, nodes or edges where a home, a project or the global folder has them";
            return Err(format_error(path, NAME, reason));
        }
        check_size(path, &scopes)?;
        read_all(&scopes, sink).map(|_| ())
    }
}

/// Whether a file's first lines are those of a home.
fn recognise(head: &[u8]) -> Match {
    let lines = without_bom(head).split(|byte| *byte == b'\n').take(PROBE_LINES_MAX);
    let shapes = lines.map(Shape::of).filter(Shape::is_object);
    let known = |shape: &Shape| {
        let is_record = shape.has_any(&["claim_id", "node_id", "edge_id"])
            && shape.has_any(&["claim_type", "node_type", "edge_type", "kind"]);
        is_record || shape.has("event_id") && shape.has("kind")
    };
    match shapes.map(|shape| known(&shape)).max() {
        Some(true) => Match::Certain,
        _ => Match::No,
    }
}

/// Refuses graphs that do not fit into memory.
fn check_size(path: &Path, scopes: &[Scope]) -> Result<(), ImportError> {
    let sizes = scopes.iter().flat_map(Scope::graph_files);
    let bytes: u64 = sizes.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    if bytes <= GRAPH_BYTES_MAX {
        return Ok(());
    }
    let reason = format!(
        "its claims, nodes and edges have {bytes} bytes, more than {GRAPH_BYTES_MAX}: import its projects one by one"
    );
    Err(ImportError::TooLarge { path: path.to_owned(), reason })
}

/// Reads the graph on a thread of its own while the events are sent, since it is needed when all of
/// them are. What it reports follows them.
fn read_all(scopes: &[Scope], sink: &mut dyn Sink) -> Result<ControlFlow<()>, ImportError> {
    let bytes = &AtomicU64::new(0);
    std::thread::scope(|threads| {
        let (sender, problems) = sync_channel(PROBLEMS_WAITING_MAX);
        let reading =
            threads.spawn(move || read_graph(scopes, &mut Reports { problems: sender, bytes }));
        // Whenever this returns, the receiver is dropped, and the thread ends.
        if read_events(scopes, sink)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        loop {
            let waited = problems.recv_timeout(PROGRESS_EVERY);
            sink.progress(bytes.swap(0, Ordering::Relaxed));
            let flow = match waited {
                Ok(problem) => sink.problem(problem),
                Err(RecvTimeoutError::Timeout) => ControlFlow::Continue(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if flow.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        let items = match reading.join() {
            Ok(items) => items?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        for item in items {
            if sink.graph(item).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

fn read_events(scopes: &[Scope], sink: &mut dyn Sink) -> Result<ControlFlow<()>, ImportError> {
    let mut events = Events::default();
    for scope in scopes {
        if let Some(file) = &scope.events
            && read_lines(file, sink, |line, number, sink| {
                events.line(scope, file, line, number, sink)
            })?
            .is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The items of the graph in the order in which they are to be made; none if nobody waits for them
/// any more.
fn read_graph(scopes: &[Scope], reports: &mut Reports<'_>) -> Result<Vec<GraphItem>, ImportError> {
    let mut graph = Graph::default();
    for scope in scopes {
        for file in scope.graph_files() {
            let shared = Arc::new(file.clone());
            let mut before_us = i64::MIN;
            let flow = read_lines(&file, reports, |line, number, reports| {
                let place = Place { file: Arc::clone(&shared), line: number };
                match graph.line(scope, &place, line, &mut before_us) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(message) => reports.problem(place.problem(message)),
                }
            })?;
            if flow.is_break() {
                return Ok(Vec::new());
            }
        }
    }
    Ok(arrange::arrange(graph))
}

/// Receives what is reported while the graph is read. The bytes are counted and not sent one by
/// one: nobody takes them before all events are sent, and the reading would wait.
struct Reports<'a> {
    problems: SyncSender<Problem>,
    bytes: &'a AtomicU64,
}

impl Sink for Reports<'_> {
    /// The graph's files hold no events.
    fn evidence(&mut self, _: Evidence) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        match self.problems.send(problem) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn progress(&mut self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Passes each line of a file that reads as a JSON object to `each`. A file that cannot be read is
/// reported, and one that is not there is passed over.
fn read_lines(
    file: &Path,
    sink: &mut dyn Sink,
    mut each: impl FnMut(Map<String, Value>, u64, &mut dyn Sink) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ImportError> {
    match fs::symlink_metadata(file) {
        Err(_) => return Ok(ControlFlow::Continue(())),
        Ok(metadata) if metadata.is_symlink() => {
            return Ok(sink.problem(problem(file, "a symbolic link, which is not followed")));
        }
        Ok(metadata) if !metadata.is_file() => {
            return Ok(sink.problem(problem(file, "not a file, so it was not read")));
        }
        Ok(metadata) if metadata.len() == 0 => return Ok(ControlFlow::Continue(())),
        Ok(_) => {}
    }
    let input = match Input::open(file, NAME) {
        Ok(input) => input,
        Err(error) => return Ok(sink.problem(problem(file, error.to_string()))),
    };
    let report = |number, message| problem_in_line(file, number, message);
    for_each_json_line(input, NAME, sink, |value, number, sink| match value {
        Value::Object(fields) => each(fields, number, sink),
        _ => sink.problem(report(number, "not a JSON object".to_owned())),
    })
}

/// The events that were read.
#[derive(Default)]
struct Events {
    /// Ids, each as the beginning of its hash, with the same of the content.
    seen: HashMap<[u8; 16], [u8; 16]>,
    repetitions: Repetitions,
}

impl Events {
    fn line(
        &mut self,
        scope: &Scope,
        file: &Path,
        line: Map<String, Value>,
        number: u64,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let report = |message| problem_in_line(file, number, message);
        let content = short_hash(&Value::Object(line.clone()).to_string());
        let turn = match event::turn(scope, line, &mut self.repetitions) {
            Ok(turn) => turn,
            Err(message) => return sink.problem(report(message)),
        };
        match self.seen.insert(short_hash(&turn.uid), content) {
            None => deliver(NAME, turn, sink),
            Some(first) if first == content => ControlFlow::Continue(()),
            Some(first) => {
                self.seen.insert(short_hash(&turn.uid), first);
                let uid: String = without_secrets(&turn.uid).chars().take(80).collect();
                sink.problem(report(format!(
                    "the event {uid:?} is there already with another content; this line was left out"
                )))
            }
        }
    }
}

fn problem_in_line(file: &Path, number: u64, message: String) -> Problem {
    Problem { file: file.to_owned(), line: Some(number), message }
}

fn short_hash(text: &str) -> [u8; 16] {
    let mut short = [0; 16];
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes()).finalize_xof().fill(&mut short);
    short
}

/// Whether a folder has one of the files of a graph.
fn has_graph_file(folder: &Path) -> bool {
    GRAPH_FILES.iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// The names of the projects of a home: folders, in order. Links are not followed.
fn projects_in(folder: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)?.flatten().take(layout::PROJECTS_MAX) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}
