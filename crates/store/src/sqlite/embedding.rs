//! Vectors of other models than the built-in table: the models, the records that they have read,
//! and the vectors. Facts and thoughts have vectors in the same tables: [`super::embedding_facts`],
//! [`super::embedding_thoughts`].
//!
//! This is a cache, not a view: it does not follow from the ledger alone, so no digest covers it.
//! It survives a rebuild, because a record is identified by its position in the ledger, which never
//! changes. There is no queue: a model has still to read the records of the text index after
//! [`EmbeddingModel::reached`]. Vectors and the new `reached` are written in one transaction, so a
//! process may be killed at any time, and two processes that read the same records write the same
//! vectors. A damaged row counts as missing.

use models::Model;
use retrieval::rank::meaning::compress;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteSpace;
use super::embedding_facts;
use super::embedding_thoughts;
use super::graph::sql;
use super::index;
use super::ledger;
use crate::{Position, StoreError};

/// Longest vectors that are kept.
pub const DIMENSIONS_MAX: usize = 16_384;
/// Bytes of 1 ÷ the length, behind the steps.
pub(super) const LENGTH_BYTES: usize = 4;
/// Longest text of one record that a model reads, bytes: fewer than the tokens that services take,
/// whatever the script.
pub(super) const TEXT_BYTES_MAX: usize = 8_000;
/// Limit of records examined for one batch, including records without words, which are skipped.
const LOOKED_AT_MAX: usize = 10_000;
/// Longest message that is kept.
const ERROR_CHARS_MAX: usize = 500;
/// Bits of a row's key below the model's number.
const POSITION_BITS: u32 = 40;
/// Attempts are counted up to here.
const ATTEMPTS_MAX: i64 = 1_000;
/// Most models of a file, ever.
const MODELS_MAX: i64 = 1 << 20;

/// Tables of vectors. A vector's key consists of its model's number and the record's position, so
/// that rows are in reading order and long ones fit into a page.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS embedding_model (
    number INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL, name TEXT NOT NULL, dimensions INTEGER NOT NULL,
    choice TEXT NOT NULL, turn INTEGER NOT NULL, reached INTEGER NOT NULL DEFAULT 0, access INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, next_try_us INTEGER, last_error TEXT, UNIQUE (provider, name, dimensions)
) STRICT;
CREATE TABLE IF NOT EXISTS embedding (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS embedding_failed (key INTEGER PRIMARY KEY, error TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS embedding_unopened (
    number INTEGER PRIMARY KEY CHECK (number = 1), choice TEXT NOT NULL, attempts INTEGER NOT NULL, next_try_us INTEGER,
    code TEXT NOT NULL, error TEXT NOT NULL
) STRICT;
";

/// The tables that hold something for each record or fact.
const TABLES: &[&str] = &["embedding", "embedding_failed"];

/// A model's number in a file. Numbers are not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct ModelNumber(u32);

impl ModelNumber {
    /// The key of this model's row for a record.
    pub(super) fn key(self, position: Position) -> i64 {
        i64::from(self.0) << POSITION_BITS | sql(position).min((1 << POSITION_BITS) - 1)
    }

    /// As it is in the tables of models.
    pub(super) fn as_row(self) -> i64 {
        i64::from(self.0)
    }

    /// The record of a key.
    pub(super) fn position(key: i64) -> Position {
        Position((key & ((1 << POSITION_BITS) - 1)).unsigned_abs())
    }

    fn range(self) -> [i64; 2] {
        [self.key(Position(0)), self.key(Position(u64::MAX))]
    }
}

/// A model that has read records, or will.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingModel {
    /// Its number here.
    pub number: ModelNumber,
    /// What its vectors are comparable by.
    pub model: Model,
    /// What the user calls it, to open it again.
    pub choice: String,
    /// Every record up to here has a vector, has no text, was refused or no longer counts.
    pub reached: Position,
    /// How often in a row it did not answer.
    pub attempts: u32,
    /// When to ask it again, microseconds since the Unix epoch.
    pub next_try_us: Option<u64>,
    /// Why it did not answer the last time.
    pub last_error: Option<String>,
}

/// A model that could not be opened, so that it is not known whose vectors it would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnopenedModel {
    /// What the user calls it.
    pub choice: String,
    /// How often in a row it could not be opened.
    pub attempts: u32,
    /// When to try again, microseconds since the Unix epoch.
    pub next_try_us: Option<u64>,
    /// The last error's stable code.
    pub code: String,
    /// Why it could not be opened the last time.
    pub error: String,
}

