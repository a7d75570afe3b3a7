//! Receipts: what was shown to whom, in the journal beside the space.
//!
//! Receipts are neither evidence nor a view: nothing is concluded from them, no digest covers them,
//! and a rebuild leaves them alone. Each is stored with hashes by which the shown texts are found
//! when they return ([`retrieval::shingles`]), never with the texts themselves.
//!
//! Writing a receipt does not wait for the disk. After a power cut the last ones may be missing,
//! but none is incomplete.

use std::time::Duration;

use kernel::id::{OpId, ReceiptId};

use super::SqliteSpace;
use super::journal::tables;
use crate::StoreError;

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
    /// The rest of the receipt, as the engine encodes it.
    pub body: Vec<u8>,
    /// The records that were shown, in their order.
    pub items: Vec<ReceiptItem>,
}

/// One record that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptItem {
    /// The record that was shown.
    pub record: OpId,
    /// The hash of all words of the text that was shown.
    pub exact: u64,
    /// The shingles of the text that are used as lookup keys.
    pub sampled: Vec<u32>,
}

/// A record of a receipt that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownRecord {
    /// The record that was shown.
    pub id: OpId,
    /// The hash of all words of the text that was shown.
    pub exact: u64,
}

/// A receipt that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptReceipt {
    /// Its number, in the order of writing.
    pub number: i64,
    /// Its id.
    pub id: ReceiptId,
    /// When it was written, microseconds since the Unix epoch.
    pub ts_us: i64,
    /// Who was shown something.
    pub agent: String,
    /// In which conversation.
    pub session: Option<String>,
    /// The records that were shown, in their order.
    pub records: Vec<ShownRecord>,
    /// The rest of the receipt, as the engine encodes it.
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
    /// Stores a receipt, unless it is stored already; or lets it wait for others
    /// ([`super::JournalWriting`]). Gives up with [`StoreError::Busy`] when another process has
    /// been writing receipts for `wait`. The space itself is not locked.
    pub fn keep_receipt(&mut self, receipt: &NewReceipt, wait: Duration) -> Result<(), StoreError> {
        self.journal.take(receipt, wait)
    }

    /// At most `limit` receipts, the latest first.
    pub fn receipts(
        &self,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<KeptReceipt>, StoreError> {
        self.read_receipts(|connection| tables::list(connection, filter, limit))
    }

    /// At most `limit` receipts whose ids lie between two, in their order.
    pub fn receipts_between(
        &self,
        first: &OpId,
        last: &OpId,
        limit: usize,
    ) -> Result<Vec<KeptReceipt>, StoreError> {
        self.read_receipts(|connection| tables::between(connection, first, last, limit))
    }

    /// How many receipts there are.
    pub fn count_receipts(&self) -> Result<u64, StoreError> {
        self.read_receipts(tables::count)
    }

    fn read_receipts<T: Default>(
        &self,
        ask: impl FnOnce(&rusqlite::Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // Those that wait, and those of an earlier version that could not be moved when the space
        // was opened, are found if they can be written now.
        let _ = self.journal.write_waiting(Duration::ZERO);
        let _ = self.move_earlier_receipts(Duration::ZERO);
        let answer = match self.journal_of_earlier_receipts()? {
            Some(journal) => journal.read(ask)?,
            None => self.journal.read(ask)?,
        };
        Ok(answer.unwrap_or_default())
    }
}
