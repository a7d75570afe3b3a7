//! Two small derivers, one built upon the other.

use std::collections::BTreeSet;

use derivers::{Candidate, ClaimType, Deriver, Input, Record};
use engine::Space;
use engine::derive::Extent;
use engine::write::import::Intent;
use kernel::confidence::Basis;
use serde_json::{Value, json};

use crate::support::{Home, at};

/// Says that whoever wrote twice or more of a thing does it habitually.
pub(crate) struct Habits;

/// Says that a habit is liked.
pub(crate) struct Tastes;

impl Deriver for Habits {
    fn name(&self) -> &'static str {
        "habits"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "org.example.habit.weekly", prior: 0.5 }]
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let word = record.evidence().and_then(|evidence| evidence.payload.text.split(' ').next());
        word.map(str::to_owned).into_iter().collect()
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let times = records.len();
        if times < 2 {
            return Vec::new();
        }
        vec![Candidate {
            claim_type: "org.example.habit.weekly".to_owned(),
            identity_key: format!("org.example.habit.weekly|{group}"),
            text: format!("Goes to the {group} every week"),
            payload: json!({ "name": group }),
            inputs: records
                .iter()
                .map(|record| Input { id: record.id, role: "supporting" })
                .collect(),
            basis: Basis::new(0.5).with("occurrence_count", times as f64, 0.4 * times as f64),
            rationale: format!("{times} notes"),
            valid_from: None,
            valid_to: None,
            last_seen: None,
            tags: Vec::new(),
        }]
    }
}

impl Deriver for Tastes {
    fn name(&self) -> &'static str {
        "tastes"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "org.example.taste.sport", prior: 0.5 }]
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let habit =
            record.belief().filter(|belief| belief.claim_type == "org.example.habit.weekly");
        habit.map(|belief| belief.identity_key.clone()).into_iter().collect()
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let Some((record, belief)) =
            records.last().and_then(|record| Some((record, record.belief()?)))
        else {
            return Vec::new();
        };
        let place = group.rsplit('|').next().unwrap_or_default();
        let name = belief.payload.get("name").and_then(Value::as_str).unwrap_or_default();
        vec![Candidate {
            claim_type: "org.example.taste.sport".to_owned(),
            identity_key: format!("org.example.taste.sport|{place}"),
            text: format!("Likes the {name}"),
            payload: json!({ "likes": name }),
            inputs: vec![Input { id: record.id, role: "habit" }],
            basis: Basis::new(0.5).with("habit", belief.confidence, belief.confidence),
            rationale: "a habit is liked".to_owned(),
            valid_from: None,
            valid_to: None,
            last_seen: None,
            tags: Vec::new(),
        }]
    }
}

pub(crate) fn derive(space: &mut Space) {
    space.derive(Extent::Changed, Intent::Write, at(2), |_| {}).unwrap();
}

/// A space with six notes of the gym and what follows from them.
pub(crate) fn gym() -> Home {
    let mut home = Home::new();
    home.space.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    for number in 0..6 {
        home.remember(&format!("gym-{number}"), &format!("gym number {number}"));
    }
    derive(&mut home.space);
    home
}

pub(crate) const HABIT: &str = "org.example.habit.weekly|gym";
pub(crate) const TASTE: &str = "org.example.taste.sport|gym";
