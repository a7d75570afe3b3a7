//! HTML to the text that a reader sees: what stands in blocks and cells of its own stays apart.
//!
//! The decoder that does the work ends a line only at `<br>` and `</p>`, so that the cells of a table, the items of a list and
//! the lines of many mail programs, which are blocks, would run into each other. Every block's border is marked
//! before, and becomes a line's end after, unless a line ends there already.

use mail_parser::decoders::html::html_to_text;

/// Marks the border of a block. Nobody writes it: it is of the private use area.
const BORDER: char = '\u{f8f0}';

/// Elements that begin and end a line.
const BLOCKS: [&str; 23] = [
    "p",
    "div",
    "table",
    "tr",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "blockquote",
    "pre",
    "section",
    "article",
    "header",
    "footer",
];
/// Elements that stand apart within a line.
const CELLS: [&str; 2] = ["td", "th"];
/// Longest name of an element in the lists above, in bytes.
const NAME_BYTES_MAX: usize = 10;

/// The text of a page or a part of one, without white space around it and with at most one blank line at a time.
pub(crate) fn to_text(html: &str) -> String {
    let mut marked = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        marked.push_str(before);
        let name = after.strip_prefix('/').unwrap_or(after);
        let length =
            name.bytes().take(NAME_BYTES_MAX + 1).take_while(u8::is_ascii_alphanumeric).count();
        let name = name.get(..length).unwrap_or_default();
        let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        // The decoder ends the line of a paragraph itself.
        if is_one_of(&BLOCKS) && !after.starts_with("/p>") {
            marked.push(BORDER);
        } else if is_one_of(&CELLS) {
            marked.push(' ');
        }
        marked.push('<');
        rest = after;
    }
    marked.push_str(rest);
    lines(&html_to_text(&marked))
}

fn lines(marked: &str) -> String {
    let mut text = String::with_capacity(marked.len());
    for end in marked.split_inclusive(['\n', BORDER]) {
        let line = end.trim_end_matches(BORDER).trim();
        if !line.is_empty() {
            text.push_str(line);
            text.push('\n');
        } else if end.ends_with('\n') && !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cells_and_items_stay_apart() {
        let check = |html: &str, text: &str| assert_eq!(to_text(html), text, "{html}");
        check(
            "<table><tr><td>Total</td><td>2 340 kr</td></tr></table><p>Due in May.</p>",
            "Total 2 340 kr\nDue in May.",
        );
        check("<div>Hello,</div><div>the kiln <b>is</b> hot.</div>", "Hello,\nthe kiln is hot.");
        check("<div>one</div><div><br></div><div>two</div>", "one\n\ntwo");
        check("<ul><li>clay</li><li>glaze</li></ul>", "clay\nglaze");
        check("a<br>b", "a\nb");
        check("<script>if (a<div) {}</script>x &lt; y", "x < y");
        check("", "");
    }
}
