//! A series: a start, its rules, and what became of single occurrences.
//!
//! A [`Series`] is a field of the record that stands for it ([`Series::FIELD`]), and its
//! occurrences are a view: they are computed in the window of days that is asked for, and cost what
//! that window touches. RFC 5545, section 3.8.5: the set of starts is DTSTART, the rules and RDATE
//! together, without EXRULE and EXDATE. A rule that was changed from one occurrence on is two
//! series, of which the second keeps the rule, counts from the same start and moves what it gives.

use std::collections::BTreeSet;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span};
use kernel::evidence::Evidence;
use kernel::when::When;

use crate::moment::{Civil, Length, Moment, Starts};
use crate::recurrence::Bounds;
use crate::rule::Rule;
use crate::zone::Clock;

/// Most rules of one kind that one series may have.
pub const RULES_MAX: usize = 20;
/// Most exceptions, additions and moved occurrences of one series, each.
pub const EXCEPTIONS_MAX: usize = 10_000;
/// Most occurrences that a series without end is followed in one look.
const LOOK_MAX: usize = 2_000;
/// Most periods that one look examines. Whole days that cannot match count as one.
const LOOK_PERIODS_MAX: usize = 20_000;
/// How far back the last occurrence is looked for, days: first near, then further.
const LOOKS_BACK_DAYS: [i64; 6] = [0, 7, 62, 800, 8_000, 80_000];
/// How far ahead the next one is looked for, days.
const LOOK_AHEAD_DAYS: i64 = 80_000;

/// One time that a series happens.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Occurrence {
    /// The name of its original start, the same however it was moved.
    #[serde(skip)]
    pub id: String,
    /// When it starts.
    pub at: When,
    /// When it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<When>,
}

/// A rule and where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndingRule {
    /// The rule.
    pub rule: Rule,
    /// As written.
    pub text: String,
    /// The last civil start that it may give, in the clock of the series; none if it is endless. Of
    /// a rule with COUNT the last one, so that nobody has to count.
    pub last: Option<DateTime>,
}

/// A start that no rule gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    /// When, in the clock of the series.
    pub start: Civil,
    /// How long, where it has a length of its own.
    pub length: Option<Length>,
}

/// What a change "from here on" makes of the later occurrences.
#[derive(Clone, Debug)]
pub struct Shift {
    /// The original start of the first occurrence, in the clock of the series.
    pub from: DateTime,
    /// Where that one is moved to; the later ones by as much.
    pub to: Moment,
}

/// A series of occurrences.
#[derive(Clone, Debug)]
pub struct Series {
    /// DTSTART: the first occurrence, and the clock of all.
    pub start: Moment,
    /// How long an occurrence takes.
    pub length: Option<Length>,
    /// RRULE.
    pub rules: Vec<EndingRule>,
    /// EXRULE.
    pub except_rules: Vec<EndingRule>,
    /// RDATE.
    pub additions: Vec<Addition>,
    /// EXDATE, and occurrences that are records of their own.
    pub excluded: Starts,
    /// Occurrences that were cancelled. They are no longer in the series.
    pub cancelled: Starts,
    /// Occurrences that were moved: the original start's name, and when they are.
    pub moved: Vec<Occurrence>,
    /// Only the occurrences from here on, and moved.
    pub shift: Option<Shift>,
    /// Only the occurrences whose original start is before this.
    pub before: Option<DateTime>,
    /// The zone in which its times are shown, if its own says nothing about where it is.
    pub shown_in: Option<TimeZone>,
}

impl Series {
    /// The field of the payload that holds it.
    pub const FIELD: &'static str = "series";

    /// A series of one occurrence, to be added to.
    pub fn new(start: Moment, length: Option<Length>) -> Self {
        Self {
            start,
            length,
            rules: Vec::new(),
            except_rules: Vec::new(),
            additions: Vec::new(),
            excluded: Starts::default(),
            cancelled: Starts::default(),
            moved: Vec::new(),
            shift: None,
            before: None,
            shown_in: None,
        }
    }

    /// Whether a record stands for a series.
    pub fn is_in(evidence: &Evidence) -> bool {
        evidence.payload.more.contains_key(Self::FIELD)
    }

    /// The series that a record stands for.
    pub fn of(evidence: &Evidence) -> Option<Self> {
        Self::from_json(evidence.payload.more.get(Self::FIELD)?)
    }

    /// Whether it ends.
    pub fn is_finite(&self) -> bool {
        self.before.is_some() || self.rules.iter().all(|rule| rule.last.is_some())
    }

    /// Its first occurrence.
    pub fn first(&self) -> Option<Occurrence> {
        let earliest = self.moved.iter().map(|moved| moved.at.date()).min();
        let first = self.shift.as_ref().map_or(self.start.civil, |shift| shift.to.civil).date();
        let additions = self.additions.iter().map(|addition| addition.start.civil.date()).min();
        let first = [earliest, additions].into_iter().flatten().fold(first, Date::min);
        self.next_from(days_from(first, -2))
    }

