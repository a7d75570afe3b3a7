//! `relationship.contact`: who the owner is in contact with, and how often.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use kernel::body::LastSeen;
use kernel::confidence::{Basis, saturating};
use kernel::when::When;
use serde_json::{Map, Value};

use super::people::{Author, Channel, Companions, NamedPeople};
use crate::{Candidate, Input, Record};

/// Base rate: how often somebody who is named once is a contact.
pub(super) const PRIOR: f64 = 0.05;
/// Log-odds that days of contact add, and at what rate: the tenth adds little.
const DAYS: (f64, f64) = (6.4, 0.34);
/// Several channels: the person is known, not only named by one source.
const CHANNELS: (f64, f64) = (0.8, 0.8);
/// Days with a meeting so small that everybody spoke with everybody.
const SMALL_MEETINGS: (f64, f64) = (0.5, 0.9);
/// Most people, apart from the owner, of a small meeting.
const SMALL_MEETING_PEOPLE_MAX: usize = 3;
/// Links to the person in the owner's notes.
const MENTIONS: (f64, f64) = (0.5, 0.5);
/// [`DAYS`] where nothing distinguishes this person from the owner: one of two people in a
/// conversation is the owner, most likely the one who talks every day. However often they talk, it
/// stays below what counts as likely.
const DAYS_OWNER_UNKNOWN: (f64, f64) = (3.7, 0.62);
/// The same where mails go to a name that never writes any: it may be a list.
const DAYS_NEVER_WRITES: (f64, f64) = DAYS_OWNER_UNKNOWN;
/// People who write to an address that never writes itself, from which on it is a list.
const LIST_AUTHORS_MIN: usize = 3;
/// Shortest time after the last contact for which the claim is valid, days.
const VALID_DAYS_MIN: i64 = 90;
/// The same in multiples of the contact's own rhythm.
const VALID_RHYTHMS: i64 = 3;
/// The rhythms, in days, that are distinguished: coarse, so that one more meeting rarely changes
/// the claim.
const RHYTHMS: [(i64, &str); 7] = [
    (1, "nearly every day"),
    (7, "about every week"),
    (14, "about every 2 weeks"),
    (30, "about every month"),
    (90, "about every 3 months"),
    (180, "about every half year"),
    (365, "about every year"),
];
/// Most records that a claim cites: the latest.
pub(super) const INPUTS_MAX: usize = 128;

/// One record of contact with the person.
struct Encounter {
    input: Input,
    day: Option<Date>,
    channel: Channel,
    is_small: bool,
}

/// Everything known about one person as a contact; records are added in the order of their own
/// times.
#[derive(Default)]
pub(super) struct Contact {
    encounters: Vec<Encounter>,
    mentions: Vec<Input>,
    companions: Companions,
    spellings: BTreeSet<String>,
    /// Who wrote the mails that name the person, the person included.
    authors: BTreeSet<Author>,
    is_owner: bool,
    is_owner_known: bool,
}

impl Contact {
    /// Adds a record, if it names the person with this slug.
    pub(super) fn add(
        &mut self,
        slug: &str,
        record: &Record,
        at: Option<&When>,
        named: NamedPeople,
    ) {
        let NamedPeople {
            channel,
            contacts,
            mut companions,
            linked,
            owners,
            mailed,
            author,
            is_owner_known,
        } = named;
        self.is_owner |= owners.contains(slug);
        self.authors.extend(author.filter(|_| mailed.contains(slug)));
        let Some(channel) = channel else { return };
        if let Some(name) = contacts.get(slug) {
            let day = at.map(When::date);
            companions.remove(slug);
            let is_meeting = matches!(channel, Channel::Calendar | Channel::Note | Channel::Photo);
            let is_small = is_meeting && companions.len() < SMALL_MEETING_PEOPLE_MAX;
            self.companions.add(day, companions);
            self.spellings.insert(name.clone());
            self.is_owner_known |= is_owner_known;
            let input = Input { id: record.id, role: channel.role() };
            self.encounters.push(Encounter { input, day, channel, is_small });
        } else if linked.contains(slug) {
            self.mentions.push(Input { id: record.id, role: "mention" });
        }
    }

    /// Whether nothing but mails name the person, and none of them is by the person.
    fn never_writes(&self, slug: &str) -> bool {
        let is_mail = |encounter: &Encounter| encounter.channel == Channel::Mail;
        let writes = |author: &Author| matches!(author, Author::Other(other) if other == slug);
        self.mentions.is_empty()
            && self.encounters.iter().all(is_mail)
            && !self.authors.iter().any(writes)
    }

