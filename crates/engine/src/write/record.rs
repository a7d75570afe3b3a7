//! Recording evidence: rule 10, sealing and appending in batches.
//!
//! A record that is there already is not written again; one that its source has changed supersedes
//! what was there. "There" is the latest record of that identity at its source, so a note that was
//! changed and changed back is believed as it now stands
//! (`docs/design/0002-evidence-that-returns.md`). A forgotten record is not written again, whatever
//! its source. A record that repeats memory or an earlier record is written with a mark, and does
//! not count as evidence (`docs/design/0014-echo.md`).

use std::cell::OnceCell;

use importers::secrets::Masked;
use kernel::body::{Body, Reason, SeqRange};
use kernel::evidence::{Echo, Evidence, EvidenceKind};
use kernel::id::{Author, BodyHash, OpId};
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::{Head, LedgerIndex};
use kernel::operation::{HlcTimestamp, MalformedError, REFS_MAX, Ref, Role};
use kernel::seal::{ChainPosition, next_timestamp};
use store::Writing;
use store::sqlite::SqliteWriting;

use crate::belief::Bodies;
use crate::belief::review::acting_on;
use crate::recall::echo::{Batch, Echoes, TextFingerprint};
use crate::seal::{Sealable, Sealer};
use crate::write::former_names::{self, Former};
use crate::write::mirror::Renames;
use crate::write::set_aside::SetAside;
use crate::write::sources::appended_since;
use crate::write::submission::record_consequences;

use crate::{EngineError, Writer, now_us};

/// Most corrections of one record that are compared with what its source says.
const CORRECTIONS_MAX: usize = 64;
/// The reason of a retraction of what is part of a series now.
const PART_OF_SERIES: &str = "an occurrence of a series that is one record now";
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
    /// The hash of the bytes as this device seals them, once it was asked for.
    hash: OnceCell<(Author, BodyHash)>,
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
    fn forgotten<B: Bodies + ?Sized>(
        self,
        index: &B,
        sealer: &Sealer,
        prepared: &Prepared,
    ) -> Result<Option<OpId>, EngineError> {
        match self {
            Self::StaysForgotten => Ok(index.with_removed_body(&sealer.body_hash(prepared))?),
            Self::RecordAgain => Ok(None),
        }
    }
}

impl Prepared {
    /// Makes the canonical bytes.
    ///
    /// # Errors
    /// If it is larger than a body may be.
    pub fn new(evidence: Masked<Evidence>) -> Result<Self, MalformedError> {
        let mut evidence = evidence.into_inner();
        // Whether something is an echo or a correction is ours to say, not its source's.
        for field in [Echo::FIELD, Evidence::CORRECTION, Evidence::WITHDRAWAL] {
            if let Some(named) = evidence.payload.more.remove(field) {
                evidence.payload.more.insert(format!("source_{field}"), named);
            }
        }
        Self::of(evidence)
    }

    fn of(evidence: Evidence) -> Result<Self, MalformedError> {
        let fingerprint = TextFingerprint::of(&evidence);
        let body = Body::Evidence(evidence);
        let bytes = body.canonical()?;
        Ok(Self { body, bytes, hash: OnceCell::new(), fingerprint })
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
                Ok(bytes) => (self.bytes, self.hash) = (bytes, OnceCell::new()),
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

    /// The hash of its bytes, which is made by `hash` if it is not known for this key. An import
    /// asks for it several times.
    pub(crate) fn hash_for(&self, key: Author, hash: impl Fn(&[u8]) -> BodyHash) -> BodyHash {
        let (of, known) = self.hash.get_or_init(|| (key, hash(&self.bytes)));
        if *of == key { *known } else { hash(&self.bytes) }
    }

    /// Gives its canonical bytes away, to be sealed.
    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        self.hash = OnceCell::new();
        std::mem::take(&mut self.bytes)
    }

    /// The same record under another name.
    pub(super) fn named(&self, source_uid: String) -> Result<Self, MalformedError> {
        let mut body = self.body.clone();
        if let Body::Evidence(evidence) = &mut body {
            evidence.source_uid = source_uid;
        }
        let bytes = body.canonical()?;
        Ok(Self { body, bytes, hash: OnceCell::new(), fingerprint: None })
    }

