//! WordPiece: text into the tokens of a BERT vocabulary.
//!
//! Lower case, accents off, every punctuation mark and every Chinese character a word of its own;
//! then each word is cut into the longest pieces that the vocabulary has, from the left. A word
//! with a rest that it has not is one unknown token. The same as the reference implementation with
//! `do_lower_case`. Source: Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional
//! Transformers".

use std::borrow::Cow;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Words longer than this, in characters, are one unknown token.
const WORD_CHARS_MAX: usize = 100;
/// Bytes of a word that are kept: one that has as many has more characters than [`WORD_CHARS_MAX`].
const WORD_BYTES_MAX: usize = 4 * WORD_CHARS_MAX + 1;
/// What begins a piece that continues a word.
const CONTINUES: &str = "##";
/// The token of what the vocabulary does not have.
const UNKNOWN: &str = "[UNK]";
/// Most pieces of a vocabulary.
const PIECES_MAX: usize = EMPTY as usize;
/// Bytes of the beginning that tells how long a piece can be.
const BEGINNING: usize = 3;
/// Beginnings that are told apart; a power of two. A vocabulary has some thousands.
const BEGINNINGS: usize = 1 << 13;
/// The number in a slot without a piece.
const EMPTY: u16 = u16::MAX;

/// A vocabulary, ready to cut words.
#[derive(Debug)]
pub struct WordPiece<'a> {
    text: Cow<'a, str>,
    pieces: Vec<Piece>,
    /// Numbers of pieces by their hash, with open addressing, at least half of them empty. Filled
    /// at every start of the program, in a third of the time of two maps.
    slots: Vec<Slot>,
    /// How long pieces are that begin so, by the hash of the beginning: most lengths need not be
    /// tried.
    lengths: Vec<Lengths>,
    /// Where hashes begin: differently in each process, so that nobody can make a vocabulary of
    /// equal ones.
    seed: u64,
    unknown: u16,
    /// Bytes of the longest piece.
    piece_bytes_max: usize,
}

/// A place in the table of hashes.
#[derive(Clone, Copy, Debug)]
struct Slot {
    number: u16,
    /// Of the hash what the place does not tell: most other pieces differ in it and need not be
    /// read.
    mark: u16,
}

/// Some lengths, a bit each; the last stands for all that are longer.
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

/// Where a piece lies in the vocabulary's text, its mark of continuing left out.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u32,
    length: u32,
    part: Part,
}

/// Which part of a word a piece can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Begin,
    Rest,
}

