//! For Graphviz. Source of the quoting: <https://graphviz.org/doc/info/lang.html>.

use std::fmt::Write as _;

use super::{BoxRole, Diagram};

/// A diagram in the DOT language.
pub(crate) fn dot(diagram: &Diagram) -> String {
    let mut text = String::from("digraph why {\n  rankdir=LR;\n  node [shape=box];\n");
    for (place, drawn) in diagram.boxes.iter().enumerate() {
        let label = format!("{}\\n{}", dot_text(&drawn.heading()), dot_text(&drawn.label));
        let style = match drawn.role {
            BoxRole::Target => " style=bold",
            BoxRole::Chosen => " style=filled fillcolor=palegreen",
            BoxRole::Other => "",
            BoxRole::Outside => " style=dashed",
            BoxRole::Evidence => " shape=note",
        };
        let _ = writeln!(text, "  n{place} [label=\"{label}\"{style}];");
    }
    for (number, members) in diagram.clusters.iter().enumerate() {
        let members: Vec<String> = members.iter().map(|place| format!("n{place};")).collect();
        let members = members.join(" ");
        let _ = writeln!(text, "  subgraph cluster_{number} {{ label=\"cycle\"; {members} }}");
    }
    for arrow in &diagram.arrows {
        let _ = writeln!(text, "  n{} -> n{} [label=\"{}\"];", arrow.from, arrow.to, arrow.label);
    }
    text.push_str("}\n");
    text
}

/// A text between quotes. Graphviz reads entities of HTML there.
pub(crate) fn dot_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"")
}
