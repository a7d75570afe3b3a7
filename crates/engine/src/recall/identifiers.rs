//! Identifiers in a question: "Is JIRA-234 closed?" is not answered by a record about JIRA-233.
//!
//! A record that has another identifier of the same shape, and not the one that is asked about, is
//! about something else: "PR 512", "version 2.4", `REQUEST_TIMEOUT`, `src/cache.rs`, a hash.

use derivers::attributes::TIMES;
use retrieval::text::is_english_stop_word;

/// Longest text that is about one thing or a few, bytes.
const TEXT_BYTES_MAX: usize = 2_000;
/// Shortest hash.
const HASH_BYTES_MIN: usize = 7;
/// Fewest digits of a number that says by itself which thing is meant.
const DIGITS_MIN: usize = 3;
/// Numbers that may be years.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_100;

/// An identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identifier {
    /// It, in lower case.
    text: String,
    /// What identifiers of the same things have in common.
    shape: String,
}

impl Identifier {
    /// Those of a text.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let is_edge = |letter: char| !letter.is_alphanumeric();
        let words = text.split_whitespace().map(|word| word.trim_matches(is_edge).to_lowercase());
        let mut before = String::new();
        let mut found = Vec::new();
        for word in words {
            let word = word.strip_suffix("'s").map(str::to_owned).unwrap_or(word);
            if let Some(shape) = shape(&before, &word) {
                found.push(Self { text: word.clone(), shape });
            }
            before = word;
        }
        found
    }

    /// Whether it says by itself which thing is meant: not "version 2", nor what may be a year.
    fn is_specific(&self) -> bool {
        let is_number = self.text.bytes().all(|byte| byte.is_ascii_digit());
        !is_number
            || self.text.len() >= DIGITS_MIN
                && !self.text.parse().is_ok_and(|number| YEARS.contains(&number))
    }

    /// Whether a text has one of those that are asked about, in one part or in several: "LH 1834"
    /// is LH1834.
    pub(super) fn is_any_in(asked: &[Self], text: &str) -> bool {
        let words = text.to_lowercase();
        let words = words.split_whitespace().map(joined).filter(|word| !word.is_empty());
        let words: Vec<String> = words.collect();
        let begins_at = |first: usize, whole: &str| are_parts(words.iter().skip(first), whole);
        let is_in = |whole: String| (0..words.len()).any(|first| begins_at(first, &whole));
        asked.iter().filter(|asked| asked.is_specific()).map(|asked| joined(&asked.text)).any(is_in)
    }

    /// Whether a short text is about something else than the identifiers that are asked about: it
    /// has one of the same shape as some of them, and none of these.
    pub(super) fn are_confused(asked: &[Self], text: &str) -> bool {
        if asked.is_empty() || text.len() > TEXT_BYTES_MAX {
            return false;
        }
        let (others, lower) = (Self::all(text), text.to_lowercase());
        let is_missing = |shape: &str| {
            let mut same = asked.iter().filter(|asked| asked.shape == shape);
            same.all(|asked| !lower.contains(&asked.text))
        };
        asked.iter().any(|asked| {
            others.iter().any(|other| other.shape == asked.shape) && is_missing(&asked.shape)
        })
    }
}

/// A word without its marks.
fn joined(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Whether the first of some words are the parts of a whole.
fn are_parts<'a>(words: impl Iterator<Item = &'a String>, whole: &str) -> bool {
    let mut rest = whole;
    for word in words {
        match rest.strip_prefix(&**word) {
            Some("") => return true,
            Some(after) => rest = after,
            None => return false,
        }
    }
    false
}

