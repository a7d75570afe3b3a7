//! When a repeated event happens: RFC 5545, section 3.3.10.
//!
//! A rule is expanded in civil time, as people write rules ("every Tuesday at seven"); the caller
//! maps each civil start to an instant in the event's zone. So the local time stays the same when
//! the clocks change.
//!
//! The expansion walks the rule's periods (years, months, weeks, days, or steps within a day),
//! keeps the days that pass every BYxxx part, and multiplies them with the times of day. It begins
//! at the period of the first time that is asked for, so that it costs what the window touches;
//! only a rule with COUNT is counted from its start.
//!
//! No library is used, since this code stops at the end of a window, skips periods that cannot
//! match, holds no `expect`, and avoids a second date library, a second zone database and a
//! regular-expression engine in the program. Tests compare it with the `rrule` crate, a port of
//! python-dateutil, on random rules (`tests/it/recurrence.rs`).
//!
//! Where the RFC leaves a choice: DTSTART is always the first occurrence and counts towards COUNT,
//! even if it does not match the rule; missing parts come from DTSTART; BYWEEKNO alone takes only
//! its weekday.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

use crate::rule::{Frequency, Rule};

/// Most periods that an expansion examines where nobody waits for it.
pub const PERIODS_MAX: usize = 200_000;
/// An expansion ends after this many years without an occurrence.
const SILENT_YEARS_MAX: i16 = 100;

/// Which part of a rule is expanded.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The first civil time that may be given.
    pub first: DateTime,
    /// The last civil time that may be given.
    pub last: DateTime,
    /// Most occurrences that may be given.
    pub occurrences_max: usize,
    /// Most periods that are examined: a rule may name many and mean none of them.
    pub periods_max: usize,
}

impl Bounds {
    /// From the start of the rule until `last`.
    pub fn until(last: DateTime, occurrences_max: usize) -> Self {
        Self { first: DateTime::MIN, last, occurrences_max, periods_max: PERIODS_MAX }
    }
}

/// The civil starts of a rule, in order and each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// The starts.
    pub starts: Vec<DateTime>,
    /// False when a limit ended the expansion before the rule or the window did.
    pub complete: bool,
}

impl Rule {
    /// The rule's occurrences from `start` on, at most until `until` (UNTIL in the civil time of
    /// `start`). The first is `start`, whether the rule names it or not.
    pub fn expand(&self, start: DateTime, until: Option<DateTime>, bounds: Bounds) -> Expansion {
        let mut walk = Walk::new(self.count, start, until, bounds);
        walk.give(start);
        self.finish(walk)
    }

    /// The same without `start` where the rule does not name it, as of a further rule of a series.
    pub fn expand_named(
        &self,
        start: DateTime,
        until: Option<DateTime>,
        bounds: Bounds,
    ) -> Expansion {
        self.finish(Walk::new(self.count, start, until, bounds))
    }

    fn finish(&self, mut walk: Walk) -> Expansion {
        let rule = self.completed_from(walk.start);
        if walk.stopped.is_none() {
            match rule.frequency {
                Frequency::Yearly | Frequency::Monthly | Frequency::Weekly | Frequency::Daily => {
                    rule.walk_days(&mut walk);
                }
                Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => {
                    rule.walk_steps(&mut walk)
                }
            }
        }
        Expansion { starts: walk.starts, complete: walk.stopped == Some(Stop::Ended) }
    }

