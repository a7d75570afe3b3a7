//! From the components of a series to the record that it is.
//!
//! A component that repeats is one record. What EXDATE leaves out, and what a component of its own
//! (RECURRENCE-ID) only moves or cancels, is part of it; an occurrence with other words is a record
//! of its own, which the series leaves out. A change to "this and all future" occurrences begins
//! another series, with the words and the length of the change. If a rule cannot be followed, this
//! is reported, and the event counts as happening once, at its DTSTART.

use std::ops::ControlFlow;

use calendar::moment::{Civil, Length, Moment, parse_civil};
use calendar::recurrence::Bounds;
use calendar::series::{
    Addition, EXCEPTIONS_MAX, EndingRule, Occurrence, RULES_MAX, Series, Shift, times,
    until_in_clock,
};
use jiff::civil::{DateTime, Time};

use super::content::Component;
use super::property::Property;
use super::record::Template;
use super::zone::Zones;
use super::{Base, Changed, Import, OCCURRENCES_MAX, Overrides, read_moment};

/// A change to all occurrences of a series from one on.
pub(super) struct Split {
    /// The original start of the first that it changes.
    from: Moment,
    start: Moment,
    component: Component,
}

impl Split {
    pub(super) fn read(
        recurrence_id: &Property,
        component: Component,
        zones: &mut Zones,
    ) -> Option<Self> {
        let from = read_moment(&recurrence_id.value, recurrence_id, zones, &mut None).ok()?;
        let start = match component.get("DTSTART") {
            Some(property) => read_moment(&property.value, property, zones, &mut None).ok()?,
            None => from.clone(),
        };
        Some(Self { from, start, component })
    }

    /// The name of the first occurrence that it changes.
    pub(super) fn id(&self) -> String {
        self.from.id()
    }
}

/// Outlook writes an all-day event as the time from midnight to midnight, with a mark that it means
/// the day.
fn is_all_day(component: &Component, start: &Moment) -> bool {
    let says_so = component
        .text("X-MICROSOFT-CDO-ALLDAYEVENT")
        .is_some_and(|value| value.eq_ignore_ascii_case("TRUE"));
    says_so && start.civil.time() == Time::midnight()
}

/// Whether a component stands for several occurrences.
pub(super) fn repeats(component: &Component) -> bool {
    ["RRULE", "RDATE"].iter().any(|name| component.get(name).is_some())
        && component.get("RECURRENCE-ID").is_none()
}

