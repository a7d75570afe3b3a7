//! Recorded invalidations: whether one is on record already, and what invalidated a claim.
//!
//! Whether an invalidation is recorded is a function of the set of operations, so that two devices
//! that exchanged their ledgers agree on it. The latest `claim_invalidation` of a version counts
//! until, in the space's order, the version was restored. Only the operations below a version, and
//! those that act on them, decide whether it is sound. So only their places in the order are
//! examined, the latest first: a version that was restored and invalidated again is decided by the
//! first of them. Each examination costs a walk over everything below, once for all versions that
//! are asked about together. So the answer is stored
//! ([`ClaimStatus::recorded`](crate::soundness::ClaimStatus)) and replayed only where an operation
//! arrives late.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::id::OpId;
use crate::kind::Kind;
use crate::kind_spec::{Effect, InputValidity};
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{HlcTimestamp, Role};
use crate::snapshot::Snapshot;
use crate::validity::{Standing, Validity, inputs};

/// Whether the invalidation of an unsound version is recorded, and the version was not restored
/// since: as stored, or else replayed.
pub fn is_recorded<W: LedgerIndex + ?Sized>(index: &W, version: &Entry) -> Result<bool, W::Error> {
    match index.status(&version.id)? {
        Some(status) => Ok(status.recorded),
        None => replayed(index, version),
    }
}

/// The same, computed from the places in the order since the record.
pub fn replayed<W: LedgerIndex + ?Sized>(index: &W, version: &Entry) -> Result<bool, W::Error> {
    Ok(!replayed_of(index, std::slice::from_ref(version))?.is_empty())
}

/// Those of some unsound versions whose invalidation is recorded. What lies below several of them
/// is walked once for each place.
pub(crate) fn replayed_of<W: LedgerIndex + ?Sized>(
    index: &W,
    versions: &[Entry],
) -> Result<HashSet<OpId>, W::Error> {
    let mut undecided = Vec::new();
    let validity = Validity::new(index);
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
    for at in
        places_after(index, undecided.iter().map(|(_, version)| *version), first)?.into_iter().rev()
    {
        let then = Snapshot::before(index, at);
        let mut validity = Validity::new(&then);
        let mut unsound = Vec::with_capacity(undecided.len());
        for (record, version) in undecided {
            if at <= record || !validity.is_sound(version)? {
                unsound.push((record, version));
            }
        }
        undecided = unsound;
    }
    Ok(undecided.into_iter().map(|(_, version)| version.id).collect())
}

/// The places after `from` of operations that may decide whether one of `versions` is sound.
fn places_after<'e, W: LedgerIndex + ?Sized>(
    index: &W,
    versions: impl Iterator<Item = &'e Entry>,
    from: (HlcTimestamp, OpId),
) -> Result<BTreeSet<(HlcTimestamp, OpId)>, W::Error> {
    let mut places = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut keys = BTreeSet::new();
    let mut stack: Vec<OpId> = Vec::new();
    let mut note = |id: &OpId, kind: &Kind, role: &str| -> Result<(), W::Error> {
        for acting in index.acting(id, kind, role)? {
            let mut noted = vec![acting];
            if kind.spec().effect == Effect::Retract {
                noted.extend(index.acting(&acting, &Kind::RetractionWithdrawal, Role::TARGET)?);
            }
            for id in noted {
                if let Some(entry) = index.entry(&id)?
                    && entry.order() > from
                {
                    places.insert(entry.order());
                }
            }
        }
        Ok(())
    };
    for version in versions {
        note(&version.id, version.kind.spec().retracted_by, Role::TARGET)?;
        note(&version.id, &Kind::Redaction, Role::TARGET)?;
        stack.extend(inputs(version));
    }
    let mut stated = BTreeSet::new();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(entry) = index.entry(&id)? else { continue };
        let spec = entry.kind.spec();
        note(&id, spec.retracted_by, Role::TARGET)?;
        note(&id, &Kind::Redaction, Role::TARGET)?;
        if spec.validity == InputValidity::Evidence {
            note(&id, &Kind::Evidence, Role::SUPERSEDES)?;
        }
        if let Some(key) = &entry.identity
            && keys.insert(key.clone())
        {
            for statement in index.identity(key)? {
                note(&statement.id, &Kind::CorrectionWithdrawal, Role::TARGET)?;
                note(&statement.id, &Kind::RefutationWithdrawal, Role::TARGET)?;
                stated.insert(statement.order());
            }
        }
        stack.extend(inputs(&entry));
    }
    places.extend(stated.into_iter().filter(|at| *at > from));
    Ok(places)
}

