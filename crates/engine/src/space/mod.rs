//! The handle on a space, which makes readers and writers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use derivers::Deriver;
use kernel::body::{self, Body};
use kernel::id::{Author, SpaceId};
use kernel::kind::Capability;
use kernel::operation::{HlcTimestamp, Operation};
use kernel::seal::{ChainPosition, Signer};
use store::sqlite::{
    JournalLimits, JournalWriting, Mode, ModelUse, PrivateUse, SqliteSpace, WillFold,
};

use crate::reader::{id_of, may};
use crate::recall::echo::PendingKeys;
use crate::seal::{Sealable, Sealer};
use crate::write::record::ForgottenPolicy;
use crate::writer::can_serve_stale;
use crate::{EngineError, Reader, Writer, now_us};

mod forward;

/// An open space, and the key that writes to it by default.
///
/// Each thread uses its own handle. All handles of a process on one file share the index that
/// searches keep in memory, whatever keys they write with.
///
/// ```
/// use engine::Space;
/// use engine::recall::episodes::Query;
/// use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
/// use kernel::seal::Signer;
///
/// let now = jiff::Timestamp::UNIX_EPOCH;
/// let mut space = Space::create_in_memory(Signer::from_seed([1; 32]), "example", now)?;
/// let text = "The kiln is booked for Friday.".to_owned();
/// let note = Evidence {
///     source: "example".to_owned(),
///     source_uid: "1".to_owned(),
///     kind: EvidenceKind("note".to_owned()),
///     actor: None,
///     at: None,
///     summary: kernel::evidence::summarize(&text),
///     visibility: Visibility::Project,
///     payload: Payload { text, ..Payload::default() },
/// };
/// space.remember(note, now)?;
/// let reader = space.reader_up_to_date()?;
/// assert_eq!(reader.head()?.0, 2);
/// let recall = reader.recall(&Query::new("When is the kiln booked?", 5))?;
/// assert_eq!(recall.results[0].text(), "The kiln is booked for Friday.");
/// # Ok::<(), engine::EngineError>(())
/// ```
pub struct Space {
    store: SqliteSpace,
    sealer: Sealer,
    derivers: Vec<Box<dyn Deriver>>,
    echoes: PendingKeys,
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
    fn over(store: SqliteSpace, sealer: Sealer) -> Self {
        Self { store, sealer, derivers: derivers::builtin(), echoes: PendingKeys::default() }
    }

    /// Makes a new space owned by `signer`'s key.
    ///
    /// # Errors
    /// If a file is there already, a log of another space lies beside it, or the folder cannot be
    /// written.
    pub fn create(
        path: &Path,
        signer: Signer,
        name: &str,
        now: jiff::Timestamp,
    ) -> Result<Self, EngineError> {
        let sealer = Sealer::new(signer);
        let (genesis, body) = genesis(&sealer, name, now)?;
        Ok(Self::over(SqliteSpace::create(path, &genesis, &body)?, sealer))
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
        Ok(Self::over(SqliteSpace::create_in_memory(&genesis, &body)?, sealer))
    }

    /// Makes another copy of a space that begins with `genesis`, which may be somebody else's.
    pub fn copy_of(
        path: &Path,
        genesis: &Operation,
        body: &Body,
        signer: Signer,
    ) -> Result<Self, EngineError> {
        Ok(Self::over(SqliteSpace::create(path, genesis, body)?, Sealer::new(signer)))
    }

    /// Opens an existing space. If this process has a handle on the file already, the new one
    /// shares its index in memory.
    ///
    /// # Errors
    /// If no file is there, it is not a space or of a later version of the program, or the log
    /// beside it belongs to another state of the file.
    pub fn open(path: &Path, signer: Signer) -> Result<Self, EngineError> {
        Ok(Self::over(SqliteSpace::open(path)?, Sealer::new(signer)))
    }

    /// Opens an existing space with its own index in memory, as another process would: for tests
    /// and measurements.
    pub fn open_unshared(path: &Path, signer: Signer) -> Result<Self, EngineError> {
        Ok(Self::over(SqliteSpace::open_unshared(path)?, Sealer::new(signer)))
    }

    /// Reads an existing space as its file is, without its log: fit to look who made it, not to
    /// answer from it.
    pub fn peek(path: &Path, signer: Signer) -> Result<Self, EngineError> {
        Ok(Self::over(SqliteSpace::peek(path)?, Sealer::new(signer)))
    }

    /// Whether the log beside the file holds pages.
    pub fn has_log(&self) -> bool {
        self.store.has_log()
    }

    /// Opens an existing space to read it, and leaves no trace in its file or beside it. Nothing
    /// can be written, and no receipts are kept.
    pub fn open_without_trace(path: &Path, signer: Signer) -> Result<Self, EngineError> {
        Ok(Self::over(SqliteSpace::open_without_trace(path)?, Sealer::new(signer)))
    }

    /// Uses other derivers than the built-in ones.
    pub fn set_derivers(&mut self, derivers: Vec<Box<dyn Deriver>>) {
        self.derivers = derivers;
    }

