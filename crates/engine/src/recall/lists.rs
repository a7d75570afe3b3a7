//! Lists and tables within a text: their items, rows and names, and what an item stands below.

use retrieval::question::OPEN_BOX;

/// The cells of a row of a table; one if it is none.
pub(super) fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.trim().trim_matches('|').split('|').map(str::trim)
}

/// Whether a row has the names of columns: words alone, with two rows below it at least.
pub(super) fn is_header(row: &str, rest: &str) -> bool {
    let number = cells(row).count();
    let is_name = |cell: &str| !cell.contains(|letter: char| letter.is_numeric());
    number > 1
        && cells(row).all(is_name)
        && !row.starts_with(['-', '*', '+'])
        && rest.lines().take(2).filter(|line| cells(line).count() == number).count() == 2
}

/// A row with the names of its columns.
pub(super) fn row(columns: &str, row: &str) -> String {
    let named = cells(columns).zip(cells(row)).filter(|(_, cell)| !cell.is_empty());
    let named = named.map(|(name, cell)| match name {
        "" => cell.to_owned(),
        name => format!("{name}: {cell}"),
    });
    named.collect::<Vec<_>>().join("; ")
}

/// The tasks of a list that are not done, if it has some. Where some items have a box, those
/// without one are not done either.
pub(super) fn open_tasks(text: &str) -> Option<String> {
    let task = |line: &str| {
        let item = without_mark(line);
        let is_done = ["[x] ", "[X] "].iter().any(|done| item.starts_with(done));
        let is_open = !is_done && is_item(line);
        is_open.then(|| item.strip_prefix(OPEN_BOX).unwrap_or(item).trim().to_owned())
    };
    if !text.lines().any(|line| without_mark(line).starts_with(OPEN_BOX)) {
        return None;
    }
    let open: Vec<String> = text.lines().filter_map(task).collect();
    (!open.is_empty()).then(|| open.join("; "))
}

pub(super) fn without_mark(line: &str) -> &str {
    line.trim_start().trim_start_matches(|mark: char| {
        mark.is_ascii_digit() || matches!(mark, '-' | '*' | '+' | '.' | ')' | ' ')
    })
}

/// Whether a line is an item of a list.
pub(super) fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|mark: char| mark.is_ascii_digit());
    let is_numbered = numbered.len() < line.len() && numbered.starts_with([')', '.']);
    line.starts_with(['-', '*', '+', '•'])
        || is_numbered
        || without_mark(line).starts_with(OPEN_BOX)
}

/// Where the line of a place begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// The items that an item stands below, the outermost first, without their marks.
pub(super) fn parents(text: &str, item: usize) -> Vec<&str> {
    /// Most lines that are looked at.
    const LINES_MAX: usize = 200;
    let line_start = line_start(text, item);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let line = text.get(line_start..).unwrap_or_default().lines().next().unwrap_or_default();
    let mut parents = Vec::new();
    let mut below = indent(line);
    if below == 0 || !is_item(line) {
        return parents;
    }
    for line in text.get(..line_start).unwrap_or_default().lines().rev().take(LINES_MAX) {
        if below == 0 || !is_item(line) {
            break;
        }
        if indent(line) < below {
            below = indent(line);
            parents.push(without_mark(line).trim().trim_end_matches(':'));
        }
    }
    parents.reverse();
    parents
}

/// The line that introduces the list of an item: "Cannot eat:".
pub(super) fn intro_of<'t>(text: &'t str, item: &str, before: usize) -> Option<&'t str> {
    if !is_item(item) {
        return None;
    }
    let above = text.get(..before)?.lines().rev().map(str::trim);
    let above = above.chain(text.get(before..)?.lines().map(str::trim).take(1));
    let line = above.filter(|line| !line.is_empty()).find(|line| !is_item(line))?;
    line.ends_with([':', '：']).then_some(line)
}