/// The operation that keeps a version from being sound, found by descending from input to input;
/// none if it is sound. Where nothing acted against an invalid input, it is that input.
pub fn reason<W: LedgerIndex + ?Sized>(
    index: &W,
    version: &Entry,
) -> Result<Option<OpId>, W::Error> {
    Reasons::new(index).of(version)
}

/// The reasons of many versions. What several descents pass is looked up once, so the cost is that
/// of everything below all of them together.
pub(crate) struct Reasons<'w, W: LedgerIndex + ?Sized> {
    index: &'w W,
    validity: Validity<'w, W>,
    /// By version: what a descent from it finds.
    found: HashMap<OpId, Option<OpId>>,
    standings: HashMap<String, Standing>,
}

/// What a descent finds at one operation.
enum Step {
    /// The reason, or that there is none.
    Found(Option<OpId>),
    /// It lies below this input.
    Below(Entry),
}

impl<'w, W: LedgerIndex + ?Sized> Reasons<'w, W> {
    pub(crate) fn new(index: &'w W) -> Self {
        Self {
            index,
            validity: Validity::new(index),
            found: HashMap::new(),
            standings: HashMap::new(),
        }
    }

    /// What [`reason`] answers.
    pub(crate) fn of(&mut self, version: &Entry) -> Result<Option<OpId>, W::Error> {
        let mut passed = Vec::new();
        let mut at = version.clone();
        // Each step goes to an earlier operation, so this ends.
        let mut found = loop {
            if let Some(found) = self.found.get(&at.id) {
                break *found;
            }
            match self.step(&at)? {
                Step::Found(found) => {
                    self.found.insert(at.id, found);
                    break found;
                }
                Step::Below(input) => {
                    passed.push(at.id);
                    at = input;
                }
            }
        };
        if !passed.is_empty() {
            // An operation that is sound and yet not a valid input has no effect: its author
            // lacked the capability.
            found = found.or(Some(at.id));
        }
        self.found.extend(passed.into_iter().map(|id| (id, found)));
        Ok(found)
    }

    fn step(&mut self, at: &Entry) -> Result<Step, W::Error> {
        if let Some(retraction) = self.validity.retractions(at)?.pop() {
            return Ok(Step::Found(Some(retraction.id)));
        }
        for input in inputs(at) {
            if self.validity.is_valid_input(&input)? {
                continue;
            }
            let Some(entry) = self.index.entry(&input)? else {
                return Ok(Step::Found(Some(input)));
            };
            return Ok(match self.against(&entry)? {
                Some(cause) => Step::Found(Some(cause)),
                None if inputs(&entry).next().is_some() => Step::Below(entry),
                None => Step::Found(Some(input)),
            });
        }
        Ok(Step::Found(None))
    }

    /// The operation that acted against an invalid input itself, rather than against its own
    /// inputs.
    fn against(&mut self, entry: &Entry) -> Result<Option<OpId>, W::Error> {
        let spec = entry.kind.spec();
        if spec.validity == InputValidity::Evidence {
            let retraction = self.validity.retractions(entry)?.pop();
            let superseding =
                self.validity.last_acting(&entry.id, &Kind::Evidence, Role::SUPERSEDES)?;
            return Ok(retraction.or(superseding).map(|entry| entry.id));
        }
        let Some(key) = &entry.identity else {
            return Ok(self.validity.retractions(entry)?.pop().map(|entry| entry.id));
        };
        if !self.standings.contains_key(key) {
            self.standings.insert(key.clone(), self.validity.standing(key)?);
        }
        let Some(standing) = self.standings.get(key) else { return Ok(None) };
        if let Some(refutation) = &standing.refutation {
            return Ok(Some(refutation.id));
        }
        if let Some(correction) = &standing.correction
            && correction.payload != entry.payload
        {
            return Ok(Some(correction.id));
        }
        if spec.validity == InputValidity::Correction {
            let withdrawal =
                self.validity.last_acting(&entry.id, &Kind::CorrectionWithdrawal, Role::TARGET)?;
            return Ok(withdrawal.map(|entry| entry.id));
        }
        let current = standing.current.as_ref();
        Ok(current.filter(|current| current.payload != entry.payload).map(|current| current.id))
    }
}
