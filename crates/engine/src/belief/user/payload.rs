//! The payload of a correction: JSON for the whole payload, or `FIELD=VALUE` for some of its
//! fields.
//!
//! Other derivers read the payload of a claim, so its replacement must have the same shape: an
//! object replaces an object, and each field keeps its name and the type of its value, or is null.
//! A time of day stays a time of day and a date a date.
//! A value of a few stays one of them. JSON for the whole payload may add fields to some of those
//! that there are. `FIELD=VALUE` must name an existing field, so that a misspelling is noticed.

use std::collections::BTreeSet;

use derivers::vocabulary::values_of;
use jiff::civil::{Date, Time};
use kernel::canonical;
use kernel::operation::BODY_BYTES_MAX;
use serde_json::{Map, Value};

use super::UserError;
use crate::belief::Belief;
use crate::belief::claims::is_in_words;

/// Fields of a payload that an error names.
const FIELDS_NAMED_MAX: usize = 12;
/// Characters of a value that an error names.
const VALUE_CHARS_MAX: usize = 40;

/// The corrected payload, from JSON for the whole or from single fields. `claimed` is the payload
/// of the latest claim: a field that an earlier correction left out still belongs to the belief.
pub(super) fn replacing(
    belief: &Belief,
    claimed: Option<&Value>,
    set: &[String],
) -> Result<Value, UserError> {
    let known = known(&belief.payload, claimed);
    let shape = |reason: String| UserError::PayloadShape { key: belief.key.clone(), reason };
    if set.is_empty() {
        return Ok(belief.payload.clone());
    }
    if is_in_words(belief) && belief.payload.is_null() {
        return Err(UserError::StatedInWords { key: belief.key.clone() });
    }
    if let [text] = set {
        match read_json(text) {
            Ok(payload) => {
                fits(&known, &payload).map_err(shape)?;
                return Ok(payload);
            }
            Err(reason) if assignment(text).is_none() => {
                return Err(UserError::PayloadMalformed {
                    text: text.chars().take(80).collect(),
                    reason,
                });
            }
            Err(_) => {}
        }
    }
    let Value::Object(fields) = &belief.payload else {
        return Err(shape(
            "what is believed has no fields; give the whole of it as JSON".to_owned(),
        ));
    };
    let mut fields = fields.clone();
    for text in set {
        let Some((name, value)) = assignment(text) else {
            let reason = "of several, each is FIELD=VALUE".to_owned();
            return Err(UserError::PayloadMalformed {
                text: text.chars().take(80).collect(),
                reason,
            });
        };
        let known = known.get(name).ok_or_else(|| {
            let names = known.as_object().map(names).unwrap_or_default();
            shape(format!("it has no field {name:?}; its fields are {names}"))
        })?;
        let text = || Value::String(value.to_owned());
        // What was text stays text, also where it looks like a number.
        let value = if known.is_string() {
            unquoted(value).unwrap_or_else(text)
        } else {
            read_json(value).unwrap_or_else(|_| text())
        };
        fits_field(name, known, &value).map_err(shape)?;
        fields.insert(name.to_owned(), value);
    }
    Ok(Value::Object(fields))
}

/// The fields that a belief may have: those that are served, and those of the claim under a
/// correction.
fn known(served: &Value, claimed: Option<&Value>) -> Value {
    let (Value::Object(served), Some(Value::Object(claimed))) = (served, claimed) else {
        return served.clone();
    };
    let mut known = claimed.clone();
    for (name, value) in served.iter().filter(|(_, value)| !value.is_null()) {
        known.insert(name.clone(), value.clone());
    }
    Value::Object(known)
}

/// What a corrected payload says: the text of the belief with the changed values replaced, a
/// preference in words, or the fields of the payload; `None` if it has none.
pub(super) fn in_words(belief: &Belief, payload: &Value) -> Option<String> {
    if *payload == belief.payload {
        return Some(belief.text.clone()).filter(|text| !text.is_empty());
    }
    reworded(belief, payload)
        .or_else(|| derivers::preferences::in_words(&belief.claim_type, payload))
        .or_else(|| fields_in_words(payload))
}

