//! Questions for what there is to know of a person, in other words than it is told.
//!
//! "What is my job?" shares no word with "I am a nurse", nor "How old is Ben?" with "He is 43".
//! Everybody asks such questions, and there are few of them: a table has, for each of some
//! attributes, how it is asked for and how it is told (`data/profile-questions.txt`). A
//! question is one for an attribute only if it says nothing else. "What is Ben's job?" is, but not
//! "What job did Ben apply for in May?" Only English is read.

mod subjects;
mod table;
mod tokens;

use std::borrow::Cow;

use subjects::{Part, Reading, speaker};
use table::{ATTRIBUTES, Attribute, Pattern, is_in_list};
use tokens::{Token, tokens};

use crate::text::cut;

/// Most words of a question for an attribute.
const QUESTION_WORDS_MAX: usize = 16;
/// Longest part of a text that is read, bytes.
const TEXT_BYTES_MAX: usize = 4 * 1024;
/// Most words of the name of a person.
const NAME_WORDS_MAX: usize = 3;

/// Most names of one of the asker's.
const NAMES_MAX: usize = 4;

/// Words before the question itself: "Can you remind me …", "Do you know …".
#[rustfmt::skip]
const BEFORE_QUESTION: [&str; 26] = [
    "again", "and", "by", "can", "could", "do", "forgot", "hello", "hey", "hi", "i", "know", "me", "my", "ok", "okay", "please",
    "quick", "question", "remember", "remind", "so", "tell", "way", "well", "you",
];
/// Words that a question may have besides.
#[rustfmt::skip]
const BESIDE_QUESTION: [&str; 13] = [
    "again", "any", "days", "moment", "please", "right", "these", "actually", "own", "all", "ever", "some", "anyway",
];
/// Words with which a question begins.
const QUESTION_WORDS: [&str; 7] = ["how", "what", "when", "where", "which", "who", "whose"];
/// Words for the people of a family and of work: "my wife".
#[rustfmt::skip]
const KIN: [&str; 40] = [
    "aunt", "boss", "boyfriend", "brother", "child", "colleague", "cousin", "daughter", "doctor", "ex", "father", "fiance",
    "fiancee", "fiancé", "fiancée", "flatmate", "friend", "girlfriend", "grandfather", "grandma", "grandmother", "grandpa",
    "grandson", "husband", "kid", "landlord", "manager", "mother", "neighbor", "neighbour", "nephew", "niece", "partner",
    "roommate", "sister", "son", "spouse", "teacher", "uncle", "wife",
];

/// Lists whose members exclude each other.
const LISTS_OF_SORTS: [&str; 4] = ["child", "partner", "pet", "sibling"];
/// Members that are asked for when any would do: "Do I have pets?"
#[rustfmt::skip]
const GENERAL: [&str; 16] = [
    "animal", "animals", "baby", "child", "children", "kid", "kids", "partner", "pet", "pets", "sibling", "siblings",
    "spouse", "toddler", "twin", "twins",
];

/// Whom a question is about, or a part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    /// The person who asks.
    Asker,
    /// In a question, "the user" or "he"; in a text, "he" where nobody was named before.
    Unnamed,
    /// Somebody by name, in lower case.
    Person(Vec<String>),
    /// Somebody of the asker's: "my sister".
    Kin(String),
}

/// A question for what there is to know of a person.
#[derive(Clone, Debug)]
pub struct ProfileQuestion {
    /// Each attribute, with whose it is: "What is my wife called?" is answered by "My wife Eva …"
    /// and by "I married Eva".
    wanted: Vec<Wanted>,
}

impl PartialEq for ProfileQuestion {
    fn eq(&self, other: &Self) -> bool {
        let named = |question: &Self| -> Vec<(Subject, &str)> {
            question.wanted.iter().map(|it| (it.subject.clone(), it.attribute.name)).collect()
        };
        named(self) == named(other)
    }
}

