//! Lists of beliefs.
//!
//! A list shows the present state of the ledger or, with `as_of`, an earlier one: then only the
//! operations up to that time in the space's order count. The surest belief comes first. Whether a
//! belief is true at a time in the world (`valid_at`) differs from whether it was held then.
//!
//! The store keeps a view with a row for each identity ([`BeliefFilter`]), so a list reads only the
//! beliefs that it returns. As of a time, the view serves all identities that have not changed
//! since; the others are evaluated one by one. A filter by words reads the served bodies of all
//! rows ([`words`]). All identities are evaluated if a read-only file of an earlier version has no
//! view.

use std::collections::BTreeSet;

use kernel::body::end_us;
use kernel::confidence::Band;
use kernel::id::OpId;
use kernel::identity::TEXT_KEY;
use kernel::records::RecordStatus;
use kernel::snapshot::Snapshot;
use kernel::validity::State;
use serde_json::{Value, json};
use store::StoreError;
use store::sqlite::{BeliefFilter, BeliefPage, SqliteLedgerIndex, first_after};

use crate::belief::{Belief, Beliefs, Bodies};
use crate::graph::VALUES_RAW;
use crate::private::{Disclosure, Privacy};
use crate::recall::facts::ACTIVE_CONFIDENCE_MIN;
use crate::{EngineError, Reader};

mod words;

use words::Words;

/// Beliefs kept while more are looked at, in multiples of the limit.
const KEPT_FACTOR: usize = 2;

/// Which states to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum States {
    /// Those with a served belief: active and corrected.
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
    /// By state; what edges displace has none of these.
    pub states: States,
    /// Or displaced by edges in one of these ways.
    pub displaced: Vec<RecordStatus>,
    /// With all of these tags. Values as they were given are listed by their tag alone.
    pub tags: Vec<String>,
    /// With a tag that begins with this.
    pub tag_prefix: Option<String>,
    /// By type: `routine.weekly`, or a family, `routine`.
    pub claim_type: Option<String>,
    /// By confidence.
    pub band: Option<Band>,
    /// True in the world at this time, microseconds since the Unix epoch.
    pub valid_at_us: Option<i64>,
    /// With this text in the words, key or data, in any letter case.
    pub contains: Option<String>,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
    /// Of believed ones, only those that are neither over at this time nor yet to begin,
    /// microseconds since the Unix epoch.
    pub current_at_us: Option<i64>,
    /// Of believed ones, only those with at least this confidence.
    pub confidence_min: Option<f64>,
    /// Who reads it.
    pub disclosure: Disclosure,
    /// Without these identities, which the reader has in a space of their own.
    pub hidden: BTreeSet<String>,
}

/// A list of beliefs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// The surest first, then by key.
    pub beliefs: Vec<Belief>,
    /// How many there are, with those beyond the limit. Without private claims, one beyond it at
    /// most.
    pub total: usize,
    /// How many more there would be, were they neither over nor yet to begin.
    pub over: usize,
    /// How many more there would be, were their confidence not below the minimum.
    pub below_minimum: usize,
    /// Claims and corrections of listed beliefs that were left out, because the file no longer
    /// holds them as they were signed.
    pub altered: Vec<OpId>,
}

/// How a filter takes a belief.
enum Admission {
    Admitted,
    Refused,
    /// Refused only because its time is over or yet to begin.
    Over,
    /// Refused only because its confidence is below the minimum.
    BelowMinimum,
}

impl ClaimFilter {
    /// The same without what a list leaves out unless all is asked for: believed ones that are over
    /// or yet to begin, and those below [`ACTIVE_CONFIDENCE_MIN`]. What is true at a time is not
    /// over then, and a band that is named is listed in full.
    #[must_use]
    pub fn in_force(self, now_us: i64) -> Self {
        Self {
            current_at_us: self.valid_at_us.is_none().then(|| self.listed_at_us(now_us)),
            confidence_min: self.band.is_none().then_some(ACTIVE_CONFIDENCE_MIN),
            ..self
        }
    }

    /// The time as of which the list is.
    pub fn listed_at_us(&self, now_us: i64) -> i64 {
        current_at_us(now_us, self.as_of_us)
    }

