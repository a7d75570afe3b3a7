//! Codes and numbers that are written in several parts: "LH 1834", "070-123 45 67", "32 000".
//!
//! People write the same one together or apart. A text that has it apart has the whole as a term as
//! well, and a question that has it apart asks for the whole as well as for the parts. Of what is
//! written together nothing has to be known.

use std::ops::Range;

use super::stop_words::is_english_stop_word;
use super::words::Word;

/// Longest code: that of an account (IBAN).
const CHARS_MAX: usize = 34;
/// Most parts that are kept of a run of words.
const PARTS_MAX: usize = 12;
/// Most letters of a part that has no digit.
const LETTERS_MAX: usize = 4;
/// Most letters after the digits: the country of a parcel, "RR 123 456 785 SE".
const LETTERS_AFTER_MAX: usize = 2;
/// Fewest digits of a code without letters that are not groups of thousands: a phone number.
const DIGITS_MIN: usize = 7;

/// Where a code is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrittenIn {
    /// In a record. Only capital letters count: otherwise every short word before a number would be
    /// part of a code.
    Record,
    /// In a question, where people use small letters too. A code that no record has costs nothing.
    Question,
}

/// A part of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Letters,
    Digits,
    /// Both: "DE89", "2AA".
    Both,
}

impl Part {
    fn of(word: &str, from: WrittenIn) -> Option<Self> {
        let (mut letters, mut digits) = (0_usize, 0_usize);
        for byte in word.bytes() {
            match byte {
                b'0'..=b'9' => digits += 1,
                b'A'..=b'Z' => letters += 1,
                b'a'..=b'z' if from == WrittenIn::Question => letters += 1,
                _ => return None,
            }
        }
        match (letters, digits) {
            (0, 1..=CHARS_MAX) => Some(Self::Digits),
            (1..=LETTERS_MAX, 0) => Some(Self::Letters),
            (1.., 1..) if letters + digits <= CHARS_MAX => Some(Self::Both),
            _ => None,
        }
    }
}

/// Finds the codes that adjacent words of a text make up. Takes the words in order.
pub(crate) struct Codes {
    from: WrittenIn,
    /// The parts of the run of words that may still go on, and where they are, bytes. At most
    /// [`PARTS_MAX`].
    parts: Vec<(Part, Range<usize>)>,
    /// The run is longer than any code, and nothing of it is kept.
    is_too_long: bool,
}

impl Codes {
    pub(crate) fn new(from: WrittenIn) -> Self {
        Self { from, parts: Vec::new(), is_too_long: false }
    }

    /// Takes the next word of `text`. Returns where the codes are that ended before it.
    pub(crate) fn take(&mut self, text: &str, word: &Word<'_>) -> Vec<Range<usize>> {
        let part = Part::of(word.text, self.from).filter(|_| !word.unspaced);
        let Some(part) = part else {
            return if self.parts.is_empty() { Vec::new() } else { self.end(text) };
        };
        let goes_on = self.parts.last().is_some_and(|(last, at)| {
            let between = text.get(at.end..word.start);
            let is_joined = between == Some("-");
            (is_joined || between == Some(" "))
                && match (last, part) {
                    (Part::Letters, Part::Letters) => false,
                    // Letters after the digits are the last part.
                    (Part::Letters, _) if self.parts.len() > 1 => false,
                    // "I 2": a letter by itself is a word, too.
                    (Part::Letters, _) => is_joined || self.is_abbreviation(text, at),
                    (_, Part::Letters) => {
                        word.text.len() <= LETTERS_AFTER_MAX
                            && (is_joined || self.parts.len() > 2)
                            && self.parts.first().is_some_and(|(first, _)| *first != Part::Digits)
                    }
                    _ => true,
                }
        });
        let ended = if goes_on { Vec::new() } else { self.end(text) };
        if self.parts.len() < PARTS_MAX {
            self.parts.push((part, word.start..word.end()));
        } else {
            self.is_too_long = true;
            // Where the run goes on is still seen.
            if let Some(last) = self.parts.last_mut() {
                *last = (part, word.start..word.end());
            }
        }
        ended
    }

    /// Where the codes are with which the text ends. The next text begins anew.
    ///
    /// What follows a code may be another number ("LH 1834 14 June"), and what stands before it a
    /// label ("ISBN 978…"): so of letters and several groups of digits the letters with the first
    /// group are a code as well, and so are the groups by themselves if they could be one.
    pub(crate) fn end(&mut self, text: &str) -> Vec<Range<usize>> {
        let parts = std::mem::take(&mut self.parts);
        if std::mem::take(&mut self.is_too_long) || parts.len() < 2 {
            return Vec::new();
        }
        let groups = parts.iter().skip(1).take_while(|(part, _)| *part == Part::Digits).count();
        let has_label = parts.first().is_some_and(|(first, _)| *first == Part::Letters);
        let inner = [parts.get(..2), parts.get(1..=groups)];
        let inner = inner.into_iter().flatten().filter(|_| has_label && groups > 1);
        std::iter::once(&*parts)
            .chain(inner)
            .filter(|parts| is_code(text, parts))
            .filter_map(|parts| Some(parts.first()?.1.start..parts.last()?.1.end))
            .collect()
    }

