//! Columns of secrets: in Markdown tables, and in text with commas, semicolons or tabs, as programs
//! that keep passwords export them.
//!
//! The first line of such a table names its columns, so a name of a secret that is a whole cell
//! makes the cells below it values. Each table is read once, from its first line to the first line
//! that has not as many cells.

use std::ops::Range;

use super::SecretKind;
use super::alone::{Place, is_value};
use super::codes;
use super::find::Span;
use super::names::{KEYWORDS, Keyword, begins_name};

/// Longest first line.
const HEADER_BYTES_MAX: usize = 512;
/// Longest other line.
const ROW_BYTES_MAX: usize = 16 * 1024;
/// Most columns.
const COLUMNS_MAX: usize = 64;
/// Longest name of a column.
const NAME_BYTES_MAX: usize = 40;
/// Most words in the name of a column.
const NAME_WORDS_MAX: usize = 4;
/// Names of other columns in a table of passwords, or parts of them.
const BESIDE_PASSWORDS: [&str; 29] = [
    "user",
    "login",
    "mail",
    "url",
    "site",
    "service",
    "account",
    "name",
    "title",
    "host",
    "ssid",
    "network",
    "wifi",
    "device",
    "app",
    "benutzer",
    "dienst",
    "konto",
    "usuario",
    "utilisateur",
    "логин",
    "пользователь",
    "сайт",
    "сервис",
    "почта",
    "用户",
    "账号",
    "ユーザー",
    "아이디",
];

/// What a column holds.
enum Column {
    Secrets(&'static Keyword),
    /// Its name in small letters.
    Digits(String),
}

/// True if the name of a secret that ends before `after` may name a column.
pub(super) fn may_name_column(text: &str, end: usize) -> bool {
    let after = text.get(end..).unwrap_or_default();
    let after = after.trim_start_matches(['"', '*', '`', ' ']);
    after.is_empty() || after.starts_with(['|', ',', ';', '\t', '\n', '\r'])
}

/// Adds the values below the names of secrets that begin at `names`, in order.
pub(super) fn find_columns(text: &str, names: &[usize], spans: &mut Vec<Span>) {
    let mut read_to = 0;
    for &name in names {
        if name < read_to {
            continue;
        }
        let Some(header) = line_around(text, name) else { continue };
        read_to = header.end.max(name + 1);
        let Some(table) = Table::new(text, header.clone()) else { continue };
        let mut at = header.end;
        while let Some(row) = table.row(text, at) {
            table.values(text, &row.1, spans);
            at = row.0;
        }
        read_to = read_to.max(at);
    }
}

/// The line that holds `at`.
fn line_around(text: &str, at: usize) -> Option<Range<usize>> {
    let from = text.ceil_char_boundary(at.saturating_sub(HEADER_BYTES_MAX));
    let start = match text.get(from..at)?.rfind('\n') {
        Some(line_end) => from + line_end + 1,
        None if from == 0 => 0,
        None => return None,
    };
    let window = text.get(at..text.floor_char_boundary(at + HEADER_BYTES_MAX))?;
    // The first line of a table has others below it.
    Some(start..at + window.find('\n')?)
}

struct Table {
    separator: char,
    cells: usize,
    columns: Vec<(usize, Column)>,
    place: Place,
}

impl Table {
    fn new(text: &str, header: Range<usize>) -> Option<Self> {
        let line = text.get(header.clone())?;
        let separator = ['|', '\t', ';', ','].into_iter().find(|mark| line.contains(*mark))?;
        let names = cells(text, header, separator)?;
        let columns: Vec<_> = names
            .iter()
            .enumerate()
            .filter_map(|(index, name)| Some((index, column(text.get(name.clone())?)?)))
            .collect();
        let are_names = names.iter().all(|name| text.get(name.clone()).is_some_and(is_name));
        // A line that ends with a comma or a semicolon is code.
        let is_code =
            matches!(separator, ',' | ';') && names.last().is_some_and(|name| name.is_empty());
        let is_of_passwords = names.iter().any(|name| {
            let name = text.get(name.clone()).unwrap_or_default().to_lowercase();
            column(&name).is_none() && BESIDE_PASSWORDS.iter().any(|part| name.contains(part))
        });
        let place = if is_of_passwords { Place::Alone } else { Place::Among };
        let is_table = names.len() >= 2 && are_names && !is_code && !columns.is_empty();
        is_table.then_some(Self { separator, cells: names.len(), columns, place })
    }

