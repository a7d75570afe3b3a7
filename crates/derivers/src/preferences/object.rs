//! Objects of preferences: their words, and whether to accept them.
//!
//! "This approach", "the second option" and "your idea" refer to the current context, not to what
//! the owner likes in general. How specific an object must be depends on the form of the statement:
//! "I prefer" and "my favourite" are explicit; after "I like", an unknown object counts only if it
//! is short and plain.

use super::DAYPART;
use super::lexicon::{daypart, domain_of};
use super::word_lists::{
    ARTICLES, BARE_VERBS, EVERYWHERE, PARTICLES, POINTING, TAILS, VAGUE, WORDED_ARTICLES,
};
use crate::slug::slug;
use crate::statements::Word;

/// Longest object, words.
pub(super) const OBJECT_WORDS_MAX: usize = 5;
/// Longest object that is accepted without a word from the lexicon, words.
const UNKNOWN_WORDS_MAX: usize = 2;

/// What a preference is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    pub(super) domain: &'static str,
    /// The article that it was said with, which its wording needs: "a good book".
    pub(super) article: Option<&'static str>,
    pub(super) name: String,
    pub(super) slug: String,
}

/// The domain of objects without a word from the lexicon.
pub(super) const GENERAL: &str = "general";

impl Object {
    /// Turns it into an activity: "to work alone".
    pub(super) fn into_activity(self) -> Self {
        if self.domain == DAYPART {
            return self;
        }
        let name = format!("to {}", self.name);
        Self { article: None, slug: slug(&name), name, ..self }
    }

    /// It in a sentence, if it is worded with this article.
    pub(super) fn in_words(&self, article: Option<&str>) -> String {
        match article {
            _ if self.domain == DAYPART => format!("{}s", self.name),
            Some(article) => format!("{article} {}", self.name),
            None => self.name.clone(),
        }
    }

    /// Whether it is capitalised like a name.
    pub(super) fn is_proper(&self) -> bool {
        self.name.contains(char::is_uppercase)
    }
}

/// Which objects a form of statement accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Any object: the form is explicit.
    Any,
    /// Any activity, after "to".
    Activity,
    /// A word from the lexicon, or one or two lower-case words that do not name an activity.
    Short,
    /// A word from the lexicon.
    Known,
}

/// The object that `words` name; `None` if they depend on context, are vague, or are too many.
pub(super) fn parse(
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
    // "I love running away from problems" is about no sport.
    let is_idiom = matches!(trust, Trust::Short | Trust::Known)
        && first.lower.ends_with("ing")
        && words.get(1).is_some_and(|second| PARTICLES.contains(&second.lower.as_ref()));
    let has_number = words.iter().any(|word| {
        word.text.contains(|letter: char| letter.is_ascii_digit())
            && !(trust == Trust::Any && is_numbered_name(&word.lower))
    });
    let points = words.iter().any(|word| POINTING.contains(&word.lower.as_ref()));
    if words.len() > OBJECT_WORDS_MAX
        || has_number
        || words.iter().any(|word| is_drawn_out(&word.lower))
        || points
        || is_idiom
        || VAGUE.contains(&first.lower.as_ref())
        || trust != Trust::Activity && BARE_VERBS.contains(&first.lower.as_ref())
    {
        return None;
    }
    if let [only] = words
        && let Some(part) = daypart(&only.lower)
    {
        return Some(daypart_object(part));
    }
    let known = domain_of(&lower(words));
    let is_plain = words.iter().all(|word| !word.text.contains(char::is_uppercase));
    // "The" refers to the current context: "the blue one", "the colour".
    let is_at_hand = article == Some("the")
        && topic.is_none()
        && !words.iter().any(|word| EVERYWHERE.contains(&word.lower.as_ref()));
    let is_trusted = match trust {
        Trust::Any | Trust::Activity => true,
        Trust::Short => {
            let is_short = words.len() <= UNKNOWN_WORDS_MAX && article.is_none();
            known.is_some() || is_plain && is_short && !first.lower.ends_with("ing")
        }
        Trust::Known => known.is_some(),
    };
    // A relative clause or a condition qualifies the object and would be lost.
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
    let domain = topic.or(known).unwrap_or(GENERAL);
    let article = WORDED_ARTICLES.into_iter().find(|worded| article == Some(worded));
    (!slug.is_empty()).then_some(Object { domain, article, name, slug })
}

/// Whether a word is a name that ends with a digit, as "flake8" and unlike "option2".
fn is_numbered_name(word: &str) -> bool {
    let counted = [
        "chapter", "draft", "item", "model", "option", "page", "part", "phase", "plan", "room",
        "section", "step", "test", "variant", "version",
    ];
    let name = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    word.len() == name.len() + 1
        && name.len() >= 4
        && name.bytes().all(|letter| letter.is_ascii_lowercase())
        && !counted.contains(&name)
}

/// Whether a letter stands three times in a row, as in no word that names a thing: `himmm`.
fn is_drawn_out(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(3).any(|three| three.iter().all(|letter| three.first() == Some(letter)))
}

/// A part of the day.
pub(super) fn daypart_object(part: &'static str) -> Object {
    Object { domain: DAYPART, article: None, name: part.to_owned(), slug: part.to_owned() }
}

/// The words without a phrase that may follow an object.
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
