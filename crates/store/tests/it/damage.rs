//! Damaged files: every call returns an error or whatever can still be read, and never panics.

use proptest::collection::vec;
use proptest::prelude::*;
use retrieval::rank::Weights;
use serde_json::json;
use store::sqlite::{Filter, SqliteSpace};
use store::{Ledger, Position, StoreError};

use crate::book::{Book, key, note};

/// A file with a few records, folded.
fn damaged(statements: &str) -> Book<SqliteSpace> {
    let mut book = Book::in_file();
    for number in 0..6 {
        let mut evidence = note(&number.to_string(), &format!("tomato soup of Ana number{number}"));
        evidence.payload.session = Some("s".to_owned());
        evidence.payload.participants = vec!["Ana Ruiz".to_owned()];
        let id = book.evidence(&evidence, &[]);
        let claim = json!({"claim_type": "t", "identity_key": format!("k{}", number / 2), "text": "soup of Ana", "subject": "Ana Ruiz",
            "payload": number});
        book.record(&key(1), "claim", &claim, &[("input", id)]);
    }
    book.advance();
    book.tamper(statements);
    Book { folder: book.folder.take(), ..book.again() }
}

/// Calls everything; errors are fine.
fn use_all(book: &mut Book<SqliteSpace>) {
    let question = "What did Ana Ruiz say about tomato soup in May?";
    let _ = book.search(question, &Filter::default(), &Weights::LEXICAL, usize::MAX);
    let _ = book.ledger.search(|search, _| {
        Ok((0..9).map(|document| search.neighbours(document, 3).len()).sum::<usize>())
    });
    let _ = book.ledger.search(|search, _| Ok(search.neighbours(u32::MAX, 3)));
    let _ = book.ledger.search(|search, _| search.count_by_kind());
    let _ = book.ledger.search_facts_with(None, |search, analyzer| {
        let question = search.question("Does Ana Ruiz like tomato soup?", analyzer, None)?;
        search.find_served(&question, analyzer, None, (&[], usize::MAX), |_| Ok(None))
    });
    let _ = book.ledger.advance(|_| {});
    let _ = book.ledger.refold();
    let _ = book.ledger.read(Position(0), 100);
    let _ = book.ledger.in_order_lenient(|_| true);
    let _ = (
        book.ledger.digests(),
        book.ledger.check_file(),
        book.ledger.size(),
        book.ledger.count_by_kind(),
    );
    if let Ok(mut writing) = book.ledger.begin() {
        let _ = (writing.evidence("test", "0"), writing.latest(), writing.identity("k"));
        let (operation, body) = crate::book::genesis();
        let _ = writing.record(&operation, Some(&body));
    }
    let _ = book.ledger.rebuild(|_| {});
}

#[test]
fn damaged_index_rows_do_not_stop_searches_and_a_rebuild_repairs_them() {
    for statements in [
        "UPDATE text_posting SET data = x'ffffffffffff'",
        "UPDATE text_posting SET data = x''",
        "UPDATE text_posting SET key = -key",
        "UPDATE text_session_posting SET data = x'ffffffff7fffffffff7f'",
        "UPDATE text_session_posting SET key = 9223372036854775807 - key",
        "UPDATE text_attribute SET data = x'0102'",
        "UPDATE text_attribute SET data = zeroblob(1000000)",
        "UPDATE text_attribute SET chunk = 4294967295",
        "UPDATE text_attribute SET chunk = -1",
        "UPDATE text_length SET chunk = 4294967295",
        "UPDATE text_length SET data = x'ff'",
        "UPDATE text_length SET data = zeroblob(100000)",
        "UPDATE text_thread SET last = 4294967294",
        "UPDATE text_thread SET author = 4294967295",
        "UPDATE text_session SET number = 4294967295",
        "UPDATE text_term SET number = 4294967295 WHERE number = 0",
        "UPDATE text_person SET name = ''",
        "UPDATE text_participant SET document = 4294967295 WHERE document = 1",
        "UPDATE text_posting SET data = x'ffff00'",
        "UPDATE fact_posting SET data = x'ffffffffffff'",
        "UPDATE fact_attribute SET data = zeroblob(1000000)",
        "UPDATE fact_attribute SET data = CAST(replace(hex(data), '00', 'FE') AS BLOB)",
        "UPDATE fact_attribute SET data = unhex(replace(hex(data), '0000', 'FEFF'))",
        "UPDATE fact_session SET number = 4294967295 WHERE number = 0",
        "UPDATE fact_session SET name = NULL",
        "UPDATE fact_term SET number = 4294967295 WHERE number = 0",
        "UPDATE fact_participant SET document = 4294967295 WHERE document = 1",
        "DELETE FROM fact_attribute",
        "DELETE FROM text_attribute",
        "DELETE FROM text_length",
        "UPDATE view SET pos = 9223372036854775807",
        "UPDATE view SET pos = -9223372036854775808",
        "UPDATE evidence SET pos = 999",
        "UPDATE cite SET target = 999",
        "UPDATE identity SET payload = x'01'",
    ] {
        let mut book = damaged(statements);
        use_all(&mut book);
        let mut again = book.again();
        again.clock = 50;
        again.ledger.rebuild(|_| {}).unwrap_or_else(|error| panic!("{statements}: {error}"));
        again.note("new", "new soup");
        again.advance();
        assert_eq!(again.find("soup").len(), 7, "{statements}");
        assert_eq!(again.believed("soup").len(), 3, "{statements}");
        for (stored, folded) in again.ledger.refold().unwrap() {
            assert_eq!(stored, folded, "{statements}");
        }
    }
}

