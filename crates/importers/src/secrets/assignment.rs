//! `password=…`, `api_key: …`, `"token": "…"`, `--secret …`: values whose names mark them as
//! secrets.
//!
//! The name alone is not enough: prose says "password: see the blue note", code says `token =
//! parser.next()`. So the value must look random rather than written (`value`), unless the line is
//! neither prose nor code: a shell's variable in capitals, or a connection string. Only the value
//! is masked, never what follows it.

use super::SecretKind;
use super::alone::{self, Place};
use super::commands;
use super::east_asian;
use super::find::{Span, has_anchor, run};
use super::layout;
use super::names::{KEYWORDS, Keyword, begins_name, is_name_end};
use super::prose;
use super::value::{VALUE_BYTES_MAX, is_passphrase, is_word, looks_secret};
use super::words::SETTINGS;

/// Longest name around a keyword.
const NAME_BYTES_MAX: usize = 64;
/// Most spaces around the operator.
const SPACES_MAX: usize = 8;
/// Longest remark between a name and its operator: `Secret Access Key [None]:`.
const REMARK_BYTES_MAX: usize = 32;
/// How far before a name a connection string is recognised.
const CONNECTION_BYTES_MAX: usize = 160;
/// Other names in a connection string.
const CONNECTION_NAMES: [&str; 9] = [
    "server=",
    "data source=",
    "host=",
    "user id=",
    "uid=",
    "user=",
    "username=",
    "dbname=",
    "database=",
];
/// Shortest password of letters alone that is masked.
const WORD_CHARS_MIN: usize = 6;
/// Shortest other secret of letters alone that is masked.
const SECRET_WORD_CHARS_MIN: usize = 12;
/// Shortest password of small letters alone in quotes that is masked.
const QUOTED_WORD_CHARS_MIN: usize = 8;
/// Most words before the name of a password in a note: "guest WiFi".
const LABEL_WORDS_MAX: usize = 3;
/// Longest label before the name of a password in a note.
const LABEL_BYTES_MAX: usize = 48;
/// Typographic quotation marks: the opening and the closing one.
const QUOTES: [(&str, &str); 6] =
    [("“", "”"), ("„", "“"), ("‘", "’"), ("«", "»"), ("‹", "›"), ("「", "」")];

/// Most keywords within one value that are tried separately, as in `token:password:…`.
const KEYWORDS_A_VALUE_MAX: usize = 4;

/// The latest value. Names within it are tried too, up to a limit: otherwise a text such as
/// `secret:secret:secret:` would be scanned again for every name in it.
#[derive(Default)]
pub(super) struct LastValue {
    end: usize,
    keywords: usize,
}

/// The value given to the name that contains the keyword at `start..end`, if it looks like a
/// secret.
pub(super) fn find(
    text: &str,
    start: usize,
    end: usize,
    index: usize,
    last: &mut LastValue,
) -> Option<Span> {
    let bytes = text.as_bytes();
    let keyword = KEYWORDS.get(index)?;
    if keyword.is_short && !begins_name(bytes, start) {
        return None;
    }
    let suffix = run(bytes, end, NAME_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
    });
    if !is_name_end(text.get(end..end + suffix)?) {
        return None;
    }
    last.keywords = if start < last.end { last.keywords + 1 } else { 0 };
    if last.keywords >= KEYWORDS_A_VALUE_MAX {
        return None;
    }
    let name_end = end + suffix;
    let closed = name_end
        + run(bytes, name_end, 4, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b']' | b'`' | b'*'));
    let spaced = closed + spaces(bytes, closed);
    let after = operator(bytes, spaced).or_else(|| operator(bytes, remark(bytes, spaced)?));
    let value_at = match after {
        Some(after) => typed(bytes, after + spaces(bytes, after)),
        None if spaced > closed && is_flag(bytes, start) => spaced,
        None => {
            return elsewhere(text, start, name_end, keyword)
                .or_else(|| without_operator(text, start, closed, keyword));
        }
    };
    let Some((from, to, quoted)) = value(bytes, value_at).filter(|(from, to, _)| from < to) else {
        return elsewhere(text, start, name_end, keyword);
    };
    let to = if quoted { to } else { prose::without_ending(text, from, to, keyword) };
    // A type with a lifetime.
    if bytes.get(to..).is_some_and(|after| after.starts_with(b"<'")) {
        return None;
    }
    last.end = last.end.max(to);
    let named = Named { text, start, name_end, from, to, quoted, keyword };
    if let Some(end) = named.phrase_end() {
        last.end = last.end.max(end);
        return Some(Span { start: from, end, kind: keyword.kind });
    }
    let is_string = quoted || named.is_in_shell();
    let is_secret = looks_secret(text.get(from..to)?, keyword.kind, is_string, keyword.name)
        || named.is_word_in_settings()
        || named.is_alone_in_note()
        || quoted && keyword.kind == SecretKind::Password && is_quoted_word(text.get(from..to)?)
        || keyword.kind == SecretKind::Password
            && prose::is_owned_word(text, start, from, to, quoted);
    is_secret.then_some(Span { start: from, end: to, kind: keyword.kind })
}

