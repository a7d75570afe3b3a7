//! Printing: for people with colours only on a terminal, for programs as JSON.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use importers::secrets::SecretKind;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kernel::id::OpId;
use serde::Serialize;

use crate::failure::Failure;

/// Emphasis.
pub(crate) const BOLD: Style = Style::new().bold();
/// What one need not read.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Ids.
pub(crate) const ID: Style = AnsiColor::Yellow.on_default();
/// All is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Something is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// How a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Prints one line. Styles in it are left out where the output is no terminal.
pub(crate) fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    writeln!(anstream::stdout().lock(), "{text}")?;
    Ok(())
}

/// Prints one JSON value, on one line. It goes out past what takes colours from a pipe, which would
/// take characters of the value, too.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(std::io::Error::from)?;
    writeln!(std::io::stdout().lock(), "{}", harmless_json(&text))?;
    Ok(())
}

/// The same JSON without characters that a terminal would obey: they can only be in strings, where
/// an escape means the same.
fn harmless_json(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for c in text.chars() {
        // All of them lie in the basic plane, so that one escape is enough.
        if commands(c) {
            harmless.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            harmless.push(c);
        }
    }
    harmless
}

/// Says which secrets were masked before anything was written.
pub(crate) fn masked(kinds: &[SecretKind]) -> Result<(), Failure> {
    kinds.iter().try_for_each(|kind| line(format_args!("  a secret was masked: {kind}")))
}

/// Tells something beside the result, as JSON.
pub(crate) fn json_note(value: &serde_json::Value) {
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless_json(&value.to_string()));
}

/// Tells something beside the result.
pub(crate) fn note(text: impl std::fmt::Display) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// The beginning of an id that people can type.
pub(crate) fn short(id: &OpId) -> String {
    id.to_string().chars().take(15).collect()
}

/// A count with its noun: `1 record`, `2 records`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Bytes for people.
pub(crate) fn bytes(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

/// What a terminal would take for a command is shown as a space, so that a record cannot move the
/// cursor.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if commands(c) { ' ' } else { c }).collect()
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

/// Control characters, and those that turn the direction of the text around them.
fn commands(c: char) -> bool {
    c.is_control()
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// A progress bar on the error output; silent where that is no terminal.
pub(crate) fn progress(total: Option<u64>, template: &str) -> ProgressBar {
    let bar = match total {
        Some(total) => ProgressBar::new(total),
        None => ProgressBar::new_spinner(),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