    /// Since when it repeats: its first occurrence, without what was added before the rule began.
    pub fn began(&self) -> Option<Occurrence> {
        if self.rules.is_empty() || self.additions.is_empty() {
            return self.first();
        }
        Self { additions: Vec::new(), ..self.clone() }.first().or_else(|| self.first())
    }

    /// Its last occurrence; none if it is endless.
    pub fn last(&self) -> Option<Occurrence> {
        if !self.is_finite() {
            return None;
        }
        let of_rules = self.rules.iter().filter_map(|rule| rule.last).map(|last| last.date());
        let additions = self.additions.iter().map(|addition| addition.start.civil.date());
        let moved = self.moved.iter().map(|moved| moved.at.date());
        let last = of_rules.chain(additions).chain(moved).max();
        let last = last.unwrap_or(self.start.civil.date()).max(self.start.civil.date());
        let shifted = self.shift.as_ref().map_or(0, |shift| shift.by().as_hours() / 24 + 1);
        self.last_until(days_from(last, shifted.max(0).saturating_add(2)))
    }

    /// The first occurrence on a day or later.
    pub fn next_from(&self, day: Date) -> Option<Occurrence> {
        self.between(day, days_from(day, LOOK_AHEAD_DAYS), 1).pop()
    }

    /// The last occurrence on a day or earlier.
    pub fn last_until(&self, day: Date) -> Option<Occurrence> {
        self.latest(day, 1).pop()
    }

    /// The last occurrences on a day or earlier, in order.
    pub fn latest(&self, day: Date, occurrences_max: usize) -> Vec<Occurrence> {
        let mut found = Vec::new();
        for days in LOOKS_BACK_DAYS {
            let first = days_from(day, -days);
            let looked = self.between(first, day, LOOK_MAX);
            // Of more than can be looked at, only the first were seen.
            if looked.len() >= LOOK_MAX && !found.is_empty() {
                break;
            }
            found = looked;
            if found.len() >= occurrences_max {
                break;
            }
        }
        found.drain(..found.len().saturating_sub(occurrences_max));
        found
    }

    /// The first occurrences that start from one day to another, at most `occurrences_max`, in
    /// order.
    pub fn between(&self, first: Date, last: Date, occurrences_max: usize) -> Vec<Occurrence> {
        let mut found: Vec<Occurrence> = Vec::new();
        let is_within = |at: &When| (first..=last).contains(&at.date());
        let clock = self.shift.as_ref().map_or(&self.start.clock, |shift| &shift.to.clock);
        let length = self.length;
        for (start, own_length) in self.starts(first, last, occurrences_max) {
            let id = start.id();
            let moved = match &self.shift {
                Some(shift) => match start.civil_by(clock).checked_add(shift.by()) {
                    Ok(civil) => shift.to.at(civil),
                    Err(_) => continue,
                },
                None => start,
            };
            let end = own_length.or(length).and_then(|length| moved.after(length));
            let Some((at, end)) = times(&moved, end.as_ref(), self.shown_in.as_ref()) else {
                continue;
            };
            if is_within(&at) {
                found.push(Occurrence { id, at, end });
            }
        }
        found.extend(self.moved.iter().filter(|moved| is_within(&moved.at)).cloned());
        found.sort_by(|one, other| {
            let key = |occurrence: &Occurrence| occurrence.at.instant_us();
            key(one).cmp(&key(other)).then_with(|| one.id.cmp(&other.id))
        });
        found.truncate(occurrences_max);
        found
    }

    /// The original starts around a window of shown days, in order, without those that did not stay
    /// where they were.
    fn starts(
        &self,
        first: Date,
        last: Date,
        occurrences_max: usize,
    ) -> Vec<(Moment, Option<Length>)> {
        let bounds = self.bounds(first, last, occurrences_max);
        let mut starts: Vec<(Moment, Option<Length>)> = Vec::new();
        for (number, ending) in self.rules.iter().enumerate() {
            let expansion = ending.expand(self.start.civil, bounds, number == 0);
            starts.extend(expansion.into_iter().map(|civil| (self.start.at(civil), None)));
        }
        if self.rules.is_empty() && self.start.civil >= bounds.first {
            starts.push((self.start.clone(), None));
        }
        let additions = self
            .additions
            .iter()
            .filter(|addition| (bounds.first..=bounds.last).contains(&addition.start.civil));
        starts.extend(additions.map(|addition| {
            let Civil { civil, date_only, .. } = addition.start;
            (Moment { civil, date_only, clock: self.start.clock.clone() }, addition.length)
        }));
        let moved: BTreeSet<&str> = self.moved.iter().map(|moved| moved.id.as_str()).collect();
        starts.retain(|(start, _)| {
            self.before.is_none_or(|before| start.civil < before)
                && self.shift.as_ref().is_none_or(|shift| start.civil >= shift.from)
                && !self.excluded.contain(start)
                && !self.cancelled.contain(start)
                && (moved.is_empty() || !moved.contains(start.id().as_str()))
        });
        for ending in &self.except_rules {
            let excepted = ending.expand(self.start.civil, bounds, false);
            starts.retain(|(start, _)| excepted.binary_search(&start.civil).is_err());
        }
        // The longer description of one start counts.
        starts.sort_by_key(|(start, length)| (start.civil, length.is_none()));
        let mut seen = BTreeSet::new();
        starts.retain(|(start, _)| seen.insert(start.id()));
        starts
    }

