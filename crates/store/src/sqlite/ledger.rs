//! The ledger's table, and appending to it.
//!
//! An operation's header is stored as columns and reassembled to be hashed, so there is no second
//! copy that could differ. `pos` is the order of arrival, without gaps; the space's own order is
//! (`ts`, `id`).

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use kernel::access::Access;
use kernel::body::Body;
use kernel::cascade::{Consequences, Journal, consequences};
use kernel::id::{Author, BodyHash, IdPrefix, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::{Citing, Entry, Head, LedgerIndex};
use kernel::operation::{Content, Header, HlcTimestamp, Operation, Unverified, Verified};
use kernel::rules::{self, Verdict};
use kernel::soundness::{Arrival, ClaimStatus, needs_full_recompute};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::access::AccessCache;
use super::erasure::{self, DeviceHashes, PendingRedactions};
use super::graph::{SqliteLedgerIndex, author_at, id_at, kind_at, refs_at, sql, stamp_at};
use super::journal::UsageJournal;
use super::operation_memory::{LeftMemory, MemorySlot};
use super::page_cache::PageCache;
use super::read_transaction::ReadState;
use super::refs::encode_refs;
use super::registry::{REGISTRY, Registry};
use super::shared::{FileIdentity, SharedIndex, index_of};
use super::signatures::PendingSignatures;
use super::without_trace::OpenedFile;
use super::{Mode, configure, create, make_tables, only_for_owner, open, refuse_stale_logs};
use crate::{Ledger, Position, RecordError, Recorded, StoreError, Writing};

/// Tables of the ledger and the positions of its views.
pub(super) const SCHEMA: &str = "
CREATE TABLE author (number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE) STRICT;
CREATE TABLE op (
    pos INTEGER PRIMARY KEY, id BLOB NOT NULL, kind TEXT NOT NULL, author INTEGER NOT NULL, seq INTEGER NOT NULL,
    prev BLOB, ts INTEGER NOT NULL, refs BLOB NOT NULL, body_hash BLOB NOT NULL, salt BLOB, body BLOB, sig BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX op_id ON op (id);
CREATE UNIQUE INDEX op_chain ON op (author, seq);
CREATE INDEX op_order ON op (ts);
CREATE INDEX op_removed ON op (body_hash) WHERE body IS NULL;
CREATE TABLE view (name TEXT PRIMARY KEY, version INTEGER NOT NULL, pos INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// The columns of an operation, in the order in which [`decode`] reads them. Authors are joined to
/// the left, so that an operation whose author is missing is reported and not passed over.
pub(super) const COLUMNS: &str = "op.pos, op.id, op.kind, author.key, op.seq, op.prev, op.ts, op.refs, op.body_hash, op.salt, op.body, op.sig";

/// A handle on a space's file: its own connection, and the index in memory that all handles of the
/// process on this file share. Each thread uses its own handle.
pub struct SqliteSpace {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) mode: Mode,
    pub(super) space: SpaceId,
    pub(super) index: Arc<SharedIndex>,
    pub(super) reading: ReadState,
    pub(super) page_cache: PageCache,
    pub(super) left: LeftMemory,
    pub(super) access: AccessCache,
    pub(super) registry: &'static Registry,
    pub(super) journal: UsageJournal,
    /// Declared after the connection, so that a copy is closed before it is deleted.
    pub(super) opened: OpenedFile,
}

impl SqliteSpace {
    /// Makes a new space with its genesis operation. The file is complete when it appears under its
    /// name.
    pub fn create(
        path: &Path,
        genesis: &Operation<Verified>,
        body: &Body,
    ) -> Result<Self, StoreError> {
        let space = Self::create_with(&REGISTRY, path, genesis, body)?;
        let file = FileIdentity::of(path);
        Ok(space.sharing(file))
    }

    /// The same with other views than the program's.
    pub(super) fn create_with(
        registry: &'static Registry,
        path: &Path,
        genesis: &Operation<Verified>,
        body: &Body,
    ) -> Result<Self, StoreError> {
        if path.exists() {
            return Err(StoreError::Exists { path: path.to_owned() });
        }
        refuse_stale_logs(path)?;
        let io = |source| StoreError::Io { path: path.to_owned(), source };
        // In a folder that others may write to, a name that can be guessed may be a link by then.
        // So the draft is in a folder of its own, which only its owner can enter.
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = tempfile::Builder::new()
            .prefix(".because-")
            .tempdir_in(parent.unwrap_or(Path::new(".")))
            .map_err(io)?;
        let draft = folder.path().join("space.db");
        let made = Self::create_draft(registry, &draft, genesis, body)
            .and_then(|()| only_for_owner(&draft).map_err(io));
        // Linking fails if the name was taken in the meantime; renaming would replace another's
        // file.
        let placed = made.and_then(|()| match std::fs::hard_link(&draft, path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(StoreError::Exists { path: path.to_owned() })
            }
            Err(_) => std::fs::rename(&draft, path).map_err(io),
            Ok(()) => Ok(()),
        });
        drop(folder);
        placed?;
        Self::open_with(registry, path)
    }

    /// Makes a space that lives in memory, as long as this does: for dry runs and tests. What opens
    /// the file again, as [`SqliteSpace::refold`] does, does not find it.
    pub fn create_in_memory(
        genesis: &Operation<Verified>,
        body: &Body,
    ) -> Result<Self, StoreError> {
        let connection = Connection::open_in_memory()?;
        configure(&connection)?;
        make_tables(&connection, &REGISTRY)?;
        Self::begun(&REGISTRY, connection, Path::new(":memory:"), genesis, body)
    }

    /// Creates a space under a temporary name.
    fn create_draft(
        registry: &'static Registry,
        draft: &Path,
        genesis: &Operation<Verified>,
        body: &Body,
    ) -> Result<(), StoreError> {
        let made = Self::begun(registry, create(draft, registry)?, draft, genesis, body)?;
        Ok(made.connection.close().map_err(|(_, error)| error)?)
    }

    /// A space in empty tables, with its genesis operation.
    fn begun(
        registry: &'static Registry,
        connection: Connection,
        path: &Path,
        genesis: &Operation<Verified>,
        body: &Body,
    ) -> Result<Self, StoreError> {
        let mut making = Self {
            connection,
            path: path.to_owned(),
            mode: Mode::ReadWrite,
            space: genesis.space(),
            index: Arc::default(),
            reading: ReadState::default(),
            page_cache: PageCache::default(),
            left: LeftMemory::default(),
            access: AccessCache::default(),
            registry,
            journal: UsageJournal::in_memory(genesis.space()),
            opened: OpenedFile::in_place(path, Mode::ReadWrite),
        };
        let mut writing = making.begin()?;
        // A copy begins as its original did, also where that would not be appended any more.
        writing.admit(genesis, Some(body)).map_err(|error| match error {
            RecordError::Store(error) => error,
            RecordError::Refused { violation, .. } => {
                StoreError::Damaged { detail: violation.to_string() }
            }
        })?;
        writing.commit()?;
        Ok(making)
    }

    /// Opens an existing space. What searches need in memory is shared with every other handle of
    /// this process on the same file.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let before = FileIdentity::of(path);
        Ok(Self::open_unshared(path)?.sharing(before))
    }

    /// Shares the index in memory with other handles on the file that `before` identified, if the
    /// path still names that file. If the file was replaced meanwhile, it is unknown which one was
    /// opened.
    fn sharing(mut self, before: Option<FileIdentity>) -> Self {
        if let Some(file) =
            before.filter(|before| FileIdentity::of(&self.path).as_ref() == Some(before))
        {
            self.index = index_of(file, self.space);
        }
        self
    }

    /// Opens an existing space with an index of its own in memory, as another process has it.
    pub fn open_unshared(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(&REGISTRY, path)
    }

    /// The same with other views than the program's.
    pub(super) fn open_with(registry: &'static Registry, path: &Path) -> Result<Self, StoreError> {
        let (connection, mode) = open(path, registry)?;
        let space = Self::over(connection, mode, path, registry)?;
        if mode == Mode::ReadWrite {
            // A file that cannot be migrated now, for example because the disk is full, can still
            // be read. The next append tries again and reports the reason.
            let _ = space.migrate();
            // The same holds for receipts that are still in the space's own file. Whoever opens it
            // does not wait to move them.
            let _ = space.move_earlier_receipts(std::time::Duration::ZERO);
        }
        Ok(space)
    }

    /// The space that a connection sees.
    pub(super) fn over(
        connection: Connection,
        mode: Mode,
        path: &Path,
        registry: &'static Registry,
    ) -> Result<Self, StoreError> {
        let first = |query: &str| connection.query_row(query, [], |row| id_at(row, 0)).optional();
        let id = match first("SELECT id FROM op WHERE pos = 1") {
            Ok(Some(id)) => id,
            // If the first row is damaged, the index may still name it, and the damage can be
            // examined.
            damaged => first("SELECT id FROM op INDEXED BY op_id WHERE +pos = 1")
                .ok()
                .flatten()
                .map_or_else(
                    || damaged?.ok_or_else(|| StoreError::NotASpace { path: path.to_owned() }),
                    Ok,
                )?,
        };
        Ok(Self {
            connection,
            path: path.to_owned(),
            mode,
            space: SpaceId(id),
            index: Arc::default(),
            reading: ReadState::default(),
            page_cache: PageCache::default(),
            left: LeftMemory::default(),
            access: AccessCache::default(),
            registry,
            journal: UsageJournal::beside(path.to_owned(), mode, SpaceId(id)),
            opened: OpenedFile::in_place(path, mode),
        })
    }

    /// Migrates the tables of an earlier version to this one.
    pub(super) fn migrate(&self) -> Result<(), StoreError> {
        if super::schema_version(&self.connection)? == self.registry.version() {
            return Ok(());
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let migrated = self
            .registry
            .migrate(&self.connection)
            .and_then(|()| Ok(self.connection.execute_batch("COMMIT")?));
        if migrated.is_err() && !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        migrated
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether two handles have one index in memory.
    pub fn shares_index_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.index, &other.index)
    }

    /// Whether it can be written.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Every operation in the space's order, to `take`. Ends at the first that does not read, or
    /// for which `take` fails.
    pub fn in_order<E: From<StoreError>>(
        &self,
        mut take: impl FnMut(Recorded) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failure = None;
        self.in_order_lenient(|read| {
            let taken = read.map_err(|(_, error)| E::from(error)).and_then(&mut take);
            taken.map_err(|error| failure = Some(error)).is_ok()
        })?;
        failure.map_or(Ok(()), Err)
    }

    /// Like [`SqliteSpace::in_order`], but an operation that does not read is handed over as its
    /// error, with its id where that reads, and the rest follows.
    pub fn in_order_lenient(
        &self,
        mut take: impl FnMut(Result<Recorded, (Option<OpId>, StoreError)>) -> bool,
    ) -> Result<(), StoreError> {
        let query = format!(
            "SELECT {COLUMNS} FROM op LEFT JOIN author ON author.number = op.author ORDER BY op.ts, op.id"
        );
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let read = decode(row, self.space).map_err(|error| (id_at(row, 1).ok(), error));
            if !take(read) {
                break;
            }
        }
        Ok(())
    }

    /// Every operation in the index of ids, with the row that it points at, read from the table
    /// itself. Other queries take columns from indexes where they can; if an index and the table
    /// differ, this one tells which operation is affected.
    pub fn each_row(
        &self,
        mut take: impl FnMut(OpId, Result<Option<Recorded>, StoreError>),
    ) -> Result<(), StoreError> {
        let row = format!(
            "SELECT {COLUMNS} FROM op NOT INDEXED LEFT JOIN author ON author.number = op.author WHERE op.pos = ?1"
        );
        let mut row = self.connection.prepare(&row)?;
        let mut ids =
            self.connection.prepare("SELECT id, pos FROM op INDEXED BY op_id ORDER BY id")?;
        let mut ids = ids.query([])?;
        while let Some(named) = ids.next()? {
            let id = id_at(named, 0)?;
            let read = row
                .query_row([named.get::<_, i64>(1)?], |row| Ok(decode(row, self.space)))
                .optional();
            take(id, read.map_err(StoreError::from).and_then(Option::transpose));
        }
        Ok(())
    }

    /// The highest time in the space.
    pub fn latest(&self) -> Result<Option<HlcTimestamp>, StoreError> {
        latest(&self.connection)
    }

    /// Begins an append that includes the state of derivation. Waits for other writers.
    pub fn write(&mut self) -> Result<SqliteWriting<'_>, StoreError> {
        if self.mode == Mode::ReadOnly {
            return Err(StoreError::ReadOnly);
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let writing =
            self.registry.migrate(&self.connection).and_then(|()| SqliteWriting::begin(self));
        if writing.is_err() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        writing
    }

    /// What [`SqliteSpace::write`] sees, in one snapshot and without the write lock: for questions
    /// about the state of derivation. It cannot be committed; dropping it ends the snapshot.
    pub fn inspect(&mut self) -> Result<Inspection<'_>, StoreError> {
        if self.mode == Mode::ReadWrite {
            self.migrate()?;
        }
        self.connection.execute_batch("BEGIN")?;
        let writing = SqliteWriting::new(self);
        if writing.is_err() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        writing.map(Inspection)
    }

    /// Look-ups as of now.
    pub fn ledger_index(&self) -> Result<SqliteLedgerIndex<'_>, StoreError> {
        SqliteLedgerIndex::new(&self.connection, &self.access)
    }
}

