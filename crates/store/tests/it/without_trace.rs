//! Reading a file without writing anything into it or beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use store::sqlite::{Mode, ReceiptFilter, SqliteSpace};
use store::{Ledger, StoreError};

use crate::book::Book;

const OLDER: [&[u8]; 2] = [
    include_bytes!("../fixtures/version-3.space"),
    include_bytes!("../fixtures/version-4-receipts.space"),
];

fn files_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn a_file_of_an_earlier_version_answers_in_full_and_stays_as_it_is() {
    for bytes in OLDER {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.space");
        std::fs::write(&path, bytes).unwrap();
        let before = files_in(folder.path());
        let space = SqliteSpace::open_without_trace(&path).unwrap();
        assert_eq!(space.mode(), Mode::ReadOnly);
        assert_eq!(space.path(), path);
        assert_eq!(space.text_position().unwrap(), space.head().unwrap());
        assert_eq!(space.fact_position().unwrap(), space.head().unwrap());
        assert!(space.search_facts_with(None, |_, _| Ok(())).unwrap().is_some());
        assert!(space.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
        let again = space.reopening().open().unwrap();
        assert!(again.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
        assert!(files_in(folder.path()) == before);
        // What is peeked at is the file itself, whatever its version.
        let peeked = SqliteSpace::peek(&path).unwrap();
        assert_eq!(peeked.head().unwrap(), space.head().unwrap());
        assert!(files_in(folder.path()) == before);
    }
}

#[test]
fn what_is_only_in_the_log_is_read_from_a_copy() {
    let mut live = Book::in_file();
    live.note("1", "The kiln is hot.");
    let folder = live.folder.as_ref().unwrap();
    let path = live.ledger.path().to_owned();
    let head = live.ledger.head().unwrap();
    let before = files_in(folder.path());
    assert!(before.len() > 1, "the log is beside the file");
    let space = SqliteSpace::open_without_trace(&path).unwrap();
    assert_eq!(space.head().unwrap(), head);
    assert_eq!(SqliteSpace::peek(&path).unwrap().head().unwrap().0, 1);
    assert!(files_in(folder.path()) == before);
    drop(space);
    assert!(files_in(folder.path()) == before);
}

#[test]
fn nothing_can_be_written_and_no_receipts_are_kept_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.space");
    std::fs::write(&path, OLDER[1]).unwrap();
    std::fs::write(folder.path().join("test.space.journal.db"), b"of somebody else").unwrap();
    let before = files_in(folder.path());
    let mut space = SqliteSpace::open_without_trace(&path).unwrap();
    assert!(matches!(space.begin().map(|_| ()), Err(StoreError::ReadOnly)));
    assert_eq!(space.journal_path(), None);
    assert_eq!(space.receipts(&ReceiptFilter::default(), 9).unwrap(), []);
    let receipt = store::sqlite::NewReceipt {
        id: kernel::id::ReceiptId([1; 32]),
        ts_us: 1,
        agent: "a".into(),
        session: None,
        body: Vec::new(),
        items: Vec::new(),
    };
    assert!(matches!(space.keep_receipt(&receipt, Duration::ZERO), Err(StoreError::ReadOnly)));
    space.advance(|_| {}).unwrap();
    drop(space);
    assert!(files_in(folder.path()) == before);
}

#[test]
fn a_file_that_nobody_may_write_is_folded_in_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.space");
    std::fs::write(&path, OLDER[0]).unwrap();
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let space = SqliteSpace::open_without_trace(&path).unwrap();
    assert_eq!(space.text_position().unwrap(), space.head().unwrap());
}
