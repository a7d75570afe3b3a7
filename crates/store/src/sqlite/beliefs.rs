//! The view of beliefs: one row for each identity, with the columns that lists filter and sort by.
//!
//! The state of an identity follows from the ledger by a walk over the inputs of its versions. A
//! list of the surest five of a hundred thousand should not walk a hundred thousand times. So each
//! state is stored in a row, which is written again whenever an operation may have changed it;
//! folding the graph returns the identities concerned
//! ([`StatusUpdate::keys`](kernel::soundness::StatusUpdate)). Rows are written once, before the
//! commit, however many operations of the transaction concern them.
//!
//! A claim that is active and that edges displace has their word for it in the column `state`:
//! `superseded` or `alias` ([`Records`]).
//!
//! A list as of an earlier time uses the same rows. `changed` is the time of the last operation
//! that may have changed the belief. If it is not later than the requested time, the row holds for
//! that time too. An operation that arrives late may have changed a belief at a time in between and
//! not now. So it sets `changed`, for everything that was built on what it concerns, to the highest
//! time in the ledger at its arrival. `first` is the time of the first operation that concerns the
//! identity; before that time the identity did not exist.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use kernel::body::{Body, Claim, end_us};
use kernel::confidence::Band;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{HlcTimestamp, Role};
use kernel::records::{RecordStatus, Records};
use kernel::soundness::Arrival;
use kernel::validity::State;
use kernel::when::When;
use rusqlite::{Connection, OptionalExtension, params};

use super::graph::SqliteLedgerIndex;
use super::registry::{Fold, TableSpec, ViewSpec, Weight};
use crate::StoreError;

/// The version of the tables that first has the view.
const SINCE: i64 = 4;
/// The version whose rows say what becomes of the record of a corrected or refuted text.
const RECORDS_SINCE: i64 = 11;

/// Limit of identities that wait for the commit; beyond it they are written at once.
const WAITING_MAX: usize = 1 << 16;

/// The band in `belief_count` of identities without a served claim.
const NO_BAND: i64 = -1;

/// The view's tables.
pub(super) static VIEW: ViewSpec = ViewSpec {
    name: "beliefs",
    tables: &[
        // The indexes hold all columns that lists filter by, so a selective filter reads the index
        // alone.
        TableSpec::new(
            "belief",
            SINCE,
            "CREATE TABLE belief (
                 key TEXT PRIMARY KEY, state TEXT NOT NULL, served INTEGER, claim_type TEXT NOT NULL, confidence REAL NOT NULL,
                 band INTEGER, visibility TEXT NOT NULL, valid_from INTEGER, valid_to INTEGER, first INTEGER NOT NULL,
                 changed INTEGER NOT NULL
             ) STRICT, WITHOUT ROWID;
             CREATE INDEX belief_state ON belief (state, confidence DESC, key, band, valid_from, valid_to, changed);
             CREATE INDEX belief_type ON belief (claim_type, state, confidence DESC, key, band, valid_from, valid_to, changed);",
        )
        .ordered_by("key")
        .weighing(Weight::Row(360))
        .altered(RECORDS_SINCE, "*"),
        TableSpec::new(
            "belief_count",
            SINCE,
            "CREATE TABLE belief_count (
                 state TEXT NOT NULL, claim_type TEXT NOT NULL, band INTEGER NOT NULL, number INTEGER NOT NULL,
                 PRIMARY KEY (state, claim_type, band)
             ) STRICT, WITHOUT ROWID;",
        )
        .ordered_by("state, claim_type, band"),
    ],
    fold: Fold::WithAppend {
        is_needed: |connection| {
            let exists = "SELECT EXISTS (SELECT 1 FROM identity)";
            Ok(connection.query_row(exists, [], |row| row.get(0))?)
        },
    },
};

/// Identities whose rows must be written again.
#[derive(Debug, Default)]
pub(super) struct BeliefChanges {
    keys: BTreeMap<String, Noted>,
    /// Every identity may have changed, at the latest at this time.
    all: Option<HlcTimestamp>,
    /// What the claims among the folded operations say, so that they are not read again to be
    /// listed; at most [`WAITING_MAX`].
    claims: HashMap<OpId, ClaimColumns>,
}