/// The value in the line below its name, or in the next cell of a table.
fn elsewhere(text: &str, start: usize, name_end: usize, keyword: &Keyword) -> Option<Span> {
    let found = layout::line_below(text, start, name_end)
        .or_else(|| layout::next_cell(text, start, name_end))?;
    let value = text.get(found.clone())?;
    alone::is_value(value, keyword, Place::Alone).then_some(Span {
        start: found.start,
        end: found.end,
        kind: keyword.kind,
    })
}

/// The value of a name in a sentence, in a `.netrc`, or directly after the name.
fn without_operator(text: &str, start: usize, end: usize, keyword: &Keyword) -> Option<Span> {
    let at = end + spaces(text.as_bytes(), end);
    prose::find(text, start, end, keyword)
        .or_else(|| {
            let is_password = keyword.name == "password" && at > end;
            is_password.then(|| commands::after_login(text, start, end))?
        })
        .or_else(|| (at > end).then(|| prose::bare(text, at, keyword))?)
}

/// A name with its value.
struct Named<'a> {
    text: &'a str,
    /// Where the keyword begins.
    start: usize,
    name_end: usize,
    from: usize,
    to: usize,
    quoted: bool,
    keyword: &'a Keyword,
}

impl Named<'_> {
    /// True directly after the name and the sign.
    fn is_tight(&self) -> bool {
        self.from == self.name_end + 1 + usize::from(self.quoted)
            && self.text.as_bytes().get(self.name_end) == Some(&b'=')
    }

    /// True for the value of a shell's variable in capitals, where nothing is code.
    fn is_in_shell(&self) -> bool {
        let bytes = self.text.as_bytes();
        self.is_tight()
            && is_shell_variable(bytes, self.start, self.name_end)
            && ends_word(bytes, self.to, self.quoted)
    }

    /// True for a word of letters where the line is neither prose nor code.
    fn is_word_in_settings(&self) -> bool {
        let Self { text, start, from, to, quoted, keyword, .. } = *self;
        let bytes = text.as_bytes();
        let value = text.get(from..to).unwrap_or_default();
        let chars_min = match keyword.kind {
            SecretKind::Password => WORD_CHARS_MIN,
            _ => SECRET_WORD_CHARS_MIN,
        };
        let lower = value.to_lowercase();
        self.is_tight()
            && is_word(value, chars_min)
            && !SETTINGS.contains(&lower.as_str())
            && !lower.contains(keyword.name)
            && (self.is_in_shell()
                || is_line(bytes, start, to, quoted)
                || !quoted && is_in_connection_string(bytes, start, to))
    }

    /// Where the line ends, if nothing but a label and a phrase is in it:
    /// `Password: correct horse battery staple`.
    fn phrase_end(&self) -> Option<usize> {
        let Self { text, start, name_end, from, quoted, keyword, .. } = *self;
        let line = text.get(from..text.floor_char_boundary(from + VALUE_BYTES_MAX))?;
        let phrase = line.split(['\n', '\r']).next()?.trim_end_matches([' ', '*']);
        let is_phrase = keyword.kind == SecretKind::Password
            && !quoted
            && alone::is_known(keyword)
            && text.get(name_end..from).is_some_and(|sign| sign.contains([':', '：']))
            && phrase.contains(' ')
            && phrase.chars().all(|letter| letter.is_alphanumeric() || " -'’".contains(letter))
            && is_note(text, start, from + phrase.len())
            && is_passphrase(phrase, keyword.name);
        is_phrase.then_some(from + phrase.len())
    }

    /// True for a word or a number that alone follows a label in its line.
    fn is_alone_in_note(&self) -> bool {
        let Self { text, start, from, to, quoted, keyword, .. } = *self;
        keyword.kind == SecretKind::Password
            && !quoted
            && is_note(text, start, to)
            && text.get(from..to).is_some_and(|value| {
                alone::is_word_alone(value, keyword) || alone::is_number_alone(value, keyword)
            })
    }
}

