//! Reading a source without trusting it: one place where files are opened and lines are cut.
//!
//! An [`Input`] is a stream of bytes. It has the name that problems use (`file`, or `file#entry`
//! within an archive), gives its first bytes before anything is consumed ([`Input::head`]), and
//! counts the bytes read from the disk. For an archive these are the compressed bytes, so that the
//! progress bar ends at the file's size.
//!
//! Opening refuses what no text importer can read: directories, empty files, UTF-16. A leading
//! UTF-8 byte order mark is dropped. [`for_each_line`] bounds the length of a line and reports each
//! line that it cannot read; [`crate::json_stream`] does the same for the elements of a JSON array.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::{ImportError, PROBE_BYTES, Problem, Sink};

/// Longest line, in bytes. Lines of agent transcripts may hold a whole image.
pub(crate) const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How much is read from the disk at once.
const BUFFER_BYTES: usize = 256 * 1024;

const BOM_UTF8: &[u8] = b"\xef\xbb\xbf";
const BOM_UTF16_LITTLE: &[u8] = b"\xff\xfe";
const BOM_UTF16_BIG: &[u8] = b"\xfe\xff";

/// Counts the bytes that were read below any decompression; shared between the reader and its
/// [`Input`].
#[derive(Clone, Default)]
pub(crate) struct ReadCount(Rc<Cell<u64>>);

impl ReadCount {
    fn add(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_add(bytes as u64));
    }

    /// Reports to `sink` how many bytes were read since the last call.
    pub(crate) fn report(&self, sink: &mut dyn Sink) {
        match self.0.take() {
            0 => {}
            bytes => sink.progress(bytes),
        }
    }
}

/// A reader that counts what passes through it.
pub(crate) struct Counted<R> {
    inner: R,
    count: ReadCount,
}

impl<R> Counted<R> {
    pub(crate) fn new(inner: R, count: ReadCount) -> Self {
        Self { inner, count }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        self.count.add(bytes);
        Ok(bytes)
    }
}

/// A source of bytes, opened.
pub(crate) struct Input<'a> {
    reader: BufReader<Box<dyn Read + 'a>>,
    head: Vec<u8>,
    file: PathBuf,
    count: ReadCount,
}

/// Why reading stopped for good: carried in an [`io::Error`] through readers that return no other
/// error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct LimitExceeded(pub(crate) String);

impl Input<'static> {
    /// Opens a file for the importer named `format`.
    pub(crate) fn open(path: &Path, format: &'static str) -> Result<Self, ImportError> {
        let io = |source| ImportError::Io { path: path.to_owned(), source };
        if path.metadata().map_err(io)?.is_dir() {
            return Err(format_error(path, format, "it is a directory; name a file"));
        }
        let count = ReadCount::default();
        let file = Counted::new(File::open(path).map_err(io)?, count.clone());
        Input::from_reader(Box::new(file), path.to_owned(), count, format)
    }
}

impl<'a> Input<'a> {
    /// Wraps a reader whose bytes `count` counts; problems name it `file`.
    pub(crate) fn from_reader(
        mut reader: Box<dyn Read + 'a>,
        file: PathBuf,
        count: ReadCount,
        format: &'static str,
    ) -> Result<Self, ImportError> {
        let mut head = Vec::new();
        if let Err(error) = reader.by_ref().take(PROBE_BYTES as u64).read_to_end(&mut head) {
            return Err(read_error(&file, format, error));
        }
        if head.starts_with(BOM_UTF16_LITTLE) || head.starts_with(BOM_UTF16_BIG) {
            return Err(format_error(&file, format, "it is UTF-16; save it as UTF-8"));
        }
        if head.starts_with(BOM_UTF8) {
            head.drain(..BOM_UTF8.len());
        }
        if head.iter().all(u8::is_ascii_whitespace) && head.len() < PROBE_BYTES - BOM_UTF8.len() {
            return Err(format_error(&file, format, "the file is empty"));
        }
        let whole: Box<dyn Read + 'a> = Box::new(Cursor::new(head.clone()).chain(reader));
        Ok(Self { reader: BufReader::with_capacity(BUFFER_BYTES, whole), head, file, count })
    }

    /// The first bytes, at most [`PROBE_BYTES`], however much has been read since.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The name of this input in problems.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The next bytes, or none at the end.
    pub(crate) fn fill(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    /// Consumes the first `bytes` of what [`Input::fill`] returned.
    pub(crate) fn consume(&mut self, bytes: usize) {
        self.reader.consume(bytes);
    }

    /// The bytes as a reader, for whoever cuts lines of its own.
    pub(crate) fn into_reader(self) -> impl BufRead + 'a {
        self.reader
    }

