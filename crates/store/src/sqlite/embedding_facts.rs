//! Which facts a model has still to read: claims and corrections that are served and sure enough to
//! be found, and active nodes.
//!
//! Their vectors are in the tables of [`super::embedding`], by position like those of records. What
//! differs is the order of reading. A record counts until something retracts it. A fact comes and
//! goes: a claim that was replaced is served again when its replacement is retracted. So a model
//! passes over facts that do not count when it gets to them, and looks at older facts again if
//! anything was appended since: at the beliefs that changed, which the view of beliefs says, and at
//! the nodes without a vector. What counts and has no vector is read then.
//!
//! A row for each model says how far it got. Without the row, nothing was read, and vectors that
//! exist are kept.

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::records::{RecordStatus, Records};
use rusqlite::{Connection, OptionalExtension, params};

use super::embedding::{
    Embedding, EmbeddingModel, KNOWN, LENGTH_BYTES, ModelNumber, QuestionVector, TEXT_BYTES_MAX,
    is_there, read_vector,
};
use super::graph::{SqliteLedgerIndex, sql};
use super::{SqliteSpace, beliefs, index, ledger, records, schema_version};
use crate::{Position, StoreError};

/// Least confidence of a belief that searches find. Nothing less sure is embedded.
pub const FOUND_CONFIDENCE_MIN: f64 = 0.3;
/// Facts examined for one batch.
const LOOKED_AT_MAX: usize = 10_000;

/// The table; made with those of [`super::embedding`].
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS embedding_facts (
    number INTEGER PRIMARY KEY, reached INTEGER NOT NULL, round INTEGER NOT NULL, head INTEGER NOT NULL, latest INTEGER NOT NULL
) STRICT;
";

/// Served claims and corrections after a position that are sure enough, in order.
const SERVED_AFTER: &str =
    "SELECT identity.pos FROM identity CROSS JOIN belief ON belief.key = identity.key
     WHERE identity.pos > ?1 AND belief.served = identity.pos AND belief.state IN ('active', 'corrected')
         AND belief.confidence >= ?2
     ORDER BY identity.pos LIMIT ?3";

/// The same, counted.
const COUNT_SERVED_AFTER: &str =
    "SELECT count(*) FROM identity CROSS JOIN belief ON belief.key = identity.key
     WHERE identity.pos > ?1 AND belief.served = identity.pos AND belief.state IN ('active', 'corrected')
         AND belief.confidence >= ?2";

/// What is served, up to a position, of the identities in a state that are sure enough and changed
/// at a time or later. The index alone is searched for these.
const CHANGED_SINCE: &str = "SELECT belief.served FROM (
         SELECT key AS changed_key FROM belief INDEXED BY belief_state WHERE state = ?1 AND changed >= ?2 AND confidence >= ?4
     ) CROSS JOIN belief ON belief.key = changed_key WHERE belief.served <= ?3";

/// Nodes after a position and up to another, in order.
const NODES_BETWEEN: &str =
    "SELECT pos, key FROM record NOT INDEXED WHERE pos > ?1 AND pos <= ?2 AND kind = 'node'
     ORDER BY pos LIMIT ?3";

/// How far a model has read facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FactsRead {
    /// Every fact up to here has a vector, has no text, was refused, or did not count when the
    /// ledger ended at `head`.
    pub(super) reached: Position,
    /// Rises when a fact up to `reached` got a vector or lost it.
    pub(super) round: u64,
    /// The end of the ledger when older facts were last looked at.
    head: Position,
    /// The latest time in the ledger then, microseconds since the Unix epoch.
    latest_us: u64,
}

/// Facts that a model reads next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactBatch {
    /// What they say.
    pub texts: Vec<(Position, String)>,
    before: FactsRead,
    after: FactsRead,
}

impl FactBatch {
    /// Whether nothing is left to read or to note.
    pub fn is_end(&self) -> bool {
        self.texts.is_empty() && self.before == self.after
    }
}

/// The size of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSize {
    /// Most texts.
    pub texts_max: usize,
    /// Most bytes of texts, unless one alone is longer.
    pub bytes_max: usize,
}

