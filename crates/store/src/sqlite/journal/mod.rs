//! The usage journal of a space: receipts, in a file of their own beside the space.
//!
//! `space.db` has `space.journal.db`. What agents were shown is not truth, comes with every
//! question, and may be lost; so it is kept apart from the ledger. Writing a receipt takes no lock
//! of the space, the ledger's file does not grow by it, and a journal that is missing, damaged,
//! full or of another space costs its history and nothing else. `docs/design/0030` says what it
//! holds and what the limits are.
//!
//! A process may gather what it journals and write much at once ([`JournalWriting`]). What waits is
//! lost if the process is killed.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use kernel::id::{OpId, SpaceId};
use rusqlite::{Connection, OptionalExtension};

use self::gathered_use::GatheredUse;
use self::shared::{Open, SharedJournal};
use super::shared::FileNumber;
use super::{Mode, SqliteSpace};
use crate::StoreError;
use crate::sqlite::receipts::NewReceipt;

mod earlier;
mod file;
mod gathered_use;
mod model_use;
mod private_use;
mod shared;
pub(super) mod tables;
#[cfg(test)]
mod tests;
mod thought_use;
mod turn;

pub use model_use::ModelUse;
pub use private_use::PrivateUse;
pub use thought_use::{
    AGENTS_MAX, AgentHash, PARTNERS_MAX, ThoughtAsker, ThoughtPrefix, ThoughtQueryLog,
    ThoughtSession, ThoughtTraffic, ThoughtUse, UseChange,
};

/// Receipts that are gathered before they are written, even if nobody is idle.
const GATHERED_MAX: usize = 64;
/// Receipts that wait while the journal cannot be written; the oldest beyond are given up.
const WAITING_MAX: usize = 1_024;
/// Rows of the use of thoughts that are gathered before they are written, even if nobody is idle.
const USE_GATHERED_MAX: usize = 2_048;
/// Such rows that wait while the journal cannot be written; more are given up.
const USE_WAITING_MAX: usize = 16_384;
/// Such rows, of each table, that are written in a transaction, for which others wait.
const USE_PART: usize = 16;
/// A pause after each transaction, in which those who wait get the journal: a lock that is taken
/// again at once goes to nobody else.
const USE_PAUSE: Duration = Duration::from_micros(100);
/// Such rows after which the log is copied into the file.
const CHECKPOINT_ROWS: usize = 256;
/// How often is tried to write while another process writes.
const BUSY_STEP: Duration = Duration::from_millis(1);
/// How long erasing waits for others that use the journal.
const ERASE_WAIT: Duration = Duration::from_secs(10);

/// When receipts and the use of thoughts are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JournalWriting {
    /// Each when it is given.
    #[default]
    AtOnce,
    /// Many together: by [`SqliteSpace::write_journal`], when many wait, and when the handle is
    /// dropped.
    Gathered,
}

/// How much a journal keeps. What exceeds the limits is deleted with the next receipts, the oldest
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalLimits {
    /// For how long, counted back from the newest receipt.
    pub keep_for: Duration,
    /// Bytes of its pages.
    pub bytes_max: u64,
}

impl JournalLimits {
    /// Days that receipts are kept by default.
    pub const KEEP_DAYS: u64 = 90;
    /// Mebibytes of a journal by default.
    pub const MIB_MAX: u64 = 64;
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self {
            keep_for: Duration::from_secs(Self::KEEP_DAYS * 86_400),
            bytes_max: Self::MIB_MAX << 20,
        }
    }
}

/// The journal of an open space. It is opened when it is first used.
pub(super) struct UsageJournal {
    place: Place,
    path: OnceCell<PathBuf>,
    space: SpaceId,
    writing: Cell<JournalWriting>,
    limits: Cell<JournalLimits>,
    open: OnceCell<SharedJournal>,
    waiting: RefCell<Vec<NewReceipt>>,
}

