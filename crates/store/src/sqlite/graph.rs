//! The graph: look-ups over the ledger, by which the rules are judged.
//!
//! Folded in the same transaction as the append, because the next operation of the batch is judged
//! by it. Everything here follows from the `op` table and can be made again from it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use kernel::access::{Access, Place};
use kernel::body::Body;
use kernel::id::{Author, BodyHash, OpId, SpaceId};
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::{Citing, Entry, Head, LedgerIndex, record_key};
use kernel::operation::{HlcTimestamp, Operation, Ref, Role};
use kernel::soundness::{
    Arrival, ClaimStatus, StatusUpdate, may_change_status, needs_full_recompute,
    recompute_statuses, update_status,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::access::{AccessCache, SpaceAccess, change_of};
use super::arrivals::Arrivals;
use super::beliefs::{self, BeliefChanges};
use super::ledger;
use super::operation_memory::OperationMemory;
use super::records;
use super::refs::decode_refs;
use super::registry::{Fold, TableSpec, ViewSpec};
use super::tags;
use crate::{Position, StoreError};

/// The graph's tables.
pub(super) static VIEW: ViewSpec = ViewSpec {
    name: "graph",
    tables: &[
        TableSpec::new("access", 1, "CREATE TABLE access (pos INTEGER PRIMARY KEY) STRICT;"),
        TableSpec::new(
            "cite",
            1,
            "CREATE TABLE cite (target INTEGER NOT NULL, citing INTEGER NOT NULL, role TEXT NOT NULL,
                 PRIMARY KEY (target, role, citing)) STRICT, WITHOUT ROWID;",
        )
        .ordered_by("target, role, citing"),
        TableSpec::new(
            "claim",
            2,
            "CREATE TABLE claim (pos INTEGER PRIMARY KEY, sound INTEGER NOT NULL, recorded INTEGER NOT NULL, due INTEGER NOT NULL) STRICT;
             CREATE INDEX claim_due ON claim (pos) WHERE due <> 0;",
        ),
        TableSpec::new(
            "evidence",
            1,
            "CREATE TABLE evidence (key INTEGER PRIMARY KEY, pos INTEGER NOT NULL) STRICT;",
        ),
        TableSpec::new(
            "identity",
            1,
            "CREATE TABLE identity (pos INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, ts INTEGER NOT NULL, payload BLOB) STRICT;
             CREATE INDEX identity_key ON identity (key, kind, ts);",
        )
        .altered(2, "pos, key, payload"),
    ],
    fold: Fold::WithAppend { is_needed: |_| Ok(true) },
};

/// Statuses that are cached, and identities whose latest statements are.
const ENTRIES_MAX: usize = 1 << 15;

/// The entry of one row, with the columns in the order in which entries are read.
const ENTRY_AT: &str = "SELECT op.id, op.ts, op.kind, author.key, op.refs, identity.key, identity.payload, op.pos, op.seq FROM op
     JOIN author ON author.number = op.author LEFT JOIN identity ON identity.pos = op.pos WHERE op.pos = ?1";

/// The same of everything that is stated of an identity.
const ENTRIES_OF_IDENTITY: &str = "SELECT op.id, op.ts, op.kind, author.key, op.refs, identity.key, identity.payload, op.pos, op.seq FROM op
     JOIN author ON author.number = op.author LEFT JOIN identity ON identity.pos = op.pos WHERE identity.key = ?1";

/// What an index remembers for as long as it lives.
type Cache<K, V> = RefCell<HashMap<K, V, foldhash::fast::RandomState>>;

/// Statements of an identity. The index gives the latest times first; sorting by id as well would
/// build a temporary table for each question, and hardly any times are equal.
const LATEST_STATEMENT: &str = "SELECT identity.ts, op.id, op.pos FROM identity CROSS JOIN op USING (pos)
     WHERE identity.key = ?1 AND identity.kind = ?2 AND identity.ts <= ?3 ORDER BY identity.ts DESC";

/// The latest statements of an identity, as far as they were asked for.
type LatestByKind = BTreeMap<Kind, Option<OpId>>;

