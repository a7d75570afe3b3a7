//! What a thing has one of: when it is, where it is, how much it is.
//!
//! "The party is on 22 November", "The upload limit is 100 MB" and "The office is in Mitte" state a
//! time, an amount and a place of a thing. "The party moved to 29 November", "We raised the upload
//! limit to 200 MB" and "The office is now in Kreuzberg" say that these changed. What states a
//! value is read generously, because it replaces nothing. What says that one changed has to say so
//! by its verb, by "now" or by "new", as a fact: not as a question, a wish, a plan or its denial.

use super::{
    AttributeStatement, FOR_ALL, MONTHS, NOT_NAMED, NOT_YET, TIMES, VALUE_ENDS, WEEKDAYS,
    is_proper, is_year,
};
use crate::statements::{Break, Word};

/// How the subject of a thing's attribute begins.
pub(super) const SUBJECT: &str = "thing/";

/// Most words of the name of a thing.
const NAME_WORDS_MAX: usize = 3;
/// Most words of a value that are read.
const VALUE_WORDS_MAX: usize = 6;
/// Most words between a verb of change and "to".
const FROM_WORDS_MAX: usize = 8;

/// Verbs by which a value has changed.
#[rustfmt::skip]
const CHANGED: [&str; 23] = [
    "bumped", "changed", "cut", "decreased", "delayed", "dropped", "extended", "fell", "increased",
    "lowered", "moved", "postponed", "pulled", "pushed", "raised", "reduced", "relocated",
    "rescheduled", "rose", "shifted", "shortened", "slipped", "switched",
];
/// More verbs after "was" that tell of something that holds.
const MADE: [&str; 5] = ["downgraded", "renamed", "set", "updated", "upgraded"];
/// The same after "decided to".
#[rustfmt::skip]
const TO_CHANGE: [&str; 17] = [
    "bump", "change", "cut", "decrease", "delay", "extend", "increase", "lower", "move", "postpone",
    "push", "raise", "reduce", "relocate", "reschedule", "shift", "switch",
];
/// Words before "to" and such a verb that say that it is done or agreed.
const DECIDED: [&str; 4] = ["agreed", "chose", "decided", "had"];
/// Words in a clause by which it says nothing that holds.
#[rustfmt::skip]
const UNSURE: [&str; 33] = [
    "almost", "asked", "can", "can't", "cannot", "could", "didn't", "hasn't", "haven't", "hope",
    "if", "isn't", "maybe", "might", "nearly", "never", "no", "not", "nothing", "perhaps",
    "propose", "proposed", "should", "suggest", "suggested", "unless", "want", "wanted", "wants",
    "was", "wasn't", "wish", "would",
];
/// Words between a thing and the verb of its statement.
#[rustfmt::skip]
const AUXILIARIES: [&str; 14] = [
    "already", "also", "been", "being", "finally", "got", "had", "has", "have", "is", "just",
    "recently", "was", "were",
];
/// Verbs by which a thing has a value.
#[rustfmt::skip]
const IS: [&str; 9] = [
    "is", "are", "be", "begins", "costs", "happens", "meet", "meets", "starts",
];
/// Verbs of which each is an attribute of its own: a shop opens and closes.
const OCCASIONS: [&str; 5] = ["arrives", "closes", "departs", "leaves", "opens"];
/// Verbs by which people move: "Ana moved to 3 Oak Street".
const OF_PEOPLE: [&str; 4] = ["changed", "moved", "relocated", "switched"];
/// Words between such a verb and the value.
#[rustfmt::skip]
const BEFORE_VALUE: [&str; 16] = [
    "around", "at", "by", "currently", "due", "for", "in", "now", "on", "planned", "scheduled",
    "set", "still", "take", "takes", "place",
];
/// Words after a verb of change that belong to it.
const PARTICLES: [&str; 6] = ["again", "back", "down", "forward", "out", "up"];
/// Words before the name of a thing.
const DETERMINERS: [&str; 8] = ["the", "our", "my", "this", "that", "today's", "tomorrow's", "new"];
/// Words at the end of a name that say what its value is.
const WHEN: [&str; 3] = ["date", "day", "time"];
/// Words before a place that need not be a proper name.
const AT_PLACES: [&str; 8] = ["behind", "beside", "in", "inside", "near", "on", "under", "with"];
/// Words before a place that has no proper name.
const ARTICLES: [&str; 9] = ["a", "an", "her", "his", "my", "our", "the", "their", "your"];
/// What amounts are counted in.
const UNITS: [(&str, &[&str]); 6] = [
    ("length", &["cm", "feet", "ft", "inch", "inches", "km", "m", "metres", "miles", "mm"]),
    ("time", &["days", "hours", "min", "minutes", "months", "seconds", "weeks", "years"]),
    ("mass", &["g", "grams", "kg", "kilos", "lb", "lbs", "tons"]),
    ("data", &["b", "bytes", "gb", "gib", "kb", "kib", "mb", "mib", "tb", "tib"]),
    ("share", &["higher", "less", "lower", "more", "percent"]),
    ("money", &["chf", "dollars", "eur", "euro", "euros", "gbp", "usd"]),
];
/// Times of a day in words.
const CLOCK: [&str; 4] = ["noon", "midnight", "am", "pm"];

