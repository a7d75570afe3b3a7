//! Which thoughts a model has still to read: those that count, in the order in which they arrived.
//!
//! Their vectors are in the tables of [`super::embedding`], by position like those of records. A
//! thought that does not count when a model gets to it is passed over. If anything was recorded
//! since that may change what counts, those without a vector are looked at again. Only a thought's
//! content is read: what its contributor was doing is not what it says.

use kernel::body::Body;
use kernel::kind::Kind;
use kernel::validity::Validity;
use rusqlite::{Connection, OptionalExtension, params};

use super::embedding::{Embedding, EmbeddingModel, KNOWN, ModelNumber, TEXT_BYTES_MAX, is_there};
use super::embedding_facts::BatchSize;
use super::graph::{SqliteLedgerIndex, id_at, sql};
use super::{SqliteSpace, index, ledger};
use crate::{Position, StoreError};

/// Thoughts examined for one batch.
const LOOKED_AT_MAX: usize = 10_000;

/// The table; made with those of [`super::embedding`].
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS embedding_thoughts (
    number INTEGER PRIMARY KEY, reached INTEGER NOT NULL, round INTEGER NOT NULL, changed INTEGER NOT NULL, passed INTEGER NOT NULL
) STRICT;
";

/// How far a model has read thoughts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ThoughtsRead {
    /// Every thought up to here has a vector, has no text, was refused, or did not count.
    pub(super) reached: Position,
    /// Rises when a thought up to `reached` got a vector or lost it.
    pub(super) round: u64,
    /// The last operation that may change which thoughts count, when those passed over were looked
    /// at.
    changed: u64,
    /// Whether a thought was passed over because it did not count.
    has_passed: bool,
}

/// Thoughts that a model reads next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThoughtBatch {
    /// What they say.
    pub texts: Vec<(Position, String)>,
    before: ThoughtsRead,
    after: ThoughtsRead,
}

impl ThoughtBatch {
    /// Whether nothing is left to read or to note.
    pub fn is_end(&self) -> bool {
        self.texts.is_empty() && self.before == self.after
    }
}

/// Creates a model's row, or brings it forward. What somebody else set back meanwhile stays back.
const ADVANCE: &str =
    "INSERT INTO embedding_thoughts (number, reached, round, changed, passed) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (number) DO UPDATE SET
         round = max(round, excluded.round), changed = excluded.changed, passed = max(passed, excluded.passed),
         reached = CASE WHEN reached < ?6 THEN reached ELSE max(reached, excluded.reached) END";

/// How far a model has read thoughts, as the file says.
pub(super) fn thoughts_read(
    connection: &Connection,
    model: ModelNumber,
) -> Result<ThoughtsRead, StoreError> {
    if !is_there(connection, "embedding_thoughts")? {
        return Ok(ThoughtsRead::default());
    }
    let query = "SELECT reached, round, changed, passed FROM embedding_thoughts WHERE number = ?1";
    let read = connection
        .prepare_cached(query)?
        .query_row([model.as_row()], |row| {
            let number =
                |column| row.get::<_, i64>(column).map(|number| number.max(0).unsigned_abs());
            Ok(ThoughtsRead {
                reached: Position(number(0)?),
                round: number(1)?,
                changed: number(2)?,
                has_passed: number(3)? != 0,
            })
        })
        .optional()?
        .unwrap_or_default();
    // A position beyond the ledger's end is a damaged one.
    let is_possible = read.reached <= ledger::head(connection)?;
    Ok(if is_possible { read } else { ThoughtsRead::default() })
}

/// Has all thoughts looked at again from a position on, of all models or of one.
pub(super) fn read_again_from(
    connection: &Connection,
    before: i64,
    model: Option<ModelNumber>,
) -> Result<(), StoreError> {
    if is_there(connection, "embedding_thoughts")? {
        let update = "UPDATE embedding_thoughts SET reached = min(reached, ?1), round = round + 1
                      WHERE reached > ?1 AND (?2 IS NULL OR number = ?2)";
        connection.execute(update, params![before, model.map(ModelNumber::as_row)])?;
    }
    Ok(())
}

/// Forgets how far a model got.
pub(super) fn forget(connection: &Connection, model: ModelNumber) -> Result<(), StoreError> {
    connection.execute("DELETE FROM embedding_thoughts WHERE number = ?1", [model.as_row()])?;
    Ok(())
}

/// A batch that is being filled.
struct Filling<'a> {
    connection: &'a Connection,
    index: SqliteLedgerIndex<'a>,
    model: &'a EmbeddingModel,
    left: BatchSize,
    texts: Vec<(Position, String)>,
    has_passed: bool,
}

