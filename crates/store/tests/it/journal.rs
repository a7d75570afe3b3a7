//! The usage journal: a file beside the space that may be missing, foreign, full or erased without
//! harm to the space.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kernel::id::{OpId, ReceiptId};
use rusqlite::Connection;
use store::sqlite::{
    JournalLimits, JournalWriting, NewReceipt, ReceiptFilter, ReceiptItem, SqliteSpace,
};

use crate::book::genesis;

/// A space with three receipts, written by the last program that kept them in the space's file.
const VERSION_4: &[u8] = include_bytes!("../fixtures/version-4-receipts.space");
const RECEIPTS_OF_VERSION_4: [&str; 3] = [
    "receipt:0f14a54047099d774539768a36810636a1d1ec296fbe88fe9ddaa8cfe0d1d163",
    "receipt:1b04e36415a5b7b08baf72901048726761e48275f630cbfef18c80f7a8dc16e6",
    "receipt:39007baaf3b2531914daf04dcaa71bea14829d0a2cd99734177038b411a3a444",
];
const DAY_US: u64 = 86_400 * 1_000_000;
const WAIT: Duration = Duration::from_secs(5);

fn space(folder: &Path, name: &str) -> SqliteSpace {
    let (genesis, body) = genesis();
    SqliteSpace::create(&folder.join(name), &genesis, &body).unwrap()
}

fn id_of(number: u64) -> [u8; 32] {
    *blake3::hash(&number.to_le_bytes()).as_bytes()
}

/// A receipt that shows the record `record`.
fn receipt(number: u64, record: u64, ts_us: u64) -> NewReceipt {
    let sampled = (0..12).map(|key: u32| key * 1_000_003 + record as u32).collect();
    NewReceipt {
        id: ReceiptId(id_of(number)),
        ts_us,
        agent: "claude".to_owned(),
        session: Some(format!("s{}", number / 10)),
        body: vec![1; 100],
        items: vec![ReceiptItem { record: OpId(id_of(record)), exact: record, sampled }],
    }
}

fn keep(space: &mut SqliteSpace, number: u64, record: u64, ts_us: u64) {
    space.keep_receipt(&receipt(number, record, ts_us), WAIT).unwrap();
}

fn ids(space: &SqliteSpace) -> Vec<String> {
    let receipts = space.receipts(&ReceiptFilter::default(), 10_000).unwrap();
    receipts.iter().map(|kept| kept.id.to_string()).collect()
}

/// The journal's file and its log.
fn bytes_of(journal: &Path) -> Vec<u8> {
    let mut log = journal.as_os_str().to_owned();
    log.push("-wal");
    let mut bytes = std::fs::read(journal).unwrap();
    bytes.extend(std::fs::read(PathBuf::from(log)).unwrap_or_default());
    bytes
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn rows(path: &Path, table: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn the_receipts_of_an_earlier_version_move_to_the_journal_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    std::fs::write(&path, VERSION_4).unwrap();
    let space = SqliteSpace::open(&path).unwrap();
    assert_eq!(ids(&space), RECEIPTS_OF_VERSION_4);
    let digests = space.digests().unwrap();
    drop(space);
    for table in ["receipt", "receipt_item", "receipt_shingle"] {
        assert_eq!(rows(&path, table), 0, "{table}");
    }
    let journal = folder.path().join("space.journal.db");
    assert!(rows(&journal, "shingle") > 0);

    // As though the process had been killed after the copy, before the space was changed.
    std::fs::write(&path, VERSION_4).unwrap();
    let space = SqliteSpace::open(&path).unwrap();
    assert_eq!((ids(&space).len(), rows(&path, "receipt")), (3, 0));
    assert_eq!(space.digests().unwrap(), digests);
    drop(space);

    // As though it had been killed before anything was copied.
    std::fs::write(&path, VERSION_4).unwrap();
    std::fs::remove_file(&journal).unwrap();
    let space = SqliteSpace::open(&path).unwrap();
    assert_eq!(ids(&space), RECEIPTS_OF_VERSION_4);
}

#[test]
fn earlier_receipts_stay_where_they_are_while_there_can_be_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    std::fs::write(&path, VERSION_4).unwrap();
    let journal = folder.path().join("space.journal.db");
    std::fs::create_dir(&journal).unwrap();
    let space = SqliteSpace::open(&path).unwrap();
    space.digests().unwrap();
    drop(space);
    assert_eq!(rows(&path, "receipt"), 3);
    std::fs::remove_dir(&journal).unwrap();
    assert_eq!(ids(&SqliteSpace::open(&path).unwrap()).len(), 3);
}

