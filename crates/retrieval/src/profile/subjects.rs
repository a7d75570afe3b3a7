//! Whom each part of a sentence is about.

use super::table::is_in_list;
use super::tokens::Token;
use super::{KIN, Subject, Voice, names_at};

/// Most words before a colon that say what follows it: "Day job: plumber".
const KEY_WORDS_MAX: usize = 3;
/// Most parts of a sentence that are read.
const PARTS_MAX: usize = 32;
/// Most readings of whom a part is about, or a pronoun.
const SUBJECTS_MAX: usize = 8;

/// Words before a subject: "Well, I …", "Since I …".
#[rustfmt::skip]
const OPENINGS: [&str; 23] = [
    "actually", "as", "because", "btw", "fyi", "hello", "hey", "hi", "no", "oh", "ok", "okay", "ps", "since", "so", "sure", "that",
    "well", "yeah", "yep", "yes", "known", "note",
];
/// Words that begin another part.
const JOINING: [&str; 8] = ["and", "because", "but", "since", "so", "while", "although", "who"];
/// Words for somebody who was named before.
const PRONOUNS: [&str; 6] = ["he", "her", "his", "she", "their", "they"];
/// Words that are about somebody or something that nobody names.
#[rustfmt::skip]
const OTHERS: [&str; 11] = [
    "another", "everybody", "everyone", "it", "its", "somebody", "someone", "that", "there", "this", "you",
];

/// Verbs before the words of somebody else.
#[rustfmt::skip]
const SAYING: [&str; 11] = [
    "answered", "asked", "replied", "said", "say", "says", "shouted", "tells", "told", "writes", "wrote",
];

/// Words with which a note about its owner begins that leaves "I am" out: "Married to Eva".
#[rustfmt::skip]
const WITHOUT_VERB: [&str; 12] = [
    "allergic", "based", "born", "diagnosed", "divorced", "engaged", "from", "married", "prescribed", "raised", "retired",
    "vegetarian",
];

/// A part of a text: whom it may be about, and what follows.
pub(super) type Part = (Subject, Vec<Token>);

/// Reads the sentences of a text, one after the other: "She" is who was named last.
#[derive(Debug)]
pub(super) struct Reading<'q> {
    /// Words of the names of those who are asked about: names also in lower case.
    asked: Vec<&'q str>,
    /// Who was named last.
    named: Vec<Subject>,
}

impl<'q> Reading<'q> {
    /// Of a text that is searched for those with such names.
    pub(super) fn new(asked: Vec<&'q str>) -> Self {
        Self { asked, named: Vec::new() }
    }

