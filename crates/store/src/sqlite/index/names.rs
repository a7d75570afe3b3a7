//! Known people of a space, looked up by the words of their names.

use std::cell::RefCell;

use retrieval::question::names::{KnownName, NameId, NameLookup, PEOPLE_PER_WORD_MAX, name_words};
use rusqlite::Connection;

use super::tables::IndexTables;
use crate::StoreError;

/// Look-ups over one connection. The trait's methods cannot fail, so the first failure is kept for
/// the caller.
pub(super) struct SqliteNames<'a> {
    connection: &'a Connection,
    tables: &'a IndexTables,
    failure: RefCell<Option<StoreError>>,
}

impl<'a> SqliteNames<'a> {
    pub(super) fn new(connection: &'a Connection, tables: &'a IndexTables) -> Self {
        Self { connection, tables, failure: RefCell::new(None) }
    }

    /// The first failure of a look-up, if any.
    pub(super) fn finish(self) -> Result<(), StoreError> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }

    fn people(&self, word: &str) -> Result<Vec<KnownName>, StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.people_with_word)?;
        let people = statement.query_map((word, PEOPLE_PER_WORD_MAX as i64), |row| {
            let name: String = row.get(1)?;
            Ok(KnownName { id: NameId(row.get(0)?), words: name_words(&name) })
        })?;
        Ok(people.collect::<Result<_, _>>()?)
    }
}

impl NameLookup for SqliteNames<'_> {
    fn people_with_word(&self, word: &str) -> Vec<KnownName> {
        self.people(word).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            Vec::new()
        })
    }
}
