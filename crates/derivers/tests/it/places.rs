//! Which places follow from which visits.

use derivers::Candidate;
use derivers::places::Places;
use kernel::evidence::Evidence;
use kernel::when::When;
use serde_json::json;

use crate::records::{derive, event, every, evidence, keys, located, records, records_at};
use crate::support::presumed_until;

fn at(label: &str, times: impl IntoIterator<Item = String>) -> Vec<Evidence> {
    times.into_iter().map(|at| located(event("Class", &at), Some(label), None)).collect()
}

fn photos(position: (f64, f64), times: impl IntoIterator<Item = String>) -> Vec<Evidence> {
    let photo = |at: String| {
        let mut photo = located(evidence("photo", "", &at), None, Some(position));
        photo.payload.title = None;
        photo.source = "photo".to_owned();
        photo
    };
    times.into_iter().map(photo).collect()
}

fn places(evidence: impl IntoIterator<Item = Evidence>) -> Vec<Candidate> {
    derive(&Places, &records(evidence))
}

fn place(evidence: impl IntoIterator<Item = Evidence>) -> Candidate {
    let mut places = places(evidence);
    assert_eq!(places.len(), 1, "{:?}", keys(&places));
    places.remove(0)
}

const STUDIO: &str = "Studio Majorna, Karl Johansgatan 41, Gothenburg";

#[test]
fn a_named_place_yields_a_claim_with_its_visits_and_hours() {
    let mut evidence = at(STUDIO, every(7, "2025-02-04", "T18:00:00", 6));
    for event in &mut evidence {
        event.payload.end = Some(
            When::parse(&event.at.as_ref().unwrap().as_str().replace("T18:00", "T20:30")).unwrap(),
        );
        event.payload.location.as_mut().unwrap().lat = Some(57.68914);
        event.payload.location.as_mut().unwrap().lon = Some(11.92031);
    }
    let studio = place(evidence);
    assert_eq!(studio.identity_key, "place.frequent|studio-majorna-karl-johansgatan-41-gothenburg");
    let payload = json!({
        "label": STUDIO, "lat": 57.6891, "lon": 11.9203, "visits": 6, "usual_hours": {"from": "18:00", "to": "21:00"},
    });
    assert_eq!(studio.payload, payload);
    assert_eq!(studio.text, format!("Often at {STUDIO}, usually 18:00–21:00"));
    assert_eq!(studio.rationale, "visits on 6 days in 6 weeks; most recent 2025-03-11");
    assert_eq!(studio.valid_from.as_ref().unwrap().as_str(), "2025-02-04");
    assert_eq!(presumed_until(&studio), "2025-04-23");
    assert!(studio.inputs.iter().all(|input| input.role == "visit"));
}

#[test]
fn several_photos_of_a_day_are_one_visit() {
    let once =
        photos((57.7175, 11.9631), (0..40).map(|minute| format!("2025-03-01T08:{minute:02}:00")));
    assert!(places(once.clone()).is_empty());
    let mut twice = once;
    twice.extend(photos((57.7175, 11.9631), ["2025-03-09T10:00:00".to_owned()]));
    let twice = place(twice);
    assert_eq!(twice.payload["visits"], json!(2));
    assert_eq!(twice.inputs.len(), 41);
    assert!(twice.basis.confidence() < 0.4);
}

#[test]
fn photos_on_both_sides_of_a_cells_border_are_one_place() {
    let times = || every(9, "2025-01-03", "T12:00:00", 5);
    for (one, other) in [
        ((57.7175, 11.9631), (57.7188, 11.9631)),
        ((10.0, 179.9999), (10.0, -179.9999)),
        ((89.9999, 10.0), (89.9999, 60.0)),
        ((-33.8651, 151.2093), (-33.8651, 151.2106)),
    ] {
        let mut evidence = photos(one, times());
        evidence.extend(photos(other, every(9, "2025-01-05", "T12:00:00", 4)));
        let place = place(evidence);
        assert_eq!(place.payload["visits"], json!(9), "{one:?}");
    }
    let mut apart = photos((57.7175, 11.9631), times());
    apart.extend(photos((57.7275, 11.9631), times()));
    assert_eq!(places(apart).len(), 2);
}

#[test]
fn a_place_without_a_name_is_identified_by_its_cell() {
    let place = place(photos((-33.8651, 151.2093), every(9, "2025-01-03", "T12:00:00Z", 5)));
    assert_eq!(place.payload["label"], json!("33.865 S, 151.210 E"));
    assert_eq!(place.identity_key, "place.frequent|33-865-s-151-210-e");
    assert_eq!(place.payload.get("usual_hours"), None, "the clock there is not known");
    assert_eq!(place.text, "Often near 33.865 S, 151.210 E");
}

