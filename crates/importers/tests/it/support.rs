//! A sink that keeps everything, and sources in a temporary directory.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use importers::{Context, ImportError, Problem, Sink};
use kernel::evidence::Evidence;

/// Keeps what an importer finds; breaks after `records_max` records.
pub(crate) struct Collector {
    pub(crate) records: Vec<Evidence>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) bytes: u64,
    pub(crate) records_max: usize,
}

impl Collector {
    pub(crate) fn new() -> Self {
        Self { records: Vec::new(), problems: Vec::new(), bytes: 0, records_max: usize::MAX }
    }

    pub(crate) fn uids(&self) -> Vec<&str> {
        self.records.iter().map(|record| record.source_uid.as_str()).collect()
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.records.iter().map(|record| record.payload.text.as_str()).collect()
    }

    pub(crate) fn roles(&self) -> Vec<&str> {
        self.records.iter().map(|record| record.payload.role.as_deref().unwrap_or("-")).collect()
    }

    /// The problems as `line: message`.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let line = |problem: &Problem| problem.line.map_or("-".to_owned(), |line| line.to_string());
        self.problems.iter().map(|problem| format!("{}: {}", line(problem), problem.message)).collect()
    }
}

impl Sink for Collector {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        self.records.push(evidence);
        if self.records.len() >= self.records_max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems.push(problem);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, bytes: u64) {
        self.bytes += bytes;
    }
}

/// A directory of sources that goes away with the test.
pub(crate) struct Sources(tempfile::TempDir);

impl Sources {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

pub(crate) fn context() -> Context {
    Context { now: "2025-01-01T00:00:00Z".parse().unwrap(), zone: jiff::tz::TimeZone::UTC }
}

pub(crate) fn try_import(format: &str, path: &Path) -> Result<Collector, ImportError> {
    let mut collector = Collector::new();
    importers::by_name(format).unwrap().import(path, &context(), &mut collector)?;
    Ok(collector)
}

pub(crate) fn import(format: &str, path: &Path) -> Collector {
    try_import(format, path).unwrap()
}

pub(crate) fn import_error(format: &str, path: &Path) -> ImportError {
    try_import(format, path).err().expect("the import must fail")
}

pub(crate) fn detected(path: &Path) -> Option<&'static str> {
    importers::detect(path).unwrap().map(|importer| importer.name())
}

/// A zip archive of deflated entries.
pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (name, content) in entries {
        let file = archive.new_file(*name).compression_method(rawzip::CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().unwrap();
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
        let mut writer = config.wrap(encoder);
        std::io::Write::write_all(&mut writer, content).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}
