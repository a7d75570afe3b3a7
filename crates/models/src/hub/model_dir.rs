//! The folder of downloaded models, with one folder per model.
//!
//! A model is either complete or absent: it is downloaded to a folder whose name starts with a dot,
//! which is renamed when it is complete. A folder `owner--name` that the user put there counts too.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{HubError, HubName};

/// The manifest in a model's folder.
const MANIFEST: &str = "because-model.json";
/// Longest manifest.
const MANIFEST_BYTES_MAX: u64 = 1 << 20;
/// Prefix of a folder into which a model is being downloaded.
const FETCHING: &str = ".fetching-";
/// Prefix of a folder whose model was replaced.
const REPLACED: &str = ".replaced-";

/// The folder of downloaded models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelDir {
    folder: PathBuf,
}

/// A model in the [`ModelDir`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredModel {
    /// Its name.
    pub name: HubName,
    /// The commit of the hub's repository; `None` if it was not downloaded by this program.
    pub revision: Option<String>,
    /// Total size of its files.
    pub bytes: u64,
    /// Its folder.
    pub folder: PathBuf,
}

/// The manifest of a downloaded model.
#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) name: String,
    pub(super) revision: String,
    pub(super) files: Vec<ManifestFile>,
}

/// A downloaded file.
#[derive(Serialize, Deserialize)]
pub(super) struct ManifestFile {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl ModelDir {
    /// The model directory at a path, which need not exist.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder of a model, whether or not it exists.
    pub fn place(&self, name: &HubName) -> PathBuf {
        self.folder.join(name.folder())
    }

    /// A model, if it is downloaded.
    pub fn find(&self, name: &HubName) -> Option<StoredModel> {
        let folder = self.place(name);
        folder.is_dir().then(|| {
            let revision = manifest(&folder)
                .filter(|manifest| manifest.name == name.to_string())
                .map(|manifest| manifest.revision);
            StoredModel { name: name.clone(), revision, bytes: bytes_of(&folder), folder }
        })
    }

    /// All models, by name.
    pub fn list(&self) -> Result<Vec<StoredModel>, HubError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(HubError::File { path: self.folder.clone(), source }),
        };
        let names =
            entries.flatten().filter_map(|entry| HubName::of_folder(entry.file_name().to_str()?));
        let mut model: Vec<StoredModel> = names.filter_map(|name| self.find(&name)).collect();
        model.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(model)
    }

    /// Removes a model, including partial downloads.
    pub fn remove(&self, name: &HubName) -> Result<StoredModel, HubError> {
        let model = self.find(name).ok_or_else(|| HubError::NotHere { name: name.to_string() })?;
        self.clear_away(name)?;
        remove_folder(&model.folder)?;
        Ok(model)
    }

    /// The folder into which a model is downloaded; created if it is missing.
    pub(super) fn fetching(&self, name: &HubName, revision: &str) -> Result<PathBuf, HubError> {
        let folder = self.folder.join(format!("{FETCHING}{}{revision}", fetching_name(name)));
        make_folder(&folder)?;
        Ok(folder)
    }

    /// Takes the lock that is held during the download of a model.
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

    /// Renames a complete folder to the model's name.
    pub(super) fn put(
        &self,
        name: &HubName,
        fetched: &Path,
        manifest: &Manifest,
    ) -> Result<StoredModel, HubError> {
        let path = fetched.join(MANIFEST);
        let text = serde_json::to_vec_pretty(manifest).unwrap_or_default();
        fs::write(&path, text).map_err(|source| HubError::File { path, source })?;
        let place = self.place(name);
        let failed = |source| HubError::File { path: place.clone(), source };
        // A rename cannot replace a folder that is not empty.
        if place.exists() {
            let replaced = self.folder.join(format!("{REPLACED}{}", name.folder()));
            remove_folder(&replaced)?;
            fs::rename(&place, replaced).map_err(failed)?;
        }
        fs::rename(fetched, &place).map_err(failed)?;
        self.clear_away(name)?;
        self.find(name).ok_or_else(|| HubError::NotHere { name: name.to_string() })
    }

    /// Removes partial downloads and replaced versions of a model.
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

/// A name cannot contain `@`, so no name is a prefix of another's.
fn fetching_name(name: &HubName) -> String {
    format!("{}@", name.folder())
}

fn manifest(folder: &Path) -> Option<Manifest> {
    let mut text = Vec::new();
    fs::File::open(folder.join(MANIFEST))
        .ok()?
        .take(MANIFEST_BYTES_MAX)
        .read_to_end(&mut text)
        .ok()?;
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
    fn the_list_holds_complete_models_until_they_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let model_dir = ModelDir::at(folder.path().join("models"));
        assert_eq!(model_dir.list().unwrap(), []);
        let (one, other) = (HubName::parse("a/b").unwrap(), HubName::parse("a/bc").unwrap());
        for name in [&one, &other] {
            let fetching = model_dir.fetching(name, "0123").unwrap();
            fs::write(fetching.join("config.json"), "{}").unwrap();
        }
        assert_eq!(model_dir.list().unwrap(), []);
        let manifest =
            Manifest { name: one.to_string(), revision: "0123".to_owned(), files: Vec::new() };
        let model =
            model_dir.put(&one, &model_dir.fetching(&one, "0123").unwrap(), &manifest).unwrap();
        assert_eq!((model.revision.as_deref(), model.bytes), (Some("0123"), 2));
        assert_eq!(model_dir.list().unwrap(), [model]);
        model_dir.remove(&one).unwrap();
        assert!(matches!(model_dir.remove(&one), Err(HubError::NotHere { .. })));
        assert!(
            model_dir.fetching(&other, "0123").unwrap().join("config.json").exists(),
            "of another model"
        );
    }

    #[test]
    fn only_one_process_downloads_a_model_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let model_dir = ModelDir::at(folder.path().to_owned());
        let name = HubName::parse("a/b").unwrap();
        let held = model_dir.lock(&name).unwrap();
        assert!(matches!(model_dir.lock(&name), Err(HubError::Busy { .. })));
        drop(held);
        assert!(model_dir.lock(&name).is_ok());
    }
}
