//! The lines of a text file of any size, one at a time, decoded.
//!
//! A line that is not UTF-8 is decoded by the encoding that the file looks like, or repaired, and
//! counted; one that is too long is read in pieces that end between characters. Bytes of UTF-16,
//! which cannot be read by lines, are decoded as a whole within a limit.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use encoding_rs::Encoding;

use crate::{ImportError, PROBE_BYTES, charset, files};

/// Longest line, in bytes; a longer one is read in pieces.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// Lines of a file, decoded; never more than [`LINE_BYTES_MAX`] at once.
pub(super) struct Lines<'a> {
    path: &'a Path,
    source: Source<'a>,
    /// Bytes of the file that were read; none if they are counted elsewhere.
    pub(super) bytes_read: u64,
    is_counted: bool,
    damaged: u64,
    first_damage: Option<u64>,
    /// What it is read in, if it is not UTF-8.
    encoding: Option<&'static Encoding>,
    number: u64,
}

enum Source<'a> {
    Bytes(Box<dyn BufRead + 'a>),
    /// UTF-16 is decoded as a whole, within [`files::read_bytes`]'s limit.
    Decoded(std::vec::IntoIter<String>),
}

/// Largest file in UTF-16, in bytes.
const UTF16_BYTES_MAX: u64 = 64 * 1024 * 1024;

impl<'a> Lines<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self, ImportError> {
        let io = |source| ImportError::Io { path: path.to_owned(), source };
        let mut reader = BufReader::with_capacity(PROBE_BYTES, File::open(path).map_err(io)?);
        let head = reader.fill_buf().map_err(io)?;
        if let Some(reason) = files::why_binary(head) {
            return Err(ImportError::Format {
                path: path.to_owned(),
                format: super::FORMAT,
                reason: reason.to_owned(),
            });
        }
        if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
            let bytes = files::read_bytes(path, UTF16_BYTES_MAX)?;
            let decoded: Vec<String> =
                files::decode(&bytes).text.lines().map(str::to_owned).collect();
            return Ok(Self::from_source(path, Source::Decoded(decoded.into_iter())));
        }
        let encoding = charset::guess(head);
        let lines = Self::from_source(path, Source::Bytes(Box::new(reader)));
        Ok(Self { encoding, ..lines })
    }

    /// The lines of an entry of an archive, which counts the bytes itself.
    pub(super) fn of_entry(path: &'a Path, reader: impl BufRead + 'a) -> Self {
        let lines = Self::from_source(path, Source::Bytes(Box::new(reader)));
        Self { is_counted: false, ..lines }
    }

    fn from_source(path: &'a Path, source: Source<'a>) -> Self {
        Self {
            path,
            source,
            bytes_read: 0,
            is_counted: true,
            damaged: 0,
            first_damage: None,
            encoding: None,
            number: 0,
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<String>, ImportError> {
        let reader = match &mut self.source {
            Source::Decoded(lines) => return Ok(lines.next()),
            Source::Bytes(reader) => reader,
        };
        let mut line = Vec::new();
        let read = reader
            .take(LINE_BYTES_MAX as u64)
            .read_until(b'\n', &mut line)
            .map_err(|source| ImportError::Io { path: self.path.to_owned(), source })?;
        if read == 0 {
            return Ok(None);
        }
        self.bytes_read += if self.is_counted { read as u64 } else { 0 };
        if read == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
            let mut consumed = 0;
            // The piece must not end within a character; the rest of it is read from the buffer.
            for _ in 0..3 {
                let next = reader.fill_buf().ok().and_then(|buffer| buffer.first().copied());
                match next {
                    Some(byte @ 0x80..=0xbf) => {
                        line.push(byte);
                        reader.consume(1);
                        consumed += 1;
                    }
                    _ => break,
                }
            }
            self.bytes_read += if self.is_counted { consumed } else { 0 };
        }
        self.number += 1;
        let bytes = if self.number == 1 {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line)
        } else {
            &line
        };
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                self.damaged += 1;
                self.first_damage.get_or_insert(self.number);
                self.encoding = self.encoding.or_else(|| charset::guess(bytes));
                match self.encoding {
                    Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
                    None => String::from_utf8_lossy(bytes).into_owned(),
                }
            }
        };
        Ok(Some(text.trim_end_matches(['\n', '\r']).replace('\0', "\u{fffd}")))
    }

    pub(super) fn complaint(&self) -> Option<String> {
        let first = self.first_damage?;
        if let Some(encoding) = self.encoding {
            return Some(files::read_as(encoding));
        }
        Some(format!(
            "{} lines, the first of them line {first}, are not UTF-8 and were repaired: save the file as UTF-8",
            self.damaged
        ))
    }
}
