//! The graph as a file: JSON-LD, GraphML, DOT or CSV.
//!
//! Each format is a writer that gets one record or one edge at a time, so memory does not grow with
//! their texts. Texts come from records, which anybody may have written: each writer escapes them
//! by the rules of its format.

use std::io::{self, Write};

use engine::EngineError;
use engine::graph::{EdgeView, GraphSink, JoiningEdge, RecordKey, RecordView, WholeGraph};
use engine::private::{Disclosure, Viewpoint};
use kernel::id::OpId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Layers;
use crate::failure::{Failure, RequestError};
use crate::service::effective::Scope;

mod csv;
mod dot;
mod graphml;
mod json_ld;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(crate) enum Format {
    /// JSON-LD 1.1, for tools of the semantic web
    JsonLd,
    /// GraphML, for Gephi, yEd, networkx and igraph
    Graphml,
    /// DOT, for Graphviz
    Dot,
    /// Two tables of comma-separated values: nodes.csv and edges.csv
    Csv,
}

/// A table of CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Table {
    /// The records
    Nodes,
    /// What joins them
    Edges,
}

/// Largest export that is made in memory, bytes.
pub(crate) const EXPORTED_MAX: usize = 64 << 20;

/// How much was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Written {
    /// Records.
    pub(crate) nodes: u64,
    /// Edges.
    pub(crate) edges: u64,
}

/// A record of an export.
pub(crate) struct ExportedNode<'a> {
    pub(crate) record: &'a RecordView,
    pub(crate) aliases: &'a [String],
    pub(crate) scope: Scope,
}

/// An edge of an export. Its ends are records of the same export: where an end was displaced, what
/// says the same now.
pub(crate) struct ExportedEdge<'a> {
    pub(crate) edge: &'a EdgeView,
    pub(crate) from: OpId,
    pub(crate) to: OpId,
    pub(crate) scope: Scope,
}

impl ExportedNode<'_> {
    /// What kind of entity it is, if it is one.
    fn entity_type(&self) -> Option<&str> {
        self.record.payload.get("entity_type").and_then(serde_json::Value::as_str)
    }
}

/// Writes a format.
pub(crate) trait FormatWriter {
    fn begin(&mut self) -> io::Result<()>;
    fn node(&mut self, node: &ExportedNode<'_>) -> io::Result<()>;
    fn edge(&mut self, edge: &ExportedEdge<'_>) -> io::Result<()>;
    fn end(&mut self) -> io::Result<()>;
}

/// The writer of a format to one stream. Of CSV that is one table, which has to be named.
pub(crate) fn writer<'a>(
    format: Format,
    table: Option<Table>,
    output: &'a mut dyn Write,
) -> Result<Box<dyn FormatWriter + 'a>, RequestError> {
    Ok(match (format, table) {
        (Format::JsonLd, _) => Box::new(json_ld::JsonLd::new(output)),
        (Format::Graphml, _) => Box::new(graphml::GraphMl::new(output)),
        (Format::Dot, _) => Box::new(dot::Dot::new(output)),
        (Format::Csv, Some(Table::Nodes)) => Box::new(csv::Tables::new(Some(output), None)),
        (Format::Csv, Some(Table::Edges)) => Box::new(csv::Tables::new(None, Some(output))),
        (Format::Csv, None) => return Err(RequestError::TwoTables),
    })
}

/// The writer of both tables of CSV.
pub(crate) fn tables<'a>(
    nodes: &'a mut dyn Write,
    edges: &'a mut dyn Write,
) -> Box<dyn FormatWriter + 'a> {
    Box::new(csv::Tables::new(Some(nodes), Some(edges)))
}

/// What to export.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selected {
    /// Only records of these types or families, by name; of all if empty.
    pub(crate) types: Vec<String>,
    /// Whether private records are written, too, if the reader may see them.
    pub(crate) with_private: bool,
    /// Of which times.
    pub(crate) viewpoint: Viewpoint,
}

/// Writes all active records and the edges in force among them.
pub(crate) fn export(
    layers: Layers<'_>,
    selected: &Selected,
    writer: &mut dyn FormatWriter,
) -> Result<Written, Failure> {
    writer.begin()?;
    let mut written = Written::default();
    for layer in layers.all() {
        let disclosure = match (layer.disclosure, selected.with_private) {
            (Disclosure::Full, false) => Disclosure::WithoutPrivate,
            (disclosure, _) => disclosure,
        };
        let viewpoint = Viewpoint { disclosure, ..selected.viewpoint };
        let wanted = WholeGraph { types: selected.types.clone(), viewpoint };
        let is_under = layer.scope != layers.own.scope;
        let over = is_under.then_some(layers.own.space);
        let as_of_us = viewpoint.as_of_us;
        let hides = |record: &RecordView| match over {
            Some(over) => {
                Ok(over.hides_records(&[RecordKey::of_record(record)], as_of_us)? == [true])
            }
            None => Ok(false),
        };
        let mut sink =
            Sink { writer: &mut *writer, hides: &hides, scope: layer.scope, written: &mut written };
        layer.space.reader()?.whole_graph(&wanted, &mut sink)?;
    }
    writer.end()?;
    Ok(written)
}

/// The same in memory, at most [`EXPORTED_MAX`].
pub(crate) fn export_text(
    layers: Layers<'_>,
    selected: &Selected,
    format: Format,
    table: Table,
) -> Result<(String, Written), Failure> {
    let mut buffer = Bounded::new(EXPORTED_MAX);
    let written = export(layers, selected, &mut *writer(format, Some(table), &mut buffer)?);
    if buffer.is_exceeded {
        return Err(RequestError::ExportTooLarge { mib_max: EXPORTED_MAX >> 20 }.into());
    }
    Ok((String::from_utf8_lossy(&buffer.bytes).into_owned(), written?))
}

/// Refuses what is more than fits.
struct Bounded {
    bytes: Vec<u8>,
    bytes_max: usize,
    is_exceeded: bool,
}

impl Bounded {
    fn new(bytes_max: usize) -> Self {
        Self { bytes: Vec::new(), bytes_max, is_exceeded: false }
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len().saturating_add(bytes.len()) > self.bytes_max {
            self.is_exceeded = true;
            return Err(io::Error::other("the export is longer than its limit"));
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a record is hidden by one of another space.
type Hides<'a> = dyn Fn(&RecordView) -> Result<bool, EngineError> + 'a;

struct Sink<'a> {
    writer: &'a mut dyn FormatWriter,
    hides: &'a Hides<'a>,
    scope: Scope,
    written: &'a mut Written,
}

impl GraphSink for Sink<'_> {
    fn hides(&mut self, record: &RecordView) -> Result<bool, EngineError> {
        (self.hides)(record)
    }

    fn record(&mut self, record: &RecordView, aliases: &[String]) -> Result<(), EngineError> {
        self.written.nodes += 1;
        Ok(self.writer.node(&ExportedNode { record, aliases, scope: self.scope })?)
    }

    fn edge(&mut self, JoiningEdge { edge, from, to }: &JoiningEdge) -> Result<(), EngineError> {
        self.written.edges += 1;
        let edge = ExportedEdge { edge, from: *from, to: *to, scope: self.scope };
        Ok(self.writer.edge(&edge)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_than_the_limit_is_refused_and_noted() {
        let mut buffer = Bounded::new(8);
        buffer.write_all(b"12345678").unwrap();
        assert!(!buffer.is_exceeded);
        buffer.write_all(b"9").unwrap_err();
        assert!(buffer.is_exceeded);
        assert_eq!(buffer.bytes, b"12345678");
    }
}
