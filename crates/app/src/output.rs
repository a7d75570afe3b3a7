//! Printing: text for people, with colours only on a terminal, and JSON for programs.

use std::io::{IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use importers::secrets::SecretKind;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kernel::id::OpId;
use retrieval::text::visible::escape_json;
use serde::Serialize;

use crate::failure::Failure;
use crate::service::change_wording::{Emphasis, Line};
pub(crate) use crate::text::{count, path, printable, quoted};

/// Emphasis.
pub(crate) const BOLD: Style = Style::new().bold();
/// Secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Ids.
pub(crate) const ID: Style = AnsiColor::Yellow.on_default();
/// Success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// A problem.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// How a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Prints a line built from pieces of different emphasis.
pub(crate) fn emphasised(parts: &Line) -> Result<(), Failure> {
    let mut text = String::new();
    for (emphasis, part) in &parts.0 {
        let style = match emphasis {
            Emphasis::Plain => Style::new(),
            Emphasis::Strong => BOLD,
            Emphasis::Id => ID,
            Emphasis::Faint => DIM,
        };
        text.push_str(&format!("{style}{part}{style:#}"));
    }
    line(text)
}

/// Prints one line. Styles are dropped if the output is not a terminal.
pub(crate) fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    writeln!(anstream::stdout().lock(), "{text}")?;
    Ok(())
}

/// Prints one JSON value on one line. It bypasses the writer that strips colours from a pipe, which
/// would strip characters of the value as well.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(std::io::Error::from)?;
    writeln!(std::io::stdout().lock(), "{}", escape_json(&text))?;
    Ok(())
}

/// Standard output for lines of JSON that are made elsewhere. A terminal gets them with the
/// characters escaped that it would interpret; the values are the same.
pub(crate) fn json_lines() -> Box<dyn Write> {
    lines(escape_json)
}

/// The same for other text that is made elsewhere.
pub(crate) fn text_lines() -> Box<dyn Write> {
    lines(|line| printable(line.trim_end_matches('\r')))
}

fn lines(escape: fn(&str) -> String) -> Box<dyn Write> {
    let output = std::io::BufWriter::new(std::io::stdout().lock());
    match std::io::stdout().is_terminal() {
        true => Box::new(EscapedLines { output, escape, line: Vec::new() }),
        false => Box::new(output),
    }
}

/// Escapes what is written to it, line by line.
struct EscapedLines<W> {
    output: W,
    escape: fn(&str) -> String,
    line: Vec<u8>,
}

impl<W: Write> Write for EscapedLines<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let text =
                    String::from_utf8_lossy(self.line.strip_suffix(b"\n").unwrap_or_default());
                writeln!(self.output, "{}", (self.escape)(&text))?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush()
    }
}

/// Reports which secrets were masked before anything was written.
pub(crate) fn masked(kinds: &[SecretKind]) -> Result<(), Failure> {
    kinds.iter().try_for_each(|kind| line(format_args!("  a secret was masked: {kind}")))
}

/// Prints a note beside the result, as JSON, on the error output.
pub(crate) fn json_note(value: &serde_json::Value) {
    let _ = writeln!(std::io::stderr().lock(), "{}", escape_json(&value.to_string()));
}

/// Why a part of an answer is missing, in JSON.
pub(crate) fn error_json(failure: &Failure) -> serde_json::Value {
    serde_json::json!({
        "code": failure.code(), "message": failure.to_string(), "hint": failure.hint(),
    })
}

/// Notes what was left out of an answer because the file does not hold it as it was signed.
pub(crate) fn note_altered(ids: &[OpId]) {
    if let Some(first) = ids.first() {
        note(format_args!(
            "{} left out: the file no longer holds what was signed ({}{}). `because verify` names all that is wrong",
            count(ids.len() as u64, "result"),
            first.short(),
            if ids.len() > 1 { ", …" } else { "" }
        ));
    }
}

/// Clears what a progress bar left on the line of a terminal.
pub(crate) fn clear_line() {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr().lock(), "\r\x1b[2K");
    }
}

/// Prints a note beside the result, on the error output.
pub(crate) fn note(text: impl std::fmt::Display) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// A byte count for people.
pub(crate) fn bytes(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

/// A progress bar on the error output, or none if that is not a terminal.
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

/// A spinner on the error output while something without countable steps runs.
pub(crate) fn spinner(message: &'static str) -> ProgressBar {
    let bar = progress(None, "{spinner} {msg}");
    bar.set_message(message);
    bar.enable_steady_tick(std::time::Duration::from_millis(125));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_a_terminal_are_escaped_however_they_are_written() {
        let mut lines = EscapedLines { output: Vec::new(), escape: escape_json, line: Vec::new() };
        for piece in ["{\"a\":\"x\u{9b}", "31m\"}\n{\"b\":\"\u{202e}\"}\n"] {
            lines.write_all(piece.as_bytes()).unwrap();
        }
        let text = String::from_utf8(lines.output).unwrap();
        assert_eq!(text, "{\"a\":\"x\\u009b31m\"}\n{\"b\":\"\\u202e\"}\n");
    }
}
