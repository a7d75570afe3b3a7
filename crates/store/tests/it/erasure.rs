//! Forgotten words are in no file of the space.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use kernel::id::{OpId, ReceiptId};
use models::Model;
use serde_json::json;
use store::sqlite::{Embedding, NewReceipt, ReceiptFilter, ReceiptItem, SqliteSpace};
use store::{Ledger, Position, Writing};

use crate::book::{Book, body_of, key, refs_of, seal};

const SECRET: &str = "Zephyrine hides quokkas beneath Xylophone Boulevard";
/// The longest run of bytes that may be found by chance.
const RUN_BYTES: usize = 8;

/// Runs of the secret that are in any file beside `path`.
fn traces(path: &Path) -> Vec<String> {
    let secrets = [SECRET.to_owned(), SECRET.to_lowercase()];
    let runs: HashSet<&[u8]> =
        secrets.iter().flat_map(|secret| secret.as_bytes().windows(RUN_BYTES)).collect();
    let mut found = Vec::new();
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap().path();
        let bytes = std::fs::read(&file).unwrap();
        for run in bytes.windows(RUN_BYTES).filter(|run| runs.contains(run)) {
            found.push(format!("{}: {}", file.display(), String::from_utf8_lossy(run)));
        }
    }
    found
}

/// Notes around a secret one, which is in every index and journal.
fn with_secret() -> (Book<SqliteSpace>, OpId) {
    let mut book = Book::in_file();
    for number in 0..300 {
        book.note(&format!("n{number}"), &format!("soup number {number} with leek"));
    }
    let secret = book.note("secret", SECRET);
    let claim = json!({"claim_type": "t", "identity_key": SECRET, "text": SECRET, "payload": SECRET, "tags": [SECRET]});
    book.record(&key(1), "claim", &claim, &[("of", secret)]);
    book.note("last", "stew with quince");
    book.advance();
    let item = |record, key| ReceiptItem { record, exact: 1, sampled: vec![1, key] };
    let other = OpId([7; 32]);
    for (number, items) in [(1, vec![item(secret, 3), item(other, 4)]), (2, vec![item(other, 4)])] {
        let receipt = NewReceipt {
            id: ReceiptId([number; 32]),
            ts_us: 1,
            agent: "a".to_owned(),
            session: None,
            body: b"{}".to_vec(),
            items,
        };
        book.ledger.keep_receipt(&receipt, Duration::ZERO).unwrap();
    }
    let model = Model { provider: "p".to_owned(), name: "m".to_owned(), dimensions: 2 };
    let model = book.ledger.choose_embedding_model(&model, "m").unwrap();
    let batch = book.ledger.embedding_batch(&model, 1_000).unwrap();
    let read = |text: &str| match text == SECRET {
        true => Embedding::Failed(SECRET.to_owned()),
        false => Embedding::Vector(vec![1.0, 0.0]),
    };
    let made: Vec<_> = batch.texts.iter().map(|(position, text)| (*position, read(text))).collect();
    assert!(book.ledger.write_embeddings(&model, &made, batch.end).unwrap());
    book.ledger.delay_embeddings(&model, None, SECRET).unwrap();
    let mut writing = book.ledger.write().unwrap();
    let position = writing.line(&secret).unwrap().unwrap().position;
    writing.add_keys(&[(1, Position(2)), (1, position)], position).unwrap();
    let group = writing.group("deriver", SECRET).unwrap();
    writing.mark(group).unwrap();
    Box::new(writing).commit().unwrap();
    (book, secret)
}

fn redact(book: &mut Book<SqliteSpace>, target: OpId) {
    book.record(&key(1), "redaction", &json!({"reason": "asked"}), &[("target", target)]);
}

fn views_agree(space: &SqliteSpace) -> bool {
    space.refold().unwrap().iter().all(|(stored, folded)| stored == folded)
}

#[test]
fn forgotten_words_are_in_no_file_and_everything_else_is_found() {
    let (mut book, secret) = with_secret();
    assert!(!traces(book.ledger.path()).is_empty());
    assert_eq!(book.find("quokkas").len(), 1);
    redact(&mut book, secret);
    assert!(book.ledger.is_erasure_due().unwrap());
    book.advance();
    assert!(!book.ledger.is_erasure_due().unwrap());
    assert_eq!(traces(book.ledger.path()), Vec::<String>::new());
    for mut book in [book.beside(), book.again(), book] {
        assert_eq!(book.find("quokkas"), Vec::<String>::new());
        assert_eq!(book.find("quince"), ["stew with quince"]);
        assert_eq!(book.believed("quokkas"), Vec::<String>::new());
        assert!(views_agree(&book.ledger));
        assert_eq!(book.ledger.check_file().unwrap(), Vec::<String>::new());
        assert_eq!(book.ledger.receipts(&ReceiptFilter::default(), 9).unwrap().len(), 1);
        let writing = book.ledger.write().unwrap();
        assert_eq!([1, 3, 4].map(|hash| writing.injected_by(hash, 9).len()), [1, 0, 1]);
        let shown = writing.injected(writing.injected_by(1, 9)[0]).unwrap().items;
        assert_eq!(shown.iter().map(|item| item.id).collect::<Vec<_>>(), [OpId([7; 32])]);
        assert_eq!(writing.keyed(1, 9).unwrap(), [Position(2)]);
        assert_eq!(writing.count_marked().unwrap(), 0);
        drop(writing);
        let model = book.ledger.embedding_models().unwrap().remove(0);
        let count = book.ledger.count_embeddings(&model).unwrap();
        assert_eq!((count.embedded, count.failed, count.pending), (301, 0, 0));
    }
}

