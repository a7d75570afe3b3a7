//! The settings that a process has read, for as long as their files are as they were.
//!
//! A server needs them for every request. The environment and the options do not change while a
//! process runs, so only the files are looked at again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use store::sqlite::FileStamp;

use crate::failure::Failure;
use crate::place::Home;
use crate::settings::{FILE, Settings};

/// Most spaces whose settings are kept.
const SPACES_MAX: usize = 64;

/// Settings by the file of their space, shared by the sessions of a process.
#[derive(Clone, Default)]
pub(crate) struct KeptSettings(Arc<Mutex<BTreeMap<Option<PathBuf>, Kept>>>);

struct Kept {
    settings: Arc<Settings>,
    files: Stamps,
}

/// Of the home's file and the space's.
type Stamps = [Option<FileStamp>; 2];

impl KeptSettings {
    /// The settings for a space, or without one: those that were read before if no file changed.
    pub(super) fn of(
        &self,
        home: &Home,
        space: Option<&Path>,
        read: impl FnOnce() -> Result<Settings, Failure>,
    ) -> Result<Arc<Settings>, Failure> {
        let files = stamps(home, space);
        let key = space.map(Path::to_owned);
        if let Some(kept) = self.lock().get(&key).filter(|kept| kept.files == files) {
            return Ok(Arc::clone(&kept.settings));
        }
        let settings = Arc::new(read()?);
        // A change to a file that was changed a moment ago could not be told from that.
        let are_at_rest = files.iter().flatten().all(FileStamp::is_at_rest);
        if are_at_rest && files == stamps(home, space) {
            let mut kept = self.lock();
            if kept.len() >= SPACES_MAX {
                kept.clear();
            }
            kept.insert(key, Kept { settings: Arc::clone(&settings), files });
        }
        Ok(settings)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Option<PathBuf>, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamps(home: &Home, space: Option<&Path>) -> Stamps {
    let beside = space.and_then(Path::parent).map(|folder| folder.join(FILE));
    [FileStamp::of(&home.folder().join(FILE)), beside.and_then(|file| FileStamp::of(&file))]
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::service::Session;

    #[test]
    fn settings_are_read_again_when_a_file_changes_appears_or_goes() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::in_folder(folder.path());
        let file = session.home.folder().join(FILE);
        std::fs::create_dir_all(session.home.folder()).unwrap();
        let write = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let file = std::fs::File::options().write(true).open(&file).unwrap();
            // As if it had been written an hour ago.
            file.set_modified(SystemTime::now() - Duration::from_secs(3_600)).unwrap();
        };
        let one = session.settings(None).unwrap();
        assert!(Arc::ptr_eq(&one, &session.clone().settings(None).unwrap()));
        let kinds = || session.settings(None).unwrap().recalled_from_home().len();
        let by_default = kinds();
        write("[cross_project_recall]\ninclude_kinds = []\n");
        assert_eq!(kinds(), 0);
        assert!(!Arc::ptr_eq(&one, &session.settings(None).unwrap()));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(kinds(), by_default);
        std::fs::write(&file, "[cross_project_recall]\ninclude_kinds = []\n").unwrap();
        let (one, other) = (session.settings(None).unwrap(), session.settings(None).unwrap());
        assert!(!Arc::ptr_eq(&one, &other), "it was changed a moment ago");
    }
}
