//! StatusWalk: what is stored of every claim, kept right by looking only at what an operation
//! touches.
//!
//! Validity is a recursion over all that lies below a claim ([`Validity`]); asked of every claim
//! after every operation it would cost the square of a deep graph. So three bits are stored of each
//! claim ([`ClaimStatus`]), and [`settle`] brings them up to date when an operation is taken in. It
//! begins with what the operation acts on, compares its validity without the operation and with it,
//! and goes on to what cites it only where the two differ. Claims are looked at in the space's
//! order: inputs come before what cites them, so each claim is looked at once, and nothing recurs.
//! What still holds ends the walk.
//!
//! StatusWalk is pure. It returns what changes; whoever keeps the bits
//! ([`Graph`](crate::ledger_index::Graph), a table) writes them, after which
//! [`LedgerIndex::settled`] answers them. They are a function of the set of operations, whatever
//! the order of arrival:
//! - `sound` is what the recursion says.
//! - `recorded` is what [`replayed`](crate::invalidation::replayed) says. While operations arrive
//!   in the space's order it is enough to set it with the record and to clear it when the claim
//!   rises. One that arrives late may have changed what was believed in between, so all that stands
//!   on what it touches and has a record is replayed.
//! - A change of access that arrives late may take the effect from anything, or give it: then
//!   [`recompute_statuses`] begins anew.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::id::OpId;
use crate::invalidation::replayed_of;
use crate::kind::Kind;
use crate::kind_spec::Effect;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{Header, HlcTimestamp, Role};
use crate::snapshot::Snapshot;
use crate::validity::Validity;

/// What is stored of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimStatus {
    /// Whether it stands: not taken back, and every input valid.
    pub sound: bool,
    /// Whether its fall is on record, and it has not risen since. Never of a sound claim.
    pub recorded: bool,
    /// Whether a record of its fall is still to be written: the current version of an identity that
    /// is neither refuted nor corrected, not taken back, not sound and not recorded.
    pub due: bool,
}

/// Where in the space's order an operation arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// After all that is there.
    Latest,
    /// Before something that is there, or nobody knows.
    Late,
}

impl Arrival {
    /// Of an operation at `ts`, where `latest` is the highest time that was there.
    pub fn at(ts: HlcTimestamp, latest: Option<HlcTimestamp>) -> Self {
        if latest.is_none_or(|latest| latest < ts) { Self::Latest } else { Self::Late }
    }
}

/// A claim whose bits change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The claim.
    pub id: OpId,
    /// What was stored; none of one that just arrived.
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
    /// Inputs whose validity changed, with what it is now.
    pub(crate) inputs: Vec<(OpId, bool)>,
    /// Claims that were looked at since an input changed.
    pub(crate) reached: Vec<Reached>,
    /// Identities whose served record may have changed.
    pub keys: BTreeSet<String>,
}

/// A claim that the walk came to.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) order: (HlcTimestamp, OpId),
    pub(crate) key: String,
    /// Whether it lies under a correction.
    pub(crate) corrected: bool,
}

/// Whether an operation with this header may change what is stored of any claim. Plain evidence
/// does not.
pub fn may_change_status(header: &Header) -> bool {
    let spec = header.kind.spec();
    match spec.effect {
        Effect::None | Effect::Access => spec.has_soundness,
        Effect::Supersede => {
            header.refs.iter().any(|reference| reference.role.as_str() == Role::SUPERSEDES)
        }
        Effect::Retract | Effect::State | Effect::Withdraw | Effect::RecordInvalidation => true,
    }
}

/// Whether what is stored must be made anew.
pub fn needs_full_recompute(header: &Header, arrival: Arrival) -> bool {
    arrival == Arrival::Late && header.kind.spec().effect == Effect::Access
}

/// What changes with an operation that `world` holds since just now. What `world` answers as
/// settled is what was so before.
pub fn settle<W: LedgerIndex + ?Sized>(
    world: &W,
    entry: &Entry,
    arrival: Arrival,
) -> Result<StatusUpdate, W::Error> {
    let past = Snapshot::without(world, BTreeSet::from([entry.id]));
    let mut settling = StatusWalk {
        world,
        new: entry.id,
        before: Validity::new(&past),
        now: Validity::new(world),
        arrival,
        queue: BTreeMap::new(),
        subjects: Vec::new(),
        seen: HashSet::new(),
        replays: Vec::new(),
        settlement: StatusUpdate { trigger: Some(entry.clone()), ..StatusUpdate::default() },
    };
    settling.begin(entry)?;
    while let Some(((_, id), visit)) = settling.queue.pop_first() {
        if let Some(entry) = world.entry(&id)? {
            settling.visit(&entry, &visit)?;
        }
    }
    if arrival == Arrival::Late {
        settling.look_back()?;
        settling.replay()?;
    }
    Ok(settling.settlement)
}

