//! Hand-made records in the form that the importers produce.

use std::collections::BTreeMap;

use derivers::{Candidate, Deriver, Record, RecordBody};
use kernel::evidence::{Evidence, Location, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use kernel::when::When;

/// The default recording time: after everything that happens in these tests.
pub(crate) const RECORDED_LATE: &str = "2030-01-01T00:00:00Z";

/// Evidence of this kind with this title; `at` in any form.
pub(crate) fn evidence(kind: &str, title: &str, at: &str) -> Evidence {
    Evidence {
        source: if kind == "note" { "markdown" } else { "ical" }.to_owned(),
        source_uid: format!("{title}/{at}"),
        kind: kind.into(),
        actor: None,
        at: Some(When::parse(at).unwrap()),
        summary: title.to_owned(),
        visibility: Visibility::default(),
        payload: Payload {
            text: title.to_owned(),
            title: Some(title.to_owned()),
            ..Payload::default()
        },
    }
}

/// An event.
pub(crate) fn event(title: &str, at: &str) -> Evidence {
    evidence("event", title, at)
}

/// One occurrence of a recurring series.
pub(crate) fn in_series(title: &str, at: &str) -> Evidence {
    let mut evidence = event(title, at);
    evidence.payload.session = Some(title.to_owned());
    evidence.payload.more.insert("rrule".to_owned(), "FREQ=WEEKLY".into());
    evidence
}

/// The same evidence with a location.
pub(crate) fn located(
    mut evidence: Evidence,
    label: Option<&str>,
    position: Option<(f64, f64)>,
) -> Evidence {
    evidence.payload.location = Some(Location {
        label: label.map(str::to_owned),
        lat: position.map(|(lat, _)| lat),
        lon: position.map(|(_, lon)| lon),
    });
    evidence
}

/// `count` dates at this time of day, every `step` days from `first`.
pub(crate) fn every(step: i64, first: &str, time: &str, count: i64) -> Vec<String> {
    let first: jiff::civil::Date = first.parse().unwrap();
    let day = |number: i64| {
        first.checked_add(jiff::SignedDuration::from_hours(24 * step * number)).unwrap()
    };
    (0..count).map(|number| format!("{}{time}", day(number))).collect()
}

/// Records that were recorded when nothing in them was in the future.
pub(crate) fn records(evidence: impl IntoIterator<Item = Evidence>) -> Vec<Record> {
    records_at(RECORDED_LATE, evidence)
}

/// Records that were recorded at this time.
pub(crate) fn records_at(
    recorded: &str,
    evidence: impl IntoIterator<Item = Evidence>,
) -> Vec<Record> {
    let recorded_us = u64::try_from(When::parse(recorded).unwrap().instant_us()).unwrap();
    let record = |(number, evidence): (u32, Evidence)| {
        let mut id = [0; 32];
        id[..4].copy_from_slice(&number.to_be_bytes());
        Record {
            id: OpId(id),
            recorded_at: HlcTimestamp(recorded_us + u64::from(number)),
            signed_by: derivers::SignedBy::Owner,
            body: RecordBody::Evidence(Box::new(evidence)),
        }
    };
    (0..).zip(evidence).map(record).collect()
}

/// The candidates of all groups, in order of keys.
pub(crate) fn derive(deriver: &dyn Deriver, records: &[Record]) -> Vec<Candidate> {
    let mut groups: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in records {
        for group in deriver.groups(record) {
            groups.entry(group).or_default().push(record.clone());
        }
    }
    let mut candidates: Vec<Candidate> =
        groups.iter().flat_map(|(group, records)| deriver.derive(group, records)).collect();
    candidates.sort_by(|one, other| one.identity_key.cmp(&other.identity_key));
    candidates
}

/// The keys of candidates.
pub(crate) fn keys(candidates: &[Candidate]) -> Vec<&str> {
    candidates.iter().map(|candidate| candidate.identity_key.as_str()).collect()
}
