//! Records for the tests of mining.

use derivers::{Record, RecordBody, SignedBy};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use kernel::when::When;
use store::Position;

use super::evidence::MinableRecord;

/// A record for the project, with a number for its id and its place.
pub(super) fn record(number: u8, kind: &str, at: &str, payload: Payload) -> MinableRecord {
    let evidence = Evidence {
        source: "t".to_owned(),
        source_uid: number.to_string(),
        kind: EvidenceKind::from(kind),
        actor: None,
        at: Some(When::parse(at).unwrap()),
        summary: String::new(),
        visibility: Visibility::Project,
        payload,
    };
    MinableRecord {
        record: Record {
            id: OpId([number; 32]),
            recorded_at: HlcTimestamp(u64::from(number)),
            signed_by: SignedBy::Owner,
            body: RecordBody::Evidence(Box::new(evidence)),
        },
        position: Position(u64::from(number)),
    }
}

/// A record, with its evidence changed.
pub(super) fn altered(
    mut record: MinableRecord,
    alter: impl FnOnce(&mut Evidence),
) -> MinableRecord {
    if let RecordBody::Evidence(evidence) = &mut record.record.body {
        alter(evidence);
    }
    record
}
