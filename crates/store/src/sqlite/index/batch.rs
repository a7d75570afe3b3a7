//! The additions of one fold, and how they are written.
//!
//! Postings are collected flat and sorted once, so a fold reads and writes each row once, whatever
//! the order of its documents. Everything is written in key order, because neighbouring rows are on
//! neighbouring pages.

use std::collections::BTreeMap;

use retrieval::rank::lexical::TermCounts;
use rusqlite::{Connection, OptionalExtension, params};

use super::attributes::{self, Attribute, CHUNK, NONE, StoredAttribute};
use super::lengths;
use super::meaning::NewMeanings;
use super::postings::{self, BLOCK, Block};
use super::tables::IndexTables;
use crate::{Position, StoreError};

/// The records of one key in one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Thread {
    pub(super) session: u32,
    /// The key's number in the ledger's table of authors.
    pub(super) author: u32,
}

/// The additions of one fold that are not yet written.
pub(super) struct Batch {
    tables: &'static IndexTables,
    pub(super) documents: u32,
    /// The first document that is added.
    pub(super) first: u32,
    pub(super) session_count: u32,
    pub(super) term_count: u32,
    /// Term number, document (counted from the start of the first block) and packed counts of each
    /// posting, packed into one number in this order.
    pub(super) postings: Vec<u64>,
    /// Term and session in one number (see [`postings::session_posting`]), and the count.
    pub(super) session_postings: Vec<(u64, u32)>,
    /// The added length of each session.
    pub(super) session_lengths: BTreeMap<u32, u32>,
    /// The last document of each thread.
    pub(super) thread_ends: BTreeMap<Thread, u32>,
    pub(super) chunks: BTreeMap<u32, (Position, Vec<u8>)>,
    pub(super) meanings: NewMeanings,
    /// Position of the last record that was added.
    pub(super) reached: Position,
}

impl Batch {
    pub(super) fn begin(
        connection: &Connection,
        tables: &'static IndexTables,
    ) -> Result<Self, StoreError> {
        let count = |query: &str| -> Result<u32, StoreError> {
            let last: Option<u32> = connection.query_row(query, [], |row| row.get(0))?;
            let next = last.map_or(Some(0), |last| last.checked_add(1));
            next.ok_or_else(|| StoreError::Damaged {
                detail: "a table of the index has run out of numbers".to_owned(),
            })
        };
        let documents = document_count(connection, tables)?;
        Ok(Self {
            tables,
            documents,
            first: documents,
            session_count: count(tables.session_count)?,
            term_count: count(tables.term_count)?,
            postings: Vec::new(),
            session_postings: Vec::new(),
            session_lengths: BTreeMap::new(),
            thread_ends: BTreeMap::new(),
            chunks: BTreeMap::new(),
            meanings: NewMeanings::default(),
            reached: Position(0),
        })
    }

    /// A posting of `term` in `document`, as in [`Self::postings`].
    pub(super) fn push_posting(&mut self, term: u32, document: u32, counts: TermCounts) {
        let place = document - self.first / BLOCK * BLOCK;
        let packed = u64::from(place) << 8 | u64::from(postings::pack(counts));
        self.postings.push(u64::from(term) << 32 | packed);
    }

    pub(super) fn term_number(
        &mut self,
        connection: &Connection,
        word: &str,
    ) -> Result<u32, StoreError> {
        let known = connection
            .prepare_cached(self.tables.term_number)?
            .query_row([word], |row| row.get(0))
            .optional()?;
        if let Some(number) = known {
            return Ok(number);
        }
        let number = self.term_count;
        connection.prepare_cached(self.tables.add_term)?.execute(params![number, word])?;
        self.term_count += 1;
        Ok(number)
    }

