//! Attributes: what a person or a thing has one of at a time, as far as people state it plainly.
//!
//! "I live in Gothenburg" and, later, "I moved to Oslo" are two statements about one attribute, and
//! the later one replaces the earlier. This module reads such statements and says whether one
//! replaces another. Both have to be about the same person and the same attribute, with different
//! values, and the later one has to *say* that something changed: by its verb ("moved", "started
//! at"), by "now", "changed to", "no longer" or by "new" before something that has a number or an
//! address. A weight needs no such word, nor does a status such as open or closed, or an assignment
//! of a setting.
//! Without that, nothing replaces anything: two jobs, two pets, a town and its country can all be
//! true at once.
//!
//! Grammar is not parsed. A clause begins with its subject; a value is a few words to the end of
//! the clause, and a place or an employer is a proper name. So "I moved the meeting to Oslo" and "I
//! moved: the sofa is blue" state nothing. Pronouns of the third person name nobody.

mod called;
mod ended;
mod languages;
mod lexicon;
mod people;
mod roles;
mod settings;
mod status;
mod supposed;
mod things;
mod tools;
mod versions;

use std::sync::LazyLock;

use crate::names;
use crate::slug::slug;
use crate::statements::{
    Beginnings, Break, STATEMENT_BYTES_MAX, Sentence, Word, after_correction, sentence, split,
};

pub use lexicon::TIMES;
use lexicon::{
    ANNOUNCING, AUXILIARIES, CORRECTING, CUES, FOR_ALL, HOMES, MONTHS, MOVING, NEW_FOR,
    NO_EMPLOYERS, NO_PLACES, NO_VALUES, NOBODY, NOT_NAMED, NOT_YET, NUMBERS, OF_THE_PAST,
    ONE_AT_A_TIME, OPENINGS, OTHERS, OWN_NUMBERS, PHONES, SPANS, STARTING, VALUE_ENDS, WEEKDAYS,
};

/// Most statements that are read in one text.
const STATEMENTS_MAX: usize = 16;
/// Most words of a name of a person.
const NAME_WORDS_MAX: usize = 3;
/// Most words of the name of an attribute.
const ATTRIBUTE_WORDS_MAX: usize = 3;
/// Most words of a value.
const VALUE_WORDS_MAX: usize = 6;

/// The subject of the owner's statements.
const OWNER: &str = "self";
/// The attribute of where somebody lives.
const HOME: &str = "home";
/// The attribute of where somebody works.
const WORK: &str = "work";

/// The attribute of how old somebody is.
const AGE: &str = "age";
/// The attribute of how heavy somebody is.
const WEIGHT: &str = "weight";

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker<'a> {
    /// The owner of the memory.
    Owner,
    /// A person, by name.
    Person(&'a str),
    /// A program: its "I" is nobody.
    Program,
}

/// What somebody has one of, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeStatement {
    /// Whose it is.
    subject: String,
    /// Which attribute.
    attribute: String,
    /// As written.
    value: String,
    /// Whether it says that something changed.
    is_change: bool,
    /// The value has stopped being true; any value, if it is empty.
    has_ended: bool,
    /// The value that it denies: "on 15 May, not 14 May".
    instead_of: Option<String>,
    /// The purpose or the part it is limited to: "for billing", "in CI".
    scope: Option<String>,
}

impl AttributeStatement {
    /// A statement that something is so, and not that it has changed.
    fn of(subject: String, attribute: impl Into<String>, value: String) -> Self {
        let attribute = attribute.into();
        Self {
            subject,
            attribute,
            value,
            is_change: false,
            has_ended: false,
            instead_of: None,
            scope: None,
        }
    }

    /// The name of the attribute.
    pub fn attribute(&self) -> &str {
        &self.attribute
    }

    /// "14 Ash Grove" and "Bristol" are homes; what a thing has is of one kind already.
    fn has_values_of_any_sort(&self) -> bool {
        self.attribute == HOME || self.subject.starts_with(things::SUBJECT)
    }

    /// Whether its name, by itself, may also be short for that of an earlier one.
    pub fn may_mean(&self, earlier: &Self) -> bool {
        self.subject == earlier.subject
            && sort_of(&self.value) == sort_of(&earlier.value)
            && short_for(&self.attribute, &earlier.attribute).is_some()
    }

