//! One file, from where it was left.
//!
//! What has come is in a file `….part`, to which the rest is appended when the server can begin in
//! the middle (RFC 9110, 14). Only what is complete and has the right digest loses the ending, so a
//! file without it need not be fetched again.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::HubError;
use crate::http::{Client, HttpError, Stream, header};

/// How often a broken download is taken up again in one go, as long as something came.
const ATTEMPTS_MAX: usize = 4;
/// Bytes between two reports.
const CHUNK_BYTES: usize = 1 << 16;

/// A file of a model on the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HubFile {
    pub(super) path: &'static str,
    /// As the hub says it; it does for all but strange repositories.
    pub(super) bytes: Option<u64>,
    /// As the hub says it, of large files.
    pub(super) sha256: Option<String>,
}

/// How to ask for files.
pub(super) struct Fetch<'a> {
    pub(super) client: &'a Client,
    pub(super) headers: &'a [(&'a str, &'a str)],
    /// Where the files are, without the file's path.
    pub(super) address: String,
    pub(super) folder: &'a Path,
}

impl Fetch<'_> {
    /// Fetches a file of at most `bytes_max` and returns its length and its digest. `report` is
    /// told how much of it is there.
    pub(super) fn fetch(
        &self,
        file: &HubFile,
        bytes_max: u64,
        mut report: impl FnMut(u64),
    ) -> Result<(u64, String), HubError> {
        let target = self.folder.join(file.path);
        if let Some(parent) = target.parent() {
            super::model_dir::make_folder(parent)?;
        }
        let part = part_of(&target);
        if !target.is_file() {
            self.complete(file, &part, bytes_max, &mut report)?;
        }
        let there = if target.is_file() { &target } else { &part };
        let (bytes, sha256) = digest(there)?;
        let is_right = file.bytes.is_none_or(|expected| expected == bytes)
            && file.sha256.as_ref().is_none_or(|expected| expected.eq_ignore_ascii_case(&sha256));
        if !is_right {
            // Whatever it is, to go on from it would lead to the same again.
            fs::remove_file(there)
                .map_err(|source| HubError::File { path: there.clone(), source })?;
            return Err(HubError::WrongContent { file: file.path });
        }
        if *there == part {
            fs::rename(&part, &target)
                .map_err(|source| HubError::File { path: target.clone(), source })?;
        }
        report(bytes);
        Ok((bytes, sha256))
    }

    fn complete(
        &self,
        file: &HubFile,
        part: &Path,
        bytes_max: u64,
        report: &mut impl FnMut(u64),
    ) -> Result<(), HubError> {
        let mut there = length(part);
        for attempt in 1.. {
            if file.bytes.is_some_and(|bytes| there == bytes) && there > 0 {
                return Ok(());
            }
            match self.go_on(file, part, there, bytes_max, report) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    let before = std::mem::replace(&mut there, length(part));
                    let is_worth_it =
                        matches!(error, HubError::Unreachable { .. }) && there > before;
                    if !is_worth_it || attempt == ATTEMPTS_MAX {
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }

    fn go_on(
        &self,
        file: &HubFile,
        part: &Path,
        there: u64,
        bytes_max: u64,
        report: &mut impl FnMut(u64),
    ) -> Result<(), HubError> {
        let address = format!("{}/{}", self.address, file.path);
        let range = format!("bytes={there}-");
        let mut headers = self.headers.to_vec();
        if there > 0 {
            headers.push(("range", &range));
        }
        let stream = self.client.stream(&address, &headers).map_err(|error| self.failed(error))?;
        let begins_at = match stream.status {
            200 => 0,
            206 if there > 0 && begins_at(&stream) == Some(there) => there,
            206 | 416 if there > 0 => {
                // It is another file than the one that was begun.
                fs::remove_file(part)
                    .map_err(|source| HubError::File { path: part.to_owned(), source })?;
                return self.go_on(file, part, 0, bytes_max, report);
            }
            status => return Err(super::refusal(status, file.path)),
        };
        let bytes_max = file.bytes.unwrap_or(bytes_max).min(bytes_max);
        self.receive(stream, part, begins_at, bytes_max, report)
    }

    fn receive(
        &self,
        mut stream: Stream,
        part: &Path,
        begins_at: u64,
        bytes_max: u64,
        report: &mut impl FnMut(u64),
    ) -> Result<(), HubError> {
        let failed = |source| HubError::File { path: part.to_owned(), source };
        let mut options = fs::File::options();
        let options =
            if begins_at == 0 { options.write(true).truncate(true) } else { options.append(true) };
        let mut output = options.create(true).open(part).map_err(failed)?;
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut there = begins_at;
        loop {
            let count = stream
                .body
                .read(&mut chunk)
                .map_err(|error| self.failed(self.client.reading_trouble(error)))?;
            let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
            there = there.saturating_add(bytes.len() as u64);
            if there > bytes_max {
                return Err(HubError::TooLong { bytes_max });
            }
            output.write_all(bytes).map_err(failed)?;
            report(there);
        }
        output.sync_all().map_err(failed)
    }

    fn failed(&self, error: HttpError) -> HubError {
        super::no_answer(&self.address, error)
    }
}

/// `Content-Range: bytes 200-999/1000`.
fn begins_at(stream: &Stream) -> Option<u64> {
    let range = header(&stream.headers, "content-range")?.trim().strip_prefix("bytes ")?;
    range.split_once('-')?.0.trim().parse().ok()
}

fn part_of(target: &Path) -> PathBuf {
    let mut part = target.as_os_str().to_owned();
    part.push(".part");
    PathBuf::from(part)
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

fn digest(path: &Path) -> Result<(u64, String), HubError> {
    let failed = |source| HubError::File { path: path.to_owned(), source };
    let mut file = fs::File::open(path).map_err(failed)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut length = 0_u64;
    loop {
        let count = file.read(&mut chunk).map_err(failed)?;
        let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
        hasher.update(bytes);
        length = length.saturating_add(bytes.len() as u64);
    }
    Ok((length, data_encoding::HEXLOWER.encode(&hasher.finalize())))
}
