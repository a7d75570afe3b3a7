//! Operations as the records that derivers see.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use derivers::{Belief as Believed, GROUP_PAST_MAX, GROUP_PLANS_MAX, Record, RecordBody, SignedBy};
use kernel::access::{Access, Place};
use kernel::body::{Body, LastSeen};
use kernel::evidence::{Evidence, Visibility};
use kernel::id::{Author, OpId};
use kernel::kind::{Capability, Kind};
use kernel::validity::State;
use kernel::when::When;
use serde_json::Value;
use store::sqlite::{GroupNumber, OperationRow, SqliteWriting};
use store::{Position, Writing};

use super::occurrences::last_told;
use crate::EngineError;
use crate::belief::{Belief, Bodies, belief, type_of};

/// Records that are kept parsed during a step, because several groups have them.
const COMMON_EVIDENCE_MAX: usize = 4096;

/// The records that a deriver is shown of a group, in the space's order, with their layers.
pub(super) struct GroupRecords {
    pub(super) records: Vec<Record>,
    /// For each record, how many derivations lie below it.
    pub(super) layers: Vec<u32>,
    /// Members that it is not shown, because they were altered in the file.
    pub(super) altered: Vec<OpId>,
}

impl GroupRecords {
    /// Reads the bodies, and puts the records in the space's order. Evidence in `common` is read
    /// there.
    pub(super) fn of(members: Vec<Member>, common: &CommonEvidence) -> Self {
        let (mut shown, mut altered) = (Vec::new(), Vec::new());
        for member in members {
            let (record, layer) = match member {
                Member::Row(row, layer, by) if row.kind == Kind::Evidence => {
                    match common.read(&row, by) {
                        Read::Altered => {
                            altered.push(row.id);
                            continue;
                        }
                        Read::Record(record) => (Some(*record), layer),
                        Read::Nothing => (None, layer),
                    }
                }
                Member::Row(row, _, _) if row.is_altered() => {
                    altered.push(row.id);
                    continue;
                }
                Member::Row(row, layer, _) => (of_claim(&row), layer),
                Member::Corrected(record, layer) => (Some(record), layer),
            };
            shown.extend(record.map(|record| (record, layer)));
        }
        shown.sort_by_key(|(record, _)| record.order());
        let (records, layers) = shown.into_iter().unzip();
        Self { records, layers, altered }
    }

    /// A record by its id.
    pub(super) fn find(&self, id: &OpId) -> Option<(&Record, u32)> {
        let place = self.records.iter().position(|record| record.id == *id)?;
        Some((self.records.get(place)?, self.layers.get(place).copied().unwrap_or_default()))
    }
}

/// Evidence that is in several groups of one step: of an event, for instance, in the groups of its
/// title, its place and its people. Its body is parsed once, by the thread that comes to it first.
#[derive(Default)]
pub(super) struct CommonEvidence(HashMap<Position, OnceLock<Read>>);

/// What evidence is to a deriver.
#[derive(Clone)]
enum Read {
    Record(Box<Record>),
    /// Its body was removed, cannot be read, or repeats what is known already.
    Nothing,
    /// It was altered in the file.
    Altered,
}

impl Read {
    fn of(row: &OperationRow, by: SignedBy) -> Self {
        if row.is_altered() {
            return Self::Altered;
        }
        parse_evidence(row, by).map_or(Self::Nothing, |record| Self::Record(Box::new(record)))
    }
}

impl CommonEvidence {
    /// What these groups have in common, at most [`COMMON_EVIDENCE_MAX`] records.
    pub(super) fn of<'m>(groups: impl Iterator<Item = &'m Vec<Member>>) -> Self {
        let (mut seen, mut common) = (HashSet::new(), HashMap::new());
        for member in groups.flatten() {
            if let Member::Row(row, ..) = member
                && row.kind == Kind::Evidence
                && !seen.insert(row.position)
                && common.len() < COMMON_EVIDENCE_MAX
            {
                common.entry(row.position).or_default();
            }
        }
        Self(common)
    }

    fn read(&self, row: &OperationRow, by: SignedBy) -> Read {
        match self.0.get(&row.position) {
            Some(read) => read.get_or_init(|| Read::of(row, by)).clone(),
            None => Read::of(row, by),
        }
    }
}

