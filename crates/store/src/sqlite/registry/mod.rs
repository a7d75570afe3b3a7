//! What a space's file holds: the ledger, the views of it, and journals.
//!
//! A view is one declaration, a [`ViewSpec`], in one list, [`REGISTRY`]. Everything that concerns
//! all views reads that list: creating a file, migrating an older one, digests, sizes, verifying,
//! rebuilding, and bringing views up to date. A table is declared once, with the version of the
//! file's tables that first has it.
//!
//! Views differ in when they are folded. The graph and the beliefs are folded in the transaction of
//! each append, because the next operation is judged by them ([`Fold::WithAppend`]). All others lag
//! behind the ledger, and readers fold them ([`Fold::Lagging`]).

use std::collections::BTreeSet;

use kernel::id::{OpId, SpaceId};
use kernel::kind::Kind;
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    beliefs, declarations, derive, echo, embedding, erasure, graph, index, ledger, listings,
    records, restored,
};
use crate::{Position, StoreError};

/// Everything that a file holds besides the ledger itself.
pub(super) static REGISTRY: Registry = Registry {
    views: &[
        &graph::VIEW,
        &records::VIEW,
        &beliefs::VIEW,
        &index::TEXT_VIEW,
        &index::FACT_VIEW,
        &index::THOUGHT_VIEW,
    ],
    journals: &[
        Journal { since: 1, ddl: ledger::SCHEMA },
        Journal { since: 2, ddl: derive::SCHEMA },
        Journal { since: 2, ddl: listings::SCHEMA },
        // Receipts moved to a file of their own. The files of earlier versions still have the
        // tables that they were in, which are empty (`journal::earlier`).
        Journal { since: 5, ddl: "" },
        Journal { since: 3, ddl: echo::SCHEMA },
        Journal { since: 3, ddl: embedding::SCHEMA },
        Journal { since: restored::SINCE, ddl: restored::SCHEMA },
        Journal { since: declarations::SINCE, ddl: declarations::SCHEMA },
        Journal { since: 5, ddl: listings::IMPORTS },
        Journal { since: erasure::SINCE_VERSION, ddl: erasure::SCHEMA },
        Journal { since: index::THOUGHTS_SINCE, ddl: listings::THOUGHTS },
        Journal { since: listings::MARKS_SINCE, ddl: listings::MARKS },
    ],
};

/// What a copy holds in which agents' thinking is searched.
pub(super) static OF_THINKING: Registry = Registry {
    views: &[&graph::VIEW, &records::VIEW, &beliefs::VIEW, &index::THINKING_VIEW],
    journals: REGISTRY.journals,
};

/// The tables of a file.
pub(super) struct Registry {
    /// In the order in which they are digested and folded.
    pub(super) views: &'static [&'static ViewSpec],
    /// What is in no digest and survives a rebuild.
    pub(super) journals: &'static [Journal],
}

/// Tables that are not a view: the ledger, queues, journals and caches.
pub(super) struct Journal {
    /// The version of the file's tables that first has them.
    pub(super) since: i64,
    /// Makes them.
    pub(super) ddl: &'static str,
}

/// A view: tables that are a function of the ledger up to a position.
pub(super) struct ViewSpec {
    /// Its name, in digests and in the table of positions.
    pub(super) name: &'static str,
    /// Its tables, in the order in which they are digested.
    pub(super) tables: &'static [TableSpec],
    /// Who folds it, and when.
    pub(super) fold: Fold,
}

/// When a view is folded.
pub(super) enum Fold {
    /// In the transaction of each append, by
    /// [`SqliteLedgerIndex::fold`](super::SqliteLedgerIndex); so its position is the ledger's head.
    WithAppend {
        /// Whether the ledger of an older file holds anything that goes into this view.
        is_needed: fn(&Connection) -> Result<bool, StoreError>,
    },
    /// By whoever reads it, up to a position of its own in the table `view`.
    Lagging {
        /// The version of the tables' contents; with another version they are folded again.
        version: i64,
        /// Whether it reads every operation and can fold the graph from the same reading.
        folds_graph: bool,
        /// Whether anything in it comes from bodies of a kind, so that it is folded again when one
        /// is erased.
        reads_bodies_of: fn(&Kind) -> bool,
        /// Creates its folder.
        folder: MakeFolder,
    },
}

