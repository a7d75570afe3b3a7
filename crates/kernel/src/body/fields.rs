//! Bodies in which no field has to be there.
//!
//! Other versions and other programs write thoughts, nodes, edges and annotations too, and a field
//! that this version cannot read must not make an operation unreadable. So any object is such a
//! body: a field whose value fits its type is read, and every other field is kept as it is. What
//! was read is written back with the same canonical bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Moves a field out of an object if its value fits the type. Otherwise it stays, and so does null,
/// which counts as absent.
pub(crate) fn take<T: DeserializeOwned>(fields: &mut Map<String, Value>, name: &str) -> Option<T> {
    let value = fields.get(name).filter(|value| !value.is_null())?;
    let value = T::deserialize(value).ok()?;
    fields.remove(name);
    Some(value)
}

/// Puts a field into an object, unless it is absent. A value that JSON cannot hold (a confidence
/// that is not a number) counts as absent.
pub(crate) fn put(fields: &mut Map<String, Value>, name: &str, value: &impl Serialize) {
    if let Ok(value) = serde_json::to_value(value)
        && !value.is_null()
    {
        fields.insert(name.to_owned(), value);
    }
}

/// Declares a body of optional fields that keeps every other field.
macro_rules! lenient_body {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)+ }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(
            from = "serde_json::Map<String, serde_json::Value>",
            into = "serde_json::Map<String, serde_json::Value>"
        )]
        pub struct $name {
            $($(#[$field_doc])* pub $field: Option<$type>,)+
            /// Every other field, and those of the fields above whose value does not fit.
            pub others: serde_json::Map<String, serde_json::Value>,
        }

        impl $name {
            /// The first field whose value does not fit its type.
            pub fn unfit_field(&self) -> Option<&'static str> {
                [$(stringify!($field)),+]
                    .into_iter()
                    .find(|field| self.others.get(*field).is_some_and(|value| !value.is_null()))
            }
        }

        impl From<serde_json::Map<String, serde_json::Value>> for $name {
            fn from(mut fields: serde_json::Map<String, serde_json::Value>) -> Self {
                Self {
                    $($field: $crate::body::fields::take(&mut fields, stringify!($field)),)+
                    others: fields,
                }
            }
        }

        impl From<$name> for serde_json::Map<String, serde_json::Value> {
            fn from(body: $name) -> Self {
                let mut fields = body.others;
                $($crate::body::fields::put(&mut fields, stringify!($field), &body.$field);)+
                fields
            }
        }
    };
}

/// Declares a closed set of words: an enum that reads and writes as text.
macro_rules! words {
    (
        $(#[$doc:meta])*
        $name:ident, $what:literal { $($(#[$word_doc:meta])* $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$word_doc])* $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::body::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word).ok_or_else(|| {
                    $crate::body::UnknownWord {
                        word: word.chars().take(64).collect(),
                        what: $what,
                        known: &[$($word),+],
                    }
                })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(deserializer)?;
                word.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use {lenient_body, words};