    /// Whether it says that an earlier statement has stopped being true.
    pub fn replaces(&self, earlier: &Self) -> bool {
        let is_status = self.subject.starts_with(status::SUBJECT);
        let is_of_same = self.subject == earlier.subject
            && match is_status {
                true => {
                    self.attribute == earlier.attribute
                        && status::excludes(&self.value, &earlier.value)
                }
                false => is_same(&self.attribute, &earlier.attribute),
            };
        // A change of a part leaves the whole, and every other part, as it was.
        let is_of_part = self.scope.is_some() && self.scope != earlier.scope;
        if !is_of_same || is_of_part || !things::may_replace(self, earlier) {
            return false;
        }
        let is_denied = self.instead_of.as_ref().is_some_and(|denied| {
            !earlier.has_ended && slug(without_preposition(&earlier.value)) == slug(denied)
        });
        if is_denied || !self.is_change {
            return is_denied;
        }
        let has_same_value = slug(&self.value) == slug(&earlier.value);
        match (self.has_ended, earlier.has_ended) {
            (true, true) => false,
            (true, false) => has_same_value || self.value.is_empty(),
            (false, true) => has_same_value,
            // Somebody is and does many things at a time, but has one rank and drives one car.
            (false, false) if self.attribute == ended::BEING => {
                people::is_other_rank(&self.value, &earlier.value)
            }
            (false, false) if self.attribute.starts_with(ended::DOING) => {
                let are_names =
                    [self, earlier].iter().all(|it| sort_of(&it.value) == ValueSort::Name);
                self.attribute == ended::DRIVING && are_names && !has_same_value
            }
            (false, false) => {
                let is_of_sort = self.has_values_of_any_sort()
                    || sort_of(&self.value) == sort_of(&earlier.value);
                is_of_sort && !has_same_value
            }
        }
    }
}

/// Whether two names mean one attribute: "number" after "phone number". A number by itself is that
/// of a telephone, and an address that of a house.
fn is_same(later: &str, earlier: &str) -> bool {
    let is_short = short_for(later, earlier).is_some_and(|kind| match later {
        "number" => PHONES.iter().any(|phone| kind.ends_with(phone)),
        "address" => HOMES.contains(&kind),
        _ => true,
    });
    later == earlier || is_short
}

/// What a longer name says before a shorter one: "phone" of "phone number" before "number".
fn short_for<'n>(short: &str, long: &'n str) -> Option<&'n str> {
    // "My boss's boss" is not my boss.
    long.strip_suffix(short)?.strip_suffix(' ').filter(|kind| !kind.ends_with("'s"))
}

/// A number in figures, if it is one of those in words.
fn number(word: &str) -> String {
    let place = NUMBERS.iter().position(|number| *number == word);
    place.map_or_else(|| word.to_owned(), |place| (place + 1).to_string())
}

fn without_preposition(value: &str) -> &str {
    match value.split_once(' ') {
        Some(("on" | "at" | "in" | "the", rest)) => rest,
        _ => value,
    }
}

#[derive(PartialEq, Eq)]
enum ValueSort {
    /// A number or an address.
    Identifier,
    Name,
    Words,
}

fn sort_of(value: &str) -> ValueSort {
    // What lies around an "@" are two words, the second with a full stop in it.
    if value.contains(|letter: char| letter.is_numeric() || letter == '.') {
        ValueSort::Identifier
    } else if is_proper(value) {
        ValueSort::Name
    } else {
        ValueSort::Words
    }
}

fn is_proper(text: &str) -> bool {
    text.chars().next().is_some_and(|letter| letter.is_alphabetic() && !letter.is_lowercase())
}

/// [`CUES`], to be looked for in each sentence.
static BY_LETTER: LazyLock<Beginnings> = LazyLock::new(|| Beginnings::new(&CUES));

