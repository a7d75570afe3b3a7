//! Vectors of documents: directions of their windows, to scan, and their tokens, to score the best
//! candidates.
//!
//! A direction takes [`WIDTH`] bytes. [`VECTOR_CHUNK`] of them are a row, and a process that
//! searches keeps them in memory. Tokens are in rows of [`TOKEN_CHUNK`] documents, which are read
//! for the best candidates only. Both are append-only. They follow, by the built-in table, from the
//! text of a record and of the two before it in its session, so they are part of the index and of
//! its digest like the postings.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use models::table::{DIMENSIONS, Sum, Table};
use retrieval::rank::meaning::{Direction, compress, widen};
use retrieval::rank::sketch::{QuestionSketch, Sketch, sketch_of};
use retrieval::text::{Language, cut};
use rusqlite::{Connection, OptionalExtension, params};

use super::Reach;
use super::column::Column;
use super::postings::BLOCK;
use super::shared::Version;
use super::tables::{IndexTables, THOUGHTS};
use crate::StoreError;

/// Documents in a row of directions.
const VECTOR_CHUNK: u32 = 64;
/// Bytes of a direction: one per dimension, and 1 ÷ its length.
const WIDTH: usize = DIMENSIONS + LENGTH_BYTES;
const LENGTH_BYTES: usize = 4;
/// Documents in a row of tokens; a document and its neighbours are mostly read together.
const TOKEN_CHUNK: u32 = 16;
/// Limit of tokens that are kept for a document; the end of a long record counts in its direction
/// only.
const TOKENS_MAX: usize = 1_024;
/// Limit of the part of a text that counts, bytes.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// The vector of a document, for those that follow it in its session.
#[derive(Clone)]
pub(super) struct DocumentVector {
    pub(super) tokens: Vec<u16>,
    pub(super) vector: Box<Sum>,
}

impl Default for DocumentVector {
    fn default() -> Self {
        Self { tokens: Vec::new(), vector: Box::new([0.0; DIMENSIONS]) }
    }
}

impl DocumentVector {
    /// Of a text in parts, in a language: zero unless that is English, which the table knows.
    pub(super) fn of<'a>(language: Language, parts: impl Iterator<Item = &'a str>) -> Self {
        let table = Table::built_in();
        let mut meant = Self::default();
        if language != Language::English {
            return meant;
        }
        for part in parts {
            table.tokens(cut(part, TEXT_BYTES_MAX), &mut meant.tokens);
        }
        table.add(meant.tokens.iter().copied(), &mut meant.vector);
        meant.tokens.truncate(TOKENS_MAX);
        meant
    }
}

/// Directions and tokens of new documents that are not yet written.
#[derive(Default)]
pub(super) struct NewMeanings {
    vectors: BTreeMap<u32, Vec<u8>>,
    tokens: BTreeMap<u32, Vec<u8>>,
}

impl NewMeanings {
    /// Adds the next document. The vectors of the two before it in its session are part of its
    /// window.
    pub(super) fn push(
        &mut self,
        connection: &Connection,
        tables: &IndexTables,
        document: u32,
        own: &DocumentVector,
        previous: &Sum,
        before_previous: &Sum,
    ) -> Result<(), StoreError> {
        let mut window = *own.vector;
        widen(&mut window, previous, before_previous);
        let mut steps = [0; DIMENSIONS];
        let inverse_length = compress(&window, &mut steps);
        let row = row(&mut self.vectors, connection, tables.vector, document / VECTOR_CHUNK)?;
        row.extend(steps.map(i8::cast_unsigned));
        row.extend(inverse_length.to_le_bytes());
        let row = self::row(&mut self.tokens, connection, tables.tokens, document / TOKEN_CHUNK)?;
        row.extend((own.tokens.len() as u16).to_le_bytes());
        row.extend(own.tokens.iter().flat_map(|token| token.to_le_bytes()));
        Ok(())
    }

    pub(super) fn write(
        self,
        connection: &Connection,
        tables: &IndexTables,
    ) -> Result<(), StoreError> {
        for (put, rows) in [(tables.put_vector, self.vectors), (tables.put_tokens, self.tokens)] {
            let mut write = connection.prepare_cached(put)?;
            for (chunk, data) in rows {
                write.execute(params![chunk, data])?;
            }
        }
        Ok(())
    }
}

