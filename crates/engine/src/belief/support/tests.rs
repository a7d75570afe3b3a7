use std::collections::BTreeSet;

use derivers::{Candidate, ClaimType, Input, RecordBody};
use kernel::confidence::Basis;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::operation::HlcTimestamp;
use serde_json::json;

use super::search::examine_within;
use super::*;

/// Says that somebody does something, the surer the more records say so; a record marked `key`
/// counts as much as five.
struct Counting;

impl Deriver for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "org.example.habit.any", prior: 0.5 }]
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        record.evidence().map(|evidence| evidence.source.clone()).into_iter().collect()
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let weight = |record: &Record| {
            if record.evidence().is_some_and(|evidence| evidence.payload.text == "key") {
                5.0
            } else {
                1.0
            }
        };
        let sum: f64 = records.iter().map(weight).sum();
        if sum < 2.0 {
            return Vec::new();
        }
        vec![Candidate {
            claim_type: "org.example.habit.any".to_owned(),
            identity_key: format!("org.example.habit.any|{group}"),
            text: String::new(),
            payload: json!({}),
            inputs: records
                .iter()
                .map(|record| Input { id: record.id, role: "supporting" })
                .collect(),
            basis: Basis::new(0.5).with("count", sum, 0.25 * sum),
            rationale: String::new(),
            valid_from: None,
            valid_to: None,
            last_seen: None,
            tags: Vec::new(),
        }]
    }
}

fn record(number: u32, text: &str) -> Record {
    let mut id = [0; 32];
    id[..4].copy_from_slice(&number.to_be_bytes());
    let evidence = Evidence {
        source: "walks".to_owned(),
        source_uid: number.to_string(),
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: String::new(),
        visibility: Visibility::Project,
        payload: Payload { text: text.to_owned(), ..Payload::default() },
    };
    Record {
        id: OpId(id),
        recorded_at: HlcTimestamp(u64::from(number)),
        signed_by: derivers::SignedBy::Owner,
        body: RecordBody::Evidence(Box::new(evidence)),
    }
}

fn records(texts: &[&str]) -> Vec<Record> {
    texts.iter().enumerate().map(|(number, text)| record(number as u32, text)).collect()
}

fn question<'a>(inputs: &'a [Record], band: Band) -> Question<'a> {
    Question { deriver: &Counting, key: "org.example.habit.any|walks", band, inputs }
}

#[test]
fn the_smallest_support_is_found_and_proven_where_all_parts_can_be_tried() {
    // Likely (0.70) needs log-odds of 0.85: a sum of at least 4.
    let inputs = records(&["a", "b", "key", "c", "d", "e"]);
    let search = examine(&question(&inputs, Band::Likely)).unwrap();
    assert_eq!((search.inputs, search.is_smallest, search.of), (vec![inputs[2].id], true, 6));
    let inputs = records(&["a"; 9]);
    let search = examine(&question(&inputs, Band::Likely)).unwrap();
    assert_eq!((search.inputs.len(), search.is_smallest, search.at_least), (4, true, 4));
    assert_eq!(search.necessary, Some(Vec::new()));
    let fewest = search.fewest.unwrap();
    assert_eq!(
        (fewest.inputs.len(), fewest.band, fewest.is_fewest),
        (6, Some(Band::Probable), true)
    );
}

#[test]
fn an_input_without_which_the_band_is_lost_is_named() {
    let inputs = records(&["a", "key", "b"]);
    let search = examine(&question(&inputs, Band::Likely)).unwrap();
    assert_eq!(search.necessary, Some(vec![inputs[1].id]));
    assert_eq!(search.fewest.unwrap().inputs, [inputs[1].id]);
    let inputs = records(&["a", "b"]);
    let search = examine(&question(&inputs, Band::Probable)).unwrap();
    assert_eq!((search.inputs.len(), search.is_smallest), (2, true));
    let fewest = search.fewest.unwrap();
    assert_eq!((fewest.inputs.len(), fewest.band), (1, None), "one walk does not make a habit");
}

#[test]
fn beyond_the_budget_a_small_support_is_found_and_not_called_the_smallest() {
    let mut inputs = records(&["a"; 600]);
    inputs[300] = record(300, "key");
    // Strong (0.90) needs log-odds of 2.2: a sum of 9.
    let search = examine(&question(&inputs, Band::Strong)).unwrap();
    assert!(!search.is_smallest && search.inputs.len() < 12, "{}", search.inputs.len());
    assert!(search.at_least >= 2 && search.at_least <= search.inputs.len());
    let fewest = search.fewest.unwrap();
    assert!(fewest.inputs.len() >= 592 && !fewest.is_fewest, "{}", fewest.inputs.len());
}

#[test]
fn any_budget_gives_a_support_that_suffices() {
    let inputs = records(&["a", "b", "c", "key", "d", "e", "f", "g", "h", "i", "j", "k"]);
    let question = question(&inputs, Band::Strong);
    for work in [0, 1, 12, 13, 20, 50, 100, 300, 1_000, 3_000, 10_000, 30_000] {
        let Some(search) = examine_within(&question, work) else {
            assert!(work < 13, "{work}");
            continue;
        };
        let part: Vec<Record> =
            inputs.iter().filter(|record| search.inputs.contains(&record.id)).cloned().collect();
        let claim = Counting.derive("walks", &part).pop().unwrap();
        assert!(Band::of(claim.basis.confidence()) >= Band::Strong, "{work}");
        assert_eq!(claim.basis.confidence(), search.confidence, "{work}");
        assert!(search.at_least <= part.len() && part.len() >= 5, "{work}");
        if search.is_smallest {
            assert_eq!(part.len(), 5, "{work}");
        }
        if let Some(fewest) = search.fewest {
            let rest: Vec<Record> = inputs
                .iter()
                .filter(|record| !fewest.inputs.contains(&record.id))
                .cloned()
                .collect();
            let claim = Counting
                .derive("walks", &rest)
                .pop()
                .map(|claim| Band::of(claim.basis.confidence()));
            assert_eq!(claim, fewest.band, "{work}");
            assert!(claim.is_none_or(|band| band < Band::Strong), "{work}");
        }
    }
}

#[test]
fn a_claim_that_the_deriver_does_not_repeat_has_no_support_and_a_panic_gives_none() {
    let inputs = records(&["a"; 3]);
    assert_eq!(examine(&question(&inputs, Band::Strong)), None);
    assert_eq!(examine(&Question { key: "another", ..question(&inputs, Band::Probable) }), None);
    assert_eq!(examine(&question(&[], Band::Speculative)), None);
    struct Panicking;
    impl Deriver for Panicking {
        fn name(&self) -> &'static str {
            "panicking"
        }
        fn version(&self) -> &'static str {
            "1.0.0"
        }
        fn claim_types(&self) -> &[ClaimType] {
            &[]
        }
        fn groups(&self, _: &Record) -> BTreeSet<String> {
            BTreeSet::from([String::new()])
        }
        fn derive(&self, _: &str, _: &[Record]) -> Vec<Candidate> {
            panic!("on purpose")
        }
    }
    assert_eq!(
        examine(&Question { deriver: &Panicking, ..question(&inputs, Band::Probable) }),
        None
    );
}
