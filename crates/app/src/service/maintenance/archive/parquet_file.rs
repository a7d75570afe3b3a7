//! Archives as Apache Parquet, without compression and without Arrow.

use std::fs::File;
use std::sync::Arc;

use engine::maintain::archive::ArchiveRow;
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::{Description, ROWS_AT_ONCE, RowWriter};
use crate::failure::{ArchiveError, Failure};

/// The columns.
const SCHEMA: &str = "message archive {
    required binary id (STRING);
    required binary kind (STRING);
    required binary author (STRING);
    required int64 time (TIMESTAMP(MICROS, true));
    required binary text (STRING);
    required boolean marked;
    required binary operation (STRING);
}";
/// Their names, in order.
const COLUMNS: [&str; 7] = ["id", "kind", "author", "time", "text", "marked", OPERATION];
/// The column of whole operations.
const OPERATION: &str = "operation";

/// Writes rows, a group at a time.
pub(super) struct Writer(SerializedFileWriter<File>);

impl Writer {
    pub(super) fn new(file: File) -> std::io::Result<Self> {
        let schema = parse_message_type(SCHEMA).map_err(std::io::Error::other)?;
        let properties = WriterProperties::builder()
            .set_created_by(concat!("because ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_dictionary_enabled(false)
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties));
        writer.map(Self).map_err(of_write)
    }
}

/// A failure of the system stays what it was: the disk may be full.
fn of_write(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(error) => std::io::Error::other(error),
        },
        error => std::io::Error::other(error),
    }
}

impl RowWriter for Writer {
    fn write(&mut self, rows: &[ArchiveRow]) -> std::io::Result<()> {
        let mut write = || {
            let texts = |of: fn(&ArchiveRow) -> Vec<u8>| {
                rows.iter().map(|row| ByteArray::from(of(row))).collect::<Vec<_>>()
            };
            let mut group = self.0.next_row_group()?;
            for name in COLUMNS {
                let Some(mut column) = group.next_column()? else { break };
                match name {
                    "time" => {
                        let times: Vec<i64> = rows.iter().map(|row| row.time_us).collect();
                        column.typed::<Int64Type>().write_batch(&times, None, None)?;
                    }
                    "marked" => {
                        let marked: Vec<bool> = rows.iter().map(|row| row.is_marked).collect();
                        column.typed::<BoolType>().write_batch(&marked, None, None)?;
                    }
                    name => {
                        let values = texts(match name {
                            "id" => |row| row.id.to_string().into_bytes(),
                            "kind" => |row| row.kind.clone().into_bytes(),
                            "author" => |row| row.author.clone().into_bytes(),
                            "text" => |row| row.text.clone().into_bytes(),
                            _ => |row| row.line.clone().into_bytes(),
                        });
                        column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                    }
                }
                column.close()?;
            }
            group.close().map(drop)
        };
        write().map_err(of_write)
    }

    fn finish(mut self: Box<Self>, description: &Description) -> std::io::Result<()> {
        for (name, value) in description.pairs() {
            self.0.append_key_value_metadata(KeyValue::new(name.to_owned(), value));
        }
        self.0.close().map(drop).map_err(of_write)
    }
}

/// Reads the operations of a file, in batches of lines.
pub(super) fn each_batch(
    file: File,
    malformed: &dyn Fn(String) -> ArchiveError,
    take: &mut dyn FnMut(Vec<Vec<u8>>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let bad = |error: ParquetError| malformed(error.to_string());
    let reader = SerializedFileReader::new(file).map_err(bad)?;
    let columns = reader.metadata().file_metadata().schema_descr();
    let place = columns.columns().iter().position(|column| {
        column.name() == OPERATION && column.physical_type() == PhysicalType::BYTE_ARRAY
    });
    let place = place.ok_or_else(|| malformed(format!("it has no column {OPERATION}")))?;
    for number in 0..reader.num_row_groups() {
        let group = reader.get_row_group(number).map_err(bad)?;
        let column = group.get_column_reader(place).map_err(bad)?;
        let mut column = get_typed_column_reader::<ByteArrayType>(column);
        loop {
            let mut values: Vec<ByteArray> = Vec::new();
            let (read, _, _) =
                column.read_records(ROWS_AT_ONCE, None, None, &mut values).map_err(bad)?;
            if read == 0 {
                break;
            }
            take(values.iter().map(|value| value.data().to_vec()).collect())?;
        }
    }
    Ok(())
}
