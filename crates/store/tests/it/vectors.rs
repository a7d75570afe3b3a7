//! The ledgers of the format's vectors, replayed through both stores.

use std::path::{Path, PathBuf};

use kernel::body::Body;
use kernel::operation::Operation;
use kernel::rules::{RuleViolation, judge_time};
use kernel::validity::Validity;
use serde_json::Value;
use store::memory::MemoryLedger;
use store::sqlite::SqliteSpace;
use store::{Ledger, StoreError, Writing};

use crate::book::{IndexOf, word};

/// The ledger into which a vector is replayed. The file is created with its genesis operation.
#[allow(clippy::large_enum_variant, reason = "there are two")]
enum Place {
    Memory(MemoryLedger),
    File(PathBuf, Option<SqliteSpace>),
}

/// The store's verdict on a line, in the terms of the vectors.
fn record(place: &mut Place, line: &[u8], now_us: Option<u64>) -> String {
    let read = || -> Result<_, RuleViolation> {
        let operation = Operation::from_line(line)?.verify()?;
        if let Some(now_us) = now_us {
            judge_time(operation.header().ts, now_us)?;
        }
        let body = operation
            .body()
            .map(|bytes| Body::parse(&operation.header().kind, bytes))
            .transpose()?;
        Ok((operation, body))
    };
    let (operation, body) = match read() {
        Ok(read) => read,
        Err(violation) => return violation.code().to_owned(),
    };
    let ledger: &mut dyn Ledger = match place {
        Place::Memory(ledger) => ledger,
        Place::File(_, Some(ledger)) => ledger,
        Place::File(path, none) => {
            let Some(body) = &body else { return "genesis".to_owned() };
            return match SqliteSpace::create(path, &operation, body) {
                Ok(space) => {
                    *none = Some(space);
                    "append".to_owned()
                }
                Err(StoreError::Damaged { .. }) => {
                    assert_eq!(
                        std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
                        0,
                        "nothing is left behind"
                    );
                    "genesis".to_owned()
                }
                Err(error) => panic!("{error}"),
            };
        }
    };
    let mut writing = ledger.begin().unwrap();
    let result = writing.record(&operation, body.as_ref());
    let word = word(&result).to_owned();
    writing.commit().unwrap();
    word
}

fn states(place: &mut Place, keys: &serde_json::Map<String, Value>) {
    let writing: Box<dyn Writing + '_> = match place {
        Place::Memory(ledger) => ledger.begin().unwrap(),
        Place::File(_, ledger) => ledger.as_mut().unwrap().begin().unwrap(),
    };
    for (key, state) in keys {
        let found = Validity::new(&IndexOf(&*writing)).state(key).unwrap().as_str();
        assert_eq!(state, found, "{key}");
    }
}

#[test]
fn both_stores_give_the_expected_verdicts_on_every_vector_ledger() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vectors/ledgers");
    let mut ledgers = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let vector: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("test.space");
        for mut place in [Place::Memory(MemoryLedger::default()), Place::File(file, None)] {
            for (number, step) in vector["steps"].as_array().unwrap().iter().enumerate() {
                let line = step["line"].as_str().unwrap().as_bytes();
                let found = record(&mut place, line, step["now_us"].as_u64());
                assert_eq!(step["expect"], found, "{} step {number}", path.display());
                if let Some(keys) = step["states"].as_object() {
                    states(&mut place, keys);
                }
            }
            if let Place::File(_, Some(mut space)) = place {
                space.advance(|_| {}).unwrap();
                for (stored, folded) in space.refold().unwrap() {
                    assert_eq!(stored, folded, "{}", path.display());
                }
            }
        }
        ledgers += 1;
    }
    assert!(ledgers >= 10, "the vectors are there");
}