/// How much a model has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingCount {
    /// Vectors.
    pub embedded: u64,
    /// Texts that it refused.
    pub failed: u64,
    /// Records, facts and thoughts that it has still to read.
    pub pending: u64,
    /// Records that count.
    pub records: u64,
}

/// Records that a model reads next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingBatch {
    /// What they say.
    pub texts: Vec<(Position, String)>,
    /// Where the model has read up to then.
    pub end: Position,
}

/// What a model made of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Embedding {
    /// Its vector.
    Vector(Vec<f32>),
    /// Why there is none.
    Failed(String),
}

/// A question as a model understands it.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionVector {
    /// Whose vector it is.
    pub model: ModelNumber,
    /// The vector, of any length.
    pub numbers: Vec<f32>,
}

/// Erases the vectors of the operations in `temp.erased`, and messages that may quote them.
pub(super) fn erase(connection: &Connection) -> Result<(), StoreError> {
    for table in TABLES {
        let query = format!("DELETE FROM {table} WHERE key & ?1 IN (SELECT pos FROM temp.erased)");
        connection.execute(&query, [(1_i64 << POSITION_BITS) - 1])?;
    }
    connection.execute("UPDATE embedding_model SET last_error = NULL", [])?;
    Ok(())
}

/// Whether something is known of a record: its key, and the bytes of a vector.
pub(super) const KNOWN: &str = "SELECT 1 FROM embedding WHERE key = ?1 AND length(data) = ?2
                     UNION ALL SELECT 1 FROM embedding_failed WHERE key = ?1";

impl EmbeddingModel {
    /// Bytes of a vector.
    pub(super) fn width(&self) -> i64 {
        (self.model.dimensions + LENGTH_BYTES) as i64
    }

    /// Notes that it answered. False if it was forgotten.
    pub(super) fn note_answer(&self, connection: &Connection) -> Result<bool, StoreError> {
        let answered = "UPDATE embedding_model SET attempts = 0, next_try_us = NULL, last_error = NULL WHERE number = ?1";
        Ok(connection.prepare_cached(answered)?.execute([self.number.as_row()])? != 0)
    }

    /// Stores what it made of texts.
    pub(super) fn store(
        &self,
        connection: &Connection,
        made: &[(Position, Embedding)],
    ) -> Result<(), StoreError> {
        let mut write = connection
            .prepare_cached("INSERT OR REPLACE INTO embedding (key, data) VALUES (?1, ?2)")?;
        let mut note = connection.prepare_cached(
            "INSERT OR REPLACE INTO embedding_failed (key, error) VALUES (?1, ?2)",
        )?;
        let mut steps = vec![0; self.model.dimensions];
        for (position, made) in made {
            let key = self.number.key(*position);
            match made {
                Embedding::Vector(vector) => {
                    let inverse_length = compress(vector, &mut steps);
                    let mut data: Vec<u8> = steps.iter().map(|step| step.cast_unsigned()).collect();
                    data.extend(inverse_length.to_le_bytes());
                    write.execute(params![key, data])?;
                }
                Embedding::Failed(error) => {
                    note.execute(params![key, short(error)])?;
                }
            }
        }
        Ok(())
    }
}

impl SqliteSpace {
    /// Every model that the file knows, the one that was chosen last first.
    pub fn embedding_models(&self) -> Result<Vec<EmbeddingModel>, StoreError> {
        models(&self.connection)
    }

    /// The model, which is now the one that was chosen last; made if it is new.
    pub fn choose_embedding_model(
        &mut self,
        model: &Model,
        choice: &str,
    ) -> Result<EmbeddingModel, StoreError> {
        if model.dimensions == 0 || model.dimensions > DIMENSIONS_MAX {
            return Err(StoreError::Vectors { dimensions: model.dimensions });
        }
        self.writing_embeddings(|connection| {
            connection
                .prepare_cached(
                    "INSERT INTO embedding_model (provider, name, dimensions, choice, turn)
                     VALUES (?1, ?2, ?3, ?4, (SELECT coalesce(max(turn), 0) + 1 FROM embedding_model))
                     ON CONFLICT (provider, name, dimensions) DO UPDATE SET choice = excluded.choice, turn = excluded.turn
                     WHERE turn < excluded.turn - 1 OR choice <> excluded.choice",
                )?
                .execute(params![model.provider, model.name, model.dimensions as i64, choice])?;
            connection.prepare_cached("DELETE FROM embedding_unopened WHERE choice = ?1")?.execute([choice])?;
            let known = models(connection)?.into_iter().find(|known| known.model == *model);
            known.ok_or_else(|| StoreError::Damaged { detail: "a model of the cache of vectors does not read".to_owned() })
        })
    }

