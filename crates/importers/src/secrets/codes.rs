//! PINs and door codes, and the word lists that recover a wallet: "my PIN is …", "gate code: …",
//! "seed phrase: …".
//!
//! Digits are secret only by their name. Four words name a code by themselves (PIN, CVV, CVC,
//! Geheimzahl); "code" does so after a word such as "door". A phrase is at least twelve words in
//! small letters, each as short as those of the usual lists, after a name such as "seed phrase".

use super::SecretKind;
use super::find::{Span, begins_word, run};
use super::prose::ends_clause;
use super::words::FUNCTION_WORDS;

/// What a name names.
#[derive(Clone, Copy)]
pub(super) enum CodeName {
    /// Digits, so many.
    Digits(usize, usize),
    /// Digits, if one of these words is before it.
    DigitsAfter(&'static [&'static str]),
    /// Words, if one of these words is before it, or always if there are none.
    Words(&'static [&'static str]),
}

const PLACES: &[&str] = &[
    "access",
    "alarm",
    "bike",
    "building",
    "cellar",
    "door",
    "entry",
    "garage",
    "gate",
    "key",
    "lock",
    "lockbox",
    "locker",
    "padlock",
    "safe",
    "security",
    "unlock",
    "voicemail",
];
const PHRASES: &[&str] = &["backup", "mnemonic", "recovery", "secret", "seed", "wallet"];

/// Every name, in small letters.
pub(super) const CODE_NAMES: [(&str, CodeName); 8] = [
    ("pin", CodeName::Digits(4, 8)),
    ("geheimzahl", CodeName::Digits(4, 8)),
    ("cvv", CodeName::Digits(3, 4)),
    ("cvc", CodeName::Digits(3, 4)),
    ("code", CodeName::DigitsAfter(PLACES)),
    ("phrase", CodeName::Words(PHRASES)),
    ("words", CodeName::Words(PHRASES)),
    ("mnemonic", CodeName::Words(&[])),
];

/// Digits of a code after "code".
const CODE_DIGITS: (usize, usize) = (4, 10);
/// Digits of an Indian postal code, which is called a PIN code.
const POSTAL_DIGITS: usize = 6;
/// Verbs between a name and its value.
const VERBS: [&str; 6] = ["is", "was", "ist", "lautet", "est", "es"];
/// How far before a name a word is read that says whose or what code it is.
const BEFORE_BYTES: usize = 24;
/// How far after a name of words they may begin.
const AFTER_BYTES: usize = 64;
/// Words of a phrase.
const PHRASE_WORDS: std::ops::RangeInclusive<usize> = 12..=24;
/// Letters of a word of a phrase.
const PHRASE_WORD_LETTERS: std::ops::RangeInclusive<usize> = 3..=8;
/// Most words of a phrase that sentences are made of.
const FUNCTION_WORDS_MAX: usize = 3;

/// The code or phrase that the name at `start..end` names.
pub(super) fn find(text: &str, start: usize, end: usize, name: CodeName) -> Option<Span> {
    let bytes = text.as_bytes();
    if !begins_word(bytes, start) || bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    match name {
        CodeName::Digits(least, most) => digits(text, start, end, (least, most)),
        CodeName::DigitsAfter(words) => {
            is_after(text, start, words).then(|| digits(text, start, end, CODE_DIGITS))?
        }
        CodeName::Words(words) => {
            let is_named = words.is_empty() || is_after(text, start, words);
            is_named.then(|| phrase(text, end))?
        }
    }
}

/// The word before `start`, in small letters.
fn word_before(text: &str, start: usize) -> String {
    let from = text.ceil_char_boundary(start.saturating_sub(BEFORE_BYTES));
    let before = text.get(from..start).unwrap_or_default();
    let before = before.trim_end_matches([' ', '-', '_']);
    let word = before.rsplit(|letter: char| !letter.is_alphanumeric()).next();
    word.unwrap_or_default().to_lowercase()
}

fn is_after(text: &str, start: usize, words: &[&str]) -> bool {
    words.contains(&word_before(text, start).as_str())
}

