//! Echo detection: a record that repeats an earlier record, or text that memory showed, is recorded
//! but does not count as new evidence.
//!
//! When a record is written, similar texts are looked up by a few keys: the hash of all its words
//! and its smallest shingles. The full shingle sets of the candidates are then compared
//! ([`rules`]). An echo carries a mark in its signed body ([`kernel::evidence::Echo`]), so that
//! derivation stays a function of the ledger alone; derivers never see echoes.
//! `docs/design/0014-echo.md` explains the rules.
//!
//! The number of keys of a record and the number of candidates of a key are limited.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use kernel::evidence::{Echo, EchoKind, Evidence};
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::Role;
use store::Position;
use store::sqlite::{Injected, OperationRow, ShownRecord, SqliteWriting};

use crate::EngineError;
use crate::recall::receipts::shown_shingles;

mod rules;

pub(crate) use rules::TextFingerprint;
use rules::{ECHO_SHARE, Likeness};

/// How many of a record's smallest shingles it is looked for by.
const SMALLEST: usize = 2;
/// How many shingles are looked up among what was shown.
const INJECTED_SHINGLES: usize = 6;
/// The latest records of a key that are compared.
const PER_KEY_MAX: usize = 3;
/// Records that one is compared with.
const CANDIDATES_MAX: usize = 8;
/// Receipts that a record is compared with.
const RECEIPTS_MAX: usize = 8;
/// Records that were shown whose shingles are kept in memory during a transaction.
const SHOWN_KEPT_MAX: usize = 4_096;
/// Earlier records that are kept in memory during a transaction, prepared for comparison.
const EARLIER_KEPT_MAX: usize = 2_048;
/// Longest body of one that is kept, bytes.
const EARLIER_BYTES_MAX: usize = 4_096;
/// Records named by a mark.
const OF_MAX: usize = 8;
/// Most keys that are buffered before they are written, during a bulk import.
const WAITING_MAX: usize = 150_000;
/// Most operations whose keys are buffered otherwise. Each process that begins to write reads these
/// operations again.
const BEHIND_MAX: u64 = 32;
/// Operations without keys, imported or recorded by an earlier version, that one transaction
/// indexes.
const CATCH_UP_MAX: usize = 2_000;

/// A buffer of keys that are not yet written. Keys are random, so a single one costs a whole page
/// of the file, while many at once share pages. Keys are computed from the ledger, so the next
/// process restores those that a process loses when it ends.
#[derive(Default)]
pub(crate) struct PendingKeys {
    /// Keys of records that are durable.
    keys: HashMap<u32, Vec<Position>>,
    count: usize,
    /// The position of the table when the first key was buffered.
    from: Position,
    /// The position up to which all records have keys, in the table or here.
    upto: Position,
}

/// The keys for echo detection during one write transaction.
pub(crate) struct Echoes {
    waiting: PendingKeys,
    /// Whether every record before this writing has its keys.
    has_all: bool,
    has_receipts: bool,
    /// The shingles of records that were shown, made of their texts when they are first compared.
    shown: RefCell<BTreeMap<OpId, Rc<[u32]>>>,
    /// Earlier records by their positions: many records of a batch are compared with the same ones.
    earlier: RefCell<HashMap<Position, Option<Rc<EarlierRecord>>>>,
}

/// An earlier record, prepared for comparison.
struct EarlierRecord {
    /// Its row, without the body.
    row: OperationRow,
    evidence: Evidence,
    fingerprint: TextFingerprint,
}

impl EarlierRecord {
    /// None if it is not evidence, its body is gone, or its text is not compared.
    fn of(mut row: OperationRow) -> Option<Self> {
        let evidence = evidence_of(&row)?;
        let fingerprint = TextFingerprint::of(&evidence)?;
        row.body = None;
        Some(Self { row, evidence, fingerprint })
    }
}

/// A record that was shown, and the shingles of its text, ascending.
struct ShownText {
    record: ShownRecord,
    shingles: Rc<[u32]>,
}

/// Whether more batches follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Batch {
    /// More batches follow soon.
    More,
    /// It may be the last.
    Last,
}

