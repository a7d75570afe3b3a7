//! WordPiece: splits text into the tokens of a BERT vocabulary.
//!
//! Text becomes lower case without accents, and every punctuation mark and every Chinese character
//! becomes a word. Each word is then split, from the left, into the longest pieces in the
//! vocabulary. A word with a remainder that is not in the vocabulary is one unknown token. The
//! result equals that of the reference implementation with `do_lower_case`. Source: Devlin et al.
//! 2019, "BERT: Pre-training of Deep Bidirectional Transformers".

use std::borrow::Cow;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

pub(crate) mod pieces;

use pieces::{PREFIX_BYTES, Part, Pieces, hash_with, part};

/// The built-in vocabulary.
static VOCABULARY: &str = include_str!("../../data/vocab.txt");
/// Words longer than this, in characters, are one unknown token.
const WORD_CHARS_MAX: usize = 100;
/// Bytes of a word that are kept: a word this long has more characters than [`WORD_CHARS_MAX`].
const WORD_BYTES_MAX: usize = 4 * WORD_CHARS_MAX + 1;
/// The token of unknown words.
const UNKNOWN: &str = "[UNK]";

/// A tokeniser for one vocabulary.
#[derive(Debug)]
pub struct WordPiece<'a> {
    pieces: Pieces<'a>,
    unknown: u16,
}

impl WordPiece<'static> {
    /// For the built-in vocabulary, which `build.rs` has laid out.
    pub(crate) fn built_in() -> Option<Self> {
        let places: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vocabulary.places"));
        let slots: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vocabulary.slots"));
        let lengths: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vocabulary.lengths"));
        let longest = include_bytes!(concat!(env!("OUT_DIR"), "/vocabulary.longest"));
        Self::of(Pieces::in_place(VOCABULARY, [places, slots, lengths], *longest))
    }
}

impl<'a> WordPiece<'a> {
    /// From a vocabulary with one piece per line, numbered from 0. `None` if it has no unknown
    /// token, or more than 65 535 pieces.
    pub fn new(vocabulary: impl Into<Cow<'a, str>>) -> Option<Self> {
        // A seed that differs in each process, so that nobody can construct a vocabulary of
        // colliding pieces.
        let seed = RandomState::default().hash_one(UNKNOWN);
        Self::of(Pieces::lay_out(vocabulary.into(), seed)?)
    }

    fn of(pieces: Pieces<'a>) -> Option<Self> {
        let mut word_piece = Self { pieces, unknown: 0 };
        word_piece.unknown = word_piece.number(UNKNOWN)?;
        Some(word_piece)
    }

