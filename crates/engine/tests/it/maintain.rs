//! Marks for removal, and what is erased once it is archived.

use std::collections::BTreeSet;

use engine::Space;
use engine::derive::Extent;
use engine::inspect::LogFilter;
use engine::maintain::archive::{ArchiveNote, ArchiveRow};
use engine::maintain::marks::{MarkFilter, MarkedList, NotMarked};
use engine::maintain::removal::{Archived, Removed};
use engine::write::graph::{GraphChange, NamedChange, RecordType, Statement, cite_as_inputs};
use engine::write::import::Intent;
use kernel::body::NodeType;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::{Operation, Verified, verify_batch};

use crate::forget::traces;
use crate::support::{Home, at, id_of, key, note, recalled};
use crate::toys::gym;

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

fn status_of(space: &Space, id: &OpId) -> &'static str {
    space.record_view(id, None).unwrap().unwrap().status.unwrap()
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

/// What an archive of some records has, as operations that are verified.
fn archive(space: &Space, ids: &[OpId]) -> Vec<Operation<Verified>> {
    let reader = space.reader().unwrap();
    let wanted = reader.to_archive(ids).unwrap();
    let mut lines = Vec::new();
    let take = |row: ArchiveRow| {
        lines.push(row.line);
        Ok(())
    };
    reader.archive_rows(&wanted, take).unwrap();
    let operations = lines.iter().map(|line| Operation::from_line(line.as_bytes()).unwrap());
    verify_batch(operations.collect()).into_iter().map(Result::unwrap).collect()
}

fn archived(operations: &[Operation<Verified>]) -> Archived {
    let mut archived = Archived::default();
    archived.add(DIGEST, operations.iter().map(Operation::id));
    archived
}

fn remove(space: &mut Space, ids: &[OpId], archived: &Archived) -> Removed {
    let mut writer = space.writer();
    let removed = writer.remove_archived(ids, archived, Intent::Write, at(20), |_| {}).unwrap();
    writer.finish().unwrap();
    removed
}

/// A habit, a note with a node made from it, and the node's id.
fn with_node(home: &mut Home) -> (OpId, OpId) {
    let record = id_of(home.remember("kiln", SECRET));
    let statement = Statement {
        inputs: cite_as_inputs(&[record]).unwrap(),
        ..Statement::new(RecordType::Node(NodeType::Summary), NODE)
    };
    let change = NamedChange::from(GraphChange::State(Box::new(statement)));
    let changed = home.space.change_graph(&[change], None, Intent::Write, at(2)).unwrap();
    (record, changed.stand_for[0])
}

const DIGEST: &str = "b3:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const SECRET: &str = "Zephyrine Quokkasson fires the vermilion kiln on Wednesdays";
const NODE: &str = "That potter works every seventh day";

// Case 21 of the cases for consolidation, at the engine.
#[test]
fn what_is_archived_is_erased_alone_and_the_ledger_verifies() {
    let mut home = Home::new();
    let (record, node) = with_node(&mut home);
    let kept = id_of(home.remember("kept", "Bluebells bloom in April"));
    let path = home.space.path().to_owned();
    let space = &mut home.space;
    space.mark_for_removal(&[record], Intent::Write, at(3)).unwrap();
    let operations = archive(space, &[record]);
    let ids: Vec<OpId> = operations.iter().map(Operation::id).collect();
    assert_eq!(ids, [record]);
    let before = space.show(&record).unwrap().operation.header().clone();
    let removed = remove(space, &[record], &archived(&operations));
    assert_eq!((removed.records, removed.left, removed.is_erased), (1, 0, Some(true)));
    let shown = space.show(&record).unwrap();
    assert_eq!(shown.operation.header(), &before);
    assert!(shown.operation.body().is_none());
    for stays in [kept, node] {
        assert!(space.show(&stays).unwrap().operation.body().is_some());
    }
    assert!(space.verify(|_| {}).unwrap().is_sound());
    assert_eq!(traces(&path, &[SECRET], &[]), Vec::<String>::new());
    assert_eq!(status_of(space, &node), "active", "nobody took back what it stands on");
    let why = space.reader().unwrap().show(&record).unwrap();
    assert!(why.forgotten.is_some_and(|forgotten| forgotten.reason.contains("archive")));
    assert!(ids_of(&marked(space, None, 10)).is_empty());
    // The redaction names the archive.
    let redaction = space.log_tail(usize::MAX, &LogFilter::default()).unwrap();
    let redaction = redaction.iter().find(|it| it.operation.header().kind == Kind::Redaction);
    let body = redaction.unwrap().operation.body().unwrap().to_vec();
    assert!(String::from_utf8(body).unwrap().contains(DIGEST));
}