/// What a claim says of the row of its identity.
#[derive(Clone, Debug)]
struct ClaimColumns {
    claim_type: String,
    confidence: f64,
    visibility: Visibility,
    valid_from_us: Option<i64>,
    end_us: Option<i64>,
}

impl ClaimColumns {
    fn of(claim: &Claim) -> Self {
        Self {
            claim_type: claim.claim_type.clone(),
            confidence: claim.confidence,
            visibility: claim.visibility,
            valid_from_us: claim.valid_from.as_ref().map(When::instant_us),
            end_us: end_us(claim.valid_to.as_ref(), claim.last_seen.as_ref()),
        }
    }
}

/// A row that must be written again.
#[derive(Clone, Copy, Debug, Default)]
struct Noted {
    changed: HlcTimestamp,
    /// The first operation on the identity among those folded since the row was last written.
    first: Option<HlcTimestamp>,
}

impl BeliefChanges {
    /// Notes what folding an operation changed. `keys` are the identities whose row may differ, now
    /// or, if it arrived late, as of a time since its own.
    pub(super) fn note(
        &mut self,
        index: &SqliteLedgerIndex<'_>,
        entry: &Entry,
        arrival: Arrival,
        keys: &BTreeSet<String>,
    ) {
        let at = if arrival == Arrival::Late { index.latest() } else { None };
        let at = at.unwrap_or(entry.ts).max(entry.ts);
        for key in keys {
            let noted = match self.keys.get_mut(key) {
                Some(noted) => noted,
                None => self.keys.entry(key.clone()).or_default(),
            };
            noted.changed = noted.changed.max(at);
            if entry.identity.as_ref() == Some(key) {
                noted.first = Some(noted.first.map_or(entry.ts, |first| first.min(entry.ts)));
            }
        }
    }

    /// Notes what a claim says that was just folded.
    pub(super) fn note_claim(&mut self, id: OpId, claim: &Claim) {
        if self.claims.len() < WAITING_MAX {
            self.claims.insert(id, ClaimColumns::of(claim));
        }
    }

    /// Notes that every identity may have changed until `latest`.
    pub(super) fn note_all(&mut self, latest: Option<HlcTimestamp>) {
        self.all = self.all.max(latest);
    }

    /// Whether enough rows wait that they should be written now.
    pub(super) fn is_full(&self) -> bool {
        self.keys.len() >= WAITING_MAX
    }

    /// Writes the rows.
    pub(super) fn write(mut self, index: &SqliteLedgerIndex<'_>) -> Result<(), StoreError> {
        if let Some(latest) = self.all {
            index.identity_keys(|key| {
                let noted = self.keys.entry(key).or_default();
                noted.changed = noted.changed.max(latest);
                true
            })?;
        }
        let connection = index.connection;
        let with_edges = index.has_displacing_edges()?;
        let mut records = Records::new(index);
        let mut counts = Counts::default();
        for (key, noted) in &self.keys {
            // All that is stated of a new identity was noted, and it has no row yet.
            let is_new = noted.first.is_some() && index.arrivals.is_new(key);
            let before = if is_new { None } else { Listed::stored(connection, key)? };
            let first = match (&before, noted.first) {
                (Some((_, times)), Some(first)) => times.first.min(first),
                (Some((_, times)), None) => times.first,
                (None, Some(first)) if is_new => first,
                (None, _) => first_time(connection, key)?,
            };
            let changed = before
                .as_ref()
                .map_or(noted.changed, |(_, times)| times.changed.max(noted.changed));
            let after = Listed::now(index, &mut records, with_edges, &self.claims, key)?;
            counts.add(after.counted(), 1);
            let times = Times { first, changed };
            match before {
                Some((before, _)) => {
                    counts.add(before, -1);
                    after.update(connection, key, times)?;
                }
                None => after.insert(connection, key, times)?,
            }
        }
        index.arrivals.forget_identities();
        counts.store(connection)
    }
}

