//! When series of a calendar and events of several days happen, as far as a question asks.
//!
//! A series is one document with the day of its first occurrence. For a question of a time, or one
//! limited to a time, its occurrences are computed around the days that are asked for, and the one
//! that fits best stands for the record: its day counts, and it is what is shown. An event that
//! began before the days that are asked for and lasts into them counts as one of the first of
//! these days.

use std::collections::HashMap;

use calendar::series::{Occurrence, Series};
use jiff::civil::Date;
use jiff::tz::Offset;
use kernel::evidence::{Evidence, EvidenceKind};
use retrieval::question::dates::DateMention;
use retrieval::question::nearest::Nearest;
use retrieval::question::{Question, RecordTime};

use super::attributes::{self, Attribute, NO_DAY, NO_TIME};
use super::fold::days_since_epoch;
use super::search::{Filter, Search};
use crate::{Position, StoreError};

/// How far beside a window an occurrence is looked for that may fit it a little, days.
const BESIDE_DAYS: i64 = 31;
/// Most windows of a question that are looked into.
const WINDOWS_MAX: usize = 12;
/// Most occurrences of a limited time that are compared with its exact ends.
const IN_FILTER_MAX: usize = 4;
/// Days after the beginning of a limited time, and before its end, on which a series may also
/// happen outside it: the limits are instants, and days begin at different times.
const EDGE_DAYS: i64 = 2;
/// Most occurrences of such days: of three days, one every minute.
const AT_EDGE_MAX: usize = 3 * 24 * 60;
/// The longest event that is looked for on its later days, days.
const LASTS_DAYS_MAX: i32 = 62;
/// Most events that one question reads to see how long they last.
const LASTING_MAX: usize = 1_000;
/// Most series that one question looks into; of more, the first starts count.
const SERIES_MAX: usize = 50_000;

/// The times that stand for series and events in one search.
#[derive(Default)]
pub(super) struct SeriesTimes {
    /// By document.
    times: HashMap<u32, Option<Seen>>,
    /// The number of the kind of events, if some that last are among them.
    lasting_kind: Option<u8>,
}

#[derive(Clone)]
struct Seen {
    day: i32,
    at_us: i64,
    /// None of an event that lasts.
    occurrence: Option<Occurrence>,
}

impl SeriesTimes {
    pub(super) fn of(
        search: &Search<'_>,
        question: &Question,
        filter: &Filter,
        today: Option<Date>,
    ) -> Result<Self, StoreError> {
        let is_limited = filter.since_us.is_some() || filter.until_us.is_some();
        let mut times = HashMap::new();
        if !question.asks_of_a_time() && !is_limited {
            return Ok(Self::default());
        }
        let asked = TimeQuestion { question, filter, today };
        let mut last: Option<(Position, Option<Seen>)> = None;
        for (document, attribute) in (0u32..).zip(search.attributes.rest.iter()) {
            if attribute.marks & attributes::SERIES == 0
                || attribute.flags & attributes::DEAD != 0 && filter.as_of_us.is_none()
            {
                continue;
            }
            let seen = match last.take() {
                Some((position, seen)) if position == attribute.position => seen,
                _ if times.len() >= SERIES_MAX => break,
                _ => {
                    let evidence = search.evidence(attribute.position)?;
                    let is_event = |kind: &EvidenceKind| kind.0 == EvidenceKind::EVENT;
                    evidence.and_then(|(_, evidence)| {
                        asked.best(&Series::of(&evidence)?, is_event(&evidence.kind))
                    })
                }
            };
            last = Some((attribute.position, seen.clone()));
            if seen.is_some() || is_limited {
                times.insert(document, seen);
            }
        }
        let lasting_kind = asked.add_lasting(search, &mut times)?;
        Ok(Self { times, lasting_kind })
    }

    /// A document's attributes at the time that stands for it.
    pub(super) fn seen(&self, document: u32, attribute: &Attribute) -> Attribute {
        let is_event = self.lasting_kind == Some(attribute.kind);
        if attribute.marks & attributes::SERIES == 0 && !is_event {
            return *attribute;
        }
        match self.times.get(&document) {
            Some(Some(seen)) => Attribute { day: seen.day, at_us: seen.at_us, ..*attribute },
            // It does not happen within the limits.
            Some(None) => Attribute { day: NO_DAY, at_us: NO_TIME, ..*attribute },
            None => *attribute,
        }
    }

