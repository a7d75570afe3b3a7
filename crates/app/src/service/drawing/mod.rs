//! Drawings of an answer to "why": as a tree, for Graphviz (DOT), for Mermaid, and as SVG.
//!
//! Each renderer is a pure function of a [`Diagram`]. Texts come from records, which anybody may
//! have written: each renderer escapes them for its format, and none lets a control character
//! through.

use std::collections::{BTreeMap, BTreeSet};

use engine::why::Why;
use kernel::id::OpId;

use crate::text::printable;

mod dot;
mod mermaid;
mod svg;
mod tree;

pub(crate) use dot::{dot, dot_text};
pub(crate) use mermaid::mermaid;
pub(crate) use svg::svg;
pub(crate) use tree::tree;

/// Most boxes of a drawing.
const BOXES_MAX: usize = 200;
/// Longest text in a box, characters.
const LABEL_CHARS_MAX: usize = 60;

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxRole {
    /// What was asked about.
    Target,
    /// A claim of the support set.
    Chosen,
    /// Another record on the way.
    Other,
    /// A record that is not true in the world at the time of the question.
    Outside,
    /// Evidence.
    Evidence,
}

/// A box of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DiagramBox {
    /// The operation.
    pub(crate) id: OpId,
    /// Its type.
    pub(crate) kind: String,
    /// It in words, on one line of limited length without control characters.
    pub(crate) label: String,
    /// What it stands for.
    pub(crate) role: BoxRole,
    /// Steps from the target.
    pub(crate) depth: usize,
}

/// An arrow from what is accounted for to what accounts for it, by the places of the boxes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrow {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) label: &'static str,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Diagram {
    /// The target first, then by distance.
    pub(crate) boxes: Vec<DiagramBox>,
    /// In order of their ends.
    pub(crate) arrows: Vec<Arrow>,
    /// Boxes that hold up each other.
    pub(crate) clusters: Vec<Vec<usize>>,
    /// Records and evidence that are left out.
    pub(crate) left_out: usize,
}

impl Diagram {
    /// The walk of an answer.
    pub(crate) fn of(why: &Why) -> Self {
        let mut boxes = vec![DiagramBox {
            id: why.target.id,
            kind: if why.target.record_type.is_empty() {
                why.target.kind.clone()
            } else {
                why.target.record_type.clone()
            },
            label: label(&why.target.text),
            role: BoxRole::Target,
            depth: 0,
        }];
        let mut depths: BTreeMap<OpId, usize> = BTreeMap::from([(why.target.id, 0)]);
        for found in &why.walked {
            let depth = found.depth.unwrap_or_default();
            depths.insert(found.id, depth);
            let role = match (found.in_window, found.chosen) {
                (false, _) => BoxRole::Outside,
                (true, true) => BoxRole::Chosen,
                (true, false) => BoxRole::Other,
            };
            let (kind, label) = (found.record_type.clone(), label(&found.text));
            boxes.push(DiagramBox { id: found.id, kind, label, role, depth });
        }
        for ground in &why.evidence {
            let citing = why.links.iter().filter(|link| link.to == ground.id);
            let above = citing.filter_map(|link| depths.get(&link.from)).min();
            boxes.push(DiagramBox {
                id: ground.id,
                kind: ground.kind.clone(),
                label: label(&ground.text),
                role: BoxRole::Evidence,
                depth: above.map_or(1, |depth| depth.saturating_add(1)),
            });
        }
        // The evidence of records that are drawn is worth less than records that are near.
        boxes.sort_by_key(|drawn| (drawn.depth, drawn.role == BoxRole::Evidence));
        let left_out = boxes.len().saturating_sub(BOXES_MAX);
        boxes.truncate(BOXES_MAX);
        let places: BTreeMap<OpId, usize> =
            boxes.iter().enumerate().map(|(place, drawn)| (drawn.id, place)).collect();
        let arrows: BTreeSet<Arrow> = why
            .links
            .iter()
            .filter_map(|link| {
                let (from, to) = (*places.get(&link.from)?, *places.get(&link.to)?);
                Some(Arrow { from, to, label: link.relation.as_str() })
            })
            .collect();
        let clusters = why
            .clusters
            .iter()
            .map(|members| members.iter().filter_map(|id| places.get(id)).copied().collect())
            .collect();
        Self { boxes, arrows: arrows.into_iter().collect(), clusters, left_out }
    }
}

impl DiagramBox {
    /// Its text without the id.
    fn heading(&self) -> String {
        format!("{} {}", printable(&self.kind), self.id.short())
    }
}

/// A text for a box.
pub(crate) fn label(text: &str) -> String {
    let line: String = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LABEL_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
