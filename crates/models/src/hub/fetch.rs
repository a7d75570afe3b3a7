//! Downloading one file, resuming where it stopped.
//!
//! The downloaded part is in a file `….part`, to which the rest is appended if the server supports
//! ranges (RFC 9110, 14). Only a complete file with the right digest loses that extension, so a
//! file without it is never downloaded again.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::HubError;
use crate::http::{Client, HttpError, Stream, header};

/// How often an interrupted download is resumed in one call, as long as each attempt makes
/// progress.
const ATTEMPTS_MAX: usize = 4;
/// Bytes between two progress reports.
const CHUNK_BYTES: usize = 1 << 16;

/// A file of a model on the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HubFile {
    pub(super) path: &'static str,
    /// As announced by the hub, which omits it only for unusual repositories.
    pub(super) bytes: Option<u64>,
    /// As announced by the hub, for large files.
    pub(super) sha256: Option<String>,
}

/// How to request files.
pub(super) struct Fetch<'a> {
    pub(super) client: &'a Client,
    pub(super) headers: &'a [(&'a str, &'a str)],
    /// The address of the files, without the file's path.
    pub(super) address: String,
    pub(super) folder: &'a Path,
}

impl Fetch<'_> {
    /// Downloads a file of at most `bytes_max` and returns its length and its digest. `report`
    /// receives the number of bytes downloaded so far.
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
            // Resuming from a wrong file would give a wrong file again.
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
            match self.resume(file, part, there, bytes_max, report) {
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

    fn resume(
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
        let start = match stream.status {
            200 => 0,
            206 if there > 0 && start(&stream) == Some(there) => there,
            206 | 416 if there > 0 => {
                // The file on the server has changed.
                fs::remove_file(part)
                    .map_err(|source| HubError::File { path: part.to_owned(), source })?;
                return self.resume(file, part, 0, bytes_max, report);
            }
            status => return Err(super::refusal(status, file.path)),
        };
        let bytes_max = file.bytes.unwrap_or(bytes_max).min(bytes_max);
        self.receive(stream, part, start, bytes_max, report)
    }

    fn receive(
        &self,
        mut stream: Stream,
        part: &Path,
        start: u64,
        bytes_max: u64,
        report: &mut impl FnMut(u64),
    ) -> Result<(), HubError> {
        let failed = |source| HubError::File { path: part.to_owned(), source };
        let mut options = fs::File::options();
        let options =
            if start == 0 { options.write(true).truncate(true) } else { options.append(true) };
        let mut output = options.create(true).open(part).map_err(failed)?;
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut there = start;
        loop {
            let count = stream
                .body
                .read(&mut chunk)
                .map_err(|error| self.failed(self.client.read_error(error)))?;
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
        super::request_error(&self.address, error)
    }
}

/// The start of a range: 200 in `Content-Range: bytes 200-999/1000`.
fn start(stream: &Stream) -> Option<u64> {
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
