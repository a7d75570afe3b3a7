//! The claim about a place: text, payload and confidence.
//!
//! The position is the median of the recorded positions, rounded to about ten metres. If the key is
//! a cell's, the position may be up to a cell's width from the cell's centre: the label names the
//! cell, the position the place.

use std::collections::{BTreeMap, BTreeSet};

use kernel::body::LastSeen;
use kernel::confidence::{Basis, saturating};
use serde_json::{Map, Value, json};

use super::cell::{Cell, Position};
use super::visit::{CELL_GROUP, Visit};
use super::{
    FREQUENT, HORIZON_DAYS_MAX, HORIZON_DAYS_MIN, HORIZON_TIMES, INPUTS_MAX, NAMED, PAUSE_DAYS_MIN,
    PAUSE_TIMES_MAX, PRIOR, SOURCES_LOG_ODDS_MAX, SOURCES_RATE, SPAN_LOG_ODDS_MIN,
    SPAN_LOG_ODDS_RANGE, SPAN_RATE, VISITS_LOG_ODDS_MAX, VISITS_MIN, VISITS_RATE,
    WEEKS_LOG_ODDS_MIN, WEEKS_LOG_ODDS_RANGE, WEEKS_RATE, WEIGHT_PLAN, WEIGHT_VISIT,
};
use crate::local_time::{DAY_MINUTES, Day, HOUR_MINUTES, WEEK_DAYS, clock, median};
use crate::routines::ENDLESS_GRACE_DAYS;
use crate::slug::slug;
use crate::{Candidate, Input};

/// Ten-thousandths of a degree are about ten metres.
const POSITION_STEPS: f64 = 10_000.0;
/// A degree of latitude.
const KILOMETRES_A_DEGREE: f64 = 111.2;
/// At most half of a place's positions may be farther than this from its centre: an album may be
/// named after a large city and its surroundings.
const PLACE_KILOMETRES_MAX: f64 = 50.0;
/// Fewest visits that establish usual hours.
const HOURS_MIN: usize = 3;
/// The share of visits that start before, and of those that end after, the usual hours.
const HOURS_OUTSIDE: f64 = 0.2;

