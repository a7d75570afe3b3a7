//! What there is to list: identities, and operations of a kind of which there are few.
//!
//! Everything here is read from the graph and the ledger, in one snapshot.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use kernel::id::{Author, BodyHash, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::operation::{Header, Operation, Ref, Unverified};
use rusqlite::{Connection, OptionalExtension};

use super::graph::{SqliteLedgerIndex, author_at, id_at, kind_at, sql};
use super::ledger::{COLUMNS, SqliteWriting, decode, get};
use super::{SqliteSpace, erasure};
use crate::{Ledger, Position, Recorded, StoreError};

/// Lists proposals without reading the ledger. A file without it is only slower.
pub(super) const SCHEMA: &str =
    "CREATE INDEX IF NOT EXISTS op_proposal ON op (ts, id) WHERE kind = 'proposal';";

/// Lists imports in the same way.
pub(super) const IMPORTS: &str =
    "CREATE INDEX IF NOT EXISTS op_import ON op (ts, id) WHERE kind = 'import';";

/// Lists thoughts, and what may change them, in order of arrival.
pub(super) const THOUGHTS: &str = "CREATE INDEX IF NOT EXISTS op_thought ON op (pos) WHERE kind IN \
     ('thought', 'annotation', 'retraction', 'retraction_withdrawal', 'grant', 'revoke', 'redaction');";

/// The version of the tables that first lists marks.
pub(super) const MARKS_SINCE: i64 = 9;

/// Lists annotations that mark something, the oldest first. It holds no content.
pub(super) const MARKS: &str = "CREATE INDEX IF NOT EXISTS op_mark ON op (ts, id) \
     WHERE kind = 'annotation' AND instr(body, CAST('\"mark\":' AS BLOB)) > 0;";

/// The same annotations. Its condition is that of the index, so that SQLite uses it.
const EACH_MARK: &str = "SELECT id FROM op WHERE kind = 'annotation' \
     AND instr(body, CAST('\"mark\":' AS BLOB)) > 0 ORDER BY ts, id";

/// The operation at a position, if it is this one.
fn get_at(
    connection: &Connection,
    space: SpaceId,
    id: &OpId,
    position: Position,
) -> Result<Option<Recorded>, StoreError> {
    static QUERY: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {COLUMNS} FROM op LEFT JOIN author ON author.number = op.author WHERE op.pos = ?1"
        )
    });
    let mut statement = connection.prepare_cached(&QUERY)?;
    let recorded = statement.query_row([sql(position)], |row| Ok(decode(row, space))).optional()?;
    Ok(recorded.transpose()?.filter(|recorded| recorded.operation.id() == *id))
}

/// Whether an operation is in the file as it was signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedState {
    /// Whether its id and body hash match its content and, of a person's word, its signature.
    pub is_as_signed: bool,
    /// What it cites, altered or not; none where its row is missing or cannot be decoded.
    pub cites: Option<(Kind, Vec<Ref>)>,
}

impl SignedState {
    fn of(found: Result<Option<Recorded>, StoreError>) -> Result<Self, StoreError> {
        match found {
            Ok(Some(Recorded { operation, .. })) => {
                let Header { kind, refs, .. } = operation.header();
                let cites = Some((kind.clone(), refs.clone()));
                Ok(Self { is_as_signed: is_as_signed(&operation), cites })
            }
            Ok(None) | Err(StoreError::Damaged { .. }) => {
                Ok(Self { is_as_signed: false, cites: None })
            }
            Err(error) => Err(error),
        }
    }
}

fn is_as_signed(operation: &Operation<Unverified>) -> bool {
    let kind = &operation.header().kind;
    let is_word = matches!(kind, Kind::ClaimCorrection | Kind::ClaimRefutation);
    operation.check_hashes().is_ok() && (!is_word || operation.clone().verify().is_ok())
}

impl SqliteWriting<'_> {
    /// The position of an operation.
    pub fn position_of(&self, id: &OpId) -> Result<Option<Position>, StoreError> {
        self.index.position_of(id)
    }

    /// Every proposal, in the space's order.
    pub fn proposals(&self) -> Result<Vec<OpId>, StoreError> {
        self.index.proposals()
    }

    /// The same as [`SqliteSpace::signed_state`], within a transaction.
    pub fn signed_state(&self, id: &OpId) -> Result<SignedState, StoreError> {
        SignedState::of(get(self.index.connection, self.space, id))
    }
}

impl SqliteSpace {
    /// Operations by kind.
    pub fn count_by_kind(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT kind, count(*) FROM op GROUP BY kind")?;
        let counts = statement
            .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
        Ok(counts.collect::<Result<_, _>>()?)
    }