    fn is_marked(&self) -> bool {
        matches!(&self.body, Body::Evidence(evidence) if evidence.echo().is_some())
    }

    /// Whether a body says the same, with or without a mark of ours. Somebody who joined a
    /// conversation later was not in its earlier turns.
    pub(super) fn is_said_by(&self, body: &[u8]) -> bool {
        let unmarked = without_mark(body);
        body == self.bytes
            || unmarked.as_ref().is_some_and(|came| *came == self.bytes)
            || self.is_said_among_fewer(unmarked.as_deref().unwrap_or(body))
    }

    fn is_said_among_fewer(&self, body: &[u8]) -> bool {
        let Some(turn) = self.evidence().filter(|turn| turn.kind.0 == EvidenceKind::TURN) else {
            return false;
        };
        let Ok(mut came) = serde_json::from_slice::<Evidence>(body) else { return false };
        let now = &turn.payload.participants;
        let has_all = came.payload.participants.iter().all(|name| now.contains(name));
        came.payload.participants.clone_from(now);
        has_all && came == *turn
    }

    pub(super) fn source(&self) -> Option<(&str, &str)> {
        self.evidence().map(|evidence| (&*evidence.source, &*evidence.source_uid))
    }

    /// The record.
    pub(crate) fn evidence(&self) -> Option<&Evidence> {
        match &self.body {
            Body::Evidence(evidence) => Some(evidence),
            _ => None,
        }
    }
}

