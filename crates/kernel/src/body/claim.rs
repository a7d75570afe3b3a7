//! Claims: versions of beliefs.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fields::words;
use crate::evidence::Visibility;
use crate::when::When;

/// The last record of something that repeats and of which no record says that it ended: the date
/// that the record holds, and for how long after it the thing is presumed to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastSeen {
    /// When the last record shows it.
    pub at: When,
    /// Days after that date within which it is presumed to go on.
    pub grace_days: u32,
}

impl LastSeen {
    /// Seen last at `at`, and presumed to go on for `grace_days` days.
    pub fn new(at: When, grace_days: i64) -> Self {
        Self { at, grace_days: u32::try_from(grace_days.max(0)).unwrap_or(u32::MAX) }
    }

    /// The first date on which it is no longer presumed to go on.
    pub fn presumed_until(&self) -> When {
        let grace = SignedDuration::from_hours(i64::from(self.grace_days) * 24);
        When::from_date(self.at.date().saturating_add(grace))
    }
}

/// When (exclusive, microseconds since the Unix epoch) a statement is no longer true: at the end
/// that a record holds, otherwise when its grace is over; `None` where neither is known.
pub fn end_us(valid_to: Option<&When>, last_seen: Option<&LastSeen>) -> Option<i64> {
    let presumed_us = || last_seen.map(|last| last.presumed_until().instant_us());
    valid_to.map(When::instant_us).or_else(presumed_us)
}

words! {
    /// What a claim that is stated in words says. Derivers have types of their own, with dots.
    TextClaimType, "type of claim" {
        /// How something is.
        Fact = "fact",
        /// What somebody likes, or how they want something done.
        Preference = "preference",
        /// What is taken to be true until it is known.
        Assumption = "assumption",
        /// What somebody wants to reach.
        Goal = "goal",
    }
}

/// Which logic made a claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Deriver {
    /// The deriver's or model's name.
    pub name: String,
    /// Its semantic version.
    pub version: String,
    /// False for a model, whose answer cannot be computed again.
    #[serde(default = "yes")]
    pub deterministic: bool,
}

fn yes() -> bool {
    true
}

/// Body of a `claim`: one version of a belief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Dotted type, e.g. `routine.weekly`; reverse-DNS for third parties.
    pub claim_type: String,
    /// What it is a version of.
    pub identity_key: String,
    /// Whom it is about.
    #[serde(default = "self_subject")]
    pub subject: String,
    /// The belief in words.
    #[serde(default)]
    pub text: String,
    /// The belief as data.
    #[serde(default)]
    pub payload: Value,
    /// Which logic made it; none when a person stated it.
    #[serde(default)]
    pub deriver: Option<Deriver>,
    /// Probability that it is true, 0 … 1.
    #[serde(default)]
    pub confidence: f64,
    /// Everything needed to compute the confidence again.
    #[serde(default)]
    pub confidence_basis: Value,
    /// Why, in words.
    #[serde(default)]
    pub rationale: String,
    /// The latest time that the deriver had seen.
    #[serde(default)]
    pub valid_at: Option<When>,
    /// From when it is true in the world.
    #[serde(default)]
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true in the world, where a record holds that date.
    #[serde(default)]
    pub valid_to: Option<When>,
    /// The last record of it, where no record says that it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<LastSeen>,
    /// Who may see it.
    #[serde(default)]
    pub visibility: Visibility,
    /// Labels.
    #[serde(default)]
    pub tags: Vec<String>,
}

fn self_subject() -> String {
    "self".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_the_recorded_one_or_the_last_record_and_its_grace() {
        let when = |text| When::parse(text).unwrap();
        let last = LastSeen::new(when("2025-03-18T18:00:00+01:00"), 22);
        assert_eq!(last.presumed_until(), when("2025-04-09"));
        let (end, recorded) = (when("2025-04-09"), when("2025-03-05"));
        assert_eq!(end_us(None, Some(&last)), Some(end.instant_us()));
        assert_eq!(end_us(Some(&recorded), Some(&last)), Some(recorded.instant_us()));
        assert_eq!(end_us(None, None), None);
    }

    #[test]
    fn a_grace_beyond_the_calendar_ends_with_it() {
        let last = LastSeen::new(When::parse("2025-03-18").unwrap(), i64::MAX);
        assert_eq!(last.presumed_until().as_str(), "9999-12-31");
        assert_eq!(LastSeen::new(last.at, -1).grace_days, 0);
    }
}
