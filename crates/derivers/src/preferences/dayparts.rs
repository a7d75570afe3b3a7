//! Preferences from routines: somebody who runs in the morning, week after week, prefers mornings.
//!
//! A derivation from other derived claims: the inputs are the current beliefs of another deriver. A
//! routine counts by its confidence and its number of days a week, so the preference follows the
//! routine when its confidence, days or part of the day change, and is invalidated with it.

use kernel::id::OpId;
use kernel::when::When;
use serde_json::Value;

use super::lexicon::DAYPARTS;
use crate::{Belief, Record};

/// Prefix of the claim types of routines.
const ROUTINES: &str = "routine.";

/// A routine and its part of the day.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Routine {
    pub(super) id: OpId,
    pub(super) daypart: &'static str,
    /// Days a week, 1 … 7.
    pub(super) days: f64,
    pub(super) confidence: f64,
    pub(super) valid_from: Option<When>,
    pub(super) text: String,
}

/// Whether a belief is a routine.
pub(super) fn is_routine(belief: &Belief) -> bool {
    belief.claim_type.starts_with(ROUTINES)
}

/// Reads a routine; `None` if its part of the day is unknown.
pub(super) fn routine(record: &Record) -> Option<Routine> {
    let belief = record.belief().filter(|belief| is_routine(belief))?;
    let told = belief
        .payload
        .get("daypart")
        .map(|daypart| daypart.as_str().unwrap_or_default().trim().to_lowercase());
    // A corrected payload counts even if its value is not a part of the day; the key is used only
    // if the payload has none.
    let daypart = told
        .unwrap_or_else(|| belief.identity_key.rsplit('|').next().unwrap_or_default().to_owned());
    let daypart = DAYPARTS.into_iter().find(|known| *known == daypart)?;
    let confidence =
        if belief.confidence.is_finite() { belief.confidence.clamp(0.0, 1.0) } else { 0.0 };
    Some(Routine {
        id: record.id,
        daypart,
        days: days(belief),
        confidence,
        valid_from: belief.valid_from.clone(),
        text: belief.text.chars().take(120).collect(),
    })
}

fn days(belief: &Belief) -> f64 {
    let count = match belief.payload.get("days") {
        Some(Value::Array(days)) => days.len(),
        Some(Value::String(days)) => days.split(',').count(),
        _ if belief.claim_type == "routine.daily" => 7,
        _ => belief.identity_key.rsplit('|').nth(1).map_or(1, |days| days.split(',').count()),
    };
    count.clamp(1, 7) as f64
}