/// Creates the folder of a view.
pub(super) type MakeFolder = fn(&Connection) -> Result<Box<dyn ViewFolder>, StoreError>;

/// Folds a lagging view, and may keep a cache between folds.
pub(super) trait ViewFolder: Send {
    /// Folds a bounded number of operations, none after `task.until`, in the transaction that is
    /// open, and stores the new position, which it returns.
    fn fold(&mut self, task: &FoldTask<'_>) -> Result<Position, StoreError>;

    /// Prepares empty tables for folding up to the view in the file attached as `schema`, if that
    /// depends on more than the view's position.
    fn begin_like(&self, _connection: &Connection, _schema: &str) -> Result<(), StoreError> {
        Ok(())
    }
}

/// What one fold is to do.
pub(super) struct FoldTask<'a> {
    /// Where the ledger is read and the view is written.
    pub(super) connection: &'a Connection,
    /// The space whose ledger it is.
    pub(super) space: SpaceId,
    /// The last operation to read.
    pub(super) until: Position,
    /// Who folds the graph.
    pub(super) graph: index::Graph,
}

/// One table of a view.
#[derive(Clone, Copy)]
pub(super) struct TableSpec {
    /// Its name.
    pub(super) name: &'static str,
    /// The version of the file's tables that first has it.
    pub(super) since: i64,
    /// Makes it and its indexes.
    pub(super) ddl: &'static str,
    /// The columns that are digested.
    columns: &'static str,
    /// The version that changed its columns, and those that were digested before.
    altered: Option<(i64, &'static str)>,
    /// The columns that put its rows in order.
    order: &'static str,
    /// How its size is estimated.
    weight: Weight,
}

/// How the bytes of a table are estimated. Pages hold some room besides.
#[derive(Clone, Copy)]
pub(super) enum Weight {
    /// So many bytes a row.
    Row(u32),
    /// The column `data` and a key.
    Data,
}

impl TableSpec {
    /// A table with a rowid, all of whose columns are digested.
    pub(super) const fn new(name: &'static str, since: i64, ddl: &'static str) -> Self {
        Self {
            name,
            since,
            ddl,
            columns: "*",
            altered: None,
            order: "rowid",
            weight: Weight::Row(16),
        }
    }

    /// The same, of which only these columns are digested.
    pub(super) const fn digesting(self, columns: &'static str) -> Self {
        Self { columns, ..self }
    }

    /// The same, whose rows are in order of these columns.
    pub(super) const fn ordered_by(self, order: &'static str) -> Self {
        Self { order, ..self }
    }

    /// The same, whose size is estimated so.
    pub(super) const fn weighing(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }

    /// The same, which another version made anew; before, it had these columns.
    pub(super) const fn altered(self, version: i64, columns_before: &'static str) -> Self {
        Self { altered: Some((version, columns_before)), ..self }
    }

    /// The last version that made it or made it anew.
    const fn changed(&self) -> i64 {
        match self.altered {
            Some((version, _)) => version,
            None => self.since,
        }
    }

    fn digested_columns(&self, version: i64) -> &'static str {
        match self.altered {
            Some((altered, before)) if version < altered => before,
            _ => self.columns,
        }
    }

    /// Adds all its rows to a digest.
    fn digest(
        &self,
        connection: &Connection,
        schema: &str,
        version: i64,
        hasher: &mut blake3::Hasher,
    ) -> Result<(), StoreError> {
        use rusqlite::types::ValueRef;
        hasher.update(self.name.as_bytes()).update(&[0]);
        let (columns, table, order) = (self.digested_columns(version), self.name, self.order);
        let mut statement = connection
            .prepare(&format!("SELECT {columns} FROM {schema}.{table} ORDER BY {order}"))?;
        let count = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..count {
                let integer;
                let (tag, bytes): (u8, &[u8]) = match row.get_ref(column)? {
                    ValueRef::Null => (0, &[]),
                    ValueRef::Integer(value) => {
                        integer = value.to_le_bytes();
                        (1, &integer)
                    }
                    ValueRef::Real(value) => {
                        integer = value.to_le_bytes();
                        (2, &integer)
                    }
                    ValueRef::Text(text) => (3, text),
                    ValueRef::Blob(blob) => (4, blob),
                };
                hasher.update(&[tag]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
            }
        }
        Ok(())
    }

