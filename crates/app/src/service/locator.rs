//! Finding and opening the space of a request.

use std::path::{Path, PathBuf};

use engine::{EngineError, Space};
use store::StoreError;

use super::handles;
use super::opening::{OpenedSpace, PassedOver, SpaceUse};
use super::standing::SpaceOwnership;
use crate::failure::{Failure, RequestError};
use crate::place::{GLOBAL, Home, enclosing_spaces, make_folder, named_space};

/// Finds a space by the names that were given.
pub(crate) struct SpaceLocator<'a> {
    /// The home.
    pub(crate) home: &'a Home,
    /// The value of `--space` or `BECAUSE_SPACE`.
    pub(crate) named: Option<&'a str>,
}

/// Where the space of a request is, whether or not it exists.
pub(crate) struct Located {
    /// Its file.
    pub(crate) path: PathBuf,
    /// The spaces that were passed over to find it.
    pub(crate) passed: Vec<PassedOver>,
    /// Whose it is, if that is known already.
    standing: Option<SpaceOwnership>,
}

impl Located {
    fn at(path: PathBuf) -> Self {
        Self { path, passed: Vec::new(), standing: None }
    }
}

impl SpaceLocator<'_> {
    /// Finds the space.
    pub(crate) fn locate(&self) -> Result<Located, Failure> {
        match self.named {
            Some(GLOBAL) => Ok(Located::at(self.home.global_space())),
            Some(named) => Ok(Located::at(named_space(Path::new(named)))),
            None => {
                let working = std::env::current_dir()
                    .map_err(|source| Failure::File { path: ".".into(), source })?;
                self.walk_up(&working)
            }
        }
    }

    /// The nearest space in a folder or above it that is the person's own or trusted, else the home
    /// space. A folder may come from anybody, and what its space says would be read as the
    /// person's own memory.
    fn walk_up(&self, working: &Path) -> Result<Located, Failure> {
        let global = self.home.global_space();
        let mut passed = Vec::new();
        for path in enclosing_spaces(working) {
            if path == global {
                break;
            }
            match SpaceOwnership::of(self.home, &path)? {
                SpaceOwnership::Foreign(foreign) if !foreign.is_trusted(self.home)? => {
                    passed.push(PassedOver { path, owner: foreign.owner.label() });
                }
                standing => return Ok(Located { path, passed, standing: Some(standing) }),
            }
        }
        Ok(Located { path: global, passed, standing: None })
    }

    /// Opens the space, which must exist.
    pub(crate) fn open(&self, purpose: SpaceUse) -> Result<OpenedSpace, Failure> {
        self.open_located(self.locate()?, purpose)
    }

    fn open_located(&self, located: Located, purpose: SpaceUse) -> Result<OpenedSpace, Failure> {
        let Located { path, passed, standing } = located;
        if let Some(PassedOver { path: found, owner }) = passed.first()
            && (!purpose.passes_over() || !path.exists())
        {
            let (path, owner) = (found.clone(), owner.clone());
            return Err(RequestError::UntrustedSpace { path, owner }.into());
        }
        if !path.exists() {
            return Err(match self.named {
                None => Failure::NoSpace,
                Some(named) => Failure::NoSpaceThere { path, named: Some(named.to_owned()) },
            });
        }
        let standing = standing.map_or_else(|| SpaceOwnership::of(self.home, &path), Ok)?;
        let foreign = match standing {
            SpaceOwnership::Own => {
                let mut space = Space::open(&path, self.home.signer()?)?;
                if purpose.may_derive() {
                    handles::set_owner_names(self.home, &mut space)?;
                }
                return Ok(OpenedSpace { passed, ..OpenedSpace::own(space) });
            }
            SpaceOwnership::Foreign(foreign) => *foreign,
        };
        if let Some(capability) = purpose.capability().filter(|_| !foreign.may_write) {
            let (owner, key) = (foreign.owner.label(), foreign.reader());
            return Err(Failure::NotYourSpace { path, owner, key, capability });
        }
        let space = match purpose {
            SpaceUse::Read | SpaceUse::HandOut => foreign.open(self.home)?,
            _ => Space::open(&path, self.home.signer()?)?,
        };
        Ok(OpenedSpace { space, owner: Some(foreign.owner), passed, owner_names_set_at: None })
    }

    /// Opens the space for writing. The home space is created if it does not exist yet.
    pub(crate) fn open_or_make(
        &self,
        purpose: SpaceUse,
        now: jiff::Timestamp,
    ) -> Result<OpenedSpace, Failure> {
        let located = self.locate()?;
        let is_new = located.path == self.home.global_space() && !located.path.exists();
        if is_new && (purpose.passes_over() || located.passed.is_empty()) {
            make_folder(self.home.folder())?;
            match Space::create(&located.path, self.home.signer()?, GLOBAL, now) {
                // Another process has created it in the meantime.
                Err(EngineError::Store(StoreError::Exists { .. })) => {}
                made => {
                    return Ok(OpenedSpace { passed: located.passed, ..OpenedSpace::own(made?) });
                }
            }
        }
        self.open_located(located, purpose)
    }
}
