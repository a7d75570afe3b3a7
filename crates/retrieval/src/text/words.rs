//! Word segmentation.
//!
//! Words are those of Unicode Standard Annex 29, which cannot segment scripts without spaces. In
//! those (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) a run of characters is split into
//! overlapping pairs: a question finds a text if they share two adjacent characters, which needs no
//! dictionary and misses nothing. A Han character is a term of its own as well, because most mean
//! something by themselves. Marks stay with their base character. A run of one character is a word.

use unicode_segmentation::UnicodeSegmentation;

/// A word of a text and its start, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'text> {
    pub(crate) text: &'text str,
    pub(crate) start: usize,
    /// True for a pair of characters of a script without spaces.
    pub(crate) unspaced: bool,
    /// True for the first pair of a run.
    pub(crate) starts_run: bool,
}

impl Word<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The first character of a run as a word of its own, if it is Han. The run's other characters
    /// are terms of the pairs that they end: [`last_character`].
    pub(crate) fn first_of_run(&self) -> Option<Self> {
        let first = self.starts_run.then(|| self.text.graphemes(true).next()).flatten()?;
        let is_word = first.starts_with(is_han);
        is_word.then_some(Self { text: first, starts_run: false, ..*self })
    }
}

/// The second character of a pair, if it is Han.
pub(crate) fn last_character(pair: &str) -> Option<&str> {
    let last = pair.graphemes(true).nth(1)?;
    last.starts_with(is_han).then_some(last)
}

/// True for a Han character by itself, with its marks.
pub(crate) fn is_single_han(term: &str) -> bool {
    term.starts_with(is_han) && term.graphemes(true).nth(1).is_none()
}

/// Whether a character is Han.
pub fn is_han(character: char) -> bool {
    matches!(character,
        '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Calls `visit` with each word of `text` in order, until it returns false.
pub(crate) fn visit_words<'text>(text: &'text str, mut visit: impl FnMut(Word<'text>) -> bool) {
    // The current run of unspaced characters: the start of its last character, and its end.
    let mut run: Option<Run> = None;
    for (start, token) in pieces(text).flat_map(indexed_words) {
        if token.is_ascii() || !token.chars().next().is_some_and(is_unspaced) {
            if let Some(word) = run.take().and_then(|run| run.alone(text))
                && !visit(word)
            {
                return;
            }
            if !visit(Word { text: token, start, unspaced: false, starts_run: false }) {
                return;
            }
            continue;
        }
        for (offset, cluster) in token.grapheme_indices(true) {
            let start = start + offset;
            let end = start + cluster.len();
            let pair = match run.take() {
                Some(open) if open.end == start => {
                    run = Some(Run { last: start, end, pairs: open.pairs + 1 });
                    text.get(open.last..end).map(|pair| Word {
                        text: pair,
                        start: open.last,
                        unspaced: true,
                        starts_run: open.pairs == 0,
                    })
                }
                earlier => {
                    run = Some(Run { last: start, end, pairs: 0 });
                    earlier.and_then(|earlier| earlier.alone(text))
                }
            };
            if let Some(word) = pair
                && !visit(word)
            {
                return;
            }
        }
    }
    if let Some(word) = run.and_then(|run| run.alone(text)) {
        visit(word);
    }
}

/// Splits a text at spaces into ASCII and other pieces, as (start, piece): segmentation is several
/// times faster in ASCII, and a single emoji or curly quote in a turn is common. No word contains a
/// space.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = match rest.bytes().position(|byte| !byte.is_ascii()) {
            None => rest.len(),
            Some(other) => {
                let before = rest.as_bytes().get(..other)?.iter().rposition(|byte| *byte == b' ');
                let after = || rest.as_bytes().get(other..)?.iter().position(|byte| *byte == b' ');
                match before {
                    Some(space) => space + 1,
                    None => after().map_or(rest.len(), |space| other + space + 1),
                }
            }
        };
        let piece = (start, rest.get(..length)?);
        start += length;
        Some(piece)
    })
}

