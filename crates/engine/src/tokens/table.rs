//! The numbers of the tokens: a table that `build.rs` writes and that is read in place.
//!
//! Tokens are stored one after the other by number, `ends` says where each ends, and `slots` is a
//! hash table with open addressing, in which a slot holds a number plus one. Nothing is unpacked: a
//! process that counts one word touches a few pages of it.

/// Bytes of a number in the table.
const NUMBER_BYTES: usize = 4;

/// A table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'t> {
    /// All tokens, one after the other.
    pub(crate) bytes: &'t [u8],
    /// Where each ends.
    pub(crate) ends: &'t [u8],
    /// By hash: 0, or the number of a token plus one. A power of two of them.
    pub(crate) slots: &'t [u8],
}

impl Table<'_> {
    /// The number of a token.
    pub(crate) fn number(&self, token: &[u8]) -> Option<u32> {
        let count = self.slots.len() / NUMBER_BYTES;
        let first = first_slot(token, count);
        for slot in (first..count).chain(0..first) {
            let number = at(self.slots, slot)?.checked_sub(1)?;
            if self.token(number) == Some(token) {
                return Some(number);
            }
        }
        None
    }

    fn token(&self, number: u32) -> Option<&[u8]> {
        let number = number as usize;
        let start = if number == 0 { 0 } else { at(self.ends, number - 1)? };
        self.bytes.get(start as usize..at(self.ends, number)? as usize)
    }
}

fn at(numbers: &[u8], place: usize) -> Option<u32> {
    let bytes = numbers.get(place * NUMBER_BYTES..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Where the search for a token begins, of `count` slots: FNV-1a, of which the upper half is mixed
/// best.
pub(crate) fn first_slot(token: &[u8], count: usize) -> usize {
    let hash = token.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as usize % count.max(1)
}
