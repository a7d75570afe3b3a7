//! Payment card numbers: in groups, as people write them, and without.
//!
//! A number counts only if its first digits are those of an issuer and its check digit is right
//! (ISO/IEC 7812-1, Luhn), and if it stands alone: not in an identifier, a UUID, a path, a fraction
//! or a longer number. One in fifty random numbers of sixteen digits passes all of that, so a
//! number without groups is not taken for a card where the words before it call it something else,
//! such as an order or a phone. Lengths that few cards have need a word such as "card" nearby.

use super::SecretKind;
use super::find::Span;

const GROUPINGS: [&[usize]; 3] = [&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4]];
/// Digits of a card.
const DIGITS: std::ops::RangeInclusive<usize> = 13..=19;
/// Fewest digits in a row that a card begins with.
const FIRST_DIGITS_MIN: usize = 4;
/// How far before a number the words are read that say what it is.
const WORDS_BEFORE_BYTES: usize = 48;
/// How far after it.
const WORDS_AFTER_BYTES: usize = 32;
/// Words for a card and its parts.
const CARD_WORDS: [&str; 26] = [
    "card",
    "cards",
    "creditcard",
    "debitcard",
    "visa",
    "mastercard",
    "amex",
    "discover",
    "diners",
    "jcb",
    "unionpay",
    "maestro",
    "karte",
    "kreditkarte",
    "kartennummer",
    "tarjeta",
    "carte",
    "carta",
    "karta",
    "kaart",
    "credit",
    "debit",
    "cc",
    "pan",
    "cvv",
    "cvc",
];
/// Words for other numbers.
const OTHER_WORDS: [&str; 44] = [
    "order",
    "orders",
    "invoice",
    "id",
    "ids",
    "uid",
    "ref",
    "reference",
    "tracking",
    "parcel",
    "shipment",
    "isbn",
    "imei",
    "iccid",
    "phone",
    "tel",
    "telephone",
    "mobile",
    "fax",
    "ticket",
    "serial",
    "barcode",
    "ean",
    "upc",
    "sku",
    "gtin",
    "time",
    "timestamp",
    "seed",
    "hash",
    "build",
    "version",
    "size",
    "bytes",
    "offset",
    "count",
    "total",
    "bestellung",
    "bestellnummer",
    "rechnung",
    "sendung",
    "commit",
    "issue",
    "zip",
];

/// Adds every card number in `text` to `spans`.
pub(super) fn find_cards(text: &[u8], spans: &mut Vec<Span>) {
    let mut position = 0;
    // Of so many digits in a row, one is the last of so many bytes.
    while let Some([rest @ .., last]) = text.get(position..position + FIRST_DIGITS_MIN) {
        if !last.is_ascii_digit() {
            position += FIRST_DIGITS_MIN;
            continue;
        }
        position += rest.len() - rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let run = digits_at(text, position);
        let end = match run {
            4 if !is_continued_before(text, position) => {
                GROUPINGS.iter().find_map(|groups| card_end(text, position, groups))
            }
            run if DIGITS.contains(&run) => ungrouped_end(text, position, run),
            _ => None,
        };
        if let Some(end) = end {
            spans.push(Span { start: position, end, kind: SecretKind::CardNumber });
        }
        position = end.unwrap_or(position + run);
    }
}

