//! Settings in JSON, with comments and trailing commas, which some hosts allow. Servers are the
//! members of the object `mcpServers` at the top.
//!
//! `jsonc-parser` reads the text and locates each object and member. Only the text of our entry is
//! then inserted, replaced or removed, so every other byte stays. The crate can also edit its
//! syntax tree, but that reformats the text around the edit: it spreads a file of one line over
//! several, and drops blank lines.

use std::collections::BTreeSet;
use std::ops::Range;

use jsonc_parser::ast::{self, ObjectPropName};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::{Value, json};

use super::{Entry, Format, Found, NAME};
use edit::{Edit, Layout};

mod edit;
mod grammar;
pub(super) mod hooks;

/// The member that holds the servers.
const SERVERS: &str = "mcpServers";
/// The byte order mark, which some editors on Windows write.
const BYTE_ORDER_MARK: &str = "\u{feff}";

pub(super) struct Document {
    /// The byte order mark, or nothing.
    mark: &'static str,
    /// The text after the mark.
    text: String,
    root: Object,
    servers: Option<Object>,
    entry: Option<OwnEntry>,
}

/// The entry under our name.
struct OwnEntry {
    /// Where the member is.
    member: Member,
    value: Value,
    /// Where the value's members are, if it is an object.
    object: Option<Object>,
}

/// A member of an object: where its name and its value lie.
#[derive(Clone)]
struct Member {
    name: String,
    start: usize,
    value: Range<usize>,
}

/// An object or an array: where its braces are, and its members.
struct Object {
    open: usize,
    close: usize,
    members: Vec<Member>,
}

impl Document {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (mark, text) =
            text.strip_prefix(BYTE_ORDER_MARK).map_or(("", text), |rest| (BYTE_ORDER_MARK, rest));
        // An empty file is an object without settings.
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let unreadable = |reason: String| format!("it is not valid JSON: {reason}");
        grammar::check_tokens(text).map_err(unreadable)?;
        let parsed = parse_to_ast(text, &CollectOptions::default(), &grammar::GRAMMAR);
        let parsed = parsed.map_err(|error| unreadable(error.to_string()))?;
        let Some(ast::Value::Object(root)) = parsed.value else {
            return Err("it is not a JSON object".to_owned());
        };
        let servers = match root.get(SERVERS).map(|member| &member.value) {
            Some(ast::Value::Object(servers)) => Some(servers),
            Some(_) => return Err(format!("its {SERVERS} is not an object")),
            None => None,
        };
        let entry = servers.and_then(|servers| OwnEntry::of(servers.get(NAME)?));
        let (servers, root) = (servers.map(Object::of), Object::of(&root));
        if root.times(SERVERS) > 1
            || servers.as_ref().is_some_and(|servers| servers.times(NAME) > 1)
        {
            return Err("it has a duplicate key".to_owned());
        }
        Ok(Self { mark, text: text.to_owned(), root, servers, entry })
    }

    /// The text with this value for a member of our entry.
    fn with_own_member(&self, name: &str, value: &Value) -> String {
        let Some(entry) = &self.entry else { return self.text.clone() };
        let Some(object) = entry.object.as_ref().filter(|object| object.is_unique()) else {
            // A value that is not an object cannot be edited in part, so it is replaced.
            let mut members = entry.value.as_object().cloned().unwrap_or_default();
            members.insert(name.to_owned(), value.clone());
            let layout =
                self.servers.as_ref().map_or(Layout::OneLine, |servers| self.layout(servers));
            let text = self.shown(&Value::Object(members), &layout);
            return self.edited(&[Edit { part: entry.member.value.clone(), text }]);
        };
        match object.members.iter().find(|member| member.name == name) {
            None => self.with_member(object, name, value),
            Some(_) if entry.value.get(name) == Some(value) => self.text.clone(),
            Some(member) => {
                let text = self.shown(value, &self.layout(object));
                self.edited(&[Edit { part: member.value.clone(), text }])
            }
        }
    }

    /// The text in which our entry starts the server as wanted. What the user added to the entry
    /// stays.
    fn with_own_members(&self, wanted: &Value) -> String {
        let mut text = self.text.clone();
        for (name, value) in wanted.as_object().into_iter().flatten() {
            let Ok(document) = Self::read(&text) else { return self.text.clone() };
            text = document.with_own_member(name, value);
        }
        text
    }

    /// The text without our entry, and without objects that held nothing else.
    fn without_entry(&self) -> Option<String> {
        self.entry.as_ref()?;
        let document = Self::read(&self.without_member(self.servers.as_ref()?, NAME)).ok()?;
        if !document.servers.as_ref().is_some_and(|servers| document.is_blank(servers)) {
            return Some(document.text);
        }
        Some(Self::read(&document.without_member(&document.root, SERVERS)).ok()?.unless_blank())
    }

    /// The text, or nothing if it is an empty object.
    fn unless_blank(self) -> String {
        let Object { open, close, .. } = self.root;
        let is_alone = self.text.trim() == self.part(open..close + 1);
        if is_alone && self.is_blank(&self.root) { String::new() } else { self.text }
    }

    fn marked(&self, text: String) -> String {
        if text.is_empty() { text } else { [self.mark, &text].concat() }
    }
}

impl OwnEntry {
    fn of(property: &ast::ObjectProp<'_>) -> Option<Self> {
        let object = match &property.value {
            ast::Value::Object(object) => Some(Object::of(object)),
            _ => None,
        };
        Some(Self { member: Member::of(property), value: property.value.clone().into(), object })
    }
}

impl Member {
    fn of(property: &ast::ObjectProp<'_>) -> Self {
        let name = match &property.name {
            ObjectPropName::String(name) => name.value.to_string(),
            ObjectPropName::Word(name) => name.value.to_owned(),
        };
        Self { name, start: property.start(), value: property.value.start()..property.value.end() }
    }
}

impl Object {
    fn of(object: &ast::Object<'_>) -> Self {
        let members = object.properties.iter().map(Member::of).collect();
        Self { open: object.start(), close: object.end().saturating_sub(1), members }
    }

    /// An array, whose elements are members without names.
    fn of_array(array: &ast::Array<'_>) -> Self {
        let element = |value: &ast::Value<'_>| Member {
            name: String::new(),
            start: value.start(),
            value: value.start()..value.end(),
        };
        let members = array.elements.iter().map(element).collect();
        Self { open: array.start(), close: array.end().saturating_sub(1), members }
    }

    fn times(&self, name: &str) -> usize {
        self.members.iter().filter(|member| member.name == name).count()
    }

    fn is_unique(&self) -> bool {
        let names: BTreeSet<&str> =
            self.members.iter().map(|member| member.name.as_str()).collect();
        names.len() == self.members.len()
    }
}

impl Format for Document {
    fn found(&self) -> Option<Found> {
        let entry = &self.entry.as_ref()?.value;
        let arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten();
        let arguments = arguments.filter_map(Value::as_str).map(str::to_owned).collect();
        Some(Found {
            command: entry.get("command").and_then(Value::as_str).map(str::to_owned),
            arguments,
        })
    }

    fn with(&self, entry: &Entry) -> String {
        let wanted = entry.to_json();
        self.marked(match (&self.servers, &self.entry) {
            (None, _) => self.with_member(&self.root, SERVERS, &json!({ NAME: wanted })),
            (Some(servers), None) => self.with_member(servers, NAME, &wanted),
            (Some(_), Some(_)) => self.with_own_members(&wanted),
        })
    }

    fn without(&self) -> String {
        self.marked(self.without_entry().unwrap_or_else(|| self.text.clone()))
    }
}

#[cfg(test)]
mod tests;
