//! Cutting a text into sentences, to show a part of it.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Most sentences of one text; the last of them has the rest.
pub const SENTENCES_MAX: usize = 1_024;

/// Words before a full stop that does not end a sentence. "etc." and "usw." are not among them,
/// since they often do end one.
#[rustfmt::skip]
const ABBREVIATIONS: [&str; 40] = [
    "dr", "mr", "mrs", "ms", "prof", "st", "sr", "jr", "rev", "capt", "lt", "sgt", "mme", "mlle", "hr", "hrn", "fr",
    "e.g", "i.e", "z.b", "d.h", "u.a", "bzw", "vgl", "approx", "cf", "tel", "tél", "тел", "mob", "ref", "ул", "ul",
    "avda", "einschl", "exkl", "inkl", "zzgl", "incl", "excl",
];
/// The same, if a number follows.
#[rustfmt::skip]
const BEFORE_NUMBERS: [&str; 18] = [
    "no", "nr", "fig", "figs", "vol", "p", "pp", "art", "abs", "ca", "ch", "vs", "v", "c", "ver", "ser", "bd", "ext",
];

/// The sentences of a text, in order, without gaps. Each ends with its white space; a line ends a
/// sentence. A full stop after an abbreviation, an initial, or an ordinal number before a word
/// ("3. Dezember") does not end one.
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
            Some(last) if text.get(last.clone()).is_some_and(|before| goes_on(before, part)) => {
                last.end = end;
            }
            _ => found.push(start..end),
        }
    }
    found
}

/// Whether what ends in a full stop goes on with what follows it.
fn goes_on(before: &str, after: &str) -> bool {
    let trimmed = before.trim_end_matches([' ', '\t', '\u{a0}']);
    let Some(stopped) = trimmed.strip_suffix('.') else { return false };
    let begins = |letter: char| letter.is_whitespace() || "([\"'„“".contains(letter);
    let word = stopped.rsplit(begins).next().unwrap_or_default();
    let is_ordinal = !word.is_empty()
        && word.len() <= 2
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && word.len() < stopped.trim_start().len()
        && after.chars().next().is_some_and(char::is_alphabetic);
    let mut letters = word.chars();
    let is_initial = matches!((letters.next(), letters.next()), (Some(one), None) if one.is_uppercase())
        && word != "I";
    let word = word.to_lowercase();
    is_ordinal
        || is_initial
        || ABBREVIATIONS.contains(&word.as_str())
        || BEFORE_NUMBERS.contains(&word.as_str())
            && after.starts_with(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_stop_after_an_abbreviation_or_an_ordinal_ends_no_sentence() {
        let cut = |text: &'static str| {
            let ranges = sentences(text);
            ranges.into_iter().map(|range| text[range].trim()).collect::<Vec<_>>()
        };
        for whole in [
            "My landlord is Mr. Brown.",
            "Der Zahnarzttermin ist am 3. Dezember um 14:30 Uhr",
            "Next Friday at 3 pm with Dr. Novak.",
            "The server costs approx. 40 EUR, i.e. Half of it.",
            "Unser Hochzeitstag ist der 14. Juli, nicht der 15.",
            "J. R. Smith called.",
            "My dentist is Dr. Huber, tel. 031 555 12 12.",
            "Please bring the contract (ref. KX-2291).",
            "The router runs v. 3 of it.",
        ] {
            assert_eq!(cut(whole), [whole]);
        }
        assert_eq!(cut("I was 12. Then I left."), ["I was 12. Then I left."]);
        assert_eq!(cut("So am I. You too."), ["So am I.", "You too."]);
        assert_eq!(cut("Buy eggs, etc. Then call."), ["Buy eggs, etc.", "Then call."]);
        assert_eq!(cut("He said no. Then he left."), ["He said no.", "Then he left."]);
        assert_eq!(cut("He saw it.\nNo. 7 came."), ["He saw it.", "No. 7 came."]);
        assert_eq!(cut("It was in 2025. We left."), ["It was in 2025.", "We left."]);
    }

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
