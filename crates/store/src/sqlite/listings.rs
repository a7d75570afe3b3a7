//! What there is to list: identities, and operations of a kind of which there are few.
//!
//! Everything here is read from the graph and the ledger, in one snapshot.

use kernel::id::{Author, OpId};
use rusqlite::OptionalExtension;

use super::SqliteSpace;
use super::graph::{SqliteLedgerIndex, author_at, id_at};
use crate::{Ledger, StoreError};

/// Lists proposals without reading the ledger. A file without it is only slower.
pub(super) const SCHEMA: &str =
    "CREATE INDEX IF NOT EXISTS op_proposal ON op (ts, id) WHERE kind = 'proposal';";

impl SqliteSpace {
    /// Whether an operation is here as it was signed: its id and body hash match its content. Its
    /// signature is not checked.
    pub fn is_as_signed(&self, id: &OpId) -> Result<bool, StoreError> {
        match self.get(id) {
            Ok(recorded) => {
                Ok(recorded.is_some_and(|recorded| recorded.operation.check_hashes().is_ok()))
            }
            Err(StoreError::Damaged { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Runs `ask` on a snapshot of the ledger, whatever others write meanwhile.
    pub fn on_snapshot<T, E: From<StoreError>>(
        &self,
        ask: impl FnOnce(&SqliteLedgerIndex<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let _snapshot = self.read_transaction()?;
        ask(&SqliteLedgerIndex::new(&self.connection, &self.access)?)
    }
}

impl SqliteLedgerIndex<'_> {
    /// The canonical body of a recorded operation, unless removed.
    pub fn body(&self, id: &OpId) -> Result<Option<Vec<u8>>, StoreError> {
        let body = self
            .connection
            .prepare_cached("SELECT body FROM op WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        Ok(body.flatten())
    }

    /// How many operations each key signed, by key.
    pub fn count_by_author(&self) -> Result<Vec<(Author, u64)>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT author.key, count(*) FROM op JOIN author ON author.number = op.author
             GROUP BY op.author ORDER BY author.key",
        )?;
        let counts = statement
            .query_map([], |row| Ok((author_at(row, 0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
        Ok(counts.collect::<Result<_, _>>()?)
    }

    /// Every identity with a claim, a correction or a refutation, in order, passed to `take` until
    /// it returns false.
    pub fn identity_keys(&self, mut take: impl FnMut(String) -> bool) -> Result<(), StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT DISTINCT key FROM identity ORDER BY key")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if !take(row.get(0)?) {
                break;
            }
        }
        Ok(())
    }

    /// Every change of access that has a body, in the space's order.
    pub fn access_changes(&self) -> Result<Vec<OpId>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT op.id FROM access JOIN op ON op.pos = access.pos ORDER BY op.ts, op.id",
        )?;
        let ids = statement.query_map([], |row| id_at(row, 0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// Every proposal, in the space's order.
    pub fn proposals(&self) -> Result<Vec<OpId>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id FROM op WHERE kind = 'proposal' ORDER BY ts, id")?;
        let ids = statement.query_map([], |row| id_at(row, 0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }
}