/// Look-ups over one connection, on one snapshot.
pub struct SqliteLedgerIndex<'a> {
    pub(super) connection: &'a Connection,
    access: Arc<Access>,
    pub(super) space: Option<SpaceId>,
    heads: Cache<Author, Option<Head>>,
    /// What was read of operations.
    pub(super) memory: OperationMemory,
    /// Whether evidence is remembered when it is added, because what comes next may cite it.
    pub(super) expects_citations: bool,
    /// The latest statements of identities, by key and kind.
    statement_cache: Cache<String, LatestByKind>,
    /// The statuses of claims that were read or stored.
    status_cache: Cache<OpId, Option<ClaimStatus>>,
    /// What was added since this index was made.
    pub(super) arrivals: Arrivals,
    /// The slot that was found empty last, by the hash of its record.
    pub(super) vacant_slot: std::cell::Cell<Option<(i64, i64)>>,
    /// The highest time that was folded.
    latest: Option<HlcTimestamp>,
    /// False over tables of version 1, which can be read and not written.
    claims_are_stored: bool,
    /// False over tables that do not have the view of records yet.
    pub(super) records_are_stored: bool,
    /// False over tables that do not have the tags of claims and nodes yet.
    pub(super) tags_are_stored: bool,
    /// Whether an edge replaces or redirects a record, once that was asked.
    pub(super) has_displacing: std::cell::Cell<Option<bool>>,
    /// Whether any operation is without its body, once that was asked.
    pub(super) has_removed: std::cell::Cell<Option<bool>>,
    /// Identities whose row in the view of beliefs must be written again.
    belief_changes: BeliefChanges,
}

impl<'a> SqliteLedgerIndex<'a> {
    /// An index over what `connection` sees.
    pub(super) fn new(
        connection: &'a Connection,
        access: &AccessCache,
    ) -> Result<Self, StoreError> {
        Self::with_access_until(connection, access, Position(u64::MAX))
    }

    /// The same with the capabilities that follow from the operations up to `until`.
    pub(super) fn with_access_until(
        connection: &'a Connection,
        access: &AccessCache,
        until: Position,
    ) -> Result<Self, StoreError> {
        let SpaceAccess { space, access } = access.until(connection, until)?;
        let version = super::schema_version(connection)?;
        Ok(Self {
            connection,
            access,
            space,
            heads: Default::default(),
            memory: OperationMemory::default(),
            expects_citations: false,
            statement_cache: Default::default(),
            status_cache: Default::default(),
            arrivals: Arrivals::default(),
            vacant_slot: Default::default(),
            latest: None,
            claims_are_stored: version > 1,
            records_are_stored: version >= records::SINCE,
            tags_are_stored: version >= tags::SINCE,
            has_displacing: Default::default(),
            has_removed: Default::default(),
            belief_changes: BeliefChanges::default(),
        })
    }

    fn note_access(&mut self, at: Place, author: Author, body: &Body) {
        if let Body::Space(space) = body {
            self.space = Some(SpaceId(at.order.1));
            Arc::make_mut(&mut self.access).set_owner(space.owner);
        }
        if let Some((at, change)) = change_of(at, author, body) {
            Arc::make_mut(&mut self.access).insert(at, change);
        }
    }

    /// The same, folded up to a time.
    pub(super) fn reaching(self, latest: Option<HlcTimestamp>) -> Self {
        Self { latest, ..self }
    }

    /// The highest time that was folded.
    pub(super) fn latest(&self) -> Option<HlcTimestamp> {
        self.latest
    }

