//! GraphML: <http://graphml.graphdrawing.org/specification.html>. Text is escaped by XML 1.0, and
//! what XML cannot hold (control characters) becomes U+FFFD.

use std::io::{self, Write};

use super::{ExportedEdge, ExportedNode, FormatWriter};

/// The attributes of nodes and of edges: name and type.
const NODE_KEYS: [(&str, &str); 10] = [
    ("type", "string"),
    ("name", "string"),
    ("entity_type", "string"),
    ("aliases", "string"),
    ("tags", "string"),
    ("confidence", "double"),
    ("valid_from", "string"),
    ("valid_to", "string"),
    ("recorded_at", "string"),
    ("scope", "string"),
];
const EDGE_KEYS: [(&str, &str); 6] = [
    ("type", "string"),
    ("label", "string"),
    ("notes", "string"),
    ("confidence", "double"),
    ("recorded_at", "string"),
    ("scope", "string"),
];

pub(super) struct GraphMl<'a> {
    output: &'a mut dyn Write,
}

impl<'a> GraphMl<'a> {
    pub(super) fn new(output: &'a mut dyn Write) -> Self {
        Self { output }
    }

    /// The value of an attribute, unless it is empty.
    fn data(&mut self, of: char, name: &str, value: &str) -> io::Result<()> {
        if value.is_empty() {
            return Ok(());
        }
        write!(self.output, "<data key=\"{of}_{name}\">{}</data>", escaped(value))
    }
}

impl FormatWriter for GraphMl<'_> {
    fn begin(&mut self) -> io::Result<()> {
        writeln!(self.output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(
            self.output,
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
             xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
             http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">"
        )?;
        let keys = NODE_KEYS
            .iter()
            .map(|key| ('n', "node", key))
            .chain(EDGE_KEYS.iter().map(|key| ('e', "edge", key)));
        for (of, domain, (name, value)) in keys {
            writeln!(
                self.output,
                "  <key id=\"{of}_{name}\" for=\"{domain}\" attr.name=\"{name}\" \
                 attr.type=\"{value}\"/>"
            )?;
        }
        writeln!(self.output, "  <graph id=\"memory\" edgedefault=\"directed\">")
    }

    fn node(&mut self, node: &ExportedNode<'_>) -> io::Result<()> {
        let record = node.record;
        write!(self.output, "    <node id=\"{}\">", record.id)?;
        let time = |when: &Option<kernel::when::When>| {
            when.as_ref().map(ToString::to_string).unwrap_or_default()
        };
        self.data('n', "type", &record.record_type)?;
        self.data('n', "name", &record.text)?;
        self.data('n', "entity_type", node.entity_type().unwrap_or_default())?;
        self.data('n', "aliases", &node.aliases.join("; "))?;
        self.data('n', "tags", &record.tags.join("; "))?;
        self.data('n', "confidence", &number(record.confidence))?;
        self.data('n', "valid_from", &time(&record.valid_from))?;
        self.data('n', "valid_to", &time(&record.valid_to))?;
        self.data('n', "recorded_at", &record.recorded_at)?;
        self.data('n', "scope", node.scope.as_str())?;
        writeln!(self.output, "</node>")
    }

    fn edge(
        &mut self,
        ExportedEdge { edge, from, to, scope }: &ExportedEdge<'_>,
    ) -> io::Result<()> {
        write!(self.output, "    <edge id=\"{}\" source=\"{from}\" target=\"{to}\">", edge.id)?;
        self.data('e', "type", edge.edge_type)?;
        self.data('e', "label", &edge.label)?;
        self.data('e', "notes", &edge.notes)?;
        self.data('e', "confidence", &number(edge.confidence))?;
        self.data('e', "recorded_at", &edge.recorded_at)?;
        self.data('e', "scope", scope.as_str())?;
        writeln!(self.output, "</edge>")
    }

    fn end(&mut self) -> io::Result<()> {
        writeln!(self.output, "  </graph>\n</graphml>")
    }
}

fn number(number: Option<f64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// Text of an element. A carriage return would be read as a line feed, so it is a reference.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\r' => escaped.push_str("&#13;"),
            '\t' | '\n' => escaped.push(character),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}
