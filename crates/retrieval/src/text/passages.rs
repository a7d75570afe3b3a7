//! Cutting a long text into passages: the unit that is searched and served.
//!
//! A passage ends between sentences or at the end of a line, so that it can be read by itself. A
//! text of up to [`WHOLE_WORDS_MAX`] words is one passage. A sentence that is longer than a passage
//! is cut between words.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::cut;

/// A text of at most this many words is one passage.
pub const WHOLE_WORDS_MAX: usize = 120;
/// A passage ends with the first sentence that reaches this many words.
const PASSAGE_WORDS: usize = 60;
/// The words in which a paragraph may end a passage.
const PARAGRAPH_WORDS: usize = 40;
/// A shorter rest joins the passage before it.
const REST_WORDS_MIN: usize = 25;
/// A longer sentence is cut between words.
const SENTENCE_WORDS_MAX: usize = WHOLE_WORDS_MAX;
/// A word without spaces that is longer is cut.
const WORD_BYTES_MAX: usize = 512;
/// Characters that count as one word in scripts without spaces.
const UNSPACED_CHARS: usize = 2;
/// Most passages of one text; the rest of the text is not searched.
pub const PASSAGES_MAX: usize = 1_024;
/// How much of a text is searched.
const SEARCHED_BYTES_MAX: usize = 1024 * 1024;

/// The passages of a text, in order, without gaps. A text has at least one, however short it is. Of
/// a very long text they cover the beginning.
///
/// ```
/// use retrieval::text::passages::passages;
///
/// assert_eq!(passages("We went camping. It rained.").len(), 1);
/// let long = "We went camping. ".repeat(100);
/// let parts = passages(&long);
/// assert!(parts.len() > 3 && parts.iter().all(|part| long[part.clone()].trim().ends_with('.')));
/// ```
pub fn passages(text: &str) -> Vec<Range<usize>> {
    if words_in(text, WHOLE_WORDS_MAX + 1) <= WHOLE_WORDS_MAX {
        return std::iter::once(0..text.len()).collect();
    }
    let text = cut(text, SEARCHED_BYTES_MAX);
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut end, mut words) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        // An empty line ends a paragraph.
        if words >= PARAGRAPH_WORDS && line.trim().is_empty() {
            end += line.len();
            found.push(start..end);
            (start, words) = (end, 0);
            continue;
        }
        for sentence in line.split_sentence_bounds().flat_map(pieces) {
            end += sentence.len();
            words += words_in(sentence, SENTENCE_WORDS_MAX);
            if words >= PASSAGE_WORDS {
                found.push(start..end);
                (start, words) = (end, 0);
            }
        }
        if found.len() >= PASSAGES_MAX {
            break;
        }
    }
    found.truncate(PASSAGES_MAX);
    if end > start && found.len() < PASSAGES_MAX {
        match found.last_mut().filter(|_| words < REST_WORDS_MIN) {
            Some(last) => last.end = end,
            None => found.push(start..end),
        }
    }
    found
}

/// A sentence, cut between words where it is longer than a passage.
fn pieces(sentence: &str) -> impl Iterator<Item = &str> {
    let mut rest = sentence;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut length = rest.len();
        let (mut words, mut unspaced, mut word_start) = (0, 0, 0);
        for (place, character) in rest.char_indices() {
            let is_break = character.is_whitespace() || super::words::is_unspaced(character);
            if is_break || place - word_start >= WORD_BYTES_MAX {
                unspaced += usize::from(!character.is_whitespace());
                let counts = character.is_whitespace() || unspaced % UNSPACED_CHARS == 0;
                words += usize::from(counts);
                word_start = place + character.len_utf8();
                if words >= SENTENCE_WORDS_MAX {
                    length = word_start;
                    break;
                }
            }
        }
        let (piece, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(piece)
    })
}

/// About how many words a text has; counts up to `most`. So many bytes as the longest word has
/// count as one if no word begins in them: a row of marks fills a passage, too.
fn words_in(text: &str, most: usize) -> usize {
    let (mut words, mut unspaced, mut in_word, mut bytes) = (0, 0, false, 0);
    for character in text.chars() {
        bytes += character.len_utf8();
        let begins_word = if super::words::is_unspaced(character) {
            unspaced += 1;
            in_word = false;
            unspaced % UNSPACED_CHARS == 1
        } else if character.is_alphanumeric() {
            !std::mem::replace(&mut in_word, true)
        } else {
            in_word &= !character.is_whitespace();
            false
        };
        if begins_word || bytes >= WORD_BYTES_MAX {
            words += 1;
            bytes = 0;
        }
        if words >= most {
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<Range<usize>> {
        let found = passages(text);
        assert_eq!(found.first().map(|first| first.start), Some(0));
        for pair in found.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
        }
        for range in &found {
            assert!(text.get(range.clone()).is_some(), "{range:?}");
        }
        found
    }

    #[test]
    fn short_texts_are_whole() {
        for text in ["", "x", "One. Two. Three.", "\n\n", "猫"] {
            assert_eq!(check(text), [Range { start: 0, end: text.len() }]);
        }
        let whole = "word ".repeat(WHOLE_WORDS_MAX);
        assert_eq!(check(&whole).len(), 1);
    }

    #[test]
    fn passages_end_with_sentences_and_cover_the_text() {
        let text = "The boat left at noon and the weather was fine. ".repeat(40);
        let found = check(&text);
        assert!((5..=7).contains(&found.len()), "{}", found.len());
        assert_eq!(found.last().map(|last| last.end), Some(text.len()));
        for range in found {
            assert!(text[range].trim_end().ends_with('.'));
        }
    }

    #[test]
    fn a_paragraph_ends_a_passage() {
        let paragraph = "Nine words are in this sentence about the boat. ".repeat(5);
        let text = format!("{paragraph}\n\n{paragraph}\n\n{paragraph}");
        let found = check(&text);
        assert_eq!(found.len(), 3);
        assert!(text[found[1].clone()].starts_with("Nine"));
    }

    #[test]
    fn texts_without_sentences_spaces_or_ends_are_cut_too() {
        for text in [
            "word ".repeat(1_000),
            "a".repeat(200_000),
            "猫".repeat(5_000),
            "a_b-c/".repeat(40_000),
            "?!".repeat(100_000),
            "é\u{301}".repeat(50_000),
            "line\n".repeat(5_000),
        ] {
            let found = check(&text);
            assert!(found.len() > 1, "{}", text.len());
            let longest = found.iter().map(|range| range.len()).max().unwrap();
            assert!(longest <= 300 * WORD_BYTES_MAX, "{longest}");
        }
    }

    #[test]
    fn the_number_of_passages_is_limited() {
        let text = "word ".repeat(1_000_000);
        assert!(passages(&text).last().unwrap().end <= SEARCHED_BYTES_MAX);
        assert_eq!(passages(&"a b c d. ".repeat(500_000)).len(), PASSAGES_MAX);
    }
}
