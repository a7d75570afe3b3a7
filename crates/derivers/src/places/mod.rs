//! Places that a person visits often.
//!
//! A group is either a named place (the slug of its name in events, notes and albums) or a cell of
//! a grid over the Earth, for photos that have only a position. Confidence depends on the number of
//! days on which the person was there, and on the number of weeks: forty photos of one afternoon
//! are one visit, and five days of one holiday are one week. One more visit never lowers any of
//! these counts, so it never lowers the confidence.
//!
//! | module | answers |
//! |---|---|
//! | `cell` | which cell of the grid contains a position, and which are adjacent? |
//! | `label` | does this name a place, or a telephone call? |
//! | `visit` | which records show a visit, and when? |
//! | `claim` | what is the claim's text, payload and confidence? |

mod cell;
mod claim;
mod label;
mod visit;

use std::collections::BTreeSet;

use crate::{Candidate, ClaimType, Deriver, Record};
use cell::Cell;

/// Base rate: most places that somebody visited twice are not places that they visit often.
pub const PRIOR: f64 = 0.08;
/// Most log-odds that the number of visits adds, and at what rate: the tenth adds less than the
/// second.
pub const VISITS_LOG_ODDS_MAX: f64 = 2.00;
/// See [`VISITS_LOG_ODDS_MAX`].
pub const VISITS_RATE: f64 = 0.20;
/// Log-odds of visits within one week, what many weeks add to them, and at what rate per week
/// beyond the first.
pub const WEEKS_LOG_ODDS_MIN: f64 = -1.00;
/// See [`WEEKS_LOG_ODDS_MIN`].
pub const WEEKS_LOG_ODDS_RANGE: f64 = 7.00;
/// See [`WEEKS_LOG_ODDS_MIN`].
pub const WEEKS_RATE: f64 = 0.15;
/// Log-odds of visits on one day, what a long time between the first and the last adds to them, and
/// at what rate per week: a journey is many days in a row.
pub const SPAN_LOG_ODDS_MIN: f64 = -1.00;
/// See [`SPAN_LOG_ODDS_MIN`].
pub const SPAN_LOG_ODDS_RANGE: f64 = 2.10;
/// See [`SPAN_LOG_ODDS_MIN`].
pub const SPAN_RATE: f64 = 0.20;
/// Log-odds of a named place: calendars hold the address of every appointment, while photos cluster
/// where somebody stays.
pub const NAMED: f64 = -0.60;
/// Most log-odds that further sources add.
pub const SOURCES_LOG_ODDS_MAX: f64 = 0.60;
/// At what rate, per source beyond the first.
pub const SOURCES_RATE: f64 = 0.70;

/// Weight of a planned visit, in twentieths of one that took place.
pub const WEIGHT_PLAN: u32 = 5;
/// Weight of a visit that took place.
pub const WEIGHT_VISIT: u32 = 20;

/// Fewest past days of visits for a claim.
pub const VISITS_MIN: usize = 2;
/// A pause this many times the usual one ends a period of visits.
pub const PAUSE_TIMES_MAX: i64 = 5;
/// After this many usual pauses without a visit, a place no longer counts as frequent.
pub const HORIZON_TIMES: i64 = 4;
/// Shortest pause that ends a period, days.
pub const PAUSE_DAYS_MIN: i64 = 60;
/// Shortest horizon, days.
pub const HORIZON_DAYS_MIN: i64 = 42;
/// Longest horizon, days: somebody who comes every summer may come again next summer.
pub const HORIZON_DAYS_MAX: i64 = 400;
/// Most records that a claim cites: the latest, and the first of their period.
pub const INPUTS_MAX: usize = 128;

/// The claim type.
pub const FREQUENT: &str = "place.frequent";

const TYPES: [ClaimType; 1] = [ClaimType { name: FREQUENT, prior: PRIOR }];

/// The deriver `places`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places;

impl Deriver for Places {
    fn name(&self) -> &'static str {
        "places"
    }

    fn version(&self) -> &'static str {
        "1.4.0"
    }

    fn claim_types(&self) -> &[ClaimType] {
        &TYPES
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        match visit::spot(record) {
            None => BTreeSet::new(),
            Some(visit::Spot::Named(slug)) => {
                BTreeSet::from([format!("{}{slug}", visit::NAMED_GROUP)])
            }
            Some(visit::Spot::At(position)) => Cell::of(position)
                .around()
                .into_iter()
                .map(|cell| format!("{}{cell}", visit::CELL_GROUP))
                .collect(),
        }
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let visits = visit::visits(group, records);
        claim::candidate(group, &visits).into_iter().collect()
    }
}
