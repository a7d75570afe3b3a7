//! The people in a record, and who among them is the owner.
//!
//! The owner may have said who they are ([`Owner`]); a record of an export may name its account.
//! Where neither is so, it must be inferred. A person is the owner if a
//! calendar has their name or they speak as `user` to an agent. A person is probably the owner if
//! nothing distinguishes them from the owner and no other person is with them most of the time,
//! because the owner keeps appearing in the records of a contact. A person who only appears in
//! conversations may be either, which [`contact::DAYS_OWNER_UNKNOWN`](super::contact) takes into
//! account.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind, Payload};
use serde_json::Value;

use crate::account;
use crate::cancelled::is_declined;
use crate::names::{Person, address_of, is_list, is_self, person};
use crate::owner::Owner;

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

/// Whom a text names.
#[derive(Clone, Debug)]
enum Named {
    Owner(Option<Person>),
    Other(Person),
    /// A machine, a list, or no name.
    Nobody,
}

impl Named {
    fn person(&self) -> Option<&Person> {
        match self {
            Self::Owner(person) => person.as_ref(),
            Self::Other(person) => Some(person),
            Self::Nobody => None,
        }
    }

    fn is_owner(&self) -> bool {
        matches!(self, Self::Owner(_))
    }
}

/// A cache of parsed names: one text occurs in many records.
#[derive(Debug)]
pub(super) struct Names<'r> {
    owner: &'r Owner,
    known: BTreeMap<&'r str, Named>,
}

impl<'r> Names<'r> {
    /// Of a memory with this owner.
    pub(super) fn of(owner: &'r Owner) -> Self {
        Self { owner, known: BTreeMap::new() }
    }

    fn named(&mut self, raw: &'r str) -> &Named {
        let owner = self.owner;
        self.known.entry(raw).or_insert_with(|| {
            let read = person(raw);
            if is_self(raw) || owner.is_person(raw, read.as_ref()) {
                return Named::Owner(read);
            }
            read.map_or(Named::Nobody, Named::Other)
        })
    }

    fn get(&mut self, raw: &'r str) -> Option<&Person> {
        self.named(raw).person()
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
    /// Everybody whom a mail is by or to, by slug, whoever the owner is; nobody if a list is named.
    pub(super) mailed: BTreeSet<String>,
    /// Who wrote that mail.
    pub(super) author: Option<Author>,
    /// Whether the record distinguishes the owner from the contacts.
    pub(super) is_owner_known: bool,
}

impl NamedPeople {
    /// Friends call each other by the first name: the only one of these people who may be the
    /// owner by it is. Whether the owner may take part at all; otherwise, others talk with each
    /// other.
    fn find_owner_among(&mut self, people: &mut BTreeMap<String, String>, owner: &Owner) -> bool {
        let called: Vec<String> =
            people.keys().filter(|slug| owner.may_be(slug)).cloned().collect();
        if let [one] = called.as_slice() {
            people.remove(one);
            self.owners.insert(one.clone());
            self.is_owner_known = true;
        }
        !called.is_empty()
    }

    /// Takes the owner of a calendar, who may be named by the calendar or organise its event alone,
    /// from the people in an event.
    fn read_calendar<'r>(
        &mut self,
        payload: &'r Payload,
        people: &mut BTreeMap<String, String>,
        speaker: Option<&String>,
        names: &mut Names<'r>,
    ) {
        let calendar = payload.more.get("calendar").and_then(Value::as_str);
        let owner = calendar.and_then(|name| names.get(name)).map(|person| person.slug.clone());
        if let Some(owner) = &owner
            && let Some(called) = people.keys().find(|slug| is_full_name_of(slug, owner)).cloned()
        {
            people.remove(&called);
            self.is_owner_known = true;
            self.owners.insert(called);
        }
        self.owners.extend(owner);
        // The organiser of an event that nobody else attends is the owner of the calendar.
        if people.len() == 1 && speaker.is_some_and(|speaker| people.contains_key(speaker)) {
            people.clear();
        }
        self.is_owner_known |= people.len() == 1;
    }

    /// Takes the author of a note, who wrote the text, which alone is not a contact, from the
    /// people in it, and reads its links.
    fn read_note<'r>(
        &mut self,
        payload: &'r Payload,
        people: &mut BTreeMap<String, String>,
        speaker: Option<&String>,
        names: &mut Names<'r>,
    ) {
        if let Some(speaker) = speaker
            && !payload
                .participants
                .iter()
                .any(|raw| names.get(raw).is_some_and(|person| person.slug == *speaker))
        {
            people.remove(speaker);
        }
        self.is_owner_known = true;
        self.linked =
            payload.links.iter().take(PEOPLE_MAX * 4).filter_map(|link| linked(link)).collect();
    }
}

