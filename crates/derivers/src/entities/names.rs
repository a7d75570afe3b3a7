//! Which words of a sentence name an entity.
//!
//! Code and technologies are recognised word by word. Proper nouns are runs of words with a
//! capital. At the beginning of a sentence a capital says nothing, in a heading none does, and a
//! word that the text also writes in lower case is not a name. A run is a person if it begins with
//! a known given name or follows a title, and an organization if it ends as those do.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::EntityType;
use super::code::{PLAIN_QUOTED, Recognized, recognize};
use super::lexicon::{
    CALENDAR_WORDS, COMMON_WORDS, GIVEN_NAMES, ORDINARY_GIVEN_NAMES, ORGANIZATION_WORDS,
    ORGANIZATIONS,
};
use super::relations::is_explicit;
use super::tokens::{Gap, Token, Tokens};

/// Most words of a name.
const WORDS_MAX: usize = 6;
/// Fewest words of code in a text about code.
const CODE_MIN: usize = 2;
/// Most words of a label before a colon.
const LABEL_WORDS_MAX: usize = 5;
/// Most small words in a row inside a name.
const PARTICLES_MAX: usize = 3;
/// Fewest words of a heading.
const HEADING_WORDS_MIN: usize = 4;
/// Confidence of a name of unknown sort that occurs once: below what is staged by default.
pub(super) const SEEN_ONCE: f64 = 0.5;
/// The same if the text repeats it.
const SEEN_AGAIN: f64 = 0.65;

/// Words before the name of a person.
const TITLES: [&str; 9] = ["mr", "mrs", "ms", "mx", "dr", "prof", "professor", "herr", "frau"];
/// Small words inside names.
const PARTICLES: [&str; 12] =
    ["van", "von", "de", "der", "den", "da", "del", "della", "di", "la", "le", "bin"];
/// First words of names such as "University of Zurich".
const OF_HEADS: [&str; 8] =
    ["University", "Bank", "Institute", "Ministry", "Department", "Museum", "Academy", "College"];
/// Words of German, in which every noun has a capital.
#[rustfmt::skip]
const GERMAN: [&str; 20] = [
    "der", "die", "das", "und", "nicht", "ist", "ein", "eine", "den", "dem", "mit", "für", "auf", "zu", "wir", "ich",
    "sich", "auch", "von", "werden",
];
/// Words of English.
#[rustfmt::skip]
const ENGLISH: [&str; 20] = [
    "the", "a", "an", "and", "is", "to", "of", "in", "for", "on", "with", "that", "this", "was", "we", "it", "be", "are",
    "not", "as",
];

/// Words of a sentence that name an entity.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spotted {
    /// Which words.
    pub(super) words: Range<usize>,
    /// The name.
    pub(super) name: String,
    /// What it is.
    pub(super) entity_type: EntityType,
    /// How sure that is.
    pub(super) confidence: f64,
}

/// What the rest of a text says of its words.
pub(super) struct Context {
    /// Words that it writes in lower case.
    lower: BTreeSet<String>,
    /// How often a word has a capital inside a sentence.
    inside: BTreeMap<String, usize>,
    /// How often a word stands between back quotes.
    quoted: BTreeMap<String, usize>,
    /// How many words are certainly code.
    code: usize,
    /// Whether nouns have capitals in its language.
    has_noun_capitals: bool,
}

