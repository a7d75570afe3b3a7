//! The one connection of a process to a journal.
//!
//! Handles on a space share it. SQLite drops a connection's pages when another one has written, and
//! every retrieval writes: with a connection for each handle nearly every page would be read anew.
//! It is used by one thread at a time, for as long as a query or a transaction takes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use kernel::id::SpaceId;
use rusqlite::Connection;

use super::gathered_use::GatheredUse;
use crate::sqlite::Mode;
use crate::sqlite::shared::{FileNumber, InUse};

/// An open journal.
pub(super) struct Open {
    pub(super) connection: Connection,
    /// The file, to notice that it was deleted or replaced; none in memory.
    pub(super) file: Option<FileNumber>,
    /// The use of thoughts that is not written yet.
    pub(super) thoughts: GatheredUse,
}

/// A journal of this process, which may not be open yet.
#[derive(Default)]
pub(super) struct SharedJournal(Arc<Mutex<Option<Open>>>);

/// Each by its path and space, and whether it is only read.
static JOURNALS: InUse<(PathBuf, SpaceId, bool), Mutex<Option<Open>>> = InUse::new();

impl SharedJournal {
    /// The journal at a path: that of other handles, or a new one.
    pub(super) fn at(path: PathBuf, space: SpaceId, mode: Mode) -> Self {
        Self(JOURNALS.share((path, space, mode == Mode::ReadOnly)))
    }

    /// Waits until no other thread uses it.
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(|poisoned| {
            self.0.clear_poison();
            let mut open = poisoned.into_inner();
            // A thread that panicked may have left a transaction, and changes that are half made.
            if let Some(Open { connection, thoughts, .. }) = open.as_mut() {
                *thoughts = GatheredUse::default();
                if !connection.is_autocommit() {
                    let _ = connection.execute_batch("ROLLBACK");
                }
            }
            open
        })
    }

    /// Whether use of thoughts waits to be written.
    pub(super) fn has_waiting(&self) -> bool {
        self.lock().as_ref().is_some_and(|open| open.thoughts.waiting() > 0)
    }
}