    /// The occurrence that stands for a document.
    pub(super) fn occurrence(&self, document: u32) -> Option<Occurrence> {
        self.times.get(&document)?.as_ref()?.occurrence.clone()
    }
}

/// The last day of an event. A time that ends it is not a part of it, a day is.
fn last_day(evidence: &Evidence) -> Option<i32> {
    let end = evidence.payload.end.as_ref()?;
    let is_midnight = !end.is_date_only() && end.civil().time() == jiff::civil::Time::midnight();
    Some(days_since_epoch(end.date()) - i32::from(is_midnight))
}

/// A question and its limits, as far as they concern times.
struct TimeQuestion<'a> {
    question: &'a Question,
    filter: &'a Filter,
    today: Option<Date>,
}

impl TimeQuestion<'_> {
    /// The occurrence that fits best; of equal ones the nearest to the asker's day, then the first.
    fn best(&self, series: &Series, is_event: bool) -> Option<Seen> {
        let fit = |occurrence: &Occurrence| {
            let date = Some(occurrence.at.date());
            self.question.time_fit(RecordTime { date, is_event, is_quoted: false })
        };
        let distance = |occurrence: &Occurrence| {
            let today = self.today.map_or(0, days_since_epoch);
            days_since_epoch(occurrence.at.date()).abs_diff(today)
        };
        let mut best: Option<(f64, u32, Occurrence)> = None;
        for occurrence in self.candidates(series) {
            let (fit, distance) = (fit(&occurrence), distance(&occurrence));
            if self.admits(&occurrence)
                && best
                    .as_ref()
                    .is_none_or(|(best, near, _)| fit > *best || fit == *best && distance < *near)
            {
                best = Some((fit, distance, occurrence));
            }
        }
        best.map(|(_, _, occurrence)| Seen {
            day: days_since_epoch(occurrence.at.date()),
            at_us: occurrence.at.instant_us(),
            occurrence: Some(occurrence),
        })
    }

    /// Adds the events that began before a window that is asked for and last into it: the number
    /// of their kind, if there are some.
    fn add_lasting(
        &self,
        search: &Search<'_>,
        times: &mut HashMap<u32, Option<Seen>>,
    ) -> Result<Option<u8>, StoreError> {
        let windows: Vec<i32> =
            self.windows().into_iter().map(|(first, _)| days_since_epoch(first)).collect();
        let Some(kind) = search.kind_number(EvidenceKind::EVENT)?.filter(|_| !windows.is_empty())
        else {
            return Ok(None);
        };
        let mut found = None;
        let mut read = 0;
        for (document, attribute) in (0u32..).zip(search.attributes.rest.iter()) {
            let may_last = |first: &&i32| {
                attribute.day < **first && attribute.day >= first.saturating_sub(LASTS_DAYS_MAX)
            };
            if attribute.kind != kind
                || attribute.marks & attributes::SERIES != 0
                || attribute.flags & attributes::DEAD != 0 && self.filter.as_of_us.is_none()
                || !windows.iter().any(|first| may_last(&first))
            {
                continue;
            }
            read += 1;
            if read > LASTING_MAX {
                break;
            }
            let Some((_, evidence)) = search.evidence(attribute.position)? else { continue };
            let Some(last) = last_day(&evidence) else { continue };
            if let Some(day) = windows.iter().find(|first| may_last(first) && **first <= last) {
                let seen = Seen { day: *day, at_us: attribute.at_us, occurrence: None };
                times.insert(document, Some(seen));
                found = Some(kind);
            }
        }
        Ok(found)
    }

    fn candidates(&self, series: &Series) -> Vec<Occurrence> {
        let (from, to) = self.limits();
        let within = |first: Date, last: Date| self.first_within(series, first, last);
        let last_until = |day: Date| self.last_until(series, day);
        let mut found = Vec::new();
        for (first, last) in self.windows() {
            let inside = within(first, last);
            if inside.is_empty() {
                found.extend(within(later(last, 1), later(last, BESIDE_DAYS)));
                let before = (later(first, -BESIDE_DAYS), later(first, -1));
                found.extend(last_until(before.1).filter(|last| last.at.date() >= before.0));
            }
            found.extend(inside);
        }
        match self.question.nearest {
            Some(Nearest::From(today)) => found.extend(within(today, Date::MAX)),
            Some(Nearest::Until(today)) => found.extend(last_until(today)),
            Some(Nearest::Earliest(_)) | None => {}
        }
        if self.filter.since_us.is_some() || self.filter.until_us.is_some() {
            let today = self.today.unwrap_or(from).clamp(from, to);
            found.extend(within(today, to));
            found.extend(last_until(today));
            found.extend(within(from, to));
        }
        found
    }

    /// The first occurrences from one day to another that the filter admits.
    fn first_within(&self, series: &Series, first: Date, last: Date) -> Vec<Occurrence> {
        let (from, to) = self.limits();
        let (mut first, last) = (first.max(from), last.min(to));
        let mut found = Vec::new();
        let edge = later(from, EDGE_DAYS).min(last);
        if self.filter.since_us.is_some() && first <= edge {
            found = series.between(first, edge, AT_EDGE_MAX);
            first = later(edge, 1);
        }
        if first <= last {
            found.extend(series.between(first, last, IN_FILTER_MAX));
        }
        found.retain(|occurrence| self.admits(occurrence));
        found.truncate(IN_FILTER_MAX);
        found
    }

    /// The last occurrence until a day that the filter admits.
    fn last_until(&self, series: &Series, day: Date) -> Option<Occurrence> {
        let (_, to) = self.limits();
        let last = day.min(to);
        let edge = later(to, -EDGE_DAYS);
        let (mut at_edge, before) = match self.filter.until_us.is_some() && last >= edge {
            true => (series.between(edge, last, AT_EDGE_MAX), later(edge, -1)),
            false => (Vec::new(), last),
        };
        at_edge.retain(|occurrence| self.admits(occurrence));
        let is_admitted = |occurrence: &Occurrence| self.admits(occurrence);
        at_edge.pop().or_else(|| series.last_until(before).filter(is_admitted))
    }

    /// The windows of days that the question names. Of one without a year, that nearest to the
    /// asker's day: what is held every week is on some weekday's ninth of December, too.
    fn windows(&self) -> Vec<(Date, Date)> {
        let mut windows = Vec::new();
        for mention in &self.question.dates {
            match mention {
                DateMention::Window { first, last, .. } => windows.push((*first, *last)),
                DateMention::EveryYear { .. } => {
                    let today = self.today.unwrap_or(Date::constant(1970, 1, 1));
                    let years = [366, 0, -366].map(|days| later(today, days));
                    let windows_near = years.into_iter().filter_map(|near| mention.window(near));
                    let day = days_since_epoch(today);
                    windows.extend(windows_near.min_by_key(|(first, last)| {
                        let (first, last) = (days_since_epoch(*first), days_since_epoch(*last));
                        (first - day).max(day - last).max(0)
                    }));
                }
            }
        }
        windows.truncate(WINDOWS_MAX);
        windows
    }

    /// The days of the filter, and one more on either side: it has instants.
    fn limits(&self) -> (Date, Date) {
        let day = |us: i64, days: i64| {
            let instant = jiff::Timestamp::from_microsecond(us).ok()?;
            Some(later(Offset::UTC.to_datetime(instant).date(), days))
        };
        (
            self.filter.since_us.and_then(|us| day(us, -1)).unwrap_or(Date::MIN),
            self.filter.until_us.and_then(|us| day(us, 1)).unwrap_or(Date::MAX),
        )
    }

    fn admits(&self, occurrence: &Occurrence) -> bool {
        let at_us = occurrence.at.instant_us();
        self.filter.since_us.is_none_or(|since| at_us >= since)
            && self.filter.until_us.is_none_or(|until| at_us < until)
    }
}

/// The day that is so many days later; the last or first day there is where there is none.
fn later(date: Date, days: i64) -> Date {
    let span = jiff::Span::new().try_days(days);
    let limit = if days < 0 { Date::MIN } else { Date::MAX };
    span.and_then(|span| date.checked_add(span)).unwrap_or(limit)
}
