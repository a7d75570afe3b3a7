//! Signatures that are made while a writing goes on.
//!
//! Neither the id of an operation nor any rule depends on its signature, so the next operations can
//! be judged meanwhile. Until the commit a row has zeros in its place; nothing is committed that
//! has them still.

use kernel::body::Body;
use kernel::id::OpId;
use kernel::rules::Verdict;
use kernel::seal::Unsigned;
use rusqlite::{Connection, params};

use super::SqliteWriting;
use super::graph::sql;
use crate::{Position, RecordError, StoreError, Writing};

/// Makes the signatures of operations while a writing goes on.
pub trait Signatures: Send {
    /// Takes the id of an operation that is at a position without its signature.
    fn make(&mut self, position: Position, id: OpId);
    /// Every signature that was to be made.
    fn finish(&mut self) -> Vec<(Position, [u8; 64])>;
}

/// What was written with zeros gets its signature.
const SIGN: &str = "UPDATE op SET sig = ?2 WHERE pos = ?1 AND sig = zeroblob(64)";

/// The signatures that a writing waits for.
#[derive(Default)]
pub(super) struct PendingSignatures {
    from: Option<Box<dyn Signatures>>,
    /// Operations without one.
    unsigned: usize,
}

impl PendingSignatures {
    fn wait_for(&mut self, position: Position, id: OpId) {
        self.unsigned += 1;
        if let Some(signatures) = &mut self.from {
            signatures.make(position, id);
        }
    }

    /// Writes them. Fails if one was not made.
    pub(super) fn write(mut self, connection: &Connection) -> Result<(), StoreError> {
        let made = self.from.take().map_or_else(Vec::new, |mut from| from.finish());
        let mut statement = connection.prepare_cached(SIGN)?;
        let mut written = 0;
        for (position, signature) in made {
            written += statement.execute(params![sql(position), signature])?;
        }
        match written == self.unsigned {
            true => Ok(()),
            false => Err(StoreError::WriteFailed),
        }
    }
}

impl SqliteWriting<'_> {
    /// Takes the signatures of [`SqliteWriting::record_unsigned`] from here. The commit waits for
    /// them and writes them.
    pub fn sign_by(&mut self, signatures: Box<dyn Signatures>) {
        self.pending.from = Some(signatures);
    }

    /// Records an operation that is signed meanwhile.
    pub fn record_unsigned(
        &mut self,
        operation: &Unsigned,
        body: Option<&Body>,
    ) -> Result<Verdict, RecordError> {
        let operation = operation.operation();
        let verdict = self.record(operation, body)?;
        if verdict == Verdict::Append {
            self.pending.wait_for(self.position(), operation.id());
        }
        Ok(verdict)
    }
}