#[test]
fn handles_that_cached_the_index_do_not_mix_it_with_the_new_one() {
    let (mut book, secret) = with_secret();
    let (beside, again) = (book.beside(), book.again());
    for other in [&beside, &again] {
        assert_eq!(other.find("quince"), ["stew with quince"]);
    }
    redact(&mut book, secret);
    book.advance();
    for other in [&beside, &again] {
        assert_eq!(other.find("quince"), ["stew with quince"]);
        assert_eq!(other.find("quokkas"), Vec::<String>::new());
    }
    // What a handle with another index in memory folds goes to the right place.
    let mut again = again;
    again.clock = book.clock;
    again.note("later", "porridge with medlar");
    again.advance();
    for other in [&book, &beside, &again] {
        assert_eq!(other.find("medlar"), ["porridge with medlar"]);
        assert!(views_agree(&other.ledger));
    }
}

#[test]
fn a_writing_that_is_dropped_forgets_nothing() {
    let (mut book, secret) = with_secret();
    let before = book.ledger.digests().unwrap();
    let body = body_of("redaction", &json!({}));
    let clock = book.clock + 1;
    let mut writing = book.ledger.write().unwrap();
    let refs = refs_of(&[("target", secret)]);
    let operation = seal(&writing, &key(1), body.clone(), refs, clock);
    writing.record(&operation, Some(&body)).unwrap();
    writing.erase_redacted().unwrap();
    assert_eq!(Writing::body(&writing, &secret).unwrap(), None);
    drop(writing);
    assert!(book.ledger.get(&secret).unwrap().unwrap().operation.body().is_some());
    assert!(!book.ledger.is_erasure_due().unwrap());
    assert_eq!(book.ledger.digests().unwrap(), before);
    assert_eq!(book.find("quokkas").len(), 1);
}

#[test]
fn a_reader_of_an_older_snapshot_delays_the_end_and_the_next_writer_comes_to_it() {
    let (mut book, secret) = with_secret();
    let other = book.again();
    let snapshot = other.ledger.read_transaction().unwrap();
    other.find("soup");
    redact(&mut book, secret);
    book.advance();
    assert!(book.ledger.is_erasure_due().unwrap());
    assert!(!book.ledger.finish_erasure(Duration::from_millis(10)).unwrap());
    drop(snapshot);
    drop(other);
    book.note("next", "barley");
    book.advance();
    assert!(!book.ledger.is_erasure_due().unwrap());
    assert_eq!(traces(book.ledger.path()), Vec::<String>::new());
}

#[test]
fn what_a_killed_process_left_is_finished_by_the_next_one() {
    let (mut book, secret) = with_secret();
    redact(&mut book, secret);
    // Killed here: the rows are erased, and the log still holds what they were.
    let mut next = book.again();
    std::mem::forget(book.ledger);
    assert!(next.ledger.is_erasure_due().unwrap());
    next.advance();
    // The killed process's connection holds no snapshot.
    assert!(next.ledger.finish_erasure(Duration::from_millis(10)).unwrap());
    assert_eq!(traces(next.ledger.path()), Vec::<String>::new());
    drop(book.folder);
}

#[test]
fn a_file_of_an_earlier_version_is_erased_when_it_is_opened() {
    let (mut book, secret) = with_secret();
    let body = book.ledger.get(&secret).unwrap().unwrap().operation;
    redact(&mut book, secret);
    book.advance();
    let kernel::operation::Content::Present { salt, body } = body.content().clone() else {
        panic!("it had a body")
    };
    let path = book.ledger.path().to_owned();
    drop(book.ledger);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute("UPDATE op SET salt = ?1, body = ?2 WHERE id = ?3", (salt, body, secret.0))
        .unwrap();
    connection
        .execute_batch(
            "DROP INDEX op_redaction; DROP TABLE forgotten; DROP TABLE erase_due; PRAGMA user_version=4",
        )
        .unwrap();
    drop(connection);
    assert!(!traces(&path).is_empty());
    let mut space = SqliteSpace::open(&path).unwrap();
    space.advance(|_| {}).unwrap();
    assert_eq!(traces(&path), Vec::<String>::new());
    assert!(views_agree(&space));
}
