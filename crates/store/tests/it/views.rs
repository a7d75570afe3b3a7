//! Views are functions of the ledger: the result does not depend on how they were folded.

use kernel::evidence::Evidence;
use proptest::collection::vec;
use proptest::prelude::*;
use retrieval::rank::Weights;
use serde_json::json;
use store::sqlite::{Filter, Mode, SqliteSpace};
use store::{Ledger, Position, StoreError};

use crate::book::{Book, append_right, key, note};

/// One of two interleaved conversations, or a note of its own.
fn turn(number: u64, place: u8) -> Evidence {
    let mut evidence =
        note(&number.to_string(), &format!("soup number{number} word{}", number % 7));
    evidence.payload.session = (place < 2).then(|| format!("s{place}"));
    evidence.actor = (place == 0).then(|| "Ana Ruiz".to_owned());
    evidence.payload.participants = vec!["Ben".to_owned()];
    evidence
}

impl Book<SqliteSpace> {
    /// Replaces the views of another file, whose ledger begins with the same operations, by the
    /// views of this one.
    fn transplant_index(&self, other: &Self) {
        let connection = rusqlite::Connection::open(other.ledger.path()).unwrap();
        connection.execute("ATTACH ?1 AS early", [self.ledger.path().to_str().unwrap()]).unwrap();
        let mut tables = connection
            .prepare(
                "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND (name = 'view' OR name GLOB 'text_*' OR name GLOB 'fact_*')",
            )
            .unwrap();
        let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
        for table in tables.map(Result::unwrap) {
            connection
                .execute_batch(&format!(
                    "DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM early.{table}"
                ))
                .unwrap();
        }
    }
}

fn digests(space: &SqliteSpace) -> Vec<String> {
    space.digests().unwrap().into_iter().map(|view| view.digest).collect()
}

/// The digests after folding everything anew in memory.
fn folded(space: &SqliteSpace) -> Vec<String> {
    let pairs = space.refold().unwrap();
    assert_eq!(
        pairs.iter().map(|(stored, _)| &stored.digest).cloned().collect::<Vec<_>>(),
        digests(space)
    );
    pairs.into_iter().map(|(_, folded)| folded.digest).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn views_folded_in_any_batches_by_two_processes_equal_a_rebuilt_one(
        batches in vec((any::<bool>(), any::<bool>(), vec((0..4_u8, 0..9_u8), 1..12)), 1..8),
    ) {
        let mut one = Book::in_file();
        let mut other = one.again();
        let mut ids = Vec::new();
        for (by_one, is_folded, records) in batches {
            let (book, idle) = if by_one { (&mut one, &mut other) } else { (&mut other, &mut one) };
            book.clock = book.clock.max(idle.clock);
            for (place, what) in records {
                let number = ids.len();
                match (what, ids.get(number / 2).copied()) {
                    (0, Some(target)) => {
                        book.record(&key(1), "evidence_retraction", &json!({}), &[("target", target)]);
                    }
                    (1, Some(target)) => {
                        ids.push(book.evidence(&turn(number as u64, place), &[("supersedes", target)]));
                    }
                    (8, Some(target)) => {
                        let claim = json!({"claim_type": "t", "identity_key": format!("k{place}"), "subject": "Ana Ruiz",
                            "text": format!("soup word{}", number % 3), "payload": {"number": number}});
                        let _ = book.try_record(&key(1), "claim", &claim, &[("input", target)]);
                    }
                    _ => ids.push(book.evidence(&turn(number as u64, place), &[])),
                }
            }
            if is_folded {
                book.advance();
            }
            let _ = book.find("soup");
        }
        one.advance();
        let before = digests(&one.ledger);
        prop_assert_eq!(&folded(&one.ledger), &before);
        one.ledger.rebuild(|_| {}).unwrap();
        prop_assert_eq!(&digests(&one.ledger), &before);
        other.advance();
        prop_assert_eq!(&digests(&other.ledger), &before);
        prop_assert_eq!(one.find("soup word3"), other.find("soup word3"));
        prop_assert_eq!(one.believed("soup word1"), other.believed("soup word1"));
    }
}

