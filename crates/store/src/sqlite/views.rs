//! Views of a space's file: bringing them up to date, digesting, deleting.
//!
//! A view is a function of the ledger and its position. A writer folds what it appended before it
//! finishes, in transactions that need no sync: after a power cut the position says what is missing.
//! A reader that finds a view behind folds it if nobody is writing, and otherwise reads the view as
//! it is.

use std::time::Duration;

use retrieval::text::Analyzer;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::index::{self, Search, shared::SearchColumns, vectors::ModelQuestion};
use super::shared::Folders;
use super::{Mode, QuestionVector, SqliteSpace, embedding, graph, ledger};
use crate::{Ledger, Position, StoreError};

/// The version of the tables since which what is believed is indexed.
const FACTS_SINCE: i64 = 3;

/// Most folds of one call: more operations than a file can hold, and a bound for a file that is
/// damaged.
const FOLD_ROUNDS_MAX: usize = 1 << 20;

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
    /// Of it the ledger's table and its indexes, bytes.
    pub ledger_bytes: u64,
    /// Of it the views, bytes.
    pub view_bytes: u64,
}

impl SqliteSpace {
    /// How far the text index has read.
    pub fn text_position(&self) -> Result<Position, StoreError> {
        Ok(index::reach(&self.connection, &index::EPISODES)?.position)
    }

    /// How far the index of what is believed has read.
    pub fn fact_position(&self) -> Result<Position, StoreError> {
        Ok(index::reach(&self.connection, &index::FACTS)?.position)
    }

