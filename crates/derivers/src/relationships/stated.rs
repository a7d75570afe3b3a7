//! Relationships that the owner states: "my sister Ana", "Tom is my boss", "my wife is called
//! Maria".
//!
//! Five patterns, each around "my" and a kind:
//! 1. `my [adjective] <kind> <Name>`, also `my sister, Ana,` and `my sister (Ana)`; in the plural
//!    `my friends Tom and Jo`;
//! 2. `my <kind> is called|named <Name>`, `my <kind>'s name is <Name>`;
//! 3. `<Name>, my <kind>,` and `<Name> (my <kind>)`;
//! 4. `<Name> is my <kind>`; "not" denies it, and "no longer", "not … any more", "was" and "my
//!    ex-" say that it is over, as "we broke up" does of couples;
//! 5. `my new <kind> is <Name>` ([`introduced`](super::introduced)).
//!
//! Of the first, the words around it may say that it is over ([`parted`](super::parted)).
//!
//! A name is one to six capitalised words (or words in a script without capitals). "My sister is
//! German" has no name, which is why plain `is` after the kind does not match. Lists of people look
//! like pattern 3 and are skipped, and so is a name before its noun
//! ([`followers`](super::followers)).

use super::followers::is_before_its_noun;
use super::introduced::introduced;
use super::kinds;
use super::parted::{is_over_after, is_over_before};
use crate::entities::ORGANIZATION_WORDS;
use crate::names::{Person, person};
use crate::statements::{Break, OwnWords, Sentence, any_word_starts_with, sentences};

/// Most statements of one record.
pub(super) const STATEMENTS_MAX: usize = 32;

/// One stated relationship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) kind: &'static str,
    pub(super) person: Person,
    /// Whether it is denied: it never was so.
    pub(super) is_denial: bool,
    /// Whether it is over: "no longer my boss", "my ex-husband", "Max and I broke up".
    pub(super) is_end: bool,
    /// Whether it is the point of the sentence, rather than mentioned in passing.
    pub(super) is_outright: bool,
    /// Whether the person is "my new boss".
    pub(super) is_new: bool,
}

/// A sentence with one of these may be about a fictional person.
#[rustfmt::skip]
const HYPOTHETICAL: [&str; 16] = [
    "imagine", "imaginary", "pretend", "suppose", "supposing", "hypothetically", "hypothetical", "wish", "dreamed",
    "dreamt", "novel", "story", "fictional", "character", "placeholder", "example",
];

/// What poems give a kin to, and what nobody is called.
#[rustfmt::skip]
const PERSONIFIED: [&str; 32] = [
    "anger", "anxiety", "chaos", "darkness", "death", "depression", "destiny", "earth", "fate", "fear", "fire", "fortune",
    "grief", "history", "hunger", "life", "loneliness", "moon", "nature", "night", "ocean", "pain", "poverty", "sea",
    "silence", "sleep", "solitude", "sorrow", "sun", "time", "war", "wind",
];
/// Words of names of places where people work, beside those of organizations.
const INSTITUTIONS: [&str; 4] = ["Clinic", "Practice", "School", "Garage"];
/// Kinds that are also used of things.
pub(super) const METAPHORICAL_KINDS: [&str; 5] =
    ["teacher", "coach", "mentor", "therapist", "doctor"];
/// Longest name, words, with titles.
const NAME_WORDS_MAX: usize = 6;

/// All relationships that the owner states in a record.
pub(super) fn statements(words: OwnWords<'_>) -> Vec<Statement> {
    let is_relevant = |text: &str| {
        any_word_starts_with(text, &["my ", "divorce", "broke up", "split up", "separated"])
    };
    let mut found = Vec::new();
    for sentence in sentences(words, is_relevant) {
        if sentence.has_any(&HYPOTHETICAL) {
            continue;
        }
        if separation(&sentence).is_some() {
            found.extend(separated(&sentence));
            continue;
        }
        for at in 0..sentence.words.len() {
            if sentence.lower(at) == "my" && found.len() < STATEMENTS_MAX {
                read_around(&sentence, at, &mut found);
            }
        }
    }
    found.truncate(STATEMENTS_MAX);
    if !found.is_empty() && words.is_request() {
        found.clear();
    }
    found
}