/// Who wrote a mail.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Author {
    Owner,
    /// By slug.
    Other(String),
}

/// The people that a record names, as its source does.
struct Present<'r> {
    /// Everybody who takes part.
    listed: Vec<&'r str>,
    /// Who said or made it.
    author: Option<&'r str>,
}

impl<'r> Present<'r> {
    /// A mail is by the first of its addresses, which say more than names: a list or a machine may
    /// have the name of a person.
    fn of(evidence: &'r Evidence, channel: Channel) -> Self {
        let payload = &evidence.payload;
        let addresses = payload.more.get(Evidence::ADDRESSES).and_then(Value::as_array);
        match addresses.filter(|addresses| channel == Channel::Mail && !addresses.is_empty()) {
            Some(addresses) => {
                let listed: Vec<&str> = addresses.iter().filter_map(Value::as_str).collect();
                let author = listed.first().copied().filter(|_| evidence.actor.is_some());
                Self { listed, author }
            }
            None => Self {
                listed: payload.participants.iter().map(String::as_str).collect(),
                author: evidence.actor.as_deref(),
            },
        }
    }
}

/// Whether `slug` may be the full name of `owner` (from a calendar's name).
fn is_full_name_of(slug: &str, owner: &str) -> bool {
    slug.strip_prefix(owner).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Reads the names in a record. The names of a crowd are not read.
pub(super) fn named_people<'r>(evidence: &'r Evidence, names: &mut Names<'r>) -> NamedPeople {
    let channel = Channel::of(evidence).filter(|_| !is_declined(evidence, names.owner));
    let Some(channel) = channel else { return NamedPeople::default() };
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
    let account = account(evidence);
    let Present { listed, author } = Present::of(evidence, channel);
    let is_crowd = listed.len() > PEOPLE_MAX;
    let mut people: BTreeMap<String, String> = BTreeMap::new();
    let mut is_by_owner = false;
    for raw in listed.iter().copied().chain(author) {
        let is_author = author == Some(raw);
        let whom = names.named(raw);
        if whom.is_owner() || account == Some(raw) {
            named.is_owner_known = true;
            named.owners.extend(whom.person().map(|person| person.slug.clone()));
            is_by_owner |= is_author;
        } else if let Some(person) = whom.person().filter(|_| !is_crowd || is_author) {
            people.insert(person.slug.clone(), person.name.clone());
        }
    }
    named.owners.iter().for_each(|owner| drop(people.remove(owner)));
    let is_to_list = payload.more.contains_key(Evidence::MAILING_LIST)
        || listed.iter().any(|raw| address_of(raw).is_some_and(is_list));
    let is_stated = names.owner.is_known() || account.is_some();
    let is_owner_wanted =
        channel == Channel::Chat && is_stated && !named.is_owner_known && !listed.is_empty();
    if is_owner_wanted && !named.find_owner_among(&mut people, names.owner) {
        return named;
    }
    let speaker = author.and_then(|author| names.get(author)).map(|person| person.slug.clone());
    if channel == Channel::Mail && !is_to_list {
        named.mailed = people.keys().cloned().collect();
        named.author = match is_by_owner {
            true => Some(Author::Owner),
            false => speaker.clone().map(Author::Other),
        };
    }
    match channel {
        Channel::Calendar => {
            named.read_calendar(payload, &mut people, speaker.as_ref(), names);
        }
        Channel::Chat => {
            if let Some(speaker) = &speaker {
                named.companions = people.keys().filter(|slug| *slug != speaker).cloned().collect();
                people.retain(|slug, _| slug == speaker);
            }
        }
        // What somebody else wrote down is about whom they meet.
        Channel::Note if is_stated && author.is_some() && !named.is_owner_known => return named,
        Channel::Note => named.read_note(payload, &mut people, speaker.as_ref(), names),
        // The photographer is not in the picture.
        Channel::Photo => {
            if let Some(speaker) = &speaker {
                people.remove(speaker);
            }
            named.is_owner_known = true;
        }
        // Whoever got a copy of a mail from somebody else said nothing.
        Channel::Mail if is_stated && named.is_owner_known => {
            people.retain(|slug, _| is_by_owner || speaker.as_ref() == Some(slug));
        }
        // Others write to each other, or to all.
        Channel::Mail if is_stated || is_to_list => people.clear(),
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
