//! Finds secrets in a text: one automaton pass, then a bounded look around each hit.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::SecretKind;
use super::assignment;
use super::card::find_cards;
use super::codes::{self, CODE_NAMES};
use super::commands::{self, COMMAND_RULES};
use super::formats::{self, FORMATS, Format};
use super::key_body::{self, KEY_BEGINNINGS};
use super::names::KEYWORDS;
use super::patterns::{INFIX_RULES, around_infix, find_discord_tokens};
use super::private_key::private_key;
use super::seed_words::find_phrases;
use super::table;
use super::tokens::{LONG_TOKEN_BYTES_MAX, TOKEN_BYTES_MAX, TOKEN_RULES};
use super::value;

/// A secret's place, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: SecretKind,
}

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

/// The beginning of a key's header.
const KEY_BEGIN: &str = "-----BEGIN ";
/// Fixed texts besides the prefixes of [`TOKEN_RULES`] and the [`KEYWORDS`] of assignments.
const OTHER_ANCHORS: [(&str, Anchor); 10] = [
    (KEY_BEGIN, Anchor::PrivateKey),
    ("-----END ", Anchor::PrivateKeyEnd),
    ("eyJ", Anchor::Jwt),
    ("bearer ", Anchor::Bearer),
    ("basic ", Anchor::Basic),
    ("://", Anchor::Url),
    (":AA", Anchor::Telegram),
    (":5432:", Anchor::PasswordFile),
    (":6432:", Anchor::PasswordFile),
    (":*:", Anchor::PasswordFile),
];

#[derive(Clone, Copy)]
enum Anchor {
    PrivateKey,
    PrivateKeyEnd,
    PrivateKeyBody,
    Jwt,
    Bearer,
    Basic,
    Url,
    Telegram,
    Token(usize),
    Infix(usize),
    Command(usize),
    PasswordFile,
    Keyword(usize),
    Code(codes::CodeName),
    Format(Format),
}

/// Bytes that a process searches before it makes the larger automaton.
const LARGE_AFTER_BYTES: usize = 1 << 16;

/// The automata of all anchors, which find the same. A process that masks one note should not spend
/// longer on an automaton than on the note, and one that imports should search fast.
struct Anchors {
    /// Made in a tenth of the time of the other.
    small: LazyLock<AhoCorasick>,
    /// Searches several times as fast.
    large: LazyLock<AhoCorasick>,
    searched_bytes: AtomicUsize,
    meanings: LazyLock<Vec<Anchor>>,
}

static ANCHORS: Anchors = Anchors {
    small: LazyLock::new(|| automaton(AhoCorasickKind::NoncontiguousNFA)),
    large: LazyLock::new(|| automaton(AhoCorasickKind::DFA)),
    searched_bytes: AtomicUsize::new(0),
    meanings: LazyLock::new(|| anchors().map(|(_, anchor)| anchor).collect()),
};

impl Anchors {
    /// The automaton for the next text.
    fn for_text(&self, text: &str) -> &AhoCorasick {
        let before = self.searched_bytes.load(Ordering::Relaxed);
        if before >= LARGE_AFTER_BYTES {
            return &self.large;
        }
        // Threads that count at the same time only make it a little later.
        self.searched_bytes.store(before.saturating_add(text.len()), Ordering::Relaxed);
        if text.len() < LARGE_AFTER_BYTES { &self.small } else { &self.large }
    }
}

/// Every anchor with its text, in the order of the automata's patterns.
fn anchors() -> impl Iterator<Item = (&'static str, Anchor)> {
    let tokens = TOKEN_RULES.iter().enumerate();
    let infixes = INFIX_RULES.iter().enumerate();
    let commands = COMMAND_RULES.iter().enumerate();
    let keywords = KEYWORDS.iter().enumerate();
    OTHER_ANCHORS
        .into_iter()
        .chain(KEY_BEGINNINGS.into_iter().map(|beginning| (beginning, Anchor::PrivateKeyBody)))
        .chain(tokens.map(|(index, rule)| (rule.prefix, Anchor::Token(index))))
        .chain(infixes.map(|(index, rule)| (rule.infix, Anchor::Infix(index))))
        .chain(commands.map(|(index, rule)| (rule.option, Anchor::Command(index))))
        .chain(keywords.map(|(index, keyword)| (keyword.name, Anchor::Keyword(index))))
        .chain(CODE_NAMES.into_iter().map(|(name, code)| (name, Anchor::Code(code))))
        .chain(FORMATS.into_iter().map(|(text, format)| (text, Anchor::Format(format))))
}

