//! Payment card numbers, as people write them in groups.
//!
//! A bare run of sixteen digits is more often an order number, so only the grouped forms (4-4-4-4, and 4-6-5 of
//! American Express) count, and only if the check digit is right (Luhn, ISO/IEC 7812-1).

use super::SecretKind;
use super::find::Span;

const GROUPINGS: [&[usize]; 2] = [&[4, 4, 4, 4], &[4, 6, 5]];

/// Adds every card number in `text` to `spans`.
pub(super) fn find_cards(text: &[u8], spans: &mut Vec<Span>) {
    let mut position = 0;
    while let Some(&byte) = text.get(position) {
        if !byte.is_ascii_digit() {
            position += 1;
            continue;
        }
        let run = digits_at(text, position);
        if run == 4
            && !preceded_by_number(text, position)
            && let Some(end) = GROUPINGS.iter().find_map(|groups| card_end(text, position, groups))
        {
            spans.push(Span { start: position, end, kind: SecretKind::CardNumber });
            position = end;
            continue;
        }
        position += run;
    }
}

fn digits_at(text: &[u8], position: usize) -> usize {
    text.get(position..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn preceded_by_number(text: &[u8], position: usize) -> bool {
    let before = |back: usize| position.checked_sub(back).and_then(|index| text.get(index));
    match before(1) {
        Some(b'-' | b' ') => before(2).is_some_and(u8::is_ascii_digit),
        Some(byte) => byte.is_ascii_alphanumeric() || *byte == b'.',
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
        digits.extend(
            text.get(position..position + length)?.iter().map(|digit| u32::from(digit - b'0')),
        );
        position += length;
    }
    let another = text.get(position) == Some(&separator)
        && text.get(position + 1).is_some_and(u8::is_ascii_digit);
    let issuer = matches!(digits.first(), Some(2..=6));
    (issuer && !another && luhn(&digits)).then_some(position)
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, &digit)| match (index % 2, digit * 2) {
            (0, _) => digit,
            (_, doubled) if doubled > 9 => doubled - 9,
            (_, doubled) => doubled,
        })
        .sum();
    sum.is_multiple_of(10)
}