    /// Takes an operation that was just written at `position` into the graph. What it changed of
    /// claims is stored already when this returns.
    pub(super) fn fold<State>(
        &mut self,
        position: Position,
        operation: &Operation<State>,
        body: Option<&Body>,
    ) -> Result<StatusUpdate, StoreError> {
        let header = operation.header();
        let arrival = Arrival::at(header.ts, self.latest);
        self.latest = self.latest.max(Some(header.ts));
        let at = sql(position);
        for reference in &header.refs {
            if matches!(reference.role.as_str(), Role::TARGET | Role::SUPERSEDES) {
                self.memory.acting.change(&reference.id, |acting| {
                    acting.insert(header.kind.clone());
                });
            }
            self.arrivals.note_citation(&reference.id);
            if let Some(target) = self.position_of(&reference.id)? {
                self.connection
                    .prepare_cached(
                        "INSERT OR IGNORE INTO cite (target, citing, role) VALUES (?1, ?2, ?3)",
                    )?
                    .execute(params![sql(target), at, reference.role.as_str()])?;
            }
        }
        self.arrivals.note_operation(operation.id());
        if let Some((key, payload)) = body.and_then(Body::identity) {
            self.arrivals.note_statement(key, operation.id());
            if let Some(known) = self.statement_cache.borrow_mut().get_mut(key) {
                match arrival {
                    Arrival::Latest => known.insert(header.kind.clone(), Some(operation.id())),
                    Arrival::Late => known.remove(&header.kind),
                };
            }
            self.connection
                .prepare_cached("INSERT INTO identity (pos, key, kind, ts, payload) VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![at, key, header.kind.as_str(), header.ts.0 as i64, payload.map(|digest| digest.0)])?;
        }
        if let Some(key) = body.and_then(|body| record_key(body, &header.refs)) {
            records::store(self.connection, position, &key, &header.kind, header.ts)?;
        }
        tags::store(self.connection, position, body)?;
        if let Some(Body::Claim(claim)) = body {
            self.belief_changes.note_claim(operation.id(), claim);
        }
        match body {
            Some(Body::Evidence(evidence))
                if self.access.holds(&header.author, Capability::Append, operation.place()) =>
            {
                self.note_evidence(
                    position,
                    operation.order(),
                    &evidence.source,
                    &evidence.source_uid,
                )?;
            }
            Some(body @ (Body::Space(_) | Body::Grant(_) | Body::Revoke(_))) => {
                self.connection
                    .prepare_cached("INSERT OR IGNORE INTO access (pos) VALUES (?1)")?
                    .execute([at])?;
                self.note_access(operation.place(), header.author, body);
            }
            _ => {}
        }
        let head = Head { seq: header.seq, id: operation.id(), ts: header.ts };
        self.heads.borrow_mut().insert(header.author, Some(head));
        if needs_full_recompute(header, arrival) {
            let update = recompute_statuses(&*self, self.claims("claim JOIN op USING (pos)")?)?;
            self.store(&update)?;
            self.belief_changes.note_all(self.latest);
            Ok(update)
        } else if may_change_status(header) {
            let entry = Entry::of(operation, body);
            self.remember_new(&entry, at);
            let update = update_status(&*self, &entry, arrival)?;
            self.store(&update)?;
            self.note_edge(&entry);
            let (late, built_upon) = match arrival {
                Arrival::Latest => Default::default(),
                Arrival::Late => beliefs::built_upon(&*self, &entry)?,
            };
            let touched = update.changes.iter().map(|change| change.id).chain(built_upon);
            let mut keys: BTreeSet<String> = update.keys.union(&late).cloned().collect();
            keys.extend(self.displacement_keys(&entry, arrival, touched, &update.keys)?);
            let mut changes = std::mem::take(&mut self.belief_changes);
            changes.note(&*self, &entry, arrival, &keys);
            self.belief_changes = changes;
            Ok(update)
        } else {
            if self.expects_citations && header.kind == Kind::Evidence {
                self.remember_new(&Entry::of(operation, body), at);
            }
            Ok(StatusUpdate::default())
        }
    }

    /// Brings the view of beliefs up to date with everything that was folded.
    pub(super) fn write_beliefs(&mut self) -> Result<(), StoreError> {
        let changes = std::mem::take(&mut self.belief_changes);
        changes.write(self)
    }

    /// The same once many changes wait.
    pub(super) fn write_beliefs_of_batch(&mut self) -> Result<(), StoreError> {
        if self.belief_changes.is_full() { self.write_beliefs() } else { Ok(()) }
    }

    /// Drops what was noted for the view of beliefs, where that view does not exist.
    pub(super) fn forget_belief_changes(&mut self) {
        self.belief_changes = BeliefChanges::default();
    }

    /// The ids of claims, in the space's order.
    fn claims(&self, from: &str) -> Result<Vec<OpId>, StoreError> {
        let query = format!("SELECT op.id FROM {from} ORDER BY op.ts, op.id");
        let mut statement = self.connection.prepare_cached(&query)?;
        let ids = statement.query_map([], |row| id_at(row, 0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// Claims whose invalidation is still to be recorded, in the space's order.
    pub(super) fn due(&self) -> Result<Vec<OpId>, StoreError> {
        self.claims("claim JOIN op USING (pos) WHERE claim.due <> 0")
    }

    fn store(&self, update: &StatusUpdate) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO claim (pos, sound, recorded, due) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (pos) DO UPDATE SET sound = ?2, recorded = ?3, due = ?4",
        )?;
        for change in &update.changes {
            if let Some(row) = self.row_of(&change.id)? {
                let ClaimStatus { sound, recorded, due } = change.after;
                statement.execute(params![row, sound, recorded, due])?;
                self.remember_status(change.id, Some(change.after));
            }
        }
        Ok(())
    }

    pub(super) fn position_of(&self, id: &OpId) -> Result<Option<Position>, StoreError> {
        Ok(self.row_of(id)?.map(|row| Position(row.unsigned_abs())))
    }

    pub(super) fn row_of(&self, id: &OpId) -> Result<Option<i64>, StoreError> {
        if let Some(row) = self.memory.rows.get(id) {
            return Ok(Some(row));
        }
        let row = self
            .connection
            .prepare_cached("SELECT pos FROM op WHERE id = ?1")?
            .query_row([id.0], |row| row.get::<_, i64>(0))
            .optional()?;
        if let Some(row) = row {
            self.meet(*id, row);
        }
        Ok(row)
    }

    /// Keeps what is known of an operation that was just added: nothing acts on it yet, and it has
    /// no status.
    fn remember_new(&self, entry: &Entry, row: i64) {
        self.meet(entry.id, row);
        if self.records_are_stored || entry.record_key.is_none() {
            self.remember(entry.clone());
        }
        self.memory.acting.insert(entry.id, BTreeSet::new());
        if self.claims_are_stored {
            self.remember_status(entry.id, None);
        }
    }

    /// Keeps an entry that was read.
    pub(super) fn remember(&self, entry: Entry) {
        self.memory.entries.insert(entry.id, entry);
    }

    /// Whether an operation of `kind` may cite this one as its target or as superseded. No if it is
    /// known that none does.
    fn is_acted_on_by(&self, kind: &Kind, id: &OpId, row: i64) -> Result<bool, StoreError> {
        // A claim that was invalidated often has many records of that, and they are asked for
        // alone.
        if *kind == Kind::ClaimInvalidation {
            return Ok(true);
        }
        if let Some(acting) = self.memory.acting.get(id) {
            return Ok(acting.contains(kind));
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT op.kind FROM cite CROSS JOIN op ON op.pos = cite.citing
                 WHERE cite.target = ?1 AND cite.role = 'target' AND op.kind <> 'claim_invalidation'
             UNION ALL SELECT op.kind FROM cite CROSS JOIN op ON op.pos = cite.citing
                 WHERE cite.target = ?1 AND cite.role = 'supersedes'",
        )?;
        let kinds = statement.query_map([row], |row| kind_at(row, 0))?;
        let acting: BTreeSet<Kind> = kinds.collect::<Result<_, _>>()?;
        let is_acted_on = acting.contains(kind);
        self.memory.acting.insert(*id, acting);
        Ok(is_acted_on)
    }

    fn remember_statement(&self, key: &str, kind: &Kind, latest: Option<OpId>) {
        let mut cache = self.statement_cache.borrow_mut();
        if cache.len() >= ENTRIES_MAX {
            cache.clear();
        }
        match cache.get_mut(key) {
            Some(known) => known.insert(kind.clone(), latest),
            None => cache.entry(key.to_owned()).or_default().insert(kind.clone(), latest),
        };
    }

    /// The latest row that a query finds with that key and kind, before a place in the order.
    pub(super) fn latest_in(
        &self,
        query: &str,
        key: &str,
        kind: &Kind,
        before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<OpId>, StoreError> {
        let mut statement = self.connection.prepare_cached(query)?;
        let until = before.map_or(i64::MAX, |(ts, _)| ts.0 as i64);
        let mut rows = statement.query(params![key, kind.as_str(), until])?;
        let mut latest: Option<(HlcTimestamp, OpId)> = None;
        while let Some(row) = rows.next()? {
            let order = (stamp_at(row, 0)?, id_at(row, 1)?);
            if latest.is_some_and(|latest| order.0 < latest.0) {
                break;
            }
            if before.is_none_or(|before| order < before) && latest < Some(order) {
                self.meet(order.1, row.get(2)?);
                latest = Some(order);
            }
        }
        Ok(latest.map(|(_, id)| id))
    }

    /// Whether nobody corrected or refuted an identity, which is so of most. The same question
    /// tells whether anything is stated of it at all.
    fn has_no_word(&self, key: &str) -> Result<bool, StoreError> {
        let (is_stated, is_refuted, is_corrected): (bool, bool, bool) = self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM identity WHERE key = ?1),
                     EXISTS (SELECT 1 FROM identity WHERE key = ?1 AND kind = 'claim_refutation'),
                     EXISTS (SELECT 1 FROM identity WHERE key = ?1 AND kind = 'claim_correction')",
            )?
            .query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        if is_refuted || is_corrected {
            return Ok(false);
        }
        if !is_stated {
            self.arrivals.note_new(key);
            return Ok(true);
        }
        self.remember_statement(key, &Kind::ClaimRefutation, None);
        self.remember_statement(key, &Kind::ClaimCorrection, None);
        Ok(true)
    }

    /// The latest of some statements of a kind, before a place in the order.
    fn latest_among(
        &self,
        statements: &[OpId],
        kind: &Kind,
        before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<Entry>, StoreError> {
        let mut latest: Option<Entry> = None;
        for id in statements {
            if let Some(entry) = self.entry(id)?
                && entry.kind == *kind
                && before.is_none_or(|before| entry.order() < before)
                && latest.as_ref().is_none_or(|latest| latest.order() < entry.order())
            {
                latest = Some(entry);
            }
        }
        Ok(latest)
    }

    fn remember_status(&self, id: OpId, status: Option<ClaimStatus>) {
        let mut cache = self.status_cache.borrow_mut();
        if cache.len() >= ENTRIES_MAX {
            cache.clear();
        }
        cache.insert(id, status);
    }

    pub(super) fn meet(&self, id: OpId, row: i64) {
        self.memory.rows.insert(id, row);
    }

    fn entries(
        &self,
        query: &'static str,
        arguments: impl rusqlite::Params,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut statement = self.connection.prepare_cached(query)?;
        let mut rows = statement.query(arguments)?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next()? {
            let place = row.get(7)?;
            self.meet(id_at(row, 0)?, place);
            let kind = kind_at(row, 2)?;
            let record_key = if kind.spec().has_record_key && self.records_are_stored {
                records::key_at(self.connection, place)?
            } else {
                None
            };
            entries.push(Entry {
                id: id_at(row, 0)?,
                ts: stamp_at(row, 1)?,
                kind,
                author: author_at(row, 3)?,
                seq: row.get::<_, i64>(8)?.unsigned_abs(),
                refs: refs_at(row, 4)?,
                identity: row.get(5)?,
                payload: row.get::<_, Option<[u8; 32]>>(6)?.map(BodyHash),
                record_key,
            });
        }
        entries.sort_unstable_by_key(Entry::order);
        Ok(entries)
    }
}

impl LedgerIndex for SqliteLedgerIndex<'_> {
    type Error = StoreError;

    fn space(&self) -> Result<Option<SpaceId>, StoreError> {
        Ok(self.space)
    }

    fn entry(&self, id: &OpId) -> Result<Option<Entry>, StoreError> {
        if let Some(entry) = self.memory.entries.get(id) {
            return Ok(Some(entry));
        }
        let Some(row) = self.row_of(id)? else { return Ok(None) };
        let entry = self.entries(ENTRY_AT, [row])?.pop();
        if let Some(entry) = &entry {
            self.remember(entry.clone());
        }
        Ok(entry)
    }

    fn time_and_kind(&self, id: &OpId) -> Result<Option<(HlcTimestamp, Kind)>, StoreError> {
        let known = self.memory.entries.peek(id, |entry| (entry.ts, entry.kind.clone()));
        if known.is_some() {
            return Ok(known);
        }
        let Some(row) = self.row_of(id)? else { return Ok(None) };
        Ok(self
            .connection
            .prepare_cached("SELECT ts, kind FROM op WHERE pos = ?1")?
            .query_row([row], |row| Ok((stamp_at(row, 0)?, kind_at(row, 1)?)))
            .optional()?)
    }

    fn citing(&self, id: &OpId) -> Result<Vec<Citing>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT citing.id, citing.kind, cite.role FROM op AS target JOIN cite ON cite.target = target.pos
             JOIN op AS citing ON citing.pos = cite.citing WHERE target.id = ?1",
        )?;
        let mut rows = statement.query([id.0])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(Citing { id: id_at(row, 0)?, kind: kind_at(row, 1)?, role: row.get(2)? });
        }
        found.sort_unstable();
        Ok(found)
    }

    fn acting(&self, id: &OpId, kind: &Kind, role: &str) -> Result<Vec<OpId>, StoreError> {
        if self.arrivals.is_uncited(id) {
            return Ok(Vec::new());
        }
        let Some(row) = self.row_of(id)? else { return Ok(Vec::new()) };
        if matches!(role, Role::TARGET | Role::SUPERSEDES) && !self.is_acted_on_by(kind, id, row)? {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT citing.id FROM cite JOIN op AS citing ON citing.pos = cite.citing
             WHERE cite.target = ?1 AND cite.role = ?2 AND citing.kind = ?3",
        )?;
        let ids = statement.query_map(params![row, role, kind.as_str()], |row| id_at(row, 0))?;
        let mut ids: Vec<OpId> = ids.collect::<Result<_, _>>()?;
        ids.sort_unstable();
        Ok(ids)
    }

    fn dependents(&self, id: &OpId) -> Result<Vec<(HlcTimestamp, OpId)>, StoreError> {
        if self.arrivals.is_uncited(id) {
            return Ok(Vec::new());
        }
        let Some(row) = self.row_of(id)? else { return Ok(Vec::new()) };
        // Kinds are told apart here: a list of them in the query would be a temporary table, built
        // anew for each question. Only records of invalidations, of which a claim may have many,
        // are left out by the query.
        let mut statement = self.connection.prepare_cached(
            "SELECT citing.ts, citing.id, citing.pos, citing.kind, cite.role FROM cite
             JOIN op AS citing ON citing.pos = cite.citing
             WHERE cite.target = ?1 AND citing.kind <> 'claim_invalidation'",
        )?;
        let mut rows = statement.query([row])?;
        let mut places = Vec::new();
        while let Some(row) = rows.next()? {
            let kind = kind_at(row, 3)?;
            let role = row.get_ref(4)?.as_str().map_err(|error| conversion(4, error))?;
            if !kind.spec().has_soundness || !kind.spec().is_input(role) {
                continue;
            }
            let id = id_at(row, 1)?;
            self.meet(id, row.get(2)?);
            places.push((stamp_at(row, 0)?, id));
        }
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    fn status(&self, id: &OpId) -> Result<Option<ClaimStatus>, StoreError> {
        if !self.claims_are_stored {
            return Ok(None);
        }
        if let Some(known) = self.status_cache.borrow().get(id) {
            return Ok(*known);
        }
        let Some(row) = self.row_of(id)? else { return Ok(None) };
        let status = self
            .connection
            .prepare_cached("SELECT sound, recorded, due FROM claim WHERE pos = ?1")?
            .query_row([row], |row| {
                Ok(ClaimStatus { sound: row.get(0)?, recorded: row.get(1)?, due: row.get(2)? })
            })
            .optional()?;
        self.remember_status(*id, status);
        Ok(status)
    }

    fn identity(&self, key: &str) -> Result<Vec<Entry>, StoreError> {
        if let Some(statements) = self.arrivals.statements(key) {
            let mut entries = Vec::with_capacity(statements.len());
            for id in &statements {
                entries.extend(self.entry(id)?);
            }
            entries.sort_unstable_by_key(Entry::order);
            return Ok(entries);
        }
        self.entries(ENTRIES_OF_IDENTITY, [key])
    }

    fn latest_of(
        &self,
        key: &str,
        kind: &Kind,
        before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<Entry>, StoreError> {
        if kind.spec().has_record_key {
            return self.latest_version(key, kind, before);
        }
        if !self.claims_are_stored {
            let said = self.identity(key)?.into_iter().rev();
            return Ok({ said }.find(|entry| {
                entry.kind == *kind && before.is_none_or(|before| entry.order() < before)
            }));
        }
        if let Some(statements) = self.arrivals.statements(key) {
            return self.latest_among(&statements, kind, before);
        }
        if before.is_none()
            && let Some(known) = self.statement_cache.borrow().get(key)
            && let Some(id) = known.get(kind)
        {
            return id.map_or(Ok(None), |id| self.entry(&id));
        }
        if before.is_none()
            && matches!(kind, Kind::ClaimRefutation | Kind::ClaimCorrection)
            && self.has_no_word(key)?
        {
            return Ok(None);
        }
        let id = self.latest_in(LATEST_STATEMENT, key, kind, before)?;
        if id.is_none() && before.is_none() && *kind == Kind::Claim && self.has_no_word(key)? {
            // Nothing is stated of it at all, which is remembered.
            return Ok(None);
        }
        if before.is_none() {
            self.remember_statement(key, kind, id);
        }
        id.map_or(Ok(None), |id| self.entry(&id))
    }

    fn head(&self, author: &Author) -> Result<Option<Head>, StoreError> {
        if let Some(head) = self.heads.borrow().get(author) {
            return Ok(*head);
        }
        let head = self
            .connection
            .prepare_cached(
                "SELECT op.seq, op.id, op.ts FROM op JOIN author ON author.number = op.author
                 WHERE author.key = ?1 ORDER BY op.seq DESC LIMIT 1",
            )?
            .query_row([author.0], |row| {
                Ok(Head {
                    seq: row.get::<_, i64>(0)?.unsigned_abs(),
                    id: id_at(row, 1)?,
                    ts: stamp_at(row, 2)?,
                })
            })
            .optional()?;
        self.heads.borrow_mut().insert(*author, head);
        Ok(head)
    }

    fn at_seq(&self, author: &Author, seq: u64) -> Result<Option<OpId>, StoreError> {
        let id = self
            .connection
            .prepare_cached(
                "SELECT op.id FROM op JOIN author ON author.number = op.author WHERE author.key = ?1 AND op.seq = ?2",
            )?
            .query_row(params![author.0, seq as i64], |row| id_at(row, 0))
            .optional()?;
        Ok(id)
    }

    fn access(&self) -> Result<&Access, StoreError> {
        Ok(&self.access)
    }

    fn evidence(
        &self,
        source: &str,
        source_uid: &str,
    ) -> Result<Option<(OpId, BodyHash)>, StoreError> {
        Ok(self.evidence_slot(source, source_uid)?.1.map(|(id, _, body)| (id, body)))
    }
}

/// Folds the whole ledger into empty tables.
pub(super) fn refold(connection: &Connection, space: SpaceId) -> Result<(), StoreError> {
    /// Operations read at a time.
    const READ_OPERATIONS: usize = 512;
    let mut index = SqliteLedgerIndex::new(connection, &AccessCache::default())?;
    let mut position = Position(0);
    loop {
        let recorded = ledger::read(connection, space, position, (READ_OPERATIONS, usize::MAX))?;
        let Some(last) = recorded.last() else { return index.write_beliefs() };
        position = last.position;
        index.write_beliefs_of_batch()?;
        for recorded in &recorded {
            let operation = &recorded.operation;
            let body = operation
                .body()
                .and_then(|bytes| Body::parse(&operation.header().kind, bytes).ok());
            index.fold(recorded.position, operation, body.as_ref())?;
        }
    }
}

/// Folds changes of access only, for folds that must know them beforehand. One without its body
/// says nothing of capabilities, as in [`SqliteLedgerIndex::fold`].
pub(super) fn refold_access(connection: &Connection) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO access SELECT pos FROM op
         WHERE kind IN ('space', 'grant', 'revoke') AND body IS NOT NULL",
        [],
    )?;
    Ok(())
}

