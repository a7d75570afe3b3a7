//! What somebody says is over, is new, or has one of at a time by its kind: "I am no longer a
//! vegetarian", "We changed dentists", "I switched to Helix", "Emil turned eight".

use super::status::{MARITAL, MARITAL_VALUES};
use super::tools::kind_of_tool;
use super::{
    AGE, ATTRIBUTE_WORDS_MAX, AUXILIARIES, AttributeStatement, Clause, HOME, NUMBERS, OWNER, TIMES,
    VALUE_ENDS, ValueSort, WORK, has_one_at_a_time, is_proper, number, sort_of,
};
use crate::statements::{Break, Word};

/// The attribute of what somebody is.
pub(super) const BEING: &str = "being";
/// How the attribute of what somebody likes, or does again and again, begins.
pub(super) const DOING: &str = "doing/";
/// The attribute of which car somebody drives.
pub(super) const DRIVING: &str = "doing/drive";
/// Its verbs, as they follow "I", "he" and "stopped".
const HABITS: [(&str, &[&str]); 9] = [
    ("drink", &["drink", "drinks", "drinking"]),
    ("drive", &["drive", "drives", "driving"]),
    ("eat", &["eat", "eats", "eating"]),
    (
        "like",
        &["like", "likes", "liking", "love", "loves", "loving", "enjoy", "enjoys", "enjoying"],
    ),
    ("play", &["play", "plays", "playing"]),
    ("smoke", &["smoke", "smokes", "smoking"]),
    ("take", &["take", "takes", "taking"]),
    ("use", &["use", "uses", "using"]),
    ("wear", &["wear", "wears", "wearing"]),
];
/// Words with which these verbs mean something else: "takes place".
const NOT_DONE: [&str; 8] = ["care", "it", "over", "part", "place", "that", "time", "to"];
/// Words after a car that leave it the only one.
const AFTER_CAR: [&str; 5] = ["again", "and", "because", "now", "since"];
/// Words by which something is so besides what was before.
const BESIDES: [&str; 2] = ["also", "too"];
/// Most words of what somebody is.
const BEING_WORDS_MAX: usize = 3;
const TO_BE: [&str; 3] = ["am", "are", "is"];
/// Words between "am" and what somebody is.
const ADVERBS: [&str; 6] = ["actually", "also", "finally", "now", "officially", "still"];
const ARTICLES: [&str; 3] = ["a", "an", "the"];
/// Words with which nothing begins that somebody is.
#[rustfmt::skip]
const NOT_BEINGS: [&str; 22] = [
    "about", "afraid", "allowed", "as", "at", "because", "back", "being", "by", "doing", "done",
    "from", "glad", "here", "in", "not", "off", "on", "sorry", "sure", "there", "up",
];

/// What is changed, in the plural, and the attribute.
const CHANGED: [(&str, &str); 16] = [
    ("accountants", "accountant"),
    ("banks", "bank"),
    ("bosses", "boss"),
    ("dentists", "dentist"),
    ("doctors", "doctor"),
    ("employers", WORK),
    ("gps", "gp"),
    ("gyms", "gym"),
    ("jobs", WORK),
    ("landlords", "landlord"),
    ("managers", "manager"),
    ("numbers", "number"),
    ("schools", "school"),
    ("surgeries", "doctor"),
    ("therapists", "therapist"),
    ("vets", "vet"),
];

