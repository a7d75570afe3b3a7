//! Who may do what in a space, at each point of its order.
//!
//! The owner named by the genesis operation holds everything. A grant or revocation counts for
//! operations that are later than itself in the order, if its author held `admin` just before it.
//! [`Access`] keeps a timeline for each key: what the key holds after each change that counted. A
//! question is a binary search in one timeline. A change that arrives in the space's order is
//! appended to its key's timeline; one that arrives late may give effect to later changes or take
//! it from them, so the timelines are cut there and the later changes are replayed.
//!
//! An operation's time is its author's word, so a revoked key could go on with times before its
//! revocation. A revocation can therefore name the last number of the key's chain that it accepts.
//! What the key signed beyond that number holds nothing that the revocation takes, however it is
//! dated. The owner's key is exempt: otherwise any key with `admin` could take effect from
//! everything that the owner ever did.

use std::collections::{BTreeMap, HashMap};

use crate::id::{Author, OpId};
use crate::kind::Capability;
use crate::operation::HlcTimestamp;

type Order = (HlcTimestamp, OpId);

/// Where an operation stands: in the space's order, and in its author's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its place in the space's order.
    pub order: Order,
    /// Its number in its author's chain.
    pub seq: u64,
}

impl Place {
    /// After everything in the order of a space: what a key holds there it holds now. No revocation
    /// that names a last number reaches so far, so the number does not matter.
    pub const END: Self = Self { order: (HlcTimestamp(u64::MAX), OpId([0xff; 32])), seq: 0 };

    /// The place of an operation that is yet to be signed, at a time: after everything that its
    /// author signed so far.
    pub fn next(ts: HlcTimestamp) -> Self {
        Self { order: (ts, OpId([0; 32])), seq: u64::MAX }
    }
}

/// A change of capabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Who signed the grant or revocation.
    pub author: Author,
    /// Its number in its author's chain.
    pub seq: u64,
    /// The key concerned.
    pub key: Author,
    /// Which capabilities.
    pub capabilities: Vec<Capability>,
    /// True to give, false to take.
    pub gives: bool,
    /// The last number of the key's chain that a revocation accepts, if it names one.
    pub last_seq: Option<u64>,
}

impl Change {
    /// The limit that a revocation sets to the key's chain.
    fn limit(&self, at: Order, owner: Option<Author>) -> Option<Limit> {
        let last_seq = self.last_seq.filter(|_| !self.gives && owner != Some(self.key))?;
        Some(Limit { at, last_seq, taken: CapabilitySet::of(&self.capabilities) })
    }
}

/// What a revocation takes from a key beyond a number of its chain, up to its own place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limit {
    at: Order,
    last_seq: u64,
    taken: CapabilitySet,
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
    /// Whether a revocation names a last number, whether or not it counts.
    may_limit: bool,
    /// By key: the limits of revocations that counted.
    limits: HashMap<Author, Vec<Limit>>,
}

impl Access {
    /// Names the owner (from the genesis operation).
    pub fn set_owner(&mut self, owner: Author) {
        self.owner = Some(owner);
        self.replay();
    }

    /// The owner, once the space has begun.
    pub fn owner(&self) -> Option<Author> {
        self.owner
    }

    /// Adds a grant or revocation at its place in the order. Costs a binary search if it is the
    /// latest, and otherwise a replay of all that are later. If a revocation names a last number,
    /// everything is replayed.
    pub fn insert(&mut self, at: Order, change: Change) {
        let is_latest = self.changes.last_key_value().is_none_or(|(latest, _)| *latest < at);
        let limits = change.last_seq.is_some();
        self.changes.insert(at, change);
        self.may_limit |= limits;
        if limits || !is_latest && self.may_limit {
            self.replay();
        } else {
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
        self.may_limit = self.changes.values().any(|change| change.last_seq.is_some());
        self.replay();
    }

    /// Whether a revocation names the last number of a chain. Then who may administer decides also
    /// about operations that are earlier than the change.
    pub fn may_limit(&self) -> bool {
        self.may_limit
    }

    /// Replays everything. Which revocations count is decided without their limits, so that no
    /// limit decides about itself; then the changes are replayed within the limits.
    fn replay(&mut self) {
        const FIRST: Order = (HlcTimestamp(0), OpId([0; 32]));
        self.limits.clear();
        self.timelines.clear();
        let limits = self.replay_from(FIRST);
        if !limits.is_empty() {
            self.timelines.clear();
            for (key, limit) in limits {
                self.limits.entry(key).or_default().push(limit);
            }
            self.replay_from(FIRST);
        }
    }

    /// Applies the changes from `at` on to timelines that end before it. Answers the limits of
    /// those that count.
    fn replay_from(&mut self, at: Order) -> Vec<(Author, Limit)> {
        let changes = std::mem::take(&mut self.changes);
        let mut limits = Vec::new();
        for (place, change) in changes.range(at..) {
            if self.apply(*place, change) {
                limits.extend(change.limit(*place, self.owner).map(|limit| (change.key, limit)));
            }
        }
        self.changes = changes;
        limits
    }

    /// Appends a change to its key's timeline, if its author may make it.
    fn apply(&mut self, order: Order, change: &Change) -> bool {
        let counts =
            self.holds(&change.author, Capability::Admin, Place { order, seq: change.seq });
        if counts {
            let after = self.held_before(&change.key, order).changed_by(change);
            self.timelines.entry(change.key).or_default().push((order, after));
        }
        counts
    }

    /// Every change, with and without effect, in the space's order.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.values()
    }

