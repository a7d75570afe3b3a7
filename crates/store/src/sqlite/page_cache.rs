//! The page cache of a connection, which is larger while much is written.
//!
//! A search needs few pages of the database: the columns that it scans are in memory already. A
//! long transaction reads the same pages again and again, and more of them than SQLite's usual
//! cache holds. So a transaction or a read that touches many operations enlarges the cache. It
//! stays large for the transactions after it, until what they appended is folded into the indexes.

use std::cell::Cell;

use rusqlite::Connection;

use super::{CHECKPOINT_PAGES, SqliteSpace, SqliteWriting};
use crate::StoreError;

/// A quarter of SQLite's own default. More does not make a search of 100 000 records faster, and
/// every reader of a process has such a cache.
const USUAL_KIB: u32 = 500;
/// A page, as SQLite makes files by default.
const PAGE_KIB: u32 = 4;
/// The larger sizes, each with the operations that a transaction touches before it has that.
/// Thousands of claims and edges touch most pages of a dozen indexes, whose keys are spread over
/// them. A cache that holds these is written once, at the commit; one that does not writes and
/// reads them again for nearly every operation.
const LARGER: [(usize, u32); 3] = [(32, 2_000), (256, 8_000), (2_048, 96_000)];

/// The page cache of one connection.
#[derive(Debug, Default)]
pub(super) struct PageCache {
    kib: Cell<Option<u32>>,
    /// Operations that the current transaction has touched.
    touched: Cell<usize>,
}

impl PageCache {
    /// Begins a transaction.
    pub(super) fn begin(&self) {
        self.touched.set(0);
    }

    /// Notes that the transaction touched this many more operations.
    pub(super) fn touch(&self, connection: &Connection, more: usize) -> Result<(), StoreError> {
        let touched = self.touched.get().saturating_add(more);
        self.touched.set(touched);
        let larger = LARGER.iter().rev().find(|(operations_min, _)| touched >= *operations_min);
        if let Some((_, kib)) = larger.filter(|(_, kib)| Some(*kib) > self.kib.get()) {
            self.kib.set(Some(*kib));
            set(connection, *kib)?;
        }
        Ok(())
    }

    /// Back to the usual size; frees what does not fit.
    pub(super) fn shrink(&self, connection: &Connection) -> Result<(), StoreError> {
        if self.kib.replace(None).is_some() {
            set(connection, USUAL_KIB)?;
        }
        Ok(())
    }
}

impl SqliteSpace {
    /// Prepares for reads that touch this many operations each, in no order.
    pub fn expect_reads(&self, operations: usize) -> Result<(), StoreError> {
        self.page_cache.touch(&self.connection, operations)
    }
}

impl SqliteWriting<'_> {
    /// Notes that this transaction touched more operations.
    pub(super) fn touch(&self, operations: usize) -> Result<(), StoreError> {
        self.page_cache.touch(self.index.connection, operations)
    }
}

/// Sets the usual size, for a new connection.
pub(super) fn set_usual(connection: &Connection) -> Result<(), StoreError> {
    set(connection, USUAL_KIB)
}

/// Sets the size. The write-ahead log may grow as large: its pages are copied into the file less
/// often then, and most of them are changed again before.
fn set(connection: &Connection, kib: u32) -> Result<(), StoreError> {
    let pages = CHECKPOINT_PAGES.max(i64::from(kib / PAGE_KIB));
    Ok(connection
        .execute_batch(&format!("PRAGMA cache_size=-{kib}; PRAGMA wal_autocheckpoint={pages};"))?)
}
