//! Which files belong to a source.

use std::io;
use std::path::{Path, PathBuf};

use kernel::evidence::Visibility;

use super::{EVENTS, GRAPH_FILES, has_graph_file, projects_in};

/// Most projects of a home.
pub(super) const PROJECTS_MAX: usize = 10_000;

/// One project, or what all projects share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    /// The project's id; none for what all share.
    pub(super) project: Option<String>,
    /// The file of events, if the source has it.
    pub(super) events: Option<PathBuf>,
    /// The folder of claims, nodes and edges, if the source has it.
    pub(super) graph: Option<PathBuf>,
}

impl Scope {
    fn global(home: &Path) -> Self {
        let folder = home.join("thoughtdb").join("global");
        let events = home.join("global").join(EVENTS);
        Self { project: None, events: Some(events), graph: Some(folder) }
    }

    fn project(name: String, folder: &Path) -> Self {
        let (events, graph) = (folder.join(EVENTS), folder.join("thoughtdb"));
        Self { project: Some(name), events: Some(events), graph: Some(graph) }
    }

    /// The files of its graph, whether or not they exist.
    pub(super) fn graph_files(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.graph.iter();
        folder.flat_map(|folder| GRAPH_FILES.iter().map(|name| folder.join(name)))
    }

    /// All its files, whether or not they exist.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.graph_files().chain(self.events.clone())
    }

    /// Who may see what says nothing about that.
    pub(super) fn visibility(&self) -> Visibility {
        match self.project {
            Some(_) => Visibility::Project,
            None => Visibility::Global,
        }
    }
}

/// The scopes of a folder: a home, a project's folder, or one that belongs to the global scope.
pub(super) fn scopes_of(path: &Path) -> io::Result<Vec<Scope>> {
    let here = std::fs::canonicalize(path)?;
    let name = |folder: &Path| folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let parent = here.parent().unwrap_or(&here);
    let is_named = |folder: &Path, wanted: &str| name(folder).as_deref() == Some(wanted);
    // `<home>/thoughtdb/global`, `<home>/global` and `<home>/thoughtdb`.
    if is_named(&here, "global") && is_named(parent, "thoughtdb") && has_graph_file(&here) {
        return Ok(vec![Scope::global(parent.parent().unwrap_or(parent))]);
    }
    if is_named(&here, "global") && here.join(EVENTS).is_file() {
        return Ok(vec![Scope::global(parent)]);
    }
    if is_named(&here, "thoughtdb") && has_graph_file(&here.join("global")) {
        return Ok(vec![Scope::global(parent)]);
    }
    // `<home>/projects/<id>/thoughtdb` and `<home>/projects/<id>`.
    if is_named(&here, "thoughtdb") && has_graph_file(&here) {
        let project = name(parent).unwrap_or_default();
        return Ok(vec![Scope::project(project, parent)]);
    }
    if has_graph_file(&here.join("thoughtdb")) || here.join(EVENTS).is_file() {
        return Ok(vec![Scope::project(name(&here).unwrap_or_default(), &here)]);
    }
    let mut scopes = vec![Scope::global(&here)];
    let projects = here.join("projects");
    if projects.is_dir() && !projects.is_symlink() {
        let found = projects_in(&projects)?;
        scopes.extend(found.into_iter().map(|(name, folder)| Scope::project(name, &folder)));
    }
    Ok(scopes)
}
