//! Keys of records and of shown texts, by which a repeated text is recognised.
//!
//! Each record is looked up by a few keys, which are hashes of some of its shingles. The table is
//! not a view: it stores the position up to which records have keys, and it is filled in the
//! transaction that appends them. A missing key only means that a repetition is not recognised. The
//! engine chooses the keys and decides what a match means.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};

use super::SqliteWriting;
use super::graph::sql;
use super::journal::tables;
use super::receipts::ShownRecord;
use crate::{Position, StoreError};

/// The tables.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS echo_key (key INTEGER NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY (key, pos)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS echo_read (one INTEGER PRIMARY KEY CHECK (one = 1), pos INTEGER NOT NULL) STRICT;
";

/// What one receipt says was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// When, microseconds since the Unix epoch.
    pub ts_us: i64,
    /// Before whom.
    pub agent: String,
    /// In which conversation.
    pub session: Option<String>,
    /// The records.
    pub items: Vec<ShownRecord>,
}

/// Erases the keys of the operations in `temp.erased`.
pub(super) fn erase(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("DELETE FROM echo_key WHERE pos IN (SELECT pos FROM temp.erased)", [])?;
    Ok(())
}

impl SqliteWriting<'_> {
    /// The position up to which records can be found by their keys.
    pub fn echo_position(&self) -> Result<Position, StoreError> {
        let position: Option<i64> = self
            .index
            .connection
            .prepare_cached("SELECT pos FROM echo_read")?
            .query_row([], |row| row.get(0))
            .optional()?;
        Ok(Position(position.unwrap_or(0).unsigned_abs()))
    }

    /// The latest `limit` records with a key.
    pub fn keyed(&self, key: u32, limit: usize) -> Result<Vec<Position>, StoreError> {
        let mut statement = self
            .index
            .connection
            .prepare_cached("SELECT pos FROM echo_key WHERE key = ?1 ORDER BY pos DESC LIMIT ?2")?;
        let positions =
            statement.query_map([i64::from(key), limit as i64], |row| row.get::<_, i64>(0))?;
        let positions = positions.map(|position| Ok(Position(position?.unsigned_abs())));
        positions.collect()
    }

    /// Adds keys, in order, and stores the position up to which records have theirs.
    pub fn add_keys(&mut self, keys: &[(u32, Position)], read: Position) -> Result<(), StoreError> {
        let connection = self.index.connection;
        // A key may have waited while its record was forgotten.
        let mut statement = connection.prepare_cached(
            "INSERT OR IGNORE INTO echo_key (key, pos)
             SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM op WHERE pos = ?2 AND body IS NOT NULL)",
        )?;
        for (key, position) in keys {
            statement.execute([i64::from(*key), sql(*position)])?;
        }
        connection
            .prepare_cached(
                "INSERT INTO echo_read (one, pos) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET pos = max(pos, ?1)",
            )?
            .execute([sql(read)])?;
        Ok(())
    }

    /// Whether any receipt shows anything. Receipts of this process that wait are written first,
    /// so that what they show is recognised.
    pub fn has_receipts(&self) -> bool {
        let _ = self.receipts.write_waiting(Duration::ZERO);
        let found = self.receipts.read(|journal| {
            Ok(journal.prepare_cached("SELECT 1 FROM shown LIMIT 1")?.exists([])?)
        });
        found.ok().flatten().unwrap_or_default()
    }

    /// Numbers of the latest `limit` receipts that show a text with this shingle.
    pub fn injected_by(&self, shingle: u32, limit: usize) -> Vec<i64> {
        self.of_journal(|journal| tables::with_shingle(journal, shingle, limit))
    }

    /// Numbers of the latest `limit` receipts of a conversation.
    pub fn injected_in(&self, session: &str, limit: usize) -> Vec<i64> {
        self.of_journal(|journal| tables::in_session(journal, session, limit))
    }

    /// What a receipt shows.
    pub fn injected(&self, number: i64) -> Option<Injected> {
        let kept = self.of_journal(|journal| tables::get(journal, number))?;
        let (ts_us, agent, session) = (kept.ts_us, kept.agent, kept.session);
        Some(Injected { ts_us, agent, session, items: kept.records })
    }

    /// An answer from the journal. A journal that cannot be read counts as empty: what it would
    /// have said may be lost, and what is to be recorded may not.
    fn of_journal<T: Default>(&self, ask: impl FnOnce(&Connection) -> Result<T, StoreError>) -> T {
        self.receipts.read_again(ask).ok().flatten().unwrap_or_default()
    }
}