/// What the identifiers of the same things have in common with a word; none if it is not one. A
/// number by itself needs the name of what it counts before it.
fn shape(before: &str, word: &str) -> Option<String> {
    let has = |is: fn(char) -> bool| word.contains(is);
    let has_digit = has(|letter| letter.is_ascii_digit());
    let has_letter = has(char::is_alphabetic);
    let is_hexadecimal = || word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if has_digit && has_letter && word.len() >= HASH_BYTES_MIN && is_hexadecimal() {
        return Some("hash".to_owned());
    }
    if word.contains('/') && word.contains(['.', '-', '_']) && !has_digit {
        return Some("path".to_owned());
    }
    if word.contains('_') && !has_digit && has_letter {
        return Some("name".to_owned());
    }
    if !has_digit || word.contains([':', '/', '@']) {
        return None;
    }
    let mut counted = String::new();
    for letter in word.chars() {
        let letter = if letter.is_ascii_digit() { '#' } else { letter };
        if letter != '#' || !counted.ends_with('#') {
            counted.push(letter);
        }
    }
    if word.starts_with(char::is_alphabetic) {
        return Some(counted);
    }
    let is_noun = before.len() > 1
        && before.chars().all(char::is_alphabetic)
        && !is_english_stop_word(before)
        && !TIMES.contains(&before);
    is_noun.then(|| format!("{before} {counted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_confused(question: &str, text: &str) -> bool {
        Identifier::are_confused(&Identifier::all(question), text)
    }

    #[test]
    fn an_identifier_is_found_in_one_part_or_in_several() {
        let has =
            |question: &str, text: &str| Identifier::is_any_in(&Identifier::all(question), text);
        for (question, text) in [
            ("Where does LH1834 go?", "Our flight is LH 1834, seat 14C."),
            ("What did pull request 482 do?", "PR #482 fixes the leak"),
            ("What is E-118?", "(E118) the door is open"),
            ("Who owns src/cache.rs?", "Ben owns src/cache.rs."),
        ] {
            assert!(has(question, text), "{question} {text}");
        }
        for (question, text) in [
            ("Where does LH1834 go?", "LH 183 and 4"),
            ("What is e12?", "the 12 of us"),
            ("What is version 2?", "version 2"),
            ("What was in volume 1999?", "In 1999 it rained"),
            ("What is E118?", ""),
            ("", "E118"),
        ] {
            assert!(!has(question, text), "{question} {text}");
        }
    }

    #[test]
    fn another_identifier_of_the_same_shape_is_something_else() {
        for (question, text) in [
            ("Is JIRA-234 closed?", "JIRA-233 is closed"),
            ("What does error code E-118 mean?", "Error code E-117 means the door is open"),
            ("Who reviewed PR 513?", "PR 512 was reviewed by Anita"),
            ("Is invoice 2024-118 paid?", "Invoice 2024-117 is paid"),
            ("What changed in version 2.4?", "Version 2.3 brought dark mode"),
            ("Where is web-02?", "web-01 is in Frankfurt"),
            ("What is REQUEST_TIMEOUT?", "CONNECT_TIMEOUT is 30 seconds"),
            ("Who owns src/cache.rs?", "Ben owns src/pool.rs"),
            ("What did 4f9c2ab change?", "Commit 91de007 removes the cache"),
            ("How was Q1?", "Q2 was our best quarter"),
        ] {
            assert!(is_confused(question, text), "{question} {text}");
        }
        for (question, text) in [
            ("Is JIRA-233 closed?", "JIRA-233 is closed"),
            ("Is the timeout 30s?", "The timeout is 60s"),
            ("Is the rent 900 euros?", "The rent is 950 euros"),
            ("What happened in March 2025?", "In March 2024 it rained"),
            ("What is at 9:00?", "The lesson is at 10:00"),
            ("What happens on 1 May?", "The party is on 2 May"),
            ("Which PRs are open?", "PR 512 is open"),
            ("PR 513 or 512?", "Both are done"),
            ("Who works on JIRA-233 and JIRA-234?", "JIRA-233 is assigned to Mira"),
            ("", ""),
        ] {
            assert!(!is_confused(question, text), "{question} {text}");
        }
    }
}
