//! What a belief's deriver makes of a text, so that a correction in words changes the data too.

use derivers::{Deriver, Record, RecordBody, SignedBy};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use serde_json::Value;

use crate::derive::contained;

/// The payload that a deriver gives to an identity after reading a text as the owner's words; none
/// if none does. Beliefs address the owner (`You hate walnuts`), so the text is also read in the
/// first person.
pub(super) fn payload_of(derivers: &[Box<dyn Deriver>], key: &str, text: &str) -> Option<Value> {
    let first_person = [("You ", "I "), ("Your ", "My ")]
        .iter()
        .find_map(|(you, me)| Some(format!("{me}{}", text.trim().strip_prefix(you)?)));
    [Some(text.to_owned()), first_person].into_iter().flatten().find_map(|text| {
        let record = record(text);
        derivers.iter().find_map(|deriver| {
            let groups = contained(|| deriver.groups(&record)).ok()?;
            groups.iter().find_map(|group| {
                let records = std::slice::from_ref(&record);
                let candidates = contained(|| deriver.derive(group, records)).ok()?;
                let candidate = candidates.into_iter().find(|found| found.identity_key == key)?;
                Some(candidate.payload)
            })
        })
    })
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