#[test]
fn a_deleted_journal_costs_its_history_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut space = space(folder.path(), "space.db");
    assert_eq!((ids(&space).len(), space.journal_path().unwrap().exists()), (0, false));
    keep(&mut space, 1, 1, 1);
    let digests = space.digests().unwrap();
    let journal = space.journal_path().unwrap();
    assert_eq!(journal.file_name().unwrap(), "space.journal.db");
    for suffix in ["", "-wal", "-shm"] {
        let mut file = journal.as_os_str().to_owned();
        file.push(suffix);
        std::fs::remove_file(file).unwrap();
    }
    assert_eq!(ids(&space).len(), 0, "the handle notices it");
    assert_eq!(space.digests().unwrap(), digests);
    keep(&mut space, 2, 1, 2);
    drop(space);
    let space = SqliteSpace::open(&folder.path().join("space.db")).unwrap();
    assert_eq!((ids(&space).len(), space.digests().unwrap()), (1, digests));
}

#[test]
fn the_journal_of_another_space_is_neither_read_nor_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    std::fs::write(&path, VERSION_4).unwrap();
    drop(SqliteSpace::open(&path).unwrap());
    std::fs::remove_file(&path).unwrap();
    let mut space = space(folder.path(), "space.db");
    let journal = space.journal_path().unwrap();
    let before = std::fs::read(&journal).unwrap();
    let code = |result: Result<(), store::StoreError>| result.unwrap_err().code();
    assert_eq!(code(space.receipts(&ReceiptFilter::default(), 1).map(drop)), "journal_unusable");
    assert_eq!(code(space.keep_receipt(&receipt(1, 1, 1), WAIT)), "journal_unusable");
    assert_eq!(
        code(space.erase_from_journal(&[OpId(id_of(1))].into()).map(drop)),
        "journal_unusable"
    );
    assert!(!space.write().unwrap().has_receipts(), "recording goes on");
    assert!(std::fs::read(&journal).unwrap() == before);
}

#[test]
#[cfg(unix)]
fn the_journal_has_the_permissions_of_the_space() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    for mode in [0o600, 0o644, 0o660] {
        let mut space = space(folder.path(), &format!("{mode:o}.db"));
        std::fs::set_permissions(space.path(), PermissionsExt::from_mode(mode)).unwrap();
        keep(&mut space, 1, 1, 1);
        let journal = space.journal_path().unwrap();
        let mut log = journal.as_os_str().to_owned();
        log.push("-wal");
        for file in [journal.clone(), PathBuf::from(log)] {
            let given = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
            assert_eq!(given, mode, "{}", file.display());
        }
    }
    let left = std::fs::read_dir(folder.path()).unwrap();
    let names = left.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    let drafts: Vec<String> = names.filter(|name| name.contains(".new-")).collect();
    assert!(drafts.is_empty(), "{drafts:?}");
}

#[test]
fn receipts_older_than_the_limit_are_deleted_a_bounded_number_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut space = space(folder.path(), "space.db");
    let keep_for = Duration::from_secs(10 * 86_400);
    space.set_journal_limits(JournalLimits { keep_for, ..JournalLimits::default() });
    for number in 0..300 {
        keep(&mut space, number, number, DAY_US + number);
    }
    keep(&mut space, 300, 300, 12 * DAY_US);
    assert_eq!(ids(&space).len(), 301 - 128);
    keep(&mut space, 301, 301, 12 * DAY_US);
    keep(&mut space, 302, 302, 12 * DAY_US);
    assert_eq!(ids(&space).len(), 3);
    let journal = space.journal_path().unwrap();
    for table in ["record", "shown"] {
        assert_eq!(rows(&journal, table), 3, "{table}");
    }
    assert_eq!((rows(&journal, "shingle"), rows(&journal, "name")), (36, 2));
}

