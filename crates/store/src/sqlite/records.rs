//! The view of records: nodes by their texts, edges by their types and ends, and claims and nodes
//! by their tags ([`super::tags`]).
//!
//! Stating a text or an edge again must find the earlier version at the cost of one look-up, and
//! lists show the newest first. What edges make of a record is not stored: it depends on edges far
//! away, and is computed for the few records that are asked for
//! ([`Records`](kernel::records::Records)).

use std::collections::BTreeSet;

use kernel::body::EdgeType;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{HlcTimestamp, Role};
use kernel::records::{Records, is_record};
use kernel::soundness::Arrival;
use kernel::validity::Validity;
use rusqlite::{Connection, OptionalExtension, params};

use super::graph::{SqliteLedgerIndex, id_at, sql, stamp_at};
use super::registry::{Fold, TableSpec, ViewSpec};
use super::tags::{self, TagRange};
use crate::{Position, StoreError};

/// The version of the tables that first has the view.
pub(super) const SINCE: i64 = 7;

/// The view's tables.
pub(super) static VIEW: ViewSpec = ViewSpec {
    name: "records",
    tables: &[
        TableSpec::new(
            "record",
            SINCE,
            "CREATE TABLE record (pos INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, ts INTEGER NOT NULL) STRICT;
             CREATE INDEX record_key ON record (key, kind, ts);
             CREATE INDEX record_kind ON record (kind, ts);",
        ),
        tags::TABLE,
    ],
    fold: Fold::WithAppend {
        is_needed: |connection| {
            let exists = "SELECT EXISTS (SELECT 1 FROM op WHERE kind IN ('node', 'edge'))";
            let has_records: bool = connection.query_row(exists, [], |row| row.get(0))?;
            Ok(has_records || tags::are_in_ledger(connection)?)
        },
    },
};

/// Versions of a node or an edge, the latest times first, as the index has them.
const LATEST_RECORD: &str = "SELECT record.ts, op.id, op.pos FROM record CROSS JOIN op USING (pos)
     WHERE record.key = ?1 AND record.kind = ?2 AND record.ts <= ?3 ORDER BY record.ts DESC";

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

/// Whether an edge of this type decides about the status of its ends.
fn displaces(edge_type: EdgeType) -> bool {
    matches!(edge_type, EdgeType::Supersedes | EdgeType::SameAs)
}

impl SqliteLedgerIndex<'_> {
    /// The latest version of a node or an edge.
    pub(super) fn latest_version(
        &self,
        key: &str,
        kind: &Kind,
        before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<Entry>, StoreError> {
        if !self.records_are_stored {
            return Ok(None);
        }
        let id = self.latest_in(LATEST_RECORD, key, kind, before)?;
        id.map_or(Ok(None), |id| self.entry(&id))
    }

    /// Whether any edge replaces or redirects a record. Until one does, no record is displaced.
    pub fn has_displacing_edges(&self) -> Result<bool, StoreError> {
        if let Some(known) = self.has_displacing.get() {
            return Ok(known);
        }
        let mut found = false;
        for edge_type in [EdgeType::Supersedes, EdgeType::SameAs] {
            // A brace follows the bar.
            let from = format!("edge|{}|", edge_type.as_str());
            let to = format!("edge|{}}}", edge_type.as_str());
            found |= self.records_are_stored
                && self
                    .connection
                    .prepare_cached(
                        "SELECT EXISTS (SELECT 1 FROM record WHERE key >= ?1 AND key < ?2)",
                    )?
                    .query_row([from, to], |row| row.get(0))?;
        }
        self.has_displacing.set(Some(found));
        Ok(found)
    }

    /// Notes that an operation was folded, which may be the first edge that displaces.
    pub(super) fn note_edge(&self, entry: &Entry) {
        if entry.edge_type().is_some_and(displaces) {
            self.has_displacing.set(Some(true));
        }
    }

    /// The identities whose claims may be displaced by edges now and were not before an operation
    /// was folded, or the other way round. `touched` are operations that may stand or be in force
    /// now and were not before, or the other way round, and `keys` identities of which something
    /// else is believed.
    pub(super) fn displacement_keys(
        &self,
        entry: &Entry,
        arrival: Arrival,
        touched: impl IntoIterator<Item = OpId>,
        keys: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, StoreError> {
        if !self.has_displacing_edges()? {
            return Ok(BTreeSet::new());
        }
        let mut walk = DisplacementWalk::default();
        if arrival == Arrival::Latest && self.replaces_what_stood(entry)? {
            walk.alone = entry.sole_ref(Role::TO);
        } else {
            walk.touch(entry);
        }
        for id in touched {
            if let Some(touched) = self.entry(&id)?.filter(|touched| touched.id != entry.id) {
                walk.touch(&touched);
            }
        }
        // A new version ends the standing of the one before.
        if let Some(key) = entry.version_key().filter(|_| is_record(entry)) {
            self.touch_latest(key, &entry.kind, Some(entry.order()), &mut walk)?;
        }
        for key in keys {
            self.touch_latest(key, &Kind::Claim, None, &mut walk)?;
        }
        walk.run(self)
    }

    /// Touches the latest version of a text that has effect, and those after it, which may have had
    /// effect.
    fn touch_latest(
        &self,
        key: &str,
        kind: &Kind,
        mut before: Option<(HlcTimestamp, OpId)>,
        walk: &mut DisplacementWalk,
    ) -> Result<(), StoreError> {
        let validity = Validity::new(self);
        while let Some(version) = self.latest_of(key, kind, before)? {
            walk.touch(&version);
            if validity.has_effect(&version)? {
                break;
            }
            before = Some(version.order());
        }
        Ok(())
    }

    /// Whether an edge that was just added replaces a record that stood, by one that nothing
    /// replaces. Then only that record is displaced by it: whatever is below was replaced already,
    /// and no ring can have closed. So a text that is replaced again and again costs no more each
    /// time.
    fn replaces_what_stood(&self, entry: &Entry) -> Result<bool, StoreError> {
        if entry.edge_type() != Some(EdgeType::Supersedes) {
            return Ok(false);
        }
        let (Some(from), Some(to)) = (entry.sole_ref(Role::FROM), entry.sole_ref(Role::TO)) else {
            return Ok(false);
        };
        for edge in self.acting(&from, &Kind::Edge, Role::TO)? {
            if self.entry(&edge)?.and_then(|edge| edge.edge_type()) == Some(EdgeType::Supersedes) {
                return Ok(false);
            }
        }
        Records::new(self).is_standing(&to)
    }

    /// Nodes or edges, the latest first and none after `until`, passed to `take` until it returns
    /// false. With a prefix, only those whose key begins with it; with tags, only those with one.
    pub fn latest_records(
        &self,
        kind: &Kind,
        prefix: Option<&str>,
        tagged: Option<&TagRange>,
        until: HlcTimestamp,
        mut take: impl FnMut(OpId) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        if !self.records_are_stored {
            return Ok(());
        }
        let condition = match prefix {
            Some(_) => "AND substr(record.key, 1, length(?3)) = ?3",
            None => "AND ?3 IS NULL",
        };
        let records = match tagged {
            Some(_) => {
                "(SELECT DISTINCT pos FROM record_tag WHERE tag >= ?4 AND tag < ?5) CROSS JOIN record USING (pos)"
            }
            None => "record",
        };
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT op.id, record.ts FROM {records} CROSS JOIN op USING (pos)
             WHERE record.kind = ?1 AND record.ts <= ?2 {condition}
             ORDER BY record.ts DESC, record.pos DESC"
        ))?;
        let until = i64::try_from(until.0).unwrap_or(i64::MAX);
        let mut rows = match tagged {
            Some(TagRange { from, below }) => {
                statement.query(params![kind.as_str(), until, prefix, from, below])?
            }
            None => statement.query(params![kind.as_str(), until, prefix])?,
        };
        while let Some(row) = rows.next()? {
            stamp_at(row, 1)?;
            if !take(id_at(row, 0)?)? {
                break;
            }
        }
        Ok(())
    }
}

