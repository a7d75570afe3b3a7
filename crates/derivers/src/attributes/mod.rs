//! Attributes: what a person or a thing has one of at a time, as far as people state it plainly.
//!
//! "I live in Gothenburg" and, later, "I moved to Oslo" are two statements about one attribute, and
//! the later one replaces the earlier. This module reads such statements and says whether one
//! replaces another. Both have to be about the same person and the same attribute, with different
//! values, and the later one has to *say* that something changed: by its verb ("moved", "started
//! at"), by "now", "changed to", "no longer" or by "new" before something that has a number or an
//! address. A weight needs no such word.
//! Without that, nothing replaces anything: two jobs, two pets, a town and its country can all be
//! true at once.
//!
//! Grammar is not parsed. A clause begins with its subject; a value is a few words to the end of
//! the clause, and a place or an employer is a proper name. So "I moved the meeting to Oslo" and "I
//! moved: the sofa is blue" state nothing. Pronouns of the third person name nobody.

mod ended;
mod things;

use crate::names;
use crate::slug::slug;
use crate::statements::{
    Break, STATEMENT_BYTES_MAX, Sentence, Word, any_word_starts_with, sentence, split,
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

/// The attribute of how heavy somebody is.
const WEIGHT: &str = "weight";

/// Words of which one, or a colon, occurs in every statement that is read, or their beginnings.
#[rustfmt::skip]
const CUES: [&str; 42] = [
    "live", "living", "reside", "residing", "based", "moved", "relocate", "work", "employed", "started", "is", "new",
    "now", "changed", "on ", "at ", "takes", "are", "bump", "cut", "decrease", "delay", "extend",
    "increase", "lower", "postpone", "pulled", "pushed", "raise", "reduce", "reschedule", "shift",
    "switch", "weigh", "am ", "i'm", "we're", "been", "longer", "any", "use", "using",
];
/// Words before the subject that change nothing.
const OPENINGS: [&str; 12] =
    ["also", "btw", "fyi", "hello", "hey", "hi", "news", "oh", "ok", "so", "update", "well"];
/// Words between a subject and its verb that leave the statement true at present.
const AUXILIARIES: [&str; 16] = [
    "actually",
    "already",
    "am",
    "are",
    "both",
    "currently",
    "finally",
    "has",
    "have",
    "is",
    "just",
    "permanently",
    "recently",
    "since",
    "still",
    "temporarily",
];
/// Words after "moved" that are not yet the place.
const MOVING: [&str; 10] = [
    "apartments",
    "away",
    "back",
    "cities",
    "countries",
    "flats",
    "home",
    "house",
    "houses",
    "out",
];
/// Words after "started" that are not yet the employer.
const STARTING: [&str; 6] = ["a", "job", "my", "new", "work", "working"];
/// Words with which a value does not begin.
const NO_VALUES: [&str; 24] = [
    "a", "an", "all", "any", "both", "going", "her", "his", "it", "its", "like", "my", "no", "not",
    "our", "so", "some", "that", "the", "their", "this", "too", "very", "your",
];
/// Words that end a value.
const VALUE_ENDS: [&str; 23] = [
    "after", "again", "and", "as", "at", "because", "before", "but", "by", "during", "for", "from",
    "in", "last", "next", "on", "since", "so", "this", "today", "until", "when", "with",
];
/// Proper names of times, so that "moved to Monday" does not name a place.
#[rustfmt::skip]
const TIMES: [&str; 19] = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march",
    "april", "may", "june", "july", "august", "september", "october", "november", "december",
];
/// Those of whom somebody has one at a time, so that a new one takes the place of the old.
const ONE_AT_A_TIME: [&str; 9] =
    ["boss", "dentist", "doctor", "employer", "gp", "landlady", "landlord", "manager", "therapist"];
/// Numbers and addresses that a note means to be the speaker's.
const OWN_NUMBERS: [&str; 6] = ["address", "e-mail", "email", "mobile", "number", "phone"];
/// Words after the name of something new that say why.
const NEW_FOR: [&str; 5] = ["because", "due", "for", "from", "since"];
/// Words before the name of an attribute by which it is another one than the present.
const OTHERS: [&str; 10] =
    ["first", "former", "future", "last", "next", "old", "other", "previous", "second", "third"];
