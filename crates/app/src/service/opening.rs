//! What a space is opened for, and what an opened space is.
//!
//! Walking up from the working folder passes over a space of somebody else that is not trusted, as
//! though it were not there. Reading goes on to the next space, and so do commands that add a note
//! or name what they change. Commands that select records by description, grant access or export
//! the whole space stop instead: they would act on another space than the folder's
//! (`docs/design/0019-settings-and-strangers.md`).

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use engine::Space;
use engine::owner::SpaceOwner;
use kernel::kind::Capability;

use crate::text::{path, quoted};

/// What a space is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpaceUse {
    /// To answer from it.
    Read,
    /// To export all of it.
    HandOut,
    /// To add a note, or to act on what is named by its id or key. It needs this capability.
    Write(Capability),
    /// To act on records by description, on capabilities, or on the whole space. It needs this
    /// capability.
    Manage(Capability),
    /// To import operations of other copies, which nobody here has to sign.
    TakeIn,
}

impl SpaceUse {
    /// Whether it may go on to another space than the one that the working folder has.
    pub(super) fn passes_over(self) -> bool {
        matches!(self, Self::Read | Self::Write(_))
    }

    /// Whether beliefs may be derived in it.
    pub(crate) fn may_derive(self) -> bool {
        !matches!(self, Self::Read | Self::HandOut)
    }

    /// The capability that it needs.
    pub(super) fn capability(self) -> Option<Capability> {
        match self {
            Self::Write(capability) | Self::Manage(capability) => Some(capability),
            Self::Read | Self::HandOut | Self::TakeIn => None,
        }
    }
}

/// A space of somebody else in the working folder or above it, which was not used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PassedOver {
    /// Its file.
    pub(crate) path: PathBuf,
    /// Its owner, as a person reads it.
    pub(crate) owner: String,
}

impl PassedOver {
    /// A stable code: that of the error which is returned where no other space can be used.
    pub(crate) const CODE: &str = "untrusted_space";

    /// What to type to use it.
    pub(crate) fn hint(&self) -> String {
        let named = quoted(&path(&self.path));
        format!(
            "if you know who made it, `because trust {named}` uses it from now on; `--space {named}` reads it once"
        )
    }
}

impl std::fmt::Display for PassedOver {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "the space {} is somebody else's ({}), and you have not trusted it",
            path(&self.path),
            self.owner
        )
    }
}

/// An open space, and whose it is.
pub(crate) struct OpenedSpace {
    /// The space.
    pub(crate) space: Space,
    /// Its owner, if it is somebody else's.
    pub(crate) owner: Option<SpaceOwner>,
    /// The spaces that were passed over to find it.
    pub(crate) passed: Vec<PassedOver>,
    /// When its derivers were told who its owner is, and what the home space's file was then.
    pub(crate) owner_names_set_at: Option<(Instant, HomeStamp)>,
}

/// What changes with every write to the home space: times and sizes of its file and its log.
pub(crate) type HomeStamp = [Option<(SystemTime, u64)>; 2];

impl OpenedSpace {
    /// A space of one's own.
    pub(crate) fn own(space: Space) -> Self {
        Self { space, owner: None, passed: Vec::new(), owner_names_set_at: None }
    }
}

impl Deref for OpenedSpace {
    type Target = Space;

    fn deref(&self) -> &Space {
        &self.space
    }
}

impl DerefMut for OpenedSpace {
    fn deref_mut(&mut self) -> &mut Space {
        &mut self.space
    }
}
