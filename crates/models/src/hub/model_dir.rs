//! The folder in which fetched models are kept, one folder a model.
//!
//! A model is on the model_dir as a whole or not at all: it is fetched under another name,
//! beginning with a dot, and gets its own when it is complete. A folder that somebody else put
//! there counts as well, if it is named `owner--name`.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{HubError, HubName};

/// What a model's folder says of itself.
const LABEL: &str = "because-model.json";
/// Longest label.
const LABEL_BYTES_MAX: u64 = 1 << 20;
/// Begins the name of a folder in which a model is being fetched.
const FETCHING: &str = ".fetching-";
/// Begins the name of a folder whose model was replaced.
const REPLACED: &str = ".replaced-";

/// Where fetched models are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelDir {
    folder: PathBuf,
}

/// A model on the model_dir.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelved {
    /// Its name.
    pub name: HubName,
    /// The commit of the hub's repository; none if it was not fetched by us.
    pub revision: Option<String>,
    /// Its files together.
    pub bytes: u64,
    /// Where they are.
    pub folder: PathBuf,
}

/// What was fetched.
#[derive(Serialize, Deserialize)]
pub(super) struct Label {
    pub(super) name: String,
    pub(super) revision: String,
    pub(super) files: Vec<LabelFile>,
}

/// A file that was fetched.
#[derive(Serialize, Deserialize)]
pub(super) struct LabelFile {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl ModelDir {
    /// A model_dir in a folder, which need not exist.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder of a model, whether or not it is there.
    pub fn place(&self, name: &HubName) -> PathBuf {
        self.folder.join(name.folder())
    }

    /// A model, if it is there.
    pub fn find(&self, name: &HubName) -> Option<Shelved> {
        let folder = self.place(name);
        folder.is_dir().then(|| {
            let revision = label(&folder)
                .filter(|label| label.name == name.to_string())
                .map(|label| label.revision);
            Shelved { name: name.clone(), revision, bytes: bytes_of(&folder), folder }
        })
    }

    /// All models, by name.
    pub fn list(&self) -> Result<Vec<Shelved>, HubError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(HubError::File { path: self.folder.clone(), source }),
        };
        let names =
            entries.flatten().filter_map(|entry| HubName::of_folder(entry.file_name().to_str()?));
        let mut shelved: Vec<Shelved> = names.filter_map(|name| self.find(&name)).collect();
        shelved.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(shelved)
    }

    /// Takes a model off the model_dir, with what was fetched of it in part.
    pub fn remove(&self, name: &HubName) -> Result<Shelved, HubError> {
        let shelved =
            self.find(name).ok_or_else(|| HubError::NotHere { name: name.to_string() })?;
        self.clear_away(name)?;
        remove_folder(&shelved.folder)?;
        Ok(shelved)
    }

    /// Where a model is fetched to; made if it is not there.
    pub(super) fn fetching(&self, name: &HubName, revision: &str) -> Result<PathBuf, HubError> {
        let folder = self.folder.join(format!("{FETCHING}{}{revision}", fetching_name(name)));
        make_folder(&folder)?;
        Ok(folder)
    }

    /// A file that is locked as long as a model is being fetched.
    pub(super) fn lock(&self, name: &HubName) -> Result<fs::File, HubError> {
        make_folder(&self.folder)?;
        let path = self.folder.join(format!(".lock-{}", name.folder()));
        let failed = |source| HubError::File { path: path.clone(), source };
        let file = fs::File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(HubError::Busy { name: name.to_string() }),
            Err(fs::TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    /// Gives a complete folder its name.
    pub(super) fn put(
        &self,
        name: &HubName,
        fetched: &Path,
        label: &Label,
    ) -> Result<Shelved, HubError> {
        let path = fetched.join(LABEL);
        let text = serde_json::to_vec_pretty(label).unwrap_or_default();
        fs::write(&path, text).map_err(|source| HubError::File { path, source })?;
        let place = self.place(name);
        let failed = |source| HubError::File { path: place.clone(), source };
        // A folder cannot take the place of one that holds something.
        if place.exists() {
            let replaced = self.folder.join(format!("{REPLACED}{}", name.folder()));
            remove_folder(&replaced)?;
            fs::rename(&place, replaced).map_err(failed)?;
        }
        fs::rename(fetched, &place).map_err(failed)?;
        self.clear_away(name)?;
        self.find(name).ok_or_else(|| HubError::NotHere { name: name.to_string() })
    }

    /// Removes what was fetched of a model in part, and what was replaced.
    fn clear_away(&self, name: &HubName) -> Result<(), HubError> {
        remove_folder(&self.folder.join(format!("{REPLACED}{}", name.folder())))?;
        let beginning = format!("{FETCHING}{}", fetching_name(name));
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in
            entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&beginning))
        {
            remove_folder(&entry.path())?;
        }
        Ok(())
    }
}

/// `@` is in no name, so that no name is the beginning of another's.
fn fetching_name(name: &HubName) -> String {
    format!("{}@", name.folder())
}

fn label(folder: &Path) -> Option<Label> {
    let mut text = Vec::new();
    fs::File::open(folder.join(LABEL)).ok()?.take(LABEL_BYTES_MAX).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn bytes_of(folder: &Path) -> u64 {
    let sizes = super::FILES.iter().filter_map(|file| folder.join(file).metadata().ok());
    sizes.map(|metadata| metadata.len()).fold(0, u64::saturating_add)
}

pub(super) fn make_folder(folder: &Path) -> Result<(), HubError> {
    fs::create_dir_all(folder).map_err(|source| HubError::File { path: folder.to_owned(), source })
}

fn remove_folder(folder: &Path) -> Result<(), HubError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(HubError::File { path: folder.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shelf_shows_what_is_complete_and_forgets_what_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let model_dir = ModelDir::at(folder.path().join("models"));
        assert_eq!(model_dir.list().unwrap(), []);
        let (one, other) = (HubName::parse("a/b").unwrap(), HubName::parse("a/bc").unwrap());
        for name in [&one, &other] {
            let fetching = model_dir.fetching(name, "0123").unwrap();
            fs::write(fetching.join("config.json"), "{}").unwrap();
        }
        assert_eq!(model_dir.list().unwrap(), []);
        let label = Label { name: one.to_string(), revision: "0123".to_owned(), files: Vec::new() };
        let shelved =
            model_dir.put(&one, &model_dir.fetching(&one, "0123").unwrap(), &label).unwrap();
        assert_eq!((shelved.revision.as_deref(), shelved.bytes), (Some("0123"), 2));
        assert_eq!(model_dir.list().unwrap(), [shelved]);
        model_dir.remove(&one).unwrap();
        assert!(matches!(model_dir.remove(&one), Err(HubError::NotHere { .. })));
        assert!(
            model_dir.fetching(&other, "0123").unwrap().join("config.json").exists(),
            "of another model"
        );
    }

    #[test]
    fn a_model_is_fetched_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let model_dir = ModelDir::at(folder.path().to_owned());
        let name = HubName::parse("a/b").unwrap();
        let held = model_dir.lock(&name).unwrap();
        assert!(matches!(model_dir.lock(&name), Err(HubError::Busy { .. })));
        drop(held);
        assert!(model_dir.lock(&name).is_ok());
    }
}
