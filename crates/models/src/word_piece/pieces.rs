//! The pieces of a vocabulary: a hash table that is read in place.
//!
//! Its arrays hold numbers as bytes, so `build.rs` writes those of the built-in vocabulary and the
//! program reads them from its own file. Nothing is filled when a process starts, and a process
//! that embeds one text touches a few pages. Other vocabularies are laid out when they are loaded.

use std::borrow::Cow;

/// The prefix of a piece that continues a word.
pub(crate) const CONTINUATION: &str = "##";
/// Bytes of a piece's prefix that determine its possible lengths.
pub(crate) const PREFIX_BYTES: usize = 3;
/// The seed of the built-in vocabulary's hashes. That vocabulary is not chosen by an attacker, and
/// its longest run of taken slots bounds every search.
pub(crate) const BUILT_IN_SEED: u64 = 0;
/// Most pieces of a vocabulary.
const PIECES_MAX: usize = EMPTY as usize;
/// Size of the hash table of prefixes, a power of two. A vocabulary has some thousands of prefixes.
const PREFIX_SLOTS: usize = 1 << 13;
/// The number in a slot without a piece.
const EMPTY: u16 = u16::MAX;

/// The pieces of one vocabulary by their text.
#[derive(Debug)]
pub(crate) struct Pieces<'a> {
    /// The vocabulary, one piece per line.
    pub(crate) text: Cow<'a, str>,
    /// Where each piece is in the text.
    pub(crate) places: Cow<'a, [Place]>,
    /// A hash table of the pieces' numbers with open addressing, at least half of it empty.
    pub(crate) slots: Cow<'a, [Slot]>,
    /// The lengths of the pieces with the same prefix, by the hash of that prefix: most lengths
    /// need not be tried.
    pub(crate) lengths: Cow<'a, [[u8; 4]]>,
    /// The seed of hashes.
    pub(crate) seed: u64,
    /// Bytes of the longest piece.
    pub(crate) piece_bytes_max: usize,
}

/// The location of a piece in the vocabulary's text, without its `##`: its start, and twice its
/// length plus its [`Part`].
pub(crate) type Place = [[u8; 4]; 2];

/// A slot of the hash table: the number of a piece, and bits of the hash that the slot's position
/// does not imply. Those differ for most other pieces, which then need not be compared.
pub(crate) type Slot = [[u8; 2]; 2];

/// The position of a piece within a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It begins one.
    Start,
    /// It continues one.
    Continuation,
}

/// A set of lengths, one bit each; the last bit stands for all longer ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lengths(u32);

impl Lengths {
    fn bit(length: usize) -> u32 {
        1 << length.clamp(1, u32::BITS as usize).saturating_sub(1)
    }

    /// Whether a length is in it.
    pub(crate) fn has(self, length: usize) -> bool {
        self.0 & Self::bit(length) != 0
    }

    /// The longest of them.
    pub(crate) fn longest(self) -> usize {
        if self.has(usize::MAX) {
            usize::MAX
        } else {
            (u32::BITS - self.0.leading_zeros()) as usize
        }
    }
}

impl<'a> Pieces<'a> {
    /// Lays a vocabulary out that has one piece per line, numbered from 0. `None` if it has more
    /// than 65 535 pieces.
    pub(crate) fn lay_out(text: Cow<'a, str>, seed: u64) -> Option<Self> {
        let mut places = Vec::with_capacity(text.len() / 8);
        let mut start = 0;
        let mut piece_bytes_max = 0;
        for line in text.split_inclusive('\n') {
            let (part, piece) = part(line.lines().next().unwrap_or_default());
            let before = if part == Part::Continuation { CONTINUATION.len() } else { 0 };
            let at = u32::try_from(start + before).ok()?;
            let length = u32::try_from(piece.len()).ok()?.checked_mul(2)?;
            places.push([at.to_le_bytes(), (length + part as u32).to_le_bytes()]);
            piece_bytes_max = piece_bytes_max.max(piece.len());
            start += line.len();
            if places.len() > PIECES_MAX {
                return None;
            }
        }
        let count = u16::try_from(places.len()).ok()?;
        let mut slots = vec![slot_of(EMPTY, 0); (2 * places.len() + 1).next_power_of_two()];
        let mut lengths = vec![[0; 4]; PREFIX_SLOTS];
        let mut pieces = Self {
            text,
            places: Cow::Owned(places),
            slots: Cow::Borrowed(&[]),
            lengths: Cow::Borrowed(&[]),
            seed,
            piece_bytes_max,
        };
        for number in 0..count {
            let (part, piece) = pieces.piece(number)?;
            let mut hash = pieces.empty_hash(part);
            let mut prefix = hash;
            for (byte, length) in piece.bytes().zip(1..) {
                hash = hash_with(hash, byte);
                prefix = if length <= PREFIX_BYTES { hash } else { prefix };
            }
            // The later of two equal pieces wins, as in a map that is filled line by line.
            let slot = pieces.slot_in(&slots, hash, part, piece);
            *slots.get_mut(slot)? = slot_of(number, tag(hash));
            let known = lengths.get_mut(prefix as usize % PREFIX_SLOTS)?;
            *known = (u32::from_le_bytes(*known) | Lengths::bit(piece.len())).to_le_bytes();
        }
        pieces.slots = Cow::Owned(slots);
        pieces.lengths = Cow::Owned(lengths);
        Some(pieces)
    }

