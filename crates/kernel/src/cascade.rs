//! The cascade: what follows when something that was built upon is taken away.
//!
//! Source: the derivation specification, "Cascade". [`consequences`] is asked of a world that already holds the triggers
//! and says what is to be recorded; it records nothing. It walks the reverse index alone, from what the triggers act on,
//! through every input that was valid before them and is not now. What still holds, or did not hold before, ends the walk: this makes
//! it minimal, and makes a corrected identity the firewall that it should be, since what it pins stays valid whatever becomes of the ground.
//!
//! "Before" is the same world seen without the triggers ([`Moment`]), so nothing need be remembered from one
//! change to the next. The cost is that of asking [`Validity`] twice about the claims that the walk touches and about all that lies
//! below these; never of the whole log. After a merge, all that arrived is one set of triggers.
//!
//! Decided here:
//! - A claim that the user took back is *retracted*; no machine let it fall, so only what stands on it is recorded.
//! - The cause is the first trigger, by the space's order, whose walk reaches a claim. A claim that arrives without ground
//!   names what had taken its ground away.
//! - A version whose fall another device recorded already is not recorded again (see [`crate::falls`]).
//! - A *refresh* is owed where the served confidence of an input's identity changed and its payload did not: by a new version of equal payload, by a
//!   confirming correction, by the withdrawal of one.
//! - Reviews and refreshes follow from the trigger and are given again when it is run again; one who keeps them keeps
//!   one for each trigger and identity.
//! - A change of access is no trigger. It changes what is believed, but no record says so.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::falls::{is_recorded, reason};
use crate::id::OpId;
use crate::kind::Kind;
use crate::moment::Moment;
use crate::operation::{Role, Stamp};
use crate::validity::{Standing, Validity, inputs};
use crate::world::{Entry, World};

/// A version that fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallen {
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
    pub invalidated: Vec<Fallen>,
    /// By trigger, then in the space's order of the identities' current versions.
    pub reviews: Vec<Review>,
    /// Identities whose confidence is to be computed again, in the space's order of their current versions.
    pub refresh: Vec<String>,
    /// Identities whose served record may have changed, in order of key: whoever consumed one is to look again.
    pub changed: Vec<String>,
}

type Order = (Stamp, OpId);

/// A claim that the walk came to, and the trigger that it came from, if it is not the claim itself.
struct Visited {
    entry: Entry,
    cause: Option<OpId>,
}

struct Walk<'w, W: World + ?Sized> {
    world: &'w W,
    before: Validity<'w, Moment<'w, W>>,
    after: Validity<'w, W>,
    /// Inputs that were valid before and are not now, with the trigger.
    lost: HashMap<OpId, OpId>,
    visited: BTreeMap<Order, Visited>,
    /// Identities of which a trigger says something, with the first that does.
    touched: BTreeMap<String, OpId>,
    standings: HashMap<String, Standing>,
}

/// What follows from `triggers`, which `world` holds. What is no trigger, or unknown, has no consequence.
pub fn consequences<W: World + ?Sized>(world: &W, triggers: &[OpId]) -> Result<Consequences, W::Error> {
    let mut entries: BTreeMap<Order, Entry> = BTreeMap::new();
    for trigger in triggers {
        if let Some(entry) = world.entry(trigger)? {
            entries.insert(entry.order(), entry);
        }
    }
    let past = Moment::without(world, entries.values().map(|entry| entry.id).collect());
    let mut walk = Walk {
        world,
        before: Validity::new(&past),
        after: Validity::new(world),
        lost: HashMap::new(),
        visited: BTreeMap::new(),
        touched: BTreeMap::new(),
        standings: HashMap::new(),
    };
    for trigger in entries.values() {
        walk.follow(trigger)?;
    }
    let refresh = walk.refresh()?;
    let reached = walk.visited.values().filter_map(|visited| visited.entry.identity.as_ref());
    let changed: BTreeSet<String> = reached.chain(walk.touched.keys()).cloned().collect();
    let (invalidated, reviews) = walk.settle(&entries)?;
    Ok(Consequences { invalidated, reviews, refresh, changed: changed.into_iter().collect() })
}