impl Context {
    pub(super) fn of(sentences: &[Tokens<'_>]) -> Self {
        let (mut german, mut english) = (0_usize, 0_usize);
        let mut context = Self {
            lower: BTreeSet::new(),
            inside: BTreeMap::new(),
            quoted: BTreeMap::new(),
            code: 0,
            has_noun_capitals: false,
        };
        for sentence in sentences {
            let is_heading = is_heading(sentence);
            for (place, token) in sentence.all.iter().enumerate() {
                let found = recognize(sentence, place);
                let is_code = found.is_some_and(|found| found.entity_type == EntityType::Code);
                context.code += usize::from(is_code);
                german += usize::from(GERMAN.contains(&token.lower.as_str()));
                english += usize::from(ENGLISH.contains(&token.lower.as_str()));
                if token.is_quoted_code {
                    *context.quoted.entry(token.text.to_owned()).or_default() += 1;
                } else if token.text.starts_with(char::is_lowercase) {
                    context.lower.insert(token.lower.clone());
                } else if is_capitalized(token) && !begins(token) && !is_heading {
                    *context.inside.entry(token.text.to_owned()).or_default() += 1;
                }
            }
        }
        context.has_noun_capitals = german > english;
        context
    }

    /// Whether the text also writes a word in lower case.
    fn has_lower(&self, token: &Token<'_>) -> bool {
        self.lower.contains(&token.lower)
    }
}

/// The entities of a sentence, in order, none within another.
pub(super) fn spot(sentence: &Tokens<'_>, context: &Context) -> Vec<Spotted> {
    let is_heading = is_heading(sentence);
    let mut spotted = Vec::new();
    let mut place = 0;
    while place < sentence.all.len() {
        let run = run_at(sentence, place);
        if let Some(found) = organization(sentence, &run, is_heading) {
            place = found.words.end;
            spotted.push(found);
            continue;
        }
        if let Some(found) = recognize(sentence, place).filter(|_| !is_known(sentence, &run)) {
            let Recognized { name, mut entity_type, mut confidence, words } = found;
            // Where there is code, names in one word are code.
            if entity_type == EntityType::Other && context.code >= CODE_MIN {
                (entity_type, confidence) = (EntityType::Code, 0.75);
            }
            if confidence == PLAIN_QUOTED
                && context.quoted.get(&name).is_some_and(|times| *times > 1)
            {
                confidence = SEEN_AGAIN;
            }
            let words = place..place + words;
            place = words.end;
            spotted.push(Spotted { words, name, entity_type, confidence });
            continue;
        }
        if run.is_empty() {
            place += 1;
            continue;
        }
        let (found, end) = proper_noun(sentence, run, context, is_heading);
        spotted.extend(found);
        place = end;
    }
    spotted
}

/// The person, organization or thing that a run of words with a capital names, and where to go on.
fn proper_noun(
    sentence: &Tokens<'_>,
    run: Range<usize>,
    context: &Context,
    is_heading: bool,
) -> (Option<Spotted>, usize) {
    let token = |place: usize| sentence.all.get(place);
    let Some(first) = token(run.start) else { return (None, run.end.max(run.start + 1)) };
    // What stands in the way of a name is passed over.
    if is_common(first) {
        return (None, run.start + 1);
    }
    let is_given = GIVEN_NAMES.binary_search(&first.text).is_ok();
    let has_title =
        run.start.checked_sub(1).is_some_and(|last| TITLES.contains(&sentence.lower(last)));
    let is_plain = (run.start + 1..run.end).any(|place| token(place).is_some_and(is_common));
    let length = run.len();
    let is_product = (run.start + 1..run.end).any(|place| recognize(sentence, place).is_some());
    let is_ordinary = ORDINARY_GIVEN_NAMES.contains(&first.text);
    if (is_given && length > 1 || has_title) && !is_plain && !is_product {
        let confidence = if is_ordinary && begins(first) { 0.7 } else { 0.85 };
        return (spotted(sentence, run.clone(), EntityType::Person, confidence), run.end);
    }
    // "Mozilla 4.04" is a program.
    let has_version = sentence.before(run.end) == Gap::Space
        && token(run.end).is_some_and(|next| is_version(next.text));
    if length == 1 && ORGANIZATIONS.contains(&first.text) && !has_version {
        return (spotted(sentence, run.clone(), EntityType::Organization, 0.85), run.end);
    }
    if length == 1 && is_given && !is_ordinary && !is_heading && !context.has_lower(first) {
        return (spotted(sentence, run.clone(), EntityType::Person, 0.75), run.end);
    }
    if is_heading || begins(first) || context.has_noun_capitals || is_plain {
        return (None, run.end);
    }
    let are_names = run
        .clone()
        .filter_map(token)
        .all(|token| !context.has_lower(token) || PARTICLES.contains(&token.lower.as_str()));
    let is_latin = first.text.chars().all(|letter| letter.is_ascii() || u32::from(letter) < 0x250);
    let is_derived = length == 1
        && (is_given
            || ["ing", "-like", "-based", "-only", "-style", "-specific", "-related"]
                .iter()
                .any(|ending| first.text.ends_with(ending)));
    let is_labelled = is_label(sentence, &run);
    if !are_names || !is_latin || is_derived || is_labelled || first.text.chars().count() < 3 {
        return (None, run.end);
    }
    let is_again = run.clone().filter_map(token).all(|token| {
        context.inside.get(token.text).is_some_and(|times| *times > 1)
            || PARTICLES.contains(&token.lower.as_str())
    });
    let confidence = if is_again { SEEN_AGAIN } else { SEEN_ONCE };
    (spotted(sentence, run.clone(), EntityType::Other, confidence), run.end)
}

/// Whether a run belongs to a label such as "Data Minimization:", or follows a word with a capital
/// that does not belong to it.
fn is_label(sentence: &Tokens<'_>, run: &Range<usize>) -> bool {
    let ends_label = sentence.before(run.end) == Gap::Break && run.end <= LABEL_WORDS_MAX;
    let follows = run.start.checked_sub(1).and_then(|last| sentence.all.get(last));
    let is_joined = sentence.before(run.start) == Gap::Space
        && follows.is_some_and(|last| {
            last.text.starts_with(char::is_uppercase) && last.text.chars().count() > 4
        });
    ends_label || is_joined
}

/// An organization: a run that ends as the names of organizations do, or begins "University of".
fn organization(sentence: &Tokens<'_>, run: &Range<usize>, is_heading: bool) -> Option<Spotted> {
    if run.len() < 2 || run.len() > WORDS_MAX {
        return None;
    }
    let first = sentence.all.get(run.start)?;
    let last = sentence.all.get(run.end - 1)?;
    let is_of = OF_HEADS.contains(&first.text) && sentence.lower(run.start + 1) == "of";
    let ends = ORGANIZATION_WORDS.contains(&last.text);
    let named = |place: &usize| sentence.all.get(*place).is_some_and(|token| !is_common(token));
    let is_named = named(&run.start) && (run.start + 1..run.end - 1).all(|place| named(&place));
    // In a heading, and at the beginning of a sentence, the first word may belong to the rest.
    let is_sure = !is_heading && !begins(first)
        || recognize(sentence, run.start).is_some()
        || ORGANIZATIONS.contains(&first.text);
    match is_of || ends && is_named && is_sure && last.text != "Group" {
        true => spotted(sentence, run.clone(), EntityType::Organization, 0.75),
        false => None,
    }
}

/// Whether a run is one word that is the name of an organization.
fn is_known(sentence: &Tokens<'_>, run: &Range<usize>) -> bool {
    let first = sentence.all.get(run.start);
    run.len() == 1 && first.is_some_and(|first| ORGANIZATIONS.contains(&first.text))
}

pub(super) fn spotted(
    sentence: &Tokens<'_>,
    words: Range<usize>,
    entity_type: EntityType,
    confidence: f64,
) -> Option<Spotted> {
    let at = sentence.range(words.clone());
    let name = sentence.text.get(at)?.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Spotted { words, name, entity_type, confidence })
}

