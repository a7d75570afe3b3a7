//! The words that recover a wallet: twelve to twenty-four words in small letters, each as short as
//! those of the usual lists (BIP-39), behind a name such as "seed phrase".

use super::SecretKind;
use super::find::{Span, run};
use super::words::FUNCTION_WORDS;

/// How far after a name of words they may begin.
const AFTER_BYTES: usize = 64;
/// Words of a phrase.
const PHRASE_WORDS: std::ops::RangeInclusive<usize> = 12..=24;
/// A phrase has a multiple of so many words.
const PHRASE_WORDS_MULTIPLE: usize = 3;
/// Letters of a word of a phrase.
const PHRASE_WORD_LETTERS: std::ops::RangeInclusive<usize> = 3..=8;
/// Most words of a phrase that sentences are made of.
const FUNCTION_WORDS_MAX: usize = 3;

/// The words of a phrase after the end of its name. Behind a name that is not certain, and without
/// a sign or verb, the number of words must be one that wallets use, with hardly a word in them
/// that sentences are made of.
pub(super) fn phrase(text: &str, end: usize, is_certain: bool) -> Option<Span> {
    let window = text.get(end..text.floor_char_boundary(end + AFTER_BYTES))?;
    let verb = [" is ", " are ", " was "]
        .iter()
        .filter_map(|verb| window.find(verb).map(|at| at + verb.len()))
        .min();
    let sign = window.find([':', '：', '=', '|', '\n']);
    let sign = sign.and_then(|at| Some(at + window.get(at..)?.chars().next()?.len_utf8()));
    let given = [verb, sign].into_iter().flatten().min().and_then(|at| {
        let is_near = is_certain || window.get(..at)?.trim_matches([' ', '"', ':', '*']).is_empty();
        is_near.then(|| words_at(text, end + at, is_certain))?
    });
    given.or_else(|| is_certain.then(|| words_at(text, end, false))?)
}

fn words_at(text: &str, from: usize, is_certain: bool) -> Option<Span> {
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
    let functions_max = if is_certain { FUNCTION_WORDS_MAX } else { 1 };
    let is_count = PHRASE_WORDS.contains(&count)
        && (is_certain || count.is_multiple_of(PHRASE_WORDS_MULTIPLE));
    (is_count && functions <= functions_max).then_some(Span {
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
