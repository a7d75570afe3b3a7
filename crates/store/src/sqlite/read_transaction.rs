//! Read transactions: one snapshot of a file, whatever others write meanwhile.
//!
//! While a [`ReadTransaction`] lives, everything that is read through its handle comes from the
//! snapshot that it began with. Transactions of one handle nest, and the inner ones share the
//! snapshot of the outermost. A read transaction takes no write lock, waits for no writer and
//! blocks none.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use retrieval::text::Analyzer;

use super::index::attributes::Attributes;
use super::index::shared::{Pinned, SearchColumns};
use super::index::vectors::{Vectors, VectorsAt};
use super::index::{self, IndexTables};
use super::{SqliteSpace, schema_version};
use crate::StoreError;

/// The read transactions of a handle.
#[derive(Default)]
pub(super) struct ReadState {
    /// How many are open.
    depth: Cell<u32>,
    /// The columns of their snapshot.
    pinned: RefCell<Pinned>,
}

impl ReadState {
    /// Whether one is open.
    pub(super) fn is_reading(&self) -> bool {
        self.depth.get() > 0
    }
}

/// An open read transaction. Ends when it is dropped.
pub struct ReadTransaction<'a> {
    space: &'a SqliteSpace,
}

impl SqliteSpace {
    /// Begins a read transaction, or joins the open one.
    pub fn read_transaction(&self) -> Result<ReadTransaction<'_>, StoreError> {
        let depth = self.reading.depth.get();
        if depth == 0 {
            // Pinned before the snapshot is taken, so they are not newer than it.
            *self.reading.pinned.borrow_mut() = self.index.columns.pin();
            self.connection.execute_batch("BEGIN")?;
        }
        self.reading.depth.set(depth + 1);
        let transaction = ReadTransaction { space: self };
        if depth == 0 {
            // SQLite takes the snapshot with the first statement that reads.
            schema_version(&self.connection)?;
        }
        Ok(transaction)
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        let state = &self.space.reading;
        state.depth.set(state.depth.get() - 1);
        if !state.is_reading() {
            *state.pinned.borrow_mut() = Pinned::default();
            // Nothing was written that could be lost.
            let _ = self.space.connection.execute_batch("COMMIT");
        }
    }
}

impl ReadTransaction<'_> {
    /// What a search of an index needs in memory.
    pub(super) fn columns(&self, tables: &IndexTables) -> Result<SearchColumns, StoreError> {
        let (all, connection) = (&self.space.index.columns, &self.space.connection);
        let pinned = &mut *self.space.reading.pinned.borrow_mut();
        if std::ptr::eq(tables, &index::EPISODES) {
            all.episodes.for_search(&mut pinned.episodes, connection, tables)
        } else if std::ptr::eq(tables, &index::THOUGHTS) {
            all.thoughts.for_search(&mut pinned.thoughts, connection, tables)
        } else {
            all.facts.for_search(&mut pinned.facts, connection, tables)
        }
    }

    /// Which records there are.
    pub(super) fn attributes(&self) -> Result<Arc<Attributes>, StoreError> {
        let connection = &self.space.connection;
        let reach = index::reach(connection, &index::EPISODES)?;
        let pinned = &mut *self.space.reading.pinned.borrow_mut();
        let columns = &self.space.index.columns.episodes;
        columns.attributes(&mut pinned.episodes, connection, &index::EPISODES, reach)
    }

    /// Which thoughts there are; none in a file of a version without them.
    pub(super) fn thought_attributes(&self) -> Result<Option<Arc<Attributes>>, StoreError> {
        let connection = &self.space.connection;
        if !index::THOUGHT_VIEW.exists_in(schema_version(connection)?) {
            return Ok(None);
        }
        let reach = index::reach(connection, &index::THOUGHTS)?;
        let pinned = &mut *self.space.reading.pinned.borrow_mut();
        let columns = &self.space.index.columns.thoughts;
        columns.attributes(&mut pinned.thoughts, connection, &index::THOUGHTS, reach).map(Some)
    }

    /// The vectors of another model than the built-in table, of the documents of an index.
    pub(super) fn vectors(
        &self,
        tables: &IndexTables,
        attributes: &Attributes,
        at: &VectorsAt,
    ) -> Result<Arc<Vectors>, StoreError> {
        let columns = &self.space.index.columns;
        let pinned = &mut *self.space.reading.pinned.borrow_mut();
        let (latest, pin) = if std::ptr::eq(tables, &index::EPISODES) {
            (&columns.vectors, &mut pinned.vectors)
        } else if std::ptr::eq(tables, &index::THOUGHTS) {
            (&columns.thought_vectors, &mut pinned.thought_vectors)
        } else {
            (&columns.fact_vectors, &mut pinned.fact_vectors)
        };
        latest.at(pin, at, |vectors| vectors.refresh(&self.space.connection, attributes, at))
    }

    /// Runs `work` with an analyser.
    pub(super) fn analyzing<T>(
        &self,
        work: impl FnOnce(&mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let shared = &self.space.index;
        let mut analyzer = match shared.take_analyzer() {
            Some(analyzer) => analyzer,
            None => Analyzer::new(index::language(&self.space.connection)?),
        };
        let answer = work(&mut analyzer);
        shared.put_analyzer(analyzer);
        answer
    }
}
