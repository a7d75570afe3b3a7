//! A keeper of histories in a SQLite space, on disk or in memory.

use kernel::body::Body;
use kernel::cascade::{Consequences, Journal};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::Operation;
use kernel::rules::RuleViolation;
use store::sqlite::SqliteSpace;
use store::{RecordError, StoreError, Writing};

use crate::histories::{Keeper, Origin};

/// A space that commits each operation separately.
pub struct InSqlite {
    /// The space.
    pub space: SqliteSpace,
    journal: Journal,
}

impl InSqlite {
    /// Starts with a space that holds only its genesis.
    pub fn begun(space: SqliteSpace) -> Self {
        Self { space, journal: Journal::default() }
    }
}

/// Errors of the store end the test.
impl Keeper for InSqlite {
    type Error = StoreError;

    fn ask(&self, question: &mut dyn FnMut(&dyn LedgerIndex<Error = StoreError>)) {
        question(&self.space.ledger_index().expect("a world"));
    }

    fn take(
        &mut self,
        operation: &Operation,
        body: &Body,
        origin: Origin,
    ) -> Result<(), RuleViolation> {
        let mut writing = self.space.write().expect("a writing");
        writing.resume(std::mem::take(&mut self.journal));
        let taken = match origin {
            Origin::Own => writing.record(operation, Some(body)),
            Origin::Elsewhere => writing.admit(operation, Some(body)),
        };
        self.journal = writing.suspend();
        match taken {
            Ok(_) => {
                Box::new(writing).commit().expect("a commit");
                Ok(())
            }
            Err(RecordError::Refused { violation, .. }) => Err(violation),
            Err(RecordError::Store(error)) => panic!("{error}"),
        }
    }

    fn follow(&mut self) -> Consequences {
        let mut writing = self.space.write().expect("a writing");
        writing.resume(std::mem::take(&mut self.journal));
        writing.follow().expect("what follows")
    }
}

/// A space that is checked after every so many steps of a history.
pub struct CheckedEvery<F> {
    kept: InSqlite,
    every: usize,
    steps: usize,
    check: F,
}

impl<F: FnMut(&SqliteSpace)> CheckedEvery<F> {
    /// Starts with a space that holds only its genesis.
    pub fn begun(space: SqliteSpace, every: usize, check: F) -> Self {
        Self { kept: InSqlite::begun(space), every, steps: 0, check }
    }
}

impl<F: FnMut(&SqliteSpace)> Keeper for CheckedEvery<F> {
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
        if self.steps.is_multiple_of(self.every) {
            (self.check)(&self.kept.space);
        }
        self.kept.follow()
    }
}