#[test]
fn calls_links_cancellations_and_undated_records_are_not_visits() {
    let times = || every(7, "2025-02-04", "T18:00:00", 6);
    for label in [
        "Zoom",
        "https://meet.example/abc",
        "phone",
        "tbd",
        "Online",
        "Microsoft Teams Meeting",
        "…",
        " ",
    ] {
        assert!(places(at(label, times())).is_empty(), "{label}");
    }
    for kind in ["cancellation", "task", "turn", "mail"] {
        let evidence = times()
            .into_iter()
            .map(|at| located(evidence(kind, "Class", &at), Some("Studio"), None));
        assert!(places(evidence).is_empty(), "{kind}");
    }
    for position in [(f64::NAN, 0.0), (0.0, 0.0), (91.0, 0.0), (0.0, 181.0), (f64::INFINITY, 1.0)] {
        assert!(places(photos(position, times())).is_empty(), "{position:?}");
    }
    let undated = times().into_iter().map(|at| {
        let mut event = located(event("Class", &at), Some("Studio"), None);
        event.at = None;
        event
    });
    assert!(places(undated).is_empty());
}

#[test]
fn weeks_count_for_more_than_days_and_plans_for_less() {
    let holiday = place(at("Lisbon", every(1, "2025-06-02", "", 6))).basis.confidence();
    let weekly = place(at("Lisbon", every(7, "2025-06-02", "", 6))).basis.confidence();
    assert!(holiday < weekly && holiday < 0.4, "{holiday} {weekly}");
    let half = derive(
        &Places,
        &records_at("2025-06-18T00:00:00Z", at("Lisbon", every(7, "2025-06-02", "", 6))),
    );
    assert_eq!(half[0].payload["visits"], json!(3));
    assert!(half[0].basis.confidence() < weekly);
    assert_eq!(
        half[0].rationale,
        "visits on 3 days in 3 weeks; 3 more planned; most recent 2025-06-16"
    );
    let ahead = derive(
        &Places,
        &records_at("2025-06-01T00:00:00Z", at("Lisbon", every(7, "2025-06-02", "", 6))),
    );
    assert!(ahead.is_empty());
}

#[test]
fn spellings_with_one_slug_are_one_place_and_other_sources_corroborate() {
    let mut evidence = at("Café Nova", every(7, "2025-02-04", "T09:00:00", 3));
    let alone = place(evidence.clone()).basis.confidence();
    let photo = located(
        photos((57.7, 11.9), ["2025-02-25T09:10:00".to_owned()]).remove(0),
        Some("café  nova!"),
        Some((57.7, 11.9)),
    );
    evidence.push(photo);
    let place = place(evidence);
    assert_eq!(place.identity_key, "place.frequent|café-nova");
    assert_eq!(place.payload["label"], json!("Café Nova"));
    assert_eq!(place.payload["lat"], json!(57.7));
    assert!(place.basis.confidence() > alone);
}

#[test]
fn a_place_that_was_left_long_ago_and_visited_again_counts_from_the_return() {
    let mut evidence = at("Office", every(7, "2023-01-02", "T09:00:00", 20));
    evidence.extend(at("Office", every(7, "2025-01-06", "T09:00:00", 5)));
    let office = place(evidence);
    assert_eq!(office.valid_from.unwrap().as_str(), "2025-01-06");
    assert!(
        office.rationale.contains("in 2 periods, the latest since 2025-01-06"),
        "{}",
        office.rationale
    );
}

#[test]
fn a_place_of_many_years_is_since_the_first_visit_after_the_last_long_pause() {
    let mut evidence = at("Office", every(7, "2010-01-04", "T09:00:00", 20));
    evidence.extend(at("Office", every(1, "2020-01-06", "T09:00:00", 700)));
    let first = records(evidence.clone())[20].id;
    let office = place(evidence);
    assert_eq!(office.valid_from.as_ref().unwrap().as_str(), "2020-01-06");
    assert_eq!(office.payload["visits"], json!(720));
    assert_eq!(office.inputs.len(), 128);
    assert!(office.inputs.iter().any(|input| input.id == first));
    assert!(
        office.rationale.starts_with("visits on the latest 128 days in"),
        "{}",
        office.rationale
    );
}

#[test]
fn an_album_with_scattered_pictures_is_not_a_place() {
    let album = |step: f64| {
        let days = every(7, "2025-02-04", "T12:00:00", 10);
        days.into_iter().enumerate().map(move |(number, at)| {
            let east = 10.0 + step * number as f64;
            located(evidence("photo", "", &at), Some("WhatsApp Images"), Some((48.0, east)))
        })
    };
    assert!(places(album(3.0)).is_empty());
    assert_eq!(place(album(0.05)).identity_key, "place.frequent|whatsapp-images");
}

#[test]
fn a_place_of_a_long_series_is_since_its_beginning_though_only_its_end_was_looked_at() {
    let series = |began: &str| {
        let mut visits = at(STUDIO, every(7, "2025-01-07", "T18:00:00", 140));
        let rule = json!({"dtstart": began, "rrule": [{"rule": "FREQ=WEEKLY"}]});
        visits[0].payload.more.insert("series".to_owned(), rule);
        let mut records = records(visits);
        let id = records[0].id;
        records.iter_mut().for_each(|record| record.id = id);
        derive(&Places, &records).remove(0).valid_from.unwrap().as_str().to_owned()
    };
    assert_eq!(series("20100907T180000"), "2010-09-07");
    assert_eq!(series("20250107T180000"), "2025-01-07");
}
