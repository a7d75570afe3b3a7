use std::collections::BTreeMap;
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
    space.set_journal_writing(JournalWriting::Gathered);
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
    space.set_journal_writing(JournalWriting::Gathered);
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
    assert!(matches!(space.write_journal(Duration::ZERO), Err(StoreError::Busy { .. })));
    other.execute_batch("COMMIT").unwrap();
    space.write_journal(Duration::ZERO).unwrap();
    assert!(!space.has_unwritten());
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
    put(space, id, used);
}

fn put(space: &SqliteSpace, id: OpId, used: ThoughtUse) {
    let change: UseChange = Box::new(move |_| used.clone());
    space.change_thought_use(Duration::ZERO, None, vec![(id, change)]).unwrap();
}

fn run(space: &SqliteSpace, sql: &str) {
    space.journal.read(|connection| Ok(connection.execute_batch(sql)?)).unwrap().unwrap();
}

fn count(space: &SqliteSpace, of: &str) -> i64 {
    let query = format!("SELECT count(*) FROM {of}");
    let read = |connection: &Connection| Ok(connection.query_row(&query, [], |row| row.get(0))?);
    space.journal.read(read).unwrap().unwrap()
}

#[test]
fn handles_on_a_space_share_a_connection_and_one_that_is_read_only_has_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let space = SqliteSpace::open(&path).unwrap();
    note_use(&space, OpId([1; 32]), 3);
    run(&space, "CREATE TEMP TABLE of_this_connection (n INTEGER)");
    let others = [SqliteSpace::open(&path).unwrap(), read_only(&path)];
    let found = others.map(|other| count(&other, "temp.sqlite_schema"));
    assert_eq!(found, [1, 0]);
    drop(space);
    let again = SqliteSpace::open(&path).unwrap();
    assert_eq!(count(&again, "temp.sqlite_schema"), 0, "it goes with the last handle");
    assert_eq!(again.thought_use(&[OpId([1; 32])]).unwrap().len(), 1);
}

#[test]
fn those_who_read_do_not_wait_for_one_who_waits_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let space = SqliteSpace::open(&path).unwrap();
    note_use(&space, OpId([1; 32]), 3);
    let other = Connection::open(space.journal_path().unwrap()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let is_waiting = std::sync::Arc::new(std::sync::Barrier::new(2));
    let waits = std::sync::Arc::clone(&is_waiting);
    let writer = std::thread::spawn(move || {
        let space = SqliteSpace::open(&path).unwrap();
        waits.wait();
        let query = ThoughtQueryLog { agent: "ana", session: "monday", at_us: 0, keep: None };
        space.change_thought_use(Duration::from_secs(60), Some(&query), Vec::new())
    });
    is_waiting.wait();
    std::thread::sleep(Duration::from_millis(20));
    // Ends only because reading does not wait for the writer.
    assert_eq!(space.thought_use(&[OpId([1; 32])]).unwrap().len(), 1);
    other.execute_batch("COMMIT").unwrap();
    writer.join().unwrap().unwrap();
}

#[test]
fn what_a_thread_that_panicked_had_begun_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let space = SqliteSpace::open(&path).unwrap();
    note_use(&space, OpId([1; 32]), 3);
    let panicked = std::thread::spawn(move || {
        let other = SqliteSpace::open(&path).unwrap();
        let one: UseChange = Box::new(|_| ThoughtUse {
            weight: 1.0,
            last_us: 0,
            accesses: 1,
            agents: Vec::new(),
            partners: Vec::new(),
        });
        let two: UseChange = Box::new(|_| panic!("as a test"));
        let changes = vec![(OpId([2; 32]), one), (OpId([3; 32]), two)];
        let _ = other.change_thought_use(Duration::ZERO, None, changes);
    });
    assert!(panicked.join().is_err());
    note_use(&space, OpId([3; 32]), 3);
    let ids = [1, 2, 3].map(|byte| OpId([byte; 32]));
    let noted: Vec<OpId> = space.thought_use(&ids).unwrap().into_keys().collect();
    assert_eq!(noted, [ids[0], ids[2]]);
}

