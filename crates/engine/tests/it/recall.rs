//! Recall while others write and when something does not read.

use std::time::{Duration, Instant};

use store::Ledger;
use store::sqlite::SqliteSpace;

use crate::support::{Home, key, query, recalled};

#[test]
fn a_recall_does_not_wait_long_for_another_writer_and_says_how_far_it_is_behind() {
    let mut home = Home::new();
    home.remember("a", "tomato soup");
    assert_eq!(recalled(&mut home.space, "soup"), ["tomato soup"]);
    home.remember("b", "lentil soup");
    let mut other = SqliteSpace::open(home.space.path()).unwrap();
    let writing = other.begin().unwrap();
    let begun = Instant::now();
    let recall = home.space.recall(&query("soup")).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!((recall.results.len(), recall.behind), (1, 1));
    drop(writing);
    let recall = home.space.recall(&query("soup")).unwrap();
    assert_eq!((recall.results.len(), recall.behind), (2, 0));
}

#[test]
fn an_operation_that_does_not_read_leaves_the_rest_to_be_recalled() {
    let mut home = Home::new();
    home.remember("a", "tomato soup");
    assert_eq!(recalled(&mut home.space, "soup"), ["tomato soup"]);
    home.remember("b", "lentil soup");
    home.tamper("UPDATE op SET refs = x'01' WHERE pos = 3");
    let recall = home.again(1).recall(&query("soup")).unwrap();
    assert_eq!((recall.results.len(), recall.behind), (1, 1));
}

#[test]
fn a_prefix_names_one_operation_or_says_which_it_could_be() {
    let mut home = Home::new();
    home.record_many(40);
    let id = home.space.log_tail(1, &Default::default()).unwrap()[0].operation.id();
    assert_eq!(home.space.resolve(&id.to_string()).unwrap(), id);
    for unknown in ["", "b3:", "nothing", "ffffffffffffffffffffffffffffffff", "ẞß"] {
        assert_eq!(home.space.resolve(unknown).unwrap_err().code(), "unknown_id", "{unknown}");
    }
    assert_eq!(home.space.author(), key(1).author());
}
