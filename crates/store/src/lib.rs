//! Where a ledger lives, and the views folded from it.
//!
//! The port is small: [`Ledger`] reads from a position, gets by id and begins a [`Writing`]; a
//! `Writing` is one atomic append that judges every operation by the kernel's rules before it takes
//! it. [`memory::MemoryLedger`] is for tests; [`sqlite::SqliteSpace`] is one file a space, safe for
//! several processes at once. Views are in the same file, and can be deleted at any time. Those
//! that lag behind the ledger, such as the text index, have a position, up to which they have read.
//!
//! [`Ledger::begin`] waits for other writers: of a file up to [`sqlite::BUSY_WAIT_MS`], then it fails
//! with [`StoreError::Busy`]. A `Writing` that is dropped before [`Writing::commit`] leaves nothing
//! behind. So whatever fails can be done again from the beginning: after `Busy` at once, after
//! [`StoreError::DiskFull`] and [`StoreError::WriteFailed`] when there is room. Every other error
//! comes again until somebody mends what its message names.
//!
//! ```
//! use kernel::body::{Body, Space};
//! use kernel::operation::HlcTimestamp;
//! use kernel::seal::{ChainPosition, Draft, Signer};
//! use store::{Ledger, memory::MemoryLedger};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let signer = Signer::from_seed([1; 32]);
//! # let space = Body::Space(Space {
//! #     name: "example".to_owned(),
//! #     owner: signer.author(),
//! #     created: "2025-01-01T00:00:00Z".to_owned(),
//! #     settings: serde_json::Map::new(),
//! # });
//! # let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
//! let genesis = signer.seal(Draft::new(space.clone()), place)?;
//! let mut ledger = MemoryLedger::default();
//!
//! let mut writing = ledger.begin()?;
//! writing.record(&genesis, Some(&space))?;
//! drop(writing);
//! assert_eq!(ledger.head()?.0, 0);
//!
//! let mut writing = ledger.begin()?;
//! writing.record(&genesis, Some(&space))?;
//! assert_eq!(writing.commit()?.0, 1);
//! assert!(ledger.get(&genesis.id())?.is_some());
//! # Ok(())
//! # }
//! ```

use std::path::PathBuf;

use kernel::body::Body;
use kernel::cascade::Consequences;
use kernel::id::{BodyHash, IdPrefix, OpId, SpaceId};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, Operation, Unverified, Verified};
use kernel::rules::{JudgeError, RuleViolation, Verdict};

pub mod memory;
pub mod sqlite;
pub mod varint;

/// How far a ledger goes, or a view has read: the number of operations in order of arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Position(pub u64);

/// An operation with its place of arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number in order of arrival, from 1.
    pub position: Position,
    /// The operation, as stored; its hashes and signature are not yet verified.
    pub operation: Operation<Unverified>,
}