    fn chunk(
        &mut self,
        connection: &Connection,
        position: Position,
        document: u32,
    ) -> Result<&mut Vec<u8>, StoreError> {
        let number = document / CHUNK;
        let (changed, data) = match self.chunks.entry(number) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert((position, attributes::load_chunk(connection, self.tables, number)?))
            }
        };
        *changed = position;
        Ok(data)
    }

    pub(super) fn push_attribute(
        &mut self,
        connection: &Connection,
        position: Position,
        document: u32,
        stored: &StoredAttribute,
    ) -> Result<(), StoreError> {
        stored.write(self.chunk(connection, position, document)?);
        Ok(())
    }

    pub(super) fn attribute(
        &mut self,
        connection: &Connection,
        document: u32,
    ) -> Result<Option<Attribute>, StoreError> {
        if document == NONE {
            return Ok(None);
        }
        if let Some((_, data)) = self.chunks.get(&(document / CHUNK)) {
            return Ok(attributes::in_chunk(data, document));
        }
        Ok(attributes::in_chunk(
            &attributes::load_chunk(connection, self.tables, document / CHUNK)?,
            document,
        ))
    }

    /// Marks the record at `target` as superseded or retracted by the operation at `position`.
    pub(super) fn bury(
        &mut self,
        connection: &Connection,
        position: Position,
        target: Position,
    ) -> Result<(), StoreError> {
        self.each_at(connection, position, target, |chunk, document| {
            attributes::set_flags(chunk, document, attributes::DEAD);
        })
    }

    /// Marks the record at `target` as one that counts again because of the operation at
    /// `position`.
    pub(super) fn revive(
        &mut self,
        connection: &Connection,
        position: Position,
        target: Position,
    ) -> Result<(), StoreError> {
        self.each_at(connection, position, target, |chunk, document| {
            attributes::clear_flags(chunk, document, attributes::DEAD);
        })
    }

    /// Changes all documents of the record at `target` because of the operation at `position`.
    pub(super) fn each_at(
        &mut self,
        connection: &Connection,
        position: Position,
        target: Position,
        change: impl Fn(&mut [u8], u32),
    ) -> Result<(), StoreError> {
        let mut document = self.first_at(connection, target)?;
        while self
            .attribute(connection, document)?
            .is_some_and(|attribute| attribute.position == target)
        {
            change(self.chunk(connection, position, document)?, document);
            document += 1;
        }
        Ok(())
    }

    /// The first document at or after `target`, found by bisection, because positions rise with
    /// documents.
    fn first_at(&mut self, connection: &Connection, target: Position) -> Result<u32, StoreError> {
        let (mut low, mut high) = (0, self.documents);
        while low < high {
            let middle = low + (high - low) / 2;
            let is_before = self
                .attribute(connection, middle)?
                .is_some_and(|attribute| attribute.position < target);
            if is_before {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Writes everything in key order.
    pub(super) fn write(mut self, connection: &Connection) -> Result<(), StoreError> {
        self.write_postings(connection)?;
        self.write_session_postings(connection)?;
        let mut put = connection.prepare_cached(self.tables.put_thread_end)?;
        for (thread, last) in &self.thread_ends {
            put.execute([thread.session, thread.author, *last])?;
        }
        lengths::add(connection, self.tables, self.reached, &self.session_lengths)?;
        for (chunk, (position, data)) in self.chunks {
            attributes::save_chunk(connection, self.tables, chunk, position, &data)?;
        }
        self.meanings.write(connection, self.tables)?;
        Ok(())
    }

    fn write_postings(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let first_block = self.first / BLOCK;
        let mut read = connection.prepare_cached(self.tables.posting)?;
        let mut write = connection.prepare_cached(self.tables.put_posting)?;
        let sorted = sort_by_term(&self.postings, self.term_count);
        let document = |posting: &u64| (posting >> 8) as u32 & 0xff_ffff;
        let row_of = |posting: &u64| (posting >> 32, document(posting) / BLOCK);
        for of_row in sorted.chunk_by(|left, right| row_of(left) == row_of(right)) {
            let Some((term, block)) = of_row.first().map(row_of) else { continue };
            let key = postings::key(first_block + block, term as u32);
            // A block that begins in this batch has no rows yet.
            let stored = match block == 0 && !self.first.is_multiple_of(BLOCK) {
                true => read.query_row([key], |row| row.get(0)).optional()?,
                false => None,
            };
            let mut block = Block::begin(stored);
            for posting in of_row {
                block.push(document(posting) % BLOCK, *posting as u8);
            }
            write.execute(params![key, block.finish()])?;
        }
        Ok(())
    }

    fn write_session_postings(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let row_of = |posting: &(u64, u32)| postings::session_row(posting.0).0;
        let mut read = connection.prepare_cached(self.tables.session_posting)?;
        let mut write = connection.prepare_cached(self.tables.put_session_posting)?;
        self.session_postings.sort_unstable();
        for of_row in self.session_postings.chunk_by(|left, right| row_of(left) == row_of(right)) {
            let Some(key) = of_row.first().map(row_of) else { continue };
            let stored: Option<Vec<u8>> = read.query_row([key], |row| row.get(0)).optional()?;
            let mut counts: BTreeMap<u32, u32> =
                postings::decode_sessions(&stored.unwrap_or_default()).collect();
            for (posting, count) in of_row {
                let total = counts.entry(postings::session_row(*posting).1).or_default();
                *total = total.saturating_add(*count);
            }
            write.execute(params![key, postings::encode_sessions(counts.into_iter())])?;
        }
        Ok(())
    }
}

/// Sorts postings by term and keeps the order within a term. Uses a counting sort for many
/// postings, because term numbers are dense.
fn sort_by_term(postings: &[u64], terms: u32) -> Vec<u64> {
    if postings.len() < terms as usize {
        let mut sorted = postings.to_vec();
        sorted.sort_unstable();
        return sorted;
    }
    let term_of = |posting: u64| (posting >> 32) as usize;
    let mut next = vec![0usize; terms as usize + 1];
    for posting in postings {
        next[term_of(*posting) + 1] += 1;
    }
    for term in 1..next.len() {
        next[term] += next[term - 1];
    }
    let mut sorted = vec![0; postings.len()];
    for posting in postings {
        let place = &mut next[term_of(*posting)];
        sorted[*place] = *posting;
        *place += 1;
    }
    sorted
}

/// The number of documents, from the last chunk.
fn document_count(connection: &Connection, tables: &IndexTables) -> Result<u32, StoreError> {
    let last = connection
        .prepare_cached(tables.last_attribute)?
        .query_row([], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, Vec<u8>>(1)?)))
        .optional()?;
    Ok(last.map_or(0, |(chunk, data)| {
        chunk.saturating_mul(CHUNK).saturating_add(attributes::count_in(&data))
    }))
}

/// Empties every table of an index.
pub(super) fn clear(connection: &Connection, tables: &IndexTables) -> Result<(), StoreError> {
    for table in tables.specs {
        connection.execute(&format!("DELETE FROM {}", table.name), [])?;
    }
    Ok(())
}
