//! Receipts: a journal, beside the ledger, of what was shown to whom.
//!
//! Receipts are neither evidence nor a view: nothing is concluded from them, no digest covers them,
//! and a rebuild leaves them alone. Each is stored with the shingles by which the shown texts are
//! recognised when they return ([`retrieval::shingles`]), never with the texts themselves, so a
//! forgotten text is not kept here.
//!
//! Writing a receipt does not wait for the disk. After a power cut the last ones may be missing,
//! but none is incomplete.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kernel::id::{OpId, ReceiptId};
use rusqlite::{Connection, params};

use super::SqliteSpace;
use super::graph::id_at;
use crate::StoreError;

/// The tables of receipts.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS receipt (
    number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, ts INTEGER NOT NULL, agent TEXT NOT NULL, session TEXT,
    body BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS receipt_item (
    receipt INTEGER NOT NULL, place INTEGER NOT NULL, record BLOB NOT NULL, exact INTEGER NOT NULL, shingles BLOB NOT NULL,
    PRIMARY KEY (receipt, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS receipt_session ON receipt (session, number) WHERE session IS NOT NULL;
CREATE INDEX IF NOT EXISTS receipt_item_record ON receipt_item (record, receipt);
CREATE TABLE IF NOT EXISTS receipt_shingle (hash INTEGER NOT NULL, receipt INTEGER NOT NULL, PRIMARY KEY (hash, receipt))
    STRICT, WITHOUT ROWID;
";

/// The version of the tables that has receipts.
const SINCE_VERSION: i64 = 3;

/// A receipt to be kept.
#[derive(Clone, Debug)]
pub struct NewReceipt {
    /// BLAKE3 of the body.
    pub id: ReceiptId,
    /// When it was written, microseconds since the Unix epoch.
    pub ts_us: u64,
    /// Who was shown something.
    pub agent: String,
    /// In which conversation.
    pub session: Option<String>,
    /// The receipt in canonical JSON.
    pub body: Vec<u8>,
    /// What of memory was shown.
    pub items: Vec<ReceiptItem>,
}

/// One record that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptItem {
    /// Which.
    pub record: OpId,
    /// The hash of all its words.
    pub exact: u64,
    /// All shingles of its text, ascending.
    pub shingles: Vec<u32>,
    /// The shingles used as lookup keys.
    pub sampled: Vec<u32>,
}

/// A receipt that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptReceipt {
    /// Its number, in the order of writing.
    pub number: i64,
    /// Its id.
    pub id: ReceiptId,
    /// The receipt in canonical JSON.
    pub body: Vec<u8>,
}

/// Which receipts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptFilter {
    /// Of this agent alone.
    pub agent: Option<String>,
    /// Receipts of this conversation only.
    pub session: Option<String>,
    /// That show this record.
    pub of: Option<OpId>,
    /// Not before, microseconds since the Unix epoch.
    pub since_us: Option<i64>,
}

impl SqliteSpace {
    /// Stores a receipt, unless it is stored already. Gives up with [`StoreError::Busy`] when
    /// another process has been writing for `wait`.
    pub fn keep_receipt(&mut self, receipt: &NewReceipt, wait: Duration) -> Result<(), StoreError> {
        self.write_without_sync(wait, |connection| {
            let added = connection
                .prepare_cached(
                    "INSERT OR IGNORE INTO receipt (id, ts, agent, session, body) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![
                    receipt.id.0,
                    receipt.ts_us.cast_signed(),
                    receipt.agent,
                    receipt.session,
                    receipt.body
                ])?;
            if added == 0 {
                return Ok(());
            }
            let number = connection.last_insert_rowid();
            let mut item = connection.prepare_cached(
                "INSERT INTO receipt_item (receipt, place, record, exact, shingles) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            let mut shingle =
                connection.prepare_cached("INSERT OR IGNORE INTO receipt_shingle (hash, receipt) VALUES (?1, ?2)")?;
            for (place, shown) in receipt.items.iter().enumerate() {
                let bytes: Vec<u8> = shown.shingles.iter().flat_map(|hash| hash.to_le_bytes()).collect();
                item.execute(params![number, place as i64, shown.record.0, shown.exact.cast_signed(), bytes])?;
                for hash in &shown.sampled {
                    shingle.execute([i64::from(*hash), number])?;
                }
            }
            Ok(())
        })
    }

