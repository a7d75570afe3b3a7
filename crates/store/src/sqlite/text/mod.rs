//! The text index: which records hold which words, folded from the ledger into tables of the same file.
//!
//! A record is a *document* with a dense number, in order of arrival. Postings lie in rows of [`postings::BLOCK`] documents a
//! term, so the row that an append touches is known without looking, and the tables come out byte for byte the same
//! whatever batches they were folded in. A posting counts its term in the document and in the two before it in
//! its session, so context needs no second look and appending never touches old rows. Sessions are documents of
//! their own with postings of their own. What filters and scores need of a document ([`attributes`]) fits in 34 bytes and is kept
//! in memory by a process that asks more than once.
//!
//! Absent: positions in the text (no phrase search), and removal: a record that no longer counts stays in the
//! postings and is passed over by its state.

use kernel::text::Language;
use rusqlite::{Connection, OptionalExtension, params};

use super::graph::sql;
use crate::{Position, StoreError};

pub(super) mod attributes;
mod evidence;
mod fold;
pub(super) mod lengths;
mod names;
mod postings;
mod search;

pub(super) use fold::{Folder, Graph};
pub use search::{Filter, Found, Search, TermShare};

/// Version of the tables and of what is put into them: another one means folding again.
const VERSION: i64 = 1;
/// The view's name in the `view` table.
const NAME: &str = "text";

/// Most operations of one fold.
pub(super) const FOLD_OPERATIONS_MAX: u64 = postings::BLOCK as u64;

/// Tables of the index.
pub(super) const SCHEMA: &str = "
CREATE TABLE text_term (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE text_posting (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE text_session_posting (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE text_session (number INTEGER PRIMARY KEY, name TEXT UNIQUE, last INTEGER NOT NULL) STRICT;
CREATE TABLE text_length (chunk INTEGER PRIMARY KEY, pos INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX text_length_pos ON text_length (pos);
CREATE TABLE text_attribute (chunk INTEGER PRIMARY KEY, pos INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX text_attribute_pos ON text_attribute (pos);
CREATE TABLE text_kind (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE text_person (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE text_person_word (word TEXT NOT NULL, person INTEGER NOT NULL, PRIMARY KEY (word, person)) STRICT, WITHOUT ROWID;
CREATE TABLE text_participant (person INTEGER NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (person, document)) STRICT, WITHOUT ROWID;
";

/// The index's tables, in the order in which they are digested.
pub(super) const TABLES: &[&str] = &[
    "text_attribute",
    "text_kind",
    "text_length",
    "text_participant",
    "text_person",
    "text_person_word",
    "text_posting",
    "text_session",
    "text_session_posting",
    "text_term",
];

/// How far the index has read.
pub(super) fn position(connection: &Connection) -> Result<Position, StoreError> {
    let found = connection
        .prepare_cached("SELECT version, pos FROM view WHERE name = ?1")?
        .query_row([NAME], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
        .optional()?;
    Ok(match found {
        Some((VERSION, position)) => Position(position.unsigned_abs()),
        _ => Position(0),
    })
}

fn set_position(connection: &Connection, position: Position) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO view (name, version, pos) VALUES (?1, ?2, ?3)
             ON CONFLICT (name) DO UPDATE SET version = excluded.version, pos = excluded.pos",
        )?
        .execute(params![NAME, VERSION, sql(position)])?;
    Ok(())
}

/// The language of a space's settings; English unless it names another that is known.
pub(super) fn language(connection: &Connection) -> Result<Language, StoreError> {
    let body: Option<Vec<u8>> =
        connection.query_row("SELECT body FROM op WHERE pos = 1", [], |row| row.get(0)).optional()?.flatten();
    let settings: Option<serde_json::Value> = body.and_then(|body| serde_json::from_slice(&body).ok());
    let language = settings.and_then(|space| serde_json::from_value(space.pointer("/settings/language")?.clone()).ok());
    Ok(language.unwrap_or_default())
}