impl Ledger for SqliteSpace {
    fn begin(&mut self) -> Result<Box<dyn Writing + '_>, StoreError> {
        Ok(Box::new(self.write()?))
    }

    fn space(&self) -> Result<Option<SpaceId>, StoreError> {
        Ok(Some(self.space))
    }

    fn head(&self) -> Result<Position, StoreError> {
        head(&self.connection)
    }

    fn read(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        read(&self.connection, self.space, after, (limit, usize::MAX))
    }

    fn get(&self, id: &OpId) -> Result<Option<Recorded>, StoreError> {
        get(&self.connection, self.space, id)
    }

    fn find(&self, prefix: &IdPrefix, limit: usize) -> Result<Vec<OpId>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id FROM op WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3")?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let ids = statement
            .query_map(params![prefix.first().0, prefix.last().0, limit], |row| id_at(row, 0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    fn complete(&mut self, whole: &[Operation<Verified>]) -> Result<u64, StoreError> {
        self.complete_bodies(whole)
    }
}

impl SqliteSpace {
    /// Copies the write-ahead log into the file. Others read and write meanwhile, and what they add
    /// stays in the log.
    pub fn copy_log(&self) -> Result<(), StoreError> {
        Ok(self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
    }

    /// The same, and the next writer begins the log anew. Others do not write meanwhile. Waits at
    /// most `wait` for those who read from the log, and leaves it as it is if that is not enough.
    pub fn empty_log(&self, wait: Duration) -> Result<(), StoreError> {
        self.connection.busy_timeout(wait)?;
        let emptied = self.connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()));
        self.connection.busy_timeout(Duration::from_millis(super::BUSY_WAIT_MS))?;
        Ok(emptied?)
    }
}

