//! Moving the receipts of earlier versions, which kept them in the space's file, to the journal.
//!
//! The receipts are copied and durable in the journal before they are deleted from the space. If
//! the process is killed in between, the next one that opens the space copies them again, and those
//! that are there already are skipped. The tables stay, empty: a process of an earlier version that
//! is still running may write to them, and what it writes is moved at the next opening. New files
//! do not have them.
//!
//! Receipts of a space that cannot be written are copied to memory, for this process alone.

use std::time::Duration;

use kernel::id::{OpId, ReceiptId};
use rusqlite::{Connection, params};

use super::{UsageJournal, has_rows, tables};
use crate::StoreError;
use crate::sqlite::graph::id_at;
use crate::sqlite::receipts::{NewReceipt, ReceiptItem};
use crate::sqlite::{BUSY_WAIT_MS, Mode, SqliteSpace};

/// The tables of earlier versions, the first of which tells whether there is anything to move.
const TABLES: [&str; 3] = ["receipt", "receipt_item", "receipt_shingle"];
/// How long moving waits for others that write receipts.
const WAIT: Duration = Duration::from_secs(2);

impl SqliteSpace {
    /// Moves receipts from the space's file to its journal, if there are any. Waits at most `wait`
    /// for others that write to the space.
    pub(in crate::sqlite) fn move_earlier_receipts(
        &self,
        wait: Duration,
    ) -> Result<(), StoreError> {
        if self.mode() == Mode::ReadOnly || !has_rows(&self.connection, TABLES[0])? {
            return Ok(());
        }
        let connection = &self.connection;
        // What is deleted leaves nothing behind in free pages.
        connection.busy_timeout(wait)?;
        let begun = connection
            .execute_batch("PRAGMA secure_delete=ON; BEGIN IMMEDIATE")
            .map_err(StoreError::from);
        let moved = begun.and_then(|()| self.journal.take_earlier(connection)).and_then(|()| {
            for table in TABLES {
                connection.execute_batch(&format!("DELETE FROM {table}"))?;
            }
            Ok(connection.execute_batch("COMMIT")?)
        });
        if moved.is_err() && !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        connection.execute_batch("PRAGMA secure_delete=OFF")?;
        connection.busy_timeout(Duration::from_millis(BUSY_WAIT_MS))?;
        moved
    }

    /// The journal with the receipts of an earlier version, where they cannot be moved.
    pub(in crate::sqlite) fn journal_of_earlier_receipts(
        &self,
    ) -> Result<Option<UsageJournal>, StoreError> {
        if self.mode() == Mode::ReadWrite || !has_rows(&self.connection, TABLES[0])? {
            return Ok(None);
        }
        let journal = UsageJournal::in_memory(self.space);
        journal.take_earlier(&self.connection)?;
        Ok(Some(journal))
    }
}

impl UsageJournal {
    /// Copies the receipts in the tables of an earlier version, and waits until they are on the
    /// disk.
    fn take_earlier(&self, earlier: &Connection) -> Result<(), StoreError> {
        drop(self.ready_to_write()?);
        self.set_synchronous("FULL")?;
        let copied = self.change(WAIT, |journal| copy(earlier, journal));
        self.set_synchronous("NORMAL")?;
        copied
    }

    fn set_synchronous(&self, level: &str) -> Result<(), StoreError> {
        let set = |connection: &Connection| {
            Ok(connection.execute_batch(&format!("PRAGMA synchronous={level}"))?)
        };
        self.read(set).map(drop)
    }
}

/// Copies all receipts, in their order.
fn copy(earlier: &Connection, journal: &Connection) -> Result<(), StoreError> {
    let mut statement = earlier
        .prepare("SELECT number, id, ts, agent, session, body FROM receipt ORDER BY number")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let receipt = NewReceipt {
            id: ReceiptId(id_at(row, 1)?.0),
            ts_us: row.get::<_, i64>(2)?.unsigned_abs(),
            agent: row.get(3)?,
            session: row.get(4)?,
            body: row.get(5)?,
            items: items(earlier, journal, row.get(0)?)?,
        };
        tables::insert(journal, &receipt)?;
    }
    Ok(())
}

/// What a receipt showed. An earlier version kept the lookup keys by receipt; those of a record are
/// the ones among its shingles.
fn items(
    earlier: &Connection,
    journal: &Connection,
    receipt: i64,
) -> Result<Vec<ReceiptItem>, StoreError> {
    let mut statement = earlier.prepare_cached(
        "SELECT record, exact, shingles FROM receipt_item WHERE receipt = ?1 ORDER BY place",
    )?;
    let mut is_key =
        earlier.prepare_cached("SELECT 1 FROM receipt_shingle WHERE hash = ?1 AND receipt = ?2")?;
    let mut rows = statement.query([receipt])?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        let record = OpId(id_at(row, 0)?.0);
        let exact = row.get::<_, i64>(1)?.cast_unsigned();
        let mut sampled = Vec::new();
        if !tables::is_known(journal, &record, exact)? {
            let shingles: Vec<u8> = row.get(2)?;
            for hash in shingles.chunks_exact(4).filter_map(|hash| hash.try_into().ok()) {
                let hash = u32::from_le_bytes(hash);
                if is_key.exists(params![i64::from(hash), receipt])? {
                    sampled.push(hash);
                }
            }
        }
        items.push(ReceiptItem { record, exact, sampled });
    }
    Ok(items)
}
