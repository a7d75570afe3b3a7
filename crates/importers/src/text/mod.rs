//! Plain text: paragraphs, dated logs and chat logs.
//!
//! A file is read twice, line by line: once to find out its kind and its date order, once to import
//! it. So a file of any size takes little memory, and the last line may decide how the first is
//! dated.
//!
//! Lines have no ids, and their numbers change with every insertion. So the identity of a record is
//! the hash of its content and, for repeated content, the number of the repetition. For the same
//! reason the hash of a paragraph decides whether a note ends there: an insertion regroups only the
//! notes near it. A chat with dates is known by its first message, not by its file's name, which
//! every export of some programs shares.

mod irc;
mod lines;
mod markup;
mod placeholders;
mod stamp;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::when::When;
use serde_json::Value;

use crate::archive::{LIMITS, for_each_entry, is_zip, peek};
use crate::files::{self, has_extension, problem, stem};
use crate::input::read_head;
use crate::secrets::{ends_with_label, ends_within_key, summarize, without_secrets};
use crate::turn::content_hash;
use crate::{
    Context, DayOrder, Discard, ImportError, Importer, Match, Probe, SAY_DAY_ORDER, Sink, dates,
    passages,
};
use lines::Lines;
use stamp::{DateOrder, Day, Form, OrderEvidence, Stamp};

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
        "plain text: paragraphs, dated logs, chat logs (WhatsApp, IRC and the like)"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if !probe.is_dir && is_zip(probe.head) {
            return peek(probe.path, is_chat_name).map_or(Match::No, |head| chat_in_archive(&head));
        }
        if probe.is_dir || files::why_binary(probe.head).is_some() || markup::is_data(probe) {
            return Match::No;
        }
        let mut survey = Survey::default();
        let head = files::decode(probe.head).text;
        head.lines().for_each(|line| survey.add(line));
        let named = has_extension(probe.path, &["txt", "text", "log"]);
        match survey.shape() {
            Shape::Chat { timed: true } if named => Match::Likely,
            // Some programs export chats as Markdown.
            Shape::Chat { timed: true } if has_extension(probe.path, &["md"]) => Match::Certain,
            _ => Match::Fallback,
        }
    }

    fn import(
        &self,
        path: &Path,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        let file = File { path, name: context.name_of(path, path), day_order: context.day_order };
        let head =
            read_head(path).map_err(|source| ImportError::Io { path: path.to_owned(), source })?;
        if !is_zip(&head) {
            let mut survey = Survey::default();
            survey.read(Lines::open(path)?)?;
            return file.read(path, &survey, Lines::open(path)?, sink).map(|_| ());
        }
        // The first reading of each chat finds out its kind, the second imports it.
        let mut surveys = BTreeMap::new();
        for_each_entry(path, FORMAT, LIMITS, is_chat_name, &mut Discard, |input, _| {
            let mut survey = Survey::default();
            let entry = input.file().to_owned();
            survey.read(Lines::of_entry(&entry, input.into_reader()))?;
            surveys.insert(entry.clone(), survey);
            let enough = surveys.len() >= CHATS_MAX;
            Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        for_each_entry(path, FORMAT, LIMITS, is_chat_name, sink, |input, sink| {
            let entry = input.file().to_owned();
            let Some(survey) = surveys.get(&entry) else {
                let message = format!(
                    "only the first {CHATS_MAX} chats were taken: unpack the archive, and import the others"
                );
                let _ = sink.problem(problem(&entry, message));
                return Ok(ControlFlow::Break(()));
            };
            file.read(&entry, survey, Lines::of_entry(&entry, input.into_reader()), sink)
        })
    }
}

/// Most chats of one archive.
const CHATS_MAX: usize = 1_000;
/// Most speakers whose names make the title of a chat.
const TITLE_NAMES_MAX: usize = 4;

/// What WhatsApp calls the text of a chat in the archives of both systems.
fn is_chat_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower == "_chat.txt" || lower.contains("whatsapp") && lower.ends_with(".txt")
}

fn chat_in_archive(head: &[u8]) -> Match {
    let mut survey = Survey::default();
    files::decode(head).text.lines().for_each(|line| survey.add(line));
    match survey.shape() {
        Shape::Chat { timed: true } => Match::Certain,
        _ => Match::Likely,
    }
}

/// A file or archive of texts.
struct File<'a> {
    path: &'a Path,
    name: String,
    day_order: Option<DayOrder>,
}