/// The attributes that a text states.
pub fn attributes(text: &str, speaker: Speaker<'_>) -> Vec<AttributeStatement> {
    let text = text.get(..text.floor_char_boundary(STATEMENT_BYTES_MAX)).unwrap_or_default();
    let mut found = Vec::new();
    if speaker != Speaker::Program && text.contains('=') {
        found.extend(settings::assignments(text, speaker).into_iter().take(STATEMENTS_MAX));
    }
    if !found.is_empty() {
        return found;
    }
    let lines = text.lines().filter(|line| !line.starts_with(['>', '|']));
    let parts: Vec<&str> = lines.flat_map(split).collect();
    found.extend(languages::read(text, &parts, speaker));
    for part in parts {
        if found.len() >= STATEMENTS_MAX {
            break;
        }
        if !part.contains(':') && !BY_LETTER.are_in(part) {
            continue;
        }
        let part = after_correction(part.trim_start_matches(['#', '-', '*', ' ']));
        let Some(sentence) = sentence(part) else { continue };
        let is_quote = sentence.last == Break::Quote
            || sentence.words.iter().any(|word| word.before == Break::Quote);
        if sentence.is_question || is_quote || supposed::is_supposed(&sentence) {
            continue;
        }
        if has_words(&sentence, &["kidding"]) && !has_words(&sentence, &["no", "kidding"]) {
            continue;
        }
        let first = found.len();
        let mut last = first;
        let whole = Clause { words: &sentence.words, speaker };
        found.extend(whole.changed_to());
        let told = people::without_report(without_opening(&sentence.words));
        found.extend(Clause { words: told, speaker }.left_for().into_iter().flatten());
        // "Sofia has a new number, 1".
        let has_comma = sentence.words.iter().any(|word| word.before == Break::Comma);
        found.extend(has_comma.then(|| whole.has_new()).flatten());
        for clause in clauses(&sentence) {
            if let Some(denied) = denied(clause) {
                for statement in found.iter_mut().skip(last) {
                    statement.instead_of = Some(denied.clone());
                }
                continue;
            }
            last = found.len();
            let clause = people::without_report(without_opening(clause));
            let of_people = Clause { words: clause, speaker }.read();
            if of_people.is_empty() {
                found.extend(things::read(clause));
            }
            found.extend(of_people);
            found.extend(versions::read(clause, speaker));
            found.extend(settings::read(clause, speaker));
            found.extend(status::read(clause, speaker));
            found.extend(called::read(clause, speaker));
        }
        if corrects(&sentence) {
            found.iter_mut().skip(first).for_each(|statement| statement.is_change = true);
        }
        if things::is_narrowed(&sentence.words) {
            let of_things = |it: &&mut AttributeStatement| {
                it.subject.starts_with(things::SUBJECT) && it.scope.is_none()
            };
            let of_things = found.iter_mut().skip(first).filter(of_things);
            of_things.for_each(|statement| statement.is_change = false);
        }
        if is_of_the_past(&sentence) {
            found.iter_mut().skip(first).for_each(|statement| statement.is_change = false);
        }
    }
    found.truncate(STATEMENTS_MAX);
    found
}

/// Whether a sentence has these words, one after the other.
fn has_words(sentence: &Sentence<'_>, wanted: &[&str]) -> bool {
    sentence
        .words
        .windows(wanted.len())
        .any(|words| words.iter().zip(wanted).all(|(word, wanted)| word.lower.as_ref() == *wanted))
}

/// A clause without the word before a colon that announces it: `Update: …`, `Correction: …`.
fn without_opening<'s, 't>(clause: &'s [Word<'t>]) -> &'s [Word<'t>] {
    match clause {
        [first, rest @ ..]
            if ANNOUNCING.contains(&first.lower.as_ref())
                && rest.first().is_some_and(|next| next.before == Break::Colon) =>
        {
            rest
        }
        _ => clause,
    }
}

/// Whether a sentence corrects what was said: "Actually no, the lesson is on Friday", "I was wrong,
/// Kim's birthday is on 13 April".
fn corrects(sentence: &Sentence<'_>) -> bool {
    let begins = |words: &[&str]| {
        words.iter().enumerate().all(|(place, word)| sentence.lower(place) == *word)
    };
    if CORRECTING.iter().any(|words| begins(words)) {
        return true;
    }
    match sentence.lower(0) {
        "actually" | "correction" | "update" => true,
        "no" | "sorry" => sentence.words.get(1).is_some_and(|next| next.before == Break::Comma),
        _ => false,
    }
}

/// Whether a sentence tells of a change that came before what is known, or that was taken back:
/// "In 2010 I moved to Oslo", "Mia got fired, in 2012", "the launch was moved to July, then back to
/// June".
fn is_of_the_past(sentence: &Sentence<'_>) -> bool {
    let is_in_year = |(at, word): (usize, &Word<'_>)| {
        (at == 0 || word.before != Break::None)
            && word.lower == "in"
            && is_year(sentence.lower(at + 1))
    };
    sentence.words.iter().enumerate().any(is_in_year)
        || OF_THE_PAST.iter().any(|words| has_words(sentence, words))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|letter| letter.is_ascii_digit())
}

