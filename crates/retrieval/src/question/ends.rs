//! What is read of a long question: its beginning and its end.
//!
//! Whoever pastes a log asks before it or after it. So a text that is too long to be read keeps
//! half of what may be read at either end.

use std::borrow::Cow;

use super::QUESTION_WORDS_MAX;
use crate::text::cut;
use crate::text::words::visit_words;

/// Most bytes of a question that are read.
pub const QUESTION_BYTES_MAX: usize = 64 * 1024;

/// The beginning and the end of a text, at most [`QUESTION_BYTES_MAX`] together; all of a shorter
/// text.
///
/// ```
/// use retrieval::question::ends::both_ends;
///
/// assert_eq!(both_ends("Who is allergic?"), "Who is allergic?");
/// let long = format!("Look: {} Who is allergic?", "x ".repeat(100_000));
/// let read = both_ends(&long);
/// assert!(read.len() < 65_537 && read.starts_with("Look: x") && read.ends_with("allergic?"));
/// ```
pub fn both_ends(text: &str) -> Cow<'_, str> {
    if text.len() <= QUESTION_BYTES_MAX {
        return Cow::Borrowed(text);
    }
    let half = QUESTION_BYTES_MAX / 2 - 1;
    let first = cut(text, half);
    let last = text.get(text.ceil_char_boundary(text.len() - half)..).unwrap_or_default();
    Cow::Owned(format!("{first}\n{last}"))
}

/// The same by words: at most [`QUESTION_WORDS_MAX`] are left.
pub(super) fn both_ends_in_words(text: &str) -> Cow<'_, str> {
    // No two words begin at the same byte.
    if text.len() <= QUESTION_WORDS_MAX {
        return Cow::Borrowed(text);
    }
    let mut spans = Vec::new();
    visit_words(text, |word| {
        spans.push(word.start..word.end());
        true
    });
    let half = QUESTION_WORDS_MAX / 2;
    if spans.len() <= QUESTION_WORDS_MAX {
        return Cow::Borrowed(text);
    }
    let first = spans.get(half - 1).and_then(|word| text.get(..word.end));
    let last = spans.get(spans.len() - half).and_then(|word| text.get(word.start..));
    Cow::Owned(format!("{}\n{}", first.unwrap_or_default(), last.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_too_many_words_keeps_those_at_both_ends() {
        let check = |text: &str, first: &str, last: &str| {
            let read = both_ends_in_words(text);
            let mut words = 0;
            visit_words(&read, |_| {
                words += 1;
                true
            });
            assert!(words <= QUESTION_WORDS_MAX, "{words}");
            assert!(read.starts_with(first) && read.ends_with(last), "{read}");
        };
        for filler in ["w ", "log_line=3\n", "猫の手 ", "?! a "] {
            let text = format!("Before it. {} Who asks?", filler.repeat(2_000));
            check(&text, "Before it.", "Who asks?");
        }
        check("Short?", "Short?", "Short?");
        check("", "", "");
    }

    #[test]
    fn texts_of_any_characters_are_cut_between_them() {
        for character in ["é", "猫", "🏺", "e\u{301}"] {
            let long = character.repeat(QUESTION_BYTES_MAX);
            assert!(both_ends(&long).len() <= QUESTION_BYTES_MAX, "{character}");
        }
    }
}