/// The tables of use as they were before each row had the number of its thought or name.
const EARLIER_USE: &str = "
    CREATE TABLE thought_use (
        number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, weight REAL NOT NULL,
        last INTEGER NOT NULL, accesses INTEGER NOT NULL, agent_count INTEGER NOT NULL,
        agents BLOB NOT NULL, partners BLOB NOT NULL
    ) STRICT;
    CREATE TABLE thought_session (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL,
        shown BLOB NOT NULL, offered TEXT NOT NULL
    ) STRICT;
    CREATE TABLE thought_agent (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL
    ) STRICT;
    INSERT INTO thought_agent (name, last) VALUES ('ana', 5);
    INSERT INTO thought_session (name, last, shown, offered)
        VALUES ('monday', 5, zeroblob(32), '[\"tea\"]');
    INSERT INTO thought_use (id, weight, last, accesses, agent_count, agents, partners)
        VALUES (zeroblob(32), 1.5, 5, 7, 1, x'0000000000000009', x'000000000000000800000003');";

#[test]
fn the_use_of_thoughts_in_a_journal_of_an_earlier_version_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    run(&space, EARLIER_USE);
    let (earlier, new) = (OpId([0; 32]), OpId([1; 32]));
    note_use(&space, new, 3);
    let used = space.thought_use(&[earlier, new]).unwrap();
    let expected = ThoughtUse {
        weight: 1.5,
        last_us: 5,
        accesses: 7,
        agents: vec![AgentHash(9)],
        partners: vec![(ThoughtPrefix(8), 3)],
    };
    assert_eq!((&used[&earlier], used[&new].accesses), (&expected, 3));
    let asker = space.thought_asker("ana", Some("monday")).unwrap();
    let session = ThoughtSession { shown: vec![earlier], offered: vec!["tea".to_owned()] };
    assert_eq!(asker, ThoughtAsker { is_known: true, session: Some(session) });
    assert_eq!(count(&space, "sqlite_schema WHERE name IN ('thought_use', 'thought_session')"), 0);
}

#[test]
fn what_an_earlier_version_noted_of_a_forgotten_thought_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    run(&space, EARLIER_USE);
    space.erase_from_journal(&[OpId([0; 32])].into()).unwrap();
    assert_eq!(count(&space, "thought_use"), 0);
    note_use(&space, OpId([1; 32]), 3);
    space.erase_from_journal(&[OpId([1; 32])].into()).unwrap();
    assert_eq!((count(&space, "thought_traffic"), count(&space, "thought_company")), (0, 0));
}

/// A query of an agent in a session.
fn log(space: &SqliteSpace, agent: &str, session: &str, at_us: i64, keep: Option<&ThoughtSession>) {
    let query = ThoughtQueryLog { agent, session, at_us, keep };
    space.change_thought_use(Duration::ZERO, Some(&query), Vec::new()).unwrap();
}

#[test]
fn a_session_keeps_what_a_query_that_leaves_no_trace_does_not_replace() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    let shown = ThoughtSession { shown: vec![OpId([3; 32])], offered: vec!["tea".to_owned()] };
    log(&space, "ana", "monday", 1, Some(&shown));
    log(&space, "ana", "monday", 2, None);
    assert_eq!(space.thought_asker("ana", Some("monday")).unwrap().session, Some(shown));
    assert_eq!(space.thought_asker("ben", Some("tuesday")).unwrap(), ThoughtAsker::default());
    // An agent is noted again when a minute is over.
    let last = "asking_agent WHERE last = 61000002";
    log(&space, "ana", "monday", 60_000_000, None);
    assert_eq!(count(&space, last), 0);
    log(&space, "ana", "monday", 61_000_002, None);
    assert_eq!(count(&space, last), 1);
}

