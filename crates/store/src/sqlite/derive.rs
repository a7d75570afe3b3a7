//! The state of derivation between runs: which records belong to which group, and which groups must
//! run again.
//!
//! A deriver sees one group of records at a time. One more record should cost only the groups that
//! it belongs to, so membership is stored here, ordered by each record's own time, together with
//! the last conclusions of each group. All of it can be deleted and filled again; beliefs follow
//! from the ledger alone.
//!
//! Two queues survive a crash. `changed` holds the identities whose served claim may differ from
//! the one that derivation last saw; it is written in the transaction of the operation that changed
//! them. `derive_marked` holds the groups that must run. `derive_suspect` holds identities that may
//! no longer follow from anything, until they are retracted.

use std::collections::HashMap;

use kernel::access::Place;
use kernel::id::{Author, BodyHash, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::operation::{Content, Header, HlcTimestamp, Operation, Ref};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::graph::SqliteLedgerIndex;
use super::graph::{author_at, id_at, kind_at, refs_at, sql, stamp_at};
use super::ledger::SqliteWriting;
use crate::{Position, StoreError};

/// Tables of derivation.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS changed (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS derive_deriver (name TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS derive_group (number INTEGER PRIMARY KEY, deriver TEXT NOT NULL, name TEXT NOT NULL,
    told INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS derive_group_name ON derive_group (deriver, name);
CREATE TABLE IF NOT EXISTS derive_member (grp INTEGER NOT NULL, at INTEGER NOT NULL, pos INTEGER NOT NULL, layer INTEGER NOT NULL,
    PRIMARY KEY (grp, at, pos)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS derive_marked (grp INTEGER PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS derive_suspect (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS derive_served (key TEXT PRIMARY KEY, pos INTEGER NOT NULL, layer INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS derive_made (grp INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (grp, key)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS derive_made_key ON derive_made (key, grp);
CREATE TABLE IF NOT EXISTS derive_joined (key TEXT NOT NULL, grp INTEGER NOT NULL, at INTEGER NOT NULL, pos INTEGER NOT NULL,
    PRIMARY KEY (key, grp)) STRICT, WITHOUT ROWID;
";

/// All of them.
pub(super) const TABLES: &[&str] = &[
    "changed",
    SERVED,
    "derive_deriver",
    "derive_group",
    "derive_member",
    "derive_marked",
    "derive_suspect",
    "derive_made",
    "derive_joined",
];

/// The claim that was served for each identity. It is kept when the other tables are emptied, so
/// that changes can be found.
const SERVED: &str = "derive_served";

/// The view's name in the table of positions.
const VIEW: &str = "derive";
/// The version of the meaning of these tables; with another version they are filled again.
const VERSION: i64 = 1;
/// Names of groups that a write transaction caches.
const NAMES_MAX: usize = 200_000;

/// A group's number in this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupNumber(i64);

/// A group that must run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Its number.
    pub number: GroupNumber,
    /// Whose group it is.
    pub deriver: String,
    /// Its name.
    pub name: String,
}

/// An operation as derivation reads it, without signature and chain.
#[derive(Clone, Debug)]
pub struct OperationRow {
    /// Its number in order of arrival.
    pub position: Position,
    /// Its id.
    pub id: OpId,
    /// What it does.
    pub kind: Kind,
    /// Who signed.
    pub author: Author,
    /// Its place in the space's order.
    pub ts: HlcTimestamp,
    /// Its number in its author's chain.
    pub seq: u64,
    /// What it cites.
    pub refs: Vec<Ref>,
    /// Its canonical body; none if it was removed.
    pub body: Option<Vec<u8>>,
    space: Option<SpaceId>,
    prev: Option<OpId>,
    body_hash: BodyHash,
    salt: Option<[u8; 16]>,
}

/// An operation's position and, of evidence that has it, its canonical body.
pub type EvidenceBody = (Position, Option<Vec<u8>>);

/// The claim that is served for an identity, as derivation last saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// The claim or correction.
    pub position: Position,
    /// The number of derivations between it and evidence.
    pub layer: u32,
    /// Whether it is a member of its groups; false after the groups were emptied.
    pub is_placed: bool,
}

/// Numbers of groups by deriver and name, as far as this transaction has looked them up.
pub(super) type Names = HashMap<(String, String), GroupNumber>;

/// Notes that another claim may be served for an identity now.
pub(super) fn note_changed(connection: &Connection, key: &str) -> Result<(), StoreError> {
    connection.prepare_cached("INSERT OR IGNORE INTO changed (key) VALUES (?1)")?.execute([key])?;
    Ok(())
}

/// Empties the tables after operations were erased: names of groups and keys of identities may
/// repeat what they said. The next derivation fills them again from what is left.
pub(super) fn erase(connection: &Connection) -> Result<(), StoreError> {
    for table in TABLES.iter().filter(|table| ![SERVED, "derive_deriver"].contains(table)) {
        connection.execute(&format!("DELETE FROM {table}"), [])?;
    }
    connection
        .execute("DELETE FROM derive_served WHERE key NOT IN (SELECT key FROM identity)", [])?;
    refill(connection)?;
    connection.execute("DELETE FROM view WHERE name = ?1", [VIEW])?;
    Ok(())
}

/// Notes that every identity is to be examined again, and that its served claim is to join its
/// groups again. A layer below zero means that it has not joined yet.
fn refill(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("UPDATE derive_served SET layer = -1 - layer WHERE layer >= 0", [])?;
    connection.execute("INSERT OR IGNORE INTO changed SELECT DISTINCT key FROM identity", [])?;
    Ok(())
}

/// An operation from the columns pos, id, kind, author's key, ts, refs, body, seq, prev, body_hash,
/// salt.
fn line_in(row: &Row<'_>, space: Option<SpaceId>) -> Result<OperationRow, StoreError> {
    Ok(OperationRow {
        position: Position(row.get::<_, i64>(0)?.unsigned_abs()),
        id: id_at(row, 1)?,
        kind: kind_at(row, 2)?,
        author: author_at(row, 3)?,
        ts: stamp_at(row, 4)?,
        refs: refs_at(row, 5)?,
        body: row.get(6)?,
        seq: row.get::<_, i64>(7)?.unsigned_abs(),
        space,
        prev: row.get::<_, Option<[u8; 32]>>(8)?.map(OpId),
        body_hash: BodyHash(row.get(9)?),
        salt: row.get(10)?,
    })
}

impl OperationRow {
    /// The row of an operation at a position.
    pub fn of<State>(position: Position, operation: &Operation<State>) -> Self {
        let header = operation.header();
        let (body, salt) = match operation.content() {
            Content::Present { salt, body } => (Some(body.to_vec()), Some(*salt)),
            Content::Removed => (None, None),
        };
        Self {
            position,
            id: operation.id(),
            kind: header.kind.clone(),
            author: header.author,
            ts: header.ts,
            seq: header.seq,
            refs: header.refs.clone(),
            body,
            space: header.space,
            prev: header.prev,
            body_hash: header.body,
            salt,
        }
    }

    /// Its place in the order and in its author's chain, which decides what its author may do.
    pub fn place(&self) -> Place {
        Place { order: (self.ts, self.id), seq: self.seq }
    }

    /// Whether its body was altered in the file since it was signed, or a record's header with it.
    /// A body that is missing was not altered.
    pub fn is_altered(&self) -> bool {
        let Some(body) = &self.body else { return false };
        if self.salt.is_none_or(|salt| Content::hash(&salt, body) != self.body_hash) {
            return true;
        }
        // The citations of other operations are not always read.
        self.kind == Kind::Evidence && self.space.is_some() && self.header().id() != self.id
    }

    fn header(&self) -> Header {
        Header {
            kind: self.kind.clone(),
            space: self.space,
            author: self.author,
            seq: self.seq,
            prev: self.prev,
            ts: self.ts,
            refs: self.refs.clone(),
            body: self.body_hash,
        }
    }
}

/// Which members of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Those whose time had passed, the latest first.
    Past,
    /// The others, the nearest first.
    Plans,
}

impl SqliteLedgerIndex<'_> {
    /// Members of a group, with their bodies and the number of derivations below each. Of the
    /// members whose own time had passed when the last one was recorded, these are the latest
    /// `past`; of the others, the nearest `plans`. The citations of claims are not read.
    pub fn members(
        &self,
        group: GroupNumber,
        past: usize,
        plans: usize,
    ) -> Result<Vec<(OperationRow, u32)>, StoreError> {
        let told: i64 = self
            .connection
            .prepare_cached("SELECT told FROM derive_group WHERE number = ?1")?
            .query_row([group.0], |row| row.get(0))?;
        let mut members = self.members_where(Side::Past, group, told, past)?;
        members.extend(self.members_where(Side::Plans, group, told, plans)?);
        Ok(members)
    }

    fn members_where(
        &self,
        side: Side,
        group: GroupNumber,
        told: i64,
        limit: usize,
    ) -> Result<Vec<(OperationRow, u32)>, StoreError> {
        // Members of one time are in the space's order; only those of the last have to be sorted.
        let (of_side, within, order, by_order) = match side {
            Side::Past => ("<= ?2", ">=", "DESC", "op.ts DESC, op.id DESC"),
            Side::Plans => ("> ?2", "<=", "ASC", "op.ts, op.id"),
        };
        let last = format!(
            "SELECT at FROM derive_member WHERE grp = ?1 AND at {of_side} ORDER BY at {order} LIMIT 1 OFFSET ?3 - 1"
        );
        let all = if side == Side::Past { i64::MIN } else { i64::MAX };
        let query = format!(
            "SELECT op.pos, op.id, op.kind, author.key, op.ts, iif(op.kind = 'evidence', op.refs, x''), op.body, op.seq, op.prev, op.body_hash, op.salt, member.layer
             FROM derive_member AS member CROSS JOIN op ON op.pos = member.pos
             CROSS JOIN author ON author.number = op.author
             WHERE member.grp = ?1 AND member.at {of_side} AND member.at {within} coalesce(({last}), {all})
             ORDER BY member.at {order}, {by_order} LIMIT ?3"
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows =
            statement.query(params![group.0, told, i64::try_from(limit).unwrap_or(i64::MAX)])?;
        let mut members = Vec::new();
        while let Some(row) = rows.next()? {
            let line = line_in(row, self.space)?;
            // A conclusion of the group cites its members, and each citation is judged.
            if line.kind == Kind::Evidence {
                self.meet(line.id, row.get(0)?);
                self.remember(Entry {
                    id: line.id,
                    ts: line.ts,
                    kind: Kind::Evidence,
                    author: line.author,
                    seq: line.seq,
                    refs: line.refs.clone(),
                    identity: None,
                    payload: None,
                    record_key: None,
                });
            }
            members.push((line, u32::try_from(row.get::<_, i64>(11)?).unwrap_or(u32::MAX)));
        }
        Ok(members)
    }

    /// The groups that concluded an identity, by deriver and name. The first is authoritative.
    pub fn makers(&self, key: &str) -> Result<Vec<Marked>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT made.grp, derive_group.deriver, derive_group.name FROM derive_made AS made
             JOIN derive_group ON derive_group.number = made.grp WHERE made.key = ?1
             ORDER BY derive_group.deriver, derive_group.name",
        )?;
        let makers = statement.query_map([key], |row| {
            Ok(Marked { number: GroupNumber(row.get(0)?), deriver: row.get(1)?, name: row.get(2)? })
        })?;
        Ok(makers.collect::<Result<_, _>>()?)
    }
}

impl SqliteWriting<'_> {
    fn connection(&self) -> &Connection {
        self.index.connection
    }

    /// How far derivation has read, with these derivers (name and version); 0 if it never ran or
    /// ran with others.
    pub fn derived(&self) -> Result<(Position, Vec<(String, String)>), StoreError> {
        let read: Option<(i64, i64)> = self
            .connection()
            .prepare_cached("SELECT version, pos FROM view WHERE name = ?1")?
            .query_row([VIEW], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let position = match read {
            Some((VERSION, position)) => Position(position.unsigned_abs()),
            _ => Position(0),
        };
        let mut statement = self
            .connection()
            .prepare_cached("SELECT name, version FROM derive_deriver ORDER BY name")?;
        let derivers = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((position, derivers.collect::<Result<_, _>>()?))
    }

    /// Stores how far derivation has read.
    pub fn set_derived(&mut self, position: Position) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached(
                "INSERT INTO view (name, version, pos) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name) DO UPDATE SET version = excluded.version, pos = excluded.pos",
            )?
            .execute(params![VIEW, VERSION, sql(position)])?;
        Ok(())
    }

    /// Empties all tables; `derivers` (name and version) will fill them again.
    pub fn forget_derivation(&mut self, derivers: &[(String, String)]) -> Result<(), StoreError> {
        self.names.clear();
        self.marked.clear();
        for table in TABLES.iter().filter(|table| **table != SERVED) {
            self.connection().execute(&format!("DELETE FROM {table}"), [])?;
        }
        for (name, version) in derivers {
            self.connection().execute(
                "INSERT INTO derive_deriver (name, version) VALUES (?1, ?2)",
                [name, version],
            )?;
        }
        refill(self.connection())?;
        self.set_derived(Position(0))
    }

    /// At most `limit` operations that arrived after `after`, in order of arrival, with the bodies
    /// of evidence only.
    pub fn lines(&self, after: Position, limit: usize) -> Result<Vec<OperationRow>, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT op.pos, op.id, op.kind, author.key, op.ts, op.refs, iif(op.kind = 'evidence', op.body, NULL), op.seq,
                    op.prev, op.body_hash, op.salt
             FROM op JOIN author ON author.number = op.author WHERE op.pos > ?1 ORDER BY op.pos LIMIT ?2",
        )?;
        let mut rows =
            statement.query(params![sql(after), i64::try_from(limit).unwrap_or(i64::MAX)])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            lines.push(line_in(row, Some(self.space))?);
        }
        Ok(lines)
    }

    /// The bodies of evidence among at most `limit` operations after a position. Of other
    /// operations, the position alone.
    pub fn evidence_bodies(
        &self,
        after: Position,
        limit: usize,
    ) -> Result<Vec<EvidenceBody>, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT pos, iif(kind = 'evidence', body, NULL) FROM op WHERE pos > ?1 ORDER BY pos LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let bodies = statement.query_map(params![sql(after), limit], |row| {
            Ok((Position(row.get::<_, i64>(0)?.unsigned_abs()), row.get(1)?))
        })?;
        Ok(bodies.collect::<Result<_, _>>()?)
    }

    /// The ids and kinds of at most `limit` operations after a position, without their bodies.
    pub fn kinds(
        &self,
        after: Position,
        limit: usize,
    ) -> Result<Vec<(Position, OpId, Kind)>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached("SELECT pos, id, kind FROM op WHERE pos > ?1 ORDER BY pos LIMIT ?2")?;
        let mut rows =
            statement.query(params![sql(after), i64::try_from(limit).unwrap_or(i64::MAX)])?;
        let mut kinds = Vec::new();
        while let Some(row) = rows.next()? {
            let position = Position(row.get::<_, i64>(0)?.unsigned_abs());
            kinds.push((position, id_at(row, 1)?, kind_at(row, 2)?));
        }
        Ok(kinds)
    }

    /// One operation, by position or by id, with its body.
    pub fn line(&self, id: &OpId) -> Result<Option<OperationRow>, StoreError> {
        let mut lines = self.lines_where("op.id = ?1", params![id.0])?;
        Ok(lines.pop())
    }

    /// The same by position.
    pub fn line_at(&self, position: Position) -> Result<Option<OperationRow>, StoreError> {
        let mut lines = self.lines_where("op.pos = ?1", params![sql(position)])?;
        Ok(lines.pop())
    }

    fn lines_where(
        &self,
        condition: &str,
        arguments: impl rusqlite::Params,
    ) -> Result<Vec<OperationRow>, StoreError> {
        let query = format!(
            "SELECT op.pos, op.id, op.kind, author.key, op.ts, op.refs, op.body, op.seq, op.prev, op.body_hash, op.salt
             FROM op JOIN author ON author.number = op.author WHERE {condition}"
        );
        let mut statement = self.connection().prepare_cached(&query)?;
        let mut rows = statement.query(arguments)?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            lines.push(line_in(row, Some(self.space))?);
        }
        Ok(lines)
    }

    /// The number of a group, which is created if it does not exist.
    pub fn group(&mut self, deriver: &str, name: &str) -> Result<GroupNumber, StoreError> {
        let asked = (deriver.to_owned(), name.to_owned());
        if let Some(number) = self.names.get(&asked) {
            return Ok(*number);
        }
        let connection = self.index.connection;
        let find = |connection: &Connection| {
            connection
                .prepare_cached("SELECT number FROM derive_group WHERE deriver = ?1 AND name = ?2")?
                .query_row([deriver, name], |row| row.get(0).map(GroupNumber))
                .optional()
        };
        let number = match find(connection)? {
            Some(number) => number,
            None => {
                connection
                    .prepare_cached(
                        "INSERT INTO derive_group (deriver, name, told) VALUES (?1, ?2, 0)",
                    )?
                    .execute([deriver, name])?;
                GroupNumber(connection.last_insert_rowid())
            }
        };
        if self.names.len() >= NAMES_MAX {
            self.names.clear();
        }
        self.names.insert(asked, number);
        Ok(number)
    }

    /// Makes the claim that is served for an identity, recorded at `at_us`, a member of exactly
    /// these groups. Marks every group that gains or loses it.
    pub fn place_belief(
        &mut self,
        key: &str,
        groups: &[GroupNumber],
        at_us: i64,
        served: Option<Served>,
    ) -> Result<(), StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached("SELECT grp, at, pos FROM derive_joined WHERE key = ?1 ORDER BY grp")?;
        let joined = statement.query_map([key], |row| {
            Ok((
                GroupNumber(row.get(0)?),
                row.get(1)?,
                Position(row.get::<_, i64>(2)?.unsigned_abs()),
            ))
        })?;
        let joined: Vec<(GroupNumber, i64, Position)> = joined.collect::<Result<_, _>>()?;
        drop(statement);
        for (group, at_us, record) in joined {
            self.leave(group, at_us, record)?;
        }
        self.connection()
            .prepare_cached("DELETE FROM derive_joined WHERE key = ?1")?
            .execute([key])?;
        let Some(Served { position: record, layer, .. }) = served else { return Ok(()) };
        // Beliefs sort before all evidence by their own time, so none counts as planned.
        let at_us = at_us.saturating_sub(1 << 62);
        for group in groups {
            self.join_above(*group, at_us, record, layer)?;
            self.connection()
                .prepare_cached("INSERT OR REPLACE INTO derive_joined (key, grp, at, pos) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![key, group.0, at_us, sql(record)])?;
        }
        Ok(())
    }

    /// Adds evidence to a group and marks the group. `at_us` is the evidence's own time and `told`
    /// the time at which it was recorded, both in microseconds.
    pub fn join(
        &mut self,
        group: GroupNumber,
        at_us: i64,
        told: HlcTimestamp,
        record: Position,
    ) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached("UPDATE derive_group SET told = ?2 WHERE number = ?1 AND told < ?2")?
            .execute(params![group.0, i64::try_from(told.0).unwrap_or(i64::MAX)])?;
        self.join_above(group, at_us, record, 0)
    }

    fn join_above(
        &mut self,
        group: GroupNumber,
        at_us: i64,
        record: Position,
        layer: u32,
    ) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached(
                "INSERT OR IGNORE INTO derive_member (grp, at, pos, layer) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![group.0, at_us, sql(record), i64::from(layer)])?;
        self.mark(group)
    }

    /// Removes it from the group and marks the group.
    pub fn leave(
        &mut self,
        group: GroupNumber,
        at_us: i64,
        record: Position,
    ) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached("DELETE FROM derive_member WHERE grp = ?1 AND at = ?2 AND pos = ?3")?
            .execute(params![group.0, at_us, sql(record)])?;
        self.mark(group)
    }

    /// [`SqliteLedgerIndex::members`].
    pub fn members(
        &self,
        group: GroupNumber,
        past: usize,
        plans: usize,
    ) -> Result<Vec<(OperationRow, u32)>, StoreError> {
        let members = self.index.members(group, past, plans)?;
        self.touch(members.len())?;
        Ok(members)
    }

    /// Marks a group to run again.
    pub fn mark(&mut self, group: GroupNumber) -> Result<(), StoreError> {
        if !self.marked.insert(group) {
            return Ok(());
        }
        self.connection()
            .prepare_cached("INSERT OR IGNORE INTO derive_marked (grp) VALUES (?1)")?
            .execute([group.0])?;
        Ok(())
    }

    /// Removes at most `limit` groups from the queue and returns them, by deriver and name.
    pub fn take_marked(&mut self, limit: usize) -> Result<Vec<Marked>, StoreError> {
        self.marked.clear();
        let mut statement = self.connection().prepare_cached(
            "SELECT marked.grp, derive_group.deriver, derive_group.name FROM derive_marked AS marked
             JOIN derive_group ON derive_group.number = marked.grp
             ORDER BY derive_group.deriver, marked.grp LIMIT ?1",
        )?;
        let marked = statement.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
            Ok(Marked { number: GroupNumber(row.get(0)?), deriver: row.get(1)?, name: row.get(2)? })
        })?;
        let mut marked: Vec<Marked> = marked.collect::<Result<_, _>>()?;
        let mut unmark =
            self.connection().prepare_cached("DELETE FROM derive_marked WHERE grp = ?1")?;
        for group in &marked {
            unmark.execute([group.number.0])?;
        }
        marked.sort_by(|a, b| (&a.deriver, &a.name).cmp(&(&b.deriver, &b.name)));
        Ok(marked)
    }

    /// How many groups are marked.
    pub fn count_marked(&self) -> Result<u64, StoreError> {
        let count: i64 = self
            .connection()
            .prepare_cached("SELECT count(*) FROM derive_marked")?
            .query_row([], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// The identities that the group's last run concluded.
    pub fn made(&self, group: GroupNumber) -> Result<Vec<String>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached("SELECT key FROM derive_made WHERE grp = ?1 ORDER BY key")?;
        let keys = statement.query_map([group.0], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// [`SqliteLedgerIndex::makers`].
    pub fn makers(&self, key: &str) -> Result<Vec<Marked>, StoreError> {
        self.index.makers(key)
    }

    /// Notes that a group concludes an identity.
    pub fn add_made(&mut self, group: GroupNumber, key: &str) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached("INSERT OR IGNORE INTO derive_made (grp, key) VALUES (?1, ?2)")?
            .execute(params![group.0, key])?;
        Ok(())
    }

    /// Notes that a group no longer concludes an identity.
    pub fn remove_made(&mut self, group: GroupNumber, key: &str) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached("DELETE FROM derive_made WHERE grp = ?1 AND key = ?2")?
            .execute(params![group.0, key])?;
        Ok(())
    }

    /// The claim that derivation last saw served for an identity.
    pub fn served(&self, key: &str) -> Result<Option<Served>, StoreError> {
        let served = self
            .connection()
            .prepare_cached("SELECT pos, layer FROM derive_served WHERE key = ?1")?
            .query_row([key], |row| {
                let position = Position(row.get::<_, i64>(0)?.unsigned_abs());
                let layer: i64 = row.get(1)?;
                let is_placed = layer >= 0;
                let layer = if is_placed { layer } else { -1 - layer };
                let layer = u32::try_from(layer).unwrap_or(u32::MAX);
                Ok(Served { position, layer, is_placed })
            })
            .optional()?;
        Ok(served)
    }

    /// Stores the claim that it sees now.
    pub fn set_served(&mut self, key: &str, served: Option<Served>) -> Result<(), StoreError> {
        match served {
            Some(Served { position, layer, is_placed }) => self
                .connection()
                .prepare_cached(
                    "INSERT INTO derive_served (key, pos, layer) VALUES (?1, ?2, ?3)
                     ON CONFLICT (key) DO UPDATE SET pos = excluded.pos, layer = excluded.layer",
                )?
                .execute(params![
                    key,
                    sql(position),
                    if is_placed { i64::from(layer) } else { -1 - i64::from(layer) }
                ])?,
            None => self
                .connection()
                .prepare_cached("DELETE FROM derive_served WHERE key = ?1")?
                .execute([key])?,
        };
        Ok(())
    }

    /// Whether identities are in the queue of changed ones.
    pub fn is_changed(&self) -> Result<bool, StoreError> {
        let mut statement =
            self.connection().prepare_cached("SELECT EXISTS (SELECT 1 FROM changed)")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    /// Every identity with a claim, a correction or a refutation, in order.
    pub fn identity_keys(&self) -> Result<Vec<String>, StoreError> {
        let mut keys = Vec::new();
        self.index.identity_keys(|key| {
            keys.push(key);
            true
        })?;
        Ok(keys)
    }

    /// Removes at most `limit` identities from the queue of changed ones and returns them, in
    /// order.
    pub fn take_changed(&mut self, limit: usize) -> Result<Vec<String>, StoreError> {
        let keys = self.take_keys("changed", limit)?;
        self.touch(keys.len())?;
        Ok(keys)
    }

    /// Notes that an identity may no longer follow from anything.
    pub fn mark_unsupported(&mut self, key: &str) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached("INSERT OR IGNORE INTO derive_suspect (key) VALUES (?1)")?
            .execute([key])?;
        Ok(())
    }

    /// At most `limit` such identities after `after`, in order.
    pub fn unsupported(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT key FROM derive_suspect WHERE ?1 IS NULL OR key > ?1 ORDER BY key LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let keys = statement.query_map(params![after, limit], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// Removes that note.
    pub fn unmark_unsupported(&mut self, key: &str) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached("DELETE FROM derive_suspect WHERE key = ?1")?
            .execute([key])?;
        Ok(())
    }

    /// Whether any operation up to `until` is at or after `ts` in the space's order: one of
    /// `author`, or of any author.
    pub fn has_later(
        &self,
        author: Option<&Author>,
        ts: HlcTimestamp,
        until: Position,
    ) -> Result<bool, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM op INDEXED BY op_order WHERE ts >= ?1 AND pos <= ?2
                 AND (?3 IS NULL OR author = (SELECT number FROM author WHERE key = ?3)))",
        )?;
        let ts = i64::try_from(ts.0).unwrap_or(i64::MAX);
        let author = author.map(|author| author.0);
        Ok(statement.query_row(params![ts, sql(until), author], |row| row.get(0))?)
    }

    /// Whether any operation of `author` up to `until` has a higher number than `seq`.
    pub fn has_beyond(
        &self,
        author: &Author,
        seq: u64,
        until: Position,
    ) -> Result<bool, StoreError> {
        has_beyond(self.connection(), author, seq, until)
    }

    fn take_keys(&mut self, table: &'static str, limit: usize) -> Result<Vec<String>, StoreError> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached(&format!("SELECT key FROM {table} ORDER BY key LIMIT ?1"))?;
        let keys =
            statement.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| row.get(0))?;
        let keys: Vec<String> = keys.collect::<Result<_, _>>()?;
        let mut delete =
            connection.prepare_cached(&format!("DELETE FROM {table} WHERE key = ?1"))?;
        for key in &keys {
            delete.execute([key])?;
        }
        drop(delete);
        Ok(keys)
    }
}

/// Whether any operation of `author` up to `until` has a higher number than `seq`.
pub(super) fn has_beyond(
    connection: &Connection,
    author: &Author,
    seq: u64,
    until: Position,
) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM op WHERE author = (SELECT number FROM author WHERE key = ?1)
             AND seq > ?2 AND pos <= ?3)",
    )?;
    let seq = i64::try_from(seq).unwrap_or(i64::MAX);
    Ok(statement.query_row(params![author.0, seq, sql(until)], |row| row.get(0))?)
}