/// The claim of a group, if there are enough visits. Of many, the latest are considered; those
/// before them count, and say since when.
pub(super) fn candidate(group: &str, visits: &[Visit<'_>]) -> Option<Candidate> {
    let (earlier, visits) = visits.split_at(visits.len().saturating_sub(INPUTS_MAX));
    let mut days: BTreeMap<Day, bool> = BTreeMap::new();
    for visit in visits {
        *days.entry(visit.day).or_insert(true) &= visit.is_plan;
    }
    let past = days.values().filter(|&&is_plan| !is_plan).count();
    if past < VISITS_MIN {
        return None;
    }
    let cell = group.strip_prefix(CELL_GROUP).and_then(Cell::parse);
    let label = match cell {
        Some(cell) => degrees(cell.middle()),
        None => name(visits)?,
    };
    let position = middle(visits);
    if cell.is_none() && position.is_some_and(|middle| is_scattered(visits, middle)) {
        return None;
    }
    let position = position.map(rounded);
    let period = LatestPeriod::of(&days)?;
    let first = period.first_visit(&days, earlier);
    let hours = usual_hours(visits);
    let mut payload = Map::new();
    payload.insert("label".to_owned(), json!(label));
    payload.extend(
        position
            .iter()
            .flat_map(|at| [("lat".to_owned(), json!(at.lat)), ("lon".to_owned(), json!(at.lon))]),
    );
    payload.insert("visits".to_owned(), json!(past + past_days(earlier, &days)));
    payload.extend(
        hours
            .as_ref()
            .map(|(from, to)| ("usual_hours".to_owned(), json!({"from": from, "to": to}))),
    );
    let usually = hours.map(|(from, to)| format!(", usually {from}–{to}")).unwrap_or_default();
    let near = if cell.is_some() { "near" } else { "at" };
    Some(Candidate {
        claim_type: FREQUENT.to_owned(),
        identity_key: format!("{FREQUENT}|{}", slug(&label)),
        text: format!("Often {near} {label}{usually}"),
        payload: Value::Object(payload),
        inputs: inputs(visits, first),
        basis: basis(visits, &days, cell.is_none()),
        rationale: rationale(visits, &days, &period, first),
        valid_from: Some(since(earlier, visits, first, &period).when()),
        valid_to: None,
        last_seen: Some(last_seen(visits, &period)),
        tags: Vec::new(),
    })
}

/// The number of days of the `earlier` visits, apart from those of the others.
fn past_days(earlier: &[Visit<'_>], others: &BTreeMap<Day, bool>) -> usize {
    let past = earlier.iter().filter(|visit| !visit.is_plan).map(|visit| visit.day);
    past.filter(|day| !others.contains_key(day)).collect::<BTreeSet<_>>().len()
}

/// The most frequent spelling of the name.
fn name(visits: &[Visit<'_>]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for label in visits.iter().filter_map(|visit| visit.label) {
        *counts.entry(label).or_default() += 1;
    }
    let most = counts
        .into_iter()
        .max_by(|(one, count), (other, more)| count.cmp(more).then(other.cmp(one)));
    most.map(|(label, _)| label.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// `57.718 N, 11.963 E`: with letters, because a slug would drop the signs.
fn degrees(position: Position) -> String {
    let north = if position.lat < 0.0 { 'S' } else { 'N' };
    let east = if position.lon < 0.0 { 'W' } else { 'E' };
    format!("{:.3} {north}, {:.3} {east}", position.lat.abs(), position.lon.abs())
}

fn middle(visits: &[Visit<'_>]) -> Option<Position> {
    let positions = || visits.iter().filter_map(|visit| visit.position);
    let lat =
        median(&mut positions().map(|position| position.lat).collect::<Vec<_>>(), f64::total_cmp)?;
    let lon =
        median(&mut positions().map(|position| position.lon).collect::<Vec<_>>(), f64::total_cmp)?;
    Some(Position { lat, lon })
}

/// Whether the positions are too far apart for one place: then the label names an album, not a
/// place.
fn is_scattered(visits: &[Visit<'_>], middle: Position) -> bool {
    let is_far = |at: &Position| {
        let east = (at.lon - middle.lon).abs();
        let east = east.min(360.0 - east) * libm::cos(middle.lat.to_radians());
        libm::hypot(at.lat - middle.lat, east) * KILOMETRES_A_DEGREE > PLACE_KILOMETRES_MAX
    };
    let positions = || visits.iter().filter_map(|visit| visit.position);
    positions().filter(is_far).count() * 2 > positions().count()
}

fn rounded(position: Position) -> Position {
    let round = |degrees: f64| libm::round(degrees * POSITION_STEPS) / POSITION_STEPS + 0.0;
    Position { lat: round(position.lat), lon: round(position.lon) }
}

/// The range of whole hours in which most of the visits start and end.
fn usual_hours(visits: &[Visit<'_>]) -> Option<(String, String)> {
    let hours = || visits.iter().filter_map(|visit| visit.hours);
    let (mut starts, mut ends): (Vec<i64>, Vec<i64>) = hours().unzip();
    if starts.len() < HOURS_MIN {
        return None;
    }
    starts.sort_unstable();
    ends.sort_unstable();
    let outside = (starts.len() as f64 * HOURS_OUTSIDE) as usize;
    let from = starts.get(outside)?.div_euclid(HOUR_MINUTES) * HOUR_MINUTES;
    let end = ends.iter().rev().nth(outside)?;
    let to =
        ((end + HOUR_MINUTES - 1).div_euclid(HOUR_MINUTES) * HOUR_MINUTES).max(from + HOUR_MINUTES);
    // Somebody who is there all day has no usual hours.
    (to - from < DAY_MINUTES).then(|| (clock(from), clock(to)))
}

/// The latest period of visits without a long pause, and the horizon after it.
struct LatestPeriod {
    first: Day,
    last: Day,
    periods: usize,
    pause_days_max: i64,
    horizon_days: i64,
}

impl LatestPeriod {
    fn of(days: &BTreeMap<Day, bool>) -> Option<Self> {
        let days: Vec<Day> = days.keys().copied().collect();
        let mut pauses: Vec<i64> =
            days.windows(2).filter_map(|pair| Some(pair.last()?.0 - pair.first()?.0)).collect();
        let usual = median(&mut pauses, Ord::cmp).unwrap_or_default();
        let pause_days_max = (usual * PAUSE_TIMES_MAX).clamp(PAUSE_DAYS_MIN, HORIZON_DAYS_MAX);
        let periods: Vec<&[Day]> =
            days.chunk_by(|one, next| next.0 - one.0 <= pause_days_max).collect();
        let complete = periods.iter().rev().find(|period| period.len() >= VISITS_MIN);
        let latest = complete.or(periods.last())?;
        let horizon_days = (usual * HORIZON_TIMES).clamp(HORIZON_DAYS_MIN, HORIZON_DAYS_MAX) + 1;
        Some(Self {
            first: *latest.first()?,
            last: *latest.last()?,
            periods: periods.len(),
            pause_days_max,
            horizon_days,
        })
    }

    /// The first visit of the period, if it is one of the `earlier` ones.
    fn first_visit<'v>(
        &self,
        days: &BTreeMap<Day, bool>,
        earlier: &'v [Visit<'v>],
    ) -> Option<&'v Visit<'v>> {
        if days.keys().next() != Some(&self.first) {
            return None;
        }
        let mut next = self.first;
        let in_period = |visit: &&Visit<'_>| {
            let is_near = next.0 - visit.day.0 <= self.pause_days_max;
            next = visit.day;
            is_near
        };
        earlier.iter().rev().take_while(in_period).last()
    }
}

/// The first day of the latest period; if a visit of its first week is of a series, that says since
/// when.
fn since(
    earlier: &[Visit<'_>],
    visits: &[Visit<'_>],
    first: Option<&Visit<'_>>,
    period: &LatestPeriod,
) -> Day {
    let begins = first.map_or(period.first, |first| first.day);
    if first.is_none() && visits.first().is_none_or(|first| first.day != begins) {
        return begins;
    }
    let all = earlier.iter().chain(visits);
    let at_first = all.filter(|visit| (0..WEEK_DAYS).contains(&(visit.day.0 - begins.0)));
    at_first.filter_map(|visit| visit.series_began).fold(begins, Day::min)
}

/// The last visit that is more than the plan of a series without end. Such a series is presumed to
/// go on.
fn last_seen(visits: &[Visit<'_>], period: &LatestPeriod) -> LastSeen {
    let is_seen =
        |visit: &&Visit<'_>| visit.day <= period.last && !(visit.is_plan && visit.is_endless);
    let last = visits.iter().filter(is_seen).map(|visit| visit.day).max();
    match last {
        Some(last) if last < period.last => {
            LastSeen::new(last.when(), period.horizon_days.max(ENDLESS_GRACE_DAYS))
        }
        _ => LastSeen::new(period.last.when(), period.horizon_days),
    }
}

/// The visits, with the first of the period in place of the oldest.
fn inputs(visits: &[Visit<'_>], first: Option<&Visit<'_>>) -> Vec<Input> {
    let excess = usize::from(first.is_some() && visits.len() >= INPUTS_MAX);
    let cited = first.into_iter().chain(visits.iter().skip(excess));
    let inputs: BTreeSet<Input> =
        cited.map(|visit| Input { id: visit.id, role: visit.role }).collect();
    inputs.into_iter().collect()
}

fn basis(visits: &[Visit<'_>], days: &BTreeMap<Day, bool>, is_named: bool) -> Basis {
    let weight: u32 =
        days.values().map(|&is_plan| if is_plan { WEIGHT_PLAN } else { WEIGHT_VISIT }).sum();
    let count = f64::from(weight) / f64::from(WEIGHT_VISIT);
    let past = || days.iter().filter(|(_, is_plan)| !**is_plan).map(|(day, _)| *day);
    let weeks = past().map(Day::week).collect::<BTreeSet<_>>().len();
    let span_days =
        past().next_back().zip(past().next()).map_or(0, |(last, first)| last.0 - first.0);
    let span = span_days as f64 / WEEK_DAYS as f64;
    let sources = visits.iter().map(|visit| visit.source).collect::<BTreeSet<_>>().len();
    let further = weeks.saturating_sub(1) as f64;
    let mut basis = Basis::new(PRIOR)
        .with("visits", count, saturating(VISITS_LOG_ODDS_MAX, VISITS_RATE, count))
        .with(
            "weeks",
            weeks as f64,
            WEEKS_LOG_ODDS_MIN + saturating(WEEKS_LOG_ODDS_RANGE, WEEKS_RATE, further),
        )
        .with(
            "span_weeks",
            span,
            SPAN_LOG_ODDS_MIN + saturating(SPAN_LOG_ODDS_RANGE, SPAN_RATE, span),
        );
    if is_named {
        basis = basis.with("named", 1.0, NAMED);
    }
    if sources > 1 {
        basis = basis.with(
            "sources",
            sources as f64,
            saturating(SOURCES_LOG_ODDS_MAX, SOURCES_RATE, (sources - 1) as f64),
        );
    }
    basis
}

/// `visits on 9 days in 5 weeks; most recent 2025-06-02`
fn rationale(
    visits: &[Visit<'_>],
    days: &BTreeMap<Day, bool>,
    period: &LatestPeriod,
    first: Option<&Visit<'_>>,
) -> String {
    let past = || days.iter().filter(|(_, is_plan)| !**is_plan).map(|(day, _)| *day);
    let weeks = past().map(Day::week).collect::<BTreeSet<_>>().len();
    let photos = visits.iter().filter(|visit| visit.role == "photo").count();
    let planned = days.len() - past().count();
    let latest = if first.is_some() { "the latest " } else { "" };
    let mut parts = vec![format!(
        "visits on {latest}{} days in {weeks} week{}",
        past().count(),
        if weeks == 1 { "" } else { "s" }
    )];
    if photos > 0 {
        parts.push(format!("{photos} photo{}", if photos == 1 { "" } else { "s" }));
    }
    if planned > 0 {
        parts.push(format!("{planned} more planned"));
    }
    if period.periods > 1 {
        parts.push(format!(
            "in {} periods, the latest since {}",
            period.periods,
            period.first.date()
        ));
    }
    parts.extend(past().next_back().map(|day| format!("most recent {}", day.date())));
    parts.join("; ")
}