    /// A tokeniser without pieces: every word is token 0.
    pub fn empty() -> Self {
        Self { pieces: Pieces::empty(), unknown: 0 }
    }

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.places.len()
    }

    /// Whether there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.pieces.places.is_empty()
    }

    /// The number of a whole piece, such as `[CLS]` or `##ing`.
    pub fn number(&self, piece: &str) -> Option<u16> {
        let (part, piece) = part(piece);
        self.pieces.find(self.pieces.hash(part, piece), part, piece)
    }

    /// Whether a token continues a word.
    pub(crate) fn is_continuation(&self, token: u16) -> bool {
        self.pieces.piece(token).is_some_and(|(part, _)| part == Part::Continuation)
    }

    /// Whether a token is a word, or begins one: not punctuation.
    pub(crate) fn is_word(&self, token: u16) -> bool {
        self.pieces.piece(token).is_some_and(|(part, piece)| {
            part == Part::Start && piece.starts_with(char::is_alphanumeric)
        })
    }

    /// Appends the tokens of `text`, without `[CLS]` and `[SEP]`.
    pub fn tokens(&self, text: &str, tokens: &mut Vec<u16>) {
        self.tokens_up_to(usize::MAX, text, tokens);
    }

    /// Appends the tokens of `text` until there are `most` in total, and reads no further than
    /// necessary.
    pub fn tokens_up_to(&self, most: usize, text: &str, tokens: &mut Vec<u16>) {
        let mut word = Word::default();
        for character in text.chars() {
            if tokens.len() >= most {
                break;
            }
            if character.is_ascii_alphanumeric() {
                word.push(character.to_ascii_lowercase());
                continue;
            }
            match classify(character) {
                CharClass::Dropped => {}
                CharClass::Space => self.flush(&mut word, tokens),
                CharClass::Alone => {
                    self.flush(&mut word, tokens);
                    word.push_plain(character);
                    self.flush(&mut word, tokens);
                }
                CharClass::Letter => word.push_plain(character),
            }
        }
        self.flush(&mut word, tokens);
        tokens.truncate(most);
    }

    /// Appends the tokens of a word and clears it.
    fn flush(&self, word: &mut Word, tokens: &mut Vec<u16>) {
        if word.letters.is_empty() {
            return;
        }
        let before = tokens.len();
        let is_long =
            word.letters.len() > WORD_CHARS_MAX && word.letters.chars().count() > WORD_CHARS_MAX;
        if is_long || !self.split(word, tokens) {
            tokens.truncate(before);
            tokens.push(self.unknown);
        }
        word.letters.clear();
    }

    /// Splits a word into pieces; false if a remainder is not in the vocabulary.
    fn split(&self, word: &mut Word, tokens: &mut Vec<u16>) -> bool {
        let Word { letters, hashes } = word;
        let mut part = Part::Start;
        let mut rest = letters.as_str();
        while !rest.is_empty() {
            // The hashes of all prefixes, each computed from the one before.
            let mut hash = self.pieces.empty_hash(part);
            hashes.clear();
            let mut more = rest.bytes().take(self.pieces.piece_bytes_max).map(|byte| {
                hash = hash_with(hash, byte);
                hash
            });
            hashes.extend(more.by_ref().take(PREFIX_BYTES));
            let lengths = self.pieces.lengths(hashes);
            hashes.extend(more.take(lengths.longest().saturating_sub(PREFIX_BYTES)));
            let mut longest_first =
                hashes.iter().enumerate().rev().filter(|(last, _)| lengths.has(last + 1));
            let found = longest_first.find_map(|(last, hash)| {
                let (piece, rest) = rest.split_at_checked(last + 1)?;
                self.pieces.find(*hash, part, piece).map(|token| (token, rest))
            });
            let Some((token, after)) = found else { return false };
            tokens.push(token);
            rest = after;
            part = Part::Continuation;
        }
        true
    }
}

/// The word that is being read.
#[derive(Default)]
struct Word {
    letters: String,
    /// The hashes of the prefixes of the remainder.
    hashes: Vec<u64>,
}

impl Word {
    /// Appends a letter, unless the word is already too long.
    fn push(&mut self, letter: char) {
        if self.letters.len() < WORD_BYTES_MAX {
            self.letters.push(letter);
        }
    }

    /// Appends a character in lower case and without accents.
    fn push_plain(&mut self, character: char) {
        let letters = character.to_lowercase().nfd();
        letters
            .filter(|letter| letter.general_category() != GeneralCategory::NonspacingMark)
            .for_each(|letter| self.push(letter));
    }
}

/// How a character affects words.
enum CharClass {
    /// It is dropped.
    Dropped,
    /// It ends a word.
    Space,
    /// It is a word of its own.
    Alone,
    /// It is part of a word.
    Letter,
}

