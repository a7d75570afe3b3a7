//! The propagate stage: for each identity that changed, the belief served now replaces the one
//! served before in the groups. This is how one deriver sees the claims of another.

use kernel::id::OpId;
use kernel::ledger_index::LedgerIndex;
use kernel::validity::State;
use store::sqlite::{Served, SqliteWriting};
use store::{Position, Writing};

use super::{Derivation, records};
use crate::EngineError;
use crate::belief::{Belief, belief};

/// Identities propagated in one step.
pub(super) const PROPAGATE_KEYS_MAX: usize = 2_000;

impl Derivation<'_> {
    /// Propagates the served beliefs of changed identities. True if there may be more.
    pub(super) fn propagate(
        &mut self,
        writing: &mut SqliteWriting<'_>,
    ) -> Result<bool, EngineError> {
        let keys = writing.take_changed(PROPAGATE_KEYS_MAX)?;
        for key in &keys {
            self.propagate_identity(writing, key)?;
        }
        Ok(!keys.is_empty())
    }

    /// Only finds the changed beliefs, for a key that may not derive. The groups that this
    /// marks are run by the next key that may.
    pub(crate) fn propagate_only(
        &mut self,
        writing: &mut SqliteWriting<'_>,
    ) -> Result<(), EngineError> {
        while self.propagate(writing)? {}
        Ok(())
    }

    /// Propagates what a batch of statements changed, while what was recorded is still remembered:
    /// afterwards it would be read again. At most `identities_max` are visited, which bounds the
    /// transaction. Where derivation will begin anew, because of other derivers, everything is left
    /// to it.
    pub(crate) fn propagate_batch(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        identities_max: usize,
    ) -> Result<(), EngineError> {
        let registered = self.registered();
        let (read, filled_by) = writing.derived()?;
        if read == Position(0) && filled_by.is_empty() {
            writing.forget_derivation(&registered)?;
        } else if filled_by != registered {
            return Ok(());
        }
        for _ in 0..identities_max.div_ceil(PROPAGATE_KEYS_MAX) {
            if !self.propagate(writing)? {
                break;
            }
        }
        Ok(())
    }

    fn propagate_identity(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        key: &str,
    ) -> Result<(), EngineError> {
        let believed = belief(writing as &dyn Writing, key)?;
        let own_layer = believed.current.and_then(|current| self.layers.get(&current).copied());
        self.place(writing, &believed, own_layer)?;
        if own_layer.is_some() && believed.state == State::Active {
            return Ok(());
        }
        let makers = writing.makers(key)?;
        for maker in &makers {
            writing.mark(maker.number)?;
        }
        // Another device concluded it, or this one before its bookkeeping was emptied: the groups
        // of its inputs decide whether it still follows.
        if let (State::Active, true, Some(current)) =
            (believed.state, makers.is_empty(), believed.current)
            && believed
                .deriver
                .as_ref()
                .is_some_and(|deriver| self.deriver(&deriver.name).is_some())
        {
            writing.mark_unsupported(key)?;
            self.mark_groups_of_inputs(writing, &current)?;
        }
        Ok(())
    }

    /// Adds the served belief of an identity to its groups, unless it is a member already.
    fn place(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        believed: &Belief,
        own_layer: Option<u32>,
    ) -> Result<(), EngineError> {
        let key = &believed.key;
        let serving = match believed.served {
            Some(id) => writing.line(&id)?,
            None => None,
        };
        let position = serving.as_ref().map(|row| row.position);
        let seen = writing.served(key)?;
        let is_same = seen.map(|seen| seen.position) == position;
        if is_same && seen.is_none_or(|seen| seen.is_placed) {
            return Ok(());
        }
        let (groups, at_us) = match &serving {
            Some(row) if row.is_altered() => {
                self.note_altered([row.id]);
                (Vec::new(), 0)
            }
            Some(row) => {
                let record = records::of_belief(row, believed);
                (self.groups(writing, &record)?, records::at_us(&record))
            }
            None => (Vec::new(), 0),
        };
        let layer = match own_layer {
            Some(layer) => layer,
            None => layer_of_inputs(writing, believed.current)?,
        };
        let before = match seen {
            Some(seen) if !is_same => believed_at(writing, believed, seen.position)?,
            _ => None,
        };
        let served = position.map(|position| Served { position, layer, is_placed: true });
        writing.place_belief(key, &groups, at_us, served)?;
        writing.set_served(key, served)?;
        if !is_same {
            self.changes.note(before, believed);
        }
        Ok(())
    }
}

/// The belief that was served for an identity, from its operation. A correction has no validity
/// times; those come from the claim.
fn believed_at(
    writing: &SqliteWriting<'_>,
    now: &Belief,
    position: Position,
) -> Result<Option<Belief>, EngineError> {
    let Some(row) = writing.line_at(position)? else { return Ok(None) };
    let mut before = records::served_by(&row, &now.key);
    if let Some(before) = before.as_mut().filter(|before| before.state == State::Corrected) {
        before.valid_from.clone_from(&now.valid_from);
        before.valid_to.clone_from(&now.valid_to);
        before.last_seen.clone_from(&now.last_seen);
    }
    Ok(before)
}

/// One more than the highest layer among what a claim was built from.
fn layer_of_inputs(writing: &SqliteWriting<'_>, claim: Option<OpId>) -> Result<u32, EngineError> {
    let Some(entry) = claim.map(|claim| writing.entry(&claim)).transpose()?.flatten() else {
        return Ok(0);
    };
    let mut layer = 0;
    for input in kernel::validity::inputs(&entry) {
        let Some(cited) = writing.entry(&input)? else { continue };
        if let Some(key) = &cited.identity
            && let Some(served) = writing.served(key)?
        {
            layer = layer.max(served.layer);
        }
    }
    Ok(layer.saturating_add(1))
}
