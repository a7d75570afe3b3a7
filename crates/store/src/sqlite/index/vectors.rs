//! The vectors of one model in memory, and the scores of a question by them.
//!
//! The scan is over windows: a record's own direction, half of the one before it in its session and
//! of the one after it, and a quarter of the next ones on either side. Unlike the windows of the
//! built-in table, these also look ahead. That is possible because they are not stored: they are
//! computed from the stored vectors when these are read, and again when later records of the
//! session arrive. A reader loads only what was added since the last read. Own directions are read
//! from the file for the best candidates only, so a record takes one byte per dimension.
//!
//! The same holds the vectors of facts and of thoughts, which have no neighbours: their window is
//! their own direction.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use retrieval::rank::meaning::{Direction, Scale, compress, widen};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::embedding::{EmbeddingModel, ModelNumber, QuestionVector, model, read_vector};
use super::super::embedding_facts::facts_read;
use super::super::embedding_thoughts::thoughts_read;
use super::Reach;
use super::attributes::{self, Attribute, Attributes, NONE};
use super::shared::Version;
use super::tables::{IndexTables, THOUGHTS, Unit};
use crate::{Position, StoreError};

/// Own vectors that are cached while windows are computed; the records before one in its session
/// are mostly near.
const REMEMBERED_MAX: usize = 4_096;
/// How many documents are read before a window is computed, because the next ones in its session
/// are mostly among them. If one comes later, the window is computed again.
const AHEAD: u32 = 64;

/// Rows of vectors that are read in order in the time in which one is looked up.
const ROWS_PER_LOOK_UP: u64 = 8;

/// Documents of a block, the unit that readers share or copy.
const BLOCK: usize = 1_024;

/// The windows of the model that was used last.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Vectors {
    model: Option<ModelNumber>,
    dimensions: usize,
    seen: Reach,
    /// The position up to which the model had read.
    reached: Position,
    /// How often documents before that got or lost a vector.
    round: u64,
    /// All but the last are full.
    blocks: Vec<Arc<Block>>,
}

/// The windows of [`BLOCK`] documents.
#[derive(Clone, Debug, Default)]
struct Block {
    steps: Vec<i8>,
    inverse_lengths: Vec<f32>,
}

/// The point up to which vectors are read.
pub(in super::super) struct VectorsAt {
    reach: Reach,
    model: EmbeddingModel,
    reached: Position,
    round: u64,
    of: VectorsOf,
}

/// What the documents of an index are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VectorsOf {
    Records,
    Facts,
    Thoughts,
}

impl VectorsOf {
    fn index(tables: &IndexTables) -> Self {
        match tables.unit {
            Unit::Session => Self::Facts,
            Unit::Document if std::ptr::eq(tables, &THOUGHTS) => Self::Thoughts,
            Unit::Document => Self::Records,
        }
    }
}

impl Version for Vectors {
    type At = VectorsAt;

    fn leads_to(&self, at: &VectorsAt) -> bool {
        self.is_of(&at.model)
            && self.round == at.round
            && self.seen.leads_to(&at.reach)
            && self.reached <= at.reached
    }

    fn is_at(&self, at: &VectorsAt) -> bool {
        self.is_of(&at.model)
            && self.round == at.round
            && self.seen == at.reach
            && self.reached == at.reached
    }

    fn is_after(&self, at: &VectorsAt) -> bool {
        // A model that reads everything again is at an earlier position, with the same reach.
        self.is_of(&at.model)
            && at.reach.leads_to(&self.seen)
            && at.reach.position < self.seen.position
    }
}

/// The scores of all documents for one question, by a model's vectors.
pub(in super::super) struct QueryScores<'a> {
    connection: &'a Connection,
    attributes: &'a Attributes,
    number: ModelNumber,
    direction: Direction,
    scale: Scale,
    /// The cosine of every document's window, on the scale; 0 without a vector.
    windows: Vec<f32>,
    /// Which documents have a vector.
    known: Vec<bool>,
}

/// A question that a model's vectors can score.
pub(in super::super) struct ModelQuestion {
    direction: Direction,
    at: VectorsAt,
}

