//! What is answered is what was signed.
//!
//! A file can change under us: a bit flips, a backup tool damages it, somebody edits it. `verify`
//! finds that, but answers are given every minute. So before a record or a belief is shown, its
//! operation is hashed again: the header must give the id, and the body the header's hash. What
//! does not is left out and named. Signatures are left to `verify`; they cost fifty times as much.

use kernel::id::OpId;

use crate::{EngineError, Reader};

impl Reader<'_> {
    /// Fails if one of the operations is not what was signed.
    pub(crate) fn check_as_signed(
        &self,
        ids: impl IntoIterator<Item = OpId>,
    ) -> Result<(), EngineError> {
        for id in ids {
            if !self.store.is_as_signed(&id)? {
                return Err(EngineError::Altered { id });
            }
        }
        Ok(())
    }

    /// Takes out of `items` those whose operation is not what was signed. Returns their ids.
    pub(crate) fn take_altered<T>(
        &self,
        items: &mut Vec<T>,
        id: impl Fn(&T) -> Option<OpId>,
    ) -> Result<Vec<OpId>, EngineError> {
        let mut altered = Vec::new();
        for id in items.iter().filter_map(&id) {
            if !self.store.is_as_signed(&id)? {
                altered.push(id);
            }
        }
        if !altered.is_empty() {
            items.retain(|item| id(item).is_none_or(|id| !altered.contains(&id)));
        }
        Ok(altered)
    }
}
