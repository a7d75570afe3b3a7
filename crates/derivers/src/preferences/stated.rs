//! What the owner says of their preferences: "I prefer tea to coffee", "I can't stand cilantro".
//!
//! A clause counts when it *begins* with one of the forms below, after words like "and" or "honestly"; so "I don't think I
//! like…", "Ana knows I love…" and "Do I like…" never come near. The whole sentence is left out when a word in it makes
//! it a report, a guess, a condition, a wish or a joke. Then the object decides: what points at something (this, your, the
//! second) is not about what the owner likes in general.

use super::lexicon::{daypart, domain_of};
use crate::slug::slug;
use crate::statements::{Break, Sentence, Word, contains_folded, is_request, sentences};

/// Most statements of one record.
pub(super) const STATEMENTS_MAX: usize = 32;
/// Longest object, words.
const OBJECT_WORDS_MAX: usize = 5;
/// Longest object that is taken on trust, without a word that the lexicon knows.
const UNKNOWN_WORDS_MAX: usize = 2;

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

/// What a preference is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    pub(super) domain: &'static str,
    pub(super) name: String,
    pub(super) slug: String,
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

/// One of these has to occur, or nothing is read.
const CUES: [&str; 15] = [
    "prefer", "like", "love", "enjoy", "adore", "favo", "hate", "stand ", "detest", "loathe", "despise", "bear ",
    "rather", "fan of", "care for",
];
const MORE_CUES: [&str; 4] = ["fond of", "person", "night owl", "early bird"];

/// With one of these in it, a sentence is a report, a guess, a condition, a wish, past, or a joke.
const DOUBTFUL: [&str; 62] = [
    "if",
    "unless",
    "whether",
    "would",
    "might",
    "maybe",
    "perhaps",
    "probably",
    "possibly",
    "guess",
    "suppose",
    "supposedly",
    "imagine",
    "pretend",
    "wish",
    "hope",
    "wonder",
    "could",
    "should",
    "says",
    "said",
    "say",
    "saying",
    "told",
    "tells",
    "asked",
    "asks",
    "thinks",
    "thought",
    "claims",
    "claimed",
    "believes",
    "assumes",
    "knows",
    "quote",
    "quotes",
    "quoted",
    "used",
    "once",
    "previously",
    "formerly",
    "when",
    "whenever",
    "until",
    "oh",
    "wow",
    "yay",
    "sarcasm",
    "sarcastic",
    "kidding",
    "joking",
    "joke",
    "lol",
    "haha",
    "not",
    "hypothetically",
    "character",
    "wrote",
    "lyrics",
    "story",
    "somebody",
    "he'd",
];

/// Words with which a clause may begin before it comes to the point.
const OPENINGS: [&str; 36] = [
    "and",
    "but",
    "so",
    "well",
    "yes",
    "yeah",
    "no",
    "honestly",
    "actually",
    "personally",
    "also",
    "anyway",
    "generally",
    "because",
    "since",
    "fyi",
    "btw",
    "note",
    "remember",
    "please",
    "that",
    "though",
    "although",
    "while",
    "overall",
    "usually",
    "basically",
    "frankly",
    "hi",
    "hello",
    "hey",
    "thanks",
    "ps",
    "myself",
    "for",
    "me",
];

/// Words between "I" and the verb that leave the meaning.
const ADVERBS: [&str; 17] = [
    "really",
    "absolutely",
    "generally",
    "usually",
    "also",
    "still",
    "much",
    "strongly",
    "definitely",
    "personally",
    "do",
    "truly",
    "particularly",
    "especially",
    "always",
    "very",
    "simply",
];

/// An object that begins with one of these, or holds it, points at something at hand.
const POINTING: [&str; 88] = [
    "it",
    "its",
    "it's",
    "this",
    "that",
    "that's",
    "these",
    "those",
    "you",
    "your",
    "yours",
    "you're",
    "he",
    "she",
    "him",
    "her",
    "his",
    "hers",
    "them",
    "their",
    "they",
    "they're",
    "we",
    "us",
    "our",
    "i",
    "i'm",
    "i'd",
    "me",
    "my",
    "mine",
    "here",
    "there",
    "one",
    "ones",
    "option",
    "idea",
    "ideas",
    "plan",
    "version",
    "approach",
    "suggestion",
    "proposal",
    "way",
    "part",
    "sound",
    "look",
    "looks",
    "draft",
    "first",
    "second",
    "third",
    "last",
    "next",
    "latter",
    "former",
    "other",
    "another",
    "today",
    "tonight",
    "tomorrow",
    "yesterday",
    "now",
    "how",
    "what",
    "where",
    "why",
    "who",
    "which",
    "whose",
    "said",
    "both",
    "either",
    "neither",
    "same",
    "such",
    "above",
    "below",
    "left",
    "right",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "up",
];

