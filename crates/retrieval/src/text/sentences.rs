//! Cutting a text into sentences, to show a part of it.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Most sentences of one text; the last of them has the rest.
pub const SENTENCES_MAX: usize = 1_024;

/// The sentences of a text, in order, without gaps. Each ends with its white space; a line ends a
/// sentence.
///
/// ```
/// use retrieval::text::sentences::sentences;
///
/// assert_eq!(sentences("It rained. We left\nby boat."), [0..11, 11..19, 19..27]);
/// assert_eq!(sentences(""), []);
/// ```
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    for part in text.split_sentence_bounds() {
        let start = end;
        end += part.len();
        if found.len() == SENTENCES_MAX - 1 {
            found.push(start..text.len());
            break;
        }
        match found.last_mut() {
            // White space is part of the sentence before it.
            Some(last) if part.trim().is_empty() => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_cover_the_text_whatever_it_is() {
        for text in [
            "One. Two? Three!\n\n- four\n- five",
            "猫が好きです。犬も好きです。",
            " \n leading",
            &"a b c d. ".repeat(5_000),
            &"\u{301}é".repeat(1_000),
        ] {
            let found = sentences(text);
            assert!(found.len() <= SENTENCES_MAX);
            assert_eq!((found[0].start, found.last().unwrap().end), (0, text.len()));
            assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert!(found.iter().all(|range| text.get(range.clone()).is_some()));
        }
        assert_eq!(sentences("猫が好きです。犬も好きです。").len(), 2);
    }
}
