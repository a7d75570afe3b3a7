//! Private keys in PEM, OpenSSH and PGP armor: from `-----BEGIN … PRIVATE KEY` to the end of the
//! key.
//!
//! People paste keys into quotes, lists, comments and string literals, and texts are cut before the
//! footer. So a key without a footer is followed line by line: marks around a line are skipped, and
//! so are the armor's own headers (`Proc-Type:`, `Version:`) and a few remarks before the first
//! line of base64.

use super::SecretKind;
use super::find::{Span, run};

/// Longest text between `-----BEGIN` and the end of that line.
const HEADER_BYTES_MAX: usize = 80;
/// Longest private key, header and footer apart.
pub(super) const KEY_BYTES_MAX: usize = 16 * 1024;
/// Shortest run of base64 that makes a key of what follows a key's header.
const RUN_BYTES_MIN: usize = 24;
/// Shortest run of base64 after a remark, or within the line of an armor header. Longer, since a
/// text about keys may mention a hash.
const RUN_AFTER_REMARK_BYTES_MIN: usize = 40;
/// Most lines of remarks between the header and the first line of base64.
const REMARKS_MAX: usize = 6;
/// Most empty lines in a row within a key. In string literals the end of each line is written
/// twice.
const EMPTY_LINES_MAX: usize = 4;
/// Names of armor headers, in lower case (RFC 1421, RFC 4880).
const ARMOR_HEADERS: [&[u8]; 7] =
    [b"proc-type", b"dek-info", b"version", b"comment", b"hash", b"charset", b"messageid"];

/// The key whose header begins at `start`.
pub(super) fn private_key(text: &str, start: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let header_bytes = run(bytes, start, HEADER_BYTES_MAX, |byte| !matches!(byte, b'\n' | b'\r'));
    let header = bytes.get(start..start + header_bytes)?;
    let name = b"PRIVATE KEY";
    let name_end =
        start + header.windows(name.len()).position(|window| window == name)? + name.len();
    let name_end = name_end + if bytes.get(name_end..)?.starts_with(b" BLOCK") { 6 } else { 0 };
    let body = name_end + run(bytes, name_end, 5, |byte| byte == b'-');
    // The next dashes are this key's end or another's beginning, so a text is never searched twice.
    let window = bytes.get(body..bytes.len().min(body + KEY_BYTES_MAX))?;
    let dashes = window.windows(5).position(|window| window == b"-----");
    let before_dashes = window.get(..dashes.unwrap_or(window.len()))?;
    let end = match dashes.map(|dashes| body + dashes) {
        Some(dashes)
            if bytes.get(dashes..)?.starts_with(b"-----END") && holds_key(before_dashes) =>
        {
            dashes
                + 5
                + run(bytes, dashes + 5, HEADER_BYTES_MAX, |byte| {
                    byte.is_ascii_uppercase() || byte == b' '
                })
                + 5
        }
        _ => body + end_without_footer(before_dashes)?,
    };
    Some(Span { start, end: end.min(bytes.len()), kind: SecretKind::PrivateKey })
}

/// True if `text` ends between a key's header and its footer: what comes next may be the rest of
/// the key.
pub(crate) fn ends_within_key(text: &str) -> bool {
    let tail = text
        .get(text.floor_char_boundary(text.len().saturating_sub(KEY_BYTES_MAX))..)
        .unwrap_or_default();
    let begun = tail.rfind("-----BEGIN ").and_then(|at| tail.get(at..));
    begun.is_some_and(|begun| begun.contains("PRIVATE KEY") && !begun.contains("-----END"))
}

/// True if there is a run of the key's alphabet between header and footer; a text about keys has
/// none.
fn holds_key(body: &[u8]) -> bool {
    body.split(|byte| !is_key_byte(*byte)).any(|run| run.len() >= RUN_BYTES_MIN)
}

/// Where a key ends that has no footer: after the last line in the key's alphabet. `body` begins
/// after the header.
pub(super) fn end_without_footer(body: &[u8]) -> Option<usize> {
    let mut end = None;
    let (mut remarks, mut empty_lines) = (0, 0);
    for line in lines(body) {
        let line = read_line(body, line, end.is_some(), remarks > 0);
        empty_lines = if matches!(line, Line::Empty) { empty_lines + 1 } else { 0 };
        match line {
            Line::Empty | Line::ArmorHeader => {}
            Line::Key { end: line_end, is_last } => {
                end = Some(line_end);
                if is_last {
                    break;
                }
            }
            Line::Remark if end.is_none() => remarks += 1,
            Line::Remark => break,
        }
        if remarks > REMARKS_MAX || empty_lines > EMPTY_LINES_MAX {
            break;
        }
    }
    end
}

