//! Files that earlier versions of the program wrote.
//!
//! `version-3.space` was written by the last program before beliefs had a view of their own. It
//! holds six notes; beliefs `k0` to `k5` from one note each and `top` from `k5`; then `k0` is
//! refuted, `k1` corrected, `k2` retracted, and the note under `k3` retracted.
//!
//! `version-5.space` was written by the last program whose neighbours in a session were those by
//! arrival. It holds a conversation of three turns, two notes, and a belief from each note and each
//! of the two speakers.

use kernel::validity::Validity;
use store::sqlite::{BeliefFilter, SqliteSpace};
use store::{Ledger, Position};

use crate::book::{genesis, note};

const VERSION_3: &[u8] = include_bytes!("../fixtures/version-3.space");
const VERSION_5: &[u8] = include_bytes!("../fixtures/version-5.space");

/// A copy of a fixture that may be written.
fn copied_of(fixture: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.space");
    std::fs::write(&path, fixture).unwrap();
    (folder, path)
}

fn copied() -> (tempfile::TempDir, std::path::PathBuf) {
    copied_of(VERSION_3)
}

fn states(space: &SqliteSpace) -> Vec<&'static str> {
    let index = space.ledger_index().unwrap();
    ["k0", "k1", "k2", "k3", "k4", "top"]
        .map(|key| Validity::new(&index).state(key).unwrap().as_str())
        .to_vec()
}

#[test]
fn a_version_3_file_gains_the_view_of_beliefs_and_its_indexes_are_folded_again() {
    let (_folder, path) = copied();
    let before = {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.query_row("SELECT count(*) FROM text_posting", [], |row| row.get::<_, i64>(0))
    };
    let mut space = SqliteSpace::open(&path).unwrap();
    let digests = space.digests().unwrap();
    assert_eq!(
        digests.iter().map(|view| view.name).collect::<Vec<_>>(),
        ["graph", "records", "beliefs", "text", "facts", "thoughts"]
    );
    assert_eq!(space.text_position().unwrap(), Position(0), "version 6 has other tables");
    space.advance(|_| {}).unwrap();
    let digests_read = space.digests().unwrap();
    for (stored, folded) in space.refold().unwrap() {
        assert_eq!(stored, folded);
    }
    assert_eq!(
        states(&space),
        ["refuted", "corrected", "retracted", "invalidated", "active", "active"]
    );
    let listed = space
        .on_snapshot(|index| index.list_beliefs(&BeliefFilter::served(), 10))
        .unwrap()
        .unwrap();
    assert_eq!(listed.keys, ["k1", "k5", "top", "k4"]);
    assert_eq!(listed.total, 4);
    space.rebuild(|_| {}).unwrap();
    assert_eq!(space.digests().unwrap(), digests_read);
    assert!(before.unwrap() > 0);
}

#[test]
fn a_read_only_version_3_file_is_read_without_the_view() {
    let (folder, path) = copied();
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let space = SqliteSpace::open(&path).unwrap();
    if space.mode() == store::sqlite::Mode::ReadOnly {
        let listed =
            space.on_snapshot(|index| index.list_beliefs(&BeliefFilter::served(), 10)).unwrap();
        assert!(listed.is_none());
        assert_eq!(
            space.digests().unwrap().iter().map(|view| view.name).collect::<Vec<_>>(),
            ["graph", "text", "facts"]
        );
    }
    assert_eq!(states(&space).len(), 6);
    drop(folder);
}

#[test]
fn the_fixture_belongs_to_the_space_of_the_tests() {
    let (_folder, path) = copied();
    let space = SqliteSpace::open(&path).unwrap();
    assert_eq!(Ledger::space(&space).unwrap(), Some(genesis().0.space()));
    assert_eq!(note("n0", "soup 0").source_uid, "n0");
}

#[test]
fn a_version_5_file_opens_and_finds_the_neighbours_of_a_turn() {
    let (_folder, path) = copied_of(VERSION_5);
    let mut space = SqliteSpace::open(&path).unwrap();
    space.advance(|_| {}).unwrap();
    let positions = space.search(|search, _| Ok(search.neighbours(3, 1))).unwrap();
    let distances: Vec<_> = positions.iter().map(|(distance, _)| *distance).collect();
    assert_eq!(distances, [-1, 1], "of the second turn, which comes after the notes");
    for (stored, folded) in space.refold().unwrap() {
        assert_eq!(stored, folded);
    }
}
