//! Preferences that the owner states: "I prefer tea to coffee", "I can't stand cilantro".
//!
//! A clause counts when it *starts* with one of the forms below, after words like "and" or
//! "honestly"; so "I don't think I like…", "Ana knows I love…" and "Do I like…" never match. The
//! whole sentence is skipped when a word in it makes it a report, a guess, a condition, a wish or
//! a joke. After a clause that states something, "but love…" needs no "I". Finally, an object that
//! depends on context (this, your, the second) is not about what the owner likes in general.

use super::clauses::{Cursor, clauses, without_openings};
use super::lexicon::{daypart, domain_of};
use super::lists;
use super::object::{
    GENERAL, OBJECT_WORDS_MAX, Object, Trust, daypart_object, lower, parse, trimmed,
};
use super::word_lists::{ADVERBS, COMPARISONS, CUES, DOUBTFUL, POINTING, QUESTIONS, RATHER_VERBS};
use crate::statements::{Break, OwnWords, Sentence, Word, any_word_starts_with, sentences};

/// Most statements of one record.
pub(super) const STATEMENTS_MAX: usize = 32;

/// For or against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Polarity {
    /// For: what is liked or preferred.
    Like,
    /// Against.
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

/// One stated preference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) object: Object,
    pub(super) polarity: Polarity,
    /// The object that it was preferred to.
    pub(super) over: Option<Object>,
    /// Love, hate, prefer, favourite; not only like.
    pub(super) is_strong: bool,
    /// The owner does it no more: whether they like it is not said, but that they do, is over.
    pub(super) is_end: bool,
}

/// All preferences that the owner states in a record.
pub(super) fn statements(words: OwnWords<'_>) -> Vec<Statement> {
    let is_relevant = |text: &str| {
        any_word_starts_with(text, &["i ", "i'", "i’", "my "]) && any_word_starts_with(text, &CUES)
    };
    let mut found = Vec::new();
    for mut sentence in
        sentences(words, |part| is_relevant(part) && !part.contains(['🙄', '😒', '🙃']))
    {
        if sentence.is_question {
            before_question(&mut sentence);
        }
        before_aside(&mut sentence);
        let known = found.len();
        read_sentence(&sentence, &mut found);
        if found.len() > known && is_doubtful(&sentence) {
            found.truncate(known);
        }
        if found.len() >= STATEMENTS_MAX {
            break;
        }
    }
    found.truncate(STATEMENTS_MAX);
    drop_contradictions(&mut found);
    if !found.is_empty() && words.is_request() {
        found.clear();
    }
    found
}

/// Leaves out what one record both affirms and denies: nobody can tell which of them holds.
fn drop_contradictions(found: &mut Vec<Statement>) {
    let all = found.clone();
    let is_contrary = |one: &Statement, other: &Statement| {
        let is_same = one.object.slug == other.object.slug
            && (one.polarity != other.polarity || one.is_end != other.is_end);
        let is_over = |over: &Option<Object>, object: &Object| {
            over.as_ref().is_some_and(|over| over.slug == object.slug)
        };
        is_same || is_over(&one.over, &other.object) && is_over(&other.over, &one.object)
    };
    found.retain(|one| !all.iter().any(|other| is_contrary(one, other)));
}

/// What the owner does with things that they like, as it follows "I no longer", and as it follows
/// "I stopped".
#[rustfmt::skip]
const DOING: [(&str, &str); 12] = [
    ("drink", "drinking"), ("eat", "eating"), ("have", "having"), ("take", "taking"), ("use", "using"),
    ("play", "playing"), ("do", "doing"), ("read", "reading"), ("watch", "watching"), ("buy", "buying"),
    ("wear", "wearing"), ("smoke", "smoking"),
];

/// Keeps the statement before an aside: "I love swimming, who would have thought".
fn before_aside(sentence: &mut Sentence<'_>) {
    let aside = (1..sentence.words.len()).find(|at| {
        let is_set_off = sentence.words.get(*at).is_some_and(|word| word.before != Break::None);
        let next = |back: usize| sentence.lower(at + back);
        let wonders = next(0) == "who"
            && (next(1) == "knew"
                || next(1) == "would" && matches!(next(2), "have" | "thought" | "guess"));
        is_set_off && (wonders || next(0) == "believe" && next(1) == "it" && next(3) == "not")
    });
    if let Some(aside) = aside {
        sentence.words.truncate(aside);
        sentence.last = Break::End;
    }
}

