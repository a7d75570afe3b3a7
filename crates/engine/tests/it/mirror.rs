//! Imports as records of their own, dry runs that compare, and mirrors of folders and calendars.

use std::path::Path;

use engine::recall::episodes::Query;
use engine::selection::{RecordState, Selection};
use engine::write::import::{Intent, Report};
use importers::Context;
use jiff::Timestamp;

use crate::support::Home;

const NOW: Timestamp = Timestamp::constant(1_750_000_000, 0);

impl Home {
    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn import(&mut self, name: &str, intent: Intent) -> Report {
        let path = self.path(name);
        let importer = importers::detect(&path).unwrap().unwrap();
        self.space.import(importer, &path, &context(), intent, |_| {}).unwrap()
    }

    /// The plan's figures, then what mirroring did.
    fn mirror(&mut self, name: &str) -> (u64, Report) {
        let path = self.path(name);
        let importer = importers::detect(&path).unwrap().unwrap();
        let (would, plan) = self.space.plan_mirror(importer, &path, &context(), |_| {}).unwrap();
        let report = self.space.mirror(importer, &path, &context(), &plan, |_| {}).unwrap();
        assert_eq!(would.retracted, report.retracted);
        assert_eq!(
            (would.tally.added, would.tally.replaced, would.tally.present),
            (report.tally.added, report.tally.replaced, report.tally.present)
        );
        (plan.known, report)
    }

    fn recalled(&self, question: &str) -> Vec<String> {
        let found = self.space.recall(&Query::new(question, 5)).unwrap().results;
        found.into_iter().map(|hit| hit.evidence.source_uid).collect()
    }
}

fn context() -> Context {
    Context::new(NOW, jiff::tz::TimeZone::UTC)
}

fn calendar(home: &Home, uids: &[&str]) {
    calendar_at(home, "c.ics", uids);
}

fn calendar_at(home: &Home, path: &str, uids: &[&str]) {
    let events: String = uids
        .iter()
        .map(|uid| {
            format!(
                "BEGIN:VEVENT\r\nUID:{uid}\r\nDTSTAMP:20250101T000000Z\r\nDTSTART:20250302T100000Z\r\nSUMMARY:Sailing {uid}\r\nEND:VEVENT\r\n"
            )
        })
        .collect();
    home.write(
        path,
        &format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{events}END:VCALENDAR\r\n"),
    );
}

fn notes(home: &Home) {
    home.write("notes/zebra.md", "We decided to buy a zebra.\n");
    home.write(
        "notes/boat.md",
        "# Boat\n\nThe boat needs varnish.\n\n## Sails\n\nThe sails are torn.\n",
    );
    home.write("notes/third.md", "Nothing about animals.\n");
}

