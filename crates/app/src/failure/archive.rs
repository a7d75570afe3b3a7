//! Why an archive cannot be used.

use std::path::PathBuf;

use kernel::id::OpId;

use super::Fault;
use crate::text::{path as shown, printable};

/// Why an archive cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// The file does not exist.
    #[error("the archive {} does not exist", shown(path))]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The space recorded an archive of this name, and this is not it.
    #[error("{} is not what was archived: it was changed or not written to its end", shown(path))]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The space recorded no archive with this digest.
    #[error(
        "this space made no such archive as {}: it is another space's, or it was changed",
        shown(path)
    )]
    Unrecorded {
        /// The file.
        path: PathBuf,
    },
    /// It is what was recorded, and cannot be read.
    #[error("{} cannot be read as an archive: {detail}", shown(path))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// The ledger says that it has a format that this version does not know.
    #[error(
        "{} is of a format that this version does not know: {}",
        shown(path),
        printable(format)
    )]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The format, as another device recorded it.
        format: String,
    },
    /// An operation that was named is not in it.
    #[error("{} is not in the archive {}", id.short(), shown(path))]
    NotInside {
        /// The file.
        path: PathBuf,
        /// The operation.
        id: OpId,
    },
}

impl ArchiveError {
    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "archive_missing",
            Self::Changed { .. } => "archive_changed",
            Self::Unrecorded { .. } => "archive_unrecorded",
            Self::Malformed { .. } => "archive_malformed",
            Self::Unsupported { .. } => "archive_unsupported",
            Self::NotInside { .. } => "not_in_archive",
        }
    }

    /// Whose fault it is.
    pub(super) fn fault(&self) -> Fault {
        match self {
            Self::Missing { .. } | Self::NotInside { .. } => Fault::NotFound,
            Self::Changed { .. } | Self::Unrecorded { .. } => Fault::Conflict,
            Self::Malformed { .. } | Self::Unsupported { .. } => Fault::Internal,
        }
    }
}
