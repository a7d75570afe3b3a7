//! The deriver `preferences`: what the owner likes, dislikes and prefers.
//!
//! There are two sources. [`stated`] reads the owner's first-person statements; each object is a
//! group of its own, named `<domain>|<slug>`. [`dayparts`] reads the routines that another deriver
//! found; they share the group `daypart` with all statements about parts of the day. The latest
//! statement about an object decides. The lexicon, keys, priors and curves are in
//! `docs/derivers.md`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use kernel::confidence::{Basis, round6, saturating};
use kernel::id::OpId;
use kernel::when::When;
use serde_json::{Map, Value};

use crate::owner::Owner;
use crate::relationships::{by_event_time, counted};
use crate::statements::{Mention, OwnWords, own_words};
use crate::{Candidate, ClaimType, Deriver, GROUPS_MAX, Input, Record};

mod clauses;
mod dayparts;
mod lexicon;
mod lists;
mod object;
mod stated;
mod word_lists;

use dayparts::{Routine, is_routine, routine};
use lexicon::DAYPARTS;
use object::Object;
pub use stated::Polarity;
use stated::{Statement, statements};

/// Base rate: how often a sentence or a habit that looks like a preference is one.
const PRIOR: f64 = 0.40;
/// Love, hate, prefer, favourite.
const STRONG: f64 = 2.3;
/// Like, enjoy, dislike.
const PLAIN: f64 = 1.9;
/// Stated again.
const REPEATED: (f64, f64) = (1.6, 0.6);
/// Stated on other days.
const DAYS: (f64, f64) = (0.6, 0.5);
/// Stated in other sources.
const SOURCES: (f64, f64) = (0.5, 0.7);
/// The opposite was stated before.
const CONTRADICTED: (f64, f64) = (-2.0, 0.7);
/// Routines in that part of the day, by their confidence.
const ROUTINES: (f64, f64) = (1.4, 0.7);
/// Added if all routines are in that part of the day; nothing is added at [`SHARE_MIN`].
const SHARE: f64 = 0.5;
/// Smallest share of the routines that counts as most of them.
const SHARE_MIN: f64 = 0.6;
/// Most routines that count: those with the highest confidence. Weaker ones would add nothing.
const ROUTINES_MAX: usize = 32;
/// Most records that a claim cites: the latest.
const INPUTS_MAX: usize = 128;
/// The group in which statements and routines meet.
const DAYPART: &str = "daypart";

/// The deriver.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    owner: Owner,
}

impl Preferences {
    /// The deriver for an owner who said who they are.
    pub fn of(owner: Owner) -> Self {
        Self { owner }
    }
}

/// Whether a word is in the lexicon: then it is a thing, not a name.
pub(crate) fn is_known_thing(word: &str) -> bool {
    lexicon::domain(word).is_some()
}

/// Whether the deriver concludes something from these words of the owner.
pub(crate) fn concludes_from(words: OwnWords<'_>) -> bool {
    statements(words).iter().any(|statement| !statement.is_end)
}

impl Deriver for Preferences {
    fn name(&self) -> &'static str {
        "preferences"
    }

    fn version(&self) -> &'static str {
        "1.7.0"
    }

    fn parameters(&self) -> String {
        self.owner.parameters()
    }

    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "preference.*", prior: PRIOR }]
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let mut groups = BTreeSet::new();
        if record.belief().is_some_and(is_routine) {
            groups.insert(DAYPART.to_owned());
        }
        let own_statements = own_words(record, &self.owner).map(statements).unwrap_or_default();
        for object in own_statements
            .iter()
            .flat_map(|statement| [Some(&statement.object), statement.over.as_ref()])
            .flatten()
        {
            if groups.len() < GROUPS_MAX {
                groups.insert(group_of(object));
            }
        }
        groups
    }

    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let mut mentions: Vec<Mention<Statement>> = Vec::new();
        let mut routines: Vec<Routine> = Vec::new();
        for record in by_event_time(records) {
            routines.extend(routine(record));
            let Some(evidence) = record.evidence() else { continue };
            let own_statements = own_words(record, &self.owner).map(statements).unwrap_or_default();
            let day = evidence.at.as_ref().map(When::date);
            for statement in own_statements {
                let own = is_of_group(&statement.object, group);
                let other = statement.over.as_ref().is_some_and(|over| is_of_group(over, group));
                if own || other {
                    mentions.push(Mention {
                        id: record.id,
                        day,
                        source: evidence.source.clone(),
                        statement,
                    });
                }
            }
        }
        routines.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.id.cmp(&b.id)));
        routines.truncate(ROUTINES_MAX);
        if group != DAYPART {
            return stated_candidate(group, &mentions, None).into_iter().collect();
        }
        let of_part = |part: &'static str| {
            let habit = Habit::of(part, &routines);
            let key = format!("{DAYPART}|{part}");
            stated_candidate(&key, &mentions, habit.as_ref())
                .or_else(|| habit.map(|habit| habit.candidate()))
        };
        DAYPARTS.into_iter().filter_map(of_part).collect()
    }
}