/// Whether an operation counts as the owner's word, or may quote it: what its author could do at
/// that point.
pub(crate) fn signed_by(access: &Access, author: &Author, at: Place) -> SignedBy {
    if access.holds(author, Capability::Correct, at) {
        SignedBy::Owner
    } else if access.holds(author, Capability::Derive, at) {
        SignedBy::Agent
    } else {
        SignedBy::Other
    }
}

/// Evidence as a record; none where its body was removed, was altered in the file or cannot be
/// read, or where it repeats what is known already.
pub(super) fn of_evidence(row: &OperationRow, by: SignedBy) -> Option<Record> {
    if row.is_altered() { None } else { parse_evidence(row, by) }
}

/// The same of a row that was found to be as it was signed.
pub(super) fn parse_evidence(row: &OperationRow, by: SignedBy) -> Option<Record> {
    let evidence: Evidence = serde_json::from_slice(row.body.as_deref()?).ok()?;
    if evidence.echo().is_some() || evidence.kind.is_thinking() {
        return None;
    }
    Some(Record {
        id: row.id,
        recorded_at: row.ts,
        signed_by: by,
        body: RecordBody::Evidence(Box::new(evidence)),
    })
}

/// A claim that is served, without what derivers are not shown: most of a claim is its basis.
fn of_claim(row: &OperationRow) -> Option<Record> {
    #[derive(serde::Deserialize)]
    struct Claim {
        claim_type: String,
        identity_key: String,
        #[serde(default)]
        text: String,
        #[serde(default)]
        payload: Value,
        #[serde(default)]
        confidence: f64,
        #[serde(default)]
        deriver: Option<kernel::body::Deriver>,
        #[serde(default)]
        valid_from: Option<When>,
        #[serde(default)]
        valid_to: Option<When>,
        #[serde(default)]
        last_seen: Option<LastSeen>,
        #[serde(default)]
        visibility: Visibility,
        #[serde(default)]
        tags: Vec<String>,
    }
    let claim: Claim = serde_json::from_slice(row.body.as_deref()?).ok()?;
    let Claim { claim_type, identity_key, text, payload, confidence, deriver, .. } = claim;
    let Claim { valid_from, valid_to, last_seen, visibility, tags, .. } = claim;
    let believed = Believed {
        claim_type,
        identity_key,
        text,
        payload,
        confidence,
        deriver,
        valid_from,
        valid_to,
        last_seen,
        visibility,
        tags,
    };
    Some(Record {
        id: row.id,
        recorded_at: row.ts,
        signed_by: SignedBy::Owner,
        body: RecordBody::Belief(Box::new(believed)),
    })
}

/// What is served of an identity, cited by the operation that says it.
pub(super) fn of_belief(row: &OperationRow, believed: &Belief) -> Record {
    let believed = Believed {
        claim_type: believed.claim_type.clone(),
        identity_key: believed.key.clone(),
        text: believed.text.clone(),
        payload: believed.payload.clone(),
        confidence: believed.confidence,
        deriver: believed.deriver.clone(),
        valid_from: believed.valid_from.clone(),
        valid_to: believed.valid_to.clone(),
        last_seen: believed.last_seen.clone(),
        visibility: believed.visibility,
        tags: believed.tags.clone(),
    };
    Record {
        id: row.id,
        recorded_at: row.ts,
        signed_by: SignedBy::Owner,
        body: RecordBody::Belief(Box::new(believed)),
    }
}

/// A belief from the operation alone that stated it. A correction alone says only what it corrects
/// to.
pub(super) fn served_by(row: &OperationRow, key: &str) -> Option<Belief> {
    let mut belief = Belief {
        served: Some(row.id),
        current: Some(row.id),
        confidence: 1.0,
        ..Belief::unsaid(key, State::Active)
    };
    match Body::parse(&row.kind, row.body.as_deref()?).ok()? {
        Body::Claim(claim) => {
            belief.key.clone_from(&claim.identity_key);
            belief.confidence = claim.confidence;
            belief.say(claim);
        }
        Body::ClaimCorrection(correction) => {
            belief.state = State::Corrected;
            belief.key = correction.identity_key;
            belief.claim_type = type_of(&belief.key).to_owned();
            belief.text =
                correction.text.unwrap_or_else(|| correction.corrected_payload.to_string());
            belief.payload = correction.corrected_payload;
        }
        _ => return None,
    }
    Some(belief)
}

