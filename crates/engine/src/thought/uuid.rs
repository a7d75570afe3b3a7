//! The id of a thought as programs write it: a UUID (RFC 9562, version 8) from the first sixteen
//! bytes of the operation's id.

use std::fmt::Write as _;

use kernel::id::OpId;

/// The places of the hyphens, counted in digits.
const GROUPS: [usize; 4] = [8, 12, 16, 20];
/// Bytes before the first bit that the version replaces.
const PREFIX_BYTES: usize = 6;

/// A UUID made from an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThoughtUuid([u8; 16]);

impl ThoughtUuid {
    /// Of an operation.
    ///
    /// ```
    /// use engine::thought::uuid::ThoughtUuid;
    /// use kernel::id::OpId;
    ///
    /// let uuid = ThoughtUuid::of(&OpId([0xab; 32])).to_string();
    /// assert_eq!(uuid, "abababab-abab-8bab-abab-abababababab");
    /// ```
    pub fn of(id: &OpId) -> Self {
        let mut bytes = id.0.first_chunk().copied().unwrap_or([0; 16]);
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Self(bytes)
    }

    /// Reads a UUID in its usual form, in any letter case; none of other versions.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: Vec<u8> = text.bytes().collect();
        if digits.len() != 36 {
            return None;
        }
        let mut bytes = [0; 16];
        let mut place = 0;
        for (number, digit) in digits.iter().enumerate() {
            if matches!(number, 8 | 13 | 18 | 23) {
                if *digit != b'-' {
                    return None;
                }
                continue;
            }
            let value = char::from(*digit).to_digit(16)? as u8;
            let byte = bytes.get_mut(place / 2)?;
            *byte = *byte << 4 | value;
            place += 1;
        }
        let is_ours = bytes[6] & 0xf0 == 0x80 && bytes[8] & 0xc0 == 0x80;
        is_ours.then_some(Self(bytes))
    }

    /// Whether a text is the whole name of a thought: a UUID or an operation's id, and not the
    /// beginning of one.
    pub fn is_whole_name(text: &str) -> bool {
        Self::parse(text).is_some() || text.starts_with("b3:") && text.parse::<OpId>().is_ok()
    }

    /// The digits with which the operation's id begins.
    pub fn prefix(self) -> String {
        let mut digits = String::with_capacity(2 * PREFIX_BYTES);
        for byte in self.0.iter().take(PREFIX_BYTES) {
            let _ = write!(digits, "{byte:02x}");
        }
        digits
    }
}

impl std::fmt::Display for ThoughtUuid {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, byte) in self.0.iter().enumerate() {
            if GROUPS.contains(&(2 * number)) {
                formatter.write_str("-")?;
            }
            write!(formatter, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl serde::Serialize for ThoughtUuid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut id = [0; 32];
        id.iter_mut().enumerate().for_each(|(place, byte)| *byte = (place as u8).wrapping_mul(17));
        let uuid = ThoughtUuid::of(&OpId(id));
        let text = uuid.to_string();
        assert_eq!(ThoughtUuid::parse(&text), Some(uuid));
        assert_eq!(ThoughtUuid::parse(&text.to_uppercase()), Some(uuid));
        assert_eq!(uuid.prefix(), "001122334455");
        for odd in ["", "x", &text[1..], &text.replace('-', "0"), &text.replacen('8', "4", 1), "é"]
        {
            assert_eq!(ThoughtUuid::parse(odd), None, "{odd}");
        }
    }
}
