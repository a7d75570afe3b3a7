//! The slots of sources' records: the place of the latest record of each source's identity.
//!
//! Importing asks for each record whether it is there. The key of a slot is 64 bits of a hash of
//! the source and its identity, so that the table is small; the record itself decides.

use kernel::id::{BodyHash, OpId};
use kernel::operation::HlcTimestamp;
use rusqlite::{OptionalExtension, params};

use super::graph::{SqliteLedgerIndex, id_at, sql, stamp_at};
use crate::{Position, StoreError};

/// How many other keys a (source, source_uid) may collide with before the file counts as damaged.
const PROBES_MAX: i64 = 64;

impl SqliteLedgerIndex<'_> {
    pub(super) fn note_evidence(
        &self,
        position: Position,
        order: (HlcTimestamp, OpId),
        source: &str,
        source_uid: &str,
    ) -> Result<(), StoreError> {
        // Whoever records evidence has just asked for it.
        let vacant =
            self.vacant_slot.take().filter(|(of, _)| *of == evidence_key(source, source_uid));
        let (key, found) = match vacant {
            Some((_, key)) => (key, None),
            None => self.evidence_slot(source, source_uid)?,
        };
        self.vacant_slot.set(None);
        let earlier = found.is_some_and(|(_, found_order, _)| found_order > order);
        if !earlier {
            self.connection
                .prepare_cached("INSERT INTO evidence (key, pos) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET pos = excluded.pos")?
                .execute(params![key, sql(position)])?;
        }
        Ok(())
    }

    /// The slot of a source's record: its key and its content. The key is 64 bits of a hash; a slot
    /// that another record occupies is skipped.
    #[allow(clippy::type_complexity)]
    pub(super) fn evidence_slot(
        &self,
        source: &str,
        source_uid: &str,
    ) -> Result<(i64, Option<(OpId, (HlcTimestamp, OpId), BodyHash)>), StoreError> {
        let first = evidence_key(source, source_uid);
        for probe in 0..PROBES_MAX {
            let key = first.wrapping_add(probe);
            let position: Option<i64> = self
                .connection
                .prepare_cached("SELECT pos FROM evidence WHERE key = ?1")?
                .query_row([key], |row| row.get(0))
                .optional()?;
            let Some(position) = position else {
                self.vacant_slot.set(Some((first, key)));
                return Ok((key, None));
            };
            let (id, ts, body_hash, body) = self
                .connection
                .prepare_cached("SELECT id, ts, body_hash, body FROM op WHERE pos = ?1")?
                .query_row([position], |row| {
                    Ok((
                        id_at(row, 0)?,
                        stamp_at(row, 1)?,
                        row.get::<_, [u8; 32]>(2)?,
                        row.get::<_, Option<Vec<u8>>>(3)?,
                    ))
                })?;
            if body.is_none_or(|body| is_evidence_of(&body, source, source_uid)) {
                return Ok((key, Some((id, (ts, id), BodyHash(body_hash)))));
            }
        }
        Err(StoreError::Damaged { detail: "the evidence table is full of collisions".to_owned() })
    }
}

fn evidence_key(source: &str, source_uid: &str) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(source.as_bytes()).update(&[0]).update(source_uid.as_bytes());
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    i64::from_be_bytes(bytes)
}

fn is_evidence_of(body: &[u8], source: &str, source_uid: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Source<'a> {
        #[serde(borrow)]
        source: std::borrow::Cow<'a, str>,
        #[serde(borrow)]
        source_uid: std::borrow::Cow<'a, str>,
    }
    serde_json::from_slice::<Source<'_>>(body)
        .is_ok_and(|found| found.source == source && found.source_uid == source_uid)
}
