//! The graph of a verification answers the same in memory and in a temporary file.

use kernel::body::Body;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::Role;
use store::StoreError;
use store::sqlite::SqliteSpace;
use testkit::histories::two_devices;
use testkit::in_sqlite::CheckedEvery;

use super::index::{CheckedLedger, GraphPlace};
use super::ledger::check_operations;

/// Histories, and their steps.
const HISTORIES: (u64, usize) = (3, 120);
/// After every so many steps both are compared.
const COMPARED_EVERY: usize = 30;

/// Takes a whole ledger into both graphs and compares what they say of each operation.
fn compare(space: &SqliteSpace) {
    let (memory, file) = (GraphPlace::of(space, u64::MAX), GraphPlace::of(space, 0));
    assert!(matches!((&memory, &file), (GraphPlace::Memory, GraphPlace::File(_))));
    let mut memory = CheckedLedger::new(space, &memory).unwrap();
    let mut file = CheckedLedger::new(space, &file).unwrap();
    let taken: Result<(), StoreError> = space.in_order(|recorded| {
        let operation = &recorded.operation;
        let kind = &operation.header().kind;
        let body = operation.body().and_then(|bytes| Body::parse(kind, bytes).ok());
        for graph in [&mut memory, &mut file] {
            graph.prepare(operation)?;
            graph.insert(operation, body.as_ref())?;
        }
        let cited = operation.header().refs.iter().map(|cited| cited.id);
        for id in cited.chain([operation.id()]) {
            assert_eq!(memory.entry(&id)?, file.entry(&id)?);
            assert_eq!(memory.citing(&id)?, file.citing(&id)?);
            assert_eq!(memory.dependents(&id)?, file.dependents(&id)?);
            assert_eq!(memory.status(&id)?, file.status(&id)?);
            let acting = |graph: &CheckedLedger<'_>| graph.acting(&id, kind, Role::TARGET);
            assert_eq!(acting(&memory)?, acting(&file)?);
        }
        if let Some((key, _)) = body.as_ref().and_then(Body::identity) {
            assert_eq!(memory.identity(key)?, file.identity(key)?);
            let latest = |graph: &CheckedLedger<'_>| graph.latest_of(key, &Kind::Claim, None);
            assert_eq!(latest(&memory)?, latest(&file)?);
        }
        let author = operation.header().author;
        assert_eq!(memory.head(&author)?, file.head(&author)?);
        assert_eq!((memory.space()?, memory.access()?), (file.space()?, file.access()?));
        Ok(())
    });
    taken.unwrap();
    let checked = |rows_in_memory_max| {
        let checked = check_operations(space, rows_in_memory_max, |_| {}).unwrap();
        serde_json::to_value(checked).unwrap()
    };
    assert_eq!(checked(u64::MAX), checked(0));
}

#[test]
fn any_history_of_two_devices_is_judged_the_same_in_memory_and_in_a_file() {
    for seed in 1..=HISTORIES.0 {
        println!("seed {seed}");
        two_devices(seed, HISTORIES.1, |genesis, body| {
            let space = SqliteSpace::create_in_memory(genesis, body).unwrap();
            CheckedEvery::begun(space, COMPARED_EVERY, |space| {
                if space.graph_rows().unwrap() > 0 {
                    compare(space);
                }
            })
        });
    }
}