#[test]
fn a_receipt_from_a_time_far_ahead_does_not_keep_others_from_being_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let mut space = space(folder.path(), "space.db");
    let keep_for = Duration::from_secs(10 * 86_400);
    space.set_journal_limits(JournalLimits { keep_for, ..JournalLimits::default() });
    keep(&mut space, 0, 0, 4_000 * DAY_US);
    for number in 1..=5 {
        keep(&mut space, number, number, 20 * number * DAY_US);
    }
    assert_eq!(ids(&space), [5, 0].map(|number| ReceiptId(id_of(number)).to_string()));
}

#[test]
fn opening_a_space_that_others_write_to_does_not_wait_to_move_receipts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    std::fs::write(&path, VERSION_4).unwrap();
    // So that only the receipts of an earlier version are left to do.
    drop(self::space(folder.path(), "new.db"));
    let version: i64 = Connection::open(folder.path().join("new.db"))
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch(&format!("PRAGMA user_version={version}; BEGIN IMMEDIATE")).unwrap();
    let begun = std::time::Instant::now();
    let space = SqliteSpace::open(&path).unwrap();
    assert!(begun.elapsed() < WAIT, "{:?}", begun.elapsed());
    drop(space);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(ids(&SqliteSpace::open(&path).unwrap()).len(), 3);
}

#[test]
fn a_journal_stays_within_its_size_and_the_file_shrinks() {
    let folder = tempfile::tempdir().unwrap();
    let mut space = space(folder.path(), "space.db");
    space.set_journal_writing(JournalWriting::Gathered);
    let limit = |bytes_max| JournalLimits { bytes_max, ..JournalLimits::default() };
    space.set_journal_limits(limit(1 << 20));
    for number in 0..4_000 {
        keep(&mut space, number, number, number);
    }
    space.write_journal(WAIT).unwrap();
    let journal = space.journal_path().unwrap();
    drop(space);
    let grown = std::fs::metadata(&journal).unwrap().len();
    assert!((900 << 10..=(1 << 20) + (128 << 10)).contains(&grown), "{grown}");
    let mut space = SqliteSpace::open(&folder.path().join("space.db")).unwrap();
    let newest = ids(&space)[0].clone();
    assert_eq!(newest, ReceiptId(id_of(3_999)).to_string(), "the oldest go first");
    space.set_journal_limits(limit(256 << 10));
    for number in 4_000..4_030 {
        keep(&mut space, number, number, number);
    }
    drop(space);
    let shrunk = std::fs::metadata(&journal).unwrap().len();
    assert!(shrunk <= 400 << 10, "{shrunk}");
}

#[test]
fn gathered_receipts_are_written_together_when_asked_when_many_and_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let mut one = space(folder.path(), "space.db");
    let other = SqliteSpace::open(&path).unwrap();
    one.set_journal_writing(JournalWriting::Gathered);
    keep(&mut one, 1, 1, 1);
    assert!(one.has_unwritten() && ids(&other).is_empty());
    one.write_journal(WAIT).unwrap();
    assert_eq!((one.has_unwritten(), ids(&other).len()), (false, 1));
    for number in 2..=65 {
        keep(&mut one, number, number, number);
    }
    assert_eq!(ids(&other).len(), 65);
    keep(&mut one, 66, 66, 66);
    drop(one);
    assert_eq!(ids(&other).len(), 66);
    // A process that is killed does not drop anything: what waited is lost, and nothing else.
    let mut killed = SqliteSpace::open(&path).unwrap();
    killed.set_journal_writing(JournalWriting::Gathered);
    keep(&mut killed, 67, 67, 67);
    std::mem::forget(killed);
    assert_eq!(ids(&other).len(), 66);
}

