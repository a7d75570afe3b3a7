//! The stored status of every claim, and its consequences, against the naive model of beliefs on
//! random histories of two devices.

use kernel::validity::{State, Validity};
use serde_json::json;
use store::sqlite::SqliteSpace;
use testkit::histories::two_devices;
use testkit::in_sqlite::InSqlite;

use crate::book::{Book, key};

/// Histories, and their steps.
const HISTORIES: (u64, usize) = (2, 300);

#[test]
fn a_file_agrees_with_the_naive_model_on_histories_of_two_devices() {
    for seed in 1..=HISTORIES.0 {
        println!("seed {seed}");
        let recorded = two_devices(seed, HISTORIES.1, |genesis, body| {
            InSqlite::begun(SqliteSpace::create_in_memory(genesis, body).unwrap())
        });
        assert!(recorded > 10, "the history does not try much: {recorded}");
    }
}

#[test]
fn invalidating_a_node_without_stored_status_invalidates_claims_on_it() {
    let mut book = Book::in_file();
    let seen = book.note("a", "soup");
    let node = book.record(&key(1), "node", &json!({"node_type": "entity"}), &[("input", seen)]);
    let claim = json!({"claim_type": "t", "identity_key": "k", "payload": 1});
    book.record(&key(1), "claim", &claim, &[("input", node)]);
    book.tamper("DELETE FROM claim WHERE pos = (SELECT pos FROM op WHERE kind = 'node')");
    book.record(&key(1), "evidence_retraction", &json!({}), &[("target", seen)]);
    let index = book.ledger.ledger_index().unwrap();
    assert_eq!(Validity::new(&index).state("k").unwrap(), State::Invalidated);
    assert!(book.ledger.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
}
