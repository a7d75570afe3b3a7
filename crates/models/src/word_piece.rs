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

/// Words longer than this, in characters, are one unknown token.
const WORD_CHARS_MAX: usize = 100;
/// Bytes of a word that are kept: a word this long has more characters than [`WORD_CHARS_MAX`].
const WORD_BYTES_MAX: usize = 4 * WORD_CHARS_MAX + 1;
/// Prefix of a piece that continues a word.
const CONTINUATION: &str = "##";
/// The token of unknown words.
const UNKNOWN: &str = "[UNK]";
/// Most pieces of a vocabulary.
const PIECES_MAX: usize = EMPTY as usize;
/// Bytes of a piece's prefix that determine its possible lengths.
const PREFIX_BYTES: usize = 3;
/// Size of the hash table of prefixes, a power of two. A vocabulary has some thousands of prefixes.
const PREFIX_SLOTS: usize = 1 << 13;
/// The number in a slot without a piece.
const EMPTY: u16 = u16::MAX;

/// A tokeniser for one vocabulary.
#[derive(Debug)]
pub struct WordPiece<'a> {
    text: Cow<'a, str>,
    pieces: Vec<Piece>,
    /// A hash table of the pieces' numbers with open addressing, at least half of it empty. It is
    /// filled at every start of the program, which takes a third of the time of two maps.
    slots: Vec<Slot>,
    /// The lengths of the pieces with the same prefix, by the hash of that prefix: most lengths
    /// need not be tried.
    lengths: Vec<Lengths>,
    /// The seed of hashes: different in each process, so that nobody can construct a vocabulary of
    /// colliding pieces.
    seed: u64,
    unknown: u16,
    /// Bytes of the longest piece.
    piece_bytes_max: usize,
}

/// A slot of the hash table.
#[derive(Clone, Copy, Debug)]
struct Slot {
    number: u16,
    /// Bits of the hash that the slot's position does not imply: they differ for most other pieces,
    /// which then need not be compared.
    tag: u16,
}

/// A set of lengths, one bit each; the last bit stands for all longer ones.
#[derive(Clone, Copy, Debug, Default)]
struct Lengths(u32);

impl Lengths {
    fn bit(length: usize) -> u32 {
        1 << length.clamp(1, u32::BITS as usize).saturating_sub(1)
    }

    fn has(self, length: usize) -> bool {
        self.0 & Self::bit(length) != 0
    }

    /// The longest of them.
    fn longest(self) -> usize {
        if self.has(usize::MAX) {
            usize::MAX
        } else {
            (u32::BITS - self.0.leading_zeros()) as usize
        }
    }
}

/// The location of a piece in the vocabulary's text, without its `##`.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u32,
    length: u32,
    part: Part,
}

/// The position of a piece within a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Start,
    Continuation,
}

