//! The deriver `relationships`: whom the owner is in contact with, and what people are to them.
//!
//! One group a person, named by the slug of the name. [`met`] reads who takes part in events,
//! conversations, mails, notes and photographs, [`contact`] says what that amounts to, and
//! [`stated`] reads what the owner says of people. The identity keys, priors and curves are in
//! `docs/derivers.md`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use kernel::confidence::{Basis, saturating};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use kernel::when::When;
use serde_json::json;

use crate::statements::own_words;
use crate::{Candidate, ClaimType, Deriver, GROUPS_MAX, Input, Record};

mod contact;
mod kinds;
mod met;
mod stated;

pub(crate) use contact::counted;
use contact::{Contact, INPUTS_MAX};
use met::{Names, named};
use stated::{Statement, statements};

/// Whether a word names what people are to each other.
pub(crate) fn is_kind(word: &str) -> bool {
    kinds::kind(word).is_some()
}

/// How often it is true that somebody is what the owner seems to call them.
const STATED_PRIOR: f64 = 0.50;
/// "Ana is my sister" can hardly be misread; "my sister Ana" can.
const OUTRIGHT: f64 = 2.8;
const IN_PASSING: f64 = 2.5;
/// Said again.
const REPEATED: (f64, f64) = (1.0, 0.6);
/// Said on other days.
const DAYS: (f64, f64) = (0.6, 0.5);
/// Said in other sources.
const SOURCES: (f64, f64) = (0.5, 0.7);
/// Denied before it was said again.
const DENIED: (f64, f64) = (-2.0, 0.7);

/// The deriver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Relationships;

impl Deriver for Relationships {
    fn name(&self) -> &'static str {
        "relationships"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn claim_types(&self) -> &[ClaimType] {
        &[
            ClaimType { name: "relationship.contact", prior: contact::PRIOR },
            ClaimType { name: "relationship.*", prior: STATED_PRIOR },
        ]
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let Some(evidence) = record.evidence() else { return BTreeSet::new() };
        let spoken = own_words(record).map(statements).unwrap_or_default();
        let named = named(evidence, &mut Names::default());
        let stated = spoken.into_iter().map(|statement| statement.person.slug);
        let groups = stated.chain(named.owners).chain(named.met.into_keys()).chain(named.linked);
        let mut kept = BTreeSet::new();
        for group in groups {
            if kept.len() < GROUPS_MAX {
                kept.insert(group);
            }
        }
        kept
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let mut names = Names::default();
        let mut contact = Contact::default();
        let mut stated: BTreeMap<&'static str, Vec<Said>> = BTreeMap::new();
        for record in in_time(records) {
            let Some(evidence) = record.evidence() else { continue };
            let at = evidence.at.as_ref();
            contact.add(group, record, at, named(evidence, &mut names));
            let spoken = own_words(record).map(statements).unwrap_or_default();
            for statement in spoken.into_iter().filter(|statement| statement.person.slug == group) {
                let said = Said {
                    id: record.id,
                    day: at.map(When::date),
                    source: evidence.source.clone(),
                    statement,
                };
                stated.entry(said.statement.kind).or_default().push(said);
            }
        }
        let of_kinds = stated.into_iter().filter_map(|(kind, said)| of_kind(group, kind, &said));
        contact.candidate(group).into_iter().chain(of_kinds).collect()
    }
}

/// A statement and where it was made.
struct Said {
    id: OpId,
    day: Option<Date>,
    source: String,
    statement: Statement,
}

/// The records in the order of their own times; without one, of when they were told.
pub(crate) fn in_time(records: &[Record]) -> Vec<&Record> {
    let mut ordered: Vec<(i64, (HlcTimestamp, OpId), &Record)> = records
        .iter()
        .map(|record| {
            let at =
                record.evidence().and_then(|evidence| evidence.at.as_ref()).map(When::instant_us);
            (
                at.unwrap_or_else(|| i64::try_from(record.told.0).unwrap_or(i64::MAX)),
                record.order(),
                record,
            )
        })
        .collect();
    ordered.sort_by_key(|(at, order, _)| (*at, *order));
    ordered.into_iter().map(|(_, _, record)| record).collect()
}

/// What follows from everything said of one person and one kind, in the order of time: the last
/// word counts.
fn of_kind(slug: &str, kind: &'static str, said: &[Said]) -> Option<Candidate> {
    if said.last()?.statement.is_denial {
        return None;
    }
    let affirmed: Vec<&Said> = said.iter().filter(|said| !said.statement.is_denial).collect();
    let denied = said.len() - affirmed.len();
    let records: BTreeSet<OpId> = affirmed.iter().map(|said| said.id).collect();
    let days: BTreeSet<Date> = affirmed.iter().filter_map(|said| said.day).collect();
    let sources: BTreeSet<&str> = affirmed.iter().map(|said| said.source.as_str()).collect();
    let is_outright = affirmed.iter().any(|said| said.statement.is_outright);
    let name = affirmed.iter().map(|said| said.statement.person.name.as_str()).min()?;
    let curve = |(most, rate): (f64, f64), count: usize| {
        saturating(most, rate, count.saturating_sub(1) as f64)
    };
    let mut basis = Basis::new(STATED_PRIOR)
        .with(
            "explicitness",
            f64::from(u8::from(is_outright)),
            if is_outright { OUTRIGHT } else { IN_PASSING },
        )
        .with("statements", records.len() as f64, curve(REPEATED, records.len()))
        .with("distinct_days", days.len() as f64, curve(DAYS, days.len()))
        .with("sources", sources.len() as f64, curve(SOURCES, sources.len()));
    let mut rationale = format!("Said by the owner in {}", counted(records.len(), "record"));
    if days.len() > 1 {
        rationale.push_str(&format!(" on {}", counted(days.len(), "day")));
    }
    if denied > 0 {
        basis = basis.with("denials", denied as f64, saturating(DENIED.0, DENIED.1, denied as f64));
        rationale.push_str(&format!("; denied {} before", counted(denied, "time")));
    }
    rationale.push('.');
    let mut inputs: Vec<Input> = Vec::new();
    for said in affirmed.iter().rev() {
        let input = Input { id: said.id, role: "statement" };
        if inputs.len() < INPUTS_MAX && !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    inputs.sort();
    Some(Candidate {
        claim_type: format!("relationship.{kind}"),
        identity_key: format!("relationship.{kind}|{slug}"),
        text: format!("{name} is your {}", kinds::in_words(kind)),
        payload: json!({ "name": name, "kind": kind }),
        inputs,
        basis,
        rationale,
        valid_from: days.first().copied().map(When::from_date),
        valid_to: None,
        tags: Vec::new(),
    })
}
