//! A zip archive of all sorts: what was downloaded from a service, or a folder that somebody
//! packed.
//!
//! It is unpacked to the scratch folder ([`Context::scratch`]), which is emptied again, and
//! imported as that folder is. Records have the same names as those of the folder, so that an
//! archive and what it was packed from are one source. Archives within it are named as not opened.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kernel::evidence::Evidence;

use crate::archive::{LIMITS, entry_path, is_zip, unpack};
use crate::files::{has_extension, relative_name};
use crate::graph::GraphItem;
use crate::input::format_error;
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink, detect};

/// The importer of archives of all sorts.
pub(crate) struct Zipped;

const NAME: &str = "zip";
/// Most folders of the scratch folder that are tried.
const FOLDERS_MAX: usize = 1_000;

impl Importer for Zipped {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "a zip archive of all sorts: each file in it by its own format"
    }

    /// Documents of office programs are zip archives, too, under other names.
    fn detect(&self, probe: &Probe<'_>) -> Match {
        let is_archive = !probe.is_dir && is_zip(probe.head);
        match is_archive && has_extension(probe.path, &[NAME]) {
            true => Match::Fallback,
            false => Match::No,
        }
    }

    fn import(
        &self,
        path: &Path,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        if context.archive.is_some() {
            return Err(format_error(path, NAME, "an archive within an archive is not opened"));
        }
        let Some(scratch) = &context.scratch else {
            let reason = "there is no place to unpack it: unpack it and import the folder";
            return Err(format_error(path, NAME, reason));
        };
        let unpacked = Unpacked::new(scratch)?;
        let bytes = unpack(path, NAME, LIMITS, &unpacked.0, sink)?;
        let within = Context {
            root: Some(unpacked.0.clone()),
            archive: Some(match &context.root {
                Some(root) => relative_name(path, root),
                None => String::new(),
            }),
            ..context.clone()
        };
        let packed = path.metadata().map_or(0, |file| file.len());
        let mut renamed =
            Renamed { sink, folder: &unpacked.0, archive: path, share: (packed, bytes), read: 0 };
        let read = match detect(&unpacked.0)? {
            Some(importer) if importer.has_graph() => Err(
                "it holds claims and edges of another program: unpack it and import it by itself"
                    .to_owned(),
            ),
            Some(importer) => importer
                .import(&unpacked.0, &within, &mut renamed)
                .map_err(|error| renamed.in_words(&error.to_string())),
            None => Err("nothing in it is of a format that is understood".to_owned()),
        };
        read.map_err(|reason| format_error(path, NAME, reason))
    }
}

/// A folder of unpacked files, which is removed when dropped.
struct Unpacked(PathBuf);

impl Unpacked {
    fn new(scratch: &Path) -> Result<Self, ImportError> {
        let mut made = Ok(());
        for number in 0..FOLDERS_MAX {
            let folder = scratch.join(format!("unpacked-{number}"));
            made = std::fs::create_dir(&folder);
            match &made {
                Ok(()) => return Ok(Self(folder)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(_) => break,
            }
        }
        let source = made.err().unwrap_or_else(|| std::io::ErrorKind::AlreadyExists.into());
        Err(ImportError::Io { path: scratch.to_owned(), source })
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        // The scratch folder goes as a whole after this.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Passes everything on. Problems name the archive instead of the folder to which it is unpacked,
/// and progress is that of the archive's bytes.
struct Renamed<'a> {
    sink: &'a mut dyn Sink,
    folder: &'a Path,
    archive: &'a Path,
    /// Bytes of the archive, and of what came out of it.
    share: (u64, u64),
    /// Bytes that were read since the last report, times those of the archive.
    read: u64,
}

impl Renamed<'_> {
    fn name(&self, file: &Path) -> PathBuf {
        match file.strip_prefix(self.folder) {
            Ok(below) if below.as_os_str().is_empty() => self.archive.to_owned(),
            Ok(_) => entry_path(self.archive, &relative_name(file, self.folder)),
            Err(_) => file.to_owned(),
        }
    }

    /// A message that may name files.
    fn in_words(&self, message: &str) -> String {
        let folder = self.folder.to_string_lossy();
        let archive = self.archive.to_string_lossy();
        let entry = [format!("{folder}/"), format!("{folder}\\")];
        let message = message.replace(&entry[0], &format!("{archive}#"));
        message.replace(&entry[1], &format!("{archive}#")).replace(&*folder, &archive)
    }
}

impl Sink for Renamed<'_> {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        self.sink.evidence(evidence)
    }

    fn graph(&mut self, item: GraphItem) -> ControlFlow<()> {
        self.sink.graph(item)
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        let (file, message) = (self.name(&problem.file), self.in_words(&problem.message));
        self.sink.problem(Problem { file, message, ..problem })
    }

    fn progress(&mut self, bytes: u64) {
        let (packed, unpacked) = self.share;
        self.read = self.read.saturating_add(bytes.saturating_mul(packed));
        let whole = self.read.checked_div(unpacked).unwrap_or(0);
        self.read = self.read.saturating_sub(whole.saturating_mul(unpacked));
        self.sink.progress(whole);
    }
}
