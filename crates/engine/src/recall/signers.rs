//! Who recorded what is recalled, where that is not the owner of the space.
//!
//! A record says who spoke, in words that its author chose. The signature says who recorded it: a
//! device of the owner, an agent, or another person who may only append. The last two do not speak
//! for the owner, so what they recorded is shown with the name that the owner gave to their key.

use std::collections::BTreeMap;

use kernel::access::Place;
use kernel::id::OpId;
use kernel::operation::Operation;
use store::Ledger;

use super::episodes::Recollection;
use crate::{EngineError, Reader};

impl Reader<'_> {
    /// The names of the keys that signed some records, of those that do not speak for the owner.
    pub(super) fn other_signers(
        &self,
        ids: impl Iterator<Item = OpId>,
    ) -> Result<BTreeMap<OpId, String>, EngineError> {
        let mut ids = ids.peekable();
        let mut names = BTreeMap::new();
        if ids.peek().is_none() {
            return Ok(names);
        }
        let owner = self.store.on_snapshot(|index| {
            Ok::<_, EngineError>(kernel::ledger_index::LedgerIndex::access(index)?.owner())
        })?;
        let mut keys = None;
        for id in ids {
            let Some(recorded) = self.store.get(&id)? else { continue };
            let header = Operation::header(&recorded.operation);
            if Some(header.author) == owner {
                continue;
            }
            let keys = match &keys {
                Some(keys) => keys,
                None => keys.insert(self.key_ring()?),
            };
            let at = Place { order: (header.ts, id), seq: header.seq };
            if !keys.speaks_for_user(&header.author, at) {
                names.insert(id, keys.name(&header.author));
            }
        }
        Ok(names)
    }

    /// Names the keys that signed these records, where they do not speak for the owner.
    pub(super) fn name_signers(&self, results: &mut [Recollection]) -> Result<(), EngineError> {
        let mut names = self.other_signers(results.iter().map(|result| result.id))?;
        for result in results {
            result.recorded_by = names.remove(&result.id).or_else(|| result.recorded_by.take());
        }
        Ok(())
    }
}
