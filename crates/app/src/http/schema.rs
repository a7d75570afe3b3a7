//! Rules of requests that types do not say, for their description.
//!
//! Each is checked by the code that reads the request. Described here, clients and tests that read
//! the description make requests that are answered.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The usual forms of a time: a moment, a day, a month, a year, or words. Others are read, too.
pub(super) const TIME: &str = r"^(now|today|yesterday|tomorrow|[1-9][0-9]? (day|week|month|year)s ago|(last|this) (week|month|year)|20[0-9]{2}(-(0[1-9]|1[0-2]))?|20[0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-2]):[0-5][0-9]))?)$";
/// The usual forms of the time of a record: a moment, or a day. Others are read, too.
pub(super) const MOMENT: &str = r"^(now|today|yesterday|[1-9][0-9]? days ago|20[0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-2]):[0-5][0-9]))?)$";
/// A month of a year.
pub(super) const MONTH: &str = "^20[0-9]{2}-(0[1-9]|1[0-2])$";
/// A text that is not blank.
pub(super) const NOT_BLANK: &str = r"\S";

/// One of these types of records, or one with a dot, which may be of another program's derivers.
pub(super) fn pattern_of(types: &BTreeSet<&'static str>) -> String {
    let types: Vec<&str> = types.iter().copied().collect();
    const PART: &str = "[A-Za-z][A-Za-z0-9_-]*";
    format!(r"^({}|{PART}(\.{PART})+)$", types.join("|"))
}

/// At least one of these fields is given, and is not null.
pub(super) fn any_of(fields: &[&str]) -> Value {
    fields.iter().map(|field| given(field, &json!({ "not": { "type": "null" } }))).collect()
}

/// A field is given and is as the schema says.
pub(super) fn given(field: &str, schema: &Value) -> Value {
    json!({ "required": [field], "properties": { field: schema } })
}

/// At most one of these fields is given, and is not null.
pub(super) fn exclusive(fields: &[&str]) -> Value {
    let mut pairs = Vec::new();
    for (place, one) in fields.iter().enumerate() {
        for other in fields.iter().skip(place + 1) {
            let both = any_of(&[one, other]);
            pairs.push(json!({ "not": { "allOf": both } }));
        }
    }
    Value::Array(pairs)
}
