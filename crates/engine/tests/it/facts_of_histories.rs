//! What recall of facts finds is what is believed, on random histories of two devices, now and as
//! of any earlier time.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use engine::Space;
use engine::belief::claims::ClaimFilter;
use engine::recall::facts::FactQuery;
use kernel::body::Body;
use kernel::cascade::Consequences;
use kernel::id::OpId;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::Operation;
use kernel::rules::RuleViolation;
use store::StoreError;
use store::sqlite::SqliteSpace;
use testkit::histories::{Keeper, Origin, two_devices};
use testkit::in_sqlite::InSqlite;

use crate::support::{at, key};

/// Histories, and their steps.
const HISTORIES: (u64, usize) = (2, 160);
/// Steps between comparisons.
const COMPARED_EVERY: usize = 20;

/// A space in a file that is searched at intervals.
struct SearchedSpace {
    folder: tempfile::TempDir,
    kept: InSqlite,
    steps: usize,
    /// How many facts were found in all.
    found: Rc<Cell<usize>>,
}

impl SearchedSpace {
    fn begun(genesis: &Operation, body: &Body, found: Rc<Cell<usize>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let space = SqliteSpace::create(&folder.path().join("test.space"), genesis, body).unwrap();
        Self { folder, kept: InSqlite::begun(space), steps: 0, found }
    }

    /// Asks for every identity by its key, of the present and of a time in the past.
    fn compare(&self) {
        let space = Space::open(&self.folder.path().join("test.space"), key(1)).unwrap();
        let latest = self.kept.space.latest().unwrap().unwrap().0;
        for as_of_us in [None, Some(latest / 3), Some(latest * 2 / 3), Some(latest)] {
            let believed = space
                .claims(&ClaimFilter { as_of_us, ..ClaimFilter::default() }, 1_000)
                .unwrap()
                .beliefs;
            let believed: BTreeSet<(String, Option<OpId>)> =
                believed.into_iter().map(|belief| (belief.key, belief.served)).collect();
            let mut found = BTreeSet::new();
            for number in 0..9 {
                let query = FactQuery {
                    as_of_us,
                    limit: 100,
                    ..FactQuery::new(format!("k{number}"), at(0))
                };
                let facts = space.recall_facts(&query).unwrap().facts;
                found.extend(facts.into_iter().map(|fact| (fact.belief.key, Some(fact.id))));
            }
            self.found.set(self.found.get() + found.len());
            assert_eq!(found, believed, "as of {as_of_us:?}");
        }
        assert!(self.kept.space.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
    }
}

impl Keeper for SearchedSpace {
    type Error = StoreError;

    fn ask(&self, question: &mut dyn FnMut(&dyn LedgerIndex<Error = StoreError>)) {
        self.kept.ask(question);
    }

    fn take(
        &mut self,
        operation: &Operation,
        body: &Body,
        origin: Origin,
    ) -> Result<(), RuleViolation> {
        self.kept.take(operation, body, origin)
    }

    fn follow(&mut self) -> Consequences {
        self.steps += 1;
        if self.steps.is_multiple_of(COMPARED_EVERY) {
            self.compare();
        }
        self.kept.follow()
    }
}

#[test]
fn facts_found_equal_the_beliefs_on_any_history_of_two_devices() {
    for seed in 1..=HISTORIES.0 {
        println!("seed {seed}");
        let found = Rc::new(Cell::new(0));
        two_devices(seed, HISTORIES.1, |genesis, body| {
            SearchedSpace::begun(genesis, body, found.clone())
        });
        assert!(found.get() > 50, "the history does not try much: {}", found.get());
    }
}
