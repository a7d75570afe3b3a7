//! Bodies that are missing, and by whose leave.

use kernel::id::{Author, OpId};
use kernel::kind_spec::BodyNeed;
use kernel::ledger_index::LedgerIndex;
use kernel::missing_body::{Leave, leave, may_declare};
use store::StoreError;
use store::sqlite::SqliteLedgerIndex;

/// How many bodies are missing, by whose leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct MissingBodies {
    /// Forgotten: a redaction says so.
    pub forgotten: u64,
    /// Withheld from this copy: a declaration says so.
    pub withheld: u64,
    /// Missing without leave. A whole export completes them.
    pub missing: u64,
}

impl MissingBodies {
    pub(crate) fn count(&mut self, leave: Option<Leave>) {
        *match leave {
            Some(Leave::Forgotten(_)) => &mut self.forgotten,
            Some(Leave::Withheld(_)) => &mut self.withheld,
            None => &mut self.missing,
        } += 1;
    }

    /// Counts all bodies that are missing.
    pub(crate) fn of(index: &SqliteLedgerIndex<'_>) -> Result<Self, StoreError> {
        let access = index.access()?;
        // Those that do not count were dropped when they arrived; their authors may have lost
        // their capabilities since.
        let all_count =
            index.declaring_authors()?.iter().all(|author: &Author| may_declare(access, author));
        let mut bodies = Self::default();
        index.without_bodies(|row| {
            if row.is_declared && all_count && row.kind.spec().body == BodyNeed::Removable {
                bodies.withheld += 1;
            } else {
                bodies.count(leave_of(index, &row.id)?);
            }
            Ok(())
        })?;
        Ok(bodies)
    }
}

/// By whose leave an operation's body is missing; none if it should be there.
pub(crate) fn leave_of(
    index: &SqliteLedgerIndex<'_>,
    id: &OpId,
) -> Result<Option<Leave>, StoreError> {
    let Some(entry) = index.entry(id)? else { return Ok(None) };
    leave(index, &entry, &index.withheld_by(id)?, |target| index.lacks_body(target))
}