/// What is to be stored of `claims`, from nothing that is stored.
pub fn recompute_statuses<W: LedgerIndex + ?Sized>(
    world: &W,
    claims: impl IntoIterator<Item = OpId>,
) -> Result<StatusUpdate, W::Error> {
    let unstored = Snapshot::without(world, BTreeSet::new());
    let mut validity = Validity::new(&unstored);
    let mut settlement = StatusUpdate::default();
    let mut entries = Vec::new();
    let mut fallen = Vec::new();
    for id in claims {
        let Some(entry) = world.entry(&id)? else { continue };
        let sound = validity.is_sound(&entry)?;
        if !sound && has_records(world, &id)? {
            fallen.push(entry.clone());
        }
        entries.push((entry, sound));
    }
    let counting = replayed_of(world, &fallen)?;
    for (entry, sound) in entries {
        let id = entry.id;
        let recorded = counting.contains(&id);
        let due = !sound
            && !recorded
            && validity.is_exposed(&entry)?
            && !validity.is_retracted(&entry)?;
        let (before, after) = (world.settled(&id)?, ClaimStatus { sound, recorded, due });
        if before != Some(after) {
            settlement.changes.push(Change { id, before, after });
        }
        settlement.keys.extend(entry.identity);
    }
    Ok(settlement)
}

fn has_records<W: LedgerIndex + ?Sized>(world: &W, id: &OpId) -> Result<bool, W::Error> {
    Ok(!world.acting(id, &Kind::ClaimInvalidation, Role::TARGET)?.is_empty())
}

/// Why an operation is looked at.
#[derive(Default)]
struct Visit {
    /// The new operation acts on it, or is it.
    acted_on: bool,
    /// The new operation speaks of its identity.
    spoken_of: bool,
    /// An input of it is not valid any more.
    lost: bool,
    /// An input of it is valid now.
    gained: bool,
}

struct StatusWalk<'w, W: LedgerIndex + ?Sized> {
    world: &'w W,
    new: OpId,
    before: Validity<'w, Snapshot<'w, W>>,
    now: Validity<'w, W>,
    arrival: Arrival,
    queue: BTreeMap<(HlcTimestamp, OpId), Visit>,
    /// What the new operation acts on or speaks of.
    subjects: Vec<OpId>,
    seen: HashSet<OpId>,
    /// Claims that are not sound and have a record, with what is stored of them: whether it counts
    /// is found of all together.
    replays: Vec<(Entry, Option<ClaimStatus>)>,
    settlement: StatusUpdate,
}

