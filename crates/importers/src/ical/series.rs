//! From one component to its occurrences.
//!
//! RFC 5545, section 3.8.5: the set of starts is DTSTART, RRULE and RDATE together, without EXRULE and EXDATE. From it
//! go the occurrences that have a component of their own (RECURRENCE-ID); those after a change to "this and all
//! future" ones take their content, length and shift in time from that change. A rule that cannot be followed is reported,
//! and the event then happened once, at its DTSTART.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use jiff::civil::{DateTime, Time};
use jiff::{SignedDuration, Span};

use super::content::Component;
use super::moment::{Length, Moment, Starts, parse_civil};
use super::property::Property;
use super::record::Template;
use super::recurrence::{Bounds, Expansion};
use super::rule::Rule;
use super::zone::{Clock, Zones};
use super::{HORIZON_DAYS, Import, OCCURRENCES_MAX, Overrides};

/// Most rules of one kind that one event may have.
const RULES_MAX: usize = 20;

/// Most bytes of the event's text in all its occurrences together: each is a record with the whole of it.
const SERIES_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A change to all occurrences of a series from one on.
pub(super) struct Split {
    /// The original start of the first that it changes.
    from: Moment,
    start: Moment,
    shift: SignedDuration,
    component: Component,
}

/// One occurrence: its original start, and its length where it has one of its own.
struct Occurrence {
    start: Moment,
    length: Option<Length>,
}

impl Split {
    pub(super) fn read(
        recurrence_id: &Property,
        component: Component,
        zones: &mut Zones,
    ) -> Option<Self> {
        let from = Moment::read(&recurrence_id.value, recurrence_id, zones, &mut None).ok()?;
        let start = match component.get("DTSTART") {
            Some(property) => Moment::read(&property.value, property, zones, &mut None).ok()?,
            None => from.clone(),
        };
        let shift = start.civil.duration_since(from.civil_by(&start.clock));
        Some(Self { from, start, shift, component })
    }

    /// Where an occurrence goes that would have started at `original`.
    fn moved(&self, original: &Moment) -> Option<Moment> {
        let civil = original.civil_by(&self.start.clock).checked_add(self.shift).ok()?;
        Some(self.start.at(civil))
    }
}

/// Outlook writes a day as the time from midnight to midnight, and beside it that it means the day.
fn is_all_day(component: &Component, start: &Moment) -> bool {
    let says_so = component
        .text("X-MICROSOFT-CDO-ALLDAYEVENT")
        .is_some_and(|value| value.eq_ignore_ascii_case("TRUE"));
    says_so && start.civil.time() == Time::midnight()
}