    fn admission(&self, belief: &Belief, contains: Option<&Words>) -> Admission {
        let is_believed = belief.served.is_some();
        if !self.admits(belief, contains) {
            Admission::Refused
        } else if is_believed && self.current_at_us.is_some_and(|at| !is_current(belief, at)) {
            Admission::Over
        } else if is_believed && self.confidence_min.is_some_and(|min| belief.confidence < min) {
            Admission::BelowMinimum
        } else {
            Admission::Admitted
        }
    }

    fn admits(&self, belief: &Belief, contains: Option<&Words>) -> bool {
        let state = match (&self.states, belief.displaced) {
            (States::Any, _) => belief.state != State::None,
            (_, Some(displaced)) => self.displaced.contains(&displaced),
            (States::Believed, None) => {
                matches!(belief.state, State::Active | State::Corrected)
            }
            (States::These(states), None) => states.contains(&belief.state),
        };
        state
            && !self.hides(belief)
            && !self.hidden.contains(&belief.key)
            && self.disclosure.admits(belief.visibility)
            && words::have_tags(&belief.tags, &self.tags, self.tag_prefix.as_deref())
            && self
                .claim_type
                .as_deref()
                .is_none_or(|family| is_of_family(&belief.claim_type, family))
            && self.band.is_none_or(|band| band_of(belief) == Some(band))
            && self.valid_at_us.is_none_or(|at| is_true_at(belief, at))
            && contains.is_none_or(|words| words.are_in(&belief.text, &belief.key, &belief.payload))
    }

    /// Whether a belief is listed by its tag alone: values as they were given.
    fn hides(&self, belief: &Belief) -> bool {
        let has = |tags: &[String]| tags.iter().any(|tag| tag == VALUES_RAW);
        has(&belief.tags) && !has(&self.tags)
    }
}

pub(crate) fn is_of_family(claim_type: &str, family: &str) -> bool {
    claim_type.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The time at which something is current, microseconds since the Unix epoch: now, or then as of an
/// earlier time. Of a time to come, memory knows no more than of now.
pub fn current_at_us(now_us: i64, as_of_us: Option<u64>) -> i64 {
    let as_of_us = as_of_us.and_then(|at| i64::try_from(at).ok());
    as_of_us.map_or(now_us, |at| at.min(now_us))
}

/// Whether the time of a belief is over at a time. What begins later is not over.
pub fn is_over(belief: &Belief, at_us: i64) -> bool {
    end_us(belief.valid_to.as_ref(), belief.last_seen.as_ref()).is_some_and(|end| end <= at_us)
}

/// Whether a list of what is believed at a time has a belief: it is not over, and has begun unless
/// it is derived. What is derived and begins later is a plan.
fn is_current(belief: &Belief, at_us: i64) -> bool {
    match is_in_words(belief) {
        true => is_true_at(belief, at_us),
        false => !is_over(belief, at_us),
    }
}

/// Whether a belief is a claim in words, rather than one that a deriver concluded.
pub fn is_in_words(belief: &Belief) -> bool {
    belief.key.starts_with(TEXT_KEY)
}

/// Whether a belief is true in the world at a time, microseconds since the Unix epoch.
pub fn is_true_at(belief: &Belief, at_us: i64) -> bool {
    begins_us(belief).is_none_or(|from| from <= at_us) && !is_over(belief, at_us)
}

/// A day, and how far the first zone is ahead of UTC, microseconds.
pub(crate) const DAY_US: i64 = 24 * 3_600 * 1_000_000;
pub(crate) const FIRST_ZONE_US: i64 = 14 * 3_600 * 1_000_000;

/// When a belief begins to be true, microseconds since the Unix epoch. What derivers say begins on
/// a day where its records are, of which only the day is known: it begins when that day begins in
/// the first zone. Else a preference stated this morning in Auckland would be one of tomorrow.
pub fn begins_us(belief: &Belief) -> Option<i64> {
    let from_us = belief.valid_from.as_ref()?.instant_us();
    let is_day = !is_in_words(belief) && from_us % DAY_US == 0;
    Some(if is_day { from_us.saturating_sub(FIRST_ZONE_US) } else { from_us })
}

/// The confidence of a belief in words; `None` if nothing is believed.
pub fn band_of(belief: &Belief) -> Option<Band> {
    belief.served.map(|_| Band::of(belief.confidence))
}

/// The state of a belief in a word, or how edges displace it.
pub fn state_of(belief: &Belief) -> &'static str {
    belief.displaced.map_or(belief.state.as_str(), RecordStatus::as_str)
}

