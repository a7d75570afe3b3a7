//! Who may do what in a space, at each point of its order.
//!
//! The owner named by the genesis operation holds everything. A grant or revocation counts from its
//! own place in the order on, if its author held `admin` there. Few of them exist in a space, so
//! they are replayed from the start for each question that does not go to the owner.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::{Author, OpId};
use crate::kind::Capability;
use crate::operation::HlcTimestamp;

/// A change of capabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Who said so.
    pub author: Author,
    /// The key concerned.
    pub key: Author,
    /// Which capabilities.
    pub capabilities: Vec<Capability>,
    /// True to give, false to take.
    pub gives: bool,
}

/// The capabilities of every key over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    owner: Option<Author>,
    changes: BTreeMap<(HlcTimestamp, OpId), Change>,
}

impl Access {
    /// Names the owner (from the genesis operation).
    pub fn set_owner(&mut self, owner: Author) {
        self.owner = Some(owner);
    }

    /// The owner, once the space has begun.
    pub fn owner(&self) -> Option<Author> {
        self.owner
    }

    /// Takes note of a grant or revocation at its place in the order.
    pub fn insert(&mut self, at: (HlcTimestamp, OpId), change: Change) {
        self.changes.insert(at, change);
    }

    /// Whether `author` holds `capability` just before `at`.
    pub fn holds(&self, author: &Author, capability: Capability, at: (HlcTimestamp, OpId)) -> bool {
        if self.owner.as_ref() == Some(author) && self.changes.is_empty() {
            return true;
        }
        self.capabilities(at).get(author).is_some_and(|held| held.contains(&capability))
    }

    /// What every key holds just before `at`.
    pub fn capabilities(&self, at: (HlcTimestamp, OpId)) -> BTreeMap<Author, BTreeSet<Capability>> {
        let mut held: BTreeMap<Author, BTreeSet<Capability>> = BTreeMap::new();
        if let Some(owner) = self.owner {
            held.insert(owner, Capability::ALL.into());
        }
        for change in self.changes.range(..at).map(|(_, change)| change) {
            if !held.get(&change.author).is_some_and(|of| of.contains(&Capability::Admin)) {
                continue;
            }
            let of = held.entry(change.key).or_default();
            for capability in &change.capabilities {
                if change.gives {
                    of.insert(*capability);
                } else {
                    of.remove(capability);
                }
            }
        }
        held
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
    fn who_is_no_admin_gives_nothing() {
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
    fn a_grant_outlives_its_givers_power_and_the_owner_may_lose_its_own() {
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
            "given when it was no admin any more"
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
            "of one moment, the greater id is the later"
        );
    }

    #[test]
    fn before_a_space_begins_nobody_holds_anything() {
        assert!(!Access::default().holds(&Author([0; 32]), Capability::Append, at(1)));
    }
}
