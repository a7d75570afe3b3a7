//! Deriving and correcting again: a repeated claim or correction is neither a change nor a reason
//! for a review.

use std::collections::BTreeSet;

use derivers::{Candidate, ClaimType, Deriver, Record};
use engine::belief::user::Replacement;
use engine::derive::{Derived, Extent};
use engine::write::commit::Changes;
use engine::write::import::Intent;
use kernel::when::When;
use serde_json::json;

use crate::derive::{Home, candidate};

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

/// A home with a belief that all records support.
fn home() -> Home {
    let mut home = Home::new(vec![Box::new(Whole)]);
    home.remember("1", "home again");
    home.derive(Extent::Changed, Intent::Write);
    home
}

/// Derives everything again.
fn derive_again(home: &mut Home) -> (Derived, Changes) {
    let now = home.now();
    home.space.derive(Extent::Full, Intent::Write, now, |_| {}).unwrap()
}

impl Home {
    fn correct(&mut self, set: &str) -> Changes {
        let by = Replacement { set: vec![set.to_owned()], ..Replacement::default() };
        let drafts = self.space.to_correct(KEY, &by).unwrap();
        let now = self.now();
        self.space.act(drafts, Intent::Write, now).unwrap()
    }
}

#[test]
fn a_whole_number_written_with_a_decimal_point_equals_the_number_in_the_ledger() {
    let mut home = home();
    let (derived, _) = derive_again(&mut home);
    assert!(derived.changed_nothing(), "{derived:?}");
}

#[test]
fn a_full_derivation_reports_only_beliefs_that_changed() {
    let mut home = home();
    let (_, changes) = derive_again(&mut home);
    assert!(changes.beliefs.is_empty(), "{changes:?}");
}

#[test]
fn repeating_a_correction_changes_nothing() {
    let mut home = home();
    home.correct("label=Home");
    let changes = home.correct("label=Home");
    assert!(changes.beliefs.is_empty(), "{changes:?}");
}

#[test]
fn a_second_correction_needs_no_review_because_of_the_claim_under_the_first() {
    let mut home = home();
    assert_eq!(home.correct("label=Home").derived.reviews, 0);
    assert_eq!(home.correct("label=House").derived.reviews, 0);
    let (derived, _) = derive_again(&mut home);
    assert!(derived.changed_nothing(), "{derived:?}");
}

#[test]
fn a_field_that_a_correction_left_out_can_still_be_corrected() {
    let mut home = home();
    home.correct("{\"label\":\"Home\"}");
    home.correct("lat=49");
    let belief = home.space.believed(KEY).unwrap();
    assert_eq!(belief.payload, json!({ "label": "Home", "lat": 49 }));
}

#[test]
fn an_explanation_names_the_deriver_that_now_agrees_with_the_correction() {
    let mut home = home();
    home.correct("label=Home");
    assert_eq!(home.space.explain(KEY).unwrap().explanation.agreements, []);
    home.correct("label=home");
    let explained = home.space.explain(KEY).unwrap();
    let [agreement] = explained.explanation.agreements.as_slice() else {
        panic!("{explained:?}");
    };
    assert_eq!((agreement.deriver.name.as_str(), agreement.inputs), ("whole", 1));
}
