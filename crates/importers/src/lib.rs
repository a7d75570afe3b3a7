//! Bytes to evidence: one module a format.
//!
//! An [`Importer`] recognises its format from a path and the first bytes ([`Importer::detect`]) and
//! streams [`Evidence`] into a [`Sink`] ([`Importer::import`]). It never keeps a whole large file
//! in memory, gives every record a `source_uid` that is the same at the next import of the same
//! file, and reports an item it cannot read as a [`Problem`] with file and line while it imports
//! the rest. Only a source that cannot be read at all is an [`ImportError`].
//!
//! Importers do not read the clock: the time and the time zone come in through [`Context`].

mod archive;
mod blocks;
mod bounded_lines;
mod charset;
mod chat_jsonl;
mod chatgpt;
mod claude_code;
mod claude_export;
mod codex;
mod dates;
mod files;
mod folder;
mod gemini;
mod git;
pub mod graph;
mod html;
pub mod ical;
mod input;
mod json_stream;
mod json_walk;
mod lists;
mod locomo;
mod mail;
pub mod markdown;
mod mi;
mod passages;
pub mod photo;
pub mod project;
pub mod secrets;
mod shape;
mod signal;
mod slack;
mod telegram;
pub mod text;
mod time;
mod transcripts;
mod turn;
mod zipped;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kernel::evidence::Evidence;

/// What an importer looks at to recognise a source.
pub struct Probe<'a> {
    /// The path as given.
    pub path: &'a Path,
    /// True for a directory.
    pub is_dir: bool,
    /// The first bytes of a file, at most [`PROBE_BYTES`]; empty for a directory.
    pub head: &'a [u8],
}

/// How many bytes of a file an importer may look at to recognise it.
pub const PROBE_BYTES: usize = 64 * 1024;

/// How sure an importer is that a source is of its format. The surest wins; between equals, the
/// earlier in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// Not this format.
    No,
    /// Could be read, but so could almost anything (plain text).
    Fallback,
    /// The name says so, or the content looks like it.
    Likely,
    /// The content says so.
    Certain,
}

/// The time and place of an import.
#[derive(Clone, Debug)]
pub struct Context {
    /// The time of the import.
    pub now: jiff::Timestamp,
    /// The zone of local times that are written without one.
    pub zone: jiff::tz::TimeZone,
    /// What the first number of `2/6/2025` is, where a file does not show it.
    pub day_order: Option<DayOrder>,
    /// The folder that is imported, of which a source is a part. Names of files that identify
    /// records are relative to it.
    pub root: Option<PathBuf>,
    /// An empty folder in which archives may be unpacked. Without one, those of all sorts are not
    /// read.
    pub scratch: Option<PathBuf>,
    /// The archive that was unpacked to `root`, by its name in the folder that holds it; empty if
    /// it was imported by itself.
    pub archive: Option<String>,
    /// The name by which the import is recorded, if its path says nothing to anybody.
    pub name: Option<String>,
}

impl Context {
    /// The context of an import at this time, in this zone.
    pub fn new(now: jiff::Timestamp, zone: jiff::tz::TimeZone) -> Self {
        Self { now, zone, day_order: None, root: None, scratch: None, archive: None, name: None }
    }

    /// The name of a file that identifies its records: relative to the folder that is imported, or
    /// to the source.
    pub(crate) fn name_of(&self, file: &Path, source: &Path) -> String {
        let name = files::relative_name(file, self.root.as_deref().unwrap_or(source));
        match &self.archive {
            Some(archive) if !archive.is_empty() => format!("{archive}/{name}"),
            _ => name,
        }
    }
}

/// Which number of a date such as `2/6/2025` is the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayOrder {
    /// The first.
    DayFirst,
    /// The second.
    MonthFirst,
}

/// Receives what an importer reads.
pub trait Sink {
    /// Takes one record. On `Break` the importer stops and returns `Ok`.
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()>;
    /// Takes a change of the graph of records, after the evidence that it cites. A sink that reads
    /// evidence alone ignores it.
    fn graph(&mut self, _: graph::GraphItem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Takes the report of one item that could not be read.
    fn problem(&mut self, problem: Problem) -> ControlFlow<()>;
    /// Says how many more bytes of the source have been read, for the progress bar.
    fn progress(&mut self, bytes: u64);
}

/// Discards what a reading finds that only looks around.
pub(crate) struct Discard;

impl Sink for Discard {
    fn evidence(&mut self, _: Evidence) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn progress(&mut self, _: u64) {}
}

/// An item that could not be read. The rest of the source was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, and `#entry` within an archive.
    pub file: PathBuf,
    /// Line, counted from 1, where the format has lines.
    pub line: Option<u64>,
    /// What is wrong and what to do.
    pub message: String,
}

/// How the message of a [`Problem`] ends that a [`Context`] with the order of day and month would
/// have avoided.
pub const SAY_DAY_ORDER: &str = "import it again and say which most dates have first";

/// Why a source could not be imported at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The operating system refused to read it.
    #[error("cannot read {}: {}", path.display(), in_words(source))]
    Io {
        /// What was read.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The bytes are not of the format.
    #[error("{} is not {format}: {reason}", path.display())]
    Format {
        /// What was read.
        path: PathBuf,
        /// The format that was expected.
        format: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// A limit was exceeded.
    #[error("{} is too large: {reason}", path.display())]
    TooLarge {
        /// What was read.
        path: PathBuf,
        /// Which limit, and how to stay within it.
        reason: String,
    },
}

impl ImportError {
    /// What was read.
    pub fn path(&self) -> &Path {
        let (Self::Io { path, .. } | Self::Format { path, .. } | Self::TooLarge { path, .. }) =
            self;
        path
    }
}

/// The system's reason. If the path is a folder, says what to do instead.
fn in_words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::IsADirectory => {
            "it is a folder, and this format is read from files: name a file".to_owned()
        }
        _ => error.to_string(),
    }
}

