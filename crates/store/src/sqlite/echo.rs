//! Keys of records and of shown texts, by which a repeated text is recognised.
//!
//! Each record is looked up by a few keys, which are hashes of some of its shingles. The table is
//! not a view: it stores the position up to which records have keys, and it is filled in the
//! transaction that appends them. A missing key only means that a repetition is not recognised. The
//! engine chooses the keys and decides what a match means.

use std::collections::BTreeSet;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};

use super::SqliteWriting;
use super::graph::sql;
use super::journal::tables;
use super::receipts::ShownRecord;
use crate::{Position, StoreError};

/// The tables.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS echo_key (key INTEGER NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY (key, pos)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS echo_read (one INTEGER PRIMARY KEY CHECK (one = 1), pos INTEGER NOT NULL) STRICT;
";

/// What one receipt says was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// When, microseconds since the Unix epoch.
    pub ts_us: i64,
    /// Before whom.
    pub agent: String,
    /// In which conversation.
    pub session: Option<String>,
    /// The records.
    pub items: Vec<ShownRecord>,
}

/// Erases the keys of the operations in `temp.erased`.
pub(super) fn erase(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("DELETE FROM echo_key WHERE pos IN (SELECT pos FROM temp.erased)", [])?;
    Ok(())
}

/// Those of some positions whose operation has no body. Few spaces have any, which one look-up
/// tells; the others read the operations in order, since random reads would take as long as an
/// import.
fn removed_among(
    connection: &Connection,
    positions: impl Iterator<Item = Position>,
) -> Result<BTreeSet<Position>, StoreError> {
    let mut removed = BTreeSet::new();
    let any = "SELECT EXISTS (SELECT 1 FROM op INDEXED BY op_removed WHERE body IS NULL)";
    if connection.prepare_cached(any)?.query_row([], |row| row.get(0))? {
        let mut has_body =
            connection.prepare_cached("SELECT 1 FROM op WHERE pos = ?1 AND body IS NOT NULL")?;
        for position in positions.collect::<BTreeSet<Position>>() {
            if !has_body.exists([sql(position)])? {
                removed.insert(position);
            }
        }
    }
    Ok(removed)
}

