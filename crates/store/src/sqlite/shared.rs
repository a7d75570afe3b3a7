//! What a process keeps in memory for one file, shared by all its handles.
//!
//! Opening a handle looks the file up in a registry. Two handles share only if path, file and space
//! are the same, so a file that replaced another has an index of its own. The registry holds weak
//! references: the index goes with the last handle.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kernel::id::SpaceId;
use retrieval::text::Analyzer;

use super::index::shared::AllColumns;
use super::index::thoughts::ThoughtShared;
use super::registry::ViewFolder;

/// Most idle analysers that are kept. A search that finds none makes one.
const ANALYZERS_KEPT_MAX: usize = 8;

/// What a process keeps in memory of the index of one file.
#[derive(Default)]
pub(super) struct SharedIndex {
    pub(super) columns: AllColumns,
    /// What the next fold reuses. Taken only under the file's write lock.
    folders: Mutex<Option<Folders>>,
    /// Analysers that no search is using.
    analyzers: Mutex<Vec<Analyzer>>,
    /// What searches of thoughts found out.
    pub(super) thoughts: ThoughtShared,
    /// Writers that have said that they will fold.
    folding: AtomicUsize,
}

/// That a writer of this process will fold what is appended. Readers leave it to it until this is
/// dropped.
#[must_use]
pub struct WillFold(Arc<SharedIndex>);

impl WillFold {
    pub(super) fn of(index: &Arc<SharedIndex>) -> Self {
        index.folding.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(index))
    }
}

impl Drop for WillFold {
    fn drop(&mut self) {
        self.0.folding.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The folders of the lagging views, with what they cache for the next fold.
pub(super) type Folders = Vec<Box<dyn ViewFolder>>;

impl SharedIndex {
    /// Whether a writer of this process is about to fold.
    pub(super) fn is_about_to_be_folded(&self) -> bool {
        self.folding.load(Ordering::Relaxed) > 0
    }

    /// Takes the folders that the last fold left, if any.
    pub(super) fn take_folders(&self) -> Option<Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps what the next fold reuses. Call it only after the fold is committed.
    pub(super) fn put_folders(&self, folders: Folders) {
        *self.folders.lock().unwrap_or_else(PoisonError::into_inner) = Some(folders);
    }

    /// Takes an idle analyser, which caches the words of earlier questions.
    pub(super) fn take_analyzer(&self) -> Option<Analyzer> {
        self.analyzers.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Returns an analyser.
    pub(super) fn put_analyzer(&self, analyzer: Analyzer) {
        let mut analyzers = self.analyzers.lock().unwrap_or_else(PoisonError::into_inner);
        if analyzers.len() < ANALYZERS_KEPT_MAX {
            analyzers.push(analyzer);
        }
    }

    /// Drops everything, because the views are rebuilt.
    pub(super) fn clear(&self) {
        self.take_folders();
        self.analyzers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.columns.clear();
        self.thoughts.clear();
    }
}

/// Distinguishes a file from another one of the same name. The system does not reuse a file's
/// number while a handle on it is open. On systems without such numbers an open file cannot be
/// replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileNumber {
    device: u64,
    number: u64,
}

impl FileNumber {
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (device, number) = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let (device, number) = {
            let _ = metadata;
            (0, 0)
        };
        Self { device, number }
    }
}

/// A file by its path and number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileIdentity {
    path: PathBuf,
    number: FileNumber,
}

impl FileIdentity {
    /// The file at a path; none if it cannot be determined.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let path = std::fs::canonicalize(path).ok()?;
        let number = FileNumber::of(&std::fs::metadata(&path).ok()?);
        Some(Self { path, number })
    }
}

/// What the handles of a process share, by what it is of, as long as one of them has it.
pub(super) struct InUse<K, V>(Mutex<BTreeMap<K, Weak<V>>>);

impl<K: Ord, V: Default> InUse<K, V> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// What other handles have, or a new one.
    pub(super) fn share(&self, key: K) -> Arc<V> {
        let mut in_use = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|_, shared| shared.strong_count() > 0);
        let slot = in_use.entry(key).or_default();
        slot.upgrade().unwrap_or_else(|| {
            let shared = Arc::default();
            *slot = Arc::downgrade(&shared);
            shared
        })
    }
}

static INDEXES: InUse<(FileIdentity, SpaceId), SharedIndex> = InUse::new();

/// The index of a file: that of other handles on it, or a new one.
pub(super) fn index_of(file: FileIdentity, space: SpaceId) -> Arc<SharedIndex> {
    INDEXES.share((file, space))
}
