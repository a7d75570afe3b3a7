//! Marks for removal, and what is erased once it is archived.

use engine::Space;
use engine::maintain::marks::{MarkFilter, MarkedList, NotMarked};
use engine::write::import::Intent;
use kernel::id::OpId;

use crate::support::{Home, at, id_of, key, note};

/// A space with notes of these texts.
fn space_with(texts: &[&str]) -> (Home, Vec<OpId>) {
    let mut home = Home::new();
    let ids = texts.iter().map(|text| id_of(home.remember(text, text))).collect();
    (home, ids)
}

fn marked(space: &Space, until: Option<jiff::Timestamp>, limit: usize) -> MarkedList {
    let until_us = until.map(engine::now_us);
    space.marked(&MarkFilter { until_us, limit }).unwrap()
}

fn ids_of(list: &MarkedList) -> Vec<OpId> {
    list.marked.iter().map(|marked| marked.id).collect()
}

#[test]
fn the_last_mark_counts_and_a_mark_that_is_there_keeps_its_time() {
    let (mut home, ids) = space_with(&["one", "two", "three"]);
    let space = &mut home.space;
    let (one, two, three) = (ids[0], ids[1], ids[2]);
    let done = space.mark_for_removal(&[two, one, two], Intent::Write, at(2)).unwrap();
    assert_eq!((done.changed, done.unchanged), (vec![two, one], 0));
    let again = space.mark_for_removal(&[one, three], Intent::Write, at(3)).unwrap();
    assert_eq!((again.changed, again.unchanged), (vec![three], 1));
    let list = marked(space, None, 10);
    assert_eq!(ids_of(&list), [two, one, three]);
    assert_eq!(list.marked[1].at.0 / 1_000_000, at(2).as_second().unsigned_abs());
    assert!(list.marked[0].summary.contains("two"));
    let back = space.unmark(&[one, two], Intent::Write, at(4)).unwrap();
    assert_eq!(back.changed, [one, two]);
    assert_eq!(ids_of(&marked(space, None, 10)), [three]);
    // Marked again, its time begins again.
    space.mark_for_removal(&[one], Intent::Write, at(5)).unwrap();
    let list = marked(space, None, 10);
    assert_eq!(ids_of(&list), [three, one]);
    assert_eq!(list.marked[1].at.0 / 1_000_000, at(5).as_second().unsigned_abs());
    let dry = space.mark_for_removal(&[two], Intent::DryRun, at(6)).unwrap();
    assert_eq!(dry.changed, [two]);
    assert_eq!(ids_of(&marked(space, None, 10)), [three, one]);
    let (first, has_more) = {
        let list = marked(space, None, 1);
        (ids_of(&list), list.has_more)
    };
    assert_eq!((first, has_more), (vec![three], true));
}

// Case 13 of the cases for consolidation.
#[test]
fn of_three_ids_of_which_two_exist_two_are_marked() {
    let (mut home, ids) = space_with(&["one", "two"]);
    let space = &mut home.space;
    let nothing = OpId([7; 32]);
    let done = space.mark_for_removal(&[ids[0], nothing, ids[1]], Intent::Write, at(2)).unwrap();
    assert_eq!(done.changed.len(), 2);
    assert_eq!(done.skipped, [(nothing, NotMarked::Unknown)]);
    let genesis = space.id().unwrap().0;
    let done = space.mark_for_removal(&[genesis], Intent::Write, at(2)).unwrap();
    assert_eq!(done.skipped, [(genesis, NotMarked::NotARecord)]);
}

// Case 19 of the cases for consolidation.
#[test]
fn retention_counts_from_the_mark_and_not_from_the_record() {
    let (mut home, ids) = space_with(&["old"]);
    let space = &mut home.space;
    let days = |count: i64| jiff::SignedDuration::from_hours(24 * count);
    let today = at(1).checked_add(days(365)).unwrap();
    space.mark_for_removal(&ids, Intent::Write, today).unwrap();
    let eligible =
        |now: jiff::Timestamp| ids_of(&marked(space, Some(now.checked_sub(days(30)).unwrap()), 10));
    assert!(eligible(today).is_empty());
    assert!(eligible(today.checked_add(days(29)).unwrap()).is_empty());
    assert_eq!(eligible(today.checked_add(days(31)).unwrap()), ids);
}

#[test]
fn a_key_that_may_append_marks_its_own_records_alone() {
    let (mut home, ids) = space_with(&["the owner's"]);
    let space = &mut home.space;
    space
        .change_access(
            key(2).author(),
            "agent",
            vec![kernel::kind::Capability::Append],
            true,
            at(2),
        )
        .unwrap();
    space.write_as(key(2));
    let refused = space.mark_for_removal(&ids, Intent::Write, at(3)).unwrap_err();
    assert_eq!(refused.code(), "not_permitted");
    let own = id_of(space.remember(note("own", "own"), at(3)).unwrap());
    space.mark_for_removal(&[own], Intent::Write, at(4)).unwrap();
    assert_eq!(ids_of(&marked(space, None, 10)), [own]);
}