    fn bounds(&self, first: Date, last: Date, occurrences_max: usize) -> Bounds {
        // Another zone, and a shift, show a start on another day than its own.
        let margin = i64::from(self.shown_in.is_some() || self.shift.is_some());
        let shift = self.shift.as_ref().map_or(SignedDuration::ZERO, Shift::by);
        let civil = |day: Date, time: Time| {
            day.to_datetime(time).checked_sub(shift).unwrap_or(day.to_datetime(time))
        };
        let per_day = if margin > 0 { LOOK_MAX } else { 0 };
        let left_out = self.excluded.len() + self.cancelled.len() + self.moved.len();
        let floor = self.shift.as_ref().map_or(DateTime::MIN, |shift| shift.from);
        let ceiling = self.before.unwrap_or(DateTime::MAX);
        Bounds {
            first: civil(days_from(first, -margin), Time::midnight()).max(floor),
            last: civil(days_from(last, margin), Time::MAX).min(ceiling),
            occurrences_max: occurrences_max.saturating_add(left_out.min(LOOK_MAX) + per_day),
            periods_max: LOOK_PERIODS_MAX,
        }
    }
}

impl EndingRule {
    /// Reads a rule of a series that starts at `start`. `last` is where an earlier reading found
    /// its end.
    pub fn read(text: &str, start: &Moment, last: Option<DateTime>) -> Option<Self> {
        let rule = Rule::parse(text).ok()?;
        let until = match &rule.until {
            Some(until) => Some(until_in_clock(until, start)?),
            None => None,
        };
        Some(Self { rule, text: text.to_owned(), last: last.or(until) })
    }

    /// Its starts within bounds, in order.
    fn expand(&self, start: DateTime, bounds: Bounds, is_first: bool) -> Vec<DateTime> {
        // The last start of a rule with COUNT is known, so nobody counts again.
        let count = self.rule.count.filter(|_| self.last.is_none());
        let rule = Rule { count, ..self.rule.clone() };
        match is_first {
            true => rule.expand(start, self.last, bounds).starts,
            false => rule.expand_named(start, self.last, bounds).starts,
        }
    }
}

impl Shift {
    fn by(&self) -> SignedDuration {
        self.to.civil.duration_since(self.from)
    }
}

/// UNTIL in the civil time of a series. A date includes its whole day, whatever the RFC has DTSTART
/// be.
pub fn until_in_clock(until: &str, start: &Moment) -> Option<DateTime> {
    let read = crate::moment::parse_civil(until)?;
    if read.date_only || start.date_only {
        return Some(read.civil.date().to_datetime(Time::MAX));
    }
    if !read.utc {
        return Some(read.civil);
    }
    let utc = Moment { civil: read.civil, date_only: false, clock: Clock::Zone(TimeZone::UTC) };
    Some(utc.civil_by(&start.clock))
}

/// The forms of a start and an end that are stored; none beyond the years that can be. Programs
/// write times in UTC whatever the person saw; those are shown in `shown_in`.
pub fn times(
    start: &Moment,
    end: Option<&Moment>,
    shown_in: Option<&TimeZone>,
) -> Option<(When, Option<When>)> {
    let shown = |moment: &Moment| match (&moment.clock, shown_in) {
        (Clock::Zone(utc), Some(zone)) if *utc == TimeZone::UTC && !moment.date_only => {
            let instant = moment.clock.instant(moment.civil)?;
            Some(When::from_zoned(&instant.with_time_zone(zone.clone())))
        }
        _ => moment.when(),
    };
    let at = shown(start)?;
    // The end of an all-day event is the day after; people name its last day.
    let last_day = |end: &Moment| end.civil.checked_sub(SignedDuration::from_hours(24)).ok();
    let end = match end {
        Some(end) if start.date_only => last_day(end)
            .map(|day| When::from_date(day.date()))
            .filter(|day| day.date() > at.date()),
        end => end.and_then(shown),
    };
    Some((at, end))
}

/// The day that is so many days later; the last or first day there is where there is none.
fn days_from(date: Date, days: i64) -> Date {
    let span = Span::new().try_days(days);
    let limit = if days < 0 { Date::MIN } else { Date::MAX };
    span.and_then(|span| date.checked_add(span)).unwrap_or(limit)
}
