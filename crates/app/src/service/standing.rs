//! Whose a space is.
//!
//! A space is one's own if a key of this home, the person's or one of its agents', made it or has
//! signed in it. The signatures are checked, because a file can hold any row. Every other space is
//! somebody else's: it is read without a trace, named as its owner's in every answer, not written
//! to without a grant, and not found by walking up unless it is trusted. A grant alone does not
//! make it one's own, because anybody can grant to a public key.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::owner::SpaceOwner;
use engine::{EngineError, Space};
use kernel::id::Author;
use store::sqlite::FileStamp;

use crate::failure::Failure;
use crate::place::Home;

/// How often a file that others change is looked at.
const PEEKS_MAX: usize = 100;
/// How long to wait until it is looked at again.
const BETWEEN_PEEKS: Duration = Duration::from_millis(10);

/// Whose a space is.
pub(crate) enum SpaceOwnership {
    /// The person's own.
    Own,
    /// Somebody else's.
    Foreign(Box<ForeignSpace>),
}

/// A space of somebody else.
pub(crate) struct ForeignSpace {
    /// The space as its file is, good to see whose it is.
    space: Space,
    path: PathBuf,
    /// Whose it is.
    pub(crate) owner: SpaceOwner,
    /// Whether a key of this home holds a capability in it.
    pub(crate) may_write: bool,
}

impl SpaceOwnership {
    /// Looks at a space without writing anything to its file or beside it.
    pub(crate) fn of(home: &Home, path: &Path) -> Result<Self, Failure> {
        let signer = home.signer()?;
        let mut attempts = 0;
        // The file alone nearly always tells. Only if its log holds more is a copy of both read.
        let peeked = loop {
            let before = FileStamp::of(path);
            let was_at_rest = before.is_some_and(|stamp| stamp.is_at_rest());
            let peeked = Space::peek(path, home.signer()?);
            if peeked.as_ref().is_ok_and(|peeked| is_own(home, peeked).unwrap_or(false)) {
                return Ok(Self::Own);
            }
            // A process that copied its log into the file meanwhile leaves it half changed for us.
            attempts += 1;
            if was_at_rest && FileStamp::of(path) == before || attempts == PEEKS_MAX {
                break peeked;
            }
            std::thread::sleep(BETWEEN_PEEKS);
        };
        let space = match peeked {
            Ok(peeked) if !peeked.has_log() => peeked,
            Ok(_) | Err(_) => Space::open_without_trace(path, signer)?,
        };
        // A damaged file that cannot be read is not taken for one's own.
        if is_own(home, &space).unwrap_or(false) {
            return Ok(Self::Own);
        }
        let keys = space.key_ring();
        let owner = keys.as_ref().map_or_else(|_| SpaceOwner::unknown(), SpaceOwner::of);
        let mut own_keys = home.agent_keys();
        own_keys.push(space.author());
        let may_write =
            keys.as_ref().is_ok_and(|keys| own_keys.iter().any(|key| keys.holds_any(key)));
        let path = path.to_owned();
        Ok(Self::Foreign(Box::new(ForeignSpace { space, path, owner, may_write })))
    }
}

impl ForeignSpace {
    /// Opens the space to answer from it, without a trace.
    pub(crate) fn open(&self, home: &Home) -> Result<Space, Failure> {
        Ok(Space::open_without_trace(&self.path, home.signer()?)?)
    }

    /// This device's key.
    pub(crate) fn reader(&self) -> Author {
        self.space.author()
    }

    /// Whether the person trusts it. Its genesis must be signed by its owner, since the file could
    /// name any space.
    pub(crate) fn is_trusted(&self, home: &Home) -> Result<bool, Failure> {
        Ok(home.trusts(&self.space.id()?)? && self.is_signed()?)
    }

    fn is_signed(&self) -> Result<bool, EngineError> {
        let reader = self.space.reader()?;
        match self.space.key_ring()?.owner() {
            Some(owner) => reader.has_signed(&owner),
            None => Ok(false),
        }
    }
}

/// Who made a space that counts as the person's own only because a key of this home has signed in
/// it: another device of the same person, or somebody else. Nothing tells which, and "you" in it
/// means the person either way.
pub(crate) fn made_elsewhere(home: &Home, space: &Space) -> Result<Option<SpaceOwner>, Failure> {
    let keys = space.key_ring()?;
    let Some(owner) = keys.owner() else { return Ok(None) };
    let is_ours = owner == space.author() || home.agent_keys().contains(&owner);
    Ok((!is_ours).then(|| SpaceOwner::of(&keys)))
}

/// Whether a key of this home made the space or has signed in it.
fn is_own(home: &Home, space: &Space) -> Result<bool, EngineError> {
    let reader = space.reader()?;
    if reader.has_signed(&space.author())? {
        return Ok(true);
    }
    for key in home.agent_keys() {
        if reader.has_signed(&key)? {
            return Ok(true);
        }
    }
    Ok(false)
}