/// Where a sentence says that people are not a couple any more: "My girlfriend Pia and I split up."
fn separation(sentence: &Sentence<'_>) -> Option<usize> {
    let parts = |at: &usize| match sentence.lower(*at) {
        "break" | "broke" | "broken" | "split" | "splitting" => sentence.lower(at + 1) == "up",
        "divorced" | "divorcing" | "separated" => true,
        _ => false,
    };
    (0..sentence.words.len()).find(parts)
}

/// The ends of what the owner and somebody were to one another: "Max and I broke up", "I got
/// divorced from Markus", "I broke up with Max".
fn separated(sentence: &Sentence<'_>) -> Vec<Statement> {
    let Some(verb) = separation(sentence) else { return Vec::new() };
    let is_over = matches!(sentence.lower(verb), "broke" | "divorced" | "separated" | "split");
    if !is_over || sentence.is_question || sentence.has_any(&super::successors::DOUBTS) {
        return Vec::new();
    }
    let is_owner = |at: &usize| matches!(sentence.lower(*at), "i" | "i've" | "we" | "we've");
    let Some(owner) = (0..verb).find(is_owner) else { return Vec::new() };
    let before = owner
        .checked_sub(1)
        .filter(|and| sentence.lower(*and) == "and")
        .and_then(|and| name_until(sentence, and, Edge::Any));
    let after = || {
        let next = verb + 1 + usize::from(sentence.lower(verb + 1) == "up");
        let is_before = matches!(sentence.lower(next), "from" | "with");
        name_at(sentence, next + usize::from(is_before)).map(|(person, _)| person)
    };
    let Some(person) = before.or_else(after) else { return Vec::new() };
    let end = |kind: &&'static str| Statement {
        kind,
        person: person.clone(),
        is_denial: false,
        is_end: true,
        is_outright: true,
        is_new: false,
    };
    kinds::COUPLES.iter().map(end).collect()
}