/// Beginnings of clauses that name nobody.
const NOBODY: [&str; 16] = [
    "he", "she", "it", "they", "you", "this", "that", "there", "who", "what", "where", "if",
    "when", "the", "a", "an",
];

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
}

impl AttributeStatement {
    /// The name of the attribute.
    pub fn attribute(&self) -> &str {
        &self.attribute
    }

    /// "14 Ash Grove" and "Bristol" are homes; what a thing has is of one kind already.
    fn has_values_of_any_sort(&self) -> bool {
        self.attribute == HOME || self.subject.starts_with(things::SUBJECT)
    }

    /// Whether it says that an earlier statement has stopped being true.
    pub fn replaces(&self, earlier: &Self) -> bool {
        let is_of_same =
            self.subject == earlier.subject && is_same(&self.attribute, &earlier.attribute);
        if !self.is_change || !is_of_same {
            return false;
        }
        let has_same_value = slug(&self.value) == slug(&earlier.value);
        match (self.has_ended, earlier.has_ended) {
            (true, true) => false,
            (true, false) => has_same_value || self.value.is_empty(),
            (false, true) => has_same_value,
            // Somebody is many things at a time.
            (false, false) if self.attribute == ended::BEING => false,
            (false, false) => {
                let is_of_sort = self.has_values_of_any_sort()
                    || sort_of(&self.value) == sort_of(&earlier.value);
                is_of_sort && !has_same_value
            }
        }
    }
}