impl ModelQuestion {
    /// None if the file does not know the model, or the question has another length.
    pub(in super::super) fn of(
        connection: &Connection,
        reach: Reach,
        tables: &IndexTables,
        question: &QuestionVector,
    ) -> Result<Option<Self>, StoreError> {
        let Some(model) = model(connection, question.model)? else { return Ok(None) };
        let direction = Direction::of(&question.numbers)
            .filter(|question| question.dimensions() == model.model.dimensions);
        let of = VectorsOf::index(tables);
        let (reached, round) = match of {
            VectorsOf::Records => (model.reached, 0),
            VectorsOf::Facts => {
                let read = facts_read(connection, model.number)?;
                (read.reached, read.round)
            }
            VectorsOf::Thoughts => {
                let read = thoughts_read(connection, model.number)?;
                (read.reached, read.round)
            }
        };
        let at = VectorsAt { reach, model, reached, round, of };
        Ok(direction.map(|direction| Self { direction, at }))
    }

    /// Which vectors answer.
    pub(in super::super) fn at(&self) -> &VectorsAt {
        &self.at
    }
}

impl Vectors {
    /// Scores all documents. None if the model has no vectors.
    pub(in super::super) fn ask<'a>(
        &self,
        connection: &'a Connection,
        attributes: &'a Attributes,
        question: ModelQuestion,
    ) -> Option<QueryScores<'a>> {
        let ModelQuestion { direction, at } = question;
        let mut cosines = vec![0.0; self.len()];
        for (block, cosines) in self.blocks.iter().zip(cosines.chunks_mut(BLOCK)) {
            direction.cosines(&block.steps, &block.inverse_lengths, cosines);
        }
        let lengths = self.blocks.iter().flat_map(|block| &block.inverse_lengths);
        let mut known: Vec<bool> = lengths.map(|length| *length > 0.0).collect();
        if !known.contains(&true) {
            return None;
        }
        let of_known = cosines.iter().zip(&known).filter(|(_, known)| **known);
        let of_known = of_known.map(|(cosine, _)| *cosine);
        let scale = match at.of {
            VectorsOf::Records => Scale::of(of_known),
            // These are found by meaning or not at all, and there may be few of them.
            VectorsOf::Facts | VectorsOf::Thoughts => Scale::of_unrelated(of_known),
        };
        for (cosine, known) in cosines.iter_mut().zip(&known) {
            *cosine = if *known { scale.normalise(*cosine) as f32 } else { 0.0 };
        }
        cosines.resize(attributes.len() as usize, 0.0);
        known.resize(attributes.len() as usize, false);
        Some(QueryScores {
            connection,
            attributes,
            number: at.model.number,
            direction,
            scale,
            windows: cosines,
            known,
        })
    }

    fn is_of(&self, model: &EmbeddingModel) -> bool {
        self.model == Some(model.number) && self.dimensions == model.model.dimensions
    }

    /// The number of documents that were read.
    fn len(&self) -> usize {
        let last = self.blocks.last().map_or(0, |block| block.inverse_lengths.len());
        self.blocks.len().saturating_sub(1) * BLOCK + last
    }

    /// Adds a document without a window.
    fn push(&mut self) {
        let is_full = self.blocks.last().is_none_or(|block| block.inverse_lengths.len() == BLOCK);
        if is_full {
            self.blocks.push(Arc::default());
        }
        let dimensions = self.dimensions;
        if let Some(block) = self.blocks.last_mut().map(Arc::make_mut) {
            block.steps.resize(block.steps.len() + dimensions, 0);
            block.inverse_lengths.push(0.0);
        }
    }

    /// Reads what was added since the last read.
    pub(in super::super) fn refresh(
        &mut self,
        connection: &Connection,
        attributes: &Attributes,
        at: &VectorsAt,
    ) -> Result<(), StoreError> {
        let VectorsAt { reach, model, reached, round, of } = at;
        if !self.leads_to(at) {
            *self = Self {
                model: Some(model.number),
                dimensions: model.model.dimensions,
                round: *round,
                ..Self::default()
            };
        }
        self.seen = *reach;
        let known = self.len();
        let documents =
            attributes.rest.partition_point(|attribute| attribute.position <= *reached) as usize;
        self.reached = *reached;
        if documents <= known {
            return Ok(());
        }
        if *of == VectorsOf::Facts {
            // Vectors of facts are few rows among those of records.
            return self.look_up(connection, attributes, model.number, known..documents);
        }
        let first = attributes
            .get(known as u32)
            .map_or(0, |attribute| attribute.position.0.saturating_sub(1));
        let mut statement = connection.prepare_cached(
            "SELECT key, data FROM embedding WHERE key > ?1 AND key <= ?2 ORDER BY key",
        )?;
        let keys = [model.number.key(Position(first)), model.number.key(*reached)];
        let mut rows = statement.query(keys)?;
        // Among many facts, records are looked up instead.
        let are_rare =
            (documents - known) as u64 * ROWS_PER_LOOK_UP < reached.0.saturating_sub(first);
        let mut row = if are_rare { None } else { rows.next()? };
        let mut own = Own {
            connection,
            attributes,
            number: model.number,
            dimensions: self.dimensions,
            known: HashMap::new(),
        };
        let mut unmade = BTreeSet::new();
        // The passages of a record have the record's vector.
        let mut of_record: Option<(Position, Option<Rc<[f32]>>)> = None;
        for document in known..documents {
            let Some(attribute) = attributes.get(document as u32) else { break };
            let same = of_record.take().filter(|(position, _)| *position == attribute.position);
            let is_known = same.is_some();
            let mut vector = same.and_then(|(_, vector)| vector);
            if are_rare && !is_known {
                let data = stored(connection, model.number, attribute.position)?;
                vector = data.and_then(|data| normalized(&data, self.dimensions));
            }
            while !is_known && let Some(found) = row {
                let position = ModelNumber::position(found.get(0)?);
                if position == attribute.position {
                    vector = normalized(
                        found.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?,
                        self.dimensions,
                    );
                }
                if position > attribute.position {
                    break;
                }
                row = rows.next()?;
            }
            let document = document as u32;
            of_record = Some((attribute.position, vector.clone()));
            own.remember(document, vector);
            self.push();
            unmade.extend(
                [document, own.before(document), own.before(own.before(document))]
                    .iter()
                    .filter(|at| **at != NONE),
            );
            while let Some(first) =
                unmade.first().copied().filter(|first| *first < document.saturating_sub(AHEAD))
            {
                unmade.remove(&first);
                self.make(first, &mut own)?;
            }
        }
        unmade.into_iter().try_for_each(|document| self.make(document, &mut own))
    }

    /// Reads the vectors of documents without neighbours, one by one.
    fn look_up(
        &mut self,
        connection: &Connection,
        attributes: &Attributes,
        number: ModelNumber,
        documents: Range<usize>,
    ) -> Result<(), StoreError> {
        let mut statement =
            connection.prepare_cached("SELECT data FROM embedding WHERE key = ?1")?;
        for document in documents {
            let Some(attribute) = attributes.get(document as u32) else { break };
            self.push();
            let mut rows = statement.query([number.key(attribute.position)])?;
            let Some(row) = rows.next()? else { continue };
            let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            let Some((stored, inverse_length)) = read_vector(data, self.dimensions) else {
                continue;
            };
            let (block, place) = (document / BLOCK, document % BLOCK);
            let Some(block) = self.blocks.get_mut(block).map(Arc::make_mut) else { continue };
            let steps = block.steps.chunks_exact_mut(self.dimensions).nth(place);
            if let (Some(steps), Some(length)) = (steps, block.inverse_lengths.get_mut(place)) {
                steps
                    .iter_mut()
                    .zip(stored)
                    .for_each(|(step, stored)| *step = stored.cast_signed());
                *length = inverse_length;
            }
        }
        Ok(())
    }

    /// Computes the window of a document from what was read; a document without a vector has none.
    fn make(&mut self, document: u32, own: &mut Own<'_>) -> Result<(), StoreError> {
        let Some(vector) = own.of(document)? else { return Ok(()) };
        let read = self.len();
        let following =
            |document| own.next(document).filter(|next| (*next as usize) < read).unwrap_or(NONE);
        let (previous, next) = (own.before(document), following(document));
        let around = [previous, own.before(previous), next, following(next)];
        let nothing: Rc<[f32]> = Rc::from(vec![0.0; self.dimensions]);
        let mut vectors = [const { None }; 4];
        for (vector, document) in vectors.iter_mut().zip(around) {
            *vector = own.of(document)?;
        }
        let [previous, before_previous, next, after_next] =
            vectors.map(|vector| vector.unwrap_or_else(|| nothing.clone()));
        let mut window = vector.to_vec();
        widen(&mut window, &previous, &before_previous);
        widen(&mut window, &next, &after_next);
        let (block, place) = (document as usize / BLOCK, document as usize % BLOCK);
        if let Some(block) = self.blocks.get_mut(block).map(Arc::make_mut) {
            let steps = block.steps.chunks_exact_mut(self.dimensions).nth(place);
            if let (Some(steps), Some(length)) = (steps, block.inverse_lengths.get_mut(place)) {
                *length = compress(&window, steps);
            }
        }
        Ok(())
    }
}

