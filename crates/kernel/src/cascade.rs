//! The cascade: what follows when something that was built upon is taken away.
//!
//! Source: the derivation specification, "Cascade". While operations are taken in, a [`Journal`]
//! keeps what settling them changed ([`crate::soundness`]); [`consequences`] is asked of it once,
//! after all of them, and says what is to be recorded. It records nothing. What fell has been found
//! by settling, so all that is left is to say why: the walk goes again from what each trigger acts
//! on, in the space's order, through every input that was valid before all of them and is not
//! after. What still holds, or did not hold before, ends the walk: this makes it minimal, and makes
//! a corrected identity the firewall that it should be, since what it pins stays valid whatever
//! becomes of the ground. The cost is that of what changed, never of what lies below or of the
//! whole log. After a merge, all that arrived is one set of triggers.
//!
//! Decided here:
//! - A claim that the user took back is *retracted*; no machine let it fall, so only what stands on
//!   it is recorded.
//! - The cause is the first trigger, by the space's order, whose walk reaches a claim. What no walk
//!   reached was due before, as after a crash, or arrived without ground: it names what had taken
//!   its ground away.
//! - A version whose fall another device recorded already is not recorded again (see
//!   [`crate::invalidation`]).
//! - A *refresh* is owed where the served confidence of an input's identity changed and its payload
//!   did not: by a new version of equal payload, by a confirming correction, by the withdrawal of
//!   one.
//! - Reviews and refreshes follow from the trigger; who takes the same operations in once more
//!   takes nothing in, so nothing follows.
//! - A change of access is no trigger, but what falls by it is due, and its record names the ground
//!   that does not hold.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::id::OpId;
use crate::invalidation::reason;
use crate::kind_spec::Effect;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{HlcTimestamp, Role};
use crate::snapshot::Snapshot;
use crate::soundness::{Reached, StatusUpdate};
use crate::validity::{Standing, Validity, inputs};

/// A version that fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalidated {
    /// The version.
    pub target: OpId,
    /// The trigger.
    pub cause: OpId,
}

/// A correction whose ground changed, for the user to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Review {
    /// What changed.
    pub trigger: OpId,
    /// The corrected identity.
    pub key: String,
}

/// What follows from triggers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consequences {
    /// A `claim_invalidation` is due for each, in this order: the space's order of the targets.
    pub invalidated: Vec<Invalidated>,
    /// By trigger, then in the space's order of the identities' current versions.
    pub reviews: Vec<Review>,
    /// Identities whose confidence is to be computed again, in the space's order of their current
    /// versions.
    pub refresh: Vec<String>,
    /// Identities whose served record may have changed, in order of key: whoever consumed one is to
    /// look again.
    pub changed: Vec<String>,
}

type Order = (HlcTimestamp, OpId);

/// An input's validity before and after.
#[derive(Clone, Copy, Debug)]
struct Turn {
    was: bool,
    is: bool,
}

/// What changed while operations were taken in.
#[derive(Debug, Default)]
pub struct Journal {
    triggers: BTreeMap<Order, Entry>,
    inputs: HashMap<OpId, Turn>,
    /// Soundness of claims before, where it changed.
    sound: HashMap<OpId, bool>,
    reached: BTreeMap<Order, Reached>,
    changed: BTreeSet<String>,
}

impl Journal {
    /// Takes note of what taking in one operation changed, after all that was noted before.
    pub fn note(&mut self, settlement: StatusUpdate) {
        let StatusUpdate { trigger, changes, inputs, reached, keys } = settlement;
        if let Some(trigger) =
            trigger.filter(|trigger| trigger.kind.spec().effect != Effect::RecordInvalidation)
        {
            self.triggers.insert(trigger.order(), trigger);
        }
        for (id, is) in inputs {
            self.inputs.entry(id).or_insert(Turn { was: !is, is }).is = is;
        }
        for change in changes {
            if let Some(before) = change.before {
                self.sound.entry(change.id).or_insert(before.sound);
            }
        }
        for reached in reached {
            let corrected = reached.corrected;
            self.reached.entry(reached.order).or_insert(reached).corrected |= corrected;
        }
        self.changed.extend(keys);
    }
}

