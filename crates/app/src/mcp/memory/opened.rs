//! The space that a server holds open.
//!
//! It is opened at the first call and stays open; each call sees what other processes have written.
//! If no space exists yet, the user's own is created when something is to be remembered, as
//! `because remember` does.

use std::path::Path;

use engine::Space;
use store::sqlite::ReceiptWriting;

use crate::failure::Failure;
use crate::service::Session;
use crate::service::recall::limit_journal;

/// A space that is opened on demand.
#[derive(Default)]
pub(super) struct Opened(Option<Open>);

/// An open space and the identity of its file.
struct Open {
    space: Space,
    file: Option<FileIdentity>,
}

/// Tells a file from another that replaced it. Empty on systems where open files cannot be
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
    /// The space, which must exist.
    pub(super) fn space(&mut self, session: &Session) -> Result<&mut Space, Failure> {
        let space = match self.still_there() {
            Some(open) => open.space,
            None => gathering(session, session.open()?),
        };
        Ok(self.keep(space))
    }

    /// The space for writing.
    pub(super) fn space_or_new(&mut self, session: &Session) -> Result<&mut Space, Failure> {
        let space = match self.still_there() {
            Some(open) => open.space,
            None => gathering(session, session.locator()?.open_or_make(session.now)?),
        };
        Ok(self.keep(space))
    }

    /// The space, if it is open.
    pub(super) fn if_open(&self) -> Option<&Space> {
        self.0.as_ref().map(|open| &open.space)
    }

    /// The open space. If its file was removed or replaced, it is closed: what is written to it
    /// would be lost silently.
    fn still_there(&mut self) -> Option<Open> {
        self.0.take().filter(|open| identity_of(open.space.path()) == open.file)
    }

    fn keep(&mut self, space: Space) -> &mut Space {
        let file = identity_of(space.path());
        &mut self.0.insert(Open { space, file }).space
    }
}

/// Has a space gather its receipts, which are written while nobody waits for an answer.
fn gathering(session: &Session, space: Space) -> Space {
    limit_journal(session, &space);
    space.set_receipt_writing(ReceiptWriting::Gathered);
    space
}
