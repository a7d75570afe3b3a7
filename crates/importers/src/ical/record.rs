//! From a component to the evidence it is.
//!
//! A [`Template`] holds what a component says; an occurrence or a series adds its times.
//! What calendars hold for programs (alarms, free/busy hints, vendors' properties) is left out.

use calendar::moment::Moment;
use calendar::series::{Series, times};
use calendar::words::span;
use jiff::tz::TimeZone;
use kernel::evidence::{Evidence, EvidenceKind, Location, Payload, Visibility};
use kernel::when::When;
use serde_json::{Value, json};
use std::ops::ControlFlow;

use super::content::Component;
use super::invitation::{self, Invitation};
use super::property::Property;
use super::{Import, SOURCE};
use crate::html;
use crate::lists::{LIST_MAX, distinct};
use crate::secrets::{summarize, without_secrets};
use crate::turn::shorten;

/// What every occurrence of a component has in common.
pub(super) struct Template {
    uid: String,
    kind: &'static str,
    actor: Option<String>,
    visibility: Visibility,
    payload: Payload,
    home: Home,
}

/// The calendar that a component is in.
#[derive(Clone, Debug, Default)]
pub(super) struct Home {
    /// What keys the UIDs of its events; none of a message between calendars.
    pub(super) key: Option<String>,
    pub(super) name: Option<String>,
    /// True where its events are cancelled.
    pub(super) cancels: bool,
    /// Where its owner lives, as far as the calendar says. Programs write times of single events in
    /// UTC whatever the person saw; day and time of day are theirs only in this zone.
    pub(super) zone: Option<TimeZone>,
}

impl Home {
    fn when(&self, moment: &Moment) -> Option<When> {
        times(moment, None, self.zone.as_ref()).map(|(at, _)| at)
    }

    /// The name of an event in its calendar.
    fn name_of(&self, uid: &str) -> String {
        self.key.as_ref().map_or_else(|| uid.to_owned(), |key| format!("{key}/{uid}"))
    }
}

/// Whether a component says that it is cancelled.
pub(super) fn is_cancelled(component: &Component) -> bool {
    status(component).is_some_and(|status| status == "cancelled")
}

impl Template {
    pub(super) fn event(component: &Component, home: &Home) -> Self {
        let cancelled = home.cancels || is_cancelled(component);
        let kind = if cancelled { EvidenceKind::CANCELLATION } else { EvidenceKind::EVENT };
        let mut template = Self::of(component, kind, home);
        if cancelled {
            template.payload.text = cancelled_text(&template.payload.text);
        }
        template
    }

    /// What tells the words of two components apart: text, people, place, labels. None if there is
    /// nothing.
    pub(super) fn words(component: &Component) -> Option<u64> {
        let Self { actor, visibility, mut payload, .. } =
            Self::of(component, EvidenceKind::EVENT, &Home::default());
        let declined = payload.more.remove("declined");
        payload.more.clear();
        payload.session = None;
        if payload.title.is_none() && payload.text.is_empty() {
            return None;
        }
        // Exchange writes into the title that an occurrence is cancelled.
        for word in ["Canceled: ", "Cancelled: "] {
            for text in [&mut payload.text].into_iter().chain(&mut payload.title) {
                *text = text.strip_prefix(word).unwrap_or(text).to_owned();
            }
            let title = payload.session_title.take();
            payload.session_title =
                title.map(|title| title.strip_prefix(word).unwrap_or(&title).to_owned());
        }
        let words = serde_json::to_vec(&(actor, visibility, payload, declined)).ok()?;
        let hash = blake3::hash(&words);
        hash.as_bytes().first_chunk().copied().map(u64::from_le_bytes)
    }

    /// The UID.
    pub(super) fn uid(&self) -> &str {
        &self.uid
    }

