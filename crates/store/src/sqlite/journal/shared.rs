//! The one connection of a process to a journal.
//!
//! Handles on a space share it. SQLite drops a connection's pages when another one has written, and
//! every retrieval writes: with a connection for each handle nearly every page would be read anew.
//! It is used by one thread at a time, for as long as a query or a transaction takes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use kernel::id::SpaceId;
use rusqlite::Connection;

use crate::sqlite::Mode;

/// An open journal.
pub(super) struct Open {
    pub(super) connection: Connection,
    /// The file, to notice that it was deleted or replaced; none in memory.
    pub(super) file: Option<FileNumber>,
}

/// Tells a file from another one of its name. On systems without such numbers an open file cannot
/// be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileNumber {
    device: u64,
    number: u64,
}

impl FileNumber {
    /// Of the file, or link, at a path.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::symlink_metadata(path).ok()?;
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
        Some(Self { device, number })
    }
}

/// A journal of this process, which may not be open yet.
#[derive(Clone, Default)]
pub(super) struct SharedJournal(Arc<Mutex<Option<Open>>>);

/// Journals in use, each with whether it is only read.
type InUse = BTreeMap<(PathBuf, SpaceId, bool), Weak<Mutex<Option<Open>>>>;

static IN_USE: Mutex<InUse> = Mutex::new(BTreeMap::new());

impl SharedJournal {
    /// The journal at a path: that of other handles, or a new one.
    pub(super) fn at(path: &Path, space: SpaceId, mode: Mode) -> Self {
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|_, journal| journal.strong_count() > 0);
        let key = (path.to_owned(), space, mode == Mode::ReadOnly);
        let slot = in_use.entry(key).or_default();
        Self(slot.upgrade().unwrap_or_else(|| {
            let journal = Arc::default();
            *slot = Arc::downgrade(&journal);
            journal
        }))
    }

    /// Waits until no other thread uses it.
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread that panicked may have left a transaction.
        if let Some(Open { connection, .. }) = open.as_ref()
            && !connection.is_autocommit()
        {
            let _ = connection.execute_batch("ROLLBACK");
        }
        open
    }
}
