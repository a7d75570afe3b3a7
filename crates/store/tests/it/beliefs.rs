//! The stored status of every claim, and its consequences, against the naive model of beliefs on
//! random histories of two devices.

use kernel::id::OpId;
use kernel::validity::{State, Validity};
use serde_json::json;
use store::sqlite::SqliteSpace;
use testkit::histories::two_devices;
use testkit::in_sqlite::{CheckedEvery, InSqlite};

use crate::book::{Book, key};

/// Histories, and their steps.
const HISTORIES: (u64, usize) = (2, 300);
/// Steps of a history whose views are folded again every few steps.
const REFOLDED_STEPS: usize = 150;

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
fn the_views_that_histories_leave_are_those_that_are_folded_again() {
    let seeds = std::env::var("REFOLD_SEEDS").unwrap_or_else(|_| "1..3".to_owned());
    let (from, to) = seeds.split_once("..").unwrap();
    for seed in from.parse().unwrap()..to.parse::<u64>().unwrap() {
        two_devices(seed, REFOLDED_STEPS, |genesis, body| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("test.space");
            let space = SqliteSpace::create(&path, genesis, body).unwrap();
            CheckedEvery::begun(space, 10, move |space| {
                assert!(folder.path().exists());
                for (stored, folded) in space.refold().unwrap() {
                    assert_eq!(stored, folded, "seed {seed}");
                }
            })
        });
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

/// A claim in words by the key 1 or, if `author` says so, by a key without any capability.
fn state(book: &mut Book<SqliteSpace>, author: u8, text: &str, input: OpId) -> OpId {
    let body = json!({"claim_type": "fact", "identity_key": text, "text": text, "confidence": 1});
    let at = book.clock + 1;
    book.clock = at;
    book.admit(&key(author), "claim", &body, &[("input", input)], at)
}

#[test]
fn what_a_claim_displaces_is_believed_again_once_it_falls_whatever_others_say_of_its_text() {
    let mut book = Book::in_file();
    let seen = book.note("a", "soup");
    let (old, new) = (state(&mut book, 1, "old", seen), state(&mut book, 1, "new", seen));
    let ends = [("from", new), ("to", old), ("input", seen)];
    book.record(&key(1), "edge", &json!({"edge_type": "supersedes"}), &ends);
    state(&mut book, 9, "new", seen);
    let fall = json!({"identity_key": "new"});
    book.record(&key(1), "claim_refutation", &fall, &[("target", new)]);
    assert!(book.ledger.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
}

#[test]
fn a_new_version_ends_what_the_one_before_displaces_whatever_others_say_in_between() {
    let mut book = Book::in_file();
    let seen = book.note("a", "soup");
    let (old, new) = (state(&mut book, 1, "old", seen), state(&mut book, 1, "new", seen));
    let ends = [("from", new), ("to", old), ("input", seen)];
    book.record(&key(1), "edge", &json!({"edge_type": "supersedes"}), &ends);
    state(&mut book, 9, "new", seen);
    state(&mut book, 1, "new", seen);
    assert!(book.ledger.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
}