/// Where a journal is.
enum Place {
    /// In a file beside the space's.
    Beside { space: PathBuf, mode: Mode },
    /// In memory, as its space is.
    Memory,
    /// Nowhere: nothing is read and nothing is kept.
    Absent,
}

impl UsageJournal {
    /// The journal beside a space's file.
    pub(super) fn beside(space: PathBuf, mode: Mode, id: SpaceId) -> Self {
        Self::at(Place::Beside { space, mode }, id)
    }

    /// A journal in memory.
    pub(super) fn in_memory(id: SpaceId) -> Self {
        Self::at(Place::Memory, id)
    }

    /// No journal, for a space that is read without a trace.
    pub(super) fn absent(id: SpaceId) -> Self {
        Self::at(Place::Absent, id)
    }

    fn at(place: Place, space: SpaceId) -> Self {
        Self {
            place,
            path: OnceCell::new(),
            space,
            writing: Cell::default(),
            limits: Cell::default(),
            open: OnceCell::new(),
            waiting: RefCell::default(),
        }
    }

    fn path(&self) -> Option<PathBuf> {
        match &self.place {
            Place::Beside { space, .. } => {
                Some(self.path.get_or_init(|| file::path_beside(space)).clone())
            }
            Place::Memory | Place::Absent => None,
        }
    }

    fn shared(&self) -> &SharedJournal {
        self.open.get_or_init(|| match (&self.place, self.path()) {
            (Place::Beside { mode, .. }, Some(path)) => SharedJournal::at(path, self.space, *mode),
            _ => SharedJournal::default(),
        })
    }