/// The kinds of whom somebody who is not named is one no more: "we got divorced".
pub(super) fn ended_kinds(sentence: &Sentence<'_>) -> &'static [&'static str] {
    let is_named = || !separated(sentence).is_empty();
    let Some(verb) = separation(sentence) else { return &[] };
    let is_owner = |at: usize| matches!(sentence.lower(at), "i" | "i've" | "we" | "we've");
    let are_others = (0..verb).any(|at| capitalised(sentence, at));
    if !(0..verb).any(is_owner) || are_others || sentence.is_question || is_named() {
        return &[];
    }
    match sentence.lower(verb) {
        "divorced" => &["husband", "spouse", "wife"],
        "broke" | "split" if verb + 2 >= sentence.words.len() => &["boyfriend", "girlfriend"],
        _ => &[],
    }
}

/// "My uncle Bo died in May": the words after a name say that the person has died.
fn is_of_the_dead(sentence: &Sentence<'_>, end: usize) -> bool {
    let mut at = end;
    while matches!(sentence.lower(at), "who" | "has" | "had" | "sadly" | "recently" | "just") {
        at += 1;
    }
    matches!(sentence.lower(at), "died" | "passed" | "dies")
        && (sentence.lower(at) != "passed" || matches!(sentence.lower(at + 1), "away" | "on"))
}

/// A kind of person after a "my": "my former boss".
struct Relative {
    kind: &'static str,
    is_several: bool,
    /// "my boss's".
    is_possessive: bool,
    /// "my ex-husband", "my former boss".
    is_over: bool,
    /// The index of its noun.
    noun: usize,
}

/// The kind of person that follows the "my" at `at`.
fn relative_after(sentence: &Sentence<'_>, at: usize) -> Option<Relative> {
    let mut noun = at + 1;
    while (kinds::ADJECTIVES.contains(&sentence.lower(noun)) || sentence.lower(noun) == "former")
        && noun < at + 3
    {
        noun += 1;
    }
    let word = sentence.words.get(noun)?;
    let (term, is_possessive) = match word.lower.strip_suffix("'s") {
        Some(term) => (term, true),
        None => (word.lower.as_ref(), false),
    };
    let is_former = (at + 1..noun).any(|word| sentence.lower(word) == "former");
    let (term, is_over) = match term.strip_prefix("ex-") {
        Some(term) => (term, true),
        None => (term, is_former),
    };
    // A capital occurs in headings, where the next word is capitalised too and may not be a name.
    let is_heading = word.text.chars().next().is_some_and(char::is_uppercase);
    let is_together = (at + 1..=noun)
        .all(|index| sentence.words.get(index).is_some_and(|word| word.before == Break::None));
    let (kind, is_several) = kinds::kind(term).filter(|_| !is_heading && is_together)?;
    Some(Relative { kind, is_several, is_possessive, is_over, noun })
}

/// Reads the words around the "my" at `at`.
fn read_around(sentence: &Sentence<'_>, at: usize, found: &mut Vec<Statement>) {
    let Some(relative) = relative_after(sentence, at) else { return };
    let Relative { kind, is_several, is_possessive, is_over, noun } = relative;
    let is_over = is_over || is_over_before(sentence, kind, at);
    // "Anna is my boss now", "Anna is now my boss".
    let is_now = sentence.lower(noun + 1) == "now" && sentence.after(noun) == Break::None
        || at.checked_sub(1).is_some_and(|before| sentence.lower(before) == "now");
    let is_new = is_now || (at + 1..noun).any(|word| sentence.lower(word) == "new");
    let mut state = |person: Person, is_outright: bool, is_denial: bool, is_end: bool| {
        let is_new = is_new && !is_over;
        found.push(Statement { kind, person, is_denial, is_end, is_outright, is_new });
    };
    let mut add = |person: Person, is_outright: bool, is_denial: bool| {
        state(person, is_outright, is_denial, is_over);
    };
    if is_possessive {
        if sentence.lower(noun + 1) == "name"
            && sentence.lower(noun + 2) == "is"
            && let Some((person, _)) = name_at(sentence, noun + 3)
        {
            add(person, true, false);
        }
        return;
    }
    // "My boss at the library is called Ingrid".
    let is_elsewhere = matches!(sentence.lower(noun + 1), "at" | "from" | "in");
    let is = match is_elsewhere {
        true => (noun + 2..noun + 7).find(|at| sentence.lower(*at) == "is"),
        false => Some(noun + 1).filter(|at| sentence.lower(*at) == "is"),
    };
    if let Some(is) = is.filter(|is| matches!(sentence.lower(is + 1), "called" | "named")) {
        if let Some((person, _)) = name_at(sentence, is + 2) {
            add(person, true, false);
        }
        return;
    }
    if let Some(person) = introduced(sentence, at, noun) {
        add(person, true, false);
        return;
    }
    let next = noun + 1;
    match sentence.after(noun) {
        Break::None if is_several => {
            let (people, end) = read_names(sentence, next);
            if !is_before_its_noun(sentence, at, end) {
                people.into_iter().for_each(|person| add(person, false, false));
            }
            return;
        }
        Break::None => {
            if let Some((person, end)) = name_at(sentence, next) {
                // "My brother Leo's car" names him all the same.
                let is_owner = sentence.lower(end - 1).ends_with("'s");
                if !asks_who(sentence, at, end)
                    && !is_of_the_dead(sentence, end)
                    && (is_owner || !is_before_its_noun(sentence, at, end))
                {
                    let is_over = is_over || !is_owner && is_over_after(sentence, kind, end);
                    state(person, false, false, is_over);
                }
                return;
            }
        }
        Break::Comma | Break::Dash if !is_several => {
            if let Some((person, end)) = name_in_apposition(sentence, next)
                && is_closed(sentence, end)
            {
                add(person, false, false);
                return;
            }
        }
        Break::Open if !is_several => {
            if let Some((person, end)) = name_in_apposition(sentence, next)
                && sentence.after(end - 1) == Break::Close
            {
                add(person, false, false);
                return;
            }
        }
        _ => {}
    }
    if is_several || sentence.is_question {
        return;
    }
    if let Some((person, copula, is_outright)) = name_before(sentence, at, noun)
        && let Some(is_end) = ends(sentence, &relative, copula)
    {
        let is_denial = copula == Copula::IsNot && !is_end;
        let is_end = is_over || is_end;
        // "Pain is my teacher": a single word at the start of a sentence may not be a name.
        let is_metaphor = is_outright
            && !is_denial
            && !is_end
            && METAPHORICAL_KINDS.contains(&kind)
            && sentence.lower(0) == person.slug;
        if !is_metaphor {
            state(person, is_outright, is_denial, is_end);
        }
    }
}

/// Whether the verb between a name and "my" says that the relation has ended: "is no longer", "is
/// not … any more", "was". None if it leaves that open: somebody was a mother who is dead, or is
/// one still.
fn ends(sentence: &Sentence<'_>, relative: &Relative, copula: Copula) -> Option<bool> {
    let after = relative.noun + 1;
    match copula {
        Copula::Is => Some(false),
        Copula::IsNoLonger => Some(true),
        Copula::IsNot => Some(
            sentence.lower(after) == "anymore"
                || sentence.lower(after) == "any" && sentence.lower(after + 1) == "more",
        ),
        Copula::Was => kinds::is_succeeded(relative.kind).then_some(true),
    }
}

/// What joins a name and "my" with a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copula {
    Is,
    IsNot,
    IsNoLonger,
    Was,
}

