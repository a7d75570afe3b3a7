//! Claims and nodes by a part of their bodies: for ids that other programs gave them, which no
//! index has. It reads every claim and node, so it is for the few names that are not ids of ours.

use kernel::id::OpId;

use super::graph::{SqliteLedgerIndex, id_at};
use super::ledger::SqliteWriting;
use crate::StoreError;

impl SqliteLedgerIndex<'_> {
    /// The claims and nodes whose canonical body contains `part`, in order of arrival.
    pub fn records_containing(&self, part: &str) -> Result<Vec<OpId>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM op WHERE kind IN ('claim', 'node') AND instr(body, ?1) > 0 ORDER BY pos",
        )?;
        let ids = statement.query_map([part.as_bytes()], |row| id_at(row, 0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }
}

impl SqliteWriting<'_> {
    /// The same among what is being written, too.
    pub fn records_containing(&self, part: &str) -> Result<Vec<OpId>, StoreError> {
        self.index.records_containing(part)
    }
}
