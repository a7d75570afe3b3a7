//! The sentences of a text as they were written.
//!
//! Notes and commit messages are wrapped, so a sentence may go on in the next line. Quoted lines,
//! tables, code and what a script gives to a speaker are left out.

use super::lexicon::is_label;
use crate::introductions::{before_words_of_others, is_put_by_another};
use crate::statements::{STATEMENT_BYTES_MAX, has_speaker, split, without_marker};

/// What stands between the names of sections, as importers write them.
const SECTIONS: &str = " › ";
/// Fewest characters of a line that may go on in the next: a shorter one was ended on purpose.
const WRAPPED_CHARS_MIN: usize = 50;
/// Most lines of one paragraph.
const LINES_MAX: usize = 64;

/// The sentences of a text, at most of its first [`STATEMENT_BYTES_MAX`] bytes.
pub fn sentences_of(text: &str) -> Vec<String> {
    let text = text.get(..text.floor_char_boundary(STATEMENT_BYTES_MAX)).unwrap_or_default();
    paragraphs(text)
        .iter()
        .filter(|paragraph| !has_speaker(paragraph) || has_label(paragraph))
        .flat_map(|paragraph| split(before_words_of_others(paragraph)))
        .filter(|part| !is_put_by_another(part))
        .flat_map(split_after_one_character)
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// How a sentence begins that cannot be the rest of a name ("K. Meyer") or of a date ("3. Mai").
#[rustfmt::skip]
const BEGINNINGS: [&str; 24] = [
    "We", "I", "It", "He", "She", "They", "You", "This", "That", "These", "Those", "There", "The", "Our", "My", "But", "And",
    "So", "Then", "Also", "Wir", "Ich", "Nous", "Nosotros",
];

/// Splits a part after words of one character, too, such as the number 4 or the letter K, where a
/// sentence begins that could not go on there. The derivers take such a full stop for that of an
/// initial or of an ordinal.
fn split_after_one_character(part: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in part.match_indices(". ") {
        let (Some(before), Some(after)) = (part.get(start..at), part.get(at + 1..)) else {
            continue;
        };
        let mut words = before.split_whitespace().rev();
        // What is numbered begins with its number.
        let is_one = words.next().is_some_and(|word| word.chars().nth(1).is_none());
        let has_more = words.next().is_some();
        let mut next = after.split_whitespace();
        let begins = next.next().is_some_and(|word| BEGINNINGS.contains(&word));
        if is_one && has_more && begins && next.next().is_some() {
            parts.extend(part.get(start..=at));
            start = at + 1;
        }
    }
    parts.extend(part.get(start..));
    parts
}

/// The sentences of the whole text, those that a script gives to a speaker included. Headings are
/// left out, and so are the names of sections before a section's text.
pub(crate) fn whole_sentences_of(text: &str) -> Vec<String> {
    paragraphs(text)
        .iter()
        .filter(|paragraph| !paragraph.contains(SECTIONS))
        .flat_map(|paragraph| glued(split(paragraph)))
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// Parts of a paragraph, of which none begins inside a word: `?` is part of an address, too.
fn glued(parts: Vec<&str>) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for part in parts {
        match sentences.last_mut() {
            Some(last) if !part.starts_with(char::is_whitespace) => last.push_str(part),
            _ => sentences.push(part.to_owned()),
        }
    }
    sentences
}

/// Whether what stands before the colon says what the line is, and not who speaks.
fn has_label(paragraph: &str) -> bool {
    paragraph.split_once(':').is_some_and(|(label, _)| is_label(&label.trim().to_lowercase()))
}

/// Lines that belong together, without their markers.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut is_code = false;
    // How many lines the last paragraph has, if it may go on.
    let mut open: Option<usize> = None;
    for raw in text.lines() {
        let line = raw.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            open = None;
            continue;
        }
        let is_indented = raw.starts_with("    ") || raw.starts_with('\t');
        let is_item = without_marker(line).len() < line.len();
        if is_code || line.is_empty() || line.starts_with(['>', '|', '#']) {
            open = None;
            continue;
        }
        // An indented line continues an item of a list, or is code.
        if is_indented && open.is_none() && !is_item {
            continue;
        }
        let goes_on =
            line.chars().count() >= WRAPPED_CHARS_MIN && !line.ends_with(['.', '!', '?', ':', ';']);
        match (open, paragraphs.last_mut()) {
            (Some(lines), Some(last)) if !is_item && lines < LINES_MAX => {
                last.push(' ');
                last.push_str(line);
                open = goes_on.then_some(lines + 1);
            }
            _ => {
                paragraphs.push(without_marker(line).to_owned());
                open = goes_on.then_some(1);
            }
        }
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_sentence_is_one() {
        let text = "# Notes\n\n- We decided to fire the kiln on Friday, because the\n  glaze is dry. \
            It works.\n- Short\n- item\n> quoted\n```\ncode\n```\nTom: I agree.\n\n    let x = 1;\n";
        assert_eq!(
            sentences_of(text),
            [
                "We decided to fire the kiln on Friday, because the glaze is dry.",
                "It works.",
                "Short",
                "item",
            ]
        );
    }

    #[test]
    fn a_sentence_may_end_with_a_number_or_a_letter() {
        let text = "We decided to buy item number 0. We decided to buy item number 1. It is from \
            Shop K. We like it. So does J. Meyer. 1. The first. Am 3. Mai feiern wir in Raum B. Wir \
            sind acht.";
        assert_eq!(
            sentences_of(text),
            [
                "We decided to buy item number 0.",
                "We decided to buy item number 1.",
                "It is from Shop K.",
                "We like it.",
                "So does J. Meyer.",
                "1. The first.",
                "Am 3. Mai feiern wir in Raum B.",
                "Wir sind acht.",
            ]
        );
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "",
            "\n",
            "- ",
            "#",
            "```",
            "1.",
            "é",
            "…",
            "\u{0}",
            "    x",
            "a. We",
            "é. We é",
            ". We are",
        ] {
            let _ = sentences_of(text);
        }
    }
}
