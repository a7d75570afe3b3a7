//! What a belief's deriver makes of a text, so that a correction in words changes the data too, and
//! words never contradict the data that are given with them.

use derivers::slug::slug;
use derivers::{Candidate, Deriver, Record, RecordBody, SignedBy};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use serde_json::Value;

use crate::belief::Belief;
use crate::derive::contained;

/// The payload that a deriver gives to an identity after reading a text as the owner's words, or
/// that of the only other of its type that it reads there: "My favourite colour is blue" corrects
/// that it is green. None if it reads neither.
pub(super) fn payload_of(derivers: &[Box<dyn Deriver>], key: &str, text: &str) -> Option<Value> {
    let mut found = candidates(derivers, text);
    if let Some(place) = found.iter().position(|found| found.identity_key == key) {
        return Some(found.swap_remove(place).payload);
    }
    let type_of = |key: &str| key.split('|').next().unwrap_or_default().to_owned();
    found.retain(|found| type_of(&found.identity_key) == type_of(key));
    found.dedup_by(|one, other| one.identity_key == other.identity_key);
    let only = found.pop()?;
    found.is_empty().then_some(only.payload)
}

/// What derivers read in a text, if it contradicts the data that a correction gives to a belief.
///
/// The text counts if a deriver reads this belief in it, or another of its sort that has the values
/// that change: "You hate oolong" is about the belief whose object is corrected to oolong. Where a
/// text says several things, one of them has to fit.
pub(super) fn contradicting(
    derivers: &[Box<dyn Deriver>],
    belief: &Belief,
    payload: &Value,
    text: &str,
) -> Option<Value> {
    let fields = payload.as_object()?;
    let changed: Vec<&String> = fields
        .iter()
        .filter(|(name, new)| belief.payload.get(name) != Some(new))
        .map(|(name, _)| name)
        .collect();
    let mut contradicting = None;
    for found in candidates(derivers, text) {
        let Value::Object(read) = &found.payload else { continue };
        let agrees = |name: &String| match (fields.get(name), read.get(name)) {
            (Some(one), Some(other)) => is_same(one, other),
            _ => true,
        };
        let is_same_sort = sort_of(&found.identity_key) == sort_of(&belief.key);
        let is_about = found.identity_key == belief.key
            || is_same_sort && !changed.is_empty() && changed.iter().all(|name| agrees(name));
        match is_about {
            true if read.keys().all(agrees) => return None,
            true => contradicting = Some(found.payload),
            false => {}
        }
    }
    contradicting
}

/// The sort of an identity, such as `preference`: its key up to the first separator.
fn sort_of(key: &str) -> &str {
    key.split_once(['.', '|']).map_or(key, |(sort, _)| sort)
}

/// Whether two values are the same, apart from case and punctuation. Null fits anything.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Null, _) | (_, Value::Null) => true,
        (Value::String(one), Value::String(other)) => slug(one) == slug(other),
        _ => one == other,
    }
}

/// What derivers conclude from a text as the owner's words. Beliefs address the owner (`You hate
/// walnuts`), so the text is also read in the first person.
fn candidates(derivers: &[Box<dyn Deriver>], text: &str) -> Vec<Candidate> {
    let first_person = [("You ", "I "), ("Your ", "My ")]
        .iter()
        .find_map(|(you, me)| Some(format!("{me}{}", text.trim().strip_prefix(you)?)));
    let mut found = Vec::new();
    for text in [Some(text.to_owned()), first_person].into_iter().flatten() {
        let record = record(text);
        let records = std::slice::from_ref(&record);
        for deriver in derivers {
            let groups = contained(|| deriver.groups(&record)).unwrap_or_default();
            for group in &groups {
                found.extend(contained(|| deriver.derive(group, records)).unwrap_or_default());
            }
        }
    }
    found
}

fn record(text: String) -> Record {
    let evidence = Evidence {
        source: "remember".to_owned(),
        source_uid: String::new(),
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: String::new(),
        visibility: Visibility::default(),
        payload: Payload { text, ..Payload::default() },
    };
    Record {
        id: OpId([0; 32]),
        recorded_at: HlcTimestamp(0),
        signed_by: SignedBy::Owner,
        body: RecordBody::Evidence(Box::new(evidence)),
    }
}