/// An object that is one of these, or begins with it, says nothing.
const VAGUE: [&str; 40] = [
    "everything",
    "nothing",
    "something",
    "anything",
    "thing",
    "things",
    "stuff",
    "most",
    "none",
    "each",
    "many",
    "much",
    "more",
    "less",
    "some",
    "people",
    "someone",
    "everyone",
    "everybody",
    "anyone",
    "all",
    "enough",
    "lots",
    "to",
    "being",
    "having",
    "getting",
    "not",
    "no",
    "yes",
    "only",
    "just",
    "and",
    "or",
    "but",
    "so",
    "too",
    "very",
    "best",
    "kind",
];

/// What may follow an object without being part of it; longest first.
const TAILS: [&str; 21] = [
    "more than anything",
    "so very much",
    "these days",
    "very much",
    "so much",
    "the most",
    "the best",
    "as well",
    "in general",
    "a lot",
    "at all",
    "any more",
    "of course",
    "too",
    "most",
    "best",
    "though",
    "anyway",
    "instead",
    "anymore",
    "really",
];

/// Before the object.
const ARTICLES: [&str; 5] = ["a", "an", "any", "the", "some"];

/// Verbs before what "I'd rather" is about.
const RATHER_VERBS: [&str; 14] =
    ["have", "drink", "eat", "take", "use", "read", "watch", "play", "get", "order", "visit", "listen", "go", "do"];

/// Pairs that are one thing.
const COMPOUNDS: [&str; 12] = [
    "mac and cheese",
    "fish and chips",
    "rock and roll",
    "gin and tonic",
    "salt and vinegar",
    "bread and butter",
    "bacon and eggs",
    "ham and eggs",
    "black and white",
    "sweet and sour",
    "arts and crafts",
    "rhythm and blues",
];

/// Everything that the owner's `text` says of preferences.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let has_cue = |text: &str| CUES.iter().chain(&MORE_CUES).any(|cue| contains_folded(text, cue));
    let is_first_person = |text: &str| {
        contains_folded(text, "i ")
            || contains_folded(text, "i'")
            || contains_folded(text, "i’")
            || contains_folded(text, "my ")
    };
    let mut found = Vec::new();
    if !is_first_person(text) || !has_cue(text) || is_request(text) {
        return found;
    }
    for sentence in sentences(text, |part| is_first_person(part) && has_cue(part)) {
        if sentence.is_question || is_doubtful(&sentence) {
            continue;
        }
        for clause in clauses(&sentence) {
            if found.len() < STATEMENTS_MAX {
                read(clause, &mut found);
            }
        }
    }
    found.truncate(STATEMENTS_MAX);
    found
}

fn is_doubtful(sentence: &Sentence<'_>) -> bool {
    let quotes = sentence.last == Break::Quote || sentence.words.iter().any(|word| word.before == Break::Quote);
    let doubtful = |(at, word): (usize, &Word<'_>)| {
        let is_plain_not = word.lower == "not"
            && matches!(at.checked_sub(1).map_or("", |before| sentence.lower(before)), "do" | "can" | "am" | "i'm")
            && at <= 6;
        DOUBTFUL.contains(&word.lower.as_str()) && !is_plain_not
    };
    quotes || sentence.words.iter().enumerate().any(doubtful)
}

