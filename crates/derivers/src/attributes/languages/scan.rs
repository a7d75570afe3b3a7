//! Whether a text may have a statement in another language than English.
//!
//! Most text is English, so it is passed over as fast as possible: each byte is read once, and a
//! word is compared with those of the other languages only if its first two letters and its length
//! are those of one.

/// Letters from a to z.
const LETTERS: usize = 26;
/// The class of a digit; those before it are of the letters.
const DIGIT: u8 = 26;
/// The class of punctuation.
const OTHER: u8 = 27;
/// The class of the first byte of a letter beyond English. Punctuation begins with 0xC2 or 0xE2,
/// and emoji with 0xF0.
const FOREIGN: u8 = 28;
/// The class of each byte.
const CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte: u8 = 0;
    loop {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => byte - b'a',
            b'A'..=b'Z' => byte - b'A',
            b'0'..=b'9' => DIGIT,
            0xc3..=0xdf | 0xe3..=0xef => FOREIGN,
            _ => OTHER,
        };
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    classes
};

/// What the words of the other languages are.
pub(super) struct Scan {
    /// By the first letter.
    words: [Words; LETTERS],
}

impl Scan {
    /// Of words in lower case. Those that are not ASCII are found by their letters.
    pub(super) fn new(words: impl Iterator<Item = &'static str>) -> Self {
        let mut by_letter: [Words; LETTERS] = Default::default();
        for word in words.filter(|word| word.is_ascii()) {
            if let Some(place) = word.as_bytes().first().copied().and_then(letter) {
                by_letter[place].add(word.trim_end_matches('\''));
            }
        }
        Self { words: by_letter }
    }

    /// Whether a text has a letter or a word of one of the languages.
    pub(super) fn may_read(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let class = |at: usize| bytes.get(at).map_or(OTHER, |byte| CLASSES[usize::from(*byte)]);
        let mut at = 0;
        while at < bytes.len() {
            let first = class(at);
            if first == FOREIGN {
                return true;
            }
            let start = at;
            at += 1;
            if first == OTHER {
                continue;
            }
            while class(at) <= DIGIT {
                at += 1;
            }
            let words = self.words.get(usize::from(first));
            let word = bytes.get(start..at).unwrap_or_default();
            if words.is_some_and(|words| words.contains(word)) {
                return true;
            }
        }
        false
    }
}

/// Words in ASCII and lower case that begin with the same letter.
#[derive(Default)]
struct Words {
    /// A bit for each of their lengths, by the second letter.
    lengths: [u32; LETTERS],
    words: Vec<&'static str>,
}

impl Words {
    fn add(&mut self, word: &'static str) {
        if let Some(second) = word.as_bytes().get(1).copied().and_then(letter) {
            self.lengths[second] |= Self::length(word.as_bytes());
            self.words.push(word);
        }
    }

    fn length(word: &[u8]) -> u32 {
        1 << (word.len() & 31)
    }

    fn contains(&self, word: &[u8]) -> bool {
        let second = word.get(1).copied().and_then(letter);
        second.is_some_and(|second| self.lengths[second] & Self::length(word) != 0)
            && self.words.iter().any(|it| it.as_bytes().eq_ignore_ascii_case(word))
    }
}

fn letter(byte: u8) -> Option<usize> {
    byte.to_ascii_lowercase().checked_sub(b'a').map(usize::from).filter(|place| *place < LETTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_letters_of_other_languages_are_found() {
        let scan = Scan::new(["wohnt", "l'", "живёт", "de"].into_iter());
        for text in ["Ana wohnt hier", "WOHNT", "na,wohnt", "é", "小", "Rio de Janeiro"] {
            assert!(scan.may_read(text), "{text}");
        }
        for text in ["", "wohn", "wohnte", "dwohnt", "d", "It’s fine – “really” 👍", "de2"]
        {
            assert!(!scan.may_read(text), "{text}");
        }
    }
}
