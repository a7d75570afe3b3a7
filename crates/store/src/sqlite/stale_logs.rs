//! Logs that outlived their space.
//!
//! SQLite finds a file's log by its name alone. If a space is deleted while its log stays, as after
//! a killed process, a new file of the same name would get what the log holds: records that the
//! user deleted, or pages of another file. So no space is made beside a log. It is refused and not
//! moved away, because another process may be making the same space at this moment.
//!
//! A backup may also be put back beside a newer log. SQLite would apply the log to it, and the file
//! would have pages of two states. Neither says which other it belongs to, but the file was changed
//! after the log. Where that is so and the log adds to the file, both together are checked before
//! they are used. What passes by chance is left to `verify`.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::open_as_it_is;
use super::without_trace::FileStamp;
use crate::StoreError;

/// The name of a file that SQLite keeps beside another.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Refuses to make a space beside a log that holds anything.
pub(super) fn refuse_stale_logs(path: &Path) -> Result<(), StoreError> {
    for suffix in ["-wal", "-journal"] {
        let log = beside(path, suffix);
        if std::fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0) {
            // Another process may have made the space in the meantime.
            return Err(match path.exists() {
                true => StoreError::Exists { path: path.to_owned() },
                false => StoreError::StaleLog { log },
            });
        }
    }
    Ok(())
}

/// Refuses to use a space beside a log that was written to another state of the file.
pub(super) fn refuse_foreign_log(path: &Path) -> Result<(), StoreError> {
    let log = beside(path, "-wal");
    let (Ok(file), Ok(written)) = (std::fs::metadata(path), std::fs::metadata(&log)) else {
        return Ok(());
    };
    if written.len() == 0 || !is_changed_after(&file, &written) {
        return Ok(());
    }
    // Whatever else is wrong with the file or the log is for those to say who open it.
    if !is_torn(path).unwrap_or(false) {
        return Ok(());
    }
    // A process that writes at this moment may have copied a part of its log into the file.
    let (Ok(file_now), Ok(written_now)) = (std::fs::metadata(path), std::fs::metadata(&log)) else {
        return Ok(());
    };
    let stamps = |file: &Metadata, log: &Metadata| (FileStamp::from(file), FileStamp::from(log));
    match stamps(&file, &written) == stamps(&file_now, &written_now) {
        true => Err(StoreError::ForeignLog { log }),
        false => Ok(()),
    }
}

/// Whether a file was written, copied or moved to its place after a log was last written.
#[cfg(unix)]
fn is_changed_after(file: &Metadata, log: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (file.ctime(), file.ctime_nsec()) > (log.mtime(), log.mtime_nsec())
}

#[cfg(not(unix))]
fn is_changed_after(file: &Metadata, log: &Metadata) -> bool {
    matches!((file.modified(), log.modified()), (Ok(file), Ok(log)) if file > log)
}

/// Whether the log adds something to the file, and both together are not a whole.
fn is_torn(path: &Path) -> rusqlite::Result<bool> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_READ_ONLY;
    let without_log = extent(&open_as_it_is(path)?);
    let with_log = Connection::open_with_flags(path, flags)?;
    with_log.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // One snapshot, whatever others write in the meantime.
    with_log.execute_batch("PRAGMA trusted_schema=OFF; BEGIN")?;
    let extent = extent(&with_log);
    if let (Ok(with), Ok(without)) = (&extent, &without_log)
        && with == without
    {
        return Ok(false);
    }
    let checked: rusqlite::Result<String> =
        with_log.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    let count: rusqlite::Result<i64> =
        with_log.query_row("SELECT count(*) FROM op", [], |row| row.get(0));
    let has_all = matches!((extent, count), (Ok(extent), Ok(count)) if extent.last == count);
    Ok(!(has_all && checked.is_ok_and(|found| found == "ok")))
}

/// How much a file holds.
#[derive(PartialEq, Eq)]
struct Extent {
    pages: i64,
    last: i64,
}

fn extent(connection: &Connection) -> rusqlite::Result<Extent> {
    Ok(Extent {
        pages: connection.query_row("PRAGMA page_count", [], |row| row.get(0))?,
        last: connection.query_row("SELECT ifnull(max(pos), 0) FROM op", [], |row| row.get(0))?,
    })
}