impl Filling<'_> {
    /// Adds a thought, unless it has a vector, does not count or says nothing. False if the batch
    /// has no room for it.
    fn take(&mut self, at: Position) -> Result<bool, StoreError> {
        if self.left.texts_max == 0 {
            return Ok(false);
        }
        let mut known = self.connection.prepare_cached(KNOWN)?;
        if known.exists(params![self.model.number.key(at), self.model.width()])? {
            return Ok(true);
        }
        let query = "SELECT id, body FROM op WHERE pos = ?1";
        let row = |row: &rusqlite::Row<'_>| Ok((id_at(row, 0)?, row.get::<_, Option<Vec<u8>>>(1)?));
        let mut statement = self.connection.prepare_cached(query)?;
        let Some((id, body)) = statement.query_row([sql(at)], row).optional()? else {
            return Ok(true);
        };
        let Some(text) = body.and_then(|body| content_of(&body)) else { return Ok(true) };
        if !Validity::new(&self.index).is_valid_input(&id)? {
            self.has_passed = true;
            return Ok(true);
        }
        if text.len() > self.left.bytes_max && !self.texts.is_empty() {
            return Ok(false);
        }
        self.left.texts_max -= 1;
        self.left.bytes_max = self.left.bytes_max.saturating_sub(text.len());
        self.texts.push((at, text));
        Ok(true)
    }
}

/// What a thought says; none without text.
fn content_of(body: &[u8]) -> Option<String> {
    let Ok(Body::Thought(thought)) = Body::parse(&Kind::Thought, body) else { return None };
    let mut text = thought.content?;
    text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
    (!text.trim().is_empty()).then_some(text)
}

impl SqliteSpace {
    /// How many thoughts come after those that a model has read; all if none is given.
    pub fn pending_thoughts(&self, model: Option<&EmbeddingModel>) -> Result<u64, StoreError> {
        let transaction = self.read_transaction()?;
        let Some(attributes) = transaction.thought_attributes()? else { return Ok(0) };
        let read = model.map(|model| thoughts_read(&self.connection, model.number)).transpose()?;
        let reached = read.unwrap_or_default().reached;
        Ok(attributes.after(reached).count() as u64)
    }

    /// The thoughts that a model reads next.
    pub fn thought_batch(
        &self,
        model: &EmbeddingModel,
        size: BatchSize,
    ) -> Result<ThoughtBatch, StoreError> {
        let transaction = self.read_transaction()?;
        let before = thoughts_read(&self.connection, model.number)?;
        let mut after = before;
        let Some(attributes) = transaction.thought_attributes()? else {
            return Ok(ThoughtBatch { texts: Vec::new(), before, after });
        };
        let mut filling = Filling {
            connection: &self.connection,
            index: SqliteLedgerIndex::new(&self.connection, &self.access)?,
            model,
            left: size,
            texts: Vec::new(),
            has_passed: false,
        };
        let changed = index::last_change_of_thoughts(&self.connection)?;
        if before.has_passed && changed != before.changed {
            let mut is_whole = true;
            let earlier = attributes.after(Position(0)).map(|(at, _)| at);
            for at in earlier.take_while(|at| *at <= before.reached) {
                is_whole = filling.take(at)?;
                if !is_whole {
                    break;
                }
            }
            after.round += u64::from(!filling.texts.is_empty());
            after.changed = if is_whole { changed } else { before.changed };
            if !is_whole || !filling.texts.is_empty() {
                return Ok(ThoughtBatch { texts: filling.texts, before, after });
            }
        }
        for (at, _) in attributes.after(before.reached).take(LOOKED_AT_MAX) {
            if !filling.take(at)? {
                break;
            }
            after.reached = at;
        }
        if filling.has_passed && !before.has_passed {
            (after.has_passed, after.changed) = (true, changed);
        }
        Ok(ThoughtBatch { texts: filling.texts, before, after })
    }

    /// Writes a model's vectors for a batch. False if the model was forgotten in the meantime.
    pub fn write_thought_embeddings(
        &mut self,
        model: &EmbeddingModel,
        made: &[(Position, Embedding)],
        batch: &ThoughtBatch,
    ) -> Result<bool, StoreError> {
        let ThoughtBatch { before, after, .. } = batch;
        self.writing_embeddings(|connection| {
            if !model.note_answer(connection)? {
                return Ok(false);
            }
            let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            connection.prepare_cached(ADVANCE)?.execute(params![
                model.number.as_row(),
                sql(after.reached),
                number(after.round),
                number(after.changed),
                after.has_passed,
                sql(before.reached),
            ])?;
            model.store(connection, made)?;
            Ok(true)
        })
    }
}
