//! A model's folder: files are read with limits, and every error names the folder.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use serde::de::DeserializeOwned;

use crate::EmbedError;

/// Largest settings or vocabulary file, bytes.
const TEXT_BYTES_MAX: u64 = 64 << 20;
/// Largest weights file, bytes: four times the largest BERT.
const WEIGHTS_BYTES_MAX: u64 = 4 << 30;

/// The folder of a model.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
}

impl Folder {
    /// The error for this folder; `detail` says what to do about it.
    pub(super) fn unusable(&self, detail: impl Into<String>) -> EmbedError {
        EmbedError::Unusable { place: self.path.display().to_string(), detail: detail.into() }
    }

    /// The folder's name, which is the model's name.
    pub(super) fn name(&self) -> String {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "model".to_owned())
    }

    pub(super) fn has(&self, file: &str) -> bool {
        self.path.join(file).is_file()
    }

    /// A weights file; `None` if it does not exist.
    pub(super) fn weights(&self, file: &str) -> Result<Option<Vec<u8>>, EmbedError> {
        self.read(file, WEIGHTS_BYTES_MAX)
    }

    /// A text file; `None` if it does not exist.
    pub(super) fn text(&self, file: &str) -> Result<Option<String>, EmbedError> {
        let Some(bytes) = self.read(file, TEXT_BYTES_MAX)? else { return Ok(None) };
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| self.unusable(format!("{file} is not UTF-8; download it again")))
    }

    /// A JSON file; `None` if it does not exist.
    pub(super) fn json<T: DeserializeOwned>(&self, file: &str) -> Result<Option<T>, EmbedError> {
        let Some(text) = self.text(file)? else { return Ok(None) };
        let value = serde_json::from_str(&text);
        value.map(Some).map_err(|error| {
            self.unusable(format!("{file} cannot be read ({error}); download it again"))
        })
    }

    fn read(&self, file: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, EmbedError> {
        let path = self.path.join(file);
        let cannot =
            |error: std::io::Error| self.unusable(format!("{file} cannot be read: {error}"));
        // Checked before opening, because opening a pipe blocks.
        let length = match std::fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                return Err(self.unusable(format!("{file} is not a file")));
            }
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(cannot(error)),
        };
        if length > bytes_max {
            return Err(self.unusable(format!(
                "{file} has {length} bytes, more than the limit of {bytes_max}"
            )));
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(|_| {
            self.unusable(format!(
                "{file} has {length} bytes, which does not fit in memory; use a smaller model"
            ))
        })?;
        File::open(&path).map_err(cannot)?.take(length).read_to_end(&mut bytes).map_err(cannot)?;
        Ok(Some(bytes))
    }
}
