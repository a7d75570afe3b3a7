//! The deriver `relationships`: who the owner is in contact with, and how people are related to
//! them.
//!
//! There is one group per person, named by the slug of the name, and one per kind of whom people
//! have one at a time ([`successors`]). [`people`] reads the people in
//! events, conversations, mails, notes and photographs, [`contact`] turns them into claims, and
//! [`stated`] reads the owner's statements about people. The identity keys, priors and curves are
//! in `docs/derivers.md`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use kernel::confidence::{Basis, saturating};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use kernel::when::When;
use serde_json::json;

use crate::owner::Owner;
use crate::statements::{Mention, OwnWords, own_words};
use crate::{CANDIDATES_MAX, Candidate, ClaimType, Deriver, GROUPS_MAX, Input, Record};

mod contact;
mod followers;
mod introduced;
mod kinds;
mod parted;
mod people;
mod stated;
mod successors;

pub(crate) use contact::counted;
use contact::{Contact, INPUTS_MAX};
use people::{Names, named_people};
pub(crate) use stated::{NOT_NAMES, PARTICLES};
use stated::{Statement, statements};
use successors::{Ends, changes};

/// Whether a word names a kind of relationship.
pub fn is_kind(word: &str) -> bool {
    kinds::kind(word).is_some()
}

/// Base rate: how often a statement that looks like this one is true.
const STATED_PRIOR: f64 = 0.50;
/// "Ana is my sister" can hardly be misread; "my sister Ana" can.
const OUTRIGHT: f64 = 2.8;
const IN_PASSING: f64 = 2.5;
/// Stated again.
const REPEATED: (f64, f64) = (1.0, 0.6);
/// Stated on other days.
const DAYS: (f64, f64) = (0.6, 0.5);
/// Stated in other sources.
const SOURCES: (f64, f64) = (0.5, 0.7);
/// Denied before it was stated again.
const DENIED: (f64, f64) = (-2.0, 0.7);

/// The deriver.
#[derive(Clone, Debug, Default)]
pub struct Relationships {
    owner: Owner,
}

impl Relationships {
    /// The deriver for an owner who said who they are.
    pub fn of(owner: Owner) -> Self {
        Self { owner }
    }
}

/// Whether the deriver concludes something from these words of the owner.
pub(crate) fn concludes_from(words: OwnWords<'_>) -> bool {
    !statements(words).is_empty()
}

impl Deriver for Relationships {
    fn name(&self) -> &'static str {
        "relationships"
    }

    fn version(&self) -> &'static str {
        "1.12.0"
    }

    fn parameters(&self) -> String {
        self.owner.parameters()
    }

    fn claim_types(&self) -> &[ClaimType] {
        &[
            ClaimType { name: "relationship.contact", prior: contact::PRIOR },
            ClaimType { name: "relationship.*", prior: STATED_PRIOR },
        ]
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let Some(evidence) = record.evidence() else { return BTreeSet::new() };
        let own_statements = own_words(record, &self.owner).map(statements).unwrap_or_default();
        let named = named_people(evidence, &mut Names::of(&self.owner));
        let changed = own_words(record, &self.owner).map(changes).unwrap_or_default();
        let of_kinds = changed.into_iter().filter_map(successors::group_of);
        let stated = own_statements
            .into_iter()
            .map(|statement| successors::group_of(statement.kind).unwrap_or(statement.person.slug));
        let stated = stated.chain(of_kinds);
        let groups =
            stated.chain(named.owners).chain(named.contacts.into_keys()).chain(named.linked);
        let groups = groups.chain(named.mailed);
        let mut kept = BTreeSet::new();
        for group in groups {
            if kept.len() < GROUPS_MAX {
                kept.insert(group);
            }
        }
        kept
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        if let Some(kind) = successors::kind_of(group) {
            return self.succeeding(kind, records);
        }
        let mut names = Names::of(&self.owner);
        let mut contact = Contact::default();
        let mut stated: BTreeMap<&'static str, Vec<Mention<Statement>>> = BTreeMap::new();
        for record in by_event_time(records) {
            let Some(evidence) = record.evidence() else { continue };
            contact.add(group, record, evidence.at.as_ref(), named_people(evidence, &mut names));
            for mention in self.mentions(record) {
                let Statement { kind, person, .. } = &mention.statement;
                if person.slug == group && !kinds::is_succeeded(kind) {
                    stated.entry(kind).or_default().push(mention);
                }
            }
        }
        let stated_candidates = stated
            .into_iter()
            .filter_map(|(kind, mentions)| kind_candidate(group, kind, &mentions, None));
        contact.candidate(group).into_iter().chain(stated_candidates).collect()
    }
}