fn digits_at(text: &[u8], position: usize) -> usize {
    text.get(position..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// True if what stands before belongs to the number, as in `cb0ba8ef-4111-…` or `12 4111 …`.
fn is_continued_before(text: &[u8], position: usize) -> bool {
    let before = |back: usize| position.checked_sub(back).and_then(|index| text.get(index));
    match before(1) {
        Some(b'-') => before(2).is_some_and(u8::is_ascii_alphanumeric),
        Some(b' ') => before(2).is_some_and(u8::is_ascii_digit),
        Some(b'n' | b'r' | b't') => before(2) != Some(&b'\\'),
        Some(byte) => byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'),
        None => false,
    }
}

/// True if what stands after belongs to the number.
fn is_continued_after(text: &[u8], end: usize, separator: u8) -> bool {
    let after = |on: usize| text.get(end + on);
    match after(0) {
        Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => true,
        Some(b'-') => after(1).is_some_and(u8::is_ascii_alphanumeric),
        Some(b'.' | b',') => after(1).is_some_and(u8::is_ascii_digit),
        Some(byte) => *byte == separator && after(1).is_some_and(u8::is_ascii_digit),
        None => false,
    }
}

fn card_end(text: &[u8], start: usize, groups: &[usize]) -> Option<usize> {
    let mut digits = Vec::with_capacity(16);
    let mut position = start;
    let separator = *text.get(start + 4)?;
    if separator != b' ' && separator != b'-' {
        return None;
    }
    for (index, &length) in groups.iter().enumerate() {
        if index > 0 {
            if text.get(position) != Some(&separator) {
                return None;
            }
            position += 1;
        }
        if digits_at(text.get(..(position + length + 1).min(text.len()))?, position) != length {
            return None;
        }
        digits.extend_from_slice(text.get(position..position + length)?);
        position += length;
    }
    let fits = issuer(&digits) != Issuer::None && luhn(&digits);
    (fits && !is_continued_after(text, position, separator)).then_some(position)
}

fn ungrouped_end(text: &[u8], start: usize, length: usize) -> Option<usize> {
    let end = start + length;
    let digits = text.get(start..end)?;
    let issuer = issuer(digits);
    if issuer == Issuer::None || !luhn(digits) {
        return None;
    }
    let before = start.checked_sub(1).and_then(|index| text.get(index)).copied().unwrap_or(b' ');
    let is_part = is_continued_before(text, start)
        || b"-/#@+,%&$~*\\".contains(&before)
        || is_continued_after(text, end, b' ')
        || text.get(end).is_some_and(|after| b"-/@%".contains(after));
    if is_part {
        return None;
    }
    let words_before = text.get(start.saturating_sub(WORDS_BEFORE_BYTES)..start)?;
    let words_after = text.get(end..text.len().min(end + WORDS_AFTER_BYTES))?;
    let is_named = holds_word(words_before, &CARD_WORDS) || holds_word(words_after, &CARD_WORDS);
    let is_assigned = matches!(before, b'=' | b':');
    let is_likely =
        issuer == Issuer::Common && !is_assigned && !holds_word(words_before, &OTHER_WORDS);
    let is_likely = is_likely && !is_in_list(text, start, end);
    (is_named || is_likely).then_some(end)
}

/// True for one of several numbers with commas between them.
fn is_in_list(text: &[u8], start: usize, end: usize) -> bool {
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    let after = text.get(end..text.len().min(end + WORDS_AFTER_BYTES)).unwrap_or_default();
    let after = after.trim_ascii_start();
    let before = text.get(start.saturating_sub(WORDS_BEFORE_BYTES)..start).unwrap_or_default();
    let before = before.trim_ascii_end();
    let is_followed = after
        .strip_prefix(b",")
        .is_some_and(|rest| rest.trim_ascii_start().first().is_none_or(is_number));
    let is_preceded =
        before.strip_suffix(b",").is_some_and(|rest| rest.last().is_some_and(is_number));
    is_followed || is_preceded
}

fn holds_word(text: &[u8], words: &[&str]) -> bool {
    text.split(|byte| !byte.is_ascii_alphabetic())
        .any(|found| words.iter().any(|word| found.eq_ignore_ascii_case(word.as_bytes())))
}

/// Whether an issuer gives out such numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Issuer {
    None,
    /// A length that few of its cards have.
    Rare,
    Common,
}

fn issuer(digits: &[u8]) -> Issuer {
    let first = |count: usize| {
        let digits = digits.get(..count).unwrap_or_default();
        digits.iter().fold(0_u32, |number, digit| number * 10 + u32::from(digit - b'0'))
    };
    match (digits.len(), first(2), first(4)) {
        // Visa, Mastercard, Discover, JCB.
        (16, 40..=49 | 51..=55 | 65, _)
        | (16, _, 2221..=2720 | 3528..=3589 | 6011 | 6440..=6499) => Issuer::Common,
        // American Express.
        (15, 34 | 37, _) => Issuer::Common,
        // UnionPay, Maestro, Diners Club, old and long numbers of Visa.
        (16..=19, 62, _) | (13 | 19, 40..=49, _) | (14, 30 | 36 | 38 | 39, _) => Issuer::Rare,
        (13..=19, 50 | 56..=69, _) => Issuer::Rare,
        _ => Issuer::None,
    }
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .map(|digit| u32::from(digit - b'0'))
        .enumerate()
        .map(|(index, digit)| match (index % 2, digit * 2) {
            (0, _) => digit,
            (_, doubled) if doubled > 9 => doubled - 9,
            (_, doubled) => doubled,
        })
        .sum();
    sum.is_multiple_of(10)
}
