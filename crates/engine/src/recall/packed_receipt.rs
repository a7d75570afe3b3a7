//! Receipts in few bytes, as the journal stores them.
//!
//! A receipt's id is the hash of its canonical JSON, which repeats names, digits and field names. A
//! packed receipt holds the same values: times, names and ids of records are in columns of the
//! journal, digests are bytes, and scores, which have six decimals, are whole numbers. Unpacking
//! gives the same receipt exactly, and so the same id; a receipt of which that is not so, and one
//! of an earlier version, is stored as its JSON.

use kernel::id::{OpId, ReceiptId};
use kernel::when::When;
use store::sqlite::KeptReceipt;
use store::{StoreError, varint};

use super::receipts::{Reason, Receipt, Shown, Tier};

/// The first byte of a packed receipt. JSON begins with a brace.
const PACKED: u8 = 1;
/// Scores have six decimals.
const SCALE: f64 = 1e6;
/// Most items that are read; more than any receipt has.
const ITEMS_MAX: u64 = 1 << 16;
const TIERS: [Tier; 5] =
    [Tier::System, Tier::Facts, Tier::Episodes, Tier::ToolResults, Tier::RecentTurns];

/// A receipt as it is stored: packed, or as JSON.
pub(super) fn pack(receipt: &Receipt, json: &[u8]) -> Vec<u8> {
    let packed = try_pack(receipt);
    let names = (receipt.agent.as_str(), receipt.session.as_deref());
    let records: Vec<OpId> = receipt.items.iter().filter_map(|item| item.id).collect();
    let us = receipt.time.instant_us();
    match packed {
        Some(packed) if unpack(&packed, us, names, &records).as_ref() == Some(receipt) => packed,
        _ => json.to_vec(),
    }
}

/// Reads a stored receipt. One that is not what its id says is damaged.
pub(super) fn read(kept: &KeptReceipt) -> Result<Receipt, StoreError> {
    let damaged = |detail: &str| StoreError::Damaged { detail: format!("{} {detail}", kept.id) };
    let json;
    let (bytes, mut receipt) = if kept.body.first() == Some(&PACKED) {
        let records: Vec<OpId> = kept.records.iter().map(|record| record.id).collect();
        let names = (kept.agent.as_str(), kept.session.as_deref());
        let receipt = unpack(&kept.body, kept.ts_us, names, &records)
            .ok_or_else(|| damaged("cannot be read"))?;
        json = kernel::canonical::to_bytes(&receipt).map_err(|_| damaged("cannot be read"))?;
        (json.as_slice(), receipt)
    } else {
        let receipt = serde_json::from_slice(&kept.body)
            .map_err(|error| damaged(&format!("cannot be read: {error}")))?;
        (kept.body.as_slice(), receipt)
    };
    if ReceiptId(*blake3::hash(bytes).as_bytes()) != kept.id {
        return Err(damaged("does not hold what its id says"));
    }
    receipt.id = Some(kept.id);
    Ok(receipt)
}

fn try_pack(receipt: &Receipt) -> Option<Vec<u8>> {
    let mut bytes = vec![PACKED];
    let time: jiff::Timestamp = receipt.time.as_str().parse().ok()?;
    varint::push(&mut bytes, time.subsec_nanosecond().rem_euclid(1_000).cast_unsigned().into());
    push_optional(&mut bytes, receipt.turn);
    bytes.extend(digest_bytes(&receipt.query)?);
    match &receipt.text {
        Some(text) => {
            bytes.push(1);
            bytes.extend(digest_bytes(text)?);
        }
        None => bytes.push(0),
    }
    varint::push(&mut bytes, receipt.tokens);
    varint::push(&mut bytes, receipt.items.len() as u64);
    for item in &receipt.items {
        push_item(&mut bytes, item)?;
    }
    Some(bytes)
}