impl File<'_> {
    /// Reads one text, which the survey has read before.
    fn read(
        &self,
        place: &Path,
        survey: &Survey,
        lines: Lines<'_>,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<()>, ImportError> {
        if let Some(complaint) = &survey.complaint
            && sink.problem(problem(place, complaint.as_str())).is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
        if survey.lines == 0 {
            return Ok(sink.problem(problem(place, "the file holds no text")));
        }
        let shape = survey.shape();
        let order = survey.order.decide(self.day_order);
        if shape != Shape::Prose
            && survey.order.matters()
            && let Some(complaint) = order_complaint(order)
            && sink.problem(problem(place, complaint)).is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
        let participants: Vec<String> = match shape {
            Shape::Chat { .. } if survey.is_of_irc() => survey.nicknames.iter().cloned().collect(),
            Shape::Chat { .. } => survey.names.keys().cloned().collect(),
            Shape::Log | Shape::Prose => Vec::new(),
        };
        let writer = Writer {
            title: self.title(place, survey, &participants),
            name: self.name.clone(),
            is_named_by_content: shape == Shape::Chat { timed: true } && survey.dated > 0,
            participants,
            order,
            of_file: dates::date_in_name(&self.name),
            seen: HashMap::new(),
        };
        match shape {
            Shape::Prose => prose(lines, writer, sink),
            Shape::Log | Shape::Chat { .. } => entries(lines, shape, survey, writer, sink),
        }
    }

    /// The name of the text, unless every export has the same one: then what the chat says that it
    /// is called, else the speakers. So it is the same in an archive and unpacked.
    fn title(&self, place: &Path, survey: &Survey, participants: &[String]) -> String {
        let within = place.to_string_lossy();
        let name = match place == self.path {
            true => self.name.as_str(),
            false => within.rsplit(['#', '/', '\\']).next().unwrap_or_default(),
        };
        let title = stem(name).to_owned();
        if title == "_chat" {
            let speakers: Vec<&str> =
                participants.iter().take(TITLE_NAMES_MAX).map(String::as_str).collect();
            return survey.chat.clone().unwrap_or_else(|| speakers.join(", "));
        }
        let chat = ["WhatsApp Chat with ", "WhatsApp Chat - "]
            .iter()
            .find_map(|prefix| title.strip_prefix(prefix));
        chat.filter(|chat| !chat.is_empty()).map_or(title.clone(), str::to_owned)
    }
}

fn order_complaint(order: DateOrder) -> Option<String> {
    let reason = match order {
        DateOrder::DayFirst | DateOrder::MonthFirst => return None,
        DateOrder::Unknown => {
            "nothing in the file says whether its dates give the day or the month first"
        }
        DateOrder::Contradictory => "some dates have the day first and others the month",
    };
    Some(format!("{reason}, so its records have no time: {SAY_DAY_ORDER}"))
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
    /// Lines with the stamp of a messenger.
    of_messenger: u64,
    /// Lines with a stamp and a nickname as in logs of IRC.
    of_irc: u64,
    nicknames: BTreeSet<String>,
    /// Lines with a stamp that name no speaker or that the program wrote.
    of_system: u64,
    named: u64,
    names: BTreeMap<String, u64>,
    other_names: u64,
    /// Lines with a date, not only a time of day.
    dated: u64,
    /// It has what the exports of WhatsApp have: the first notice, or marks without width.
    is_export: bool,
    /// The name of the chat: in some exports it stands for the speaker of the first notice.
    chat: Option<String>,
    order: OrderEvidence,
    /// What is wrong with the file's encoding.
    complaint: Option<String>,
}

impl Survey {
    fn read(&mut self, mut lines: Lines<'_>) -> Result<(), ImportError> {
        while let Some(line) = lines.next()? {
            self.add(&line);
        }
        self.complaint = lines.complaint();
        Ok(())
    }

