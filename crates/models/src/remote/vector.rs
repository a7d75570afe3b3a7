//! Parsing of vectors in responses: a list of numbers, or base64 of little-endian floats.

use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

use super::BATCH_MAX;

/// Longest vector that is accepted. The longest in use have 8192 numbers.
pub const DIMENSIONS_MAX: usize = 16_384;
/// Bytes of a float.
const FLOAT_BYTES: usize = 4;

/// Finite numbers, at most [`DIMENSIONS_MAX`] of them.
#[derive(Debug, PartialEq)]
pub(super) struct Vector(pub(super) Vec<f32>);

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Numbers)
    }
}

struct Numbers;

impl<'de> Visitor<'de> for Numbers {
    type Value = Vector;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "a vector of finite numbers, at most {DIMENSIONS_MAX}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vector, A::Error> {
        let mut vector = Vec::new();
        while let Some(number) = sequence.next_element::<Option<f64>>()? {
            let number = number
                .ok_or_else(|| A::Error::custom("a vector holds null in place of a number"))?;
            push(&mut vector, number as f32)?;
        }
        Ok(Vector(vector))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vector, E> {
        let bytes = data_encoding::BASE64
            .decode(text.as_bytes())
            .map_err(|_| E::custom("a vector is not valid base64"))?;
        let (floats, []) = bytes.as_chunks::<FLOAT_BYTES>() else {
            return Err(E::custom("a vector in base64 ends in the middle of a number"));
        };
        let mut vector = Vec::new();
        for bytes in floats {
            push(&mut vector, f32::from_le_bytes(*bytes))?;
        }
        Ok(Vector(vector))
    }
}

fn push<E: Error>(vector: &mut Vec<f32>, number: f32) -> Result<(), E> {
    if !number.is_finite() {
        return Err(E::custom("a vector holds a number that is not finite"));
    }
    if vector.len() == DIMENSIONS_MAX {
        return Err(E::custom(format_args!("a vector has more than {DIMENSIONS_MAX} numbers")));
    }
    vector.push(number);
    Ok(())
}

/// A list with a length limit, so that a small response cannot take much memory.
pub(super) struct List<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Items(PhantomData))
    }
}

struct Items<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
    type Value = List<T>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "a list of at most {BATCH_MAX} vectors")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<List<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            if items.len() == BATCH_MAX {
                return Err(A::Error::custom(format_args!("more than {BATCH_MAX} vectors")));
            }
            items.push(item);
        }
        Ok(List(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Vec<f32>, String> {
        serde_json::from_str::<Vector>(json)
            .map(|vector| vector.0)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn base64_and_json_give_the_same_numbers() {
        let bytes: Vec<u8> =
            [1.0_f32, -0.5, 0.25].iter().flat_map(|number| number.to_le_bytes()).collect();
        let base64 = format!("\"{}\"", data_encoding::BASE64.encode(&bytes));
        assert_eq!(read(&base64).unwrap(), read("[1, -0.5, 25e-2]").unwrap());
    }

    #[test]
    fn a_list_is_limited_to_the_largest_batch() {
        let list = |length: usize| format!("[{}[]]", "[],".repeat(length - 1));
        assert!(serde_json::from_str::<List<Vector>>(&list(BATCH_MAX)).is_ok());
        assert!(serde_json::from_str::<List<Vector>>(&list(BATCH_MAX + 1)).is_err());
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        let infinite =
            format!("\"{}\"", data_encoding::BASE64.encode(&f32::INFINITY.to_le_bytes()));
        let long = format!("[{}0]", "0,".repeat(DIMENSIONS_MAX));
        for json in [
            "[1, null]",
            "[1e39]",
            "[1e999]",
            "[\"1\"]",
            "\"AAA\"",
            "\"AAAA\"",
            "{}",
            "7",
            &infinite,
            &long,
        ] {
            assert!(read(json).is_err(), "{json:.40}");
        }
    }
}