fn group_of(object: &Object) -> String {
    if object.domain == DAYPART { DAYPART.to_owned() } else { key_of(object) }
}

/// The identity key without `preference.`.
fn key_of(object: &Object) -> String {
    format!("{}|{}", object.domain, object.slug)
}

fn is_of_group(object: &Object, group: &str) -> bool {
    if object.domain == DAYPART { group == DAYPART } else { has_key(object, group) }
}

fn has_key(object: &Object, key: &str) -> bool {
    key.strip_prefix(object.domain).and_then(|rest| rest.strip_prefix('|'))
        == Some(object.slug.as_str())
}

/// The owner's current position on one object, from their statements in order of time.
struct Stance<'s> {
    polarity: Polarity,
    object: &'s Object,
    /// The article with which it was always said.
    article: Option<&'static str>,
    supporting: Vec<&'s Mention<Statement>>,
    opposing: usize,
    over: Option<&'s Object>,
    /// The first day after the last statement to the contrary.
    since: Option<Date>,
    /// The day on which the owner said that they do it no more.
    end: Option<Date>,
}

/// Weighs all statements about the object with this key. "I prefer tea to coffee" supports tea, and
/// contradicts an earlier "I prefer coffee to tea"; it does not count against coffee itself.
fn latest_stance<'s>(key: &str, mentions: &'s [Mention<Statement>]) -> Option<Stance<'s>> {
    // When something else was last preferred to this: that cancels earlier statements of the
    // reverse.
    let reversed: BTreeMap<&str, usize> = mentions
        .iter()
        .enumerate()
        .filter(|(_, mention)| {
            mention.statement.over.as_ref().is_some_and(|over| has_key(over, key))
        })
        .map(|(at, mention)| (mention.statement.object.slug.as_str(), at))
        .collect();
    let is_undone = |at: usize, over: &Object| {
        reversed.get(over.slug.as_str()).is_some_and(|later| *later > at)
    };
    let (undone, standing): (Vec<&Mention<Statement>>, Vec<&Mention<Statement>>) = mentions
        .iter()
        .enumerate()
        .filter(|(_, mention)| has_key(&mention.statement.object, key))
        .map(|(at, mention)| {
            (mention.statement.over.as_ref().is_some_and(|over| is_undone(at, over)), mention)
        })
        .fold((Vec::new(), Vec::new()), |(mut undone, mut standing), (is_undone, mention)| {
            if is_undone { &mut undone } else { &mut standing }.push(mention);
            (undone, standing)
        });
    let last = standing.iter().rposition(|mention| !mention.statement.is_end)?;
    let end = standing.get(last + 1).copied();
    let standing: Vec<&Mention<Statement>> =
        standing.into_iter().filter(|mention| !mention.statement.is_end).collect();
    let polarity = standing.last()?.statement.polarity;
    let end = match end.filter(|_| polarity == Polarity::Like) {
        // Without a day, nobody can say until when it was so.
        Some(end) => Some(end.day?),
        None => None,
    };
    let supporting: Vec<&Mention<Statement>> =
        standing.iter().copied().filter(|mention| mention.statement.polarity == polarity).collect();
    let opposing = standing.len() - supporting.len() + undone.len();
    let of_key: Vec<&Mention<Statement>> = mentions
        .iter()
        .filter(|mention| has_key(&mention.statement.object, key))
        .take_while(|mention| !mention.statement.is_end || end.is_none() || mention.day < end)
        .collect();
    let is_contrary = |one: &&Mention<Statement>| match one.statement.is_end {
        true => polarity == Polarity::Like,
        false => one.statement.polarity != polarity,
    };
    let since = of_key.iter().rposition(is_contrary);
    let since =
        of_key.iter().skip(since.map_or(0, |opposed| opposed + 1)).find_map(|mention| mention.day);
    if end.is_some() && end <= since {
        return None;
    }
    let over = supporting.iter().rev().find_map(|mention| mention.statement.over.as_ref());
    let objects = || supporting.iter().map(|mention| &mention.statement.object);
    let object = objects().min_by_key(|object| object.name.as_str())?;
    let article =
        object.article.filter(|article| objects().all(|object| object.article == Some(*article)));
    Some(Stance { polarity, object, article, supporting, opposing, over, since, end })
}

