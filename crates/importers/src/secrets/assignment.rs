//! `password=…`, `api_key: …`, `"token": "…"`, `--secret …`: values that their names give away.
//!
//! The name alone is not enough: prose says "password: see the blue note", code says `token = parser.next()`. So the
//! value must look drawn rather than written: long enough, of mixed characters, with enough entropy, and neither
//! identifier, path, date, placeholder nor content address. Only the value is masked, never what follows it.

use super::SecretKind;
use super::find::{Span, run};

/// Names that make a value suspicious, and what it is then.
pub(super) const KEYWORDS: [(&str, SecretKind); 24] = {
    use SecretKind::{AssignedSecret as Secret, Password};
    [
        ("password", Password),
        ("passwd", Password),
        ("passphrase", Password),
        ("passwort", Password),
        ("pwd", Password),
        ("secret", Secret),
        ("token", Secret),
        ("apikey", Secret),
        ("api_key", Secret),
        ("api-key", Secret),
        ("api key", Secret),
        ("access_key", Secret),
        ("accesskey", Secret),
        ("access-key", Secret),
        ("private_key", Secret),
        ("privatekey", Secret),
        ("auth_key", Secret),
        ("authkey", Secret),
        ("account_key", Secret),
        ("accountkey", Secret),
        ("signing_key", Secret),
        ("encryption_key", Secret),
        ("master_key", Secret),
        ("credentials", Secret),
    ]
};

/// What may follow the keyword within the same name.
const NAME_ENDS: [&str; 14] = [
    "",
    "_base",
    "_key",
    "_key_base",
    "_token",
    "_prod",
    "_production",
    "_dev",
    "_test",
    "_staging",
    "_value",
    "key",
    "-key",
    "accesskey",
];

/// Longest name around a keyword.
const NAME_BYTES_MAX: usize = 64;
/// Longest value.
const VALUE_BYTES_MAX: usize = 512;
/// Most spaces around the operator.
const SPACES_MAX: usize = 8;
/// Shortest password that is masked.
const PASSWORD_CHARS_MIN: usize = 6;
/// Shortest other secret that is masked.
const SECRET_CHARS_MIN: usize = 8;
/// Least entropy a character of a password, in bits.
const PASSWORD_ENTROPY_BITS_MIN: f64 = 2.2;
/// Least entropy a character of another secret, in bits.
const SECRET_ENTROPY_BITS_MIN: f64 = 2.8;
/// From this length on, letters alone may be a secret if their entropy is high.
const LETTERS_CHARS_MIN: usize = 20;
/// Least entropy a character of letters alone, in bits; English words stay below.
const LETTERS_ENTROPY_BITS_MIN: f64 = 3.7;

/// Most keywords within one value that are tried each by itself, as in `token:password:…`.
const KEYWORDS_A_VALUE_MAX: usize = 4;

/// The value that was looked at last. Names within it are tried too, but not without end: a text of nothing but
/// `secret:secret:secret:` would otherwise be read once for every name in it.
#[derive(Default)]
pub(super) struct LastValue {
    end: usize,
    keywords: usize,
}

/// The value assigned to the name in which the keyword at `start..end` stands, if it looks like a secret.
pub(super) fn find(text: &str, start: usize, end: usize, last: &mut LastValue) -> Option<Span> {
    last.keywords = if start < last.end { last.keywords + 1 } else { 0 };
    if last.keywords >= KEYWORDS_A_VALUE_MAX {
        return None;
    }
    let bytes = text.as_bytes();
    let keyword = text.get(start..end)?;
    let kind = kind_of(keyword)?;
    let suffix = run(bytes, end, NAME_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
    });
    let rest = text.get(end..end + suffix)?;
    if !is_name_end(rest) {
        return None;
    }
    let name_end = end + suffix;
    let closed = name_end
        + run(bytes, name_end, 4, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b']' | b'`' | b'*'));
    let spaced = closed + spaces(bytes, closed);
    let value_at = match operator(bytes, spaced) {
        Some(after) => typed(bytes, after + spaces(bytes, after)),
        None if spaced > closed && is_flag(bytes, start) => spaced,
        None => return None,
    };
    let (from, to, quoted) = value(bytes, value_at)?;
    last.end = last.end.max(to);
    looks_secret(text.get(from..to)?, kind, quoted, keyword).then_some(Span {
        start: from,
        end: to,
        kind,
    })
}

