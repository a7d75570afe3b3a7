//! Plain text: paragraphs, dated logs and chat logs.
//!
//! A file is read twice, line by line: once to find out its kind and its date order, once to import
//! it. So a file of any size takes little memory, and the last line may decide how the first is
//! dated.
//!
//! Lines have no ids, and their numbers change with every insertion. So the identity of a record is
//! the hash of its content and, for repeated content, the number of the repetition. For the same
//! reason the hash of a paragraph decides whether a note ends there: an insertion regroups only the
//! notes near it.

mod lines;
mod placeholders;
mod stamp;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::when::When;
use serde_json::Value;

use crate::files::{self, has_extension, problem, relative_name, stem};
use crate::secrets::{ends_with_label, ends_within_key, summarize, without_secrets};
use crate::{Context, ImportError, Importer, Match, Probe, Sink, dates, passages};
use lines::Lines;
use stamp::{DateOrder, OrderEvidence, Stamp};

/// Longest note, in characters.
pub const NOTE_CHARS_MAX: usize = 1_500;
/// Longest message or log entry, in characters; a longer one becomes several records.
pub const ENTRY_CHARS_MAX: usize = 8_000;
/// Longest entry that is collected before it is cut, in bytes.
const ENTRY_BYTES_MAX: usize = 256 * 1024;
/// Shortest note, in characters, that may end before it is full.
const NOTE_CHARS_MIN: usize = 500;
/// Most names that are counted.
const NAMES_MAX: usize = 256;
/// Most speakers of a chat without times; prose has more words before colons.
const SPEAKERS_WITHOUT_TIMES_MAX: usize = 8;
/// Fewest turns of a chat without times.
const TURNS_WITHOUT_TIMES_MIN: u64 = 4;

const FORMAT: &str = "text";

/// Reads plain text.
pub struct Text;

impl Importer for Text {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn describe(&self) -> &'static str {
        "plain text: paragraphs, dated logs, chat logs (WhatsApp and the like)"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if probe.is_dir || files::why_binary(probe.head).is_some() {
            return Match::No;
        }
        let mut survey = Survey::default();
        let head = files::decode(probe.head).text;
        head.lines().for_each(|line| survey.add(line));
        let named = has_extension(probe.path, &["txt", "text", "log"]);
        match survey.shape() {
            Shape::Chat { timed: true } if named => Match::Likely,
            _ => Match::Fallback,
        }
    }

    fn import(
        &self,
        path: &Path,
        _context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        let mut survey = Survey::default();
        let mut lines = Lines::open(path)?;
        while let Some(line) = lines.next()? {
            survey.add(&line);
        }
        if let Some(complaint) = lines.complaint()
            && sink.problem(problem(path, complaint)).is_break()
        {
            return Ok(());
        }
        if survey.lines == 0 {
            let _ = sink.problem(problem(path, "the file holds no text"));
            return Ok(());
        }
        let shape = survey.shape();
        let order = survey.order.decide();
        if shape != Shape::Prose
            && survey.order.matters()
            && let Some(complaint) = order_complaint(order)
            && sink.problem(problem(path, complaint)).is_break()
        {
            return Ok(());
        }
        let name = relative_name(path, path);
        let participants = match shape {
            Shape::Chat { .. } => survey.names.keys().cloned().collect(),
            Shape::Log | Shape::Prose => Vec::new(),
        };
        let of_file = dates::date_in_name(&name);
        let writer = Writer {
            title: stem(&name).to_owned(),
            name,
            participants,
            order,
            of_file,
            seen: HashMap::new(),
        };
        let _ = match shape {
            Shape::Prose => prose(Lines::open(path)?, writer, sink)?,
            Shape::Log | Shape::Chat { .. } => {
                entries(Lines::open(path)?, shape, &survey, writer, sink)?
            }
        };
        Ok(())
    }
}

fn order_complaint(order: DateOrder) -> Option<&'static str> {
    match order {
        DateOrder::DayFirst | DateOrder::MonthFirst => None,
        DateOrder::Unknown => Some(
            "nothing in the file says whether its dates give the day or the month first, so its records have no time: \
             write the dates as 2025-06-02",
        ),
        DateOrder::Contradictory => Some(
            "some dates have the day first and others the month, so its records have no time: write the dates as \
             2025-06-02",
        ),
    }
}

/// The kind of a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Paragraphs.
    Prose,
    /// Entries that begin with a date.
    Log,
    /// Messages that begin with a name, and with a time if `timed`.
    Chat { timed: bool },
}

