//! The space that a server holds open.
//!
//! It is opened at the first call and stays open; each call sees what other processes have written.
//! If no space exists yet, the user's own is created when something is to be remembered, as
//! `because remember` does. If the user has trusted a space since, or no longer trusts one, the
//! space is looked for again.

use std::path::Path;
use std::time::SystemTime;

use engine::Space;
use engine::recall::stream::Stream;
use kernel::kind::Capability;
use store::sqlite::{FileStamp, JournalWriting};

use super::RECEIPTS_WAIT;
use crate::failure::Failure;
use crate::mcp::whose::{self, Whose};
use crate::service::effective::EffectiveView;
use crate::service::opening::{OpenedSpace, SpaceUse};
use crate::service::recall::limit_journal;
use crate::service::surfacing::start_stream;
use crate::service::{Session, handles};

/// A space that is opened on demand.
#[derive(Default)]
pub(super) struct Opened(Option<Open>);

/// An open space and the identity of its file.
pub(super) struct Open {
    /// The space, and the home space under it if it is a project's.
    pub(super) spaces: EffectiveView,
    file: Option<FileIdentity>,
    /// The file of the home space.
    home_file: Option<FileIdentity>,
    /// For a space that is read without a trace, which does not see what others write: the state of
    /// the file when it was opened.
    state: Option<FileState>,
    /// The list of trusted spaces when it was opened.
    trust: Option<FileStamp>,
    /// The background search that follows conversations; it starts with the first of them, and ends
    /// with the opened space, which it reads by a handle of its own.
    stream: Option<Stream>,
    /// The user was told of the spaces that were passed over.
    is_told: bool,
    /// A server opened it, keeps it, and looks after its file and its receipts. No other space is
    /// read with it.
    is_served: bool,
}

/// Receipts are gathered, and written while nobody waits for an answer.
fn gather_receipts(session: &Session, space: &Space) {
    limit_journal(session, space);
    space.set_journal_writing(JournalWriting::Gathered);
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

/// The lengths and times of a file and its log.
type FileState = [Option<(u64, Option<SystemTime>)>; 2];

fn state_of(path: &Path) -> FileState {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    [path, Path::new(&log)].map(|path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    })
}

impl Open {
    /// `trust` is the list of trusted spaces as it was before the space was looked for.
    fn new(session: &Session, opened: OpenedSpace, trust: Option<FileStamp>) -> Self {
        gather_receipts(session, &opened);
        let path = opened.path();
        let state = opened.owner.as_ref().map(|_| state_of(path));
        Self {
            file: identity_of(path),
            home_file: None,
            state,
            spaces: EffectiveView::alone(session, opened),
            trust,
            stream: None,
            is_told: false,
            is_served: false,
        }
    }

    /// Opens the home space under the space, unless it is open, and the same file as before.
    fn put_home_under(&mut self, session: &Session) -> Result<(), Failure> {
        if self.is_served {
            return Ok(());
        }
        let file = identity_of(&session.home.global_space());
        let is_open = self.spaces.home.is_some();
        if is_open && file.is_some() && file == self.home_file {
            return Ok(());
        }
        self.spaces.open_home(session)?;
        self.home_file = file;
        self.spaces.home.iter().for_each(|home| gather_receipts(session, home));
        Ok(())
    }

    /// Whether a server opened it, for somebody who may see no other space.
    pub(super) fn is_served(&self) -> bool {
        self.is_served
    }

    /// Whether it is still the space at its path, as it is there now.
    fn is_still_there(&self) -> bool {
        let path = self.spaces.own.path();
        identity_of(path) == self.file && self.state.is_none_or(|state| state == state_of(path))
    }

    /// Whose memory an answer is from. Spaces that were passed over are named once.
    pub(super) fn whose(&mut self) -> Whose {
        let passed = if self.is_told { &[][..] } else { &self.spaces.own.passed };
        self.is_told = true;
        Whose::of(&self.spaces.own, passed)
    }

