//! Finding and opening the space of a request.

use std::path::{Path, PathBuf};

use engine::{EngineError, Space};
use store::StoreError;

use crate::failure::{Failure, RequestError};
use crate::place::{GLOBAL, Home, enclosing_space, make_folder, named_space};

/// Finds a space by the names that were given.
pub(crate) struct SpaceLocator<'a> {
    /// The home.
    pub(crate) home: &'a Home,
    /// The value of `--space` or `BECAUSE_SPACE`.
    pub(crate) named: Option<&'a str>,
}

impl SpaceLocator<'_> {
    /// The space's file, whether or not it exists.
    pub(crate) fn path(&self) -> Result<PathBuf, Failure> {
        match self.named {
            Some(GLOBAL) => Ok(self.home.global_space()),
            Some(named) => Ok(named_space(Path::new(named))),
            None => {
                let working = std::env::current_dir()
                    .map_err(|source| Failure::File { path: ".".into(), source })?;
                Ok(enclosing_space(&working).unwrap_or_else(|| self.home.global_space()))
            }
        }
    }

    /// Opens the space for reading. It must exist.
    pub(crate) fn open(&self) -> Result<Space, Failure> {
        let path = self.path()?;
        if path.exists() {
            let space = Space::open(&path, self.home.signer()?)?;
            self.check_trust(&space, path)?;
            return Ok(space);
        }
        Err(match self.named {
            None => Failure::NoSpace,
            Some(named) => Failure::NoSpaceThere { path, named: named.to_owned() },
        })
    }

    /// Refuses a space that was found by the working folder alone if this device's key has signed
    /// nothing in it: a folder may come from anybody, and what its space says would be read as the
    /// user's own memory. The user may name it, or trust it.
    fn check_trust(&self, space: &Space, path: PathBuf) -> Result<(), Failure> {
        let is_chosen = self.named.is_some() || path == self.home.global_space();
        if is_chosen || space.reader()?.has_signed(&space.author())? {
            return Ok(());
        }
        if self.home.trusts(&space.id()?)? {
            return Ok(());
        }
        let owner = space.key_ring()?.owner().map_or_else(String::new, |owner| owner.to_string());
        Err(RequestError::StrangersSpace { path, owner }.into())
    }

    /// Opens the space for writing. The user's own space is created if it does not exist yet.
    pub(crate) fn open_or_make(&self, now: jiff::Timestamp) -> Result<Space, Failure> {
        let path = self.path()?;
        if path == self.home.global_space() && !path.exists() {
            make_folder(self.home.folder())?;
            match Space::create(&path, self.home.signer()?, GLOBAL, now) {
                // Another process has created it in the meantime.
                Err(EngineError::Store(StoreError::Exists { .. })) => {}
                made => return Ok(made?),
            }
        }
        self.open()
    }
}
