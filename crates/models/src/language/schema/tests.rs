use serde_json::{Map, json};

use super::*;

/// A schema with one property, `it`.
fn schema(it: Value) -> AnswerSchema {
    let document = json!({ "type": "object", "properties": { "it": it }, "required": ["it"] });
    AnswerSchema::new("test", document).unwrap()
}

fn mismatches(schema: &AnswerSchema, it: Value) -> String {
    let found = schema.check(&json!({ "it": it })).err().unwrap_or_default();
    found.iter().map(Mismatch::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn every_keyword_accepts_and_refuses() {
    let check = |document: Value, good: &[Value], bad: &[(Value, &str)]| {
        let schema = schema(document);
        for value in good {
            assert_eq!(mismatches(&schema, value.clone()), "", "{value}");
        }
        for (value, expect) in bad {
            assert_eq!(mismatches(&schema, value.clone()), *expect, "{value}");
        }
    };
    check(
        json!({"type": "string", "minLength": 2, "maxLength": 3}),
        &[json!("éé"), json!("abc")],
        &[
            (json!("é"), "/it: the text has 1 characters, fewer than 2"),
            (json!("abcd"), "/it: the text has 4 characters, more than 3"),
            (json!(7), "/it: 7 is not of the type string"),
            (json!(null), "/it: null is not of the type string"),
        ],
    );
    check(
        json!({"type": "integer", "minimum": 0, "maximum": 10}),
        &[json!(0), json!(10)],
        &[
            (json!(-1), "/it: -1 is less than 0"),
            (json!(11), "/it: 11 is more than 10"),
            (json!(3.0), "/it: 3.0 is not of the type integer"),
            (json!("3"), "/it: \"3\" is not of the type integer"),
            (json!(true), "/it: true is not of the type integer"),
        ],
    );
    check(
        json!({"type": ["number", "null"]}),
        &[json!(1), json!(0.5), json!(null)],
        &[(json!("x"), "/it: \"x\" is not of the type null or number")],
    );
    check(
        json!({"enum": ["fact", "goal", 3]}),
        &[json!("fact"), json!(3)],
        &[(json!("Fact"), "/it: \"Fact\" is not one of \"fact\", \"goal\", 3")],
    );
    check(json!({"const": "a"}), &[json!("a")], &[(json!("b"), "/it: \"b\" is not \"a\"")]);
    check(
        json!({"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 2}),
        &[json!([true]), json!([true, false])],
        &[
            (json!([]), "/it: the list has 0 items, fewer than 1"),
            (json!([true, 1]), "/it/1: 1 is not of the type boolean"),
            (json!([true, true, true]), "/it: the list has 3 items, more than 2"),
            (json!({}), "/it: the object is not of the type array"),
        ],
    );
    check(
        json!({"type": "object", "properties": {"a/b": {"type": "string"}}, "additionalProperties": false}),
        &[json!({}), json!({"a/b": "x"})],
        &[
            (json!({"a/b": 1}), "/it/a~1b: 1 is not of the type string"),
            (json!({"c": 1}), "/it: the property \"c\" is not expected"),
        ],
    );
    check(
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        &[json!({}), json!({"x": 1})],
        &[(json!({"x": "y"}), "/it/x: \"y\" is not of the type integer")],
    );
    check(
        json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        &[json!("a"), json!(["a"])],
        &[(json!([1]), "/it: the list fits none of the 2 alternatives")],
    );
    check(json!({"title": "t", "description": "anything"}), &[json!(null), json!([{}])], &[]);
}

#[test]
fn a_missing_property_and_the_root_are_reported() {
    let schema = schema(json!({}));
    let text = |value: Value| schema.check(&value).unwrap_err()[0].to_string();
    assert_eq!(text(json!({})), "the property \"it\" is missing");
    assert_eq!(text(json!([])), "the list is not of the type object");
}

#[test]
fn reports_are_bounded_in_number_and_length() {
    let schema = schema(json!({"type": "array", "items": {"type": "integer"}}));
    let long = "é".repeat(10_000);
    let found = schema.check(&json!({"it": vec![long; 1000]})).unwrap_err();
    assert_eq!(found.len(), MISMATCHES_MAX);
    assert!(found.iter().all(|mismatch| mismatch.to_string().chars().count() < 200));
    let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let closed = AnswerSchema::new("closed", closed).unwrap();
    let many: Map<String, Value> =
        (0..1000).map(|number| (format!("{number}").repeat(100), json!(1))).collect();
    assert!(closed.check(&Value::Object(many)).unwrap_err().len() <= MISMATCHES_MAX);
}

#[test]
fn a_schema_that_cannot_be_checked_is_refused_when_it_is_made() {
    let refused = |document: Value| AnswerSchema::new("x", document).unwrap_err().to_string();
    let object = |it: Value| json!({"type": "object", "properties": {"it": it}});
    for (it, expect) in [
        (json!({"pattern": "a"}), r#"at "/properties/it/pattern": this keyword is not supported"#),
        (json!({"$ref": "#"}), "this keyword is not supported"),
        (json!({"type": "text"}), "unknown type"),
        (json!({"type": []}), "unknown type"),
        (json!({"enum": []}), "a list of values"),
        (json!({"anyOf": [7]}), r#""/properties/it/anyOf/0": a schema is an object"#),
        (json!({"required": ["x"]}), "\"x\" is required, but is not a property"),
        (json!({"minItems": -1}), "a whole number"),
        (json!({"items": true}), "a schema is an object"),
    ] {
        let error = refused(object(it));
        assert!(error.contains(expect), "{error}");
    }
    assert!(refused(json!({"type": "array"})).contains("must be an object"));
    assert!(refused(json!({"type": ["object", "null"]})).contains("must be an object"));
    let deep = (0..40).fold(json!({}), |schema, _| json!({"type": "array", "items": schema}));
    assert!(refused(object(deep)).contains("too deep"));
    assert!(refused(object(json!({"title": "x".repeat(SCHEMA_BYTES_MAX)}))).contains("too long"));
    for name in ["", "a b", "é", &"a".repeat(65)] {
        assert!(AnswerSchema::new(name, json!({"type": "object"})).is_err(), "{name}");
    }
}

#[test]
fn a_schema_is_strict_if_every_object_is_closed_and_complete() {
    let strict = |document: Value| AnswerSchema::new("x", document).unwrap().is_strict();
    let object = |it: Value| json!({"type": "object", "properties": {"it": it}, "required": ["it"], "additionalProperties": false});
    assert!(strict(object(json!({"type": "array", "items": object(json!({"enum": [1]}))}))));
    assert!(!strict(object(json!({"type": "object"}))));
    assert!(!strict(object(json!({"type": "string", "maxLength": 3}))));
    assert!(!strict(
        json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false})
    ));
    assert!(!strict(object(json!({"anyOf": [{"type": "object"}]}))));
}
