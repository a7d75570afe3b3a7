//! What is remembered of operations that were read or added.
//!
//! An operation never changes, and nearly all that an import cites was added shortly before, by an
//! earlier transaction. So a transaction leaves to the next one of the same handle what it
//! remembers, unless another connection has written meanwhile, or this one has erased or filled in
//! bodies: an operation without its body names no identity. It is forgotten once the views are up
//! to date, as the larger page cache is.

use std::cell::RefCell;
use std::collections::BTreeSet;

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::Entry;

use super::remembered::Remembered;
use super::{SqliteSpace, SqliteWriting};
use crate::StoreError;

/// Operations whose row numbers are remembered, in each of two generations.
const ROWS_MAX: usize = 1 << 19;
/// Operations of which it is remembered what they say and what acts on them, likewise.
const ENTRIES_MAX: usize = 1 << 16;

/// What is remembered of operations.
pub(super) struct OperationMemory {
    /// Row numbers by id. Ids are spread over their whole index, while related operations have
    /// neighbouring rows, so a citation is followed without a look-up by id.
    pub(super) rows: Remembered<OpId, i64>,
    /// Entries.
    pub(super) entries: Remembered<OpId, Entry>,
    /// The kinds of the operations that retract, replace, withdraw or record something of one. They
    /// are few, and of nearly every record none.
    pub(super) acting: Remembered<OpId, BTreeSet<Kind>>,
}

impl Default for OperationMemory {
    fn default() -> Self {
        Self {
            rows: Remembered::new(ROWS_MAX),
            entries: Remembered::new(ENTRIES_MAX),
            acting: Remembered::new(ENTRIES_MAX),
        }
    }
}

/// What one transaction leaves to the next, with a number that another value has once another
/// connection has written.
#[derive(Default)]
pub(super) struct LeftMemory(RefCell<Option<(i64, OperationMemory)>>);

impl LeftMemory {
    /// Forgets it.
    pub(super) fn forget(&self) {
        self.0.take();
    }
}

/// Where a transaction leaves its memory for the next one.
#[derive(Clone, Copy)]
pub(super) struct MemorySlot<'a> {
    left: &'a LeftMemory,
    version: i64,
}

impl<'a> SqliteWriting<'a> {
    /// A writing that may be committed, with what the last one remembered.
    pub(super) fn begin(space: &'a SqliteSpace) -> Result<Self, StoreError> {
        let mut writing = Self::new(space)?;
        // Others cannot write until this transaction ends, so the number stays right.
        let version = space
            .connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if let Some((_, memory)) = space.left.0.take().filter(|(of, _)| *of == version) {
            writing.index.memory = memory;
        }
        writing.index.expects_citations = true;
        writing.memory_slot = Some(MemorySlot { left: &space.left, version });
        Ok(writing)
    }

    /// Leaves what it remembers to the next transaction, once it is committed.
    pub(super) fn leave_memory(&mut self) {
        if let Some(MemorySlot { left, version }) = self.memory_slot {
            left.0.replace(Some((version, std::mem::take(&mut self.index.memory))));
        }
    }
}