/// The record's own time, microseconds: when it happened or, where that is unknown, when it was
/// recorded.
pub(super) fn at_us(record: &Record) -> i64 {
    let recorded_us = i64::try_from(record.recorded_at.0).unwrap_or(i64::MAX);
    record
        .evidence()
        .and_then(|evidence| evidence.at.as_ref())
        .map_or(recorded_us, When::instant_us)
}

/// The same; of a series, that of the last occurrence that had happened when it was recorded.
pub(super) fn told_us(record: &Record) -> i64 {
    let recorded_us = i64::try_from(record.recorded_at.0).unwrap_or(i64::MAX);
    let of_series = record.evidence().and_then(|evidence| last_told(evidence, recorded_us));
    of_series.unwrap_or_else(|| at_us(record))
}

/// Who may see the record.
pub(super) fn visibility(record: &Record) -> Visibility {
    match &record.body {
        RecordBody::Evidence(evidence) => evidence.visibility,
        RecordBody::Belief(belief) => belief.visibility,
    }
}

/// A member of a group, before its body is parsed.
pub(super) enum Member {
    /// Evidence or a claim, with its layer: its body says everything.
    Row(Box<OperationRow>, u32, SignedBy),
    /// A correction, whose body says only part of what is believed, with its layer.
    Corrected(Record, u32),
}

/// The latest members of a group.
pub(super) fn of_group(
    writing: &SqliteWriting<'_>,
    group: GroupNumber,
) -> Result<Vec<Member>, EngineError> {
    let rows = writing.members(group, GROUP_PAST_MAX, GROUP_PLANS_MAX)?;
    of_rows(writing as &dyn Writing, rows)
}

/// The members that these rows hold.
pub(super) fn of_rows<B: Bodies + ?Sized>(
    index: &B,
    rows: Vec<(OperationRow, u32)>,
) -> Result<Vec<Member>, EngineError> {
    let mut members = Vec::new();
    for (row, layer) in rows {
        if row.kind != Kind::ClaimCorrection {
            let by = signed_by(index.access()?, &row.author, row.place());
            members.push(Member::Row(Box::new(row), layer, by));
        } else if row.is_altered() {
            members.push(Member::Row(Box::new(row), layer, SignedBy::Other));
        } else if let Some(served) = served_by(&row, "") {
            let believed = belief(index, &served.key)?;
            if believed.served == Some(row.id) {
                members.push(Member::Corrected(of_belief(&row, &believed), layer));
            }
        }
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use kernel::id::{OpId, SpaceId};
    use kernel::operation::HlcTimestamp;
    use kernel::seal::{ChainPosition, Draft, Signer};

    use super::*;

    fn evidence(number: u8) -> Member {
        let body = serde_json::json!({
            "source": "t", "source_uid": number.to_string(), "kind": "note", "summary": "",
            "visibility": "project", "payload": { "text": format!("note {number}") }
        });
        let body = Body::parse(&Kind::Evidence, &serde_json::to_vec(&body).unwrap()).unwrap();
        let ts = HlcTimestamp(u64::from(number));
        let place = ChainPosition { space: Some(SpaceId(OpId([9; 32]))), head: None, ts };
        let operation = Signer::from_seed([1; 32]).seal(Draft::new(body), place).unwrap();
        let row = Box::new(OperationRow::of(Position(u64::from(number)), &operation));
        Member::Row(row, 0, SignedBy::Owner)
    }

    #[test]
    fn groups_with_common_evidence_show_the_same_records_as_each_alone() {
        let groups = || {
            [vec![1, 2, 3], vec![3, 2], vec![4]]
                .map(|group: Vec<u8>| group.into_iter().map(evidence).collect::<Vec<Member>>())
        };
        let common = CommonEvidence::of(groups().iter());
        let mut positions: Vec<Position> = common.0.keys().copied().collect();
        positions.sort_unstable();
        assert_eq!(positions, [Position(2), Position(3)]);
        for (shared, alone) in groups().into_iter().zip(groups()) {
            let shared = GroupRecords::of(shared, &common);
            let alone = GroupRecords::of(alone, &CommonEvidence::default());
            assert_eq!(shared.records, alone.records);
            assert_eq!(shared.layers, alone.layers);
        }
    }
}
