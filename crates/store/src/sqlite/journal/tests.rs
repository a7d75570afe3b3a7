use std::path::Path;

use rusqlite::OpenFlags;

use super::*;
use crate::sqlite::registry::REGISTRY;
use crate::sqlite::{ReceiptFilter, ReceiptItem, prepare};

const VERSION_4: &[u8] = include_bytes!("../../../tests/fixtures/version-4-receipts.space");

fn fixture(folder: &Path) -> PathBuf {
    let path = folder.join("space.db");
    std::fs::write(&path, VERSION_4).unwrap();
    path
}

fn read_only(path: &Path) -> SqliteSpace {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    prepare(&connection, path, &REGISTRY).unwrap();
    SqliteSpace::over(connection, Mode::ReadOnly, path, &REGISTRY).unwrap()
}

fn receipt(number: u8) -> NewReceipt {
    NewReceipt {
        id: kernel::id::ReceiptId([number; 32]),
        ts_us: u64::from(number),
        agent: "claude".to_owned(),
        session: None,
        body: vec![1],
        items: vec![ReceiptItem { record: OpId([number; 32]), exact: 7, sampled: vec![1, 2] }],
    }
}

#[test]
fn a_read_only_space_lists_the_receipts_of_an_earlier_version_and_takes_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let mut space = read_only(&path);
    assert_eq!(space.count_receipts().unwrap(), 3);
    let listed = space.receipts(&ReceiptFilter::default(), 10).unwrap();
    assert_eq!(listed.iter().map(|kept| kept.records.len()).collect::<Vec<_>>(), [1, 3, 3]);
    let refused = space.keep_receipt(&receipt(1), Duration::ZERO);
    assert!(matches!(refused, Err(StoreError::ReadOnly)));
    space.set_receipt_writing(ReceiptWriting::Gathered);
    let refused = space.keep_receipt(&receipt(1), Duration::ZERO);
    assert!(matches!(refused, Err(StoreError::ReadOnly)));
    assert!(!folder.path().join("space.journal.db").exists());
}

#[test]
fn a_read_only_space_lists_the_receipts_of_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let mut space = SqliteSpace::open(&path).unwrap();
    space.keep_receipt(&receipt(1), Duration::ZERO).unwrap();
    drop(space);
    assert_eq!(read_only(&path).count_receipts().unwrap(), 4);
}

#[test]
fn the_journal_of_a_space_has_its_name_and_lies_beside_the_file_itself() {
    for (space, journal) in [
        ("space.db", "space.journal.db"),
        ("my.notes.db", "my.notes.journal.db"),
        ("memory", "memory.journal.db"),
        (".db", ".db.journal.db"),
    ] {
        assert_eq!(
            file::path_beside(&Path::new("/nowhere").join(space)).file_name().unwrap(),
            journal
        );
    }
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = std::fs::canonicalize(fixture(folder.path())).unwrap();
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(file::path_beside(&link), path.with_file_name("space.journal.db"));
    }
}

#[test]
#[cfg(unix)]
fn a_link_in_the_place_of_the_journal_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let journal = SqliteSpace::open(&path).unwrap().journal_path().unwrap();
    let elsewhere = folder.path().join("elsewhere.db");
    std::fs::rename(&journal, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &journal).unwrap();
    let before = std::fs::read(&elsewhere).unwrap();
    let mut space = SqliteSpace::open(&path).unwrap();
    assert!(space.keep_receipt(&receipt(1), Duration::ZERO).is_err());
    assert!(std::fs::read(&elsewhere).unwrap() == before);
}

#[test]
fn receipts_that_cannot_be_written_wait_and_the_oldest_are_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let mut space = SqliteSpace::open(&path).unwrap();
    space.set_receipt_writing(ReceiptWriting::Gathered);
    let other = Connection::open(space.journal_path().unwrap()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for number in 0..=255_u8 {
        for half in 0..5_u8 {
            let mut next = receipt(number);
            next.id.0[0] = half;
            space.keep_receipt(&next, Duration::ZERO).unwrap();
        }
    }
    assert_eq!(space.journal.waiting.borrow().len(), WAITING_MAX);
    assert!(matches!(space.write_receipts(Duration::ZERO), Err(StoreError::Busy { .. })));
    other.execute_batch("COMMIT").unwrap();
    space.write_receipts(Duration::ZERO).unwrap();
    assert!(!space.has_waiting_receipts());
    // Some of the made ids are equal where both bytes are.
    assert!(space.count_receipts().unwrap() >= WAITING_MAX as u64);
}

#[test]
fn looking_up_an_id_uses_the_index_of_its_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    let plan = |query: &str| {
        let read = |connection: &Connection| {
            let mut steps = connection.prepare(&format!("EXPLAIN QUERY PLAN {query}"))?;
            let steps = steps.query_map([], |row| row.get::<_, String>(3))?;
            Ok(steps.collect::<Result<Vec<_>, _>>()?.join("; "))
        };
        space.journal.read(read).unwrap().unwrap()
    };
    for (table, index) in [("record", "record_id"), ("receipt", "receipt_id")] {
        for condition in ["= x'00'", "BETWEEN x'00' AND x'01'", "= substr(x'00', 1, 6)"] {
            let plan = plan(&format!("SELECT 1 FROM {table} WHERE substr(id, 1, 6) {condition}"));
            assert!(plan.contains(index), "{plan}");
        }
    }
}

/// Notes how often a thought was shown.
fn note_use(space: &SqliteSpace, id: OpId, accesses: u64) {
    let used =
        ThoughtUse { weight: 1.0, last_us: 0, accesses, agents: Vec::new(), partners: Vec::new() };
    space.change_thought_use(Duration::ZERO, |writing| writing.put(&id, &used)).unwrap();
}

#[test]
fn a_journal_without_the_index_on_the_use_of_thoughts_is_read_and_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    let (id, other) = (OpId([1; 32]), OpId([2; 32]));
    note_use(&space, id, 3);
    let accesses = || space.thought_traffic(&[id, other]).unwrap().get(&id).map(|it| it.accesses);
    let run = |sql: &str| {
        space.journal.read(|connection| Ok(connection.execute_batch(sql)?)).unwrap().unwrap();
    };
    run("DROP INDEX thought_use_numbers");
    assert_eq!(accesses(), Some(3));
    note_use(&space, id, 4);
    assert_eq!(accesses(), Some(4));
    // Fails without the index.
    run("SELECT id FROM thought_use INDEXED BY thought_use_numbers");
    run("DROP INDEX thought_use_numbers");
    space.erase_from_journal(&[id].into()).unwrap();
    assert_eq!(accesses(), None);
}