/// The first byte of an item says its tier, whether it is a record, whether it has a score, and why
/// it was shown.
fn push_item(bytes: &mut Vec<u8>, item: &Shown) -> Option<()> {
    let tier = TIERS.iter().position(|tier| *tier == item.tier)? as u64;
    let (why, numbers): (u64, Vec<Number>) = match item.reason {
        Reason::NewestTurn => (0, vec![]),
        Reason::RecentTurn => (1, vec![]),
        Reason::ToolResult { rank } => (2, vec![Number::Whole(rank as u64)]),
        Reason::Relevant { similarity, confidence: None, recency } => {
            (3, vec![Number::Score(similarity), Number::Score(recency)])
        }
        Reason::Relevant { similarity, confidence: Some(confidence), recency } => {
            let scores = [similarity, confidence, recency];
            (4, scores.into_iter().map(Number::Score).collect())
        }
        Reason::Asked { rank } => (5, vec![Number::Whole(rank as u64)]),
        Reason::Instructions => (6, vec![]),
    };
    let has_id = u64::from(item.id.is_some());
    let has_score = u64::from(item.score.is_some());
    varint::push(bytes, ((why * 5 + tier) << 2) | (has_id << 1) | has_score);
    varint::push(bytes, item.tokens);
    for number in numbers.into_iter().chain(item.score.map(Number::Score)) {
        match number {
            Number::Whole(number) => varint::push(bytes, number),
            Number::Score(score) => varint::push(bytes, scaled(score)?),
        }
    }
    Some(())
}

enum Number {
    Whole(u64),
    Score(f64),
}

/// A score as a whole number, its sign in the lowest bit; none if it has more than six decimals.
fn scaled(score: f64) -> Option<u64> {
    let whole = (score.abs() * SCALE).round();
    (whole < 9e15).then_some(((whole as u64) << 1) | u64::from(score < 0.0))
}

fn digest_bytes(digest: &str) -> Option<[u8; 32]> {
    Some(*blake3::Hash::from_hex(digest).ok()?.as_bytes())
}

fn push_optional(bytes: &mut Vec<u8>, number: Option<u64>) {
    bytes.push(number.is_some().into());
    if let Some(number) = number {
        varint::push(bytes, number);
    }
}

/// The reverse of [`try_pack`]; none if the bytes are damaged.
fn unpack(
    bytes: &[u8],
    us: i64,
    (agent, session): (&str, Option<&str>),
    records: &[OpId],
) -> Option<Receipt> {
    let mut rest = bytes.strip_prefix(&[PACKED])?;
    let nanoseconds = i64::try_from(take(&mut rest)?).ok()?;
    let time = jiff::Timestamp::from_microsecond(us)
        .ok()?
        .checked_add(jiff::SignedDuration::from_nanos(nanoseconds))
        .ok()?;
    let turn = if take_byte(&mut rest)? == 1 { Some(take(&mut rest)?) } else { None };
    let query = take_digest(&mut rest)?;
    let text = if take_byte(&mut rest)? == 1 { Some(take_digest(&mut rest)?) } else { None };
    let tokens = take(&mut rest)?;
    let count = take(&mut rest).filter(|count| *count <= ITEMS_MAX)?;
    let mut records = records.iter();
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(take_item(&mut rest, &mut records)?);
    }
    if !rest.is_empty() || records.next().is_some() {
        return None;
    }
    let (agent, session) = (agent.to_owned(), session.map(str::to_owned));
    let time = When::from_timestamp(time);
    Some(Receipt { id: None, time, agent, session, turn, query, text, tokens, items })
}

fn take_item<'a>(rest: &mut &[u8], records: &mut impl Iterator<Item = &'a OpId>) -> Option<Shown> {
    let head = take(rest)?;
    let (has_score, has_id, kind) = (head & 1 == 1, head & 2 == 2, head >> 2);
    let tier = *TIERS.get((kind % 5) as usize)?;
    let tokens = take(rest)?;
    let reason = match kind / 5 {
        0 => Reason::NewestTurn,
        1 => Reason::RecentTurn,
        2 => Reason::ToolResult { rank: usize::try_from(take(rest)?).ok()? },
        3 => {
            let (similarity, recency) = (take_score(rest)?, take_score(rest)?);
            Reason::Relevant { similarity, confidence: None, recency }
        }
        4 => {
            let (similarity, confidence) = (take_score(rest)?, Some(take_score(rest)?));
            Reason::Relevant { similarity, confidence, recency: take_score(rest)? }
        }
        5 => Reason::Asked { rank: usize::try_from(take(rest)?).ok()? },
        6 => Reason::Instructions,
        _ => return None,
    };
    let score = if has_score { Some(take_score(rest)?) } else { None };
    let id = if has_id { Some(*records.next()?) } else { None };
    Some(Shown { id, tier, tokens, reason, score })
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    varint::take(rest)
}

