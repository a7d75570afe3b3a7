//! Archive files: what is moved out of a space, with every operation in whole form.
//!
//! A row has an operation's id, kind, author, time and text for people, whether it was marked
//! itself or goes with what was, and the operation as a line of the interchange form, from which it
//! is verified and restored. The columns are the same in both formats.
//!
//! A file is written under a temporary name, made durable, and renamed; then the folder is made
//! durable, too. Whoever reads it compares its digest with the one in the ledger before anything in
//! it is parsed, so the parsers meet only what this program wrote.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use engine::maintain::archive::ArchiveRow;
use kernel::id::SpaceId;
use kernel::operation::{Operation, Verified, verify_batch};

use super::defaults::ArchiveFormat;
use crate::failure::{ArchiveError, Failure};

mod jsonl_file;
mod parquet_file;

/// The version of the columns.
const VERSION: u32 = 1;
/// Rows that are written or read together.
const ROWS_AT_ONCE: usize = 10_000;
/// Bytes of rows that are written together.
const BYTES_AT_ONCE: usize = 32 << 20;

/// Longest name of a format that an error repeats, characters.
const FORMAT_CHARS_MAX: usize = 20;

/// What a file says of itself.
struct Description {
    space: SpaceId,
    records: u64,
    operations: u64,
}

impl Description {
    fn pairs(&self) -> [(&'static str, String); 4] {
        [
            ("because.version", VERSION.to_string()),
            ("because.space", self.space.to_string()),
            ("because.records", self.records.to_string()),
            ("because.operations", self.operations.to_string()),
        ]
    }
}

/// Writes rows in one format.
trait RowWriter {
    fn write(&mut self, rows: &[ArchiveRow]) -> std::io::Result<()>;
    /// Ends the file with what it says of itself.
    fn finish(self: Box<Self>, description: &Description) -> std::io::Result<()>;
}

/// A file that was written.
pub(super) struct WrittenArchive {
    pub(super) path: PathBuf,
    pub(super) digest: String,
    pub(super) bytes: u64,
}

/// A file under its temporary name.
pub(super) struct ArchiveFile {
    temporary: tempfile::NamedTempFile,
    rows: Vec<ArchiveRow>,
    bytes: usize,
    writer: Box<dyn RowWriter>,
}

fn not_written(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    |source| Failure::OutputFile { path: path.to_owned(), source }
}

fn row_writer(format: ArchiveFormat, file: File) -> Result<Box<dyn RowWriter>, Failure> {
    match format {
        ArchiveFormat::Jsonl => Ok(Box::new(jsonl_file::Writer::new(file))),
        ArchiveFormat::Parquet => {
            let writer = parquet_file::Writer::new(file);
            Ok(Box::new(writer.map_err(not_written(Path::new("archive")))?))
        }
    }
}

impl ArchiveFile {
    /// Begins a file in a folder, which is made if it does not exist.
    pub(super) fn begin(folder: &Path, format: ArchiveFormat) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(not_written(folder))?;
        let temporary = tempfile::Builder::new()
            .prefix(".because-archive-")
            .tempfile_in(folder)
            .map_err(not_written(folder))?;
        let file = temporary.as_file().try_clone().map_err(not_written(folder))?;
        let writer = row_writer(format, file)?;
        Ok(Self { temporary, rows: Vec::new(), bytes: 0, writer })
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: ArchiveRow) -> std::io::Result<()> {
        self.bytes += row.line.len() + row.text.len();
        self.rows.push(row);
        if self.rows.len() >= ROWS_AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if !self.rows.is_empty() {
            self.writer.write(&self.rows)?;
        }
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }

    /// Makes it durable under its name.
    pub(super) fn finish(
        mut self,
        path: PathBuf,
        space: SpaceId,
        (records, operations): (u64, u64),
    ) -> Result<WrittenArchive, Failure> {
        let failed = not_written(&path);
        self.flush().map_err(&failed)?;
        let description = Description { space, records, operations };
        self.writer.finish(&description).map_err(&failed)?;
        self.temporary.as_file().sync_all().map_err(&failed)?;
        let (digest, bytes) = digest_of(self.temporary.path()).map_err(&failed)?;
        self.temporary.persist_noclobber(&path).map_err(|error| failed(error.error))?;
        sync_folder(&path).map_err(&failed)?;
        drop(failed);
        Ok(WrittenArchive { path, digest, bytes })
    }
}

/// Makes the names in a file's folder durable, where the system can.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        #[cfg(unix)]
        Some(folder) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// The digest of a file as the ledger has it, and its length.
pub(super) fn digest_of(path: &Path) -> std::io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
    Ok((format!("b3:{}", hasher.finalize().to_hex()), bytes))
}

/// Reads the operations of a file whose digest was compared, verified, in batches.
pub(super) fn each_operation(
    path: &Path,
    format: &str,
    space: SpaceId,
    mut take: impl FnMut(Vec<Operation<Verified>>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let malformed = |detail: String| ArchiveError::Malformed { path: path.to_owned(), detail };
    let file =
        File::open(path).map_err(|source| Failure::File { path: path.to_owned(), source })?;
    let mut lines_of = |lines: Vec<Vec<u8>>| -> Result<(), Failure> {
        let mut batch = Vec::with_capacity(lines.len());
        for line in &lines {
            let operation = Operation::from_line(line);
            batch.push(operation.map_err(|error| malformed(error.to_string()))?);
        }
        let mut verified = Vec::with_capacity(batch.len());
        for operation in verify_batch(batch) {
            let operation = operation.map_err(|error| malformed(error.to_string()))?;
            if operation.space() != space {
                return Err(malformed("an operation is of another space".to_owned()).into());
            }
            verified.push(operation);
        }
        take(verified)
    };
    match format {
        "jsonl" => jsonl_file::each_batch(file, &malformed, &mut lines_of),
        "parquet" => parquet_file::each_batch(file, &malformed, &mut lines_of),
        _ => {
            let format = format.chars().take(FORMAT_CHARS_MAX).collect();
            let path = path.to_owned();
            Err(ArchiveError::Unsupported { path, format }.into())
        }
    }
}
