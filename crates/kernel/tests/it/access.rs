//! The timelines of capabilities against the obvious way: replaying every change for each question.

use std::collections::{BTreeMap, BTreeSet};

use kernel::access::{Access, Change, Place};
use kernel::id::{Author, OpId};
use kernel::kind::Capability;
use kernel::operation::HlcTimestamp;
use proptest::collection::vec;
use proptest::prelude::*;

type Order = (HlcTimestamp, OpId);

/// Keys in a history; the first is the owner.
const KEYS: u8 = 5;
/// Numbers of a chain in a history.
const SEQS: u64 = 4;
/// Times in a history; few, so that several changes share one.
const TIMES: u64 = 12;

fn key(number: u8) -> Author {
    Author([number; 32])
}

/// A revocation that counted and names a last number.
type Limit<'c> = (Order, &'c Change, u64);

/// Whether a limit takes a capability from a key's operation.
fn takes(limits: &[Limit<'_>], author: &Author, capability: Capability, at: Place) -> bool {
    limits.iter().any(|(order, change, last_seq)| {
        change.key == *author
            && change.capabilities.contains(&capability)
            && at.seq > *last_seq
            && at.order <= *order
    })
}

/// What every key holds just before `at`, by replaying all changes from the first, and the limits
/// among those that counted.
fn replay<'c>(
    owner: Option<Author>,
    changes: &'c BTreeMap<Order, Change>,
    at: Order,
    limits: &[Limit<'c>],
) -> (BTreeMap<Author, BTreeSet<Capability>>, Vec<Limit<'c>>) {
    let mut held: BTreeMap<Author, BTreeSet<Capability>> = BTreeMap::new();
    let mut found = Vec::new();
    if let Some(owner) = owner {
        held.insert(owner, Capability::ALL.into());
    }
    for (order, change) in changes.range(..at) {
        let place = Place { order: *order, seq: change.seq };
        if !held.get(&change.author).is_some_and(|of| of.contains(&Capability::Admin))
            || takes(limits, &change.author, Capability::Admin, place)
        {
            continue;
        }
        if let Some(last_seq) = change.last_seq
            && !change.gives
            && owner != Some(change.key)
        {
            found.push((*order, change, last_seq));
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
    (held, found)
}

/// A change at a place that no other change of the history has: ids differ by `number`.
fn change(number: usize) -> impl Strategy<Value = (Order, Change)> {
    let mut id = [0; 32];
    id[0] = number as u8;
    let capabilities = vec((0..4_usize).prop_map(|index| Capability::ALL[index]), 0..4);
    let numbers = (1..=SEQS, proptest::option::weighted(0.4, 0..=SEQS));
    (0..TIMES, 0..KEYS, 0..KEYS, capabilities, any::<bool>(), numbers).prop_map(
        move |(ts, author, concerned, mut capabilities, gives, (seq, last_seq))| {
            // Admin more often than by chance, so that chains of grants form.
            if ts % 2 == 0 {
                capabilities.push(Capability::Admin);
            }
            let (author, key) = (key(author), key(concerned));
            let change = Change { author, seq, key, capabilities, gives, last_seq };
            ((HlcTimestamp(ts), OpId(id)), change)
        },
    )
}

fn history() -> impl Strategy<Value = Vec<(Order, Change)>> {
    (0..14_usize).prop_flat_map(|length| (0..length).map(change).collect::<Vec<_>>())
}

/// A history, and the same in the order in which it arrives.
fn arrivals() -> impl Strategy<Value = (Vec<(Order, Change)>, usize)> {
    (history().prop_shuffle(), 0..15_usize)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn timelines_answer_as_a_replay_does_for_any_history_in_any_order_of_arrival(
        (changes, owner_after) in arrivals(),
    ) {
        let owner = key(0);
        let mut access = Access::default();
        let mut arrived = BTreeMap::new();
        let mut known = None;
        for (number, (at, change)) in changes.iter().enumerate() {
            if number == owner_after {
                access.set_owner(owner);
                known = Some(owner);
            }
            access.insert(*at, change.clone());
            arrived.insert(*at, change.clone());
            let end = (HlcTimestamp(u64::MAX), OpId([255; 32]));
            let (_, limits) = replay(known, &arrived, end, &[]);
            for ts in 0..=TIMES {
                for id in [0, 7, 255] {
                    let order = (HlcTimestamp(ts), OpId([id; 32]));
                    let (expected, _) = replay(known, &arrived, order, &limits);
                    for (author, seq) in (0..KEYS).map(key).zip([1, 2, 3, 4, 5]) {
                        let at = Place { order, seq };
                        for capability in Capability::ALL {
                            let held = expected.get(&author).is_some_and(|of| of.contains(&capability))
                                && !takes(&limits, &author, capability, at);
                            prop_assert_eq!(access.holds(&author, capability, at), held);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn one_by_one_in_any_order_gives_the_same_as_all_at_once(changes in history().prop_shuffle()) {
        let (mut one_by_one, mut at_once) = (Access::default(), Access::default());
        one_by_one.set_owner(key(0));
        changes.iter().cloned().for_each(|(at, change)| one_by_one.insert(at, change));
        at_once.extend(changes);
        at_once.set_owner(key(0));
        prop_assert_eq!(one_by_one, at_once);
    }
}