struct Walk<'w, W: LedgerIndex + ?Sized> {
    world: &'w W,
    journal: &'w Journal,
    past: Snapshot<'w, W>,
    now: Validity<'w, W>,
    /// Inputs that were valid before and are not now, with the trigger.
    lost: HashMap<OpId, OpId>,
    /// Claims that the walk came to, with the first trigger that it came from.
    causes: HashMap<OpId, OpId>,
    /// Identities of which a trigger says something.
    touched: BTreeSet<String>,
    standings: HashMap<String, Standing>,
}

/// What follows from what a journal tells of `world`. `due` are the claims whose fall is to be
/// recorded, in the space's order.
pub fn consequences<W: LedgerIndex + ?Sized>(
    world: &W,
    journal: &Journal,
    due: Vec<OpId>,
) -> Result<Consequences, W::Error> {
    let mut walk = Walk {
        world,
        journal,
        past: Snapshot::without(
            world,
            journal.triggers.values().map(|trigger| trigger.id).collect(),
        ),
        now: Validity::new(world),
        lost: HashMap::new(),
        causes: HashMap::new(),
        touched: BTreeSet::new(),
        standings: HashMap::new(),
    };
    for trigger in journal.triggers.values() {
        walk.follow(trigger)?;
    }
    Ok(Consequences {
        invalidated: walk.falls(due)?,
        reviews: walk.reviews()?,
        refresh: walk.refresh()?,
        changed: journal.changed.iter().cloned().collect(),
    })
}