/// Whether two names mean one attribute: "number" after "phone number".
fn is_same(later: &str, earlier: &str) -> bool {
    later == earlier || earlier.strip_suffix(later).is_some_and(|rest| rest.ends_with(' '))
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

/// The attributes that a text states.
pub fn attributes(text: &str, speaker: Speaker<'_>) -> Vec<AttributeStatement> {
    let text = text.get(..text.floor_char_boundary(STATEMENT_BYTES_MAX)).unwrap_or_default();
    let mut found = Vec::new();
    if !text.contains(':') && !any_word_starts_with(text, &CUES) {
        return found;
    }
    for part in text.lines().filter(|line| !line.starts_with(['>', '|'])).flat_map(split) {
        let Some(sentence) = sentence(part.trim_start_matches(['#', '-', '*', ' '])) else {
            continue;
        };
        let is_quote = sentence.last == Break::Quote
            || sentence.words.iter().any(|word| word.before == Break::Quote);
        if sentence.is_question || is_quote {
            continue;
        }
        for clause in clauses(&sentence) {
            match (Clause { words: clause, speaker }).read() {
                Some(statement) => found.push(statement),
                None => found.extend(things::read(clause)),
            }
        }
        if found.len() >= STATEMENTS_MAX {
            break;
        }
    }
    found.truncate(STATEMENTS_MAX);
    found
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
    fn read(mut self) -> Option<AttributeStatement> {
        while self.next_is(&OPENINGS) {
            self.skip(1);
        }
        self.possession()
            .or_else(|| self.changed_one())
            .or_else(|| self.tool())
            .or_else(|| self.relation())
            .or_else(|| self.state())
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
        let (value, is_now) = self.value(&[])?;
        let last = name.last().map_or("", String::as_str);
        let is_one_at_a_time = match sort_of(&value) {
            ValueSort::Identifier => true,
            ValueSort::Name => ONE_AT_A_TIME.contains(&last),
            ValueSort::Words => false,
        };
        is_change |= is_now || is_new && is_one_at_a_time || last == WEIGHT;
        let attribute = name.join(" ");
        (!attribute.is_empty()).then_some(AttributeStatement {
            subject,
            attribute,
            value,
            is_change,
            has_ended: false,
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
        let subject = self.subject()?;
        self.skip_all(&AUXILIARIES);
        let mut is_change = self.skip_all(&["now"]);
        self.skip_all(&AUXILIARIES);
        let verb = self.lower(0).to_owned();
        self.skip(1);
        let attribute = match verb.as_str() {
            "live" | "lives" | "living" | "reside" | "resides" | "residing" | "based" => {
                is_change |= self.skip_all(&["now"]);
                self.takes(&["in", "at"])?;
                HOME
            }
            "moved" | "relocated" => {
                is_change = true;
                self.skip_all(&MOVING);
                if self.words.first()?.before == Break::None {
                    self.takes(&["to"])?;
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
                self.skip_all(&STARTING);
                self.takes(&["at", "with", "for"])?;
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
        let is_change = is_change || is_now;
        let attribute = attribute.to_owned();
        Some(AttributeStatement { subject, attribute, value, is_change, has_ended: false })
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
            return Some(subject);
        }
        if matches!(lower, "lives" | "resides" | "works" | "moved" | "relocated") {
            // A note about the owner, or the speaker's own words without "I".
            return match self.speaker {
                Speaker::Owner | Speaker::Program => Some(OWNER.to_owned()),
                Speaker::Person(_) => self.first_person(),
            };
        }
        if lower == "the" && matches!(self.lower(1), "user" | "owner") {
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

/// A person by name; the owner by any of the owner's names.
fn person(name: &str) -> String {
    if names::is_self(name) { OWNER.to_owned() } else { slug(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaces(earlier: &str, later: &str) -> bool {
        replaces_by((earlier, Speaker::Owner), (later, Speaker::Owner))
    }

    fn replaces_by(earlier: (&str, Speaker<'_>), later: (&str, Speaker<'_>)) -> bool {
        let earlier = attributes(earlier.0, earlier.1);
        let later = attributes(later.0, later.1);
        later.iter().any(|later| earlier.iter().any(|earlier| later.replaces(earlier)))
    }

    #[test]
    fn a_statement_that_something_changed_replaces_an_earlier_one() {
        for (earlier, later) in [
            ("I live in Gothenburg", "I moved: Oslo"),
            ("I live in Gothenburg.", "Big news! I moved to Oslo last week."),
            ("I live in Gothenburg with two cats", "We have moved to Lisbon now"),
            ("lives in Porto", "lives in Lisbon now"),
            ("I'm based in New York", "I've just relocated to San Francisco"),
            ("I moved to Oslo", "I have moved back to Gothenburg"),
            ("I moved: Oslo", "Update: nothing. I'm now living in Bergen"),
            ("My phone number is 1", "my new number is 2"),
            ("My email is ana@example.org", "My email changed to lima@example.org"),
            ("My email is ana@example.org", "My new email is lima@example.org"),
            ("My sister is ill", "My sister is now well"),
            ("My address is Storgata 1", "hey, my new address: Karl Johans gate 41"),
            ("My favourite colour is blue", "My favourite colour is now green"),
            ("My boss is Anna", "my boss is now Ben"),
            ("I work at Acme", "I started at Initech"),
            ("I work for Acme in Oslo", "I have started a new job at Initech"),
            ("I am working at Acme", "I now work for Initech"),
            ("Ana lives in Porto", "Ana has moved to Lisbon"),
            ("My sister lives in Porto", "my sister moved to Lisbon"),
            ("Ana's number is 12", "Ana's new number is 13"),
            ("The user lives in Porto", "I moved to Lisbon"),
            ("I live at 14 Ash Grove, Leeds.", "I moved to Bristol."),
            ("We live in Leeds at 14 Ash Grove.", "We moved to Bristol today."),
            ("My phone number is 111", "New phone number because of the new contract: 461"),
            ("My boss is Imogen Vale.", "My new boss is Farhan Siddiqui."),
            ("I am a vegetarian.", "I am no longer a vegetarian, I suppose: fish is back."),
            ("I'm vegetarian and happy", "I'm not a vegetarian anymore"),
            ("I have been a vegetarian for nine years.", "I am no longer vegetarian."),
            ("I am no longer a vegetarian", "I am a vegetarian again"),
            ("I live in Leeds", "We don't live in Leeds anymore."),
            ("I work at Acme", "I no longer work at Acme"),
            ("My dentist is Dr Weber.", "We changed dentists, the old one retired."),
            ("I work at Acme", "I have changed jobs"),
            ("I weigh 71 kg.", "I weigh 68 kg now."),
            ("I weigh 71 kg at the moment", "I weigh 68 kg"),
            ("My weight is 71 kg", "I weigh about 68 kg"),
            ("My dog weighs 10 kg", "My dog weighs 12 kg"),
            ("I use Neovim for everything", "I switched to Helix"),
            ("My editor is Neovim.", "I have switched from Neovim to Helix."),
            ("We use npm", "We switched to pnpm because it is fast"),
        ] {
            assert!(replaces(earlier, later), "{earlier} … {later}");
            let is_change = attributes(earlier, Speaker::Owner).iter().any(|said| said.is_change);
            assert!(!replaces(later, earlier) || is_change, "{later} … {earlier}");
        }
    }

    #[test]
    fn what_is_about_something_else_or_says_no_change_replaces_nothing() {
        for (earlier, later) in [
            ("I live in Gothenburg", "I moved the meeting to Oslo"),
            ("I live in Gothenburg", "I moved: the sofa is blue"),
            ("I live in Gothenburg", "I moved to the next chapter"),
            ("I live in Gothenburg", "We moved to Monday"),
            ("I live in Gothenburg", "I was moved to tears"),
            ("I live in Gothenburg", "If I moved to Oslo, I would miss you"),
            ("I live in Gothenburg", "Have I moved to Oslo?"),
            ("I live in Gothenburg", "Ben said: I moved to Oslo"),
            ("I live in Gothenburg", "Ben: I moved to Oslo"),
            ("I live in Gothenburg", "She said \"I moved to Oslo\""),
            ("I live in Gothenburg", "He moved to Oslo"),
            ("I live in Gothenburg", "Ben moved to Oslo"),
            ("I live in Gothenburg", "I moved to Gothenburg"),
            ("I live in Gothenburg", "I live in Sweden"),
            ("I live in Gothenburg", "The team moved to Oslo"),
            ("I live in Gothenburg", "My sister moved to Oslo"),
            ("I work at Acme", "I work at Initech"),
            ("I work at Acme", "I started at seven"),
            ("I work at Acme", "I started running in Oslo"),
            ("My cat is Tom", "My cat is Mia"),
            ("My cat is Tom", "My new cat is Mia"),
            ("My cat is Tom", "My other cat is now Mia"),
            ("My phone number is 1", "Ana's new number is 2"),
            ("Ana's number is 1", "Ben's new number is 2"),
            ("My phone number is 1", "my new number is easy to remember"),
            ("My account number is 7", "My new phone number is 8"),
            ("My phone number is 1", "My old number is 2"),
            ("My phone number is 1", "New number for Ana is 2"),
            ("My phone number is 1", "New parts: 2"),
            ("My friend is Tom", "My new friend is Mia"),
            ("I live in Leeds", "I live at 14"),
            ("I am a vegetarian", "I am no longer a smoker"),
            ("I am a vegetarian", "I am a pharmacist now"),
            ("I am a vegetarian", "Ana is no longer a vegetarian"),
            ("I am tired", "I am not sure anymore"),
            ("I live in Leeds", "I no longer live in Porto"),
            ("My dentist is Dr Weber.", "We changed trains"),
            ("My dentist is Dr Weber.", "We changed dentists' opinions"),
            ("I weigh 71 kg", "I weigh too much now"),
            ("I weigh 71 kg", "My sister weighs 60 kg now"),
            ("I use Neovim", "I use Helix"),
            ("I use Firefox", "I switched to Helix"),
            ("I use Neovim", "I switched to tea"),
            ("I live in Leeds", "I moved to Linux"),
        ] {
            assert!(!replaces(earlier, later), "{earlier} … {later}");
        }
    }

    #[test]
    fn the_speaker_says_whose_it_is() {
        let (ana, ben) = (Speaker::Person("Ana"), Speaker::Person("Ben"));
        assert!(replaces_by(("I live in Porto", ana), ("I moved to Lisbon", ana)));
        assert!(replaces_by(("I live in Porto", ana), ("Ana moved to Lisbon", Speaker::Owner)));
        assert!(!replaces_by(("I live in Porto", ana), ("I moved to Lisbon", ben)));
        assert!(!replaces_by(("I live in Porto", Speaker::Owner), ("I moved to Lisbon", ben)));
        let program = Speaker::Program;
        assert!(!replaces_by(("I live in Porto", Speaker::Owner), ("I moved to Lisbon", program)));
        assert!(replaces_by(("lives in Porto", program), ("lives in Lisbon now", program)));
        assert!(replaces_by(
            ("I live in Porto", Speaker::Person("me")),
            ("moved to Lisbon", program)
        ));
    }
}
