//! Postings as bytes.
//!
//! A row of `text_posting` contains one term's documents in one block. Its `key` is block number ·
//! 2³² plus term number. The data begins with the number of documents that contain the term
//! themselves (two bytes, little-endian). Then follow, for each document, its distance from the one
//! before it (LEB128; the first one's distance is from the start of the block) and a byte of
//! counts: four bits for the document itself, two for the one before it, two for the one before
//! that, each capped. A row of `text_session_posting` is the same over blocks of sessions: distance
//! and count, both LEB128.

use retrieval::rank::lexical::TermCounts;

/// Documents of a block.
pub(super) const BLOCK: u32 = 16_384;
/// Sessions of a block.
pub(super) const SESSION_BLOCK: u32 = 1_024;
/// Bytes before a row's postings.
const HEADER: usize = 2;
/// Bits of a session's place in its block.
const SESSION_BITS: u32 = SESSION_BLOCK.ilog2();

/// The key of a term's row in a block. The rows of a block are adjacent, so a new block is written
/// at the end of the table and touches no page of the others.
pub(super) fn key(block: u32, term: u32) -> i64 {
    // Documents and sessions have u32 numbers, so there are far fewer than 2³¹ blocks.
    (u64::from(block) << 32 | u64::from(term)).cast_signed()
}

/// A term in a session as one number, in the order of row and place.
pub(super) fn session_posting(term: u32, session: u32) -> u64 {
    u64::from(session / SESSION_BLOCK) << (32 + SESSION_BITS)
        | u64::from(term) << SESSION_BITS
        | u64::from(session % SESSION_BLOCK)
}

/// The row key and the place in that row of a [`session_posting`].
pub(super) fn session_row(posting: u64) -> (i64, u32) {
    ((posting >> SESSION_BITS).cast_signed(), posting as u32 % SESSION_BLOCK)
}

/// Counts in one byte.
pub(super) fn pack(counts: TermCounts) -> u8 {
    let cap = |count: u32, most: u32| count.min(most) as u8;
    cap(counts.own, 15) << 4 | cap(counts.previous, 3) << 2 | cap(counts.before_previous, 3)
}

/// How many different counts of the document itself there are.
pub(super) const OWN_COUNTS: u32 = 16;

/// How often a term occurs in the document itself, of packed counts.
pub(super) fn own_of(packed: u8) -> usize {
    usize::from(packed >> 4)
}

/// The reverse of [`pack`].
pub(super) fn unpack(byte: u8) -> TermCounts {
    TermCounts {
        own: u32::from(byte >> 4),
        previous: u32::from(byte >> 2 & 3),
        before_previous: u32::from(byte & 3),
    }
}

/// The counts of two terms together.
pub(super) fn sum(left: u8, right: u8) -> u8 {
    let (left, right) = (unpack(left), unpack(right));
    pack(TermCounts {
        own: left.own + right.own,
        previous: left.previous + right.previous,
        before_previous: left.before_previous + right.before_previous,
    })
}

/// A row that grows at its end.
#[derive(Clone, Debug)]
pub(super) struct Block {
    bytes: Vec<u8>,
    /// Documents that contain the term themselves.
    own: u16,
    /// The place of the last document plus one; 0 if empty.
    next: u32,
}

impl Block {
    /// Begins a row, or continues a stored one.
    pub(super) fn begin(stored: Option<Vec<u8>>) -> Self {
        let bytes = stored.filter(|bytes| bytes.len() >= HEADER).unwrap_or_else(|| vec![0; HEADER]);
        let next = decode(&bytes).last().map_or(0, |(place, _)| place + 1);
        let own = own_count(&bytes) as u16;
        Self { bytes, own, next }
    }

    /// Appends a document, which must be later than all others in the row.
    pub(super) fn push(&mut self, place: u32, counts: u8) {
        write_leb128(&mut self.bytes, place.saturating_sub(self.next));
        self.bytes.push(counts);
        self.own += u16::from(unpack(counts).own > 0);
        self.next = place + 1;
    }

    /// The row as it is stored.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes[..HEADER].copy_from_slice(&self.own.to_le_bytes());
        self.bytes
    }
}