impl Echoes {
    /// Starts from the buffered keys and the table, and reads a limited number of further
    /// operations.
    pub(crate) fn begin(
        writing: &mut SqliteWriting<'_>,
        waiting: PendingKeys,
    ) -> Result<Self, EngineError> {
        let waiting = waiting.after(writing.echo_position()?);
        let has_receipts = writing.has_receipts();
        let mut echoes = Self {
            waiting,
            has_all: true,
            has_receipts,
            shown: RefCell::default(),
            earlier: RefCell::default(),
        };
        if echoes.waiting.upto < writing.position() {
            let bodies = writing.evidence_bodies(echoes.waiting.upto, CATCH_UP_MAX)?;
            echoes.has_all = bodies.len() < CATCH_UP_MAX;
            for (position, body) in bodies {
                echoes.waiting.upto = position;
                let evidence: Option<Evidence> =
                    body.and_then(|body| serde_json::from_slice(&body).ok());
                if let Some(evidence) = evidence
                    && evidence.echo().is_none()
                    && let Some(fingerprint) = TextFingerprint::of(&evidence)
                {
                    echoes.note(&fingerprint, position);
                }
            }
        }
        Ok(echoes)
    }

    /// The records that a record repeats, if any.
    pub(crate) fn find(
        &self,
        writing: &SqliteWriting<'_>,
        evidence: &Evidence,
        fingerprint: &TextFingerprint,
    ) -> Result<Option<Echo>, EngineError> {
        if self.has_receipts
            && let Some(echo) = self.injected(writing, evidence, fingerprint)?
        {
            return Ok(Some(echo));
        }
        if fingerprint.is_long() { self.repeated(writing, evidence, fingerprint) } else { Ok(None) }
    }

    /// The records that were shown to an agent and that this record repeats.
    fn injected(
        &self,
        writing: &SqliteWriting<'_>,
        evidence: &Evidence,
        fingerprint: &TextFingerprint,
    ) -> Result<Option<Echo>, EngineError> {
        if !rules::is_text(evidence) {
            return Ok(None);
        }
        let mut receipts = BTreeSet::new();
        if fingerprint.is_long() {
            for shingle in fingerprint.shingles.smallest(INJECTED_SHINGLES) {
                receipts.extend(writing.injected_by(*shingle, PER_KEY_MAX));
            }
        }
        if let Some(session) = &evidence.payload.session {
            receipts.extend(writing.injected_in(session, RECEIPTS_MAX));
        }
        let mut best: Option<Echo> = None;
        for number in receipts.into_iter().rev().take(RECEIPTS_MAX) {
            let Some(shown) = writing.injected(number) else { continue };
            let session = shown.session.as_deref();
            if !rules::may_come_from(evidence, fingerprint, &shown.agent, session, shown.ts_us) {
                continue;
            }
            let in_session = session.is_some() && session == evidence.payload.session.as_deref();
            let share_min = if rules::is_our_answer(evidence, &shown.items) {
                rules::ANSWER_SHARE
            } else {
                ECHO_SHARE
            };
            let shown = self.with_shingles(writing, shown)?;
            let echo = share_of(fingerprint, &shown, in_session, share_min);
            if let Some(echo) = echo
                && best.as_ref().is_none_or(|best| echo.share > best.share)
            {
                best = Some(echo);
            }
        }
        Ok(best)
    }

    /// What a receipt shows, with the shingles of each record's text. The journal does not keep
    /// them; a record whose text was removed has none.
    fn with_shingles(
        &self,
        writing: &SqliteWriting<'_>,
        shown: Injected,
    ) -> Result<Vec<ShownText>, EngineError> {
        let mut kept = self.shown.borrow_mut();
        let mut records = Vec::with_capacity(shown.items.len());
        for record in shown.items {
            if !kept.contains_key(&record.id) {
                if kept.len() >= SHOWN_KEPT_MAX {
                    kept.clear();
                }
                let line = writing.line(&record.id)?;
                let shingles = line
                    .and_then(|line| Some(shown_shingles(&line.kind, line.body.as_deref()?)))
                    .unwrap_or_default();
                kept.insert(record.id, shingles.into());
            }
            let shingles = kept.get(&record.id).map(Rc::clone).unwrap_or_default();
            records.push(ShownText { record, shingles });
        }
        Ok(records)
    }

