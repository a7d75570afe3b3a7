//! What recall of facts finds is what is believed, on random histories of two devices, now and as
//! of any earlier time.

use std::cell::Cell;
use std::collections::BTreeSet;

use engine::Space;
use engine::belief::claims::ClaimFilter;
use engine::recall::facts::FactQuery;
use kernel::id::OpId;
use store::sqlite::SqliteSpace;
use testkit::histories::two_devices;
use testkit::in_sqlite::CheckedEvery;

use crate::support::{at, key};

/// Histories, and their steps.
const HISTORIES: (u64, usize) = (2, 160);
/// Steps between comparisons.
const COMPARED_EVERY: usize = 20;

/// Asks for every identity by its key or its text, of the present and of a time in the past.
fn compare(kept: &SqliteSpace, found_in_all: &Cell<usize>) {
    let space = Space::open(kept.path(), key(1)).unwrap();
    let latest = kept.latest().unwrap().unwrap().0;
    for as_of_us in [None, Some(latest / 3), Some(latest * 2 / 3), Some(latest)] {
        let believed = space
            .claims(&ClaimFilter { as_of_us, ..ClaimFilter::default() }, 1_000)
            .unwrap()
            .beliefs;
        let believed: BTreeSet<(String, Option<OpId>)> =
            believed.into_iter().map(|belief| (belief.key, belief.served)).collect();
        let mut found = BTreeSet::new();
        let identities = (0..9).map(|number| format!("k{number}"));
        let texts = (0..4).map(|number| format!("it is {number}"));
        for question in identities.chain(texts) {
            let query = FactQuery { as_of_us, limit: 100, ..FactQuery::new(question, at(0)) };
            let facts = space.recall_facts(&query).unwrap().facts;
            found.extend(facts.into_iter().map(|fact| (fact.belief.key, Some(fact.id))));
        }
        found_in_all.set(found_in_all.get() + found.len());
        assert_eq!(found, believed, "as of {as_of_us:?}");
    }
    assert!(kept.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
}

#[test]
fn facts_found_equal_the_beliefs_on_any_history_of_two_devices() {
    for seed in 1..=HISTORIES.0 {
        println!("seed {seed}");
        let found = Cell::new(0);
        let folder = tempfile::tempdir().unwrap();
        let device = Cell::new(0);
        two_devices(seed, HISTORIES.1, |genesis, body| {
            device.set(device.get() + 1);
            let path = folder.path().join(format!("{}.space", device.get()));
            let space = SqliteSpace::create(&path, genesis, body).unwrap();
            CheckedEvery::begun(space, COMPARED_EVERY, |space| compare(space, &found))
        });
        assert!(found.get() > 50, "the history does not try much: {}", found.get());
    }
}
