//! Forgetting: erasing redacted bodies from everything that the file holds.
//!
//! The kernel says which bodies are redacted ([`kernel::redaction`]). A writing collects the
//! redactions that it takes, and erases before it is committed: the bodies and salts, every journal
//! and cache row that was made of them, and the views that hold anything of them, which are then
//! folded again from what is left. The text index holds evidence alone, so that it stays as it is
//! where only a person's words and claims go. So a process that is killed leaves either everything
//! or nothing erased.
//!
//! Receipts are in a file of their own ([`super::journal`]). Those that showed what was erased are
//! deleted from it before the erasure counts as done.
//!
//! SQLite leaves what was deleted in free pages and in the write-ahead log. So the same transaction
//! sets a mark (`erase_due`), and [`SqliteSpace::finish_erasure`] writes the file anew without free
//! pages (`VACUUM`), copies the log into the file and truncates it. A reader of an older snapshot
//! delays that; the next writer then tries again. A long exchange leaves the erasing of rows to its
//! last transaction by the same mark, because folding the views again takes as long for one
//! redaction as for a thousand.
//!
//! What was forgotten is recognised when it is imported again: by the hash in the header of what
//! this device wrote, and by the hash that this device would have given it for what others wrote
//! (the table `forgotten`). A salt goes into each, so no content can be guessed from them without
//! the device's secret.

use std::collections::BTreeSet;
use std::time::Duration;

use kernel::id::{BodyHash, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::Operation;
use kernel::redaction::{concerned, forgotten_behind, quoted, redacted_with};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::access::AccessCache;
use super::graph::{SqliteLedgerIndex, refs_at};
use super::registry::Registry;
use super::{Mode, SqliteSpace, derive, echo, embedding};
use crate::{Position, StoreError};

/// The version of the file's tables that first erases.
pub(super) const SINCE_VERSION: i64 = 5;

/// The tables.
pub(super) const SCHEMA: &str = "
CREATE INDEX IF NOT EXISTS op_redaction ON op (pos) WHERE kind = 'redaction';
CREATE TABLE IF NOT EXISTS forgotten (hash BLOB PRIMARY KEY, pos INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS erase_due (one INTEGER PRIMARY KEY CHECK (one = 1), stage INTEGER NOT NULL) STRICT;
";

/// Operations that are being erased, in the temporary schema, which is kept in memory.
const ERASED: &str = "
CREATE TEMP TABLE IF NOT EXISTS erased (pos INTEGER PRIMARY KEY, id BLOB NOT NULL);
DELETE FROM temp.erased;
";

/// Largest file that is written anew with its temporary copy in memory, bytes. A larger one uses a
/// temporary file, which the system deletes; it contains only what is kept.
const VACUUM_IN_MEMORY_BYTES_MAX: i64 = 64 << 20;

/// What is still to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A long exchange has taken redactions, and is to erase once for all of them.
    Rows = 0,
    /// Free pages hold deleted content.
    FreePages = 1,
    /// The write-ahead log does.
    Log = 2,
    /// Both [`Self::Rows`] and [`Self::FreePages`].
    RowsAndPages = 3,
}

/// What a file has when an erasure is being finished. Each further one changes it.
#[derive(PartialEq, Eq)]
struct ErasedUntil {
    /// How many operations have no body.
    removed: i64,
    /// The last position.
    last: Option<i64>,
}

/// The hashes that this device would give a body that is being erased.
pub type DeviceHashes<'a> = Box<dyn Fn(&Kind, &[u8]) -> Vec<BodyHash> + 'a>;

/// The redactions that a writing has taken and not yet applied.
#[derive(Default)]
pub(super) struct PendingRedactions {
    targets: Vec<OpId>,
    /// Whether every redaction must be looked at again, because who may do what has changed.
    all: bool,
}

impl PendingRedactions {
    /// Notes an operation that was appended. `changes_access` is true for a change of access that
    /// concerns operations before it.
    pub(super) fn note<State>(&mut self, operation: &Operation<State>, changes_access: bool) {
        let header = operation.header();
        if header.kind == Kind::Redaction {
            self.targets.extend(concerned(&header.refs));
        }
        self.all |= changes_access;
    }

    fn is_empty(&self) -> bool {
        self.targets.is_empty() && !self.all
    }

    /// Those that an earlier transaction left.
    pub(super) fn left(connection: &Connection) -> Result<Self, StoreError> {
        if super::schema_version(connection)? < SINCE_VERSION {
            return Ok(Self::default());
        }
        let all = stage_of(connection)?.is_some_and(waits_for_rows);
        Ok(Self { targets: Vec::new(), all })
    }

    /// Leaves them to the next transaction.
    pub(super) fn leave(self, connection: &Connection) -> Result<(), StoreError> {
        if self.is_empty() {
            return Ok(());
        }
        let is_more_due = stage_of(connection)?.is_some_and(|stage| stage != Stage::Rows as i64);
        set_stage(connection, if is_more_due { Stage::RowsAndPages } else { Stage::Rows })
    }
}

fn waits_for_rows(stage: i64) -> bool {
    stage == Stage::Rows as i64 || stage == Stage::RowsAndPages as i64
}

fn stage_of(connection: &Connection) -> Result<Option<i64>, StoreError> {
    let stage = connection
        .prepare_cached("SELECT stage FROM erase_due")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(stage)
}

fn set_stage(connection: &Connection, stage: Stage) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO erase_due (one, stage) VALUES (1, ?1)")?
        .execute([stage as i64])?;
    Ok(())
}

