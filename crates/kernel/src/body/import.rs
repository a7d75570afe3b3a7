//! Imports: the record that a source was read, and of what was appended then.

use serde::{Deserialize, Serialize};

use super::fields::lenient_body;
use crate::id::BodyHash;

/// The program that read a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Importer {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Numbers of operations in the author's chain, from the first up to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct SeqRange {
    /// The first number.
    pub first: u64,
    /// The last number.
    pub last: u64,
}

impl From<(u64, u64)> for SeqRange {
    fn from((first, last): (u64, u64)) -> Self {
        Self { first, last }
    }
}

impl From<SeqRange> for (u64, u64) {
    fn from(range: SeqRange) -> Self {
        (range.first, range.last)
    }
}

lenient_body! {
    /// Body of an `import`.
    Import {
        /// The source of the records: the name of their format.
        source: String,
        /// The path as it was given.
        path: String,
        /// Where the source is on the importing device: a hash that its secret keys.
        place: BodyHash,
        /// What was read: a hash over the body hashes of all records, in their order.
        digest: BodyHash,
        /// How many records are new.
        added: u64,
        /// How many replace an earlier version.
        replaced: u64,
        /// How many of the new ones repeat what is known already.
        repeated: u64,
        /// How many were there already.
        present: u64,
        /// How many records were retracted, because the source no longer has them.
        retracted: u64,
        /// How many items could not be read.
        problems: u64,
        /// Whether the source was read to its end.
        complete: bool,
        /// The program that read it.
        importer: Importer,
        /// What was appended, in the author's chain.
        operations: Vec<SeqRange>,
    }
}
