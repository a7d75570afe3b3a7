//! Logs that outlived their space.
//!
//! SQLite finds a file's log by its name alone. If a space is deleted while its log stays, as after
//! a killed process, a new file of the same name would get what the log holds: records that the
//! user deleted, or pages of another file. So no space is made beside a log. It is refused and not
//! moved away, because another process may be making the same space at this moment.
//!
//! A backup that is put back beside a newer log cannot be told from a space whose process was
//! killed: neither the file nor the log says which other it belongs to.

use std::path::{Path, PathBuf};

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
