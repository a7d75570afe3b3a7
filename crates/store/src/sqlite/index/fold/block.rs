//! Folding an index that reads its operations by a query: facts and thoughts.

use rusqlite::{Connection, Row};

use super::super::super::graph::sql;
use super::super::super::ledger;
use super::super::batch::Batch;
use super::super::postings::BLOCK;
use super::super::{Reach, set_reach};
use super::{Folder, PEOPLE_REMEMBERED_MAX};
use crate::{Position, StoreError};

/// The operations that a fold of [`Folder::fold_block`] reads.
pub(super) struct Stretch {
    /// How far the index reached before, and what is noted on the way.
    pub(super) reach: Reach,
    /// The last operation that may be read.
    until: Position,
    /// Most operations.
    room: u32,
    /// How many were read.
    taken: u32,
    /// The last of them.
    pub(super) last: Position,
}

impl Stretch {
    /// The parameters of the query: after which position, until which, and how many.
    pub(super) fn parameters(&self) -> [i64; 3] {
        [sql(self.reach.position), sql(self.until), i64::from(self.room)]
    }

    /// Counts a row, which begins with its position.
    pub(super) fn take(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.taken += 1;
        self.last = Position(row.get::<_, i64>(0)?.unsigned_abs());
        Ok(())
    }
}

impl Folder {
    /// Folds at most [`BLOCK`] operations of an index that reads its operations by a query, none
    /// after `until`, in the transaction that is open on `connection`. `read` adds them to the
    /// batch. Returns the new position.
    pub(super) fn fold_block(
        &mut self,
        connection: &Connection,
        until: Position,
        read: impl FnOnce(&mut Self, &mut Batch, &mut Stretch) -> Result<(), StoreError>,
    ) -> Result<Position, StoreError> {
        let folded = self.fold_stretch(connection, until, read);
        if folded.is_err() {
            // The cache may contain rows that will not be written.
            self.forget();
        }
        folded
    }

    fn fold_stretch(
        &mut self,
        connection: &Connection,
        until: Position,
        read: impl FnOnce(&mut Self, &mut Batch, &mut Stretch) -> Result<(), StoreError>,
    ) -> Result<Position, StoreError> {
        let until = until.min(ledger::head(connection)?);
        let reach = self.begin(connection)?;
        if reach.position >= until {
            return Ok(reach.position);
        }
        let mut batch = Batch::begin(connection, self.tables)?;
        // A fold ends with a block where it can, so that a row is written once.
        let room = BLOCK - batch.documents % BLOCK;
        let mut stretch = Stretch { last: reach.position, reach, until, room, taken: 0 };
        read(self, &mut batch, &mut stretch)?;
        let Stretch { mut reach, last, taken, .. } = stretch;
        reach.position = if taken < room { until } else { last };
        batch.write(connection)?;
        set_reach(connection, self.tables, &reach)?;
        self.reached = reach;
        self.bound_cached_sessions();
        if self.people.len() > PEOPLE_REMEMBERED_MAX {
            self.people.clear();
        }
        Ok(reach.position)
    }
}
