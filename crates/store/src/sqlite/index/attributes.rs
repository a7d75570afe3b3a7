//! The attributes of documents that filters and scores need: columns in memory, chunks in the file.
//!
//! A chunk is a row of [`CHUNK`] documents of [`WIDTH`] bytes each, little-endian. `pos` is the
//! position of the operation that last changed it, so a process that has read up to a position
//! reads only what changed since.

use std::collections::BTreeSet;

use kernel::evidence::Visibility;
use rusqlite::{Connection, params};

use super::super::graph::sql;
use super::Reach;
use super::column::Column;
use super::shared::Version;
use super::tables::IndexTables;
use crate::{Position, StoreError};

/// Documents of a chunk.
pub(super) const CHUNK: u32 = 256;
/// Bytes of a document.
const WIDTH: usize = 36;
/// No document, person or session.
pub(super) const NONE: u32 = u32::MAX;
/// No date.
pub(super) const NO_DAY: i32 = i32::MIN;
/// No time.
pub(super) const NO_TIME: i64 = i64::MIN;

/// The record has a time.
pub(super) const TIMEX: u8 = 1;
/// The record ends with a question.
pub(super) const IS_QUESTION: u8 = 2;
/// The record was superseded or retracted.
pub(super) const DEAD: u8 = 4;
/// The record names participants but no author.
pub(super) const HAS_PARTICIPANTS: u8 = 8;
/// Nobody else may see the record.
pub(super) const PRIVATE: u8 = 16;
/// Every space may see it.
pub(super) const GLOBAL: u8 = 32;

/// The record is a turn of a conversation.
pub(super) const TURN: u8 = 1;
/// The person whose memory this is said it to a program.
pub(super) const BY_USER: u8 = 2;
/// The person gives a standing instruction in the passage.
pub(super) const INSTRUCTION: u8 = 4;
/// The person states a preference in the passage.
pub(super) const PREFERENCE: u8 = 8;

/// The record stands for a series, whose occurrences are computed.
pub(super) const SERIES: u8 = 16;
/// A tool of an agent printed it.
pub(super) const BY_TOOL: u8 = 32;
/// A program said it to the person.
pub(super) const BY_PROGRAM: u8 = 64;

/// It is a task that is not done, or has one.
pub(super) const OPEN_TASK: u8 = 128;

/// The attributes of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    /// The position of its operation. It rises with the document's number.
    pub(super) position: Position,
    /// The passage before it in its record, or the last passage of the record that the same key
    /// recorded before in its session.
    pub(super) previous: u32,
    /// Its author's person number.
    pub(super) author: u32,
    /// Its local date, days since 1970-01-01.
    pub(super) day: i32,
    /// Its time, microseconds since the Unix epoch.
    pub(super) at_us: i64,
    pub(super) kind: u8,
    /// What never changes about its record: [`TURN`] and so on.
    pub(super) marks: u8,
    pub(super) flags: u8,
}

/// All attributes of one document, as they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredAttribute {
    pub(super) attribute: Attribute,
    pub(super) session: u32,
    /// How many terms it has; longer documents count as this long.
    pub(super) length: u8,
}

impl StoredAttribute {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let Attribute { position, previous, author, day, at_us, kind, marks, flags } =
            self.attribute;
        bytes.extend_from_slice(&position.0.to_le_bytes());
        bytes.extend_from_slice(&self.session.to_le_bytes());
        bytes.extend_from_slice(&previous.to_le_bytes());
        bytes.extend_from_slice(&author.to_le_bytes());
        bytes.extend_from_slice(&day.to_le_bytes());
        bytes.extend_from_slice(&at_us.to_le_bytes());
        bytes.extend([kind, self.length, marks, flags]);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (position, rest) = bytes.split_first_chunk()?;
        let (session, rest) = rest.split_first_chunk()?;
        let (previous, rest) = rest.split_first_chunk()?;
        let (author, rest) = rest.split_first_chunk()?;
        let (day, rest) = rest.split_first_chunk()?;
        let (at_us, rest) = rest.split_first_chunk()?;
        let [kind, length, marks, flags] = rest else { return None };
        let attribute = Attribute {
            position: Position(u64::from_le_bytes(*position)),
            previous: u32::from_le_bytes(*previous),
            author: u32::from_le_bytes(*author),
            day: i32::from_le_bytes(*day),
            at_us: i64::from_le_bytes(*at_us),
            kind: *kind,
            marks: *marks,
            flags: *flags,
        };
        Some(Self { attribute, session: u32::from_le_bytes(*session), length: *length })
    }
}