    /// How many records that count come after a position up to which a model has read.
    pub fn pending_embeddings(&self, reached: Position) -> Result<u64, StoreError> {
        Ok(self.read_transaction()?.attributes()?.count_alive(reached).1)
    }

    /// How much of the records and facts a model has read.
    pub fn count_embeddings(&self, model: &EmbeddingModel) -> Result<EmbeddingCount, StoreError> {
        let transaction = self.read_transaction()?;
        let (records, pending) = transaction.attributes()?.count_alive(model.reached);
        let pending =
            pending + self.pending_facts(Some(model))? + self.pending_thoughts(Some(model))?;
        let [embedded, failed] = [TABLES[0], TABLES[1]].map(|table| -> Result<u64, StoreError> {
            let query = format!("SELECT count(*) FROM {table} WHERE key BETWEEN ?1 AND ?2");
            let count: i64 = self
                .connection
                .prepare_cached(&query)?
                .query_row(model.number.range(), |row| row.get(0))?;
            Ok(count.unsigned_abs())
        });
        Ok(EmbeddingCount { embedded: embedded?, failed: failed?, pending, records })
    }

    /// Whether a model has read nearly all that there is, so that it may answer: all but a
    /// fiftieth, or all but a few and not less than half.
    pub fn embeddings_serve(&self, model: &EmbeddingModel) -> Result<bool, StoreError> {
        /// What one share of the records may be missing.
        const MISSING_SHARE: u64 = 50;
        /// What may be missing of fewer records.
        const MISSING_MAX: u64 = 256;
        let transaction = self.read_transaction()?;
        let (records, pending) = transaction.attributes()?.count_alive(model.reached);
        let is_small = pending <= records / MISSING_SHARE
            || (pending <= MISSING_MAX && pending * 2 <= records);
        if !is_small {
            return Ok(false);
        }
        let mut first = self
            .connection
            .prepare_cached("SELECT 1 FROM embedding WHERE key BETWEEN ?1 AND ?2 LIMIT 1")?;
        Ok(first.query_row(model.number.range(), |_| Ok(())).optional()?.is_some())
    }

    /// The records that a model reads next, at most `texts_max`. Empty at the end of the text
    /// index.
    pub fn embedding_batch(
        &self,
        model: &EmbeddingModel,
        texts_max: usize,
    ) -> Result<EmbeddingBatch, StoreError> {
        let attributes = self.read_transaction()?.attributes()?;
        let mut batch = EmbeddingBatch { texts: Vec::new(), end: model.reached };
        let mut known = self.connection.prepare_cached(KNOWN)?;
        for (position, counts) in attributes.after(model.reached).take(LOOKED_AT_MAX) {
            if batch.texts.len() >= texts_max {
                break;
            }
            batch.end = position;
            if counts && !known.exists(params![model.number.key(position), model.width()])? {
                let text = index::said_at(&self.connection, position, TEXT_BYTES_MAX)?;
                batch.texts.extend(text.map(|text| (position, text)));
            }
        }
        Ok(batch)
    }

    /// Writes a model's vectors for a batch. False if the model was forgotten in the meantime.
    pub fn write_embeddings(
        &mut self,
        model: &EmbeddingModel,
        made: &[(Position, Embedding)],
        end: Position,
    ) -> Result<bool, StoreError> {
        self.writing_embeddings(|connection| {
            let access = sql(index::reach(connection, &index::EPISODES)?.access);
            // A position beyond the ledger's end is a damaged one.
            let update = "UPDATE embedding_model SET attempts = 0, next_try_us = NULL, last_error = NULL, access = ?3,
                          reached = CASE WHEN access = ?3 AND reached <= ?4 THEN max(reached, ?2) ELSE ?2 END
                          WHERE number = ?1";
            let head = sql(ledger::head(connection)?);
            if connection.prepare_cached(update)?.execute(params![model.number.0, sql(end), access, head])? == 0 {
                return Ok(false);
            }
            model.store(connection, made)?;
            Ok(true)
        })
    }

