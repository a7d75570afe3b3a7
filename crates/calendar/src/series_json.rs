//! A series as JSON, in the record that stands for it.
//!
//! The names are those of iCalendar, in lower case: `dtstart`, `tzid`, `duration`, `rrule`,
//! `exrule`, `rdate`, `exdate`; beside them `cancelled` and `moved` (single occurrences), `from`,
//! `to` and `before` (a change of all later ones), and what saves work: `last` of a rule.

use jiff::civil::DateTime;
use kernel::when::When;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

use crate::moment::{Civil, Length, Moment, Starts, parse_civil};
use crate::series::{Addition, EXCEPTIONS_MAX, EndingRule, Occurrence, RULES_MAX, Series, Shift};
use crate::zone::{Clock, Definition, Observance, named};

#[derive(Serialize, Deserialize)]
struct Written {
    dtstart: String,
    #[serde(flatten)]
    zone: WrittenZone,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rrule: Vec<WrittenRule>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exrule: Vec<WrittenRule>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rdate: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exdate: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cancelled: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moved: Vec<WrittenMove>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<WrittenStart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shown_in: Option<String>,
}

/// The name of a zone, or the rules of a calendar's own definition; neither of a local time.
#[derive(Default, Serialize, Deserialize)]
struct WrittenZone {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tzid: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    vtimezone: Vec<Observance>,
}

#[derive(Serialize, Deserialize)]
struct WrittenStart {
    dtstart: String,
    #[serde(flatten)]
    zone: WrittenZone,
}

#[derive(Serialize, Deserialize)]
struct WrittenRule {
    rule: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WrittenMove {
    of: String,
    at: When,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<When>,
}

impl Series {
    /// As it is kept in a record.
    pub fn to_json(&self) -> Value {
        let rules = |rules: &[EndingRule]| {
            let written = rules.iter().map(|ending| WrittenRule {
                rule: ending.text.clone(),
                last: ending.last.filter(|_| ending.rule.count.is_some()).map(time),
            });
            written.collect()
        };
        let written = Written {
            dtstart: start(&self.start),
            zone: WrittenZone::of(&self.start.clock),
            duration: self.length.map(|length| length.to_string()),
            rrule: rules(&self.rules),
            exrule: rules(&self.except_rules),
            rdate: self.additions.iter().map(addition).collect(),
            exdate: self.excluded.names().map(str::to_owned).collect(),
            cancelled: self.cancelled.names().map(str::to_owned).collect(),
            moved: self
                .moved
                .iter()
                .cloned()
                .map(|Occurrence { id, at, end }| WrittenMove { of: id, at, end })
                .collect(),
            from: self.shift.as_ref().map(|shift| time(shift.from)),
            to: self.shift.as_ref().map(|shift| WrittenStart {
                dtstart: start(&shift.to),
                zone: WrittenZone::of(&shift.to.clock),
            }),
            before: self.before.map(time),
            shown_in: self.shown_in.as_ref().and_then(|zone| zone.iana_name()).map(str::to_owned),
        };
        serde_json::to_value(written).unwrap_or_default()
    }

    /// The reverse; none of what is not a series. What exceeds a limit is left out.
    pub fn from_json(value: &Value) -> Option<Self> {
        let written = Written::deserialize(value).ok()?;
        let start = written.zone.moment(&written.dtstart)?;
        let rules = |rules: Vec<WrittenRule>| -> Vec<EndingRule> {
            let read = rules.into_iter().take(RULES_MAX).filter_map(|written| {
                let last = written.last.as_deref().and_then(civil);
                EndingRule::read(&written.rule, &start, last)
            });
            read.collect()
        };
        let starts =
            |names: Vec<String>| names.into_iter().take(EXCEPTIONS_MAX).collect::<Starts>();
        let (rrule, exrule) = (rules(written.rrule), rules(written.exrule));
        let moved = written.moved.into_iter().take(EXCEPTIONS_MAX);
        let shift = match (written.from, written.to) {
            (Some(from), Some(to)) => {
                Some(Shift { from: civil(&from)?, to: to.zone.moment(&to.dtstart)? })
            }
            _ => None,
        };
        Some(Self {
            length: written.duration.as_deref().and_then(Length::parse),
            rules: rrule,
            except_rules: exrule,
            additions: written
                .rdate
                .iter()
                .take(EXCEPTIONS_MAX)
                .filter_map(|text| read_addition(text))
                .collect(),
            excluded: starts(written.exdate),
            cancelled: starts(written.cancelled),
            moved: moved
                .map(|WrittenMove { of, at, end }| Occurrence { id: of, at, end })
                .collect(),
            shift,
            before: written.before.as_deref().and_then(civil),
            shown_in: written.shown_in.as_deref().and_then(named),
            start,
        })
    }
}

impl WrittenZone {
    fn of(clock: &Clock) -> Self {
        match clock {
            Clock::Floating => Self::default(),
            Clock::Zone(zone) => {
                Self { tzid: zone.iana_name().map(str::to_owned), vtimezone: Vec::new() }
            }
            Clock::Defined(definition) => {
                Self { tzid: None, vtimezone: definition.observances().to_vec() }
            }
        }
    }

    fn moment(&self, text: &str) -> Option<Moment> {
        let Civil { civil, date_only, .. } = parse_civil(text)?;
        let clock = match &self.tzid {
            Some(name) => named(name).map_or(Clock::Floating, Clock::Zone),
            None => Definition::of(self.vtimezone.clone())
                .map_or(Clock::Floating, |definition| Clock::Defined(Arc::new(definition))),
        };
        Some(Moment { civil, date_only, clock })
    }
}

fn start(moment: &Moment) -> String {
    match moment.date_only {
        true => moment.civil.strftime("%Y%m%d").to_string(),
        false => time(moment.civil),
    }
}

fn time(civil: DateTime) -> String {
    civil.strftime("%Y%m%dT%H%M%S").to_string()
}

fn civil(text: &str) -> Option<DateTime> {
    parse_civil(text).map(|read| read.civil)
}

fn addition(addition: &Addition) -> String {
    let Civil { civil, date_only, .. } = addition.start;
    let start = start(&Moment { civil, date_only, clock: Clock::Floating });
    addition.length.map_or(start.clone(), |length| format!("{start}/{length}"))
}

fn read_addition(text: &str) -> Option<Addition> {
    let (start, length) = match text.split_once('/') {
        Some((start, length)) => (start, Length::parse(length)),
        None => (text, None),
    };
    Some(Addition { start: parse_civil(start)?, length })
}
