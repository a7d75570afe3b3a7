//! The status that is stored of every claim, node and edge, kept right by looking only at what an
//! operation touches.
//!
//! Validity is a recursion over everything below a claim ([`Validity`]). Asked of every claim after
//! every operation, it would cost the square of a deep graph. So three bits are stored of each
//! operation that has soundness ([`ClaimStatus`]), and [`update_status`] brings them up to date
//! when an operation arrives. It starts with what the operation acts on, compares its validity
//! without the operation and with it, and continues to what cites it only where the two differ. It
//! visits operations in the space's order: inputs come before what cites them, so each is visited
//! once and nothing recurs.
//!
//! The functions here are pure. They return what changes; the owner of the bits
//! ([`Graph`](crate::ledger_index::Graph), a table) stores it, and [`LedgerIndex::status`] answers
//! from there. The bits are a function of the set of operations, whatever the order of arrival:
//! - `sound` is what the recursion gives.
//! - `recorded` is what [`replayed`](crate::invalidation::replayed) gives. While operations arrive
//!   in the space's order it is enough to set it with the record and to clear it when the claim is
//!   restored. An operation that arrives late may have changed what was believed in between, so
//!   everything that is built on what it touches and has a record is replayed.
//! - A change of access that arrives late may give effect to any operation or take it away. Then
//!   [`recompute_statuses`] computes all bits again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::id::OpId;
use crate::invalidation::replayed_of;
use crate::kind::Kind;
use crate::kind_spec::Effect;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{Header, HlcTimestamp, Role};
use crate::snapshot::Snapshot;
use crate::validity::Validity;

/// What is stored of a claim, node or edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimStatus {
    /// Whether it is not retracted and every input is valid.
    pub sound: bool,
    /// Whether its invalidation is on record and it was not restored since. Never of a sound claim,
    /// nor of what has no identity.
    pub recorded: bool,
    /// Whether a record of its invalidation is still to be written: it is the current version of an
    /// identity that is neither refuted nor corrected, and it is not retracted, not sound and not
    /// recorded.
    pub due: bool,
}

/// Where in the space's order an operation arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// After everything in the ledger.
    Latest,
    /// Before something in the ledger, or at the same time.
    Late,
}

impl Arrival {
    /// Of an operation at `ts`, where `latest` is the highest time in the ledger.
    pub fn at(ts: HlcTimestamp, latest: Option<HlcTimestamp>) -> Self {
        if latest.is_none_or(|latest| latest < ts) { Self::Latest } else { Self::Late }
    }
}

/// An operation whose bits change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The operation.
    pub id: OpId,
    /// What was stored; nothing for one that just arrived.
    pub before: Option<ClaimStatus>,
    /// What is to be stored.
    pub after: ClaimStatus,
}

/// What an operation changed.
#[derive(Debug, Default)]
pub struct StatusUpdate {
    /// The operation.
    pub(crate) trigger: Option<Entry>,
    /// What is to be stored.
    pub changes: Vec<Change>,
    /// Inputs whose validity changed, with their validity now.
    pub(crate) inputs: Vec<(OpId, bool)>,
    /// Claims that were visited because an input changed.
    pub(crate) reached: Vec<Reached>,
    /// Identities whose served record may have changed.
    pub keys: BTreeSet<String>,
}

/// A claim that the walk reached.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) order: (HlcTimestamp, OpId),
    pub(crate) key: String,
    /// Whether a correction pins its identity.
    pub(crate) corrected: bool,
}

/// Whether an operation with this header may change the status of any operation. Plain evidence
/// does not.
pub fn may_change_status(header: &Header) -> bool {
    let spec = header.kind.spec();
    match spec.effect {
        Effect::None | Effect::Access => spec.has_soundness,
        Effect::Supersede => {
            header.refs.iter().any(|reference| reference.role.as_str() == Role::SUPERSEDES)
        }
        Effect::Retract
        | Effect::Restore
        | Effect::State
        | Effect::Withdraw
        | Effect::RecordInvalidation => true,
    }
}

