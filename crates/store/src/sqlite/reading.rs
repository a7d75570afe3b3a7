//! Reading at one moment, whatever others write meanwhile.
//!
//! A [`Reading`] is a read transaction on a handle's connection: as long as it lives, everything
//! that is read through the handle is read as of the moment at which it began. Readings of one
//! handle nest, and those within share the moment of the outermost. None of them waits for a writer
//! or keeps one waiting.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use retrieval::text::Analyzer;

use super::index::attributes::Attributes;
use super::index::shared::{Pinned, SearchColumns};
use super::index::vectors::{Vectors, VectorsAt};
use super::index::{self, IndexTables};
use super::{SqliteSpace, schema_version};
use crate::StoreError;

/// What a handle holds while it reads.
#[derive(Default)]
pub(super) struct Open {
    /// Readings that are under way.
    depth: Cell<u32>,
    /// The columns at their moment.
    pinned: RefCell<Pinned>,
    /// For the next question.
    analyzer: Cell<Option<Analyzer>>,
}

impl Open {
    /// Whether a reading is under way.
    pub(super) fn is_reading(&self) -> bool {
        self.depth.get() > 0
    }
}

/// A moment at which a handle reads.
pub struct Reading<'a> {
    space: &'a SqliteSpace,
}

impl SqliteSpace {
    /// Begins to read at this moment, or joins the reading that is under way.
    pub fn reading(&self) -> Result<Reading<'_>, StoreError> {
        if !self.open.is_reading() {
            // Versions that were made before the moment lead there.
            *self.open.pinned.borrow_mut() = self.index.columns.pin();
            self.connection.execute_batch("BEGIN")?;
        }
        self.open.depth.set(self.open.depth.get() + 1);
        let reading = Reading { space: self };
        // The moment begins with the first statement that reads.
        schema_version(&self.connection)?;
        Ok(reading)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let open = &self.space.open;
        open.depth.set(open.depth.get() - 1);
        if !open.is_reading() {
            *open.pinned.borrow_mut() = Pinned::default();
            // A transaction that only read has nothing to lose.
            let _ = self.space.connection.execute_batch("COMMIT");
        }
    }
}

impl Reading<'_> {
    /// What a search of an index needs in memory.
    pub(super) fn columns(&self, tables: &IndexTables) -> Result<SearchColumns, StoreError> {
        let (all, connection) = (&self.space.index.columns, &self.space.connection);
        let pinned = &mut *self.space.open.pinned.borrow_mut();
        if std::ptr::eq(tables, &index::EPISODES) {
            all.episodes.for_search(&mut pinned.episodes, connection, tables)
        } else {
            all.facts.for_search(&mut pinned.facts, connection, tables)
        }
    }

    /// Which records there are.
    pub(super) fn attributes(&self) -> Result<Arc<Attributes>, StoreError> {
        let connection = &self.space.connection;
        let reach = index::reach(connection, &index::EPISODES)?;
        let pinned = &mut *self.space.open.pinned.borrow_mut();
        let columns = &self.space.index.columns.episodes;
        columns.attributes(&mut pinned.episodes, connection, &index::EPISODES, reach)
    }

    /// The vectors of another model than the built-in table.
    pub(super) fn vectors(
        &self,
        attributes: &Attributes,
        at: &VectorsAt,
    ) -> Result<Arc<Vectors>, StoreError> {
        let pinned = &mut *self.space.open.pinned.borrow_mut();
        self.space.index.columns.vectors.at(&mut pinned.vectors, at, |vectors| {
            vectors.refresh(&self.space.connection, attributes, at)
        })
    }

    /// Lends `work` the analyser of questions.
    pub(super) fn analyzing<T>(
        &self,
        work: impl FnOnce(&mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut analyzer = match self.space.open.analyzer.take() {
            Some(analyzer) => analyzer,
            None => Analyzer::new(index::language(&self.space.connection)?),
        };
        let answer = work(&mut analyzer);
        self.space.open.analyzer.set(Some(analyzer));
        answer
    }
}
