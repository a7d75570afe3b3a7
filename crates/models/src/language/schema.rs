//! Schemas of answers: a closed part of JSON Schema (2020-12).
//!
//! Services restrict JSON Schema each in its own way, and ignore or refuse what they do not know.
//! So a schema may use only keywords that mean the same everywhere and are checked here as well:
//! `type`, `enum`, `const`, `anyOf`, `properties`, `required`, `additionalProperties`, `items`,
//! `minItems`, `maxItems`, `minLength`, `maxLength`, `minimum`, `maximum`, and the annotations
//! `title` and `description`. Another keyword is an error when the schema is made, not a rule that
//! nobody checks. The root is an object, which both protocols require.
//!
//! One deviation: 3.0 is not an `integer`, because the types that callers read answers into do not
//! accept it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// Deepest schema.
const DEPTH_MAX: usize = 32;
/// Longest schema, in bytes.
const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Longest name of a schema, as services accept it.
const NAME_CHARS_MAX: usize = 64;
/// Most mismatches that are reported.
const MISMATCHES_MAX: usize = 8;
/// Most characters of a value or a name that a mismatch repeats.
const SHOWN_CHARS_MAX: usize = 60;
/// Most permitted values that a mismatch lists.
const CHOICES_SHOWN_MAX: usize = 12;

/// What an answer must fit.
#[derive(Clone, Debug)]
pub struct AnswerSchema {
    name: String,
    document: Value,
    text: String,
    root: Node,
}

/// The document is not a schema of this kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema is invalid at {pointer:?}: {detail}")]
pub struct SchemaError {
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub detail: String,
}

/// Where a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where, as a JSON pointer; empty for the whole answer.
    pub pointer: String,
    /// What is wrong.
    pub detail: String,
}

