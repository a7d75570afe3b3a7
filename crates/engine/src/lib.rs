//! What `because` does, synchronously and without a clock of its own: record, import, recall, show,
//! verify.
//!
//! A [`Space`] is an open ledger with the key that writes to it. Everything that needs to know the
//! time takes it as an argument; everything that reads the outside world (paths, environment,
//! terminal) is above, in the app.

use std::path::Path;

use kernel::body::{self, Body};
use kernel::id::{Author, IdPrefix, OpId, SpaceId};
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, MalformedError, Operation};
use kernel::seal::{ChainPosition, Draft, Signer, next_timestamp};
use store::sqlite::{Mode, SqliteSpace};
use store::{Ledger, RecordError, StoreError};

pub mod belief;
pub mod conformance;
pub mod derive;
pub mod embed;
pub mod inspect;
pub mod recall;
mod seal;
pub mod tokens;
pub mod verify;
pub mod write;

use crate::seal::{Sealable, Sealer};

/// An open space and the key that writes to it.
pub struct Space {
    store: SqliteSpace,
    sealer: Sealer,
    derivers: Vec<Box<dyn derivers::Deriver>>,
    echoes: recall::echo::PendingKeys,
}

/// Why the engine could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An operation breaks a rule.
    #[error(transparent)]
    Record(RecordError),
    /// What should be written does not fit the format.
    #[error("this cannot be written: {0}")]
    Malformed(#[from] MalformedError),
    /// A source could not be read.
    #[error(transparent)]
    Import(#[from] importers::ImportError),
    /// No operation begins so.
    #[error("no record begins with {prefix} (at least 4 digits of its id are needed)")]
    UnknownId {
        /// What was asked for.
        prefix: String,
    },
    /// Several operations begin so.
    #[error("{prefix} fits several records: {}", candidates.iter().map(|id| id.to_string()[..15].to_owned()).collect::<Vec<_>>().join(", "))]
    AmbiguousId {
        /// What was asked for.
        prefix: String,
        /// What it fits.
        candidates: Vec<OpId>,
    },
    /// No receipt begins so, or several do.
    #[error("no single receipt begins with {prefix}")]
    UnknownReceipt {
        /// What was asked for.
        prefix: String,
    },
    /// No belief is called so.
    #[error("no belief is called {name}{}", or_is_one_of(near))]
    UnknownBelief {
        /// What was asked for.
        name: String,
        /// Some that have it in their keys.
        near: Vec<String>,
    },
    /// The operation is something else.
    #[error("{id} is of kind {kind}, no belief")]
    NotABelief {
        /// The operation.
        id: OpId,
        /// What it does.
        kind: Kind,
    },
    /// What the user said cannot be taken so.
    #[error(transparent)]
    User(#[from] belief::user::UserError),
    /// An interchange file cannot be taken in.
    #[error("line {line}: {reason}")]
    Exchange {
        /// Which line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// Reading or writing outside the store failed.
    #[error("cannot read or write: {0}")]
    Io(#[from] std::io::Error),
}

impl From<RecordError> for EngineError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Store(error) => Self::Store(error),
            refused => Self::Record(refused),
        }
    }
}

impl EngineError {
    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::Record(RecordError::Refused { violation, .. }) => violation.code(),
            Self::Record(RecordError::Store(error)) => error.code(),
            Self::Malformed(_) => "malformed",
            Self::Import(importers::ImportError::Io { .. }) => "source_unreadable",
            Self::Import(importers::ImportError::Format { .. }) => "source_format",
            Self::Import(importers::ImportError::TooLarge { .. }) => "source_too_large",
            Self::UnknownId { .. } => "unknown_id",
            Self::AmbiguousId { .. } => "ambiguous_id",
            Self::UnknownReceipt { .. } => "unknown_receipt",
            Self::UnknownBelief { .. } => "unknown_belief",
            Self::NotABelief { .. } => "not_a_belief",
            Self::User(error) => error.code(),
            Self::Exchange { .. } => "exchange",
            Self::Io(_) => "io",
        }
    }
}

fn or_is_one_of(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}", near.join(" or ")) }
}

/// Paths go into reports as text; what is not Unicode in them is replaced, since no report may fail
/// for it.
pub(crate) fn path_as_text<S: serde::Serializer>(
    path: &Path,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// Microseconds since the Unix epoch, never negative.
pub fn now_us(now: jiff::Timestamp) -> u64 {
    now.as_microsecond().max(0).unsigned_abs()
}

/// The operation that begins a space owned by `sealer`'s key.
fn genesis(
    sealer: &Sealer,
    name: &str,
    now: jiff::Timestamp,
) -> Result<(Operation, Body), EngineError> {
    let space = body::Space {
        name: name.to_owned(),
        owner: sealer.author(),
        created: now.to_string(),
        settings: serde_json::Map::new(),
    };
    let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(now_us(now)) };
    Ok(sealer.seal(Sealable::genesis(space), place)?)
}

