//! A graph of operations in a temporary file, for verification.
//!
//! Verification judges every operation by those before it in the space's order. The graph that it
//! builds for that would take memory in proportion to the claims of a ledger. This one takes the
//! same operations, without their bodies, into a database that has no name, which SQLite keeps in a
//! bounded cache and a file that it deletes itself. It answers as the view of a space does.

use std::collections::HashMap;

use kernel::body::Body;
use kernel::id::Author;
use kernel::kind::Kind;
use kernel::operation::Operation;
use rusqlite::{Connection, params};

use super::access::AccessCache;
use super::graph::{self, SqliteLedgerIndex, sql};
use super::records;
use super::refs::encode_refs;
use super::registry::REGISTRY;
use super::{SqliteSpace, configure};
use crate::{Position, StoreError};

/// The columns of the ledger that the graph is asked for.
const SCHEMA: &str = "
CREATE TABLE author (number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE) STRICT;
CREATE TABLE op (
    pos INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, author INTEGER NOT NULL,
    seq INTEGER NOT NULL, ts INTEGER NOT NULL, refs BLOB NOT NULL, body_hash BLOB, body BLOB
) STRICT;
";
/// Memory for its pages; further pages go to the file.
const CACHE_KIB_MAX: u32 = 16 << 10;

/// An empty database for a graph.
pub struct ScratchGraph {
    connection: Connection,
}

/// The operations that were taken into a [`ScratchGraph`].
pub struct ScratchIndex<'a> {
    index: SqliteLedgerIndex<'a>,
    authors: HashMap<Author, i64>,
    last: Position,
}

impl ScratchGraph {
    /// Creates it.
    pub fn new() -> Result<Self, StoreError> {
        let connection = Connection::open("")?;
        configure(&connection)?;
        connection.execute_batch(&format!(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-{CACHE_KIB_MAX};
             PRAGMA user_version={}; {SCHEMA}",
            REGISTRY.version()
        ))?;
        graph::VIEW.create(&connection)?;
        records::VIEW.create(&connection)?;
        // Never committed: nobody else reads it, and it ends with the connection.
        connection.execute_batch("BEGIN")?;
        Ok(Self { connection })
    }

    /// Begins to fill it.
    pub fn index(&self) -> Result<ScratchIndex<'_>, StoreError> {
        let index = SqliteLedgerIndex::new(&self.connection, &AccessCache::default())?;
        Ok(ScratchIndex { index, authors: HashMap::new(), last: Position(0) })
    }
}

impl<'a> ScratchIndex<'a> {
    /// What the operations give.
    pub fn get(&self) -> &SqliteLedgerIndex<'a> {
        &self.index
    }

    /// Takes an operation. One that is there already is left as it is.
    pub fn insert<State>(
        &mut self,
        operation: &Operation<State>,
        body: Option<&Body>,
    ) -> Result<(), StoreError> {
        let header = operation.header();
        let connection = self.index.connection;
        let author = match self.authors.get(&header.author) {
            Some(number) => *number,
            None => {
                connection
                    .prepare_cached("INSERT INTO author (key) VALUES (?1)")?
                    .execute([header.author.0])?;
                let number = connection.last_insert_rowid();
                self.authors.insert(header.author, number);
                number
            }
        };
        let position = Position(self.last.0 + 1);
        let inserted = connection
            .prepare_cached(
                "INSERT OR IGNORE INTO op (pos, id, kind, author, seq, ts, refs) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                sql(position),
                operation.id().0,
                header.kind.as_str(),
                author,
                header.seq.cast_signed(),
                header.ts.0.cast_signed(),
                encode_refs(&header.refs),
            ])?;
        if inserted > 0 {
            self.last = position;
            // No rule asks by which name a source knows a record.
            let body = body.filter(|_| header.kind != Kind::Evidence);
            self.index.fold(position, operation, body)?;
            self.index.forget_belief_changes();
        }
        Ok(())
    }
}

impl SqliteSpace {
    /// How many citations and versions of identities the graph has, by which one can tell how much
    /// memory it takes. A damaged view has any number.
    pub fn graph_rows(&self) -> Result<u64, StoreError> {
        let rows: i64 = self.connection.query_row(
            "SELECT (SELECT count(*) FROM cite) + (SELECT count(*) FROM identity)",
            [],
            |row| row.get(0),
        )?;
        Ok(rows.unsigned_abs())
    }
}