fn indexed_words((start, piece): (usize, &str)) -> impl Iterator<Item = (usize, &str)> {
    piece.unicode_word_indices().map(move |(offset, word)| (start + offset, word))
}

#[derive(Clone, Copy)]
struct Run {
    last: usize,
    end: usize,
    pairs: usize,
}

impl Run {
    /// The run's only character, if it has no other.
    fn alone(self, text: &str) -> Option<Word<'_>> {
        let only = text.get(self.last..self.end).filter(|_| self.pairs == 0)?;
        Some(Word { text: only, start: self.last, unspaced: true, starts_run: false })
    }
}

/// True for characters of scripts without spaces between words (and for Hangul, whose particles are
/// attached to words).
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0E01}'..='\u{0EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' // Burmese
        | '\u{1100}'..='\u{11FF}' // Hangul letters
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{2E80}'..='\u{2FDF}' // Han radicals
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30FF}' // kana
        | '\u{3130}'..='\u{318F}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' // Han
        | '\u{AC00}'..='\u{D7AF}' // Hangul
        | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FFDC}'
        | '\u{1B000}'..='\u{1B16F}' | '\u{20000}'..='\u{3FFFF}')
}

pub(crate) const APOSTROPHES: [char; 3] = ['\'', '\u{2019}', '\u{FF07}'];
/// "ve", "ll", "re" and "s" are endings; a stem after an elided article is longer.
const STEM_CHARS_MIN: usize = 3;

/// The word without its suffix after an apostrophe ("mother's" → "mother", "don't" → "don"), or
/// without an elided article ("l'école" → "école", "O'Brien" → "Brien").
pub(crate) fn cut_at_apostrophe(word: &str) -> &str {
    match word.split_once(APOSTROPHES) {
        Some((before, after))
            if before.chars().count() <= 1 && after.chars().count() >= STEM_CHARS_MIN =>
        {
            after.split(APOSTROPHES).next().unwrap_or(after)
        }
        Some((before, _)) => before,
        None => word,
    }
}

/// What an apostrophe joins ("dell'arte" → "dell" and "arte"), if the second is longer than an
/// ending.
pub(crate) fn without_elided(word: &str) -> Option<(&str, &str)> {
    let (before, after) = word.split_once(APOSTROPHES)?;
    (after.chars().count() >= STEM_CHARS_MIN).then_some((before, after))
}

/// The words in a compound identifier: the parts between `_`, `.` and `:`, and the humps of
/// camelCase. Empty for a plain word or a number.
pub(crate) fn parts(word: &str) -> impl Iterator<Item = &str> {
    /// Shorter humps ("iPhone", "McDonald") are seldom words.
    const HUMP_CHARS_MIN: usize = 3;
    let (number, unit) = number_and_unit(word).unzip();
    let compound = word.contains(['_', '.', ':']) && word.chars().any(char::is_alphabetic);
    let pieces = word.split(['_', '.', ':']).filter(move |piece| compound && piece.len() > 1);
    let humps = humps(word).filter(|hump| hump.chars().count() >= HUMP_CHARS_MIN);
    pieces.chain(humps).chain(number).chain(unit)
}

/// The number and the letters of "10km" or "8am".
fn number_and_unit(word: &str) -> Option<(&str, &str)> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = word.split_at_checked(digits)?;
    let is_ordinal = matches!(unit, "st" | "nd" | "rd" | "th");
    let is_unit = !unit.is_empty() && unit.bytes().all(|letter| letter.is_ascii_alphabetic());
    (!is_ordinal && !number.is_empty() && is_unit).then_some((number, unit))
}

/// The humps of `word`, or nothing if it has only one: HTTP and Server for `HTTPServer`.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (hump, after) = rest.split_at_checked(hump_length(rest))?;
        rest = after;
        Some(hump)
    })
    .filter(move |hump| hump.len() < word.len())
    .flat_map(|hump| hump.split(['_', '.', ':']))
}