impl Writer<'_> {
    /// Records at most [`BATCH_MAX`] records in one transaction: all are durable when this returns,
    /// or none is there.
    ///
    /// # Errors
    /// If the key may not append. Nothing of the batch is recorded then.
    pub fn record(
        &mut self,
        batch: Vec<Prepared>,
        now: jiff::Timestamp,
    ) -> Result<Vec<Outcome>, EngineError> {
        Ok(self.record_batch(batch, &mut Renames::default(), None, now)?.outcomes)
    }

    /// The same. A new record that `renames` knows by its content supersedes the earlier one. What
    /// an earlier version said is set aside, if there is room for it, and counts as present.
    pub(crate) fn record_batch(
        &mut self,
        batch: Vec<Prepared>,
        renames: &mut Renames,
        mut aside: Option<&mut SetAside>,
        now: jiff::Timestamp,
    ) -> Result<Appended, EngineError> {
        let sealer = self.sealer;
        let waiting = &mut *self.echoes;
        let bulk = if batch.len() == BATCH_MAX { Batch::More } else { Batch::Last };
        let mut writing = self.store.write()?;
        sealer.sign_in(&mut writing, batch.len());
        let mut head = writing.head(&sealer.author())?;
        let mut stamp = writing.latest()?;
        let space = writing.space()?;
        let before = head.map_or(0, |head| head.seq);
        let mut repeated = 0;
        let mut outcomes = Vec::with_capacity(batch.len());
        let (mut written, mut replaced) = (false, false);
        // If something fails, what waited is given up, and read again the next time.
        let mut echoes = Echoes::begin(&mut writing, std::mem::take(waiting))?;
        for mut prepared in batch {
            if let Some(aside) = &mut aside {
                aside.meet(&prepared);
            }
            let index = &writing as &dyn Writing;
            let (known, mut others) =
                look_up_by_any_name(index, sealer, self.policy, &prepared, now)?;
            if let (Known::Earlier(id), Some(aside)) = (known, &mut aside) {
                match aside.take(&writing as &dyn Writing, id, prepared)? {
                    Some(back) => prepared = back,
                    None => {
                        outcomes.push(Outcome::Present(id));
                        continue;
                    }
                }
            }
            let there = match known {
                Known::Present(id) => {
                    outcomes.push(Outcome::Present(id));
                    continue;
                }
                Known::Forgotten(id) => {
                    outcomes.push(Outcome::Forgotten(id));
                    continue;
                }
                Known::Earlier(id) => Some(id),
                Known::No => prepared.evidence().and_then(|evidence| renames.take(evidence)),
            };
            let mut prepared = prepared.compared(there, &echoes, &writing)?;
            if prepared.is_marked()
                && let Some(id) =
                    self.policy.forgotten(&writing as &dyn Writing, sealer, &prepared)?
            {
                outcomes.push(Outcome::Forgotten(id));
                continue;
            }
            // An operation cites a limited number of others.
            let left = others.split_off(others.len().min(REFS_MAX - 1));
            let mut refs = Vec::new();
            for id in there.into_iter().chain(others) {
                refs.push(Ref { id, role: Role::parse(Role::SUPERSEDES)? });
            }
            let ts = next_timestamp(now_us(now), stamp);
            let place = ChainPosition { space, head, ts };
            let unsigned = sealer.prepare_evidence(&mut prepared, refs, place)?;
            writing.record_unsigned(&unsigned, Some(&prepared.body))?;
            let operation = unsigned.operation();
            if let Some(fingerprint) = &prepared.fingerprint {
                echoes.note(fingerprint, writing.position());
            }
            written = true;
            repeated += u64::from(prepared.is_marked());
            replaced |= there.is_some();
            stamp = Some(ts);
            head = Some(Head { seq: operation.header().seq, id: operation.id(), ts });
            let new = operation.id();
            for id in left {
                let ts = next_timestamp(now_us(now), stamp);
                head = Some(retract_part(sealer, &mut writing, id, ts)?);
                stamp = Some(ts);
            }
            outcomes.push(there.map_or(Outcome::Added(new), |old| Outcome::Replaced { new, old }));
        }
        if replaced {
            // What stood on an earlier version is invalidated with it.
            record_consequences(sealer, &mut writing, now_us(now))?;
        }
        let seqs = appended_since(&writing, &sealer.author(), before)?;
        if written {
            let waits = echoes.finish(&mut writing, bulk)?;
            Box::new(writing).commit()?;
            *waiting = waits;
        } else {
            *waiting = echoes.into_pending();
        }
        Ok(Appended { outcomes, repeated, seqs })
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
    ///
    /// # Errors
    /// If the record is larger than a body may be, or the key may not append.
    pub fn remember(
        &mut self,
        evidence: impl Into<Masked<Evidence>>,
        now: jiff::Timestamp,
    ) -> Result<Outcome, EngineError> {
        let outcomes = self.record(vec![Prepared::new(evidence.into())?], now)?;
        outcomes.first().copied().ok_or(EngineError::UnknownId { prefix: String::new() })
    }
}

/// What recording some records did.
#[derive(Debug, Default)]
pub(crate) struct Appended {
    /// The outcome of each.
    pub(crate) outcomes: Vec<Outcome>,
    /// How many were written with the mark of an echo.
    pub(crate) repeated: u64,
    /// What was appended, in the author's chain.
    pub(crate) seqs: Option<SeqRange>,
}

/// What the ledger knows of a record that is to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It is there.
    Present(OpId),
    /// It was there and is forgotten.
    Forgotten(OpId),
    /// An earlier version is there.
    Earlier(OpId),
    /// Nothing.
    No,
}

/// What the ledger knows of a record by its name or, if nothing, by the names that it had. Of
/// several records that it replaces, those after the first are in the list.
fn look_up_by_any_name(
    index: &dyn Writing,
    sealer: &Sealer,
    policy: ForgottenPolicy,
    prepared: &Prepared,
    now: jiff::Timestamp,
) -> Result<(Known, Vec<OpId>), EngineError> {
    let known = look_up(index, sealer, policy, prepared)?;
    if known != Known::No {
        return Ok((known, Vec::new()));
    }
    Ok(match former_names::look_for(index, sealer, policy, prepared, now)? {
        Former::Unknown => (Known::No, Vec::new()),
        Former::Same(same) => (same, Vec::new()),
        Former::Replaced(ids) => {
            let mut ids = ids.into_iter();
            (ids.next().map_or(Known::No, Known::Earlier), ids.collect())
        }
    })
}

