//! The keys and values of settings, and those that the program knows.

use importers::secrets::mask_string;

use crate::failure::RequestError;

/// What the tag of a setting begins with; its key follows.
pub(crate) const TAG: &str = "mi:setting:";

/// Whether a tag is that of a setting.
pub(crate) fn is_of_setting(tag: &str) -> bool {
    tag.starts_with(TAG)
}
/// Whether learned changes become preferences at once.
pub(super) const AUTO_LEARN: &str = "auto_learn";
/// The values of a switch.
pub(super) const ON: &str = "on";
const OFF: &str = "off";
/// Longest key, bytes.
const KEY_BYTES_MAX: usize = 64;
/// Longest value, bytes.
const VALUE_BYTES_MAX: usize = 1_000;

/// The least confidence of what is mined.
pub(super) const MINING_MIN_CONFIDENCE: &str = "mining_min_confidence";
/// Most claims that are mined from a segment.
pub(super) const MINING_MAX_CLAIMS: &str = "mining_max_claims";
/// Most claims of a segment that can be set.
const CLAIMS_MAX: u32 = 100;

/// A setting that the program knows.
pub(super) struct BuiltIn {
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    form: ValueForm,
    pub(super) meaning: &'static str,
}

/// What values a setting has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueForm {
    /// On or off.
    Switch,
    /// A probability.
    Probability,
    /// A number up to this.
    Count(u32),
    /// Words.
    Words,
}

/// By key.
pub(super) const BUILT_IN: [BuiltIn; 5] = [
    BuiltIn {
        key: "ask_when_uncertain",
        value: ON,
        form: ValueForm::Switch,
        meaning: "agents ask before a choice that they are not sure of",
    },
    BuiltIn {
        key: AUTO_LEARN,
        value: ON,
        form: ValueForm::Switch,
        meaning: "learned changes become preferences at once; off: they wait in the review queue",
    },
    BuiltIn {
        key: MINING_MAX_CLAIMS,
        value: "6",
        form: ValueForm::Count(CLAIMS_MAX),
        meaning: "how many claims mining keeps of a segment: the surest",
    },
    BuiltIn {
        key: MINING_MIN_CONFIDENCE,
        value: "0.9",
        form: ValueForm::Probability,
        meaning: "how sure a claim has to be for mining to keep it, 0 to 1",
    },
    BuiltIn {
        key: "refactor_intent",
        value: "behavior_preserving",
        form: ValueForm::Words,
        meaning: "what a refactoring may change",
    },
];

/// The built-in setting with this key.
pub(super) fn built_in(key: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|known| known.key == key)
}

/// The key of a setting: lower-case letters, digits, `_`, `-` and `.`, a letter first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SettingKey(String);

impl SettingKey {
    /// Reads a key.
    pub(crate) fn parse(text: &str) -> Result<Self, RequestError> {
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-.".contains(c);
        let fits = text.len() <= KEY_BYTES_MAX
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(is_part);
        match fits {
            true => Ok(Self(text.to_owned())),
            false => Err(RequestError::SettingKeyMalformed { given: text.to_owned() }),
        }
    }

    /// That of a built-in setting.
    pub(super) fn of(known: &BuiltIn) -> Self {
        Self(known.key.to_owned())
    }

    /// It as it is typed.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the program knows it.
    pub(crate) fn is_built_in(&self) -> bool {
        built_in(&self.0).is_some()
    }

    /// The tag of a claim that states it.
    pub(super) fn tag(&self) -> String {
        format!("{TAG}{}", self.0)
    }

    /// The words of a claim that states it.
    pub(super) fn text(&self, value: &str) -> String {
        format!("Setting {}: {value}", self.0)
    }

    /// The value in the words of a Mind-Incarnation home, which says `ask` or `proceed`.
    fn imported_value(&self, value: &str) -> String {
        let is_switch = built_in(&self.0).is_some_and(|known| known.form == ValueForm::Switch);
        let usual = match value {
            "ask" if is_switch => ON,
            "proceed" if is_switch => OFF,
            other => other,
        };
        self.value(usual).unwrap_or_else(|_| value.to_owned())
    }

    /// The value in the words of a claim. A claim that is worded otherwise is its own value.
    pub(super) fn value_in(&self, text: &str) -> String {
        if let Some(value) = text.strip_prefix(&format!("MI setting: {} =", self.0)) {
            return self.imported_value(value.trim());
        }
        let value = text.strip_prefix(&self.text("")).unwrap_or(text).trim();
        self.value(value).unwrap_or_else(|_| value.to_owned())
    }

    /// Whether the words of a claim state a value that can be set.
    pub(super) fn is_stated_by(&self, text: &str) -> bool {
        self.value(&self.value_in(text)).is_ok()
    }

    /// A value in its usual form: without line breaks, and `on` or `off` for a switch.
    pub(crate) fn value(&self, given: &str) -> Result<String, RequestError> {
        let value = given.split_whitespace().collect::<Vec<_>>().join(" ");
        let bad = |allowed: String| RequestError::SettingValue {
            key: self.0.clone(),
            given: value.chars().take(VALUE_BYTES_MAX).collect(),
            allowed,
        };
        if value.is_empty() || value.len() > VALUE_BYTES_MAX {
            return Err(bad(format!("1 to {VALUE_BYTES_MAX} bytes")));
        }
        match built_in(&self.0).map_or(ValueForm::Words, |known| known.form) {
            ValueForm::Words => Ok(mask_string(&value).into_inner()),
            ValueForm::Switch => match value.to_lowercase().as_str() {
                "on" | "true" | "yes" | "1" => Ok(ON.to_owned()),
                "off" | "false" | "no" | "0" => Ok(OFF.to_owned()),
                _ => Err(bad(format!("{ON} or {OFF}"))),
            },
            ValueForm::Probability => {
                let number = value.parse::<f64>().ok();
                let number = number.filter(|number| (0.0..=1.0).contains(number));
                number.map(|number| number.to_string()).ok_or_else(|| bad("0 to 1".to_owned()))
            }
            ValueForm::Count(max) => {
                let number = value.parse::<u32>().ok().filter(|number| *number <= max);
                number
                    .map(|number| number.to_string())
                    .ok_or_else(|| bad(format!("a number from 0 to {max}")))
            }
        }
    }
}