/// Keeps the statement before a question: "I love hiking, where should I go?". Other questions are
/// dropped whole.
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

fn read_sentence(sentence: &Sentence<'_>, found: &mut Vec<Statement>) {
    let clauses = clauses(sentence);
    // The clause whose subject may be left out, and the words that may join it to the one before.
    let mut elliptical: Option<(usize, &[&str])> = None;
    for (at, clause) in clauses.iter().enumerate() {
        let after = clauses.get(at + 1..).unwrap_or_default();
        let cursor = Cursor { words: without_openings(clause), after };
        let known = found.len();
        let joins = |joints: &[&str]| {
            clause.first().is_some_and(|first| joints.contains(&first.lower.as_ref()))
        };
        let is_elliptical = elliptical.is_some_and(|(next, joints)| next == at && joins(joints));
        let is_of_i = matches!(
            cursor.words.first().map(|word| word.lower.as_ref()),
            Some("i" | "i'm" | "i'd")
        );
        match is_elliptical && !is_of_i {
            true => read_verb(cursor, found),
            false => read_clause(cursor, found),
        }
        if found.len() > known && (is_elliptical || is_of_i) {
            // "I don't like tea and love coffee" may deny both.
            let joints: &[&str] = if is_negated(clause) { &["but"] } else { &["and", "but"] };
            elliptical = Some((at + 1 + lists::clauses_of_list(after), joints));
        }
    }
}

fn is_negated(clause: &[Word<'_>]) -> bool {
    let negations = ["don't", "not", "longer", "can't", "cannot"];
    clause.iter().any(|word| negations.contains(&word.lower.as_ref()))
}

fn read_clause(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    let clause = cursor.words;
    if cursor.takes(&["my"]) {
        read_favourite(cursor, found);
    } else if cursor.takes_any(&[&["i'm"], &["i", "am"]]) {
        read_i_am(cursor, found);
    } else if cursor.takes_any(&[&["i'd", "rather"]]) {
        read_rather(cursor, found);
    } else if cursor.takes(&["i've"]) {
        read_stopped(cursor, found);
    } else if cursor.takes(&["i"]) {
        read_verb(cursor, found);
    } else if let Some(at) = clause
        .windows(2)
        .position(|pair| matches!(pair, [is, my] if matches!(is.lower.as_ref(), "is" | "are") && my.lower == "my"))
    {
        // "Tenmoku is my favourite glaze".
        let (object, rest) = clause.split_at_checked(at).unwrap_or_default();
        let mut cursor = Cursor { words: rest.get(2..).unwrap_or_default(), after: &[] };
        let is_favourite = cursor.takes_one_of(&["favourite", "favorite"]);
        if is_favourite && (1..=2).contains(&cursor.words.len()) && !is_vague_topic(cursor.words) {
            let topic = domain_of(&lower(cursor.words));
            push(found, parse(object, topic, Trust::Any), Polarity::Like, None, true);
        }
    }
}

/// After "my": `favourite drink is tea`.
fn read_favourite(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
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
    let Some((verb, words)) = object.split_first() else { return };
    let adverbs = words.iter().take_while(|word| is_adverb(word)).count();
    let words = words.get(adverbs..).unwrap_or_default();
    // Only "are" begins a list.
    let objects = match verb.lower == "are" {
        true => lists::objects(words, cursor.after, topic, Trust::Any, polarity),
        false => Vec::from_iter(parse(words, topic, Trust::Any)),
    };
    for object in objects {
        push(found, Some(object), polarity, None, true);
    }
}

/// Words after "is" that do not belong to what it is.
fn is_adverb(word: &Word<'_>) -> bool {
    let adverbs = [
        "actually",
        "currently",
        "definitely",
        "now",
        "nowadays",
        "obviously",
        "really",
        "simply",
        "still",
        "always",
        "clearly",
        "certainly",
        "honestly",
    ];
    adverbs.contains(&word.lower.as_ref())
}

/// Whether a topic depends on context: "my favourite part of this" is about "this".
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
fn read_i_am(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    while cursor.takes_one_of(&["really", "definitely", "very", "also", "still"]) {}
    let polarity = if cursor.takes(&["not"]) { Polarity::Dislike } else { Polarity::Like };
    while cursor.takes_one_of(&["really", "much", "very", "of"]) {}
    if cursor.takes_any(&[&["fond", "of"]]) {
        read_objects(cursor, Trust::Known, polarity, false, found);
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
            push(found, Some(daypart_object(part)), polarity, None, true)
        }
        Some(_) => {}
        None if cursor.takes(&["fan", "of"]) => {
            read_objects(cursor, Trust::Short, polarity, false, found)
        }
        None => {}
    }
}