/// What a line after a key's header is.
enum Line {
    /// Nothing but marks and white space.
    Empty,
    /// A header of the armor.
    ArmorHeader,
    /// Base64 up to `end`; if `is_last`, the key ends there.
    Key { end: usize, is_last: bool },
    /// Anything else.
    Remark,
}

fn read_line(body: &[u8], line: std::ops::Range<usize>, begun: bool, after_remark: bool) -> Line {
    // If a key was flattened into one line, all of it is in the line of the header.
    let mut in_armor_header = line.start == 0;
    let mut after_text = after_remark;
    let mut key_end = None;
    for word in words(body, line) {
        let Some(text) = body.get(word.clone()) else { continue };
        let is_key = text.iter().copied().all(is_key_byte);
        let strict = !begun && key_end.is_none() && after_text;
        let is_long = if strict {
            text.len() >= RUN_AFTER_REMARK_BYTES_MIN && is_mixed(text)
        } else {
            text.len() >= RUN_BYTES_MIN
        };
        if is_key && is_long {
            key_end = Some(word.end);
        } else if key_end.is_none() && !begun && is_armor_header(text, body.get(word.end)) {
            (in_armor_header, after_text) = (true, true);
        } else if in_armor_header && key_end.is_none() {
            // The header's value.
            after_text = true;
        } else if let Some(end) = key_end {
            // Several lines flattened into one: a short one is the key's last.
            let end = if is_key && is_tail(text) { word.end } else { end };
            return Line::Key { end, is_last: true };
        } else if begun && is_key && is_tail(text) {
            return Line::Key { end: word.end, is_last: true };
        } else {
            return Line::Remark;
        }
    }
    match key_end {
        Some(end) => Line::Key { end, is_last: false },
        None if in_armor_header => Line::ArmorHeader,
        None => Line::Empty,
    }
}

/// The lines of a key: broken by line ends, or by the escapes of line ends in string literals.
fn lines(body: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let mut end = start;
        loop {
            match body.get(end..) {
                None | Some([]) => {
                    next = None;
                    break;
                }
                Some([b'\n', ..]) => {
                    next = Some(end + 1);
                    break;
                }
                Some([b'\r', b'\n', ..] | [b'\\', b'n' | b'r', ..]) => {
                    next = Some(end + 2);
                    break;
                }
                Some(_) => end += 1,
            }
        }
        Some(start..end)
    })
}

/// The words of a line without the marks around them; words that are nothing but marks or a list's
/// number are left out.
fn words(
    body: &[u8],
    line: std::ops::Range<usize>,
) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut position = line.start;
    std::iter::from_fn(move || {
        while position < line.end {
            let rest = body.get(position..line.end)?;
            let length = rest
                .iter()
                .position(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
                .unwrap_or(rest.len());
            let word = rest.get(..length)?;
            let at = position;
            position += length.max(1);
            let before = word.iter().take_while(|byte| !is_key_byte(**byte)).count();
            let after = word.iter().rev().take_while(|byte| !is_key_byte(**byte)).count();
            let kept = word.get(before..length.saturating_sub(after)).unwrap_or_default();
            let is_number = after > 0 && kept.len() <= 4 && kept.iter().all(u8::is_ascii_digit);
            if kept.iter().any(u8::is_ascii_alphanumeric) && !is_number {
                return Some(at + before..at + before + kept.len());
            }
        }
        None
    })
}

fn is_armor_header(name: &[u8], next: Option<&u8>) -> bool {
    next == Some(&b':') && ARMOR_HEADERS.iter().any(|header| header.eq_ignore_ascii_case(name))
}

/// True for capitals, small letters and digits together, which the base64 of a key has and a hash
/// in hexadecimal has not.
fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_uppercase)
        && run.iter().any(u8::is_ascii_lowercase)
        && run.iter().any(u8::is_ascii_digit)
}

/// True for what can be the short last line of a key, unlike an ordinary word.
pub(super) fn is_tail(word: &[u8]) -> bool {
    word.iter().any(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'/' | b'='))
        || word.iter().skip(1).any(u8::is_ascii_uppercase)
}

pub(super) fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