fn hump_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let Some((_, mut previous)) = characters.next() else { return 0 };
    while let Some((index, character)) = characters.next() {
        let next_is_lower = characters.peek().is_some_and(|(_, next)| next.is_lowercase());
        let starts_hump = character.is_uppercase()
            && (previous.is_lowercase() || (previous.is_uppercase() && next_is_lower));
        if starts_hump {
            return index;
        }
        previous = character;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        visit_words(text, |word| {
            assert_eq!(text.get(word.start..word.end()), Some(word.text));
            found.push(word.text);
            true
        });
        found
    }

    #[test]
    fn scripts_with_spaces_yield_words_and_others_overlapping_pairs() {
        for (text, expected) in [
            ("Well-known facts, 3.14 & more…", vec!["Well", "known", "facts", "3.14", "more"]),
            ("我喜欢北京", vec!["我喜", "喜欢", "欢北", "北京"]),
            ("猫 and 犬", vec!["猫", "and", "犬"]),
            ("東京タワー", vec!["東京", "京タ", "タワ", "ワー"]),
            ("用Rust写", vec!["用", "Rust", "写"]),
            ("你好,世界", vec!["你好", "世界"]),
            ("👍🏽🎉", vec![]),
            ("שלום עולם", vec!["שלום", "עולם"]),
            ("", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert!(words("สวัสดีครับ").len() > 3);
    }

    #[test]
    fn each_han_character_is_a_term_of_its_own_once() {
        let singles = |text| {
            let mut found = Vec::new();
            visit_words(text, |word| {
                found.extend(word.first_of_run().map(|first| first.text));
                found.extend(last_character(word.text).filter(|_| word.unspaced));
                true
            });
            found.concat()
        };
        assert_eq!(singles("我喜欢北京, 好的"), "我喜欢北京好的");
        assert_eq!(singles("東京タワーへ行く"), "東京行");
        assert_eq!(singles("สวัสดี 한국어 ab"), "");
        // A run of one character is a word already.
        assert_eq!(singles("猫 and 犬"), "");
    }

    #[test]
    fn splitting_a_text_into_pieces_changes_no_word() {
        for text in [
            "It’s fine 🎉 and good",
            "a é b",
            "é",
            " é ",
            "你好 ok 世界",
            "naïve café’s  x",
            "x \u{301}abc\u{301} y",
            "a\u{a0}b c",
        ] {
            let whole: Vec<(usize, &str)> = text.unicode_word_indices().collect();
            let cut: Vec<(usize, &str)> = pieces(text).flat_map(indexed_words).collect();
            assert_eq!(cut, whole, "{text}");
            assert_eq!(pieces(text).map(|(_, piece)| piece).collect::<String>(), text);
        }
    }

    #[test]
    fn suffixes_and_articles_are_cut_at_the_apostrophe() {
        for (word, expected) in [
            ("mother's", "mother"),
            ("don’t", "don"),
            ("I'm", "I"),
            ("l'école", "école"),
            ("O'Brien's", "Brien"),
            ("you've", "you"),
            ("'", ""),
        ] {
            assert_eq!(cut_at_apostrophe(word), expected, "{word}");
        }
    }

    #[test]
    fn compound_identifiers_are_split_into_words() {
        for (word, expected) in [
            ("plain", vec![]),
            ("Plain", vec![]),
            ("parse_config", vec!["parse", "config"]),
            ("parseConfig", vec!["parse", "Config"]),
            ("HTTPServer", vec!["HTTP", "Server"]),
            ("main.rs", vec!["main", "rs"]),
            ("3.14", vec![]),
            ("iPhone", vec!["Phone"]),
        ] {
            assert_eq!(parts(word).collect::<Vec<_>>(), expected, "{word}");
        }
    }
}
