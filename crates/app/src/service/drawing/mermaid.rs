//! For Mermaid. Source of the entity codes: <https://mermaid.js.org/syntax/flowchart.html>.

use std::fmt::Write as _;

use super::{BoxRole, Diagram};

/// A diagram as a Mermaid flowchart.
pub(crate) fn mermaid(diagram: &Diagram) -> String {
    let mut text = String::from("flowchart LR\n");
    for (place, drawn) in diagram.boxes.iter().enumerate() {
        let label = format!("{}<br/>{}", escaped(&drawn.heading()), escaped(&drawn.label));
        let class = match drawn.role {
            BoxRole::Target => ":::target",
            BoxRole::Chosen => ":::chosen",
            BoxRole::Other => "",
            BoxRole::Outside => ":::outside",
            BoxRole::Evidence => ":::evidence",
        };
        let _ = writeln!(text, "  n{place}[\"{label}\"]{class}");
    }
    for (number, members) in diagram.clusters.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cycle{number}[\"cycle\"]");
        for place in members {
            let _ = writeln!(text, "    n{place}");
        }
        text.push_str("  end\n");
    }
    for arrow in &diagram.arrows {
        let _ = writeln!(text, "  n{} -->|{}| n{}", arrow.from, arrow.label, arrow.to);
    }
    text.push_str("  classDef target stroke-width:3px\n");
    text.push_str("  classDef chosen fill:#cfc\n");
    text.push_str("  classDef outside stroke-dasharray:4\n");
    text.push_str("  classDef evidence fill:#eee\n");
    text
}

/// Everything but letters, digits, spaces and harmless punctuation as entity codes.
fn escaped(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || !c.is_ascii() || " .,:'()!?-_/…".contains(c);
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match is_plain(c) {
            true => escaped.push(c),
            false => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
        }
    }
    escaped
}
