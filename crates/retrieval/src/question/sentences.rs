//! The sentences of a question that has several.
//!
//! People often say something before they ask. A memory that can answer the question may know
//! nothing of the rest, so it is judged by its sentences ([`crate::rank::relevance`]): by those
//! that end with a question mark, or by all if none does.

use unicode_segmentation::UnicodeSegmentation;

use crate::text::words::Word;

/// Most sentences that are read, from the end of the text.
const READ_MAX: usize = 16;

/// The last sentences of a text, in order; empty if it has only one.
pub fn last_sentences(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = text.unicode_sentences().collect();
    found.drain(..found.len().saturating_sub(READ_MAX));
    if found.len() > 1 { found } else { Vec::new() }
}

/// Whether a sentence ends with a question mark.
pub fn asks(sentence: &str) -> bool {
    sentence.trim_end().trim_end_matches(is_closing).ends_with(['?', '？', '؟', '՞', '⁇', '⁈'])
}

/// Whether a word has a capital letter though it does not begin a sentence of `text`.
pub(super) fn is_capitalised_inside(text: &str, word: &Word<'_>) -> bool {
    word.text.chars().next().is_some_and(char::is_uppercase) && !begins_sentence(text, word)
}

/// Whether a word is the first of a sentence of `text`.
pub(super) fn begins_sentence(text: &str, word: &Word<'_>) -> bool {
    let before = text.get(..word.start).unwrap_or_default().trim_end_matches(is_beside);
    before.chars().next_back().is_none_or(ends_sentence)
}

fn is_closing(character: char) -> bool {
    matches!(character, '"' | '\'' | '”' | '’' | '»' | ')' | '」')
}

fn is_beside(character: char) -> bool {
    character.is_whitespace() || matches!(character, '"' | '\'' | '“' | '‘' | '«' | '(' | '¿' | '¡')
}

fn ends_sentence(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | ':' | '。' | '！' | '？' | '؟' | '…')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::visit_words;

    #[test]
    fn only_a_text_with_several_sentences_is_divided() {
        assert!(last_sentences("Which boat was rented?").is_empty());
        assert!(last_sentences("  ?! ").is_empty());
        assert_eq!(last_sentences("It rained. Which boat?"), ["It rained. ", "Which boat?"]);
        assert_eq!(last_sentences("下雨了。哪条船？").len(), 2);
        assert_eq!(last_sentences(&"So it goes. ".repeat(10_000)).len(), READ_MAX);
    }

    #[test]
    fn a_question_ends_with_a_question_mark_of_its_language() {
        for question in ["Which boat?", "哪条船？", "أي قارب؟", "(Which boat?) "] {
            assert!(asks(question), "{question}");
        }
        assert!(!asks("The boat.") && !asks(""));
    }

    #[test]
    fn capital_letters_count_inside_of_a_sentence_only() {
        let text = "Did Ada go? Ben did (\"Maybe\"). Was Zoe in Oslo";
        let mut found = Vec::new();
        visit_words(text, |word| {
            found.extend(is_capitalised_inside(text, &word).then_some(word.text));
            true
        });
        assert_eq!(found, ["Ada", "Maybe", "Zoe", "Oslo"]);
    }
}
