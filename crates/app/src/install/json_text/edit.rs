//! Text edits of settings: inserting a member into an object, or removing one.
//!
//! A new member is formatted like its neighbours. Removing an inserted member restores the previous
//! text.

use std::ops::Range;

use serde_json::Value;

use super::grammar::{Separator, SeparatorKind, separators};
use super::{Document, Object};

/// The indentation of a level where the file does not show one.
const INDENT: &str = "  ";

/// A replacement of a part of the document.
pub(super) struct Edit {
    pub(super) part: Range<usize>,
    pub(super) text: String,
}

/// The layout of an object's members.
pub(super) enum Layout {
    /// The whole file on one line, as programs write it.
    Compact,
    OneLine,
    Lines {
        indent: String,
    },
}

impl Document {
    pub(super) fn part(&self, part: Range<usize>) -> &str {
        self.text.get(part).unwrap_or_default()
    }

    /// The text after edits, which must not overlap and must be in order.
    pub(super) fn edited(&self, edits: &[Edit]) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut done = 0;
        for edit in edits {
            text.push_str(self.part(done..edit.part.start));
            text.push_str(&edit.text);
            done = edit.part.end;
        }
        text.push_str(self.part(done..self.text.len()));
        text
    }

    /// The white space at the beginning of the line that contains `at`.
    fn indent_at(&self, at: usize) -> &str {
        let line = self.part(0..at).rsplit('\n').next().unwrap_or_default();
        let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
        line.get(..end).unwrap_or_default()
    }

    /// The indentation of one level.
    fn unit(&self) -> &str {
        let first =
            self.root.members.first().map(|first| self.indent_at(first.start)).unwrap_or_default();
        let outer = self.indent_at(self.root.open);
        first.strip_prefix(outer).filter(|unit| !unit.is_empty()).unwrap_or(INDENT)
    }

    fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Whether nothing but white space is between the braces.
    pub(super) fn is_blank(&self, object: &Object) -> bool {
        self.part(object.open + 1..object.close).trim().is_empty()
    }

    pub(super) fn layout(&self, object: &Object) -> Layout {
        let is_compact = !self.root.members.is_empty() && !self.text.trim().contains('\n');
        let last = object.members.last();
        let before_last = self.part(object.open..last.map_or(object.close, |last| last.start));
        if is_compact {
            Layout::Compact
        } else if let Some(last) = last.filter(|_| before_last.contains('\n')) {
            Layout::Lines { indent: self.indent_at(last.start).to_owned() }
        } else if last.is_none() && (before_last.contains('\n') || self.is_blank(object)) {
            Layout::Lines { indent: self.inner_indent(object) }
        } else {
            Layout::OneLine
        }
    }

    /// The indentation of an object's members if its braces are on lines of their own.
    fn inner_indent(&self, object: &Object) -> String {
        format!("{}{}", self.indent_at(object.open), self.unit())
    }

    /// A value as it is written in an object of this layout.
    pub(super) fn shown(&self, value: &Value, layout: &Layout) -> String {
        let Layout::Lines { indent } = layout else { return value.to_string() };
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.unit().as_bytes());
        let mut bytes = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        if serde::Serialize::serialize(value, &mut serializer).is_err() {
            return value.to_string();
        }
        let text = String::from_utf8(bytes).unwrap_or_else(|_| value.to_string());
        text.replace('\n', &format!("{}{indent}", self.line_end()))
    }

    /// The text with one more member at the end of an object.
    pub(super) fn with_member(&self, object: &Object, name: &str, value: &Value) -> String {
        let layout = self.layout(object);
        let value = self.shown(value, &layout);
        let space = if matches!(layout, Layout::Compact) { "" } else { " " };
        self.with_last(object, &layout, &format!("\"{name}\":{space}{value}"))
    }

    /// The text with one more element at the end of an array.
    pub(super) fn with_element(&self, array: &Object, value: &Value) -> String {
        let layout = self.layout(array);
        self.with_last(array, &layout, &self.shown(value, &layout))
    }

    fn with_last(&self, object: &Object, layout: &Layout, member: &str) -> String {
        let end = self.line_end();
        let space = match layout {
            Layout::Compact => String::new(),
            Layout::OneLine => " ".to_owned(),
            Layout::Lines { indent } => format!("{end}{indent}"),
        };
        if self.is_blank(object) {
            let after = match layout {
                Layout::Lines { .. } => format!("{end}{}", self.indent_at(object.open)),
                _ => String::new(),
            };
            let part = object.open + 1..object.close;
            return self.edited(&[Edit { part, text: format!("{space}{member}{after}") }]);
        }
        let inside = object.members.last().map_or(object.open + 1, |last| last.value.end);
        let separators = separators(&self.text, inside..object.close);
        let comma = separators.iter().position(|separator| separator.kind == SeparatorKind::Comma);
        let comments = separators.get(comma.map_or(0, |comma| comma + 1)..).unwrap_or_default();
        let anchor =
            comma.and_then(|comma| separators.get(comma)).map_or(inside, |comma| comma.range.end);
        // Comments on the line of the last member belong to it, so ours comes after them.
        let is_beside = |comment: &&Separator| {
            object.members.is_empty() || !self.part(anchor..comment.range.start).contains('\n')
        };
        let beside = comments.iter().take_while(is_beside).last();
        let space = match beside.map(|comment| comment.kind) {
            Some(SeparatorKind::LineComment) if !space.contains('\n') => {
                format!("{end}{}", self.inner_indent(object))
            }
            _ => space,
        };
        let (before, after) = match (comma, object.members.is_empty()) {
            (_, true) => ("", ""),
            (Some(_), false) => ("", ","),
            (None, false) => (",", ""),
        };
        let at = beside.map_or(anchor, |comment| comment.range.end);
        self.edited(&[
            Edit { part: inside..inside, text: before.to_owned() },
            Edit { part: at..at, text: format!("{space}{member}{after}") },
        ])
    }

    /// The text without a member of an object. Comments around the member stay.
    pub(super) fn without_member(&self, object: &Object, name: &str) -> String {
        match object.members.iter().position(|member| member.name == name) {
            Some(place) => self.without_place(object, place),
            None => self.text.clone(),
        }
    }

    /// The same for a member or an element by its place.
    pub(super) fn without_place(&self, object: &Object, place: usize) -> String {
        let before = place.checked_sub(1).and_then(|place| object.members.get(place));
        let after = object.members.get(place + 1).map_or(object.close, |after| after.start);
        let Some(gone) = object.members.get(place) else { return self.text.clone() };
        let inside = before.map_or(object.open + 1, |before| before.value.end);
        let (head, tail) = (
            separators(&self.text, inside..gone.start),
            separators(&self.text, gone.value.end..after),
        );
        let is_comma = |separator: &&Separator| separator.kind == SeparatorKind::Comma;
        if object.members.len() == 1
            && head.is_empty()
            && tail.iter().all(|separator| is_comma(&separator))
        {
            return self
                .edited(&[Edit { part: object.open + 1..object.close, text: String::new() }]);
        }
        let own_comma = tail.iter().find(is_comma);
        let end = own_comma.map_or(gone.value.end, |comma| comma.range.end);
        let start = match head.last() {
            // The comment must still end where it did.
            Some(last) if last.kind == SeparatorKind::LineComment && !self.ends_line(end) => {
                gone.start
            }
            Some(last) => last.range.end,
            None => inside,
        };
        let mut edits = Vec::new();
        // If the last member has no comma after it, the comma before it is removed.
        let comma_before = head.iter().find(is_comma).filter(|_| own_comma.is_none());
        edits.extend(comma_before.map(|comma| self.without_comma(inside, comma)));
        edits.push(Edit { part: start..gone.value.end, text: String::new() });
        edits.extend(own_comma.map(|comma| self.without_comma(gone.value.end, comma)));
        self.edited(&edits)
    }

    /// Removes a comma, and the white space before it if nothing else is on the line.
    fn without_comma(&self, value_end: usize, comma: &Separator) -> Edit {
        let is_alone = self.part(value_end..comma.range.start).trim().is_empty();
        let start = if is_alone { value_end } else { comma.range.start };
        Edit { part: start..comma.range.end, text: String::new() }
    }

    /// Whether the rest of the line is white space.
    fn ends_line(&self, at: usize) -> bool {
        let line = self.part(at..self.text.len()).split(['\n', '\r']).next().unwrap_or_default();
        line.trim().is_empty()
    }
}
