//! Which private records language models were shown.
//!
//! One row for each prompt that held private records. The table is made when the first row is
//! added, as that of [`super::model_use`] is, and does not count towards the limits of the journal.

use std::collections::BTreeSet;
use std::time::Duration;

use kernel::id::OpId;
use retrieval::text::cut;
use rusqlite::{Connection, params};

use crate::StoreError;
use crate::sqlite::SqliteSpace;

/// Most uses that are kept; beyond them, the oldest are deleted.
const USES_MAX: i64 = 10_000;
/// Longest name of a model or a prompt, in bytes.
const NAME_BYTES_MAX: usize = 512;
/// Bytes of an id.
const ID_BYTES: usize = 32;
/// The table.
const TABLE: &str = "private_use";
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS private_use (
    number INTEGER PRIMARY KEY, ts INTEGER NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL,
    records BLOB NOT NULL
) STRICT;
";

/// A prompt that held private records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateUse {
    /// When it was sent, microseconds since the Unix epoch.
    pub at_us: i64,
    /// The model, with its provider.
    pub model: String,
    /// The prompt and its version.
    pub prompt_version: String,
    /// The private records in it.
    pub records: Vec<OpId>,
}

fn name(text: &str) -> &str {
    cut(text, NAME_BYTES_MAX)
}

fn add(connection: &Connection, used: &PrivateUse) -> Result<(), StoreError> {
    connection.execute_batch(SCHEMA)?;
    let records: Vec<u8> = used.records.iter().flat_map(|id| id.0).collect();
    connection.execute(
        "INSERT INTO private_use (ts, model, prompt, records) VALUES (?1, ?2, ?3, ?4)",
        params![used.at_us, name(&used.model), name(&used.prompt_version), records],
    )?;
    connection.execute(
        "DELETE FROM private_use WHERE number <= (SELECT max(number) FROM private_use) - ?1",
        [USES_MAX],
    )?;
    Ok(())
}

fn all(connection: &Connection) -> Result<Vec<(i64, PrivateUse)>, StoreError> {
    if !super::has_rows(connection, TABLE)? {
        return Ok(Vec::new());
    }
    let mut statement = connection
        .prepare("SELECT number, ts, model, prompt, records FROM private_use ORDER BY number")?;
    let rows = statement.query_map([], |row| {
        let records: Vec<u8> = row.get(4)?;
        let (ids, _) = records.as_chunks::<ID_BYTES>();
        let records = ids.iter().map(|id| OpId(*id)).collect();
        let (at_us, model, prompt_version) = (row.get(1)?, row.get(2)?, row.get(3)?);
        Ok((row.get(0)?, PrivateUse { at_us, model, prompt_version, records }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes the uses that show one of these records.
pub(super) fn delete_showing(
    connection: &Connection,
    records: &BTreeSet<OpId>,
) -> Result<u64, StoreError> {
    let mut deleted = 0;
    for (number, used) in all(connection)? {
        if used.records.iter().any(|id| records.contains(id)) {
            connection.execute("DELETE FROM private_use WHERE number = ?1", [number])?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

impl SqliteSpace {
    /// Notes in the journal that a prompt holds private records. Waits at most `wait` for others
    /// that write to the journal.
    pub fn add_private_use(&self, used: &PrivateUse, wait: Duration) -> Result<(), StoreError> {
        self.journal.change(wait, |connection| add(connection, used))
    }

    /// The prompts that held private records, the oldest first.
    pub fn private_use(&self) -> Result<Vec<PrivateUse>, StoreError> {
        let read = self.journal.read(all)?.unwrap_or_default();
        Ok(read.into_iter().map(|(_, used)| used).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: &[u8] = include_bytes!("../../../tests/fixtures/version-4-receipts.space");

    #[test]
    fn uses_are_kept_across_handles_and_erased_with_their_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space.db");
        std::fs::write(&path, SPACE).unwrap();
        let space = SqliteSpace::open(&path).unwrap();
        assert_eq!(space.private_use().unwrap(), [], "a journal that has no table yet");
        let used = |at_us, records: &[u8]| PrivateUse {
            at_us,
            model: "openai:small".to_owned(),
            prompt_version: "why-1".to_owned(),
            records: records.iter().map(|number| OpId([*number; 32])).collect(),
        };
        for used in [used(1, &[1, 2]), used(2, &[2]), used(3, &[3])] {
            space.add_private_use(&used, Duration::ZERO).unwrap();
        }
        drop(space);
        let space = SqliteSpace::open(&path).unwrap();
        assert_eq!(space.private_use().unwrap(), [used(1, &[1, 2]), used(2, &[2]), used(3, &[3])]);
        space.erase_from_journal(&BTreeSet::from([OpId([2; 32])])).unwrap();
        assert_eq!(space.private_use().unwrap(), [used(3, &[3])]);
        let many = |connection: &Connection| {
            (0..USES_MAX).try_for_each(|number| add(connection, &used(number, &[4])))
        };
        space.journal.change(Duration::ZERO, many).unwrap();
        assert_eq!(space.private_use().unwrap().len() as i64, USES_MAX);
    }
}