fn automaton(kind: AhoCorasickKind) -> AhoCorasick {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(kind))
        .build(anchors().map(|(text, _)| text))
        .expect("the anchors are few and short")
}

/// Whether any anchor occurs in `text`, among them every name of a secret, in any case.
pub(super) fn has_anchor(text: &str) -> bool {
    ANCHORS.for_text(text).is_match(text)
}

/// Replaces every secret in `text` by `[masked:<kind>]`; `None` if there is none.
///
/// ```
/// let (text, kinds) = importers::secrets::mask_text("see postgres://ana:tulip77@db/garden").unwrap();
/// assert_eq!(text, "see postgres://ana:[masked:url-password]@db/garden");
/// assert_eq!(kinds[0].as_str(), "url-password");
/// ```
pub fn mask_text(text: &str) -> Option<(String, Vec<SecretKind>)> {
    replace(text, find(text))
}

/// Replaces the text at `spans` by masks.
pub(super) fn replace(text: &str, spans: Vec<Span>) -> Option<(String, Vec<SecretKind>)> {
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
    let (mut masked_to, mut last_start) = (0, 0);
    let mut last_value = assignment::LastValue::default();
    let mut columns = Vec::new();
    for hit in ANCHORS.for_text(text).find_overlapping_iter(bytes) {
        let Some(&anchor) = ANCHORS.meanings.get(hit.pattern().as_usize()) else { continue };
        // Of two prefixes at one place the longer match wins.
        let is_within = hit.start() < masked_to
            && !(matches!(anchor, Anchor::Token(_)) && hit.start() <= last_start);
        if is_within {
            continue;
        }
        if matches!(anchor, Anchor::Keyword(_) | Anchor::Code(_))
            && table::may_name_column(text, hit.end())
        {
            columns.push(hit.start());
        }
        let span = match anchor {
            Anchor::PrivateKey => private_key(text, hit.start()),
            Anchor::PrivateKeyEnd => key_body::before_footer(text, hit.start(), masked_to),
            Anchor::PrivateKeyBody => key_body::without_header(text, hit.start()),
            Anchor::Jwt => jwt(bytes, hit.start()),
            Anchor::Bearer => authorization(bytes, hit.start(), hit.end(), BEARER_BYTES_MIN),
            Anchor::Basic => authorization(bytes, hit.start(), hit.end(), usize::MAX),
            Anchor::Url => url_password(bytes, hit.end()),
            Anchor::Telegram => telegram(bytes, hit.start()),
            Anchor::Token(index) => token(bytes, hit.start(), index),
            Anchor::Infix(index) => around_infix(bytes, hit.start(), index),
            Anchor::Command(index) => commands::argument(text, hit.start(), hit.end(), index),
            Anchor::PasswordFile => commands::password_file(text, hit.start()),
            Anchor::Keyword(index) => {
                assignment::find(text, hit.start(), hit.end(), index, &mut last_value)
            }
            Anchor::Code(name) => codes::find(text, hit.start(), hit.end(), name),
            Anchor::Format(format) => {
                spans.extend(formats::find(text, hit.start(), hit.end(), format));
                None
            }
        };
        if let Some(span) = span
            && text.is_char_boundary(span.start)
            && text.is_char_boundary(span.end)
        {
            masked_to = masked_to.max(span.end);
            last_start = span.start;
            spans.push(span);
        }
    }
    table::find_columns(text, &columns, &mut spans);
    find_discord_tokens(bytes, &mut spans);
    find_cards(bytes, &mut spans);
    find_phrases(text, &mut spans);
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

/// True if a token may begin at `start`: no letter, digit, `_` or `-` before it. The `n` of an
/// escaped line break does not count as a letter.
pub(super) fn begins_word(bytes: &[u8], start: usize) -> bool {
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
    if !(rule.length_min..=rule.length_max).contains(&length) || !is_random(body) {
        return None;
    }
    let next = bytes.get(from + length).copied().unwrap_or(b' ');
    if rule.is_common_prefix
        && (next.is_ascii_alphanumeric() || b"_-(/+=".contains(&next) || !value::is_scattered(body))
    {
        return None;
    }
    let rest = if length < TOKEN_BYTES_MAX { 0 } else { LONG_TOKEN_BYTES_MAX };
    let rest = run(bytes, from + length, rest, |byte| rule.alphabet.holds(byte));
    Some(Span { start, end: from + length + rest, kind: rule.kind })
}

/// Words joined by hyphens have few digits; a made-up placeholder repeats one character.
fn is_random(body: &[u8]) -> bool {
    let entropy = value::entropy_bits(body);
    entropy >= 3.0 && body.iter().any(u8::is_ascii_digit)
        || entropy >= 4.0 && body.iter().any(u8::is_ascii_uppercase)
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
    let text = std::str::from_utf8(value).ok()?;
    // Examples have names there: `Bearer your_token`.
    let is_name = value::is_identifier(text)
        && !(text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && text.bytes().any(|byte| byte.is_ascii_digit()))
        || value::is_made_of_words(&text.to_ascii_lowercase());
    let random = in_header && !is_name
        || value.iter().any(u8::is_ascii_digit) && value::entropy_bits(value) >= 3.0;
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
    let password = std::str::from_utf8(authority.get(colon + 1..at)?).ok()?;
    let placeholder =
        value::is_placeholder(password) || value::is_made_of_words(&password.to_ascii_lowercase());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_automata_find_the_same_anchors_in_the_same_order() {
        let mut text = String::from("no anchor here, then all of them: ");
        for (anchor, _) in anchors() {
            text.push_str(anchor);
            text.push_str(&anchor.to_ascii_uppercase());
            text.push(' ');
        }
        let hits = |automaton: &AhoCorasick| {
            let found = automaton.find_overlapping_iter(&text);
            found.map(|hit| (hit.pattern(), hit.start(), hit.end())).collect::<Vec<_>>()
        };
        let (small, large) = (hits(&ANCHORS.small), hits(&ANCHORS.large));
        assert_eq!(small, large);
        assert!(small.len() >= 2 * ANCHORS.meanings.len());
    }

    #[test]
    fn every_name_of_a_secret_is_an_anchor_in_any_case_and_within_other_words() {
        for keyword in &KEYWORDS {
            for name in [keyword.name.to_owned(), keyword.name.to_ascii_uppercase()] {
                for key in [name.clone(), format!("db_{name}2"), format!("наш {name}é")] {
                    assert!(has_anchor(&key), "{key:?}");
                }
            }
        }
        assert!(!has_anchor("source_uid"));
    }

    #[test]
    fn a_process_that_searches_much_changes_to_the_large_automaton() {
        let anchors = Anchors {
            small: LazyLock::new(|| automaton(AhoCorasickKind::NoncontiguousNFA)),
            large: LazyLock::new(|| automaton(AhoCorasickKind::DFA)),
            searched_bytes: AtomicUsize::new(0),
            meanings: LazyLock::new(Vec::new),
        };
        let note = "n".repeat(LARGE_AFTER_BYTES / 2);
        assert_eq!(anchors.for_text(&note).kind(), AhoCorasickKind::NoncontiguousNFA);
        assert_eq!(anchors.for_text(&note).kind(), AhoCorasickKind::NoncontiguousNFA);
        assert_eq!(anchors.for_text(&note).kind(), AhoCorasickKind::DFA);
        let book = "n".repeat(LARGE_AFTER_BYTES);
        anchors.searched_bytes.store(0, Ordering::Relaxed);
        assert_eq!(anchors.for_text(&book).kind(), AhoCorasickKind::DFA);
    }
}
