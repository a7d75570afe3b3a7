//! Routines: activities on the same days of the week, or every day, at the same time of day.
//!
//! A group is a title. Its events and notes become *occurrences*. The occurrences in one part of
//! the day are divided into sets of weekdays that keep the same rhythm (`days`). For each set,
//! every possible pattern is scored: around which hour, every week or every second one, from when
//! to when (`rhythm`). The best pattern becomes the claim (`claim`).
//!
//! Taking the *best* pattern makes confidence monotone. Each measure of one pattern (its
//! occurrences, the share of expected days that they cover, how unlikely they are by chance) can
//! only grow with one more occurrence, so the best score can only grow too; an event after a long
//! pause starts another pattern and takes nothing from the old one.
//!
//! | module | answers |
//! |---|---|
//! | `occurrence` | which records show that it happened, and when? |
//! | `days` | which weekdays form one habit? |
//! | `rhythm` | how regular is it, at its best, and since when? |
//! | `by_rule` | what does the rule of a series say outright? |
//! | `claim` | what is the claim's text, payload and confidence? |

mod by_rule;
mod claim;
mod clock_words;
mod days;
mod occurrence;
mod rhythm;

use std::collections::BTreeSet;

use kernel::id::OpId;

use crate::cancelled::is_declined;
use crate::owner::Owner;
use crate::{CANDIDATES_MAX, Candidate, ClaimType, Deriver, Record};

/// Base rate: most titles that recur a few times are not a weekly routine.
pub const WEEKLY_PRIOR: f64 = 0.30;
/// Base rate of daily routines.
pub const DAILY_PRIOR: f64 = 0.30;
/// Base rate of monthly routines.
pub const MONTHLY_PRIOR: f64 = 0.30;
/// Most log-odds that the number of occurrences adds, and at what rate: the tenth adds less than
/// the second.
pub const COUNT_LOG_ODDS_MAX: f64 = 0.80;
/// See [`COUNT_LOG_ODDS_MAX`].
pub const COUNT_RATE: f64 = 0.17;
/// Log-odds of occurrences within one week, what many weeks add to them, and at what rate per week
/// beyond the first.
pub const WEEKS_LOG_ODDS_MIN: f64 = -1.60;
/// See [`WEEKS_LOG_ODDS_MIN`].
pub const WEEKS_LOG_ODDS_RANGE: f64 = 3.00;
/// See [`WEEKS_LOG_ODDS_MIN`].
pub const WEEKS_RATE: f64 = 0.35;
/// Log-odds of a pattern that covers none of its expected days, and what full coverage adds to
/// them.
pub const REGULARITY_LOG_ODDS_MIN: f64 = -3.80;
/// See [`REGULARITY_LOG_ODDS_MIN`].
pub const REGULARITY_LOG_ODDS_RANGE: f64 = 6.50;
/// Weeks added to those that were missed, as smoothing: three of three is weaker than thirty of
/// thirty.
pub const MISSED_WEEKS: f64 = 1.0;
/// Log-odds of occurrences that chance explains as well, what the clearest contrast adds to them,
/// and at what rate per unit of log-likelihood.
pub const COINCIDENCE_LOG_ODDS_MIN: f64 = -1.80;
/// See [`COINCIDENCE_LOG_ODDS_MIN`].
pub const COINCIDENCE_LOG_ODDS_RANGE: f64 = 2.70;
/// See [`COINCIDENCE_LOG_ODDS_MIN`].
pub const COINCIDENCE_RATE: f64 = 0.12;
/// Most log-odds that a recurring series adds: the owner stated explicitly that it recurs.
pub const SERIES_LOG_ODDS_MAX: f64 = 0.30;
/// At what rate, per occurrence of a series.
pub const SERIES_RATE: f64 = 0.50;
/// Most log-odds that further sources add.
pub const SOURCES_LOG_ODDS_MAX: f64 = 0.80;
/// At what rate, per source beyond the first.
pub const SOURCES_RATE: f64 = 0.70;
/// Log-odds of every second week: two phases are tried, so chance has two tries.
pub const EVERY_SECOND_WEEK: f64 = -0.70;

/// The unit of weights, in twentieths: a past occurrence that was entered by itself.
pub const WEIGHT_ONE: u32 = 20;
/// Weight of an occurrence of a recurring series: the series is one statement, and nobody deletes
/// the occurrences that did not take place.
pub const WEIGHT_SERIES: u32 = 12;
/// Weight of a future occurrence, a plan.
pub const WEIGHT_PLAN: u32 = 5;