/// An attribute of somebody.
#[derive(Clone, Debug)]
struct Wanted {
    subject: Subject,
    attribute: &'static Attribute,
    /// Whether most ways to tell it are known, so that silence means that memory lacks it.
    is_closed: bool,
    /// The list and the member that is asked for: a brother of all siblings.
    member: Option<(&'static str, String)>,
}

/// How far a text is about what a question asks to know of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It says nothing of it.
    None,
    /// It has a word that is used of it, and may be about the person.
    Mentions,
    /// It tells it of that person.
    Tells,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice<'a> {
    /// The person who asks, or a note about them.
    Asker,
    /// Somebody else, by name.
    Person(&'a str),
    /// A statement to the person who asks: "You live in Oslo".
    Told,
    /// A program: its "I" is nobody.
    Program,
}

impl ProfileQuestion {
    /// Reads a question. None if it is for something else, or not in English.
    pub fn read(question: &str) -> Option<Self> {
        let mut words = tokens(question);
        if words.len() > QUESTION_WORDS_MAX {
            return None;
        }
        let asking = words.iter().position(|word| QUESTION_WORDS.contains(&&*word.text));
        if let Some(asking) = asking {
            let before = words.get(..asking).unwrap_or_default();
            if before.iter().all(|word| BEFORE_QUESTION.contains(&&*word.text)) {
                words.drain(..asking);
            }
        }
        let is_possession = |place: usize| words.get(place).is_some_and(|word| word.text == "'s");
        // "What's", "who's".
        if asking.is_some() && is_possession(1) {
            words.remove(1);
            words.get_mut(1)?.is_after_auxiliary = true;
        }
        words.retain(|word| !BESIDE_QUESTION.contains(&&*word.text));
        let names_user = words.iter().any(|word| word.text == "user");
        let mut wanted: Vec<Wanted> = Vec::new();
        for (subject, rest) in subjects_asked_about(&words) {
            for (attribute, is_closed) in asked_for(&subject, &rest) {
                let is_known =
                    |it: &Wanted| it.subject == subject && it.attribute.name == attribute.name;
                if !wanted.iter().any(is_known) {
                    let (subject, member) = (subject.clone(), member_in(&rest));
                    let is_closed = is_closed && (subject != Subject::Unnamed || names_user);
                    wanted.push(Wanted { subject, attribute, is_closed, member });
                }
            }
        }
        (!wanted.is_empty()).then_some(Self { wanted })
    }

    /// Whether a word only says whom it is about: "user".
    pub fn is_for_subject(&self, word: &str) -> bool {
        word == "user" && self.wanted.iter().any(|it| it.subject == Subject::Unnamed)
    }

    /// Words of which a text that answers has one, separated by spaces.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.wanted.iter().map(|it| it.attribute.words.as_str())
    }

    /// Whether most ways to tell what it asks for are known.
    pub fn is_closed(&self) -> bool {
        self.wanted.iter().all(|it| it.is_closed)
    }

    /// The names that a text gives to those of the asker's whom the question is about: "My wife Eva
    /// called" names the one of "What does my wife do?"
    pub fn names_in(&self, text: &str, voice: Voice<'_>) -> Vec<Vec<String>> {
        let kin: Vec<&str> = self.kin().collect();
        let mut found = Vec::new();
        if kin.is_empty() || voice != Voice::Asker {
            return found;
        }
        let text = cut(text, TEXT_BYTES_MAX);
        let mut reading = Reading::new(Vec::new());
        for sentence in sentences(text) {
            for (subject, words) in reading.parts(&tokens(&without_quotes(sentence)), voice) {
                let text = |place: usize| words.get(place).map_or("", |word| &*word.text);
                let name = match (subject, text(0), text(1)) {
                    (Subject::Kin(of), "be", "called" | "named") if kin.contains(&&*of) => {
                        names_at(&words, 2)
                    }
                    (Subject::Kin(of), "be", _) if kin.contains(&&*of) => names_at(&words, 1),
                    (Subject::Kin(of), ..) if kin.contains(&&*of) => names_at(&words, 0),
                    (Subject::Person(name), "be", "my") if kin.contains(&text(2)) => Some(name),
                    (Subject::Asker, "married", _)
                        if kin.iter().any(|kin| is_in_list("partner", kin)) =>
                    {
                        names_at(&words, 1)
                    }
                    _ => None,
                };
                found.extend(name);
            }
        }
        found
    }

