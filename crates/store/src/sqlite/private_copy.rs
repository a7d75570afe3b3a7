//! A private copy of a space, for work whose result is thrown away.
//!
//! Deriving everything again takes long, and the write lock must not be held for that. So the work
//! is done in a copy that only this process sees. The copy holds the ledger, the graph and what
//! derivation remembers, as they are at one moment; indexes, caches and journals stay empty.

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Transaction};

use super::{Mode, SqliteSpace, configure, derive, graph, make_tables};
use crate::StoreError;

/// The ledger's own tables, and the positions of views.
const LEDGER_TABLES: &[&str] = &["author", "op", "view"];
/// Memory for pages of the copy; what is beyond that lies in a temporary file.
const CACHE_KIB_MAX: u32 = 65_536;

impl SqliteSpace {
    /// A copy of the space as it is now. It disappears when it is dropped, or when the process
    /// ends. Writers of the space are not held up.
    pub fn private_copy(&self) -> Result<Self, StoreError> {
        if self.mode() == Mode::ReadWrite {
            self.migrate()?;
        }
        // A database without a name is a temporary file, which SQLite makes when its memory is full
        // and deletes itself.
        let copy = Connection::open("")?;
        configure(&copy)?;
        copy.execute_batch(&format!("PRAGMA cache_size=-{CACHE_KIB_MAX}"))?;
        make_tables(&copy)?;
        let snapshot = self.connection.unchecked_transaction()?;
        let writing = copy.unchecked_transaction()?;
        let tables = LEDGER_TABLES.iter().chain(graph::TABLES).chain(derive::TABLES);
        for table in tables {
            copy_table(&snapshot, &writing, table)?;
        }
        writing.commit()?;
        snapshot.finish()?;
        Self::over(copy, Mode::ReadWrite, &self.path)
    }
}

/// Copies the rows of a table. Columns go by name: an older file that was migrated may have them in
/// another order.
fn copy_table(
    from: &Transaction<'_>,
    to: &Transaction<'_>,
    table: &'static str,
) -> Result<(), StoreError> {
    let mut columns = to.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    let columns: Vec<String> =
        columns.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let marks = vec!["?"; columns.len()].join(", ");
    let names = columns.join(", ");
    let mut insert = to.prepare(&format!("INSERT INTO {table} ({names}) VALUES ({marks})"))?;
    let mut select = from.prepare(&format!("SELECT {names} FROM {table}"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns.len() {
            let value = ToSqlOutput::Borrowed(row.get_ref(column)?);
            insert.raw_bind_parameter(column + 1, value)?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}
