//! Markdown notes and Obsidian vaults: one record per section.
//!
//! A whole note is too long for one record and a sentence too short; the text under a heading is
//! what its author saw as one unit. Each record carries the path of headings above it in its text,
//! because "Friday" under "Camping" means nothing without it. The time is the innermost date that
//! the note itself names: its heading's, its front matter's, its file name's or folder's. The date
//! of a heading of the first level holds until another one has a date: minutes of several days are
//! often one file. A file's modification time is never used: it differs from machine to machine.
//!
//! The identity is `<path in the vault>#<slugs of the headings>`, so text may move within a
//! section, and sections within a note, without becoming new memories.

mod entries;
mod front_matter;
mod sections;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind, Location, Payload, Visibility};
use kernel::when::When;
use serde_json::{Map, Value};

use crate::files::{self, has_extension, problem, stem};
use crate::secrets::{cut_chars, summarize, without_secrets};
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink, dates, passages};
use entries::Entry;
use sections::Section;

/// Longest passage, in characters; a longer section becomes several records.
pub const PASSAGE_CHARS_MAX: usize = 2_000;
/// Largest note, in bytes.
pub const NOTE_BYTES_MAX: u64 = 8 * 1024 * 1024;

const FORMAT: &str = "markdown";
pub(crate) const EXTENSIONS: [&str; 3] = ["md", "markdown", "mdown"];
const SEPARATOR: &str = " › ";

/// Reads Markdown files and folders of them.
pub struct Markdown;