    /// Notes that a model did not answer, and when to ask again.
    pub fn delay_embeddings(
        &mut self,
        model: &EmbeddingModel,
        next_try_us: Option<u64>,
        error: &str,
    ) -> Result<(), StoreError> {
        self.writing_embeddings(|connection| {
            let next_try_us = next_try_us.map(|next| i64::try_from(next).unwrap_or(i64::MAX));
            connection
                .prepare_cached(
                    "UPDATE embedding_model SET attempts = min(attempts + 1, ?4), next_try_us = ?2, last_error = ?3
                     WHERE number = ?1",
                )?
                .execute(params![model.number.0, next_try_us, short(error), ATTEMPTS_MAX])?;
            Ok(())
        })
    }

    /// The model that could not be opened the last time, if its name is `choice`.
    pub fn unopened_model(&self, choice: &str) -> Result<Option<UnopenedModel>, StoreError> {
        if !is_there(&self.connection, "embedding_unopened")? {
            return Ok(None);
        }
        let query = "SELECT choice, attempts, next_try_us, code, error FROM embedding_unopened WHERE choice = ?1";
        let mut statement = self.connection.prepare_cached(query)?;
        let mut rows = statement.query([choice])?;
        // What does not read is passed over.
        Ok(rows.next()?.and_then(|row| read_unopened(row).ok()))
    }

    /// Notes that a model could not be opened, until it can be or another one cannot.
    pub fn note_unopened(&mut self, unopened: &UnopenedModel) -> Result<(), StoreError> {
        self.writing_embeddings(|connection| {
            let UnopenedModel { choice, attempts, next_try_us, code, error } = unopened;
            let next_try_us = next_try_us.map(|next| i64::try_from(next).unwrap_or(i64::MAX));
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO embedding_unopened (number, choice, attempts, next_try_us, code, error)
                     VALUES (1, ?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![choice, attempts, next_try_us, code, short(error)])?;
            Ok(())
        })
    }

    /// Drops a model with all its vectors.
    pub fn forget_embeddings(&mut self, model: ModelNumber) -> Result<(), StoreError> {
        self.writing_embeddings(|connection| {
            for table in TABLES {
                connection.execute(
                    &format!("DELETE FROM {table} WHERE key BETWEEN ?1 AND ?2"),
                    model.range(),
                )?;
            }
            connection.execute("DELETE FROM embedding_model WHERE number = ?1", [model.0])?;
            embedding_facts::forget(connection, model)?;
            embedding_thoughts::forget(connection, model)
        })
    }

    /// Deletes damaged vectors of a model, so that they are made again like missing ones. Returns
    /// how many there were.
    pub fn mend_embeddings(&mut self, model: &EmbeddingModel) -> Result<u64, StoreError> {
        let dropped = self.drop_damaged(model)?;
        self.writing_embeddings(|connection| {
            embedding_facts::look_at_all_again(connection, model.number)?;
            embedding_thoughts::read_again_from(connection, 0, Some(model.number))
        })?;
        let attributes = self.read_transaction()?.attributes()?;
        let mut known = self.connection.prepare(KNOWN)?;
        let mut missing = Vec::new();
        for (position, counts) in attributes.after(Position(0)) {
            if position > model.reached {
                break;
            }
            let is_missing =
                counts && !known.exists(params![model.number.key(position), model.width()])?;
            if is_missing && index::said_at(&self.connection, position, TEXT_BYTES_MAX)?.is_some() {
                missing.push(position);
            }
        }
        drop(known);
        let Some(first) = missing.first() else { return Ok(dropped) };
        let before = Position(first.0.saturating_sub(1));
        self.writing_embeddings(|connection| {
            let update = "UPDATE embedding_model SET reached = min(reached, ?2) WHERE number = ?1";
            connection.execute(update, params![model.number.0, sql(before)])?;
            Ok(missing.len() as u64)
        })
    }

    fn drop_damaged(&mut self, model: &EmbeddingModel) -> Result<u64, StoreError> {
        self.writing_embeddings(|connection| {
            let mut damaged = Vec::new();
            let mut statement = connection
                .prepare("SELECT key, data FROM embedding WHERE key BETWEEN ?1 AND ?2")?;
            let mut rows = statement.query(model.number.range())?;
            while let Some(row) = rows.next()? {
                let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                if read_vector(data, model.model.dimensions).is_none() {
                    damaged.push(row.get::<_, i64>(0)?);
                }
            }
            for key in &damaged {
                connection
                    .prepare_cached("DELETE FROM embedding WHERE key = ?1")?
                    .execute([key])?;
            }
            Ok(damaged.len() as u64)
        })
    }

