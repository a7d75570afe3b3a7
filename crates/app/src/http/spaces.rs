//! The spaces that a server serves, and the open handles on them.
//!
//! Each thread that works on a space has a handle of its own; all handles of the process share one
//! index in memory (`store`'s `shared.rs`), however many tokens ask. Reading takes no lock. Writes
//! wait for each other here, in the order of arrival, so that threads are not spent on waiting for
//! SQLite's lock; other processes still take turns by that.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::Sealer;
use kernel::id::SpaceId;
use kernel::kind::Capability;
use kernel::seal::{SEED_BYTES, Signer};
use store::sqlite::JournalWriting;
use tokio::sync::{Notify, watch};

use crate::failure::Failure;
use crate::service::Session;
use crate::service::locator::SpaceLocator;
use crate::service::opening::{OpenedSpace, SpaceUse};
use crate::service::recall::limit_journal;
use crate::service::tokens::{Grant, Token};

/// Idle handles that are kept for each space.
const IDLE_MAX: usize = 32;
/// How long writing to a journal waits for another process that does.
const JOURNAL_WAIT: Duration = Duration::from_millis(20);

/// The spaces of a server.
pub(super) struct Spaces {
    spaces: Vec<Arc<ServedSpace>>,
    /// That something waits to be written to a journal.
    pub(super) unwritten: Arc<Notify>,
}

/// A space.
pub(super) struct ServedSpace {
    pub(super) id: SpaceId,
    /// Its own name.
    pub(super) name: String,
    /// What it was named when the server was started.
    named: String,
    path: PathBuf,
    /// Of a key that no space knows.
    nobody: Sealer,
    idle: Mutex<Vec<Handle>>,
    /// Whose turn it is to write.
    pub(super) writing: Arc<tokio::sync::Mutex<()>>,
    /// How many contributions were followed up.
    pub(super) writes: AtomicU64,
    /// How far its ledger goes, as far as this process has noticed.
    pub(super) head: watch::Sender<u64>,
    unwritten: Arc<Notify>,
}

/// An open space, and the file that it is.
struct Handle {
    opened: OpenedSpace,
    file: Option<FileIdentity>,
}

/// Tells a file from another that replaced it.
type FileIdentity = (u64, u64);

fn identity_of(path: &Path) -> Option<FileIdentity> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        // An open file cannot be replaced.
        drop(metadata);
        Some((0, 0))
    }
}

impl Spaces {
    /// Opens each space once, so that what is wrong with it is known now.
    pub(super) fn open(session: &Session) -> Result<Self, Failure> {
        let named: Vec<Option<&str>> = match session.spaces.as_slice() {
            [] => vec![None],
            spaces => spaces.iter().map(|named| Some(named.as_str())).collect(),
        };
        let mut nobody = [0; SEED_BYTES];
        getrandom::fill(&mut nobody).map_err(|error| std::io::Error::other(error.to_string()))?;
        let nobody = Sealer::new(Signer::from_seed(nobody));
        let mut spaces: Vec<Arc<ServedSpace>> = Vec::new();
        let unwritten = Arc::new(Notify::new());
        for named in named {
            let locator = SpaceLocator { home: &session.home, named };
            let path = locator.locate()?.path;
            let opened = locator.open(SpaceUse::Manage(Capability::Append))?;
            let (id, name) = (opened.id()?, opened.name()?);
            if spaces.iter().any(|space| space.id == id) {
                continue;
            }
            let (head, _) = watch::channel(opened.head()?.0);
            let named = named.unwrap_or_default().to_owned();
            let file = identity_of(&path);
            let handle = prepared(session, &nobody, Handle { opened, file });
            spaces.push(Arc::new(ServedSpace {
                id,
                name,
                named,
                path,
                nobody: nobody.clone(),
                idle: Mutex::new(vec![handle]),
                writing: Arc::default(),
                writes: AtomicU64::new(0),
                head,
                unwritten: Arc::clone(&unwritten),
            }));
        }
        Ok(Self { spaces, unwritten })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<ServedSpace>> {
        self.spaces.iter()
    }

    /// The space that a token means by a name, and what it may do there: its own if it names none.
    /// None if the space does not exist, or the token may do nothing in it.
    pub(super) fn of_token<'t>(
        &self,
        token: &'t Token,
        name: Option<&str>,
    ) -> Option<(&Arc<ServedSpace>, &'t Grant)> {
        let served = |grant: &Grant| self.spaces.iter().find(|space| space.id == grant.space);
        let Some(name) = name else {
            let grant = token.grants.first()?;
            return Some((served(grant)?, grant));
        };
        let pairs = || token.grants.iter().filter_map(|grant| Some((served(grant)?, grant)));
        let by_id = pairs().find(|(space, _)| space.id.to_string() == name);
        by_id.or_else(|| pairs().find(|(space, _)| space.name == name || space.is_at(name)))
    }

