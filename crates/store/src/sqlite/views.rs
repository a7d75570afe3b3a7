//! Views of a space's file: bringing them up to date, digesting, deleting.
//!
//! A view is a function of the ledger and its position. A writer folds what it appended before it
//! finishes, in transactions that need no sync: after a power cut the position says what is
//! missing. A reader that finds a view behind folds it if nobody is writing, and otherwise reads
//! the view as it is.

use std::time::Duration;

use kernel::id::SpaceId;
use retrieval::text::Analyzer;
use rusqlite::Connection;

use super::index::{
    self, FACT_VIEW, Search, TEXT_VIEW, THOUGHT_VIEW, shared::SearchColumns,
    thoughts::ThoughtSearch, vectors::ModelQuestion,
};
use super::registry::{Fold, FoldTask, ViewFolder};
use super::shared::WillFold;
use super::{Mode, QuestionVector, ReadTransaction, SqliteSpace, embedding, graph, ledger};
use crate::{Ledger, Position, StoreError};

/// Limit of folds in one call: more than any file needs, so that folding a damaged file ends.
const FOLD_ROUNDS_MAX: usize = 1 << 20;

/// Cache of the connection that folds for verification, KiB.
const REFOLD_CACHE_KIB: u32 = 32 << 10;
/// Triggers and views of others that are named.
const FOREIGN_NAMED_MAX: u32 = 20;
/// Less than an operation needs in a file: its id and its signature alone are 96 bytes.
const OPERATION_BYTES_MIN: u64 = 96;

/// The digest of a view at a position.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ViewDigest {
    /// The view.
    pub name: &'static str,
    /// How far it has read.
    pub position: Position,
    /// BLAKE3 over its tables, hexadecimal.
    pub digest: String,
}

/// What is in the file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Size {
    /// The file with its write-ahead log, bytes.
    pub file_bytes: u64,
    /// The part that holds the ledger's table and its indexes, bytes.
    pub ledger_bytes: u64,
    /// Of it the views, bytes.
    pub view_bytes: u64,
}

impl SqliteSpace {
    /// How far the text index has read.
    pub fn text_position(&self) -> Result<Position, StoreError> {
        TEXT_VIEW.position(&self.connection, "main")
    }

    /// How far the index of beliefs has read.
    pub fn fact_position(&self) -> Result<Position, StoreError> {
        FACT_VIEW.position(&self.connection, "main")
    }

    /// How far the index of thoughts has read.
    pub fn thought_position(&self) -> Result<Position, StoreError> {
        THOUGHT_VIEW.position(&self.connection, "main")
    }

    /// Whether a view is behind the ledger.
    pub(super) fn is_behind(&self) -> Result<bool, StoreError> {
        let head = self.head()?;
        Ok(self.registry.least_position(&self.connection, head)? != head)
    }

    /// Folds the operations that the text index has not read yet; `progress` receives each position
    /// reached. Operations that others append meanwhile are left for the next call. Does nothing in
    /// a file that cannot be written; the index then answers from the position it has.
    pub fn advance(&mut self, progress: impl FnMut(Position)) -> Result<Position, StoreError> {
        self.advance_within(Duration::from_millis(super::BUSY_WAIT_MS), progress)
    }

    /// The same, but gives up with [`StoreError::Busy`] when another process has been writing for
    /// `wait`.
    pub fn advance_within(
        &mut self,
        wait: Duration,
        progress: impl FnMut(Position),
    ) -> Result<Position, StoreError> {
        let position = self.fold_up_to_head(wait, progress)?;
        // What a killed process or a reader of an older snapshot left. It stays due if it fails.
        let _ = self.finish_erasure(Duration::ZERO);
        Ok(position)
    }

    /// The same without waiting, for readers: fails with [`StoreError::Busy`] if another process or
    /// handle is writing. Does nothing while a read transaction of this handle is open, or while a
    /// writer of this process will fold ([`SqliteSpace::will_fold`]).
    pub fn catch_up(&self) -> Result<(), StoreError> {
        if self.reading.is_reading() || self.index.is_about_to_be_folded() {
            return Ok(());
        }
        self.fold_up_to_head(Duration::ZERO, |_| {}).map(drop)
    }