    /// Those of the asker's whom it is about: "my wife".
    fn kin(&self) -> impl Iterator<Item = &str> {
        self.wanted.iter().filter_map(|wanted| match &wanted.subject {
            Subject::Kin(kin) => Some(kin.as_str()),
            _ => None,
        })
    }

    /// The same question, also about somebody with such a name.
    #[must_use]
    pub fn also_of(&self, names: &[Vec<String>]) -> Self {
        let mut wanted = self.wanted.clone();
        let of_kin = self.wanted.iter().filter(|it| matches!(it.subject, Subject::Kin(_)));
        for one in of_kin.filter(|it| it.attribute.name != "relative") {
            let named = |name: &Vec<String>| Wanted {
                subject: Subject::Person(name.clone()),
                ..one.clone()
            };
            wanted.extend(names.iter().take(NAMES_MAX).map(named));
        }
        Self { wanted }
    }

    /// Whether it asks for what has few ways to be told, however it asks.
    pub fn is_told_plainly(&self) -> bool {
        self.wanted.iter().all(|it| it.attribute.is_closed)
    }

    /// How far a text answers, and the first sentence that answers as far.
    pub fn fit<'t>(&self, text: &'t str, voice: Voice<'_>) -> (Fit, &'t str) {
        let text = cut(text, TEXT_BYTES_MAX);
        let names = self.wanted.iter().filter_map(|wanted| match &wanted.subject {
            Subject::Person(names) => Some(names.iter().map(String::as_str)),
            _ => None,
        });
        let mut reading = Reading::new(names.flatten().collect());
        let mut best = (Fit::None, "");
        for sentence in sentences(text) {
            let words = tokens(&without_quotes(sentence));
            let parts = reading.parts(&words, voice);
            if sentence.trim_end().ends_with(['?', '？']) || sentence.starts_with('>') {
                continue;
            }
            let fit = self.wanted.iter().map(|wanted| wanted.fit(&words, &parts, voice));
            let fit = fit.max().unwrap_or(Fit::None);
            if fit > best.0 {
                best = (fit, sentence);
            }
        }
        best
    }
}

/// A sentence without what it quotes: "I" in it is somebody else.
fn without_quotes(sentence: &str) -> Cow<'_, str> {
    const MARKS: [char; 4] = ['"', '“', '”', '„'];
    if !sentence.contains(MARKS) {
        return Cow::Borrowed(sentence);
    }
    sentence.split(MARKS).step_by(2).collect::<Vec<_>>().join(", ").into()
}

/// The sentences of a text. Each number before a full stop ends one: "I'm 38. Am I too old?"
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().peekable();
        let mut end = rest.len();
        while let Some((at, letter)) = letters.next() {
            let is_last = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
            if letter == '\n' || matches!(letter, '.' | '!' | '?' | '？' | '。') && is_last {
                end = at + letter.len_utf8();
                break;
            }
        }
        let (sentence, after) = rest.split_at_checked(end)?;
        rest = after;
        (!sentence.is_empty()).then_some(sentence)
    })
}