/// After "I'd rather": `have tea than coffee`. Without "than" it is about one occasion.
fn read_rather(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    let Some(than) = cursor.words.iter().position(|word| word.lower == "than") else { return };
    let (left, right) = cursor.words.split_at_checked(than).unwrap_or_default();
    cursor.words = left;
    if cursor.takes_one_of(&RATHER_VERBS) {
        cursor.takes_one_of(&["to", "by"]);
    }
    let mut other = Cursor { words: right.get(1..).unwrap_or_default(), after: &[] };
    if other.takes_one_of(&RATHER_VERBS) {
        other.takes_one_of(&["to", "by"]);
    }
    let object = parse(cursor.words, None, Trust::Known);
    let over = parse(other.words, None, Trust::Any);
    if over.is_some() {
        push(found, object, Polarity::Like, over, false);
    }
}

/// After "I": `really like tea`, `can't stand cilantro`.
fn read_verb(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    while cursor.takes_one_of(&ADVERBS) {}
    if cursor.takes_any(&[&["can't"], &["cannot"], &["can", "not"]]) {
        while cursor.takes_one_of(&["really", "absolutely"]) {}
        if cursor.takes_one_of(&["stand", "bear", "abide"]) {
            read_objects(cursor, Trust::Short, Polarity::Dislike, true, found);
        }
        return;
    }
    if read_stopped(cursor, found) {
        return;
    }
    let is_over = cursor.takes(&["no", "longer"]);
    let is_negated = is_over || cursor.takes_any(&[&["don't"], &["do", "not"], &["not"]]);
    let is_over = is_over || is_negated && says_any_more(cursor.words);
    if is_over && cursor.takes_one_of(&DOING.map(|(plain, _)| plain)) {
        read_end(cursor, found);
        return;
    }
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
            read_objects(cursor, Trust::Short, Polarity::Dislike, false, found);
        }
    } else if cursor.takes(&["prefer"]) {
        read_prefer(cursor.words, found);
    } else if cursor.takes_one_of(&["hate", "detest", "loathe", "despise"]) {
        read_objects(cursor, Trust::Short, Polarity::Dislike, true, found);
    } else if cursor.takes(&["dislike"]) {
        read_objects(cursor, Trust::Short, Polarity::Dislike, false, found);
    } else if cursor.takes_one_of(&["love", "adore"]) {
        read_objects(cursor, Trust::Short, Polarity::Like, true, found);
    } else if cursor.takes_one_of(&["like", "enjoy"]) {
        read_objects(cursor, Trust::Short, Polarity::Like, false, found);
    }
}

/// After "I": `have stopped drinking coffee`, `gave up meat`. Whether it is that.
fn read_stopped(mut cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) -> bool {
    cursor.takes(&["have"]);
    let stopped = cursor.takes_any(&[&["given", "up"], &["gave", "up"], &["quit"], &["stopped"]]);
    if stopped {
        cursor.takes_one_of(&DOING.map(|(_, doing)| doing));
        read_end(cursor, found);
    }
    stopped
}

/// Adds what the owner does no more.
fn read_end(cursor: Cursor<'_, '_>, found: &mut Vec<Statement>) {
    for object in lists::objects(cursor.words, cursor.after, None, Trust::Known, Polarity::Like) {
        let (polarity, over) = (Polarity::Like, None);
        found.push(Statement { object, polarity, over, is_strong: false, is_end: true });
    }
}

