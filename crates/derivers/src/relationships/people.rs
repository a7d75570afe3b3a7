//! The people in a record, and who among them is the owner.
//!
//! No record states whose memory this is, so it must be inferred. A person is the owner if a
//! calendar has their name or they speak as `user` to an agent. A person is probably the owner if
//! nothing distinguishes them from the owner and no other person is with them most of the time,
//! because the owner keeps appearing in the records of a contact. A person who only appears in
//! conversations may be either, which [`contact::DAYS_OWNER_UNKNOWN`](super::contact) takes into
//! account.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind};
use serde_json::Value;

use crate::names::{Person, is_self, person};

/// A record with more people than this is a crowd and does not count as contact with any of them.
pub(super) const PEOPLE_MAX: usize = 12;

/// The means of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Channel {
    Calendar,
    Chat,
    Mail,
    Note,
    Photo,
}

impl Channel {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Calendar => "calendar",
            Self::Chat => "chat",
            Self::Mail => "mail",
            Self::Note => "note",
            Self::Photo => "photo",
        }
    }

    /// The role in which its records are cited.
    pub(super) fn role(self) -> &'static str {
        match self {
            Self::Calendar | Self::Note => "meeting",
            Self::Chat | Self::Mail => "message",
            Self::Photo => "photo",
        }
    }

    fn of(evidence: &Evidence) -> Option<Self> {
        match evidence.kind.0.as_str() {
            EvidenceKind::EVENT => Some(Self::Calendar),
            EvidenceKind::TURN => Some(Self::Chat),
            EvidenceKind::MAIL => Some(Self::Mail),
            EvidenceKind::NOTE => Some(Self::Note),
            EvidenceKind::PHOTO => Some(Self::Photo),
            _ => None,
        }
    }
}

/// A cache of parsed names: one text occurs in many records.
#[derive(Debug, Default)]
pub(super) struct Names<'r>(BTreeMap<&'r str, Option<Person>>);

impl<'r> Names<'r> {
    fn get(&mut self, raw: &'r str) -> Option<&Person> {
        self.0.entry(raw).or_insert_with(|| person(raw)).as_ref()
    }
}

/// The people that a record names, by their part in it.
#[derive(Debug, Default)]
pub(super) struct NamedPeople {
    pub(super) channel: Option<Channel>,
    /// The people that the owner had contact with: names by slug.
    pub(super) contacts: BTreeMap<String, String>,
    /// Everybody who was present, by slug.
    pub(super) companions: BTreeSet<String>,
    /// The people that a note links to, by slug.
    pub(super) linked: BTreeSet<String>,
    /// The owner of the memory, by every slug that the record uses.
    pub(super) owners: BTreeSet<String>,
    /// Whether the record distinguishes the owner from the contacts.
    pub(super) is_owner_known: bool,
}

/// Whether `slug` may be the full name of `owner` (from a calendar's name).
fn is_full_name_of(slug: &str, owner: &str) -> bool {
    slug.strip_prefix(owner).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Reads the names in a record. The names of a crowd are not read.
pub(super) fn named_people<'r>(evidence: &'r Evidence, names: &mut Names<'r>) -> NamedPeople {
    let Some(channel) = Channel::of(evidence) else { return NamedPeople::default() };
    let payload = &evidence.payload;
    let mut named = NamedPeople { channel: Some(channel), ..NamedPeople::default() };
    let actor = evidence.actor.as_deref();
    if let Some(role) = payload.role.as_deref() {
        // A chat with an agent: the speaker is the owner, and agents are not contacts.
        if role == "user" {
            named
                .owners
                .extend(actor.and_then(|actor| names.get(actor)).map(|person| person.slug.clone()));
        }
        return named;
    }
    let is_crowd = payload.participants.len() > PEOPLE_MAX;
    let present: &[String] = if is_crowd { &[] } else { &payload.participants };
    let mut people: BTreeMap<String, String> = BTreeMap::new();
    for raw in present.iter().map(String::as_str).chain(actor) {
        named.is_owner_known |= is_self(raw);
        if let Some(person) = names.get(raw) {
            people.insert(person.slug.clone(), person.name.clone());
        }
    }
    let speaker = actor.and_then(|actor| names.get(actor)).map(|person| person.slug.clone());
    match channel {
        Channel::Calendar => {
            let calendar = payload
                .more
                .get("calendar")
                .and_then(Value::as_str)
                .and_then(|name| names.get(name));
            let owner = calendar.map(|person| person.slug.clone());
            if let Some(owner) = &owner
                && let Some(called) =
                    people.keys().find(|slug| is_full_name_of(slug, owner)).cloned()
            {
                people.remove(&called);
                named.is_owner_known = true;
                named.owners.insert(called);
            }
            named.owners.extend(owner);
            // The organiser of an event that nobody else attends is the owner of the calendar.
            if people.len() == 1
                && speaker.as_ref().is_some_and(|speaker| people.contains_key(speaker))
            {
                people.clear();
            }
            named.is_owner_known |= people.len() == 1;
        }
        Channel::Chat => {
            if let Some(speaker) = &speaker {
                named.companions = people.keys().filter(|slug| *slug != speaker).cloned().collect();
                people.retain(|slug, _| slug == speaker);
            }
        }
        // The author of a note wrote the text, which alone is not a contact.
        Channel::Note => {
            if let Some(speaker) = &speaker
                && !payload
                    .participants
                    .iter()
                    .any(|raw| names.get(raw).is_some_and(|person| person.slug == *speaker))
            {
                people.remove(speaker);
            }
            named.is_owner_known = true;
            named.linked =
                payload.links.iter().take(PEOPLE_MAX * 4).filter_map(|link| linked(link)).collect();
        }
        // The photographer is not in the picture.
        Channel::Photo => {
            if let Some(speaker) = &speaker {
                people.remove(speaker);
            }
            named.is_owner_known = true;
        }
        Channel::Mail => {}
    }
    if channel != Channel::Chat {
        named.companions = people.keys().cloned().collect();
    }
    named.contacts = people;
    named
}

/// The slug of the person that a link between notes may name: capitalised words without a path.
fn linked(link: &str) -> Option<String> {
    let link = link.split(['#', '|']).next().unwrap_or_default().trim_end_matches(".md").trim();
    let is_name = !link.contains(['/', ':', '.', '\\'])
        && link.len() <= 64
        && link
            .split_whitespace()
            .all(|word| word.chars().next().is_some_and(|letter| !letter.is_lowercase()));
    if is_name { person(link).map(|person| person.slug) } else { None }
}

/// The days on which each other person was present, to distinguish the owner from a contact.
#[derive(Debug, Default)]
pub(super) struct Companions {
    days: BTreeSet<Option<Date>>,
    with: BTreeMap<String, BTreeSet<Option<Date>>>,
}

/// With fewer other people, nothing is concluded.
const COMPANIONS_MIN: usize = 3;

impl Companions {
    pub(super) fn add(&mut self, day: Option<Date>, companions: impl IntoIterator<Item = String>) {
        for other in companions {
            self.days.insert(day);
            self.with.entry(other).or_default().insert(day);
        }
    }

    /// Several others, none of them present on seven days of ten: that is true of the owner alone.
    pub(super) fn is_probably_owner(&self) -> bool {
        let most = self.with.values().map(BTreeSet::len).max().unwrap_or(0);
        self.with.len() >= COMPANIONS_MIN && most * 10 < self.days.len() * 7
    }
}
