//! Bodies that arrive after their operations.
//!
//! A body may be missing because it was withheld, or altered because something changed the file. It
//! may come later with the whole form of its operation, whose hash proves it. What an operation
//! says without its body differs from what it says with it, in every view. So the views are folded
//! again from the whole ledger, in the transaction that fills the bodies in: no reader sees one
//! without the other. Completing is rare, and a view that is folded again cannot differ from one
//! that saw the body at first.

use kernel::operation::{Content, Operation, Verified};
use rusqlite::{Connection, OptionalExtension, params};

use super::access::AccessCache;
use super::ledger::SqliteWriting;
use super::{SqliteSpace, erasure, index};
use crate::{Position, StoreError, Writing};

impl SqliteSpace {
    pub(super) fn complete_bodies(
        &mut self,
        whole: &[Operation<Verified>],
    ) -> Result<u64, StoreError> {
        let (registry, space) = (self.registry, self.space);
        let mut writing = self.write()?;
        let filled = writing.fill_in(whole)?;
        writing.memory_slot = None;
        let Some(first) = filled.iter().min().copied() else { return Ok(0) };
        let connection = writing.index.connection;
        erasure::erase_made_of(connection, &filled)?;
        let head = writing.position();
        for view in registry.views {
            view.clear(connection)?;
        }
        // What tells other processes that what they cached is void stays.
        connection.execute("DELETE FROM view WHERE name NOT GLOB '*.erased'", [])?;
        index::begin_again(connection, head)?;
        registry.refold_with_append(connection, space)?;
        read_again_from(connection, first)?;
        // It is read from the first operation on, by whichever derivers come next.
        writing.forget_derivation(&[])?;
        Box::new(writing).commit()?;
        self.index.clear();
        self.access = AccessCache::default();
        Ok(filled.len() as u64)
    }
}

impl SqliteWriting<'_> {
    /// Whether an operation is here with the content that was signed.
    pub fn has_content(&self, operation: &Operation<Verified>) -> Result<bool, StoreError> {
        let Content::Present { salt, body } = operation.content() else { return Ok(true) };
        let mut statement = self
            .index
            .connection
            .prepare_cached("SELECT 1 FROM op WHERE id = ?1 AND salt IS ?2 AND body IS ?3")?;
        Ok(statement.exists(params![operation.id().0, salt, body])?)
    }

    /// Writes the bodies of operations that are there without theirs, or with another; returns
    /// their positions.
    fn fill_in(&mut self, whole: &[Operation<Verified>]) -> Result<Vec<Position>, StoreError> {
        let mut statement = self.index.connection.prepare_cached(
            "UPDATE op SET salt = ?3, body = ?4 WHERE id = ?1 AND body_hash = ?2
             AND (salt IS NOT ?3 OR body IS NOT ?4) RETURNING pos",
        )?;
        let mut filled = Vec::new();
        for operation in whole {
            let Content::Present { salt, body } = operation.content() else { continue };
            let hash = operation.header().body.0;
            let position = statement
                .query_row(params![operation.id().0, hash, salt, body], |row| row.get::<_, i64>(0))
                .optional()?;
            filled.extend(position.map(|position| Position(position.unsigned_abs())));
        }
        Ok(filled)
    }
}

/// Sets back the journals that remember how far they have read records.
fn read_again_from(connection: &Connection, first: Position) -> Result<(), StoreError> {
    let before = super::graph::sql(first) - 1;
    connection.execute("UPDATE echo_read SET pos = min(pos, ?1)", [before])?;
    connection.execute("UPDATE embedding_model SET reached = min(reached, ?1)", [before])?;
    super::embedding_facts::read_again_from(connection, before)?;
    super::embedding_thoughts::read_again_from(connection, before, None)
}