/// The kind of a whole value that stands under `key` in structured data, if it looks like a secret.
pub(super) fn secret_under_key(key: &str, value: &str) -> Option<SecretKind> {
    if key.len() > NAME_BYTES_MAX || value.len() > VALUE_BYTES_MAX {
        return None;
    }
    let lower = key.to_ascii_lowercase();
    KEYWORDS.iter().find_map(|(keyword, kind)| {
        let rest = lower.get(lower.find(keyword)? + keyword.len()..)?;
        (is_name_end(rest) && looks_secret(value.trim(), *kind, true, keyword)).then_some(*kind)
    })
}

fn kind_of(keyword: &str) -> Option<SecretKind> {
    KEYWORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(keyword)).map(|(_, kind)| *kind)
}

fn is_name_end(rest: &str) -> bool {
    let rest =
        rest.trim_end_matches(|last: char| last.is_ascii_digit()).trim_end_matches(['_', '-']);
    NAME_ENDS.iter().any(|end| end.eq_ignore_ascii_case(rest))
}

fn spaces(bytes: &[u8], from: usize) -> usize {
    run(bytes, from, SPACES_MAX, |byte| matches!(byte, b' ' | b'\t' | b'*'))
}

fn operator(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let length = [b":=".as_slice(), b"=>", b"==", b"=", b":"]
        .iter()
        .find(|operator| rest.starts_with(operator))?
        .len();
    Some(at + length)
}

/// Passes over a type between `:` and `=`, as in `password: &str = "…"`.
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

/// Where the value begins and ends, and whether it stood in quotes.
fn value(bytes: &[u8], at: usize) -> Option<(usize, usize, bool)> {
    let at = if bytes.get(at) == Some(&b'\\') { at + 1 } else { at };
    if let Some(quote @ (b'"' | b'\'' | b'`')) = bytes.get(at).copied() {
        let from = at + 1;
        let length = run(bytes, from, VALUE_BYTES_MAX, |byte| {
            byte != quote && byte != b'\n' && byte != b'\\'
        });
        let closed = bytes.get(from + length).is_some_and(|next| *next == quote || *next == b'\\');
        return closed.then_some((from, from + length, true));
    }
    let length = run(bytes, at, VALUE_BYTES_MAX, |byte| {
        byte > b' '
            && !matches!(
                byte,
                b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b')' | b'}' | b']' | b'<' | b'>' | b'|'
            )
    });
    let value = bytes.get(at..at + length)?;
    let trailing = value
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'.' | b'!' | b'?' | b':' | b'*'))
        .count();
    Some((at, at + length - trailing, false))
}

fn looks_secret(value: &str, kind: SecretKind, quoted: bool, keyword: &str) -> bool {
    let bytes = value.as_bytes();
    let password = kind == SecretKind::Password;
    let (chars_min, entropy_min) = if password {
        (PASSWORD_CHARS_MIN, PASSWORD_ENTROPY_BITS_MIN)
    } else {
        (SECRET_CHARS_MIN, SECRET_ENTROPY_BITS_MIN)
    };
    if bytes.len() < chars_min
        || bytes.len() > VALUE_BYTES_MAX
        || is_placeholder(value)
        || is_reference(value)
    {
        return false;
    }
    if bytes.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    if keyword.eq_ignore_ascii_case("token") && is_uuid(bytes) {
        return false;
    }
    let upper = bytes.iter().any(u8::is_ascii_uppercase);
    let lower = bytes.iter().any(u8::is_ascii_lowercase);
    let digit = bytes.iter().any(u8::is_ascii_digit);
    // Words joined by signs, with capitals and digits, are what programs that ask for passwords demand.
    let demanded = password
        && upper
        && lower
        && digit
        && bytes.iter().any(|byte| b"!@#$%^&*+=?~".contains(byte));
    if is_identifier(value) && !demanded {
        let repeats = value.to_ascii_lowercase().contains(&keyword.to_ascii_lowercase());
        let one_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && value.bytes().any(|byte| byte.is_ascii_digit());
        return password && one_word && !repeats && entropy_bits(bytes) >= entropy_min;
    }
    let letters = bytes.iter().any(u8::is_ascii_alphabetic);
    let digits = bytes.iter().any(u8::is_ascii_digit);
    let symbols = bytes.iter().any(|byte| b"!@#$%^&*+=?~".contains(byte));
    if letters && digits || password && quoted && letters && symbols {
        return entropy_bits(bytes) >= entropy_min;
    }
    let mixed =
        bytes.iter().any(u8::is_ascii_lowercase) && bytes.iter().any(u8::is_ascii_uppercase);
    letters
        && mixed
        && bytes.len() >= LETTERS_CHARS_MIN
        && entropy_bits(bytes) >= LETTERS_ENTROPY_BITS_MIN
}

fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    [
        "example",
        "your",
        "changeme",
        "change_me",
        "placeholder",
        "redacted",
        "masked:",
        "xxxx",
        "****",
        "...",
        "…",
    ]
    .iter()
    .any(|word| lower.contains(word))
        || value.starts_with(['$', '%', '{', '<', '[', '@', '&', '('])
        || value.contains("${")
        || value.contains("{{")
}

/// True for what names something else: a call, a path, a URL, a content address, a date.
fn is_reference(value: &str) -> bool {
    let path = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start))
        && !value.contains(['+', '='])
        || value.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/");
    // An AWS secret key has forty characters and may begin with a slash.
    path && value.len() != 40
        || value.contains(['(', '\\'])
        || value.contains("://")
        || value.contains("::")
        || value.contains("->")
        || value.starts_with("b3:")
        || value.starts_with("data:")
        || value.starts_with("sha256:")
        || is_number(value)
        || crate::dates::date_at_start(value).is_some()
}

/// True for words joined as code and file names join them: `get_password_v2`, `process.env.TOKEN`, `X509Options`.
fn is_identifier(value: &str) -> bool {
    value.split(['_', '.', '-', ':', '[', '/', '!']).all(|word| {
        let bytes = word.as_bytes();
        let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
        let only_these = letters + digits == bytes.len() && bytes.len() <= NAME_BYTES_MAX;
        let leading = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name: String = word.chars().filter(char::is_ascii_alphabetic).collect();
        // Digits within a word are rare in names (`X509Options`) and scattered in keys.
        let inside = leading < letters;
        let numbered = !inside
            || bytes.iter().any(u8::is_ascii_uppercase) && letters >= 8 * digits.div_ceil(3);
        only_these && digits <= 3 && numbered && has_word_shape(&name)
    })
}

/// True for numbers as code writes them: `131072u32`, `-2147217308`, `0xC0210024_u32`, `3600s`.
fn is_number(value: &str) -> bool {
    let value = value.trim_start_matches(['-', '+']);
    let suffixes = [
        "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "f32", "f64", "ms", "s",
        "m", "h", "d", "px", "kb", "mb",
    ];
    let bare = suffixes.iter().find_map(|suffix| value.strip_suffix(suffix)).unwrap_or(value);
    match bare.strip_prefix("0x") {
        Some(hex) => {
            hex.len() <= 17 && hex.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
        }
        None => bare.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.')),
    }
}

/// True if capitals come as in `camelCase`, `Word` or `WORD`, not scattered.
fn has_word_shape(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.iter().all(u8::is_ascii_uppercase) {
        return true;
    }
    let single = bytes
        .windows(2)
        .filter(|pair| matches!(pair, [first, second] if first.is_ascii_uppercase() && second.is_ascii_uppercase()))
        .count();
    let humps = bytes.iter().skip(1).filter(|byte| byte.is_ascii_uppercase()).count();
    single <= 2 && humps * 3 <= bytes.len()
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Shannon entropy of the bytes' distribution, in bits a byte.
pub(super) fn entropy_bits(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = bytes.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|&count| f64::from(count) / total)
        .map(|share| -share * share.log2())
        .sum()
}
