//! Where files are: the device key, the home space, a project's space.
//!
//! A project's space is `.because/space.db` in the working folder or the nearest folder above it
//! that has one, as git finds a repository. Otherwise it is the home space, in `BECAUSE_HOME` or
//! the platform's data folder. `--space` and `BECAUSE_SPACE` name another: a file, a folder with
//! a `.because` in it, or `global` for the home space.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use kernel::id::{Author, SpaceId};
use kernel::seal::{SEED_BYTES, Signer};
use store::sqlite::FileStamp;

/// The name of a project's folder.
pub(crate) const FOLDER: &str = ".because";
/// The name of the space's file in it.
const FILE: &str = "space.db";
/// The device key's file, in the home.
const KEY: &str = "key";
/// The folder of the keys of agents, in the home.
const AGENTS: &str = "agents";
/// Most keys of agents. Programs name themselves, so there could be any number of them.
const AGENTS_MAX: usize = 64;
/// The folder of the access tokens and their keys, in the home.
const TOKENS: &str = "tokens";
/// The list of trusted spaces, in the home.
const TRUSTED: &str = "trusted";
/// Largest list of trusted spaces that is read.
const TRUSTED_BYTES_MAX: u64 = 1 << 20;
/// The value of `--space` that names the home space.
pub(crate) const GLOBAL: &str = "global";
/// A key file is 64 digits and a line break. A much longer file is not a key file.
const KEY_BYTES_MAX: u64 = 256;

/// Why one of the program's files or folders cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaceError {
    /// The system does not name a data folder.
    #[error("the folder for your data cannot be found: {reason}; set BECAUSE_HOME")]
    NoHome {
        /// The system's reason.
        reason: String,
    },
    /// A file or folder could not be read or written.
    #[error("cannot read or write {}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// Too many programs have made keys.
    #[error("{} holds {AGENTS_MAX} keys of agents already; remove those of programs that you do not use", folder.display())]
    TooManyAgents {
        /// The folder.
        folder: PathBuf,
    },
    /// The device key cannot be parsed.
    #[error("{} does not hold a device key (64 hexadecimal digits); put back a copy, or move it away to make a new key", path.display())]
    Key {
        /// The file.
        path: PathBuf,
    },
}

impl PlaceError {
    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NoHome { .. } => "no_home",
            Self::File { .. } => "file",
            Self::TooManyAgents { .. } => "too_many_agents",
            Self::Key { .. } => "device_key",
        }
    }
}

/// A space of somebody else that the user trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrustedSpace {
    /// The space.
    pub(crate) space: SpaceId,
    /// Its owner's key, for people; empty in a list of an earlier version.
    pub(crate) owner: String,
    /// Where it was when it was trusted, for people; it is trusted wherever it is.
    pub(crate) path: String,
}

impl TrustedSpace {
    /// A line of the list: the id, the owner and the path, between tabs.
    fn line(&self) -> String {
        format!("{}\t{}\t{}\n", self.space, self.owner, self.path)
    }

    /// A line as [`Self::line`] writes it, or of an earlier version, which wrote the id alone.
    fn read(line: &str) -> Option<Self> {
        let mut parts = line.splitn(3, '\t');
        let space = parts.next()?.parse().ok()?;
        let mut next = || parts.next().unwrap_or_default().to_owned();
        Some(Self { space, owner: next(), path: next() })
    }
}

/// The paths of one user on one machine.
#[derive(Clone)]
pub(crate) struct Home {
    folder: PathBuf,
}

impl Home {
    /// `BECAUSE_HOME`, else the platform's data folder.
    pub(crate) fn find() -> Result<Self, PlaceError> {
        if let Some(home) = std::env::var_os("BECAUSE_HOME").filter(|home| !home.is_empty()) {
            return Ok(Self { folder: PathBuf::from(home) });
        }
        let strategy = etcetera::choose_base_strategy()
            .map_err(|error| PlaceError::NoHome { reason: error.to_string() })?;
        Ok(Self { folder: etcetera::BaseStrategy::data_dir(&strategy).join("because") })
    }

