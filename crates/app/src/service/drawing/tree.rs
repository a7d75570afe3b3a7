//! As a tree of lines.

use super::{BoxRole, Diagram};
use crate::text::{printable, short};

/// Deeper branches are not indented further.
const INDENT_MAX: usize = 24;

/// A branch that is still to be written.
struct Branch {
    place: usize,
    label: &'static str,
    depth: usize,
}

/// The lines below the target. A record that is reached twice is written out once.
pub(crate) fn tree(diagram: &Diagram) -> Vec<String> {
    let mut lines = Vec::new();
    let mut seen = vec![false; diagram.boxes.len()];
    let mut stack = branches(diagram, 0, 1);
    if let Some(target) = seen.first_mut() {
        *target = true;
    }
    while let Some(Branch { place, label, depth }) = stack.pop() {
        let Some(drawn) = diagram.boxes.get(place) else { continue };
        let is_repeated = std::mem::replace(&mut seen[place], true);
        let mark = match drawn.role {
            BoxRole::Chosen => "* ",
            BoxRole::Outside => "~ ",
            _ => "",
        };
        let cycle = if diagram.clusters.iter().any(|members| members.contains(&place)) {
            "  (in a cycle)"
        } else {
            ""
        };
        let above = if is_repeated { "  (above)" } else { "" };
        let indent = "  ".repeat(depth.min(INDENT_MAX));
        lines.push(format!(
            "{indent}{label}: {mark}{} {}{cycle}{above}  {}",
            printable(&drawn.kind),
            drawn.label,
            short(&drawn.id)
        ));
        if !is_repeated {
            stack.extend(branches(diagram, place, depth.saturating_add(1)));
        }
    }
    if diagram.left_out > 0 {
        lines.push(format!("  … and {} more", diagram.left_out));
    }
    lines
}

/// What accounts for a box, the last first.
fn branches(diagram: &Diagram, place: usize, depth: usize) -> Vec<Branch> {
    let below = diagram.arrows.iter().rev().filter(|arrow| arrow.from == place);
    below.map(|arrow| Branch { place: arrow.to, label: arrow.label, depth }).collect()
}