impl SqliteWriting<'_> {
    /// The position up to which records can be found by their keys.
    pub fn echo_position(&self) -> Result<Position, StoreError> {
        let position: Option<i64> = self
            .index
            .connection
            .prepare_cached("SELECT pos FROM echo_read")?
            .query_row([], |row| row.get(0))
            .optional()?;
        Ok(Position(position.unwrap_or(0).unsigned_abs()))
    }

    /// The latest `limit` records with a key.
    pub fn keyed(&self, key: u32, limit: usize) -> Result<Vec<Position>, StoreError> {
        let mut statement = self
            .index
            .connection
            .prepare_cached("SELECT pos FROM echo_key WHERE key = ?1 ORDER BY pos DESC LIMIT ?2")?;
        let positions =
            statement.query_map([i64::from(key), limit as i64], |row| row.get::<_, i64>(0))?;
        let positions = positions.map(|position| Ok(Position(position?.unsigned_abs())));
        positions.collect()
    }

    /// Adds keys, in order, and stores the position up to which records have theirs.
    pub fn add_keys(&mut self, keys: &[(u32, Position)], read: Position) -> Result<(), StoreError> {
        let connection = self.index.connection;
        // A key may have waited while its record was forgotten.
        let removed = removed_among(connection, keys.iter().map(|(_, position)| *position))?;
        let mut statement = connection
            .prepare_cached("INSERT OR IGNORE INTO echo_key (key, pos) VALUES (?1, ?2)")?;
        for (key, position) in keys.iter().filter(|(_, position)| !removed.contains(position)) {
            statement.execute([i64::from(*key), sql(*position)])?;
        }
        connection
            .prepare_cached(
                "INSERT INTO echo_read (one, pos) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET pos = max(pos, ?1)",
            )?
            .execute([sql(read)])?;
        Ok(())
    }

    /// Whether any receipt shows anything. Receipts of this process that wait are written first,
    /// so that what they show is recognised.
    pub fn has_receipts(&self) -> bool {
        let _ = self.receipts.write_waiting(Duration::ZERO);
        let found = self.receipts.read(|journal| {
            Ok(journal.prepare_cached("SELECT 1 FROM shown LIMIT 1")?.exists([])?)
        });
        found.ok().flatten().unwrap_or_default()
    }

    /// Numbers of the latest `limit` receipts that show a text with this shingle.
    pub fn injected_by(&self, shingle: u32, limit: usize) -> Vec<i64> {
        self.of_journal(|journal| tables::with_shingle(journal, shingle, limit))
    }

    /// Numbers of the latest `limit` receipts of a conversation.
    pub fn injected_in(&self, session: &str, limit: usize) -> Vec<i64> {
        self.of_journal(|journal| tables::in_session(journal, session, limit))
    }

    /// What a receipt shows.
    pub fn injected(&self, number: i64) -> Option<Injected> {
        let kept = self.of_journal(|journal| tables::get(journal, number))?;
        let (ts_us, agent, session) = (kept.ts_us, kept.agent, kept.session);
        Some(Injected { ts_us, agent, session, items: kept.records })
    }

    /// An answer from the journal. A journal that cannot be read counts as empty: what it would
    /// have said may be lost, and what is to be recorded may not.
    fn of_journal<T: Default>(&self, ask: impl FnOnce(&Connection) -> Result<T, StoreError>) -> T {
        self.receipts.read_again(ask).ok().flatten().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use kernel::body::{Body, Grant, Space};
    use kernel::kind::Capability;
    use kernel::operation::HlcTimestamp;
    use kernel::seal::{ChainPosition, Draft, Signer};

    use super::*;
    use crate::Ledger;
    use crate::sqlite::SqliteSpace;

    fn seal(body: Body, place: ChainPosition) -> kernel::operation::Operation {
        Signer::from_seed([1; 32]).seal(Draft::new(body), place).unwrap()
    }

    #[test]
    fn keys_of_records_that_were_forgotten_while_they_waited_are_not_added() {
        let signer = Signer::from_seed([1; 32]);
        let genesis = Body::Space(Space {
            name: "test".to_owned(),
            owner: signer.author(),
            created: "2026-01-01T00:00:00Z".to_owned(),
            settings: serde_json::Map::new(),
        });
        let first =
            seal(genesis.clone(), ChainPosition { space: None, head: None, ts: HlcTimestamp(1) });
        let mut space = SqliteSpace::create_in_memory(&first, &genesis).unwrap();
        for key in 2..5 {
            let grant = Body::Grant(Grant {
                key: Signer::from_seed([key; 32]).author(),
                name: String::new(),
                capabilities: vec![Capability::Append],
                last_seq: None,
            });
            let mut writing = space.begin().unwrap();
            let place = ChainPosition {
                space: writing.space().unwrap(),
                head: writing.head(&signer.author()).unwrap(),
                ts: HlcTimestamp(key.into()),
            };
            writing.record(&seal(grant.clone(), place), Some(&grant)).unwrap();
            writing.commit().unwrap();
        }
        let keys = |key| [2, 3, 4].map(|position| (key, Position(position)));
        let positions = |writing: &SqliteWriting<'_>, key| {
            let found = writing.keyed(key, 9).unwrap();
            found.into_iter().map(|position| position.0).collect::<Vec<_>>()
        };
        let mut writing = space.write().unwrap();
        writing.add_keys(&keys(7), Position(4)).unwrap();
        assert_eq!(positions(&writing, 7), [4, 3, 2]);
        let erase = "UPDATE op SET salt = NULL, body = NULL WHERE pos = 3";
        writing.index.connection.execute(erase, []).unwrap();
        writing.add_keys(&keys(8), Position(4)).unwrap();
        assert_eq!(positions(&writing, 8), [4, 2]);
    }
}
