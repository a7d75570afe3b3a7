//! CSV by RFC 4180: a table of records and one of edges, each with a line of names above.

use std::io::{self, Write};

use super::{ExportedEdge, ExportedNode, FormatWriter};

const NODE_COLUMNS: [&str; 12] = [
    "id",
    "type",
    "name",
    "entity_type",
    "aliases",
    "tags",
    "confidence",
    "valid_from",
    "valid_to",
    "recorded_at",
    "scope",
    "data",
];
const EDGE_COLUMNS: [&str; 9] =
    ["id", "source", "target", "type", "label", "notes", "confidence", "recorded_at", "scope"];

pub(super) struct Tables<'a> {
    nodes: Option<&'a mut dyn Write>,
    edges: Option<&'a mut dyn Write>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(nodes: Option<&'a mut dyn Write>, edges: Option<&'a mut dyn Write>) -> Self {
        Self { nodes, edges }
    }
}

impl FormatWriter for Tables<'_> {
    fn begin(&mut self) -> io::Result<()> {
        if let Some(nodes) = &mut self.nodes {
            row(*nodes, &NODE_COLUMNS)?;
        }
        if let Some(edges) = &mut self.edges {
            row(*edges, &EDGE_COLUMNS)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &ExportedNode<'_>) -> io::Result<()> {
        let Some(nodes) = &mut self.nodes else { return Ok(()) };
        let record = node.record;
        let time = |when: &Option<kernel::when::When>| {
            when.as_ref().map(ToString::to_string).unwrap_or_default()
        };
        let data = Some(&record.payload).filter(|data| !data.is_null());
        row(
            *nodes,
            &[
                record.id.to_string().as_str(),
                &record.record_type,
                &record.text,
                node.entity_type().unwrap_or_default(),
                &node.aliases.join("; "),
                &record.tags.join("; "),
                &number(record.confidence),
                &time(&record.valid_from),
                &time(&record.valid_to),
                &record.recorded_at,
                node.scope.as_str(),
                &data.map(ToString::to_string).unwrap_or_default(),
            ],
        )
    }

    fn edge(
        &mut self,
        ExportedEdge { edge, from, to, scope }: &ExportedEdge<'_>,
    ) -> io::Result<()> {
        let Some(edges) = &mut self.edges else { return Ok(()) };
        row(
            *edges,
            &[
                edge.id.to_string().as_str(),
                &from.to_string(),
                &to.to_string(),
                edge.edge_type,
                &edge.label,
                &edge.notes,
                &number(edge.confidence),
                &edge.recorded_at,
                scope.as_str(),
            ],
        )
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn number(number: Option<f64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// What begins a formula in a spreadsheet. Behind an apostrophe it is text.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

fn row(output: &mut dyn Write, fields: &[&str]) -> io::Result<()> {
    for (place, field) in fields.iter().enumerate() {
        if place > 0 {
            output.write_all(b",")?;
        }
        let as_text = format!("'{field}");
        let field = if field.starts_with(FORMULA) { &*as_text } else { *field };
        let is_plain = !field.contains([',', '"', '\r', '\n']) && field.trim() == field;
        match is_plain {
            true => output.write_all(field.as_bytes())?,
            false => write!(output, "\"{}\"", field.replace('"', "\"\""))?,
        }
    }
    output.write_all(b"\r\n")
}
