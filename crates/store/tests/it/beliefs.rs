//! What a file stores of every claim, and what it says that follows, against the naive model of
//! beliefs on random histories of two devices.

use store::sqlite::SqliteSpace;
use testkit::histories::two_devices;
use testkit::in_sqlite::InSqlite;

/// Histories, and their steps.
const HISTORIES: (u64, usize) = (2, 240);

#[test]
fn a_file_believes_what_the_naive_model_does_on_any_history_of_two_devices() {
    for seed in 1..=HISTORIES.0 {
        println!("seed {seed}");
        let recorded = two_devices(seed, HISTORIES.1, |genesis, body| {
            InSqlite::begun(SqliteSpace::create_in_memory(genesis, body).unwrap())
        });
        assert!(recorded > 10, "the history does not try much: {recorded}");
    }
}