impl Import<'_> {
    /// An event, or a series of them: a record.
    pub(super) fn event(&mut self, component: &Component) -> ControlFlow<()> {
        let template = Template::event(component, &self.home);
        if let Some(property) = component.get("RECURRENCE-ID") {
            return self.override_of_one(component, property, &template);
        }
        let Some(property) = component.get("DTSTART") else {
            return self.problem(component.line, "an event without DTSTART; it was left out");
        };
        let Some(mut start) = self.moment(property)? else { return ControlFlow::Continue(()) };
        let length = self.length(component, &mut start)?;
        if repeats(component) {
            let series = self.series(component, &start, length, &template)?;
            let overrides = self.overrides.remove(template.uid()).unwrap_or_default();
            let flow = self.give_series(&template, series, &overrides, property.line);
            self.overrides.insert(template.uid().to_owned(), overrides);
            return flow;
        }
        let end = length.and_then(|length| start.after(length));
        let start = Moment { date_only: start.date_only || is_all_day(component, &start), ..start };
        self.give(property.line, template.occurrence(&start, end.as_ref(), None))
    }

    fn give_series(
        &mut self,
        template: &Template,
        mut series: Series,
        overrides: &Overrides,
        line: u64,
    ) -> ControlFlow<()> {
        let clock = series.start.clock.clone();
        let mut splits: Vec<&Split> = overrides.splits.iter().collect();
        splits.sort_by_key(|split| split.from.civil_by(&clock));
        let mut begins = splits.iter().map(|split| split.from.civil_by(&clock));
        let mut later = Vec::new();
        series.before = begins.next();
        for split in &splits {
            let before = begins.next();
            let mut to = split.start.clone();
            let length = self.length(&split.component, &mut to)?;
            let shift = Shift { from: split.from.civil_by(&clock), to };
            let mut changed = Series { shift: Some(shift), before, length, ..series.clone() };
            // What was moved stays with the part that it was moved from.
            changed.moved.retain(|moved| moved.id >= split.id());
            later.push((Template::event(&split.component, &self.home), changed, split.id()));
        }
        if let Some(first) = splits.first() {
            series.moved.retain(|moved| moved.id < first.id());
        }
        let is_once = series.rules.is_empty()
            && series.additions.is_empty()
            && series.moved.is_empty()
            && later.is_empty()
            && !series.excluded.contain(&series.start)
            && !series.cancelled.contain(&series.start);
        if is_once {
            let end = series.length.and_then(|length| series.start.after(length));
            return self.give(line, template.occurrence(&series.start, end.as_ref(), None));
        }
        if let Some(evidence) = template.series(&series, None) {
            self.give(line, Some(evidence))?;
        }
        for (template, series, id) in later {
            if let Some(evidence) = template.series(&series, Some(&id)) {
                self.give(line, Some(evidence))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// An occurrence with a component of its own, unless it is part of its series.
    fn override_of_one(
        &mut self,
        component: &Component,
        property: &Property,
        template: &Template,
    ) -> ControlFlow<()> {
        let Some(original) = self.moment(property)? else { return ControlFlow::Continue(()) };
        let base = self.bases.get(template.uid()).copied();
        let original = self.original(original, base);
        if self.excluded.get(template.uid()).is_some_and(|excluded| excluded.contain(&original)) {
            return ControlFlow::Continue(());
        }
        let is_split = |overrides: &Overrides| {
            overrides.splits.iter().any(|split| split.id() == original.id())
        };
        let is_part = base.is_some_and(|base| base.has(&Changed::words_of(component)))
            || base.is_some()
                && self.overrides.get(template.uid()).is_some_and(is_split)
                && is_onward(property);
        if is_part {
            return ControlFlow::Continue(());
        }
        let start = match component.get("DTSTART") {
            Some(start) => self.moment(start)?,
            None => Some(original.clone()),
        };
        let Some(mut start) = start else { return ControlFlow::Continue(()) };
        let end = self.length(component, &mut start)?.and_then(|length| start.after(length));
        self.give(property.line, template.occurrence(&start, end.as_ref(), Some(&original.id())))
    }

    /// The original start that a RECURRENCE-ID names. Exchange names days of an all-day series by
    /// their midnight.
    fn original(&self, named: Moment, base: Option<Base>) -> Moment {
        if named.date_only || !base.is_some_and(|base| base.is_of_days) {
            return named;
        }
        let day = match (times(&named, None, self.home.zone.as_ref()), named.civil.date()) {
            (Some((at, _)), _) => at.date(),
            (None, day) => day,
        };
        Moment { date_only: true, ..named.at(day.to_datetime(Time::midnight())) }
    }

    /// How long an event takes; for a date, one day by default. Of an end before the start, it is
    /// meant that they are exchanged.
    fn length(
        &mut self,
        component: &Component,
        start: &mut Moment,
    ) -> ControlFlow<(), Option<Length>> {
        let default = start.date_only.then(|| Length::of_days(1));
        let (length, property) = if let Some(property) = component.get("DTEND") {
            let end = self.moment(property)?;
            if let Some(end) = &end
                && Length::between(start, end).is_negative()
            {
                self.problem(
                    property.line,
                    "the event ends before it starts; the two were exchanged",
                )?;
                let length = Length::between(end, start);
                *start = end.clone();
                return ControlFlow::Continue(Some(length));
            }
            (end.map(|end| Length::between(start, &end)), property)
        } else if let Some(property) = component.get("DURATION") {
            let length = Length::parse(&property.value);
            if length.is_none() {
                self.problem(
                    property.line,
                    "DURATION was left out: it is not a duration of iCalendar",
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

    /// The series of a component, with what became of single occurrences.
    fn series(
        &mut self,
        component: &Component,
        start: &Moment,
        length: Option<Length>,
        template: &Template,
    ) -> ControlFlow<(), Series> {
        let mut series = Series::new(start.clone(), length);
        series.shown_in.clone_from(&self.home.zone);
        for property in component.all("EXDATE") {
            for value in property.value.split(',').filter(|value| !value.trim().is_empty()) {
                if let Some(moment) = self.moment_of(property, value)? {
                    if series.excluded.len() == EXCEPTIONS_MAX {
                        let message = format!(
                            "more than {EXCEPTIONS_MAX} exceptions; the others were left out"
                        );
                        self.problem(property.line, message)?;
                        break;
                    }
                    series.excluded.insert(&moment);
                }
            }
        }
        for (name, is_exception) in [("EXRULE", true), ("RRULE", false)] {
            for (number, property) in component.all(name).enumerate() {
                if number == RULES_MAX {
                    let message =
                        format!("more than {RULES_MAX} rules; this and later ones were left out");
                    self.problem(property.line, message)?;
                    break;
                }
                let is_first = !is_exception && series.rules.is_empty();
                let Some(rule) = self.rule(property, start, is_first)? else { continue };
                let rules = match is_exception {
                    true => &mut series.except_rules,
                    false => &mut series.rules,
                };
                // Some programs write a rule twice.
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
        for property in component.all("RDATE") {
            for value in property.value.split(',').filter(|value| !value.trim().is_empty()) {
                if series.additions.len() == EXCEPTIONS_MAX {
                    let message =
                        format!("more than {EXCEPTIONS_MAX} additions; the others were left out");
                    self.problem(property.line, message)?;
                    break;
                }
                series.additions.extend(self.addition(property, value, start)?);
            }
        }
        self.add_changes(&mut series, template.uid())?;
        ControlFlow::Continue(series)
    }

    /// Notes which occurrences have a component of their own. What only moves or cancels one is
    /// part of the series.
    fn add_changes(&mut self, series: &mut Series, uid: &str) -> ControlFlow<()> {
        let base = self.bases.get(uid).copied();
        let Some(mut overrides) = self.overrides.remove(uid) else {
            return ControlFlow::Continue(());
        };
        overrides.changed.sort_by_key(|changed| changed.sequence);
        let mut flow = ControlFlow::Continue(());
        for changed in &overrides.changed {
            flow = self.add_change(series, changed, base);
            if flow.is_break() {
                break;
            }
        }
        self.overrides.insert(uid.to_owned(), overrides);
        flow
    }

    fn add_change(
        &mut self,
        series: &mut Series,
        changed: &Changed,
        base: Option<Base>,
    ) -> ControlFlow<()> {
        let property = &changed.recurrence_id;
        let moment = read_moment(&property.value, property, &mut self.zones, &mut None);
        // What cannot be read is reported when the component itself is.
        let Ok(moment) = moment else { return ControlFlow::Continue(()) };
        let mut original = self.original(moment, base);
        if original.date_only && !series.start.date_only {
            let day = original.civil.date();
            original = series.start.at(day.to_datetime(series.start.civil.time()));
        }
        let id = original.id();
        series.moved.retain(|moved| moved.id != id);
        // The latest word on an occurrence is that there is none.
        if series.excluded.contain(&original) {
            return ControlFlow::Continue(());
        }
        if !base.is_some_and(|base| base.has(&changed.words)) {
            series.excluded.insert(&original);
            return ControlFlow::Continue(());
        }
        if changed.is_cancelled {
            series.cancelled.insert(&original);
            return ControlFlow::Continue(());
        }
        let mut start = match changed.times.get("DTSTART") {
            Some(start) => self.moment(start)?.unwrap_or_else(|| original.clone()),
            None => original.clone(),
        };
        let end = self.length(&changed.times, &mut start)?.and_then(|length| start.after(length));
        if let Some((at, end)) = times(&start, end.as_ref(), series.shown_in.as_ref()) {
            series.moved.push(Occurrence { id, at, end });
        }
        ControlFlow::Continue(())
    }

    /// One value of RDATE: a start, or a period of a start and an end or a duration.
    fn addition(
        &mut self,
        property: &Property,
        value: &str,
        of: &Moment,
    ) -> ControlFlow<(), Option<Addition>> {
        let (start, end) = match value.split_once('/') {
            Some((start, end)) => (start, Some(end)),
            None => (value, None),
        };
        let Some(start) = self.moment_of(property, start)? else {
            return ControlFlow::Continue(None);
        };
        let length = match end.map(|end| (end, Length::parse(end))) {
            None => None,
            Some((_, Some(length))) => Some(length),
            Some((end, None)) => {
                self.moment_of(property, end)?.map(|end| Length::between(&start, &end))
            }
        };
        let length = length.filter(|length| length.is_positive());
        let civil = if start.date_only { start.civil } else { start.civil_by(&of.clock) };
        let start = Civil { civil, date_only: start.date_only, utc: false };
        ControlFlow::Continue(Some(Addition { start, length }))
    }

    /// A rule with its end; none if it cannot be followed.
    fn rule(
        &mut self,
        property: &Property,
        start: &Moment,
        is_first: bool,
    ) -> ControlFlow<(), Option<EndingRule>> {
        let rule = match calendar::rule::Rule::parse(&property.value) {
            Ok(rule) => rule,
            Err(error) => {
                let message = format!("{error}; the event was taken as happening once");
                self.problem(property.line, message)?;
                return ControlFlow::Continue(None);
            }
        };
        let until = match rule.until.as_deref().map(|until| until_in_clock(until, start)) {
            Some(None) => {
                let message = "UNTIL in the recurrence rule is not a date or time; the event was taken as happening once";
                self.problem(property.line, message)?;
                return ControlFlow::Continue(None);
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
        let text = property.value.trim().to_owned();
        if rule.count.is_none() {
            return ControlFlow::Continue(Some(EndingRule { rule, text, last: until }));
        }
        let bounds = Bounds::until(DateTime::MAX, OCCURRENCES_MAX);
        let expansion = match is_first {
            true => rule.expand(start.civil, until, bounds),
            false => rule.expand_named(start.civil, until, bounds),
        };
        if !expansion.complete {
            let message = format!(
                "the series is too long; only its first {} occurrences were taken",
                expansion.starts.len()
            );
            self.problem(property.line, message)?;
        }
        let last = expansion.starts.last().copied().or(until).or(Some(start.civil));
        ControlFlow::Continue(Some(EndingRule { rule, text, last }))
    }
}

/// Whether a change is of all later occurrences too.
pub(super) fn is_onward(recurrence_id: &Property) -> bool {
    recurrence_id
        .parameter("RANGE")
        .is_some_and(|range| range.eq_ignore_ascii_case("THISANDFUTURE"))
}

/// Whether a time can be read, by itself.
pub(super) fn is_time(property: &Property) -> Option<Civil> {
    parse_civil(property.value.trim())
}