fn latest(connection: &Connection) -> Result<Option<HlcTimestamp>, StoreError> {
    let latest: Option<i64> =
        connection.prepare_cached("SELECT max(ts) FROM op")?.query_row([], |row| row.get(0))?;
    Ok(latest.map(|ts| HlcTimestamp(ts.unsigned_abs())))
}

pub(super) fn head(connection: &Connection) -> Result<Position, StoreError> {
    let head: Option<i64> =
        connection.prepare_cached("SELECT max(pos) FROM op")?.query_row([], |row| row.get(0))?;
    Ok(Position(head.unwrap_or(0).unsigned_abs()))
}

pub(super) fn get(
    connection: &Connection,
    space: SpaceId,
    id: &OpId,
) -> Result<Option<Recorded>, StoreError> {
    static QUERY: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {COLUMNS} FROM op LEFT JOIN author ON author.number = op.author WHERE op.id = ?1"
        )
    });
    let mut statement = connection.prepare_cached(&QUERY)?;
    let recorded = statement.query_row([id.0], |row| Ok(decode(row, space))).optional()?;
    recorded.transpose()
}

/// At most `limit` operations, and no more once their bodies have `bytes` together.
pub(super) fn read(
    connection: &Connection,
    space: SpaceId,
    after: Position,
    (limit, bytes): (usize, usize),
) -> Result<Vec<Recorded>, StoreError> {
    let query = format!(
        "SELECT {COLUMNS} FROM op LEFT JOIN author ON author.number = op.author WHERE op.pos > ?1
         ORDER BY op.pos LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows =
        statement.query(params![sql(after), i64::try_from(limit).unwrap_or(i64::MAX)])?;
    let mut recorded = Vec::new();
    let mut bytes_read = 0;
    while bytes_read < bytes
        && let Some(row) = rows.next()?
    {
        let read = decode(row, space)?;
        bytes_read += read.operation.body().map_or(0, <[u8]>::len);
        recorded.push(read);
    }
    Ok(recorded)
}

/// Puts an operation together from its row.
pub(super) fn decode(row: &Row<'_>, space: SpaceId) -> Result<Recorded, StoreError> {
    let id = id_at(row, 1)?;
    let kind = kind_at(row, 2)?;
    let header = Header {
        space: (kind != Kind::Space).then_some(space),
        kind,
        author: author_at(row, 3)?,
        seq: row.get::<_, i64>(4)?.unsigned_abs(),
        prev: row.get::<_, Option<[u8; 32]>>(5)?.map(OpId),
        ts: stamp_at(row, 6)?,
        refs: refs_at(row, 7)?,
        body: BodyHash(row.get(8)?),
    };
    let content = match (row.get::<_, Option<[u8; 16]>>(9)?, row.get::<_, Option<Vec<u8>>>(10)?) {
        (Some(salt), Some(body)) => Content::Present { salt, body },
        _ => Content::Removed,
    };
    let operation = Operation::<Unverified>::from_parts(id, header, content, row.get(11)?)
        .map_err(|error| StoreError::Damaged { detail: format!("operation {id}: {error}") })?;
    Ok(Recorded { position: Position(row.get::<_, i64>(0)?.unsigned_abs()), operation })
}

/// An open write transaction; dropped without a commit, it leaves no trace.
pub struct SqliteWriting<'a> {
    pub(super) index: SqliteLedgerIndex<'a>,
    pub(super) space: SpaceId,
    pub(super) receipts: &'a UsageJournal,
    pub(super) names: super::derive::Names,
    /// Groups that this writing marked and did not take.
    pub(super) marked: std::collections::HashSet<super::GroupNumber>,
    head: Position,
    latest: Option<HlcTimestamp>,
    authors: std::collections::HashMap<Author, i64>,
    journal: Journal,
    open: bool,
    shared: &'a SharedIndex,
    pub(super) page_cache: &'a PageCache,
    registry: &'static Registry,
    /// Whether there is any redaction, so that what arrives may have to be stored without its body.
    has_redactions: bool,
    redactions: PendingRedactions,
    hashes: Option<DeviceHashes<'a>>,
    defers_erasure: bool,
    has_erased: bool,
    /// Where it leaves what it remembers, unless the next transaction may not use that.
    pub(super) memory_slot: Option<MemorySlot<'a>>,
    pub(super) pending: PendingSignatures,
}

