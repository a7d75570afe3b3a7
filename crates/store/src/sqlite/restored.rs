//! Which chains were restored from an export, and up to which number.
//!
//! Nothing in the ledger tells an operation that this file's program sealed from one that it
//! imported. A key whose own operations were imported may have written more elsewhere: what it
//! writes here would then fork its chain. So an import that restores notes it, and the note stays.

use kernel::id::Author;
use rusqlite::{OptionalExtension, params};

use super::{SqliteSpace, SqliteWriting, schema_version};
use crate::StoreError;

/// The version of the file's tables that first has the note.
pub(super) const SINCE: i64 = 5;
/// The note: a key, and the number of its last imported operation.
pub(super) const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS restored (author BLOB PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;";

impl SqliteSpace {
    /// The number up to which a key's operations were restored from an export; none if they were
    /// all sealed here.
    pub fn restored_up_to(&self, author: &Author) -> Result<Option<u64>, StoreError> {
        if schema_version(&self.connection)? < SINCE {
            return Ok(None);
        }
        let seq: Option<i64> = self
            .connection
            .prepare_cached("SELECT seq FROM restored WHERE author = ?1")?
            .query_row([author.0], |row| row.get(0))
            .optional()?;
        Ok(seq.map(i64::unsigned_abs))
    }
}

impl SqliteWriting<'_> {
    /// Notes that a key's operations up to a number were restored from an export.
    pub fn note_restored(&mut self, author: &Author, seq: u64) -> Result<(), StoreError> {
        self.index
            .connection
            .prepare_cached(
                "INSERT INTO restored (author, seq) VALUES (?1, ?2)
                 ON CONFLICT (author) DO UPDATE SET seq = excluded.seq",
            )?
            .execute(params![author.0, seq.cast_signed()])?;
        Ok(())
    }
}