#[test]
fn an_index_whose_position_is_beyond_the_ledger_is_folded_again() {
    let mut book = damaged("UPDATE view SET pos = 1000 WHERE name = 'text'");
    book.clock = 50;
    book.note("new", "new soup");
    book.advance();
    assert_eq!(book.find("soup").len(), 7);
}

#[test]
fn damaged_ledger_rows_are_reported_and_the_others_are_read() {
    for statements in [
        "UPDATE op SET kind = 'No Kind' WHERE pos = 3",
        "UPDATE op SET refs = x'0102' WHERE pos = 3",
        "UPDATE op SET author = 999 WHERE pos = 3",
        "UPDATE op SET sig = x'' WHERE pos = 3",
        "UPDATE op SET salt = x'00' WHERE pos = 3",
        "UPDATE op SET seq = 0 WHERE pos = 3",
        "UPDATE op SET ts = -1 WHERE pos = 3",
        "UPDATE op SET ts = 9223372036854775807 WHERE pos = 3",
        "UPDATE op SET body = x'ff' WHERE pos = 3",
        "UPDATE op SET body_hash = x'ff' WHERE pos = 3",
        "DELETE FROM op WHERE pos = 3",
        "UPDATE op SET pos = 1000000 WHERE pos = 3",
    ] {
        let mut book = damaged(statements);
        let mut read = 0;
        let counted = book.ledger.in_order_lenient(|_| {
            read += 1;
            true
        });
        counted.unwrap();
        assert!(read >= 6, "{statements}: {read}");
        use_all(&mut book);
    }
}

#[test]
fn an_operation_whose_author_is_missing_is_an_error() {
    let mut book = damaged("UPDATE op SET author = 999 WHERE pos = 7; DELETE FROM view");
    let begun = std::time::Instant::now();
    assert!(matches!(book.ledger.read(Position(0), 100), Err(StoreError::Damaged { .. })));
    assert!(matches!(book.ledger.advance(|_| {}), Err(StoreError::Damaged { .. })));
    assert!(book.ledger.refold().is_err());
    assert!(begun.elapsed().as_secs() < 20, "every call ends");
}

#[test]
fn a_file_that_is_not_a_space_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.file");
    assert!(matches!(SqliteSpace::open(&path).map(drop), Err(StoreError::Missing { .. })));
    for bytes in [&b""[..], b"hello", &[0; 4096], &[0xff; 100]] {
        std::fs::write(&path, bytes).unwrap();
        let error = SqliteSpace::open(&path).map(drop).unwrap_err();
        assert!(matches!(error, StoreError::NotASpace { .. }), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    assert!(matches!(SqliteSpace::open(&path).map(drop), Err(StoreError::NotASpace { .. })));
    assert!(SqliteSpace::open(folder.path()).is_err());
    let book = Book::in_file();
    book.tamper("PRAGMA user_version = 99");
    let error = SqliteSpace::open(book.ledger.path()).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::TooNew { found: 99, .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_bytes_in_the_file_are_survived(
        edits in vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let book = damaged("PRAGMA wal_checkpoint(TRUNCATE)");
        let path = book.ledger.path().to_owned();
        let mut bytes = std::fs::read(&path).unwrap();
        for (at, byte) in &edits {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.space");
        std::fs::write(&path, bytes).unwrap();
        if let Ok(ledger) = SqliteSpace::open(&path) {
            use_all(&mut Book { ledger, clock: 50, folder: None });
        }
    }
}

#[test]
fn triggers_and_views_of_others_do_nothing_and_are_named() {
    let mut book = damaged(
        "CREATE TRIGGER swallow BEFORE INSERT ON op BEGIN SELECT RAISE(IGNORE); END;
         CREATE TRIGGER slow AFTER INSERT ON op BEGIN
             DELETE FROM op WHERE pos < 0; WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n; END;
         CREATE VIEW all_of_it AS SELECT * FROM op",
    );
    let before = book.ledger.head().unwrap();
    book.evidence(&note("new", "a new note"), &[]);
    assert_eq!(book.ledger.head().unwrap().0, before.0 + 1);
    let foreign = book.ledger.foreign_schema().unwrap();
    assert_eq!(foreign, ["trigger \"slow\"", "trigger \"swallow\"", "view \"all_of_it\""]);
}

#[test]
fn an_interrupted_rebuild_changes_nothing() {
    let mut book = damaged("DELETE FROM view");
    let all_equal = |book: &Book<SqliteSpace>| {
        book.ledger.refold().unwrap().iter().all(|(stored, folded)| stored == folded)
    };
    assert!(all_equal(&book));
    book.ledger.advance(|_| {}).unwrap();
    assert!(all_equal(&book));
}

#[test]
fn an_impossible_position_is_damage_and_takes_no_time() {
    let mut book =
        damaged("UPDATE op SET pos = 9223372036854775807 WHERE pos = (SELECT max(pos) FROM op)");
    let folded = book.ledger.advance(|_| {});
    assert!(matches!(folded, Err(StoreError::Damaged { .. })), "{folded:?}");
    use_all(&mut book);
}