/// The identities that an operation concerns, and those of everything built on them, at any depth;
/// and all operations among these.
pub(super) fn built_upon(
    index: &SqliteLedgerIndex<'_>,
    entry: &Entry,
) -> Result<(BTreeSet<String>, HashSet<OpId>), StoreError> {
    let mut keys = BTreeSet::new();
    let mut stack: Vec<OpId> = Vec::new();
    match entry.kind {
        Kind::EvidenceRetraction | Kind::Retraction | Kind::Redaction => {
            stack.extend(entry.cited(Role::TARGET))
        }
        Kind::RetractionWithdrawal => {
            for retraction in entry.cited(Role::TARGET) {
                if let Some(retraction) = index.entry(&retraction)? {
                    stack.extend(retraction.cited(Role::TARGET));
                }
            }
        }
        Kind::Evidence => stack.extend(entry.cited(Role::SUPERSEDES)),
        Kind::Claim | Kind::ClaimCorrection | Kind::ClaimRefutation => {
            keys.extend(entry.identity.clone());
        }
        Kind::CorrectionWithdrawal | Kind::RefutationWithdrawal => {
            for target in entry.cited(Role::TARGET) {
                keys.extend(index.entry(&target)?.and_then(|target| target.identity));
            }
        }
        _ => {}
    }
    for key in &keys {
        stack.extend(index.identity(key)?.iter().map(|version| version.id));
    }
    let mut seen: HashSet<OpId> = HashSet::new();
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            keys.extend(index.entry(&id)?.and_then(|entry| entry.identity));
            stack.extend(index.dependents(&id)?.into_iter().map(|(_, id)| id));
        }
    }
    Ok((keys, seen))
}

/// The time of the first operation on an identity.
fn first_time(connection: &Connection, key: &str) -> Result<HlcTimestamp, StoreError> {
    let first: Option<i64> = connection
        .prepare_cached("SELECT min(ts) FROM identity WHERE key = ?1")?
        .query_row([key], |row| row.get(0))?;
    Ok(HlcTimestamp(first.unwrap_or(0).unsigned_abs()))
}

/// When an identity appeared, and when it may last have changed.
#[derive(Clone, Copy)]
struct Times {
    first: HlcTimestamp,
    changed: HlcTimestamp,
}

/// The contents of an identity's row.
struct Listed {
    state: String,
    served: Option<i64>,
    claim_type: String,
    confidence: f64,
    band: Option<Band>,
    visibility: Visibility,
    valid_from_us: Option<i64>,
    end_us: Option<i64>,
}

impl Listed {
    /// What the ledger says now.
    fn now(
        index: &SqliteLedgerIndex<'_>,
        records: &mut Records<'_, SqliteLedgerIndex<'_>>,
        with_edges: bool,
        claims: &HashMap<OpId, ClaimColumns>,
        key: &str,
    ) -> Result<Self, StoreError> {
        let standing = records.validity().standing(key)?;
        let (state, displaced) = records.shown(key, &standing, with_edges)?;
        let current = standing.current.as_ref().map(|current| current.id);
        let claim = match current.and_then(|id| claims.get(&id)) {
            Some(claim) => Some(claim.clone()),
            None => current.map(|id| claim_of(index, &id)).transpose()?.flatten(),
        };
        let (served, confidence) = match (state, &claim, &standing.correction) {
            (State::Active, Some(claim), _) => (current, claim.confidence),
            (State::Corrected, _, Some(correction)) => (Some(correction.id), 1.0),
            _ => (None, 0.0),
        };
        let position = served.map(|id| index.position_of(&id)).transpose()?.flatten();
        // When it ended was for the deriver to say, not for the user, so a correction has no end.
        let ended = claim.as_ref().filter(|_| state != State::Corrected);
        Ok(Self {
            state: displaced.map_or(state.as_str(), RecordStatus::as_str).to_owned(),
            served: position.map(super::graph::sql),
            confidence,
            band: served.map(|_| Band::of(confidence)),
            visibility: claim.as_ref().map_or(Visibility::default(), |claim| claim.visibility),
            valid_from_us: claim.as_ref().and_then(|claim| claim.valid_from_us),
            end_us: ended.and_then(|claim| claim.end_us),
            claim_type: claim.map(|claim| claim.claim_type).unwrap_or_default(),
        })
    }