    fn of(component: &Component, kind: &'static str, home: &Home) -> Self {
        let description = component.text("DESCRIPTION").map(readable).unwrap_or_default();
        let Invitation { text: description, links: rooms } = invitation::apart(&description);
        let mut payload = Payload {
            title: component.text("SUMMARY").map(readable),
            tags: tags(component),
            links: distinct(links(component).into_iter().chain(rooms)),
            location: location(component),
            ..Payload::default()
        };
        let label = payload.location.as_ref().and_then(|location| location.label.clone());
        let parts = [payload.title.clone(), Some(description), label];
        let parts: Vec<String> =
            parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        payload.text = parts.join("\n");
        let is_cut = shorten(&mut payload.text);
        let mut more = |name: &str, value: Option<Value>| {
            payload.more.extend(value.map(|value| (name.to_owned(), value)));
        };
        more("text_cut", is_cut.then_some(Value::Bool(true)));
        more("calendar", home.name.clone().map(Value::from));
        more("status", status(component).map(Value::from));
        let sequence = component.text("SEQUENCE").and_then(|sequence| sequence.parse::<u32>().ok());
        more("sequence", sequence.filter(|&sequence| sequence > 0).map(Value::from));
        let transparent =
            component.text("TRANSP").is_some_and(|value| value.eq_ignore_ascii_case("TRANSPARENT"));
        more("transparent", transparent.then_some(Value::Bool(true)));
        let zone = component.get("DTSTART").and_then(|start| start.parameter("TZID"));
        more("tzid", zone.map(|zone| Value::from(zone.chars().take(128).collect::<String>())));
        let organiser = component.get("ORGANIZER").and_then(person);
        let (declined, attending): (Vec<&Property>, Vec<&Property>) = component
            .all("ATTENDEE")
            .filter(|attendee| !is_thing(attendee))
            .take(LIST_MAX)
            .partition(|attendee| {
                attendee.parameter("PARTSTAT").is_some_and(|s| s.eq_ignore_ascii_case("DECLINED"))
            });
        let mut declined: Vec<String> = declined.into_iter().filter_map(person).collect();
        declined.dedup();
        more("declined", (!declined.is_empty()).then(|| json!(declined)));
        payload.participants =
            distinct(organiser.clone().into_iter().chain(attending.into_iter().filter_map(person)));
        let private =
            component.text("CLASS").is_some_and(|class| !class.eq_ignore_ascii_case("PUBLIC"));
        let visibility = if private { Visibility::Private } else { Visibility::default() };
        let uid = component.text("UID").unwrap_or_else(|| fingerprint(component));
        payload.session = Some(uid.clone());
        payload.session_title = payload.title.clone();
        Self { uid, kind, actor: organiser, visibility, payload, home: home.clone() }
    }

    /// One occurrence; `None` when its time cannot be stored. `id` names it within its series.
    pub(super) fn occurrence(
        &self,
        start: &Moment,
        end: Option<&Moment>,
        id: Option<&str>,
    ) -> Option<Evidence> {
        let (at, end) = times(start, end, self.home.zone.as_ref())?;
        let mut payload = self.payload.clone();
        if start.date_only {
            payload.more.insert("all_day".to_owned(), Value::Bool(true));
        }
        // The name is in `at`, unless the zone is the calendar's own.
        if at.zone().is_some() {
            payload.more.remove("tzid");
        }
        payload.more.extend(id.map(|id| ("recurrence_id".to_owned(), Value::from(id))));
        let summary = self.summary(&at, end.as_ref());
        payload.end = end;
        Some(Evidence {
            source: SOURCE.to_owned(),
            source_uid: self.name(id),
            kind: self.kind.into(),
            actor: self.actor.clone(),
            at: Some(at),
            summary,
            visibility: self.visibility,
            payload,
        })
    }

    /// A series, whose first occurrence gives its time; none if it has no occurrence. `id` names
    /// the occurrence with which it begins as a change of another one.
    pub(super) fn series(&self, series: &Series, id: Option<&str>) -> Option<Evidence> {
        let first = series.first()?;
        let mut payload = self.payload.clone();
        if first.at.is_date_only() {
            payload.more.insert("all_day".to_owned(), Value::Bool(true));
        }
        if first.at.zone().is_some() {
            payload.more.remove("tzid");
        }
        payload.more.insert(Series::FIELD.to_owned(), series.to_json());
        let (title, rest) = match payload.title {
            Some(_) => payload.text.split_once('\n').unwrap_or((&payload.text, "")),
            None => ("", payload.text.as_str()),
        };
        let words = series.in_words();
        let parts = [title, &words, rest].into_iter().filter(|part| !part.is_empty());
        payload.text = parts.collect::<Vec<_>>().join("\n");
        payload.end = first.end;
        Some(Evidence {
            source: SOURCE.to_owned(),
            source_uid: self.name(id),
            kind: self.kind.into(),
            actor: self.actor.clone(),
            at: Some(first.at),
            summary: self.summary_with(&series.in_short()),
            visibility: self.visibility,
            payload,
        })
    }

