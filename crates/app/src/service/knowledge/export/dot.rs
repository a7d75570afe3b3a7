//! For Graphviz, in the language of [`crate::service::drawing`].

use std::io::{self, Write};

use super::{ExportedEdge, ExportedNode, FormatWriter};
use crate::service::drawing::{dot_text, label};
use crate::text::printable;

pub(super) struct Dot<'a> {
    output: &'a mut dyn Write,
}

impl<'a> Dot<'a> {
    pub(super) fn new(output: &'a mut dyn Write) -> Self {
        Self { output }
    }
}

impl FormatWriter for Dot<'_> {
    fn begin(&mut self) -> io::Result<()> {
        writeln!(self.output, "digraph memory {{\n  rankdir=LR;\n  node [shape=box];")
    }

    fn node(&mut self, node: &ExportedNode<'_>) -> io::Result<()> {
        let record = node.record;
        let kind = dot_text(&printable(node.entity_type().unwrap_or(&record.record_type)));
        let text = dot_text(&label(&record.text));
        let tooltip = dot_text(&printable(&record.text));
        let id = record.id;
        writeln!(self.output, "  \"{id}\" [label=\"{kind}\\n{text}\" tooltip=\"{tooltip}\"];")
    }

    fn edge(&mut self, ExportedEdge { edge, from, to, .. }: &ExportedEdge<'_>) -> io::Result<()> {
        let text = dot_text(&label(edge.word()));
        writeln!(self.output, "  \"{from}\" -> \"{to}\" [label=\"{text}\"];")
    }

    fn end(&mut self) -> io::Result<()> {
        writeln!(self.output, "}}")
    }
}
