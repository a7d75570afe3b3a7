//! From a civil time to an instant: what a TZID means.
//!
//! A TZID is looked up, in this order, as an IANA name (also one behind a vendor's prefix), as a Windows name, as
//! the `X-LIC-LOCATION` of the calendar's own definition, and at last by that definition's own rules. Names come
//! first because a definition is often cut down to the rules of the year in which the file was written, and because
//! a name says where the event is.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};

use super::content::Component;
use super::moment;
use super::recurrence::Bounds;
use super::rule::Rule;
use super::windows_zones;

/// Most definitions of one file that are kept.
const DEFINITIONS_MAX: usize = 1000;
/// Largest definition.
const DEFINITION_BYTES_MAX: usize = 256 * 1024;
/// Most changes of the clock of one observance.
const ONSETS_MAX: usize = 1000;
/// Rules of a definition are followed until the end of this year.
const LAST_YEAR: i16 = 2200;

/// How a civil time becomes an instant.
#[derive(Clone, Debug)]
pub(super) enum Clock {
    /// Not at all: a local time without a zone.
    Floating,
    /// By the zone database.
    Zone(TimeZone),
    /// By the rules of the calendar's own definition.
    Defined(Arc<Definition>),
}

/// The changes of the clock of a VTIMEZONE, in order.
#[derive(Debug)]
pub(super) struct Definition {
    onsets: Vec<Onset>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Onset {
    /// The civil time of the change, by the clock before it.
    at: DateTime,
    before: Offset,
    after: Offset,
}

/// The zones of one file.
#[derive(Default)]
pub(super) struct Zones {
    components: BTreeMap<String, Component>,
    known: BTreeMap<String, Option<Clock>>,
}

impl Clock {
    /// The instant of a civil time. As RFC 5545 has it, a time that exists twice is the first of the two, and one
    /// that does not exist is read with the offset before the gap.
    pub(super) fn instant(&self, civil: DateTime) -> Option<Zoned> {
        match self {
            Self::Floating => None,
            Self::Zone(zone) => civil.to_zoned(zone.clone()).ok(),
            Self::Defined(definition) => definition.instant(civil),
        }
    }
}

impl Definition {
    fn read(component: &Component) -> Option<Self> {
        let mut onsets = Vec::new();
        for part in &component.parts {
            onsets.extend(onsets_of(part).into_iter().flatten());
        }
        onsets.sort_unstable();
        (!onsets.is_empty()).then_some(Self { onsets })
    }

    fn instant(&self, civil: DateTime) -> Option<Zoned> {
        let begun = self.onsets.partition_point(|onset| onset.at <= civil);
        let (read_with, shown_with) =
            match begun.checked_sub(1).and_then(|index| self.onsets.get(index)) {
                Some(onset) => {
                    let gap = i64::from(onset.after.seconds()) - i64::from(onset.before.seconds());
                    let into = civil.duration_since(onset.at).as_secs();
                    (if into < gap { onset.before } else { onset.after }, onset.after)
                }
                None => self.onsets.first().map(|onset| (onset.before, onset.before))?,
            };
        Some(read_with.to_timestamp(civil).ok()?.to_zoned(TimeZone::fixed(shown_with)))
    }
}

/// The changes of one STANDARD or DAYLIGHT part.
fn onsets_of(part: &Component) -> Option<Vec<Onset>> {
    let before = parse_offset(&part.get("TZOFFSETFROM")?.value)?;
    let after = parse_offset(&part.get("TZOFFSETTO")?.value)?;
    let start = moment::parse_civil(part.get("DTSTART")?.value.trim())?.civil;
    let bounds = Bounds {
        last: jiff::civil::date(LAST_YEAR, 12, 31).at(0, 0, 0, 0),
        occurrences_max: ONSETS_MAX,
    };
    let mut starts = vec![start];
    for property in part.all("RRULE") {
        let rule = Rule::parse(&property.value).ok()?;
        let until = match &rule.until {
            Some(until) => {
                let until = moment::parse_civil(until)?;
                let instant =
                    until.utc.then(|| Offset::UTC.to_timestamp(until.civil).ok()).flatten();
                Some(instant.map_or(until.civil, |instant: Timestamp| before.to_datetime(instant)))
            }
            None => None,
        };
        starts.extend(rule.expand(start, until, bounds).starts);
    }
    for date in part.all("RDATE").flat_map(|property| property.value.split(',')).take(ONSETS_MAX) {
        starts.extend(moment::parse_civil(date.trim()).map(|date| date.civil));
    }
    starts.sort_unstable();
    starts.dedup();
    Some(starts.into_iter().map(|at| Onset { at, before, after }).collect())
}

/// `+0200`, `-033000`.
fn parse_offset(text: &str) -> Option<Offset> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let two =
        |from: usize| digits.get(from..from + 2).map_or(Some(0), |two| two.parse::<i32>().ok());
    Offset::from_seconds(sign * (two(0)? * 3600 + two(2)? * 60 + two(4)?)).ok()
}

