//! Who recorded what is recalled, where that is not the owner of the space.
//!
//! A record says who spoke, in words that its author chose. The signature says who recorded it: a
//! device of the owner, an agent, or another person who may only append. The last two do not speak
//! for the owner, so what they recorded is shown with the name that the owner gave to their key.

use std::collections::BTreeSet;

use kernel::access::Place;
use kernel::id::OpId;
use kernel::operation::Operation;
use store::Ledger;

use super::episodes::Recollection;
use crate::{EngineError, Reader};

impl Reader<'_> {
    /// Those of some records that the owner recorded, or a device that speaks for them.
    pub(super) fn speaking_for_owner(
        &self,
        ids: impl Iterator<Item = OpId>,
    ) -> Result<BTreeSet<OpId>, EngineError> {
        let mut keys = None;
        let mut found = BTreeSet::new();
        for id in ids {
            let Some(recorded) = self.store.get(&id)? else { continue };
            let header = Operation::header(&recorded.operation);
            let keys = match &keys {
                Some(keys) => keys,
                None => keys.insert(self.key_ring()?),
            };
            let at = Place { order: (header.ts, id), seq: header.seq };
            if Some(header.author) == keys.owner() || keys.speaks_for_user(&header.author, at) {
                found.insert(id);
            }
        }
        Ok(found)
    }

    /// Names the keys that signed these records, where they do not speak for the owner.
    pub(super) fn name_signers(&self, results: &mut [Recollection]) -> Result<(), EngineError> {
        if results.is_empty() {
            return Ok(());
        }
        let owner = self.store.on_snapshot(|index| {
            Ok::<_, EngineError>(kernel::ledger_index::LedgerIndex::access(index)?.owner())
        })?;
        let mut keys = None;
        for result in results {
            let Some(recorded) = self.store.get(&result.id)? else { continue };
            let header = Operation::header(&recorded.operation);
            if Some(header.author) == owner {
                continue;
            }
            let keys = match &keys {
                Some(keys) => keys,
                None => keys.insert(self.key_ring()?),
            };
            let at = Place { order: (header.ts, result.id), seq: header.seq };
            if !keys.speaks_for_user(&header.author, at) {
                result.recorded_by = Some(keys.name(&header.author));
            }
        }
        Ok(())
    }
}
