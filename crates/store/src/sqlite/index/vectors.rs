//! The vectors of one model in memory, and a question asked of them.
//!
//! What is scanned are windows: a record's own direction, half of the one before it in its session
//! and of the one after it, a quarter of the ones beyond. Unlike the built-in table's they look
//! ahead, too, since they are stored nowhere: they are made from the stored vectors when these are
//! read, and again when records of their session follow. What was added since is read the next
//! time. Own directions are read from the file for the best candidates alone, so a record takes a
//! byte a dimension.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use retrieval::rank::meaning::{Direction, Scale, compress, widen};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::embedding::{EmbeddingModel, ModelNumber, QuestionVector, model, read_vector};
use super::Reach;
use super::attributes::{Attributes, NONE};
use crate::{Position, StoreError};

/// Own vectors that are remembered while windows are made: the records before one in its session
/// are mostly near.
const REMEMBERED_MAX: usize = 4_096;
/// How many documents are read before a window is made, since those that follow in its session are
/// mostly among them. Where one comes later, the window is made again.
const AHEAD: u32 = 64;

/// The windows of the model that was asked last.
#[derive(Debug, Default)]
pub(in super::super) struct Vectors {
    model: Option<ModelNumber>,
    dimensions: usize,
    seen: Reach,
    /// Up to where the model had read.
    reached: Position,
    steps: Vec<i8>,
    inverse_lengths: Vec<f32>,
}

/// A question asked of a model's vectors.
pub(in super::super) struct Asked<'a> {
    connection: &'a Connection,
    attributes: &'a Attributes,
    number: ModelNumber,
    direction: Direction,
    scale: Scale,
    /// Of every document, on the scale; 0 without a vector.
    windows: Vec<f32>,
}

impl Vectors {
    /// Asks a question of all documents. None where the model has no vectors, or the question none
    /// of its length.
    pub(in super::super) fn ask<'a>(
        &mut self,
        connection: &'a Connection,
        reach: Reach,
        attributes: &'a Attributes,
        question: &QuestionVector,
    ) -> Result<Option<Asked<'a>>, StoreError> {
        let Some(model) = model(connection, question.model)? else { return Ok(None) };
        let direction = Direction::of(&question.numbers)
            .filter(|question| question.dimensions() == model.model.dimensions);
        let Some(direction) = direction else { return Ok(None) };
        if let Err(error) = self.refresh(connection, reach, attributes, &model) {
            *self = Self::default();
            return Err(error);
        }
        let mut cosines = vec![0.0; self.inverse_lengths.len()];
        direction.cosines(&self.steps, &self.inverse_lengths, &mut cosines);
        let has_vector =
            |number: &usize| self.inverse_lengths.get(*number).is_some_and(|length| *length > 0.0);
        let known = cosines
            .iter()
            .enumerate()
            .filter(|(number, _)| has_vector(number))
            .map(|(_, cosine)| *cosine);
        if known.clone().next().is_none() {
            return Ok(None);
        }
        let scale = Scale::of(known);
        for (number, cosine) in cosines.iter_mut().enumerate() {
            *cosine = if has_vector(&number) { scale.normalise(*cosine) as f32 } else { 0.0 };
        }
        cosines.resize(attributes.len() as usize, 0.0);
        Ok(Some(Asked {
            connection,
            attributes,
            number: model.number,
            direction,
            scale,
            windows: cosines,
        }))
    }

    /// Reads what was added since the last time.
    fn refresh(
        &mut self,
        connection: &Connection,
        reach: Reach,
        attributes: &Attributes,
        model: &EmbeddingModel,
    ) -> Result<(), StoreError> {
        let is_same = self.model == Some(model.number) && self.dimensions == model.model.dimensions;
        if !is_same || !self.seen.leads_to(&reach) || model.reached < self.reached {
            *self = Self {
                model: Some(model.number),
                dimensions: model.model.dimensions,
                ..Self::default()
            };
        }
        self.seen = reach;
        let known = self.inverse_lengths.len();
        let documents =
            attributes.rest.partition_point(|attribute| attribute.position <= model.reached)
                as usize;
        self.reached = model.reached;
        let Some(more) = documents.checked_sub(known).filter(|more| *more > 0) else {
            return Ok(());
        };
        let bytes = more.saturating_mul(self.dimensions);
        self.steps
            .try_reserve(bytes)
            .map_err(|_| StoreError::Damaged { detail: "too many vectors".to_owned() })?;
        self.inverse_lengths.reserve(more);
        let first = attributes
            .get(known as u32)
            .map_or(0, |attribute| attribute.position.0.saturating_sub(1));
        let mut statement = connection.prepare_cached(
            "SELECT key, data FROM embedding WHERE key > ?1 AND key <= ?2 ORDER BY key",
        )?;
        let keys = [model.number.key(Position(first)), model.number.key(model.reached)];
        let mut rows = statement.query(keys)?;
        let mut row = rows.next()?;
        let mut own = Own {
            connection,
            attributes,
            number: model.number,
            dimensions: self.dimensions,
            known: HashMap::new(),
        };
        let mut unmade = BTreeSet::new();
        for document in known..documents {
            let Some(attribute) = attributes.get(document as u32) else { break };
            let mut vector = None;
            while let Some(found) = row {
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
            own.remember(document, vector);
            self.steps.resize(self.steps.len() + self.dimensions, 0);
            self.inverse_lengths.push(0.0);
            unmade.extend(
                [document, attribute.previous, own.before(attribute.previous)]
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

    /// Makes the window of a document from what was read; one without a vector has none.
    fn make(&mut self, document: u32, own: &mut Own<'_>) -> Result<(), StoreError> {
        let Some(vector) = own.of(document)? else { return Ok(()) };
        let read = self.inverse_lengths.len();
        let following = |document| {
            own.attributes.next(document).filter(|next| (*next as usize) < read).unwrap_or(NONE)
        };
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
        let first = (document as usize).saturating_mul(self.dimensions);
        let steps = self.steps.get_mut(first..first.saturating_add(self.dimensions));
        let length = self.inverse_lengths.get_mut(document as usize);
        if let (Some(steps), Some(length)) = (steps, length) {
            *length = compress(&window, steps);
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
    /// The document before one in its session.
    fn before(&self, document: u32) -> u32 {
        self.attributes.get(document).map_or(NONE, |attribute| attribute.previous)
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

impl Asked<'_> {
    /// The cosines of documents' windows, from `first` on.
    pub(super) fn windows(&self, first: u32) -> &[f32] {
        self.windows.get(first as usize..).unwrap_or_default()
    }

    /// The cosine of one document's window.
    pub(super) fn window(&self, document: u32) -> f64 {
        self.windows.get(document as usize).copied().map_or(0.0, f64::from)
    }

    /// The cosine of a document itself, without those before it; 0 if it has no vector.
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
