//! What is believed, as a list.
//!
//! The list is computed from the ledger as it stands, or as it stood: with `as_of`, only what the
//! space's order has up to then counts. The surest comes first. Whether a belief is true at a time
//! in the world (`valid_at`) is another question than whether it was held then.

use kernel::confidence::Band;
use kernel::snapshot::Snapshot;
use kernel::validity::State;
use serde_json::{Value, json};
use store::StoreError;
use store::sqlite::{SqliteLedgerIndex, first_after};

use crate::belief::{Belief, Bodies, belief};
use crate::{EngineError, Reader};

/// Beliefs kept while more are looked at, in multiples of the limit.
const KEPT_FACTOR: usize = 2;

/// Which states to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum States {
    /// What is served: active and corrected.
    #[default]
    Believed,
    /// These.
    These(Vec<State>),
    /// All.
    Any,
}

/// Which beliefs to list.
#[derive(Clone, Debug, Default)]
pub struct ClaimFilter {
    /// By state.
    pub states: States,
    /// By type: `routine.weekly`, or a family, `routine`.
    pub claim_type: Option<String>,
    /// By how sure.
    pub band: Option<Band>,
    /// True in the world at this time, microseconds since the Unix epoch.
    pub valid_at_us: Option<i64>,
    /// Whose words, key or data have this in them, in any case.
    pub contains: Option<String>,
    /// Believed by what was recorded until then (inclusive), microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
}

/// A list of beliefs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// The surest first, then by key.
    pub beliefs: Vec<Belief>,
    /// How many there are, with those beyond the limit.
    pub total: usize,
}

impl ClaimFilter {
    fn admits(&self, belief: &Belief, contains: Option<&str>) -> bool {
        let state = match &self.states {
            States::Believed => matches!(belief.state, State::Active | State::Corrected),
            States::These(states) => states.contains(&belief.state),
            States::Any => belief.state != State::None,
        };
        state
            && self
                .claim_type
                .as_deref()
                .is_none_or(|family| is_of_family(&belief.claim_type, family))
            && self.band.is_none_or(|band| band_of(belief) == Some(band))
            && self.valid_at_us.is_none_or(|at| is_true_at(belief, at))
            && contains.is_none_or(|part| has(belief, part))
    }
}

pub(crate) fn is_of_family(claim_type: &str, family: &str) -> bool {
    claim_type.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

pub(crate) fn is_true_at(belief: &Belief, at_us: i64) -> bool {
    belief.valid_from.as_ref().is_none_or(|from| from.instant_us() <= at_us)
        && belief.valid_to.as_ref().is_none_or(|to| at_us < to.instant_us())
}

fn has(belief: &Belief, part: &str) -> bool {
    [belief.text.as_str(), &belief.key, &belief.payload.to_string()]
        .iter()
        .any(|text| text.to_lowercase().contains(part))
}

/// How sure a belief is, in words; none where nothing is believed.
pub fn band_of(belief: &Belief) -> Option<Band> {
    belief.served.map(|_| Band::of(belief.confidence))
}

/// A belief as the commands print it in JSON.
pub fn to_json(belief: &Belief) -> Value {
    json!({
        "key": belief.key,
        "state": belief.state.as_str(),
        "op_id": belief.served.or(belief.current),
        "claim_type": belief.claim_type,
        "text": belief.text,
        "payload": belief.payload,
        "confidence": belief.confidence,
        "band": band_of(belief),
        "confidence_basis": belief.basis,
        "deriver": belief.deriver,
        "rationale": belief.rationale,
        "valid_at": belief.valid_at,
        "valid_from": belief.valid_from,
        "valid_to": belief.valid_to,
        "visibility": belief.visibility,
        "tags": belief.tags,
    })
}

impl Reader<'_> {
    /// The beliefs that pass the filter, at most `limit` of them.
    pub fn claims(&self, filter: &ClaimFilter, limit: usize) -> Result<Claims, EngineError> {
        self.store.at_one_moment(|world| match filter.as_of_us {
            None => Ok(list(world, world, filter, limit)?),
            Some(until) => {
                Ok(list(world, &Snapshot::before(world, first_after(until)), filter, limit)?)
            }
        })
    }
}

fn list<B: Bodies>(
    keys_of: &SqliteLedgerIndex<'_>,
    world: &B,
    filter: &ClaimFilter,
    limit: usize,
) -> Result<Claims, StoreError> {
    let contains = filter.contains.as_deref().map(str::to_lowercase);
    let mut claims = Claims::default();
    let mut failure = None;
    keys_of.identity_keys(|key| match belief(world, &key) {
        Ok(belief) => {
            if filter.admits(&belief, contains.as_deref()) {
                claims.total += 1;
                claims.beliefs.push(belief);
            }
            if claims.beliefs.len() >= limit.saturating_mul(KEPT_FACTOR).max(1) {
                claims.keep(limit);
            }
            true
        }
        Err(error) => {
            failure = Some(error);
            false
        }
    })?;
    claims.keep(limit);
    failure.map_or(Ok(claims), Err)
}

impl Claims {
    fn keep(&mut self, limit: usize) {
        self.beliefs
            .sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.key.cmp(&b.key)));
        self.beliefs.truncate(limit);
    }
}
