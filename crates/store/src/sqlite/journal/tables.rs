//! The journal's tables, and what is done in one transaction on them.
//!
//! A recall shows a few records of many, and shows the same ones often. So a record, with the
//! hashes by which its text is recognised, is stored once, and a receipt names it by its number.
//! Names of agents and conversations are stored once, too. What belongs to no receipt any more is
//! deleted together with the last receipt that used it. Indexes of ids hold their first bytes,
//! which tell nearly all apart.

use std::collections::BTreeSet;

use kernel::id::{OpId, ReceiptId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::JournalLimits;
use crate::sqlite::graph::id_at;
use crate::sqlite::receipts::{KeptReceipt, NewReceipt, ReceiptFilter, ReceiptItem, ShownRecord};
use crate::{StoreError, varint};

/// The tables.
pub(super) const SCHEMA: &str = "
CREATE TABLE about (one INTEGER PRIMARY KEY CHECK (one = 1), space BLOB NOT NULL) STRICT;
CREATE TABLE name (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE receipt (
    number INTEGER PRIMARY KEY, id BLOB NOT NULL, ts INTEGER NOT NULL, agent INTEGER NOT NULL, session INTEGER,
    records BLOB NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE INDEX receipt_id ON receipt (substr(id, 1, 6));
CREATE INDEX receipt_agent ON receipt (agent);
CREATE INDEX receipt_session ON receipt (session) WHERE session IS NOT NULL;
CREATE TABLE record (
    number INTEGER PRIMARY KEY, id BLOB NOT NULL, exact INTEGER NOT NULL, sampled BLOB NOT NULL
) STRICT;
CREATE INDEX record_id ON record (substr(id, 1, 6));
CREATE TABLE shown (record INTEGER NOT NULL, receipt INTEGER NOT NULL, PRIMARY KEY (record, receipt)) STRICT, WITHOUT ROWID;
CREATE TABLE shingle (hash INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (hash, record)) STRICT, WITHOUT ROWID;
";

/// Bytes of an id that an index holds.
const INDEXED_BYTES: usize = 6;
/// Most receipts that a batch deletes to keep the limits.
const PRUNED_MAX: usize = 128;
/// Free pages that are left for the next receipts before the file shrinks.
const FREE_PAGES_KEPT: i64 = 16;
/// Most pages by which a batch shrinks the file.
const SHRUNK_PAGES_MAX: i64 = 256;
/// Most records of a shingle that are looked at.
const RECORDS_OF_SHINGLE_MAX: usize = 8;

/// A shingle as it is stored: signed, in four bytes.
fn stored_hash(hash: u32) -> i32 {
    hash.cast_signed()
}

/// The part of an id that an index holds.
fn indexed(id: &[u8; 32]) -> &[u8] {
    id.get(..INDEXED_BYTES).unwrap_or(id)
}

/// Hashes of the ids of what was erased. Another process may hold receipts of it that wait to be
/// written.
const ERASED: &str =
    "CREATE TABLE IF NOT EXISTS erased (hash BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;";

/// Notes what was erased.
pub(super) fn note_erased(
    connection: &Connection,
    records: &BTreeSet<OpId>,
) -> Result<(), StoreError> {
    connection.execute_batch(ERASED)?;
    let mut note = connection.prepare_cached("INSERT OR IGNORE INTO erased (hash) VALUES (?1)")?;
    for record in records {
        note.execute([erased_hash(record)])?;
    }
    Ok(())
}

fn erased_hash(record: &OpId) -> [u8; 32] {
    blake3::derive_key("because journal: erased record", &record.0)
}

fn shows_erased(connection: &Connection, receipt: &NewReceipt) -> Result<bool, StoreError> {
    if !super::has(connection, "table", "erased")? {
        return Ok(false);
    }
    let mut erased = connection.prepare_cached("SELECT 1 FROM erased WHERE hash = ?1")?;
    for item in &receipt.items {
        if erased.exists([erased_hash(&item.record)])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Stores a receipt, unless it is there or shows what was erased.
pub(super) fn insert(connection: &Connection, receipt: &NewReceipt) -> Result<(), StoreError> {
    if shows_erased(connection, receipt)? {
        return Ok(());
    }
    let is_there = connection
        .prepare_cached("SELECT 1 FROM receipt WHERE substr(id, 1, 6) = ?1 AND id = ?2")?
        .exists(params![indexed(&receipt.id.0), receipt.id.0])?;
    if is_there {
        return Ok(());
    }
    let agent = name_number(connection, &receipt.agent)?;
    let session =
        receipt.session.as_deref().map(|name| name_number(connection, name)).transpose()?;
    let mut numbers = Vec::with_capacity(receipt.items.len());
    let mut records = Vec::new();
    for item in &receipt.items {
        let number = record_number(connection, item)?;
        varint::push(&mut records, number.cast_unsigned());
        numbers.push(number);
    }
    connection
        .prepare_cached(
            "INSERT INTO receipt (id, ts, agent, session, records, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            receipt.id.0,
            receipt.ts_us.cast_signed(),
            agent,
            session,
            records,
            receipt.body
        ])?;
    let place = connection.last_insert_rowid();
    let mut shown = connection
        .prepare_cached("INSERT OR IGNORE INTO shown (record, receipt) VALUES (?1, ?2)")?;
    for number in numbers {
        shown.execute([number, place])?;
    }
    Ok(())
}

fn name_number(connection: &Connection, name: &str) -> Result<i64, StoreError> {
    let known = connection
        .prepare_cached("SELECT number FROM name WHERE text = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if let Some(number) = known {
        return Ok(number);
    }
    connection.prepare_cached("INSERT INTO name (text) VALUES (?1)")?.execute([name])?;
    Ok(connection.last_insert_rowid())
}

/// Whether a record was shown with this text before.
pub(super) fn is_known(
    connection: &Connection,
    record: &OpId,
    exact: u64,
) -> Result<bool, StoreError> {
    Ok(known_record(connection, record, exact)?.is_some())
}

fn known_record(
    connection: &Connection,
    record: &OpId,
    exact: u64,
) -> Result<Option<i64>, StoreError> {
    let number = connection
        .prepare_cached(
            "SELECT number FROM record WHERE substr(id, 1, 6) = ?1 AND id = ?2 AND exact = ?3",
        )?
        .query_row(params![indexed(&record.0), record.0, exact.cast_signed()], |row| row.get(0))
        .optional()?;
    Ok(number)
}

fn record_number(connection: &Connection, item: &ReceiptItem) -> Result<i64, StoreError> {
    if let Some(number) = known_record(connection, &item.record, item.exact)? {
        return Ok(number);
    }
    let sampled: Vec<u8> = item.sampled.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    connection
        .prepare_cached("INSERT INTO record (id, exact, sampled) VALUES (?1, ?2, ?3)")?
        .execute(params![item.record.0, item.exact.cast_signed(), sampled])?;
    let number = connection.last_insert_rowid();
    let mut shingle = connection
        .prepare_cached("INSERT OR IGNORE INTO shingle (hash, record) VALUES (?1, ?2)")?;
    for hash in &item.sampled {
        shingle.execute(params![stored_hash(*hash), number])?;
    }
    Ok(number)
}

/// The columns of a receipt, in the order in which [`kept_at`] reads them.
const COLUMNS: &str = "number, id, ts, (SELECT text FROM name WHERE name.number = agent),
    (SELECT text FROM name WHERE name.number = session), records, body";

/// At most `limit` receipts, the latest first.
pub(in crate::sqlite) fn list(
    connection: &Connection,
    filter: &ReceiptFilter,
    limit: usize,
) -> Result<Vec<KeptReceipt>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM receipt
         WHERE (?1 IS NULL OR agent = (SELECT number FROM name WHERE text = ?1))
           AND (?2 IS NULL OR session = (SELECT number FROM name WHERE text = ?2))
           AND (?3 IS NULL OR ts >= ?3)
           AND (?4 IS NULL OR number IN
                (SELECT shown.receipt FROM shown JOIN record ON record.number = shown.record
                 WHERE substr(record.id, 1, 6) = substr(?4, 1, 6) AND record.id = ?4))
         ORDER BY number DESC LIMIT ?5"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let of = filter.of.map(|of| of.0);
    let mut rows =
        statement.query(params![filter.agent, filter.session, filter.since_us, of, limit])?;
    let mut kept = Vec::new();
    while let Some(row) = rows.next()? {
        kept.push(kept_at(connection, row)?);
    }
    Ok(kept)
}

/// At most `limit` receipts whose ids lie between two, in their order.
pub(in crate::sqlite) fn between(
    connection: &Connection,
    first: &OpId,
    last: &OpId,
    limit: usize,
) -> Result<Vec<KeptReceipt>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM receipt
         WHERE substr(id, 1, 6) BETWEEN ?1 AND ?2 AND id BETWEEN ?3 AND ?4 ORDER BY id LIMIT ?5"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows =
        statement.query(params![indexed(&first.0), indexed(&last.0), first.0, last.0, limit])?;
    let mut kept = Vec::new();
    while let Some(row) = rows.next()? {
        kept.push(kept_at(connection, row)?);
    }
    Ok(kept)
}

/// One receipt.
pub(in crate::sqlite) fn get(
    connection: &Connection,
    number: i64,
) -> Result<Option<KeptReceipt>, StoreError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM receipt WHERE number = ?1"))?;
    let mut rows = statement.query([number])?;
    rows.next()?.map(|row| kept_at(connection, row)).transpose()
}

fn kept_at(connection: &Connection, row: &Row<'_>) -> Result<KeptReceipt, StoreError> {
    let mut records = Vec::new();
    for number in numbers(row, 5)? {
        records.push(shown_record(connection, number)?);
    }
    Ok(KeptReceipt {
        number: row.get(0)?,
        id: ReceiptId(id_at(row, 1)?.0),
        ts_us: row.get(2)?,
        agent: row.get(3)?,
        session: row.get(4)?,
        records,
        body: row.get(6)?,
    })
}

/// The numbers of the records of a receipt, in the order in which they were shown.
fn numbers(row: &Row<'_>, column: usize) -> Result<Vec<i64>, StoreError> {
    let bytes = row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?;
    let (mut rest, mut numbers) = (bytes, Vec::new());
    while !rest.is_empty() {
        let number = varint::take(&mut rest).ok_or_else(damaged)?;
        numbers.push(number.cast_signed());
    }
    Ok(numbers)
}

fn damaged() -> StoreError {
    StoreError::Damaged { detail: "a receipt in the journal does not read".to_owned() }
}

/// A record as it was shown.
fn shown_record(connection: &Connection, number: i64) -> Result<ShownRecord, StoreError> {
    let found = connection
        .prepare_cached("SELECT id, exact FROM record WHERE number = ?1")?
        .query_row([number], |row| {
            let exact = row.get::<_, i64>(1)?.cast_unsigned();
            Ok(ShownRecord { id: id_at(row, 0)?, exact })
        })
        .optional()?;
    found.ok_or_else(damaged)
}

/// The numbers of the latest `limit` receipts that show a text with this shingle.
pub(in crate::sqlite) fn with_shingle(
    connection: &Connection,
    shingle: u32,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let mut records = connection.prepare_cached(
        "SELECT record FROM shingle WHERE hash = ?1 ORDER BY record DESC LIMIT ?2",
    )?;
    let records: Vec<i64> = records
        .query_map(params![stored_hash(shingle), RECORDS_OF_SHINGLE_MAX as i64], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut receipts = connection.prepare_cached(
        "SELECT receipt FROM shown WHERE record = ?1 ORDER BY receipt DESC LIMIT ?2",
    )?;
    let mut latest = Vec::new();
    for record in records {
        let found = receipts.query_map([record, limit as i64], |row| row.get::<_, i64>(0))?;
        latest.extend(found.collect::<Result<Vec<_>, _>>()?);
    }
    latest.sort_unstable_by(|left, right| right.cmp(left));
    latest.dedup();
    latest.truncate(limit);
    Ok(latest)
}

/// The numbers of the latest `limit` receipts of a conversation.
pub(in crate::sqlite) fn in_session(
    connection: &Connection,
    session: &str,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT number FROM receipt WHERE session = (SELECT number FROM name WHERE text = ?1)
         ORDER BY number DESC LIMIT ?2",
    )?;
    let numbers = statement.query_map(params![session, limit as i64], |row| row.get(0))?;
    Ok(numbers.collect::<Result<_, _>>()?)
}

/// How many receipts there are.
pub(in crate::sqlite) fn count(connection: &Connection) -> Result<u64, StoreError> {
    let count: i64 = connection.query_row("SELECT count(*) FROM receipt", [], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Deletes the receipts from before a time and returns their number.
pub(super) fn delete_before(connection: &Connection, before_us: i64) -> Result<u64, StoreError> {
    let mut statement = connection.prepare("SELECT number FROM receipt WHERE ts < ?1")?;
    let old: Vec<i64> =
        statement.query_map([before_us], |row| row.get(0))?.collect::<Result<_, _>>()?;
    old.iter().try_for_each(|number| delete(connection, *number))?;
    Ok(old.len() as u64)
}

/// Deletes the receipts that show a record, and returns their number.
pub(super) fn delete_showing(connection: &Connection, record: &OpId) -> Result<u64, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT shown.receipt FROM shown JOIN record ON record.number = shown.record
         WHERE substr(record.id, 1, 6) = substr(?1, 1, 6) AND record.id = ?1",
    )?;
    let showing: Vec<i64> =
        statement.query_map([record.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
    showing.iter().try_for_each(|number| delete(connection, *number))?;
    Ok(showing.len() as u64)
}

/// Deletes a receipt, and the records and names that no other receipt uses.
fn delete(connection: &Connection, receipt: i64) -> Result<(), StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT agent, session, records FROM receipt WHERE number = ?1")?;
    let mut rows = statement.query([receipt])?;
    let Some(row) = rows.next()? else { return Ok(()) };
    let names: [Option<i64>; 2] = [row.get(0)?, row.get(1)?];
    let records = numbers(row, 2)?;
    drop(rows);
    connection.prepare_cached("DELETE FROM receipt WHERE number = ?1")?.execute([receipt])?;
    let mut shown =
        connection.prepare_cached("DELETE FROM shown WHERE record = ?1 AND receipt = ?2")?;
    for record in records {
        shown.execute([record, receipt])?;
        delete_record_if_unused(connection, record)?;
    }
    let mut name = connection.prepare_cached(
        "DELETE FROM name WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM receipt WHERE agent = ?1)
           AND NOT EXISTS (SELECT 1 FROM receipt WHERE session = ?1)",
    )?;
    for number in names.into_iter().flatten() {
        name.execute([number])?;
    }
    Ok(())
}

fn delete_record_if_unused(connection: &Connection, record: i64) -> Result<(), StoreError> {
    let is_used = connection
        .prepare_cached("SELECT 1 FROM shown WHERE record = ?1 LIMIT 1")?
        .exists([record])?;
    if is_used {
        return Ok(());
    }
    let sampled: Option<Vec<u8>> = connection
        .prepare_cached("SELECT sampled FROM record WHERE number = ?1")?
        .query_row([record], |row| row.get(0))
        .optional()?;
    let sampled = sampled.unwrap_or_default();
    let mut shingle =
        connection.prepare_cached("DELETE FROM shingle WHERE hash = ?1 AND record = ?2")?;
    for hash in sampled.chunks_exact(4).filter_map(|hash| hash.try_into().ok()) {
        shingle.execute(params![stored_hash(u32::from_le_bytes(hash)), record])?;
    }
    connection.prepare_cached("DELETE FROM record WHERE number = ?1")?.execute([record])?;
    Ok(())
}

/// Deletes the oldest receipts that exceed the limits, a bounded number, and shrinks the file by a
/// bounded number of pages. Of what exceeds the limits by more, the next batches delete the rest.
pub(super) fn keep_limits(
    connection: &Connection,
    limits: &JournalLimits,
    now_us: i64,
) -> Result<(), StoreError> {
    let kept_us = limits.keep_for.as_micros().try_into().unwrap_or(i64::MAX);
    let before_us = now_us.saturating_sub(kept_us);
    // One may be from a clock that was far ahead. It stays until the size decides, and delays no
    // other.
    let mut oldest =
        connection.prepare_cached("SELECT number, ts FROM receipt ORDER BY number LIMIT ?1")?;
    let oldest: Vec<(i64, i64)> = oldest
        .query_map([PRUNED_MAX as i64], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let bytes_max = limits.bytes_max.saturating_add(super::thought_use::bytes(connection)?);
    for (number, ts_us) in oldest {
        if ts_us < before_us || used_bytes(connection)? > bytes_max {
            delete(connection, number)?;
        }
    }
    shrink(connection, SHRUNK_PAGES_MAX)
}

/// Gives free pages back to the system, apart from a few, and at most `pages_max`.
pub(super) fn shrink(connection: &Connection, pages_max: i64) -> Result<(), StoreError> {
    let free: i64 = pragma(connection, "PRAGMA freelist_count")?;
    let pages = (free - FREE_PAGES_KEPT).min(pages_max);
    if pages <= 0 {
        return Ok(());
    }
    let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    let mut rows = vacuum.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

/// Bytes of the pages that hold something.
pub(super) fn used_bytes(connection: &Connection) -> Result<u64, StoreError> {
    let pages =
        pragma(connection, "PRAGMA page_count")? - pragma(connection, "PRAGMA freelist_count")?;
    Ok(pages.unsigned_abs() * pragma(connection, "PRAGMA page_size")?.unsigned_abs())
}

fn pragma(connection: &Connection, pragma: &str) -> Result<i64, StoreError> {
    Ok(connection.prepare_cached(pragma)?.query_row([], |row| row.get(0))?)
}
