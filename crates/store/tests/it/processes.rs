//! Several handles on one file, as several processes would have them.

use std::time::{Duration, Instant};

use serde_json::json;
use store::sqlite::SqliteSpace;
use store::{Ledger, Position, StoreError};

use crate::book::{Book, body_of, genesis, key, note, seal, word};

#[test]
fn two_handles_that_append_in_turn_with_one_key_keep_one_chain() {
    let mut one = Book::in_file();
    let mut other = one.again();
    for round in 0..10 {
        one.note(&format!("one {round}"), "soup");
        other.clock = one.clock;
        other.note(&format!("other {round}"), "bread");
        one.clock = other.clock;
        if round % 3 == 0 {
            one.advance();
        } else if round % 3 == 1 {
            other.advance();
        }
        assert_eq!(one.ledger.head().unwrap(), other.ledger.head().unwrap());
    }
    let read = one.ledger.read(Position(0), 100).unwrap();
    let mut previous = None;
    for (number, recorded) in read.into_iter().enumerate() {
        let operation = recorded.operation.verify().unwrap();
        assert_eq!(operation.header().seq, number as u64 + 1);
        assert_eq!(operation.header().prev, previous);
        previous = Some(operation.id());
    }
    one.advance();
    assert_eq!(one.find("soup").len(), 10);
    assert_eq!(other.find("bread").len(), 10);
}

#[test]
fn many_threads_that_append_at_once_lose_nothing() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 12;
    let book = Book::in_file();
    let path = book.ledger.path();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let mut space = SqliteSpace::open(path).unwrap();
                for round in 0..ROUNDS {
                    let body =
                        body_of("evidence", &json!(note(&format!("{thread} {round}"), "soup")));
                    let mut writing = space.begin().unwrap();
                    let ts = writing.latest().unwrap().unwrap().0 + 1;
                    let operation = seal(&*writing, &key(1), body.clone(), Vec::new(), ts);
                    assert_eq!(word(&writing.record(&operation, Some(&body))), "append");
                    writing.commit().unwrap();
                    space.advance(|_| {}).unwrap();
                }
            });
        }
    });
    let again = book.again();
    assert_eq!(again.ledger.head().unwrap(), Position((THREADS * ROUNDS) as u64 + 1));
    for (stored, folded) in again.ledger.refold().unwrap() {
        assert_eq!(stored, folded);
    }
    assert_eq!(again.find("soup").len(), THREADS * ROUNDS);
}

#[test]
fn a_writer_waits_for_another_and_then_sees_what_it_wrote() {
    let mut book = Book::in_file();
    let mut other = book.again();
    let body = body_of("evidence", &json!(note("a", "soup")));
    std::thread::scope(|scope| {
        let mut writing = book.ledger.begin().unwrap();
        let waiting = scope
            .spawn(|| other.ledger.begin().unwrap().head(&key(1).author()).unwrap().unwrap().seq);
        let operation = seal(&*writing, &key(1), body.clone(), Vec::new(), 9);
        writing.record(&operation, Some(&body)).unwrap();
        writing.commit().unwrap();
        assert!([1, 2].contains(&waiting.join().unwrap()));
    });
}

#[test]
fn a_fold_gives_up_after_its_wait_and_the_index_answers_from_its_position() {
    let mut book = Book::in_file();
    let mut other = book.again();
    book.note("a", "soup");
    book.advance();
    book.note("b", "soup");
    let writing = book.ledger.begin().unwrap();
    let begun = Instant::now();
    let folded = other.ledger.advance_within(Duration::from_millis(50), |_| {});
    assert!(matches!(folded, Err(StoreError::Busy { .. })), "{folded:?}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(other.find("soup"), ["soup"]);
    drop(writing);
    assert_eq!(other.ledger.advance(|_| {}).unwrap(), Position(3));
    other.clock = 50;
    other.note("c", "soup");
}

#[test]
fn when_two_processes_create_a_space_at_one_path_one_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.space");
    let (operation, body) = genesis();
    SqliteSpace::create(&path, &operation, &body).unwrap();
    assert!(matches!(
        SqliteSpace::create(&path, &operation, &body),
        Err(StoreError::Exists { .. })
    ));
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name.to_string_lossy().starts_with("test.space")), "{names:?}");
}