    /// A home in the given folder.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The home space.
    pub(crate) fn global_space(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Where the device key is.
    pub(crate) fn key_path(&self) -> PathBuf {
        self.folder.join(KEY)
    }

    /// The device's key. It is created at the first use and readable by its owner only.
    pub(crate) fn signer(&self) -> Result<Signer, PlaceError> {
        self.signer_at(self.key_path())
    }

    /// The folder of the access tokens.
    pub(crate) fn tokens(&self) -> PathBuf {
        self.folder.join(TOKENS)
    }

    /// The key of an access token, which is made if there is none. `id` is a safe name of a file.
    pub(crate) fn token_signer(&self, id: &str) -> Result<Signer, PlaceError> {
        self.signer_at(self.token_key_path(id))
    }

    /// Where the key of an access token is.
    pub(crate) fn token_key_path(&self, id: &str) -> PathBuf {
        self.tokens().join(format!("{id}.key"))
    }

    /// Where the key of an agent is. `agent` is a safe name of a file.
    pub(crate) fn agent_key_path(&self, agent: &str) -> PathBuf {
        self.folder.join(AGENTS).join(format!("{agent}.key"))
    }

    /// The key of an agent. It is created at the first use and readable by its owner only.
    pub(crate) fn agent_signer(&self, agent: &str) -> Result<Signer, PlaceError> {
        let path = self.agent_key_path(agent);
        if !path.exists() && self.count_agents() >= AGENTS_MAX {
            return Err(PlaceError::TooManyAgents { folder: self.folder.join(AGENTS) });
        }
        self.signer_at(path)
    }

    /// Whether the user trusts a space that somebody else made.
    pub(crate) fn trusts(&self, space: &SpaceId) -> Result<bool, PlaceError> {
        Ok(self.trusted()?.iter().any(|trusted| trusted.space == *space))
    }

    /// Adds a space to those that the user trusts, or takes it out. Returns whether it was one of
    /// them; if not, taking it out changes nothing.
    pub(crate) fn set_trusted(
        &self,
        space: &TrustedSpace,
        is_trusted: bool,
    ) -> Result<bool, PlaceError> {
        let path = self.folder.join(TRUSTED);
        let file = |source| PlaceError::File { path: path.clone(), source };
        let mut list = self.trusted()?;
        let before = list.len();
        list.retain(|known| known.space != space.space);
        let was_trusted = list.len() < before;
        if is_trusted {
            list.push(space.clone());
        } else if !was_trusted {
            return Ok(false);
        }
        make_folder(&self.folder)?;
        let text: String = list.iter().map(TrustedSpace::line).collect();
        let mut draft = tempfile::NamedTempFile::new_in(&self.folder).map_err(file)?;
        draft.write_all(text.as_bytes()).map_err(file)?;
        draft.persist(&path).map_err(|error| file(error.error))?;
        Ok(was_trusted)
    }

    /// The state of the list of trusted spaces, by which a server notices that it has changed.
    pub(crate) fn trust_stamp(&self) -> Option<FileStamp> {
        FileStamp::of(&self.folder.join(TRUSTED))
    }

    /// The trusted spaces, in the order in which they were trusted.
    pub(crate) fn trusted(&self) -> Result<Vec<TrustedSpace>, PlaceError> {
        let path = self.folder.join(TRUSTED);
        match fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Ok(metadata) if metadata.is_file() && metadata.len() <= TRUSTED_BYTES_MAX => {
                let text = fs::read_to_string(&path);
                let text = text.map_err(|source| PlaceError::File { path, source })?;
                Ok(text.lines().filter_map(TrustedSpace::read).collect())
            }
            Ok(_) => {
                let source = std::io::Error::other("it is not a list of trusted spaces");
                Err(PlaceError::File { path, source })
            }
            Err(source) => Err(PlaceError::File { path, source }),
        }
    }

