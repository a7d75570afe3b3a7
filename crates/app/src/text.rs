//! Text for people: escaped for a terminal, shortened, and joined from parts. Nothing here prints,
//! so every part of the program may use it.

use kernel::id::OpId;

/// The beginning of an id that people can type.
pub(crate) fn short(id: &OpId) -> String {
    id.to_string().chars().take(15).collect()
}

/// A count with its noun: `1 record`, `2 records`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Replaces the characters that a terminal would interpret with spaces, so that a record cannot
/// move the cursor.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if is_command(c) { ' ' } else { c }).collect()
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

/// True for control characters and for those that change the direction of the text around them.
pub(crate) fn is_command(c: char) -> bool {
    c.is_control()
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}
