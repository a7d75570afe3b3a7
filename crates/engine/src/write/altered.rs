//! What a preview may quote.
//!
//! A change is computed from the records in the file, and a record can have been altered there
//! since it was signed (see [`crate::recall`]). So the operations on which the changed beliefs
//! stand are hashed again. What was altered is named, and no belief is shown that was concluded
//! from it, since its words could be those of somebody who wrote into the file.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{BTreeSet, HashMap, HashSet};

use kernel::id::OpId;
use kernel::ledger_index::LedgerIndex;
use kernel::validity::inputs_among;
use store::StoreError;
use store::sqlite::SignedState;

use crate::EngineError;
use crate::belief::Belief;
use crate::outcome::Changes;

/// Most operations below one belief that are hashed.
const INPUTS_MAX: usize = 4096;

/// Names the altered operations on which `changes` depend, beside those that are named already, and
/// takes out the changes that may quote them. `signed_state` reads one operation.
pub(crate) fn take_altered<I: LedgerIndex<Error = StoreError>>(
    index: &I,
    signed_state: impl Fn(&OpId) -> Result<SignedState, StoreError>,
    changes: &mut Changes,
) -> Result<(), EngineError> {
    let mut check = Check { index, signed_state, checked: HashMap::new() };
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
    signed_state: F,
    checked: HashMap<OpId, Checked>,
}

/// An operation that was read and hashed.
struct Checked {
    is_as_signed: bool,
    inputs: Vec<OpId>,
}

impl<I, F> Check<'_, I, F>
where
    I: LedgerIndex<Error = StoreError>,
    F: Fn(&OpId) -> Result<SignedState, StoreError>,
{
    /// The altered operations among `id` and what it was built from.
    fn altered_below(&mut self, id: &OpId) -> Result<BTreeSet<OpId>, EngineError> {
        let (mut altered, mut seen) = (BTreeSet::new(), HashSet::from([*id]));
        let mut pending = vec![*id];
        while let Some(id) = pending.pop() {
            let Checked { is_as_signed, inputs } = self.check(id)?;
            if !is_as_signed {
                altered.insert(id);
            }
            for input in inputs {
                if seen.len() < INPUTS_MAX && seen.insert(*input) {
                    pending.push(*input);
                }
            }
        }
        Ok(altered)
    }

    fn check(&mut self, id: OpId) -> Result<&Checked, EngineError> {
        match self.checked.entry(id) {
            Occupied(checked) => Ok(checked.into_mut()),
            Vacant(place) => {
                let SignedState { is_as_signed, cites } = (self.signed_state)(&id)?;
                let cites = match cites {
                    Some(cites) => Some(cites),
                    // The graph may know what it cites although its row cannot be decoded.
                    None => self.index.entry(&id)?.map(|entry| (entry.kind, entry.refs)),
                };
                let inputs = cites.map_or_else(Vec::new, |(kind, refs)| {
                    inputs_among(&kind, &refs).map(|input| input.id).collect()
                });
                Ok(place.insert(Checked { is_as_signed, inputs }))
            }
        }
    }
}