impl Import<'_> {
    /// An event: one record for each time that it happens.
    pub(super) fn event(&mut self, component: &Component) -> ControlFlow<()> {
        let template = Template::event(component, &self.home);
        if let Some(property) = component.get("RECURRENCE-ID") {
            return self.override_of_one(component, property, &template);
        }
        let Some(property) = component.get("DTSTART") else {
            return self.problem(component.line, "an event without DTSTART; it was left out");
        };
        let Some(start) = self.moment(property)? else { return ControlFlow::Continue(()) };
        let length = self.length(component, &start)?;
        let repeats = ["RRULE", "RDATE"].iter().any(|name| component.get(name).is_some());
        if !repeats {
            let end = length.and_then(|length| start.after(length));
            let start =
                Moment { date_only: start.date_only || is_all_day(component, &start), ..start };
            return self.give(property.line, template.occurrence(&start, end.as_ref(), None));
        }
        let occurrences = self.occurrences(component, &start)?;
        let overrides = self.overrides.remove(template.uid()).unwrap_or_default();
        let flow = self.give_series(&template, &occurrences, length, &overrides, property.line);
        self.overrides.insert(template.uid().to_owned(), overrides);
        flow
    }

    fn give_series(
        &mut self,
        template: &Template,
        occurrences: &[Occurrence],
        length: Option<Length>,
        overrides: &Overrides,
        line: u64,
    ) -> ControlFlow<()> {
        let mut splits = Vec::new();
        for split in &overrides.splits {
            let length = self.length(&split.component, &split.start)?;
            splits.push((split, Template::event(&split.component, &self.home), length));
        }
        for Occurrence { start, length: own_length } in occurrences {
            if overrides.starts.contain(start) {
                continue;
            }
            let id = start.id();
            let begun = |split: &Split| split.from.civil_by(&start.clock) <= start.civil;
            let latest = splits
                .iter()
                .filter(|(split, ..)| begun(split))
                .max_by_key(|(split, ..)| split.from.id());
            let evidence = match latest {
                Some((split, changed, length)) => split.moved(start).and_then(|moved| {
                    let end = length.and_then(|length| moved.after(length));
                    changed.occurrence(&moved, end.as_ref(), Some(&id))
                }),
                None => {
                    let end = own_length.or(length).and_then(|length| start.after(length));
                    template.occurrence(start, end.as_ref(), Some(&id))
                }
            };
            self.give(line, evidence)?;
        }
        ControlFlow::Continue(())
    }

    /// An occurrence with a component of its own.
    fn override_of_one(
        &mut self,
        component: &Component,
        property: &Property,
        template: &Template,
    ) -> ControlFlow<()> {
        let Some(original) = self.moment(property)? else { return ControlFlow::Continue(()) };
        let start = match component.get("DTSTART") {
            Some(start) => self.moment(start)?,
            None => Some(original.clone()),
        };
        let Some(start) = start else { return ControlFlow::Continue(()) };
        let end = self.length(component, &start)?.and_then(|length| start.after(length));
        self.give(property.line, template.occurrence(&start, end.as_ref(), Some(&original.id())))
    }

    /// How long an event takes; for a date, one day if nothing else is said.
    fn length(&mut self, component: &Component, start: &Moment) -> ControlFlow<(), Option<Length>> {
        let default = start.date_only.then(|| Length::of_days(1));
        let (length, property) = if let Some(property) = component.get("DTEND") {
            let end = self.moment(property)?;
            (end.map(|end| Length::between(start, &end)), property)
        } else if let Some(property) = component.get("DURATION") {
            let length = Length::parse(&property.value);
            if length.is_none() {
                self.problem(
                    property.line,
                    "DURATION was left out: it is no duration of iCalendar",
                )?;
            }
            (length, property)
        } else {
            return ControlFlow::Continue(default);
        };
        match length {
            Some(length) if length.is_negative() => {
                self.problem(
                    property.line,
                    "the event ends before it starts; its end was left out",
                )?;
                ControlFlow::Continue(default)
            }
            Some(length) if length.is_positive() => ControlFlow::Continue(Some(length)),
            _ => ControlFlow::Continue(default),
        }
    }

    /// Every start of a series, in order, each once.
    fn occurrences(
        &mut self,
        component: &Component,
        start: &Moment,
    ) -> ControlFlow<(), Vec<Occurrence>> {
        let mut excluded = Starts::default();
        for property in component.all("EXDATE") {
            for value in property.value.split(',').filter(|value| !value.trim().is_empty()) {
                if let Some(moment) = self.moment_of(property, value)? {
                    excluded.insert(&moment);
                }
            }
        }
        for property in component.all("EXRULE").take(RULES_MAX) {
            for civil in self
                .expansion(property, start)?
                .starts
                .into_iter()
                .filter(|&civil| civil != start.civil)
            {
                excluded.insert(&start.at(civil));
            }
        }
        let mut occurrences = Vec::new();
        let mut limited = None;
        let mut rules = 0;
        for property in component.all("RRULE") {
            if rules == RULES_MAX {
                self.problem(
                    property.line,
                    format!("more than {RULES_MAX} rules; this and later ones were left out"),
                )?;
                break;
            }
            rules += 1;
            let expansion = self.expansion(property, start)?;
            if !expansion.complete {
                limited = Some(property.line);
            }
            let starts = expansion.starts.into_iter().map(|civil| start.at(civil));
            occurrences.extend(starts.map(|start| Occurrence { start, length: None }));
            if occurrences.len() > OCCURRENCES_MAX {
                break;
            }
        }
        if rules == 0 {
            occurrences.push(Occurrence { start: start.clone(), length: None });
        }
        for property in component.all("RDATE") {
            for value in property.value.split(',').filter(|value| !value.trim().is_empty()) {
                if occurrences.len() > OCCURRENCES_MAX {
                    limited = Some(property.line);
                    break;
                }
                occurrences.extend(self.period(property, value)?);
            }
        }
        occurrences.sort_by_cached_key(|occurrence| {
            (
                occurrence.start.civil_by(&start.clock),
                occurrence.start.id(),
                occurrence.length.is_none(),
            )
        });
        let mut seen = BTreeSet::new();
        occurrences.retain(|occurrence| {
            !excluded.contain(&occurrence.start) && seen.insert(occurrence.start.id())
        });
        let text_bytes: usize =
            component.properties.iter().map(|property| property.value.len()).sum();
        let occurrences_max = OCCURRENCES_MAX.min(SERIES_BYTES_MAX / text_bytes.max(1)).max(1);
        if let Some(line) =
            limited.or((occurrences.len() > occurrences_max).then_some(component.line))
        {
            occurrences.truncate(occurrences_max);
            let message = format!(
                "the series is too long; only its first {} occurrences were taken",
                occurrences.len()
            );
            self.problem(line, message)?;
        }
        ControlFlow::Continue(occurrences)
    }

    /// One value of RDATE: a start, or a period of a start and an end or a duration.
    fn period(&mut self, property: &Property, value: &str) -> ControlFlow<(), Option<Occurrence>> {
        let Some((start, end)) = value.split_once('/') else {
            let start = self.moment_of(property, value)?;
            return ControlFlow::Continue(start.map(|start| Occurrence { start, length: None }));
        };
        let Some(start) = self.moment_of(property, start)? else {
            return ControlFlow::Continue(None);
        };
        let length = match Length::parse(end) {
            Some(length) => Some(length),
            None => self.moment_of(property, end)?.map(|end| Length::between(&start, &end)),
        };
        let length = length.filter(|length| length.is_positive());
        ControlFlow::Continue(Some(Occurrence { start, length }))
    }

    /// The starts of one rule; of one that cannot be followed, the first alone.
    fn expansion(&mut self, property: &Property, start: &Moment) -> ControlFlow<(), Expansion> {
        let once = Expansion { starts: vec![start.civil], complete: true };
        let rule = match Rule::parse(&property.value) {
            Ok(rule) => rule,
            Err(error) => {
                self.problem(
                    property.line,
                    format!("{error}; the event was taken as happening once"),
                )?;
                return ControlFlow::Continue(once);
            }
        };
        let until = match rule.until.as_deref().map(|until| until_in_clock(until, start)) {
            Some(None) => {
                let message = "UNTIL in the recurrence rule is no date or time; the event was taken as happening once";
                self.problem(property.line, message)?;
                return ControlFlow::Continue(once);
            }
            until => until.flatten(),
        };
        if until.is_some() && rule.count.is_some() {
            self.problem(
                property.line,
                "the rule has both COUNT and UNTIL; it ends with the earlier of them",
            )?;
        }
        if until.is_some_and(|until| until < start.civil) {
            self.problem(
                property.line,
                "the rule ends (UNTIL) before the event starts; it never happens",
            )?;
        }
        let endless = until.is_none() && rule.count.is_none();
        let last =
            if endless { self.horizon(&start.clock).max(start.civil) } else { DateTime::MAX };
        let expansion =
            rule.expand(start.civil, until, Bounds { last, occurrences_max: OCCURRENCES_MAX });
        ControlFlow::Continue(expansion)
    }

    /// The civil time up to which endless series are followed.
    fn horizon(&self, clock: &Clock) -> DateTime {
        let zone = match clock {
            Clock::Zone(zone) => zone.clone(),
            _ => self.context.zone.clone(),
        };
        let now = zone.to_datetime(self.context.now);
        now.checked_add(Span::new().days(HORIZON_DAYS)).unwrap_or(now)
    }
}

/// UNTIL in the civil time of the series. A date includes its whole day, whatever the RFC has DTSTART be.
fn until_in_clock(until: &str, start: &Moment) -> Option<DateTime> {
    let read = parse_civil(until)?;
    if read.date_only || start.date_only {
        return Some(read.civil.date().to_datetime(jiff::civil::Time::MAX));
    }
    if !read.utc {
        return Some(read.civil);
    }
    let utc =
        Moment { civil: read.civil, date_only: false, clock: Clock::Zone(jiff::tz::TimeZone::UTC) };
    Some(utc.civil_by(&start.clock))
}
