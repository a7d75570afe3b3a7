//! Reading a file without writing anything into it or beside it.
//!
//! A space may be somebody else's: a folder that was cloned, a disk that was lent. Opening a file
//! of SQLite in the ordinary way writes: it makes a log and its index beside the file, migrates old
//! tables and folds views. So such a file is read as it is, as a file that nobody changes. Where
//! that would not give the whole answer (its log holds pages, its tables are of an earlier version,
//! or a view has not read all operations), this process reads a copy of its own in a temporary
//! folder, which is brought up to date and deleted with the handle.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::journal::UsageJournal;
use super::registry::REGISTRY;
use super::stale_logs::beside;
use super::{IMMUTABLE, Mode, SqliteSpace, only_for_owner, open_as_it_is, prepare, schema_version};
use crate::StoreError;

/// Largest file that is copied, bytes. A larger one is read as it is, or not at all if its log
/// holds pages.
const COPIED_BYTES_MAX: u64 = 4 << 30;
/// Attempts to copy a file that another process keeps changing.
const ATTEMPTS_MAX: usize = 3;
/// How long the time that a file system gives to changes may stay the same.
const CLOCK_STANDS_MAX: Duration = Duration::from_millis(50);
/// The name of the copy.
const COPY: &str = "space.db";

/// The file that a handle reads, and how others of its connections may open it.
pub(super) struct OpenedFile {
    /// The file itself, or a copy of it.
    pub(super) path: PathBuf,
    /// The parameters of a URI, to be tried one after the other.
    pub(super) ways: &'static [&'static str],
    /// The folder of a copy, deleted with it.
    _folder: Option<TempDir>,
}

impl OpenedFile {
    /// A file that was opened in place.
    pub(super) fn in_place(path: &Path, mode: Mode) -> Self {
        let ways: &[&str] = match mode {
            Mode::ReadWrite => &["mode=rw"],
            Mode::ReadOnly => &["mode=ro", IMMUTABLE],
        };
        Self { path: path.to_owned(), ways, _folder: None }
    }

    fn as_it_is(path: &Path) -> Self {
        Self { path: path.to_owned(), ways: &[IMMUTABLE], _folder: None }
    }

    fn copy_in(folder: TempDir) -> Self {
        Self { path: folder.path().join(COPY), ways: &["mode=ro"], _folder: Some(folder) }
    }
}

/// Opens a file once more, in the way in which it was opened, as by another thread.
pub struct Reopening {
    path: PathBuf,
    is_as_it_is: bool,
}

impl Reopening {
    /// Another handle.
    pub fn open(&self) -> Result<SqliteSpace, StoreError> {
        match self.is_as_it_is {
            true => SqliteSpace::peek(&self.path),
            false => SqliteSpace::open(&self.path),
        }
    }
}

impl SqliteSpace {
    /// How to open the same file again.
    pub fn reopening(&self) -> Reopening {
        let is_as_it_is = self.opened.ways == [IMMUTABLE];
        Reopening { path: self.opened.path.clone(), is_as_it_is }
    }

    /// Reads a file as it is, without its log: fit to look who made it, not to answer from it.
    pub fn peek(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        // A pipe would be read for ever.
        if !path.is_file() {
            return Err(StoreError::NotASpace { path: path.to_owned() });
        }
        let connection = open_as_it_is(path)?;
        prepare(&connection, path, &REGISTRY)?;
        let mut space = Self::over(connection, Mode::ReadOnly, path, &REGISTRY)?;
        space.opened = OpenedFile::as_it_is(path);
        space.journal = UsageJournal::absent(space.space);
        Ok(space)
    }

    /// Whether the log beside the file holds pages.
    pub fn has_log(&self) -> bool {
        log_bytes(&self.path) > 0
    }

    /// Opens a file to read it, and leaves no trace in it or beside it. Receipts are neither read
    /// nor written. What others write to the file afterwards may not be seen.
    pub fn open_without_trace(path: &Path) -> Result<Self, StoreError> {
        let log = beside(path, "-wal");
        let has_log = log_bytes(path) > 0;
        let fits = std::fs::metadata(path).is_ok_and(|file| {
            file.is_file() && file.len().saturating_add(log_bytes(path)) <= COPIED_BYTES_MAX
        });
        match (has_log, fits) {
            (true, true) => Self::open_copy(path),
            (true, false) => Err(StoreError::LogUnreadable { log }),
            (false, _) => {
                let space = Self::peek(path)?;
                // A damaged file is read as far as it can be; `verify` says what is wrong with it.
                match fits && !space.is_current().unwrap_or(true) {
                    true => Self::open_copy(path).or(Ok(space)),
                    false => Ok(space),
                }
            }
        }
    }

    /// Whether the tables are of this version and every view has read all operations.
    fn is_current(&self) -> Result<bool, StoreError> {
        Ok(schema_version(&self.connection)? == self.registry.version() && !self.is_behind()?)
    }

    /// Opens a copy in a temporary folder, brought up to date.
    fn open_copy(path: &Path) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: path.to_owned(), source };
        let folder = tempfile::tempdir().map_err(io)?;
        copy_to(path, folder.path())?;
        let mut space = Self::open_with(&REGISTRY, &folder.path().join(COPY))?;
        space.journal = UsageJournal::absent(space.space);
        // What cannot be folded is answered from the views as they are, which say how far they are.
        let _ = space.advance(|_| {});
        // From here on the handle stands for the file, and only reads.
        space.mode = Mode::ReadOnly;
        path.clone_into(&mut space.path);
        space.opened = OpenedFile::copy_in(folder);
        Ok(space)
    }
}

/// The length of the log beside a file. What is not a file holds nothing.
fn log_bytes(path: &Path) -> u64 {
    let log = std::fs::metadata(beside(path, "-wal"));
    log.ok().filter(Metadata::is_file).map_or(0, |log| log.len())
}

/// What tells whether a file was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    /// Of a file; none if it cannot be looked at.
    pub fn of(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|metadata| Self::from(&metadata))
    }

    /// Whether the last change was longer ago than the time that file systems give to changes may
    /// stand still.
    pub fn is_at_rest(&self) -> bool {
        // A time to come, or none, tells nothing.
        let since = self.modified.and_then(|modified| modified.elapsed().ok());
        since.is_some_and(|since| since > CLOCK_STANDS_MAX)
    }
}

impl From<&Metadata> for FileStamp {
    fn from(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), modified: metadata.modified().ok() }
    }
}

/// Copies a file and its log, as they were at one moment.
fn copy_to(path: &Path, folder: &Path) -> Result<(), StoreError> {
    let io = |source| StoreError::Io { path: path.to_owned(), source };
    let log = beside(path, "-wal");
    let (copy, copied_log) = (folder.join(COPY), beside(&folder.join(COPY), "-wal"));
    for _ in 0..ATTEMPTS_MAX {
        let before = (FileStamp::of(path), FileStamp::of(&log));
        let _ = std::fs::remove_file(&copied_log);
        if log_bytes(path) > 0 {
            std::fs::copy(&log, &copied_log).map_err(io)?;
        }
        std::fs::copy(path, &copy).map_err(io)?;
        if (FileStamp::of(path), FileStamp::of(&log)) == before {
            // The permissions were copied too, and a copy of a read-only file could not be folded.
            let copies = [&copy, &copied_log].into_iter().filter(|copy| copy.exists());
            return copies.into_iter().try_for_each(|copy| only_for_owner(copy)).map_err(io);
        }
    }
    Err(StoreError::Busy { waited_s: 0 })
}
