//! WordPiece: text into the tokens of a BERT vocabulary.
//!
//! Lower case, accents off, every punctuation mark and every Chinese character a word of its own; then each word is
//! cut into the longest pieces that the vocabulary has, from the left. A word with a rest that it has not is one
//! unknown token. The same as the reference implementation with `do_lower_case`. Source: Devlin et al. 2019,
//! "BERT: Pre-training of Deep Bidirectional Transformers".

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Words longer than this, in characters, are one unknown token.
const WORD_CHARS_MAX: usize = 100;
/// What begins a piece that continues a word.
const CONTINUES: &str = "##";
/// The token of what the vocabulary does not have.
const UNKNOWN: &str = "[UNK]";

/// A vocabulary, ready to cut words.
#[derive(Debug)]
pub struct WordPiece<'a> {
    begins: HashMap<&'a str, u16>,
    continues: HashMap<&'a str, u16>,
    unknown: u16,
    /// Bytes of the longest piece.
    piece_bytes_max: usize,
}

impl<'a> WordPiece<'a> {
    /// Of a vocabulary of one piece a line, numbered from 0. None if it has no unknown token, or more than 65 536 pieces.
    pub fn new(vocabulary: &'a str) -> Option<Self> {
        let mut begins = HashMap::with_capacity(vocabulary.len() / 8);
        let mut continues = HashMap::with_capacity(vocabulary.len() / 32);
        let mut piece_bytes_max = 0;
        for (number, piece) in vocabulary.lines().enumerate() {
            let number = u16::try_from(number).ok()?;
            match piece.strip_prefix(CONTINUES).filter(|rest| !rest.is_empty()) {
                Some(rest) => continues.insert(rest, number),
                None => begins.insert(piece, number),
            };
            piece_bytes_max = piece_bytes_max.max(piece.len());
        }
        let unknown = *begins.get(UNKNOWN)?;
        Some(Self { begins, continues, unknown, piece_bytes_max })
    }

    /// Has no piece: every word is token 0.
    pub fn empty() -> Self {
        Self { begins: HashMap::new(), continues: HashMap::new(), unknown: 0, piece_bytes_max: 0 }
    }

    /// The number of a whole piece, such as `[CLS]`.
    pub fn number(&self, piece: &str) -> Option<u16> {
        match piece.strip_prefix(CONTINUES).filter(|rest| !rest.is_empty()) {
            Some(rest) => self.continues.get(rest).copied(),
            None => self.begins.get(piece).copied(),
        }
    }

    /// Appends the tokens of `text`, none for `[CLS]` and `[SEP]`.
    pub fn tokens(&self, text: &str, tokens: &mut Vec<u16>) {
        let mut word = String::new();
        for character in text.chars() {
            if character.is_ascii_alphanumeric() {
                word.push(character.to_ascii_lowercase());
                continue;
            }
            match sort(character) {
                Sort::Nothing => {}
                Sort::Space => self.take(&mut word, tokens),
                Sort::Alone => {
                    self.take(&mut word, tokens);
                    word.push(character);
                    self.take(&mut word, tokens);
                }
                Sort::Letter => {
                    let letters = character.to_lowercase().nfd();
                    word.extend(letters.filter(|letter| letter.general_category() != GeneralCategory::NonspacingMark));
                }
            }
        }
        self.take(&mut word, tokens);
    }

    /// Cuts a word into pieces and empties it.
    fn take(&self, word: &mut String, tokens: &mut Vec<u16>) {
        if word.is_empty() {
            return;
        }
        let before = tokens.len();
        let is_long = word.len() > WORD_CHARS_MAX && word.chars().count() > WORD_CHARS_MAX;
        if is_long || !self.cut(word, tokens) {
            tokens.truncate(before);
            tokens.push(self.unknown);
        }
        word.clear();
    }

    /// False if a rest of the word is not in the vocabulary.
    fn cut(&self, word: &str, tokens: &mut Vec<u16>) -> bool {
        let mut pieces = &self.begins;
        let mut rest = word;
        while !rest.is_empty() {
            let longest = rest.len().min(self.piece_bytes_max);
            let found = (1..=longest).rev().find_map(|end| pieces.get(rest.get(..end)?).map(|token| (*token, end)));
            let Some((token, end)) = found else { return false };
            tokens.push(token);
            rest = &rest[end..];
            pieces = &self.continues;
        }
        true
    }
}

/// What a character does to words.
enum Sort {
    /// It is dropped.
    Nothing,
    /// It ends a word.
    Space,
    /// It is a word of its own.
    Alone,
    /// It is part of a word.
    Letter,
}

fn sort(character: char) -> Sort {
    if character.is_whitespace() {
        return Sort::Space;
    }
    if character.is_ascii_punctuation() || is_chinese(character) {
        return Sort::Alone;
    }
    match character.general_category() {
        _ if character == '\u{fffd}' => Sort::Nothing,
        category if category.group_of() == GeneralCategoryGroup::Other => Sort::Nothing,
        category if category.group_of() == GeneralCategoryGroup::Punctuation => Sort::Alone,
        _ => Sort::Letter,
    }
}

/// The group of a category.
trait GroupOf {
    fn group_of(self) -> GeneralCategoryGroup;
}

impl GroupOf for GeneralCategory {
    fn group_of(self) -> GeneralCategoryGroup {
        use GeneralCategory as Category;
        match self {
            Category::Control | Category::Format | Category::Surrogate | Category::PrivateUse => {
                GeneralCategoryGroup::Other
            }
            Category::ConnectorPunctuation
            | Category::DashPunctuation
            | Category::OpenPunctuation
            | Category::ClosePunctuation
            | Category::InitialPunctuation
            | Category::FinalPunctuation
            | Category::OtherPunctuation => GeneralCategoryGroup::Punctuation,
            _ => GeneralCategoryGroup::Letter,
        }
    }
}

/// Of the blocks of CJK ideographs, which are written without spaces.
fn is_chinese(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x2_0000..=0x2_A6DF | 0x2_A700..=0x2_B81F | 0x2_B820..=0x2_CEAF
            | 0xF900..=0xFAFF | 0x2_F800..=0x2_FA1F
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &str = "[PAD]\n[UNK]\nun\n##aff\n##able\ncafe\n,\n漢\n字\nrun\n##ning\n!";

    fn check(text: &str, expect: &[u16]) {
        let mut tokens = Vec::new();
        WordPiece::new(VOCABULARY).unwrap().tokens(text, &mut tokens);
        assert_eq!(tokens, expect, "{text:?}");
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces_from_the_left() {
        check("unaffable", &[2, 3, 4]);
        check("Running!", &[9, 10, 11]);
        check("runs", &[1]);
    }

    #[test]
    fn case_and_accents_do_not_count() {
        check("CAFÉ, cafe\u{301}", &[5, 6, 5]);
    }

    #[test]
    fn chinese_characters_are_words_and_what_cannot_be_seen_is_nothing() {
        check("漢字", &[7, 8]);
        check("ca\u{200b}fe\u{0}\u{fffd}", &[5]);
        check("", &[]);
        check(" \n\t", &[]);
    }

    #[test]
    fn a_word_without_end_is_one_unknown_token() {
        check(&"a".repeat(1_000_000), &[1]);
        check(&"un".repeat(200), &[1]);
    }

    #[test]
    fn a_vocabulary_without_an_unknown_token_is_none() {
        assert!(WordPiece::new("a\nb").is_none());
        let many: String = (0..70_000).map(|number| format!("w{number}\n")).collect();
        assert!(WordPiece::new(&many).is_none());
    }
}