/// The visibility of a record as flags: only its own space if none is set.
pub(super) fn visibility_flags(visibility: Visibility) -> u8 {
    match visibility {
        Visibility::Private => PRIVATE,
        Visibility::Project => 0,
        Visibility::Global => GLOBAL,
    }
}

/// The byte for a kind's number; kinds beyond 255 share the last.
pub(super) fn kind_byte(number: i64) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// One stored chunk.
pub(super) fn load_chunk(
    connection: &Connection,
    tables: &IndexTables,
    chunk: u32,
) -> Result<Vec<u8>, StoreError> {
    use rusqlite::OptionalExtension;
    let data = connection
        .prepare_cached(tables.attribute)?
        .query_row([chunk], |row| row.get(0))
        .optional()?;
    Ok(data.unwrap_or_default())
}

/// Stores one chunk.
pub(super) fn save_chunk(
    connection: &Connection,
    tables: &IndexTables,
    chunk: u32,
    pos: Position,
    data: &[u8],
) -> Result<(), StoreError> {
    connection.prepare_cached(tables.put_attribute)?.execute(params![chunk, sql(pos), data])?;
    Ok(())
}

/// How many documents a chunk's bytes hold.
pub(super) fn count_in(data: &[u8]) -> u32 {
    (data.len() / WIDTH) as u32
}

/// The attributes of one document in a chunk's bytes.
pub(super) fn in_chunk(data: &[u8], document: u32) -> Option<Attribute> {
    let start = (document % CHUNK) as usize * WIDTH;
    StoredAttribute::read(data.get(start..start + WIDTH)?).map(|stored| stored.attribute)
}

/// Sets flags of one document in a chunk's bytes.
pub(super) fn set_flags(data: &mut [u8], document: u32, flags: u8) {
    let last = (document % CHUNK) as usize * WIDTH + WIDTH - 1;
    if let Some(byte) = data.get_mut(last) {
        *byte |= flags;
    }
}

/// Clears flags of one document in a chunk's bytes.
pub(super) fn clear_flags(data: &mut [u8], document: u32, flags: u8) {
    let last = (document % CHUNK) as usize * WIDTH + WIDTH - 1;
    if let Some(byte) = data.get_mut(last) {
        *byte &= !flags;
    }
}

/// Sets the session of one document in a chunk's bytes.
pub(super) fn set_session(data: &mut [u8], document: u32, session: u32) {
    /// Bytes of the position, which comes first.
    const BEFORE: usize = 8;
    let first = (document % CHUNK) as usize * WIDTH + BEFORE;
    if let Some(bytes) = data.get_mut(first..first + 4) {
        bytes.copy_from_slice(&session.to_le_bytes());
    }
}

/// The attributes of all documents, as columns.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Attributes {
    /// How far the view had been folded at the last read.
    seen: Reach,
    pub(super) session: Column<u32>,
    pub(super) length: Column<u8>,
    pub(super) rest: Column<Attribute>,
    /// The document that the same key recorded after each in its session.
    next: Column<u32>,
    /// The highest session number plus one.
    session_end: u64,
    /// The sum of the documents' lengths.
    total_length: u64,
    /// The person whose memory this is said something to a program.
    has_chats: bool,
    /// The documents that are or were [`OPEN_TASK`], ascending.
    open_tasks: BTreeSet<u32>,
}

impl Attributes {
    /// The number of documents.
    pub(in super::super) fn len(&self) -> u32 {
        self.rest.len()
    }

    /// Terms in the average document.
    pub(super) fn average_length(&self) -> f64 {
        self.total_length as f64 / f64::from(self.len().max(1))
    }