/// `not 14 May`, after what is right.
fn denied(clause: &[Word<'_>]) -> Option<String> {
    let [not, value @ ..] = clause else { return None };
    let value: Vec<&str> = value.iter().take(VALUE_WORDS_MAX + 1).map(|word| word.text).collect();
    let is_denied = not.lower == "not" && !value.is_empty() && value.len() <= VALUE_WORDS_MAX;
    is_denied.then(|| without_preposition(&value.join(" ")).to_owned())
}

/// The parts of a sentence that begin with a subject of their own. What follows a colon belongs to
/// the part before it: after a name, it is that person's word.
fn clauses<'s, 't>(sentence: &'s Sentence<'t>) -> Vec<&'s [Word<'t>]> {
    let mut clauses = Vec::new();
    let mut start = 0;
    let mut is_open = true;
    for (at, word) in sentence.words.iter().enumerate().skip(1) {
        let joins = matches!(word.lower.as_ref(), "and" | "but" | "so")
            && matches!(
                sentence.lower(at + 1),
                "i" | "i've" | "i'm" | "we" | "we've" | "my" | "our"
            );
        let begins =
            joins || matches!(word.before, Break::Comma | Break::Dash | Break::Open | Break::Close);
        if begins && is_open {
            clauses.extend(sentence.words.get(start..at));
            start = if joins { at + 1 } else { at };
        }
        is_open &= word.before != Break::Colon;
    }
    clauses.extend(sentence.words.get(start..));
    clauses
}

/// A clause that is read word by word.
#[derive(Clone, Copy)]
struct Clause<'s, 't, 'a> {
    words: &'s [Word<'t>],
    speaker: Speaker<'a>,
}

