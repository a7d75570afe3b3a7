//! What a file stores of every claim, and what it says that follows, against the naive model of beliefs on random histories of two devices.

use kernel::body::Body;
use kernel::cascade::{Consequences, Journal};
use kernel::operation::Operation;
use kernel::rules::Breach;
use kernel::world::World;
use store::sqlite::SqliteSpace;
use store::{RecordError, StoreError, Writing};
use testkit::histories::{Keeper, Origin, two_devices};

/// Histories, and their steps.
const HISTORIES: (u64, usize) = (2, 240);

/// A space whose operations are each committed alone.
struct InSqlite {
    space: SqliteSpace,
    journal: Journal,
}

impl InSqlite {
    fn begun(genesis: &Operation, body: &Body) -> Self {
        Self { space: SqliteSpace::create_in_memory(genesis, body).unwrap(), journal: Journal::default() }
    }
}

impl Keeper for InSqlite {
    type Error = StoreError;

    fn ask(&self, question: &mut dyn FnMut(&dyn World<Error = StoreError>)) {
        question(&self.space.world().unwrap());
    }

    fn take(&mut self, operation: &Operation, body: &Body, origin: Origin) -> Result<(), Breach> {
        let mut writing = self.space.write().unwrap();
        writing.resume(std::mem::take(&mut self.journal));
        let taken = match origin {
            Origin::Own => writing.record(operation, Some(body)),
            Origin::Elsewhere => writing.admit(operation, Some(body)),
        };
        self.journal = writing.suspend();
        match taken {
            Ok(_) => Box::new(writing).commit().map(|_| ()).map_err(|error| panic!("{error}")),
            Err(RecordError::Refused { breach, .. }) => Err(breach),
            Err(RecordError::Store(error)) => panic!("{error}"),
        }
    }

    fn follow(&mut self) -> Consequences {
        let mut writing = self.space.write().unwrap();
        writing.resume(std::mem::take(&mut self.journal));
        writing.follow().unwrap()
    }
}

#[test]
fn a_file_believes_what_the_naive_model_does_on_any_history_of_two_devices() {
    for seed in 1..=HISTORIES.0 {
        println!("seed {seed}");
        let recorded = two_devices(seed, HISTORIES.1, InSqlite::begun);
        assert!(recorded > 10, "the history does not try much: {recorded}");
    }
}