pub(super) fn sql(position: Position) -> i64 {
    i64::try_from(position.0).unwrap_or(i64::MAX)
}

pub(super) fn id_at(row: &Row<'_>, column: usize) -> rusqlite::Result<OpId> {
    row.get::<_, [u8; 32]>(column).map(OpId)
}

pub(super) fn stamp_at(row: &Row<'_>, column: usize) -> rusqlite::Result<HlcTimestamp> {
    row.get::<_, i64>(column).map(|ts| HlcTimestamp(ts.unsigned_abs()))
}

pub(super) fn author_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Author> {
    row.get::<_, [u8; 32]>(column).map(Author)
}

pub(super) fn kind_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Kind> {
    let word = row.get_ref(column)?.as_str().map_err(|error| conversion(column, error))?;
    Kind::parse(word).map_err(|error| conversion(column, error))
}

pub(super) fn refs_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<Ref>> {
    let bytes = row.get_ref(column)?.as_blob()?;
    decode_refs(bytes).ok_or_else(|| conversion(column, DamagedRefs))
}

#[derive(Debug, thiserror::Error)]
#[error("the stored citations cannot be decoded")]
struct DamagedRefs;

fn conversion(
    column: usize,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, Box::new(error))
}

/// Every citation of `role` that an operation makes, for the view folds.
pub(super) fn cited(refs: &[Ref], role: &str) -> impl Iterator<Item = OpId> {
    refs.iter()
        .filter(move |reference| reference.role.as_str() == role)
        .map(|reference| reference.id)
}

#[cfg(test)]
mod tests;