/// The kinds of values. A thing may have one of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Day,
    Clock,
    Amount,
    Place,
}

impl ValueKind {
    /// Whose attribute it is: that of any thing.
    pub(super) fn subject(self) -> &'static str {
        match self {
            Self::Day => "thing/day",
            Self::Clock => "thing/clock",
            Self::Amount => "thing/amount",
            Self::Place => "thing/place",
        }
    }
}

/// What a clause states of a thing.
pub(super) fn read(words: &[Word<'_>]) -> Vec<AttributeStatement> {
    if let Some(name) = cancelled(words) {
        let ended = |kind: ValueKind| AttributeStatement {
            is_change: true,
            has_ended: true,
            ..AttributeStatement::of(kind.subject().to_owned(), name.clone(), String::new())
        };
        return [ValueKind::Day, ValueKind::Clock].map(ended).into();
    }
    if let Some((name, value)) = no_longer(words) {
        let ended = |it| AttributeStatement { has_ended: true, ..it };
        return statements(&name, value, true).into_iter().map(ended).collect();
    }
    if let Some((name, value, is_now)) = port(words) {
        return statements(&name, value, is_now && !is_unsure(words));
    }
    let change = || passive(words).or_else(|| active(words)).or_else(|| renewed(words));
    let changed = if is_unsure(words) { None } else { change() };
    if let Some((name, value)) = changed {
        return statements(&name, value, true);
    }
    let is_change = !is_unsure(words) && is_last_now(words);
    stated(words).map_or(Vec::new(), |(name, value)| statements(&name, value, is_change))
}

/// `the spare key is no longer under the pot`.
fn no_longer<'s, 't>(words: &'s [Word<'t>]) -> Option<(String, &'s [Word<'t>])> {
    let is = (1..words.len()).find(|at| lower(words, *at) == "is")?;
    let is_over = lower(words, is + 1) == "no" && lower(words, is + 2) == "longer";
    let name = name_before(words, is).filter(|_| is_over)?;
    Some((name, after_is(words, is + 3)?))
}

