//! Bodies and query strings become values here, once, and strictly.
//!
//! JSON in which a name stands twice, a surrogate stands alone, or bytes are not UTF-8 is refused:
//! two programs would read it in two ways. Unknown fields are refused by name, so that a typing
//! error does not go unnoticed.

use std::fmt;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::error::ApiError;

/// Reads the JSON of a body.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, ApiError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ApiError::validation(format!("the body is not UTF-8: {error}")))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let malformed =
        |error: serde_json::Error| ApiError::validation(format!("the body is not JSON: {error}"));
    let value = Strict.deserialize(&mut reader).map_err(malformed)?;
    reader.end().map_err(malformed)?;
    Ok(value)
}

/// The same with its own numbers as integers where they are whole: to JSON Schema, `5.0` is one.
/// Numbers deeper inside are data, and stay as they are written.
fn whole(mut value: Value) -> Value {
    /// Up to this, every whole number is a float.
    const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;
    for field in value.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Some(number) = field.as_f64().filter(|_| field.is_f64())
            && number.fract() == 0.0
            && number.abs() <= WHOLE_MAX
        {
            *field = Value::from(number as i64);
        }
    }
    value
}

/// Reads a request from JSON. The message names the field that breaks its rule.
pub(super) fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ApiError> {
    if !value.is_object() {
        return Err(ApiError::validation("the body must be a JSON object"));
    }
    serde_path_to_error::deserialize(whole(value)).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        // The message about an unknown or missing field names it already.
        ApiError::validation(match path.as_str() {
            "." | "?" => message,
            _ => format!("{path}: {message}"),
        })
    })
}

/// Reads a query string by the schema of the request that it stands for: numbers and truth values
/// by their types, lists by repetition.
pub(super) fn from_query(query: &str, schema: &Value) -> Result<Value, ApiError> {
    let mut fields = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, text) = (decoded(name)?, decoded(text)?);
        let types = schema.pointer(&format!("/properties/{}/type", name.replace('/', "~1")));
        let is = |wanted: &str| match types {
            Some(Value::String(one)) => one == wanted,
            Some(Value::Array(several)) => several.iter().any(|one| one == wanted),
            _ => false,
        };
        let read = || {
            serde_json::from_str::<Value>(&text)
                .ok()
                .filter(|value| !value.is_string() && !value.is_null())
        };
        if is("array") {
            let list = fields.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = list {
                list.push(Value::String(text));
            }
            continue;
        }
        let value = match read() {
            Some(value) if is("integer") || is("number") || is("boolean") => value,
            _ => Value::String(text),
        };
        if fields.insert(name.clone(), value).is_some() {
            return Err(ApiError::validation(format!("{name} is given twice")));
        }
    }
    Ok(Value::Object(fields))
}

/// A part of a query string or a path, decoded.
pub(super) fn decoded(text: &str) -> Result<String, ApiError> {
    let malformed = || ApiError::validation("the address is not percent-encoded UTF-8");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || (rest.next()? as char).to_digit(16);
                let (high, low) = (digit().ok_or_else(malformed)?, digit().ok_or_else(malformed)?);
                u8::try_from(high * 16 + low).map_err(|_| malformed())?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| malformed())
}

/// An answer.
pub(super) fn response(value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// A value in which no name stands twice.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Strict)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(Strict)?;
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format!("the name {name:?} stands twice")));
            }
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_that_two_programs_would_read_in_two_ways_is_refused() {
        for good in ["{}", r#"{"a":1,"b":{"a":2}}"#, " [1, 2.5, null, true] ", r#""\ud83d\ude00""#]
        {
            let plain: Value = serde_json::from_str(good).unwrap();
            assert_eq!(parse(good.as_bytes()).unwrap(), plain, "{good}");
        }
        let deep = "[".repeat(100_000);
        let bad: [&[u8]; 9] = [
            b"",
            br#"{"a":1,"a":2}"#,
            br#"{"a":{"b":1,"b":2}}"#,
            br#"{"\u0061":1,"a":2}"#,
            br#""\ud83d""#,
            b"\"\xff\"",
            b"{} {}",
            b"1e999",
            deep.as_bytes(),
        ];
        for bad in bad {
            let error = parse(bad).unwrap_err();
            assert_eq!((error.status.as_u16(), error.code.as_str()), (400, "VALIDATION_ERROR"));
        }
    }

    #[test]
    fn a_query_is_read_by_the_types_of_its_schema() {
        let schema = json!({ "properties": {
            "limit": { "type": ["integer", "null"] }, "all": { "type": "boolean" },
            "kind": { "type": "array" }, "space": { "type": ["string", "null"] },
        }});
        let read = |query: &str| from_query(query, &schema).ok();
        assert_eq!(
            read("limit=5&all=true&kind=a&kind=b%20c&space=5"),
            Some(json!({ "limit": 5, "all": true, "kind": ["a", "b c"], "space": "5" }))
        );
        assert_eq!(read("limit=x"), Some(json!({ "limit": "x" })));
        assert_eq!(read("limit=null"), Some(json!({ "limit": "null" })));
        assert_eq!(read(""), Some(json!({})));
        for wrong in ["limit=1&limit=2", "space=%zz", "space=%ff", "space=%"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