    /// The rule with the parts that it leaves to DTSTART.
    fn completed_from(&self, start: DateTime) -> Self {
        let mut rule = self.clone();
        let day_parts = [&rule.week_numbers, &rule.year_days, &rule.month_days];
        let no_day_part = day_parts.iter().all(|part| part.is_empty()) && rule.weekdays.is_empty();
        match rule.frequency {
            Frequency::Yearly if no_day_part => {
                if rule.months.is_empty() {
                    rule.months.push(start.month().into());
                }
                rule.month_days.push(start.day().into());
            }
            Frequency::Yearly if !rule.week_numbers.is_empty() && rule.weekdays.is_empty() => {
                rule.weekdays.push((0, start.weekday()));
            }
            Frequency::Monthly if no_day_part => rule.month_days.push(start.day().into()),
            Frequency::Weekly if no_day_part => rule.weekdays.push((0, start.weekday())),
            _ => {}
        }
        if rule.hours.is_empty() && rule.frequency < Frequency::Hourly {
            rule.hours.push(start.hour().into());
        }
        if rule.minutes.is_empty() && rule.frequency < Frequency::Minutely {
            rule.minutes.push(start.minute().into());
        }
        if rule.seconds.is_empty() && rule.frequency < Frequency::Secondly {
            rule.seconds.push(start.second().into());
        }
        rule
    }

    /// Periods of a day and longer.
    fn walk_days(&self, walk: &mut Walk) {
        let times = times_of(&self.hours, &self.minutes, &self.seconds);
        let week_start_first = {
            let back = i64::from(walk.start.weekday().since(self.week_start));
            walk.start.date().checked_sub(jiff::Span::new().days(back)).unwrap_or(walk.start.date())
        };
        let skipped = self.periods_before(walk, week_start_first);
        for period in (skipped..).take(walk.periods_max) {
            let Some(step) = period.checked_mul(self.interval) else {
                return walk.stop(Stop::Ended);
            };
            let Some((first, days)) = self.period(walk.start.date(), week_start_first, step) else {
                return walk.stop(Stop::Ended);
            };
            if walk.is_past(first) {
                return walk.stop(Stop::Ended);
            }
            let days =
                (0..days).map_while(|day| first.checked_add(jiff::Span::new().days(day)).ok());
            let days: Vec<Date> = days.filter(|&day| self.holds_on(day)).collect();
            self.give_set(&days, &times, walk);
            if walk.stopped.is_some() {
                return;
            }
        }
        walk.stop(Stop::Limit);
    }

    /// How many periods lie before the window and need not be examined.
    fn periods_before(&self, walk: &Walk, week_start_first: Date) -> i64 {
        let (start, first) = (walk.start.date(), walk.first.date());
        if self.count.is_some() || first <= start {
            return 0;
        }
        let months = |date: Date| i64::from(date.year()) * 12 + i64::from(date.month());
        let days_since = |from: Date| first.duration_since(from).as_hours() / 24;
        let units = match self.frequency {
            Frequency::Yearly => i64::from(first.year()) - i64::from(start.year()),
            Frequency::Monthly => months(first) - months(start),
            Frequency::Weekly => days_since(week_start_first) / 7,
            _ => days_since(start),
        };
        (units / self.interval - 1).max(0)
    }

    /// First day and number of days of the period that is `step` frequency units after the one of
    /// `start`.
    fn period(&self, start: Date, week_start_first: Date, step: i64) -> Option<(Date, i64)> {
        match self.frequency {
            Frequency::Yearly => {
                let year = i64::from(start.year()).checked_add(step)?;
                let first = Date::new(i16::try_from(year).ok()?, 1, 1).ok()?;
                Some((first, first.days_in_year().into()))
            }
            Frequency::Monthly => {
                let months = i64::from(start.year()) * 12 + i64::from(start.month()) - 1;
                let months = months.checked_add(step)?;
                let year = i16::try_from(months.div_euclid(12)).ok()?;
                let first =
                    Date::new(year, i8::try_from(months.rem_euclid(12)).ok()? + 1, 1).ok()?;
                Some((first, first.days_in_month().into()))
            }
            Frequency::Weekly => Some((days_after(week_start_first, step.checked_mul(7)?)?, 7)),
            _ => Some((days_after(start, step)?, 1)),
        }
    }