    /// The parts of the next sentence, each with its subject and what follows it. A part without a
    /// subject of its own has that of the one before it, and its verb if it has none.
    pub(super) fn parts(&mut self, words: &[Token], voice: Voice<'_>) -> Vec<Part> {
        let mut found = Vec::new();
        let mut current: Vec<(Subject, Option<Token>)> = Vec::new();
        let mut is_after_name = false;
        let all = split(words);
        for (number, part) in all.iter().copied().take(PARTS_MAX).enumerate() {
            // "He said: I am a nurse".
            let before = number.checked_sub(1).and_then(|before| all.get(before));
            if before.is_some_and(|before| is_saying(before))
                && part.first().is_some_and(|first| first.is_after_break)
            {
                break;
            }
            let is_key = all
                .get(number + 1)
                .and_then(|next| next.first())
                .is_some_and(|next| next.is_after_colon && part.len() <= KEY_WORDS_MAX);
            let opening = part.iter().take_while(|word| is_opening(word)).count();
            let part = part.get(opening..).unwrap_or_default();
            let Some(first) = part.first() else { continue };
            let mut own = subjects(part, voice);
            let is_asked = |word: &Token| self.asked.contains(&&*word.text);
            if own.is_empty() && is_asked(first) {
                let capital = Token { is_capital: true, ..first.clone() };
                let part: Vec<Token> = part.iter().skip(1).cloned().collect();
                own = subjects(&[vec![capital], part].concat(), voice);
            }
            if !matches!(beginning(part, &own), Beginning::Name)
                && let Some(place) = own_subject_in(part)
            {
                own.extend(subjects(part.get(place..).unwrap_or_default(), voice));
            }
            if own.is_empty() && PRONOUNS.contains(&&*first.text) {
                own = self.named.iter().flat_map(|named| referring(named, part)).collect();
                if own.is_empty() && voice == Voice::Asker {
                    own = referring(&Subject::Unnamed, part);
                }
            }
            if own.is_empty() && is_of_others(first) {
                current.clear();
                continue;
            }
            if number == 0 && current.is_empty() {
                match beginning(part, &own) {
                    // "Job: plumber".
                    Beginning::Name if is_key => own.extend(without_subject(part, voice)),
                    Beginning::Name => {}
                    // "Rent is 900" may be of a person or a thing.
                    Beginning::Thing => {
                        let thing = without_subject(part, voice);
                        found.extend(thing.into_iter().filter(|(_, words)| is_mine(words)));
                    }
                    Beginning::Note => {
                        // "Harriet's twins are here. Born on 4 December".
                        if WITHOUT_VERB.contains(&&*first.text) {
                            let before = self.named.iter().cloned();
                            own.extend(before.map(|named| (named, with("be", part, 0))));
                        }
                        own.extend(without_subject(part, voice));
                    }
                }
            }
            // "Tom, 34, a nurse from Leeds", "Sven, our lead, works here".
            let is_apposition = number > 0
                && (own.iter().all(|(_, rest)| rest.is_empty())
                    || is_after_name && matches!(&*first.text, "my" | "our"));
            if is_apposition {
                for (subject, verb) in &current {
                    if verb.as_ref().is_none_or(|verb| verb.text == "be") {
                        found.push((subject.clone(), part.to_vec()));
                    }
                    if let Some(verb) = verb {
                        let with_verb = std::iter::once(verb.clone()).chain(part.to_vec());
                        found.push((subject.clone(), with_verb.collect()));
                    }
                }
            }
            for word in part.iter().filter(|word| is_asked(word)) {
                let is_known = |(subject, _): &Part| match subject {
                    Subject::Person(name) => name.contains(&word.text),
                    _ => false,
                };
                if !own.iter().any(is_known) && self.named.len() < SUBJECTS_MAX {
                    self.named.push(Subject::Person(vec![word.text.clone()]));
                }
            }
            if own.is_empty() {
                continue;
            }
            let is_other =
                |subject: &Subject| !matches!(subject, Subject::Asker | Subject::Unnamed);
            let named: Vec<Subject> =
                own.iter().map(|(subject, _)| subject.clone()).filter(is_other).collect();
            if !named.is_empty() && !PRONOUNS.contains(&&*first.text) {
                // "She" may be who was named before, too: "Little Finn (Ada's boy) … he's six".
                if !is_apposition && number == 0 {
                    self.named.clear();
                }
                self.named.extend(named);
                self.named.truncate(SUBJECTS_MAX);
            }
            is_after_name = own.iter().any(|(_, rest)| rest.is_empty());
            // "Ben and Ida (7) came": seven is Ida.
            let is_joined = opening > 0 && is_after_name;
            if !is_apposition || is_joined {
                current.clear();
            }
            // "Tom, a nurse" is a nurse.
            let verb = |rest: &[Token]| match rest.is_empty() {
                true => Some(Token { text: "be".to_owned(), ..first.clone() }),
                false => verb_of(rest),
            };
            // "My brother, 43" is not about me.
            let has_kin = |rest: &[Token]| rest.get(1).is_some_and(|kin| KIN.contains(&&*kin.text));
            let stays = |(_, rest): &&Part| !is_mine(rest) || !has_kin(rest) && !is_apposition;
            let staying = own.iter().filter(stays);
            current.extend(staying.map(|(subject, rest)| (subject.clone(), verb(rest))));
            current.truncate(SUBJECTS_MAX);
            found.extend(own);
        }
        found
    }
}

/// Whether what follows a part is what somebody said: "Ben told me".
fn is_saying(part: &[Token]) -> bool {
    let says = |word: &Token| SAYING.contains(&&*word.text);
    part.last().is_some_and(|last| says(last) || last.text == "me" && part.iter().any(says))
}