/// Creates a model's row, or brings it forward. What somebody else set back meanwhile stays back.
const ADVANCE: &str =
    "INSERT INTO embedding_facts (number, reached, round, head, latest) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (number) DO UPDATE SET
         round = max(round, excluded.round),
         latest = CASE WHEN head = ?7 THEN excluded.latest ELSE min(latest, excluded.latest) END,
         head = CASE WHEN head = ?7 THEN excluded.head ELSE min(head, excluded.head) END,
         reached = CASE WHEN reached < ?6 THEN reached ELSE max(reached, excluded.reached) END";

/// How far a model has read facts, as the file says.
pub(super) fn facts_read(
    connection: &Connection,
    model: ModelNumber,
) -> Result<FactsRead, StoreError> {
    if !is_there(connection, "embedding_facts")? {
        return Ok(FactsRead::default());
    }
    let query = "SELECT reached, round, head, latest FROM embedding_facts WHERE number = ?1";
    let read = connection
        .prepare_cached(query)?
        .query_row([model.as_row()], |row| {
            let number =
                |column| row.get::<_, i64>(column).map(|number| number.max(0).unsigned_abs());
            Ok(FactsRead {
                reached: Position(number(0)?),
                round: number(1)?,
                head: Position(number(2)?),
                latest_us: number(3)?,
            })
        })
        .optional()?
        .unwrap_or_default();
    // A position beyond the ledger's end is a damaged one.
    let is_possible = read.reached.max(read.head) <= ledger::head(connection)?;
    Ok(if is_possible { read } else { FactsRead::default() })
}

/// Has facts looked at again whose bodies arrived, from the first of them on.
pub(super) fn read_again_from(connection: &Connection, before: i64) -> Result<(), StoreError> {
    if is_there(connection, "embedding_facts")? {
        let update = "UPDATE embedding_facts SET reached = min(reached, ?1), round = round + 1 WHERE reached > ?1";
        connection.execute(update, [before])?;
    }
    Ok(())
}

/// Has all facts of a model looked at again, for those that lost their vector.
pub(super) fn look_at_all_again(
    connection: &Connection,
    model: ModelNumber,
) -> Result<(), StoreError> {
    let update =
        "UPDATE embedding_facts SET head = 0, latest = 0, round = round + 1 WHERE number = ?1";
    connection.execute(update, [model.as_row()])?;
    Ok(())
}

/// Forgets how far a model got.
pub(super) fn forget(connection: &Connection, model: ModelNumber) -> Result<(), StoreError> {
    connection.execute("DELETE FROM embedding_facts WHERE number = ?1", [model.as_row()])?;
    Ok(())
}

/// The facts of a snapshot, for one model.
struct Facts<'a> {
    connection: &'a Connection,
    index: SqliteLedgerIndex<'a>,
    model: Option<&'a EmbeddingModel>,
    read: FactsRead,
    head: Position,
    has_beliefs: bool,
    has_nodes: bool,
}

impl<'a> Facts<'a> {
    /// Within the read transaction that is open.
    fn new(space: &'a SqliteSpace, model: Option<&'a EmbeddingModel>) -> Result<Self, StoreError> {
        let connection = &space.connection;
        let version = schema_version(connection)?;
        let read = model.map(|model| facts_read(connection, model.number)).transpose()?;
        Ok(Self {
            connection,
            index: SqliteLedgerIndex::new(connection, &space.access)?,
            model,
            read: read.unwrap_or_default(),
            head: ledger::head(connection)?,
            has_beliefs: beliefs::VIEW.exists_in(version),
            has_nodes: version >= records::SINCE,
        })
    }

    /// Whether the model has a vector of a fact, or refused it.
    fn is_known(&self, position: Position) -> Result<bool, StoreError> {
        let Some(model) = self.model else { return Ok(false) };
        let mut known = self.connection.prepare_cached(KNOWN)?;
        Ok(known.exists(params![model.number.key(position), model.width()])?)
    }