impl<W: LedgerIndex + ?Sized> Walk<'_, W> {
    /// Walks from one trigger to everything that it takes the ground from.
    fn follow(&mut self, trigger: &Entry) -> Result<(), W::Error> {
        let mut queue = Vec::new();
        match trigger.kind.spec().effect {
            Effect::None | Effect::Access | Effect::RecordInvalidation => {}
            Effect::Retract => {
                trigger
                    .cited(Role::TARGET)
                    .for_each(|target| self.lose(target, trigger.id, &mut queue));
            }
            Effect::Supersede => {
                trigger
                    .cited(Role::SUPERSEDES)
                    .for_each(|superseded| self.lose(superseded, trigger.id, &mut queue));
            }
            Effect::State => self.touch(trigger, trigger.id, &mut queue)?,
            Effect::Withdraw => {
                for target in trigger.cited(Role::TARGET) {
                    if let Some(withdrawn) = self.world.entry(&target)? {
                        self.touch(&withdrawn, trigger.id, &mut queue)?;
                    }
                }
            }
        }
        while let Some(id) = queue.pop() {
            for (_, dependent) in self.world.dependents(&id)? {
                self.causes.entry(dependent).or_insert(trigger.id);
                self.lose(dependent, trigger.id, &mut queue);
            }
        }
        Ok(())
    }

    /// Takes note that a trigger speaks of an identity, and follows each of its versions.
    fn touch(
        &mut self,
        said: &Entry,
        trigger: OpId,
        queue: &mut Vec<OpId>,
    ) -> Result<(), W::Error> {
        let Some(key) = &said.identity else { return Ok(()) };
        let current = self.standing(key)?.current;
        if let Some(current) = current.filter(|current| current.id != trigger) {
            self.causes.entry(current.id).or_insert(trigger);
        }
        // All versions were followed when it was first touched, and a later trigger changes nothing
        // about that.
        if self.touched.insert(key.clone()) {
            for version in self.world.identity(key)? {
                self.lose(version.id, trigger, queue);
            }
        }
        Ok(())
    }

    /// Follows an input if it was valid and is not any more.
    fn lose(&mut self, id: OpId, trigger: OpId, queue: &mut Vec<OpId>) {
        let lost = self.journal.inputs.get(&id).is_some_and(|turn| turn.was && !turn.is);
        if lost && !self.lost.contains_key(&id) {
            self.lost.insert(id, trigger);
            queue.push(id);
        }
    }

    fn standing(&mut self, key: &str) -> Result<Standing, W::Error> {
        if let Some(standing) = self.standings.get(key) {
            return Ok(standing.clone());
        }
        let standing = self.now.standing(key)?;
        self.standings.insert(key.to_owned(), standing.clone());
        Ok(standing)
    }

    /// Why each fell.
    fn falls(&self, due: Vec<OpId>) -> Result<Vec<Invalidated>, W::Error> {
        let mut invalidated = Vec::with_capacity(due.len());
        for target in due {
            let cause = match self.causes.get(&target) {
                Some(cause) => Some(*cause),
                None => match self.world.entry(&target)? {
                    Some(entry) => reason(self.world, &entry)?,
                    None => None,
                },
            };
            invalidated.extend(cause.map(|cause| Invalidated { target, cause }));
        }
        Ok(invalidated)
    }

    /// Corrected identities whose current version lost an input.
    fn reviews(&mut self) -> Result<Vec<Review>, W::Error> {
        let places: HashMap<OpId, usize> = self
            .journal
            .triggers
            .values()
            .enumerate()
            .map(|(place, trigger)| (trigger.id, place))
            .collect();
        let mut reviews = Vec::new();
        for (order, Reached { key, corrected, .. }) in &self.journal.reached {
            if !corrected && !self.touched.contains(key) {
                continue;
            }
            let Standing { refutation: None, correction: Some(_), current: Some(current) } =
                self.standing(key)?
            else {
                continue;
            };
            if current.order() == *order {
                let causes: HashSet<OpId> =
                    inputs(&current).filter_map(|input| self.lost.get(&input).copied()).collect();
                reviews.extend(
                    causes
                        .into_iter()
                        .map(|trigger| (places.get(&trigger), *order, trigger, key.clone())),
                );
            }
        }
        reviews.sort();
        Ok(reviews.into_iter().map(|(_, _, trigger, key)| Review { trigger, key }).collect())
    }

    /// The believed claims that stand on an identity of which only the confidence changed.
    fn refresh(&mut self) -> Result<Vec<String>, W::Error> {
        let mut owed: BTreeMap<Order, String> = BTreeMap::new();
        for key in std::mem::take(&mut self.touched) {
            let now = self.standing(&key)?;
            if serving(&Validity::new(&self.past).standing(&key)?) == serving(&now) {
                continue;
            }
            for version in self.world.identity(&key)? {
                let held = match self.journal.inputs.get(&version.id) {
                    Some(turn) => turn.was && turn.is,
                    None => self.now.is_valid_input(&version.id)?,
                };
                let dependents =
                    if held { self.world.dependents(&version.id)? } else { Vec::new() };
                for (order, id) in dependents {
                    if let Some(key) = self.served(&id)? {
                        owed.insert((order, id), key);
                    }
                }
            }
        }
        Ok(owed.into_values().collect())
    }

    /// The identity of a version that was sound before, and is what is believed of it now, by a
    /// machine's word.
    fn served(&mut self, id: &OpId) -> Result<Option<String>, W::Error> {
        let Some(version) = self.world.entry(id)? else { return Ok(None) };
        let Some(key) = &version.identity else { return Ok(None) };
        let Standing { refutation, correction, current } = self.standing(key)?;
        let speaks = refutation.is_none() && correction.is_none();
        let is_served = speaks
            && current.is_some_and(|current| current.id == version.id)
            && self.now.is_sound(&version)?;
        let was_sound = self.journal.sound.get(id).copied().unwrap_or(is_served);
        Ok(version.identity.filter(|_| is_served && was_sound))
    }
}

/// Whose word gives an identity its confidence: a user's is certain, whichever it is.
#[derive(PartialEq, Eq)]
enum Serving {
    Nothing,
    User,
    Version(OpId),
}

fn serving(standing: &Standing) -> Serving {
    match standing {
        Standing { refutation: Some(_), .. } => Serving::Nothing,
        Standing { correction: Some(_), .. } => Serving::User,
        Standing { current: Some(current), .. } => Serving::Version(current.id),
        _ => Serving::Nothing,
    }
}
