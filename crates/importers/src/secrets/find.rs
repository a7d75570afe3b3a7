//! Where secrets stand in a text: one automaton pass, then a bounded look around each hit.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::SecretKind;
use super::assignment::{self, KEYWORDS};
use super::card::find_cards;
use super::tokens::{TOKEN_BYTES_MAX, TOKEN_RULES};

/// A secret's place, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: SecretKind,
}

/// Longest text between `-----BEGIN` and the end of that line.
const KEY_HEADER_BYTES_MAX: usize = 80;
/// Longest private key, header and footer apart.
const KEY_BYTES_MAX: usize = 16 * 1024;
/// Shortest run of base64 that makes a key of what follows a key's header.
const KEY_RUN_BYTES_MIN: usize = 24;
/// Longest part of a JSON Web Token.
const JWT_BYTES_MAX: usize = 16 * 1024;
/// Longest `user:password@` in a URL.
const USERINFO_BYTES_MAX: usize = 256;
/// How far before `Basic` the word `Authorization` is looked for.
const HEADER_NAME_BYTES_MAX: usize = 24;
/// Shortest bearer token that is masked without the word `Authorization` before it.
const BEARER_BYTES_MIN: usize = 16;
/// Shortest credentials that are masked after `Authorization:`.
const AUTHORIZATION_BYTES_MIN: usize = 8;

/// Fixed texts besides the prefixes of [`TOKEN_RULES`] and the [`KEYWORDS`] of assignments.
const KEY_BEGIN: &str = "-----BEGIN ";
const OTHER_ANCHORS: [(&str, Anchor); 6] = [
    (KEY_BEGIN, Anchor::PrivateKey),
    ("eyJ", Anchor::Jwt),
    ("bearer ", Anchor::Bearer),
    ("basic ", Anchor::Basic),
    ("://", Anchor::Url),
    (":AA", Anchor::Telegram),
];

#[derive(Clone, Copy)]
enum Anchor {
    PrivateKey,
    Jwt,
    Bearer,
    Basic,
    Url,
    Telegram,
    Token(usize),
    Keyword,
}

struct Anchors {
    automaton: AhoCorasick,
    meanings: Vec<Anchor>,
}

static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| {
    let mut patterns = Vec::new();
    let mut meanings = Vec::new();
    for (pattern, anchor) in OTHER_ANCHORS {
        patterns.push(pattern);
        meanings.push(anchor);
    }
    for (index, rule) in TOKEN_RULES.iter().enumerate() {
        patterns.push(rule.prefix);
        meanings.push(Anchor::Token(index));
    }
    for (keyword, _) in KEYWORDS {
        patterns.push(keyword);
        meanings.push(Anchor::Keyword);
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(patterns)
        .expect("the anchors are few and short");
    Anchors { automaton, meanings }
});

/// Replaces every secret in `text` by `[masked:<kind>]`; `None` if there is none.
///
/// ```
/// let (text, kinds) = importers::secrets::mask_text("see postgres://ana:tulip77@db/garden").unwrap();
/// assert_eq!(text, "see postgres://ana:[masked:url-password]@db/garden");
/// assert_eq!(kinds[0].as_str(), "url-password");
/// ```
pub fn mask_text(text: &str) -> Option<(String, Vec<SecretKind>)> {
    let spans = find(text);
    if spans.is_empty() {
        return None;
    }
    let mut masked = String::with_capacity(text.len());
    let mut position = 0;
    for span in &spans {
        masked.push_str(text.get(position..span.start).unwrap_or_default());
        masked.push_str("[masked:");
        masked.push_str(span.kind.as_str());
        masked.push(']');
        position = span.end;
    }
    masked.push_str(text.get(position..).unwrap_or_default());
    Some((masked, spans.into_iter().map(|span| span.kind).collect()))
}

