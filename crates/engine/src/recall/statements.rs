//! Leaves out the statements of claims, nodes and edges that have fallen.
//!
//! A claim, node or edge that is stated without a source cites a record of its own that says the
//! same. Nobody asked for that record, so recall finds it only while something made from it stands.
//! Otherwise a claim that was refuted, retracted, corrected or replaced would still be found, by
//! the words of its statement. A question as of an earlier time finds it.

use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::records::{RecordStatus, Records};
use store::StoreError;
use store::sqlite::Search;

use crate::write::graph::is_statement;

/// Whether a record is the statement of claims, nodes or edges none of which stands now.
pub(super) fn has_fallen(
    search: &Search<'_>,
    id: &OpId,
    evidence: &Evidence,
) -> Result<bool, StoreError> {
    if !is_statement(evidence) {
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
