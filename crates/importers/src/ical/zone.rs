//! What a TZID means in one file.
//!
//! A TZID is looked up, in this order, as an IANA name (also one behind a vendor's prefix), as a
//! Windows name, as the `X-LIC-LOCATION` of the calendar's own definition, and at last by that
//! definition's own rules. Names come first because a definition is often cut down to the rules of
//! the year in which the file was written, and because a name says where the event is.

use std::collections::BTreeMap;
use std::sync::Arc;

use calendar::zone::{Clock, Definition, Observance, named};

use super::content::Component;

/// Most definitions of one file that are kept.
const DEFINITIONS_MAX: usize = 1000;
/// Largest definition.
const DEFINITION_BYTES_MAX: usize = 256 * 1024;

/// The zones of one file.
#[derive(Default)]
pub(super) struct Zones {
    components: BTreeMap<String, Component>,
    known: BTreeMap<String, Option<Clock>>,
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

    /// The clock of a TZID; `None` if it is unknown.
    pub(super) fn resolve(&mut self, name: &str) -> Option<Clock> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let component = self.components.get(name);
        let location = component.and_then(|component| component.text("X-LIC-LOCATION"));
        // What the calendar defines under a name in another spelling than the database's may be
        // another zone.
        let spelt = |name: &str| {
            let zone = named(name)?;
            let is_same = zone.iana_name().is_none_or(|iana| {
                name.ends_with(iana) || !name.to_lowercase().ends_with(&iana.to_lowercase())
            });
            (component.is_none() || is_same).then_some(zone)
        };
        let clock = spelt(name)
            .or_else(|| location.and_then(|location| spelt(&location)))
            .map(Clock::Zone)
            .or_else(|| component.and_then(definition).map(|zone| Clock::Defined(Arc::new(zone))))
            .or_else(|| named(name).map(Clock::Zone));
        if self.known.len() < DEFINITIONS_MAX {
            self.known.insert(name.to_owned(), clock.clone());
        }
        clock
    }
}

/// The rules of a VTIMEZONE.
fn definition(component: &Component) -> Option<Definition> {
    let values = |part: &Component, name: &str| -> Vec<String> {
        part.all(name).map(|property| property.value.clone()).collect()
    };
    let observance = |part: &Component| {
        let value = |name: &str| part.get(name).map(|property| property.value.clone());
        Some(Observance {
            start: value("DTSTART")?,
            from: value("TZOFFSETFROM")?,
            to: value("TZOFFSETTO")?,
            rrule: values(part, "RRULE"),
            rdate: values(part, "RDATE"),
        })
    };
    Definition::of(component.parts.iter().filter_map(observance).collect())
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
    fn a_zone_defined_in_the_calendar_follows_its_rules() {
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
    fn vendor_prefixes_and_windows_names_are_resolved() {
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