#[test]
fn a_rebuilt_view_has_the_same_digest() {
    let mut book = Book::in_file();
    let records: Vec<Evidence> = (0..600).map(|number| turn(number, (number % 4) as u8)).collect();
    for part in records.chunks(97) {
        book.evidences(part);
        book.advance();
    }
    let before = book.ledger.digests().unwrap();
    assert_eq!(
        before.iter().map(|view| view.name).collect::<Vec<_>>(),
        ["graph", "records", "beliefs", "text", "facts", "thoughts"]
    );
    assert!(before.iter().all(|view| view.position == Position(601)));
    let mut reached = Vec::new();
    book.ledger.rebuild(|position| reached.push(position)).unwrap();
    assert_eq!(reached, [Position(601)]);
    assert_eq!(book.ledger.digests().unwrap(), before);
}

/// What another thread reads of the next operations depends on how many there are, and on the
/// language of those before them; what is stored does not.
#[test]
fn texts_in_changing_languages_folded_one_by_one_equal_a_rebuilt_view() {
    const TEXTS: [&str; 4] = [
        "The kiln was too hot yesterday and the glaze ran off the large bowls.",
        "Der Ofen war gestern zu heiß, und die Glasur lief von den großen Schalen.",
        "昨天窑太热了，釉从大碗上流了下来。",
        "",
    ];
    let mut book = Book::in_file();
    for number in 0..1_400_usize {
        let mut record = turn(number as u64, (number % 5) as u8);
        // Some in the language of those before them, some not, and some of many passages.
        let language = if number % 9 == 0 { number / 9 % 4 } else { number / 300 % 4 };
        let times = if number % 100 == 0 { 60 } else { 1 };
        record.payload.text = vec![TEXTS[language]; times].join(" ");
        let input = book.evidence(&record, &[]);
        if number % 2 == 0 {
            let claim = json!({"claim_type": "t", "identity_key": format!("k{number}"), "subject": "self",
                "text": format!("{} {number}", TEXTS[language]), "payload": {"number": number}});
            book.record(&key(1), "claim", &claim, &[("input", input)]);
        }
        if number < 300 || number % 70 == 0 {
            book.advance();
        }
    }
    book.advance();
    let before = digests(&book.ledger);
    assert_eq!(folded(&book.ledger), before);
    book.ledger.rebuild(|_| {}).unwrap();
    assert_eq!(digests(&book.ledger), before);
}

#[test]
fn superseded_and_retracted_evidence_is_not_found() {
    let mut book = Book::in_file();
    let first = book.note("a", "tomato soup");
    book.advance();
    assert_eq!(book.find("soup"), ["tomato soup"]);
    let second = book.evidence(&note("a", "lentil soup"), &[("supersedes", first)]);
    book.advance();
    assert_eq!(book.find("soup"), ["lentil soup"]);
    book.record(&key(1), "evidence_retraction", &json!({}), &[("target", second)]);
    book.advance();
    assert!(book.find("soup").is_empty());
    book.ledger.rebuild(|_| {}).unwrap();
    assert!(book.find("soup").is_empty());
}

#[test]
fn a_record_that_supersedes_several_replaces_all_of_them() {
    let mut book = Book::in_file();
    let (first, second) = (book.note("a", "tomato soup"), book.note("b", "onion soup"));
    book.evidence(&note("c", "all soups"), &[("supersedes", first), ("supersedes", second)]);
    book.advance();
    assert_eq!(book.find("soup"), ["all soups"]);
}

#[test]
fn evidence_and_retractions_of_a_key_without_append_have_no_effect() {
    let mut book = Book::in_file();
    let mine = book.note("a", "tomato soup");
    book.admit(&key(9), "evidence", &json!(note("b", "poisoned soup")), &[], 50);
    book.admit(&key(9), "evidence_retraction", &json!({}), &[("target", mine)], 51);
    book.admit(&key(9), "evidence", &json!(note("a", "other soup")), &[("supersedes", mine)], 52);
    book.advance();
    assert_eq!(book.find("soup"), ["tomato soup"]);
}