/// A snapshot with the questions that a [`SqliteWriting`] answers, and nothing to write with.
pub struct Inspection<'a>(SqliteWriting<'a>);

impl<'a> std::ops::Deref for Inspection<'a> {
    type Target = SqliteWriting<'a>;

    fn deref(&self) -> &SqliteWriting<'a> {
        &self.0
    }
}

impl<'a> SqliteWriting<'a> {
    pub(super) fn new(space: &'a SqliteSpace) -> Result<Self, StoreError> {
        let connection = &space.connection;
        let latest = latest(connection)?;
        space.page_cache.begin();
        Ok(Self {
            index: SqliteLedgerIndex::new(connection, &space.access)?.reaching(latest),
            space: space.space,
            receipts: &space.journal,
            shared: &space.index,
            page_cache: &space.page_cache,
            registry: space.registry,
            has_redactions: erasure::has_redactions(connection)?,
            redactions: PendingRedactions::left(connection)?,
            defers_erasure: false,
            hashes: None,
            has_erased: false,
            memory_slot: None,
            pending: PendingSignatures::default(),
            names: Default::default(),
            marked: Default::default(),
            head: head(connection)?,
            latest,
            authors: Default::default(),
            journal: Journal::default(),
            open: true,
        })
    }

    /// Continues with the changes that an earlier transaction noted and did not follow, so that one
    /// walk finds the consequences of a merge that takes several transactions.
    pub fn resume(&mut self, journal: Journal) {
        self.journal = journal;
    }