    /// The cells of the line after the one that ends at `at`, with its end.
    fn row(&self, text: &str, at: usize) -> Option<(usize, Vec<Range<usize>>)> {
        let from = at + 1;
        let window = text.get(from..text.floor_char_boundary(from + ROW_BYTES_MAX))?;
        let line = window.split('\n').next()?;
        let end = from + line.len();
        let is_whole = line.len() < window.len() || end == text.len();
        let cells = cells(text, from..end, self.separator)?;
        (is_whole && cells.len() == self.cells).then_some((end, cells))
    }

    fn values(&self, text: &str, row: &[Range<usize>], spans: &mut Vec<Span>) {
        for (index, column) in &self.columns {
            let Some(cell) = row.get(*index).and_then(|cell| trimmed_cell(text, cell)) else {
                continue;
            };
            let Some(value) = text.get(cell.clone()) else { continue };
            let kind = match column {
                Column::Secrets(keyword) => {
                    is_value(value, keyword, self.place).then_some(keyword.kind)
                }
                Column::Digits(name) => {
                    // The column of an address is a postal code.
                    let is_postal = value.len() == codes::POSTAL_DIGITS && name == "pin";
                    (codes::is_code_of(name, value) && !is_postal).then_some(SecretKind::Pin)
                }
            };
            if let Some(kind) = kind {
                spans.push(Span { start: cell.start, end: cell.end, kind });
            }
        }
    }
}

/// A cell without spaces, and without a pair of marks around it.
fn trimmed_cell(text: &str, cell: &Range<usize>) -> Option<Range<usize>> {
    let found = text.get(cell.clone())?;
    let from = cell.end - found.trim_start().len();
    let mut inner = found.trim();
    let mut start = from;
    for mark in ["**", "`", "\"", "'"] {
        if let Some(within) = inner.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)) {
            (inner, start) = (within, start + mark.len());
        }
    }
    (!inner.is_empty()).then_some(start..start + inner.len())
}

/// True for what can be the name of a column.
fn is_name(name: &str) -> bool {
    let name = name.trim_matches(['"', '*', '`', ' ', '\r']);
    name.len() <= NAME_BYTES_MAX
        && name.split_whitespace().count() <= NAME_WORDS_MAX
        && name.chars().all(|letter| letter.is_alphanumeric() || " _-./#:".contains(letter))
}

/// What a column of this name holds.
fn column(name: &str) -> Option<Column> {
    let lower = name.trim_matches(['"', '*', '`', ' ', '\r']).to_lowercase();
    let ends_in = |keyword: &&Keyword| {
        lower
            .strip_suffix(keyword.name)
            .is_some_and(|before| !keyword.is_short || begins_name(lower.as_bytes(), before.len()))
    };
    match KEYWORDS.iter().find(ends_in) {
        Some(keyword) => Some(Column::Secrets(keyword)),
        None => codes::is_label(&lower).then_some(Column::Digits(lower)),
    }
}

/// The cells of a line. Those with commas or semicolons between them have no spaces around them,
/// unless they are in quotes: otherwise the line is a list or a sentence.
fn cells(text: &str, line: Range<usize>, separator: char) -> Option<Vec<Range<usize>>> {
    let mut cells = Vec::new();
    let found = text.get(line.clone())?;
    let trimmed = found.trim_matches(['\r', ' ']);
    let mut at = line.start + found.len() - found.trim_start_matches(['\r', ' ']).len();
    let end = at + trimmed.len();
    if separator == '|' {
        at += usize::from(trimmed.starts_with('|'));
    } else if at > line.start {
        return None;
    }
    let end =
        if separator == '|' && trimmed.len() > 1 && trimmed.ends_with('|') { end - 1 } else { end };
    while at <= end && cells.len() <= COLUMNS_MAX {
        let rest = text.get(at..end)?;
        let length = match quoted_length(rest).filter(|_| separator != '|') {
            Some(length) => length,
            None => rest.find(separator).unwrap_or(rest.len()),
        };
        let cell = rest.get(..length)?;
        if matches!(separator, ',' | ';') && (cell.starts_with(' ') || cell.ends_with(' ')) {
            return None;
        }
        cells.push(at..at + length);
        let after = rest.get(length..)?;
        if !after.is_empty() && !after.starts_with(separator) {
            return None;
        }
        at += length + separator.len_utf8();
    }
    (cells.len() <= COLUMNS_MAX).then_some(cells)
}

/// The length of a cell in quotes, where two quotes stand for one.
fn quoted_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    loop {
        at += memchr::memchr(b'"', bytes.get(at..)?)? + 1;
        if bytes.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}
