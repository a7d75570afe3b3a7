//! Keys of services: where one may be, and reading it.

use models::secret::Secret;

use super::{Configuration, ConfigurationError, Source};

/// Longest file of a key, with white space around it.
const KEY_BYTES_MAX: u64 = 8 << 10;

/// Where the key of a service may be. The first that is set counts.
#[derive(Clone, Copy)]
pub(super) struct KeyPlaces<'a> {
    /// A file that the user names.
    pub(super) file: Option<(&'a str, &'a Source)>,
    /// A variable that the user names; an empty name means no key.
    pub(super) variable: Option<(&'a str, &'a Source)>,
    /// The provider's usual variable. None if the user sets an address: setting another address
    /// must not send the key to someone else.
    pub(super) usual: Option<&'a str>,
}

impl Configuration {
    /// The key of a service, if there is one.
    pub(super) fn key_at(
        &self,
        places: KeyPlaces<'_>,
    ) -> Result<Option<Secret>, ConfigurationError> {
        let bad = |source: &Source, detail: String| ConfigurationError::Value {
            source_of: source.clone(),
            detail,
        };
        if let Some((path, source)) = places.file {
            let bytes = self.read_small(path, KEY_BYTES_MAX);
            let bytes = bytes
                .map_err(|error| bad(source, format!("the key's file cannot be read: {error}")))?;
            let key = std::str::from_utf8(&bytes).ok().and_then(Secret::parse);
            return key.map(Some).ok_or_else(|| bad(source, "the file holds no key".to_owned()));
        }
        if let Some((variable, source)) = places.variable {
            if variable.is_empty() {
                return Ok(None);
            }
            if !is_variable_name(variable) {
                return Err(bad(
                    source,
                    "api_key_env takes the name of a variable, not the key".to_owned(),
                ));
            }
            let text = self.key_of_variable.get(variable).and_then(|text| text.to_str());
            let key = text.and_then(Secret::parse);
            // A name with small letters may be the key itself, which messages must not repeat.
            let shown = if variable.bytes().any(|byte| byte.is_ascii_lowercase()) {
                "it names"
            } else {
                variable
            };
            return key
                .map(Some)
                .ok_or_else(|| bad(source, format!("the variable {shown} holds no key")));
        }
        let usual = places.usual.and_then(|variable| self.key_of_variable.get(variable));
        Ok(usual.and_then(|text| text.to_str()).and_then(Secret::parse))
    }
}

pub(super) fn is_variable_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
