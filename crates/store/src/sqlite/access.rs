//! The capabilities of a space's keys, cached between look-ups.
//!
//! Every look-up and every append needs them, and they change rarely. So the result of reading the
//! table `access` up to one row is kept, and later rows are added to it. Only committed rows are
//! kept: the cache is read before a transaction writes, so a rollback cannot invalidate it.

use std::cell::RefCell;
use std::sync::Arc;

use kernel::access::{Access, Change, Place};
use kernel::body::Body;
use kernel::id::{Author, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::operation::HlcTimestamp;
use rusqlite::{Connection, OptionalExtension, TransactionState, params};

use super::graph::{author_at, id_at, kind_at, sql, stamp_at};
use crate::{Position, StoreError};

/// What a space's grants and revocations say, up to one position.
#[derive(Clone, Debug, Default)]
pub(super) struct SpaceAccess {
    pub(super) space: Option<SpaceId>,
    pub(super) access: Arc<Access>,
}

/// The last row that was read: its position, its operation, and how many rows there are up to it.
/// A grant whose body was missing gets its row when the body arrives, before others.
type Row = (i64, OpId, i64);

/// What of a connection stays the same as long as nobody commits to the file. SQLite changes the
/// first if another connection has, and counts the rows that this one has changed.
type Stamp = (i64, u64);

/// What was read.
#[derive(Debug)]
struct Kept {
    /// The last row.
    row: Row,
    known: SpaceAccess,
    /// No row is after the last and up to here, as long as the stamp is the same.
    until: Position,
    /// None if it was read while the connection was writing, which may be rolled back.
    stamp: Option<Stamp>,
}

/// The cache of one connection.
#[derive(Debug, Default)]
pub(super) struct AccessCache(RefCell<Option<Kept>>);

impl AccessCache {
    /// The capabilities that follow from the operations up to `until`. Reads only the rows after
    /// the cached ones. If the cache is beyond `until`, it reads from the first row and leaves the
    /// cache alone.
    pub(super) fn until(
        &self,
        connection: &Connection,
        until: Position,
    ) -> Result<SpaceAccess, StoreError> {
        let mut kept = self.0.borrow_mut();
        let stamp = stamp(connection)?;
        if let Some(kept) = kept.as_ref()
            && stamp.is_some()
            && kept.stamp == stamp
            && (kept.row.0..=sql(kept.until)).contains(&sql(until))
        {
            return Ok(kept.known.clone());
        }
        let Some(last) = last_row(connection, until)? else { return Ok(SpaceAccess::default()) };
        let (read_to, known) = match kept.take() {
            Some(Kept { row, known, .. }) if row == last => {
                *kept = Some(Kept { row, known: known.clone(), until, stamp });
                return Ok(known);
            }
            Some(Kept { row, known, .. }) if row.0 < last.0 && is_row(connection, row)? => {
                (row.0, known)
            }
            Some(further) if further.row.0 > last.0 && is_row(connection, further.row)? => {
                *kept = Some(further);
                return read(connection, SpaceAccess::default(), (0, last.0));
            }
            _ => (0, SpaceAccess::default()),
        };
        let known = read(connection, known, (read_to, last.0))?;
        *kept = Some(Kept { row: last, known: known.clone(), until, stamp });
        Ok(known)
    }
}

/// The stamp of what a connection sees; none while it writes.
fn stamp(connection: &Connection) -> Result<Option<Stamp>, StoreError> {
    if connection.transaction_state(Some(c"main"))? == TransactionState::Write {
        return Ok(None);
    }
    let version =
        connection.prepare_cached("PRAGMA main.data_version")?.query_row([], |row| row.get(0))?;
    Ok(Some((version, connection.total_changes())))
}

fn last_row(connection: &Connection, until: Position) -> Result<Option<Row>, StoreError> {
    let row = connection
        .prepare_cached(
            "SELECT op.pos, op.id, (SELECT count(*) FROM access WHERE pos <= ?1)
             FROM access JOIN op ON op.pos = access.pos
             WHERE access.pos <= ?1 ORDER BY access.pos DESC LIMIT 1",
        )?
        .query_row([sql(until)], |row| Ok((row.get(0)?, id_at(row, 1)?, row.get(2)?)))
        .optional()?;
    Ok(row)
}

/// Whether the cached row still exists, after as many others: the tables may have been emptied and
/// filled again.
fn is_row(connection: &Connection, (position, id, count): Row) -> Result<bool, StoreError> {
    let found = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM access JOIN op ON op.pos = access.pos
             WHERE access.pos = ?1 AND op.id = ?2)
             AND (SELECT count(*) FROM access WHERE pos <= ?1) = ?3",
        )?
        .query_row(params![position, id.0, count], |row| row.get(0))?;
    Ok(found)
}