fn take_byte(rest: &mut &[u8]) -> Option<u8> {
    let (byte, after) = rest.split_first()?;
    *rest = after;
    Some(*byte)
}

fn take_digest(rest: &mut &[u8]) -> Option<String> {
    let (digest, after) = rest.split_at_checked(32)?;
    *rest = after;
    Some(blake3::Hash::from_slice(digest).ok()?.to_hex().to_string())
}

fn take_score(rest: &mut &[u8]) -> Option<f64> {
    let stored = take(rest)?;
    let score = (stored >> 1) as f64 / SCALE;
    Some(if stored & 1 == 1 { -score } else { score })
}

#[cfg(test)]
mod tests {
    use store::sqlite::ShownRecord;

    use super::*;

    fn item(tier: Tier, reason: Reason, id: Option<u8>, score: Option<f64>) -> Shown {
        Shown { id: id.map(|id| OpId([id; 32])), tier, tokens: 21, reason, score }
    }

    fn receipt() -> Receipt {
        let relevant =
            |confidence| Reason::Relevant { similarity: 0.123_457, confidence, recency: 1.0 };
        Receipt {
            id: None,
            time: When::from_timestamp("2026-03-01T09:00:00.123456789Z".parse().unwrap()),
            agent: "claude".to_owned(),
            session: Some("s1".to_owned()),
            turn: Some(300),
            query: blake3::hash(b"which glaze?").to_hex().to_string(),
            text: Some(blake3::hash(b"the whole text").to_hex().to_string()),
            tokens: 1_500,
            items: vec![
                item(Tier::System, Reason::Instructions, None, None),
                item(Tier::Facts, relevant(Some(0.7)), Some(1), Some(0.000_001)),
                item(Tier::Episodes, relevant(None), Some(2), Some(-0.25)),
                item(Tier::ToolResults, Reason::ToolResult { rank: 2 }, None, Some(12.5)),
                item(Tier::Episodes, Reason::Asked { rank: 50 }, Some(2), None),
                item(Tier::RecentTurns, Reason::RecentTurn, None, None),
                item(Tier::RecentTurns, Reason::NewestTurn, None, None),
            ],
        }
    }

    fn kept(receipt: &Receipt) -> KeptReceipt {
        let json = kernel::canonical::to_bytes(receipt).unwrap();
        let records = receipt.items.iter().filter_map(|item| item.id);
        KeptReceipt {
            number: 1,
            id: ReceiptId(*blake3::hash(&json).as_bytes()),
            ts_us: receipt.time.instant_us(),
            agent: receipt.agent.clone(),
            session: receipt.session.clone(),
            records: records.map(|id| ShownRecord { id, exact: 0 }).collect(),
            body: pack(receipt, &json),
        }
    }

    #[test]
    fn a_packed_receipt_comes_back_with_its_id_and_is_small() {
        let receipt = receipt();
        let kept = kept(&receipt);
        assert_eq!(kept.body.first(), Some(&PACKED));
        assert!(kept.body.len() < 140, "{} bytes", kept.body.len());
        let read = read(&kept).unwrap();
        assert_eq!(read, Receipt { id: Some(kept.id), ..receipt });
    }

    #[test]
    fn what_does_not_come_back_exactly_is_stored_as_json() {
        let mut receipt = receipt();
        receipt.items[1].score = Some(1.0 / 3.0);
        let stored = kept(&receipt);
        assert_eq!(stored.body.first(), Some(&b'{'));
        assert_eq!(read(&stored).unwrap().items, receipt.items);
        receipt.items[1].score = Some(f64::NAN);
        receipt.query = "not a digest".to_owned();
        assert_eq!(pack(&receipt, b"{}"), b"{}");
    }

    #[test]
    fn a_changed_or_truncated_receipt_is_damaged() {
        let stored = kept(&receipt());
        for length in 0..stored.body.len() {
            let body = stored.body.get(..length).unwrap().to_vec();
            assert!(read(&KeptReceipt { body, ..stored.clone() }).is_err(), "{length}");
        }
        for place in 0..stored.body.len() {
            let mut body = stored.body.clone();
            body[place] ^= 1;
            assert!(read(&KeptReceipt { body, ..stored.clone() }).is_err(), "{place}");
        }
        assert!(read(&KeptReceipt { agent: "another".to_owned(), ..stored.clone() }).is_err());
        assert!(read(&KeptReceipt { records: Vec::new(), ..stored }).is_err());
    }
}
