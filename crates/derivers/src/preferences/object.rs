//! What a preference is about: the words of an object, and whether they are to be trusted.
//!
//! "This approach", "the second option" and "your idea" point at something at hand and say nothing
//! of what the owner likes in general. How much an object has to say for itself depends on the form
//! of the statement: "I prefer" and "my favourite" are explicit, after "I like" an unknown word
//! counts only if it is short and plain.

use super::DAYPART;
use super::lexicon::{daypart, domain_of};
use super::words::{ARTICLES, EVERYWHERE, POINTING, TAILS, VAGUE};
use crate::slug::slug;
use crate::statements::Word;

/// Longest object, words.
pub(super) const OBJECT_WORDS_MAX: usize = 5;
/// Longest object that is taken on trust, without a word that the lexicon knows.
const UNKNOWN_WORDS_MAX: usize = 2;

/// What a preference is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    pub(super) domain: &'static str,
    pub(super) name: String,
    pub(super) slug: String,
}

/// The domain of what no word of the lexicon is in.
pub(super) const GENERAL: &str = "general";

impl Object {
    /// Something that one does: "to work alone".
    pub(super) fn into_deed(self) -> Self {
        if self.domain == DAYPART {
            return self;
        }
        let name = format!("to {}", self.name);
        Self { slug: slug(&name), name, ..self }
    }

    /// Whether it is written like a name.
    pub(super) fn is_proper(&self) -> bool {
        self.name.contains(char::is_uppercase)
    }
}

/// How much an object must say for itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// The form is explicit: any object.
    Any,
    /// A word of the lexicon, or one or two lower-case words that are no activity.
    Short,
    /// A word of the lexicon.
    Known,
}

/// The object that `words` name; none if they point at something, say nothing, or say too much.
pub(super) fn named(
    words: &[Word<'_>],
    topic: Option<&'static str>,
    trust: Trust,
) -> Option<Object> {
    let words = trimmed(words);
    let (article, words) = match words {
        [first, rest @ ..] if ARTICLES.contains(&first.lower.as_ref()) => {
            (Some(first.lower.as_ref()), rest)
        }
        words => (None, words),
    };
    let first = words.first()?;
    let has_number =
        words.iter().any(|word| word.text.contains(|letter: char| letter.is_ascii_digit()));
    let points = words.iter().any(|word| POINTING.contains(&word.lower.as_ref()));
    if words.len() > OBJECT_WORDS_MAX
        || has_number
        || points
        || VAGUE.contains(&first.lower.as_ref())
    {
        return None;
    }
    if let [only] = words
        && let Some(part) = daypart(&only.lower)
    {
        return Some(of_day(part));
    }
    let known = domain_of(&lower(words));
    let is_plain = words.iter().all(|word| !word.text.contains(char::is_uppercase));
    // "The" points at something at hand: "the blue one", "the colour".
    let is_at_hand = article == Some("the")
        && topic.is_none()
        && !words.iter().any(|word| EVERYWHERE.contains(&word.lower.as_ref()));
    let is_trusted = match trust {
        Trust::Any => true,
        Trust::Short => {
            let is_short = words.len() <= UNKNOWN_WORDS_MAX && article.is_none();
            known.is_some() || is_plain && is_short && !first.lower.ends_with("ing")
        }
        Trust::Known => known.is_some(),
    };
    // A relative clause or a condition belongs to the object and would be lost.
    let has_clause = words.iter().any(|word| {
        matches!(word.lower.as_ref(), "is" | "are" | "was" | "were" | "because" | "than")
    });
    if !is_trusted || is_at_hand || has_clause {
        return None;
    }
    let name = words
        .iter()
        .map(|word| if is_plain { word.lower.as_ref() } else { word.text })
        .collect::<Vec<_>>()
        .join(" ");
    let slug = slug(&name);
    (!slug.is_empty()).then(|| Object { domain: topic.or(known).unwrap_or(GENERAL), name, slug })
}

/// A part of the day.
pub(super) fn of_day(part: &'static str) -> Object {
    Object { domain: DAYPART, name: part.to_owned(), slug: part.to_owned() }
}

/// Without what may follow an object.
pub(super) fn trimmed<'w, 't>(mut words: &'w [Word<'t>]) -> &'w [Word<'t>] {
    loop {
        let tail = TAILS.iter().find_map(|tail| {
            let start = words.len().checked_sub(tail.len())?;
            words
                .get(start..)?
                .iter()
                .zip(*tail)
                .all(|(word, end)| word.lower == *end)
                .then_some(start)
        });
        match tail {
            Some(start) => words = words.get(..start).unwrap_or_default(),
            None => return words,
        }
    }
}

/// The words in lower case.
pub(super) fn lower<'w>(words: &'w [Word<'_>]) -> Vec<&'w str> {
    words.iter().map(|word| word.lower.as_ref()).collect()
}