    /// At most `limit` served claims and corrections after a position.
    fn served_after(&self, after: Position, limit: usize) -> Result<Vec<Position>, StoreError> {
        if !self.has_beliefs {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(SERVED_AFTER)?;
        let rows = statement
            .query_map(params![sql(after), FOUND_CONFIDENCE_MIN, limit as i64], |row| row.get(0))?;
        rows.map(|row| Ok(position(row?))).collect()
    }

    /// At most `limit` nodes after a position and up to another, with their keys.
    fn nodes_between(
        &self,
        after: Position,
        until: Position,
        limit: i64,
    ) -> Result<Vec<(Position, String)>, StoreError> {
        if !self.has_nodes {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(NODES_BETWEEN)?;
        let rows = statement.query_map(params![sql(after), sql(until), limit], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        rows.map(|row| row.map(|(at, key)| (position(at), key)).map_err(StoreError::from)).collect()
    }

    /// Whether the node at a position is active.
    fn is_active(
        &self,
        records: &mut Records<'_, SqliteLedgerIndex<'_>>,
        at: Position,
        key: &str,
    ) -> Result<bool, StoreError> {
        let Some(latest) = records.latest_version(&Kind::Node, key)? else { return Ok(false) };
        Ok(self.index.position_of(&latest.id)? == Some(at)
            && records.status_of(&latest)? == Some(RecordStatus::Active))
    }

    /// Facts that were read up to, count, and have no vector: what counts again since the model
    /// last looked. In order.
    fn counting_again(&self) -> Result<Vec<Position>, StoreError> {
        let FactsRead { reached, head, latest_us, .. } = self.read;
        if self.head <= head || reached == Position(0) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        if self.has_beliefs {
            let mut statement = self.connection.prepare_cached(CHANGED_SINCE)?;
            let since = i64::try_from(latest_us).unwrap_or(i64::MAX);
            for state in ["active", "corrected"] {
                let mut rows =
                    statement.query(params![state, since, sql(reached), FOUND_CONFIDENCE_MIN])?;
                while let Some(row) = rows.next()? {
                    let served = position(row.get(0)?);
                    if !self.is_known(served)? {
                        found.push(served);
                    }
                }
            }
        }
        let mut records = Records::new(&self.index);
        for (at, key) in self.nodes_between(Position(0), reached, i64::MAX)? {
            if !self.is_known(at)? && self.is_active(&mut records, at, &key)? {
                found.push(at);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Facts after the position that was reached, and the position up to which these are all.
    fn next(&self) -> Result<(Vec<Position>, Position), StoreError> {
        let reached = self.read.reached;
        let mut found = self.served_after(reached, LOOKED_AT_MAX)?;
        let nodes = self.nodes_between(reached, self.head, LOOKED_AT_MAX as i64)?;
        let mut end = self.head;
        if found.len() >= LOOKED_AT_MAX {
            end = found.last().copied().unwrap_or(end).min(end);
        }
        if nodes.len() >= LOOKED_AT_MAX {
            end = nodes.last().map_or(end, |(at, _)| *at).min(end);
        }
        let mut records = Records::new(&self.index);
        for (at, key) in nodes {
            if self.is_active(&mut records, at, &key)? {
                found.push(at);
            }
        }
        found.retain(|at| *at <= end);
        found.sort_unstable();
        Ok((found, end))
    }

    /// How many facts are to be read.
    fn pending(&self) -> Result<u64, StoreError> {
        let reached = self.read.reached;
        let mut pending = self.counting_again()?.len() as u64;
        if self.has_beliefs {
            let count: i64 = self
                .connection
                .prepare_cached(COUNT_SERVED_AFTER)?
                .query_row(params![sql(reached), FOUND_CONFIDENCE_MIN], |row| row.get(0))?;
            pending += count.unsigned_abs();
        }
        let mut records = Records::new(&self.index);
        for (at, key) in self.nodes_between(reached, self.head, i64::MAX)? {
            pending += u64::from(self.is_active(&mut records, at, &key)?);
        }
        Ok(pending)
    }
}

/// A batch that is being filled.
struct Filling {
    texts: Vec<(Position, String)>,
    left: BatchSize,
}

impl Filling {
    /// Adds the texts of facts without a vector, in order, until the batch is full. The last fact
    /// that was passed; none if all were.
    fn fill(
        &mut self,
        facts: &Facts<'_>,
        found: &[Position],
        begin: Position,
    ) -> Result<Option<Position>, StoreError> {
        let mut passed = begin;
        for at in found {
            if self.left.texts_max == 0 {
                return Ok(Some(passed));
            }
            if !facts.is_known(*at)?
                && let Some(text) = index::stated_at(facts.connection, *at, TEXT_BYTES_MAX)?
            {
                if text.len() > self.left.bytes_max && !self.texts.is_empty() {
                    return Ok(Some(passed));
                }
                self.left.texts_max -= 1;
                self.left.bytes_max = self.left.bytes_max.saturating_sub(text.len());
                self.texts.push((*at, text));
            }
            passed = *at;
        }
        Ok(None)
    }
}

impl SqliteSpace {
    /// How many facts a model has still to read; all that count if none is given.
    pub fn pending_facts(&self, model: Option<&EmbeddingModel>) -> Result<u64, StoreError> {
        let _snapshot = self.read_transaction()?;
        Facts::new(self, model)?.pending()
    }

    /// The facts that a model reads next.
    pub fn fact_batch(
        &self,
        model: &EmbeddingModel,
        size: BatchSize,
    ) -> Result<FactBatch, StoreError> {
        let _snapshot = self.read_transaction()?;
        let facts = Facts::new(self, Some(model))?;
        let before = facts.read;
        let mut after = before;
        let mut filling = Filling { texts: Vec::new(), left: size };
        let again = facts.counting_again()?;
        let is_cut = filling.fill(&facts, &again, Position(0))?.is_some();
        if !is_cut {
            after.head = facts.head;
            after.latest_us = self.latest()?.map_or(0, |latest| latest.0);
        }
        if filling.texts.is_empty() && !is_cut {
            let (found, end) = facts.next()?;
            after.reached = filling.fill(&facts, &found, before.reached)?.unwrap_or(end);
        } else {
            after.round += 1;
        }
        Ok(FactBatch { texts: filling.texts, before, after })
    }

    /// The vector that a model has of an operation, to search for what is similar.
    pub fn similar_to(
        &self,
        model: ModelNumber,
        id: &OpId,
    ) -> Result<Option<QuestionVector>, StoreError> {
        if !is_there(&self.connection, "embedding")? {
            return Ok(None);
        }
        let query =
            "SELECT data FROM op CROSS JOIN embedding ON key = (?1 | op.pos) WHERE op.id = ?2";
        let data: Option<Vec<u8>> = self
            .connection
            .prepare_cached(query)?
            .query_row(params![model.key(Position(0)), id.0], |row| row.get(0))
            .optional()?;
        let length = |data: &[u8]| data.len().saturating_sub(LENGTH_BYTES);
        let numbers = data.and_then(|data| {
            let (steps, inverse_length) = read_vector(&data, length(&data))?;
            let number = |step: &u8| f32::from(step.cast_signed()) * inverse_length;
            Some(steps.iter().map(number).collect())
        });
        Ok(numbers.map(|numbers| QuestionVector { model, numbers }))
    }

    /// Writes a model's vectors for a batch. False if the model was forgotten in the meantime.
    pub fn write_fact_embeddings(
        &mut self,
        model: &EmbeddingModel,
        made: &[(Position, Embedding)],
        batch: &FactBatch,
    ) -> Result<bool, StoreError> {
        let FactBatch { before, after, .. } = batch;
        self.writing_embeddings(|connection| {
            if !model.note_answer(connection)? {
                return Ok(false);
            }
            connection.prepare_cached(ADVANCE)?.execute(params![
                model.number.as_row(),
                sql(after.reached),
                i64::try_from(after.round).unwrap_or(i64::MAX),
                sql(after.head),
                i64::try_from(after.latest_us).unwrap_or(i64::MAX),
                sql(before.reached),
                sql(before.head),
            ])?;
            model.store(connection, made)?;
            Ok(true)
        })
    }
}

fn position(row: i64) -> Position {
    Position(row.unsigned_abs())
}