    pub(super) fn writing_embeddings<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.write_without_sync(
            std::time::Duration::from_millis(super::BUSY_WAIT_MS),
            |connection| {
                // Deleted rows of a damaged cache are made again.
                connection.execute_batch(SCHEMA)?;
                connection.execute_batch(embedding_facts::SCHEMA)?;
                connection.execute_batch(embedding_thoughts::SCHEMA)?;
                work(connection)
            },
        )
    }
}

/// The steps and 1 ÷ the length of a stored vector; none if it is damaged.
pub(super) fn read_vector(data: &[u8], dimensions: usize) -> Option<(&[u8], f32)> {
    let (steps, length) = data.split_last_chunk::<LENGTH_BYTES>()?;
    let length = f32::from_le_bytes(*length);
    // No vector that has a direction is shorter than one step.
    (steps.len() == dimensions && length > 0.0 && length <= 1.0).then_some((steps, length))
}

/// The models of a file, the last chosen one first; damaged rows are skipped.
fn models(connection: &Connection) -> Result<Vec<EmbeddingModel>, StoreError> {
    if !is_there(connection, "embedding_model")? {
        return Ok(Vec::new());
    }
    let (reach, head) = (index::reach(connection, &index::EPISODES)?, ledger::head(connection)?);
    let mut statement = connection.prepare_cached(
        "SELECT number, provider, name, dimensions, choice, reached, access, attempts, next_try_us, last_error
         FROM embedding_model ORDER BY turn DESC, number DESC",
    )?;
    let mut rows = statement.query([])?;
    let mut models = Vec::new();
    while let Some(row) = rows.next()? {
        models.extend(read_model(row, &reach, head).ok().flatten());
    }
    Ok(models)
}

/// One model of a file.
pub(super) fn model(
    connection: &Connection,
    number: ModelNumber,
) -> Result<Option<EmbeddingModel>, StoreError> {
    Ok(models(connection)?.into_iter().find(|model| model.number == number))
}

/// The right to append decides which records there are. When it changes for records that were read
/// already, they are read again.
fn read_model(
    row: &Row<'_>,
    reach: &index::Reach,
    head: Position,
) -> rusqlite::Result<Option<EmbeddingModel>> {
    let number: i64 = row.get(0)?;
    let dimensions = usize::try_from(row.get::<_, i64>(3)?).unwrap_or_default();
    if !(1..MODELS_MAX).contains(&number) || dimensions == 0 || dimensions > DIMENSIONS_MAX {
        return Ok(None);
    }
    let reached = row.get::<_, i64>(5)?;
    let is_current =
        row.get::<_, i64>(6)? == sql(reach.access) && (0..=sql(head)).contains(&reached);
    let reached = if is_current { reached.unsigned_abs() } else { 0 };
    Ok(Some(EmbeddingModel {
        number: ModelNumber(number as u32),
        model: Model { provider: row.get(1)?, name: row.get(2)?, dimensions },
        choice: row.get(4)?,
        reached: Position(reached),
        attempts: attempts(row, 7)?,
        next_try_us: next_try_us(row, 8)?,
        last_error: row.get(9)?,
    }))
}

fn read_unopened(row: &Row<'_>) -> rusqlite::Result<UnopenedModel> {
    Ok(UnopenedModel {
        choice: row.get(0)?,
        attempts: attempts(row, 1)?,
        next_try_us: next_try_us(row, 2)?,
        code: row.get(3)?,
        error: row.get(4)?,
    })
}

fn attempts(row: &Row<'_>, column: usize) -> rusqlite::Result<u32> {
    Ok(row.get::<_, i64>(column)?.clamp(0, ATTEMPTS_MAX) as u32)
}

fn next_try_us(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(|next| next.max(0).unsigned_abs()))
}

/// The tables are missing in a file of an earlier version that cannot be written.
pub(super) fn is_there(connection: &Connection, table: &str) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = ?1")?;
    Ok(statement.exists([table])?)
}

/// Bytes of the vectors.
pub(super) fn bytes(connection: &Connection) -> Result<u64, StoreError> {
    if !is_there(connection, "embedding")? {
        return Ok(0);
    }
    let query = "SELECT sum(length(data)) + 12 * count(*) FROM embedding";
    let bytes: Option<i64> = connection.query_row(query, [], |row| row.get(0))?;
    Ok(bytes.unwrap_or(0).max(0).unsigned_abs())
}

fn short(error: &str) -> String {
    error.chars().take(ERROR_CHARS_MAX).collect()
}
