//! Deriving from new records.

use engine::Space;
use engine::derive::{Derived, Extent};
use engine::write::commit::Changes;
use engine::write::import::Intent;
use jiff::Timestamp;

use crate::failure::Failure;

/// Derives from the records added since the last derivation; none if this key may not derive.
pub(crate) fn derive_new(
    space: &mut Space,
    now: Timestamp,
    progress: impl FnMut(&Derived),
) -> Result<Option<(Derived, Changes)>, Failure> {
    if space.is_read_only() || !space.may_derive(now)? {
        return Ok(None);
    }
    Ok(Some(space.derive(Extent::Changed, Intent::Write, now, progress)?))
}
