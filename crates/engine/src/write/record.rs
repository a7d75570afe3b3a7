//! Recording evidence: rule 10, sealing and appending in batches.
//!
//! A record that is there already is not written again; one that its source has changed supersedes
//! what was there. "There" is the latest record of that identity at its source, so a note that was
//! changed and changed back is believed as it now stands
//! (`docs/design/0002-evidence-that-returns.md`). A forgotten record is not written again, whatever
//! its source. A record that repeats memory or an earlier record is written with a mark, and does
//! not count as evidence (`docs/design/0014-echo.md`).

use importers::secrets::Masked;
use kernel::body::Body;
use kernel::evidence::{Echo, Evidence};
use kernel::id::{BodyHash, OpId};
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::{Head, LedgerIndex};
use kernel::operation::{MalformedError, Ref, Role};
use kernel::seal::{ChainPosition, next_timestamp};
use store::Writing;
use store::sqlite::SqliteWriting;

use crate::recall::echo::{Batch, Echoes, TextFingerprint};
use crate::seal::Sealer;
use crate::write::submission::record_consequences;

use crate::{EngineError, Writer, now_us};

/// Most records of one transaction.
pub const BATCH_MAX: usize = 1_000;

/// Evidence whose secrets have been masked and whose canonical bytes have been made. Nothing else
/// is recorded, and it is made from nothing else: evidence as it came does not fit.
///
/// ```compile_fail,E0308
/// # fn not_masked(evidence: kernel::evidence::Evidence) {
/// let _ = engine::write::record::Prepared::new(evidence);
/// # }
/// ```
///
/// ```
/// # fn masked(evidence: kernel::evidence::Evidence) {
/// let _ = engine::write::record::Prepared::new(importers::secrets::mask(evidence));
/// # }
/// ```
pub struct Prepared {
    body: Body,
    bytes: Vec<u8>,
    /// For the comparison with earlier records; `None` if it is not compared.
    fingerprint: Option<TextFingerprint>,
}

/// The outcome of recording one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is new.
    Added(OpId),
    /// It is there.
    Present(OpId),
    /// It was there and is forgotten, so it is not written again.
    Forgotten(OpId),
    /// It replaces what was there.
    Replaced {
        /// The new operation.
        new: OpId,
        /// What it supersedes.
        old: OpId,
    },
}

/// What becomes of a record that was forgotten and comes again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForgottenPolicy {
    /// It is not written.
    #[default]
    StaysForgotten,
    /// It is written as a new record.
    RecordAgain,
}

impl ForgottenPolicy {
    /// The forgotten operation that keeps a record from being written.
    fn forgotten(
        self,
        writing: &SqliteWriting<'_>,
        sealer: &Sealer,
        prepared: &Prepared,
    ) -> Result<Option<OpId>, EngineError> {
        match self {
            Self::StaysForgotten => Ok(writing.removed(&sealer.body_hash(prepared))?),
            Self::RecordAgain => Ok(None),
        }
    }
}

impl Prepared {
    /// Makes the canonical bytes. Fails for what is larger than a body may be.
    pub fn new(evidence: Masked<Evidence>) -> Result<Self, MalformedError> {
        let mut evidence = evidence.into_inner();
        // Whether something is an echo is ours to say, not its source's.
        if let Some(named) = evidence.payload.more.remove(Echo::FIELD) {
            evidence.payload.more.insert(format!("source_{}", Echo::FIELD), named);
        }
        let fingerprint = TextFingerprint::of(&evidence);
        let body = Body::Evidence(evidence);
        let bytes = body.canonical()?;
        Ok(Self { body, bytes, fingerprint })
    }

    /// With the mark of an echo, if it is one. A new version of what was no echo is its source's
    /// own word.
    fn compared(
        mut self,
        earlier: Option<OpId>,
        echoes: &Echoes,
        writing: &SqliteWriting<'_>,
    ) -> Result<Self, EngineError> {
        if let Some(earlier) = earlier
            && !is_marked(writing, &earlier)?
        {
            return Ok(self);
        }
        let (Body::Evidence(evidence), Some(fingerprint)) = (&mut self.body, &self.fingerprint)
        else {
            return Ok(self);
        };
        if let Some(echo) = echoes.find(writing, evidence, fingerprint)? {
            evidence.mark_echo(&echo);
            self.fingerprint = None;
            match self.body.canonical() {
                Ok(bytes) => self.bytes = bytes,
                // The mark made it too large for a body: it is recorded as it came.
                Err(_) => {
                    if let Body::Evidence(evidence) = &mut self.body {
                        evidence.unmark_echo();
                    }
                }
            }
        }
        Ok(self)
    }

    /// Its canonical bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives its canonical bytes away, to be sealed.
    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    fn is_marked(&self) -> bool {
        matches!(&self.body, Body::Evidence(evidence) if evidence.echo().is_some())
    }

    fn source(&self) -> Option<(&str, &str)> {
        match &self.body {
            Body::Evidence(evidence) => Some((&evidence.source, &evidence.source_uid)),
            _ => None,
        }
    }
}

