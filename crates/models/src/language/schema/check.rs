//! Checking a value against a schema, with words for the model that has to correct it.

use retrieval::text::shorten;
use serde_json::{Map, Value};

use super::{Mismatch, Node, Others, escaped};

/// Most mismatches that are reported.
pub(super) const MISMATCHES_MAX: usize = 8;
/// Most characters of a value or a name that a mismatch repeats.
const SHOWN_CHARS_MAX: usize = 60;
/// Most permitted values that a mismatch lists.
const CHOICES_SHOWN_MAX: usize = 12;

impl Node {
    pub(super) fn check(&self, value: &Value, pointer: &str, mismatches: &mut Vec<Mismatch>) {
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
            let at = || format!("{pointer}/{}", shorten(&escaped(name), SHOWN_CHARS_MAX));
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
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "the list".to_owned(),
        Value::Object(_) => "the object".to_owned(),
        Value::String(text) => quoted(text),
        other => shorten(&other.to_string(), SHOWN_CHARS_MAX),
    }
}

fn quoted(text: &str) -> String {
    format!("{:?}", shorten(text, SHOWN_CHARS_MAX))
}

fn listed(choices: &[Value]) -> String {
    let shown: Vec<String> = choices.iter().take(CHOICES_SHOWN_MAX).map(shown).collect();
    let more = if choices.len() > CHOICES_SHOWN_MAX { ", …" } else { "" };
    match choices {
        [_] => shown.concat(),
        _ => format!("one of {}{more}", shown.join(", ")),
    }
}
