//! Selections of records, compared with reading every record.

use engine::selection::{RecordState, Selection};
use engine::write::commit::Changes;
use engine::write::import::Intent;
use engine::write::record::Outcome;
use engine::{EngineError, Space};
use jiff::Timestamp;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::seal::Signer;
use serde_json::json;

const NOW: Timestamp = Timestamp::constant(1_700_000_000, 0);

fn record(source: &str, uid: &str, actor: Option<&str>, at: Option<&str>, text: &str) -> Evidence {
    serde_json::from_value(json!({
        "source": source, "source_uid": uid, "kind": "note", "actor": actor, "at": at,
        "summary": text, "visibility": "project",
        "payload": { "text": text, "session": uid.split_once('#').map(|(file, _)| file) },
    }))
    .unwrap()
}

/// Records of two sources, two people and two months; some are not in the index yet.
fn space() -> (Space, Vec<OpId>) {
    let mut space = Space::create_in_memory(Signer::from_seed([1; 32]), "test", NOW).unwrap();
    let records = [
        record("markdown", "a.md#one", Some("Ana"), Some("2025-03-01"), "first of all"),
        record("markdown", "a.md#two", None, Some("2025-03-31T23:30:00+02:00"), "second of all"),
        record("markdown", "b.md#one", Some("ANA"), None, "third thing here"),
        record("ical", "x/1", Some("Ben"), Some("2025-04-01"), "fourth event of it"),
        record("ical", "x/2", None, Some("2025-03-09"), "fifth event of that"),
        record("remember", "m", Some("???"), None, "sixth remembered words"),
    ];
    let mut ids = Vec::new();
    let count = records.len();
    for (place, record) in records.into_iter().enumerate() {
        if place == count - 2 {
            space.advance(|_| {}).unwrap();
        }
        match space.writer().remember(record, NOW).unwrap() {
            Outcome::Added(id) => ids.push(id),
            other => panic!("{other:?}"),
        }
    }
    (space, ids)
}

fn selected(space: &Space, ids: &[OpId], selection: &Selection, state: RecordState) -> Vec<usize> {
    let found = space.select(selection, state).unwrap();
    found.iter().map(|id| ids.iter().position(|other| other == id).unwrap()).collect()
}

fn retract(space: &mut Space, ids: &[OpId]) -> Changes {
    let drafts = space.to_retract_all(ids, "").unwrap();
    space.act(drafts, Intent::Write, NOW).unwrap()
}

#[test]
fn every_part_of_a_selection_selects_also_what_the_index_has_not_read() {
    let (mut space, ids) = space();
    let text = |text: &str| Some(text.to_owned());
    let month = |text: &str| Some(text.parse().unwrap());
    let table = [
        (Selection::default(), vec![]),
        (Selection { source: text("markdown"), ..Default::default() }, vec![0, 1, 2]),
        (Selection { source: text("ICAL"), ..Default::default() }, vec![3, 4]),
        (Selection { file: text("a.md"), ..Default::default() }, vec![0, 1]),
        (Selection { file: text("a"), ..Default::default() }, vec![]),
        (Selection { session: text("b.md"), ..Default::default() }, vec![2]),
        (Selection { actor: text("ana"), ..Default::default() }, vec![0, 2]),
        (Selection { actor: text("???"), ..Default::default() }, vec![5]),
        (Selection { month: month("2025-03"), ..Default::default() }, vec![0, 1, 4]),
        (
            Selection { month: month("2025-03"), source: text("ical"), ..Default::default() },
            vec![4],
        ),
        (Selection { actor: text("Ana"), month: month("2025-03"), ..Default::default() }, vec![0]),
        (Selection { ids: vec![ids[3].to_string()], ..Default::default() }, vec![3]),
        (
            Selection {
                ids: vec![ids[3].to_string(), ids[0].to_string()],
                source: text("markdown"),
                ..Default::default()
            },
            vec![0],
        ),
    ];
    for folded in [false, true] {
        if folded {
            space.advance(|_| {}).unwrap();
        }
        for (selection, expected) in &table {
            assert_eq!(
                selected(&space, &ids, selection, RecordState::Valid),
                *expected,
                "{selection:?}"
            );
        }
    }
}

#[test]
fn retracted_and_superseded_records_are_selected_only_if_asked_for() {
    let (mut space, ids) = space();
    let all = Selection { source: Some("markdown".to_owned()), ..Default::default() };
    retract(&mut space, &ids[..1]);
    let changed = record("markdown", "a.md#two", None, None, "second, changed");
    let Outcome::Replaced { new, .. } = space.remember(changed, NOW).unwrap() else { panic!() };
    let mut ids = ids;
    ids.push(new);
    assert_eq!(selected(&space, &ids, &all, RecordState::Valid), [2, 6]);
    assert_eq!(selected(&space, &ids, &all, RecordState::Retracted), [0]);
    assert_eq!(selected(&space, &ids, &all, RecordState::Any), [0, 1, 2, 6]);
}

#[test]
fn an_operation_that_is_not_an_import_is_not_selected_by() {
    let (space, ids) = space();
    let selection = Selection { import: Some(ids[0].to_string()), ..Default::default() };
    let refused = space.select(&selection, RecordState::Any);
    assert!(matches!(refused, Err(EngineError::NotAnImport { .. })), "{refused:?}");
}
