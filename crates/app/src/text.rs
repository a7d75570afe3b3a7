//! Text for people: made harmless for a terminal, shortened, and put together from parts. Nothing
//! in here prints, so every part of the program may use it.

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

/// Replaces what a terminal would obey by spaces, so that a record cannot move the cursor.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if is_command(c) { ' ' } else { c }).collect()
}

/// A text as an argument of a command that is offered to a shell: it stays one argument, whatever
/// it says.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", printable(text).replace('\'', r"'\''"))
}

/// A path for people.
pub(crate) fn path(path: &std::path::Path) -> String {
    printable(&path.to_string_lossy())
}

/// True for control characters, and for those that turn the direction of the text around them.
pub(crate) fn is_command(c: char) -> bool {
    c.is_control()
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}