/// Whether every status has to be computed again. A revocation may name a last number of a chain,
/// and so concern operations that are earlier than itself.
pub fn needs_full_recompute(header: &Header, arrival: Arrival) -> bool {
    header.kind == Kind::Revoke
        || arrival == Arrival::Late && header.kind.spec().effect == Effect::Access
}

/// What changes with an operation that was just added to `index`. [`LedgerIndex::status`] still
/// answers what was so before.
pub fn update_status<W: LedgerIndex + ?Sized>(
    index: &W,
    entry: &Entry,
    arrival: Arrival,
) -> Result<StatusUpdate, W::Error> {
    let past = Snapshot::without(index, BTreeSet::from([entry.id]));
    let mut walk = StatusWalk {
        index,
        new: entry.id,
        before: Validity::new(&past),
        now: Validity::new(index),
        arrival,
        queue: BTreeMap::new(),
        subjects: Vec::new(),
        seen: HashSet::new(),
        replays: Vec::new(),
        update: StatusUpdate { trigger: Some(entry.clone()), ..StatusUpdate::default() },
    };
    walk.begin(entry)?;
    while let Some(((_, id), visit)) = walk.queue.pop_first() {
        if let Some(entry) = index.entry(&id)? {
            walk.visit(&entry, &visit)?;
        }
    }
    if arrival == Arrival::Late {
        walk.look_back()?;
        walk.replay()?;
    }
    Ok(walk.update)
}

/// The statuses of `claims`, computed without any that are stored.
pub fn recompute_statuses<W: LedgerIndex + ?Sized>(
    index: &W,
    claims: impl IntoIterator<Item = OpId>,
) -> Result<StatusUpdate, W::Error> {
    let without_statuses = Snapshot::without(index, BTreeSet::new());
    let mut validity = Validity::new(&without_statuses);
    let mut update = StatusUpdate::default();
    let mut entries = Vec::new();
    let mut with_records = Vec::new();
    for id in claims {
        let Some(entry) = index.entry(&id)? else { continue };
        let sound = validity.is_sound(&entry)?;
        if !sound && has_records(index, &id)? {
            with_records.push(entry.clone());
        }
        entries.push((entry, sound));
    }
    let counting = replayed_of(index, &with_records)?;
    for (entry, sound) in entries {
        let id = entry.id;
        let recorded = counting.contains(&id);
        let due = !sound
            && !recorded
            && validity.is_exposed(&entry)?
            && !validity.is_retracted(&entry)?;
        let (before, after) = (index.status(&id)?, ClaimStatus { sound, recorded, due });
        if before != Some(after) {
            update.changes.push(Change { id, before, after });
        }
        update.keys.extend(entry.identity);
    }
    Ok(update)
}

fn has_records<W: LedgerIndex + ?Sized>(index: &W, id: &OpId) -> Result<bool, W::Error> {
    Ok(!index.acting(id, &Kind::ClaimInvalidation, Role::TARGET)?.is_empty())
}

/// Why an operation is visited.
#[derive(Default)]
struct Visit {
    /// The new operation acts on it, or is it.
    acted_on: bool,
    /// The new operation states something of its identity.
    identity_changed: bool,
    /// One of its inputs became invalid.
    lost_input: bool,
    /// One of its inputs became valid.
    gained_input: bool,
}

struct StatusWalk<'w, W: LedgerIndex + ?Sized> {
    index: &'w W,
    new: OpId,
    before: Validity<'w, Snapshot<'w, W>>,
    now: Validity<'w, W>,
    arrival: Arrival,
    queue: BTreeMap<(HlcTimestamp, OpId), Visit>,
    /// What the new operation acts on, and the versions of the identity that it concerns.
    subjects: Vec<OpId>,
    seen: HashSet<OpId>,
    /// Unsound claims that have a record, with their stored status. Whether the records count is
    /// computed for all of them together.
    replays: Vec<(Entry, Option<ClaimStatus>)>,
    update: StatusUpdate,
}