/// Whether the end of a clause says that it is so since now: "… is in class 4b now".
fn is_last_now(words: &[Word<'_>]) -> bool {
    let last = words.len().saturating_sub(1);
    match lower(words, last) {
        "now" => !matches!(lower(words, last.saturating_sub(1)), "by" | "for" | "from" | "until"),
        "instead" => true,
        _ => false,
    }
}

/// The name of what takes place no more, or at no known time: `the party is cancelled`, `The
/// concert was called off`, `Launch postponed indefinitely`, `The party won't take place`.
fn cancelled(words: &[Word<'_>]) -> Option<String> {
    if let Some(name) = not_taking_place(words) {
        return Some(name);
    }
    let is_verb = |at: &usize| {
        let (verb, next) = (lower(words, *at), lower(words, at + 1));
        (verb, next) == ("called", "off")
            || CHANGED.contains(&verb) && next == "indefinitely"
            || matches!(verb, "cancelled" | "canceled")
    };
    let verb = (1..words.len()).find(is_verb)?;
    let mut end = verb;
    while end > 0 && AUXILIARIES.contains(&lower(words, end - 1)) {
        end -= 1;
    }
    let is_last = from(words, verb + 1).iter().all(|word| word.lower != "to");
    let is_sure = (0..words.len()).all(|at| {
        let word = lower(words, at);
        word == "was" || !UNSURE.contains(&word)
    });
    // "Meeting cancelled" is a whole note.
    let is_said =
        end < verb || from(words, verb + 1).len() <= usize::from(is_particle(words, verb));
    (is_said && is_last && is_sure).then(|| name_before(words, end)).flatten()
}

fn is_particle(words: &[Word<'_>], verb: usize) -> bool {
    matches!(lower(words, verb + 1), "off" | "indefinitely")
}

/// `the party won't take place`, `The party does not take place`.
fn not_taking_place(words: &[Word<'_>]) -> Option<String> {
    let take = (2..words.len()).find(|at| {
        let (verb, next) = (lower(words, *at), lower(words, at + 1));
        (verb, next) == ("take", "place") || verb == "happen"
    })?;
    let end = match (lower(words, take - 1), lower(words, take - 2)) {
        ("won't" | "doesn't", _) => take - 1,
        ("not", "will" | "does") => take - 2,
        _ => return None,
    };
    let is_whole =
        words.len() <= take + 2 || from(words, take + 2).iter().all(|word| word.lower != "on");
    is_whole.then(|| name_before(words, end)).flatten()
}

/// Whether a sentence is about a part or a while only: "for students", "during the renovation", "in
/// 2015".
pub(super) fn is_narrowed(words: &[Word<'_>]) -> bool {
    // "The deadline for the report was moved to Friday" names a thing.
    let is_value = |at: &usize| {
        let word = lower(words, *at);
        starts_with_digit(word) || is_day(word) || matches!(word, "to" | "until" | "is" | "now")
    };
    let value = (0..words.len()).rfind(is_value).unwrap_or_default();
    let is_narrow = |at: usize| match lower(words, at) {
        "for" if at > 0 && at < value => false,
        "for" => !FOR_ALL.contains(&lower(words, at + 1)) && at + 1 < words.len(),
        "in" => is_year(lower(words, at + 1)),
        _ => false,
    };
    matches!(lower(words, 0), "during" | "until" | "while") || (0..words.len()).any(is_narrow)
}

/// Whether a word leaves it open. "Was" does not before a verb of change, nor the month of May.
pub(super) fn is_unsure(words: &[Word<'_>]) -> bool {
    let is_open = |at: usize| match (lower(words, at), lower(words, at + 1)) {
        ("was", next) => next != "brought" && !CHANGED.contains(&next) && !MADE.contains(&next),
        ("may", next) => {
            matches!(next, "be" | "have" | "get" | "need") || TO_CHANGE.contains(&next)
        }
        (word, _) => UNSURE.contains(&word),
    };
    (0..words.len()).any(is_open)
}

/// Whether a word says that something is planned, or is the case under a condition.
pub(super) fn is_not_yet(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| NOT_YET.contains(&word.lower.as_ref()))
}

pub(super) fn lower<'w>(words: &'w [Word<'_>], at: usize) -> &'w str {
    words.get(at).map_or("", |word| word.lower.as_ref())
}

pub(super) fn from<'s, 't>(words: &'s [Word<'t>], at: usize) -> &'s [Word<'t>] {
    words.get(at..).unwrap_or_default()
}

/// The name of a thing that ends before `end`.
fn name_before(words: &[Word<'_>], end: usize) -> Option<String> {
    let is_part = |at: &usize| {
        let word = lower(words, *at);
        !DETERMINERS.contains(&word) && !NOT_NAMED.contains(&word)
    };
    let is_joined = |at: usize| words.get(at).is_some_and(|word| word.before == Break::None);
    let mut start = end;
    while start > 0
        && end - start < NAME_WORDS_MAX
        && is_part(&(start - 1))
        && (start == end || is_joined(start))
    {
        start -= 1;
    }
    named(words.get(start..end)?)
}

fn named(words: &[Word<'_>]) -> Option<String> {
    // The date of the wedding is when the wedding is.
    let words = match words {
        [name @ .., last] if !name.is_empty() && WHEN.contains(&last.lower.as_ref()) => name,
        _ => words,
    };
    let name: Vec<&str> = words.iter().map(|word| word.lower.as_ref()).collect();
    let has_letter = name.iter().any(|word| word.contains(char::is_alphabetic));
    has_letter.then(|| name.join(" "))
}

/// `the party has moved to Friday`, `The party moved: 29 November`, `The limit is now 200 MB`.
fn passive<'s, 't>(words: &'s [Word<'t>]) -> Option<(String, &'s [Word<'t>])> {
    let is_verb = |at: &usize| match lower(words, *at) {
        "went" | "gone" => matches!(lower(words, at + 1), "down" | "up"),
        "brought" => lower(words, at + 1) == "forward",
        verb => CHANGED.contains(&verb),
    };
    // "Is now", "now meets".
    let is_now = |at: &usize| match lower(words, *at) {
        "now" => has_value(lower(words, at + 1)),
        verb => has_value(verb) && lower(words, at + 1) == "now",
    };
    let verb = (1..words.len()).find(|at| is_verb(at) || is_now(at))?;
    let mut end = verb;
    while end > 0 && AUXILIARIES.contains(&lower(words, end - 1)) {
        end -= 1;
    }
    let name = name_before(words, end)?;
    let name = [verb, verb + 1].into_iter().fold(name, |name, at| of_occasion(name, words, at));
    // "Ana moved to Lisbon" is about a person. The name of a thing has "the" before it, is followed
    // by "now", or is not written in capitals: "Launch date moved to Friday". Nor does a person go
    // up to an amount or move to a day.
    let is_determined = (0..end).any(|at| DETERMINERS.contains(&lower(words, at)));
    let value = match is_now(&verb) {
        true if lower(words, verb) == "now" => after_is(words, verb + 2)?,
        true => after_is(words, verb + 1)?,
        false => after_change(words, verb + 1)?,
    };
    let is_of_thing = |(kind, _): &(ValueKind, String)| match kind {
        ValueKind::Day | ValueKind::Clock => true,
        ValueKind::Amount => !OF_PEOPLE.contains(&lower(words, verb)),
        ValueKind::Place => false,
    };
    let is_thing = is_determined
        || is_now(&verb)
        || !are_all_capital(words, end)
        || values_of(value).iter().any(is_of_thing);
    is_thing.then_some((name, value))
}

fn has_value(verb: &str) -> bool {
    IS.contains(&verb) || OCCASIONS.contains(&verb)
}

/// The name of what is of a thing, with the verb if each verb is of its own: "shop closes".
fn of_occasion(name: String, words: &[Word<'_>], verb: usize) -> String {
    let verb = lower(words, verb);
    if OCCASIONS.contains(&verb) { format!("{name} {verb}") } else { name }
}

/// Whether each word before `end` has a capital, as the name of a person has.
fn are_all_capital(words: &[Word<'_>], end: usize) -> bool {
    words.iter().take(end).all(|word| is_proper(word.text))
}

/// `We raised the upload limit to 200 MB`, `decided to move the party to Friday`.
fn active<'s, 't>(words: &'s [Word<'t>]) -> Option<(String, &'s [Word<'t>])> {
    let is_decided = |at: usize| {
        at == 0 || at > 1 && lower(words, at - 1) == "to" && DECIDED.contains(&lower(words, at - 2))
    };
    let is_verb = |at: &usize| {
        let verb = lower(words, *at);
        let is_done = CHANGED.contains(&verb) || TO_CHANGE.contains(&verb) && is_decided(*at);
        is_done && DETERMINERS.contains(&lower(words, at + 1))
    };
    let verb = (0..words.len()).find(is_verb)?;
    let start = (verb + 1..words.len()).find(|at| !DETERMINERS.contains(&lower(words, *at)))?;
    let is_end = |at: &usize| {
        let word = lower(words, *at);
        matches!(word, "to" | "from" | "until" | "till") || PARTICLES.contains(&word)
    };
    let end = (start..words.len()).find(is_end).filter(|end| end - start <= NAME_WORDS_MAX)?;
    let name = named(words.get(start..end)?)?;
    Some((name, after_change(words, end)?))
}

/// `the new deadline is Friday`, `New deadline: Friday`.
fn renewed<'s, 't>(words: &'s [Word<'t>]) -> Option<(String, &'s [Word<'t>])> {
    let new = (0..words.len().min(2)).find(|at| lower(words, *at) == "new")?;
    let start = new + 1;
    let is_end = |at: &usize| {
        IS.contains(&lower(words, *at))
            || words.get(*at).is_some_and(|word| word.before == Break::Colon)
    };
    let end = (start + 1..words.len()).find(is_end).filter(|end| end - start <= NAME_WORDS_MAX)?;
    let name = named(words.get(start..end)?)?;
    if IS.contains(&lower(words, end)) {
        return Some((name, after_is(words, end + 1)?));
    }
    // "New features: 2" are some more.
    let is_time =
        |(kind, _): &(ValueKind, String)| matches!(kind, ValueKind::Day | ValueKind::Clock);
    let value = after_is(words, end)?;
    values_of(value).iter().any(is_time).then_some((name, value))
}

/// `The API listens on port 8080`: its port, and whether it does "now".
fn port<'s, 't>(words: &'s [Word<'t>]) -> Option<(String, &'s [Word<'t>], bool)> {
    let port = (2..words.len()).find(|at| lower(words, *at) == "port")?;
    let verb = port - 2;
    let is_port =
        matches!(lower(words, verb), "listens" | "runs") && lower(words, port - 1) == "on";
    let is_now = verb.checked_sub(1).is_some_and(|before| lower(words, before) == "now");
    let name = name_before(words, verb - usize::from(is_now)).filter(|_| is_port)?;
    Some((format!("{name} port"), from(words, port + 1), is_now))
}

