//! Folders of agents' transcripts: found, recognised and read file by file.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::input::{format_error, read_head};
use crate::{ImportError, Match, Problem, Sink, files};

/// How many transcripts of a folder are looked at to recognise it.
const PROBED_MAX: usize = 4;

/// Which files of a folder are transcripts.
pub(crate) struct Transcripts {
    /// The format's name.
    pub(crate) format: &'static str,
    /// The agent's own folder, and the folder in it that holds the transcripts.
    pub(crate) home: (&'static str, &'static str),
    /// Whether a file may be one, by its name.
    pub(crate) wanted: fn(&Path) -> bool,
    /// Whether its first bytes are of the format.
    pub(crate) recognise: fn(&[u8]) -> Match,
}

impl Transcripts {
    /// The agent's own folder holds settings and logs beside the transcripts.
    fn root(&self, path: &Path) -> PathBuf {
        let (name, inner) = self.home;
        let below = path.join(inner);
        let is_home = path.file_name().is_some_and(|found| found == name) && below.is_dir();
        if is_home { below } else { path.to_owned() }
    }

    /// A folder is of the format if at least half of its files are transcripts: a folder of all
    /// sorts is read file by file.
    pub(crate) fn recognise_folder(&self, path: &Path) -> Match {
        let root = self.root(path);
        let Ok(found) = files::glance(&root) else { return Match::No };
        let (wanted, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|file| (self.wanted)(file));
        if wanted.len() < others.len() {
            return Match::No;
        }
        let heads = wanted.iter().take(PROBED_MAX).filter_map(|file| read_head(file).ok());
        heads.map(|head| (self.recognise)(&head)).max().unwrap_or(Match::No)
    }

    /// Reads every transcript below the folder. One that cannot be read is a problem.
    pub(crate) fn import_folder(
        &self,
        path: &Path,
        sink: &mut dyn Sink,
        mut import: impl FnMut(&Path, &mut dyn Sink) -> Result<ControlFlow<()>, ImportError>,
    ) -> Result<(), ImportError> {
        let found = files::walk(&self.root(path), self.wanted)?;
        for trouble in found.problems {
            if sink.problem(trouble).is_break() {
                return Ok(());
            }
        }
        if found.files.is_empty() {
            return Err(format_error(path, self.format, "the folder holds no transcript"));
        }
        for file in found.files {
            let flow = match import(&file, sink) {
                Ok(flow) => flow,
                Err(error) => {
                    sink.problem(Problem { file, line: None, message: error.to_string() })
                }
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }
}