impl Wanted {
    fn fit(&self, words: &[Token], parts: &[Part], voice: Voice<'_>) -> Fit {
        let Self { subject: asked, attribute, .. } = self;
        let is_told = |words: &[Token]| attribute.told.iter().any(|it| it.fits(words, false));
        // "I have started at …", "I am working for …".
        let without_auxiliary = |words: &[Token]| {
            let [first, second, ..] = words else { return false };
            matches!(&*first.text, "be" | "have")
                && ["ed", "ing"].iter().any(|ending| second.text.ends_with(ending))
                && is_told(words.get(1..).unwrap_or_default())
        };
        let tells = |(subject, words): &Part| {
            is_about(asked, subject) && (is_told(words) || without_auxiliary(words))
        };
        let names = || (0..words.len()).any(|place| self.is_named_at(words, place));
        let fit = if attribute.is_thing {
            let is_theirs = matches!(asked, Subject::Asker | Subject::Unnamed)
                || may_be_about(asked, words, parts, voice);
            if is_theirs && names() { Fit::Tells } else { Fit::None }
        } else if parts.iter().any(tells) {
            Fit::Tells
        } else if attribute.has_word_in(words)
            && !is_not_so(words)
            && may_be_about(asked, words, parts, voice)
        {
            Fit::Mentions
        } else {
            Fit::None
        };
        match self.is_of_another(words) {
            true => Fit::None,
            false => fit,
        }
    }

    /// Whether a member is named at a place, and not as what was left.
    fn is_named_at(&self, words: &[Token], place: usize) -> bool {
        const LEFT: [&str; 6] = ["from", "left", "no", "not", "than", "without"];
        let before = place.checked_sub(1).and_then(|before| words.get(before));
        words
            .get(place..)
            .is_some_and(|rest| self.attribute.told.iter().any(|it| it.fits(rest, false)))
            && before.is_none_or(|before| !LEFT.contains(&&*before.text))
    }

    /// Whether a sentence is of another one of the same sort: a sister, where a brother is asked
    /// for.
    fn is_of_another(&self, words: &[Token]) -> bool {
        let Some((list, wanted)) = &self.member else { return false };
        let is_same = |word: &str| word == wanted || word.strip_suffix('s') == Some(wanted);
        let mut members = words.iter().filter(|word| is_in_list(list, &word.text)).peekable();
        let has_any = members.peek().is_some();
        let is_general = |word: &str| GENERAL.contains(&word) || is_in_list("breed", word);
        has_any && members.all(|word| !is_same(&word.text) && !is_general(&word.text))
    }
}

/// The member of a list that a question is for, if it is not for any of them.
fn member_in(rest: &[Token]) -> Option<(&'static str, String)> {
    let mut members = rest.iter().filter_map(|word| {
        let list = LISTS_OF_SORTS.into_iter().find(|list| is_in_list(list, &word.text))?;
        let one = word.text.strip_suffix('s').unwrap_or(&word.text);
        (!GENERAL.contains(&&*word.text)).then(|| (list, one.to_owned()))
    });
    members.next().filter(|_| members.next().is_none())
}

/// The attributes that the rest of a question asks for, beside whom it is about; and of each
/// whether most ways to tell it are known.
fn asked_for(asked: &Subject, rest: &[Token]) -> Vec<(&'static Attribute, bool)> {
    let fits = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.fits(rest, true));
    let mut found = Vec::new();
    for attribute in ATTRIBUTES.iter() {
        let may_be_wanted = match (attribute.name, asked) {
            ("name", Subject::Person(_)) => rest.len() > 1,
            ("name", Subject::Kin(_)) => false,
            ("name", Subject::Unnamed) => rest.len() > 1,
            ("relative", of) => matches!(of, Subject::Kin(_)),
            _ => true,
        };
        if may_be_wanted && fits(&attribute.asked) {
            found.push((attribute, attribute.is_closed));
        } else if may_be_wanted && fits(&attribute.asked_openly) {
            found.push((attribute, false));
        }
    }
    found
}

fn is_about(asked: &Subject, subject: &Subject) -> bool {
    match (asked, subject) {
        (Subject::Asker, Subject::Asker)
        | (Subject::Unnamed, Subject::Asker | Subject::Unnamed) => true,
        (Subject::Kin(asked), Subject::Kin(kin)) => asked == kin,
        (Subject::Person(asked), Subject::Person(name)) => is_same_name(asked, name),
        _ => false,
    }
}

fn is_same_name(one: &[String], other: &[String]) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    !short.is_empty() && short.iter().all(|word| long.contains(word))
}