    /// Whether any document is [`BY_USER`].
    pub(super) fn has_chats(&self) -> bool {
        self.has_chats
    }

    /// The documents that are [`OPEN_TASK`] and count, ascending.
    pub(super) fn open_tasks(&self) -> Vec<u32> {
        let is_alive =
            |document: &u32| self.get(*document).is_some_and(|task| task.flags & DEAD == 0);
        self.open_tasks.iter().copied().filter(is_alive).collect()
    }

    /// The number of sessions. Sessions are numbered without gaps, so there are never more of them
    /// than documents.
    pub(super) fn session_count(&self) -> u64 {
        self.session_end.min(u64::from(self.len()))
    }

    /// The positions of the records after a position, in order, and whether they count.
    pub(in super::super) fn after(
        &self,
        position: Position,
    ) -> impl Iterator<Item = (Position, bool)> {
        let first = self.rest.partition_point(|attribute| attribute.position <= position);
        let mut last = None;
        self.rest
            .iter_from(first)
            .filter(move |attribute| last.replace(attribute.position) != Some(attribute.position))
            .map(|attribute| (attribute.position, attribute.flags & DEAD == 0))
    }

    /// How many documents count, and how many of them lie after a position.
    pub(in super::super) fn count_alive(&self, position: Position) -> (u64, u64) {
        let count = |position| self.after(position).filter(|(_, counts)| *counts).count() as u64;
        (count(Position(0)), count(position))
    }

    /// One document's.
    pub(super) fn get(&self, document: u32) -> Option<&Attribute> {
        self.rest.get(document)
    }

    /// The session of one document; [`NONE`] without one.
    pub(super) fn session_of(&self, document: u32) -> u32 {
        self.session.get(document).copied().unwrap_or(NONE)
    }

    /// The document that follows one in its session.
    pub(super) fn next(&self, document: u32) -> Option<u32> {
        self.next.get(document).copied().filter(|next| *next != NONE)
    }

    /// Reads what changed since the last read; `reach` is that of the view as `connection` sees it.
    pub(in super::super) fn refresh(
        &mut self,
        connection: &Connection,
        tables: &IndexTables,
        reach: Reach,
    ) -> Result<(), StoreError> {
        if !self.seen.leads_to(&reach) {
            // The view was folded again from the start.
            *self = Self::default();
        }
        if reach.position == self.seen.position {
            self.seen = reach;
            return Ok(());
        }
        let mut statement = connection.prepare_cached(tables.attributes_since)?;
        let mut rows = statement.query([sql(self.seen.position)])?;
        while let Some(row) = rows.next()? {
            let first = row.get::<_, u32>(0)?.saturating_mul(CHUNK);
            let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            for (document, bytes) in (first..=u32::MAX).zip(data.chunks_exact(WIDTH)) {
                let Some(stored) = StoredAttribute::read(bytes) else { continue };
                let StoredAttribute { attribute, session, length } = stored;
                let is_new = document == self.len();
                self.has_chats |= attribute.marks & BY_USER != 0;
                if attribute.marks & OPEN_TASK != 0 {
                    self.open_tasks.insert(document);
                }
                if is_new {
                    self.total_length += u64::from(length);
                }
                let is_put = self.rest.put(document, attribute)
                    && self.session.put(document, session)
                    && self.length.put(document, length)
                    && (!is_new || self.next.put(document, NONE))
                    && (attribute.previous >= document
                        || self.next.put(attribute.previous, document));
                if !is_put {
                    return Err(StoreError::Damaged {
                        detail: "a chunk of the text index is missing".to_owned(),
                    });
                }
                if session != NONE {
                    self.session_end = self.session_end.max(u64::from(session) + 1);
                }
            }
        }
        self.seen = reach;
        Ok(())
    }
}

impl Version for Attributes {
    type At = Reach;

    fn leads_to(&self, at: &Reach) -> bool {
        self.seen.leads_to(at)
    }

    fn is_at(&self, at: &Reach) -> bool {
        self.seen == *at
    }

    fn is_after(&self, at: &Reach) -> bool {
        at.leads_to(&self.seen)
    }
}
