//! Settings in JSON: servers are the members of the object `mcpServers` at the top.
//!
//! Reading the file into values and printing them again would change its spacing, and might change its order and its numbers. So
//! the text is only read to find where our entry is or belongs, and changed there. The text is known to be JSON by then, which keeps the
//! search simple: what is not in a string and opens an object or a list is closed again.

use std::ops::Range;

use serde_json::{Value, json};

use super::{Entry, Format, Found, NAME};

/// Where the servers are.
const SERVERS: &str = "mcpServers";
/// How far a level is indented where the file does not show it.
const INDENT: &str = "  ";

pub(super) struct Document {
    text: String,
    value: Value,
}

/// A member of an object: where its name and its value lie.
struct Member {
    name: String,
    start: usize,
    value: Range<usize>,
}

/// An object: where its braces are, and its members.
struct Object {
    open: usize,
    close: usize,
    members: Vec<Member>,
}

impl Document {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        // An empty file is settings in which nothing was set yet.
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let value: Value = serde_json::from_str(text)
            .map_err(|error| format!("it does not read as JSON: {error}"))?;
        let Some(root) = value.as_object() else { return Err("it is no JSON object".to_owned()) };
        match root.get(SERVERS) {
            Some(servers) if !servers.is_object() => {
                return Err(format!("its {SERVERS} is no object"));
            }
            _ => {}
        }
        let document = Self { text: text.to_owned(), value };
        let is_unique = |object: &Object, name: &str| object.times(name) < 2;
        let root = document.root();
        let servers = root.member(SERVERS).map(|servers| document.object(&servers.value));
        if !is_unique(&root, SERVERS) || !servers.is_none_or(|servers| is_unique(&servers, NAME)) {
            return Err("it has one name twice".to_owned());
        }
        Ok(document)
    }

    fn entry(&self) -> Option<&Value> {
        self.value.get(SERVERS)?.get(NAME)
    }

    fn root(&self) -> Object {
        self.object(&(0..self.text.len()))
    }

    /// The object that lies in this part of the text.
    fn object(&self, part: &Range<usize>) -> Object {
        let mut at = Scanner { bytes: self.text.as_bytes(), at: part.start };
        at.skip_space();
        let open = at.at;
        at.at += 1;
        let mut members = Vec::new();
        loop {
            at.skip_space();
            match at.byte() {
                Some(b',') => at.at += 1,
                Some(b'"') => {
                    let start = at.at;
                    at.skip_value();
                    let name = self.text.get(start..at.at).unwrap_or_default();
                    let name = serde_json::from_str(name).unwrap_or_default();
                    at.skip_space();
                    at.at += 1;
                    at.skip_space();
                    let begins = at.at;
                    at.skip_value();
                    members.push(Member { name, start, value: begins..at.at });
                }
                _ => return Object { open, close: at.at, members },
            }
        }
    }

    /// The text with another in place of a part.
    fn replaced(&self, part: Range<usize>, with: &str) -> String {
        let (head, tail) = (self.text.get(..part.start), self.text.get(part.end..));
        [head.unwrap_or_default(), with, tail.unwrap_or_default()].concat()
    }

    /// The white space at the beginning of the line on which `at` is.
    fn indent_at(&self, at: usize) -> &str {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
        line.get(..end).unwrap_or_default()
    }

    /// Whether the file is written on one line, as programs write what nobody is to read.
    fn is_compact(&self) -> bool {
        self.value.as_object().is_some_and(|root| !root.is_empty())
            && !self.text.trim().contains('\n')
    }

    /// By how much each level is indented.
    fn unit(&self) -> String {
        let root = self.root();
        let first =
            root.members.first().map(|first| self.indent_at(first.start)).unwrap_or_default();
        let outer = self.indent_at(root.open);
        first.strip_prefix(outer).filter(|unit| !unit.is_empty()).unwrap_or(INDENT).to_owned()
    }

    fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// A value as it is written in this file, on lines that are indented so far.
    fn shown(&self, value: &Value, indent: &str) -> String {
        if self.is_compact() {
            return value.to_string();
        }
        let unit = self.unit();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
        let mut bytes = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        if serde::Serialize::serialize(value, &mut serializer).is_err() {
            return value.to_string();
        }
        let text = String::from_utf8(bytes).unwrap_or_else(|_| value.to_string());
        text.replace('\n', &format!("{}{indent}", self.line_end()))
    }

    /// The text with one more member at the end of an object.
    fn with_member(&self, object: &Object, name: &str, value: &Value) -> String {
        let end = self.line_end();
        let Some(last) = object.members.last() else {
            if self.is_compact() {
                return self
                    .replaced(object.open..object.close + 1, &format!("{{\"{name}\":{value}}}"));
            }
            let outer = self.indent_at(object.open);
            let inner = format!("{outer}{}", self.unit());
            let member = format!("\"{name}\": {}", self.shown(value, &inner));
            return self.replaced(
                object.open..object.close + 1,
                &format!("{{{end}{inner}{member}{end}{outer}}}"),
            );
        };
        let at = last.value.end;
        let gap = self.text.get(object.open..last.start).unwrap_or_default();
        if self.is_compact() {
            self.replaced(at..at, &format!(",\"{name}\":{value}"))
        } else if gap.contains('\n') {
            let indent = self.indent_at(last.start).to_owned();
            self.replaced(
                at..at,
                &format!(",{end}{indent}\"{name}\": {}", self.shown(value, &indent)),
            )
        } else {
            self.replaced(at..at, &format!(", \"{name}\": {value}"))
        }
    }

    /// The text without a member of an object.
    fn without_member(&self, object: &Object, name: &str) -> String {
        let Some(place) = object.members.iter().position(|member| member.name == name) else {
            return self.text.clone();
        };
        let (before, after) = (
            place.checked_sub(1).and_then(|at| object.members.get(at)),
            object.members.get(place + 1),
        );
        match (object.members.get(place), before, after) {
            (Some(gone), _, Some(after)) => self.replaced(gone.start..after.start, ""),
            (Some(gone), Some(before), None) => self.replaced(before.value.end..gone.value.end, ""),
            _ => self.replaced(object.open + 1..object.close, ""),
        }
    }

    /// The same document after a change, which is known to read.
    fn changed(text: String) -> Option<Self> {
        Self::read(&text).ok()
    }
}