/// Where "I" is the subject after a few words: "On Sundays I climb".
fn own_subject_in(part: &[Token]) -> Option<usize> {
    const WORDS_MAX: usize = 4;
    let place = part.iter().take(WORDS_MAX).position(|word| matches!(&*word.text, "i" | "we"))?;
    let before = part.get(..place).unwrap_or_default();
    before
        .iter()
        .all(|word| !matches!(&*word.text, "be" | "have" | "do" | "if" | "when"))
        .then_some(place)
}

/// With what a sentence begins.
enum Beginning {
    /// Somebody, or one's own things.
    Name,
    /// A word that does something: it may be a name, or a thing.
    Thing,
    /// Something else: a capital letter at the beginning need not be that of a name.
    Note,
}

fn beginning(part: &[Token], subjects: &[Part]) -> Beginning {
    #[rustfmt::skip]
    const VERBS: [&str; 14] = [
        "be", "can", "could", "do", "got", "had", "have", "not", "should", "took", "was", "went", "will", "would",
    ];
    let text = |place: usize| part.get(place).map_or("", |word| &*word.text);
    let is_verb = |word: &str| {
        VERBS.contains(&word) || word.len() > 3 && (word.ends_with('s') || word.ends_with("ed"))
    };
    let is_named = matches!(subjects.first(), Some((Subject::Person(_), _)));
    if matches!(text(0), "i" | "my" | "our" | "user" | "we" | "you" | "your")
        || KIN.contains(&text(0))
        || text(1) == "'s"
        || is_named && subjects.iter().all(|(_, rest)| rest.is_empty())
    {
        Beginning::Name
    } else if is_verb(text(1)) && !part.get(1).is_some_and(|word| word.is_capital) {
        Beginning::Thing
    } else {
        Beginning::Note
    }
}

fn is_mine(words: &[Token]) -> bool {
    words.first().is_some_and(|first| first.text == "my")
}

/// "She", "her" and "they" with whom they mean.
fn referring(named: &Subject, part: &[Token]) -> Vec<Part> {
    let Some((first, rest)) = part.split_first() else { return Vec::new() };
    let is_possession = matches!(&*first.text, "her" | "his" | "their");
    let rest = if is_possession { with("my", part, 1) } else { without_be(rest.to_vec()) };
    vec![(named.clone(), rest)]
}

/// A note that leaves out whom it is about is about its owner, or about a thing of theirs: "Moved
/// to Bern", "Rent is 900".
fn without_subject(part: &[Token], voice: Voice<'_>) -> Vec<Part> {
    let Some(subject) = speaker(voice) else { return Vec::new() };
    let text = part.first().map_or("", |first| &*first.text);
    let mut found = vec![(subject.clone(), part.to_vec())];
    if WITHOUT_VERB.contains(&text) {
        found.push((subject.clone(), with("be", part, 0)));
    }
    if voice == Voice::Asker {
        found.push((subject, with("my", part, 0)));
    }
    found
}

/// A word and what follows from a place on.
fn with(word: &str, part: &[Token], place: usize) -> Vec<Token> {
    let first = part.first().map(|first| Token { text: word.to_owned(), ..first.clone() });
    first.into_iter().chain(part.get(place..).unwrap_or_default().to_vec()).collect()
}

/// Whether a word is about somebody whom the text does not name.
pub(super) fn is_of_others(word: &Token) -> bool {
    OTHERS.contains(&&*word.text) || PRONOUNS.contains(&&*word.text)
}

fn is_opening(word: &Token) -> bool {
    OPENINGS.contains(&&*word.text) || JOINING.contains(&&*word.text)
}

/// Whether a word is a verb in the past or with -ing, and no name: "Moved to Bern".
fn is_verb(word: &str) -> bool {
    const VERB_BYTES_MIN: usize = 5;
    WITHOUT_VERB.contains(&word)
        || word.len() >= VERB_BYTES_MIN && ["ed", "ing"].iter().any(|ending| word.ends_with(ending))
}

/// "Am" or "have", if a part begins with it.
fn verb_of(words: &[Token]) -> Option<Token> {
    let is_auxiliary = |word: &&Token| matches!(&*word.text, "be" | "have");
    words.first().filter(is_auxiliary).cloned()
}

fn split(words: &[Token]) -> Vec<&[Token]> {
    let begins = |word: &Token| word.is_after_break || JOINING.contains(&&*word.text);
    words.chunk_by(|_, next| !begins(next)).collect()
}

