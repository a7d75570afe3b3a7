//! Which of the operations that break a rule, and that an exchange keeps, have effect all the same.
//!
//! What is believed follows from the whole set of operations, not from the rules under which each
//! was recorded. Two devices can close a ring of edges, of which one edge decides. What was stated
//! on a source that another device had retracted stands once the source is restored.

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::records::{Edge, Records};
use store::StoreError;
use store::sqlite::SqliteSpace;

use super::ledger::Verification;

/// Marks the findings about operations that are kept and have effect.
pub(super) fn mark(verification: &mut Verification, store: &SqliteSpace) -> Result<(), StoreError> {
    let index = store.ledger_index()?;
    let mut records = Records::new(&index);
    for finding in verification.findings.iter_mut().filter(|finding| finding.kept) {
        if let Some(id) = finding.id {
            finding.without_effect = !has_effect(&mut records, &index, &id)?;
        }
    }
    Ok(())
}

/// Whether something that is built on or joined by an operation counts because of it, now.
fn has_effect<W: LedgerIndex<Error = StoreError>>(
    records: &mut Records<'_, W>,
    index: &W,
    id: &OpId,
) -> Result<bool, StoreError> {
    let Some(entry) = index.entry(id)? else { return Ok(false) };
    match entry.kind {
        Kind::Claim | Kind::ClaimCorrection | Kind::Node => records.validity().is_valid_input(id),
        Kind::Edge => match Edge::of(entry) {
            Some(edge) => records.has_effect(&edge),
            None => Ok(false),
        },
        // What acts on something that it may not act on changes nothing.
        _ => Ok(false),
    }
}