/// Finds what edges may displace otherwise than before, over all edges, in force or not.
#[derive(Default)]
struct DisplacementWalk {
    /// Identities of what was found.
    keys: BTreeSet<String>,
    /// Records that may stand otherwise than before.
    standing: Vec<OpId>,
    /// Records that may be replaced otherwise than before.
    replaced: Vec<OpId>,
    /// Records that may redirect otherwise than before.
    redirected: Vec<OpId>,
    /// A record that may be replaced otherwise than before, and nothing below it.
    alone: Option<OpId>,
}

impl DisplacementWalk {
    /// Begins with a record, or with the ends of an edge.
    fn touch(&mut self, entry: &Entry) {
        match entry.edge_type() {
            _ if is_record(entry) => self.standing.push(entry.id),
            Some(EdgeType::Supersedes) => self.replaced.extend(entry.cited(Role::TO)),
            Some(EdgeType::SameAs) => self.redirected.extend(entry.cited(Role::FROM)),
            _ => {}
        }
    }

    fn run(mut self, index: &SqliteLedgerIndex<'_>) -> Result<BTreeSet<String>, StoreError> {
        if let Some(alone) = self.alone {
            self.find(index, &alone)?;
        }
        let mut seen: BTreeSet<OpId> = BTreeSet::new();
        while let Some(id) = self.standing.pop() {
            if seen.insert(id) {
                self.find(index, &id)?;
                self.replaced.extend(ends(index, &id, Role::FROM, EdgeType::Supersedes)?);
                self.redirected.extend(ends(index, &id, Role::TO, EdgeType::SameAs)?);
            }
        }
        // A record is replaced by whatever replaces what replaces it.
        seen.clear();
        while let Some(id) = self.replaced.pop() {
            if seen.insert(id) {
                self.find(index, &id)?;
                self.replaced.extend(ends(index, &id, Role::FROM, EdgeType::Supersedes)?);
            }
        }
        // What redirects to one that redirects is an alias whatever becomes of that, except in a
        // ring, whose other members are ahead.
        seen.clear();
        while let Some(id) = self.redirected.pop() {
            if seen.insert(id) {
                self.find(index, &id)?;
                self.redirected.extend(ends(index, &id, Role::FROM, EdgeType::SameAs)?);
            }
        }
        Ok(self.keys)
    }

    fn find(&mut self, index: &SqliteLedgerIndex<'_>, id: &OpId) -> Result<(), StoreError> {
        if let Some(Entry { kind: Kind::Claim, identity, .. }) = index.entry(id)? {
            self.keys.extend(identity);
        }
        Ok(())
    }
}

/// The other ends of the edges of a type that have an operation at the end `own`.
fn ends(
    index: &SqliteLedgerIndex<'_>,
    id: &OpId,
    own: &str,
    edge_type: EdgeType,
) -> Result<Vec<OpId>, StoreError> {
    let other = if own == Role::FROM { Role::TO } else { Role::FROM };
    let mut found = Vec::new();
    for edge in index.acting(id, &Kind::Edge, own)? {
        if let Some(edge) = index.entry(&edge)?
            && edge.edge_type() == Some(edge_type)
        {
            found.extend(edge.cited(other));
        }
    }
    Ok(found)
}