impl<W: LedgerIndex + ?Sized> StatusWalk<'_, W> {
    /// Queues what the new operation acts on, and the versions of the identity that it concerns.
    fn begin(&mut self, entry: &Entry) -> Result<(), W::Error> {
        let spec = entry.kind.spec();
        if spec.has_soundness {
            self.act_on(&entry.id)?;
        }
        match spec.effect {
            Effect::None | Effect::Access => {}
            Effect::Retract => {
                for target in entry.cited(Role::TARGET) {
                    self.act_on(&target)?;
                }
            }
            Effect::Restore => {
                for retraction in entry.cited(Role::TARGET) {
                    if let Some(withdrawn) = self.index.entry(&retraction)? {
                        for restored in withdrawn.cited(Role::TARGET) {
                            self.act_on(&restored)?;
                        }
                    }
                }
            }
            Effect::Supersede => {
                for superseded in entry.cited(Role::SUPERSEDES) {
                    self.act_on(&superseded)?;
                }
            }
            Effect::State => {
                self.act_on(&entry.id)?;
                self.change_identity(entry)?;
            }
            Effect::Withdraw => {
                for target in entry.cited(Role::TARGET) {
                    if let Some(withdrawn) = self.index.entry(&target)? {
                        self.act_on(&target)?;
                        self.change_identity(&withdrawn)?;
                    }
                }
            }
            Effect::RecordInvalidation => {
                if self.now.has_effect(entry)? {
                    for target in entry.cited(Role::TARGET) {
                        self.record(&target)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn act_on(&mut self, id: &OpId) -> Result<(), W::Error> {
        if let Some(entry) = self.index.entry(id)? {
            self.queue.entry(entry.order()).or_default().acted_on = true;
            self.subjects.push(entry.id);
        }
        Ok(())
    }

    /// Queues the versions of an identity whose belief changed. Where the belief is the same, only
    /// the current version before and the one now.
    fn change_identity(&mut self, statement: &Entry) -> Result<(), W::Error> {
        let Some(key) = &statement.identity else { return Ok(()) };
        if !self.update.keys.insert(key.clone()) {
            return Ok(());
        }
        let (was, is) = (self.before.believed(key)?, self.now.believed(key)?);
        if was.belief() == is.belief() {
            for current in [was.current, is.current].into_iter().flatten() {
                if let Some(entry) = self.index.entry(&current)? {
                    self.queue.entry(entry.order()).or_default().identity_changed = true;
                }
            }
        }
        if was.belief() != is.belief() || self.arrival == Arrival::Late {
            for version in self.index.identity(key)? {
                self.queue.entry(version.order()).or_default().identity_changed = true;
                self.subjects.push(version.id);
            }
        }
        Ok(())
    }

    /// Visits one operation whose inputs have their status.
    fn visit(&mut self, entry: &Entry, visit: &Visit) -> Result<(), W::Error> {
        let has_soundness = entry.kind.spec().has_soundness;
        let before = if has_soundness { self.index.status(&entry.id)? } else { None };
        let was_sound = match before {
            Some(before) => before.sound,
            // It is new, or a program that did not store this kind has added it.
            None => has_soundness && entry.id != self.new && self.before.is_sound(entry)?,
        };
        let sound = has_soundness
            && if visit.lost_input {
                false
            } else if visit.acted_on || visit.gained_input {
                self.now.recheck(entry)?
            } else {
                was_sound
            };
        self.now.suppose(entry.id, sound);
        self.propagate(entry, visit, was_sound, sound)?;
        if has_soundness {
            self.reach(entry, visit, was_sound != sound)?;
            self.keep(entry, visit, before, (was_sound, sound))?;
        }
        Ok(())
    }

    /// Queues what was built from an operation if its validity changed.
    fn propagate(
        &mut self,
        entry: &Entry,
        visit: &Visit,
        was_sound: bool,
        sound: bool,
    ) -> Result<(), W::Error> {
        let was_valid = if entry.id == self.new {
            false
        } else if visit.acted_on || visit.identity_changed {
            self.before.is_valid_given(entry, was_sound)?
        } else {
            self.now.is_valid_given(entry, was_sound)?
        };
        let valid = self.now.is_valid_given(entry, sound)?;
        if was_valid != valid {
            self.update.inputs.push((entry.id, valid));
            for dependent in self.index.dependents(&entry.id)? {
                let visit = self.queue.entry(dependent).or_default();
                if valid {
                    visit.gained_input = true;
                } else {
                    visit.lost_input = true;
                }
            }
        }
        Ok(())
    }

    fn reach(&mut self, entry: &Entry, visit: &Visit, changed: bool) -> Result<(), W::Error> {
        let Some(key) = &entry.identity else { return Ok(()) };
        if visit.acted_on || visit.lost_input || visit.gained_input {
            let corrected = self.now.is_corrected(key)?;
            self.update.reached.push(Reached { order: entry.order(), key: key.clone(), corrected });
        }
        if changed || visit.acted_on {
            self.update.keys.insert(key.clone());
        }
        Ok(())
    }

    /// Decides what is to be stored of an operation.
    fn keep(
        &mut self,
        entry: &Entry,
        visit: &Visit,
        before: Option<ClaimStatus>,
        (was_sound, sound): (bool, bool),
    ) -> Result<(), W::Error> {
        self.seen.insert(entry.id);
        if self.arrival == Arrival::Late && !sound && has_records(self.index, &entry.id)? {
            self.replays.push((entry.clone(), before));
            return Ok(());
        }
        // While operations arrive in order a record counts until the claim is restored. Without a
        // record the bit is false already.
        let recorded = !sound && before.is_some_and(|before| before.recorded);
        // What was sound until now was not retracted, unless just now.
        let is_retracted =
            (visit.acted_on || !was_sound) && !sound && self.now.is_retracted(entry)?;
        let due = !sound && !recorded && !is_retracted && self.now.is_exposed(entry)?;
        self.change(entry.id, before, ClaimStatus { sound, recorded, due });
        Ok(())
    }

    fn change(&mut self, id: OpId, before: Option<ClaimStatus>, after: ClaimStatus) {
        if before != Some(after) {
            self.update.changes.push(Change { id, before, after });
        }
    }

    /// Puts on record that a claim is invalidated.
    fn record(&mut self, target: &OpId) -> Result<(), W::Error> {
        let Some(before) = self.index.status(target)? else { return Ok(()) };
        // A second record changes nothing about one that counts.
        if before.sound || before.recorded || !self.seen.insert(*target) {
            return Ok(());
        }
        if self.arrival == Arrival::Latest {
            self.change(
                *target,
                Some(before),
                ClaimStatus { recorded: true, due: false, ..before },
            );
        } else if let Some(entry) = self.index.entry(target)? {
            self.replays.push((entry, Some(before)));
        }
        Ok(())
    }

    /// Queues for replay what is built on what a late operation touched and has the same status as
    /// before: its status may have been another in between.
    fn look_back(&mut self) -> Result<(), W::Error> {
        let mut stack = std::mem::take(&mut self.subjects);
        let mut visited: HashSet<OpId> = HashSet::new();
        while let Some(id) = stack.pop() {
            if !visited.insert(id) {
                continue;
            }
            stack.extend(self.index.dependents(&id)?.into_iter().map(|(_, id)| id));
            let Some(before) = self.index.status(&id)? else { continue };
            if before.sound || self.seen.contains(&id) || !has_records(self.index, &id)? {
                continue;
            }
            if let Some(entry) = self.index.entry(&id)? {
                self.replays.push((entry, Some(before)));
            }
        }
        Ok(())
    }

    /// Decides which records count.
    fn replay(&mut self) -> Result<(), W::Error> {
        let (entries, befores): (Vec<Entry>, Vec<Option<ClaimStatus>>) =
            std::mem::take(&mut self.replays).into_iter().unzip();
        let counting = replayed_of(self.index, &entries)?;
        for (entry, before) in entries.into_iter().zip(befores) {
            let recorded = counting.contains(&entry.id);
            let due =
                !recorded && self.now.is_exposed(&entry)? && !self.now.is_retracted(&entry)?;
            self.change(entry.id, before, ClaimStatus { sound: false, recorded, due });
        }
        Ok(())
    }
}