fn stated_candidate(
    key: &str,
    mentions: &[Mention<Statement>],
    habit: Option<&Habit<'_>>,
) -> Option<Candidate> {
    let Stance { polarity, object, article, supporting, opposing, over, since, end } =
        latest_stance(key, mentions)?;
    let records: BTreeSet<OpId> = supporting.iter().map(|mention| mention.id).collect();
    let days: BTreeSet<Date> = supporting.iter().filter_map(|mention| mention.day).collect();
    let sources: BTreeSet<&str> =
        supporting.iter().map(|mention| mention.source.as_str()).collect();
    let is_strong = supporting.iter().any(|mention| mention.statement.is_strong);
    let curve = |(most, rate): (f64, f64), count: usize| {
        saturating(most, rate, count.saturating_sub(1) as f64)
    };
    let mut basis = Basis::new(PRIOR)
        .with(
            "explicitness",
            f64::from(u8::from(is_strong)),
            if is_strong { STRONG } else { PLAIN },
        )
        .with("statements", records.len() as f64, curve(REPEATED, records.len()))
        .with("distinct_days", days.len() as f64, curve(DAYS, days.len()))
        .with("sources", sources.len() as f64, curve(SOURCES, sources.len()));
    let mut rationale = format!("Said by the owner in {}", counted(records.len(), "record"));
    if days.len() > 1 {
        rationale.push_str(&format!(" on {}", counted(days.len(), "day")));
    }
    if opposing > 0 {
        basis = basis.with(
            "contradictions",
            opposing as f64,
            saturating(CONTRADICTED.0, CONTRADICTED.1, opposing as f64),
        );
        rationale.push_str(&format!("; the opposite was said {}", counted(opposing, "time")));
    }
    let mut inputs: Vec<Input> = Vec::new();
    for mention in supporting.iter().rev() {
        let input = Input { id: mention.id, role: "statement" };
        if inputs.len() < INPUTS_MAX && !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    if let Some(habit) = habit.filter(|_| polarity == Polarity::Like) {
        basis = habit.weigh(basis);
        rationale.push_str(&format!("; {}", habit.in_words()));
        inputs.extend(habit.inputs().take(INPUTS_MAX.saturating_sub(inputs.len())));
    }
    rationale.push('.');
    inputs.sort();
    let domain = key.split('|').next().unwrap_or_default();
    let (name, object) = (object.name.as_str(), object.in_words(article));
    let other = over.map(|over| over.in_words(over.article));
    let text = words(polarity, &object, other.as_deref(), domain == DAYPART);
    let mut payload = payload_of(name, polarity);
    payload.extend(over.map(|over| ("over".to_owned(), Value::from(over.name.as_str()))));
    Some(Candidate {
        claim_type: format!("preference.{domain}"),
        identity_key: format!("preference.{key}"),
        text,
        payload: Value::Object(payload),
        inputs,
        basis,
        rationale,
        valid_from: since.map(When::from_date),
        valid_to: end.map(When::from_date),
        last_seen: None,
        tags: Vec::new(),
    })
}

fn payload_of(name: &str, polarity: Polarity) -> Map<String, Value> {
    let mut payload = Map::new();
    payload.insert("object".to_owned(), Value::from(name));
    payload.insert("polarity".to_owned(), Value::from(polarity.as_str()));
    payload
}

/// Most of the owner's routines, if they are in one part of the day.
struct Habit<'r> {
    part: &'static str,
    routines: Vec<&'r Routine>,
    /// The sum of their confidences.
    weight: f64,
    share: f64,
}