    /// The journal, opened if it exists.
    fn ready(&self) -> Result<MutexGuard<'_, Option<Open>>, StoreError> {
        let mut open = self.shared().lock();
        self.reopen(&mut open)?;
        Ok(open)
    }

    /// Opens the journal, if it exists and is not open.
    fn reopen(&self, open: &mut Option<Open>) -> Result<(), StoreError> {
        let mode = match &self.place {
            Place::Beside { mode, .. } => mode,
            Place::Absent => return Ok(()),
            Place::Memory => {
                if open.is_none() {
                    let connection = Connection::open_in_memory()?;
                    file::make_tables(&connection, self.space)?;
                    *open = Some(Open { connection, file: None, thoughts: GatheredUse::default() });
                }
                return Ok(());
            }
        };
        let Some(path) = self.path() else { return Ok(()) };
        // A link in its place is another file.
        let there = std::fs::symlink_metadata(&path).ok().map(|found| FileNumber::of(&found));
        if open.as_ref().is_some_and(|open| open.file == there && there.is_some()) {
            return Ok(());
        }
        *open = None;
        if let Some(connection) = file::open(&path, self.space, *mode)? {
            *open = Some(Open { connection, file: there, thoughts: GatheredUse::default() });
        }
        Ok(())
    }

    /// The same, and makes the journal if it does not exist.
    fn ready_to_write(&self) -> Result<MutexGuard<'_, Option<Open>>, StoreError> {
        if matches!(self.place, Place::Absent) {
            return Err(StoreError::ReadOnly);
        }
        let mut open = self.ready()?;
        if open.is_some() {
            return match &self.place {
                Place::Beside { mode: Mode::ReadOnly, .. } => Err(StoreError::ReadOnly),
                _ => Ok(open),
            };
        }
        if let (Place::Beside { space, mode }, Some(path)) = (&self.place, self.path()) {
            if *mode == Mode::ReadOnly {
                return Err(StoreError::ReadOnly);
            }
            // Nothing is left beside a space that was deleted.
            if !space.exists() {
                return Err(StoreError::Missing { path: space.clone() });
            }
            file::create(&path, space, self.space)?;
        }
        self.reopen(&mut open)?;
        Ok(open)
    }

    /// Answers from the journal; none if it does not exist.
    pub(super) fn read<T>(
        &self,
        ask: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.ready()?.as_ref().map(|open| ask(&open.connection)).transpose()
    }

    /// The same from a journal that [`Self::read`] has opened, without looking whether its file is
    /// still there.
    pub(super) fn read_again<T>(
        &self,
        ask: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.shared().lock().as_ref().map(|open| ask(&open.connection)).transpose()
    }

    /// The same with what is in memory of it, without looking whether its file is still there.
    fn with_open<T>(
        &self,
        ask: impl FnOnce(&mut Open) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut open = self.shared().lock();
        if open.is_none() {
            self.reopen(&mut open)?;
        }
        open.as_mut().map(ask).transpose()
    }

    /// Changes the journal in one transaction. Waits at most `wait` for others that write to it.
    fn change<T>(
        &self,
        wait: Duration,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.change_open(wait, |open| end(&open.connection, work(&open.connection)))
    }

    /// Begins a transaction, which `work` ends. Waits at most `wait` for others that write.
    fn change_open<T>(
        &self,
        wait: Duration,
        work: impl FnOnce(&mut Open) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let Some(_turn) = turn::of(self.space, wait) else {
            return Err(StoreError::Busy { waited_s: wait.as_secs() });
        };
        let begun = Instant::now();
        loop {
            let mut open = self.ready_to_write()?;
            let Some(ready) = open.as_mut() else { return Err(StoreError::WriteFailed) };
            let connection = &ready.connection;
            connection.busy_timeout(Duration::ZERO)?;
            let begin = connection.execute_batch("BEGIN IMMEDIATE").map_err(StoreError::from);
            connection.busy_timeout(Duration::from_millis(super::BUSY_WAIT_MS))?;
            match begin {
                Ok(()) => return work(ready),
                Err(StoreError::Busy { .. }) if begun.elapsed() < wait => {}
                Err(error) => return Err(error),
            }
            // Another process writes. The threads that only read go on meanwhile.
            drop(open);
            std::thread::sleep(BUSY_STEP);
        }
    }

    /// Takes a query and changes of use, and writes them unless they are gathered.
    fn take_thought_use(
        &self,
        wait: Duration,
        query: Option<&ThoughtQueryLog<'_>>,
        changes: Vec<(OpId, UseChange)>,
    ) -> Result<Option<ThoughtTraffic>, StoreError> {
        let (after, waiting) = {
            let mut open = self.ready_to_write()?;
            let Some(open) = open.as_mut() else { return Err(StoreError::WriteFailed) };
            let after = open.thoughts.note(&open.connection, query, changes)?;
            (after, open.thoughts.waiting())
        };
        let is_gathered = self.writing.get() == JournalWriting::Gathered;
        if is_gathered && waiting < USE_GATHERED_MAX {
            return Ok(after);
        }
        let written = self.write_thought_use(if is_gathered { Duration::ZERO } else { wait });
        if written.is_err() && (!is_gathered || waiting >= USE_WAITING_MAX) {
            self.with_open(|open| {
                open.thoughts.give_up();
                Ok(())
            })?;
        }
        if is_gathered { Ok(after) } else { written.map(|()| after) }
    }

    /// Writes the use of thoughts that waits. What cannot be written now goes on waiting.
    fn write_thought_use(&self, wait: Duration) -> Result<(), StoreError> {
        let mut written = 0;
        loop {
            let left = self.with_open(|open| Ok(open.thoughts.waiting()))?.unwrap_or(0);
            if left == 0 {
                break;
            }
            self.change_open(wait, |Open { connection, thoughts, .. }| {
                let part = match thoughts.take(connection, USE_PART) {
                    Ok(part) => part,
                    Err(error) => return end(connection, Err(error)),
                };
                match end(connection, thoughts.write(connection, &part)) {
                    Ok(()) => thoughts.written(part),
                    Err(error) => {
                        thoughts.put_back(part);
                        return Err(error);
                    }
                }
                Ok(())
            })?;
            written += left.min(USE_PART);
            if left > USE_PART {
                std::thread::sleep(USE_PAUSE);
            }
        }
        if written >= CHECKPOINT_ROWS {
            self.checkpoint();
        }
        Ok(())
    }

    /// Copies the log into the file by a connection of its own, so that nobody waits for the disk.
    fn checkpoint(&self) {
        let Place::Beside { mode, .. } = &self.place else { return };
        let Some(path) = self.path() else { return };
        // What is not copied now is copied the next time.
        if let Ok(Some(connection)) = file::open(&path, self.space, *mode) {
            let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        }
    }

    /// Takes a receipt: writes it, or lets it wait for others.
    pub(super) fn take(&self, receipt: &NewReceipt, wait: Duration) -> Result<(), StoreError> {
        if self.writing.get() == JournalWriting::AtOnce {
            return self.write(std::slice::from_ref(receipt), wait);
        }
        // So that whoever was shown something learns at once if there cannot be a receipt.
        drop(self.ready_to_write()?);
        self.waiting.borrow_mut().push(receipt.clone());
        if self.waiting.borrow().len() >= GATHERED_MAX {
            let _ = self.write_waiting(Duration::ZERO);
        }
        Ok(())
    }

    /// Whether something waits to be written.
    pub(super) fn has_waiting(&self) -> bool {
        let thoughts = || self.open.get().is_some_and(SharedJournal::has_waiting);
        !self.waiting.borrow().is_empty() || thoughts()
    }

    /// Writes what waits. What cannot be written now goes on waiting.
    pub(super) fn write_all(&self, wait: Duration) -> Result<(), StoreError> {
        self.write_waiting(wait)?;
        self.write_thought_use(wait)
    }

    /// Writes the receipts that wait. If they cannot be written now, they go on waiting.
    pub(super) fn write_waiting(&self, wait: Duration) -> Result<(), StoreError> {
        let mut waiting = self.waiting.take();
        if waiting.is_empty() {
            return Ok(());
        }
        let written = self.write(&waiting, wait);
        if written.is_err() {
            let given_up = waiting.len().saturating_sub(WAITING_MAX);
            self.waiting.replace(waiting.split_off(given_up));
        }
        written
    }

    fn write(&self, receipts: &[NewReceipt], wait: Duration) -> Result<(), StoreError> {
        let Some(newest) = receipts.iter().map(|receipt| receipt.ts_us.cast_signed()).max() else {
            return Ok(());
        };
        let limits = self.limits.get();
        self.change(wait, |connection| {
            receipts.iter().try_for_each(|receipt| tables::insert(connection, receipt))?;
            tables::keep_limits(connection, &limits, newest)
        })
    }

    /// Deletes receipts by `work`, and shrinks the file.
    fn delete(
        &self,
        wait: Duration,
        work: impl FnOnce(&Connection) -> Result<u64, StoreError>,
    ) -> Result<u64, StoreError> {
        let _ = self.write_waiting(wait);
        if self.read(|_| Ok(()))?.is_none() {
            return Ok(0);
        }
        self.change(wait, |connection| {
            let deleted = work(connection)?;
            tables::shrink(connection, i64::MAX)?;
            Ok(deleted)
        })
    }

    /// Deletes every receipt that shows one of these records, from the file and its log. Receipts
    /// of those `for_ever` that another process holds are not written any more: a body that was
    /// withheld may arrive and be shown.
    fn erase(
        &self,
        records: &BTreeSet<OpId>,
        for_ever: &BTreeSet<OpId>,
    ) -> Result<u64, StoreError> {
        let is_of =
            |receipt: &NewReceipt| receipt.items.iter().any(|item| records.contains(&item.record));
        let mut erased = {
            let mut waiting = self.waiting.borrow_mut();
            let before = waiting.len();
            waiting.retain(|receipt| !is_of(receipt));
            (before - waiting.len()) as u64
        };
        let forget = |open: &mut Open| {
            open.thoughts.erase(records);
            Ok(())
        };
        self.with_open(forget)?;
        erased += self.delete(ERASE_WAIT, |connection| {
            let mut erased = 0;
            for record in records {
                erased += tables::delete_showing(connection, record)?;
            }
            tables::note_erased(connection, for_ever)?;
            private_use::delete_showing(connection, records)?;
            thought_use::erase(connection, records)?;
            Ok(erased)
        })?;
        // Somebody may have read what was being deleted.
        self.with_open(forget)?;
        // The log holds pages as they were; it is emptied even if nothing was deleted now, because
        // an earlier attempt may have been disturbed.
        let is_busy = self.read(|connection| {
            connection.busy_timeout(ERASE_WAIT)?;
            let busy: i64 =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            Ok(busy != 0)
        })?;
        if is_busy == Some(true) {
            return Err(StoreError::Busy { waited_s: ERASE_WAIT.as_secs() });
        }
        Ok(erased)
    }
}

