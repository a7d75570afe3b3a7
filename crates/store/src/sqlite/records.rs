//! The view of records: nodes by their texts, and edges by their types and ends.
//!
//! Stating a text or an edge again must find the earlier version at the cost of one look-up, and
//! lists show the newest first. What edges make of a record is not stored: it depends on edges far
//! away, and is computed for the few records that are asked for
//! ([`Records`](kernel::records::Records)).

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::HlcTimestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::graph::{SqliteLedgerIndex, id_at, sql, stamp_at};
use super::registry::{Fold, TableSpec, ViewSpec};
use crate::{Position, StoreError};

/// The version of the tables that first has the view.
pub(super) const SINCE: i64 = 7;

/// The view's table.
pub(super) static VIEW: ViewSpec = ViewSpec {
    name: "records",
    tables: &[TableSpec::new(
        "record",
        SINCE,
        "CREATE TABLE record (pos INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, ts INTEGER NOT NULL) STRICT;
         CREATE INDEX record_key ON record (key, kind, ts);
         CREATE INDEX record_kind ON record (kind, ts);",
    )],
    fold: Fold::WithAppend {
        is_needed: |connection| {
            let exists = "SELECT EXISTS (SELECT 1 FROM op WHERE kind IN ('node', 'edge'))";
            Ok(connection.query_row(exists, [], |row| row.get(0))?)
        },
    },
};

/// Stores what an operation is a version of.
pub(super) fn store(
    connection: &Connection,
    position: Position,
    key: &str,
    kind: &Kind,
    ts: HlcTimestamp,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO record (pos, key, kind, ts) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![sql(position), key, kind.as_str(), ts.0 as i64])?;
    Ok(())
}

/// What the operation in a row is a version of.
pub(super) fn key_at(connection: &Connection, row: i64) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT key FROM record WHERE pos = ?1")?;
    Ok(statement.query_row([row], |row| row.get(0)).optional()?)
}

impl SqliteLedgerIndex<'_> {
    /// Nodes or edges, the latest first and none after `until`, passed to `take` until it returns
    /// false. With a prefix, only those whose key begins with it.
    pub fn latest_records(
        &self,
        kind: &Kind,
        prefix: Option<&str>,
        until: HlcTimestamp,
        mut take: impl FnMut(OpId) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        if !self.has_records() {
            return Ok(());
        }
        let condition = match prefix {
            Some(_) => "AND substr(record.key, 1, length(?3)) = ?3",
            None => "AND ?3 IS NULL",
        };
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT op.id, record.ts FROM record CROSS JOIN op USING (pos)
             WHERE record.kind = ?1 AND record.ts <= ?2 {condition}
             ORDER BY record.ts DESC, record.pos DESC"
        ))?;
        let until = i64::try_from(until.0).unwrap_or(i64::MAX);
        let mut rows = statement.query(params![kind.as_str(), until, prefix])?;
        while let Some(row) = rows.next()? {
            stamp_at(row, 1)?;
            if !take(id_at(row, 0)?)? {
                break;
            }
        }
        Ok(())
    }
}
