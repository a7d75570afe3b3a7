//! Private keys whose header is missing: by their footer, or by the first bytes of the key.
//!
//! A key in PEM is Base64 of a structure whose first bytes are nearly the same for all keys of a
//! sort, and differ from those of certificates and public keys: RFC 8017 (RSA), RFC 5208 (PKCS #8),
//! RFC 5915 (elliptic curves), RFC 8410 (Ed25519); OpenSSH has a text of its own.

use super::SecretKind;
use super::find::{Span, run};
use super::private_key::{KEY_BYTES_MAX, end_without_footer, is_key_byte, is_tail};

/// Fixed parts of the beginnings of keys.
pub(super) const KEY_BEGINNINGS: [&str; 9] = [
    "IBAAK",
    "IBAAJ",
    "IBADAN",
    "AgEAMB",
    "MC4CAQAwBQYDK2V",
    "MHcCAQEEI",
    "MHQCAQEEI",
    "AgEBBD",
    "b3BlbnNzaC1rZXktdjEA",
];
/// Beginnings before which other bytes of a key stand, with how many and with which first.
const BEFORE: [(&str, usize, &str); 5] = [
    ("IBAAK", 6, "MII"),
    ("IBAAJ", 6, "MII"),
    ("IBADAN", 6, "MII"),
    ("AgEAMB", 4, "MIG"),
    ("AgEBBD", 4, "MIG"),
];
/// Shortest key.
const KEY_BYTES_MIN: usize = 60;
/// Shortest line of a key but its last.
const LINE_BYTES_MIN: usize = 24;
/// Shortest first run of a key above a footer.
const RUN_BYTES_MIN: usize = 40;
/// Longest footer.
const FOOTER_BYTES_MAX: usize = 64;
/// Most marks between the lines of a key.
const MARKS_MAX: usize = 16;

/// The key that begins at or shortly before `at`, where one of [`KEY_BEGINNINGS`] stands.
pub(super) fn without_header(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let found = KEY_BEGINNINGS
        .iter()
        .find(|fixed| bytes.get(at..).is_some_and(|rest| rest.starts_with(fixed.as_bytes())))?;
    let start = match BEFORE.iter().find(|(fixed, ..)| fixed == found) {
        None => at,
        Some((_, length, first)) => {
            let start = at.checked_sub(*length)?;
            bytes.get(start..)?.starts_with(first.as_bytes()).then_some(start)?
        }
    };
    if start
        .checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_some_and(|byte| is_key_byte(*byte))
        && !is_after_escape(bytes, start)
    {
        return None;
    }
    let window = bytes.get(start..bytes.len().min(start + KEY_BYTES_MAX))?;
    let window = window.get(..memchr::memmem::find(window, b"-----").unwrap_or(window.len()))?;
    let end = start + end_without_footer(window)?;
    (end - start >= KEY_BYTES_MIN).then_some(Span {
        start,
        end: with_footer(text, end),
        kind: SecretKind::PrivateKey,
    })
}

/// True after the `n` of an escaped line break.
fn is_after_escape(bytes: &[u8], start: usize) -> bool {
    start
        .checked_sub(2)
        .and_then(|from| bytes.get(from..start))
        .is_some_and(|two| matches!(two, b"\\n" | b"\\r"))
}

/// The end of a key with the footer that follows it.
fn with_footer(text: &str, end: usize) -> usize {
    let bytes = text.as_bytes();
    let marks = run(bytes, end, MARKS_MAX, |byte| b" \t\r\n>|*\"'\\,;+/#-".contains(&byte));
    let Some(between) = bytes.get(end..end + marks) else { return end };
    let dashes = between.iter().rev().take_while(|byte| **byte == b'-').count();
    if dashes < 5 { end } else { footer_end(text, end + marks - dashes).unwrap_or(end) }
}

/// Where the footer of a private key ends that begins at `start`.
fn footer_end(text: &str, start: usize) -> Option<usize> {
    let window = text.get(start..text.floor_char_boundary(start + FOOTER_BYTES_MAX))?;
    let name = window.strip_prefix("-----END ")?;
    let length =
        run(name.as_bytes(), 0, FOOTER_BYTES_MAX, |byte| byte.is_ascii_uppercase() || byte == b' ');
    let is_private = name.get(..length)?.contains("PRIVATE KEY");
    let dashes = run(name.as_bytes(), length, 5, |byte| byte == b'-');
    is_private.then_some(start + "-----END ".len() + length + dashes)
}

/// The key above the footer that begins at `footer`: runs of Base64 with marks between them, as far
/// back as `from`.
pub(super) fn before_footer(text: &str, footer: usize, from: usize) -> Option<Span> {
    let end = footer_end(text, footer)?;
    let bytes = text.as_bytes();
    let earliest = from.max(footer.saturating_sub(KEY_BYTES_MAX));
    let (mut start, mut at, mut longest) = (footer, footer, 0);
    while let Some(word) = word_before(bytes, earliest, at) {
        let run = bytes.get(word.clone())?;
        let is_last = start == footer && is_tail(run);
        if run.len() < LINE_BYTES_MIN && !is_last {
            break;
        }
        longest = longest.max(run.len());
        (start, at) = (word.start, word.start);
    }
    (longest >= RUN_BYTES_MIN).then_some(Span { start, end, kind: SecretKind::PrivateKey })
}

/// The run of Base64 that ends before `at`, if nothing but marks is between.
fn word_before(bytes: &[u8], earliest: usize, at: usize) -> Option<std::ops::Range<usize>> {
    let mut end = at;
    for _ in 0..MARKS_MAX {
        let before = bytes.get(earliest..end)?;
        match before {
            [.., b'\\', b'n' | b'r'] => end -= 2,
            [.., last] if !is_key_byte(*last) => end -= 1,
            _ => break,
        }
    }
    let before = bytes.get(earliest..end)?;
    let length = before.iter().rev().take_while(|byte| is_key_byte(**byte)).count();
    let mut start = end - length;
    if start > earliest && bytes.get(start - 1) == Some(&b'\\') {
        start += 1;
    }
    (start < end).then_some(start..end)
}
