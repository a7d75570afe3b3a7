//! Calendars in the iCalendar format (RFC 5545), as every calendar program exports them.
//!
//! An event is a record of kind `event`, and so is a series of events, with its rule, its
//! exceptions and what was moved or cancelled ([`calendar::series`]): when it happens is computed
//! when somebody asks. An occurrence with other words than its series is a record of its own under
//! the name of its original start. Tasks become records of kind `task` (their due time as `end` and
//! as `due`), journal entries notes.
//!
//! A *cancelled* event is a record too, under the same name, but of kind
//! [`cancellation`](kernel::evidence::EvidenceKind::CANCELLATION): it is not evidence that the
//! event happened, and readers of events do not see it, while the question "was the trip
//! cancelled?" has an answer.
//!
//! Names are those of the calendar and of the event in it (`name`), because two calendars may use
//! one UID for different events.
//!
//! The file is read twice: first for its time zones and for the occurrences that have a component
//! of their own, then for the records, one component in memory at a time.
//!
//! | module | answers |
//! |---|---|
//! | `property`, `content` | which components does the file hold? |
//! | `zone` | what does the file mean by this zone? |
//! | `series` | which components are one series, and when does it happen? |
//! | `name` | which calendar is it? |
//! | `invitation` | what of a description did a meeting service write? |
//! | `record` | what do we keep of it? |

mod content;
mod invitation;
mod name;
mod property;
mod record;
mod series;
mod zone;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::Path;

use calendar::moment::{Moment, MomentError, Starts};
use calendar::zone::Clock;
use content::{Component, Components, Item};
use kernel::evidence::Evidence;
use property::Property;
use record::{Home, Template};
use series::{Split, is_onward, is_time};
use zone::Zones;

use crate::files::{self, has_extension};
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink, folder};

/// The source of everything in a calendar.
pub const SOURCE: &str = "ical";
/// Most occurrences of a rule that says how many it has.
pub const OCCURRENCES_MAX: usize = 10_000;

/// Most occurrences of one file that may have a component of their own.
const OVERRIDES_MAX: usize = 200_000;
/// Most series of one file whose words are compared with those of single occurrences.
const BASES_MAX: usize = 500_000;
/// Most series of one file whose exceptions are compared with single occurrences.
const EXCEPTED_MAX: usize = 50_000;
/// Most time zones whose absence is reported.
const ZONES_REPORTED_MAX: usize = 10_000;
/// Most records of one file.
const RECORDS_MAX: u64 = 2_000_000;
/// Most changes to "this and all later occurrences" of one series.
const SPLITS_MAX: usize = 100;
/// Most bytes of changes to "this and all later occurrences" that are held while their series are
/// expanded.
const SPLITS_BYTES_MAX: usize = 32 * 1024 * 1024;

const FORMAT: &str = "iCalendar";
const EXTENSIONS: [&str; 4] = ["ics", "ical", "ifb", "icalendar"];

/// Reads `.ics` files and folders of them.
pub struct Ical;

