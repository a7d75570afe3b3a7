//! The text of a found record, read in the search's snapshot.
//!
//! Outside a transaction each statement takes and releases SQLite's read lock, which costs more
//! than reading the row. Within the search's snapshot it does not.

use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::kind::Kind;
use rusqlite::{Connection, OptionalExtension};

use super::super::graph::sql;
use super::Search;
use super::fold::searched_parts;
use crate::{Position, StoreError};

/// The searched text of a record: its parts, one per line. None if it has no text.
pub(in super::super) fn said_at(
    connection: &Connection,
    position: Position,
    bytes_max: usize,
) -> Result<Option<String>, StoreError> {
    let body: Option<Vec<u8>> = connection
        .prepare_cached("SELECT body FROM op WHERE pos = ?1")?
        .query_row([sql(position)], |row| row.get(0))
        .optional()?
        .flatten();
    let Some(Ok(Body::Evidence(evidence))) = body.map(|bytes| Body::parse(&Kind::Evidence, &bytes))
    else {
        return Ok(None);
    };
    let parts: Vec<&str> =
        searched_parts(&evidence).map(str::trim).filter(|part| !part.is_empty()).collect();
    let mut said = parts.join("\n");
    said.truncate(said.floor_char_boundary(bytes_max));
    Ok((!said.is_empty()).then_some(said))
}

impl Search<'_> {
    /// The evidence recorded at a position that this search found; none if its content was removed.
    pub fn evidence(&self, position: Position) -> Result<Option<(OpId, Evidence)>, StoreError> {
        let found = self
            .connection
            .prepare_cached("SELECT id, body FROM op WHERE pos = ?1")?
            .query_row([sql(position)], |row| {
                Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, Option<Vec<u8>>>(1)?))
            })
            .optional()?;
        let Some((id, Some(bytes))) = found else { return Ok(None) };
        Ok(match Body::parse(&Kind::Evidence, &bytes) {
            Ok(Body::Evidence(evidence)) => Some((OpId(id), evidence)),
            _ => None,
        })
    }

    /// Whether an annotation is about the operation at a position.
    pub fn is_annotated(&self, position: Position) -> Result<bool, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM cite CROSS JOIN op ON op.pos = cite.citing
                 WHERE cite.target = ?1 AND cite.role = 'target' AND op.kind = 'annotation')",
        )?;
        Ok(statement.query_row([sql(position)], |row| row.get(0))?)
    }

    /// Where an operation is.
    pub fn position(&self, id: &OpId) -> Result<Option<Position>, StoreError> {
        let position = self
            .connection
            .prepare_cached("SELECT pos FROM op WHERE id = ?1")?
            .query_row([id.0], |row| row.get::<_, i64>(0))
            .optional()?;
        Ok(position.map(|position| Position(position.unsigned_abs())))
    }
}
