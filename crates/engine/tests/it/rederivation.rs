//! Deriving and correcting again: a repeated claim or correction is neither a change nor a reason
//! for a review.

use std::collections::BTreeSet;

use derivers::{Candidate, ClaimType, Deriver, Record};
use engine::Space;
use engine::belief::user::Replacement;
use engine::derive::{Derived, Extent};
use engine::write::commit::Changes;
use engine::write::import::Intent;
use kernel::seal::Signer;
use kernel::when::When;
use serde_json::json;

use crate::derive::{candidate, note};

/// Claims one place of all records, on a whole degree.
struct Whole;

impl Deriver for Whole {
    fn name(&self) -> &'static str {
        "whole"
    }
    fn version(&self) -> &'static str {
        "1.0.0"
    }
    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "org.example.place", prior: 0.3 }]
    }
    fn groups(&self, record: &Record) -> BTreeSet<String> {
        record.evidence().map(|_| "home".to_owned()).into_iter().collect()
    }
    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let valid_to = When::parse("2025-05-06").unwrap();
        let payload = json!({ "label": "home", "lat": 48.0 });
        vec![Candidate {
            valid_to: Some(valid_to),
            ..candidate("org.example.place", group, payload, records, 0.4)
        }]
    }
}

const KEY: &str = "org.example.place|home";

struct Home {
    space: Space,
    second: i64,
}

impl Home {
    fn new() -> Self {
        let start = jiff::Timestamp::from_second(1_760_000_000).unwrap();
        let mut space = Space::create_in_memory(Signer::from_seed([7; 32]), "test", start).unwrap();
        space.set_derivers(vec![Box::new(Whole)]);
        let mut home = Self { space, second: 1_760_000_000 };
        let now = home.now();
        home.space.remember(note("1", "home again"), now).unwrap();
        home.derive(Extent::Changed);
        home
    }

    fn now(&mut self) -> jiff::Timestamp {
        self.second += 1;
        jiff::Timestamp::from_second(self.second).unwrap()
    }

    fn derive(&mut self, extent: Extent) -> (Derived, Changes) {
        let now = self.now();
        self.space.derive(extent, Intent::Write, now, |_| {}).unwrap()
    }

    fn correct(&mut self, set: &str) -> Changes {
        let by = Replacement { set: vec![set.to_owned()], ..Replacement::default() };
        let drafts = self.space.to_correct(KEY, &by).unwrap();
        let now = self.now();
        self.space.act(drafts, Intent::Write, now).unwrap()
    }
}

#[test]
fn a_whole_number_written_with_a_decimal_point_equals_the_number_in_the_ledger() {
    let mut home = Home::new();
    let (derived, _) = home.derive(Extent::Full);
    assert!(derived.changed_nothing(), "{derived:?}");
}

#[test]
fn a_full_derivation_reports_only_beliefs_that_changed() {
    let mut home = Home::new();
    let (_, changes) = home.derive(Extent::Full);
    assert!(changes.beliefs.is_empty(), "{changes:?}");
}

#[test]
fn repeating_a_correction_changes_nothing() {
    let mut home = Home::new();
    home.correct("label=Home");
    let changes = home.correct("label=Home");
    assert!(changes.beliefs.is_empty(), "{changes:?}");
}

#[test]
fn a_second_correction_needs_no_review_because_of_the_claim_under_the_first() {
    let mut home = Home::new();
    assert_eq!(home.correct("label=Home").derived.reviews, 0);
    assert_eq!(home.correct("label=House").derived.reviews, 0);
    let (derived, _) = home.derive(Extent::Full);
    assert!(derived.changed_nothing(), "{derived:?}");
}

#[test]
fn a_field_that_a_correction_left_out_can_still_be_corrected() {
    let mut home = Home::new();
    home.correct("{\"label\":\"Home\"}");
    home.correct("lat=49");
    let belief = home.space.believed(KEY).unwrap();
    assert_eq!(belief.payload, json!({ "label": "Home", "lat": 49 }));
}

#[test]
fn an_explanation_names_the_deriver_that_now_agrees_with_the_correction() {
    let mut home = Home::new();
    home.correct("label=Home");
    assert_eq!(home.space.explain(KEY).unwrap().explanation.agreements, []);
    home.correct("label=home");
    let explained = home.space.explain(KEY).unwrap();
    let [agreement] = explained.explanation.agreements.as_slice() else {
        panic!("{explained:?}");
    };
    assert_eq!((agreement.deriver.name.as_str(), agreement.inputs), ("whole", 1));
}