/// Adds the rows after the first position and up to the second.
fn read(
    connection: &Connection,
    mut known: SpaceAccess,
    (after, until): (i64, i64),
) -> Result<SpaceAccess, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT op.id, op.ts, op.kind, author.key, op.body, op.seq FROM access
         JOIN op ON op.pos = access.pos JOIN author ON author.number = op.author
         WHERE access.pos > ?1 AND access.pos <= ?2 ORDER BY access.pos",
    )?;
    let mut rows = statement.query([after, until])?;
    let mut changes = Vec::new();
    let mut owner = None;
    while let Some(row) = rows.next()? {
        let (id, kind) = (id_at(row, 0)?, kind_at(row, 2)?);
        let body: Option<Vec<u8>> = row.get(4)?;
        match body.and_then(|bytes| Body::parse(&kind, &bytes).ok()) {
            Some(Body::Space(space)) => {
                known.space = Some(SpaceId(id));
                owner = Some(space.owner);
            }
            Some(body) => {
                let order = (stamp_at(row, 1)?, id);
                let seq = row.get::<_, i64>(5)?.unsigned_abs();
                changes.extend(change_of(Place { order, seq }, author_at(row, 3)?, &body));
            }
            None => {}
        }
    }
    let access = Arc::make_mut(&mut known.access);
    match changes.len() {
        0 => {}
        1 => changes.into_iter().for_each(|(at, change)| access.insert(at, change)),
        _ => access.extend(changes),
    }
    if let Some(owner) = owner {
        access.set_owner(owner);
    }
    Ok(known)
}

/// The change of capabilities that an operation with this body makes, at its place in the order.
pub(super) fn change_of(
    at: Place,
    author: Author,
    body: &Body,
) -> Option<((HlcTimestamp, OpId), Change)> {
    let (Body::Grant(grant) | Body::Revoke(grant)) = body else { return None };
    let gives = body.kind() == Kind::Grant;
    let (key, capabilities) = (grant.key, grant.capabilities.clone());
    let (seq, last_seq) = (at.seq, grant.last_seq);
    Some((at.order, Change { author, seq, key, capabilities, gives, last_seq }))
}

#[cfg(test)]
mod tests {
    use kernel::canonical;
    use serde_json::json;

    use super::*;

    const TABLES: &str = "
        CREATE TABLE author (number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE) STRICT;
        CREATE TABLE op (pos INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
            author INTEGER NOT NULL, seq INTEGER NOT NULL, ts INTEGER NOT NULL, body BLOB) STRICT;
        CREATE TABLE access (pos INTEGER PRIMARY KEY) STRICT;
        INSERT INTO author VALUES (1, zeroblob(32));";

    fn grant(connection: &Connection, position: u8) {
        let body = json!({"key": Author([position; 32]), "capabilities": ["append"]});
        let body = canonical::to_bytes(&body).unwrap();
        connection
            .execute(
                "INSERT INTO op VALUES (?1, ?2, 'grant', 1, ?1, ?1, ?3)",
                params![position, [position; 32], body],
            )
            .unwrap();
        connection.execute("INSERT INTO access VALUES (?1)", [position]).unwrap();
    }

    #[test]
    fn a_look_up_between_two_others_answers_as_if_nothing_was_kept() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLES).unwrap();
        for position in [2, 5, 9] {
            grant(&connection, position);
        }
        let cache = AccessCache::default();
        let read =
            |cache: &AccessCache, until| cache.until(&connection, Position(until)).unwrap().access;
        let anew = |until| read(&AccessCache::default(), until);
        let agree = |until| assert_eq!(read(&cache, until), anew(until));
        assert_ne!(anew(1), anew(4));
        assert_ne!(anew(4), anew(9));
        for until in [6, u64::MAX, 9, 5, 1, 20, 8, 5, 7, 12, u64::MAX] {
            agree(until);
        }
        grant(&connection, 15);
        for until in [u64::MAX, 14, 15, 9, 16] {
            agree(until);
        }
        connection.execute("DELETE FROM access WHERE pos = 15", []).unwrap();
        agree(16);
    }
}