/// Whether a sentence tells of a wish or of what has ended: "I want to be a nurse".
fn is_not_so(words: &[Token]) -> bool {
    const WORDS: [&str; 6] = ["hope", "if", "longer", "want", "wish", "would"];
    words.iter().any(|word| WORDS.contains(&&*word.text))
}

/// Whether a sentence that does not tell it may still be about somebody.
fn may_be_about(asked: &Subject, words: &[Token], parts: &[Part], voice: Voice<'_>) -> bool {
    let has = |wanted: &String| words.iter().any(|word| word.text == *wanted);
    match asked {
        Subject::Asker | Subject::Unnamed => {
            voice == Voice::Asker
                && (parts.is_empty() || parts.iter().any(|(subject, _)| is_about(asked, subject)))
        }
        Subject::Kin(kin) => has(kin),
        Subject::Person(names) => {
            let is_theirs =
                matches!(speaker(voice), Some(Subject::Person(name)) if is_same_name(names, &name));
            is_theirs || names.iter().all(has)
        }
    }
}

/// Whom a question may be about, each with the other words of the question. "Do" and "am" before
/// the subject are left out.
fn subjects_asked_about(words: &[Token]) -> Vec<(Subject, Vec<Token>)> {
    let mut found = Vec::new();
    let text = |place: usize| words.get(place).map_or("", |word| &*word.text);
    let has_question_word = QUESTION_WORDS.contains(&text(0));
    let mut add = |subject: Subject, place: usize, end: usize| {
        let end = if text(end) == "'s" { end + 1 } else { end };
        let is_kept = |at: usize, word: &Token| {
            let is_auxiliary = word.text == "do" && at + 1 == place;
            // "What do I pay for my flat?"
            let is_repeated = subject == Subject::Asker && word.text == "my"
                || subject == Subject::Unnamed && matches!(&*word.text, "his" | "her");
            !(place..end).contains(&at)
                && !is_repeated
                && !matches!(&*word.text, "be" | "was" | "'s")
                && !is_auxiliary
        };
        let rest = words.iter().enumerate().filter(|(at, word)| is_kept(*at, word));
        let mut rest: Vec<Token> = rest.map(|(_, word)| word.clone()).collect();
        // "My age?"
        if place == 0 && !has_question_word {
            rest.splice(0..0, tokens("what"));
        }
        found.push((subject, rest));
    };
    let is_end = |place: usize| place == words.len();
    for (place, word) in words.iter().enumerate() {
        let is_possessed = text(place + 1) == "'s";
        match &*word.text {
            "my" | "our" if KIN.contains(&text(place + 1)) => {
                let names = names_at(words, place + 2);
                let kin = text(place + 1).to_owned();
                if let Some(names) = names {
                    let end = place + 2 + names.len();
                    add(Subject::Kin(kin.clone()), place, end);
                    add(Subject::Person(names), place, end);
                } else {
                    add(Subject::Kin(kin), place, place + 2);
                }
                add(Subject::Asker, place, place + 1);
            }
            "i" | "we" | "my" | "our" => add(Subject::Asker, place, place + 1),
            "user" | "he" | "she" | "his" | "her" => add(Subject::Unnamed, place, place + 1),
            text if QUESTION_WORDS.contains(&text) => {}
            // "The house" is nobody.
            _ if !word.is_after_article && (place > 0 || is_possessed) => {
                match names_at(words, place) {
                    Some(names) => {
                        let end = place + names.len();
                        add(Subject::Person(names), place, end);
                    }
                    None if subjects::is_of_others(word) => {}
                    None if is_possessed || word.is_after_auxiliary && !is_end(place) => {
                        add(Subject::Person(vec![word.text.clone()]), place, place + 1);
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// The words of a name that begins at a place.
fn names_at(words: &[Token], place: usize) -> Option<Vec<String>> {
    let is_name =
        |word: &&Token| word.is_capital && word.text != "i" && !is_in_list("language", &word.text);
    let words = words.get(place..).unwrap_or_default();
    let names = words.iter().take(NAME_WORDS_MAX).take_while(is_name);
    let names: Vec<String> = names.map(|word| word.text.clone()).collect();
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests;