    /// Says that this process will soon fold what is about to be appended. A reader that folds each
    /// operation as it arrives would take the write lock from the next writer, and fold them one by
    /// one.
    pub fn will_fold(&self) -> WillFold {
        WillFold::of(&self.index)
    }

    fn fold_up_to_head(
        &self,
        wait: Duration,
        mut progress: impl FnMut(Position),
    ) -> Result<Position, StoreError> {
        if self.mode() == Mode::ReadOnly {
            return self.text_position();
        }
        let folded = self.fold_rounds(wait, &mut progress);
        self.left.forget();
        let position = folded?;
        self.page_cache.shrink(&self.connection)?;
        Ok(position)
    }

    fn fold_rounds(
        &self,
        wait: Duration,
        progress: &mut dyn FnMut(Position),
    ) -> Result<Position, StoreError> {
        let head = self.head()?;
        let mut position = self.registry.least_position(&self.connection, head)?;
        if position != head {
            self.check_head(head)?;
            for _ in 0..FOLD_ROUNDS_MAX {
                position = self.fold_once(wait)?;
                progress(position);
                if position >= head {
                    break;
                }
            }
        }
        Ok(position)
    }

    /// Positions count the operations, so a file of this size cannot have one beyond all that it
    /// has room for. Folding up to such a position would take as long as its number is large.
    fn check_head(&self, head: Position) -> Result<(), StoreError> {
        let bytes = ["PRAGMA page_count", "PRAGMA page_size"]
            .iter()
            .map(|pragma| self.connection.query_row(pragma, [], |row| row.get::<_, i64>(0)))
            .try_fold(1_u64, |bytes, number| {
                number.map(|number| bytes.saturating_mul(number.unsigned_abs()))
            })?;
        if head.0 > bytes / OPERATION_BYTES_MIN {
            let detail = format!("it has an operation at position {}, which is impossible", head.0);
            return Err(StoreError::Damaged { detail });
        }
        Ok(())
    }

    /// Folds while the index is a whole block behind. Bulk imports call this, so that most rows are
    /// written once.
    pub fn advance_blocks(&mut self) -> Result<(), StoreError> {
        for _ in 0..FOLD_ROUNDS_MAX {
            if self.text_position()?.0 + index::FOLD_OPERATIONS_MAX > self.head()?.0 {
                break;
            }
            self.fold_once(Duration::from_millis(super::BUSY_WAIT_MS))?;
        }
        Ok(())
    }

    fn fold_once(&self, wait: Duration) -> Result<Position, StoreError> {
        let (position, folders) = self.write_without_sync(wait, |connection| {
            // The write lock is held, so only one fold at a time takes the folders.
            let mut folders = match self.index.take_folders() {
                Some(folders) => folders,
                None => self.registry.folders(connection)?,
            };
            let mut reached = Position(u64::MAX);
            for folder in &mut folders {
                let task = FoldTask {
                    connection,
                    space: self.space,
                    until: reached,
                    graph: index::Graph::Present,
                };
                reached = reached.min(folder.fold(&task)?);
            }
            Ok((reached, folders))
        })?;
        self.index.put_folders(folders);
        Ok(position)
    }

    /// Writes data that can be rebuilt or may be missing, without waiting for the disk. Waits at
    /// most `wait` for other writers.
    pub(super) fn write_without_sync<T>(
        &self,
        wait: Duration,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.mode() == Mode::ReadOnly {
            return Err(StoreError::ReadOnly);
        }
        let connection = &self.connection;
        connection.busy_timeout(wait)?;
        let begun = connection
            .execute_batch("PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE")
            .map_err(StoreError::from);
        let worked = begun
            .and_then(|()| self.registry.migrate(connection))
            .and_then(|()| work(connection))
            .and_then(|answer| {
                connection.execute_batch("COMMIT")?;
                Ok(answer)
            });
        if worked.is_err() && !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        // In any case, the ledger's next append must reach the disk.
        connection.execute_batch("PRAGMA synchronous=FULL")?;
        connection.busy_timeout(Duration::from_millis(super::BUSY_WAIT_MS))?;
        worked
    }