/// Whether a file of this version has any redaction.
pub(super) fn has_redactions(connection: &Connection) -> Result<bool, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM op WHERE kind = 'redaction')")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// Whether an operation that arrives quotes something whose body is redacted.
pub(super) fn quotes_redacted<State>(
    index: &SqliteLedgerIndex<'_>,
    operation: &Operation<State>,
) -> Result<bool, StoreError> {
    let header = operation.header();
    for id in quoted(&header.kind, &header.refs) {
        // Whatever is redacted was erased, so one that has its body is not.
        let is_removed = index
            .connection
            .prepare_cached("SELECT body IS NULL FROM op WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        if is_removed == Some(true) && forgotten_behind(index, &id)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Applies redactions. Returns whether anything was erased; then every cache over the connection is
/// out of date.
pub(super) fn apply(
    index: &SqliteLedgerIndex<'_>,
    registry: &Registry,
    pending: PendingRedactions,
    hashes: Option<&DeviceHashes<'_>>,
) -> Result<bool, StoreError> {
    if pending.is_empty() {
        return Ok(false);
    }
    let connection = index.connection;
    let targets = if pending.all { all_targets(connection)? } else { pending.targets };
    let redacted = redacted_with(index, targets)?;
    if !erase_bodies(connection, &redacted, hashes)? {
        match stage_of(connection)? {
            Some(stage) if stage == Stage::Rows as i64 => {
                connection.execute("DELETE FROM erase_due", [])?;
            }
            Some(stage) if stage == Stage::RowsAndPages as i64 => {
                set_stage(connection, Stage::FreePages)?;
            }
            _ => {}
        }
        return Ok(false);
    }
    echo::erase(connection)?;
    embedding::erase(connection)?;
    let space = index.space()?.unwrap_or(SpaceId(OpId([0; 32])));
    registry.empty_lagging(connection, &erased_kinds(connection)?)?;
    registry.refold_with_append(connection, space)?;
    derive::erase(connection)?;
    connection.execute("DELETE FROM temp.erased", [])?;
    set_stage(connection, Stage::FreePages)?;
    Ok(true)
}

/// Applies the redactions in a file that a program wrote that did not erase.
pub(super) fn apply_all(connection: &Connection, registry: &Registry) -> Result<(), StoreError> {
    let index = SqliteLedgerIndex::new(connection, &AccessCache::default())?;
    let pending = PendingRedactions { targets: Vec::new(), all: true };
    apply(&index, registry, pending, None).map(drop)
}

/// Erases keys and vectors that were made of the content of some operations, which was not what
/// was signed.
pub(super) fn erase_made_of(
    connection: &Connection,
    positions: &[Position],
) -> Result<(), StoreError> {
    connection.execute_batch(ERASED)?;
    let mut list = connection
        .prepare("INSERT INTO temp.erased (pos, id) SELECT pos, id FROM op WHERE pos = ?1")?;
    for position in positions {
        list.execute([super::graph::sql(*position)])?;
    }
    echo::erase(connection)?;
    embedding::erase(connection)?;
    connection.execute("DELETE FROM temp.erased", [])?;
    Ok(())
}

fn all_targets(connection: &Connection) -> Result<Vec<OpId>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT refs FROM op WHERE kind = 'redaction' ORDER BY pos")?;
    let mut rows = statement.query([])?;
    let mut targets = Vec::new();
    while let Some(row) = rows.next()? {
        targets.extend(concerned(&refs_at(row, 0)?));
    }
    Ok(targets)
}

/// Erases bodies and salts. The rows are then listed in `temp.erased`. Returns whether there are
/// any.
fn erase_bodies(
    connection: &Connection,
    redacted: &BTreeSet<OpId>,
    hashes: Option<&DeviceHashes<'_>>,
) -> Result<bool, StoreError> {
    connection.execute_batch(ERASED)?;
    // What is deleted or replaced from here on is overwritten with zeros.
    connection.query_row("PRAGMA secure_delete=ON", [], |_| Ok(()))?;
    let mut find = connection
        .prepare_cached("SELECT pos, kind, body FROM op WHERE id = ?1 AND body IS NOT NULL")?;
    let mut list = connection.prepare("INSERT INTO temp.erased (pos, id) VALUES (?1, ?2)")?;
    let mut erase =
        connection.prepare_cached("UPDATE op SET salt = NULL, body = NULL WHERE pos = ?1")?;
    let mut note = connection
        .prepare_cached("INSERT OR REPLACE INTO forgotten (hash, pos) VALUES (?1, ?2)")?;
    let mut any = false;
    for id in redacted {
        let found: Option<(i64, String, Vec<u8>)> =
            find.query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
        let Some((position, kind, body)) = found else { continue };
        if let (Some(hashes), Ok(kind)) = (hashes, Kind::parse(&kind)) {
            for hash in hashes(&kind, &body) {
                note.execute(params![hash.0, position])?;
            }
        }
        list.execute(params![position, id.0])?;
        erase.execute([position])?;
        any = true;
    }
    Ok(any)
}

/// The kinds of what is listed in `temp.erased`.
fn erased_kinds(connection: &Connection) -> Result<BTreeSet<Kind>, StoreError> {
    let mut statement = connection
        .prepare("SELECT DISTINCT op.kind FROM temp.erased JOIN op ON op.pos = erased.pos")?;
    let kinds = statement.query_map([], |row| super::graph::kind_at(row, 0))?;
    Ok(kinds.collect::<Result<_, _>>()?)
}

/// The forgotten operation whose body had this hash, or would have had it if this device had
/// written it.
pub(super) fn forgotten(
    connection: &Connection,
    body: &BodyHash,
) -> Result<Option<OpId>, StoreError> {
    if super::schema_version(connection)? < SINCE_VERSION {
        return Ok(None);
    }
    let id = connection
        .prepare_cached(
            "SELECT op.id FROM forgotten JOIN op ON op.pos = forgotten.pos WHERE forgotten.hash = ?1",
        )?
        .query_row([body.0], |row| super::graph::id_at(row, 0))
        .optional()?;
    Ok(id)
}

/// Whether the hash of any forgotten body is kept.
pub(super) fn has_forgotten(connection: &Connection) -> Result<bool, StoreError> {
    if super::schema_version(connection)? < SINCE_VERSION {
        return Ok(false);
    }
    let exists = "SELECT EXISTS (SELECT 1 FROM forgotten)";
    Ok(connection.query_row(exists, [], |row| row.get(0))?)
}

impl SqliteSpace {
    /// Whether deleted content may still be in free pages or in the write-ahead log.
    pub fn is_erasure_due(&self) -> Result<bool, StoreError> {
        Ok(self.erasure_stage()?.is_some())
    }

    fn erasure_stage(&self) -> Result<Option<i64>, StoreError> {
        if super::schema_version(&self.connection)? < SINCE_VERSION {
            return Ok(None);
        }
        stage_of(&self.connection)
    }

    /// Operations whose bodies are redacted and present. Only damage, or another program, leaves
    /// any.
    pub fn unerased(&self) -> Result<Vec<OpId>, StoreError> {
        self.on_snapshot(|index| {
            let mut unerased = Vec::new();
            for id in redacted_with(index, all_targets(index.connection)?)? {
                if index.body(&id)?.is_some() {
                    unerased.push(id);
                }
            }
            Ok(unerased)
        })
    }

    /// Removes deleted content from free pages and from the write-ahead log, if a transaction that
    /// erased says that this is due. Waits for other writers and for readers of older snapshots,
    /// each at most `wait`. Returns whether it is done; if not, the next writer tries again.
    pub fn finish_erasure(&self, wait: Duration) -> Result<bool, StoreError> {
        let Some(stage) = self.erasure_stage()? else { return Ok(true) };
        if self.mode() == Mode::ReadOnly || self.reading.is_reading() {
            return Ok(false);
        }
        self.connection.busy_timeout(wait)?;
        let finished = self.finish_from(stage);
        self.connection.busy_timeout(Duration::from_millis(super::BUSY_WAIT_MS))?;
        match finished {
            Err(StoreError::Busy { .. }) => Ok(false),
            finished => finished,
        }
    }

    fn finish_from(&self, stage: i64) -> Result<bool, StoreError> {
        let connection = &self.connection;
        if waits_for_rows(stage) {
            return Ok(false);
        }
        let erased = self.erased_until_now()?;
        if stage == Stage::FreePages as i64 {
            self.erase_from_journal(&self.removed_bodies()?)?;
            self.write_anew()?;
            if !self.advance_stage(&erased, Stage::FreePages, Some(Stage::Log))? {
                return Ok(false);
            }
        }
        let is_busy: i64 =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if is_busy != 0 {
            return Ok(false);
        }
        self.advance_stage(&erased, Stage::Log, None)
    }

    /// Sets the next stage, or none, if nothing was erased since `erased`: another process may have
    /// left a mark of its own meanwhile. Returns whether it did.
    fn advance_stage(
        &self,
        erased: &ErasedUntil,
        from: Stage,
        to: Option<Stage>,
    ) -> Result<bool, StoreError> {
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        if stage_of(&transaction)? != Some(from as i64) || self.erased_until_now()? != *erased {
            return Ok(false);
        }
        match to {
            Some(stage) => set_stage(&transaction, stage)?,
            None => drop(transaction.execute("DELETE FROM erase_due", [])?),
        }
        transaction.commit()?;
        Ok(true)
    }

    fn erased_until_now(&self) -> Result<ErasedUntil, StoreError> {
        let known = "SELECT (SELECT count(*) FROM op INDEXED BY op_removed WHERE body IS NULL),
                     (SELECT max(pos) FROM op)";
        let mut statement = self.connection.prepare_cached(known)?;
        Ok(statement
            .query_row([], |row| Ok(ErasedUntil { removed: row.get(0)?, last: row.get(1)? }))?)
    }

    /// Every operation that has no body here. Their receipts go; of those whose bodies were
    /// withheld there are none.
    fn removed_bodies(&self) -> Result<BTreeSet<OpId>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM op WHERE body IS NULL")?;
        let ids = statement.query_map([], |row| super::graph::id_at(row, 0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    fn write_anew(&self) -> Result<(), StoreError> {
        let connection = &self.connection;
        let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
        let bytes = number("PRAGMA page_count")?.saturating_mul(number("PRAGMA page_size")?);
        if bytes > VACUUM_IN_MEMORY_BYTES_MAX {
            connection.execute_batch("PRAGMA temp_store=FILE")?;
        }
        let written = connection.execute_batch("VACUUM").map_err(StoreError::from);
        connection.execute_batch("PRAGMA temp_store=MEMORY")?;
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_for_rows_does_not_replace_the_one_for_pages() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE op (pos INTEGER PRIMARY KEY, kind TEXT)").unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        let leave = || {
            let pending = PendingRedactions { targets: vec![OpId([1; 32])], all: false };
            pending.leave(&connection).unwrap();
            stage_of(&connection).unwrap().unwrap()
        };
        assert_eq!((leave(), leave()), (Stage::Rows as i64, Stage::Rows as i64));
        for stage in [Stage::FreePages, Stage::Log, Stage::RowsAndPages] {
            set_stage(&connection, stage).unwrap();
            assert_eq!(leave(), Stage::RowsAndPages as i64);
        }
    }
}