impl Clause<'_, '_, '_> {
    fn read(mut self) -> Vec<AttributeStatement> {
        while self.next_is(&OPENINGS) {
            self.skip(1);
        }
        if self.next_is(&["turns"]) && self.lower(1) == "out" {
            self.skip(2);
        } else if self.next_is(&["it"]) && self.lower(2) == "out" {
            self.skip(3);
        }
        let several = self.several();
        if !several.is_empty() {
            return several;
        }
        let one = self.possession();
        one.or_else(|| self.has_new())
            .or_else(|| self.age())
            .or_else(|| self.died())
            .or_else(|| self.changed_one())
            .or_else(|| self.role_of())
            .or_else(|| self.has_role())
            .or_else(|| self.tool())
            .or_else(|| self.replaced_tool())
            .or_else(|| self.relation())
            .or_else(|| self.left())
            .or_else(|| self.marital_status())
            .or_else(|| self.job_at())
            .or_else(|| self.dismissed())
            .or_else(|| self.promoted())
            .or_else(|| self.in_care_of())
            .or_else(|| self.has())
            .or_else(|| self.state())
            .into_iter()
            .collect()
    }

    fn lower(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.lower.as_ref())
    }

    fn next_is(&self, words: &[&str]) -> bool {
        self.words.first().is_some_and(|word| words.contains(&word.lower.as_ref()))
    }

    fn skip(&mut self, count: usize) {
        self.words = self.words.get(count..).unwrap_or_default();
    }

    /// Skips any of `words`; true if there was one.
    fn skip_all(&mut self, words: &[&str]) -> bool {
        let before = self.words.len();
        while self.next_is(words)
            && self.words.first().is_some_and(|word| word.before == Break::None)
        {
            self.skip(1);
        }
        self.words.len() < before
    }

    /// Who "I" is.
    fn first_person(&self) -> Option<String> {
        match self.speaker {
            Speaker::Owner => Some(OWNER.to_owned()),
            Speaker::Person(name) => Some(person(name)),
            Speaker::Program => None,
        }
    }

    /// `my phone number is 1`, `Ana's new address: …`.
    fn possession(mut self) -> Option<AttributeStatement> {
        let subject = self.possessor()?;
        let mut is_new = false;
        if self.next_is(&OTHERS) {
            return None;
        }
        while self.next_is(&["new", "current", "latest"]) {
            is_new |= self.lower(0) != "current";
            self.skip(1);
        }
        let mut name = Vec::new();
        let mut is_change = false;
        loop {
            let word = self.words.first()?;
            if !name.is_empty() && word.before == Break::Colon {
                break;
            }
            let is_verb = matches!(word.lower.as_ref(), "is" | "changed" | "has");
            if is_verb {
                break;
            }
            if is_new && !name.is_empty() && NEW_FOR.contains(&word.lower.as_ref()) {
                // "New phone number because of the contract: …"
                let is_colon = |word: &Word<'_>| word.before == Break::Colon;
                self.skip(self.words.iter().position(is_colon)?);
                break;
            }
            if word.before != Break::None && !name.is_empty() || name.len() == ATTRIBUTE_WORDS_MAX {
                return None;
            }
            name.push(word.lower.to_string());
            self.skip(1);
        }
        if self.next_is(&["has"]) {
            self.skip(1);
            if !self.next_is(&["changed"]) {
                return None;
            }
        }
        if self.next_is(&["changed"]) {
            self.skip(1);
            is_change = true;
            let is_colon = self.words.first()?.before == Break::Colon;
            if !is_colon && !self.next_is(&["to"]) {
                return None;
            }
            self.skip(usize::from(!is_colon));
        } else if self.next_is(&["is"]) {
            self.skip(1);
        }
        is_change |= self.skip_all(&["now"]);
        self.skip_all(&["called", "named"]);
        let has_ended = self.next_is(&["no"]) && self.lower(1) == "longer";
        self.skip(if has_ended { 2 } else { 0 });
        is_change |= has_ended;
        let (value, is_now) = self.value(&[])?;
        let last = name.last().map_or("", String::as_str);
        is_change |= is_now || is_new && has_one_at_a_time(last, &value) || last == WEIGHT;
        let attribute = match name.as_slice() {
            [before @ .., last]
                if last == "address"
                    && before.iter().all(|kind| HOMES.contains(&kind.as_str()))
                    && !value.contains('.') =>
            {
                HOME.to_owned()
            }
            _ => name.join(" "),
        };
        (!attribute.is_empty()).then_some(AttributeStatement {
            is_change,
            has_ended,
            ..AttributeStatement::of(subject, attribute, value)
        })
    }

    /// `my`, `our`, `Ana's`; nobody's `new phone number:` is the speaker's.
    fn possessor(&mut self) -> Option<String> {
        let first = self.words.first()?;
        if first.lower == "new" {
            let is_colon = |word: &Word<'_>| word.before == Break::Colon;
            let colon = self.words.iter().position(is_colon)?;
            let names = self.words.get(..colon)?.iter();
            let mut names = names.take(1 + ATTRIBUTE_WORDS_MAX);
            let is_own = names.any(|word| OWN_NUMBERS.contains(&word.lower.as_ref()));
            return if is_own { self.first_person() } else { None };
        }
        if matches!(first.lower.as_ref(), "my" | "our") {
            let subject = self.first_person()?;
            self.skip(1);
            return Some(subject);
        }
        let names = self.words.iter().take(NAME_WORDS_MAX);
        let length = 1 + names
            .take_while(|word| is_proper(word.text))
            .position(|word| word.lower.ends_with("'s"))?;
        let name = self.words.get(..length)?.iter().map(|word| word.lower.as_ref());
        let name = name.collect::<Vec<_>>().join(" ");
        self.skip(length);
        Some(person(name.trim_end_matches("'s")))
    }

    /// `I live in Oslo`, `Ana has moved to Lisbon`.
    fn relation(mut self) -> Option<AttributeStatement> {
        let is_plural = self.next_is(&["we", "we've", "we're"]);
        let subject = self.subject()?;
        self.skip_all(&AUXILIARIES);
        let mut is_change = self.skip_all(&["now"]);
        self.skip_all(&AUXILIARIES);
        let verb = self.lower(0).to_owned();
        self.skip(1);
        let attribute = match verb.as_str() {
            "live" | "lives" | "living" | "reside" | "resides" | "residing" | "based" => {
                is_change |= self.skip_all(&["now"]);
                self.skip_dwelling();
                self.takes(&["in", "at"])?;
                HOME
            }
            "moved" | "relocated" => {
                is_change = true;
                self.skip_all(&MOVING);
                if self.next_is(&["into"]) {
                    // "Into a flat in Nice".
                    if !matches!(self.lower(1), "a" | "an" | "my" | "our" | "the") {
                        return None;
                    }
                    let words = self.words.iter().take(1 + VALUE_WORDS_MAX);
                    let place = words.take_while(|word| word.before == Break::None);
                    self.skip(place.clone().position(|word| word.lower == "in")? + 1);
                } else if self.next_is(&["in"]) && self.lower(1) == "with" {
                    // "In with her boyfriend in Basel".
                    self.skip(self.next_of("in")? + 1);
                } else if self.words.first()?.before == Break::None {
                    // "From Leeds to York".
                    if self.next_is(&["from"]) {
                        self.skip(self.next_of("to")?);
                    }
                    self.takes(&["to"])?;
                }
                if self.next_is(&NO_PLACES) {
                    return None;
                }
                HOME
            }
            "work" | "works" | "working" | "employed" => {
                is_change |= self.skip_all(&["now"]);
                self.takes(&["at", "for", "by"])?;
                WORK
            }
            "started" => {
                is_change = true;
                let is_work = self.skip_all(&STARTING);
                self.takes(if is_work { &["at", "with", "for"] } else { &["at"] })?;
                let names = self.words.iter().take(NAME_WORDS_MAX);
                let is_elsewhere = |word: &Word<'_>| NO_EMPLOYERS.contains(&word.lower.as_ref());
                if !is_work && (is_plural || names.clone().any(is_elsewhere)) {
                    return None;
                }
                WORK
            }
            // Somebody has one weight at a time, so the later number counts.
            "weigh" | "weighs" => {
                self.skip_all(&["about", "around", "exactly", "just", "now", "only"]);
                is_change = true;
                WEIGHT
            }
            _ => return None,
        };
        let (value, is_now) = self.value(&TIMES)?;
        if attribute == WEIGHT && !value.starts_with(|first: char| first.is_numeric()) {
            return None;
        }
        // "14 Ash Grove" is where somebody lives, too.
        let is_address = attribute == HOME && value.split(' ').any(is_proper);
        if sort_of(&value) != ValueSort::Name && !is_address && attribute != WEIGHT {
            return None;
        }
        let is_change = (is_change || is_now) && !self.is_passing_after(&value);
        let attribute = attribute.to_owned();
        Some(AttributeStatement { is_change, ..AttributeStatement::of(subject, attribute, value) })
    }

    /// Skips "in a small flat" and "with my parents" before the place.
    fn skip_dwelling(&mut self) {
        let is_dwelling = self.next_is(&["with"])
            || self.next_is(&["in", "at"])
                && matches!(self.lower(1), "a" | "an" | "my" | "our" | "the");
        if let Some(place) = self.next_of("in").filter(|_| is_dwelling) {
            self.skip(place);
        }
    }

    /// Where a word comes next, in the few words after the first.
    fn next_of(&self, wanted: &str) -> Option<usize> {
        let near = self.words.iter().take(1 + VALUE_WORDS_MAX).skip(1);
        let mut near = near.take_while(|word| word.before == Break::None);
        near.position(|word| word.lower == wanted).map(|at| at + 1)
    }

    /// Whether what follows a value says that it held once, or for a while: "in 2010", "when he was
    /// five", "for the summer".
    fn is_passing_after(&self, value: &str) -> bool {
        let rest = self.words.get(value.split(' ').count()..).unwrap_or_default();
        let lower = |at: usize| rest.get(at).map_or("", |word| word.lower.as_ref());
        match lower(0) {
            "in" => is_year(lower(1)),
            "when" | "until" | "once" => true,
            "for" => (1..=4).any(|at| SPANS.contains(&lower(at))),
            "as" => matches!(lower(1), "a" | "an" | "children" | "kids"),
            _ => false,
        }
    }

    /// Whether a year is among the words: "in 2010", "on 5 May 2010".
    fn has_year(&self) -> bool {
        self.words.iter().any(|word| is_year(&word.lower))
    }

    fn takes(&mut self, words: &[&str]) -> Option<()> {
        if !self.next_is(words) {
            return None;
        }
        self.skip(1);
        Some(())
    }

    /// The subject: the speaker, a name, or nobody where a note begins with its verb.
    fn subject(&mut self) -> Option<String> {
        let first = self.words.first()?;
        let lower = first.lower.as_ref();
        if matches!(lower, "i" | "we" | "i'm" | "we're" | "i've" | "we've") {
            let subject = self.first_person()?;
            self.skip(1);
            return Some(subject);
        }
        if matches!(lower, "my" | "our") {
            // "My sister lives in Oslo".
            let subject = format!("{}/{}", self.first_person()?, self.lower(1));
            self.skip(2);
            // "My sister Marta lives in Oslo".
            let is_name = |word: &&Word<'_>| is_proper(word.text) && word.before == Break::None;
            let length = self.words.iter().take(NAME_WORDS_MAX).take_while(is_name).count();
            let name = self.words.get(..length).unwrap_or_default();
            let name = name.iter().map(|word| word.lower.as_ref()).collect::<Vec<_>>().join(" ");
            self.skip(length);
            return Some(if name.is_empty() { subject } else { person(&name) });
        }
        if matches!(lower, "lives" | "resides" | "works" | "moved" | "relocated") {
            // A note about the owner, or the speaker's own words without "I".
            return match self.speaker {
                Speaker::Owner | Speaker::Program => Some(OWNER.to_owned()),
                Speaker::Person(_) => self.first_person(),
            };
        }
        if lower == "the" && matches!(self.lower(1), "user" | "owner") {
            // In the words of somebody else it is some other owner.
            if matches!(self.speaker, Speaker::Person(_)) {
                return None;
            }
            self.skip(2);
            return Some(OWNER.to_owned());
        }
        let is_name =
            |word: &&Word<'_>| is_proper(word.text) && !NOBODY.contains(&word.lower.as_ref());
        let length = self.words.iter().take(NAME_WORDS_MAX).take_while(is_name).count();
        let name = self.words.get(..length).filter(|name| !name.is_empty())?;
        let name = name.iter().map(|word| word.lower.as_ref()).collect::<Vec<_>>().join(" ");
        self.skip(length);
        Some(person(name.trim_end_matches("'s")))
    }

    /// The value to the end of the clause, and whether "now" follows it.
    fn value(&self, refused: &[&str]) -> Option<(String, bool)> {
        let first = self.words.first()?;
        let is_refused = |word: &str| NO_VALUES.contains(&word) || refused.contains(&word);
        if is_refused(first.lower.as_ref()) {
            return None;
        }
        let mut value: Vec<&str> = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            let lower = word.lower.as_ref();
            if lower == "now" && at > 0 {
                return Some((value.join(" "), true));
            }
            if at > 0 && (word.before != Break::None || VALUE_ENDS.contains(&lower)) {
                // "now" may follow where and when.
                let is_now = self.words.last().is_some_and(|last| last.lower == "now");
                return Some((value.join(" "), is_now));
            }
            if value.len() == VALUE_WORDS_MAX {
                return None;
            }
            value.push(word.text);
        }
        Some((value.join(" "), false))
    }
}

