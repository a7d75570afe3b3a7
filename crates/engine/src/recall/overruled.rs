//! What the user refuted or corrected of what was concluded from a record.
//!
//! A refutation is of a belief. The record that it was concluded from stays, because it was said,
//! and may say other things that are true. Whoever is shown the record is told which of its
//! conclusions are false.

use std::collections::BTreeMap;

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::{Citing, LedgerIndex};
use kernel::snapshot::Snapshot;
use kernel::validity::{State, Validity};
use serde::Serialize;
use serde_json::Value;
use store::StoreError;
use store::sqlite::first_after;

use super::episodes::Recollection;
use crate::belief::{Beliefs, Bodies, belief, body_of};
use crate::private::{Disclosure, Privacy, Viewpoint};
use crate::{EngineError, Reader};

/// Most operations that cite a record and are looked at.
const CITING_MAX: usize = 256;
/// Most beliefs that are named with one record.
const OVERRULED_MAX: usize = 8;

/// A belief that the user overruled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overruled {
    /// The identity of the belief.
    pub key: String,
    /// What the user did: `refuted` or `corrected`.
    #[serde(serialize_with = "name_of")]
    pub state: State,
    /// The correction, or the claim that was refuted.
    pub id: OpId,
    /// What is true, or what was refuted.
    pub text: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn name_of<S: serde::Serializer>(state: &State, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(state.as_str())
}

impl Overruled {
    /// Whether it was corrected, not refuted.
    pub fn is_corrected(&self) -> bool {
        self.state == State::Corrected
    }
}

impl Reader<'_> {
    /// Whether the user refuted or corrected an identity, whatever became of its claims; nothing if
    /// the reader may not see it.
    pub fn users_word(
        &self,
        key: &str,
        disclosure: Disclosure,
    ) -> Result<Option<State>, EngineError> {
        Ok(self.store.on_snapshot(|index| {
            let Some(state) = overruling(&Validity::new(index), key)? else { return Ok(None) };
            let belief = belief(index, key)?;
            let is_withheld = Privacy::of(index).is_belief_withheld(&belief, disclosure)?;
            Ok::<_, StoreError>(Some(state).filter(|_| !is_withheld))
        })?)
    }

    /// Adds to records what the user overruled of their conclusions, as far as the reader may see
    /// it.
    pub fn mark_overruled(
        &self,
        records: &mut [Recollection],
        viewpoint: Viewpoint,
    ) -> Result<(), EngineError> {
        self.store.on_snapshot(|index| match viewpoint.as_of_us {
            Some(until) => {
                mark(&Snapshot::before(index, first_after(until)), index, records, viewpoint)
            }
            None => mark(index, index, records, viewpoint),
        })?;
        Ok(())
    }
}

/// Beliefs are those of `then`, what is private is so today. Bodies are read only of what was
/// overruled: most records have nothing of the kind.
fn mark<T: Bodies + ?Sized, N: Bodies + ?Sized>(
    then: &T,
    now: &N,
    records: &mut [Recollection],
    viewpoint: Viewpoint,
) -> Result<(), StoreError> {
    let mut privacy = Privacy::of(now);
    let validity = Validity::new(then);
    let mut beliefs = Beliefs::of(then);
    let mut overruled: BTreeMap<String, Option<State>> = BTreeMap::new();
    for record in records {
        let concludes = |citing: &Citing| {
            citing.kind == Kind::Claim && citing.kind.spec().is_input(&citing.role)
        };
        for citing in then.citing(&record.id)?.into_iter().filter(concludes).take(CITING_MAX) {
            let Some(key) = then.entry(&citing.id)?.and_then(|entry| entry.identity) else {
                continue;
            };
            let state = match overruled.get(&key) {
                Some(state) => *state,
                None => *overruled.entry(key.clone()).or_insert(overruling(&validity, &key)?),
            };
            let Some(state) = state else { continue };
            if record.overruled.iter().any(|known| known.key == key) {
                continue;
            }
            let is_corrected = state == State::Corrected;
            let belief = if is_corrected { beliefs.get(&key)? } else { belief(then, &key)? };
            // What was also retracted or replaced is true no more.
            if is_corrected && belief.state != State::Corrected {
                continue;
            }
            // A later record may say what the user says.
            let differs = !is_corrected
                || payload_of(then, &citing.id)?.is_some_and(|payload| payload != belief.payload);
            if !differs || privacy.is_belief_withheld(&belief, viewpoint.disclosure)? {
                continue;
            }
            let id = if is_corrected { belief.served } else { belief.current };
            let Some(id) = id else { continue };
            record.overruled.push(Overruled { key, state, id, text: belief.text });
            if record.overruled.len() >= OVERRULED_MAX {
                break;
            }
        }
    }
    Ok(())
}

/// How the user overruled an identity.
fn overruling<W: LedgerIndex + ?Sized>(
    validity: &Validity<'_, W>,
    key: &str,
) -> Result<Option<State>, W::Error> {
    if validity.is_refuted(key)? {
        return Ok(Some(State::Refuted));
    }
    Ok(validity.pinned(key)?.map(|_| State::Corrected))
}

/// What a claim states.
fn payload_of<T: Bodies + ?Sized>(index: &T, id: &OpId) -> Result<Option<Value>, StoreError> {
    Ok(match body_of(index, id, &Kind::Claim)? {
        Some(Body::Claim(claim)) => Some(claim.payload),
        _ => None,
    })
}
