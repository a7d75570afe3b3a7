//! Who may do what in a space, at each point of its order.
//!
//! The owner named by the genesis operation holds everything. A grant or revocation counts for
//! operations that are later than itself in the order, if its author held `admin` just before it.
//! [`Access`] keeps a timeline for each key: what the key holds after each change that counted. A
//! question is a binary search in one timeline. A change that arrives in the space's order is
//! appended to its key's timeline; one that arrives late may give effect to later changes or take
//! it from them, so the timelines are cut there and the later changes are replayed.

use std::collections::{BTreeMap, HashMap};

use crate::id::{Author, OpId};
use crate::kind::Capability;
use crate::operation::HlcTimestamp;

type Order = (HlcTimestamp, OpId);

/// A change of capabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Who signed the grant or revocation.
    pub author: Author,
    /// The key concerned.
    pub key: Author,
    /// Which capabilities.
    pub capabilities: Vec<Capability>,
    /// True to give, false to take.
    pub gives: bool,
}

/// A set of capabilities, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CapabilitySet(u8);

impl CapabilitySet {
    fn of(capabilities: &[Capability]) -> Self {
        Self(capabilities.iter().fold(0, |bits, capability| bits | 1 << (*capability as u8)))
    }

    fn contains(self, capability: Capability) -> bool {
        self.0 & 1 << (capability as u8) != 0
    }

    fn changed_by(self, change: &Change) -> Self {
        let Self(changed) = Self::of(&change.capabilities);
        Self(if change.gives { self.0 | changed } else { self.0 & !changed })
    }
}

/// The capabilities of every key over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    owner: Option<Author>,
    changes: BTreeMap<Order, Change>,
    /// By key: the place of each change that counted, and what the key holds after it.
    timelines: HashMap<Author, Vec<(Order, CapabilitySet)>>,
}

impl Access {
    /// Names the owner (from the genesis operation).
    pub fn set_owner(&mut self, owner: Author) {
        self.owner = Some(owner);
        self.timelines.clear();
        self.replay_from((HlcTimestamp(0), OpId([0; 32])));
    }

    /// The owner, once the space has begun.
    pub fn owner(&self) -> Option<Author> {
        self.owner
    }

    /// Adds a grant or revocation at its place in the order. Costs a binary search if it is the
    /// latest, and otherwise a replay of all that are later.
    pub fn insert(&mut self, at: Order, change: Change) {
        let is_latest = self.changes.last_key_value().is_none_or(|(latest, _)| *latest < at);
        if is_latest {
            self.apply(at, &change);
            self.changes.insert(at, change);
        } else {
            self.changes.insert(at, change);
            for timeline in self.timelines.values_mut() {
                timeline.truncate(timeline.partition_point(|(place, _)| *place < at));
            }
            // A key that holds what it held from the start has no timeline, however it came to be.
            self.timelines.retain(|_, timeline| !timeline.is_empty());
            self.replay_from(at);
        }
    }

    /// Adds many changes, in any order of arrival, with one replay.
    pub fn extend(&mut self, changes: impl IntoIterator<Item = (Order, Change)>) {
        self.changes.extend(changes);
        self.timelines.clear();
        self.replay_from((HlcTimestamp(0), OpId([0; 32])));
    }

    /// Applies the changes from `at` on to timelines that end before it.
    fn replay_from(&mut self, at: Order) {
        let changes = std::mem::take(&mut self.changes);
        for (place, change) in changes.range(at..) {
            self.apply(*place, change);
        }
        self.changes = changes;
    }

    /// Appends a change to its key's timeline, if its author may make it.
    fn apply(&mut self, at: Order, change: &Change) {
        if self.holds(&change.author, Capability::Admin, at) {
            let after = self.held_before(&change.key, at).changed_by(change);
            self.timelines.entry(change.key).or_default().push((at, after));
        }
    }