#[test]
fn two_that_share_a_number_replace_each_other_and_are_never_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    let mut other = OpId([1; 32]);
    other.0[31] = 2;
    note_use(&space, OpId([1; 32]), 3);
    assert!(space.thought_use(&[other]).unwrap().is_empty());
    note_use(&space, other, 5);
    assert_eq!(space.thought_use(&[other]).unwrap()[&other].accesses, 5);
    assert!(space.thought_traffic(&[OpId([1; 32])]).unwrap().is_empty());
    log(&space, "ana", "monday", 1, Some(&ThoughtSession::default()));
    run(&space, "UPDATE asking_session SET name = 'other', offered = '[\"tea\"]'");
    assert_eq!(space.thought_asker("ana", Some("monday")).unwrap().session, None);
    log(&space, "ana", "monday", 2, None);
    let kept = space.thought_asker("ana", Some("monday")).unwrap().session;
    assert_eq!(kept, Some(ThoughtSession::default()));
}

#[test]
fn tables_that_are_too_long_lose_what_was_used_longest_ago() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    note_use(&space, OpId([1; 32]), 3);
    run(
        &space,
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 140000)
         INSERT INTO thought_traffic SELECT n, zeroblob(32), 1.0, n, 1, 1 FROM n;
         INSERT INTO thought_company SELECT number, x'', x'' FROM thought_traffic WHERE number < 140001;",
    );
    let bytes = |space: &SqliteSpace| space.journal.read(thought_use::bytes).unwrap().unwrap();
    assert_eq!(bytes(&space), 0, "the table is counted once in many rows");
    // A number that is divided by how seldom that is.
    let mut counted = OpId([0; 32]);
    counted.0[0] = 64;
    let used = ThoughtUse {
        weight: 1.0,
        last_us: i64::MAX,
        accesses: 1,
        agents: Vec::new(),
        partners: Vec::new(),
    };
    put(&space, counted, used);
    let left = count(&space, "thought_traffic");
    assert_eq!(left, (1 << 17) * 15 / 16);
    assert_eq!(count(&space, "thought_company"), left);
    assert_eq!(count(&space, "thought_traffic WHERE last BETWEEN 1 AND 17000"), 0);
    assert_eq!(bytes(&space), 512 * left as u64);
}

/// What makes a thought shown once more.
fn shown_again() -> UseChange {
    Box::new(|used| {
        let used = used.unwrap_or_else(|| ThoughtUse {
            weight: 1.0,
            last_us: 0,
            accesses: 0,
            agents: Vec::new(),
            partners: Vec::new(),
        });
        ThoughtUse { accesses: used.accesses + 1, ..used }
    })
}

fn show_again(space: &SqliteSpace, id: OpId) -> u64 {
    let changes = vec![(id, shown_again())];
    space.change_thought_use(Duration::ZERO, None, changes).unwrap().unwrap().accesses
}

#[test]
fn gathered_use_is_seen_by_every_handle_and_written_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let [one, other] = [(); 2].map(|()| SqliteSpace::open(&path).unwrap());
    one.set_journal_writing(JournalWriting::Gathered);
    let file = Connection::open(one.journal_path().unwrap()).unwrap();
    let in_file = |table: &str| -> i64 {
        let query = format!("SELECT count(*) FROM sqlite_schema WHERE name = '{table}'");
        file.query_row(&query, [], |row| row.get(0)).unwrap()
    };
    let (id, unused) = (OpId([1; 32]), OpId([2; 32]));
    assert_eq!((show_again(&one, id), show_again(&one, id)), (1, 2));
    let kept = ThoughtSession { shown: vec![id], offered: Vec::new() };
    log(&one, "ana", "monday", 1, Some(&kept));
    log(&one, "ana", "monday", 2, None);
    assert_eq!(in_file("thought_traffic"), 0);
    let check = || {
        assert_eq!(other.thought_use(&[id, unused]).unwrap()[&id].accesses, 2);
        assert_eq!(other.thought_traffic(&[id, unused]).unwrap()[&id].accesses, 2);
        let session = Some(kept.clone());
        let asker = ThoughtAsker { is_known: true, session };
        assert_eq!(other.thought_asker("ana", Some("monday")).unwrap(), asker);
        assert_eq!(other.thought_asker("ben", None).unwrap(), ThoughtAsker::default());
    };
    check();
    assert!(one.has_unwritten() && other.has_unwritten());
    one.write_journal(Duration::ZERO).unwrap();
    assert!(!other.has_unwritten());
    check();
    let accesses = "SELECT accesses FROM thought_traffic";
    assert_eq!(file.query_row(accesses, [], |row| row.get::<_, i64>(0)).unwrap(), 2);
    show_again(&one, id);
    drop((one, other));
    assert_eq!(file.query_row(accesses, [], |row| row.get::<_, i64>(0)).unwrap(), 3);
}