/// A belief as the commands print it in JSON.
pub fn to_json(belief: &Belief) -> Value {
    let mut value = json!({
        "key": belief.key,
        "state": state_of(belief),
        "canonical": belief.canonical,
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
        "last_seen": belief.last_seen,
        "visibility": belief.visibility,
        "tags": belief.tags,
    });
    if let Some(stated) = belief.stated_visibility {
        value["stated_visibility"] = json!(stated);
    }
    value
}

/// How edges displace a claim.
const DISPLACED: [RecordStatus; 2] = [RecordStatus::Superseded, RecordStatus::Alias];

/// Every state except that of an identity without a claim.
const STATED: [State; 5] =
    [State::Refuted, State::Corrected, State::Retracted, State::Active, State::Invalidated];

impl States {
    fn listed(&self) -> Vec<State> {
        match self {
            Self::Believed => vec![State::Active, State::Corrected],
            Self::These(states) => states.clone(),
            Self::Any => STATED.to_vec(),
        }
    }
}

impl Reader<'_> {
    /// The beliefs that pass the filter, at most `limit` of them.
    pub fn claims(&self, filter: &ClaimFilter, limit: usize) -> Result<Claims, EngineError> {
        let mut claims = match filter.disclosure {
            Disclosure::WithoutPrivate => self.claims_without_private(filter, limit)?,
            // Of another space, the list has only what every project may see, but for the past.
            Disclosure::Full | Disclosure::GlobalOnly => {
                let mut claims = self.listed_claims(filter, limit)?;
                let before = claims.beliefs.len();
                self.drop_withheld(&mut claims.beliefs, filter.disclosure)?;
                claims.total = claims.total.saturating_sub(before - claims.beliefs.len());
                claims
            }
        };
        // What is not served has nothing to show but words that are no longer believed.
        let shown = |belief: &Belief| belief.served.or(belief.current);
        claims.altered = self.take_altered(&mut claims.beliefs, shown)?;
        if filter.disclosure == Disclosure::Full {
            self.mark_private(&mut claims.beliefs)?;
        }
        Ok(claims)
    }

    /// Says of beliefs whether they are private by what they stand on. What derivers conclude
    /// states that itself, unless it was said of a record later.
    fn mark_private(&self, beliefs: &mut [Belief]) -> Result<(), EngineError> {
        Ok(self.store.on_snapshot(|index| {
            let mut privacy = Privacy::of(index);
            for belief in beliefs {
                if let Some(id) = belief.served.or(belief.current) {
                    let Belief { visibility, stated_visibility, .. } = belief;
                    privacy.mark(&id, visibility, stated_visibility)?;
                }
            }
            Ok::<_, StoreError>(())
        })?)
    }
}