/// What the first pass finds out.
#[derive(Debug, Default)]
struct Survey {
    lines: u64,
    stamped: u64,
    stamped_named: u64,
    named: u64,
    names: BTreeMap<String, u64>,
    other_names: u64,
    order: OrderEvidence,
}

impl Survey {
    fn add(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        self.lines += 1;
        let stamp = stamp::stamp(line);
        let said = match &stamp {
            Some((stamp, rest)) => {
                self.stamped += 1;
                self.order.add(stamp.day);
                stamp::speaker(rest)
            }
            None if self.stamped > 0 => None,
            None => stamp::speaker(line),
        };
        let Some((name, _)) = said else { return };
        self.named += 1;
        self.stamped_named += u64::from(stamp.is_some());
        if let Some(count) = self.names.get_mut(name) {
            *count += 1;
        } else if self.names.len() < NAMES_MAX {
            self.names.insert(name.to_owned(), 1);
        } else {
            self.other_names += 1;
        }
    }

    fn shape(&self) -> Shape {
        let often_stamped =
            self.stamped >= 2 && self.stamped * 4 >= self.lines || self.stamped == self.lines;
        if often_stamped && self.stamped > 0 {
            let few_names =
                self.other_names == 0 && (self.names.len() as u64) * 2 <= self.named.max(4);
            let chat =
                self.stamped_named >= 2 && self.stamped_named * 2 >= self.stamped && few_names;
            return if chat { Shape::Chat { timed: true } } else { Shape::Log };
        }
        let speakers = 2..=SPEAKERS_WITHOUT_TIMES_MAX;
        let all_repeat = self.names.values().all(|count| *count >= 2);
        let mostly = self.named * 5 >= self.lines * 3;
        if self.stamped == 0
            && self.named >= TURNS_WITHOUT_TIMES_MIN
            && speakers.contains(&self.names.len())
            && all_repeat
            && mostly
        {
            return Shape::Chat { timed: false };
        }
        Shape::Prose
    }
}

/// Makes records of a file's texts.
struct Writer {
    name: String,
    title: String,
    participants: Vec<String>,
    order: DateOrder,
    of_file: Option<Date>,
    seen: HashMap<[u8; 12], u32>,
}

/// One message, log entry or note.
#[derive(Default)]
struct Entry {
    stamp: Option<Stamp>,
    written: String,
    actor: Option<String>,
    text: String,
}

impl Writer {
    /// Hash of the masked content, and repetition number.
    fn uid(&mut self, parts: [&str; 3]) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in parts.map(without_secrets) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let hash = hasher.finalize();
        let mut key = [0; 12];
        key.iter_mut().zip(hash.as_bytes()).for_each(|(to, from)| *to = *from);
        let count = self.seen.entry(key).or_insert(0);
        *count = count.saturating_add(1);
        let short: String = hash.to_hex().chars().take(24).collect();
        if *count > 1 {
            format!("{}#{short}~{count}", self.name)
        } else {
            format!("{}#{short}", self.name)
        }
    }

    fn write(&mut self, kind: &str, mut entry: Entry, sink: &mut dyn Sink) -> ControlFlow<()> {
        if kind == EvidenceKind::TURN {
            entry.text = placeholders::without(&entry.text);
        }
        let at = entry.stamp.map_or_else(
            || self.of_file.map(When::from_date),
            |stamp| {
                let time = stamp.civil(self.order, self.of_file).map(When::from_civil);
                time.or_else(|| stamp.date(self.order, self.of_file).map(When::from_date))
            },
        );
        let limit = if kind == EvidenceKind::TURN { ENTRY_CHARS_MAX } else { NOTE_CHARS_MAX };
        for text in passages::split(&entry.text, limit) {
            let mut payload = Payload {
                text: text.to_owned(),
                session: Some(self.name.clone()),
                session_title: Some(self.title.clone()),
                participants: self.participants.clone(),
                ..Payload::default()
            };
            if at.is_none() && !entry.written.is_empty() {
                payload
                    .more
                    .insert("time_as_written".to_owned(), Value::String(entry.written.clone()));
            }
            let actor = entry.actor.clone();
            let summary = match &actor {
                Some(actor) => summarize(&format!("{actor}: {text}")),
                None => summarize(text),
            };
            sink.evidence(Evidence {
                source: FORMAT.to_owned(),
                source_uid: self.uid([&entry.written, actor.as_deref().unwrap_or_default(), text]),
                kind: EvidenceKind::from(kind),
                actor,
                at: at.clone(),
                summary,
                visibility: Visibility::default(),
                payload,
            })?;
        }
        ControlFlow::Continue(())
    }
}

