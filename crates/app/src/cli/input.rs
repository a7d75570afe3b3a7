//! Reading a file, or the standard input, as text.

use std::io::Read;
use std::path::Path;

use crate::failure::{Failure, RequestError};
use crate::output;

/// Reads `path`, or the standard input for `-`, up to a number of bytes; invalid UTF-8 is replaced.
pub(super) fn text(path: &Path, bytes_max: u64) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&bytes(path, bytes_max)?).into_owned())
}

/// The same of what is signed: invalid UTF-8 is refused.
pub(super) fn utf8(path: &Path, bytes_max: u64) -> Result<String, Failure> {
    let input = || output::path(path);
    String::from_utf8(bytes(path, bytes_max)?)
        .map_err(|_| RequestError::InputNotUtf8 { input: input() }.into())
}

fn bytes(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(bytes_max + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(bytes_max + 1).read_to_end(&mut bytes))
    };
    read.map_err(|source| Failure::File { path: path.to_owned(), source })?;
    if bytes.len() as u64 > bytes_max {
        let (input, mib) = (output::path(path), bytes_max >> 20);
        return Err(RequestError::InputTooLarge { input, mib }.into());
    }
    Ok(bytes)
}
