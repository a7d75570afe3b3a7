//! The terms of one word in one language.

use std::borrow::Cow;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use super::language::{Language, WordLanguage, word_language};
use super::recognition::is_function_word;
use super::stop_words::{is_english_stop_word, is_negation};
use super::words::{cut_at_apostrophe, parts, without_elided};
use super::{TERM_BYTES_MAX, Term, irregular, time_expressions};

/// The zero-width non-joiner.
const JOINER: char = '\u{200c}';

/// The terms of a word: none for a stop word, several for a compound identifier.
pub(super) fn terms_of(word: &str, language: Language) -> Vec<Term> {
    if word_language(word) == WordLanguage::ArabicUnlessPersian && word.contains(JOINER) {
        // Persian sets endings apart: "bacheha", children, is "bache", child, and "ha".
        return word.split(JOINER).filter_map(|part| term(part, language)).collect();
    }
    let mut terms = Vec::new();
    let is_stop_word = language == Language::English && is_negation(word);
    let stem = if is_stop_word { "" } else { without_suffix(word, language) };
    for part in std::iter::once(stem).chain(parts(stem)) {
        if let Some(term) = term(&lower_case(part, language), language)
            && !terms.contains(&term)
        {
            terms.push(term);
        }
    }
    terms
}

/// The word without what an apostrophe joins to it.
fn without_suffix(word: &str, language: Language) -> &str {
    let elided = language.elides().then(|| without_elided(word)).flatten();
    match elided {
        Some((before, after)) if is_function_word(&before.to_lowercase(), language) => after,
        _ => cut_at_apostrophe(word),
    }
}

/// The term of a single word in lower case.
fn term(word: &str, language: Language) -> Option<Term> {
    if word.is_empty() || word.len() > TERM_BYTES_MAX {
        return None;
    }
    if word.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return Some(Term(number_term(word)));
    }
    if is_function_word(word, language) {
        return None;
    }
    if language != Language::English {
        return Some(stemmed(word, language));
    }
    let base = irregular::base_form(word).unwrap_or(word);
    (!is_english_stop_word(base)).then(|| stemmed(base, language))
}

fn stemmed(word: &str, language: Language) -> Term {
    let Some(stemmer) = language.stemmer() else {
        return match language {
            // Its marks are tones: words that differ in nothing else are different words.
            Language::Vietnamese => Term::from(word),
            _ => Term::from(&*without_marks(word)),
        };
    };
    // The stemmer knows these two letters with the cedilla that keyboards once had.
    let word: Cow<'_, str> = match language {
        Language::Romanian => word.replace('ș', "ş").replace('ț', "ţ").into(),
        _ => word.into(),
    };
    Term(Arc::from(&*without_marks(&stemmer.stem(&word))))
}

/// Lower case as `language` has it.
pub(crate) fn lower_case(word: &str, language: Language) -> String {
    if word.is_ascii() && language != Language::Turkish {
        return word.to_ascii_lowercase();
    }
    let word: Cow<'_, str> = match language {
        Language::Turkish => word.replace('I', "ı").into(),
        _ => word.into(),
    };
    // The dot above of a capital İ would stay as a mark of its own.
    word.replace('İ', "i").to_lowercase()
}

/// Removes the diacritics of Latin letters, so that Goran finds Göran, and the vowel marks of
/// Hebrew and Arabic, which most texts leave out. It runs after stemming, which needs them. Other
/// scripts keep their marks, which are letters there.
pub(crate) fn without_marks(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return word.into();
    }
    let mut plain = String::with_capacity(word.len());
    let mut after_latin = false;
    for character in word.nfd() {
        match character {
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' => plain.push('d'),
            'ı' => plain.push('i'),
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            '\u{300}'..='\u{36f}' if after_latin => continue,
            // Points of Hebrew; vowels and the stretching line of Arabic.
            '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c7}' => continue,
            '\u{64b}'..='\u{652}' | '\u{640}' | '\u{670}' => continue,
            other => plain.push(other),
        }
        after_latin = character.is_ascii_alphabetic();
    }
    plain.nfc().collect::<String>().into()
}

/// `7th` is 7, `1,000` and `1.000` are 1000, and `1.250,50` and `1,250.50` are 1250.50. A single
/// point or comma before three digits is one of thousands, whatever was meant: both are the same
/// term wherever they are written.
fn number_term(word: &str) -> Arc<str> {
    if let Some(number) = time_expressions::cardinal_or_ordinal(word) {
        return Arc::from(number.to_string());
    }
    let is_mark = |byte: &u8| matches!(byte, b'.' | b',');
    let Some(last) = word.bytes().rposition(|byte| is_mark(&byte)) else { return Arc::from(word) };
    if !word.bytes().all(|byte| byte.is_ascii_digit() || is_mark(&byte)) {
        return Arc::from(word.replace(',', ""));
    }
    let (whole, fraction) = (word.get(..last), word.get(last + 1..));
    let (Some(whole), Some(fraction)) = (whole, fraction) else { return Arc::from(word) };
    let mut groups = word.split(['.', ',']);
    let first = groups.next().unwrap_or_default();
    let are_thousands = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3);
    let mark = word.get(last..=last).unwrap_or_default();
    let has_others = whole.contains(['.', ',']);
    Arc::from(match (are_thousands, has_others) {
        // "1,250.500" has a fraction, "1.250.500" has none.
        (true, _) if !has_others || whole.contains(mark) => word.replace(['.', ','], ""),
        (_, false) => format!("{whole}.{fraction}"),
        (_, true) if !whole.contains(mark) => {
            format!("{}.{fraction}", whole.replace(['.', ','], ""))
        }
        // A version, or a date.
        _ => word.replace(',', ""),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_one_term_whatever_its_marks() {
        for (word, expected) in [
            ("7", "7"),
            ("7th", "7"),
            ("1,000", "1000"),
            ("1.000", "1000"),
            ("1,250,000", "1250000"),
            ("1.250.000", "1250000"),
            ("1,250.50", "1250.50"),
            ("1.250,50", "1250.50"),
            ("3,5", "3.5"),
            ("3.5", "3.5"),
            ("0.125", "0.125"),
            ("1.2.3", "1.2.3"),
            ("31.01.2025", "31.01.2025"),
            ("1,2,3", "123"),
            ("10km", "10km"),
            ("3.", "3."),
        ] {
            assert_eq!(&*number_term(word), expected, "{word}");
        }
    }
}
