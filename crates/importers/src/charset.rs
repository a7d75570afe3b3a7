//! Text in an encoding that nothing declares: Latin-1, Shift JIS, KOI8-R, GBK.
//!
//! What is not UTF-8 is decoded by the encoding that it looks like most (`chardetng`, as in
//! Firefox). Text of which most characters outside ASCII are UTF-8 is damaged UTF-8: its other
//! bytes become U+FFFD. So do those of what looks like text in no encoding.

use std::borrow::Cow;
use std::collections::BTreeSet;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// How many bytes decide.
const PROBE_BYTES: usize = 64 * 1024;
/// Of so many characters one in so many is another.
const SAMPLE_CHARS: usize = 96;
const DIFFERENT_ONE_OF: usize = 12;

/// Text, and the encoding that it was read in if that is not UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) encoding: Option<&'static Encoding>,
}

/// Decodes bytes in UTF-8, or in the encoding that they look like.
pub(crate) fn decode(bytes: &[u8]) -> Decoded<'_> {
    match guess(bytes) {
        None => Decoded { text: String::from_utf8_lossy(bytes), encoding: None },
        Some(encoding) => Decoded {
            text: encoding.decode_without_bom_handling(bytes).0,
            encoding: Some(encoding),
        },
    }
}

/// The encoding that bytes look like; `None` for UTF-8, even if it is damaged, and for no text.
pub(crate) fn guess(bytes: &[u8]) -> Option<&'static Encoding> {
    if std::str::from_utf8(bytes).is_ok() || is_damaged_utf8(bytes) {
        return None;
    }
    let probe = bytes.get(..PROBE_BYTES).unwrap_or(bytes);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(probe, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    // The end may be within a character.
    let text = encoding.decode_without_bom_handling(probe).0;
    is_text(&text).then_some(encoding)
}

fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        invalid += chunk.invalid().len();
    }
    invalid > 0 && valid >= invalid
}

/// Whether nearly all characters are letters, digits, spaces and ordinary signs, and none but the
/// last was replaced.
fn is_text(text: &str) -> bool {
    let is_control = |character: &char| {
        character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}')
    };
    let is_ordinary = |character: &char| {
        character.is_alphanumeric() || character.is_whitespace() || character.is_ascii_punctuation()
    };
    let (mut ordinary, mut all) = (0, 0);
    for character in text.trim_end_matches(char::REPLACEMENT_CHARACTER).chars() {
        if is_control(&character) || character == char::REPLACEMENT_CHARACTER {
            return false;
        }
        ordinary += usize::from(is_ordinary(&character));
        all += 1;
    }
    // Data repeats few bytes.
    let different: BTreeSet<char> = text.chars().take(SAMPLE_CHARS).collect();
    ordinary * 10 >= all * 8 && different.len() * DIFFERENT_ONE_OF >= all.min(SAMPLE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text in an encoding, and how it is read.
    fn read(encoding: &'static Encoding, text: &str) -> String {
        let (bytes, _, is_damaged) = encoding.encode(text);
        assert!(!is_damaged, "{text}");
        decode(&bytes).text.into_owned()
    }

    #[test]
    fn text_in_other_encodings_is_read() {
        for (encoding, text) in [
            (encoding_rs::WINDOWS_1252, "Café Größe: Wir trafen uns im Café am Fluß."),
            (encoding_rs::WINDOWS_1252, "Un coup de dés jamais n'abolira le hasard, dit-il à Ève."),
            (encoding_rs::WINDOWS_1250, "Příliš žluťoučký kůň úpěl ďábelské ódy."),
            (encoding_rs::WINDOWS_1251, "Вчера мы были в парке и видели белку."),
            (encoding_rs::KOI8_R, "Вчера мы были в парке и видели белку."),
            (encoding_rs::SHIFT_JIS, "今日は会議がありました。予算について話しました。"),
            (encoding_rs::EUC_JP, "今日は会議がありました。予算について話しました。"),
            (encoding_rs::GBK, "今天开会讨论了预算，决定买新电脑。"),
            (encoding_rs::BIG5, "今天開會討論了預算，決定買新電腦。"),
            (encoding_rs::EUC_KR, "오늘 회의에서 예산을 논의했습니다."),
        ] {
            assert_eq!(read(encoding, text), text, "{}", encoding.name());
        }
    }

    #[test]
    fn damaged_utf_8_is_repaired_and_noise_is_not_text() {
        let mut damaged = "Grüße aus Ærø".as_bytes().to_vec();
        damaged.push(0xff);
        assert_eq!(decode(&damaged).text, "Grüße aus Ærø\u{fffd}");
        assert_eq!(guess(b"plain"), None);
        assert_eq!(guess(b""), None);
        assert_eq!(guess(&[0x80; 100]), None);
        assert_eq!(guess(b"\x89PNG\r\n\x1a\n\x01\x02"), None);
    }
}