#[test]
fn what_waits_is_recognised_by_the_process_that_showed_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut space = space(folder.path(), "space.db");
    space.set_journal_writing(JournalWriting::Gathered);
    keep(&mut space, 1, 5, 1);
    let writing = space.write().unwrap();
    assert!(writing.has_receipts());
    let found = writing.injected_by(1_000_003 + 5, 3);
    assert_eq!(found.len(), 1);
    let injected = writing.injected(found[0]).unwrap();
    assert_eq!((injected.agent.as_str(), injected.items[0].exact), ("claude", 5));
    assert_eq!(writing.injected_in("s0", 3), found);
    assert!(writing.injected_by(3, 3).is_empty() && writing.injected_in("other", 3).is_empty());
}

#[test]
fn an_erased_record_leaves_nothing_in_the_journal_or_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut space = space(folder.path(), "space.db");
    for number in 0..200 {
        keep(&mut space, number, number % 20, number);
    }
    let (erased, kept) = (OpId(id_of(7)), OpId(id_of(8)));
    let journal = space.journal_path().unwrap();
    let key = 11_u32 * 1_000_003 + 7;
    let stored_key = key.to_be_bytes();
    assert!(contains(&bytes_of(&journal), &erased.0) && contains(&bytes_of(&journal), &stored_key));
    space.set_journal_writing(JournalWriting::Gathered);
    keep(&mut space, 200, 7, 200);
    assert_eq!(space.erase_from_journal(&[erased, OpId(id_of(999))].into()).unwrap(), 11);
    let bytes = bytes_of(&journal);
    assert!(!contains(&bytes, &erased.0) && !contains(&bytes, &stored_key));
    assert!(contains(&bytes, &kept.0));
    let of = |record| ReceiptFilter { of: Some(record), ..ReceiptFilter::default() };
    assert_eq!(space.receipts(&of(erased), 10).unwrap().len(), 0);
    assert_eq!(space.receipts(&of(kept), 100).unwrap().len(), 10);
    assert_eq!(space.erase_from_journal(&[erased].into()).unwrap(), 0, "it can be repeated");
}

#[test]
fn receipts_of_what_was_erased_that_another_process_holds_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut serving = space(folder.path(), "space.db");
    serving.set_journal_writing(JournalWriting::Gathered);
    keep(&mut serving, 1, 7, 1);
    keep(&mut serving, 2, 8, 2);
    let forgetting = SqliteSpace::open(serving.path()).unwrap();
    assert_eq!(forgetting.erase_from_journal(&[OpId(id_of(7))].into()).unwrap(), 0);
    serving.write_journal(WAIT).unwrap();
    let of = |record| ReceiptFilter { of: Some(OpId(id_of(record))), ..ReceiptFilter::default() };
    assert_eq!(serving.receipts(&of(7), 10).unwrap().len(), 0);
    assert_eq!(serving.receipts(&of(8), 10).unwrap().len(), 1);
}

#[test]
fn erasing_reports_a_reader_that_keeps_the_log_and_succeeds_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut space = space(folder.path(), "space.db");
    assert_eq!(space.erase_from_journal(&[OpId(id_of(7))].into()).unwrap(), 0);
    assert!(!space.journal_path().unwrap().exists(), "nothing is made to erase from");
    keep(&mut space, 1, 7, 1);
    let reader = Connection::open(space.journal_path().unwrap()).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM receipt").unwrap();
    let erased = std::thread::scope(|scope| {
        let path = space.path().to_owned();
        let erasing = scope.spawn(move || {
            let space = SqliteSpace::open(&path).unwrap();
            space.erase_from_journal(&[OpId(id_of(7))].into())
        });
        erasing.join().unwrap()
    });
    assert_eq!(erased.unwrap_err().code(), "busy");
    reader.execute_batch("COMMIT").unwrap();
    space.erase_from_journal(&[OpId(id_of(7))].into()).unwrap();
    assert!(!contains(&bytes_of(&space.journal_path().unwrap()), &id_of(7)));
}

#[test]
fn several_handles_write_receipts_at_once_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    drop(space(folder.path(), "space.db"));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut space = SqliteSpace::open(path).unwrap();
                for number in 0..25 {
                    keep(&mut space, thread * 100 + number, number, number);
                }
            });
        }
    });
    let space = SqliteSpace::open(&path).unwrap();
    assert_eq!(ids(&space).len(), 100);
    assert_eq!(rows(&space.journal_path().unwrap(), "record"), 25);
}