#[test]
fn an_import_is_on_record_with_what_it_appended() {
    let mut home = Home::made_at(NOW);
    notes(&home);
    let report = home.import("notes", Intent::Write);
    let id = report.import.unwrap();
    let imports = home.space.imports(10).unwrap();
    assert_eq!(imports.len(), 1);
    let body = &imports[0].body;
    assert_eq!((imports[0].id, body.source.as_deref()), (id, Some("markdown")));
    assert_eq!(
        (body.added, body.replaced, body.present, body.problems),
        (Some(4), Some(0), Some(0), Some(0))
    );
    assert_eq!(body.complete, Some(true));
    let all = Selection { import: Some(id.to_string()), ..Default::default() };
    assert_eq!(home.space.select(&all, RecordState::Valid).unwrap().len(), 4);
    // It is a record of what was done, and not a memory.
    assert_eq!(home.space.evidence_by_kind().unwrap().values().sum::<u64>(), 4);
    // Importing the same again appends nothing, so it leaves no record.
    assert_eq!(home.import("notes", Intent::Write).import, None);
    home.write("notes/zebra.md", "We decided NOT to buy a zebra.\n");
    let second = home.import("notes", Intent::Write);
    let imports = home.space.imports(10).unwrap();
    assert_eq!((imports.len(), imports[0].id), (2, second.import.unwrap()));
    assert_ne!(imports[0].body.digest, imports[1].body.digest);
    assert_eq!(imports[0].body.place, imports[1].body.place);
    let changed =
        Selection { import: second.import.map(|id| id.to_string()), ..Default::default() };
    assert_eq!(home.space.select(&changed, RecordState::Valid).unwrap().len(), 1);
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn records_of_another_writer_with_the_same_key_are_not_part_of_an_import() {
    let mut home = Home::made_at(NOW);
    notes(&home);
    let first = home.import("notes", Intent::Write).import.unwrap();
    let other: kernel::evidence::Evidence = serde_json::from_value(serde_json::json!({
        "source": "remember", "source_uid": "1", "kind": "note", "summary": "x",
        "visibility": "project", "payload": { "text": "Something else entirely." },
    }))
    .unwrap();
    home.space.remember(other, NOW).unwrap();
    home.write("notes/fourth.md", "A fourth note.\n");
    let second = home.import("notes", Intent::Write).import.unwrap();
    for (import, count) in [(first, 4), (second, 1)] {
        let selection = Selection { import: Some(import.to_string()), ..Default::default() };
        assert_eq!(home.space.select(&selection, RecordState::Any).unwrap().len(), count);
    }
}

#[test]
fn a_dry_run_says_what_is_there_and_writes_nothing() {
    let mut home = Home::made_at(NOW);
    notes(&home);
    let counts =
        |report: &Report| (report.tally.added, report.tally.replaced, report.tally.present);
    assert_eq!(counts(&home.import("notes", Intent::DryRun)), (4, 0, 0));
    home.import("notes", Intent::Write);
    home.write("notes/third.md", "Nothing about plants.\n");
    home.write("notes/fourth.md", "A fourth note.\n");
    let head = home.space.head().unwrap();
    assert_eq!(counts(&home.import("notes", Intent::DryRun)), (1, 1, 3));
    assert_eq!(home.space.head().unwrap(), head);
    assert_eq!(counts(&home.import("notes", Intent::Write)), (1, 1, 3));
}

#[test]
fn deleted_notes_and_sections_are_retracted_and_renamed_ones_superseded() {
    let mut home = Home::made_at(NOW);
    notes(&home);
    home.import("notes", Intent::Write);
    home.write("other/elsewhere.md", "A note of another folder about zebras.\n");
    home.import("other", Intent::Write);
    std::fs::rename(home.path("notes/zebra.md"), home.path("notes/Zebra renamed.md")).unwrap();
    home.write("notes/boat.md", "# Boat\n\nThe boat needs varnish.\n");
    let (known, report) = home.mirror("notes");
    assert_eq!((known, report.retracted), (4, 1));
    assert_eq!((report.tally.added, report.tally.replaced, report.tally.present), (0, 1, 2));
    assert!(!home.recalled("torn sails").iter().any(|uid| uid.contains("sails")));
    let zebras = home.recalled("zebra");
    assert!(zebras.iter().any(|uid| uid.starts_with("Zebra renamed.md")), "{zebras:?}");
    assert!(!zebras.iter().any(|uid| uid.starts_with("zebra.md")), "{zebras:?}");
    assert!(zebras.iter().any(|uid| uid.starts_with("elsewhere.md")), "{zebras:?}");
    // Again: nothing to do.
    let (_, again) = home.mirror("notes");
    assert_eq!((again.retracted, again.import), (0, None));
    // Renamed back: the note has an earlier version of that name, and is there once.
    std::fs::rename(home.path("notes/Zebra renamed.md"), home.path("notes/zebra.md")).unwrap();
    let (_, back) = home.mirror("notes");
    assert_eq!((back.retracted, back.tally.added, back.tally.replaced), (1, 0, 1));
    let zebras = home.recalled("zebra");
    assert!(zebras.iter().any(|uid| uid.starts_with("zebra.md")), "{zebras:?}");
    assert!(!zebras.iter().any(|uid| uid.starts_with("Zebra renamed.md")), "{zebras:?}");
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn an_event_that_a_calendar_no_longer_has_is_retracted_and_can_be_restored() {
    let mut home = Home::made_at(NOW);
    calendar(&home, &["one", "two", "three"]);
    home.import("c.ics", Intent::Write);
    calendar(&home, &["one", "three"]);
    let (_, report) = home.mirror("c.ics");
    assert_eq!(report.retracted, 1);
    let of = |home: &Home, state| {
        let all = Selection { source: Some("ical".to_owned()), ..Default::default() };
        home.space.select(&all, state).unwrap()
    };
    assert_eq!(of(&home, RecordState::Valid).len(), 2);
    let retracted = of(&home, RecordState::Retracted);
    let drafts = home.space.to_restore_all(&retracted, "").unwrap();
    home.space.act(drafts, Intent::Write, NOW).unwrap();
    assert_eq!(of(&home, RecordState::Valid).len(), 3);
}

#[test]
fn a_folder_of_calendars_is_mirrored_also_after_it_was_read_as_one_of_all_sorts() {
    let mut home = Home::made_at(NOW);
    calendar_at(&home, "calendars/work.ics", &["one", "two"]);
    calendar_at(&home, "calendars/home/club.ics", &["one", "three"]);
    home.write("calendars/read me.md", "Calendars of two sorts.\n");
    home.import("calendars", Intent::Write);
    std::fs::remove_file(home.path("calendars/read me.md")).unwrap();
    std::fs::remove_file(home.path("calendars/home/club.ics")).unwrap();
    calendar_at(&home, "calendars/work.ics", &["one"]);
    let (known, report) = home.mirror("calendars");
    // The note is of another format, which this mirror does not read.
    assert_eq!((known, report.retracted, report.tally.present), (4, 3, 1));
    let valid = |home: &Home, source: &str| {
        let all = Selection { source: Some(source.to_owned()), ..Default::default() };
        home.space.select(&all, RecordState::Valid).unwrap().len()
    };
    assert_eq!((valid(&home, "ical"), valid(&home, "markdown")), (1, 1));
    let (_, again) = home.mirror("calendars");
    assert_eq!((again.retracted, again.import), (0, None));
}

#[test]
fn nothing_is_retracted_after_problems_and_a_half_empty_source_is_drastic() {
    let mut home = Home::made_at(NOW);
    notes(&home);
    home.import("notes", Intent::Write);
    std::fs::remove_file(home.path("notes/zebra.md")).unwrap();
    std::fs::write(home.path("notes/third.md"), [0xff, 0xfe, 0x00, 0xd8, 0xff]).unwrap();
    let path = home.path("notes");
    let importer = importers::by_name("markdown").unwrap();
    let (report, plan) = home.space.plan_mirror(importer, &path, &context(), |_| {}).unwrap();
    assert!(report.problem_count > 0 && plan.gone.is_empty(), "{report:?}");
    std::fs::remove_file(home.path("notes/third.md")).unwrap();
    std::fs::remove_file(home.path("notes/boat.md")).unwrap();
    home.write("notes/new.md", "One new note.\n");
    let (_, plan) = home.space.plan_mirror(importer, &path, &context(), |_| {}).unwrap();
    assert!(plan.is_drastic() && plan.gone.len() == 4, "{plan:?}");
    let all = Selection { source: Some("markdown".to_owned()), ..Default::default() };
    let valid = home.space.select(&all, RecordState::Valid).unwrap();
    assert_eq!(valid.len(), 4, "a plan writes nothing");
}

#[test]
fn the_path_of_an_import_is_masked() {
    let mut home = Home::made_at(NOW);
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    home.write(&format!("{secret}/a.md"), "A note.\n");
    home.import(secret, Intent::Write);
    let body = &home.space.imports(1).unwrap()[0].body;
    assert!(!body.path.as_deref().unwrap().contains(secret), "{body:?}");
    assert!(Path::new(body.path.as_deref().unwrap()).components().count() > 1);
}