    /// Whether `author` holds `capability` just before `at`, for its operation there.
    pub fn holds(&self, author: &Author, capability: Capability, at: Place) -> bool {
        let is_taken = |limit: &Limit| {
            at.seq > limit.last_seq && at.order <= limit.at && limit.taken.contains(capability)
        };
        self.held_before(author, at.order).contains(capability)
            && !self.limits.get(author).is_some_and(|limits| limits.iter().any(is_taken))
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

    fn at(ts: u64) -> Order {
        (HlcTimestamp(ts), OpId([0; 32]))
    }

    /// The place of the first operation of an author, at a time.
    fn first(ts: u64) -> Place {
        Place { order: at(ts), seq: 1 }
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
            seq: 1,
            last_seq: None,
        };
        access.insert(at(5), change(true));
        access.insert(at(9), change(false));
        let holds = |ts| access.holds(&agent, Capability::Append, first(ts));
        assert_eq!([holds(5), holds(6), holds(9), holds(10)], [false, true, true, false]);
        assert!(!access.holds(&agent, Capability::Correct, first(6)));
        assert!(access.holds(&owner, Capability::Admin, first(20)));
    }

    #[test]
    fn a_grant_by_a_key_without_admin_has_no_effect() {
        let (owner, agent, other) = (Author([1; 32]), Author([2; 32]), Author([3; 32]));
        let mut access = Access::default();
        access.set_owner(owner);
        access.insert(
            at(2),
            Change {
                author: agent,
                seq: 1,
                key: other,
                capabilities: Capability::ALL.into(),
                gives: true,
                last_seq: None,
            },
        );
        assert!(!access.holds(&other, Capability::Append, first(3)));
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
            seq: 1,
            last_seq: None,
        };
        access.insert(at(2), change(owner, agent, Capability::Admin, true));
        access.insert(at(3), change(agent, other, Capability::Append, true));
        access.insert(at(4), change(owner, agent, Capability::Admin, false));
        access.insert(at(5), change(agent, other, Capability::Correct, true));
        assert!(access.holds(&other, Capability::Append, first(9)));
        assert!(
            !access.holds(&other, Capability::Correct, first(9)),
            "granted after its author lost admin"
        );
        access.insert(at(6), change(owner, owner, Capability::Correct, false));
        assert!(
            access.holds(&owner, Capability::Correct, first(6))
                && !access.holds(&owner, Capability::Correct, first(7))
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
            seq: 1,
            last_seq: None,
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
            !one.holds(&agent, Capability::Append, first(6)),
            "of two changes with one time, the greater id is the later"
        );
    }

    #[test]
    fn no_key_holds_anything_before_the_space_begins() {
        assert!(!Access::default().holds(&Author([0; 32]), Capability::Append, first(1)));
    }

    /// A space in which the owner lets an agent append at 2 and stops it at 9, from number 5 on.
    fn stopped_at_5() -> (Access, Author, Author) {
        let (owner, agent) = (Author([1; 32]), Author([2; 32]));
        let mut access = Access::default();
        access.set_owner(owner);
        let change = |gives, last_seq| Change {
            author: owner,
            seq: 1,
            key: agent,
            capabilities: vec![Capability::Append],
            gives,
            last_seq,
        };
        access.insert(at(2), change(true, None));
        access.insert(at(9), change(false, Some(5)));
        (access, owner, agent)
    }

    #[test]
    fn a_revocation_takes_effect_from_what_lies_beyond_its_last_number_however_it_is_dated() {
        let (access, _, agent) = stopped_at_5();
        let holds =
            |ts, seq| access.holds(&agent, Capability::Append, Place { order: at(ts), seq });
        assert!(holds(3, 1) && holds(8, 5), "what it names is accepted, whenever it arrives");
        assert!(!holds(8, 6) && !holds(3, 6) && !holds(10, 7));
        assert!(!holds(10, 5), "after the revocation the key holds nothing");
    }

    #[test]
    fn a_key_that_was_revoked_with_a_last_number_can_be_granted_again() {
        let (mut access, owner, agent) = stopped_at_5();
        let grant = Change {
            author: owner,
            seq: 1,
            key: agent,
            capabilities: vec![Capability::Append],
            gives: true,
            last_seq: None,
        };
        access.insert(at(12), grant);
        let holds =
            |ts, seq| access.holds(&agent, Capability::Append, Place { order: at(ts), seq });
        assert!(holds(13, 6) && !holds(8, 6));
    }

    #[test]
    fn backdated_grants_by_an_administrator_beyond_the_last_number_have_no_effect() {
        let (owner, agent, other) = (Author([1; 32]), Author([2; 32]), Author([3; 32]));
        let change = |author, seq, key, gives, last_seq| Change {
            author,
            seq,
            key,
            capabilities: vec![Capability::Admin],
            gives,
            last_seq,
        };
        let mut access = Access::default();
        access.set_owner(owner);
        access.insert(at(2), change(owner, 1, agent, true, None));
        access.insert(at(5), change(agent, 2, other, true, None));
        let administers = |access: &Access| {
            access.holds(&other, Capability::Admin, Place { order: at(20), seq: 1 })
        };
        assert!(administers(&access));
        access.insert(at(9), change(owner, 2, agent, false, Some(1)));
        assert!(!administers(&access));
    }

    #[test]
    fn no_last_number_limits_the_owner() {
        let (owner, agent) = (Author([1; 32]), Author([2; 32]));
        let mut access = Access::default();
        access.set_owner(owner);
        let change = |author, key, gives, last_seq| Change {
            author,
            seq: 1,
            key,
            capabilities: Capability::ALL.into(),
            gives,
            last_seq,
        };
        access.insert(at(2), change(owner, agent, true, None));
        access.insert(at(9), change(agent, owner, false, Some(0)));
        let holds = |ts| access.holds(&owner, Capability::Append, Place { order: at(ts), seq: 7 });
        assert!(holds(8) && !holds(10));
    }
}