impl<'a> WordPiece<'a> {
    /// Of a vocabulary of one piece a line, numbered from 0. None if it has no unknown token, or
    /// more than 65 535 pieces.
    pub fn new(vocabulary: impl Into<Cow<'a, str>>) -> Option<Self> {
        let text = vocabulary.into();
        let mut pieces = Vec::with_capacity(text.len() / 8);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let (part, piece) = part(line.lines().next().unwrap_or_default());
            let before = if part == Part::Rest { CONTINUES.len() } else { 0 };
            let (at, length) =
                (u32::try_from(start + before).ok()?, u32::try_from(piece.len()).ok()?);
            pieces.push(Piece { start: at, length, part });
            start += line.len();
            if pieces.len() > PIECES_MAX {
                return None;
            }
        }
        let slots =
            vec![Slot { number: EMPTY, mark: 0 }; (2 * pieces.len() + 1).next_power_of_two()];
        let piece_bytes_max = pieces.iter().map(|piece| piece.length as usize).max().unwrap_or(0);
        let lengths = vec![Lengths::default(); BEGINNINGS];
        let mut made =
            Self { text, pieces, slots, lengths, seed: seed(), unknown: 0, piece_bytes_max };
        for number in 0..u16::try_from(made.pieces.len()).ok()? {
            let (part, piece) = made.piece(number)?;
            let mut hash = made.hash_of_nothing(part);
            let mut beginning = hash;
            for (byte, length) in piece.bytes().zip(1..) {
                hash = hash_with(hash, byte);
                beginning = if length <= BEGINNING { hash } else { beginning };
            }
            let slot = made.slot(hash, part, piece);
            // Of two equal pieces the later one counts, as in a map that is filled line by line.
            let length = Lengths::bit(piece.len());
            *made.slots.get_mut(slot)? = Slot { number, mark: mark(hash) };
            made.lengths.get_mut(beginning as usize % BEGINNINGS)?.0 |= length;
        }
        made.unknown = made.number(UNKNOWN)?;
        Some(made)
    }

    /// Has no piece: every word is token 0.
    pub fn empty() -> Self {
        Self {
            text: Cow::Borrowed(""),
            pieces: Vec::new(),
            slots: vec![Slot { number: EMPTY, mark: 0 }],
            lengths: Vec::new(),
            seed: 0,
            unknown: 0,
            piece_bytes_max: 0,
        }
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is none.
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
        piece.bytes().fold(self.hash_of_nothing(part), hash_with)
    }

    fn hash_of_nothing(&self, part: Part) -> u64 {
        hash_with(self.seed, part as u8)
    }

    /// How long pieces can be with which a text of these hashes begins.
    fn lengths(&self, hashes: &[u64]) -> Lengths {
        let mut lengths = Lengths::default();
        for (hash, length) in hashes.iter().zip(1..) {
            let known = self.lengths.get(*hash as usize % BEGINNINGS).copied().unwrap_or_default();
            // What is shorter than a beginning is one by itself.
            let told =
                if length < BEGINNING { Lengths::bit(length) } else { u32::MAX << (BEGINNING - 1) };
            lengths.0 |= known.0 & told;
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
        // Comes to an end because not all slots are taken.
        while let Some(slot) = self.slots.get(place).filter(|slot| slot.number != EMPTY) {
            if slot.mark == mark(hash) && self.piece(slot.number) == Some((part, piece)) {
                break;
            }
            place = (place + 1) & last;
        }
        place
    }

    /// Appends the tokens of `text`, none for `[CLS]` and `[SEP]`.
    pub fn tokens(&self, text: &str, tokens: &mut Vec<u16>) {
        self.tokens_up_to(usize::MAX, text, tokens);
    }

    /// Appends the tokens of `text` until there are `most` in all, and reads no further than that
    /// needs.
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
            match sort(character) {
                Sort::Nothing => {}
                Sort::Space => self.take(&mut word, tokens),
                Sort::Alone => {
                    self.take(&mut word, tokens);
                    word.push_plain(character);
                    self.take(&mut word, tokens);
                }
                Sort::Letter => word.push_plain(character),
            }
        }
        self.take(&mut word, tokens);
        tokens.truncate(most);
    }

    /// Cuts a word into pieces and empties it.
    fn take(&self, word: &mut Word, tokens: &mut Vec<u16>) {
        if word.letters.is_empty() {
            return;
        }
        let before = tokens.len();
        let is_long =
            word.letters.len() > WORD_CHARS_MAX && word.letters.chars().count() > WORD_CHARS_MAX;
        if is_long || !self.cut(word, tokens) {
            tokens.truncate(before);
            tokens.push(self.unknown);
        }
        word.letters.clear();
    }

    /// False if a rest of the word is not in the vocabulary.
    fn cut(&self, word: &mut Word, tokens: &mut Vec<u16>) -> bool {
        let Word { letters, hashes } = word;
        let mut part = Part::Begin;
        let mut rest = letters.as_str();
        while !rest.is_empty() {
            // The hashes of all beginnings, each from that of the one before.
            let mut hash = self.hash_of_nothing(part);
            hashes.clear();
            let mut more = rest.bytes().take(self.piece_bytes_max).map(|byte| {
                hash = hash_with(hash, byte);
                hash
            });
            hashes.extend(more.by_ref().take(BEGINNING));
            let lengths = self.lengths(hashes);
            hashes.extend(more.take(lengths.longest().saturating_sub(BEGINNING)));
            let mut longest_first =
                hashes.iter().enumerate().rev().filter(|(last, _)| lengths.has(last + 1));
            let found = longest_first.find_map(|(last, hash)| {
                let (piece, rest) = rest.split_at_checked(last + 1)?;
                self.find(*hash, part, piece).map(|token| (token, rest))
            });
            let Some((token, after)) = found else { return false };
            tokens.push(token);
            rest = after;
            part = Part::Rest;
        }
        true
    }
}

/// Tells by its mark which part of a word a piece is, and takes the mark off.
fn part(piece: &str) -> (Part, &str) {
    match piece.strip_prefix(CONTINUES).filter(|rest| !rest.is_empty()) {
        Some(rest) => (Part::Rest, rest),
        None => (Part::Begin, piece),
    }
}

fn seed() -> u64 {
    RandomState::default().hash_one(UNKNOWN)
}

fn mark(hash: u64) -> u16 {
    (hash >> 48) as u16
}

/// The hash of something with one more byte.
fn hash_with(hash: u64, byte: u8) -> u64 {
    /// 2⁶⁴ ÷ the golden ratio, odd.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (hash ^ u64::from(byte)).wrapping_mul(SPREAD);
    mixed ^ mixed >> 32
}

/// A word as it is read.
#[derive(Default)]
struct Word {
    letters: String,
    /// Of the beginnings of what is left to be cut.
    hashes: Vec<u64>,
}

impl Word {
    /// Appends a letter, if the word is not already one that is too long.
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
    fn no_length_of_a_piece_is_overlooked() {
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
        let made = WordPiece::new(&*vocabulary).unwrap();
        let short = (1..=7_usize).flat_map(|length| {
            (0..1 << length).map(move |bits: u32| {
                (0..length).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect()
            })
        });
        for word in short.chain((30..80).map(long)) {
            let (mut expected, mut rest, mut mark) = (Vec::new(), word.as_str(), "");
            while !rest.is_empty() {
                let fits = |length: &usize| made.number(&format!("{mark}{}", &rest[..*length]));
                let Some(length) = (1..=rest.len()).rev().find(|length| fits(length).is_some())
                else {
                    break;
                };
                expected.extend(fits(&length));
                (rest, mark) = (&rest[length..], CONTINUES);
            }
            if !rest.is_empty() {
                expected = vec![0];
            }
            let mut tokens = Vec::new();
            made.tokens(&word, &mut tokens);
            assert_eq!(tokens, expected, "{word}");
        }
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
        assert!(WordPiece::new(&*many).is_none());
    }
}