/// Own vectors of documents, of length 1.
struct Own<'a> {
    connection: &'a Connection,
    attributes: &'a Attributes,
    number: ModelNumber,
    dimensions: usize,
    known: HashMap<u32, Option<Rc<[f32]>>>,
}

impl Own<'_> {
    /// The document before one in its conversation.
    fn before(&self, document: u32) -> u32 {
        self.turn(document).map_or(NONE, |attribute| attribute.previous)
    }

    /// The document after one in its conversation.
    fn next(&self, document: u32) -> Option<u32> {
        self.turn(document).and_then(|_| self.attributes.next(document))
    }

    /// A document of a conversation.
    fn turn(&self, document: u32) -> Option<&Attribute> {
        let attribute = self.attributes.get(document)?;
        (attribute.marks & attributes::TURN != 0).then_some(attribute)
    }

    fn remember(&mut self, document: u32, vector: Option<Rc<[f32]>>) {
        if self.known.len() >= REMEMBERED_MAX {
            self.known.clear();
        }
        self.known.insert(document, vector);
    }

    fn of(&mut self, document: u32) -> Result<Option<Rc<[f32]>>, StoreError> {
        if let Some(known) = self.known.get(&document) {
            return Ok(known.clone());
        }
        let Some(attribute) = self.attributes.get(document) else { return Ok(None) };
        let data = stored(self.connection, self.number, attribute.position)?;
        let vector = data.and_then(|data| normalized(&data, self.dimensions));
        self.remember(document, vector.clone());
        Ok(vector)
    }
}

