//! What exports declared of the bodies that they left out.
//!
//! A declaration is kept as the line that arrived, so that its signature can be passed on, and with
//! an entry for each operation that it names. It is not part of the ledger and in no digest.
//! One that excuses nothing any more is dropped.

use kernel::declaration::Declaration;
use kernel::id::{Author, OpId};
use kernel::kind::Kind;
use kernel::operation::HlcTimestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::graph::{SqliteLedgerIndex, author_at, id_at, kind_at};
use super::ledger::SqliteWriting;
use super::{SqliteSpace, schema_version};
use crate::StoreError;

/// The version of the tables that first has these.
pub(super) const SINCE: i64 = 5;

/// Tables of declarations.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS declaration (number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, author BLOB NOT NULL,
    line TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS withheld (id BLOB NOT NULL, declaration INTEGER NOT NULL,
    PRIMARY KEY (id, declaration)) STRICT, WITHOUT ROWID;
";

/// An operation that is recorded without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithoutBody {
    /// The operation.
    pub id: OpId,
    /// What it does.
    pub kind: Kind,
    /// Whether a declaration names it.
    pub is_declared: bool,
}

fn are_there(connection: &Connection) -> Result<bool, StoreError> {
    Ok(schema_version(connection)? >= SINCE)
}

/// What is known of an operation without reading what it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Its kind.
    pub kind: Kind,
    /// Its time.
    pub ts: HlcTimestamp,
    /// Whether its body is here.
    pub has_body: bool,
}

impl SqliteLedgerIndex<'_> {
    /// The authors of declarations that name an operation, in order.
    pub fn withheld_by(&self, id: &OpId) -> Result<Vec<Author>, StoreError> {
        if !are_there(self.connection)? {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT declaration.author FROM withheld
             JOIN declaration ON declaration.number = withheld.declaration
             WHERE withheld.id = ?1 ORDER BY declaration.author",
        )?;
        let authors = statement.query_map([id.0], |row| author_at(row, 0))?;
        Ok(authors.collect::<Result<_, _>>()?)
    }

    /// Kind, time and presence of an operation, without what it cites.
    pub fn outline(&self, id: &OpId) -> Result<Option<Outline>, StoreError> {
        let outline = self
            .connection
            .prepare_cached("SELECT kind, ts, body IS NOT NULL FROM op WHERE id = ?1")?
            .query_row([id.0], |row| {
                let ts = HlcTimestamp(row.get::<_, i64>(1)?.cast_unsigned());
                Ok(Outline { kind: kind_at(row, 0)?, ts, has_body: row.get(2)? })
            })
            .optional()?;
        Ok(outline)
    }

    /// Whether an operation is recorded without its body.
    pub fn lacks_body(&self, id: &OpId) -> Result<bool, StoreError> {
        let lacks = self
            .connection
            .prepare_cached("SELECT body IS NULL FROM op WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        Ok(lacks.unwrap_or(false))
    }

    /// The authors of all declarations, in order.
    pub fn declaring_authors(&self) -> Result<Vec<Author>, StoreError> {
        if !are_there(self.connection)? {
            return Ok(Vec::new());
        }
        let mut statement = self
            .connection
            .prepare_cached("SELECT DISTINCT author FROM declaration ORDER BY author")?;
        let authors = statement.query_map([], |row| author_at(row, 0))?;
        Ok(authors.collect::<Result<_, _>>()?)
    }

    /// Passes every operation that is recorded without its body to `take`.
    pub fn without_bodies(
        &self,
        mut take: impl FnMut(WithoutBody) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let is_declared = if are_there(self.connection)? {
            "EXISTS (SELECT 1 FROM withheld WHERE withheld.id = op.id)"
        } else {
            "0"
        };
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT id, kind, {is_declared} FROM op INDEXED BY op_removed WHERE body IS NULL"
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, kind) = (id_at(row, 0)?, kind_at(row, 1)?);
            take(WithoutBody { id, kind, is_declared: row.get(2)? })?;
        }
        Ok(())
    }
}

impl SqliteWriting<'_> {
    /// The authors of declarations that name an operation, in order.
    pub fn withheld_by(&self, id: &OpId) -> Result<Vec<Author>, StoreError> {
        self.index.withheld_by(id)
    }

    /// Whether an operation is recorded without its body.
    pub fn lacks_body(&self, id: &OpId) -> Result<bool, StoreError> {
        self.index.lacks_body(id)
    }

    /// Whether any operation is recorded without its body.
    pub fn lacks_any_body(&self) -> Result<bool, StoreError> {
        let lacks = self
            .index
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM op INDEXED BY op_removed WHERE body IS NULL)",
            )?
            .query_row([], |row| row.get(0))?;
        Ok(lacks)
    }

    /// Keeps a declaration; one that is kept already changes nothing.
    pub fn declare(&mut self, declaration: &Declaration) -> Result<(), StoreError> {
        let connection = self.index.connection;
        let line = declaration.to_line();
        let statement = declaration.statement();
        let number: Option<i64> = connection
            .prepare_cached(
                "INSERT INTO declaration (digest, author, line) VALUES (?1, ?2, ?3)
                 ON CONFLICT (digest) DO NOTHING RETURNING number",
            )?
            .query_row(
                params![blake3::hash(line.as_bytes()).as_bytes(), statement.author.0, line],
                |row| row.get(0),
            )
            .optional()?;
        let Some(number) = number else { return Ok(()) };
        let mut insert = connection
            .prepare_cached("INSERT OR IGNORE INTO withheld (id, declaration) VALUES (?1, ?2)")?;
        for id in &statement.withheld {
            insert.execute(params![id.0, number])?;
        }
        Ok(())
    }

    /// Drops the declarations of authors that `counts` refuses, and what concerns no operation that
    /// is recorded without its body. Returns the authors whose declarations were refused.
    pub fn prune_declarations(
        &mut self,
        counts: impl Fn(&Author) -> bool,
    ) -> Result<Vec<Author>, StoreError> {
        let connection = self.index.connection;
        let authors = self.index.declaring_authors()?.into_iter();
        let refused: Vec<Author> = authors.filter(|author| !counts(author)).collect();
        for author in &refused {
            connection.execute("DELETE FROM declaration WHERE author = ?1", [author.0])?;
        }
        connection.execute_batch(
            "DELETE FROM withheld WHERE declaration NOT IN (SELECT number FROM declaration)
                 OR NOT EXISTS (SELECT 1 FROM op WHERE op.id = withheld.id AND op.body IS NULL);
             DELETE FROM declaration WHERE number NOT IN (SELECT declaration FROM withheld);",
        )?;
        Ok(refused)
    }
}

impl SqliteSpace {
    /// Passes the line of every declaration that is kept to `take`, in order of arrival, until it
    /// answers false.
    pub fn declarations(&self, mut take: impl FnMut(&str) -> bool) -> Result<(), StoreError> {
        if !are_there(&self.connection)? {
            return Ok(());
        }
        let mut statement =
            self.connection.prepare_cached("SELECT line FROM declaration ORDER BY number")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let line: String = row.get(0)?;
            if !take(&line) {
                break;
            }
        }
        Ok(())
    }
}
