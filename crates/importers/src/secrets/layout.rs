//! Labels whose value is in the line below them, or in the next cell of a table.

use std::ops::Range;

/// Longest label with what stands before it.
const LABEL_BYTES_MAX: usize = 48;
/// Most words before the name in a label: "guest WiFi password".
const LABEL_WORDS_MAX: usize = 3;
/// Longest value with the marks around it.
const VALUE_BYTES_MAX: usize = 256;
/// Most cells behind the one of a label in a Markdown table.
const CELLS_BEHIND_MAX: usize = 2;
/// Marks around labels and values.
const MARKS: [char; 6] = ['*', '_', '`', '"', '\'', '\\'];
/// Marks that begin a line.
const BULLETS: [char; 7] = [' ', '\t', '-', '*', '•', '>', '#'];

/// What stands before a label in its line, if it is nothing but a few words and marks; with what
/// begins the line or the cell.
pub(super) fn label_before(text: &str, start: usize) -> Option<&str> {
    let from = text.ceil_char_boundary(start.saturating_sub(LABEL_BYTES_MAX));
    let before = text.get(from..start)?;
    let label = match before.rfind(['\n', '|']) {
        Some(at) => before.get(at + 1..)?,
        None if from == 0 => before,
        None => return None,
    };
    let words = label.trim_start_matches(BULLETS);
    let is_label = words.split_whitespace().count() <= LABEL_WORDS_MAX
        && words.chars().all(|letter| letter.is_alphabetic() || " -_'’*\"`".contains(letter));
    is_label.then_some(label)
}

/// The line below the label at `start..end`, without the marks around it: a label with a colon, a
/// heading, or bold text.
pub(super) fn line_below(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let before = label_before(text, start)?;
    let rest = text.get(end..text.floor_char_boundary(end + LABEL_BYTES_MAX))?;
    let (after, below) = rest.split_once('\n')?;
    let after = after.trim_end();
    let marks = after.trim_end_matches(|mark| MARKS.contains(&mark));
    let is_label = after.trim_matches(|mark| MARKS.contains(&mark) || " \t:：".contains(mark));
    let has_colon = after.contains([':', '：']);
    let is_heading = before.trim_start().starts_with('#');
    let is_bold = before.trim_start_matches(BULLETS).len() < before.trim_start().len()
        && before.contains("**")
        && marks.len() < after.len();
    if !is_label.is_empty() || !(has_colon || is_heading || is_bold) {
        return None;
    }
    let empty = below.split('\n').next().filter(|line| line.trim().is_empty());
    let from = end + rest.len() - below.len() + empty.map_or(0, |line| line.len() + 1);
    let window = text.get(from..text.floor_char_boundary(from + VALUE_BYTES_MAX))?;
    let line = line_at(text, from, window)?;
    let value = trimmed(text, from..from + line.len())?;
    let found = text.get(value.clone())?;
    let is_other = found.ends_with([':', '：', '{', '[', '('])
        || found.starts_with(['<', '{', '[', '|'])
        || found.contains(": ")
        || line.trim_start().starts_with("#");
    (!is_other).then_some(value)
}

/// The cell after the one that is the label at `start..end`, without the marks around it, in a row
/// of two cells, or of three of a Markdown table.
pub(super) fn next_cell(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = text.get(end..text.floor_char_boundary(end + VALUE_BYTES_MAX))?;
    let after = rest.trim_start_matches(|mark| MARKS.contains(&mark) || mark == ' ');
    let separator = after.chars().next().filter(|mark| "|,;\t".contains(*mark))?;
    let before = label_before(text, start)?;
    let between = rest.get(..rest.len() - after.len())?;
    let from = end + between.len() + 1;
    let cells = after.get(1..)?;
    if separator == '|' {
        return markdown_cell(text, start - before.len(), from, cells);
    }
    let begins_line = start == before.len() || text.get(..start - before.len())?.ends_with('\n');
    let is_tight = !before.starts_with(' ')
        && (separator == '\t' || !cells.starts_with(' ') && !between.contains(' '));
    if !begins_line || !is_tight {
        return None;
    }
    let line = line_at(text, from, cells)?;
    let is_only = !line.contains(separator) && !line.contains(['(', '{', '<']);
    is_only.then(|| trimmed(text, from..from + line.len()))?
}

/// The cell of a Markdown table that begins at `from`, if the one before it is the first of its
/// row, and the row is neither long nor the names of the columns.
fn markdown_cell(text: &str, label: usize, from: usize, cells: &str) -> Option<Range<usize>> {
    let ahead = text.get(text.ceil_char_boundary(label.saturating_sub(LABEL_BYTES_MAX))..label)?;
    let ahead = ahead.rsplit('\n').next()?;
    if !ahead.trim_matches(['|', ' ', '\t', '>']).is_empty() {
        return None;
    }
    let line = line_at(text, from, cells)?;
    let mut cells = line.split('|').filter(|cell| !cell.trim().is_empty());
    let is_short = cells.by_ref().take(CELLS_BEHIND_MAX + 1).count() <= CELLS_BEHIND_MAX;
    let line_end = from + line.len();
    let below = text.get(line_end..text.floor_char_boundary(line_end + VALUE_BYTES_MAX))?;
    let below = below.trim_start_matches(['\r', '\n', ' ', '|', '>']);
    let cell = line.split('|').next()?;
    (is_short && !below.starts_with(['-', ':'])).then(|| trimmed(text, from..from + cell.len()))?
}

/// The rest of the line at `from`, which `window` begins with, if all of it is in the window.
fn line_at<'a>(text: &str, from: usize, window: &'a str) -> Option<&'a str> {
    let line = window.split('\n').next()?;
    let is_whole = line.len() < window.len() || from + line.len() == text.len();
    is_whole.then_some(line.trim_end_matches('\r'))
}

/// A part of a text without white space, bullets and marks around it; nothing if nothing is left.
pub(super) fn trimmed(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let is_mark = |mark: char| mark.is_whitespace() || MARKS.contains(&mark);
    let found = text.get(part.clone())?;
    let inner = found.trim_start_matches(BULLETS).trim_start_matches(is_mark);
    let from = part.end - inner.len();
    let inner = inner.trim_end_matches(is_mark);
    (!inner.is_empty()).then_some(from..from + inner.len())
}