    /// Its identity: the calendar's key, its UID, and which occurrence it is.
    fn name(&self, id: Option<&str>) -> String {
        let name = self.home.name_of(&self.uid);
        id.map_or_else(|| name.clone(), |id| format!("{name}/{id}"))
    }

    /// `Gym, Tue 2025-05-27 07:00–08:00, Fitness First`
    fn summary(&self, at: &When, end: Option<&When>) -> String {
        self.summary_with(&span(at, end))
    }

    fn summary_with(&self, when: &str) -> String {
        let title = self.payload.title.as_deref().unwrap_or("Event without a title");
        let label = self.payload.location.as_ref().and_then(|location| location.label.as_deref());
        let title = if self.kind == EvidenceKind::CANCELLATION {
            cancelled_text(title)
        } else {
            title.to_owned()
        };
        let place = label.map(|label| format!(", {label}")).unwrap_or_default();
        summarize(&format!("{title}, {when}{place}"))
    }
}

impl Import<'_> {
    /// A task: when it begins, and by when it is to be done.
    pub(super) fn task(&mut self, component: &Component) -> ControlFlow<()> {
        let mut template = Template::of(component, EvidenceKind::TASK, &self.home);
        let due = self.optional(component, &["DUE"])?;
        let at = match self.optional(component, &["DTSTART"])? {
            Some(start) => Some(start),
            None => self.optional(component, &["CREATED", "DTSTAMP"])?,
        };
        let completed = self.optional(component, &["COMPLETED"])?;
        let due = due.and_then(|due| self.home.when(&due));
        let more = &mut template.payload.more;
        more.extend(due.as_ref().map(|due| ("due".to_owned(), Value::from(due.as_str()))));
        let completed = completed.and_then(|completed| self.home.when(&completed));
        more.extend(
            completed
                .as_ref()
                .map(|completed| ("completed".to_owned(), Value::from(completed.as_str()))),
        );
        let title =
            template.payload.title.clone().unwrap_or_else(|| "Task without a title".to_owned());
        let due_text =
            due.as_ref().map(|due| format!(", due {}", span(due, None))).unwrap_or_default();
        let done =
            status(component).filter(|status| status == "completed" || status == "cancelled");
        let done_text = done.as_ref().map(|done| format!(" ({done})")).unwrap_or_default();
        // Readers see the text, and people search for a task by its due day.
        template.payload.text.extend(due.as_ref().map(|due| format!("\nDue {}", span(due, None))));
        template.payload.text.extend(done.as_ref().map(|done| match (done.as_str(), &completed) {
            ("completed", Some(completed)) => format!("\nCompleted {}", span(completed, None)),
            ("completed", None) => "\nCompleted".to_owned(),
            _ => "\nCancelled".to_owned(),
        }));
        template.payload.end = due;
        self.give_single(component, template, at, &format!("Task: {title}{due_text}{done_text}"))
    }

    /// A journal entry: a note of its day.
    pub(super) fn journal(&mut self, component: &Component) -> ControlFlow<()> {
        let template = Template::of(component, EvidenceKind::NOTE, &self.home);
        let at = self.optional(component, &["DTSTART", "CREATED", "DTSTAMP"])?;
        let title = template.payload.title.clone().unwrap_or_else(|| template.payload.text.clone());
        let title = if title.is_empty() { "Journal entry without text".to_owned() } else { title };
        self.give_single(component, template, at, &title)
    }

    fn give_single(
        &mut self,
        component: &Component,
        template: Template,
        at: Option<Moment>,
        summary: &str,
    ) -> ControlFlow<()> {
        let id = match component.get("RECURRENCE-ID") {
            Some(property) => self.moment(property)?.map(|moment| moment.id()),
            None => None,
        };
        let source_uid = template.name(id.as_deref());
        self.sink.evidence(Evidence {
            source: SOURCE.to_owned(),
            source_uid,
            kind: template.kind.into(),
            actor: template.actor,
            at: at.and_then(|at| self.home.when(&at)),
            summary: summarize(summary),
            visibility: template.visibility,
            payload: template.payload,
        })
    }

    /// The first of the named properties that is there and is a time.
    fn optional(
        &mut self,
        component: &Component,
        names: &[&str],
    ) -> ControlFlow<(), Option<Moment>> {
        for name in names {
            if let Some(property) = component.get(name)
                && let Some(moment) = self.moment(property)?
            {
                return ControlFlow::Continue(Some(moment));
            }
        }
        ControlFlow::Continue(None)
    }
}