/// True if nothing but a label, the sign and the value is in the line, as people note a password:
/// `- WiFi password: …`.
fn is_note(text: &str, start: usize, to: usize) -> bool {
    let window = text.ceil_char_boundary(start.saturating_sub(LABEL_BYTES_MAX));
    let before = text.get(window..start).unwrap_or_default();
    let (label, begins) = match before.rsplit_once('\n') {
        Some((_, label)) => (label, true),
        None => (before, window == 0),
    };
    let label = label.trim_start_matches([' ', '-', '*', '•', '\t']);
    let spaces = spaces(text.as_bytes(), to);
    let after =
        text.get(to + spaces..).unwrap_or_default().trim_start_matches(['.', '!', '#', '。', '！']);
    begins
        && label.split_whitespace().count() <= LABEL_WORDS_MAX
        && label.chars().all(|letter| letter.is_alphabetic() || " -_'’*".contains(letter))
        && after.chars().next().is_none_or(|next| next == '\n' || next == '\r')
}

/// True for one word in small letters, or in an East Asian script, that can hardly be a label, a
/// type or a setting.
fn is_quoted_word(value: &str) -> bool {
    if east_asian::is_text(value) {
        return east_asian::is_password(value);
    }
    is_word(value, QUOTED_WORD_CHARS_MIN)
        && value.bytes().all(|byte| byte.is_ascii_lowercase())
        && !SETTINGS.contains(&value)
        && !prose::is_ordinary(value)
        && !KEYWORDS.iter().any(|keyword| value.contains(keyword.name))
}

/// True for a name in capitals that begins a word, as shells write them.
fn is_shell_variable(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = bytes.get(..start).unwrap_or_default().iter().rev();
    let length = before.take(NAME_BYTES_MAX).take_while(|byte| is_name(byte)).count();
    let name = bytes.get(start - length..end).unwrap_or_default();
    let ahead = (start - length).checked_sub(1).and_then(|index| bytes.get(index));
    name.iter().all(|byte| !byte.is_ascii_lowercase())
        && ahead.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\''))
}

/// True if nothing but the name, the sign and the value is in the line, as in a file of settings.
fn is_line(bytes: &[u8], start: usize, to: usize, quoted: bool) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let before = bytes.get(..start).unwrap_or_default();
    let length = before.iter().rev().take(NAME_BYTES_MAX).take_while(|byte| is_name(byte)).count();
    let begins = before.len() == length
        || before.get(..before.len() - length).is_some_and(|ahead| ahead.ends_with(b"\n"));
    let after = bytes.get(to + usize::from(quoted)..).unwrap_or_default();
    begins && matches!(after, [] | [b'\n' | b'\r', ..])
}

fn ends_word(bytes: &[u8], to: usize, quoted: bool) -> bool {
    let after = bytes.get(to + usize::from(quoted));
    after.is_none_or(|byte| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'\\' | b'`')
    })
}

/// True if the line has other names of a connection string before the value, and the value ends
/// like theirs.
fn is_in_connection_string(bytes: &[u8], start: usize, to: usize) -> bool {
    let before = bytes.get(start.saturating_sub(CONNECTION_BYTES_MAX)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
    let is_within = CONNECTION_NAMES
        .iter()
        .any(|name| line.windows(name.len()).any(|window| window == name.as_bytes()));
    let separated =
        line.last().is_some_and(|byte| b";&? ".contains(byte)) && !line.ends_with(b", ");
    let ends =
        bytes.get(to).is_none_or(|byte| byte.is_ascii_whitespace() || b";&\"'`".contains(byte));
    is_within && separated && ends
}

/// The kind of a whole value under `key` in structured data, if it looks like a secret.
pub(super) fn secret_under_key(key: &str, value: &str) -> Option<SecretKind> {
    if key.len() > NAME_BYTES_MAX || value.len() > VALUE_BYTES_MAX || !has_anchor(key) {
        return None;
    }
    let lower = key.to_ascii_lowercase();
    KEYWORDS.iter().find_map(|keyword| {
        let at = lower.find(keyword.name)?;
        let rest = lower.get(at + keyword.name.len()..)?;
        let begins = !keyword.is_short || begins_name(key.as_bytes(), at);
        let is_secret = begins
            && is_name_end(rest)
            && (looks_secret(value.trim(), keyword.kind, true, keyword.name)
                || keyword.kind == SecretKind::Password
                    && (is_quoted_word(value.trim())
                        || alone::is_number_alone(value.trim(), keyword)));
        is_secret.then_some(keyword.kind)
    })
}

pub(super) fn spaces(bytes: &[u8], from: usize) -> usize {
    run(bytes, from, SPACES_MAX, |byte| matches!(byte, b' ' | b'\t' | b'*'))
}

fn operator(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    if rest.starts_with(b"::") {
        return None;
    }
    let operators = [b":=".as_slice(), b"=>", b"==", b"=", b":", "：".as_bytes(), "＝".as_bytes()];
    let length = operators.iter().find(|operator| rest.starts_with(operator))?.len();
    Some(at + length)
}

/// Where a remark in brackets after a name ends: `[None]`, `(WLAN)`.
fn remark(bytes: &[u8], at: usize) -> Option<usize> {
    let closing = match bytes.get(at)? {
        b'[' => b']',
        b'(' => b')',
        _ => return None,
    };
    let length = run(bytes, at, REMARK_BYTES_MAX, |byte| byte != closing && byte != b'\n');
    let end = at + length + 1;
    (bytes.get(at + length) == Some(&closing)).then(|| end + spaces(bytes, end))
}

/// Skips a type between `:` and `=`, as in `password: &str = "…"`.
fn typed(bytes: &[u8], at: usize) -> usize {
    let word = run(bytes, at, NAME_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'&' | b'_' | b'<' | b'>')
    });
    let after = at + word + spaces(bytes, at + word);
    match bytes.get(after..) {
        Some([b'=', next, ..]) if word > 0 && after > at + word && *next != b'=' => {
            after + 1 + spaces(bytes, after + 1)
        }
        _ => at,
    }
}