/// The parts between commas and conjunctions, each without its opening words.
fn clauses<'s, 't>(sentence: &'s Sentence<'t>) -> Vec<&'s [Word<'t>]> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, word) in sentence.words.iter().enumerate().skip(1) {
        let is_subject = matches!(sentence.lower(at + 1), "i" | "i'm" | "i'd" | "my");
        let begins = match word.lower.as_str() {
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
        let openings = clause.iter().take_while(|word| OPENINGS.contains(&word.lower.as_str())).count();
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
        let matches =
            words.len() <= self.words.len() && self.words.iter().zip(words).all(|(word, next)| word.lower == *next);
        if matches {
            self.words = self.words.get(words.len()..).unwrap_or_default();
        }
        matches
    }

    fn takes_any(&mut self, choices: &[&[&str]]) -> bool {
        choices.iter().any(|words| self.takes(words))
    }

    fn takes_one_of(&mut self, words: &[&str]) -> bool {
        let matches = self.words.first().is_some_and(|word| words.contains(&word.lower.as_str()));
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
        .position(|pair| matches!(pair, [is, my] if matches!(is.lower.as_str(), "is" | "are") && my.lower == "my"))
    {
        // "Tenmoku is my favourite glaze".
        let (object, rest) = clause.split_at_checked(at).unwrap_or_default();
        let mut cursor = Cursor { words: rest.get(2..).unwrap_or_default() };
        let is_favourite = cursor.takes_one_of(&["favourite", "favorite"]);
        if is_favourite && (1..=2).contains(&cursor.words.len()) && !is_vague_topic(cursor.words) {
            let topic = domain_of(cursor.words.iter().map(|word| word.lower.as_str()));
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
    let Some(verb) = cursor.words.iter().take(4).position(|word| matches!(word.lower.as_str(), "is" | "are")) else {
        return;
    };
    let (topic, object) = cursor.words.split_at_checked(verb).unwrap_or_default();
    if topic.is_empty() || is_vague_topic(topic) {
        return;
    }
    let topic = domain_of(topic.iter().map(|word| word.lower.as_str()));
    let polarity = if is_least { Polarity::Dislike } else { Polarity::Like };
    push(found, named(object.get(1..).unwrap_or_default(), topic, Trust::Any), polarity, None, true);
}

/// "My favourite part of this" is about this.
fn is_vague_topic(topic: &[Word<'_>]) -> bool {
    let vague = [
        "part", "parts", "thing", "things", "bit", "one", "ones", "way", "of", "person", "people", "moment", "memory",
        "line",
    ];
    topic.iter().any(|word| vague.contains(&word.lower.as_str()) || POINTING.contains(&word.lower.as_str()))
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
    let part = if cursor.takes_any(&[&["morning", "person"], &["early", "bird"], &["early", "riser"]]) {
        Some("morning")
    } else if cursor.takes_any(&[&["night", "owl"], &["night", "person"]]) {
        Some("night")
    } else if cursor.takes_any(&[&["evening", "person"]]) {
        Some("evening")
    } else {
        None
    };
    match part {
        Some(part) if trimmed(cursor.words).is_empty() => push(found, Some(of_day(part)), polarity, None, true),
        Some(_) => {}
        None if cursor.takes(&["fan", "of"]) => each(cursor.words, Trust::Short, polarity, false, found),
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
        if cursor.takes_any(&[&["like"], &["enjoy"], &["care", "for"], &["love"]]) && !has_comparison(cursor.words) {
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
    words.iter().any(|word| matches!(word.lower.as_str(), "than" | "as"))
}

/// After "I prefer": `tea to coffee`, `working in the morning`.
fn prefer(words: &[Word<'_>], found: &mut Vec<Statement>) {
    let words = match words {
        [to, rest @ ..] if to.lower == "to" => rest,
        words => words,
    };
    // What is preferred in the morning is the morning.
    if let [.., of, last] = trimmed(words)
        && matches!(of.lower.as_str(), "the" | "at")
        && let Some(part) = daypart(&last.lower)
        && words.len() <= OBJECT_WORDS_MAX + 1
        && !words.iter().any(|word| {
            POINTING.contains(&word.lower.as_str()) || matches!(word.lower.as_str(), "to" | "over" | "than")
        })
    {
        push(found, Some(of_day(part)), Polarity::Like, None, true);
        return;
    }
    let is_gerund = |word: Option<&Word<'_>>| word.is_some_and(|word| word.lower.ends_with("ing"));
    let split = words.iter().enumerate().skip(1).find_map(|(at, word)| {
        let next = words.get(at + 1);
        match word.lower.as_str() {
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
            if over.is_some() {
                push(found, object, Polarity::Like, over, true);
            }
        }
        None => push(found, named(words, None, Trust::Any), Polarity::Like, None, true),
    }
}

/// One statement for each object of `tea and coffee`; with `more than` or `better than`, what it is preferred to.
fn each(words: &[Word<'_>], trust: Trust, polarity: Polarity, is_strong: bool, found: &mut Vec<Statement>) {
    if let Some(than) = words.iter().position(|word| word.lower == "than") {
        let (left, right) = words.split_at_checked(than).unwrap_or_default();
        let Some((comparative, object)) = left.split_last() else { return };
        let over = named(right.get(1..).unwrap_or_default(), None, Trust::Any);
        if matches!(comparative.lower.as_str(), "more" | "better") && over.is_some() && polarity == Polarity::Like {
            push(found, named(object, None, trust), polarity, over, is_strong);
        }
        return;
    }
    let trimmed = trimmed(words);
    let whole: Vec<&str> = trimmed.iter().map(|word| word.lower.as_str()).collect();
    let joint = trimmed.iter().position(|word| matches!(word.lower.as_str(), "and" | "or"));
    match joint.filter(|_| !COMPOUNDS.contains(&whole.join(" ").as_str())) {
        Some(joint) => {
            let (left, right) = trimmed.split_at_checked(joint).unwrap_or_default();
            let (left, right) = (named(left, None, trust), named(right.get(1..).unwrap_or_default(), None, trust));
            // Half a pair that is understood may be half of one thing: then neither is.
            if let (Some(left), Some(right)) = (left, right) {
                push(found, Some(left), polarity, None, is_strong);
                push(found, Some(right), polarity, None, is_strong);
            }
        }
        None => push(found, named(trimmed, None, trust), polarity, None, is_strong),
    }
}

fn push(found: &mut Vec<Statement>, object: Option<Object>, polarity: Polarity, over: Option<Object>, is_strong: bool) {
    let Some(object) = object else { return };
    let is_itself = over.as_ref().is_some_and(|over| over.slug == object.slug);
    if !is_itself {
        found.push(Statement { object, polarity, over, is_strong });
    }
}

fn of_day(part: &'static str) -> Object {
    Object { domain: "daypart", name: part.to_owned(), slug: part.to_owned() }
}

/// How much an object must say for itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// The form is explicit: any object.
    Any,
    /// A word of the lexicon, or one or two lower-case words that are no activity.
    Short,
    /// A word of the lexicon.
    Known,
}

fn trimmed<'w, 't>(mut words: &'w [Word<'t>]) -> &'w [Word<'t>] {
    loop {
        let tail = TAILS.iter().find_map(|tail| {
            let length = tail.split(' ').count();
            let start = words.len().checked_sub(length)?;
            let ends = words.get(start..)?.iter().map(|word| word.lower.as_str()).eq(tail.split(' '));
            ends.then_some(start)
        });
        match tail {
            Some(start) => words = words.get(..start).unwrap_or_default(),
            None => return words,
        }
    }
}

/// The object that `words` name; none if they point at something, say nothing, or say too much.
fn named(words: &[Word<'_>], topic: Option<&'static str>, trust: Trust) -> Option<Object> {
    let words = trimmed(words);
    let (article, words) = match words {
        [first, rest @ ..] if ARTICLES.contains(&first.lower.as_str()) => (Some(first.lower.as_str()), rest),
        words => (None, words),
    };
    let first = words.first()?;
    let has_number = words.iter().any(|word| word.text.contains(|letter: char| letter.is_ascii_digit()));
    let points = words.iter().any(|word| POINTING.contains(&word.lower.as_str()));
    if words.len() > OBJECT_WORDS_MAX || has_number || points || VAGUE.contains(&first.lower.as_str()) {
        return None;
    }
    if let [only] = words
        && let Some(part) = daypart(&only.lower)
    {
        return Some(of_day(part));
    }
    let known = domain_of(words.iter().map(|word| word.lower.as_str()));
    let is_plain = words.iter().all(|word| !word.text.contains(char::is_uppercase));
    let is_trusted = known.is_some()
        || match trust {
            // "The" and a word that is not known is something at hand: "the blue one", "the draft".
            Trust::Any => topic.is_some() || article != Some("the"),
            Trust::Short => {
                is_plain && article.is_none() && words.len() <= UNKNOWN_WORDS_MAX && !first.lower.ends_with("ing")
            }
            Trust::Known => false,
        };
    // A relative clause or a condition belongs to the object and would be lost.
    let has_clause =
        words.iter().any(|word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "because" | "than"));
    if !is_trusted || has_clause {
        return None;
    }
    let name =
        words.iter().map(|word| if is_plain { word.lower.as_str() } else { word.text }).collect::<Vec<_>>().join(" ");
    let slug = slug(&name);
    (!slug.is_empty()).then(|| Object { domain: topic.or(known).unwrap_or("general"), name, slug })
}
