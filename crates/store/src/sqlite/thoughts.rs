//! What agents thought, as a space of its own for one search.
//!
//! Thinking is private, long, and rarely asked for. It is in no index of a space, so that neither
//! ranks nor statistics of other records depend on it, and a space without any pays nothing. Whoever
//! asks for its kind searches a temporary copy that holds thinking alone, with the same index. That
//! costs in proportion to the thinking in the space.

use kernel::evidence::EvidenceKind;
use rusqlite::{Connection, Transaction, params};

use super::journal::UsageJournal;
use super::private_copy::copy_rows;
use super::registry::OF_THOUGHTS;
use super::{Mode, SqliteSpace, configure, make_tables};
use crate::StoreError;

/// Most records of thinking that are searched, the latest.
const THOUGHTS_MAX: u32 = 50_000;
/// Memory for pages of the copy, KiB; further pages go to a temporary file.
const CACHE_KIB_MAX: u32 = 65_536;

/// Operations that decide who may append, and which records count.
const DECIDING: &str = "'space', 'grant', 'revoke', 'evidence_retraction', 'retraction_withdrawal'";

impl SqliteSpace {
    /// The thinking in the space, indexed as records are. It is deleted when it is dropped.
    pub fn thoughts(&self) -> Result<Self, StoreError> {
        let copy = Connection::open("")?;
        configure(&copy)?;
        copy.execute_batch(&format!("PRAGMA cache_size=-{CACHE_KIB_MAX}"))?;
        make_tables(&copy, &OF_THOUGHTS)?;
        let reading = self.read_transaction()?;
        let writing = copy.unchecked_transaction()?;
        copy_thoughts(&self.connection, &writing)?;
        OF_THOUGHTS.refold_with_append(&writing, self.space)?;
        writing.commit()?;
        drop(reading);
        let mut copy = Self::over(copy, Mode::ReadWrite, &self.path, &OF_THOUGHTS)?;
        copy.journal = UsageJournal::in_memory(self.space);
        copy.advance(|_| {})?;
        Ok(copy)
    }
}

fn copy_thoughts(from: &Connection, to: &Transaction<'_>) -> Result<(), StoreError> {
    copy_rows(from, to, "author", "", params![])?;
    copy_rows(from, to, "op", &format!("WHERE kind IN ({DECIDING})"), params![])?;
    // The canonical form has no spaces, and no text can hold an unescaped quotation mark.
    let mark = format!("\"kind\":\"{}\"", EvidenceKind::THOUGHT_ACTION);
    let latest = "WHERE pos IN (SELECT pos FROM op WHERE kind = 'evidence' AND instr(body, ?1) > 0
                                ORDER BY pos DESC LIMIT ?2)";
    copy_rows(from, to, "op", latest, params![mark.as_bytes(), THOUGHTS_MAX])
}
