//! What documents mean: their windows' directions, to scan, and their tokens, to look closer.
//!
//! A direction takes [`WIDTH`] bytes, [`VECTOR_CHUNK`] documents a row, and is kept in memory by a process that asks. Tokens lie in
//! rows of [`TOKEN_CHUNK`] documents and are read for the best candidates alone. Both are only ever appended to, and
//! follow from the text of a record and the two before it in its session by the built-in table, so they are part of the index and of its
//! digest like the postings.

use std::collections::{BTreeMap, HashMap};

use kernel::rank::meaning::{Direction, compress, widen};
use models::table::{DIMENSIONS, Sum, Table};
use rusqlite::{Connection, OptionalExtension, params};

use super::Reach;
use super::shelf::Shelf;
use crate::StoreError;

/// Documents of a row of directions.
const VECTOR_CHUNK: u32 = 64;
/// Bytes of a direction: a byte a dimension and 1 ÷ its length.
const WIDTH: usize = DIMENSIONS + LENGTH_BYTES;
const LENGTH_BYTES: usize = 4;
/// Documents of a row of tokens: a document and its neighbours are mostly read at once.
const TOKEN_CHUNK: u32 = 16;
/// Most tokens of a document that are kept: what a long record says later counts in its direction alone.
const TOKENS_MAX: usize = 1_024;
/// Longest part of a text that counts, bytes.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// What a document says, for whoever follows it in its session.
#[derive(Clone)]
pub(super) struct Meant {
    pub(super) tokens: Vec<u16>,
    pub(super) vector: Box<Sum>,
}

impl Default for Meant {
    fn default() -> Self {
        Self { tokens: Vec::new(), vector: Box::new([0.0; DIMENSIONS]) }
    }
}

impl Meant {
    /// Of a text in parts.
    pub(super) fn of<'a>(parts: impl Iterator<Item = &'a str>) -> Self {
        let table = Table::built_in();
        let mut meant = Self::default();
        for part in parts {
            table.tokens(cut(part), &mut meant.tokens);
        }
        table.add(meant.tokens.iter().copied(), &mut meant.vector);
        meant.tokens.truncate(TOKENS_MAX);
        meant
    }
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or_default()
}

/// Directions and tokens of new documents, before they are written.
#[derive(Default)]
pub(super) struct NewMeanings {
    vectors: BTreeMap<u32, Vec<u8>>,
    tokens: BTreeMap<u32, Vec<u8>>,
}

impl NewMeanings {
    /// Adds the next document, whose window the vectors of the two before it in its session widen.
    pub(super) fn push(
        &mut self,
        connection: &Connection,
        shelf: &Shelf,
        document: u32,
        own: &Meant,
        previous: &Sum,
        before_previous: &Sum,
    ) -> Result<(), StoreError> {
        let mut window = *own.vector;
        widen(&mut window, previous, before_previous);
        let mut steps = [0; DIMENSIONS];
        let inverse_length = compress(&window, &mut steps);
        let row = row(&mut self.vectors, connection, shelf.vector, document / VECTOR_CHUNK)?;
        row.extend(steps.map(i8::cast_unsigned));
        row.extend(inverse_length.to_le_bytes());
        let row = self::row(&mut self.tokens, connection, shelf.tokens, document / TOKEN_CHUNK)?;
        row.extend((own.tokens.len() as u16).to_le_bytes());
        row.extend(own.tokens.iter().flat_map(|token| token.to_le_bytes()));
        Ok(())
    }

    pub(super) fn write(self, connection: &Connection, shelf: &Shelf) -> Result<(), StoreError> {
        for (put, rows) in [(shelf.put_vector, self.vectors), (shelf.put_tokens, self.tokens)] {
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
            let stored = connection.prepare_cached(query)?.query_row([chunk], |row| row.get(0)).optional()?;
            entry.insert(stored.unwrap_or_default())
        }
    })
}

/// All documents' directions.
#[derive(Debug, Default)]
pub(in super::super) struct Windows {
    seen: Reach,
    steps: Vec<i8>,
    inverse_lengths: Vec<f32>,
}