impl<'a> WordPiece<'a> {
    /// From a vocabulary with one piece per line, numbered from 0. `None` if it has no unknown
    /// token, or more than 65 535 pieces.
    pub fn new(vocabulary: impl Into<Cow<'a, str>>) -> Option<Self> {
        let text = vocabulary.into();
        let mut pieces = Vec::with_capacity(text.len() / 8);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let (part, piece) = part(line.lines().next().unwrap_or_default());
            let before = if part == Part::Continuation { CONTINUATION.len() } else { 0 };
            let (at, length) =
                (u32::try_from(start + before).ok()?, u32::try_from(piece.len()).ok()?);
            pieces.push(Piece { start: at, length, part });
            start += line.len();
            if pieces.len() > PIECES_MAX {
                return None;
            }
        }
        let slots =
            vec![Slot { number: EMPTY, tag: 0 }; (2 * pieces.len() + 1).next_power_of_two()];
        let piece_bytes_max = pieces.iter().map(|piece| piece.length as usize).max().unwrap_or(0);
        let lengths = vec![Lengths::default(); PREFIX_SLOTS];
        let mut word_piece =
            Self { text, pieces, slots, lengths, seed: seed(), unknown: 0, piece_bytes_max };
        for number in 0..u16::try_from(word_piece.pieces.len()).ok()? {
            let (part, piece) = word_piece.piece(number)?;
            let mut hash = word_piece.empty_hash(part);
            let mut prefix = hash;
            for (byte, length) in piece.bytes().zip(1..) {
                hash = hash_with(hash, byte);
                prefix = if length <= PREFIX_BYTES { hash } else { prefix };
            }
            let slot = word_piece.slot(hash, part, piece);
            // The later of two equal pieces wins, as in a map that is filled line by line.
            let length = Lengths::bit(piece.len());
            *word_piece.slots.get_mut(slot)? = Slot { number, tag: tag(hash) };
            word_piece.lengths.get_mut(prefix as usize % PREFIX_SLOTS)?.0 |= length;
        }
        word_piece.unknown = word_piece.number(UNKNOWN)?;
        Some(word_piece)
    }

    /// A tokeniser without pieces: every word is token 0.
    pub fn empty() -> Self {
        Self {
            text: Cow::Borrowed(""),
            pieces: Vec::new(),
            slots: vec![Slot { number: EMPTY, tag: 0 }],
            lengths: Vec::new(),
            seed: 0,
            unknown: 0,
            piece_bytes_max: 0,
        }
    }

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The number of a whole piece, such as `[CLS]` or `##ing`.
    pub fn number(&self, piece: &str) -> Option<u16> {
        let (part, piece) = part(piece);
        self.find(self.hash(part, piece), part, piece)
    }

    fn find(&self, hash: u64, part: Part, piece: &str) -> Option<u16> {
        self.slots
            .get(self.slot(hash, part, piece))
            .map(|slot| slot.number)
            .filter(|number| *number != EMPTY)
    }

    fn hash(&self, part: Part, piece: &str) -> u64 {
        piece.bytes().fold(self.empty_hash(part), hash_with)
    }

    fn empty_hash(&self, part: Part) -> u64 {
        hash_with(self.seed, part as u8)
    }

    /// The possible lengths of pieces at the start of a text whose prefixes have these hashes.
    fn lengths(&self, hashes: &[u64]) -> Lengths {
        let mut lengths = Lengths::default();
        for (hash, length) in hashes.iter().zip(1..) {
            let known =
                self.lengths.get(*hash as usize % PREFIX_SLOTS).copied().unwrap_or_default();
            // A piece shorter than a prefix is a prefix itself.
            let mask = if length < PREFIX_BYTES {
                Lengths::bit(length)
            } else {
                u32::MAX << (PREFIX_BYTES - 1)
            };
            lengths.0 |= known.0 & mask;
        }
        lengths
    }

    fn piece(&self, number: u16) -> Option<(Part, &str)> {
        let Piece { start, length, part } = *self.pieces.get(usize::from(number))?;
        let start = start as usize;
        Some((part, self.text.get(start..start + length as usize)?))
    }

    /// The slot in which the number of a piece is, or an empty one where it would be.
    fn slot(&self, hash: u64, part: Part, piece: &str) -> usize {
        let last = self.slots.len() - 1;
        let mut place = hash as usize & last;
        // Terminates because not all slots are taken.
        while let Some(slot) = self.slots.get(place).filter(|slot| slot.number != EMPTY) {
            if slot.tag == tag(hash) && self.piece(slot.number) == Some((part, piece)) {
                break;
            }
            place = (place + 1) & last;
        }
        place
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
            let mut hash = self.empty_hash(part);
            hashes.clear();
            let mut more = rest.bytes().take(self.piece_bytes_max).map(|byte| {
                hash = hash_with(hash, byte);
                hash
            });
            hashes.extend(more.by_ref().take(PREFIX_BYTES));
            let lengths = self.lengths(hashes);
            hashes.extend(more.take(lengths.longest().saturating_sub(PREFIX_BYTES)));
            let mut longest_first =
                hashes.iter().enumerate().rev().filter(|(last, _)| lengths.has(last + 1));
            let found = longest_first.find_map(|(last, hash)| {
                let (piece, rest) = rest.split_at_checked(last + 1)?;
                self.find(*hash, part, piece).map(|token| (token, rest))
            });
            let Some((token, after)) = found else { return false };
            tokens.push(token);
            rest = after;
            part = Part::Continuation;
        }
        true
    }
}

/// Splits the continuation mark from a piece.
fn part(piece: &str) -> (Part, &str) {
    match piece.strip_prefix(CONTINUATION).filter(|rest| !rest.is_empty()) {
        Some(rest) => (Part::Continuation, rest),
        None => (Part::Start, piece),
    }
}

fn seed() -> u64 {
    RandomState::default().hash_one(UNKNOWN)
}

fn tag(hash: u64) -> u16 {
    (hash >> 48) as u16
}

/// The hash of something with one more byte.
fn hash_with(hash: u64, byte: u8) -> u64 {
    /// 2⁶⁴ ÷ the golden ratio, odd.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (hash ^ u64::from(byte)).wrapping_mul(SPREAD);
    mixed ^ mixed >> 32
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
    use super::*;

    const VOCABULARY: &str = "[PAD]\n[UNK]\nun\n##aff\n##able\ncafe\n,\n漢\n字\nrun\n##ning\n!";

    fn check(text: &str, expect: &[u16]) {
        let mut tokens = Vec::new();
        WordPiece::new(VOCABULARY).unwrap().tokens(text, &mut tokens);
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
    fn a_vocabulary_without_an_unknown_token_is_refused() {
        assert!(WordPiece::new("a\nb").is_none());
        let many: String = (0..70_000).map(|number| format!("w{number}\n")).collect();
        assert!(WordPiece::new(&*many).is_none());
    }
}
