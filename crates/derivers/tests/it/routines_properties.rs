//! Properties of all histories: no panics, no dependence on order, more support never lowers
//! confidence.

use std::collections::BTreeSet;

use derivers::places::Places;
use derivers::routines::Routines;
use derivers::{CANDIDATES_MAX, Candidate, Deriver, KEY_BYTES_MAX, Record};
use kernel::evidence::Evidence;
use kernel::when::When;
use proptest::prelude::*;

use crate::records::{derive, event, evidence, in_series, located, records_at};

/// A history of one title; most of it is regular enough to yield a claim.
fn history() -> impl Strategy<Value = Vec<Evidence>> {
    let minute = prop_oneof![4 => 415..425_i64, 1 => 0..1440_i64, 1 => 690..750_i64];
    let day = prop_oneof![3 => (0..30_i64).prop_map(|week| week * 7 + 1), 2 => (0..30_i64).prop_map(|week| week * 7 + 3), 1 => 0..300_i64];
    let record = (day, minute, 0..6_u8).prop_map(|(day, minute, form)| {
        let first = jiff::civil::date(2025, 1, 6);
        let date = first.checked_add(jiff::SignedDuration::from_hours(24 * day)).unwrap();
        let at = format!("{date}T{:02}:{:02}:00", minute / 60, minute % 60);
        let evidence = match form {
            0 => in_series("Gym", &at),
            1 => evidence("note", "Gym", &at),
            2 => evidence("note", "Gym", &date.to_string()),
            _ => event("Gym", &at),
        };
        let places = [(57.7175, 11.9631), (57.7180, 11.9640), (57.7189, 11.9625)];
        let position = places[usize::from(form) % 3];
        located(evidence, (form > 3).then_some("Hall"), Some(position))
    });
    prop::collection::vec(record, 0..50)
}

fn check_well_formed(deriver: &dyn Deriver, records: &[Record], candidates: &[Candidate]) {
    assert!(candidates.len() <= CANDIDATES_MAX);
    let ids: Vec<_> = records.iter().map(|record| record.id).collect();
    let times = records.iter().filter_map(|record| record.evidence()?.at.as_ref());
    let dates: BTreeSet<_> = times.map(When::date).collect();
    for candidate in candidates {
        assert!(
            deriver.claim_types().iter().any(|claim_type| claim_type.admits(&candidate.claim_type))
        );
        assert!(candidate.identity_key.starts_with(&format!("{}|", candidate.claim_type)));
        assert!(candidate.identity_key.len() <= KEY_BYTES_MAX);
        assert!(!candidate.inputs.is_empty() && candidate.inputs.len() <= 128);
        assert!(candidate.inputs.is_sorted());
        assert!(candidate.inputs.windows(2).all(|pair| pair[0].id != pair[1].id));
        assert!(candidate.inputs.iter().all(|input| ids.contains(&input.id)));
        let last_seen = &candidate.last_seen.as_ref().unwrap().at;
        let valid_from = candidate.valid_from.as_ref().unwrap();
        assert!(valid_from.instant_us() <= last_seen.instant_us());
        for date in [Some(valid_from), Some(last_seen), candidate.valid_to.as_ref()] {
            assert!(date.is_none_or(|date| dates.contains(&date.date())), "in no record: {date:?}");
        }
        assert!((0.02..=0.98).contains(&candidate.basis.confidence()));
    }
}

/// Removes each supporting record in turn: confidence never rises.
fn check_monotone(deriver: &dyn Deriver, records: &[Record]) {
    for candidate in derive(deriver, records) {
        for input in &candidate.inputs {
            let fewer: Vec<Record> =
                records.iter().filter(|record| record.id != input.id).cloned().collect();
            for other in derive(deriver, &fewer)
                .iter()
                .filter(|other| other.identity_key == candidate.identity_key)
            {
                let (before, after) = (candidate.basis.confidence(), other.basis.confidence());
                assert!(
                    after <= before,
                    "{}: {before} with it, {after} without {:?}",
                    candidate.identity_key,
                    input
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn candidates_are_well_formed_and_independent_of_the_order_of_records(history in history(), month in 1..10_u32) {
        let records = records_at(&format!("2025-{month:02}-15T00:00:00Z"), history);
        let mut reversed = records.clone();
        reversed.reverse();
        for deriver in derivers::builtin().iter().filter(|deriver| ["places", "routines"].contains(&deriver.name())) {
            let candidates = derive(deriver.as_ref(), &records);
            check_well_formed(deriver.as_ref(), &records, &candidates);
            prop_assert_eq!(&candidates, &derive(deriver.as_ref(), &reversed));
        }
    }

    #[test]
    fn removing_a_record_never_raises_confidence_in_a_routine(history in history()) {
        check_monotone(&Routines::default(), &records_at("2025-06-15T00:00:00Z", history));
    }

    #[test]
    fn removing_a_record_never_raises_confidence_in_a_place(history in history()) {
        check_monotone(&Places, &records_at("2025-06-15T00:00:00Z", history));
    }
}