impl Windows {
    /// Reads what was added since the last time, of `documents` in all.
    pub(in super::super) fn refresh(
        &mut self,
        connection: &Connection,
        shelf: &Shelf,
        reach: Reach,
        documents: u32,
    ) -> Result<(), StoreError> {
        if !self.seen.leads_to(&reach) {
            *self = Self::default();
        }
        let known = self.inverse_lengths.len();
        if documents as usize == known {
            self.seen = reach;
            return Ok(());
        }
        let damaged = || StoreError::Damaged { detail: "a chunk of vectors is missing".to_owned() };
        let more = (documents as usize).saturating_sub(known);
        self.steps.reserve(more * DIMENSIONS);
        self.inverse_lengths.reserve(more);
        let mut statement = connection.prepare_cached(shelf.vectors_from)?;
        let mut rows = statement.query([known as u32 / VECTOR_CHUNK])?;
        while let Some(row) = rows.next()? {
            let first = row.get::<_, u32>(0)? as usize * VECTOR_CHUNK as usize;
            let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            let skipped = self.inverse_lengths.len().checked_sub(first).ok_or_else(damaged)?;
            for vector in data.as_chunks::<WIDTH>().0.iter().skip(skipped) {
                let Some((steps, length)) = vector.split_last_chunk::<LENGTH_BYTES>() else { continue };
                self.steps.extend(steps.iter().map(|step| step.cast_signed()));
                let length = f32::from_le_bytes(*length);
                // Only a damaged row holds another number than those that `compress` gives.
                self.inverse_lengths.push(if (0.0..=1.0).contains(&length) { length } else { 0.0 });
            }
        }
        if self.inverse_lengths.len() != documents as usize {
            return Err(damaged());
        }
        self.seen = reach;
        Ok(())
    }

    /// The cosines of `count` documents from `first` on.
    pub(super) fn cosines(&self, question: &Direction, first: u32, cosines: &mut [f32]) {
        let first = first as usize;
        let steps = self.steps.get(first * DIMENSIONS..).unwrap_or_default();
        let lengths = self.inverse_lengths.get(first..).unwrap_or_default();
        question.cosines(steps, lengths, cosines);
    }

    /// The cosine of one document.
    pub(super) fn cosine(&self, question: &Direction, document: u32) -> f32 {
        let mut cosine = [0.0];
        self.cosines(question, document, &mut cosine);
        cosine[0]
    }
}

/// Tokens of documents, each row read once.
pub(super) struct Tokens<'a> {
    connection: &'a Connection,
    shelf: &'static Shelf,
    rows: HashMap<u32, Vec<u8>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(connection: &'a Connection, shelf: &'static Shelf) -> Self {
        Self { connection, shelf, rows: HashMap::new() }
    }

    /// The tokens of a document.
    pub(super) fn of(&mut self, document: u32) -> Result<impl Iterator<Item = u16> + use<'_>, StoreError> {
        use std::collections::hash_map::Entry;
        let row = match self.rows.entry(document / TOKEN_CHUNK) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let mut statement = self.connection.prepare_cached(self.shelf.tokens)?;
                let row = statement.query_row([entry.key()], |row| row.get(0)).optional()?;
                entry.insert(row.unwrap_or_default())
            }
        };
        let tokens = of_document(row, document % TOKEN_CHUNK);
        Ok(tokens.as_chunks().0.iter().map(|token| u16::from_le_bytes(*token)))
    }
}

/// The tokens of a document of a row, two bytes each. Each document's begin with their number.
fn of_document(mut row: &[u8], number: u32) -> &[u8] {
    let mut document = 0;
    while let Some((count, rest)) = row.split_first_chunk() {
        let (tokens, rest) = rest.split_at(rest.len().min(2 * usize::from(u16::from_le_bytes(*count))));
        if document == number {
            return tokens;
        }
        document += 1;
        row = rest;
    }
    &[]
}
