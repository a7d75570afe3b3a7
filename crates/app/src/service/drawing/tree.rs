//! As a tree of lines.

use super::{Arrow, BoxRole, Diagram};
use crate::text::printable;

/// Deeper branches are not indented further.
const INDENT_MAX: usize = 24;

/// Evidence that is written below one record.
const EVIDENCE_MAX: usize = 3;

/// A branch that is still to be written.
enum Branch {
    /// A box, by its place.
    Box { place: usize, label: &'static str, depth: usize },
    /// Evidence that is left out.
    More { count: usize, depth: usize },
}

/// The lines below the target. A record that is reached twice is written out once.
pub(crate) fn tree(diagram: &Diagram) -> Vec<String> {
    let mut lines = Vec::new();
    let mut seen = vec![false; diagram.boxes.len()];
    let mut stack = branches(diagram, 0, 1);
    if let Some(target) = seen.first_mut() {
        *target = true;
    }
    while let Some(branch) = stack.pop() {
        let (place, label, depth) = match branch {
            Branch::Box { place, label, depth } => (place, label, depth),
            Branch::More { count, depth } => {
                lines.push(format!("{}input: … and {count} more", indent(depth)));
                continue;
            }
        };
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
        lines.push(format!(
            "{}{label}: {mark}{} {}{cycle}{above}  {}",
            indent(depth),
            printable(&drawn.kind),
            drawn.label,
            drawn.id.short()
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

fn indent(depth: usize) -> String {
    "  ".repeat(depth.min(INDENT_MAX))
}

/// What accounts for a box, the last first: records, then some of the evidence.
fn branches(diagram: &Diagram, place: usize, depth: usize) -> Vec<Branch> {
    let below = diagram.arrows.iter().filter(|arrow| arrow.from == place);
    let (evidence, records): (Vec<&Arrow>, Vec<&Arrow>) = below.partition(|arrow| {
        diagram.boxes.get(arrow.to).is_some_and(|drawn| drawn.role == BoxRole::Evidence)
    });
    let count = evidence.len().saturating_sub(EVIDENCE_MAX);
    let more = (count > 0).then_some(Branch::More { count, depth });
    let shown = records.into_iter().chain(evidence.into_iter().take(EVIDENCE_MAX));
    let shown = shown.map(|arrow| Branch::Box { place: arrow.to, label: arrow.label, depth });
    let mut branches: Vec<Branch> = shown.chain(more).collect();
    branches.reverse();
    branches
}
