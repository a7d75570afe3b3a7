//! What there is to list: identities, and operations of a kind of which there are few.
//!
//! Everything here is read from the graph and the ledger, in one snapshot.

use kernel::id::{Author, BodyHash, OpId};
use kernel::kind::Kind;
use rusqlite::OptionalExtension;

use super::graph::{SqliteLedgerIndex, author_at, id_at};
use super::ledger::{SqliteWriting, get};
use super::{SqliteSpace, erasure};
use crate::{Ledger, Recorded, StoreError};

/// Lists proposals without reading the ledger. A file without it is only slower.
pub(super) const SCHEMA: &str =
    "CREATE INDEX IF NOT EXISTS op_proposal ON op (ts, id) WHERE kind = 'proposal';";

/// Lists imports in the same way.
pub(super) const IMPORTS: &str =
    "CREATE INDEX IF NOT EXISTS op_import ON op (ts, id) WHERE kind = 'import';";

fn as_signed(found: Result<Option<Recorded>, StoreError>) -> Result<bool, StoreError> {
    match found {
        Ok(Some(Recorded { operation, .. })) => {
            let is_word =
                matches!(operation.header().kind, Kind::ClaimCorrection | Kind::ClaimRefutation);
            Ok(operation.check_hashes().is_ok() && (!is_word || operation.verify().is_ok()))
        }
        Ok(None) => Ok(false),
        Err(StoreError::Damaged { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

impl SqliteWriting<'_> {
    /// The same as [`SqliteSpace::is_as_signed`], within a transaction.
    pub fn is_as_signed(&self, id: &OpId) -> Result<bool, StoreError> {
        as_signed(get(self.index.connection, self.space, id))
    }
}

impl SqliteSpace {
    /// Whether an operation is here as it was signed: its id and body hash match its content. The
    /// signature is checked of a person's word alone, which is shown as certain.
    pub fn is_as_signed(&self, id: &OpId) -> Result<bool, StoreError> {
        as_signed(self.get(id))
    }

    /// Every record whose body has a field of this name, at any depth, with its canonical body.
    pub fn each_evidence_with(
        &self,
        field: &str,
        mut take: impl FnMut(OpId, &[u8]),
    ) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, body FROM op WHERE kind = 'evidence' AND instr(body, CAST(?1 AS BLOB)) > 0 ORDER BY pos",
        )?;
        let mut rows = statement.query([format!("\"{field}\":")])?;
        while let Some(row) = rows.next()? {
            if let Some(body) = row.get_ref(1)?.as_blob_or_null().map_err(rusqlite::Error::from)? {
                take(id_at(row, 0)?, body);
            }
        }
        Ok(())
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
        let Some(row) = self.row_of(id)? else { return Ok(None) };
        let body = self
            .connection
            .prepare_cached("SELECT body FROM op WHERE pos = ?1")?
            .query_row([row], |row| row.get(0))
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

    /// The latest imports, at most `limit`, from the latest on.
    pub fn imports(&self, limit: usize) -> Result<Vec<OpId>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM op WHERE kind = 'import' ORDER BY ts DESC, id DESC LIMIT ?1",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let ids = statement.query_map([limit], |row| id_at(row, 0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// The first operation whose header commits to `body` and whose body was removed, or a
    /// forgotten one whose body this device would have given that hash.
    pub fn removed(&self, body: &BodyHash) -> Result<Option<OpId>, StoreError> {
        let id = self
            .connection
            .prepare_cached(
                "SELECT id FROM op WHERE body_hash = ?1 AND body IS NULL ORDER BY pos LIMIT 1",
            )?
            .query_row([body.0], |row| id_at(row, 0))
            .optional()?;
        match id {
            Some(id) => Ok(Some(id)),
            None => erasure::forgotten(self.connection, body),
        }
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
