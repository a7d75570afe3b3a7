//! Deriving from new records.

use engine::derive::{Derived, Extent};
use engine::write::commit::Changes;
use engine::write::import::Intent;
use engine::{Sealer, Space};
use jiff::Timestamp;
use kernel::kind::Capability;

use crate::failure::Failure;

/// The same with an agent's key.
pub(crate) fn derive_new_by(
    sealer: &Sealer,
    space: &mut Space,
    now: Timestamp,
) -> Result<Option<(Derived, Changes)>, Failure> {
    if space.is_read_only() || !space.reader()?.may(&sealer.author(), Capability::Derive, now)? {
        return Ok(None);
    }
    let mut writer = space.writer_with(sealer);
    let derived = writer.derive(Extent::Changed, Intent::Write, now, |_| {})?;
    writer.finish()?;
    Ok(Some(derived))
}

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