#[test]
fn a_late_revocation_removes_indexed_records_in_every_process() {
    let mut book = Book::in_file();
    book.note("a", "tomato soup");
    book.record(&key(1), "grant", &append_right(2), &[]);
    let mut other = book.again();
    book.record(&key(2), "evidence", &json!(note("b", "onion soup")), &[]);
    book.clock = 100;
    book.record(&key(2), "evidence", &json!(note("c", "agent's soup")), &[]);
    book.advance();
    assert_eq!(book.find("soup").len(), 3);
    assert_eq!(other.find("soup").len(), 3);
    // From another device, whose clock said 50.
    book.admit(&key(1), "revoke", &append_right(2), &[], 50);
    book.note("d", "late soup");
    book.advance();
    for handle in [&mut book, &mut other] {
        let mut found = handle.find("soup");
        found.sort();
        assert_eq!(found, ["late soup", "onion soup", "tomato soup"]);
    }
    let before = digests(&book.ledger);
    assert_eq!(folded(&book.ledger), before);
    book.ledger.rebuild(|_| {}).unwrap();
    assert_eq!(digests(&book.ledger), before);
    // A grant that arrives in time does not affect the records that were read, and costs nothing.
    let mut reached = Vec::new();
    book.record(&key(1), "grant", &append_right(2), &[]);
    book.ledger.advance(|position| reached.push(position)).unwrap();
    assert_eq!(reached.len(), 1);
}

#[test]
fn a_view_of_another_version_is_folded_again() {
    let mut book = Book::in_file();
    book.note("a", "tomato soup");
    book.advance();
    let before = digests(&book.ledger);
    book.tamper("UPDATE view SET version = 0; UPDATE text_posting SET data = x'0700'; DELETE FROM text_posting;");
    let mut again = book.again();
    assert_eq!(again.ledger.text_position().unwrap(), Position(0));
    assert!(again.find("soup").is_empty(), "what another version made is not searched");
    again.advance();
    assert_eq!(again.find("soup"), ["tomato soup"]);
    assert_eq!(digests(&again.ledger), before);
}

#[test]
fn views_can_be_deleted_at_any_time() {
    let mut book = Book::in_file();
    book.note("a", "tomato soup");
    book.advance();
    let before = digests(&book.ledger);
    book.tamper("DELETE FROM view");
    book.advance();
    assert_eq!(digests(&book.ledger), before);
}

#[test]
fn a_fold_ends_at_the_head_the_ledger_had_when_it_was_called() {
    let mut book = Book::in_file();
    let mut other = book.again();
    book.note("a", "tomato soup");
    let mut rounds = 0;
    // Another process that appends continuously.
    let reached = book.ledger.advance(|_| {
        other.clock = 100 + rounds;
        other.note(&format!("more {rounds}"), "more soup");
        rounds += 1;
        assert!(rounds < 10, "the fold runs after the writer");
    });
    assert_eq!((reached.unwrap(), rounds), (Position(2), 1));
}

#[test]
fn another_process_continues_a_fold_of_a_deleted_and_partly_rebuilt_view() {
    let mut book = Book::in_file();
    let other = book.again();
    let mut early = Book::in_file();
    early.evidences(&(0..10).map(|number| turn(number, 0)).collect::<Vec<_>>());
    early.advance();
    book.evidences(&(0..40).map(|number| turn(number, 0)).collect::<Vec<_>>());
    book.advance();
    // Another process begins a rebuild and has read only the first operations.
    early.transplant_index(&other);
    book.advance();
    let made = digests(&book.ledger);
    book.ledger.rebuild(|_| {}).unwrap();
    assert_eq!(digests(&book.ledger), made);
}