impl Mismatch {
    /// A mismatch of the whole answer.
    pub(super) fn of_whole(detail: String) -> Self {
        Self { pointer: String::new(), detail }
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pointer.as_str() {
            "" => formatter.write_str(&self.detail),
            pointer => write!(formatter, "{pointer}: {}", self.detail),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum JsonType {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl JsonType {
    const ALL: [Self; 7] = [
        Self::Null,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::String,
        Self::Array,
        Self::Object,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn has(self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Boolean => value.is_boolean(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::String => value.is_string(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// A schema, read.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Empty: any.
    types: BTreeSet<JsonType>,
    /// `enum`, or the one value of `const`.
    choices: Option<Vec<Value>>,
    any_of: Vec<Node>,
    properties: BTreeMap<String, Node>,
    required: BTreeSet<String>,
    others: Others,
    items: Option<Box<Node>>,
    items_min: Option<u64>,
    items_max: Option<u64>,
    chars_min: Option<u64>,
    chars_max: Option<u64>,
    minimum: Option<f64>,
    maximum: Option<f64>,
}

/// `additionalProperties`.
#[derive(Clone, Debug, Default)]
enum Others {
    #[default]
    Any,
    Refused,
    Fitting(Box<Node>),
}

impl AnswerSchema {
    /// Reads a schema. `name` names what the answer is, for services that want a name: letters,
    /// digits, `_` and `-`, at most 64.
    pub fn new(name: &str, document: Value) -> Result<Self, SchemaError> {
        let wrong =
            |detail: &str| SchemaError { pointer: String::new(), detail: detail.to_owned() };
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if name.is_empty() || name.len() > NAME_CHARS_MAX || !name.bytes().all(fits) {
            return Err(wrong("its name is not made of letters, digits, _ and -"));
        }
        let text = document.to_string();
        if text.len() > SCHEMA_BYTES_MAX {
            return Err(wrong("it is too long"));
        }
        let root = Node::read(&document, "", 0)?;
        if root.types != BTreeSet::from([JsonType::Object]) || !root.any_of.is_empty() {
            return Err(wrong("the answer must be an object"));
        }
        Ok(Self { name: name.to_owned(), document, text, root })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The document as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks a value, and says where it does not fit: at most eight places.
    pub fn check(&self, value: &Value) -> Result<(), Vec<Mismatch>> {
        let mut mismatches = Vec::new();
        self.root.check(value, "", &mut mismatches);
        mismatches.truncate(MISMATCHES_MAX);
        if mismatches.is_empty() { Ok(()) } else { Err(mismatches) }
    }

    /// Whether OpenAI's strict mode accepts the schema: every object is closed and requires all its
    /// properties, and no length of a string is limited.
    pub fn is_strict(&self) -> bool {
        self.root.is_strict()
    }
}

impl Node {
    fn read(document: &Value, pointer: &str, depth: usize) -> Result<Self, SchemaError> {
        let wrong =
            |detail: &str| SchemaError { pointer: pointer.to_owned(), detail: detail.to_owned() };
        if depth > DEPTH_MAX {
            return Err(wrong("it is too deep"));
        }
        let keywords = document.as_object().ok_or_else(|| wrong("a schema is an object"))?;
        let mut node = Self::default();
        for (keyword, value) in keywords {
            let at = format!("{pointer}/{}", escaped(keyword));
            node.read_keyword(keyword, value, &at, depth)?;
        }
        let unknown = node.required.iter().find(|name| !node.properties.contains_key(*name));
        match unknown {
            Some(name) => Err(wrong(&format!("{name:?} is required, but is not a property"))),
            None => Ok(node),
        }
    }

    fn read_keyword(
        &mut self,
        keyword: &str,
        value: &Value,
        pointer: &str,
        depth: usize,
    ) -> Result<(), SchemaError> {
        let wrong =
            |detail: &str| SchemaError { pointer: pointer.to_owned(), detail: detail.to_owned() };
        let count = || value.as_u64().ok_or_else(|| wrong("a whole number from 0 is required"));
        let number = || value.as_f64().ok_or_else(|| wrong("a number is required"));
        match keyword {
            "title" | "description" => {}
            "type" => self.types = types(value).ok_or_else(|| wrong("unknown type"))?,
            "enum" => {
                let choices = value.as_array().filter(|choices| !choices.is_empty());
                self.choices =
                    Some(choices.ok_or_else(|| wrong("a list of values is required"))?.clone());
            }
            "const" => self.choices = Some(vec![value.clone()]),
            "anyOf" => {
                let branches = value.as_array().filter(|branches| !branches.is_empty());
                let branches = branches.ok_or_else(|| wrong("a list of schemas is required"))?;
                for (number, branch) in branches.iter().enumerate() {
                    self.any_of.push(Self::read(
                        branch,
                        &format!("{pointer}/{number}"),
                        depth + 1,
                    )?);
                }
            }
            "properties" => {
                let properties = value.as_object().ok_or_else(|| wrong("an object is required"))?;
                for (name, property) in properties {
                    let at = format!("{pointer}/{}", escaped(name));
                    self.properties.insert(name.clone(), Self::read(property, &at, depth + 1)?);
                }
            }
            "required" => {
                let names = value.as_array().and_then(|names| {
                    names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
                });
                self.required = names.ok_or_else(|| wrong("a list of names is required"))?;
            }
            "additionalProperties" => {
                self.others = match value {
                    Value::Bool(true) => Others::Any,
                    Value::Bool(false) => Others::Refused,
                    schema => Others::Fitting(Box::new(Self::read(schema, pointer, depth + 1)?)),
                }
            }
            "items" => self.items = Some(Box::new(Self::read(value, pointer, depth + 1)?)),
            "minItems" => self.items_min = Some(count()?),
            "maxItems" => self.items_max = Some(count()?),
            "minLength" => self.chars_min = Some(count()?),
            "maxLength" => self.chars_max = Some(count()?),
            "minimum" => self.minimum = Some(number()?),
            "maximum" => self.maximum = Some(number()?),
            _ => return Err(wrong("this keyword is not supported")),
        }
        Ok(())
    }

    fn check(&self, value: &Value, pointer: &str, mismatches: &mut Vec<Mismatch>) {
        if mismatches.len() >= MISMATCHES_MAX {
            return;
        }
        let mut report = |detail: String| {
            mismatches.push(Mismatch { pointer: pointer.to_owned(), detail });
        };
        if !self.types.is_empty() && !self.types.iter().any(|one| one.has(value)) {
            let types: Vec<&str> = self.types.iter().map(|one| one.as_str()).collect();
            return report(format!("{} is not of the type {}", shown(value), types.join(" or ")));
        }
        if let Some(choices) = &self.choices
            && !choices.contains(value)
        {
            return report(format!("{} is not {}", shown(value), listed(choices)));
        }
        match value {
            Value::String(text) => self.check_length(text.chars().count() as u64, report),
            Value::Number(number) => self.check_number(number.as_f64().unwrap_or(f64::NAN), report),
            Value::Array(items) => self.check_items(items, pointer, mismatches),
            Value::Object(members) => self.check_members(members, pointer, mismatches),
            Value::Null | Value::Bool(_) => {}
        }
        self.check_branches(value, pointer, mismatches);
    }

    fn check_length(&self, chars: u64, mut report: impl FnMut(String)) {
        if let Some(min) = self.chars_min.filter(|min| chars < *min) {
            report(format!("the text has {chars} characters, fewer than {min}"));
        }
        if let Some(max) = self.chars_max.filter(|max| chars > *max) {
            report(format!("the text has {chars} characters, more than {max}"));
        }
    }

    fn check_number(&self, number: f64, mut report: impl FnMut(String)) {
        if let Some(min) = self.minimum.filter(|min| number < *min) {
            report(format!("{number} is less than {min}"));
        }
        if let Some(max) = self.maximum.filter(|max| number > *max) {
            report(format!("{number} is more than {max}"));
        }
    }

    fn check_items(&self, items: &[Value], pointer: &str, mismatches: &mut Vec<Mismatch>) {
        let count = items.len() as u64;
        let mut report = |detail: String| {
            mismatches.push(Mismatch { pointer: pointer.to_owned(), detail });
        };
        if let Some(min) = self.items_min.filter(|min| count < *min) {
            report(format!("the list has {count} items, fewer than {min}"));
        }
        if let Some(max) = self.items_max.filter(|max| count > *max) {
            report(format!("the list has {count} items, more than {max}"));
        }
        let Some(schema) = &self.items else { return };
        for (number, item) in items.iter().enumerate() {
            if mismatches.len() >= MISMATCHES_MAX {
                return;
            }
            schema.check(item, &format!("{pointer}/{number}"), mismatches);
        }
    }

    fn check_members(
        &self,
        members: &Map<String, Value>,
        pointer: &str,
        mismatches: &mut Vec<Mismatch>,
    ) {
        for name in self.required.iter().filter(|name| !members.contains_key(*name)) {
            let detail = format!("the property {} is missing", quoted(name));
            mismatches.push(Mismatch { pointer: pointer.to_owned(), detail });
        }
        for (name, value) in members {
            if mismatches.len() >= MISMATCHES_MAX {
                return;
            }
            let at = || format!("{pointer}/{}", cut(&escaped(name)));
            match (self.properties.get(name), &self.others) {
                (Some(schema), _) => schema.check(value, &at(), mismatches),
                (None, Others::Fitting(schema)) => schema.check(value, &at(), mismatches),
                (None, Others::Any) => {}
                (None, Others::Refused) => {
                    let detail = format!("the property {} is not expected", quoted(name));
                    mismatches.push(Mismatch { pointer: pointer.to_owned(), detail });
                }
            }
        }
    }

    fn check_branches(&self, value: &Value, pointer: &str, mismatches: &mut Vec<Mismatch>) {
        let fits = |branch: &Self| {
            let mut found = Vec::new();
            branch.check(value, pointer, &mut found);
            found.is_empty()
        };
        if self.any_of.is_empty() || self.any_of.iter().any(fits) {
            return;
        }
        let detail =
            format!("{} fits none of the {} alternatives", shown(value), self.any_of.len());
        mismatches.push(Mismatch { pointer: pointer.to_owned(), detail });
    }

    fn is_strict(&self) -> bool {
        let is_closed = !self.types.contains(&JsonType::Object)
            || (matches!(self.others, Others::Refused)
                && self.properties.keys().all(|name| self.required.contains(name)));
        is_closed
            && self.chars_min.is_none()
            && self.chars_max.is_none()
            && self.properties.values().all(Self::is_strict)
            && self.any_of.iter().all(Self::is_strict)
            && self.items.as_ref().is_none_or(|items| items.is_strict())
    }
}

/// The value of `type`: a name, or a list of names.
fn types(value: &Value) -> Option<BTreeSet<JsonType>> {
    let one = |value: &Value| {
        let name = value.as_str()?;
        JsonType::ALL.into_iter().find(|one| one.as_str() == name)
    };
    match value {
        Value::Array(names) if !names.is_empty() => names.iter().map(one).collect(),
        name => one(name).map(|one| BTreeSet::from([one])),
    }
}

/// A name in a JSON pointer (RFC 6901).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "the list".to_owned(),
        Value::Object(_) => "the object".to_owned(),
        Value::String(text) => quoted(text),
        other => cut(&other.to_string()),
    }
}

fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

fn listed(choices: &[Value]) -> String {
    let shown: Vec<String> = choices.iter().take(CHOICES_SHOWN_MAX).map(shown).collect();
    let more = if choices.len() > CHOICES_SHOWN_MAX { ", …" } else { "" };
    match choices {
        [_] => shown.concat(),
        _ => format!("one of {}{more}", shown.join(", ")),
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= SHOWN_CHARS_MAX {
        return text.to_owned();
    }
    text.chars().take(SHOWN_CHARS_MAX).collect::<String>() + "…"
}

#[cfg(test)]
mod tests;
