//! Every importer on any bytes: no panic, no endless loop, the same records each time.
//!
//! The first byte chooses the importer and the rest is the file, so that one corpus serves all. To
//! dwell on one of them: `BECAUSE_FUZZ_IMPORTER=ical cargo +nightly fuzz run import`, where every
//! byte is the file.

#![no_main]

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use importers::{Context, Importer, Match, PROBE_BYTES, Probe, Problem, Sink, registry};
use kernel::evidence::{Evidence, SUMMARY_CHARS_MAX};
use libfuzzer_sys::fuzz_target;

/// After this many records and problems an importer is told to stop, and must.
const ITEMS_MAX: usize = 10_000;

fuzz_target!(|bytes: &[u8]| {
    let Some((importer, content)) = choose(bytes) else { return };
    let mut file = tempfile::NamedTempFile::new().expect("the system has room for a file");
    file.write_all(content).expect("the system has room for a file");
    let head = content.get(..PROBE_BYTES).unwrap_or(content);
    let _: Match = importer.detect(&Probe { path: file.path(), is_dir: false, head });
    let first = run(importer, file.path());
    let second = run(importer, file.path());
    assert_eq!(first, second, "{} gives other records the second time", importer.name());
});

fn choose(bytes: &[u8]) -> Option<(&'static dyn Importer, &[u8])> {
    if let Ok(name) = std::env::var("BECAUSE_FUZZ_IMPORTER") {
        let importer = registry().iter().find(|importer| importer.name() == name);
        return Some((*importer.expect("the variable names an importer"), bytes));
    }
    let (first, content) = bytes.split_first()?;
    let index = usize::from(*first).checked_rem(registry().len())?;
    Some((*registry().get(index)?, content))
}

fn run(importer: &dyn Importer, path: &Path) -> Vec<Evidence> {
    // Near the times in the samples, so that what repeats does so before the horizon.
    let now = jiff::Timestamp::constant(1_750_000_000, 0);
    let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(-5));
    let context = Context::new(now, zone);
    let mut bounded = Bounded::default();
    // A file that is refused is as good an answer as any.
    let _ = importer.import(path, &context, &mut bounded);
    bounded.records
}

#[derive(Default)]
struct Bounded {
    records: Vec<Evidence>,
    items: usize,
}

impl Bounded {
    fn count(&mut self) -> ControlFlow<()> {
        assert!(self.items < ITEMS_MAX, "the importer goes on after it was told to stop");
        self.items += 1;
        if self.items == ITEMS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Sink for Bounded {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        assert!(!evidence.source_uid.is_empty(), "a record without identity");
        assert!(evidence.summary.chars().count() <= SUMMARY_CHARS_MAX, "a summary without end");
        self.records.push(evidence);
        self.count()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        assert!(!problem.message.is_empty(), "a problem that says nothing");
        self.count()
    }

    fn progress(&mut self, _bytes: u64) {}
}