impl Drop for UsageJournal {
    fn drop(&mut self) {
        // What waits may be lost: receipts and the use of thoughts.
        if self.has_waiting() {
            let _ = self.write_all(Duration::from_millis(200));
        }
    }
}

impl SqliteSpace {
    /// Chooses when receipts and the use of thoughts are written.
    pub fn set_journal_writing(&self, writing: JournalWriting) {
        self.journal.writing.set(writing);
    }

    /// Chooses how much the journal keeps.
    pub fn set_journal_limits(&self, limits: JournalLimits) {
        self.journal.limits.set(limits);
    }

    /// The journal's file, whether or not it exists; none for a space in memory.
    pub fn journal_path(&self) -> Option<PathBuf> {
        self.journal.path()
    }

    /// Whether receipts or the use of thoughts wait to be written.
    pub fn has_unwritten(&self) -> bool {
        self.journal.has_waiting()
    }

    /// Writes the receipts and the use that wait, or gives up after `wait` if another process is
    /// writing some.
    pub fn write_journal(&self, wait: Duration) -> Result<(), StoreError> {
        self.journal.write_all(wait)
    }

    /// Erases every receipt that shows one of these records, with the hashes of their texts, from
    /// the journal and its log. Returns the number of receipts. What a receipt's question said
    /// cannot be known, because only its hash is stored.
    ///
    /// It can be repeated. Fails with [`StoreError::Busy`] if another process keeps reading the
    /// journal; the receipts are then deleted, and parts may be left in the log.
    pub fn erase_from_journal(&self, records: &BTreeSet<OpId>) -> Result<u64, StoreError> {
        self.move_earlier_receipts(ERASE_WAIT)?;
        let mut for_ever = records.clone();
        self.on_snapshot(|index| {
            index.without_bodies(|missing| {
                if missing.is_declared {
                    for_ever.remove(&missing.id);
                }
                Ok(())
            })
        })?;
        self.journal.erase(records, &for_ever)
    }

    /// Deletes receipts older than a time and returns how many. What they showed is no longer
    /// recognised when it returns.
    pub fn prune_receipts(&mut self, before_us: i64) -> Result<u64, StoreError> {
        let wait = Duration::from_millis(super::BUSY_WAIT_MS);
        self.journal.delete(wait, |connection| tables::delete_before(connection, before_us))
    }
}

/// Ends a transaction, with what its work came to.
fn end<T>(connection: &Connection, worked: Result<T, StoreError>) -> Result<T, StoreError> {
    let ended = worked.and_then(|answer| {
        connection.execute_batch("COMMIT")?;
        Ok(answer)
    });
    if ended.is_err() && !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    ended
}

/// Whether a database has a table with rows.
fn has_rows(connection: &Connection, table: &str) -> Result<bool, StoreError> {
    if !has(connection, "table", table)? {
        return Ok(false);
    }
    let first = connection
        .query_row(&format!("SELECT 1 FROM {table} LIMIT 1"), [], |_| Ok(()))
        .optional()?;
    Ok(first.is_some())
}

fn has(connection: &Connection, what: &str, name: &str) -> Result<bool, StoreError> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = ?1 AND name = ?2")?
        .exists([what, name])?)
}