/// The row of a chunk, as far as it is filled.
fn row<'a>(
    rows: &'a mut BTreeMap<u32, Vec<u8>>,
    connection: &Connection,
    query: &str,
    chunk: u32,
) -> Result<&'a mut Vec<u8>, StoreError> {
    use std::collections::btree_map::Entry;
    Ok(match rows.entry(chunk) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => {
            let stored = connection
                .prepare_cached(query)?
                .query_row([chunk], |row| row.get(0))
                .optional()?;
            entry.insert(stored.unwrap_or_default())
        }
    })
}

/// The directions of all documents.
///
/// The first query reads the directions in passing, so a process that makes one query keeps none.
/// From the second query on they are kept.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Windows {
    seen: Reach,
    documents: u32,
    is_asked: bool,
    steps: Column<[i8; DIMENSIONS]>,
    inverse_lengths: Column<f32>,
    /// Sketches of the directions, in the index of thoughts only.
    sketches: Column<Sketch>,
}

impl Windows {
    /// Whether there is a sketch of every document.
    pub(super) fn have_sketches(&self) -> bool {
        self.documents > 0 && self.sketches.len() == self.documents
    }

    /// The estimated cosines of a block's documents.
    pub(super) fn estimates(&self, question: &QuestionSketch, block: u32, cosines: &mut [f32]) {
        question.cosines(self.sketches.block(block), cosines);
    }

    /// Prepares for a query over `documents` documents: reads what was added since the last query.
    pub(in super::super) fn refresh(
        &mut self,
        connection: &Connection,
        tables: &IndexTables,
        reach: Reach,
        documents: u32,
    ) -> Result<(), StoreError> {
        if !self.seen.leads_to(&reach) {
            *self = Self::default();
        }
        self.documents = documents;
        if std::mem::replace(&mut self.is_asked, true) {
            let known = self.inverse_lengths.len();
            each_row(connection, tables, known..documents, |row| {
                for (steps, inverse_length) in row.iter().map(read) {
                    if std::ptr::eq(tables, &THOUGHTS) {
                        self.sketches.push(sketch_of(&steps));
                    }
                    self.steps.push(steps);
                    self.inverse_lengths.push(inverse_length);
                }
            })?;
        }
        self.seen = reach;
        Ok(())
    }

    /// The cosines of a block's documents, up to the last document.
    pub(super) fn cosines(
        &self,
        connection: &Connection,
        tables: &IndexTables,
        question: &Direction,
        block: u32,
        cosines: &mut [f32],
    ) -> Result<(), StoreError> {
        let first = block.saturating_mul(BLOCK);
        if self.inverse_lengths.len() > first {
            question.cosines(
                self.steps.block(block).as_flattened(),
                self.inverse_lengths.block(block),
                cosines,
            );
            return Ok(());
        }
        let mut rest = cosines;
        let mut steps = [[0; DIMENSIONS]; VECTOR_CHUNK as usize];
        let mut inverse_lengths = [0.0; VECTOR_CHUNK as usize];
        each_row(
            connection,
            tables,
            first..self.documents.min(first.saturating_add(BLOCK)),
            |row| {
                for ((vector, steps), inverse_length) in
                    row.iter().zip(&mut steps).zip(&mut inverse_lengths)
                {
                    (*steps, *inverse_length) = read(vector);
                }
                let (these, others) = std::mem::take(&mut rest).split_at_mut(row.len());
                question.cosines(steps.as_flattened(), &inverse_lengths, these);
                rest = others;
            },
        )
    }

    /// The cosine of one document.
    pub(super) fn cosine(
        &self,
        connection: &Connection,
        tables: &IndexTables,
        question: &Direction,
        document: u32,
    ) -> Result<f32, StoreError> {
        let kept = self.steps.get(document).zip(self.inverse_lengths.get(document));
        if let Some((steps, inverse_length)) = kept {
            return Ok(question.cosine(steps, *inverse_length));
        }
        let mut cosine = 0.0;
        each_row(
            connection,
            tables,
            document..self.documents.min(document.saturating_add(1)),
            |row| {
                cosine = row
                    .first()
                    .map(read)
                    .map_or(0.0, |(steps, inverse_length)| question.cosine(&steps, inverse_length));
            },
        )?;
        Ok(cosine)
    }