    /// Whether letters before digits belong to them, and are not a word of the sentence.
    fn is_abbreviation(&self, text: &str, at: &Range<usize>) -> bool {
        let Some(letters) = text.get(at.clone()) else { return false };
        letters.len() > 1
            && (self.from == WrittenIn::Record
                || !is_english_stop_word(&letters.to_ascii_lowercase()))
    }
}

fn is_code(text: &str, parts: &[(Part, Range<usize>)]) -> bool {
    let lengths: Vec<usize> = parts.iter().map(|(_, at)| at.len()).collect();
    let chars: usize = lengths.iter().sum();
    if parts.len() < 2 || chars > CHARS_MAX {
        return false;
    }
    if parts.iter().any(|(part, _)| *part != Part::Digits) {
        return true;
    }
    let is_date = matches!(lengths[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 4]);
    let gaps = parts.iter().zip(parts.iter().skip(1));
    let mut gaps = gaps.map(|((_, before), (_, after))| text.get(before.end..after.start));
    let first = parts.first().and_then(|(_, at)| text.get(at.clone())).unwrap_or_default();
    let are_thousands = !first.starts_with('0')
        && matches!(lengths[..], [1..=3, ..])
        && lengths.iter().skip(1).all(|length| *length == 3)
        && gaps.all(|gap| gap == Some(" "));
    are_thousands || chars >= DIGITS_MIN && !is_date
}

/// A code as one word, in lower case.
pub(crate) fn joined(code: &str) -> String {
    code.bytes()
        .filter(u8::is_ascii_alphanumeric)
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::visit_words;
    use super::*;

    fn codes(text: &str, from: WrittenIn) -> Vec<String> {
        let (mut codes, mut found) = (Codes::new(from), Vec::new());
        visit_words(text, |word| {
            found.extend(codes.take(text, &word));
            true
        });
        found.extend(codes.end(text));
        found.into_iter().map(|at| joined(&text[at])).collect()
    }

    #[test]
    fn the_parts_of_a_code_are_joined() {
        for (text, expected) in [
            ("Our flight is LH 1834, seat 14C.", vec!["lh1834"]),
            ("LH-1834 and BA 771", vec!["lh1834", "ba771"]),
            ("BA 771 TO OSLO", vec!["ba771"]),
            ("Flight LH 1834 14 June", vec!["lh183414", "lh1834"]),
            ("ISBN 978-3-16-148410-0", vec!["isbn9783161484100", "isbn978", "9783161484100"]),
            ("SEK 1 250 000", vec!["sek1250000", "sek1", "1250000"]),
            ("parcel RR 123 456 785 SE", vec!["rr123456785se", "rr123", "123456785"]),
            ("plate AB-123-CD", vec!["ab123cd"]),
            ("the code is B-204", vec!["b204"]),
            ("SW1A 2AA", vec!["sw1a2aa"]),
            ("DE89 3704 0044 0532 0130 00", vec!["de89370400440532013000"]),
            ("Call 070-123 45 67!", vec!["0701234567"]),
            ("+46 70 123 45 67", vec!["46701234567"]),
            ("it was 32 000 euros, then 1 250 000", vec!["32000", "1250000"]),
            ("978-3-16-148410-0", vec!["9783161484100"]),
        ] {
            assert_eq!(codes(text, WrittenIn::Record), expected, "{text}");
        }
    }

    #[test]
    fn other_neighbours_are_not_joined() {
        for text in [
            "",
            "I 2nd that",
            "I 5 times, A 4",
            "in 2024, on 12 May",
            "2025-01-31 and 31-01-2025",
            "10 20 30",
            "pages 10-12",
            "LH  1834",
            "LH, 1834",
            "seat 14",
            "1 2000",
            "1 23 456",
            "12345678901234567890 12345678901234567890",
            "我 12 好 345",
            "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
            "A1 B2 C3 D4 E5 F6 G7 H8 I9 J10 K11 L12 M13",
        ] {
            assert!(codes(text, WrittenIn::Record).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_question_may_have_a_code_in_small_letters() {
        for (text, expected) in [
            ("where does lh 1834 go", vec!["lh1834"]),
            ("is 2024 over", vec![]),
            ("who has b-204?", vec!["b204"]),
        ] {
            assert_eq!(codes(text, WrittenIn::Question), expected, "{text}");
        }
    }
}