    pub(crate) fn report_progress(&self, sink: &mut dyn Sink) {
        self.count.report(sink);
    }

    pub(crate) fn problem(&self, line: Option<u64>, message: impl Into<String>) -> Problem {
        Problem { file: self.file.clone(), line, message: message.into() }
    }

    /// What a failed read means after `done` was read: damage ends this input with a problem, while
    /// a broken limit or a failing disk ends the import.
    pub(crate) fn read_failed(
        &self,
        error: io::Error,
        line: u64,
        format: &'static str,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<()>, ImportError> {
        let damaged =
            matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof);
        if damaged && !is_limit(&error) {
            let message = format!("damaged from here on ({error}); what came before was read");
            return Ok(sink.problem(self.problem(Some(line), message)));
        }
        Err(read_error(&self.file, format, error))
    }
}

/// The error of a source that is not of the format.
pub(crate) fn format_error(
    path: &Path,
    format: &'static str,
    reason: impl Into<String>,
) -> ImportError {
    ImportError::Format { path: path.to_owned(), format, reason: reason.into() }
}

/// Whether a read failed because a limit was exceeded.
pub(crate) fn is_limit(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<LimitExceeded>())
}

fn read_error(path: &Path, format: &'static str, error: io::Error) -> ImportError {
    if is_limit(&error) {
        return ImportError::TooLarge { path: path.to_owned(), reason: error.to_string() };
    }
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            format_error(path, format, format!("it is damaged: {error}"))
        }
        _ => ImportError::Io { path: path.to_owned(), source: error },
    }
}

/// The first bytes of a file, for recognising it.
pub(crate) fn read_head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(PROBE_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// `head` without a byte order mark.
pub(crate) fn without_bom(head: &[u8]) -> &[u8] {
    head.strip_prefix(BOM_UTF8).unwrap_or(head)
}

/// The file's name without folder and last extension. It identifies the file in a `source_uid`,
/// since it stays the same when the file moves. For an entry of an archive, the entry's name.
pub(crate) fn file_stem(file: &Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if stem.is_empty() { "source".to_owned() } else { stem }
}

/// Passes every line that is not blank to `each`, with its number from 1 and without its line end.
/// Lines that are too long or not UTF-8 are reported and left out.
pub(crate) fn for_each_line(
    mut input: Input<'_>,
    format: &'static str,
    sink: &mut dyn Sink,
    mut each: impl FnMut(&str, u64, &mut dyn Sink) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ImportError> {
    let mut line = Vec::new();
    let mut number = 0_u64;
    loop {
        number += 1;
        let state = match read_line(&mut input, &mut line) {
            Ok(state) => state,
            Err(error) => return input.read_failed(error, number, format, sink),
        };
        input.report_progress(sink);
        let flow = match state {
            LineState::End => return Ok(ControlFlow::Continue(())),
            LineState::TooLong => {
                let message =
                    format!("the line is longer than {LINE_BYTES_MAX} bytes and was left out");
                sink.problem(input.problem(Some(number), message))
            }
            LineState::Read => match std::str::from_utf8(&line) {
                Ok(text) if text.trim().is_empty() => ControlFlow::Continue(()),
                Ok(text) => each(text.trim_end_matches(['\r', '\n']), number, sink),
                Err(error) => {
                    let at = error.valid_up_to().saturating_add(1);
                    let message = format!("not UTF-8 at byte {at} of the line, which was left out");
                    sink.problem(input.problem(Some(number), message))
                }
            },
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
}

enum LineState {
    Read,
    TooLong,
    End,
}

fn read_line(input: &mut Input<'_>, line: &mut Vec<u8>) -> io::Result<LineState> {
    line.clear();
    let mut too_long = false;
    let mut any = false;
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Ok(match (any, too_long) {
                (false, _) => LineState::End,
                (true, true) => LineState::TooLong,
                (true, false) => LineState::Read,
            });
        }
        any = true;
        let end = memchr::memchr(b'\n', bytes);
        let (part, taken) = match end {
            Some(end) => (bytes.get(..end).unwrap_or_default(), end + 1),
            None => (bytes, bytes.len()),
        };
        too_long |= line.len() + part.len() > LINE_BYTES_MAX;
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(if too_long { LineState::TooLong } else { LineState::Read });
        }
    }
}
