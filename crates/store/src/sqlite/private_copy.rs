//! A private copy of a space, for work whose result is thrown away.
//!
//! Deriving everything again takes long, and the write lock must not be held for that. So the work
//! is done in a copy that only this process sees. The copy holds a snapshot of the ledger, the
//! views that are folded with each append, and the state of derivation. Indexes, caches and
//! journals stay empty.

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Params, Transaction, params};

use super::journal::UsageJournal;
use super::{Mode, SqliteSpace, configure, derive, make_tables};
use crate::StoreError;

/// The ledger's own tables, the positions of views, and what is known of bodies that are missing.
const LEDGER_TABLES: &[&str] =
    &["author", "op", "view", "forgotten", "declaration", "withheld", "restored"];
/// Memory for pages of the copy; further pages go to a temporary file.
const CACHE_KIB_MAX: u32 = 65_536;

impl SqliteSpace {
    /// A copy of the space as it is now. It is deleted when it is dropped or the process ends.
    /// Writers of the space do not wait for it.
    pub fn private_copy(&self) -> Result<Self, StoreError> {
        if self.mode() == Mode::ReadWrite {
            self.migrate()?;
        }
        // A database without a name is a temporary file, which SQLite creates when its cache is
        // full and deletes itself.
        let copy = Connection::open("")?;
        configure(&copy)?;
        copy.execute_batch(&format!("PRAGMA cache_size=-{CACHE_KIB_MAX}"))?;
        make_tables(&copy, self.registry)?;
        let snapshot = self.connection.unchecked_transaction()?;
        let writing = copy.unchecked_transaction()?;
        let folded = self.registry.with_append().flat_map(|view| view.tables);
        let folded: Vec<&'static str> = folded.map(|table| table.name).collect();
        for table in LEDGER_TABLES.iter().chain(&folded).chain(derive::TABLES) {
            // A file of an earlier version that cannot be written lacks some.
            if has_table(&snapshot, table)? {
                copy_rows(&snapshot, &writing, table, "", params![])?;
            }
        }
        writing.commit()?;
        snapshot.finish()?;
        let mut copy = Self::over(copy, Mode::ReadWrite, &self.path, self.registry)?;
        copy.journal = UsageJournal::in_memory(self.space);
        Ok(copy)
    }
}

fn has_table(connection: &Connection, name: &str) -> Result<bool, StoreError> {
    let known = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    Ok(connection.prepare_cached(known)?.exists([name])?)
}

/// Copies rows of a table, those that a condition selects. Columns are matched by name, because a
/// migrated file may have them in another order.
pub(super) fn copy_rows(
    from: &Connection,
    to: &Transaction<'_>,
    table: &'static str,
    condition: &str,
    arguments: impl Params,
) -> Result<(), StoreError> {
    let mut columns = to.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    let columns: Vec<String> =
        columns.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let marks = vec!["?"; columns.len()].join(", ");
    let names = columns.join(", ");
    let mut insert = to.prepare(&format!("INSERT INTO {table} ({names}) VALUES ({marks})"))?;
    let mut select = from.prepare(&format!("SELECT {names} FROM {table} {condition}"))?;
    let mut rows = select.query(arguments)?;
    while let Some(row) = rows.next()? {
        for column in 0..columns.len() {
            let value = ToSqlOutput::Borrowed(row.get_ref(column)?);
            insert.raw_bind_parameter(column + 1, value)?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kernel::body::{Body, Grant, Space};
    use kernel::kind::Capability;
    use kernel::operation::HlcTimestamp;
    use kernel::seal::{ChainPosition, Draft, Signer};

    use super::*;
    use crate::{Ledger, Writing};

    fn owner() -> Signer {
        Signer::from_seed([1; 32])
    }

    fn space(path: &Path) -> SqliteSpace {
        let body = Body::Space(Space {
            name: "test".to_owned(),
            owner: owner().author(),
            created: "2026-01-01T00:00:00Z".to_owned(),
            settings: serde_json::Map::new(),
        });
        let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
        let genesis = owner().seal(Draft::new(body.clone()), place).unwrap();
        SqliteSpace::create(path, &genesis, &body).unwrap()
    }

    /// Appends an operation without committing it.
    fn append(writing: &mut dyn Writing, key: u8) {
        let body = Body::Grant(Grant {
            key: Signer::from_seed([key; 32]).author(),
            name: String::new(),
            capabilities: vec![Capability::Append],
            last_seq: None,
        });
        let place = ChainPosition {
            space: writing.space().unwrap(),
            head: writing.head(&owner().author()).unwrap(),
            ts: HlcTimestamp(writing.latest().unwrap().unwrap().0 + 1),
        };
        let operation = owner().seal(Draft::new(body.clone()), place).unwrap();
        writing.record(&operation, Some(&body)).unwrap();
    }

    fn append_one(space: &mut SqliteSpace, key: u8) {
        let mut writing = space.begin().unwrap();
        append(&mut *writing, key);
        writing.commit().unwrap();
    }

    fn graph(space: &SqliteSpace) -> String {
        space.digests().unwrap().swap_remove(0).digest
    }

    #[test]
    fn a_copy_starts_from_a_snapshot_and_keeps_its_own_writes() {
        let folder = tempfile::tempdir().unwrap();
        let mut space = space(&folder.path().join("space.db"));
        append_one(&mut space, 2);
        let mut copy = space.private_copy().unwrap();
        assert_eq!((copy.head().unwrap(), graph(&copy)), (space.head().unwrap(), graph(&space)));
        let of_space = graph(&space);
        append_one(&mut copy, 3);
        assert_eq!((space.head().unwrap().0, copy.head().unwrap().0), (2, 3));
        assert_eq!(graph(&space), of_space);
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert!(left.iter().all(|file| {
            let name = file.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with("space.db")
        }));
    }

    #[test]
    fn writers_of_a_copy_and_of_its_space_do_not_wait_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space.db");
        let mut space = space(&path);
        let mut copy = space.private_copy().unwrap();
        let mut writing = copy.begin().unwrap();
        append(&mut *writing, 2);
        append_one(&mut space, 3);
        append_one(&mut SqliteSpace::open(&path).unwrap(), 4);
        writing.commit().unwrap();
        // A copy can be made while another handle writes.
        let mut other = SqliteSpace::open(&path).unwrap();
        let mut writing = other.begin().unwrap();
        append(&mut *writing, 5);
        assert_eq!(space.private_copy().unwrap().head().unwrap().0, 3);
        writing.commit().unwrap();
    }

    #[test]
    fn an_inspection_sees_one_snapshot_and_neither_waits_for_a_writer_nor_delays_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space.db");
        let mut space = space(&path);
        let mut other = SqliteSpace::open(&path).unwrap();
        let mut writing = other.begin().unwrap();
        append(&mut *writing, 2);
        let inspection = space.inspect().unwrap();
        assert_eq!(inspection.position().0, 1);
        writing.commit().unwrap();
        assert_eq!(inspection.kinds(crate::Position(0), 9).unwrap().len(), 1);
        drop(inspection);
        let kinds = space.inspect().unwrap().kinds(crate::Position(0), 9).unwrap();
        let kinds: Vec<&str> = kinds.iter().map(|(_, _, kind)| kind.as_str()).collect();
        assert_eq!(kinds, ["space", "grant"]);
        append_one(&mut space, 3);
    }
}
