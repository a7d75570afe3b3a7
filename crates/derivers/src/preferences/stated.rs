//! What the owner says of their preferences: "I prefer tea to coffee", "I can't stand cilantro".
//!
//! A clause counts when it *begins* with one of the forms below, after words like "and" or
//! "honestly"; so "I don't think I like…", "Ana knows I love…" and "Do I like…" never come near.
//! The whole sentence is left out when a word in it makes it a report, a guess, a condition, a wish
//! or a joke. Then the object decides: what points at something (this, your, the second) is not
//! about what the owner likes in general.

use super::lexicon::{daypart, domain_of};
use super::object::{GENERAL, OBJECT_WORDS_MAX, Object, Trust, lower, named, of_day, trimmed};
use super::words::{
    ADVERBS, COMPARISONS, COMPOUNDS, CUES, DOUBTFUL, OPENINGS, POINTING, QUESTIONS, RATHER_VERBS,
    VERBS,
};
use crate::statements::{Break, OwnWords, Sentence, Word, any_word_begins, sentences};

/// Most statements of one record.
pub(super) const STATEMENTS_MAX: usize = 32;

/// For or against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Polarity {
    Like,
    Dislike,
}

impl Polarity {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Like => "like",
            Self::Dislike => "dislike",
        }
    }
}

/// One thing said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) object: Object,
    pub(super) polarity: Polarity,
    /// What it was preferred to.
    pub(super) over: Option<Object>,
    /// Love, hate, prefer, favourite; not only like.
    pub(super) is_strong: bool,
}

/// Everything that the owner says of preferences.
pub(super) fn statements(words: OwnWords<'_>) -> Vec<Statement> {
    let is_relevant = |text: &str| {
        any_word_begins(text, &["i ", "i'", "i’", "my "]) && any_word_begins(text, &CUES)
    };
    let mut found = Vec::new();
    for mut sentence in
        sentences(words.text, |part| is_relevant(part) && !part.contains(['🙄', '😒', '🙃']))
    {
        if sentence.is_question {
            before_question(&mut sentence);
        }
        let known = found.len();
        for clause in clauses(&sentence) {
            read(clause, &mut found);
        }
        if found.len() > known && is_doubtful(&sentence) {
            found.truncate(known);
        }
        if found.len() >= STATEMENTS_MAX {
            break;
        }
    }
    found.truncate(STATEMENTS_MAX);
    if !found.is_empty() && words.is_request() {
        found.clear();
    }
    found
}

/// "I love hiking, where should I go?" says something before it asks; other questions say nothing.
fn before_question(sentence: &mut Sentence<'_>) {
    let asks = |(_, word): &(usize, &Word<'_>)| {
        word.before != Break::None && QUESTIONS.contains(&word.lower.as_ref())
    };
    let is_plain = matches!(sentence.lower(0), "i" | "i'm" | "my");
    let start =
        sentence.words.iter().enumerate().skip(1).find(asks).map(|(at, _)| at).filter(|_| is_plain);
    sentence.words.truncate(start.unwrap_or(0));
}

fn is_doubtful(sentence: &Sentence<'_>) -> bool {
    let is_quote = |word: &Word<'_>| word.before == Break::Quote;
    let is_doubtful = |(at, word): (usize, &Word<'_>)| {
        let before = at.checked_sub(1).map_or("", |before| sentence.lower(before));
        let is_verbs = word.lower == "not" && matches!(before, "do" | "can" | "am" | "i'm");
        DOUBTFUL.contains(&word.lower.as_ref()) && !is_verbs
    };
    sentence.last == Break::Quote
        || sentence.words.iter().any(is_quote)
        || sentence.words.iter().enumerate().any(is_doubtful)
}

/// The parts between commas and conjunctions, each without its opening words.
fn clauses<'s, 't>(sentence: &'s Sentence<'t>) -> Vec<&'s [Word<'t>]> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, word) in sentence.words.iter().enumerate().skip(1) {
        let is_subject = matches!(sentence.lower(at + 1), "i" | "i'm" | "i'd" | "my")
            || VERBS.contains(&sentence.lower(at + 1));
        let begins = match word.lower.as_ref() {
            "and" | "so" | "since" | "while" | "as" => is_subject,
            "but" | "because" | "although" | "though" => true,
            _ => word.before != Break::None,
        };
        if begins {
            clauses.extend(sentence.words.get(start..at));
            start = at;
        }
    }
    clauses.extend(sentence.words.get(start..));
    let opened = clauses.into_iter().map(|clause| {
        let openings =
            clause.iter().take_while(|word| OPENINGS.contains(&word.lower.as_ref())).count();
        clause.get(openings..).unwrap_or_default()
    });
    opened.collect()
}