    /// Folds what the ledger has now and the text index has not; `progress` is told each position
    /// reached. What others append meanwhile is left to the next time. Does nothing in a file that
    /// cannot be written: the index then serves the position it has.
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
        self.fold_up_to_head(wait, progress)
    }

    /// The same without waiting, for readers: fails with [`StoreError::Busy`] if another process or
    /// handle is writing. Does nothing while a read transaction of this handle is open.
    pub fn catch_up(&self) -> Result<(), StoreError> {
        if self.reading.is_reading() {
            return Ok(());
        }
        self.fold_up_to_head(Duration::ZERO, |_| {}).map(drop)
    }

    fn fold_up_to_head(
        &self,
        wait: Duration,
        mut progress: impl FnMut(Position),
    ) -> Result<Position, StoreError> {
        if self.mode() == Mode::ReadOnly {
            return self.text_position();
        }
        let mut position = self.text_position()?.min(self.fact_position()?);
        let head = self.head()?;
        if position == head {
            return Ok(position);
        }
        for _ in 0..FOLD_ROUNDS_MAX {
            position = self.fold_once(wait)?;
            progress(position);
            if position >= head {
                break;
            }
        }
        Ok(position)
    }

    /// Folds while the index is a whole block behind: what a bulk import calls, so that most rows
    /// are written once.
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
            // The write lock is held, so only one fold at a time takes them.
            let mut folders = match self.index.take_folders() {
                Some(folders) => folders,
                None => Folders {
                    episodes: index::Folder::new(connection)?,
                    facts: index::FactFolder::new(connection)?,
                },
            };
            let all = Position(u64::MAX);
            let position =
                folders.episodes.fold(connection, self.space, all, index::Graph::Present)?;
            Ok((position.min(folders.facts.fold(connection, position)?), folders))
        })?;
        self.index.put_folders(folders);
        Ok(position)
    }

    /// Writes what can be made again or be missing, without waiting for the disk. Queues behind
    /// other writers for at most `wait`.
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
            .and_then(|()| super::migrate(connection))
            .and_then(|()| work(connection))
            .and_then(|answer| {
                connection.execute_batch("COMMIT")?;
                Ok(answer)
            });
        if worked.is_err() && !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        // Whatever became of it, the ledger's next append must reach the disk.
        connection.execute_batch("PRAGMA synchronous=FULL")?;
        connection.busy_timeout(Duration::from_millis(super::BUSY_WAIT_MS))?;
        worked
    }

    /// Answers `ask` over the text index at one moment.
    pub fn search<T>(
        &self,
        ask: impl FnOnce(&Search<'_>, &mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.search_with(None, ask)
    }

    /// The same, with the question as another model than the built-in table understands it. Where
    /// the file has no vectors of that model, [`Search::has_model`] is false and the table serves.
    pub fn search_with<T>(
        &self,
        vector: Option<&QuestionVector>,
        ask: impl FnOnce(&Search<'_>, &mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let transaction = self.read_transaction()?;
        let columns = transaction.columns(&index::EPISODES)?;
        // What is wrong with this cache is no reason not to answer.
        let question = vector.and_then(|vector| {
            ModelQuestion::of(&self.connection, columns.reach, vector).ok().flatten()
        });
        let asked = question.and_then(|question| {
            let vectors = transaction.vectors(&columns.attributes, question.at()).ok()?;
            vectors.ask(&self.connection, &columns.attributes, question)
        });
        let search = self.search_over(&index::EPISODES, &columns, asked);
        transaction.analyzing(|analyzer| ask(&search, analyzer))
    }

    /// The same over the index of what is believed; none where the file was made before there was
    /// one and cannot be written.
    pub fn search_facts<T>(
        &self,
        ask: impl FnOnce(&Search<'_>, &mut Analyzer) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let transaction = self.read_transaction()?;
        if super::schema_version(&self.connection)? < FACTS_SINCE {
            return Ok(None);
        }
        let columns = transaction.columns(&index::FACTS)?;
        let search = self.search_over(&index::FACTS, &columns, None);
        transaction.analyzing(|analyzer| ask(&search, analyzer)).map(Some)
    }

    fn search_over<'a>(
        &'a self,
        shelf: &'static index::IndexTables,
        columns: &'a SearchColumns,
        asked: Option<index::vectors::Asked<'a>>,
    ) -> Search<'a> {
        Search {
            connection: &self.connection,
            access: &self.access,
            shelf,
            attributes: &columns.attributes,
            lengths: &columns.lengths,
            windows: &columns.windows,
            asked,
        }
    }

    /// Deletes every view and folds it again from the ledger. Readers see the old views until the
    /// new graph is complete, and the text index filling up again after that.
    pub fn rebuild(&mut self, mut progress: impl FnMut(Position)) -> Result<(), StoreError> {
        self.write_without_sync(Duration::from_millis(super::BUSY_WAIT_MS), |connection| {
            for table in graph::TABLES {
                connection.execute(&format!("DELETE FROM {table}"), [])?;
            }
            connection.execute("DELETE FROM view", [])?;
            graph::refold(connection, self.space)
        })?;
        self.index.clear();
        self.advance(&mut progress)?;
        Ok(())
    }

    /// The digest of every view, from its tables row by row in order of key.
    pub fn digests(&self) -> Result<Vec<ViewDigest>, StoreError> {
        let _moment = self.read_transaction()?;
        let version = super::schema_version(&self.connection)?;
        let digest = |tables| digest(&self.connection, "main", tables, version);
        let mut digests = vec![ViewDigest {
            name: "graph",
            position: ledger::head(&self.connection)?,
            digest: digest(graph::TABLES)?,
        }];
        for shelf in shelves(version) {
            let position = index::reach(&self.connection, shelf)?.position;
            digests.push(ViewDigest {
                name: shelf.name(),
                position,
                digest: digest(shelf.tables)?,
            });
        }
        Ok(digests)
    }

    /// Folds every view again into memory, up to the position that the stored one has, and digests
    /// both. Each pair is (stored, folded).
    pub fn refold_in_memory(&self) -> Result<Vec<(ViewDigest, ViewDigest)>, StoreError> {
        let connection = Connection::open_in_memory()?;
        super::configure(&connection)?;
        connection.execute_batch(&format!(
            "{} {} {} {} {} {} PRAGMA user_version={};",
            graph::SCHEMA,
            graph::CLAIM_SCHEMA,
            index::EPISODES.schema,
            index::EPISODES.meaning_schema,
            index::FACTS.schema,
            index::FACTS.meaning_schema,
            super::SCHEMA_VERSION
        ))?;
        connection
            .execute("CREATE TABLE view (name TEXT PRIMARY KEY, version INTEGER NOT NULL, pos INTEGER NOT NULL)", [])?;
        self.attach_to(&connection)?;
        connection.execute_batch(
            "CREATE TEMP VIEW op AS SELECT * FROM source.op; CREATE TEMP VIEW author AS SELECT * FROM source.author;
             BEGIN",
        )?;
        let head = ledger::head(&connection)?;
        let reach = index::reach_in(&connection, &index::EPISODES, "source")?;
        index::begin_under(&connection, reach.access)?;
        let text_position = reach.position;
        let folding =
            if text_position == head { index::Graph::FoldedHere } else { index::Graph::Present };
        match folding {
            index::Graph::FoldedHere => graph::refold_access(&connection)?,
            index::Graph::Present => graph::refold(&connection, self.space)?,
        }
        let mut folder = index::Folder::new(&connection)?;
        let mut reached = Position(0);
        for _ in 0..FOLD_ROUNDS_MAX {
            reached = folder.fold(&connection, self.space, text_position, folding)?;
            if reached >= text_position.min(head) {
                break;
            }
        }
        let version = connection.query_row("PRAGMA source.user_version", [], |row| row.get(0))?;
        let mut views = vec![
            ("graph", head, head, graph::TABLES),
            ("text", text_position, reached, index::EPISODES.tables),
        ];
        if version >= FACTS_SINCE {
            let position = index::reach_in(&connection, &index::FACTS, "source")?.position;
            let mut folder = index::FactFolder::new(&connection)?;
            let mut reached = Position(0);
            for _ in 0..FOLD_ROUNDS_MAX {
                reached = folder.fold(&connection, position)?;
                if reached >= position.min(head) {
                    break;
                }
            }
            views.push((index::FACTS.name(), position, reached, index::FACTS.tables));
        }
        let mut pairs = Vec::new();
        for (name, position, reached, tables) in views {
            let stored = ViewDigest {
                name,
                position,
                digest: digest(&connection, "source", tables, version)?,
            };
            let folded = ViewDigest {
                name,
                position: reached,
                digest: digest(&connection, "main", tables, version)?,
            };
            pairs.push((stored, folded));
        }
        Ok(pairs)
    }

    /// Attaches the file as `source`, in the way in which it could be opened.
    fn attach_to(&self, connection: &Connection) -> Result<(), StoreError> {
        let ways: &[&str] = match self.mode() {
            Mode::ReadWrite => &["mode=rw"],
            Mode::ReadOnly => &["mode=ro", super::IMMUTABLE],
        };
        let mut attached = Ok(());
        for way in ways {
            let uri = format!("file:{}?{way}", super::uri_path(&self.path));
            let read = |_| {
                connection.query_row("SELECT count(*) FROM source.sqlite_schema", [], |_| Ok(()))
            };
            attached = connection.execute("ATTACH ?1 AS source", [uri]).and_then(read);
            if attached.is_ok() {
                break;
            }
            // Fails where attaching did.
            let _ = connection.execute("DETACH source", []);
        }
        Ok(attached?)
    }

    /// What SQLite finds wrong with the file's structure; empty if nothing.
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
        let mut views = graph::TABLES.to_vec();
        for shelf in shelves(version) {
            views.extend(shelf.tables);
        }
        let mut view_bytes = embedding::bytes(&self.connection)?;
        for table in views.into_iter().filter(|table| super::has_table(version, table)) {
            view_bytes += table_bytes(&self.connection, table)?;
        }
        Ok(Size {
            file_bytes: length("") + length("-wal"),
            ledger_bytes: used.saturating_sub(view_bytes),
            view_bytes,
        })
    }
}