impl Writer<'_> {
    /// Records at most [`BATCH_MAX`] records in one transaction: all are durable when this returns,
    /// or none is there.
    pub fn record(
        &mut self,
        batch: Vec<Prepared>,
        now: jiff::Timestamp,
    ) -> Result<Vec<Outcome>, EngineError> {
        let sealer = self.sealer;
        let waiting = &mut *self.echoes;
        let bulk = if batch.len() == BATCH_MAX { Batch::More } else { Batch::Last };
        let mut writing = self.store.write()?;
        let mut head = writing.head(&sealer.author())?;
        let mut stamp = writing.latest()?;
        let space = writing.space()?;
        let mut outcomes = Vec::with_capacity(batch.len());
        let (mut written, mut replaced) = (false, false);
        // If something fails, what waited is given up, and read again the next time.
        let mut echoes = Echoes::begin(&mut writing, std::mem::take(waiting))?;
        for prepared in batch {
            let there = match prepared.source() {
                Some((source, uid)) => writing.evidence(source, uid)?,
                None => None,
            };
            if let Some((id, hash)) = there
                && is_same(&writing, sealer, &prepared, id, hash)?
            {
                outcomes.push(Outcome::Present(id));
                continue;
            }
            if let Some(id) = self.policy.forgotten(&writing, sealer, &prepared)? {
                outcomes.push(Outcome::Forgotten(id));
                continue;
            }
            let mut prepared = prepared.compared(there.map(|(id, _)| id), &echoes, &writing)?;
            if prepared.is_marked()
                && let Some(id) = self.policy.forgotten(&writing, sealer, &prepared)?
            {
                outcomes.push(Outcome::Forgotten(id));
                continue;
            }
            let refs = match there {
                Some((id, _)) => vec![Ref { id, role: Role::parse(Role::SUPERSEDES)? }],
                None => Vec::new(),
            };
            let ts = next_timestamp(now_us(now), stamp);
            let place = ChainPosition { space, head, ts };
            let operation = sealer.seal_evidence(&mut prepared, refs, place)?;
            writing.record(&operation, Some(&prepared.body))?;
            if let Some(fingerprint) = &prepared.fingerprint {
                echoes.note(fingerprint, writing.position());
            }
            written = true;
            replaced |= there.is_some();
            stamp = Some(ts);
            head = Some(Head { seq: operation.header().seq, id: operation.id(), ts });
            let new = operation.id();
            outcomes
                .push(there.map_or(Outcome::Added(new), |(old, _)| Outcome::Replaced { new, old }));
        }
        if replaced {
            // What stood on an earlier version is invalidated with it.
            record_consequences(sealer, &mut writing, now_us(now))?;
        }
        if written {
            let waits = echoes.finish(&mut writing, bulk)?;
            Box::new(writing).commit()?;
            *waiting = waits;
        } else {
            *waiting = echoes.into_pending();
        }
        Ok(outcomes)
    }

    /// Writes down by what the records of a bulk are found again, after the last of it.
    pub(crate) fn end_bulk(&mut self) -> Result<(), EngineError> {
        if !self.echoes.is_empty() {
            let waiting = std::mem::take(self.echoes);
            let mut writing = self.store.write()?;
            waiting.write(&mut writing)?;
            Box::new(writing).commit()?;
        }
        Ok(())
    }

    /// Records one record. Evidence that was not masked is masked here.
    pub fn remember(
        &mut self,
        evidence: impl Into<Masked<Evidence>>,
        now: jiff::Timestamp,
    ) -> Result<Outcome, EngineError> {
        let outcomes = self.record(vec![Prepared::new(evidence.into())?], now)?;
        outcomes.first().copied().ok_or(EngineError::UnknownId { prefix: String::new() })
    }
}

/// Whether what is there says the same: by hash if this device wrote it, by content if another did.
/// A record whose author turned out not to be allowed to append says nothing.
fn is_same(
    writing: &dyn Writing,
    sealer: &Sealer,
    prepared: &Prepared,
    id: OpId,
    hash: BodyHash,
) -> Result<bool, EngineError> {
    if sealer.body_hash(prepared) != hash
        && writing.body(&id)?.is_none_or(|body| {
            body != prepared.bytes && without_mark(&body).is_none_or(|came| came != prepared.bytes)
        })
    {
        return Ok(false);
    }
    let Some(entry) = writing.entry(&id)? else { return Ok(false) };
    Ok(writing.access()?.holds(&entry.author, Capability::Append, entry.order()))
}

/// The record that a marked body holds, as it came; none if it has no mark.
pub(crate) fn without_mark(body: &[u8]) -> Option<Vec<u8>> {
    let Ok(Body::Evidence(mut evidence)) = Body::parse(&Kind::Evidence, body) else { return None };
    if !evidence.unmark_echo() {
        return None;
    }
    Body::Evidence(evidence).canonical().ok()
}

/// Whether a record is marked as an echo.
fn is_marked(writing: &dyn Writing, id: &OpId) -> Result<bool, EngineError> {
    Ok(writing.body(id)?.is_some_and(|body| without_mark(&body).is_some()))
}

/// How many of each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// New records.
    pub added: u64,
    /// Records that replace an earlier version.
    pub replaced: u64,
    /// Records that were there.
    pub present: u64,
    /// Records that were there and are forgotten, so that they were not written again.
    pub forgotten: u64,
}

impl Tally {
    /// Counts outcomes.
    pub fn count(&mut self, outcomes: &[Outcome]) {
        for outcome in outcomes {
            match outcome {
                Outcome::Added(_) => self.added += 1,
                Outcome::Replaced { .. } => self.replaced += 1,
                Outcome::Present(_) => self.present += 1,
                Outcome::Forgotten(_) => self.forgotten += 1,
            }
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.added + self.replaced + self.present + self.forgotten
    }
}