/// Most minutes between a start and the usual one.
pub const OFF_HOUR_MINUTES_MAX: i64 = 60;
/// Most minutes between a start and the border of two parts of the day for the start to be assigned
/// to the part where most of them are.
pub const BORDER_MINUTES: i64 = 45;
/// All starts near a border are assigned to the part before it if this many times more are before
/// it than after it: intended times are mostly full hours.
pub const BEFORE_BORDER_TIMES: usize = 2;
/// Fewest occurrences of a claim.
pub const OCCURRENCES_MIN: usize = 3;
/// Fewest occurrences of a claim if the owner entered a series.
pub const SERIES_OCCURRENCES_MIN: usize = 2;
/// Least frequency of a weekday, relative to the others, with which it joins them.
pub const RARER_MIN: f64 = 0.40;
/// Least share of the longer of two time spans that the shorter must overlap for two weekdays to
/// join.
pub const OVERLAP_MIN: f64 = 0.50;
/// Longest pause within a season, in periods.
pub const PAUSE_PERIODS_MAX: i64 = 4;
/// The same for daily routines, days: holidays are two weeks long.
pub const PAUSE_DAYS_MAX: i64 = 14;
/// A weekly routine counts as stopped after this many periods without an occurrence.
pub const HORIZON_PERIODS: i64 = 3;
/// A daily routine counts as stopped after this many days without one.
pub const HORIZON_DAYS: i64 = 10;
/// Days after its last occurrence for which an endless series is presumed to go on: as far as
/// calendars are looked into the future.
pub const ENDLESS_GRACE_DAYS: i64 = 366;
/// Most records that a claim cites: the latest, and the first of their season.
pub const INPUTS_MAX: usize = 128;
/// Most plans among them, if there are more than enough of both.
pub const PLANS_CITED_MAX: usize = 32;

/// Claim type of routines on certain days of the week.
pub const WEEKLY: &str = "routine.weekly";
/// Claim type of daily routines.
pub const DAILY: &str = "routine.daily";

/// Claim type of monthly routines, which only the rule of a series states.
pub const MONTHLY: &str = "routine.monthly";

const TYPES: [ClaimType; 3] = [
    ClaimType { name: DAILY, prior: DAILY_PRIOR },
    ClaimType { name: MONTHLY, prior: MONTHLY_PRIOR },
    ClaimType { name: WEEKLY, prior: WEEKLY_PRIOR },
];

/// The deriver `routines`.
#[derive(Clone, Debug, Default)]
pub struct Routines {
    owner: Owner,
}

impl Routines {
    /// The deriver for an owner who said who they are.
    pub fn of(owner: Owner) -> Self {
        Self { owner }
    }
}

impl Deriver for Routines {
    fn name(&self) -> &'static str {
        "routines"
    }

    fn version(&self) -> &'static str {
        "1.5.0"
    }

    fn parameters(&self) -> String {
        self.owner.parameters()
    }

    fn claim_types(&self) -> &[ClaimType] {
        &TYPES
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let is_declined = record.evidence().is_some_and(|event| is_declined(event, &self.owner));
        if is_declined { BTreeSet::new() } else { occurrence::group(record).into_iter().collect() }
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let series = by_rule::series_of(records);
        let has_own = |id: &OpId| series.get(id).is_some_and(|of| by_rule::own_rule(of).is_some());
        let (by_rule, entries): (Vec<_>, Vec<_>) =
            occurrence::entries(group, records).into_iter().partition(|entry| has_own(&entry.id));
        let slots = occurrence::slots(entries);
        let mut patterns = Vec::new();
        for part in slots.chunk_by(|one, next| one.daypart == next.daypart) {
            for weekdays in days::weekday_sets(part) {
                patterns.extend(rhythm::best_pattern(&slots, part, weekdays));
            }
        }
        let mut candidates = claim::candidates(group, &patterns, &series);
        let of_rules = by_rule::candidates(group, &series, &by_rule);
        // Records of the title may show the rhythm of a series that ended.
        let is_new =
            |one: &Candidate| candidates.iter().all(|other| other.identity_key != one.identity_key);
        let of_rules: Vec<Candidate> = of_rules.into_iter().filter(is_new).collect();
        candidates.extend(of_rules);
        candidates.truncate(CANDIDATES_MAX);
        candidates
    }
}
