//! Canonical JSON (RFC 8785): the one byte form of a value that is hashed.
//!
//! Reading is stricter than JSON: a repeated name, a number beyond [`INTEGER_MAX`] or nesting
//! beyond [`DEPTH_MAX`] is refused, so that two implementations never read two values from the same
//! bytes. The result is in normal form: `1.0` is the integer 1 and `-0` is 0, as they have the
//! same canonical bytes.

use serde::Serialize;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use self::writer::Limits;

mod writer;

/// Deepest nesting of arrays and objects.
pub const DEPTH_MAX: usize = 64;

/// Largest magnitude of a number: beyond it a double does not hold every integer (RFC 8785
/// §3.2.2.3, RFC 7493 §2.2). It bounds fractions and exponents too, because the canonical form of
/// `1e17` is an integer.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// Why bytes are not acceptable JSON, or a value has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CanonicalError(pub String);

/// The canonical bytes of a value. [`parse`] may refuse them, for depth or for large numbers.
pub fn to_bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    writer::write(value, Limits::None)
}

/// The same for a value that will be nested in `depth` arrays and objects; refuses what [`parse`]
/// would refuse there.
pub(crate) fn to_bytes_inside<T: Serialize>(
    value: &T,
    depth: usize,
) -> Result<Vec<u8>, CanonicalError> {
    writer::write(value, Limits::Inside(depth))
}

/// Reads JSON strictly.
pub fn parse(bytes: &[u8]) -> Result<Value, CanonicalError> {
    parse_inside(bytes, 0)
}

/// Reads JSON strictly that will be nested in `depth` arrays and objects.
pub(crate) fn parse_inside(bytes: &[u8], depth: usize) -> Result<Value, CanonicalError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { depth }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| CanonicalError(error.to_string()))?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        if self.depth >= DEPTH_MAX {
            return Err(E::custom(format_args!("nesting is deeper than {DEPTH_MAX}")));
        }
        Ok(Self { depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > INTEGER_MAX {
            return Err(E::custom(format_args!("the integer {value} is beyond 2^53 - 1")));
        }
        Ok(Value::from(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        if value > INTEGER_MAX {
            return Err(E::custom(format_args!("the integer {value} is beyond 2^53 - 1")));
        }
        Ok(Value::from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        if value.abs() > INTEGER_MAX as f64 {
            return Err(E::custom(format_args!("the number {value:e} is beyond 2^53 - 1")));
        }
        if value.trunc() == value {
            return Ok(Value::from(value as i64));
        }
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut map = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            let value = access.next_value_seed(inner)?;
            if map.contains_key(&name) {
                return Err(de::Error::custom(format_args!("the name {name:?} is repeated")));
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        String::from_utf8(to_bytes(&parse(json.as_bytes()).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn the_examples_of_rfc_8785_come_out_byte_for_byte() {
        let written = |json: &str| {
            let value: Value = serde_json::from_str(json).unwrap();
            String::from_utf8(to_bytes(&value).unwrap()).unwrap()
        };
        let input = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
            "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
        assert_eq!(
            written(input),
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
        );
        let names =
            r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
        let sorted = "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}";
        assert_eq!(written(names), sorted, "names are sorted by UTF-16 code units");
    }

    /// What another implementation writes.
    fn by_another(value: &impl Serialize) -> String {
        String::from_utf8(serde_json_canonicalizer::to_vec(value).unwrap()).unwrap()
    }

    #[test]
    fn another_implementation_writes_the_same() {
        #[derive(Serialize)]
        struct Fields<'a> {
            z: u64,
            #[serde(rename = "a\"b")]
            quoted: Option<&'a str>,
            list: Vec<(i32, f32, f64)>,
            nothing: (),
            unit: Unit,
            variant: Variant,
            #[serde(flatten)]
            more: Map<String, Value>,
            by_number: std::collections::BTreeMap<i64, u128>,
        }
        #[derive(Serialize)]
        struct Unit;
        #[derive(Serialize)]
        enum Variant {
            Of { b: char, a: i8 },
        }
        let names =
            ["b", "", "a b", "a!", "a", "\u{80}", "\u{e000}", "\u{1f600}", "\n", "\\", "ab"];
        let names = names.iter().enumerate();
        let more = names.map(|(place, name)| ((*name).to_owned(), Value::from(place))).collect();
        let fields = Fields {
            z: u64::MAX,
            quoted: Some("\u{0}\u{1f}\u{7f}\"\\/\u{8}\u{c}\n\r\tä\u{2028}"),
            list: vec![(-1, 0.1, 1e21), (i32::MIN, -0.0, 5e-324), (0, 1e10, f64::NAN)],
            nothing: (),
            unit: Unit,
            variant: Variant::Of { b: 'ß', a: -128 },
            more,
            by_number: [(-7, u128::MAX), (10, 9), (9, 0)].into(),
        };
        let written = String::from_utf8(to_bytes(&fields).unwrap()).unwrap();
        assert_eq!(written, by_another(&fields));
        for value in [0, 1 << 53, (1 << 53) + 1, u64::MAX - 1] {
            assert_eq!(String::from_utf8(to_bytes(&value).unwrap()).unwrap(), by_another(&value));
        }
    }

    #[test]
    fn what_would_not_read_back_is_refused_while_it_is_written() {
        let deep = |depth: usize| (0..depth).fold(Value::Null, |inner, _| Value::from(vec![inner]));
        for value in [
            deep(DEPTH_MAX),
            deep(DEPTH_MAX - 1),
            Value::from(INTEGER_MAX),
            Value::from(INTEGER_MAX + 1),
            Value::from(-(1_i64 << 53)),
            Value::from(1e17),
            Value::from(0.5),
        ] {
            for depth in [0, 1] {
                let written = to_bytes(&value).unwrap();
                let read = parse_inside(&written, depth).map(|_| written);
                assert_eq!(to_bytes_inside(&value, depth).ok(), read.ok(), "{value} at {depth}");
            }
        }
        #[derive(Serialize)]
        struct Twice {
            a: u8,
            #[serde(rename = "a")]
            again: u8,
        }
        assert!(to_bytes(&Twice { a: 1, again: 1 }).is_err());
    }

    #[test]
    fn a_number_whose_canonical_form_would_not_read_back_is_refused() {
        for json in ["1e17", "9007199254740992.0", "-1e300", "18446744073709551616", "1E30"] {
            assert!(parse(json.as_bytes()).is_err(), "{json}");
        }
        assert_eq!(
            canonical("[9007199254740991, 9007199254740991.0, 1e15]"),
            "[9007199254740991,9007199254740991,1000000000000000]"
        );
    }

    #[test]
    fn texts_with_the_same_canonical_bytes_read_as_the_same_value() {
        assert_eq!(parse(b"[1.0, -0, -0.0, 1e2]").unwrap(), parse(b"[1,0,0,100]").unwrap());
    }

    #[test]
    fn ambiguous_json_is_refused() {
        let deep = "[".repeat(DEPTH_MAX + 1) + &"]".repeat(DEPTH_MAX + 1);
        for json in [
            r#"{"a":1,"a":2}"#,
            "9007199254740993",
            "-9007199254740993",
            "1e999",
            &deep,
            "1 2",
            "",
            "\"\\ud800\"",
        ] {
            assert!(parse(json.as_bytes()).is_err(), "{json}");
        }
        assert!(parse(&[b'"', 0xff, b'"']).is_err());
    }

    #[test]
    fn negative_zero_and_whole_floats_have_one_form() {
        assert_eq!(canonical("[-0.0, 1.0, 100]"), "[0,1,100]");
    }
}