/// The shelves that the tables of a version have.
fn shelves(version: i64) -> impl Iterator<Item = &'static index::IndexTables> {
    std::iter::once(&index::EPISODES).chain((version >= FACTS_SINCE).then_some(&index::FACTS))
}

/// Bytes of a table's content, by its rows' blobs and texts. An estimate: pages hold some room.
fn table_bytes(connection: &Connection, table: &str) -> Result<u64, StoreError> {
    let blob = match table {
        "text_posting"
        | "text_session_posting"
        | "text_attribute"
        | "text_length"
        | "text_vector"
        | "text_token"
        | "fact_posting"
        | "fact_session_posting"
        | "fact_attribute"
        | "fact_length"
        | "fact_vector"
        | "fact_token" => "sum(length(data)) + 12 * count(*)",
        "text_term" | "text_session" | "fact_term" | "fact_session" => "24 * count(*)",
        _ => "16 * count(*)",
    };
    let bytes: Option<i64> =
        connection.query_row(&format!("SELECT {blob} FROM {table}"), [], |row| row.get(0))?;
    Ok(bytes.unwrap_or(0).unsigned_abs())
}

/// BLAKE3 over all rows of tables, as far as the tables' version has them. Columns named `pos` of
/// chunked tables only say what to read again and are left out.
fn digest(
    connection: &Connection,
    schema: &str,
    tables: &[&str],
    version: i64,
) -> Result<String, StoreError> {
    let mut hasher = blake3::Hasher::new();
    for table in tables.iter().filter(|table| super::has_table(version, table)) {
        hasher.update(table.as_bytes()).update(&[0]);
        let columns = match *table {
            "text_attribute" | "text_length" | "fact_attribute" | "fact_length" => "chunk, data",
            "identity" if version < 2 => "pos, key, payload",
            _ => "*",
        };
        let order = match *table {
            "text_person_word" | "fact_person_word" => "word, person",
            "text_participant" | "fact_participant" => "person, document",
            "cite" => "target, role, citing",
            _ => "rowid",
        };
        let mut statement = connection
            .prepare(&format!("SELECT {columns} FROM {schema}.{table} ORDER BY {order}"))?;
        let count = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..count {
                let (tag, bytes) = match row.get_ref(column)? {
                    ValueRef::Null => (0, Vec::new()),
                    ValueRef::Integer(integer) => (1, integer.to_le_bytes().to_vec()),
                    ValueRef::Real(real) => (2, real.to_le_bytes().to_vec()),
                    ValueRef::Text(text) => (3, text.to_vec()),
                    ValueRef::Blob(blob) => (4, blob.to_vec()),
                };
                hasher.update(&[tag]).update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
            }
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use kernel::body::{Body, Space};
    use kernel::operation::HlcTimestamp;
    use kernel::seal::{ChainPosition, Draft, Signer};

    use super::*;

    #[test]
    fn a_stored_position_beyond_the_ledger_is_a_difference_and_no_endless_fold() {
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
            space.refold_in_memory().unwrap().iter().all(|(stored, folded)| stored == folded)
        };
        assert!(same(&space));
        space.connection.execute("UPDATE view SET pos = 1000000", []).unwrap();
        assert!(!same(&space));
    }
}