/// `the party is on 22 November`, `Upload limit: 100 MB`, `Party on 22 November`.
fn stated<'s, 't>(words: &'s [Word<'t>]) -> Option<(String, &'s [Word<'t>])> {
    let is_end = |at: &usize| {
        let is_colon = words.get(*at).is_some_and(|word| word.before == Break::Colon);
        is_colon
            || matches!(lower(words, *at), "on" | "at" | "takes")
            || has_value(lower(words, *at)) && !DETERMINERS.contains(&lower(words, at - 1))
    };
    let end = (1..words.len()).find(is_end)?;
    let name = name_before(words, if lower(words, end) == "be" { end - 1 } else { end })?;
    let name = of_occasion(name, words, end);
    let start = if has_value(lower(words, end)) { end + 1 } else { end };
    Some((name, after_is(words, start)?))
}

/// The value after "is", with its preposition.
fn after_is<'s, 't>(words: &'s [Word<'t>], mut at: usize) -> Option<&'s [Word<'t>]> {
    // The last of these words says what the value is.
    let is_before = |at: usize| BEFORE_VALUE.contains(&lower(words, at));
    while is_before(at) && (is_before(at + 1) || AT_PLACES.contains(&lower(words, at + 1))) {
        at += 1;
    }
    // "Is collected on Mondays".
    let is_participle = |at: usize| {
        let is_verb = lower(words, at).ends_with("ed") || lower(words, at) == "held";
        is_verb && matches!(lower(words, at + 1), "at" | "in" | "on")
    };
    if let Some(verb) = [at, at + 1].into_iter().find(|at| is_participle(*at)) {
        at = verb + 1;
    }
    Some(from(words, at)).filter(|value| !value.is_empty())
}