#[test]
fn what_was_archived_can_be_forgotten_with_what_stands_on_it() {
    let mut home = Home::new();
    let (record, node) = with_node(&mut home);
    let kept = id_of(home.remember("kept", "Bluebells bloom in April"));
    let path = home.space.path().to_owned();
    let space = &mut home.space;
    space.mark_for_removal(&[record, kept], Intent::Write, at(3)).unwrap();
    let operations = archive(space, &[record, kept]);
    remove(space, &[record, kept], &archived(&operations));
    assert!(space.show(&node).unwrap().operation.body().is_some());
    let plan = space.plan_to_forget(&[record], at(30)).unwrap();
    assert_eq!((plan.selected, plan.erased["node"].len()), (1, 1), "{plan:?}");
    assert!(plan.records[0].summary.contains("archived"), "{plan:?}");
    space.forget(&plan, "asked to", at(30)).unwrap();
    assert!(space.show(&node).unwrap().operation.body().is_none());
    assert_eq!(traces(&path, &[SECRET, NODE], &[]), Vec::<String>::new());
    assert!(space.verify(|_| {}).unwrap().is_sound());
    // Forgetting it again finds nothing that is left.
    assert!(space.plan_to_forget(&[record], at(31)).unwrap().is_empty());
    // A restored archive leaves it out, unless it is named.
    let report =
        space.restore_archived(operations.clone(), &BTreeSet::new(), DIGEST, at(40)).unwrap();
    assert_eq!((report.added, report.left_out), (1, 1), "{report:?}");
    assert_eq!(report.left_out_first[0].id, record);
    assert_eq!(traces(&path, &[SECRET], &[]), Vec::<String>::new());
    let report =
        space.restore_archived(operations, &BTreeSet::from([record]), DIGEST, at(50)).unwrap();
    assert_eq!((report.added, report.left_out), (1, 0), "{report:?}");
}