    /// The pieces of a built-in vocabulary, whose arrays `build.rs` has written: places, slots and
    /// lengths, and the bytes of the longest piece.
    pub(crate) fn in_place(text: &'a str, arrays: [&'a [u8]; 3], longest: [u8; 4]) -> Self {
        let [places, slots, lengths] = arrays;
        Self {
            text: Cow::Borrowed(text),
            places: Cow::Borrowed(places.as_chunks().0.as_chunks().0),
            slots: Cow::Borrowed(slots.as_chunks().0.as_chunks().0),
            lengths: Cow::Borrowed(lengths.as_chunks().0),
            seed: BUILT_IN_SEED,
            piece_bytes_max: u32::from_le_bytes(longest) as usize,
        }
    }

    /// No pieces.
    pub(crate) fn empty() -> Self {
        Self {
            text: Cow::Borrowed(""),
            places: Cow::Borrowed(&[]),
            slots: Cow::Owned(vec![slot_of(EMPTY, 0)]),
            lengths: Cow::Borrowed(&[]),
            seed: BUILT_IN_SEED,
            piece_bytes_max: 0,
        }
    }

    /// The number of a piece whose hash is known.
    pub(crate) fn find(&self, hash: u64, part: Part, piece: &str) -> Option<u16> {
        let slots = &*self.slots;
        slots
            .get(self.slot_in(slots, hash, part, piece))
            .map(|[number, _]| u16::from_le_bytes(*number))
            .filter(|number| *number != EMPTY)
    }

    /// The hash of a piece.
    pub(crate) fn hash(&self, part: Part, piece: &str) -> u64 {
        piece.bytes().fold(self.empty_hash(part), hash_with)
    }

    /// The hash of a piece without letters, with which that of others begins.
    pub(crate) fn empty_hash(&self, part: Part) -> u64 {
        hash_with(self.seed, part as u8)
    }

    /// The possible lengths of pieces at the start of a text whose prefixes have these hashes.
    pub(crate) fn lengths(&self, hashes: &[u64]) -> Lengths {
        let mut lengths = Lengths::default();
        for (hash, length) in hashes.iter().zip(1..) {
            let known = self.lengths.get(*hash as usize % PREFIX_SLOTS);
            // A piece shorter than a prefix is a prefix itself.
            let mask = if length < PREFIX_BYTES {
                Lengths::bit(length)
            } else {
                u32::MAX << (PREFIX_BYTES - 1)
            };
            lengths.0 |= known.map_or(0, |known| u32::from_le_bytes(*known)) & mask;
        }
        lengths
    }

    pub(crate) fn piece(&self, number: u16) -> Option<(Part, &str)> {
        let [start, length] = *self.places.get(usize::from(number))?;
        let (start, length) = (u32::from_le_bytes(start) as usize, u32::from_le_bytes(length));
        let part = if length % 2 == 0 { Part::Start } else { Part::Continuation };
        Some((part, self.text.get(start..start + (length / 2) as usize)?))
    }

    /// The slot in which the number of a piece is, or an empty one where it would be.
    fn slot_in(&self, slots: &[Slot], hash: u64, part: Part, piece: &str) -> usize {
        let last = slots.len() - 1;
        let mut place = hash as usize & last;
        // Terminates because not all slots are taken.
        while let Some([number, found]) = slots.get(place) {
            let number = u16::from_le_bytes(*number);
            if number == EMPTY
                || u16::from_le_bytes(*found) == tag(hash)
                    && self.piece(number) == Some((part, piece))
            {
                break;
            }
            place = (place + 1) & last;
        }
        place
    }
}

/// Splits the continuation mark from a piece.
pub(crate) fn part(piece: &str) -> (Part, &str) {
    match piece.strip_prefix(CONTINUATION).filter(|rest| !rest.is_empty()) {
        Some(rest) => (Part::Continuation, rest),
        None => (Part::Start, piece),
    }
}

/// The hash of something with one more byte.
pub(crate) fn hash_with(hash: u64, byte: u8) -> u64 {
    /// 2⁶⁴ ÷ the golden ratio, odd.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (hash ^ u64::from(byte)).wrapping_mul(SPREAD);
    mixed ^ mixed >> 32
}

fn slot_of(number: u16, tag: u16) -> Slot {
    [number.to_le_bytes(), tag.to_le_bytes()]
}

fn tag(hash: u64) -> u16 {
    (hash >> 48) as u16
}
