//! A folder of all sorts: each file by its own format, however deep it lies.
//!
//! A folder within that belongs to one format as a whole (a repository, a vault, an unpacked
//! export) is handed to that format ([`Importer::claims_folder`]). A file that no format knows, or
//! that its format cannot read, is a problem, and the next one is read. Plain text is what is named
//! so: code and settings in a folder are not somebody's words.
//!
//! Names that identify records are relative to the folder ([`Context::root`]), so that notes of one
//! name in two folders stay apart.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::files::{self, has_extension, problem};
use crate::input::format_error;
use crate::markdown::{self, Markdown};
use crate::photo::{self, Photo};
use crate::text::Text;
use crate::{Context, ImportError, Importer, Match, Probe, Sink, detect_among, registry};

/// The importer of mixed folders.
pub(crate) struct Folder;

const NAME: &str = "folder";
/// Extensions of plain text, and of chats in archives and Markdown.
const TEXT: [&str; 5] = ["txt", "text", "log", "zip", "md"];

impl Importer for Folder {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "a folder of all sorts: each file by its own format"
    }

    /// A folder is of all sorts unless its files are all of one format that reads folders too, such
    /// as notes or photos.
    fn detect(&self, probe: &Probe<'_>) -> Match {
        if !probe.is_dir {
            return Match::No;
        }
        let claimed = claims(probe.path);
        let Ok(found) = files::glance(probe.path) else { return Match::No };
        let mut formats = BTreeSet::new();
        for file in found {
            formats.extend(format_by_name(&file).or_else(|| format_of(&file).map(Importer::name)));
            if formats.len() > 1 {
                return Match::Likely;
            }
        }
        let alone = formats.first().and_then(|format| crate::by_name(format));
        let is_of_one = alone.is_some_and(|importer| importer.detect(probe) != Match::No);
        match !claimed && !formats.is_empty() && !is_of_one {
            true => Match::Likely,
            false => Match::No,
        }
    }

    fn import(
        &self,
        path: &Path,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        if path.is_file() {
            return Err(format_error(path, NAME, "it is a file"));
        }
        let root = context.root.clone().unwrap_or_else(|| path.to_owned());
        let context = Context { root: Some(root), ..context.clone() };
        let found = files::walk_apart(path, claims)?;
        for trouble in found.walk.problems {
            if sink.problem(trouble).is_break() {
                return Ok(());
            }
        }
        let sidecars = Sidecars::among(&found.walk.files);
        let mut sources = found.walk.files;
        sources.extend(found.apart);
        sources.sort();
        for source in sources {
            if sidecars.used.contains(&source) {
                continue;
            }
            if import_one(&source, &context, &sidecars, sink).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Imports the files of a folder that are of one format. One that cannot be read is a problem.
pub(crate) fn import_each(
    importer: &dyn Importer,
    found: files::Walk,
    context: &Context,
    sink: &mut dyn Sink,
) {
    for trouble in found.problems {
        if sink.problem(trouble).is_break() {
            return;
        }
    }
    for file in found.files {
        if import_whole(importer, &file, context, sink).is_break() {
            return;
        }
    }
}

/// Imports a source of a folder.
fn import_whole(
    importer: &dyn Importer,
    source: &Path,
    context: &Context,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    let mut watched = Watched { sink, broken: false };
    let read = importer.import(source, context, &mut watched);
    match (watched.broken, read) {
        (true, _) => ControlFlow::Break(()),
        (false, Ok(())) => ControlFlow::Continue(()),
        (false, Err(error)) => sink.problem(problem(source, error.to_string())),
    }
}

/// Whether some format takes the folder as a whole.
fn claims(folder: &Path) -> bool {
    registry().iter().any(|importer| importer.claims_folder(folder))
}

/// The format of files whose extension says it, so that a folder is recognised without opening
/// every note and photo.
fn format_by_name(file: &Path) -> Option<&'static str> {
    if has_extension(file, &markdown::EXTENSIONS) {
        return Some(Markdown.name());
    }
    has_extension(file, &photo::EXTENSIONS).then(|| Photo.name())
}

/// The importer of one file or claimed folder.
fn format_of(path: &Path) -> Option<&'static dyn Importer> {
    // A claimed folder is never of all sorts.
    let importer = detect_among(path, |importer| importer.name() != NAME).ok()??;
    let is_text = importer.name() != Text.name() || has_extension(path, &TEXT);
    is_text.then_some(importer)
}

fn import_one(
    source: &Path,
    context: &Context,
    sidecars: &Sidecars,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    if has_extension(source, &photo::EXTENSIONS) && source.is_file() {
        let name = context.name_of(source, source);
        return photo::import_photo(source, name, sidecars.beside(source), sink);
    }
    let Some(importer) = format_of(source) else {
        return sink.problem(problem(source, "of no format that is understood; it was left out"));
    };
    if importer.has_graph() {
        let message = "it holds claims and edges of another program: import it by itself";
        return sink.problem(problem(source, message));
    }
    import_whole(importer, source, context, sink)
}

/// Passes everything on, and notes whether the receiver wants no more: importers do not say why
/// they stopped.
struct Watched<'a> {
    sink: &'a mut dyn Sink,
    broken: bool,
}

impl Sink for Watched<'_> {
    fn evidence(&mut self, evidence: kernel::evidence::Evidence) -> ControlFlow<()> {
        let flow = self.sink.evidence(evidence);
        self.broken |= flow.is_break();
        flow
    }
    fn graph(&mut self, item: crate::graph::GraphItem) -> ControlFlow<()> {
        let flow = self.sink.graph(item);
        self.broken |= flow.is_break();
        flow
    }
    fn problem(&mut self, problem: crate::Problem) -> ControlFlow<()> {
        let flow = self.sink.problem(problem);
        self.broken |= flow.is_break();
        flow
    }
    fn progress(&mut self, bytes: u64) {
        self.sink.progress(bytes);
    }
}

/// The JSON files that describe photos, by folder.
#[derive(Default)]
struct Sidecars {
    names: BTreeMap<PathBuf, BTreeSet<String>>,
    none: BTreeSet<String>,
    /// Those that some photo has.
    used: BTreeSet<PathBuf>,
}

impl Sidecars {
    fn among(files: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for file in files.iter().filter(|file| has_extension(file, &["json"])) {
            if let (Some(folder), Some(name)) = (file.parent(), file.file_name()) {
                let names = found.names.entry(folder.to_owned()).or_default();
                names.insert(name.to_string_lossy().into_owned());
            }
        }
        for file in files.iter().filter(|file| has_extension(file, &photo::EXTENSIONS)) {
            let used = photo::sidecar_of(file, found.beside(file));
            found.used.extend(used);
        }
        found
    }

    fn beside(&self, photo: &Path) -> &BTreeSet<String> {
        photo.parent().and_then(|folder| self.names.get(folder)).unwrap_or(&self.none)
    }
}
