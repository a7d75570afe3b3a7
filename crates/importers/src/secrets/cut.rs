//! Cutting texts without cutting a secret in half.
//!
//! Secrets are masked in whole records, after long texts were cut and split. No rule knows the
//! second half of a key, so whoever cuts a text asks here where.

use std::ops::Range;

use super::find::{Span, find};

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

/// How far behind a cut a secret may begin whose name is before the cut.
const LABEL_BYTES_MAX: usize = 256;
/// Made-up secrets: what is taken for a secret below a line, but not alone, has the line as its
/// label.
const SAMPLES: [&str; 3] =
    ["Tulip77Bridge", "4821", "road road road road road road road road road road road road"];
/// Most places before a cut that are tried, so that a name stays with its secret.
const PLACES_MAX: usize = 12;

/// Where `text` can be split instead of at `at`: before the name of a secret that the split would
/// leave without it, before the secret that stands there, or after one
/// that stands at the beginning, since a split must leave something before it.
pub(crate) fn split_at(text: &str, at: usize) -> usize {
    match secret_around(text, at, LOOK_AHEAD_BYTES) {
        None => before_label(text, at).unwrap_or(at),
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

/// Where `text` can be split before `at`, if a secret shortly behind `at` is known only by a name
/// before it. A name that is at the beginning stays alone: a split must leave something before it.
fn before_label(text: &str, at: usize) -> Option<usize> {
    let end = text.floor_char_boundary(at.saturating_add(LOOK_AHEAD_BYTES));
    let is_near = |start: usize| (at..=at.saturating_add(LABEL_BYTES_MAX)).contains(&start);
    let secret = find(text.get(..end)?).into_iter().find(|span| is_near(span.start))?;
    let is_known = |from: usize| {
        let rest = text.get(from..end).unwrap_or_default();
        find(rest).iter().any(|span| from + span.start == secret.start)
    };
    if is_known(at) {
        return None;
    }
    let before = text.get(..at)?.trim_end();
    let places = before.match_indices(char::is_whitespace).rev().map(|(place, _)| place + 1);
    places.take(PLACES_MAX).find(|place| text.is_char_boundary(*place) && is_known(*place))
}

/// Joins blocks that are parts of one secret, or a secret and the name above it, so that they are
/// not put in different records.
pub(crate) fn join_within_secrets(blocks: Vec<String>) -> Vec<String> {
    const BETWEEN: &str = "\n\n";
    let whole = blocks.join(BETWEEN);
    let secrets = find(&whole);
    let mut secrets = secrets.as_slice();
    let mut joined: Vec<String> = Vec::with_capacity(blocks.len());
    let mut at = 0;
    for block in blocks {
        while let [first, rest @ ..] = secrets
            && first.end <= at
        {
            secrets = rest;
        }
        let is_within = secrets.first().is_some_and(|secret| secret.start < at)
            || needs_label(secrets, at, &block);
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

/// True if one of the secrets that begin in `block`, which stands at `at`, is not known by the
/// block alone.
fn needs_label(secrets: &[Span], at: usize, block: &str) -> bool {
    let inside = secrets.iter().take_while(|secret| secret.start < at + block.len());
    let mut inside = inside.peekable();
    if inside.peek().is_none() {
        return false;
    }
    let alone = find(block);
    inside.any(|secret| !alone.iter().any(|span| at + span.start == secret.start))
}

/// True if the last line of `text` is the label of a secret that the next line may hold.
pub(crate) fn ends_with_label(text: &str) -> bool {
    let line = text.trim_end().rsplit('\n').next().unwrap_or_default();
    line.len() <= LABEL_BYTES_MAX
        && SAMPLES.iter().any(|sample| {
            find(&format!("{line}\n{sample}")).iter().any(|span| span.start > line.len())
        })
}