    /// The stored state, type and band, which are counted, and the times.
    fn stored(connection: &Connection, key: &str) -> Result<Option<(Counted, Times)>, StoreError> {
        let stored = connection
            .prepare_cached(
                "SELECT state, claim_type, band, first, changed FROM belief WHERE key = ?1",
            )?
            .query_row([key], |row| {
                let time = |column| {
                    Ok::<_, rusqlite::Error>(HlcTimestamp(
                        row.get::<_, i64>(column)?.unsigned_abs(),
                    ))
                };
                let counted = Counted {
                    state: row.get(0)?,
                    claim_type: row.get(1)?,
                    band: row.get::<_, Option<i64>>(2)?.unwrap_or(NO_BAND),
                };
                Ok((counted, Times { first: time(3)?, changed: time(4)? }))
            })
            .optional()?;
        Ok(stored)
    }

    fn counted(&self) -> Counted {
        Counted {
            state: self.state.clone(),
            claim_type: self.claim_type.clone(),
            band: self.band.map_or(NO_BAND, band_number),
        }
    }

    /// Adds the row of an identity that has none.
    fn insert(&self, connection: &Connection, key: &str, times: Times) -> Result<(), StoreError> {
        let insert = "INSERT INTO belief (key, state, served, claim_type, confidence, band, visibility, valid_from, valid_to, first, changed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        self.write(connection, insert, key, times)
    }

    /// Writes the row of an identity again. An insertion that turns into an update would first be
    /// prepared in full.
    fn update(&self, connection: &Connection, key: &str, times: Times) -> Result<(), StoreError> {
        let update = "UPDATE belief SET state = ?2, served = ?3, claim_type = ?4, confidence = ?5, band = ?6,
                 visibility = ?7, valid_from = ?8, valid_to = ?9, first = ?10, changed = ?11
             WHERE key = ?1";
        self.write(connection, update, key, times)
    }

    fn write(
        &self,
        connection: &Connection,
        query: &'static str,
        key: &str,
        times: Times,
    ) -> Result<(), StoreError> {
        connection.prepare_cached(query)?.execute(params![
            key,
            self.state,
            self.served,
            self.claim_type,
            self.confidence,
            self.band.map(band_number),
            visibility_word(self.visibility),
            self.valid_from_us,
            self.end_us,
            times.first.0 as i64,
            times.changed.0 as i64,
        ])?;
        Ok(())
    }
}

fn claim_of(index: &SqliteLedgerIndex<'_>, id: &OpId) -> Result<Option<ClaimColumns>, StoreError> {
    let bytes = index.body(id)?;
    match bytes.and_then(|bytes| Body::parse(&Kind::Claim, &bytes).ok()) {
        Some(Body::Claim(claim)) => Ok(Some(ClaimColumns::of(&claim))),
        _ => Ok(None),
    }
}

fn visibility_word(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Private => "private",
        Visibility::Project => "project",
        Visibility::Global => "global",
    }
}

pub(super) fn band_number(band: Band) -> i64 {
    match band {
        Band::Speculative => 0,
        Band::Probable => 1,
        Band::Likely => 2,
        Band::Strong => 3,
    }
}

/// The columns by which identities are counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    state: String,
    claim_type: String,
    band: i64,
}

/// The change of each count.
#[derive(Default)]
struct Counts(BTreeMap<Counted, i64>);

impl Counts {
    fn add(&mut self, counted: Counted, number: i64) {
        *self.0.entry(counted).or_default() += number;
    }

    fn store(self, connection: &Connection) -> Result<(), StoreError> {
        for (Counted { state, claim_type, band }, change) in self.0 {
            if change == 0 {
                continue;
            }
            connection
                .prepare_cached(
                    "INSERT INTO belief_count (state, claim_type, band, number) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (state, claim_type, band) DO UPDATE SET number = number + ?4",
                )?
                .execute(params![state, claim_type, band, change])?;
            connection
                .prepare_cached(
                    "DELETE FROM belief_count WHERE state = ?1 AND claim_type = ?2 AND band = ?3 AND number = 0",
                )?
                .execute(params![state, claim_type, band])?;
        }
        Ok(())
    }
}