    /// The claim; `None` for the owner, for the sender of a single mail, and for a list.
    pub(super) fn candidate(self, slug: &str) -> Option<Candidate> {
        let never_writes = self.never_writes(slug);
        let Self { encounters, mentions, companions, spellings, authors, is_owner, is_owner_known } =
            self;
        if never_writes && authors.len() >= LIST_AUTHORS_MIN {
            return None;
        }
        let is_single_mail = encounters.len() == 1
            && encounters.iter().all(|encounter| encounter.channel == Channel::Mail);
        if is_owner || is_single_mail || !is_owner_known && companions.is_probably_owner() {
            return None;
        }
        let name = spellings.into_iter().next()?;
        let days: BTreeSet<Date> =
            encounters.iter().filter_map(|encounter| encounter.day).collect();
        let channels: BTreeSet<Channel> =
            encounters.iter().map(|encounter| encounter.channel).collect();
        let day_count = days.len().max(1) as f64;
        let mut basis = Basis::new(PRIOR)
            .with("contact_days", day_count, saturating(DAYS.0, DAYS.1, day_count))
            .with(
                "channels",
                channels.len() as f64,
                saturating(CHANNELS.0, CHANNELS.1, channels.len() as f64 - 1.0),
            );
        let small: BTreeSet<Option<Date>> = encounters
            .iter()
            .filter(|encounter| encounter.is_small)
            .map(|encounter| encounter.day)
            .collect();
        if !small.is_empty() {
            let count = small.len() as f64;
            basis = basis.with(
                "small_meetings",
                count,
                saturating(SMALL_MEETINGS.0, SMALL_MEETINGS.1, count),
            );
        }
        if !mentions.is_empty() {
            let count = mentions.len() as f64;
            basis = basis.with("mentions", count, saturating(MENTIONS.0, MENTIONS.1, count));
        }
        let curve = |(most, rate): (f64, f64)| saturating(most, rate, day_count);
        if !is_owner_known {
            basis = basis.with("owner_unknown", 1.0, curve(DAYS_OWNER_UNKNOWN) - curve(DAYS));
        } else if never_writes {
            basis = basis.with("never_writes", 1.0, curve(DAYS_NEVER_WRITES) - curve(DAYS));
        }
        let rhythm = rhythm(&days);
        let (first, last) = (days.first().copied(), days.last().copied());
        let valid_days =
            VALID_DAYS_MIN.max(rhythm.map_or(0, |(rhythm, _)| rhythm * VALID_RHYTHMS)) + 1;
        let mut payload = Map::new();
        payload.insert("name".to_owned(), Value::from(name.as_str()));
        payload.insert("kind".to_owned(), Value::from("contact"));
        payload.extend(last.map(|last| ("last_contact".to_owned(), Value::from(last.to_string()))));
        payload.extend(rhythm.map(|(rhythm, _)| ("cadence_days".to_owned(), Value::from(rhythm))));
        payload.insert(
            "channels".to_owned(),
            channels.iter().map(|channel| channel.as_str()).collect(),
        );
        let text = match rhythm {
            Some((_, words)) => format!("You keep in contact with {name}, {words}"),
            None => format!("You have been in contact with {name}"),
        };
        let mut rationale = rationale(&encounters, &mentions, first, last, is_owner_known);
        if never_writes {
            rationale.insert_str(rationale.len() - 1, "; no mail is by this person");
        }
        let cited = encounters.into_iter().map(|encounter| encounter.input);
        let mut inputs: Vec<Input> =
            cited.rev().chain(mentions.into_iter().rev()).take(INPUTS_MAX).collect();
        inputs.sort();
        inputs.dedup();
        Some(Candidate {
            claim_type: "relationship.contact".to_owned(),
            identity_key: format!("relationship.contact|{slug}"),
            text,
            payload: Value::Object(payload),
            inputs,
            basis,
            rationale,
            valid_from: first.map(When::from_date),
            valid_to: None,
            last_seen: last.map(|last| LastSeen::new(When::from_date(last), valid_days)),
            tags: Vec::new(),
        })
    }
}

fn rationale(
    encounters: &[Encounter],
    mentions: &[Input],
    first: Option<Date>,
    last: Option<Date>,
    is_owner_known: bool,
) -> String {
    let mut counts: BTreeMap<Channel, usize> = BTreeMap::new();
    encounters.iter().for_each(|encounter| *counts.entry(encounter.channel).or_default() += 1);
    let parts: Vec<String> = counts
        .iter()
        .map(|(channel, count)| format!("{count} in {}", channel_phrase(*channel)))
        .collect();
    let mut words = format!("{}: {}", counted(encounters.len(), "record"), parts.join(", "));
    match (first, last) {
        (Some(first), Some(last)) if first != last => {
            words.push_str(&format!("; from {first} to {last}"))
        }
        (Some(day), _) => words.push_str(&format!("; on {day}")),
        _ => words.push_str("; at unknown times"),
    }
    if !mentions.is_empty() {
        words.push_str(&format!("; {} in notes", counted(mentions.len(), "mention")));
    }
    if !is_owner_known {
        words.push_str("; nothing tells this person from the owner of the memory");
    }
    words.push('.');
    words
}

fn channel_phrase(channel: Channel) -> &'static str {
    match channel {
        Channel::Calendar => "the calendar",
        Channel::Chat => "conversations",
        Channel::Mail => "mail",
        Channel::Note => "notes",
        Channel::Photo => "photographs",
    }
}

/// `1 record`, `2 records`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The median time between days of contact, as the nearest of [`RHYTHMS`]; `None` below three days.
fn rhythm(days: &BTreeSet<Date>) -> Option<(i64, &'static str)> {
    let mut gaps: Vec<i64> = days
        .iter()
        .zip(days.iter().skip(1))
        .map(|(day, next)| next.duration_since(*day).as_hours() / 24)
        .collect();
    gaps.sort_unstable();
    let median = *gaps.get(gaps.len() / 2).filter(|_| gaps.len() >= 2)?;
    // The nearest by ratio, not by difference in days.
    let distance = |rhythm: i64| {
        if rhythm > median { rhythm * 1_000 / median.max(1) } else { median * 1_000 / rhythm }
    };
    RHYTHMS.into_iter().min_by_key(|(rhythm, _)| distance(*rhythm))
}