fn classify(character: char) -> CharClass {
    if character.is_whitespace() {
        return CharClass::Space;
    }
    if character.is_ascii_punctuation() || is_chinese(character) {
        return CharClass::Alone;
    }
    match character.general_category() {
        _ if character == '\u{fffd}' => CharClass::Dropped,
        category if category.group_of() == GeneralCategoryGroup::Other => CharClass::Dropped,
        category if category.group_of() == GeneralCategoryGroup::Punctuation => CharClass::Alone,
        _ => CharClass::Letter,
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

/// Whether the character is a CJK ideograph; those are written without spaces.
fn is_chinese(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x2_0000..=0x2_A6DF | 0x2_A700..=0x2_B81F | 0x2_B820..=0x2_CEAF
            | 0xF900..=0xFAFF | 0x2_F800..=0x2_FA1F
    )
}

#[cfg(test)]
mod tests {
    use super::pieces::{BUILT_IN_SEED, CONTINUATION};
    use super::*;

    const SMALL: &str = "[PAD]\n[UNK]\nun\n##aff\n##able\ncafe\n,\n漢\n字\nrun\n##ning\n!";

    fn check(text: &str, expect: &[u16]) {
        let mut tokens = Vec::new();
        WordPiece::new(SMALL).unwrap().tokens(text, &mut tokens);
        assert_eq!(tokens, expect, "{text:?}");
    }

    #[test]
    fn words_are_split_into_the_longest_pieces_from_the_left() {
        check("unaffable", &[2, 3, 4]);
        check("Running!", &[9, 10, 11]);
        check("runs", &[1]);
    }

    #[test]
    fn pieces_of_every_length_are_found() {
        let long = |count: usize| "b".repeat(count);
        let pieces = [
            "a",
            "ab",
            "abab",
            "##a",
            "##b",
            "##bab",
            &long(31),
            &long(33),
            &long(40),
            &format!("##{}", long(35)),
        ];
        let vocabulary = format!("[UNK]\n{}", pieces.join("\n"));
        let word_piece = WordPiece::new(&*vocabulary).unwrap();
        let short = (1..=7_usize).flat_map(|length| {
            (0..1 << length).map(move |bits: u32| {
                (0..length).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect()
            })
        });
        for word in short.chain((30..80).map(long)) {
            let (mut expected, mut rest, mut tag) = (Vec::new(), word.as_str(), "");
            while !rest.is_empty() {
                let fits =
                    |length: &usize| word_piece.number(&format!("{tag}{}", &rest[..*length]));
                let Some(length) = (1..=rest.len()).rev().find(|length| fits(length).is_some())
                else {
                    break;
                };
                expected.extend(fits(&length));
                (rest, tag) = (&rest[length..], CONTINUATION);
            }
            if !rest.is_empty() {
                expected = vec![0];
            }
            let mut tokens = Vec::new();
            word_piece.tokens(&word, &mut tokens);
            assert_eq!(tokens, expected, "{word}");
        }
    }

    #[test]
    fn case_and_accents_are_ignored() {
        check("CAFÉ, cafe\u{301}", &[5, 6, 5]);
    }

    #[test]
    fn chinese_characters_are_words_and_invisible_characters_are_dropped() {
        check("漢字", &[7, 8]);
        check("ca\u{200b}fe\u{0}\u{fffd}", &[5]);
        check("", &[]);
        check(" \n\t", &[]);
    }

    #[test]
    fn a_word_that_is_too_long_is_one_unknown_token() {
        check(&"a".repeat(1_000_000), &[1]);
        check(&"un".repeat(200), &[1]);
    }

    #[test]
    fn the_built_in_vocabulary_is_laid_out_as_one_that_is_loaded() {
        let built_in = WordPiece::built_in().unwrap();
        let loaded = Pieces::lay_out(Cow::Borrowed(VOCABULARY), BUILT_IN_SEED).unwrap();
        assert_eq!(built_in.pieces.places, loaded.places);
        assert_eq!(built_in.pieces.slots, loaded.slots);
        assert_eq!(built_in.pieces.lengths, loaded.lengths);
        assert_eq!(built_in.pieces.piece_bytes_max, loaded.piece_bytes_max);
        let with_another_seed = WordPiece::new(VOCABULARY).unwrap();
        for text in ["unaffable running", "caf\u{e9} 漢字", "zzyzx qwfpgj", &"ab".repeat(90)] {
            let (mut tokens, mut others) = (Vec::new(), Vec::new());
            built_in.tokens(text, &mut tokens);
            with_another_seed.tokens(text, &mut others);
            assert_eq!(tokens, others, "{text}");
        }
        assert_eq!((built_in.len(), built_in.number("[UNK]")), (30_522, Some(100)));
    }

    #[test]
    fn a_vocabulary_without_an_unknown_token_is_refused() {
        assert!(WordPiece::new("a\nb").is_none());
        let many: String = (0..70_000).map(|number| format!("w{number}\n")).collect();
        assert!(WordPiece::new(&*many).is_none());
    }
}