pub(super) fn speaker(voice: Voice<'_>) -> Option<Subject> {
    match voice {
        Voice::Asker => Some(Subject::Asker),
        Voice::Person(name) => {
            let words = name.split(|letter: char| !letter.is_alphanumeric());
            let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
            let words: Vec<String> = words.collect();
            (!words.is_empty()).then_some(Subject::Person(words))
        }
        Voice::Told | Voice::Program => None,
    }
}

/// The subjects that a part may have at its beginning, each with what follows.
fn subjects(part: &[Token], voice: Voice<'_>) -> Vec<(Subject, Vec<Token>)> {
    let text = |place: usize| part.get(place).map_or("", |word| &*word.text);
    let rest = |place: usize| part.get(place..).unwrap_or_default().to_vec();
    let with_my = |place: usize| with("my", part, place);
    let with_be = |place: usize| with("be", part, place);
    let mut found = Vec::new();
    match text(0) {
        "you" if voice == Voice::Told => found.push((Subject::Asker, rest(1))),
        "your" if voice == Voice::Told => found.push((Subject::Asker, with_my(1))),
        "i" | "we" => found.extend(speaker(voice).map(|subject| (subject, rest(1)))),
        "user" if text(1) == "'s" => {
            let my = with_my(2);
            // As after "my", whoever writes it down.
            found.extend(subjects(&my, Voice::Asker));
            if !text(2).is_empty() && !KIN.contains(&text(2)) {
                found.push((Subject::Asker, with_be(2)));
            }
        }
        "user" => found.push((Subject::Asker, rest(1))),
        "my" | "our" => {
            let Some(subject) = speaker(voice) else { return found };
            found.push((subject, with_my(1)));
            // "My sister's husband" and "my sister in law" are not my sister.
            let is_of_kin =
                text(2) == "'s" && KIN.contains(&text(3)) || text(2) == "in" && text(3) == "law";
            if KIN.contains(&text(1)) && !is_of_kin {
                let names = names_at(part, 2);
                let after = 2 + names.as_ref().map_or(0, Vec::len);
                let kin = text(1).to_owned();
                if let Some(names) = names {
                    found.push((Subject::Person(names), without_be(rest(after))));
                }
                if voice == Voice::Asker {
                    found.push((Subject::Kin(kin.clone()), rest(2)));
                    found.push((Subject::Kin(kin), without_be(rest(after))));
                }
            }
        }
        _ => {
            if is_verb(text(0)) || part.first().is_some_and(is_of_others) {
                return found;
            }
            // "Mum lives in Leeds".
            if KIN.contains(&text(0)) && voice == Voice::Asker {
                let names = names_at(part, 1);
                let after = 1 + names.as_ref().map_or(0, Vec::len);
                if let Some(names) = names {
                    found.push((Subject::Person(names), without_be(rest(after))));
                }
                found.push((Subject::Kin(text(0).to_owned()), without_be(rest(1))));
                found.push((Subject::Kin(text(0).to_owned()), without_be(rest(after))));
                found.push((Subject::Asker, with_my(0)));
                return found;
            }
            let Some(names) = names_at(part, 0) else { return found };
            let after = names.len();
            if is_in_list("job", text(0)) {
                return found;
            }
            let subject = Subject::Person(names);
            if text(after) == "'s" && KIN.contains(&text(after + 1)) {
                // "Gerald's wife Moira can't have nuts" is not about Gerald.
                let theirs = vec![format!("{}'s {}", text(0), text(after + 1))];
                let names = names_at(part, after + 2);
                let rest = rest(after + 2 + names.as_ref().map_or(0, Vec::len));
                found.push((Subject::Person(names.unwrap_or(theirs)), without_be(rest)));
                found.push((subject, with_my(after + 1)));
            } else if text(after) == "'s" {
                found.push((subject.clone(), with_my(after + 1)));
                found.push((subject, with_be(after + 1)));
            } else {
                found.push((subject, rest(after)));
            }
        }
    }
    found
}

/// "'s" after a name may be "is".
fn without_be(mut words: Vec<Token>) -> Vec<Token> {
    if let Some(first) = words.first_mut().filter(|first| first.text == "'s") {
        "be".clone_into(&mut first.text);
    }
    words
}
