//! Candidates by rules: what records state outright.

use super::evidence::MinableRecord;
use super::{Mined, MinedRecord};
use derivers::mining::{MinedStatement, mine};

/// What the rules find in records, in their order. A record's name is that in `names`.
pub fn mined_by_rules<'r>(
    records: impl IntoIterator<Item = (&'r str, &'r MinableRecord)>,
) -> Mined {
    let mut claims = Vec::new();
    for (name, record) in records {
        for MinedStatement { kind, text } in mine(&record.record) {
            claims.push(MinedRecord {
                local_id: format!("r{}", claims.len() + 1),
                record_type: kind.claim_type().to_owned(),
                text,
                confidence: kind.confidence(),
                source_event_ids: vec![name.to_owned()],
                tags: vec![kind.as_str().to_owned()],
                ..MinedRecord::default()
            });
        }
    }
    Mined { claims, ..Mined::default() }
}