impl Zones {
    /// Keeps a VTIMEZONE for the names that use it.
    pub(super) fn define(&mut self, component: Component) {
        if let Some(name) = component.text("TZID")
            && self.components.len() < DEFINITIONS_MAX
            && component.bytes() < DEFINITION_BYTES_MAX
        {
            self.components.entry(name).or_insert(component);
        }
    }

    /// The clock of a TZID; `None` when nothing is known of it.
    pub(super) fn resolve(&mut self, name: &str) -> Option<Clock> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let component = self.components.get(name);
        let location = component.and_then(|component| component.text("X-LIC-LOCATION"));
        let clock = named(name)
            .or_else(|| location.and_then(|location| named(&location)))
            .map(Clock::Zone)
            .or_else(|| {
                component.and_then(Definition::read).map(|zone| Clock::Defined(Arc::new(zone)))
            });
        if self.known.len() < DEFINITIONS_MAX {
            self.known.insert(name.to_owned(), clock.clone());
        }
        clock
    }
}

/// A zone of the database by its name, by the end of a path like `/vendor/2005/Europe/Berlin`, or by the name that
/// Windows gives it.
fn named(name: &str) -> Option<TimeZone> {
    const NAME_BYTES_MAX: usize = 128;
    let name = name.trim().trim_matches('/');
    if name.is_empty() || name.len() > NAME_BYTES_MAX {
        return None;
    }
    if name.eq_ignore_ascii_case("UTC")
        || name.eq_ignore_ascii_case("Z")
        || name.eq_ignore_ascii_case("GMT")
    {
        return Some(TimeZone::UTC);
    }
    let segments: Vec<&str> = name.split('/').collect();
    let plain = |name: &str| !name.contains("..") && name.chars().all(|c| c.is_ascii_graphic());
    let from_database = (0..segments.len())
        .filter_map(|skipped| segments.get(skipped..))
        .filter(|rest| rest.len() > 1 || segments.len() == 1)
        .map(|rest| rest.join("/"))
        .filter(|name| plain(name))
        .find_map(|name| TimeZone::get(&name).ok().filter(|zone| zone.iana_name().is_some()));
    from_database.or_else(|| TimeZone::get(windows_zones::iana_name(name)?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ical::content::{Components, Item};

    const CUSTOM: &str = "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:Our town\n\
        BEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\n\
        RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\n\
        BEGIN:DAYLIGHT\nDTSTART:16010101T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n\
        RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\nEND:VTIMEZONE\nEND:VCALENDAR\n";

    fn custom() -> Clock {
        let mut reader = Components::new(CUSTOM.as_bytes());
        let Some(Item::Component(zone)) = reader.next().unwrap() else { panic!() };
        let mut zones = Zones::default();
        zones.define(zone);
        zones.resolve("Our town").unwrap()
    }

    #[track_caller]
    fn check(clock: &Clock, civil: &str, expected: &str) {
        let instant = clock.instant(civil.parse().unwrap()).unwrap();
        assert_eq!(instant.timestamp().display_with_offset(instant.offset()).to_string(), expected);
    }

    #[test]
    fn a_zone_of_the_calendars_own_follows_its_rules() {
        let clock = custom();
        check(&clock, "2025-01-15T12:00", "2025-01-15T12:00:00+01:00");
        check(&clock, "2025-07-15T12:00", "2025-07-15T12:00:00+02:00");
    }

    #[test]
    fn a_time_in_a_gap_or_an_overlap_is_read_as_the_rfc_says_by_both_kinds_of_clock() {
        for clock in [custom(), Zones::default().resolve("Europe/Berlin").unwrap()] {
            check(&clock, "2025-03-30T01:59", "2025-03-30T01:59:00+01:00");
            check(&clock, "2025-03-30T02:30", "2025-03-30T03:30:00+02:00");
            check(&clock, "2025-03-30T03:00", "2025-03-30T03:00:00+02:00");
            check(&clock, "2025-10-26T02:30", "2025-10-26T02:30:00+02:00");
            check(&clock, "2025-10-26T03:00", "2025-10-26T03:00:00+01:00");
        }
    }

    #[test]
    fn names_of_vendors_and_of_windows_are_known() {
        for name in [
            "europe/berlin",
            "/freeassociation.sourceforge.net/Tzfile/Europe/Berlin",
            "W. Europe Standard Time",
        ] {
            let Some(Clock::Zone(zone)) = Zones::default().resolve(name) else { panic!("{name}") };
            assert_eq!(zone.iana_name(), Some("Europe/Berlin"));
        }
        for name in ["", "Nowhere/Town", "../../etc/passwd", "\u{0}", "é"] {
            assert!(Zones::default().resolve(name).is_none(), "{name}");
        }
    }
}