    /// The cosines of some documents whose directions are kept; 0 of another.
    pub(super) fn cosines_of(
        &self,
        question: &Direction,
        documents: impl Iterator<Item = u32>,
    ) -> Vec<f32> {
        // They are far from each other in memory, which is read faster while nothing is computed.
        let kept = documents.map(|document| {
            let steps = self.steps.get(document).copied().unwrap_or([0; DIMENSIONS]);
            (steps, self.inverse_lengths.get(document).copied().unwrap_or(0.0))
        });
        let (steps, inverse_lengths): (Vec<_>, Vec<_>) = kept.unzip();
        let mut cosines = vec![0.0; inverse_lengths.len()];
        question.cosines(steps.as_flattened(), &inverse_lengths, &mut cosines);
        cosines
    }
}

impl Version for Windows {
    type At = (Reach, u32);

    fn leads_to(&self, (reach, _): &Self::At) -> bool {
        self.seen.leads_to(reach)
    }

    fn is_at(&self, (reach, documents): &Self::At) -> bool {
        self.is_asked && self.seen == *reach && self.inverse_lengths.len() == *documents
    }

    fn is_after(&self, (reach, _): &Self::At) -> bool {
        reach.leads_to(&self.seen)
    }
}

/// A stored direction.
type Vector = [u8; WIDTH];

/// Its steps, and 1 ÷ its length.
fn read(vector: &Vector) -> ([i8; DIMENSIONS], f32) {
    let mut steps = [0; DIMENSIONS];
    steps.iter_mut().zip(vector).for_each(|(step, byte)| *step = byte.cast_signed());
    let inverse_length =
        vector.last_chunk::<LENGTH_BYTES>().map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
    // Only in a damaged row does this number differ from those that `compress` makes.
    (steps, if (0.0..=1.0).contains(&inverse_length) { inverse_length } else { 0.0 })
}

/// Passes on the directions of documents in order, a part of a row at a time.
fn each_row(
    connection: &Connection,
    tables: &IndexTables,
    documents: Range<u32>,
    mut take: impl FnMut(&[Vector]),
) -> Result<(), StoreError> {
    let damaged = || StoreError::Damaged { detail: "a chunk of vectors is missing".to_owned() };
    let Range { start: mut next, end } = documents;
    if next >= end {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(tables.vectors_from)?;
    let mut rows = statement.query([next / VECTOR_CHUNK])?;
    while next < end {
        let row = rows.next()?.ok_or_else(damaged)?;
        let first = row.get::<_, u32>(0)?.saturating_mul(VECTOR_CHUNK);
        let (vectors, _) =
            row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?.as_chunks::<WIDTH>();
        let vectors = vectors.get(..vectors.len().min(VECTOR_CHUNK as usize)).unwrap_or_default();
        let skipped = next.checked_sub(first).ok_or_else(damaged)? as usize;
        let wanted = vectors.len().min(end.saturating_sub(first) as usize);
        let vectors = vectors
            .get(skipped..wanted)
            .filter(|vectors| !vectors.is_empty())
            .ok_or_else(damaged)?;
        take(vectors);
        next += vectors.len() as u32;
    }
    Ok(())
}

/// Tokens of documents; each row is read once.
pub(super) struct Tokens<'a> {
    connection: &'a Connection,
    tables: &'static IndexTables,
    rows: HashMap<u32, Vec<u8>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(connection: &'a Connection, tables: &'static IndexTables) -> Self {
        Self { connection, tables, rows: HashMap::new() }
    }

    /// The tokens of a document.
    pub(super) fn of(
        &mut self,
        document: u32,
    ) -> Result<impl Iterator<Item = u16> + use<'_>, StoreError> {
        use std::collections::hash_map::Entry;
        let row = match self.rows.entry(document / TOKEN_CHUNK) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let mut statement = self.connection.prepare_cached(self.tables.tokens)?;
                let row = statement.query_row([entry.key()], |row| row.get(0)).optional()?;
                entry.insert(row.unwrap_or_default())
            }
        };
        let tokens = of_document(row, document % TOKEN_CHUNK);
        Ok(tokens.as_chunks().0.iter().map(|token| u16::from_le_bytes(*token)))
    }
}

/// The tokens of a document in a row, two bytes each. A document's tokens are preceded by their
/// number.
fn of_document(mut row: &[u8], number: u32) -> &[u8] {
    let mut document = 0;
    while let Some((count, rest)) = row.split_first_chunk() {
        let (tokens, rest) =
            rest.split_at(rest.len().min(2 * usize::from(u16::from_le_bytes(*count))));
        if document == number {
            return tokens;
        }
        document += 1;
        row = rest;
    }
    &[]
}
