//! The space that a server holds open.
//!
//! It is opened at the first call and stays open; other processes that work on it are seen at the
//! next call. Where none exists yet, the person's own is made when something is to be remembered,
//! as `because remember` does.

use std::path::Path;

use engine::Space;

use crate::failure::Failure;
use crate::service::Session;

/// A space that is opened when it is needed.
#[derive(Default)]
pub(super) struct Opened(Option<Open>);

/// An open space, and which file that was.
struct Open {
    space: Space,
    file: Option<FileIdentity>,
}

/// What tells a file from another that was put in its place; nothing where open files cannot be
/// replaced.
type FileIdentity = (u64, u64);

fn identity_of(path: &Path) -> Option<FileIdentity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

impl Opened {
    /// The space, which must be there.
    pub(super) fn space(&mut self, session: &Session) -> Result<&mut Space, Failure> {
        let space = match self.still_there() {
            Some(open) => open.space,
            None => session.open()?,
        };
        Ok(self.keep(space))
    }

    /// The space to write to.
    pub(super) fn space_or_new(&mut self, session: &Session) -> Result<&mut Space, Failure> {
        let space = match self.still_there() {
            Some(open) => open.space,
            None => session.locator()?.open_or_make(session.now)?,
        };
        Ok(self.keep(space))
    }

    /// The open space. One whose file was removed or replaced meanwhile is closed: what is written
    /// to it would be lost without a word.
    fn still_there(&mut self) -> Option<Open> {
        self.0.take().filter(|open| identity_of(open.space.path()) == open.file)
    }

    fn keep(&mut self, space: Space) -> &mut Space {
        let file = identity_of(space.path());
        &mut self.0.insert(Open { space, file }).space
    }
}