fn digits(text: &str, start: usize, end: usize, (least, most): (usize, usize)) -> Option<Span> {
    let rest = text.get(end..)?;
    let (after_name, noun) = ["code", "number", "nummer"]
        .iter()
        .find_map(|noun| Some((without_prefix(rest.trim_start_matches([' ', '-']), noun)?, *noun)))
        .unwrap_or((rest, ""));
    let value = after_operator(after_name, text, start, !noun.is_empty())?;
    let quoted = value.trim_start_matches(['"', '\'', '`', '*', '#', '“']);
    if value.len() - quoted.len() > 2 {
        return None;
    }
    let from = text.len() - quoted.len();
    let length = run(text.as_bytes(), from, most + 1, |byte| byte.is_ascii_digit());
    let after = text.get(from + length..)?;
    let is_postal = noun == "code" && length == POSTAL_DIGITS && least == 4;
    let is_owned = || matches!(word_before(text, start).as_str(), "my" | "our" | "her" | "his");
    // "The pin is 4821 mm long" is about another pin.
    let is_pin = text.get(start..end).is_some_and(|name| name.eq_ignore_ascii_case("pin"));
    let is_certain =
        !is_pin || is_capital(text, start) || !noun.is_empty() || !has_verb(after_name);
    let ends = match is_certain {
        true => ends_number(after),
        false => ends_clause(after.as_bytes(), false),
    };
    ((least..=most).contains(&length) && ends && (!is_postal || is_owned())).then_some(Span {
        start: from,
        end: from + length,
        kind: SecretKind::Pin,
    })
}

fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    let is_whole = !rest.starts_with(|next: char| next.is_alphanumeric());
    (head.eq_ignore_ascii_case(prefix) && is_whole).then_some(rest)
}

/// What is after the sign or verb that gives a value. "PIN 4821" needs none; a pin in small letters
/// does, because boards and clothes have pins.
fn after_operator<'a>(rest: &'a str, text: &str, start: usize, has_noun: bool) -> Option<&'a str> {
    let spaced = rest.trim_start_matches([' ', '\t', '*']);
    if let Some(value) = spaced.strip_prefix([':', '=', '：']) {
        return Some(value.trim_start_matches([' ', '\t', '*']));
    }
    if let Some(value) = VERBS.iter().find_map(|verb| without_prefix(spaced, verb)) {
        return Some(value.trim_start_matches([':', ' ', '*']));
    }
    (spaced.len() < rest.len() && (is_capital(text, start) || has_noun)).then_some(spaced)
}

fn has_verb(rest: &str) -> bool {
    let spaced = rest.trim_start_matches([' ', '\t', '*']);
    VERBS.iter().any(|verb| without_prefix(spaced, verb).is_some())
}

fn is_capital(text: &str, start: usize) -> bool {
    text.get(start..).is_some_and(|name| name.starts_with("PIN"))
}

/// True if a number ends before `after`, and is not part of a range, a date or a measure.
fn ends_number(after: &str) -> bool {
    let mut following = after.trim_start_matches(['"', '\'', '`', '*', '#', '”']).chars();
    match following.next() {
        None => true,
        Some('.' | ',' | ';' | ')' | '!' | '?') => {
            following.next().is_none_or(|next| !next.is_alphanumeric())
        }
        Some(next) => next.is_whitespace(),
    }
}

/// The words of a phrase after the end of its name.
fn phrase(text: &str, end: usize) -> Option<Span> {
    let window = text.get(end..text.floor_char_boundary(end + AFTER_BYTES))?;
    let verb = [" is ", " are ", " was "]
        .iter()
        .filter_map(|verb| window.find(verb).map(|at| at + verb.len()))
        .min();
    let sign = window.find([':', '=', '\n']).map(|at| at + 1);
    let from = end + [verb, sign].into_iter().flatten().min()?;
    let (mut first, mut last, mut count, mut functions) = (None, from, 0, 0);
    for (at, word) in words(text, from) {
        count += 1;
        functions += usize::from(FUNCTION_WORDS.contains(&word));
        first = first.or(Some(at));
        last = at + word.len();
        if count > *PHRASE_WORDS.end() {
            return None;
        }
    }
    (PHRASE_WORDS.contains(&count) && functions <= FUNCTION_WORDS_MAX).then_some(Span {
        start: first?,
        end: last,
        kind: SecretKind::SeedPhrase,
    })
}

/// Words like those of the lists from `from` on, with their places, up to the first other word;
/// numbers, commas and line breaks may be between them.
fn words(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let between = |sign: char| {
            sign.is_whitespace() || sign.is_ascii_digit() || "\"'`,.)*|".contains(sign)
        };
        let word = rest.trim_start_matches(between);
        at += rest.len() - word.len();
        let length = run(word.as_bytes(), 0, *PHRASE_WORD_LETTERS.end() + 1, |byte| {
            byte.is_ascii_lowercase()
        });
        let follows = word.get(length..).and_then(|after| after.chars().next());
        let is_word = PHRASE_WORD_LETTERS.contains(&length)
            && follows.is_none_or(|next| next.is_whitespace() || "\"'`,.*|".contains(next));
        let found = (at, word.get(..length)?);
        at += length;
        is_word.then_some(found)
    })
}