    /// Steps within a day. Whole days, hours and minutes that cannot match are skipped, so that the
    /// work grows with the occurrences and not with the seconds.
    fn walk_steps(&self, walk: &mut Walk) {
        let unit = match self.frequency {
            Frequency::Hourly => 3600,
            Frequency::Minutely => 60,
            _ => 1,
        };
        let start_second = seconds_of(walk.start);
        let origin = start_second - start_second.rem_euclid(unit);
        let Some(stride) = self.interval.checked_mul(unit) else { return walk.stop(Stop::Ended) };
        let mut step = match self.count {
            None if walk.first > walk.start => {
                ((seconds_of(walk.first) - origin) / stride - 1).max(0)
            }
            _ => 0,
        };
        for _ in 0..walk.periods_max {
            let second = step.checked_mul(stride).and_then(|seconds| seconds.checked_add(origin));
            let Some(at) = second.and_then(civil_of) else { return walk.stop(Stop::Ended) };
            if walk.is_past(at.date()) {
                return walk.stop(Stop::Ended);
            }
            let second = seconds_of(at);
            let admits =
                |values: &[i16], value: i8| values.is_empty() || values.contains(&value.into());
            let jump_to = if !self.holds_on(at.date()) {
                second - second.rem_euclid(86_400) + 86_400
            } else if !admits(&self.hours, at.hour()) {
                second - second.rem_euclid(3600) + 3600
            } else if unit < 3600 && !admits(&self.minutes, at.minute()) {
                second - second.rem_euclid(60) + 60
            } else {
                if unit > 1 || admits(&self.seconds, at.second()) {
                    self.give_set(&[at.date()], &self.times_of_step(at), walk);
                }
                if walk.stopped.is_some() {
                    return;
                }
                second + 1
            };
            let behind = jump_to - second;
            step += behind.div_euclid(stride) + i64::from(behind.rem_euclid(stride) != 0);
        }
        walk.stop(Stop::Limit);
    }

    fn times_of_step(&self, at: DateTime) -> Vec<Time> {
        let hours = [i16::from(at.hour())];
        match self.frequency {
            Frequency::Hourly => times_of(&hours, &self.minutes, &self.seconds),
            Frequency::Minutely => times_of(&hours, &[at.minute().into()], &self.seconds),
            _ => vec![at.time()],
        }
    }

    /// Gives the product of days and times, or the members of it that BYSETPOS picks.
    fn give_set(&self, days: &[Date], times: &[Time], walk: &mut Walk) {
        if self.positions.is_empty() {
            let first = walk.start.date();
            for &day in days.iter().filter(|&&day| day >= first) {
                for &time in times {
                    walk.give(day.to_datetime(time));
                    if walk.stopped.is_some() {
                        return;
                    }
                }
            }
            return;
        }
        let length = i64::try_from(days.len().saturating_mul(times.len())).unwrap_or(i64::MAX);
        let from_front = self.positions.iter().map(|&position| match i64::from(position) {
            front if front > 0 => front - 1,
            back => length + back,
        });
        let mut picked: Vec<i64> =
            from_front.filter(|&position| (0..length).contains(&position)).collect();
        picked.sort_unstable();
        picked.dedup();
        for position in picked.into_iter().filter_map(|position| usize::try_from(position).ok()) {
            let (Some(day), Some(time)) =
                (days.get(position / times.len()), times.get(position % times.len()))
            else {
                continue;
            };
            walk.give(day.to_datetime(*time));
            if walk.stopped.is_some() {
                return;
            }
        }
    }

    /// True when the day passes every BYxxx part about days.
    fn holds_on(&self, day: Date) -> bool {
        let counts = |values: &[i16], from_front: i16, length: i16| {
            values.is_empty()
                || values.contains(&from_front)
                || values.contains(&(from_front - length - 1))
        };
        (self.months.is_empty() || self.months.contains(&day.month().into()))
            && counts(&self.month_days, day.day().into(), day.days_in_month().into())
            && counts(&self.year_days, day.day_of_year(), day.days_in_year())
            && self.holds_in_week(day)
            && self.holds_on_weekday(day)
    }

