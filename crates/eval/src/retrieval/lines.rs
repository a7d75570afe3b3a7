//! Reads the lines of a labelled collection with a length limit, and reports errors with line
//! numbers.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::EvalError;

/// Longest line, bytes: its record fits in an operation.
pub(super) const LINE_BYTES_MAX: u64 = 512 * 1024;

/// Passes every line that is not blank to `take`, with its number from 1. Errors of `take` are
/// returned with file and line.
pub(super) fn for_each(
    path: &Path,
    mut take: impl FnMut(u64, &str) -> Result<(), String>,
) -> Result<(), EvalError> {
    let file_error = |source| EvalError::File { path: path.to_owned(), source };
    let mut reader = BufReader::new(std::fs::File::open(path).map_err(file_error)?);
    let mut bytes = Vec::new();
    let mut number = 0;
    loop {
        bytes.clear();
        reader
            .by_ref()
            .take(LINE_BYTES_MAX + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(file_error)?;
        if bytes.is_empty() {
            return Ok(());
        }
        number += 1;
        let wrong =
            |reason: String| EvalError::Line { path: path.to_owned(), line: number, reason };
        if bytes.len() as u64 > LINE_BYTES_MAX {
            return Err(wrong(format!(
                "the line is longer than {LINE_BYTES_MAX} bytes; cut the document into passages"
            )));
        }
        let text =
            std::str::from_utf8(&bytes).map_err(|error| wrong(format!("not UTF-8: {error}")))?;
        let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
        if !text.trim().is_empty() {
            take(number, text.trim_end_matches(['\r', '\n'])).map_err(wrong)?;
        }
    }
}
