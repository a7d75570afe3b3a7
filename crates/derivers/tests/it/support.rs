//! Records in the form that the importers produce, and the claims of a deriver from all of them.

use std::collections::{BTreeMap, BTreeSet};

use derivers::{
    Belief, CANDIDATES_MAX, Candidate, Deriver, GROUP_RECORDS_MAX, GROUPS_MAX, KEY_BYTES_MAX,
    Record, RecordBody,
};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility, summarize};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use kernel::when::When;
use serde_json::Value;

/// Evidence of a kind, as an importer would produce it.
pub(crate) fn evidence(
    kind: &str,
    source: &str,
    actor: Option<&str>,
    at: &str,
    text: &str,
) -> Evidence {
    Evidence {
        source: source.to_owned(),
        source_uid: String::new(),
        kind: EvidenceKind::from(kind),
        actor: actor.map(str::to_owned),
        at: When::parse(at).ok(),
        summary: summarize(&text.chars().take(400).collect::<String>()),
        visibility: Visibility::default(),
        payload: Payload { text: text.to_owned(), ..Payload::default() },
    }
}

pub(crate) fn note(at: &str, text: &str) -> Evidence {
    evidence("note", "markdown", None, at, text)
}

/// A message from the owner to an agent.
pub(crate) fn to_agent(at: &str, text: &str) -> Evidence {
    let mut turn = evidence("turn", "chat-jsonl", Some("user"), at, text);
    turn.payload.role = Some("user".to_owned());
    turn
}

pub(crate) fn turn(at: &str, actor: &str, participants: &[&str], text: &str) -> Evidence {
    let mut turn = evidence("turn", "chat-jsonl", Some(actor), at, text);
    turn.payload.participants = participants.iter().map(|name| (*name).to_owned()).collect();
    turn
}

pub(crate) fn event(at: &str, organiser: Option<&str>, participants: &[&str]) -> Evidence {
    let mut event = evidence("event", "ical", organiser, at, "Lunch");
    event.payload.title = Some("Lunch".to_owned());
    event.payload.participants = participants.iter().map(|name| (*name).to_owned()).collect();
    event
}

pub(crate) fn id(number: u32) -> OpId {
    let mut bytes = [0; 32];
    // Ids are hashes: their order says nothing of the order of the records.
    bytes[..4].copy_from_slice(&number.wrapping_mul(2_654_435_761).to_be_bytes());
    OpId(bytes)
}

pub(crate) fn record(number: u32, body: RecordBody) -> Record {
    Record {
        id: id(number),
        recorded_at: HlcTimestamp(u64::from(number)),
        signed_by: derivers::SignedBy::Owner,
        body,
    }
}

/// Records of this evidence, in this order.
pub(crate) fn records_of(evidence: impl IntoIterator<Item = Evidence>) -> Vec<Record> {
    (1..)
        .zip(evidence)
        .map(|(number, evidence)| record(number, RecordBody::Evidence(Box::new(evidence))))
        .collect()
}

pub(crate) fn routine(number: u32, key: &str, payload: Value, confidence: f64) -> Record {
    let claim_type = key.split('|').next().unwrap_or_default().to_owned();
    let belief = Belief {
        claim_type,
        identity_key: key.to_owned(),
        text: "A routine".to_owned(),
        payload,
        confidence,
        deriver: None,
        valid_from: When::parse("2025-01-02").ok(),
        valid_to: None,
        last_seen: None,
        visibility: Visibility::default(),
        tags: Vec::new(),
    };
    record(number, RecordBody::Belief(Box::new(belief)))
}

/// The candidates of all groups, by identity key; also checks the contract of the trait.
pub(crate) fn derive_all(deriver: &dyn Deriver, records: &[Record]) -> BTreeMap<String, Candidate> {
    let mut groups: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in records {
        let of_record = deriver.groups(record);
        assert!(of_record.len() <= GROUPS_MAX);
        for group in of_record {
            assert!(!group.is_empty() && group.len() <= KEY_BYTES_MAX, "{group:?}");
            groups.entry(group).or_default().push(record.clone());
        }
    }
    let mut candidates = BTreeMap::new();
    for (group, mut records) in groups {
        records.sort_by_key(Record::order);
        let latest = records.split_off(records.len().saturating_sub(GROUP_RECORDS_MAX));
        let derived = deriver.derive(&group, &latest);
        assert!(derived.len() <= CANDIDATES_MAX);
        let mut reversed = latest.clone();
        reversed.reverse();
        assert_eq!(
            derived,
            deriver.derive(&group, &reversed),
            "the order of the records must not matter"
        );
        let known: BTreeSet<OpId> = latest.iter().map(|record| record.id).collect();
        for candidate in derived {
            check_shape(deriver, &candidate, &known);
            let key = candidate.identity_key.clone();
            assert_eq!(candidates.insert(key.clone(), candidate), None, "two groups claim {key}");
        }
    }
    candidates
}

fn check_shape(deriver: &dyn Deriver, candidate: &Candidate, known: &BTreeSet<OpId>) {
    let Candidate { claim_type, identity_key, inputs, basis, text, rationale, .. } = candidate;
    assert!(
        identity_key.starts_with(&format!("{claim_type}|")) && identity_key.len() <= KEY_BYTES_MAX
    );
    let of_type = deriver
        .claim_types()
        .iter()
        .find(|known| known.admits(claim_type))
        .expect("a type of its own");
    assert_eq!(of_type.prior, basis.prior);
    assert!(!inputs.is_empty() && inputs.len() <= 128, "{identity_key}");
    assert!(inputs.iter().all(|input| known.contains(&input.id)), "{identity_key}");
    assert!(inputs.windows(2).all(|pair| pair[0] < pair[1]), "inputs in order, each once");
    assert!(!text.is_empty() && rationale.ends_with('.') && basis.confidence() > 0.0);
}

/// The identity keys and texts of the candidates, one per line.
pub(crate) fn lines(deriver: &dyn Deriver, records: &[Record]) -> Vec<String> {
    derive_all(deriver, records)
        .into_values()
        .map(|candidate| format!("{}: {}", candidate.identity_key, candidate.text))
        .collect()
}

/// A small random number generator; a failing test prints the seed.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("below a usize")
    }

    pub(crate) fn pick<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.below(choices.len())]
    }
}

/// Until when a claim is presumed to hold.
pub(crate) fn presumed_until(candidate: &Candidate) -> String {
    assert_eq!(candidate.valid_to, None, "no record holds an end");
    candidate.last_seen.as_ref().unwrap().presumed_until().to_string()
}
