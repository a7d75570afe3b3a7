//! Importing through the real importers, and through ones that fail.

use std::ops::ControlFlow;
use std::path::Path;

use engine::write::import::{Intent, Report};
use engine::{EngineError, Space};
use importers::{Context, ImportError, Importer, Match, Probe, Sink};

use crate::support::{Home, at, note, recalled};

fn context() -> Context {
    Context::new(at(10), jiff::tz::TimeZone::UTC)
}

fn import(space: &mut Space, path: &Path, intent: Intent) -> Result<Report, EngineError> {
    let importer = importers::detect(path).unwrap().expect("a format is recognised");
    space.import(importer, path, &context(), intent, |_| {})
}

fn samples(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/samples").join(name)
}

#[test]
fn the_samples_are_imported_once_and_found() {
    let mut home = Home::new();
    for name in ["chat.jsonl", "calendar.ics", "notes"] {
        let dry = import(&mut home.space, &samples(name), Intent::DryRun).unwrap();
        let first = import(&mut home.space, &samples(name), Intent::Write).unwrap();
        assert!(first.tally.added > 0 && !dry.preview.is_empty(), "{name}");
        assert_eq!(first.tally.total(), dry.tally.added, "{name}");
        let head = home.space.head().unwrap();
        let second = import(&mut home.space, &samples(name), Intent::Write).unwrap();
        assert_eq!((second.tally.added, second.tally.replaced), (0, 0), "{name}");
        assert_eq!(
            (second.tally.present, home.space.head().unwrap()),
            (first.tally.total(), head),
            "{name}"
        );
    }
    assert!(!recalled(&home.space, "kiln").is_empty());
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn a_changed_source_replaces_what_changed() {
    let mut home = Home::new();
    let path = home.path("note.md");
    std::fs::write(&path, "# Kitchen\n\nTomato soup on Monday.\n").unwrap();
    import(&mut home.space, &path, Intent::Write).unwrap();
    std::fs::write(&path, "# Kitchen\n\nLentil soup on Monday.\n").unwrap();
    let report = import(&mut home.space, &path, Intent::Write).unwrap();
    assert_eq!((report.tally.added, report.tally.replaced), (0, 1));
    assert_eq!(recalled(&home.space, "soup"), ["Kitchen\n\nLentil soup on Monday."]);
}

/// Sends records until it is stopped, or does what its variant says.
enum Odd {
    Endless,
    Panics,
    TooLarge,
    Fails,
}

impl Importer for Odd {
    fn name(&self) -> &'static str {
        "odd"
    }

    fn describe(&self) -> &'static str {
        "an importer of the tests"
    }

    fn detect(&self, _: &Probe<'_>) -> Match {
        Match::No
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let mut number = 0;
        let mut send = |sink: &mut dyn Sink, text: &str| {
            number += 1;
            sink.evidence(note(&number.to_string(), text))
        };
        match self {
            Self::Endless => while send(sink, "soup") == ControlFlow::Continue(()) {},
            Self::Panics => {
                for _ in 0..1_500 {
                    let _ = send(sink, "soup");
                }
                panic!("an importer of the tests stops here");
            }
            Self::TooLarge => {
                let _ = send(sink, "tomato soup");
                let _ = send(sink, &"soup ".repeat(300_000));
                let _ = send(sink, "lentil soup");
            }
            Self::Fails => {
                let _ = send(sink, "tomato soup");
                let reason = "it ends in the middle".to_owned();
                return Err(ImportError::Format { path: path.to_owned(), format: "odd", reason });
            }
        }
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_stops_the_reader_and_names_the_reason() {
    let home = Home::new();
    let mut ungranted = home.again(9);
    let head = home.space.head().unwrap();
    let failed = ungranted
        .import(&Odd::Endless, Path::new("x"), &context(), Intent::Write, |_| {})
        .unwrap_err();
    assert_eq!(failed.code(), "not_permitted");
    assert_eq!(home.space.head().unwrap(), head);
}

#[test]
fn an_importer_that_panics_is_reported_and_its_earlier_records_are_kept() {
    let mut home = Home::new();
    let failed =
        home.space.import(&Odd::Panics, Path::new("some.file"), &context(), Intent::Write, |_| {});
    let message = failed.unwrap_err().to_string();
    assert!(message.contains("some.file") && message.contains("odd"), "{message}");
    assert_eq!(home.space.head().unwrap().0, 1_002, "the complete batch, and the import");
    assert_eq!(home.space.imports(1).unwrap()[0].body.complete, Some(false));
    assert!(!recalled(&home.space, "soup").is_empty());
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn a_record_beyond_the_limit_is_reported_with_its_source_and_the_others_are_imported() {
    let mut home = Home::new();
    let report = home
        .space
        .import(&Odd::TooLarge, Path::new("x"), &context(), Intent::Write, |_| {})
        .unwrap();
    assert_eq!((report.tally.added, report.problem_count), (2, 1));
    assert_eq!(report.problems[0].file, Path::new("x"));
    assert_eq!(recalled(&home.space, "soup").len(), 2);
}

#[test]
fn records_read_before_a_truncated_end_are_kept() {
    let mut home = Home::new();
    let failed = home
        .space
        .import(&Odd::Fails, Path::new("x"), &context(), Intent::Write, |_| {})
        .unwrap_err();
    assert_eq!(failed.code(), "source_format");
    assert_eq!(recalled(&home.space, "soup"), ["tomato soup"]);
}