    /// Returns the changes that were noted and not followed, for a later transaction to resume
    /// with.
    pub fn suspend(&mut self) -> Journal {
        std::mem::take(&mut self.journal)
    }

    /// Remembers bodies that are erased from now on by the hashes that this device would give them,
    /// so that they are recognised when they are imported.
    pub fn recognize_forgotten(&mut self, hashes: DeviceHashes<'a>) {
        self.hashes = Some(hashes);
    }

    /// Leaves all erasing to the next transaction, which any writer may begin: for one of several
    /// that belong together.
    pub fn defer_erasure(&mut self) {
        self.defers_erasure = true;
    }

    /// Erases what the redactions that were taken so far concern. Otherwise this happens when the
    /// consequences are asked for, and with the commit.
    pub fn erase_redacted(&mut self) -> Result<(), StoreError> {
        if self.defers_erasure {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.redactions);
        if erasure::apply(&self.index, self.registry, pending, self.hashes.as_ref())? {
            // Capabilities may rest on operations that are not committed, so they are not cached
            // for later transactions.
            let index = SqliteLedgerIndex::new(self.index.connection, &AccessCache::default())?;
            self.index = index.reaching(self.latest);
            self.names.clear();
            self.marked.clear();
            self.has_erased = true;
            self.memory_slot = None;
        }
        Ok(())
    }

