//! What the user refuted or corrected of what was concluded from a record.
//!
//! A refutation is of a belief. The record that it was concluded from stays, because it was said,
//! and may say other things that are true. Whoever is shown the record is told which of its
//! conclusions are false.

use std::collections::BTreeSet;

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::snapshot::Snapshot;
use kernel::validity::State;
use serde::Serialize;
use serde_json::Value;
use store::StoreError;
use store::sqlite::first_after;

use super::episodes::Recollection;
use crate::belief::{Bodies, belief, body_of};
use crate::private::{Privacy, Viewpoint};
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

/// Beliefs are those of `then`, what is private is so today.
fn mark<T: Bodies + ?Sized, N: Bodies + ?Sized>(
    then: &T,
    now: &N,
    records: &mut [Recollection],
    viewpoint: Viewpoint,
) -> Result<(), StoreError> {
    let mut privacy = Privacy::of(now);
    for record in records {
        let mut seen = BTreeSet::new();
        for citing in then.citing(&record.id)?.into_iter().take(CITING_MAX) {
            if citing.kind != Kind::Claim || !citing.kind.spec().is_input(&citing.role) {
                continue;
            }
            let Some(key) = then.entry(&citing.id)?.and_then(|entry| entry.identity) else {
                continue;
            };
            if seen.contains(&key) || record.overruled.len() >= OVERRULED_MAX {
                continue;
            }
            let belief = belief(then, &key)?;
            let is_corrected = belief.state == State::Corrected;
            let is_overruled = match belief.state {
                State::Refuted => true,
                // A later record may say what the user says.
                State::Corrected => {
                    payload_of(then, &citing.id)?.is_some_and(|payload| payload != belief.payload)
                }
                _ => false,
            };
            if !is_overruled || privacy.is_belief_withheld(&belief, viewpoint.disclosure)? {
                continue;
            }
            let id = if is_corrected { belief.served } else { belief.current };
            let Some(id) = id else { continue };
            seen.insert(key.clone());
            record.overruled.push(Overruled { key, state: belief.state, id, text: belief.text });
        }
    }
    Ok(())
}

/// What a claim states.
fn payload_of<T: Bodies + ?Sized>(index: &T, id: &OpId) -> Result<Option<Value>, StoreError> {
    Ok(match body_of(index, id, &Kind::Claim)? {
        Some(Body::Claim(claim)) => Some(claim.payload),
        _ => None,
    })
}
