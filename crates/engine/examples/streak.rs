//! A deriver of another party, from the trait to the explanation: `cargo run -p because-engine
//! --example streak`.
//!
//! It claims runs of days on which someone noted that they went running. What a deriver needs: a
//! name and claim types that begin with a reverse domain name, groups that follow from a record
//! alone, and a pure function from a group's records to candidates. Order, refutations,
//! corrections, versions, falling and rising again are the engine's business.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::{BTreeMap, BTreeSet};

use derivers::{Candidate, ClaimType, Deriver, Input, Record};
use engine::Space;
use engine::derive::Extent;
use engine::write::import::Intent;
use kernel::body::LastSeen;
use kernel::confidence::{Basis, saturating};
use kernel::evidence::{Evidence, Payload, Visibility};
use kernel::id::OpId;
use kernel::seal::Signer;
use kernel::when::When;
use serde_json::json;

/// Shorter runs do not count as a streak.
const DAYS_MIN: usize = 3;
/// How often two noted days in a row turn out to be a habit of running daily: a guess, as long as
/// nobody has labelled any.
const PRIOR: f64 = 0.2;

struct Streaks;

impl Deriver for Streaks {
    fn name(&self) -> &'static str {
        "com.example.fitness"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "com.example.fitness.streak", prior: PRIOR }]
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let runs = record
            .evidence()
            .is_some_and(|note| note.payload.text.starts_with("Ran ") && note.at.is_some());
        runs.then(|| "running".to_owned()).into_iter().collect()
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        // Two notes of a day are one day; the first one told stands for it.
        let mut days: BTreeMap<jiff::civil::Date, OpId> = BTreeMap::new();
        for record in records {
            if let Some(at) = record.evidence().and_then(|note| note.at.as_ref()) {
                days.entry(at.date()).or_insert(record.id);
            }
        }
        let mut streak: Vec<(jiff::civil::Date, OpId)> = Vec::new();
        for (day, id) in days {
            if streak.last().is_some_and(|(last, _)| last.tomorrow().ok() != Some(day)) {
                streak.clear();
            }
            streak.push((day, id));
        }
        let (Some((first, _)), Some((last, _))) = (streak.first(), streak.last()) else {
            return Vec::new();
        };
        if streak.len() < DAYS_MIN {
            return Vec::new();
        }
        let days = streak.len() as f64;
        vec![Candidate {
            claim_type: "com.example.fitness.streak".to_owned(),
            identity_key: format!("com.example.fitness.streak|{group}"),
            text: format!("You have been running for {days} days in a row"),
            payload: json!({ "activity": group, "days": streak.len() }),
            inputs: streak.iter().map(|(_, id)| Input { id: *id, role: "day" }).collect(),
            basis: Basis::new(PRIOR).with("days", days, saturating(3.0, 0.3, days)),
            rationale: format!("{days} noted days without a gap, {first} to {last}"),
            valid_from: Some(When::from_date(*first)),
            valid_to: None,
            // It is over unless the day after the last one is noted as well.
            last_seen: Some(LastSeen { at: When::from_date(*last), grace_days: 2 }),
            tags: Vec::new(),
        }]
    }
}

fn note(day: i8) -> Result<Evidence, Box<dyn std::error::Error>> {
    let text = format!("Ran {day} km along the river");
    Ok(Evidence {
        source: "example".to_owned(),
        source_uid: day.to_string(),
        kind: "note".into(),
        actor: None,
        at: Some(When::parse(&format!("2026-05-{day:02}"))?),
        summary: text.clone(),
        visibility: Visibility::Private,
        payload: Payload { text, ..Payload::default() },
    })
}

fn tell(
    space: &mut Space,
    days: std::ops::RangeInclusive<i8>,
) -> Result<(), Box<dyn std::error::Error>> {
    let now = jiff::Timestamp::from_second(1_780_000_000)?;
    for day in days {
        space.remember(note(day)?, now)?;
    }
    let (_, changes) = space.derive(Extent::Changed, Intent::Write, now, |_| {})?;
    for change in changes.beliefs.values() {
        println!("{} ({:.2})", change.after.text, change.after.confidence);
        println!("  because {}", change.after.rationale);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let begun = jiff::Timestamp::from_second(1_779_000_000)?;
    let mut space: Space = Space::create_in_memory(Signer::from_seed([1; 32]), "example", begun)?;
    // Beside the built-in ones, or instead of them.
    let mut derivers = derivers::builtin();
    derivers.push(Box::new(Streaks));
    space.set_derivers(derivers);
    tell(&mut space, 1..=4)?;
    tell(&mut space, 5..=9)?;
    let streak = space.beliefs()?;
    assert_eq!(streak.len(), 1, "one identity, two versions");
    Ok(())
}