    fn holds_in_week(&self, day: Date) -> bool {
        if self.week_numbers.is_empty() {
            return true;
        }
        // A week belongs to the year of its fourth day, and is numbered within it from 1 on.
        let into_week = i64::from(day.weekday().since(self.week_start));
        let Some(fourth) = days_after(day, 3 - into_week) else { return false };
        let number = (fourth.day_of_year() - 1) / 7 + 1;
        let to_end = fourth.days_in_year() - fourth.day_of_year();
        self.week_numbers.contains(&number) || self.week_numbers.contains(&-(to_end / 7 + 1))
    }

    fn holds_on_weekday(&self, day: Date) -> bool {
        let within_month = self.frequency == Frequency::Monthly || !self.months.is_empty();
        let (from_front, length) = match within_month {
            true => (i16::from(day.day()), i16::from(day.days_in_month())),
            false => (day.day_of_year(), day.days_in_year()),
        };
        let front_ordinal = (from_front - 1) / 7 + 1;
        let back_ordinal = -((length - from_front) / 7 + 1);
        self.weekdays.is_empty()
            || self.weekdays.iter().any(|&(ordinal, weekday)| {
                weekday == day.weekday()
                    && (ordinal == 0 || ordinal == front_ordinal || ordinal == back_ordinal)
            })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The rule or the window ended it.
    Ended,
    /// A limit of [`Bounds`].
    Limit,
}

/// The state of one expansion.
struct Walk {
    start: DateTime,
    first: DateTime,
    last: DateTime,
    /// Occurrences that COUNT leaves.
    count_left: Option<u64>,
    /// Occurrences that may still be given.
    room: usize,
    periods_max: usize,
    /// The latest occurrence, whether it was given or lies before the window.
    latest: Option<DateTime>,
    starts: Vec<DateTime>,
    stopped: Option<Stop>,
}

impl Walk {
    fn new(count: Option<u64>, start: DateTime, until: Option<DateTime>, bounds: Bounds) -> Self {
        Self {
            start,
            first: bounds.first,
            last: until.map_or(bounds.last, |until| until.min(bounds.last)),
            count_left: count,
            room: bounds.occurrences_max,
            periods_max: bounds.periods_max,
            latest: None,
            starts: Vec::new(),
            stopped: None,
        }
    }

    fn give(&mut self, start: DateTime) {
        if self.latest.is_some_and(|latest| start <= latest) || start < self.start {
            return;
        }
        if start > self.last {
            return self.stop(Stop::Ended);
        }
        if start >= self.first {
            if self.room == 0 {
                return self.stop(Stop::Limit);
            }
            self.room -= 1;
            self.starts.push(start);
        }
        self.latest = Some(start);
        self.count_left = self.count_left.map(|left| left.saturating_sub(1));
        if self.count_left == Some(0) {
            self.stop(Stop::Ended);
        }
    }

    fn is_past(&self, day: Date) -> bool {
        let latest = self.latest.unwrap_or(self.start).max(self.first);
        day > self.last.date() || day.year() > latest.year().saturating_add(SILENT_YEARS_MAX)
    }

    fn stop(&mut self, stop: Stop) {
        self.stopped = self.stopped.or(Some(stop));
    }
}

fn times_of(hours: &[i16], minutes: &[i16], seconds: &[i16]) -> Vec<Time> {
    let mut times = Vec::new();
    for &hour in hours {
        for &minute in minutes {
            for &second in seconds {
                // Each list was checked against its range when the rule was read.
                times.extend(Time::new(hour as i8, minute as i8, second as i8, 0));
            }
        }
    }
    times
}

fn days_after(date: Date, days: i64) -> Option<Date> {
    date.checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

fn seconds_of(civil: DateTime) -> i64 {
    Offset::UTC.to_timestamp(civil).map_or(i64::MAX / 4, |timestamp| timestamp.as_second())
}

fn civil_of(seconds: i64) -> Option<DateTime> {
    Timestamp::from_second(seconds).ok().map(|timestamp| Offset::UTC.to_datetime(timestamp))
}