/// What follows a value and limits it to a purpose or a part: "for billing", "in CI".
fn scope_of(after: &[Word<'_>]) -> Option<String> {
    let [first, rest @ ..] = after else { return None };
    if first.before != Break::None || !matches!(first.lower.as_ref(), "at" | "for" | "in" | "on") {
        return None;
    }
    let is_end = |word: &Word<'_>| {
        word.before != Break::None
            || VALUE_ENDS.contains(&word.lower.as_ref())
            || matches!(word.lower.as_ref(), "now" | "instead")
    };
    let words = rest.iter().take_while(|word| !is_end(word)).map(|word| word.lower.as_ref());
    let words = words.skip_while(|word| matches!(*word, "a" | "all" | "my" | "our" | "the"));
    let scope: Vec<&str> = words.take(VALUE_WORDS_MAX).collect();
    let head = scope.first()?;
    let is_time =
        TIMES.contains(head) || SPANS.contains(head) || head.starts_with(char::is_numeric);
    (!is_time && !FOR_ALL.contains(head)).then(|| scope.join(" "))
}

/// Whether somebody has one value of an attribute at a time, by the last word of its name.
fn has_one_at_a_time(attribute: &str, value: &str) -> bool {
    match sort_of(value) {
        ValueSort::Identifier => true,
        ValueSort::Name => ONE_AT_A_TIME.contains(&attribute),
        ValueSort::Words => false,
    }
}

/// A person by name; the owner by any of the owner's names.
fn person(name: &str) -> String {
    if names::is_self(name) { OWNER.to_owned() } else { slug(name) }
}

#[cfg(test)]
mod tests;
