//! As SVG: a column of boxes for each distance from the target.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{BoxRole, Diagram};

const BOX_WIDTH: usize = 420;
const BOX_HEIGHT: usize = 46;
const GAP_X: usize = 110;
const GAP_Y: usize = 18;
const MARGIN: usize = 20;

/// A diagram as a drawing that stands by itself.
pub(crate) fn svg(diagram: &Diagram) -> String {
    let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
    // Columns are numbered without gaps: a distance at which nothing is drawn takes no room.
    let depths = diagram.boxes.iter().map(|drawn| (drawn.depth, ()));
    let columns: BTreeMap<usize, usize> = depths
        .collect::<BTreeMap<_, _>>()
        .into_keys()
        .enumerate()
        .map(|(column, depth)| (depth, column))
        .collect();
    let places: Vec<(usize, usize)> = diagram
        .boxes
        .iter()
        .map(|drawn| {
            let column = columns.get(&drawn.depth).copied().unwrap_or_default();
            let row = rows.entry(column).or_default();
            *row += 1;
            let x = MARGIN + column * (BOX_WIDTH + GAP_X);
            (x, MARGIN + (*row - 1) * (BOX_HEIGHT + GAP_Y))
        })
        .collect();
    let width = 2 * MARGIN + columns.len() * (BOX_WIDTH + GAP_X);
    let height = 2 * MARGIN + rows.values().max().unwrap_or(&1) * (BOX_HEIGHT + GAP_Y);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for arrow in &diagram.arrows {
        let (Some((x1, y1)), Some((x2, y2))) = (places.get(arrow.from), places.get(arrow.to))
        else {
            continue;
        };
        let (from_x, from_y) = (x1 + BOX_WIDTH, y1 + BOX_HEIGHT / 2);
        let to_y = y2 + BOX_HEIGHT / 2;
        let _ = writeln!(
            text,
            "<line x1=\"{from_x}\" y1=\"{from_y}\" x2=\"{x2}\" y2=\"{to_y}\" stroke=\"#777777\"/><text x=\"{}\" y=\"{}\" fill=\"#777777\" text-anchor=\"middle\" font-size=\"10\">{}</text>",
            usize::midpoint(from_x, *x2),
            usize::midpoint(from_y, to_y).saturating_sub(3),
            arrow.label
        );
    }
    let in_cycle = |place: usize| diagram.clusters.iter().any(|members| members.contains(&place));
    for (place, (drawn, (x, y))) in diagram.boxes.iter().zip(&places).enumerate() {
        let (fill, more) = match drawn.role {
            BoxRole::Target => ("#ffffff", " stroke-width=\"3\""),
            BoxRole::Chosen => ("#ccffcc", ""),
            BoxRole::Other => ("#ffffff", ""),
            BoxRole::Outside => ("#ffffff", " stroke-dasharray=\"4\""),
            BoxRole::Evidence => ("#eeeeee", ""),
        };
        let cycle = if in_cycle(place) { " (in a cycle)" } else { "" };
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"4\" fill=\"{fill}\" stroke=\"#333333\"{more}/><text x=\"{}\" y=\"{}\" fill=\"#777777\">{}{cycle}</text><text x=\"{}\" y=\"{}\">{}</text>",
            x + 8,
            y + 18,
            escaped(&drawn.heading()),
            x + 8,
            y + 36,
            escaped(&drawn.label)
        );
    }
    text.push_str("</svg>\n");
    text
}

/// Escaped for XML. What XML 1.0 has no place for is left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}