/// True if the name is a command-line option: `--db-password`.
fn is_flag(bytes: &[u8], keyword: usize) -> bool {
    let name = bytes.get(..keyword).unwrap_or_default().iter().rev().take(NAME_BYTES_MAX);
    let length =
        name.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
    bytes.get(keyword - length..keyword).is_some_and(|name| name.starts_with(b"--"))
}

/// Where the value begins and ends, and whether it is in quotes.
pub(super) fn value(bytes: &[u8], at: usize) -> Option<(usize, usize, bool)> {
    let is_escaped_quote = matches!(bytes.get(at..), Some([b'\\', b'"' | b'\'', ..]));
    let at = at + usize::from(is_escaped_quote);
    if let Some(quote @ (b'"' | b'\'' | b'`')) = bytes.get(at).copied() {
        let from = at + 1;
        let length = run(bytes, from, VALUE_BYTES_MAX, |byte| {
            byte != quote && byte != b'\n' && byte != b'\\'
        });
        let closed = bytes.get(from + length).is_some_and(|next| *next == quote || *next == b'\\');
        return closed.then_some((from, from + length, true));
    }
    let rest = bytes.get(at..)?;
    if let Some((open, close)) = QUOTES.iter().find(|(open, _)| rest.starts_with(open.as_bytes())) {
        let from = at + open.len();
        let window = bytes.get(from..bytes.len().min(from + VALUE_BYTES_MAX))?;
        let length = window.windows(close.len()).position(|mark| mark == close.as_bytes())?;
        let is_line = !window.get(..length)?.contains(&b'\n');
        return is_line.then_some((from, from + length, true));
    }
    let length = unquoted_length(rest);
    let value = rest.get(..length)?;
    let trailing = value
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'.' | b'!' | b'?' | b':' | b'*'))
        .count();
    Some((at, at + length - trailing, false))
}

/// The length of a value without quotes: up to a space, or to a sign that belongs to what is around
/// it, such as a bracket that was opened before it or the `&` of the next parameter.
fn unquoted_length(rest: &[u8]) -> usize {
    let mut open = 0_usize;
    for (index, &byte) in rest.iter().enumerate().take(VALUE_BYTES_MAX) {
        let after = rest.get(index + 1..).unwrap_or_default();
        let ends = match byte {
            0..=b' ' | b'"' | b'`' | b'<' | b'>' => true,
            b'(' | b'[' | b'{' => {
                open += 1;
                false
            }
            b')' | b']' | b'}' if open > 0 => {
                open -= 1;
                false
            }
            b')' | b']' | b'}' => true,
            b',' | b';' | b'|' | b'&' => {
                !after.first().is_some_and(u8::is_ascii_graphic)
                    || after.first().is_some_and(|next| b"\"'`)]}&|;".contains(next))
                    || begins_name_of_next(after)
            }
            b'\'' => !after.first().is_some_and(u8::is_ascii_alphanumeric),
            b'\\' => after.first().is_some_and(|next| b"nrt\"'".contains(next)),
            _ => is_full_width_stop(rest.get(index..).unwrap_or_default()),
        };
        if ends {
            return index;
        }
    }
    rest.len().min(VALUE_BYTES_MAX)
}

/// True for `name=` or `name:`, and for the `amp;` of HTML.
fn begins_name_of_next(after: &[u8]) -> bool {
    let length = run(after, 0, NAME_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ')
    });
    after.starts_with(b"amp;") || length > 0 && matches!(after.get(length), Some(b'=' | b':'))
}

/// True for the punctuation of Chinese and Japanese, which no space follows.
fn is_full_width_stop(rest: &[u8]) -> bool {
    ["，", "。", "；", "、", "）", "！", "？"].iter().any(|stop| rest.starts_with(stop.as_bytes()))
}