/// "Is my new boss Farid?" asks who it is.
fn asks_who(sentence: &Sentence<'_>, my: usize, end: usize) -> bool {
    sentence.is_question
        && end == sentence.words.len()
        && my.checked_sub(1).is_some_and(|is| matches!(sentence.lower(is), "is" | "was"))
}

/// `Tom and Jo`, `Tom, Jo and Bea`, and the index after the last name.
fn read_names(sentence: &Sentence<'_>, mut at: usize) -> (Vec<Person>, usize) {
    let mut people = Vec::new();
    let mut last = at;
    let mut is_joined = false;
    while people.len() < 6 {
        let Some((person, end)) = name_at(sentence, at) else { break };
        people.push(person);
        last = end;
        let breaks = sentence.words.get(end).map_or(Break::End, |word| word.before);
        at = match (breaks, sentence.lower(end)) {
            (Break::None | Break::Comma, "and") if !is_joined => {
                is_joined = true;
                end + 1
            }
            (Break::Comma, _) if !is_joined => end,
            _ => break,
        };
    }
    // Without a final "and", the words after the comma are not a list: "my friends Tom, Berlin".
    if !is_joined {
        people.truncate(1);
    }
    (people, last)
}

/// A name between two separators, the first of which precedes its first word.
fn name_in_apposition(sentence: &Sentence<'_>, at: usize) -> Option<(Person, usize)> {
    name_at(sentence, at).filter(|(_, end)| *end > at)
}

/// Whether an apposition ends before the word at `end`, and is not an item of a list.
fn is_closed(sentence: &Sentence<'_>, end: usize) -> bool {
    let breaks = sentence.after(end.saturating_sub(1));
    match sentence.words.get(end) {
        None => true,
        Some(next) => {
            let is_list = matches!(next.lower.as_ref(), "and" | "or" | "plus")
                || name_at(sentence, end).is_some();
            matches!(breaks, Break::Comma | Break::Dash | Break::Close) && !is_list
        }
    }
}

/// Patterns 3 and 4: the name comes before the "my" at `at`.
fn name_before(sentence: &Sentence<'_>, at: usize, noun: usize) -> Option<(Person, Copula, bool)> {
    let breaks = sentence.words.get(at)?.before;
    if matches!(breaks, Break::Comma | Break::Open | Break::Dash) {
        let person = name_until(sentence, at, Edge::Any)?;
        let closed = match breaks {
            Break::Open => sentence.after(noun) == Break::Close,
            _ => is_closed(sentence, noun + 1),
        };
        return closed.then_some((person, Copula::Is, false));
    }
    let continuations = [
        "and", "but", "who", "now", "from", "at", "in", "so", "too", "since", "any", "anymore",
        "again", "because", "until",
    ];
    if breaks != Break::None
        || sentence.after(noun) == Break::None && !continuations.contains(&sentence.lower(noun + 1))
    {
        return None;
    }
    let previous = |back: usize| at.checked_sub(back).map_or("", |index| sentence.lower(index));
    let (verb, copula) = match (previous(1), previous(2), previous(3)) {
        ("is", ..) => (at.checked_sub(1)?, Copula::Is),
        ("was", ..) => (at.checked_sub(1)?, Copula::Was),
        ("isn't", ..) => (at.checked_sub(1)?, Copula::IsNot),
        ("not", "is", _) => (at.checked_sub(2)?, Copula::IsNot),
        ("longer", "no", "is") => (at.checked_sub(3)?, Copula::IsNoLonger),
        ("now", "is", _) => (at.checked_sub(2)?, Copula::Is),
        (word, ..) if word.ends_with("'s") => (at, Copula::Is),
        _ => return None,
    };
    let person = name_until(sentence, verb, Edge::Clause)?;
    Some((person, copula, true))
}

/// Where a name that is read backwards may start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Anywhere.
    Any,
    /// At the start of a clause.
    Clause,
}

