//! The cost of derivation: over a large ledger, and after one more event.
//!
//! `cargo bench -p because --bench derive -- [EVENTS…]` (default 100000). Events are made by a
//! seeded generator: one title for every 200 events, most on two fixed days of the week, with a
//! place and two people each. The baseline is recording the same events without deriving anything.
//! Folding what was appended into the indexes, which a writer does before it finishes, has rows of
//! its own, so that the others can be compared with those of programs that left it to readers.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod shared;

use std::time::{Duration, Instant};

use engine::Space;
use engine::derive::Extent;
use engine::recall::episodes::Query;
use engine::recall::facts::FactQuery;
use engine::write::import::Intent;
use engine::write::record::Prepared;
use jiff::civil::date;
use jiff::{Timestamp, ToSpan};
use kernel::evidence::{Evidence, EvidenceKind, Location, Payload, Visibility};
use kernel::seal::Signer;
use kernel::when::When;

/// Events of one title.
const EVENTS_A_TITLE: usize = 200;
/// Single events measured.
const SINGLE: usize = 100;
/// Questions measured.
const RECALLS: usize = 200;
/// Records of a batch.
const BATCH: usize = 1_000;

fn main() {
    let Some(sizes) = shared::sizes(&[100_000]) else { return };
    for events in sizes {
        measure(events);
    }
}

fn measure(events: usize) {
    let folder = tempfile::tempdir().unwrap();
    let now: Timestamp = "2026-06-01T00:00:00Z".parse().unwrap();
    let mut space =
        Space::create(&folder.path().join("space.db"), Signer::from_seed([7; 32]), "bench", now)
            .unwrap();
    let titles = events.div_ceil(EVENTS_A_TITLE).max(1);
    let begun = Instant::now();
    let mut batch = Vec::with_capacity(BATCH);
    for number in 0..events {
        batch.push(Prepared::new(event(number / titles, number % titles).into()).unwrap());
        if batch.len() == BATCH || number + 1 == events {
            space.writer().record(std::mem::take(&mut batch), now).unwrap();
        }
    }
    let recorded = begun.elapsed();
    println!("\n{events} events of {titles} titles");
    println!("  recording them, nothing derived      {:>10}", seconds(recorded));
    let begun = Instant::now();
    let (derived, _) = space.writer().derive(Extent::Changed, Intent::Write, now, |_| {}).unwrap();
    let all = begun.elapsed();
    println!(
        "  deriving from all                    {:>10}   {} beliefs, {} groups, {} of recording",
        seconds(all),
        derived.added,
        derived.groups,
        format_args!("{:.2} ×", all.as_secs_f64() / recorded.as_secs_f64()),
    );
    assert_eq!(derived.problem_count, 0, "{:?}", derived.problems);
    println!("  both folded into the indexes         {:>10}", seconds(fold(&mut space)));
    let begun = Instant::now();
    let (again, _) = space.derive(Extent::Full, Intent::DryRun, now, |_| {}).unwrap();
    println!("  the same again, from scratch         {:>10}", seconds(begun.elapsed()));
    assert!(again.changed_nothing(), "{again:?}");
    recalls(&mut space, titles, now);
    let (mut told, mut concluded, mut folded) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..SINGLE {
        let title = number * 7 % titles;
        let begun = Instant::now();
        space.writer().remember(event(EVENTS_A_TITLE + number, title), now).unwrap();
        told.push(begun.elapsed());
        let begun = Instant::now();
        let (derived, _) =
            space.writer().derive(Extent::Changed, Intent::Write, now, |_| {}).unwrap();
        concluded.push(begun.elapsed());
        assert!(derived.groups > 0);
        folded.push(fold(&mut space));
    }
    for (what, times) in [
        ("one more event: recording", &mut told),
        ("… and the beliefs brought up to date", &mut concluded),
        ("… and both folded into the indexes", &mut folded),
    ] {
        let (median, worst) = (quantile(times, 0.5), quantile(times, 0.95));
        println!("  {what:<36} {:>10}   p95 {}", milliseconds(median), milliseconds(worst));
    }
}

/// Folds what was appended, as a writer does when it finishes.
fn fold(space: &mut Space) -> Duration {
    let begun = Instant::now();
    space.advance(|_| {}).unwrap();
    begun.elapsed()
}

/// Recall of facts beside recall of records, over the same space.
fn recalls(space: &mut Space, titles: usize, now: Timestamp) {
    let begun = Instant::now();
    space.recall_facts(&FactQuery::new("nothing", now)).unwrap();
    println!("  the first recall                     {:>10}", seconds(begun.elapsed()));
    let (mut records, mut facts) = (Vec::new(), Vec::new());
    for number in 0..RECALLS {
        let text =
            format!("When is title {} at place {}?", number * 7 % titles, number * 13 % 1_009);
        let query = Query::new(text.clone(), 10);
        let begun = Instant::now();
        space.recall(&query).unwrap();
        records.push(begun.elapsed());
        let query = FactQuery { limit: 3, ..FactQuery::new(text, now) };
        let begun = Instant::now();
        space.recall_facts(&query).unwrap();
        facts.push(begun.elapsed());
    }
    for (what, times) in [("records", &mut records), ("facts", &mut facts)] {
        let (median, worst) = (quantile(times, 0.5), quantile(times, 0.95));
        println!(
            "  recall of {what:<8} warm              {:>10}   p95 {}",
            milliseconds(median),
            milliseconds(worst)
        );
    }
}

/// The `week`-th half week's event of a title.
fn event(week: usize, title: usize) -> Evidence {
    let day = date(2024, 1, 1) + ((week / 2 * 7 + (title + week % 2 * 3) % 7) as i64).days();
    let time = day.at((7 + title % 12) as i8, (title % 4 * 15) as i8, 0, 0);
    let at = When::parse(&format!("{time}+01:00[Europe/Berlin]")).unwrap();
    let name = format!("Title {title}");
    Evidence {
        source: "ical".into(),
        source_uid: format!("{title}/{week}"),
        kind: EvidenceKind::from(EvidenceKind::EVENT),
        actor: None,
        at: Some(at),
        summary: name.clone(),
        visibility: Visibility::Project,
        payload: Payload {
            text: name.clone(),
            title: Some(name),
            participants: vec![
                format!("Person {}", title % 997),
                format!("Friend {}", (title + week) % 1_999),
            ],
            location: Some(Location {
                label: Some(format!("Place {}", title % 1_009)),
                lat: None,
                lon: None,
            }),
            ..Payload::default()
        },
    }
}

fn quantile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * share) as usize]
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