fn normalized(data: &[u8], dimensions: usize) -> Option<Rc<[f32]>> {
    let (steps, inverse_length) = read_vector(data, dimensions)?;
    Some(steps.iter().map(|step| f32::from(step.cast_signed()) * inverse_length).collect())
}

fn stored(
    connection: &Connection,
    number: ModelNumber,
    position: Position,
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT data FROM embedding WHERE key = ?1")?;
    Ok(statement.query_row(params![number.key(position)], |row| row.get(0)).optional()?)
}

impl QueryScores<'_> {
    /// The cosines of the windows of documents, from `first` on.
    pub(super) fn windows(&self, first: u32) -> &[f32] {
        self.windows.get(first as usize..).unwrap_or_default()
    }

    /// Whether a document has a vector.
    pub(super) fn knows(&self, document: u32) -> bool {
        self.known.get(document as usize).copied().unwrap_or(false)
    }

    /// Whether every document from `first` on, at most `count` of them, has a vector.
    pub(super) fn knows_all(&self, first: u32, count: usize) -> bool {
        let known = self.known.get(first as usize..).unwrap_or_default();
        known.iter().take(count).all(|known| *known)
    }

    /// The cosine of one document's window.
    pub(super) fn window(&self, document: u32) -> f64 {
        self.windows.get(document as usize).copied().map_or(0.0, f64::from)
    }

    /// The cosine of the document alone, without its neighbours; 0 if it has no vector.
    pub(super) fn own(&self, document: u32) -> Result<f64, StoreError> {
        let Some(attribute) = self.attributes.get(document) else { return Ok(0.0) };
        let Some(data) = stored(self.connection, self.number, attribute.position)? else {
            return Ok(0.0);
        };
        let Some((steps, inverse_length)) = read_vector(&data, self.direction.dimensions()) else {
            return Ok(0.0);
        };
        let steps: Vec<i8> = steps.iter().map(|step| step.cast_signed()).collect();
        Ok(self.scale.normalise(self.direction.cosine(&steps, inverse_length)))
    }
}