/// The name that ends before the word at `end`.
fn name_until(sentence: &Sentence<'_>, end: usize, edge: Edge) -> Option<Person> {
    let mut start = end;
    while let Some(index) = start.checked_sub(1)
        && end - index <= NAME_WORDS_MAX
        && sentence.words.get(index).is_some_and(|word| is_name_word(word.text))
    {
        start = index;
        if sentence.words.get(index).is_some_and(|word| word.before != Break::None) {
            break;
        }
    }
    let opening = ["and", "but", "that", "because", "so", "yes", "well", "remember", "since"];
    let first = sentence.words.get(start).filter(|_| start < end)?;
    let previous = start.checked_sub(1).map_or("", |index| sentence.lower(index));
    match edge {
        // A comma before the name: the name is an item of a list.
        Edge::Any
            if first.before == Break::Comma && start > 0 && capitalised(sentence, start - 1) =>
        {
            return None;
        }
        Edge::Clause
            if start > 0 && first.before == Break::None && !opening.contains(&previous) =>
        {
            return None;
        }
        _ => {}
    }
    let (person, found) = name_at(sentence, start)?;
    // A single word at the start of a sentence is capitalised anyway, so words that the lexicon
    // knows are rejected.
    let is_thing = end - start == 1 && crate::preferences::is_known_thing(&first.lower);
    (found == end && !is_thing).then_some(person)
}

fn capitalised(sentence: &Sentence<'_>, index: usize) -> bool {
    sentence.words.get(index).is_some_and(|word| is_name_word(word.text))
}

/// Lower-case words within a name.
#[rustfmt::skip]
pub(crate) const PARTICLES: [&str; 10] = [
    "van", "von", "de", "da", "der", "den", "del", "la", "bin", "al",
];

/// The name that starts at the word `at`, and the index after it.
pub(super) fn name_at(sentence: &Sentence<'_>, at: usize) -> Option<(Person, usize)> {
    let mut words: Vec<&str> = Vec::new();
    let mut end = at;
    while let Some(word) = sentence.words.get(end)
        && words.len() < NAME_WORDS_MAX
        && (end == at || word.before == Break::None)
    {
        let is_particle = !words.is_empty()
            && PARTICLES.contains(&word.text)
            && sentence
                .words
                .get(end + 1)
                .is_some_and(|next| is_name_word(next.text) || PARTICLES.contains(&next.text));
        if !is_particle && !is_name_word(word.text) {
            break;
        }
        end += 1;
        let owner = word.text.strip_suffix("'s").or_else(|| word.text.strip_suffix("’s"));
        words.push(owner.unwrap_or(word.text));
        if owner.is_some() {
            break;
        }
    }
    let is_firm = |word: &&str| ORGANIZATION_WORDS.contains(word) || INSTITUTIONS.contains(word);
    let is_personified = matches!(
        words.as_slice(),
        [only] if PERSONIFIED.contains(&only.to_lowercase().as_str())
    );
    (end > at && !is_personified && !words.iter().any(is_firm)).then_some(())?;
    person(&words.join(" ")).map(|person| (person, end))
}

/// Capitalised words that are not names of people.
#[rustfmt::skip]
pub(crate) const NOT_NAMES: [&str; 72] = [
    "i", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays",
    "wednesdays", "thursdays", "fridays", "saturdays", "sundays", "january", "february", "march", "april", "may",
    "june", "july", "august", "september", "october", "november", "december", "christmas", "easter", "english",
    "german", "french", "italian", "spanish", "dutch", "swedish", "chinese", "japanese", "indian", "american",
    "british", "irish", "scottish", "polish", "russian", "turkish", "god", "he", "she", "it", "this", "that",
    "they", "we", "you", "who", "the", "there", "here", "everyone", "nobody", "whatsapp", "facebook", "instagram",
    "python", "rust", "linux", "excel", "word", "outlook", "today", "tomorrow",
];

fn is_name_word(text: &str) -> bool {
    let text = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text);
    let Some(first) = text.chars().next() else { return false };
    let is_caseless =
        |letter: char| letter.is_alphabetic() && !letter.is_lowercase() && !letter.is_uppercase();
    let is_capitalised = first.is_uppercase() && text.chars().skip(1).any(char::is_lowercase);
    let lower = text.to_lowercase();
    (is_capitalised || is_caseless(first))
        && !lower.starts_with("i'")
        && !lower.starts_with("i’")
        && !NOT_NAMES.contains(&lower.as_str())
}