impl Clause<'_, '_, '_> {
    /// `I am no longer a vegetarian`, `we don't live in Leeds anymore`; also what somebody is.
    pub(super) fn state(mut self) -> Option<AttributeStatement> {
        let is_contracted = matches!(self.lower(0), "i'm" | "we're");
        let has_contracted = matches!(self.lower(0), "i've" | "we've");
        let subject = self.subject()?;
        let is_since_now = self.begins_with_now();
        let has_been =
            (has_contracted || self.skip_all(&["have", "has"])) && self.next_is(&["been"]);
        self.skip(usize::from(has_been));
        let is_denied = self.skip_all(&["isn't", "aren't"]);
        let is_being = is_contracted || has_been || is_denied || self.skip_all(&TO_BE);
        let is_besides = self.words.iter().any(|word| BESIDES.contains(&word.lower.as_ref()));
        self.skip_all(&ADVERBS);
        let has_stopped = self.skip_all(&["stopped", "quit"]);
        let mut has_ended = has_stopped || self.next_is(&["no"]) && self.lower(1) == "longer";
        self.skip(if has_ended && !has_stopped { 2 } else { 0 });
        let is_anymore = match self.words {
            [.., any, more] if any.lower == "any" && more.lower == "more" => 2,
            [.., last] if last.lower == "anymore" => 1,
            _ => 0,
        };
        self.words = self.words.get(..self.words.len() - is_anymore)?;
        if !has_ended && is_anymore > 0 {
            has_ended = is_denied || self.next_is(&["not", "don't", "doesn't"]);
            self.skip(usize::from(has_ended && !is_denied));
        }
        // A denial by itself changes nothing: it may correct something.
        let is_denial = is_being && !has_ended && (is_denied || self.next_is(&["not"]));
        self.skip(usize::from(is_denial && !is_denied));
        let verb = self.lower(0).to_owned();
        let habit = HABITS.iter().find(|(_, verbs)| verbs.contains(&verb.as_str()));
        if let Some((habit, _)) = habit.filter(|_| !is_being) {
            let done = self.does(subject, habit, has_ended);
            return done.map(|done| AttributeStatement {
                is_change: done.has_ended || !is_besides && (done.is_change || is_since_now),
                ..done
            });
        }
        if has_stopped {
            return None;
        }
        let (attribute, prepositions): (&str, &[&str]) = match verb.as_str() {
            "live" | "lives" | "living" if has_ended => (HOME, &["in", "at"]),
            "work" | "works" | "working" | "employed" if has_ended => (WORK, &["at", "for", "by"]),
            _ if is_being => {
                self.skip_all(&ARTICLES);
                (BEING, &[])
            }
            _ => return None,
        };
        if attribute != BEING {
            self.skip(1);
            self.takes(prepositions)?;
        }
        let (value, is_now) = self.value(&NOT_BEINGS)?;
        let is_time = value.split(' ').any(|word| TIMES.contains(&word.to_lowercase().as_str()));
        if attribute == BEING && is_time {
            return None;
        }
        let is_long = value.split(' ').count() > BEING_WORDS_MAX;
        if attribute == BEING && (is_long || value.contains(char::is_numeric)) {
            return None;
        }
        let is_marital = attribute == BEING && MARITAL_VALUES.contains(&value.as_str());
        let attribute = if is_marital { MARITAL } else { attribute };
        let is_again = self.words.iter().any(|word| word.lower == "again");
        let is_now = (is_now || is_since_now) && !is_besides;
        Some(AttributeStatement {
            is_change: has_ended || !is_denial && (is_now || is_again),
            has_ended: has_ended || is_denial,
            ..AttributeStatement::of(subject, attribute, value)
        })
    }

    /// Whether "now" is among the words around the verb: "is now a", "now uses".
    pub(super) fn begins_with_now(&self) -> bool {
        self.words.iter().take(2).any(|word| word.lower == "now")
    }

    /// `smokes`, `use Jira for tickets`: what somebody does, behind the subject.
    fn does(mut self, subject: String, habit: &str, has_ended: bool) -> Option<AttributeStatement> {
        self.skip(1);
        if self.next_is(&NOT_DONE) {
            return None;
        }
        self.skip_all(&ARTICLES);
        let is_whole =
            self.words.is_empty() || self.next_is(&["last", "this", "today", "yesterday"]);
        if habit == "smoke" && is_whole {
            // Who quit smoking smokes nothing.
            let value = if has_ended { "" } else { habit };
            return Some(AttributeStatement {
                is_change: has_ended,
                has_ended,
                ..AttributeStatement::of(subject, format!("{DOING}{habit}"), value.to_owned())
            });
        }
        let (value, is_now) = self.value(&NOT_BEINGS)?;
        // "Drives a Skoda in winter now" leaves what is driven otherwise.
        let after = self.words.get(value.split(' ').count()..).unwrap_or_default();
        let is_end = |word: &Word<'_>| {
            word.before != Break::None || AFTER_CAR.contains(&word.lower.as_ref())
        };
        let is_whole = value.split(' ').all(is_proper) && after.first().is_none_or(is_end);
        let tool = kind_of_tool(&value.to_lowercase()).filter(|_| habit == "use");
        let attribute = tool.map_or_else(|| format!("{DOING}{habit}"), str::to_owned);
        let scope = match habit {
            "use" => self.scope_after(&value),
            "drive" => self.scope_after(&value).or_else(|| {
                let words: Vec<&str> = after.iter().map(|word| word.lower.as_ref()).collect();
                (!is_whole && !has_ended).then(|| words.join(" "))
            }),
            _ => None,
        };
        Some(AttributeStatement {
            is_change: has_ended || is_now,
            has_ended,
            scope,
            ..AttributeStatement::of(subject, attribute, value)
        })
    }

    /// `We changed dentists`: the one before is over, and nobody says who is next.
    pub(super) fn changed_one(mut self) -> Option<AttributeStatement> {
        let subject = self.subject()?;
        self.skip_all(&["have", "has", "just", "recently", "also", "finally"]);
        self.takes(&["changed", "switched"])?;
        let is_end = |word: Option<&Word<'_>>| {
            word.is_none_or(|word| {
                word.before != Break::None || VALUE_ENDS.contains(&word.lower.as_ref())
            })
        };
        let attribute = CHANGED.iter().find(|(several, _)| *several == self.lower(0))?.1.to_owned();
        if self.lower(1) == "to" {
            // "I switched banks to Raiffeisen".
            self.skip(2);
            let (value, _) = self.value(&TIMES)?;
            return (sort_of(&value) == ValueSort::Name).then_some(AttributeStatement {
                is_change: true,
                ..AttributeStatement::of(subject, attribute, value)
            });
        }
        is_end(self.words.get(1)).then_some(AttributeStatement {
            is_change: true,
            has_ended: true,
            ..AttributeStatement::of(subject, attribute, String::new())
        })
    }

    /// `Tomas has a new phone number: 1`, `I have a new boss called Ana`.
    pub(super) fn has_new(mut self) -> Option<AttributeStatement> {
        let subject = self.subject()?;
        self.skip_all(&["have", "has", "got", "just", "now", "finally"]);
        self.takes(&["a"])?;
        self.takes(&["new"])?;
        let is_end = |word: &Word<'_>| {
            let is_number = word.before == Break::Comma
                && word.lower.chars().next().is_some_and(char::is_numeric);
            is_number
                || word.before == Break::Colon
                || matches!(word.lower.as_ref(), "called" | "named")
        };
        let end = self.words.iter().take(1 + ATTRIBUTE_WORDS_MAX).position(is_end)?;
        let name: Vec<&str> =
            self.words.get(..end)?.iter().map(|word| word.lower.as_ref()).collect();
        let (attribute, last) = (name.join(" "), *name.last()?);
        self.skip(end);
        self.skip_all(&["called", "named"]);
        let (value, _) = self.value(&[])?;
        let is_change = has_one_at_a_time(last, &value);
        Some(AttributeStatement { is_change, ..AttributeStatement::of(subject, attribute, value) })
    }

    /// `I changed my phone number, it's 1 now`, of a whole sentence.
    pub(super) fn changed_to(mut self) -> Option<AttributeStatement> {
        let subject = self.subject()?;
        self.skip_all(&["have", "has", "just", "recently"]);
        let is_switch = self.next_is(&["switched"]);
        self.takes(&["changed", "switched"])?;
        self.takes(&["my", "his", "her", "our", "their"])?;
        let near = self.words.iter().take(1 + ATTRIBUTE_WORDS_MAX);
        let to = near.take_while(|word| word.before == Break::None).position(|it| it.lower == "to");
        if let Some(to) = to.filter(|to| *to > 0) {
            // "I switched my insurance to Aviva".
            let name = self.words.get(..to)?.iter().map(|word| word.lower.as_ref());
            let attribute = name.collect::<Vec<_>>().join(" ");
            self.skip(to + 1);
            let (value, _) = self.value(&TIMES)?;
            return (sort_of(&value) != ValueSort::Words).then_some(AttributeStatement {
                is_change: true,
                ..AttributeStatement::of(subject, attribute, value)
            });
        }
        if is_switch {
            return None;
        }
        let end =
            self.words.iter().take(1 + ATTRIBUTE_WORDS_MAX).position(|word| {
                matches!(word.before, Break::Comma | Break::Dash | Break::Colon)
            })?;
        let name = self.words.get(..end)?.iter().map(|word| word.lower.as_ref());
        let attribute = name.collect::<Vec<_>>().join(" ");
        self.skip(end);
        if self.next_is(&["it"]) && self.lower(1) == "is" {
            self.skip(2);
        } else {
            self.takes(&["it's"])?;
        }
        self.skip_all(&["now"]);
        let (value, _) = self.value(&[])?;
        (!attribute.is_empty() && sort_of(&value) == ValueSort::Identifier).then_some(
            AttributeStatement {
                is_change: true,
                ..AttributeStatement::of(subject, attribute, value)
            },
        )
    }

    /// `Emil is six years old`, `Emil turned eight`: the later number counts.
    pub(super) fn age(mut self) -> Option<AttributeStatement> {
        let subject = self.subject()?;
        self.skip_all(&AUXILIARIES);
        self.skip_all(&["now"]);
        let has_turned = self.next_is(&["turned"]);
        self.skip(usize::from(has_turned));
        let value = self.words.first()?;
        let is_number = |word: &str| {
            NUMBERS.contains(&word)
                || word.len() < 4 && word.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_age = has_turned || self.lower(1) == "years" && self.lower(2) == "old";
        (is_age && is_number(&value.lower)).then(|| AttributeStatement {
            is_change: true,
            ..AttributeStatement::of(subject, AGE, number(&value.lower))
        })
    }

    /// `My grandma Elsa died in March`: she lives nowhere.
    pub(super) fn died(mut self) -> Option<AttributeStatement> {
        let subject = self.subject()?;
        self.skip_all(&["has", "have", "just", "sadly"]);
        let is_dead =
            self.next_is(&["died"]) || self.next_is(&["passed"]) && self.lower(1) == "away";
        (is_dead && subject != OWNER).then(|| AttributeStatement {
            is_change: true,
            has_ended: true,
            ..AttributeStatement::of(subject, HOME, String::new())
        })
    }

    /// `I left Acme and joined Initech`, `I retired last week`.
    pub(super) fn left(mut self) -> Option<AttributeStatement> {
        let subject = self.subject()?;
        self.skip_all(&["have", "has", "just", "recently", "finally", "also"]);
        let statement = |value: String, has_ended: bool| AttributeStatement {
            is_change: true,
            has_ended,
            ..AttributeStatement::of(subject.clone(), WORK, value)
        };
        if self.next_is(&["retired"]) {
            let next = self.lower(1);
            let is_alone = matches!(next, "" | "in" | "last" | "this" | "today" | "yesterday");
            return is_alone.then(|| statement(String::new(), true));
        }
        let verb = self.lower(0).to_owned();
        self.takes(&["left", "quit", "lost", "resigned"])?;
        let is_job = matches!(self.lower(0), "my" | "his" | "her" | "our" | "their")
            && self.lower(1) == "job";
        self.skip(if is_job { 2 } else { 0 });
        match verb.as_str() {
            "lost" if !is_job => return None,
            "resigned" => self.takes(&["from"])?,
            _ if is_job => {
                if self.words.is_empty() || !self.next_is(&["at", "with"]) {
                    return Some(statement(String::new(), true));
                }
                self.skip(1);
            }
            _ => {}
        }
        let (value, _) = self.value(&TIMES)?;
        if sort_of(&value) != ValueSort::Name || self.is_passing_after(&value) {
            return None;
        }
        self.skip(value.split(' ').count());
        if self.next_is(&["and"]) && self.lower(1) == "joined" {
            self.skip(2);
            let (next, _) = self.value(&TIMES)?;
            // Where somebody worked who left that for this.
            let mut joined = statement(next, false);
            (joined.is_change, joined.instead_of) = (false, Some(value));
            return Some(joined).filter(|joined| sort_of(&joined.value) == ValueSort::Name);
        }
        Some(statement(value, true))
    }
}
