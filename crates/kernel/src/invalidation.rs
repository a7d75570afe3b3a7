//! Recorded falls: whether one is on record already, and what brought a claim down.
//!
//! Whether a fall is recorded is a function of the set of operations, like all else, so that two
//! devices that exchanged their logs agree on it: the latest `claim_invalidation` of a version
//! counts until, by the space's order, the version stood again. What decides about a version lies
//! in the operations below it, so only the moments at which one of these, or of what acts on them,
//! was recorded are looked at, the latest first: a version that rose and fell again is settled by
//! the first. Each look costs a walk over what lies below, once for all versions that are asked
//! about together. So the answer is stored
//! ([`ClaimStatus::recorded`](crate::soundness::ClaimStatus)) and replayed only where something
//! arrives late.

use std::collections::{BTreeSet, HashSet};

use crate::id::OpId;
use crate::kind::Kind;
use crate::kind_spec::InputValidity;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{HlcTimestamp, Role};
use crate::snapshot::Snapshot;
use crate::validity::{Validity, inputs};

/// Whether the fall of a version that is not sound is recorded already, without its having risen
/// since: as stored, or else replayed.
pub fn is_recorded<W: LedgerIndex + ?Sized>(world: &W, version: &Entry) -> Result<bool, W::Error> {
    match world.settled(&version.id)? {
        Some(settled) => Ok(settled.recorded),
        None => replayed(world, version),
    }
}

/// The same, found by looking at the moments since the record.
pub fn replayed<W: LedgerIndex + ?Sized>(world: &W, version: &Entry) -> Result<bool, W::Error> {
    Ok(!replayed_of(world, std::slice::from_ref(version))?.is_empty())
}

/// Those of some versions, none of them sound, whose fall is recorded. What lies below several is
/// walked once a moment.
pub(crate) fn replayed_of<W: LedgerIndex + ?Sized>(
    world: &W,
    versions: &[Entry],
) -> Result<HashSet<OpId>, W::Error> {
    let mut undecided = Vec::new();
    let validity = Validity::new(world);
    for version in versions {
        if let Some(record) =
            validity.last_acting(&version.id, &Kind::ClaimInvalidation, Role::TARGET)?
        {
            undecided.push((record.order(), version));
        }
    }
    let Some(first) = undecided.iter().map(|(record, _)| *record).min() else {
        return Ok(HashSet::new());
    };
    for at in moments_after(world, undecided.iter().map(|(_, version)| *version), first)?
        .into_iter()
        .rev()
    {
        let then = Snapshot::before(world, at);
        let mut validity = Validity::new(&then);
        let mut fallen = Vec::with_capacity(undecided.len());
        for (record, version) in undecided {
            if at <= record || !validity.is_sound(version)? {
                fallen.push((record, version));
            }
        }
        undecided = fallen;
    }
    Ok(undecided.into_iter().map(|(_, version)| version.id).collect())
}

/// The places after `from` at which something was recorded that may decide whether one of
/// `versions` is sound.
fn moments_after<'e, W: LedgerIndex + ?Sized>(
    world: &W,
    versions: impl Iterator<Item = &'e Entry>,
    from: (HlcTimestamp, OpId),
) -> Result<BTreeSet<(HlcTimestamp, OpId)>, W::Error> {
    let mut moments = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut keys = BTreeSet::new();
    let mut stack: Vec<OpId> = Vec::new();
    let mut note = |id: &OpId, kind: &Kind, role: &str| -> Result<(), W::Error> {
        for acting in world.acting(id, kind, role)? {
            if let Some(entry) = world.entry(&acting)?
                && entry.order() > from
            {
                moments.insert(entry.order());
            }
        }
        Ok(())
    };
    for version in versions {
        note(&version.id, version.kind.spec().retracted_by, Role::TARGET)?;
        stack.extend(inputs(version));
    }
    let mut stated = BTreeSet::new();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(entry) = world.entry(&id)? else { continue };
        let spec = entry.kind.spec();
        note(&id, spec.retracted_by, Role::TARGET)?;
        if spec.validity == InputValidity::Evidence {
            note(&id, &Kind::Evidence, Role::SUPERSEDES)?;
        }
        if let Some(key) = &entry.identity
            && keys.insert(key.clone())
        {
            for said in world.identity(key)? {
                note(&said.id, &Kind::CorrectionWithdrawal, Role::TARGET)?;
                note(&said.id, &Kind::RefutationWithdrawal, Role::TARGET)?;
                stated.insert(said.order());
            }
        }
        stack.extend(inputs(&entry));
    }
    moments.extend(stated.into_iter().filter(|at| *at > from));
    Ok(moments)
}

/// The operation that keeps a version from being sound, found by going down from input to input;
/// none if it is sound. Where the ground is missing rather than taken away, it is the input that
/// does not hold.
pub fn reason<W: LedgerIndex + ?Sized>(
    world: &W,
    version: &Entry,
) -> Result<Option<OpId>, W::Error> {
    let mut validity = Validity::new(world);
    let mut at = version.clone();
    // Each step goes to an earlier operation, so this ends.
    loop {
        let retracted_by = at.kind.spec().retracted_by;
        if let Some(retraction) = validity.last_acting(&at.id, retracted_by, Role::TARGET)? {
            return Ok(Some(retraction.id));
        }
        let mut invalid = None;
        for input in inputs(&at) {
            if !validity.is_valid_input(&input)? {
                invalid = Some(input);
                break;
            }
        }
        // What holds and is yet no ground has no effect: its author may not state it.
        let Some(input) = invalid else { return Ok((at.id != version.id).then_some(at.id)) };
        let Some(entry) = world.entry(&input)? else { return Ok(Some(input)) };
        match against(&mut validity, &entry)? {
            Some(word) => return Ok(Some(word)),
            None if inputs(&entry).next().is_some() => at = entry,
            None => return Ok(Some(input)),
        }
    }
}

/// What was said against an operation that is no valid input, apart from the ground under it.
fn against<W: LedgerIndex + ?Sized>(
    validity: &mut Validity<'_, W>,
    entry: &Entry,
) -> Result<Option<OpId>, W::Error> {
    let spec = entry.kind.spec();
    if spec.validity == InputValidity::Evidence {
        let retraction = validity.last_acting(&entry.id, spec.retracted_by, Role::TARGET)?;
        let superseding = validity.last_acting(&entry.id, &Kind::Evidence, Role::SUPERSEDES)?;
        return Ok(retraction.or(superseding).map(|entry| entry.id));
    }
    let Some(key) = &entry.identity else {
        return Ok(validity
            .last_acting(&entry.id, spec.retracted_by, Role::TARGET)?
            .map(|entry| entry.id));
    };
    let standing = validity.standing(key)?;
    if let Some(refutation) = standing.refutation {
        return Ok(Some(refutation.id));
    }
    if let Some(correction) = standing.correction
        && correction.payload != entry.payload
    {
        return Ok(Some(correction.id));
    }
    if spec.validity == InputValidity::Correction {
        let withdrawal =
            validity.last_acting(&entry.id, &Kind::CorrectionWithdrawal, Role::TARGET)?;
        return Ok(withdrawal.map(|entry| entry.id));
    }
    Ok(standing
        .current
        .filter(|current| current.payload != entry.payload)
        .map(|current| current.id))
}