/// Every secret in `text`, in order, without overlaps.
pub(super) fn find(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut masked_to = 0;
    let mut last_value = assignment::LastValue::default();
    for hit in ANCHORS.automaton.find_overlapping_iter(bytes) {
        let Some(&anchor) = ANCHORS.meanings.get(hit.pattern().as_usize()) else { continue };
        if hit.start() < masked_to && !matches!(anchor, Anchor::Token(_)) {
            continue;
        }
        let span = match anchor {
            Anchor::PrivateKey => private_key(text, hit.start()),
            Anchor::Jwt => jwt(bytes, hit.start()),
            Anchor::Bearer => authorization(bytes, hit.start(), hit.end(), BEARER_BYTES_MIN),
            Anchor::Basic => authorization(bytes, hit.start(), hit.end(), usize::MAX),
            Anchor::Url => url_password(bytes, hit.end()),
            Anchor::Telegram => telegram(bytes, hit.start()),
            Anchor::Token(index) => token(bytes, hit.start(), index),
            Anchor::Keyword => assignment::find(text, hit.start(), hit.end(), &mut last_value),
        };
        if let Some(span) = span
            && text.is_char_boundary(span.start)
            && text.is_char_boundary(span.end)
        {
            masked_to = masked_to.max(span.end);
            spans.push(span);
        }
    }
    find_cards(bytes, &mut spans);
    without_overlaps(spans)
}

fn without_overlaps(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.kind));
    let mut kept: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match kept.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => kept.push(span),
        }
    }
    kept
}

/// True if a token may begin at `start`: no letter, digit, `_` or `-` before it. The `n` of an escaped line break
/// is no letter.
fn begins_word(bytes: &[u8], start: usize) -> bool {
    let before = |back: usize| start.checked_sub(back).and_then(|index| bytes.get(index));
    match before(1) {
        None => true,
        Some(b'n' | b'r' | b't') => before(2) == Some(&b'\\'),
        Some(byte) => !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'),
    }
}

/// How many bytes from `start` on are accepted, at most `bytes_max`.
pub(super) fn run(
    bytes: &[u8],
    start: usize,
    bytes_max: usize,
    accepts: impl Fn(u8) -> bool,
) -> usize {
    bytes
        .get(start..)
        .unwrap_or_default()
        .iter()
        .take(bytes_max)
        .take_while(|byte| accepts(**byte))
        .count()
}

fn token(bytes: &[u8], start: usize, index: usize) -> Option<Span> {
    let rule = TOKEN_RULES.get(index)?;
    // A webhook's host may follow `//` only; all other prefixes begin a word.
    if !begins_word(bytes, start) || !bytes.get(start..)?.starts_with(rule.prefix.as_bytes()) {
        return None;
    }
    let from = start + rule.prefix.len();
    let length = run(bytes, from, TOKEN_BYTES_MAX, |byte| rule.alphabet.holds(byte));
    let body = bytes.get(from..from + length)?;
    let fits = (rule.length_min..=rule.length_max).contains(&length);
    // Words joined by hyphens have few digits; a made-up placeholder repeats one character.
    let random = assignment::entropy_bits(body) >= 3.0
        && body.iter().any(|byte| byte.is_ascii_digit())
        || assignment::entropy_bits(body) >= 4.0 && body.iter().any(u8::is_ascii_uppercase);
    (fits && random).then_some(Span { start, end: from + length, kind: rule.kind })
}

fn jwt(bytes: &[u8], start: usize) -> Option<Span> {
    if !begins_word(bytes, start) || !bytes.get(start..)?.starts_with(b"eyJ") {
        return None;
    }
    let part = |from: usize| {
        run(bytes, from, JWT_BYTES_MAX, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
        })
    };
    let header = part(start);
    let claims_at = start + header + 1;
    if header < 12
        || bytes.get(start + header) != Some(&b'.')
        || !bytes.get(claims_at..)?.starts_with(b"eyJ")
    {
        return None;
    }
    let mut end = claims_at + part(claims_at);
    if bytes.get(end) == Some(&b'.') {
        let signature = part(end + 1);
        if signature > 0 {
            end += 1 + signature;
        }
    }
    Some(Span { start, end, kind: SecretKind::Jwt })
}

fn authorization(bytes: &[u8], word: usize, from: usize, length_min: usize) -> Option<Span> {
    if !begins_word(bytes, word) {
        return None;
    }
    let before = bytes.get(word.saturating_sub(HEADER_NAME_BYTES_MAX)..word)?;
    let in_header = before.windows(13).any(|window| window.eq_ignore_ascii_case(b"authorization"));
    let length_min = if in_header { AUTHORIZATION_BYTES_MIN } else { length_min };
    let from = from + run(bytes, from, 8, |byte| byte == b' ');
    let length = run(bytes, from, JWT_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
    });
    let value = bytes.get(from..from + length)?;
    let random =
        in_header || value.iter().any(u8::is_ascii_digit) && assignment::entropy_bits(value) >= 3.0;
    (length >= length_min && random).then_some(Span {
        start: from,
        end: from + length,
        kind: SecretKind::Authorization,
    })
}

