//! Reading one snapshot of a space.

use derivers::Deriver;
use kernel::access::Place;
use kernel::id::{Author, IdPrefix, OpId, SpaceId};
use kernel::kind::Capability;
use kernel::ledger_index::LedgerIndex;
use kernel::seal::next_timestamp;
use store::sqlite::{Mode, ReadTransaction, SqliteSpace, ViewDigest};
use store::{Ledger, Recorded, StoreError};

use crate::belief::explain::time;
use crate::private::{Disclosure, Viewpoint};
use crate::thought::uuid::ThoughtUuid;
use crate::{EngineError, now_us};

/// Answers from one snapshot of a space: the ledger up to [`Reader::head`], and the views as far as
/// they were folded when the reader began.
///
/// Any number of readers may answer at once, each thread with its own handle. A reader never takes
/// the file's write lock and never waits for a writer. While it lives, SQLite cannot truncate the
/// write-ahead log, so keep it for one answer and then drop it.
///
/// [`crate::recall`] finds records and beliefs, [`crate::belief`] explains them and drafts what a
/// user says about them, [`crate::inspect`] shows the ledger.
pub struct Reader<'a> {
    pub(crate) store: &'a SqliteSpace,
    pub(crate) derivers: &'a [Box<dyn Deriver>],
    _snapshot: ReadTransaction<'a>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        store: &'a SqliteSpace,
        derivers: &'a [Box<dyn Deriver>],
    ) -> Result<Self, EngineError> {
        Ok(Self { store, derivers, _snapshot: store.read_transaction()? })
    }

    /// The space's id.
    pub fn id(&self) -> Result<SpaceId, EngineError> {
        id_of(self.store)
    }

    /// Whether the file can only be read.
    pub fn is_read_only(&self) -> bool {
        self.store.mode() == Mode::ReadOnly
    }

    /// Whether a key has a capability at a time.
    pub fn may(
        &self,
        key: &Author,
        capability: Capability,
        now: jiff::Timestamp,
    ) -> Result<bool, EngineError> {
        Ok(may(self.store, key, capability, now)?)
    }

    /// Whether a key has made this space or signed anything in it. The signature of its last
    /// operation, or of the genesis, is checked, because a file from somebody else can hold any
    /// row, also the genesis of another space.
    pub fn has_signed(&self, key: &Author) -> Result<bool, EngineError> {
        let Some(head) = self.store.ledger_index()?.head(key)? else { return Ok(false) };
        let space = self.id()?;
        for id in [head.id, space.0] {
            // One of the two may be damaged, and says nothing then.
            let signed = self.store.get(&id).ok().flatten();
            if signed.is_some_and(|Recorded { operation, .. }| {
                operation.header().author == *key
                    && operation.space() == space
                    && operation.verify().is_ok()
            }) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How far the ledger's latest time is ahead of `now`, seconds; 0 if it is not.
    pub fn ahead_s(&self, now: jiff::Timestamp) -> Result<u64, EngineError> {
        let latest = self.store.latest()?.unwrap_or_default();
        Ok(latest.0.saturating_sub(now_us(now)) / 1_000_000)
    }

    /// How far `now` is ahead of the ledger's latest time, seconds; 0 if it is not.
    pub fn quiet_s(&self, now: jiff::Timestamp) -> Result<u64, EngineError> {
        let latest = self.store.latest()?.unwrap_or_default();
        Ok(now_us(now).saturating_sub(latest.0) / 1_000_000)
    }

    /// What is wrong with the file's structure; empty if nothing.
    pub fn check_file(&self) -> Result<Vec<String>, EngineError> {
        Ok(self.store.check_file()?)
    }

    /// Triggers and views in the file, which this program did not make.
    pub fn foreign_schema(&self) -> Result<Vec<String>, EngineError> {
        Ok(self.store.foreign_schema()?)
    }

    /// The one operation that an id or the beginning of one names, or the UUID of a thought, or
    /// else the id that its source gave it.
    ///
    /// # Errors
    /// If no operation has such an id, or several have.
    pub fn resolve(&self, text: &str) -> Result<OpId, EngineError> {
        self.resolve_disclosed(text, Disclosure::Full)
    }

    /// The same for a reader to whom not everything is disclosed: what is withheld from them is not
    /// there.
    pub fn resolve_disclosed(
        &self,
        text: &str,
        disclosure: Disclosure,
    ) -> Result<OpId, EngineError> {
        /// Candidates named in the error.
        const CANDIDATES_MAX: usize = 5;
        let unknown = || EngineError::UnknownId { prefix: text.chars().take(80).collect() };
        let prefix: Option<IdPrefix> = text.trim().parse().ok();
        let mut found = match (&prefix, ThoughtUuid::parse(text.trim())) {
            (Some(prefix), _) => self.open_ids(prefix, CANDIDATES_MAX, disclosure)?,
            (None, Some(uuid)) => self.open_among(self.with_uuid(uuid)?, disclosure)?,
            (None, None) => Vec::new(),
        };
        if found.is_empty() {
            found = self.open_among(self.with_source_id(text.trim())?, disclosure)?;
            found.truncate(CANDIDATES_MAX);
        }
        match found.len() {
            1 => found.pop().ok_or_else(unknown),
            0 => Err(unknown()),
            _ => {
                let prefix = prefix
                    .map_or_else(|| text.chars().take(80).collect(), |prefix| prefix.to_string());
                Err(EngineError::AmbiguousId { prefix, candidates: found })
            }
        }
    }

    /// The error of an operation that a viewpoint does not have: that it came later, if it did and
    /// may be told.
    pub fn unknown_then(
        &self,
        id: &OpId,
        viewpoint: &Viewpoint,
    ) -> Result<EngineError, EngineError> {
        let name = id.to_string();
        let entry = self.store.on_snapshot(|index| index.entry(id))?;
        Ok(match entry.filter(|entry| viewpoint.is_before(entry.ts)) {
            Some(entry) if !self.is_withheld(id, viewpoint.disclosure)? => {
                EngineError::NotRecordedThen { name, at: time(entry.ts) }
            }
            _ => EngineError::UnknownId { prefix: name },
        })
    }

    /// The same of a belief, by its key.
    pub fn unknown_belief_then(
        &self,
        key: &str,
        viewpoint: &Viewpoint,
    ) -> Result<EngineError, EngineError> {
        let name = key.to_owned();
        let of_it = self.store.on_snapshot(|index| index.identity(key))?;
        let ids: Vec<OpId> = of_it.iter().map(|entry| entry.id).collect();
        let withheld = self.withheld_among(&ids, viewpoint.disclosure)?;
        let told = of_it.iter().filter(|entry| !withheld.contains(&entry.id));
        let first = told.map(|entry| entry.ts).min().filter(|first| viewpoint.is_before(*first));
        Ok(match first {
            Some(first) => EngineError::NotRecordedThen { name, at: time(first) },
            None => EngineError::UnknownBelief { name, near: Vec::new() },
        })
    }

    fn with_uuid(&self, uuid: ThoughtUuid) -> Result<Vec<OpId>, EngineError> {
        /// Most ids that are looked at for the beginning that a UUID has.
        const SAME_BEGINNING_MAX: usize = 64;
        let Ok(prefix) = uuid.prefix().parse() else { return Ok(Vec::new()) };
        let mut found = self.store.find(&prefix, SAME_BEGINNING_MAX)?;
        found.retain(|id| ThoughtUuid::of(id) == uuid);
        Ok(found)
    }

    /// The digests of the views.
    pub fn digests(&self) -> Result<Vec<ViewDigest>, EngineError> {
        Ok(self.store.digests()?)
    }
}

/// A space's id.
pub(crate) fn id_of(store: &SqliteSpace) -> Result<SpaceId, EngineError> {
    Ok(store.space()?.unwrap_or(SpaceId(OpId([0; 32]))))
}

/// Whether a key has a capability at a time.
pub(crate) fn may(
    store: &SqliteSpace,
    key: &Author,
    capability: Capability,
    now: jiff::Timestamp,
) -> Result<bool, StoreError> {
    let at = Place::next(next_timestamp(now_us(now), store.latest()?));
    Ok(store.ledger_index()?.access()?.holds(key, capability, at))
}
