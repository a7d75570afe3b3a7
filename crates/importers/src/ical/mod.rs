//! Calendars in the iCalendar format (RFC 5545), as every calendar program exports them.
//!
//! Every occurrence of an event becomes a record of kind `event`, so a weekly event has as many
//! records as it had weeks. An endless series is expanded to a year after the import; importing
//! again later adds what has come since. Tasks become records of kind `task` (their due time as
//! `end` and as `due`), journal entries notes.
//!
//! An occurrence that was moved or changed keeps the name of its original start, so that it
//! supersedes what an earlier import said of it. For the same reason a *cancelled* event or
//! occurrence is a record too, under the same name, but of kind
//! [`CANCELLATION`]: it is not evidence that the event happened, and readers of events do not see it, while the question
//! "was the gym cancelled?" has an answer. Occurrences that EXDATE excludes leave no record.
//!
//! The file is read twice: first for its time zones and for the names of the occurrences that have
//! a component of their own, then for the records, one component in memory at a time.
//!
//! | module | answers |
//! |---|---|
//! | `property`, `content` | which components does the file hold? |
//! | `moment`, `zone` | when is that, and are these two the same? |
//! | `rule`, `recurrence`, `series` | when does it happen again? |
//! | `invitation` | what of a description did a meeting service write? |
//! | `record` | what do we keep of it? |

mod content;
mod invitation;
mod moment;
mod property;
mod record;
mod recurrence;
mod rule;
mod series;
mod windows_zones;
mod zone;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::Path;

use content::{Component, Components, Item};
use kernel::evidence::Evidence;
use moment::{Moment, Starts};
use property::Property;
use record::Home;
use series::Split;
use zone::{Clock, Zones};

use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink};

/// Kind of the record of an event that was cancelled.
pub const CANCELLATION: &str = "cancellation";
/// Kind of the record of a task.
pub const TASK: &str = "task";
/// Most occurrences of one event.
pub const OCCURRENCES_MAX: usize = 10_000;
/// How far after the time of the import an endless series is expanded.
pub const HORIZON_DAYS: i64 = 366;

/// Most occurrences of one file that may have a component of their own.
const OVERRIDES_MAX: usize = 500_000;
/// Most records of one file. A file of a few bytes can name any number of occurrences.
const RECORDS_MAX: u64 = 2_000_000;
/// Most changes to "this and all later occurrences" of one series.
const SPLITS_MAX: usize = 100;
/// Most bytes of changes to "this and all later occurrences" that are held while their series are
/// expanded.
const SPLITS_BYTES_MAX: usize = 32 * 1024 * 1024;

const FORMAT: &str = "iCalendar";

/// Reads `.ics` files.
pub struct Ical;

impl Importer for Ical {
    fn name(&self) -> &'static str {
        "ical"
    }

    fn describe(&self) -> &'static str {
        "calendar events, tasks and journal entries (.ics, iCalendar)"
    }

    fn is_mirrorable(&self) -> bool {
        true
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        let head =
            probe.head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(probe.head).trim_ascii_start();
        let begins =
            head.get(..15).is_some_and(|begin| begin.eq_ignore_ascii_case(b"BEGIN:VCALENDAR"));
        let extension = probe.path.extension().and_then(|extension| extension.to_str());
        let named = ["ics", "ical", "ifb", "icalendar"];
        if probe.is_dir {
            Match::No
        } else if begins {
            Match::Certain
        } else if extension
            .is_some_and(|extension| named.iter().any(|name| extension.eq_ignore_ascii_case(name)))
        {
            Match::Likely
        } else {
            Match::No
        }
    }

    fn import(
        &self,
        path: &Path,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        let mut import = Import {
            path,
            context,
            sink,
            zones: Zones::default(),
            reported_zones: BTreeSet::new(),
            overrides: BTreeMap::new(),
            home: Home::default(),
            records: 0,
        };
        let calendars = import.survey()?;
        if calendars == 0 {
            let reason = "it has no line BEGIN:VCALENDAR".to_owned();
            return Err(ImportError::Format { path: path.to_owned(), format: FORMAT, reason });
        }
        import.read()
    }
}

/// Exceptions of a series, collected before it is expanded.
#[derive(Default)]
struct Overrides {
    /// Occurrences that have a component of their own.
    starts: Starts,
    /// Changes to all occurrences from one on.
    splits: Vec<Split>,
}

/// One import of one file.
struct Import<'a> {
    path: &'a Path,
    context: &'a Context,
    sink: &'a mut dyn Sink,
    zones: Zones,
    reported_zones: BTreeSet<String>,
    overrides: BTreeMap<String, Overrides>,
    /// The calendar being read.
    home: Home,
    records: u64,
}