    /// Whether an operation is here as it was signed: its id and body hash match its content. The
    /// signature is checked of a person's word alone, which is shown as certain.
    pub fn is_as_signed(&self, id: &OpId) -> Result<bool, StoreError> {
        Ok(self.signed_state(id)?.is_as_signed)
    }

    /// An operation, if it is here as it was signed.
    pub fn as_signed(&self, id: &OpId) -> Result<Option<Operation<Unverified>>, StoreError> {
        match self.get(id) {
            Ok(found) => Ok(found.map(|recorded| recorded.operation).filter(is_as_signed)),
            Err(StoreError::Damaged { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The same, with what it cites: who follows its citations need not read it again.
    pub fn signed_state(&self, id: &OpId) -> Result<SignedState, StoreError> {
        SignedState::of(self.get(id))
    }

    /// The same of an operation that was seen at a position, where it is found without its id being
    /// looked up. If something else is there, it is looked up.
    pub fn signed_state_at(
        &self,
        id: &OpId,
        position: Position,
    ) -> Result<SignedState, StoreError> {
        match get_at(&self.connection, self.space, id, position) {
            Ok(Some(recorded)) => SignedState::of(Ok(Some(recorded))),
            _ => self.signed_state(id),
        }
    }

    /// Every record whose body has a field of this name, at any depth, with its canonical body.
    pub fn each_evidence_with(
        &self,
        field: &str,
        take: impl FnMut(OpId, &[u8]),
    ) -> Result<(), StoreError> {
        self.each_with(&Kind::Evidence, field, take)
    }

    /// The same of operations of any kind.
    pub fn each_with(
        &self,
        kind: &Kind,
        field: &str,
        mut take: impl FnMut(OpId, &[u8]),
    ) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, body FROM op WHERE kind = ?2 AND instr(body, CAST(?1 AS BLOB)) > 0 ORDER BY pos",
        )?;
        let mut rows = statement.query([&format!("\"{field}\":"), kind.as_str()])?;
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

/// What an operation says by itself, and whether something may be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Its kind.
    pub kind: Kind,
    /// Its canonical body, unless removed.
    pub body: Option<Vec<u8>>,
    /// False where it is known that no annotation is about it.
    pub may_be_annotated: bool,
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

    /// Kind and body of an operation, and whether an annotation is about it.
    pub fn content(&self, id: &OpId) -> Result<Option<Content>, StoreError> {
        let content = self
            .connection
            .prepare_cached(
                "SELECT kind, body, EXISTS (SELECT 1 FROM cite CROSS JOIN op AS citing ON citing.pos = cite.citing
                     WHERE cite.target = op.pos AND cite.role = 'target' AND citing.kind = 'annotation')
                 FROM op WHERE id = ?1",
            )?
            .query_row([id.0], |row| {
                Ok(Content { kind: kind_at(row, 0)?, body: row.get(1)?, may_be_annotated: row.get(2)? })
            })
            .optional()?;
        Ok(content)
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
        if !self.has_removed()? {
            return Ok(None);
        }
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

    /// Whether any body was removed. Most spaces have forgotten nothing, and an import asks for
    /// each of its records.
    fn has_removed(&self) -> Result<bool, StoreError> {
        if let Some(known) = self.has_removed.get() {
            return Ok(known);
        }
        let is_without_body =
            "SELECT EXISTS (SELECT 1 FROM op INDEXED BY op_removed WHERE body IS NULL)";
        let found = self.connection.query_row(is_without_body, [], |row| row.get(0))?
            || erasure::has_forgotten(self.connection)?;
        self.has_removed.set(Some(found));
        Ok(found)
    }

    /// Notes whether an operation that is appended has its body.
    pub(super) fn note_body(&self, is_present: bool) {
        if !is_present {
            self.has_removed.set(Some(true));
        }
    }

    /// Every annotation that may mark something, in the space's order, passed to `take` until it
    /// returns false.
    pub fn each_mark<E: From<StoreError>>(
        &self,
        mut take: impl FnMut(OpId) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut statement = self.connection.prepare_cached(EACH_MARK).map_err(StoreError::from)?;
        let mut rows = statement.query([]).map_err(StoreError::from)?;
        while let Some(row) = rows.next().map_err(StoreError::from)? {
            if !take(id_at(row, 0).map_err(StoreError::from)?)? {
                break;
            }
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::registry::REGISTRY;

    #[test]
    fn marks_are_listed_by_their_index() {
        let connection = Connection::open_in_memory().unwrap();
        REGISTRY.create(&connection).unwrap();
        let plan: String = connection
            .query_row(&format!("EXPLAIN QUERY PLAN {EACH_MARK}"), [], |row| row.get(3))
            .unwrap();
        assert!(plan.contains("op_mark"), "{plan}");
    }
}