    /// At most `limit` receipts, the latest first.
    pub fn receipts(
        &self,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<KeptReceipt>, StoreError> {
        if self.has_no_receipts()? {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT number, id, body FROM receipt
             WHERE (?1 IS NULL OR agent = ?1) AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR ts >= ?3)
               AND (?4 IS NULL OR number IN (SELECT receipt FROM receipt_item WHERE record = ?4))
             ORDER BY number DESC LIMIT ?5",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let kept = statement.query_map(
            params![filter.agent, filter.session, filter.since_us, filter.of.map(|of| of.0), limit],
            kept_at,
        )?;
        Ok(kept.collect::<Result<_, _>>()?)
    }

    /// At most `limit` receipts whose ids lie between two, in their order.
    pub fn receipts_between(
        &self,
        first: &OpId,
        last: &OpId,
        limit: usize,
    ) -> Result<Vec<KeptReceipt>, StoreError> {
        if self.has_no_receipts()? {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT number, id, body FROM receipt WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let kept = statement.query_map(params![first.0, last.0, limit], kept_at)?;
        Ok(kept.collect::<Result<_, _>>()?)
    }

    /// How many receipts there are.
    pub fn count_receipts(&self) -> Result<u64, StoreError> {
        if self.has_no_receipts()? {
            return Ok(0);
        }
        let count: i64 =
            self.connection.query_row("SELECT count(*) FROM receipt", [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// Deletes receipts older than a time and returns how many. What they showed is no longer
    /// recognised when it returns.
    pub fn prune_receipts(&mut self, before_us: i64) -> Result<u64, StoreError> {
        self.write_without_sync(Duration::from_millis(super::BUSY_WAIT_MS), |connection| {
            let old = "SELECT number FROM receipt WHERE ts < ?1";
            connection.execute(
                &format!("DELETE FROM receipt_shingle WHERE receipt IN ({old})"),
                [before_us],
            )?;
            connection.execute(
                &format!("DELETE FROM receipt_item WHERE receipt IN ({old})"),
                [before_us],
            )?;
            let pruned = connection.execute("DELETE FROM receipt WHERE ts < ?1", [before_us])?;
            Ok(pruned as u64)
        })
    }

    /// Whether the file is of a version without receipts.
    fn has_no_receipts(&self) -> Result<bool, StoreError> {
        Ok(super::schema_version(&self.connection)? < SINCE_VERSION)
    }
}

/// Erases the fingerprints of the texts of the operations in `temp.erased`. The receipts stay: they
/// say that these operations were shown, not what they said.
pub(super) fn erase(connection: &Connection) -> Result<(), StoreError> {
    let shingles_of = |bytes: &[u8]| -> BTreeSet<i64> {
        let hashes = bytes.chunks_exact(4).filter_map(|hash| hash.try_into().ok());
        hashes.map(|hash| i64::from(u32::from_le_bytes(hash))).collect()
    };
    let mut gone: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let mut statement = connection.prepare(
        "SELECT receipt, shingles FROM receipt_item WHERE record IN (SELECT id FROM temp.erased)",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let bytes: Vec<u8> = row.get(1)?;
        gone.entry(row.get(0)?).or_default().extend(shingles_of(&bytes));
    }
    connection
        .execute("DELETE FROM receipt_item WHERE record IN (SELECT id FROM temp.erased)", [])?;
    let mut kept = connection.prepare("SELECT shingles FROM receipt_item WHERE receipt = ?1")?;
    let mut delete =
        connection.prepare("DELETE FROM receipt_shingle WHERE hash = ?1 AND receipt = ?2")?;
    for (receipt, mut gone) in gone {
        let mut rows = kept.query([receipt])?;
        while let Some(row) = rows.next()? {
            let bytes: Vec<u8> = row.get(0)?;
            let kept = shingles_of(&bytes);
            gone.retain(|hash| !kept.contains(hash));
        }
        for hash in gone {
            delete.execute([hash, receipt])?;
        }
    }
    Ok(())
}

fn kept_at(row: &rusqlite::Row<'_>) -> rusqlite::Result<KeptReceipt> {
    Ok(KeptReceipt { number: row.get(0)?, id: ReceiptId(id_at(row, 1)?.0), body: row.get(2)? })
}