    /// The most similar earlier record; of equally similar ones, the first.
    fn repeated(
        &self,
        writing: &SqliteWriting<'_>,
        evidence: &Evidence,
        fingerprint: &TextFingerprint,
    ) -> Result<Option<Echo>, EngineError> {
        let mut positions = BTreeSet::new();
        for key in keys(fingerprint) {
            let fresh = self.waiting.keys.get(&key).map(Vec::as_slice).unwrap_or_default();
            positions.extend(fresh.iter().rev().take(PER_KEY_MAX).copied());
            positions.extend(writing.keyed(key, PER_KEY_MAX)?);
        }
        let mut closest: Option<(bool, f64, OpId)> = None;
        for position in positions.into_iter().take(CANDIDATES_MAX) {
            let Some(earlier) = self.earlier_at(writing, position)? else { continue };
            let likeness = Likeness::of(fingerprint, &earlier.fingerprint);
            let compared = (&earlier.evidence, &earlier.fingerprint);
            // Few are alike, and whether a record stands takes several look-ups.
            if rules::repeats((evidence, fingerprint), compared, likeness)
                && closest.is_none_or(|(is_exact, share, _)| {
                    (likeness.is_exact, likeness.share) > (is_exact, share)
                })
                && stands(writing, &earlier.row, &earlier.evidence)?
            {
                closest = Some((likeness.is_exact, likeness.share, earlier.row.id));
            }
        }
        Ok(closest.map(|(is_exact, share, id)| Echo {
            of: vec![id],
            kind: if is_exact { EchoKind::Exact } else { EchoKind::Near },
            share: hundredths(if is_exact { 1.0 } else { share }),
        }))
    }

    /// The record at a position, if it is compared.
    fn earlier_at(
        &self,
        writing: &SqliteWriting<'_>,
        position: Position,
    ) -> Result<Option<Rc<EarlierRecord>>, EngineError> {
        let mut kept = self.earlier.borrow_mut();
        if let Some(earlier) = kept.get(&position) {
            return Ok(earlier.clone());
        }
        let row = writing.line_at(position)?;
        let bytes = row.as_ref().and_then(|row| row.body.as_ref()).map_or(0, Vec::len);
        let earlier = row.and_then(EarlierRecord::of).map(Rc::new);
        if bytes > EARLIER_BYTES_MAX {
            return Ok(earlier);
        }
        if kept.len() >= EARLIER_KEPT_MAX {
            kept.clear();
        }
        kept.insert(position, earlier.clone());
        Ok(earlier)
    }

    /// Buffers the keys of a record that is not an echo.
    pub(crate) fn note(&mut self, fingerprint: &TextFingerprint, position: Position) {
        if fingerprint.is_long() {
            for key in keys(fingerprint) {
                self.waiting.keys.entry(key).or_default().push(position);
                self.waiting.count += 1;
            }
        }
    }

    /// The buffered keys of a transaction that wrote nothing.
    pub(crate) fn into_pending(self) -> PendingKeys {
        self.waiting
    }

    /// Writes the buffered keys, or keeps them until there are more. Returns the keys that stay
    /// buffered, valid once the transaction is committed.
    pub(crate) fn finish(
        mut self,
        writing: &mut SqliteWriting<'_>,
        bulk: Batch,
    ) -> Result<PendingKeys, EngineError> {
        if self.has_all {
            self.waiting.upto = writing.position();
        }
        let may_wait = match bulk {
            Batch::More => self.waiting.count < WAITING_MAX,
            Batch::Last => self.waiting.upto.0.saturating_sub(self.waiting.from.0) < BEHIND_MAX,
        };
        if self.has_all && may_wait {
            return Ok(self.waiting);
        }
        self.waiting.write(writing)
    }
}

impl PendingKeys {
    /// The keys that stay buffered when the table is complete up to `read`. Another process may
    /// have written keys meanwhile, including those of our records.
    fn after(mut self, read: Position) -> Self {
        if read < self.from {
            // The file was replaced by another one.
            return Self { from: read, upto: read, ..Self::default() };
        }
        if read > self.from {
            self.keys.retain(|_, positions| {
                positions.retain(|position| *position > read);
                !positions.is_empty()
            });
            self.count = self.keys.values().map(Vec::len).sum();
            self.from = read;
            self.upto = self.upto.max(read);
        }
        self
    }