    /// Runs `ask` on a snapshot of the text index.
    pub fn search<T>(
        &self,
        ask: impl FnOnce(&Search<'_>, &mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.search_with(None, ask)
    }

    /// The same with the query's vector from another model than the built-in table. If the file has
    /// no vectors of that model, [`Search::has_model`] is false and the table is used.
    pub fn search_with<T>(
        &self,
        vector: Option<&QuestionVector>,
        ask: impl FnOnce(&Search<'_>, &mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let transaction = self.read_transaction()?;
        let columns = transaction.columns(&index::EPISODES)?;
        let scores = self.scores(&transaction, &index::EPISODES, &columns, vector);
        let search = self.search_over(&index::EPISODES, &columns, scores);
        transaction.analyzing(|analyzer| ask(&search, analyzer))
    }

    /// The scores of an index by another model than the built-in table, if it has vectors of that
    /// model. A damaged cache does not prevent an answer from the built-in table.
    fn scores<'a>(
        &'a self,
        transaction: &ReadTransaction<'_>,
        tables: &'static index::IndexTables,
        columns: &'a SearchColumns,
        vector: Option<&QuestionVector>,
    ) -> Option<index::vectors::QueryScores<'a>> {
        let question =
            ModelQuestion::of(&self.connection, columns.reach, tables, vector?).ok()??;
        let vectors = transaction.vectors(tables, &columns.attributes, question.at()).ok()?;
        vectors.ask(&self.connection, &columns.attributes, question)
    }

    /// The same over the index of facts, where the built-in table stands in for missing vectors.
    /// Returns none if the file is of a version without that index and cannot be written.
    pub fn search_facts_with<T>(
        &self,
        vector: Option<&QuestionVector>,
        ask: impl FnOnce(&Search<'_>, &mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let transaction = self.read_transaction()?;
        if !FACT_VIEW.exists_in(super::schema_version(&self.connection)?) {
            return Ok(None);
        }
        let columns = transaction.columns(&index::FACTS)?;
        let scores = self.scores(&transaction, &index::FACTS, &columns, vector);
        let search = self.search_over(&index::FACTS, &columns, scores);
        transaction.analyzing(|analyzer| ask(&search, analyzer)).map(Some)
    }

    /// The same over the index of thoughts.
    pub fn search_thoughts<T>(
        &self,
        ask: impl FnOnce(&ThoughtSearch<'_>, &mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.search_thoughts_with(None, ask)
    }

    /// The same with the prompt's vector. A thought that the model has not read yet is compared by
    /// the built-in table.
    pub fn search_thoughts_with<T>(
        &self,
        vector: Option<&QuestionVector>,
        ask: impl FnOnce(&ThoughtSearch<'_>, &mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let transaction = self.read_transaction()?;
        if !THOUGHT_VIEW.exists_in(super::schema_version(&self.connection)?) {
            return Ok(None);
        }
        let columns = transaction.columns(&index::THOUGHTS)?;
        let scores = self.scores(&transaction, &index::THOUGHTS, &columns, vector);
        let search = self.search_over(&index::THOUGHTS, &columns, scores);
        let search = ThoughtSearch::new(search, &self.index.thoughts, columns.reach);
        transaction.analyzing(|analyzer| ask(&search, analyzer)).map(Some)
    }

    fn search_over<'a>(
        &'a self,
        tables: &'static index::IndexTables,
        columns: &'a SearchColumns,
        scores: Option<index::vectors::QueryScores<'a>>,
    ) -> Search<'a> {
        Search {
            connection: &self.connection,
            access: &self.access,
            tables,
            attributes: &columns.attributes,
            lengths: &columns.lengths,
            windows: &columns.windows,
            scores,
            orders: Default::default(),
        }
    }

    /// Deletes every view and folds it again from the ledger. Readers see the old views until the
    /// new graph is complete, and then a text index that is being filled.
    pub fn rebuild(&mut self, mut progress: impl FnMut(Position)) -> Result<(), StoreError> {
        self.write_without_sync(Duration::from_millis(super::BUSY_WAIT_MS), |connection| {
            connection.execute("DELETE FROM view WHERE name NOT GLOB '*.erased'", [])?;
            self.left.forget();
            self.registry.refold_with_append(connection, self.space)
        })?;
        self.index.clear();
        self.advance(&mut progress)?;
        Ok(())
    }

    /// The digest of every view, over its tables row by row in key order.
    pub fn digests(&self) -> Result<Vec<ViewDigest>, StoreError> {
        let _snapshot = self.read_transaction()?;
        let snapshot = &self.connection;
        let version = super::schema_version(snapshot)?;
        let mut digests = Vec::new();
        for view in self.registry.views_of(version) {
            digests.push(ViewDigest {
                name: view.name,
                position: view.position(snapshot, "main")?,
                digest: view.digest(snapshot, "main", version)?,
            });
        }
        Ok(digests)
    }

    /// Folds every view again into a temporary database, up to the position of the stored one, and
    /// digests both. Each pair is (stored, folded).
    ///
    /// The database is an unnamed file that SQLite deletes, so memory does not grow with the
    /// ledger. If no such file can be created, or the disk is full, the database is in memory.
    pub fn refold(&self) -> Result<Vec<(ViewDigest, ViewDigest)>, StoreError> {
        let on_disk = Connection::open("").map_err(StoreError::from);
        let refolded = on_disk.and_then(|connection| self.refold_into(&connection));
        match refolded {
            // Only the temporary file is written, so the failure is its own.
            Err(StoreError::DiskFull | StoreError::WriteFailed) => {
                self.refold_into(&Connection::open_in_memory()?)
            }
            Err(StoreError::Sqlite(error))
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) =>
            {
                self.refold_into(&Connection::open_in_memory()?)
            }
            refolded => refolded,
        }
    }