impl Reader<'_> {
    /// The same, with private claims.
    fn listed_claims(&self, filter: &ClaimFilter, limit: usize) -> Result<Claims, EngineError> {
        self.store.on_snapshot(|index| match page(index, filter, limit)? {
            Some(page) => Ok(list(index, filter, page, limit)?),
            None => Ok::<_, EngineError>(list_without_view(index, filter, limit)?),
        })
    }

    /// The same without private claims. They are not counted either, so no more is counted than one
    /// belief beyond the limit.
    fn claims_without_private(
        &self,
        filter: &ClaimFilter,
        limit: usize,
    ) -> Result<Claims, EngineError> {
        // A list that left out private ones would be short without being at its end.
        let with_private = ClaimFilter { disclosure: Disclosure::Full, ..filter.clone() };
        let mut looked_at = limit.saturating_add(1);
        loop {
            let Claims { mut beliefs, .. } = self.listed_claims(&with_private, looked_at)?;
            let is_all = beliefs.len() < looked_at;
            self.drop_withheld(&mut beliefs, filter.disclosure)?;
            if is_all || beliefs.len() > limit {
                let total = beliefs.len();
                beliefs.truncate(limit);
                return Ok(Claims { beliefs, total, ..Claims::default() });
            }
            looked_at = looked_at.saturating_mul(4);
        }
    }

    /// The identities of which something is, or at a time was, for every project; and maybe others.
    pub fn global_keys(&self, as_of_us: Option<u64>) -> Result<Vec<String>, EngineError> {
        let rows = BeliefFilter {
            states: STATED.to_vec(),
            displaced: DISPLACED.to_vec(),
            only_global: true,
            ..BeliefFilter::default()
        };
        let mut keys = BTreeSet::new();
        self.store.on_snapshot(|index| {
            let listed = index.list_beliefs_where(&rows, 0, |row| {
                keys.insert(row.key.to_owned());
                Ok::<_, StoreError>(false)
            })?;
            if listed.is_none() {
                index.identity_keys(|key| {
                    keys.insert(key);
                    true
                })?;
            } else if let Some(until) = as_of_us {
                keys.extend(index.beliefs_changed_since(until, false)?);
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(keys.into_iter().collect())
    }

    /// Drops beliefs that are withheld from a reader.
    fn drop_withheld(
        &self,
        beliefs: &mut Vec<Belief>,
        disclosure: Disclosure,
    ) -> Result<(), EngineError> {
        if disclosure == Disclosure::Full {
            return Ok(());
        }
        Ok(self.store.on_snapshot(|index| {
            let mut privacy = Privacy::of(index);
            let mut shown = Vec::with_capacity(beliefs.len());
            for mut belief in beliefs.drain(..) {
                if privacy.is_belief_withheld(&belief, disclosure)? {
                    continue;
                }
                if let Some(canonical) = belief.canonical
                    && privacy.is_withheld(&canonical, disclosure)?
                {
                    belief.canonical = None;
                }
                shown.push(belief);
            }
            *beliefs = shown;
            Ok::<_, StoreError>(())
        })?)
    }
}

/// The beginning of the list of those beliefs that the view answers for; none without the view.
fn page(
    index: &SqliteLedgerIndex<'_>,
    filter: &ClaimFilter,
    limit: usize,
) -> Result<Option<BeliefPage>, StoreError> {
    // One more, since one of them may be hidden: the values as they were given.
    let limit = limit.saturating_add(1);
    let rows = BeliefFilter {
        states: filter.states.listed(),
        displaced: match &filter.states {
            States::Any => DISPLACED.to_vec(),
            _ => filter.displaced.clone(),
        },
        claim_type: filter.claim_type.clone(),
        band: filter.band,
        valid_at_us: filter.valid_at_us,
        unchanged_since_us: filter.as_of_us,
        current_at_us: filter.current_at_us,
        confidence_min: filter.confidence_min,
        only_global: filter.disclosure == Disclosure::GlobalOnly,
        tagged: index.selective_tag(&filter.tags, filter.tag_prefix.as_deref())?,
    };
    let words = filter.contains.as_deref().map(Words::new);
    let is_shared = filter.disclosure == Disclosure::GlobalOnly;
    let prefix = filter.tag_prefix.as_deref();
    let is_tagged = !filter.tags.is_empty() || prefix.is_some();
    if words.is_none() && !is_tagged && filter.hidden.is_empty() && !is_shared {
        return index.list_beliefs(&rows, limit);
    }
    let mut privacy = Privacy::of(index);
    let mut beliefs = Beliefs::of(index);
    index.list_beliefs_where(&rows, limit, |row| {
        if filter.hidden.contains(row.key) {
            return Ok(false);
        }
        // The view does not know what stands on something private.
        if is_shared && privacy.is_belief_withheld(&beliefs.get(row.key)?, filter.disclosure)? {
            return Ok(false);
        }
        let is_worded = match &words {
            Some(words) => words.are_served_by(row),
            None => Some(true),
        };
        let is_tagged = match (filter.tags.as_slice(), prefix) {
            ([], None) => Some(true),
            (tags, prefix) => words::are_tagged(tags, prefix, row),
        };
        match (is_worded, is_tagged) {
            (Some(false), _) | (_, Some(false)) => Ok(false),
            (Some(true), Some(true)) => Ok(true),
            _ => Ok(filter.admits(&beliefs.get(row.key)?, words.as_ref())),
        }
    })
}

/// The list, from the rows of the view.
fn list(
    index: &SqliteLedgerIndex<'_>,
    filter: &ClaimFilter,
    page: BeliefPage,
    limit: usize,
) -> Result<Claims, StoreError> {
    let mut claims = Gathered::new(filter, limit);
    let mut hidden = 0;
    let mut beliefs = Beliefs::of(index);
    for key in &page.keys {
        let belief = beliefs.get(key)?;
        hidden += usize::from(filter.hides(&belief));
        claims.add(belief);
    }
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    claims.total = number(page.total).saturating_sub(hidden);
    (claims.over, claims.below_minimum) = (number(page.over), number(page.below_minimum));
    if let Some(until) = filter.as_of_us {
        let then = Snapshot::before(index, first_after(until));
        // What nothing had spoken of by then had no state then.
        let with_unspoken = filter.states.listed().contains(&State::None);
        let mut beliefs = Beliefs::of(&then);
        for key in index.beliefs_changed_since(until, with_unspoken)? {
            claims.add(beliefs.get(&key)?);
        }
    }
    Ok(claims.finish())
}

/// The same list, by evaluating every identity.
fn list_without_view(
    index: &SqliteLedgerIndex<'_>,
    filter: &ClaimFilter,
    limit: usize,
) -> Result<Claims, StoreError> {
    let mut claims = Gathered::new(filter, limit);
    each_belief(index, filter.as_of_us, |belief| claims.add(belief))?;
    Ok(claims.finish())
}

/// Evaluates every identity, now or as of a time.
fn each_belief(
    index: &SqliteLedgerIndex<'_>,
    as_of_us: Option<u64>,
    mut visit: impl FnMut(Belief),
) -> Result<(), StoreError> {
    let then = as_of_us.map(|until| Snapshot::before(index, first_after(until)));
    let seen: &dyn Bodies = match &then {
        Some(then) => then,
        None => index,
    };
    let mut beliefs = Beliefs::of(seen);
    let mut failure = None;
    index.identity_keys(|key| match beliefs.get(&key) {
        Ok(belief) => {
            visit(belief);
            true
        }
        Err(error) => {
            failure = Some(error);
            false
        }
    })?;
    failure.map_or(Ok(()), Err)
}

/// The best of the evaluated beliefs, and how many passed the filter.
struct Gathered<'a> {
    filter: &'a ClaimFilter,
    contains: Option<Words>,
    limit: usize,
    beliefs: Vec<Belief>,
    total: usize,
    over: usize,
    below_minimum: usize,
}

impl<'a> Gathered<'a> {
    fn new(filter: &'a ClaimFilter, limit: usize) -> Self {
        let contains = filter.contains.as_deref().map(Words::new);
        Self { filter, contains, limit, beliefs: Vec::new(), total: 0, over: 0, below_minimum: 0 }
    }

    fn add(&mut self, belief: Belief) {
        match self.filter.admission(&belief, self.contains.as_ref()) {
            Admission::Admitted => {
                self.total += 1;
                self.beliefs.push(belief);
            }
            Admission::Over => self.over += 1,
            Admission::BelowMinimum => self.below_minimum += 1,
            Admission::Refused => {}
        }
        if self.beliefs.len() >= self.limit.saturating_mul(KEPT_FACTOR).max(1) {
            self.keep_best();
        }
    }

    fn keep_best(&mut self) {
        self.beliefs
            .sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.key.cmp(&b.key)));
        self.beliefs.truncate(self.limit);
    }

    fn finish(mut self) -> Claims {
        self.keep_best();
        let Self { beliefs, total, over, below_minimum, .. } = self;
        Claims { beliefs, total, over, below_minimum, altered: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
