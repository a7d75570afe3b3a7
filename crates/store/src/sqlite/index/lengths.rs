//! Lengths of sessions in terms, for BM25: [`CHUNK`] a row, four bytes each, kept in memory like
//! the attributes.
//!
//! `pos` of a row is the position of the last record of the latest fold that changed it. It only
//! tells readers which rows to read again. The view's digest leaves it out, because it depends on
//! where folds began and ended.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::super::graph::sql;
use super::Reach;
use super::column::Column;
use super::shared::Version;
use super::tables::IndexTables;
use crate::{Position, StoreError};

/// Sessions of a row.
const CHUNK: u32 = 1_024;
const WIDTH: usize = 4;

/// Adds to the lengths of sessions, in terms.
pub(super) fn add(
    connection: &Connection,
    tables: &IndexTables,
    position: Position,
    more: &BTreeMap<u32, u32>,
) -> Result<(), StoreError> {
    let mut read = connection.prepare_cached(tables.length)?;
    let mut write = connection.prepare_cached(tables.put_length)?;
    let mut sessions = more.iter().map(|(session, length)| (*session, *length)).peekable();
    while let Some((session, _)) = sessions.peek() {
        let chunk = session / CHUNK;
        let stored: Option<Vec<u8>> = read.query_row([chunk], |row| row.get(0)).optional()?;
        let mut data = stored.unwrap_or_default();
        while let Some((session, length)) =
            sessions.next_if(|(session, _)| session / CHUNK == chunk)
        {
            let start = (session % CHUNK) as usize * WIDTH;
            if data.len() < start + WIDTH {
                data.resize(start + WIDTH, 0);
            }
            if let Some(bytes) = data[start..].first_chunk_mut::<WIDTH>() {
                *bytes = u32::from_le_bytes(*bytes).saturating_add(length).to_le_bytes();
            }
        }
        write.execute(params![chunk, sql(position), data])?;
    }
    Ok(())
}

/// All sessions' lengths.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Lengths {
    seen: Reach,
    pub(super) of: Column<u32>,
    pub(super) total: u64,
}

impl Lengths {
    /// Reads what changed since the last read.
    pub(in super::super) fn refresh(
        &mut self,
        connection: &Connection,
        tables: &IndexTables,
        reach: Reach,
    ) -> Result<(), StoreError> {
        if !self.seen.leads_to(&reach) {
            *self = Self::default();
        }
        if reach.position == self.seen.position {
            self.seen = reach;
            return Ok(());
        }
        let mut statement = connection.prepare_cached(tables.lengths_since)?;
        let mut rows = statement.query([sql(self.seen.position)])?;
        while let Some(row) = rows.next()? {
            let first = row.get::<_, u32>(0)?.saturating_mul(CHUNK);
            if first > self.of.len() {
                return Err(StoreError::Damaged {
                    detail: "a chunk of session lengths is missing".to_owned(),
                });
            }
            let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            for (session, bytes) in (first..=u32::MAX).zip(data.chunks_exact(WIDTH)) {
                let length = bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
                self.of.put(session, length);
            }
        }
        self.total = self.of.iter().map(|length| u64::from(*length)).sum();
        self.seen = reach;
        Ok(())
    }

    /// Terms in the average session.
    pub(super) fn average(&self) -> f64 {
        if self.of.len() == 0 { 0.0 } else { self.total as f64 / f64::from(self.of.len()) }
    }
}

impl Version for Lengths {
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
