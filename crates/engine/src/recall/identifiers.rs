//! Identifiers in a question: "Is JIRA-234 closed?" is not answered by a record about JIRA-233.
//!
//! A record that has another identifier of the same shape, and not the one that is asked about, is
//! about something else: "PR 512", "version 2.4", `REQUEST_TIMEOUT`, `src/cache.rs`, a hash.
//!
//! [`Identifier`] is wide: `ask`, which shows a sentence as the answer, discounts such records.
//! [`Code`] is narrow: recall, which shows records and only says whether they seem to answer, leaves
//! out those alone that cannot be meant.

use derivers::attributes::TIMES;
use retrieval::text::is_english_stop_word;

/// Longest text that is about one thing or a few, bytes.
const TEXT_BYTES_MAX: usize = 2_000;
/// Shortest hash.
const HASH_BYTES_MIN: usize = 7;
/// Fewest digits of a code: with fewer it is often a version or a size ("M1", "B12", "C++17").
const DIGITS_MIN: usize = 3;
/// Digits that are rather a year: "FY2024".
const YEARS: std::ops::RangeInclusive<u32> = 1_900..=2_100;
/// Most codes of a question.
const CODES_MAX: usize = 8;

/// A code of letters and digits, as one word or two: "E1207", "JIRA-234", "LH 1834".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Code {
    letters: String,
    digits: String,
}

impl Code {
    /// Those that a question has as one word, each once.
    pub(super) fn all_in_question(question: &str) -> Vec<Self> {
        let mut codes: Vec<Self> = Vec::new();
        for code in words(question).filter_map(|word| Self::of(&word)) {
            if codes.len() < CODES_MAX && !codes.contains(&code) {
                codes.push(code);
            }
        }
        codes
    }

    /// Whether a text has another code with the letters of one of these, and none of these.
    pub(super) fn are_confused(asked: &[Self], text: &str) -> bool {
        let mut is_another = false;
        let mut before = String::new();
        for word in words(text) {
            for code in Self::of(&word).into_iter().chain(Self::in_parts(&before, &word)) {
                if asked.contains(&code) {
                    return false;
                }
                is_another |= asked.iter().any(|asked| asked.letters == code.letters);
            }
            before = word;
        }
        is_another
    }

    fn of(word: &str) -> Option<Self> {
        let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (letters, rest) = word.split_at_checked(letters)?;
        Self::in_parts(letters, rest.strip_prefix('-').unwrap_or(rest))
    }

    fn in_parts(letters: &str, digits: &str) -> Option<Self> {
        let is_code = !letters.is_empty()
            && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            && digits.len() >= DIGITS_MIN
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.parse().is_ok_and(|number| YEARS.contains(&number));
        is_code.then(|| Self { letters: letters.to_owned(), digits: digits.to_owned() })
    }
}

/// The words of a text in lower case, without the marks around them.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_edge = |letter: char| !letter.is_alphanumeric();
    text.split_whitespace().map(move |word| word.trim_matches(is_edge).to_lowercase())
}

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
        let mut before = String::new();
        let mut found = Vec::new();
        for word in words(text) {
            let word = word.strip_suffix("'s").map(str::to_owned).unwrap_or(word);
            if let Some(shape) = shape(&before, &word) {
                found.push(Self { text: word.clone(), shape });
            }
            before = word;
        }
        found
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
    fn a_code_is_confused_with_another_of_the_same_letters() {
        let is_confused =
            |question: &str, text: &str| Code::are_confused(&Code::all_in_question(question), text);
        for (question, text) in [
            ("What does E1208 mean?", "Error E1207 means the server is away"),
            ("When does LH1835 leave?", "Our flight is LH 1834, seat 14C."),
            ("Is JIRA-234 closed?", "JIRA-2345 is closed"),
            ("Is JIRA-234 closed?", "JIRA-233 and JIRA-235 are closed"),
        ] {
            assert!(is_confused(question, text), "{question} {text}");
        }
        for (question, text) in [
            ("What does E1208 mean?", "Error E1207 or E1208"),
            ("When does LH1834 leave?", "LH 1834 leaves at noon"),
            ("Is my laptop an M1?", "My laptop has an M2 chip"),
            ("What is the FY2024 budget?", "FY2023 budget: 3 million"),
            ("Do I owe Ben 500 euros?", "I owe Ben 400 euros"),
            ("What are my top 100 movies?", "My top 500 movies"),
            ("Did we use C++17?", "We compile with C++20"),
            ("", "E1207"),
        ] {
            assert!(!is_confused(question, text), "{question} {text}");
        }
        let many = (100..200).map(|number| format!("E{number} ")).collect::<String>();
        assert_eq!(Code::all_in_question(&many).len(), CODES_MAX);
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