    /// Writes all keys and returns an empty buffer.
    pub(crate) fn write(self, writing: &mut SqliteWriting<'_>) -> Result<Self, EngineError> {
        let with_position = |(key, positions): (u32, Vec<Position>)| {
            positions.into_iter().map(move |position| (key, position))
        };
        let mut keys: Vec<(u32, Position)> =
            self.keys.into_iter().flat_map(with_position).collect();
        // In order, so that neighbours in the table are written together.
        keys.sort_unstable();
        writing.add_keys(&keys, self.upto)?;
        Ok(Self::default())
    }

    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The keys of a text: the hash of all of its words with its day, and its smallest shingles.
fn keys(fingerprint: &TextFingerprint) -> impl Iterator<Item = u32> + '_ {
    std::iter::once(fingerprint.of_its_day)
        .chain(fingerprint.shingles.smallest(SMALLEST).iter().copied())
}

/// The evidence in a row of the ledger.
fn evidence_of(line: &OperationRow) -> Option<Evidence> {
    let body = line.body.as_deref().filter(|_| line.kind == Kind::Evidence)?;
    serde_json::from_slice(body).ok()
}

/// Whether an earlier record is its source's latest version, was not retracted, and is not an echo
/// itself.
fn stands(
    writing: &SqliteWriting<'_>,
    line: &OperationRow,
    evidence: &Evidence,
) -> Result<bool, EngineError> {
    let latest = writing.evidence(&evidence.source, &evidence.source_uid)?;
    Ok(latest.is_some_and(|(id, _)| id == line.id)
        && evidence.echo().is_none()
        && !is_retracted(writing, &line.id)?
        && writing.access()?.holds(&line.author, Capability::Append, line.place()))
}

/// Whether a record is retracted, whoever retracted it, and nobody took that back.
fn is_retracted(writing: &SqliteWriting<'_>, id: &OpId) -> Result<bool, EngineError> {
    for retraction in writing.acting(id, &Kind::EvidenceRetraction, Role::TARGET)? {
        if writing.acting(&retraction, &Kind::RetractionWithdrawal, Role::TARGET)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The share of a text that comes from the records of one receipt, if it is large enough.
fn share_of(
    fingerprint: &TextFingerprint,
    shown: &[ShownText],
    in_session: bool,
    share_min: f64,
) -> Option<Echo> {
    let exact: Vec<OpId> = shown
        .iter()
        .filter(|shown| shown.record.exact == fingerprint.shingles.exact)
        .map(|shown| shown.record.id)
        .collect();
    if !exact.is_empty() && (in_session || fingerprint.is_long()) {
        return Some(Echo {
            of: exact.into_iter().take(OF_MAX).collect(),
            kind: EchoKind::Injected,
            share: 1.0,
        });
    }
    if !fingerprint.is_long() {
        return None;
    }
    let all: BTreeSet<u32> =
        shown.iter().flat_map(|shown| shown.shingles.iter().copied()).collect();
    // What was shown piece by piece comes back in one text, in any order.
    let all: Vec<u32> = all.into_iter().collect();
    let beside = fingerprint.shingles.words_outside(&all);
    let share = 1.0 - beside.len() as f64 / fingerprint.shingles.words.max(1) as f64;
    if share < share_min || (share_min == ECHO_SHARE && rules::says_otherwise(fingerprint, &beside))
    {
        return None;
    }
    let mut parts: BTreeMap<OpId, f64> = BTreeMap::new();
    for ShownText { record, shingles } in shown {
        let part = fingerprint.shingles.share_in(shingles);
        if part > 0.0 {
            let known = parts.entry(record.id).or_default();
            *known = part.max(*known);
        }
    }
    let mut of: Vec<(OpId, f64)> = parts.into_iter().collect();
    of.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let of = of.into_iter().take(OF_MAX).map(|(id, _)| id).collect();
    Some(Echo { of, kind: EchoKind::Injected, share: hundredths(share) })
}

fn hundredths(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests;
