//! Files of data and markup, which are text but nobody's words.
//!
//! JSON, HTML, CSS and CSV that no other importer knows would fill memory with brackets and
//! numbers. They are not taken as text unless the user names that format.

use crate::files::has_extension;
use crate::input::without_bom;
use crate::shape::Shape;
use crate::{Probe, files};

/// Extensions of data and markup.
const EXTENSIONS: [&str; 11] =
    ["json", "jsonl", "ndjson", "html", "htm", "xhtml", "mhtml", "css", "csv", "tsv", "svg"];
/// How a page begins.
const PAGES: [&str; 2] = ["<!doctype html", "<html"];

/// Whether a file is data or markup, by its name or its first bytes. An empty file is not.
pub(super) fn is_data(probe: &Probe<'_>) -> bool {
    let head = without_bom(probe.head).trim_ascii_start();
    if head.is_empty() {
        return false;
    }
    if has_extension(probe.path, &EXTENSIONS) {
        return true;
    }
    let begin = files::decode(head.get(..64).unwrap_or(head)).text.to_lowercase();
    if PAGES.iter().any(|page| begin.starts_with(page)) {
        return true;
    }
    // `{` before a name in quotes, or `[` before such an object.
    let opens = begin.strip_prefix('[').unwrap_or(&begin).trim_start();
    let is_object = opens.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'));
    is_object && !Shape::of(head).is_empty()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn data_is_told_from_words_that_begin_as_it_does() {
        let check = |name: &str, text: &str| {
            is_data(&Probe { path: Path::new(name), is_dir: false, head: text.as_bytes() })
        };
        for (name, text) in [
            ("a.json", "[1, 2]"),
            ("a", " [ {\"grok\": 1}]"),
            ("a", "\u{feff}{\n  \"a\": 1"),
            ("page", "<!DOCTYPE html><p>hi"),
            ("a.HTM", "hi"),
            ("a.css", "p { color: red }"),
            ("a.csv", "a,b\n1,2"),
        ] {
            assert!(check(name, text), "{name} {text}");
        }
        for text in ["", "just words, {not} JSON", "[1] a source", "[x] done", "{draft}", "<3 you"]
        {
            assert!(!check("a.txt", text), "{text}");
        }
    }
}