impl<W: World + ?Sized> Walk<'_, W> {
    /// Walks from one trigger to everything that it takes the ground from.
    fn follow(&mut self, trigger: &Entry) -> Result<(), W::Error> {
        let mut queue = Vec::new();
        match trigger.kind {
            Kind::EvidenceRetraction | Kind::Retraction => {
                if let Some(target) = trigger.sole_ref(Role::TARGET) {
                    self.lose(target, trigger.id, &mut queue)?;
                }
            }
            Kind::Evidence => {
                for superseded in trigger.refs.iter().filter(|reference| reference.role.as_str() == Role::SUPERSEDES) {
                    self.lose(superseded.id, trigger.id, &mut queue)?;
                }
            }
            Kind::Claim => {
                self.visit(trigger.clone(), None);
                self.touch(trigger, trigger.id, &mut queue)?;
            }
            Kind::ClaimCorrection | Kind::ClaimRefutation => self.touch(trigger, trigger.id, &mut queue)?,
            Kind::CorrectionWithdrawal | Kind::RefutationWithdrawal => {
                let target = trigger.sole_ref(Role::TARGET);
                if let Some(withdrawn) = target.map(|target| self.world.entry(&target)).transpose()?.flatten() {
                    self.touch(&withdrawn, trigger.id, &mut queue)?;
                }
            }
            _ => {}
        }
        while let Some(id) = queue.pop() {
            for dependent in self.dependents(&id)? {
                let id = dependent.id;
                self.visit(dependent, Some(trigger.id));
                self.lose(id, trigger.id, &mut queue)?;
            }
        }
        Ok(())
    }

    /// Takes note that a trigger speaks of an identity, and follows each of its versions.
    fn touch(&mut self, said: &Entry, trigger: OpId, queue: &mut Vec<OpId>) -> Result<(), W::Error> {
        let Some(key) = &said.identity else { return Ok(()) };
        let current = self.standing(key)?.current;
        if let Some(current) = current.filter(|current| current.id != trigger) {
            self.visit(current, Some(trigger));
        }
        // All versions were followed when it was first touched, and a later trigger changes nothing about that.
        if self.touched.contains_key(key) {
            return Ok(());
        }
        self.touched.insert(key.clone(), trigger);
        for version in self.world.identity(key)? {
            self.lose(version.id, trigger, queue)?;
        }
        Ok(())
    }

    /// Follows an input if it was valid and is not any more.
    fn lose(&mut self, id: OpId, trigger: OpId, queue: &mut Vec<OpId>) -> Result<(), W::Error> {
        if !self.lost.contains_key(&id) && self.before.is_valid_input(&id)? && !self.after.is_valid_input(&id)? {
            self.lost.insert(id, trigger);
            queue.push(id);
        }
        Ok(())
    }

    fn visit(&mut self, entry: Entry, cause: Option<OpId>) {
        let visited = self.visited.entry(entry.order()).or_insert(Visited { entry, cause: None });
        visited.cause = visited.cause.or(cause);
    }

    /// The claims that were built from an operation.
    fn dependents(&self, id: &OpId) -> Result<Vec<Entry>, W::Error> {
        let mut dependents = Vec::new();
        let mut seen = HashSet::new();
        for citing in self.world.citing(id)? {
            if citing.kind == Kind::Claim && citing.role != Role::SUPERSEDES && seen.insert(citing.id) {
                dependents.extend(self.world.entry(&citing.id)?);
            }
        }
        Ok(dependents)
    }

    fn standing(&mut self, key: &str) -> Result<Standing, W::Error> {
        if let Some(standing) = self.standings.get(key) {
            return Ok(standing.clone());
        }
        let standing = self.after.standing(key)?;
        self.standings.insert(key.to_owned(), standing.clone());
        Ok(standing)
    }

    /// What became of every claim that the walk came to.
    fn settle(mut self, triggers: &BTreeMap<Order, Entry>) -> Result<(Vec<Fallen>, Vec<Review>), W::Error> {
        let places: HashMap<OpId, usize> =
            triggers.values().enumerate().map(|(place, trigger)| (trigger.id, place)).collect();
        let mut invalidated = Vec::new();
        let mut reviews = Vec::new();
        for (order, Visited { entry, cause }) in std::mem::take(&mut self.visited) {
            let Some(key) = &entry.identity else { continue };
            let standing = self.standing(key)?;
            if standing.refutation.is_some() || standing.current.is_none_or(|current| current.id != entry.id) {
                continue;
            }
            if standing.correction.is_some() {
                let causes: HashSet<OpId> = inputs(&entry).filter_map(|input| self.lost.get(&input).copied()).collect();
                reviews.extend(causes.into_iter().map(|trigger| (places.get(&trigger), order, trigger, key.clone())));
                continue;
            }
            if self.after.is_retracted(&entry)? || self.after.is_sound(&entry)? || is_recorded(self.world, &entry)? {
                continue;
            }
            let cause = match cause {
                Some(cause) => Some(cause),
                None => reason(self.world, &entry)?,
            };
            invalidated.extend(cause.map(|cause| Fallen { target: entry.id, cause }));
        }
        reviews.sort();
        let reviews = reviews.into_iter().map(|(_, _, trigger, key)| Review { trigger, key }).collect();
        Ok((invalidated, reviews))
    }

    /// The believed claims that stand on an identity of which only the confidence changed.
    fn refresh(&mut self) -> Result<Vec<String>, W::Error> {
        let mut owed: BTreeMap<Order, String> = BTreeMap::new();
        let touched: Vec<String> = self.touched.keys().cloned().collect();
        for key in touched {
            let now = self.standing(&key)?;
            if serving(&self.before.standing(&key)?) == serving(&now) {
                continue;
            }
            for version in self.world.identity(&key)? {
                if !self.before.is_valid_input(&version.id)? || !self.after.is_valid_input(&version.id)? {
                    continue;
                }
                for dependent in self.dependents(&version.id)? {
                    if let Some(key) = &dependent.identity
                        && self.is_served(&dependent, key)?
                        && self.before.is_sound(&dependent)?
                    {
                        owed.insert(dependent.order(), key.clone());
                    }
                }
            }
        }
        Ok(owed.into_values().collect())
    }

    /// Whether a version is what is believed of its identity, by a machine's word.
    fn is_served(&mut self, version: &Entry, key: &str) -> Result<bool, W::Error> {
        let Standing { refutation, correction, current } = self.standing(key)?;
        let speaks = refutation.is_none() && correction.is_none();
        Ok(speaks && current.is_some_and(|current| current.id == version.id) && self.after.is_sound(version)?)
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