impl<W: LedgerIndex + ?Sized> StatusWalk<'_, W> {
    /// What the new operation acts on, and the versions of the identity that it speaks of.
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
            Effect::Supersede => {
                for superseded in entry.cited(Role::SUPERSEDES) {
                    self.act_on(&superseded)?;
                }
            }
            Effect::State => {
                self.act_on(&entry.id)?;
                self.speak_of(entry)?;
            }
            Effect::Withdraw => {
                for target in entry.cited(Role::TARGET) {
                    if let Some(withdrawn) = self.world.entry(&target)? {
                        self.act_on(&target)?;
                        self.speak_of(&withdrawn)?;
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
        if let Some(entry) = self.world.entry(id)? {
            self.queue.entry(entry.order()).or_default().acted_on = true;
            self.subjects.push(entry.id);
        }
        Ok(())
    }

    /// The versions of an identity, where what is said of it changed; where it is the same, who is
    /// its current version.
    fn speak_of(&mut self, said: &Entry) -> Result<(), W::Error> {
        let Some(key) = &said.identity else { return Ok(()) };
        if !self.settlement.keys.insert(key.clone()) {
            return Ok(());
        }
        let (was, is) = (self.before.believed(key)?, self.now.believed(key)?);
        if was.says() == is.says() {
            for current in [was.current, is.current].into_iter().flatten() {
                if let Some(entry) = self.world.entry(&current)? {
                    self.queue.entry(entry.order()).or_default().spoken_of = true;
                }
            }
        }
        if was.says() != is.says() || self.arrival == Arrival::Late {
            for version in self.world.identity(key)? {
                self.queue.entry(version.order()).or_default().spoken_of = true;
                self.subjects.push(version.id);
            }
        }
        Ok(())
    }

    /// Looks at one operation whose inputs are settled.
    fn visit(&mut self, entry: &Entry, visit: &Visit) -> Result<(), W::Error> {
        let is_claim = entry.kind.spec().has_soundness;
        let before = if is_claim { self.world.settled(&entry.id)? } else { None };
        let was_sound = match before {
            Some(before) => before.sound,
            // It is new, or an earlier version stored nothing of its kind.
            None => is_claim && entry.id != self.new && self.before.is_sound(entry)?,
        };
        let sound = is_claim
            && if visit.lost {
                false
            } else if visit.acted_on || visit.gained {
                self.now.recheck(entry)?
            } else {
                was_sound
            };
        self.now.suppose(entry.id, sound);
        self.turn(entry, visit, was_sound, sound)?;
        if is_claim {
            self.reach(entry, visit, was_sound != sound)?;
            self.keep(entry, visit, before, (was_sound, sound))?;
        }
        Ok(())
    }

    /// Goes on to what cites an operation if it became valid, or is not any more.
    fn turn(
        &mut self,
        entry: &Entry,
        visit: &Visit,
        was_sound: bool,
        sound: bool,
    ) -> Result<(), W::Error> {
        let was_valid = if entry.id == self.new {
            false
        } else if visit.acted_on || visit.spoken_of {
            self.before.is_valid_given(entry, was_sound)?
        } else {
            self.now.is_valid_given(entry, was_sound)?
        };
        let valid = self.now.is_valid_given(entry, sound)?;
        if was_valid != valid {
            self.settlement.inputs.push((entry.id, valid));
            for dependent in self.world.dependents(&entry.id)? {
                let visit = self.queue.entry(dependent).or_default();
                if valid {
                    visit.gained = true;
                } else {
                    visit.lost = true;
                }
            }
        }
        Ok(())
    }

    fn reach(&mut self, entry: &Entry, visit: &Visit, turned: bool) -> Result<(), W::Error> {
        let Some(key) = &entry.identity else { return Ok(()) };
        if visit.acted_on || visit.lost || visit.gained {
            let corrected = self.now.is_corrected(key)?;
            self.settlement.reached.push(Reached {
                order: entry.order(),
                key: key.clone(),
                corrected,
            });
        }
        if turned || visit.acted_on {
            self.settlement.keys.insert(key.clone());
        }
        Ok(())
    }

    /// Takes note of what is to be stored of a claim.
    fn keep(
        &mut self,
        entry: &Entry,
        visit: &Visit,
        before: Option<ClaimStatus>,
        (was_sound, sound): (bool, bool),
    ) -> Result<(), W::Error> {
        self.seen.insert(entry.id);
        if self.arrival == Arrival::Late && !sound && has_records(self.world, &entry.id)? {
            self.replays.push((entry.clone(), before));
            return Ok(());
        }
        // While all arrives in order it counts until the claim rises; of what has no record it is
        // false already.
        let recorded = !sound && before.is_some_and(|before| before.recorded);
        // What stood until now was not taken back, unless just now.
        let is_retracted =
            (visit.acted_on || !was_sound) && !sound && self.now.is_retracted(entry)?;
        let due = !sound && !recorded && !is_retracted && self.now.is_exposed(entry)?;
        self.change(entry.id, before, ClaimStatus { sound, recorded, due });
        Ok(())
    }

    fn change(&mut self, id: OpId, before: Option<ClaimStatus>, after: ClaimStatus) {
        if before != Some(after) {
            self.settlement.changes.push(Change { id, before, after });
        }
    }

    /// Takes note that a fall is on record.
    fn record(&mut self, target: &OpId) -> Result<(), W::Error> {
        let Some(before) = self.world.settled(target)? else { return Ok(()) };
        // A further record changes nothing about one that counts.
        if before.sound || before.recorded || !self.seen.insert(*target) {
            return Ok(());
        }
        if self.arrival == Arrival::Latest {
            self.change(
                *target,
                Some(before),
                ClaimStatus { recorded: true, due: false, ..before },
            );
        } else if let Some(entry) = self.world.entry(target)? {
            self.replays.push((entry, Some(before)));
        }
        Ok(())
    }

    /// Goes through all that stands on what a late operation touched and did not change by it: in
    /// between it may have.
    fn look_back(&mut self) -> Result<(), W::Error> {
        let mut stack = std::mem::take(&mut self.subjects);
        let mut passed: HashSet<OpId> = HashSet::new();
        while let Some(id) = stack.pop() {
            if !passed.insert(id) {
                continue;
            }
            stack.extend(self.world.dependents(&id)?.into_iter().map(|(_, id)| id));
            let Some(before) = self.world.settled(&id)? else { continue };
            if before.sound || self.seen.contains(&id) || !has_records(self.world, &id)? {
                continue;
            }
            if let Some(entry) = self.world.entry(&id)? {
                self.replays.push((entry, Some(before)));
            }
        }
        Ok(())
    }

    /// Finds out which records count.
    fn replay(&mut self) -> Result<(), W::Error> {
        let (entries, befores): (Vec<Entry>, Vec<Option<ClaimStatus>>) =
            std::mem::take(&mut self.replays).into_iter().unzip();
        let counting = replayed_of(self.world, &entries)?;
        for (entry, before) in entries.into_iter().zip(befores) {
            let recorded = counting.contains(&entry.id);
            let due =
                !recorded && self.now.is_exposed(&entry)? && !self.now.is_retracted(&entry)?;
            self.change(entry.id, before, ClaimStatus { sound: false, recorded, due });
        }
        Ok(())
    }
}
