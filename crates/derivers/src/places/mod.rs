//! Places: where a person keeps being.
//!
//! A group is either a named place (the slug of what events, notes and albums call it) or a cell of
//! a grid over the Earth, for photos that know only their position. What counts is on how many days
//! a person was there, and over how many weeks: forty photos of one afternoon are one visit, and
//! five days of one holiday are one week. All of it only grows with one more visit, so confidence
//! does too.
//!
//! | module | answers |
//! |---|---|
//! | `cell` | in which cell of the grid is a position, and what lies around it? |
//! | `label` | does this name a place, or a telephone? |
//! | `visit` | which records say that somebody was there, and when? |
//! | `claim` | what is believed, in words and as data, and how surely? |

mod cell;
mod claim;
mod label;
mod visit;

use std::collections::BTreeSet;

use crate::{Candidate, ClaimType, Deriver, Record};
use cell::Cell;

/// Base rate: most places that somebody was at twice are not where they keep being.
pub const PRIOR: f64 = 0.08;
/// Most log-odds that the number of visits adds, and how fast: the tenth adds less than the second.
pub const VISITS_MOST: f64 = 2.00;
/// See [`VISITS_MOST`].
pub const VISITS_RATE: f64 = 0.20;
/// Log-odds of visits that are all in one week, what many weeks add to them, and how fast, per week
/// beyond the first.
pub const WEEKS_LEAST: f64 = -1.00;
/// See [`WEEKS_LEAST`].
pub const WEEKS_SPAN: f64 = 7.00;
/// See [`WEEKS_LEAST`].
pub const WEEKS_RATE: f64 = 0.15;
/// Log-odds of visits that are all on one day, what a long time between the first and the last adds
/// to them, and how fast, per week: a journey is many days in a row.
pub const SPAN_LEAST: f64 = -1.00;
/// See [`SPAN_LEAST`].
pub const SPAN_SPAN: f64 = 2.10;
/// See [`SPAN_LEAST`].
pub const SPAN_RATE: f64 = 0.20;
/// Log-odds of a place that is known by a name: every appointment's address is written down, photos
/// gather where somebody stays.
pub const NAMED: f64 = -0.60;
/// Most log-odds that further sources add.
pub const SOURCES_MOST: f64 = 0.60;
/// How fast, per source beyond the first.
pub const SOURCES_RATE: f64 = 0.70;

/// What a visit that lies ahead weighs, in twentieths of one that took place.
pub const WEIGHT_PLAN: u32 = 5;
/// What a visit weighs.
pub const WEIGHT_VISIT: u32 = 20;

/// Fewest days of a claim that have come to pass.
pub const VISITS_MIN: usize = 2;
/// A pause of as many usual pauses ends a period of visits.
pub const PAUSE_TIMES_MAX: i64 = 5;
/// After as many usual pauses without a visit a place counts as no longer frequent.
pub const HORIZON_TIMES: i64 = 4;
/// Shortest pause that ends anything, days.
pub const PAUSE_DAYS_MIN: i64 = 60;
/// Shortest horizon, days.
pub const HORIZON_DAYS_MIN: i64 = 42;
/// Longest horizon, days: where somebody comes every summer they may come again next summer.
pub const HORIZON_DAYS_MAX: i64 = 400;
/// Most records that a claim cites; of more only the latest are considered at all.
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
        "1.0.0"
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