    fn refold_into(
        &self,
        connection: &Connection,
    ) -> Result<Vec<(ViewDigest, ViewDigest)>, StoreError> {
        super::configure(connection)?;
        // None of this needs to survive.
        connection.execute_batch(&format!(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-{REFOLD_CACHE_KIB};"
        ))?;
        connection.execute_batch(
            "CREATE TABLE view (name TEXT PRIMARY KEY, version INTEGER NOT NULL, pos INTEGER NOT NULL)",
        )?;
        for view in self.registry.views {
            view.create(connection)?;
        }
        connection.execute_batch(&format!("PRAGMA user_version={}", self.registry.version()))?;
        self.attach_to(connection)?;
        connection.execute_batch(
            "CREATE TEMP VIEW op AS SELECT * FROM source.op; CREATE TEMP VIEW author AS SELECT * FROM source.author;
             BEGIN",
        )?;
        let version = connection.query_row("PRAGMA source.user_version", [], |row| row.get(0))?;
        let reached = self.refold_views(connection, version)?;
        let mut pairs = Vec::new();
        for (view, folded) in self.registry.views_of(version).zip(reached) {
            let digest = |schema, position| {
                let digest = view.digest(connection, schema, version)?;
                Ok::<_, StoreError>(ViewDigest { name: view.name, position, digest })
            };
            let stored = view.position(connection, "source")?;
            pairs.push((digest("source", stored)?, digest("main", folded)?));
        }
        Ok(pairs)
    }

    /// Folds the ledger of the file attached as `source`, whose tables are of `version`, into the
    /// empty tables of `connection`. Returns the position that each view reached.
    fn refold_views(
        &self,
        connection: &Connection,
        version: i64,
    ) -> Result<Vec<Position>, StoreError> {
        let head = ledger::head(connection)?;
        // If a view that reads all operations reads to the end, one pass serves both.
        let mut reader = None;
        for view in self.registry.views_of(version) {
            if matches!(view.fold, Fold::Lagging { folds_graph: true, .. })
                && view.position(connection, "source")? == head
            {
                reader = reader.or(Some(view.name));
            }
        }
        match reader {
            Some(_) => graph::refold_access(connection)?,
            None => graph::refold(connection, self.space)?,
        }
        let mut reached = Vec::new();
        for view in self.registry.views_of(version) {
            let Fold::Lagging { folder, .. } = view.fold else {
                reached.push(head);
                continue;
            };
            let until = view.position(connection, "source")?;
            let graph = match reader {
                Some(name) if name == view.name => index::Graph::FoldedHere,
                _ => index::Graph::Present,
            };
            let mut folder = folder(connection)?;
            folder.begin_like(connection, "source")?;
            reached.push(fold_to(&mut *folder, connection, self.space, until.min(head), graph)?);
        }
        Ok(reached)
    }