impl Space {
    /// Makes a new space owned by `signer`'s key.
    pub fn create(
        path: &Path,
        signer: Signer,
        name: &str,
        now: jiff::Timestamp,
    ) -> Result<Self, EngineError> {
        let sealer = Sealer::new(signer);
        let (genesis, body) = genesis(&sealer, name, now)?;
        Ok(Self {
            store: SqliteSpace::create(path, &genesis, &body)?,
            sealer,
            derivers: derivers::builtin(),
            echoes: Default::default(),
        })
    }

    /// Makes a new space that is kept in memory alone and gone when it is dropped: for tests and
    /// measurements.
    pub fn create_in_memory(
        signer: Signer,
        name: &str,
        now: jiff::Timestamp,
    ) -> Result<Self, EngineError> {
        let sealer = Sealer::new(signer);
        let (genesis, body) = genesis(&sealer, name, now)?;
        let store = SqliteSpace::create_in_memory(&genesis, &body)?;
        Ok(Self { store, sealer, derivers: derivers::builtin(), echoes: Default::default() })
    }

    /// Makes another copy of a space that begins with `genesis`, which may be somebody else's.
    pub fn copy_of(
        path: &Path,
        genesis: &kernel::operation::Operation,
        body: &Body,
        signer: Signer,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            store: SqliteSpace::create(path, genesis, body)?,
            sealer: Sealer::new(signer),
            derivers: derivers::builtin(),
            echoes: Default::default(),
        })
    }

    /// Opens an existing space.
    pub fn open(path: &Path, signer: Signer) -> Result<Self, EngineError> {
        let (store, sealer) = (SqliteSpace::open(path)?, Sealer::new(signer));
        Ok(Self { store, sealer, derivers: derivers::builtin(), echoes: Default::default() })
    }

    /// The space's id.
    pub fn id(&self) -> Result<SpaceId, EngineError> {
        Ok(self.store.space()?.unwrap_or(SpaceId(OpId([0; 32]))))
    }

    /// The key that writes.
    pub fn author(&self) -> Author {
        self.sealer.author()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Whether it can be written.
    pub fn is_read_only(&self) -> bool {
        self.store.mode() == Mode::ReadOnly
    }

    /// Gives a key capabilities, or takes them.
    pub fn change_access(
        &mut self,
        key: Author,
        name: &str,
        capabilities: Vec<Capability>,
        gives: bool,
        now: jiff::Timestamp,
    ) -> Result<OpId, EngineError> {
        let grant = body::Grant { key, name: name.to_owned(), capabilities };
        let body = if gives { Body::Grant(grant) } else { Body::Revoke(grant) };
        self.append(Draft::new(body), now)
    }

    /// Appends one operation of ours, with its secrets masked.
    pub fn append(&mut self, draft: Draft, now: jiff::Timestamp) -> Result<OpId, EngineError> {
        let mut writing = self.store.begin()?;
        let ts = next_timestamp(now_us(now), writing.latest()?);
        let sealable = Sealable::masked(draft, &*writing)?;
        let (operation, body) = self.sealer.seal_next(sealable, &*writing, ts)?;
        writing.record(&operation, Some(&body))?;
        writing.commit()?;
        Ok(operation.id())
    }

    /// Whether this device's key may append.
    pub fn may_append(&self, now: jiff::Timestamp) -> Result<bool, EngineError> {
        let at = (HlcTimestamp(now_us(now)), OpId([0; 32]));
        let world = self.store.world()?;
        Ok(world.access()?.holds(&self.author(), Capability::Append, at))
    }

    /// How far the ledger's latest time is ahead of `now`, seconds; 0 if it is not.
    pub fn ahead_s(&self, now: jiff::Timestamp) -> Result<u64, EngineError> {
        let latest = self.store.latest()?.unwrap_or_default();
        Ok(latest.0.saturating_sub(now_us(now)) / 1_000_000)
    }

    /// What is wrong with the file's structure; empty if nothing.
    pub fn check_file(&self) -> Result<Vec<String>, EngineError> {
        Ok(self.store.check_file()?)
    }

    /// The one operation that an id or the beginning of one names.
    pub fn resolve(&self, text: &str) -> Result<OpId, EngineError> {
        /// Candidates named in the error.
        const CANDIDATES_MAX: usize = 5;
        let unknown = || EngineError::UnknownId { prefix: text.chars().take(80).collect() };
        let prefix: IdPrefix = text.trim().parse().map_err(|_| unknown())?;
        let mut found = self.store.find(&prefix, CANDIDATES_MAX)?;
        match found.len() {
            1 => found.pop().ok_or_else(unknown),
            0 => Err(unknown()),
            _ => Err(EngineError::AmbiguousId { prefix: prefix.to_string(), candidates: found }),
        }
    }

    /// Deletes every view and folds it again.
    pub fn rebuild(&mut self, mut progress: impl FnMut(u64)) -> Result<(), EngineError> {
        Ok(self.store.rebuild(|position| progress(position.0))?)
    }

    /// The digests of the views.
    pub fn digests(&self) -> Result<Vec<store::sqlite::ViewDigest>, EngineError> {
        Ok(self.store.digests()?)
    }
}