impl Import<'_> {
    fn open(&self) -> Result<Components<BufReader<File>>, ImportError> {
        let file = File::open(self.path).map_err(|source| self.io(source))?;
        Ok(Components::new(BufReader::with_capacity(64 * 1024, file)))
    }

    fn io(&self, source: std::io::Error) -> ImportError {
        ImportError::Io { path: self.path.to_owned(), source }
    }

    /// The first pass: zones, and which occurrences have a component of their own. Returns the
    /// number of calendars.
    fn survey(&mut self) -> Result<u64, ImportError> {
        let mut components = self.open()?;
        // Zones may be defined after they are used, so the names of occurrences are read when all
        // are known.
        let mut named: Vec<(String, Property)> = Vec::new();
        let mut splits: Vec<(String, Property, Component)> = Vec::new();
        let mut splits_bytes = 0_usize;
        while let Some(item) = components.next().map_err(|source| self.io(source))? {
            let Item::Component(component) = item else { continue };
            if component.name == "VTIMEZONE" {
                self.zones.define(component);
                continue;
            }
            let (Some(uid), Some(property)) =
                (component.text("UID"), component.get("RECURRENCE-ID"))
            else {
                continue;
            };
            if named.len() == OVERRIDES_MAX {
                let reason =
                    format!("more than {OVERRIDES_MAX} changed occurrences; split the calendar");
                return Err(ImportError::TooLarge { path: self.path.to_owned(), reason });
            }
            let property = property.clone();
            let onward = property
                .parameter("RANGE")
                .is_some_and(|range| range.eq_ignore_ascii_case("THISANDFUTURE"));
            if onward {
                splits_bytes += component.bytes();
                if splits_bytes <= SPLITS_BYTES_MAX {
                    splits.push((uid.clone(), property.clone(), component));
                }
            }
            named.push((uid, property));
        }
        for (uid, property) in named {
            // What cannot be read is reported when the component itself is.
            if let Ok(moment) = Moment::read(&property.value, &property, &mut self.zones, &mut None)
            {
                self.overrides.entry(uid).or_default().starts.insert(&moment);
            }
        }
        for (uid, property, component) in splits {
            if let Some(split) = Split::read(&property, component, &mut self.zones) {
                let splits = &mut self.overrides.entry(uid).or_default().splits;
                if splits.len() < SPLITS_MAX {
                    splits.push(split);
                }
            }
        }
        Ok(components.calendars())
    }

    /// The second pass: the records.
    fn read(&mut self) -> Result<(), ImportError> {
        let mut components = self.open()?;
        let mut calendar = None;
        while let Some(item) = components.next().map_err(|source| self.io(source))? {
            if calendar.as_ref() != Some(components.calendar()) {
                let current = calendar.insert(components.calendar().clone());
                self.home = Home {
                    name: current.name.clone(),
                    cancels: current.cancels,
                    zone: current.zone.as_deref().and_then(|zone| match self.zones.resolve(zone) {
                        Some(Clock::Zone(zone)) => Some(zone),
                        _ => None,
                    }),
                };
            }
            self.sink.progress(components.take_bytes_read());
            let flow = match item {
                Item::Unreadable { line, message } => self.problem(line, message),
                Item::Component(component) => match component.name.as_str() {
                    "VEVENT" => self.event(&component),
                    "VTODO" => self.task(&component),
                    "VJOURNAL" => self.journal(&component),
                    _ => ControlFlow::Continue(()),
                },
            };
            if self.records >= RECORDS_MAX {
                let reason = format!("more than {RECORDS_MAX} occurrences; split the calendar");
                return Err(ImportError::TooLarge { path: self.path.to_owned(), reason });
            }
            if flow.is_break() {
                return Ok(());
            }
        }
        self.sink.progress(components.take_bytes_read());
        Ok(())
    }

    fn problem(&mut self, line: u64, message: impl Into<String>) -> ControlFlow<()> {
        self.sink.problem(Problem {
            file: self.path.to_owned(),
            line: Some(line),
            message: message.into(),
        })
    }

    /// Gives a record, or says that its time cannot be stored.
    fn give(&mut self, line: u64, evidence: Option<Evidence>) -> ControlFlow<()> {
        match evidence {
            Some(evidence) => {
                self.records += 1;
                self.sink.evidence(evidence)
            }
            None => self.problem(
                line,
                "a time at the very end of the calendar; the occurrence was left out",
            ),
        }
    }

    /// The moment that a property names. A zone that is not known is reported once; its times count
    /// as local.
    fn moment(&mut self, property: &Property) -> ControlFlow<(), Option<Moment>> {
        self.moment_of(property, &property.value)
    }

    fn moment_of(&mut self, property: &Property, value: &str) -> ControlFlow<(), Option<Moment>> {
        let mut unknown = None;
        let moment = Moment::read(value, property, &mut self.zones, &mut unknown);
        if let Some(name) = unknown
            && self.reported_zones.len() < OCCURRENCES_MAX
            && self.reported_zones.insert(name.clone())
        {
            let message =
                format!("the time zone {name:?} is unknown; its times were read as local times");
            self.problem(property.line, message)?;
        }
        match moment {
            Ok(moment) => ControlFlow::Continue(Some(moment)),
            Err(error) => {
                self.problem(property.line, format!("{} was left out: {error}", property.name))?;
                ControlFlow::Continue(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(path: &str, head: &str) -> Match {
        Ical.detect(&Probe { path: Path::new(path), is_dir: false, head: head.as_bytes() })
    }

    #[test]
    fn a_calendar_is_known_by_its_first_line_and_likely_by_its_name() {
        assert_eq!(detected("x.bin", "\u{feff}begin:vcalendar\r\n"), Match::Certain);
        assert_eq!(detected("x.ICS", "garbage"), Match::Likely);
        assert_eq!(detected("x.txt", "BEGIN:VCARD"), Match::No);
        assert_eq!(detected("x", ""), Match::No);
    }
}