/// One format.
pub trait Importer: Sync {
    /// The format's name, as `--format` takes it.
    fn name(&self) -> &'static str;
    /// One line for `--help`.
    fn describe(&self) -> &'static str;
    /// How sure this importer is of a source. For a file it decides by the name and the first bytes
    /// alone; for a directory or an archive, by a bounded look inside.
    fn detect(&self, probe: &Probe<'_>) -> Match;
    /// Whether a folder within another belongs to this format as a whole, where each file is read
    /// by its own format otherwise. Decided by a bounded look inside.
    fn claims_folder(&self, _: &Path) -> bool {
        false
    }
    /// Whether sources may hold claims, nodes and edges beside evidence ([`Sink::graph`]).
    fn has_graph(&self) -> bool {
        false
    }
    /// Whether a source holds everything that it stands for, so that what it no longer has was
    /// deleted there. An extract, or a log that is cut off at its beginning, does not.
    fn is_mirrorable(&self) -> bool {
        false
    }
    /// Whether its sources are mail or conversations among people, in which only a name tells what
    /// the owner of the memory wrote.
    fn is_between_people(&self) -> bool {
        false
    }
    /// Streams the source's records into `sink`, in the source's order.
    fn import(
        &self,
        path: &Path,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError>;
}

/// Every importer, in the order in which detection asks them.
#[rustfmt::skip] // One line each.
pub fn registry() -> &'static [&'static dyn Importer] {
    &[
        &locomo::Locomo,
        &mi::MindIncarnation,
        &claude_code::ClaudeCode,
        &codex::Codex,
        &gemini::Gemini,
        &chatgpt::ChatGpt,
        &claude_export::ClaudeExport,
        &telegram::Telegram,
        &slack::Slack,
        &signal::Signal,
        &chat_jsonl::ChatJsonl,
        &ical::Ical,
        &mail::Mbox,
        &git::Git,
        &folder::Folder,
        &zipped::Zipped,
        &markdown::Markdown,
        &photo::Photo,
        &text::Text,
    ]
}

/// The importer with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Importer> {
    registry().iter().copied().find(|importer| importer.name() == name)
}

/// The importer that is surest of the source at `path`; `None` if no importer recognises it.
///
/// Fails only if the source cannot be read.
pub fn detect(path: &Path) -> Result<Option<&'static dyn Importer>, ImportError> {
    detect_among(path, |_| true)
}

/// As [`detect`], among the importers that are `eligible`.
pub fn detect_among(
    path: &Path,
    eligible: impl Fn(&dyn Importer) -> bool,
) -> Result<Option<&'static dyn Importer>, ImportError> {
    let io = |source| ImportError::Io { path: path.to_owned(), source };
    let is_dir = path.metadata().map_err(io)?.is_dir();
    let head = if is_dir { Vec::new() } else { input::read_head(path).map_err(io)? };
    Ok(surest(&Probe { path, is_dir, head: &head }, eligible))
}

/// The importer that is surest of a source, among those that are `eligible`.
fn surest(
    probe: &Probe<'_>,
    eligible: impl Fn(&dyn Importer) -> bool,
) -> Option<&'static dyn Importer> {
    let mut best = None;
    let mut best_match = Match::No;
    for importer in registry().iter().filter(|importer| eligible(**importer)) {
        let found = importer.detect(probe);
        if found > best_match {
            best = Some(*importer);
            best_match = found;
        }
    }
    best
}

/// Whether a folder or an archive with the export of a chat program holds files of other formats,
/// too, so that it is of all sorts. Pictures belong to an export.
pub(crate) fn is_mixed(export: &Probe<'_>, chosen: &dyn Importer) -> bool {
    if export.is_dir {
        let others = others_in(export.path, chosen).unwrap_or_default();
        return others.keys().any(|format| *format != photo::Photo.name());
    }
    let own = [chosen.name(), photo::Photo.name(), text::Text.name()];
    archive::is_zip(export.head)
        && archive::any_file(export.path, OTHERS_LOOKED_AT_MAX, |path, head| {
            let found = surest(&Probe { path, is_dir: false, head }, |_| true);
            found.is_some_and(|importer| !own.contains(&importer.name()))
        })
}

/// Most files that [`others_in`] looks at.
const OTHERS_LOOKED_AT_MAX: usize = 2_000;

/// Counts, by format, the files in a folder that belong to other formats than `chosen`, which its
/// importer silently skips. Plain text does not count, since anything could be plain text. Looks at
/// the first [`OTHERS_LOOKED_AT_MAX`] files.
pub fn others_in(
    folder: &Path,
    chosen: &dyn Importer,
) -> Result<BTreeMap<&'static str, usize>, ImportError> {
    let mut others = BTreeMap::new();
    if !folder.is_dir() {
        return Ok(others);
    }
    for path in files::walk(folder, |_| true)?.files.into_iter().take(OTHERS_LOOKED_AT_MAX) {
        // The importer itself reports a file that cannot be read.
        let Ok(Some(importer)) = detect(&path) else { continue };
        if importer.name() != chosen.name() && importer.name() != text::Text.name() {
            *others.entry(importer.name()).or_default() += 1;
        }
    }
    Ok(others)
}
