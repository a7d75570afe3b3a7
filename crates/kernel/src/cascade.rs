//! The cascade: what follows when something that others were built on becomes invalid.
//!
//! Source: the derivation specification, "Cascade". While operations arrive, a [`Journal`] keeps
//! what changed of statuses ([`crate::soundness`]). [`consequences`] is asked once, after all of
//! them, and says what is to be recorded; it records nothing itself. Which claims are invalidated
//! is known from their statuses, so what is left is to find the cause of each. The walk starts
//! again from what each trigger acts on, in the space's order, and continues through every input
//! that was valid before all of them and is not valid after. An input that is still valid, or was
//! not valid before, ends the walk. This makes the cascade minimal, and it makes a corrected
//! identity a firewall: what the correction pins stays valid whatever happens to its inputs. The
//! cost is that of what changed, never that of everything below or of the whole ledger. After a
//! merge, all that arrived is one set of triggers.
//!
//! Decided here:
//! - A claim that the user took back is *retracted*, not invalidated: only what is built on it is
//!   recorded.
//! - The cause is the first trigger, in the space's order, whose walk reaches a claim. A claim that
//!   no walk reached was due before, as after a crash, or arrived with invalid inputs. Its cause is
//!   what had made these invalid.
//! - A version whose invalidation another device recorded is not recorded again (see
//!   [`crate::invalidation`]).
//! - A *refresh* is owed where the served confidence of an input's identity changed and its payload
//!   did not: by a new version of equal payload, by a confirming correction, by the withdrawal of
//!   one.
//! - Reviews and refreshes follow from the trigger. Taking the same operations in again adds
//!   nothing, so nothing follows.
//! - A change of access is not a trigger. What it invalidates is due, and the record names the
//!   input that is not valid.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::id::OpId;
use crate::invalidation::Reasons;
use crate::kind_spec::Effect;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{HlcTimestamp, Role};
use crate::snapshot::Snapshot;
use crate::soundness::{Reached, StatusUpdate};
use crate::validity::{Standing, Validity, inputs};

/// A version that was invalidated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalidated {
    /// The version.
    pub target: OpId,
    /// The trigger.
    pub cause: OpId,
}

/// A correction whose claim lost an input, for the user to look at.
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
    /// Identities whose served record may have changed, in order of key: derivers that read one
    /// have to run again.
    pub changed: Vec<String>,
}

type Order = (HlcTimestamp, OpId);

/// An input's validity before and after.
#[derive(Clone, Copy, Debug)]
struct ValidityChange {
    was: bool,
    is: bool,
}

/// What changed while operations were taken in.
#[derive(Debug, Default)]
pub struct Journal {
    triggers: BTreeMap<Order, Entry>,
    inputs: HashMap<OpId, ValidityChange>,
    /// The soundness of claims before, where it changed.
    sound: HashMap<OpId, bool>,
    reached: BTreeMap<Order, Reached>,
    changed: BTreeSet<String>,
}

impl Journal {
    /// How many things are noted: what its memory grows with.
    pub fn len(&self) -> usize {
        self.triggers.len()
            + self.inputs.len()
            + self.sound.len()
            + self.reached.len()
            + self.changed.len()
    }

