//! The configuration that a process has read, for as long as its files are as they were.
//!
//! A server needs it for every request. The environment and the options do not change while a
//! process runs, so only the files are looked at again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use store::sqlite::FileStamp;

use crate::configuration::{Configuration, FILE};
use crate::failure::Failure;
use crate::place::Home;

/// Most spaces whose configuration is kept.
const SPACES_MAX: usize = 64;

/// Configuration by the file of their space, shared by the sessions of a process.
#[derive(Clone, Default)]
pub(crate) struct KeptConfiguration(Arc<Mutex<BTreeMap<Option<PathBuf>, Kept>>>);

struct Kept {
    configuration: Arc<Configuration>,
    files: Stamps,
}

/// Of the home's file and the space's.
type Stamps = [Option<FileStamp>; 2];

impl KeptConfiguration {
    /// The configuration for a space, or without one: what was read before if no file changed.
    pub(super) fn of(
        &self,
        home: &Home,
        space: Option<&Path>,
        read: impl FnOnce() -> Result<Configuration, Failure>,
    ) -> Result<Arc<Configuration>, Failure> {
        let files = stamps(home, space);
        let key = space.map(Path::to_owned);
        if let Some(kept) = self.lock().get(&key).filter(|kept| kept.files == files) {
            return Ok(Arc::clone(&kept.configuration));
        }
        let configuration = Arc::new(read()?);
        // A change to a file that was changed a moment ago could not be told from that.
        let are_at_rest = files.iter().flatten().all(FileStamp::is_at_rest);
        if are_at_rest && files == stamps(home, space) {
            let mut kept = self.lock();
            if kept.len() >= SPACES_MAX {
                kept.clear();
            }
            kept.insert(key, Kept { configuration: Arc::clone(&configuration), files });
        }
        Ok(configuration)
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
    fn configuration_is_read_again_when_a_file_changes_appears_or_goes() {
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
        let one = session.configuration(None).unwrap();
        assert!(Arc::ptr_eq(&one, &session.clone().configuration(None).unwrap()));
        let kinds = || session.configuration(None).unwrap().recalled_from_home().len();
        let by_default = kinds();
        write("[cross_project_recall]\ninclude_kinds = []\n");
        assert_eq!(kinds(), 0);
        assert!(!Arc::ptr_eq(&one, &session.configuration(None).unwrap()));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(kinds(), by_default);
        std::fs::write(&file, "[cross_project_recall]\ninclude_kinds = []\n").unwrap();
        let (one, other) =
            (session.configuration(None).unwrap(), session.configuration(None).unwrap());
        assert!(!Arc::ptr_eq(&one, &other), "it was changed a moment ago");
    }
}
