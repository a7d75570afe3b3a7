//! The clauses of a sentence, and reading one of them word by word.

use super::word_lists::{ADVERBS, OPENING_PHRASES, OPENINGS, VERBS};
use crate::statements::{Break, Sentence, Word};

/// The parts between commas and conjunctions.
pub(super) fn clauses<'s, 't>(sentence: &'s Sentence<'t>) -> Vec<&'s [Word<'t>]> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, word) in sentence.words.iter().enumerate().skip(1) {
        let begins = match word.lower.as_ref() {
            _ if word.before != Break::None => true,
            "and" | "so" | "since" | "while" | "as" => {
                // What begins it may come after "really" and the like.
                let mut next = sentence.words.iter().skip(at + 1).map(|word| word.lower.as_ref());
                next.find(|word| !ADVERBS.contains(word)).is_some_and(|next| {
                    matches!(next, "i" | "i'm" | "i'd" | "my") || VERBS.contains(&next)
                })
            }
            "but" | "because" | "although" | "though" => true,
            _ => false,
        };
        if begins {
            clauses.extend(sentence.words.get(start..at));
            start = at;
        }
    }
    clauses.extend(sentence.words.get(start..));
    clauses
}

/// The clause after words like "and" or "honestly".
pub(super) fn without_openings<'s, 't>(clause: &'s [Word<'t>]) -> &'s [Word<'t>] {
    let words = |words: &'s [Word<'t>]| {
        let openings =
            words.iter().take_while(|word| OPENINGS.contains(&word.lower.as_ref())).count();
        words.get(openings..).unwrap_or_default()
    };
    let mut cursor = Cursor { words: words(clause), after: &[] };
    while cursor.takes_any(&OPENING_PHRASES) {
        cursor.words = words(cursor.words);
    }
    cursor.words
}

/// A position in a clause that is read word by word.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'s, 't> {
    pub(super) words: &'s [Word<'t>],
    /// The clauses after it.
    pub(super) after: &'s [&'s [Word<'t>]],
}

impl<'s, 't> Cursor<'s, 't> {
    /// Consumes `words` if they come next.
    pub(super) fn takes(&mut self, words: &[&str]) -> bool {
        let matches = words.len() <= self.words.len()
            && self.words.iter().zip(words).all(|(word, next)| word.lower == *next);
        if matches {
            self.words = self.words.get(words.len()..).unwrap_or_default();
        }
        matches
    }

    pub(super) fn takes_any(&mut self, choices: &[&[&str]]) -> bool {
        choices.iter().any(|words| self.takes(words))
    }

    pub(super) fn takes_one_of(&mut self, words: &[&str]) -> bool {
        let matches = self.words.first().is_some_and(|word| words.contains(&word.lower.as_ref()));
        if matches {
            self.words = self.words.get(1..).unwrap_or_default();
        }
        matches
    }
}