/// The value after a verb of change: behind "to", "until" or a colon.
fn after_change<'s, 't>(words: &'s [Word<'t>], at: usize) -> Option<&'s [Word<'t>]> {
    let is_to = |at: &usize| matches!(lower(words, *at), "to" | "until" | "till");
    let is_colon = words.get(at).is_some_and(|word| word.before == Break::Colon);
    if is_colon {
        return Some(from(words, at));
    }
    let to = (at..words.len().min(at + FROM_WORDS_MAX)).find(is_to)?;
    let between = words.get(at..to)?;
    let is_from = between.first().is_none_or(|word| {
        matches!(word.lower.as_ref(), "by" | "from") || PARTICLES.contains(&word.lower.as_ref())
    });
    is_from.then(|| from(words, to)).filter(|value| value.len() > 1)
}

/// A statement for each kind of value: "Tuesday at 10:30" is a day and a time of day.
fn statements(name: &str, value: &[Word<'_>], is_change: bool) -> Vec<AttributeStatement> {
    let is_certain =
        |(kind, of): &(ValueKind, String)| !is_change || *kind != ValueKind::Place || is_place(of);
    let values = values_of(value).into_iter().filter(is_certain);
    let statement = |(kind, value): (ValueKind, String)| AttributeStatement {
        is_change,
        ..AttributeStatement::of(kind.subject().to_owned(), name.to_owned(), value)
    };
    values.map(statement).collect()
}

/// Whether a value behind its preposition is a place where something can be now: "in Kreuzberg",
/// "with Ana", "in the shed"; "in good shape" and "behind schedule" are not.
fn is_place(name: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default();
    is_proper(first) || ARTICLES.contains(&first) || numbered(name).is_some()
}

/// The word before the number in "class 4b" and "room 12".
fn numbered(place: &str) -> Option<&str> {
    place.split_once(' ').filter(|(_, number)| starts_with_digit(number)).map(|(kind, _)| kind)
}

/// Whether the values of two statements about one thing can be compared: centimetres replace no
/// years, and a city replaces no school class.
pub(super) fn may_replace(later: &AttributeStatement, earlier: &AttributeStatement) -> bool {
    let is_place = later.subject == ValueKind::Place.subject();
    if is_place && numbered(&later.value) != numbered(&earlier.value) {
        return false;
    }
    let kind = |of: &AttributeStatement| {
        let is_amount = of.subject == ValueKind::Amount.subject();
        is_amount.then(|| kind_of_unit(&of.value)).flatten()
    };
    kind(later).zip(kind(earlier)).is_none_or(|(later, earlier)| later == earlier)
}

/// What an amount is counted in, if that is known.
fn kind_of_unit(amount: &str) -> Option<&'static str> {
    let lower = amount.to_lowercase();
    let words = lower.split(|letter: char| letter.is_whitespace() || letter.is_ascii_digit());
    let mut units = words.map(|word| word.trim_matches(['.', ',']));
    units.find_map(|unit| {
        let is_of = |(_, units): &&(&str, &[&str])| units.contains(&unit);
        UNITS.iter().find(is_of).map(|(kind, _)| *kind)
    })
}