    /// The keys of the agents that have one. A file that holds none is passed over.
    pub(crate) fn agent_keys(&self) -> Vec<Author> {
        let Ok(files) = fs::read_dir(self.folder.join(AGENTS)) else { return Vec::new() };
        let paths = files.take(AGENTS_MAX).flatten().map(|file| file.path());
        let keys = paths.filter_map(|path| read_signer(&path).ok().flatten());
        keys.map(|signer| signer.author()).collect()
    }

    fn count_agents(&self) -> usize {
        fs::read_dir(self.folder.join(AGENTS)).map_or(0, |files| files.take(AGENTS_MAX).count())
    }

    fn signer_at(&self, path: PathBuf) -> Result<Signer, PlaceError> {
        let folder = path.parent().unwrap_or(&self.folder).to_owned();
        let file = |source| PlaceError::File { path: path.clone(), source };
        if let Some(signer) = read_signer(&path)? {
            return Ok(signer);
        }
        make_folder(&folder)?;
        let mut seed = [0; SEED_BYTES];
        getrandom::fill(&mut seed)
            .map_err(|error| file(std::io::Error::other(error.to_string())))?;
        let text = format!("{}\n", data_encoding::HEXLOWER.encode(&seed));
        // The file is complete before it gets its name, so a second process never reads half a key.
        let mut draft =
            tempfile::Builder::new().prefix(".key-").tempfile_in(&folder).map_err(file)?;
        draft.write_all(text.as_bytes()).and_then(|()| draft.as_file().sync_all()).map_err(file)?;
        match draft.persist_noclobber(&path) {
            Ok(_) => Ok(Signer::from_seed(seed)),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
                // Another process was first, or the name is a link to a file that is not there, as
                // on a disk that is not connected.
                fs::metadata(&path).map_err(file)?;
                self.signer_at(path)
            }
            Err(error) => Err(file(error.error)),
        }
    }
}

/// The key in a file, if the file exists.
fn read_signer(path: &Path) -> Result<Option<Signer>, PlaceError> {
    let file = |source| PlaceError::File { path: path.to_owned(), source };
    match fs::metadata(path) {
        // A pipe or a device would be read forever.
        Ok(metadata) if metadata.is_file() && metadata.len() <= KEY_BYTES_MAX => {
            let text = fs::read(path).map_err(file)?;
            let signer = std::str::from_utf8(&text).ok().and_then(Signer::from_hex);
            signer.map(Some).ok_or_else(|| PlaceError::Key { path: path.to_owned() })
        }
        Ok(_) => Err(PlaceError::Key { path: path.to_owned() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file(error)),
    }
}

/// Creates a folder that only its owner can read.
pub(crate) fn make_folder(folder: &Path) -> Result<(), PlaceError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|source| PlaceError::File { path: folder.to_owned(), source })
}

/// A folder that is removed when it is dropped.
pub(crate) fn scratch_folder() -> Result<tempfile::TempDir, PlaceError> {
    tempfile::tempdir().map_err(|source| PlaceError::File { path: std::env::temp_dir(), source })
}

/// The space that a path names: a file as it is, a folder by the space in it.
pub(crate) fn named_space(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let direct = path.join(FILE);
    if direct.is_file() { direct } else { path.join(FOLDER).join(FILE) }
}

/// The projects' spaces that a folder lies in: its own, then those of the folders above it.
pub(crate) fn enclosing_spaces(folder: &Path) -> impl Iterator<Item = PathBuf> {
    folder.ancestors().map(project_space).filter(|path| path.is_file())
}

/// The folder whose project a space is, if it is in such a folder.
pub(crate) fn project_folder(space: &Path) -> Option<&Path> {
    let folder = space.parent().filter(|folder| folder.file_name().is_some_and(|it| it == FOLDER));
    folder.and_then(Path::parent)
}

/// Where `because init` puts a project's space.
pub(crate) fn project_space(folder: &Path) -> PathBuf {
    folder.join(FOLDER).join(FILE)
}
