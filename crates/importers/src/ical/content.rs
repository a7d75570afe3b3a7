//! Content lines and components: RFC 5545, sections 3.1 and 3.6, one component in memory at a time.
//!
//! Lines are unfolded as bytes, because a fold may part a character. What cannot be read is
//! reported and passed over: a component that another one begins inside of, or that its calendar
//! ends around, counts as ended there; one that the file ends inside of is left out, since its last
//! line cannot be trusted. Alarms and other parts of components are passed over, apart from the
//! observances of a time zone.

use std::io::{self, BufRead};

use super::property::Property;
use crate::bounded_lines::BoundedLines;
use crate::charset;

/// Longest physical line that is kept whole, in bytes.
const LINE_BYTES_MAX: usize = 256 * 1024;
/// Longest unfolded line that is kept whole, in bytes.
const CONTENT_BYTES_MAX: usize = 1024 * 1024;
/// Largest component that is read, in bytes of its unfolded lines.
const COMPONENT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// What a property costs apart from its text.
const PROPERTY_BYTES: usize = 96;
/// Most properties of one component, and most parts of a time zone.
const PROPERTIES_MAX: usize = 20_000;
/// Deepest nesting that is followed.
const DEPTH_MAX: usize = 16;
/// Most lines before the first `BEGIN:VCALENDAR`.
const LEADING_LINES_MAX: u64 = 1000;

/// The components that become records or say how to read them.
const KEPT: [&str; 4] = ["VEVENT", "VTODO", "VJOURNAL", "VTIMEZONE"];

/// One component with its properties in the file's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Component {
    /// In upper case.
    pub(super) name: String,
    /// Where it begins.
    pub(super) line: u64,
    pub(super) properties: Vec<Property>,
    /// The observances of a time zone.
    pub(super) parts: Vec<Component>,
}

/// The properties of a calendar itself, which by convention come before its components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Calendar {
    /// Its name for people.
    pub(super) name: Option<String>,
    /// The TZID in which its owner sees it.
    pub(super) zone: Option<String>,
    /// True where the whole calendar is the message that its events are cancelled (RFC 5546).
    pub(super) cancels: bool,
    /// True of a message between calendars (RFC 5546), whose UIDs are those of everybody invited.
    pub(super) is_message: bool,
}

/// What the reader returns next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Component(Component),
    /// A line that cannot be read, and why.
    Unreadable {
        line: u64,
        message: String,
    },
}

/// Reads the components of a stream.
pub(super) struct Components<R> {
    lines: BoundedLines<R>,
    /// The physical line read ahead, to see whether it continues the one before.
    ahead: Option<(Vec<u8>, u64)>,
    started: bool,
    /// The names of the components that are open, outermost first.
    open: Vec<String>,
    /// The component being read, and how deep its own `BEGIN` lies in `open`.
    current: Option<(Component, usize)>,
    current_bytes: usize,
    overfull: bool,
    calendars: u64,
    calendar: Calendar,
    bytes_read: u64,
    waiting: Vec<Item>,
}

impl Component {
    /// The first property of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// Every property of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Property> {
        self.properties.iter().filter(move |property| property.name == name)
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let own = self
            .properties
            .iter()
            .map(|property| property.value.len() + PROPERTY_BYTES)
            .sum::<usize>();
        own + self.parts.iter().map(Self::bytes).sum::<usize>()
    }

    /// The text of the first property of a name, if it is not empty.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(Property::text).filter(|text| !text.is_empty())
    }
}

