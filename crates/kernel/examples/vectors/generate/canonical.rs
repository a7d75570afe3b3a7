//! Text and its canonical form, or none where reading refuses it.

use serde_json::{Value, json};

const VALID: &[(&str, &str, &str)] = &[
    ("white space goes", " {\t\"a\" :\r\n 1 } ", r#"{"a":1}"#),
    ("empty containers stay", r#"{"b":{},"a":[]}"#, r#"{"a":[],"b":{}}"#),
    ("an array keeps its order", "[3,1,2]", "[3,1,2]"),
    ("a scalar is a value", "null", "null"),
    (
        "names are sorted by UTF-16 code units",
        r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
    ),
    ("a shorter name comes first", r#"{"ab":1,"a":2,"":3}"#, r#"{"":3,"a":2,"ab":1}"#),
    (
        "names are sorted at every depth",
        r#"{"z":{"b":1,"a":2},"y":[{"d":1,"c":2}]}"#,
        r#"{"y":[{"c":2,"d":1}],"z":{"a":2,"b":1}}"#,
    ),
    (
        "escapes are the shortest there are",
        r#""\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/""#,
        r#""€$\u000f\nA'B\"\\\\\"/""#,
    ),
    (
        "control characters",
        r#""\u0000\u0008\u0009\u000b\u000c\u000d\u001f\u007f""#,
        "\"\\u0000\\b\\t\\u000b\\f\\r\\u001f\u{7f}\"",
    ),
    ("text is not normalised", r#"["e\u0301","\u00e9"]"#, "[\"e\u{301}\",\"é\"]"),
    ("a pair of surrogates is one character", r#""\ud834\udd1e""#, "\"\u{1d11e}\""),
    (
        "whole numbers have no fraction",
        "[1.0,100,1e2,1.5e1,-0,-0.0,0.0,0e9]",
        "[1,100,100,15,0,0,0,0]",
    ),
    (
        "the largest integers",
        "[9007199254740991,-9007199254740991,9007199254740991.0]",
        "[9007199254740991,-9007199254740991,9007199254740991]",
    ),
    (
        "doubles in their shortest form",
        "[333333333.33333329,4.50,2e-3,0.000000000000000000000000001,0.1]",
        "[333333333.3333333,4.5,0.002,1e-27,0.1]",
    ),
    (
        "where exponents begin",
        "[0.000001,0.0000001,1e15,123456789012345.6]",
        "[0.000001,1e-7,1000000000000000,123456789012345.6]",
    ),
    (
        "the smallest doubles",
        "[5e-324,-5e-324,2.2250738585072014e-308,1e-400]",
        "[5e-324,-5e-324,2.2250738585072014e-308,0]",
    ),
    (
        "a double is read to its last bit",
        "[0.30000000000000004,1.7976931348623157e-5,9.5367431640625e-7,64.00000000000001]",
        "[0.30000000000000004,0.000017976931348623157,9.5367431640625e-7,64.00000000000001]",
    ),
];

const INVALID: &[(&str, &str)] = &[
    ("nothing", ""),
    ("a repeated name", r#"{"a":1,"a":1}"#),
    ("a repeated name in disguise", r#"{"a":1,"\u0061":2}"#),
    ("a repeated name deep down", r#"[{"x":{"a":1,"b":2,"a":3}}]"#),
    ("an integer beyond 2^53 - 1", "9007199254740992"),
    ("a negative integer beyond 2^53 - 1", "[-9007199254740992]"),
    ("a fraction whose value is beyond 2^53 - 1", "9007199254740992.0"),
    ("an exponent whose value is beyond 2^53 - 1", "1E30"),
    ("an integer of twenty digits", "18446744073709551616"),
    ("no double", "1e999"),
    ("two values", "1 2"),
    ("a comma too many", "[1,]"),
    ("a comma too many in an object", r#"{"a":1,}"#),
    ("a leading zero", "01"),
    ("a plus", "+1"),
    ("a bare point", "1."),
    ("not a number", "NaN"),
    ("an unquoted name", "{a:1}"),
    ("single quotes", "'a'"),
    ("a comment", "1 // one"),
    ("a lone high surrogate", r#""\ud800""#),
    ("a lone low surrogate", r#""\udc00""#),
    ("surrogates the wrong way round", r#""\udd1e\ud834""#),
    ("a raw control character", "\"\u{1}\""),
    ("a raw line break in a string", "\"a\nb\""),
    ("an unknown escape", r#""\x41""#),
    ("a byte-order mark", "\u{feff}1"),
    ("an open array", "[1"),
    ("an open string", "\"a"),
];

/// Every vector: `input` (or `input_hex`) and its `canonical` form, null where it is refused.
pub(super) fn vectors() -> Vec<Value> {
    let mut vectors = Vec::new();
    for (name, input, canonical) in VALID {
        vectors.push(json!({"name": name, "input": input, "canonical": canonical}));
    }
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    vectors.push(json!({"name": "depth 64", "input": nested(64), "canonical": nested(64)}));
    for (name, input) in INVALID {
        vectors.push(json!({"name": name, "input": input, "canonical": null}));
    }
    vectors.push(json!({"name": "depth 65", "input": nested(65), "canonical": null}));
    vectors.push(json!({"name": "no UTF-8", "input_hex": "22ff22", "canonical": null}));
    vectors.push(json!({"name": "an overlong slash", "input_hex": "22c0af22", "canonical": null}));
    vectors.push(
        json!({"name": "a surrogate in UTF-8", "input_hex": "22eda08022", "canonical": null}),
    );
    vectors
}
