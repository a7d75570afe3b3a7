//! The sentences of a question that has several.
//!
//! People often say something before they ask. A memory that can answer the question may know
//! nothing of the rest, so it is judged by its sentences ([`crate::rank::relevance`]): by those
//! that end with a question mark, or by all if none does.

use unicode_segmentation::UnicodeSegmentation;

use super::is_first_person;
use crate::text::words::{Word, visit_words};

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

/// "I", "my" and "we" in German, French, Spanish and Russian, in lower case.
#[rustfmt::skip]
static FIRST_PERSON: &[&str] = &[
    "ich", "je", "mein", "meine", "meinem", "meinen", "meiner", "mes", "mich", "mir", "moi", "mon", "nosotros",
    "notre", "nous", "uns", "unser", "unsere", "wir", "yo", "мне", "мной", "мои", "мой", "моя", "моё", "мы", "нам",
    "нас", "наш", "наша", "наши", "я", "меня",
];
/// The same in scripts without spaces.
const FIRST_PERSON_UNSPACED: [char; 5] = ['我', '私', '僕', '俺', '咱'];

/// Whether a text is in the first person: its author speaks of themselves.
pub fn is_in_first_person(text: &str) -> bool {
    let mut found = text.contains(FIRST_PERSON_UNSPACED);
    visit_words(text, |word| {
        let lower = word.text.to_lowercase();
        found |= is_first_person(&lower) || FIRST_PERSON.contains(&lower.as_str());
        !found
    });
    found
}

/// Whether a word has a capital letter though it does not begin a sentence of `text`.
pub(super) fn is_capitalised_inside(text: &str, word: &Word<'_>) -> bool {
    let before = text.get(..word.start).unwrap_or_default().trim_end_matches(is_beside);
    word.text.chars().next().is_some_and(char::is_uppercase)
        && before.chars().next_back().is_some_and(|last| !ends_sentence(last))
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
    fn the_first_person_is_recognised_in_several_languages() {
        for text in ["I'm late", "Where did we go?", "Wo war ich?", "Где я был?", "我去了哪里？"]
        {
            assert!(is_in_first_person(text), "{text}");
        }
        for text in ["", "Where did Ada go?", "Wo war sie?", "Где он был?", "他去了哪里？"]
        {
            assert!(!is_in_first_person(text), "{text}");
        }
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