impl<R: BufRead> Components<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            lines: BoundedLines::new(reader, LINE_BYTES_MAX),
            ahead: None,
            started: false,
            open: Vec::new(),
            current: None,
            current_bytes: 0,
            overfull: false,
            calendars: 0,
            calendar: Calendar::default(),
            bytes_read: 0,
            waiting: Vec::new(),
        }
    }

    /// How many bytes of the stream have been read since the last call.
    pub(super) fn take_bytes_read(&mut self) -> u64 {
        std::mem::take(&mut self.bytes_read)
    }

    /// How many calendars have begun.
    pub(super) fn calendars(&self) -> u64 {
        self.calendars
    }

    /// The calendar that is being read.
    pub(super) fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// The next component or problem, `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Item>> {
        loop {
            if !self.waiting.is_empty() {
                return Ok(Some(self.waiting.remove(0)));
            }
            let Some((text, line, cut)) = self.content_line()? else {
                return Ok(self.current.take().map(|(component, _)| Item::Unreadable {
                    line: component.line,
                    message: format!(
                        "the file ends inside this {}; it was left out: export the file again",
                        component.name
                    ),
                }));
            };
            if self.calendars == 0 && line > LEADING_LINES_MAX {
                return Ok(None);
            }
            self.take(&text, line, cut);
        }
    }

    /// The next line, unfolded and not empty, with its number and whether some of it was left out.
    fn content_line(&mut self) -> io::Result<Option<(String, u64, bool)>> {
        let mut physical = Vec::new();
        let mut content: Option<(Vec<u8>, u64)> = self.ahead.take();
        let mut cut = content.as_ref().is_some_and(|(bytes, _)| bytes.len() >= LINE_BYTES_MAX);
        while let Some(read) = self.lines.read(&mut physical)? {
            self.bytes_read += read.stream_bytes;
            if !self.started {
                self.started = true;
                if physical.starts_with(b"\xEF\xBB\xBF") {
                    physical.drain(..3);
                }
            }
            let continues = matches!(physical.first(), Some(b' ' | b'\t'));
            match &mut content {
                Some((bytes, _)) if continues => {
                    let room = CONTENT_BYTES_MAX.saturating_sub(bytes.len());
                    cut |= read.cut || physical.len() - 1 > room;
                    bytes.extend(physical.iter().skip(1).take(room));
                }
                None if physical.iter().all(u8::is_ascii_whitespace) => {}
                None => {
                    cut = read.cut;
                    content = Some((physical.clone(), read.number));
                }
                Some(_) => {
                    if !physical.iter().all(u8::is_ascii_whitespace) {
                        self.ahead = Some((physical, read.number));
                    }
                    break;
                }
            }
        }
        Ok(content.map(|(bytes, number)| (charset::decode(&bytes).text.into_owned(), number, cut)))
    }

    fn take(&mut self, text: &str, line: u64, cut: bool) {
        let Some(property) = Property::parse(text, line) else {
            // Prose around a calendar is ignored.
            if !self.open.is_empty() {
                self.report(
                    line,
                    "this line is not of the form NAME:value; it was left out".to_owned(),
                );
            }
            return;
        };
        match property.name.as_str() {
            "BEGIN" => self.begin(property.value.trim().to_ascii_uppercase(), line),
            "END" => self.end(&property.value.trim().to_ascii_uppercase(), line),
            _ => self.keep(property, text.len(), cut),
        }
    }

    fn begin(&mut self, name: String, line: u64) {
        if name == "VCALENDAR" || KEPT.contains(&name.as_str()) {
            self.close_unended(line);
        }
        if name == "VCALENDAR" {
            self.calendars += 1;
            self.calendar = Calendar::default();
            self.open.clear();
        }
        if self.open.len() >= DEPTH_MAX {
            self.open.pop();
            self.report(
                line,
                format!("nested deeper than {DEPTH_MAX} components; this one was left out"),
            );
        }
        self.open.push(name.clone());
        let component = Component { name, line, properties: Vec::new(), parts: Vec::new() };
        match &mut self.current {
            None if self.calendars > 0 && KEPT.contains(&component.name.as_str()) => {
                self.current = Some((component, self.open.len()));
                self.current_bytes = 0;
                self.overfull = false;
            }
            Some((zone, depth))
                if zone.name == "VTIMEZONE"
                    && self.open.len() == *depth + 1
                    && zone.parts.len() < PROPERTIES_MAX =>
            {
                zone.parts.push(component);
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str, line: u64) {
        let Some(at) = self.open.iter().rposition(|open| open == name) else {
            return self.report(line, "an END without its BEGIN; it was left out".to_owned());
        };
        let ends_current = self.current.as_ref().is_some_and(|&(_, depth)| depth == at + 1);
        let ends_around = self.current.as_ref().is_some_and(|&(_, depth)| depth > at + 1);
        if ends_current {
            self.waiting
                .extend(self.current.take().map(|(component, _)| Item::Component(component)));
        } else if ends_around {
            self.close_unended(line);
        }
        self.open.truncate(at);
    }

    /// Ends the component being read, and reports it.
    fn close_unended(&mut self, line: u64) {
        if let Some((component, depth)) = self.current.take() {
            self.open.truncate(depth - 1);
            self.report(
                line,
                format!("END:{} is missing; it was read as ending here", component.name),
            );
            self.waiting.push(Item::Component(component));
        }
    }

    fn keep(&mut self, property: Property, bytes: usize, cut: bool) {
        let Some((component, depth)) = &mut self.current else {
            let text = property.text();
            return match property.name.as_str() {
                _ if self.open.len() != 1 || text.is_empty() => {}
                "METHOD" => {
                    self.calendar.cancels = text.eq_ignore_ascii_case("CANCEL");
                    self.calendar.is_message = !text.eq_ignore_ascii_case("PUBLISH");
                }
                "X-WR-CALNAME" | "NAME" => self.calendar.name = Some(text),
                "X-WR-TIMEZONE" | "TIMEZONE-ID" => self.calendar.zone = Some(text),
                _ => {}
            };
        };
        // Pictures and files inside a calendar are not text; they are left out silently.
        let embedded = property
            .parameter("ENCODING")
            .is_some_and(|encoding| encoding.eq_ignore_ascii_case("BASE64"));
        if embedded || property.name == "X-ALT-DESC" {
            return;
        }
        let into = match self.open.len() - *depth {
            0 => component,
            1 if component.name == "VTIMEZONE" => match component.parts.last_mut() {
                Some(part) => part,
                None => return,
            },
            _ => return,
        };
        let line = property.line;
        self.current_bytes += bytes + PROPERTY_BYTES;
        if self.current_bytes > COMPONENT_BYTES_MAX || into.properties.len() >= PROPERTIES_MAX {
            if !std::mem::replace(&mut self.overfull, true) {
                self.report(
                    line,
                    "this component is too large; the rest of it was left out".to_owned(),
                );
            }
            return;
        }
        into.properties.push(property);
        if cut {
            self.report(
                line,
                format!(
                    "a line longer than {CONTENT_BYTES_MAX} bytes; the rest of it was left out"
                ),
            );
        }
    }

    fn report(&mut self, line: u64, message: String) {
        self.waiting.push(Item::Unreadable { line, message });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Component>, Vec<(u64, String)>) {
        let mut reader = Components::new(text.as_bytes());
        let (mut components, mut problems) = (Vec::new(), Vec::new());
        while let Some(item) = reader.next().unwrap() {
            match item {
                Item::Component(component) => components.push(component),
                Item::Unreadable { line, message } => problems.push((line, message)),
            }
        }
        (components, problems)
    }

    #[test]
    fn folds_quotes_and_escapes_are_undone() {
        let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Tea\\, cake\\nand a \r\n chat\r\n\
                    ATTENDEE;CN=\"Doe: Jane; Dr.\";ROLE=CHAIR:mailto:jane@example.org\r\n\
                    CATEGORIES:Home\\,sweet,Rest\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let (components, problems) = read(text);
        assert!(problems.is_empty(), "{problems:?}");
        let event = &components[0];
        assert_eq!(event.text("SUMMARY").unwrap(), "Tea, cake\nand a chat");
        let attendee = event.get("ATTENDEE").unwrap();
        assert_eq!(attendee.parameter("CN"), Some("Doe: Jane; Dr."));
        assert_eq!(attendee.value, "mailto:jane@example.org");
        assert_eq!(event.get("CATEGORIES").unwrap().texts(), ["Home,sweet", "Rest"]);
    }

    #[test]
    fn a_fold_inside_a_character_does_not_harm_it() {
        let mut bytes = b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Caf\xC3".to_vec();
        bytes.extend(b"\n \xA9\nEND:VEVENT\nEND:VCALENDAR\n");
        let mut reader = Components::new(bytes.as_slice());
        let Some(Item::Component(event)) = reader.next().unwrap() else { panic!() };
        assert_eq!(event.text("SUMMARY").unwrap(), "Café");
    }

    #[test]
    fn a_missing_end_loses_nothing_and_is_reported() {
        let (components, problems) = read(
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nBEGIN:VEVENT\nUID:2\nEND:VCALENDAR\n\
             BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:3\nBEGIN:VALARM\nUID:no\nEND:VALARM\nEND:VTODO\nEND:VCALENDAR",
        );
        let uids: Vec<_> =
            components.iter().map(|component| component.text("UID").unwrap()).collect();
        assert_eq!(uids, ["1", "2", "3"]);
        assert_eq!(problems.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [4, 6]);
        assert_eq!(components[2].properties.len(), 1, "what an alarm says is not the task's");
    }

    #[test]
    fn a_component_cut_off_by_the_end_of_the_file_is_left_out() {
        let (components, problems) = read("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:2025");
        assert!(components.is_empty());
        assert_eq!(problems[0].0, 2);
    }

    #[test]
    fn endless_nesting_is_not_followed() {
        let deep = "BEGIN:VCALENDAR\nBEGIN:VEVENT\n".to_owned() + &"BEGIN:X\n".repeat(5000);
        let (components, problems) = read(&deep);
        assert!(components.is_empty());
        assert!(problems.len() > 1000);
    }
}