    /// The place of the last operation.
    pub fn position(&self) -> Position {
        self.head
    }

    fn author_number(&mut self, author: &Author) -> Result<i64, StoreError> {
        if let Some(number) = self.authors.get(author) {
            return Ok(*number);
        }
        let connection = self.index.connection;
        connection
            .prepare_cached("INSERT OR IGNORE INTO author (key) VALUES (?1)")?
            .execute([author.0])?;
        let number = connection
            .prepare_cached("SELECT number FROM author WHERE key = ?1")?
            .query_row([author.0], |row| row.get(0))?;
        self.authors.insert(*author, number);
        Ok(number)
    }

    fn append(
        &mut self,
        operation: &Operation<Verified>,
        body: Option<&Body>,
    ) -> Result<(), StoreError> {
        let header = operation.header();
        let author = self.author_number(&header.author)?;
        let position = Position(self.head.0 + 1);
        let (salt, bytes, body) = match operation.content() {
            Content::Present { .. }
                if self.has_redactions && erasure::quotes_redacted(&self.index, operation)? =>
            {
                (None, None, None)
            }
            Content::Present { salt, body: bytes } => (Some(salt), Some(bytes), body),
            Content::Removed => (None, None, None),
        };
        self.index
            .connection
            .prepare_cached(
                "INSERT INTO op (pos, id, kind, author, seq, prev, ts, refs, body_hash, salt, body, sig)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                sql(position),
                operation.id().0,
                header.kind.as_str(),
                author,
                header.seq as i64,
                header.prev.map(|prev| prev.0),
                header.ts.0 as i64,
                encode_refs(&header.refs),
                header.body.0,
                salt,
                bytes,
                operation.sig(),
            ])?;
        self.index.note_body(bytes.is_some());
        let update = self.index.fold(position, operation, body)?;
        self.touch(1 + update.changes.len())?;
        for key in &update.keys {
            super::derive::note_changed(self.index.connection, key)?;
        }
        self.journal.note(update);
        self.has_redactions |= header.kind == Kind::Redaction;
        if self.has_redactions {
            let arrival = Arrival::at(header.ts, self.latest);
            self.redactions.note(operation, needs_full_recompute(header, arrival));
        }
        self.index.write_beliefs_of_batch()?;
        self.head = position;
        self.latest = self.latest.max(Some(header.ts));
        Ok(())
    }

    fn take(
        &mut self,
        operation: &Operation<Verified>,
        body: Option<&Body>,
        verdict: Verdict,
    ) -> Result<Verdict, RecordError> {
        if verdict == Verdict::Append {
            self.append(operation, body)?;
        }
        Ok(verdict)
    }
}