/// Retracts a record whose place a series takes. The chain's new end.
fn retract_part(
    sealer: &Sealer,
    writing: &mut SqliteWriting<'_>,
    id: OpId,
    ts: HlcTimestamp,
) -> Result<Head, EngineError> {
    let reason = Reason { reason: PART_OF_SERIES.to_owned() };
    let draft = acting_on(id, Body::EvidenceRetraction(reason))?;
    let (operation, body) = sealer.seal_next(Sealable::concluded(draft), writing, ts)?;
    writing.record(&operation, Some(&body))?;
    Ok(Head { seq: operation.header().seq, id: operation.id(), ts })
}

/// Rule 10: compares a record with the latest of its name.
pub(crate) fn look_up<B: Bodies + ?Sized>(
    index: &B,
    sealer: &Sealer,
    policy: ForgottenPolicy,
    prepared: &Prepared,
) -> Result<Known, EngineError> {
    let there = match prepared.source() {
        Some((source, uid)) => index.evidence(source, uid)?,
        None => None,
    };
    if let Some((id, hash)) = there
        && is_same(index, sealer, prepared, id, hash)?
    {
        return Ok(Known::Present(id));
    }
    if let Some(id) = policy.forgotten(index, sealer, prepared)? {
        return Ok(Known::Forgotten(id));
    }
    Ok(there.map_or(Known::No, |(id, _)| Known::Earlier(id)))
}

/// Whether what is there says the same: by hash if this device wrote it, by content if another did.
/// A record whose author turned out not to be allowed to append says nothing. A record that one of
/// another name superseded, because it was renamed, does not count. A person's correction counts as
/// the record that it replaced: it holds until the source says something else.
fn is_same<B: Bodies + ?Sized>(
    index: &B,
    sealer: &Sealer,
    prepared: &Prepared,
    id: OpId,
    hash: BodyHash,
) -> Result<bool, EngineError> {
    let Some(entry) = index.entry(&id)? else { return Ok(false) };
    if !index.access()?.holds(&entry.author, Capability::Append, entry.place())
        || !index.acting(&id, &Kind::Evidence, Role::SUPERSEDES)?.is_empty()
    {
        return Ok(false);
    }
    if sealer.body_hash(prepared) == hash {
        return Ok(true);
    }
    let mut body = index.canonical_body(&id)?;
    let mut entry = entry;
    for _ in 0..CORRECTIONS_MAX {
        let Some(bytes) = body else { return Ok(false) };
        if prepared.is_said_by(&bytes) {
            return Ok(true);
        }
        let Some(corrected) = entry.sole_ref(Role::SUPERSEDES).filter(|_| is_correction(&bytes))
        else {
            return Ok(false);
        };
        let Some(before) = index.entry(&corrected)? else { return Ok(false) };
        body = index.canonical_body(&corrected)?;
        entry = before;
    }
    Ok(false)
}

/// Whether a person corrected the record that this body replaced.
fn is_correction(body: &[u8]) -> bool {
    matches!(
        Body::parse(&Kind::Evidence, body),
        Ok(Body::Evidence(evidence)) if evidence.correction().is_some()
    )
}

/// The record that a body holds, as it came, without the mark of an echo or of a correction that
/// was taken back; none if it has neither.
pub(crate) fn without_mark(body: &[u8]) -> Option<Vec<u8>> {
    let Ok(Body::Evidence(mut evidence)) = Body::parse(&Kind::Evidence, body) else { return None };
    let marks = [evidence.unmark_echo(), evidence.unmark_withdrawal()];
    marks.contains(&true).then(|| Body::Evidence(evidence).canonical().ok()).flatten()
}

/// Whether a record is marked as an echo.
fn is_marked(writing: &dyn Writing, id: &OpId) -> Result<bool, EngineError> {
    let evidence = writing.body(id)?.map(|body| Body::parse(&Kind::Evidence, &body));
    Ok(match evidence {
        Some(Ok(Body::Evidence(mut evidence))) => evidence.unmark_echo(),
        _ => false,
    })
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