fn says_any_more(words: &[Word<'_>]) -> bool {
    match words {
        [.., any, more]
            if any.lower == "any" && (more.lower == "more" || more.lower == "longer") =>
        {
            true
        }
        [.., anymore] => anymore.lower == "anymore",
        [] => false,
    }
}

fn has_comparison(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| matches!(word.lower.as_ref(), "than" | "as"))
}

/// After "I prefer": `tea to coffee`, `working in the morning`.
fn read_prefer(words: &[Word<'_>], found: &mut Vec<Statement>) {
    if let [to, verb @ ..] = words
        && to.lower == "to"
    {
        // Activities are compared in too many ways to be parsed.
        let object = parse(verb, None, Trust::Activity)
            .filter(|_| !verb.iter().any(|word| COMPARISONS.contains(&word.lower.as_ref())));
        push(found, object.map(Object::into_activity), Polarity::Like, None, true);
        return;
    }
    // Whatever is done rather in the morning, the morning is preferred. "Tea in the morning" is not
    // done.
    let is_done = words.first().is_some_and(|first| {
        first.lower.ends_with("ing") || matches!(first.lower.as_ref(), "the" | "at" | "meetings")
    });
    if is_done
        && let [.., of, last] = trimmed(words)
        && matches!(of.lower.as_ref(), "the" | "at")
        && let Some(part) = daypart(&last.lower)
        && words.len() <= OBJECT_WORDS_MAX + 1
        && !words.iter().any(|word| {
            POINTING.contains(&word.lower.as_ref())
                || matches!(word.lower.as_ref(), "to" | "over" | "than")
        })
    {
        push(found, Some(daypart_object(part)), Polarity::Like, None, true);
        return;
    }
    let is_gerund = |word: Option<&Word<'_>>| word.is_some_and(|word| word.lower.ends_with("ing"));
    let split = words.iter().enumerate().skip(1).find_map(|(at, word)| {
        let next = words.get(at + 1);
        match word.lower.as_ref() {
            "over" | "than" => Some((at, at + 1)),
            "rather" if next.is_some_and(|next| next.lower == "than") => Some((at, at + 2)),
            "instead" if next.is_some_and(|next| next.lower == "of") => Some((at, at + 2)),
            // "Going to the cinema" is one object, "hiking to swimming" is two.
            "to" if !is_gerund(words.first()) || is_gerund(next) => Some((at, at + 1)),
            _ => None,
        }
    });
    match split {
        Some((end, start)) => {
            let object = parse(words.get(..end).unwrap_or_default(), None, Trust::Any);
            let over = parse(words.get(start..).unwrap_or_default(), None, Trust::Any);
            // "I prefer Tom to lead the meeting" is not a comparison.
            let is_somebody = words.get(end).is_some_and(|word| word.lower == "to")
                && words.len() - start > 1
                && object
                    .as_ref()
                    .is_some_and(|object| object.domain == GENERAL && object.is_proper());
            if over.is_some() && !is_somebody {
                push(found, object, Polarity::Like, over, true);
            }
        }
        None => push(found, parse(words, None, Trust::Any), Polarity::Like, None, true),
    }
}

/// Adds one statement for each object of a list; reads the less preferred object after `more than`
/// or `better than`.
fn read_objects(
    cursor: Cursor<'_, '_>,
    trust: Trust,
    polarity: Polarity,
    is_strong: bool,
    found: &mut Vec<Statement>,
) {
    let words = cursor.words;
    if let Some(than) = words.iter().position(|word| word.lower == "than") {
        let (left, right) = words.split_at_checked(than).unwrap_or_default();
        let Some((comparative, object)) = left.split_last() else { return };
        let over = parse(right.get(1..).unwrap_or_default(), None, Trust::Any);
        if matches!(comparative.lower.as_ref(), "more" | "better")
            && over.is_some()
            && polarity == Polarity::Like
        {
            push(found, parse(object, None, trust), polarity, over, is_strong);
        }
        return;
    }
    for object in lists::objects(words, cursor.after, None, trust, polarity) {
        push(found, Some(object), polarity, None, is_strong);
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
        found.push(Statement { object, polarity, over, is_strong, is_end: false });
    }
}
