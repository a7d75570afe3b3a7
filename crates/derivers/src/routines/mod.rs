//! Routines: what a person does on the same days of the week, or every day, at the same time of
//! day.
//!
//! A group is a title. Its events and notes become *occurrences*; those of one part of the day are
//! sorted into sets of weekdays that keep the same rhythm (`days`), and each set is read in every
//! way it could be meant: around which hour, every week or every second one, from when to when
//! (`rhythm`). The best reading is the claim (`claim`).
//!
//! That the *best* reading counts is what makes confidence monotone. Whatever is measured of one
//! reading (its occurrences, the share of expected days that they cover, how unlikely they are by
//! chance) can only grow with one more occurrence of it, so the best can only grow too; an event
//! after a long pause begins another reading and takes nothing from the old one.
//!
//! | module | answers |
//! |---|---|
//! | `occurrence` | which records say that it happened, and when? |
//! | `days` | which weekdays belong together? |
//! | `rhythm` | how regular is it, at its best, and since when? |
//! | `claim` | what is believed, in words and as data, and how surely? |

mod claim;
mod clock_words;
mod days;
mod occurrence;
mod rhythm;

use std::collections::BTreeSet;

use crate::{CANDIDATES_MAX, Candidate, ClaimType, Deriver, Record};

/// Base rate: most titles that recur a few times are no weekly routine.
pub const WEEKLY_PRIOR: f64 = 0.30;
/// Base rate of what comes daily.
pub const DAILY_PRIOR: f64 = 0.30;
/// Most log-odds that the number of occurrences adds, and how fast: the tenth adds less than the
/// second.
pub const COUNT_MOST: f64 = 0.80;
/// See [`COUNT_MOST`].
pub const COUNT_RATE: f64 = 0.17;
/// Log-odds of what is all in one week, what many weeks add to them, and how fast, per week beyond
/// the first.
pub const WEEKS_LEAST: f64 = -1.60;
/// See [`WEEKS_LEAST`].
pub const WEEKS_SPAN: f64 = 3.00;
/// See [`WEEKS_LEAST`].
pub const WEEKS_RATE: f64 = 0.35;
/// Log-odds of a reading that covers none of its expected days, and what full coverage adds to
/// them.
pub const REGULARITY_LEAST: f64 = -3.80;
/// See [`REGULARITY_LEAST`].
pub const REGULARITY_SPAN: f64 = 6.50;
/// Weeks that are taken to have been missed beside those that were: three of three is less than
/// thirty of thirty.
pub const MISSED_WEEKS: f64 = 1.0;
/// Log-odds of what chance explains as well, what the clearest contrast adds to them, and how fast
/// (per unit of log-likelihood).
pub const COINCIDENCE_LEAST: f64 = -1.80;
/// See [`COINCIDENCE_LEAST`].
pub const COINCIDENCE_SPAN: f64 = 2.70;
/// See [`COINCIDENCE_LEAST`].
pub const COINCIDENCE_RATE: f64 = 0.12;
/// Most log-odds that a recurring series adds: the owner said in so many words that it recurs.
pub const SERIES_MOST: f64 = 0.30;
/// How fast, per occurrence of a series.
pub const SERIES_RATE: f64 = 0.50;
/// Most log-odds that further sources add.
pub const SOURCES_MOST: f64 = 0.80;
/// How fast, per source beyond the first.
pub const SOURCES_RATE: f64 = 0.70;
/// Log-odds of every second week: two phases are tried, so chance has two tries.
pub const EVERY_SECOND_WEEK: f64 = -0.70;

/// What an occurrence weighs, in twentieths of one that was entered by itself and has come to pass.
pub const WEIGHT_ONE: u32 = 20;
/// One of a recurring series: the series is one statement, and nobody deletes what did not take
/// place.
pub const WEIGHT_SERIES: u32 = 12;
/// One that lies ahead: a plan.
pub const WEIGHT_PLAN: u32 = 5;

/// How far a start may be from the usual one, minutes.
pub const OFF_HOUR_MINUTES_MAX: i64 = 60;
/// How far beyond a border between two parts of the day a start may stray and still be counted
/// where most of them are, minutes.
pub const BORDER_MINUTES: i64 = 45;
/// As many times more starts must be before such a border as after it for all of them to count
/// before it: the hour that was meant is mostly a full one.
pub const BEFORE_BORDER_TIMES: usize = 2;
/// Fewest occurrences of a claim.
pub const OCCURRENCES_MIN: usize = 3;
/// Fewest occurrences of a claim whose owner entered a series.
pub const SERIES_OCCURRENCES_MIN: usize = 2;
/// How much rarer than the others a weekday may be and still belong to them.
pub const RARER_MIN: f64 = 0.40;
/// How much of the longer of two time spans the shorter must overlap for two weekdays to belong
/// together.
pub const OVERLAP_MIN: f64 = 0.50;
/// A longer pause ends a season, in periods.
pub const PAUSE_PERIODS_MAX: i64 = 4;
/// The same for what is done daily, days: holidays are two weeks long.
pub const PAUSE_DAYS_MAX: i64 = 14;
/// After how many periods without an occurrence a weekly routine counts as stopped.
pub const HORIZON_PERIODS: i64 = 3;
/// After how many days without one a daily routine does.
pub const HORIZON_DAYS: i64 = 10;
/// Most records that a claim cites; of more only the latest are considered at all.
pub const INPUTS_MAX: usize = 128;
/// Most of them that are plans, where there are more than enough of both.
pub const PLANS_CITED_MAX: usize = 32;

/// Claim type of what comes on certain days of the week.
pub const WEEKLY: &str = "routine.weekly";
/// Claim type of what comes every day.
pub const DAILY: &str = "routine.daily";

const TYPES: [ClaimType; 2] = [
    ClaimType { name: DAILY, prior: DAILY_PRIOR },
    ClaimType { name: WEEKLY, prior: WEEKLY_PRIOR },
];

/// The deriver `routines`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Routines;

impl Deriver for Routines {
    fn name(&self) -> &'static str {
        "routines"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn claim_types(&self) -> &[ClaimType] {
        &TYPES
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        occurrence::group(record).into_iter().collect()
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let slots = occurrence::slots(group, records);
        let mut readings = Vec::new();
        for part in slots.chunk_by(|one, next| one.daypart == next.daypart) {
            for weekdays in days::sets(part) {
                readings.extend(rhythm::best(&slots, part, weekdays));
            }
        }
        let mut candidates = claim::candidates(group, &readings);
        candidates.truncate(CANDIDATES_MAX);
        candidates
    }
}