/// How many documents of a row contain the term themselves.
pub(super) fn own_count(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |own| u32::from(u16::from_le_bytes(*own)))
}

/// Places within the block, ascending, and their counts. Stops early at damaged bytes.
pub(super) fn decode(bytes: &[u8]) -> Decode<'_> {
    Decode { bytes: bytes.get(HEADER..).unwrap_or_default(), next: 0 }
}

/// Iterator of [`decode`].
pub(super) struct Decode<'a> {
    bytes: &'a [u8],
    next: u32,
}

impl Iterator for Decode<'_> {
    type Item = (u32, u8);

    #[inline]
    fn next(&mut self) -> Option<(u32, u8)> {
        let place = match self.bytes {
            [distance, counts, rest @ ..] if *distance < 0x80 => {
                let place = self.next + u32::from(*distance);
                self.bytes = rest;
                (place, *counts)
            }
            _ => {
                let distance = read_leb128(&mut self.bytes)?;
                let (counts, rest) = self.bytes.split_first()?;
                self.bytes = rest;
                (self.next.checked_add(distance)?, *counts)
            }
        };
        if place.0 >= BLOCK {
            return None;
        }
        self.next = place.0 + 1;
        Some(place)
    }
}

/// The sessions of a row, ascending: place in the block and count. Stops early at damaged bytes.
pub(super) fn decode_sessions(mut bytes: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let mut next = 0u32;
    std::iter::from_fn(move || {
        let place = next.checked_add(read_leb128(&mut bytes)?)?;
        let count = read_leb128(&mut bytes)?;
        next = place.checked_add(1)?;
        (place < SESSION_BLOCK).then_some((place, count))
    })
}

/// The reverse of [`decode_sessions`].
pub(super) fn encode_sessions(sessions: impl Iterator<Item = (u32, u32)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut next = 0;
    for (place, count) in sessions {
        write_leb128(&mut bytes, place.saturating_sub(next));
        write_leb128(&mut bytes, count);
        next = place + 1;
    }
    bytes
}

fn write_leb128(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn read_leb128(bytes: &mut &[u8]) -> Option<u32> {
    let mut value: u32 = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reads_back_after_growing_in_parts() {
        let places = [(0, 0x10), (1, 0x24), (130, 0x01), (BLOCK - 1, 0xff)];
        let mut whole = Block::begin(None);
        places.iter().for_each(|(place, counts)| whole.push(*place, *counts));
        let whole = whole.finish();
        assert_eq!(decode(&whole).collect::<Vec<_>>(), places);
        assert_eq!(own_count(&whole), 3);
        let mut first = Block::begin(None);
        places[..2].iter().for_each(|(place, counts)| first.push(*place, *counts));
        let mut grown = Block::begin(Some(first.finish()));
        places[2..].iter().for_each(|(place, counts)| grown.push(*place, *counts));
        assert_eq!(grown.finish(), whole);
    }

    #[test]
    fn damaged_bytes_only_shorten_the_row() {
        for bytes in [
            &[][..],
            &[9],
            &[0, 0, 0xff],
            &[0xff; 9],
            &[0, 0, 0],
            &[0, 0, 0x80, 0x80, 0x80, 0x80, 0x7f, 0],
        ] {
            assert_eq!(decode(bytes).count(), 0, "{bytes:?}");
        }
        assert_eq!(decode_sessions(&[1, 0xff]).count(), 0);
        assert_eq!(decode_sessions(&[0xff, 0xff, 0xff, 0x7f, 1]).count(), 0);
    }

    #[test]
    fn counts_saturate() {
        let counts = unpack(pack(TermCounts { own: 99, previous: 99, before_previous: 99 }));
        assert_eq!(counts, TermCounts { own: 15, previous: 3, before_previous: 3 });
    }

    #[test]
    fn sessions_read_back() {
        let sessions = [(0, 1), (7, 300), (SESSION_BLOCK - 1, 2)];
        assert_eq!(
            decode_sessions(&encode_sessions(sessions.into_iter())).collect::<Vec<_>>(),
            sessions
        );
    }
}