/// The words with a capital that belong together and begin at a place; empty if none does.
fn run_at(sentence: &Tokens<'_>, place: usize) -> Range<usize> {
    if !sentence.all.get(place).is_some_and(is_capitalized) {
        return place..place;
    }
    let is_of = sentence.all.get(place).is_some_and(|token| OF_HEADS.contains(&token.text));
    let mut end = place + 1;
    while end < sentence.all.len()
        && end - place < WORDS_MAX
        && sentence.before(end) == Gap::Space
        && !sentence.all.get(end - 1).is_some_and(|token| token.is_possessive)
    {
        let Some(token) = sentence.all.get(end) else { break };
        let particles = (end + 1..end + PARTICLES_MAX)
            .take_while(|place| PARTICLES.contains(&sentence.lower(*place)))
            .count();
        let next = sentence.all.get(end + 1 + particles);
        let continues = next.is_some_and(|next| is_capitalized(next) && next.before == Gap::Space);
        let joins = is_initial(token)
            || PARTICLES.contains(&token.lower.as_str())
            || is_of && end == place + 1 && token.lower == "of";
        let is_inside = joins && continues;
        if !is_capitalized(token) && !is_inside {
            break;
        }
        end += 1;
    }
    place..end
}

/// Whether a word has one capital, at its beginning.
fn is_capitalized(token: &Token<'_>) -> bool {
    let mut letters = token.text.chars();
    !token.is_quoted_code
        && !token.is_call
        && letters.next().is_some_and(char::is_uppercase)
        && token.text.chars().count() > 1
        && token
            .text
            .chars()
            .all(|letter| letter.is_alphabetic() || matches!(letter, '-' | '\'' | '’'))
        && letters.clone().any(char::is_lowercase)
        // "I'll" begins with an upper-case letter, too.
        && !["I'", "I’"].iter().any(|pronoun| token.text.starts_with(pronoun))
        && (letters.all(|letter| !letter.is_uppercase())
            || token.text.contains(['-', '\'', '’'])
            || ["Mc", "Mac", "De", "Le", "La", "Di"]
                .iter()
                .any(|prefix| token.text.starts_with(prefix))
            || ORGANIZATIONS.contains(&token.text))
}

/// `4.04`
fn is_version(text: &str) -> bool {
    text.contains('.')
        && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
        && text.starts_with(|letter: char| letter.is_ascii_digit())
}

/// An initial: "M" or "M.".
fn is_initial(token: &Token<'_>) -> bool {
    let mut letters = token.text.trim_end_matches('.').chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
}

/// Whether a word begins a sentence, or what stands for one: after a colon or a dash.
fn begins(token: &Token<'_>) -> bool {
    token.before >= Gap::Break
}

pub(super) fn is_common(token: &Token<'_>) -> bool {
    COMMON_WORDS.binary_search(&token.text).is_ok() || CALENDAR_WORDS.contains(&token.text)
}

/// Whether a sentence is written as headings are: most of its longer words after the first have a
/// capital.
fn is_heading(sentence: &Tokens<'_>) -> bool {
    if is_explicit(sentence) {
        return false;
    }
    let longer = sentence.all.iter().skip(1).filter(|token| {
        !token.is_quoted_code
            && token.text.chars().count() > 3
            && token.text.chars().all(char::is_alphabetic)
    });
    let (mut words, mut capitals) = (0_usize, 0_usize);
    for token in longer {
        words += 1;
        capitals += usize::from(token.text.starts_with(char::is_uppercase));
    }
    words >= HEADING_WORDS_MIN && capitals * 2 > words
}