fn url_password(bytes: &[u8], from: usize) -> Option<Span> {
    let scheme_before = from
        .checked_sub(4)
        .and_then(|index| bytes.get(index))
        .is_some_and(u8::is_ascii_alphanumeric);
    let length = run(bytes, from, USERINFO_BYTES_MAX, |byte| {
        byte > b' '
            && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    });
    let authority = bytes.get(from..from + length)?;
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let colon = authority.iter().position(|byte| *byte == b':').filter(|colon| *colon + 1 < at)?;
    let placeholder = authority.get(colon + 1).is_none_or(|first| b"${<[*%".contains(first));
    (scheme_before && !placeholder).then_some(Span {
        start: from + colon + 1,
        end: from + at,
        kind: SecretKind::UrlPassword,
    })
}

/// `<8 to 10 digits>:AA<33 characters>`.
fn telegram(bytes: &[u8], colon: usize) -> Option<Span> {
    let digits =
        bytes.get(..colon)?.iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let start = colon - digits;
    if !(8..=10).contains(&digits) || !bytes.get(colon..)?.starts_with(b":AA") {
        return None;
    }
    // In the bot API's URLs the token follows the word `bot`.
    let in_url = start.checked_sub(3).and_then(|index| bytes.get(index..start)) == Some(b"bot");
    let length = run(bytes, colon + 1, 36, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
    });
    (length == 35 && (in_url || begins_word(bytes, start))).then_some(Span {
        start,
        end: colon + 1 + length,
        kind: SecretKind::TelegramToken,
    })
}

fn private_key(text: &str, start: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let header_bytes =
        run(bytes, start, KEY_HEADER_BYTES_MAX, |byte| !matches!(byte, b'\n' | b'\r'));
    let header = bytes.get(start..start + header_bytes)?;
    let name = b"PRIVATE KEY";
    let name_end =
        start + header.windows(name.len()).position(|window| window == name)? + name.len();
    let name_end = name_end + if bytes.get(name_end..)?.starts_with(b" BLOCK") { 6 } else { 0 };
    let body = name_end + run(bytes, name_end, 5, |byte| byte == b'-');
    // The next dashes are this key's end or another's beginning, so a text is never searched twice.
    let window = bytes.get(body..bytes.len().min(body + KEY_BYTES_MAX))?;
    let dashes =
        window.windows(5).position(|window| window == b"-----").map(|dashes| body + dashes);
    let end = match dashes {
        Some(dashes)
            if bytes.get(dashes..)?.starts_with(b"-----END")
                && holds_key(bytes.get(body..dashes)?) =>
        {
            dashes
                + 5
                + run(bytes, dashes + 5, KEY_HEADER_BYTES_MAX, |byte| {
                    byte.is_ascii_uppercase() || byte == b' '
                })
                + 5
        }
        _ => cut_key_end(bytes, body)?,
    };
    Some(Span { start, end: end.min(bytes.len()), kind: SecretKind::PrivateKey })
}

/// True if there is a run of the key's alphabet between header and footer; a text about keys has none.
fn holds_key(body: &[u8]) -> bool {
    body.split(|byte| !is_key_byte(*byte)).any(|run| run.len() >= KEY_RUN_BYTES_MIN)
}

/// Where a key ends that was cut off before its footer: after the last long run in the key's alphabet.
fn cut_key_end(bytes: &[u8], body: usize) -> Option<usize> {
    let mut end = None;
    let mut position = body;
    while position < body + KEY_BYTES_MAX {
        position += run(bytes, position, 4, |byte| byte.is_ascii_whitespace());
        position +=
            if bytes.get(position..).is_some_and(|rest| rest.starts_with(b"\\n")) { 2 } else { 0 };
        let length = run(bytes, position, KEY_BYTES_MAX, is_key_byte);
        if length < KEY_RUN_BYTES_MIN {
            break;
        }
        position += length;
        end = Some(position);
    }
    end
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
