//! Who was met: what one record says of one person, and what many of them amount to.
//!
//! No record says whose memory this is, so it is looked for. A person is the owner when a calendar
//! has their name or they speak as `user` to an agent; and probably, when nothing tells them from
//! the owner and nobody is with them most of the time, because in the records of a contact the
//! owner keeps appearing. A person who is only heard in conversations may be either, which
//! [`contact::DAYS_OWNER_UNKNOWN`](super::contact) takes into account.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind};
use serde_json::Value;

use crate::names::{Person, is_self, person};

/// More people than this are a crowd, in which nobody is met.
pub(super) const CROWD: usize = 12;

/// How people are met.
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

    /// As what a record of it is cited.
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

/// Names that were read before: one text occurs in many records.
#[derive(Debug, Default)]
pub(super) struct Names<'r>(BTreeMap<&'r str, Option<Person>>);

impl<'r> Names<'r> {
    fn get(&mut self, raw: &'r str) -> Option<&Person> {
        self.0.entry(raw).or_insert_with(|| person(raw)).as_ref()
    }
}

/// Whom a record names, by how.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) channel: Option<Channel>,
    /// Who was met.
    pub(super) met: BTreeMap<String, String>,
    /// Who else was there.
    pub(super) company: BTreeSet<String>,
    /// Who a note links to, if they are people at all.
    pub(super) linked: BTreeSet<String>,
    /// Whose memory the record says this is, by every name that it uses.
    pub(super) owners: BTreeSet<String>,
    /// Whether the owner is told from those who were met.
    pub(super) is_owner_apart: bool,
}

/// Whether `slug` is how `owner` (from a calendar's name) may be called in full.
fn is_called(slug: &str, owner: &str) -> bool {
    slug.strip_prefix(owner).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Reads the names in a record. The names of a crowd are not read.
pub(super) fn named<'r>(evidence: &'r Evidence, names: &mut Names<'r>) -> Named {
    let Some(channel) = Channel::of(evidence) else { return Named::default() };
    let payload = &evidence.payload;
    let mut named = Named { channel: Some(channel), ..Named::default() };
    let actor = evidence.actor.as_deref();
    if let Some(role) = payload.role.as_deref() {
        // A chat with an agent: the person who speaks is the owner, and agents are no contacts.
        if role == "user" {
            named
                .owners
                .extend(actor.and_then(|actor| names.get(actor)).map(|person| person.slug.clone()));
        }
        return named;
    }
    let is_crowd = payload.participants.len() > CROWD;
    let present: &[String] = if is_crowd { &[] } else { &payload.participants };
    let mut people: BTreeMap<String, String> = BTreeMap::new();
    for raw in present.iter().map(String::as_str).chain(actor) {
        named.is_owner_apart |= is_self(raw);
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
                && let Some(called) = people.keys().find(|slug| is_called(slug, owner)).cloned()
            {
                people.remove(&called);
                named.is_owner_apart = true;
                named.owners.insert(called);
            }
            named.owners.extend(owner);
            // Who organises an event that nobody else attends is the one whose calendar it is.
            if people.len() == 1
                && speaker.as_ref().is_some_and(|speaker| people.contains_key(speaker))
            {
                people.clear();
            }
            named.is_owner_apart |= people.len() == 1;
        }
        Channel::Chat => {
            if let Some(speaker) = &speaker {
                named.company = people.keys().filter(|slug| *slug != speaker).cloned().collect();
                people.retain(|slug, _| slug == speaker);
            }
        }
        // An author is who wrote the text, and may be met nowhere else.
        Channel::Note => {
            if let Some(speaker) = &speaker
                && !payload
                    .participants
                    .iter()
                    .any(|raw| names.get(raw).is_some_and(|person| person.slug == *speaker))
            {
                people.remove(speaker);
            }
            named.is_owner_apart = true;
            named.linked =
                payload.links.iter().take(CROWD * 4).filter_map(|link| linked(link)).collect();
        }
        // Who made the photograph is not on it.
        Channel::Photo => {
            if let Some(speaker) = &speaker {
                people.remove(speaker);
            }
            named.is_owner_apart = true;
        }
        Channel::Mail => {}
    }
    if channel != Channel::Chat {
        named.company = people.keys().cloned().collect();
    }
    named.met = people;
    named
}

/// The name that a link between notes may be: capitalised words without a path.
fn linked(link: &str) -> Option<String> {
    let link = link.split(['#', '|']).next().unwrap_or_default().trim_end_matches(".md").trim();
    let is_name = !link.contains(['/', ':', '.', '\\'])
        && link.len() <= 64
        && link
            .split_whitespace()
            .all(|word| word.chars().next().is_some_and(|letter| !letter.is_lowercase()));
    if is_name { person(link).map(|person| person.slug) } else { None }
}

/// Days on which each of the company was there, to tell the owner from a contact.
#[derive(Debug, Default)]
pub(super) struct Company {
    days: BTreeSet<Option<Date>>,
    with: BTreeMap<String, BTreeSet<Option<Date>>>,
}

/// Below this many others, nothing is concluded from who was there.
const OTHERS_MIN: usize = 3;

impl Company {
    pub(super) fn add(&mut self, day: Option<Date>, company: impl IntoIterator<Item = String>) {
        for other in company {
            self.days.insert(day);
            self.with.entry(other).or_default().insert(day);
        }
    }

    /// Several others, and nobody there on seven days of ten: so it is for the owner alone.
    pub(super) fn looks_like_the_owners(&self) -> bool {
        let most = self.with.values().map(BTreeSet::len).max().unwrap_or(0);
        self.with.len() >= OTHERS_MIN && most * 10 < self.days.len() * 7
    }
}