    /// Attaches the file as `source`, in whichever mode it can be opened.
    fn attach_to(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut attached = Ok(());
        for way in self.opened.ways {
            let uri = format!("file:{}?{way}", super::uri_path(&self.opened.path));
            let read = |_| {
                connection.query_row("SELECT count(*) FROM source.sqlite_schema", [], |_| Ok(()))
            };
            attached = connection.execute("ATTACH ?1 AS source", [uri]).and_then(read);
            if attached.is_ok() {
                break;
            }
            // This fails if attaching failed.
            let _ = connection.execute("DETACH source", []);
        }
        Ok(attached?)
    }

    /// Defects that SQLite finds in the file's structure; empty if there are none.
    pub fn check_file(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let found = statement.query_map([], |row| row.get::<_, String>(0))?;
        let mut damages = Vec::new();
        for damage in found {
            match damage {
                Ok(line) if line == "ok" => {}
                Ok(line) => damages.push(line),
                Err(error) => {
                    damages.push(error.to_string());
                    break;
                }
            }
        }
        Ok(damages)
    }

    /// Triggers and views in the file. We make none, so somebody else did; they do nothing here,
    /// but other programs would run them.
    pub fn foreign_schema(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT type, name FROM main.sqlite_schema WHERE type IN ('trigger', 'view')
             ORDER BY type, name LIMIT ?1",
        )?;
        let found = statement.query_map([FOREIGN_NAMED_MAX], |row| {
            Ok(format!("{} {:?}", row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Sizes of the file and its parts.
    pub fn size(&self) -> Result<Size, StoreError> {
        let length = |suffix: &str| {
            let mut path = self.path.clone().into_os_string();
            path.push(suffix);
            std::fs::metadata(path).map_or(0, |metadata| metadata.len())
        };
        let pages =
            |pragma: &str| self.connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
        let used = (pages("PRAGMA page_count")? * pages("PRAGMA page_size")?).unsigned_abs();
        let version = super::schema_version(&self.connection)?;
        let mut view_bytes = embedding::bytes(&self.connection)?;
        for view in self.registry.views_of(version) {
            for table in view.tables_of(version) {
                view_bytes += table.bytes(&self.connection)?;
            }
        }
        Ok(Size {
            file_bytes: length("") + length("-wal"),
            ledger_bytes: used.saturating_sub(view_bytes),
            view_bytes,
        })
    }
}

/// Folds a view up to a position.
fn fold_to(
    folder: &mut dyn ViewFolder,
    connection: &Connection,
    space: SpaceId,
    until: Position,
    graph: index::Graph,
) -> Result<Position, StoreError> {
    let mut reached = Position(0);
    for _ in 0..FOLD_ROUNDS_MAX {
        reached = folder.fold(&FoldTask { connection, space, until, graph })?;
        if reached >= until {
            break;
        }
    }
    Ok(reached)
}

#[cfg(test)]
mod tests {
    use kernel::body::{Body, Space};
    use kernel::operation::HlcTimestamp;
    use kernel::seal::{ChainPosition, Draft, Signer};

    use super::*;

    #[test]
    fn a_stored_position_beyond_the_ledger_is_reported_and_folding_ends() {
        let signer = Signer::from_seed([1; 32]);
        let body = Body::Space(Space {
            name: "test".into(),
            owner: signer.author(),
            created: "2026-01-01T00:00:00Z".into(),
            settings: Default::default(),
        });
        let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
        let genesis = signer.seal(Draft::new(body.clone()), place).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut space =
            SqliteSpace::create(&folder.path().join("space.db"), &genesis, &body).unwrap();
        space.advance(|_| {}).unwrap();
        let same = |space: &SqliteSpace| {
            space.refold().unwrap().iter().all(|(stored, folded)| stored == folded)
        };
        assert!(same(&space));
        space.connection.execute("UPDATE view SET pos = 1000000", []).unwrap();
        assert!(!same(&space));
    }
}
