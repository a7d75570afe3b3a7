//! What a process keeps in memory of a file, once, however many handles it has on it.
//!
//! A handle looks its file up when it is opened. Two handles share only if path, file and space are
//! the same, so a file that was put in the place of another has an index of its own. Nobody keeps
//! what nobody uses: the last handle that closes takes the index with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kernel::id::SpaceId;

use super::index::{FactFolder, Folder, shared::AllColumns};

/// What a process keeps in memory of the index of one file.
#[derive(Default)]
pub(super) struct SharedIndex {
    pub(super) columns: AllColumns,
    /// What helps the next fold. Only who holds the file's write lock takes it.
    folders: Mutex<Option<Folders>>,
}

/// What a fold of each index remembers for the next.
pub(super) struct Folders {
    pub(super) episodes: Folder,
    pub(super) facts: FactFolder,
}

impl SharedIndex {
    /// Takes what the last fold left; none if that is not known.
    pub(super) fn take_folders(&self) -> Option<Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Leaves what the next fold may use. To be called after its tables are committed.
    pub(super) fn put_folders(&self, folders: Folders) {
        *self.folders.lock().unwrap_or_else(PoisonError::into_inner) = Some(folders);
    }

    /// Gives up everything, since the views are made anew.
    pub(super) fn clear(&self) {
        self.take_folders();
        self.columns.clear();
    }
}

/// What tells a file from another of the same name. While a handle is open, the system gives the
/// number of its file to no other. Where there are no such numbers, an open file cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileIdentity {
    path: PathBuf,
    device: u64,
    number: u64,
}

impl FileIdentity {
    /// The file that is there now; none if it cannot be told.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let path = std::fs::canonicalize(path).ok()?;
        #[cfg(unix)]
        let (device, number) = {
            use std::os::unix::fs::MetadataExt;
            let metadata = std::fs::metadata(&path).ok()?;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let (device, number) = (0, 0);
        Some(Self { path, device, number })
    }
}

/// The indexes that are in use.
static IN_USE: Mutex<BTreeMap<(FileIdentity, SpaceId), Weak<SharedIndex>>> =
    Mutex::new(BTreeMap::new());

/// The index of a file: that of other handles on it, or a new one.
pub(super) fn index_of(file: FileIdentity, space: SpaceId) -> Arc<SharedIndex> {
    let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    in_use.retain(|_, index| index.strong_count() > 0);
    let slot = in_use.entry((file, space)).or_default();
    slot.upgrade().unwrap_or_else(|| {
        let index = Arc::new(SharedIndex::default());
        *slot = Arc::downgrade(&index);
        index
    })
}