    /// A reader of the current snapshot. Overlapping readers of one handle share a snapshot.
    pub fn reader(&self) -> Result<Reader<'_>, EngineError> {
        Reader::new(&self.store, &self.derivers)
    }

    /// The same, after folding the views if they are behind and nobody is writing.
    ///
    /// Writers fold what they append, so the views are normally up to date. They are behind after a
    /// process was stopped between an append and its fold, and during a bulk import. This call then
    /// tries to take the write lock, without waiting. If another writer holds it, the reader
    /// answers from the views as they are, and its answers say how far they are behind.
    pub fn reader_up_to_date(&self) -> Result<Reader<'_>, EngineError> {
        match self.store.catch_up() {
            Err(error) if !can_serve_stale(&error) => Err(error.into()),
            _ => self.reader(),
        }
    }

    /// Says that this process is about to append and will then fold: until what is returned is
    /// dropped, its readers do not fold themselves.
    pub fn will_fold(&self) -> WillFold {
        self.store.will_fold()
    }

    /// Copies the write-ahead log into the file while others read and write.
    pub fn copy_log(&self) -> Result<(), EngineError> {
        Ok(self.store.copy_log()?)
    }

    /// The same, and the next writer begins the log anew. Others do not write meanwhile; those who
    /// read from the log are waited for, at most for `wait`.
    pub fn empty_log(&self, wait: Duration) -> Result<(), EngineError> {
        Ok(self.store.empty_log(wait)?)
    }

    /// A writer with the handle's own key.
    pub fn writer(&mut self) -> Writer<'_> {
        let Self { store, sealer, derivers, echoes } = self;
        Writer { store, sealer, derivers, echoes, policy: ForgottenPolicy::default() }
    }

    /// A writer with another key.
    pub fn writer_with<'a>(&'a mut self, sealer: &'a Sealer) -> Writer<'a> {
        let Self { store, derivers, echoes, .. } = self;
        Writer { store, sealer, derivers, echoes, policy: ForgottenPolicy::default() }
    }

    /// Writes with another key from now on.
    pub fn write_as(&mut self, key: impl Into<Sealer>) {
        self.sealer = key.into();
    }

    /// The space's id.
    pub fn id(&self) -> Result<SpaceId, EngineError> {
        id_of(&self.store)
    }

    /// The key that writes.
    pub fn author(&self) -> Author {
        self.sealer.author()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Whether it can only be read.
    pub fn is_read_only(&self) -> bool {
        self.store.mode() == Mode::ReadOnly
    }

    /// Chooses when receipts and the use of thoughts are written: each at once, or many together by
    /// [`Space::write_journal`], when many wait, and when the handle is dropped. What waits is lost
    /// if the process is killed.
    pub fn set_journal_writing(&self, writing: JournalWriting) {
        self.store.set_journal_writing(writing);
    }

    /// Chooses how many receipts the journal keeps.
    pub fn set_journal_limits(&self, limits: JournalLimits) {
        self.store.set_journal_limits(limits);
    }

    /// Whether receipts or the use of thoughts wait to be written.
    pub fn has_unwritten(&self) -> bool {
        self.store.has_unwritten()
    }

    /// Writes the receipts and the use that wait, or gives up after `wait` if another process is
    /// writing some.
    pub fn write_journal(&self, wait: Duration) -> Result<(), EngineError> {
        Ok(self.store.write_journal(wait)?)
    }

    /// Adds what a language model used to the totals in the journal. Waits at most `wait` for
    /// others that write to the journal.
    pub fn add_model_use(&self, used: &ModelUse, wait: Duration) -> Result<(), EngineError> {
        Ok(self.store.add_model_use(used, wait)?)
    }

    /// What each language model used for this space, by name, as the journal has it.
    pub fn model_use(&self) -> Result<Vec<ModelUse>, EngineError> {
        Ok(self.store.model_use()?)
    }

    /// Notes in the journal that a prompt for a language model holds private records. Waits at most
    /// `wait` for others that write to the journal.
    pub fn add_private_use(&self, used: &PrivateUse, wait: Duration) -> Result<(), EngineError> {
        Ok(self.store.add_private_use(used, wait)?)
    }

    /// The prompts that held private records, the oldest first, as the journal has them.
    pub fn private_use(&self) -> Result<Vec<PrivateUse>, EngineError> {
        Ok(self.store.private_use()?)
    }

    /// The file of the journal, whether or not it exists; none for a space in memory.
    pub fn journal_path(&self) -> Option<PathBuf> {
        self.store.journal_path()
    }

    /// Whether two handles have one index in memory.
    pub fn shares_index_with(&self, other: &Self) -> bool {
        self.store.shares_index_with(&other.store)
    }

    /// Whether the handle's key may append.
    pub fn may_append(&self, now: jiff::Timestamp) -> Result<bool, EngineError> {
        Ok(may(&self.store, &self.author(), Capability::Append, now)?)
    }

    /// Whether the handle's key may derive.
    pub fn may_derive(&self, now: jiff::Timestamp) -> Result<bool, EngineError> {
        Ok(may(&self.store, &self.author(), Capability::Derive, now)?)
    }
}
