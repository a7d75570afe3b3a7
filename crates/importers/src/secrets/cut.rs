//! Cutting texts without cutting a secret in half.
//!
//! Secrets are masked in whole records, after long texts were cut and split. No rule knows the
//! second half of a key, so whoever cuts a text asks here where.

use std::ops::Range;

use super::find::find;

/// How far behind a cut a secret is looked for; a longer one that the cut goes through is
/// recognised by its first part.
const LOOK_AHEAD_BYTES: usize = 1024;
/// Longest secret: a private key with its header and footer.
const SECRET_BYTES_MAX: usize = 20 * 1024;

/// The place of the secret that a cut at `at` would go through.
fn secret_around(text: &str, at: usize, look_ahead_bytes: usize) -> Option<Range<usize>> {
    let window = text.get(..text.floor_char_boundary(at.saturating_add(look_ahead_bytes)))?;
    find(window)
        .into_iter()
        .map(|span| span.start..span.end)
        .find(|span| span.start < at && at < span.end)
}

/// At most the first `bytes_max` bytes, ending between two characters and before a secret that goes
/// further.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    let end = text.floor_char_boundary(bytes_max);
    if end == text.len() {
        return text;
    }
    let end = secret_around(text, end, LOOK_AHEAD_BYTES).map_or(end, |secret| secret.start);
    text.get(..end).unwrap_or_default()
}

/// Like [`cut`], by characters.
pub(crate) fn cut_chars(text: &str, chars_max: usize) -> &str {
    cut(text, text.char_indices().nth(chars_max).map_or(text.len(), |(at, _)| at))
}

/// Where `text` can be split instead of at `at`: before the secret that stands there, or after one
/// that stands at the beginning, since a split must leave something before it.
pub(crate) fn split_at(text: &str, at: usize) -> usize {
    match secret_around(text, at, LOOK_AHEAD_BYTES) {
        None => at,
        Some(secret)
            if text.get(..secret.start).is_some_and(|before| !before.trim().is_empty()) =>
        {
            secret.start
        }
        Some(secret) => {
            secret_around(text, at, SECRET_BYTES_MAX).map_or(secret.end, |secret| secret.end)
        }
    }
}

/// Joins blocks that are parts of one secret, so that they are not put in different records.
pub(crate) fn join_within_secrets(blocks: Vec<String>) -> Vec<String> {
    const BETWEEN: &str = "\n\n";
    let whole = blocks.join(BETWEEN);
    let mut secrets = find(&whole).into_iter().peekable();
    let mut joined: Vec<String> = Vec::with_capacity(blocks.len());
    let mut at = 0;
    for block in blocks {
        while secrets.next_if(|secret| secret.end <= at).is_some() {}
        let is_within = secrets.peek().is_some_and(|secret| secret.start < at);
        at += block.len() + BETWEEN.len();
        match joined.last_mut() {
            Some(last) if is_within => {
                last.push_str(BETWEEN);
                last.push_str(&block);
            }
            _ => joined.push(block),
        }
    }
    joined
}