    /// Bytes of its content, estimated.
    pub(super) fn bytes(&self, connection: &Connection) -> Result<u64, StoreError> {
        let sum = match self.weight {
            Weight::Row(bytes) => format!("{bytes} * count(*)"),
            Weight::Data => "sum(length(data)) + 12 * count(*)".to_owned(),
        };
        let query = format!("SELECT {sum} FROM {}", self.name);
        let bytes: Option<i64> = connection.query_row(&query, [], |row| row.get(0))?;
        Ok(bytes.unwrap_or(0).unsigned_abs())
    }
}

impl ViewSpec {
    /// The tables that a file of this version has.
    pub(super) fn tables_of(&self, version: i64) -> impl Iterator<Item = &'static TableSpec> {
        self.tables.iter().filter(move |table| table.since <= version)
    }

    /// Whether a file of this version has the view.
    pub(super) fn exists_in(&self, version: i64) -> bool {
        self.tables_of(version).next().is_some()
    }

    /// How far the view of the file attached as `schema` has read; nowhere if a program with
    /// another version of the view made it.
    pub(super) fn position(
        &self,
        connection: &Connection,
        schema: &str,
    ) -> Result<Position, StoreError> {
        let Fold::Lagging { version, .. } = self.fold else { return ledger::head(connection) };
        let query = format!("SELECT pos FROM {schema}.view WHERE name = ?1 AND version = ?2");
        let position: Option<i64> = connection
            .prepare_cached(&query)?
            .query_row(params![self.name, version], |row| row.get(0))
            .optional()?;
        Ok(Position(position.unwrap_or(0).unsigned_abs()))
    }

    /// BLAKE3 over all rows of the tables that a file of `version` has, hexadecimal.
    pub(super) fn digest(
        &self,
        connection: &Connection,
        schema: &str,
        version: i64,
    ) -> Result<String, StoreError> {
        let mut hasher = blake3::Hasher::new();
        // Where it has read nothing, its tables are emptied before it reads: after a rebuild that
        // was interrupted, old rows may still be in them.
        let has_read = self.position(connection, schema)? > Position(0);
        for table in self.tables_of(version).filter(|_| has_read) {
            table.digest(connection, schema, version, &mut hasher)?;
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// Empties its tables.
    pub(super) fn clear(&self, connection: &Connection) -> Result<(), StoreError> {
        for table in self.tables {
            connection.execute(&format!("DELETE FROM {}", table.name), [])?;
        }
        Ok(())
    }

    /// Makes its tables.
    pub(super) fn create(&self, connection: &Connection) -> Result<(), StoreError> {
        for table in self.tables {
            connection.execute_batch(table.ddl)?;
        }
        Ok(())
    }

    /// Creates the tables that a file of `version` lacks. Returns whether there were any.
    fn migrate(&self, connection: &Connection, version: i64) -> Result<bool, StoreError> {
        let mut is_changed = false;
        for table in self.tables.iter().filter(|table| table.changed() > version) {
            connection.execute_batch(&format!("DROP TABLE IF EXISTS {}", table.name))?;
            connection.execute_batch(table.ddl)?;
            is_changed = true;
        }
        if is_changed {
            // Its position is gone, and so are positions that it keeps under its name and a dot.
            connection.execute(
                "DELETE FROM view WHERE name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '.'",
                [self.name],
            )?;
        }
        Ok(is_changed)
    }
}

impl Registry {
    /// The version of the tables (`PRAGMA user_version`): the latest that any of them came with.
    pub(super) fn version(&self) -> i64 {
        let tables = self.views.iter().flat_map(|view| view.tables).map(TableSpec::changed);
        tables.chain(self.journals.iter().map(|journal| journal.since)).max().unwrap_or(1)
    }

    /// The views that a file of this version has.
    pub(super) fn views_of(&self, version: i64) -> impl Iterator<Item = &'static ViewSpec> {
        self.views.iter().copied().filter(move |view| view.exists_in(version))
    }

    /// What folds the lagging views, in order.
    pub(super) fn folders(
        &self,
        connection: &Connection,
    ) -> Result<Vec<Box<dyn ViewFolder>>, StoreError> {
        let mut folders = Vec::new();
        for view in self.views {
            if let Fold::Lagging { folder, .. } = view.fold {
                folders.push(folder(connection)?);
            }
        }
        Ok(folders)
    }

    /// The position of the view that has read the least of a ledger that goes up to `head`.
    pub(super) fn least_position(
        &self,
        connection: &Connection,
        head: Position,
    ) -> Result<Position, StoreError> {
        let mut statement =
            connection.prepare_cached("SELECT name, version, pos FROM main.view")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let read: Vec<(String, i64, i64)> = rows.collect::<Result<_, _>>()?;
        let mut least = head;
        for view in self.views {
            let Fold::Lagging { version, .. } = view.fold else { continue };
            let is_it = |row: &&(String, i64, i64)| row.0 == view.name && row.1 == version;
            let position = read.iter().find(is_it).map_or(0, |row| row.2.unsigned_abs());
            least = least.min(Position(position));
        }
        Ok(least)
    }

    /// The views that are folded with each append.
    pub(super) fn with_append(&self) -> impl Iterator<Item = &'static ViewSpec> {
        self.views.iter().copied().filter(|view| matches!(view.fold, Fold::WithAppend { .. }))
    }

    /// Makes all tables in a new file, in the transaction that is open.
    pub(super) fn create(&self, connection: &Connection) -> Result<(), StoreError> {
        for journal in self.journals {
            connection.execute_batch(journal.ddl)?;
        }
        for view in self.views {
            view.create(connection)?;
        }
        Ok(connection.execute_batch(&format!("PRAGMA user_version={}", self.version()))?)
    }

    /// Creates the tables that a file of an earlier version lacks, in the transaction that is open.
    /// The next reader folds the lagging views; the others are folded here. No version changes the
    /// ledger's own tables.
    pub(super) fn migrate(&self, connection: &Connection) -> Result<(), StoreError> {
        let version = super::schema_version(connection)?;
        if version >= self.version() {
            return Ok(());
        }
        let mut must_fold = false;
        for view in self.views {
            let is_changed = view.migrate(connection, version)?;
            if let Fold::WithAppend { is_needed } = view.fold {
                must_fold |= is_changed && is_needed(connection)?;
            }
        }
        for journal in self.journals.iter().filter(|journal| journal.since > version) {
            connection.execute_batch(journal.ddl)?;
        }
        connection.execute_batch(&format!("PRAGMA user_version={}", self.version()))?;
        if must_fold {
            let genesis = connection
                .query_row("SELECT id FROM op WHERE pos = 1", [], |row| graph::id_at(row, 0))
                .optional()?;
            self.refold_with_append(connection, SpaceId(genesis.unwrap_or(OpId([0; 32]))))?;
        }
        if version < erasure::SINCE_VERSION && erasure::has_redactions(connection)? {
            erasure::apply_all(connection, self)?;
        }
        Ok(())
    }

    /// Empties the lagging views that hold anything of operations of these kinds, because some of
    /// them were erased. Whoever reads them next folds them again; a row under the view's name, a
    /// dot and `erased` counts how often that was so, and tells those who cached what was there.
    pub(super) fn empty_lagging(
        &self,
        connection: &Connection,
        erased: &BTreeSet<Kind>,
    ) -> Result<(), StoreError> {
        for view in self.views {
            let Fold::Lagging { version, reads_bodies_of, .. } = view.fold else { continue };
            if !erased.iter().any(reads_bodies_of) {
                continue;
            }
            view.clear(connection)?;
            let times: Option<i64> = connection
                .prepare_cached("SELECT pos FROM view WHERE name = ?1 || '.erased'")?
                .query_row([view.name], |row| row.get(0))
                .optional()?;
            connection.execute(
                "DELETE FROM view WHERE name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '.'",
                [view.name],
            )?;
            connection.execute(
                "INSERT INTO view (name, version, pos) VALUES (?1 || '.erased', ?2, ?3)",
                params![view.name, version, times.unwrap_or(0).saturating_add(1)],
            )?;
        }
        Ok(())
    }

    /// Empties the views that are folded with each append, and folds them from the whole ledger.
    pub(super) fn refold_with_append(
        &self,
        connection: &Connection,
        space: SpaceId,
    ) -> Result<(), StoreError> {
        for view in self.with_append() {
            view.clear(connection)?;
        }
        graph::refold(connection, space)
    }
}

#[cfg(test)]
mod tests;
