//! Preferences from routines: whoever runs in the morning, week after week, prefers mornings.
//!
//! The layered case: what goes in are beliefs of another deriver, as they are served. A routine
//! counts by how sure it is and how many days of the week it has, so the preference follows the
//! routine when its confidence, its days or its part of the day change, and falls with it.

use kernel::id::OpId;
use kernel::when::When;
use serde_json::Value;

use super::lexicon::DAYPARTS;
use crate::{Belief, Record};

/// What the claim types of routines begin with.
const ROUTINES: &str = "routine.";

/// What a routine says of the day.
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

/// Whether a belief may be a routine.
pub(super) fn is_routine(belief: &Belief) -> bool {
    belief.claim_type.starts_with(ROUTINES)
}

/// Reads a routine; none if no part of the day is known of it.
pub(super) fn routine(record: &Record) -> Option<Routine> {
    let belief = record.belief().filter(|belief| is_routine(belief))?;
    let told = belief
        .payload
        .get("daypart")
        .map(|daypart| daypart.as_str().unwrap_or_default().trim().to_lowercase());
    // What a correction says counts, also when it is no part of a day; the key is asked only where
    // the payload is silent.
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
