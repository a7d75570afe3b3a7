//! What a preview may quote.
//!
//! A change is computed from the records in the file, and a record can have been altered there
//! since it was signed (see [`crate::recall`]). So the operations on which the changed beliefs
//! stand are hashed again. What was altered is named, and no belief is shown that was concluded
//! from it, since its words could be those of somebody who wrote into the file.

use std::collections::{BTreeMap, BTreeSet};

use kernel::id::OpId;
use kernel::ledger_index::LedgerIndex;
use kernel::validity::inputs;
use store::StoreError;

use crate::EngineError;
use crate::belief::Belief;
use crate::outcome::Changes;

/// Most operations below one belief that are hashed.
const INPUTS_MAX: usize = 4096;

/// Names the altered operations on which `changes` depend, beside those that are named already, and
/// takes out the changes that may quote them.
pub(crate) fn take_altered<I: LedgerIndex<Error = StoreError>>(
    index: &I,
    is_as_signed: impl Fn(&OpId) -> Result<bool, StoreError>,
    changes: &mut Changes,
) -> Result<(), EngineError> {
    let mut check = Check { index, is_as_signed, known: BTreeMap::new() };
    let mut altered: BTreeSet<OpId> = changes.altered.iter().copied().collect();
    for (key, change) in &changes.beliefs {
        let before = change.before.iter().flat_map(versions).collect::<BTreeSet<_>>();
        let after = versions(&change.after).collect::<BTreeSet<_>>();
        let mut may_quote = false;
        for version in before.union(&after) {
            let below = check.altered_below(version)?;
            // What was concluded before was concluded from what was signed.
            let is_new = !before.contains(version);
            may_quote |= below.contains(version) || is_new && !below.is_empty();
            altered.extend(below);
        }
        if may_quote {
            changes.unquoted.insert(key.clone());
        }
    }
    changes.beliefs.retain(|key, _| !changes.unquoted.contains(key));
    changes.altered = altered.into_iter().collect();
    Ok(())
}

/// The operations that state a belief.
fn versions(belief: &Belief) -> impl Iterator<Item = OpId> {
    [belief.served, belief.current].into_iter().flatten()
}

struct Check<'i, I, F> {
    index: &'i I,
    is_as_signed: F,
    known: BTreeMap<OpId, bool>,
}

impl<I, F> Check<'_, I, F>
where
    I: LedgerIndex<Error = StoreError>,
    F: Fn(&OpId) -> Result<bool, StoreError>,
{
    /// The altered operations among `id` and what it was built from.
    fn altered_below(&mut self, id: &OpId) -> Result<BTreeSet<OpId>, EngineError> {
        let (mut altered, mut seen) = (BTreeSet::new(), BTreeSet::from([*id]));
        let mut pending = vec![*id];
        while let Some(id) = pending.pop() {
            if !self.is_as_signed(id)? {
                altered.insert(id);
            }
            let Some(entry) = self.index.entry(&id)? else { continue };
            for input in inputs(&entry) {
                if seen.len() < INPUTS_MAX && seen.insert(input) {
                    pending.push(input);
                }
            }
        }
        Ok(altered)
    }

    fn is_as_signed(&mut self, id: OpId) -> Result<bool, EngineError> {
        if let Some(known) = self.known.get(&id) {
            return Ok(*known);
        }
        let found = (self.is_as_signed)(&id)?;
        self.known.insert(id, found);
        Ok(found)
    }
}
