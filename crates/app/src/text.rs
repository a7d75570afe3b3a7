//! Text for people: escaped for a terminal, shortened, and joined from parts. Nothing here prints,
//! so every part of the program may use it.

use retrieval::text::visible::on_one_line;

/// A count with its noun: `1 record`, `2 records`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Text on one line without commands to a terminal and without characters that nobody sees.
pub(crate) fn printable(text: &str) -> String {
    on_one_line(text)
}

/// Quotes a text for a shell, so that it stays one argument of a suggested command, whatever it
/// contains.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", printable(text).replace('\'', r"'\''"))
}

/// A path for people.
pub(crate) fn path(path: &std::path::Path) -> String {
    printable(&path.to_string_lossy())
}