fn values_of(words: &[Word<'_>]) -> Vec<(ValueKind, String)> {
    let (mut day, mut clock): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let preposition = lower(words, 0);
    let is_preposition = AT_PLACES.contains(&preposition)
        || matches!(
            preposition,
            "to" | "at" | "by" | "until" | "till" | "now" | "for" | "set" | "due"
        );
    let value = from(words, usize::from(is_preposition));
    let Some(head) = value.first() else { return Vec::new() };
    let mut at = 0;
    while let Some(word) = value.get(at).filter(|_| at < VALUE_WORDS_MAX) {
        let text = word.lower.as_ref();
        let next = value.get(at + 1);
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number
            && next
                .is_some_and(|next| next.before == Break::Colon && starts_with_digit(&next.lower))
        {
            clock.extend([text, next.map_or("", |next| next.lower.as_ref())]);
            at += 2;
            continue;
        }
        if word.before != Break::None && at > 0 && word.before != Break::Comma {
            break;
        }
        let is_clock = |text: &str| CLOCK.contains(&text);
        if is_clock(text)
            || is_number && next.is_some_and(|next| is_clock(&next.lower))
            || is_hour(text)
        {
            clock.push(text);
        } else if is_day(text) || is_number && next.is_some_and(|next| is_month(&next.lower)) {
            day.push(text);
        } else if starts_with_digit(text) && !day.is_empty() {
            // "November 29", "29 November 2026".
            day.push(text);
        } else if !matches!(text, "at" | "on" | "the" | "of" | "next") {
            break;
        }
        at += 1;
    }
    let mut values = Vec::new();
    if !day.is_empty() {
        values.push((ValueKind::Day, day.join(" ")));
    }
    if !clock.is_empty() {
        values.push((ValueKind::Clock, clock.join(" ")));
    }
    if !values.is_empty() {
        return values;
    }
    let is_end =
        |word: &&Word<'_>| word.before != Break::None || VALUE_ENDS.contains(&word.lower.as_ref());
    let is_end =
        |word: &&Word<'_>| is_end(word) || matches!(word.lower.as_ref(), "now" | "instead");
    let more = from(value, 1).iter().take_while(|word| !is_end(word)).map(|word| word.text);
    let text: Vec<&str> = std::iter::once(head.text).chain(more).take(VALUE_WORDS_MAX).collect();
    if starts_with_digit(head.text) {
        return vec![(ValueKind::Amount, text.join(" "))];
    }
    let is_place = AT_PLACES.contains(&preposition)
        || matches!(preposition, "to" | "at") && is_proper(head.text);
    if is_place { vec![(ValueKind::Place, text.join(" "))] } else { Vec::new() }
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// "10am", "7pm".
fn is_hour(word: &str) -> bool {
    let number = word.strip_suffix("am").or_else(|| word.strip_suffix("pm"));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn is_month(word: &str) -> bool {
    MONTHS.contains(&word)
}

/// A day, a month, or a date in figures.
fn is_day(word: &str) -> bool {
    let is_date = |separator: char| {
        let parts: Vec<&str> = word.split(separator).collect();
        (2..=3).contains(&parts.len())
            && parts.iter().all(|part| {
                (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    // "1.5" is an amount.
    let has_two_dots = word.matches('.').count() == 2;
    TIMES.contains(&word)
        || WEEKDAYS.contains(&word.strip_suffix('s').unwrap_or_default())
        || matches!(word, "today" | "tomorrow" | "tonight")
        || has_two_dots && is_date('.')
        || word.matches('-').count() == 2 && is_date('-')
}

#[cfg(test)]
mod tests {
    use crate::attributes::{AttributeStatement, Speaker, attributes};

    fn read(text: &str) -> Vec<AttributeStatement> {
        attributes(text, Speaker::Owner)
    }

    fn replaces(earlier: &str, later: &str) -> bool {
        read(later).iter().any(|later| read(earlier).iter().any(|earlier| later.replaces(earlier)))
    }

    #[test]
    fn a_thing_that_changed_replaces_what_was_said_of_it() {
        for (earlier, later) in [
            ("The party is on 22 November", "The party moved: 29 November"),
            ("The party is on 22 November at Clara's", "The party was moved to November 29."),
            ("Party on 22 November", "Update: the party has been moved to Friday the 29 November"),
            ("The deadline is Friday", "The deadline has been extended to Monday."),
            ("The deadline is on Friday", "The deadline was moved to 29 November"),
            ("The deadline is 2026-11-20", "They pushed the deadline back to 2026-12-01"),
            ("Deadline: 3 May", "The new deadline is 10 May"),
            ("The review is on Tuesday at 10:30", "The review moved to 11:00"),
            ("Standup is at 9am", "Standup is now at 10am"),
            ("Standup takes place at 9:15", "We moved the standup to 9:30 because of the trains"),
            ("The upload limit is 100 MB", "We raised the upload limit to 200 MB"),
            ("Upload limit: 100 MB", "decided to raise the limit from 100 to 200 MB"),
            ("The rent is 900 euros", "Our landlord increased the rent to 950 euros"),
            ("The office is in Mitte", "The office is now in Kreuzberg"),
            ("The office is in Mitte", "The office moved to Kreuzberg in May"),
            ("The concert is on 3 May", "The concert was postponed until 10 June"),
            ("The wedding is on 12 June 2027", "We changed the wedding date to 19 June 2027"),
            ("The spare key is in the blue bowl", "The spare key is now with Mr Sandhu."),
            ("The rent is 910 euros", "The rent went up to 980 euros."),
            ("The rent is 910 euros", "The rent rose to 980 euros."),
            ("The bin is collected on Mondays.", "The bin is now collected on Thursdays."),
            ("The lesson is on Thursday", "Actually no, the lesson is on Friday."),
            ("The party is on Saturday.", "The party is cancelled."),
            ("The party is on Saturday at 19:00", "The party has been called off."),
            ("The spare key is in the blue bowl", "The spare key is now in the shed."),
            ("The meeting is on Monday", "The meeting was brought forward to Sunday"),
            ("The meeting is on Monday", "The meeting won't take place"),
            ("The meeting is on Monday", "Meeting cancelled"),
            ("The meeting is on Monday", "Correction: the meeting is on Tuesday"),
            ("The meeting is on Monday", "Update: the meeting is on Tuesday"),
            ("The rent is 910 euros", "The rent has gone up to 950 euros."),
            ("The launch is on 1 June", "The launch slipped by two weeks to 15 June"),
            ("The launch is on 1 June", "Launch postponed indefinitely"),
            (
                "The deadline for the report is Friday",
                "The deadline for the report was moved to Monday",
            ),
            ("The deadline for the report is Friday", "We moved the report to Monday for now"),
            ("The spare key is under the pot", "The spare key is no longer under the pot"),
            ("The meeting is on Tuesday", "The meeting is no longer on Tuesday"),
            ("Rent is 1450 CHF", "Rent went up to 1520 CHF"),
            ("Rent is 1450 CHF", "Rent was raised to 1520 CHF"),
            ("Netflix costs 12.99 a month", "Netflix costs 15.99 a month now"),
            ("Netflix costs 12.99 a month", "Netflix now costs 15.99 a month"),
            ("The shop closes at 18:00", "The shop now closes at 17:00"),
            ("The shop closes at 18:00", "The shop closes at 17:00 now"),
            ("Flight LX38 leaves at 10:05", "Flight LX38 now leaves at 12:40"),
            (
                "The meeting with Ana is on Tuesday at 10",
                "The meeting with Ana is on Wednesday instead",
            ),
            ("The meeting is on Tuesday", "Meeting is Thursday, not Tuesday"),
            ("The meeting is on Tuesday", "Meeting moved to Thursday"),
            ("The project deadline is 15 May", "Deadline slipped to 30 May"),
            (
                "The choir meets on Wednesdays at 19:30.",
                "The choir now meets on Thursdays at 20:00.",
            ),
        ] {
            assert!(
                replaces(earlier, later),
                "{earlier:?} {later:?}: {:?} {:?}",
                read(earlier),
                read(later)
            );
            assert!(!replaces(later, earlier), "{later} … {earlier}");
        }
    }

    #[test]
    fn nothing_is_replaced_by_another_thing_another_value_or_what_is_not_certain() {
        for (earlier, later) in [
            ("The party is on 22 November", "The meeting moved to 29 November"),
            ("The party is on 22 November", "The party moved to 22 November"),
            ("The party is on 22 November", "The party moved to Clara's garden"),
            ("The party is on 22 November", "Could the party be moved to 29 November?"),
            ("The party is on 22 November", "If the party moved to 29 November, I could come"),
            ("The party is on 22 November", "The party was almost moved to 29 November"),
            ("The party is on 22 November", "Clara wants to move the party to 29 November"),
            ("The party is on 22 November", "We should move the party to 29 November"),
            ("The party is on 22 November", "The party may be moved to 29 November"),
            ("The party is on 22 November", "The party is on 29 November"),
            ("The party is on 22 November", "Clara moved to Lisbon on 29 November"),
            ("The review is on Tuesday", "The review moved to 11:00"),
            ("The upload limit is 100 MB", "We did not raise the upload limit to 200 MB"),
            ("The upload limit is 100 MB", "The download limit is now 200 MB"),
            ("The upload limit is 100 MB", "The upload limit moved to Friday"),
            ("The office is in Mitte", "The office is now open"),
            ("The office is in Mitte", "I moved the office plants to Kreuzberg"),
            ("The chair is in Mitte", "The chair moved to adjourn"),
            ("The sofa is in Oslo", "The users moved on to other things"),
            ("Emma is 120 cm tall", "Emma is now 7 years old"),
            ("The office is in Mitte", "The office is now in good shape"),
            ("The book is on the shelf", "The book is now on sale"),
            ("The team is in Kiel", "The team went to Oslo."),
            ("The party is on Saturday", "The party is not cancelled."),
            ("The party is on Saturday", "The concert is cancelled."),
            ("The party is on Saturday", "The lesson is on Friday. Actually it rained."),
            ("The office is in Mitte", "The office is now under renovation"),
            ("The pool closes at 20:00", "The pool now opens at 7:00"),
            ("The salary is 3000 euros", "The salary is now 10 % higher"),
            ("The fee is 20 euros", "The fee is now 10 euros for students"),
            ("The fee is 20 euros", "For students the fee is now 10 euros"),
            ("The fee is 20 euros", "The fee was raised to 25 euros for non-members"),
            ("The fee is 20 euros", "The fee was raised to 25 euros in 2015"),
            ("The office is in Mitte", "During the renovation the office is moved to Dachau"),
            ("The spare key is under the pot", "The spare key is no longer under the mat"),
            ("The spare key is under the pot", "The car key is no longer under the pot"),
            ("The spare key is under the pot", "The spare key is not under the pot"),
            ("Rent is 1450 CHF", "Rent went up"),
            ("Rent is 1450 CHF", "Insurance went up to 1520 CHF"),
            ("Rent is 1450 CHF", "Rent may go up to 1520 CHF"),
            ("Rent is 1450 CHF", "Rent should have gone up to 1520 CHF"),
            ("Petra is 30", "Petra moved to 3 Oak Street"),
            ("Netflix costs 12.99 a month", "Netflix costs 15.99 a month"),
            ("Netflix costs 12.99 a month", "Spotify costs 15.99 a month now"),
            ("Netflix costs 12.99 a month", "Netflix now costs 9.99 a month for students"),
            ("The shop closes at 18:00", "The shop closes at 17:00"),
            ("The shop closes at 18:00", "The shop closes at 17:00 for now"),
            ("The shop closes at 18:00", "The shop opens at 9:00 now"),
            ("The shop closes at 18:00", "The museum closes at 17:00 now"),
            ("The shop closes at 18:00", "The shop should close at 17:00 now"),
            ("The meeting with Ana is on Tuesday", "The meeting with Ben is on Friday instead"),
            ("The meeting is on Tuesday", "Should the meeting be on Friday instead?"),
            ("The meeting is on Tuesday", "The meeting could be on Friday instead"),
            ("The meeting is on Tuesday", "Meeting is Thursday, not Wednesday"),
            ("The project deadline is 15 May", "Deadline could slip to 30 May"),
            (
                "The upload limit is 100 MB",
                "The upload limit was raised to 200 MB but we rolled it back",
            ),
        ] {
            assert!(
                !replaces(earlier, later),
                "{earlier:?} {later:?}: {:?} {:?}",
                read(earlier),
                read(later)
            );
        }
    }

    #[test]
    fn any_words_are_read() {
        for text in [
            "",
            ":",
            "moved",
            "the moved to",
            "now is",
            "new",
            "the new :",
            "to to to",
            "set the to",
            "at",
            "on on",
        ] {
            let _ = read(text);
        }
    }
}