#[test]
fn what_an_earlier_version_noted_of_a_thought_is_counted_with_what_is_gathered() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    run(&space, EARLIER_USE);
    show_again(&space, OpId([0; 32]));
    assert_eq!(space.thought_use(&[OpId([0; 32])]).unwrap()[&OpId([0; 32])].accesses, 8);
}

#[test]
fn what_another_process_notes_meanwhile_is_counted_with_what_is_gathered() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let space = SqliteSpace::open(&path).unwrap();
    let ids = [1, 2].map(|byte| OpId([byte; 32]));
    note_use(&space, ids[0], 3);
    note_use(&space, ids[1], 5);
    space.set_journal_writing(JournalWriting::Gathered);
    let other = Connection::open(space.journal_path().unwrap()).unwrap();
    other
        .execute_batch("BEGIN IMMEDIATE; UPDATE thought_traffic SET accesses = accesses + 100;")
        .unwrap();
    assert_eq!((show_again(&space, ids[0]), show_again(&space, ids[0])), (4, 5));
    assert!(matches!(space.write_journal(Duration::ZERO), Err(StoreError::Busy { .. })));
    assert_eq!(space.thought_traffic(&ids).unwrap()[&ids[1]].accesses, 5);
    other.execute_batch("COMMIT").unwrap();
    let accesses = |traffic: BTreeMap<OpId, ThoughtTraffic>| ids.map(|id| traffic[&id].accesses);
    assert_eq!(accesses(space.thought_traffic(&ids).unwrap()), [105, 105]);
    space.write_journal(Duration::ZERO).unwrap();
    assert_eq!(accesses(space.thought_traffic(&ids).unwrap()), [105, 105]);
    let sum = "SELECT sum(accesses) FROM thought_traffic";
    assert_eq!(other.query_row(sum, [], |row| row.get::<_, i64>(0)).unwrap(), 210);
}

#[test]
fn gathered_use_of_a_forgotten_thought_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let space = SqliteSpace::open(&fixture(folder.path())).unwrap();
    space.set_journal_writing(JournalWriting::Gathered);
    let ids = [1, 2].map(|byte| OpId([byte; 32]));
    for id in ids {
        show_again(&space, id);
    }
    space.erase_from_journal(&[ids[0]].into()).unwrap();
    space.write_journal(Duration::ZERO).unwrap();
    assert_eq!(space.thought_use(&ids).unwrap().into_keys().collect::<Vec<_>>(), [ids[1]]);
    assert_eq!((count(&space, "thought_traffic"), count(&space, "thought_company")), (1, 1));
}

#[test]
fn use_that_cannot_be_written_waits_and_too_much_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture(folder.path());
    let space = SqliteSpace::open(&path).unwrap();
    let other = Connection::open(space.journal_path().unwrap()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let changes = vec![(OpId([1; 32]), shown_again())];
    let refused = space.change_thought_use(Duration::ZERO, None, changes);
    assert!(matches!(refused, Err(StoreError::Busy { .. })));
    assert!(!space.has_unwritten(), "whoever writes at once learns that it was not written");
    space.set_journal_writing(JournalWriting::Gathered);
    let id = |number: usize| {
        let mut id = OpId([0; 32]);
        id.0[..8].copy_from_slice(&(number as u64).to_be_bytes());
        id
    };
    for number in 0..USE_WAITING_MAX - 1 {
        show_again(&space, id(number));
    }
    assert!(space.has_unwritten());
    show_again(&space, id(USE_WAITING_MAX));
    assert!(!space.has_unwritten());
    show_again(&space, id(0));
    other.execute_batch("COMMIT").unwrap();
    space.write_journal(Duration::ZERO).unwrap();
    assert_eq!(count(&space, "thought_traffic"), 1);
}