/// `days: tue, thu; daypart: evening`.
fn fields_in_words(payload: &Value) -> Option<String> {
    fn value(of: &Value) -> Option<String> {
        match of {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Array(items) => {
                Some(items.iter().filter_map(value).collect::<Vec<_>>().join(", "))
            }
            Value::Object(fields) => Some(
                fields
                    .iter()
                    .filter_map(|(name, of)| Some(format!("{name} {}", value(of)?)))
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
            other => Some(other.to_string()),
        }
    }
    let Value::Object(fields) = payload else { return None };
    let fields = fields.iter().filter_map(|(name, of)| {
        let value = value(of).filter(|value| !value.is_empty())?;
        Some(format!("{}: {value}", name.replace('_', " ")))
    });
    Some(fields.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

/// The text of a belief with the changed values of its payload replaced; `None` unless each of them
/// occurs exactly once.
fn reworded(belief: &Belief, payload: &Value) -> Option<String> {
    let (Value::Object(old), Value::Object(new)) = (&belief.payload, payload) else { return None };
    let mut text = belief.text.clone();
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before == after {
            continue;
        }
        let (before, after) = (before?.as_str()?, after?.as_str()?);
        if before.is_empty() || text.matches(before).count() != 1 {
            return None;
        }
        text = text.replacen(before, after, 1);
    }
    Some(text).filter(|text| !text.is_empty())
}

/// Fields with their values, for an error.
pub(super) fn listed(fields: &Map<String, Value>) -> String {
    let value = |value: &Value| match value {
        Value::String(text) => text.chars().take(VALUE_CHARS_MAX).collect(),
        other => other.to_string().chars().take(VALUE_CHARS_MAX).collect::<String>(),
    };
    let listed = fields.iter().take(FIELDS_NAMED_MAX);
    listed.map(|(name, of)| format!("{name}={}", value(of))).collect::<Vec<_>>().join(", ")
}

fn read_json(text: &str) -> Result<Value, String> {
    if text.len() > BODY_BYTES_MAX {
        return Err("it is larger than 1 MiB".to_owned());
    }
    canonical::parse(text.as_bytes()).map_err(|error| error.to_string())
}

fn unquoted(text: &str) -> Option<Value> {
    read_json(text).ok().filter(Value::is_string)
}

/// `FIELD=VALUE`.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    is_name.then_some((name, value))
}

/// Whether a payload has the shape of another: an object replaces an object, and each field keeps
/// the type of its value.
fn fits(known: &Value, new: &Value) -> Result<(), String> {
    match (known, new) {
        (Value::Object(known), Value::Object(new)) if new.is_empty() && !known.is_empty() => {
            Err(format!("it needs a field at least; its fields are {}", names(known)))
        }
        (Value::Object(known), Value::Object(new))
            if !known.is_empty() && !new.keys().any(|name| known.contains_key(name)) =>
        {
            Err(format!("it has none of the fields {}", names(known)))
        }
        (Value::Object(known), Value::Object(new)) => new.iter().try_for_each(|(name, value)| {
            known.get(name).map_or(Ok(()), |known| fits_field(name, known, value))
        }),
        (Value::Object(fields), other) => Err(format!(
            "it is an object with the fields {}, and this is {}",
            names(fields),
            sort_of(other)
        )),
        _ => Ok(()),
    }
}

fn names(fields: &Map<String, Value>) -> String {
    fields.keys().map(String::as_str).take(FIELDS_NAMED_MAX).collect::<Vec<_>>().join(", ")
}

fn fits_field(name: &str, known: &Value, new: &Value) -> Result<(), String> {
    match (known, new) {
        (Value::Null, _) | (_, Value::Null) => Ok(()),
        (Value::String(known), Value::String(new)) => {
            let values = values_of(name).filter(|values| values.contains(&known.as_str()));
            if let Some(values) = values.filter(|values| !values.contains(&new.as_str())) {
                return Err(format!("its field {name:?} is one of {}", values.join(", ")));
            }
            fits_text(known, new).map_err(|sort| format!("its field {name:?} is {sort}"))
        }
        (Value::Object(known), Value::Object(new)) => new.iter().try_for_each(|(part, value)| {
            let name = format!("{name}.{part}");
            known.get(part).map_or(Ok(()), |known| fits_field(&name, known, value))
        }),
        _ if std::mem::discriminant(known) == std::mem::discriminant(new) => Ok(()),
        _ => Err(format!("its field {name:?} is {}, and this is {}", sort_of(known), sort_of(new))),
    }
}

/// Whether a text may replace another: a time of day stays one, a date stays one, and what had
/// words does not become blank. The error says what it has to be.
fn fits_text(known: &str, new: &str) -> Result<(), &'static str> {
    const TIME_OF_DAY: &str = "%H:%M";
    let is_time = |text: &str| Time::strptime(TIME_OF_DAY, text).is_ok();
    let is_date = |text: &str| text.parse::<Date>().is_ok();
    if is_time(known) && !is_time(new) {
        return Err("a time of day from 00:00 to 23:59");
    }
    if is_date(known) && !is_date(new) {
        return Err("a date such as 2025-03-31");
    }
    if !known.trim().is_empty() && new.trim().is_empty() {
        return Err("text that is not blank; null removes it");
    }
    Ok(())
}

fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
