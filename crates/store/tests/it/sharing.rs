//! Handles of one process on one file: one index in memory, one snapshot per reader.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use store::Ledger;
use store::sqlite::SqliteSpace;

use crate::book::{Book, genesis};

/// Enough queries for the directions to be kept, which they are from the second query on.
fn ask_twice(book: &Book<SqliteSpace>, question: &str) -> Vec<String> {
    book.find(question);
    book.find(question)
}

#[test]
fn handles_on_one_file_share_one_index_however_the_file_is_named() {
    let book = Book::in_file();
    let beside = book.beside();
    assert!(book.ledger.shares_index_with(&beside.ledger));
    assert!(!book.ledger.shares_index_with(&book.again().ledger));
    assert!(!book.ledger.shares_index_with(&Book::in_file().ledger));
    let folder = book.ledger.path().parent().unwrap();
    let detour = folder.join("..").join(folder.file_name().unwrap()).join("test.space");
    assert!(SqliteSpace::open(&detour).unwrap().shares_index_with(&book.ledger));
}

#[test]
fn a_space_in_memory_has_an_index_of_its_own() {
    let (operation, body) = genesis();
    let [one, other] = [(); 2].map(|()| SqliteSpace::create_in_memory(&operation, &body).unwrap());
    assert!(!one.shares_index_with(&other));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_deleted_and_recreated_has_an_index_of_its_own() {
    let mut old = Book::in_file();
    old.note("a", "tomato soup");
    old.advance();
    assert_eq!(ask_twice(&old, "soup"), ["tomato soup"]);
    for suffix in ["", "-wal", "-shm"] {
        let mut path = old.ledger.path().as_os_str().to_owned();
        path.push(suffix);
        let _ = std::fs::remove_file(path);
    }
    let (operation, body) = genesis();
    let ledger = SqliteSpace::create(old.ledger.path(), &operation, &body).unwrap();
    let mut new = Book { ledger, clock: 1, folder: None };
    assert!(!new.ledger.shares_index_with(&old.ledger));
    new.note("b", "lentil soup");
    new.advance();
    assert_eq!(ask_twice(&new, "soup"), ["lentil soup"]);
    assert_eq!(ask_twice(&old, "soup"), ["tomato soup"]);
}

#[test]
fn a_read_transaction_keeps_its_snapshot_while_others_append_fold_and_search() {
    let mut book = Book::in_file();
    book.note("a", "tomato soup");
    book.advance();
    let beside = book.beside();
    let apart = book.again();
    assert_eq!(ask_twice(&beside, "soup"), ["tomato soup"]);
    let transaction = beside.ledger.read_transaction().unwrap();
    let late = book.beside();
    let before_any_search = late.ledger.read_transaction().unwrap();
    for number in 0..300 {
        book.note(&number.to_string(), "lentil soup");
    }
    book.advance();
    assert!(ask_twice(&book, "soup").len() >= 100);
    for (reader, what) in [(&beside, "it searched before"), (&late, "it did not")] {
        assert_eq!(ask_twice(reader, "soup"), ["tomato soup"], "{what}");
        assert_eq!(reader.ledger.head().unwrap().0, 2, "{what}");
    }
    drop((transaction, before_any_search));
    assert_eq!(beside.ledger.head().unwrap().0, 302);
    for reader in [&beside, &late, &apart] {
        assert_eq!(ask_twice(reader, "soup"), book.find("soup"));
    }
}

#[test]
fn read_transactions_nest_and_share_the_outermost_snapshot() {
    let mut book = Book::in_file();
    let beside = book.beside();
    let outer = beside.ledger.read_transaction().unwrap();
    drop(beside.ledger.read_transaction().unwrap());
    book.note("a", "soup");
    assert_eq!(beside.ledger.head().unwrap().0, 1);
    beside.ledger.catch_up().unwrap();
    assert_eq!(beside.ledger.text_position().unwrap().0, 0, "a read transaction does not fold");
    drop(outer);
    beside.ledger.catch_up().unwrap();
    assert_eq!(beside.find("soup"), ["soup"]);
}

#[test]
fn a_reader_does_not_wait_for_a_writer() {
    let mut book = Book::in_file();
    book.note("a", "tomato soup");
    book.advance();
    book.note("b", "lentil soup");
    let beside = book.beside();
    let writing = book.ledger.begin().unwrap();
    let begun = std::time::Instant::now();
    assert_eq!(beside.ledger.catch_up().unwrap_err().code(), "busy");
    assert_eq!(beside.find("soup"), ["tomato soup"]);
    assert!(begun.elapsed() < std::time::Duration::from_secs(20));
    drop(writing);
    beside.ledger.catch_up().unwrap();
    assert_eq!(beside.find("soup").len(), 2);
}

#[test]
fn readers_keep_their_snapshot_during_a_rebuild() {
    let mut book = Book::in_file();
    for number in 0..50 {
        book.note(&number.to_string(), &format!("soup number{number}"));
    }
    book.advance();
    let beside = book.beside();
    let before = ask_twice(&beside, "soup number7");
    let transaction = beside.ledger.read_transaction().unwrap();
    book.ledger.rebuild(|_| {}).unwrap();
    assert_eq!(ask_twice(&beside, "soup number7"), before);
    drop(transaction);
    assert_eq!(ask_twice(&beside, "soup number7"), before);
    assert_eq!(ask_twice(&book, "soup number7"), before);
}

#[test]
fn a_search_finds_everything_that_was_folded_before_it_began() {
    const READERS: usize = 4;
    const RECORDS: usize = 150;
    let mut book = Book::in_file();
    let readers: Vec<Book<SqliteSpace>> = (0..READERS).map(|_| book.beside()).collect();
    // One more than the number of the last record that is acknowledged.
    let (acknowledged, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let begin = Barrier::new(READERS + 1);
    let retracted = std::thread::scope(|scope| {
        for (number, reader) in readers.into_iter().enumerate() {
            let (acknowledged, is_done, begin) = (&acknowledged, &is_done, &begin);
            scope.spawn(move || {
                begin.wait();
                let mut searches = 0;
                while !is_done.load(Ordering::SeqCst) || searches < 3 {
                    searches += 1;
                    let known = acknowledged.load(Ordering::SeqCst);
                    if let Some(last) = known.checked_sub(1 + (searches + number) % 3) {
                        let word = format!("number{last}");
                        let found = reader.find(&word);
                        assert!(found.iter().any(|text| text.contains(&word)), "{word}: {found:?}");
                    }
                    let transaction = reader.ledger.read_transaction().unwrap();
                    let (head, first) = (reader.ledger.head().unwrap(), reader.find("soup"));
                    assert_eq!((reader.ledger.head().unwrap(), reader.find("soup")), (head, first));
                    drop(transaction);
                }
            });
        }
        begin.wait();
        let mut retracted = BTreeSet::new();
        for number in 0..RECORDS {
            let id = book.note(&number.to_string(), &format!("soup number{number}"));
            if number % 10 == 9 {
                let refs = [("target", id)];
                let nothing = serde_json::json!({});
                book.record(&crate::book::key(1), "evidence_retraction", &nothing, &refs);
                retracted.insert(format!("soup number{number}"));
            }
            book.advance();
            // The last three are none that is retracted.
            if (2..8).contains(&(number % 10)) {
                acknowledged.store(number + 1, Ordering::SeqCst);
            }
        }
        is_done.store(true, Ordering::SeqCst);
        retracted
    });
    let fresh = book.again();
    for question in ["soup", "number7 number77", "soup number141", "number9"] {
        let found = ask_twice(&book, question);
        assert_eq!(found, ask_twice(&fresh, question));
        assert!(found.iter().all(|text| !retracted.contains(text)));
    }
}
