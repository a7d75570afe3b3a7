//! Why bytes are not an operation.

use crate::canonical::CanonicalError;
use crate::id::NameError;
use crate::operation::{FORMAT_VERSION, WORD_BYTES_MAX};

/// Bytes that are not an operation: which field, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct MalformedError {
    /// The field at fault.
    pub field: &'static str,
    /// What is wrong with it.
    pub reason: Malformation,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformation {
    /// It has to be there.
    #[error("is missing")]
    Missing,
    /// It is of another type.
    #[error("is not {expected}")]
    NotA {
        /// What it has to be, with its article.
        expected: &'static str,
    },
    /// The format has no field of some name that is there.
    #[error("has a field that the format does not know")]
    UnknownField,
    /// It is not the text form of an id, a key or a hash.
    #[error("{0}")]
    Name(#[from] NameError),
    /// It cannot name a kind or a role.
    #[error(
        "is not a word: write lower-case letters, digits, `_`, `.` and `-`, a letter first, at most {WORD_BYTES_MAX}"
    )]
    Word,
    /// It is a number outside its bounds.
    #[error("is not between {min} and {max}")]
    OutOfRange {
        /// The smallest that is allowed.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// It has too many bytes.
    #[error("is longer than {bytes_max} bytes")]
    TooLong {
        /// The most that are allowed.
        bytes_max: usize,
    },
    /// It has too many entries.
    #[error("has more than {entries_max} entries")]
    TooMany {
        /// The most that are allowed.
        entries_max: usize,
    },
    /// It is not JSON as the format reads it, or has no canonical form.
    #[error("is not acceptable JSON: {0}")]
    Json(#[from] CanonicalError),
    /// The body does not fit the operation's kind.
    #[error("does not fit the operation's kind: {0}")]
    Body(String),
    /// Another version of the format.
    #[error("is {found}, this program reads format version {FORMAT_VERSION}; update it")]
    Version {
        /// The version that was found.
        found: u64,
    },
    /// `prev` and `seq` disagree about whether this is the author's first operation.
    #[error("must be null exactly where `seq` is 1")]
    PrevOfFirst,
    /// `space` and `kind` disagree about whether this begins a space.
    #[error("must be null exactly in an operation of kind `space`")]
    SpaceOfGenesis,
    /// A genesis operation cites something or is not its author's first.
    #[error("must be empty in a genesis operation, whose `seq` is 1")]
    GenesisCites,
    /// A body without a salt or the reverse.
    #[error("must be an object beside a salt, or both must be null")]
    BodyWithoutSalt,
}

impl MalformedError {
    pub(crate) fn new(field: &'static str, reason: impl Into<Malformation>) -> Self {
        Self { field, reason: reason.into() }
    }

    /// A field of another type.
    pub(crate) fn not_a(field: &'static str, expected: &'static str) -> Self {
        Self::new(field, Malformation::NotA { expected })
    }
}
