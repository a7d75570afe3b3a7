//! Splits a text into pieces before merging: words, numbers of up to three digits, and runs of
//! other characters, of spaces and of line breaks.
//!
//! The expressions are those of o200k. One of them needs look-ahead, which the regex engine
//! does not support: it matches one character more, which is put back.

use std::sync::LazyLock;

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

/// The expressions of pieces other than the white space before a word.
const PIECE: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$"
);
/// White space before other text leaves its last character to that text: `\s+(?!\S)`.
const SPACE_BEFORE_SPACE: &str = r"\s+\s";
/// Which expression that is.
const GIVES_BACK: usize = 1;
/// The remaining white space.
const SPACE: &str = r"\s+";

/// The pieces of a text, which together are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    static EXPRESSIONS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new_many(&[PIECE, SPACE_BEFORE_SPACE, SPACE])
            .expect("the expressions are constant and well formed")
    });
    let mut rest = text;
    std::iter::from_fn(move || {
        let found = EXPRESSIONS.find(Input::new(rest).anchored(Anchored::Yes))?;
        let mut end = found.end();
        if found.pattern().as_usize() == GIVES_BACK {
            end = rest.get(..end)?.char_indices().next_back()?.0;
        }
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(piece)
    })
}
