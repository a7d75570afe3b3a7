//! Calendars in the form that programs export: iCalendar (RFC 5545) with zones by name, series,
//! exceptions and overrides.

use std::fmt::Write;

use jiff::civil::{Date, DateTime, Weekday};

use super::life::Life;
use super::traces::{AllDay, Event, Series, Traces};

/// Longest line, in bytes, before it is folded.
const LINE_BYTES_MAX: usize = 73;

/// The person's own calendar.
pub(super) fn own(life: &Life, traces: &Traces) -> String {
    // Most programs name a person's calendar after the person.
    let is_named = !life.name.len().is_multiple_of(4);
    let mut out = Calendar::new(if is_named { &life.name } else { "Calendar" });
    for (number, event) in traces.events.iter().enumerate() {
        out.event(life, event, &format!("single-{number}"), &[]);
    }
    for (number, series) in traces.series.iter().enumerate() {
        out.series(life, series, number);
    }
    for (number, all_day) in traces.all_day.iter().enumerate() {
        out.all_day(all_day, number);
    }
    out.end()
}

/// The calendar that somebody shares with the person, if any.
pub(super) fn shared(life: &Life, traces: &Traces) -> Option<String> {
    let mut out = Calendar::new("Shared");
    for (number, event) in traces.shared.iter().enumerate() {
        out.event(life, event, &format!("shared-{number}"), &[]);
    }
    (!traces.shared.is_empty()).then(|| out.end())
}

struct Calendar(String);

impl Calendar {
    fn new(name: &str) -> Self {
        let mut calendar = Self(String::new());
        for line in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//because//samples//EN"] {
            calendar.line(line);
        }
        calendar.line(&format!("X-WR-CALNAME:{name}"));
        calendar
    }

    fn end(mut self) -> String {
        self.line("END:VCALENDAR");
        self.0
    }

    fn line(&mut self, line: &str) {
        let mut bytes = 0;
        for character in line.chars() {
            if bytes + character.len_utf8() > LINE_BYTES_MAX {
                self.0.push_str("\r\n ");
                bytes = 1;
            }
            self.0.push(character);
            bytes += character.len_utf8();
        }
        self.0.push_str("\r\n");
    }

    fn event(&mut self, life: &Life, event: &Event, uid: &str, more: &[String]) {
        self.line("BEGIN:VEVENT");
        self.line(&format!("UID:{uid}@people.example"));
        self.line(&format!("DTSTART;TZID={}:{}", event.zone, basic(event.start)));
        self.line(&format!("DURATION:PT{}M", event.minutes));
        self.line(&format!("SUMMARY:{}", escaped(&event.title)));
        if let Some(location) = &event.location {
            self.line(&format!("LOCATION:{}", escaped(&location.label)));
            if let Some((lat, lon)) = location.position {
                self.line(&format!("GEO:{lat:.6};{lon:.6}"));
            }
        }
        if !event.with.is_empty() {
            self.line(&format!("ORGANIZER;CN={}:mailto:me@people.example", life.name));
        }
        for who in &event.with {
            let person = &life.people[*who];
            self.line(&format!(
                "ATTENDEE;CN={}:mailto:{}@people.example",
                person.name,
                person.first.to_lowercase()
            ));
        }
        if event.cancelled {
            self.line("STATUS:CANCELLED");
        }
        more.iter().for_each(|line| self.line(line));
        self.line("END:VEVENT");
    }

    fn series(&mut self, life: &Life, series: &Series, number: usize) {
        let uid = format!("series-{number}");
        let first = &series.first;
        let days: Vec<&str> = series.days.iter().map(|day| code(*day)).collect();
        let mut rule = format!("RRULE:FREQ=WEEKLY;BYDAY={}", days.join(","));
        if series.every_weeks > 1 {
            let _ = write!(rule, ";INTERVAL={}", series.every_weeks);
        }
        if let Some(until) = series.until {
            let _ = write!(rule, ";UNTIL={}T235959Z", basic_day(until));
        }
        let at = |day: Date| basic(day.to_datetime(first.start.time()));
        let mut more = vec![rule];
        more.extend(
            series.left_out.iter().map(|day| format!("EXDATE;TZID={}:{}", first.zone, at(*day))),
        );
        self.event(life, first, &uid, &more);
        for (day, event) in &series.changed {
            self.event(
                life,
                event,
                &uid,
                &[format!("RECURRENCE-ID;TZID={}:{}", first.zone, at(*day))],
            );
        }
    }

    fn all_day(&mut self, all_day: &AllDay, number: usize) {
        self.line("BEGIN:VEVENT");
        self.line(&format!("UID:day-{number}@people.example"));
        self.line(&format!("DTSTART;VALUE=DATE:{}", basic_day(all_day.from)));
        self.line(&format!("DTEND;VALUE=DATE:{}", basic_day(all_day.to)));
        self.line(&format!("SUMMARY:{}", escaped(&all_day.title)));
        if all_day.yearly {
            self.line("RRULE:FREQ=YEARLY");
        }
        self.line("END:VEVENT");
    }
}

fn basic(civil: DateTime) -> String {
    civil.strftime("%Y%m%dT%H%M%S").to_string()
}

fn basic_day(day: Date) -> String {
    day.strftime("%Y%m%d").to_string()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(',', "\\,").replace(';', "\\;")
}

fn code(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "MO",
        Weekday::Tuesday => "TU",
        Weekday::Wednesday => "WE",
        Weekday::Thursday => "TH",
        Weekday::Friday => "FR",
        Weekday::Saturday => "SA",
        Weekday::Sunday => "SU",
    }
}
