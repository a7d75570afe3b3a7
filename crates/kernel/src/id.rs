//! Names that cannot be forged: hashes and public keys, each a type of its own.
//!
//! Text forms are fixed by `docs/format.md`: `b3:` and 64 hexadecimal digits for hashes, `ed25519:`
//! and base64url without padding for keys. They are parsed here and nowhere else.

use std::fmt;
use std::str::FromStr;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use serde::{Deserialize, Serialize};

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {expected}")]
pub struct NameError {
    /// The text, cut to 80 characters.
    pub text: String,
    /// What it should have been, with its article.
    pub expected: &'static str,
}

fn name_error(text: &str, expected: &'static str) -> NameError {
    NameError { text: text.chars().take(80).collect(), expected }
}

macro_rules! bytes32 {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $encoding:ident, $expected:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub [u8; 32]);

        // The bytes are as good as random, so the first eight tell nearly all apart, and it takes
        // 2^64 attempts to make many that share them.
        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                let [a, b, c, d, e, f, g, h, ..] = self.0;
                state.write_u64(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
            }
        }

        impl $name {
            /// The 32 raw bytes.
            pub fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }

            /// From raw bytes, which must be 32.
            pub fn from_slice(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                // No encoding here needs more characters than hexadecimal.
                let mut text = [0; 64];
                let length = $encoding.encode_len(self.0.len()).min(text.len());
                let (text, _) = text.split_at_mut(length);
                $encoding.encode_mut(&self.0, text);
                formatter.write_str($prefix)?;
                formatter.write_str(std::str::from_utf8(text).map_err(|_| fmt::Error)?)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, formatter)
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                text.strip_prefix($prefix)
                    .and_then(|encoded| $encoding.decode(encoded.as_bytes()).ok())
                    .and_then(|bytes| Self::from_slice(&bytes))
                    .ok_or_else(|| name_error(text, $expected))
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

bytes32!(
    /// An operation's id: BLAKE3 of its canonical header.
    OpId, "b3:", HEXLOWER, "an operation id (b3: and 64 hexadecimal digits)"
);
bytes32!(
    /// The hash by which a header commits to its body: BLAKE3 of salt and canonical body.
    BodyHash, "b3:", HEXLOWER, "a body hash (b3: and 64 hexadecimal digits)"
);
bytes32!(
    /// A receipt's id: BLAKE3 of its canonical JSON.
    ReceiptId, "receipt:", HEXLOWER, "a receipt id (receipt: and 64 hexadecimal digits)"
);
bytes32!(
    /// A signing key's public half.
    Author, "ed25519:", BASE64URL_NOPAD, "a key (ed25519: and 43 base64url characters)"
);

/// How many characters of an id are shown where it is shortened.
const SHORT_CHARS: usize = 15;

impl OpId {
    /// Its beginning, as people read and type it: `b3:` and 12 digits.
    ///
    /// ```
    /// use kernel::id::OpId;
    ///
    /// assert_eq!(OpId([0xab; 32]).short(), "b3:abababababab");
    /// ```
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(SHORT_CHARS);
        text
    }
}

/// A space is named by the id of its genesis operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpaceId(pub OpId);

impl fmt::Display for SpaceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for SpaceId {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        text.parse().map(Self)
    }
}

/// The beginning of an id, as people type it: an optional `b3:` and 4 to 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdPrefix {
    digits: String,
}

impl IdPrefix {
    /// Fewest digits, so that a word of a question is not mistaken for an id.
    pub const DIGITS_MIN: usize = 4;

    /// The smallest id with this prefix.
    pub fn first(&self) -> OpId {
        self.filled('0')
    }

    /// The largest id with this prefix.
    pub fn last(&self) -> OpId {
        self.filled('f')
    }

    fn filled(&self, digit: char) -> OpId {
        let mut digits = self.digits.clone();
        digits.extend(std::iter::repeat_n(digit, 64 - digits.len()));
        let bytes = HEXLOWER.decode(digits.as_bytes()).unwrap_or_default();
        OpId::from_slice(&bytes).unwrap_or(OpId([0; 32]))
    }
}

impl FromStr for IdPrefix {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let digits = text.strip_prefix("b3:").unwrap_or(text).to_ascii_lowercase();
        let fits = (Self::DIGITS_MIN..=64).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if fits {
            Ok(Self { digits })
        } else {
            Err(name_error(text, "an id or the beginning of one (4 to 64 hexadecimal digits)"))
        }
    }
}

impl fmt::Display for IdPrefix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "b3:{}", self.digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_authors_round_trip_as_text() {
        let id = OpId([0xab; 32]);
        assert_eq!(id.to_string().parse::<OpId>().unwrap(), id);
        let author = Author([7; 32]);
        assert_eq!(author.to_string().len(), "ed25519:".len() + 43);
        assert_eq!(author.to_string().parse::<Author>().unwrap(), author);
    }

    #[test]
    fn other_spellings_of_an_id_are_refused() {
        for text in ["", "b3:", "b3:AB", &format!("b3:{}", "AB".repeat(32)), &"ab".repeat(32)] {
            assert!(text.parse::<OpId>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_prefix_spans_the_ids_that_start_with_it() {
        let prefix: IdPrefix = "9f2c".parse().unwrap();
        assert!(prefix.first().to_string().starts_with("b3:9f2c0000"));
        assert!(prefix.last().to_string().starts_with("b3:9f2cffff"));
        assert!("9f2".parse::<IdPrefix>().is_err());
        assert!("gym?".parse::<IdPrefix>().is_err());
    }
}