    /// Writes the receipts and the use that wait. Returns whether all could be written.
    pub(super) fn write_journal(&self) -> bool {
        let mut all = true;
        self.spaces.iter().for_each(|space| all &= space.write_journal());
        all
    }

    /// Closes all idle handles, which writes their receipts.
    pub(super) fn close(&self) {
        for space in &self.spaces {
            space.lock().clear();
        }
    }
}

/// Sets up a new handle.
fn prepared(session: &Session, nobody: &Sealer, mut handle: Handle) -> Handle {
    handle.opened.write_as(nobody.clone());
    limit_journal(session, &handle.opened);
    handle.opened.set_journal_writing(JournalWriting::Gathered);
    handle
}

impl ServedSpace {
    fn is_at(&self, name: &str) -> bool {
        !name.is_empty() && (self.named == name || self.path == Path::new(name))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Handle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A handle for the time of one piece of work. If the file was replaced, the handles on the old
    /// one are closed: what is written to it would be lost silently.
    pub(super) fn lease(self: &Arc<Self>, session: &Session) -> Result<Lease, Failure> {
        let file = identity_of(&self.path);
        let idle = {
            let mut idle = self.lock();
            idle.retain(|handle| handle.file == file);
            idle.pop()
        };
        let handle = match idle {
            Some(handle) => handle,
            None => {
                let named = self.path.to_string_lossy();
                let locator = SpaceLocator { home: &session.home, named: Some(&named) };
                let opened = locator.open(SpaceUse::Manage(Capability::Append))?;
                if opened.id()? != self.id {
                    return Err(Failure::NoSpaceThere { path: self.path.clone(), named: None });
                }
                prepared(session, &self.nobody, Handle { opened, file })
            }
        };
        Ok(Lease { space: Arc::clone(self), handle: Some(handle) })
    }

    /// A handle for the owner's own work on the whole space, which is not shared with requests.
    pub(super) fn for_owner(&self, session: &Session) -> Result<OpenedSpace, Failure> {
        let named = self.path.to_string_lossy();
        let locator = SpaceLocator { home: &session.home, named: Some(&named) };
        locator.open(SpaceUse::Manage(Capability::Correct))
    }

    /// Tells everybody who waits for changes how far the ledger goes.
    pub(super) fn note_head(&self, head: u64) {
        self.head.send_if_modified(|known| {
            let is_new = *known != head;
            *known = head;
            is_new
        });
    }

    /// Writes the receipts and the use that wait, one handle after the other, so that requests find
    /// the rest.
    fn write_journal(&self) -> bool {
        for _ in 0..IDLE_MAX {
            let waiting = {
                let mut idle = self.lock();
                let place = idle.iter().position(|handle| handle.opened.has_unwritten());
                place.map(|place| idle.remove(place))
            };
            let Some(handle) = waiting else { return true };
            let is_written = handle.opened.write_journal(JOURNAL_WAIT).is_ok();
            self.give_back(handle);
            if !is_written {
                // Giving the handle back has asked for the next attempt.
                return false;
            }
        }
        true
    }

    /// Keeps a handle. Until a request says with which key it writes, it writes with none that may:
    /// neither the owner's nor that of the last request.
    fn give_back(&self, mut handle: Handle) {
        if handle.opened.author() != self.nobody.author() {
            handle.opened.write_as(self.nobody.clone());
        }
        let has_unwritten = handle.opened.has_unwritten();
        {
            let mut idle = self.lock();
            if idle.len() < IDLE_MAX {
                idle.push(handle);
            }
        }
        if has_unwritten {
            self.unwritten.notify_one();
        }
    }
}

/// A handle in use. It is given back when it is dropped, except by a panic, which may leave its
/// state in memory inconsistent.
pub(super) struct Lease {
    space: Arc<ServedSpace>,
    handle: Option<Handle>,
}

impl Lease {
    /// The open space, for as long as the lease lives.
    pub(super) fn opened(&mut self) -> Option<&mut OpenedSpace> {
        self.handle.as_mut().map(|handle| &mut handle.opened)
    }

    /// Lends the open space to work that keeps it for a while. None if there is none; it is closed
    /// if the work does not give it back.
    pub(super) fn lend<T>(
        &mut self,
        work: impl FnOnce(OpenedSpace) -> (Option<OpenedSpace>, T),
    ) -> Option<T> {
        let Handle { opened, file } = self.handle.take()?;
        let (opened, result) = work(opened);
        self.handle = opened.map(|opened| Handle { opened, file });
        Some(result)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take()
            && !std::thread::panicking()
        {
            self.space.give_back(handle);
        }
    }
}