impl Object {
    fn times(&self, name: &str) -> usize {
        self.members.iter().filter(|member| member.name == name).count()
    }

    fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl Format for Document {
    fn found(&self) -> Option<Found> {
        let entry = self.entry()?;
        let arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten();
        let arguments = arguments.filter_map(Value::as_str).map(str::to_owned).collect();
        Some(Found {
            command: entry.get("command").and_then(Value::as_str).map(str::to_owned),
            arguments,
        })
    }

    fn with(&self, entry: &Entry) -> String {
        let wanted = entry.to_json();
        let root = self.root();
        let Some(servers) = root.member(SERVERS) else {
            return self.with_member(&root, SERVERS, &json!({ NAME: wanted }));
        };
        let servers = self.object(&servers.value);
        let Some(ours) = servers.member(NAME) else {
            return self.with_member(&servers, NAME, &wanted);
        };
        // What the user added to the entry stays; only what differs is written.
        let mut entry = self.entry().cloned().unwrap_or_default();
        let old = entry.clone();
        for (name, value) in wanted.as_object().into_iter().flatten() {
            entry[name] = value.clone();
        }
        if entry == old {
            return self.text.clone();
        }
        let indent = self.indent_at(ours.start).to_owned();
        self.replaced(ours.value.clone(), &self.shown(&entry, &indent))
    }

    fn without(&self) -> String {
        let root = self.root();
        let Some(servers) = root.member(SERVERS) else { return self.text.clone() };
        let text = self.without_member(&self.object(&servers.value), NAME);
        let Some(document) = Self::changed(text) else { return self.text.clone() };
        let is_empty = |value: Option<&Value>| {
            value.and_then(Value::as_object).is_some_and(serde_json::Map::is_empty)
        };
        if !is_empty(document.value.get(SERVERS)) {
            return document.text;
        }
        let text = document.without_member(&document.root(), SERVERS);
        match Self::changed(text) {
            Some(document) if is_empty(Some(&document.value)) => String::new(),
            Some(document) => document.text,
            None => document.text,
        }
    }
}

/// A place in a text that is known to be JSON.
struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.byte().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Goes past a value.
    fn skip_value(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' => self.skip_string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' | b',' if depth == 0 => return,
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                _ if depth == 0 && byte.is_ascii_whitespace() => return,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.byte() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> String {
        Document::read(text).unwrap().with(&Entry::example())
    }

    /// The entry comes in and goes again, and the text is as it was.
    #[track_caller]
    fn comes_and_goes(text: &str) -> String {
        let written = with(text);
        let document = Document::read(&written).unwrap();
        assert!(document.found().unwrap().is_ours(), "{written}");
        assert_eq!(
            document.with(&Entry::example()),
            written,
            "entering twice is not entering once"
        );
        assert_eq!(document.without(), text);
        written
    }

    #[test]
    fn the_entry_comes_in_beside_others_in_their_style_and_goes_without_a_trace() {
        let written = comes_and_goes(
            "{\n    \"n\": 1.50e3,\n    \"mcpServers\": {\n        \"docs\": {\"command\":  \"npx\"}\n    },\n    \"z\": [ ]\n}\n",
        );
        let expected = "        \"docs\": {\"command\":  \"npx\"},\n        \"because\": {\n            \"args\": [\n                \"mcp\"\n            ],";
        assert!(written.contains(expected), "{written}");
        comes_and_goes("{\"a\":{\"b\":\"}]\\\"{\"},\"c\":[1,2]}");
        comes_and_goes("{ \"a\": 1, \"mcpServers\": { \"x\": { } } }\n");
        comes_and_goes("{\r\n\t\"a\": \"\u{e9}\u{1f642}\"\r\n}\r\n");
        comes_and_goes(
            "{\"projects\": {\"/x\": {\"mcpServers\": {\"because\": 5}}},\n\"k\": null}",
        );
    }

    #[test]
    fn a_new_file_is_readable_and_goes_when_nothing_is_left() {
        let written = with("");
        assert!(
            written.starts_with("{\n  \"mcpServers\": {\n    \"because\": {\n")
                && written.ends_with("}\n"),
            "{written}"
        );
        assert_eq!(Document::read(&written).unwrap().without(), "");
    }

    #[test]
    fn an_entry_of_an_older_install_is_brought_up_to_date_and_keeps_what_was_added() {
        let text = "{\n  \"mcpServers\": {\n    \"because\": { \"command\": \"/old/because\", \"args\": [\"mcp\"], \"env\": {\"A\": \"b\"} }\n  }\n}\n";
        let written = with(text);
        let value: Value = serde_json::from_str(&written).unwrap();
        let ours = &value["mcpServers"]["because"];
        assert_eq!(
            (&ours["command"], &ours["env"]["A"]),
            (&json!("/opt/because"), &json!("b")),
            "{written}"
        );
    }

    #[test]
    fn what_cannot_be_understood_is_refused() {
        for text in [
            "{",
            "[]",
            "5",
            "{\"mcpServers\": []}",
            "// settings\n{}",
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "{\"mcpServers\": {\"because\": {}, \"because\": {}}}",
        ] {
            assert!(Document::read(text).is_err(), "{text}");
        }
    }
}