impl Importer for Ical {
    fn name(&self) -> &'static str {
        "ical"
    }

    fn describe(&self) -> &'static str {
        "calendars (.ics), one or a folder: events, tasks and journal entries"
    }

    fn is_mirrorable(&self) -> bool {
        true
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if probe.is_dir {
            let (calendars, others) = files::survey(probe.path, &EXTENSIONS);
            return if calendars > 0 && others == 0 { Match::Likely } else { Match::No };
        }
        let head =
            probe.head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(probe.head).trim_ascii_start();
        let begins =
            head.get(..15).is_some_and(|begin| begin.eq_ignore_ascii_case(b"BEGIN:VCALENDAR"));
        match (begins, has_extension(probe.path, &EXTENSIONS)) {
            (true, _) => Match::Certain,
            (false, true) => Match::Likely,
            (false, false) => Match::No,
        }
    }

    fn import(
        &self,
        path: &Path,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        if path.is_dir() {
            let found = files::walk(path, |file| has_extension(file, &EXTENSIONS))?;
            let root = context.root.clone().unwrap_or_else(|| path.to_owned());
            let context = Context { root: Some(root), ..context.clone() };
            folder::import_each(self, found, &context, sink);
            return Ok(());
        }
        let mut import = Import {
            path,
            sink,
            zones: Zones::default(),
            reported_zones: BTreeSet::new(),
            overrides: BTreeMap::new(),
            excluded: BTreeMap::new(),
            bases: BTreeMap::new(),
            file_name: name::of_file(&context.name_of(path, path)),
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

/// Exceptions of a series, collected before it is read.
#[derive(Default)]
struct Overrides {
    /// Occurrences that have a component of their own.
    changed: Vec<Changed>,
    /// Changes to all occurrences from one on.
    splits: Vec<Split>,
}

/// An occurrence with a component of its own, as far as its series needs to know it.
struct Changed {
    recurrence_id: Property,
    /// Its start and end.
    times: Component,
    words: Option<u64>,
    is_cancelled: bool,
    sequence: u32,
}

/// A series, as far as the components of its occurrences need to know it.
#[derive(Clone, Copy)]
struct Base {
    words: Option<u64>,
    is_of_days: bool,
}

impl Changed {
    fn of(recurrence_id: Property, component: &Component) -> Self {
        let times = ["DTSTART", "DTEND", "DURATION"];
        let times = component.properties.iter().filter(|own| times.contains(&own.name.as_str()));
        let sequence = component.text("SEQUENCE").and_then(|sequence| sequence.parse().ok());
        Self {
            recurrence_id,
            times: Component {
                name: component.name.clone(),
                line: component.line,
                properties: times.cloned().collect(),
                parts: Vec::new(),
            },
            words: Self::words_of(component),
            is_cancelled: record::is_cancelled(component),
            sequence: sequence.unwrap_or_default(),
        }
    }

    /// What tells the words of two components apart; none if it has no words.
    fn words_of(component: &Component) -> Option<u64> {
        Template::words(component)
    }
}

impl Base {
    /// Whether an occurrence with these words, or with none, says nothing else than the series.
    fn has(self, words: &Option<u64>) -> bool {
        words.is_none() || *words == self.words
    }
}

/// Reads one value of a property, by the property's TZID.
fn read_moment(
    text: &str,
    property: &Property,
    zones: &mut Zones,
    unknown: &mut Option<String>,
) -> Result<Moment, MomentError> {
    Moment::read(text, property.parameter("TZID"), |name| zones.resolve(name), unknown)
}

/// One import of one file.
struct Import<'a> {
    path: &'a Path,
    sink: &'a mut dyn Sink,
    zones: Zones,
    reported_zones: BTreeSet<String>,
    overrides: BTreeMap<String, Overrides>,
    /// What series say does not take place, also where it has a component of its own.
    excluded: BTreeMap<String, Starts>,
    /// The series of the file, by UID.
    bases: BTreeMap<String, Base>,
    /// What stands for the name of a calendar that has none.
    file_name: String,
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
        let mut splits: Vec<(String, Property, Component)> = Vec::new();
        let mut exceptions: BTreeMap<String, Vec<Property>> = BTreeMap::new();
        let (mut splits_bytes, mut overrides) = (0_usize, 0_usize);
        while let Some(item) = components.next().map_err(|source| self.io(source))? {
            let Item::Component(component) = item else { continue };
            if component.name == "VTIMEZONE" {
                self.zones.define(component);
                continue;
            }
            let Some(uid) = component.text("UID").filter(|_| component.name == "VEVENT") else {
                continue;
            };
            let Some(property) = component.get("RECURRENCE-ID") else {
                if series::repeats(&component)
                    && self.bases.len() < BASES_MAX
                    && let Some(start) = component.get("DTSTART").and_then(is_time)
                {
                    let words = Template::words(&component);
                    // Of several versions in a file, the last counts.
                    let own: Vec<Property> = component.all("EXDATE").cloned().collect();
                    exceptions.remove(&uid);
                    if !own.is_empty() && exceptions.len() < EXCEPTED_MAX {
                        exceptions.insert(uid.clone(), own);
                    }
                    self.bases.insert(uid, Base { words, is_of_days: start.date_only });
                }
                continue;
            };
            if overrides == OVERRIDES_MAX {
                let reason =
                    format!("more than {OVERRIDES_MAX} changed occurrences; split the calendar");
                return Err(ImportError::TooLarge { path: self.path.to_owned(), reason });
            }
            overrides += 1;
            let property = property.clone();
            if is_onward(&property) {
                splits_bytes += component.bytes();
                if splits_bytes <= SPLITS_BYTES_MAX {
                    splits.push((uid, property, component));
                    continue;
                }
            }
            let changed = Changed::of(property, &component);
            self.overrides.entry(uid).or_default().changed.push(changed);
        }
        // Zones may be defined after they are used, so the names of occurrences are read when all
        // are known.
        for (uid, properties) in exceptions {
            if !self.overrides.contains_key(&uid) {
                continue;
            }
            let excluded = self.excluded.entry(uid).or_default();
            for property in &properties {
                for value in property.value.split(',') {
                    let moment = read_moment(value, property, &mut self.zones, &mut None);
                    moment.iter().for_each(|moment| excluded.insert(moment));
                }
            }
        }
        for (uid, property, component) in splits {
            let changed = Changed::of(property.clone(), &component);
            let overrides = self.overrides.entry(uid).or_default();
            match Split::read(&property, component, &mut self.zones) {
                Some(split) if overrides.splits.len() < SPLITS_MAX => overrides.splits.push(split),
                _ => overrides.changed.push(changed),
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
                let name = current.name.as_deref().unwrap_or(&self.file_name);
                self.home = Home {
                    key: (!current.is_message).then(|| name::key(name)),
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
                let reason = format!("more than {RECORDS_MAX} events; split the calendar");
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
        let moment = read_moment(value, property, &mut self.zones, &mut unknown);
        if let Some(name) = unknown
            && self.reported_zones.len() < ZONES_REPORTED_MAX
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
