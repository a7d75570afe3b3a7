//! Tokens without a prefix of their own: those known by a text in their middle, and Discord's.

use super::SecretKind;
use super::find::{Span, run};
use super::tokens::Alphabet;

/// A token around a fixed text.
pub(super) struct InfixRule {
    /// The text in its middle.
    pub(super) infix: &'static str,
    before: (Alphabet, usize),
    after: (Alphabet, usize, usize),
}

/// Every such token: client secrets of Microsoft's Entra, tokens of Azure DevOps, Mailchimp and
/// Terraform.
pub(super) const INFIX_RULES: [InfixRule; 4] = [
    InfixRule { infix: "Q~", before: (Alphabet::Tilde, 4), after: (Alphabet::Tilde, 31, 34) },
    InfixRule {
        infix: "AZDO",
        before: (Alphabet::Alphanumeric, 76),
        after: (Alphabet::Alphanumeric, 4, 4),
    },
    InfixRule { infix: "-us", before: (Alphabet::Hex, 32), after: (Alphabet::Digits, 1, 2) },
    InfixRule {
        infix: ".atlasv1.",
        before: (Alphabet::Alphanumeric, 14),
        after: (Alphabet::UrlSafe, 60, 80),
    },
];

/// Lengths of the first part of a Discord token: the Base64 of a number of 17 to 20 digits.
const DISCORD_ID_BYTES: std::ops::RangeInclusive<usize> = 23..=28;
/// Length of its second part.
const DISCORD_TIME_BYTES: usize = 6;
/// Lengths of its third part.
const DISCORD_CHECK_BYTES: std::ops::RangeInclusive<usize> = 27..=40;

/// The token whose middle begins at `infix_at`.
pub(super) fn around_infix(bytes: &[u8], infix_at: usize, index: usize) -> Option<Span> {
    let rule = INFIX_RULES.get(index)?;
    let (alphabet, length) = rule.before;
    if !bytes.get(infix_at..)?.starts_with(rule.infix.as_bytes())
        || run_before(bytes, infix_at, length + 1, alphabet) != length
    {
        return None;
    }
    let from = infix_at + rule.infix.len();
    let (alphabet, least, most) = rule.after;
    let length_after = run(bytes, from, most + 1, |byte| alphabet.holds(byte));
    let start = infix_at - length;
    let has_digit = bytes.get(start..infix_at)?.iter().any(u8::is_ascii_digit);
    (has_digit && (least..=most).contains(&length_after)).then_some(Span {
        start,
        end: from + length_after,
        kind: SecretKind::ServiceKey,
    })
}

/// Adds Discord's bot tokens: the bot's number in Base64, a time and a check, with dots between.
pub(super) fn find_discord_tokens(bytes: &[u8], spans: &mut Vec<Span>) {
    for dot in memchr::memchr_iter(b'.', bytes) {
        let second = dot + 1 + DISCORD_TIME_BYTES;
        if bytes.get(second) != Some(&b'.') {
            continue;
        }
        let id_bytes = run_before(bytes, dot, DISCORD_ID_BYTES.end() + 1, Alphabet::UrlSafe);
        let is_url_safe = |byte| Alphabet::UrlSafe.holds(byte);
        let check = run(bytes, second + 1, DISCORD_CHECK_BYTES.end() + 1, is_url_safe);
        let start = dot - id_bytes;
        if DISCORD_ID_BYTES.contains(&id_bytes)
            && run(bytes, dot + 1, DISCORD_TIME_BYTES, is_url_safe) == DISCORD_TIME_BYTES
            && DISCORD_CHECK_BYTES.contains(&check)
            && bytes.get(start..dot).is_some_and(is_base64_of_digits)
        {
            spans.push(Span { start, end: second + 1 + check, kind: SecretKind::ServiceKey });
        }
    }
}

fn run_before(bytes: &[u8], end: usize, bytes_max: usize, alphabet: Alphabet) -> usize {
    let before = bytes.get(..end).unwrap_or_default().iter().rev().take(bytes_max);
    before.take_while(|byte| alphabet.holds(**byte)).count()
}

fn is_base64_of_digits(text: &[u8]) -> bool {
    let (mut bits, mut count, mut decoded) = (0_u32, 0, 0);
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            _ => return false,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded += 1;
            if !(bits >> count & 0xff).try_into().is_ok_and(|byte: u8| byte.is_ascii_digit()) {
                return false;
            }
        }
    }
    decoded >= 17
}
