//! Keys of records and of shown texts, by which a repeated text is recognised.
//!
//! Each record is looked up by a few keys, which are hashes of some of its shingles. The table is
//! not a view: it stores the position up to which records have keys, and it is filled in the
//! transaction that appends them. A missing key only means that a repetition is not recognised. The
//! engine chooses the keys and decides what a match means.

use kernel::id::OpId;
use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteWriting;
use super::graph::{id_at, sql};
use super::receipts::ReceiptItem;
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
    /// The records, without their lookup keys.
    pub items: Vec<ReceiptItem>,
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

    /// Whether any receipt shows anything.
    pub fn has_receipts(&self) -> Result<bool, StoreError> {
        let found = self
            .index
            .connection
            .prepare_cached("SELECT 1 FROM receipt_item LIMIT 1")?
            .query_row([], |_| Ok(()))
            .optional()?;
        Ok(found.is_some())
    }

    /// Numbers of the latest `limit` receipts that show a text with this shingle.
    pub fn injected_by(&self, shingle: u32, limit: usize) -> Result<Vec<i64>, StoreError> {
        let mut statement = self.index.connection.prepare_cached(
            "SELECT receipt FROM receipt_shingle WHERE hash = ?1 ORDER BY receipt DESC LIMIT ?2",
        )?;
        let numbers = statement.query_map([i64::from(shingle), limit as i64], |row| row.get(0))?;
        Ok(numbers.collect::<Result<_, _>>()?)
    }

    /// Numbers of the latest `limit` receipts of a conversation.
    pub fn injected_in(&self, session: &str, limit: usize) -> Result<Vec<i64>, StoreError> {
        let mut statement = self.index.connection.prepare_cached(
            "SELECT number FROM receipt WHERE session = ?1 ORDER BY number DESC LIMIT ?2",
        )?;
        let numbers = statement.query_map(params![session, limit as i64], |row| row.get(0))?;
        Ok(numbers.collect::<Result<_, _>>()?)
    }

    /// What a receipt shows.
    pub fn injected(&self, number: i64) -> Result<Option<Injected>, StoreError> {
        let connection = self.index.connection;
        let found = connection
            .prepare_cached("SELECT ts, agent, session FROM receipt WHERE number = ?1")?
            .query_row([number], |row| {
                Ok(Injected {
                    ts_us: row.get(0)?,
                    agent: row.get(1)?,
                    session: row.get(2)?,
                    items: Vec::new(),
                })
            })
            .optional()?;
        let Some(mut injected) = found else { return Ok(None) };
        let mut statement = connection.prepare_cached(
            "SELECT record, exact, shingles FROM receipt_item WHERE receipt = ?1 ORDER BY place",
        )?;
        let items = statement.query_map([number], |row| {
            let bytes: Vec<u8> = row.get(2)?;
            let shingles = bytes
                .chunks_exact(4)
                .filter_map(|hash| Some(u32::from_le_bytes(hash.try_into().ok()?)));
            Ok(ReceiptItem {
                record: OpId(id_at(row, 0)?.0),
                exact: row.get::<_, i64>(1)?.cast_unsigned(),
                shingles: shingles.collect(),
                sampled: Vec::new(),
            })
        })?;
        injected.items = items.collect::<Result<_, _>>()?;
        Ok(Some(injected))
    }
}
