//! Statements of what is no longer believed.
//!
//! A claim, node or edge that is stated without a source cites a record of its own that says the
//! same. Nobody asked for that record, so it is found only as long as anything made from it stands:
//! what somebody takes back, refutes, corrects or replaces must not return as what they once said.
//! It can be shown by its id, and is found as of an earlier time.

use kernel::evidence::{Evidence, EvidenceKind};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::records::{RecordStatus, Records};
use store::StoreError;
use store::sqlite::Search;

use crate::write::graph::STATEMENT;

/// Whether a record is the statement of claims, nodes or edges none of which stands now.
pub(super) fn has_fallen(
    search: &Search<'_>,
    id: &OpId,
    evidence: &Evidence,
) -> Result<bool, StoreError> {
    if evidence.source != STATEMENT || evidence.kind != EvidenceKind::from(STATEMENT) {
        return Ok(false);
    }
    let index = search.ledger_index()?;
    let mut records = Records::new(&index);
    let mut is_fallen = false;
    for citing in index.citing(id)? {
        let is_made_from_it = matches!(citing.kind, Kind::Claim | Kind::Node | Kind::Edge);
        if !is_made_from_it || !citing.kind.spec().is_input(&citing.role) {
            continue;
        }
        let Some(entry) = index.entry(&citing.id)? else { continue };
        let Some(status) = records.status_of(&entry)? else { continue };
        let is_corrected = match &entry.identity {
            Some(key) => records.validity().standing(key)?.correction.is_some(),
            None => false,
        };
        if !is_corrected && matches!(status, RecordStatus::Active | RecordStatus::Alias) {
            return Ok(false);
        }
        is_fallen = true;
    }
    Ok(is_fallen)
}
