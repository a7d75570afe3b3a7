//! From a record that was displaced to the one that says the same now.

use kernel::ledger_index::Entry;
use kernel::records::{RecordStatus, Records};
use store::StoreError;

use crate::belief::Bodies;

/// A redirect may lead to an earlier version, and its latest version to a redirect.
const STEPS_MAX: usize = 16;

/// Goes from a record to its canonical one, and from a version of a text to its latest. The status
/// of where this ends.
pub(crate) fn follow_to_latest<B: Bodies + ?Sized, I: Bodies + ?Sized>(
    records: &mut Records<'_, B>,
    index: &I,
    entry: &mut Entry,
) -> Result<Option<RecordStatus>, StoreError> {
    let mut status = records.status_of(entry)?;
    for _ in 0..STEPS_MAX {
        let next = match status {
            Some(RecordStatus::Alias) => Some(records.canonical(&entry.id)?),
            Some(RecordStatus::Superseded) => match entry.version_key() {
                Some(key) => records.latest_version(&entry.kind, key)?.map(|latest| latest.id),
                None => None,
            },
            _ => None,
        };
        let Some(next) = next.filter(|next| *next != entry.id) else { break };
        let Some(found) = index.entry(&next)? else { break };
        *entry = found;
        status = records.status_of(entry)?;
    }
    Ok(status)
}