/// One space's operations.
pub trait Ledger {
    /// Begins an append. Waits for other writers of the same space, for a file at most
    /// [`sqlite::BUSY_WAIT_MS`].
    ///
    /// # Errors
    /// [`StoreError::Busy`] if another writer is not done by then.
    fn begin(&mut self) -> Result<Box<dyn Writing + '_>, StoreError>;
    /// The space's id, once it has begun.
    fn space(&self) -> Result<Option<SpaceId>, StoreError>;
    /// How many operations there are.
    fn head(&self) -> Result<Position, StoreError>;
    /// At most `limit` operations that arrived after `after`, in order of arrival.
    fn read(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, StoreError>;
    /// One operation.
    fn get(&self, id: &OpId) -> Result<Option<Recorded>, StoreError>;
    /// At most `limit` ids that begin with `prefix`, in order.
    fn find(&self, prefix: &IdPrefix, limit: usize) -> Result<Vec<OpId>, StoreError>;
    /// Fills in the bodies of operations that are recorded without theirs or with another than was
    /// signed, all or none, and returns how many. Every view then is what it would be if the bodies
    /// had always been there. Costs a fold of the whole ledger if there are any.
    fn complete(&mut self, whole: &[Operation<Verified>]) -> Result<u64, StoreError>;
}

/// One atomic append: all of it is durable after [`Writing::commit`], none of it before. Dropping
/// it takes everything back.
pub trait Writing: LedgerIndex<Error = StoreError> {
    /// The canonical body of a recorded operation, unless removed.
    fn body(&self, id: &OpId) -> Result<Option<Vec<u8>>, StoreError>;
    /// The first operation whose header commits to `body` and whose body was removed.
    fn removed(&self, body: &BodyHash) -> Result<Option<OpId>, StoreError>;
    /// The highest time in the space, for the clock.
    fn latest(&self) -> Result<Option<HlcTimestamp>, StoreError>;
    /// Takes an operation of ours if it breaks no rule.
    fn record(
        &mut self,
        operation: &Operation<Verified>,
        body: Option<&Body>,
    ) -> Result<Verdict, RecordError>;
    /// Admits an operation from elsewhere if it breaks none of rules 1 to 3. If it breaks another
    /// rule, it is kept without effect.
    fn admit(
        &mut self,
        operation: &Operation<Verified>,
        body: Option<&Body>,
    ) -> Result<Verdict, RecordError>;
    /// The consequences of everything that was taken since the last call, or since the transaction
    /// began, and every invalidation that is due.
    fn follow(&mut self) -> Result<Consequences, StoreError>;
    /// Makes it durable.
    fn commit(self: Box<Self>) -> Result<Position, StoreError>;
}

/// Why an operation was not taken.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It breaks a rule.
    #[error("operation {id} is refused: {violation}")]
    Refused {
        /// The operation.
        id: OpId,
        /// The rule.
        #[source]
        violation: RuleViolation,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RecordError {
    pub(crate) fn of(id: OpId, error: JudgeError<StoreError>) -> Self {
        match error {
            JudgeError::RuleViolation(violation) => Self::Refused { id, violation },
            JudgeError::LedgerIndex(error) => Self::Store(error),
        }
    }
}

/// Why a store failed. The message says whose fault it is and what to do; [`StoreError::code`] is
/// stable.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file does not exist.
    #[error("no space exists at {}", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The file exists already.
    #[error("a space already exists at {}", path.display())]
    Exists {
        /// Where the space is.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a because space (or its beginning is damaged)", path.display())]
    NotASpace {
        /// Which file.
        path: PathBuf,
    },
    /// Written by a later version.
    #[error("{} was written by a later version of because (schema {found}, this reads {known}); update because", path.display())]
    TooNew {
        /// Which file.
        path: PathBuf,
        /// The file's schema.
        found: i64,
        /// The newest known.
        known: i64,
    },
    /// The file or its directory is not writable.
    #[error("the space is read-only: check the permissions of the file and its directory")]
    ReadOnly,
    /// The disk is full.
    #[error(
        "the disk is full: nothing of the last batch was written, everything before it is safe; free some space and repeat"
    )]
    DiskFull,
    /// The system refuses to write for another reason than a full disk.
    #[error(
        "the system refuses to write (a full disk, a limit on the size of files, or a failing disk): nothing of the last batch was written, everything before it is safe"
    )]
    WriteFailed,
    /// The write-ahead log contains operations and cannot be opened.
    #[error(
        "the write-ahead log {} holds operations and cannot be opened here: copy it together with the space to a folder that can be written, or free some space on the disk",
        log.display()
    )]
    LogUnreadable {
        /// The log.
        log: PathBuf,
    },
    /// A log lies where a new space's log would be, and SQLite would take it for that.
    #[error(
        "{} is left of a space that was deleted or moved, and a new space here would take it for its own: move it away or delete it, with the files beside it whose names begin the same",
        log.display()
    )]
    StaleLog {
        /// The log.
        log: PathBuf,
    },
    /// The log beside the space was written to another state of the file.
    #[error(
        "{} does not belong to this state of the space, as when a backup is put back beside a newer log: move the log away, with the -shm file beside it; what was written after the backup is in the log and in the file that was replaced",
        log.display()
    )]
    ForeignLog {
        /// The log.
        log: PathBuf,
    },
    /// Another process writes for longer than we wait.
    #[error(
        "another process has been writing to the space for over {waited_s} s; repeat when it is done"
    )]
    Busy {
        /// How long we waited, seconds.
        waited_s: u64,
    },
    /// The file is damaged.
    #[error("the file is damaged: {detail}")]
    Damaged {
        /// Where and how.
        detail: String,
    },
    /// The file where the space's journal should be is something else.
    #[error("{} cannot be used as the journal of this space: {detail}; move it away", path.display())]
    JournalUnusable {
        /// The file.
        path: PathBuf,
        /// What it is.
        detail: &'static str,
    },
    /// Vectors of this length cannot be stored.
    #[error(
        "the model's vectors have {dimensions} dimensions; the limits are 1 and {}",
        sqlite::DIMENSIONS_MAX
    )]
    Vectors {
        /// Dimensions of the vectors.
        dimensions: usize,
    },
    /// Anything else that SQLite reports.
    #[error("the database failed: {0}")]
    Sqlite(#[source] rusqlite::Error),
    /// The operating system refused.
    #[error("cannot read or write {}: {source}", path.display())]
    Io {
        /// What was used.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
}

impl StoreError {
    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "space_missing",
            Self::Exists { .. } => "space_exists",
            Self::NotASpace { .. } => "not_a_space",
            Self::TooNew { .. } => "space_too_new",
            Self::ReadOnly => "read_only",
            Self::DiskFull => "disk_full",
            Self::WriteFailed => "write_failed",
            Self::LogUnreadable { .. } => "log_unreadable",
            Self::StaleLog { .. } | Self::ForeignLog { .. } => "stale_log",
            Self::Busy { .. } => "busy",
            Self::Damaged { .. } => "damaged",
            Self::JournalUnusable { .. } => "journal_unusable",
            Self::Vectors { .. } => "vector_dimensions",
            Self::Sqlite(_) => "database",
            Self::Io { .. } => "io",
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::{ErrorCode, ffi};
        /// What SQLite reports when the system refuses to write, or to make room for the log's
        /// index.
        const WRITE_FAILURES: [std::ffi::c_int; 4] = [
            ffi::SQLITE_IOERR_WRITE,
            ffi::SQLITE_IOERR_FSYNC,
            ffi::SQLITE_IOERR_TRUNCATE,
            ffi::SQLITE_IOERR_SHMSIZE,
        ];
        if error.sqlite_error().is_some_and(|error| WRITE_FAILURES.contains(&error.extended_code)) {
            return Self::WriteFailed;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { waited_s: sqlite::BUSY_WAIT_MS / 1000 }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { detail: error.to_string() }
            }
            _ => match error {
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..) => {
                    Self::Damaged { detail: error.to_string() }
                }
                other => Self::Sqlite(other),
            },
        }
    }
}
