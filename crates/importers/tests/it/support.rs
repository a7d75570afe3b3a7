//! Sources in a temporary directory, and what the importers find in them.

use std::path::{Path, PathBuf};

use importers::{Context, ImportError};

use crate::collect::Collected;

/// A directory of sources that goes away with the test.
pub(crate) struct Sources(tempfile::TempDir);

impl Sources {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        write(self.path(), name, bytes)
    }
}

/// Writes a file below a folder, with the folders between.
pub(crate) fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, content).unwrap();
    path
}

/// Noon of 1 July 2025, in no zone.
pub(crate) fn context() -> Context {
    Context::new("2025-07-01T12:00:00Z".parse().unwrap(), jiff::tz::TimeZone::UTC)
}

pub(crate) fn try_import(format: &str, path: &Path) -> Result<Collected, ImportError> {
    let mut collected = Collected::default();
    let scratch = tempfile::tempdir().unwrap();
    let context = Context { scratch: Some(scratch.path().to_owned()), ..context() };
    importers::by_name(format).unwrap().import(path, &context, &mut collected)?;
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing stays unpacked");
    collected.uids();
    Ok(collected)
}

pub(crate) fn import(format: &str, path: &Path) -> Collected {
    try_import(format, path).unwrap()
}

pub(crate) fn import_error(format: &str, path: &Path) -> ImportError {
    try_import(format, path).expect_err("the import must fail")
}

/// The format that is chosen where none is named.
pub(crate) fn detected(path: &Path) -> Option<&'static str> {
    importers::detect(path).unwrap().map(|importer| importer.name())
}

/// A zip archive of deflated entries.
pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (name, content) in entries {
        let file = archive.new_file(*name).compression_method(rawzip::CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().unwrap();
        let encoder =
            flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
        let mut writer = config.wrap(encoder);
        std::io::Write::write_all(&mut writer, content).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}