impl Importer for Markdown {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn describe(&self) -> &'static str {
        "Markdown notes: a file, a folder or an Obsidian vault"
    }

    fn is_mirrorable(&self) -> bool {
        true
    }

    /// A vault.
    fn claims_folder(&self, folder: &Path) -> bool {
        folder.join(".obsidian").is_dir()
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if probe.is_dir {
            if self.claims_folder(probe.path) {
                return Match::Certain;
            }
            let (notes, others) = files::survey(probe.path, &EXTENSIONS);
            let (images, _) = files::survey(probe.path, &crate::photo::EXTENSIONS);
            let mostly = notes > images && notes.saturating_mul(4) >= others;
            return if notes > 0 && mostly { Match::Likely } else { Match::No };
        }
        if has_extension(probe.path, &EXTENSIONS) { Match::Likely } else { Match::No }
    }

    fn import(
        &self,
        path: &Path,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        if !path.is_dir() {
            let note = files::read_text(path, NOTE_BYTES_MAX, FORMAT)?;
            let empty = note.text.trim().is_empty();
            let _ = import_note(path, context.name_of(path, path), note, sink);
            if empty {
                let _ = sink.problem(problem(path, "the note is empty"));
            }
            return Ok(());
        }
        let found = files::walk(path, |file| has_extension(file, &EXTENSIONS))?;
        for trouble in found.problems {
            if sink.problem(trouble).is_break() {
                return Ok(());
            }
        }
        for file in found.files {
            let flow = match files::read_text(&file, NOTE_BYTES_MAX, FORMAT) {
                Ok(note) => import_note(&file, context.name_of(&file, path), note, sink),
                Err(error) => sink.problem(problem(&file, error.to_string())),
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn import_note(
    file: &Path,
    name: String,
    note: files::Text,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    sink.progress(note.text.len() as u64);
    if let Some(complaint) = note.complaint {
        sink.problem(problem(file, complaint))?;
    }
    let split = front_matter::split(&note.text);
    for (line, message) in split.complaints {
        sink.problem(Problem { file: file.to_owned(), line: Some(line), message })?;
    }
    let mut sections = sections::read(split.body);
    let mut head = Head::new(name, split.entries, &sections);
    if sections.is_empty() && (head.more.len() + head.tags.len() > 0 || head.named) {
        sections.push(Section::default());
    }
    let mut slugs: BTreeMap<String, usize> = BTreeMap::new();
    for section in sections {
        let mut slug = slug_path(&section.path);
        let repeats = slugs.entry(slug.clone()).or_insert(0);
        *repeats += 1;
        if *repeats > 1 {
            slug = format!("{slug}~{repeats}");
        }
        let outermost = section.path.first().filter(|_| section.is_below_first_level);
        head.held = outermost.and_then(|heading| dates::date_in(heading)).or(head.held);
        let mut dated: BTreeMap<Date, usize> = BTreeMap::new();
        for Entry { date, section } in entries::split(section) {
            let slug = match date {
                None => slug.clone(),
                Some(date) => {
                    let repeats = dated.entry(date).or_insert(0);
                    *repeats += 1;
                    let again = if *repeats > 1 { format!("~{repeats}") } else { String::new() };
                    format!("{slug}@{date}{again}")
                }
            };
            for evidence in head.records(section, &slug, date) {
                sink.evidence(evidence)?;
            }
            head.is_first = false;
        }
    }
    ControlFlow::Continue(())
}

/// Most bytes of front matter, or of a section's tags and links, that every record repeats. More
/// than that stand only in the first record of the note, or of the section: otherwise a note of
/// many short sections would be stored many times over.
const REPEATED_BYTES_MAX: usize = 4 * 1024;

/// Sections of a note in which its status is looked for.
const STATUS_SECTIONS_MAX: usize = 3;
/// Longest status, in characters.
const STATUS_CHARS_MAX: usize = 60;
/// First words of a status by which a note does not hold, or not yet.
#[rustfmt::skip]
const NOT_IN_FORCE: [&str; 14] = [
    "abandoned", "archived", "cancelled", "canceled", "declined", "deprecated", "draft", "obsolete", "outdated", "proposed",
    "rejected", "replaced", "superseded", "withdrawn",
];

/// What all sections of a note share.
#[derive(Default)]
struct Head {
    relative: String,
    title: String,
    /// Why it does not hold: "superseded by ADR 9".
    status: Option<String>,
    named: bool,
    at: Option<When>,
    actor: Option<String>,
    tags: Vec<String>,
    participants: Vec<String>,
    location: Option<Location>,
    more: Map<String, Value>,
    /// The date of the latest heading of the first level that has one.
    held: Option<Date>,
    /// Whether no section was read yet.
    is_first: bool,
}

impl Head {
    fn new(relative: String, entries: Vec<(String, Value)>, sections: &[Section]) -> Self {
        let mut head = Self {
            title: String::new(),
            status: None,
            named: false,
            at: None,
            actor: None,
            tags: Vec::new(),
            participants: Vec::new(),
            location: None,
            more: Map::new(),
            held: None,
            is_first: true,
            relative,
        };
        let mut dated: [Option<When>; 3] = [None, None, None];
        for (name, value) in entries {
            head.entry(&name, value, &mut dated);
        }
        let of_head = head.more.get("status").map(front_matter::plain);
        head.status = of_head.into_iter().chain(statuses(sections)).find_map(not_in_force);
        let [date, created, updated] = dated;
        let in_name = dates::date_in_name(&head.relative).map(When::from_date);
        head.at = date.or(created).or(in_name).or(updated);
        head.named = !head.title.is_empty();
        if !head.named {
            let first = sections
                .first()
                .and_then(|section| section.path.first())
                .filter(|first| !first.is_empty());
            // The outermost heading is the note's title only if it stands above everything.
            let above_all = first.filter(|first| {
                sections.iter().all(|section| section.path.first() == Some(*first))
            });
            head.title = above_all.cloned().unwrap_or_else(|| stem(&head.relative).to_owned());
        }
        head
    }

    fn entry(&mut self, name: &str, value: Value, dated: &mut [Option<When>; 3]) {
        let lower = name.to_lowercase().replace([' ', '-'], "_");
        let text = front_matter::plain(&value);
        let when = dates::when_in(&text);
        let [date, created, updated] = dated;
        match lower.as_str() {
            "title" if !text.is_empty() => {
                self.title = cut_chars(&text, sections::HEADING_CHARS_MAX).to_owned();
            }
            "date" | "day" if when.is_some() => *date = when,
            "created" | "date_created" | "created_at" | "creation_date" if when.is_some() => {
                *created = when
            }
            "updated" | "modified" | "date_modified" | "updated_at" | "last_modified"
                if when.is_some() =>
            {
                self.more.insert("updated".to_owned(), Value::String(text));
                *updated = when;
            }
            "tags" | "tag" | "keywords" => {
                for tag in texts(&value).iter().flat_map(|text| text.split([',', ' '])) {
                    sections::add_once(&mut self.tags, tag.trim_start_matches('#'));
                }
            }
            "aliases" | "alias" => {
                let aliases: Vec<Value> = texts(&value).into_iter().map(Value::String).collect();
                if !aliases.is_empty() {
                    self.more.insert("aliases".to_owned(), Value::Array(aliases));
                }
            }
            "author" | "authors" => {
                self.actor = Some(texts(&value).join(", ")).filter(|actor| !actor.is_empty())
            }
            "participants" | "attendees" | "people" => {
                for person in texts(&value) {
                    sections::add_once(&mut self.participants, &person);
                }
            }
            "location" | "place" | "coordinates" => self.location = place(&value),
            _ if value.is_null() => {}
            _ => {
                // The payload's own field names are taken.
                let own = [
                    "text",
                    "captions",
                    "title",
                    "session",
                    "session_title",
                    "role",
                    "tags",
                    "links",
                    "end",
                ];
                let key =
                    if own.contains(&name) { format!("note_{name}") } else { name.to_owned() };
                self.more.insert(key, value);
            }
        }
    }

    fn repeated_bytes(&self) -> usize {
        let listed = self.tags.iter().chain(&self.participants).chain(&self.actor);
        let label = self.location.as_ref().and_then(|place| place.label.as_ref());
        listed.chain(label).map(String::len).sum::<usize>() + json_bytes(&self.more)
    }

    fn records(&self, section: Section, slug: &str, dated: Option<Date>) -> Vec<Evidence> {
        let in_path = || section.path.iter().rev().find_map(|heading| dates::date_in(heading));
        let named = dated.or_else(in_path);
        let named = named.or(self.held.filter(|_| section.is_below_first_level));
        let at = named.map(When::from_date).or_else(|| self.at.clone());
        let heading = section
            .path
            .last()
            .filter(|heading| !heading.is_empty())
            .unwrap_or(&self.title)
            .clone();
        let of_note = self.status.as_ref().map(|status| format!("{} ({status})", self.title));
        let heading = of_note.clone().filter(|_| heading == self.title).unwrap_or(heading);
        let mut path: Vec<&str> =
            section.path.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        if path.first() != Some(&self.title.as_str()) {
            path.insert(0, &self.title);
        }
        if let (Some(first), Some(of_note)) = (path.first_mut(), &of_note) {
            *first = of_note.as_str();
        }
        let path = path.join(SEPARATOR);
        let is_whole = self.is_first || self.repeated_bytes() <= REPEATED_BYTES_MAX;
        let own = if is_whole { self } else { &Self::default() };
        let (mut tags, mut more) = (own.tags.clone(), own.more.clone());
        section.tags.iter().for_each(|tag| sections::add_once(&mut tags, tag));
        if !section.open_tasks.is_empty() {
            more.insert("open_tasks".to_owned(), section.open_tasks.into());
        }
        if section.done_tasks > 0 {
            more.insert("done_tasks".to_owned(), section.done_tasks.into());
        }
        let mut passages = passages::group(section.blocks, PASSAGE_CHARS_MAX);
        if passages.is_empty() {
            passages.push(String::new());
        }
        let mentions = Mentions { tags, links: section.links, more };
        let rest = mentions.repeated();
        let record = |(number, passage): (usize, String)| {
            let mentions = if number > 1 { &rest } else { &mentions };
            let part = if number > 1 { format!("/{number}") } else { String::new() };
            Evidence {
                source: FORMAT.to_owned(),
                source_uid: format!("{}#{slug}{part}", self.relative),
                kind: EvidenceKind::from(EvidenceKind::NOTE),
                actor: own.actor.clone(),
                at: at.clone(),
                summary: summarize(&if passage.is_empty() {
                    path.clone()
                } else {
                    format!("{heading}: {passage}")
                }),
                visibility: Visibility::default(),
                payload: Payload {
                    text: format!("{path}\n\n{passage}").trim_end().to_owned(),
                    title: Some(heading.clone()),
                    session: Some(self.relative.clone()),
                    session_title: Some(self.title.clone()),
                    participants: own.participants.clone(),
                    tags: mentions.tags.clone(),
                    links: mentions.links.clone(),
                    location: own.location.clone(),
                    more: mentions.more.clone(),
                    ..Payload::default()
                },
            }
        };
        (1..).zip(passages).map(record).collect()
    }
}

/// What the first sections of a note say of its status: a line `Status: rejected`, or a section of
/// that name.
fn statuses(sections: &[Section]) -> impl Iterator<Item = String> {
    let first = sections.iter().take(STATUS_SECTIONS_MAX);
    first.flat_map(|section| {
        let is_of_status = section.path.last().is_some_and(|it| it.eq_ignore_ascii_case("status"));
        let lines = section.blocks.iter().flat_map(|block| block.lines());
        let named = lines.filter_map(|line| {
            let (name, status) = line.trim_start_matches(['-', '*', ' ']).split_once(':')?;
            let is_status = name.trim().eq_ignore_ascii_case("status");
            is_status.then(|| status.trim().to_owned())
        });
        let whole = section.blocks.first().filter(|_| is_of_status).cloned();
        named.chain(whole).collect::<Vec<_>>()
    })
}

/// A status by which a note does not hold.
fn not_in_force(status: String) -> Option<String> {
    let line = status.lines().next()?.trim().trim_end_matches('.');
    let first = line.split(|letter: char| !letter.is_alphabetic()).next()?.to_lowercase();
    let is_it = NOT_IN_FORCE.contains(&first.as_str());
    is_it.then(|| cut_chars(line, STATUS_CHARS_MAX).to_owned())
}

/// What a record holds beside its text.
#[derive(Default)]
struct Mentions {
    tags: Vec<String>,
    links: Vec<String>,
    more: Map<String, Value>,
}

impl Mentions {
    /// The same, as every further record of the section repeats it.
    fn repeated(&self) -> Self {
        let texts = self.tags.iter().chain(&self.links).map(String::len).sum::<usize>();
        if texts + json_bytes(&self.more) > REPEATED_BYTES_MAX {
            return Self::default();
        }
        Self { tags: self.tags.clone(), links: self.links.clone(), more: self.more.clone() }
    }
}

/// About as many bytes as the fields have in JSON.
fn json_bytes(fields: &Map<String, Value>) -> usize {
    fields.iter().map(|(name, value)| name.len() + value.to_string().len()).sum()
}

/// Every text in a scalar or in lists of lists, without the brackets of wiki links.
fn texts(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(values) => pending.extend(values.iter().rev()),
            scalar => {
                let text = front_matter::plain(scalar);
                let text = text.trim().trim_start_matches("[[").trim_end_matches("]]");
                if !text.is_empty() {
                    found.push(text.to_owned());
                }
            }
        }
    }
    found
}

/// A place: its name, or latitude and longitude as list or as text.
fn place(value: &Value) -> Option<Location> {
    let parts = texts(value);
    let joined = parts.join(", ");
    let numbers: Vec<f64> = joined.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    if let [lat, lon] = numbers[..]
        && crate::photo::is_position(lat, lon)
    {
        return Some(Location { label: None, lat: Some(lat), lon: Some(lon) });
    }
    (!joined.is_empty()).then_some(Location { label: Some(joined), lat: None, lon: None })
}

/// The headings' slugs, joined by dots. Slugs hold no dots, so different paths stay different.
fn slug_path(path: &[String]) -> String {
    path.iter().map(|heading| slug(heading)).collect::<Vec<_>>().join(".")
}

fn slug(heading: &str) -> String {
    let heading = without_secrets(heading);
    let mut slug = String::new();
    for letter in heading.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}