#[test]
fn a_belief_stays_when_what_it_was_derived_from_is_archived() {
    let mut home = gym();
    let evidence = LogFilter { kinds: vec!["evidence".to_owned()], ..LogFilter::default() };
    let log = home.space.log_tail(usize::MAX, &evidence).unwrap();
    let records: Vec<OpId> = log.iter().map(|it| it.operation.id()).collect();
    let space = &mut home.space;
    let believed = |space: &mut Space| {
        let beliefs = space.beliefs().unwrap().into_iter();
        let served = beliefs.filter(|belief| belief.served.is_some());
        served.map(|belief| (belief.key, belief.text)).collect::<Vec<_>>()
    };
    let before = believed(space);
    assert_eq!(before.len(), 2, "{before:?}");
    space.mark_for_removal(&records, Intent::Write, at(10)).unwrap();
    let operations = archive(space, &records);
    assert_eq!(operations.len(), records.len());
    remove(space, &records, &archived(&operations));
    assert!(space.show(&records[0]).unwrap().operation.body().is_none());
    assert_eq!(believed(space), before);
    for extent in [Extent::Changed, Extent::Full] {
        space.derive(extent, Intent::Write, at(30), |_| {}).unwrap();
        assert_eq!(believed(space), before);
    }
    assert!(space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn what_was_said_of_a_belief_since_it_was_archived_keeps_it() {
    let mut home = Home::new();
    let (_, node) = with_node(&mut home);
    let record = node;
    let other = id_of(home.remember("other", "Mulberry cellars are cold"));
    let space = &mut home.space;
    space.mark_for_removal(&[record, other], Intent::Write, at(3)).unwrap();
    let operations = archive(space, &[record, other]);
    let known = archived(&operations);
    let late = Statement {
        inputs: cite_as_inputs(&[node]).unwrap(),
        ..Statement::new(RecordType::Node(NodeType::Summary), "Said after the archive was made")
    };
    let change = NamedChange::from(GraphChange::State(Box::new(late)));
    space.change_graph(&[change], None, Intent::Write, at(4)).unwrap();
    let removed = remove(space, &[record, other], &known);
    assert_eq!((removed.records, removed.left_first), (1, vec![record]));
    assert!(space.show(&record).unwrap().operation.body().is_some());
    assert!(space.show(&other).unwrap().operation.body().is_none());
    // Nothing is left out without an archive.
    let nothing = Archived::default();
    let removed = remove(space, &[record], &nothing);
    assert_eq!((removed.records, removed.left), (0, 1));
}

#[test]
fn restored_records_say_the_same_and_restoring_twice_adds_nothing() {
    let mut home = Home::new();
    let (record, node) = with_node(&mut home);
    let space = &mut home.space;
    space.mark_for_removal(&[record], Intent::Write, at(3)).unwrap();
    let before = space.show(&record).unwrap().operation.body().unwrap().to_vec();
    let operations = archive(space, &[record]);
    remove(space, &[record], &archived(&operations));
    assert!(recalled(space, "vermilion kiln").is_empty());
    let all = BTreeSet::new();
    let report = space.restore_archived(operations.clone(), &all, DIGEST, at(30)).unwrap();
    assert_eq!((report.added, report.left_out), (1, 0), "{report:?}");
    assert_eq!(recalled(space, "vermilion kiln"), [SECRET]);
    let log = space.log_tail(usize::MAX, &LogFilter::default()).unwrap();
    let new = log.iter().find(|it| it.operation.body() == Some(before.as_slice()));
    assert_ne!(new.unwrap().operation.id(), record);
    let texts: Vec<String> = log
        .iter()
        .filter_map(|it| Some(String::from_utf8(it.operation.body()?.to_vec()).unwrap()))
        .collect();
    assert!(texts.iter().any(|text| text.contains(NODE)));
    let names = |text: &&String| text.contains("restored") && text.contains(&record.to_string());
    assert_eq!(texts.iter().filter(names).count(), 1);
    assert_eq!(status_of(space, &node), "active");
    assert!(ids_of(&marked(space, None, 10)).is_empty(), "marks are not restored");
    let again = space.restore_archived(operations, &all, DIGEST, at(40)).unwrap();
    assert_eq!((again.added, again.present), (0, 1));
    assert!(space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn an_archive_is_recorded_in_the_ledger_and_not_by_any_key() {
    let mut home = Home::new();
    let note = ArchiveNote {
        digest: DIGEST.to_owned(),
        file: "a.parquet".to_owned(),
        format: "parquet".to_owned(),
        records: 1,
        operations: 2,
    };
    home.space.writer().record_archive(&note, at(2)).unwrap();
    let found = home.space.archives().unwrap();
    assert_eq!(found.iter().map(|archive| &archive.note).collect::<Vec<_>>(), [&note]);
    let append = vec![kernel::kind::Capability::Append];
    home.space.change_access(key(2).author(), "agent", append, true, at(3)).unwrap();
    home.space.write_as(key(2));
    let refused = home.space.writer().record_archive(&note, at(4)).unwrap_err();
    assert_eq!(refused.code(), "not_permitted");
}