    fn add(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        self.lines += 1;
        let stamp = stamp::stamp(line);
        let said = match &stamp {
            Some((stamp, rest)) => {
                self.stamped += 1;
                self.of_messenger += u64::from(stamp.form == Form::Messenger);
                self.dated += u64::from(stamp.day != Day::None);
                self.order.add(stamp.day);
                if let Some((nickname, _)) = irc::message(rest) {
                    self.of_irc += 1;
                    if self.nicknames.len() < NAMES_MAX && !self.nicknames.contains(nickname) {
                        self.nicknames.insert(nickname.to_owned());
                    }
                    return;
                }
                if stamp::is_of_system(rest) {
                    self.of_system += 1;
                    let said = stamp::speaker(rest, stamp.form);
                    self.is_export |= rest.contains('\u{200e}');
                    if placeholders::is_first_notice(said.map_or(rest, |(_, notice)| notice)) {
                        self.is_export = true;
                        self.chat = self.chat.take().or(said.map(|(name, _)| name.to_owned()));
                    }
                    return;
                }
                stamp::speaker(rest, stamp.form)
            }
            None if self.stamped > 0 => None,
            None => stamp::speaker(line, Form::Plain),
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

    /// Whether lines without a speaker are the program's: in a chat most lines have one. A diary
    /// may have a few colons, too; nothing of it is left out.
    fn most_are_said(&self) -> bool {
        self.is_export || self.is_of_irc() || self.of_system <= self.stamped_named
    }

    fn is_of_irc(&self) -> bool {
        self.of_irc >= 2 && self.of_irc > self.stamped_named
    }

    fn shape(&self) -> Shape {
        let often_stamped =
            self.stamped >= 2 && self.stamped * 4 >= self.lines || self.stamped == self.lines;
        if often_stamped && self.stamped > 0 {
            let names = self.names.len() as u64;
            let is_of_messenger = self.of_messenger == self.stamped;
            let most_are_said = self.most_are_said();
            let named = if most_are_said { self.named.max(4) } else { self.named };
            let names_fit = names * 2 <= named || is_of_messenger && most_are_said;
            let chat = self.stamped_named >= 2
                && self.stamped_named * 2 >= self.stamped - self.of_system
                && (most_are_said || is_of_messenger)
                && self.other_names == 0
                && names_fit;
            let chat = chat || self.is_of_irc();
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
    /// What identifies its records, and their session.
    name: String,
    /// The first message takes the name's place: a chat is the same whatever its file is called.
    is_named_by_content: bool,
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
    /// The program wrote it: who joined, what the group is called now.
    is_of_system: bool,
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
        if self.is_named_by_content && !entry.text.trim().is_empty() {
            self.is_named_by_content = false;
            let actor = entry.actor.as_deref().unwrap_or_default();
            let hash = content_hash(&[&entry.written, actor, &entry.text]);
            self.name = format!("chat-{hash:016x}");
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
    let leaves_out_notices = survey.most_are_said();
    let is_of_irc = survey.is_of_irc();
    let mut entry = Entry::default();
    let mut reported = 0;
    while let Some(line) = lines.next()? {
        sink.progress(lines.bytes_read - reported);
        reported = lines.bytes_read;
        if let Some(date) = irc::edge(&line).filter(|_| is_of_irc) {
            let done = std::mem::take(&mut entry);
            let is_left_out = done.is_of_system && leaves_out_notices;
            if !is_left_out && writer.write(kind, done, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            writer.of_file = date.or(writer.of_file);
            continue;
        }
        if let Some(next) = beginning(&line, shape, &speakers, is_of_irc) {
            let done = std::mem::replace(&mut entry, next);
            if done.is_of_system && leaves_out_notices {
                continue;
            }
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
                is_of_system: entry.is_of_system,
            };
            let done = std::mem::replace(&mut entry, next);
            if writer.write(kind, done, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    if entry.is_of_system && leaves_out_notices {
        return Ok(ControlFlow::Continue(()));
    }
    Ok(writer.write(kind, entry, sink))
}

/// The entry that begins with this line, if one does.
fn beginning(
    line: &str,
    shape: Shape,
    speakers: &BTreeSet<&str>,
    is_of_irc: bool,
) -> Option<Entry> {
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
    let form = stamp.map_or(Form::Plain, |stamp| stamp.form);
    let said = match is_of_irc {
        true => irc::message(rest),
        false => stamp::speaker(rest, form)
            .filter(|(name, _)| shape != Shape::Log && speakers.contains(name)),
    };
    if said.is_none() && !timed {
        return None;
    }
    let is_of_system = match is_of_irc {
        true => irc::is_notice(rest),
        false => shape == Shape::Chat { timed: true } && stamp::is_of_system(rest),
    };
    let (actor, text) = said.map_or((None, rest), |(name, text)| (Some(name.to_owned()), text));
    Some(Entry { stamp, written: written.to_owned(), actor, text: text.to_owned(), is_of_system })
}

/// Paragraphs, grouped to notes.
fn prose(mut lines: Lines<'_>, mut writer: Writer, sink: &mut dyn Sink) -> Flow {
    let mut note = String::new();
    let mut chars = 0;
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
            let added = paragraph.chars().count();
            let is_full = chars + added > NOTE_CHARS_MAX && may_end(&note);
            if is_full && write_note(&mut note, &mut writer, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if note.is_empty() {
                chars = 0;
            } else {
                note.push_str("\n\n");
                chars += 2;
            }
            note.push_str(&paragraph);
            chars += added;
            // One paragraph in four, chosen by its own content, ends a note that is long enough.
            let chosen = blake3::hash(paragraph.as_bytes())
                .as_bytes()
                .first()
                .is_some_and(|byte| byte % 4 == 0);
            paragraph.clear();
            let is_ripe = chosen && chars >= NOTE_CHARS_MIN && may_end(&note);
            if is_ripe && write_note(&mut note, &mut writer, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if line.is_none() {
            return Ok(write_note(&mut note, &mut writer, sink));
        }
    }
}

/// Whether a note may end here: not between a name and the secret that follows it, but anywhere if
/// it is too long.
fn may_end(note: &str) -> bool {
    note.len() > ENTRY_BYTES_MAX || !ends_within_key(note) && !ends_with_label(note)
}

fn write_note(note: &mut String, writer: &mut Writer, sink: &mut dyn Sink) -> ControlFlow<()> {
    let text = std::mem::take(note);
    writer.write(EvidenceKind::NOTE, Entry { text, ..Entry::default() }, sink)
}