type Flow = Result<ControlFlow<()>, ImportError>;

/// Log entries and messages: each begins with its stamp (or name) and goes on to the next.
fn entries(
    mut lines: Lines<'_>,
    shape: Shape,
    survey: &Survey,
    mut writer: Writer,
    sink: &mut dyn Sink,
) -> Flow {
    let kind = if shape == Shape::Log { EvidenceKind::NOTE } else { EvidenceKind::TURN };
    let speakers: BTreeSet<&str> = survey.names.keys().map(String::as_str).collect();
    let mut entry = Entry::default();
    let mut reported = 0;
    while let Some(line) = lines.next()? {
        sink.progress(lines.bytes_read - reported);
        reported = lines.bytes_read;
        if let Some(next) = beginning(&line, shape, &speakers) {
            let done = std::mem::replace(&mut entry, next);
            if writer.write(kind, done, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            continue;
        }
        if !entry.text.is_empty() {
            entry.text.push('\n');
        }
        entry.text.push_str(&line);
        if entry.text.len() > ENTRY_BYTES_MAX {
            let next = Entry {
                text: String::new(),
                written: entry.written.clone(),
                actor: entry.actor.clone(),
                stamp: entry.stamp,
            };
            let done = std::mem::replace(&mut entry, next);
            if writer.write(kind, done, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(writer.write(kind, entry, sink))
}

/// The entry that begins with this line, if one does.
fn beginning(line: &str, shape: Shape, speakers: &BTreeSet<&str>) -> Option<Entry> {
    let timed = shape != Shape::Chat { timed: false };
    let (stamp, written, rest) = match stamp::stamp(line).filter(|_| timed) {
        Some((stamp, rest)) => {
            let written = line.get(..line.len() - rest.len()).unwrap_or_default();
            let written = written.trim_matches(|mark: char| !mark.is_alphanumeric());
            (Some(stamp), written, rest)
        }
        None if timed => return None,
        None => (None, "", line),
    };
    let said =
        stamp::speaker(rest).filter(|(name, _)| shape != Shape::Log && speakers.contains(name));
    if said.is_none() && !timed {
        return None;
    }
    let (actor, text) = said.map_or((None, rest), |(name, text)| (Some(name.to_owned()), text));
    Some(Entry { stamp, written: written.to_owned(), actor, text: text.to_owned() })
}

/// Paragraphs, grouped to notes.
fn prose(mut lines: Lines<'_>, mut writer: Writer, sink: &mut dyn Sink) -> Flow {
    let mut note = String::new();
    let mut paragraph = String::new();
    let mut reported = 0;
    loop {
        let line = lines.next()?;
        sink.progress(lines.bytes_read - reported);
        reported = lines.bytes_read;
        let ends = line.as_deref().is_none_or(|line| line.trim().is_empty());
        if let Some(line) = line.as_deref().filter(|line| !line.trim().is_empty()) {
            if !paragraph.is_empty() {
                paragraph.push('\n');
            }
            paragraph.push_str(line);
        }
        if (ends || paragraph.len() > ENTRY_BYTES_MAX) && !paragraph.is_empty() {
            let chars = note.chars().count();
            let full = chars + paragraph.chars().count() > NOTE_CHARS_MAX
                && !ends_within_key(&note)
                && !ends_with_label(&note);
            if full && write_note(&mut note, &mut writer, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if !note.is_empty() {
                note.push_str("\n\n");
            }
            note.push_str(&paragraph);
            // One paragraph in four, chosen by its own content, ends a note that is long enough.
            let chosen = blake3::hash(paragraph.as_bytes())
                .as_bytes()
                .first()
                .is_some_and(|byte| byte % 4 == 0);
            paragraph.clear();
            let ripe = chosen
                && note.chars().count() >= NOTE_CHARS_MIN
                && !ends_within_key(&note)
                && !ends_with_label(&note);
            if ripe && write_note(&mut note, &mut writer, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if line.is_none() {
            return Ok(write_note(&mut note, &mut writer, sink));
        }
    }
}

fn write_note(note: &mut String, writer: &mut Writer, sink: &mut dyn Sink) -> ControlFlow<()> {
    let text = std::mem::take(note);
    writer.write(EvidenceKind::NOTE, Entry { text, ..Entry::default() }, sink)
}