impl<'r> Habit<'r> {
    /// `None` if most of them are elsewhere.
    fn of(part: &'static str, routines: &'r [Routine]) -> Option<Self> {
        let load = |routine: &Routine| routine.confidence * routine.days;
        let all: f64 = routines.iter().map(load).sum();
        let here: Vec<&Routine> =
            routines.iter().filter(|routine| routine.daypart == part).collect();
        let share = round6(here.iter().map(|routine| load(routine)).sum::<f64>() / all);
        let weight = round6(here.iter().map(|routine| routine.confidence).sum());
        (!here.is_empty() && share >= SHARE_MIN).then_some(Self {
            part,
            routines: here,
            weight,
            share,
        })
    }

    fn weigh(&self, basis: Basis) -> Basis {
        basis.with("routines", self.weight, saturating(ROUTINES.0, ROUTINES.1, self.weight)).with(
            "share",
            self.share,
            SHARE * (self.share - SHARE_MIN) / (1.0 - SHARE_MIN),
        )
    }

    fn in_words(&self) -> String {
        let named: Vec<&str> = self
            .routines
            .iter()
            .map(|routine| routine.text.as_str())
            .filter(|text| !text.is_empty())
            .take(3)
            .collect();
        let percent = libm::round(self.share * 100.0);
        let count = counted(self.routines.len(), "routine");
        let part = self.part;
        match named.is_empty() {
            true => format!("{count} in the {part}, {percent} % of all"),
            false => format!("{count} in the {part}, {percent} % of all: {}", named.join("; ")),
        }
    }

    fn inputs(&self) -> impl Iterator<Item = Input> {
        self.routines
            .iter()
            .rev()
            .take(INPUTS_MAX)
            .map(|routine| Input { id: routine.id, role: "routine" })
    }

    fn candidate(self) -> Candidate {
        let part = self.part;
        let mut inputs: Vec<Input> = self.inputs().collect();
        inputs.sort();
        let begins = self.routines.iter().filter_map(|routine| routine.valid_from.as_ref());
        Candidate {
            claim_type: format!("preference.{DAYPART}"),
            identity_key: format!("preference.{DAYPART}|{part}"),
            text: format!("You prefer {part}s"),
            payload: Value::Object(payload_of(part, Polarity::Like)),
            inputs,
            basis: self.weigh(Basis::new(PRIOR)),
            rationale: format!("{}.", self.in_words()),
            valid_from: begins.min_by_key(|begin| (begin.instant_us(), begin.as_str())).cloned(),
            valid_to: None,
            last_seen: None,
            tags: Vec::new(),
        }
    }
}

/// A preference in words, from the data of a claim; none if it is not that of a preference.
pub fn in_words(claim_type: &str, payload: &Value) -> Option<String> {
    let domain = domain_of(claim_type)?;
    let polarity = polarity_of(claim_type, payload)?;
    let object = payload.get("object")?.as_str()?;
    let over = payload.get("over").and_then(Value::as_str);
    Some(words(polarity, object, over, domain == DAYPART))
}

/// Whether a preference is for or against its object, from the data of a claim; none if it is not
/// that of a preference.
pub fn polarity_of(claim_type: &str, payload: &Value) -> Option<Polarity> {
    domain_of(claim_type)?;
    match payload.get("polarity")?.as_str()? {
        "like" => Some(Polarity::Like),
        "dislike" => Some(Polarity::Dislike),
        _ => None,
    }
}

fn domain_of(claim_type: &str) -> Option<&str> {
    claim_type.strip_prefix("preference.")
}

fn words(polarity: Polarity, object: &str, over: Option<&str>, is_daypart: bool) -> String {
    match (polarity, over) {
        (Polarity::Like, Some(other)) => format!("You prefer {object} to {other}"),
        (Polarity::Like, None) if is_daypart => format!("You prefer {object}"),
        (Polarity::Like, None) => format!("You like {object}"),
        (Polarity::Dislike, _) => format!("You do not like {object}"),
    }
}