impl Drop for SqliteWriting<'_> {
    fn drop(&mut self) {
        if self.open {
            let _ = self.index.connection.execute_batch("ROLLBACK");
        }
    }
}

impl Writing for SqliteWriting<'_> {
    fn body(&self, id: &OpId) -> Result<Option<Vec<u8>>, StoreError> {
        self.index.body(id)
    }

    fn removed(&self, body: &BodyHash) -> Result<Option<OpId>, StoreError> {
        self.index.removed(body)
    }

    fn latest(&self) -> Result<Option<HlcTimestamp>, StoreError> {
        Ok(self.latest)
    }

    fn record(
        &mut self,
        operation: &Operation<Verified>,
        body: Option<&Body>,
    ) -> Result<Verdict, RecordError> {
        let verdict = rules::judge(operation, body, &self.index)
            .map_err(|error| RecordError::of(operation.id(), error))?;
        self.take(operation, body, verdict)
    }

    fn admit(
        &mut self,
        operation: &Operation<Verified>,
        body: Option<&Body>,
    ) -> Result<Verdict, RecordError> {
        let placed = rules::judge_place(operation, body, &self.index);
        let verdict = placed
            .map_err(|error| RecordError::of(operation.id(), error))?
            .unwrap_or(Verdict::Append);
        self.take(operation, body, verdict)
    }

    fn follow(&mut self) -> Result<Consequences, StoreError> {
        self.erase_redacted()?;
        let journal = std::mem::take(&mut self.journal);
        consequences(&self.index, &journal, self.index.due()?)
    }

    fn commit(mut self: Box<Self>) -> Result<Position, StoreError> {
        self.erase_redacted()?;
        std::mem::take(&mut self.redactions).leave(self.index.connection)?;
        self.index.write_beliefs()?;
        std::mem::take(&mut self.pending).write(self.index.connection)?;
        self.index.connection.execute_batch("COMMIT")?;
        self.open = false;
        if self.has_erased {
            self.shared.clear();
        }
        self.leave_memory();
        Ok(self.head)
    }
}

/// A writing answers from its index.
macro_rules! ask {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty),+ $(,)?) => {
        impl LedgerIndex for SqliteWriting<'_> {
            type Error = StoreError;
            $(fn $name(&self, $($argument: $type),*) -> Result<$answer, StoreError> {
                self.index.$name($($argument),*)
            })+
        }
    };
}

ask! {
    space() -> Option<SpaceId>,
    entry(id: &OpId) -> Option<Entry>,
    time_and_kind(id: &OpId) -> Option<(HlcTimestamp, Kind)>,
    citing(id: &OpId) -> Vec<Citing>,
    acting(id: &OpId, kind: &Kind, role: &str) -> Vec<OpId>,
    dependents(id: &OpId) -> Vec<(HlcTimestamp, OpId)>,
    status(id: &OpId) -> Option<ClaimStatus>,
    identity(key: &str) -> Vec<Entry>,
    latest_of(key: &str, kind: &Kind, before: Option<(HlcTimestamp, OpId)>) -> Option<Entry>,
    head(author: &Author) -> Option<Head>,
    at_seq(author: &Author, seq: u64) -> Option<OpId>,
    access() -> &Access,
    evidence(source: &str, source_uid: &str) -> Option<(OpId, BodyHash)>,
}