#[test]
fn filters_work_with_any_number_of_kinds() {
    let mut book = Book::in_file();
    let of_kind = |number: u32| {
        let mut evidence = note(&number.to_string(), &format!("soup{number} soup"));
        evidence.kind = format!("kind-{number}").as_str().into();
        evidence
    };
    book.evidences(&(0..300).map(of_kind).collect::<Vec<_>>());
    book.advance();
    let find = |number: u32| {
        let filter = Filter { kinds: vec![format!("kind-{number}")], ..Filter::default() };
        let found = book.search(&format!("soup{number}"), &filter, &Weights::LEXICAL, 10);
        found.unwrap().first().map(|found| found.position)
    };
    assert_eq!(find(3), Some(Position(5)));
    assert_eq!(find(299), Some(Position(301)), "kinds beyond 255 are found too");
    let counts = book.ledger.search(|search, _| search.count_by_kind()).unwrap();
    assert_eq!(counts.values().sum::<u64>(), 300);
}

#[test]
fn visibility_is_filtered_inside_the_search() {
    use kernel::evidence::Visibility::{self, Global, Private, Project};
    let mut book = Book::in_file();
    let seen_by = |(number, visibility): (usize, Visibility)| {
        let mut evidence = note(&number.to_string(), &format!("soup{number} soup"));
        evidence.visibility = visibility;
        evidence
    };
    // Many more private records with equally good scores than are scored exactly.
    let who = std::iter::repeat_n(Private, 400).chain([Project, Global]).enumerate();
    book.evidences(&who.map(seen_by).collect::<Vec<_>>());
    book.advance();
    let find = |visibilities: &[Visibility]| {
        let filter = Filter { visibilities: visibilities.to_vec(), ..Filter::default() };
        book.search("soup", &filter, &Weights::WITH_VECTORS, 1_000).unwrap().len()
    };
    assert_eq!([find(&[]), find(&[Private]), find(&[Project]), find(&[Global])], [402, 400, 1, 1]);
    assert_eq!(find(&[Project, Global]), 2);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_searched_at_its_stored_position() {
    let mut book = Book::in_file();
    book.note("a", "tomato soup");
    book.advance();
    book.note("b", "onion soup");
    let path = book.ledger.path().to_owned();
    let folder = book.folder.take().unwrap();
    drop(book);
    let permit = |mode| {
        use std::os::unix::fs::PermissionsExt;
        let allow = |path: &std::path::Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        allow(&path, mode);
        allow(folder.path(), mode | 0o111);
    };
    permit(0o444);
    // A user who may do everything (root in a container) cannot be prevented from writing.
    if std::fs::write(folder.path().join("probe"), "").is_err() {
        let mut space = Book { ledger: SqliteSpace::open(&path).unwrap(), clock: 9, folder: None };
        assert_eq!(space.ledger.mode(), Mode::ReadOnly);
        assert_eq!(space.ledger.advance(|_| {}).unwrap(), Position(2));
        assert_eq!(space.find("soup"), ["tomato soup"]);
        assert_eq!(space.ledger.head().unwrap(), Position(3));
        assert!(matches!(space.ledger.begin().map(|_| ()), Err(StoreError::ReadOnly)));
        assert!(matches!(space.ledger.rebuild(|_| {}), Err(StoreError::ReadOnly)));
        for (stored, folded) in space.ledger.refold().unwrap() {
            assert_eq!(stored, folded);
        }
    }
    permit(0o755);
}

#[test]
fn a_belief_is_found_among_a_thousand_better_documents_that_are_not_served() {
    let mut book = Book::in_file();
    let seen = book.note("seen", "seen");
    let claim = |name: &str, text: &str| json!({"claim_type": "t", "identity_key": name, "text": text, "payload": 1});
    let mut bodies = vec![claim("often", "lentil soup"); 1_000];
    bodies.push(claim("often", "bread"));
    bodies.push(claim("once", "soup for the whole family and all of its friends"));
    book.records("claim", &bodies, &[("input", seen)]);
    book.advance();
    let found = book.believed("lentil soup");
    assert_eq!(
        found.first().map(String::as_str),
        Some("soup for the whole family and all of its friends")
    );
    assert!(!found.contains(&"lentil soup".to_owned()), "{found:?}");
}
