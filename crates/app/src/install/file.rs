//! A settings file: read as it is, replaced in one step.
//!
//! The host may be running and write its settings too. So the new text is written to a file beside
//! the old one and renamed over it, only if the old file is unchanged since it was read. A symbolic
//! link stays one, and its target keeps its permissions.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::Scope;
use crate::failure::Failure;

/// Settings are smaller; a larger file is something else.
const SETTINGS_BYTES_MAX: u64 = 64 << 20;

/// A settings file, which may not exist yet.
pub(super) struct Settings {
    /// The path of the text, links followed.
    path: PathBuf,
    /// Its text, if the file exists.
    text: Option<String>,
}

impl Settings {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let path = match fs::canonicalize(path) {
            Ok(path) => path,
            Err(error)
                if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_err() =>
            {
                path.to_owned()
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(refused(path, "it is a link to a file that does not exist"));
            }
            Err(source) => return Err(Failure::File { path: path.to_owned(), source }),
        };
        let text = read_text(&path)?;
        Ok(Self { path, text })
    }

    /// The text; empty if there is no file.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    pub(super) fn replace(&self, text: &str, scope: Scope) -> Result<(), Failure> {
        let file = |source| Failure::OutputFile { path: self.path.clone(), source };
        let folder = self
            .path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(file)?;
        let mut draft =
            tempfile::Builder::new().prefix(".because-").tempfile_in(folder).map_err(file)?;
        draft.write_all(text.as_bytes()).map_err(file)?;
        let permissions = match fs::metadata(&self.path) {
            Ok(metadata) => Some(metadata.permissions()),
            Err(_) => permissions_of_new(scope),
        };
        if let Some(permissions) = permissions {
            draft.as_file().set_permissions(permissions).map_err(file)?;
        }
        draft.as_file().sync_all().map_err(file)?;
        self.is_as_read()?;
        draft.persist(&self.path).map_err(|error| file(error.error))?;
        Ok(())
    }

    pub(super) fn remove(&self) -> Result<(), Failure> {
        self.is_as_read()?;
        fs::remove_file(&self.path)
            .map_err(|source| Failure::OutputFile { path: self.path.clone(), source })
    }

    fn is_as_read(&self) -> Result<(), Failure> {
        if read_text(&self.path)? == self.text {
            return Ok(());
        }
        Err(refused(&self.path, "another program has just changed it; try again"))
    }
}

fn refused(path: &Path, reason: &str) -> Failure {
    Failure::HostSettings { path: path.to_owned(), reason: reason.to_owned() }
}

fn read_text(path: &Path) -> Result<Option<String>, Failure> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Failure::File { path: path.to_owned(), source }),
    };
    let mut bytes = Vec::new();
    let read = file.take(SETTINGS_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|source| Failure::File { path: path.to_owned(), source })?;
    if bytes.len() as u64 > SETTINGS_BYTES_MAX {
        return Err(refused(path, "it is too large for a settings file"));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| refused(path, "it is not UTF-8"))
}

/// A project's settings are shared with everybody who works on it. A user's own may hold secrets
/// one day.
#[cfg(unix)]
fn permissions_of_new(scope: Scope) -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(fs::Permissions::from_mode(match scope {
        Scope::User => 0o600,
        Scope::Project => 0o644,
    }))
}

#[cfg(not(unix))]
fn permissions_of_new(_: Scope) -> Option<fs::Permissions> {
    None
}
