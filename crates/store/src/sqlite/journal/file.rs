//! The journal's file: where it is, and how it is made and opened.
//!
//! The file appears under its name when it is complete, with the permissions of the space's file.
//! It holds the id of its space; a journal of another space is refused, so a file that was left
//! behind, or put there by somebody else, is neither read nor written.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kernel::id::SpaceId;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::tables;
use crate::StoreError;
use crate::sqlite::{BUSY_WAIT_MS, IMMUTABLE, Mode, uri_path};

/// `because` journals in the file's header (`PRAGMA application_id`): "becj".
const APPLICATION_ID: i64 = 0x6265_636a;
/// The version of its tables.
const VERSION: i64 = 1;
/// Pages in the write-ahead log before it is copied into the file, for which everybody waits. What
/// writes much copies it before, by another connection.
const CHECKPOINT_PAGES: i64 = 4_096;
/// The end of a space's file name that the journal's replaces.
const SPACE_SUFFIX: &str = ".db";
/// The end of a journal's file name.
const JOURNAL_SUFFIX: &str = ".journal.db";
/// KiB of pages that a connection keeps.
const CACHE_KIB: i64 = 8_192;
/// Statements that a connection keeps prepared: all of a batch, and all of a retrieval.
const STATEMENTS_KEPT: usize = 64;

/// Where the journal of a space is: beside the file itself, wherever a link to it lies.
pub(super) fn path_beside(space: &Path) -> PathBuf {
    let space = std::fs::canonicalize(space).unwrap_or_else(|_| space.to_owned());
    let name = space.file_name().unwrap_or_default();
    let mut journal = match name.to_str().and_then(|name| name.strip_suffix(SPACE_SUFFIX)) {
        Some(stem) if !stem.is_empty() => OsString::from(stem),
        _ => name.to_owned(),
    };
    journal.push(JOURNAL_SUFFIX);
    space.with_file_name(journal)
}

/// Opens the journal of a space; none if it does not exist.
pub(super) fn open(
    path: &Path,
    space: SpaceId,
    mode: Mode,
) -> Result<Option<Connection>, StoreError> {
    // A link may lead anywhere; it is not followed.
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(StoreError::Io { path: path.to_owned(), source }),
        Ok(_) => {}
    }
    if mode == Mode::ReadWrite {
        let connection =
            Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        check(&connection, path, space)?;
        if connection.is_readonly(rusqlite::MAIN_DB)? {
            return Err(StoreError::ReadOnly);
        }
        return Ok(Some(connection));
    }
    let read_only = flags | OpenFlags::SQLITE_OPEN_READ_ONLY;
    let opened = Connection::open_with_flags(path, read_only).map_err(StoreError::from);
    let connection = match opened.and_then(|opened| check(&opened, path, space).map(|()| opened)) {
        // Its log cannot be created here, so nobody writes.
        Err(StoreError::ReadOnly | StoreError::Sqlite(_)) => {
            let uri = format!("file:{}?{IMMUTABLE}", uri_path(path));
            let flags = read_only | OpenFlags::SQLITE_OPEN_URI;
            let opened = Connection::open_with_flags(uri, flags)?;
            check(&opened, path, space)?;
            opened
        }
        opened => opened?,
    };
    Ok(Some(connection))
}

/// Makes an empty journal beside a space, unless there is one, with the permissions of the space.
pub(super) fn create(path: &Path, beside: &Path, space: SpaceId) -> Result<(), StoreError> {
    /// Tells the drafts of a process's threads apart.
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let io = |source| StoreError::Io { path: path.to_owned(), source };
    let mut draft = path.as_os_str().to_owned();
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    draft.push(format!(".new-{}-{number}", std::process::id()));
    let draft = PathBuf::from(draft);
    let made = make_draft(&draft, beside, space);
    // Linking fails if another process was faster; renaming would replace its file.
    let placed = made.and_then(|()| match std::fs::hard_link(&draft, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(_) => std::fs::rename(&draft, path).map_err(io),
    });
    for suffix in ["", "-wal", "-shm"] {
        let mut left = draft.as_os_str().to_owned();
        left.push(suffix);
        let _ = std::fs::remove_file(left);
    }
    placed
}

fn make_draft(draft: &Path, beside: &Path, space: SpaceId) -> Result<(), StoreError> {
    let io = |source| StoreError::Io { path: draft.to_owned(), source };
    let metadata = std::fs::metadata(beside)
        .map_err(|source| StoreError::Io { path: beside.to_owned(), source })?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let refused = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly
        }
        std::io::ErrorKind::StorageFull => StoreError::DiskFull,
        _ => io(error),
    };
    drop(options.open(draft).map_err(refused)?);
    let connection = Connection::open_with_flags(
        draft,
        OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE,
    )?;
    make_tables(&connection, space)?;
    connection.close().map_err(|(_, error)| error)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // Only the system's administrator may give a file to somebody else.
        let _ = std::os::unix::fs::chown(draft, Some(metadata.uid()), Some(metadata.gid()));
    }
    std::fs::set_permissions(draft, metadata.permissions()).map_err(io)
}

/// Makes the tables in an empty database.
pub(super) fn make_tables(connection: &Connection, space: SpaceId) -> Result<(), StoreError> {
    connection.execute_batch("PRAGMA auto_vacuum=INCREMENTAL")?;
    connection.query_row("PRAGMA journal_mode=WAL", [], |_| Ok(()))?;
    connection.execute_batch(&format!(
        "BEGIN; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION}; {}",
        tables::SCHEMA
    ))?;
    connection.execute("INSERT INTO about (one, space) VALUES (1, ?1)", [space.0.0])?;
    connection.execute_batch("COMMIT")?;
    configure(connection)
}

fn configure(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::from_millis(BUSY_WAIT_MS))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // After a power cut the last receipts may be missing. What is deleted leaves nothing behind.
    connection.execute_batch(&format!(
        "PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; PRAGMA secure_delete=ON;
         PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES};
         PRAGMA cache_size=-{CACHE_KIB};"
    ))?;
    Ok(())
}

/// Checks that it is the journal of this space, and sets the connection up.
fn check(connection: &Connection, path: &Path, space: SpaceId) -> Result<(), StoreError> {
    let unusable = |detail| Err(StoreError::JournalUnusable { path: path.to_owned(), detail });
    let read = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
    match read("PRAGMA application_id") {
        Ok(APPLICATION_ID) => {}
        Ok(_) => return unusable("it is another file"),
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
            return unusable("it is another file");
        }
        Err(error) => return Err(error.into()),
    }
    if read("PRAGMA user_version")? != VERSION {
        return unusable("it was written by a later version of because");
    }
    let of: Option<[u8; 32]> =
        connection.query_row("SELECT space FROM about", [], |row| row.get(0)).optional()?;
    if of != Some(space.0.0) {
        return unusable("it belongs to another space");
    }
    configure(connection)
}
