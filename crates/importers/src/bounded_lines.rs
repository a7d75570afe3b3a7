//! Lines of a stream, of which no single one may fill the memory.
//!
//! `BufRead::read_line` grows its buffer until it meets a line feed, which a hostile or binary file need never
//! contain. [`BoundedLines`] keeps at most a stated number of bytes of each line, reads past the rest, and says
//! that it did. A line may also end with another byte than the line feed.

use std::io::{self, BufRead};

/// Reads lines of bytes, each kept up to a limit.
pub(crate) struct BoundedLines<R> {
    reader: R,
    line_bytes_max: usize,
    separator: u8,
    number: u64,
}

/// What is known of the line just read, apart from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineRead {
    /// The line's number, counted from 1.
    pub(crate) number: u64,
    /// How many bytes of the stream it took, with its terminator and with what was left out.
    pub(crate) stream_bytes: u64,
    /// True when the line was longer than the limit.
    pub(crate) cut: bool,
    /// False for a last line without a line feed.
    pub(crate) terminated: bool,
}

impl<R: BufRead> BoundedLines<R> {
    pub(crate) fn new(reader: R, line_bytes_max: usize) -> Self {
        Self::separated_by(b'\n', reader, line_bytes_max)
    }

    /// Reads pieces that end with another byte than the line feed.
    pub(crate) fn separated_by(separator: u8, reader: R, line_bytes_max: usize) -> Self {
        Self { reader, line_bytes_max, separator, number: 0 }
    }

    /// Replaces `line` by the next line without its terminator (LF or CRLF); `None` at the end of the stream.
    pub(crate) fn read(&mut self, line: &mut Vec<u8>) -> io::Result<Option<LineRead>> {
        line.clear();
        let mut read = LineRead { number: 0, stream_bytes: 0, cut: false, terminated: false };
        while !read.terminated {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if buffer.is_empty() {
                break;
            }
            let feed = memchr::memchr(self.separator, buffer);
            read.terminated = feed.is_some();
            let content = feed.and_then(|end| buffer.get(..end)).unwrap_or(buffer);
            let room = self.line_bytes_max.saturating_sub(line.len());
            line.extend_from_slice(content.get(..room).unwrap_or(content));
            read.cut |= content.len() > room;
            let taken = content.len() + usize::from(read.terminated);
            self.reader.consume(taken);
            read.stream_bytes += taken as u64;
        }
        if read.stream_bytes == 0 {
            return Ok(None);
        }
        if self.separator == b'\n' && line.last() == Some(&b'\r') && !read.cut {
            line.pop();
        }
        self.number += 1;
        read.number = self.number;
        Ok(Some(read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], line_bytes_max: usize) -> Vec<(Vec<u8>, bool)> {
        let mut lines = BoundedLines::new(io::BufReader::with_capacity(3, text), line_bytes_max);
        let (mut all, mut line) = (Vec::new(), Vec::new());
        while let Some(read) = lines.read(&mut line).unwrap() {
            all.push((line.clone(), read.cut));
        }
        all
    }

    #[test]
    fn terminators_of_both_kinds_are_left_out() {
        let expected =
            [("one", false), ("", false), ("two", false)].map(|(text, cut)| (text.into(), cut));
        assert_eq!(lines(b"one\r\n\ntwo", 100), expected);
    }

    #[test]
    fn a_line_beyond_the_limit_is_cut_and_the_next_is_whole() {
        let expected = [("onet", true), ("two", false)].map(|(text, cut)| (text.into(), cut));
        assert_eq!(lines(b"onetwothree\ntwo\n", 4), expected);
    }
}
