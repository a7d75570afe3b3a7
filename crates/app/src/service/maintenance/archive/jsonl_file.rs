//! Archives as JSON lines: each line is a row; the last says what the file is.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

use engine::maintain::archive::ArchiveRow;
use serde_json::{Value, json};

use super::{Description, ROWS_AT_ONCE, RowWriter};
use crate::failure::{ArchiveError, Failure};

/// Longest line that is read, bytes: an operation, its text and its quoting.
const LINE_BYTES_MAX: u64 = 16 << 20;

/// Writes rows.
pub(super) struct Writer(BufWriter<File>);

impl Writer {
    pub(super) fn new(file: File) -> Self {
        Self(BufWriter::new(file))
    }
}

impl RowWriter for Writer {
    fn write(&mut self, rows: &[ArchiveRow]) -> std::io::Result<()> {
        for row in rows {
            let value = json!({
                "id": row.id.to_string(),
                "kind": row.kind,
                "author": row.author,
                "time": row.time,
                "text": row.text,
                "marked": row.is_marked,
                "operation": row.line,
            });
            writeln!(self.0, "{value}")?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, description: &Description) -> std::io::Result<()> {
        let pairs = description.pairs().into_iter();
        let value: serde_json::Map<String, Value> =
            pairs.map(|(name, value)| (name.to_owned(), value.into())).collect();
        writeln!(self.0, "{}", Value::Object(value))?;
        self.0.flush()
    }
}

/// Reads the operations of a file, in batches of lines.
pub(super) fn each_batch(
    file: File,
    malformed: &dyn Fn(String) -> ArchiveError,
    take: &mut dyn FnMut(Vec<Vec<u8>>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut reader = BufReader::new(file);
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        let mut limited = std::io::Read::take(&mut reader, LINE_BYTES_MAX);
        let read = limited.read_until(b'\n', &mut line);
        if read.map_err(|error| malformed(error.to_string()))? == 0 {
            break;
        }
        let row: Value =
            serde_json::from_slice(&line).map_err(|error| malformed(error.to_string()))?;
        match row.get("operation").and_then(Value::as_str) {
            Some(operation) => lines.push(operation.as_bytes().to_vec()),
            // The last line says what the file is.
            None if row.get("because.version").is_some() => {}
            None => return Err(malformed("a line has no operation".to_owned()).into()),
        }
        if lines.len() == ROWS_AT_ONCE {
            take(std::mem::take(&mut lines))?;
        }
    }
    take(lines)
}