    /// The space, and the stream that follows conversations, which a server has none of; nothing if
    /// another space would be found by now.
    pub(super) fn followed(
        &mut self,
        session: &Session,
    ) -> Result<Option<(&mut EffectiveView, Option<&Stream>)>, Failure> {
        if self.is_served {
            return Ok(Some((&mut self.spaces, None)));
        }
        if !self.stream.as_ref().is_some_and(Stream::is_running) {
            self.stream = start_stream(session, &self.spaces.own)?;
        }
        Ok(self.stream.as_ref().map(|stream| (&mut self.spaces, Some(stream))))
    }

    /// What to tell the user about a write, which may not go where the folder suggests; the same in
    /// words of the server's own.
    pub(super) fn warning(&self) -> (Option<String>, String) {
        let passed = &self.spaces.own.passed;
        (whose::warning(passed), whose::passed_in_words(passed))
    }
}

impl Opened {
    /// A space that a server opened.
    pub(super) fn served(session: &Session, opened: OpenedSpace) -> Self {
        let spaces = EffectiveView::alone(session, opened);
        Self(Some(Open {
            spaces,
            file: None,
            home_file: None,
            state: None,
            trust: None,
            stream: None,
            is_told: false,
            is_served: true,
        }))
    }

    /// The space that a server opened; none if it was closed since.
    pub(super) fn into_served(self) -> Option<OpenedSpace> {
        self.0.map(|open| open.spaces.own)
    }

    /// The space to read, which must exist.
    pub(super) fn readable(&mut self, session: &Session) -> Result<&mut Open, Failure> {
        let trust = session.home.trust_stamp();
        let open = match self.still_there(trust, |_| true) {
            Some(open) => open,
            None => Open::new(session, session.open(SpaceUse::Read)?, trust),
        };
        let open = self.0.insert(open);
        open.put_home_under(session)?;
        Ok(open)
    }

    /// The space to change, which must exist.
    pub(super) fn writable(&mut self, session: &Session) -> Result<&mut Open, Failure> {
        let trust = session.home.trust_stamp();
        let open = match self.still_there(trust, |opened| opened.owner.is_none()) {
            Some(open) => open,
            None => Open::new(session, session.open(SpaceUse::Write(Capability::Append))?, trust),
        };
        let open = self.0.insert(open);
        // It may have been opened to be read, or before the person said who they are.
        handles::set_owner_names(&session.home, &mut open.spaces.own)?;
        Ok(open)
    }

    /// The space to add to, which is made if it does not exist.
    pub(super) fn writable_or_new(&mut self, session: &Session) -> Result<&mut Open, Failure> {
        let trust = session.home.trust_stamp();
        let open = match self.still_there(trust, |opened| opened.owner.is_none()) {
            Some(open) => open,
            None => {
                let purpose = SpaceUse::Write(Capability::Append);
                let opened = session.locator()?.open_or_make(purpose, session.now)?;
                Open::new(session, opened, trust)
            }
        };
        let open = self.0.insert(open);
        // It may have been opened to be read, or before the person said who they are.
        handles::set_owner_names(&session.home, &mut open.spaces.own)?;
        Ok(open)
    }

    /// The spaces that are open.
    pub(super) fn all(&self) -> impl Iterator<Item = &Space> {
        let spaces = self.0.iter().map(|open| &open.spaces);
        spaces
            .flat_map(|spaces| std::iter::once(&spaces.own).chain(&spaces.home))
            .map(|it| &it.space)
    }

    /// The open space, if it is fit. If its file was removed or replaced, it is closed: what is
    /// written to it would be lost silently. One of somebody else that was opened to be written to
    /// is opened anew to be read: a key that has written to it makes it the user's own.
    fn still_there(
        &mut self,
        trust: Option<FileStamp>,
        is_fit: impl Fn(&OpenedSpace) -> bool,
    ) -> Option<Open> {
        let open = self.0.take()?;
        if open.is_served {
            return Some(open);
        }
        if open.trust != trust {
            // What was shown from it is not lost with it.
            let _ = open.spaces.own.write_journal(RECEIPTS_WAIT);
            return None;
        }
        let own = &open.spaces.own;
        let is_foreign_and_open = own.owner.is_some() && !own.is_read_only();
        (open.is_still_there() && !is_foreign_and_open && is_fit(own)).then_some(open)
    }
}
