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

use serde_json::Value;

mod check;
#[cfg(test)]
mod tests;

use check::MISMATCHES_MAX;

/// Deepest schema.
const DEPTH_MAX: usize = 32;
/// Longest schema, in bytes.
const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Longest name of a schema, as services accept it.
const NAME_CHARS_MAX: usize = 64;

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