/// Marks a cancelled event once: Exchange already writes it in the title.
fn cancelled_text(text: &str) -> String {
    let says_so = ["Canceled:", "Cancelled:"].iter().any(|word| text.starts_with(word));
    if says_so { text.to_owned() } else { format!("Cancelled: {text}") }
}

fn status(component: &Component) -> Option<String> {
    component.text("STATUS").map(|status| status.to_ascii_lowercase())
}

fn tags(component: &Component) -> Vec<String> {
    distinct(
        component
            .all("CATEGORIES")
            .flat_map(Property::texts)
            .map(|tag| tag.trim_start_matches('#').to_owned()),
    )
}

fn links(component: &Component) -> Vec<String> {
    let values = ["URL", "CONFERENCE", "ATTACH"].into_iter().flat_map(|name| component.all(name));
    distinct(
        values.map(|property| property.value.trim().to_owned()).filter(|value| !value.is_empty()),
    )
}

fn location(component: &Component) -> Option<Location> {
    let label = component
        .text("LOCATION")
        .map(|label| label.split_whitespace().collect::<Vec<_>>().join(" "));
    let apple = component.get("X-APPLE-STRUCTURED-LOCATION");
    let position = component
        .get("GEO")
        .and_then(|geo| position(&geo.value, ';'))
        .or_else(|| apple.and_then(|geo| position(geo.value.strip_prefix("geo:")?, ',')));
    if label.is_none() && position.is_none() {
        return None;
    }
    Some(Location { label, lat: position.map(|(lat, _)| lat), lon: position.map(|(_, lon)| lon) })
}

fn position(text: &str, separator: char) -> Option<(f64, f64)> {
    let (lat, lon) = text.trim().split_once(separator)?;
    let (lat, lon): (f64, f64) = (lat.trim().parse().ok()?, lon.trim().parse().ok()?);
    ((-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon)).then_some((lat, lon))
}

/// The name of an organiser or attendee: CN, else the mail address.
fn person(property: &Property) -> Option<String> {
    let name = property.parameter("CN").map(str::trim).filter(|name| !name.is_empty());
    let value = property.value.trim();
    let address = value.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("mailto"));
    let address = address.map(|(_, address)| address.trim()).filter(|address| !address.is_empty());
    name.or(address).map(str::to_owned)
}

/// Rooms and equipment are invited like people.
fn is_thing(property: &Property) -> bool {
    property.parameter("CUTYPE").is_some_and(|kind| {
        kind.eq_ignore_ascii_case("ROOM") || kind.eq_ignore_ascii_case("RESOURCE")
    })
}

/// Some programs write descriptions as HTML; those that do not write whole pages mean their line
/// ends.
fn readable(text: String) -> String {
    let lower = text.to_ascii_lowercase();
    let tags = ["<br", "</p>", "</a>", "</div>", "</b>", "<html", "</span>", "</li>"];
    match tags.iter().any(|tag| lower.contains(tag)) {
        true if lower.contains("<html") => html::to_text(&text),
        true => html::to_text(&text.replace('\n', "<br>")),
        false => text,
    }
}

/// An identity for a component that has none: the same content gives the same one.
fn fingerprint(component: &Component) -> String {
    let mut hasher = blake3::Hasher::new();
    for property in component.properties.iter().filter(|property| property.name != "DTSTAMP") {
        hasher
            .update(property.name.as_bytes())
            .update(b":")
            .update(without_secrets(&property.value).as_bytes())
            .update(b"\n");
    }
    let hex = hasher.finalize().to_hex();
    format!("without-uid-{}", hex.get(..32).unwrap_or(&hex))
}