    /// Every change, with and without effect, in the space's order.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.values()
    }

    /// Whether `author` holds `capability` just before `at`.
    pub fn holds(&self, author: &Author, capability: Capability, at: Order) -> bool {
        self.held_before(author, at).contains(capability)
    }

    fn held_before(&self, key: &Author, at: Order) -> CapabilitySet {
        let timeline = self.timelines.get(key).map(Vec::as_slice).unwrap_or_default();
        let later = timeline.partition_point(|(place, _)| *place < at);
        match later.checked_sub(1).and_then(|last| timeline.get(last)) {
            Some((_, held)) => *held,
            None if self.owner.as_ref() == Some(key) => CapabilitySet::of(&Capability::ALL),
            None => CapabilitySet::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ts: u64) -> (HlcTimestamp, OpId) {
        (HlcTimestamp(ts), OpId([0; 32]))
    }

    #[test]
    fn a_grant_counts_from_its_place_on_and_a_revocation_ends_it() {
        let (owner, agent) = (Author([1; 32]), Author([2; 32]));
        let mut access = Access::default();
        access.set_owner(owner);
        let change = |gives| Change {
            author: owner,
            key: agent,
            capabilities: vec![Capability::Append],
            gives,
        };
        access.insert(at(5), change(true));
        access.insert(at(9), change(false));
        let holds = |ts| access.holds(&agent, Capability::Append, at(ts));
        assert_eq!([holds(5), holds(6), holds(9), holds(10)], [false, true, true, false]);
        assert!(!access.holds(&agent, Capability::Correct, at(6)));
        assert!(access.holds(&owner, Capability::Admin, at(20)));
    }

    #[test]
    fn a_grant_by_a_key_without_admin_has_no_effect() {
        let (owner, agent, other) = (Author([1; 32]), Author([2; 32]), Author([3; 32]));
        let mut access = Access::default();
        access.set_owner(owner);
        access.insert(
            at(2),
            Change { author: agent, key: other, capabilities: Capability::ALL.into(), gives: true },
        );
        assert!(!access.holds(&other, Capability::Append, at(3)));
    }

    #[test]
    fn a_grant_outlives_its_authors_admin_and_the_owner_can_lose_capabilities() {
        let (owner, agent, other) = (Author([1; 32]), Author([2; 32]), Author([3; 32]));
        let mut access = Access::default();
        access.set_owner(owner);
        let change = |author, key, capability, gives| Change {
            author,
            key,
            capabilities: vec![capability],
            gives,
        };
        access.insert(at(2), change(owner, agent, Capability::Admin, true));
        access.insert(at(3), change(agent, other, Capability::Append, true));
        access.insert(at(4), change(owner, agent, Capability::Admin, false));
        access.insert(at(5), change(agent, other, Capability::Correct, true));
        assert!(access.holds(&other, Capability::Append, at(9)));
        assert!(
            !access.holds(&other, Capability::Correct, at(9)),
            "granted after its author lost admin"
        );
        access.insert(at(6), change(owner, owner, Capability::Correct, false));
        assert!(
            access.holds(&owner, Capability::Correct, at(6))
                && !access.holds(&owner, Capability::Correct, at(7))
        );
    }

    #[test]
    fn changes_count_in_the_order_of_the_space_however_they_arrive() {
        let (owner, agent) = (Author([1; 32]), Author([2; 32]));
        let change = |gives| Change {
            author: owner,
            key: agent,
            capabilities: vec![Capability::Append],
            gives,
        };
        let changes = [
            ((HlcTimestamp(5), OpId([1; 32])), change(true)),
            ((HlcTimestamp(5), OpId([2; 32])), change(false)),
        ];
        let (mut one, mut other) = (Access::default(), Access::default());
        one.set_owner(owner);
        other.set_owner(owner);
        changes.iter().cloned().for_each(|(at, change)| one.insert(at, change));
        changes.iter().rev().cloned().for_each(|(at, change)| other.insert(at, change));
        assert_eq!(one, other);
        assert!(
            !one.holds(&agent, Capability::Append, at(6)),
            "of two changes with one time, the greater id is the later"
        );
    }

    #[test]
    fn no_key_holds_anything_before_the_space_begins() {
        assert!(!Access::default().holds(&Author([0; 32]), Capability::Append, at(1)));
    }
}