impl Relationships {
    /// What the owner states of people in a record.
    fn mentions(&self, record: &Record) -> Vec<Mention<Statement>> {
        let Some(evidence) = record.evidence() else { return Vec::new() };
        let own_statements = own_words(record, &self.owner).map(statements).unwrap_or_default();
        let mention = |statement| Mention {
            id: record.id,
            day: evidence.at.as_ref().map(When::date),
            source: evidence.source.clone(),
            statement,
        };
        own_statements.into_iter().map(mention).collect()
    }

    /// The people of a kind of whom one takes the place of another.
    fn succeeding(&self, kind: &str, records: &[Record]) -> Vec<Candidate> {
        let mut ends = Ends::default();
        let mut stated: BTreeMap<String, (usize, Vec<Mention<Statement>>)> = BTreeMap::new();
        for (place, record) in by_event_time(records).into_iter().enumerate() {
            let day = record.evidence().and_then(|evidence| evidence.at.as_ref()).map(When::date);
            let changed = own_words(record, &self.owner).map(changes).unwrap_or_default();
            if changed.contains(&kind) {
                ends.change(place, day);
            }
            for mention in self.mentions(record) {
                if mention.statement.kind == kind {
                    ends.read(place, &mention);
                    let of_person = stated.entry(mention.statement.person.slug.clone());
                    let (last, mentions) = of_person.or_default();
                    *last = place;
                    mentions.push(mention);
                }
            }
        }
        let candidate = |(slug, (last, mentions)): (String, (usize, Vec<Mention<Statement>>))| {
            let kind = mentions.first()?.statement.kind;
            match ends.after(last, &slug) {
                // Without a day, nobody can say until when it was so.
                Some(None) => None,
                Some(day) => kind_candidate(&slug, kind, &mentions, day),
                None => kind_candidate(&slug, kind, &mentions, None),
            }
        };
        stated.into_iter().filter_map(candidate).take(CANDIDATES_MAX).collect()
    }
}

/// The records in the order of their own times; a record without one counts from when it was
/// recorded.
pub(crate) fn by_event_time(records: &[Record]) -> Vec<&Record> {
    let mut ordered: Vec<(i64, (HlcTimestamp, OpId), &Record)> = records
        .iter()
        .map(|record| {
            let at =
                record.evidence().and_then(|evidence| evidence.at.as_ref()).map(When::instant_us);
            (
                at.unwrap_or_else(|| i64::try_from(record.recorded_at.0).unwrap_or(i64::MAX)),
                record.order(),
                record,
            )
        })
        .collect();
    ordered.sort_by_key(|(at, order, _)| (*at, *order));
    ordered.into_iter().map(|(_, _, record)| record).collect()
}

/// The claim from all statements about one person and one kind, in order of time: the latest
/// decides. It holds until `end`, if there is one.
fn kind_candidate(
    slug: &str,
    kind: &'static str,
    mentions: &[Mention<Statement>],
    end: Option<Date>,
) -> Option<Candidate> {
    if mentions.last()?.statement.is_denial {
        return None;
    }
    let is_affirmed =
        |mention: &Mention<Statement>| !mention.statement.is_denial && !mention.statement.is_end;
    let last = mentions.iter().rposition(&is_affirmed)?;
    let over = mentions.iter().skip(last + 1).find(|mention| mention.statement.is_end);
    let end = match over {
        // Without a day, nobody can say until when it was so.
        Some(over) => Some(end.into_iter().chain(over.day).min()?),
        None => end,
    };
    let affirmed: Vec<&Mention<Statement>> =
        mentions.iter().filter(|mention| is_affirmed(mention)).collect();
    let denied = mentions.iter().filter(|mention| mention.statement.is_denial).count();
    let records: BTreeSet<OpId> = affirmed.iter().map(|mention| mention.id).collect();
    let days: BTreeSet<Date> = affirmed.iter().filter_map(|mention| mention.day).collect();
    let sources: BTreeSet<&str> = affirmed.iter().map(|mention| mention.source.as_str()).collect();
    let is_outright = affirmed.iter().any(|mention| mention.statement.is_outright);
    let name = affirmed.iter().map(|mention| mention.statement.person.name.as_str()).min()?;
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
    for mention in affirmed.iter().rev() {
        let input = Input { id: mention.id, role: "statement" };
        if inputs.len() < INPUTS_MAX && !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    inputs.sort();
    let began = days.first().copied();
    if end.is_some() && end <= began {
        return None;
    }
    Some(Candidate {
        claim_type: format!("relationship.{kind}"),
        identity_key: format!("relationship.{kind}|{slug}"),
        text: format!("{name} is your {}", kinds::in_words(kind)),
        payload: json!({ "name": name, "kind": kind }),
        inputs,
        basis,
        rationale,
        valid_from: began.map(When::from_date),
        valid_to: end.map(When::from_date),
        last_seen: None,
        tags: Vec::new(),
    })
}