/// A clause that is read word by word.
struct Cursor<'s, 't> {
    words: &'s [Word<'t>],
}

impl<'s, 't> Cursor<'s, 't> {
    /// Steps over `words` if they come next.
    fn takes(&mut self, words: &[&str]) -> bool {
        let matches = words.len() <= self.words.len()
            && self.words.iter().zip(words).all(|(word, next)| word.lower == *next);
        if matches {
            self.words = self.words.get(words.len()..).unwrap_or_default();
        }
        matches
    }

    fn takes_any(&mut self, choices: &[&[&str]]) -> bool {
        choices.iter().any(|words| self.takes(words))
    }

    fn takes_one_of(&mut self, words: &[&str]) -> bool {
        let matches = self.words.first().is_some_and(|word| words.contains(&word.lower.as_ref()));
        if matches {
            self.words = self.words.get(1..).unwrap_or_default();
        }
        matches
    }
}

fn read(clause: &[Word<'_>], found: &mut Vec<Statement>) {
    let mut cursor = Cursor { words: clause };
    if cursor.takes(&["my"]) {
        favourite(cursor, found);
    } else if cursor.takes_any(&[&["i'm"], &["i", "am"]]) {
        being(cursor, found);
    } else if cursor.takes_any(&[&["i'd", "rather"]]) {
        rather(cursor, found);
    } else if cursor.takes(&["i"]) {
        liking(cursor, found);
    } else if let Some(at) = clause
        .windows(2)
        .position(|pair| matches!(pair, [is, my] if matches!(is.lower.as_ref(), "is" | "are") && my.lower == "my"))
    {
        // "Tenmoku is my favourite glaze".
        let (object, rest) = clause.split_at_checked(at).unwrap_or_default();
        let mut cursor = Cursor { words: rest.get(2..).unwrap_or_default() };
        let is_favourite = cursor.takes_one_of(&["favourite", "favorite"]);
        if is_favourite && (1..=2).contains(&cursor.words.len()) && !is_vague_topic(cursor.words) {
            let topic = domain_of(&lower(cursor.words));
            push(found, named(object, topic, Trust::Any), Polarity::Like, None, true);
        }
    }
}

/// After "my": `favourite drink is tea`.
fn favourite(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    let is_least = cursor.takes(&["least"]);
    cursor.takes(&["all-time"]);
    if !cursor.takes_one_of(&["favourite", "favorite"]) {
        return;
    }
    let Some(verb) =
        cursor.words.iter().take(4).position(|word| matches!(word.lower.as_ref(), "is" | "are"))
    else {
        return;
    };
    let (topic, object) = cursor.words.split_at_checked(verb).unwrap_or_default();
    if topic.is_empty() || is_vague_topic(topic) {
        return;
    }
    let topic = domain_of(&lower(topic));
    let polarity = if is_least { Polarity::Dislike } else { Polarity::Like };
    push(
        found,
        named(object.get(1..).unwrap_or_default(), topic, Trust::Any),
        polarity,
        None,
        true,
    );
}

/// "My favourite part of this" is about this.
fn is_vague_topic(topic: &[Word<'_>]) -> bool {
    let vague = [
        "part", "parts", "thing", "things", "bit", "one", "ones", "way", "of", "person", "people",
        "moment", "memory", "line",
    ];
    let is_somebody = topic.last().is_some_and(|word| crate::relationships::is_kind(&word.lower));
    is_somebody
        || topic.iter().any(|word| {
            vague.contains(&word.lower.as_ref()) || POINTING.contains(&word.lower.as_ref())
        })
}

/// After "I am": `a morning person`, `a big fan of jazz`.
fn being(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    while cursor.takes_one_of(&["really", "definitely", "very", "also", "still"]) {}
    let polarity = if cursor.takes(&["not"]) { Polarity::Dislike } else { Polarity::Like };
    while cursor.takes_one_of(&["really", "much", "very", "of"]) {}
    if cursor.takes_any(&[&["fond", "of"]]) {
        each(cursor.words, Trust::Known, polarity, false, found);
        return;
    }
    if !cursor.takes_one_of(&["a", "an"]) {
        return;
    }
    while cursor.takes_one_of(&["big", "huge", "real", "great", "total", "massive"]) {}
    let part =
        if cursor.takes_any(&[&["morning", "person"], &["early", "bird"], &["early", "riser"]]) {
            Some("morning")
        } else if cursor.takes_any(&[&["night", "owl"], &["night", "person"]]) {
            Some("night")
        } else if cursor.takes_any(&[&["evening", "person"]]) {
            Some("evening")
        } else {
            None
        };
    match part {
        Some(part) if trimmed(cursor.words).is_empty() => {
            push(found, Some(of_day(part)), polarity, None, true)
        }
        Some(_) => {}
        None if cursor.takes(&["fan", "of"]) => {
            each(cursor.words, Trust::Short, polarity, false, found)
        }
        None => {}
    }
}

/// After "I'd rather": `have tea than coffee`. Without "than" it is about one occasion.
fn rather(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    let Some(than) = cursor.words.iter().position(|word| word.lower == "than") else { return };
    let (left, right) = cursor.words.split_at_checked(than).unwrap_or_default();
    cursor.words = left;
    if cursor.takes_one_of(&RATHER_VERBS) {
        cursor.takes_one_of(&["to", "by"]);
    }
    let mut other = Cursor { words: right.get(1..).unwrap_or_default() };
    if other.takes_one_of(&RATHER_VERBS) {
        other.takes_one_of(&["to", "by"]);
    }
    let object = named(cursor.words, None, Trust::Known);
    let over = named(other.words, None, Trust::Any);
    if over.is_some() {
        push(found, object, Polarity::Like, over, false);
    }
}

/// After "I": `really like tea`, `can't stand cilantro`.
fn liking(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    while cursor.takes_one_of(&ADVERBS) {}
    if cursor.takes_any(&[&["can't"], &["cannot"], &["can", "not"]]) {
        while cursor.takes_one_of(&["really", "absolutely"]) {}
        if cursor.takes_one_of(&["stand", "bear", "abide"]) {
            each(cursor.words, Trust::Short, Polarity::Dislike, true, found);
        }
        return;
    }
    let is_negated = cursor.takes_any(&[&["don't"], &["do", "not"], &["not"], &["no", "longer"]]);
    while cursor.takes_one_of(&[
        "really",
        "particularly",
        "much",
        "actually",
        "even",
        "usually",
        "generally",
        "especially",
    ]) {}
    if is_negated {
        if cursor.takes_any(&[&["like"], &["enjoy"], &["care", "for"], &["love"]])
            && !has_comparison(cursor.words)
        {
            each(cursor.words, Trust::Short, Polarity::Dislike, false, found);
        }
    } else if cursor.takes(&["prefer"]) {
        prefer(cursor.words, found);
    } else if cursor.takes_one_of(&["hate", "detest", "loathe", "despise"]) {
        each(cursor.words, Trust::Short, Polarity::Dislike, true, found);
    } else if cursor.takes(&["dislike"]) {
        each(cursor.words, Trust::Short, Polarity::Dislike, false, found);
    } else if cursor.takes_one_of(&["love", "adore"]) {
        each(cursor.words, Trust::Short, Polarity::Like, true, found);
    } else if cursor.takes_one_of(&["like", "enjoy"]) {
        each(cursor.words, Trust::Short, Polarity::Like, false, found);
    }
}

fn has_comparison(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| matches!(word.lower.as_ref(), "than" | "as"))
}

/// After "I prefer": `tea to coffee`, `working in the morning`.
fn prefer(words: &[Word<'_>], found: &mut Vec<Statement>) {
    if let [to, verb @ ..] = words
        && to.lower == "to"
    {
        // What to do is compared in too many ways to be read.
        let object = named(verb, None, Trust::Any)
            .filter(|_| !verb.iter().any(|word| COMPARISONS.contains(&word.lower.as_ref())));
        push(found, object.map(Object::into_deed), Polarity::Like, None, true);
        return;
    }
    // What is preferred in the morning is the morning.
    if let [.., of, last] = trimmed(words)
        && matches!(of.lower.as_ref(), "the" | "at")
        && let Some(part) = daypart(&last.lower)
        && words.len() <= OBJECT_WORDS_MAX + 1
        && !words.iter().any(|word| {
            POINTING.contains(&word.lower.as_ref())
                || matches!(word.lower.as_ref(), "to" | "over" | "than")
        })
    {
        push(found, Some(of_day(part)), Polarity::Like, None, true);
        return;
    }
    let is_gerund = |word: Option<&Word<'_>>| word.is_some_and(|word| word.lower.ends_with("ing"));
    let split = words.iter().enumerate().skip(1).find_map(|(at, word)| {
        let next = words.get(at + 1);
        match word.lower.as_ref() {
            "over" | "than" => Some((at, at + 1)),
            "rather" if next.is_some_and(|next| next.lower == "than") => Some((at, at + 2)),
            "instead" if next.is_some_and(|next| next.lower == "of") => Some((at, at + 2)),
            // "Going to the cinema" is one thing, "hiking to swimming" are two.
            "to" if !is_gerund(words.first()) || is_gerund(next) => Some((at, at + 1)),
            _ => None,
        }
    });
    match split {
        Some((end, start)) => {
            let object = named(words.get(..end).unwrap_or_default(), None, Trust::Any);
            let over = named(words.get(start..).unwrap_or_default(), None, Trust::Any);
            // "I prefer Tom to lead the meeting" compares nobody.
            let is_somebody = words.get(end).is_some_and(|word| word.lower == "to")
                && words.len() - start > 1
                && object
                    .as_ref()
                    .is_some_and(|object| object.domain == GENERAL && object.is_proper());
            if over.is_some() && !is_somebody {
                push(found, object, Polarity::Like, over, true);
            }
        }
        None => push(found, named(words, None, Trust::Any), Polarity::Like, None, true),
    }
}

/// One statement for each object of `tea and coffee`; with `more than` or `better than`, what it is
/// preferred to.
fn each(
    words: &[Word<'_>],
    trust: Trust,
    polarity: Polarity,
    is_strong: bool,
    found: &mut Vec<Statement>,
) {
    if let Some(than) = words.iter().position(|word| word.lower == "than") {
        let (left, right) = words.split_at_checked(than).unwrap_or_default();
        let Some((comparative, object)) = left.split_last() else { return };
        let over = named(right.get(1..).unwrap_or_default(), None, Trust::Any);
        if matches!(comparative.lower.as_ref(), "more" | "better")
            && over.is_some()
            && polarity == Polarity::Like
        {
            push(found, named(object, None, trust), polarity, over, is_strong);
        }
        return;
    }
    let trimmed = trimmed(words);
    let joint = trimmed.iter().position(|word| matches!(word.lower.as_ref(), "and" | "or"));
    match joint.filter(|_| !COMPOUNDS.contains(&lower(trimmed).join(" ").as_str())) {
        Some(joint) => {
            let (left, right) = trimmed.split_at_checked(joint).unwrap_or_default();
            // "The colour and texture" is one thing at hand, "action and horror films" are two
            // sorts of films.
            let is_shared = left.first().is_some_and(|word| word.lower == "the")
                || left.len() == 1 && right.len() > 2;
            if is_shared {
                return;
            }
            let (left, right) =
                (named(left, None, trust), named(right.get(1..).unwrap_or_default(), None, trust));
            // Half a pair that is understood may be half of one thing: then neither is.
            if let (Some(left), Some(right)) = (left, right) {
                push(found, Some(left), polarity, None, is_strong);
                push(found, Some(right), polarity, None, is_strong);
            }
        }
        None => push(found, named(trimmed, None, trust), polarity, None, is_strong),
    }
}

fn push(
    found: &mut Vec<Statement>,
    object: Option<Object>,
    polarity: Polarity,
    over: Option<Object>,
    is_strong: bool,
) {
    let Some(object) = object else { return };
    let is_itself = over.as_ref().is_some_and(|over| over.slug == object.slug);
    if !is_itself {
        found.push(Statement { object, polarity, over, is_strong });
    }
}
