//! Whole numbers in few bytes: seven bits a byte, the lowest first (LEB128).

/// Most bytes of a number.
const BYTES_MAX: usize = 10;

/// Appends a number.
pub fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number as u8) | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front; none if the bytes end within it or it is too large.
///
/// ```
/// let mut bytes = Vec::new();
/// store::varint::push(&mut bytes, 300);
/// let mut rest = bytes.as_slice();
/// assert_eq!((store::varint::take(&mut rest), rest.len(), bytes.len()), (Some(300), 0, 2));
/// ```
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for place in 0..BYTES_MAX {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        let shifted =
            bits.checked_shl(7 * place as u32).filter(|shifted| shifted >> (7 * place) == bits)?;
        number |= shifted;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_damaged_ones_are_refused() {
        for number in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            assert_eq!(take(&mut bytes.as_slice()), Some(number));
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(take(&mut [0xff; 11].as_slice()), None);
    }
}
