//! The page cache of a connection, which is larger while much is written.
//!
//! A search needs few pages of the database: the columns that it scans are in memory already. A
//! long transaction reads the same pages again and again, and more of them than SQLite's usual
//! cache holds. So a transaction that touches many operations enlarges the cache. It stays large
//! for the transactions after it, until what they appended is folded into the indexes.

use std::cell::Cell;

use rusqlite::Connection;

use super::SqliteWriting;
use crate::StoreError;

/// SQLite's own default.
const USUAL_KIB: u32 = 2_000;
/// While much is written.
const LARGE_KIB: u32 = 8_000;
/// Operations that a transaction touches before its cache is enlarged.
const OPERATIONS_MIN: usize = 256;

/// The page cache of one connection.
#[derive(Debug, Default)]
pub(super) struct PageCache {
    is_large: Cell<bool>,
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
        if touched >= OPERATIONS_MIN && !self.is_large.replace(true) {
            set(connection, LARGE_KIB)?;
        }
        Ok(())
    }

    /// Back to the usual size; frees what does not fit.
    pub(super) fn shrink(&self, connection: &Connection) -> Result<(), StoreError> {
        if self.is_large.replace(false) {
            set(connection, USUAL_KIB)?;
        }
        Ok(())
    }
}

impl SqliteWriting<'_> {
    /// Notes that this transaction touched more operations.
    pub(super) fn touch(&self, operations: usize) -> Result<(), StoreError> {
        self.page_cache.touch(self.index.connection, operations)
    }
}

fn set(connection: &Connection, kib: u32) -> Result<(), StoreError> {
    Ok(connection.execute_batch(&format!("PRAGMA cache_size=-{kib}"))?)
}