    /// Whether nothing is noted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds what the arrival of one operation changed, after all arrivals added before.
    pub fn note(&mut self, update: StatusUpdate) {
        let StatusUpdate { trigger, changes, inputs, reached, keys } = update;
        if let Some(trigger) =
            trigger.filter(|trigger| trigger.kind.spec().effect != Effect::RecordInvalidation)
        {
            self.triggers.insert(trigger.order(), trigger);
        }
        for (id, is) in inputs {
            self.inputs.entry(id).or_insert(ValidityChange { was: !is, is }).is = is;
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
    index: &'w W,
    journal: &'w Journal,
    past: Snapshot<'w, W>,
    now: Validity<'w, W>,
    /// Whether any invalidation is due, whose cause is to be found.
    is_any_due: bool,
    /// Inputs that were valid before and are not now, with the trigger.
    lost: HashMap<OpId, OpId>,
    /// Claims that the walk reached, with the first trigger that it reached them from.
    causes: HashMap<OpId, OpId>,
    /// Identities that a trigger states something of.
    touched: BTreeSet<String>,
    standings: HashMap<String, Standing>,
}

/// What follows from the changes of `index` that a journal holds. `due` are the claims whose
/// invalidation is to be recorded, in the space's order.
pub fn consequences<W: LedgerIndex + ?Sized>(
    index: &W,
    journal: &Journal,
    due: Vec<OpId>,
) -> Result<Consequences, W::Error> {
    let mut walk = Walk {
        index,
        journal,
        past: Snapshot::without(
            index,
            journal.triggers.values().map(|trigger| trigger.id).collect(),
        ),
        now: Validity::new(index),
        is_any_due: !due.is_empty(),
        lost: HashMap::new(),
        causes: HashMap::new(),
        touched: BTreeSet::new(),
        standings: HashMap::new(),
    };
    for trigger in journal.triggers.values() {
        walk.follow(trigger)?;
    }
    Ok(Consequences {
        invalidated: walk.invalidated(due)?,
        reviews: walk.reviews()?,
        refresh: walk.refresh()?,
        changed: journal.changed.iter().cloned().collect(),
    })
}

impl<W: LedgerIndex + ?Sized> Walk<'_, W> {
    /// Walks from one trigger to everything that it invalidates.
    fn follow(&mut self, trigger: &Entry) -> Result<(), W::Error> {
        let mut queue = Vec::new();
        match trigger.kind.spec().effect {
            // Nothing loses its ground when something is restored.
            Effect::None | Effect::Access | Effect::Restore | Effect::RecordInvalidation => {}
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
                    if let Some(withdrawn) = self.index.entry(&target)? {
                        self.touch(&withdrawn, trigger.id, &mut queue)?;
                    }
                }
            }
        }
        while let Some(id) = queue.pop() {
            for (_, dependent) in self.index.dependents(&id)? {
                self.causes.entry(dependent).or_insert(trigger.id);
                self.lose(dependent, trigger.id, &mut queue);
            }
        }
        Ok(())
    }

    /// Marks the identity that a trigger concerns, and follows each of its versions.
    fn touch(
        &mut self,
        statement: &Entry,
        trigger: OpId,
        queue: &mut Vec<OpId>,
    ) -> Result<(), W::Error> {
        let Some(key) = &statement.identity else { return Ok(()) };
        if self.is_any_due
            && let Some(current) = self.standing(key)?.current
            && current.id != trigger
        {
            self.causes.entry(current.id).or_insert(trigger);
        }
        // All versions were followed when the identity was first touched; a later trigger changes
        // nothing about that. If no input changed, nothing was lost.
        if self.touched.insert(key.clone()) && !self.journal.inputs.is_empty() {
            for version in self.index.identity(key)? {
                self.lose(version.id, trigger, queue);
            }
        }
        Ok(())
    }

    /// Follows an input if it was valid and no longer is.
    fn lose(&mut self, id: OpId, trigger: OpId, queue: &mut Vec<OpId>) {
        let lost = self.journal.inputs.get(&id).is_some_and(|change| change.was && !change.is);
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

    /// The cause of each.
    fn invalidated(&self, due: Vec<OpId>) -> Result<Vec<Invalidated>, W::Error> {
        let mut invalidated = Vec::with_capacity(due.len());
        let mut reasons = Reasons::new(self.index);
        for target in due {
            let cause = match self.causes.get(&target) {
                Some(cause) => Some(*cause),
                None => match self.index.entry(&target)? {
                    Some(entry) => reasons.of(&entry)?,
                    None => None,
                },
            };
            invalidated.extend(cause.map(|cause| Invalidated { target, cause }));
        }
        Ok(invalidated)
    }

    /// Reviews of corrected identities whose current version lost an input.
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

    /// The believed claims that are built on an identity of which only the confidence changed.
    fn refresh(&mut self) -> Result<Vec<String>, W::Error> {
        let mut owed: BTreeMap<Order, String> = BTreeMap::new();
        for key in std::mem::take(&mut self.touched) {
            let versions = self.index.identity(&key)?;
            if self.is_new_and_alone(&versions)? {
                continue;
            }
            let now = self.standing(&key)?;
            if serving(&Validity::new(&self.past).standing(&key)?) == serving(&now) {
                continue;
            }
            for version in versions {
                let held = match self.journal.inputs.get(&version.id) {
                    Some(change) => change.was && change.is,
                    None => self.now.is_valid_input(&version.id)?,
                };
                let dependents =
                    if held { self.index.dependents(&version.id)? } else { Vec::new() };
                for (order, id) in dependents {
                    if let Some(key) = self.served(&id)? {
                        owed.insert((order, id), key);
                    }
                }
            }
        }
        Ok(owed.into_values().collect())
    }

    /// Whether everything that is stated of an identity just arrived, and nothing is built on it:
    /// then nothing is owed. That is so of most of what is imported.
    fn is_new_and_alone(&self, versions: &[Entry]) -> Result<bool, W::Error> {
        if !versions.iter().all(|version| self.journal.triggers.contains_key(&version.order())) {
            return Ok(false);
        }
        for version in versions {
            if !self.index.dependents(&version.id)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The identity of a version that was sound before and is served now, by no correction.
    fn served(&mut self, id: &OpId) -> Result<Option<String>, W::Error> {
        let Some(version) = self.index.entry(id)? else { return Ok(None) };
        let Some(key) = &version.identity else { return Ok(None) };
        let Standing { refutation, correction, current } = self.standing(key)?;
        let is_machines = refutation.is_none() && correction.is_none();
        let is_served = is_machines
            && current.is_some_and(|current| current.id == version.id)
            && self.now.is_sound(&version)?;
        let was_sound = self.journal.sound.get(id).copied().unwrap_or(is_served);
        Ok(version.identity.filter(|_| is_served && was_sound))
    }
}

/// What an identity's confidence comes from: a user's statement is certain, whichever it is.
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
